//! The arithmetic of certificates: power series in the time since the sample point, cut off at a degree, whose
//! coefficients are polynomials with rational coefficients in whatever is not known yet.
//!
//! ```text
//! q(t) = Σ_k c_k (t − t₀)^k,     c_k ∈ ℚ[a₁, a₂, …]
//! ```
//!
//! With no unknowns this is exact evaluation along a curve; with degree 0 it is a polynomial in the unknowns. It is small on
//! purpose and shares nothing with the normal forms, bases and strata on which the answers rest.

use crate::algebra::{Inquiry, Rational};
use crate::budget::{Budgeted, Exhausted};
use std::collections::BTreeMap;

/// Why something has no exact value here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Gap {
    /// No rational value at this point, or none at all: another point has to be taken.
    Value(String),
    /// It depends on an unknown in a way that is not polynomial: give that a value first.
    Open(u32),
    Stopped(Exhausted),
}

impl From<Exhausted> for Gap {
    fn from(why: Exhausted) -> Gap {
        Gap::Stopped(why)
    }
}

pub(super) type Exact<T> = Result<T, Gap>;

pub(super) fn no_value<T>(of: &str) -> Exact<T> {
    Err(Gap::Value(of.into()))
}

/// Unknowns with their exponents, in ascending order.
type Monomial = Vec<(u32, u32)>;

/// A polynomial in unknowns, without zero coefficients.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Poly(BTreeMap<Monomial, Rational>);

/// More terms than this are not worked with.
const MAX_TERMS: usize = 3000;

impl Poly {
    pub fn number(n: Rational) -> Poly {
        Poly(if n.is_zero() { BTreeMap::new() } else { BTreeMap::from([(vec![], n)]) })
    }

