use super::*;
use crate::algebra::Inquiry;
use crate::algebra::assume::Facts;
use crate::algebra::conditions;
use crate::algebra::expr::symbols_of;
use crate::algebra::testing::Scope;
use crate::budget::{Budget, Exhausted, Share};

/// Whether the text is proved zero by its normal form.
fn vanishes(cx: &Inquiry, text: &str) -> bool {
    let e = Scope::new().read(text);
    normal_form(cx, e).unwrap().is_zero()
}

fn simplified(cx: &Inquiry, text: &str) -> String {
    let e = Scope::new().read(text);
    simplify(cx, e).unwrap().to_string()
}

#[test]
fn rational_identities() {
    let cx = &Inquiry::free();
    for text in [
        "(x + y)^2 - x^2 - 2*x*y - y^2",
        "1/(x - 1) - 1/(x + 1) - 2/(x^2 - 1)",
        "x/(x*y) - 1/y",
        "(x^3 - y^3)/(x - y) - x^2 - x*y - y^2",
        "(a + b + c)^5 - (a + b + c)^4*(a + b) - c*(a + b + c)^4",
        "1/(1 + 1/(1 + 1/x)) - (x + 1)/(2*x + 1)",
    ] {
        assert!(vanishes(cx, text), "{text}");
    }
    for text in ["(x + y)^2 - x^2 - y^2", "1/(x - 1) - 1/(x + 1) - 1/(x^2 - 1)"] {
        assert!(!vanishes(cx, text), "{text}");
    }
}

/// Whoever has little to spend does not decide for those who have more. What may be spent grows in small steps, so that the reading
/// stops at many places.
#[test]
fn what_was_stopped_is_read_by_who_may_spend_more() {
    let (facts, e) = (Facts::default(), Scope::new().read("(x + y + z + 1)^8 + (x - 2*y + 3*z)^8"));
    let with = |work: u64| normal_form(&Inquiry::new(facts.clone(), Budget::new(Share::of(work))), e);
    let stopped = (0..100).filter(|k| matches!(with(20 * k), Err(Exhausted::Work))).count();
    assert!(stopped > 20, "{stopped} of 100 were stopped");
    assert!(with(1_000_000).is_ok());
}

#[test]
fn trigonometric_identities() {
    let cx = &Inquiry::free();
    for text in [
        "sin(x)^2 + cos(x)^2 - 1",
        "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)",
        "sin(2*x) - 2*sin(x)*cos(x)",
        "cos(x) - 1 + 2*sin(x/2)^2",
        "sin(x) - 2*sin(x/2)*cos(x/2)",
        "sin(3*x) - 3*sin(x) + 4*sin(x)^3",
        "tan(x + y) - (tan(x) + tan(y))/(1 - tan(x)*tan(y))",
        "sin(x + pi/2) - cos(x)",
        "sin(x + pi) + sin(x)",
        "cos(x + pi/3) - cos(x)/2 + sqrt(3)/2*sin(x)",
        "sin(x/2)^2*4*cos(x/2)^2 - sin(x)^2",
        "cos(x/3)*4*cos(x/3)^2 - 3*cos(x/3) - cos(x)",
        "sin(asin(x)) - x",
        "cos(asin(x)) - sqrt(1 - x^2)",
        "sin(2*asin(x)) - 2*x*sqrt(1 - x^2)",
        "cos(atan(x))^2 - 1/(1 + x^2)",
        "sin(omega*t + phi) - sin(omega*t)*cos(phi) - cos(omega*t)*sin(phi)",
        "1/(1 + tan(x)^2) - cos(x)^2",
        "sin(x)/(1 - cos(x)) - (1 + cos(x))/sin(x)",
        "sin(x/(y + 1) + 1/(y + 1)) - sin((x + 1)/(y + 1))",
        "sin(x - y) + sin(y - x)",
        "sin(sin(x)^2 + cos(x)^2) - sin(1)",
    ] {
        assert!(vanishes(cx, text), "{text}");
    }
}

#[test]
fn exponential_hyperbolic_and_logarithmic_identities() {
    let cx = &Inquiry::free();
    for text in [
        "exp(x + y) - exp(x)*exp(y)",
        "exp(x)^2 - exp(2*x)",
        "exp(x/2)^2 - exp(x)",
        "exp(-x)*exp(x) - 1",
        "cosh(x)^2 - sinh(x)^2 - 1",
        "sinh(2*x) - 2*sinh(x)*cosh(x)",
        "cosh(x) + sinh(x) - exp(x)",
        "tanh(x) - (exp(2*x) - 1)/(exp(2*x) + 1)",
        "log(x*y) - log(x) - log(y)",
        "log(x^2) - 2*log(abs(x))",
        "log(6) - log(2) - log(3)",
        "exp(2*log(x)) - x^2",
        "exp(log(x)/2) - sqrt(x)",
        "log(exp(x)*y) - x - log(y)",
        "2^(x + 1) - 2*2^x",
        "x^(n + 1) - x*x^n",
        "log(sqrt(x)) - log(x)/2",
        "log(x^n) - n*log(x)",
    ] {
        assert!(vanishes(cx, text), "{text}");
    }
}

