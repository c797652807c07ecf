use super::*;
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::conditions;
use crate::algebra::testing::Scope;

/// Runs under the facts.
fn under<T>(facts: &[&str], work: impl FnOnce(&Inquiry, &mut Scope) -> T) -> T {
    let mut scope = Scope::new();
    for fact in facts {
        scope.assume(fact);
    }
    work(&scope.cx(), &mut scope)
}

/// The word for a verdict, as the suite writes it.
fn word(verdict: &Verdict, conditional: bool) -> &'static str {
    match verdict {
        Verdict::Yes(Ground::Proved(_)) if conditional => "generic",
        Verdict::Yes(Ground::Proved(_)) => "zero",
        Verdict::Yes(Ground::Sampled { .. }) => "sampled",
        Verdict::No(_) => "nonzero",
        Verdict::Unknown(_) => "unknown",
    }
}

/// `tests/data/zero_suite.txt`: verdict, expression and facts, one per line.
#[test]
fn every_expression_of_the_suite_gets_its_verdict() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("../../../tests/data/zero_suite.txt").lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        count += 1;
        let (expected, rest) = line.split_once(':').expect("verdict: expression");
        let (text, facts) = rest.split_once(" where ").unwrap_or((rest, ""));
        let facts: Vec<&str> = facts.split(',').filter(|f| !f.trim().is_empty()).collect();
        let (verdict, conditions) = under(&facts, |cx, scope| {
            conditions::collect(cx, |cx| {
                let e = scope.read(text);
                is_zero(cx, e)
            })
        });
        let found = word(&verdict, !conditions.is_empty());
        if found != expected.trim() {
            wrong.push(format!("{line}\n    found {verdict}, conditions {conditions:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count} expressions");
}

/// `tests/data/sign_suite.txt`: what is known about signs, with and without the facts.
#[test]
fn every_sign_of_the_suite_is_found() {
    use crate::algebra::assume::Sign;
    let name = |s: Sign| match (s.can_be_negative, s.can_be_zero, s.can_be_positive) {
        (false, false, true) => "positive",
        (true, false, false) => "negative",
        (false, true, true) => "nonnegative",
        (true, true, false) => "nonpositive",
        (true, false, true) => "nonzero",
        (false, true, false) => "zero",
        _ => "any",
    };
    let mut wrong = Vec::new();
    for line in include_str!("../../../tests/data/sign_suite.txt").lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (expected, rest) = line.split_once(':').expect("sign: expression");
        let (text, facts) = rest.split_once(" where ").unwrap_or((rest, ""));
        let facts: Vec<&str> = facts.split(',').filter(|f| !f.trim().is_empty()).collect();
        let found = under(&facts, |cx, scope| {
            let e = scope.read(text);
            name(sign(cx, e))
        });
        if found != expected.trim() {
            wrong.push(format!("{line}\n    found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nowhere_zero_is_more_than_not_zero() {
    let cx = &Inquiry::free();
    for (text, expected) in [
        ("x^2 + 1", "yes"),
        ("x", "no"),
        ("x^2 - 2*x + 1", "no"),
        ("x^3 + x + 1", "no"),
        ("exp(x)*(x^2 + y^2 + 1)", "yes"),
    ] {
        let e = Scope::new().read(text);
        assert_eq!(is_nonzero_everywhere(cx, e).word(), expected, "{text}");
    }
}

#[test]
fn a_condition_that_never_holds_is_found() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let (always, sometimes, never) =
        (scope.read("x^2 + 1"), scope.read("x - 1"), scope.read("(x + 1)^2 - x^2 - 2*x - 1"));
    assert!(is_nonzero_everywhere(cx, always).is_yes());
    assert!(is_nonzero_everywhere(cx, sometimes).is_no() && is_zero(cx, sometimes).is_no());
    assert!(matches!(is_zero(cx, never), Verdict::Yes(Ground::Proved(_))));
}

/// `tests/data/sympy_equal.txt`, made by tests/oracle/algebra.py: what SymPy rewrote is proved equal.
#[test]
fn what_another_program_rewrote_is_proved_equal() {
    let cx = &Inquiry::free();
    use crate::algebra::antiderivative::unit_integral;
    use crate::algebra::derive::partial;
    use crate::algebra::linear::Matrix;
    let mut wrong = Vec::new();
    for line in include_str!("../../../tests/data/sympy_equal.txt").lines() {
        let [how, left, right] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut scope = Scope::new();
        let left = match how {
            "diff x" | "diff y" => {
                let (e, s) = (scope.read(left), scope.symbol(&how[5..]));
                partial(cx, e, s)
            }
            "det" => {
                let row = |r: &str, scope: &mut Scope| r.split(',').map(|e| scope.read(e)).collect();
                Matrix::from_rows(left.split(';').map(|r| row(r, &mut scope)).collect()).det(cx).unwrap()
            }
            "integral" => {
                scope.parameters("u");
                let (e, u) = (scope.read(left), scope.symbol("u"));
                unit_integral(cx, e, u)
            }
            _ => scope.read(left),
        };
        let verdict = equal(cx, left, scope.read(right));
        if !matches!(verdict, Verdict::Yes(Ground::Proved(_))) {
            wrong.push(format!("{line}\n    {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_another_program_changed_is_refuted() {
    let cx = &Inquiry::free();
    for line in include_str!("../../../tests/data/sympy_unequal.txt").lines() {
        let [_, left, right] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut scope = Scope::new();
        let verdict = equal(cx, scope.read(left), scope.read(right));
        assert!(verdict.is_no(), "{line}\n    {verdict}");
    }
}

/// Classes of errors of other computer algebra systems, by name.
mod known_bug_classes {
    use super::*;
    use crate::algebra::expr::Undefined;
    use crate::algebra::normal::simplify;

    fn simplified(facts: &[&str], text: &str) -> (String, Vec<String>) {
        under(facts, |cx, scope| {
            let e = scope.read(text);
            let (s, c) = conditions::collect(cx, |cx| simplify(cx, e).unwrap());
            (s.to_string(), c.iter().map(Expr::to_string).collect())
        })
    }

    #[test]
    fn root_of_a_square() {
        assert_eq!(simplified(&[], "sqrt(x^2)").0, "abs(x)");
        assert_eq!(simplified(&["x > 0"], "sqrt(x^2)").0, "x");
        assert_eq!(simplified(&["x < 0"], "sqrt(x^2)").0, "-x");
        assert_eq!(simplified(&[], "sqrt((x - 1)^2)").0, "abs(x - 1)");
        assert_eq!(simplified(&[], "(x^4)^(1/4)").0, "abs(x)");
    }

    #[test]
    fn root_of_a_product() {
        let cx = &Inquiry::free();
        // Both factors may be negative: √(ab) is defined where √a·√b is not.
        let e = Scope::new().read("sqrt(a*b)");
        assert_eq!(simplify(cx, e).unwrap(), e);
        assert!(under(&[], |cx, s| is_zero(cx, s.read("sqrt(a*b) - sqrt(abs(a))*sqrt(abs(b))"))).is_yes());
        assert!(under(&["a > 0", "b > 0"], |cx, s| is_zero(cx, s.read("sqrt(a*b) - sqrt(a)*sqrt(b)"))).is_yes());
    }

    #[test]
    fn x_over_x_at_zero() {
        let cx = &Inquiry::free();
        let mut scope = Scope::new();
        let (e, recorded) = conditions::collect(cx, |cx| simplify(cx, scope.read("x/x")));
        assert_eq!(e, Ok(Expr::one()));
        assert_eq!(recorded, vec![scope.read("x")]);
        assert_eq!(simplified(&[], "(x^2 - x)/x"), ("x - 1".into(), vec!["x".into()]));
        assert_eq!(simplified(&["x > 0"], "(x^2 - x)/x"), ("x - 1".into(), vec![]));
    }

    #[test]
    fn cancel_of_a_hidden_zero() {
        let cx = &Inquiry::free();
        let mut scope = Scope::new();
        let hidden = scope.read("(x + 1)^2 - x^2 - 2*x - 1");
        let quotient = hidden / hidden;
        assert_eq!(simplify(cx, quotient).unwrap().as_undefined(), Some(Undefined::DivisionByZero));
        assert!(is_zero(cx, quotient).is_unknown());
        let e = scope.read("y") / hidden;
        assert_eq!(simplify(cx, e).unwrap().as_undefined(), Some(Undefined::DivisionByZero));
        assert!(is_zero(cx, e).is_unknown());
    }

    #[test]
    fn zero_to_the_power_zero() {
        assert_eq!(Expr::zero().pow(0), Expr::one());
        assert_eq!(Expr::zero().pow(-1).as_undefined(), Some(Undefined::DivisionByZero));
        assert_eq!(simplified(&[], "(x - x)^0").0, "1");
    }

    #[test]
    fn branch_of_atan2() {
        assert!(under(&[], |cx, s| is_zero(cx, s.read("atan2(y, x) - atan(y/x)"))).is_no());
        assert!(under(&[], |cx, s| is_zero(cx, s.read("atan2(0, -1) - pi"))).is_yes());
        assert!(under(&[], |cx, s| is_zero(cx, s.read("atan2(-1, -1) + 3*pi/4"))).is_yes());
        assert!(under(&["x > 0"], |cx, s| is_zero(cx, s.read("atan2(y, x) - atan(y/x)"))).is_yes());
    }

    #[test]
    fn tangent_at_a_quarter_turn() {
        let e = Scope::new().read("tan(pi/2)");
        assert_eq!(e.as_undefined(), Some(Undefined::DivisionByZero));
        let (s, recorded) = simplified(&[], "tan(x)*cos(x)");
        assert_eq!((s.as_str(), recorded), ("sin(x)", vec!["cos(x)".to_owned()]));
    }

    #[test]
    fn inverse_functions_are_inverse_on_one_side_only() {
        assert!(under(&[], |cx, s| is_zero(cx, s.read("asin(sin(x)) - x"))).is_no());
        assert!(under(&[], |cx, s| is_zero(cx, s.read("sin(asin(x)) - x"))).is_yes());
        assert!(under(&[], |cx, s| is_zero(cx, s.read("log(x^2) - 2*log(x)"))).is_yes());
        assert_eq!(simplified(&[], "log(x^2) - log(abs(x))").0, "log(abs(x))");
    }

    /// sympy 12690, 14290: a fact must not make an answer worse or wrong.
    #[test]
    fn assumptions_only_sharpen() {
        for (text, facts) in [
            ("sqrt(x^2) - abs(x)", &["x > 0"][..]),
            ("abs(x*y) - abs(x)*abs(y)", &["x < 0"]),
            ("log(x*y) - log(abs(x)) - log(abs(y))", &["x > 0"]),
            ("sqrt(x^2*y) - abs(x)*sqrt(y)", &["x > 0", "y > 0"]),
        ] {
            assert!(under(&[], |cx, s| is_zero(cx, s.read(text))).is_yes(), "{text}");
            assert!(under(facts, |cx, s| is_zero(cx, s.read(text))).is_yes(), "{text} under {facts:?}");
        }
    }

    /// sympy 21395: `cancel` returned 0 for an expression that is not zero.
    #[test]
    fn a_sum_of_nested_roots_is_not_cancelled_away() {
        let cx = &Inquiry::free();
        let e = Scope::new().read("sqrt(2)*sqrt(sqrt(5) + 5) - sqrt(2*sqrt(5) + 10) + 1e-30");
        assert!(is_zero(cx, e).is_no());
        let e = Scope::new().read("sqrt(2)*sqrt(sqrt(5) + 5) - sqrt(2*sqrt(5) + 10)");
        assert!(!is_zero(cx, e).is_no());
    }
}

mod properties {
    use super::*;
    use crate::algebra::ball;
    use crate::algebra::function::Elementary;
    use crate::algebra::normal::{expand, simplify};
    use crate::algebra::number::Rational;
    use crate::algebra::symbol::Symbol;
    use proptest::prelude::*;
    use rustc_hash::FxHashMap;

    /// A tree that becomes an expression on the thread that tests it.
    #[derive(Clone, Debug)]
    enum Tree {
        Number(i64),
        Symbol(usize),
        Sum(Vec<Tree>),
        Product(Vec<Tree>),
        Power(Box<Tree>, i64, i64),
        Apply(Elementary, Box<Tree>),
    }

    fn tree(transcendental: bool) -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![(-3i64..4).prop_map(Tree::Number), (0usize..3).prop_map(Tree::Symbol)];
        leaf.prop_recursive(4, 24, 3, move |inner| {
            use Elementary::*;
            let exponents = if transcendental {
                vec![(2, 1), (-1, 1), (3, 1), (1, 2), (-1, 2)]
            } else {
                vec![(2, 1), (3, 1), (-1, 1)]
            };
            let functions =
                if transcendental { vec![Sin, Cos, Tan, Exp, Abs, Sinh, Atan, Log, Sign, Cosh] } else { vec![] };
            let sum = prop::collection::vec(inner.clone(), 2..4).prop_map(Tree::Sum);
            let product = prop::collection::vec(inner.clone(), 2..3).prop_map(Tree::Product);
            let power =
                (inner.clone(), prop::sample::select(exponents)).prop_map(|(b, (n, d))| Tree::Power(Box::new(b), n, d));
            if functions.is_empty() {
                prop_oneof![3 => sum, 3 => product, 2 => power].boxed()
            } else {
                let apply = (prop::sample::select(functions), inner).prop_map(|(f, a)| Tree::Apply(f, Box::new(a)));
                prop_oneof![3 => sum, 3 => product, 2 => power, 2 => apply].boxed()
            }
        })
    }

    fn build(tree: &Tree, symbols: &[Symbol]) -> Expr {
        match tree {
            Tree::Number(n) => Expr::number(*n),
            Tree::Symbol(i) => Expr::symbol(symbols[*i]),
            Tree::Sum(list) => Expr::add_all(list.iter().map(|t| build(t, symbols))),
            Tree::Product(list) => Expr::multiply_all(list.iter().map(|t| build(t, symbols))),
            Tree::Power(b, n, d) => build(b, symbols).pow(Rational::ratio(*n, *d)),
            Tree::Apply(f, a) => Expr::apply(*f, &[build(a, symbols)]),
        }
    }

    fn symbols() -> Vec<Symbol> {
        ["x", "y", "z"].iter().map(|n| Symbol::parameter(n)).collect()
    }

    fn points(symbols: &[Symbol]) -> Vec<FxHashMap<Symbol, Rational>> {
        [[2, 3, 5], [-1, 2, -7], [1, -4, 3], [-5, -2, -3]]
            .iter()
            .map(|p| symbols.iter().zip(p).map(|(s, n)| (*s, Rational::ratio(*n, 4))).collect())
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Wherever an expression has a value, its simplified form has the same: balls overlap.
        #[test]
        fn simplifying_keeps_values(t in tree(true)) {
            let cx = &Inquiry::free();
            let symbols = symbols();
            let e = build(&t, &symbols);
            let (Ok(s), _) = conditions::collect(cx, |cx| simplify(cx, e)) else { return Ok(()) };
            for point in points(&symbols) {
                let Ok(Some(before)) = ball::evaluate(cx, e, &point, 200) else { continue };
                if before.is_everything() {
                    continue;
                }
                let after = ball::evaluate(cx, s, &point, 200).unwrap();
                let Some(after) = after else {
                    return Err(TestCaseError::fail(format!("{e} has a value, {s} has none")));
                };
                let difference = before.sub(&after, 200);
                prop_assert!(difference.contains_zero(), "{} became {} at {:?}", e, s, point);
            }
        }

        /// A verdict agrees with the values.
        #[test]
        fn verdicts_agree_with_values(t in tree(true)) {
            let cx = &Inquiry::free();
            let symbols = symbols();
            let e = build(&t, &symbols);
            let (verdict, recorded) = conditions::collect(cx, |cx| is_zero(cx, e));
            if let Verdict::Yes(Ground::Proved(_)) = verdict {
                for point in points(&symbols) {
                    let inside = recorded.iter().all(|c| !matches!(ball::certified_sign(cx, *c, &point, 128), Ok(None | Some(0))));
                    if let (true, Ok(Some(value))) = (inside, ball::evaluate(cx, e, &point, 200)) {
                        prop_assert!(value.contains_zero(), "{} is not zero at {:?}", e, point);
                    }
                }
            }
        }

        /// Every rational function is decided, and its simplified and expanded forms are equal to it.
        #[test]
        fn rational_functions_are_decided(t in tree(false)) {
        let cx = &Inquiry::free();
            let e = build(&t, &symbols());
            prop_assume!(e.as_undefined().is_none());
            let (verdict, _) = conditions::collect(cx, |cx| is_zero(cx, e));
            prop_assert!(!verdict.is_unknown() || verdict.to_string().contains("no value"), "{}: {}", e, verdict);
            if let (Ok(s), _) = conditions::collect(cx, |cx| simplify(cx, e)) && s.as_undefined().is_none() {
                prop_assert!(equal(cx, e, s).is_yes(), "{} against {}", e, s);
            }
            if let Ok(x) = expand(cx, e) && x.as_undefined().is_none() && !verdict.is_unknown() {
                prop_assert!(equal(cx, e, x).is_yes(), "{} against {}", e, x);
            }
        }

        /// (a + b)(a − b) = a² − b², also when a and b are not polynomials.
        #[test]
        fn difference_of_squares(t in tree(true), u in tree(true)) {
            let cx = &Inquiry::free();
            let symbols = symbols();
            let (a, b) = (build(&t, &symbols), build(&u, &symbols));
            let e = (a + b) * (a - b) - a.pow(2) + b.pow(2);
            prop_assume!(e.as_undefined().is_none());
            let (verdict, _) = conditions::collect(cx, |cx| is_zero(cx, e));
            prop_assert!(!verdict.is_no(), "{}: {}", e, verdict);
        }
    }
}

/// Facts, an expression, and what its sign can be, by hand. Wherever zero is possible it occurs.
const SIGNS: [(&[&str], &str, Sign); 27] = [
    (&[], "x^2 + 1", Sign::POSITIVE),
    (&[], "x^2 - 2*x + 1", Sign::NONNEGATIVE),
    (&[], "x^2 + x*y + y^2", Sign::NONNEGATIVE),
    (&[], "x^2 + x*y + y^2 + 1", Sign::POSITIVE),
    (&[], "-x^4 - 2", Sign::NEGATIVE),
    (&[], "x^4 - x + 1", Sign::POSITIVE),
    (&[], "x^2*y^2", Sign::NONNEGATIVE),
    (&[], "x", Sign::ANY),
    (&[], "x*y", Sign::ANY),
    (&[], "x^3 - 3*x + 5", Sign::ANY),
    (&[], "2 + sin(x)", Sign::POSITIVE),
    (&[], "1 - sin(x)^2", Sign::NONNEGATIVE),
    (&[], "cosh(x) + x^2", Sign::POSITIVE),
    (&[], "exp(x) + x^2", Sign::POSITIVE),
    (&[], "1 + abs(x)", Sign::POSITIVE),
    (&[], "-2 - abs(x)*x^2", Sign::NEGATIVE),
    (&["m > 0"], "m*x^2 + 1", Sign::POSITIVE),
    (&["m > 0", "k > 0"], "m + k*sin(x)^2", Sign::POSITIVE),
    (&["m > k", "k > 0"], "m", Sign::POSITIVE),
    (&["m > k", "k > 0"], "m - k*cos(x)^2", Sign::POSITIVE),
    (&["x^2 + y^2 < c^2"], "c^2 - x^2", Sign::POSITIVE),
    (&["x^2 + y^2 < c^2"], "y^2 + x^2 - c^2", Sign::NEGATIVE),
    (&["x > 3"], "x - 2", Sign::POSITIVE),
    (&["x > 3"], "x^2 - 9", Sign::POSITIVE),
    (&["x > 0", "x < pi"], "sin(x)", Sign::POSITIVE),
    (&["2*x > -pi", "2*x < pi"], "y^2 + cos(x)", Sign::POSITIVE),
    (&["x > 1"], "log(x)", Sign::POSITIVE),
];

/// Everyone who needs a sign is asked about every row: the rules for shapes, the engine, semidefinite polynomials, zeros, conditions,
/// definite matrices, and whether the set of zeros is empty. None contradicts the sign; all but the last, which looks for points, decide it.
#[test]
fn all_who_know_signs_agree() {
    use crate::algebra::assume::sign_of;
    use crate::algebra::expr::{Condition, Relation};
    use crate::algebra::linear::Matrix;
    use crate::algebra::stratum::{Branch, Frame, is_empty_set};
    for (facts, text, expected) in SIGNS {
        let mut scope = Scope::new();
        scope.parameters("m k c");
        facts.iter().for_each(|fact| scope.assume(fact));
        let e = scope.read(text);
        let cx = &scope.cx();
        let told = format!("{text} where {facts:?}");
        assert_eq!(super::sign(cx, e), expected, "the engine: {told}");
        let shape = sign_of(cx, e);
        assert_eq!(shape.and(expected), expected, "shape excludes what can be: {told}");
        let strict = expected.is_positive() || expected.is_negative();
        assert_eq!(super::is_nonzero_everywhere(cx, e).is_yes(), strict, "zeros: {told}");
        let positive = Condition { relation: Relation::Greater, left: e }.decided(cx);
        let known = if expected.is_positive() { Some(true) } else { expected.is_nonpositive().then_some(false) };
        assert_eq!(positive, known, "a condition: {told}");
        let definite = Matrix::from_rows(vec![vec![e]]).definite_sign(cx).expect("no limit");
        let kind = strict.then(|| if expected.is_positive() { 1 } else { -1 });
        assert_eq!(definite, kind, "a matrix: {told}");
        let coordinates: Vec<_> = e.symbols().into_iter().filter(|s| !s.is_parameter()).collect();
        let frame = Frame::new(cx, &coordinates, &[e]).expect("no limit");
        let (p, _) = frame.read(cx, e).expect("no limit").expect("a value");
        let one_sided = expected.is_nonnegative() || expected.is_nonpositive();
        match super::semidefinite(cx, &p).expect("no limit") {
            Some(found) => {
                assert!(one_sided, "semidefinite: {told}");
                assert_eq!(found.is_negative, expected.is_nonpositive(), "semidefinite: {told}");
                assert_eq!(found.has_no_zero(), strict, "semidefinite: {told}");
            }
            None => assert!(!one_sided, "not seen to be semidefinite: {told}"),
        }
        let zeros = Branch { equations: vec![e], nonzero: vec![] };
        let empty = is_empty_set(cx, &coordinates, &[zeros]).expect("no limit");
        assert!(if strict { !empty.is_no() } else { !empty.is_yes() }, "the set of zeros: {told}, {empty:?}");
    }
}
