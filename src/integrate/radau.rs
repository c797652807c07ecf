//! Radau IIA: collocation for stiff equations, of order 5, 9 or 13, with step control.
//!
//! The stages zᵢ = Yᵢ − y solve z = h (A ⊗ I) f. In the coordinates w = T⁻¹ z in which A⁻¹ is diagonal up to blocks of two,
//! Newton's method with one Jacobian matrix J splits into one real and (s − 1)/2 complex systems of n equations
//!
//! ```text
//! (γ/h − J) Δw₀ = …,      ((αₖ + i βₖ)/h − J) (Δw₁ − i Δw₂) = …,                                            HW (IV.8.15)
//! err = (γ/h − J)⁻¹ (f₀ + Σ dᵢ zᵢ/h),                                                                       HW (IV.8.19)
//! ```
//!
//! (Hairer and Wanner, *Solving Ordinary Differential Equations II*, §IV.8; rules for stopping Newton's method, for the step size
//! and for keeping J and its factors are those of their programs `radau5.f` and `radau.f`). J is compiled from the equations.
//!
//! Where the stiff direction turns with the motion, as along a stiff spring that swings, one J for all stages is not enough: its
//! error, multiplied by the stiffness, would bound the step. There Newton's method takes J at every stage and iterate,
//!
//! ```text
//! (δᵢⱼ − h aᵢⱼ Jⱼ) Δzⱼ = h Σ aᵢⱼ f(Yⱼ) − zᵢ,
//! ```
//!
//! one real system for all stages ([`StageSystem`]), whose convergence does not depend on the stiffness (Lubich, *Integration of stiff mechanical
//! systems by Runge–Kutta methods*, ZAMP 44 (1993), §4).
//!
//! The tolerance is that of the error estimate, of order s + 1, which is also the error of the collocation polynomial
//! inside the step; ends of steps are more accurate than asked for.

use std::sync::OnceLock;

use crate::codegen::compiled::CompiledKernel;
use crate::codegen::interpret::Failure;

use super::collocation::{Collocation, Twofold};
use super::control::{self, Compensated, StopReason};
use super::field::Field;
use super::lu::{Complex, Lu};
use super::method::Method;
use super::newton::Unsolved;
use super::poles;
use super::problem::{InitialValueProblem, Motion};
use super::radau_tables::{STAGES3, STAGES5, STAGES7, Transformation};
use super::slopes::Slopes;
use super::stage_system::StageSystem;
use super::stepper::{self, Form, Segment, Statistics, Stepper};

/// The method at work.
pub struct Radau {
    kernel: CompiledKernel,
    field: Field,
    slopes: Slopes,
    n: usize,
    scheme: &'static Scheme,
    absolute: Vec<f64>,
    relative: f64,
    adaptive: bool,
    given_step: Option<f64>,
    /// Corrections below this many tolerances end Newton's method.
    enough: f64,
    /// Corrections that are made at most.
    most: u32,
    jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Vec<Lu<Complex>>,
    /// The system of all stages, where one Jacobian matrix does not serve them.
    whole: Option<StageSystem>,
    /// The state that is the slope of a state.
    links: Vec<Option<usize>>,
    /// Steps for which it is used before the other is tried again, and how many that will be the next time.
    whole_steps: u32,
    patience: u32,
    /// What must be made anew before the next trial.
    stale: Stale,
    /// The step for which the factors were made.
    factored: f64,
    t: Compensated,
    y: Vec<f64>,
    rest: Vec<f64>,
    f: Vec<f64>,
    begun: bool,
    h_next: f64,
    t_old: f64,
    y_old: Vec<f64>,
    h_old: f64,
    scale: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    slope: Vec<f64>,
    delta: Vec<f64>,
    stage: Vec<f64>,
    pair: Vec<Complex>,
    /// Powers of θ of the last step, the first being y_old.
    dense: Vec<f64>,
    /// Contraction of Newton's method, and what it makes of a correction.
    theta: f64,
    remaining: f64,
    /// Of the last accepted step.
    error_before: f64,
    step_before: f64,
    was_rejected: bool,
    statistics: Statistics,
    /// Operations of an evaluation of the field, and of its slopes, and all that were made in both and in linear systems, about.
    price: (f64, f64),
    work: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stale {
    Nothing,
    Factors,
    Jacobian,
}

/// The coefficients of a number of stages.
struct Scheme {
    s: usize,
    c: Vec<f64>,
    a: Vec<f64>,
    table: &'static Transformation,
    /// From the stages to the coefficients of θ, θ², …, θˢ of the collocation polynomial; row by row.
    powers: Vec<f64>,
}

/// What came of a trial.
enum Trial {
    /// After so many corrections.
    Solved(u32),
    /// Newton's method contracts, but too slowly for the corrections that are allowed: the step by which it would not.
    Slow(f64),
    Lost,
    NoValue(Option<Failure>),
}

/// The step changes by these factors at most.
const LEAST: f64 = 0.2;
const MOST: f64 = 8.0;
const SAFETY: f64 = 0.9;

/// A contraction that is better than this keeps the Jacobian matrix.
const GOOD: f64 = 1e-3;

/// Equations of all stages up to which they are solved as one system.
const LARGE: usize = 200;
const WHOLE_CORRECTIONS: u32 = 10;

/// Trials of one step; each that fails makes it shorter.
const MAX_TRIALS: usize = 2000;

impl Scheme {
    /// Of 3, 5 or 7 stages.
    fn of(s: usize) -> &'static Scheme {
        static KNOWN: [OnceLock<Scheme>; 3] = [const { OnceLock::new() }; 3];
        KNOWN[(s - 3) / 2].get_or_init(|| Scheme::new(s))
    }

