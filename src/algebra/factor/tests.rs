use super::*;
use crate::algebra::Inquiry;
use crate::algebra::polynomial::tests::arbitrary;
use crate::budget::Budget;
use crate::budget::Share;
use proptest::prelude::*;

fn x(i: u32) -> Polynomial {
    Polynomial::variable(i)
}

fn n(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn product(cx: &Budget, list: &[Polynomial]) -> Polynomial {
    Polynomial::product(cx, list).unwrap()
}

fn check_factor(cx: &Budget, p: &Polynomial, expected: &str) {
    let f = factor(cx, p);
    assert!(f.complete, "{p}");
    assert_eq!(&f.product(cx).unwrap(), p);
    assert_eq!(f.to_string(), expected);
}

#[test]
fn small_polynomials() {
    let cx = &Inquiry::free();
    check_factor(cx, &Polynomial::zero(), "0");
    check_factor(cx, &n(-6), "-6");
    check_factor(cx, &x(0).scale(&Rational::ratio(-2, 3)), "-2/3*x0");
    check_factor(cx, &(&n(1) - &x(0).square(cx).unwrap()), "-1*(x0 - 1)*(x0 + 1)");
    check_factor(cx, &product(cx, &[x(0), x(0), x(1), &x(0) - &x(1)]), "x0^2*x1*(x0 - x1)");
}

/// The second time it is looked up, and the work is that of the first: a budget ends where it would end without the memory.
#[test]
fn what_was_factored_before_costs_the_same_work() {
    let cx = &Inquiry::free();
    let p = &x(0).pow(cx, 6).unwrap() - &x(1).pow(cx, 6).unwrap();
    let before = cx.work_done();
    let first = factor_once(cx, &p);
    let cost = cx.work_done() - before;
    assert!(first.complete && first.factors.len() == 4 && cost > 0);
    assert_eq!(factor_once(cx, &p), first);
    assert_eq!(cx.work_done() - before, 2 * cost);
    // Nor is the memory a way around a budget.
    let poor = &Inquiry::new(cx.facts().clone(), Budget::new(Share::of(cost - 1)));
    assert!(!factor_once(poor, &p).complete);
}

#[test]
fn irreducible_over_the_rationals() {
    let cx = &Inquiry::free();
    let squares = &x(0).square(cx).unwrap() - &x(1).square(cx).unwrap().scale(&Rational::from(3));
    assert!(factor(cx, &squares).is_irreducible());
    let circle = &(&x(0).square(cx).unwrap() + &x(1).square(cx).unwrap()) - &n(1);
    assert!(factor(cx, &circle).is_irreducible());
    // A generic determinant.
    let det = &product(cx, &[x(0), x(3)]) - &product(cx, &[x(1), x(2)]);
    assert!(factor(cx, &det).is_irreducible());
}

#[test]
fn leading_coefficients_are_distributed() {
    let cx = &Inquiry::free();
    let [a, b, c] = [0, 1, 2].map(x);
    let f = &product(cx, &[&b + &n(2), a.square(cx).unwrap()]) + &product(cx, &[c.clone(), a.clone()]);
    let f = &f + &n(5);
    let g = &product(cx, &[&(&b - &c) + &n(1), a.square(cx).unwrap()]) + &product(cx, &[b.clone(), c.clone()]);
    let found = factor(cx, &product(cx, &[f.clone(), g.clone()]));
    assert!(found.complete);
    assert_eq!(found.factors.len(), 2);
    assert!(found.factors.iter().any(|(h, _)| *h == f.primitive_part()));
    assert!(found.factors.iter().any(|(h, _)| *h == g.primitive_part()));
}

#[test]
fn coefficients_beyond_one_prime() {
    let cx = &Inquiry::free();
    let big = Rational::from(7).pow(60).unwrap();
    let f = &(&x(0).square(cx).unwrap().scale(&big) + &x(1)) + &n(3);
    let g = &(&x(0).square(cx).unwrap() - &product(cx, &[x(1), x(2)]).scale(&big)) + &n(1);
    let found = factor(cx, &product(cx, &[f.clone(), g.clone()]));
    assert!(found.complete);
    assert_eq!(found.factors.len(), 2);
    assert_eq!(found.product(cx).unwrap(), product(cx, &[f, g]));
}

#[test]
fn squares_are_found() {
    let cx = &Inquiry::free();
    let f = &(&x(0) + &x(1).square(cx).unwrap()) + &n(1);
    let g = &x(0).square(cx).unwrap() - &x(1);
    let p = product(cx, &[f.clone(), f.clone(), f.clone(), g.clone()]);
    let s = squarefree(cx, &p).unwrap();
    assert_eq!(s.factors, vec![(g.clone(), 1), (f.clone(), 3)]);
    assert_eq!(squarefree_part(cx, &p).unwrap().primitive_part(), product(cx, &[f, g]));
}

#[test]
fn an_interrupted_factorisation_says_so() {
    let cx = &Inquiry::free();
    let f = &(&x(0).pow(cx, 3).unwrap() + &x(1)) + &n(1);
    let p = product(cx, &[f.clone(), &f + &n(1)]);
    let stopped = cx.within(Share::of(0), || factor(cx, &p));
    assert_eq!(stopped.product(cx).unwrap(), p);
    assert!(!stopped.complete);
}

/// The number of factors of xⁿ − yⁿ is that of the divisors of n. Φ₁₀₅ is the first with a coefficient −2; Sophie Germain's
/// x⁴ + 4y⁴ is a sum of squares that falls apart.
#[test]
fn two_terms_fall_into_cyclotomic_polynomials() {
    let cx = &Inquiry::free();
    let (x, y) = (Polynomial::variable(0), Polynomial::variable(1));
    let power = |v: &Polynomial, n: u32| v.pow(cx, n).unwrap();
    for (n, count) in [(2u32, 2), (12, 6), (105, 8), (200, 12), (2000, 20)] {
        let p = &power(&x, n) - &power(&y, n);
        let f = factor(cx, &p);
        assert!(f.complete && f.factors.len() == count, "{n}: {f}");
        assert_eq!(f.product(cx).unwrap(), p);
    }
    let phi_105 = factor(cx, &(&power(&x, 105) - &Polynomial::one()));
    assert!(phi_105.factors.iter().any(|(g, _)| g.coefficient_in(0, 7) == Polynomial::constant(Rational::from(-2))));
    let germain = factor(cx, &(&power(&x, 4) + &power(&y, 4).scale(&Rational::from(4))));
    assert_eq!(germain.to_string(), "(x0^2 - 2*x0*x1 + 2*x1^2)*(x0^2 + 2*x0*x1 + 2*x1^2)");
    let quarters = factor(cx, &(&power(&x, 8).scale(&Rational::from(4)) - &power(&y, 2).scale(&Rational::from(9))));
    assert_eq!(quarters.to_string(), "(2*x0^4 - 3*x1)*(2*x0^4 + 3*x1)");
    assert!(factor(cx, &(&power(&x, 8) + &power(&y, 4))).is_irreducible());
    assert!(factor(cx, &(&power(&x, 3) - &power(&y, 2))).is_irreducible());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn products_split_at_least_as_far(a in arbitrary(3, 5, 3), b in arbitrary(3, 5, 3), c in arbitrary(3, 4, 2)) {
        let cx = &Inquiry::free();
        let p = product(cx, &[a.clone(), b.clone(), c.clone()]);
        prop_assume!(!p.is_zero());
        let f = factor(cx, &p);
        prop_assert!(f.complete, "{} {} {}", a, b, c);
        prop_assert_eq!(f.product(cx).unwrap(), p);
        // Every irreducible factor of the product divides one of the factors.
        for (g, _) in &f.factors {
            let divides = |h: &Polynomial| g.divides(cx, h).unwrap();
            prop_assert!(divides(&a) || divides(&b) || divides(&c), "{} {} {}: {}", a, b, c, g);
        }
    }

    #[test]
    fn univariate_products(a in arbitrary(1, 5, 6), b in arbitrary(1, 5, 6)) {
        let cx = &Inquiry::free();
        let p = product(cx, &[a.clone(), b.clone()]);
        prop_assume!(!p.is_zero());
        let f = factor(cx, &p);
        prop_assert!(f.complete);
        prop_assert_eq!(f.product(cx).unwrap(), p);
        for (g, _) in &f.factors {
            prop_assert!(g.divides(cx, &a).unwrap() || g.divides(cx, &b).unwrap());
        }
    }
}
