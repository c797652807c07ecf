//! An expression as a polynomial in what the reader asks for: `collect(e, x)` is Σ coefficient·xᵏ with simplified
//! coefficients; several symbols, or functions such as cos(θ), are collected together.

use super::{NormalForm, normal_form, simplify, write};
use crate::algebra::conditions;
use crate::algebra::expr::Expr;
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::{Budgeted, check};
use indexmap::IndexMap;

/// Σ coefficient · monomial in `by`. Where one of these stands inside another function or in the denominator it is
/// left there.
pub fn collect(e: Expr, by: &[Expr]) -> Budgeted<Expr> {
    let form = normal_form(e)?.cancel()?;
    if let Some(why) = form.as_undefined() {
        return Ok(Expr::undefined(why));
    }
    form.record_conditions();
    let mut chosen: Vec<u32> = Vec::new();
    for b in by {
        chosen.extend(normal_form(*b)?.generators().into_iter().map(|g| g.0));
    }
    let (n, d) = form.fraction()?;
    let mut groups: IndexMap<Monomial, Vec<(Monomial, Rational)>> = IndexMap::new();
    for (monomial, number) in n.terms() {
        let part = |yes: bool| monomial.iter().filter(|(g, _)| chosen.contains(g) == yes).copied().collect();
        groups.entry(part(true)).or_default().push((part(false), number));
    }
    let below = NormalForm::polynomial(d)?.recip()?;
    let mut terms = Vec::new();
    for (monomial, coefficient) in groups {
        check()?;
        let coefficient = NormalForm::polynomial(Polynomial::from_terms(coefficient))?.mul(&below)?.cancel()?.to_expr();
        let (coefficient, _) = conditions::collect(|| simplify(coefficient));
        terms.push(coefficient? * write::powers_expr(monomial.iter().map(|&(g, k)| (g, i64::from(k)))));
    }
    Ok(Expr::add_all(terms))
}
