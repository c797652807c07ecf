//! Components: cells that SPLIT leaves whole although they fall apart.
//!
//! The curve (t³, t⁴, t⁵) and the line x = y = 0 together are {xz = y², x³ = yz}, and no element of that basis has two
//! factors. Two further looks find what factoring the basis does not show (Gianni, Trager and Zacharias, *J. Symb.
//! Comput.* 6, 1988). Let u be as many coordinates as the equations leave independent, and x the others.
//!
//! - *Eliminants.* What follows for u and one of the x alone is one equation; its factors are cases. A linear form in the
//!   x takes the part of the last coordinate, so that conjugate points in special position come apart too.
//! - *Contraction.* Over ℚ(u) only the components on which u is independent remain. With h the product of the leading
//!   coefficients of a basis for x before u these are V(I : h^∞), and the rest has h = 0.
//!
//! Neither is needed for SPLIT to be right, and both cost a basis, so they are tried where components are
//! asked for. Whatever their budget leaves whole stays whole.

use super::super::factor::factor;
use super::super::generator::{Generator, Kind};
use super::super::ideal::{self, Basis, Order, groebner_within};
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use super::cell::{Cell, Frame};
use super::set;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted, share};

/// More cells than this are not looked at.
const MAX_COMPONENTS: usize = 64;

