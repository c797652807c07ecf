//! Backward differentiation of variable order 1 to 5 and variable step, for stiff equations that are large or run under loose
//! tolerances: one system of n equations per step.
//!
//! The formulas are the numerical differentiation formulas of Shampine and Reichelt, *The MATLAB ODE suite*, SIAM J. Sci.
//! Comput. 18 (1997), in backward differences D⁰ = y, D¹ = ∇y, …, of steps that are taken as equal:
//!
//! ```text
//! γₖ = Σ_{j≤k} 1/j,   αₖ = (1 − κₖ) γₖ,   yₚ = Σ_{j≤k} Dʲ,   ψ = Σ_{1≤j≤k} γⱼ Dʲ/αₖ
//! d = (h/αₖ) f(t + h, yₚ + d) − ψ,   y = yₚ + d,   err = (κₖ γₖ + 1/(k+1)) d
//! ```
//!
//! When the step changes by a factor, the differences are those of the same polynomial on the new grid, D ← (R U)ᵀ D. The
//! order that allows the longest next step is taken, once steps have been equal for as long as the order is.

use crate::codegen::compiled::CompiledKernel;
use crate::codegen::interpret::Failure;

use super::control::{self, Compensated, StopReason};
use super::field::Field;
use super::lu::Lu;
use super::newton::Unsolved;
use super::poles;
use super::problem::{InitialValueProblem, Motion};
use super::slopes::Slopes;
use super::stepper::{self, Form, Segment, Statistics, Stepper};

const MOST_ORDER: usize = 5;
const KAPPA: [f64; MOST_ORDER + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];
/// Corrections of Newton's method.
const CORRECTIONS: u32 = 4;
/// The step changes by these factors at most.
const LEAST: f64 = 0.2;
const MOST: f64 = 10.0;
const MAX_TRIALS: usize = 2000;

fn gamma(k: usize) -> f64 {
    (1..=k).map(|j| 1.0 / j as f64).sum()
}

fn alpha(k: usize) -> f64 {
    (1.0 - KAPPA[k]) * gamma(k)
}

/// The error of order k is this times d.
fn error_constant(k: usize) -> f64 {
    KAPPA[k] * gamma(k) + 1.0 / (k as f64 + 1.0)
}

/// The method at work.
pub struct Bdf {
    kernel: CompiledKernel,
    field: Field,
    slopes: Slopes,
    n: usize,
    absolute: Vec<f64>,
    relative: f64,
    given_step: Option<f64>,
    enough: f64,
    order: usize,
    h: f64,
    t: f64,
    /// Dʲ, one after the other; D⁰ is the state.
    differences: Vec<f64>,
    /// Steps since the last change of step or order.
    equal: usize,
    begun: bool,
    jacobian: Vec<f64>,
    jacobian_known: bool,
    lu: Lu<f64>,
    /// h/α for which `lu` was made; 0 when there is none.
    factored: f64,
    t_old: f64,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    d: Vec<f64>,
    y: Vec<f64>,
    slope: Vec<f64>,
    scale: Vec<f64>,
    statistics: Statistics,
}

impl Bdf {
    pub fn new(motion: &Motion, problem: &InitialValueProblem) -> Bdf {
        let (kernel, pivoted) = motion.field_for(problem);
        let n = motion.n_states();
        let relative = problem.tolerance.relative;
        let rounding = 10.0 * f64::EPSILON / relative.max(f64::MIN_POSITIVE);
        let zeros = vec![0.0; n];
        let mut differences = vec![0.0; n * (MOST_ORDER + 3)];
        differences[..n].copy_from_slice(&problem.state);
        Bdf {
            field: Field::new(&kernel, &problem.parameters),
            kernel,
            slopes: motion.slopes(pivoted).caller(),
            n,
            absolute: problem.tolerance.absolute_of_each(n),
            relative,
            given_step: problem.step,
            enough: rounding.max(relative.sqrt().min(0.03)),
            order: 1,
            h: 0.0,
            t: problem.start,
            differences,
            equal: 0,
            begun: false,
            jacobian: vec![0.0; n * n],
            jacobian_known: false,
            lu: Lu::new(n),
            factored: 0.0,
            t_old: problem.start,
            predicted: zeros.clone(),
            psi: zeros.clone(),
            d: zeros.clone(),
            y: problem.state.clone(),
            slope: zeros.clone(),
            scale: zeros,
            statistics: Statistics { order: MOST_ORDER as u32, ..Statistics::default() },
        }
    }

