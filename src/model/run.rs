//! Runs and their series, as values of the language. Here numbers are floating point: a run is
//! where derivations end.
//!
//! A [`Run`] keeps what was recorded and nothing else, so its memory is bounded by what was asked for. A state between
//! two recorded times is computed when it is asked for, from the recorded one before it, with the method and tolerance of
//! the run: `run at { t = 3 }` costs a few steps.

use super::value::{Answer, Fallible, Point, PointEntry, Value};
use crate::algebra::print::{Format, Style};
use crate::algebra::{Expr, Integer, Rational, Symbol, Verdict};
use crate::codegen::lower::to_f64;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::control::StopReason;
use crate::integrate::problem::{InitialValueProblem, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use crate::report::table::{Table, exact, short};
use dashu_int::IBig;
use smallvec::SmallVec;
use std::rc::Rc;

/// A run that was made: its trajectory, what the states and columns are, and what made it.
pub struct Run {
    pub system: String,
    pub manifold: FiberedManifold,
    pub trajectory: Trajectory,
    pub time: Symbol,
    pub states: Vec<Symbol>,
    /// Parameters with the values the run used.
    pub parameters: Vec<(Symbol, f64)>,
    /// Whether columns were asked for; otherwise the states are the columns.
    pub records: bool,
    pub motion: Rc<Motion>,
    pub problem: InitialValueProblem,
}

/// A column of a run, or what was computed from columns.
#[derive(Clone)]
pub struct Series {
    pub name: String,
    pub times: Rc<Vec<f64>>,
    pub values: Rc<Vec<f64>>,
    /// The run of which this is a column.
    pub of: Option<Rc<Run>>,
}

/// The parts of every run.
pub const PARTS: &[&str] =
    &["first", "last", "end", "reason", "message", "method", "backend", "portable", "steps", "rejected", "events"];

/// The rational number a double is.
pub fn from_f64(x: f64) -> Option<Rational> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
    let mantissa = if x < 0.0 { -mantissa } else { mantissa };
    let two = |k: i64| Integer::from_big(IBig::ONE << k.unsigned_abs() as usize);
    Some(if power >= 0 {
        Rational::integer(&Integer::from(mantissa) * &two(power))
    } else {
        Rational::new(mantissa.into(), two(power))
    })
}

/// The double that an exact number stands for, if it came from one: so fine a binary fraction is not typed.
pub fn as_double(e: Expr) -> Option<f64> {
    let n = e.as_number()?;
    let denominator = n.denominator().to_i64().map_or(u64::MAX, i64::unsigned_abs);
    if denominator < 1 << 20 {
        return None;
    }
    let x = to_f64(n);
    (from_f64(x).as_ref() == Some(n)).then_some(x)
}

impl Run {
    /// Names and values of the recorded columns, time first.
    pub fn table(&self) -> Table {
        let names = if self.records { self.trajectory.column_names() } else { self.trajectory.state_names() };
        let columns = names.iter().map(|n| {
            let values = self.trajectory.series(n).map(|s| s.iter().collect()).unwrap_or_default();
            (n.clone(), values)
        });
        let times = (self.time.name(), self.trajectory.times().to_vec());
        Table::new(std::iter::once(times).chain(columns.collect::<Vec<_>>()))
    }

    /// What can be asked of the run by name.
    pub fn column_names(&self) -> Vec<String> {
        let mut names = self.trajectory.column_names().to_vec();
        names.extend(self.trajectory.state_names().iter().filter(|n| !names.contains(n)).cloned().collect::<Vec<_>>());
        names
    }

    pub fn series(self: &Rc<Run>, name: &str) -> Option<Series> {
        let times = Rc::new(self.trajectory.times().to_vec());
        let of = Some(self.clone());
        if name == self.time.name() {
            return Some(Series { name: name.into(), values: times.clone(), times, of });
        }
        let series = self.trajectory.series(name)?;
        Some(Series { name: name.into(), times, values: Rc::new(series.iter().collect()), of })
    }