/// The components of a cell, as far as the two looks separate them; none lies in another.
pub fn components(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Vec<Cell>> {
    let mut done: Vec<Cell> = Vec::new();
    let mut pending = vec![cell.clone()];
    let mut seen: Vec<Cell> = Vec::new();
    while let Some(cell) = pending.pop() {
        cx.check()?;
        if seen.contains(&cell) {
            continue;
        }
        seen.push(cell.clone());
        let cases = if done.len() + pending.len() < MAX_COMPONENTS {
            unfinished_is_none(cases_of(cx, frame, &cell))?
        } else {
            None
        };
        match cases {
            None => done.push(cell),
            Some(cases) => {
                for case in cases.iter().rev() {
                    pending.extend(frame.refine(cx, &cell, case, &[])?);
                }
            }
        }
    }
    set::maximal(cx, frame, done)
}

/// What a budget does not allow is left undone; an interrupt is passed on.
fn unfinished_is_none<T>(result: Budgeted<Option<T>>) -> Budgeted<Option<T>> {
    match result {
        Err(Exhausted::Interrupted) => Err(Exhausted::Interrupted),
        Err(_) => Ok(None),
        found => found,
    }
}

/// Equations to add, one list for each case; `None` if the cell shows no sign of falling apart.
fn cases_of(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Option<Vec<Vec<Polynomial>>>> {
    let Some(basis) = cell.basis.inner() else { return Ok(None) };
    // One irreducible equation, linear ones, or coordinates as functions of the others.
    if cell.equations().len() < 2
        || is_graph(cx, frame, cell)?
        || basis.generators.iter().all(|g| g.total_degree() <= 1)
    {
        return Ok(None);
    }
    let Some(independent) = basis.independent_variables(cx)? else { return Ok(None) };
    // sin θ = ±1 beside cos θ = 0 is one periodic family and stays one.
    let families = || cell.equations().iter().filter(|g| frame.is_discrete_family(g, cell.equations()));
    let is_fixed = |v: &u32| frame.is_constant(*v) || families().any(|g| g.contains(*v));
    let dependent: Vec<u32> =
        basis.order.variables().iter().copied().filter(|v| !independent.contains(v) && !is_fixed(v)).collect();
    let cases = match cx.within(share::COMPONENTS, || contraction(cx, frame, cell, basis, &dependent, &independent))? {
        Some(cases) => Some(cases),
        None => cx.within(share::COMPONENTS, || by_eliminants(cx, frame, cell, basis, &dependent))?,
    };
    let in_frame = |case: Vec<Polynomial>| case.into_iter().map(|p| cell.basis.outside(cx, p)).collect();
    cases.map(|list| list.into_iter().map(in_frame).collect()).transpose()
}

/// Whether each generator gives a coordinate of its own as a function of the others, which are free but for the circles of
/// sines and cosines: the ideal is prime.
fn is_graph(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
    if cell.basis.is_graph(cx)? {
        return Ok(true);
    }
    let generators = cell.generators(cx, frame)?;
    let is_circular = |v: u32| matches!(Generator(v).kind(), Kind::Sine(_) | Kind::Cosine(_));
    let is_free = |v: u32| matches!(Generator(v).kind(), Kind::Symbol(_));
    let is_solved = |(i, g): (usize, &Polynomial)| {
        g.variables().iter().any(|v| {
            let elsewhere = generators.iter().enumerate().any(|(k, h)| k != i && h.contains(*v));
            let slope = g.coefficient_in(*v, 1);
            let is_constant = slope.variables().iter().all(|w| frame.is_constant(*w) && is_free(*w));
            is_free(*v) && !frame.is_constant(*v) && !elsewhere && g.degree_in(*v) == 1 && is_constant
        })
    };
    let is_plain = |g: &Polynomial| g.variables().iter().all(|v| is_free(*v) || is_circular(*v));
    Ok(generators.iter().all(is_plain) && generators.iter().enumerate().all(is_solved))
}

/// V(I : h^∞), and the factors of h.
fn contraction(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    basis: &Basis,
    dependent: &[u32],
    independent: &[u32],
) -> Budgeted<Option<Vec<Vec<Polynomial>>>> {
    let rest: Vec<u32> = basis.order.variables().iter().copied().filter(|v| !dependent.contains(v)).collect();
    let order = Order::of_blocks(&[dependent, &rest]);
    let blocked = groebner_within(cx, &basis.generators, &order, &basis.parameters, share::COMPONENT_STEP);
    if !blocked.complete {
        return Err(cx.why());
    }
    let mut leading: Vec<Polynomial> = Vec::new();
    for (g, lead) in blocked.generators.iter().zip(blocked.leading_monomials(cx)?) {
        let head: Monomial = lead.iter().copied().filter(|(v, _)| dependent.contains(v)).collect();
        let parts = g.coefficients_with_respect_to(dependent);
        let Some((_, c)) = parts.into_iter().find(|(m, _)| same_monomial(m, &head)) else { continue };
        for (f, _) in factor(cx, &c).factors {
            let is_free = |v: &u32| independent.contains(v) || frame.is_constant(*v);
            let is_condition =
                f.variables().iter().all(is_free) && !f.variables().iter().all(|v| frame.is_constant(*v));
            if is_condition && !leading.contains(&f) {
                leading.push(f);
            }
        }
    }
    if leading.is_empty() {
        return Ok(None);
    }
    let h = Polynomial::product(cx, &leading)?;
    let saturated = ideal::saturate_within(cx, &basis.generators, &h, &basis.parameters, share::COMPONENT_STEP)?;
    if !saturated.complete {
        return Err(cx.why());
    }
    let new: Vec<Polynomial> = (saturated.generators.into_iter())
        .filter_map(|g| match cell.basis.outside(cx, g.clone()).and_then(|p| cell.reduce(cx, frame, &p)) {
            Ok(r) if r.is_zero() => None,
            Ok(_) => Some(Ok(g)),
            Err(stop) => Some(Err(stop)),
        })
        .collect::<Budgeted<_>>()?;
    if new.is_empty() {
        return Ok(None);
    }
    let mut cases = vec![new];
    cases.extend(leading.into_iter().map(|f| vec![f]));
    Ok(Some(cases))
}

fn same_monomial(a: &Monomial, b: &Monomial) -> bool {
    a.len() == b.len() && a.iter().all(|entry| b.contains(entry))
}

/// The factors of what follows for the independent coordinates and one other, or a linear form in the others.
fn by_eliminants(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    basis: &Basis,
    dependent: &[u32],
) -> Budgeted<Option<Vec<Vec<Polynomial>>>> {
    for v in dependent {
        let others: Vec<u32> = dependent.iter().copied().filter(|w| w != v).collect();
        let eliminated =
            ideal::eliminate_within(cx, &basis.generators, &others, &basis.parameters, share::COMPONENT_STEP);
        if !eliminated.complete {
            return Err(cx.why());
        }
        if let Some(factors) = proper_factors(cx, frame, cell, &eliminated.generators, *v)? {
            return Ok(Some(factors.into_iter().map(|f| vec![f]).collect()));
        }
    }
    if dependent.len() < 2 {
        return Ok(None);
    }
    // w = x₁ + 2x₂ + 5x₃ + …: any form that separates the points will do.
    let weights = [1i64, 2, 5, 11, 17, 29, 37, 53];
    let term = |(v, c): (&u32, &i64)| Polynomial::variable(*v).scale(&Rational::from(*c));
    let form = dependent.iter().zip(weights.iter().cycle()).map(term).fold(Polynomial::zero(), |s, t| &s + &t);
    let used = basis.order.variables().iter().chain(&basis.parameters);
    let w = used.chain(form.variables()).max().map_or(0, |m| m + 1);
    let mut generators = basis.generators.clone();
    generators.push(&Polynomial::variable(w) - &form);
    let eliminated = ideal::eliminate_within(cx, &generators, dependent, &basis.parameters, share::COMPONENT_STEP);
    if !eliminated.complete {
        return Err(cx.why());
    }
    let in_w: Vec<&Polynomial> = eliminated.generators.iter().filter(|g| g.contains(w)).collect();
    let Some(g) = in_w.iter().min_by_key(|g| g.degree_in(w)) else { return Ok(None) };
    let parts = factor(cx, g);
    let parts: Vec<&Polynomial> = parts.factors.iter().map(|(f, _)| f).filter(|f| f.contains(w)).collect();
    if parts.len() < 2 {
        return Ok(None);
    }
    let mut cases = Vec::new();
    for f in parts {
        cases.push(vec![f.substitute(cx, w, &form)?]);
    }
    Ok(Some(cases))
}

/// Two or more factors of the equation of least degree in the variable, without those that vanish nowhere on the cell.
fn proper_factors(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    generators: &[Polynomial],
    variable: u32,
) -> Budgeted<Option<Vec<Polynomial>>> {
    let mut best: Option<&Polynomial> = None;
    for g in generators.iter().filter(|g| g.contains(variable)) {
        let in_frame = cell.basis.outside(cx, g.clone())?;
        if super::super::generator::reduce(cx, in_frame.clone())?.is_zero() || is_relation(&in_frame) {
            continue;
        }
        if best.is_none_or(|b| g.degree_in(variable) < b.degree_in(variable)) {
            best = Some(g);
        }
    }
    let Some(g) = best else { return Ok(None) };
    let parts = factor(cx, g);
    let has_powers = parts.factors.iter().any(|(_, n)| *n > 1);
    let mut factors = Vec::new();
    for (f, _) in parts.factors {
        let in_frame = cell.basis.outside(cx, f.clone())?.primitive_part();
        if !cell.nonzero().contains(&in_frame) && !frame.is_nowhere_zero(cx, &in_frame)? {
            factors.push(f);
        }
    }
    Ok((factors.len() > 1 || has_powers).then_some(factors))
}

/// sin² + cos² − 1 and the like hold everywhere.
fn is_relation(g: &Polynomial) -> bool {
    g.variables().iter().any(|v| {
        Generator(*v).relation().is_some_and(|r| {
            let relation = &Polynomial::power(*v, r.degree) - &r.value;
            relation.primitive_part() == g.primitive_part()
        })
    })
}
