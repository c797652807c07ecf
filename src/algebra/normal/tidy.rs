//! The form that a reader would choose.
//!
//! A normal form can be written in many ways: factored, expanded, with the terms grouped by what multiplies
//! them. Candidates are made here, and the shortest is taken ([`length`]); of equally short ones the first.
//!
//! ```text
//! (m1 + m2)*l^2*a'' + m2*l*r*cos(a - b)*b''      grouped by coordinates, angles folded
//! m*(r'^2 + r^2*phi'^2)/2 - k/r                  grouped by parameters, divided term by term
//! ```

use super::arrange::without_squares;
use super::fold::{folded, monomial};
use super::write::{Product, polynomial_expr};
use super::{NormalForm, read};
use crate::algebra::Inquiry;
use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::factor::squarefree;
use crate::algebra::generator::{Generator, Kind};
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;

/// The shortest way to write a cancelled form.
pub(super) fn shortest(cx: &Inquiry, form: &NormalForm) -> Budgeted<Expr> {
    let mut best = Best::default();
    best.offer(factored(cx, form)?);
    match form.fraction(cx) {
        Ok((n, d)) => {
            best.offer(read::fraction_expr(&n, &d));
            if !d.is_one() || form.factors().len() > 1 {
                let below = shortest_polynomial(cx, &d)?;
                best.offer(shortest_polynomial(cx, &n)? / below);
            }
            if d.n_terms() == 1 && n.n_terms() <= MAX_TERMS {
                let below = polynomial_expr(&d).pow(-1);
                for q in [Some(n.clone()), folded(cx, &n)?].into_iter().flatten() {
                    for by in [Grouping::None, Grouping::Coordinates, Grouping::Parameters] {
                        best.offer(grouped(cx, &q, by, below)?);
                    }
                }
            }
        }
        Err(Exhausted::Size | Exhausted::Bits) => {}
        Err(stop) => return Err(stop),
    }
    best.take().ok_or(Exhausted::Size)
}

/// Larger polynomials are written as they are.
const MAX_TERMS: usize = 200;

/// Keeps the shortest of what it is offered.
#[derive(Default)]
struct Best {
    found: Option<(u64, Expr)>,
}

impl Best {
    fn offer(&mut self, e: Expr) {
        let l = length(e);
        if self.found.is_none_or(|(least, _)| l < least) {
            self.found = Some((l, e));
        }
    }

    fn take(self) -> Option<Expr> {
        self.found.map(|f| f.1)
    }
}

/// The factors as they are, each written in its shortest way, with signs that leave few minuses inside.
fn factored(cx: &Inquiry, form: &NormalForm) -> Budgeted<Expr> {
    if form.is_zero() {
        return Ok(Expr::zero());
    }
    let form = form.with_roots_below(cx);
    let mut coefficient = form.coefficient().clone();
    let mut product = Product::default();
    for (g, n) in form.powers() {
        product.generator(g.0, i64::from(n));
    }
    // Decimal numbers came with the terms of one sum: 9.81*m - k and not (981*m - 100*k)/100.
    let decimal = is_decimal(&coefficient).then(|| form.factors().iter().position(|(_, n)| *n == 1)).flatten();
    for (i, (p, n)) in form.factors().iter().enumerate() {
        let flip = n % 2 != 0 && is_mostly_negative(p);
        let mut p = if flip { -&**p } else { (**p).clone() };
        if flip {
            coefficient = -&coefficient;
        }
        if decimal == Some(i) {
            let below = Rational::integer(coefficient.denominator().clone());
            p = p.unscale(&below).unwrap_or(p);
            coefficient = &coefficient * &below;
        }
        product.multiply(shortest_polynomial(cx, &p)?, Rational::from(i64::from(*n)));
    }
    Ok(product.finish(coefficient))
}

/// Whether a number is a fraction that is shown with a decimal point.
fn is_decimal(n: &Rational) -> bool {
    n.denominator().div_exact(&Integer::from(5)).is_some() && n.to_decimal().is_some()
}

fn is_mostly_negative(p: &Polynomial) -> bool {
    let negative = p.integer_coefficients().iter().filter(|c| c.is_negative()).count();
    2 * negative > p.n_terms()
}

fn shortest_polynomial(cx: &Inquiry, p: &Polynomial) -> Budgeted<Expr> {
    let mut best = Best::default();
    best.offer(polynomial_expr(p));
    if (2..=MAX_TERMS).contains(&p.n_terms()) {
        for q in [Some(p.clone()), folded(cx, p)?].into_iter().flatten() {
            for by in [Grouping::None, Grouping::Coordinates, Grouping::Parameters] {
                best.offer(grouped(cx, &q, by, Expr::one())?);
            }
        }
    }
    best.take().ok_or(Exhausted::Size)
}

