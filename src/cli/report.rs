//! `lepage report FILE --out report.html`: a program as one page for a browser. What it declares, how its systems were
//! derived and classified, what it asks, and its runs, with formulas, pictures and numbers. The files that the program writes
//! are shown on the page and not written.

use super::Exit;
use super::arguments::Input;
use super::console::Console;
use super::reading::{Purpose, Reading, feed_program};
use crate::algebra::Inquiry;
use crate::algebra::print::Style;
use crate::diagnostic::render::{MessageFormat, Renderer};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::explain::{Line, Steps, found};
use crate::model::value::Value;
use crate::motion::run::Run;
use crate::report::page::{Block, Page};
use crate::report::svg::PAGE;
use crate::report::table::short;
use crate::session::file::cannot_write;
use crate::session::{Answer, ItemKind, Mode, Outcome, Session, SessionOptions, StatementWord};
use crate::world::{Apart, Disk, World};
use clap::Args;
use std::path::{Path, PathBuf};
use std::rc::Rc;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub reading: Reading,
}

/// What is derived of each system: a title, and the question about it. What a system does not have is left out.
const DERIVATION: &[(&str, &str)] = &[
    ("Definition", "{}"),
    ("Equations of motion", "equations({})"),
    ("Accelerations", "vector_field({})"),
    ("Multipliers", "multipliers({})"),
    ("Energy", "energy({})"),
    ("Classification", "classify({})"),
    ("Constraint algorithm", "explain dynamics({})"),
];

pub fn run(mut arguments: Arguments) -> Exit {
    let to = arguments.reading.settings.out.take().unwrap_or_else(|| PathBuf::from("report.html"));
    let mut console = Console::new(&arguments.reading.talk);
    let programs = arguments.reading.programs.read();
    if let Err(refused) = destination(&to, programs.len()) {
        console.complain(&refused);
        return console.finish(Exit::Failure);
    }
    arguments.reading.each(Purpose::Answer, |session, program, console| {
        let world = Rc::new(Apart::default());
        console.keep_apart();
        *session = Session::new(SessionOptions { world: world.clone(), ..session.options().clone() });
        let (page, exit) = page(session, &world, program, console);
        match Disk.write(&to, page.html().as_bytes()) {
            Ok(()) => {
                console.say(&format!("`{}` was written\n", to.display()));
                exit
            }
            Err(trouble) => {
                console.complain(&cannot_write(&to.to_string_lossy(), trouble));
                Exit::Failure
            }
        }
    })
}

/// What is wrong with the name of the page is said before anything is computed.
fn destination(to: &Path, programs: usize) -> Result<(), Diagnostic> {
    let refuse = |why: &str| {
        let title = format!("`{}` cannot be written", to.display());
        Err(Diagnostic::error(&codes::CANNOT_WRITE, title).note(why))
    };
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    match to.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => {}
        _ => return refuse("a report is a page for a browser: its name ends in `.html`"),
    }
    if to.is_dir() {
        return refuse("this is a folder");
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return refuse("there is no such folder");
    }
    if programs > 1 {
        return refuse(&format!("a report is about one program, and these are {programs}"));
    }
    Ok(())
}

