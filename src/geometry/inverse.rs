//! Solving x = ψ(u) for u, one unknown after the other: how maps are inverted and images described.
//!
//! Four rules, tried in turn until nothing changes; each states what it needs:
//!
//! - *affine system*: as many equations A·u = x − b as there are unknowns in them, A and b free of unknowns, give
//!   u = A⁻¹(x − b), where det A ≠ 0: a rotating frame needs no condition;
//! - *linear*: an equation a·u + b = x with a, b free of u and a not zero gives u = (x − b)/a, where a ≠ 0;
//! - *circle*: A·cos w = x and A·sin w = y give w = atan2(y, x), and A = √(x² + y²) if A is known to be positive
//!   (both with the other sign if it is negative), or the equation A² = x² + y² if A is free of unknowns;
//! - *isolation*: an unknown that occurs once is uncovered layer by layer, through functions that are one to one
//!   on the real line, and through even powers and roots where the sign is known.
//!
//! What is left over are equations without unknowns: the conditions under which x is in the image.

use crate::algebra::assume::sign_of;
use crate::algebra::conditions::{self, record_nonzero};
use crate::algebra::decide::is_zero;
use crate::algebra::derive::partial;
use crate::algebra::expr::Node;
use crate::algebra::function::Elementary;
use crate::algebra::linear::Matrix;
use crate::algebra::normal::simplify;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol};
use crate::budget::{Budgeted, check};
use rustc_hash::FxHashMap;

/// The unknowns that could be expressed, and what remains.
pub(crate) struct Solved {
    pub values: FxHashMap<Symbol, Expr>,
    /// Equations left = 0 without unknowns.
    pub conditions: Vec<Expr>,
    /// Equations that still contain unknowns.
    pub stuck: Vec<Expr>,
    /// What would help if it were known to be positive: the factors of radii, what is squared.
    pub wanted: Vec<Expr>,
}

/// left(u) = right, where right is free of unknowns.
#[derive(Clone, Copy)]
struct Equation {
    left: Expr,
    right: Expr,
}

impl Equation {
    /// Terms without unknowns go to the right: R + b·cos u = x is b·cos u = x − R.
    fn separate(&mut self, open: &[Symbol]) {
        let Node::Sum { constant, terms } = self.left.node() else { return };
        let (with, without): (Vec<_>, Vec<_>) =
            terms.iter().cloned().partition(|(term, _)| open.iter().any(|u| term.contains(*u)));
        if constant.is_zero() && without.is_empty() {
            return;
        }
        let moved = Expr::sum(constant.clone(), without);
        *self = Equation { left: Expr::sum(Rational::ZERO, with), right: self.right - moved };
    }
}

/// Solves left_i(u) = right_i for the unknowns.
pub(crate) fn solve(equations: impl IntoIterator<Item = (Expr, Expr)>, unknowns: &[Symbol]) -> Budgeted<Solved> {
    let mut equations: Vec<Equation> = equations.into_iter().map(|(left, right)| Equation { left, right }).collect();
    let mut open: Vec<Symbol> = unknowns.to_vec();
    let mut wanted = vec![];
    let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let mut conditions = vec![];
    loop {
        check()?;
        // Equations without unknowns are conditions.
        let (with, without): (Vec<Equation>, Vec<Equation>) =
            equations.into_iter().partition(|e| open.iter().any(|u| e.left.contains(*u)));
        conditions.extend(without.iter().map(|e| e.left - e.right));
        equations = with;
        equations.iter_mut().for_each(|e| e.separate(&open));
        if let Some((used, found)) = affine_system(&equations, &open)? {
            let mut index = 0;
            equations.retain(|_| {
                index += 1;
                !used.contains(&(index - 1))
            });
            open.retain(|u| !found.contains_key(u));
            put_in(&found, &mut equations, &mut values);
            continue;
        }
        let Some(step) = next_step(&equations, &open, &mut wanted)? else { break };
        for i in step.used {
            equations.remove(i);
        }
        equations.extend(step.instead);
        let Some((unknown, value)) = step.solved else { continue };
        open.retain(|u| *u != unknown);
        // The value may contain unknowns that are still open; they are replaced when they are solved.
        put_in(&FxHashMap::from_iter([(unknown, value)]), &mut equations, &mut values);
    }
    let mut remaining = vec![];
    for e in conditions {
        let e = simplify(e)?;
        if !is_zero(e).is_yes() {
            remaining.push(e);
        }
    }
    Ok(Solved { values, conditions: remaining, stuck: equations.iter().map(|e| e.left - e.right).collect(), wanted })
}

/// Puts what has been found into the equations and into what was found before.
fn put_in(found: &FxHashMap<Symbol, Expr>, equations: &mut [Equation], values: &mut FxHashMap<Symbol, Expr>) {
    for e in equations {
        e.left = substitute(e.left, found);
    }
    for v in values.values_mut() {
        *v = substitute(*v, found);
    }
    values.extend(found.iter().map(|(u, e)| (*u, *e)));
}

