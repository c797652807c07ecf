//! Resultants and discriminants by the subresultant remainder sequence (Brown; Cohen, algorithm 3.3.7).
//!
//! Every division in the sequence is exact, so coefficients in the other variables stay polynomials and as
//! small as determinants of the Sylvester matrix.

use super::Polynomial;
use crate::algebra::number::Rational;
use crate::budget::Budget;
use crate::budget::Budgeted;

impl Polynomial {
    /// The resultant with respect to a variable: zero exactly if there is a common factor that contains it. It
    /// vanishes where the two have a common zero, or both leading coefficients vanish.
    pub fn resultant(&self, cx: &Budget, other: &Polynomial, variable: u32) -> Budgeted<Polynomial> {
        let (mut a, mut b) = (self.clone(), other.clone());
        if a.is_zero() || b.is_zero() {
            return Ok(Polynomial::zero());
        }
        let odd = |p: &Polynomial| p.degree_in(variable) % 2 == 1;
        let mut negative = false;
        if a.degree_in(variable) < b.degree_in(variable) {
            negative = odd(&a) && odd(&b);
            std::mem::swap(&mut a, &mut b);
        }
        if b.degree_in(variable) == 0 {
            return b.pow(cx, a.degree_in(variable)).map(|r| if negative { -&r } else { r });
        }
        let (mut g, mut h) = (Polynomial::one(), Polynomial::one());
        let divide = |p: &Polynomial, q: &Polynomial| -> Budgeted<Polynomial> {
            Ok(p.div_exact(cx, q)?.expect("subresultants divide exactly"))
        };
        loop {
            cx.check()?;
            let delta = a.degree_in(variable) - b.degree_in(variable);
            negative ^= odd(&a) && odd(&b);
            let remainder = a.pseudo_rem(cx, &b, variable)?;
            if remainder.is_zero() {
                return Ok(Polynomial::zero());
            }
            let divisor = g.mul(cx, &h.pow(cx, delta)?)?;
            a = std::mem::replace(&mut b, divide(&remainder, &divisor)?);
            g = a.leading_coefficient_in(variable);
            // h := h^(1−δ) g^δ
            h = match delta {
                0 => h,
                1 => g.clone(),
                _ => divide(&g.pow(cx, delta)?, &h.pow(cx, delta - 1)?)?,
            };
            if b.degree_in(variable) == 0 {
                break;
            }
        }
        let n = a.degree_in(variable);
        let result = match n {
            0 => h,
            1 => b,
            _ => divide(&b.pow(cx, n)?, &h.pow(cx, n - 1)?)?,
        };
        Ok(if negative { -&result } else { result })
    }

    /// The discriminant with respect to a variable: (−1)^(n(n−1)/2) res(p, p′)/lc(p). One of degree 1, zero of degree 0.
    pub fn discriminant(&self, cx: &Budget, variable: u32) -> Budgeted<Polynomial> {
        let n = self.degree_in(variable);
        match n {
            0 => return Ok(Polynomial::zero()),
            1 => return Ok(Polynomial::one()),
            2 => {
                let [c, b, a] = [0, 1, 2].map(|i| self.coefficient_in(variable, i));
                return Ok(&b.square(cx)? - &a.mul(cx, &c)?.scale(&Rational::from(4)));
            }
            _ => {}
        }
        let r = self.resultant(cx, &self.derivative(variable), variable)?;
        let d = r.div_exact(cx, &self.leading_coefficient_in(variable))?.expect("the leading coefficient divides");
        Ok(if n / 2 % 2 == 1 { -&d } else { d })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::arbitrary;
    use super::*;
    use crate::algebra::Inquiry;
    use proptest::prelude::*;

    fn x(i: u32) -> Polynomial {
        Polynomial::variable(i)
    }

    #[test]
    fn discriminants_of_low_degree() {
        let cx = &Inquiry::free();
        // a x² + b x + c and x³ + p x + q.
        let quadratic = Polynomial::from_coefficients_in(cx, 0, &[x(3), x(2), x(1)]).unwrap();
        assert_eq!(quadratic.discriminant(cx, 0).unwrap().to_string(), "-4*x1*x3 + x2^2");
        let cubic =
            Polynomial::from_coefficients_in(cx, 0, &[x(2), x(1), Polynomial::zero(), Polynomial::one()]).unwrap();
        assert_eq!(cubic.discriminant(cx, 0).unwrap().to_string(), "-4*x1^3 - 27*x2^2");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        #[test]
        fn resultant_is_multiplicative(a in arbitrary(2, 4, 3), b in arbitrary(2, 4, 3), c in arbitrary(2, 3, 2)) {
        let cx = &Inquiry::free();
            let r = |p: &Polynomial, q: &Polynomial| p.resultant(cx, q, 0).unwrap();
            prop_assume!(!a.is_zero() && !b.is_zero() && !c.is_zero());
            prop_assert_eq!(r(&a.mul(cx, &b).unwrap(), &c), r(&a, &c).mul(cx, &r(&b, &c)).unwrap());
            let sign = a.degree_in(0) * c.degree_in(0) % 2 == 1;
            prop_assert_eq!(r(&c, &a), if sign { -&r(&a, &c) } else { r(&a, &c) });
        }

        #[test]
        fn resultant_of_split_polynomials(roots in proptest::collection::vec(-6i64..6, 1..4), q in arbitrary(1, 4, 4)) {
        let cx = &Inquiry::free();
            // res(∏ (x − r), q) = ∏ q(r).
            let linear: Vec<Polynomial> = roots.iter().map(|&r| &x(0) - &Polynomial::constant(r)).collect();
            let p = Polynomial::product(cx, &linear).unwrap();
            let expected = roots.iter().fold(Rational::ONE, |v, &r| &v * &q.evaluate_at(cx, &[(0, Rational::from(r))]).unwrap().unwrap());
            prop_assert_eq!(p.resultant(cx, &q, 0).unwrap(), Polynomial::constant(expected));
        }
    }
}