/// The page of a program, and whether everything in it held.
fn page(session: &mut Session, world: &Apart, program: &[Input], console: &mut Console) -> (Page, Exit) {
    let mut outcomes: Vec<(Outcome, Vec<Block>)> = vec![];
    let mut seen = vec![];
    let exit = feed_program(session, program, console, |outcome, _, _| {
        let files = world.written();
        let new = files.iter().filter(|file| !seen.contains(*file)).map(written).collect();
        outcomes.push((outcome.clone(), new));
        seen = files;
    });
    let made_by = session.provenance();
    let mut blocks = vec![];
    let name = program.first().map_or("-e", |input| input.name.as_str());
    chapter(&mut blocks, "The model", declared(&outcomes));
    let systems = session.list().into_iter().filter(|item| matches!(item.kind, ItemKind::System(_)));
    let mut derived: Vec<Vec<Block>> = vec![];
    for system in systems {
        let steps = derivation(session, &system.name);
        // Two names of one system are one chapter.
        if !derived.contains(&steps) {
            chapter(&mut blocks, &format!("Derivation of {}", system.name), steps.clone());
            derived.push(steps);
        }
    }
    chapter(&mut blocks, "Answers", answers(&outcomes));
    let mut runs: Vec<(String, Rc<Run>)> = vec![];
    for item in session.list().into_iter().filter(|item| item.kind == ItemKind::Run) {
        if let Some(Value::Run(run)) = ask(session, &item.name).map(|answer| answer.value().main()) {
            runs.push((item.name, run));
        }
    }
    chapter(&mut blocks, "Runs", runs.iter().flat_map(|(name, run)| statistics(session, name, run)).collect());
    let diagnostics: Vec<&Diagnostic> = outcomes.iter().flat_map(|(o, _)| &o.diagnostics).collect();
    let findings = diagnostics.into_iter().filter(|d| d.code.name != codes::WRITTEN.name);
    let findings = Renderer::new(session.sources(), MessageFormat::Human, false).render_all(findings);
    if !findings.is_empty() {
        chapter(&mut blocks, "Findings", vec![Block::Code(findings)]);
    }
    let rows = made_by.entries().map(|(key, value)| vec![key.to_string(), value.to_string()]);
    let head = vec!["what".to_string(), "value".to_string()];
    chapter(&mut blocks, "How this page was made", vec![Block::Table(std::iter::once(head).chain(rows).collect())]);
    (Page { title: name.to_string(), blocks }, exit)
}

/// A chapter, if there is something in it.
fn chapter(blocks: &mut Vec<Block>, title: &str, content: Vec<Block>) {
    if !content.is_empty() {
        blocks.push(Block::Title(2, title.to_string()));
        blocks.extend(content);
    }
}

/// The answer to a question about what the program declared; nothing if it is refused.
fn ask(session: &mut Session, question: &str) -> Option<Answer> {
    session.feed("report", question, Mode::Line).into_iter().find_map(|outcome| outcome.answer)
}

/// Whether a statement declares something, and neither asks nor shows.
fn declares((outcome, files): &(Outcome, Vec<Block>)) -> bool {
    outcome.held() && outcome.answer.is_none() && outcome.word == StatementWord::Other && files.is_empty()
}

/// The statements that declare something.
fn declared(outcomes: &[(Outcome, Vec<Block>)]) -> Vec<Block> {
    let list: Vec<&str> = outcomes.iter().filter(|o| declares(o)).map(|(o, _)| o.statement.trim_end()).collect();
    if list.is_empty() { vec![] } else { vec![Block::Code(list.join("\n"))] }
}

/// What is found of a system, step by step.
fn derivation(session: &mut Session, system: &str) -> Vec<Block> {
    let mut blocks = vec![];
    for (title, question) in DERIVATION {
        let Some(answer) = ask(session, &question.replace("{}", system)) else { continue };
        let inner = match answer.equations_latex().filter(|_| question.starts_with("equations")) {
            Some(equations) => vec![Block::Formula(equations)],
            None => shown(&answer),
        };
        match answer.value() {
            Value::Steps(_) => blocks.push(Block::Folded(title.to_string(), inner)),
            _ => {
                blocks.push(Block::Title(3, title.to_string()));
                blocks.extend(inner);
            }
        }
    }
    blocks
}

/// What was asked, with the answers; and how many claims held.
fn answers(outcomes: &[(Outcome, Vec<Block>)]) -> Vec<Block> {
    let mut blocks = vec![];
    let (mut held, mut failed) = (0, 0);
    for (outcome, files) in outcomes.iter().filter(|o| !declares(o)) {
        match outcome.word {
            StatementWord::Claim if outcome.held() => held += 1,
            StatementWord::Claim => failed += 1,
            _ => {
                blocks.push(Block::Code(outcome.statement.clone()));
                blocks.extend(outcome.answer.iter().flat_map(shown));
                blocks.extend(files.iter().cloned());
                if !outcome.held() {
                    blocks.push(Block::Words("refused: the findings below say why".into()));
                }
            }
        }
    }
    if held + failed > 0 {
        blocks.push(Block::Words(format!("{held} claims held, {failed} did not.")));
    }
    blocks
}

