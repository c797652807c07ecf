//! The front end on whole programs: the conformance programs, programs at random, cut-off texts, very
//! large texts, and mutations of all of them.
//!
//! `LEPAGE_FUZZ=100 cargo test --test syntax` runs the random parts a hundred times as long (10000 is some
//! hours), and `LEPAGE_SEED=8` lets the mutations take another way.

#[path = "syntax/generate.rs"]
mod generate;

use generate::Random;
use lepage::diagnostic::Diagnostic;
use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Session, SessionOptions, Status};
use lepage::source::SourceId;
use lepage::workshop::algebra::expr::node_count;
use lepage::workshop::syntax::ast::{Ast, ExprKind};
use lepage::workshop::syntax::format::{format, layout};
use lepage::workshop::syntax::lexer::lex;
use lepage::workshop::syntax::parse::{Completeness, is_complete, parse};
use std::path::{Path, PathBuf};

/// Every `.mech` file below a folder of `tests/`, in the order of their paths; `../examples` works too.
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

/// The tree without its places: what `fmt` must keep.
fn shape(text: &str) -> String {
    let printed = format!("{:?}", read(text).0);
    let mut shape = String::with_capacity(printed.len() / 2);
    let mut rest = printed.as_str();
    while let Some(at) = rest.find("Span { source") {
        shape.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').map_or(rest.len(), |end| end + 1)..];
    }
    shape.push_str(rest);
    shape
}

fn comments(text: &str) -> Vec<String> {
    let lexed = lex(SourceId(0), text);
    lexed.comments.iter().map(|c| text[c.start as usize..c.end as usize].replace("\r\n", "\n")).collect()
}

/// `fmt` keeps the tree and the comments, and is idempotent.
fn check_format(text: &str) -> Result<(), String> {
    let formatted = layout(text);
    if format(text).ok().as_ref() != Some(&formatted) {
        return Err(format!("the layout was thought to change the program:\n{formatted}"));
    }
    if shape(text) != shape(&formatted) {
        return Err(format!("the tree has changed:\n{formatted}"));
    }
    if comments(text) != comments(&formatted) {
        return Err(format!("a comment has changed:\n{formatted}"));
    }
    let again = format(&formatted).map_err(|p| format!("{:?}", p.into_sorted()))?;
    if again != formatted {
        return Err(format!("not idempotent:\n{formatted}\nthen:\n{again}"));
    }
    let blanks = |line: &str| line.ends_with([' ', '\t', '\r']);
    if formatted.lines().any(blanks) && !formatted.contains("/*") {
        return Err(format!("blanks at the end of a line:\n{formatted}"));
    }
    Ok(())
}

