//! Number fields ℚ[s]/(p) with an irreducible p: exact linear algebra at a root of p without a formula for the root.
//!
//! An element is a polynomial in s of lower degree than p, its coefficient of 1 first and its last one not 0. What holds for s holds at every
//! root of p.

use super::number::Rational;
use super::polynomial::Polynomial;
use super::roots::{AlgebraicNumber, isolate_real_roots};
use crate::budget::{Budget, Budgeted};

/// A polynomial in s.
pub type Element = Vec<Rational>;

/// ℚ[s]/(p).
#[derive(Clone, Debug)]
pub struct NumberField {
    /// p, monic, its coefficient of 1 first.
    modulus: Vec<Rational>,
}

fn trimmed(mut e: Element) -> Element {
    while e.last().is_some_and(Rational::is_zero) {
        e.pop();
    }
    e
}

/// a − c s^k b.
fn minus_shifted(a: &[Rational], c: &Rational, k: usize, b: &[Rational]) -> Element {
    let mut out = a.to_vec();
    out.resize(a.len().max(b.len() + k), Rational::ZERO);
    for (i, x) in b.iter().enumerate() {
        out[i + k] = &out[i + k] - &(c * x);
    }
    trimmed(out)
}

/// Quotient and remainder; the divisor is not 0.
fn div_rem(a: &[Rational], b: &[Rational]) -> (Element, Element) {
    let (mut rest, mut quotient) = (trimmed(a.to_vec()), vec![]);
    let Some(lead) = b.last() else { return (quotient, rest) };
    while rest.len() >= b.len() {
        let k = rest.len() - b.len();
        let c = &rest[rest.len() - 1] / lead;
        if quotient.len() <= k {
            quotient.resize(k + 1, Rational::ZERO);
        }
        rest = minus_shifted(&rest, &c, k, b);
        quotient[k] = c;
    }
    (trimmed(quotient), rest)
}

fn times(a: &[Rational], b: &[Rational]) -> Element {
    let mut out = vec![Rational::ZERO; (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = &out[i + j] + &(x * y);
        }
    }
    trimmed(out)
}

fn minus(a: &[Rational], b: &[Rational]) -> Element {
    minus_shifted(a, &Rational::ONE, 0, b)
}

impl NumberField {
    /// By an irreducible polynomial of positive degree, its coefficient of 1 first.
    pub fn new(polynomial: &[Rational]) -> Option<NumberField> {
        let p = trimmed(polynomial.to_vec());
        let lead = p.last().filter(|_| p.len() > 1)?.clone();
        Some(NumberField { modulus: p.iter().map(|c| c / &lead).collect() })
    }

    /// The real roots of p, increasing.
    pub fn real_roots(&self, cx: &Budget) -> Budgeted<Vec<AlgebraicNumber>> {
        const S: u32 = 0;
        let mut p = Polynomial::zero();
        for c in self.modulus.iter().rev() {
            p = &p.mul(cx, &Polynomial::variable(S))? + &Polynomial::constant(c.clone());
        }
        isolate_real_roots(cx, &p)
    }

    fn reduced(&self, e: &[Rational]) -> Element {
        div_rem(e, &self.modulus).1
    }

    pub fn mul(&self, a: &[Rational], b: &[Rational]) -> Element {
        self.reduced(&times(a, b))
    }

    pub fn sum(&self, list: impl Iterator<Item = Element>) -> Element {
        list.fold(vec![], |sum, e| minus_shifted(&sum, &Rational::from(-1), 0, &e))
    }

    /// 1/a of an element that is not 0, by Euclid: u a + v p = 1.
    fn inverse(&self, a: &[Rational]) -> Element {
        let (mut r, mut s) = (self.modulus.clone(), a.to_vec());
        let (mut u, mut v): (Element, Element) = (vec![], vec![Rational::ONE]);
        while s.len() > 1 {
            let (q, rest) = div_rem(&r, &s);
            let next = minus(&u, &times(&q, &v));
            (r, s) = (s, rest);
            (u, v) = (v, next);
        }
        let lead = s.first().cloned().unwrap_or(Rational::ONE);
        self.reduced(&v.iter().map(|c| c / &lead).collect::<Vec<_>>())
    }

    /// A basis of the vectors that all rows annihilate, one for each column without a pivot, with 1 there.
    pub fn null_space(&self, cx: &Budget, mut rows: Vec<Vec<Element>>, columns: usize) -> Budgeted<Vec<Vec<Element>>> {
        let mut pivots: Vec<usize> = vec![];
        for j in 0..columns {
            let done = pivots.len();
            let Some(i) = (done..rows.len()).find(|i| !rows[*i][j].is_empty()) else { continue };
            rows.swap(done, i);
            let inverse = self.inverse(&rows[done][j]);
            rows[done] = rows[done].iter().map(|e| self.mul(e, &inverse)).collect();
            let pivot = rows[done].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != done && !row[j].is_empty()) {
                cx.check()?;
                let factor = row[j].clone();
                *row = row.iter().zip(&pivot).map(|(a, p)| minus(a, &self.mul(&factor, p))).collect();
            }
            pivots.push(j);
        }
        let free = (0..columns).filter(|j| !pivots.contains(j));
        let vector = |j: usize| {
            let mut v: Vec<Element> = vec![vec![]; columns];
            v[j] = vec![Rational::ONE];
            for (row, pivot) in rows.iter().zip(&pivots) {
                v[*pivot] = minus(&[], &row[j]);
            }
            v
        };
        Ok(free.map(vector).collect())
    }
}

/// The value of an element where s is a number.
pub fn value(e: &[Rational], s: &Rational) -> Rational {
    e.iter().rev().fold(Rational::ZERO, |sum, c| &(&sum * s) + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(list: &[i64]) -> Element {
        trimmed(list.iter().map(|n| Rational::from(*n)).collect())
    }

    /// In ℚ(s) with s³ = 2: (1 + s)⁻¹ = (1 − s + s²)/3, because 1 + s³ = 3; and 1/s = s²/2.
    #[test]
    fn arithmetic_with_the_cube_root_of_two() {
        let field = NumberField::new(&e(&[-2, 0, 0, 1])).expect("of degree 3");
        assert_eq!(field.mul(&e(&[0, 0, 1]), &e(&[0, 0, 1])), e(&[0, 2]));
        let inverse = field.inverse(&e(&[1, 1]));
        assert_eq!(inverse, [1, -1, 1].map(|n| Rational::ratio(n, 3)).to_vec());
        assert_eq!(field.mul(&inverse, &e(&[1, 1])), e(&[1]));
        assert_eq!(field.inverse(&e(&[0, 1])), vec![Rational::ZERO, Rational::ZERO, Rational::ratio(1, 2)]);
        // The eigenvector of the companion matrix for s is (1, s, s²).
        let cx = &Budget::unlimited();
        let rows = vec![
            vec![e(&[0, -1]), e(&[1]), e(&[])],
            vec![e(&[]), e(&[0, -1]), e(&[1])],
            vec![e(&[2]), e(&[]), e(&[0, -1])],
        ];
        let null = field.null_space(cx, rows, 3).expect("small");
        assert_eq!(null.len(), 1);
        let scaled: Vec<Element> = null[0].iter().map(|x| field.mul(x, &e(&[0, 0, 1]))).collect();
        assert_eq!(scaled, [e(&[1]), e(&[0, 1]), e(&[0, 0, 1])]);
        assert_eq!(field.real_roots(cx).expect("small").len(), 1);
    }
}
