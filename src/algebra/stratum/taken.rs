//! Whether the values that a sample gives to functions are taken. To the polynomials atan x, log 2 and π are unknowns like others:
//! atan x = 2, log(1 + x²) = −1, eˣ = 2 with sin x = 0, and π = 5 satisfy every relation between generators, and no x does.
//!
//! - A number that is no algebraic one has its own value, and no other: an equation with such numbers in it needs a coordinate of its own, of
//!   which it has a zero, by a change of sign.
//! - A value of f(u) lies in the range of f, which is all of it where u takes every value; otherwise f(u) − value changes its sign along
//!   a coordinate, or is exactly 0 at one of a few places.
//! - Values of several functions of the same coordinate have to be taken at one place.
//!
//! What cannot be shown counts as not taken; then the point is no witness.

use super::super::ball::certified_sign;
use super::super::derive::partial;
use super::super::expr::{Expr, Node, post_order};
use super::super::function::Smoothness;
use super::super::generator::{Generator, Kind};
use super::super::normal::write::polynomial_expr;
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::count_real_roots;
use super::super::symbol::Symbol;
use super::coupling::fixed;
use super::sample::{SamplePoint, is_allowed};
use crate::algebra::Inquiry;
use crate::algebra::decide;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// Places at which a coordinate is looked at, in order.
const PLACES: [(i64, i64); 17] = [
    (-1_000_000, 1),
    (-100, 1),
    (-20, 1),
    (-5, 1),
    (-2, 1),
    (-1, 1),
    (-1, 2),
    (-1, 10),
    (0, 1),
    (1, 10),
    (1, 2),
    (1, 1),
    (2, 1),
    (5, 1),
    (20, 1),
    (100, 1),
    (1_000_000, 1),
];

/// Bits with which a sign is looked for.
const BITS: u32 = 256;

type Place = FxHashMap<Symbol, Rational>;

/// Whether a point at which all polynomials have the right values is one of the real set: whether its values of functions and of
/// numbers such as π are taken.
pub(super) fn are_taken(
    cx: &Inquiry,
    equations: &[Polynomial],
    avoid: &[Polynomial],
    point: &SamplePoint,
) -> Budgeted<bool> {
    let functions: Vec<(u32, &Rational)> =
        point.values.iter().filter(|(v, _)| is_function(*v)).map(|(v, x)| (*v, x)).collect();
    if functions.is_empty() {
        return Ok(true);
    }
    let (numbers, functions): (Vec<_>, Vec<_>) = functions.into_iter().partition(|(v, _)| is_number(*v));
    let question = Question { equations, avoid, point };
    if !numbers.is_empty() && !question.holds_for_numbers(cx)? {
        return Ok(false);
    }
    for family in components(point, functions) {
        // Functions that are not tied to one another by equations take almost all values together.
        let is_tied = equations.iter().any(|e| family.iter().any(|(v, _)| e.contains(*v)) && !is_relation(e));
        if is_tied && !question.is_taken(cx, &family)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the generator is a function or a number of which a polynomial relation does not tell the value.
fn is_function(v: u32) -> bool {
    let g = Generator(v);
    match g.kind() {
        Kind::Symbol(_) | Kind::Root { .. } | Kind::Absolute { .. } => false,
        Kind::Opaque => g.relation().is_none() && !g.is_unspecified(),
        _ => true,
    }
}

/// Whether it is a number such as π, log 2 or sin 1.
pub(super) fn is_number(v: u32) -> bool {
    is_function(v) && Generator(v).meaning().symbols().is_empty()
}

/// Whether this is the relation of a generator, such as sin²u + cos²u = 1.
fn is_relation(e: &Polynomial) -> bool {
    let of = |v: &u32| Generator(*v).relation().is_some_and(|r| &Polynomial::power(*v, r.degree) - &r.value == *e);
    e.variables().iter().any(of)
}

/// The functions by the coordinates they share that have no value.
fn components<'a>(point: &SamplePoint, functions: Vec<(u32, &'a Rational)>) -> Vec<Vec<(u32, &'a Rational)>> {
    let mut found: Vec<(Vec<Symbol>, Vec<(u32, &Rational)>)> = Vec::new();
    for (v, x) in functions {
        let mut open = open_symbols(point, v);
        let mut members = vec![(v, x)];
        if open.is_empty() {
            continue;
        }
        found.retain(|(symbols, others)| {
            let apart = !symbols.iter().any(|s| open.contains(s));
            if !apart {
                open.extend(symbols);
                members.extend(others);
            }
            apart
        });
        found.push((open, members));
    }
    found.into_iter().map(|(_, members)| members).collect()
}

fn open_symbols(point: &SamplePoint, v: u32) -> Vec<Symbol> {
    let has_value = |s: &Symbol| point.value(Generator::of_symbol(*s).0).is_some();
    Generator(v).meaning().symbols().into_iter().filter(|s| !has_value(s)).collect()
}

