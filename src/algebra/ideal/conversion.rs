//! From a grevlex basis of a zero-dimensional ideal to a lexicographic one (Faugère–Gianni–Lazard–Mora).
//!
//! The quotient ring has a finite basis of standard monomials. Going through the monomials in lexicographic order, the
//! first one whose normal form depends linearly on the earlier ones is a leading monomial of the lexicographic basis, and
//! the dependence is the generator. This is linear algebra over ℚ; Buchberger's algorithm in a lexicographic order
//! would pass through polynomials far larger than the result.

use super::{Basis, Order};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::Budget;
use crate::budget::Budgeted;
use std::collections::{BTreeMap, BTreeSet};

/// Largest dimension of the quotient ring for which the conversion is tried.
const MAX_DIMENSION: usize = 300;

/// Exponents in the order of the target's variables; their order as lists is the lexicographic one.
type Exponents = Vec<u32>;

/// The lexicographic basis for `target`, from a complete grevlex basis. `None` if the ideal is not zero-dimensional or its
/// quotient is too large.
pub(super) fn lexicographic(cx: &Budget, basis: &Basis, target: &Order) -> Budgeted<Option<Basis>> {
    let variables = target.variables();
    let Some(standard) = standard_monomials(cx, basis, variables)? else { return Ok(None) };
    let index: BTreeMap<&Exponents, usize> = standard.iter().enumerate().map(|(i, m)| (m, i)).collect();
    let matrices = multiplication(cx, basis, variables, &standard, &index)?;
    let dimension = standard.len();
    let mut rows: Vec<Row> = Vec::new();
    let mut staircase: Vec<(Exponents, Vec<Rational>)> = Vec::new();
    let mut leads: Vec<Exponents> = Vec::new();
    let mut generators: Vec<Polynomial> = Vec::new();
    // Candidates with the variable and the staircase element they come from.
    let mut candidates: BTreeSet<(Exponents, usize, usize)> = BTreeSet::new();
    candidates.insert((vec![0; variables.len()], usize::MAX, 0));
    while let Some((monomial, variable, parent)) = candidates.pop_first() {
        cx.check()?;
        let divides = |lead: &Exponents| lead.iter().zip(&monomial).all(|(a, b)| a <= b);
        if leads.iter().any(divides) || staircase.iter().any(|(m, _)| *m == monomial) {
            continue;
        }
        let vector = if variable == usize::MAX {
            let one = index[&monomial];
            (0..dimension).map(|i| if i == one { Rational::ONE } else { Rational::ZERO }).collect()
        } else {
            apply(&matrices[variable], &staircase[parent].1)
        };
        match dependence(cx, &mut rows, vector.clone(), staircase.len())? {
            Some(combination) => {
                let mut terms = vec![(named(&monomial, variables), Rational::ONE)];
                for ((m, _), c) in staircase.iter().zip(&combination) {
                    terms.push((named(m, variables), -c));
                }
                generators.push(Polynomial::from_terms(terms).primitive_part());
                leads.push(monomial);
            }
            None => {
                for k in 0..variables.len() {
                    let mut next = monomial.clone();
                    next[k] += 1;
                    candidates.insert((next, k, staircase.len()));
                }
                staircase.push((monomial, vector));
            }
        }
    }
    let order = target.clone();
    Ok(Some(Basis { generators, order, ..basis.clone() }))
}

fn named(exponents: &Exponents, variables: &[u32]) -> Monomial {
    variables.iter().copied().zip(exponents.iter().copied()).filter(|(_, e)| *e > 0).collect()
}

