//! Coordinates that stand beside functions of themselves.
//!
//! To the polynomials b and sin b are two unknowns. Where the equations give b a number the other is known as well: b = 0
//! makes sin b = 0 and cos b = 1. At any other rational number sine, cosine and exponential take transcendental
//! values (Lindemann), so that an equation with rational coefficients for one of them cannot hold there.
//!
//! The same where an equation gives b as a polynomial in other coordinates: a = b makes V(a) = V(b), and a = 2·b makes
//! sin a = 2·sin b·cos b. Such equations are added for the functions that occur. They hold at all points of the set and take
//! nothing away from its dimension ([`follows`]).

use super::super::expr::Expr;
use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
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
    let map = solved(cx, frame, basis.elements())?;
    for g in frame.generators_in_play() {
        let Some(equation) = elsewhere(cx, frame, g, &map)? else { continue };
        if !basis.normal_form_as_written(cx, frame, &equation)?.0.is_zero() && !new.contains(&equation) {
            new.push(equation);
        }
    }
    Ok(if new.is_empty() { Coupling::Nothing } else { Coupling::Equations(new) })
}

/// Longer equations are not looked at for coordinates that they give.
const MAX_TERMS: usize = 8;

/// Coordinates that the equations give as polynomials in other coordinates and parameters.
fn solved(cx: &Inquiry, frame: &Frame, elements: &[Polynomial]) -> Budgeted<FxHashMap<Symbol, Expr>> {
    let mut values: Vec<(u32, Polynomial)> = Vec::new();
    let stands_inside = |s: Symbol| {
        let is_function = |g: &u32| !matches!(Generator(*g).kind(), Kind::Symbol(_));
        frame.generators_in_play().iter().any(|g| is_function(g) && Generator(*g).meaning().contains(s))
    };
    for e in elements.iter().filter(|e| e.n_terms() <= MAX_TERMS) {
        if !e.variables().iter().all(|v| matches!(Generator(*v).kind(), Kind::Symbol(_))) {
            continue;
        }
        let e = e.substitute_all(cx, &values)?;
        let gives = |v: &&u32| {
            let moves = matches!(Generator(**v).kind(), Kind::Symbol(s) if stands_inside(s)) && !frame.is_constant(**v);
            moves && e.degree_in(**v) == 1 && e.coefficient_in(**v, 1).is_constant()
        };
        // x = 2·y and not y = x/2: multiples are expanded, parts are not.
        let size = |v: &u32| e.coefficient_in(*v, 1).as_constant().map(|x| x.abs());
        let Some(v) = e.variables().iter().filter(gives).copied().min_by_key(size) else { continue };
        let Some(slope) = e.coefficient_in(v, 1).as_constant() else { continue };
        let value = e.coefficient_in(v, 0).scale(&-&(&Rational::ONE / &slope));
        for (_, other) in &mut values {
            *other = other.substitute(cx, v, &value)?;
        }
        values.push((v, value));
    }
    let symbol = |(v, value): (u32, Polynomial)| match Generator(v).kind() {
        Kind::Symbol(s) => Some((s, frame.write(&value))),
        _ => None,
    };
    Ok(values.into_iter().filter_map(symbol).collect())
}

/// What a function is where coordinates have these values, as an equation between it and others that occur.
fn elsewhere(cx: &Inquiry, frame: &Frame, g: u32, map: &FxHashMap<Symbol, Expr>) -> Budgeted<Option<Polynomial>> {
    let meaning = Generator(g).meaning();
    let is_function = !matches!(Generator(g).kind(), Kind::Symbol(_) | Kind::Pi | Kind::Indicator);
    if !is_function || !map.keys().any(|s| meaning.contains(*s)) {
        return Ok(None);
    }
    let here = substitute(meaning, map);
    if here.as_undefined().is_some() {
        return Ok(None);
    }
    let Some((n, d)) = frame.fraction(cx, here)? else { return Ok(None) };
    let in_play = frame.generators_in_play();
    let occurs = |v: &u32| matches!(Generator(*v).kind(), Kind::Symbol(_) | Kind::Pi) || in_play.contains(v);
    if !n.variables().iter().chain(d.variables()).all(occurs) {
        return Ok(None);
    }
    Ok(Some(&Polynomial::variable(g).mul(cx, &d)? - &n))
}

/// Whether an equation only says what functions are where other equations give the coordinates in them: sin a = sin b beside
/// a = b.
pub(super) fn follows(cx: &Inquiry, frame: &Frame, e: &Polynomial, elements: &[Polynomial]) -> Budgeted<bool> {
    let is_function = |v: &u32| !matches!(Generator(*v).kind(), Kind::Symbol(_) | Kind::Pi);
    if e.n_terms() > MAX_TERMS || !e.variables().iter().any(is_function) {
        return Ok(false);
    }
    let map = solved(cx, frame, elements)?;
    if map.is_empty() {
        return Ok(false);
    }
    let here = substitute(frame.write(e), &map);
    Ok(here.as_undefined().is_none() && frame.fraction(cx, here)?.is_some_and(|(n, _)| n.is_zero()))
}

/// How many of these variables are functions that the equations give through their arguments; those with a relation, as
/// cosines, are not counted.
pub(super) fn n_given(cx: &Inquiry, frame: &Frame, basis: &Basis, variables: &[u32]) -> Budgeted<usize> {
    let functions: Vec<u32> = variables
        .iter()
        .copied()
        .filter(|v| !matches!(Generator(*v).kind(), Kind::Symbol(_) | Kind::Pi))
        .filter(|v| Generator(*v).relation().is_none() && !frame.is_constant(*v))
        .collect();
    if functions.is_empty() {
        return Ok(0);
    }
    let map = solved(cx, frame, basis.elements())?;
    let mut n = 0;
    for g in functions {
        let is_given = match elsewhere(cx, frame, g, &map)? {
            Some(equation) => basis.normal_form_as_written(cx, frame, &equation)?.0.is_zero(),
            None => basis.value_of(cx, frame, g)?.is_some(),
        };
        n += usize::from(is_given);
    }
    Ok(n)
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
fn is_transcendental(kind: &Kind, s: Symbol, value: &Rational) -> bool {
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
