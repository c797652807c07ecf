//! What we show is what it does. Every `examples/*.mech` is run by the program as a user would, and
//! its output is compared with the `.out` beside it. The programs of the README and of the book are run too, and their
//! `text` and `console` blocks are real output. `LEPAGE_BLESS=1 cargo test --test examples`
//! rewrites both.

use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::repl::Repl;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Examples whose room is not furnished yet. The tests fail when one of them could leave the list.
const NOT_YET: &[&str] = &[];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn bless() -> bool {
    std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1")
}

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).expect("the examples");
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("an example").path()).collect();
    found.retain(|p| p.extension().is_some_and(|e| e == "mech"));
    found.sort();
    found
}

/// Each example is worth a file: its first line names a feature, and no other example names the same.
#[test]
fn every_example_shows_something_of_its_own() {
    let mut shown = std::collections::BTreeMap::new();
    for example in examples() {
        let text = std::fs::read_to_string(&example).expect("an example");
        let first = text.lines().next().unwrap_or_default().to_string();
        assert!(first.starts_with("// Shows ") && first.ends_with('.'), "{}: {first}", example.display());
        assert!(text.contains("assert "), "{} claims nothing", example.display());
        if let Some(other) = shown.insert(first, example.clone()) {
            panic!("{} and {} show the same", other.display(), example.display());
        }
    }
    assert!(shown.len() >= 30);
}

