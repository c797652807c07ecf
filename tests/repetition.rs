//! An answer is a function of its question: it does not matter what was asked, tested or run before it. Every program of the
//! repository is run as it stands, in a thread of its own, and then again in the same thread, *all at once*: its own `test` blocks
//! stand where the names they use are declared, before what asks, and each question, explanation and assertion stands twice.
//!
//! One of eight, or each where LEPAGE_EVERY_PROGRAM is set, is run in nine other ways too, which say what it is that makes a
//! difference:
//!
//! - *asked twice*: each question, explanation and assertion stands twice in the text;
//! - *without its tests*: the program's own `test` blocks are left out;
//! - *after its tests*: the program's own `test` blocks are repeated before each question, as soon as the names they use are
//!   declared, so that what a test assumes is forgotten when it ends;
//! - *after other facts*: before each question stands a test that asks it where all coordinates are positive;
//! - *in another order*: questions that follow each other are asked backwards;
//! - *before its facts*: before each fact stand the questions that follow it, as far as their names are declared;
//! - *runs made before*: each run is made in a test before it, where all that is assumed elsewhere is assumed as well;
//! - *declared again*: line by line in one session, and once more in the same, where every name is declared anew;
//! - *run again*: a second session in the same thread reads the same text.
//!
//! And a session that only checks refuses no statement that is carried out.
//!
//! Each time the statements of the program itself say the same bytes: text, LaTeX, JSON, verdict and every remark. What was
//! inserted says the same as what it repeats (a question at other facts may say what it likes).

use lepage::diagnostic::{Diagnostic, Severity};
use lepage::session::{Mode, Session, SessionOptions};
use lepage::source::{SourceId, SourceMap};
use lepage::workshop::syntax::ast::{Ast, Statement, StatementKind};
use lepage::workshop::syntax::parse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program and where it lies.
#[derive(Clone)]
struct Program {
    /// The path below the root of the repository.
    name: String,
    text: String,
}

/// One program of so many is run in every way, unless LEPAGE_EVERY_PROGRAM is set: all of them so often take many minutes.
const ONE_OF: usize = 8;

/// Every program of the repository that is run by itself, sorted.
fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = ["tests", "examples", "stdlib"].iter().map(|folder| root.join(folder)).collect();
    let mut found = vec![];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mech") {
                let below = path.strip_prefix(root).expect("below the root");
                let name = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
                let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
                found.push(Program { name, text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// What a statement said, in every form in which a reader or a program can meet it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    /// The byte at which the statement begins.
    start: usize,
    statement: String,
    lines: Vec<String>,
}

impl Said {
    /// What was said, where a name that nothing declares is described once in a file and named after that: whoever names it and
    /// whoever describes it refuse the same for the same reason.
    fn named_again(&self) -> Vec<String> {
        let mut lines = vec![];
        let mut described = false;
        for line in &self.lines {
            let missing = [
                ("Error E0101: the name ", " is not declared"),
                ("Note E0107: ", " is not declared, as was said above"),
            ]
            .iter()
            .find_map(|(head, tail)| line.strip_prefix(head)?.strip_suffix(tail));
            described = missing.is_some() || described && line.starts_with("  ");
            match missing {
                Some(name) => lines.push(format!("{name} is missing")),
                None if described => {}
                None => lines.push(line.clone()),
            }
        }
        lines
    }
}

/// A remark without its place in the file, with the words that it points at.
fn remark(d: &Diagnostic, sources: &SourceMap) -> Vec<String> {
    let mut lines = vec![format!("{:?} {}: {}", d.severity, d.code, d.title)];
    lines.extend(d.labels.iter().map(|l| format!("  `{}`: {}", sources.slice(l.span), l.message)));
    lines.extend(d.notes.iter().map(|n| format!("  note: {n}")));
    lines.extend(d.helps.iter().map(|h| format!("  help: {h}")));
    lines.extend(d.repairs.iter().map(|r| format!("  repair: {}", r.text)));
    lines
}

/// Runs a text and keeps what is said, statement by statement at the moment at which a user sees it; last what is said of
/// the whole text.
fn run(name: &str, text: &str, out: &Path) -> Vec<Said> {
    feed(&mut session(out, true), name, text, out)
}

/// A session that answers, or one that checks.
fn session(out: &Path, answer: bool) -> Session {
    Session::new(SessionOptions { out: out.to_path_buf(), portable: true, answer, ..SessionOptions::default() })
}

fn feed(session: &mut Session, name: &str, text: &str, out: &Path) -> Vec<Said> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![];
    let rest = session.feed_each(&root.join(name).to_string_lossy(), text, Mode::File, |session, outcome| {
        let mut lines = vec![format!("{:?}", outcome.status)];
        if let Some(answer) = &outcome.answer {
            lines.extend(answer.text(100).lines().map(str::to_string));
            lines.push(format!("latex: {}", answer.latex()));
            lines.push(format!("json: {} {} {:?}", answer.json(), answer.type_name(), answer.verdict()));
        }
        lines.extend(outcome.diagnostics.iter().flat_map(|d| remark(d, session.sources())));
        all.push(Said { start: outcome.span.start as usize, statement: outcome.statement, lines });
    });
    all.sort_by_key(|said| said.start);
    let mut rest: Vec<Vec<String>> = rest.iter().map(|d| remark(d, session.sources())).collect();
    rest.sort();
    all.push(Said { start: text.len(), statement: "(the whole text)".into(), lines: rest.concat() });
    let _ = std::fs::remove_dir_all(out);
    all
}

