//! What the branches of an answer say about each other, and about the parameters.
//!
//! A final set is described by itself: its equations, the vectors that are tangent to it. Two things are seen only beside the others. A set
//! that was found because it goes on through a boundary lies in the open part but for that boundary, and where more motions pass on the open
//! part they pass through it, too: for L = z x′y′ − 3y/2 the set {y′ = 0, x′z′ = −3/2} has one motion through each point that stays in it, and
//! as many as there are functions x on {y′ = 0}. And a point of a set may exist for some values of the parameters alone.

use super::{DynamicBranch, Task, contains_point};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::sample::sample_point;
use crate::algebra::stratum::{Branch, Cell};
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use rustc_hash::FxHashMap;

impl Task<'_> {
    /// Whether one of the sets has a point whatever the parameters are: x² + y² = a has one for some of them only.
    pub(super) fn has_points_for_all_parameters(&self, cx: &Inquiry, finals: &[Cell]) -> Budgeted<bool> {
        let branches: Vec<Branch> = finals.iter().map(|cell| self.frame.branch_at_hand(cx, cell)).collect();
        let all = branches.iter().flat_map(|b| b.equations.iter().chain(&b.nonzero));
        if !all.flat_map(|e| e.symbols()).any(|s| s.is_parameter()) {
            return Ok(true);
        }
        for (cell, branch) in finals.iter().zip(&branches) {
            let Some(point) = sample_point(cx, self.frame, cell)? else { continue };
            let values = point.symbols().into_iter().filter(|(s, _)| !s.is_parameter());
            let values: FxHashMap<Symbol, Expr> = values.map(|(s, x)| (s, Expr::number(x))).collect();
            if contains_point(cx, branch, &values).is_yes() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A branch most of whose points lie on another one where more functions are free: motions leave it there, so that nothing is
    /// determined, however small its own distribution.
    pub(super) fn compared(&self, cx: &Inquiry, list: Vec<(&Cell, DynamicBranch)>) -> Budgeted<Vec<DynamicBranch>> {
        let freedoms: Vec<(&Cell, usize)> = list.iter().map(|(cell, b)| (*cell, b.free)).collect();
        let covers = |other: &Cell, cell: &Cell| -> Budgeted<bool> {
            let vanishes = |g: &Polynomial| Ok(cell.reduce(cx, self.frame, g)?.is_zero());
            for g in other.equations() {
                if !vanishes(g)? {
                    return Ok(false);
                }
            }
            for g in other.nonzero() {
                if vanishes(g)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let mut compared = Vec::with_capacity(list.len());
        for (cell, mut branch) in list {
            for (other, free) in freedoms.iter().filter(|(_, free)| *free > branch.free) {
                if branch.determined.is_yes() && cx.aside(share::SIDE, || covers(other, cell))? == Some(true) {
                    let whose = "most of its points lie on a branch with more motions";
                    branch.determined =
                        Verdict::no(format!("{whose}, of which the distribution has rank {}", free + 1));
                }
            }
            compared.push(branch);
        }
        Ok(compared)
    }
}
