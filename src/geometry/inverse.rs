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
//!   on the real line, and through even powers, roots, hyperbolic cosines, sines and cosines where the sign or the
//!   range of what stands inside is known.
//!
//! An equation with one unknown that none of them fits is handed to [`solve`](crate::algebra::solve), and its answer taken if it
//! is one solution: cubes, quotients of linear functions.
//!
//! Every rule says where its step is right: a ≠ 0 for a slope, x > 0 for r = log x, x² + y² > 0 for a positive radius.
//! These are the [`needs`](Solved::needs) of the solution, in terms of what is given.
//!
//! What is left over are equations without unknowns: the conditions under which x is in the image.

use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::conditions;
use crate::algebra::decide::{is_zero, sign};
use crate::algebra::derive::{partial, slope};
use crate::algebra::expr::{Condition, Node, Relation};
use crate::algebra::function::{Elementary, Interval, Parity, Slope};
use crate::algebra::linear::Matrix;
use crate::algebra::normal::simplify;
use crate::algebra::solve::{self as solver, Unsolved};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// The unknowns that could be expressed, and what remains.
pub(crate) struct Solved {
    pub values: FxHashMap<Symbol, Expr>,
    /// Equations left = 0 without unknowns.
    pub conditions: Vec<Expr>,
    /// Equations that still contain unknowns.
    pub stuck: Vec<Expr>,
    /// The values are a solution where all of these hold.
    pub needs: Vec<Condition>,
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
pub(crate) fn solve(
    cx: &Inquiry,
    equations: impl IntoIterator<Item = (Expr, Expr)>,
    unknowns: &[Symbol],
) -> Budgeted<Solved> {
    let (solved, divisors) = conditions::collect(cx, |cx| solve_by_steps(cx, equations, unknowns));
    let mut solved = solved?;
    // What was cancelled on the way may contain unknowns, as the steps may.
    let mut needs = vec![];
    for c in solved.needs.into_iter().chain(divisors.into_iter().map(Condition::from)) {
        let left = substitute(c.left, &solved.values);
        let simple = conditions::collect(cx, |cx| simplify(cx, left)).0?;
        let left = if simple.as_undefined().is_some() { left } else { simple };
        needs.push(Condition { left, ..c });
    }
    solved.needs = needs;
    Ok(solved)
}

fn solve_by_steps(
    cx: &Inquiry,
    equations: impl IntoIterator<Item = (Expr, Expr)>,
    unknowns: &[Symbol],
) -> Budgeted<Solved> {
    let mut equations: Vec<Equation> = equations.into_iter().map(|(left, right)| Equation { left, right }).collect();
    let mut open: Vec<Symbol> = unknowns.to_vec();
    let (mut wanted, mut needs) = (vec![], vec![]);
    let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let mut conditions = vec![];
    let mut is_simple = false;
    loop {
        cx.check()?;
        // Equations without unknowns are conditions.
        let (with, without): (Vec<Equation>, Vec<Equation>) =
            equations.into_iter().partition(|e| open.iter().any(|u| e.left.contains(*u)));
        conditions.extend(without.iter().map(|e| e.left - e.right));
        equations = with;
        equations.iter_mut().for_each(|e| e.separate(&open));
        if let Some((used, found, determinant)) = affine_system(cx, &equations, &open)? {
            let mut index = 0;
            equations.retain(|_| {
                index += 1;
                !used.contains(&(index - 1))
            });
            needs.push(Condition::nonzero(determinant));
            open.retain(|u| !found.contains_key(u));
            put_in(&found, &mut equations, &mut values);
            continue;
        }
        let Some(step) = next_step(cx, &equations, &open, &mut wanted)? else {
            if is_simple {
                break;
            }
            // x − eᵃ − eᵃ contains a twice only as it stands.
            for e in &mut equations {
                e.left = simplify(cx, e.left)?;
            }
            is_simple = true;
            continue;
        };
        is_simple = false;
        for i in step.used {
            equations.remove(i);
        }
        equations.extend(step.instead);
        needs.extend(step.needs);
        let Some((unknown, value)) = step.solved else { continue };
        open.retain(|u| *u != unknown);
        // The value may contain unknowns that are still open; they are replaced when they are solved.
        put_in(&FxHashMap::from_iter([(unknown, value)]), &mut equations, &mut values);
    }
    let mut remaining = vec![];
    for e in conditions {
        let e = simplify(cx, e)?;
        if !is_zero(cx, e).is_yes() {
            remaining.push(e);
        }
    }
    let stuck = equations.iter().map(|e| e.left - e.right).collect();
    Ok(Solved { values, conditions: remaining, stuck, needs, wanted })
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

type AffineSolution = (Vec<usize>, FxHashMap<Symbol, Expr>, Expr);

/// Equations that are affine in all their unknowns, with coefficients without any, if there are as many of them as
/// unknowns and they can be solved: their indices, the solution, and the determinant.
fn affine_system(cx: &Inquiry, equations: &[Equation], open: &[Symbol]) -> Budgeted<Option<AffineSolution>> {
    let free = |e: Expr| !open.iter().any(|u| e.contains(*u));
    let affine = |e: &Equation| open.iter().all(|u| free(slope(cx, e.left, *u)));
    let used: Vec<usize> = (0..equations.len()).filter(|i| affine(&equations[*i])).collect();
    let occurs = |u: &Symbol| used.iter().any(|i| equations[*i].left.contains(*u));
    let unknowns: Vec<Symbol> = open.iter().copied().filter(occurs).collect();
    // One equation alone is a matter for the other rules.
    if unknowns.len() < 2 || unknowns.len() != used.len() {
        return Ok(None);
    }
    cx.check()?;
    let row = |i: &usize| unknowns.iter().map(|u| partial(cx, equations[*i].left, *u)).collect();
    let matrix = Matrix::from_rows(used.iter().map(row).collect());
    let (determinant, _) = conditions::collect(cx, |cx| matrix.det(cx));
    let determinant = simplify(cx, determinant?)?;
    if !is_zero(cx, determinant).is_no() {
        return Ok(None);
    }
    let origin: FxHashMap<Symbol, Expr> = unknowns.iter().map(|u| (*u, Expr::zero())).collect();
    let right: Vec<Expr> = used.iter().map(|i| equations[*i].right - substitute(equations[*i].left, &origin)).collect();
    let (adjugate, _) = conditions::collect(cx, |cx| matrix.adjugate(cx));
    let values = adjugate?.mul_vector(&right);
    let values = values.into_iter().map(|e| simplify(cx, e / determinant));
    let values = values.collect::<Budgeted<Vec<Expr>>>()?;
    Ok(Some((used, unknowns.into_iter().zip(values).collect(), determinant)))
}

/// Progress: equations used up (indices, the largest first), what replaces them, an unknown that is known now, and where
/// the step is right.
#[derive(Default)]
struct Step {
    used: Vec<usize>,
    instead: Vec<Equation>,
    solved: Option<(Symbol, Expr)>,
    needs: Vec<Condition>,
}

impl Step {
    /// The equation `i` gives the unknown.
    fn solves(i: usize, u: Symbol, (value, needs): (Expr, Vec<Condition>)) -> Step {
        Step { used: vec![i], solved: Some((u, value)), needs, ..Step::default() }
    }
}

/// The value of an unknown, and where it is one.
type Found = (Expr, Vec<Condition>);

fn next_step(cx: &Inquiry, equations: &[Equation], open: &[Symbol], wanted: &mut Vec<Expr>) -> Budgeted<Option<Step>> {
    // An equation with one unknown is solved first: triangular maps come apart from there. A circle is better described
    // by x² + y² = A² than by a root of it.
    for rule in [Rule::Linear, Rule::Circle, Rule::Isolation] {
        if rule == Rule::Circle {
            if let Some(step) = circle(cx, equations, open, true, wanted)? {
                return Ok(Some(step));
            }
            continue;
        }
        for (i, e) in equations.iter().enumerate() {
            let mut own = open.iter().copied().filter(|u| e.left.contains(*u));
            let (Some(u), None) = (own.next(), own.next()) else { continue };
            let found = if rule == Rule::Linear {
                linear(cx, e, u, open, true)?
            } else {
                isolate(cx, e.left, e.right, u, wanted)
            };
            if let Some(found) = found {
                return Ok(Some(Step::solves(i, u, found)));
            }
        }
    }
    // A coefficient without unknowns is better than one with.
    for strict in [true, false] {
        for (i, e) in equations.iter().enumerate() {
            for &u in open.iter().filter(|u| e.left.contains(**u)) {
                if let Some(found) = linear(cx, e, u, open, strict)? {
                    return Ok(Some(Step::solves(i, u, found)));
                }
            }
        }
        if let Some(step) = circle(cx, equations, open, false, wanted)? {
            return Ok(Some(step));
        }
    }
    for (i, e) in equations.iter().enumerate() {
        for &u in open.iter().filter(|u| e.left.contains(**u)) {
            if let Some(found) = isolate(cx, e.left, e.right, u, wanted) {
                return Ok(Some(Step::solves(i, u, found)));
            }
        }
    }
    // What no rule sees, the solver may: an equation with one unknown and one solution.
    for (i, e) in equations.iter().enumerate() {
        let mut own = open.iter().copied().filter(|u| e.left.contains(*u));
        let (Some(u), None) = (own.next(), own.next()) else { continue };
        if let Some(found) = only_solution(cx, e, u)? {
            return Ok(Some(Step::solves(i, u, found)));
        }
    }
    Ok(None)
}

/// The solution of an equation that has one wherever it has any.
fn only_solution(cx: &Inquiry, e: &Equation, u: Symbol) -> Budgeted<Option<Found>> {
    let found = match solver::solve(cx, &[e.left - e.right], &[u]) {
        Ok(found) => found,
        Err(Unsolved::Budget(stop)) => return Err(stop),
        Err(Unsolved::Beyond { .. }) => return Ok(None),
    };
    let [branch] = &found.branches[..] else { return Ok(None) };
    let [(_, value)] = branch.values[..] else { return Ok(None) };
    let is_thin = branch.conditions.iter().any(|c| c.relation == Relation::Equal);
    Ok((found.not_covered.is_empty() && !is_thin).then(|| (value, branch.conditions.clone())))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Linear,
    Circle,
    Isolation,
}

fn linear(cx: &Inquiry, e: &Equation, u: Symbol, open: &[Symbol], strict: bool) -> Budgeted<Option<Found>> {
    // Where the slope needs a condition on the unknown, it is not the same everywhere.
    let (slope, needed) = conditions::collect(cx, |cx| {
        let slope = partial(cx, e.left, u);
        if slope.contains(u) { simplify(cx, slope) } else { Ok(slope) }
    });
    let slope = slope?;
    if needed.iter().any(|e| e.contains(u)) {
        return Ok(None);
    }
    needed.into_iter().for_each(|e| conditions::record_nonzero(cx, e));
    if slope.contains(u) || (strict && open.iter().any(|v| slope.contains(*v))) || !is_zero(cx, slope).is_no() {
        return Ok(None);
    }
    let rest = substitute(e.left, &FxHashMap::from_iter([(u, Expr::zero())]));
    if rest.as_undefined().is_some() {
        return Ok(None);
    }
    Ok(Some(((e.right - rest) / slope, vec![Condition::nonzero(slope)])))
}

/// A·cos w and A·sin w, with a radius free of unknowns if only such `fixed` ones are asked for. A radius of unknown sign
/// is passed over, and what would tell its sign is noted.
fn circle(
    cx: &Inquiry,
    equations: &[Equation],
    open: &[Symbol],
    fixed: bool,
    wanted: &mut Vec<Expr>,
) -> Budgeted<Option<Step>> {
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
                if fixed && !known {
                    continue;
                }
                let mut needs = vec![];
                let radius_equation = if known {
                    Equation { left: radius.pow(2), right: square }
                } else if sign_of(cx, radius).is_positive() {
                    needs.push(Condition::positive(square));
                    Equation { left: radius, right: square.sqrt() }
                } else if sign_of(cx, radius).is_negative() {
                    needs.push(Condition::positive(square));
                    Equation { left: radius, right: -square.sqrt() }
                } else {
                    for factor in odd_factors(radius) {
                        let sign = sign_of(cx, factor);
                        if !sign.is_positive() && !sign.is_negative() && !wanted.contains(&factor) {
                            wanted.push(factor);
                        }
                    }
                    continue;
                };
                // cos w = x/A and sin w = y/A, so the angle of the point (x, y) is that of (A cos w, A sin w) up to the
                // sign of A.
                let (ax, ay) = match sign_of(cx, radius) {
                    sign if sign.is_positive() => (x, y),
                    sign if sign.is_negative() => (-x, -y),
                    _ => {
                        needs.push(Condition::nonzero(radius));
                        (x / radius, y / radius)
                    }
                };
                let angle_equation = Equation { left: angle, right: Expr::apply(Elementary::Atan2, &[ay, ax]) };
                let used = if i > j { vec![i, j] } else { vec![j, i] };
                return Ok(Some(Step { used, instead: vec![radius_equation, angle_equation], solved: None, needs }));
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
fn isolate(cx: &Inquiry, left: Expr, right: Expr, u: Symbol, wanted: &mut Vec<Expr>) -> Option<Found> {
    let (mut left, mut right) = (left, right);
    let mut needs = vec![];
    loop {
        if left.as_symbol() == Some(u) {
            return Some((right, needs));
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
                    needs.push(Condition::nonzero(rest));
                }
                root(cx, child, &factors[i].1, right / rest, &mut needs, wanted)?
            }
            // The base of a real power is positive, and so is the power.
            Node::Power(base, exponent) => {
                needs.push(Condition::positive(right));
                let divisor = if i == 0 { *exponent } else { Expr::apply(Elementary::Log, &[*base]) };
                needs.push(Condition::nonzero(divisor));
                match i {
                    0 => right.power(Expr::one() / divisor),
                    _ => Expr::apply(Elementary::Log, &[right]) / divisor,
                }
            }
            Node::Apply(f, _) => argument(cx, *f, child, right, &mut needs, wanted)?,
            _ => return None,
        };
        left = child;
    }
}

/// v from vⁿ = right. u³ takes every value once, but only for u of known sign its root is written; u² needs the sign.
fn root(
    cx: &Inquiry,
    v: Expr,
    n: &Rational,
    right: Expr,
    needs: &mut Vec<Condition>,
    wanted: &mut Vec<Expr>,
) -> Option<Expr> {
    if n.is_one() {
        return Some(right);
    }
    let reciprocal = n.recip()?;
    if (-n).is_one() {
        needs.push(Condition::nonzero(right));
        return Some(right.pow(reciprocal));
    }
    // What stands under a root is not negative wherever there is a value.
    let known = if n.is_integer() { sign(cx, v) } else { sign(cx, v).and(Sign::NONNEGATIVE) };
    let even = n.to_i64().is_some_and(|n| n % 2 == 0);
    let (power, negative) = match known {
        s if s.is_nonnegative() => (right, false),
        s if s.is_nonpositive() => (if even { right } else { -right }, true),
        _ => {
            want(cx, v, wanted);
            return None;
        }
    };
    let nowhere_zero = known.is_nonzero() || n.is_negative();
    needs.push(if nowhere_zero { Condition::positive(power) } else { Condition::nonnegative(power) });
    let root = power.pow(reciprocal);
    Some(if negative { -root } else { root })
}

/// w from f(w) = right, by the inverse on the monotone piece in which w lies; of an even function also on its mirror image.
fn argument(
    cx: &Inquiry,
    f: Elementary,
    w: Expr,
    right: Expr,
    needs: &mut Vec<Condition>,
    wanted: &mut Vec<Expr>,
) -> Option<Expr> {
    let row = f.row();
    let piece = row.piece?;
    let inverse = piece.inverse?;
    // Whether w lies in the interval; if that is open, it is what would help.
    let mut lies = |interval: Interval| {
        let sides = interval.sides(w).into_iter().map(|(side, _)| side);
        let missing: Vec<Expr> = sides.filter(|e| !sign(cx, *e).is_nonnegative()).collect();
        missing.iter().for_each(|e| want(cx, *e, wanted));
        missing.is_empty()
    };
    let whole = row.whole_piece().is_some();
    let mirrored = !whole && row.parity == Parity::Even && sign(cx, w).is_nonpositive() && lies(piece.on.negative());
    if !whole && !mirrored && !lies(piece.on) {
        return None;
    }
    // The end of a piece at 0 is where the range ends, and a w that is not zero does not reach it.
    let off_the_end = row.parity == Parity::Even && piece.on == Interval::NONNEGATIVE && sign(cx, w).is_nonzero();
    let conditions = row.range.conditions(right).into_iter();
    needs.extend(conditions.map(|c| if off_the_end { Condition::positive(c.left) } else { c }));
    // The cube root has no slope at 0.
    if row.slope == Slope::CubeRoot {
        needs.push(Condition::nonzero(right));
    }
    let size = inverse.of(right);
    Some(if mirrored { -size } else { size })
}

/// Notes what would help if it were positive; of e and −e the first.
fn want(cx: &Inquiry, e: Expr, wanted: &mut Vec<Expr>) {
    if !wanted.iter().any(|w| *w == e || is_zero(cx, *w + e).is_yes()) {
        wanted.push(e);
    }
}
