//! Equations f(u) = 0 in which a quantity u stands beside functions of itself: x = sin x, e^(x+y) = 1 + x + y.
//!
//! To the polynomials u and sin u are two unknowns, and the differential (1 − cos u) du of u − sin u vanishes where the
//! equation holds, though its real points are those of u = 0. Two facts about an analytic f that is not constant help:
//!
//! - its zeros are isolated, so that u does not change along a curve: du = 0 is tangency, whatever f′ is ([`argument`]);
//! - if f, f′, …, f⁽ᵏ⁻¹⁾ vanish at a and f⁽ᵏ⁾ never changes its sign, then a is the only zero, by Taylor's formula with the
//!   remainder as an integral ([`only_zero`]).

use super::super::assume::Sign;
use super::super::decide;
use super::super::derive::partial;
use super::super::expr::Expr;
use super::super::generator::{Generator, Kind};
use super::super::normal::write::polynomial_expr;
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::cell::Frame;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// f(u), with a symbol for u.
struct Single {
    u: Expr,
    symbol: Symbol,
    f: Expr,
}

/// How often f is differentiated.
const DERIVATIVES: usize = 4;

/// The quantity of which the polynomial is an analytic function, if it stands beside functions of itself.
pub(crate) fn argument(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Option<Expr>> {
    Ok(single(cx, frame, p)?.map(|found| found.u))
}

/// u − a, if a is the only real zero of f(u) and a rational number that is looked at.
pub(super) fn only_zero(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Option<Polynomial>> {
    let Some(Single { u, symbol, f }) = single(cx, frame, p)? else { return Ok(None) };
    for a in [(0, 1), (1, 1), (-1, 1), (2, 1), (-2, 1), (1, 2), (-1, 2)] {
        let a = Expr::number(Rational::ratio(a.0, a.1));
        let there = FxHashMap::from_iter([(symbol, a)]);
        let vanishes = |e: Expr| decide::is_zero(cx, substitute(e, &there)).is_yes();
        let mut derivative = f;
        for _ in 0..DERIVATIVES {
            if !vanishes(derivative) {
                break;
            }
            derivative = partial(cx, derivative, symbol);
            let sign: Sign = decide::sign(cx, derivative);
            if sign != Sign::ZERO && (sign.is_nonnegative() || sign.is_nonpositive()) {
                return frame.read_numerator(cx, u - a).map(Some);
            }
        }
    }
    Ok(None)
}

/// Whether f has a real zero, as far as its signs at some numbers tell: it is continuous.
pub(super) fn has_zero(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<bool> {
    let Some(Single { symbol, f, .. }) = single(cx, frame, p)? else { return Ok(false) };
    let (mut has_positive, mut has_negative) = (false, false);
    for a in [0, 1, -1, 3, -3, 10, -10] {
        let sign = decide::sign(cx, substitute(f, &FxHashMap::from_iter([(symbol, Expr::number(Rational::from(a)))])));
        has_positive |= sign.is_positive();
        has_negative |= sign.is_negative();
    }
    Ok(has_positive && has_negative)
}

fn single(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Option<Single>> {
    let mut u: Option<Expr> = None;
    let mut symbols: Vec<u32> = Vec::new();
    for &v in p.variables() {
        if frame.is_constant(v) {
            continue;
        }
        match Generator(v).kind() {
            Kind::Symbol(_) => symbols.push(v),
            Kind::Sine(w)
            | Kind::Cosine(w)
            | Kind::HyperbolicSine(w)
            | Kind::HyperbolicCosine(w)
            | Kind::Exponential(w) => {
                if *u.get_or_insert(w) != w {
                    return Ok(None);
                }
            }
            _ => return Ok(None),
        }
    }
    let Some(u) = u.filter(|_| !symbols.is_empty()) else { return Ok(None) };
    let symbol = stand_in(u);
    let t = Generator::of_symbol(symbol).0;
    // u = a·x + w: what p says of x is written in u, and no coordinate may be left.
    let Some((n, d)) = frame.read(cx, u)? else { return Ok(None) };
    let Some(u_polynomial) = d.as_constant().and_then(|d| n.unscale(&d)) else { return Ok(None) };
    let is_pivot = |x: &&u32| u_polynomial.degree_in(**x) == 1 && u_polynomial.coefficient_in(**x, 1).is_constant();
    let Some(&x) = symbols.iter().find(is_pivot) else { return Ok(None) };
    let Some(a) = u_polynomial.coefficient_in(x, 1).as_constant() else { return Ok(None) };
    let rest = &Polynomial::variable(t) - &u_polynomial.coefficient_in(x, 0);
    let Some(value) = rest.unscale(&a) else { return Ok(None) };
    let in_t = p.substitute(cx, x, &value)?;
    let is_done = |v: &u32| *v == t || frame.is_constant(*v) || !matches!(Generator(*v).kind(), Kind::Symbol(_));
    if !in_t.variables().iter().all(is_done) || !in_t.contains(t) {
        return Ok(None);
    }
    // The functions, too, are functions of the symbol.
    let mut f = in_t.clone();
    let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for &v in in_t.variables().iter().filter(|v| **v != t && !frame.is_constant(**v)) {
        let name = stand_in(Generator(v).meaning());
        values.insert(name, of_symbol(v, symbol));
        f = f.rename(|w| if w == v { Generator::of_symbol(name).0 } else { w });
    }
    Ok(Some(Single { u, symbol, f: substitute(polynomial_expr(&f), &values) }))
}

/// The same function of the symbol.
fn of_symbol(v: u32, symbol: Symbol) -> Expr {
    use super::super::function::Elementary::{Cos, Cosh, Exp, Sin, Sinh};
    let function = match Generator(v).kind() {
        Kind::Sine(_) => Sin,
        Kind::Cosine(_) => Cos,
        Kind::HyperbolicSine(_) => Sinh,
        Kind::HyperbolicCosine(_) => Cosh,
        Kind::Exponential(_) => Exp,
        _ => return Generator(v).meaning(),
    };
    Expr::apply(function, &[Expr::symbol(symbol)])
}

/// The symbol that stands for a quantity; always the same one for the same quantity.
fn stand_in(meaning: Expr) -> Symbol {
    thread_local!(static KNOWN: RefCell<FxHashMap<Expr, Symbol>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| *known.entry(meaning).or_insert_with(|| Symbol::parameter(&meaning.to_string())))
}
