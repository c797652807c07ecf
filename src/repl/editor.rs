//! The terminal side of the REPL: history, several lines, completion, highlighting, hints. This is
//! the only file that knows rustyline.
//!
//! Whether an input goes on to the next line is asked of the language's own parser, how a word may end of the
//! [vocabulary](super::complete); hints show the one way a word can end, the signature of the question
//! being written, or the line of the history that begins like this one.

use super::command::COMMANDS;
use super::complete::{Vocabulary, fitting, word_start};
use super::paint::{self, Kind};
use super::{Repl, Reply, Screen};
use crate::diagnostic::palette::{BLUE, GREEN, GREY, OCHRE, TEAL, VIOLET};
use crate::diagnostic::render::wants_color;
use crate::session::Session;
use crate::syntax::parse::{Completeness, is_complete};
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
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The conversation: read, answer, print, until the user leaves. An error is one of the terminal's.
pub fn talk(repl: &mut Repl, history: Option<PathBuf>) -> std::io::Result<()> {
    let color = wants_color(std::io::stdout().is_terminal(), |name| std::env::var(name).ok());
    let mut editor = terminal(color).map_err(other)?;
    if let Some(path) = &history {
        // A first session has no history to load.
        let _ = editor.load_history(path);
    }
    let painted = if color { format!("{} ", BLUE.bold("lepage>")) } else { "lepage> ".to_string() };
    let prompt = ("lepage> ", painted.as_str());
    loop {
        let (columns, rows) = editor.dimensions().map_or((100, 40), |(c, r)| (c as usize, r as usize));
        let screen = Screen { columns: columns.max(20), rows: rows.max(10), color };
        if let Some(assistant) = editor.helper_mut() {
            assistant.learn(repl.session());
            assistant.screen = screen;
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
                let reply = with_life(|| repl.enter(&line));
                let quit = reply.quit;
                print(reply);
                if quit {
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

/// Whether the line of life stands on the screen.
static ALIVE: Mutex<bool> = Mutex::new(false);

/// Writes a reply, in the place of the line of life if there is one. A stream that is gone cannot be told.
pub fn print(reply: Reply) {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *alive) {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let _ = std::io::stdout().write_all(reply.out.as_bytes());
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().write_all(reply.talk.as_bytes());
}

/// Does some work. After a second of it, a line says that it goes on, for how long, and how to stop it; it is wiped out at the
/// end.
fn with_life<T>(work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (done, is_done) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let mut seconds = 0;
        while is_done.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
            seconds += 1;
            let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
            *alive = true;
            let _ = write!(std::io::stderr(), "\r… {seconds} s, Ctrl-C stops");
        }
    });
    let result = work();
    drop(done);
    let _ = watch.join();
    print(Reply::default());
    result
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
        // What does not fit the screen is left out: a question about it would swallow the next key.
        .completion_prompt_limit(usize::MAX)
        .history_ignore_space(true)
        .max_history_size(10_000)?
        .color_mode(if color { ColorMode::Enabled } else { ColorMode::Disabled })
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_auto_add_history(false);
    editor.set_helper(Some(Assistant { screen: Screen { columns: 80, rows: 24, color }, ..Assistant::default() }));
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
    screen: Screen,
    vocabulary: Vocabulary,
    files: FilenameCompleter,
    history: HistoryHinter,
}

impl Assistant {
    /// Looks up what can be completed; called before each prompt.
    fn learn(&mut self, session: &Session) {
        self.vocabulary = Vocabulary::of(session);
    }

    /// Everything that may stand where `word` begins, sorted: commands and what they take, or what the language has there.
    fn candidates(&self, line: &str, start: usize, word: &str) -> Vec<String> {
        let before = &line[..start];
        if before.trim() == ":" || (start == 0 && word.starts_with(':')) {
            return fitting(COMMANDS.iter().map(|c| format!(":{}", c.name)).collect(), word);
        }
        let Some(command) = COMMANDS.iter().find(|c| before.trim_end() == format!(":{}", c.name)) else {
            return self.vocabulary.candidates(before, word);
        };
        // A name, not a call: `:doc classify`.
        let Vocabulary { names, questions } = &self.vocabulary;
        let names = names.iter().chain(questions).map(|item| item.name.clone());
        let commands = COMMANDS.iter().filter(|_| command.name == "help").map(|c| c.name.to_string());
        fitting(names.chain(commands).collect(), word)
    }
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
        let pairs = pairs.map(|c| Pair { display: c.trim_end().to_string(), replacement: c }).collect();
        Ok((start, on_one_screen(pairs, self.screen, word)))
    }
}

