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
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
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
type Monomial = SmallVec<[(u32, u32); 3]>;

/// A polynomial in unknowns: a number, and terms without zero coefficients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Poly {
    constant: Rational,
    terms: BTreeMap<Monomial, Rational>,
}

impl Default for Poly {
    fn default() -> Poly {
        Poly::number(Rational::ZERO)
    }
}

/// More terms than this are not worked with.
const MAX_TERMS: usize = 3000;

impl Poly {
    pub fn number(n: Rational) -> Poly {
        Poly { constant: n, terms: BTreeMap::new() }
    }

    pub fn unknown(v: u32) -> Poly {
        Poly { constant: Rational::ZERO, terms: BTreeMap::from([(smallvec![(v, 1)], Rational::ONE)]) }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    pub fn as_number(&self) -> Option<Rational> {
        self.terms.is_empty().then(|| self.constant.clone())
    }

    /// The coefficient of an unknown that stands alone.
    pub fn slope(&self, v: u32) -> Rational {
        self.terms.get([(v, 1)].as_slice()).cloned().unwrap_or(Rational::ZERO)
    }

    fn n_terms(&self) -> usize {
        self.terms.len() + usize::from(!self.constant.is_zero())
    }

    pub fn add(&self, other: &Poly) -> Poly {
        let (mut sum, few) =
            if self.terms.len() < other.terms.len() { (other.clone(), self) } else { (self.clone(), other) };
        sum.add_scaled(few, &Rational::ONE);
        sum
    }

    /// self + c·other.
    fn add_scaled(&mut self, other: &Poly, c: &Rational) {
        let of = |x: &Rational| if c.is_one() { x.clone() } else { x * c };
        if !other.constant.is_zero() {
            self.constant = &self.constant + &of(&other.constant);
        }
        other.terms.iter().for_each(|(m, x)| self.add_term(m, &of(x)));
    }

    fn add_term(&mut self, m: &Monomial, c: &Rational) {
        match self.terms.get_mut(m) {
            None if c.is_zero() => {}
            None => {
                self.terms.insert(m.clone(), c.clone());
            }
            Some(old) => {
                *old = &*old + c;
                if old.is_zero() {
                    self.terms.remove(m);
                }
            }
        }
    }

    pub fn scale(&self, c: &Rational) -> Poly {
        if c.is_zero() {
            return Poly::default();
        }
        let terms = self.terms.iter().map(|(m, x)| (m.clone(), x * c)).collect();
        Poly { constant: &self.constant * c, terms }
    }

    pub fn mul(&self, cx: &Inquiry, other: &Poly) -> Budgeted<Poly> {
        cx.spend((self.n_terms() * other.n_terms()) as u64)?;
        if other.terms.is_empty() {
            return Ok(self.scale(&other.constant));
        }
        let mut product = other.scale(&self.constant);
        for (m, a) in &self.terms {
            if !other.constant.is_zero() {
                product.add_term(m, &(a * &other.constant));
            }
            for (n, b) in &other.terms {
                product.add_term(&times(m, n), &(a * b));
            }
        }
        if product.terms.len() > MAX_TERMS { Err(Exhausted::Size) } else { Ok(product) }
    }

    /// The unknowns that occur, with the highest exponent of each.
    pub fn degrees(&self) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        for (v, e) in self.terms.keys().flatten() {
            let known = found.entry(*v).or_insert(0);
            *known = (*known).max(*e);
        }
        found
    }

    /// v = the returned polynomial where this vanishes, if v occurs once, with a number before it.
    pub fn solved_for(&self, v: u32) -> Option<Poly> {
        let alone: Monomial = smallvec![(v, 1)];
        let slope = self.terms.get(&alone)?;
        if self.terms.keys().any(|m| *m != alone && m.iter().any(|(x, _)| *x == v)) {
            return None;
        }
        let factor = -&slope.recip()?;
        let rest = self.terms.iter().filter(|(m, _)| **m != alone).map(|(m, c)| (m.clone(), c * &factor));
        Some(Poly { constant: &self.constant * &factor, terms: rest.collect() })
    }

