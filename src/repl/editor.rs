//! The terminal side of the REPL: history, several lines, completion, highlighting, hints. This is
//! the only file that knows rustyline.
//!
//! Whether an input goes on to the next line is asked of the language's own parser. Completion knows
//! declared names, coordinates with their jets, questions, keywords and commands, and where only words of one kind may
//! stand: libraries, methods, clauses of a run, promises, parts after a dot; hints show the one
//! way a word can end, the signature of the question being written, or the line of the history that
//! begins like this one.

use super::command::COMMANDS;
use super::paint::{self, Kind};
use super::{Repl, Screen};
use crate::diagnostic::render::wants_color;
use crate::integrate::method::METHODS;
use crate::model::kind::OptionRow;
use crate::questions;
use crate::session::{NamedItem, Session, library};
use crate::syntax::parse::{Completeness, is_complete};
use crate::syntax::token::{COORDINATE_TYPES, RUN_CLAUSES, TYPE_WORDS};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

/// The conversation: read, answer, print, until the user leaves. An error is one of the terminal's.
pub fn talk(repl: &mut Repl, history: Option<PathBuf>) -> std::io::Result<()> {
    let color = wants_color(std::io::stdout().is_terminal(), |name| std::env::var(name).ok());
    let mut editor = terminal(color).map_err(other)?;
    if let Some(path) = &history {
        // A first session has no history to load.
        let _ = editor.load_history(path);
    }
    let prompt = if color { ("lepage> ", "\x1b[1;34mlepage>\x1b[0m ") } else { ("lepage> ", "lepage> ") };
    loop {
        if let Some(assistant) = editor.helper_mut() {
            assistant.learn(repl.session());
        }
        match editor.readline(&prompt) {
            Ok(line) => {
                if !line.trim().is_empty() {
                    let _ = editor.add_history_entry(line.trim_end());
                    if let Some(path) = &history {
                        // Written at once: what was typed survives whatever happens next.
                        let _ = editor.append_history(path);
                    }
                }
                let (columns, rows) = editor.dimensions().map_or((100, 40), |(c, r)| (c as usize, r as usize));
                repl.set_screen(Screen { columns: columns.max(20), rows: rows.max(10), color });
                let reply = repl.enter(&line);
                std::io::stdout().write_all(reply.out.as_bytes())?;
                std::io::stdout().flush()?;
                std::io::stderr().write_all(reply.talk.as_bytes())?;
                if reply.quit {
                    return Ok(());
                }
            }
            // Ctrl-C while typing drops the line, Ctrl-D on an empty one leaves.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            // A byte that is no text, from a slip or another encoding, costs the line and not the session.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                std::io::stderr().write_all(b"\nwhat was typed is not UTF-8 text; the line is dropped\n")?;
            }
            Err(error) => return Err(other(error)),
        }
    }
}

fn other(error: ReadlineError) -> std::io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => std::io::Error::other(error.to_string()),
    }
}

fn terminal(color: bool) -> rustyline::Result<Editor<Assistant, DefaultHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .max_history_size(10_000)?
        .color_mode(if color { ColorMode::Enabled } else { ColorMode::Disabled })
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_auto_add_history(false);
    editor.set_helper(Some(Assistant { color, ..Assistant::default() }));
    Ok(editor)
}

/// Where the history lives: the user's data folder.
pub fn history_file() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || std::env::home_dir().filter(|h| !h.as_os_str().is_empty());
    let data = if cfg!(windows) {
        variable("APPDATA")?
    } else if let Some(data) = variable("XDG_DATA_HOME") {
        data
    } else if cfg!(target_os = "macos") {
        home()?.join("Library/Application Support")
    } else {
        home()?.join(".local/share")
    };
    let folder = data.join("lepage");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history.txt"))
}

/// What rustyline asks while a line is typed.
#[derive(Default)]
struct Assistant {
    color: bool,
    names: Vec<NamedItem>,
    questions: Vec<NamedItem>,
    files: FilenameCompleter,
    history: HistoryHinter,
}

impl Assistant {
    /// Looks up what can be completed; called before each prompt.
    fn learn(&mut self, session: &Session) {
        self.names = session.list();
        self.questions = session.questions();
    }

