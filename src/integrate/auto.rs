//! `auto`: which method a run takes, when it changes it, and why.
//!
//! A run begins with an explicit method or a series, whichever suits tolerance, size and length. Where the equations are
//! stiff such a method works at the edge of its stability: the length of its steps is decided not by the error but by the fastest
//! rate λ of the field, however still the motion is. The explicit methods notice it without further work (Hairer and Wanner, *Solving
//! Ordinary Differential Equations II*, §IV.2, and their `dop853.f`): the last stage and the new point have the same time,
//! and
//!
//! ```text
//! |hλ| ≈ |h| ‖f(Y) − f(y)‖/‖Y − y‖
//! ```
//!
//! is far greater than what the motion does in that step. A series computes λ from the Jacobian matrix, rarely.
//!
//! Short steps may be the better choice all the same: one of Radau IIA costs as much as many of them. It pays where it goes further in
//! the time T = h ‖y‖/‖Δy‖ in which the state changes by its own size, of which it can be expected to go over a quarter:
//!
//! ```text
//! price of a step of Radau's/price of a step < T/(4 h),
//! ```
//!
//! prices being operations, which are counted and not timed. Then Radau's method takes over at the state that was reached. When its
//! steps turn out to be the more expensive ones, or are short beside all rates for a long time, the method of the
//! beginning does again. The trajectory says which, where and why.

use super::control::StopReason;
use super::explicit::Explicit;
use super::method::{Family, Method, Suits, Written};
use super::problem::{InitialValueProblem, Motion};
use super::radau::{self, Radau};
use super::stepper::{Segment, Statistics, Stepper};
use super::tableau::Tableau;
use super::taylor::Taylor;

/// The method, and why, when the choice was left to us.
///
/// A Taylor step costs the compilation of its series once, and then little; it is the most accurate method for tight
/// tolerances, and the cheapest for long runs of fields that are not too large. What counts as long is estimated from the
/// shortest time in which the state changes by its own size.
pub fn choose(motion: &Motion, problem: &InitialValueProblem) -> (Method, Option<String>) {
    let Family::Choice = problem.method.row().family else { return (problem.method, None) };
    let because = |suits: Suits, why: &str| {
        let method = Method::suiting(suits).unwrap_or(Method::DOP853);
        (method, Some(format!("{method}, because {why}")))
    };
    let tolerance = tolerance(problem);
    let operations = motion.field().executed().n_operations();
    if problem.fixed {
        because(Suits::Moderate, "the step is fixed")
    } else if tolerance > 3e-6 {
        because(Suits::Loose, "the tolerance is loose")
    } else if tolerance <= 1e-11 && operations <= LARGE_FIELD {
        because(Suits::Tight, "the tolerance is tight")
    } else if tolerance <= 1e-11 {
        because(Suits::Moderate, "the field is too large for a series")
    } else if operations <= SMALL_FIELD && n_changes(motion, problem) > LONG_RUN {
        because(Suits::Tight, "the run is long and the field is small")
    } else {
        because(Suits::Moderate, "the tolerance is moderate")
    }
}

/// Operations of a field up to which its series are compiled for a long run, and for any run.
const SMALL_FIELD: usize = 200;
const LARGE_FIELD: usize = 3000;
/// Changes of the state by its own size that make a run long.
const LONG_RUN: f64 = 200.0;

fn tolerance(problem: &InitialValueProblem) -> f64 {
    if problem.tolerance.relative > 0.0 { problem.tolerance.relative } else { problem.tolerance.absolute }
}

/// How often the state changes by its own size during the run, judged at its beginning.
fn n_changes(motion: &Motion, problem: &InitialValueProblem) -> f64 {
    let Ok(slope) = motion.first_derivative(problem) else { return 0.0 };
    let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    (problem.end - problem.start).abs() * size(&slope) / size(&problem.state).max(f64::MIN_POSITIVE)
}

/// The method for stiff equations that suits a tolerance.
fn stiff_method(problem: &InitialValueProblem) -> Method {
    let order = match tolerance(problem) {
        tau if tau > 1e-5 => 5,
        tau if tau > 1e-9 => 9,
        _ => 13,
    };
    Method::written(Method::RADAU.name(), &[Written::Number(order)]).unwrap_or(Method::RADAU)
}