    pub fn substitute(&self, cx: &Inquiry, v: u32, value: &Poly) -> Budgeted<Poly> {
        let contains = |m: &Monomial| m.iter().any(|(x, _)| *x == v);
        if !self.terms.keys().any(contains) {
            return Ok(self.clone());
        }
        let mut sum = Poly::number(self.constant.clone());
        for (m, c) in &self.terms {
            if !contains(m) {
                sum.add_term(m, c);
                continue;
            }
            let exponent = m.iter().find(|(x, _)| *x == v).map_or(0, |(_, e)| *e);
            let rest: Monomial = m.iter().filter(|(x, _)| *x != v).copied().collect();
            let mut term = match rest.is_empty() {
                true => Poly::number(c.clone()),
                false => Poly { constant: Rational::ZERO, terms: BTreeMap::from([(rest, c.clone())]) },
            };
            for _ in 0..exponent {
                term = term.mul(cx, value)?;
            }
            sum.add_scaled(&term, &Rational::ONE);
        }
        Ok(sum)
    }

    /// The same polynomial where an unknown has a value.
    pub fn with_value(&self, cx: &Inquiry, v: u32, x: &Rational) -> Budgeted<Poly> {
        let exponent = |m: &Monomial| m.iter().find(|(u, _)| *u == v).map_or(0, |(_, e)| *e);
        if self.terms.keys().all(|m| exponent(m) == 0) {
            return Ok(self.clone());
        }
        cx.spend(self.n_terms() as u64)?;
        let mut sum = Poly::number(self.constant.clone());
        for (m, c) in &self.terms {
            let value = (0..exponent(m)).fold(c.clone(), |value, _| &value * x);
            let rest: Monomial = m.iter().filter(|(u, _)| *u != v).copied().collect();
            match rest.is_empty() {
                true => sum.constant = &sum.constant + &value,
                false => sum.add_term(&rest, &value),
            }
        }
        Ok(sum)
    }

    /// False where it has the same sign everywhere: even powers and a number of one sign, or a quadratic polynomial in one
    /// unknown without a real root.
    pub fn has_real_zero(&self) -> bool {
        if self.is_even_and_definite() && !self.constant.is_zero() {
            return false;
        }
        !self.discriminant().is_some_and(|(_, d, _)| d.is_negative())
    }

    /// The values of unknowns at every real zero, where these follow: Σ c_i a_i² = 0 with c_i > 0, (a − r)² = 0.
    pub fn real_solution(&self) -> Option<Vec<(u32, Poly)>> {
        let pure = self.constant.is_zero() && self.terms.keys().all(|m| m.len() == 1);
        if self.is_even_and_definite() && pure {
            return Some(self.degrees().into_keys().map(|v| (v, Poly::default())).collect());
        }
        if let (true, [(m, _)]) = (self.constant.is_zero(), self.terms.iter().collect::<Vec<_>>().as_slice())
            && let [(v, _)] = m.as_slice()
        {
            return Some(vec![(*v, Poly::default())]);
        }
        let (v, discriminant, root) = self.discriminant()?;
        discriminant.is_zero().then(|| vec![(v, Poly::number(root))])
    }

    fn is_even_and_definite(&self) -> bool {
        let constant = Some(&self.constant).filter(|c| !c.is_zero());
        let mut signs = self.terms.values().chain(constant).map(Rational::signum);
        let first = signs.next();
        self.terms.keys().flatten().all(|(_, e)| e % 2 == 0) && signs.all(|s| Some(s) == first)
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
        list[0] = self.constant.clone();
        for (m, c) in &self.terms {
            match m.as_slice() {
                [(x, e)] if *x == v => list[*e as usize] = c.clone(),
                _ => return None,
            }
        }
        Some(list)
    }

    /// The value where all its unknowns have one.
    pub fn at(&self, known: &FxHashMap<u32, Rational>) -> Option<Rational> {
        let mut sum = self.constant.clone();
        for (m, c) in &self.terms {
            let mut term = c.clone();
            for (v, e) in m {
                let x = known.get(v)?;
                (0..*e).for_each(|_| term = &term * x);
            }
            sum = &sum + &term;
        }
        Some(sum)
    }

