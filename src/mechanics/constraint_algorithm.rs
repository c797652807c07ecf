//! The constraint algorithm: where a singular system moves, and how. Krupková §7; docs/theory/odes.md §9.
//!
//! Two problems, one loop. *Extended dynamics* (7.1) looks for vectors ∂_t + ξ in the dynamical distribution
//! Δ_α of the chosen α; *proper dynamics* (7.2) for semisprays, whose integral curves are the motions themselves. In
//! both a vector must also be tangent to the set on which it lives, so that a set that admits vectors only
//! on a part of itself is cut down to that part, and so on until nothing is lost:
//!
//! ```text
//! Step 1   P̃ = { x : rank F = rank (F|A) },   P = { x : rank B = rank (B|A) }            (5.13), (5.14)
//! Step 2   on each branch V of it, solve   η(ξ) = 0   together with   dg(ξ) = −∂g/∂t   for the equations g of V
//! Step 3   keep the points at which this can be done, branch by branch, and go back to Step 2
//! ```
//!
//! Departure: Step 3 of the text intersects over branches; what is meant, and done here, is the union, each
//! branch being treated by itself. In 7.2 tangency to the set on which the semispray lives is understood,
//! and iterated.
//!
//! Every cut lowers the dimension of a branch, so the loop ends. A set from which an open part was kept, and a
//! lower stratum of which admits no vector tangent to itself, is reported: motions of the open part may still
//! pass through it. It is decided where an invariant submanifold through it is found, or where the equations
//! [differentiated along a curve](super::passage) contradict it; otherwise what is left of it is listed as undecided.
//!
//! A budget that ends leaves what is known: the branches that are final, each described as far as time allows; the
//! sets that were still to be looked at, as undecided; the round, and which computation ran out.

mod comparison;
mod descent;
mod domain;

use self::descent::Descent;
use super::certificate::{Certificate, certified};
use super::classify::{branches, frame_of, rows_of, solvable_set};
use super::gauge::Motions;
use super::invariant_set::{Event, InvariantSets, Vectors, closure, generic_leaf, regular_leaves};
use super::lepage_class::LepageTwoForm;
use super::passage::Curves;
use super::{Answered, exhausted, jet, jet_expr, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, Solution, leaves_as_far_as_possible};
use crate::algebra::stratum::rank::{Rank, rank_by};
use crate::algebra::stratum::sample::sample_point;
use crate::algebra::stratum::tangent::{conormal, projection, singular_locus};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Ground, Symbol, Verdict};
use crate::budget::{Budgeted, Exhausted, Share, clear_interrupt, grace_share, is_interrupted, share};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Both dynamics of a system.
#[derive(Clone, Debug)]
pub struct SystemDynamics {
    pub extended: Dynamics,
    pub proper: Dynamics,
}

/// The outcome of the algorithm for one of the two problems.
#[derive(Clone, Debug)]
pub struct Dynamics {
    pub problem: Problem,
    /// P̃ or P.
    pub primary: Vec<Branch>,
    /// The maximal final constraint submanifolds.
    pub branches: Vec<DynamicBranch>,
    /// There is no motion at all.
    pub empty: Verdict,
    /// The final set is smaller than the primary one.
    pub secondary: Verdict,
    /// Nothing was left undecided.
    pub complete: Verdict,
    /// Whether points off all branches were shown to have no motion.
    pub coverage: Certificate,
    pub undecided: Vec<Undecided>,
    pub rounds: usize,
    /// Final submanifolds of which the motions were not described any more. Empty unless a budget ended.
    pub undescribed: Vec<Branch>,
    /// Why the algorithm was cut off, if it was, and where.
    pub stopped: Option<Stop>,
    pub log: Vec<LogEntry>,
    /// Expressions in parameters that were taken to be nonzero.
    pub generic: Vec<Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// Hamilton paths: all curves in the phase space, 7.1.
    Extended,
    /// Paths: the motions, 7.2.
    Proper,
}

/// Where a budget ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    pub why: Exhausted,
    /// The computation that ran out, as it continues "while …".
    pub during: String,
}

impl Stop {
    /// Whether everything was found.
    fn verdict(&self) -> Verdict {
        Verdict::unknown(format!("incomplete: the algorithm was cut off: {self}"))
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} while {}", self.why, self.during)
    }
}

/// A set of which the algorithm cannot say whether motions pass through it.
#[derive(Clone, Debug)]
pub struct Undecided {
    pub branch: Branch,
    pub reason: String,
}

/// A final constraint submanifold N with the motions on it.
#[derive(Clone, Debug)]
pub struct DynamicBranch {
    pub branch: Branch,
    /// At regular real points; an upper bound where those are not known.
    pub dim: usize,
    /// Whether the equations are those of the real points: everything else that is said of the branch rests on it.
    pub regular: Verdict,
    /// Fields that span the distribution where its rank is the generic one. The first has ∂_t-component 1.
    pub fields: Vec<VectorField>,
    /// 1-forms that annihilate the distribution at every point of N.
    pub forms: Vec<Form>,
    /// Of the distribution, with the strata on which it is larger.
    pub rank: Rank,
    pub integrable: Verdict,
    /// Rank one: through each point one motion.
    pub determined: Verdict,
    /// How many functions of time may be chosen: rank − 1.
    pub free: usize,
    /// The highest derivatives q_s^σ along the motion; `None` where they are free (proper dynamics only).
    pub accelerations: Vec<(Symbol, Option<Expr>)>,
    /// What the algorithm finds on the strata where the rank jumps.
    pub jumps: Vec<DynamicBranch>,
    /// Denominators of the spanning fields.
    pub conditions: Vec<Expr>,
    /// The check of all this by separate code.
    pub certificate: Certificate,
    space: JetSpace,
}