    fn new(s: usize) -> Scheme {
        let radau = Collocation::radau(s);
        let table = match s {
            3 => &STAGES3,
            5 => &STAGES5,
            _ => &STAGES7,
        };
        let mut nodes = vec![Twofold::default()];
        nodes.extend(&radau.points);
        // ℓⱼ = Π (θ − cₖ)/(cⱼ − cₖ), multiplied out.
        let mut powers = vec![0.0; s * s];
        for j in 1..=s {
            let mut product = vec![Twofold::from(1.0)];
            for (_, node) in nodes.iter().enumerate().filter(|(k, _)| *k != j) {
                let over = Twofold::from(1.0) / (nodes[j] - *node);
                let mut next = vec![Twofold::default(); product.len() + 1];
                for (power, c) in product.iter().enumerate() {
                    next[power + 1] = next[power + 1] + *c * over;
                    next[power] = next[power] - *c * *node * over;
                }
                product = next;
            }
            for power in 1..=s {
                powers[(power - 1) * s + j - 1] = product[power].high;
            }
        }
        let high = |list: &[Twofold]| list.iter().map(|x| x.high).collect::<Vec<_>>();
        Scheme { s, c: high(&radau.points), a: high(&radau.matrix), table, powers }
    }
}

impl Radau {
    pub fn new(method: Method, motion: &Motion, problem: &InitialValueProblem) -> Radau {
        let (kernel, pivoted) = motion.field_for(problem);
        let order = method.order().unwrap_or(5);
        let s = (order as usize).div_ceil(2);
        let n = motion.n_states();
        let adaptive = !problem.fixed;
        let tolerance = &problem.tolerance;
        // With a fixed step there is no error to compare with: the equations are solved to rounding.
        let (relative, absolute) = match adaptive {
            true => (tolerance.relative, tolerance.absolute_of_each(n)),
            false => (1e-13, vec![1e-15; n]),
        };
        let rounding = 10.0 * f64::EPSILON / relative.max(f64::MIN_POSITIVE);
        let zeros = vec![0.0; n];
        let slopes = motion.slopes(pivoted);
        Radau {
            field: Field::new(&kernel, &problem.parameters),
            kernel,
            slopes: slopes.caller(),
            links: slopes.links().to_vec(),
            price: (motion.field().executed().n_operations() as f64, slopes.n_operations() as f64),
            work: 0.0,
            n,
            scheme: Scheme::of(s),
            absolute,
            relative,
            adaptive,
            given_step: problem.step,
            enough: rounding.max(relative.sqrt().min(0.03)),
            most: if adaptive { 7 + (s as u32 - 3) * 5 / 2 } else { 50 },
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: vec![Lu::new(n); s / 2],
            whole: None,
            whole_steps: 0,
            patience: 10,
            stale: Stale::Jacobian,
            factored: 0.0,
            t: Compensated::new(problem.start),
            y: problem.state.clone(),
            rest: zeros.clone(),
            f: zeros.clone(),
            begun: false,
            h_next: 0.0,
            t_old: problem.start,
            y_old: problem.state.clone(),
            h_old: 0.0,
            scale: zeros.clone(),
            z: vec![0.0; n * s],
            w: vec![0.0; n * s],
            slope: vec![0.0; n * s],
            delta: vec![0.0; n * s],
            stage: zeros,
            pair: vec![Complex::default(); n],
            dense: vec![0.0; n * (s + 1)],
            theta: 0.0,
            remaining: 1.0,
            error_before: 1e-2,
            step_before: 0.0,
            was_rejected: false,
            statistics: Statistics { order, ..Statistics::default() },
        }
    }