/// By which generators the terms are grouped.
#[derive(Clone, Copy, PartialEq)]
enum Grouping {
    None,
    /// Terms with the same coordinates and functions: (m₁ + m₂)·a″.
    Coordinates,
    /// Terms with the same parameters: m·(ẋ² + ẏ²).
    Parameters,
}

/// Σ monomial·(sum of what it multiplies)·below.
fn grouped(cx: &Inquiry, p: &Polynomial, by: Grouping, below: Expr) -> Budgeted<Expr> {
    let is_parameter = |v: u32| matches!(Generator(v).kind(), Kind::Symbol(s) if s.is_parameter());
    let chosen: Vec<u32> = match by {
        Grouping::None => p.variables().to_vec(),
        Grouping::Coordinates => p.variables().iter().copied().filter(|v| !is_parameter(*v)).collect(),
        Grouping::Parameters => p.variables().iter().copied().filter(|v| is_parameter(*v)).collect(),
    };
    let mut terms = Vec::new();
    for (outside, inside) in p.coefficients_with_respect_to(&chosen) {
        // A minus before the bracket rather than in every term of it.
        let (inside, sign) =
            if is_mostly_negative(&inside) { (-&inside, Rational::MINUS_ONE) } else { (inside, Rational::ONE) };
        let inside = if by == Grouping::Parameters { shortest_bracket(cx, &inside)? } else { bracket(&inside) };
        // What cancels here was cancelled in the form, which has the condition.
        let mut product = Product::default();
        let parts = [inside, polynomial_expr(&monomial(outside)), below];
        let coefficient = parts.into_iter().fold(Rational::ONE, |c, part| &c * &product.expression(part));
        terms.push((product.finish(coefficient), sign));
    }
    Ok(Expr::sum(Rational::ZERO, terms))
}

/// A polynomial with its number and monomial content before a bracket; the signs inside stay.
fn bracket(p: &Polynomial) -> Expr {
    let content = p.monomial_content();
    let rest = p.without_monomial(&content);
    let number = rest.content().abs();
    let rest = number.recip().map_or(rest.clone(), |inverse| rest.scale(&inverse));
    (polynomial_expr(&monomial(content)) * polynomial_expr(&rest)).scale(&number)
}

/// Larger sums are not looked through for squares.
const MAX_BRACKET: usize = 16;

/// What stands in a bracket, in the shortest of several ways: as it is, with sin² = 1 − cos² used, as a product with
/// squares: (ψ′ + φ′ cos θ)².
fn shortest_bracket(cx: &Inquiry, p: &Polynomial) -> Budgeted<Expr> {
    let mut best = Best::default();
    best.offer(bracket(p));
    if (3..=MAX_BRACKET).contains(&p.n_terms()) {
        let sines = p.variables().iter().copied().filter(|v| matches!(Generator(*v).kind(), Kind::Sine(_)));
        let mut ways = vec![p.clone()];
        for s in sines.collect::<Vec<_>>() {
            ways.push(without_squares(cx, p, s)?);
        }
        for (i, q) in ways.iter().enumerate() {
            if i > 0 {
                best.offer(bracket(q));
            }
            let pieces = squarefree(cx, q)?;
            if pieces.factors.iter().any(|(f, n)| *n > 1 && f.n_terms() > 1) {
                let factors = pieces.factors.iter().map(|(f, n)| (polynomial_expr(f), Rational::from(i64::from(*n))));
                best.offer(Expr::product(pieces.unit.clone(), factors));
            }
        }
    }
    best.take().ok_or(Exhausted::Size)
}

/// The number of operations when written out; shared parts count each time.
pub(super) fn length(e: Expr) -> u64 {
    let mut known: FxHashMap<Expr, u64> = FxHashMap::default();
    for x in post_order(&[e]) {
        let below = x.children().iter().map(|c| known[c]).fold(0u64, u64::saturating_add);
        let own = match x.node() {
            Node::Number(n) => 1 + n.bits() as u64 / 32,
            Node::Sum { constant, terms } => {
                let scaled = terms.iter().filter(|(_, c)| !c.abs().is_one()).count();
                terms.len() as u64 - 1 + scaled as u64 + 2 * u64::from(!constant.is_zero())
            }
            Node::Product(factors) => {
                let powers = factors.iter().filter(|(_, n)| !n.is_one()).count();
                (factors.len() - 1 + powers) as u64
            }
            _ => 1,
        };
        known.insert(x, below.saturating_add(own));
    }
    known[&e]
}
