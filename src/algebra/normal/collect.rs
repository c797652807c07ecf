//! An expression as a polynomial in what the reader asks for: `collect(e, x)` is Σ coefficient·xᵏ with simplified
//! coefficients; several symbols, or functions such as cos(θ), are collected together.

use super::{NormalForm, normal_form, simplify, write};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::expr::Expr;
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::Budgeted;
use indexmap::IndexMap;

/// Σ coefficient · monomial in `by`. Where one of these stands inside another function or in the denominator it is
/// left there.
pub fn collect(cx: &Inquiry, e: Expr, by: &[Expr]) -> Budgeted<Expr> {
    let form = normal_form(cx, e)?.cancel(cx)?;
    if let Some(why) = form.as_undefined() {
        return Ok(Expr::undefined(why));
    }
    form.record_conditions(cx);
    let mut chosen: Vec<u32> = Vec::new();
    for b in by {
        chosen.extend(normal_form(cx, *b)?.generators().into_iter().map(|g| g.0));
    }
    let (n, d) = form.fraction(cx)?;
    let mut groups: IndexMap<Monomial, Vec<(Monomial, Rational)>> = IndexMap::new();
    for (monomial, number) in n.terms() {
        let part = |yes: bool| monomial.iter().filter(|(g, _)| chosen.contains(g) == yes).copied().collect();
        groups.entry(part(true)).or_default().push((part(false), number));
    }
    let below = NormalForm::polynomial(cx, d)?.recip(cx)?;
    let mut terms = Vec::new();
    for (monomial, coefficient) in groups {
        cx.check()?;
        let coefficient =
            NormalForm::polynomial(cx, Polynomial::from_terms(coefficient))?.mul(cx, &below)?.cancel(cx)?.to_expr(cx);
        let (coefficient, _) = conditions::collect(cx, |cx| simplify(cx, coefficient));
        terms.push(coefficient? * write::powers_expr(monomial.iter().map(|&(g, k)| (g, i64::from(k)))));
    }
    Ok(Expr::add_all(terms))
}
