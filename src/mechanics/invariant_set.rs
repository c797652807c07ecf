//! The loop of every constraint algorithm: cut a set down until vectors of a given kind are tangent to it.
//!
//! The kind is described by a linear system for the unknown components of a vector, to which each equation g = 0
//! of the set adds one row: the vector must be tangent. Where the system can be solved a vector exists; the set
//! is cut down to those points, branch by branch, and the cut brings new equations and so new rows. The
//! dynamical distribution, the semisprays and Dirac's total Hamiltonian field are three such kinds.

use crate::algebra::expr::Node;
use crate::algebra::generator::Generator;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, is_generically_solvable, leaves};
use crate::algebra::stratum::regular::{Regularity, regularity};
use crate::algebra::stratum::tangent::dimension;
use crate::algebra::stratum::{Cell, Frame, set};
use crate::algebra::{Inquiry, Verdict};
use crate::budget::{Budgeted, Exhausted, share};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The vectors that are looked for.
pub(crate) trait Vectors {
    /// What their components satisfy, whatever the set.
    fn base(&self) -> &LinearSystem;
    /// The row of tangency to g = 0, its right side last.
    fn tangency(&self, cx: &Inquiry, g: &Polynomial) -> Budgeted<Vec<Polynomial>>;
    /// Whether tangency to g = 0 is a linear condition on vectors at the points of the set. Where it is not, the row is
    /// left out, and what is found contains the invariant sets.
    fn is_linear(&self, _: &Inquiry, _set: &Cell, _g: &Polynomial) -> Budgeted<bool> {
        Ok(true)
    }
    /// Cells that contain every point of the stratum through which a smooth integral curve in the larger set passes.
    fn crossing(&self, _: &Inquiry, stratum: &Cell, _within: &Cell) -> Budgeted<Vec<Cell>> {
        Ok(vec![stratum.clone()])
    }
}

/// The state of the loop.
pub(crate) struct InvariantSets<'a> {
    frame: &'a Frame,
    vectors: &'a dyn Vectors,
    pub finals: Vec<Cell>,
    /// Lower strata next to an open part that was kept, with that part.
    pub boundary: Vec<(Cell, Cell)>,
    /// Strata of final sets on which there are more vectors than elsewhere, with that set.
    jumps: Vec<(Cell, Cell)>,
    /// What is still to be looked at.
    pub queue: Vec<Cell>,
    /// What would have taken too long to look at.
    pub unsolved: Vec<Cell>,
    /// Sets on which an unspecified function vanishes with several derivatives: curves in them need the next one to vanish, and so on.
    pub endless: Vec<Cell>,
    pub rounds: usize,
    pub history: Vec<Event>,
    /// The invariant parts of sets that were looked at on the way through boundary strata.
    tried: RefCell<FxHashMap<Vec<Polynomial>, Vec<Cell>>>,
}

/// What happened to a branch in a round.
pub(crate) struct Event {
    pub round: usize,
    pub branch: Cell,
    pub says: &'static str,
    /// What the elimination left over: a vector exists where all of these vanish.
    pub residuals: Vec<Polynomial>,
    pub remains: Vec<Cell>,
}

/// What a round says about a branch.
enum Outcome {
    /// Vectors exist nowhere on it.
    Lost,
    /// Everywhere; the strata on which there are more of them than elsewhere.
    Whole { jumps: Vec<Cell> },
    /// On an open part, and perhaps on lower strata.
    Open { kept: Vec<Cell>, lower: Vec<Cell> },
    /// On a smaller closed part.
    Smaller(Vec<Cell>),
}

/// What does not belong to a set although vectors exist on it.
struct TakenOut {
    whole: Cell,
    lost: Vec<Cell>,
    /// The parts of it through which curves may pass all the same.
    open: Vec<Cell>,
}