/// Whether a statement asks something whose answer could depend on what was asked before. `_` is the last answer.
fn asks(statement: &Statement, text: &str) -> bool {
    let mentions_last = words(&text[statement.span.range()]).any(|word| word == "_");
    let kind = &statement.kind;
    matches!(kind, StatementKind::Question(_) | StatementKind::Explain(_) | StatementKind::Assert(_)) && !mentions_last
}

/// The names in a piece of text, and words of its strings and comments: more than there are is safe.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Where inserted statements begin, and where the statement begins in the program that each of them repeats.
type Copies = BTreeMap<usize, Option<usize>>;

/// A text with pieces put before or after statements. A copy knows which statement it repeats.
#[derive(Default)]
struct Variant {
    /// `(byte of the old text, piece, start of the statement that it repeats)`, in the order of the text.
    pieces: Vec<(usize, String, Option<usize>)>,
}

impl Variant {
    fn insert_after(&mut self, statement: &Statement, piece: &str, of: Option<usize>) {
        self.pieces.push((statement.span.end as usize, format!("\n{piece}"), of));
    }

    fn insert_before(&mut self, statement: &Statement, piece: &str, of: Option<usize>) {
        self.pieces.push((statement.span.start as usize, format!("{piece}\n"), of));
    }

    /// The new text, and for each inserted statement the byte at which it begins.
    fn text(&self, old: &str) -> (String, Copies) {
        let (mut text, mut copies, mut done) = (String::new(), Copies::new(), 0);
        for (place, piece, of) in &self.pieces {
            text += &old[done..*place];
            done = *place;
            copies.insert(text.len() + usize::from(piece.starts_with('\n')), *of);
            text += piece;
        }
        text += &old[done..];
        (text, copies)
    }
}

/// Each question, explanation and assertion twice.
fn asked_twice(ast: &Ast, text: &str) -> Variant {
    let mut variant = Variant::default();
    for statement in ast.statements.iter().filter(|s| asks(s, text)) {
        variant.insert_after(statement, &text[statement.span.range()], Some(statement.span.start as usize));
    }
    variant
}

