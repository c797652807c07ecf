//! Diagnostics as values. A [`Diagnostic`] says *what is wrong* (title), *which words* caused it
//! (labels), *the evidence* (notes) and *what to write instead* (help). It is built where the fact is
//! known and rendered in one place, [`render`](mod@render). Its code is a row of the table in [`codes`].

pub mod codes;
pub(crate) mod elsewhere;
pub(crate) mod internal;
pub(crate) mod palette;
pub mod render;
pub(crate) mod suggest;

use crate::budget::Exhausted;
use crate::source::Span;
pub use codes::Code;

/// The result of anything that may refuse: the refusal is complete but for a place.
pub type Fallible<T> = Result<T, Box<Diagnostic>>;

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
/// out, `…` in the text stands for what is written at the span, and `goes` says where the edit belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    pub span: Span,
    pub text: String,
    pub goes: Goes,
}

/// Where the text of a repair goes. Whoever builds one knows a place but not the lines of the source; the session that
/// hands it out does, and after that every repair goes [`Here`](Goes::Here).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goes {
    /// In place of what is written at the span.
    Here,
    /// On a line of its own before the line of the span, as a fact does.
    LineBefore,
    /// In place of what is written at the span, with this declaration on a line of its own before it; a sign `…` of the
    /// declaration stands for what was written.
    BelowDeclaration(String),
    /// In place of what is written at the span; the signs `…` of the text stand for what is written at these places.
    Quoting(Vec<Span>),
    /// In place of everything from the last such word before the span.
    BackTo(&'static str),
}

/// What was wanted in a place where something else stands, if the one may be written as the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Form,
    Field,
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
    /// The name that is not known, if that is the problem.
    pub name: Option<String>,
    /// One of the repairs declares that name: where it is used again nothing more is to be said.
    pub declares: bool,
    pub wanted: Option<Wanted>,
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
            name: None,
            declares: false,
            wanted: None,
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
    pub fn repair(self, help: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.repair_at(Goes::Here, help, span, text)
    }

    /// A help that is also an edit, which goes to a place of this kind.
    pub fn repair_at(mut self, goes: Goes, help: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.helps.push(help.into());
        self.repairs.push(Repair { span, text: text.into(), goes });
        self
    }

    /// The problem is that this name is not known.
    pub fn about(mut self, name: &str) -> Diagnostic {
        self.name = Some(name.to_string());
        self
    }

    /// A repair declares the name that is not known.
    pub fn declaring(mut self) -> Diagnostic {
        self.declares = true;
        self
    }

    /// Something of this kind was wanted.
    pub fn wanting(mut self, wanted: impl Into<Option<Wanted>>) -> Diagnostic {
        self.wanted = wanted.into();
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

/// A budget ended before the answer was found.
impl From<Exhausted> for Diagnostic {
    fn from(stop: Exhausted) -> Diagnostic {
        let diagnostic = Diagnostic::error(&codes::BUDGET, format!("the computation was stopped: {stop}"));
        match stop {
            Exhausted::Interrupted => diagnostic,
            Exhausted::Time => {
                diagnostic.help("simplify the question, or give it more time: `--time` with a number of seconds")
            }
            Exhausted::Memory => {
                diagnostic.help("simplify the question, begin a new session, or give it more memory: `--memory 4G`")
            }
            Exhausted::Work => {
                diagnostic.help("simplify the question, ask about a part of it, or let it take more work: `--effort 4`")
            }
            _ => diagnostic.help("simplify the question, or ask about a part of it"),
        }
    }
}

impl From<Exhausted> for Box<Diagnostic> {
    fn from(stop: Exhausted) -> Box<Diagnostic> {
        Box::new(stop.into())
    }
}
