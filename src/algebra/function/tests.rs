//! The battery: every row is asked the same questions, so that a row with a wrong or missing column fails by itself.
//! Values and slopes of another program are in `tests/oracle/functions.tsv` (mpmath, `functions.py`).

use super::*;
use crate::algebra::Inquiry;
use crate::algebra::ball::{Ball, evaluate};
use crate::algebra::decide::{equal, is_zero};
use crate::algebra::derive::partial;
use crate::algebra::symbol::Symbol;
use crate::algebra::testing::Scope;
use rustc_hash::FxHashMap;

const BITS: u32 = 240;

/// Function, argument and the Taylor coefficients there, of another program.
fn oracle() -> impl Iterator<Item = (Elementary, Rational, Vec<Rational>)> {
    include_str!("../../../tests/oracle/functions.tsv").lines().map(|line| {
        let mut columns = line.split('\t');
        let function = Elementary::find(columns.next().unwrap()).unwrap_or_else(|| panic!("{line}"));
        (function, rational(columns.next().unwrap()), columns.map(rational).collect())
    })
}

fn rational(text: &str) -> Rational {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let number = match text.split_once('/') {
        Some((n, d)) => &rational(n) / &rational(d),
        None => Rational::parse(text).expect("a number").expect("within budget"),
    };
    if negative { -&number } else { number }
}

fn functions_of_one_argument() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| row.arity == Some(1))
}

/// Numbers of all sizes and signs inside the domain, none of them a place without a slope.
fn samples(row: &Row) -> Vec<Rational> {
    let all = ["-40", "-9/4", "-7/5", "-9/10", "-1/3", "1/100", "1/3", "9/10", "11/10", "9/4", "40"];
    let inside = |x: &Rational| row.argument_interval().is_none_or(|interval| interval.contains(x));
    all.into_iter().map(rational).filter(inside).collect()
}

fn number(x: &Rational) -> Expr {
    Expr::number(x.clone())
}

/// The ball of a function at a number.
fn ball(row: &Row, x: &Rational) -> Option<Ball> {
    (row.ball)(&[Ball::from_rational(x, BITS)], BITS)
}

/// The ball of an expression in the symbol at a number.
fn at(cx: &Inquiry, e: Expr, x: Symbol, value: &Rational) -> Ball {
    let point = FxHashMap::from_iter([(x, value.clone())]);
    evaluate(cx, e, &point, BITS).expect("within budget").unwrap_or_else(|| panic!("{e} has no value"))
}

/// Whether the two are the same number up to `digits` decimals, seen from their size.
fn agree(a: &Ball, b: &Ball, digits: i64) -> bool {
    let difference = a.sub(b, BITS).magnitude();
    let size = Ball::exact(crate::algebra::ball::float::Float::ONE).magnitude() + a.magnitude();
    difference.cmp_value(size.shifted(-digits * 10 / 3)).is_le()
}

fn unknown() -> (Symbol, Expr) {
    let x = Symbol::parameter("x");
    (x, Expr::symbol(x))
}

#[test]
fn rows_stand_in_the_order_of_the_enumeration_and_are_found_by_their_names() {
    for (i, row) in TABLE.iter().enumerate() {
        assert_eq!(row.function as usize, i);
        assert_eq!(Elementary::find(row.name), Some(row.function), "{} is the name of two functions", row.name);
        for name in row.elsewhere {
            assert_eq!(Elementary::find(name), None, "{name}");
            assert_eq!(Elementary::called_elsewhere(name), Some(row.function), "{name}");
        }
        assert!(!row.help.is_empty() && row.latex.starts_with('\\'), "{}", row.name);
        assert!(row.arity != Some(1) || row.piece.is_some() || row.smoothness == Smoothness::Jumps, "{}", row.name);
    }
}

