//! Division: exact, with remainder, and pseudo-division with respect to one variable.
//!
//! Exact division is the workhorse (every gcd and every factor is proved by it), and follows
//! Johnson and Monagan–Pearce: a heap holds, for every quotient term found so far, the next product
//! with a term of the divisor that has still to be subtracted, so nothing is ever inserted into a
//! long list. By Gauss's lemma a primitive divisor of an integer polynomial has an integer quotient;
//! the first coefficient or monomial that does not divide ends the attempt.

use super::packed::{Key, Layout, with_key};
use super::{MAX_TERMS, Polynomial, integer_content};
use crate::algebra::number::{Integer, Rational};
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
use dashu_int::IBig;
use smallvec::SmallVec;
use std::collections::BinaryHeap;

/// `multiplier · a = quotient · b + remainder`, the remainder of smaller degree in the variable;
/// the multiplier is a power of the leading coefficient of `b`.
#[derive(Clone, Debug)]
pub struct PseudoDivision {
    pub quotient: Polynomial,
    pub remainder: Polynomial,
    pub multiplier: Polynomial,
}

impl Polynomial {
    /// `self / divisor` if the quotient is a polynomial; `None` otherwise, and for divisor zero.
    pub fn div_exact(&self, cx: &Budget, divisor: &Polynomial) -> Budgeted<Option<Polynomial>> {
        if divisor.is_zero() {
            return Ok(None);
        }
        if self.is_zero() {
            return Ok(Some(Polynomial::zero()));
        }
        if let Some(c) = divisor.as_constant() {
            return Ok(self.unscale(&c));
        }
        if !may_divide(self, divisor) {
            return Ok(None);
        }
        let layout = &self.layout;
        let content = integer_content(&divisor.coefficients);
        let primitive: Vec<Integer> = divisor.coefficients.iter().map(|c| c.div_rem(&content).0).collect();
        let machine = |list: &[Integer]| list.iter().map(Integer::to_i64).collect::<Option<Vec<i64>>>();
        let divisor_monomials = divisor.packed_in(layout);
        let mut quotient = None;
        if let (Some(a), Some(b)) = (machine(&self.coefficients), machine(&primitive)) {
            let words = layout.words();
            let outcome = match dense_division(cx, self, divisor, &a, &b)? {
                Some(outcome) => outcome,
                None => with_key!(words, heap_division::<K>(cx, layout, &self.monomials, &a, &divisor_monomials, &b))?,
            };
            quotient = match outcome {
                Outcome::Quotient(terms) => Some(terms),
                Outcome::DoesNotDivide => return Ok(None),
                Outcome::Overflow => None,
            };
        }
        let (monomials, coefficients) = match quotient {
            Some(terms) => terms,
            None => {
                let a: Vec<IBig> = self.coefficients.iter().map(Integer::to_big).collect();
                let b: Vec<IBig> = primitive.iter().map(Integer::to_big).collect();
                let words = layout.words();
                match with_key!(words, heap_division::<K>(cx, layout, &self.monomials, &a, &divisor_monomials, &b))? {
                    Outcome::Quotient(terms) => terms,
                    _ => return Ok(None),
                }
            }
        };
        // self·den(self) = content · primitive · quotient, so the quotient still lacks den(divisor)/(den(self)·content).
        let quotient = Polynomial::from_sorted(layout.clone(), monomials, coefficients, Integer::ONE);
        if self.denominator.is_one() && content.is_one() && divisor.denominator.is_one() {
            return Ok(Some(quotient));
        }
        let factor = Rational::new(divisor.denominator.clone(), &self.denominator * &content);
        Ok(Some(quotient.scale(&factor)))
    }

    /// Whether `self` divides `other`.
    pub fn divides(&self, cx: &Budget, other: &Polynomial) -> Budgeted<bool> {
        Ok(other.div_exact(cx, self)?.is_some())
    }

