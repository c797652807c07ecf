//! `lepage test [FILE…]`: runs programs for their assertions and tests, shows the ones that do not
//! hold, and counts. Without a file it runs every program under the working folder.

use super::Exit;
use super::arguments::{Format, Programs, Settings, Talk};
use super::console::Console;
use super::run::{for_each_program, run_program, stop_on_ctrl_c};
use crate::report::json;
use crate::session::{Outcome, Status};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
    /// How results are written: text or json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
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
        let claim = is_claim(&outcome.statement);
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
        if self.refused > 0 {
            words += &format!(", {} other statements refused", self.refused);
        }
        words
    }
}

/// Whether a statement claims something: `assert …` or `test "…" { … }`.
fn is_claim(statement: &str) -> bool {
    let after = |word: &str| statement.strip_prefix(word);
    after("assert").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        || after("test").is_some_and(|rest| rest.trim_start().starts_with('"'))
}

pub fn run(mut arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    stop_on_ctrl_c();
    if arguments.programs.files.is_empty() && arguments.programs.eval.is_empty() {
        arguments.programs.files = programs_under(Path::new("."));
        if arguments.programs.files.is_empty() {
            console.say("error: there is no .mech program in this folder\n");
            return console.finish(Exit::Failure);
        }
    }
    let options = arguments.settings.options();
    let exit = for_each_program(&arguments.programs, &mut console, |program, console| {
        let mut tally = Tally::default();
        let name = program.first().map_or(String::new(), |input| input.name.clone());
        let exit = run_program(program, options.clone(), console, |outcome, _, console| {
            tally.count(outcome);
            if arguments.format == Format::Json && is_claim(&outcome.statement) {
                console.print(&format!("{}\n", json::outcome(outcome)));
            }
        });
        if arguments.format != Format::Json {
            console.print(&format!("{name}: {}\n", tally.words()));
        }
        exit
    });
    console.finish(exit)
}

/// Every `.mech` file below a folder, sorted; hidden folders and `target` are left out.
pub fn programs_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let hidden = name.to_string_lossy().starts_with('.') || name == "target";
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "mech") => {
                    found.push(path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::is_claim;

    #[test]
    fn claims_are_recognised_by_their_words() {
        assert!(is_claim("assert x = 1") && is_claim("assert(x = 1)") && is_claim("test \"a\" { }"));
        assert!(!is_claim("assertion") && !is_claim("tests = 1") && !is_claim("test(1)"));
    }
}
