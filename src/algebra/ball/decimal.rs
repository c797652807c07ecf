//! Decimal digits that are certainly right.

use super::Ball;
use crate::algebra::number::{Integer, Rational};

impl Ball {
    /// The number rounded to so many significant digits, if the ball is small enough to tell them.
    /// It is written as the language reads it: `1.4142135623730950`, `-2.5e-12`.
    pub fn decimal(&self, digits: usize) -> Option<String> {
        let digits = digits.max(1);
        if self.is_exact() && self.mid().is_zero() {
            return Some("0".into());
        }
        if self.contains_zero() || self.mid().top().abs() > 1 << 18 {
            return None;
        }
        let (low, high) = self.bounds(64);
        let (low, high) = (low.to_rational()?, high.to_rational()?);
        let (number, exponent) = rounded(&low.abs(), digits)?;
        if rounded(&high.abs(), digits)? != (number.clone(), exponent) {
            return None;
        }
        let sign = if low.is_negative() { "-" } else { "" };
        Some(format!("{sign}{}", written(&number.to_string(), exponent, self.is_exact())))
    }
}

/// The n of so many digits and the k with x ≈ n·10^(k − digits + 1): k is the place of the first digit.
fn rounded(x: &Rational, digits: usize) -> Option<(Integer, i64)> {
    // log10 2 is between 30102/100000 and 30103/100000: off by at most one, mended below.
    let top = x.numerator().bits() as i64 - x.denominator().bits() as i64;
    let mut place = (top * 30103).div_euclid(100_000);
    let limit = Rational::from(10).pow(digits as i64).ok()?;
    let least = Rational::from(10).pow(digits as i64 - 1).ok()?;
    for _ in 0..4 {
        let scaled = x * &Rational::from(10).pow(digits as i64 - 1 - place).ok()?;
        let n = (&scaled + &Rational::HALF).floor();
        let n_rational = Rational::integer(n.clone());
        if n_rational >= limit {
            place += 1;
        } else if n_rational < least {
            place -= 1;
        } else {
            return Some((n, place));
        }
    }
    None
}

/// Digits with the point after the first one moved by `place`.
fn written(digits: &str, place: i64, trim: bool) -> String {
    let n = digits.len() as i64;
    if (-5..0).contains(&place) {
        let zeros = "0".repeat((-place - 1) as usize);
        return trimmed(format!("0.{zeros}{digits}"), trim);
    }
    if (0..n.max(17)).contains(&place) {
        if place + 1 >= n {
            return format!("{digits}{}", "0".repeat((place + 1 - n) as usize));
        }
        let (whole, part) = digits.split_at(place as usize + 1);
        return trimmed(format!("{whole}.{part}"), trim);
    }
    let (whole, part) = digits.split_at(1);
    let mantissa = if part.is_empty() { whole.to_string() } else { trimmed(format!("{whole}.{part}"), trim) };
    format!("{mantissa}e{place}")
}

fn trimmed(text: String, trim: bool) -> String {
    if !trim {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
