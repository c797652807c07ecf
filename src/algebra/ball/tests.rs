use super::*;
use crate::algebra::Inquiry;
use crate::algebra::expr::{Condition, Expr, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::symbol::{Function, Symbol};
use crate::budget::Budget;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

fn apply(name: &str, x: &[Ball], p: u32) -> Option<Ball> {
    match name {
        "sqrt" => x[0].sqrt(p),
        "cbrt" => x[0].root(3, p),
        "real cube root" => evaluate::apply(Elementary::Cbrt, x, p),
        "power" => x[0].real_power(&x[1], p),
        "atan2" => Ball::atan2(&x[0], &x[1], p),
        _ => evaluate::apply(Elementary::find(name)?, x, p),
    }
}

fn rational(text: &str) -> Rational {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let number = match text.split_once('/') {
        Some((n, d)) => &rational(n) / &rational(d),
        None => Rational::parse(&text.replace("e+", "e")).expect("a number").expect("within budget"),
    };
    if negative { -&number } else { number }
}

/// Against mpmath: every enclosure contains the stored value (known to 100 digits), and is as narrow as
/// the precision promises.
#[test]
fn enclosures_contain_the_values_of_another_program() {
    let table = include_str!("../../../tests/oracle/elementary.tsv");
    for p in [64, 200, 300] {
        for line in table.lines() {
            let mut columns = line.split('\t');
            let (name, arguments, value) =
                (columns.next().unwrap(), columns.next().unwrap(), rational(columns.next().unwrap()));
            let arguments: Vec<Ball> =
                arguments.split(',').map(|x| Ball::from_rational(&rational(x), p + 200)).collect();
            let ball = apply(name, &arguments, p).unwrap_or_else(|| panic!("{line}: no value"));
            let slack = &value.abs() * &rational("1e-99");
            let (low, high) = ball.bounds(p);
            let (low, high) = (low.to_rational().unwrap(), high.to_rational().unwrap());
            assert!(low <= &value + &slack && high >= &value - &slack, "{line} at {p}: {ball:?}");
            // Next to zeros of sine and cosine leading bits cancel; everywhere else the bits are good.
            let lost = match name {
                "sin" | "cos" | "tan" => 30 + (arguments[0].mid().top() - ball.mid().top()).max(0),
                _ => 30,
            };
            assert!(ball.good_bits(1000) + lost >= i64::from(p), "{line} at {p}: {} bits", ball.good_bits(1000));
        }
    }
}

fn number() -> impl Strategy<Value = Rational> {
    (-2000i64..2000, 1i64..400).prop_map(|(n, d)| Rational::ratio(n, d))
}

fn ball_of(mid: &Rational, rad: &Rational, p: u32) -> Ball {
    let low = Ball::from_rational(&(mid - rad), p);
    low.hull(&Ball::from_rational(&(mid + rad), p), p)
}

fn overlap(a: &Ball, b: &Ball) -> bool {
    if a.is_everything() || b.is_everything() {
        return true;
    }
    let ((a, b), (c, d)) = (a.bounds(64), b.bounds(64));
    a.cmp_value(&d).is_le() && c.cmp_value(&b).is_le()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The value at a point of a ball lies in the value at the ball.
    #[test]
    fn functions_of_balls_contain_functions_of_their_points(
        mid in number(), rad in 0i64..3000, at in -100i64..=100, which in 0usize..19, p in 40u32..120,
    ) {
        let names = [
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "atanh", "exp", "log", "abs", "sign",
            "sqrt", "cbrt", "atan2", "min", "max",
        ];
        let name = names[which];
        let mid = if matches!(name, "asin" | "acos" | "atanh") { &mid * &Rational::ratio(1, 3000) } else { mid };
        let rad = Rational::ratio(rad, 1000);
        let point = &mid + &(&rad * &Rational::ratio(at, 100));
        let two = Ball::from_rational(&Rational::from(2), p);
        let wide = apply(name, &[ball_of(&mid, &rad, p), two.clone()], p);
        let narrow = apply(name, &[Ball::from_rational(&point, p + 60), two], p + 60);
        match (wide, narrow) {
            (Some(wide), Some(narrow)) => prop_assert!(overlap(&wide, &narrow), "{name}({mid} ± {rad}) at {point}"),
            (None, Some(_)) => prop_assert!(false, "{name}({mid} ± {rad}) has a value at {point}"),
            _ => {}
        }
    }

    /// Rational arithmetic: exact results lie in the balls.
    #[test]
    fn arithmetic_encloses(a in number(), b in number(), ra in 0i64..100, sa in -10i64..=10, n in 0u64..12, p in 20u32..90) {
        let ra = Rational::ratio(ra, 77);
        let x = &a + &(&ra * &Rational::ratio(sa, 10));
        let (ball, other) = (ball_of(&a, &ra, p), Ball::from_rational(&b, p));
        prop_assert!(ball.add(&other, p).contains(&(&x + &b)));
        prop_assert!(ball.sub(&other, p).contains(&(&x - &b)));
        prop_assert!(ball.mul(&other, p).contains(&(&x * &b)));
        prop_assert!(ball.pow(n, p).contains(&x.pow(n as i64).unwrap()));
        prop_assert!(ball.abs(p).contains(&x.abs()));
        prop_assert!(ball.max(&other, p).contains(&x.clone().max(b.clone())));
        if !x.is_zero() {
            prop_assert!(other.div(&ball, p).is_none_or(|q| q.contains(&(&b / &x))));
        }
    }
}

fn at(cx: &Budget, e: Expr, bits: u32) -> Ball {
    evaluate(cx, e, &FxHashMap::default(), bits).unwrap().expect("a value")
}

fn elementary(function: Elementary, x: Expr) -> Expr {
    Expr::apply(function, &[x])
}

#[test]
fn near_identities_are_told_apart() {
    let cx = &Inquiry::free();
    // Ramanujan: e^(π√163) is within 10^−12 of an integer, and is not one.
    let e = elementary(Elementary::Exp, Expr::pi() * Expr::number(163).sqrt());
    let difference = e - Expr::number(rational("262537412640768744"));
    assert_eq!(certified_sign(cx, difference, &FxHashMap::default(), 4096), Ok(Some(-1)));
    // sin² + cos² − 1 is zero: no sign is ever claimed.
    let x = Expr::ratio(1, 3);
    let identity = elementary(Elementary::Sin, x).pow(2) + elementary(Elementary::Cos, x).pow(2) - 1;
    assert_eq!(certified_sign(cx, identity, &FxHashMap::default(), 512), Ok(None));
    assert!(at(cx, identity, 64).contains_zero());
}

#[test]
fn correct_digits() {
    let cx = &Inquiry::free();
    let none = FxHashMap::default();
    let digits = |e: Expr, n| decimal(cx, e, &none, n).unwrap().expect("digits");
    assert_eq!(digits(Expr::number(2).sqrt(), 17), "1.4142135623730950");
    assert_eq!(digits(Expr::pi(), 40), "3.141592653589793238462643383279502884197");
    assert_eq!(digits(Expr::pi().scale(&rational("1e30")), 5), "3.1416e30");
    assert_eq!(digits(-Expr::pi().scale(&rational("1e-3")), 5), "-0.0031416");
    assert_eq!(digits(Expr::ratio(1, 8), 17), "0.125");
    assert_eq!(digits(Expr::number(1024), 17), "1024");
    // log 2 − 0.69314718055994530942 needs more bits than it seems.
    let close = elementary(Elementary::Log, Expr::number(2)) - Expr::number(rational("0.69314718055994530942"));
    assert_eq!(digits(close, 5), "-2.7679e-21");
}

#[test]
fn what_is_not_real_has_no_value() {
    let cx = &Inquiry::free();
    let none = FxHashMap::default();
    let x = Symbol::parameter("x");
    let log = elementary(Elementary::Log, Expr::symbol(x));
    let point = |n| FxHashMap::from_iter([(x, Rational::from(n))]);
    assert_eq!(evaluate(cx, log, &point(-1), 64), Ok(None));
    assert_eq!(evaluate(cx, log, &none, 64), Ok(None));
    assert_eq!(evaluate(cx, Expr::symbol(x).pow(-1), &point(0), 64), Ok(None));
    let v = Function::declare("V", 1);
    assert_eq!(evaluate(cx, Expr::unknown(v, &[0], &[Expr::one()]), &none, 64), Ok(None));
    // The untaken branch does not matter.
    let cases = Expr::piecewise(Condition { relation: Relation::Greater, left: Expr::symbol(x) }, log, Expr::symbol(x));
    assert_eq!(evaluate(cx, cases, &point(-3), 64).unwrap().unwrap().sign(), Some(-1));
}

#[test]
fn integrals_are_enclosed() {
    let cx = &Inquiry::free();
    let u = Symbol::bound("u");
    let x = Expr::symbol(u);
    // ∫ e^u = e − 1, ∫ 1/(1+u²) = π/4, ∫ √u = 2/3, ∫ |u − 1/3| = 5/18
    let close = |body: Expr, exact: Expr, bits: i64| {
        let difference = at(cx, Expr::integral(u, body) - exact, 100);
        assert!(difference.contains_zero(), "{body}: {difference:?}");
        assert!(difference.magnitude().to_float().top() < -bits, "{body}: {difference:?}");
    };
    close(elementary(Elementary::Exp, x), elementary(Elementary::Exp, Expr::one()) - 1, 95);
    close((1 + x.pow(2)).pow(-1), Expr::pi() / 4, 95);
    close(elementary(Elementary::Sin, x * Expr::pi()), 2 / Expr::pi(), 95);
    close(elementary(Elementary::Atan, x) * x, Expr::pi() / 4 - Expr::ratio(1, 2), 95);
    close(x.sqrt(), Expr::ratio(2, 3), 30);
    close(elementary(Elementary::Abs, x - Expr::ratio(1, 3)), Expr::ratio(5, 18), 30);
}

#[test]
fn exact_values() {
    let cx = &Inquiry::free();
    let x = Symbol::parameter("x");
    let e = (Expr::symbol(x) + 1).sqrt() / 3 + elementary(Elementary::Cos, Expr::symbol(x) - 8);
    let point = FxHashMap::from_iter([(x, Rational::from(8))]);
    assert_eq!(evaluate_exact(cx, e, &point), Some(Rational::from(2)));
    assert_eq!(evaluate_exact(cx, e, &FxHashMap::from_iter([(x, Rational::from(1))])), None);
}
