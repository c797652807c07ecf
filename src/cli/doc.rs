//! `lepage doc FILE…`: what a program declares, with its `///` documentation. `lepage doc NAME`: the
//! documentation of a built-in question.

use super::Exit;
use super::arguments::{Settings, Talk, read};
use super::console::Console;
use super::run::declare_program;
use crate::diagnostic::{Diagnostic, codes};
use crate::session::{Session, SessionOptions};
use clap::Args;
use std::fmt::Write;
use std::path::Path;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Programs (- is standard input), or names of questions
    #[arg(value_name = "FILE|NAME", required = true)]
    pub what: Vec<String>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    let mut exit = Exit::Held;
    let options = SessionOptions { answer: false, ..arguments.settings.options() };
    for what in &arguments.what {
        let mut session = Session::new(options.clone());
        let is_file = what == "-" || what.ends_with(".mech") || Path::new(what).exists();
        exit = exit.max(if is_file {
            document(what, &mut session, &mut console)
        } else {
            name(what, &session, &mut console)
        });
    }
    console.finish(exit)
}

fn name(name: &str, session: &Session, console: &mut Console) -> Exit {
    match session.doc(name) {
        Some(text) => {
            console.print(&format!("{}\n", text.trim_end()));
            Exit::Held
        }
        None => {
            console.complain(&Diagnostic::error(
                &codes::UNKNOWN_NAME,
                format!("`{name}` is neither a program nor a question"),
            ));
            Exit::Failure
        }
    }
}

/// One section per declared name.
fn document(file: &str, session: &mut Session, console: &mut Console) -> Exit {
    let input = match read(Path::new(file)) {
        Ok(input) => input,
        Err(unreadable) => {
            console.report([&unreadable.diagnostic], &unreadable.sources);
            return Exit::Failure;
        }
    };
    let exit = declare_program(session, &[input], console);
    let mut out = format!("# {file}\n");
    for item in session.list() {
        let _ = write!(out, "\n## {}\n\n{}\n", item.name, item.type_name);
        // A name without documentation only repeats its type.
        let repeated = format!("{}: {}", item.name, item.type_name);
        if let Some(text) = session.doc(&item.name).filter(|text| *text != repeated) {
            let _ = write!(out, "\n{}\n", text.trim_end());
        }
    }
    console.print(&out);
    exit
}