    fn begin(&mut self, limit: f64) -> Result<(), StopReason> {
        let n = self.n;
        let y = self.differences[..n].to_vec();
        if !self.field.evaluate(self.t, &y, &mut self.slope) {
            let failure = self.field.take_failure();
            return Err(self.stuck(failure, None));
        }
        let span = limit - self.t;
        let scale: Vec<f64> = (0..n).map(|i| self.absolute[i] + self.relative * y[i].abs()).collect();
        let (field, slope) = (&mut self.field, &self.slope);
        self.h = match self.given_step {
            Some(h) => h.copysign(span),
            // The error of one step of order 1 is of order 2.
            None => control::first_step(2, span, self.t, &y, slope, &scale, |t, y, dy| field.evaluate(t, y, dy)),
        };
        self.field.take_failure();
        self.differences[n..].fill(0.0);
        for l in 0..n {
            self.differences[n + l] = self.h * self.slope[l];
        }
        (self.order, self.equal, self.factored) = (1, 0, 0.0);
        self.jacobian_known = false;
        self.begun = true;
        Ok(())
    }

    /// The differences on a grid whose step is `factor` times as long.
    fn rescale(&mut self, factor: f64) {
        let (n, m) = (self.n, self.order + 1);
        let [r, u] = [grid_change(self.order, factor), grid_change(self.order, 1.0)];
        let ru = |i: usize, j: usize| (0..m).map(|k| r[i * m + k] * u[k * m + j]).sum::<f64>();
        let table: Vec<f64> = (0..m * m).map(|e| ru(e / m, e % m)).collect();
        for l in 0..n {
            let old: [f64; MOST_ORDER + 1] =
                std::array::from_fn(|k| if k < m { self.differences[k * n + l] } else { 0.0 });
            for j in 0..m {
                self.differences[j * n + l] = (0..m).map(|i| table[i * m + j] * old[i]).sum();
            }
        }
        self.h *= factor;
        self.equal = 0;
    }

    fn norm(&self, xs: impl Iterator<Item = f64>) -> f64 {
        let squares: f64 = xs.zip(&self.scale).map(|(x, s)| (x / s).powi(2)).sum();
        (squares / self.n as f64).sqrt()
    }

    /// Newton's method for d; the number of corrections, or `None`.
    fn solve(&mut self, t: f64, c: f64) -> Result<Option<u32>, Failure> {
        let n = self.n;
        self.d.fill(0.0);
        self.y.copy_from_slice(&self.predicted);
        let mut last = None;
        for correction in 1..=CORRECTIONS {
            let fast = self.field.evaluate_fast(t, &self.y, &mut self.slope);
            let fast = fast && self.slope.iter().all(|x| x.is_finite());
            if !fast
                && !self.field.evaluate(t, &self.y, &mut self.slope)
                && let Some(failure) = self.field.take_failure()
            {
                return Err(failure);
            }
            for l in 0..n {
                self.slope[l] = c * self.slope[l] - self.psi[l] - self.d[l];
            }
            self.lu.solve(&mut self.slope);
            let size = self.norm(self.slope.iter().copied());
            let rate = last.map(|last: f64| size / last);
            let left = (CORRECTIONS + 1 - correction) as i32;
            if !size.is_finite() || rate.is_some_and(|r| r >= 1.0 || r.powi(left) / (1.0 - r) * size > self.enough) {
                return Ok(None);
            }
            for l in 0..n {
                self.y[l] += self.slope[l];
                self.d[l] += self.slope[l];
            }
            if size == 0.0 || rate.is_some_and(|r| r / (1.0 - r) * size < self.enough) {
                return Ok(Some(correction));
            }
            last = Some(size);
        }
        Ok(None)
    }