/// Steps between two looks at the stiffness of an explicit method, and of a series, whose look costs a Jacobian matrix.
const LOOK: u64 = 8;
const LOOK_OF_SERIES: u64 = 400;
/// Steps of a series before the first look.
pub(super) const FIRST_LOOK_AT_SERIES: u64 = 5 * LOOK_OF_SERIES;
/// Looks in succession that have to agree.
const SIGNS: u32 = 5;
/// Steps of Radau, in succession, that an explicit method could have made.
const EASY: u32 = 60;
/// Beyond this part of the reach a method works at the edge.
const EDGE: f64 = 0.85;
/// Where the stiffness shortens the steps before stability does, by its part in the error or in rounding: |hλ| that is felt, and how many
/// times less the field changes in a step.
const FELT: f64 = 0.3;
const STILL: f64 = 50.0;
/// The part of the time in which a state changes by its own size that a step of Radau's method goes over.
const REACH_OF_RADAU: f64 = 0.25;
/// Steps of Radau after which its work is compared with that of the method before it.
const TRIAL: u64 = 24;
/// After a trial that was lost so many times more steps are made before the next; at most.
const LONGER: u64 = 8;
const LONGEST: u64 = 512;
/// |hλ| of a series that is limited by stability. Without that it is about p/e³, less than 1.5.
const REACH_OF_SERIES: f64 = 3.5;
/// Changes of method in one run; a motion that needs more of them stays with the one for stiff equations when it comes to it.
const MOST_CHANGES: u32 = 20;
/// Rows of a Jacobian matrix beyond which factorising it costs more than small steps.
const LARGE: usize = 400;

/// A method that may change during the run.
pub struct Auto<'a> {
    motion: &'a Motion,
    problem: &'a InitialValueProblem,
    first: Method,
    active: Active<'a>,
    modes: Option<Vec<f64>>,
    next_look: u64,
    signs: u32,
    changes: u32,
    /// Time and work where the last signs began.
    mark: (f64, f64),
    /// Work of the method of the beginning for a unit of time, when it was given up.
    rate: f64,
    /// Looks that are left out after a trial that was lost.
    patience: u64,
    /// Of the methods before the present one.
    before: Statistics,
    note: String,
}