#[test]
fn roots_and_absolute_values() {
    let cx = &Inquiry::free();
    for text in [
        "sqrt(x)^2 - x",
        "sqrt(2)*sqrt(3) - sqrt(6)",
        "1/(1 + sqrt(2)) - sqrt(2) + 1",
        "sqrt(x^2 + 2*x + 1)^2 - (x + 1)^2",
        "sqrt((x + 1)^2) - abs(x + 1)",
        "sqrt(x^2 + 2*x + 1) - abs(x + 1)",
        "sqrt(1 - sin(x)^2) - abs(cos(x))",
        "sqrt(x)*sqrt(y) - sqrt(x*y)",
        "abs(x)^2 - x^2",
        "abs(x*y) - abs(x)*abs(y)",
        "abs(x^2 + 1) - x^2 - 1",
        "1/abs(x) - abs(x)/x^2",
        "x^(1/2)*x^(1/3) - x^(5/6)",
        "(x^(1/2) + x^(1/3))^2 - x - 2*x^(5/6) - x^(2/3)",
        "sqrt(1 - v^2/c^2) - sqrt(c^2 - v^2)/abs(c)",
        "1/sqrt(x) - sqrt(x)/x",
        "(sqrt(x + 1) - sqrt(x))*(sqrt(x + 1) + sqrt(x)) - 1",
        "sqrt(x/y) - sqrt(x*y)/abs(y)",
        "sign(x)*x - abs(x)",
        "sqrt(5 + 2*sqrt(6))^2 - 5 - 2*sqrt(6)",
    ] {
        assert!(vanishes(cx, text), "{text}");
    }
    for text in ["sqrt(x^2) - x", "abs(x) - x", "sqrt(x*y) - x*y"] {
        assert!(!vanishes(cx, text), "{text}");
    }
}

#[test]
fn unknown_functions_have_canonical_arguments() {
    let cx = &Inquiry::free();
    assert!(vanishes(cx, "V((x - 1)*(x + 1)) - V(x^2 - 1)"));
    assert!(vanishes(cx, "V'(sin(x)^2 + cos(x)^2) - V'(1)"));
    assert!(!vanishes(cx, "V(x) - V'(x)"));
    assert!(vanishes(cx, "integral(u, V(u*x)) - integral(v, V(x*v))"));
    assert!(vanishes(cx, "min(x^2 - 1, y) - min(y, (x - 1)*(x + 1))"));
}

#[test]
fn a_product_of_many_sums_is_answered_from_its_factors() {
    let cx = &Inquiry::free();
    let mut text = String::from("1");
    for i in 0..12 {
        let sum: Vec<String> = (0..10).map(|j| format!("x{i}_{j}")).collect();
        text += &format!("*({})", sum.join(" + "));
    }
    assert!(vanishes(cx, &format!("(x^2 - y^2)*{text} - (x + y)*(x - y)*{text}")));
    assert!(!vanishes(cx, &text));
    // One more summand and it has to be expanded: that stops.
    let e = Scope::new().read(&format!("{text} + 1"));
    assert_eq!(normal_form(cx, e).unwrap_err(), Exhausted::Size);
}

#[test]
fn a_hidden_zero_below_is_a_division_by_zero() {
    let cx = &Inquiry::free();
    let e = Scope::new().read("1/(sin(x)^2 + cos(x)^2 - 1)");
    assert_eq!(normal_form(cx, e).unwrap().as_undefined(), Some(Undefined::DivisionByZero));
}

#[test]
fn cancelled_denominators_are_recorded() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let e = scope.read("(x^2 - 1)/(x - 1)");
    let (s, conditions) = conditions::collect(cx, |cx| simplify(cx, e).unwrap());
    assert_eq!(s, scope.read("x + 1"));
    assert_eq!(conditions, vec![scope.read("x - 1")]);
}

#[test]
fn simplified_text() {
    let cx = &Inquiry::free();
    for (from, to) in [
        ("(x^2 - y^2)/(x - y)", "x + y"),
        ("sin(x)^2*m + cos(x)^2*m", "m"),
        ("1 - sin(x)^2", "cos(x)^2"),
        ("x/sqrt(x)", "sqrt(x)"),
        ("x/abs(x)", "sign(x)"),
        ("1/abs(x)", "1/abs(x)"),
        ("1/sqrt(x^2 + y^2)", "1/sqrt(x^2 + y^2)"),
        ("log(x)", "log(x)"),
        ("cosh(x)^2 - sinh(x)^2", "1"),
        ("exp(x)*exp(y)", "exp(x + y)"),
        ("m*x + m*y", "m*(x + y)"),
    ] {
        assert_eq!(simplified(cx, from), to, "{from}");
    }
}