/// The number of statements after which a test can stand: all that declare one of its names come before it, and so do all
/// facts and everything that is used.
fn earliest(ast: &Ast, test: usize, text: &str) -> usize {
    let piece = |i: usize| &text[ast.statements[i].span.range()];
    let names: Vec<&str> = words(piece(test)).collect();
    let needed = |i: &usize| match &ast.statements[*i].kind {
        StatementKind::Question(_) | StatementKind::Explain(_) | StatementKind::Assert(_) | StatementKind::Test(_) => {
            false
        }
        StatementKind::Assume(_) | StatementKind::Use(_) => true,
        _ => words(piece(*i)).any(|word| names.contains(&word)),
    };
    (0..test).rev().find(needed).map_or(0, |i| i + 1)
}

/// Each test once more before the first statement that asks or runs something, as soon as its names are declared, and each
/// question twice.
fn all_at_once(ast: &Ast, text: &str) -> Variant {
    let of = |(i, s): (usize, &Statement)| (earliest(ast, i, text), s.clone());
    let is_test = |(_, s): &(usize, &Statement)| matches!(s.kind, StatementKind::Test(_));
    let mut tests: Vec<(usize, Statement)> = ast.statements.iter().enumerate().filter(is_test).map(of).collect();
    let mut variant = Variant::default();
    for (i, statement) in ast.statements.iter().enumerate() {
        if asks(statement, text) || makes_a_run(statement, text) || matches!(statement.kind, StatementKind::Test(_)) {
            for (_, test) in tests.extract_if(.., |(place, _)| *place <= i) {
                variant.insert_before(statement, &text[test.span.range()], Some(test.span.start as usize));
            }
        }
        if asks(statement, text) {
            variant.insert_after(statement, &text[statement.span.range()], Some(statement.span.start as usize));
        }
    }
    variant
}

/// All tests that can stand there before each question, and each test twice.
fn after_its_tests(ast: &Ast, text: &str) -> Variant {
    let tests: Vec<(usize, &Statement)> =
        ast.statements.iter().enumerate().filter(|(_, s)| matches!(s.kind, StatementKind::Test(_))).collect();
    let tests: Vec<(usize, &Statement)> = tests.iter().map(|(i, s)| (earliest(ast, *i, text), *s)).collect();
    let mut variant = Variant::default();
    for (i, statement) in ast.statements.iter().enumerate() {
        if asks(statement, text) || matches!(statement.kind, StatementKind::Simulate(_) | StatementKind::Test(_)) {
            for (_, test) in tests.iter().filter(|(place, _)| *place <= i) {
                variant.insert_before(statement, &text[test.span.range()], Some(test.span.start as usize));
            }
        }
    }
    variant
}

/// A program with blanks in the place of its tests; `None` if it has none.
fn without_its_tests(ast: &Ast, program: &Program) -> Option<Program> {
    let mut text = program.text.clone();
    for test in ast.statements.iter().filter(|s| matches!(s.kind, StatementKind::Test(_))) {
        let range = test.span.range();
        let blanks: String = text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(range, &blanks);
    }
    (text != program.text).then(|| Program { name: program.name.clone(), text })
}

/// Before each question the same question where all coordinates are positive.
fn after_other_facts(ast: &Ast, text: &str) -> Variant {
    let mut variant = Variant::default();
    let mut names: Vec<String> = vec![];
    for statement in &ast.statements {
        if let StatementKind::Manifold(manifold) = &statement.kind {
            let single = manifold.coordinates.iter().filter(|c| c.family.is_empty());
            names.extend(single.map(|c| format!("{} > 0", c.name.node)));
        }
        if asks(statement, text) && !names.is_empty() {
            let question = &text[statement.span.range()];
            let test = format!("test \"elsewhere\" {{\n    assume {}\n    {question}\n}}", names.join(", "));
            variant.insert_before(statement, &test, None);
        }
    }
    variant
}

