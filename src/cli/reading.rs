//! From the files of the command line to sessions: what `run`, `check`, `test`, `derive`, `emit` and `sweep` share. Each
//! states what it does with one program; reading, the session, Ctrl-C, complaints and the exit code are the same for all.

use super::Exit;
use super::arguments::{Input, Program, Programs, Settings, Talk, Unreadable};
use super::clock;
use super::console::Console;
use crate::budget;
use crate::diagnostic::{Diagnostic, Severity, codes, suggest};
use crate::model::item::SystemKind;
use crate::session::{ItemKind, Mode, NamedItem, Outcome, Session, SessionOptions};
use crate::source::{SourceMap, Span};
use crate::timing;
use clap::Args;
use std::sync::atomic::{AtomicBool, Ordering};

/// The arguments of a command that reads programs.
#[derive(Args, Clone, Debug)]
pub struct Reading {
    #[command(flatten)]
    pub programs: Programs,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
}

/// What the session of a program is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Questions are answered and runs are made.
    Answer,
    /// Only what is declared counts.
    Declare,
}

impl Reading {
    /// Does `work` with every program, in a session of its own. What cannot be read is said, and the others go on.
    pub fn each(&self, purpose: Purpose, work: impl FnMut(&mut Session, &Program, &mut Console) -> Exit) -> Exit {
        self.each_or(purpose, work, |_, _| {})
    }

    /// The same, where something is done with what cannot be read, too.
    pub fn each_or(
        &self,
        purpose: Purpose,
        mut work: impl FnMut(&mut Session, &Program, &mut Console) -> Exit,
        mut otherwise: impl FnMut(&Unreadable, &mut Console),
    ) -> Exit {
        let mut console = Console::new(&self.talk);
        stop_on_ctrl_c();
        clock::watch(self.settings.time);
        if self.programs.files.is_empty() && self.programs.eval.is_empty() {
            console.say(
                "error: name a program, - for standard input, or give -e 'TEXT'\n\nFor more information, try '--help'.\n",
            );
            return console.finish(Exit::Failure);
        }
        let options = SessionOptions { answer: purpose == Purpose::Answer, ..self.settings.options() };
        let mut exit = Exit::Held;
        let (mut held, mut others) = (0, vec![]);
        let programs = timing::stage("read", || self.programs.read());
        timing::nodes("read", programs.iter().flatten().flatten().map(|input| input.text.len()).sum());
        for program in programs {
            if console.is_broken() || was_interrupted() {
                break;
            }
            exit = exit.max(match program {
                Ok(program) => {
                    let name = program.first().map_or(String::new(), |input| input.name.clone());
                    let mut session = Session::new(options.clone());
                    let exit = work(&mut session, &program, &mut console);
                    // The parameter may be missing only because its declaration was refused.
                    let unused = if exit == Exit::Held { session.unused_settings() } else { vec![] };
                    console.report(&unused, session.sources());
                    let exit = if unused.is_empty() { exit } else { Exit::Findings };
                    match exit {
                        Exit::Held => held += 1,
                        _ => others.push(name),
                    }
                    exit
                }
                Err(unreadable) => {
                    otherwise(&unreadable, &mut console);
                    console.report([&unreadable.diagnostic], &unreadable.sources);
                    others.push(unreadable.program);
                    Exit::Failure
                }
            });
        }
        if self.programs.is_batch() {
            let list = if others.is_empty() { String::new() } else { format!(": {}", others.join(", ")) };
            let programs = match held + others.len() {
                1 => "one program".to_string(),
                n => format!("{n} programs"),
            };
            console.say(&format!("{programs}, {held} held, {} did not{list}\n", others.len()));
        }
        let exit = if was_interrupted() { Exit::Interrupted } else { exit };
        console.finish(exit)
    }

