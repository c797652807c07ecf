//! Greatest common divisors in one variable with coefficients of one word: modulo one large prime, then checked.
//!
//! The monic gcd modulo p has at least the degree of the gcd. Multiplied by the gcd of the leading coefficients and
//! read with the smallest residues it is a candidate; if its primitive part divides both arguments it is the gcd.
//! Whatever does not fit is left to the general way.

use super::Polynomial;
use super::gcd::Cofactors;
use super::modular::{PrimeField, dense};
use super::packed::Layout;
use crate::algebra::number::Integer;
use smallvec::SmallVec;

/// Longer lists are better served by the general way.
const MAX_DEGREE: u32 = 400;

/// The gcd of two polynomials in `x` without integer content; `None` if it could not be found this way.
pub(super) fn word_gcd(a: &Polynomial, b: &Polynomial, x: u32) -> Option<Cofactors> {
    let (ca, cb) = (coefficients(a)?, coefficients(b)?);
    let field = PrimeField::nth(0);
    let image = |c: &[i64]| c.iter().map(|&n| field.residue_of(n)).collect::<Vec<u64>>();
    let (ia, ib) = (image(&ca), image(&cb));
    if ia.last() == Some(&0) || ib.last() == Some(&0) {
        return None;
    }
    let common = dense::gcd(ia, ib, &field);
    if common.len() == 1 {
        return Some(Cofactors { gcd: Polynomial::one(), left: a.clone(), right: b.clone() });
    }
    let lead = gcd(*ca.last()?, *cb.last()?);
    let scale = field.residue_of(lead);
    let mut candidate: Vec<i64> = common.iter().map(|&c| field.symmetric(field.mul(c, scale))).collect();
    let content = candidate.iter().fold(0, |g, &c| if g == 1 { 1 } else { gcd(g, c) });
    if content > 1 {
        candidate.iter_mut().for_each(|c| *c /= content);
    }
    let (left, right) = (quotient(&ca, &candidate)?, quotient(&cb, &candidate)?);
    Some(Cofactors { gcd: polynomial(&candidate, x), left: polynomial(&left, x), right: polynomial(&right, x) })
}

/// By increasing power; `None` unless all are words and the degree is moderate.
fn coefficients(p: &Polynomial) -> Option<Vec<i64>> {
    let degree = p.layout().exponent(p.monomial_words(0), 0);
    if degree > MAX_DEGREE {
        return None;
    }
    let mut list = vec![0; degree as usize + 1];
    for (i, c) in p.integer_coefficients().iter().enumerate() {
        list[p.layout().exponent(p.monomial_words(i), 0) as usize] = c.to_i64()?;
    }
    Some(list)
}

fn polynomial(list: &[i64], x: u32) -> Polynomial {
    let layout = Layout::for_exponents(SmallVec::from_slice(&[x]), list.len() as u32 - 1);
    let (mut monomials, mut coefficients) = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
    for (e, &c) in list.iter().enumerate().rev().filter(|(_, c)| **c != 0) {
        layout.pack(&[e as u32], &mut monomials);
        coefficients.push(Integer::from(c));
    }
    Polynomial::from_sorted(layout, monomials, coefficients, Integer::ONE)
}

/// Not negative.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// a/b if it has integer coefficients of one word and no remainder.
fn quotient(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let n = b.len() - 1;
    let lead = i128::from(b[n]);
    let mut rest: Vec<i128> = a.iter().map(|&c| i128::from(c)).collect();
    let mut quotient = vec![0i64; a.len().checked_sub(n)?];
    for k in (0..quotient.len()).rev() {
        let top = rest[k + n];
        if top == 0 {
            continue;
        }
        if top % lead != 0 {
            return None;
        }
        let q = i64::try_from(top / lead).ok()?;
        quotient[k] = q;
        for (r, &d) in rest[k..k + n].iter_mut().zip(b) {
            *r = r.checked_sub(i128::from(q) * i128::from(d))?;
        }
    }
    rest[..n].iter().all(|r| *r == 0).then_some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Inquiry;
    use crate::algebra::number::Rational;

    fn p(list: &[i64]) -> Polynomial {
        polynomial(list, 7)
    }

    #[test]
    fn common_factors_are_found_and_checked() {
        let cx = &Inquiry::free();
        let g = p(&[3, 0, -2, 5]);
        let (a, b) = (g.mul(cx, &p(&[1, 1, 4])).unwrap(), g.mul(cx, &p(&[-7, 0, 0, 6])).unwrap());
        let found = word_gcd(&a, &b, 7).unwrap();
        assert_eq!((found.gcd, found.left, found.right), (g, p(&[1, 1, 4]), p(&[-7, 0, 0, 6])));
        let coprime = word_gcd(&p(&[1, 1]), &p(&[2, 1]), 7).unwrap();
        assert!(coprime.gcd.is_one());
        // The gcd of the leading coefficients is too much: the content goes.
        let (a, b) = (p(&[1, 2]).mul(cx, &p(&[5, 4])).unwrap(), p(&[1, 2]).mul(cx, &p(&[9, 4])).unwrap());
        assert_eq!(word_gcd(&a, &b, 7).unwrap().gcd, p(&[1, 2]));
    }

    #[test]
    fn long_coefficients_are_left_to_others() {
        let big = Polynomial::variable(7).scale(&Rational::from(3).pow(60).unwrap());
        assert!(word_gcd(&(&big + &Polynomial::one()), &p(&[1, 1]), 7).is_none());
    }
}
