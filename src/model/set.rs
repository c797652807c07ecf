//! Sets of points of a jet space: unions of branches {equations = 0, inequations ≠ 0}, compared as
//! real point sets by the strata engine.

use super::show::tidy;
use crate::algebra::Inquiry;
use crate::algebra::stratum;
pub use crate::algebra::stratum::Branch;
use crate::algebra::{Expr, Node, Symbol, Verdict};
use crate::budget::Budgeted;
use crate::geometry::jet::JetSpace;
use crate::mechanics::constraint_algorithm::union_contains_point;
use rustc_hash::FxHashMap;
use std::fmt;

/// A union of branches.
#[derive(Clone)]
pub struct PointSet {
    space: JetSpace,
    /// Symbols that move beside the coordinates: parameters about which cases are distinguished.
    others: Vec<Symbol>,
    branches: Vec<Branch>,
}

impl PointSet {
    pub fn new(space: &JetSpace, branches: Vec<Branch>) -> PointSet {
        PointSet { space: space.clone(), others: vec![], branches }
    }

    /// The same set when these symbols move too.
    pub fn moving(mut self, symbols: &[Symbol]) -> PointSet {
        let known = self.symbols();
        self.others.extend(symbols.iter().filter(|s| !known.contains(s)));
        self
    }

    /// Everything that moves: the coordinates of the space, and what else was named.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = self.space.symbols();
        symbols.extend(&self.others);
        symbols
    }

    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub fn only(&self, branch: &Branch) -> PointSet {
        PointSet { branches: vec![branch.clone()], ..self.clone() }
    }

    pub fn is_empty(&self, cx: &Inquiry) -> Verdict {
        stratum::is_empty_set(cx, &self.symbols(), &self.branches)
            .unwrap_or_else(|stop| Verdict::unknown(stop.to_string()))
    }

    /// The same points; the sets may be written on jet spaces of different orders.
    pub fn equals(&self, cx: &Inquiry, other: &PointSet) -> Budgeted<Verdict> {
        let mut symbols = self.symbols();
        symbols.extend(other.symbols().into_iter().filter(|s| !self.space.contains(*s) && !self.others.contains(s)));
        stratum::equal_sets(cx, &symbols, &self.branches, &other.branches)
    }

    /// Whether the point lies in one of the branches.
    pub fn contains(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Budgeted<Verdict> {
        Ok(union_contains_point(cx, &self.branches, point))
    }
}

/// cos x for −2·cos x: where it vanishes is the same.
fn without_factor(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => match terms[0].0.node() {
            Node::Sum { .. } | Node::Product(_) => e,
            _ => terms[0].0,
        },
        _ => e,
    }
}

/// A branch as it is written in a declaration.
pub fn branch_text(cx: &Inquiry, branch: &Branch) -> String {
    if branch.is_everything() {
        return "everywhere".into();
    }
    let equations = branch.equations.iter().map(|e| format!("{} = 0", without_factor(tidy(cx, *e))));
    let nonzero = branch.nonzero.iter().map(|e| format!("{} != 0", without_factor(tidy(cx, *e))));
    format!("{{ {} }}", equations.chain(nonzero).collect::<Vec<_>>().join("; "))
}

impl fmt::Display for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.branches.is_empty() {
            return f.write_str("empty");
        }
        let parts: Vec<String> = self.branches.iter().map(|x| branch_text(&Inquiry::free(), x)).collect();
        f.write_str(&parts.join(" or "))
    }
}
