//! Arguments that several subcommands share.

use crate::diagnostic::render::MessageFormat;
use crate::diagnostic::{Diagnostic, codes};
use crate::memory;
use crate::session::SessionOptions;
use crate::session::input;
pub use crate::session::input::{Input, Unreadable};
use crate::source::SourceMap;
use crate::world::Disk;
pub use crate::world::reason;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Let programs write outside the folder of --out, or the working folder
    #[arg(long)]
    pub allow_outside: bool,
    /// The same bits on every machine: use nothing that only this processor has
    #[arg(long)]
    pub portable: bool,
    /// Interpret compiled kernels instead of making machine code
    #[arg(long)]
    pub no_jit: bool,
    /// Stop a statement after so many seconds; else a question has 60, and a run as many as it takes
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Use no more memory than this: bytes, or 500M, 4G; 2G if left out
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Let each question take so many times the usual work
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub effort: Option<u64>,
}

impl Settings {
    /// The options of a session that answers questions.
    pub fn options(&self) -> SessionOptions {
        memory::set_bound(self.memory.unwrap_or(memory::DEFAULT));
        let default = SessionOptions::default();
        SessionOptions {
            set: self.set.clone(),
            out: self.out.clone().unwrap_or_default(),
            allow_outside: self.allow_outside,
            jit: default.jit && !self.no_jit,
            portable: self.portable,
            effort: self.effort.unwrap_or(1),
            ..default
        }
    }
}

/// Programs to read: files, `-`, and text on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Programs {
    /// Programs, or folders of programs; - is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Statements to read after each file, or alone
    #[arg(short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    pub eval: Vec<String>,
}

/// Reads a file of the disk, or standard input for `-`.
pub fn read(path: &Path) -> Result<Input, Unreadable> {
    input::read(&Disk, path)
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
        let program = |file: &PathBuf| {
            let named = |unreadable| Unreadable { program: file.display().to_string(), ..unreadable };
            read(file).map(|input| std::iter::once(input).chain(eval.clone()).collect()).map_err(named)
        };
        let programs = |file: &PathBuf| match file.is_dir().then(|| programs_under(file)) {
            Some(files) if files.is_empty() => vec![Err(no_program_in(file))],
            Some(files) => files.iter().map(program).collect(),
            None => vec![program(file)],
        };
        self.files.iter().flat_map(programs).collect()
    }

    /// Whether a folder of programs was named: then results say whose they are, and are summed up.
    pub fn is_batch(&self) -> bool {
        self.files.iter().any(|file| file.is_dir())
    }
}

fn no_program_in(folder: &Path) -> Unreadable {
    let title = format!("there is no program in the folder `{}`", folder.display());
    let diagnostic =
        Diagnostic::error(&codes::CANNOT_READ, title).help("a program is a file whose name ends in `.mech`");
    Unreadable { program: folder.display().to_string(), diagnostic, sources: SourceMap::default() }
}

/// Every `.mech` file below a folder, sorted; hidden folders and `target` are left out.
pub fn programs_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let hidden = name.to_string_lossy().starts_with('.') || name == "target";
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "mech") => {
                    found.push(path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|n: &f64| *n > 0.0);
    let duration = number.and_then(|n| Duration::try_from_secs_f64(n).ok());
    duration.ok_or_else(|| "write a number of seconds, for instance 10".to_string())
}

/// A size in bytes: `100000`, `500M`, `4G`, `1.5 GiB`; the letters are powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let trimmed = text.trim().trim_end_matches(['B', 'b']).trim_end_matches('i');
    let (number, unit) = match trimmed.char_indices().next_back() {
        Some((at, letter)) if letter.is_ascii_alphabetic() => (&trimmed[..at], letter.to_ascii_uppercase()),
        _ => (trimmed, ' '),
    };
    let power = [' ', 'K', 'M', 'G', 'T'].iter().position(|letter| *letter == unit);
    let number = number.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0);
    let size = power.zip(number).map(|(power, number)| number * 1024f64.powi(power as i32));
    match size.filter(|size| *size < 1e18) {
        Some(size) if size >= SMALLEST => Ok(size as u64),
        Some(_) => Err("at least 16M are needed".to_string()),
        None => Err("write a size, for instance 500M or 4G".to_string()),
    }
}

/// With less nothing can be said about anything.
const SMALLEST: f64 = 16.0 * 1024.0 * 1024.0;

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
    fn an_assignment_has_two_sides_and_time_is_positive() {
        assert_eq!(assignment("m = 2"), Ok(("m".to_string(), "2".to_string())));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!((bytes("500M"), bytes("1.5 GiB"), bytes("20000000")), (Ok(500 << 20), Ok(3 << 29), Ok(20_000_000)));
        assert!(["0", "-1G", "12", "4X", "much", ""].iter().all(|text| bytes(text).is_err()));
        assert!(["0", "-1", "nan", "inf", "1e300", "ten"].iter().all(|text| seconds(text).is_err()));
        assert!(assignment("m").is_err() && assignment("=2").is_err() && assignment("m=").is_err());
    }
}
