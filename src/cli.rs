//! The command line: `lepage` alone is the REPL, everything else is a row of [`SUBCOMMANDS`].
//!
//! Data goes to standard output and talk to standard error. The exit code is 0 when everything held,
//! 1 when there are findings (a refusal, a failed assertion, a file that `fmt --check` would change),
//! 2 when the command was not understood, a file could not be read or written, or Lepage itself made
//! a mistake, 130 when Ctrl-C was pressed, whatever had been shown by then. A panic anywhere below is caught here and becomes
//! the diagnostic `internal`.
//!
//! Starting must be cheap (a one-line file costs its own work and little else), so only the clap
//! command of the subcommand that was named is built; the whole tree is built for `--help`,
//! completions and the manual page.

mod allocator;
pub(crate) mod arguments;
mod clock;
mod console;

mod check;
mod completions;
mod derive;
mod doc;
mod emit;
pub(crate) mod explain;
mod fmt;
mod lsp;
mod man;
mod new;
mod reading;
pub(crate) mod reference;
mod repl;
mod report;
mod run;
mod sweep;
mod test;
mod version;

use crate::diagnostic::internal::{internal_error, remember_panics};
use crate::diagnostic::render::MessageFormat;
pub use allocator::Counted;
use arguments::Talk;
use clap::{ArgMatches, Args, FromArgMatches};
pub use console::Console;
use std::ffi::OsString;

/// What the exit code says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    Held = 0,
    Findings = 1,
    Failure = 2,
    /// As shells say of what Ctrl-C ended.
    Interrupted = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}

/// One subcommand: its name, one line of help, its arguments, and the function that does it.
pub struct Subcommand {
    pub name: &'static str,
    pub about: &'static str,
    /// How it is used, at the end of its `--help`.
    pub example: &'static str,
    arguments: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches) -> Result<Exit, clap::Error>,
}

/// A row whose arguments are parsed into the `Arguments` of the subcommand's own module.
macro_rules! row {
    ($name:literal, $module:ident, $about:literal, $example:literal) => {
        Subcommand {
            name: $name,
            about: $about,
            example: $example,
            arguments: <$module::Arguments as Args>::augment_args,
            run: |matches| Ok($module::run($module::Arguments::from_arg_matches(matches)?)),
        }
    };
}

/// Every subcommand, in the order in which `--help` lists them.
pub static SUBCOMMANDS: &[Subcommand] = &[
    row!(
        "run",
        run,
        "Run programs: check them, answer their questions, make their runs",
        "lepage run swing.mech --set m=2"
    ),
    row!(
        "check",
        check,
        "Check programs without answering questions or running anything",
        "lepage check swing.mech parts"
    ),
    row!("test", test, "Run the assertions and tests of programs, and count them", "lepage test swing.mech"),
    row!("fmt", fmt, "Lay programs out in the one style", "lepage fmt --check ."),
    row!(
        "derive",
        derive,
        "Print the equations of motion of the systems in a program",
        "lepage derive swing.mech --format latex"
    ),
    row!(
        "emit",
        emit,
        "Print the compiled vector field as C, Rust, Python, Julia, LaTeX, Typst or Cranelift IR",
        "lepage emit swing.mech --language c"
    ),
    row!(
        "sweep",
        sweep,
        "Run the sweeps of a program over their parameter ranges",
        "lepage sweep swing.mech --out tables"
    ),
    row!(
        "report",
        report,
        "Write a page about a program: derivation, answers, pictures and numbers",
        "lepage report swing.mech --out swing.html"
    ),
    row!("doc", doc, "Show the documentation of a program, or of a built-in question", "lepage doc std.springs"),
    row!(
        "explain",
        explain,
        "Explain a diagnostic code, with a failing program and its repair",
        "lepage explain E0312"
    ),
    row!("new", new, "Begin a program in a new folder", "lepage new swing"),
    row!(
        "completions",
        completions,
        "Print completions for a shell",
        "lepage completions bash > ~/.local/share/bash-completion/completions/lepage"
    ),
    row!("man", man, "Print the manual page", "lepage man | man -l -"),
    row!(
        "lsp",
        lsp,
        "Answer an editor in the Language Server Protocol, over standard input and output",
        "in an editor: the command of the language server is `lepage lsp`"
    ),
    row!("repl", repl, "Ask questions interactively (also: lepage alone)", "lepage repl swing.mech"),
];

