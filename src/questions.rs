//! The table of questions. A row holds the name, its signature, what it is about, its options, the
//! parts of its answer and the function that answers. The evaluator, completion, `:help`, the
//! documentation and the JSON schema read the same rows.

pub mod calculus;
pub mod canonical;
pub mod distributions;
pub mod dynamics;
pub mod ideals;
pub mod maps;
pub mod matrices;
pub mod motion;
pub mod polynomials;
pub mod sets;
pub mod strata;
pub mod symbolic;
pub mod systems;
pub mod tensors;

use crate::algebra::conditions::Recorded;
use crate::algebra::{Expr, Symbol};
use crate::budget::Exhausted;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::Refusal;
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::model::item::System;
use crate::model::value::{Fallible, Point, Value};
use crate::session::operate;
use crate::source::Span;
use indexmap::IndexMap;
use std::rc::Rc;

/// One question of the language.
pub struct Question {
    pub name: &'static str,
    /// As it is written: `momenta(S, gauge = φ)`.
    pub signature: &'static str,
    pub help: &'static str,
    pub options: &'static [&'static str],
    /// Whether an argument such as `x = 1` is an equation and not an option.
    pub takes_equations: bool,
    /// The named parts of the answer: name and meaning.
    pub parts: &'static [(&'static str, &'static str)],
    pub run: fn(&Arguments) -> Fallible<Value>,
}

impl Question {
    /// Whether this version answers it.
    pub fn is_available(&self) -> bool {
        !later::ROWS.iter().any(|row| row.name == self.name)
    }
}

/// What a question is asked about.
pub struct Arguments {
    pub question: &'static Question,
    pub positional: Vec<Argument>,
    pub named: IndexMap<String, Argument>,
    /// The whole call, and the name of the question in it.
    pub span: Span,
    pub name_span: Span,
    pub on: Option<FiberedManifold>,
    /// The manifolds declared so far, for objects that mention only the time.
    pub manifolds: Vec<FiberedManifold>,
    /// What was cancelled when the arguments were read, and so does not vanish where they have a value.
    pub cancelled: Vec<Expr>,
    /// Where the positional arguments have a value, one entry for each; for questions that [carry](carries_conditions) it to
    /// another manifold with the value. For all others it is recorded when the arguments are read.
    pub recorded: Vec<Recorded>,
}

/// Whether a question takes its arguments, and with them their conditions, to other coordinates.
pub fn carries_conditions(question: &Question) -> bool {
    matches!(question.name, "pullback" | "transform")
}

#[derive(Clone)]
pub struct Argument {
    pub value: Value,
    pub span: Span,
}

/// All rows, by subject.
static TABLES: &[&[Question]] = &[
    systems::ROWS,
    canonical::ROWS,
    dynamics::ROWS,
    motion::ROWS,
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

/// Every question, by subject.
pub fn all() -> impl Iterator<Item = &'static Question> {
    TABLES.iter().flat_map(|t| t.iter())
}

pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|q| q.name)
}

/// Answers a question.
pub fn ask(question: &'static Question, arguments: Arguments) -> Fallible<Value> {
    (question.run)(&arguments).map_err(|d| Box::new(d.or_at(arguments.name_span, "asked here")))
}

/// Jets beyond this order are slips of the pen.
pub const MAX_JET_ORDER: u32 = 64;

/// A jet order that does not exist, with the nearest one that does, as it is written there.
pub fn no_such_order(order: &str, span: Span, near: String) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::ORDER_TOO_HIGH, format!("there is no jet space of order {order} here"))
            .label(span, format!("an order from 0 to {MAX_JET_ORDER}"))
            .repair(format!("the nearest is {near}"), span, near),
    )
}

/// A computation that was stopped, as a diagnostic without a place.
pub fn exhausted(stop: Exhausted) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::BUDGET, format!("the computation was stopped: {stop}"));
    match stop {
        Exhausted::Interrupted => diagnostic,
        _ => diagnostic.help("simplify the question, or ask about a part of it"),
    }
}