/// Equations that are affine in all their unknowns, with coefficients without any, if there are as many of them as
/// unknowns and they can be solved: their indices, and the solution.
fn affine_system(equations: &[Equation], open: &[Symbol]) -> Budgeted<Option<(Vec<usize>, FxHashMap<Symbol, Expr>)>> {
    let free = |e: Expr| !open.iter().any(|u| e.contains(*u));
    let affine = |e: &Equation| open.iter().all(|u| free(partial(e.left, *u)));
    let used: Vec<usize> = (0..equations.len()).filter(|i| affine(&equations[*i])).collect();
    let occurs = |u: &Symbol| used.iter().any(|i| equations[*i].left.contains(*u));
    let unknowns: Vec<Symbol> = open.iter().copied().filter(occurs).collect();
    // One equation alone is a matter for the other rules.
    if unknowns.len() < 2 || unknowns.len() != used.len() {
        return Ok(None);
    }
    check()?;
    let row = |i: &usize| unknowns.iter().map(|u| partial(equations[*i].left, *u)).collect();
    let matrix = Matrix::from_rows(used.iter().map(row).collect());
    let (determinant, _) = conditions::collect(|| matrix.det());
    let determinant = simplify(determinant?)?;
    if !is_zero(determinant).is_no() {
        return Ok(None);
    }
    record_nonzero(determinant);
    let origin: FxHashMap<Symbol, Expr> = unknowns.iter().map(|u| (*u, Expr::zero())).collect();
    let right: Vec<Expr> = used.iter().map(|i| equations[*i].right - substitute(equations[*i].left, &origin)).collect();
    let (adjugate, _) = conditions::collect(|| matrix.adjugate());
    let values = adjugate?.mul_vector(&right);
    let values = values.into_iter().map(|e| simplify(e / determinant));
    let values = values.collect::<Budgeted<Vec<Expr>>>()?;
    Ok(Some((used, unknowns.into_iter().zip(values).collect())))
}

/// Progress: equations used up (indices, the largest first), what replaces them, and an unknown that is known now.
struct Step {
    used: Vec<usize>,
    instead: Vec<Equation>,
    solved: Option<(Symbol, Expr)>,
}

fn next_step(equations: &[Equation], open: &[Symbol], wanted: &mut Vec<Expr>) -> Budgeted<Option<Step>> {
    // An equation with one unknown is solved first: triangular maps come apart from there.
    for (i, e) in equations.iter().enumerate() {
        let mut own = open.iter().copied().filter(|u| e.left.contains(*u));
        let (Some(u), None) = (own.next(), own.next()) else { continue };
        let value = match linear(e, u, open, true)? {
            Some(value) => Some(value),
            None => isolate(e.left, e.right, u, wanted),
        };
        if let Some(value) = value {
            return Ok(Some(Step { used: vec![i], instead: vec![], solved: Some((u, value)) }));
        }
    }
    // A coefficient without unknowns is better than one with.
    for strict in [true, false] {
        for (i, e) in equations.iter().enumerate() {
            for &u in open.iter().filter(|u| e.left.contains(**u)) {
                if let Some(value) = linear(e, u, open, strict)? {
                    return Ok(Some(Step { used: vec![i], instead: vec![], solved: Some((u, value)) }));
                }
            }
        }
        if let Some(step) = circle(equations, open, wanted)? {
            return Ok(Some(step));
        }
    }
    for (i, e) in equations.iter().enumerate() {
        for &u in open.iter().filter(|u| e.left.contains(**u)) {
            if let Some(value) = isolate(e.left, e.right, u, wanted) {
                return Ok(Some(Step { used: vec![i], instead: vec![], solved: Some((u, value)) }));
            }
        }
    }
    Ok(None)
}

fn linear(e: &Equation, u: Symbol, open: &[Symbol], strict: bool) -> Budgeted<Option<Expr>> {
    let slope = partial(e.left, u);
    let slope = if slope.contains(u) { simplify(slope)? } else { slope };
    if slope.contains(u) || (strict && open.iter().any(|v| slope.contains(*v))) || !is_zero(slope).is_no() {
        return Ok(None);
    }
    let rest = substitute(e.left, &FxHashMap::from_iter([(u, Expr::zero())]));
    if rest.as_undefined().is_some() {
        return Ok(None);
    }
    record_nonzero(slope);
    Ok(Some((e.right - rest) / slope))
}

