//! The Taylor method: order and step follow from the tolerance.
//!
//! Jorba and Zou, *A software package for the numerical integration of ODEs by means of high-order Taylor methods*,
//! Experiment. Math. 14 (2005), with the variant of the step size that heyoka uses (Biscani and Izzo, *Revisiting high-order
//! Taylor methods for astrodynamics and celestial mechanics*, MNRAS 504 (2021), §2.1):
//!
//! ```text
//! p = ⌈1 − ln(τ)/2⌉                                                        the order
//! ρ = min( (s/‖y_{p−1}‖)^{1/(p−1)}, (s/‖y_p‖)^{1/p} ),   s = max(1, ‖y‖)   the radius of convergence, estimated
//! h = ρ e⁻² e^{−0.7/(p−1)}                                                 the step
//! ```
//!
//! in the maximum norm. Steps are not rejected, but for fields of which [a series may outlive the motion](super::ends): there the slope
//! of the polynomial is compared with the field at the middle and at the end of a step, and the step is halved until they agree. The polynomial of a step is its dense output, as accurate as the
//! step itself. Sums over steps, of the state and of time, are compensated.

use crate::codegen::interpret::Failure;
use crate::codegen::jet::JetProgram;
use crate::codegen::jet_compiled::{JetCaller, SMALL, Steps};
use crate::codegen::libm::{self, quick_exp2, quick_log2};
use crate::codegen::simd;

use super::control::{Compensated, StopReason};
use super::ends;
use super::field::Field;
use super::poles;
use super::problem::{InitialValueProblem, Motion};
use super::stepper::{Form, Segment, Statistics, Stepper};

/// The Taylor method at work.
pub struct Taylor<'a> {
    motion: &'a Motion,
    caller: JetCaller,
    field: Field,
    parameters: &'a [f64],
    n: usize,
    order: usize,
    fused: bool,
    /// e⁻² e^{−0.7/(p−1)}
    safety: f64,
    /// 1/(p−1), 1/p
    inverses: [f64; 2],
    tolerance: f64,
    t: Compensated,
    y: Vec<f64>,
    rest: Vec<f64>,
    /// Of the last step, order by order.
    coefficients: Vec<f64>,
    t_old: f64,
    h_old: f64,
    fixed: Option<f64>,
    pivoted: bool,
    /// Whether the field may end where its series does not.
    watched: bool,
    /// Steps in a row that had to be shortened.
    shortened: u32,
    /// The number of steps after which machine code is asked for.
    next_look: u64,
    statistics: Statistics,
}

/// After this many steps a run is long enough for long recurrences to be compiled.
const LONG_RUN: u64 = 2000;
/// Steps between two looks whether they are.
const LOOK_AGAIN: u64 = 50;

/// How far slopes may be apart, in units of what the truncated series leaves of them.
const APART: f64 = 1e3;
/// After so many shortened steps in a row the motion has come to an end.
const MAX_SHORTENED: u32 = 60;

/// Turns of the power method, of which the second half counts.
const TURNS: u32 = 40;

/// A step, compiled with fused multiply-add.
struct Step<'s, 'a> {
    method: &'s mut Taylor<'a>,
    limit: f64,
}

impl simd::Work for Step<'_, '_> {
    type Output = Result<(), StopReason>;

    #[inline(always)]
    fn run(self) -> Result<(), StopReason> {
        self.method.step_inner::<true>(self.limit)
    }
}

/// The order that belongs to the tolerance of a problem.
pub fn order(problem: &InitialValueProblem) -> usize {
    let tau = problem.tolerance.relative;
    JetProgram::order_for(if tau > 0.0 { tau } else { problem.tolerance.absolute })
}

