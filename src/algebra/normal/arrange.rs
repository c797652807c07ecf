//! Equations as a textbook arranges them.
//!
//! [`simplify`] looks for the shortest form, and the shortest form of an equation of motion is seldom
//! the one on the page. There the accelerations come first, each with its coefficient, then what is
//! quadratic in the velocities, then the forces; every term has its own denominator; and sines and
//! cosines stand together as the sine or cosine of a difference wherever that is one term instead
//! of two:
//!
//! ```text
//! (m1 + m2)*l1^2*theta1'' + m2*l1*l2*cos(theta1 - theta2)*theta2''
//!     + m2*l1*l2*sin(theta1 - theta2)*theta2'^2 + (m1 + m2)*g*l1*sin(theta1)
//! ```
//!
//! The numerator of the normal form is read as a polynomial in what moves (derivatives, momenta,
//! multipliers). Each coefficient is split by its parameters into trigonometric polynomials with
//! numbers as coefficients; each of these is written in the shortest of three ways, the
//! coefficients of equal ones are put together again, and factored.

use super::tidy::length;
use super::{NormalForm, normal_form, simplify, write};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::conditions;
use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::generator::{Generator, Kind};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::algebra::symbol::SymbolKind;
use crate::budget::Budgeted;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// `e` as a textbook would write it. Equal to `e` where the recorded conditions hold.
pub fn arrange(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    Ok(under_one_root(cx, arranged(cx, e)?))
}

/// √a·√b as √(ab) where both are known not to be negative.
fn under_one_root(cx: &Inquiry, e: Expr) -> Expr {
    let is_half = |(base, n): &(Expr, Rational)| {
        n.abs() == Rational::HALF && !base.is_number() && sign_of(cx, *base).is_nonnegative()
    };
    let has_two = |x: &Expr| matches!(x.node(), Node::Product(f) if f.iter().filter(|f| is_half(f)).count() > 1);
    if cx.facts().is_empty() || !post_order(&[e]).iter().any(has_two) {
        return e;
    }
    let mut new: FxHashMap<Expr, Expr> = FxHashMap::default();
    for x in post_order(&[e]) {
        let now = |c: &Expr| new.get(c).copied().unwrap_or(*c);
        let changed = match x.node() {
            Node::Sum { constant, terms } => {
                Expr::sum(constant.clone(), terms.iter().map(|(t, k)| (now(t), k.clone())))
            }
            Node::Product(factors) => {
                let (halves, others): (Vec<_>, Vec<_>) = factors.iter().cloned().partition(is_half);
                let rest = Expr::product(Rational::ONE, others.iter().map(|(b, n)| (now(b), n.clone())));
                match halves.len() {
                    0 => rest,
                    1 => rest * now(&halves[0].0).pow(halves[0].1.clone()),
                    _ => {
                        let all_below = halves.iter().all(|(_, n)| n.is_negative());
                        let two = Rational::from(if all_below { -2 } else { 2 });
                        let inside = halves.iter().map(|(b, n)| (now(b), n * &two));
                        let half = if all_below { -&Rational::HALF } else { Rational::HALF };
                        rest * Expr::product(Rational::ONE, inside).pow(half)
                    }
                }
            }
            Node::Apply(f, arguments) => Expr::apply(*f, &arguments.iter().map(now).collect::<Vec<_>>()),
            _ => x,
        };
        if changed != x {
            new.insert(x, changed);
        }
    }
    new.get(&e).copied().unwrap_or(e)
}

fn arranged(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    if e.is_number() || e.as_symbol().is_some() || e.as_undefined().is_some() {
        return Ok(e);
    }
    let form = normal_form(cx, e)?.cancel(cx)?;
    if form.as_undefined().is_some() {
        return simplify(cx, e);
    }
    let (arranged, _) = conditions::collect(cx, |cx| termwise(cx, &form));
    let Some((arranged, in_motion)) = arranged? else { return simplify(cx, e) };
    if !in_motion {
        let (simple, recorded) = conditions::collect(cx, |cx| simplify(cx, e));
        let simple = simple?;
        if length(simple) <= length(arranged) {
            recorded.into_iter().for_each(|x| conditions::record_nonzero(cx, x));
            return Ok(simple);
        }
    }
    form.record_conditions(cx);
    Ok(arranged)
}

