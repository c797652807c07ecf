//! Runs. Here numbers are floating point: a run is where derivations end.
//!
//! A [`Run`] keeps what was recorded and nothing else, so its memory is bounded by what was asked for. A state between
//! two recorded times is computed when it is asked for, from the recorded one before it, with the method and tolerance of
//! the run: `run at { t = 3 }` costs a few steps.

use super::cache::{Observed, SurfaceLevel};
use super::double::latex_number;
use super::law::Law;
use super::legs::Leg;
use super::series::{Series, no_value};
use crate::algebra::Inquiry;
use crate::algebra::print::Style;
use crate::algebra::{Expr, Function, Symbol, Verdict};
use crate::codegen::lower::{Signature, expressions};
use crate::codegen::table::Table as CurveTable;
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::control::StopReason;
use crate::integrate::problem::{InitialValueProblem, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use crate::report::table::{Table, short};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A run that was made: its trajectory, what the states and columns are, and what made it.
#[derive(Clone)]
pub struct Run {
    pub system: String,
    pub manifold: FiberedManifold,
    pub trajectory: Trajectory,
    pub time: Symbol,
    pub states: Vec<Symbol>,
    /// What it obeys, and the set on which it stays.
    pub law: Law,
    pub surface: Vec<SurfaceLevel>,
    /// What it records and watches.
    pub observed: Rc<Observed>,
    /// Unspecified functions given by tables.
    pub tables: FxHashMap<Function, Arc<CurveTable>>,
    /// Parameters with the values the run used.
    pub parameters: Vec<(Symbol, f64)>,
    /// Whether columns were asked for; otherwise the states are the columns.
    pub records: bool,
    /// What is known of the rank of the constraints, where it was found by numbers.
    pub rank: Option<String>,
    pub motion: Rc<Motion>,
    pub problem: InitialValueProblem,
    /// Its parts, where it changed its chart; otherwise none.
    pub legs: Vec<Leg>,
}

/// Changes of the chart that are listed with a run.
const SHOWN: usize = 6;

/// Rows of a run between which a curve looks smooth.
const FINE: usize = 1000;

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

    /// Where the symbols of a formula along the run come from.
    pub(super) fn signature(&self, tables: &FxHashMap<Function, Arc<CurveTable>>) -> Signature {
        Signature {
            time: Some(self.time),
            states: self.states.clone(),
            parameters: self.parameters.iter().map(|(p, _)| *p).collect(),
            tables: tables.clone(),
        }
    }

    /// A function of time, state and parameters at the recorded times; `None` if it depends on something else.
    pub fn along(
        self: &Rc<Run>,
        e: Expr,
        name: &str,
        tables: &FxHashMap<Function, Arc<CurveTable>>,
    ) -> Fallible<Option<Series>> {
        let list = [(name.to_string(), e)];
        let Ok(kernel) = expressions("column", &self.signature(tables), &list) else { return Ok(None) };
        let motion = self.motion.observing(Some(kernel), None);
        let parameters: Vec<f64> = self.parameters.iter().map(|(_, x)| *x).collect();
        let t = &self.trajectory;
        let mut values = Vec::with_capacity(t.len());
        for (row, time) in t.times().iter().enumerate() {
            let at_row = motion.recorded(*time, t.state(row), &parameters);
            let value = at_row.ok().and_then(|list| list.first().copied()).filter(|x| x.is_finite());
            values.push(value.ok_or_else(|| no_value(name, *time))?);
        }
        Ok(Some(Series { name: name.into(), times: Rc::new(t.times().to_vec()), values: Rc::new(values), of: None }))
    }

    /// What executed the run: machine code, or the interpreter.
    pub fn backend(&self) -> &'static str {
        match self.trajectory.backend {
            crate::codegen::compiled::Backend::Interpreter => "interpreter",
            _ => "jit",
        }
    }

    pub fn is_portable(&self) -> bool {
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
            match t.method.row().adaptive() {
                true => {
                    format!("  {} with {} steps, {} rejected; {}{portable}", t.method, s.steps, s.rejected, t.backend)
                }
                false => format!("  {} with {} fixed steps; {}{portable}", t.method, s.steps, t.backend),
            },
        ];
        if let Some(why) = &t.choice {
            lines.push(format!("  {why}"));
        }
        lines.extend(self.rank.iter().map(|rank| format!("  {rank}")));
        let times = t.projection.iter().flat_map(|kept| &kept.passed).map(|t| short(*t)).collect::<Vec<_>>();
        if !times.is_empty() {
            let list = times.join(", ");
            lines.push(format!("  passed places where the constraints lose rank, at {} = {list}", self.time));
        }
        let times: Vec<String> = self.switched().into_iter().map(short).collect();
        if let Some(shown) = times.get(..times.len().min(SHOWN)).filter(|shown| !shown.is_empty()) {
            let rest = if times.len() > SHOWN { ", …" } else { "" };
            let list = shown.join(", ");
            lines.push(format!(
                "  went on by multipliers where the chart of its momenta ends, and back, at {} = {list}{rest}",
                self.time
            ));
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
            "method": t.method.to_string(), "backend": self.backend(), "portable": self.is_portable(),
            "steps": s.steps, "rejected": s.rejected, "evaluations": s.evaluations, "events": events,
            "columns": self.table().columns().iter().map(|c| c.name.clone()).collect::<Vec<_>>(), "rows": t.len(),
        });
        if let Some(kept) = &t.projection {
            json["projection"] = serde_json::json!({
                "levels": kept.equations, "drift": kept.drift, "residuals": kept.residuals,
                "count": kept.count, "largest": kept.largest, "total": kept.total,
            });
        }
        if let StopReason::SingularPoint { failure } = &t.reason {
            json["failed"] = serde_json::json!({ "expression": failure.expression });
            if let Some(argument) = failure.argument {
                json["failed"]["argument"] = serde_json::json!(argument);
            }
        }
        json
    }

    /// The state at a time, from the recorded one before it.
    pub fn state_at(&self, cx: &Inquiry, t: f64) -> Fallible<Vec<f64>> {
        let run = &self.trajectory;
        let (start, end) = (self.problem.start, run.end);
        if !(t >= start.min(end) && t <= start.max(end)) {
            return Err(self.outside(t));
        }
        if let Some(found) = self.on_its_leg(cx, t) {
            return found.map(|(state, _)| state).map_err(|why| self.without_state(t, why));
        }
        let row = run.row_before(t).ok_or_else(|| self.outside(t))?;
        let from = run.times()[row];
        if from == t {
            return Ok(run.state(row).to_vec());
        }
        let problem = InitialValueProblem { start: from, state: run.state(row).to_vec(), end: t, ..self.quiet() };
        let field = self.motion.unobserved();
        let short_run = crate::integrate::run(cx, &field, &problem);
        let short_run = short_run.map_err(|bad| self.without_state(t, bad.to_string()))?;
        match short_run.reason {
            StopReason::Reached => Ok(short_run.last().to_vec()),
            reason => Err(self.without_state(t, reason.to_string())),
        }
    }

    fn without_state(&self, t: f64, why: String) -> Box<Diagnostic> {
        let title = format!("there is no state at {} = {}", self.time, short(t));
        Box::new(Diagnostic::error(&codes::OUTSIDE_RUN, title).note(why))
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
    pub(super) fn recorded_at(&self, cx: &Inquiry, times: &[f64]) -> Fallible<Trajectory> {
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
            false => Rc::new(self.motion.unobserved()),
        };
        for t in times {
            if !(*t >= self.problem.start.min(self.trajectory.end) && *t <= self.problem.start.max(self.trajectory.end))
            {
                return Err(refuse(self.outside(*t).title));
            }
        }
        if !self.legs.is_empty() {
            let row = |t: &f64| {
                let found = self.on_its_leg(cx, *t).unwrap_or_else(|| Err(self.outside(*t).title));
                found.map(|(state, columns)| (*t, state, columns)).map_err(&refuse)
            };
            return Ok(self.trajectory.with_rows(times.iter().map(row).collect::<Fallible<_>>()?));
        }
        let run = crate::integrate::run(cx, &motion, &problem).map_err(|bad| refuse(bad.to_string()))?;
        let complete = matches!(run.reason, StopReason::Reached | StopReason::Event { .. }) && run.len() >= times.len();
        if complete { Ok(run) } else { Err(refuse(run.reason.to_string())) }
    }

    /// A run that was recorded at the ends of its steps, with times between them: the steps of a method of high order are so
    /// long that lines between their ends are not the motion. `None` where there are enough rows, or the user chose them.
    pub fn finer(self: &Rc<Run>, cx: &Inquiry) -> Option<Rc<Run>> {
        let times = self.trajectory.times();
        let steps = times.len().saturating_sub(1);
        if self.problem.recording != Recording::Steps || steps == 0 || steps >= FINE {
            return None;
        }
        let pieces = FINE.div_ceil(steps);
        let inside = |w: &[f64]| {
            let (a, b) = (w[0], w[1]);
            (1..=pieces).map(move |k| if k == pieces { b } else { a + (b - a) * k as f64 / pieces as f64 })
        };
        let times: Vec<f64> = times.windows(2).flat_map(inside).collect();
        let trajectory = self.recorded_at(cx, &times).ok()?;
        Some(Rc::new(Run { trajectory, ..(**self).clone() }))
    }

    /// `a - b`: the differences of the states that both have, at the times of a, and the largest of all.
    pub fn minus(self: &Rc<Run>, cx: &Inquiry, other: &Rc<Run>) -> Fallible<(Vec<(Symbol, Series)>, f64)> {
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
            let difference = a.combine(cx, &b, "-", |x, y| x - y)?;
            largest = difference.values.iter().fold(largest, |m, x| m.max(x.abs()));
            entries.push((symbol, difference));
        }
        Ok((entries, largest))
    }

    /// Whether the states that both have are equal within the tolerance.
    pub fn equals(self: &Rc<Run>, cx: &Inquiry, other: &Rc<Run>, tolerance: f64) -> Fallible<Verdict> {
        let mut verdicts = vec![];
        for name in self.states.iter().map(|s| s.name()) {
            if let (Some(x), Some(y)) = (self.series(&name), other.series(&name)) {
                verdicts.push(x.equals(cx, &y, tolerance)?);
            }
        }
        Ok(Verdict::all(verdicts, "runs without a common state"))
    }

    /// What is recorded at a state, by column.
    pub fn recorded(&self, time: f64, values: &[f64]) -> Vec<(String, f64)> {
        // A row that is there has them already.
        let t = &self.trajectory;
        let row = t.row_before(time).filter(|row| !self.legs.is_empty() && t.times()[*row] == time);
        if let Some(row) = row {
            return t.column_names().iter().cloned().zip(t.recorded(row).iter().copied()).collect();
        }
        let parameters: Vec<f64> = self.parameters.iter().map(|(_, x)| *x).collect();
        match self.motion.recorded(time, values, &parameters) {
            Ok(columns) => self.trajectory.column_names().iter().cloned().zip(columns).collect(),
            Err(_) => vec![],
        }
    }

    /// `run is reached`, `run is event`, …
    pub fn verdict(&self, word: &str) -> Option<Verdict> {
        REASONS
            .contains(&word)
            .then(|| Verdict::from_bool(reason_label(&self.trajectory.reason) == word, "why the run ended"))
    }
}

/// Why a run may have ended, as `run is reached` says it.
pub const REASONS: &[&str] = &[
    "reached",
    "event",
    "interrupted",
    "singular_point",
    "blow_up",
    "step_too_small",
    "stalled",
    "left_its_set",
    "lost_rank",
    "step_not_solved",
    "budget",
];

/// The reason as a word of the language.
pub fn reason_label(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Reached => "reached",
        StopReason::Event { .. } => "event",
        StopReason::Interrupted => "interrupted",
        StopReason::SingularPoint { .. } => "singular_point",
        StopReason::BlowUp => "blow_up",
        StopReason::StepTooSmall => "step_too_small",
        StopReason::Stalled => "stalled",
        StopReason::LeftSurface { .. } => "left_its_set",
        StopReason::LostRank { .. } => "lost_rank",
        StopReason::Unsolved { .. } => "step_not_solved",
        StopReason::Budget { .. } => "budget",
    }
}