impl<'a> Taylor<'a> {
    pub fn new(motion: &'a Motion, problem: &'a InitialValueProblem) -> Option<Taylor<'a>> {
        let order = order(problem);
        let (kernel, pivoted) = motion.field_for(problem);
        let jet = motion.jet(order, pivoted)?;
        let n = motion.n_states();
        let fixed = problem.fixed.then_some(problem.step).flatten();
        Some(Taylor {
            motion,
            caller: jet.caller(),
            field: Field::new(&kernel, &problem.parameters),
            parameters: &problem.parameters,
            n,
            order,
            fused: !motion.options().portable && simd::has_fma(),
            safety: libm::taylor_safety(order),
            inverses: [1.0 / (order - 1) as f64, 1.0 / order as f64],
            t: Compensated::new(problem.start),
            y: problem.state.clone(),
            rest: vec![0.0; n],
            coefficients: vec![0.0; n * (order + 1)],
            t_old: problem.start,
            h_old: 0.0,
            fixed,
            pivoted,
            watched: ends::may_be_passed(motion.field().kernel()),
            shortened: 0,
            tolerance: problem.tolerance.relative.max(f64::EPSILON),
            next_look: LONG_RUN,
            statistics: Statistics { order: order as u32, ..Statistics::default() },
        })
    }

    /// The coefficients at the current state. An error when the field has no value, or no series, here.
    #[cold]
    fn careful_coefficients(&mut self) -> Result<(), StopReason> {
        let time = [self.t.value];
        self.caller.call_carefully([&time, &self.y, self.parameters, self.field.modes()], &mut self.coefficients);
        if self.coefficients.iter().all(|c| c.is_finite()) {
            return Ok(());
        }
        let mut dy = vec![0.0; self.n];
        if !self.field.evaluate(self.t.value, &self.y, &mut dy) {
            let failure = self.field.take_failure();
            return Err(self.stuck(failure));
        }
        // The field is fine here: a linear system may need exchanges of rows.
        if !self.pivoted
            && let Some(jet) = self.motion.jet(self.order, true)
        {
            self.pivoted = true;
            self.next_look = self.statistics.steps.max(LONG_RUN);
            self.caller = jet.caller();
            let banks = [&time[..], &self.y, self.parameters, self.field.modes()];
            let accepted = self.caller.call_fast(banks, &mut self.coefficients);
            if accepted && self.coefficients.iter().all(|c| c.is_finite()) {
                return Ok(());
            }
            self.caller.call_carefully(banks, &mut self.coefficients);
            if self.coefficients.iter().all(|c| c.is_finite()) {
                return Ok(());
            }
        }
        Err(self.stuck(None))
    }

    /// |hλ| of the last step, with the largest rate λ of the field by the power method.
    pub(super) fn stiffness(&mut self) -> f64 {
        let n = self.n;
        let mut jacobian = vec![0.0; n * n];
        let banks = [&[self.t.value][..], &self.y, self.parameters, self.field.modes()];
        if self.motion.slopes(self.pivoted).caller().evaluate(banks, &mut jacobian).is_err() {
            return 0.0;
        }
        let mut x: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64) - 0.37).collect();
        let mut growth = 0.0;
        for turn in 0..TURNS {
            let mut image: Vec<f64> =
                jacobian.chunks_exact(n).map(|row| row.iter().zip(&x).map(|(a, b)| a * b).sum()).collect();
            let size = largest(&image);
            if !(size > 0.0 && size.is_finite()) {
                return 0.0;
            }
            image.iter_mut().for_each(|v| *v /= size);
            // A pair of complex eigenvalues turns the vector; the mean over several turns counts.
            if turn >= TURNS / 2 {
                growth += size.ln();
            }
            x = image;
        }
        (growth / f64::from(TURNS / 2)).exp() * self.h_old.abs()
    }

    /// Begins anew at another state.
    pub(super) fn begin_at(&mut self, problem: &InitialValueProblem) {
        self.y.copy_from_slice(&problem.state);
        self.rest.fill(0.0);
        self.t = Compensated::new(problem.start);
        (self.t_old, self.h_old) = (problem.start, 0.0);
    }

    fn stuck(&self, failure: Option<Failure>) -> StopReason {
        match failure.or_else(|| self.pole()) {
            Some(failure) => StopReason::SingularPoint { failure },
            None if self.y.iter().any(|y| y.abs() > 1e100) || self.runs_away() => StopReason::BlowUp,
            None => StopReason::StepTooSmall,
        }
    }

    /// The singularity just ahead, if there is one.
    fn pole(&self) -> Option<Failure> {
        let h = self.h_old;
        let slopes = &self.coefficients[self.n..2 * self.n];
        let beyond: Vec<f64> = self.y.iter().zip(slopes).map(|(y, f)| y + h * f).collect();
        let (now, then) = ([self.t.value], [self.t.value + h]);
        let (p, modes) = (self.parameters, self.field.modes());
        poles::ahead(self.motion.field().kernel(), [&now, &self.y, p, modes], [&then, &beyond, p, modes])
    }

    /// Whether the state would change by more than itself in the time of one rounding error.
    fn runs_away(&self) -> bool {
        let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let spacing = self.t.value.abs().max(f64::MIN_POSITIVE) * f64::EPSILON;
        let slopes = &self.coefficients[self.n..2 * self.n];
        self.statistics.steps > 0 && size(slopes) * spacing > 1e-3 * size(&self.y).max(1e-3)
    }

    /// The step size; not finite when the coefficients are not.
    #[inline(always)]
    fn step_size<const FUSED: bool>(&self) -> f64 {
        let (n, p) = (self.n, self.order);
        let norm = |k: usize| largest(&self.coefficients[k * n..(k + 1) * n]);
        let [size, second, last] = [largest(&self.y), norm(p - 1), norm(p)];
        let s = if size <= 1.0 { 0.0 } else { quick_log2::<FUSED>(size) };
        // log₂ of the radius of convergence; a vanishing coefficient says nothing.
        let radius = |norm: f64, inverse: f64| (s - quick_log2::<FUSED>(norm)) * inverse;
        let [over_second, over_last] = self.inverses;
        let rho = match (second > 0.0, last > 0.0) {
            (true, true) => {
                let (a, b) = (radius(second, over_second), radius(last, over_last));
                // Not `min`, which treats NaN as absent.
                if a < b { a } else { b }
            }
            (true, false) => radius(second, over_second),
            (false, true) => radius(last, over_last),
            (false, false) => return if (second + last).is_nan() { f64::NAN } else { f64::MAX },
        };
        quick_exp2::<FUSED>(rho) * self.safety
    }

    /// Whether the polynomial of the step obeys the field at this part of it.
    fn agrees(&mut self, h: f64) -> bool {
        let (n, p) = (self.n, self.order);
        let (mut state, mut slope) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let [delta] = polynomial::<false, 1>(&self.coefficients, n, p, i, h);
            state[i] = self.y[i] + delta;
            slope[i] = (1..=p).rev().fold(0.0, |sum, k| sum * h + k as f64 * self.coefficients[k * n + i]);
        }
        let mut there = vec![0.0; n];
        if !self.field.evaluate(self.t.value + h, &state, &mut there) {
            return false;
        }
        let apart = slope.iter().zip(&there).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        let size = largest(&self.y).max(1.0);
        apart * h.abs() <= APART * p as f64 * self.tolerance * size
    }

    /// The step along which the polynomial obeys a watched field, not longer than `h`.
    #[cold]
    fn obedient(&mut self, h: f64) -> Result<f64, StopReason> {
        let mut shorter = h;
        while !(self.agrees(shorter) && self.agrees(shorter / 2.0)) {
            self.statistics.rejected += 1;
            shorter /= 2.0;
            self.h_old = shorter;
            if self.fixed.is_some() || self.t.value + 0.1 * shorter == self.t.value {
                let failure = self.field.take_failure();
                return Err(self.stuck(failure));
            }
        }
        self.field.take_failure();
        self.shortened = if shorter == h { 0 } else { self.shortened + 1 };
        match self.shortened > MAX_SHORTENED {
            true => Err(self.stuck(None)),
            false => Ok(shorter),
        }
    }

    #[inline(always)]
    fn add_polynomial<const FUSED: bool>(&mut self, h: f64) {
        let (n, p) = (self.n, self.order);
        let mut i = 0;
        // Coefficients were stored in pairs a moment ago: longer loads would have to wait for two stores.
        while n <= SMALL && i + 2 <= n {
            let delta = polynomial::<FUSED, 2>(&self.coefficients, n, p, i, h);
            self.add(i, delta[0]);
            self.add(i + 1, delta[1]);
            i += 2;
        }
        while i + 4 <= n {
            let delta = polynomial::<FUSED, 4>(&self.coefficients, n, p, i, h);
            for l in 0..4 {
                self.add(i + l, delta[l]);
            }
            i += 4;
        }
        while i < n {
            let [delta] = polynomial::<FUSED, 1>(&self.coefficients, n, p, i, h);
            self.add(i, delta);
            i += 1;
        }
    }

    #[inline(always)]
    fn add(&mut self, i: usize, delta: f64) {
        let sum = Compensated { value: self.y[i], rest: self.rest[i] }.plus(delta);
        self.y[i] = sum.value;
        self.rest[i] = sum.rest;
    }

    #[inline(always)]
    fn step_inner<const FUSED: bool>(&mut self, limit: f64) -> Result<(), StopReason> {
        let time = [self.t.value];
        let banks = [&time[..], &self.y, self.parameters, self.field.modes()];
        let accepted = self.caller.call_fast(banks, &mut self.coefficients);
        self.field.count(1);
        let mut size = self.step_size::<FUSED>();
        if !accepted || !size.is_finite() {
            self.careful_coefficients()?;
            size = self.step_size::<FUSED>();
        }
        let remaining = limit - self.t.value;
        let h = self.fixed.unwrap_or(size);
        let (h, last) = if h >= remaining.abs() { (remaining, true) } else { (h.copysign(remaining), false) };
        if !last && self.t.value + 0.1 * h == self.t.value {
            return Err(self.stuck(None));
        }
        let (h, last) = match self.watched {
            true => {
                let obedient = self.obedient(h)?;
                (obedient, last && obedient == h)
            }
            false => (h, last),
        };
        self.t_old = self.t.value;
        self.h_old = h;
        self.add_polynomial::<FUSED>(h);
        self.t = if last { Compensated::new(limit) } else { self.t.plus(h) };
        self.statistics.accept(h);
        Ok(())
    }
}

