//! `lepage doc FILE…`: what a program declares, with its `///` documentation. `lepage doc std.springs`:
//! the same of a file of the standard library. `lepage doc NAME`: the documentation of a built-in
//! question. `lepage doc` alone lists the library and the questions, `lepage doc reference` is the whole reference.

use super::Exit;
use super::arguments::{Input, Settings, Talk, read};
use super::console::{Console, width};
use super::reading::declare_program;
use crate::diagnostic::render::folded;
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::questions;
use crate::session::topics;
use crate::session::{Session, SessionOptions, library};
use clap::Args;
use std::fmt::Write;
use std::path::Path;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Programs (- is standard input), libraries such as std.springs, names of questions and words, or lists such as methods; without any, what there is
    #[arg(value_name = "FILE|NAME")]
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
    if arguments.what.is_empty() {
        console.print(&contents(width()));
    }
    for what in &arguments.what {
        if let Some(topic) = topics::find(what).filter(|_| !Path::new(what).exists()) {
            console.print(&topic.text(width()));
            continue;
        }
        if what == "reference" {
            console.print(&super::reference::page(|_| None));
            continue;
        }
        let mut session = Session::new(options.clone());
        let is_file = what == "-" || what.ends_with(".mech") || Path::new(what).exists();
        let library = what.strip_prefix("std.").and_then(|name| library::FILES.iter().find(|(n, _)| *n == name));
        exit = exit.max(if let Some((_, text)) = library {
            document(
                Input { name: what.clone(), text: text.to_string() },
                library::preface(text),
                &mut session,
                &mut console,
            )
        } else if is_file {
            match read(Path::new(what)) {
                Ok(input) => document(input, String::new(), &mut session, &mut console),
                Err(unreadable) => {
                    console.report([&unreadable.diagnostic], &unreadable.sources);
                    Exit::Failure
                }
            }
        } else {
            name(what, &session, &mut console)
        });
    }
    console.finish(exit)
}

/// What there is documentation of, without a name.
fn contents(columns: usize) -> String {
    let list = |name: &str| topics::find(name).map_or(String::new(), |topic| topic.text(columns));
    let others: Vec<String> = topics::TOPICS.iter().map(|t| format!("`lepage doc {}`", t.name)).collect();
    format!(
        "The library, file by file (`lepage doc std.springs` shows one):\n\n{}\nThe questions, by subject (`lepage doc \
         classify` explains one):\n\n{}\n{}\n",
        list("library"),
        list("questions"),
        folded(&format!("Lists: {}; `lepage doc reference` is everything.", others.join(", ")), columns).join("\n"),
    )
}

fn name(name: &str, session: &Session, console: &mut Console) -> Exit {
    match session.doc(name) {
        Some(text) => {
            console.print(&format!("{}\n", text.trim_end()));
            Exit::Held
        }
        None => {
            let title = format!("`{name}` is neither a program nor a library nor a question");
            let mut known: Vec<String> = library::FILES.iter().map(|(n, _)| format!("std.{n}")).collect();
            known.extend(questions::names().map(String::from));
            let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_NAME, title);
            if let Some(near) = suggest::nearest(name, known.iter().map(String::as_str)) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
            console.complain(&diagnostic);
            Exit::Failure
        }
    }
}

/// What the file says of itself, and one section per declared name.
fn document(input: Input, preface: String, session: &mut Session, console: &mut Console) -> Exit {
    let mut out = format!("# {}\n", input.name);
    if !preface.is_empty() {
        let _ = write!(out, "\n{preface}\n");
    }
    let exit = declare_program(session, &[input], console);
    for item in session.list() {
        let _ = write!(out, "\n## {}\n\n{}\n", item.name, item.type_name);
        if let Some(text) = session.written_doc(&item.name) {
            let _ = write!(out, "\n{}\n", text.trim_end());
        }
    }
    console.print(&out);
    exit
}