impl DynamicBranch {
    /// Equations of the projection to configuration space, in t and q.
    pub fn configuration(&self, cx: &Inquiry) -> Answered<Vec<Expr>> {
        let y = self.space.manifold();
        let keep = |s: Symbol| y.order_of_symbol(s) == Some(0);
        self.with_cells(cx, |frame, cell| {
            Ok(projection(cx, frame, cell, keep)?.iter().map(|p| frame.write(p)).collect::<Vec<Expr>>())
        })
        .map(|lists| lists.concat())
    }

    /// The points at which the branch is not a submanifold, or may not be: the differentials of its equations are
    /// dependent there.
    pub fn singular_locus(&self, cx: &Inquiry) -> Answered<Vec<Branch>> {
        self.with_cells(cx, |frame, cell| branches(cx, frame, &singular_locus(cx, frame, cell)?))
            .map(|lists| lists.concat())
    }

    /// Directions in which motions from one state come apart; none where the motion is determined.
    pub fn gauge(&self, cx: &Inquiry) -> Answered<Vec<VectorField>> {
        let Some((drift, free)) = self.fields.split_first() else { return Ok(vec![]) };
        let components = self.fields.iter().flat_map(|x| x.components()).map(|(_, e)| e);
        let all: Vec<Expr> =
            self.branch.equations.iter().chain(&self.branch.nonzero).copied().chain(components).collect();
        let coordinates = self.space.symbols();
        let run = || -> Budgeted<Vec<VectorField>> {
            let frame = Frame::new(cx, &coordinates, &all)?;
            let cells = frame.cells(cx, &self.branch)?;
            let Some(cell) = cells.first() else { return Ok(vec![]) };
            let (drift, free) = (drift.clone(), free.to_vec());
            Motions { frame: &frame, cell, coordinates: &coordinates, drift, free }.gauge_directions(cx)
        };
        run().map_err(exhausted)
    }

    /// A point of the branch, if one with rational coordinates is found.
    pub fn sample_point(&self, cx: &Inquiry) -> Answered<Option<Vec<(Symbol, Expr)>>> {
        let points = self.with_cells(cx, |frame, cell| {
            let point = sample_point(cx, frame, cell)?;
            Ok(point.map(|p| p.symbols().into_iter().map(|(s, x)| (s, Expr::number(x))).collect()))
        })?;
        Ok(points.into_iter().flatten().next())
    }

    /// `5`, or `at most 5`.
    fn dimension(&self) -> String {
        if self.regular.is_yes() { self.dim.to_string() } else { format!("at most {}", self.dim) }
    }

    /// The space in which the branch lies.
    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    fn with_cells<T>(&self, cx: &Inquiry, work: impl Fn(&Frame, &Cell) -> Budgeted<T>) -> Answered<Vec<T>> {
        let run = || -> Budgeted<Vec<T>> {
            let all: Vec<Expr> = self.branch.equations.iter().chain(&self.branch.nonzero).copied().collect();
            let frame = Frame::new(cx, &self.space.symbols(), &all)?;
            frame.cells(cx, &self.branch)?.iter().map(|cell| work(&frame, cell)).collect()
        };
        run().map_err(exhausted)
    }
}

/// One step of the derivation, with the expressions it used.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub title: String,
    pub items: Vec<LogItem>,
}

#[derive(Clone, Debug)]
pub enum LogItem {
    Expressions { label: String, list: Vec<Expr> },
    Rows { label: String, rows: Vec<Vec<Expr>> },
    Forms { label: String, list: Vec<Form> },
    Sets { label: String, list: Vec<Branch> },
    Fields { label: String, list: Vec<VectorField> },
    Remark(String),
}

/// The algorithm for both problems, each with its share of the work.
pub fn dynamics(cx: &Inquiry, alpha: &LepageTwoForm) -> Answered<SystemDynamics> {
    dynamics_with(cx, alpha, |cx| run(cx, alpha, Problem::Proper))
}

/// The same from whoever knows, or finds, the proper dynamics.
pub fn dynamics_with(
    cx: &Inquiry,
    alpha: &LepageTwoForm,
    proper: impl FnOnce(&Inquiry) -> Answered<Dynamics>,
) -> Answered<SystemDynamics> {
    let extended = cx.within(cx.half(), || run(cx, alpha, Problem::Extended))?;
    // An interrupt that the first problem did not need, because everything was found already.
    let is_cut_short = extended.is_interrupted() || (is_interrupted() && clear_interrupt());
    let proper = if alpha.dynamical_form().order() == 1 {
        // There is no semispray problem: every Hamilton path is a path.
        Dynamics { problem: Problem::Proper, ..extended.clone() }
    } else if is_cut_short {
        // Nobody waits for the second problem: what it says in a moment is said.
        cx.within(grace_share(), || proper(cx))?.interrupted("solving for the other kind of vectors")
    } else {
        proper(cx)?
    };
    Ok(SystemDynamics { extended, proper })
}

impl SystemDynamics {
    /// Whether Ctrl-C ended it: an answer for the moment, and not to be kept.
    pub fn is_interrupted(&self) -> bool {
        self.extended.is_interrupted() || self.proper.is_interrupted()
    }
}

/// The algorithm for one problem. A budget that ends on the way leaves what is known, marked incomplete.
pub fn run(cx: &Inquiry, alpha: &LepageTwoForm, problem: Problem) -> Answered<Dynamics> {
    let begin = cx.work_done();
    let frame = in_any_case(cx, || frame_of(cx, alpha)).map_err(exhausted)?;
    let task = in_any_case(cx, || Task::new(cx, alpha, &frame, problem)).map_err(exhausted)?;
    let (found, is_descent) = task.carried_out(cx).map_err(exhausted)?;
    if found.is_interrupted() {
        // Somebody waits, and an answer that is cut off does not rest on certificates.
        return Ok(found);
    }
    let cost = cx.spent_since(begin);
    let mut found = certified(cx, alpha, found, if is_descent { cost.max(share::DESCENT_CERTIFICATE) } else { cost });
    // Whoever interrupts what is complete means what would come next.
    let is_last = problem == Problem::Proper || !found.complete.is_yes();
    if is_interrupted() && is_last && clear_interrupt() {
        found = found.interrupted("making its certificates");
    }
    Ok(if is_descent { descent::with_point(found) } else { found })
}

