//! Exact integers and rationals. Machine words while they fit, dashu beyond; every value has one
//! representation, so equality and hashing are structural.

use crate::budget::{Budgeted, Exhausted, MAX_BITS};
use dashu_int::{IBig, ops::BitTest, ops::Gcd};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An integer. `Big` holds only what does not fit a word.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Integer {
    Small(i64),
    Big(Box<IBig>),
}

/// A rational number in lowest terms with positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Integer,
    denominator: Integer,
}

impl Integer {
    pub const ZERO: Integer = Integer::Small(0);
    pub const ONE: Integer = Integer::Small(1);

    pub fn from_big(value: IBig) -> Integer {
        match i64::try_from(&value) {
            Ok(small) => Integer::Small(small),
            Err(_) => Integer::Big(Box::new(value)),
        }
    }

    pub fn to_big(&self) -> IBig {
        match self {
            Integer::Small(n) => IBig::from(*n),
            Integer::Big(n) => (**n).clone(),
        }
    }

    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Integer::Small(n) => Some(*n),
            Integer::Big(_) => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Integer::Small(0))
    }

    pub fn is_one(&self) -> bool {
        matches!(self, Integer::Small(1))
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(n) => *n < 0,
            Integer::Big(n) => **n < IBig::ZERO,
        }
    }

    pub fn is_even(&self) -> bool {
        match self {
            Integer::Small(n) => n & 1 == 0,
            Integer::Big(n) => !n.bit(0),
        }
    }

    pub fn signum(&self) -> i32 {
        if self.is_zero() {
            0
        } else if self.is_negative() {
            -1
        } else {
            1
        }
    }

    pub fn abs(&self) -> Integer {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Number of bits of the absolute value.
    pub fn bits(&self) -> usize {
        match self {
            Integer::Small(n) => 64 - n.unsigned_abs().leading_zeros() as usize,
            Integer::Big(n) => n.bit_len(),
        }
    }

    /// Greatest common divisor, never negative; `gcd(0, 0) = 0`.
    pub fn gcd(&self, other: &Integer) -> Integer {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other) {
            let g = gcd_u64(a.unsigned_abs(), b.unsigned_abs());
            return i64::try_from(g).map_or_else(|_| Integer::from_big(IBig::from(g)), Integer::Small);
        }
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        Integer::from_big(IBig::from(self.to_big().gcd(other.to_big())))
    }

    /// Quotient and remainder with `self = q*other + r`, `|r| < |other|`, `r` of the sign of `self`.
    pub fn div_rem(&self, other: &Integer) -> (Integer, Integer) {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let (Some(q), Some(r)) = (a.checked_div(*b), a.checked_rem(*b))
        {
            return (Integer::Small(q), Integer::Small(r));
        }
        let (a, b) = (self.to_big(), other.to_big());
        (Integer::from_big(&a / &b), Integer::from_big(&a % &b))
    }

    /// `self / other` when `other` divides it.
    pub fn div_exact(&self, other: &Integer) -> Option<Integer> {
        if other.is_zero() {
            return None;
        }
        let (q, r) = self.div_rem(other);
        r.is_zero().then_some(q)
    }

    /// Refuses results above the bit limit instead of computing them.
    pub fn pow(&self, exponent: u32) -> Budgeted<Integer> {
        if self.bits().saturating_mul(exponent as usize) > MAX_BITS && self.bits() > 1 {
            return Err(Exhausted::Bits);
        }
        if let Integer::Small(n) = self
            && let Some(p) = n.checked_pow(exponent)
        {
            return Ok(Integer::Small(p));
        }
        Ok(Integer::from_big(self.to_big().pow(exponent as usize)))
    }

    /// The integer n with nᵏ = self, if there is one (for odd k also of negative numbers).
    pub fn exact_root(&self, k: u32) -> Option<Integer> {
        if self.is_negative() {
            return if k % 2 == 1 { self.abs().exact_root(k).map(|r| -&r) } else { None };
        }
        let (root, rest) = dashu_root(&self.to_big(), k)?;
        rest.then(|| Integer::from_big(root))
    }
}