/// What geometry refuses, as a diagnostic without a place.
pub fn refusal(refusal: Refusal) -> Box<Diagnostic> {
    Box::new(refusal.into())
}

impl Arguments {
    pub fn new(question: &'static Question, span: Span, name_span: Span) -> Arguments {
        Arguments {
            question,
            positional: vec![],
            named: IndexMap::new(),
            span,
            name_span,
            on: None,
            manifolds: vec![],
            cancelled: vec![],
            recorded: vec![],
        }
    }

    /// The manifold declared last: for questions whose answer is the same on every manifold.
    pub fn latest(&self) -> Option<FiberedManifold> {
        self.manifolds.last().cloned()
    }

    /// The manifold on which an argument was declared.
    pub fn declared(&self) -> Option<FiberedManifold> {
        self.positional.iter().find_map(|argument| match &argument.value {
            Value::OnSpace(on) => Some(on.space.manifold().clone()),
            _ => None,
        })
    }

    /// Refuses an argument that lives on another manifold than what it is asked about.
    pub fn lives_on(&self, i: usize, manifold: &FiberedManifold) -> Fallible<()> {
        let argument = &self.positional[i];
        let found = match argument.value.main() {
            Value::Field(x) => x.manifold(),
            Value::Form(f) => f.manifold(),
            Value::Expr(e) => FiberedManifold::of_symbols(&e.symbols()),
            Value::Distribution(d) => FiberedManifold::of_symbols(d.chart().symbols()),
            Value::Codistribution(c) => FiberedManifold::of_symbols(c.chart().symbols()),
            _ => return Ok(()),
        };
        let label = |name: &str| format!("on {name}");
        match found {
            Ok(Some(found)) => match found.join(manifold) {
                Ok(_) => Ok(()),
                Err(refused) => Err(Box::new(refusal(refused).label(argument.span, label(found.name())))),
            },
            Ok(None) => Ok(()),
            Err(refused) => Err(Box::new(refusal(refused).or_at(argument.span, "this"))),
        }
    }

    /// Refuses unless there are between `least` and `most` arguments.
    pub fn count(&self, least: usize, most: usize) -> Fallible<()> {
        let n = self.positional.len();
        if (least..=most).contains(&n) {
            return Ok(());
        }
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let plural = if wanted == "1" { "" } else { "s" };
        Err(Box::new(
            Diagnostic::error(
                &codes::WRONG_ARGUMENTS,
                format!("`{}` takes {wanted} argument{plural}, not {n}", self.question.name),
            )
            .label(self.name_span, "asked here")
            .help(format!("it is written `{}`", self.question.signature)),
        ))
    }

    fn at<T>(&self, i: usize, get: impl FnOnce(&Value) -> Fallible<T>) -> Fallible<T> {
        let Some(argument) = self.positional.get(i) else {
            self.count(i + 1, usize::MAX)?;
            unreachable!("count refuses");
        };
        get(&argument.value)
            .map_err(|d| Box::new(d.or_at(argument.span, format!("this is {}", operate::describe(&argument.value)))))
    }

    pub fn value(&self, i: usize) -> Fallible<Value> {
        self.at(i, |v| Ok(v.clone()))
    }

    pub fn expr(&self, i: usize) -> Fallible<Expr> {
        self.at(i, operate::as_expr)
    }

    pub fn form(&self, i: usize) -> Fallible<Form> {
        self.at(i, operate::as_form).map_err(|d| self.mend_kind(i, d))
    }

    pub fn field(&self, i: usize) -> Fallible<VectorField> {
        self.at(i, operate::as_field).map_err(|d| self.mend_kind(i, d))
    }

    fn mend_kind(&self, i: usize, d: Box<Diagnostic>) -> Box<Diagnostic> {
        match self.positional.get(i) {
            Some(argument) => operate::mend_kind(d, &argument.value, argument.span),
            None => d,
        }
    }

