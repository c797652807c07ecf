//! Explicit Runge–Kutta methods, each a [`Tableau`].
//!
//! A step evaluates the stages
//!
//! ```text
//! kᵢ = f(t + cᵢ h, y + h Σ_{j<i} aᵢⱼ kⱼ),      y′ = y + h Σ bᵢ kᵢ,      Hairer–Nørsett–Wanner (II.1.8)
//! ```
//!
//! and f(t + h, y′), which is the first stage of the next step. The sum y + h Σ bᵢ kᵢ is compensated, so that rounding
//! does not accumulate over many small steps. Stages that only the dense output uses are evaluated only for steps that
//! somebody looks into.
//!
//! States and stages are padded to a multiple of eight and handled in blocks of eight, which the compiler turns into
//! whatever registers the processor has; the result does not depend on their width.

use crate::codegen::interpret::Failure;
use crate::codegen::simd;

use super::auto::Felt;
use super::control::{self, Compensated, Controller, StopReason};
use super::field::Field;
use super::method::Method;
use super::poles;
use super::problem::{Better, InitialValueProblem, Motion};
use super::stepper::{self, Segment, Statistics, Stepper};
use super::tableau::{Dense, Estimate, Tableau};
use super::whole_step::WholeStep;

/// Doubles per block.
const BLOCK: usize = 8;

/// Blocks that are summed at once: as many as registers hold.
const AT_ONCE: usize = 5;

/// Runs `$work` for all blocks, [`AT_ONCE`] at a time as long as there are so many, then those that are left.
macro_rules! for_blocks {
    ($stride:expr, |$first:ident, $count:ident| $work:expr) => {
        let (mut $first, stride) = (0, $stride);
        while $first < stride {
            macro_rules! with {
                ($n:literal) => {{
                    const $count: usize = $n;
                    $work
                }};
            }
            match ((stride - $first) / BLOCK).min(AT_ONCE) {
                1 => with!(1),
                2 => with!(2),
                3 => with!(3),
                4 => with!(4),
                _ => with!(5),
            }
            $first += BLOCK * ((stride - $first) / BLOCK).min(AT_ONCE);
        }
    };
}

/// Trials of one step. Every trial that fails makes the step shorter by a tenth or more, and after so many it is below the
/// spacing of all numbers; a step that is no number is never.
const MAX_TRIALS: usize = 10_000;

/// After this many steps a run is long enough for the step to be compiled as a whole.
const LONG_RUN: u64 = 500;
/// Steps between two looks whether better code is ready.
const LOOK_AGAIN: u64 = 50;

/// An explicit method at work.
pub struct Explicit<'a> {
    motion: &'a Motion,
    /// The field exchanges rows in its linear systems, and is too long to be repeated in one kernel.
    pivoted: bool,
    /// The step as one kernel, once there is one.
    whole: Option<WholeStep>,
    /// The last step was made by it, and its stages are there.
    stages_in_whole: bool,
    /// So are the state and the one before; they have not been fetched yet.
    state_in_whole: bool,
    method: Method,
    tableau: &'static Tableau,
    field: Field,
    n: usize,
    stride: usize,
    fused: bool,
    absolute: Vec<f64>,
    relative: f64,
    controller: Controller,
    t: Compensated,
    y: Vec<f64>,
    /// What rounding has taken from y so far.
    rest: Vec<f64>,
    /// f at the current state, when it is known.
    f_known: bool,
    f: Vec<f64>,
    t_old: f64,
    y_old: Vec<f64>,
    h_old: f64,
    h_next: f64,
    /// Fixed-step methods know their step; adaptive ones may be told the first.
    given_step: Option<f64>,
    adaptive: bool,
    /// Stage derivatives, stage by stage. After a step, those of that step.
    k: Vec<f64>,
    trial: Vec<f64>,
    y_new: Vec<f64>,
    rest_new: Vec<f64>,
    dense: Vec<f64>,
    dense_ready: bool,
    statistics: Statistics,
    /// The number of steps after which better code is looked for.
    next_look: u64,
}

/// A trial step, compiled for the widest vectors of the processor.
struct Attempt<'s, 'a> {
    method: &'s mut Explicit<'a>,
    h: f64,
    careful: bool,
}

