//! Balls: real numbers known up to an error. A [`Ball`] is a midpoint and a radius, and every operation
//! returns a ball that contains all exact results; so a ball without 0 *proves* that a number is not
//! zero, and of which sign it is. Midpoints are dyadic numbers of any precision, there is no machine
//! floating point here.
//!
//! ```text
//! evaluate(sin(1)² + cos(1)² − 1)     0 ± 2⁻⁷⁰: no verdict, it may be zero
//! evaluate(exp(π) − π − 20)           −0.00090002… ± 2⁻⁷⁰: proved negative
//! ```
//!
//! What is defined only where it is real (√, log, arcsin) is enclosed over the part of the argument where
//! it is; if there is none, there is no value. A divisor that may vanish gives [`Ball::everything`].

mod decimal;
pub mod elementary;
mod evaluate;
pub mod float;
mod series;
pub mod zero;

pub use evaluate::{certified_sign, decimal, evaluate, evaluate_all, evaluate_exact};

use super::number::Rational;
use float::{Float, MAX_EXPONENT, Mag};
use std::cmp::Ordering;

/// All real numbers within `rad` of `mid`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ball {
    mid: Float,
    rad: Mag,
}

impl Ball {
    pub fn new(mid: Float, rad: Mag) -> Ball {
        if rad.is_infinite() || mid.top() > MAX_EXPONENT {
            return Ball::everything();
        }
        if mid.top() < -MAX_EXPONENT && !mid.is_zero() {
            return Ball { mid: Float::ZERO, rad: rad + Mag::power_of_two(-MAX_EXPONENT) };
        }
        Ball { mid, rad }
    }

    pub fn exact(mid: Float) -> Ball {
        Ball::new(mid, Mag::ZERO)
    }

    /// No information.
    pub fn everything() -> Ball {
        Ball { mid: Float::ZERO, rad: Mag::INFINITE }
    }

    pub fn from_rational(n: &Rational, p: u32) -> Ball {
        let numerator = Float::new(n.numerator().to_big(), 0);
        if n.is_integer() {
            return Ball::exact(numerator).rounded(p);
        }
        let (mid, rad) = numerator.div(&Float::new(n.denominator().to_big(), 0), p);
        Ball::new(mid, rad)
    }

    pub fn mid(&self) -> &Float {
        &self.mid
    }

    pub fn rad(&self) -> Mag {
        self.rad
    }

    pub fn is_exact(&self) -> bool {
        self.rad.is_zero()
    }

    pub fn is_everything(&self) -> bool {
        self.rad.is_infinite()
    }

    pub fn contains_zero(&self) -> bool {
        self.rad.is_infinite() || self.mid.abs().cmp_value(&self.rad.to_float()) != Ordering::Greater
    }

    /// The sign, if all numbers of the ball have the same.
    pub fn sign(&self) -> Option<i32> {
        if !self.contains_zero() {
            Some(self.mid.signum())
        } else if self.is_exact() {
            Some(0)
        } else {
            None
        }
    }

    /// Whether `n` is one of its numbers.
    pub fn contains(&self, n: &Rational) -> bool {
        if self.is_everything() {
            return true;
        }
        let (Some(mid), Some(rad)) = (self.mid.to_rational(), self.rad.to_float().to_rational()) else {
            return false;
        };
        (&mid - n).abs() <= rad
    }

    /// An upper bound of |x|.
    pub fn magnitude(&self) -> Mag {
        Mag::of(&self.mid) + self.rad
    }

    /// Bits of the midpoint that the radius leaves valid, at most `limit`.
    pub fn good_bits(&self, limit: i64) -> i64 {
        if self.is_everything() {
            return 0;
        }
        if self.rad.is_zero() {
            return limit;
        }
        (self.mid.top() - self.rad.to_float().top()).clamp(0, limit)
    }

    fn widen(&mut self, by: Mag) {
        self.rad = self.rad + by;
    }

