//! Real roots of polynomials in one variable, exactly: how many there are, where, and numbers given as such roots.
//!
//! Roots are isolated by Descartes' rule of signs on dyadic intervals (Collins–Akritas), factor by factor, so that
//! every root comes with its minimal polynomial. An [`AlgebraicNumber`] is that polynomial and an interval which
//! holds this root and no other; signs of other polynomials at it, and comparison, are decided, never estimated:
//! a gcd decides whether the sign is zero, and otherwise the interval is refined until it shows the sign.
//!
//! ```
//! use lepage::workshop::algebra::{Rational, polynomial::Polynomial, roots::isolate_real_roots};
//! use lepage::workshop::budget::Budget;
//! let cx = &Budget::unlimited();
//! let x = Polynomial::variable(0);
//! let p = &x.pow(cx, 3).unwrap() - &x.scale(&Rational::from(2));
//! let roots = isolate_real_roots(cx, &p).unwrap();
//! assert_eq!(roots.len(), 3);
//! assert_eq!(roots[1].to_rational(), Some(Rational::ZERO));
//! assert!(roots[0] < roots[2]);
//! ```

pub mod complex;
mod dense;

use crate::algebra::factor::{factor, squarefree_part};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;
use crate::budget::Budget;
use crate::budget::Budgeted;
use dense::Dense;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;

/// A real number given by a polynomial and an interval in which it has exactly one root.
#[derive(Clone)]
pub struct AlgebraicNumber {
    /// Squarefree; irreducible unless its factorisation exhausted a budget.
    polynomial: Dense,
    /// Open, or a point. Refinement is invisible: it changes the interval, not the number.
    interval: RefCell<Interval>,
}

/// Endpoints of an open interval, or a point if they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    pub low: Rational,
    pub high: Rational,
}

impl Interval {
    fn point(x: Rational) -> Interval {
        Interval { low: x.clone(), high: x }
    }

    pub fn width(&self) -> Rational {
        &self.high - &self.low
    }

    fn middle(&self) -> Rational {
        &(&self.low + &self.high) * &Rational::ratio(1, 2)
    }
}

/// All real roots, increasing, each once, with disjoint intervals. None of a constant; the polynomial must have at most
/// one variable.
pub fn isolate_real_roots(cx: &Budget, p: &Polynomial) -> Budgeted<Vec<AlgebraicNumber>> {
    let [_] = p.variables() else { return Ok(Vec::new()) };
    let parts = factor(cx, p);
    let factors = if parts.complete {
        parts.factors.into_iter().map(|(f, _)| f).collect()
    } else {
        vec![squarefree_part(cx, p)?]
    };
    let mut roots: Vec<AlgebraicNumber> = Vec::new();
    for f in factors {
        let f = Dense::from_polynomial(&f);
        for interval in f.isolate(cx)? {
            roots.push(AlgebraicNumber { polynomial: f.clone(), interval: RefCell::new(interval) });
        }
    }
    // Roots of different factors differ: refine until no two intervals meet.
    let mut sorted: Vec<AlgebraicNumber> = Vec::new();
    for root in roots {
        let mut place = sorted.len();
        for (i, other) in sorted.iter().enumerate() {
            if root.compare(cx, other)? == Ordering::Less {
                place = i;
                break;
            }
        }
        sorted.insert(place, root);
    }
    Ok(sorted)
}

/// The Sturm sequence p, p′, −rem(p, p′), …, each up to a positive number; of a polynomial in one variable.
pub fn sturm_sequence(cx: &Budget, p: &Polynomial) -> Budgeted<Vec<Polynomial>> {
    let [v] = p.variables() else { return Ok(vec![p.clone()]) };
    let positive = |q: &Polynomial| q.unscale(&q.content().abs()).unwrap_or_else(Polynomial::zero);
    let mut chain = vec![positive(p), positive(&p.derivative(*v))];
    while !chain[chain.len() - 1].is_constant() {
        cx.check()?;
        let (a, b) = (&chain[chain.len() - 2], &chain[chain.len() - 1]);
        let remainder = a.div_rem(cx, b)?.1;
        if remainder.is_zero() {
            break;
        }
        chain.push(positive(&-&remainder));
    }
    Ok(chain)
}

