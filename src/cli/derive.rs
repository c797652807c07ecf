//! `lepage derive FILE`: the equations of motion of every system in the program (or of the named
//! ones), as text, LaTeX or JSON. The program's own questions are not answered.

use super::Exit;
use super::arguments::{Format, Input, Programs, Settings, Talk};
use super::console::Console;
use super::run::{declare_program, feed_program, for_each_program, show, stop_on_ctrl_c};
use crate::diagnostic::{Diagnostic, codes};
use crate::session::{Session, SessionOptions};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
    /// Only this system; may be given several times
    #[arg(long, short, value_name = "NAME")]
    pub system: Vec<String>,
    /// How equations are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
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
        let exit = declare_program(&mut session, &program, console);
        let systems = if arguments.system.is_empty() { systems(&session) } else { arguments.system.clone() };
        if systems.is_empty() {
            let name = program.first().map_or("the program", |input| input.name.as_str());
            console.complain(
                &Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` declares no system"))
                    .help("declare one: system S = L, or lagrangian L on J1(Y) = …"),
            );
            return exit.max(Exit::Findings);
        }
        session.set_answer(true);
        let questions: Vec<Input> = systems
            .iter()
            .map(|name| Input { name: "derive".to_string(), text: format!("equations({name})") })
            .collect();
        exit.max(feed_program(&mut session, &questions, console, |outcome, _, console| {
            console.print(&show(outcome, arguments.format, true));
        }))
    });
    console.finish(exit)
}

/// The declared systems; a program without any means its Lagrangians and equations.
pub fn systems(session: &Session) -> Vec<String> {
    let names = |kinds: &[&str]| {
        let of_kind = |t: &str| kinds.iter().any(|k| t.split([' ', ':']).next() == Some(*k));
        session.list().into_iter().filter(|n| of_kind(&n.type_name)).map(|n| n.name).collect::<Vec<_>>()
    };
    let systems = names(&["system", "mixed"]);
    if systems.is_empty() { names(&["lagrangian", "equations"]) } else { systems }
}
