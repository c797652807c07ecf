//! What geometry refuses, with the evidence. A [`Refusal`] knows no place in a source; it becomes a
//! [`Diagnostic`] without labels, and the caller that knows the place points at it.

use super::jet::{FiberedManifold, JetSpace};
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::Exhausted;
use crate::diagnostic::{Diagnostic, codes};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Objects of two manifolds, neither of which stands on the other.
    MixedManifolds {
        left: FiberedManifold,
        right: FiberedManifold,
    },
    /// A coordinate that is none of this space, nor of a higher jet space of the same manifold.
    ForeignCoordinate {
        space: JetSpace,
        symbol: Symbol,
    },
    WrongDegree {
        expected: usize,
        found: usize,
    },
    /// A form of this degree vanishes identically on a space of so few dimensions.
    PastDimension {
        degree: usize,
        space: JetSpace,
    },
    /// i_ξ of a form of degree 0.
    ContractsFunction,
    /// The object depends on `symbol`, a jet of order `order`, and was promised on `space`. The verdict
    /// about the independence is "no" or "unknown".
    OrderTooHigh {
        space: JetSpace,
        symbol: Symbol,
        order: u32,
        verdict: Verdict,
    },
    /// The component along `component` depends on `on`, or it could not be decided that it does not.
    NotProjectable {
        component: Symbol,
        coefficient: Expr,
        on: Symbol,
        verdict: Verdict,
    },
    /// A section or map that says nothing about this coordinate.
    MissingComponent {
        symbol: Symbol,
    },
    /// The component of a section for `component` depends on `on`, which is no function of the time.
    NotAFunctionOfTime {
        component: Symbol,
        on: Symbol,
    },
    /// A map without an inverse that could be computed, and why; it might be if these were known to be positive.
    NotInvertible {
        why: String,
        positive: Vec<Expr>,
    },
    /// A fact on which the computation rests could not be decided.
    Undecided {
        what: String,
        why: String,
    },
    Exhausted(Exhausted),
}

impl From<Exhausted> for Refusal {
    fn from(why: Exhausted) -> Refusal {
        Refusal::Exhausted(why)
    }
}

/// `assume x > 0, y > 1`: the statement that these are positive.
pub fn assumption(positive: &[Expr]) -> String {
    let fact = |e: &Expr| {
        let (left, relation, right) = Condition::positive(*e).sides();
        format!("{left} {} {right}", relation.text())
    };
    let facts: Vec<String> = positive.iter().map(fact).collect();
    format!("assume {}", facts.join(", "))
}

impl From<Refusal> for Diagnostic {
    fn from(refusal: Refusal) -> Diagnostic {
        match refusal {
            Refusal::MixedManifolds { left, right } => {
                Diagnostic::error(&codes::WRONG_MANIFOLD, format!("objects on {left} and on {right} do not meet"))
                    .note(format!("neither manifold lies over the other: {left} and {right} share only the time"))
                    .help(format!("carry one of them over with a map between {left} and {right}: pullback(map, …)"))
            }
            Refusal::ForeignCoordinate { space, symbol } => {
                let title = format!("{symbol} is not a coordinate of {space}");
                let names: Vec<String> = space.symbols().iter().map(Symbol::to_string).collect();
                Diagnostic::error(&codes::WRONG_MANIFOLD, title)
                    .note(format!("the coordinates of {space} are {}", names.join(", ")))
            }
            Refusal::WrongDegree { expected, found } => {
                let title = format!("a {expected}-form is needed here, and this is a {found}-form");
                Diagnostic::error(&codes::WRONG_DEGREE, title)
            }
            Refusal::PastDimension { degree, space } => {
                let title = format!("a {degree}-form on {space} is zero, whatever it is made of");
                Diagnostic::error(&codes::PAST_DIMENSION, title)
                    .note(format!("{space} has {} dimensions", space.dimension()))
            }
            Refusal::ContractsFunction => {
                Diagnostic::error(&codes::NO_SLOT, "a function has no slot for a vector field")
                    .note("the interior product lowers the degree by one, and a function has degree 0")
            }
            Refusal::OrderTooHigh { space, symbol, order, verdict } => {
                let higher = space.manifold().jets(order);
                let title = match &verdict {
                    Verdict::Unknown(_) => format!("it cannot be shown that this lives on {space}"),
                    _ => format!("this does not live on {space}"),
                };
                let diagnostic = Diagnostic::error(&codes::ORDER_TOO_HIGH, title);
                match verdict {
                    Verdict::Unknown(why) => diagnostic
                        .note(format!("whether it depends on {symbol}, a coordinate of {higher}, is undecided: {why}")),
                    _ => diagnostic.note(format!("it depends on {symbol}, which is a coordinate of {higher}")),
                }
                .help(format!("declare it on {higher}"))
            }
            Refusal::NotProjectable { component, on, verdict, .. } => {
                let diagnostic = Diagnostic::error(&codes::NOT_PROJECTABLE, "this vector field is not projectable");
                match verdict {
                    Verdict::Unknown(why) => diagnostic
                        .note(format!("whether the component along @{component} depends on {on} is undecided: {why}")),
                    _ => diagnostic.note(format!("the component along @{component} depends on {on}")),
                }
            }
            Refusal::MissingComponent { symbol } => {
                Diagnostic::error(&codes::MISSING_COMPONENT, format!("there is no component for {symbol}"))
                    .help(format!("add an entry {symbol} = …"))
            }
            Refusal::NotAFunctionOfTime { component, on } => {
                let title = format!("the component {component} of this section depends on {on}");
                Diagnostic::error(&codes::WRONG_MANIFOLD, title)
                    .note("a section gives every coordinate as a function of the time and of parameters")
            }
            Refusal::NotInvertible { why, positive } => {
                let diagnostic = Diagnostic::error(&codes::NOT_INVERTIBLE, "this map cannot be inverted").note(why);
                if positive.is_empty() { diagnostic } else { diagnostic.help(assumption(&positive)) }
            }
            Refusal::Undecided { what, why } => {
                Diagnostic::error(&codes::UNDECIDED, format!("it cannot be decided whether {what}"))
                    .note(why)
                    .help("state what is known with assume, so that the question can be settled")
            }
            Refusal::Exhausted(why) => Diagnostic::error(&codes::BUDGET, why.to_string()),
        }
    }
}

impl From<Refusal> for Box<Diagnostic> {
    fn from(refusal: Refusal) -> Box<Diagnostic> {
        Box::new(refusal.into())
    }
}
