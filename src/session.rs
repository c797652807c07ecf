//! A session: the texts read so far, the names they declare, and the answers given. The REPL, the
//! command line and the tests all drive this one type, so a line typed and a line in a file mean the
//! same.
//!
//! [`Session::feed`] reads a text and returns one [`Outcome`] per statement. In [`Mode::Line`] (the
//! REPL) a text is a transaction: it extends the session or leaves it untouched. In [`Mode::File`]
//! statements that failed declare nothing, and the ones after them still run.

use crate::diagnostic::{Diagnostic, codes};
use crate::source::{SourceMap, Span};
use serde_json::Value;
use std::path::PathBuf;

/// Whether a text is a whole file or one input line of the REPL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    File,
    Line,
}

/// What the command line decides for a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// `--set m=2`: values over those declared with `param`.
    pub set: Vec<(String, String)>,
    /// Where `save … to` and `plot … to` put their files: `--out`, or the working folder.
    pub out: PathBuf,
    /// Answer questions and run simulations; `lepage check` only declares.
    pub answer: bool,
    /// Compile kernels with Cranelift; else the reference interpreter runs them (`--no-jit`).
    pub jit: bool,
    /// The same bits on every machine: no use of what only this processor has (`--portable`).
    pub portable: bool,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions { set: vec![], out: PathBuf::new(), answer: true, jit: cfg!(feature = "jit"), portable: false }
    }
}

/// How a statement ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// A question was answered, an assertion held, a run was made.
    Ok,
    /// A declaration extended the session.
    Declared,
    /// The statement has no answer; the first error says why.
    Refused,
    /// An assertion or test did not hold.
    Failed,
}

/// What became of one statement.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub span: Span,
    /// One-based line on which the statement begins.
    pub line: usize,
    /// The statement as written, without the comments around it.
    pub statement: String,
    pub status: Status,
    pub answer: Option<Answer>,
    /// Errors, warnings and notes, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether the statement held: exit code 0 means that all did.
    pub fn held(&self) -> bool {
        matches!(self.status, Status::Ok | Status::Declared)
    }
}

/// The value of a question, printable as text, LaTeX and JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    type_name: String,
    /// The weakest ground the answer rests on: `proved`, `sampled`, `unknown`.
    verdict: Option<&'static str>,
    text: String,
    latex: String,
    value: Value,
}

impl Answer {
    /// For people, on lines of at most `width` columns where that is possible.
    pub fn text(&self, _width: usize) -> String {
        self.text.clone()
    }

    pub fn latex(&self) -> String {
        self.latex.clone()
    }

    /// The `value` of the JSON line; expressions are strings that parse back.
    pub fn json(&self) -> Value {
        self.value.clone()
    }

    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    pub fn verdict(&self) -> Option<&str> {
        self.verdict
    }
}

/// A declared name, for completion and `:list`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedItem {
    pub name: String,
    /// Its type in the words of the language: `coordinate`, `lagrangian on J1(Y)`.
    pub type_name: String,
}

impl NamedItem {
    /// Coordinates have jets: `x'`, `x''`.
    pub fn is_coordinate(&self) -> bool {
        self.type_name.split(' ').next() == Some("coordinate")
    }
}

/// Sources, scope and answers.
pub struct Session {
    sources: SourceMap,
    options: SessionOptions,
    /// Texts that extended the session, for [`Session::save`].
    accepted: Vec<String>,
}

impl Session {
    pub fn new(options: SessionOptions) -> Session {
        Session { sources: SourceMap::default(), options, accepted: vec![] }
    }

    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Whether questions are answered from here on; see [`SessionOptions::answer`].
    pub fn set_answer(&mut self, answer: bool) {
        self.options.answer = answer;
    }

    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Reads a text; one outcome per statement.
    pub fn feed(&mut self, name: &str, text: &str, mode: Mode) -> Vec<Outcome> {
        let source = self.sources.add(name, text);
        let mut outcomes = vec![];
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let statement = line.split("//").next().unwrap_or("").trim();
            if !statement.is_empty() {
                let from = start + line.find(statement).unwrap_or(0);
                let span = Span::new(source, from, from + statement.len());
                let word = statement.split(|c: char| !c.is_alphanumeric()).next().map_or(0, str::len).max(1);
                let place = Span::new(source, from, from + word.min(statement.len()));
                outcomes.push(Outcome {
                    span,
                    line: self.sources.get(source).line_column(from).0,
                    statement: statement.to_string(),
                    status: Status::Refused,
                    answer: None,
                    diagnostics: vec![
                        Diagnostic::error(&codes::NOT_AVAILABLE, "this statement is not available yet")
                            .label(place, ""),
                    ],
                });
            }
            start += line.len();
        }
        if mode == Mode::Line && outcomes.iter().all(Outcome::held) && !outcomes.is_empty() {
            self.accepted.push(text.to_string());
        }
        outcomes
    }

    /// Declared names, in the order of their declaration.
    pub fn list(&self) -> Vec<NamedItem> {
        vec![]
    }

    /// The built-in questions, each with its signature for a type.
    pub fn questions(&self) -> Vec<NamedItem> {
        vec![]
    }

    /// The documentation (`///`) of a declared name, or of a question.
    pub fn doc(&self, _name: &str) -> Option<String> {
        None
    }

    /// The type of an expression, as `:type` shows it; the session stays as it is.
    pub fn type_of(&mut self, expression: &str) -> Result<String, Vec<Diagnostic>> {
        Err(self.feed("input", expression, Mode::Line).into_iter().flat_map(|o| o.diagnostics).collect())
    }

    /// The compiled vector field of a system in `c`, `rust`, `python`, `latex` or `clif`.
    pub fn emit(&mut self, system: &str, language: &str) -> Result<String, Vec<Diagnostic>> {
        let title = format!("`{system}` cannot be written as {language} yet");
        Err(vec![Diagnostic::error(&codes::NOT_AVAILABLE, title)])
    }

    /// A `.mech` text that replays the session.
    pub fn save(&self) -> String {
        self.accepted.concat()
    }
}