/// As many as one screen shows: names and words before questions, which have a list of their own. The last entry says what is
/// left out; it stands for what is typed already, so nothing is completed to it.
fn on_one_screen(mut pairs: Vec<Pair>, screen: Screen, word: &str) -> Vec<Pair> {
    let fits = |pairs: &[Pair]| {
        let wide = pairs.iter().map(|p| p.display.chars().count()).max().unwrap_or(0) + 2;
        pairs.len().div_ceil((screen.columns / wide).max(1)) + 3 <= screen.rows
    };
    let remark = |text: String| Pair { display: text, replacement: word.to_string() };
    if fits(&pairs) {
        return pairs;
    }
    let all = pairs.len();
    pairs.retain(|p| !p.replacement.ends_with('('));
    pairs.push(remark("…:help questions".to_string()));
    while !fits(&pairs) {
        pairs.truncate(pairs.len().saturating_sub(5).max(1));
        pairs.push(remark(format!("…{} more", all - pairs.len())));
    }
    pairs
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        if pos < line.len() || line.is_empty() {
            return None;
        }
        if let Some(signature) = self.vocabulary.signature(line) {
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
        if !self.screen.color {
            return Cow::Borrowed(line);
        }
        if line.trim_start().starts_with(':') {
            let end = line.find(char::is_whitespace).unwrap_or(line.len());
            return Cow::Owned(format!("{}{}", TEAL.paint(&line[..end]), &line[end..]));
        }
        Cow::Owned(painted(line, pos))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.screen.color { Cow::Owned(GREY.paint(hint)) } else { Cow::Borrowed(hint) }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.screen.color && kind != CmdKind::ForcedRefresh
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
        let text = &line[range.clone()];
        out += &match kind {
            Kind::Bracket if bracket => OCHRE.bold(text),
            Kind::Bracket => text.to_string(),
            Kind::Keyword => VIOLET.paint(text),
            Kind::Function => BLUE.paint(text),
            Kind::Number => OCHRE.paint(text),
            Kind::Text => GREEN.paint(text),
            Kind::Comment => GREY.paint(text),
        };
        end = range.end;
    }
    out.push_str(&line[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_names_are_completed() {
        let mut assistant = Assistant::default();
        assistant.learn(&Session::new(Default::default()));
        let offered = |line: &str| {
            let start = word_start(line, line.len());
            assistant.candidates(line, start, &line[start..])
        };
        assert_eq!(offered(":doc classi"), ["classify"]);
        assert_eq!(offered(":lat"), [":latex"]);
        assert_eq!(offered("hessi"), ["hessian("]);
    }

    #[test]
    fn what_is_offered_fits_the_screen() {
        let pair = |c: &str| Pair { display: c.to_string(), replacement: c.to_string() };
        let many: Vec<Pair> = (0..200).map(|i| pair(&format!("name_{i}"))).chain([pair("classify(")]).collect();
        for (columns, rows) in [(60, 24), (80, 24), (120, 20)] {
            let shown = on_one_screen(many.clone(), Screen { columns, rows, color: false }, "");
            let wide = shown.iter().map(|p| p.display.chars().count()).max().unwrap_or(0) + 2;
            assert!(shown.len().div_ceil(columns / wide) < rows - 1);
            assert!(shown.last().is_some_and(|p| p.display.starts_with('…') && p.replacement.is_empty()));
        }
        let few =
            on_one_screen(vec![pair("x"), pair("equations(")], Screen { columns: 60, rows: 24, color: false }, "");
        assert_eq!(few.len(), 2);
    }
}
