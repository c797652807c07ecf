//! Points whose coordinates are algebraic numbers.
//!
//! Finitely many points are, after a change of the last coordinate at most, in *shape position*: one unknown w satisfies a
//! polynomial p(w) = 0, and the others are polynomials in it,
//!
//! ```text
//! x⁵ − x − 1 = 0,  y² = x        y¹⁰ − y² − 1 = 0,  x = y²
//! ```
//!
//! A real root of p then gives a real point, and signs of other polynomials at it are decided, never estimated.

use super::super::expr::{Condition, Expr, Relation};
use super::super::generator::Generator;
use super::super::ideal::{Order, groebner_within};
use super::super::normal::write::polynomial_expr;
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::{AlgebraicNumber, isolate_real_roots};
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::sample::SamplePoint;
use super::solve::SystemBranch;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// Rational coordinates, one that is a root, and others that are polynomials in it.
#[derive(Clone, Debug)]
pub struct AlgebraicPoint {
    pub rational: SamplePoint,
    /// The generator that is the root.
    pub variable: u32,
    pub root: AlgebraicNumber,
    pub others: Vec<(u32, Polynomial)>,
}

/// Terms that may be combined for one basis.
const WORK: u64 = 400_000;

/// A real point among the finitely many zeros of the equations at which nothing to be avoided vanishes and `allowed` accepts
/// the sign of every coordinate. `None` if there is none in shape position.
pub(super) fn algebraic_point(
    equations: &[Polynomial],
    avoid: &[Polynomial],
    rational: &SamplePoint,
    allowed: impl Fn(u32, i32) -> bool,
) -> Budgeted<Option<AlgebraicPoint>> {
    let mut variables: Vec<u32> = equations.iter().flat_map(|e| e.variables().iter().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    for &w in &variables {
        let Some((eliminant, others)) = shape(equations, &variables, w)? else { continue };
        'roots: for root in isolate_real_roots(&eliminant)? {
            let mut signs = vec![(w, root.signum())];
            for (v, value) in &others {
                signs.push((*v, root.sign_of(value)?));
            }
            if !signs.into_iter().all(|(v, sign)| allowed(v, sign)) {
                continue;
            }
            for n in avoid {
                let mut here = n.evaluate(&rational.values)?;
                for (v, value) in &others {
                    here = here.substitute(*v, value)?;
                }
                let is_known = here.variables().iter().all(|v| *v == w);
                if !is_known || root.sign_of(&here)? == 0 {
                    continue 'roots;
                }
            }
            return Ok(Some(AlgebraicPoint { rational: rational.clone(), variable: w, root, others }));
        }
    }
    Ok(None)
}

/// The polynomial for w and the other variables by it, if the ideal has this shape.
#[allow(clippy::type_complexity)]
fn shape(
    equations: &[Polynomial],
    variables: &[u32],
    w: u32,
) -> Budgeted<Option<(Polynomial, Vec<(u32, Polynomial)>)>> {
    let order: Vec<u32> = variables.iter().copied().filter(|v| *v != w).chain([w]).collect();
    let basis = groebner_within(equations, &Order::lex(&order), &[], WORK);
    if !basis.complete || basis.generators.len() != variables.len() {
        return Ok(None);
    }
    let Some(eliminant) = basis.generators.iter().find(|g| g.variables() == [w]) else { return Ok(None) };
    let mut others = Vec::new();
    for &v in variables.iter().filter(|v| **v != w) {
        let solved = |g: &&Polynomial| {
            g.degree_in(v) == 1
                && g.coefficient_in(v, 1).is_constant()
                && g.variables().iter().all(|x| *x == v || *x == w)
        };
        let Some(g) = basis.generators.iter().find(solved) else { return Ok(None) };
        let slope = g.coefficient_in(v, 1).as_constant().unwrap_or(Rational::ONE);
        let Some(value) = g.coefficient_in(v, 0).unscale(&-&slope) else { return Ok(None) };
        others.push((v, value));
    }
    Ok(Some((eliminant.clone(), others)))
}

