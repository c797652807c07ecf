//! Ranks that jump: the values a rank takes, and the strata on which it takes them. Krupková §2, sheet §8.

use super::submanifold::Submanifold;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::{Expr, Verdict};
use crate::budget::Budgeted;

/// The values of a rank, ascending, and where each is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    pub values: Vec<usize>,
    /// Disjoint and shortly written; together they fill the set on which the rank was asked for.
    pub strata: Vec<(Branch, usize)>,
    /// Whether exactly these values occur.
    pub complete: Verdict,
}

/// The rank of a matrix of functions, point by point, on the set.
pub fn rank(rows: &[Vec<Expr>], n_columns: usize, on: &Submanifold) -> Budgeted<Rank> {
    let (frame, leaves) = rank_leaves(rows, n_columns, on)?;
    strata(&frame, &leaves, |leaf| leaf.rank)
}

/// The leaves of the homogeneous system with these rows, on every cell of the set.
pub(crate) fn rank_leaves(rows: &[Vec<Expr>], n_columns: usize, on: &Submanifold) -> Budgeted<(Frame, Vec<Leaf>)> {
    let entries: Vec<Expr> = rows.iter().flatten().copied().collect();
    let frame = on.frame(&entries)?;
    let system = homogeneous(&frame, rows, n_columns)?;
    let mut found = vec![];
    for cell in on.cells(&frame)? {
        found.extend(leaves(&frame, &system, &cell)?);
    }
    Ok((frame, found))
}

/// M y = 0, each row without its denominators.
pub(crate) fn homogeneous(frame: &Frame, rows: &[Vec<Expr>], n_columns: usize) -> Budgeted<LinearSystem> {
    let mut system = LinearSystem::new(n_columns);
    for row in rows {
        system.push(frame.read_row(row)?, Default::default());
    }
    Ok(system)
}

/// The strata of a number that is constant on every leaf.
pub(crate) fn strata(frame: &Frame, list: &[Leaf], value: impl Fn(&Leaf) -> usize) -> Budgeted<Rank> {
    let mut values: Vec<usize> = list.iter().map(&value).collect();
    values.sort_unstable();
    values.dedup();
    let mut rank = Rank { values: vec![], strata: vec![], complete: Verdict::yes("every stratum has a point on it") };
    for v in values {
        let cells: Vec<Cell> = list.iter().filter(|leaf| value(leaf) == v).map(|leaf| leaf.cell.clone()).collect();
        let occurs = set::is_union_empty(frame, &cells)?.negate();
        if occurs.is_no() {
            continue;
        }
        if let Verdict::Unknown(why) = &occurs {
            rank.complete = rank.complete.and(Verdict::unknown(format!("whether the value {v} occurs: {why}")));
        }
        rank.values.push(v);
        for cell in set::merged(frame, cells)? {
            rank.strata.push((frame.branch(&cell)?, v));
        }
    }
    Ok(rank)
}

impl Rank {
    /// The rank n − r of the complement.
    pub fn complement(self, n: usize) -> Rank {
        let mut values: Vec<usize> = self.values.iter().map(|r| n - r).collect();
        values.sort_unstable();
        let strata = self.strata.into_iter().map(|(branch, r)| (branch, n - r)).collect();
        Rank { values, strata, complete: self.complete }
    }

    /// Whether the rank is the same everywhere.
    pub fn is_constant(&self) -> bool {
        self.values.len() == 1
    }
}
