//! `lepage derive FILE`: the equations of motion of every system in the program (or of the named
//! ones), as text, LaTeX or JSON. The program's own questions are not answered.

use super::Exit;
use super::arguments::{Format, Input};
use super::reading::{Reading, feed_program};
use super::run::show;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Only this system; may be given several times
    #[arg(long, short, value_name = "NAME")]
    pub system: Vec<String>,
    /// How equations are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(arguments: Arguments) -> Exit {
    arguments.reading.each_system(&arguments.system, |session, system, console| {
        let question = Input { name: "derive".to_string(), text: format!("equations({system})") };
        feed_program(session, &[question], console, |outcome, _, console| {
            let equations = outcome.answer.as_ref().and_then(|answer| answer.equations_latex());
            match (arguments.format, equations) {
                (Format::Latex, Some(equations)) => console.print(&format!("% {system}\n{equations}\n")),
                (format, _) => console.print(&show(outcome, format, true)),
            }
        })
    })
}