    pub fn symbol(&self, i: usize) -> Fallible<Symbol> {
        self.at(i, |v| match operate::as_expr(v)?.as_symbol() {
            Some(s) => Ok(s),
            None => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a coordinate or parameter is needed here"))),
        })
    }

    pub fn integer(&self, i: usize) -> Fallible<i64> {
        self.at(i, |v| match operate::as_expr(v)?.as_number().and_then(|n| n.to_i64()) {
            Some(n) => Ok(n),
            None => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "an integer is needed here"))),
        })
    }

    /// A small number of jets: an order that someone typed.
    pub fn jet_order(&self, i: usize) -> Fallible<u32> {
        let n = self.integer(i)?;
        let order = u32::try_from(n).ok().filter(|n| *n <= MAX_JET_ORDER);
        order.ok_or_else(|| {
            let near = n.clamp(0, MAX_JET_ORDER.into()).to_string();
            no_such_order(&n.to_string(), self.positional[i].span, near)
        })
    }

    pub fn point(&self, i: usize) -> Fallible<Rc<Point>> {
        self.at(i, |v| match v.main() {
            Value::Point(p) => Ok(p),
            _ => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a point is needed here").help("write it as `{ x = 1, x' = 2 }`"),
            )),
        })
    }

    /// A Lagrangian, equations, a dynamical or Lepage form, or a system.
    pub fn system(&self, i: usize) -> Fallible<Rc<System>> {
        self.at(i, System::from_value)
    }

    pub fn option(&self, name: &str) -> Option<&Argument> {
        self.named.get(name)
    }

    /// Refuses options: for questions that have some only in other forms.
    pub fn no_options(&self) -> Fallible<()> {
        match self.named.values().next() {
            None => Ok(()),
            Some(option) => Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "this option has no effect here").label(option.span, "not used"),
            )),
        }
    }
}

/// Questions that are part of the language and whose answers come with later work. They parse, they
/// are known by name, and they say that they are not available yet.
pub mod later {
    use super::{Arguments, Question};
    use crate::diagnostic::{Diagnostic, codes};
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
        ($($name:literal $signature:literal $options:expr;)*) => {
            pub static ROWS: &[Question] = &[$(Question {
                name: $name, signature: $signature, help: "not available yet", options: $options,
                takes_equations: false, parts: &[], run: not_available,
            }),*];
        };
    }

    later! {
        "two_force" "two_force(L)" &[];
        "rank_condition" "rank_condition(Q)" &[];
        "normal_form" "normal_form(Q)" &[];
        "constraint_type" "constraint_type(Q)" &[];
        "constraint_forms" "constraint_forms(Q)" &[];
        "canonical_distribution" "canonical_distribution(Q)" &[];
        "ideal" "ideal(Q)" &[];
        "reduced" "reduced(S)" &[];
        "multipliers" "multipliers(S)" &[];
        "reactions" "reactions(S)" &[];
        "implicit" "implicit(S)" &[];
        "integrability" "integrability(S)" &[];
        "reduction" "reduction(S)" &[];
        "ideal_conditions" "ideal_conditions(Q)" &[];
        "compatible" "compatible(Λ0)" &[];
        "jet_lift" "jet_lift(Λ0)" &[];
        "balance" "balance(S)" &[];
        "poincare_cartan" "poincare_cartan(S)" &[];
        "connection" "connection(S)" &[];
        "curvature" "curvature(S)" &[];
        "jacobi" "jacobi(S)" &[];
        "covariant" "covariant(S, X)" &[];
        "adjoint_symmetry" "adjoint_symmetry(S, α, potential = F)" &["potential"];
        "direct" "direct(S)" &[];
        "crosscheck" "crosscheck(S)" &[];
        "lyapunov" "lyapunov(run)" &[];
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