/// What is short and needed to say anything at all is done even if the time is over.
fn in_any_case<T>(cx: &Inquiry, work: impl Fn() -> Budgeted<T>) -> Budgeted<T> {
    match work() {
        Err(Exhausted::Interrupted) => Err(Exhausted::Interrupted),
        Err(_) => cx.grace(work),
        found => found,
    }
}

impl Dynamics {
    fn is_interrupted(&self) -> bool {
        self.stopped.as_ref().is_some_and(|stop| stop.why == Exhausted::Interrupted)
    }

    /// What was found in a moment, for somebody who has pressed Ctrl-C: the interrupt is why it is not complete.
    fn interrupted(mut self, during: &str) -> Dynamics {
        if !self.complete.is_yes() {
            let stop = Stop { why: Exhausted::Interrupted, during: during.into() };
            self.complete = stop.verdict();
            self.stopped = Some(stop);
        }
        self
    }

    /// The same answer, not called proved any more: another algorithm finds something else.
    pub(crate) fn contradicted(mut self, how: &str) -> Dynamics {
        let why = format!("Dirac's algorithm finds something else: {how}");
        if !self.empty.is_unknown() && self.branches.is_empty() {
            self.empty = Verdict::unknown(why.clone());
        }
        self.complete = Verdict::unknown(why);
        self
    }

    /// `motion`, or why there is none: `contradictory` equations, which hold at no point, `no_motion` on what is left of
    /// the constraint sets, or an algorithm that was `cut_off` by its budget.
    pub fn kind(&self) -> &'static str {
        let is_cut_off = self.stopped.is_some() || (self.branches.is_empty() && self.complete.is_unknown());
        match (is_cut_off, self.primary.is_empty(), self.branches.is_empty()) {
            (true, ..) => "cut_off",
            (false, true, _) => "contradictory",
            (false, false, true) => "no_motion",
            (false, false, false) => "motion",
        }
    }

    /// The final set, as the union of its branches.
    pub fn final_set(&self) -> Vec<Branch> {
        self.branches.iter().map(|b| &b.branch).chain(&self.undescribed).cloned().collect()
    }

    /// The branches through a point, or, if the point leaves coordinates open, those with a point that has the given
    /// ones. Branches of which it cannot be decided are kept.
    pub fn through(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Answered<Vec<DynamicBranch>> {
        let mut kept = Vec::new();
        for b in &self.branches {
            if !meets(cx, &b.space, &b.branch, point)?.is_no() {
                kept.push(b.clone());
            }
        }
        Ok(kept)
    }
}

/// Whether a branch has a point with the given coordinates.
pub fn meets(cx: &Inquiry, space: &JetSpace, branch: &Branch, point: &FxHashMap<Symbol, Expr>) -> Answered<Verdict> {
    let at = |e: &Expr| substitute(*e, point);
    let rest = Branch {
        equations: branch.equations.iter().map(at).collect(),
        nonzero: branch.nonzero.iter().map(at).collect(),
    };
    let open: Vec<Symbol> = space.symbols().into_iter().filter(|s| !point.contains_key(s)).collect();
    let is_settled = |e: &Expr| !e.symbols().iter().any(|s| open.contains(s));
    if rest.equations.iter().chain(&rest.nonzero).all(is_settled) {
        return Ok(contains_point(cx, branch, point));
    }
    let run = || -> Budgeted<Verdict> {
        let all: Vec<Expr> = rest.equations.iter().chain(&rest.nonzero).copied().collect();
        let frame = Frame::new(cx, &open, &all)?;
        Ok(set::is_union_empty(cx, &frame, &frame.cells(cx, &rest)?)?.negate())
    };
    run().map_err(exhausted)
}

/// Whether a point lies in a branch.
pub fn contains_point(cx: &Inquiry, branch: &Branch, point: &FxHashMap<Symbol, Expr>) -> Verdict {
    let at = |e: &Expr| vanishes(cx, substitute(*e, point));
    let equations = branch.equations.iter().map(at);
    let nonzero = branch.nonzero.iter().map(|e| at(e).negate());
    Verdict::all(equations.chain(nonzero), "the set is everything")
}

/// Whether a point lies in a union of branches.
pub fn union_contains_point(cx: &Inquiry, list: &[Branch], point: &FxHashMap<Symbol, Expr>) -> Verdict {
    list.iter()
        .map(|b| contains_point(cx, b, point))
        .reduce(Verdict::or)
        .unwrap_or_else(|| Verdict::no("the set is empty"))
}

/// Final sets of so many equations are left to the descent, if it comes to its end.
const MANY_EQUATIONS: usize = 6;

/// The same where all are linear, which are easier for everybody.
const MANY_LINEAR: usize = 24;

/// Puts a report together part by part. When a budget ends the parts share a little time of their own, and those that
/// need more are left out.
struct Reporter {
    stopped: Option<Stop>,
    /// The work that is left for them.
    left: Share,
}