impl simd::Work for Attempt<'_, '_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn run(self) -> Option<f64> {
        self.method.attempt_inner::<true>(self.h, self.careful)
    }
}

impl<'a> Explicit<'a> {
    /// A method of the table, which has this tableau.
    pub fn new(
        method: Method,
        tableau: &'static Tableau,
        motion: &'a Motion,
        problem: &InitialValueProblem,
    ) -> Explicit<'a> {
        let (kernel, pivoted) = motion.field_for(problem);
        let field = Field::new(&kernel, &problem.parameters);
        let fused = !motion.options().portable;
        let InitialValueProblem { start: t, state, tolerance, step, fixed, .. } = problem;
        let (t, step) = (*t, *step);
        let n = field.n();
        let stride = n.next_multiple_of(BLOCK);
        // Padding has the tolerance 1 and the error 0.
        let mut absolute = tolerance.absolute_of_each(n);
        absolute.resize(stride, 1.0);
        let mut y = state.to_vec();
        y.resize(stride, 0.0);
        let zeros = vec![0.0; stride];
        Explicit {
            motion,
            pivoted,
            whole: None,
            stages_in_whole: false,
            state_in_whole: false,
            method,
            tableau,
            field,
            n,
            stride,
            fused: fused && simd::has_fma(),
            absolute,
            relative: tolerance.relative,
            controller: tableau.controller,
            t: Compensated::new(t),
            y,
            rest: zeros.clone(),
            f_known: false,
            f: zeros.clone(),
            t_old: t,
            y_old: zeros.clone(),
            h_old: 0.0,
            h_next: 0.0,
            given_step: step,
            adaptive: !matches!(tableau.estimate, Estimate::None) && !fixed,
            k: vec![0.0; stride * tableau.n_slopes()],
            trial: zeros.clone(),
            y_new: zeros.clone(),
            rest_new: zeros.clone(),
            dense: vec![0.0; stride * tableau.dense.n_coefficients()],
            dense_ready: false,
            statistics: Statistics { order: tableau.order, ..Statistics::default() },
            next_look: LONG_RUN,
        }
    }

    /// The first step size.
    fn first_step(&mut self, limit: f64) -> f64 {
        let span = limit - self.t.value;
        let n = self.n;
        if let Some(h) = self.given_step {
            return h.copysign(span);
        }
        if !self.adaptive {
            return span / 1000.0;
        }
        let scale: Vec<f64> = (0..n).map(|i| self.absolute[i] + self.relative * self.y[i].abs()).collect();
        let (field, order) = (&mut self.field, self.tableau.order);
        let evaluate = |t: f64, y: &[f64], dy: &mut [f64]| field.evaluate(t, y, dy);
        let h = control::first_step(order, span, self.t.value, &self.y[..n], &self.f[..n], &scale, evaluate);
        self.field.take_failure();
        h
    }

    /// The slope at the initial state and the first step; `None` when there is no value.
    pub(super) fn begin(&mut self, limit: f64) -> Option<(Vec<f64>, f64)> {
        let n = self.n;
        if !self.field.evaluate(self.t.value, &self.y, &mut self.f[..n]) {
            return None;
        }
        let h = self.first_step(limit);
        Some((self.f[..n].to_vec(), h))
    }

    /// Evaluates all stages for a step h from (t, y), then y_new; the result is the square of the scaled error, or `None`
    /// when the field declined or had no value. `careful` evaluations find out which.
    fn attempt(&mut self, h: f64, careful: bool) -> Option<f64> {
        if careful {
            self.fetch();
        }
        self.stages_in_whole = false;
        if !careful && let Some(whole) = &mut self.whole {
            if !whole.fresh {
                whole.start(&self.y, &self.rest, &self.f);
            }
            self.field.count(self.tableau.n_stages() as u64);
            let times = [self.t.value, h, self.t.plus(h).value];
            let squares = whole.attempt(times, self.field.parameters())?;
            self.stages_in_whole = true;
            let square = self.squared_error(h, squares);
            return square.is_finite().then_some(square);
        }
        if self.fused {
            simd::widest(Attempt { method: self, h, careful })
        } else {
            self.attempt_inner::<false>(h, careful)
        }
    }

    #[inline(always)]
    fn attempt_inner<const FUSED: bool>(&mut self, h: f64, careful: bool) -> Option<f64> {
        let (n, stride, t) = (self.n, self.stride, self.t.value);
        self.k[..stride].copy_from_slice(&self.f);
        for i in 1..self.tableau.n_stages() {
            let (before, after) = self.k.split_at_mut(i * stride);
            combine::<FUSED>(&mut self.trial, &self.y, h, self.tableau.a[i], before, stride);
            let ti = t + self.tableau.c[i] * h;
            let evaluated = match careful {
                true => self.field.evaluate(ti, &self.trial, &mut after[..n]),
                false => self.field.evaluate_fast(ti, &self.trial, &mut after[..n]),
            };
            if !evaluated {
                return None;
            }
        }
        for_blocks!(stride, |first, N| {
            let sums = weighted::<FUSED, N>(self.tableau.b, &self.k, stride, first);
            for (b, sum) in sums.into_iter().enumerate() {
                let block = first + b * BLOCK;
                let (y, rest) = (eight(&self.y, block), eight(&self.rest, block));
                let (mut y_new, mut rest_new) = ([0.0; BLOCK], [0.0; BLOCK]);
                for l in 0..BLOCK {
                    let new = Compensated { value: y[l], rest: rest[l] }.plus(h * sum[l]);
                    (y_new[l], rest_new[l]) = (new.value, new.rest);
                }
                *eight_mut(&mut self.y_new, block) = y_new;
                *eight_mut(&mut self.rest_new, block) = rest_new;
            }
        });
        let square = match self.tableau.estimate {
            Estimate::None => 0.0,
            Estimate::Difference(weights) => {
                // The last weight belongs to f at the new point.
                let (s, end) = (self.tableau.n_stages(), self.t.plus(h).value);
                let new = &mut self.k[s * stride..s * stride + n];
                let evaluated = match careful {
                    true => self.field.evaluate(end, &self.y_new, new),
                    false => self.field.evaluate_fast(end, &self.y_new, new),
                };
                if !evaluated {
                    return None;
                }
                let squares = self.squares::<FUSED>(weights);
                self.squared_error(h, [squares, 0.0])
            }
            Estimate::FiveAndThree(five, three) => {
                let squares = [self.squares::<FUSED>(five), self.squares::<FUSED>(three)];
                self.squared_error(h, squares)
            }
        };
        (square.is_finite() && (self.adaptive || self.y_new.iter().all(|y| y.is_finite()))).then_some(square)
    }

    /// The square of the scaled error of a step from its sums of squares.
    #[inline(always)]
    fn squared_error(&self, h: f64, squares: [f64; 2]) -> f64 {
        let n = self.n as f64;
        match self.tableau.estimate {
            Estimate::None => 0.0,
            Estimate::Difference(_) => h * h * (squares[0] / n),
            Estimate::FiveAndThree(..) => control::five_and_three(h, squares, n),
        }
    }

    /// The run turns out to be long: a short step is compiled as a whole, a long field with more care. The latter takes long
    /// and is not waited for.
    #[cold]
    fn look_for_better_code(&mut self) {
        self.next_look = u64::MAX;
        if self.whole.is_some() || self.pivoted {
            return;
        }
        if let Some(kernel) = self.motion.whole_step(self.method, true) {
            self.use_whole(kernel);
        }
        match self.motion.field_of_long_run() {
            Better::There(field) => self.field.continue_with(field),
            Better::Later => self.next_look = self.statistics.steps + LOOK_AGAIN,
            Better::Never => {}
        }
    }

    fn use_whole(&mut self, kernel: crate::codegen::compiled::CompiledKernel) {
        if self.adaptive {
            let mut whole = WholeStep::new(&kernel, self.n, &self.absolute, self.relative);
            whole.set_modes(self.field.modes());
            self.whole = Some(whole);
        }
    }

    /// Σᵢ (eᵢ/scaleᵢ)² for an error with these weights.
    #[inline(always)]
    fn squares<const FUSED: bool>(&self, weights: &[f64]) -> f64 {
        let mut total = [0.0; BLOCK];
        for_blocks!(self.stride, |first, N| {
            let errors = weighted::<FUSED, N>(weights, &self.k, self.stride, first);
            for (b, e) in errors.into_iter().enumerate() {
                let block = first + b * BLOCK;
                let (y, y_new) = (eight(&self.y, block), eight(&self.y_new, block));
                let absolute = eight(&self.absolute, block);
                for l in 0..BLOCK {
                    let (a, b) = (y[l].abs(), y_new[l].abs());
                    // NaN in y_new reaches the result through b.
                    let size = if a > b { a } else { b };
                    let scaled = e[l] * (1.0 / multiply_add::<FUSED>(self.relative, size, absolute[l]));
                    total[l] = multiply_add::<FUSED>(scaled, scaled, total[l]);
                }
            }
        });
        ((total[0] + total[4]) + (total[1] + total[5])) + ((total[2] + total[6]) + (total[3] + total[7]))
    }

    /// f at the new point, into the place of the first stage of the next step.
    fn finish_step(&mut self, h: f64) -> bool {
        let (n, s, stride) = (self.n, self.tableau.n_stages(), self.stride);
        if self.stages_in_whole
            && let Some(whole) = &mut self.whole
        {
            whole.accept();
            self.state_in_whole = true;
            self.t_old = self.t.value;
            self.h_old = h;
            self.dense_ready = false;
            return true;
        }
        let new = &mut self.k[s * stride..s * stride + n];
        let evaluated = match self.tableau.estimate {
            Estimate::Difference(_) => true,
            Estimate::None | Estimate::FiveAndThree(..) => self.field.evaluate(self.t.plus(h).value, &self.y_new, new),
        };
        if evaluated {
            self.f[..n].copy_from_slice(new);
            self.t_old = self.t.value;
            self.h_old = h;
            std::mem::swap(&mut self.y, &mut self.y_old);
            std::mem::swap(&mut self.y, &mut self.y_new);
            std::mem::swap(&mut self.rest, &mut self.rest_new);
            self.dense_ready = false;
            if let Some(whole) = &mut self.whole {
                whole.fresh = false;
            }
        }
        evaluated
    }

    /// Copies the state, and the one before, from the compiled step.
    fn fetch(&mut self) {
        if !self.state_in_whole {
            return;
        }
        self.state_in_whole = false;
        if let Some(whole) = &self.whole {
            let n = self.n;
            let [y, rest, f] = whole.state();
            self.y[..n].copy_from_slice(y);
            self.rest[..n].copy_from_slice(rest);
            self.f[..n].copy_from_slice(f);
            let [y_old, _, f_old] = whole.state_before();
            self.y_old[..n].copy_from_slice(y_old);
            self.k[..n].copy_from_slice(f_old);
        }
    }

    /// Operations of a step, about.
    pub(super) fn price_of_step(&self) -> f64 {
        let s = self.tableau.n_stages();
        let field = self.motion.field().executed().n_operations();
        (s * (field + s * self.n)) as f64
    }

    /// What the last step felt of stiffness, where its last stage and the new point have the same time (Hairer and Wanner, §IV.2).
    pub(super) fn stiffness(&mut self) -> Option<Felt> {
        let (n, stride, s, h) = (self.n, self.stride, self.tableau.n_stages(), self.h_old);
        if h == 0.0 || self.tableau.c[s - 1] != 1.0 {
            return None;
        }
        self.fetch();
        self.fetch_stages();
        combine::<false>(&mut self.trial, &self.y_old, h, self.tableau.a[s - 1], &self.k[..(s - 1) * stride], stride);
        let (mut slopes, mut states, mut change, mut size) = (0.0, 0.0, 0.0, 0.0);
        let (mut way, mut length) = (0.0, 0.0);
        for i in 0..n {
            way += (self.y[i] - self.y_old[i]).powi(2);
            length += self.y[i].powi(2);
            change += (self.f[i] - self.k[i]).powi(2);
            size += self.f[i].powi(2);
            slopes += (self.f[i] - self.k[(s - 1) * stride + i]).powi(2);
            states += (self.y[i] - self.trial[i]).powi(2);
        }
        (states > 0.0 && size > 0.0 && length > 0.0).then(|| Felt {
            rate: h.abs() * (slopes / states).sqrt(),
            change: (change / size).sqrt(),
            moved: (way / length).sqrt(),
        })
    }

    /// Begins anew at another state.
    pub(super) fn begin_at(&mut self, problem: &InitialValueProblem) {
        let n = self.n;
        self.y[..n].copy_from_slice(&problem.state);
        self.rest.fill(0.0);
        self.t = Compensated::new(problem.start);
        (self.t_old, self.h_old, self.f_known, self.given_step) = (problem.start, 0.0, false, None);
        self.controller.reset();
    }

    /// Copies the stages of the last step from the compiled step.
    fn fetch_stages(&mut self) {
        let (n, stride) = (self.n, self.stride);
        if self.stages_in_whole
            && let Some(whole) = &self.whole
        {
            for s in 1..self.tableau.n_stages() {
                self.k[s * stride..s * stride + n].copy_from_slice(whole.stage(s));
            }
        }
    }

    /// Why no step can be made from here.
    fn stuck(&mut self, failure: Option<Failure>) -> StopReason {
        self.fetch();
        let failure = failure.or_else(|| self.pole());
        if let Some(failure) = failure {
            return StopReason::SingularPoint { failure };
        }
        let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // In the time of one rounding error the state would change by more than itself.
        let spacing = self.t.value.abs().max(f64::MIN_POSITIVE) * f64::EPSILON;
        let runs_away = self.statistics.steps > 0 && size(&self.f) * spacing > 1e-3 * size(&self.y).max(1e-3);
        if size(&self.y) > 1e100 || runs_away { StopReason::BlowUp } else { StopReason::StepTooSmall }
    }

    /// The singularity just ahead, if there is one.
    fn pole(&self) -> Option<Failure> {
        let h = self.h_old;
        let beyond: Vec<f64> = (0..self.n).map(|i| self.y[i] + h * self.f[i]).collect();
        let (now, then) = ([self.t.value], [self.t.value + h]);
        let (p, modes) = (self.field.parameters(), self.field.modes());
        poles::ahead(self.motion.field().kernel(), [&now, &self.y[..self.n], p, modes], [&then, &beyond, p, modes])
    }

    /// The coefficients of the dense output of the last step.
    fn prepare_dense(&mut self) {
        if self.dense_ready {
            return;
        }
        self.dense_ready = true;
        let (n, stride, h) = (self.n, self.stride, self.h_old);
        self.fetch_stages();
        let s = self.tableau.n_stages();
        self.k[s * stride..s * stride + n].copy_from_slice(&self.f[..n]);
        match self.tableau.dense {
            Dense::Hermite => self.hermite(),
            Dense::Weights(weights) => {
                let k = |s: usize, i: usize| self.k[s * stride + i];
                for i in 0..n {
                    self.dense[i] = self.y_old[i];
                    for power in 0..4 {
                        let sum = weights.iter().enumerate().map(|(s, w)| w[power] * k(s, i)).sum::<f64>();
                        self.dense[(power + 1) * stride + i] = h * sum;
                    }
                }
            }
            Dense::Continued { c, a, rows } => {
                for s in s + 1..c.len() {
                    let (before, after) = self.k.split_at_mut(s * stride);
                    combine::<false>(&mut self.trial, &self.y_old, h, a[s], before, stride);
                    if !self.field.evaluate(self.t_old + c[s] * h, &self.trial, &mut after[..n]) {
                        // A point beside the path has no value: fall back to the cubic through the ends.
                        self.field.take_failure();
                        return self.hermite();
                    }
                }
                self.hermite();
                let k = |s: usize, i: usize| self.k[s * stride + i];
                for i in 0..n {
                    for (number, row) in rows.iter().enumerate() {
                        let sum = row.iter().enumerate().map(|(s, w)| w * k(s, i)).sum::<f64>();
                        self.dense[(4 + number) * stride + i] = h * sum;
                    }
                }
            }
        }
    }

    /// The cubic with the values and slopes of both ends, in the nested form.
    fn hermite(&mut self) {
        let (stride, h) = (self.stride, self.h_old);
        self.dense.fill(0.0);
        for i in 0..self.n {
            let difference = self.y[i] - self.y_old[i];
            self.dense[i] = self.y_old[i];
            self.dense[stride + i] = difference;
            self.dense[2 * stride + i] = h * self.k[i] - difference;
            self.dense[3 * stride + i] = 2.0 * difference - h * (self.f[i] + self.k[i]);
        }
    }

    /// One accepted step; a compiled one leaves the state where it is.
    #[inline(always)]
    fn one_step(&mut self, limit: f64) -> Result<(), StopReason> {
        let n = self.n;
        if !self.f_known {
            if !self.field.evaluate(self.t.value, &self.y, &mut self.f[..n]) {
                let failure = self.field.take_failure();
                return Err(self.stuck(failure));
            }
            self.f_known = true;
            self.h_next = self.first_step(limit);
            // What an earlier run compiled serves this one from the start.
            if self.whole.is_none()
                && !self.pivoted
                && let Some(kernel) = self.motion.whole_step(self.method, false)
            {
                self.use_whole(kernel);
            }
        }
        if self.statistics.steps >= self.next_look {
            self.look_for_better_code();
        }
        let remaining = limit - self.t.value;
        let mut h = self.h_next;
        // The last step is stretched by up to a hundredth rather than followed by a tiny one.
        let mut last = (1.01 * h).abs() >= remaining.abs();
        if last {
            h = remaining;
        }
        let mut failure = None;
        for _ in 0..MAX_TRIALS {
            if (self.t.value + 0.1 * h) == self.t.value && !last {
                return Err(self.stuck(failure));
            }
            let mut square = self.attempt(h, false);
            if square.is_none() {
                square = self.attempt(h, true);
                failure = self.field.take_failure().or(failure);
            }
            let Some(square) = square else {
                // No value somewhere in the step: come closer, slowly enough to stop near the place.
                self.statistics.rejected += 1;
                if !self.adaptive || last && (self.t.value + 0.1 * h) == self.t.value {
                    return Err(self.stuck(failure));
                }
                h *= 0.25;
                last = false;
                continue;
            };
            let factor = if self.adaptive { self.controller.factor(square) } else { 1.0 };
            if self.adaptive && square > 1.0 {
                self.statistics.rejected += 1;
                h *= factor;
                last = false;
                continue;
            }
            if !self.finish_step(h) {
                failure = self.field.take_failure().or(failure);
                self.statistics.rejected += 1;
                if !self.adaptive {
                    return Err(self.stuck(failure));
                }
                h *= 0.25;
                last = false;
                continue;
            }
            self.t = if last { Compensated::new(limit) } else { self.t.plus(h) };
            self.statistics.accept(h);
            // A step that was cut short by the end says little about the next.
            if !last || h.abs() >= self.h_next.abs() {
                self.h_next = h * factor;
            }
            return Ok(());
        }
        Err(self.stuck(failure))
    }
}

