//! Where an inverse lives: on the image of what is assumed about the source, and nowhere else. Every rule of the inverter has
//! its row, with the conditions that one finds by hand; numbers are carried there and back.

use super::*;
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::ball::certified_sign;
use crate::algebra::expr::Condition;
use crate::algebra::substitute::substitute;
use crate::algebra::testing::Scope;

/// What is assumed about u, a map x = f(u), and where its inverse lives.
const MAPS: &[(&str, &str, &[&str])] = &[
    ("", "exp(u)", &["x > 0"]),
    ("", "2 - exp(3*u)", &["x < 2"]),
    ("", "log(u)", &[]),
    ("", "sqrt(u)", &["x >= 0"]),
    ("", "1/sqrt(1 - u)", &["x > 0"]),
    ("", "1/u", &["x != 0"]),
    ("", "1/(1 + exp(-u))", &["x > 0", "x < 1"]),
    ("", "tanh(u)", &["x > -1", "x < 1"]),
    ("", "atanh(u)", &[]),
    ("", "atan(u)", &["x > -pi/2", "x < pi/2"]),
    ("", "asin(u)", &["x >= -pi/2", "x <= pi/2"]),
    ("", "acos(u)", &["x >= 0", "x <= pi"]),
    ("", "sinh(u) + 1", &[]),
    ("u > 0", "exp(u)", &["x > 1"]),
    ("u > 0", "u^2", &["x > 0"]),
    ("u >= 0", "u^2 - 1", &["x >= -1"]),
    ("u < 0", "u^2", &["x > 0"]),
    ("u < 0", "u^3", &["x < 0"]),
    ("u < 0", "-u^4", &["x < 0"]),
    ("u > 1", "u^2", &["x > 1"]),
    ("u > 0", "cosh(u)", &["x > 1"]),
    ("u <= 0", "cosh(u)", &["x >= 1"]),
    ("u > 0", "log(u)", &[]),
    ("u > 0", "1/u", &["x > 0"]),
    ("u > 0, u < pi/2", "sin(u)", &["x > 0", "x < 1"]),
    ("u > 0, u < pi", "cos(u)", &["x > -1", "x < 1"]),
    ("u > -pi/2, u < pi/2", "tan(u)", &[]),
    ("u > 2", "3*u", &["x > 6"]),
    ("u > 0", "abs(u)", &["x > 0"]),
    ("u <= 0", "abs(u) + 1", &["x >= 1"]),
    ("", "exp(u) + 2*exp(u) - 1", &["x > -1"]),
    ("", "asin(exp(u))", &["x <= pi/2", "sin(x) > 0", "x >= -pi/2"]),
];

/// A map of one coordinate to one other.
struct Line {
    map: Map,
    u: Symbol,
    x: Symbol,
}

impl Line {
    /// The map of a row, and an inquiry under its facts.
    fn new(facts: &str, function: &str) -> (Line, Inquiry) {
        let mut scope = Scope::new();
        let t = Symbol::base("t");
        let (new, old) = (Coordinate::declare("x", false), Coordinate::declare("u", false));
        let (target, source) = (FiberedManifold::new("Y", t, &[new]), FiberedManifold::new("P", t, &[old]));
        let (u, x) = (old.jet(0), new.jet(0));
        // The reader has coordinates of its own.
        let own = FxHashMap::from_iter([(scope.symbol("u"), Expr::symbol(u))]);
        let mut cx = Inquiry::free();
        for fact in facts.split(", ").filter(|f| !f.is_empty()) {
            let fact = scope.comparison(fact);
            cx = cx.assuming([(substitute(fact.left, &own), fact.sign())]).expect("possible");
        }
        let image = substitute(scope.read(function), &own);
        (Line { map: Map::new(&source.jets(0), &target.jets(0), [(x, image)]).unwrap(), u, x }, cx)
    }

    fn image(&self, cx: &Inquiry) -> Expr {
        self.map.image_of(cx, self.x).unwrap()
    }

    /// The sign of a function of x, or of u, where u is this number; `None` where it has no value or is not known.
    fn sign(&self, cx: &Inquiry, e: Expr, u: &Rational) -> Option<i32> {
        let e = substitute(e, &FxHashMap::from_iter([(self.x, self.image(cx))]));
        let e = substitute(e, &FxHashMap::from_iter([(self.u, Expr::number(u.clone()))]));
        if e.as_undefined().is_some() {
            None
        } else {
            certified_sign(cx, e, &FxHashMap::default(), 128).unwrap_or(None)
        }
    }
}

fn allows(sign: Sign, n: i32) -> bool {
    match n {
        0 => sign.can_be_zero,
        n if n < 0 => sign.can_be_negative,
        _ => sign.can_be_positive,
    }
}

fn written(c: &Condition) -> String {
    let (left, relation, right) = c.sides();
    format!("{left} {} {right}", relation.text())
}

#[test]
fn an_inverse_lives_on_the_image() {
    for (facts, function, expected) in MAPS {
        let (line, cx) = &Line::new(facts, function);
        let inverse = line.map.inverse(cx).unwrap_or_else(|why| panic!("{function} where {facts}: {why:?}"));
        let mut found: Vec<String> = inverse.conditions.iter().map(written).collect();
        found.sort();
        let mut expected: Vec<String> = expected.iter().map(|c| c.to_string()).collect();
        expected.sort();
        assert_eq!(found, expected, "{function} where {facts}");
        // Points of the source where the facts hold and the map has a value.
        let assumed: Vec<(Expr, Sign)> = cx.facts().iter().filter(|(e, _)| e.contains(line.u)).collect();
        let back = inverse.map.image_of(cx, line.u).unwrap() - Expr::symbol(line.u);
        let (mut seen, mut random) = (0, Random(7));
        for _ in 0..200 {
            let u = &random.rational() / &Rational::from(3);
            let inside = assumed.iter().all(|(e, s)| line.sign(cx, *e, &u).is_some_and(|n| allows(*s, n)));
            if !inside || line.sign(cx, line.image(cx) + 1000, &u).is_none() {
                continue;
            }
            seen += 1;
            for c in &inverse.conditions {
                let holds = line.sign(cx, c.left, &u).is_none_or(|n| allows(c.sign(), n));
                assert!(holds, "{} for {function} at {u}", written(c));
            }
            // |u − f⁻¹(f(u))| < 1/1000.
            let small = Expr::ratio(1, 1000);
            let near = [small - back, small + back].into_iter().all(|e| line.sign(cx, e, &u).is_none_or(|n| n > 0));
            assert!(near, "{function} at {u}");
        }
        assert!(seen > 10, "{function} where {facts}: {seen} points");
    }
}

/// Facts about the target that exclude the image leave nothing to invert.
#[test]
fn an_image_outside_of_what_is_assumed_is_refused() {
    for (facts, function, of_target) in
        [("", "exp(u)", Sign::NEGATIVE), ("u > 0", "-u^2", Sign::POSITIVE), ("", "-sqrt(u) - 1", Sign::NONNEGATIVE)]
    {
        let (line, cx) = Line::new(facts, function);
        let cx = &cx.assuming([(Expr::symbol(line.x), of_target)]).expect("possible");
        assert!(matches!(line.map.inverse(cx), Err(crate::geometry::Refusal::NotInvertible { .. })), "{function}");
    }
}
