//! The tables of questions, by subject: a [row](Question) for each, and the function that answers it.

/// A table of questions without options, one row each.
macro_rules! rows {
    ($($name:literal [$($parameter:expr),*] $help:literal => $gives:expr, $parts:expr, $run:expr;)*) => {
        pub static ROWS: &[Question] = &[$(Question {
            name: $name, parameters: &[$($parameter),*], options: &[], help: $help, gives: $gives, parts: $parts,
            run: $run,
        }),*];
    };
}

pub mod calculus;
pub mod canonical;
pub mod constrained;
pub mod constrained_motion;
pub mod constraints;
pub mod crosscheck;
pub mod distributions;
pub mod dynamics;
pub mod equilibria;
pub mod forces;
pub mod ideals;
pub mod maps;
pub mod matrices;
pub mod mixed;
pub mod motion;
pub mod pairs;
pub mod parts;
pub mod polynomials;
pub mod sets;
pub mod strata;
pub mod symbolic;
pub mod systems;
pub mod tensors;
pub mod word;

use crate::algebra::Inquiry;
use crate::diagnostic::codes;
use crate::model::kind::{self, Gives};
use crate::model::operate;
use crate::model::value::{Fallible, Value};

/// The words in which the rows are written.
pub use crate::model::call;
pub use crate::model::question::{Argument, Arguments, MAX_JET_ORDER, Question, no_such_order};
/// All rows, by subject.
static TABLES: &[&[Question]] = &[
    systems::ROWS,
    canonical::ROWS,
    dynamics::ROWS,
    forces::ROWS,
    motion::ROWS,
    pairs::ROWS,
    constraints::ROWS,
    constrained::ROWS,
    crosscheck::ROWS,
    equilibria::ROWS,
    mixed::ROWS,
    calculus::ROWS,
    tensors::ROWS,
    maps::ROWS,
    distributions::ROWS,
    sets::ROWS,
    symbolic::ROWS,
    matrices::ROWS,
    polynomials::ROWS,
    ideals::ROWS,
    later::ROWS,
];

/// The row of that name.
pub fn find(name: &str) -> Option<&'static Question> {
    TABLES.iter().flat_map(|t| t.iter()).find(|q| q.name == name)
}

/// The row that a written name asks: after p1 and p2 the contact part of a number has no name of its own.
pub fn find_written(name: &str) -> Option<&'static Question> {
    find(if contact_number(name).is_some() { "contact_part" } else { name })
}

/// The number of `p3(η)`, `p4(η)`, ….
pub fn contact_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix('p').and_then(|n| n.parse::<u32>().ok());
    number.filter(|n| (3..=MAX_JET_ORDER).contains(n))
}

/// Whether this version answers a question.
pub fn is_available(question: &Question) -> bool {
    !later::ROWS.contains(question)
}

/// Whether the answer to a question is a formula of the calculus, made without deciding or solving anything.
pub fn is_formula(question: &Question) -> bool {
    question.gives != Gives::Kinds(kind::VERDICT) && calculus::ROWS.contains(question)
}

/// Every question, by subject.
pub fn all() -> impl Iterator<Item = &'static Question> {
    TABLES.iter().flat_map(|t| t.iter())
}

pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|q| q.name)
}

/// Answers a question. Arguments that the row does not take are refused in the words of the row, unless the question
/// itself knows what was meant.
pub fn ask(cx: &Inquiry, question: &'static Question, arguments: Arguments) -> Fallible<Value> {
    let said = call::check_call(question, &arguments.as_call()).into_iter().next();
    let answered = (question.run)(&arguments).and_then(|value| operate::finished(cx, value));
    let answered = answered.map_err(|d| Box::new(d.or_at(arguments.name_span, "asked here")));
    let Some(said) = said.filter(|_| is_available(question)) else { return answered };
    debug_assert!(answered.is_err(), "`{}` takes what its row does not: {}", question.name, said.title);
    match answered {
        Err(own) if own.code.number != codes::WRONG_KIND.number || own.repairs.is_empty() => {
            let place = arguments.positional.iter().find(|a| Some(a.span) == said.primary());
            Err(match place {
                Some(argument) => operate::mend_kind(cx, Box::new(said), &argument.value, argument.span),
                None => Box::new(said),
            })
        }
        answered => answered,
    }
}

/// Questions that are part of the language and whose answers come with later work. They parse, they
/// are known by name, and they say that they are not available yet.
pub mod later {
    use super::{Arguments, Question};
    use crate::diagnostic::{Diagnostic, codes};
    use crate::model::kind::*;
    use crate::model::value::{Fallible, Value};

    fn not_available(arguments: &Arguments) -> Fallible<Value> {
        Err(Box::new(
            Diagnostic::error(
                &codes::NOT_AVAILABLE,
                format!("the question `{}` is not available yet", arguments.question.name),
            )
            .label(arguments.name_span, "no answer in this version"),
        ))
    }

    macro_rules! later {
        ($($name:literal [$($parameter:expr),*] [$($option:expr),*] => $gives:expr, [$($part:expr),*];)*) => {
            pub static ROWS: &[Question] = &[$(Question {
                name: $name, parameters: &[$($parameter),*], options: &[$($option),*], help: "not available yet",
                gives: $gives, parts: &[$($part),*], run: not_available,
            }),*];
        };
    }

    later! {
        "lyapunov" [one("run", RUN)] [] => Gives::Kinds(LIST), [];
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_question_that_is_answered_is_not_announced_any_more() {
        for row in super::later::ROWS {
            let count = super::names().filter(|name| *name == row.name).count();
            assert_eq!(count, 1, "`{}` has an answer now: take it out of `later`", row.name);
        }
    }
}
