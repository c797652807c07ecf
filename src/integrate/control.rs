//! Tolerances, error norms, step sizes, and the reasons for which a run stops.
//!
//! A tolerance τ is relative and absolute at once. The error e of a step counts as
//!
//! ```text
//! ‖e‖ = sqrt( 1/n Σᵢ (eᵢ / (τ_abs sᵢ + τ_rel max(|yᵢ|, |yᵢ′|)))² ) ,      accepted when ‖e‖ ≤ 1,
//! ```
//!
//! with y before and y′ after the step and scales sᵢ, 1 unless given. The step size follows Hairer, Nørsett and
//! Wanner, *Solving Ordinary Differential Equations I*, §II.4, the first one their algorithm (4.14).

use crate::budget::Exhausted;
use crate::codegen::interpret::Failure;

use super::newton::Unsolved;

/// How accurate each step has to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
    /// One per state; empty means 1 for all.
    pub scales: Vec<f64>,
}

/// The tolerance of a run that does not state one.
pub const DEFAULT_TOLERANCE: f64 = 1e-10;

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance::both(DEFAULT_TOLERANCE)
    }
}

impl Tolerance {
    pub fn both(tau: f64) -> Tolerance {
        Tolerance { relative: tau, absolute: tau, scales: Vec::new() }
    }

    /// The absolute tolerance of every state.
    pub fn absolute_of_each(&self, n: usize) -> Vec<f64> {
        (0..n).map(|i| self.absolute * self.scales.get(i).copied().unwrap_or(1.0)).collect()
    }

    /// Whether both numbers are positive and below 1, and every scale is positive.
    pub fn is_valid(&self) -> bool {
        let good = |x: f64| x > 0.0 && x < 1.0;
        let absolute_alone = self.relative == 0.0 && self.absolute > 0.0;
        (good(self.relative) && self.absolute >= 0.0 && self.absolute.is_finite() || absolute_alone)
            && self.scales.iter().all(|s| *s > 0.0 && s.is_finite())
    }
}

/// Why a run stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    /// The end was reached.
    Reached,
    /// An event that stops the run.
    Event { name: String },
    /// Ctrl-C. What was computed is kept.
    Interrupted,
    /// The vector field has no value here, or none just beyond; the failure names the expression.
    SingularPoint { failure: Failure },
    /// The state grows beyond all bounds in finite time.
    BlowUp,
    /// The accuracy asked for needs steps below the spacing of numbers.
    StepTooSmall,
    /// Time does not advance any more: step after step ends where it began, as where decisions change back and forth.
    Stalled,
    /// The state drifted off the set on which the motion is determined, and could not be brought back.
    LeftSurface { expression: String, value: f64 },
    /// The equations of that set are not independent any more.
    LostRank { equations: String },
    /// The equations of an implicit step were not solved.
    Unsolved { step: f64, unsolved: Unsolved },
    /// Steps, time or memory of the run are used up.
    Budget { what: String },
}

impl StopReason {
    pub fn is_complete(&self) -> bool {
        matches!(self, StopReason::Reached | StopReason::Event { .. })
    }

    /// One word, for files.
    pub fn name(&self) -> &'static str {
        match self {
            StopReason::Reached => "reached",
            StopReason::Event { .. } => "event",
            StopReason::Interrupted => "interrupted",
            StopReason::SingularPoint { .. } => "singular point",
            StopReason::BlowUp => "blow-up",
            StopReason::StepTooSmall => "step too small",
            StopReason::Stalled => "stalled",
            StopReason::LeftSurface { .. } => "left its set",
            StopReason::LostRank { .. } => "lost rank",
            StopReason::Unsolved { .. } => "step not solved",
            StopReason::Budget { .. } => "budget",
        }
    }
}