    /// What executed the run: machine code, or the interpreter.
    pub fn backend(&self) -> &'static str {
        match self.trajectory.backend {
            crate::codegen::compiled::Backend::Interpreter => "interpreter",
            _ => "jit",
        }
    }

    fn is_portable(&self) -> bool {
        self.motion.options().portable
    }

    pub fn describe(&self) -> String {
        let t = &self.trajectory;
        let s = &t.statistics;
        let last: Vec<String> = self.states.iter().zip(t.last()).map(|(q, x)| format!("{q} = {}", short(*x))).collect();
        let portable = if self.is_portable() { ", portable" } else { "" };
        let mut lines = vec![
            format!("{}: {}, at {} = {}", self.system, t.reason, self.time, short(t.end)),
            format!("  {}", last.join(", ")),
            format!("  {} with {} steps, {} rejected; {}{portable}", t.method.name(), s.steps, s.rejected, t.backend),
        ];
        if let Some(why) = &t.choice {
            lines.push(format!("  {why}"));
        }
        lines.join("\n")
    }

    /// The state at the end, as a formula.
    pub fn latex(&self) -> String {
        let style = Style::LATEX;
        let entries = std::iter::once((self.time, self.trajectory.end))
            .chain(self.states.iter().copied().zip(self.trajectory.last().iter().copied()));
        let entries: Vec<String> = entries.map(|(s, x)| format!("{} = {}", style.symbol(s), latex_number(x))).collect();
        entries.join(",\\quad ")
    }

    pub fn json(&self) -> serde_json::Value {
        let t = &self.trajectory;
        let s = &t.statistics;
        let state = |values: &[f64]| -> serde_json::Map<String, serde_json::Value> {
            self.states.iter().zip(values).map(|(q, x)| (q.name(), serde_json::json!(x))).collect()
        };
        let events: Vec<serde_json::Value> = t
            .events
            .iter()
            .map(|e| serde_json::json!({ "name": e.name, self.time.name(): e.t, "state": state(&e.state), "rising": e.rising }))
            .collect();
        let mut json = serde_json::json!({
            "reason": t.reason.name(), "message": t.reason.to_string(), "end": t.end, "last": state(t.last()),
            "method": t.method.name(), "backend": self.backend(), "portable": self.is_portable(),
            "steps": s.steps, "rejected": s.rejected, "evaluations": s.evaluations, "events": events,
            "columns": self.table().columns().iter().map(|c| c.name.clone()).collect::<Vec<_>>(), "rows": t.len(),
        });
        if let StopReason::SingularPoint { failure } = &t.reason {
            json["failed"] = serde_json::json!({ "expression": failure.expression });
            if let Some(argument) = failure.argument {
                json["failed"]["argument"] = serde_json::json!(argument);
            }
        }
        json
    }

    /// A state as a point; recorded columns stand after it.
    fn point(&self, time: f64, values: &[f64]) -> Value {
        let mut entries = vec![entry(self.time, time)];
        entries.extend(self.states.iter().zip(values).map(|(q, x)| entry(*q, *x)));
        let parameters: Vec<f64> = self.parameters.iter().map(|(_, x)| *x).collect();
        if let Ok(columns) = self.motion.recorded(time, values, &parameters) {
            for (name, x) in self.trajectory.column_names().iter().zip(columns) {
                if entries.iter().all(|e| e.text != *name) {
                    entries.push(PointEntry { symbols: SmallVec::new(), text: name.clone(), value: number(x) });
                }
            }
        }
        Value::Point(Rc::new(Point { entries }))
    }

    /// `run.x`, `run.last`, `run.reason`, …
    pub fn part(self: &Rc<Run>, name: &str) -> Fallible<Option<Value>> {
        let t = &self.trajectory;
        // What was recorded under this name comes first.
        if let Some(series) = self.series(name) {
            return Ok(Some(Value::Series(Rc::new(series))));
        }
        Ok(Some(match name {
            "last" => self.point(t.end, t.last()),
            "first" => self.point(self.problem.start, &self.problem.state),
            "end" => Value::Float(t.end),
            "reason" => Value::Label(reason_label(&t.reason)),
            "message" => Value::Text(t.reason.to_string().into()),
            "steps" => Value::number(t.statistics.steps as i64),
            "rejected" => Value::number(t.statistics.rejected as i64),
            "backend" => Value::Label(self.backend()),
            "portable" => Value::from(Verdict::from_bool(self.is_portable(), "how the run was made")),
            "method" => Value::Label(t.method.name()),
            "events" => Value::list(t.events.iter().map(|e| self.point(e.t, &e.state))),
            _ => return Ok(self.members(name)),
        }))
    }

    /// The columns `q[1]`, `q[2]`, … of a family `q`.
    fn members(self: &Rc<Run>, name: &str) -> Option<Value> {
        let is_member =
            |n: &&String| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'));
        let names = self.column_names();
        let members: Vec<Series> = names.iter().filter(is_member).filter_map(|n| self.series(n)).collect();
        (!members.is_empty()).then(|| Value::list(members.into_iter().map(|s| Value::Series(Rc::new(s)))))
    }

    /// The state at a time inside the run.
    pub fn at(&self, point: &Point) -> Fallible<Value> {
        let t = self.time_of(point)?;
        Ok(self.point(t, &self.state_at(t)?))
    }

    fn time_of(&self, point: &Point) -> Fallible<f64> {
        let time = point.entries.iter().find(|e| e.symbols.contains(&self.time)).ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::MISSING_PARAMETER, format!("at which {}?", self.time))
                    .help(format!("write `run at {{ {} = 3 }}`", self.time)),
            )
        })?;
        constant(time.value).ok_or_else(|| Box::new(Diagnostic::error(&codes::WRONG_KIND, "the time is a number")))
    }

    /// The state at a time, from the recorded one before it.
    pub fn state_at(&self, t: f64) -> Fallible<Vec<f64>> {
        let run = &self.trajectory;
        let (start, end) = (self.problem.start, run.end);
        if !(t >= start.min(end) && t <= start.max(end)) {
            return Err(self.outside(t));
        }
        let row = run.row_before(t).ok_or_else(|| self.outside(t))?;
        let from = run.times()[row];
        if from == t {
            return Ok(run.state(row).to_vec());
        }
        let problem = InitialValueProblem { start: from, state: run.state(row).to_vec(), end: t, ..self.quiet() };
        let field = self.motion.observing(None, None);
        let short_run = crate::integrate::run(&field, &problem).map_err(|bad| {
            Box::new(
                Diagnostic::error(&codes::OUTSIDE_RUN, format!("there is no state at {} = {}", self.time, short(t)))
                    .note(bad.to_string()),
            )
        })?;
        match short_run.reason {
            StopReason::Reached => Ok(short_run.last().to_vec()),
            reason => Err(Box::new(
                Diagnostic::error(&codes::OUTSIDE_RUN, format!("there is no state at {} = {}", self.time, short(t)))
                    .note(reason.to_string()),
            )),
        }
    }

    fn outside(&self, t: f64) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(&codes::OUTSIDE_RUN, format!("{} = {} is not inside this run", self.time, short(t)))
                .note(format!("it goes from {} to {}", short(self.problem.start), short(self.trajectory.end))),
        )
    }

    /// The problem of this run, of which only the ends are kept.
    fn quiet(&self) -> InitialValueProblem {
        InitialValueProblem { recording: Recording::Ends, dense: false, ..self.problem.clone() }
    }

    /// The run again, recorded at other times of it, in its order.
    fn recorded_at(&self, times: &[f64]) -> Fallible<Trajectory> {
        let problem = InitialValueProblem {
            end: times.last().copied().unwrap_or(self.problem.start),
            recording: Recording::At(times.to_vec()),
            ..self.quiet()
        };
        let refuse = |why: String| {
            Box::new(
                Diagnostic::error(&codes::OUTSIDE_RUN, "these runs do not have the same times")
                    .note(why)
                    .help("let both end at the same time, and record both `every 1/100`"),
            )
        };
        let motion = match &self.records {
            true => self.motion.clone(),
            false => Rc::new(self.motion.observing(None, None)),
        };
        for t in times {
            if !(*t >= self.problem.start.min(self.trajectory.end) && *t <= self.problem.start.max(self.trajectory.end))
            {
                return Err(refuse(self.outside(*t).title));
            }
        }
        let run = crate::integrate::run(&motion, &problem).map_err(|bad| refuse(bad.to_string()))?;
        let complete = matches!(run.reason, StopReason::Reached | StopReason::Event { .. }) && run.len() >= times.len();
        if complete { Ok(run) } else { Err(refuse(run.reason.to_string())) }
    }

    /// `a - b`: the differences of the states that both have, at the times of a.
    pub fn minus(self: &Rc<Run>, other: &Rc<Run>) -> Fallible<Value> {
        let shared: Vec<(Symbol, String)> = (self.states.iter().map(|s| (*s, s.name())))
            .filter(|(_, name)| other.states.iter().any(|o| o.name() == *name))
            .collect();
        if shared.is_empty() {
            return Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "these runs have no state in common")));
        }
        let mut largest = 0.0f64;
        let mut entries = vec![];
        for (symbol, name) in shared {
            let (Some(a), Some(b)) = (self.series(&name), other.series(&name)) else { continue };
            let Value::Series(difference) = a.combine(&b, "-", |x, y| x - y)? else { continue };
            largest = difference.values.iter().fold(largest, |m, x| m.max(x.abs()));
            entries.push((symbol, Value::Series(difference)));
        }
        Ok(Value::from(
            Answer::new("difference")
                .main(Value::family(entries))
                .part("max", Value::Float(largest))
                .on(&self.manifold),
        ))
    }

    /// `run is reached`, `run is event`, …
    pub fn verdict(&self, word: &str) -> Option<Verdict> {
        let known = [
            "reached",
            "event",
            "interrupted",
            "singular_point",
            "blow_up",
            "step_too_small",
            "left_its_set",
            "budget",
        ];
        known
            .contains(&word)
            .then(|| Verdict::from_bool(reason_label(&self.trajectory.reason) == word, "why the run ended"))
    }
}

