//! Factorisation over ℚ: squarefree, and into irreducibles.
//!
//! ```
//! use lepage::workshop::algebra::{factor::factor, polynomial::Polynomial};
//! use lepage::workshop::budget::Budget;
//! let cx = &Budget::unlimited();
//! let (x, y) = (Polynomial::variable(0), Polynomial::variable(1));
//! let p = &x.pow(cx, 4).unwrap() - &y.pow(cx, 4).unwrap();
//! let f = factor(cx, &p);
//! assert!(f.complete);
//! assert_eq!(f.to_string(), "(x0 - x1)*(x0 + x1)*(x0^2 + x1^2)");
//! ```
//!
//! Parameters are variables like others. A factorisation never claims more than it has shown: its product is
//! the polynomial in every case, its factors are irreducible over ℚ when it is `complete`. When a budget
//! ends, or a polynomial has more modular factors than can be combined, pieces stay together and `complete`
//! is false.

mod binomial;
mod multivariate;
mod residues;
mod univariate;

use crate::algebra::Inquiry;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
use std::fmt;

/// `unit · ∏ factorᵉ`; the factors are coprime, without integer content, with positive leading coefficient, and
/// in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factorisation {
    pub unit: Rational,
    pub factors: Vec<(Polynomial, u32)>,
    /// Every factor is proved irreducible over ℚ (of [`squarefree`]: proved free of squares).
    pub complete: bool,
}

/// What a factorisation costs for each term, in terms combined.
const FACTOR_WORK: u64 = 200;

/// The irreducible factors over ℚ. Zero has the unit zero and no factors.
pub fn factor(cx: &Budget, p: &Polynomial) -> Factorisation {
    let mut result = Factorisation { unit: p.content(), factors: Vec::new(), complete: true };
    if p.is_zero() {
        return result;
    }
    let primitive = p.primitive_part();
    let pieces = match cx.spend(FACTOR_WORK * p.n_terms() as u64).and_then(|()| squarefree_pieces(cx, &primitive)) {
        Ok(pieces) => pieces,
        Err(_) => {
            result.complete = false;
            vec![(primitive, 1)]
        }
    };
    for (piece, multiplicity) in pieces {
        // Pieces still to be split; what a budget leaves here is kept unsplit.
        let mut pending = vec![piece];
        while let Some(f) = pending.pop() {
            let step = if result.complete { split(cx, &f) } else { Err(Exhausted::Size) };
            match step {
                Ok(Step::Irreducible) => result.factors.push((f, multiplicity)),
                Ok(Step::Product(list)) => pending.extend(list),
                Ok(Step::Irreducibles(list)) => result.factors.extend(list.into_iter().map(|g| (g, multiplicity))),
                Ok(Step::Unknown) | Err(_) => {
                    result.complete = false;
                    result.factors.push((f, multiplicity));
                }
            }
        }
    }
    result.factors.sort();
    result
}

/// The same; what was factored before is not factored again.
pub fn factor_once(cx: &Inquiry, p: &Polynomial) -> Factorisation {
    let known = &cx.facts().memo().factored;
    known.get(cx, p, |found| found.complete, || Ok(factor(cx, p))).unwrap_or_else(|_| factor(cx, p))
}

/// Coprime factors without squares. The result is complete, or the budget error.
pub fn squarefree(cx: &Budget, p: &Polynomial) -> Budgeted<Factorisation> {
    let mut result = Factorisation { unit: p.content(), factors: Vec::new(), complete: true };
    if !p.is_zero() {
        result.factors = squarefree_pieces(cx, &p.primitive_part())?;
    }
    result.factors.sort();
    Ok(result)
}

/// The product of the distinct irreducible factors: the same zeros, no squares. Zero of zero.
pub fn squarefree_part(cx: &Budget, p: &Polynomial) -> Budgeted<Polynomial> {
    if p.is_zero() {
        return Ok(Polynomial::zero());
    }
    let pieces = squarefree_pieces(cx, &p.primitive_part())?;
    Polynomial::product(cx, pieces.iter().map(|(f, _)| f))
}

impl Factorisation {
    /// The polynomial again.
    pub fn product(&self, cx: &Budget) -> Budgeted<Polynomial> {
        Ok(self.monic_product(cx)?.scale(&self.unit))
    }

    /// The product of the factors without the unit.
    pub fn monic_product(&self, cx: &Budget) -> Budgeted<Polynomial> {
        let mut product = Polynomial::one();
        for (f, e) in &self.factors {
            product = product.mul(cx, &f.pow(cx, *e)?)?;
        }
        Ok(product)
    }

    /// One factor, once, and complete: the polynomial is irreducible.
    pub fn is_irreducible(&self) -> bool {
        self.complete && matches!(self.factors.as_slice(), [(_, 1)])
    }
}

