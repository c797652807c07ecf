//! Real zeros: what a polynomial equation says when its unknowns are real numbers.
//!
//! x² + y² = 0 is two equations and x⁴ + y² + 2 = 0 has no solution, although neither polynomial factors.
//! Three facts are recognised, each a proof:
//!
//! - *semidefinite*: p ≥ 0 (or p ≤ 0) everywhere, with its zeros given by simpler equations. Sums of even
//!   monomials of one sign are; a polynomial quadratic in x is if its square can be completed,
//!   4ap = (2ax + b)² + (4ac − b²), with a of one sign and 4ac − b² again semidefinite;
//! - *split over a real quadratic extension*: b² − 4ac = g·h² with a number or parameter g > 0 that is no square
//!   gives two factors, x² − 3y² = (x − √3 y)(x + √3 y);
//! - *without real roots*: a polynomial in one variable, by Sturm's theorem.
//!
//! Signs of generators count: e^u > 0, √u ≥ 0, m > 0 by assumption.

use super::super::assume::Sign;
use super::super::factor::factor;
use super::super::generator::Generator;
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use super::super::roots::count_real_roots;
use crate::budget::Budgeted;

/// A polynomial that never changes its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semidefinite {
    pub is_negative: bool,
    /// The real zeros of the polynomial are the common zeros of these; `[1]` if it has none.
    pub zeros: Vec<Polynomial>,
}

impl Semidefinite {
    pub fn has_no_zero(&self) -> bool {
        self.zeros.iter().any(|z| z.is_constant() && !z.is_zero())
    }
}

/// How deep completed squares may be nested.
const MAX_DEPTH: u32 = 6;

/// Recognises a polynomial of one sign. `None` says that no rule applies, not that the sign changes.
pub fn semidefinite(p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    semidefinite_within(p, MAX_DEPTH)
}

fn semidefinite_within(p: &Polynomial, depth: u32) -> Budgeted<Option<Semidefinite>> {
    crate::budget::check()?;
    if p.is_zero() {
        return Ok(Some(Semidefinite { is_negative: false, zeros: vec![] }));
    }
    if let Some(found) = even_terms(p) {
        return Ok(Some(found));
    }
    if depth == 0 {
        return Ok(None);
    }
    // An even power, or a product of polynomials of one sign.
    let parts = factor(p);
    let is_power_or_product = parts.factors.len() > 1 || parts.factors.iter().any(|(_, n)| *n > 1);
    if is_power_or_product {
        let mut is_negative = parts.unit.is_negative();
        let mut zeros = vec![Polynomial::one()];
        for (f, n) in &parts.factors {
            let here = if n % 2 == 0 {
                vec![f.clone()]
            } else {
                let Some(found) = semidefinite_within(f, depth - 1)? else { return Ok(None) };
                is_negative ^= found.is_negative;
                found.zeros
            };
            // The zeros of a product are the union: every product of one equation from each side.
            let mut products = Vec::new();
            for a in &zeros {
                for b in &here {
                    products.push(a.mul(b)?);
                }
            }
            zeros = products;
        }
        return Ok(Some(Semidefinite { is_negative, zeros }));
    }
    if let [v] = p.variables()
        && count_real_roots(p, None, None)? == 0
    {
        let is_negative = p.evaluate_at(&[(*v, Rational::ZERO)])?.is_some_and(|value| value.is_negative());
        return Ok(Some(Semidefinite { is_negative, zeros: vec![Polynomial::one()] }));
    }
    completed_square(p, depth)
}

/// Every term of the same sign, whatever the values: even powers, and generators of known sign.
fn even_terms(p: &Polynomial) -> Option<Semidefinite> {
    let mut is_negative: Option<bool> = None;
    let mut zeros = Vec::new();
    for (monomial, coefficient) in p.terms() {
        let sign = monomial_sign(&monomial)?;
        let negative = sign ^ coefficient.is_negative();
        if *is_negative.get_or_insert(negative) != negative {
            return None;
        }
        let radical = monomial.iter().filter(|(v, _)| Generator(*v).sign().can_be_zero).map(|(v, _)| (*v, 1));
        zeros.push(Polynomial::from_terms([(radical.collect::<Monomial>(), Rational::ONE)]));
    }
    if zeros.iter().any(|z| z.is_one()) {
        zeros = vec![Polynomial::one()];
    }
    Some(Semidefinite { is_negative: is_negative?, zeros })
}

