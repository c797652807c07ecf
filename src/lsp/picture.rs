//! What is known of a text: the thread that checks texts draws a [`Picture`] of each and pins it on the [`Board`], where the
//! thread that answers finds it. A picture is plain data, so it passes from one thread to the other.

use super::document::{Document, path_of, range_of, uri_of};
use super::published;
use crate::budget;
use crate::diagnostic::internal::internal_error;
use crate::diagnostic::{Diagnostic, Severity};
use crate::repl::complete::Vocabulary;
use crate::session::{Mode, Session, SessionOptions};
use crate::source::{SourceId, SourceMap, Span};
use lsp_server::Message;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer waits for the check of the newest text before it speaks of the one before.
const PATIENCE: Duration = Duration::from_millis(40);

/// Deep formulas are checked by functions that call themselves.
const STACK: usize = 64 << 20;

/// What a check found in a text.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    pub version: i64,
    pub diagnostics: Vec<Value>,
    pub repairs: Vec<Repair>,
    pub vocabulary: Vocabulary,
    pub names: BTreeMap<String, Named>,
    /// How many diagnostics are errors.
    pub n_errors: usize,
}

/// A change that removes a diagnostic.
#[derive(Clone, Debug)]
pub struct Repair {
    pub title: String,
    pub diagnostic: Value,
    pub edit: Value,
}

/// A declared name: what a reader is told of it, and where it is declared.
#[derive(Clone, Debug)]
pub struct Named {
    pub type_text: String,
    /// The statement that declares it, if it is one of this text.
    pub declaration: Option<String>,
    pub doc: Option<String>,
    pub place: Declared,
}

#[derive(Clone, Debug)]
pub enum Declared {
    /// In this text.
    Here(Range<usize>),
    /// In a file beside it.
    Beside { uri: String, range: Value },
    /// In the standard library, which lies in no file.
    Library(String),
}

/// What the two threads share.
#[derive(Default)]
pub struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Texts that are not checked yet, oldest first.
    waiting: Vec<(String, Document)>,
    pictures: BTreeMap<String, Arc<Picture>>,
    closed: bool,
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked left the board whole: each change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new text; what is being checked has become old.
    pub fn put(&self, uri: &str, document: &Document) {
        let mut state = self.state();
        state.waiting.retain(|(other, _)| other != uri);
        state.waiting.push((uri.to_string(), document.clone()));
        budget::interrupt();
        self.changed.notify_all();
    }

    pub fn forget(&self, uri: &str) {
        let mut state = self.state();
        state.waiting.retain(|(other, _)| other != uri);
        state.pictures.remove(uri);
    }

    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// The picture of this version, or of an earlier one if the check takes long.
    pub fn picture(&self, uri: &str, version: i64) -> Arc<Picture> {
        let is_old = |state: &mut State| state.pictures.get(uri).is_none_or(|p| p.version != version);
        let waited = self.changed.wait_timeout_while(self.state(), PATIENCE, is_old);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.pictures.get(uri).cloned().unwrap_or_default()
    }

    /// The next text to check; `None` when the editor has left.
    fn next(&self) -> Option<(String, Document)> {
        let nothing = |state: &mut State| state.waiting.is_empty() && !state.closed;
        let mut state = self.changed.wait_while(self.state(), nothing).unwrap_or_else(PoisonError::into_inner);
        if state.closed { None } else { Some(state.waiting.remove(0)) }
    }

    /// Pins a picture, unless there is a newer text or the document is gone.
    fn pin(&self, uri: &str, picture: Picture, stopped: bool, document: &Document) -> Option<Arc<Picture>> {
        let mut state = self.state();
        if state.waiting.iter().any(|(other, _)| other == uri) {
            return None;
        }
        if stopped {
            // The text of another document stopped this check.
            state.waiting.push((uri.to_string(), document.clone()));
            return None;
        }
        let picture = Arc::new(picture);
        state.pictures.insert(uri.to_string(), picture.clone());
        self.changed.notify_all();
        Some(picture)
    }
}

/// Begins the thread that checks texts and tells the editor what it found.
pub fn begin(board: Arc<Board>, tell: impl Fn(Message) + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    let work = move || {
        while let Some((uri, document)) = board.next() {
            let (picture, stopped) = draw(&uri, &document);
            if let Some(picture) = board.pin(&uri, picture, stopped, &document) {
                tell(published(&uri, &picture.diagnostics));
            }
        }
    };
    std::thread::Builder::new().name("check".to_string()).stack_size(STACK).spawn(work)
}

