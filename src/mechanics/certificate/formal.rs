//! Formal motions: power series that satisfy the equations of motion, differentiated so many times, at one point.
//!
//! ```text
//! E(t₀, x₀, a) = 0,   dE/dt = 0,   d²E/dt² = 0,   …           in the coefficients a of the series that the point leaves open
//! ```
//!
//! Each step is linear in the coefficients that appear first in it; what its solvability demands of the earlier ones may be
//! nonlinear, and is then kept until it becomes linear, is solved over the reals, or contradicts itself. A contradiction proves
//! that no smooth motion passes through the point. That there is none is no proof of a motion.

use super::evaluate::{Evaluator, Point};
use super::series::{Exact, Poly, Series};
use crate::algebra::{Expr, Inquiry, Rational, Symbol};
use crate::geometry::form::Form;
use crate::mechanics::constraint_algorithm::Problem;
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::jet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The equations of one problem: E_σ along curves in Y, or η(ẋ) along curves in the phase space.
pub(super) struct Laws<'a> {
    pub problem: Problem,
    pub form: &'a DynamicalForm,
    /// The 1-forms η of the extended problem.
    pub rows: Vec<Form>,
    /// Coordinates of the phase space, t first.
    pub coordinates: Vec<Symbol>,
}

/// What is known of the formal motions through a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Formal {
    /// The equations, differentiated so many times, contradict each other.
    None { prolongations: usize },
    /// They can be solved, and leave so many of the undetermined derivatives of lowest order free.
    Some { free: usize },
    /// Nonlinear conditions are left.
    Undecided,
}

impl Laws<'_> {
    /// How often a coordinate of a curve may be differentiated before its value at a point of the phase space is left.
    fn fixed(&self) -> usize {
        match self.problem {
            Problem::Extended => 1,
            Problem::Proper => self.form.order() as usize,
        }
    }

    /// The functions of time that make up a curve: the q^σ, or all coordinates of the phase space.
    fn functions(&self) -> Vec<Symbol> {
        let y = self.form.manifold();
        match self.problem {
            Problem::Extended => self.form.phase_jets(),
            Problem::Proper => (0..y.n_coordinates()).map(|sigma| jet(y, sigma, 0)).collect(),
        }
    }

    /// The left sides of the equations along a curve, up to a degree. The functions are given to as many degrees more as
    /// they are differentiated.
    pub fn residuals(
        &self,
        cx: &Inquiry,
        point: &Point,
        functions: &FxHashMap<Symbol, Series>,
        degree: usize,
    ) -> Exact<Vec<Series>> {
        let t = self.form.manifold().base();
        let mut series = FxHashMap::default();
        series.insert(t, time(point, t, degree));
        for f in self.functions() {
            let Some(along) = functions.get(&f) else { continue };
            series.insert(f, along.to_degree(degree));
            if let (Problem::Proper, Some((coordinate, _))) = (self.problem, f.as_jet()) {
                let mut derivative = along.clone();
                for k in 1..=self.form.order() {
                    derivative = derivative.derivative();
                    series.insert(coordinate.jet(k), derivative.to_degree(degree));
                }
            }
        }
        let evaluator = Evaluator::new(cx, point, degree, series);
        match self.problem {
            Problem::Proper => self.form.components().iter().map(|e| evaluator.of(*e)).collect(),
            Problem::Extended => {
                let row = |eta: &Form| -> Exact<Series> {
                    let mut sum = evaluator.of(eta.coefficient(&[t]))?;
                    for f in self.functions() {
                        let coefficient: Expr = eta.coefficient(&[f]);
                        if !coefficient.is_zero() && functions.contains_key(&f) {
                            let speed = functions[&f].derivative().to_degree(degree);
                            sum = sum.add(&evaluator.of(coefficient)?.mul(cx, &speed)?);
                        }
                    }
                    Ok(sum)
                };
                self.rows.iter().map(row).collect()
            }
        }
    }

    /// The formal motions through a point of the phase space: the equations are differentiated so many times at least, and
    /// further, to the most, while more derivatives than expected are free.
    pub fn formal(&self, cx: &Inquiry, point: &Point, least: usize, most: usize, expected: usize) -> Exact<Formal> {
        let functions = self.functions();
        let (width, fixed) = (functions.len() as u32, self.fixed());
        let name = |i: usize, k: usize| k as u32 * width + i as u32;
        let mut solved: BTreeMap<u32, Poly> = BTreeMap::new();
        let mut pending: Vec<Poly> = Vec::new();
        let count = |solved: &BTreeMap<u32, Poly>| {
            (0..functions.len()).filter(|i| !solved.contains_key(&name(*i, fixed))).count()
        };
        for order in 0..=most.max(least) {
            let mut along = FxHashMap::default();
            for (i, f) in functions.iter().enumerate() {
                let coefficient = |k: usize| match k < fixed {
                    true => Poly::number(self.taylor(point, *f, k)),
                    false => solved.get(&name(i, k)).cloned().unwrap_or_else(|| Poly::unknown(name(i, k))),
                };
                along.insert(*f, Series((0..=order + fixed).map(coefficient).collect()));
            }
            let residuals = self.residuals(cx, point, &along, order)?;
            pending.extend(residuals.into_iter().map(|r| r.0[order].clone()));
            if !settle(cx, &mut pending, &mut solved)? {
                return Ok(Formal::None { prolongations: order });
            }
            let is_decided = pending.is_empty() && count(&solved) <= expected;
            if order >= least && (is_decided || (order == least && !pending.is_empty())) {
                break;
            }
        }
        if !pending.is_empty() {
            return Ok(Formal::Undecided);
        }
        Ok(Formal::Some { free: count(&solved) })
    }

    /// The Taylor coefficient that the point fixes: q_k / k!. An angle without a value counts from where it is.
    fn taylor(&self, point: &Point, f: Symbol, k: usize) -> Rational {
        let symbol = match (k, f.as_jet()) {
            (1.., Some((coordinate, _))) => coordinate.jet(k as u32),
            _ => f,
        };
        let factorial = (1..=k as i64).product::<i64>();
        let value = point.values.get(&symbol).cloned().unwrap_or(Rational::ZERO);
        &value * &Rational::ratio(1, factorial)
    }
}

/// t₀ + s.
pub(super) fn time(point: &Point, t: Symbol, degree: usize) -> Series {
    let mut series = Series::number(point.values.get(&t).cloned().unwrap_or(Rational::ZERO), degree);
    if degree > 0 {
        series.0[1] = Poly::number(Rational::ONE);
    }
    series
}

/// Uses up conditions that can be solved; false if they contradict each other.
fn settle(cx: &Inquiry, pending: &mut Vec<Poly>, solved: &mut BTreeMap<u32, Poly>) -> Exact<bool> {
    loop {
        cx.check()?;
        pending.retain(|p| !p.is_zero());
        if pending.iter().any(|p| p.as_number().is_some() || !p.has_real_zero()) {
            return Ok(false);
        }
        // The unknown of the highest order, so that the others are expressed by earlier ones.
        let linear = |p: &Poly| p.degrees().into_keys().rev().find_map(|v| Some(vec![(v, p.solved_for(v)?)]));
        let solution = pending.iter().find_map(linear).or_else(|| pending.iter().find_map(Poly::real_solution));
        let Some(solution) = solution else { return Ok(true) };
        for (v, value) in solution {
            for p in pending.iter_mut().chain(solved.values_mut()) {
                *p = p.substitute(cx, v, &value)?;
            }
            solved.insert(v, value);
        }
    }
}
