//! Collocation at the points of Gauss: symplectic, symmetric, of any even order; the implicit midpoint rule is the first.
//!
//! ```text
//! kᵢ = f(t + cᵢ h, y + h Σⱼ aᵢⱼ kⱼ),      y′ = y + h Σ bᵢ kᵢ,      HLW (II.1.4)
//! ```
//!
//! The stages are found by iteration, from the collocation polynomial of the step before. As long as kᵢ ← f(…) contracts
//! well, that is the iteration; otherwise Newton's, with the compiled Jacobian matrix at the middle of the step, kept over
//! steps; and where that does not contract, with one at every stage (after some steps the first is tried again):
//!
//! ```text
//! (δᵢⱼ I − h aᵢⱼ Jᵢ) Δkⱼ = f(t + cᵢ h, y + h Σⱼ aᵢⱼ kⱼ) − kᵢ                 HW IV.8
//! ```
//!
//! What is kept, is kept to rounding, also over millions of steps, if no error is made in the same direction at every step:
//! so the iteration goes on until rounding stops it, the sum over steps is compensated, coefficients have twice the digits
//! of a double ([`super::collocation`]), and the step is fixed.

use crate::codegen::compiled::Caller;
use crate::codegen::interpret::Failure;

use super::collocation::{Collocation, Twofold, lagrange};
use super::control::{Compensated, StopReason};
use super::field::Field;
use super::gauss_sweep;
use super::lu::Lu;
use super::method::Method;
use super::newton::{Convergence, Progress, Unsolved};
use super::problem::{InitialValueProblem, Motion};
use super::slopes::Slopes;
use super::stepper::{self, Form, Segment, Statistics, Stepper};

/// The method at work.
pub struct Gauss<'a> {
    motion: &'a Motion,
    pivoted: bool,
    field: Field,
    n: usize,
    coefficients: Coefficients,
    iteration: Iteration,
    /// Steps before substitution is tried again, and how many that will be after the next failure.
    wait: u32,
    patience: u32,
    slopes: Option<Slopes>,
    lu: Lu<f64>,
    /// The step for which `lu` was made; 0 when there is none.
    lu_step: f64,
    h: f64,
    t: Compensated,
    y: Vec<f64>,
    rest: Vec<f64>,
    /// How large each state has been, and h over that.
    sizes: Vec<f64>,
    /// For every stage.
    weights: Vec<f64>,
    t_old: f64,
    y_old: Vec<f64>,
    h_old: f64,
    /// Stages of the last step, one after the other.
    k: Vec<f64>,
    work: Vec<f64>,
    /// All stages at once, where the field is small; for a call, and from it: y and the stages.
    sweep: Option<Caller>,
    given: Vec<f64>,
    made: Vec<f64>,
    /// Memory for stages that are sought, and for the guess from which they are.
    sought: Vec<f64>,
    guessed: Vec<f64>,
    stage: Vec<f64>,
    jacobians: Vec<f64>,
    dense: Option<Vec<f64>>,
    statistics: Statistics,
}

/// How the stages are found.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
enum Iteration {
    Substitution,
    /// One Jacobian matrix, kept as long as it serves.
    Simplified,
    /// A new one at every stage and iteration.
    Full,
}

/// The coefficients of a method as doubles, and what follows from them.
pub struct Coefficients {
    pub s: usize,
    pub c: Vec<f64>,
    pub a: Vec<f64>,
    pub a_low: Vec<f64>,
    b: Vec<f64>,
    b_low: Vec<f64>,
    /// From the stages of a step to a guess of those of the next, of the same length.
    ahead: Vec<f64>,
    /// From slopes at 0, the points and 1 to the Chebyshev coefficients of the integral; row by row.
    dense: Vec<f64>,
}

/// A contraction that is worse than this makes way for the next kind of iteration.
const POOR: f64 = 0.35;

/// The least and the largest number of steps before substitution is tried again.
const PATIENCE: [u32; 2] = [16, 4096];

/// Changes of this size, beside the states, are nearly rounding.
const ROUNDING: f64 = 1e-12;