/// Checks a text; says whether it was stopped.
pub fn draw(uri: &str, document: &Document) -> (Picture, bool) {
    let name = path_of(uri).map_or_else(|| uri.to_string(), |path| path.to_string_lossy().into_owned());
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        let mut session = Session::new(SessionOptions { answer: false, ..SessionOptions::default() });
        let outcomes = session.feed(&name, &document.text, Mode::File);
        let stopped = budget::is_interrupted();
        let found: Vec<&Diagnostic> = outcomes.iter().flat_map(|o| &o.diagnostics).collect();
        (picture(uri, document, &mut session, &found), stopped)
    }));
    drawn.unwrap_or_else(|_| {
        let mistake = internal_error();
        let shown =
            json!({ "range": document.range(0..0), "severity": 1, "source": "lepage", "message": mistake.title });
        let picture =
            Picture { version: document.version, diagnostics: vec![shown], n_errors: 1, ..Picture::default() };
        (picture, false)
    })
}

fn picture(uri: &str, document: &Document, session: &mut Session, found: &[&Diagnostic]) -> Picture {
    let (mut diagnostics, mut repairs) = (vec![], vec![]);
    for d in found {
        let shown = diagnostic(uri, d, session.sources());
        for (repair, help) in d.repairs.iter().zip(d.helps.iter().rev().take(d.repairs.len()).rev()) {
            let here = repair.span.source == SourceId::default();
            let edit = json!({ "range": document.range(repair.span.range()), "newText": repair.text });
            repairs.extend(here.then(|| Repair { title: help.clone(), diagnostic: shown.clone(), edit }));
        }
        diagnostics.push(shown);
    }
    let vocabulary = Vocabulary::of(session);
    let names = vocabulary.names.iter().filter_map(|item| Some((item.name.clone(), named(session, &item.name)?)));
    let names = names.collect();
    let n_errors = found.iter().filter(|d| d.is_error()).count();
    Picture { version: document.version, diagnostics, repairs, vocabulary, names, n_errors }
}

fn named(session: &mut Session, name: &str) -> Option<Named> {
    let type_text = session.type_of(name).ok()?;
    let span = session.place_of(name)?;
    let source = session.sources().get(span.source);
    let place = if span.source == SourceId::default() {
        Declared::Here(span.range())
    } else if source.name.starts_with("std.") {
        Declared::Library(source.name.to_string())
    } else {
        Declared::Beside { uri: uri_of(&source.name), range: range_of(&source.text, span.range()) }
    };
    let declaration = session.declaration_of(name).map(|text| text.trim().to_string());
    Some(Named { type_text, declaration, doc: session.written_doc(name), place })
}

/// A diagnostic in the words of the protocol; what points into other texts is told as related.
fn diagnostic(uri: &str, d: &Diagnostic, sources: &SourceMap) -> Value {
    let range = |span: Span| range_of(&sources.get(span.source).text, span.range());
    let is_here = |span: &Span| span.source == SourceId::default();
    let first = d.labels.iter().map(|l| l.span).find(is_here).unwrap_or_default();
    let mut message = d.title.clone();
    // What the label of the place says, then the evidence and the remedy.
    let label = d.labels.iter().find(|l| l.span == first).map(|l| l.message.as_str()).filter(|m| !m.is_empty());
    message.extend(label.map(|label| format!(": {label}")));
    message.extend(d.notes.iter().map(|note| format!("\nnote: {note}")));
    message.extend(d.helps.iter().map(|help| format!("\nhelp: {help}")));
    let related: Vec<Value> = d
        .labels
        .iter()
        .filter(|l| l.span != first && (l.span.source.0 as usize) < sources.len())
        .map(|l| {
            let source = sources.get(l.span.source);
            let file = if is_here(&l.span) { uri.to_string() } else { uri_of(&source.name) };
            json!({ "location": { "uri": file, "range": range(l.span) }, "message": l.message })
        })
        .collect();
    let severity = match d.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    json!({
        "range": range(first),
        "severity": severity,
        "code": format!("E{:04}", d.code.number),
        "source": "lepage",
        "message": message,
        "relatedInformation": related,
    })
}
