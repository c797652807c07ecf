//! Real factors: splitting a polynomial over an extension of its constants by a real root.
//!
//! b² − 4ac = g·h² with a number or parameter g > 0 that is no square gives two factors,
//! x² − 3y² = (x − √3 y)(x + √3 y); two terms that are n-th powers up to constants give the real ones among their linear
//! factors, x⁴ = 2y⁴ the lines x = ±⁴√2 y. Whether a polynomial has one sign, and where it then vanishes, is
//! [`decide::positivity`](super::super::decide::positivity)'s to say.

use super::super::assume::Sign;
use super::super::decide::semidefinite;
use super::super::factor::factor_once;
use super::super::generator::reduce;
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// What is known of the constants in a polynomial: parameters, numbers such as √3.
pub trait Constants {
    fn is_constant(&self, variable: u32) -> bool;
    /// The sign of a polynomial in constants.
    fn sign_of(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Sign>;
    /// The n-th root of a positive polynomial in constants, as a polynomial in a generator for it.
    fn root_of(&self, cx: &Inquiry, p: &Polynomial, n: u32) -> Budgeted<Option<Polynomial>>;
}

fn is_constant(p: &Polynomial, constants: &impl Constants) -> bool {
    p.variables().iter().all(|v| constants.is_constant(*v))
}

/// Real factors of an irreducible polynomial over an extension of the constants by a real root, up to factors
/// without real zeros. A polynomial in one unknown is left as it is: its zeros are a finite family.
pub fn split_over_roots(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    match quadratic_split(cx, p, constants)? {
        Some(factors) => Ok(Some(factors)),
        None => binomial_split(cx, p, constants),
    }
}

/// a·y² + b·y + c with y = xᵏ, where b² − 4ac = g·h² with a constant g > 0: 2a·y + b ± √g·h.
fn quadratic_split(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    for &v in p.variables() {
        let degree = p.degree_in(v);
        if degree % 2 == 1 || degree == 0 || constants.is_constant(v) {
            continue;
        }
        let parts = p.coefficients_in(v);
        let half = degree as usize / 2;
        if parts.iter().enumerate().any(|(k, c)| k % half != 0 && !c.is_zero()) {
            continue;
        }
        let (c, b, a) = (&parts[0], &parts[half], &parts[2 * half]);
        if !is_constant(a, constants) && !semidefinite(cx, a)?.is_some_and(|s| s.has_no_zero()) {
            continue;
        }
        let discriminant = &b.mul(cx, b)? - &a.mul(cx, c)?.scale(&Rational::from(4));
        let discriminant = reduce(cx, discriminant)?;
        let is_even = |v: &u32| constants.is_constant(*v) || discriminant.degree_in(*v) % 2 == 0;
        if is_constant(&discriminant, constants) || !discriminant.variables().iter().all(is_even) {
            continue;
        }
        let parts = factor_once(cx, &discriminant);
        let (mut g, mut h) = (Polynomial::constant(parts.unit.clone()), Polynomial::one());
        for (f, n) in &parts.factors {
            h = h.mul(cx, &f.pow(cx, n / 2)?)?;
            if n % 2 == 1 {
                g = g.mul(cx, f)?;
            }
        }
        if is_constant(&h, constants) || !is_constant(&g, constants) || !constants.sign_of(cx, &g)?.is_positive() {
            continue;
        }
        let Some(root) = constants.root_of(cx, &g, 2)? else { continue };
        let line = &a.mul(cx, &Polynomial::power(v, half as u32))?.scale(&Rational::from(2)) + b;
        let offset = root.mul(cx, &h)?;
        return Ok(Some(vec![&line - &offset, &line + &offset]));
    }
    Ok(None)
}

/// a·uⁿ + b·wⁿ with monomials u, w in the unknowns: a·u = ±ⁿ√(−b·aⁿ⁻¹)·w for even n, one sign for odd n.
fn binomial_split(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    let unknowns: Vec<u32> = p.variables().iter().copied().filter(|v| !constants.is_constant(*v)).collect();
    let terms = p.coefficients_with_respect_to(&unknowns);
    let [(u, a), (w, b)] = terms.as_slice() else { return Ok(None) };
    if u.is_empty() || w.is_empty() {
        return Ok(None);
    }
    let n = u.iter().chain(w.iter()).fold(0, |n, (_, e)| gcd(n, *e));
    if n < 2 {
        return Ok(None);
    }
    let radicand = b.mul(cx, &a.pow(cx, n - 1)?)?.scale(&Rational::from(-1));
    let radicand = reduce(cx, radicand)?;
    let sign = constants.sign_of(cx, &radicand)?;
    let negative = sign.is_negative();
    let has_root = sign.is_positive() || (negative && n % 2 == 1);
    if !has_root {
        return Ok(None);
    }
    let positive = if negative { radicand.scale(&Rational::from(-1)) } else { radicand };
    let Some(root) = constants.root_of(cx, &positive, n)? else { return Ok(None) };
    let part = |m: &Monomial| -> Polynomial {
        let monomial: Monomial = m.iter().map(|(v, e)| (*v, e / n)).collect();
        Polynomial::from_terms([(monomial, Rational::ONE)])
    };
    let (left, right) = (a.mul(cx, &part(u))?, root.mul(cx, &part(w))?);
    Ok(Some(match (n % 2, negative) {
        (0, _) => vec![&left - &right, &left + &right],
        (_, false) => vec![&left - &right],
        (_, true) => vec![&left + &right],
    }))
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