impl<'a> InvariantSets<'a> {
    pub fn new(frame: &'a Frame, vectors: &'a dyn Vectors) -> InvariantSets<'a> {
        InvariantSets {
            frame,
            vectors,
            finals: vec![],
            boundary: vec![],
            jumps: vec![],
            queue: vec![],
            unsolved: vec![],
            endless: vec![],
            rounds: 0,
            history: vec![],
            tried: RefCell::default(),
        }
    }

    pub fn frame(&self) -> &'a Frame {
        self.frame
    }

    /// Every cut lowers the dimension of a branch, so no chain is longer than this.
    fn limit(&self) -> usize {
        2 * self.frame.coordinates().len() + 4
    }

    /// Looks at a set whose leaves are known already.
    pub fn begin(&mut self, cx: &Inquiry, v: &Cell, list: Vec<Leaf>) -> Budgeted<()> {
        let next = self.look(cx, v, list)?;
        self.queue.extend(next);
        Ok(())
    }

    /// Rounds until nothing is cut off any more. When a budget ends, what was not looked at is in the queue.
    pub fn iterate(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let rounds = cx.common(share::ROUNDS);
        while !self.queue.is_empty() {
            if self.rounds >= self.limit() {
                return Err(Exhausted::Size);
            }
            self.rounds += 1;
            let mut next = Vec::new();
            while let Some(v) = self.queue.pop() {
                let share = cx.left_of(&rounds).clamp(share::LEAST_BRANCH, share::BRANCH);
                let step = cx.aside(share, || self.advance(cx, &v));
                match step {
                    Ok(Some(parts)) => next.extend(parts),
                    // One branch that is too hard does not hold up the others.
                    Ok(None) => self.unsolved.push(v),
                    Err(why) => {
                        self.queue.push(v);
                        self.queue.extend(next);
                        return Err(why);
                    }
                }
            }
            self.queue = next;
            self.queue = self.maximal(cx, self.queue.clone())?;
        }
        Ok(())
    }

    /// One branch: described by the equations of its real points, or solved.
    fn advance(&mut self, cx: &Inquiry, v: &Cell) -> Budgeted<Vec<Cell>> {
        if let Regularity::Parts(parts) = regularity(cx, self.frame, v)? {
            self.note(v, "its real points have other equations", vec![], parts.clone());
            return Ok(parts);
        }
        if has_flat_function(v) {
            self.note(
                v,
                "an unspecified function vanishes on it with several derivatives: it is not followed",
                vec![],
                vec![],
            );
            self.endless.push(v.clone());
            return Ok(vec![]);
        }
        let list = self.solve(cx, v)?;
        self.look(cx, v, list)
    }

    /// The largest of the cells; all of them if that is not found out soon.
    fn maximal(&self, cx: &Inquiry, cells: Vec<Cell>) -> Budgeted<Vec<Cell>> {
        Ok(cx.aside(share::SIDE, || set::maximal(cx, self.frame, cells.clone()))?.unwrap_or(cells))
    }

    /// The system on a branch, by leaves.
    pub fn solve(&self, cx: &Inquiry, v: &Cell) -> Budgeted<Vec<Leaf>> {
        leaves(cx, self.frame, &self.system_on(cx, v)?, v)
    }

    /// What vectors of the kind that are tangent to a branch satisfy.
    fn system_on(&self, cx: &Inquiry, v: &Cell) -> Budgeted<LinearSystem> {
        let mut system = self.vectors.base().clone();
        for g in &v.generators(cx, self.frame)? {
            if !self.vectors.is_linear(cx, v, g)? {
                continue;
            }
            let mut row = self.vectors.tangency(cx, g)?;
            let right = row.pop().unwrap_or_default();
            system.push(row, right);
        }
        Ok(system)
    }

    /// Decides about a branch whose leaves are known; returns the branches of the next round.
    fn look(&mut self, cx: &Inquiry, v: &Cell, list: Vec<Leaf>) -> Budgeted<Vec<Cell>> {
        let mut residuals: Vec<Polynomial> = Vec::new();
        for r in list.iter().flat_map(|leaf| &leaf.residuals) {
            if !residuals.contains(r) {
                residuals.push(r.clone());
            }
        }
        let outcome = self.outcome(cx, v, list)?;
        self.apply(v, outcome, residuals)
    }

    fn outcome(&self, cx: &Inquiry, v: &Cell, list: Vec<Leaf>) -> Budgeted<Outcome> {
        let (good, bad): (Vec<Leaf>, Vec<Leaf>) = list.into_iter().partition(|leaf| leaf.is_solvable);
        if good.is_empty() {
            return Ok(Outcome::Lost);
        }
        if bad.is_empty() {
            let generic = good.iter().map(|leaf| leaf.rank).max();
            let jumps = good.into_iter().filter(|leaf| Some(leaf.rank) < generic).map(|leaf| leaf.cell).collect();
            return Ok(Outcome::Whole { jumps });
        }
        // A part with equations of its own is none of these, whatever its dimension: vectors must be tangent to it, too.
        let is_open = |cell: &Cell| cell.equations() == v.equations();
        let generic = good.iter().filter(|leaf| is_open(&leaf.cell)).map(|leaf| leaf.rank).max();
        let Some(generic) = generic else {
            // The closures: without the inequations that made the leaves disjoint.
            let closed = good.into_iter().map(|leaf| closure(&leaf.cell, v)).collect();
            return Ok(Outcome::Smaller(self.maximal(cx, closed)?));
        };
        // Where the rank is the generic one a solution exists on an open part of the branch.
        let (open, rest): (Vec<Leaf>, Vec<Leaf>) = good.into_iter().partition(|leaf| leaf.rank == generic);
        let mut lower: Vec<Cell> = rest.into_iter().map(|leaf| leaf.cell).collect();
        let mut kept = Vec::new();
        let open: Vec<Cell> = open.into_iter().map(|leaf| leaf.cell).collect();
        let open = cx.aside(share::SIDE, || set::merged(cx, self.frame, open.clone()))?.unwrap_or(open);
        for cell in &open {
            if is_open(cell) {
                kept.push(cell.clone());
                continue;
            }
            // Of the generic rank: a solution exists nearby as well. What continues it is a larger part of the branch.
            let wider = v.with_nonzero(v.nonzero().iter().chain(cell.nonzero()).cloned().collect());
            let is_good = cx.aside(share::SIDE, || set::is_within(cx, self.frame, &wider, &open))?.unwrap_or(false);
            if is_good { kept.push(wider) } else { lower.push(cell.clone()) }
        }
        Ok(Outcome::Open { kept, lower })
    }

    /// Records an outcome; returns the branches of the next round.
    fn apply(&mut self, v: &Cell, outcome: Outcome, residuals: Vec<Polynomial>) -> Budgeted<Vec<Cell>> {
        let (says, remains, next) = match outcome {
            Outcome::Lost => ("no vector is tangent to it anywhere: it is lost", vec![], vec![]),
            Outcome::Whole { jumps } => {
                self.jumps.extend(jumps.into_iter().map(|stratum| (stratum, v.clone())));
                self.finals.push(v.clone());
                ("a vector exists at every point and is tangent: it is final", vec![], vec![])
            }
            Outcome::Open { kept, lower } => {
                let mut next = Vec::new();
                for w in &lower {
                    let closed = closure(w, v);
                    self.boundary.extend(kept.iter().map(|k| (w.clone(), k.clone())));
                    if !next.contains(&closed) {
                        next.push(closed);
                    }
                }
                self.finals.extend(kept.clone());
                ("vectors exist on an open part, which is final", kept, next)
            }
            Outcome::Smaller(parts) => ("vectors exist on a smaller part only", parts.clone(), parts),
        };
        self.note(v, says, residuals, remains);
        Ok(next)
    }

    fn note(&mut self, branch: &Cell, says: &'static str, residuals: Vec<Polynomial>, remains: Vec<Cell>) {
        self.history.push(Event { round: self.rounds, branch: branch.clone(), says, residuals, remains });
    }

    /// Lower strata next to an open part may be crossed by integral curves of the open part. They are settled if they
    /// lie in a final set, or in an invariant set among the zeros of the given candidates on that open part; if no smooth
    /// curve passes through them; or if what is left of them lies in an invariant set with fewer equations.
    pub fn settle_boundaries(
        &mut self,
        cx: &Inquiry,
        candidates: impl Fn(&Cell) -> Budgeted<Vec<Polynomial>>,
    ) -> Budgeted<()> {
        self.settle_jumps(cx)?;
        let mut looked_at: Vec<Cell> = Vec::new();
        for (stratum, open) in self.boundary.clone() {
            if looked_at.contains(&open) {
                continue;
            }
            // What is not found with moderate work stays undecided.
            let found = cx.aside(share::INVARIANCE, || {
                if set::is_within(cx, self.frame, &stratum, &self.finals)? {
                    return Ok(None);
                }
                self.invariant_sets_in(cx, &open, &candidates).map(Some)
            })?;
            if let Some(None) = found {
                continue;
            }
            looked_at.push(open);
            for candidate in found.flatten().into_iter().flatten() {
                // z x′y′ has {z = x′ = z′ = 0} as a final set already; {x′ = z′ = 0} adds motions of {x′ = 0, z ≠ 0} to it, and not all.
                let is_known = cx.aside(share::SIDE, || set::is_within(cx, self.frame, &candidate, &self.finals))?;
                if is_known != Some(true) {
                    self.add_invariant([candidate].into_iter());
                }
            }
        }
        let boundary = cx.common(share::BOUNDARY);
        let mut unsettled = Vec::new();
        for (stratum, open) in std::mem::take(&mut self.boundary) {
            if cx.left_of(&boundary).work() == 0 {
                unsettled.push((stratum, open));
                continue;
            }
            match self.what_is_left(cx, &stratum, &open) {
                Ok((left, invariant)) => {
                    if left.is_empty() {
                        self.note(&stratum, "no smooth curve passes through it outside the final sets", vec![], vec![]);
                    }
                    unsettled.extend(left.into_iter().map(|cell| (cell, open.clone())));
                    self.add_invariant(invariant.into_iter());
                }
                Err(why) => {
                    unsettled.push((stratum, open));
                    self.boundary = unsettled;
                    return Err(why);
                }
            }
        }
        self.boundary = unsettled;
        Ok(())
    }

    /// Where there are more vectors than elsewhere one may exist at every point, and none of them belong to a curve: where the
    /// equations differentiated along curves exclude that, the points are not final. What is left of such a stratum is final
    /// where the field of the whole set goes on through it, or where it lies in invariant parts of the stratum itself; else
    /// it is a boundary.
    fn settle_jumps(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let boundary = cx.common(share::BOUNDARY);
        let mut taken_out: Vec<TakenOut> = Vec::new();
        for (stratum, whole) in std::mem::take(&mut self.jumps) {
            let is_late = cx.left_of(&boundary).work() == 0;
            let (passed, open) =
                if is_late { (vec![], vec![stratum.clone()]) } else { self.passed(cx, &stratum, &whole)? };
            let lost = cx.aside(share::STRATUM, || set::difference_from_all(cx, self.frame, &stratum, &passed))?;
            let lost = lost.unwrap_or_else(|| vec![stratum.clone()]);
            match taken_out.iter_mut().find(|known| known.whole == whole) {
                Some(known) => {
                    known.lost.extend(lost);
                    known.open.extend(open);
                }
                None => taken_out.push(TakenOut { whole, lost, open }),
            }
        }
        for TakenOut { whole, lost, open } in taken_out.into_iter().filter(|known| !known.lost.is_empty()) {
            let rest = cx.aside(share::STRATUM, || {
                let rest = set::difference_from_all(cx, self.frame, &whole, &lost)?;
                set::merged(cx, self.frame, rest)
            })?;
            self.finals.retain(|known| *known != whole);
            let Some(rest) = rest else {
                self.unsolved.push(whole);
                continue;
            };
            lost.iter()
                .for_each(|cell| self.note(cell, "vectors exist on it, but no smooth curve is known", vec![], vec![]));
            let (mut kept, lower): (Vec<Cell>, Vec<Cell>) =
                rest.into_iter().partition(|cell| cell.equations() == whole.equations());
            let mut beside = Vec::new();
            for cell in lower {
                match cx.aside(share::STRATUM, || self.around(cx, &whole, &lost, &cell))?.flatten() {
                    Some(wider) => kept.extend(wider.into_iter().filter(|w| !kept.contains(w)).collect::<Vec<_>>()),
                    None => beside.push(cell),
                }
            }
            for cell in beside.iter().chain(&open) {
                self.boundary.extend(kept.iter().map(|k| (cell.clone(), k.clone())));
                self.queue.push(closure(cell, &whole));
            }
            self.finals.extend(kept);
        }
        self.iterate(cx)
    }

    /// An open part of a set that contains a piece of it and nothing of what is taken out.
    fn around(&self, cx: &Inquiry, whole: &Cell, lost: &[Cell], piece: &Cell) -> Budgeted<Option<Vec<Cell>>> {
        let mut avoided = Polynomial::one();
        for cell in lost {
            let mut found = None;
            for g in cell.generators(cx, self.frame)? {
                let g = whole.reduce(cx, self.frame, &g)?;
                if !g.is_zero() && self.frame.is_nonvanishing_on(cx, piece, &g)? {
                    found = Some(g);
                    break;
                }
            }
            let Some(g) = found else { return Ok(None) };
            avoided = avoided.mul(cx, &g)?;
        }
        self.frame.refine(cx, whole, &[], &[avoided]).map(Some)
    }

    /// Of a stratum with more vectors than elsewhere: the parts through which a curve passes at every point, and those of
    /// which that is not known.
    fn passed(&self, cx: &Inquiry, stratum: &Cell, whole: &Cell) -> Budgeted<(Vec<Cell>, Vec<Cell>)> {
        let crossed = cx.aside(share::CROSSING, || self.vectors.crossing(cx, stratum, whole))?;
        let crossed = self.maximal(cx, crossed.unwrap_or_else(|| vec![stratum.clone()]))?;
        if crossed.is_empty() {
            return Ok((vec![], vec![]));
        }
        let inner = cx.aside(share::STRATUM, || {
            let mut sets = InvariantSets::new(self.frame, self.vectors);
            sets.queue.push(closure(stratum, whole));
            sets.iterate(cx)?;
            sets.settle_jumps(cx)?;
            Ok(sets.finals)
        })?;
        let inner = inner.unwrap_or_default();
        let (mut passed, mut open) = (Vec::new(), Vec::new());
        for cell in crossed {
            let is_passed = cx.aside(share::STRATUM, || {
                Ok(set::is_within(cx, self.frame, &cell, &inner)? || self.is_continued(cx, whole, &cell)?)
            })?;
            if is_passed.unwrap_or(false) { passed.push(cell) } else { open.push(cell) }
        }
        Ok((passed, open))
    }

    /// Whether a field on the set, found at generic points, has no pole in a part of it: its curves go on through that part.
    fn is_continued(&self, cx: &Inquiry, whole: &Cell, part: &Cell) -> Budgeted<bool> {
        let list = self.solve(cx, whole)?;
        let generic = list.iter().map(|leaf| leaf.rank).max();
        let is_open = |leaf: &&Leaf| Some(leaf.rank) == generic && leaf.cell.equations() == whole.equations();
        for leaf in list.iter().filter(is_open) {
            let solution = leaf.solution(cx, self.frame, self.vectors.base().n_columns)?;
            let mut has_pole = false;
            for fraction in &solution.particular {
                has_pole |= !self.frame.is_nonvanishing_on(cx, part, &fraction.denominator)?;
            }
            if !has_pole {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_invariant(&mut self, found: impl Iterator<Item = Cell>) {
        for candidate in found {
            self.note(&candidate, "it is invariant and continues what happens on the open part", vec![], vec![]);
            self.finals.push(candidate);
        }
    }

    /// The part of a stratum outside the final sets that smooth curves may pass through, and invariant sets through it.
    fn what_is_left(&self, cx: &Inquiry, stratum: &Cell, open: &Cell) -> Budgeted<(Vec<Cell>, Vec<Cell>)> {
        let (mut left, mut invariant): (Vec<Cell>, Vec<Cell>) = (vec![], vec![]);
        let outside = cx.aside(share::STRATUM, || set::difference_from_all(cx, self.frame, stratum, &self.finals))?;
        for outside in outside.unwrap_or_else(|| vec![stratum.clone()]) {
            let crossed = cx
                .aside(share::CROSSING, || self.vectors.crossing(cx, &outside, open))?
                .unwrap_or_else(|| vec![outside]);
            for cell in self.maximal(cx, crossed)? {
                let found = cx.aside(share::STRATUM, || {
                    let known: Vec<Cell> = self.finals.iter().chain(&invariant).cloned().collect();
                    if set::is_within(cx, self.frame, &cell, &known)? {
                        return Ok(None);
                    }
                    self.invariant_by_fewer_equations(cx, &cell, open).map(Some)
                })?;
                match found {
                    Some(None) => {}
                    Some(Some(found)) if !found.is_empty() => invariant.extend(found),
                    _ => left.push(cell),
                }
            }
        }
        Ok((left, invariant))
    }

    /// Sets given by the equations of the open part and some of those of the cell, all but one or two, or one or two, as far as
    /// they are invariant, if the cell lies in that.
    fn invariant_by_fewer_equations(&self, cx: &Inquiry, cell: &Cell, open: &Cell) -> Budgeted<Vec<Cell>> {
        let equations = cell.generators(cx, self.frame)?;
        let n = equations.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |k| vec![i, k]));
        let few: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).chain(pairs).collect();
        let complement = |few: &Vec<usize>| (0..n).filter(|i| !few.contains(i)).collect::<Vec<usize>>();
        let many = few.iter().map(complement).filter(|kept| kept.len() > 2);
        for kept in many.chain(few.iter().filter(|kept| kept.len() < n).cloned()) {
            let kept = kept.into_iter().map(|i| equations[i].clone());
            let all: Vec<Polynomial> = open.equations().iter().cloned().chain(kept).collect();
            let found = self.invariant_parts(cx, all)?;
            if !found.is_empty() && set::is_within(cx, self.frame, cell, &found)? {
                return Ok(found);
            }
        }
        Ok(vec![])
    }

    /// The invariant open parts of the set with these equations. Remembered, because different strata lead to the same sets.
    fn invariant_parts(&self, cx: &Inquiry, mut equations: Vec<Polynomial>) -> Budgeted<Vec<Cell>> {
        equations.sort();
        equations.dedup();
        if let Some(known) = self.tried.borrow().get(&equations) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for candidate in self.frame.split(cx, &equations, &[])? {
            let Some(list) = self.leaves_of(cx, &candidate)? else { continue };
            match self.outcome(cx, &candidate, list)? {
                Outcome::Whole { .. } => found.push(candidate),
                Outcome::Open { kept, .. } => found.extend(kept),
                Outcome::Lost | Outcome::Smaller(_) => {}
            }
        }
        self.tried.borrow_mut().insert(equations, found.clone());
        Ok(found)
    }

    /// The leaves of a regular set on which the system can be solved in general.
    fn leaves_of(&self, cx: &Inquiry, candidate: &Cell) -> Budgeted<Option<Vec<Leaf>>> {
        if let Regularity::Parts(_) = regularity(cx, self.frame, candidate)? {
            return Ok(None);
        }
        let system = self.system_on(cx, candidate)?;
        if !is_generically_solvable(cx, self.frame, &system, candidate)? {
            return Ok(None);
        }
        leaves(cx, self.frame, &system, candidate).map(Some)
    }

    /// The invariant sets among the zeros of the candidates on an open part.
    fn invariant_sets_in(
        &self,
        cx: &Inquiry,
        open: &Cell,
        candidates: &impl Fn(&Cell) -> Budgeted<Vec<Polynomial>>,
    ) -> Budgeted<Vec<Cell>> {
        let mut found = Vec::new();
        let closed = open.with_nonzero(vec![]);
        for g in candidates(open)? {
            for candidate in self.frame.refine(cx, &closed, &[g], &[])? {
                let Some(list) = self.leaves_of(cx, &candidate)? else { continue };
                if !list.is_empty() && list.iter().all(|leaf| leaf.is_solvable) {
                    found.push(candidate);
                }
            }
        }
        Ok(found)
    }

    /// The largest of the final sets.
    pub fn maximal_finals(&self, cx: &Inquiry) -> Budgeted<Vec<Cell>> {
        self.maximal(cx, self.finals.clone())
    }

    /// What is left of the lower strata outside the final sets.
    pub fn unsettled(&self, cx: &Inquiry, finals: &[Cell]) -> Budgeted<Vec<Cell>> {
        let mut rest: Vec<Cell> = Vec::new();
        for (stratum, _) in &self.boundary {
            let outside = cx.aside(share::SIDE, || set::difference_from_all(cx, self.frame, stratum, finals))?;
            for cell in outside.unwrap_or_else(|| vec![stratum.clone()]) {
                if !rest.contains(&cell) {
                    rest.push(cell);
                }
            }
        }
        Ok(rest)
    }
}

