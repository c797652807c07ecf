//! `lepage lsp`: the conversation with an editor, which starts the program and talks to it over standard input and output.

use super::Exit;
use super::arguments::Talk;
use super::console::Console;
use crate::diagnostic::Diagnostic;
#[cfg(feature = "lsp")]
use crate::diagnostic::codes;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub talk: Talk,
}

#[cfg(feature = "lsp")]
pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    let exit = match crate::lsp::serve() {
        Ok(()) => Exit::Held,
        Err(words) => {
            let title = "the conversation with the editor broke off";
            let help = "an editor starts `lepage lsp` by itself; editors/README.md tells how";
            console.complain(&Diagnostic::error(&codes::CANNOT_READ, title).note(words).help(help));
            Exit::Failure
        }
    };
    console.finish(exit)
}

#[cfg(not(feature = "lsp"))]
pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    console.complain(&Diagnostic::missing_feature("this build does not talk to editors", "lsp"));
    console.finish(Exit::Failure)
}
