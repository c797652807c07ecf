//! What the branches of an answer say about each other.
//!
//! A final set is described by itself: its equations, the vectors that are tangent to it. One thing is seen only beside the others. A set
//! that was found because it goes on through a boundary lies in the open part but for that boundary, and where more motions pass on the open
//! part they pass through it, too: for L = z x′y′ − 3y/2 the set {y′ = 0, x′z′ = −3/2} has one motion through each point that stays in it, and
//! as many as there are functions x on {y′ = 0}.

use super::{DynamicBranch, Task};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::Cell;
use crate::algebra::{Inquiry, Verdict};
use crate::budget::{Budgeted, share};

impl Task<'_> {
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
