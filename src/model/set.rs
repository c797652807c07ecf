//! Sets of points of a jet space: unions of branches {equations = 0, inequations ≠ 0}.

use super::show::tidy;
use crate::algebra::{Expr, Symbol, Verdict, decide};
use crate::budget::Budgeted;
use crate::geometry::jet::JetSpace;
use rustc_hash::FxHashMap;
use std::fmt;

/// One branch.
#[derive(Clone)]
pub struct Branch {
    space: JetSpace,
    equations: Vec<Expr>,
    nonzero: Vec<Expr>,
}

/// A union of branches.
#[derive(Clone)]
pub struct PointSet {
    space: JetSpace,
    branches: Vec<Branch>,
}

impl Branch {
    pub fn new(space: &JetSpace, equations: Vec<Expr>, nonzero: Vec<Expr>) -> Branch {
        Branch { space: space.clone(), equations, nonzero }
    }

    pub fn equations(&self) -> Vec<Expr> {
        self.equations.clone()
    }

    pub fn nonzero(&self) -> Vec<Expr> {
        self.nonzero.clone()
    }

    pub fn as_set(&self) -> PointSet {
        PointSet { space: self.space.clone(), branches: vec![self.clone()] }
    }
}

impl PointSet {
    pub fn new(space: &JetSpace, branches: Vec<Branch>) -> PointSet {
        PointSet { space: space.clone(), branches }
    }

    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub fn only(&self, branch: &Branch) -> PointSet {
        PointSet { space: self.space.clone(), branches: vec![branch.clone()] }
    }

    pub fn is_empty(&self) -> Verdict {
        if self.branches.is_empty() { Verdict::yes("no branch") } else { Verdict::unknown("not decided") }
    }

    pub fn equals(&self, _other: &PointSet) -> Budgeted<Verdict> {
        Ok(Verdict::unknown("not decided"))
    }

    /// Whether the point lies in one of the branches.
    pub fn contains(&self, point: &FxHashMap<Symbol, Expr>) -> Budgeted<Verdict> {
        let at = |e: &Expr| crate::algebra::substitute::substitute(*e, point);
        let mut verdict = Verdict::no("in none of the branches");
        for branch in &self.branches {
            let on = Verdict::all(branch.equations.iter().map(|e| decide::is_zero(at(e))), "no equations");
            let off = Verdict::all(branch.nonzero.iter().map(|e| decide::is_zero(at(e)).negate()), "no inequations");
            verdict = verdict.or(on.and(off));
        }
        Ok(verdict)
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.equations.is_empty() && self.nonzero.is_empty() {
            return f.write_str("everywhere");
        }
        let parts: Vec<String> = self
            .equations
            .iter()
            .map(|e| format!("{} = 0", tidy(*e)))
            .chain(self.nonzero.iter().map(|e| format!("{} != 0", tidy(*e))))
            .collect();
        write!(f, "{{ {} }}", parts.join("; "))
    }
}

impl fmt::Display for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.branches.is_empty() {
            return f.write_str("empty");
        }
        let parts: Vec<String> = self.branches.iter().map(Branch::to_string).collect();
        f.write_str(&parts.join(" or "))
    }
}
