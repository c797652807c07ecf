//! Coordinates that stand beside functions of themselves.
//!
//! To the polynomials b and sin b are two unknowns. Where the equations give b a number the other is known as well: b = 0
//! makes sin b = 0 and cos b = 1. At any other rational number sine, cosine and exponential take transcendental
//! values (Lindemann), so that an equation with rational coefficients for one of them cannot hold there.

use super::super::expr::Expr;
use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::substitute::substitute;
use super::basis::Basis;
use super::cell::Frame;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// What follows for functions of coordinates that the equations fix.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Coupling {
    Nothing,
    Contradiction,
    /// Equations that the basis does not contain yet.
    Equations(Vec<Polynomial>),
}

pub(super) fn coupling(cx: &Inquiry, frame: &Frame, basis: &Basis) -> Budgeted<Coupling> {
    let mut new = Vec::new();
    for (v, value) in basis.elements().iter().filter_map(fixed) {
        let Kind::Symbol(s) = Generator(v).kind() else { continue };
        let map = FxHashMap::from_iter([(s, Expr::number(value.clone()))]);
        for g in frame.generators_in_play() {
            let kind = Generator(g).kind();
            let has_value = !matches!(kind, Kind::Symbol(_)) && !Generator(g).is_unspecified();
            if g == v || !has_value || !Generator(g).meaning().contains(s) {
                continue;
            }
            let here = substitute(Generator(g).meaning(), &map);
            if here.as_undefined().is_some() {
                // log x has no value where x = −1.
                return Ok(Coupling::Contradiction);
            }
            if let Some(x) = here.as_number() {
                let equation = &Polynomial::variable(g) - &Polynomial::constant(x.clone());
                if !basis.normal_form_as_written(cx, frame, &equation)?.0.is_zero() {
                    new.push(equation);
                }
            } else if is_transcendental(&kind, s, &value) && basis.elements().iter().any(|e| e.variables() == [g]) {
                return Ok(Coupling::Contradiction);
            }
        }
    }
    for g in frame.generators_in_play() {
        if let Some(x) = basis.value_of(cx, frame, g)? {
            let equation = &Polynomial::variable(g) - &Polynomial::constant(x);
            if !basis.normal_form_as_written(cx, frame, &equation)?.0.is_zero() && !new.contains(&equation) {
                new.push(equation);
            }
        }
    }
    Ok(if new.is_empty() { Coupling::Nothing } else { Coupling::Equations(new) })
}

/// Whether an equation only says what a function is at a coordinate that another equation fixes: sin b = 0 beside b = 0.
pub(super) fn is_implied(e: &Polynomial, elements: &[Polynomial]) -> bool {
    let Some((g, value)) = fixed(e) else { return false };
    let meaning = Generator(g).meaning();
    if meaning.as_symbol().is_some() || Generator(g).is_unspecified() {
        return false;
    }
    elements.iter().filter_map(fixed).any(|(v, x)| {
        let Kind::Symbol(s) = Generator(v).kind() else { return false };
        let here = substitute(meaning, &FxHashMap::from_iter([(s, Expr::number(x))]));
        here.as_number().is_some_and(|found| *found == value)
    })
}

/// The variable and its value, of an equation that says just that.
pub(super) fn fixed(e: &Polynomial) -> Option<(u32, Rational)> {
    let [v] = e.variables() else { return None };
    if e.total_degree() != 1 {
        return None;
    }
    let (slope, offset) = (e.coefficient_in(*v, 1).as_constant()?, e.coefficient_in(*v, 0).as_constant()?);
    Some((*v, -&(&offset / &slope)))
}

/// Whether the function of the symbol has a transcendental value at the number: a sine, cosine or exponential of a rational
/// multiple of it, at a number that is not zero.
fn is_transcendental(kind: &Kind, s: super::super::symbol::Symbol, value: &Rational) -> bool {
    let argument = match kind {
        Kind::Sine(u)
        | Kind::Cosine(u)
        | Kind::Exponential(u)
        | Kind::HyperbolicSine(u)
        | Kind::HyperbolicCosine(u) => *u,
        _ => return false,
    };
    let here = substitute(argument, &FxHashMap::from_iter([(s, Expr::number(value.clone()))]));
    here.as_number().is_some_and(|x| !x.is_zero())
}
