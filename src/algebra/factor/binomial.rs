//! Two terms: aⁿ − bⁿ and aⁿ + bⁿ by cyclotomic polynomials.
//!
//! ```text
//! aⁿ − bⁿ = ∏_{d | n} Φ_d(a, b),      aⁿ + bⁿ = ∏_{d | 2n, d ∤ n} Φ_d(a, b),      Φ_d(a, b) = b^φ(d) Φ_d(a/b)
//! ```
//!
//! Modulo every prime these fall into many small pieces, which would all have to be combined again. If a/b is no power of
//! another quotient of monomials, it can be taken as a coordinate, and each Φ_d(a, b) is irreducible because Φ_d is.

use super::Step;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::Budget;
use crate::budget::Budgeted;

/// Larger exponents are left to the general algorithm.
const MAX_EXPONENT: u32 = 20_000;

/// The factors of a polynomial of two terms without common monomial; `None` if it is not of this kind, or its factors are not
/// all of this kind and it is one of them.
pub(super) fn binomial_factors(cx: &Budget, f: &Polynomial) -> Budgeted<Option<Step>> {
    let terms: Vec<(Monomial, Rational)> = f.terms().collect();
    let [(left, p), (right, q)] = terms.as_slice() else { return Ok(None) };
    if left.iter().any(|(v, _)| right.iter().any(|(w, _)| v == w)) {
        return Ok(None);
    }
    let k = left.iter().chain(right.iter()).fold(0, |g, (_, e)| gcd(g, *e));
    if !(2..=MAX_EXPONENT).contains(&k) {
        return Ok(None);
    }
    // The largest n for which both terms are n-th powers up to signs.
    let roots = |n: u32| Some((p.abs().exact_root(n)?, q.abs().exact_root(n)?));
    let Some((n, (r, s))) = divisors(k).into_iter().rev().filter(|n| *n > 1).find_map(|n| Some((n, roots(n)?))) else {
        return Ok(None);
    };
    let is_difference = p.is_negative() != q.is_negative();
    let indices: Vec<u32> = if is_difference {
        divisors(n)
    } else {
        divisors(2 * n).into_iter().filter(|d| !n.is_multiple_of(*d)).collect()
    };
    if indices.len() == 1 && k > n {
        return Ok(None);
    }
    let root = |m: &Monomial| -> Monomial { m.iter().map(|(v, e)| (*v, e / n)).collect() };
    let (a, b) = ((root(left), r), (root(right), s));
    let mut factors = Vec::with_capacity(indices.len());
    for d in indices {
        cx.check()?;
        factors.push(homogeneous(&cyclotomic(d), &a, &b)?.primitive_part());
    }
    Ok(Some(if k == n { Step::Irreducibles(factors) } else { Step::Product(factors) }))
}

/// Σ cᵢ aⁱ b^(m−i) for terms a and b.
fn homogeneous(c: &[i64], (a, r): &(Monomial, Rational), (b, s): &(Monomial, Rational)) -> Budgeted<Polynomial> {
    let degree = c.len() - 1;
    let mut terms = Vec::new();
    for (i, c) in c.iter().enumerate().filter(|(_, c)| **c != 0) {
        let (i, j) = (i as u32, (degree - i) as u32);
        let times = |m: &Monomial, n: u32| m.iter().map(move |(v, e)| (*v, e * n)).collect::<Vec<_>>();
        let monomial: Monomial = times(a, i).into_iter().chain(times(b, j)).filter(|(_, e)| *e > 0).collect();
        let coefficient = &(&r.pow(i64::from(i))? * &s.pow(i64::from(j))?) * &Rational::integer(Integer::from(*c));
        terms.push((monomial, coefficient));
    }
    Ok(Polynomial::from_terms(terms))
}

/// Φ_d, lowest coefficient first: ∏_{e | d} (xᵉ − 1)^μ(d/e).
fn cyclotomic(d: u32) -> Vec<i64> {
    let mut c = vec![1i64];
    let (above, below): (Vec<u32>, Vec<u32>) =
        divisors(d).into_iter().filter(|e| moebius(d / e) != 0).partition(|e| moebius(d / e) == 1);
    for e in above {
        let e = e as usize;
        let mut product = vec![0; c.len() + e];
        for (i, x) in c.iter().enumerate() {
            product[i + e] += x;
            product[i] -= x;
        }
        c = product;
    }
    for e in below {
        // Division by xᵉ − 1 from the lowest coefficient up: c = (xᵉ − 1)·q gives qᵢ = qᵢ₋ₑ − cᵢ.
        let e = e as usize;
        let mut quotient = vec![0; c.len() - e];
        for i in 0..quotient.len() {
            quotient[i] = if i >= e { quotient[i - e] } else { 0 } - c[i];
        }
        c = quotient;
    }
    c
}

fn divisors(n: u32) -> Vec<u32> {
    (1..=n).filter(|d| n.is_multiple_of(*d)).collect()
}

fn moebius(mut n: u32) -> i32 {
    let mut sign = 1;
    let mut p = 2;
    while p * p <= n {
        if n.is_multiple_of(p) {
            n /= p;
            if n.is_multiple_of(p) {
                return 0;
            }
            sign = -sign;
        }
        p += 1;
    }
    if n > 1 { -sign } else { sign }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