impl AlgebraicPoint {
    /// An interval with simple ends that holds this root of its polynomial and no other.
    fn interval(&self) -> (Rational, Rational) {
        let interval = match self.root.refine(&Rational::ONE) {
            Ok(fine) if self.root.interval().width() > Rational::ONE => fine,
            _ => self.root.interval(),
        };
        (interval.low, interval.high)
    }

    fn polynomial(&self) -> Expr {
        polynomial_expr(&self.root.minimal_polynomial(self.variable))
    }

    /// `at y = 1, where x is the root of x^3 - x - 1 between 1 and 2`.
    pub fn place(&self) -> String {
        let name = Generator(self.variable).meaning();
        let (low, high) = self.interval();
        let root = format!("{name} is the root of {} between {low} and {high}", self.polynomial());
        let others = self.others.iter().map(|(v, p)| format!("{} = {}", Generator(*v).meaning(), polynomial_expr(p)));
        let known = self.rational.values.iter().map(|(v, x)| format!("{} = {x}", Generator(*v).meaning()));
        let list: Vec<String> = known.chain(others).collect();
        if list.is_empty() { format!("where {root}") } else { format!("at {}, where {root}", list.join(", ")) }
    }

    /// The coordinates with values in closed form, and for what has none the equation and interval that say which root is
    /// meant.
    pub fn description(&self) -> SystemBranch {
        let symbol = |v: u32| Generator(v).meaning().as_symbol();
        let mut branch = SystemBranch::default();
        for (s, x) in self.rational.symbols() {
            branch.values.push((s, Expr::number(x)));
        }
        for (v, p) in &self.others {
            if let Some(s) = symbol(*v) {
                branch.values.push((s, polynomial_expr(p)));
            }
        }
        let Some(w) = symbol(self.variable) else { return branch };
        match self.closed_form() {
            Some(value) => {
                let map: FxHashMap<Symbol, Expr> = FxHashMap::from_iter([(w, value)]);
                for (_, e) in &mut branch.values {
                    let here = substitute(*e, &map);
                    *e = super::super::normal::simplify(here).unwrap_or(here);
                }
                branch.values.push((w, value));
            }
            None => {
                let (low, high) = self.interval();
                let x = Expr::symbol(w);
                branch.equations.push(self.polynomial());
                branch.conditions.push(Condition { relation: Relation::Greater, left: x - Expr::number(low) });
                branch.conditions.push(Condition { relation: Relation::Less, left: x - Expr::number(high) });
            }
        }
        branch
    }

    /// The root by square roots or one n-th root, if it is of that kind.
    fn closed_form(&self) -> Option<Expr> {
        let p = self.root.minimal_polynomial(self.variable);
        let n = p.degree_in(self.variable);
        let c = |k: u32| p.coefficient_in(self.variable, k).as_constant();
        let lead = c(n)?;
        if n == 2 {
            // (−b ± √(b² − 4ac)) / 2a, the larger root with the sign of a.
            let (b, constant) = (c(1)?, c(0)?);
            let discriminant = &(&b * &b) - &(&(&lead * &constant) * &Rational::from(4));
            let middle = -&(&b / &(&lead * &Rational::from(2)));
            let is_larger = self.root.compare(&AlgebraicNumber::from(middle.clone())).ok()?.is_gt();
            let half = Expr::number(discriminant).pow(Rational::ratio(1, 2))
                / Expr::number((&lead * &Rational::from(2)).abs());
            let middle = Expr::number(middle);
            return Some(if is_larger { middle + half } else { middle - half });
        }
        // c xⁿ = d.
        if (1..n).any(|k| !c(k).is_some_and(|x| x.is_zero())) {
            return None;
        }
        let power = -&(&c(0)? / &lead);
        let root = Expr::number(power.abs()).pow(Rational::ratio(1, i64::from(n)));
        Some(if self.root.signum() < 0 { -root } else { root })
    }
}