/// The form term by term, and whether accelerations, momenta or multipliers occur in it. `None` if it has
/// no useful form of this kind.
fn termwise(cx: &Inquiry, form: &NormalForm) -> Budgeted<Option<(Expr, bool)>> {
    let Ok((n, d)) = form.fraction(cx) else { return Ok(None) };
    let Some((below, divisor)) = d.terms().next().filter(|_| d.n_terms() == 1) else { return Ok(None) };
    let roles: Vec<(u32, Role)> = n.variables().iter().map(|&g| (g, role(g))).collect();
    if below.iter().any(|(g, _)| role(*g) >= Role::Velocity) || n.n_terms() > 4096 {
        return Ok(None);
    }
    let has = |g: u32, at_least: Role| roles.iter().any(|(v, r)| *v == g && *r >= at_least);
    let mut groups: IndexMap<Monomial, Vec<(Monomial, Rational)>> = IndexMap::new();
    for (monomial, coefficient) in n.terms() {
        let (moving, rest) = split(&monomial, |g| has(g, Role::Velocity));
        groups.entry(moving).or_default().push((rest, &coefficient / &divisor));
    }
    let mut terms: Vec<Expr> = Vec::new();
    for (moving, list) in groups {
        cx.check()?;
        let moving = powers(&moving, 1);
        let coefficient = coefficient_terms(cx, list, &below, moving.is_one())?;
        if moving.is_one() {
            terms.extend(coefficient);
        } else {
            terms.push(Expr::add_all(coefficient) * moving);
        }
    }
    let in_motion = roles.iter().any(|(_, r)| *r == Role::Acceleration);
    Ok(Some((Expr::add_all(terms), in_motion)))
}

/// What a generator means for the arrangement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Parameter,
    Configuration,
    Velocity,
    Acceleration,
}

fn role(g: u32) -> Role {
    let of = |kind: SymbolKind| match kind {
        SymbolKind::Parameter => Role::Parameter,
        SymbolKind::Jet { order: 0, .. } | SymbolKind::Base | SymbolKind::Bound => Role::Configuration,
        SymbolKind::Jet { order: 1, .. } => Role::Velocity,
        SymbolKind::Jet { .. }
        | SymbolKind::Velocity { .. }
        | SymbolKind::Momentum { .. }
        | SymbolKind::Variation { .. }
        | SymbolKind::Multiplier(_) => Role::Acceleration,
    };
    let meaning = Generator(g).meaning();
    let highest = meaning.symbols().into_iter().map(|s| of(s.kind())).max().unwrap_or(Role::Parameter);
    // A function of a velocity is collected with it, but is not what an equation is solved for.
    if meaning.as_symbol().is_none() { highest.min(Role::Velocity) } else { highest }
}

/// The part of a monomial that is chosen, and the rest.
fn split(monomial: &Monomial, chosen: impl Fn(u32) -> bool) -> (Monomial, Monomial) {
    let part = |yes: bool| monomial.iter().filter(|(g, _)| chosen(*g) == yes).copied().collect();
    (part(true), part(false))
}

fn powers(monomial: &Monomial, sign: i64) -> Expr {
    write::powers_expr(monomial.iter().map(|&(g, n)| (g, sign * i64::from(n))))
}

/// Σ number·rest / below as a list of terms: one per trigonometric shape, and if `apart`, one per power
/// of the coordinates, too.
fn coefficient_terms(
    cx: &Inquiry,
    list: Vec<(Monomial, Rational)>,
    below: &Monomial,
    apart: bool,
) -> Budgeted<Vec<Expr>> {
    let is_angle = |g: u32| matches!(Generator(g).kind(), Kind::Sine(_) | Kind::Cosine(_));
    let mut by_rest: IndexMap<Monomial, Vec<(Monomial, Rational)>> = IndexMap::new();
    for (monomial, number) in list {
        let (angles, rest) = split(&monomial, is_angle);
        by_rest.entry(rest).or_default().push((angles, number));
    }
    // Shape, and power of the coordinates: their coefficients in the parameters.
    let mut shapes: IndexMap<(Expr, Monomial), Vec<(Monomial, Rational)>> = IndexMap::new();
    for (rest, angles) in by_rest {
        let angles = Polynomial::from_terms(angles);
        let content = angles.content().abs();
        let content = if angles.leading_coefficient().is_negative() { -&content } else { content };
        let shape = shortest(cx, &angles.unscale(&content).unwrap_or(angles))?;
        let (coordinates, parameters) = split(&rest, |g| apart && role(g) == Role::Configuration);
        shapes.entry((shape, coordinates)).or_default().push((parameters, content));
    }
    let below = powers(below, -1);
    let mut terms = Vec::new();
    for ((shape, coordinates), parameters) in shapes {
        let front = write::polynomial_expr(&Polynomial::from_terms(parameters)) * below;
        let front = simplify(cx, front * powers(&coordinates, 1))?;
        terms.push(front * shape);
    }
    Ok(terms)
}

