//! Operations on ideals by way of Gröbner bases in a ring with one variable more.

use super::{Basis, Order, groebner, groebner_within};
use crate::algebra::polynomial::Polynomial;
use crate::budget::{Budget, Budgeted, Exhausted, Share, share};

/// The variables of the polynomials that are not parameters, and a number that is no variable yet.
fn ambient(lists: &[&[Polynomial]], parameters: &[u32]) -> (Vec<u32>, u32) {
    let mut variables: Vec<u32> = lists.iter().flat_map(|l| l.iter()).flat_map(|p| p.variables()).copied().collect();
    let fresh = variables.iter().chain(parameters).max().map_or(0, |m| m + 1);
    variables.retain(|v| !parameters.contains(v));
    variables.sort_unstable();
    variables.dedup();
    (variables, fresh)
}

/// The ideal of the polynomials in the ideal that are free of `variables`: the closure of the projection. The
/// basis is for grevlex in the variables that are kept.
pub fn eliminate(cx: &Budget, generators: &[Polynomial], variables: &[u32], parameters: &[u32]) -> Basis {
    eliminate_within(cx, generators, variables, parameters, share::UNBOUNDED)
}

/// The same, stopped when so many terms have been combined.
pub fn eliminate_within(
    cx: &Budget,
    generators: &[Polynomial],
    variables: &[u32],
    parameters: &[u32],
    work: Share,
) -> Basis {
    let (mut keep, _) = ambient(&[generators], parameters);
    keep.retain(|v| !variables.contains(v));
    let basis = groebner_within(cx, generators, &Order::elimination(variables, &keep), parameters, work);
    let free = |g: &Polynomial| !g.variables().iter().any(|v| variables.contains(v));
    let generators = basis.generators.into_iter().filter(free).collect();
    Basis { generators, order: Order::grevlex(&keep), ..basis }
}

/// `I : f^∞`, the polynomials that vanish where the ideal does and f does not: the closure of that part.
pub fn saturate(cx: &Budget, generators: &[Polynomial], f: &Polynomial, parameters: &[u32]) -> Budgeted<Basis> {
    saturate_within(cx, generators, f, parameters, share::UNBOUNDED)
}

/// The same, stopped when so many terms have been combined.
pub fn saturate_within(
    cx: &Budget,
    generators: &[Polynomial],
    f: &Polynomial,
    parameters: &[u32],
    work: Share,
) -> Budgeted<Basis> {
    let (_, t) = ambient(&[generators, std::slice::from_ref(f)], parameters);
    let mut list = generators.to_vec();
    list.push(inverse_relation(cx, f, t)?);
    Ok(eliminate_within(cx, &list, &[t], parameters, work))
}

/// 1 − t·f.
fn inverse_relation(cx: &Budget, f: &Polynomial, t: u32) -> Budgeted<Polynomial> {
    Ok(&Polynomial::one() - &f.mul(cx, &Polynomial::variable(t))?)
}

/// Whether f vanishes on all common complex zeros: 1 ∈ I + (1 − t·f) (Rabinowitsch). `None` if a budget ends first.
pub fn radical_contains(
    cx: &Budget,
    generators: &[Polynomial],
    f: &Polynomial,
    parameters: &[u32],
) -> Budgeted<Option<bool>> {
    let (variables, t) = ambient(&[generators, std::slice::from_ref(f)], parameters);
    let mut list = generators.to_vec();
    list.push(inverse_relation(cx, f, t)?);
    let mut all = vec![t];
    all.extend(variables);
    let basis = groebner(cx, &list, &Order::grevlex(&all), parameters);
    Ok(basis.is_proper().map(|proper| !proper))
}

/// `I ∩ J`: eliminate t from t·I + (1 − t)·J. The zero set is the union.
pub fn intersection(cx: &Budget, left: &[Polynomial], right: &[Polynomial], parameters: &[u32]) -> Budgeted<Basis> {
    let (_, t) = ambient(&[left, right], parameters);
    let variable = Polynomial::variable(t);
    let rest = &Polynomial::one() - &variable;
    let mut list = Vec::new();
    for p in left {
        list.push(p.mul(cx, &variable)?);
    }
    for p in right {
        list.push(p.mul(cx, &rest)?);
    }
    Ok(eliminate(cx, &list, &[t], parameters))
}

/// `I : f`, by dividing the generators of I ∩ (f).
pub fn quotient(cx: &Budget, generators: &[Polynomial], f: &Polynomial, parameters: &[u32]) -> Budgeted<Basis> {
    let both = intersection(cx, generators, std::slice::from_ref(f), parameters)?;
    if !both.complete {
        // Without all of the intersection, I itself is what is known of the quotient.
        let list = generators.to_vec();
        return Ok(Basis { generators: list, ..both });
    }
    let mut list = Vec::new();
    for g in &both.generators {
        // With parameters f divides up to a factor in the parameters.
        let cofactor = match g.div_exact(cx, f)? {
            Some(q) => q,
            None => g.div_exact(cx, &g.gcd(cx, f)?)?.ok_or(Exhausted::Size)?,
        };
        list.push(cofactor);
    }
    let conditions = both.conditions;
    let mut basis = groebner(cx, &list, &both.order, parameters);
    basis.conditions.extend(conditions);
    basis.conditions.sort();
    basis.conditions.dedup();
    Ok(basis)
}
