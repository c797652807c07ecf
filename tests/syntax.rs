//! The front end on whole programs: the conformance programs, cut-off texts, very large texts.

use lepage::diagnostic::Diagnostic;
use lepage::source::SourceId;
use lepage::syntax::ast::Ast;
use lepage::syntax::parse::parse;
use std::path::{Path, PathBuf};

/// Every `.mech` file below a folder of `tests/`, in the order of their paths.
fn programs(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mech") {
                let text = std::fs::read_to_string(&path).expect("a readable program");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn read(text: &str) -> (Ast, Vec<Diagnostic>) {
    let (ast, problems) = parse(SourceId(0), text);
    (ast, problems.into_sorted())
}

#[test]
fn every_conformance_program_parses() {
    let programs = programs("cases");
    assert!(programs.len() >= 120, "the conformance programs are missing");
    for (path, text) in programs {
        let (ast, problems) = read(&text);
        assert!(problems.is_empty(), "{}: {:?}", path.display(), problems[0]);
        assert!(!ast.statements.is_empty());
    }
}
