//! `lepage new NAME`: a folder with a first program that runs.

use super::Exit;
use super::arguments::{Talk, reason};
use super::console::Console;
use crate::diagnostic::{Diagnostic, codes};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// The folder to make; the program in it gets the same name
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub talk: Talk,
}

/// The program that a newcomer starts from.
const FIRST_PROGRAM: &str = include_str!("../../examples/first.mech");

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    let exit = match begin(&arguments.folder) {
        Ok(program) => {
            console.say(&format!("made {0}\nrun it with: lepage run {0}\n", program.display()));
            Exit::Held
        }
        Err(diagnostic) => {
            console.complain(&diagnostic);
            Exit::Failure
        }
    };
    console.finish(exit)
}

fn begin(folder: &Path) -> Result<PathBuf, Diagnostic> {
    let refuse = |path: &Path, error: std::io::Error| {
        Diagnostic::error(&codes::CANNOT_WRITE, format!("`{}` cannot be made", path.display())).note(reason(&error))
    };
    let name = folder.file_name().ok_or_else(|| {
        Diagnostic::error(&codes::CANNOT_WRITE, format!("`{}` is no name for a new folder", folder.display()))
    })?;
    if let Some(parent) = folder.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|e| refuse(parent, e))?;
    }
    std::fs::create_dir(folder).map_err(|e| refuse(folder, e))?;
    let program = folder.join(name).with_extension("mech");
    std::fs::write(&program, FIRST_PROGRAM).map_err(|e| refuse(&program, e))?;
    Ok(program)
}
