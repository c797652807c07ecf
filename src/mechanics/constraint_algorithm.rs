//! The constraint algorithm: where a singular system moves, and how. Krupková §7; sheet §9.
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
//! pass through it. It is decided where an invariant submanifold through it is found, otherwise it is listed as
//! undecided.

use super::classify::{branches, frame_of, rows_of, solvable_set};
use super::lepage_class::LepageTwoForm;
use super::{Answered, exhausted, jet, jet_expr, vanishes};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, Solution, leaves};
use crate::algebra::stratum::rank::{Rank, rank_by};
use crate::algebra::stratum::sample::sample_point;
use crate::algebra::stratum::tangent::{dimension, projection, singular_locus};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Ground, Symbol, Verdict};
use crate::budget::{Budgeted, Exhausted};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use rustc_hash::FxHashMap;

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
    pub undecided: Vec<Undecided>,
    pub rounds: usize,
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
    pub dim: usize,
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
    space: JetSpace,
}

impl DynamicBranch {
    /// Equations of the projection to configuration space, in t and q.
    pub fn configuration(&self) -> Answered<Vec<Expr>> {
        let y = self.space.manifold();
        let keep = |s: Symbol| y.order_of_symbol(s) == Some(0);
        self.with_cells(|frame, cell| {
            Ok(projection(frame, cell, keep)?.iter().map(|p| frame.write(p)).collect::<Vec<Expr>>())
        })
        .map(|lists| lists.concat())
    }

    /// The points at which the branch is not a submanifold, or may not be: the differentials of its equations are
    /// dependent there.
    pub fn singular_locus(&self) -> Answered<Vec<Branch>> {
        self.with_cells(|frame, cell| branches(frame, &singular_locus(frame, cell)?)).map(|lists| lists.concat())
    }

    /// A point of the branch, if one with rational coordinates is found.
    pub fn sample_point(&self) -> Answered<Option<Vec<(Symbol, Expr)>>> {
        let points = self.with_cells(|frame, cell| {
            let point = sample_point(frame, cell)?;
            Ok(point.map(|p| p.symbols().into_iter().map(|(s, x)| (s, Expr::number(x))).collect()))
        })?;
        Ok(points.into_iter().flatten().next())
    }

