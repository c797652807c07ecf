//! `lepage sweep FILE`: runs a program for its sweeps, on as many threads as wanted. The tables go
//! where the program says (`… } to "reach.csv"`), relative to `--out`.

use super::Exit;
use super::arguments::Format;
use super::reading::{Purpose, Reading, feed_program};
use super::run::show;
use crate::diagnostic::{Diagnostic, codes};
use crate::session::StatementWord;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// How many runs at the same time; as many as the machine has cores if left out
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// How answers are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(arguments: Arguments) -> Exit {
    if let Some(jobs) = arguments.jobs {
        // Fails only if the pool exists already, and nothing has run before this line.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    }
    arguments.reading.each(Purpose::Answer, |session, program, console| {
        let mut sweeps = 0;
        let exit = feed_program(session, program, console, |outcome, _, console| {
            if outcome.word == StatementWord::Sweep {
                sweeps += 1;
                console.print(&show(outcome, arguments.format, true));
            }
        });
        if sweeps == 0 {
            let name = program.first().map_or("the program", |input| input.name.as_str());
            console.complain(
                &Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` contains no sweep"))
                    .help("write one: sweep S over m in [1, 2, 4] { until t = 20; collect … } to \"table.csv\""),
            );
            return exit.max(Exit::Findings);
        }
        exit
    })
}
