//! The interactive session.
//!
//! ```text
//! lepage> manifold Y over t { x }
//! lepage> lagrangian L on J1(Y) = x'^2/2 - x^2/2
//! lepage> equations(L)
//! x:  -x'' - x
//! ```
//!
//! [`Repl`] takes one input and gives one [`Reply`]; it knows no terminal, so tests talk to it
//! directly. A line that begins with a colon is a [`command`], everything else goes to the
//! [`Session`]: it extends the session or leaves it untouched. The terminal (history, completion,
//! several lines) is in `editor`.

mod answer;
pub mod command;
#[cfg(any(feature = "repl", feature = "lsp"))]
pub mod complete;
#[cfg(feature = "repl")]
pub mod editor;
#[cfg(feature = "repl")]
mod paint;
#[cfg(test)]
mod textmate;

use crate::budget;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::internal::internal_error;
use crate::diagnostic::render::{MessageFormat, Renderer};
pub use crate::report::plot::Screen;
use crate::report::wrap::wrapped;
use crate::session::{Answer, Mode, Outcome, Session, SessionOptions};
use crate::source::{SourceId, SourceMap, visible};
use crate::syntax::parse::parse;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the session says to one input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// Answers, for standard output; in them nothing steers the terminal but colours.
    pub out: String,
    /// Diagnostics and remarks, for standard error.
    pub talk: String,
    /// The user wants to leave.
    pub quit: bool,
}

impl Reply {
    pub fn out(text: impl Into<String>) -> Reply {
        Reply { out: text.into(), ..Reply::default() }
    }

    pub fn talk(text: impl Into<String>) -> Reply {
        Reply { talk: text.into(), ..Reply::default() }
    }
}

impl std::ops::AddAssign for Reply {
    fn add_assign(&mut self, more: Reply) {
        self.out += &more.out;
        self.talk += &more.talk;
        self.quit |= more.quit;
    }
}

/// A session and what the conversation needs beside it.
pub struct Repl {
    pub(crate) session: Session,
    pub(crate) screen: Screen,
    format: MessageFormat,
    /// For `:show` and `:latex` without an argument.
    pub(crate) last: Option<Answer>,
    /// Who hears the answers to a block one by one, as they come.
    listener: Option<fn(Reply)>,
}

impl Repl {
    pub fn new(options: SessionOptions, format: MessageFormat) -> Repl {
        Repl {
            session: Session::new(options),
            screen: Screen { columns: 100, rows: 40, color: false },
            format,
            last: None,
            listener: None,
        }
    }

