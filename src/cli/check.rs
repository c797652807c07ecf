//! `lepage check FILE…`: everything but the answers and the runs.

use super::Exit;
use super::reading::{Purpose, Reading, feed_program};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(arguments: Arguments) -> Exit {
    arguments
        .reading
        .each(Purpose::Declare, |session, program, console| feed_program(session, program, console, |_, _, _| {}))
}