impl Reporter {
    /// A part, or `None` if there was no time for it.
    fn part<T>(&mut self, cx: &Inquiry, during: &str, work: impl Fn() -> Budgeted<T>) -> Budgeted<Option<T>> {
        if self.stopped.is_none() {
            match work() {
                Ok(found) => return Ok(Some(found)),
                Err(why) => self.stopped = Some(Stop { why, during: during.into() }),
            }
            // Whoever presses twice does not want to wait for the report either.
            clear_interrupt();
            self.left = self.left.min(grace_share());
        }
        let begin = cx.work_done();
        let found = cx.grace(|| cx.within(self.left, work));
        self.left = self.left.without(cx.spent_since(begin));
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Exhausted::Interrupted) => Err(Exhausted::Interrupted),
            Err(_) => Ok(None),
        }
    }
}

/// What is looked for: the vectors of one problem.
struct Task<'a> {
    alpha: &'a LepageTwoForm,
    frame: &'a Frame,
    problem: Problem,
    /// The components of ξ that are asked for: all, or those along the top jets.
    unknowns: Vec<Symbol>,
    /// The components that are prescribed: q_k ↦ q_{k+1} for semisprays.
    known: Vec<(Symbol, Expr)>,
    /// η(ξ) = 0.
    base: LinearSystem,
    /// Names for derivatives along a curve.
    velocities: OnceCell<Vec<Coordinate>>,
}

impl Vectors for Task<'_> {
    fn base(&self) -> &LinearSystem {
        &self.base
    }

    /// Σ_unknown (∂g/∂x) ξ_x = −∂g/∂t − Σ_known (∂g/∂q_k) q_{k+1}; the right side is last.
    fn tangency(&self, cx: &Inquiry, g: &Polynomial) -> Budgeted<Vec<Polynomial>> {
        use crate::algebra::derive::partial;
        let e = conormal(cx, self.frame, g)?;
        let t = self.alpha.dynamical_form().manifold().base();
        let moving = self.known.iter().map(|(q, speed)| partial(cx, e, *q) * *speed);
        let right = -(partial(cx, e, t) + Expr::add_all(moving));
        let row: Vec<Expr> = self.unknowns.iter().map(|x| partial(cx, e, *x)).chain([right]).collect();
        self.frame.read_row(cx, &row)
    }

    fn crossing(&self, cx: &Inquiry, stratum: &Cell, within: &Cell) -> Budgeted<Vec<Cell>> {
        let (time, velocities) = (self.alpha.dynamical_form().manifold().base(), &self.velocities);
        let (known, unknowns) = (self.known.as_slice(), self.unknowns.as_slice());
        Curves { frame: self.frame, time, known, unknowns, system: &self.base, velocities }
            .crossing(cx, stratum, within)
    }
}