    /// From here on each answer of a block is told as soon as it is there; what [`enter`](Repl::enter) returns is the rest.
    pub fn tell(&mut self, listener: fn(Reply)) {
        self.listener = Some(listener);
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The terminal may have been resized since the last line.
    pub fn set_screen(&mut self, screen: Screen) {
        self.screen = screen;
    }

    /// One input: a command, or statements.
    pub fn enter(&mut self, input: &str) -> Reply {
        let input = input.trim();
        if input.is_empty() {
            return Reply::default();
        }
        match input.strip_prefix(':') {
            Some(command) => command::run(self, command),
            None if self.is_plain_command(input) => command::run(self, input.trim_end_matches("()")),
            None => self.ask("input", input, Mode::Line),
        }
    }

    /// `help`, `quit` and `exit`, also with the brackets of other systems, are what every session understands, unless the user
    /// gave them a meaning.
    fn is_plain_command(&self, input: &str) -> bool {
        let word = input.strip_suffix("()").unwrap_or(input);
        ["help", "quit", "exit"].contains(&word) && !self.session.list().iter().any(|item| item.name == word)
    }

    /// Statements: of a line the session grows by all of them or by none. Of several answers each stands under its question.
    pub(crate) fn ask(&mut self, name: &str, text: &str, mode: Mode) -> Reply {
        let echo = mode != Mode::Line || parse(SourceId::default(), text).0.statements.len() > 1;
        let (screen, format, listener) = (self.screen, self.format, self.listener);
        let (mut whole, mut last) = (Reply::default(), None);
        let mut tell = |session: &Session, outcome: Outcome| {
            let reply = reply_to(session, &outcome, screen, format, echo);
            last = outcome.answer.or(last.take());
            match listener {
                Some(listener) => listener(reply),
                None => whole += reply,
            }
        };
        budget::clear_interrupt();
        let session = &mut self.session;
        let fed = catch_unwind(AssertUnwindSafe(|| session.feed_each(name, text, mode, &mut tell)));
        budget::clear_interrupt();
        self.last = last.or(self.last.take());
        whole += match fed {
            Ok(remarks) => self.complaints(&remarks),
            Err(_) => self.complaint(&internal_error().note(":reset begins afresh")),
        };
        whole
    }

    /// Feeds the session; a panic below becomes a reply, and the conversation goes on.
    pub(crate) fn feed(&mut self, name: &str, text: &str, mode: Mode) -> Result<Vec<Outcome>, Reply> {
        budget::clear_interrupt();
        let session = &mut self.session;
        let outcomes = catch_unwind(AssertUnwindSafe(|| session.feed(name, text, mode)));
        budget::clear_interrupt();
        outcomes.map_err(|_| self.complaint(&internal_error().note(":reset begins afresh")))
    }

    /// A diagnostic that points at no text.
    pub(crate) fn complaint(&self, diagnostic: &Diagnostic) -> Reply {
        Reply::talk(renderer(&SourceMap::default(), self.screen, self.format).render(diagnostic))
    }

    /// Diagnostics about the texts of the session.
    pub(crate) fn complaints(&self, diagnostics: &[Diagnostic]) -> Reply {
        Reply::talk(renderer(self.session.sources(), self.screen, self.format).render_all(diagnostics))
    }
}

/// Diagnostics for this screen.
pub(crate) fn renderer(sources: &SourceMap, screen: Screen, format: MessageFormat) -> Renderer<'_> {
    Renderer::new(sources, format, screen.color).fitting(screen.columns)
}

/// What is said of one statement: its answer on one stream, diagnostics on the other.
fn reply_to(session: &Session, outcome: &Outcome, screen: Screen, format: MessageFormat, echo: bool) -> Reply {
    let mut reply = Reply::talk(renderer(session.sources(), screen, format).render_all(&outcome.diagnostics));
    if let Some(answer) = &outcome.answer {
        if echo {
            let question = visible(outcome.statement.trim_end());
            reply.out += &if screen.color { format!("\x1b[1m{question}\x1b[0m\n") } else { format!("{question}\n") };
        }
        reply.out += &match answer.on_screen(screen.for_pictures()) {
            Some(picture) => picture,
            None => coloured(&shortened(&answer_text(answer, screen), screen), screen),
        };
    }
    reply
}

/// An answer for this screen: long lines are broken where a reader would.
pub(crate) fn answer_text(answer: &Answer, screen: Screen) -> String {
    wrapped(&visible(&answer.text(screen.columns)), screen.columns)
}

/// An answer in the colours of its names and verdicts.
pub(crate) fn coloured(text: &str, screen: Screen) -> String {
    if screen.color { with_newline(&answer::painted(text)) } else { with_newline(text) }
}

/// What fits the screen, with the size of the rest and the way to see it.
fn shortened(text: &str, screen: Screen) -> String {
    let columns = screen.columns.max(20);
    let rows = screen.rows.saturating_sub(4).max(8);
    let rows_of = |line: &str| line.chars().count().div_ceil(columns).max(1);
    let total: usize = text.lines().map(rows_of).sum();
    if total <= rows {
        return with_newline(text);
    }
    let mut out = String::new();
    let mut used = 0;
    let mut lines = text.lines();
    for line in lines.by_ref() {
        let left = (rows - used) * columns;
        used += rows_of(line);
        if used > rows {
            if left > 0 {
                out.extend(line.chars().take(left));
                out.push('\n');
            }
            break;
        }
        out += line;
        out.push('\n');
    }
    let size = text.chars().count();
    out + &format!("… shortened: {size} characters in {} lines; `:show` prints all\n", text.lines().count())
}

