//! `lepage` alone, or `lepage repl [FILE…]`: the interactive session. When standard input is not a
//! terminal its text is run like a file, and `-e` alone is a shorthand for `lepage run -e`.

#[cfg(feature = "repl")]
use super::arguments::reason;
use super::arguments::{Format, Programs, Settings, Talk};
use super::console::Console;
use super::reading::Reading;
use super::{Exit, run};
use crate::diagnostic::Diagnostic;
#[cfg(feature = "repl")]
use crate::diagnostic::codes;
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
    let Arguments { mut files, options } = arguments;
    if options.eval.is_empty() && std::io::stdin().is_terminal() {
        return converse(&files, options);
    }
    if options.eval.is_empty() {
        files.push("-".into());
    }
    let Options { eval, format, settings, talk, .. } = options;
    let reading = Reading { programs: Programs { files, eval }, settings, talk };
    run::run(run::Arguments { format, reading })
}

#[cfg(feature = "repl")]
fn converse(files: &[PathBuf], options: Options) -> Exit {
    use crate::repl::{Repl, editor};
    let mut console = Console::new(&options.talk);
    // Ctrl-C stops what is being computed; the conversation goes on.
    let _ = ctrlc::set_handler(crate::budget::interrupt);
    super::clock::watch(options.settings.time);
    let mut repl = Repl::new(options.settings.options(), options.talk.message_format);
    console.say(&format!("lepage {}; `:help` helps, Ctrl-D leaves\n", env!("CARGO_PKG_VERSION")));
    repl.tell(editor::print);
    if let Some(screen) = super::console::screen() {
        repl.set_screen(screen);
    }
    for file in files {
        let reply = repl.enter(&format!(":load {}", file.display()));
        editor::print(reply);
    }
    let history = if options.no_history { None } else { editor::history_file() };
    let exit = match editor::talk(&mut repl, history) {
        Ok(()) => Exit::Held,
        Err(error) => {
            console
                .complain(&Diagnostic::error(&codes::CANNOT_READ, "the terminal cannot be used").note(reason(&error)));
            Exit::Failure
        }
    };
    console.finish(exit)
}

#[cfg(not(feature = "repl"))]
fn converse(_: &[PathBuf], options: Options) -> Exit {
    let mut console = Console::new(&options.talk);
    let missing = Diagnostic::missing_feature("this build has no interactive session", "repl");
    console.complain(&missing.help("or run a file: lepage run FILE"));
    console.finish(Exit::Failure)
}
