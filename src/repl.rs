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
use crate::source::{SourceMap, visible};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the session says to one input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// Answers, for standard output; in them nothing steers the terminal but the colours of pictures.
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

/// A session and what the conversation needs beside it.
pub struct Repl {
    pub(crate) session: Session,
    pub(crate) screen: Screen,
    format: MessageFormat,
    /// For `:show` and `:latex` without an argument.
    pub(crate) last: Option<Answer>,
}

impl Repl {
    pub fn new(options: SessionOptions, format: MessageFormat) -> Repl {
        Repl {
            session: Session::new(options),
            screen: Screen { columns: 100, rows: 40, color: false },
            format,
            last: None,
        }
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
        let mut reply = match input.strip_prefix(':') {
            Some(command) => command::run(self, command),
            None if self.is_plain_command(input) => command::run(self, input),
            None => return self.ask(input),
        };
        reply.out = visible(&reply.out).into_owned();
        reply
    }

    /// `help`, `quit` and `exit` are what every session understands, unless the user gave them a meaning.
    fn is_plain_command(&self, input: &str) -> bool {
        ["help", "quit", "exit"].contains(&input) && !self.session.list().iter().any(|item| item.name == input)
    }

    /// Statements: the session grows by all of them or by none.
    fn ask(&mut self, input: &str) -> Reply {
        match self.feed("input", input, Mode::Line) {
            Ok(outcomes) => self.reply(&outcomes),
            Err(reply) => reply,
        }
    }

    /// Feeds the session; a panic below becomes a reply, and the conversation goes on.
    pub(crate) fn feed(&mut self, name: &str, text: &str, mode: Mode) -> Result<Vec<Outcome>, Reply> {
        budget::clear_interrupt();
        let session = &mut self.session;
        let outcomes = catch_unwind(AssertUnwindSafe(|| session.feed(name, text, mode)));
        budget::clear_interrupt();
        let outcomes = outcomes.map_err(|_| self.complaint(&internal_error().note(":reset begins afresh")))?;
        if let Some(answer) = outcomes.iter().rev().find_map(|o| o.answer.as_ref()) {
            self.last = Some(answer.clone());
        }
        Ok(outcomes)
    }

    /// Answers on one stream, diagnostics on the other.
    pub(crate) fn reply(&self, outcomes: &[Outcome]) -> Reply {
        let mut renderer = Renderer::new(self.session.sources(), self.format, self.screen.color);
        let mut reply = Reply::default();
        // Of several answers each stands under its question.
        let several = outcomes.iter().filter(|o| o.answer.is_some()).count() > 1;
        for outcome in outcomes {
            if let Some(answer) = &outcome.answer {
                if several {
                    reply.out += &format!("{}\n", visible(outcome.statement.trim_end()));
                }
                // Pictures have colours, and nothing else steers the terminal.
                reply.out += &match answer.on_screen(self.screen.for_pictures()) {
                    Some(picture) => picture,
                    None => visible(&self.shortened(&self.answer_text(answer))).into_owned(),
                };
            }
            reply.talk += &renderer.render_all(&outcome.diagnostics);
        }
        reply
    }

    /// An answer for this screen: long lines are broken where a reader would.
    pub(crate) fn answer_text(&self, answer: &Answer) -> String {
        wrapped(&answer.text(self.screen.columns), self.screen.columns)
    }

    /// A diagnostic that points at no text.
    pub(crate) fn complaint(&self, diagnostic: &Diagnostic) -> Reply {
        Reply::talk(Renderer::new(&SourceMap::default(), self.format, self.screen.color).render(diagnostic))
    }

    /// Diagnostics about the texts of the session.
    pub(crate) fn complaints(&self, diagnostics: &[Diagnostic]) -> Reply {
        let sources = self.session.sources();
        Reply::talk(Renderer::new(sources, self.format, self.screen.color).render_all(diagnostics))
    }

    /// What fits the screen, with the size of the rest and the way to see it.
    fn shortened(&self, text: &str) -> String {
        let columns = self.screen.columns.max(20);
        let rows = self.screen.rows.saturating_sub(4).max(8);
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
        let mut repl = repl();
        repl.set_screen(Screen { columns: 40, rows: 14, color: false });
        let text: String = (0..500).map(|i| format!("line {i}\n")).collect();
        let shown = repl.shortened(&text);
        assert_eq!(shown.lines().count(), 11);
        assert!(shown.contains("in 500 lines") && shown.contains(":show"), "{shown}");
        let one_line = repl.shortened(&"x + ".repeat(10_000));
        assert!(one_line.chars().count() < 600 && one_line.contains("40000 characters"), "{one_line}");
        assert_eq!(repl.shortened("5/6"), "5/6\n");
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
        assert!(repl.enter("quit").quit && repl.enter("exit").quit);
        repl.enter("param quit = 2");
        let reply = repl.enter("quit");
        assert!(!reply.quit && reply.out.contains("quit"), "{reply:?}");
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
