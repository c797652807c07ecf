//! Diagnostics as values. A [`Diagnostic`] says *what is wrong* (title), *which words* caused it
//! (labels), *the evidence* (notes) and *what to write instead* (help). It is built where the fact is
//! known and rendered in one place, [`render`](mod@render). Its code is a row of the table in [`codes`].

pub mod codes;
pub mod render;
pub mod suggest;

use crate::source::Span;
pub use codes::Code;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// A place in the source and what it has to do with the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    pub message: String,
}

/// A change that repairs the program: replace the text at `span` by `text`. A help that can be
/// applied by a program carries one; tests apply it and check that the error is gone. Until a session hands it
/// out, `…` in the text stands for what is written at the span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    pub span: Span,
    pub text: String,
}

/// One problem (or remark), complete: number and name, title, labels, notes, helps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: &'static Code,
    /// What is wrong, in the user's words, lower case, no full stop.
    pub title: String,
    /// The first label is the primary place.
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    pub helps: Vec<String>,
    pub repairs: Vec<Repair>,
}

impl Diagnostic {
    pub fn error(code: &'static Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, title)
    }

    pub fn warning(code: &'static Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, title)
    }

    pub fn new(severity: Severity, code: &'static Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            title: title.into(),
            labels: vec![],
            notes: vec![],
            helps: vec![],
            repairs: vec![],
        }
    }

    /// Something that only builds with an optional feature of the crate can do.
    pub fn missing_feature(title: impl Into<String>, feature: &str) -> Diagnostic {
        Diagnostic::error(&codes::MISSING_FEATURE, title)
            .note(format!("this build was made without the feature `{feature}`"))
            .help(format!(
                "build lepage with it: cargo install --path . --features {feature} (or full, for everything)"
            ))
    }

    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// A label that a recursion would repeat at every level.
    pub fn label_once(self, span: Span, message: &str) -> Diagnostic {
        let known = self.labels.iter().any(|l| l.span == span && l.message == message);
        if known { self } else { self.label(span, message) }
    }

    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.helps.push(help.into());
        self
    }

    /// A help whose text is also an edit that a program can apply.
    pub fn repair(mut self, help: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.helps.push(help.into());
        self.repairs.push(Repair { span, text: text.into() });
        self
    }

    /// Points the diagnostic at `span` if it has no place of its own yet: a room that knows no
    /// source positions refuses, and the caller that does says where.
    pub fn or_at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        if self.labels.is_empty() {
            self.labels.push(Label { span, message: message.into() });
        }
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub fn primary(&self) -> Option<Span> {
        self.labels.first().map(|l| l.span)
    }
}

/// What a check found: sorted by place, without duplicates.
#[derive(Clone, Default, Debug)]
pub struct Problems {
    list: Vec<Diagnostic>,
}

impl Problems {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    pub fn extend(&mut self, other: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in other {
            self.push(diagnostic);
        }
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In the order of the source.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| (d.primary(), d.severity, d.code.number));
        self.list
    }
}