    /// f where the run starts or goes on, and the first step.
    fn begin(&mut self, limit: f64) -> Result<(), StopReason> {
        let (n, t) = (self.n, self.t.value);
        if !self.field.evaluate(t, &self.y, &mut self.f) {
            let failure = self.field.take_failure();
            return Err(self.stuck(failure, None));
        }
        let span = limit - t;
        self.h_next = match self.given_step {
            Some(h) => h.copysign(span),
            None if !self.adaptive => span / 1000.0,
            None => {
                let scale: Vec<f64> = (0..n).map(|i| self.absolute[i] + self.relative * self.y[i].abs()).collect();
                let (field, order) = (&mut self.field, self.scheme.s as u32 + 1);
                control::first_step(order, span, t, &self.y, &self.f, &scale, |t, y, dy| field.evaluate(t, y, dy))
            }
        };
        self.field.take_failure();
        self.begun = true;
        self.stale = Stale::Jacobian;
        self.h_old = 0.0;
        self.step_before = 0.0;
        Ok(())
    }

    /// γ/h − J and its companions, factorised.
    fn factorise(&mut self, h: f64) -> Result<(), Unsolved> {
        if self.stale == Stale::Jacobian {
            let banks = [&[self.t.value][..], &self.y, self.field.parameters(), self.field.modes()];
            self.slopes.evaluate(banks, &mut self.jacobian).map_err(Unsolved::NoValue)?;
            self.work += self.price.1;
        }
        let n = self.n;
        self.work += factors(n, self.scheme.s);
        for (m, j) in self.real.matrix.iter_mut().zip(&self.jacobian) {
            *m = -j;
        }
        (0..n).for_each(|i| self.real.matrix[i * n + i] += self.scheme.table.gamma / h);
        self.real.factorise().map_err(Unsolved::Singular)?;
        // Where all stages are solved at once, the estimate of the error alone needs factors.
        let pairs = if self.whole_steps > 0 { &[][..] } else { self.scheme.table.pairs };
        for (lu, (alpha, beta)) in self.complex.iter_mut().zip(pairs) {
            for (m, j) in lu.matrix.iter_mut().zip(&self.jacobian) {
                *m = Complex { re: -j, im: 0.0 };
            }
            for i in 0..n {
                let entry = &mut lu.matrix[i * n + i];
                (entry.re, entry.im) = (entry.re + alpha / h, beta / h);
            }
            lu.factorise().map_err(Unsolved::Singular)?;
        }
        self.stale = Stale::Nothing;
        self.factored = h;
        Ok(())
    }

    /// The stages by the polynomial of the step before, or 0.
    fn guess(&mut self, h: f64) {
        let (n, s) = (self.n, self.scheme.s);
        if self.h_old == 0.0 {
            self.z.fill(0.0);
            self.w.fill(0.0);
            return;
        }
        for i in 0..s {
            let theta = 1.0 + self.scheme.c[i] * (h / self.h_old);
            stepper::evaluate(Form::Powers, &self.dense, n, theta, &mut self.stage);
            for l in 0..n {
                self.z[i * n + l] = self.stage[l] - self.y[l];
            }
        }
        transform(self.scheme.table.inverse, s, n, &self.z, &mut self.w);
    }