/// The leaf with the inequations of the branch only.
pub(crate) fn closure(leaf: &Cell, v: &Cell) -> Cell {
    leaf.with_nonzero(v.nonzero().to_vec())
}

/// The leaf on which the rank is the largest; among those the one with the fewest conditions beyond the branch.
pub(crate) fn generic_leaf<'l>(list: &'l [Leaf], n: &Cell) -> Option<&'l Leaf> {
    list.iter().filter(|leaf| leaf.is_solvable).max_by_key(|leaf| {
        let same = leaf.cell.equations() == n.equations();
        (leaf.rank, same, std::cmp::Reverse((leaf.cell.equations().len(), leaf.cell.nonzero().len())))
    })
}

/// Derivatives of an unspecified function that are followed when they vanish together.
const FOLLOWED_DERIVATIVES: u32 = 2;

/// Whether the equations let an unspecified function and more of its derivatives vanish than are followed.
fn has_flat_function(v: &Cell) -> bool {
    let zero = v.equations().iter().filter(|g| g.total_degree() == 1 && g.n_terms() == 1);
    let orders = zero.flat_map(|g| g.variables()).filter_map(|x| match Generator(*x).meaning().node() {
        Node::Unknown { orders, .. } => Some(orders.iter().sum::<u32>()),
        _ => None,
    });
    orders.max().is_some_and(|n| n > FOLLOWED_DERIVATIVES)
}