impl fmt::Display for Factorisation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut first = true;
        if !self.unit.is_one() || self.factors.is_empty() {
            write!(f, "{}", self.unit)?;
            first = false;
        }
        for (factor, e) in &self.factors {
            if !first {
                f.write_str("*")?;
            }
            first = false;
            let plain = factor.n_terms() == 1;
            if plain {
                write!(f, "{factor}")?
            } else {
                write!(f, "({factor})")?
            }
            if *e > 1 {
                write!(f, "^{e}")?;
            }
        }
        Ok(())
    }
}

/// Squarefree decomposition of a primitive polynomial: contents first, then Yun's algorithm in one variable.
fn squarefree_pieces(cx: &Budget, p: &Polynomial) -> Budgeted<Vec<(Polynomial, u32)>> {
    let mut pieces = Vec::new();
    let monomial = p.monomial_content();
    for &(v, e) in &monomial {
        pieces.push((Polynomial::variable(v), e));
    }
    let mut pending = vec![p.without_monomial(&monomial)];
    while let Some(f) = pending.pop() {
        cx.check()?;
        let Some(x) = lowest_variable(&f) else { continue };
        let content = f.content_in(cx, x)?;
        let f = if content.is_constant() {
            f
        } else {
            let rest = f.div_exact(cx, &content)?.expect("the content divides");
            pending.push(content);
            rest
        };
        // Yun: with f = ∏ aᵢⁱ, successive gcds of f/gcd and the derivative peel off a₁, a₂, ….
        let derivative = f.derivative(x);
        let first = f.gcd_cofactors(cx, &derivative)?;
        let (mut b, mut c) = (first.left, first.right);
        let mut multiplicity = 1;
        while !b.is_constant() {
            let d = &c - &b.derivative(x);
            if d.is_zero() {
                pieces.push((b.primitive_part(), multiplicity));
                break;
            }
            let next = b.gcd_cofactors(cx, &d)?;
            if !next.gcd.is_constant() {
                pieces.push((next.gcd.clone(), multiplicity));
            }
            b = next.left;
            c = next.right;
            multiplicity += 1;
        }
    }
    Ok(pieces)
}

fn lowest_variable(f: &Polynomial) -> Option<u32> {
    let degrees = f.degrees();
    f.variables().iter().copied().zip(degrees).min_by_key(|&(_, d)| d).map(|(v, _)| v)
}

/// What one look at a squarefree polynomial found.
enum Step {
    Irreducible,
    Irreducibles(Vec<Polynomial>),
    /// Smaller pieces that are to be looked at again.
    Product(Vec<Polynomial>),
    Unknown,
}

fn split(cx: &Budget, f: &Polynomial) -> Budgeted<Step> {
    cx.check()?;
    if f.n_terms() == 2
        && let Some(step) = binomial::binomial_factors(cx, f)?
    {
        return Ok(step);
    }
    match f.variables() {
        [] => return Ok(Step::Irreducibles(Vec::new())),
        [x] => return univariate_factors(cx, f, *x),
        _ => {}
    }
    let main = main_variable(f);
    let x = f.variables()[main];
    let content = f.content_in(cx, x)?;
    if !content.is_constant() {
        let rest = f.div_exact(cx, &content)?.expect("the content divides");
        return Ok(Step::Product(vec![content, rest]));
    }
    if f.degree_in(x) == 1 {
        return Ok(Step::Irreducible);
    }
    Ok(multivariate::irreducible(cx, f, main)?.map_or(Step::Unknown, Step::Irreducibles))
}

/// Low degree, and a leading coefficient that is a number or a monomial.
fn main_variable(f: &Polynomial) -> usize {
    let cost = |k: usize| {
        let v = f.variables()[k];
        let lead = f.leading_coefficient_in(v);
        let degree = f.degree_in(v) as usize;
        let lead_cost = if lead.is_constant() { 0 } else { lead.n_terms().min(40) };
        if degree == 1 { 0 } else { 4 * degree + lead_cost }
    };
    (0..f.variables().len()).min_by_key(|&k| cost(k)).expect("a variable occurs")
}

fn univariate_factors(cx: &Budget, f: &Polynomial, x: u32) -> Budgeted<Step> {
    let coefficients = f.primitive_part().coefficients_in(x);
    let list = coefficients
        .iter()
        .map(|c| c.as_constant().expect("one variable only").numerator().to_big())
        .collect::<Vec<_>>();
    let factors = univariate::irreducible(cx, &list)?;
    let polynomial = |list: Vec<dashu_int::IBig>| {
        let terms = list.into_iter().enumerate().map(|(e, c)| {
            let c = Rational::integer(Integer::from_big(c));
            (smallvec::smallvec![(x, e as u32)], c)
        });
        Polynomial::from_terms(terms.collect::<Vec<_>>())
    };
    Ok(Step::Irreducibles(factors.into_iter().map(polynomial).collect()))
}

#[cfg(test)]
mod tests;