#[test]
fn the_language_page_lists_every_function() {
    let page = include_str!("../../../docs/language.md");
    let (_, after) = page.split_once("Elementary functions: `").expect("the list of functions");
    let (list, _) = after.split_once('`').expect("the end of the list");
    let mut listed: Vec<&str> = list.split_whitespace().collect();
    let mut known: Vec<&str> = TABLE.iter().map(|row| row.name).chain(["sqrt"]).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn every_function_of_one_argument_is_in_the_table_of_the_other_program() {
    for row in functions_of_one_argument() {
        assert!(oracle().filter(|(f, ..)| *f == row.function).count() >= 3, "{}", row.name);
    }
}

#[test]
fn enclosures_and_derivatives_agree_with_another_program() {
    let cx = &Inquiry::free();
    let (x, ex) = unknown();
    for (f, point, coefficients) in oracle() {
        let [value, slope] = [0, 1].map(|k| Ball::from_rational(&coefficients[k], BITS));
        let own = ball(f.row(), &point).expect("a value");
        assert!(agree(&own, &value, 38), "{}({point}) is {own:?}", f.name());
        assert!(own.is_exact() || own.good_bits(1000) > i64::from(BITS) - 40, "{}({point}) is wide: {own:?}", f.name());
        let derivative = at(cx, partial(cx, Expr::apply(f, &[ex]), x), x, &point);
        assert!(agree(&derivative, &slope, 38), "the slope of {} at {point} is {derivative:?}", f.name());
    }
}

#[test]
fn derivatives_agree_with_differences_of_enclosures() {
    let cx = &Inquiry::free();
    let (x, ex) = unknown();
    let h = Rational::ratio(1, 1 << 30);
    for row in functions_of_one_argument() {
        let derivative = partial(cx, Expr::apply(row.function, &[ex]), x);
        for point in samples(row) {
            let (Some(left), Some(right)) = (ball(row, &(&point - &h)), ball(row, &(&point + &h))) else { continue };
            let difference = right.sub(&left, BITS).div(&Ball::from_rational(&(&h + &h), BITS), BITS).unwrap();
            assert!(agree(&difference, &at(cx, derivative, x, &point), 10), "{} at {point}", row.name);
        }
    }
}

#[test]
fn antiderivatives_have_the_function_as_their_derivative() {
    let cx = &Inquiry::free();
    let (x, ex) = unknown();
    for row in functions_of_one_argument() {
        let antiderivative = row.antiderivative.unwrap_or_else(|| panic!("{} has none", row.name));
        let derivative = partial(cx, antiderivative(ex), x);
        for point in samples(row) {
            assert!(agree(&at(cx, derivative, x, &point), &ball(row, &point).unwrap(), 30), "{} at {point}", row.name);
        }
    }
}

#[test]
fn domains_end_where_they_say() {
    let step = Rational::ratio(1, 1000);
    for row in functions_of_one_argument() {
        let Some(interval) = row.argument_interval() else { continue };
        for (bound, outward) in [(interval.low, -&step), (interval.high, step.clone())] {
            let Some((end, reached)) = bound.end() else { continue };
            let end = end.as_rational().expect("ends of domains are rational");
            let is_real = |x: &Rational| Expr::apply(row.function, &[number(x)]).as_undefined().is_none();
            let (inside, outside) = (&end - &outward, &end + &outward);
            assert!(is_real(&inside) && ball(row, &inside).is_some(), "{} at {inside}", row.name);
            assert!(!is_real(&outside) && ball(row, &outside).is_none(), "{} at {outside}", row.name);
            assert_eq!(is_real(&end), reached, "{} at {end}", row.name);
        }
    }
}

#[test]
fn values_lie_in_the_range_and_have_the_sign_of_the_rule() {
    let cx = &Inquiry::free();
    for row in functions_of_one_argument() {
        for point in samples(row) {
            let value = ball(row, &point).unwrap();
            let from = |bound: Bound, sign: i32| {
                bound.end().is_none_or(|(at, _)| {
                    let end = evaluate(cx, at.expr(), &FxHashMap::default(), BITS).unwrap().unwrap();
                    value.sub(&end, BITS).sign() != Some(sign)
                })
            };
            assert!(from(row.range.low, -1) && from(row.range.high, 1), "{}({point}) = {value:?}", row.name);
            match row.sign {
                SignRule::Argument => assert_eq!(value.sign(), Some(point.signum()), "{}({point})", row.name),
                SignRule::Size => assert_eq!(value.sign(), Some(1), "{}({point})", row.name),
                SignRule::Range => {}
            }
        }
    }
}

#[test]
fn the_inverse_inverts_on_the_monotone_piece() {
    let cx = &Inquiry::free();
    let (x, ex) = unknown();
    for row in functions_of_one_argument() {
        let Some(piece) = row.piece else { continue };
        // Inside [0, 1] every piece has points.
        let points: Vec<Rational> = samples(row)
            .into_iter()
            .filter(|n| row.whole_piece().is_some() || (!n.is_negative() && *n < Rational::ONE))
            .collect();
        for pair in points.windows(2) {
            let [a, b] = [0, 1].map(|i| ball(row, &pair[i]).unwrap());
            // Beyond 40 the hyperbolic tangent and erf are 1 to more places than are compared.
            let grows = b.sub(&a, BITS).sign();
            assert!(
                grows.is_none() || grows == Some(if piece.increasing { 1 } else { -1 }),
                "{} at {pair:?}",
                row.name
            );
        }
        let Some(inverse) = piece.inverse else { continue };
        for point in points.iter().filter(|n| n.abs() < Rational::from(10)) {
            let back = at(cx, inverse.of(Expr::apply(row.function, &[ex])), x, point);
            assert!(agree(&back, &Ball::from_rational(point, BITS), 30), "{} at {point}: {back:?}", row.name);
        }
    }
}

#[test]
fn inverses_name_each_other() {
    for row in functions_of_one_argument() {
        if let Some(Piece { on, increasing, inverse: Some(Inverse::Function(g)) }) = row.piece {
            let other = g.row();
            let back = other.piece.expect("an inverse is monotone");
            assert_eq!(back.inverse, Some(Inverse::Function(row.function)), "{}", row.name);
            assert_eq!((back.increasing, other.range, back.on), (increasing, on, row.range), "{}", row.name);
        }
    }
}

#[test]
fn parity_holds() {
    let (_, x) = unknown();
    for row in functions_of_one_argument() {
        let [right, left] = [x, -x].map(|x| Expr::apply(row.function, &[x]));
        match row.parity {
            Parity::Odd => assert_eq!(left, -right, "{}", row.name),
            Parity::Even => assert_eq!(left, right, "{}", row.name),
            Parity::Neither => {
                assert!(left != right && left != -right, "{}", row.name);
                continue;
            }
        }
        for point in samples(row) {
            let (here, there) = (ball(row, &point).unwrap(), ball(row, &-&point).unwrap());
            let there = if row.parity == Parity::Odd { there.neg() } else { there };
            assert!(agree(&here, &there, 60), "{} at {point}", row.name);
        }
    }
}

#[test]
fn special_values_are_values() {
    let cx = &Inquiry::free();
    for row in TABLE.iter() {
        for (argument, value) in row.values {
            assert_eq!(Expr::apply(row.function, &[argument.expr()]), value.expr(), "{}", row.name);
            let own = ball(row, &argument.as_rational().expect("a rational argument")).expect("a value");
            let stated = evaluate(cx, value.expr(), &FxHashMap::default(), BITS).unwrap().unwrap();
            assert!(agree(&own, &stated, 60), "{} at {argument:?}", row.name);
        }
    }
}

#[test]
fn what_zero_tests_read_instead_has_the_same_values() {
    let cx = &Inquiry::free();
    let (x, ex) = unknown();
    for row in functions_of_one_argument() {
        let Reading::Opaque { otherwise: Some(rewritten) } = row.reading else { continue };
        for point in samples(row) {
            assert!(agree(&at(cx, rewritten(&[ex]), x, &point), &ball(row, &point).unwrap(), 30), "{}", row.name);
        }
    }
}

#[test]
fn smoothness_is_what_the_slope_says() {
    for row in TABLE.iter() {
        let broken = matches!(row.slope, Slope::Kink | Slope::Jump | Slope::Extreme | Slope::CubeRoot | Slope::Angle);
        assert_eq!(row.smoothness == Smoothness::Analytic, !broken, "{}", row.name);
    }
}

/// sinh(arsinh x) = x and what else follows from the definitions; nothing of it where it does not hold.
#[test]
fn identities_of_the_younger_functions() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    for text in [
        "sinh(asinh(x)) - x",
        "asinh(sinh(x)) - x",
        "cosh(asinh(x)) - sqrt(x^2 + 1)",
        "cosh(acosh(x)) - x",
        "asinh(x) - log(x + sqrt(x^2 + 1))",
        "acosh(x) - log(x + sqrt(x^2 - 1))",
        "2*asinh(x) - asinh(2*x*sqrt(x^2 + 1))",
        "asinh(-x) + asinh(x)",
        "cbrt(x)^3 - x",
        "cbrt(x^3) - x",
        "cbrt(8*x) - 2*cbrt(x)",
        "cbrt(x*y) - cbrt(x)*cbrt(y)",
        "cbrt(x/y^2) - cbrt(x*y)/y",
        "(cbrt(x) + 1)^3 - x - 3*cbrt(x)^2 - 3*cbrt(x) - 1",
        "cbrt(-x) + cbrt(x)",
        "cbrt(-27) + 3",
        "cbrt(16) - 2*cbrt(2)",
        "erf(-x) + erf(x)",
    ] {
        let e = scope.read(text);
        assert!(is_zero(cx, e).is_yes(), "{text}: {:?}", is_zero(cx, e));
    }
    for text in
        ["cbrt(x) - x", "erf(x) - x", "asinh(x) - x", "acosh(x) - log(x)", "cbrt(x)^2 - x", "cbrt(x) - abs(x)^(1/3)"]
    {
        let e = scope.read(text);
        assert!(is_zero(cx, e).is_no(), "{text}: {:?}", is_zero(cx, e));
    }
    let (x, ex) = unknown();
    let erf = Expr::apply(Elementary::Erf, &[ex]);
    let bell = 2 * Expr::apply(Elementary::Exp, &[-ex.pow(2)]) / Expr::pi().sqrt();
    assert!(equal(cx, partial(cx, erf, x), bell).is_yes());
    let root = Expr::apply(Elementary::Cbrt, &[ex]);
    assert!(equal(cx, partial(cx, root, x), root / (3 * ex)).is_yes());
}
