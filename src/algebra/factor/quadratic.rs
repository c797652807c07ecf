//! Factors over a quadratic extension: x² − 3y² = (x − √3 y)(x + √3 y).
//!
//! A polynomial that is quadratic in a variable, a x² + b x + c, satisfies 4a p = (2a x + b)² − (b² − 4ac). Writing the
//! discriminant as d·h² with d free of squares gives
//!
//! ```text
//! multiplier · p = r² − d s² = (r − s√d)(r + s√d)
//! ```
//!
//! If d is a positive number the branch p = 0 splits into two real ones; if d is negative, p = 0 means r = s = 0; if d
//! contains parameters, their signs decide, and that is left to the caller. The same holds with xᵏ in the place of x.

use super::factor;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::budget::Budgeted;

/// `multiplier · p = rational² − radicand · irrational²`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuadraticSplit {
    /// The variable in which p, or p as a polynomial in a power of it, is quadratic.
    pub variable: u32,
    /// Free of squares and not a square: a number other than 0 and 1, or a polynomial.
    pub radicand: Polynomial,
    pub rational: Polynomial,
    pub irrational: Polynomial,
    /// The equation p = 0 is equivalent to the product being zero where this does not vanish.
    pub multiplier: Polynomial,
}

impl QuadraticSplit {
    /// Sign of the radicand if it is a number.
    pub fn radicand_sign(&self) -> Option<i32> {
        self.radicand.as_constant().map(|d| d.signum())
    }

    fn cost(&self) -> (bool, bool, u64, usize, u32) {
        let d = &self.radicand;
        (!self.multiplier.is_constant(), !d.is_constant(), d.total_degree(), d.n_terms(), self.variable)
    }
}

/// The split with the simplest radicand among all variables, multipliers that are numbers first. `None` if the
/// polynomial is quadratic in no variable, or is reducible over ℚ in the one where it is.
pub fn split_quadratic(p: &Polynomial) -> Budgeted<Option<QuadraticSplit>> {
    let mut best: Option<QuadraticSplit> = None;
    for &v in p.variables() {
        if let Some(split) = split_quadratic_in(p, v)?
            && best.as_ref().is_none_or(|b| split.cost() < b.cost())
        {
            best = Some(split);
        }
    }
    Ok(best)
}

/// The split with respect to one variable.
pub fn split_quadratic_in(p: &Polynomial, variable: u32) -> Budgeted<Option<QuadraticSplit>> {
    let degree = p.degree_in(variable);
    if degree == 0 || degree % 2 == 1 {
        return Ok(None);
    }
    let k = degree / 2;
    let coefficients = p.coefficients_in(variable);
    if coefficients.iter().enumerate().any(|(i, c)| !(i as u32).is_multiple_of(k) && !c.is_zero()) {
        return Ok(None);
    }
    let [c, b, a] = [0, k, degree].map(|i| coefficients[i as usize].clone());
    let discriminant = &b.square()? - &a.mul(&c)?.scale(&Rational::from(4));
    if discriminant.is_zero() {
        return Ok(None);
    }
    let parts = factor(&discriminant);
    if !parts.complete {
        return Ok(None);
    }
    let (square, free) = square_part(&parts.unit)?;
    let (mut radicand, mut root) = (Polynomial::constant(free), Polynomial::constant(square));
    for (f, e) in &parts.factors {
        root = root.mul(&f.pow(e / 2)?)?;
        if e % 2 == 1 {
            radicand = radicand.mul(f)?;
        }
    }
    if radicand.is_one() {
        return Ok(None);
    }
    let twice_a = a.scale(&Rational::from(2));
    let power = Polynomial::power(variable, k);
    let rational = &twice_a.mul(&power)? + &b;
    let multiplier = twice_a.scale(&Rational::from(2));
    simplified(QuadraticSplit { variable, radicand, rational, irrational: root, multiplier }).map(Some)
}

/// Without common factors of the two parts, as far as the multiplier has them too.
fn simplified(mut split: QuadraticSplit) -> Budgeted<QuadraticSplit> {
    let common = split.rational.gcd(&split.irrational)?;
    if !common.is_constant()
        && let Some(multiplier) = split.multiplier.div_exact(&common.square()?)?
    {
        let divide = |p: &Polynomial| p.div_exact(&common).map(|q| q.expect("a common factor"));
        split.rational = divide(&split.rational)?;
        split.irrational = divide(&split.irrational)?;
        split.multiplier = multiplier;
    }
    // Numbers: make the rational part primitive.
    let number = split.rational.content();
    let inverse = number.recip().expect("not zero: the leading term 2a·x is there");
    split.rational = split.rational.scale(&inverse);
    split.irrational = split.irrational.scale(&inverse);
    split.multiplier = split.multiplier.scale(&(&inverse * &inverse));
    if split.irrational.leading_coefficient().is_negative() {
        split.irrational = -&split.irrational;
    }
    Ok(split)
}