    /// 1 − (h/α) J, factorised; with J at the predicted state when it is not known.
    fn factorise(&mut self, t: f64, c: f64) -> Result<(), Unsolved> {
        if !self.jacobian_known {
            let banks = [&[t][..], &self.predicted, self.field.parameters(), self.field.modes()];
            self.slopes.evaluate(banks, &mut self.jacobian).map_err(Unsolved::NoValue)?;
            self.jacobian_known = true;
        }
        self.lu.matrix.iter_mut().zip(&self.jacobian).for_each(|(m, j)| *m = -c * j);
        (0..self.n).for_each(|i| self.lu.matrix[i * self.n + i] += 1.0);
        self.factored = 0.0;
        self.lu.factorise().map_err(Unsolved::Singular)?;
        self.factored = c;
        Ok(())
    }

    fn stuck(&mut self, failure: Option<Failure>, unsolved: Option<(f64, Unsolved)>) -> StopReason {
        let y = &self.differences[..self.n];
        let known = self.field.evaluate(self.t, y, &mut self.slope);
        self.field.take_failure();
        let rest = [self.field.parameters(), self.field.modes()];
        let place = (self.t, self.t - self.t_old);
        let pole = || poles::beside(self.kernel.kernel(), place, y, &self.slope, rest);
        let failure = failure.or_else(|| if known { pole() } else { None });
        match (failure, unsolved) {
            (Some(failure), _) | (None, Some((_, Unsolved::NoValue(failure)))) => StopReason::SingularPoint { failure },
            _ if y.iter().any(|y| y.abs() > 1e100) => StopReason::BlowUp,
            (None, Some((step, unsolved))) => StopReason::Unsolved { step: step.abs(), unsolved },
            (None, None) => StopReason::StepTooSmall,
        }
    }

    /// Order and step of what follows.
    fn choose(&mut self, error: f64, safety: f64) {
        let (n, k) = (self.n, self.order);
        let of = |place: usize, order: usize| {
            let constant = error_constant(order);
            self.norm(self.differences[place * n..(place + 1) * n].iter().map(|d| constant * d))
        };
        let lower = if k > 1 { of(k, k - 1) } else { f64::INFINITY };
        let higher = if k < MOST_ORDER { of(k + 2, k + 1) } else { f64::INFINITY };
        let factor = |error: f64, order: usize| error.max(1e-20).powf(-1.0 / (order as f64 + 1.0));
        let choices = [(factor(error, k), k), (factor(lower, k - 1), k - 1), (factor(higher, k + 1), k + 1)];
        let (best, order) = choices.into_iter().fold((0.0, k), |best, c| if c.0 > best.0 { c } else { best });
        self.order = order.clamp(1, MOST_ORDER);
        self.rescale((safety * best).min(MOST));
        self.factored = 0.0;
    }
}

/// The matrix R of a change of grid: products of (i − 1 − `factor` j)/i over rows.
fn grid_change(order: usize, factor: f64) -> Vec<f64> {
    let m = order + 1;
    let mut r = vec![0.0; m * m];
    r[..m].fill(1.0);
    for i in 1..m {
        for j in 1..m {
            r[i * m + j] = r[(i - 1) * m + j] * ((i as f64 - 1.0 - factor * j as f64) / i as f64);
        }
    }
    r
}

impl Stepper for Bdf {
    fn time(&self) -> f64 {
        self.t
    }

    fn state(&self) -> &[f64] {
        &self.differences[..self.n]
    }