    /// A midpoint of at most p bits.
    pub fn rounded(self, p: u32) -> Ball {
        let (mid, error) = self.mid.round(p);
        Ball::new(mid, self.rad + error)
    }

    /// self · 2^k, exactly.
    pub fn shifted(&self, k: i64) -> Ball {
        Ball::new(self.mid.shifted(k), self.rad.shifted(k))
    }

    pub fn neg(&self) -> Ball {
        Ball { mid: self.mid.neg(), rad: self.rad }
    }

    pub fn add(&self, other: &Ball, p: u32) -> Ball {
        if self.is_everything() || other.is_everything() {
            return Ball::everything();
        }
        let rad = self.rad + other.rad;
        let (high, low) = if self.mid.top() >= other.mid.top() { (self, other) } else { (other, self) };
        // What lies far below the last bit is an error, not a summand.
        if !high.mid.is_zero() && low.mid.top() < high.mid.top() - i64::from(p) - 64 {
            return Ball::new(high.mid.clone(), rad + Mag::of(&low.mid)).rounded(p);
        }
        Ball::new(self.mid.add(&other.mid), rad).rounded(p)
    }

    pub fn sub(&self, other: &Ball, p: u32) -> Ball {
        self.add(&other.neg(), p)
    }

    pub fn mul(&self, other: &Ball, p: u32) -> Ball {
        // Zero times everything is zero.
        if (self.mid.is_zero() && self.is_exact()) || (other.mid.is_zero() && other.is_exact()) {
            return Ball::exact(Float::ZERO);
        }
        if self.is_everything() || other.is_everything() {
            return Ball::everything();
        }
        let rad = if self.is_exact() && other.is_exact() {
            Mag::ZERO
        } else {
            let (a, b) = (Mag::of(&self.mid), Mag::of(&other.mid));
            a * other.rad + b * self.rad + self.rad * other.rad
        };
        Ball::new(self.mid.mul(&other.mid), rad).rounded(p)
    }

    /// `None` if the divisor is exactly zero.
    pub fn div(&self, other: &Ball, p: u32) -> Option<Ball> {
        if other.contains_zero() {
            return if other.is_exact() { None } else { Some(Ball::everything()) };
        }
        if self.is_everything() {
            return Some(Ball::everything());
        }
        let (mid, error) = self.mid.div(&other.mid, p);
        if self.is_exact() && other.is_exact() {
            return Some(Ball::new(mid, error));
        }
        // |a/b − m/n| ≤ (|m|·rad b + |n|·rad a) / (|n|·(|n| − rad b))
        let least = other.least();
        let above = Mag::of(&self.mid) * other.rad + Mag::of(&other.mid) * self.rad;
        let rad = above.over(&other.mid).over(&least);
        Some(Ball::new(mid, rad + error))
    }

    /// A positive lower bound of |x| for a ball without zero.
    fn least(&self) -> Float {
        let (low, high) = self.bounds(64);
        if self.mid.signum() < 0 { high.neg() } else { low }
    }

    /// Numbers below and above all of the ball, near its ends.
    pub fn bounds(&self, p: u32) -> (Float, Float) {
        if self.is_exact() {
            return (self.mid.clone(), self.mid.clone());
        }
        let mut rad = self.rad.to_float();
        // A radius far below the last bit would make long sums: a larger one does as well.
        if !self.mid.is_zero() {
            let floor = self.mid.top() - self.mid.mantissa_bits().max(i64::from(p)) - 64;
            if rad.top() < floor {
                rad = Float::ONE.shifted(floor);
            }
        }
        (self.mid.sub(&rad), self.mid.add(&rad))
    }

    /// The smallest ball (almost) that contains both.
    pub fn hull(&self, other: &Ball, p: u32) -> Ball {
        if self.is_everything() || other.is_everything() {
            return Ball::everything();
        }
        let ((a, b), (c, d)) = (self.bounds(p), other.bounds(p));
        let low = if a.cmp_value(&c).is_le() { a } else { c };
        let high = if b.cmp_value(&d).is_ge() { b } else { d };
        Ball::between(&low, &high, p)
    }