/// Floor of the k-th root, and whether it is exact.
fn dashu_root(n: &IBig, k: u32) -> Option<(IBig, bool)> {
    use dashu_int::UBig;
    let n: UBig = UBig::try_from(n.clone()).ok()?;
    let root = n.nth_root(k as usize);
    let exact = root.pow(k as usize) == n;
    Some((IBig::from(root), exact))
}

fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

impl From<i64> for Integer {
    fn from(n: i64) -> Integer {
        Integer::Small(n)
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            (Integer::Big(a), Integer::Big(b)) => a.cmp(b),
            // A big number is beyond every word, so its sign decides.
            (Integer::Small(_), Integer::Big(_)) => 0.cmp(&other.signum()),
            (Integer::Big(_), Integer::Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! integer_operator {
    ($trait:ident, $method:ident, $checked:ident, $op:tt) => {
        impl $trait for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                if let (Integer::Small(a), Integer::Small(b)) = (self, other)
                    && let Some(c) = a.$checked(*b)
                {
                    return Integer::Small(c);
                }
                Integer::from_big(match (self, other) {
                    (Integer::Small(a), Integer::Small(b)) => IBig::from(*a) $op IBig::from(*b),
                    (Integer::Small(a), Integer::Big(b)) => IBig::from(*a) $op &**b,
                    (Integer::Big(a), Integer::Small(b)) => &**a $op IBig::from(*b),
                    (Integer::Big(a), Integer::Big(b)) => &**a $op &**b,
                })
            }
        }
    };
}
integer_operator!(Add, add, checked_add, +);
integer_operator!(Sub, sub, checked_sub, -);
integer_operator!(Mul, mul, checked_mul, *);

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        match self {
            Integer::Small(n) => n.checked_neg().map_or_else(|| Integer::from_big(-IBig::from(*n)), Integer::Small),
            Integer::Big(n) => Integer::from_big(-(**n).clone()),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Integer::Small(n) => write!(f, "{n}"),
            Integer::Big(n) => write!(f, "{n}"),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Rational {
    pub const ZERO: Rational = Rational { numerator: Integer::ZERO, denominator: Integer::ONE };
    pub const ONE: Rational = Rational { numerator: Integer::ONE, denominator: Integer::ONE };
    pub const MINUS_ONE: Rational = Rational { numerator: Integer::Small(-1), denominator: Integer::ONE };
    pub const HALF: Rational = Rational { numerator: Integer::ONE, denominator: Integer::Small(2) };

    /// The fraction in lowest terms. `denominator` must not be zero.
    pub fn new(numerator: Integer, denominator: Integer) -> Rational {
        debug_assert!(!denominator.is_zero());
        if denominator.is_one() {
            return Rational { numerator, denominator };
        }
        let g = numerator.gcd(&denominator);
        let (mut n, mut d) =
            if g.is_one() { (numerator, denominator) } else { (numerator.div_rem(&g).0, denominator.div_rem(&g).0) };
        if d.is_negative() {
            (n, d) = (-&n, -&d);
        }
        Rational { numerator: n, denominator: d }
    }

    pub fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    pub fn integer(n: Integer) -> Rational {
        Rational { numerator: n, denominator: Integer::ONE }
    }

    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub fn is_one(&self) -> bool {
        self.numerator.is_one() && self.denominator.is_one()
    }

    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    pub fn signum(&self) -> i32 {
        self.numerator.signum()
    }

    /// The value as a machine integer, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        if self.is_integer() { self.numerator.to_i64() } else { None }
    }

    pub fn abs(&self) -> Rational {
        Rational { numerator: self.numerator.abs(), denominator: self.denominator.clone() }
    }

    pub fn recip(&self) -> Option<Rational> {
        if self.is_zero() {
            return None;
        }
        let (n, d) = (self.denominator.clone(), self.numerator.clone());
        Some(if d.is_negative() {
            Rational { numerator: -&n, denominator: -&d }
        } else {
            Rational { numerator: n, denominator: d }
        })
    }

    pub fn bits(&self) -> usize {
        self.numerator.bits().max(self.denominator.bits())
    }

    /// `self^exponent`; `0^negative` must not be asked. Budgeted in bits.
    pub fn pow(&self, exponent: i64) -> Budgeted<Rational> {
        let n = u32::try_from(exponent.unsigned_abs()).map_err(|_| Exhausted::Bits);
        if self.is_one() || (self.is_zero() && exponent > 0) {
            return Ok(self.clone());
        }
        let base = if exponent < 0 { self.recip().expect("power of zero") } else { self.clone() };
        if base == Rational::MINUS_ONE {
            return Ok(if exponent % 2 == 0 { Rational::ONE } else { base });
        }
        let n = n?;
        Ok(Rational { numerator: base.numerator.pow(n)?, denominator: base.denominator.pow(n)? })
    }

    pub fn exact_root(&self, k: u32) -> Option<Rational> {
        Some(Rational { numerator: self.numerator.exact_root(k)?, denominator: self.denominator.exact_root(k)? })
    }

    /// Largest integer not above.
    pub fn floor(&self) -> Integer {
        let (q, r) = self.numerator.div_rem(&self.denominator);
        if r.is_negative() { &q - &Integer::ONE } else { q }
    }

    /// Reads `12`, `2.5`, `1e-3`, `2.5e10`: digits on both sides of a point, exact. `None` when it is
    /// not such a number; `Err` when it would be too large.
    pub fn parse(text: &str) -> Option<Budgeted<Rational>> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((m, e)) => (m, e.parse::<i64>().ok()),
            None => (text, Some(0)),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() || !whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit()) {
            return None;
        }
        if (mantissa.len() as u64).saturating_mul(4) > MAX_BITS as u64 {
            return Some(Err(Exhausted::Bits));
        }
        let digits: IBig = format!("{whole}{part}").parse().ok()?;
        let Some(exponent) = exponent else { return Some(Err(Exhausted::Bits)) };
        let power = exponent.saturating_sub(part.len() as i64);
        let scale = match Rational::from(10).pow(power) {
            Ok(scale) => scale,
            Err(stop) => return Some(Err(stop)),
        };
        Some(Ok(&Rational::integer(Integer::from_big(digits)) * &scale))
    }

    /// Whether the decimal expansion ends: the denominator is 2ᵃ5ᵇ. If so, the text `9.81`.
    pub fn to_decimal(&self) -> Option<String> {
        let mut d = self.denominator.to_i64()?;
        let (mut twos, mut fives) = (0u32, 0u32);
        while d % 2 == 0 {
            d /= 2;
            twos += 1;
        }
        while d % 5 == 0 {
            d /= 5;
            fives += 1;
        }
        if d != 1 {
            return None;
        }
        let places = twos.max(fives);
        let scaled = self * &Rational::from(10).pow(i64::from(places)).ok()?;
        let digits = scaled.numerator.abs().to_string();
        let sign = if self.is_negative() { "-" } else { "" };
        if places == 0 {
            return Some(format!("{sign}{digits}"));
        }
        let places = places as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = padded.split_at(padded.len() - places);
        Some(format!("{sign}{whole}.{part}"))
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Rational {
        Rational { numerator: n.into(), denominator: Integer::ONE }
    }
}

