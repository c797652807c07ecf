//! The set M of J¹Y on which a constrained motion lives, as Lewis §3.3 and Barone et al. §7 take it: equations
//! B^b(t, q, v) = 0, and nothing said yet about forces.
//!
//! Values on M are wanted in coordinates of M. Where the equations can be solved for some velocities, by those named or by
//! a choice, M is the graph of the solution and everything is [restricted](ConstraintSet::restrict) by substituting it;
//! derivatives are taken before. Where they cannot, as for x² + y² = l², M stays a zero set, and zero tests and ranks are
//! taken on it by the strata engine.

use super::{Answered, exhausted, tidy};
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::solve::{self, Unsolved};
use crate::algebra::stratum::rank::Rank;
use crate::algebra::stratum::{self, Branch};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict, conditions, decide};
use crate::budget::share;
use crate::geometry::jet::JetSpace;
use crate::geometry::rank;
use crate::geometry::restriction::Restriction;
use crate::geometry::submanifold::Submanifold;
use rustc_hash::FxHashMap;

/// {B = 0} in J¹Y.
#[derive(Clone, Debug)]
pub struct ConstraintSet {
    space: JetSpace,
    equations: Vec<Expr>,
    /// Velocities as functions of the other coordinates; empty if M is not a graph, or everything.
    solved: FxHashMap<Symbol, Expr>,
    /// Under which the solution is the one that was meant.
    conditions: Vec<Condition>,
}

/// Which sheet of M is meant.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub conditions: Vec<Condition>,
    /// Points that lie on it.
    pub points: Vec<FxHashMap<Symbol, Expr>>,
}

/// More choices of velocities than this are not tried.
const MAX_CHOICES: usize = 40;

impl ConstraintSet {
    /// J¹Y itself.
    pub fn everything(space: &JetSpace) -> ConstraintSet {
        ConstraintSet { space: space.clone(), equations: vec![], solved: FxHashMap::default(), conditions: vec![] }
    }

    /// {B = 0}, solved for the velocities in `dependent` if there are some, else for whichever can be had.
    pub fn new(
        cx: &Inquiry,
        space: &JetSpace,
        equations: Vec<Expr>,
        dependent: &[Symbol],
        sheet: &Sheet,
    ) -> Answered<ConstraintSet> {
        let mut set = ConstraintSet { equations, ..ConstraintSet::everything(space) };
        let is_velocity = |s: &Symbol| space.manifold().order_of_symbol(*s) == Some(1);
        let occurring: Vec<Symbol> = space
            .symbols()
            .into_iter()
            .filter(|s| is_velocity(s) && set.equations.iter().any(|e| e.contains(*s)))
            .collect();
        let k = set.equations.len();
        let named: Vec<Symbol> = dependent
            .iter()
            .filter_map(|s| s.as_jet().map(|(q, _)| q.jet(1)))
            .filter(|s| occurring.contains(s))
            .collect();
        let is_named = named.len() == k;
        let choices = if is_named { vec![named] } else { choices(&occurring, k) };
        for unknowns in choices.into_iter().take(MAX_CHOICES) {
            // A solution that holds on a part of M only is taken if it was asked for: as a zero set M is all there.
            let found = set.graph(cx, &unknowns, sheet)?.filter(|(_, conditions)| is_named || conditions.is_empty());
            if let Some(found) = found {
                (set.solved, set.conditions) = found;
                break;
            }
        }
        if set.solved.is_empty() {
            set.conditions.clone_from(&sheet.conditions);
        }
        Ok(set)
    }

    /// The only solution for these velocities on the sheet.
    #[allow(clippy::type_complexity)]
    fn graph(
        &self,
        cx: &Inquiry,
        unknowns: &[Symbol],
        sheet: &Sheet,
    ) -> Answered<Option<(FxHashMap<Symbol, Expr>, Vec<Condition>)>> {
        let found = match solve::solve_where(cx, &self.equations, &sheet.conditions, unknowns) {
            Ok(found) => found,
            Err(Unsolved::Budget(stop)) => return Err(exhausted(stop)),
            Err(Unsolved::Beyond { .. }) => return Ok(None),
        };
        let on_sheet = |branch: &solve::Branch| {
            sheet.points.iter().all(|point| {
                branch.values.iter().all(|(s, e)| match point.get(s) {
                    Some(value) => !decide::is_zero(cx, substitute(*e, point) - *value).is_no(),
                    None => true,
                })
            })
        };
        let (mut graphs, others): (Vec<solve::Branch>, Vec<solve::Branch>) =
            found.branches.into_iter().filter(|b| on_sheet(b)).partition(|b| b.free.is_empty());
        let (Some(branch), None) = (graphs.pop(), graphs.pop()) else { return Ok(None) };
        // Where the graph is given, no velocity is left to be chosen: of (x' − z)(y' − x) = 0 it would be a part.
        let there = &cx.where_hold(&branch.conditions);
        let elsewhere = |b: &solve::Branch| b.conditions.iter().any(|c| c.decided(there) == Some(false));
        if !others.iter().all(elsewhere) {
            return Ok(None);
        }
        let mut conditions = branch.conditions;
        conditions.extend(found.not_covered.into_iter().map(Condition::nonzero));
        Ok(Some((branch.values.into_iter().map(|(s, e)| (s, tidy(cx, e))).collect(), conditions)))
    }

