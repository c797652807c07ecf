//! Factors of polynomials in sines and cosines.
//!
//! cos² y is written 1 − sin² y, so that x² − cos² y·z² looks irreducible although it is (x − cos y·z)(x + cos y·z): the ring
//! of functions on a circle does not factor uniquely. Half angles do. With S = sin θ/2 and C = cos θ/2
//!
//! ```text
//! sin θ = 2SC,   cos θ = C² − S²,   1 = C² + S²        sinh h = 2SC,   cosh h = C² + S²,   1 = C² − S²
//! ```
//!
//! a polynomial of degree m in sin θ and cos θ is a form of degree 2m in S and C, which factors like any other polynomial;
//! a factor of even degree is again a polynomial in sin θ and cos θ. Factors of odd degree have half the period: they are
//! left together, and so are those that depend on angles alone, whose zeros are periodic families.

use super::super::factor::factor;
use super::super::generator::{Generator, Kind, reduce};
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// Larger polynomials are not looked at.
const MAX_TERMS: usize = 60;

/// The degrees of the forms together.
const MAX_DEGREE: u32 = 12;

/// The sine and cosine of one argument, and what stands for those of its half.
struct Pair {
    sine: u32,
    cosine: u32,
    is_hyperbolic: bool,
    half_sine: u32,
    half_cosine: u32,
    /// m.
    degree: u32,
}

/// Two or more factors whose zeros together are those of the polynomial; `None` if it does not fall apart.
pub(super) fn split_by_half_angles(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Vec<Polynomial>>> {
    let pairs = pairs_in(p);
    let degree: u32 = pairs.iter().map(|pair| 2 * pair.degree).sum();
    let is_angle = |v: &u32| pairs.iter().any(|pair| [pair.sine, pair.cosine].contains(v));
    if pairs.is_empty() || p.n_terms() > MAX_TERMS || degree > MAX_DEGREE || p.variables().iter().all(is_angle) {
        return Ok(None);
    }
    let mut form = p.clone();
    for pair in &pairs {
        form = pair.to_half(cx, &form)?;
    }
    let parts = factor(cx, &form);
    let mut apart: Vec<Polynomial> = Vec::new();
    let mut together = Polynomial::one();
    for (f, _) in parts.factors {
        if pairs.iter().any(|pair| pair.is_unit(&f)) {
            continue;
        }
        let is_half = |v: &u32| pairs.iter().any(|pair| [pair.half_sine, pair.half_cosine].contains(v));
        let is_even = pairs.iter().all(|pair| pair.half_degree(&f) % 2 == 0);
        if is_even && !f.variables().iter().all(is_half) {
            apart.push(f);
        } else {
            together = together.mul(cx, &f)?;
        }
    }
    if !together.is_constant() {
        if pairs.iter().any(|pair| pair.half_degree(&together) % 2 == 1) {
            return Ok(None);
        }
        apart.push(together);
    }
    if apart.len() < 2 {
        return Ok(None);
    }
    let mut factors = Vec::with_capacity(apart.len());
    for mut f in apart {
        for pair in &pairs {
            f = pair.to_full(cx, &f)?;
        }
        factors.push(reduce(cx, f)?.primitive_part());
    }
    Ok(Some(factors))
}

fn pairs_in(p: &Polynomial) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut fresh = p.variables().last().map_or(0, |v| v + 2);
    for &v in p.variables() {
        let (sine, is_hyperbolic) = match Generator(v).kind() {
            Kind::Sine(_) => (v, false),
            Kind::Cosine(_) => (v - 1, false),
            Kind::HyperbolicSine(_) => (v, true),
            Kind::HyperbolicCosine(_) => (v - 1, true),
            _ => continue,
        };
        if pairs.iter().any(|pair| pair.sine == sine) {
            continue;
        }
        let cosine = sine + 1;
        let of_pair = |m: &Monomial| m.iter().filter(|(w, _)| *w == sine || *w == cosine).map(|(_, n)| *n).sum::<u32>();
        let degree = p.terms().map(|(m, _)| of_pair(&m)).max().unwrap_or(0);
        pairs.push(Pair { sine, cosine, is_hyperbolic, half_sine: fresh, half_cosine: fresh + 1, degree });
        fresh += 2;
    }
    pairs
}

impl Pair {
    /// C² ± S², the plus sign for the circle's 1 and the hyperbola's cosh.
    fn square_sum(&self, is_plus: bool) -> Polynomial {
        let (c, s) = (Polynomial::power(self.half_cosine, 2), Polynomial::power(self.half_sine, 2));
        if is_plus { &c + &s } else { &c - &s }
    }