    /// The ball with these ends.
    pub fn between(low: &Float, high: &Float, p: u32) -> Ball {
        let far = low.top().max(high.top()) - i64::from(p) - 64;
        // Ends of very different size: round the smaller one outwards.
        let outward = |x: &Float, up: bool| {
            if x.is_zero() || x.top() >= far {
                x.clone()
            } else if up == (x.signum() > 0) {
                Float::new(x.signum().into(), far)
            } else {
                Float::ZERO
            }
        };
        let (low, high) = (outward(low, false), outward(high, true));
        let mid = low.add(&high).shifted(-1);
        let rad = Mag::of(&high.sub(&low).shifted(-1));
        Ball::new(mid, rad).rounded(p)
    }

    /// A monotone function of the ball, from its values at exact numbers.
    fn monotone(&self, p: u32, f: impl Fn(&Float, u32) -> Ball) -> Ball {
        if self.is_everything() {
            return Ball::everything();
        }
        let (low, high) = self.bounds(p);
        self.on(&low, &high, p, f)
    }

    fn on(&self, low: &Float, high: &Float, p: u32, f: impl Fn(&Float, u32) -> Ball) -> Ball {
        if low == high {
            return f(low, p);
        }
        f(low, p).hull(&f(high, p), p)
    }

    pub fn abs(&self, p: u32) -> Ball {
        if !self.contains_zero() {
            return if self.mid.signum() < 0 { self.neg() } else { self.clone() };
        }
        if self.is_everything() {
            return Ball::everything();
        }
        let (low, high) = self.bounds(p);
        let far = if low.neg().cmp_value(&high).is_gt() { low.neg() } else { high };
        Ball::between(&Float::ZERO, &far, p)
    }

    /// self^n for a whole n ≥ 0; even powers of a ball around zero stay nonnegative.
    pub fn pow(&self, n: u64, p: u32) -> Ball {
        let w = p + 64 - n.leading_zeros() + 4;
        let at = |x: &Float, w: u32| {
            let mut result = Ball::exact(Float::ONE);
            let mut square = Ball::exact(x.clone());
            let mut n = n;
            while n > 0 {
                if n & 1 == 1 {
                    result = result.mul(&square, w);
                }
                n >>= 1;
                if n > 0 {
                    square = square.mul(&square, w);
                }
            }
            result
        };
        match n {
            0 => Ball::exact(Float::ONE),
            1 => self.clone(),
            _ if n % 2 == 1 => self.monotone(w, at).rounded(p),
            _ => self.abs(w).monotone(w, at).rounded(p),
        }
    }

    /// The k-th root. `None` if the ball is negative.
    pub fn root(&self, k: u32, p: u32) -> Option<Ball> {
        if self.sign() == Some(-1) {
            return None;
        }
        if self.is_everything() {
            return Some(Ball::everything());
        }
        let (low, high) = self.bounds(p);
        let low = if low.signum() < 0 { Float::ZERO } else { low };
        Some(self.on(&low, &high, p, |x, p| elementary::root(x, k, p)))
    }

    pub fn sqrt(&self, p: u32) -> Option<Ball> {
        self.root(2, p)
    }

    pub fn exp(&self, p: u32) -> Ball {
        self.monotone(p, elementary::exp)
    }

    /// `None` if no number of the ball is positive.
    pub fn log(&self, p: u32) -> Option<Ball> {
        match self.sign() {
            Some(1) => Some(self.monotone(p, elementary::log)),
            Some(_) => None,
            None => Some(Ball::everything()),
        }
    }

    pub fn sin(&self, p: u32) -> Ball {
        self.sin_cos(p).0
    }

    pub fn cos(&self, p: u32) -> Ball {
        self.sin_cos(p).1
    }

