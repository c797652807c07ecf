//! The question `sensitivity(run, p)`: what a parameter or a coordinate of the first state changes
//! ([`sensitivity`](crate::motion::sensitivity)).

use super::{Arguments, Question};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::*;
use crate::model::run::point;
use crate::model::value::{Answer, Fallible, Value};
use std::rc::Rc;

pub static ROWS: &[Question] = &[Question {
    name: "sensitivity",
    parameters: &[one("run", RUN), one("p", COORDINATE)],
    help: "the derivatives of the last state of a run, and of what it records, by a parameter or by a coordinate of its first state",
    options: &[],
    gives: Gives::Kinds(POINT),
    parts: &[
        part("end", FUNCTION, "of the time at which the run ended: 0 unless an event ended it"),
        part("events", LIST, "of the times of the events"),
        part("along", LIST, "of what was recorded, or of the states, at the recorded times, each a series"),
    ],
    run: sensitivity,
}];

fn sensitivity(a: &Arguments) -> Fallible<Value> {
    let Value::Run(run) = a.value(0)?.main() else {
        return Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a run is needed here")));
    };
    let found = crate::motion::sensitivity::sensitivity(&a.cx, &run, a.symbol(1)?)
        .map_err(|d| Box::new(d.or_at(a.positional[1].span, "by this")))?;
    Ok(Value::from(
        Answer::new("sensitivity")
            .main(point(&found.last, &found.recorded))
            .part("end", Value::Float(found.end))
            .part("events", Value::list(found.events.iter().map(|x| Value::Float(*x))))
            .part("along", Value::list(found.along.into_iter().map(|s| Value::Series(Rc::new(s))))),
    ))
}
