//! Sensitivities of a run: the derivatives of its states, of what it records, and of the times of its events by a parameter or by a
//! coordinate of its first state.
//!
//! The motion runs again with one variation (`variation`), which begins as a unit displacement or, for a parameter p, as zero,
//! and then also feels the change of the law itself:
//!
//! ```text
//! dδx/dt = (∂f/∂x) δx + ∂f/∂p              δE = (∂E/∂x) δx + ∂E/∂p           at a given time
//! g(τ, x(τ), p) = 0                         dτ = −δg/ġ                        ġ = ∂g/∂t + (∂g/∂x) f
//! d x(τ) = δx + f dτ                        d E(τ) = δE + Ė dτ                at the end, where an event moves it
//! ```
//!
//! A motion that stays on a set is varied along it, so the set may not depend on p, and a single coordinate of its first state cannot be
//! moved alone.

use super::law::Reading;
use super::run::Run;
use super::series::Series;
use super::variation::{Delta, With, followed, obstacle, variations, varied_motion, varied_problem};
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::codegen::lower::{Signature, Stage, expressions_in_stages};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::integrate::control::StopReason;
use crate::integrate::problem::{InitialValueProblem, Motion, Recording};
use std::rc::Rc;

/// The derivatives of a run by one number.
pub struct Sensitivity {
    /// Of the last state, coordinate by coordinate.
    pub last: Vec<(Symbol, f64)>,
    /// Of the last value of each recorded column.
    pub recorded: Vec<(String, f64)>,
    /// Of the time at which the run ended.
    pub end: f64,
    /// Of the time of each event.
    pub events: Vec<f64>,
    /// Of the columns, or of the states where nothing was recorded, at the recorded times.
    pub along: Vec<Series>,
}

/// The derivatives of a run by a parameter, or by a coordinate of its first state.
pub fn sensitivity(cx: &Inquiry, run: &Run, by: Symbol) -> Fallible<Sensitivity> {
    let n = run.states.len();
    let mut displacement = vec![0.0; n];
    let parameter = match run.states.iter().position(|s| *s == by) {
        Some(i) => {
            displacement[i] = 1.0;
            None
        }
        None => Some(by),
    };
    can_be_varied(run, by, parameter)?;
    let motion = varied_motion(cx, run, &[parameter])?;
    let varied = Varied::new(cx, run, &motion, parameter)?;
    let mut times: Vec<f64> = run.trajectory.times().to_vec();
    times.extend(run.trajectory.events.iter().map(|e| e.t));
    times.push(run.trajectory.end);
    let forward = run.trajectory.end >= run.problem.start;
    times.sort_by(|a, b| if forward { a.total_cmp(b) } else { b.total_cmp(a) });
    times.dedup();
    let problem = InitialValueProblem { recording: Recording::At(times), ..varied_problem(run, &[displacement]) };
    let found = followed(cx, &motion, &problem)?;
    // The state with its variation at one of the times.
    let at = |t: f64| -> Fallible<&[f64]> {
        let row = found.times().iter().position(|time| *time == t);
        row.map(|row| found.state(row)).ok_or_else(|| {
            Box::new(Diagnostic::error(&codes::OUTSIDE_RUN, format!("there is no state at {} = {t}", run.time)))
        })
    };
    let mut events = vec![];
    for event in &run.trajectory.events {
        events.push(varied.event_time(&event.name, event.t, at(event.t)?)?);
    }
    let whole = at(run.trajectory.end)?;
    let end = match &run.trajectory.reason {
        StopReason::Event { name } => varied.event_time(name, run.trajectory.end, whole)?,
        _ => 0.0,
    };
    let speed = varied.speed(run.trajectory.end, whole)?;
    let last = (0..n).map(|i| (run.states[i], whole[n + i] + speed[i] * end)).collect();
    let columns = run.trajectory.column_names();
    let (held, moving) = varied.recorded(run.trajectory.end, whole)?;
    let recorded = columns.iter().cloned().zip(held.iter().zip(&moving).map(|(d, rate)| d + rate * end)).collect();
    let times = Rc::new(run.trajectory.times().to_vec());
    let mut values: Vec<Vec<f64>> = vec![vec![]; if run.records { columns.len() } else { n }];
    for t in times.iter() {
        let whole = at(*t)?;
        let row = if run.records { varied.recorded(*t, whole)?.0 } else { whole[n..].to_vec() };
        values.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
    }
    let names = if run.records { columns.to_vec() } else { run.trajectory.state_names().to_vec() };
    let series =
        |(name, values): (String, Vec<f64>)| Series { name, times: times.clone(), values: Rc::new(values), of: None };
    let along = names.into_iter().zip(values).map(series).collect();
    Ok(Sensitivity { last, recorded, end, events, along })
}

/// Refuses what the run does not depend on, and what cannot be moved alone.
fn can_be_varied(run: &Run, by: Symbol, parameter: Option<Symbol>) -> Fallible<()> {
    let refuse = |diagnostic: Diagnostic| Err(Box::new(diagnostic));
    let Some(p) = parameter else {
        if run.surface.is_empty() {
            return Ok(());
        }
        return refuse(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                format!("`{by}` cannot be moved alone: the motion stays on a set"),
            )
            .help("`transition(run)` has the derivatives by displacements along it"),
        );
    };
    if !run.parameters.iter().any(|(known, _)| *known == p) {
        let mut names: Vec<String> = run.states.iter().map(|s| s.name()).collect();
        names.extend(run.parameters.iter().map(|(p, _)| p.name()));
        return refuse(
            Diagnostic::error(&codes::NO_EFFECT, format!("this run does not depend on `{p}`"))
                .note(format!("it depends on {}", names.join(", "))),
        );
    }
    match run.surface.iter().flat_map(|level| &level.equations).find(|g| g.contains(p)) {
        None => Ok(()),
        Some(g) => refuse(
            Diagnostic::error(&codes::NOT_APPLICABLE, format!("with `{p}` the set moves on which the motion stays"))
                .note(format!("{g} = 0 contains it, so the first state moves too, and nothing says how"))
                .help("take coordinates of the set, or compare neighbouring runs"),
        ),
    }
}