    /// Both are Lipschitz with constant 1, and between −1 and 1.
    pub fn sin_cos(&self, p: u32) -> (Ball, Ball) {
        if self.rad.cmp_value(Mag::power_of_two(1)).is_ge() {
            let any = Ball::new(Float::ZERO, Mag::power_of_two(0));
            return (any.clone(), any);
        }
        let (mut sin, mut cos) = elementary::sin_cos(&self.mid, p);
        sin.widen(self.rad);
        cos.widen(self.rad);
        (sin, cos)
    }

    pub fn tan(&self, p: u32) -> Option<Ball> {
        let (sin, cos) = self.sin_cos(p);
        sin.div(&cos, p)
    }

    pub fn atan(&self, p: u32) -> Ball {
        if self.is_everything() {
            return elementary::pi(p).shifted(-1).hull(&elementary::pi(p).shifted(-1).neg(), p);
        }
        self.monotone(p, elementary::atan)
    }

    /// `None` if the ball lies outside [−1, 1].
    pub fn asin(&self, p: u32) -> Option<Ball> {
        let (low, high) = self.within_one(p)?;
        Some(self.on(&low, &high, p, |x, p| {
            let w = p + 8;
            // x/√((1−x)(1+x)); at the ends π/2.
            let below = Float::ONE.sub(x).mul(&Float::ONE.add(x));
            if below.is_zero() {
                let end = elementary::pi(p).shifted(-1);
                return if x.signum() < 0 { end.neg() } else { end };
            }
            let ratio = Ball::exact(x.clone()).div(&elementary::root(&below, 2, w), w);
            ratio.unwrap_or_else(Ball::everything).atan(w)
        }))
    }

    /// `None` if the ball lies outside [−1, 1].
    pub fn acos(&self, p: u32) -> Option<Ball> {
        let (low, high) = self.within_one(p)?;
        Some(self.on(&low, &high, p, |x, p| {
            let w = p + 8;
            // 2 arctan √((1−x)/(1+x)); at −1 π.
            let above = Float::ONE.add(x);
            if above.is_zero() {
                return elementary::pi(p);
            }
            let ratio = Ball::exact(Float::ONE.sub(x)).div(&Ball::exact(above), w);
            let root = ratio.and_then(|r| r.sqrt(w)).unwrap_or_else(Ball::everything);
            root.atan(w).shifted(1)
        }))
    }

    fn within_one(&self, p: u32) -> Option<(Float, Float)> {
        let (one, minus_one) = (Float::ONE, Float::ONE.neg());
        if self.is_everything() {
            return Some((minus_one, one));
        }
        let (low, high) = self.bounds(p);
        if low.cmp_value(&one).is_gt() || high.cmp_value(&minus_one).is_lt() {
            return None;
        }
        let low = if low.cmp_value(&minus_one).is_lt() { minus_one } else { low };
        let high = if high.cmp_value(&one).is_gt() { one } else { high };
        Some((low, high))
    }

    /// The angle of the point (x, y). `None` at the origin.
    pub fn atan2(y: &Ball, x: &Ball, p: u32) -> Option<Ball> {
        let half_pi = || elementary::pi(p).shifted(-1);
        match (x.sign(), y.sign()) {
            (Some(0), Some(0)) => None,
            (Some(1), _) => Some(y.div(x, p)?.atan(p)),
            (_, Some(1)) => Some(half_pi().sub(&x.div(y, p)?.atan(p), p)),
            (_, Some(-1)) => Some(half_pi().neg().sub(&x.div(y, p)?.atan(p), p)),
            (Some(-1), Some(0)) => Some(elementary::pi(p)),
            // Near the cut, or near the origin: any angle.
            _ => Some(elementary::pi(p).hull(&elementary::pi(p).neg(), p)),
        }
    }

    pub fn sinh(&self, p: u32) -> Ball {
        self.monotone(p, elementary::sinh)
    }

    pub fn cosh(&self, p: u32) -> Ball {
        self.abs(p).monotone(p, elementary::cosh)
    }

