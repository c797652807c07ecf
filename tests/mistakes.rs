//! Mistakes that newcomers make, with habits of other systems among them. Each program of `data/mistakes.txt` is refused; the
//! repairs that are offered are applied, one for each mistake, until nothing is wrong, and the program must then run. A line that
//! begins with `//=` says what the repaired program contains: a repair that runs and means something else is none.

use lepage::diagnostic::Diagnostic;
use lepage::session::{Mode, Session, SessionOptions};
use lepage::source::SourceId;

/// A repair may uncover the next mistake, as a reader would meet them.
const MAX_ROUNDS: usize = 5;

fn run(text: &str) -> Vec<Diagnostic> {
    let out = std::env::temp_dir().join(format!("lepage-mistakes-{}", std::process::id()));
    let mut session = Session::new(SessionOptions { out, ..SessionOptions::default() });
    let outcomes = session.feed("mistake.mech", text, Mode::File);
    outcomes.into_iter().flat_map(|o| o.diagnostics).filter(Diagnostic::is_error).collect()
}

/// The text after the first repair of each of these errors; repairs that overlap are left to the next round.
fn repaired(text: &str, errors: &[Diagnostic]) -> String {
    let mut repairs: Vec<_> = errors.iter().filter_map(|d| d.repairs.first()).collect();
    repairs.retain(|r| r.span.source == SourceId::default());
    repairs.sort_by_key(|r| (r.span.start, r.span.end));
    repairs.dedup();
    let mut out = text.to_string();
    let mut before = usize::MAX;
    for repair in repairs.into_iter().rev() {
        let range = repair.span.range();
        if range.end <= before {
            before = range.start;
            out.replace_range(range, &repair.text);
        }
    }
    out
}

#[test]
fn what_is_offered_runs_when_it_is_pasted() {
    let programs = include_str!("data/mistakes.txt");
    let mut failures = vec![];
    for program in programs.split("----\n") {
        let (title, _) = program.split_once('\n').expect("a title");
        let (wanted, typed): (Vec<&str>, Vec<&str>) = program.lines().partition(|line| line.starts_with("//= "));
        let mut text = typed.join("\n") + "\n";
        let mut errors = run(&text);
        if errors.is_empty() {
            failures.push(format!("{title}: accepted"));
        }
        for _ in 0..MAX_ROUNDS {
            let next = repaired(&text, &errors);
            if next == text {
                break;
            }
            text = next;
            errors = run(&text);
        }
        for wanted in wanted.iter().filter_map(|line| line.strip_prefix("//= ")) {
            if !text.contains(wanted) {
                failures.push(format!("{title}: no `{wanted}` in\n{text}"));
            }
        }
        if let Some(error) = errors.first() {
            failures.push(format!("{title}: {}: {:?}\n{text}", error.title, error.helps));
        }
    }
    let _ = std::fs::remove_dir_all(std::env::temp_dir().join(format!("lepage-mistakes-{}", std::process::id())));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