/// An answer on a page.
fn shown(answer: &Answer) -> Vec<Block> {
    match answer.value() {
        Value::Picture(picture) => vec![Block::Picture(picture.svg(PAGE.0, PAGE.1))],
        Value::Steps(steps) => log(steps),
        Value::Text(text) => vec![Block::Code(text.to_string())],
        Value::Sweep(_) | Value::Run(_) => vec![Block::Code(answer.text(100))],
        _ => vec![Block::Formula(answer.latex())],
    }
}

/// The steps of a derivation, with their formulas.
fn log(steps: &Steps) -> Vec<Block> {
    let cx = &Inquiry::free();
    let mut blocks = vec![];
    for chapter in &steps.chapters {
        blocks.extend(chapter.title.iter().map(|title| Block::Title(3, title.clone())));
        for step in &chapter.steps {
            blocks.push(Block::Words(step.title.clone()));
            blocks.extend(found(cx, step, Style::LATEX).into_iter().map(|line| match line {
                Line::Remark(text) => Block::Remark(text),
                Line::Found { label, formulas } => Block::Found(label, formulas),
            }));
        }
    }
    blocks
}

/// A file that the program wrote: a picture is shown.
fn written((path, bytes): &(PathBuf, Vec<u8>)) -> Block {
    let ending = path.extension().and_then(|e| e.to_str());
    match std::str::from_utf8(bytes) {
        Ok(svg) if ending == Some("svg") => Block::Picture(svg.to_string()),
        _ => Block::Words(format!("`lepage run` writes `{}`, {} bytes.", path.display(), bytes.len())),
    }
}

/// A picture of a run, how it was made, and how well it kept what it should keep.
fn statistics(session: &mut Session, name: &str, run: &Rc<Run>) -> Vec<Block> {
    let mut blocks = vec![Block::Title(3, name.to_string())];
    if let Some(Value::Picture(picture)) = ask(session, &format!("plot {name}")).map(|a| a.value().clone()) {
        blocks.push(Block::Picture(picture.svg(PAGE.0, PAGE.1)));
    }
    let (t, tolerance) = (&run.trajectory, &run.problem.tolerance);
    let mut rows = vec![vec!["quantity".to_string(), "value".to_string()]];
    let mut row = |quantity: String, value: String| rows.push(vec![quantity, value]);
    row("system".into(), run.system.clone());
    for (parameter, value) in &run.parameters {
        row(parameter.to_string(), short(*value));
    }
    row("method".into(), t.method.to_string());
    if t.method.row().adaptive() {
        row(
            "tolerance".into(),
            format!("relative {}, absolute {}", short(tolerance.relative), short(tolerance.absolute)),
        );
    }
    row(format!("from {}", run.time), short(run.problem.start));
    row(format!("to {}", run.time), format!("{} ({})", short(t.end), t.reason));
    let s = &t.statistics;
    for (quantity, count) in
        [("steps", s.steps), ("rejected steps", s.rejected), ("evaluations", s.evaluations), ("rows", t.len() as u64)]
    {
        row(quantity.into(), count.to_string());
    }
    row("executed by".into(), t.backend.to_string());
    if let Some((energy, change)) = energy_drift(session, name, run) {
        row("energy at the beginning".into(), short(energy));
        row("largest change of the energy".into(), short(change));
    }
    if let Some(kept) = &t.projection {
        for ((equation, drift), residual) in kept.equations.iter().zip(&kept.drift).zip(&kept.residuals) {
            row(format!("drift of {equation} in a step"), short(*drift));
            row(format!("largest residual of {equation}"), short(*residual));
        }
        row("projections".into(), kept.count.to_string());
    }
    blocks.push(Block::Table(rows));
    blocks
}

/// The energy in the beginning, and by how much it ever differs from that; nothing where there is none.
fn energy_drift(session: &mut Session, name: &str, run: &Run) -> Option<(f64, f64)> {
    let answer = ask(session, &format!("plot {name} {{ energy({}) }}", run.system))?;
    let Value::Picture(picture) = answer.value() else { return None };
    let energy = &picture.curves.first()?.y;
    let first = *energy.first()?;
    Some((first, energy.iter().fold(0.0, |largest, e| f64::max(largest, (e - first).abs()))))
}