    /// Everything that may stand where `word` begins, sorted.
    fn candidates(&self, line: &str, start: usize, word: &str) -> Vec<String> {
        let mut found: Vec<String> = vec![];
        let before = &line[..start];
        if before.trim() == ":" || (start == 0 && word.starts_with(':')) {
            found.extend(COMMANDS.iter().map(|c| format!(":{}", c.name)));
        } else if let Some(command) = COMMANDS.iter().find(|c| before.trim_end() == format!(":{}", c.name)) {
            // A name, not a call: `:doc classify`.
            found.extend(self.names.iter().chain(&self.questions).map(|item| item.name.clone()));
            found.extend(COMMANDS.iter().filter(|_| command.name == "help").map(|c| c.name.to_string()));
        } else if let Some(place) = place(before) {
            match place {
                Place::Library => found.extend(library::FILES.iter().map(|(name, _)| name.to_string())),
                Place::Method => found.extend(METHODS.iter().map(|m| m.name.to_string())),
                Place::Clause => found.extend(RUN_CLAUSES.iter().map(|(word, _)| format!("{word} "))),
                Place::Promise => found.extend(TYPE_WORDS.iter().map(|word| format!("{word} "))),
                Place::CoordinateType => found.extend(COORDINATE_TYPES.iter().map(|word| word.to_string())),
                Place::Part(of) => found.extend(self.parts_of(of)),
            }
        } else {
            for item in &self.names {
                found.push(item.name.clone());
                if item.is_coordinate() {
                    found.push(format!("{}'", item.name));
                    found.push(format!("{}''", item.name));
                }
            }
            let available = |q: &&NamedItem| questions::find(&q.name).is_some_and(questions::is_available);
            found.extend(self.questions.iter().filter(available).map(|q| format!("{}(", q.name)));
            found.extend(options_of(&line[..start]).map(|o| format!("{} = ", o.name)));
            if line[..start].trim().is_empty() {
                found.extend(paint::statement_words().map(|w| format!("{w} ")));
            }
        }
        found.retain(|c| c.starts_with(word) && c != word);
        found.sort();
        found.dedup();
        found
    }

    /// What may follow the dot after this text: parts of the question asked there, or of the declared answer.
    fn parts_of(&self, of: &str) -> Vec<String> {
        let asked = match of.strip_suffix(')') {
            Some(inside) => open_bracket(inside).map(|i| &inside[word_start(inside, i)..i]),
            None => {
                let name = &of[word_start(of, of.len())..];
                self.names.iter().find(|item| item.name == name).map(|item| item.type_name.as_str())
            }
        };
        match asked {
            Some("run") => RUN_PARTS.iter().map(|part| part.to_string()).collect(),
            Some(name) => {
                let row = questions::find(&name.replace(' ', "_"));
                row.into_iter().flat_map(|row| row.parts).map(|part| part.name.to_string()).collect()
            }
            None => vec![],
        }
    }

    /// The signature of the question whose arguments are being written.
    fn signature(&self, line: &str) -> Option<&str> {
        let name = line.strip_suffix('(')?;
        let start = word_start(name, name.len());
        self.questions.iter().find(|q| q.name == name[start..]).map(|q| q.type_name.as_str())
    }
}

/// A place in a line where only words of one kind may stand.
enum Place<'a> {
    /// After `use std.`.
    Library,
    /// After `method`.
    Method,
    /// At the beginning of an entry of a run.
    Clause,
    /// After the colon of a form or field.
    Promise,
    /// After the colon of a coordinate.
    CoordinateType,
    /// After a dot, with what stands before it.
    Part(&'a str),
}

/// The parts that every run has; its columns come with it.
const RUN_PARTS: &[&str] = &["end", "events", "first", "last", "message", "method", "steps"];

fn place(before: &str) -> Option<Place<'_>> {
    let statement = before.rsplit(['\n', ';']).next().unwrap_or(before).trim_start();
    if statement.strip_prefix("use").is_some_and(|rest| rest.trim() == "std.") {
        return Some(Place::Library);
    }
    let words = before.trim_end();
    if words.ends_with("method") && before.ends_with(char::is_whitespace) && in_a_run(before) {
        return Some(Place::Method);
    }
    if words.ends_with(['{', ';', '\n']) && in_a_run(words) {
        return Some(Place::Clause);
    }
    if words.ends_with(':') && !statement.starts_with(':') {
        let declares = |word: &str| before.trim_start().starts_with(word);
        return match before.rfind('{') {
            None if declares("form ") || declares("field ") => Some(Place::Promise),
            Some(_) if declares("manifold ") => Some(Place::CoordinateType),
            _ => None,
        };
    }
    before
        .strip_suffix('.')
        .filter(|of| of.ends_with(|c: char| c.is_alphanumeric() || c == ')' || c == '_'))
        .map(Place::Part)
}

/// Whether the innermost open brace is that of a run.
fn in_a_run(before: &str) -> bool {
    let mut depth = 0;
    let open = before.char_indices().rev().find(|(_, c)| {
        depth += match c {
            '}' => 1,
            '{' => -1,
            _ => 0,
        };
        depth < 0
    });
    open.is_some_and(|(i, _)| before[..i].split_whitespace().any(|word| word == "simulate"))
}

/// The bracket that is open at the end of this text.
fn open_bracket(before: &str) -> Option<usize> {
    let mut depth = 0;
    let open = before.char_indices().rev().find(|(_, c)| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth < 0
    });
    open.map(|(i, _)| i)
}

/// The options of the question whose arguments are being written.
fn options_of(before: &str) -> impl Iterator<Item = &'static OptionRow> {
    let name = open_bracket(before).map_or("", |i| &before[word_start(before, i)..i]);
    questions::find(name).into_iter().flat_map(|row| row.options)
}

