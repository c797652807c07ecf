use super::*;
use crate::algebra::assume::Sign;
use crate::algebra::function::Elementary;
use crate::algebra::normal::arrange;
use crate::algebra::{Coordinate, Inquiry};

fn param(name: &str) -> Expr {
    Expr::symbol(Symbol::parameter(name))
}

fn sin(x: Expr) -> Expr {
    Expr::apply(Elementary::Sin, &[x])
}

fn cos(x: Expr) -> Expr {
    Expr::apply(Elementary::Cos, &[x])
}

fn check(e: Expr, expected: &str) {
    assert_eq!(text(e), expected);
}

#[test]
fn a_mechanician_would_write_it_so() {
    let (m, g, l) = (param("m"), param("g"), param("l"));
    let theta = Coordinate::declare("theta", true);
    let x = Coordinate::declare("x", false);
    let q = |c: Coordinate, k| Expr::symbol(c.jet(k));
    check(m * q(x, 1).pow(2) / 2, "m*x'^2/2");
    check(-(m * g * l * sin(q(theta, 0))), "-m*g*l*sin(theta)");
    check(m * g * l * sin(q(theta, 0)) + m * l.pow(2) * q(theta, 2), "m*l^2*theta'' + m*g*l*sin(theta)");
    check(q(theta, 0) - q(x, 4), "-jet(x, 4) + theta");
    check(q(x, 1) - l * cos(q(theta, 0)) * q(theta, 1), "x' - l*cos(theta)*theta'");
    check(1 - q(x, 0).pow(2), "1 - x^2");
    check((m + l) * g * q(x, 0), "(m + l)*g*x");
    check(m * (q(x, 1).pow(2) + q(theta, 1).pow(2)) / 2, "m*(theta'^2 + x'^2)/2");
    check((q(x, 0) + 1) / 2, "(x + 1)/2");
    check(1 / (2 * m), "1/(2*m)");
    check(Expr::ratio(3, 4) * m, "3*m/4");
    check(Expr::ratio(981, 100) * m, "9.81*m");
    check(Expr::ratio(2, 5) * m * l.pow(2), "2*m*l^2/5");
    check(2 * (m + l) + g, "g + 2*(m + l)");
    check(m + (l + g) - (l - g), "m + 2*g");
    check(-(m + l), "-m - l");
    check((-q(x, 0)).sqrt(), "sqrt(-x)");
    check(m.pow(Rational::ratio(-3, 2)), "1/m^(3/2)");
    check((m + l).pow(2).pow(Rational::HALF), "abs(m + l)");
    check(Expr::number(2).power(q(x, 0)), "2^x");
    check(q(x, 0).power(-m), "x^(-m)");
}

/// A sum inside a sum is shown opened, and what is left of it may be no sum any more.
#[test]
fn a_sum_that_cancels_to_one_term_keeps_its_place_below_the_bar() {
    let (g, l) = (param("g"), param("l"));
    check(sin(g) / ((l + g) - (l - g)), "sin(g)/(2*g)");
    check(sin(g) / ((l + Expr::ratio(1, 3)) - l), "sin(g)/(1/3)");
    check(sin(g) / ((l + g / 2) - l), "sin(g)/(g/2)");
    check(sin(g) / ((l - g) - l), "sin(g)/(-g)");
    check(((l - g) - l).pow(2), "(-g)^2");
}

#[test]
fn surds_under_one_root() {
    let (k, m) = (param("k"), param("m"));
    check(Expr::number(6).sqrt(), "sqrt(6)");
    check(Expr::number(3).sqrt() * k / 2, "sqrt(3)*k/2");
    check(Expr::number(18).pow(Rational::ratio(1, 3)), "18^(1/3)");
    check(k.sqrt() * m.sqrt(), "sqrt(k)*sqrt(m)");
    let cx = &Inquiry::free().assuming([(k, Sign::POSITIVE), (m, Sign::POSITIVE)]).expect("possible");
    let simple = |e: Expr| arrange(cx, e).expect("small");
    check(simple((k / m).sqrt()), "sqrt(k/m)");
    check(simple((k / (2 * m)).sqrt()), "sqrt(k/(2*m))");
    check(simple(1 / (k * m).sqrt()), "1/sqrt(k*m)");
}