/// The reason as a word of the language.
fn reason_label(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Reached => "reached",
        StopReason::Event { .. } => "event",
        StopReason::Interrupted => "interrupted",
        StopReason::SingularPoint { .. } => "singular_point",
        StopReason::BlowUp => "blow_up",
        StopReason::StepTooSmall => "step_too_small",
        StopReason::LeftSurface { .. } => "left_its_set",
        StopReason::Budget { .. } => "budget",
    }
}

/// A number of a run, as the exact value of the double.
fn number(x: f64) -> Expr {
    from_f64(x).map_or_else(|| Expr::undefined(crate::algebra::Undefined::NotReal), Expr::number)
}

fn entry(symbol: Symbol, x: f64) -> PointEntry {
    PointEntry { symbols: SmallVec::from_elem(symbol, 1), text: symbol.name(), value: number(x) }
}

/// The nearest double of an expression without symbols.
pub fn constant(e: Expr) -> Option<f64> {
    match e.as_number() {
        Some(n) => Some(to_f64(n)),
        None if e.symbols().is_empty() => crate::algebra::ball::decimal(e, &Default::default(), 19)
            .ok()??
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite()),
        None => None,
    }
}

/// The double that a value is, or an exact constant beside one is taken for.
pub fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Float(x) => Some(*x),
        Value::Expr(e) => constant(*e),
        _ => None,
    }
}

