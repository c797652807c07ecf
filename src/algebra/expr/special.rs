//! Values that functions have at special arguments, and what follows from parity.

use super::{Expr, Node, Undefined};
use crate::algebra::assume::sign_of_shape;
use crate::algebra::function::{Elementary, Inverse};
use crate::algebra::number::Rational;

/// Whether the canonical form of ±e is −e: the youngest-first rule of thumb is the sign of the first
/// coefficient.
pub(super) fn is_negative_form(e: Expr) -> bool {
    match e.node() {
        Node::Number(n) => n.is_negative(),
        Node::Sum { constant, terms } => {
            if terms.is_empty() {
                constant.is_negative()
            } else {
                terms[0].1.is_negative()
            }
        }
        _ => false,
    }
}

/// The multiple r with e = rπ.
fn as_multiple_of_pi(e: Expr) -> Option<Rational> {
    match e.node() {
        Node::Pi => Some(Rational::ONE),
        Node::Number(n) if n.is_zero() => Some(Rational::ZERO),
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 && terms[0].0 == Expr::pi() => {
            Some(terms[0].1.clone())
        }
        _ => None,
    }
}

/// sin(rπ) for r a multiple of 1/6 or 1/4.
fn sine_of_pi_times(r: &Rational) -> Option<Expr> {
    // Into [0, 2).
    let two = Rational::from(2);
    let turns = Rational::integer((r / &two).floor());
    let r = r - &(&two * &turns);
    let (r, sign) = if r >= Rational::ONE { (&r - &Rational::ONE, -1) } else { (r, 1) };
    let r = if r > Rational::HALF { &Rational::ONE - &r } else { r };
    let value = if r.is_zero() {
        Expr::zero()
    } else if r == Rational::ratio(1, 6) {
        Expr::ratio(1, 2)
    } else if r == Rational::ratio(1, 4) {
        Expr::number(2).sqrt().scale(&Rational::HALF)
    } else if r == Rational::ratio(1, 3) {
        Expr::number(3).sqrt().scale(&Rational::HALF)
    } else if r == Rational::HALF {
        Expr::one()
    } else if r == Rational::ratio(1, 10) {
        // The pentagon: sin 18° = (√5 − 1)/4, sin 54° = (√5 + 1)/4.
        (Expr::number(5).sqrt() - 1).scale(&Rational::ratio(1, 4))
    } else if r == Rational::ratio(3, 10) {
        (Expr::number(5).sqrt() + 1).scale(&Rational::ratio(1, 4))
    } else {
        return None;
    };
    Some(value.scale(&Rational::from(sign)))
}

/// The angles rπ in [−π/2, π/2] whose sine is known.
fn known_angles() -> impl Iterator<Item = Rational> {
    [(0, 1), (1, 6), (1, 4), (1, 3), (1, 2), (1, 10), (3, 10)]
        .into_iter()
        .flat_map(|(n, d)| [Rational::ratio(n, d), Rational::ratio(-n, d)])
}

/// The angle between −π/2 and π/2 of which this number is the sine: π/6 of 1/2.
fn angle_with_sine(x: Expr) -> Option<Rational> {
    if x.mask() != 0 {
        return None;
    }
    known_angles().find(|r| sine_of_pi_times(r) == Some(x))
}

/// The angle between −π/2 and π/2 of which this number is the tangent.
fn angle_with_tangent(x: Expr) -> Option<Rational> {
    if x.mask() != 0 {
        return None;
    }
    let cosine = |r: &Rational| sine_of_pi_times(&(r + &Rational::HALF));
    known_angles().find(|r| match (sine_of_pi_times(r), cosine(r)) {
        (Some(s), Some(c)) => !c.is_zero() && s / c == x,
        _ => false,
    })
}

fn times_pi(r: Rational) -> Expr {
    Expr::pi().scale(&r)
}

/// The angle of the point (x, y) where it is a known multiple of π, neither coordinate being 0.
fn known_direction(y: Expr, x: Expr) -> Option<Expr> {
    if x.mask() != 0 || y.mask() != 0 {
        return None;
    }
    let angle = times_pi(angle_with_tangent(y / x)?);
    if sign_of_shape(x).is_positive() {
        return Some(angle);
    }
    // On the left the angle of −(x, y) turns by half a turn.
    match (sign_of_shape(x).is_negative(), sign_of_shape(y)) {
        (true, sign) if sign.is_positive() => Some(angle + Expr::pi()),
        (true, sign) if sign.is_negative() => Some(angle - Expr::pi()),
        _ => None,
    }
}

pub(super) fn special_value(function: Elementary, arguments: &[Expr]) -> Option<Expr> {
    let (row, x) = (function.row(), arguments[0]);
    if let Some(value) = x.as_number().and_then(|n| row.value_at(n)) {
        return Some(value);
    }
    // f(g(u)) = u where f undoes g, which has a value and is monotone everywhere: log eᵘ, sinh(arsinh u).
    if let Node::Apply(g, u) = x.node()
        && g.row().is_total()
        && g.row().whole_piece().is_some_and(|piece| piece.inverse == Some(Inverse::Function(function)))
    {
        return Some(u[0]);
    }
    row.special.and_then(|special| special(arguments))
}

// What rows name as their `special`: a value at an argument that is no number of the row's list.