impl From<Integer> for Rational {
    fn from(n: Integer) -> Rational {
        Rational::integer(n)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        if self.is_integer() && other.is_integer() {
            return Rational::integer(&self.numerator + &other.numerator);
        }
        let left = &self.numerator * &other.denominator;
        let right = &other.numerator * &self.denominator;
        Rational::new(&left + &right, &self.denominator * &other.denominator)
    }
}

/// A sum of many numbers. Fractions with large denominators are added in pairs of about equal size, so that
/// Σ 1/i costs little more than its last addition.
pub struct Total {
    small: Rational,
    /// Sums of 2^k blocks each, k decreasing.
    blocks: Vec<(u32, Rational)>,
}

impl Total {
    /// A block is closed when it has so many bits.
    const BLOCK: usize = 1 << 10;

    pub fn new(first: Rational) -> Total {
        Total { small: first, blocks: Vec::new() }
    }

    /// Adds a number; of a total beyond [`MAX_BITS`] only that is kept.
    pub fn add(&mut self, n: Rational) {
        if self.blocks.first().is_some_and(|(_, b)| b.bits() > MAX_BITS) {
            return;
        }
        self.small = &self.small + &n;
        if self.small.bits() <= Total::BLOCK || self.small.is_integer() {
            return;
        }
        let (mut level, mut block) = (0, std::mem::replace(&mut self.small, Rational::ZERO));
        while self.blocks.last().is_some_and(|(l, _)| *l == level) {
            let (_, other) = self.blocks.pop().expect("looked at above");
            block = &block + &other;
            level += 1;
        }
        self.blocks.push((level, block));
    }

