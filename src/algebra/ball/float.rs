//! Dyadic numbers m·2ᵉ, and upper bounds for errors.

use crate::algebra::number::Rational;
use dashu_int::{IBig, ops::BitTest};
use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// The exact number mantissa · 2^exponent; the mantissa is odd or the number is 0 with exponent 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Float {
    mantissa: IBig,
    exponent: i64,
}

/// Numbers beyond 2^(±this) are not represented.
pub const MAX_EXPONENT: i64 = 1 << 60;

impl Float {
    pub const ZERO: Float = Float { mantissa: IBig::ZERO, exponent: 0 };
    pub const ONE: Float = Float { mantissa: IBig::ONE, exponent: 0 };

    pub fn new(mantissa: IBig, exponent: i64) -> Float {
        match mantissa.trailing_zeros() {
            None => Float::ZERO,
            Some(0) => Float { mantissa, exponent },
            Some(zeros) => Float { mantissa: mantissa >> zeros, exponent: exponent + zeros as i64 },
        }
    }

    pub fn mantissa(&self) -> &IBig {
        &self.mantissa
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa == IBig::ZERO
    }

    pub fn signum(&self) -> i32 {
        match self.mantissa.cmp(&IBig::ZERO) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    pub fn neg(&self) -> Float {
        Float { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    pub fn abs(&self) -> Float {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// The t with 2^(t−1) ≤ |self| < 2^t; of zero, less than any other.
    pub fn top(&self) -> i64 {
        if self.is_zero() { -4 * MAX_EXPONENT } else { self.exponent + self.mantissa.bit_len() as i64 }
    }

    pub fn mantissa_bits(&self) -> i64 {
        self.mantissa.bit_len() as i64
    }

    /// self · 2^k.
    pub fn shifted(&self, k: i64) -> Float {
        if self.is_zero() {
            Float::ZERO
        } else {
            Float { mantissa: self.mantissa.clone(), exponent: self.exponent + k }
        }
    }

    pub fn mul(&self, other: &Float) -> Float {
        Float::new(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }

    /// The exact sum. Only for summands whose exponents are not far apart.
    pub fn add(&self, other: &Float) -> Float {
        let (low, high) = if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        if high.is_zero() {
            return low.clone();
        }
        if low.is_zero() {
            return high.clone();
        }
        let shift = (high.exponent - low.exponent) as usize;
        Float::new((&high.mantissa << shift) + &low.mantissa, low.exponent)
    }

    pub fn sub(&self, other: &Float) -> Float {
        self.add(&other.neg())
    }

    /// self − 1, if self is so near 1 that this is small.
    pub fn minus_one(&self) -> Option<Float> {
        (0..=1).contains(&self.top()).then(|| self.sub(&Float::ONE)).filter(|d| d.top() < 0)
    }

    /// The largest integer multiple of 2^−places not above.
    pub fn to_fixed(&self, places: i64) -> IBig {
        let shift = self.exponent.saturating_add(places);
        if shift >= 0 {
            &self.mantissa << shift as usize
        } else {
            &self.mantissa >> usize::try_from(-shift).unwrap_or(usize::MAX)
        }
    }

    /// At most `precision` bits of it, rounded towards −∞, and a bound of the error.
    pub fn round(self, precision: u32) -> (Float, Mag) {
        let bits = self.mantissa.bit_len();
        if bits <= precision as usize {
            return (self, Mag::ZERO);
        }
        let drop = bits - precision as usize;
        let exponent = self.exponent + drop as i64;
        (Float::new(self.mantissa >> drop, exponent), Mag::power_of_two(exponent))
    }

    pub fn cmp_value(&self, other: &Float) -> Ordering {
        let by_sign = self.signum().cmp(&other.signum());
        if by_sign != Ordering::Equal || self.is_zero() {
            return by_sign;
        }
        let by_size = self.top().cmp(&other.top());
        if by_size != Ordering::Equal {
            return if self.signum() > 0 { by_size } else { by_size.reverse() };
        }
        let shift = self.exponent - other.exponent;
        if shift >= 0 {
            (&self.mantissa << shift as usize).cmp(&other.mantissa)
        } else {
            self.mantissa.cmp(&(&other.mantissa << (-shift) as usize))
        }
    }

    /// The quotient to `precision` bits, and a bound of the error. The divisor is not zero.
    pub fn div(&self, other: &Float, precision: u32) -> (Float, Mag) {
        if self.is_zero() {
            return (Float::ZERO, Mag::ZERO);
        }
        let wanted = precision as i64 + other.mantissa.bit_len() as i64 - self.mantissa.bit_len() as i64 + 1;
        let shift = wanted.max(0);
        let scaled = &self.mantissa << shift as usize;
        let quotient = &scaled / &other.mantissa;
        let exponent = self.exponent - other.exponent - shift;
        let exact = &quotient * &other.mantissa == scaled;
        (Float::new(quotient, exponent), if exact { Mag::ZERO } else { Mag::power_of_two(exponent) })
    }

    /// As an exact rational, unless it is too large to write down.
    pub fn to_rational(&self) -> Option<Rational> {
        let n = Rational::integer(crate::algebra::number::Integer::from_big(self.mantissa.clone()));
        Some(&n * &Rational::from(2).pow(self.exponent).ok()?)
    }
}

/// An upper bound m·2ᵉ of an error: m ≤ 2³¹, always rounded up. The exponent `i64::MAX` is infinity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mag {
    m: u64,
    e: i64,
}

impl Mag {
    pub const ZERO: Mag = Mag { m: 0, e: 0 };
    pub const INFINITE: Mag = Mag { m: 1, e: i64::MAX };

    pub fn power_of_two(e: i64) -> Mag {
        Mag { m: 1, e }
    }

    fn new(m: u64, e: i64) -> Mag {
        if m == 0 {
            return Mag::ZERO;
        }
        let bits = 64 - m.leading_zeros();
        let (m, e) = if bits > 31 {
            let drop = bits - 31;
            ((m >> drop) + u64::from(m & ((1 << drop) - 1) != 0), e.saturating_add(i64::from(drop)))
        } else {
            (m, e)
        };
        if e > 2 * MAX_EXPONENT { Mag::INFINITE } else { Mag { m, e: e.max(-2 * MAX_EXPONENT) } }
    }

    pub fn is_zero(self) -> bool {
        self.m == 0
    }

    pub fn is_infinite(self) -> bool {
        self.e == i64::MAX
    }

    /// An upper bound of |x|.
    pub fn of(x: &Float) -> Mag {
        if x.is_zero() {
            return Mag::ZERO;
        }
        let bits = x.mantissa.bit_len();
        if bits <= 31 {
            let m = i64::try_from(&x.mantissa).unwrap_or(i64::MAX).unsigned_abs();
            return Mag::new(m, x.exponent);
        }
        let drop = bits - 31;
        let top = &x.abs().mantissa >> drop;
        Mag::new(u64::try_from(&top).unwrap_or(u64::MAX >> 1) + 1, x.exponent + drop as i64)
    }

    /// An upper bound of self / |x| for x ≠ 0.
    pub fn over(self, x: &Float) -> Mag {
        if self.is_zero() || self.is_infinite() {
            return self;
        }
        let bits = x.mantissa.bit_len();
        let magnitude = x.abs().mantissa;
        let (m, e) = if bits <= 31 {
            (u64::try_from(&magnitude).unwrap_or(1), x.exponent)
        } else {
            let top = &magnitude >> (bits - 31);
            (u64::try_from(&top).unwrap_or(1), x.exponent + (bits - 31) as i64)
        };
        Mag::new((self.m << 31) / m.max(1) + 1, self.e - 31 - e)
    }

    pub fn scaled(self, n: u64) -> Mag {
        self * Mag::new(n, 0)
    }

    pub fn shifted(self, k: i64) -> Mag {
        if self.is_zero() || self.is_infinite() { self } else { Mag::new(self.m, self.e.saturating_add(k)) }
    }

    pub fn cmp_value(self, other: Mag) -> Ordering {
        self.to_float().cmp_value(&other.to_float())
    }

    /// Exactly this bound as a number; of infinity, something larger than everything.
    pub fn to_float(self) -> Float {
        Float::new(IBig::from(self.m), if self.is_infinite() { MAX_EXPONENT * 3 } else { self.e })
    }
}

impl Add for Mag {
    type Output = Mag;
    fn add(self, other: Mag) -> Mag {
        if self.is_infinite() || other.is_infinite() {
            return Mag::INFINITE;
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (high, low) = if self.e >= other.e { (self, other) } else { (other, self) };
        let gap = high.e - low.e;
        if gap <= 30 {
            return Mag::new((high.m << gap) + low.m, low.e);
        }
        // The high one keeps 30 more bits, the low one is rounded up into them.
        let rest = gap - 30;
        let low = if rest >= 64 { 1 } else { (low.m >> rest) + 1 };
        Mag::new((high.m << 30) + low, high.e - 30)
    }
}

impl Mul for Mag {
    type Output = Mag;
    fn mul(self, other: Mag) -> Mag {
        if self.is_zero() || other.is_zero() {
            return Mag::ZERO;
        }
        if self.is_infinite() || other.is_infinite() {
            return Mag::INFINITE;
        }
        Mag::new(self.m * other.m, self.e + other.e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifting_rounds_down() {
        assert_eq!(IBig::from(-3) >> 1, IBig::from(-2));
        let (x, error) = Float::new(IBig::from(-0b1011), 0).round(2);
        assert_eq!((x, error), (Float::new(IBig::from(-3), 2), Mag::power_of_two(2)));
    }

    #[test]
    fn bounds_are_upper_bounds() {
        let third = Mag::power_of_two(0).over(&Float::new(IBig::from(3), 0));
        let three_thirds = third.scaled(3).to_float();
        assert_ne!(three_thirds.cmp_value(&Float::ONE), Ordering::Less);
        let tiny = Mag::power_of_two(-1000);
        let sum = (Mag::power_of_two(0) + tiny).to_float();
        assert_eq!(sum.cmp_value(&Float::ONE), Ordering::Greater);
        assert!((Mag::INFINITE + tiny).is_infinite());
    }
}
