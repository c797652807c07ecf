//! The loop around a method: the grid of recorded times, events, the end, interruption, limits.

use crate::budget::Budget;
use std::time::Instant;

use crate::budget;
use crate::codegen::compiled::Caller;
use crate::codegen::interpret::Failure;

use super::auto::{self, Auto};
use super::bdf::Bdf;
use super::control::StopReason;
use super::events::{self, Crossing, Watched};
use super::explicit::Explicit;
use super::gauss::Gauss;
use super::lie::LieVariational;
use super::lie_gauss::LieGauss;
use super::method::{Family, Method};
use super::pole_watch::PoleWatch;
use super::problem::{BadProblem, Event, InitialValueProblem, Motion, Recording};
use super::radau::Radau;
use super::splitting::Splitting;
use super::stepper::Stepper;
use super::surface::SurfaceWatch;
use super::switches::Switchboard;
use super::tableau;
use super::taylor::{self, Taylor};
use super::trajectory::{EventPoint, Trajectory};
use super::variational::Variational;

/// Runs a problem. It either cannot be begun, or there is a trajectory that says why it ends.
pub fn run(cx: &Budget, motion: &Motion, problem: &InitialValueProblem) -> Result<Trajectory, BadProblem> {
    problem.check(motion)?;
    motion.first_derivative(problem).map_err(|failure| BadProblem::Start { failure })?;
    let start = Instant::now();
    let (method, mut choice) = auto::choose(motion, problem);
    let series_backend = |trajectory: &mut Trajectory| {
        let backend = motion.jet(taylor::order(problem), false).map(|jet| jet.backend());
        trajectory.backend = backend.unwrap_or(trajectory.backend);
    };
    let watched = choice.as_ref().filter(|_| !problem.fixed).and_then(|why| Auto::new(method, why, motion, problem));
    let mut trajectory = match (watched, method.row().family) {
        (Some(mut auto), _) => {
            let mut trajectory = drive(cx, motion, problem, method, &mut auto);
            let (last, why) = auto.verdict();
            if last == method && matches!(method.row().family, Family::Series) {
                series_backend(&mut trajectory);
            }
            trajectory.method = last;
            choice = Some(why);
            trajectory
        }
        (None, Family::Splitting(composition)) => {
            let name = |i: usize| motion.states()[i].clone();
            let compiled = motion.splitting(composition).map_err(|why| BadProblem::NotSeparable {
                slope_of: name(why.slope_of),
                depends_on: name(why.depends_on),
            })?;
            drive(cx, motion, problem, method, &mut Splitting::new(compiled, composition.order, motion, problem))
        }
        (None, Family::Explicit(tableau)) => {
            drive(cx, motion, problem, method, &mut Explicit::new(method, tableau, motion, problem))
        }
        (None, Family::Gauss) => drive(cx, motion, problem, method, &mut Gauss::new(method, motion, problem)),
        (None, Family::Radau) => drive(cx, motion, problem, method, &mut Radau::new(method, motion, problem)),
        (None, Family::Differentiation) => drive(cx, motion, problem, method, &mut Bdf::new(motion, problem)),
        (None, Family::Variational) => {
            drive(cx, motion, problem, method, &mut Variational::stepper(motion.discrete(method)?, motion, problem))
        }
        (None, Family::LieVariational) => {
            let compiled = motion.on_group(method)?;
            drive(cx, motion, problem, method, &mut LieVariational::stepper(compiled, motion, problem))
        }
        (None, Family::LieGauss) => {
            let compiled = motion.stages_on_group(method, problem)?;
            drive(cx, motion, problem, method, &mut LieGauss::stepper(compiled, motion, problem))
        }
        // `choose` leaves no choice open.
        (None, Family::Choice | Family::Series) => match Taylor::new(motion, problem) {
            Some(mut taylor) => {
                let mut trajectory = drive(cx, motion, problem, method, &mut taylor);
                series_backend(&mut trajectory);
                trajectory
            }
            None => {
                let (other, tableau) = (Method::DOP853, &tableau::DOP853);
                choice = Some(format!("{other} instead of {method}, because the field has no series"));
                drive(cx, motion, problem, other, &mut Explicit::new(other, tableau, motion, problem))
            }
        },
    };
    trajectory.choice = choice;
    trajectory.run_time = start.elapsed();
    trajectory.compile_time = motion.compile_time();
    Ok(trajectory)
}