    /// Newton's method for a step h.
    fn solve(&mut self, h: f64) -> Trial {
        let (n, s, t) = (self.n, self.scheme.s, self.t.value);
        let table = self.scheme.table;
        self.remaining = self.remaining.max(f64::EPSILON).powf(0.8);
        let (mut last, mut rate_before) = (0.0, 0.0);
        for correction in 1..=self.most {
            for i in 0..s {
                let place = i * n..(i + 1) * n;
                for l in 0..n {
                    self.stage[l] = self.y[l] + self.z[i * n + l];
                }
                let (ti, out) = (t + self.scheme.c[i] * h, &mut self.slope[place]);
                let fast = self.field.evaluate_fast(ti, &self.stage, out) && out.iter().all(|x| x.is_finite());
                if !fast && !self.field.evaluate(ti, &self.stage, out) {
                    return Trial::NoValue(self.field.take_failure());
                }
            }
            self.work += correction_of(n, s, self.price.0);
            transform(table.inverse, s, n, &self.slope, &mut self.delta);
            // −Λ w/h joins the transformed slopes.
            for l in 0..n {
                self.delta[l] -= table.gamma / h * self.w[l];
            }
            self.real.solve(&mut self.delta[..n]);
            for (q, (alpha, beta)) in table.pairs.iter().enumerate() {
                let (first, second) = ((2 * q + 1) * n, (2 * q + 2) * n);
                for l in 0..n {
                    let (a, b) = (self.w[first + l], self.w[second + l]);
                    self.pair[l] = Complex {
                        re: self.delta[first + l] - (alpha * a + beta * b) / h,
                        im: -(self.delta[second + l] - (alpha * b - beta * a) / h),
                    };
                }
                self.complex[q].solve(&mut self.pair);
                for l in 0..n {
                    self.delta[first + l] = self.pair[l].re;
                    self.delta[second + l] = -self.pair[l].im;
                }
            }
            let squares: f64 = self.delta.iter().enumerate().map(|(e, d)| (d / self.scale[e % n]).powi(2)).sum();
            let size = (squares / (n * s) as f64).sqrt();
            if !size.is_finite() {
                return Trial::Lost;
            }
            if correction > 1 {
                let rate = size / last;
                self.theta = if correction == 2 { rate } else { (rate * rate_before).sqrt() };
                rate_before = rate;
                if self.theta >= 0.99 {
                    // Corrections that are nothing but rounding do not shrink.
                    if size <= if self.adaptive { 1e-3 * self.enough } else { 1.0 } {
                        return Trial::Solved(correction);
                    }
                    return Trial::Lost;
                }
                self.remaining = self.theta / (1.0 - self.theta);
                let left = self.most - correction;
                let expected = self.remaining * size * self.theta.powi(left as i32 - 1) / self.enough;
                if expected >= 1.0 && left > 0 && self.adaptive {
                    let q = expected.clamp(1e-4, 20.0);
                    return Trial::Slow(0.8 * q.powf(-1.0 / (4.0 + f64::from(left) - 1.0)));
                }
            }
            last = size.max(f64::EPSILON * 1e-3);
            self.w.iter_mut().zip(&self.delta).for_each(|(w, d)| *w += d);
            transform(table.t, s, n, &self.w, &mut self.z);
            // The contraction of another step is no evidence for more than the last digits of this one.
            if self.remaining * size <= self.enough && (correction > 1 || size <= 1.0) {
                return Trial::Solved(correction);
            }
        }
        Trial::Lost
    }