impl Stepper for Explicit<'_> {
    fn time(&self) -> f64 {
        self.t.value
    }

    fn state(&self) -> &[f64] {
        &self.y[..self.n]
    }

    fn previous_time(&self) -> f64 {
        self.t_old
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        let made = self.one_step(limit);
        self.fetch();
        made
    }

    fn advance(&mut self, limit: f64, until: f64, most: u64) -> Result<(), StopReason> {
        let forward = limit >= self.t.value;
        let mut made = Ok(());
        for _ in 0..most.max(1) {
            made = self.one_step(limit);
            let t = self.t.value;
            if made.is_err() || t == limit || if forward { t >= until } else { t <= until } {
                break;
            }
        }
        self.fetch();
        made
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        self.prepare_dense();
        let theta = (t - self.t_old) / self.h_old;
        stepper::evaluate(self.tableau.dense.form(), &self.dense, self.stride, theta, &mut out[..self.n]);
    }

    /// One step of the method from the beginning of the last step.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        let h = t - self.t_old;
        if h == 0.0 {
            return out.copy_from_slice(&self.y_old[..self.n]);
        }
        let mut k = vec![0.0; self.tableau.n_stages() * self.stride];
        let mut trial = self.y_old.clone();
        k[..self.n].copy_from_slice(&self.k[..self.n]);
        for i in 1..self.tableau.n_stages() {
            let (before, after) = k.split_at_mut(i * self.stride);
            combine::<false>(&mut trial, &self.y_old, h, self.tableau.a[i], before, self.stride);
            if !self.field.evaluate(self.t_old + self.tableau.c[i] * h, &trial, &mut after[..self.n]) {
                self.field.take_failure();
                return self.interpolate(t, out);
            }
        }
        combine::<false>(&mut trial, &self.y_old, h, self.tableau.b, &k, self.stride);
        out.copy_from_slice(&trial[..self.n]);
    }

    fn cut(&mut self, t: f64) {
        self.prepare_dense();
        let mut state = vec![0.0; self.n];
        self.state_at(t, &mut state);
        self.y[..self.n].copy_from_slice(&state);
        self.rest.fill(0.0);
        self.t = Compensated::new(t);
        if let Some(whole) = &mut self.whole {
            whole.fresh = false;
        }
    }

    fn replace(&mut self, state: &[f64]) {
        // An interpolant that is made later joins the states that were moved.
        self.y[..self.n].copy_from_slice(state);
        self.rest.fill(0.0);
        let f = &mut self.f[..self.n];
        let quick = self.field.evaluate_fast(self.t.value, &self.y, f) && f.iter().all(|x| x.is_finite());
        if !quick && !self.field.evaluate(self.t.value, &self.y, f) {
            self.f_known = false;
        }
        if let Some(whole) = &mut self.whole {
            whole.fresh = false;
        }
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        // The kernel of whole steps gets the new decisions when it is taken up again.
        self.whole = None;
        self.f_known = false;
        self.controller.reset();
    }

    fn segment(&mut self) -> Segment {
        self.prepare_dense();
        let count = self.tableau.dense.n_coefficients();
        let mut coefficients = Vec::with_capacity(count * self.n);
        for power in 0..count {
            coefficients.extend_from_slice(&self.dense[power * self.stride..power * self.stride + self.n]);
        }
        Segment { start: self.t_old, step: self.h_old, form: self.tableau.dense.form(), coefficients }
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Eight neighbours as an array, whose length the compiler knows: it then uses vectors and checks no index.
#[inline(always)]
fn eight(xs: &[f64], first: usize) -> &[f64; BLOCK] {
    xs[first..first + BLOCK].first_chunk().expect("a block")
}

#[inline(always)]
fn eight_mut(xs: &mut [f64], first: usize) -> &mut [f64; BLOCK] {
    xs[first..first + BLOCK].first_chunk_mut().expect("a block")
}

/// Σⱼ wⱼ kⱼ for some blocks of components, the first of which begins at `first`.
#[inline(always)]
fn weighted<const FUSED: bool, const N: usize>(
    weights: &[f64],
    k: &[f64],
    stride: usize,
    first: usize,
) -> [[f64; BLOCK]; N] {
    let mut sums = [[0.0; BLOCK]; N];
    for (j, &w) in weights.iter().enumerate() {
        if w != 0.0 {
            let kj = &k[j * stride + first..j * stride + first + N * BLOCK];
            for (b, sum) in sums.iter_mut().enumerate() {
                let kj = eight(kj, b * BLOCK);
                for l in 0..BLOCK {
                    sum[l] = multiply_add::<FUSED>(w, kj[l], sum[l]);
                }
            }
        }
    }
    sums
}

/// out = y + h Σⱼ wⱼ kⱼ, the newest stage last, so that the next evaluation waits for one operation only.
#[inline(always)]
fn combine<const FUSED: bool>(out: &mut [f64], y: &[f64], h: f64, weights: &[f64], k: &[f64], stride: usize) {
    let newest = weights.iter().rposition(|w| *w != 0.0).unwrap_or(0);
    for_blocks!(stride, |first, N| {
        let sums = weighted::<FUSED, N>(&weights[..newest], k, stride, first);
        for (b, mut sum) in sums.into_iter().enumerate() {
            let block = first + b * BLOCK;
            let (hw, kj, y) = (h * weights[newest], eight(k, newest * stride + block), eight(y, block));
            for l in 0..BLOCK {
                sum[l] = multiply_add::<FUSED>(hw, kj[l], multiply_add::<FUSED>(h, sum[l], y[l]));
            }
            *eight_mut(out, block) = sum;
        }
    });
}
