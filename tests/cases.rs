//! The worked cases as programs of the language: every assertion of `tests/cases/<sheet>/*.mech` must hold.
//!
//! `LEPAGE_CASES=folder cargo test --test cases` runs the programs of another folder instead, all of them.

use lepage::session::{Mode, Session, SessionOptions, Status};
use std::path::{Path, PathBuf};

/// Sheets whose questions are all available; the programs of the others parse and declare.
const ANSWERED: &[&str] = &["geometry", "krupkova-odes", "more-odes", "random-odes"];

/// The `.mech` files below a folder, sorted.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mech") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a program; the statements that did not hold, with their first message.
fn failures(path: &Path, answer: bool) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut session = Session::new(SessionOptions { answer, ..SessionOptions::default() });
    let outcomes = session.feed(&path.display().to_string(), &text, Mode::File);
    let total = outcomes.iter().filter(|o| o.status == Status::Ok).count();
    let failed = outcomes
        .iter()
        .filter(|o| !o.held())
        .map(|o| {
            let why = o.diagnostics.iter().map(|d| format!("{}: {}", d.code.name, d.title)).collect::<Vec<_>>();
            format!("{}:{}: {}\n    {}", path.display(), o.line, o.statement, why.join("\n    "))
        })
        .collect();
    (total, failed)
}

/// Two threads share the files: each has its own graph of expressions.
fn run_all(files: Vec<PathBuf>, answer: bool) -> (usize, Vec<String>) {
    let half = files.len().div_ceil(2).max(1);
    let threads: Vec<_> = files
        .chunks(half)
        .map(|chunk| {
            let chunk = chunk.to_vec();
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn(move || chunk.iter().map(|f| failures(f, answer)).collect::<Vec<_>>())
                .expect("a thread")
        })
        .collect();
    let mut all = (0, vec![]);
    for thread in threads {
        for (total, failed) in thread.join().expect("no panic") {
            all.0 += total;
            all.1.extend(failed);
        }
    }
    all
}

#[test]
fn every_assertion_of_the_worked_cases_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = match std::env::var_os("LEPAGE_CASES") {
        Some(folder) => programs(Path::new(&folder)),
        None => ANSWERED.iter().flat_map(|sheet| programs(&root.join(sheet))).collect(),
    };
    assert!(!files.is_empty(), "no programs found");
    let (held, failed) = run_all(files, true);
    assert!(failed.is_empty(), "{held} statements held, {} did not:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_declarations_of_all_programs_check() {
    let files = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
    assert!(files.len() >= 120, "all sheets are here");
    // A `let` that asks a question of a later sheet says so; everything else must be accepted.
    let (_, failed) = run_all(files, false);
    let failed: Vec<String> =
        failed.into_iter().filter(|f| !f.contains("not_available: ") && !f.contains("depends: ")).collect();
    assert!(failed.is_empty(), "{} declarations were refused:\n{}", failed.len(), failed.join("\n"));
}