    /// Newton's method with a Jacobian matrix at every stage and iterate.
    fn solve_whole(&mut self, h: f64) -> Trial {
        let (n, s, t) = (self.n, self.scheme.s, self.t.value);
        let mut system = self.whole.take().unwrap_or_else(|| StageSystem::new(&self.scheme.a, &self.links));
        let mut last = f64::INFINITY;
        let mut outcome = Trial::Lost;
        for correction in 1..=WHOLE_CORRECTIONS {
            // What is left of a small correction goes with the factors at hand: the error estimate divides it by the step in
            // directions that are stiff.
            let polish = last <= self.enough;
            for j in 0..s {
                for l in 0..n {
                    self.stage[l] = self.y[l] + self.z[j * n + l];
                }
                let (time, out) = (t + self.scheme.c[j] * h, &mut self.slope[j * n..(j + 1) * n]);
                if !self.field.evaluate(time, &self.stage, out) {
                    self.whole = Some(system);
                    return Trial::NoValue(self.field.take_failure());
                }
                if polish {
                    continue;
                }
                let banks = [&[time][..], &self.stage, self.field.parameters(), self.field.modes()];
                if let Err(failure) = self.slopes.evaluate(banks, system.jacobian(j)) {
                    self.whole = Some(system);
                    return Trial::NoValue(Some(failure));
                }
            }
            self.work += s as f64 * self.price.0;
            if !polish {
                self.work += s as f64 * self.price.1 + system.n_operations();
                if system.factorise(h).is_err() {
                    break;
                }
            }
            for (i, l) in (0..s).flat_map(|i| (0..n).map(move |l| (i, l))) {
                let sum: f64 = (0..s).map(|j| self.scheme.a[i * s + j] * self.slope[j * n + l]).sum();
                self.delta[i * n + l] = h * sum - self.z[i * n + l];
            }
            system.solve(&mut self.delta);
            let squares: f64 = self.delta.iter().enumerate().map(|(e, d)| (d / self.scale[e % n]).powi(2)).sum();
            let size = (squares / (n * s) as f64).sqrt();
            if !size.is_finite() || correction > 3 && size > 0.5 * last && size > 1.0 {
                break;
            }
            self.z.iter_mut().zip(&self.delta).for_each(|(z, d)| *z += d);
            // Corrections that stop shrinking, far below the tolerance, are rounding.
            let rounding = correction > 1 && size > 0.1 * last && size <= 0.03;
            if polish || rounding || size <= 1e-4 * self.enough {
                outcome = Trial::Solved(correction);
                break;
            }
            last = size;
        }
        self.whole = Some(system);
        transform(self.scheme.table.inverse, s, n, &self.z, &mut self.w);
        outcome
    }

    /// The scaled error of the step; `again`: after a doubtful beginning it is filtered twice.
    fn error(&mut self, h: f64, again: bool) -> f64 {
        let (n, s) = (self.n, self.scheme.s);
        for l in 0..n {
            let sum: f64 = (0..s).map(|i| self.scheme.table.estimate[i] * self.z[i * n + l]).sum();
            self.delta[l] = sum / h;
            self.stage[l] = self.delta[l] + self.f[l];
        }
        self.real.solve(&mut self.stage);
        let norm = |e: &[f64], scale: &[f64]| {
            let squares: f64 = e.iter().zip(scale).map(|(e, s)| (e / s).powi(2)).sum();
            (squares / n as f64).sqrt().max(1e-10)
        };
        let error = norm(&self.stage, &self.scale);
        if !(error >= 1.0 && again) {
            return error;
        }
        for l in 0..n {
            self.stage[l] += self.y[l];
        }
        let slope = &mut self.slope[..n];
        if !self.field.evaluate(self.t.value, &self.stage, slope) {
            self.field.take_failure();
            return error;
        }
        for l in 0..n {
            self.stage[l] = slope[l] + self.delta[l];
        }
        self.real.solve(&mut self.stage);
        norm(&self.stage, &self.scale)
    }

    /// ‖hJ‖ of the last step: what an explicit method would feel at most.
    pub(super) fn stiffness(&self) -> f64 {
        let rows = self.jacobian.chunks_exact(self.n.max(1)).map(|row| row.iter().map(|x| x.abs()).sum::<f64>());
        if self.h_old == 0.0 { f64::INFINITY } else { rows.fold(0.0, f64::max) * self.h_old.abs() }
    }

    /// Operations that were made, about.
    pub(super) fn work(&self) -> f64 {
        self.work
    }

    /// Why no step can be made from here.
    fn stuck(&self, failure: Option<Failure>, unsolved: Option<(f64, Unsolved)>) -> StopReason {
        let rest = [self.field.parameters(), self.field.modes()];
        let place = (self.t.value, self.h_old);
        let pole = || poles::beside(self.kernel.kernel(), place, &self.y, &self.f, rest);
        if let Some(failure) = failure.or_else(|| if self.adaptive { pole() } else { None }) {
            return StopReason::SingularPoint { failure };
        }
        let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let spacing = self.t.value.abs().max(f64::MIN_POSITIVE) * f64::EPSILON;
        let runs_away = self.statistics.steps > 0 && size(&self.f) * spacing > 1e-3 * size(&self.y).max(1e-3);
        if size(&self.y) > 1e100 || runs_away {
            return StopReason::BlowUp;
        }
        match unsolved {
            Some((_, Unsolved::NoValue(failure))) => StopReason::SingularPoint { failure },
            Some((step, unsolved)) => StopReason::Unsolved { step: step.abs(), unsolved },
            None => StopReason::StepTooSmall,
        }
    }