    /// J¹Y.
    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    /// B^b.
    pub fn equations(&self) -> &[Expr] {
        &self.equations
    }

    /// Under which M is the sheet that was meant.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The velocities that M determines, and how.
    pub fn solved(&self) -> &FxHashMap<Symbol, Expr> {
        &self.solved
    }

    /// Whether functions on M are functions of coordinates: M is everything, or a graph.
    pub fn is_explicit(&self) -> bool {
        self.equations.is_empty() || !self.solved.is_empty()
    }

    /// The function on M, in coordinates of M if it is a graph.
    pub fn restrict(&self, cx: &Inquiry, e: Expr) -> Expr {
        if self.solved.is_empty() { tidy(cx, e) } else { tidy(cx, substitute(e, &self.solved)) }
    }

    /// The same written shortly where M is a zero set: modulo its equations. For what is shown.
    pub fn settle(&self, cx: &Inquiry, e: Expr) -> Expr {
        if self.is_explicit() || e.is_number() {
            return self.restrict(cx, e);
        }
        let branch = self.with(&Branch::everything());
        let along = || Restriction::new(cx, &self.space.chart(), &branch)?.function(cx, e);
        let (settled, _) = conditions::collect(cx, |_| cx.within(share::MINOR, along));
        settled.map_or_else(|_| tidy(cx, e), |settled| tidy(cx, settled))
    }

    /// Runs `work` and keeps of what it divided by only what may vanish on M.
    pub fn dividing_on<T>(&self, cx: &Inquiry, work: impl FnOnce(&Inquiry) -> T) -> T {
        let (result, mut recorded) = conditions::collect_all(cx, work);
        if !self.is_explicit() {
            recorded.nonzero.retain(|e| !self.vanishes_nowhere(cx, *e).is_yes());
        }
        conditions::record_all(cx, &recorded);
        result
    }

    pub fn restrict_all(&self, cx: &Inquiry, list: &[Expr]) -> Vec<Expr> {
        list.iter().map(|e| self.restrict(cx, *e)).collect()
    }

    /// Where restricted functions live: the coordinates of M, or M, without the places where a sheet that is meant ends.
    pub fn home(&self) -> Submanifold {
        let equations = if self.is_explicit() { vec![] } else { self.equations.clone() };
        Submanifold::zero_set(&self.space, equations, self.ends())
    }

    /// What vanishes nowhere on the sheet that is meant.
    fn ends(&self) -> Vec<Expr> {
        let is_strict = |c: &&Condition| matches!(c.relation, Relation::Greater | Relation::Less | Relation::NotEqual);
        self.conditions.iter().filter(is_strict).map(|c| c.left).collect()
    }

    /// The same inquiry where the conditions of the sheet are facts.
    pub fn there(&self, cx: &Inquiry) -> Inquiry {
        cx.where_hold(&self.conditions)
    }

    /// M ∩ branch, as a set of J¹Y.
    pub fn with(&self, branch: &Branch) -> Branch {
        Branch {
            equations: self.equations.iter().chain(&branch.equations).copied().collect(),
            nonzero: branch.nonzero.clone(),
        }
    }

    /// M ∩ {e = 0}, written shortly.
    pub fn zeros(&self, cx: &Inquiry, e: Expr) -> Answered<Vec<Branch>> {
        if e.is_number() && !e.is_zero() {
            return Ok(vec![]);
        }
        let branch = self.with(&Branch { equations: vec![e], nonzero: vec![] });
        stratum::simplified(cx, &self.space.symbols(), &[branch]).map_err(exhausted)
    }

    /// Whether a function vanishes at every point of M.
    pub fn vanishes(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let e = self.restrict(cx, e);
        if self.is_explicit() {
            return decide::is_zero(cx, e);
        }
        if decide::sign(cx, e).is_nonzero() {
            return Verdict::no("its sign");
        }
        self.home().annihilates(cx, e).unwrap_or_else(|stop| Verdict::unknown(stop.to_string()))
    }

    /// Whether it vanishes at no point of M.
    pub fn vanishes_nowhere(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let e = self.restrict(cx, e);
        if e.is_number() || decide::sign(cx, e).is_nonzero() {
            return Verdict::from_bool(!e.is_zero(), "its sign");
        }
        let branch = self.with(&Branch { equations: vec![e], nonzero: vec![] });
        stratum::is_empty_set(cx, &self.space.symbols(), &[branch])
            .unwrap_or_else(|stop| Verdict::unknown(stop.to_string()))
    }

    /// The rank of rows of restricted functions, point by point of M.
    pub fn rank(&self, cx: &Inquiry, rows: &[Vec<Expr>], n_columns: usize) -> Answered<Rank> {
        rank::rank(cx, rows, n_columns, &self.home()).map_err(exhausted)
    }
}

/// All ways to take k of the symbols, the last ones first: what is written last is mostly what was solved for.
fn choices(symbols: &[Symbol], k: usize) -> Vec<Vec<Symbol>> {
    if k == 0 || k > symbols.len() {
        return vec![];
    }
    let mut list: Vec<Vec<Symbol>> = vec![vec![]];
    for s in symbols {
        let with: Vec<Vec<Symbol>> =
            list.iter().filter(|c| c.len() < k).map(|c| [c.as_slice(), &[*s]].concat()).collect();
        list.extend(with);
    }
    list.retain(|c| c.len() == k);
    list
}