/// The monomials outside the ideal of leading monomials, if there are finitely and not too many.
fn standard_monomials(cx: &Budget, basis: &Basis, variables: &[u32]) -> Budgeted<Option<Vec<Exponents>>> {
    let place = |v: u32| variables.iter().position(|&w| w == v).expect("a variable of the ring");
    let mut leads: Vec<Exponents> = Vec::new();
    for m in basis.leading_monomials(cx)? {
        let mut row = vec![0; variables.len()];
        for &(v, e) in &m {
            row[place(v)] = e;
        }
        leads.push(row);
    }
    let pure = |k: usize| leads.iter().any(|m| m.iter().enumerate().all(|(i, &e)| i == k || e == 0));
    if basis.is_proper() != Some(true) || !(0..variables.len()).all(pure) {
        return Ok(None);
    }
    let mut found: BTreeSet<Exponents> = BTreeSet::new();
    let mut pending = vec![vec![0; variables.len()]];
    while let Some(m) = pending.pop() {
        cx.check()?;
        let divides = |lead: &Exponents| lead.iter().zip(&m).all(|(a, b)| a <= b);
        if leads.iter().any(divides) || !found.insert(m.clone()) {
            continue;
        }
        if found.len() > MAX_DIMENSION {
            return Ok(None);
        }
        for k in 0..m.len() {
            let mut next = m.clone();
            next[k] += 1;
            pending.push(next);
        }
    }
    Ok(Some(found.into_iter().collect()))
}

/// For each variable the images of the standard monomials under multiplication by it, as sparse vectors.
fn multiplication(
    cx: &Budget,
    basis: &Basis,
    variables: &[u32],
    standard: &[Exponents],
    index: &BTreeMap<&Exponents, usize>,
) -> Budgeted<Vec<Vec<Vec<(usize, Rational)>>>> {
    let mut products = Vec::new();
    for k in 0..variables.len() {
        for m in standard {
            let mut next = m.clone();
            next[k] += 1;
            products.push(Polynomial::from_terms([(named(&next, variables), Rational::ONE)]));
        }
    }
    let normal = basis.normal_forms(cx, &products)?;
    let sparse = |p: &Polynomial| -> Vec<(usize, Rational)> {
        let entry = |(monomial, c): (Monomial, Rational)| {
            let mut row = vec![0; variables.len()];
            for (v, e) in monomial {
                row[variables.iter().position(|&w| w == v).expect("a variable of the ring")] = e;
            }
            (index[&row], c)
        };
        p.terms().map(entry).collect()
    };
    Ok(normal.chunks(standard.len()).map(|images| images.iter().map(sparse).collect()).collect())
}

fn apply(matrix: &[Vec<(usize, Rational)>], vector: &[Rational]) -> Vec<Rational> {
    let mut out = vec![Rational::ZERO; vector.len()];
    for (image, c) in matrix.iter().zip(vector).filter(|(_, c)| !c.is_zero()) {
        for (i, a) in image {
            out[*i] = &out[*i] + &(a * c);
        }
    }
    out
}

/// A row in echelon form, with its expression by the vectors entered so far.
struct Row {
    pivot: usize,
    vector: Vec<Rational>,
    combination: Vec<Rational>,
}

/// Enters a vector. If it depends on the earlier ones, returns the coefficients of the dependence.
fn dependence(
    cx: &Budget,
    rows: &mut Vec<Row>,
    mut vector: Vec<Rational>,
    n: usize,
) -> Budgeted<Option<Vec<Rational>>> {
    let mut combination = vec![Rational::ZERO; n + 1];
    combination[n] = Rational::ONE;
    for row in rows.iter() {
        let factor = vector[row.pivot].clone();
        if factor.is_zero() {
            continue;
        }
        let pairs = vector.iter_mut().zip(&row.vector).chain(combination.iter_mut().zip(&row.combination));
        for (a, b) in pairs.filter(|(_, b)| !b.is_zero()) {
            cx.check()?;
            *a = &*a - &(b * &factor);
        }
    }
    match vector.iter().position(|c| !c.is_zero()) {
        None => {
            combination.truncate(n);
            Ok(Some(combination.iter().map(|c| -c).collect()))
        }
        Some(pivot) => {
            let inverse = vector[pivot].recip().expect("not zero");
            let scale = |list: Vec<Rational>| list.iter().map(|c| c * &inverse).collect();
            rows.push(Row { pivot, vector: scale(vector), combination: scale(combination) });
            Ok(None)
        }
    }
}