/// `u = square² · free` with an integer `free` without square factors (found by trial division up to a bound; larger
/// squares stay inside, which is correct though not simplest).
pub(crate) fn square_part(u: &Rational) -> Budgeted<(Rational, Rational)> {
    // n/d = (n·d)/d².
    let mut rest = u.numerator().abs();
    rest = &rest * u.denominator();
    let mut square = Integer::ONE;
    let mut p = 2i64;
    while p < 2000 {
        crate::budget::check()?;
        let (q, pp) = (Integer::from(p), Integer::from(p * p));
        while let Some(next) = rest.div_exact(&pp) {
            rest = next;
            square = &square * &q;
        }
        if Integer::from(p * p) > rest {
            break;
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if let Some(root) = rest.exact_root(2) {
        square = &square * &root;
        rest = Integer::ONE;
    } else if rest.bits() > 1 {
        // A factor squared times a small free part: divide the free small primes out and look again.
        let mut small = Integer::ONE;
        let mut large = rest.clone();
        for p in 2..2000i64 {
            if let Some(next) = large.div_exact(&Integer::from(p)) {
                large = next;
                small = &small * &Integer::from(p);
            }
        }
        if !large.is_one()
            && let Some(root) = large.exact_root(2)
        {
            square = &square * &root;
            rest = small;
        }
    }
    let free = if u.is_negative() { -&rest } else { rest };
    Ok((Rational::new(square, u.denominator().clone()), Rational::integer(free)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(i: u32) -> Polynomial {
        Polynomial::variable(i)
    }

    fn check_split(p: &Polynomial) -> QuadraticSplit {
        let s = split_quadratic(p).unwrap().expect("splits");
        let difference = &s.rational.square().unwrap() - &s.irrational.square().unwrap().mul(&s.radicand).unwrap();
        assert_eq!(difference, s.multiplier.mul(p).unwrap());
        s
    }

    #[test]
    fn two_real_lines() {
        let p = &x(0).square().unwrap() - &x(1).square().unwrap().scale(&Rational::from(3));
        let s = check_split(&p);
        assert_eq!(s.radicand, Polynomial::constant(3));
        assert_eq!((s.rational, s.irrational), (x(0), x(1)));
        assert!(s.multiplier.is_one());
    }

    #[test]
    fn parameters_stay_in_the_radicand() {
        let p = &x(0).square().unwrap() - &x(1).square().unwrap().mul(&x(7)).unwrap();
        let s = check_split(&p);
        assert_eq!(s.radicand, x(7));
        assert_eq!((s.rational, s.irrational), (x(0), x(1)));
    }

    #[test]
    fn a_square_in_the_leading_coefficient() {
        let p = &x(2).mul(&x(0)).unwrap().square().unwrap() - &x(1).square().unwrap().scale(&Rational::from(12));
        let s = check_split(&p);
        assert_eq!(s.radicand, Polynomial::constant(3));
        assert!(s.multiplier.is_one());
    }

    #[test]
    fn powers_of_the_variable() {
        // x⁴ − 2y⁴ = (x² − √2 y²)(x² + √2 y²)
        let p = &x(0).pow(4).unwrap() - &x(1).pow(4).unwrap().scale(&Rational::from(2));
        let s = check_split(&p);
        assert_eq!(s.radicand, Polynomial::constant(2));
        assert_eq!((s.rational, s.irrational), (x(0).square().unwrap(), x(1).square().unwrap()));
    }

    #[test]
    fn negative_radicands_and_squares() {
        let p = &x(0).square().unwrap() + &x(1).square().unwrap();
        assert_eq!(check_split(&p).radicand_sign(), Some(-1));
        let reducible = &x(0).square().unwrap() - &x(1).square().unwrap();
        assert_eq!(split_quadratic(&reducible).unwrap(), None);
        assert_eq!(split_quadratic(&x(0).pow(3).unwrap()).unwrap(), None);
    }

    #[test]
    fn squares_of_numbers() {
        let part = |n, d| square_part(&Rational::ratio(n, d)).unwrap();
        assert_eq!(part(12, 1), (Rational::from(2), Rational::from(3)));
        assert_eq!(part(-3, 4), (Rational::ratio(1, 2), Rational::from(-3)));
        assert_eq!(part(2, 3), (Rational::ratio(1, 3), Rational::from(6)));
        assert_eq!(part(3 * 1_000_003 * 1_000_003, 1), (Rational::from(1_000_003), Rational::from(3)));
    }
}