    pub fn unknown(v: u32) -> Poly {
        Poly(BTreeMap::from([(vec![(v, 1)], Rational::ONE)]))
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_number(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&vec![]).cloned(),
            _ => None,
        }
    }

    pub fn add(&self, other: &Poly) -> Poly {
        let (mut sum, few) = if self.0.len() < other.0.len() { (other.clone(), self) } else { (self.clone(), other) };
        few.0.iter().for_each(|(m, c)| sum.add_term(m, c));
        sum
    }

    fn add_term(&mut self, m: &Monomial, c: &Rational) {
        match self.0.get_mut(m) {
            None => {
                self.0.insert(m.clone(), c.clone());
            }
            Some(old) => {
                *old = &*old + c;
                if old.is_zero() {
                    self.0.remove(m);
                }
            }
        }
    }

    pub fn scale(&self, c: &Rational) -> Poly {
        if c.is_zero() {
            return Poly::default();
        }
        Poly(self.0.iter().map(|(m, x)| (m.clone(), x * c)).collect())
    }

    pub fn mul(&self, cx: &Inquiry, other: &Poly) -> Budgeted<Poly> {
        cx.spend((self.0.len() * other.0.len()) as u64)?;
        let mut product = Poly::default();
        for (m, a) in &self.0 {
            for (n, b) in &other.0 {
                product.add_term(&times(m, n), &(a * b));
            }
        }
        if product.0.len() > MAX_TERMS { Err(Exhausted::Size) } else { Ok(product) }
    }

    /// The unknowns that occur, with the highest exponent of each.
    pub fn degrees(&self) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        for (v, e) in self.0.keys().flatten() {
            let known = found.entry(*v).or_insert(0);
            *known = (*known).max(*e);
        }
        found
    }

    /// v = the returned polynomial where this vanishes, if v occurs once, with a number before it.
    pub fn solved_for(&self, v: u32) -> Option<Poly> {
        let alone: Monomial = vec![(v, 1)];
        let slope = self.0.get(&alone)?;
        if self.0.keys().any(|m| *m != alone && m.iter().any(|(x, _)| *x == v)) {
            return None;
        }
        let factor = -&slope.recip()?;
        let rest = self.0.iter().filter(|(m, _)| **m != alone).map(|(m, c)| (m.clone(), c * &factor));
        Some(Poly(rest.collect()))
    }

    pub fn substitute(&self, cx: &Inquiry, v: u32, value: &Poly) -> Budgeted<Poly> {
        if !self.0.keys().flatten().any(|(x, _)| *x == v) {
            return Ok(self.clone());
        }
        let mut sum = Poly::default();
        for (m, c) in &self.0 {
            let exponent = m.iter().find(|(x, _)| *x == v).map_or(0, |(_, e)| *e);
            let rest: Monomial = m.iter().filter(|(x, _)| *x != v).copied().collect();
            let mut term = Poly(BTreeMap::from([(rest, c.clone())]));
            for _ in 0..exponent {
                term = term.mul(cx, value)?;
            }
            sum = sum.add(&term);
        }
        Ok(sum)
    }

    /// False where it has the same sign everywhere: even powers and a number of one sign, or a quadratic polynomial in one
    /// unknown without a real root.
    pub fn has_real_zero(&self) -> bool {
        if self.is_even_and_definite() && self.0.contains_key(&vec![]) {
            return false;
        }
        !self.discriminant().is_some_and(|(_, d, _)| d.is_negative())
    }

    /// The values of unknowns at every real zero, where these follow: Σ c_i a_i² = 0 with c_i > 0, (a − r)² = 0.
    pub fn real_solution(&self) -> Option<Vec<(u32, Poly)>> {
        let pure = self.0.keys().all(|m| m.len() == 1);
        if self.is_even_and_definite() && pure {
            return Some(self.degrees().into_keys().map(|v| (v, Poly::default())).collect());
        }
        if let [(m, _)] = self.0.iter().collect::<Vec<_>>().as_slice()
            && let [(v, _)] = m.as_slice()
        {
            return Some(vec![(*v, Poly::default())]);
        }
        let (v, discriminant, root) = self.discriminant()?;
        discriminant.is_zero().then(|| vec![(v, Poly::number(root))])
    }

    fn is_even_and_definite(&self) -> bool {
        let mut signs = self.0.values().map(Rational::signum);
        let first = signs.next();
        self.0.keys().flatten().all(|(_, e)| e % 2 == 0) && signs.all(|s| Some(s) == first)
    }

    /// Of a quadratic polynomial in one unknown: the unknown, b² − 4ac and −b/2a.
    fn discriminant(&self) -> Option<(u32, Rational, Rational)> {
        let degrees = self.degrees();
        let v = *degrees.keys().next().filter(|_| degrees.len() == 1)?;
        match self.dense(v)?.as_slice() {
            [c, b, a] => {
                let discriminant = &(b * b) - &(&(a * c) * &Rational::from(4));
                Some((v, discriminant, -&(b * &(a + a).recip()?)))
            }
            _ => None,
        }
    }

    /// The coefficients of a polynomial in one unknown, that of the constant first.
    pub fn dense(&self, v: u32) -> Option<Vec<Rational>> {
        let mut list = vec![Rational::ZERO; 1 + self.degrees().get(&v).copied().unwrap_or(0) as usize];
        for (m, c) in &self.0 {
            match m.as_slice() {
                [] => list[0] = c.clone(),
                [(x, e)] if *x == v => list[*e as usize] = c.clone(),
                _ => return None,
            }
        }
        Some(list)
    }
}

fn times(a: &Monomial, b: &Monomial) -> Monomial {
    let mut all = a.clone();
    for (v, e) in b {
        match all.binary_search_by_key(v, |(x, _)| *x) {
            Ok(i) => all[i].1 += e,
            Err(i) => all.insert(i, (*v, *e)),
        }
    }
    all
}

/// c₀ + c₁ s + … + c_n sⁿ; series that meet have the same n.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Series(pub Vec<Poly>);