const OUT_OF_MEMORY: &str = "the memory of the run is used up: record less";

/// Steps between two looks at the limits.
const CHECK_EVERY: u64 = 16;
/// The same when only some steps are looked at, and so many are made at once.
const CHECK_MANY: u64 = 64;

/// What a step of a run costs, in terms combined.
const WORK_OF_A_STEP: u64 = 16;

/// Steps in succession that end where they began, after which a run is stalled. Decisions of a field that fall at the same
/// time need as many as there are decisions.
const MAX_STALLED: u64 = 10_000;

/// Steps until there is a reason to stop.
fn drive(
    cx: &Budget,
    motion: &Motion,
    problem: &InitialValueProblem,
    method: Method,
    stepper: &mut impl Stepper,
) -> Trajectory {
    let columns =
        motion.record.as_ref().map_or(Vec::new(), |k| k.kernel().outputs().iter().map(|o| o.name.clone()).collect());
    let mut recorder = Recorder {
        trajectory: Trajectory::new(motion.states().to_vec(), columns, method, motion.backend()),
        recording: &problem.recording,
        caller: motion.record.as_ref().map(|k| k.caller()),
        parameters: &problem.parameters,
        start: problem.start,
        forward: problem.end >= problem.start,
        most: problem.limits.numbers,
        next: 0,
        state: vec![0.0; motion.n_states()],
        columns: vec![0.0; motion.record.as_ref().map_or(0, |k| k.kernel().outputs().len())],
        surface: motion.surface.as_ref().map(|s| SurfaceWatch::new(s, problem)),
    };
    let mut watch = motion.events.as_ref().map(|(kernel, events)| {
        Watch::new(kernel.caller(), events, problem, motion.n_states(), problem.tolerance.relative)
    });
    let mut board = match Switchboard::new(motion, problem) {
        Ok(board) => board,
        Err(failure) => {
            let mut trajectory = recorder.trajectory;
            trajectory.finish(problem.start, &problem.state, StopReason::SingularPoint { failure });
            return trajectory;
        }
    };
    if let Some(board) = &board {
        stepper.restart(board.numbers());
    }
    let adaptive = method.row().adaptive() && !problem.fixed;
    let numbers = board.as_ref().map_or(&[][..], Switchboard::numbers);
    let mut poles = if adaptive { None } else { PoleWatch::new(motion, problem, numbers) };
    // Whether every step is looked at, or only those with a recorded time in them.
    let every_step = problem.dense
        || poles.is_some()
        || *recorder.recording == Recording::Steps
        || board.is_some()
        || watch.is_some()
        || recorder.surface.is_some();
    let mut next_check = 0;
    let (mut stalled, mut counted) = (0, 0);
    let (t, state, reason) = match recorder.record(problem.start, &problem.state) {
        Err(reason) => (problem.start, problem.state.clone(), reason),
        Ok(()) => loop {
            if stepper.time() == problem.end {
                break (problem.end, stepper.state().to_vec(), StopReason::Reached);
            }
            if stalled >= MAX_STALLED {
                break (stepper.time(), stepper.state().to_vec(), StopReason::Stalled);
            }
            let time_before = stepper.time();
            let steps = stepper.statistics().steps;
            // A step of a large system may take a while, so the interrupt is looked for at every one.
            if steps >= next_check || budget::is_interrupted() {
                next_check = steps + if every_step { CHECK_EVERY } else { CHECK_MANY };
                let work = (steps - counted) * WORK_OF_A_STEP;
                counted = steps;
                if let Err(exhausted) = cx.check().and_then(|()| cx.spend(work)) {
                    break (stepper.time(), stepper.state().to_vec(), exhausted.into());
                }
                let spent = if steps >= problem.limits.steps {
                    Some("the steps of the run are used up")
                } else if recorder.trajectory.n_numbers() > problem.limits.numbers {
                    Some(OUT_OF_MEMORY)
                } else {
                    None
                };
                if let Some(what) = spent {
                    let reason = StopReason::Budget { what: what.to_string() };
                    break (stepper.time(), stepper.state().to_vec(), reason);
                }
            }
            let made = match every_step {
                true => stepper.step(problem.end),
                false => {
                    let until = recorder.next_time().unwrap_or(problem.end);
                    let most = (next_check - steps).min(problem.limits.steps.saturating_sub(steps).max(1));
                    stepper.advance(problem.end, until, most)
                }
            };
            if let Err(reason) = made {
                break (stepper.time(), stepper.state().to_vec(), reason);
            }
            let mut fall = None;
            if let Some(board) = &mut board {
                match board.look(stepper) {
                    Ok(found) => fall = found,
                    Err(failure) => {
                        let reason = StopReason::SingularPoint { failure };
                        break (stepper.time(), stepper.state().to_vec(), reason);
                    }
                }
                if let Some(fall) = fall {
                    stepper.cut(fall.t);
                }
            }
            if let Some(surface) = recorder.surface.as_mut().filter(|_| fall.is_none() && adaptive)
                && let Some(t) = surface.beyond(stepper.time(), stepper.state())
                && (problem.end - t) * (problem.end - problem.start) > 0.0
            {
                stepper.cut(t);
            }
            if let Some(surface) = &mut recorder.surface
                && let Err(reason) = surface.look(stepper)
            {
                break (stepper.time(), stepper.state().to_vec(), reason);
            }
            if let Some(poles) = &mut poles {
                let numbers = board.as_ref().map_or(&[][..], Switchboard::numbers);
                if let Some((t, state, failure)) = poles.look(stepper.time(), stepper.state(), numbers) {
                    break (t, state, StopReason::SingularPoint { failure });
                }
            }
            let mut stop = None;
            if let Some(watch) = &mut watch {
                match watch.look(stepper, &mut recorder.trajectory.events) {
                    Ok(found) => stop = found,
                    Err(failure) => {
                        let reason = StopReason::SingularPoint { failure };
                        break (stepper.time(), stepper.state().to_vec(), reason);
                    }
                }
            }
            let end = stop.as_ref().map_or(stepper.time(), |(t, _, _)| *t);
            if problem.dense {
                let segment = stepper.segment();
                recorder.trajectory.push_segment(segment);
            }
            if let Err(reason) = recorder.step(stepper, end, stop.is_some()) {
                break (stepper.time(), stepper.state().to_vec(), reason);
            }
            if let Some((t, state, name)) = stop {
                break (t, state, StopReason::Event { name });
            }
            if let (Some(board), Some(fall)) = (&mut board, fall) {
                let direction = if problem.end >= problem.start { 1.0 } else { -1.0 };
                if let Err(failure) = board.flip(fall, stepper.state(), direction) {
                    break (stepper.time(), stepper.state().to_vec(), StopReason::SingularPoint { failure });
                }
                stepper.restart(board.numbers());
                if let Some(poles) = &mut poles {
                    poles.begin(stepper.time(), stepper.state(), board.numbers());
                }
            }
            stalled = if stepper.time() == time_before { stalled + 1 } else { 0 };
        },
    };
    // Where equations of its set are not independent any more, a motion ends for that reason, however it is noticed.
    let stuck = !reason.is_complete() && !matches!(reason, StopReason::Interrupted | StopReason::Budget { .. });
    let lost = motion
        .surface
        .as_ref()
        .filter(|_| stuck)
        .and_then(|surface| surface.lost_rank(&problem.parameters, (problem.start, &problem.state), (t, &state)));
    let reason = lost.map_or(reason, |equations| StopReason::LostRank { equations });
    // The last state is always recorded, once.
    if recorder.trajectory.times().last() != Some(&t) {
        let _ = recorder.record(t, &state);
    }
    let mut trajectory = recorder.trajectory;
    trajectory.projection = recorder.surface.map(|surface| surface.report);
    trajectory.statistics = stepper.statistics();
    trajectory.backend = motion.backend();
    trajectory.finish(t, &state, reason);
    trajectory
}