/// The number of distinct real roots in (low, high]; an absent bound is infinite.
pub fn count_real_roots(
    cx: &Budget,
    p: &Polynomial,
    low: Option<&Rational>,
    high: Option<&Rational>,
) -> Budgeted<usize> {
    let [v] = p.variables() else { return Ok(0) };
    let chain = sturm_sequence(cx, &squarefree_part(cx, p)?)?;
    let mut changes = [0usize; 2];
    for (bound, count, at_minus) in [(low, 0, true), (high, 1, false)] {
        let mut last = 0;
        for q in &chain {
            let sign = match bound {
                Some(x) => q.evaluate_at(cx, &[(*v, x.clone())])?.expect("one variable").signum(),
                None if at_minus && q.degree_in(*v) % 2 == 1 => -q.leading_coefficient().signum(),
                None => q.leading_coefficient().signum(),
            };
            if sign != 0 {
                changes[count] += usize::from(last != 0 && sign != last);
                last = sign;
            }
        }
    }
    Ok(changes[0].saturating_sub(changes[1]))
}

impl From<Rational> for AlgebraicNumber {
    fn from(x: Rational) -> AlgebraicNumber {
        let polynomial = Dense::new(vec![-x.numerator(), x.denominator().clone()]);
        AlgebraicNumber { polynomial, interval: RefCell::new(Interval::point(x)) }
    }
}

