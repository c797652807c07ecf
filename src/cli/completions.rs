//! `lepage completions SHELL`: a script for the shell, from the same table as `--help`.

use super::Exit;
use super::arguments::Talk;
use super::console::Console;
use clap::Args;
use clap_complete::Shell;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// The shell to complete for
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut super::command(), "lepage", &mut script);
    let mut console = Console::new(&Talk::default());
    console.print(&String::from_utf8_lossy(&script));
    console.finish(Exit::Held)
}