impl From<Exhausted> for StopReason {
    fn from(exhausted: Exhausted) -> StopReason {
        match exhausted {
            Exhausted::Interrupted => StopReason::Interrupted,
            other => StopReason::Budget { what: other.to_string() },
        }
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            StopReason::Reached => write!(f, "the end was reached"),
            StopReason::Event { name } => write!(f, "stopped by {name}"),
            StopReason::Interrupted => write!(f, "interrupted"),
            StopReason::SingularPoint { failure } => write!(f, "singular point: {failure}"),
            StopReason::BlowUp => write!(f, "the motion escapes to infinity in finite time"),
            StopReason::StepTooSmall => write!(f, "the tolerance needs steps below the spacing of numbers"),
            StopReason::Stalled => write!(f, "time does not advance any more: step after step ends where it began"),
            StopReason::LeftSurface { expression, value } => {
                write!(
                    f,
                    "the motion left the set on which it is determined: {expression} = {value:e} is not 0 any more"
                )
            }
            StopReason::LostRank { equations } => {
                write!(
                    f,
                    "the constraints lose rank here: the differentials of {equations} are not independent any more"
                )
            }
            StopReason::Unsolved { step, unsolved } => {
                write!(f, "the equations of a step of length {step} were not solved: {unsolved}")
            }
            StopReason::Budget { what } => write!(f, "{what}"),
        }
    }
}

/// How the next step size follows from the error of the last step.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// 1/(order of the error estimate + 1), less what the integral part takes; 1/8 without an integral part.
    exponent: f64,
    /// Weight of the previous error (PI control); 0 is the classical rule.
    beta: f64,
    safety: f64,
    /// The step may shrink and grow by these factors.
    least: f64,
    most: f64,
    previous: f64,
    rejected: bool,
}

impl Controller {
    /// The constants of `dop853.f`.
    pub const fn dop853() -> Controller {
        Controller { exponent: 0.125, beta: 0.0, safety: 0.9, least: 0.333, most: 6.0, previous: 1e-4, rejected: false }
    }

    /// The constants of `dopri5.f`, which has the same orders as tsit5.
    pub const fn order5() -> Controller {
        let beta = 0.04;
        Controller {
            exponent: 0.2 - 0.75 * beta,
            beta,
            safety: 0.9,
            least: 0.2,
            most: 10.0,
            previous: 1e-4,
            rejected: false,
        }
    }

    /// The factor by which the step size changes, given the square of the scaled error. The step is accepted when that is
    /// ≤ 1. The next step waits for this number, which needs few digits.
    #[inline(always)]
    pub fn factor(&mut self, square: f64) -> f64 {
        let raw = if square < f64::MIN_POSITIVE {
            self.most
        } else if self.beta == 0.0 {
            self.safety * inverse_sixteenth_root(square)
        } else {
            self.safety * self.previous.powf(self.beta) / square.sqrt().powf(self.exponent)
        };
        if square <= 1.0 {
            if self.beta != 0.0 {
                self.previous = square.sqrt().max(1e-4);
            }
            let most = if self.rejected { 1.0 } else { self.most };
            self.rejected = false;
            raw.clamp(self.least, most)
        } else {
            self.rejected = true;
            raw.clamp(self.least, 1.0)
        }
    }

    pub fn reset(&mut self) {
        self.previous = 1e-4;
        self.rejected = false;
    }
}

/// The first step size of a method whose error is of this order: Hairer–Nørsett–Wanner, §II.4, algorithm (4.14). `f` is the slope
/// at (t, y), `scale` the error that is allowed in each state, `span` what lies ahead; `evaluate` gives slopes elsewhere.
pub fn first_step(
    order: u32,
    span: f64,
    t: f64,
    y: &[f64],
    f: &[f64],
    scale: &[f64],
    mut evaluate: impl FnMut(f64, &[f64], &mut [f64]) -> bool,
) -> f64 {
    let n = y.len();
    let norm = |x: &dyn Fn(usize) -> f64| ((0..n).map(|i| x(i).powi(2)).sum::<f64>() / n.max(1) as f64).sqrt();
    let d0 = norm(&|i| y[i] / scale[i]);
    let d1 = norm(&|i| f[i] / scale[i]);
    let mut h0 = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
    h0 = h0.min(span.abs()).copysign(span);
    let beyond: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + h0 * f).collect();
    let mut slope = vec![0.0; n];
    if !evaluate(t + h0, &beyond, &mut slope) {
        return h0;
    }
    let d2 = norm(&|i| (slope[i] - f[i]) / scale[i]) / h0.abs();
    let largest = d1.max(d2);
    let h1 = if largest <= 1e-15 { (h0.abs() * 1e-3).max(1e-6) } else { (0.01 / largest).powf(1.0 / f64::from(order)) };
    // Where a state passes 0 its size says nothing about the step; it must be seen beside the time.
    let least = 1e3 * f64::EPSILON * t.abs();
    (100.0 * h0.abs()).min(h1).max(least).min(span.abs()).copysign(span)
}