    /// Quotient and remainder by the lexicographic leading term: no term of the remainder is
    /// divisible by the leading monomial of the divisor, which must not be zero. In one variable this
    /// is the usual division.
    pub fn div_rem(&self, cx: &Budget, divisor: &Polynomial) -> Budgeted<(Polynomial, Polynomial)> {
        let (lead, lead_coefficient) = divisor.leading_term().expect("division by the zero polynomial");
        let (mut quotient, mut rest) = (Vec::new(), self.clone());
        let mut remainder = Vec::new();
        while let Some((monomial, coefficient)) = rest.leading_term() {
            cx.check()?;
            let term = |m, c| Polynomial::from_terms([(m, c)]);
            match quotient_of_monomials(&monomial, &lead) {
                Some(m) => {
                    let t = term(m.clone(), &coefficient / &lead_coefficient);
                    rest = &rest - &divisor.mul(cx, &t)?;
                    quotient.push((m, &coefficient / &lead_coefficient));
                }
                None => {
                    rest = &rest - &term(monomial.clone(), coefficient.clone());
                    remainder.push((monomial, coefficient));
                }
            }
            if quotient.len() + remainder.len() > MAX_TERMS {
                return Err(Exhausted::Size);
            }
        }
        Ok((Polynomial::from_terms(quotient), Polynomial::from_terms(remainder)))
    }

    /// Pseudo-division with respect to one variable; the divisor must not be zero. The multiplier is
    /// `lc^max(deg self − deg divisor + 1, 0)`.
    pub fn pseudo_div(&self, cx: &Budget, divisor: &Polynomial, variable: u32) -> Budgeted<PseudoDivision> {
        let b = divisor.coefficients_in(variable);
        let lead = b.last().expect("division by the zero polynomial").clone();
        let mut rest = self.coefficients_in(variable);
        let steps = (rest.len() + 1).saturating_sub(b.len());
        let mut quotient = vec![Polynomial::zero(); steps];
        for k in (0..steps).rev() {
            cx.check()?;
            let top = std::mem::take(&mut rest[k + b.len() - 1]);
            for c in &mut quotient[k + 1..] {
                *c = c.mul(cx, &lead)?;
            }
            for (i, r) in rest[..k + b.len() - 1].iter_mut().enumerate() {
                let mut scaled = r.mul(cx, &lead)?;
                if i >= k && !top.is_zero() {
                    scaled = &scaled - &top.mul(cx, &b[i - k])?;
                }
                *r = scaled;
            }
            quotient[k] = top;
        }
        rest.truncate(b.len() - 1);
        Ok(PseudoDivision {
            quotient: Polynomial::from_coefficients_in(cx, variable, &quotient)?,
            remainder: Polynomial::from_coefficients_in(cx, variable, &rest)?,
            multiplier: lead.pow(cx, steps as u32)?,
        })
    }

    pub fn pseudo_rem(&self, cx: &Budget, divisor: &Polynomial, variable: u32) -> Budgeted<Polynomial> {
        Ok(self.pseudo_div(cx, divisor, variable)?.remainder)
    }
}

impl Default for Polynomial {
    fn default() -> Polynomial {
        Polynomial::zero()
    }
}

pub(crate) fn quotient_of_monomials(a: &super::Monomial, b: &super::Monomial) -> Option<super::Monomial> {
    let mut out = a.clone();
    for &(v, e) in b {
        let place = out.iter_mut().find(|(w, _)| *w == v)?;
        place.1 = place.1.checked_sub(e)?;
    }
    out.retain(|(_, e)| *e > 0);
    Some(out)
}

/// Cheap necessary conditions: degrees and the last terms.
fn may_divide(a: &Polynomial, b: &Polynomial) -> bool {
    if b.layout.width > a.layout.width || b.n_terms() > 1 && a.n_terms() == 1 {
        return false;
    }
    let (da, db) = (a.degrees(), b.degrees());
    let fits = |(k, v): (usize, &u32)| a.layout.position(*v).is_some_and(|i| da[i] >= db[k]);
    if !b.layout.variables.iter().enumerate().all(fits) {
        return false;
    }
    let (last_a, last_b) = (a.monomial(a.n_terms() - 1), b.monomial(b.n_terms() - 1));
    quotient_of_monomials(&last_a, &last_b).is_some()
}

