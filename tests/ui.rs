//! What users see. Every `tests/ui/**/*.mech` is run like a file on the command line; answers and
//! diagnostics are compared with the `.stderr` beside it, in which program and message stand
//! together. `LEPAGE_BLESS=1 cargo test --test ui` rewrites them.
//!
//! The programs of `tests/ui/check` are not run: they are read as `lepage check` reads them, which computes nothing.
//!
//! Three things are checked apart from the rendering, so that a careless bless cannot hide them:
//!
//! - `//~ E0312` on a line: exactly these codes are reported on that line (`//~ 2 E0312`: twice; `//~^`
//!   and `//~v`: on the line above, below), and none elsewhere;
//! - no golden shows the inside of the program: token names of the generator, types of Rust;
//! - no label underlines a whole statement of several words when a word is at fault;
//!
//! and every repair that a diagnostic offers is applied: the diagnostic must be gone.

use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::diagnostic::{Diagnostic, codes};
use lepage::session::{Mode, Outcome, Session, SessionOptions};
use lepage::source::{SourceId, Span};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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

/// A program after it ran: what was said, without the session that said it, so that all tests look at one run.
struct Ran {
    /// Answers and diagnostics as a reader meets them.
    shown: String,
    /// `(line, code)` for every error and warning, sorted.
    reported: Vec<(usize, String)>,
    /// The source of the program itself, not of files it uses.
    main: Option<SourceId>,
    statements: Vec<Statement>,
}

/// What became of one statement.
struct Statement {
    text: String,
    diagnostics: Vec<Diagnostic>,
    /// The words under labels that cover the whole statement.
    underlined: Vec<String>,
}

/// Runs a program in a session of its own. What `lepage check` finds is found without computing.
fn run(name: &str, text: &str) -> (Session, Vec<Outcome>) {
    run_as(name, text, !name.starts_with("check/"))
}

fn run_as(name: &str, text: &str, answer: bool) -> (Session, Vec<Outcome>) {
    // Files beside a program are found from here, under the names that goldens show.
    std::env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")).expect("tests/ui");
    // What a program saves goes to a folder of its own, as programs run at the same time.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let out = std::env::temp_dir().join(format!("lepage-ui-{}-{number}", std::process::id()));
    let options = SessionOptions { out: out.clone(), portable: true, answer, ..SessionOptions::default() };
    let mut session = Session::new(options);
    let mut outcomes = session.feed(name, text, Mode::File);
    // What was written lies in a folder of another name every time.
    outcomes.iter_mut().for_each(|o| o.diagnostics.retain(|d| d.code.number != codes::WRITTEN.number));
    let _ = std::fs::remove_dir_all(out);
    (session, outcomes)
}

impl Ran {
    fn new(name: &str, text: &str) -> Ran {
        let (session, outcomes) = run(name, text);
        let place =
            |d: &Diagnostic| d.primary().map_or(0, |s| session.sources().get(s.source).line_column(s.start as usize).0);
        let diagnostics = outcomes.iter().flat_map(|o| &o.diagnostics);
        let mut reported: Vec<(usize, String)> = diagnostics.map(|d| (place(d), d.code.to_string())).collect();
        reported.sort();
        let underlined = |o: &Outcome| -> Vec<String> {
            let covers =
                |label: Span| label.source == o.span.source && label.start <= o.span.start && label.end >= o.span.end;
            let labels = o.diagnostics.iter().flat_map(|d| &d.labels).filter(|l| covers(l.span));
            labels.map(|l| session.sources().slice(l.span).to_string()).collect()
        };
        Ran {
            shown: shown(&session, &outcomes),
            reported,
            main: outcomes.first().map(|o| o.span.source),
            statements: outcomes
                .iter()
                .map(|o| Statement {
                    text: o.statement.clone(),
                    diagnostics: o.diagnostics.clone(),
                    underlined: underlined(o),
                })
                .collect(),
        }
    }

    fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.statements.iter().flat_map(|s| &s.diagnostics)
    }
}