/// Runs an example in the root of the repository; its files go to a folder that is removed.
fn run(example: &Path) -> (String, String, Option<i32>) {
    let name = example.file_name().expect("a name").to_string_lossy();
    let folder = std::env::temp_dir().join(format!("lepage-examples-{}-{name}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .current_dir(root())
        .env_remove("COLUMNS")
        .env_remove("CLICOLOR_FORCE")
        .arg("run")
        .arg(format!("examples/{name}"))
        .arg("--out")
        .arg(&folder)
        .output()
        .expect("lepage runs");
    let _ = std::fs::remove_dir_all(&folder);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    // The folder has another name every time.
    let talk = text(output.stderr).replace(&format!("{}/", folder.display()), "");
    (text(output.stdout), talk, output.status.code())
}

#[test]
fn examples_say_what_stands_beside_them() {
    let mut failures = vec![];
    for example in examples() {
        let name = example.file_name().expect("a name").to_string_lossy().into_owned();
        let (out, talk, code) = run(&example);
        if NOT_YET.contains(&name.as_str()) {
            assert!(code != Some(0), "{name} holds now: take it off the list and bless its output");
            continue;
        }
        if code != Some(0) {
            failures.push(format!("── {name} does not hold:\n{talk}"));
            continue;
        }
        let kept = example.with_extension("out");
        let shown = out + &talk;
        if std::fs::read_to_string(&kept).ok().as_ref() == Some(&shown) {
            continue;
        }
        if bless() {
            std::fs::write(&kept, shown).expect("the output can be kept");
        } else {
            failures.push(format!("── {name} says\n{shown}\nto accept: LEPAGE_BLESS=1 cargo test --test examples"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The picture of the README is drawn by its first program.
#[test]
fn the_picture_of_the_readme_is_drawn_by_its_program() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, blocks) = pieces(&readme);
    let first = blocks.iter().find(|b| b.info == "mech").expect("a program");
    let folder = std::env::temp_dir().join(format!("lepage-picture-{}", std::process::id()));
    let options = SessionOptions { out: folder.clone(), portable: true, ..SessionOptions::default() };
    let program =
        format!("{}plot run {{ theta; title = \"A pendulum from 2 radians\" }} to \"pendulum.svg\"\n", first.text);
    let outcomes = Session::new(options).feed("README.md", &program, Mode::File);
    assert!(outcomes.iter().all(|o| o.held()), "{:?}", outcomes.last().map(|o| &o.diagnostics));
    let drawn = std::fs::read_to_string(folder.join("pendulum.svg")).expect("a picture");
    let _ = std::fs::remove_dir_all(folder);
    let kept = root().join("docs/pictures/pendulum.svg");
    if bless() {
        std::fs::create_dir_all(kept.parent().expect("a folder")).expect("a folder");
        std::fs::write(&kept, &drawn).expect("the picture can be kept");
    }
    let same = std::fs::read_to_string(&kept).is_ok_and(|text| text == drawn);
    assert!(same, "docs/pictures/pendulum.svg has drifted: LEPAGE_BLESS=1 cargo test --test examples");
    assert!(readme.contains("(docs/pictures/pendulum.svg)"));
}

/// A fenced block of the README: what stands after the fence, and the lines between.
struct Block {
    info: String,
    text: String,
}

/// Pieces of the README: text between blocks, then a block, and so on.
fn pieces(readme: &str) -> (Vec<String>, Vec<Block>) {
    let (mut between, mut blocks) = (vec![String::new()], vec![]);
    let mut open: Option<Block> = None;
    for line in readme.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some(Block { info: info.to_string(), text: String::new() }),
            (Some(_), Some("")) => {
                blocks.extend(open.take());
                between.push(String::new());
            }
            (Some(block), _) => block.text += &format!("{line}\n"),
            (None, None) => *between.last_mut().expect("text") += &format!("{line}\n"),
        }
    }
    assert!(open.is_none(), "a block of the README is not closed");
    (between, blocks)
}

/// What a program of the README prints: answers under their questions, diagnostics in their places.
fn output_of(name: &str, program: &str) -> String {
    let mut session = Session::new(SessionOptions::default());
    let outcomes = session.feed(name, program, Mode::File);
    let mut out = String::new();
    for outcome in &outcomes {
        if let Some(answer) = &outcome.answer {
            out += &format!("{}\n", outcome.statement);
            out.extend(answer.text(96).lines().map(|l| format!("    {l}\n")));
        }
        out += &Renderer::new(session.sources(), MessageFormat::Human, false).render_all(&outcome.diagnostics);
    }
    out
}

/// A conversation with its answers: the lines that begin with the prompt are what the user types.
fn conversation(block: &str) -> String {
    let mut repl = Repl::new(SessionOptions::default(), MessageFormat::Human);
    let mut out = String::new();
    for line in block.lines() {
        if let Some(input) = line.strip_prefix("lepage> ") {
            let reply = repl.enter(input);
            out += &format!("{line}\n{}{}", reply.out, reply.talk);
        }
    }
    out
}

/// The pages of a folder of the book.
fn book(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the book");
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("a page").path()).collect();
    found.retain(|p| p.extension().is_some_and(|e| e == "md"));
    found
}

/// Who reads the contents of the book finds every page, and nothing that is not there.
#[test]
fn the_contents_of_the_book_are_complete() {
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the contents");
    let named: Vec<&str> = contents.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in &named {
        assert!(root().join("docs").join(page).exists(), "docs/SUMMARY.md: {page} does not exist");
    }
    for folder in ["docs", "docs/book", "docs/theory"] {
        for page in book(folder).iter().filter(|p| !p.ends_with("SUMMARY.md")) {
            let place = page.strip_prefix(root().join("docs")).expect("below docs").to_string_lossy().into_owned();
            assert!(named.contains(&place.as_str()), "docs/SUMMARY.md does not name {place}");
        }
    }
}

/// The README, and the pages of the book.
fn pages() -> Vec<PathBuf> {
    let mut found = book("docs/book");
    found.push(root().join("README.md"));
    found.sort();
    found
}

/// A program that a page shows holds, or what is wrong with it is shown below it. `text` and `console` blocks are what happens.
#[test]
fn the_pages_show_real_output() {
    let mut failures = vec![];
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let (between, mut blocks) = pieces(&page);
        let mut program: Option<(String, String)> = None;
        for block in &mut blocks {
            let mut info = block.info.split_whitespace();
            match info.next() {
                Some("mech") => {
                    failures.extend(program.take().and_then(|(name, text)| wrong_without_being_shown(&name, &text)));
                    program = Some((info.next().unwrap_or("program.mech").to_string(), block.text.clone()));
                }
                Some("text") => {
                    let (name, text) = program.take().expect("a text block follows its program");
                    block.text = output_of(&name, &text);
                }
                Some("console") => block.text = conversation(&block.text),
                _ => {}
            }
        }
        failures.extend(program.take().and_then(|(name, text)| wrong_without_being_shown(&name, &text)));
        let mut written = between[0].clone();
        for (block, after) in blocks.iter().zip(&between[1..]) {
            written += &format!("```{}\n{}```\n{after}", block.info, block.text);
        }
        if bless() {
            std::fs::write(&path, &written).expect("the page can be written");
        } else if written != page {
            let name = path.display();
            failures.push(format!("{name} has drifted: LEPAGE_BLESS=1 cargo test --test examples\n{written}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn wrong_without_being_shown(name: &str, program: &str) -> Option<String> {
    let mut session = Session::new(SessionOptions::default());
    let outcomes = session.feed(name, program, Mode::File);
    let held = outcomes.iter().all(|o| o.held());
    (!held).then(|| {
        let wrong = outcomes.iter().flat_map(|o| &o.diagnostics);
        Renderer::new(session.sources(), MessageFormat::Human, false).render_all(wrong)
    })
}

#[test]
fn the_links_of_the_pages_lead_somewhere() {
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        for target in page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let place = path.parent().expect("a folder").join(target);
            assert!(target.starts_with("http") || place.exists(), "{}: {target} does not exist", path.display());
        }
    }
}

/// `(name, text)` of every file of the standard library, as it lies in the folder.
fn library() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join("stdlib")).expect("the standard library");
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("a file").path()).collect();
    found.sort();
    let name = |p: &PathBuf| p.file_stem().expect("a name").to_string_lossy().into_owned();
    found.iter().map(|p| (name(p), std::fs::read_to_string(p).expect("a text"))).collect()
}