/// The largest change of a stage slope, beside its state. One that is no number is the largest.
#[inline(always)]
fn largest(changes: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    changes.zip(weights).fold(0.0, |most, (change, weight)| {
        let size = change.abs() * weight;
        if size <= most { most } else { size }
    })
}

impl Coefficients {
    pub fn new(s: usize) -> Coefficients {
        let method = Collocation::gauss(s);
        let high = |list: &[Twofold]| list.iter().map(|x| x.high).collect::<Vec<_>>();
        let low = |list: &[Twofold]| list.iter().map(|x| x.low).collect::<Vec<_>>();
        let one = Twofold::from(1.0);
        let ahead = (0..s * s).map(|e| lagrange(&method.points, e % s, one + method.points[e / s]).high).collect();
        Coefficients {
            s,
            c: high(&method.points),
            a: high(&method.matrix),
            a_low: low(&method.matrix),
            b: high(&method.weights),
            b_low: low(&method.weights),
            ahead,
            dense: dense(&method),
        }
    }
}

/// The integral of the polynomial through slopes at 0, c₁, …, cₛ, 1, in Chebyshev's polynomials on [0, 1]. With two stages or
/// more its value at 1 is that of the method: Gauss's formula integrates degree s + 1.
fn dense(method: &Collocation) -> Vec<f64> {
    let s = method.n_stages();
    let mut nodes = vec![Twofold::from(0.0)];
    nodes.extend(&method.points);
    nodes.push(1.0.into());
    let (m, degree) = (s + 2, s + 2);
    let quadrature = Collocation::gauss(m.div_ceil(2) + 1);
    let integral = |j: usize, end: f64| {
        let terms = quadrature.points.iter().zip(&quadrature.weights);
        let sum = terms.map(|(x, w)| *w * lagrange(&nodes, j, *x * end.into()));
        (sum.fold(Twofold::default(), |a, b| a + b) * end.into()).high
    };
    stepper::chebyshev(m, degree, |theta, out| out.iter_mut().enumerate().for_each(|(j, x)| *x = integral(j, theta)))
}

