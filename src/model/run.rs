//! Runs and their series as values of the language: their parts, their states as points, their differences.

use super::kind::{INTEGER, Kinds, LABEL, LIST, NUMBER, POINT, TEXT, VERDICT};
use super::value::{Answer, Fallible, Point, PointEntry, Value};
use crate::algebra::Inquiry;
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::codegen::lower::to_f64;
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::surface::Projection;
use crate::motion::double::{constant, from_f64};
use crate::motion::run::{Run, reason_label};
use crate::motion::series::Series;
use smallvec::SmallVec;
use std::rc::Rc;

/// A state as a point; recorded columns stand after it.
fn state(run: &Run, time: f64, values: &[f64]) -> Value {
    let states = std::iter::once((run.time, time)).chain(run.states.iter().copied().zip(values.iter().copied()));
    point(&states.collect::<Vec<_>>(), &run.recorded(time, values))
}

/// Numbers as a point: of states, and of recorded columns after them.
pub fn point(states: &[(Symbol, f64)], columns: &[(String, f64)]) -> Value {
    let mut entries: Vec<PointEntry> = states.iter().map(|(q, x)| entry(*q, *x)).collect();
    for (name, x) in columns {
        if entries.iter().all(|e| e.text != *name) {
            entries.push(PointEntry { symbols: SmallVec::new(), text: name.clone(), value: number(*x), of_run: true });
        }
    }
    Value::Point(Rc::new(Point { entries }))
}

/// A part of every run: its name, what it is, how it is taken.
pub struct RunPart {
    pub name: &'static str,
    pub kinds: Kinds,
    take: fn(&Run) -> Value,
}

const fn row(name: &'static str, kinds: Kinds, take: fn(&Run) -> Value) -> RunPart {
    RunPart { name, kinds, take }
}

/// The parts of every run.
pub const PARTS: &[RunPart] = &[
    row("first", POINT, |run| state(run, run.problem.start, &run.problem.state)),
    row("last", POINT, |run| state(run, run.trajectory.end, run.trajectory.last())),
    row("end", NUMBER, |run| Value::Float(run.trajectory.end)),
    row("reason", LABEL, |run| Value::Label(reason_label(&run.trajectory.reason))),
    row("message", TEXT, |run| Value::Text(run.trajectory.reason.to_string().into())),
    row("method", LABEL, |run| Value::Label(run.trajectory.method.name())),
    row("backend", LABEL, |run| Value::Label(run.backend())),
    row("portable", VERDICT, |run| Value::from(Verdict::from_bool(run.is_portable(), "how the run was made"))),
    row("steps", INTEGER, |run| Value::number(run.trajectory.statistics.steps as i64)),
    row("rejected", INTEGER, |run| Value::number(run.trajectory.statistics.rejected as i64)),
    row("events", LIST, |run| Value::list(run.trajectory.events.iter().map(|e| state(run, e.t, &e.state)))),
    row("levels", LIST, |run| {
        Value::list(kept(run, |kept| kept.equations.iter().map(|e| Value::Text(e.as_str().into())).collect::<Vec<_>>()))
    }),
    row("drift", LIST, |run| kept(run, |kept| floats(&kept.drift))),
    row("residuals", LIST, |run| kept(run, |kept| floats(&kept.residuals))),
    row("projection", NUMBER, |run| kept(run, |kept| Value::Float(kept.largest))),
    row("projections", INTEGER, |run| kept(run, |kept| Value::number(kept.count as i64))),
    row("passed", LIST, |run| kept(run, |kept| floats(&kept.passed))),
    row("switched", LIST, |run| floats(&run.switched())),
];

/// Their names.
pub fn part_names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|row| row.name)
}

/// `run.x`, `run.last`, `run.reason`, …
pub fn part(run: &Rc<Run>, name: &str) -> Option<Value> {
    // What was recorded under this name comes first.
    if let Some(series) = run.series(name) {
        return Some(Value::Series(Rc::new(series)));
    }
    match PARTS.iter().find(|row| row.name == name) {
        Some(row) => Some((row.take)(run)),
        None => members(run, name),
    }
}

/// What kept the run on its constraints: nothing, where there are none.
fn kept<T>(run: &Run, take: impl FnOnce(&Projection) -> T) -> T {
    take(run.trajectory.projection.as_ref().unwrap_or(&Projection::default()))
}

fn floats(list: &[f64]) -> Value {
    Value::list(list.iter().map(|x| Value::Float(*x)))
}