#[test]
fn unspecified_functions_and_their_derivatives() {
    let (x, y) = (param("x"), param("y"));
    let v = Function::declare("V", 1);
    let w = Function::declare("W", 2);
    check(Expr::unknown(v, &[1], &[x]), "V'(x)");
    check(Expr::unknown(w, &[0, 0], &[x, y]), "W(x, y)");
    check(Expr::unknown(w, &[2, 1], &[x, y]), "D(W(x, y), x, x, y)");
    check(Expr::unknown(w, &[1, 1], &[x.pow(2), x]), "D(W, 1, 2)(x^2, x)");
    assert_eq!(
        latex(Expr::unknown(w, &[2, 1], &[x, y])),
        r"\frac{\partial^{3} W}{\partial x^{2} \partial y}\left(x, y\right)"
    );
}

#[test]
fn what_is_shown_does_not_depend_on_age() {
    // The same two expressions, made in two orders.
    let (a, b, c) = (Symbol::parameter("a"), Symbol::parameter("b"), Symbol::parameter("c"));
    let one = {
        let (a, b, c) = (Expr::symbol(a), Expr::symbol(b), Expr::symbol(c));
        sin(a - b) * (c + a.pow(2))
    };
    let (d, e, f) = (Symbol::parameter("a"), Symbol::parameter("b"), Symbol::parameter("c"));
    let two = {
        let (f, e, d) = (Expr::symbol(f), Expr::symbol(e), Expr::symbol(d));
        -(sin(e - d) * (d.pow(2) + f))
    };
    assert_eq!(text(one), text(two));
    assert_eq!(text(one), "sin(a - b)*(a^2 + c)");
}

#[test]
fn latex_of_mechanics() {
    let (m, l) = (param("m"), param("l1"));
    let theta = Coordinate::declare("theta1", true);
    let q = |k| Expr::symbol(theta.jet(k));
    assert_eq!(
        latex(m * l.pow(2) * q(1).pow(2) / 2 - cos(q(0)).pow(2)),
        r"\frac{m l_{1}^{2} \dot{\theta}_{1}^{2}}{2} - \cos^{2}\left(\theta_{1}\right)"
    );
    assert_eq!(latex((m + l) / (2 * l)), r"\frac{m + l_{1}}{2 l_{1}}");
    let apply = |f: Elementary| latex(Expr::apply(f, &[m]));
    assert_eq!(apply(Elementary::Cbrt), r"\sqrt[3]{m}");
    assert_eq!(apply(Elementary::Abs), r"\left|m\right|");
    assert_eq!(apply(Elementary::Exp), r"e^{m}");
    assert!(apply(Elementary::Asinh).starts_with(r"\operatorname{arsinh}"));
    assert_eq!(latex(q(4).pow(2)), r"\left(\theta^{(4)}_{1}\right)^{2}");
    assert_eq!(unicode(l * q(2)), "l1*θ1''");
}

#[test]
fn long_texts_are_cut_with_their_brackets_closed() {
    let x = param("x");
    let deep = (0..100_000).fold(x, |e, _| sin(e) + 1);
    let printed = Style::ASCII.with_limit(20).print(deep);
    assert!(!printed.complete);
    assert!(printed.text.starts_with("sin(sin(sin(sin(sin("), "{}", printed.text);
    assert_eq!(printed.text.matches('(').count(), printed.text.matches(')').count());
    // Exponentially many terms behind few nodes.
    let wide = (0..200).fold(x, |e, _| sin(e) * cos(e));
    assert!(!Style::ASCII.with_limit(1000).print(wide).complete);
    let doubled = (0..200).fold(x, |e, _| e + (e + 1));
    assert!(Style::ASCII.print(doubled).complete);
}

#[test]
fn combinations_of_basis_forms() {
    let (k, m, x) = (param("k"), param("m"), param("x"));
    let terms = [(x + k, "dt".to_string()), (-(k * x / m), "dx /\\ dt".into()), (Expr::number(-1), "dy".into())];
    assert_eq!(Style::ASCII.combination(&terms), "(k + x)*dt - (k*x/m)*dx /\\ dt - dy");
    assert_eq!(Style::ASCII.combination(&[]), "0");
}

#[test]
fn integrals_and_cases() {
    let u = Symbol::bound("u");
    let free = param("u");
    let e = Expr::integral(u, Expr::symbol(u).pow(2) * free);
    check(e, "integral(u1 in 0..1, u*u1^2)");
    let x = param("x");
    let condition = Condition { relation: crate::algebra::expr::Relation::GreaterEqual, left: x };
    check(Expr::piecewise(condition, x, Expr::zero()), "piecewise(x >= 0, x, 0)");
}