enum Outcome {
    Quotient((Vec<u64>, Vec<Integer>)),
    DoesNotDivide,
    Overflow,
}

/// Coefficients of the dividend and divisor, with a wider type for the running sum.
trait Divisible: Clone {
    type Sum: Clone;
    fn widen(&self) -> Self::Sum;
    /// `sum -= a·b`; `None` on overflow.
    fn subtract_product(sum: &mut Self::Sum, a: &Self, b: &Self) -> Option<()>;
    fn nothing() -> Self::Sum;
    fn is_nothing(sum: &Self::Sum) -> bool;
    /// `sum / b`: outer `None` on overflow, inner when it does not divide.
    fn quotient(sum: &Self::Sum, b: &Self) -> Option<Option<Self>>;
    fn finish(self) -> Integer;
}

impl Divisible for i64 {
    type Sum = i128;
    #[inline]
    fn widen(&self) -> i128 {
        i128::from(*self)
    }
    #[inline]
    fn subtract_product(sum: &mut i128, a: &i64, b: &i64) -> Option<()> {
        *sum = sum.checked_sub(i128::from(*a) * i128::from(*b))?;
        Some(())
    }
    fn nothing() -> i128 {
        0
    }
    fn is_nothing(sum: &i128) -> bool {
        *sum == 0
    }
    #[inline]
    fn quotient(sum: &i128, b: &i64) -> Option<Option<i64>> {
        if let Ok(narrow) = i64::try_from(*sum) {
            if narrow.checked_rem(*b)? != 0 {
                return Some(None);
            }
            return narrow.checked_div(*b).map(Some);
        }
        let b = i128::from(*b);
        if sum % b != 0 {
            return Some(None);
        }
        i64::try_from(sum / b).ok().map(Some)
    }
    fn finish(self) -> Integer {
        Integer::from(self)
    }
}

impl Divisible for IBig {
    type Sum = IBig;
    fn widen(&self) -> IBig {
        self.clone()
    }
    fn subtract_product(sum: &mut IBig, a: &IBig, b: &IBig) -> Option<()> {
        *sum -= a * b;
        Some(())
    }
    fn nothing() -> IBig {
        IBig::ZERO
    }
    fn is_nothing(sum: &IBig) -> bool {
        *sum == IBig::ZERO
    }
    fn quotient(sum: &IBig, b: &IBig) -> Option<Option<IBig>> {
        use dashu_int::ops::DivRem;
        let (q, r) = sum.div_rem(b);
        Some((r == IBig::ZERO).then_some(q))
    }
    fn finish(self) -> Integer {
        Integer::from_big(self)
    }
}

/// Division in a box of cells indexed by exponents, for a dividend that fills a good part of its box.
/// `None` if it does not.
fn dense_division(cx: &Budget, a: &Polynomial, b: &Polynomial, ca: &[i64], cb: &[i64]) -> Budgeted<Option<Outcome>> {
    let (da, n) = (a.degrees(), a.layout.n_variables());
    let limit = 8 * ca.len() + 64;
    let mut strides: SmallVec<[usize; 8]> = SmallVec::from_elem(0, n);
    let mut size = 1usize;
    for k in (0..n).rev() {
        strides[k] = size;
        size = size.saturating_mul(da[k] as usize + 1);
        if size > limit {
            return Ok(None);
        }
    }
    let offset = |row: &[u32]| -> usize { row.iter().zip(&strides).map(|(&e, &s)| e as usize * s).sum() };
    let mut cells = vec![0i128; size];
    for (row, &c) in a.exponent_rows().chunks(n).zip(ca) {
        cells[offset(row)] = i128::from(c);
    }
    // The divisor's exponents in the dividend's variables, and its degrees.
    let packed = b.packed_in(&a.layout);
    let mut rows = vec![0; n * cb.len()];
    let mut degrees: SmallVec<[u32; 8]> = SmallVec::from_elem(0, n);
    for (row, monomial) in rows.chunks_mut(n).zip(packed.chunks(a.layout.words())) {
        a.layout.unpack(monomial, row);
        for (d, &e) in degrees.iter_mut().zip(row.iter()) {
            *d = (*d).max(e);
        }
    }
    let offsets: Vec<usize> = rows.chunks(n).map(offset).collect();
    let lead = &rows[..n];
    let mut exponents: SmallVec<[u32; 8]> = SmallVec::from_elem(0, n);
    let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
    for index in (0..size).rev() {
        if cells[index] == 0 {
            continue;
        }
        for k in 0..n {
            let e = (index / strides[k] % (da[k] as usize + 1)) as u32;
            // A quotient term must exist and keep all its products inside the box.
            if e < lead[k] || e - lead[k] + degrees[k] > da[k] {
                return Ok(Some(Outcome::DoesNotDivide));
            }
            exponents[k] = e - lead[k];
        }
        let q = match i64::quotient(&cells[index], &cb[0]) {
            None => return Ok(Some(Outcome::Overflow)),
            Some(None) => return Ok(Some(Outcome::DoesNotDivide)),
            Some(Some(q)) => q,
        };
        let base = index - offsets[0];
        for (&at, c) in offsets.iter().zip(cb) {
            if i64::subtract_product(&mut cells[base + at], c, &q).is_none() {
                return Ok(Some(Outcome::Overflow));
            }
        }
        cx.check()?;
        a.layout.pack(&exponents, &mut monomials);
        coefficients.push(Integer::from(q));
    }
    Ok(Some(Outcome::Quotient((monomials, coefficients))))
}

