//! Equations in which an unknown stands in several exponentials. e^(u + v) is written e^u·e^v; where only powers of one product of them occur,
//! up to a common factor, the equation is one for that product.

use super::{Alternative, Root, Step, Unsolved, condition, linear_roots, power_roots, quadratic_roots, to_expr};
use crate::algebra::Inquiry;
use crate::algebra::decide::sign;
use crate::algebra::expr::{Expr, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::generator::{Generator, Kind};
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::symbol::Symbol;
use crate::budget::Budgeted;

/// Equations of a higher degree than this in an exponential are not written as such.
const MAX_POWER: i64 = 12;

/// Several exponentials of which only powers of one product W = ∏ (e^uᵢ)^nᵢ occur, up to a common factor: the equation is one for W > 0, and
/// Σ nᵢ·uᵢ = log W.
pub(super) fn one_exponential(
    cx: &Inquiry,
    p: &Polynomial,
    x: Symbol,
    held: &[u32],
) -> Result<Option<(u32, Vec<Alternative>)>, Unsolved> {
    let mut exponents = vec![];
    for g in held {
        let Kind::Exponential(u) = Generator(*g).kind() else { return Ok(None) };
        exponents.push(u);
    }
    if held.len() < 2 {
        return Ok(None);
    }
    // Terms by their degrees in the exponentials.
    let mut terms: Vec<(Vec<i64>, Polynomial)> = vec![(vec![], p.clone())];
    for g in held {
        let by_degree = |(degrees, rest): (Vec<i64>, Polynomial)| {
            let parts = rest.coefficients_in(*g).into_iter().enumerate();
            let longer = parts.filter(|(_, c)| !c.is_zero());
            longer.map(|(n, c)| ([degrees.as_slice(), &[n as i64]].concat(), c)).collect::<Vec<_>>()
        };
        terms = terms.into_iter().flat_map(by_degree).collect();
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let [(lowest, _), (second, _), ..] = terms.as_slice() else { return Ok(None) };
    let lowest = lowest.clone();
    let apart = |degrees: &[i64]| -> Vec<i64> { degrees.iter().zip(&lowest).map(|(a, b)| a - b).collect() };
    let step = apart(second);
    let size = step.iter().fold(0, |g, n| greatest_common_divisor(g, *n));
    let step: Vec<i64> = step.iter().map(|n| n / size).collect();
    let lead = step.iter().position(|n| *n != 0).unwrap_or(0);
    let mut parts: Vec<Polynomial> = vec![];
    for (degrees, coefficient) in &terms {
        let apart = apart(degrees);
        let power = apart[lead] / step[lead];
        if !(0..=MAX_POWER).contains(&power) || apart.iter().zip(&step).any(|(a, s)| *a != power * s) {
            return Ok(None);
        }
        if parts.len() <= power as usize {
            parts.resize(power as usize + 1, Polynomial::zero());
        }
        parts[power as usize] = coefficient.clone();
    }
    let exprs = parts.iter().map(|c| to_expr(cx, c)).collect::<Budgeted<Vec<Expr>>>()?;
    let degree = parts.len() - 1;
    let roots = match degree {
        1 => linear_roots(&exprs),
        2 => quadratic_roots(cx, &parts, &exprs)?,
        n if parts[1..n].iter().all(Polynomial::is_zero) => power_roots(cx, exprs[0], exprs[n], n as u32, held[0]),
        n => {
            let reason = format!("it is of degree {n} in an exponential of {x}");
            return Err(Unsolved::Beyond { equation: polynomial_expr(p), reason });
        }
    };
    let exponent = Expr::add_all(exponents.iter().zip(&step).map(|(u, n)| *u * Expr::from(*n)));
    let mut list = vec![];
    for (root, mut conditions) in roots {
        let step = match root {
            Root::Value(v) if sign(cx, v).is_nonpositive() => continue,
            Root::Value(v) => {
                conditions.push(condition(Relation::Greater, v));
                Step::Equation(exponent - Expr::apply(Elementary::Log, &[v]))
            }
            Root::Lower(e) => Step::Equation(e(Expr::apply(Elementary::Exp, &[exponent]))),
            Root::Anything => Step::Nothing,
        };
        list.push((step, conditions));
    }
    Ok(Some((3, list)))
}

/// The greatest common divisor.
fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { greatest_common_divisor(b, a % b) }
}
