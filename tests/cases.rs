//! The worked cases as programs of the language: every assertion of `tests/cases/<sheet>/*.mech` must hold.
//!
//! `LEPAGE_CASES=folder cargo test --test cases` runs the programs of another folder instead, all of them.

use lepage::session::{Mode, Session, SessionOptions, Status};
use std::path::{Path, PathBuf};

/// The sheets whose programs are run.
const ANSWERED: &[&str] = &[
    "constraints",
    "cross-formalism",
    "force-balance",
    "geometry",
    "implicit-dalembert",
    "ivp",
    "krupkova-odes",
    "mixed-systems",
    "more-constraints",
    "more-mixed",
    "more-odes",
    "nonholonomic",
    "random-odes",
];

/// Codes of what is still to come, and of what depends on it.
const LATER: &[&str] = &["not_available", "depends"];

/// How many declarations of all sheets are accepted: fewer would be a step back.
const DECLARED: usize = 900;

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

/// A statement that did not hold.
struct Failed {
    message: String,
    /// It asks a question of a later sheet, or depends on a statement that does.
    later: bool,
}

/// Runs a program; how many statements held (or declared something, if nothing is answered), and those that did not.
fn failures(path: &Path, answer: bool) -> (usize, Vec<Failed>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut session = Session::new(SessionOptions { answer, ..SessionOptions::default() });
    let outcomes = session.feed(&path.display().to_string(), &text, Mode::File);
    let held = outcomes.iter().filter(|o| if answer { o.held() } else { o.status == Status::Declared }).count();
    let failed = outcomes
        .iter()
        .filter(|o| !o.held())
        .map(|o| {
            let why = o.diagnostics.iter().map(|d| format!("{}: {}", d.code.name, d.title)).collect::<Vec<_>>();
            let message = format!("{}:{}: {}\n    {}", path.display(), o.line, o.statement, why.join("\n    "));
            Failed { message, later: o.diagnostics.iter().any(|d| LATER.contains(&d.code.name)) }
        })
        .collect();
    (held, failed)
}

/// Two threads share the files: each has its own graph of expressions.
fn run_all(files: &[PathBuf], answer: bool) -> (usize, Vec<Failed>) {
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
    let (held, failed) = run_all(&files, true);
    let failed: Vec<String> = failed.into_iter().map(|f| f.message).collect();
    assert!(failed.is_empty(), "{held} statements held, {} did not:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_check_raises_no_false_alarm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["examples", "stdlib", "tests/ui/accepted"].iter().flat_map(|folder| programs(&root.join(folder)));
    let (_, failed) = run_all(&files.collect::<Vec<_>>(), false);
    let failed: Vec<String> = failed.into_iter().map(|f| f.message).collect();
    assert!(failed.is_empty(), "{} statements were refused:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_declarations_of_all_programs_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = programs(&root);
    assert!(files.len() >= 120, "all sheets are here");
    // A `let` that asks a question of a later sheet says so; everything else must be accepted.
    let (held, failed) = run_all(&files, false);
    assert!(held >= DECLARED, "{held} declarations");
    let failed: Vec<String> = failed.into_iter().filter(|f| !f.later).map(|f| f.message).collect();
    assert!(failed.is_empty(), "{} declarations were refused:\n{}", failed.len(), failed.join("\n"));
}

/// Random Lagrangians whose strata are not all decided yet; the answer says so. One that is decided leaves the list.
const UNDECIDED: &[&str] = &["R012", "R016", "R021", "R026"];

/// The assertions of the random sheet also hold of an algorithm that always answers "not complete, empty". This one says of
/// which programs the final set is found: it is complete and equal to the elimination ideal, both proved.
#[test]
fn the_final_sets_of_random_lagrangians_are_found() {
    let files = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/random-odes"));
    assert_eq!(files.len(), 30);
    let mut open = vec![];
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let claim = if text.contains("submanifold K ") { "D.final = K" } else { "D is empty" };
        let mut session = Session::new(SessionOptions::default());
        session.feed(&path.display().to_string(), &text, Mode::File);
        let outcomes = session.feed("claim", &format!("assert D is complete\nassert {claim}\n"), Mode::File);
        // An assertion that holds by sampling carries a remark.
        if outcomes.len() != 2 || !outcomes.iter().all(|o| o.held() && o.diagnostics.is_empty()) {
            open.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
    }
    assert_eq!(open, UNDECIDED);
}
