//! Points whose coordinates are algebraic numbers.
//!
//! Finitely many points are in *shape position* for a suitable w, one of the unknowns or a linear form in them: w satisfies a
//! polynomial p(w) = 0, and all unknowns are polynomials in it,
//!
//! ```text
//! x⁵ − x − 1 = 0,  y² = x        y¹⁰ − y² − 1 = 0,  x = y²              w = y
//! x² = 2,  y² = 3                w⁴ − 28w² + 100 = 0,  x = (w³ − 18w)/20, …   w = x + 2y
//! ```
//!
//! A real root of p then gives a real point. Signs of other polynomials at it are decided, never estimated, and so
//! is which root of its own minimal polynomial each coordinate is.

use super::super::expr::{Condition, Expr, Relation};
use super::super::generator::Generator;
use super::super::ideal::{Order, groebner_within};
use super::super::normal::write::polynomial_expr;
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::{AlgebraicNumber, Interval, isolate_real_roots};
use super::facts;
use super::sample::SamplePoint;
use super::solve::SystemBranch;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, share};

/// Rational coordinates, and others that are roots of polynomials in one variable.
#[derive(Clone, Debug)]
pub struct AlgebraicPoint {
    pub rational: SamplePoint,
    pub roots: Vec<(u32, AlgebraicNumber)>,
}

/// All unknowns as polynomials in one number.
struct Shape {
    w: u32,
    /// p(w) = 0.
    eliminant: Polynomial,
    values: Vec<(u32, Polynomial)>,
}

/// A real point among the finitely many zeros of the equations at which nothing to be avoided vanishes and `allowed` accepts
/// the sign of every coordinate, and which obeys the declared facts. `None` if none is found in shape position.
pub(super) fn algebraic_point(
    cx: &Inquiry,
    equations: &[Polynomial],
    avoid: &[Polynomial],
    rational: &SamplePoint,
    allowed: impl Fn(u32, i32) -> bool,
) -> Budgeted<Option<AlgebraicPoint>> {
    let mut variables: Vec<u32> = equations.iter().flat_map(|e| e.variables().iter().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    let Some(shape) = shape(cx, equations, &variables)? else { return Ok(None) };
    'roots: for w in isolate_real_roots(cx, &shape.eliminant)? {
        for (v, value) in &shape.values {
            if !allowed(*v, w.sign_of(cx, value)?) {
                continue 'roots;
            }
        }
        for n in avoid {
            let mut here = n.evaluate(cx, &rational.values)?;
            for (v, value) in &shape.values {
                here = here.substitute(cx, *v, value)?;
            }
            let is_known = here.variables().iter().all(|v| *v == shape.w);
            if !is_known || w.sign_of(cx, &here)? == 0 {
                continue 'roots;
            }
        }
        let mut point = AlgebraicPoint { rational: rational.clone(), roots: vec![] };
        for (v, value) in &shape.values {
            let Some(root) = root_at(cx, equations, &variables, *v, value, &w)? else { return Ok(None) };
            match root.to_rational() {
                Some(x) => point.rational.values.push((*v, x)),
                None => point.roots.push((*v, root)),
            }
        }
        if facts::hold_at(cx, &point.rational.values, &point.roots)? {
            return Ok(Some(point));
        }
    }
    Ok(None)
}

