//! What is left of final sets where the equations hold: those of |x′ − y′| are written where x′ ≠ y′, and a branch on which every
//! motion has x′ = y′ has no motion of these equations.

use super::{DynamicBranch, Dynamics, LogEntry, LogItem, SystemDynamics};
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::stratum;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::budget::share;
use rustc_hash::FxHashMap;

impl SystemDynamics {
    /// Without the branches on which one of the conditions fails along every motion.
    pub fn where_hold(self, cx: &Inquiry, conditions: &[Condition]) -> SystemDynamics {
        SystemDynamics {
            extended: self.extended.where_hold(cx, conditions),
            proper: self.proper.where_hold(cx, conditions),
        }
    }
}

impl Dynamics {
    fn where_hold(mut self, cx: &Inquiry, conditions: &[Condition]) -> Dynamics {
        let (gone, kept): (Vec<_>, Vec<_>) =
            self.branches.into_iter().partition(|b| conditions.iter().any(|c| b.contradicts(cx, c)));
        self.branches = kept;
        if gone.is_empty() {
            return self;
        }
        let list = gone.into_iter().map(|b| b.branch).collect();
        let items = vec![LogItem::Sets { label: "the equations do not hold there".into(), list }];
        self.log.push(LogEntry { title: "Branches without a motion in the domain of the equations".into(), items });
        if !self.branches.is_empty() {
            if self.secondary.is_no() {
                self.secondary = Verdict::unknown("branches lie outside of the domain of the equations");
            }
            return self;
        }
        if self.complete.is_yes() && self.undescribed.is_empty() {
            let why = "on every branch the motions leave the domain of the equations";
            self.empty = Verdict::yes(why);
            self.secondary = Verdict::from_bool(!self.primary.is_empty(), why);
        } else {
            self.empty = Verdict::unknown("what was found lies outside of the domain of the equations");
        }
        self
    }
}

impl DynamicBranch {
    /// Whether a condition fails along every motion on the branch.
    fn contradicts(&self, cx: &Inquiry, condition: &Condition) -> bool {
        let motion: FxHashMap<Symbol, Expr> =
            self.accelerations.iter().filter_map(|(s, e)| Some((*s, (*e)?))).collect();
        let along = substitute(condition.left, &motion);
        if along.as_undefined().is_some() {
            return false;
        }
        if let Some(holds) = (Condition { left: along, ..*condition }).decided(cx) {
            return !holds;
        }
        let coordinates = self.space.symbols();
        let is_there = |s: &Symbol| s.is_parameter() || coordinates.contains(s);
        if !matches!(condition.relation, Relation::NotEqual | Relation::Greater)
            || self.branch.equations.is_empty()
            || !along.symbols().iter().all(is_there)
        {
            return false;
        }
        let vanishes = cx.within(share::MINOR, || stratum::vanishes_on(cx, &coordinates, along, &self.branch));
        vanishes.is_ok_and(|verdict| verdict.is_yes())
    }
}