    /// The polynomial as a form of degree 2m in S and C.
    fn to_half(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Polynomial> {
        let two = Rational::from(2);
        let sine = Polynomial::variable(self.half_sine).mul(cx, &Polynomial::variable(self.half_cosine))?.scale(&two);
        let cosine = self.square_sum(self.is_hyperbolic);
        let one = self.square_sum(!self.is_hyperbolic);
        let mut form = Polynomial::zero();
        for (monomial, coefficient) in p.coefficients_with_respect_to(&[self.sine, self.cosine]) {
            let power = |v: u32| monomial.iter().find(|(w, _)| *w == v).map_or(0, |(_, n)| *n);
            let (a, b) = (power(self.sine), power(self.cosine));
            let mut term = coefficient.mul(cx, &sine.pow(cx, a)?)?.mul(cx, &cosine.pow(cx, b)?)?;
            term = term.mul(cx, &one.pow(cx, self.degree - a - b)?)?;
            form = &form + &term;
        }
        Ok(form)
    }

    /// A form of even degree in S and C as a polynomial in sine and cosine.
    fn to_full(&self, cx: &Inquiry, f: &Polynomial) -> Budgeted<Polynomial> {
        let half = Rational::ratio(1, 2);
        let (one, cosine) = (Polynomial::one(), Polynomial::variable(self.cosine));
        let cosine_square = (&one + &cosine).scale(&half);
        let sine_square = if self.is_hyperbolic { &cosine - &one } else { &one - &cosine }.scale(&half);
        let product = Polynomial::variable(self.sine).scale(&half);
        let mut p = Polynomial::zero();
        for (monomial, coefficient) in f.coefficients_with_respect_to(&[self.half_sine, self.half_cosine]) {
            let power = |v: u32| monomial.iter().find(|(w, _)| *w == v).map_or(0, |(_, n)| *n);
            let (a, b) = (power(self.half_sine), power(self.half_cosine));
            let mut term =
                coefficient.mul(cx, &sine_square.pow(cx, a / 2)?)?.mul(cx, &cosine_square.pow(cx, b / 2)?)?;
            if a % 2 == 1 {
                term = term.mul(cx, &product)?;
            }
            p = &p + &term;
        }
        Ok(p)
    }

    fn half_degree(&self, f: &Polynomial) -> u32 {
        let of_pair = |m: &Monomial| {
            m.iter().filter(|(v, _)| *v == self.half_sine || *v == self.half_cosine).map(|(_, n)| *n).sum::<u32>()
        };
        f.terms().map(|(m, _)| of_pair(&m)).max().unwrap_or(0)
    }

    /// What vanishes nowhere: C² + S² on the circle, C + S and C − S on the hyperbola.
    fn is_unit(&self, f: &Polynomial) -> bool {
        let (c, s) = (Polynomial::variable(self.half_cosine), Polynomial::variable(self.half_sine));
        let units = if self.is_hyperbolic { vec![&c + &s, &c - &s] } else { vec![self.square_sum(true)] };
        units.iter().any(|unit| unit.primitive_part() == f.primitive_part())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::expr::Expr;
    use crate::algebra::function::Elementary::{Cos, Cosh, Sin, Sinh};
    use crate::algebra::symbol::Symbol;

    fn variable(name: &str) -> Polynomial {
        Polynomial::variable(Generator::of_symbol(Symbol::parameter(name)).0)
    }

    /// The factors, and that their product is the polynomial up to a number.
    fn assert_splits(left: &Polynomial, right: &Polynomial) {
        let cx = &Inquiry::free();
        let p = reduce(cx, left.mul(cx, right).unwrap()).unwrap();
        let factors = split_by_half_angles(cx, &p).unwrap().expect("two factors");
        assert_eq!(factors.len(), 2, "{factors:?}");
        let product = reduce(cx, factors[0].mul(cx, &factors[1]).unwrap()).unwrap();
        assert_eq!(product.primitive_part(), p.primitive_part());
    }

    #[test]
    fn a_product_is_found_again_on_the_circle_and_on_the_hyperbola() {
        let cx = &Inquiry::free();
        let (x, y, h) = (variable("x"), variable("y"), Expr::symbol(Symbol::parameter("h")));
        let circle = Generator::sine_and_cosine(h, Expr::apply(Sin, &[h]), Expr::apply(Cos, &[h]));
        let hyperbola = Generator::hyperbolic_pair(h, Expr::apply(Sinh, &[h]), Expr::apply(Cosh, &[h]));
        for ((s, c), sign) in [(circle, -1), (hyperbola, 1)] {
            let (s, c) = (Polynomial::variable(s.0), Polynomial::variable(c.0));
            let of = |a: &Polynomial, b: &Polynomial| &a.mul(cx, &x).unwrap() + &b.mul(cx, &y).unwrap();
            // x² − cos² h·y², and the two velocities along and across.
            assert_splits(&of(&Polynomial::one(), &c), &of(&Polynomial::one(), &-&c));
            assert_splits(&of(&c, &s), &of(&s.scale(&Rational::from(sign)), &c));
        }
    }
}
