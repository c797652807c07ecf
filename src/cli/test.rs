//! `lepage test [FILE…]`: runs programs for their assertions and tests, shows the ones that do not
//! hold, and counts. Without a file it runs every program under the working folder.

use super::Exit;
use super::arguments::{Format, Program, programs_under};
use super::console::Console;
use super::reading::{Purpose, Reading, feed_program};
use crate::session::json;
use crate::session::{Outcome, Session, StatementWord, Status};
use clap::Args;
use std::path::Path;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// How results are written: text or json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub reading: Reading,
}

/// What a program's assertions came to.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    held: usize,
    failed: usize,
    /// Statements that are no assertions and were refused.
    refused: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        let claim = outcome.word == StatementWord::Claim;
        match outcome.status {
            Status::Ok | Status::Declared if claim => self.held += 1,
            Status::Ok | Status::Declared => {}
            _ if claim => self.failed += 1,
            _ => self.refused += 1,
        }
    }

    fn words(&self) -> String {
        let mut words = format!("{} held", self.held);
        if self.failed > 0 {
            words += &format!(", {} failed", self.failed);
        }
        match self.refused {
            0 => {}
            1 => words += ", one other statement refused",
            n => words += &format!(", {n} other statements refused"),
        }
        words
    }
}

pub fn run(mut arguments: Arguments) -> Exit {
    let programs = &mut arguments.reading.programs;
    if programs.files.is_empty() && programs.eval.is_empty() {
        programs.files = programs_under(Path::new("."));
        if programs.files.is_empty() {
            let mut console = Console::new(&arguments.reading.talk);
            console.say("error: there is no .mech program in this folder\n");
            return console.finish(Exit::Failure);
        }
    }
    let batch = arguments.reading.programs.is_batch();
    let work = |session: &mut Session, program: &Program, console: &mut Console| {
        let mut tally = Tally::default();
        let exit = feed_program(session, program, console, |outcome, input, console| {
            tally.count(outcome);
            if arguments.format == Format::Json && outcome.word == StatementWord::Claim {
                console.print(&format!("{}\n", json::outcome_of(outcome, batch.then_some(&*input.name))));
            }
        });
        if arguments.format != Format::Json {
            let name = program.first().map_or("", |input| input.name.as_str());
            console.print(&format!("{name}: {}\n", tally.words()));
        }
        exit
    };
    arguments.reading.each_or(Purpose::Answer, work, |unreadable, console| {
        if batch && arguments.format == Format::Json {
            console.print(&format!("{}\n", json::unreadable(unreadable)));
        }
    })
}