/// Σ_{k=1}^p c_k hᵏ for L neighbouring states: four polynomials in h⁴, one for each remainder of the order, so that few
/// operations wait for each other.
#[inline(always)]
fn polynomial<const FUSED: bool, const L: usize>(c: &[f64], n: usize, p: usize, i: usize, h: f64) -> [f64; L] {
    let row = |k: usize| -> &[f64] { &c[k * n + i..k * n + i + L] };
    let (h2, h4) = (h * h, (h * h) * (h * h));
    // `part[r]` collects the orders k with k − 1 ≡ r (mod 4), from the top.
    let mut part = [[0.0; L]; 4];
    let mut k = (p - 1) / 4 * 4 + 1;
    for r in 0..4 {
        if k + r <= p {
            part[r].copy_from_slice(row(k + r));
        }
    }
    while k > 4 {
        k -= 4;
        for r in 0..4 {
            let a = row(k + r);
            for l in 0..L {
                part[r][l] = madd::<FUSED>(part[r][l], h4, a[l]);
            }
        }
    }
    let mut delta = [0.0; L];
    for l in 0..L {
        let (low, high) = (madd::<FUSED>(part[1][l], h, part[0][l]), madd::<FUSED>(part[3][l], h, part[2][l]));
        delta[l] = madd::<FUSED>(high, h2, low) * h;
    }
    delta
}

