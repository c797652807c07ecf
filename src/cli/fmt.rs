//! `lepage fmt FILE…`: rewrites programs in the one style; `--check` only says which would change,
//! `-` formats standard input to standard output.

use super::Exit;
use super::arguments::{Input, Talk, Unreadable, programs_under, read};
use super::console::Console;
use crate::diagnostic::Diagnostic;
use crate::session::file::cannot_write;
use crate::source::SourceMap;
use crate::timing;
use crate::world::{Disk, World};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// Programs, or folders of programs; - formats standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; the exit code is 1 if something would change
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    let mut exit = Exit::Held;
    for file in &arguments.files {
        let files = if file.is_dir() { programs_under(file) } else { vec![file.clone()] };
        for file in files {
            exit = exit.max(format_file(&file, arguments.check, &mut console));
        }
    }
    console.finish(exit)
}

fn format_file(file: &Path, check: bool, console: &mut Console) -> Exit {
    let Input { name, text } = match read(file) {
        Ok(input) => input,
        Err(Unreadable { diagnostic, sources, .. }) => {
            console.report([&diagnostic], &sources);
            return Exit::Failure;
        }
    };
    let formatted = match timing::stage("format", || formatted(&name, &text)) {
        Ok(formatted) => formatted,
        Err(Problem { diagnostics, sources }) => {
            console.report(&diagnostics, &sources);
            return Exit::Findings;
        }
    };
    let stdin = file.as_os_str() == "-";
    if check {
        if formatted == text {
            return Exit::Held;
        }
        console.print(&format!("{name}\n"));
        return Exit::Findings;
    }
    if stdin {
        console.write(&formatted);
    } else if formatted != text
        && let Err(trouble) = Disk.write(file, formatted.as_bytes())
    {
        console.complain(&cannot_write(&name, trouble));
        return Exit::Failure;
    }
    Exit::Held
}

/// Why a text has no formatted form.
struct Problem {
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
}

fn formatted(name: &str, text: &str) -> Result<String, Problem> {
    crate::syntax::format::format(text).map_err(|problems| {
        // The formatter reads one text, the first of the map.
        let mut sources = SourceMap::default();
        sources.add(name, text);
        Problem { diagnostics: problems.into_sorted(), sources }
    })
}