impl<'a> Task<'a> {
    fn new(cx: &Inquiry, alpha: &'a LepageTwoForm, frame: &'a Frame, problem: Problem) -> Budgeted<Task<'a>> {
        let form = alpha.dynamical_form();
        let (y, s) = (form.manifold(), form.order());
        let m = y.n_coordinates();
        let jets = form.phase_jets();
        let inner = jets.len() - m;
        let (unknowns, known, base) = match problem {
            Problem::Extended => {
                // G ξ = −A + Σ_{k ≤ s−2} G^{ik} q_{k+1}
                let a: Vec<Expr> = alpha
                    .matrix()
                    .iter()
                    .zip(alpha.column_a())
                    .map(|(row, a)| {
                        let moving = row[..inner].iter().enumerate().filter(|(_, g)| !g.is_zero());
                        a - Expr::add_all(moving.map(|(c, g)| *g * jet_expr(y, c % m, (c / m) as u32 + 1)))
                    })
                    .collect();
                (jets, vec![], rows_of(cx, frame, alpha.matrix(), &a)?)
            }
            Problem::Proper => {
                let known = (0..inner).map(|c| (jets[c], jet_expr(y, c % m, (c / m) as u32 + 1))).collect();
                let unknowns = (0..m).map(|nu| jet(y, nu, s - 1)).collect();
                (unknowns, known, rows_of(cx, frame, form.b(), form.a())?)
            }
        };
        Ok(Task { alpha, frame, problem, unknowns, known, base, velocities: OnceCell::new() })
    }

    /// By the descent, where that shows what many equations would hide; else case by case. What the descent leaves open is
    /// better than nothing. Says whether it was the descent.
    fn carried_out(&self, cx: &Inquiry) -> Budgeted<(Dynamics, bool)> {
        // A descent whose work ran out says nothing; the cases say how far they came.
        let mut descent = if Descent::is_promising(self) { Descent::run(cx, self).unwrap_or(None) } else { None };
        if let Some(descent) = &descent
            && descent.is_whole()
            && descent.n_equations() >= if descent.is_linear() { MANY_LINEAR } else { MANY_EQUATIONS }
            && let Ok(report) = descent.report(cx)
        {
            return Ok((report, true));
        }
        let found = self.execute(cx)?;
        let is_nothing = found.branches.is_empty() && found.undescribed.is_empty() && found.complete.is_unknown();
        if !is_nothing || found.is_interrupted() {
            return Ok((found, false));
        }
        cx.grace(|| {
            if descent.is_none() {
                descent = Descent::run(cx, self).unwrap_or(None);
            }
            match descent.map(|descent| descent.report(cx)) {
                Some(Ok(report)) => Ok((report, true)),
                _ => Ok((found, false)),
            }
        })
    }

    fn execute(&self, cx: &Inquiry) -> Budgeted<Dynamics> {
        // Step 1.
        let whole = self.frame.everything();
        let mut sets = InvariantSets::new(self.frame, self);
        let first = leaves_as_far_as_possible(cx, self.frame, &self.base, &whole);
        let solvable = || first.leaves.iter().filter(|leaf| leaf.is_solvable).map(|leaf| leaf.cell.clone());
        if let Some(why) = first.stopped {
            let primary: Vec<Cell> = solvable().collect();
            sets.unsolved = first.open;
            sets.queue = primary.clone();
            return self.cut_off(cx, &primary, &sets, why, "solving the equations for the vectors");
        }
        let primary = match solvable_set(cx, self.frame, &first.leaves) {
            Ok(primary) => primary,
            Err(why) => {
                let primary: Vec<Cell> = solvable().collect();
                sets.queue = primary.clone();
                return self.cut_off(cx, &primary, &sets, why, "simplifying the primary set");
            }
        };
        // Steps 2 and 3, until nothing is cut off.
        if let Err(why) = sets.begin(cx, &whole, first.leaves) {
            sets.queue = primary.clone();
            return self.cut_off(cx, &primary, &sets, why, "looking at the primary set");
        }
        if let Err(why) = sets.iterate(cx) {
            let during = format!("solving the tangency equations of round {}", sets.rounds);
            return self.cut_off(cx, &primary, &sets, why, &during);
        }
        match sets.settle_boundaries(cx, |open| self.invariant_candidates(cx, open)) {
            Ok(()) => self.report(cx, &primary, &sets, None),
            Err(why) => self.cut_off(cx, &primary, &sets, why, "looking for invariant sets through boundary strata"),
        }
    }

    /// What is known is put together all the same. An interrupt was meant for the algorithm, and is dealt with here.
    fn cut_off(
        &self,
        cx: &Inquiry,
        primary: &[Cell],
        sets: &InvariantSets,
        why: Exhausted,
        during: &str,
    ) -> Budgeted<Dynamics> {
        // Whatever a part that was interrupted called its end, the interrupt is the reason.
        let why = if is_interrupted() && clear_interrupt() { Exhausted::Interrupted } else { why };
        self.report(cx, primary, sets, Some(Stop { why, during: during.into() }))
    }

    fn solve(&self, cx: &Inquiry, v: &Cell) -> Budgeted<Vec<Leaf>> {
        InvariantSets::new(self.frame, self).solve(cx, v)
    }

    /// Factors of the numerators of the components of the field on an open branch.
    fn invariant_candidates(&self, cx: &Inquiry, open: &Cell) -> Budgeted<Vec<Polynomial>> {
        let list = self.solve(cx, open)?;
        let Some(leaf) = generic_leaf(&list, open) else { return Ok(vec![]) };
        let solution = leaf.solution(cx, self.frame, self.unknowns.len())?;
        let mut candidates: Vec<Polynomial> = Vec::new();
        for f in &solution.particular {
            for factor in self.frame.irreducible_factors(cx, &f.numerator) {
                let constant = factor.variables().iter().all(|v| self.frame.is_constant(*v));
                if !constant && !candidates.contains(&factor) {
                    candidates.push(factor);
                }
            }
        }
        Ok(candidates)
    }

    /// Whether the final set lacks points of the primary one, whatever becomes of the strata that are left open.
    fn is_smaller(&self, cx: &Inquiry, primary: &[Cell], finals: &[Cell], open: &[Cell]) -> Budgeted<Verdict> {
        if set::is_subset(cx, self.frame, primary, finals)?.is_yes() {
            return Ok(Verdict::no("the final set is the primary one"));
        }
        let all: Vec<Cell> = finals.iter().chain(open).cloned().collect();
        Ok(match set::is_subset(cx, self.frame, primary, &all)?.negate() {
            Verdict::Yes(Ground::Proved(by)) => Verdict::yes(format!("of the primary set, what is left out: {by}")),
            Verdict::No(_) => Verdict::unknown("it depends on the strata that are undecided"),
            other => other,
        })
    }

    fn report(
        &self,
        cx: &Inquiry,
        primary: &[Cell],
        sets: &InvariantSets,
        stopped: Option<Stop>,
    ) -> Budgeted<Dynamics> {
        let mut reporter = Reporter { stopped, left: grace_share() };
        let finals = reporter.part(cx, "comparing the final branches", || sets.maximal_finals(cx))?;
        let finals = finals.unwrap_or_else(|| sets.finals.clone());
        let write = |cell: &Cell| cx.grace(|| self.frame.branch_at_hand(cx, cell));
        let mut undecided = Vec::new();
        let unsettled =
            reporter.part(cx, "comparing boundary strata with the final branches", || sets.unsettled(cx, &finals))?;
        let mut open: Vec<Cell> =
            unsettled.unwrap_or_else(|| sets.boundary.iter().map(|(stratum, _)| stratum.clone()).collect());
        for rest in &open {
            let reason = "boundary of an open branch: motions of the open part may pass through it".into();
            undecided.push(Undecided { branch: write(rest), reason });
        }
        open.extend(sets.unsolved.iter().chain(&sets.endless).chain(&sets.queue).cloned());
        let (mut branches, mut undescribed) = (Vec::new(), Vec::new());
        for cell in &finals {
            match reporter.part(cx, "describing the motions on a final branch", || self.describe(cx, cell, true))? {
                Some(described) => branches.push((cell, described)),
                None => undescribed.push(write(cell)),
            }
        }
        let mut branches = self.compared(cx, branches)?;
        // The large ones first, and among these the ones whose motion is determined.
        branches.sort_by_key(|b| (std::cmp::Reverse(b.dim), b.free));
        let stopped = reporter.stopped;
        for b in &branches {
            if let Verdict::Unknown(why) = &b.regular {
                undecided.push(Undecided { branch: b.branch.clone(), reason: format!("a final branch, but: {why}") });
            }
        }
        for cell in &sets.unsolved {
            let reason = "the equations for vectors on it were not solved with the work of one branch".into();
            undecided.push(Undecided { branch: write(cell), reason });
        }
        for cell in &sets.endless {
            let reason = "an unspecified function vanishes on it with several derivatives".into();
            undecided.push(Undecided { branch: write(cell), reason });
        }
        for cell in &sets.queue {
            let reason = match &stopped {
                Some(stop) => format!("the algorithm stopped here: {}", stop.why),
                None => "the algorithm stopped here".into(),
            };
            undecided.push(Undecided { branch: write(cell), reason });
        }
        // A stratum may be both the boundary of one branch and too hard to look at.
        let mut said: Vec<Branch> = Vec::new();
        undecided.retain(|u| {
            !said.contains(&u.branch) && {
                said.push(u.branch.clone());
                true
            }
        });
        let complete = match (&stopped, undecided.is_empty()) {
            (Some(stop), _) => stop.verdict(),
            (None, true) => Verdict::yes("every branch was followed to its end"),
            (None, false) if sets.unsolved.is_empty() => Verdict::no("some strata or branches are undecided"),
            (None, false) => Verdict::unknown("some branches were too hard to look at"),
        };
        let is_open = stopped.is_some() || !sets.unsolved.is_empty();
        // What follows is about the outcome, and its budget does not count as that of the algorithm.
        let mut reporter = Reporter { stopped: stopped.clone(), left: grace_share() };
        let unknown = |what: &str| Verdict::unknown(format!("there was no time to find out {what}"));
        let empty = if is_open && finals.is_empty() {
            Verdict::unknown("the algorithm was cut off")
        } else {
            let found = reporter
                .part(cx, "", || cx.aside(share::COMPARISON, || set::is_union_empty(cx, self.frame, &finals)))?;
            let found = found.flatten().unwrap_or_else(|| unknown("whether the final set has a point"));
            let is_known = || cx.aside(share::SIDE, || set::has_point_for_all_parameters(cx, self.frame, &finals));
            let is_regular = branches.iter().any(|b| b.regular.is_yes());
            match reporter.part(cx, "", || if found.is_no() && !is_regular { is_known() } else { Ok(Some(true)) })? {
                Some(Some(true)) => found,
                _ => Verdict::unknown("whether the final set has a point depends on the parameters"),
            }
        };
        let secondary = reporter
            .part(cx, "", || cx.aside(share::COMPARISON, || self.is_smaller(cx, primary, &finals, &open)))?
            .flatten();
        let secondary = secondary.unwrap_or_else(|| unknown("whether the final set is the primary one"));
        let log =
            reporter.part(cx, "", || self.log(cx, primary, &sets.history, &branches, &undecided, stopped.as_ref()))?;
        Ok(Dynamics {
            problem: self.problem,
            primary: primary.iter().map(write).collect(),
            log: log.unwrap_or_default(),
            branches,
            empty,
            secondary,
            complete,
            coverage: Certificate::not_made("nothing was looked at yet"),
            undecided,
            rounds: sets.rounds,
            undescribed,
            stopped,
            generic: self.frame.generic_conditions(),
        })
    }

    /// Everything there is to say about the motions on a final branch.
    fn describe(&self, cx: &Inquiry, n: &Cell, with_jumps: bool) -> Budgeted<DynamicBranch> {
        let form = self.alpha.dynamical_form();
        let list = self.solve(cx, n)?;
        let mut list: Vec<Leaf> = list.into_iter().filter(|leaf| leaf.is_solvable).collect();
        let width = self.unknowns.len();
        let mut ranks = rank_by(cx, self.frame, n, &list, |leaf| 1 + width - leaf.rank)?;
        let (regular, dim) = regular_leaves(cx, self.frame, n, &mut list)?;
        let generic_rank = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
        let mut fields = Vec::new();
        let mut integrable = Verdict::unknown("there is no point to look at");
        let mut accelerations = Vec::new();
        let mut conditions = Vec::new();
        if let Some(leaf) = generic_leaf(&list, n) {
            let solution = leaf.solution(cx, self.frame, width)?;
            fields = self.fields(cx, &solution, &leaf.cell)?;
            integrable = self.is_integrable(cx, &leaf.cell, &fields)?;
            accelerations = self.accelerations(&solution);
            conditions = self.conditions(cx, &solution, n)?;
        }
        let mut determined = Verdict::from_bool(
            generic_rank == width,
            format!("the distribution has rank {}", 1 + width - generic_rank),
        );
        if let Verdict::Unknown(why) = &regular {
            ranks.complete = ranks.complete.and(Verdict::unknown(why));
            determined = Verdict::unknown(why);
        }
        let mut jumps: Vec<DynamicBranch> = Vec::new();
        if with_jumps {
            for leaf in list.iter().filter(|leaf| leaf.rank < generic_rank) {
                let found = self.on_stratum(cx, &closure(&leaf.cell, n))?;
                // Different strata may lead to the same set.
                let known = |jump: &DynamicBranch| jumps.iter().any(|other| other.branch == jump.branch);
                let new: Vec<DynamicBranch> = found.into_iter().filter(|jump| !known(jump)).collect();
                jumps.extend(new);
            }
        }
        Ok(DynamicBranch {
            branch: self.frame.branch(cx, n)?,
            dim,
            regular,
            fields,
            forms: self.forms(cx, n)?,
            rank: ranks,
            integrable,
            determined,
            free: width - generic_rank,
            accelerations,
            jumps,
            conditions,
            certificate: Certificate::not_made("nothing was looked at yet"),
            space: form.phase_space(),
        })
    }

    /// The algorithm started on a stratum where the rank jumps.
    fn on_stratum(&self, cx: &Inquiry, stratum: &Cell) -> Budgeted<Vec<DynamicBranch>> {
        let mut sets = InvariantSets::new(self.frame, self);
        sets.queue.push(stratum.clone());
        sets.iterate(cx)?;
        sets.maximal_finals(cx)?.iter().map(|cell| self.describe(cx, cell, false)).collect()
    }

    /// ∂_t + particular solution, then the kernel; what vanishes on the branch is left out.
    fn fields(&self, cx: &Inquiry, solution: &Solution, cell: &Cell) -> Budgeted<Vec<VectorField>> {
        let t = self.alpha.dynamical_form().manifold().base();
        let mut known = Vec::with_capacity(self.known.len());
        for (q, speed) in &self.known {
            known.push((*q, cell.value(cx, self.frame, &self.frame.read_numerator(cx, *speed)?)?));
        }
        let first = [(t, Expr::one())]
            .into_iter()
            .chain(known)
            .chain(self.unknowns.iter().copied().zip(solution.particular.iter().map(|f| f.to_expr(self.frame))));
        let mut fields = vec![VectorField::new(first)];
        for vector in &solution.kernel {
            let components = self.unknowns.iter().copied().zip(vector.iter().map(|f| f.to_expr(self.frame)));
            fields.push(VectorField::new(components));
        }
        Ok(fields)
    }

    /// Frobenius on the branch. Each field has constant components along t and the free directions, those of
    /// an identity matrix, so a bracket lies in the span only if it vanishes on the branch.
    fn is_integrable(&self, cx: &Inquiry, cell: &Cell, fields: &[VectorField]) -> Budgeted<Verdict> {
        brackets_vanish(cx, self.frame, cell, fields)
    }

    fn accelerations(&self, solution: &Solution) -> Vec<(Symbol, Option<Expr>)> {
        let form = self.alpha.dynamical_form();
        let (y, s) = (form.manifold(), form.order());
        let m = y.n_coordinates();
        let offset = self.unknowns.len() - m;
        (0..m)
            .map(|nu| {
                let column = offset + nu;
                let is_free = solution.kernel.iter().any(|k| !k[column].numerator.is_zero());
                (jet(y, nu, s), (!is_free).then(|| solution.particular[column].to_expr(self.frame)))
            })
            .collect()
    }

    /// Denominators of the solution that may vanish on the branch.
    fn conditions(&self, cx: &Inquiry, solution: &Solution, n: &Cell) -> Budgeted<Vec<Expr>> {
        let mut found: Vec<Expr> = Vec::new();
        for fraction in solution.particular.iter().chain(solution.kernel.iter().flatten()) {
            for f in self.frame.irreducible_factors(cx, &fraction.denominator) {
                let e = self.frame.write(&f);
                if !found.contains(&e) && !self.frame.is_nonvanishing_on(cx, n, &f)? {
                    found.push(e);
                }
            }
        }
        Ok(found)
    }

    /// 1-forms that annihilate the distribution on the branch: those of the problem, and dg.
    fn forms(&self, cx: &Inquiry, n: &Cell) -> Budgeted<Vec<Form>> {
        let mut forms = self.forms_of_problem(cx);
        let generators = n.generators(cx, self.frame)?;
        for g in &generators {
            forms.push(Form::function(conormal(cx, self.frame, g)?).d(cx));
        }
        Ok(forms)
    }

    /// The 1-forms that vectors of the problem annihilate, whatever the set.
    fn forms_of_problem(&self, cx: &Inquiry) -> Vec<Form> {
        let form = self.alpha.dynamical_form();
        let y: &FiberedManifold = form.manifold();
        match self.problem {
            Problem::Extended => self.alpha.rows(cx),
            Problem::Proper => {
                let mut forms: Vec<Form> = self.known.iter().map(|(q, _)| Form::omega(*q)).collect();
                for (sigma, row) in form.b().iter().enumerate() {
                    let top = self.unknowns.iter().copied().zip(row.iter().copied());
                    forms.push(Form::one_form(top.chain([(y.base(), form.a()[sigma])])));
                }
                forms
            }
        }
    }

    /// The derivation as a reader of the paper would do it, with the expressions of every step.
    fn log(
        &self,
        cx: &Inquiry,
        primary: &[Cell],
        history: &[Event],
        finals: &[DynamicBranch],
        undecided: &[Undecided],
        stopped: Option<&Stop>,
    ) -> Budgeted<Vec<LogEntry>> {
        let form = self.alpha.dynamical_form();
        let expressions = |label: &str, list: Vec<Expr>| LogItem::Expressions { label: label.into(), list };
        let sets = |label: &str, cells: &[Cell]| -> Budgeted<LogItem> {
            Ok(LogItem::Sets { label: label.into(), list: branches(cx, self.frame, cells)? })
        };
        let first = match self.problem {
            Problem::Extended => LogEntry {
                title: "Step 1: the primary constraint set, where rank F = rank (F|A)".into(),
                items: vec![
                    LogItem::Forms { label: "Δ_α is annihilated by".into(), list: self.alpha.rows(cx) },
                    sets("P̃", primary)?,
                ],
            },
            Problem::Proper => LogEntry {
                title: "Step 1: the primary semispray-constraint set, where rank B = rank (B|A)".into(),
                items: vec![
                    expressions("A", form.a().to_vec()),
                    LogItem::Rows { label: "B".into(), rows: form.b().to_vec() },
                    sets("P", primary)?,
                ],
            },
        };
        let mut log = vec![first];
        for event in history {
            let mut items = vec![sets("branch", std::slice::from_ref(&event.branch))?];
            if event.branch.has_equations() {
                let rows = event.branch.generators(cx, self.frame)?;
                let list = rows.iter().map(|g| self.tangency_text(cx, g)).collect();
                items.push(expressions("a vector, with components vel(q), is tangent where these vanish", list));
            }
            if !event.residuals.is_empty() {
                let list = event.residuals.iter().map(|p| self.frame.write(p)).collect();
                items.push(expressions("the unknown components can be found where these vanish", list));
            }
            if !event.remains.is_empty() {
                items.push(sets("what remains", &event.remains)?);
            }
            log.push(LogEntry { title: format!("Round {}: {}", event.round, event.says), items });
        }
        for (n, branch) in finals.iter().enumerate() {
            let free = match branch.free {
                0 => "the motion is determined".to_string(),
                1 => "one function of time is free".to_string(),
                n => format!("{n} functions of time are free"),
            };
            let found: Vec<Expr> = branch.accelerations.iter().filter_map(|(_, e)| *e).collect();
            let mut items = vec![
                LogItem::Sets {
                    label: format!("of dimension {}", branch.dimension()),
                    list: vec![branch.branch.clone()],
                },
                LogItem::Fields {
                    label: format!("a distribution of rank {}, spanned by", 1 + branch.free),
                    list: branch.fields.clone(),
                },
                LogItem::Remark(self.integrability(branch)),
            ];
            if self.problem == Problem::Proper && !found.is_empty() {
                let names = branch.accelerations.iter().filter(|(_, e)| e.is_some()).map(|(s, _)| s.name());
                items.push(expressions(&names.collect::<Vec<_>>().join(", "), found));
            }
            log.push(LogEntry { title: format!("Final branch {}: {free}", n + 1), items });
        }
        for u in undecided {
            let set = LogItem::Sets { label: "branch".into(), list: vec![u.branch.clone()] };
            log.push(LogEntry { title: format!("Undecided: {}", u.reason), items: vec![set] });
        }
        log.push(LogEntry { title: format!("Result: {}", verdict_of(primary, finals, stopped)), items: vec![] });
        Ok(log)
    }

    fn integrability(&self, branch: &DynamicBranch) -> String {
        match &branch.integrable {
            Verdict::Unknown(why) => format!("whether it is completely integrable was not decided: {why}"),
            Verdict::Yes(_) => "completely integrable".into(),
            Verdict::No(ground) => match ground {
                Ground::Proved(by) => format!("not completely integrable: {by}"),
                _ => "not completely integrable".into(),
            },
        }
    }

    /// dg(∂_t + ξ) with the unknown components written as velocities.
    fn tangency_text(&self, cx: &Inquiry, g: &Polynomial) -> Expr {
        use crate::algebra::derive::partial;
        let e = self.frame.write(g);
        let t = self.alpha.dynamical_form().manifold().base();
        let known = self.known.iter().map(|(q, speed)| partial(cx, e, *q) * *speed);
        let unknown = self.unknowns.iter().map(|x| partial(cx, e, *x) * Expr::symbol(Symbol::velocity(*x)));
        super::tidy(cx, Expr::add_all(known.chain(unknown).chain([partial(cx, e, t)])))
    }
}

