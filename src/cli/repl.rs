//! `lepage` alone, or `lepage repl [FILE…]`: the interactive session. When standard input is not a
//! terminal its text is run like a file, and `-e` alone is a shorthand for `lepage run -e`.

use super::arguments::{Format, Programs, Settings, Talk};
use super::{Exit, run};
use clap::Args;
use std::io::IsTerminal;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Programs to read before the first prompt
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub options: Options,
}

/// What `lepage` alone understands too.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Read these statements instead of asking for some
    #[arg(short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    pub eval: Vec<String>,
    /// How answers are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    /// Neither read nor write the history
    #[arg(long)]
    pub no_history: bool,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let Arguments { mut files, options: Options { eval, format, settings, talk, .. } } = arguments;
    if eval.is_empty() && std::io::stdin().is_terminal() {
        return Exit::Held;
    }
    if eval.is_empty() {
        files.push("-".into());
    }
    run::run(run::Arguments { programs: Programs { files, eval }, format, settings, talk })
}