/// Puts the rows that were asked for into a trajectory.
struct Recorder<'a> {
    trajectory: Trajectory,
    recording: &'a Recording,
    caller: Option<Caller>,
    parameters: &'a [f64],
    start: f64,
    forward: bool,
    /// Numbers that may be kept.
    most: usize,
    /// The number of the next time on the grid.
    next: u64,
    state: Vec<f64>,
    columns: Vec<f64>,
    /// The set on which recorded states lie.
    surface: Option<SurfaceWatch<'a>>,
}

impl Recorder<'_> {
    fn record(&mut self, t: f64, state: &[f64]) -> Result<(), StopReason> {
        if self.surface.is_none() {
            return self.keep(t, state);
        }
        let mut settled = state.to_vec();
        if let Some(surface) = &mut self.surface {
            surface.settle(t, &mut settled)?;
        }
        self.keep(t, &settled)
    }

    fn keep(&mut self, t: f64, state: &[f64]) -> Result<(), StopReason> {
        if let Some(caller) = &mut self.caller {
            caller
                .call([&[t], state, self.parameters, &[]], &mut self.columns)
                .map_err(|failure| StopReason::SingularPoint { failure })?;
        }
        self.trajectory.push(t, state, &self.columns);
        if let (Recording::Every(_), 0) = (self.recording, self.next) {
            self.next = 1;
        }
        Ok(())
    }

    /// The next time on the grid.
    fn next_time(&self) -> Option<f64> {
        match self.recording {
            Recording::Every(dt) => {
                let offset = self.next as f64 * dt;
                Some(if self.forward { self.start + offset } else { self.start - offset })
            }
            Recording::At(times) => times.get(self.next as usize).copied(),
            _ => None,
        }
    }

    /// Records the part of the last step up to `end`.
    fn step(&mut self, stepper: &mut impl Stepper, end: f64, stopped: bool) -> Result<(), StopReason> {
        if *self.recording == Recording::Steps && !stopped {
            let state = std::mem::take(&mut self.state);
            let mut state = state;
            state.copy_from_slice(stepper.state());
            let result = self.record(end, &state);
            self.state = state;
            return result;
        }
        while let Some(t) = self.next_time() {
            if if self.forward { t > end } else { t < end } {
                break;
            }
            // A grid may be finer than memory, and finer than numbers.
            if self.next > self.most as u64 || self.trajectory.n_numbers() > self.most {
                return Err(StopReason::Budget { what: OUT_OF_MEMORY.to_string() });
            }
            // The start is recorded already.
            if t != self.start || self.trajectory.is_empty() {
                let mut state = std::mem::take(&mut self.state);
                if t == stepper.time() {
                    state.copy_from_slice(stepper.state());
                } else {
                    stepper.interpolate(t, &mut state);
                }
                let result = self.record(t, &state);
                self.state = state;
                result?;
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// Looks for events in every step.
struct Watch<'a> {
    caller: Caller,
    events: &'a [Event],
    /// Periods, and what counts as touching: a hundred tolerances of the largest value so far.
    watched: Vec<Watched>,
    parameters: &'a [f64],
    tolerance: f64,
    /// Per event: when it last happened, and how often.
    last: Vec<Option<f64>>,
    counts: Vec<u32>,
    /// The functions at the end of the last step.
    values: Vec<f64>,
    state: Vec<f64>,
}

impl<'a> Watch<'a> {
    fn new(
        caller: Caller,
        events: &'a [Event],
        problem: &'a InitialValueProblem,
        n: usize,
        tolerance: f64,
    ) -> Watch<'a> {
        let mut watch = Watch {
            caller,
            events,
            watched: events.iter().map(|e| Watched { period: e.period, ..Watched::default() }).collect(),
            parameters: &problem.parameters,
            tolerance,
            last: vec![None; events.len()],
            counts: vec![0; events.len()],
            values: vec![0.0; events.len()],
            state: vec![0.0; n],
        };
        // A run that starts on the surface of an event leaves it; that is not the event.
        let mut values = vec![0.0; events.len()];
        if watch.evaluate(problem.start, &problem.state, &mut values).is_ok() {
            for (i, g) in values.iter().enumerate() {
                let distance = events[i].period.map_or(*g, |p| g - (g / p).round() * p);
                if distance.abs() <= 1e-12 * g.abs().max(1.0) {
                    watch.last[i] = Some(problem.start);
                }
            }
        }
        watch.rescale(&values, &values);
        watch.values = values;
        watch
    }

    /// How large the functions are: beside a pole one end of a step says nothing about it.
    fn rescale(&mut self, before: &[f64], after: &[f64]) {
        for ((watched, g), h) in self.watched.iter_mut().zip(before).zip(after) {
            let size = watched.period.unwrap_or(g.abs().min(h.abs()));
            watched.graze = watched.graze.max(100.0 * self.tolerance * size);
        }
    }

    fn evaluate(&mut self, t: f64, state: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        self.caller.call([&[t], state, self.parameters, &[]], values)
    }

    /// Records the events of the last step. The result is the time, state and name of one that stops the run.
    fn look(
        &mut self,
        stepper: &mut impl Stepper,
        points: &mut Vec<EventPoint>,
    ) -> Result<Option<(f64, Vec<f64>, String)>, Failure> {
        let (start, end) = (stepper.previous_time(), stepper.time());
        let before = self.values.clone();
        let mut after = vec![0.0; self.events.len()];
        let state = stepper.state().to_vec();
        self.evaluate(end, &state, &mut after)?;
        self.values = after.clone();
        self.rescale(&before, &after);
        let watched = self.watched.clone();
        let mut inside = std::mem::take(&mut self.state);
        let found = events::zeros(&watched, |theta, out| {
            if theta == 0.0 {
                out.copy_from_slice(&before);
            } else if theta == 1.0 {
                out.copy_from_slice(&after);
            } else if events::is_tiny(start, end) {
                out.iter_mut().enumerate().for_each(|(i, o)| *o = before[i] + theta * (after[i] - before[i]));
            } else {
                let t = start + theta * (end - start);
                stepper.interpolate(t, &mut inside);
                if self.evaluate(t, &inside, out).is_err() {
                    // Beside a pole that was met to the last bit there are values.
                    let beside = t + 1e-12 * (end - start) + 4.0 * f64::EPSILON * t.abs().copysign(end - start);
                    stepper.interpolate(beside, &mut inside);
                    self.evaluate(beside, &inside, out)?;
                }
            }
            Ok::<(), Failure>(())
        });
        self.state = inside;
        self.watched.iter_mut().zip(&before).for_each(|(w, g)| w.before = Some(*g));
        for crossing in found? {
            let (t, state) = self.polish(stepper, &crossing, start, end)?;
            let i = crossing.event;
            let close = 1e-9 * (end - start).abs() + 8.0 * f64::EPSILON * t.abs();
            let repeated = self.last[i].is_some_and(|last| (t - last).abs() <= close);
            self.last[i] = Some(t);
            if repeated || !crossing.matches(self.events[i].direction) {
                continue;
            }
            self.counts[i] += 1;
            let name = self.events[i].name.clone();
            let point = EventPoint { name: name.clone(), t, state, rising: crossing.rising, grazing: crossing.grazing };
            if self.events[i].stop_at == Some(self.counts[i]) {
                let state = point.state.clone();
                points.push(point);
                return Ok(Some((t, state, name)));
            }
            points.push(point);
        }
        Ok(None)
    }

    /// The zero on the trajectory itself: dense output finds it, a step of the method to it and a few secants improve
    /// on it. Grazing points are left where they are.
    fn polish(
        &mut self,
        stepper: &mut impl Stepper,
        crossing: &Crossing,
        start: f64,
        end: f64,
    ) -> Result<(f64, Vec<f64>), Failure> {
        let i = crossing.event;
        let h = end - start;
        let mut values = vec![0.0; self.events.len()];
        let mut state = vec![0.0; stepper.state().len()];
        let mut at = |watch: &mut Self, t: f64, state: &mut [f64]| -> Result<f64, Failure> {
            if t == end {
                state.copy_from_slice(stepper.state());
            } else {
                stepper.state_at(t, state);
            }
            watch.evaluate(t, state, &mut values)?;
            Ok(values[i] - crossing.level)
        };
        let mut t = start + crossing.theta * h;
        let mut g = at(self, t, &mut state)?;
        if crossing.grazing {
            return Ok((t, state));
        }
        let mut trial = state.clone();
        // A second point beside the first gives the slope.
        let inward = if crossing.theta > 0.5 { -1e-4 * h } else { 1e-4 * h };
        let mut t_other = t + inward;
        let mut g_other = at(self, t_other, &mut trial)?;
        for _ in 0..6 {
            if g == 0.0 || g == g_other {
                break;
            }
            let next = t - g * (t - t_other) / (g - g_other);
            let stays = (next - start) / h >= -1e-12 && (next - start) / h <= 1.0 + 1e-12;
            if !stays || (next - t).abs() <= f64::EPSILON * t.abs() {
                break;
            }
            let g_next = at(self, next, &mut trial)?;
            if g_next.abs() >= g.abs() {
                break;
            }
            (t_other, g_other) = (t, g);
            (t, g) = (next, g_next);
            state.copy_from_slice(&trial);
        }
        Ok((t, state))
    }
}