/// The starts of questions that follow each other, in the order of the text. What stands among them that declares nothing
/// and shows nothing of them does not part them.
fn together(ast: &Ast, text: &str) -> Vec<Vec<(usize, usize)>> {
    let mut groups = vec![vec![]];
    for statement in &ast.statements {
        if asks(statement, text) {
            let range = statement.span.range();
            groups.last_mut().expect("there is one").push((range.start, range.end));
        } else if !matches!(statement.kind, StatementKind::Test(_)) {
            groups.push(vec![]);
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The text with the questions of each group in the opposite order, and for each of them where it stands now and where it
/// stood; `None` if there is nothing to turn.
fn in_another_order(ast: &Ast, text: &str) -> Option<(String, BTreeMap<usize, usize>)> {
    let (mut turned, mut places, mut done) = (String::new(), BTreeMap::new(), 0);
    let groups = together(ast, text);
    for group in &groups {
        for (place, from) in group.iter().zip(group.iter().rev()) {
            turned += &text[done..place.0];
            places.insert(turned.len(), from.0);
            turned += &text[from.0..from.1];
            done = place.1;
        }
    }
    turned += &text[done..];
    (!groups.is_empty()).then_some((turned, places))
}

/// Before each fact some of the questions that follow it. Those with names that are declared later are refused.
fn before_its_facts(ast: &Ast, text: &str) -> Variant {
    const SOME: usize = 8;
    let mut variant = Variant::default();
    for (i, fact) in ast.statements.iter().enumerate() {
        if matches!(fact.kind, StatementKind::Assume(_)) {
            for question in ast.statements[i..].iter().filter(|s| asks(s, text)).take(SOME) {
                variant.insert_before(fact, &text[question.span.range()], None);
            }
        }
    }
    variant
}

fn makes_a_run(statement: &Statement, text: &str) -> bool {
    matches!(&statement.kind, StatementKind::Simulate(_))
        || matches!(&statement.kind, StatementKind::Let(_))
            && words(&text[statement.span.range()]).any(|word| word == "simulate")
}

/// Before each run a test that makes the same run, and one that makes it where all coordinates are positive.
fn runs_made_before(ast: &Ast, text: &str) -> Variant {
    let mut variant = Variant::default();
    let mut names: Vec<String> = vec![];
    for statement in &ast.statements {
        if let StatementKind::Manifold(manifold) = &statement.kind {
            let single = manifold.coordinates.iter().filter(|c| c.family.is_empty());
            names.extend(single.map(|c| format!("{} > 0", c.name.node)));
        }
        let piece = &text[statement.span.range()];
        if makes_a_run(statement, text) {
            variant.insert_before(statement, &format!("test \"elsewhere\" {{\n    {piece}\n}}"), None);
            if !names.is_empty() {
                let facts = names.join(", ");
                let test = format!("test \"elsewhere\" {{\n    assume {facts}\n    {piece}\n}}");
                variant.insert_before(statement, &test, None);
            }
        }
    }
    variant
}

/// What a session that only checks refuses although it is carried out.
fn refused_without_a_reason(program: &Program, first: &[Said], out: &Path) -> Vec<String> {
    let is_refused = |said: &Said| said.lines.iter().any(|line| line.starts_with("Error "));
    let checked = feed(&mut session(out, false), &program.name, &program.text, out);
    let mut found = vec![];
    for said in checked.iter().filter(|said| is_refused(said)) {
        let same = first.iter().find(|one| one.start == said.start);
        if same.is_some_and(|same| !is_refused(same)) {
            let line = program.text[..said.start].matches('\n').count() + 1;
            let why: Vec<&str> = said.lines.iter().map(String::as_str).filter(|l| l.starts_with("Error ")).collect();
            found.push(format!("{}:{line}: {}", program.name, why.join("; ")));
        }
    }
    found
}

/// Whether no two manifolds have a coordinate of the same name: at the second time those are there that come later in the text,
/// and a name that several have is refused.
fn every_coordinate_has_one_manifold(ast: &Ast) -> bool {
    let manifolds = ast.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Manifold(manifold) => Some(manifold),
        _ => None,
    });
    let mut names: Vec<&str> = manifolds.flat_map(|m| m.coordinates.iter().map(|c| &*c.name.node)).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

/// Each statement by itself, as lines of one session.
fn line_by_line(session: &mut Session, ast: &Ast, program: &Program, out: &Path) -> Vec<Said> {
    let mut all = vec![];
    for statement in &ast.statements {
        let piece = &program.text[statement.span.range()];
        let line = lines_of(session, piece);
        all.push(Said { start: statement.span.start as usize, statement: piece.to_string(), lines: line });
    }
    let _ = std::fs::remove_dir_all(out);
    all
}

/// What a session says of a line. That a name is declared again is said the second time only.
fn lines_of(session: &mut Session, line: &str) -> Vec<String> {
    let mut lines = vec![];
    session.feed_each("", line, Mode::Line, |session, outcome| {
        lines.push(format!("{:?}", outcome.status));
        if let Some(answer) = &outcome.answer {
            lines.extend(answer.text(100).lines().map(str::to_string));
            lines.push(format!("latex: {}", answer.latex()));
            lines.push(format!("json: {} {} {:?}", answer.json(), answer.type_name(), answer.verdict()));
        }
        let again = |d: &&Diagnostic| d.severity != Severity::Note;
        lines.extend(outcome.diagnostics.iter().filter(again).flat_map(|d| remark(d, session.sources())));
    });
    lines
}

/// The ways in which a program is run again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    AllAtOnce,
    AskedTwice,
    WithoutItsTests,
    AfterItsTests,
    AfterOtherFacts,
    InAnotherOrder,
    BeforeItsFacts,
    RunsMadeBefore,
    DeclaredAgain,
    Checked,
    RunAgain,
}

/// Runs a piece of work in a thread that has computed nothing before.
fn fresh<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    thread.join().expect("no panic")
}

