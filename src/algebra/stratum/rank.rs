//! Ranks with their strata: which values a rank takes, and where.

use super::super::expr::Expr;
use super::super::verdict::Verdict;
use super::cell::{Cell, Frame};
use super::leaves::{Leaf, LinearSystem};
use super::{Branch, set};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};

/// The values of a rank, ascending, and where each is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    pub values: Vec<usize>,
    /// Shortly written; together they fill the set on which the rank was asked for.
    pub strata: Vec<(Branch, usize)>,
    /// Whether exactly these values occur.
    pub complete: Verdict,
    /// The computation was stopped: the strata do not fill the set.
    pub stopped: Option<Exhausted>,
    /// Expressions in parameters that were taken to be nonzero.
    pub generic: Vec<Expr>,
}

/// The system M y = r, row by row without denominators.
pub fn system_of(cx: &Inquiry, frame: &Frame, matrix: &[Vec<Expr>], right: &[Expr]) -> Budgeted<LinearSystem> {
    let mut system = LinearSystem::new(matrix.first().map_or(0, Vec::len));
    for (row, r) in matrix.iter().zip(right) {
        let mut all = frame.read_row(cx, &[row.as_slice(), &[*r]].concat())?;
        let right = all.pop().unwrap_or_default();
        system.push(all, right);
    }
    Ok(system)
}

/// The strata of a number that is constant on every leaf of `whole`.
pub fn rank_by(
    cx: &Inquiry,
    frame: &Frame,
    whole: &Cell,
    list: &[Leaf],
    value: impl Fn(&Leaf) -> usize,
) -> Budgeted<Rank> {
    let mut values: Vec<usize> = list.iter().map(&value).collect();
    values.sort_unstable();
    values.dedup();
    if let [only] = values[..] {
        let complete = set::is_empty(cx, frame, whole)?.negate();
        let complete = if complete.is_no() { Verdict::yes("there is no point") } else { complete };
        let strata = vec![(frame.branch(cx, whole)?, only)];
        return Ok(Rank { values, strata, complete, stopped: None, generic: frame.generic_conditions() });
    }
    strata_by(cx, frame, list, value)
}

/// The strata of a number that is constant on every leaf of some set.
pub fn strata_by(cx: &Inquiry, frame: &Frame, list: &[Leaf], value: impl Fn(&Leaf) -> usize) -> Budgeted<Rank> {
    let mut values: Vec<usize> = list.iter().map(&value).collect();
    values.sort_unstable();
    values.dedup();
    let mut kept = Vec::new();
    let mut strata = Vec::new();
    let mut complete = Verdict::yes("every stratum has a point on it");
    for v in values {
        let cells: Vec<Cell> = list.iter().filter(|leaf| value(leaf) == v).map(|leaf| leaf.cell.clone()).collect();
        let occurs = set::is_union_empty(cx, frame, &cells)?.negate();
        if occurs.is_no() {
            continue;
        }
        if let Verdict::Unknown(why) = &occurs {
            complete = complete.and(Verdict::unknown(format!("whether the value {v} occurs: {why}")));
        } else if !set::has_point_for_any_parameters(cx, frame, &cells)? {
            complete =
                complete.and(Verdict::unknown(format!("whether the value {v} occurs depends on the parameters")));
        }
        kept.push(v);
        for cell in set::merged(cx, frame, cells)? {
            strata.push((frame.branch(cx, &cell)?, v));
        }
    }
    Ok(Rank { values: kept, strata, complete, stopped: None, generic: frame.generic_conditions() })
}

impl Rank {
    /// The rank n − r of the complement.
    pub fn complement(self, n: usize) -> Rank {
        let mut values: Vec<usize> = self.values.iter().map(|r| n - r).collect();
        values.sort_unstable();
        let strata = self.strata.into_iter().map(|(branch, r)| (branch, n - r)).collect();
        Rank { values, strata, ..self }
    }

    /// Whether the rank is the same everywhere.
    pub fn is_constant(&self) -> bool {
        self.values.len() == 1
    }
}