#[test]
fn expanding_multiplies_out_and_uses_no_relation() {
    let cx = &Inquiry::free();
    for (from, to) in [
        ("(x + y)^2", "x^2 + 2*x*y + y^2"),
        ("(x + y)*(x - y)", "x^2 - y^2"),
        ("(sin(x) + 1)^2", "sin(x)^2 + 2*sin(x) + 1"),
        ("sin((x + 1)*y)", "sin(x*y + y)"),
        ("(x + 1)/y", "x/y + 1/y"),
        ("x*(y + z)/(a + b)", "x*y/(a + b) + x*z/(a + b)"),
        ("(2*x + 1)^3", "8*x^3 + 12*x^2 + 6*x + 1"),
        ("sqrt(x)*(sqrt(x) + 1)", "x + sqrt(x)"),
        ("m*(x'^2 + y'^2)/2", "m*x'^2/2 + m*y'^2/2"),
    ] {
        let mut scope = Scope::new();
        let (from, to) = (scope.read(from), scope.read(to));
        assert_eq!(expand(cx, from).unwrap().to_string(), to.to_string());
    }
}

#[test]
fn collecting_orders_by_powers() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let x = scope.symbol("x");
    let e = scope.read("a*x^2 + b*x + (x + 1)^2");
    assert_eq!(collect(cx, e, &[x.into()]).unwrap().to_string(), scope.read("x^2*(a + 1) + x*(b + 2) + 1").to_string());
    let e = scope.read("(a*x + b*x)/(a + b) + c");
    assert_eq!(collect(cx, e, &[x.into()]).unwrap(), scope.read("x + c"));
}

#[test]
fn only_symbols_that_matter_are_left() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    for (text, expected) in [
        ("(x + y)^2 - x^2 - 2*x*y", "y"),
        ("x'*(sin(t)^2 + cos(t)^2)", "x'"),
        ("x''*(a - a) + x'", "x'"),
        ("sin(x)*cos(y) - sin(x + y) + cos(x)*sin(y) + z", "z"),
        ("V(x)*y/y", "x"),
    ] {
        let e = scope.read(text);
        let expected = vec![scope.symbol(expected)];
        assert_eq!(symbols_of(&[simplify(cx, e).unwrap()]), expected, "{text}");
    }
}

#[test]
fn numerator_and_denominator() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let e = scope.read("x/(y*2) + 1/y^2");
    assert_eq!(numerator(cx, e).unwrap(), scope.read("x*y + 2"));
    assert_eq!(denominator(cx, e).unwrap(), scope.read("2*y^2"));
}

/// Texts a mechanician would write. Parameters are m, m1, m2, k, l, r, g; the rest are coordinates.
#[test]
fn tidy_texts() {
    let cx = &Inquiry::free();
    for (from, to) in [
        ("l1*sin(a)*sin(b)*b'' + l1*cos(a)*cos(b)*b'' + sin(a)", "l1*cos(a - b)*b'' + sin(a)"),
        ("m1*l*a'' + m2*l*a'' + m2*r*cos(a)*b''", "(m1 + m2)*l*a'' + m2*r*cos(a)*b''"),
        ("(m*q^3*p'^2 + m*q*q'^2 - 2*k)/(2*q)", "m*(q'^2 + q^2*p'^2)/2 - k/q"),
        ("m1 + m2 - m2*(sin(a)*sin(b) + cos(a)*cos(b))^2", "m1 + m2*sin(a - b)^2"),
        ("sin(a)*cos(b) - cos(a)*sin(b) + sin(b)", "sin(a - b) + sin(b)"),
        ("-m*x - m*y", "-m*(x + y)"),
        ("sin(a)^2*cos(b)^2 + cos(a)^2*cos(b)^2", "cos(b)^2"),
        ("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)"),
    ] {
        let mut scope = Scope::new();
        scope.parameters("m m1 m2 k l l1 r g");
        let (e, expected) = (scope.read(from), scope.read(to));
        assert_eq!(simplify(cx, e).unwrap().to_string(), expected.to_string(), "{from}");
    }
}

#[test]
fn simplifying_twice_changes_nothing() {
    let cx = &Inquiry::free();
    for text in [
        "(x + 1)^2*(x - 1)/(x^2 - 1)",
        "a*sin(x)*cos(y) - a*cos(x)*sin(y) + b*x + c*x",
        "x/sqrt(x^2 + y^2) + y^2/(x^2 + y^2)^(3/2)",
        "exp(x)*exp(y)*(x^2 + 2*x*y + y^2)",
    ] {
        let once = simplify(cx, Scope::new().read(text)).unwrap();
        assert_eq!(simplify(cx, once).unwrap(), once, "{text}");
    }
}