/// A·cos w and A·sin w. A radius of unknown sign is passed over, and what would tell its sign is noted.
fn circle(equations: &[Equation], open: &[Symbol], wanted: &mut Vec<Expr>) -> Budgeted<Option<Step>> {
    for (i, first) in equations.iter().enumerate() {
        for (radius, angle) in factors_with(first.left, Elementary::Cos) {
            for (j, second) in equations.iter().enumerate() {
                let matching = factors_with(second.left, Elementary::Sin)
                    .into_iter()
                    .find_map(|(r, a)| (a == angle).then_some(r).and_then(|r| sign_between(r, radius)));
                let Some(sign) = matching.filter(|_| i != j) else { continue };
                let (x, y) = (first.right, second.right.scale(&sign));
                let square = x.pow(2) + y.pow(2);
                let known = !open.iter().any(|u| radius.contains(*u));
                let radius_equation = if known {
                    Equation { left: radius.pow(2), right: square }
                } else if sign_of(radius).is_positive() {
                    Equation { left: radius, right: square.sqrt() }
                } else if sign_of(radius).is_negative() {
                    Equation { left: radius, right: -square.sqrt() }
                } else {
                    for factor in odd_factors(radius) {
                        let sign = sign_of(factor);
                        if !sign.is_positive() && !sign.is_negative() && !wanted.contains(&factor) {
                            wanted.push(factor);
                        }
                    }
                    continue;
                };
                // cos w = x/A and sin w = y/A, so the angle of the point (x, y) is that of (A cos w, A sin w) up to the
                // sign of A.
                let (ax, ay) = match sign_of(radius) {
                    sign if sign.is_positive() => (x, y),
                    sign if sign.is_negative() => (-x, -y),
                    _ => (x / radius, y / radius),
                };
                let angle_equation = Equation { left: angle, right: Expr::apply(Elementary::Atan2, &[ay, ax]) };
                let used = if i > j { vec![i, j] } else { vec![j, i] };
                return Ok(Some(Step { used, instead: vec![radius_equation, angle_equation], solved: None }));
            }
        }
    }
    Ok(None)
}

/// The factors that decide about the sign of a product.
fn odd_factors(e: Expr) -> Vec<Expr> {
    let inner = match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => terms[0].0,
        _ => e,
    };
    match inner.node() {
        Node::Product(factors) => {
            let even = |n: &Rational| n.to_i64().is_some_and(|n| n % 2 == 0);
            factors.iter().filter(|(_, n)| !even(n)).map(|(base, _)| *base).collect()
        }
        _ => vec![inner],
    }
}

/// All ways to write e = A·f(w).
fn factors_with(e: Expr, f: Elementary) -> Vec<(Expr, Expr)> {
    let (scale, inner) = match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => (terms[0].1.clone(), terms[0].0),
        _ => (Rational::ONE, e),
    };
    let angle = |x: Expr| match x.node() {
        Node::Apply(g, w) if *g == f => Some(w[0]),
        _ => None,
    };
    match inner.node() {
        Node::Product(factors) => {
            let of = |(k, (base, exponent)): (usize, &(Expr, Rational))| {
                let w = angle(*base).filter(|_| exponent.is_one())?;
                let rest = factors.iter().enumerate().filter(|(l, _)| *l != k).map(|(_, f)| f.clone());
                Some((Expr::product(scale.clone(), rest), w))
            };
            factors.iter().enumerate().filter_map(of).collect()
        }
        _ => angle(inner).map(|w| (Expr::number(scale), w)).into_iter().collect(),
    }
}

/// The s = ±1 with a = s·b, written as it stands.
fn sign_between(a: Expr, b: Expr) -> Option<Rational> {
    if a == b {
        Some(Rational::ONE)
    } else if a == -b {
        Some(Rational::MINUS_ONE)
    } else {
        None
    }
}

/// u from left(u) = right, if u occurs once and every layer around it can be taken off. What would have to be positive for
/// that is noted.
fn isolate(left: Expr, right: Expr, u: Symbol, wanted: &mut Vec<Expr>) -> Option<Expr> {
    let (mut left, mut right) = (left, right);
    loop {
        if left.as_symbol() == Some(u) {
            return Some(right);
        }
        let children = left.children();
        let mut inside = children.iter().enumerate().filter(|(_, c)| c.contains(u));
        let ((i, &child), None) = (inside.next()?, inside.next()) else { return None };
        right = match left.node() {
            Node::Sum { constant, terms } => {
                let rest = terms.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, t)| t.clone());
                (right - Expr::sum(constant.clone(), rest)).scale(&terms[i].1.recip()?)
            }
            Node::Product(factors) => {
                let rest = factors.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, f)| f.clone());
                let rest = Expr::product(Rational::ONE, rest);
                if !rest.is_number() {
                    record_nonzero(rest);
                }
                let exponent = &factors[i].1;
                let positive = sign_of(child).is_nonnegative();
                // u³ takes every value once, u² only for u of known sign.
                if !exponent.is_one() && !positive {
                    if !wanted.contains(&child) {
                        wanted.push(child);
                    }
                    return None;
                }
                (right / rest).pow(exponent.recip()?)
            }
            Node::Apply(f, _) => {
                use Elementary::*;
                match f {
                    Exp => Expr::apply(Log, &[right]),
                    Log => Expr::apply(Exp, &[right]),
                    Tanh => Expr::apply(Atanh, &[right]),
                    Atanh => Expr::apply(Tanh, &[right]),
                    Atan => Expr::apply(Tan, &[right]),
                    Asin => Expr::apply(Sin, &[right]),
                    Acos => Expr::apply(Cos, &[right]),
                    // y = sinh w, w = log(y + √(y² + 1))
                    Sinh => Expr::apply(Log, &[right + (right.pow(2) + 1).sqrt()]),
                    _ => return None,
                }
            }
            _ => return None,
        };
        left = child;
    }
}
