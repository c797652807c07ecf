//! Arguments that several subcommands share.

use crate::diagnostic::render::MessageFormat;
use crate::diagnostic::{Diagnostic, codes};
use crate::session::SessionOptions;
use crate::session::file::nearby;
pub use crate::session::file::reason;
use clap::{Args, ValueEnum};
use std::io::Read;
use std::path::PathBuf;

/// How answers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One object per statement (docs/json.md).
    Json,
    /// Formulas to paste into a paper.
    Latex,
}

impl ValueEnum for MessageFormat {
    fn value_variants<'a>() -> &'a [MessageFormat] {
        &[MessageFormat::Human, MessageFormat::Short, MessageFormat::Json]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        use clap::builder::PossibleValue;
        Some(match self {
            MessageFormat::Human => PossibleValue::new("human").help("With the source and labels"),
            MessageFormat::Short => {
                PossibleValue::new("short").help("One line each: file:line:column: error[code]: title")
            }
            MessageFormat::Json => PossibleValue::new("json").help("One object per line"),
        })
    }
}

/// How lepage talks on standard error.
#[derive(Args, Clone, Debug, Default)]
pub struct Talk {
    /// How diagnostics are written: human, short or json
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT", hide_possible_values = true)]
    pub message_format: MessageFormat,
    /// Write processor time and node counts of every stage to standard error, as JSON
    #[arg(long)]
    pub timings: bool,
}

/// What a session is told.
#[derive(Args, Clone, Debug, Default)]
pub struct Settings {
    /// Give a parameter a value, over the declared one: --set m=2
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Put saved tables and plots into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The same bits on every machine: use nothing that only this processor has
    #[arg(long)]
    pub portable: bool,
    /// Interpret compiled kernels instead of making machine code
    #[arg(long)]
    pub no_jit: bool,
}

impl Settings {
    /// The options of a session that answers questions.
    pub fn options(&self) -> SessionOptions {
        let default = SessionOptions::default();
        SessionOptions {
            set: self.set.clone(),
            out: self.out.clone().unwrap_or_default(),
            jit: default.jit && !self.no_jit,
            portable: self.portable,
            ..default
        }
    }
}

/// Programs to read: files, `-`, and text on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Programs {
    /// Programs; - is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Statements to read after each file, or alone
    #[arg(short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    pub eval: Vec<String>,
}

/// One text to feed to a session.
#[derive(Clone, Debug)]
pub struct Input {
    /// As shown in diagnostics.
    pub name: String,
    pub text: String,
}

/// A program: what one session reads, in order.
pub type Program = Vec<Input>;

impl Programs {
    /// The `-e` text as an input of its own, if there is any.
    pub fn eval_input(&self) -> Option<Input> {
        (!self.eval.is_empty()).then(|| Input { name: "-e".to_string(), text: self.eval.join("\n") })
    }

    /// One program per file, each followed by the `-e` text, or the `-e` text alone. What cannot be
    /// read is a diagnostic in its place.
    pub fn read(&self) -> Vec<Result<Program, Unreadable>> {
        let eval = self.eval_input();
        if self.files.is_empty() {
            return eval.map(|input| Ok(vec![input])).into_iter().collect();
        }
        let program = |file: &PathBuf| read(file).map(|input| std::iter::once(input).chain(eval.clone()).collect());
        self.files.iter().map(program).collect()
    }
}

/// Why a file could not become a text, with what can be shown of it.
#[derive(Clone, Debug)]
pub struct Unreadable {
    pub diagnostic: Diagnostic,
    pub sources: crate::source::SourceMap,
}

impl From<Diagnostic> for Unreadable {
    fn from(diagnostic: Diagnostic) -> Unreadable {
        Unreadable { diagnostic, sources: Default::default() }
    }
}

/// Reads a file, or standard input for `-`.
pub fn read(path: &std::path::Path) -> Result<Input, Unreadable> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin { "<stdin>".to_string() } else { path.to_string_lossy().into_owned() };
    let bytes = if stdin { read_stdin() } else { std::fs::read(path) };
    let bytes = bytes.map_err(|error| {
        let mut diagnostic =
            Diagnostic::error(&codes::CANNOT_READ, format!("`{name}` cannot be read")).note(reason(&error));
        if let Some(near) = nearby(path).filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
            diagnostic = diagnostic.help(format!("did you mean `{}`?", path.with_file_name(near).display()));
        }
        diagnostic
    })?;
    Ok(Input { text: decode(&name, bytes)?, name })
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// UTF-8 text from bytes; a byte order mark at the beginning is dropped.
fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Unreadable> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Diagnostic::error(&codes::CANNOT_READ, format!("`{name}` is larger than 4 GB")).into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            // The text up to the end of the line, as far as it can be shown.
            let line_end =
                error.as_bytes()[at..].iter().position(|b| *b == b'\n').map_or(error.as_bytes().len(), |i| at + i);
            let mut sources = crate::source::SourceMap::default();
            let id = sources.add(name, String::from_utf8_lossy(&error.as_bytes()[..line_end]).into_owned());
            let diagnostic = Diagnostic::error(&codes::NOT_TEXT, format!("`{name}` is not UTF-8 text"))
                .label(
                    crate::source::Span::new(id, at, at + '\u{fffd}'.len_utf8()),
                    format!("the byte 0x{byte:02x} is no letter here"),
                )
                .note(format!("this is byte {} of the file", at + 1))
                .help("save the file as UTF-8");
            Err(Unreadable { diagnostic, sources })
        }
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("write NAME=VALUE, for instance m=2".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_has_two_sides() {
        assert_eq!(assignment("m = 2"), Ok(("m".to_string(), "2".to_string())));
        assert!(assignment("m").is_err() && assignment("=2").is_err() && assignment("m=").is_err());
    }

    #[test]
    fn a_byte_that_is_no_text_is_shown_in_its_line() {
        let unreadable = decode("a.mech", b"let a = 1\nlet b\xff = 2\n".to_vec()).unwrap_err();
        let label = &unreadable.diagnostic.labels[0];
        assert_eq!(unreadable.sources.get(label.span.source).line_column(label.span.start as usize), (2, 6));
    }

    #[test]
    fn a_byte_order_mark_is_no_letter() {
        assert_eq!(decode("a.mech", "\u{feff}let".as_bytes().to_vec()).unwrap(), "let");
    }
}
