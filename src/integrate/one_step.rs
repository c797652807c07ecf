//! Methods that are a map from one state to the next, repeated with a fixed step.
//!
//! Such a map, for example the discrete Euler–Lagrange equations ([`super::variational`]), carries more than the state: momenta
//! with what rounding took from them, multipliers. It is called with the step h, and with a shorter one to look inside a step;
//! the last step of a run ends where the run ends.

use crate::codegen::interpret::Failure;

use super::control::{Compensated, StopReason};
use super::field::Field;
use super::lu::Lu;
use super::newton::Unsolved;
use super::problem::{InitialValueProblem, Motion};
use super::stepper::{Segment, Statistics, Stepper, cubic};

/// One step of a method.
pub trait StepMap {
    /// What belongs to a state beside its numbers.
    type Own: Clone;

    fn order(&self) -> u32;

    /// Finds what belongs to a state that was given, or moved.
    fn begin(&mut self, place: &mut Place<Self::Own>) -> Result<(), Failure>;

    /// One step of length h; the result counts the evaluations, too.
    fn make(&mut self, from: &Place<Self::Own>, h: f64, end: Compensated) -> Result<(Place<Self::Own>, u64), Unsolved>;

    /// Whether a step ends on the constraints of the motion.
    fn ends_on_constraints(&self) -> bool;

    /// The decisions of a field with kinks have changed.
    fn set_modes(&mut self, modes: &[f64]) {
        let _ = modes;
    }
}

/// Where a motion is.
#[derive(Clone, Debug)]
pub struct Place<Own> {
    pub t: Compensated,
    pub state: Vec<f64>,
    pub own: Own,
}

/// The method at work.
pub struct Repeated<M: StepMap> {
    map: M,
    field: Field,
    h: f64,
    now: Place<M::Own>,
    before: Place<M::Own>,
    h_old: f64,
    /// What is the state's own belongs to it.
    begun: bool,
    statistics: Statistics,
}

impl<M: StepMap> Repeated<M> {
    pub fn new(map: M, own: M::Own, motion: &Motion, problem: &InitialValueProblem) -> Repeated<M> {
        let span = problem.end - problem.start;
        let now = Place { t: Compensated::new(problem.start), state: problem.state.clone(), own };
        Repeated {
            field: Field::new(motion.field(), &problem.parameters),
            h: problem.step.unwrap_or((span / 1000.0).abs()).copysign(span),
            before: now.clone(),
            now,
            h_old: 0.0,
            begun: false,
            statistics: Statistics { order: map.order(), ..Statistics::default() },
            map,
        }
    }
}

impl<M: StepMap> Stepper for Repeated<M> {
    fn time(&self) -> f64 {
        self.now.t.value
    }

    fn state(&self) -> &[f64] {
        &self.now.state
    }

    fn previous_time(&self) -> f64 {
        self.before.t.value
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        if !self.begun {
            self.map.begin(&mut self.now).map_err(|failure| StopReason::SingularPoint { failure })?;
            self.begun = true;
        }
        let t = self.now.t;
        let remaining = limit - t.value;
        // The last step is stretched by up to a hundredth rather than followed by a tiny one.
        let last = (1.01 * self.h).abs() >= remaining.abs();
        let h = if last { remaining } else { self.h };
        if t.value + 0.1 * h == t.value && !last {
            return Err(StopReason::StepTooSmall);
        }
        let end = if last { Compensated::new(limit) } else { t.plus(h) };
        let made = self.map.make(&self.now, h, end);
        let (next, evaluations) = made.map_err(|unsolved| StopReason::Unsolved { step: h, unsolved })?;
        self.before = std::mem::replace(&mut self.now, next);
        self.h_old = h;
        self.statistics.evaluations += evaluations;
        self.statistics.accept(h);
        Ok(())
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        self.state_at(t, out);
    }

    /// One step of the method from the beginning of the last step.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        let h = t - self.before.t.value;
        let made = match h == 0.0 {
            true => None,
            false => self.map.make(&self.before, h, Compensated::new(t)).ok(),
        };
        out.copy_from_slice(match &made {
            Some((place, _)) => &place.state,
            None if h == 0.0 => &self.before.state,
            None => &self.now.state,
        });
    }

    fn cut(&mut self, t: f64) {
        let mut state = self.now.state.clone();
        self.state_at(t, &mut state);
        self.now.t = Compensated::new(t);
        self.replace(&state);
    }

    fn replace(&mut self, state: &[f64]) {
        self.now.state.copy_from_slice(state);
        self.begun = false;
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.map.set_modes(modes);
        self.begun = false;
    }

    fn ends_on_constraints(&self) -> bool {
        self.map.ends_on_constraints()
    }

    fn segment(&mut self) -> Segment {
        let slopes = [&self.before, &self.now].map(|place| {
            let mut slope = vec![0.0; place.state.len()];
            self.field.evaluate(place.t.value, &place.state, &mut slope).then_some(slope)
        });
        self.field.take_failure();
        cubic(self.before.t.value, self.h_old, [&self.before.state, &self.now.state], slopes)
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// Corrections after which an iteration is given up.
const MOST: u32 = 60;

/// Corrections that stop shrinking below this size are rounding errors, which a matrix may make larger.
const NOISE: f64 = 1e-10;

/// Solves F(x) = 0 to rounding, where x has these sizes; the result is the number of corrections. An iteration that ended earlier
/// would leave an error in the same direction at every step, and the energy would drift (HLW §VIII.6).
pub fn solve(
    x: &mut [f64],
    matrix: &mut [f64],
    size: impl Fn(usize) -> f64,
    mut evaluate: impl FnMut(&[f64], &mut [f64], &mut [f64]) -> Result<(), Failure>,
) -> Result<u32, Unsolved> {
    let n = x.len();
    let mut residual = vec![0.0; n];
    let mut lu: Lu<f64> = Lu::new(n);
    let mut last = f64::INFINITY;
    for corrections in 1..=MOST {
        evaluate(x, &mut residual, matrix).map_err(Unsolved::NoValue)?;
        lu.matrix.copy_from_slice(matrix);
        lu.factorise().map_err(Unsolved::Singular)?;
        lu.solve(&mut residual);
        let mut correction = 0.0f64;
        for (i, (x, d)) in x.iter_mut().zip(&residual).enumerate() {
            *x -= d;
            // What was 0 so far is as large as it has become.
            let relative = if *d == 0.0 { 0.0 } else { d.abs() / size(i).max(x.abs()) };
            // What is no number is the largest.
            correction = if relative <= correction { correction } else { relative };
        }
        let slower = !(correction < 0.9 * last);
        // The next correction would be this one times the last decrease, at most.
        let next = if corrections > 1 { correction * (correction / last) } else { correction };
        if correction == 0.0 || slower && correction <= NOISE || next <= 1e-3 * f64::EPSILON {
            return Ok(corrections);
        }
        if slower && corrections > 3 {
            break;
        }
        last = correction;
    }
    Err(Unsolved::NotConverging)
}