/// Whether the monomial is ≤ 0 wherever it is not zero; `None` if its sign can change.
fn monomial_sign(monomial: &Monomial) -> Option<bool> {
    let mut negative = false;
    for (v, n) in monomial.iter().filter(|(_, n)| n % 2 == 1) {
        let _ = n;
        let sign: Sign = Generator(*v).sign();
        match (sign.can_be_negative, sign.can_be_positive) {
            (true, true) => return None,
            (true, false) => negative = !negative,
            _ => {}
        }
    }
    Some(negative)
}

/// 4ap = (2ax + b)² + (4ac − b²) for a variable in which p is quadratic with a leading coefficient of one sign.
fn completed_square(p: &Polynomial, depth: u32) -> Budgeted<Option<Semidefinite>> {
    let mut candidates: Vec<(bool, u32)> = p
        .variables()
        .iter()
        .filter(|v| p.degree_in(**v) == 2)
        .map(|v| (!p.leading_coefficient_in(*v).is_constant(), *v))
        .collect();
    candidates.sort();
    for (_, v) in candidates {
        let [c, b, a] = quadratic_in(p, v);
        let Some(lead) = semidefinite_within(&a, depth - 1)?.filter(Semidefinite::has_no_zero) else { continue };
        let four = Rational::from(4);
        let rest = &a.mul(&c)?.scale(&four) - &b.mul(&b)?;
        let Some(rest) = semidefinite_within(&rest, depth - 1)?.filter(|r| !r.is_negative || r.zeros.is_empty()) else {
            continue;
        };
        let mut zeros = vec![&a.mul(&Polynomial::variable(v))?.scale(&Rational::from(2)) + &b];
        if rest.has_no_zero() {
            zeros = vec![Polynomial::one()];
        } else {
            zeros.extend(rest.zeros);
        }
        return Ok(Some(Semidefinite { is_negative: lead.is_negative, zeros }));
    }
    Ok(None)
}

/// c + bx + ax².
fn quadratic_in(p: &Polynomial, v: u32) -> [Polynomial; 3] {
    let mut parts = p.coefficients_in(v);
    parts.resize(3, Polynomial::zero());
    [parts[0].clone(), parts[1].clone(), parts[2].clone()]
}

/// The two real factors of an irreducible quadratic whose discriminant is g·h² with a constant g > 0; up to a
/// factor without zeros. `is_constant` says which generators are constants.
pub fn quadratic_split(
    p: &Polynomial,
    is_constant: impl Fn(u32) -> bool,
    root_of: impl Fn(&Polynomial) -> Budgeted<Option<Polynomial>>,
) -> Budgeted<Option<[Polynomial; 2]>> {
    for &v in p.variables() {
        if p.degree_in(v) != 2 || is_constant(v) {
            continue;
        }
        let [c, b, a] = quadratic_in(p, v);
        if !a.variables().iter().all(|v| is_constant(*v)) && !semidefinite(&a)?.is_some_and(|s| s.has_no_zero()) {
            continue;
        }
        let discriminant = &b.mul(&b)? - &a.mul(&c)?.scale(&Rational::from(4));
        let parts = factor(&discriminant);
        let (mut g, mut h) = (Polynomial::constant(parts.unit.clone()), Polynomial::one());
        for (f, n) in &parts.factors {
            h = h.mul(&f.pow(n / 2)?)?;
            if n % 2 == 1 {
                g = g.mul(f)?;
            }
        }
        if h.is_constant() || !g.variables().iter().all(|v| is_constant(*v)) {
            continue;
        }
        let positive = semidefinite(&g)?.is_some_and(|s| s.has_no_zero() && !s.is_negative);
        if !positive {
            continue;
        }
        let Some(root) = root_of(&g)? else { continue };
        let line = &a.mul(&Polynomial::variable(v))?.scale(&Rational::from(2)) + &b;
        let offset = root.mul(&h)?;
        return Ok(Some([&line - &offset, &line + &offset]));
    }
    Ok(None)
}
