//! Questions about sets: unions, everything, images.

use super::{Arguments, Question};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::map::Map;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Fallible, Value};
use crate::session::operate;

pub static ROWS: &[Question] = &[
    Question {
        name: "everything",
        signature: "everything(J1(Y))",
        help: "the whole space",
        options: &[],
        takes_equations: false,
        parts: &[("branches", "one, without equations"), ("empty", "no")],
        run: everything,
    },
    Question {
        name: "union",
        signature: "union(K1, K2, …)",
        help: "the union of sets",
        options: &[],
        takes_equations: false,
        parts: &[("branches", "of all of them"), ("empty", "all are empty")],
        run: union,
    },
];

fn everything(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let space = match a.value(0)?.main() {
        Value::Space(s) => s,
        Value::Manifold(m) => m.jets(0),
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a manifold or jet space is needed here")
                    .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
            ));
        }
    };
    Ok(Value::from(PointSet::new(&space, vec![Branch::everything()])))
}

fn union(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1000)?;
    let mut branches = vec![];
    let mut space = None;
    for (i, argument) in a.positional.iter().enumerate() {
        match a.value(i)?.main() {
            Value::Set(s) => {
                branches.extend(s.branches().iter().cloned());
                space.get_or_insert(s.space().clone());
            }
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a set is needed here")
                        .label(argument.span, format!("this is {}", operate::describe(&other))),
                ));
            }
        }
    }
    let space = space.expect("at least one argument");
    Ok(Value::from(PointSet::new(&space, branches)))
}

pub fn image(_map: &Map) -> Fallible<Value> {
    Err(Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, "`image` is not available yet")))
}