    fn previous_time(&self) -> f64 {
        self.t_old
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        if !self.begun {
            self.begin(limit)?;
        }
        let n = self.n;
        let (mut failure, mut unsolved) = (None, None);
        // Whether J belongs to this step.
        let mut here = !self.jacobian_known;
        for _ in 0..MAX_TRIALS {
            let remaining = limit - self.t;
            let mut last = self.h.abs() >= remaining.abs();
            if last && self.h != remaining {
                self.rescale(remaining / self.h);
                self.h = remaining;
            } else if !last && (1.01 * self.h).abs() >= remaining.abs() {
                // A little more than half of what is left, rather than a tiny step at the end.
                last = false;
                self.rescale(0.505);
            }
            if self.t + 0.1 * self.h == self.t && !last {
                return Err(self.stuck(failure, unsolved));
            }
            let (h, k) = (self.h, self.order);
            let t = if last { limit } else { self.t + h };
            for l in 0..n {
                let difference = |j: usize| self.differences[j * n + l];
                self.predicted[l] = (0..=k).map(difference).sum();
                self.psi[l] = (1..=k).map(|j| gamma(j) * difference(j)).sum::<f64>() / alpha(k);
                self.scale[l] = self.absolute[l] + self.relative * self.predicted[l].abs();
            }
            let c = h / alpha(k);
            let mut made = if self.factored == c { Ok(()) } else { self.factorise(t, c) };
            let mut solved = None;
            while made.is_ok() {
                match self.solve(t, c) {
                    Ok(found) => solved = found,
                    Err(found) => failure = Some(found),
                }
                if solved.is_some() || here {
                    break;
                }
                // An old Jacobian matrix may be all that is wrong.
                (self.jacobian_known, here) = (false, true);
                made = self.factorise(t, c);
            }
            if let Err(found) = made {
                unsolved = Some((h, found));
                self.factored = 0.0;
            }
            let Some(corrections) = solved else {
                unsolved.get_or_insert((h, Unsolved::NotConverging));
                self.statistics.rejected += 1;
                self.rescale(0.5);
                continue;
            };
            let twice = 2.0 * f64::from(CORRECTIONS);
            let safety = 0.9 * (twice + 1.0) / (twice + f64::from(corrections));
            for l in 0..n {
                self.scale[l] = self.absolute[l] + self.relative * self.y[l].abs();
            }
            let constant = error_constant(k);
            let error = self.norm(self.d.iter().map(|d| constant * d));
            if !(error <= 1.0) {
                self.statistics.rejected += 1;
                let factor = (safety * error.powf(-1.0 / (k as f64 + 1.0))).max(LEAST);
                self.rescale(if factor.is_finite() { factor.min(0.9) } else { LEAST });
                continue;
            }
            self.t_old = self.t;
            self.t = t;
            self.equal += 1;
            for l in 0..n {
                let d = self.d[l];
                self.differences[(k + 2) * n + l] = d - self.differences[(k + 1) * n + l];
                self.differences[(k + 1) * n + l] = d;
                for j in (0..=k).rev() {
                    self.differences[j * n + l] += self.differences[(j + 1) * n + l];
                }
            }
            self.statistics.accept(h);
            if self.equal > k {
                self.choose(error, safety);
            }
            // What was kept is old from here on.
            return Ok(());
        }
        Err(self.stuck(failure, unsolved))
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        let n = self.n;
        out.copy_from_slice(&self.differences[..n]);
        let mut product = 1.0;
        for k in 0..self.order {
            product *= (t - (self.t - self.h * k as f64)) / (self.h * (k + 1) as f64);
            for l in 0..n {
                out[l] += product * self.differences[(k + 1) * n + l];
            }
        }
    }

    fn cut(&mut self, t: f64) {
        let mut state = vec![0.0; self.n];
        self.interpolate(t, &mut state);
        self.differences[..self.n].copy_from_slice(&state);
        self.t = Compensated::new(t).value;
        self.begun = false;
    }

    fn replace(&mut self, state: &[f64]) {
        self.differences[..self.n].copy_from_slice(state);
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.begun = false;
    }

    fn segment(&mut self) -> Segment {
        let (start, step, n, degree) = (self.t_old, self.t - self.t_old, self.n, self.order);
        let coefficients = stepper::chebyshev(n, degree, |theta, out| self.interpolate(start + theta * step, out));
        Segment { start, step, form: Form::Chebyshev, coefficients }
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of t³ on the grid 0, −1, −2, … become those on the grid 0, −2, −4, …: ∇y = 0 − (−8), and so on.
    #[test]
    fn differences_follow_the_grid() {
        let order = 3;
        let differences = |step: f64| -> Vec<f64> {
            let mut values: Vec<f64> = (0..=order).map(|k| (-step * k as f64).powi(3)).collect();
            let mut out = vec![];
            while !values.is_empty() {
                out.push(values[0]);
                values = values.windows(2).map(|w| w[0] - w[1]).collect();
            }
            out
        };
        let (old, new) = (differences(1.0), differences(2.0));
        let m = order + 1;
        let [r, u] = [grid_change(order, 2.0), grid_change(order, 1.0)];
        for j in 0..m {
            let found: f64 = (0..m).map(|i| (0..m).map(|k| r[i * m + k] * u[k * m + j]).sum::<f64>() * old[i]).sum();
            assert!((found - new[j]).abs() < 1e-12, "{j}: {found} and {}", new[j]);
        }
    }
}