/// The square of the scaled error of dop853 from its two sums of squares, of n components (Hairer's `dop853.f`):
///
/// ```text
/// err = |h| e₅ / sqrt(n (e₅ + e₃/100)).
/// ```
#[inline(always)]
pub fn five_and_three(h: f64, [five, three]: [f64; 2], n: f64) -> f64 {
    let denominator = (five + 0.01 * three) * n;
    let numerator = h * five;
    if denominator == 0.0 { 0.0 } else { numerator * (numerator / denominator) }
}

/// x^{−1/16} to 10⁻³, for normal x > 0. The logarithm of a number is nearly linear in its bits, which gives y with
/// 0.64 < p = x y¹⁶ < 1.68; then y p^{−1/16}, the power by a parabola through three Chebyshev points. Without fused operations,
/// so that it is the same everywhere.
#[inline(always)]
fn inverse_sixteenth_root(x: f64) -> f64 {
    // 17/16 of the bits of 1, less 0.045 of an exponent, which centres p.
    const OFFSET: u64 = 0x43ee_47ae_0000_0000;
    let y = f64::from_bits(OFFSET - (x.to_bits() >> 4));
    let y2 = y * y;
    let y4 = y2 * y2;
    let y8 = y4 * y4;
    let p = (x * y8) * y8;
    y * ((0.026773 * p - 0.118708) * p + 1.092431)
}

/// A number and the rounding error of the additions that made it (Kahan; Knuth's two-sum, so that order of
/// magnitude does not matter).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Compensated {
    pub value: f64,
    pub rest: f64,
}

impl Compensated {
    pub fn new(value: f64) -> Compensated {
        Compensated { value, rest: 0.0 }
    }

    #[inline(always)]
    pub fn plus(self, x: f64) -> Compensated {
        let x = x + self.rest;
        let value = self.value + x;
        let back = value - self.value;
        let rest = (self.value - (value - back)) + (x - back);
        Compensated { value, rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compensated_sums_keep_what_is_lost() {
        let mut sum = Compensated::new(1.0);
        for _ in 0..1_000_000 {
            sum = sum.plus(1e-17);
        }
        assert!((sum.value - (1.0 + 1e-11)).abs() < 1e-15, "{sum:?}");
    }

    #[test]
    fn steps_shrink_on_failure_and_do_not_grow_right_after() {
        for mut c in [Controller::dop853(), Controller::order5()] {
            assert_eq!(c.factor(0.0), c.most);
            assert_eq!(c.factor(1e40), c.least);
            assert!(c.factor(1e-18) <= 1.0);
            assert!(c.factor(1e-18) > 1.0);
        }
    }

    #[test]
    fn roots_for_step_sizes_have_three_digits() {
        let mut worst = 0.0f64;
        for i in 0..20_000 {
            let x = (f64::from(i - 10_000) * 0.0637).exp2();
            worst = worst.max((inverse_sixteenth_root(x) / x.powf(-0.0625) - 1.0).abs());
        }
        assert!(worst < 1e-3, "{worst}");
    }

    /// Against the formula with roots, also where a square would overflow.
    #[test]
    fn squared_errors_are_squares() {
        for (h, sums) in [(0.1, [1e-3, 2.0]), (-2.0, [1e160, 1e150]), (1e-3, [0.0, 1.0])] {
            let error = f64::abs(h) * sums[0] / (4.0 * (sums[0] + 0.01 * sums[1])).sqrt();
            assert!((five_and_three(h, sums, 4.0).sqrt() - error).abs() <= 1e-15 * error);
        }
        assert_eq!(five_and_three(1.0, [0.0, 0.0], 4.0), 0.0);
    }

    #[test]
    fn tolerances_are_checked() {
        assert!(Tolerance::default().is_valid());
        assert!(!Tolerance::both(0.0).is_valid());
        assert!(!Tolerance::both(-1e-6).is_valid());
        assert!(!Tolerance::both(f64::NAN).is_valid());
        assert!(Tolerance { relative: 0.0, absolute: 1e-6, scales: vec![] }.is_valid());
        assert!(!Tolerance { relative: 1e-6, absolute: 1e-6, scales: vec![0.0] }.is_valid());
    }
}
