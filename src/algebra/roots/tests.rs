use super::*;
use crate::algebra::Inquiry;
use crate::algebra::number::Integer;
use proptest::prelude::*;

fn poly(c: &[i64]) -> Polynomial {
    Dense::new(c.iter().map(|&n| Integer::from(n)).collect()).to_polynomial(0)
}

#[test]
fn chebyshev_roots_are_found() {
    let cx = &Inquiry::free();
    // T₈ has eight roots in (−1, 1): 128x⁸ − 256x⁶ + 160x⁴ − 32x² + 1.
    let t8 = poly(&[1, 0, -32, 0, 160, 0, -256, 0, 128]);
    let roots = isolate_real_roots(cx, &t8).unwrap();
    assert_eq!(roots.len(), 8);
    for pair in roots.windows(2) {
        assert!(pair[0].interval().high <= pair[1].interval().low);
    }
    assert!(roots[0] > Rational::from(-1).into() && roots[7] < Rational::ONE.into());
}

#[test]
fn close_roots_are_separated() {
    let cx = &Inquiry::free();
    // Mignotte: x⁵ − 2(10x − 1)² has two roots near 1/10.
    let p = poly(&[-2, 40, -200, 0, 0, 1]);
    assert_eq!(isolate_real_roots(cx, &p).unwrap().len(), 3);
    assert_eq!(count_real_roots(cx, &p, None, None).unwrap(), 3);
    assert_eq!(count_real_roots(cx, &p, Some(&Rational::ZERO), Some(&Rational::ratio(1, 2))).unwrap(), 2);
}

#[test]
fn multiple_and_rational_roots() {
    let cx = &Inquiry::free();
    // (x − 1)²(2x + 3)(x² + 1)
    let p = Polynomial::product(cx, &[poly(&[-1, 1]), poly(&[-1, 1]), poly(&[3, 2]), poly(&[1, 0, 1])]).unwrap();
    let roots = isolate_real_roots(cx, &p).unwrap();
    let values: Vec<Rational> = roots.iter().map(|r| r.to_rational().unwrap()).collect();
    assert_eq!(values, vec![Rational::ratio(-3, 2), Rational::ONE]);
    // Bounds are (low, high].
    assert_eq!(count_real_roots(cx, &p, Some(&Rational::ratio(-3, 2)), Some(&Rational::ONE)).unwrap(), 1);
}

#[test]
fn signs_at_the_golden_ratio() {
    let cx = &Inquiry::free();
    let golden =
        AlgebraicNumber::root_of(cx, &poly(&[-1, -1, 1]), &Rational::ZERO, &Rational::from(9)).unwrap().unwrap();
    // φ³ = 2φ + 1
    assert_eq!(golden.sign_of(cx, &poly(&[-1, -2, 0, 1])).unwrap(), 0);
    // φ is above 1.6180339887 and below 1.6180339888.
    assert_eq!(golden.sign_of(cx, &poly(&[-16_180_339_887, 10_000_000_000])).unwrap(), 1);
    assert_eq!(golden.sign_of(cx, &poly(&[-16_180_339_888, 10_000_000_000])).unwrap(), -1);
    let narrow = golden.refine(cx, &Rational::ratio(1, 1 << 40)).unwrap();
    assert!(narrow.width() <= Rational::ratio(1, 1 << 40));
    assert_eq!(golden.signum(), 1);
    let conjugate = &isolate_real_roots(cx, &poly(&[-1, -1, 1])).unwrap()[0];
    assert_eq!(conjugate.signum(), -1);
    assert!(*conjugate < golden);
}

#[test]
fn equality_across_polynomials() {
    let cx = &Inquiry::free();
    // √2 as a root of x² − 2 and of x⁴ − 4 = (x² − 2)(x² + 2).
    let a = AlgebraicNumber::root_of(cx, &poly(&[-2, 0, 1]), &Rational::ZERO, &Rational::from(2)).unwrap().unwrap();
    let b =
        AlgebraicNumber::root_of(cx, &poly(&[-4, 0, 0, 0, 1]), &Rational::ZERO, &Rational::from(5)).unwrap().unwrap();
    assert_eq!(a, b);
    assert_eq!(b.degree(), 2);
    assert_ne!(a, Rational::ratio(141_421_356, 100_000_000).into());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn descartes_agrees_with_sturm(c in proptest::collection::vec(-20i64..20, 2..9)) {
        let cx = &Inquiry::free();
        let p = poly(&c);
        prop_assume!(!p.is_constant());
        let roots = isolate_real_roots(cx, &p).unwrap();
        prop_assert_eq!(roots.len(), count_real_roots(cx, &p, None, None).unwrap());
        for r in &roots {
            prop_assert_eq!(r.sign_of(cx, &p).unwrap(), 0);
            let i = r.interval();
            if i.low < i.high {
                // One root in (low, high].
                prop_assert_eq!(count_real_roots(cx, &r.minimal_polynomial(0), Some(&i.low), Some(&i.high)).unwrap(), 1);
            }
        }
        prop_assert!(roots.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn signs_agree_with_rational_roots(roots in proptest::collection::btree_set(-30i64..30, 1..5), x in -31i64..31) {
        let cx = &Inquiry::free();
        let linear: Vec<Polynomial> = roots.iter().map(|&r| poly(&[-r, 1])).collect();
        let p = Polynomial::product(cx, &linear).unwrap();
        let found: Vec<Rational> = isolate_real_roots(cx, &p).unwrap().iter().map(|r| r.to_rational().unwrap()).collect();
        let expected: Vec<Rational> = roots.iter().map(|&r| Rational::from(r)).collect();
        prop_assert_eq!(found, expected);
        let number = AlgebraicNumber::from(Rational::from(x));
        let value = p.evaluate_at(cx, &[(0, Rational::from(x))]).unwrap().unwrap();
        prop_assert_eq!(number.sign_of(cx, &p).unwrap(), value.signum());
    }
}
