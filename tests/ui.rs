//! What users see. Every `tests/ui/**/*.mech` is run like a file on the command line; answers and
//! diagnostics are compared with the `.stderr` beside it, in which program and message stand
//! together. `LEPAGE_BLESS=1 cargo test --test ui` rewrites them.
//!
//! Three things are checked apart from the rendering, so that a careless bless cannot hide them:
//!
//! - `//~ E0312` on a line: exactly these codes are reported on that line (`//~ 2 E0312`: twice; `//~^`
//!   and `//~v`: on the line above, below), and none elsewhere;
//! - no golden shows the inside of the program: token names of the generator, types of Rust;
//! - no label underlines a whole statement of several words when a word is at fault;
//!
//! and every repair that a diagnostic offers is applied: the diagnostic must be gone.

use lepage::diagnostic::Diagnostic;
use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Outcome, Session, SessionOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// All programs under `tests/ui`, sorted, so that failures come in the same order everywhere.
fn programs() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("tests/ui can be read") {
            let path = entry.expect("an entry of tests/ui").path();
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

/// A program after it ran.
struct Ran {
    session: Session,
    outcomes: Vec<Outcome>,
}

impl Ran {
    fn new(name: &str, text: &str) -> Ran {
        // Files beside a program are found from here, under the names that goldens show.
        std::env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")).expect("tests/ui");
        // What a program saves goes to a folder of its own, as programs run at the same time.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let out = std::env::temp_dir().join(format!("lepage-ui-{}-{number}", std::process::id()));
        let mut session =
            Session::new(SessionOptions { out: out.clone(), portable: true, ..SessionOptions::default() });
        let outcomes = session.feed(name, text, Mode::File);
        let _ = std::fs::remove_dir_all(out);
        Ran { session, outcomes }
    }

    fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.outcomes.iter().flat_map(|o| &o.diagnostics)
    }

    /// Answers and diagnostics as a reader meets them.
    fn shown(&self) -> String {
        let mut renderer = Renderer::new(self.session.sources(), MessageFormat::Human, false);
        let mut out = String::new();
        for outcome in &self.outcomes {
            if let Some(answer) = &outcome.answer {
                out.push_str(&format!("{}\n", outcome.statement));
                for line in answer.text(100).lines() {
                    out.push_str(&format!("    {line}\n"));
                }
            }
            out.push_str(&renderer.render_all(&outcome.diagnostics));
        }
        out
    }
}

