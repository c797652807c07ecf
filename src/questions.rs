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
pub mod differentiation;
pub mod distributions;
pub mod dynamics;
pub mod equilibria;
pub mod exponents;
pub mod forces;
pub mod ideals;
pub mod maps;
pub mod matrices;
pub mod mixed;
pub mod motion;
pub mod pairs;
pub mod parts;
pub mod polynomials;
pub mod sensitivity;
pub mod sets;
pub mod strata;
pub mod symbolic;
pub mod systems;
pub mod tensors;
pub mod variation;
pub mod word;

use crate::algebra::{Inquiry, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::{self, Gives};
use crate::model::operate;
use crate::model::value::{Fallible, PointEntry, Value};
use crate::source::Span;

/// The words in which the rows are written.
pub use crate::model::call;
pub use crate::model::question::{Argument, Arguments, MAX_JET_ORDER, Question, no_such_order};
/// All rows, by subject.
static TABLES: &[(&str, &[Question])] = &[
    ("equations and forms", systems::ROWS),
    ("momenta and Hamiltonians", canonical::ROWS),
    ("classification and singular systems", dynamics::ROWS),
    ("forces after Lewis", forces::ROWS),
    ("motion, symmetries, first integrals", motion::ROWS),
    ("implicit equations and given reactions", pairs::ROWS),
    ("constraints", constraints::ROWS),
    ("constrained systems", constrained::ROWS),
    ("differentiation index", differentiation::ROWS),
    ("comparison of formalisms", crosscheck::ROWS),
    ("equilibria and stability", equilibria::ROWS),
    ("mixed systems and connections", mixed::ROWS),
    ("variations of motions", variation::ROWS),
    ("exponents of runs", exponents::ROWS),
    ("sensitivities of runs", sensitivity::ROWS),
    ("calculus of forms and fields", calculus::ROWS),
    ("tensors", tensors::ROWS),
    ("maps and changes of coordinates", maps::ROWS),
    ("distributions", distributions::ROWS),
    ("sets of points", sets::ROWS),
    ("formulas", symbolic::ROWS),
    ("matrices", matrices::ROWS),
    ("polynomial equations", polynomials::ROWS),
    ("ideals", ideals::ROWS),
];

/// The row of that name. It is sought for each call, before anything is computed: in plain loops, and by the length first.
pub fn find(name: &str) -> Option<&'static Question> {
    for (_, rows) in TABLES {
        for question in *rows {
            if question.name.len() == name.len() && question.name == name {
                return Some(question);
            }
        }
    }
    None
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

/// Whether the answer to a question is a formula of the calculus, made without deciding or solving anything.
pub fn is_formula(question: &Question) -> bool {
    question.gives != Gives::Kinds(kind::VERDICT) && calculus::ROWS.contains(question)
}

/// Whether a question belongs to those about constraints and constrained systems.
pub fn is_about_constraints(question: &Question) -> bool {
    [constraints::ROWS, constrained::ROWS].iter().any(|rows| rows.contains(question))
}

/// Every question, by subject.
pub fn all() -> impl Iterator<Item = &'static Question> {
    TABLES.iter().flat_map(|(_, rows)| rows.iter())
}

/// The questions, with the name of their subject.
pub fn by_subject() -> impl Iterator<Item = (&'static str, &'static [Question])> {
    TABLES.iter().copied()
}

pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|q| q.name)
}

/// A point with a coordinate of another manifold than that of the system asked about: it could have no effect.
pub fn foreign_entry<'a>(mut given: impl Iterator<Item = (&'a Value, Span)> + Clone) -> Option<Diagnostic> {
    let system = given.clone().find_map(|(value, _)| match value {
        Value::System(system) => Some(system.clone()),
        _ => None,
    })?;
    given.find_map(|(value, span)| {
        let Value::Point(point) = value else { return None };
        let is_foreign = |e: &&PointEntry| e.symbols.iter().all(|s| system.manifold.is_foreign(*s));
        let symbol = *point.entries.iter().find(is_foreign)?.symbols.first()?;
        let d = Diagnostic::error(&codes::WRONG_MANIFOLD, format!("`{symbol}` is no coordinate of this system"));
        Some(d.label(span, format!("a point of {} is needed", system.manifold.name())))
    })
}

/// That there is no motion rests on what was divided by, as an answer does.
pub fn said_where(d: Box<Diagnostic>, recorded: &conditions::Recorded) -> Box<Diagnostic> {
    let conditions: Vec<String> = recorded.nonzero.iter().map(|e| format!("{e} != 0")).collect();
    match d.code.name == codes::NO_MOTION.name && !conditions.is_empty() {
        true => Box::new(d.note(format!("this was found where {}", conditions.join(", ")))),
        false => d,
    }
}

/// Answers a question. Arguments that the row does not take are refused in the words of the row, unless the question
/// itself knows what was meant.
pub fn ask(cx: &Inquiry, question: &'static Question, mut arguments: Arguments) -> Fallible<Value> {
    let given = arguments.positional.iter().chain(arguments.named.values()).map(|a| (&a.value, a.span));
    if let Some(foreign) = foreign_entry(given) {
        return Err(Box::new(foreign));
    }
    let said = call::check_call(question, &arguments.as_call()).into_iter().next();
    let branch = constraints::branch(&arguments);
    arguments.cx = arguments.cx.where_hold(&branch);
    let here = arguments.cx.clone();
    let (answered, recorded) = conditions::collect_all(&here, |inner| {
        arguments.cx = inner.clone();
        (question.run)(&arguments)
    });
    conditions::record_all(&here, &recorded);
    let answered = answered.map_err(|d| said_where(d, &recorded)).and_then(|value| operate::finished(cx, value));
    let answered = answered.map(|value| value.on_branch(branch));
    let answered = answered.map_err(|d| Box::new(d.or_at(arguments.name_span, "asked here")));
    let Some(said) = said else { return answered };
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