/// An elementary function of doubles.
pub fn apply(function: crate::algebra::function::Elementary, arguments: &[f64]) -> Option<f64> {
    crate::codegen::function::apply(function, arguments).filter(|value| value.is_finite())
}

/// A double as LaTeX writes it.
pub fn latex_number(x: f64) -> String {
    let text = exact(x);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\cdot 10^{{{exponent}}}"),
        None => text,
    }
}

/// A double in a style.
pub fn number_text(x: f64, style: Style) -> String {
    if style.format == Format::Latex { latex_number(x) } else { exact(x) }
}

impl Series {
    pub fn describe(&self) -> String {
        let v = &self.values;
        let range = |f: fn(f64, f64) -> f64| v.iter().copied().reduce(f).unwrap_or(0.0);
        format!(
            "{}: {} values, from {} to {}, between {} and {}",
            self.name,
            v.len(),
            v.first().map_or_else(String::new, |x| short(*x)),
            v.last().map_or_else(String::new, |x| short(*x)),
            short(range(f64::min)),
            short(range(f64::max)),
        )
    }

    /// The interval in which the values lie, as a formula.
    pub fn latex(&self) -> String {
        let range = |f: fn(f64, f64) -> f64| self.values.iter().copied().reduce(f).unwrap_or(0.0);
        format!(
            "\\text{{{}}} \\in \\left[{}, {}\\right]",
            self.name.replace('_', "\\_"),
            latex_number(range(f64::min)),
            latex_number(range(f64::max))
        )
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::json!(*self.values)
    }

    pub fn part(&self, name: &str) -> Fallible<Option<Value>> {
        let v = &self.values;
        let value = match name {
            "first" => v.first().copied(),
            "last" => v.last().copied(),
            "max" => v.iter().copied().reduce(f64::max),
            "min" => v.iter().copied().reduce(f64::min),
            _ => return Ok(None),
        };
        match value {
            Some(x) => Ok(Some(Value::Float(x))),
            None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the series is empty"))),
        }
    }