/// Answers and diagnostics as a reader meets them.
fn shown(session: &Session, outcomes: &[Outcome]) -> String {
    let mut renderer = Renderer::new(session.sources(), MessageFormat::Human, false);
    let mut out = String::new();
    for outcome in outcomes {
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

/// Does a piece of work for each item, with as many threads as there are processors; each piece in a thread that has
/// computed nothing before. The results are in the order of the items.
fn for_each<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let fresh = |item| std::thread::scope(|scope| scope.spawn(|| work(item)).join().expect("no panic"));
    let worker = || {
        let mut done = vec![];
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(number)
        {
            done.push((number, fresh(item)));
        }
        done
    };
    let n_threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Every program with its text and what it says: run once for all tests of this file.
fn all() -> &'static [(PathBuf, String, Ran)] {
    static ALL: OnceLock<Vec<(PathBuf, String, Ran)>> = OnceLock::new();
    ALL.get_or_init(|| {
        for_each(&programs(), |path| {
            let text = read(path);
            let ran = Ran::new(&name(path), &text);
            (path.clone(), text, ran)
        })
    })
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

/// Looks at every program and reports all failures together.
fn for_every_program(check: impl Fn(&Path, &str, &Ran) -> Result<(), String>) {
    let failures: Vec<String> = all()
        .iter()
        .filter_map(|(path, text, ran)| check(path, text, ran).err().map(|e| format!("── {}\n{e}", name(path))))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn goldens_are_what_users_see() {
    let bless = std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1");
    for_every_program(|path, _, ran| {
        let shown = &ran.shown;
        let golden = path.with_extension("stderr");
        let kept = std::fs::read_to_string(&golden).ok();
        if kept.as_ref() == Some(shown) {
            return Ok(());
        }
        if bless {
            return std::fs::write(&golden, shown).map_err(|e| e.to_string());
        }
        let kept = kept.unwrap_or_else(|| "(no golden yet)\n".to_string());
        Err(format!("expected:\n{kept}\nfound:\n{shown}\nto accept: LEPAGE_BLESS=1 cargo test --test ui"))
    });
}

#[test]
fn codes_are_reported_where_the_markers_say() {
    for_every_program(|_, text, ran| {
        let (expected, found) = (markers(text), &ran.reported);
        if expected == *found { Ok(()) } else { Err(format!("markers {expected:?}, but reported {found:?}")) }
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
    for_every_program(|_, text, ran| {
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
    for_every_program(|_, _, ran| {
        // A bare question may be one expression that is at fault as a whole; a statement with a keyword never is.
        let mut underlined = ran.statements.iter().flat_map(|s| &s.underlined);
        match underlined.find(|words| words.split_whitespace().count() > 2) {
            Some(words) => Err(format!("a label underlines the whole statement `{words}`")),
            None => Ok(()),
        }
    });
}

#[test]
fn what_a_check_refuses_a_run_refuses() {
    for_every_program(|path, text, _| {
        let ((session, checked), (_, ran)) = (run_as(&name(path), text, false), run_as(&name(path), text, true));
        for outcome in checked.iter().filter(|o| o.diagnostics.iter().any(Diagnostic::is_error)) {
            let same = ran.iter().find(|o| o.span == outcome.span);
            if same.is_some_and(Outcome::held) {
                let said = shown(&session, &checked);
                return Err(format!("`{}` is refused without a reason:\n{said}", outcome.statement));
            }
        }
        Ok(())
    });
}

#[test]
fn repairs_repair() {
    let count = |ran: &Ran, code: &str| ran.diagnostics().filter(|d| d.code.to_string() == code).count();
    let failures = for_each(all(), |(path, text, ran)| {
        for d in ran.diagnostics() {
            let code = d.code.to_string();
            for repair in d.repairs.iter().filter(|r| Some(r.span.source) == ran.main) {
                let mut repaired = text.clone();
                repaired.replace_range(repair.span.range(), &repair.text);
                let after = Ran::new(&name(path), &repaired);
                if count(&after, &code) >= count(ran, &code) {
                    let name = name(path);
                    return Some(format!(
                        "── {name}\nthe repair of {code} does not remove it:\n{repaired}\n{}",
                        after.shown
                    ));
                }
            }
        }
        None
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
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
    "animate ",
    "poincare ",
    "save ",
    "run.a.",
    "sweep ",
    "collect ",
    "sample ",
    // §7 and §8
    "assert ",
    "test \"",
    "explain ",
    "potential =",
];

#[test]
fn every_construct_is_accepted_once_and_rejected_once() {
    let programs = programs();
    let (accepted, rejected): (Vec<_>, Vec<_>) = programs.iter().partition(|p| name(p).starts_with("accepted/"));
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
    let (session, outcomes) = run("sampled.mech", text);
    let questions: Vec<&Outcome> = outcomes.iter().filter(|o| o.answer.is_some()).collect();
    let (last, marked) = questions.split_last().expect("questions");
    assert_eq!(marked.len(), 9, "{}", shown(&session, &outcomes));
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
    for_every_program(|_, _, ran| {
        for statement in &ran.statements {
            let errors: Vec<&Diagnostic> = statement.diagnostics.iter().filter(|d| d.is_error()).collect();
            let places: std::collections::BTreeSet<_> = errors.iter().map(|d| d.primary()).collect();
            // What can be found without computing is named all at once, each mistake at a place of its own.
            if errors.len() > places.len() {
                return Err(format!("`{}` has {} errors", statement.text, errors.len()));
            }
        }
        Ok(())
    });
}