impl AlgebraicNumber {
    /// The root of `p` in the open interval, if there is exactly one.
    pub fn root_of(cx: &Budget, p: &Polynomial, low: &Rational, high: &Rational) -> Budgeted<Option<AlgebraicNumber>> {
        let inside = |root: &AlgebraicNumber| -> Budgeted<bool> {
            Ok(root.compare(cx, &low.clone().into())? == Ordering::Greater
                && root.compare(cx, &high.clone().into())? == Ordering::Less)
        };
        let mut found = Vec::new();
        for root in isolate_real_roots(cx, p)? {
            if inside(&root)? {
                found.push(root);
            }
        }
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// The minimal polynomial in the given variable: integer coefficients, positive leading one.
    pub fn minimal_polynomial(&self, variable: u32) -> Polynomial {
        self.polynomial.to_polynomial(variable)
    }

    pub fn degree(&self) -> usize {
        self.polynomial.degree()
    }

    /// The current enclosure.
    pub fn interval(&self) -> Interval {
        self.interval.borrow().clone()
    }

    pub fn to_rational(&self) -> Option<Rational> {
        let interval = self.interval.borrow();
        if interval.low == interval.high {
            return Some(interval.low.clone());
        }
        (self.degree() == 1).then(|| self.polynomial.linear_root())
    }

    /// Narrows the interval to at most the given positive width, and returns it.
    pub fn refine(&self, cx: &Budget, width: &Rational) -> Budgeted<Interval> {
        while self.interval.borrow().width() > *width {
            self.halve(cx)?;
        }
        Ok(self.interval())
    }

    fn halve(&self, cx: &Budget) -> Budgeted<()> {
        cx.check()?;
        let mut interval = self.interval.borrow_mut();
        if interval.low == interval.high {
            return Ok(());
        }
        let middle = interval.middle();
        let sign = self.polynomial.sign_at(&middle);
        if sign == 0 {
            *interval = Interval::point(middle);
        } else if sign == self.sign_above_low(&interval) {
            interval.low = middle;
        } else {
            interval.high = middle;
        }
        Ok(())
    }

    /// The sign of the polynomial just above the lower end, which may itself be a root.
    fn sign_above_low(&self, interval: &Interval) -> i32 {
        match self.polynomial.sign_at(&interval.low) {
            0 => self.polynomial.derivative().sign_at(&interval.low),
            sign => sign,
        }
    }

    /// The sign of `p` (a polynomial in one variable) at this number.
    pub fn sign_of(&self, cx: &Budget, p: &Polynomial) -> Budgeted<i32> {
        if let Some(c) = p.as_constant() {
            return Ok(c.signum());
        }
        let variable = p.variables()[0];
        if let Some(x) = self.to_rational() {
            return Ok(p.evaluate_at(cx, &[(variable, x)])?.map_or(0, |v| v.signum()));
        }
        let common = p.gcd(cx, &self.minimal_polynomial(variable))?;
        if !common.is_constant() && self.is_root_of_divisor(&Dense::from_polynomial(&common)) {
            return Ok(0);
        }
        let p = Dense::from_polynomial(&p.unscale(&p.content().abs()).expect("not zero"));
        loop {
            let interval = self.interval();
            if let Some(sign) = p.sign_on(&interval) {
                return Ok(sign);
            }
            self.halve(cx)?;
        }
    }

    /// Whether the number is a root of a divisor of its polynomial: such a root is simple, so the sign changes.
    fn is_root_of_divisor(&self, divisor: &Dense) -> bool {
        let interval = self.interval();
        if interval.low == interval.high {
            return divisor.sign_at(&interval.low) == 0;
        }
        let after = |x: &Rational, direction: i32| match divisor.sign_at(x) {
            0 => direction * divisor.derivative().sign_at(x),
            sign => sign,
        };
        after(&interval.low, 1) != after(&interval.high, -1)
    }

    /// The order of two numbers.
    pub fn compare(&self, cx: &Budget, other: &AlgebraicNumber) -> Budgeted<Ordering> {
        if let (Some(x), Some(y)) = (self.to_rational(), other.to_rational()) {
            return Ok(x.cmp(&y));
        }
        if self.equals(cx, other)? {
            return Ok(Ordering::Equal);
        }
        loop {
            let (a, b) = (self.interval(), other.interval());
            // Open intervals that touch do not meet; a point may be an end of an open interval.
            if a.high <= b.low {
                return Ok(Ordering::Less);
            }
            if b.high <= a.low {
                return Ok(Ordering::Greater);
            }
            self.halve(cx)?;
            other.halve(cx)?;
        }
    }

    fn equals(&self, cx: &Budget, other: &AlgebraicNumber) -> Budgeted<bool> {
        let (p, q) = (self.minimal_polynomial(0), other.minimal_polynomial(0));
        let common = p.gcd(cx, &q)?;
        if common.is_constant() {
            return Ok(false);
        }
        // Both are roots of the common part; equal if it has a root where the intervals meet.
        let common = Dense::from_polynomial(&common);
        if !self.is_root_of_divisor(&common) || !other.is_root_of_divisor(&common) {
            return Ok(false);
        }
        let (a, b) = (self.interval(), other.interval());
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        if low > high {
            return Ok(false);
        }
        let meet = Interval { low, high };
        if meet.low == meet.high {
            return Ok(common.sign_at(&meet.low) == 0);
        }
        let n = count_real_roots(cx, &common.to_polynomial(0), Some(&meet.low), Some(&meet.high))?;
        // The count includes the upper end, which is outside an open interval.
        Ok(n > usize::from(common.sign_at(&meet.high) == 0))
    }

    pub fn signum(&self) -> i32 {
        let interval = self.interval();
        if interval.low == interval.high {
            return interval.low.signum();
        }
        if !interval.low.is_negative() {
            return 1;
        }
        if interval.high.is_zero() || interval.high.is_negative() {
            return -1;
        }
        // Zero lies inside; the sign of the polynomial there tells on which side the root is.
        match self.polynomial.sign_at(&Rational::ZERO) {
            0 => 0,
            sign if sign == self.sign_above_low(&interval) => 1,
            _ => -1,
        }
    }
}

impl PartialEq for AlgebraicNumber {
    fn eq(&self, other: &AlgebraicNumber) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Ends: the intervals shrink until they are apart, or the numbers are shown to be equal.
impl PartialOrd for AlgebraicNumber {
    fn partial_cmp(&self, other: &AlgebraicNumber) -> Option<Ordering> {
        self.compare(&Budget::unlimited(), other).ok()
    }
}

impl fmt::Debug for AlgebraicNumber {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(x) = self.to_rational() {
            return write!(f, "{x}");
        }
        let i = self.interval();
        write!(f, "root of {} in ({}, {})", self.minimal_polynomial(0), i.low, i.high)
    }
}

#[cfg(test)]
mod tests;