    pub fn finish(self) -> Rational {
        if let Some((_, block)) = self.blocks.first().filter(|(_, b)| b.bits() > MAX_BITS) {
            return block.clone();
        }
        self.blocks.into_iter().rev().fold(self.small, |sum, (_, block)| &sum + &block)
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        if self.is_integer() && other.is_integer() {
            return Rational::integer(&self.numerator * &other.numerator);
        }
        Rational::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Div for &Rational {
    type Output = Rational;
    /// The divisor must not be zero.
    fn div(self, other: &Rational) -> Rational {
        Rational::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sum_is_the_sum_of_its_terms() {
        let term = |i: i64| Rational::new(Integer::from(i % 7 - 3), Integer::from(i));
        let mut total = Total::new(Rational::ONE);
        let mut plain = Rational::ONE;
        for i in 1..3000 {
            total.add(term(i));
            plain = &plain + &term(i);
        }
        assert!(plain.bits() > 2 * Total::BLOCK && total.finish() == plain);
    }

    #[test]
    fn words_overflow_into_big_integers_and_back() {
        let big = Integer::from(i64::MAX);
        let sum = &big + &Integer::ONE;
        assert!(matches!(sum, Integer::Big(_)));
        assert_eq!(&sum - &Integer::ONE, big);
        assert_eq!(-&Integer::from(i64::MIN), sum);
        assert_eq!(Integer::from(i64::MIN).div_rem(&Integer::from(-1)).0, sum);
        assert_eq!(Integer::from(i64::MIN).gcd(&Integer::ZERO), sum);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Rational::parse("9.81"), Some(Ok(Rational::ratio(981, 100))));
        assert_eq!(Rational::parse("1e-3"), Some(Ok(Rational::ratio(1, 1000))));
        assert_eq!(Rational::ratio(981, 100).to_decimal().as_deref(), Some("9.81"));
        assert_eq!(Rational::ratio(-1, 8).to_decimal().as_deref(), Some("-0.125"));
        assert_eq!(Rational::ratio(1, 3).to_decimal(), None);
        assert_eq!(Rational::parse("1e999999999999"), Some(Err(Exhausted::Bits)));
    }

    #[test]
    fn roots_and_powers() {
        assert_eq!(Rational::ratio(-8, 27).exact_root(3), Some(Rational::ratio(-2, 3)));
        assert_eq!(Rational::from(2).exact_root(2), None);
        assert_eq!(Rational::from(2).pow(1_000_000_000), Err(Exhausted::Bits));
        assert_eq!(Rational::ratio(2, 3).pow(-2), Ok(Rational::ratio(9, 4)));
        assert_eq!(Rational::ratio(-7, 2).floor(), Integer::from(-4));
    }
}