    pub fn tanh(&self, p: u32) -> Ball {
        if self.is_everything() {
            return Ball::new(Float::ZERO, Mag::power_of_two(0));
        }
        self.monotone(p, elementary::tanh)
    }

    pub fn asinh(&self, p: u32) -> Ball {
        self.monotone(p, elementary::asinh)
    }

    /// `None` if no number of the ball is at least 1.
    pub fn acosh(&self, p: u32) -> Option<Ball> {
        if self.is_everything() {
            return Some(Ball::everything());
        }
        let (low, high) = self.bounds(p);
        if high.cmp_value(&Float::ONE).is_lt() {
            return None;
        }
        let low = if low.cmp_value(&Float::ONE).is_lt() { Float::ONE } else { low };
        Some(self.on(&low, &high, p, elementary::acosh))
    }

    /// The real cube root.
    pub fn cbrt(&self, p: u32) -> Ball {
        self.monotone(p, elementary::cbrt)
    }

    /// It is between −1 and 1.
    pub fn erf(&self, p: u32) -> Ball {
        if self.is_everything() {
            return Ball::new(Float::ZERO, Mag::power_of_two(0));
        }
        self.monotone(p, elementary::erf)
    }

    /// `None` if the ball lies outside (−1, 1).
    pub fn atanh(&self, p: u32) -> Option<Ball> {
        let (low, high) = self.within_one(p)?;
        let ends = [low.abs() == Float::ONE, high.abs() == Float::ONE];
        if ends == [true, true] && low == high {
            return None;
        }
        if ends != [false, false] {
            return Some(Ball::everything());
        }
        Some(self.on(&low, &high, p, elementary::atanh))
    }

    pub fn signum(&self) -> Ball {
        match self.sign() {
            Some(s) => Ball::exact(Float::new(s.into(), 0)),
            None => Ball::new(Float::ZERO, Mag::power_of_two(0)),
        }
    }

    pub fn max(&self, other: &Ball, p: u32) -> Ball {
        if self.is_everything() || other.is_everything() {
            return Ball::everything();
        }
        let ((a, b), (c, d)) = (self.bounds(p), other.bounds(p));
        if a.cmp_value(&d).is_ge() {
            return self.clone();
        }
        if c.cmp_value(&b).is_ge() {
            return other.clone();
        }
        let low = if a.cmp_value(&c).is_ge() { a } else { c };
        let high = if b.cmp_value(&d).is_ge() { b } else { d };
        Ball::between(&low, &high, p)
    }

    pub fn min(&self, other: &Ball, p: u32) -> Ball {
        self.neg().max(&other.neg(), p).neg()
    }

    /// self^exponent for a rational exponent, in the real numbers. `None` where there is no value.
    pub fn rational_power(&self, exponent: &Rational, p: u32) -> Option<Ball> {
        let w = p + 8;
        let size = exponent.abs();
        let power = match (size.numerator().to_i64(), size.denominator().to_i64()) {
            (Some(n), Some(1)) => self.pow(n.unsigned_abs(), w),
            (Some(n), Some(k)) if k <= 64 && n < 1 << 20 => self.root(k as u32, w)?.pow(n.unsigned_abs(), w),
            _ => {
                let base = if size.is_integer() { return None } else { self };
                base.real_power(&Ball::from_rational(&size, w), w)?
            }
        };
        if exponent.is_negative() { Ball::exact(Float::ONE).div(&power, w) } else { Some(power) }
    }

    /// e^(exponent·log self) for a positive ball.
    pub fn real_power(&self, exponent: &Ball, p: u32) -> Option<Ball> {
        let w = p + 16 + u32::try_from(exponent.mid.top().clamp(0, 1 << 16)).unwrap_or(0);
        match self.sign() {
            Some(1) => Some(exponent.mul(&self.log(w)?, w).exp(p)),
            Some(0) if exponent.sign() == Some(1) => Some(Ball::exact(Float::ZERO)),
            Some(_) => None,
            None => Some(Ball::everything()),
        }
    }
}

#[cfg(test)]
mod tests;
