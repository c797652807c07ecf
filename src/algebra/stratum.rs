//! Strata: sets {equations = 0, inequations ≠ 0} of real points, and linear algebra over them.
//!
//! Where a matrix of functions has which rank, and where a linear system with coefficients that vary from
//! point to point can be solved, are questions about such sets. The answer is a finite list of
//! [`Branch`]es, *leaves* that fill the set, on each of which the rank is constant and solvability is decided.
//! The two procedures keep the names they have in docs/theory/odes.md §8:
//!
//! - [`split`](cell::Frame::split) decomposes {equations, inequations} into simple pieces and drops empty ones;
//! - [`leaves`](leaves::leaves) runs fraction-free elimination, and branches wherever a pivot may vanish.
//!
//! # What the polynomials are made of
//!
//! Functions are read as quotients of polynomials in [generators](super::generator): coordinates,
//! parameters, sin θ and cos θ with their relation, e^u ≠ 0, roots, unspecified functions V(q) and their
//! derivatives as independent quantities. Denominators never vanish where the functions are defined; they form the
//! *domain*, which every branch respects silently. Polynomials in parameters alone are taken to be nonzero, as
//! generic parameters make them; which ones is recorded ([`Frame::generic_conditions`]).
//!
//! # Radicals before differentials
//!
//! q² = 0 means q = 0, and only the second form has a differential that does not vanish there. Every branch
//! that leaves this module has its equations factored, squares and sums of squares resolved as the reals
//! demand ([`real`]), and components on which an inequation fails removed.

pub mod algebraic_point;
pub mod basis;
pub mod cell;
mod combination;
pub mod components;
mod coupling;
mod critical;
mod facts;
mod families;
mod half_angle;
pub mod independence;
pub mod leaves;
pub mod rank;
pub mod real;
pub mod regular;
pub mod sample;
pub mod set;
mod shear;
pub(crate) mod single_argument;
pub mod solve;
mod taken;
pub mod tangent;

#[cfg(test)]
mod tests;

pub use cell::{Cell, Frame};

use super::conditions;
use super::expr::Expr;
use super::symbol::Symbol;
use super::verdict::Verdict;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// {equations = 0, nonzero ≠ 0}. Without entries it is everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branch {
    pub equations: Vec<Expr>,
    pub nonzero: Vec<Expr>,
}

impl Branch {
    pub fn everything() -> Branch {
        Branch::default()
    }

    pub fn is_everything(&self) -> bool {
        self.equations.is_empty() && self.nonzero.is_empty()
    }
}

/// Whether two unions of branches are the same set of real points. `coordinates` says which symbols move; the
/// others are generic parameters.
pub fn equal_sets(cx: &Inquiry, coordinates: &[Symbol], left: &[Branch], right: &[Branch]) -> Budgeted<Verdict> {
    let (frame, left, right) = read_sets(cx, coordinates, left, right)?;
    let verdict = set::equals(cx, &frame, &left, &right)?;
    if verdict.is_no() && frame.has_parameters(left.iter().chain(&right)) {
        let mut apart = vec![];
        for (ours, others) in [(&left, &right), (&right, &left)] {
            for cell in ours {
                apart.extend(set::difference_from_all(cx, &frame, cell, others)?);
            }
        }
        return for_all_parameters(cx, &frame, &apart, verdict, "whether they differ depends on the parameters");
    }
    Ok(with_conditions(cx, &frame, verdict))
}

/// A yes, with what was taken not to vanish for it.
fn with_conditions(cx: &Inquiry, frame: &Frame, verdict: Verdict) -> Verdict {
    if verdict.is_yes() {
        frame.generic_conditions().into_iter().for_each(|e| conditions::record_nonzero(cx, e));
    }
    verdict
}

/// A point that was found where parameters have chosen values says nothing for others: x² = a has one where a > 0.
fn for_all_parameters(
    cx: &Inquiry,
    frame: &Frame,
    cells: &[Cell],
    verdict: Verdict,
    otherwise: &str,
) -> Budgeted<Verdict> {
    if verdict.is_no() && !set::has_point_for_any_parameters(cx, frame, cells)? {
        return Ok(Verdict::unknown(otherwise));
    }
    Ok(with_conditions(cx, frame, verdict))
}

/// Whether a union of branches has no point.
pub fn is_empty_set(cx: &Inquiry, coordinates: &[Symbol], list: &[Branch]) -> Budgeted<Verdict> {
    let (frame, cells, _) = read_sets(cx, coordinates, list, &[])?;
    let verdict = set::is_union_empty(cx, &frame, &cells)?;
    for_all_parameters(cx, &frame, &cells, verdict, "whether it has a point depends on the parameters")
}

/// Whether a function vanishes at every point of a branch.
pub fn vanishes_on(cx: &Inquiry, coordinates: &[Symbol], e: Expr, branch: &Branch) -> Budgeted<Verdict> {
    let all: Vec<Expr> = branch.equations.iter().chain(&branch.nonzero).chain([&e]).copied().collect();
    let frame = Frame::new(cx, coordinates, &all)?;
    let numerator = frame.read_numerator(cx, e)?;
    let mut verdict = Verdict::yes("it lies in the ideal of the equations");
    for cell in frame.cells(cx, branch)? {
        if !cell.reduce(cx, &frame, &numerator)?.is_zero() {
            let outside = frame.refine(cx, &cell, &[], std::slice::from_ref(&numerator))?;
            verdict = verdict.and(set::is_union_empty(cx, &frame, &outside)?);
        }
    }
    Ok(with_conditions(cx, &frame, verdict))
}

/// The union simplified: factored, real, without empty or contained pieces.
pub fn simplified(cx: &Inquiry, coordinates: &[Symbol], list: &[Branch]) -> Budgeted<Vec<Branch>> {
    Ok(simplified_where(cx, coordinates, list)?.0)
}

/// The same, and the functions of the parameters that were taken not to vanish.
pub fn simplified_where(cx: &Inquiry, coordinates: &[Symbol], list: &[Branch]) -> Budgeted<(Vec<Branch>, Vec<Expr>)> {
    let (frame, cells, _) = read_sets(cx, coordinates, list, &[])?;
    let found = set::merged(cx, &frame, cells)?.iter().map(|cell| frame.branch(cx, cell)).collect::<Budgeted<_>>()?;
    Ok((found, frame.generic_conditions()))
}

fn read_sets(
    cx: &Inquiry,
    coordinates: &[Symbol],
    left: &[Branch],
    right: &[Branch],
) -> Budgeted<(Frame, Vec<Cell>, Vec<Cell>)> {
    let all: Vec<Expr> = left.iter().chain(right).flat_map(|b| b.equations.iter().chain(&b.nonzero)).copied().collect();
    let frame = Frame::new(cx, coordinates, &all)?;
    let read = |list: &[Branch]| -> Budgeted<Vec<Cell>> {
        let mut cells = Vec::new();
        for branch in list {
            cells.extend(frame.cells(cx, branch)?);
        }
        Ok(cells)
    };
    let (left, right) = (read(left)?, read(right)?);
    Ok((frame, left, right))
}
