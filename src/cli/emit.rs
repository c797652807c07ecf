//! `lepage emit FILE --language c`: the compiled vector field of a system as source text of another
//! language, so that it can leave Lepage.

use super::Exit;
use super::arguments::{Programs, Settings, Talk};
use super::console::Console;
use super::derive::systems;
use super::run::{declare_program, for_each_program, stop_on_ctrl_c};
use crate::diagnostic::{Diagnostic, codes};
use crate::session::{Session, SessionOptions};
use clap::{Args, ValueEnum};

/// What a kernel can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Language {
    C,
    Rust,
    Python,
    Latex,
    /// Cranelift's intermediate representation
    Clif,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Rust => "rust",
            Language::Python => "python",
            Language::Latex => "latex",
            Language::Clif => "clif",
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
    /// The language to write
    #[arg(long, short, value_enum, default_value = "c")]
    pub language: Language,
    /// Only this system; may be given several times
    #[arg(long, short, value_name = "NAME")]
    pub system: Vec<String>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    stop_on_ctrl_c();
    let options = SessionOptions { answer: false, ..arguments.settings.options() };
    let exit = for_each_program(&arguments.programs, &mut console, |program, console| {
        let mut session = Session::new(options.clone());
        let mut exit = declare_program(&mut session, &program, console);
        let systems = if arguments.system.is_empty() { systems(&session) } else { arguments.system.clone() };
        if systems.is_empty() {
            console.complain(&Diagnostic::error(&codes::UNKNOWN_NAME, "the program declares no system"));
            return exit.max(Exit::Findings);
        }
        for system in &systems {
            match session.emit(system, arguments.language.name()) {
                Ok(text) => console.print(&text),
                Err(diagnostics) => {
                    console.report(&diagnostics, session.sources());
                    exit = Exit::Findings;
                }
            }
        }
        exit
    });
    console.finish(exit)
}
