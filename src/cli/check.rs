//! `lepage check FILE…`: everything but the answers and the runs.

use super::Exit;
use super::arguments::{Programs, Settings, Talk};
use super::console::Console;
use super::run::{for_each_program, run_program, stop_on_ctrl_c};
use crate::session::SessionOptions;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
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
        run_program(program, options.clone(), console, |_, _, _| {})
    });
    console.finish(exit)
}