    /// Of a circle a (v − c)² + a (w − d)² = a r² in two unknowns with a rational radius: the first unknown, c and r.
    pub fn circle(&self) -> Option<(u32, Rational, Rational)> {
        let degrees = self.degrees();
        let [(v, 2), (w, 2)] = degrees.into_iter().collect::<Vec<_>>()[..] else { return None };
        let of = |m: &[(u32, u32)]| self.terms.get(m).cloned().unwrap_or(Rational::ZERO);
        let (a, b) = (of(&[(v, 2)]), of(&[(w, 2)]));
        if a != b || !of(&[(v, 1), (w, 1)]).is_zero() {
            return None;
        }
        let half = (&a + &a).recip()?;
        let (c, d) = (-&(&of(&[(v, 1)]) * &half), -&(&of(&[(w, 1)]) * &half));
        let square = &(&(&c * &c) + &(&d * &d)) - &(&self.constant * &a.recip()?);
        Some((v, c, square.exact_root(2).filter(|r| !r.is_zero())?))
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

    /// self + c·other.
    pub fn add_scaled(&mut self, other: &Series, c: &Rational) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| a.add_scaled(b, c));
    }

    pub fn scale(&self, c: &Rational) -> Series {
        Series(self.0.iter().map(|a| a.scale(c)).collect())
    }

    pub fn mul(&self, cx: &Inquiry, other: &Series) -> Budgeted<Series> {
        let mut list = vec![Poly::default(); self.0.len()];
        for (i, a) in self.0.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            for (j, b) in other.0[..self.0.len() - i].iter().enumerate().filter(|(_, b)| !b.is_zero()) {
                list[i + j].add_scaled(&a.mul(cx, b)?, &Rational::ONE);
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
            if n == 0 {
                return Ok(Series::number(Rational::ONE, self.degree()));
            }
            let mut power = self.clone();
            for _ in 1..n {
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

/// The rank of a matrix of rational numbers, by elimination with the row that has the fewest entries.
pub(super) fn rank(rows: &[Vec<Rational>]) -> usize {
    let mut rows: Vec<Vec<Rational>> = rows.to_vec();
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let fill = |i: &usize| rows[*i].iter().filter(|x| !x.is_zero()).count();
        let pivot = (rank..rows.len()).filter(|i| !rows[*i][column].is_zero()).min_by_key(fill);
        let Some(pivot) = pivot else { continue };
        rows.swap(rank, pivot);
        let (above, below) = rows.split_at_mut(rank + 1);
        let pivot = &above[rank];
        let Some(inverse) = pivot[column].recip() else { continue };
        for row in below.iter_mut().filter(|row| !row[column].is_zero()) {
            let factor = &row[column] * &inverse;
            for (x, y) in row.iter_mut().zip(pivot).filter(|(_, y)| !y.is_zero()) {
                *x = &*x - &(&factor * y);
            }
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

    /// x²y + 3xy − y + 2 at x = −2 is −3y + 2, and at y = 0 it is 2.
    #[test]
    fn a_value_is_put_in_for_an_unknown() {
        let cx = &Inquiry::free();
        let (x, y) = (Poly::unknown(0), Poly::unknown(1));
        let square = x.mul(cx, &x).unwrap().mul(cx, &y).unwrap();
        let p = square.add(&x.mul(cx, &y).unwrap().scale(&rational(3))).add(&y.scale(&rational(-1)));
        let p = p.add(&Poly::number(rational(2)));
        let expected = y.scale(&rational(-3)).add(&Poly::number(rational(2)));
        assert_eq!(p.with_value(cx, 0, &rational(-2)).unwrap(), expected);
        assert_eq!(p.with_value(cx, 1, &Rational::ZERO).unwrap(), Poly::number(rational(2)));
        assert_eq!(p.with_value(cx, 7, &rational(5)).unwrap(), p);
    }

    #[test]
    fn the_rank_of_dependent_rows() {
        let row = |list: [i64; 3]| list.map(rational).to_vec();
        assert_eq!(rank(&[row([1, 2, 3]), row([2, 4, 6]), row([0, 0, 5])]), 2);
        assert_eq!(rank(&[row([0, 0, 0])]), 0);
        assert_eq!(rank(&[]), 0);
    }
}