/// The outcome in one sentence.
fn verdict_of(primary: &[Cell], finals: &[DynamicBranch], stopped: Option<&Stop>) -> String {
    match (stopped, primary.is_empty(), finals.len()) {
        (Some(stop), _, n) => format!("cut off ({stop}) with {n} final branches known"),
        (None, true, _) => "the equations contradict each other at every point".into(),
        (None, false, 0) => "no motion: nothing of the primary constraint set is left".into(),
        (None, false, 1) => "one final branch".into(),
        (None, false, n) => format!("{n} final branches"),
    }
}

fn brackets_vanish(cx: &Inquiry, frame: &Frame, cell: &Cell, fields: &[VectorField]) -> Budgeted<Verdict> {
    for (i, x) in fields.iter().enumerate() {
        for z in &fields[i + 1..] {
            for (symbol, component) in x.bracket(cx, z).components() {
                let rest = frame.on_stratum(|| cell.reduce(cx, frame, &frame.read_numerator(cx, component)?))?;
                if !rest.is_zero() {
                    let rest = frame.write(&rest);
                    let (x, z) = (x.to_string(), z.to_string());
                    return Ok(Verdict::no(format!("[{x}, {z}] has the component {rest} along @{symbol}")));
                }
            }
        }
    }
    Ok(Verdict::yes("all brackets of the spanning fields vanish"))
}

