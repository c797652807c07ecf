use super::*;
use crate::algebra::Inquiry;
use proptest::prelude::*;

/// Small random polynomials in the variables 0..n.
pub(crate) fn arbitrary(n: u32, max_terms: usize, max_degree: u32) -> impl Strategy<Value = Polynomial> {
    let monomial = proptest::collection::vec(0..=max_degree, n as usize);
    let term = (monomial, -9i64..=9, 1i64..=3);
    proptest::collection::vec(term, 0..=max_terms).prop_map(|terms| {
        Polynomial::from_terms(terms.into_iter().map(|(exponents, c, d)| {
            let monomial = exponents.iter().enumerate().map(|(v, &e)| (v as u32, e)).collect();
            (monomial, Rational::ratio(c, d))
        }))
    })
}

fn x(i: u32) -> Polynomial {
    Polynomial::variable(i)
}

fn n(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

#[test]
fn representation_is_canonical() {
    let a = &(&x(3) + &x(7)) - &x(7);
    assert_eq!(a, x(3));
    assert_eq!(a.variables(), &[3]);
    let wide = Polynomial::power(0, 200);
    let narrow = &(&wide + &x(0)) - &wide;
    assert_eq!(narrow, x(0));
    let half = x(0).scale(&Rational::ratio(1, 2));
    assert_eq!(&half + &half, x(0));
    assert_eq!((&half + &half).denominator(), &Integer::ONE);
    assert_eq!(Polynomial::power(5, 0), Polynomial::one());
}

#[test]
fn text_of_a_polynomial() {
    let cx = &Inquiry::free();
    let p = &(&x(0).mul(cx, &x(1)).unwrap().scale(&Rational::ratio(-3, 2)) + &Polynomial::power(0, 2)) - &n(1);
    assert_eq!(p.to_string(), "x0^2 - 3/2*x0*x1 - 1");
}

#[test]
fn views_in_one_variable() {
    let cx = &Inquiry::free();
    let p = &(&x(0).mul(cx, &x(1)).unwrap() + &Polynomial::power(1, 3)) + &n(5);
    let c = p.coefficients_in(1);
    assert_eq!(c, vec![n(5), x(0), Polynomial::zero(), n(1)]);
    assert_eq!(Polynomial::from_coefficients_in(cx, 1, &c).unwrap(), p);
    assert_eq!(p.degree_in(1), 3);
    assert_eq!(p.leading_coefficient_in(0), x(1));
    assert_eq!(p.coefficient_in(1, 2), Polynomial::zero());
}

#[test]
fn substitution_is_simultaneous() {
    let cx = &Inquiry::free();
    let p = &x(0).mul(cx, &x(0)).unwrap() + &x(1);
    let q = p.substitute_all(cx, &[(0, x(1)), (1, x(0))]).unwrap();
    assert_eq!(q, &x(1).mul(cx, &x(1)).unwrap() + &x(0));
    let value = p.evaluate_at(cx, &[(0, Rational::ratio(1, 2)), (1, Rational::from(3))]).unwrap();
    assert_eq!(value, Some(Rational::ratio(13, 4)));
    assert_eq!(p.evaluate_at(cx, &[(0, Rational::ONE)]).unwrap(), None);
}

#[test]
fn content_carries_the_sign() {
    let cx = &Inquiry::free();
    let p = &n(-6).mul(cx, &x(0)).unwrap() + &n(4).scale(&Rational::ratio(1, 3));
    assert_eq!(p.content(), Rational::ratio(-2, 3));
    assert_eq!(p.primitive_part(), &n(9).mul(cx, &x(0)).unwrap() - &n(2));
}

#[test]
fn size_limits_are_outcomes() {
    let cx = &Inquiry::free();
    let long = |v| Polynomial::from_terms((0..2000).map(|e| (SmallVec::from_slice(&[(v, e)]), Rational::ONE)));
    assert_eq!(long(0).mul(cx, &long(1)), Err(Exhausted::Size));
    assert_eq!(Polynomial::power(0, MAX_EXPONENT).mul(cx, &x(0)), Err(Exhausted::Size));
    assert_eq!(x(0).pow(cx, u32::MAX), Err(Exhausted::Size));
    assert_eq!(n(2).pow(cx, 1 << 30), Err(Exhausted::Bits));
}

#[test]
fn many_variables_use_many_words() {
    let cx = &Inquiry::free();
    let sum = (0..100).fold(Polynomial::one(), |p, v| &p + &x(v));
    let square = sum.square(cx).unwrap();
    assert_eq!(square.n_terms(), 101 * 102 / 2);
    assert_eq!(square.div_exact(cx, &sum).unwrap(), Some(sum));
}

#[test]
fn big_coefficients_divide() {
    let cx = &Inquiry::free();
    let c = Rational::from(10).pow(40).unwrap();
    let a = &x(0).scale(&c) + &x(1);
    let b = &x(0) - &x(1).scale(&c);
    let p = a.mul(cx, &b).unwrap();
    assert_eq!(p.div_exact(cx, &a).unwrap(), Some(b.clone()));
    assert_eq!(p.div_exact(cx, &(&a + &n(1))).unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn ring_laws(a in arbitrary(3, 6, 4), b in arbitrary(3, 6, 4), c in arbitrary(4, 6, 9)) {
        let cx = &Inquiry::free();
        prop_assert_eq!(a.mul(cx, &b).unwrap(), b.mul(cx, &a).unwrap());
        prop_assert_eq!(a.mul(cx, &(&b + &c)).unwrap(), &a.mul(cx, &b).unwrap() + &a.mul(cx, &c).unwrap());
        prop_assert_eq!(a.mul(cx, &b).unwrap().mul(cx, &c).unwrap(), a.mul(cx, &b.mul(cx, &c).unwrap()).unwrap());
        prop_assert_eq!(&(&a + &b) - &b, a);
    }

    #[test]
    fn methods_of_multiplication_agree(a in arbitrary(2, 40, 6), b in arbitrary(2, 60, 6)) {
        let cx = &Inquiry::free();
        // The large product goes through the dense or hashed method, the sum of products by terms does not.
        let whole = a.mul(cx, &b).unwrap();
        let by_terms = a.terms().fold(Polynomial::zero(), |sum, t| &sum + &Polynomial::from_terms([t]).mul(cx, &b).unwrap());
        prop_assert_eq!(whole, by_terms);
    }

    #[test]
    fn quotients_return(a in arbitrary(3, 8, 4), b in arbitrary(3, 8, 4)) {
        let cx = &Inquiry::free();
        prop_assume!(!b.is_zero());
        prop_assert_eq!(a.mul(cx, &b).unwrap().div_exact(cx, &b).unwrap(), Some(a.clone()));
        let (q, r) = a.div_rem(cx, &b).unwrap();
        prop_assert_eq!(&q.mul(cx, &b).unwrap() + &r, a.clone());
        if let Some(exact) = a.div_exact(cx, &b).unwrap() {
            prop_assert_eq!(exact.mul(cx, &b).unwrap(), a);
        } else {
            prop_assert!(!r.is_zero());
        }
    }

    #[test]
    fn pseudo_division_identity(a in arbitrary(2, 8, 5), b in arbitrary(2, 8, 4)) {
        let cx = &Inquiry::free();
        prop_assume!(!b.is_zero());
        let d = a.pseudo_div(cx, &b, 0).unwrap();
        prop_assert_eq!(a.mul(cx, &d.multiplier).unwrap(), &d.quotient.mul(cx, &b).unwrap() + &d.remainder);
        prop_assert!(d.remainder.is_zero() || d.remainder.degree_in(0) < b.degree_in(0).max(1));
    }

    #[test]
    fn product_rule(a in arbitrary(3, 8, 4), b in arbitrary(3, 8, 4)) {
        let cx = &Inquiry::free();
        let left = a.mul(cx, &b).unwrap().derivative(1);
        let right = &a.derivative(1).mul(cx, &b).unwrap() + &a.mul(cx, &b.derivative(1)).unwrap();
        prop_assert_eq!(left, right);
    }

    #[test]
    fn evaluation_is_a_homomorphism(a in arbitrary(2, 8, 4), b in arbitrary(2, 8, 4), s in -5i64..5, t in 1i64..5) {
        let cx = &Inquiry::free();
        let point = [(0, Rational::ratio(s, t)), (1, Rational::ratio(t, 3))];
        let value = |p: &Polynomial| p.evaluate_at(cx, &point).unwrap().unwrap();
        prop_assert_eq!(value(&a.mul(cx, &b).unwrap()), &value(&a) * &value(&b));
        let shifted = a.substitute(cx, 0, &(&x(0) + &x(1))).unwrap();
        let moved = [(0, &point[0].1 + &point[1].1), point[1].clone()];
        prop_assert_eq!(value(&shifted), a.evaluate_at(cx, &moved).unwrap().unwrap());
    }
}