pub(in crate::algebra) fn sine(x: &[Expr]) -> Option<Expr> {
    as_multiple_of_pi(x[0]).and_then(|r| sine_of_pi_times(&r))
}

pub(in crate::algebra) fn cosine(x: &[Expr]) -> Option<Expr> {
    as_multiple_of_pi(x[0]).and_then(|r| sine_of_pi_times(&(&r + &Rational::HALF)))
}

pub(in crate::algebra) fn tangent(x: &[Expr]) -> Option<Expr> {
    Some(sine(x)? / cosine(x)?)
}

pub(in crate::algebra) fn arcsine(x: &[Expr]) -> Option<Expr> {
    angle_with_sine(x[0]).map(times_pi)
}

/// cos(π/2 − a) = sin a.
pub(in crate::algebra) fn arccosine(x: &[Expr]) -> Option<Expr> {
    angle_with_sine(x[0]).map(|r| times_pi(&Rational::HALF - &r))
}

pub(in crate::algebra) fn arctangent(x: &[Expr]) -> Option<Expr> {
    angle_with_tangent(x[0]).map(times_pi)
}

/// The angle of (x, y), of arguments y and x.
pub(in crate::algebra) fn direction(yx: &[Expr]) -> Option<Expr> {
    let (y, x) = (yx[0], yx[1]);
    match (y.as_number(), x.as_number()) {
        (Some(y), Some(x)) if y.is_zero() && x.is_zero() => Some(Expr::undefined(Undefined::NotReal)),
        (Some(y), Some(x)) if y.is_zero() && !x.is_negative() => Some(Expr::zero()),
        (Some(y), Some(_)) if y.is_zero() => Some(Expr::pi()),
        (Some(y), Some(x)) if x.is_zero() => Some(Expr::pi().scale(&Rational::ratio(i64::from(y.signum()), 2))),
        _ => known_direction(y, x),
    }
}

/// u where x = log u, which is real only for u > 0.
fn argument_of_logarithm(x: &[Expr]) -> Option<Expr> {
    match x[0].node() {
        Node::Apply(Elementary::Log, u) => Some(u[0]),
        _ => None,
    }
}

/// e^(log u) = u.
pub(in crate::algebra) fn exponential(x: &[Expr]) -> Option<Expr> {
    argument_of_logarithm(x)
}

/// Likewise with the exponentials that it is made of.
pub(in crate::algebra) fn hyperbolic_sine(x: &[Expr]) -> Option<Expr> {
    argument_of_logarithm(x).map(|u| (u - u.pow(-1)) / 2)
}

pub(in crate::algebra) fn hyperbolic_cosine(x: &[Expr]) -> Option<Expr> {
    argument_of_logarithm(x).map(|u| (u + u.pow(-1)) / 2)
}

/// The real root of a number is a power of its size.
pub(in crate::algebra) fn cube_root(x: &[Expr]) -> Option<Expr> {
    let n = x[0].as_number()?;
    let root = Expr::number(n.abs()).pow(Rational::ratio(1, 3));
    Some(if n.is_negative() { -root } else { root })
}

pub(in crate::algebra) fn size(x: &[Expr]) -> Option<Expr> {
    let x = x[0];
    if let Some(n) = x.as_number() {
        return Some(Expr::number(n.abs()));
    }
    let sign = sign_of_shape(x);
    if sign.is_nonnegative() {
        return Some(x);
    }
    if sign.is_nonpositive() {
        return Some(-x);
    }
    let size = |e: Expr| Expr::apply(Elementary::Abs, &[e]);
    match x.node() {
        // |c·u| = |c|·|u|
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            Some(size(terms[0].0).scale(&terms[0].1.abs()))
        }
        // |Π b^e| = Π |b|^e
        Node::Product(factors) if factors.iter().all(|(_, e)| e.is_integer()) => {
            Some(Expr::product(Rational::ONE, factors.iter().map(|(b, e)| (size(*b), e.clone()))))
        }
        Node::Apply(Elementary::Abs, _) => Some(x),
        _ => None,
    }
}

pub(in crate::algebra) fn sign(x: &[Expr]) -> Option<Expr> {
    let sign = sign_of_shape(x[0]);
    if sign.is_positive() {
        Some(Expr::one())
    } else if sign.is_negative() {
        Some(Expr::number(-1))
    } else {
        None
    }
}

pub(in crate::algebra) fn least(x: &[Expr]) -> Option<Expr> {
    extreme(Elementary::Min, x)
}

pub(in crate::algebra) fn greatest(x: &[Expr]) -> Option<Expr> {
    extreme(Elementary::Max, x)
}

/// Of several numbers among the arguments one is left.
fn extreme(function: Elementary, arguments: &[Expr]) -> Option<Expr> {
    let mut numbers: Vec<&Rational> = arguments.iter().filter_map(|a| a.as_number()).collect();
    if numbers.len() < 2 {
        return None;
    }
    numbers.sort();
    let extreme = if function == Elementary::Min { numbers[0] } else { numbers[numbers.len() - 1] };
    let rest = arguments.iter().copied().filter(|a| !a.is_number());
    let all: Vec<Expr> = rest.chain([Expr::number(extreme.clone())]).collect();
    Some(if all.len() == 1 { all[0] } else { Expr::apply(function, &all) })
}