    /// Takes the step whose stages are solved.
    fn accept(&mut self, h: f64, last: bool, limit: f64) -> Result<(), StopReason> {
        let (n, s) = (self.n, self.scheme.s);
        let end = if last { Compensated::new(limit) } else { self.t.plus(h) };
        self.y_old.copy_from_slice(&self.y);
        for l in 0..n {
            let new = Compensated { value: self.y[l], rest: self.rest[l] }.plus(self.z[(s - 1) * n + l]);
            (self.y[l], self.rest[l]) = (new.value, new.rest);
            self.dense[l] = self.y_old[l];
        }
        for (power, row) in self.scheme.powers.chunks_exact(s).enumerate() {
            for l in 0..n {
                self.dense[(power + 1) * n + l] = (0..s).map(|i| row[i] * self.z[i * n + l]).sum();
            }
        }
        if !self.field.evaluate(end.value, &self.y, &mut self.f) {
            self.y.copy_from_slice(&self.y_old);
            let failure = self.field.take_failure();
            return Err(self.stuck(failure, None));
        }
        (self.t_old, self.h_old, self.t) = (self.t.value, h, end);
        self.statistics.accept(h);
        Ok(())
    }
}

/// Operations of the factors of one real and (s − 1)/2 complex systems of n equations, about.
fn factors(n: usize, s: usize) -> f64 {
    (n * n * n) as f64 / 1.5 * (1.0 + 2.0 * (s as f64 - 1.0))
}

/// Operations of one correction with them.
fn correction_of(n: usize, s: usize, field: f64) -> f64 {
    s as f64 * field + (n * s) as f64 * (4.0 * n as f64 + 4.0 * s as f64)
}

/// Operations of a step that keeps nothing and takes some corrections.
pub(super) fn price_of_step(method: Method, motion: &Motion) -> f64 {
    let (n, s) = (motion.n_states(), (method.order().unwrap_or(5) as usize).div_ceil(2));
    let field = motion.field().executed().n_operations() as f64;
    // The slopes of a field cost some fields; they are not made to find out.
    4.0 * field + factors(n, s) + 4.0 * correction_of(n, s, field)
}

/// (M ⊗ I) x for n components.
fn transform(matrix: &[f64], s: usize, n: usize, x: &[f64], out: &mut [f64]) {
    for i in 0..s {
        for l in 0..n {
            out[i * n + l] = (0..s).map(|j| matrix[i * s + j] * x[j * n + l]).sum();
        }
    }
}

