//! Values of expressions at points: exact where they are rational, enclosed in balls everywhere else.

use super::float::Float;
use super::{Ball, elementary, series};
use crate::algebra::expr::{Condition, Expr, Node, Relation, bottom_up};
use crate::algebra::function::Elementary;
use crate::algebra::number::Rational;
use crate::algebra::symbol::Symbol;
use crate::budget::Budget;
use crate::budget::{self, Budgeted};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Encloses the value of `e` at a point, computing with about so many bits. `None` if there is no
/// value: a symbol without a number, an unspecified function, something that is not real there.
pub fn evaluate(cx: &Budget, e: Expr, point: &FxHashMap<Symbol, Rational>, bits: u32) -> Budgeted<Option<Ball>> {
    Ok(evaluate_all(cx, &[e], point, bits)?.pop().flatten())
}

/// The same for several expressions that share nodes.
pub fn evaluate_all(
    cx: &Budget,
    roots: &[Expr],
    point: &FxHashMap<Symbol, Rational>,
    bits: u32,
) -> Budgeted<Vec<Option<Ball>>> {
    let p = bits.clamp(32, 1 << 18) + 16;
    values_from(cx, roots, |s| point.get(&s).map(|n| Ball::from_rational(n, p)), p)
}

/// The same where symbols are only known to lie in balls.
pub fn evaluate_enclosed(
    cx: &Budget,
    roots: &[Expr],
    point: &FxHashMap<Symbol, Ball>,
    bits: u32,
) -> Budgeted<Vec<Option<Ball>>> {
    values_from(cx, roots, |s| point.get(&s).cloned(), bits)
}

fn values_from(
    cx: &Budget,
    roots: &[Expr],
    value_of: impl Fn(Symbol) -> Option<Ball>,
    p: u32,
) -> Budgeted<Vec<Option<Ball>>> {
    let mut values: FxHashMap<Expr, Option<Ball>> = FxHashMap::default();
    // Below an integral only what does not depend on its variable has a value of its own.
    let parts = |e: Expr| match e.node() {
        Node::Integral { variable, body } => series::constants(*body, *variable),
        _ => e.children().to_vec(),
    };
    let known = |values: &FxHashMap<Expr, Option<Ball>>, e| values.contains_key(&e);
    bottom_up(&mut values, roots, known, parts, |values, e| {
        cx.check()?;
        let value = match e.node() {
            Node::Symbol(s) => value_of(*s),
            Node::Integral { variable, body } => series::integral(cx, *body, *variable, values, p)?,
            _ => node_value(e, &|c| values.get(&c).cloned().flatten(), p),
        };
        values.insert(e, value);
        Budgeted::Ok(())
    })?;
    Ok(roots.iter().map(|r| values.get(r).cloned().flatten()).collect())
}

/// The sign of `e` at a point, if it can be proved with at most so many bits. Zero is proved by exact
/// arithmetic only.
pub fn certified_sign(
    cx: &Budget,
    e: Expr,
    point: &FxHashMap<Symbol, Rational>,
    max_bits: u32,
) -> Budgeted<Option<i32>> {
    if let Some(n) = evaluate_exact(cx, e, point) {
        return Ok(Some(n.signum()));
    }
    let mut bits = 64;
    loop {
        match evaluate(cx, e, point, bits)? {
            None => return Ok(None),
            Some(ball) => {
                if let Some(sign) = ball.sign() {
                    return Ok(Some(sign));
                }
            }
        }
        if bits >= max_bits {
            return Ok(None);
        }
        bits = (bits * 2).min(max_bits);
    }
}