/// Two lines from a little before the place where they begin to differ.
fn from_difference(first: &str, then: &str) -> (String, String) {
    let same = first.chars().zip(then.chars()).take_while(|(a, b)| a == b).count();
    let part = |line: &str| line.chars().skip(same.saturating_sub(30)).take(150).collect::<String>();
    (part(first), part(then))
}

/// The first lines in which two reports differ, shortened.
fn difference(first: &[String], then: &[String]) -> String {
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).take(3).cloned().collect()
    };
    let (mut first_only, mut then_only) = (only(first, then), only(then, first));
    if first_only.is_empty() && then_only.is_empty() {
        return "    the same lines, in another number or order".into();
    }
    let n = first_only.len().max(then_only.len());
    first_only.resize(n, String::new());
    then_only.resize(n, String::new());
    let pairs = first_only.iter().zip(&then_only).map(|(first, then)| from_difference(first, then));
    let (first, then): (Vec<String>, Vec<String>) = pairs.unzip();
    format!("    first: {}\n    then:  {}", first.join(" ⏎ "), then.join(" ⏎ "))
}

/// What does not agree with the program as it stands. `copies` holds the starts of the inserted statements.
fn complaints(program: &Program, first: &[Said], again: &[Said], copies: &Copies) -> Vec<String> {
    let (copied, own): (Vec<&Said>, Vec<&Said>) = again.iter().partition(|said| copies.contains_key(&said.start));
    if own.len() != first.len() {
        return vec![format!("{}: {} statements, then {}", program.name, first.len(), own.len())];
    }
    let mut found = vec![];
    let mut complain = |first: &Said, then: &Said, what: &str| {
        let same_lines = first.lines == then.lines || first.named_again() == then.named_again();
        if !same_lines || first.statement != then.statement {
            let line = program.text[..first.start].matches('\n').count() + 1;
            let statement = first.statement.lines().next().unwrap_or_default();
            let difference = difference(&first.lines, &then.lines);
            found.push(format!("{}:{line}: {statement}{what}\n{difference}", program.name));
        }
    };
    // A test at other facts may be refused, and then nothing is said of names that are not used.
    let whole_text_is_said = !copies.values().any(Option::is_none);
    for (first, then) in first.iter().zip(own) {
        if first.start < program.text.len() || whole_text_is_said {
            complain(first, then, "");
        }
    }
    for copy in copied {
        let original = copies[&copy.start].and_then(|start| first.iter().find(|said| said.start == start));
        original.into_iter().for_each(|original| complain(original, copy, " (repeated)"));
    }
    found
}