enum Active<'a> {
    Explicit(Box<Explicit<'a>>, f64),
    Series(Box<Taylor<'a>>),
    Stiff(Box<Radau>, Method),
}

/// Calls a method of the stepper at work.
macro_rules! active {
    ($auto:expr, $stepper:ident => $work:expr) => {
        match &mut $auto.active {
            Active::Explicit($stepper, _) => $work,
            Active::Series($stepper) => $work,
            Active::Stiff($stepper, _) => $work,
        }
    };
}

impl<'a> Auto<'a> {
    /// A run that begins with this method; `None` for one that is not watched.
    pub fn new(method: Method, why: &str, motion: &'a Motion, problem: &'a InitialValueProblem) -> Option<Auto<'a>> {
        let active = Auto::beginning(method, motion, problem)?;
        Some(Auto {
            motion,
            problem,
            first: method,
            active,
            modes: None,
            next_look: if matches!(method.row().family, Family::Series) { FIRST_LOOK_AT_SERIES } else { LOOK },
            signs: 0,
            changes: 0,
            mark: (problem.start, 0.0),
            rate: f64::INFINITY,
            patience: 1,
            before: Statistics::default(),
            note: why.to_string(),
        })
    }

    fn beginning(method: Method, motion: &'a Motion, problem: &'a InitialValueProblem) -> Option<Active<'a>> {
        match method.row().family {
            Family::Explicit(tableau) => {
                let explicit = Explicit::new(method, tableau, motion, problem);
                Some(Active::Explicit(Box::new(explicit), reach(tableau)))
            }
            Family::Series => Some(Active::Series(Box::new(Taylor::new(motion, problem)?))),
            // Kept for their structure, or for stiffness: nothing begins with them unasked.
            Family::Choice
            | Family::Splitting(_)
            | Family::Gauss
            | Family::Variational
            | Family::LieVariational
            | Family::LieGauss
            | Family::Radau
            | Family::Differentiation => None,
        }
    }

    /// The method at work, and all that was said about the choice.
    pub fn verdict(&self) -> (Method, String) {
        let method = match &self.active {
            Active::Stiff(_, method) => *method,
            _ => self.first,
        };
        (method, self.note.clone())
    }

    /// Looks whether the method still fits.
    fn look(&mut self) {
        let steps = active!(self, s => s.statistics().steps);
        let settled = self.changes >= MOST_CHANGES && matches!(self.active, Active::Stiff(..));
        if steps < self.next_look || settled || self.motion.n_states() > LARGE {
            return;
        }
        let (time, work) = (active!(self, s => s.time()), self.work());
        if self.signs == 0 && !matches!(self.active, Active::Stiff(..)) {
            self.mark = (time, work);
        }
        let stiff = stiff_method(self.problem);
        let (beyond, every, signs) = match &mut self.active {
            Active::Explicit(explicit, reach) => {
                let price = radau::price_of_step(stiff, self.motion) / explicit.price_of_step();
                (explicit.stiffness().is_some_and(|felt| is_beyond(*reach, price, felt)), LOOK, SIGNS)
            }
            Active::Series(taylor) => {
                let price = radau::price_of_step(stiff, self.motion) / taylor.price_of_step();
                let (rate, moved) = taylor.stiffness();
                (rate > REACH_OF_SERIES && pays(price, moved), LOOK_OF_SERIES, 2)
            }
            Active::Stiff(radau, _) => {
                if steps.is_multiple_of(TRIAL) {
                    let rate = (work - self.mark.1) / (time - self.mark.0).abs();
                    self.mark = (time, work);
                    if rate > self.rate {
                        self.patience = (self.patience * LONGER).min(LONGEST);
                        return self.change("short steps cost less here");
                    }
                }
                (radau.stiffness() < 0.5, 1, EASY)
            }
        };
        self.signs = if beyond { self.signs + 1 } else { 0 };
        // Less often when nothing was seen for a while.
        self.next_look = if self.signs == 0 { look_after(steps, every) } else { steps + every };
        if self.signs >= signs {
            self.change(match self.active {
                Active::Stiff(..) => "the equations are not stiff any more",
                _ => "the equations are stiff",
            });
        }
    }

    /// Operations of the present method so far, about.
    fn work(&self) -> f64 {
        match &self.active {
            Active::Explicit(s, _) => s.statistics().steps as f64 * s.price_of_step(),
            Active::Series(s) => s.statistics().steps as f64 * s.price_of_step(),
            Active::Stiff(s, _) => s.work(),
        }
    }

    /// Goes on from the present state with the other kind of method.
    fn change(&mut self, why: &str) {
        let (t, state) = active!(self, s => (s.time(), s.state().to_vec()));
        if t == self.problem.end {
            return;
        }
        let here = InitialValueProblem { start: t, state, step: None, ..self.problem.clone() };
        let statistics = active!(self, s => s.statistics());
        let (next, method) = match self.active {
            Active::Stiff(..) => {
                // The steps of the stepper that begins here are those of a run of its own.
                let problem: &'a InitialValueProblem = self.problem;
                let Some(mut next) = Auto::beginning(self.first, self.motion, problem) else { return };
                match &mut next {
                    Active::Explicit(s, _) => s.begin_at(&here),
                    Active::Series(s) => s.begin_at(&here),
                    Active::Stiff(..) => {}
                }
                (next, self.first)
            }
            _ => {
                let method = stiff_method(self.problem);
                let radau = Radau::new(method, self.motion, &here);
                self.rate = (self.work() - self.mark.1) / (t - self.mark.0).abs();
                (Active::Stiff(Box::new(radau), method), method)
            }
        };
        self.before = statistics.after(self.before);
        self.active = next;
        if let Some(modes) = self.modes.clone() {
            active!(self, s => s.restart(&modes));
        }
        self.changes += 1;
        self.mark = (t, 0.0);
        let wait = if matches!(self.active, Active::Stiff(..)) { 1 } else { LOOK * self.patience };
        (self.signs, self.next_look) = (0, wait);
        // Many changes are not listed one by one.
        match self.changes {
            1..=4 => self.note += &format!("; from {t:.4e} on {method}, because {why}"),
            5 => self.note += "; and so on",
            _ => {}
        }
    }
}

/// What an explicit step felt.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Felt {
    /// |hλ|
    pub rate: f64,
    /// How much the field changed, and how far the state moved, as parts of their sizes.
    pub change: f64,
    pub moved: f64,
}

/// Whether a method of this reach is hindered by stiffness, and a step that costs `price` times as much would pay.
pub(super) fn is_beyond(reach: f64, price: f64, felt: Felt) -> bool {
    let hindered = felt.rate > EDGE * reach || felt.rate > FELT && felt.rate > STILL * felt.change;
    hindered && pays(price, felt.moved)
}

