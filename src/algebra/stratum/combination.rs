//! Two equations of which a combination has one sign.
//!
//! On the conic ax² + by² = 1 with positive a, b no point satisfies (a − b)by² = a, although neither equation has one sign: a
//! times the first minus the second is a²x² + b²y² = 0. A combination g − c·m·e with a monomial m is looked at
//! where it removes a term of g whose sign is wrong or not known.

use super::super::assume::Sign;
use super::super::decide::positivity::{Semidefinite, monomial_sign, of_one_sign_by_terms};
use super::super::decide::semidefinite;
use super::super::generator::{Generator, reduce};
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// Longer equations are not combined.
const MAX_TERMS: usize = 8;

/// More equations are not combined.
const MAX_EQUATIONS: usize = 16;

/// Terms in the way that one combination may remove.
const MAX_IN_THE_WAY: usize = 3;

/// Longer equations than this are not written in the coordinates of a graph.
const MAX_ON_GRAPH: usize = 60;

/// Whether an equation has no real zero once those that are graphs, v = p with a number before v, are put into it: a basis may have solved
/// them the other way round,
///
/// ```text
/// w = x² + y²,  w·(1 + z²) + 1 = z²·x²        x² + y² + z²y² + 1 > 0
/// ```
pub(super) fn has_none_on_graphs(cx: &Inquiry, equations: &[Polynomial]) -> Budgeted<bool> {
    if equations.len() < 2 || equations.len() > MAX_EQUATIONS {
        return Ok(false);
    }
    let mut list = equations.to_vec();
    let mut used: Vec<u32> = vec![];
    loop {
        // The most bent graphs first: flat ones are put in by any basis.
        let graphs =
            list.iter().enumerate().filter_map(|(i, e)| Some((e.total_degree(), i, graph_variable(e, &used)?)));
        let Some((_, i, v)) = graphs.max_by_key(|(degree, i, _)| (*degree, std::cmp::Reverse(*i))) else { break };
        let graph = list.swap_remove(i);
        used.push(v);
        let Some(factor) = graph.coefficient_in(v, 1).as_constant().and_then(|slope| slope.recip()) else { break };
        let value = graph.coefficient_in(v, 0).scale(&-&factor);
        for e in list.iter_mut().filter(|e| e.contains(v) && e.n_terms() <= MAX_ON_GRAPH) {
            *e = reduce(cx, e.substitute(cx, v, &value)?)?;
            if e.is_constant() && !e.is_zero() {
                return Ok(true);
            }
            if e.n_terms() <= MAX_ON_GRAPH && semidefinite(cx, e)?.is_some_and(|found| found.has_no_zero()) {
                return Ok(true);
            }
        }
        list.retain(|e| !e.is_zero());
    }
    Ok(false)
}

/// A variable that stands in the polynomial once, with a number before it.
fn graph_variable(e: &Polynomial, used: &[u32]) -> Option<u32> {
    let is_graph = |v: &u32| e.degree_in(*v) == 1 && e.coefficient_in(*v, 1).is_constant() && !used.contains(v);
    e.variables().iter().copied().find(is_graph).filter(|_| e.total_degree() > 1)
}

/// The real zeros of a combination of two of the equations that has one sign, if there is one.
pub(super) fn of_one_sign(cx: &Inquiry, equations: &[Polynomial]) -> Budgeted<Option<Semidefinite>> {
    if equations.len() > MAX_EQUATIONS {
        return Ok(None);
    }
    let short: Vec<&Polynomial> = equations.iter().filter(|g| (2..=MAX_TERMS).contains(&g.n_terms())).collect();
    for g in &short {
        cx.check()?;
        let terms: Vec<(Monomial, Rational)> = g.terms().collect();
        let sign = |(m, c): &(Monomial, Rational)| monomial_sign(cx, m).times(Sign::of_number(c));
        let signs: Vec<Sign> = terms.iter().map(sign).collect();
        for wanted in [Sign::NONNEGATIVE, Sign::NONPOSITIVE] {
            let in_the_way: Vec<&(Monomial, Rational)> =
                terms.iter().zip(&signs).filter(|(_, sign)| sign.and(wanted) != **sign).map(|(term, _)| term).collect();
            if in_the_way.is_empty() || in_the_way.len() > MAX_IN_THE_WAY || in_the_way.len() == terms.len() {
                continue;
            }
            for e in short.iter().filter(|e| *e != g) {
                let other: Vec<(Monomial, Rational)> = e.terms().collect();
                for (own, coefficient) in &other {
                    for (term, c) in &in_the_way {
                        let Some(rest) = quotient(term, own) else { continue };
                        let factor = c / coefficient;
                        if !may_have_one_sign(cx, (&terms, &signs), &other, (&rest, &factor)) {
                            continue;
                        }
                        let multiple = Polynomial::from_terms([(rest, factor)]);
                        let combined = reduce(cx, &(*g).clone() - &multiple.mul(cx, e)?)?;
                        if !combined.is_zero()
                            && let Some(found) = of_one_sign_by_terms(cx, &combined)
                        {
                            return Ok(Some(found));
                        }
                    }
                }
            }
        }
    }
    Ok(None)
}

/// Whether the terms of g − c·m·e may have one sign. They are looked at one by one, unless the relation of a generator makes others
/// of them.
fn may_have_one_sign(
    cx: &Inquiry,
    (g, signs): (&[(Monomial, Rational)], &[Sign]),
    e: &[(Monomial, Rational)],
    (m, c): (&Monomial, &Rational),
) -> bool {
    if g.iter().chain(e).any(|(m, _)| m.iter().any(|(v, _)| Generator(*v).has_relation())) {
        return true;
    }
    let mut is_left = vec![true; g.len()];
    let mut both = [true; 2];
    let mut admit = |sign: Sign| {
        both[0] &= sign.is_nonnegative();
        both[1] &= sign.is_nonpositive();
        both[0] || both[1]
    };
    for (own, d) in e {
        let (term, d) = (product(own, m), c * d);
        let place = g.iter().position(|(known, _)| *known == term);
        let value = match place {
            Some(i) => {
                is_left[i] = false;
                &g[i].1 - &d
            }
            None => -&d,
        };
        if !value.is_zero() && !admit(monomial_sign(cx, &term).times(Sign::of_number(&value))) {
            return false;
        }
    }
    signs.iter().zip(is_left).all(|(sign, is_left)| !is_left || admit(*sign))
}

fn product(a: &Monomial, b: &Monomial) -> Monomial {
    let mut all = a.clone();
    for (v, n) in b {
        match all.iter_mut().find(|(w, _)| w == v) {
            Some((_, k)) => *k += n,
            None => all.push((*v, *n)),
        }
    }
    all.sort_unstable();
    all
}

/// a/b, if that is a monomial.
fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let degree = |m: &Monomial, v: u32| m.iter().find(|(w, _)| *w == v).map_or(0, |(_, n)| *n);
    if b.iter().any(|(v, n)| degree(a, *v) < *n) {
        return None;
    }
    Some(a.iter().map(|(v, n)| (*v, n - degree(b, *v))).filter(|(_, n)| *n > 0).collect())
}