/// Runs one program twice in one thread, the second time with its tests before what asks and each question twice; and, where
/// `in_every_way`, in the other ways too.
fn examine(program: &Program, number: usize, in_every_way: bool) -> BTreeMap<Way, Vec<String>> {
    let out = std::env::temp_dir().join(format!("lepage-repetition-{}-{number}", std::process::id()));
    let (ast, problems) = parse::parse(SourceId::default(), &program.text);
    let (text, copies) = all_at_once(&ast, &program.text).text(&program.text);
    let (first, at_once, second) = {
        let (program, out) = (program.clone(), out.clone());
        fresh(move || {
            let first = run(&program.name, &program.text, &out);
            let at_once = run(&program.name, &text, &out);
            (first, at_once, in_every_way.then(|| run(&program.name, &program.text, &out)))
        })
    };
    let mut found = BTreeMap::from([(Way::AllAtOnce, complaints(program, &first, &at_once, &copies))]);
    let Some(second) = second else { return found };
    found.insert(Way::RunAgain, complaints(program, &first, &second, &Copies::new()));
    let again_in = |text: String| {
        let (name, out) = (program.name.clone(), out.clone());
        fresh(move || run(&name, &text, &out))
    };
    let checked = {
        let (program, first, out) = (program.clone(), first.clone(), out.clone());
        fresh(move || refused_without_a_reason(&program, &first, &out))
    };
    found.insert(Way::Checked, checked);
    if let Some((text, places)) = in_another_order(&ast, &program.text) {
        let mut again = again_in(text);
        again.iter_mut().for_each(|said| said.start = *places.get(&said.start).unwrap_or(&said.start));
        again.sort_by_key(|said| said.start);
        found.insert(Way::InAnotherOrder, complaints(program, &first, &again, &Copies::new()));
    }
    // What a file says of `use` and of names that nothing uses is not said of lines.
    let is_closed = !ast.statements.iter().any(|s| matches!(s.kind, StatementKind::Use(_)));
    if problems.is_empty() && is_closed && every_coordinate_has_one_manifold(&ast) {
        let (program, out) = (program.clone(), out.clone());
        let complaints = fresh(move || {
            let (ast, _) = parse::parse(SourceId::default(), &program.text);
            let mut session = session(&out, true);
            let once = line_by_line(&mut session, &ast, &program, &out);
            let again = line_by_line(&mut session, &ast, &program, &out);
            complaints(&program, &once, &again, &Copies::new())
        });
        found.insert(Way::DeclaredAgain, complaints);
    }
    if let Some(bare) = without_its_tests(&ast, program) {
        // Only what statements say by themselves is compared: a name that only a test uses is unused now, and one in a function
        // that nothing declares is said of the function where no test calls it.
        let starts: Vec<usize> = ast.statements.iter().map(|s| s.span.start as usize).collect();
        let carried_out = |all: &[Said]| -> Vec<Said> {
            let is_shared = |said: &&Said| starts.contains(&said.start) && !bare.text[said.start..].starts_with(' ');
            all.iter().filter(is_shared).cloned().collect()
        };
        let again = carried_out(&again_in(bare.text.clone()));
        found.insert(Way::WithoutItsTests, complaints(program, &carried_out(&first), &again, &Copies::new()));
    }
    let ways = [
        (Way::AskedTwice, asked_twice(&ast, &program.text)),
        (Way::AfterItsTests, after_its_tests(&ast, &program.text)),
        (Way::AfterOtherFacts, after_other_facts(&ast, &program.text)),
        (Way::BeforeItsFacts, before_its_facts(&ast, &program.text)),
        (Way::RunsMadeBefore, runs_made_before(&ast, &program.text)),
    ];
    for (way, variant) in ways.into_iter().filter(|(_, variant)| !variant.pieces.is_empty()) {
        let (text, copies) = variant.text(&program.text);
        found.insert(way, complaints(program, &first, &again_in(text), &copies));
    }
    found
}