    /// The space in which the branch lies.
    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    fn with_cells<T>(&self, work: impl Fn(&Frame, &Cell) -> Budgeted<T>) -> Answered<Vec<T>> {
        let run = || -> Budgeted<Vec<T>> {
            let all: Vec<Expr> = self.branch.equations.iter().chain(&self.branch.nonzero).copied().collect();
            let frame = Frame::new(&self.space.symbols(), &all)?;
            frame.cells(&self.branch)?.iter().map(|cell| work(&frame, cell)).collect()
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
    Forms { label: String, list: Vec<Form> },
    Sets { label: String, list: Vec<Branch> },
    Fields { label: String, list: Vec<VectorField> },
}

/// The algorithm for both problems.
pub fn dynamics(alpha: &LepageTwoForm) -> Answered<SystemDynamics> {
    let extended = run(alpha, Problem::Extended)?;
    let proper = if alpha.dynamical_form().order() == 1 {
        // There is no semispray problem: every Hamilton path is a path.
        Dynamics { problem: Problem::Proper, ..extended.clone() }
    } else {
        run(alpha, Problem::Proper)?
    };
    Ok(SystemDynamics { extended, proper })
}

/// The algorithm for one problem. A budget that ends on the way leaves what is known, marked incomplete.
pub fn run(alpha: &LepageTwoForm, problem: Problem) -> Answered<Dynamics> {
    let frame = frame_of(alpha).map_err(exhausted)?;
    let mut state = Algorithm::new(alpha, &frame, problem).map_err(exhausted)?;
    match state.execute() {
        Ok(()) => {}
        Err(Exhausted::Interrupted) => return Err(exhausted(Exhausted::Interrupted)),
        Err(why) => state.stopped = Some(why),
    }
    state.report().map_err(exhausted)
}

impl Dynamics {
    /// The final set, as the union of its branches.
    pub fn final_set(&self) -> Vec<Branch> {
        self.branches.iter().map(|b| b.branch.clone()).collect()
    }

    /// The branches through a point; those of which it cannot be decided are kept.
    pub fn through(&self, point: &FxHashMap<Symbol, Expr>) -> Vec<DynamicBranch> {
        self.branches.iter().filter(|b| !contains_point(&b.branch, point).is_no()).cloned().collect()
    }
}

/// Whether a point lies in a branch.
pub fn contains_point(branch: &Branch, point: &FxHashMap<Symbol, Expr>) -> Verdict {
    let at = |e: &Expr| vanishes(substitute(*e, point));
    let equations = branch.equations.iter().map(at);
    let nonzero = branch.nonzero.iter().map(|e| at(e).negate());
    Verdict::all(equations.chain(nonzero), "the set is everything")
}

/// Whether a point lies in a union of branches.
pub fn union_contains_point(list: &[Branch], point: &FxHashMap<Symbol, Expr>) -> Verdict {
    list.iter().map(|b| contains_point(b, point)).reduce(Verdict::or).unwrap_or_else(|| Verdict::no("the set is empty"))
}

/// The state of the loop.
struct Algorithm<'a> {
    alpha: &'a LepageTwoForm,
    frame: &'a Frame,
    problem: Problem,
    /// The components of ξ that are asked for: all, or those along the top jets.
    unknowns: Vec<Symbol>,
    /// The components that are prescribed: q_k ↦ q_{k+1} for semisprays.
    known: Vec<(Symbol, Expr)>,
    /// Step 2 without tangency: η(ξ) = 0.
    base: LinearSystem,
    primary: Vec<Cell>,
    finals: Vec<Cell>,
    /// Lower strata next to an open part that was kept, with that part.
    boundary: Vec<(Cell, Cell)>,
    queue: Vec<Cell>,
    rounds: usize,
    stopped: Option<Exhausted>,
    log: Vec<LogEntry>,
}

/// What Step 3 says about a branch.
enum Outcome {
    /// Vectors exist nowhere on it.
    Lost,
    /// Everywhere.
    Whole,
    /// On an open part, and perhaps on lower strata.
    Open { kept: Vec<Cell>, lower: Vec<Cell> },
    /// On a smaller closed part.
    Smaller(Vec<Cell>),
}

impl<'a> Algorithm<'a> {
    fn new(alpha: &'a LepageTwoForm, frame: &'a Frame, problem: Problem) -> Budgeted<Algorithm<'a>> {
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
                (jets, vec![], rows_of(frame, alpha.matrix(), &a)?)
            }
            Problem::Proper => {
                let known = (0..inner).map(|c| (jets[c], jet_expr(y, c % m, (c / m) as u32 + 1))).collect();
                let unknowns = (0..m).map(|nu| jet(y, nu, s - 1)).collect();
                (unknowns, known, rows_of(frame, form.b(), form.a())?)
            }
        };
        Ok(Algorithm {
            alpha,
            frame,
            problem,
            unknowns,
            known,
            base,
            primary: vec![],
            finals: vec![],
            boundary: vec![],
            queue: vec![],
            rounds: 0,
            stopped: None,
            log: vec![],
        })
    }

    fn execute(&mut self) -> Budgeted<()> {
        // Step 1.
        let whole = self.frame.everything();
        let list = leaves(self.frame, &self.base, &whole)?;
        self.primary = solvable_set(self.frame, &list)?;
        self.log_primary()?;
        let outcome = self.outcome(&whole, list)?;
        self.queue = self.apply(&whole, outcome)?;
        // Steps 2 and 3, until nothing is cut off.
        let limit = 2 * self.frame.coordinates().len() + 4;
        self.iterate(limit)?;
        self.settle_boundaries(limit)
    }

    fn iterate(&mut self, limit: usize) -> Budgeted<()> {
        while !self.queue.is_empty() {
            if self.rounds >= limit {
                return Err(Exhausted::Size);
            }
            self.rounds += 1;
            let mut next = Vec::new();
            while let Some(v) = self.queue.pop() {
                let list = match self.solve(&v) {
                    Ok(list) => list,
                    Err(why) => {
                        self.queue.push(v);
                        self.queue.extend(next);
                        return Err(why);
                    }
                };
                let outcome = self.outcome(&v, list)?;
                next.extend(self.apply(&v, outcome)?);
            }
            self.queue = set::maximal(self.frame, next)?;
        }
        Ok(())
    }

    /// Step 2 on a branch: the base system with the tangency conditions, by leaves.
    fn solve(&self, v: &Cell) -> Budgeted<Vec<Leaf>> {
        leaves(self.frame, &self.system_on(v)?, v)
    }

    fn system_on(&self, v: &Cell) -> Budgeted<LinearSystem> {
        let mut system = self.base.clone();
        for g in &v.generators(self.frame)? {
            let mut row = self.tangency(g)?;
            let right = row.pop().unwrap_or_default();
            system.push(row, right);
        }
        Ok(system)
    }

    /// Σ_unknown (∂g/∂x) ξ_x = −∂g/∂t − Σ_known (∂g/∂q_k) q_{k+1}; the right side is last.
    fn tangency(&self, g: &Polynomial) -> Budgeted<Vec<Polynomial>> {
        use crate::algebra::derive::partial;
        let e = self.frame.write(g);
        let t = self.alpha.dynamical_form().manifold().base();
        let moving = self.known.iter().map(|(q, speed)| partial(e, *q) * *speed);
        let right = -(partial(e, t) + Expr::add_all(moving));
        let row: Vec<Expr> = self.unknowns.iter().map(|x| partial(e, *x)).chain([right]).collect();
        self.frame.read_row(&row)
    }

    /// Step 3 on a branch.
    fn outcome(&self, v: &Cell, list: Vec<Leaf>) -> Budgeted<Outcome> {
        let (good, bad): (Vec<Leaf>, Vec<Leaf>) = list.into_iter().partition(|leaf| leaf.is_solvable);
        if good.is_empty() {
            return Ok(Outcome::Lost);
        }
        if bad.is_empty() {
            return Ok(Outcome::Whole);
        }
        let d = dimension(self.frame, v)?;
        let mut generic: Option<usize> = None;
        for leaf in &good {
            let same = leaf.cell.equations() == v.equations() || dimension(self.frame, &leaf.cell)? == d;
            if same {
                generic = Some(generic.map_or(leaf.rank, |r| r.max(leaf.rank)));
            }
        }
        let Some(generic) = generic else {
            // The closures: without the inequations that made the leaves disjoint.
            let closed = good.into_iter().map(|leaf| self.closure(&leaf.cell, v)).collect();
            return Ok(Outcome::Smaller(set::maximal(self.frame, closed)?));
        };
        // Where the rank is the generic one a solution exists on an open part of the branch.
        let (open, lower): (Vec<Leaf>, Vec<Leaf>) = good.into_iter().partition(|leaf| leaf.rank == generic);
        let kept = set::merged(self.frame, open.into_iter().map(|leaf| leaf.cell).collect())?;
        let lower = lower.into_iter().map(|leaf| leaf.cell).collect();
        Ok(Outcome::Open { kept, lower })
    }

    fn closure(&self, leaf: &Cell, v: &Cell) -> Cell {
        leaf.with_nonzero(v.nonzero().to_vec())
    }

    /// Records an outcome; returns the branches of the next round.
    fn apply(&mut self, v: &Cell, outcome: Outcome) -> Budgeted<Vec<Cell>> {
        let next = match outcome {
            Outcome::Lost => {
                self.log_outcome(v, "no vector is tangent to it anywhere: it is lost", &[])?;
                vec![]
            }
            Outcome::Whole => {
                self.log_outcome(v, "a vector exists at every point and is tangent: it is final", &[])?;
                self.finals.push(v.clone());
                vec![]
            }
            Outcome::Open { kept, lower } => {
                self.log_outcome(v, "vectors exist on an open part, which is final", &kept)?;
                let mut next = Vec::new();
                for w in &lower {
                    let closed = self.closure(w, v);
                    self.boundary.extend(kept.iter().map(|k| (w.clone(), k.clone())));
                    if !next.contains(&closed) {
                        next.push(closed);
                    }
                }
                self.finals.extend(kept);
                next
            }
            Outcome::Smaller(parts) => {
                self.log_outcome(v, "vectors exist on a smaller part only", &parts)?;
                parts
            }
        };
        Ok(next)
    }

    /// Lower strata next to an open part may be crossed by its motions. They are settled if they lie in a final
    /// branch, or in an invariant submanifold that is found among the factors of the components of the field.
    fn settle_boundaries(&mut self, limit: usize) -> Budgeted<()> {
        let boundary = std::mem::take(&mut self.boundary);
        for (stratum, open) in &boundary {
            if set::is_within(self.frame, stratum, &self.finals)? {
                continue;
            }
            for g in self.invariant_candidates(open)? {
                let closed = open.with_nonzero(vec![]);
                for candidate in self.frame.refine(&closed, &[g], &[])? {
                    let list = self.solve(&candidate)?;
                    if !list.is_empty() && list.iter().all(|leaf| leaf.is_solvable) {
                        self.log_outcome(
                            &candidate,
                            "it is invariant and continues the motions of the open part",
                            &[],
                        )?;
                        self.finals.push(candidate);
                    }
                }
            }
        }
        self.boundary = boundary;
        let _ = limit;
        Ok(())
    }

    /// Factors of the numerators of the components of the field on an open branch.
    fn invariant_candidates(&self, open: &Cell) -> Budgeted<Vec<Polynomial>> {
        let list = self.solve(open)?;
        let Some(leaf) = generic_leaf(&list, open) else { return Ok(vec![]) };
        let solution = leaf.solution(self.frame, self.unknowns.len())?;
        let mut candidates: Vec<Polynomial> = Vec::new();
        for f in &solution.particular {
            for factor in self.frame.irreducible_factors(&f.numerator) {
                let constant = factor.variables().iter().all(|v| self.frame.is_constant(*v));
                if !constant && !candidates.contains(&factor) {
                    candidates.push(factor);
                }
            }
        }
        Ok(candidates)
    }

    fn report(mut self) -> Budgeted<Dynamics> {
        let finals = set::maximal(self.frame, std::mem::take(&mut self.finals))?;
        let mut undecided = Vec::new();
        for (stratum, _) in &self.boundary {
            for rest in set::difference_from_all(self.frame, stratum, &finals)? {
                let branch = self.frame.branch(&rest)?;
                if !undecided.iter().any(|u: &Undecided| u.branch == branch) {
                    let reason = "boundary of an open branch: motions of the open part may pass through it".into();
                    undecided.push(Undecided { branch, reason });
                }
            }
        }
        for cell in &self.queue {
            let reason = match self.stopped {
                Some(why) => format!("the algorithm stopped here: {why}"),
                None => "the algorithm stopped here".into(),
            };
            undecided.push(Undecided { branch: self.frame.branch(cell)?, reason });
        }
        let mut described = Vec::new();
        for cell in &finals {
            described.push(self.describe(cell, true)?);
        }
        let complete = match (&self.stopped, undecided.is_empty()) {
            (Some(why), _) => Verdict::unknown(format!("the algorithm was cut off: {why}")),
            (None, true) => Verdict::yes("every branch was followed to its end"),
            (None, false) => Verdict::no("some strata are undecided"),
        };
        let empty = if self.stopped.is_some() && finals.is_empty() {
            Verdict::unknown("the algorithm was cut off")
        } else {
            set::is_union_empty(self.frame, &finals)?
        };
        let secondary = match set::equals(self.frame, &finals, &self.primary)?.negate() {
            Verdict::No(ground) if ground.is_proved() => Verdict::no("the final set is the primary one"),
            Verdict::Yes(Ground::Proved(by)) => Verdict::yes(format!("of the primary set, what is left out: {by}")),
            other => other,
        };
        Ok(Dynamics {
            problem: self.problem,
            primary: branches(self.frame, &self.primary)?,
            branches: described,
            empty,
            secondary,
            complete,
            undecided,
            rounds: self.rounds,
            log: self.log,
            generic: self.frame.generic_conditions(),
        })
    }

    /// Everything there is to say about the motions on a final branch.
    fn describe(&self, n: &Cell, with_jumps: bool) -> Budgeted<DynamicBranch> {
        let form = self.alpha.dynamical_form();
        let list = self.solve(n)?;
        let list: Vec<Leaf> = list.into_iter().filter(|leaf| leaf.is_solvable).collect();
        let width = self.unknowns.len();
        let ranks = rank_by(self.frame, n, &list, |leaf| 1 + width - leaf.rank)?;
        let generic_rank = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
        let mut fields = Vec::new();
        let mut integrable = Verdict::unknown("there is no point to look at");
        let mut accelerations = Vec::new();
        let mut conditions = Vec::new();
        if let Some(leaf) = generic_leaf(&list, n) {
            let solution = leaf.solution(self.frame, width)?;
            fields = self.fields(&solution);
            integrable = self.is_integrable(&leaf.cell, &fields)?;
            accelerations = self.accelerations(&solution);
            conditions = self.conditions(&solution, n)?;
        }
        let determined = Verdict::from_bool(
            generic_rank == width,
            format!("the distribution has rank {}", 1 + width - generic_rank),
        );
        let mut jumps = Vec::new();
        if with_jumps {
            for leaf in list.iter().filter(|leaf| leaf.rank < generic_rank) {
                jumps.extend(self.on_stratum(&self.closure(&leaf.cell, n))?);
            }
        }
        Ok(DynamicBranch {
            branch: self.frame.branch(n)?,
            dim: dimension(self.frame, n)?,
            fields,
            forms: self.forms(n)?,
            rank: ranks,
            integrable,
            determined,
            free: width - generic_rank,
            accelerations,
            jumps,
            conditions,
            space: form.phase_space(),
        })
    }

    /// The algorithm started on a stratum where the rank jumps.
    fn on_stratum(&self, stratum: &Cell) -> Budgeted<Vec<DynamicBranch>> {
        let mut inner = Algorithm {
            alpha: self.alpha,
            frame: self.frame,
            problem: self.problem,
            unknowns: self.unknowns.clone(),
            known: self.known.clone(),
            base: self.base.clone(),
            primary: vec![],
            finals: vec![],
            boundary: vec![],
            queue: vec![stratum.clone()],
            rounds: 0,
            stopped: None,
            log: vec![],
        };
        inner.iterate(2 * self.frame.coordinates().len() + 4)?;
        let finals = set::maximal(self.frame, std::mem::take(&mut inner.finals))?;
        finals.iter().map(|cell| inner.describe(cell, false)).collect()
    }

    /// ∂_t + particular solution, then the kernel without denominators.
    fn fields(&self, solution: &Solution) -> Vec<VectorField> {
        let t = self.alpha.dynamical_form().manifold().base();
        let first = [(t, Expr::one())]
            .into_iter()
            .chain(self.known.iter().copied())
            .chain(self.unknowns.iter().copied().zip(solution.particular.iter().map(|f| f.to_expr(self.frame))));
        let mut fields = vec![VectorField::new(first)];
        for vector in &solution.kernel {
            let components = self.unknowns.iter().copied().zip(vector.iter().map(|f| f.to_expr(self.frame)));
            fields.push(VectorField::new(components));
        }
        fields
    }

    /// Frobenius on the branch. Each field has constant components along t and the free directions, those of
    /// an identity matrix, so a bracket lies in the span only if it vanishes on the branch.
    fn is_integrable(&self, cell: &Cell, fields: &[VectorField]) -> Budgeted<Verdict> {
        brackets_vanish(self.frame, cell, fields)
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
    fn conditions(&self, solution: &Solution, n: &Cell) -> Budgeted<Vec<Expr>> {
        let mut found: Vec<Expr> = Vec::new();
        for fraction in solution.particular.iter().chain(solution.kernel.iter().flatten()) {
            for f in self.frame.irreducible_factors(&fraction.denominator) {
                let e = self.frame.write(&f);
                if !found.contains(&e) && !self.frame.is_nonvanishing_on(n, &f)? {
                    found.push(e);
                }
            }
        }
        Ok(found)
    }

    /// 1-forms that annihilate the distribution on the branch: those of the problem, and dg.
    fn forms(&self, n: &Cell) -> Budgeted<Vec<Form>> {
        let form = self.alpha.dynamical_form();
        let y: &FiberedManifold = form.manifold();
        let mut forms = match self.problem {
            Problem::Extended => self.alpha.rows(),
            Problem::Proper => {
                let mut forms: Vec<Form> = self.known.iter().map(|(q, _)| Form::omega(*q)).collect();
                for (sigma, row) in form.b().iter().enumerate() {
                    let top = self.unknowns.iter().copied().zip(row.iter().copied());
                    forms.push(Form::one_form(top.chain([(y.base(), form.a()[sigma])])));
                }
                forms
            }
        };
        let generators = n.generators(self.frame)?;
        forms.extend(generators.iter().map(|g| Form::function(self.frame.write(g)).d()));
        Ok(forms)
    }

    fn log_primary(&mut self) -> Budgeted<()> {
        let form = self.alpha.dynamical_form();
        let (title, items) = match self.problem {
            Problem::Extended => {
                let forms = LogItem::Forms { label: "Δ_α is annihilated by".into(), list: self.alpha.rows() };
                ("Step 1: the primary constraint set, where rank F = rank (F|A)", vec![forms])
            }
            Problem::Proper => {
                let label = |l: &str| l.to_string();
                let a = LogItem::Expressions { label: label("A"), list: form.a().to_vec() };
                let b = LogItem::Expressions { label: label("B, row by row"), list: form.b().concat() };
                ("Step 1: the primary semispray-constraint set, where rank B = rank (B|A)", vec![a, b])
            }
        };
        let mut items = items;
        let name = if self.problem == Problem::Extended { "P̃" } else { "P" };
        items.push(LogItem::Sets { label: name.into(), list: branches(self.frame, &self.primary)? });
        self.log.push(LogEntry { title: title.into(), items });
        Ok(())
    }

    fn log_outcome(&mut self, v: &Cell, says: &str, parts: &[Cell]) -> Budgeted<()> {
        let mut items = vec![LogItem::Sets { label: "branch".into(), list: vec![self.frame.branch(v)?] }];
        if v.has_equations() {
            let list = v.generators(self.frame)?.iter().map(|g| self.tangency_text(g)).collect();
            items.push(LogItem::Expressions { label: "tangency, = 0 with ξ(q) written vel(q)".into(), list });
        }
        if !parts.is_empty() {
            items.push(LogItem::Sets { label: "what remains".into(), list: branches(self.frame, parts)? });
        }
        let title = format!("Round {}: {says}", self.rounds);
        self.log.push(LogEntry { title, items });
        Ok(())
    }

    /// dg(∂_t + ξ) with the unknown components written as velocities.
    fn tangency_text(&self, g: &Polynomial) -> Expr {
        use crate::algebra::derive::partial;
        let e = self.frame.write(g);
        let t = self.alpha.dynamical_form().manifold().base();
        let known = self.known.iter().map(|(q, speed)| partial(e, *q) * *speed);
        let unknown = self.unknowns.iter().map(|x| partial(e, *x) * Expr::symbol(Symbol::velocity(*x)));
        super::tidy(Expr::add_all(known.chain(unknown).chain([partial(e, t)])))
    }
}