impl Series {
    pub fn number(n: Rational, degree: usize) -> Series {
        let mut list = vec![Poly::default(); degree + 1];
        list[0] = Poly::number(n);
        Series(list)
    }

    pub fn degree(&self) -> usize {
        self.0.len() - 1
    }

    /// Cut off, or continued by zeros.
    pub fn to_degree(&self, degree: usize) -> Series {
        let mut list = self.0.clone();
        list.resize(degree + 1, Poly::default());
        Series(list)
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Poly::is_zero)
    }

    /// The value at the point, where it is a number.
    pub fn head(&self) -> Exact<Rational> {
        self.0[0].as_number().ok_or_else(|| Gap::Open(self.0[0].degrees().keys().next().copied().unwrap_or(0)))
    }

    /// The series without its value at the point.
    pub fn tail(&self) -> Series {
        let mut list = self.0.clone();
        list[0] = Poly::default();
        Series(list)
    }

    pub fn add(&self, other: &Series) -> Series {
        Series(self.0.iter().zip(&other.0).map(|(a, b)| a.add(b)).collect())
    }

    pub fn scale(&self, c: &Rational) -> Series {
        Series(self.0.iter().map(|a| a.scale(c)).collect())
    }

    pub fn mul(&self, cx: &Inquiry, other: &Series) -> Budgeted<Series> {
        let mut list = vec![Poly::default(); self.0.len()];
        for (i, a) in self.0.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            for (j, b) in other.0[..self.0.len() - i].iter().enumerate().filter(|(_, b)| !b.is_zero()) {
                list[i + j] = list[i + j].add(&a.mul(cx, b)?);
            }
        }
        Ok(Series(list))
    }

    /// d/ds, of one degree less.
    pub fn derivative(&self) -> Series {
        let list = self.0.iter().enumerate().skip(1).map(|(k, c)| c.scale(&Rational::from(k as i64)));
        Series(list.collect())
    }

    /// The antiderivative with this value at the point, of one degree more.
    pub fn integral(&self, head: Rational) -> Series {
        let mut list = vec![Poly::number(head)];
        list.extend(self.0.iter().enumerate().map(|(k, c)| c.scale(&Rational::ratio(1, k as i64 + 1))));
        Series(list)
    }

    /// self^r. A whole r ≥ 0 for any series, any other for one whose value at the point is not zero and has this power.
    pub fn pow(&self, cx: &Inquiry, r: &Rational) -> Exact<Series> {
        if let Some(n @ 0..=64) = r.to_i64() {
            let mut power = Series::number(Rational::ONE, self.degree());
            for _ in 0..n {
                power = power.mul(cx, self)?;
            }
            return Ok(power);
        }
        let head = self.head()?;
        let Some(first) = rational_power(&head, r)? else { return no_value(&format!("({head})^({r})")) };
        // y = u^r:   u y′ = r u′ y, coefficient by coefficient.
        let Some(inverse) = head.recip() else { return no_value("a division by zero") };
        let mut y = vec![Poly::number(first)];
        for k in 1..=self.degree() {
            let mut sum = Poly::default();
            for j in 1..=k {
                let weight = &(r * &Rational::from(j as i64)) - &Rational::from((k - j) as i64);
                sum = sum.add(&self.0[j].mul(cx, &y[k - j])?.scale(&weight));
            }
            y.push(sum.scale(&(&inverse * &Rational::ratio(1, k as i64))));
        }
        Ok(Series(y))
    }

    /// exp of a series that vanishes at the point.
    pub fn exp_of_tail(&self, cx: &Inquiry) -> Budgeted<Series> {
        let mut y = vec![Poly::number(Rational::ONE)];
        for k in 1..=self.degree() {
            let mut sum = Poly::default();
            for j in 1..=k {
                sum = sum.add(&self.0[j].mul(cx, &y[k - j])?.scale(&Rational::ratio(j as i64, k as i64)));
            }
            y.push(sum);
        }
        Ok(Series(y))
    }

    /// (cos, sin) of a series that vanishes at the point: c′ = −u′s, s′ = u′c.
    pub fn turn_of_tail(&self, cx: &Inquiry) -> Budgeted<(Series, Series)> {
        let (mut c, mut s) = (vec![Poly::number(Rational::ONE)], vec![Poly::default()]);
        for k in 1..=self.degree() {
            let (mut next_c, mut next_s) = (Poly::default(), Poly::default());
            for j in 1..=k {
                let weight = Rational::ratio(j as i64, k as i64);
                next_c = next_c.add(&self.0[j].mul(cx, &s[k - j])?.scale(&-&weight));
                next_s = next_s.add(&self.0[j].mul(cx, &c[k - j])?.scale(&weight));
            }
            c.push(next_c);
            s.push(next_s);
        }
        Ok((Series(c), Series(s)))
    }
}