/// Whether a step of Radau's method, which costs `price` times as much as one in which the state moved by this part of itself, goes
/// further for its price.
fn pays(price: f64, moved: f64) -> bool {
    price * moved < REACH_OF_RADAU
}

/// The number of steps after which the next look comes, when nothing was seen.
fn look_after(steps: u64, every: u64) -> u64 {
    steps + every.max(steps / 4).min(8 * every)
}

/// The same for an explicit method; `None` where nobody looks.
pub(super) fn look_at_explicit(steps: u64, n_states: usize) -> Option<u64> {
    (n_states <= LARGE).then(|| if steps == 0 { LOOK } else { look_after(steps, LOOK) })
}

/// How far the stability region of a method reaches along the negative axis: |R(z)| ≤ 1, R(z) = 1 + z bᵀ (1 − z A)⁻¹ 1.
pub fn reach(tableau: &Tableau) -> f64 {
    // R is a polynomial with the coefficients bᵀ Aᵏ 1.
    let product = |row: &[f64], v: &[f64]| row.iter().zip(v).map(|(a, k)| a * k).sum::<f64>();
    let mut powers = vec![1.0; tableau.n_stages()];
    let mut coefficients = Vec::with_capacity(tableau.n_stages());
    for _ in 0..tableau.n_stages() {
        coefficients.push(product(tableau.b, &powers));
        powers = tableau.a.iter().take(tableau.n_stages()).map(|row| product(row, &powers)).collect();
    }
    let growth = |z: f64| 1.0 + z * coefficients.iter().rev().fold(0.0, |sum, c| sum * z + c);
    let mut z = 0.0;
    while z < 100.0 && growth(-(z + 0.01)).abs() <= 1.0 {
        z += 0.01;
    }
    z
}

impl Stepper for Auto<'_> {
    fn time(&self) -> f64 {
        match &self.active {
            Active::Explicit(s, _) => s.time(),
            Active::Series(s) => s.time(),
            Active::Stiff(s, _) => s.time(),
        }
    }

    fn state(&self) -> &[f64] {
        match &self.active {
            Active::Explicit(s, _) => s.state(),
            Active::Series(s) => s.state(),
            Active::Stiff(s, _) => s.state(),
        }
    }

    fn previous_time(&self) -> f64 {
        match &self.active {
            Active::Explicit(s, _) => s.previous_time(),
            Active::Series(s) => s.previous_time(),
            Active::Stiff(s, _) => s.previous_time(),
        }
    }

    /// The look comes first: whoever asks about the last step asks the method that made it.
    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        self.look();
        active!(self, s => s.step(limit))
    }

    fn advance(&mut self, limit: f64, until: f64, most: u64) -> Result<(), StopReason> {
        self.look();
        let steps = active!(self, s => s.statistics().steps);
        // Up to the next look, which must not come much later than when every step is looked at.
        let most = most.min(self.next_look.saturating_sub(steps).max(1));
        active!(self, s => s.advance(limit, until, most))
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        active!(self, s => s.interpolate(t, out))
    }

    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        active!(self, s => s.state_at(t, out))
    }

    fn cut(&mut self, t: f64) {
        active!(self, s => s.cut(t))
    }

    fn replace(&mut self, state: &[f64]) {
        active!(self, s => s.replace(state))
    }

    fn restart(&mut self, modes: &[f64]) {
        self.modes = Some(modes.to_vec());
        active!(self, s => s.restart(modes))
    }

    fn segment(&mut self) -> Segment {
        active!(self, s => s.segment())
    }

    fn statistics(&self) -> Statistics {
        let now = match &self.active {
            Active::Explicit(s, _) => s.statistics(),
            Active::Series(s) => s.statistics(),
            Active::Stiff(s, _) => s.statistics(),
        };
        now.after(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::tableau::{DOP853, RK4, TSIT5};

    /// RK4: 1 + z + z²/2 + z³/6 + z⁴/24 = 1 at z = −2.7853 (HW IV.2). dop853.f takes 6.1 for its limit, dopri5.f 3.25 for its own,
    /// which is near that of tsit5.
    #[test]
    fn reaches_are_those_of_the_books() {
        assert!((reach(&RK4) - 2.785).abs() < 0.01, "{}", reach(&RK4));
        assert!((reach(&DOP853) - 6.1).abs() < 0.3, "{}", reach(&DOP853));
        assert!((reach(&TSIT5) - 3.25).abs() < 0.5, "{}", reach(&TSIT5));
    }
}