impl Stepper for Radau {
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
        if !self.begun {
            self.begin(limit)?;
        }
        for l in 0..self.n {
            self.scale[l] = self.absolute[l] + self.relative * self.y[l].abs();
        }
        let remaining = limit - self.t.value;
        let mut h = self.h_next;
        let mut last = (1.01 * h).abs() >= remaining.abs();
        if last {
            h = remaining;
        }
        let fresh_start = self.step_before == 0.0;
        // Whether J belongs to the present state.
        let mut here = self.stale == Stale::Jacobian;
        let (mut failure, mut unsolved) = (None, None);
        for _ in 0..MAX_TRIALS {
            if !last && self.t.value + 0.1 * h == self.t.value || last && h.abs() < f64::MIN_POSITIVE {
                return Err(self.stuck(failure, unsolved));
            }
            if self.factored != h && self.stale == Stale::Nothing {
                self.stale = Stale::Factors;
            }
            here |= self.stale == Stale::Jacobian;
            let made = if self.stale == Stale::Nothing { Ok(()) } else { self.factorise(h) };
            let trial = match made {
                Ok(()) => {
                    self.guess(h);
                    let mut trial = if self.whole_steps > 0 { Trial::Lost } else { self.solve(h) };
                    let failed = matches!(trial, Trial::Lost | Trial::Slow(_));
                    if failed && (here || self.whole_steps > 0) && self.n * self.scheme.s <= LARGE {
                        self.guess(h);
                        trial = self.solve_whole(h);
                        if self.whole_steps == 0 && matches!(trial, Trial::Solved(_)) {
                            (self.whole_steps, self.patience) = (self.patience, (4 * self.patience).min(100_000));
                        }
                    }
                    trial
                }
                Err(Unsolved::NoValue(failure)) => Trial::NoValue(Some(failure)),
                Err(singular) => {
                    unsolved = Some((h, singular));
                    Trial::Lost
                }
            };
            let corrections = match trial {
                Trial::Solved(corrections) => corrections,
                other => {
                    self.statistics.rejected += 1;
                    let factor = match other {
                        Trial::Slow(factor) => factor,
                        Trial::NoValue(found) => {
                            failure = found.or(failure);
                            0.25
                        }
                        _ => {
                            unsolved.get_or_insert((h, Unsolved::NotConverging));
                            0.5
                        }
                    };
                    if !here {
                        // An old Jacobian matrix may be all that is wrong.
                        self.stale = Stale::Jacobian;
                        if factor > 0.25 {
                            h *= if self.adaptive { factor } else { 1.0 };
                            last = last && !self.adaptive;
                            continue;
                        }
                    }
                    if !self.adaptive {
                        let reason = unsolved.unwrap_or((h, Unsolved::NotConverging));
                        return Err(self.stuck(failure, Some(reason)));
                    }
                    self.h_old = if factor <= 0.5 { 0.0 } else { self.h_old };
                    h *= factor;
                    last = false;
                    continue;
                }
            };
            if !self.adaptive {
                self.accept(h, last, limit)?;
                self.step_before = h;
                self.stale = if self.theta <= GOOD { Stale::Nothing } else { Stale::Jacobian };
                return Ok(());
            }
            let error = self.error(h, fresh_start || self.was_rejected);
            if !error.is_finite() {
                self.statistics.rejected += 1;
                h *= 0.25;
                last = false;
                continue;
            }
            let order = self.scheme.s as f64 + 1.0;
            let twice = 2.0 * f64::from(self.most);
            let safety = SAFETY.min(SAFETY * (1.0 + twice) / (f64::from(corrections) + twice));
            let mut quotient = (error.powf(1.0 / order) / safety).clamp(1.0 / MOST, 1.0 / LEAST);
            if error >= 1.0 {
                self.statistics.rejected += 1;
                self.was_rejected = true;
                h = if fresh_start { 0.1 * h } else { h / quotient };
                last = false;
                if !here {
                    self.stale = Stale::Jacobian;
                }
                continue;
            }
            // Gustafsson's predictive controller, HW (IV.8.25).
            if self.step_before != 0.0 {
                let predicted = (self.step_before / h) * (error * error / self.error_before).powf(1.0 / order) / SAFETY;
                quotient = quotient.max(predicted.clamp(1.0 / MOST, 1.0 / LEAST));
            }
            let mut next = h / quotient;
            let whole = h;
            self.accept(h, last, limit)?;
            if self.whole_steps > 0 {
                self.whole_steps -= 1;
                self.theta = 1.0;
            }
            (self.step_before, self.error_before) = (whole, error.max(1e-2));
            if self.was_rejected && next.abs() > whole.abs() {
                next = whole;
            }
            self.was_rejected = false;
            if self.theta <= GOOD {
                // Nearly the same step keeps the factors.
                let ratio = next / whole;
                if (1.0..=1.2).contains(&ratio) {
                    next = whole;
                }
                self.stale = Stale::Nothing;
            } else {
                self.stale = Stale::Jacobian;
            }
            self.h_next = next;
            return Ok(());
        }
        Err(self.stuck(failure, unsolved))
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        let theta = (t - self.t_old) / self.h_old;
        stepper::evaluate(Form::Powers, &self.dense, self.n, theta, out);
    }

    fn cut(&mut self, t: f64) {
        let mut state = vec![0.0; self.n];
        self.interpolate(t, &mut state);
        self.y.copy_from_slice(&state);
        self.rest.fill(0.0);
        self.t = Compensated::new(t);
        self.begun = false;
    }

    fn replace(&mut self, state: &[f64]) {
        self.y.copy_from_slice(state);
        self.rest.fill(0.0);
        let (t, f) = (self.t.value, &mut self.f);
        if !self.field.evaluate(t, &self.y, f) {
            self.field.take_failure();
        }
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.begun = false;
    }

    fn segment(&mut self) -> Segment {
        Segment { start: self.t_old, step: self.h_old, form: Form::Powers, coefficients: self.dense.clone() }
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}