/// What two functions have in common that one place gives: sin u and cos u, sinh u and cosh u.
fn argument(v: u32) -> Option<Expr> {
    match Generator(v).kind() {
        Kind::Sine(u)
        | Kind::Cosine(u)
        | Kind::HyperbolicSine(u)
        | Kind::HyperbolicCosine(u)
        | Kind::Exponential(u)
        | Kind::Logarithm(u) => Some(u),
        Kind::Opaque => match Generator(v).meaning().node() {
            Node::Apply(_, [u]) => Some(*u),
            _ => None,
        },
        _ => None,
    }
}

struct Question<'a> {
    equations: &'a [Polynomial],
    avoid: &'a [Polynomial],
    point: &'a SamplePoint,
}

impl Question<'_> {
    /// Whether the equations and inequations hold with the true values of the numbers, other coordinates moved where they must be.
    fn holds_for_numbers(&self, cx: &Inquiry) -> Budgeted<bool> {
        for n in self.avoid.iter().filter(|n| n.variables().iter().any(|v| is_number(*v))) {
            let there = polynomial_expr(&n.evaluate(cx, &self.values_but(is_number))?);
            if !matches!(certified_sign(cx, there, &Place::default(), BITS)?, Some(1 | -1)) {
                return Ok(false);
            }
        }
        for (i, e) in self.equations.iter().enumerate() {
            if !e.variables().iter().any(|v| is_number(*v)) {
                continue;
            }
            // Such as sin²1 + cos²1 = 1.
            if e.variables().iter().all(|v| Generator(*v).meaning().symbols().is_empty()) {
                if !decide::is_zero(cx, polynomial_expr(e)).is_yes() {
                    return Ok(false);
                }
                continue;
            }
            let mut solved = false;
            for &v in e.variables() {
                solved = solved || (self.is_its_own(i, v) && self.changes_sign(cx, e, v)?);
            }
            if !solved {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The values of the point, without some.
    fn values_but(&self, without: impl Fn(u32) -> bool) -> Vec<(u32, Rational)> {
        self.point.values.iter().filter(|(v, _)| !without(*v)).cloned().collect()
    }

    /// Whether a plain coordinate stands in this equation alone, and in no function.
    fn is_its_own(&self, i: usize, v: u32) -> bool {
        let Kind::Symbol(s) = Generator(v).kind() else { return false };
        let stands_inside = |w: u32| w != v && Generator(w).meaning().contains(s);
        let all = self.equations.iter().chain(self.avoid);
        !self.equations.iter().enumerate().any(|(k, e)| k != i && e.contains(v))
            && !self.avoid.iter().any(|n| n.contains(v))
            && !all.flat_map(|e| e.variables()).any(|w| stands_inside(*w))
    }

    /// Whether e = 0 has a solution by v, the other coordinates as they are.
    fn changes_sign(&self, cx: &Inquiry, e: &Polynomial, v: u32) -> Budgeted<bool> {
        let Kind::Symbol(s) = Generator(v).kind() else { return Ok(false) };
        let alone = e.evaluate(cx, &self.values_but(|w| w == v || is_number(w)))?;
        if alone.variables().iter().any(|w| *w != v && !Generator(*w).meaning().symbols().is_empty()) {
            return Ok(false);
        }
        has_zero_along(cx, polynomial_expr(&alone), s, &Place::default())
    }

    /// Whether the values of these functions are taken at one place.
    fn is_taken(&self, cx: &Inquiry, functions: &[(u32, &Rational)]) -> Budgeted<bool> {
        let (first, value) = functions[0];
        let u = argument(first);
        let is_one = |v: u32| first == v || (u.is_some() && u == argument(v) && is_pair(first, v));
        if functions.iter().all(|(v, _)| is_one(*v)) {
            if let Some(u) = u
                && self.takes_every_value(cx, u, first)
            {
                return is_in_range(cx, first, value);
            }
            // sinh u and cosh u: the sign of sinh u tells.
            let told = functions.iter().find(|(v, _)| !matches!(Generator(*v).kind(), Kind::HyperbolicCosine(_)));
            let (v, value) = *told.unwrap_or(&functions[0]);
            let is_turn = matches!(Generator(v).kind(), Kind::Sine(_) | Kind::Cosine(_));
            if is_turn && u.is_some_and(is_polynomial) {
                // A polynomial that is not constant passes every angle, up to turns.
                return Ok(true);
            }
            if !is_turn && self.is_met(cx, v, value)? {
                return Ok(true);
            }
        }
        self.is_met_exactly(cx, functions)
    }

    /// Whether a coordinate without a value moves u over all real numbers.
    fn takes_every_value(&self, cx: &Inquiry, u: Expr, v: u32) -> bool {
        let open = open_symbols(self.point, v);
        // Nothing is said of where a slope exists: it is a number or not asked for.
        let cx = &cx.apart();
        open.iter().any(|s| partial(cx, u, *s).as_number().is_some_and(|slope| !slope.is_zero()))
    }

    /// Whether a continuous function of a coordinate without a value passes the value.
    fn is_met(&self, cx: &Inquiry, v: u32, value: &Rational) -> Budgeted<bool> {
        let e = Generator(v).meaning() - Expr::number(value.clone());
        if !is_continuous(e) {
            return Ok(false);
        }
        let open = open_symbols(self.point, v);
        for s in &open {
            for rest in [Rational::ONE, Rational::ZERO] {
                if has_zero_along(cx, e, *s, &self.place(&open, &rest))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn place(&self, open: &[Symbol], rest: &Rational) -> Place {
        self.point.symbols().into_iter().chain(open.iter().map(|s| (*s, rest.clone()))).collect()
    }

    /// Whether all have exactly these values at one of a few places.
    fn is_met_exactly(&self, cx: &Inquiry, functions: &[(u32, &Rational)]) -> Budgeted<bool> {
        let mut open: Vec<Symbol> = functions.iter().flat_map(|(v, _)| open_symbols(self.point, *v)).collect();
        open.sort_unstable();
        open.dedup();
        for s in &open {
            for rest in [Rational::ZERO, Rational::ONE] {
                let mut place = self.place(&open, &rest);
                for (a, b) in PLACES {
                    let x = Rational::ratio(a, b);
                    if !is_allowed(cx, Generator::of_symbol(*s).0, x.signum()) {
                        continue;
                    }
                    place.insert(*s, x);
                    let mut all = true;
                    for (v, value) in functions {
                        let e = Generator(*v).meaning() - Expr::number((*value).clone());
                        all = all && certified_sign(cx, e, &place, 64)? == Some(0);
                    }
                    if all {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}

fn is_pair(v: u32, w: u32) -> bool {
    matches!(
        (Generator(v).kind(), Generator(w).kind()),
        (Kind::Sine(_) | Kind::Cosine(_), Kind::Sine(_) | Kind::Cosine(_))
            | (
                Kind::HyperbolicSine(_) | Kind::HyperbolicCosine(_),
                Kind::HyperbolicSine(_) | Kind::HyperbolicCosine(_)
            )
    )
}

/// Whether f takes this value, its argument being anything.
fn is_in_range(cx: &Inquiry, v: u32, value: &Rational) -> Budgeted<bool> {
    let Kind::Opaque = Generator(v).kind() else {
        // What the relations and signs of these generators allow is all they take.
        return Ok(true);
    };
    let Node::Apply(f, _) = Generator(v).meaning().node() else { return Ok(false) };
    for (side, strict) in f.row().range.sides(Expr::number(value.clone())) {
        match certified_sign(cx, side, &Place::default(), BITS)? {
            Some(1) => {}
            Some(0) if !strict => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Whether equations in one function fix it at values that it never takes.
pub(super) fn is_out_of_range(cx: &Inquiry, equations: &[Polynomial]) -> Budgeted<bool> {
    for e in equations {
        let [v] = e.variables() else { continue };
        if !is_function(*v) || is_number(*v) {
            continue;
        }
        let meaning = Generator(*v).meaning();
        if let Node::Apply(f, _) = meaning.node() {
            let (low, high) = (f.row().range.low.below(), f.row().range.high.above());
            if count_real_roots(cx, e, low.as_ref(), high.as_ref())? == 0 {
                return Ok(true);
            }
        }
        if let Some((_, value)) = fixed(e)
            && decide::sign(&cx.apart(), meaning - Expr::number(value)).is_nonzero()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_polynomial(e: Expr) -> bool {
    post_order(&[e]).into_iter().all(|x| match x.node() {
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum { .. } => true,
        Node::Product(factors) => factors.iter().all(|(_, n)| n.is_integer() && !n.is_negative()),
        _ => false,
    })
}

/// Whether the expression is defined and continuous everywhere.
fn is_continuous(e: Expr) -> bool {
    let keeps = |x: Expr| match x.node() {
        Node::Apply(f, _) => f.row().smoothness != Smoothness::Jumps,
        Node::Product(factors) => factors.iter().all(|(_, n)| !n.is_negative()),
        Node::Piecewise { .. } | Node::Integral { .. } | Node::Unknown { .. } => false,
        _ => true,
    };
    !e.is_partial() && post_order(&[e]).into_iter().all(keeps)
}

/// Whether a continuous expression vanishes somewhere along a coordinate.
fn has_zero_along(cx: &Inquiry, e: Expr, s: Symbol, place: &Place) -> Budgeted<bool> {
    let mut place = place.clone();
    let mut last: Option<i32> = None;
    for (a, b) in PLACES {
        let x = Rational::ratio(a, b);
        if !is_allowed(cx, Generator::of_symbol(s).0, x.signum()) {
            continue;
        }
        place.insert(s, x);
        match certified_sign(cx, e, &place, BITS)? {
            Some(0) => return Ok(true),
            Some(sign) if last.is_some_and(|before| before != sign) => return Ok(true),
            Some(sign) => last = Some(sign),
            None => {}
        }
    }
    Ok(false)
}
