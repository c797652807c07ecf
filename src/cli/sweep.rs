//! `lepage sweep FILE`: runs a program for its sweeps, on as many threads as wanted. The tables go
//! where the program says (`… } to "reach.csv"`), relative to `--out`.

use super::Exit;
use super::arguments::{Format, Programs, Settings, Talk};
use super::console::Console;
use super::run::{for_each_program, run_program, show, stop_on_ctrl_c};
use crate::diagnostic::{Diagnostic, codes};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
    /// How many runs at the same time; as many as the machine has cores if left out
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// How answers are written: text, json or latex
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
    if let Some(jobs) = arguments.jobs {
        // Fails only if the pool exists already, and nothing has run before this line.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    }
    let options = arguments.settings.options();
    let exit = for_each_program(&arguments.programs, &mut console, |program, console| {
        let name = program.first().map_or(String::new(), |input| input.name.clone());
        let mut sweeps = 0;
        let exit = run_program(program, options.clone(), console, |outcome, _, console| {
            if is_sweep(&outcome.statement) {
                sweeps += 1;
                console.print(&show(outcome, arguments.format, true));
            }
        });
        if sweeps == 0 {
            console.complain(
                &Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` contains no sweep"))
                    .help("write one: sweep S over m in [1, 2, 4] { until t = 20; collect … } to \"table.csv\""),
            );
            return exit.max(Exit::Findings);
        }
        exit
    });
    console.finish(exit)
}

/// `sweep S over …`, also behind `let reach =`.
fn is_sweep(statement: &str) -> bool {
    let value = match statement.strip_prefix("let ") {
        Some(rest) => rest.split_once('=').map_or("", |(_, value)| value.trim_start()),
        None => statement,
    };
    value.strip_prefix("sweep").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::is_sweep;

    #[test]
    fn a_sweep_is_a_statement_or_a_value() {
        assert!(is_sweep("sweep disk over m in [1, 2] { }") && is_sweep("let r = sweep disk over m in [1] {}"));
        assert!(!is_sweep("let sweep = 1") && !is_sweep("sweep(1)"));
    }
}