    /// Does `work` with each system of every program, or with the named ones; the programs are read for what they
    /// declare.
    pub fn each_system(
        &self,
        named: &[String],
        mut work: impl FnMut(&mut Session, &str, &mut Console) -> Exit,
    ) -> Exit {
        self.each(Purpose::Declare, |session, program, console| {
            let mut exit = declare_program(session, program, console);
            let systems = if named.is_empty() { systems(session) } else { named.to_vec() };
            if systems.is_empty() {
                let name = program.first().map_or("the program", |input| input.name.as_str());
                console.complain(
                    &Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` declares no system"))
                        .help("declare one: system S = L, or lagrangian L on J1(Y) = …"),
                );
                return exit.max(Exit::Findings);
            }
            let known = self::systems(session);
            if let Some(unknown) = systems.iter().find(|name| session.list().iter().all(|item| item.name != **name)) {
                let refused = Diagnostic::error(&codes::UNKNOWN_NAME, format!("there is no system `{unknown}`"));
                let refused = match known.is_empty() {
                    true => refused.note("the program declares no system"),
                    false => refused.note(format!("its systems are {}", known.join(", "))),
                };
                console.complain(&match suggest::nearest(unknown, known.iter().map(String::as_str)) {
                    Some(near) => refused.help(format!("did you mean `{near}`?")),
                    None => refused,
                });
                return exit.max(Exit::Findings);
            }
            session.set_answer(true);
            for system in &systems {
                exit = exit.max(work(session, system, console));
            }
            exit
        })
    }
}

/// Feeds a program to a session, hands every outcome to `each` as soon as it is there, and reports its diagnostics.
pub fn feed_program(
    session: &mut Session,
    program: &[Input],
    console: &mut Console,
    mut each: impl FnMut(&Outcome, &Input, &mut Console),
) -> Exit {
    let mut exit = Exit::Held;
    for input in program {
        let mut echoes = Echoes::default();
        let remarks = session.feed_each(&input.name, &input.text, Mode::File, |session, outcome| {
            if !outcome.held() {
                exit = Exit::Findings;
            }
            each(&outcome, input, console);
            let diagnostics = outcome.diagnostics.iter().filter(|d| !console.is_human() || echoes.is_news(d));
            console.report(diagnostics.collect::<Vec<_>>(), session.sources());
        });
        console.report(&echoes.summary(session.sources()), session.sources());
        console.report(&remarks, session.sources());
        // What was left out after Ctrl-C did not hold.
        if was_interrupted() {
            return Exit::Interrupted;
        }
    }
    exit
}

/// What is left out because something before it was refused. People are shown the first such statements and the lines of
/// the others: one mistake does not fill a screen.
#[derive(Default)]
struct Echoes {
    shown: usize,
    others: Vec<Span>,
}

impl Echoes {
    const SHOWN: usize = 2;

    fn is_news(&mut self, d: &Diagnostic) -> bool {
        if d.code.number != codes::DEPENDS.number {
            return true;
        }
        let news = self.shown < Echoes::SHOWN;
        match news {
            true => self.shown += 1,
            false => self.others.extend(d.primary()),
        }
        news
    }

    /// One note about all that were not shown.
    fn summary(&self, sources: &SourceMap) -> Option<Diagnostic> {
        let first = *self.others.first()?;
        let mut lines: Vec<usize> =
            self.others.iter().map(|span| sources.get(span.source).line_column(span.range().start).0).collect();
        lines.dedup();
        let lines = runs(&lines);
        let (statements, depend) = match self.others.len() {
            1 => ("1 more statement", "depends"),
            n => (&*format!("{n} more statements"), "depend"),
        };
        let title = format!("{statements} {depend} on what was refused");
        let note = Diagnostic::new(Severity::Note, &codes::DEPENDS, title).label(first, "the first of them");
        Some(note.note(format!("{} {lines}", if lines.contains([',', '–']) { "lines" } else { "line" })))
    }
}

/// Ascending numbers, with neighbours joined: `3, 5–8`.
fn runs(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = vec![];
    for &n in numbers {
        match runs.last_mut() {
            Some((_, last)) if n == *last + 1 => *last = n,
            _ => runs.push((n, n)),
        }
    }
    let text = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Feeds a program for what it declares: its errors are reported, but not that a name is unused,
/// because whoever wants the declarations uses them.
pub fn declare_program(session: &mut Session, program: &[Input], console: &mut Console) -> Exit {
    let mut exit = Exit::Held;
    for input in program {
        session.feed_each(&input.name, &input.text, Mode::File, |session, outcome| {
            if !outcome.held() {
                exit = Exit::Findings;
            }
            console.report(outcome.diagnostics.iter().filter(|d| d.is_error()), session.sources());
        });
    }
    exit
}

/// The declared systems; a program without any means its Lagrangians and equations.
fn systems(session: &Session) -> Vec<String> {
    let of_kind =
        |item: &NamedItem, kinds: &[SystemKind]| matches!(item.kind, ItemKind::System(kind) if kinds.contains(&kind));
    let names = |is_meant: &dyn Fn(&NamedItem) -> bool| -> Vec<String> {
        session.list().into_iter().filter(is_meant).map(|n| n.name).collect()
    };
    let is_system = |item: &NamedItem| {
        of_kind(item, &[SystemKind::System, SystemKind::Mixed]) || session.is_declared_system(&item.name)
    };
    let systems = names(&is_system);
    match systems.is_empty() {
        true => names(&|item| of_kind(item, &[SystemKind::Lagrangian, SystemKind::Equations])),
        false => systems,
    }
}

/// Ctrl-C was pressed at some time. A question that shows what it had found forgets the interrupt, the exit code does not.
static PRESSED: AtomicBool = AtomicBool::new(false);

fn was_interrupted() -> bool {
    PRESSED.load(Ordering::Relaxed)
}

/// Ctrl-C stops the computation and lets the program say so; pressed again before that, it ends the program at once.
fn stop_on_ctrl_c() {
    // Without a handler Ctrl-C ends the process, which is acceptable: nothing to report.
    let _ = ctrlc::set_handler(|| {
        if budget::is_interrupted() {
            std::process::exit(Exit::Interrupted as i32);
        }
        PRESSED.store(true, Ordering::Relaxed);
        budget::interrupt();
    });
}