/// All complaints by way, computed once for all tests of this file, by as many threads as there are processors.
fn findings() -> &'static BTreeMap<Way, Vec<String>> {
    static FINDINGS: OnceLock<BTreeMap<Way, Vec<String>>> = OnceLock::new();
    FINDINGS.get_or_init(|| {
        let (programs, next) = (programs(), AtomicUsize::new(0));
        assert!(programs.len() > 300, "only {} programs", programs.len());
        let each = std::env::var_os("LEPAGE_EVERY_PROGRAM").is_some();
        let work = || {
            let mut found = vec![];
            while let number = next.fetch_add(1, Ordering::Relaxed)
                && let Some(program) = programs.get(number)
            {
                found.push((number, examine(program, number, each || number.is_multiple_of(ONE_OF))));
            }
            found
        };
        let n_threads = std::thread::available_parallelism().map_or(2, usize::from);
        let mut found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        found.sort_by_key(|(number, _)| *number);
        let mut all: BTreeMap<Way, Vec<String>> = BTreeMap::new();
        for (way, complaints) in found.into_iter().flat_map(|(_, found)| found) {
            all.entry(way).or_default().extend(complaints);
        }
        all
    })
}

/// What a question costs is counted, and who asks again begins where the first time began.
#[test]
fn a_question_beyond_its_work_is_stopped_at_the_same_place_each_time() {
    let said = fresh(|| {
        let mut session = session(&std::env::temp_dir(), true);
        let mut ask = |line: &str, work: u64| {
            session.set_work(Some(work));
            lines_of(&mut session, line)
        };
        ask("manifold Y over t { x, y, z }", 1_000_000);
        let question = "simplify((x + y + z + 1)^8/(x - 2*y + 3*z)^7 + (x - 2*y + 3*z)^8/(x + y + z + 1)^7)";
        let few: Vec<_> = (0..5).map(|_| ask(question, 3_000)).collect();
        (few, ask(question, 400_000_000))
    });
    let (few, answered) = said;
    assert!(few.iter().all(|said| *said == few[0]), "{few:#?}");
    assert!(few[0] != answered && answered[0] == "Ok", "{few:#?} {answered:#?}");
}

fn nothing_differs(way: Way) {
    let all = findings().get(&way).expect("programs were run in this way");
    assert!(all.is_empty(), "{} statements differ:\n{}", all.len(), all.join("\n"));
}

#[test]
fn every_program_asked_twice_after_its_tests_and_run_again_says_the_same() {
    nothing_differs(Way::AllAtOnce);
}

#[test]
fn a_question_asked_twice_has_one_answer() {
    nothing_differs(Way::AskedTwice);
}

#[test]
fn a_test_is_not_missed_by_other_statements() {
    nothing_differs(Way::WithoutItsTests);
}

#[test]
fn what_a_test_assumes_ends_with_the_test() {
    nothing_differs(Way::AfterItsTests);
}

#[test]
fn an_answer_is_not_changed_by_the_same_question_at_other_facts() {
    nothing_differs(Way::AfterOtherFacts);
}

#[test]
fn the_order_of_questions_does_not_matter() {
    nothing_differs(Way::InAnotherOrder);
}

#[test]
fn what_was_asked_before_a_fact_was_assumed_does_not_matter() {
    nothing_differs(Way::BeforeItsFacts);
}

#[test]
fn a_run_is_not_changed_by_runs_before_it() {
    nothing_differs(Way::RunsMadeBefore);
}

#[test]
fn what_is_declared_again_means_the_same() {
    nothing_differs(Way::DeclaredAgain);
}

#[test]
fn a_check_refuses_nothing_that_is_carried_out() {
    nothing_differs(Way::Checked);
}

#[test]
fn a_program_run_twice_in_one_process_says_the_same_bytes() {
    nothing_differs(Way::RunAgain);
}