/// `e` at a point as so many correct decimal digits; more precision is tried until they are certain.
pub fn decimal(cx: &Budget, e: Expr, point: &FxHashMap<Symbol, Rational>, digits: usize) -> Budgeted<Option<String>> {
    let needed = (digits as u32).saturating_mul(10) / 3 + 16;
    for factor in [1, 2, 4, 8, 16, 32] {
        let Some(ball) = evaluate(cx, e, point, needed.saturating_mul(factor))? else { return Ok(None) };
        if let Some(text) = ball.decimal(digits) {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// The value of a node from the balls of its children.
fn node_value(e: Expr, value: &dyn Fn(Expr) -> Option<Ball>, p: u32) -> Option<Ball> {
    match e.node() {
        Node::Number(n) => Some(Ball::from_rational(n, p)),
        Node::Pi => Some(elementary::pi(p)),
        Node::Sum { constant, terms } => {
            let mut sum = Ball::from_rational(constant, p);
            for (term, coefficient) in terms.iter() {
                sum = sum.add(&scaled(&value(*term)?, coefficient, p), p);
            }
            Some(sum)
        }
        Node::Product(factors) => {
            let mut product = Ball::exact(Float::ONE);
            for (base, exponent) in factors.iter() {
                product = product.mul(&value(*base)?.rational_power(exponent, p)?, p);
            }
            Some(product)
        }
        Node::Power(base, exponent) => value(*base)?.real_power(&value(*exponent)?, p),
        Node::Apply(function, arguments) => {
            let arguments = arguments.iter().map(|a| value(*a)).collect::<Option<Vec<Ball>>>()?;
            apply(*function, &arguments, p)
        }
        Node::Piecewise { condition, then, otherwise } => match holds(condition, &value(condition.left)?) {
            Some(true) => value(*then),
            Some(false) => value(*otherwise),
            None => match (value(*then), value(*otherwise)) {
                (Some(a), Some(b)) => Some(a.hull(&b, p)),
                // One side has no value, perhaps because it is not meant here.
                (None, None) => None,
                _ => Some(Ball::everything()),
            },
        },
        Node::Symbol(_) | Node::Unknown { .. } | Node::Integral { .. } | Node::Undefined(_) => None,
    }
}

pub(super) fn scaled(ball: &Ball, by: &Rational, p: u32) -> Ball {
    let product = ball.mul(&Ball::exact(Float::new(by.numerator().to_big(), 0)), p);
    if by.is_integer() {
        return product;
    }
    product.div(&Ball::exact(Float::new(by.denominator().to_big(), 0)), p).unwrap_or_else(Ball::everything)
}

pub(super) fn apply(function: Elementary, x: &[Ball], p: u32) -> Option<Ball> {
    (function.row().ball)(x, p)
}

/// Whether the condition holds for all numbers of the ball (`None`: for some).
pub(super) fn holds(condition: &Condition, left: &Ball) -> Option<bool> {
    if let Some(sign) = left.sign() {
        return Some(condition.relation.holds(&Rational::from(i64::from(sign))));
    }
    let (low, high) = if left.is_everything() { return None } else { left.bounds(64) };
    match condition.relation {
        Relation::GreaterEqual if low.signum() >= 0 => Some(true),
        Relation::Less if low.signum() >= 0 => Some(false),
        Relation::LessEqual if high.signum() <= 0 => Some(true),
        Relation::Greater if high.signum() <= 0 => Some(false),
        _ => None,
    }
}

/// The value of `e` at a point as a rational number, if it is found to be one: rational operations,
/// roots that come out, and functions at their special points.
pub fn evaluate_exact(cx: &Budget, e: Expr, point: &FxHashMap<Symbol, Rational>) -> Option<Rational> {
    let mut values: FxHashMap<Expr, Option<Rational>> = FxHashMap::default();
    let parts = |e: Expr| match e.node() {
        Node::Integral { .. } | Node::Unknown { .. } => SmallVec::new(),
        _ => e.children(),
    };
    let known = |values: &FxHashMap<Expr, Option<Rational>>, e| values.contains_key(&e);
    bottom_up(&mut values, &[e], known, parts, |values, e| {
        cx.check()?;
        // Only the branches of a case distinction may lack a value.
        let value = exact_node(e, point, values).filter(|n| n.bits() <= budget::MAX_BITS);
        values.insert(e, value);
        Budgeted::Ok(())
    })
    .ok()?;
    values.remove(&e).flatten()
}

fn exact_node(
    e: Expr,
    point: &FxHashMap<Symbol, Rational>,
    values: &FxHashMap<Expr, Option<Rational>>,
) -> Option<Rational> {
    let value = |c: &Expr| values.get(c).and_then(Option::as_ref);
    match e.node() {
        Node::Number(n) => Some(n.clone()),
        Node::Symbol(s) => point.get(s).cloned(),
        Node::Sum { constant, terms } => {
            let mut sum = constant.clone();
            for (term, coefficient) in terms.iter() {
                sum = &sum + &(value(term)? * coefficient);
            }
            Some(sum)
        }
        Node::Product(factors) => {
            let mut product = Rational::ONE;
            for (base, exponent) in factors.iter() {
                product = &product * &exact_power(value(base)?, exponent)?;
            }
            Some(product)
        }
        Node::Power(base, exponent) => exact_power(value(base)?, value(exponent)?),
        Node::Apply(function, arguments) => {
            let numbers = arguments.iter().map(|a| value(a).map(|n| Expr::number(n.clone())));
            Expr::apply(*function, &numbers.collect::<Option<Vec<Expr>>>()?).as_number().cloned()
        }
        Node::Piecewise { condition, then, otherwise } => {
            if condition.relation.holds(value(&condition.left)?) { value(then) } else { value(otherwise) }.cloned()
        }
        Node::Pi | Node::Unknown { .. } | Node::Integral { .. } | Node::Undefined(_) => None,
    }
}

fn exact_power(base: &Rational, exponent: &Rational) -> Option<Rational> {
    if exponent.is_zero() {
        return Some(Rational::ONE);
    }
    if base.is_zero() && exponent.is_negative() {
        return None;
    }
    let root = if exponent.is_integer() {
        base.clone()
    } else if base.is_negative() {
        return None;
    } else {
        base.exact_root(u32::try_from(exponent.denominator().to_i64()?).ok()?)?
    };
    root.pow(exponent.numerator().to_i64()?).ok()
}
