//! `lepage run FILE…`: every program in a session of its own. Answers are printed under their
//! questions (only the answers for `-e`), as JSON lines, or as LaTeX.

use super::Exit;
use super::arguments::{Format, Program};
use super::console::{Console, screen, width};
use super::reading::{Purpose, Reading, feed_program};
use crate::session::json;
use crate::session::{Outcome, Session};
use crate::timing;
use clap::Args;
use std::fmt::Write;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// How answers are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(arguments: Arguments) -> Exit {
    let batch = arguments.reading.programs.is_batch();
    let work = |session: &mut Session, program: &Program, console: &mut Console| {
        feed_program(session, program, console, |outcome, input, console| {
            let text = timing::stage("print", || match arguments.format {
                Format::Json if batch => format!("{}\n", json::outcome_of(outcome, Some(&input.name))),
                format => show(outcome, format, input.name != "-e"),
            });
            timing::nodes("print", text.len());
            match picture(outcome, arguments.format) {
                Some(picture) => {
                    console.print(&format!("{}\n", outcome.statement));
                    console.write(&picture);
                }
                None => console.print(&text),
            }
        })
    };
    arguments.reading.each_or(Purpose::Answer, work, |unreadable, console| {
        if batch && arguments.format == Format::Json {
            console.print(&format!("{}\n", json::unreadable(unreadable)));
        }
    })
}

/// A picture for the terminal, in its size and colours.
fn picture(outcome: &Outcome, format: Format) -> Option<String> {
    let answer = outcome.answer.as_ref().filter(|_| format == Format::Text)?;
    answer.on_screen(screen()?.for_pictures())
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