#[inline(always)]
fn madd<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// max |x|, NaN if there is one.
#[inline(always)]
fn largest(xs: &[f64]) -> f64 {
    if xs.len() <= SMALL {
        // The sum of 0 x is NaN when an x is, or is infinite.
        let (mut m, mut zero) = ([0.0f64; 2], [0.0; 2]);
        for pair in xs.chunks(2) {
            for (l, x) in pair.iter().enumerate() {
                zero[l] += 0.0 * x;
                m[l] = if m[l] >= x.abs() { m[l] } else { x.abs() };
            }
        }
        let m = if m[0] >= m[1] { m[0] } else { m[1] };
        return if zero[0] + zero[1] == 0.0 { m } else { f64::NAN };
    }
    let mut m = [0.0f64; 4];
    let mut chunks = xs.chunks_exact(4);
    for chunk in &mut chunks {
        for l in 0..4 {
            let x = chunk[l].abs();
            m[l] = if m[l] >= x { m[l] } else { x };
        }
    }
    let mut all = 0.0;
    for x in chunks.remainder().iter().map(|x| x.abs()).chain(m) {
        if !(all >= x) {
            all = x;
        }
        if all.is_nan() {
            return all;
        }
    }
    all
}

impl Stepper for Taylor<'_> {
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
        if self.statistics.steps >= self.next_look {
            let again = self.caller.translate();
            self.next_look = if again { self.statistics.steps + LOOK_AGAIN } else { u64::MAX };
        }
        if self.fused { simd::fused(Step { method: self, limit }) } else { self.step_inner::<false>(limit) }
    }

    fn advance(&mut self, limit: f64, until: f64, most: u64) -> Result<(), StopReason> {
        let remaining = limit - self.t.value;
        if self.fixed.is_none() && !self.watched && remaining != 0.0 {
            let run = [limit, 1f64.copysign(remaining), until];
            let (n, p) = (self.n, self.order);
            let carried = Steps {
                run,
                parameters: self.parameters,
                modes: self.field.modes(),
                y: &mut self.y,
                rest: &mut self.rest,
                t: [self.t.value, self.t.rest],
                last: [self.t_old, self.h_old],
                extremes: [f64::INFINITY, 0.0],
            };
            let made = self.caller.steps(carried, most, &mut self.coefficients[..n * (p + 1)]);
            if let Some((steps, after)) = made
                && steps > 0
            {
                let extremes = after.extremes;
                self.t = Compensated { value: after.t[0], rest: after.t[1] };
                [self.t_old, self.h_old] = after.last;
                self.field.count(steps);
                self.statistics.accept_many(steps, extremes);
                return Ok(());
            }
        }
        self.step(limit)
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        let h = t - self.t_old;
        for (i, slot) in out.iter_mut().enumerate() {
            let [delta] = polynomial::<false, 1>(&self.coefficients, self.n, self.order, i, h);
            *slot = self.coefficients[i] + delta;
        }
    }

    fn cut(&mut self, t: f64) {
        let mut state = vec![0.0; self.n];
        self.interpolate(t, &mut state);
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
    }

    fn segment(&mut self) -> Segment {
        let mut coefficients = self.coefficients.clone();
        let mut power = 1.0;
        for row in coefficients.chunks_exact_mut(self.n.max(1)) {
            row.iter_mut().for_each(|c| *c *= power);
            power *= self.h_old;
        }
        Segment { start: self.t_old, step: self.h_old, form: Form::Powers, coefficients }
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_of_every_order() {
        for p in 2..9 {
            let c: Vec<f64> = (0..=p).map(|k| 1.0 + k as f64).collect();
            let h = 0.3f64;
            let expected: f64 = (1..=p).map(|k| (1.0 + k as f64) * h.powi(k as i32)).sum();
            let [delta] = polynomial::<true, 1>(&c, 1, p, 0, h);
            assert!((delta - expected).abs() < 1e-14, "order {p}");
        }
    }

    #[test]
    fn norms_notice_nan() {
        assert_eq!(largest(&[1.0, -3.0, 2.0, 0.5, 2.5]), 3.0);
        assert!(largest(&[1.0, f64::NAN, 2.0, 0.5, 2.5]).is_nan());
        assert!(largest(&[f64::NAN]).is_nan());
        assert!(largest(&[1.0, 2.0, 0.5, 2.5, f64::NAN]).is_nan());
    }
}
