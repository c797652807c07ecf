//! `lepage run FILE…`: every program in a session of its own. Answers are printed under their
//! questions (only the answers for `-e`), as JSON lines, or as LaTeX.

use super::Exit;
use super::arguments::{Format, Input, Program, Programs, Settings, Talk, Unreadable};
use super::console::{Console, width};
use crate::budget;
use crate::report::json;
use crate::session::{Mode, Outcome, Session, SessionOptions};
use crate::timing;
use clap::Args;
use std::fmt::Write;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    pub programs: Programs,
    /// How answers are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    stop_on_ctrl_c();
    let options = arguments.settings.options();
    let exit = for_each_program(&arguments.programs, &mut console, |program, console| {
        run_program(program, options.clone(), console, |outcome, input, console| {
            let text = timing::stage("print", || show(outcome, arguments.format, input.name != "-e"));
            timing::nodes("print", text.len());
            console.print(&text);
        })
    });
    console.finish(exit)
}

/// Reads the programs and does `work` with each; what cannot be read is said, and the others go on.
pub fn for_each_program(
    programs: &Programs,
    console: &mut Console,
    mut work: impl FnMut(Program, &mut Console) -> Exit,
) -> Exit {
    if programs.files.is_empty() && programs.eval.is_empty() {
        console.say(
            "error: name a program, - for standard input, or give -e 'TEXT'\n\nFor more information, try '--help'.\n",
        );
        return Exit::Failure;
    }
    let mut exit = Exit::Held;
    let programs = timing::stage("read", || programs.read());
    timing::nodes("read", programs.iter().flatten().flatten().map(|input| input.text.len()).sum());
    for program in programs {
        if console.is_broken() || budget::is_interrupted() {
            break;
        }
        exit = exit.max(match program {
            Ok(program) => work(program, console),
            Err(Unreadable { diagnostic, sources }) => {
                console.report([&diagnostic], &sources);
                Exit::Failure
            }
        });
    }
    exit
}

/// Feeds a program to a new session, hands every outcome to `each`, and reports its diagnostics.
pub fn run_program(
    program: Program,
    options: SessionOptions,
    console: &mut Console,
    each: impl FnMut(&Outcome, &Input, &mut Console),
) -> Exit {
    let mut session = Session::new(options);
    let exit = feed_program(&mut session, &program, console, each);
    // The parameter may be missing only because its declaration was refused.
    let unused = if exit == Exit::Held { session.unused_settings() } else { vec![] };
    console.report(&unused, session.sources());
    if unused.is_empty() { exit } else { Exit::Findings }
}

/// The same with a session that the caller keeps.
pub fn feed_program(
    session: &mut Session,
    program: &[Input],
    console: &mut Console,
    mut each: impl FnMut(&Outcome, &Input, &mut Console),
) -> Exit {
    let mut exit = Exit::Held;
    for input in program {
        for outcome in session.feed(&input.name, &input.text, Mode::File) {
            if !outcome.held() {
                exit = Exit::Findings;
            }
            each(&outcome, input, console);
            console.report(&outcome.diagnostics, session.sources());
        }
        // What was left out after Ctrl-C did not hold.
        if budget::is_interrupted() {
            return Exit::Findings;
        }
    }
    exit
}

/// Feeds a program for what it declares: its errors are reported, but not that a name is unused,
/// because whoever wants the declarations uses them.
pub fn declare_program(session: &mut Session, program: &[Input], console: &mut Console) -> Exit {
    let mut exit = Exit::Held;
    for input in program {
        for outcome in session.feed(&input.name, &input.text, Mode::File) {
            if !outcome.held() {
                exit = Exit::Findings;
            }
            console.report(outcome.diagnostics.iter().filter(|d| d.is_error()), session.sources());
        }
    }
    exit
}

/// An outcome in the chosen format; empty for what has no answer (in JSON every statement has a line).
pub fn show(outcome: &Outcome, format: Format, with_question: bool) -> String {
    let mut out = String::new();
    match (format, &outcome.answer) {
        (Format::Json, _) => {
            let _ = writeln!(out, "{}", json::outcome(outcome));
        }
        (_, None) => {}
        (Format::Text, Some(answer)) => {
            if with_question {
                let _ = writeln!(out, "{}", outcome.statement);
            }
            let indent = if with_question { "    " } else { "" };
            for line in answer.text(width() - indent.len()).lines() {
                let _ = writeln!(out, "{}", format!("{indent}{line}").trim_end());
            }
        }
        (Format::Latex, Some(answer)) => {
            if with_question {
                for line in outcome.statement.lines() {
                    let _ = writeln!(out, "% {line}");
                }
            }
            let _ = writeln!(out, "{}", answer.latex());
        }
    }
    out
}

/// The first Ctrl-C stops the computation and lets the program say so; the second ends it at once.
pub fn stop_on_ctrl_c() {
    // Without a handler Ctrl-C ends the process, which is acceptable: nothing to report.
    let _ = ctrlc::set_handler(|| {
        if budget::is_interrupted() {
            std::process::exit(Exit::Findings as i32);
        }
        budget::interrupt();
    });
}