fn heap_division<K: Key, C: Divisible>(
    cx: &Budget,
    layout: &Layout,
    a_monomials: &[u64],
    a: &[C],
    b_monomials: &[u64],
    b: &[C],
) -> Budgeted<Outcome> {
    let words = layout.words();
    let guard = layout.guard();
    let keys = |m: &[u64]| m.chunks(words).map(K::load).collect::<Vec<K>>();
    let (ka, kb) = (keys(a_monomials), keys(b_monomials));
    let mut quotient: Vec<(K, C)> = Vec::new();
    // The next product b[i]·quotient[j] to subtract, the largest monomial on top.
    let mut heap: BinaryHeap<(K, u32, u32)> = BinaryHeap::new();
    let mut next = 0;
    let mut ticks = 0u32;
    loop {
        let key = match (ka.get(next), heap.peek()) {
            (None, None) => break,
            (Some(k), None) => k.clone(),
            (None, Some((k, _, _))) => k.clone(),
            (Some(k), Some((l, _, _))) => k.max(l).clone(),
        };
        let mut sum = C::nothing();
        if ka.get(next) == Some(&key) {
            sum = a[next].widen();
            next += 1;
        }
        while let Some(mut top) = heap.peek_mut() {
            if top.0 != key {
                break;
            }
            let (i, j) = (top.1 as usize, top.2 as usize);
            if C::subtract_product(&mut sum, &b[i], &quotient[j].1).is_none() {
                return Ok(Outcome::Overflow);
            }
            if i + 1 < b.len() {
                *top = (kb[i + 1].times(&quotient[j].0), top.1 + 1, top.2);
            } else {
                std::collections::binary_heap::PeekMut::pop(top);
            }
            ticks += 1;
            if ticks.is_multiple_of(4096) {
                cx.check()?;
            }
        }
        if C::is_nothing(&sum) {
            continue;
        }
        let Some(monomial) = key.over(&kb[0], guard) else { return Ok(Outcome::DoesNotDivide) };
        let Some(exact) = C::quotient(&sum, &b[0]) else { return Ok(Outcome::Overflow) };
        let Some(coefficient) = exact else { return Ok(Outcome::DoesNotDivide) };
        if b.len() > 1 {
            heap.push((kb[1].times(&monomial), 1, quotient.len() as u32));
        }
        quotient.push((monomial, coefficient));
        if quotient.len() > MAX_TERMS {
            return Err(Exhausted::Size);
        }
    }
    let mut monomials = Vec::with_capacity(quotient.len() * words);
    let mut coefficients = Vec::with_capacity(quotient.len());
    for (key, c) in quotient {
        key.store(words, &mut monomials);
        coefficients.push(c.finish());
    }
    Ok(Outcome::Quotient((monomials, coefficients)))
}