fn with_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_string() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repl() -> Repl {
        Repl::new(SessionOptions::default(), MessageFormat::Human)
    }

    #[test]
    fn an_empty_line_says_nothing() {
        assert_eq!(repl().enter("   "), Reply::default());
    }

    #[test]
    fn a_long_answer_is_shortened_and_says_its_size() {
        let screen = Screen { columns: 40, rows: 14, color: false };
        let text: String = (0..500).map(|i| format!("line {i}\n")).collect();
        let shown = shortened(&text, screen);
        assert_eq!(shown.lines().count(), 11);
        assert!(shown.contains("in 500 lines") && shown.contains(":show"), "{shown}");
        let one_line = shortened(&"x + ".repeat(10_000), screen);
        assert!(one_line.chars().count() < 600 && one_line.contains("40000 characters"), "{one_line}");
        assert_eq!(shortened("5/6", screen), "5/6\n");
    }

    #[test]
    fn a_refusal_leaves_the_conversation_going() {
        let mut repl = repl();
        let reply = repl.enter("no_such_question(1)");
        assert!(reply.talk.contains("error[E") && reply.out.is_empty() && !reply.quit);
        assert!(repl.enter(":quit").quit);
    }

    #[test]
    fn plain_words_leave_and_help_unless_they_are_declared() {
        let mut repl = repl();
        assert!(repl.enter("help").out.contains(":help"));
        assert!(repl.enter("quit").quit && repl.enter("exit").quit && repl.enter("quit()").quit);
        repl.enter("param quit = 2");
        let reply = repl.enter("quit");
        assert!(!reply.quit && reply.out.contains("quit"), "{reply:?}");
    }

    #[test]
    fn answers_of_a_block_stand_under_their_questions_and_have_colours() {
        let mut repl = repl();
        repl.set_screen(Screen { columns: 60, rows: 40, color: true });
        let block = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nequations(L)\nclassify(L).regular";
        let shown = repl.enter(block).out;
        assert!(shown.contains("\x1b[1mequations(L)\x1b[0m\n"), "{shown:?}");
        assert!(shown.contains("\x1b[38;5;28myes\x1b[0m"), "{shown:?}");
        repl.enter("let run = simulate L { from x = 1; until t = 1 }");
        assert!(!repl.enter("plot run { x }").out.contains("\\u{1b}"));
    }

    #[test]
    fn what_a_file_declares_again_is_replaced() {
        let folder = std::env::temp_dir().join(format!("lepage-load-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("model.mech");
        let load = format!(":load {}", file.display());
        std::fs::write(&file, "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nequations(L).x\n")
            .expect("a file");
        let mut repl = repl();
        assert_eq!(repl.enter(&load).out, "equations(L).x\n-x''\n");
        repl.enter("let E = energy(L)");
        std::fs::write(&file, "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2 - x\nequations(L).x\n")
            .expect("a file");
        let again = repl.enter(&load);
        assert_eq!(again.out, "equations(L).x\n-2*x'' - 1\n");
        assert_eq!(again.talk, "");
        assert_eq!(repl.enter("E").out, "x'^2 + x\n");
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn long_formulas_are_broken_at_operators() {
        let mut repl = repl();
        repl.set_screen(Screen { columns: 40, rows: 40, color: false });
        repl.enter("manifold Y over t { alpha, beta, gamma }");
        let shown = repl.enter("expand((alpha + beta + gamma)^3)").out;
        assert!(shown.lines().count() > 2 && shown.lines().all(|l| l.chars().count() <= 40), "{shown}");
        assert!(shown.lines().skip(1).all(|l| l.starts_with("    ")), "{shown}");
    }
}
