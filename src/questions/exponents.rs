//! The question `lyapunov(run)`: how fast neighbouring motions part ([`lyapunov`](crate::motion::lyapunov)).

use super::{Arguments, Question};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::*;
use crate::model::value::{Answer, Fallible, Value};
use crate::motion::lyapunov::spectrum;

pub static ROWS: &[Question] = &[Question {
    name: "lyapunov",
    parameters: &[one("run", RUN)],
    help: "the Lyapunov exponents of a run, the largest first: those of its time, by the variations of the motion (Benettin et al. 1980)",
    options: &[],
    gives: Gives::Kinds(LIST),
    parts: &[
        part(
            "sum",
            FUNCTION,
            "of all exponents: the mean divergence along the run, 0 in the limit where volume is kept",
        ),
        part("at_half", LIST, "the exponents of the first half of the run: how far they are from their limit"),
        part("time", FUNCTION, "the length of the run"),
    ],
    run: lyapunov,
}];

fn lyapunov(a: &Arguments) -> Fallible<Value> {
    let Value::Run(run) = a.value(0)?.main() else {
        return Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a run is needed here")));
    };
    let found = spectrum(&a.cx, &run).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this run")))?;
    let floats = |list: &[f64]| Value::list(list.iter().map(|x| Value::Float(*x)));
    Ok(Value::from(
        Answer::new("lyapunov")
            .main(floats(&found.exponents))
            .part("sum", Value::Float(found.exponents.iter().sum()))
            .part("at_half", floats(&found.at_half))
            .part("time", Value::Float(found.time)),
    ))
}
