//! The two streams. Answers go to standard output, talk to standard error; a stream that can no
//! longer be written (a full disk) is a diagnostic and not a panic. A reader that has seen enough and goes, such as
//! `head`, ends the program quietly.

use super::Exit;
use super::arguments::{Talk, reason};
use crate::diagnostic::render::{MessageFormat, Renderer, wants_color};
use crate::diagnostic::{Diagnostic, codes};
use crate::report::plot::Screen;
use crate::source::{SourceMap, visible};
use crate::timing;
use std::io::{IsTerminal, Write};

/// Where a subcommand writes.
pub struct Console {
    format: MessageFormat,
    timings: bool,
    /// Files are kept apart, and that they were written is not so.
    is_apart: bool,
    /// The first failure to write an answer; nothing is written after it.
    broken: Option<std::io::Error>,
}

impl Console {
    pub fn new(talk: &Talk) -> Console {
        if talk.timings {
            timing::enable();
        }
        Console { format: talk.message_format, timings: talk.timings, is_apart: false, broken: None }
    }

    /// What programs write is kept apart: no more is said about files.
    pub fn keep_apart(&mut self) {
        self.is_apart = true;
    }

    /// Whether diagnostics are meant for people.
    pub fn is_human(&self) -> bool {
        self.format == MessageFormat::Human
    }

    /// Whether answers still reach anybody.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Writes an answer to standard output; nothing in it steers the terminal.
    pub fn print(&mut self, text: &str) {
        self.write(&visible(text));
    }

    /// Writes a text to standard output as it is.
    pub fn write(&mut self, text: &str) {
        if self.broken.is_none() {
            let mut stdout = std::io::stdout().lock();
            self.broken = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).err();
        }
    }

    /// Says something on standard error.
    pub fn say(&mut self, text: &str) {
        // When even this stream is gone there is nobody left to tell.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Shows diagnostics about texts of `sources`.
    pub fn report<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>, sources: &SourceMap) {
        let is_so = |d: &&Diagnostic| !(self.is_apart && d.code.number == codes::WRITTEN.number);
        let mut diagnostics = diagnostics.into_iter().filter(is_so).peekable();
        if diagnostics.peek().is_none() {
            return;
        }
        let variable = |name: &str| std::env::var(name).ok();
        let color = self.format == MessageFormat::Human && wants_color(std::io::stderr().is_terminal(), variable);
        let renderer = Renderer::new(sources, self.format, color);
        let mut renderer = match terminal_columns() {
            Some(columns) => renderer.fitting(columns),
            None => renderer,
        };
        let text = timing::stage("print", || renderer.render_all(diagnostics));
        self.say(&text);
    }

    /// Shows a diagnostic that points at no text.
    pub fn complain(&mut self, diagnostic: &Diagnostic) {
        self.report([diagnostic], &SourceMap::default());
    }

    /// The last word: a stream that broke, the timings, and the exit code.
    pub fn finish(mut self, exit: Exit) -> Exit {
        let exit = match self.broken.take() {
            // A reader that has seen enough, such as `head`.
            Some(error) if error.kind() == std::io::ErrorKind::BrokenPipe => exit,
            Some(error) => {
                let diagnostic = Diagnostic::error(&codes::CANNOT_WRITE, "the output cannot be written");
                self.complain(&diagnostic.note(reason(&error)));
                Exit::Failure
            }
            None => exit,
        };
        if self.timings {
            self.say(&format!("{}\n", timing::report()));
        }
        exit
    }
}

/// The terminal to which answers go, if they go to one.
pub fn screen() -> Option<Screen> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let variable = |name: &str| std::env::var(name).ok();
    let number = |name: &str| variable(name).and_then(|n| n.parse::<usize>().ok());
    let (columns, rows) = size().unwrap_or((80, 24));
    let columns = number("COLUMNS").unwrap_or(columns).clamp(24, 1000);
    let rows = number("LINES").unwrap_or(rows).clamp(8, 1000);
    Some(Screen { columns, rows, color: wants_color(true, variable) })
}

/// The width of the terminal to which diagnostics go, if they go to one.
fn terminal_columns() -> Option<usize> {
    let stderr = std::io::stderr();
    if stderr.is_terminal() { size_of(stderr).map(|(columns, _)| columns) } else { None }
}

fn size() -> Option<(usize, usize)> {
    size_of(std::io::stdout())
}

#[cfg(unix)]
fn size_of(terminal: impl std::os::fd::AsFd) -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col.into(), size.ws_row.into()))
}

#[cfg(not(unix))]
fn size_of<T>(_: T) -> Option<(usize, usize)> {
    None
}

/// The width for answers: `COLUMNS`, or what fits a page.
pub fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c >= 20).unwrap_or(100)
}