/// A column, a state, or those of a family, by name.
pub fn column(run: &Rc<Run>, name: &str) -> Option<Value> {
    match run.series(name) {
        Some(series) => Some(Value::Series(Rc::new(series))),
        None => members(run, name),
    }
}

/// The columns `q[1]`, `q[2]`, … of a family `q`.
fn members(run: &Rc<Run>, name: &str) -> Option<Value> {
    let is_member = |n: &&String| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'));
    let names = run.column_names();
    let members: Vec<Series> = names.iter().filter(is_member).filter_map(|n| run.series(n)).collect();
    (!members.is_empty()).then(|| Value::list(members.into_iter().map(|s| Value::Series(Rc::new(s)))))
}

/// The state at a time inside the run.
pub fn at(cx: &Inquiry, run: &Run, point: &Point) -> Fallible<Value> {
    let t = time_of(cx, run.time, point)?;
    Ok(state(run, t, &run.state_at(cx, t)?))
}

/// The time that a point gives.
pub fn time_of(cx: &Inquiry, time: Symbol, point: &Point) -> Fallible<f64> {
    let entry = point.entries.iter().find(|e| e.symbols.contains(&time)).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, format!("at which {time}?"))
                .help(format!("write `run at {{ {time} = 3 }}`")),
        )
    })?;
    if let Some(other) = point.entries.iter().find(|e| !e.of_run && !e.symbols.contains(&time)) {
        let d = Diagnostic::error(
            &codes::NO_EFFECT,
            format!("a run has one state at each {time}: `{}` says nothing", other.text),
        );
        return Err(Box::new(d.help(format!("leave `{}` out", other.text))));
    }
    constant(cx, entry.value).ok_or_else(|| Box::new(Diagnostic::error(&codes::WRONG_KIND, "the time is a number")))
}

/// The value at a time: a recorded one, or of the run it belongs to.
pub fn series_at(cx: &Inquiry, series: &Series, point: &Point) -> Fallible<Value> {
    let Some(run) = &series.of else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "this series has values at the recorded times only")
                .help("take the parts of `run at { t = 3 }` instead"),
        ));
    };
    let Value::Point(state) = at(cx, run, point)? else { unreachable!("a state is a point") };
    let entry = state.entries.iter().find(|e| e.text == series.name);
    match entry.and_then(|e| e.value.as_number()) {
        Some(n) => Ok(Value::Float(to_f64(n))),
        None => Err(Box::new(Diagnostic::error(&codes::NOT_REAL, format!("`{}` has no value there", series.name)))),
    }
}

/// `a - b`: the differences of the states that both have, at the times of a.
pub fn minus(cx: &Inquiry, a: &Rc<Run>, b: &Rc<Run>) -> Fallible<Value> {
    let (differences, largest) = a.minus(cx, b)?;
    let entries = differences.into_iter().map(|(symbol, series)| (symbol, Value::Series(Rc::new(series))));
    Ok(Value::from(
        Answer::new("difference").main(Value::family(entries)).part("max", Value::Float(largest)).on(&a.manifold),
    ))
}

/// Whether a series equals a series or a number, or a run a run, within the tolerance.
pub fn equal(cx: &Inquiry, left: &Value, right: &Value, within: Option<&Rational>) -> Fallible<Verdict> {
    let tolerance = within.map_or(0.0, to_f64);
    match (left, right) {
        (Value::Series(a), Value::Series(b)) => a.equals(cx, b, tolerance),
        (Value::Series(a), number) | (number, Value::Series(a)) if double(cx, number).is_some() => {
            Ok(a.equals_number(double(cx, number).unwrap_or_default(), tolerance))
        }
        (Value::Run(a), Value::Run(b)) => a.equals(cx, b, tolerance),
        _ => Err(Box::new(Diagnostic::error(
            &codes::WRONG_KIND,
            "a series is compared with a series or a number, a run with a run",
        ))),
    }
}

/// A number of a run, as the exact value of the double.
fn number(x: f64) -> Expr {
    from_f64(x).map_or_else(|| Expr::undefined(crate::algebra::Undefined::NotReal), Expr::number)
}

fn entry(symbol: Symbol, x: f64) -> PointEntry {
    PointEntry { symbols: SmallVec::from_elem(symbol, 1), text: symbol.name(), value: number(x), of_run: true }
}

/// The double that a value is, or an exact constant beside one is taken for.
pub fn double(cx: &Inquiry, value: &Value) -> Option<f64> {
    match value {
        Value::Float(x) => Some(*x),
        Value::Expr(e) => constant(cx, *e),
        _ => None,
    }
}