/// What a varied run says of columns and events.
struct Varied<'a> {
    run: &'a Run,
    parameters: Vec<f64>,
    /// The columns, varied with the number held or with time: first the one, then the other.
    columns: [Motion; 2],
    /// The functions of the events, likewise.
    events: [Motion; 2],
    names: Vec<String>,
}

impl<'a> Varied<'a> {
    fn new(cx: &Inquiry, run: &'a Run, motion: &Motion, parameter: With) -> Fallible<Varied<'a>> {
        let signature = run.signature(&run.tables);
        let states = run.states.iter().copied().chain(variations(&run.states, 1)).collect();
        let signature = Signature { states, ..signature };
        let observer = |reading: &Reading, with: With| -> Fallible<Motion> {
            let varied = reading.varied(cx, &run.states, with);
            let kernel = expressions_in_stages("variation", &signature, &varied.stages, &varied.list);
            Ok(motion.observing(Some(kernel.map_err(obstacle)?), None))
        };
        let both = |reading: &Reading| -> Fallible<[Motion; 2]> {
            Ok([observer(reading, parameter)?, observer(reading, Some(run.time))?])
        };
        Ok(Varied {
            run,
            parameters: run.problem.parameters.clone(),
            columns: both(&run.observed.record)?,
            events: both(&run.observed.events)?,
            names: run.observed.events.list.iter().map(|(name, _)| name.clone()).collect(),
        })
    }

    /// The velocity of the state.
    fn speed(&self, t: f64, whole: &[f64]) -> Fallible<Vec<f64>> {
        let n = self.run.states.len();
        let speed = self.run.motion.derivative(t, &whole[..n], &self.parameters);
        speed.map_err(|_| self.no_value(t))
    }

    /// The derivatives of functions at a state, with time held, and their rates along the motion.
    fn rates(&self, of: &[Motion; 2], t: f64, whole: &[f64]) -> Fallible<(Vec<f64>, Vec<f64>)> {
        let n = self.run.states.len();
        let mut moving = whole[..n].to_vec();
        moving.extend(self.speed(t, whole)?);
        let read = |motion: &Motion, state: &[f64]| {
            let values = motion.recorded(t, state, &self.parameters).ok();
            values.filter(|list| list.iter().all(|x| x.is_finite())).ok_or_else(|| self.no_value(t))
        };
        Ok((read(&of[0], whole)?, read(&of[1], &moving)?))
    }

    fn recorded(&self, t: f64, whole: &[f64]) -> Fallible<(Vec<f64>, Vec<f64>)> {
        self.rates(&self.columns, t, whole)
    }

    /// The derivative of the time of an event.
    fn event_time(&self, name: &str, t: f64, whole: &[f64]) -> Fallible<f64> {
        let Some(i) = self.names.iter().position(|known| known == name) else {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::NOT_APPLICABLE,
                    format!("nothing is known of the event `{name}` but its places"),
                )
                .help("ask about the run itself, with `stop when`"),
            ));
        };
        let (held, rate) = self.rates(&self.events, t, whole)?;
        let found = -held[i] / rate[i];
        match found.is_finite() {
            true => Ok(found),
            false => Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, format!("`{name}` is only touched at {} = {t}", self.run.time))
                    .note("there the time of the event has no derivative"),
            )),
        }
    }

    fn no_value(&self, t: f64) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(&codes::NOT_REAL, format!("a derivative has no value at {} = {t}", self.run.time)))
    }
}

impl Reading {
    /// The derivatives δe of the expressions, where δ moves the states and what the stages give, and one more symbol by 1.
    ///
    /// ```text
    /// B y + A = 0        B δy + δ(A + B y) = 0, y held fixed in it
    /// ```
    fn varied(&self, cx: &Inquiry, states: &[Symbol], with: With) -> Reading {
        let mut moving = states.to_vec();
        let mut stages: Vec<Stage> = vec![];
        for stage in &self.stages {
            let delta = Delta::new(&moving, 1, with);
            let product =
                |row: &[Expr], y: &[Symbol]| Expr::add_all(row.iter().zip(y).map(|(e, y)| *e * Expr::symbol(*y)));
            let size = stage.b.len().max(1);
            let sides = stage.a.chunks(size).zip(stage.unknowns.chunks(size));
            let equations = sides.flat_map(|(a, y)| a.iter().zip(&stage.b).map(move |(a, row)| *a + product(row, y)));
            let a = equations.map(|e| delta.apply(cx, e)).collect();
            let unknowns = variations(&stage.unknowns, 1);
            let varied = Stage { unknowns, a, ..stage.clone() };
            stages.extend([stage.clone(), varied]);
            moving.extend(&stage.unknowns);
        }
        let delta = Delta::new(&moving, 1, with);
        let list = self.list.iter().map(|(name, e)| (name.clone(), delta.apply(cx, *e))).collect();
        Reading { list, stages }
    }
}
