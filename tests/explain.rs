//! What `lepage explain` shows is true: the failing program of every code gets that code, and the
//! repaired one gets no error at all.

use lepage::diagnostic::Diagnostic;
use lepage::diagnostic::codes::{self, Code};
use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Session, SessionOptions};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The one code that no program causes, as far as we know: mistakes of our own.
const NOT_FROM_PROGRAMS: &[&str] = &["internal"];

/// Runs a text as the file `program.mech` of a folder that also holds a file in another encoding, and the same in
/// UTF-8.
fn run(text: &str) -> (Vec<Diagnostic>, String) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("lepage-explain-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("program.mech", text.as_bytes());
    write("latin1.mech", b"// Poincar\xe9\n");
    write("utf8.mech", "// Poincaré\n".as_bytes());
    let mut session = Session::new(SessionOptions { out: folder.clone(), ..SessionOptions::default() });
    let outcomes = session.feed(&folder.join("program.mech").to_string_lossy(), text, Mode::File);
    let _ = std::fs::remove_dir_all(folder);
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
    let missing = |c: &Code| cfg!(feature = "arrow") && c.name == "missing_feature";
    let complaints: Vec<String> = codes::ALL
        .iter()
        .filter(|c| !NOT_FROM_PROGRAMS.contains(&c.name) && !missing(c))
        .filter_map(|c| complaint(c))
        .collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