/// Whether the equations of a branch are those of its real points, and its dimension, which is an upper bound if that is not known.
/// Leaves without points are left out.
pub(crate) fn regular_leaves(
    cx: &Inquiry,
    frame: &Frame,
    n: &Cell,
    list: &mut Vec<Leaf>,
) -> Budgeted<(Verdict, usize)> {
    let (codimension, is_graph) = match regularity(cx, frame, n)? {
        Regularity::Regular { codimension, is_graph } => (codimension, is_graph),
        Regularity::Unknown(why) => return Ok((Verdict::unknown(why), dimension(cx, frame, n)?)),
        Regularity::Parts(_) => {
            return Ok((Verdict::unknown("its real points have other equations"), dimension(cx, frame, n)?));
        }
    };
    let mut verdict = Verdict::yes("at a real point the differentials of its equations span the conormal space");
    let mut kept = Vec::new();
    for leaf in list.drain(..) {
        // On a graph a polynomial that is not zero does not vanish everywhere.
        let is_open = leaf.cell == *n || (is_graph && leaf.cell.equations() == n.equations());
        let is_empty =
            if is_open { Verdict::no("an open part of the branch") } else { set::is_empty(cx, frame, &leaf.cell)? };
        kept.push((leaf, is_empty));
    }
    let largest = kept.iter().filter(|(_, is_empty)| is_empty.is_no()).map(|(leaf, _)| leaf.rank).max();
    let is_open_question =
        |(leaf, is_empty): &(Leaf, Verdict)| is_empty.is_unknown() && largest.is_none_or(|rank| leaf.rank > rank);
    if kept.iter().any(is_open_question) {
        verdict = Verdict::unknown("whether a stratum of higher rank has a real point is not known");
    }
    list.extend(kept.into_iter().filter(|(_, is_empty)| !is_empty.is_yes()).map(|(leaf, _)| leaf));
    Ok((verdict, frame.coordinates().len() - codimension))
}