#[test]
fn the_standard_library_is_embedded_and_each_file_holds_alone() {
    let files = library();
    let embedded: Vec<&str> = lepage::session::library::FILES.iter().map(|f| f.0).collect();
    assert_eq!(files.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), embedded);
    for (name, text) in &files {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed(&format!("stdlib/{name}.mech"), text, Mode::File);
        let wrong: Vec<_> = outcomes.iter().filter(|o| !o.held()).flat_map(|o| &o.diagnostics).collect();
        let shown = Renderer::new(session.sources(), MessageFormat::Human, false).render_all(wrong);
        assert!(outcomes.iter().all(|o| o.held()), "{name}:\n{shown}");
        assert!(text.contains("\ntest \""), "{name} has no test");
        assert_eq!(lepage::workshop::syntax::format::format(text).ok().as_ref(), Some(text), "{name} is not laid out");
    }
}

#[test]
fn the_standard_library_is_documented_and_behind_a_prefix() {
    for (name, _) in library() {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("main.mech", &format!("use std.{name} as lib"), Mode::File);
        assert!(outcomes.iter().all(|o| o.held()), "{name}: {outcomes:?}");
        assert_eq!(session.list().iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["lib"]);
        let mut inside = Session::new(SessionOptions::default());
        inside.feed("main.mech", &format!("use std.{name}"), Mode::File);
        for item in inside.list().iter().filter(|i| !["coordinate", "base coordinate"].contains(&i.type_name.as_str()))
        {
            let doc = session.doc(&format!("lib.{}", item.name)).unwrap_or_default();
            assert!(
                doc.len() > item.name.len() + 10 && doc.trim_end().ends_with('.'),
                "{name}: {}: {doc:?}",
                item.name
            );
        }
    }
}

/// Who looks up a file of the library reads its units and a use of it, and of each function a formula.
#[test]
fn the_standard_library_names_its_units_and_its_formulas() {
    for (name, text) in library().iter().filter(|(name, _)| name != "prelude") {
        let preface = lepage::session::library::preface(text);
        assert!(preface.contains("nit"), "std.{name} does not say in which units it is");
        assert!(preface.contains(&format!("    use std.{name}")), "std.{name} does not show how it is used");
        let mut session = Session::new(SessionOptions::default());
        session.feed("main.mech", &format!("use std.{name} as lib"), Mode::File);
        for line in text.lines().filter_map(|line| line.strip_prefix("let ")).take_while(|line| line.contains('(')) {
            let entry = line.split('(').next().unwrap_or(line);
            let Some(doc) = session.doc(&format!("lib.{entry}")) else { continue };
            let said = doc.split_once('\n').map_or("", |(_, said)| said);
            let is_formula = ["²", "/", "·", "×", "√", "Σ", "^", " = ", " - ", "-c", "Rz"];
            assert!(is_formula.iter().any(|sign| said.contains(sign)), "std.{name}: {entry} has no formula: {said}");
        }
    }
}

/// What the library offers is claimed somewhere: each function stands in a test of its file.
#[test]
fn every_entry_of_the_standard_library_is_asserted() {
    for (name, text) in library() {
        let (declared, tests) = text.split_once("\ntest \"").unwrap_or((&text, ""));
        for line in declared.lines() {
            let Some(entry) = line.strip_prefix("let ").or_else(|| line.strip_prefix("map ")) else { continue };
            let entry = entry.split(['(', ' ', '=']).next().unwrap_or(entry);
            let is_used = tests.match_indices(entry).any(|(at, _)| {
                let part = |c: char| c.is_alphanumeric() || c == '_';
                !tests[..at].ends_with(part) && !tests[at + entry.len()..].starts_with(part)
            });
            assert!(is_used, "std.{name}: no test speaks of `{entry}`");
        }
    }
}

#[test]
fn the_programs_of_the_reference_hold() {
    let text = std::fs::read_to_string(root().join("docs/language.md")).expect("the reference");
    let (_, blocks) = pieces(&text);
    let programs: Vec<&Block> = blocks.iter().filter(|b| b.info == "mech").collect();
    assert!(programs.len() >= 10);
    for block in programs {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("language.md", &block.text, Mode::File);
        let wrong: Vec<_> = outcomes
            .iter()
            .flat_map(|o| &o.diagnostics)
            .filter(|d| d.severity != lepage::diagnostic::Severity::Note && d.code.name != "not_available")
            .collect();
        let shown = Renderer::new(session.sources(), MessageFormat::Human, false).render_all(wrong.iter().copied());
        assert!(wrong.is_empty(), "\n{}\n{shown}", block.text);
    }
}
