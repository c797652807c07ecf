//! Runs in constraint momenta go on where their chart ends.
//!
//! The states are positions and one momentum for each independent velocity; the others are functions of these as long as the columns D of
//! the dependent velocities in F, the matrix of the constraints, are independent:
//!
//! ```text
//! 0 ≤ det(F_D)² ≤ det(F Fᵀ).
//! ```
//!
//! The quotient is 1 where the choice is the best one and 0 where the chart ends; near 0 the momenta grow beyond bounds. Well before that the
//! run goes on by multipliers, and behind it in momenta again.

use super::constrained::GRAM;
use super::{Context, Determined, End, Subject, SubjectKind, parameters_of};
use crate::algebra::conditions;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::budget::share;
use crate::codegen::lower::Signature;
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::control::StopReason;
use crate::integrate::problem::{Direction, Event, InitialValueProblem, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use crate::mechanics::constraint_legendre::constraint_legendre;
use crate::model::item::System;
use crate::model::value::Fallible;
use crate::motion::double::from_f64;
use crate::motion::law::{self, Law};
use crate::motion::legs::{Leg, Place};
use crate::motion::start::{self, Start};
use crate::session::run::clauses::{Clauses, Column, Stop};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The event at which a leg ends.
const CHART: &str = "the chart of the momenta ends";

/// Parts of the quotient at the start, rounded to a power of 1/4, at which momenta are left and taken up again.
const LEAVE: i64 = 32;
const RETURN: i64 = 8;

/// Changes of the chart in one run.
const MOST_LEGS: usize = 20_000;

/// Where the chart of a run in momenta is good.
pub(super) struct Chart {
    system: Rc<System>,
    law: Law,
    /// det(F_D)² and det(F Fᵀ)/4ʲ, with 1/4ʲ just below the quotient at the start.
    inside: Expr,
    whole: Expr,
}

/// The same system with positions and velocities.
struct Free {
    law: Law,
    motion: Rc<Motion>,
    problem: InitialValueProblem,
    places: Rc<Vec<Place>>,
}

impl Chart {
    fn margin(&self, part: i64) -> Expr {
        self.inside - Expr::ratio(1, part) * self.whole
    }

    /// Where the run leaves it.
    pub(super) fn end(&self, context: &Context) -> End {
        let event = Event::stop(CHART, Direction::Falling);
        End { value: self.margin(LEAVE), event, span: context.span, says: "the chart of its momenta ends" }
    }
}

impl Context<'_> {
    /// The chart of a run in constraint momenta, where its end can be watched: of few constraints that are affine in the velocities, and by a
    /// method that finds its steps.
    pub(super) fn chart(&self, cx: &Inquiry, subject: &Subject, law: &Law, start: &Start) -> Option<Chart> {
        let SubjectKind::Reduced(system, _) = &subject.kind else { return None };
        if subject.variations > 0 || !self.clauses.method.row().adaptive() || self.clauses.branch.is_some() {
            return None;
        }
        let determinants = |cx: &Inquiry| -> Fallible<Option<[Expr; 2]>> {
            let q = system.constraint_structure(cx)?;
            if q.n_constraints() > GRAM {
                return Ok(None);
            }
            let f = q.chetaev();
            let rows: Vec<usize> = (0..f.n_rows()).collect();
            let det = f.minor(&rows, q.dependent()).det(cx)?;
            Ok(Some([det * det, f.mul(&f.transpose()).det(cx)?]))
        };
        let within = |cx: &Inquiry| cx.within(share::CHART, || determinants(cx));
        let found = conditions::collect_all(cx, within).0.ok().flatten()?;
        let [inside, whole] = found.map(|e| law::with_bodies(cx, e, &self.clauses.bodies));
        let is_known = |s: &Symbol| *s == law.time() || s.is_parameter() || law.states.contains(s);
        if !crate::algebra::expr::symbols_of(&[inside, whole]).iter().all(is_known) {
            return None;
        }
        let signature = Signature { parameters: parameters_of(&[inside, whole]), ..self.signature(law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span).ok()?;
        let at_start = start::values_at(&[inside, whole], &signature, &values, start).ok()?;
        let quotient = at_start[0] / at_start[1];
        if !(quotient > f64::EPSILON && quotient.is_finite()) {
            return None;
        }
        let j = (-quotient.log2() / 2.0).ceil().max(0.0) as u32;
        let whole = Expr::ratio(1, 4i64.pow(j)) * whole;
        Some(Chart { system: system.clone(), law: law.clone(), inside, whole })
    }

    /// The rest of a run that came to the end of its chart, and its legs. Without a motion by multipliers it stays as it is.
    pub(super) fn through_charts(
        &self,
        cx: &Inquiry,
        chart: &Chart,
        motion: &Rc<Motion>,
        problem: &InitialValueProblem,
        first: Trajectory,
    ) -> (Trajectory, Vec<Leg>) {
        let n_columns = first.column_names().len();
        let (motion, own) = (motion.clone(), problem.clone());
        let in_momenta = Leg { trajectory: first.clone(), motion, problem: own, places: None, n_columns };
        let mut legs = vec![in_momenta.clone()];
        let mut whole = first;
        let mut free: Option<Free> = None;
        while matches!(&whole.reason, StopReason::Event { name } if name == CHART) && legs.len() < MOST_LEGS {
            let (t, state) = (whole.end, whole.last().to_vec());
            let next = match legs.len() % 2 {
                0 => Ok(Leg { problem: from(problem, t, state), ..in_momenta.clone() }),
                _ => self.next_by_multipliers(cx, chart, &in_momenta, (t, &state), &mut free),
            };
            let made = next.and_then(|next| {
                let problem = InitialValueProblem { recording: rest(problem, t), ..next.problem.clone() };
                let found = crate::integrate::run(cx, &next.motion, &problem);
                let trajectory = found.map_err(|bad| Diagnostic::error(&codes::NO_MOTION, bad.to_string()))?;
                Ok(Leg { trajectory, ..next })
            });
            let Ok(next) = made else { break };
            whole.go_on(&next.trajectory, is_row(problem, t), CHART, |state, columns| next.as_of_run(state, columns));
            legs.push(next);
        }
        (whole, if legs.len() > 1 { legs } else { vec![] })
    }

    /// What goes on by multipliers, from a state in momenta behind a leg; its trajectory is still to be made.
    fn next_by_multipliers(
        &self,
        cx: &Inquiry,
        chart: &Chart,
        before: &Leg,
        (t, state): (f64, &[f64]),
        free: &mut Option<Free>,
    ) -> Fallible<Leg> {
        let own = &chart.law.states;
        let rates = before.motion.derivative(t, state, &before.problem.parameters);
        let rates = rates.map_err(|failure| Diagnostic::error(&codes::NO_MOTION, failure.to_string()))?;
        let value = |s: &Symbol| {
            let (coordinate, order) = s.as_jet()?;
            let i = own.iter().position(|o| *o == coordinate.jet(0))?;
            Some(if order == 0 { state[i] } else { rates[i] })
        };
        if free.is_none() {
            *free = Some(self.by_multipliers(cx, chart, t, &value)?);
        }
        let Some(free) = free else { unreachable!("just made") };
        let state = free.law.states.iter().map(|s| value(s).unwrap_or(f64::NAN)).collect();
        let (motion, places) = (free.motion.clone(), Some(free.places.clone()));
        Ok(Leg { motion, places, problem: from(&free.problem, t, state), ..before.clone() })
    }

    /// The system itself, with the columns of the run and the momenta behind them.
    fn by_multipliers(
        &self,
        cx: &Inquiry,
        chart: &Chart,
        t: f64,
        value: &dyn Fn(&Symbol) -> Option<f64>,
    ) -> Fallible<Free> {
        let form = chart.system.constrained_form(cx)?;
        let (found, _) = conditions::collect_all(cx, |cx| {
            constraint_legendre(cx, form, chart.system.free_lagrangian())?.momenta(cx)
        });
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        let names = chart.law.states.iter().copied().filter(|s| s.as_jet().is_none());
        let momenta: Vec<(Symbol, Expr)> = names.zip(found?.momenta.into_iter().map(put)).collect();
        let map: FxHashMap<Symbol, Expr> = momenta.iter().copied().collect();
        let span = self.clauses.given().span;
        let number = |x: f64| from_f64(x).map_or_else(Expr::zero, Expr::number);
        let y = chart.system.manifold.unfolded();
        let jets = (0..2).flat_map(|k| y.fibres().iter().map(move |f| f.coordinate.jet(k)).collect::<Vec<_>>());
        let given = jets.filter_map(|s| value(&s).map(|x| (s, number(x), span)));
        let own = self.clauses.record.iter().flatten();
        let own = own.map(|c| Column { value: substitute(c.value, &map), ..c.clone() });
        let of_momenta = momenta.iter().map(|(p, e)| Column { name: format!("{p} of the chart"), value: *e, span });
        let record: Vec<Column> = own.chain(of_momenta).collect();
        let n_own = record.len() - momenta.len();
        let stops = self.clauses.stops.iter().map(|s| Stop { value: substitute(s.value, &map), ..s.clone() });
        let back = Stop { value: chart.margin(RETURN), event: Event::stop(CHART, Direction::Rising), span };
        let clauses = Clauses {
            from: std::iter::once((chart.law.time(), number(t), span)).chain(given).collect(),
            record: Some(record),
            stops: stops.chain([back]).collect(),
            scales: self.clauses.scales.iter().filter(|(s, _, _)| s.as_jet().is_some()).cloned().collect(),
            ..self.clauses.clone()
        };
        let context = Context { clauses: &clauses, ..*self };
        let determined = conditions::collect_all(cx, |cx| context.on_constraint(cx, &chart.system)).0;
        let Determined { law, start, surface, ends, .. } = determined?;
        let signature = context.signature(&law);
        let observed = context.observed(cx, &law, &signature, surface, &ends, (None, None))?;
        let parameters = self.numbers.values_of(cx, &observed.parameters, self.span)?;
        let problem = InitialValueProblem { step: None, ..context.problem(cx, &law, start, parameters)? };
        let compiled = self.state.motions.get(cx, &law, &signature, &observed, self.options());
        let motion = compiled.map_err(|u| context.unlowered(u))?;
        let place = |s: &Symbol| match law.states.iter().position(|other| other == s) {
            Some(i) => Some(Place::State(i)),
            None => momenta.iter().position(|(p, _)| p == s).map(|i| Place::Column(n_own + i)),
        };
        let places: Option<Vec<Place>> = chart.law.states.iter().map(place).collect();
        let lost = || Diagnostic::error(&codes::NOT_APPLICABLE, "these momenta are not those of the system");
        let places = Rc::new(places.ok_or_else(lost)?);
        Ok(Free { law, motion, problem, places })
    }
}

/// The problem from another state of the run.
fn from(problem: &InitialValueProblem, t: f64, state: Vec<f64>) -> InitialValueProblem {
    InitialValueProblem { start: t, state, step: None, ..problem.clone() }
}

/// The time of a row.
fn grid(problem: &InitialValueProblem, dt: f64, k: u64) -> f64 {
    problem.start + (dt * k as f64).copysign(problem.end - problem.start)
}

/// The number of the last row of the grid that does not lie behind a time.
fn rows_until(problem: &InitialValueProblem, dt: f64, t: f64) -> u64 {
    let mut k = ((t - problem.start).abs() / dt).round() as u64;
    while k > 0 && (grid(problem, dt, k) - problem.start).abs() > (t - problem.start).abs() {
        k -= 1;
    }
    k
}

/// What is left to be recorded behind a time.
fn rest(problem: &InitialValueProblem, t: f64) -> Recording {
    match &problem.recording {
        Recording::Every(dt) => {
            let (first, last) = (rows_until(problem, *dt, t) + 1, rows_until(problem, *dt, problem.end));
            Recording::At((first..=last).map(|k| grid(problem, *dt, k)).collect())
        }
        other => other.clone(),
    }
}

/// Whether a row was asked for at a time at which a leg ends.
fn is_row(problem: &InitialValueProblem, t: f64) -> bool {
    match &problem.recording {
        Recording::Steps => true,
        Recording::Every(dt) => grid(problem, *dt, rows_until(problem, *dt, t)) == t,
        Recording::Ends => false,
        Recording::At(times) => times.contains(&t),
    }
}