/// A trigonometric polynomial with the fewest terms: with squared cosines or squared sines replaced, or
/// as a sum of sines and cosines of whole combinations of the angles.
fn shortest(cx: &Inquiry, p: &Polynomial) -> Budgeted<Expr> {
    let mut best = p.clone();
    let sines: Vec<u32> =
        p.variables().iter().map(|&g| if matches!(Generator(g).kind(), Kind::Cosine(_)) { g - 1 } else { g }).collect();
    for s in sines {
        let swapped = without_squares(cx, &best, s)?;
        if swapped.n_terms() < best.n_terms() {
            best = swapped;
        }
    }
    if best.n_terms() > 1
        && let Some(harmonics) = Harmonics::of(&best)
    {
        let sum = harmonics.terms();
        if sum.len() < best.n_terms() {
            return Ok(Expr::add_all(sum));
        }
    }
    Ok(write::polynomial_expr(&best))
}

/// s² = 1 − c² used until s is of degree at most one; the cosine is the next generator.
pub(super) fn without_squares(cx: &Inquiry, p: &Polynomial, s: u32) -> Budgeted<Polynomial> {
    let square = &Polynomial::one() - &Polynomial::power(s + 1, 2);
    let parts = p.coefficients_in(s);
    let mut sum = Polynomial::zero();
    for pair in parts.chunks(2).rev() {
        sum = &sum.mul(cx, &square)? + &Polynomial::from_coefficients_in(cx, s, pair)?;
    }
    Ok(sum)
}

/// Σ (a + ib) e^{i k·u}: a trigonometric polynomial in its Fourier coefficients.
struct Harmonics {
    angles: Vec<Expr>,
    coefficients: IndexMap<SmallVec<[i32; 4]>, (Rational, Rational)>,
}

impl Harmonics {
    /// `None` if there would be too many.
    fn of(p: &Polynomial) -> Option<Harmonics> {
        let angle = |g: u32| match Generator(g).kind() {
            Kind::Sine(u) | Kind::Cosine(u) => Some(u),
            _ => None,
        };
        let mut angles: Vec<Expr> = Vec::new();
        for &g in p.variables() {
            let u = angle(g)?;
            if !angles.contains(&u) {
                angles.push(u);
            }
        }
        if angles.len() > 4 || p.total_degree() > 8 || p.n_terms() > 64 {
            return None;
        }
        let mut all = Harmonics { coefficients: IndexMap::new(), angles };
        for (monomial, number) in p.terms() {
            let start: SmallVec<[i32; 4]> = SmallVec::from_elem(0, all.angles.len());
            let mut product = IndexMap::from([(start, (number, Rational::ZERO))]);
            for (g, n) in monomial {
                let at = all.angles.iter().position(|u| Some(*u) == angle(g))?;
                let sine = matches!(Generator(g).kind(), Kind::Sine(_));
                for _ in 0..n {
                    product = times_wave(&product, at, sine);
                }
            }
            for (k, c) in product {
                add(&mut all.coefficients, k, c);
            }
        }
        all.coefficients.retain(|_, (a, b)| !a.is_zero() || !b.is_zero());
        Some(all)
    }

    /// 2a cos(k·u) − 2b sin(k·u) for each pair ±k.
    fn terms(&self) -> Vec<Expr> {
        let mut terms = Vec::new();
        for (k, (a, b)) in &self.coefficients {
            let Some(first) = k.iter().find(|n| **n != 0) else {
                terms.push(Expr::number(a.clone()));
                continue;
            };
            if *first < 0 {
                continue;
            }
            let argument = self.angles.iter().zip(k).map(|(u, n)| (*u, Rational::from(i64::from(*n))));
            let argument = Expr::sum(Rational::ZERO, argument);
            for (function, weight) in [(Elementary::Cos, a.clone()), (Elementary::Sin, -b)] {
                if !weight.is_zero() {
                    terms.push(Expr::apply(function, &[argument]).scale(&(&weight * &Rational::from(2))));
                }
            }
        }
        terms
    }
}

type Waves = IndexMap<SmallVec<[i32; 4]>, (Rational, Rational)>;

fn add(waves: &mut Waves, k: SmallVec<[i32; 4]>, (a, b): (Rational, Rational)) {
    let entry = waves.entry(k).or_insert((Rational::ZERO, Rational::ZERO));
    *entry = (&entry.0 + &a, &entry.1 + &b);
}

/// Times cos u = (e^{iu} + e^{−iu})/2, or sin u = (e^{iu} − e^{−iu})/2i.
fn times_wave(waves: &Waves, at: usize, sine: bool) -> Waves {
    let mut product = Waves::new();
    for (k, (a, b)) in waves {
        for step in [1, -1] {
            let mut k = k.clone();
            k[at] += step;
            // (a + ib)·(∓i)/2 = (±b ∓ ia)/2
            let half = Rational::ratio(if sine { i64::from(step) } else { 1 }, 2);
            let c = if sine { (b * &half, &-a * &half) } else { (a * &half, b * &half) };
            add(&mut product, k, c);
        }
    }
    product
}