impl<'a> Gauss<'a> {
    pub fn new(method: Method, motion: &'a Motion, problem: &InitialValueProblem) -> Gauss<'a> {
        let (kernel, pivoted) = motion.field_for(problem);
        let order = method.order().unwrap_or(2);
        let (n, s) = (motion.n_states(), (order / 2) as usize);
        let span = problem.end - problem.start;
        let h = problem.step.unwrap_or(span.abs() / 1000.0).copysign(span);
        let sweep = if pivoted { None } else { motion.whole_step(method, (span / h).abs() >= gauss_sweep::MANY) };
        Gauss {
            motion,
            pivoted,
            field: Field::new(&kernel, &problem.parameters),
            n,
            coefficients: Coefficients::new(s),
            iteration: Iteration::Substitution,
            wait: 0,
            patience: PATIENCE[0],
            slopes: None,
            lu: Lu::default(),
            lu_step: 0.0,
            h,
            t: Compensated::new(problem.start),
            y: problem.state.clone(),
            rest: vec![0.0; n],
            sizes: problem.state.iter().map(|y| y.abs()).collect(),
            weights: vec![0.0; n * s],
            t_old: problem.start,
            y_old: problem.state.clone(),
            h_old: 0.0,
            k: vec![0.0; n * s],
            work: vec![0.0; n * s],
            sweep: sweep.map(|kernel| kernel.caller()),
            given: vec![0.0; n + n * s],
            made: vec![0.0; n + n * s],
            sought: vec![0.0; n * s],
            guessed: vec![0.0; n * s],
            stage: vec![0.0; n],
            jacobians: Vec::new(),
            dense: None,
            statistics: Statistics { order, ..Statistics::default() },
        }
    }

    /// Yᵢ, into `stage`.
    #[inline(always)]
    fn stage(&mut self, y: &[f64], h: f64, i: usize, k: &[f64]) {
        let (n, s) = (self.n, self.coefficients.s);
        let (a, low) = (&self.coefficients.a[i * s..(i + 1) * s], &self.coefficients.a_low[i * s..(i + 1) * s]);
        for l in 0..n {
            let (mut sum, mut rest) = (0.0, 0.0);
            for j in 0..s {
                sum += a[j] * k[j * n + l];
                rest += low[j] * k[j * n + l];
            }
            self.stage[l] = y[l] + h * (sum + rest);
        }
    }

    /// The stages of a step from (t, y), from the guess in `k`.
    fn solve(&mut self, t: f64, y: &[f64], h: f64, k: &mut [f64]) -> Result<(), Unsolved> {
        self.guessed.copy_from_slice(k);
        for weights in self.weights.chunks_exact_mut(self.n.max(1)) {
            weights.iter_mut().zip(&self.sizes).for_each(|(weight, size)| *weight = (h.abs() / size).min(f64::MAX));
        }
        self.wait = self.wait.saturating_sub(1);
        if self.wait == 0 {
            self.iteration = Iteration::Substitution;
        }
        loop {
            let solved = match self.iteration {
                Iteration::Substitution => self.substitute(t, y, h, k),
                Iteration::Simplified => self.newton(t, y, h, k, false),
                Iteration::Full => return self.newton(t, y, h, k, true),
            };
            match solved {
                Ok(()) if self.iteration == Iteration::Substitution => {
                    self.patience = (self.patience - 1).max(PATIENCE[0]);
                    return Ok(());
                }
                Ok(()) => return Ok(()),
                Err(_) => {
                    k.copy_from_slice(&self.guessed);
                    if self.iteration == Iteration::Substitution {
                        (self.wait, self.patience) = (self.patience, (2 * self.patience).min(PATIENCE[1]));
                    }
                    self.iteration = match self.iteration {
                        Iteration::Substitution => Iteration::Simplified,
                        _ => Iteration::Full,
                    };
                }
            }
        }
    }

    fn value(&mut self, t: f64, into: usize) -> Result<(), Unsolved> {
        let n = self.n;
        let out = &mut self.work[into * n..(into + 1) * n];
        let fast = self.field.evaluate_fast(t, &self.stage, out) && out.iter().all(|x| x.is_finite());
        if fast || self.field.evaluate(t, &self.stage, out) {
            return Ok(());
        }
        let failure = self.field.take_failure();
        Err(failure.map_or(Unsolved::NotConverging, Unsolved::NoValue))
    }

    /// kᵢ ← f(Yᵢ), one after the other.
    fn substitute(&mut self, t: f64, y: &[f64], h: f64, k: &mut [f64]) -> Result<(), Unsolved> {
        let n = self.n;
        self.given[..n].copy_from_slice(y);
        self.made[..n].copy_from_slice(y);
        self.given[n..].copy_from_slice(k);
        let mut convergence = Convergence::new(1.0);
        loop {
            self.sweep(t, h)?;
            let change = largest(self.made[n..].iter().zip(&self.given[n..]).map(|(a, b)| a - b), &self.weights);
            std::mem::swap(&mut self.made, &mut self.given);
            match convergence.after(change) {
                // Near rounding a contraction says nothing.
                Progress::Nearer if convergence.rate() <= POOR || change <= ROUNDING => {}
                Progress::Solved => {
                    k.copy_from_slice(&self.given[n..]);
                    return Ok(());
                }
                Progress::Nearer | Progress::Lost => return Err(Unsolved::NotConverging),
            }
        }
    }

    /// All stages once, from `given` into `made`.
    fn sweep(&mut self, t: f64, h: f64) -> Result<(), Unsolved> {
        let (n, s) = (self.n, self.coefficients.s);
        if let Some(sweep) = &mut self.sweep {
            let made = &mut self.made[n..];
            let banks = [&[t, h][..], &self.given, self.field.parameters(), self.field.modes()];
            // The sum of 0 x is NaN when an x is, or is infinite.
            if sweep.call_fast(banks, made) && made.iter().fold(0.0, |sum, x| sum + 0.0 * x) == 0.0 {
                self.field.count(s as u64);
                return Ok(());
            }
        }
        let (mut given, mut made) = (std::mem::take(&mut self.given), std::mem::take(&mut self.made));
        made[n..].copy_from_slice(&given[n..]);
        let result = (0..s).try_for_each(|i| {
            self.stage(&given[..n], h, i, &made[n..]);
            self.value(t + self.coefficients.c[i] * h, i)?;
            made[n + i * n..n + (i + 1) * n].copy_from_slice(&self.work[i * n..(i + 1) * n]);
            Ok(())
        });
        std::mem::swap(&mut self.given, &mut given);
        std::mem::swap(&mut self.made, &mut made);
        result
    }

    /// Newton's method; `full`: with a Jacobian matrix for every stage, at every iteration.
    fn newton(&mut self, t: f64, y: &[f64], h: f64, k: &mut [f64], full: bool) -> Result<(), Unsolved> {
        let s = self.coefficients.s;
        let mut fresh = false;
        if full || self.lu_step != h {
            self.factorise(t, y, h, k, full)?;
            fresh = true;
        }
        let mut convergence = Convergence::new(1.0);
        loop {
            for i in 0..s {
                self.stage(y, h, i, k);
                self.value(t + self.coefficients.c[i] * h, i)?;
            }
            self.work.iter_mut().zip(&*k).for_each(|(f, k)| *f -= k);
            self.lu.solve(&mut self.work);
            k.iter_mut().zip(&self.work).for_each(|(k, d)| *k += d);
            let change = largest(self.work.iter().copied(), &self.weights);
            match convergence.after(change) {
                Progress::Solved => return Ok(()),
                Progress::Lost if full || fresh => return Err(Unsolved::NotConverging),
                Progress::Nearer if full => self.factorise(t, y, h, k, true)?,
                Progress::Nearer if convergence.rate() <= POOR => {}
                Progress::Nearer if fresh => return Err(Unsolved::NotConverging),
                Progress::Nearer | Progress::Lost => {
                    self.factorise(t, y, h, k, false)?;
                    fresh = true;
                    convergence = Convergence::new(1.0);
                }
            }
        }
    }

    /// The matrix of Newton's method at the present stages, factorised.
    fn factorise(&mut self, t: f64, y: &[f64], h: f64, k: &[f64], full: bool) -> Result<(), Unsolved> {
        let (n, s) = (self.n, self.coefficients.s);
        self.lu_step = 0.0;
        if self.lu.n() != n * s {
            self.lu = Lu::new(n * s);
            self.jacobians = vec![0.0; n * n * s];
        }
        let motion = self.motion;
        let mut slopes = self.slopes.take().unwrap_or_else(|| motion.slopes(self.pivoted).caller());
        let mut jacobians = std::mem::take(&mut self.jacobians);
        let mut result = Ok(());
        for (i, jacobian) in jacobians.chunks_exact_mut(n * n).enumerate() {
            let time = if full {
                self.stage(y, h, i, k);
                t + self.coefficients.c[i] * h
            } else {
                if i > 0 {
                    break;
                }
                // The middle of the step, by the slopes that are known.
                for l in 0..n {
                    let mean = (0..s).map(|j| self.coefficients.b[j] * k[j * n + l]).sum::<f64>();
                    self.stage[l] = y[l] + 0.5 * h * mean;
                }
                t + 0.5 * h
            };
            let banks = [&[time][..], &self.stage, self.field.parameters(), self.field.modes()];
            result = slopes.evaluate(banks, jacobian);
            if result.is_err() {
                break;
            }
        }
        self.slopes = Some(slopes);
        if result.is_ok() {
            for (i, j) in (0..s).flat_map(|i| (0..s).map(move |j| (i, j))) {
                let jacobian = if full { &jacobians[i * n * n..(i + 1) * n * n] } else { &jacobians[..n * n] };
                let factor = -h * self.coefficients.a[i * s + j];
                for l in 0..n {
                    let row = (i * n + l) * n * s + j * n;
                    let target = &mut self.lu.matrix[row..row + n];
                    target.iter_mut().zip(&jacobian[l * n..(l + 1) * n]).for_each(|(m, x)| *m = factor * x);
                    if i == j {
                        target[l] += 1.0;
                    }
                }
            }
        }
        self.jacobians = jacobians;
        result.map_err(Unsolved::NoValue)?;
        self.lu.factorise().map_err(Unsolved::Singular)?;
        self.lu_step = if full { 0.0 } else { h };
        Ok(())
    }

    /// h Σ bᵢ kᵢ for one state.
    #[inline(always)]
    fn increment(&self, h: f64, k: &[f64], l: usize) -> f64 {
        let (mut sum, mut rest) = (0.0, 0.0);
        for j in 0..self.coefficients.s {
            sum += self.coefficients.b[j] * k[j * self.n + l];
            rest += self.coefficients.b_low[j] * k[j * self.n + l];
        }
        h * (sum + rest)
    }

    /// A guess for the stages of a step of length h from the end of the last one, or from its beginning.
    fn guess(&mut self, h: f64, from_its_end: bool, guess: &mut [f64]) -> Result<(), Failure> {
        let (n, s) = (self.n, self.coefficients.s);
        guess.fill(0.0);
        if self.h_old == 0.0 {
            let (t, y) = (self.t.value, std::mem::take(&mut self.y));
            let mut slope = vec![0.0; n];
            let known = self.field.evaluate(t, &y, &mut slope);
            self.y = y;
            if !known && let Some(failure) = self.field.take_failure() {
                return Err(failure);
            }
            guess.chunks_exact_mut(n.max(1)).for_each(|stage| stage.copy_from_slice(&slope));
            return Ok(());
        }
        let same = from_its_end && h == self.h_old;
        let points: Vec<Twofold> = match same {
            true => vec![],
            false => self.coefficients.c.iter().map(|c| Twofold::from(*c)).collect(),
        };
        for i in 0..s {
            let start = if from_its_end { 1.0 } else { 0.0 };
            let place = Twofold::from(start + self.coefficients.c[i] * (h / self.h_old));
            for j in 0..s {
                let weight = if same { self.coefficients.ahead[i * s + j] } else { lagrange(&points, j, place).high };
                for l in 0..n {
                    guess[i * n + l] += weight * self.k[j * n + l];
                }
            }
        }
        Ok(())
    }

    /// Finds the stages of a step of length h, and goes to its end.
    fn step_with(&mut self, h: f64, k: &mut [f64]) -> Result<(), StopReason> {
        self.guess(h, true, k).map_err(|failure| StopReason::SingularPoint { failure })?;
        let largest = self.y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
        for l in 0..self.n {
            let size = self.y[l].abs().max((h * k[l]).abs()).max(1e-6 * largest).max(f64::MIN_POSITIVE);
            self.sizes[l] = self.sizes[l].max(size);
        }
        let y = std::mem::take(&mut self.y);
        let solved = self.solve(self.t.value, &y, h, k);
        self.y = y;
        if let Err(unsolved) = solved {
            return Err(self.stuck(unsolved));
        }
        self.y_old.copy_from_slice(&self.y);
        for l in 0..self.n {
            let new = Compensated { value: self.y[l], rest: self.rest[l] }.plus(self.increment(h, k, l));
            (self.y[l], self.rest[l]) = (new.value, new.rest);
        }
        if self.y.iter().any(|y| !y.is_finite()) {
            self.y.copy_from_slice(&self.y_old);
            return Err(StopReason::BlowUp);
        }
        self.k.copy_from_slice(k);
        Ok(())
    }

    /// Why no step can be made from here.
    fn stuck(&self, unsolved: Unsolved) -> StopReason {
        match unsolved {
            Unsolved::NoValue(failure) => StopReason::SingularPoint { failure },
            unsolved => StopReason::Unsolved { step: self.h.abs(), unsolved },
        }
    }

    /// The Chebyshev coefficients of the last step.
    fn prepare_dense(&mut self) -> &[f64] {
        if self.dense.is_none() {
            let made = self.dense_coefficients();
            self.dense = Some(made);
        }
        self.dense.as_deref().unwrap_or_default()
    }

    fn dense_coefficients(&mut self) -> Vec<f64> {
        let (n, s, h) = (self.n, self.coefficients.s, self.h_old);
        let mut slopes = vec![0.0; (s + 2) * n];
        slopes[n..(s + 1) * n].copy_from_slice(&self.k);
        let (first, last) = (self.y_old.clone(), self.y.clone());
        let ends = [(self.t_old, &first, 0), (self.t.value, &last, s + 1)];
        for (t, y, place) in ends {
            if !self.field.evaluate(t, y, &mut slopes[place * n..(place + 1) * n]) {
                // The end of a step may be a singular point; the polynomial of the stages goes there too.
                self.field.take_failure();
                let stage = if place == 0 { 1 } else { s };
                slopes.copy_within(stage * n..(stage + 1) * n, place * n);
            }
        }
        let mut made = vec![0.0; (s + 3) * n];
        for l in 0..n {
            let slope = |j: usize| slopes[j * n + l];
            if s == 1 {
                // The cubic with the values and slopes of both ends.
                let (d, p, q) = (last[l] - first[l], h * slope(0), h * slope(2));
                let powers = [first[l], p, 3.0 * d - 2.0 * p - q, p + q - 2.0 * d];
                let cubic = stepper::chebyshev(1, 3, |theta, out| {
                    stepper::evaluate(Form::Powers, &powers, 1, theta, out);
                });
                cubic.iter().enumerate().for_each(|(place, c)| made[place * n + l] = *c);
                continue;
            }
            for (place, row) in self.coefficients.dense.chunks_exact(s + 2).enumerate() {
                made[place * n + l] = h * row.iter().enumerate().map(|(j, w)| w * slope(j)).sum::<f64>();
            }
            made[l] += first[l];
        }
        made
    }
}

impl Stepper for Gauss<'_> {
    fn time(&self) -> f64 {
        self.t.value
    }