/// The whole command, for `--help`, completions and the manual page.
pub fn command() -> clap::Command {
    root().subcommands(SUBCOMMANDS.iter().map(Subcommand::command))
}

/// What `lepage` understands before or without a subcommand.
fn root() -> clap::Command {
    let command = clap::Command::new("lepage").disable_version_flag(true);
    version::Arguments::augment_args(repl::Options::augment_args(command))
        .about("A language, compiler and REPL for geometric mechanics")
        .long_about(None)
        .override_usage("lepage [OPTIONS]\n       lepage <COMMAND> [OPTIONS] [FILE]…")
        .after_help(
            "Exit code: 0 everything held, 1 there are findings, 2 usage or internal error, 130 interrupted.\n\n\
             Example: lepage run examples/pendulum.mech",
        )
}

impl Subcommand {
    fn command(&self) -> clap::Command {
        // After the arguments, whose own comments would stand in for it.
        let command = (self.arguments)(clap::Command::new(self.name)).about(self.about).long_about(None);
        command.after_help(format!("Example: {}", self.example))
    }
}

/// Runs the command line; `argv` begins with the name of the program.
pub fn main(argv: impl IntoIterator<Item = OsString>) -> Exit {
    let argv: Vec<OsString> = argv.into_iter().collect();
    remember_panics();
    let result = std::panic::catch_unwind(|| dispatch(&argv));
    match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(usage)) => {
            let exit = if usage.use_stderr() { Exit::Failure } else { Exit::Held };
            match usage.print() {
                Ok(()) => exit,
                Err(_) => Exit::Failure,
            }
        }
        Err(_) => {
            Console::new(&Talk { message_format: message_format(&argv), ..Talk::default() })
                .complain(&internal_error());
            Exit::Failure
        }
    }
}

fn dispatch(argv: &[OsString]) -> Result<Exit, clap::Error> {
    let named = argv.get(1).and_then(|a| a.to_str()).and_then(|a| SUBCOMMANDS.iter().find(|s| s.name == a));
    if let Some(subcommand) = named {
        let command = subcommand.command().bin_name(format!("lepage {}", subcommand.name));
        return (subcommand.run)(&command.try_get_matches_from(&argv[1..])?);
    }
    let matches = command().try_get_matches_from(argv)?;
    // Options before a subcommand are its own.
    if let Some((name, _)) = matches.subcommand()
        && let Some(place) = subcommand_place(argv, name)
    {
        let mut sorted = argv.to_vec();
        sorted[1..=place].rotate_right(1);
        return dispatch(&sorted);
    }
    let version = version::Arguments::from_arg_matches(&matches)?;
    if version.version {
        return Ok(version::run(version));
    }
    let options = repl::Options::from_arg_matches(&matches)?;
    Ok(repl::run(repl::Arguments { files: vec![], options }))
}

/// Where the subcommand stands; its name may also be the value of an option.
fn subcommand_place(argv: &[OsString], name: &str) -> Option<usize> {
    let is_value = |i: usize| argv[i - 1].to_str().is_some_and(|a| a.starts_with("--") && !a.contains('='));
    (2..argv.len()).find(|i| argv[*i] == *name && !is_value(*i)).or_else(|| (2..argv.len()).find(|i| argv[*i] == *name))
}

/// The format asked for, also when the arguments could not be parsed.
fn message_format(argv: &[OsString]) -> MessageFormat {
    let argv: Vec<&str> = argv.iter().filter_map(|a| a.to_str()).collect();
    let named = argv.iter().find_map(|a| a.strip_prefix("--message-format="));
    let after = argv.iter().position(|a| *a == "--message-format").and_then(|i| argv.get(i + 1).copied());
    match named.or(after) {
        Some("json") => MessageFormat::Json,
        Some("short") => MessageFormat::Short,
        _ => MessageFormat::Human,
    }
}