/// The name shown in goldens: the path below `tests/ui`, with `/` on every system.
fn name(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let parts: Vec<_> = path.strip_prefix(root).unwrap_or(path).iter().map(|p| p.to_string_lossy()).collect();
    parts.join("/")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `(line, code)` for every marker in the text.
fn markers(text: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    for (i, line) in text.lines().enumerate() {
        let Some((_, marker)) = line.split_once("//~") else { continue };
        let (line, words) = match marker.as_bytes().first() {
            Some(b'^') => (i, &marker[1..]),
            Some(b'v') => (i + 2, &marker[1..]),
            _ => (i + 1, marker),
        };
        let mut times = 1;
        for word in words.split([' ', ',']).filter(|w| !w.is_empty()) {
            match word.parse() {
                Ok(n) => times = n,
                Err(_) => {
                    found.extend(std::iter::repeat_n((line, word.to_string()), times));
                    times = 1;
                }
            }
        }
    }
    found.sort();
    found
}

/// `(line, code)` for every error and warning of the program itself (not of files it uses).
fn reported(ran: &Ran) -> Vec<(usize, String)> {
    let sources = ran.session.sources();
    let mut found: Vec<(usize, String)> = ran
        .diagnostics()
        .map(|d| {
            let line = d.primary().map_or(0, |s| sources.get(s.source).line_column(s.start as usize).0);
            (line, d.code.to_string())
        })
        .collect();
    found.sort();
    found
}

/// Runs `check` on every program and reports all failures together.
fn for_every_program(check: impl Fn(&Path, &str) -> Result<(), String>) {
    let failures: Vec<String> = programs()
        .iter()
        .filter_map(|path| check(path, &read(path)).err().map(|e| format!("── {}\n{e}", name(path))))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn goldens_are_what_users_see() {
    let bless = std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1");
    for_every_program(|path, text| {
        let shown = Ran::new(&name(path), text).shown();
        let golden = path.with_extension("stderr");
        let kept = std::fs::read_to_string(&golden).ok();
        if kept.as_ref() == Some(&shown) {
            return Ok(());
        }
        if bless {
            return std::fs::write(&golden, &shown).map_err(|e| e.to_string());
        }
        let kept = kept.unwrap_or_else(|| "(no golden yet)\n".to_string());
        Err(format!("expected:\n{kept}\nfound:\n{shown}\nto accept: LEPAGE_BLESS=1 cargo test --test ui"))
    });
}

#[test]
fn codes_are_reported_where_the_markers_say() {
    for_every_program(|path, text| {
        let (expected, found) = (markers(text), reported(&Ran::new(&name(path), text)));
        if expected == found { Ok(()) } else { Err(format!("markers {expected:?}, but reported {found:?}")) }
    });
}

#[test]
fn no_message_shows_the_inside_of_the_program() {
    let inside = [
        "r#\"",
        "\"#",
        "TokenKind",
        "Token::",
        "Ident",
        "UnrecognizedToken",
        "Some(",
        "None,",
        "[a-z",
        "Spanned",
        "panicked",
    ];
    for_every_program(|path, text| {
        let ran = Ran::new(&name(path), text);
        for d in ran.diagnostics() {
            let words = d.labels.iter().map(|l| &l.message).chain(&d.notes).chain(&d.helps).chain([&d.title]);
            for words in words {
                if let Some(bad) = inside.iter().find(|bad| words.contains(**bad) && !text.contains(**bad)) {
                    return Err(format!("`{bad}` in {words:?}"));
                }
            }
            if d.title.ends_with('.') || d.title.starts_with(|c: char| c.is_uppercase() && c.is_ascii()) {
                return Err(format!("a title begins in lower case and has no full stop: {:?}", d.title));
            }
        }
        Ok(())
    });
}

#[test]
fn labels_point_at_words_and_not_at_statements() {
    for_every_program(|path, text| {
        let ran = Ran::new(&name(path), text);
        for outcome in &ran.outcomes {
            for label in outcome.diagnostics.iter().flat_map(|d| &d.labels) {
                let words = ran.session.sources().slice(label.span);
                let whole = label.span.source == outcome.span.source
                    && label.span.start <= outcome.span.start
                    && label.span.end >= outcome.span.end;
                // A bare question may be one expression that is at fault as a whole; a statement with
                // a keyword never is.
                if whole && words.split_whitespace().count() > 2 {
                    return Err(format!("a label underlines the whole statement `{words}`"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn repairs_repair() {
    for_every_program(|path, text| {
        let ran = Ran::new(&name(path), text);
        let main = ran.outcomes.first().map(|o| o.span.source);
        let count = |ran: &Ran, code: &str| ran.diagnostics().filter(|d| d.code.to_string() == code).count();
        for d in ran.diagnostics() {
            let code = d.code.to_string();
            for repair in d.repairs.iter().filter(|r| Some(r.span.source) == main) {
                let mut repaired = text.to_string();
                repaired.replace_range(repair.span.range(), &repair.text);
                let after = Ran::new(&name(path), &repaired);
                if count(&after, &code) >= count(&ran, &code) {
                    return Err(format!("the repair of {code} does not remove it:\n{repaired}\n{}", after.shown()));
                }
            }
        }
        Ok(())
    });
}

/// Every construct of docs/language.md by a piece of text that shows it. A piece ends a word where it ends in a blank.
const CONSTRUCTS: &[&str] = &[
    // §1
    "/*",
    "///",
    "θ",
    "\u{307}",
    "2.5",
    "e-3",
    "/\\",
    "∧",
    " or ",
    " and ",
    "not ",
    "!=",
    "<=",
    " at ",
    " within ",
    "^",
    "piecewise(",
    "pi",
    "atan2(",
    "min(",
    "jet(",
    ")'",
    "'(",
    "D(",
    "core.",
    "p_",
    "lambda_",
    "vel(",
    "Y.",
    // §2
    "manifold ",
    ": angle",
    "[1..",
    "over J1(",
    "param ",
    "param m[",
    "assume ",
    "function ",
    "from \"",
    "let ",
    "sum(",
    "product(",
    "list(",
    "use std.",
    "use \"",
    " as ",
    "map ",
    "-> J1(",
    "section ",
    "pullback(",
    "transform(",
    "image(",
    // §3
    "lagrangian ",
    "form ",
    ": horizontal 1-form",
    ": horizontal over Y",
    ": contact",
    "2-contact",
    ": dynamical",
    ": lepage",
    ": closed",
    "field ",
    ": vertical",
    ": projectable",
    ": semispray",
    "force ",
    "equations ",
    "codistribution ",
    "distribution ",
    "submanifold ",
    "span(",
    "union(",
    "everything(",
    "omega(",
    "[d",
    "[omega(",
    "[@",
    "is_",
    "[[",
    "dot(",
    "cross(",
    // §4
    "constraint ",
    "dependent:",
    "branch:",
    "reactions:",
    "forms:",
    "system ",
    " with ",
    " subject to ",
    "generated by",
    "mixed ",
    // §5
    "gauge =",
    "names =",
    "through =",
    "F =",
    ".branches[",
    " is ",
    " is not ",
    "fails with",
    // §6
    "simulate ",
    "set ",
    "from ",
    "until ",
    "method ",
    "tolerance ",
    "abs ",
    "step ",
    "record ",
    "every ",
    "stop when",
    "rising",
    "falling",
    "branch ",
    "simulate hamilton(",
    "plot ",
    " against ",
    "save ",
    "run.a.",
    // §7 and §8
    "assert ",
    "test \"",
    "explain ",
];

/// Statements whose answers are still to come: no accepted program yet, only ones that are refused for it.
const NOT_YET: &[&str] = &["sweep ", "collect ", "animate ", "poincare ", "potential ="];

#[test]
fn every_construct_is_accepted_once_and_rejected_once() {
    let all = programs();
    let (accepted, rejected): (Vec<_>, Vec<_>) = all.iter().partition(|p| name(p).starts_with("accepted/"));
    let code = |line: &str| line.split("//").next().map_or(String::new(), str::to_string);
    let accepted: Vec<String> = accepted.iter().map(|p| read(p)).collect();
    let reference = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/language.md"));
    // Statements with a marker, lines of the block before it included.
    let rejected: Vec<String> = rejected.iter().map(|p| read(p)).filter(|text| text.contains("//~")).collect();
    let in_marked_line = |piece: &str| {
        let marked =
            |l: &str| l.contains("//~") && (code(l).contains(piece) || piece.starts_with('/') && l.contains(piece));
        rejected.iter().any(|text| text.lines().any(marked) || piece == "///" && text.contains(piece))
    };
    for piece in CONSTRUCTS {
        // A line of the tour proves nothing.
        let is_new = |l: &&str| l.contains(piece) && !reference.contains(l.trim());
        assert!(accepted.iter().any(|text| text.lines().any(|l| is_new(&l))), "no accepted program has `{piece}`");
        assert!(in_marked_line(piece), "no program is rejected for its `{piece}`");
    }
    for piece in NOT_YET {
        assert!(in_marked_line(piece), "no program is refused for its `{piece}`");
    }
}

/// What rests on a promise that holds as far as sampling tells says so: to a reader, to a program and in a paper.
#[test]
fn every_answer_built_on_sampling_repeats_the_mark() {
    let text = "manifold Y over t { x, y }
assume x > 0
form a : horizontal 1-form on Y = y*dt + (atan(x) + atan(1/x) - pi/2)*dx
let b = 2*a
let f(e) = h(e)
lagrangian L on J1(Y) = y'^2/2*dt + (atan(x) + atan(1/x) - pi/2)*dx
h(b)
a[dt]
d(a)
is_horizontal(a)
[a[dt], 1]
span(a, dx)
f(b)
equations(L)
classify(L).regular
vector_field(L)
y*dt";
    let ran = Ran::new("sampled.mech", text);
    let questions: Vec<&Outcome> = ran.outcomes.iter().filter(|o| o.answer.is_some()).collect();
    let (last, marked) = questions.split_last().expect("questions");
    assert_eq!(marked.len(), 9, "{}", ran.shown());
    for outcome in marked {
        let answer = outcome.answer.as_ref().expect("an answer");
        let in_text = outcome.diagnostics.iter().any(|d| d.code.name == "sampled");
        assert!(in_text, "no remark for {}", outcome.statement);
        assert_eq!(answer.verdict(), Some("sampled"), "{}", outcome.statement);
        assert!(answer.latex().contains("sampled"), "{}: {}", outcome.statement, answer.latex());
    }
    let answer = last.answer.as_ref().expect("an answer");
    assert!(answer.verdict() == Some("proved") && !answer.latex().contains("sampled"));
}

#[test]
fn one_mistake_is_one_message() {
    for_every_program(|path, text| {
        let ran = Ran::new(&name(path), text);
        for outcome in &ran.outcomes {
            let errors = outcome.diagnostics.iter().filter(|d| d.is_error()).count();
            if errors > 1 {
                return Err(format!("`{}` has {errors} errors", outcome.statement));
            }
        }
        Ok(())
    });
}