/// How much longer than usual the random parts run.
fn long() -> u64 {
    std::env::var("LEPAGE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

#[test]
fn every_conformance_program_parses_and_survives_fmt() {
    let programs = programs("cases");
    assert!(programs.len() >= 120, "the conformance programs are missing");
    for (path, text) in programs {
        let (ast, problems) = read(&text);
        assert!(problems.is_empty(), "{}: {:?}", path.display(), problems[0]);
        assert!(!ast.statements.is_empty());
        check_format(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

#[test]
fn the_tour_of_the_language_parses_and_survives_fmt() {
    for (path, text) in programs("syntax") {
        let (_, problems) = read(&text);
        assert!(problems.is_empty(), "{}: {:?}", path.display(), problems[0]);
        check_format(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

/// The rejected programs of `tests/ui/syntax`: each marker is one problem on its line, and nothing else
/// is reported.
#[test]
fn rejected_programs_are_rejected_where_the_markers_say() {
    let programs = programs("ui/syntax");
    assert!(programs.len() >= 30);
    for (path, text) in programs {
        let line = |byte: usize| text[..byte].matches('\n').count() + 1;
        let found: Vec<(usize, String)> = read(&text)
            .1
            .iter()
            .map(|d| (line(d.primary().map_or(0, |s| s.start as usize)), format!("E{:04}", d.code.number)))
            .collect();
        let markers: Vec<(usize, String)> = text
            .lines()
            .enumerate()
            .filter_map(|(i, line)| Some((i + 1, line.split_once("//~ ")?.1.trim().to_string())))
            // What follows from a refused declaration is said later.
            .filter(|(_, code)| code != "E0107")
            .collect();
        assert_eq!(found, markers, "{}", path.display());
    }
}

/// parse ∘ format = identity, on programs of every construct in every layout.
#[test]
fn programs_at_random_parse_and_survive_fmt() {
    for seed in 0..2000 * long() {
        let text = generate::program(seed, 1 + seed as usize % 7);
        let (_, problems) = read(&text);
        assert!(problems.is_empty(), "seed {seed}: {:?}\n{text}", problems[0]);
        check_format(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\nfrom:\n{text}"));
    }
}

/// Everything that may be asked of a text, in the hope that nothing panics.
fn exercise(text: &str) {
    let (ast, problems) = read(text);
    for d in &problems {
        for label in &d.labels {
            assert!(text.get(label.span.range()).is_some(), "a label outside the text: {d:?}\n{text}");
        }
        assert!(!d.labels.is_empty(), "{d:?} has no place");
    }
    for id in ast.ids() {
        let mut operands = vec![];
        ast.operands(id, &mut operands);
        assert!(operands.iter().all(|o| o < &id), "operands stand first");
    }
    let _ = is_complete(text);
    if problems.is_empty() {
        check_format(text).unwrap_or_else(|e| panic!("{e}\nfrom:\n{text}"));
    }
}

#[test]
fn a_text_cut_off_anywhere_is_read_or_refused() {
    let mut texts: Vec<String> = programs("syntax").into_iter().map(|p| p.1).collect();
    texts.extend(programs("cases").into_iter().map(|p| p.1).filter(|t| t.len() < 1200));
    texts.extend((0..20).map(|seed| generate::program(seed, 4)));
    for text in texts {
        for end in 0..text.len() {
            if let Some(cut) = text.get(..end) {
                let (_, problems) = read(cut);
                assert!(problems.len() <= 101);
                let _ = is_complete(cut);
            }
        }
    }
}

/// Pieces that make trouble.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "'",
    "@",
    "=",
    "!=",
    "<",
    "+",
    "-",
    "*",
    "/",
    "/\\",
    "^",
    "\n",
    " ",
    "\n- ",
    "\n-",
    "//",
    "/*",
    "*/",
    "///",
    "\"",
    "\\",
    "at",
    "is",
    "not",
    "and",
    "within",
    "fails with",
    "on",
    "over",
    "let",
    "param",
    "assert",
    "manifold",
    "simulate",
    "test \"a\" {",
    "force x",
    "from",
    "every",
    "rising",
    "against",
    "1",
    "1.",
    ".5",
    "1e9",
    "1e999999999",
    "2x",
    "q̇",
    "∧",
    "−",
    "²",
    "’",
    "\u{0}",
    "\u{FEFF}",
    "\r\n",
    "θ",
    "list(i in 1..n,",
    "sum(",
    "1-form",
    "==",
    "**",
    "#",
    "dependent:",
    "{ x = 1 }",
    "generated by",
    "subject to",
    "rel",
    "to \"f\"",
];

fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len() + 1);
        let length = 1 + random.below(12);
        let end = (at + length).min(chars.len());
        match random.below(6) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let piece: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, piece);
            }
            2 if at < chars.len() => {
                let other = random.below(chars.len());
                chars.swap(at, other);
            }
            3 => chars.truncate(at),
            _ => {
                let piece = random.pick(PIECES);
                chars.splice(at..at, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let mut corpus: Vec<String> = programs("syntax").into_iter().map(|p| p.1).collect();
    corpus.extend(programs("cases").into_iter().map(|p| p.1.chars().take(1500).collect()));
    let tour = corpus[0].clone();
    corpus.extend(tour.split("\n\n").map(str::to_string));
    let seed = std::env::var("LEPAGE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7);
    let mut random = Random::new(seed);
    for round in 0..3000 * long() {
        let text = match round % 3 {
            0 => generate::program(random.next(), 3),
            _ => corpus[random.below(corpus.len())].clone(),
        };
        exercise(&mutate(&mut random, &text));
    }
}

/// Found by mutations: what stands between two words may join them, or come between them and their comments.
#[test]
fn layouts_that_once_changed_a_program() {
    for text in [
        "let a = (x)'' '",
        "let a = f(1 .n)",
        "let a = 2*/* two */3",
        "let a = 1\n;/// documentation\nlet b = 2",
        "let a = A at {}\n// a line\nevery",
        "plot run { x\n-// the end\n2 }",
    ] {
        assert!(read(text).1.is_empty(), "{text}");
        check_format(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn deep_nesting_is_refused_at_once() {
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("{x = ", "}"), ("-", ""), ("not ", ""), ("2^", "")] {
        let n = 100_000;
        let text = format!("let a = 1\nlet c = {}x{}\nlet b = 2", open.repeat(n), close.repeat(n));
        let (ast, problems) = read(&text);
        assert_eq!(problems.len(), 1, "{open}: {problems:?}");
        assert_eq!(problems[0].code.name, "nesting");
        assert_eq!(ast.statements.len(), 2);
    }
    for chain in [".a", "[1]", "(1)", " at p", " '"] {
        let text = format!("x{}", chain.repeat(100_000));
        let (ast, problems) = read(&text);
        assert!(problems.iter().any(|d| d.code.name == "nesting") || chain == " '", "{chain}");
        assert!(ast.exprs.len() < 10_000);
    }
    let tests = "test \"a\" {".repeat(100_000);
    assert!(read(&tests).1.iter().any(|d| d.code.name == "nesting"));
}

#[test]
fn a_million_terms_are_one_node() {
    let text = format!("let a = x{}", " + x*y".repeat(1_000_000));
    let (ast, problems) = read(&text);
    assert!(problems.is_empty());
    let last = ast.ids().next_back().expect("an expression");
    assert!(matches!(ast.kind(last), ExprKind::Sum(terms) if terms.len() == 1_000_001));
    // The formatter keeps up, also with remarks.
    let text = format!("let a = x{}\n{}b", "+x*y".repeat(100_000), "// a remark\n".repeat(100_000));
    assert!(layout(&text).starts_with("let a = x + x*y + x*y"));
}

#[test]
fn unusual_texts() {
    for empty in ["", "\n", "\u{FEFF}", " \t\r\n", "// only a comment", "/* only */", ";;;\n;"] {
        let (ast, problems) = read(empty);
        assert!(ast.statements.is_empty() && problems.is_empty(), "{empty:?}");
        check_format(empty).unwrap_or_else(|e| panic!("{empty:?}: {e}"));
    }
    let unix = "manifold Y over t {\n    x\n    y\n}\nlet a = 1\n    + 2\n";
    let windows = unix.replace('\n', "\r\n");
    assert_eq!(shape(unix), shape(&windows));
    assert_eq!(shape(unix), shape(&format!("\u{FEFF}{unix}")));
    assert_eq!(format(&windows).ok().as_deref(), Some(unix));
    assert!(read("2^(10^9)").1.is_empty());
    assert_eq!(read("let a = 1e999999999").1[0].code.name, "number_too_large");
    assert_eq!(read(&format!("let a = {}", "9".repeat(1_000_000))).1[0].code.name, "number_too_large");
    // A hundred thousand mistakes are not a hundred thousand messages.
    let (_, problems) = read(&"let x y\n".repeat(100_000));
    assert!(problems.len() <= 101, "{}", problems.len());
    assert!(read(&"€".repeat(100_000)).1.len() <= 101);
    assert!(read(&")".repeat(100_000)).1.len() <= 101);
}

#[test]
fn the_repl_knows_when_a_text_goes_on() {
    for text in [
        "manifold Y over t {",
        "let a = (1 +",
        "let a = 1 +",
        "let a =",
        "system S = L with",
        "/* a comment",
        "/// what follows",
        "test \"a\" {\n x",
        "manifold Y over t",
        "simulate S",
        "f(x,",
        "assert",
        "let M = [\n[1, 2],",
        "A at",
        "constraint c on J1(Y) { x' = 0;",
    ] {
        assert_eq!(is_complete(text), Completeness::Incomplete, "{text}");
    }
    for text in [
        "",
        "x",
        "let a = 1",
        "manifold Y over t { x }",
        "assert A fails",
        "let a = \"open",
        ")",
        "let a b",
        "plot run",
        "-x",
        "// a comment",
        "x + y // and",
        "simulate S { until t = 1 }",
        "let let",
    ] {
        assert_eq!(is_complete(text), Completeness::Complete, "{text}");
    }
}

/// Reads a text as `lepage check` does, shows every message, and says how the statements ended.
fn check(text: &str, answer: bool) -> Vec<Status> {
    let mut session = Session::new(SessionOptions { answer, ..SessionOptions::default() });
    let outcomes = session.feed("cut.mech", text, Mode::File);
    for format in [MessageFormat::Human, MessageFormat::Json] {
        let mut renderer = Renderer::new(session.sources(), format, false);
        for outcome in &outcomes {
            let shown = renderer.render_all(&outcome.diagnostics);
            assert!(outcome.diagnostics.is_empty() == shown.is_empty(), "{shown}");
            assert!(!shown.contains("E0999"), "{shown}");
        }
    }
    outcomes.iter().map(|o| o.status).collect()
}

/// Every example that is cut there, in two tests that run side by side.
fn cut_examples(at: impl Fn(usize) -> bool) {
    let examples = programs("../examples");
    assert!(examples.len() >= 2);
    for (_, text) in &examples {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end) && at(*end)) {
            check(&text[..end], false);
        }
    }
}

#[test]
fn every_example_cut_at_every_even_byte_is_a_diagnostic_or_a_result() {
    cut_examples(|end| end % 2 == 0);
}

#[test]
fn every_example_cut_at_every_odd_byte_is_a_diagnostic_or_a_result() {
    cut_examples(|end| end % 2 == 1);
}

#[test]
fn the_library_cut_anywhere_is_a_diagnostic_or_a_result() {
    // At every line, and now and then between.
    for (_, text) in programs("../stdlib") {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            if text[..end].ends_with('\n') || end % (211 / long().min(211) as usize).max(1) == 0 {
                check(&text[..end], false);
            }
        }
    }
}

#[test]
fn texts_that_are_far_too_large_are_answered_with_bounded_work() {
    // What is asked for would take 10^9 nodes and more; what is made of it before it is refused is counted.
    let limit = 1_000_000;
    let start = node_count();
    let refused = [
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        "2^(10^9)".to_string(),
        "3^(3^(3^3))".to_string(),
        "(1/3)^(2^40)".to_string(),
        "sum(i in 1..10^12, i)".to_string(),
        "let f(x) = f(x + 1)\nf(1)".to_string(),
        "manifold Y over t { q[1..10^9] }".to_string(),
        "manifold Y over t { x }\njet(x, 10^9)".to_string(),
    ];
    for text in &refused {
        let outcomes = check(text, true);
        assert!(outcomes.contains(&Status::Refused), "{}: {outcomes:?}", &text[..text.len().min(60)]);
    }
    let terms = format!("manifold Y over t {{ x }}\nx{}", " + x".repeat(1_000_000));
    assert_eq!(check(&terms, true), [Status::Declared, Status::Ok]);
    assert!(node_count() - start < limit, "{} nodes were made", node_count() - start);
}

#[test]
fn line_ends_and_marks_of_other_systems_make_no_difference() {
    for (path, text) in programs("../examples") {
        let plain = check(&text, false);
        assert_eq!(check(&text.replace('\n', "\r\n"), false), plain, "{}", path.display());
        assert_eq!(check(&format!("\u{feff}{text}"), false), plain, "{}", path.display());
    }
    assert_eq!(check("", true), []);
}