/// Where the word before `pos` begins: a name with its primes, or a command with its colon.
fn word_start(line: &str, pos: usize) -> usize {
    let before = &line[..pos];
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || ('\u{300}'..='\u{36f}').contains(&c);
    let start = before.char_indices().rev().take_while(|(_, c)| word(*c)).last().map_or(pos, |(i, _)| i);
    if before[..start].trim() == ":" { start - 1 } else { start }
}

impl Helper for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..pos];
        let takes_file = [":load ", ":l ", ":save ", ":s "].iter().any(|c| before.starts_with(c));
        let in_string = before.matches('"').count() % 2 == 1;
        if takes_file || in_string {
            return self.files.complete_path(line, pos);
        }
        let start = word_start(line, pos);
        let word = &line[start..pos];
        let pairs = self.candidates(line, start, word).into_iter();
        Ok((start, pairs.map(|c| Pair { display: c.trim_end().to_string(), replacement: c }).collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        if pos < line.len() || line.is_empty() {
            return None;
        }
        if let Some(signature) = self.signature(line) {
            return Some(format!("   {signature}"));
        }
        let start = word_start(line, pos);
        let word = &line[start..pos];
        if word.chars().count() >= 2
            && let [only] = self.candidates(line, start, word).as_slice()
        {
            return Some(only[word.len()..].to_string());
        }
        self.history.hint(line, pos, context)
    }
}

impl Validator for Assistant {
    /// An input that goes on keeps the prompt open; an empty line ends it all the same.
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        let done = input.trim_start().starts_with(':')
            || input.trim().is_empty()
            || input.ends_with("\n\n")
            || (input.contains('\n') && input.rsplit('\n').next().is_some_and(|l| l.trim().is_empty()))
            || is_complete(input) == Completeness::Complete;
        Ok(if done { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        if !self.color {
            return Cow::Borrowed(line);
        }
        if line.trim_start().starts_with(':') {
            let end = line.find(char::is_whitespace).unwrap_or(line.len());
            return Cow::Owned(format!("\x1b[36m{}\x1b[0m{}", &line[..end], &line[end..]));
        }
        Cow::Owned(painted(line, pos))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.color { Cow::Owned(format!("\x1b[90m{hint}\x1b[0m")) } else { Cow::Borrowed(hint) }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.color && kind != CmdKind::ForcedRefresh
    }
}

/// The line with the colours of its tokens, and the bracket under the cursor with its partner.
fn painted(line: &str, pos: usize) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    let mut end = 0;
    let pair = paint::matching_brackets(line, pos);
    for (range, kind) in paint::ranges(line) {
        out.push_str(&line[end..range.start]);
        let bracket = pair.is_some_and(|(a, b)| range.start == a || range.start == b);
        let code = match kind {
            Kind::Bracket if bracket => "1;33",
            Kind::Bracket => "",
            Kind::Keyword => "35",
            Kind::Number => "33",
            Kind::Text => "32",
            Kind::Comment => "90",
        };
        if code.is_empty() {
            out.push_str(&line[range.clone()]);
        } else {
            out.push_str(&format!("\x1b[{code}m{}\x1b[0m", &line[range.clone()]));
        }
        end = range.end;
    }
    out.push_str(&line[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Mode, SessionOptions};

    /// What Tab offers at the end of a line.
    fn offered(line: &str) -> Vec<String> {
        let mut session = Session::new(SessionOptions::default());
        session.feed(
            "input",
            "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet D = dynamics(L)",
            Mode::File,
        );
        let mut assistant = Assistant::default();
        assistant.learn(&session);
        let start = word_start(line, line.len());
        assistant.candidates(line, start, &line[start..])
    }

    #[test]
    fn completion_knows_its_place() {
        assert_eq!(offered("classify(L).re"), ["regular"]);
        assert_eq!(offered("D.comp"), ["complete"]);
        assert_eq!(offered("use std.sp"), ["springs"]);
        assert_eq!(offered("simulate L { me"), ["method "]);
        assert_eq!(offered("simulate L { from x = 1; unt"), ["until "]);
        assert_eq!(offered("simulate L { method dop"), ["dop853"]);
        assert_eq!(offered("manifold M over t { q : an"), ["angle"]);
        assert_eq!(offered("form a : cont"), ["contact "]);
        assert_eq!(offered(":doc classi"), ["classify"]);
        assert_eq!(offered("hessi"), ["hessian("]);
    }

    #[test]
    fn options_of_the_open_question_are_offered() {
        let offered = |line: &str| super::options_of(line).map(|o| o.name).collect::<Vec<_>>();
        assert_eq!(offered("let p = momenta(L, "), ["gauge", "names"]);
        assert_eq!(offered("momenta(pullback(f, L), "), ["gauge", "names"]);
        assert!(offered("momenta(L)").is_empty() && offered("x + (").is_empty());
    }
}