    /// The value at a time: a recorded one, or of the run it belongs to.
    pub fn at(&self, point: &Point) -> Fallible<Value> {
        let Some(run) = &self.of else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "this series has values at the recorded times only")
                    .help("take the parts of `run at { t = 3 }` instead"),
            ));
        };
        let Value::Point(state) = run.at(point)? else { unreachable!("a state is a point") };
        let entry = state.entries.iter().find(|e| e.text == self.name);
        match entry.and_then(|e| e.value.as_number()) {
            Some(n) => Ok(Value::Float(to_f64(n))),
            None => Err(Box::new(Diagnostic::error(&codes::NOT_REAL, format!("`{}` has no value there", self.name)))),
        }
    }

    /// The series of f(x), which must be numbers.
    pub fn map(&self, name: String, f: impl Fn(f64) -> Option<f64>) -> Fallible<Series> {
        let mut values = Vec::with_capacity(self.values.len());
        for (t, x) in self.times.iter().zip(self.values.iter()) {
            match f(*x).filter(|y| y.is_finite()) {
                Some(y) => values.push(y),
                None => return Err(no_value(&name, *t)),
            }
        }
        Ok(Series { name, times: self.times.clone(), values: Rc::new(values), of: None })
    }

    /// Entry by entry; a series of another run is taken at the times of this one.
    pub fn combine(&self, other: &Series, sign: &str, f: impl Fn(f64, f64) -> f64) -> Fallible<Value> {
        let name = format!("{} {sign} {}", self.name, other.name);
        let others =
            if *self.times == *other.times { other.values.clone() } else { Rc::new(other.at_times(&self.times)?) };
        let mut values = Vec::with_capacity(self.values.len());
        for ((t, x), y) in self.times.iter().zip(self.values.iter()).zip(others.iter()) {
            let value = f(*x, *y);
            if !value.is_finite() {
                return Err(no_value(&name, *t));
            }
            values.push(value);
        }
        Ok(Value::Series(Rc::new(Series { name, times: self.times.clone(), values: Rc::new(values), of: None })))
    }

    fn at_times(&self, times: &[f64]) -> Fallible<Vec<f64>> {
        let Some(run) = &self.of else {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("series at {} and at {} times", self.times.len(), times.len()),
                )
                .help("record both at the same times: `record … every 1/100`"),
            ));
        };
        let again = run.recorded_at(times)?;
        let series = again.series(&self.name).ok_or_else(|| {
            Box::new(Diagnostic::error(&codes::UNKNOWN_PART, format!("the run has no column `{}`", self.name)))
        })?;
        // The start is always recorded; the times asked for may begin later.
        let skip = again.len() - times.len();
        Ok(series.iter().skip(skip).collect())
    }

    /// Series or numbers that are equal value by value, within the tolerance, absolute or relative.
    fn close_to(&self, other: impl Iterator<Item = f64>, tolerance: f64) -> Verdict {
        let mut worst = (0.0f64, 0.0);
        for ((t, x), y) in self.times.iter().zip(self.values.iter()).zip(other) {
            let excess = (x - y).abs() / y.abs().max(1.0);
            if excess > worst.0 || excess.is_nan() {
                worst = (excess, *t);
            }
        }
        Verdict::from_bool(
            worst.0 <= tolerance,
            format!("the largest difference is {}, at {}", short(worst.0), short(worst.1)),
        )
    }
}

fn no_value(name: &str, t: f64) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::NOT_REAL, format!("`{name}` has no value at time {}", short(t))))
}

/// Whether a series equals a series or a number, or a run a run, within the tolerance.
pub fn equal(left: &Value, right: &Value, within: Option<&Rational>) -> Fallible<Verdict> {
    let tolerance = within.map_or(0.0, to_f64);
    match (left, right) {
        (Value::Series(a), Value::Series(b)) => {
            if *a.times == *b.times {
                return Ok(a.close_to(b.values.iter().copied(), tolerance));
            }
            Ok(a.close_to(b.at_times(&a.times)?.into_iter(), tolerance))
        }
        (Value::Series(a), number) | (number, Value::Series(a)) if double(number).is_some() => {
            let y = double(number).unwrap_or_default();
            Ok(a.close_to(std::iter::repeat(y), tolerance))
        }
        (Value::Run(a), Value::Run(b)) => {
            let mut verdicts = vec![];
            for name in a.states.iter().map(|s| s.name()) {
                if let (Some(x), Some(y)) = (a.series(&name), b.series(&name)) {
                    verdicts.push(equal(&Value::Series(Rc::new(x)), &Value::Series(Rc::new(y)), within)?);
                }
            }
            Ok(Verdict::all(verdicts, "runs without a common state"))
        }
        _ => Err(Box::new(Diagnostic::error(
            &codes::WRONG_KIND,
            "a series is compared with a series or a number, a run with a run",
        ))),
    }
}
