//! Ranks that jump: the values a rank takes, and the strata on which it takes them. Krupková §2,
//! docs/theory/odes.md §8.

use super::submanifold::Submanifold;
use crate::algebra::Expr;
use crate::algebra::Inquiry;
use crate::algebra::stratum::Frame;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
pub use crate::algebra::stratum::rank::Rank;
use crate::algebra::stratum::rank::strata_by;
use crate::budget::Budgeted;

/// The rank of a matrix of functions, point by point, on the set.
pub fn rank(cx: &Inquiry, rows: &[Vec<Expr>], n_columns: usize, on: &Submanifold) -> Budgeted<Rank> {
    let (frame, leaves) = rank_leaves(cx, rows, n_columns, on)?;
    strata_by(cx, &frame, &leaves, |leaf| leaf.rank)
}

/// The leaves of the homogeneous system with these rows, on every cell of the set.
pub(crate) fn rank_leaves(
    cx: &Inquiry,
    rows: &[Vec<Expr>],
    n_columns: usize,
    on: &Submanifold,
) -> Budgeted<(Frame, Vec<Leaf>)> {
    let entries: Vec<Expr> = rows.iter().flatten().copied().collect();
    let frame = on.frame(cx, &entries)?;
    let system = homogeneous(cx, &frame, rows, n_columns)?;
    let mut found = vec![];
    for cell in on.cells(cx, &frame)? {
        found.extend(leaves(cx, &frame, &system, &cell)?);
    }
    Ok((frame, found))
}

/// M y = 0, each row without its denominators.
pub(crate) fn homogeneous(cx: &Inquiry, frame: &Frame, rows: &[Vec<Expr>], n_columns: usize) -> Budgeted<LinearSystem> {
    let mut system = LinearSystem::new(n_columns);
    for row in rows {
        system.push(frame.read_row(cx, row)?, Default::default());
    }
    Ok(system)
}