/// head^r as a real number, if it is rational.
fn rational_power(head: &Rational, r: &Rational) -> Exact<Option<Rational>> {
    if head.is_zero() {
        return Ok(None);
    }
    let (Some(above), Some(below)) = (r.numerator().to_i64(), r.denominator().to_i64()) else { return Ok(None) };
    let root = match u32::try_from(below) {
        Ok(1) => Some(head.clone()),
        Ok(k) if !head.is_negative() => head.exact_root(k),
        _ => None,
    };
    Ok(match root {
        Some(root) => Some(root.pow(above)?),
        None => None,
    })
}

/// The rank of a matrix of rational numbers, by elimination without fractions: rows are multiplied, never divided.
pub(super) fn rank(rows: &[Vec<Rational>]) -> usize {
    let mut rows: Vec<Vec<Rational>> = rows.to_vec();
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        let (above, below) = rows.split_at_mut(rank + 1);
        let pivot = &above[rank];
        for row in below.iter_mut().filter(|row| !row[column].is_zero()) {
            let (a, b) = (pivot[column].clone(), row[column].clone());
            *row = row.iter().zip(pivot).map(|(x, y)| &(x * &a) - &(y * &b)).collect();
        }
        rank += 1;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(n: i64) -> Rational {
        Rational::from(n)
    }

    /// √(1 + s) = 1 + s/2 − s²/8 + s³/16 − …, and its square is 1 + s.
    #[test]
    fn a_power_is_the_binomial_series() {
        let cx = &Inquiry::free();
        let mut u = Series::number(Rational::ONE, 3);
        u.0[1] = Poly::number(Rational::ONE);
        let root = u.pow(cx, &Rational::HALF).unwrap();
        let expected = [rational(1), Rational::HALF, Rational::ratio(-1, 8), Rational::ratio(1, 16)];
        assert_eq!(root, Series(expected.into_iter().map(Poly::number).collect()));
        assert_eq!(root.mul(cx, &root).unwrap(), u);
    }

    #[test]
    fn sine_and_cosine_stay_on_the_circle() {
        let cx = &Inquiry::free();
        let mut u = Series::number(Rational::ZERO, 5);
        u.0[1] = Poly::unknown(3);
        u.0[2] = Poly::number(rational(2));
        let (c, s) = u.turn_of_tail(cx).unwrap();
        let sum = c.mul(cx, &c).unwrap().add(&s.mul(cx, &s).unwrap());
        assert_eq!(sum, Series::number(Rational::ONE, 5));
    }

    #[test]
    fn the_rank_of_dependent_rows() {
        let row = |list: [i64; 3]| list.map(rational).to_vec();
        assert_eq!(rank(&[row([1, 2, 3]), row([2, 4, 6]), row([0, 0, 5])]), 2);
        assert_eq!(rank(&[row([0, 0, 0])]), 0);
        assert_eq!(rank(&[]), 0);
    }
}