fn brackets_vanish(frame: &Frame, cell: &Cell, fields: &[VectorField]) -> Budgeted<Verdict> {
    for (i, x) in fields.iter().enumerate() {
        for z in &fields[i + 1..] {
            for (symbol, component) in x.bracket(z).components() {
                let numerator = frame.read_numerator(component)?;
                let rest = cell.reduce(frame, &numerator)?;
                if !rest.is_zero() {
                    let rest = frame.write(&rest);
                    return Ok(Verdict::no(format!("a bracket has the component {rest} along @{symbol}")));
                }
            }
        }
    }
    Ok(Verdict::yes("all brackets of the spanning fields vanish"))
}

/// Frobenius for Δ_α on the leaf of generic rank; `list` are the leaves of (F|A) on the whole phase space, in
/// the unknowns ξ_k − q_{k+1}.
pub(crate) fn is_distribution_integrable(alpha: &LepageTwoForm, frame: &Frame, list: &[Leaf]) -> Budgeted<Verdict> {
    let form = alpha.dynamical_form();
    let y = form.manifold();
    let m = y.n_coordinates();
    let jets = form.phase_jets();
    let augmented = |leaf: &&Leaf| (leaf.rank + usize::from(!leaf.is_solvable), leaf.cell.equations().is_empty());
    let Some(leaf) = list.iter().max_by_key(augmented) else { return Ok(Verdict::unknown("no stratum")) };
    let solution = leaf.solution(frame, jets.len())?;
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
    brackets_vanish(frame, &leaf.cell, &fields)
}

/// The leaf on which the rank is the largest; among those the one with the fewest conditions beyond the branch.
fn generic_leaf<'l>(list: &'l [Leaf], n: &Cell) -> Option<&'l Leaf> {
    list.iter().filter(|leaf| leaf.is_solvable).max_by_key(|leaf| {
        let same = leaf.cell.equations() == n.equations();
        (leaf.rank, same, std::cmp::Reverse((leaf.cell.equations().len(), leaf.cell.nonzero().len())))
    })
}