/// One of the unknowns, else a linear form in them, by which all are given.
fn shape(cx: &Inquiry, equations: &[Polynomial], variables: &[u32]) -> Budgeted<Option<Shape>> {
    for &w in variables {
        if let Some(mut found) = shape_by(cx, equations, variables, w)? {
            found.values.push((w, Polynomial::variable(w)));
            found.values.sort_by_key(|(v, _)| *v);
            return Ok(Some(found));
        }
    }
    // Any form that separates the points will do.
    let fresh = variables.last().map_or(0, |v| v + 1);
    for weights in [[1i64, 2, 5, 11], [1, 3, 7, 19]] {
        let term = |(v, c): (&u32, &i64)| Polynomial::variable(*v).scale(&Rational::from(*c));
        let form = variables.iter().zip(weights.iter().cycle()).map(term).fold(Polynomial::zero(), |s, t| &s + &t);
        let mut all = equations.to_vec();
        all.push(&Polynomial::variable(fresh) - &form);
        let with: Vec<u32> = variables.iter().copied().chain([fresh]).collect();
        if let Some(found) = shape_by(cx, &all, &with, fresh)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The polynomial for w and the other variables by it, if the ideal has this shape.
fn shape_by(cx: &Inquiry, equations: &[Polynomial], variables: &[u32], w: u32) -> Budgeted<Option<Shape>> {
    let order: Vec<u32> = variables.iter().copied().filter(|v| *v != w).chain([w]).collect();
    let basis = groebner_within(cx, equations, &Order::lex(&order), &[], share::MINOR);
    if !basis.complete || basis.generators.len() != variables.len() {
        return Ok(None);
    }
    let Some(eliminant) = basis.generators.iter().find(|g| g.variables() == [w]) else { return Ok(None) };
    let mut values = Vec::new();
    for &v in variables.iter().filter(|v| **v != w) {
        let solved = |g: &&Polynomial| {
            g.degree_in(v) == 1
                && g.coefficient_in(v, 1).is_constant()
                && g.variables().iter().all(|x| *x == v || *x == w)
        };
        let Some(g) = basis.generators.iter().find(solved) else { return Ok(None) };
        let slope = g.coefficient_in(v, 1).as_constant().unwrap_or(Rational::ONE);
        let Some(value) = g.coefficient_in(v, 0).unscale(&-&slope) else { return Ok(None) };
        values.push((v, value));
    }
    Ok(Some(Shape { w, eliminant: eliminant.clone(), values }))
}

/// The number value(w) as a root of what the equations say about v alone.
fn root_at(
    cx: &Inquiry,
    equations: &[Polynomial],
    variables: &[u32],
    v: u32,
    value: &Polynomial,
    w: &AlgebraicNumber,
) -> Budgeted<Option<AlgebraicNumber>> {
    let order: Vec<u32> = variables.iter().copied().filter(|x| *x != v).chain([v]).collect();
    let basis = groebner_within(cx, equations, &Order::lex(&order), &[], share::MINOR);
    let Some(eliminant) = basis.generators.iter().find(|g| g.variables() == [v]) else { return Ok(None) };
    for root in isolate_real_roots(cx, eliminant)? {
        let Interval { low, high } = root.interval();
        let above = w.sign_of(cx, &(value - &Polynomial::constant(low.clone())))?;
        let below = w.sign_of(cx, &(value - &Polynomial::constant(high.clone())))?;
        if if low == high { above == 0 } else { above > 0 && below < 0 } {
            return Ok(Some(root));
        }
    }
    Ok(None)
}

impl AlgebraicPoint {
    /// `at y = 1, x = the root of x^3 - x - 1 between 1 and 2`.
    pub fn place(&self, cx: &Inquiry) -> String {
        let known = self.rational.values.iter().map(|(v, x)| format!("{} = {x}", Generator(*v).meaning()));
        let roots = self.roots.iter().map(|(v, root)| {
            let name = Generator(*v).meaning();
            match closed_form(cx, *v, root) {
                Some(value) => format!("{name} = {value}"),
                None => {
                    let Interval { low, high } = separated(cx, root);
                    let p = polynomial_expr(&root.minimal_polynomial(*v));
                    format!("{name} = the root of {p} between {low} and {high}")
                }
            }
        });
        format!("at {}", known.chain(roots).collect::<Vec<_>>().join(", "))
    }

    /// The coordinates with values in closed form, and for what has none the equation and interval that say which root is
    /// meant.
    pub fn description(&self, cx: &Inquiry) -> SystemBranch {
        let mut branch = SystemBranch::default();
        for (s, x) in self.rational.symbols() {
            branch.values.push((s, Expr::number(x)));
        }
        for (v, root) in &self.roots {
            let Some(s) = Generator(*v).meaning().as_symbol() else { continue };
            if let Some(value) = closed_form(cx, *v, root) {
                branch.values.push((s, value));
                continue;
            }
            let (x, Interval { low, high }) = (Expr::symbol(s), separated(cx, root));
            branch.equations.push(polynomial_expr(&root.minimal_polynomial(*v)));
            branch.conditions.push(Condition { relation: Relation::Greater, left: x - Expr::number(low) });
            branch.conditions.push(Condition { relation: Relation::Less, left: x - Expr::number(high) });
        }
        branch
    }
}

/// An interval with simple ends that holds this root of its polynomial and no other.
fn separated(cx: &Inquiry, root: &AlgebraicNumber) -> Interval {
    let interval = root.interval();
    if interval.width() <= Rational::ONE {
        return interval;
    }
    root.refine(cx, &Rational::ONE).unwrap_or(interval)
}

/// The root by square roots or one n-th root, if it is of that kind.
fn closed_form(cx: &Inquiry, variable: u32, root: &AlgebraicNumber) -> Option<Expr> {
    let p = root.minimal_polynomial(variable);
    let n = p.degree_in(variable);
    let c = |k: u32| p.coefficient_in(variable, k).as_constant();
    let lead = c(n)?;
    if n == 2 {
        // The middle of both roots, and half their distance: −b/2a ± √(b² − 4ac)/2|a|.
        let (b, constant) = (c(1)?, c(0)?);
        let double = &lead * &Rational::from(2);
        let discriminant = &(&b * &b) - &(&(&double * &constant) * &Rational::from(2));
        let middle = -&(&b / &double);
        let is_larger = root.compare(cx, &AlgebraicNumber::from(middle.clone())).ok()?.is_gt();
        let half = Expr::number(discriminant).pow(Rational::ratio(1, 2)) / Expr::number(double.abs());
        let middle = Expr::number(middle);
        return Some(if is_larger { middle + half } else { middle - half });
    }
    // c xⁿ = d.
    if (1..n).any(|k| !c(k).is_some_and(|x| x.is_zero())) {
        return None;
    }
    let power = -&(&c(0)? / &lead);
    let value = Expr::number(power.abs()).pow(Rational::ratio(1, i64::from(n)));
    Some(if root.signum() < 0 { -value } else { value })
}