/// Frobenius for Δ_α on the leaf of generic rank; `list` are the leaves of (F|A) on the whole phase space, in
/// the unknowns ξ_k − q_{k+1}.
pub(crate) fn is_distribution_integrable(
    cx: &Inquiry,
    alpha: &LepageTwoForm,
    frame: &Frame,
    list: &[Leaf],
) -> Budgeted<Verdict> {
    let form = alpha.dynamical_form();
    let y = form.manifold();
    let m = y.n_coordinates();
    let jets = form.phase_jets();
    let augmented = |leaf: &&Leaf| (leaf.rank + usize::from(!leaf.is_solvable), leaf.cell.equations().is_empty());
    let Some(leaf) = list.iter().max_by_key(augmented) else { return Ok(Verdict::unknown("no stratum")) };
    let solution = leaf.solution(cx, frame, jets.len())?;
    let mut fields = Vec::new();
    if leaf.is_solvable {
        let components = solution.particular.iter().enumerate().map(|(c, f)| {
            let holonomic = if c + m < jets.len() { jet_expr(y, c % m, (c / m) as u32 + 1) } else { Expr::zero() };
            (jets[c], f.to_expr(frame) + holonomic)
        });
        fields.push(VectorField::new([(y.base(), Expr::one())].into_iter().chain(components)));
    }
    for vector in &solution.kernel {
        fields.push(VectorField::new(jets.iter().copied().zip(vector.iter().map(|f| f.to_expr(frame)))));
    }
    // The first field is made constant along the free directions as well, by subtracting kernel vectors.
    if leaf.is_solvable {
        let (first, kernel) = fields.split_at_mut(1);
        for (k, column) in solution.free_columns.iter().enumerate() {
            let c = first[0].component(jets[*column]);
            if !c.is_zero() {
                first[0] = &first[0] - &kernel[k].scale(c);
            }
        }
    }
    brackets_vanish(cx, frame, &leaf.cell, &fields)
}
