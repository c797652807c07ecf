//! Equations f(u) = 0 in which a quantity u stands beside functions of itself: x = sin x, e^(x+y) = 1 + x + y.
//!
//! To the polynomials u and sin u are two unknowns, and the differential (1 − cos u) du of u − sin u vanishes where the
//! equation holds, though its real points are those of u = 0. Two facts about an analytic f that is not constant help:
//!
//! - its zeros are isolated, so that u does not change along a curve: du = 0 is tangency, whatever f′ is ([`argument`]);
//! - if f, f′, …, f⁽ᵏ⁻¹⁾ vanish at a and f⁽ᵏ⁾ never changes its sign, then a is the only zero, by Taylor's formula with the
//!   remainder as an integral ([`only_zero`]).
//!
//! An elementary function that is monotone on its whole domain takes a value once: atan u = 0, sinh u = 0 and log u = 0 say u = 0, u = 0
//! and u = 1.

use super::super::assume::Sign;
use super::super::decide;
use super::super::derive::partial;
use super::super::expr::{Expr, Node};
use super::super::function::Domain;
use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::cell::Frame;
use super::coupling::fixed;
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
    if let Some(difference) = monotone_argument(frame, p) {
        return frame.read_numerator(cx, difference).map(Some);
    }
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

/// u − a for an equation f(u) = f(a) between a monotone function and a number, if a is a rational number that its row names.
fn monotone_argument(frame: &Frame, p: &Polynomial) -> Option<Expr> {
    let (v, value) = fixed(p)?;
    let meaning = Generator(v).meaning();
    let Node::Apply(f, [u]) = meaning.node() else { return None };
    let row = f.row();
    let is_monotone = row.piece.is_some_and(|piece| row.domain == Domain::Interval(piece.on));
    if !is_monotone || frame.is_constant(v) {
        return None;
    }
    let (at, _) = row.values.iter().find(|(_, y)| y.as_rational().is_some_and(|y| y == value))?;
    Some(*u - Expr::number(at.as_rational()?))
}

/// Whether f has a real zero, as far as its signs at some numbers tell: it is continuous.
pub(super) fn has_zero(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<bool> {
    let Some(Single { symbol, f, .. }) = single(cx, frame, p)? else { return Ok(false) };
    let (mut has_positive, mut has_negative) = (false, false);
    for a in [0, 1, -1, 3, -3, 10, -10] {
        let there = substitute(f, &FxHashMap::from_iter([(symbol, Expr::number(Rational::from(a)))]));
        if decide::is_zero(cx, there).is_yes() {
            return Ok(true);
        }
        let sign = decide::sign(cx, there);
        has_positive |= sign.is_positive();
        has_negative |= sign.is_negative();
    }
    Ok(has_positive && has_negative)
}

/// Larger polynomials are not looked at.
const MAX_TERMS: usize = 16;
const MAX_SYMBOLS: usize = 4;

/// p as a function of u = Σ rᵢxᵢ, which it is if its derivatives by the coordinates have constant ratios. Sines of sums are
/// expanded, so that the derivatives say what the generators do not.
fn single(cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Option<Single>> {
    if p.n_terms() > MAX_TERMS {
        return Ok(None);
    }
    let (mut has_functions, mut stands_alone) = (false, false);
    let mut symbols: Vec<Symbol> = Vec::new();
    for &v in p.variables().iter().filter(|v| !frame.is_constant(**v)) {
        match Generator(v).kind() {
            Kind::Symbol(_) => stands_alone = true,
            Kind::Sine(_)
            | Kind::Cosine(_)
            | Kind::HyperbolicSine(_)
            | Kind::HyperbolicCosine(_)
            | Kind::Exponential(_) => has_functions = true,
            _ => return Ok(None),
        }
        let inside = Generator(v).meaning().symbols();
        symbols.extend(inside.iter().copied().filter(|s| frame.coordinates().contains(s)));
    }
    symbols.sort();
    symbols.dedup();
    // Sine and cosine of one angle alone are dealt with by their relation.
    let is_candidate = has_functions && (stands_alone || symbols.len() > 1);
    if !is_candidate || symbols.len() > MAX_SYMBOLS {
        return Ok(None);
    }
    let e = frame.write(p);
    let mut first: Option<Polynomial> = None;
    let mut terms: Vec<(Symbol, Rational)> = Vec::new();
    for &s in &symbols {
        let Some((n, d)) = frame.read(cx, partial(cx, e, s))? else { return Ok(None) };
        let Some(slope) = d.as_constant().and_then(|d| n.unscale(&d)) else { return Ok(None) };
        let first = first.get_or_insert_with(|| slope.clone());
        if first.is_zero() || slope.is_zero() {
            return Ok(None);
        }
        let ratio = &slope.leading_coefficient() / &first.leading_coefficient();
        if slope != first.scale(&ratio) {
            return Ok(None);
        }
        terms.push((s, ratio));
    }
    let u = Expr::add_all(terms.iter().map(|(s, r)| Expr::symbol(*s) * Expr::number(r.clone())));
    let symbol = stand_in(u);
    // The first ratio is one: u is the first coordinate where the others vanish.
    let value = |i: usize| if i == 0 { Expr::symbol(symbol) } else { Expr::zero() };
    let line: FxHashMap<Symbol, Expr> = terms.iter().enumerate().map(|(i, (s, _))| (*s, value(i))).collect();
    Ok(Some(Single { u, symbol, f: substitute(e, &line) }))
}

/// The symbol that stands for a quantity; always the same one for the same quantity.
fn stand_in(meaning: Expr) -> Symbol {
    thread_local!(static KNOWN: RefCell<FxHashMap<Expr, Symbol>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| *known.entry(meaning).or_insert_with(|| Symbol::helper(&meaning.to_string())))
}