    fn state(&self) -> &[f64] {
        &self.y
    }

    fn previous_time(&self) -> f64 {
        self.t_old
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        let remaining = limit - self.t.value;
        // The last step is stretched by up to a hundredth rather than followed by a tiny one.
        let last = (1.01 * self.h).abs() >= remaining.abs();
        let h = if last { remaining } else { self.h };
        if !last && self.t.value + 0.1 * h == self.t.value {
            return Err(StopReason::StepTooSmall);
        }
        let mut k = std::mem::take(&mut self.sought);
        let made = self.step_with(h, &mut k);
        self.sought = k;
        made?;
        (self.t_old, self.h_old) = (self.t.value, h);
        self.t = if last { Compensated::new(limit) } else { self.t.plus(h) };
        self.dense = None;
        self.statistics.accept(h);
        Ok(())
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        let theta = (t - self.t_old) / self.h_old;
        let n = self.n;
        stepper::evaluate(Form::Chebyshev, self.prepare_dense(), n, theta, out);
    }

    /// A step of its own, from where the last one began.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        let h = t - self.t_old;
        let (y, before) = (self.y_old.clone(), (self.iteration, self.wait, self.patience));
        let mut k = vec![0.0; self.k.len()];
        let guessed = self.guess(h, false, &mut k).map_err(Unsolved::NoValue);
        let made = guessed.and_then(|()| self.solve(self.t_old, &y, h, &mut k));
        (self.iteration, self.wait, self.patience) = before;
        match made {
            Ok(()) => (0..self.n).for_each(|l| out[l] = y[l] + self.increment(h, &k, l)),
            Err(_) => self.interpolate(t, out),
        }
    }

    fn cut(&mut self, t: f64) {
        let mut state = vec![0.0; self.n];
        self.state_at(t, &mut state);
        self.y.copy_from_slice(&state);
        self.rest.fill(0.0);
        self.t = Compensated::new(t);
    }

    fn replace(&mut self, state: &[f64]) {
        self.y.copy_from_slice(state);
        self.rest.fill(0.0);
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.h_old = 0.0;
        self.lu_step = 0.0;
        self.iteration = Iteration::Substitution;
    }

    fn segment(&mut self) -> Segment {
        let (start, step) = (self.t_old, self.h_old);
        Segment { start, step, form: Form::Chebyshev, coefficients: self.prepare_dense().to_vec() }
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}
