//! What `lepage explain` shows is true: the failing program of every code gets that code, and the
//! repaired one gets no error at all.

use lepage::diagnostic::Diagnostic;
use lepage::diagnostic::codes::{self, Code};
use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Session, SessionOptions};

/// Codes that no short text of one program can cause: other files, streams, builds, mistakes of our own.
const NOT_FROM_PROGRAMS: &[&str] = &[
    "too_many_problems",
    "cycle",
    "not_available",
    "cannot_read",
    "not_text",
    "cannot_write",
    "missing_feature",
    "internal",
];

/// Codes whose room is not furnished yet. A code leaves this list when its programs do what they say,
/// and the test below fails when one could leave.
const NOT_YET: &[&str] = &[];

fn run(text: &str) -> (Vec<Diagnostic>, String) {
    let mut session = Session::new(SessionOptions::default());
    let outcomes = session.feed("program", text, Mode::File);
    let diagnostics: Vec<Diagnostic> = outcomes.into_iter().flat_map(|o| o.diagnostics).collect();
    let shown = Renderer::new(session.sources(), MessageFormat::Human, false).render_all(&diagnostics);
    (diagnostics, shown)
}

/// What is wrong with the programs of a code, if anything.
fn complaint(code: &Code) -> Option<String> {
    if code.failing.is_empty() || code.repaired.is_empty() {
        return Some(format!("{code} {}: a program is missing", code.name));
    }
    let (found, shown) = run(code.failing);
    if !found.iter().any(|d| d.code.number == code.number) {
        return Some(format!("{code} {}: the failing program does not get it, but\n{shown}", code.name));
    }
    let (found, shown) = run(code.repaired);
    let still = found.iter().any(|d| d.code.number == code.number || d.is_error());
    still.then(|| format!("{code} {}: the repaired program still gets\n{shown}", code.name))
}

#[test]
fn failing_programs_fail_and_repaired_ones_hold() {
    let complaints: Vec<String> = codes::ALL
        .iter()
        .filter(|c| !NOT_FROM_PROGRAMS.contains(&c.name) && !NOT_YET.contains(&c.name))
        .filter_map(|c| complaint(c))
        .collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_code_that_a_program_can_cause_has_programs() {
    for code in codes::ALL {
        let has = !code.failing.is_empty() && !code.repaired.is_empty();
        let excused = NOT_FROM_PROGRAMS.contains(&code.name) || NOT_YET.contains(&code.name);
        assert!(has || excused, "{code} {} has no programs", code.name);
        assert!(!has || !NOT_FROM_PROGRAMS.contains(&code.name), "{code} {} has programs after all", code.name);
    }
}

#[test]
fn the_list_of_codes_to_come_is_not_longer_than_it_must_be() {
    for name in NOT_YET {
        let code = codes::find(name).unwrap_or_else(|| panic!("{name} is no code"));
        assert!(complaint(code).is_some(), "{code} {name} holds now: take it off the list");
    }
}
