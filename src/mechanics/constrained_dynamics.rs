//! The constraint algorithm on Q: where a singular constrained system moves. Krupková §7 for the class [α_Q] of §11.
//!
//! The vectors that are looked for are the highest derivatives together with the multipliers; they satisfy the saddle system of
//! [`ConstrainedForm::equations_of_motion`], and are tangent to the constraint and to everything that solvability cuts off it:
//! κ^l A′_l = 0 for κ B′ = 0, the derivatives of these, and so on. Where the motion is regular the algorithm ends with the
//! constraint itself.

use super::constrained_form::{ConstrainedEquations, ConstrainedForm};
use super::constraint_algorithm::{LogEntry, LogItem, meets};
use super::constraint_structure::ConstraintStructure;
use super::invariant_set::{InvariantSets, Vectors, generic_leaf};
use super::{Answered, exhausted, jet};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::rank::{Rank, strata_by, system_of};
use crate::algebra::stratum::tangent::dimension;
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::budget::{Budgeted, share};
use crate::geometry::jet::JetSpace;
use rustc_hash::FxHashMap;

/// Where a constrained system moves.
#[derive(Clone, Debug)]
pub struct ConstrainedDynamics {
    /// The states are points of this space.
    pub space: JetSpace,
    /// Where the equations have a solution at all.
    pub primary: Vec<Branch>,
    /// The maximal sets to which motions are tangent.
    pub branches: Vec<ConstrainedBranch>,
    pub empty: Verdict,
    pub complete: Verdict,
    pub undecided: Vec<Branch>,
    pub rounds: usize,
    /// Every step, for a reader.
    pub log: Vec<LogEntry>,
}

impl ConstrainedDynamics {
    /// The branches through a point, or with a point that has the given coordinates; undecided ones are kept.
    pub fn through(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Answered<Vec<ConstrainedBranch>> {
        let mut kept = vec![];
        for b in &self.branches {
            if !meets(cx, &self.space, &b.branch, point)?.is_no() {
                kept.push(b.clone());
            }
        }
        Ok(kept)
    }
}

/// The ranks that decide about a constrained system, at the points of the constraint.
#[derive(Clone, Debug)]
pub struct ConstrainedRanks {
    /// rank B′.
    pub b: Rank,
    /// rank (B′|A′).
    pub ba: Rank,
    /// Where both agree: the primary semispray-constraint set on Q.
    pub primary: Vec<Branch>,
    pub regular: Verdict,
    pub weakly_regular: Verdict,
}

/// A set on which the system moves.
#[derive(Clone, Debug)]
pub struct ConstrainedBranch {
    pub branch: Branch,
    pub dim: usize,
    /// The highest derivatives, `None` where they are free.
    pub accelerations: Vec<(Symbol, Option<Expr>)>,
    /// μ, `None` where it is free.
    pub multipliers: Vec<Option<Expr>>,
    pub determined: Verdict,
    /// How many functions of time are free in the motion, multipliers apart.
    pub free: usize,
}

/// The highest derivatives and multipliers as the components of a vector.
struct Motions<'a> {
    frame: &'a Frame,
    space: &'a JetSpace,
    width: usize,
    base: LinearSystem,
}

impl Vectors for Motions<'_> {
    fn base(&self) -> &LinearSystem {
        &self.base
    }

    /// Σ (∂g/∂q_{s−1}) q_s = −∂g/∂t − Σ (∂g/∂q_k) q_{k+1}; multipliers do not occur.
    fn tangency(&self, cx: &Inquiry, g: &Polynomial) -> Budgeted<Vec<Polynomial>> {
        let e = self.frame.write(g);
        let y = self.space.manifold();
        let order = self.space.order();
        let mut right = vec![partial(cx, e, y.base())];
        for k in 0..order {
            for sigma in 0..y.n_coordinates() {
                right.push(partial(cx, e, jet(y, sigma, k)) * Expr::symbol(jet(y, sigma, k + 1)));
            }
        }
        let mut row: Vec<Expr> = (0..y.n_coordinates()).map(|s| partial(cx, e, jet(y, s, order))).collect();
        row.resize(self.width, Expr::zero());
        row.push(-Expr::add_all(right));
        self.frame.read_row(cx, &row)
    }
}

/// Runs the algorithm.
pub fn constrained_dynamics(cx: &Inquiry, system: &ConstrainedForm) -> Answered<ConstrainedDynamics> {
    let equations = system.equations_of_motion(cx)?;
    let space = system.structure().manifold().jets(equations.order.max(1) - 1);
    let is_closed = !system.is_high() && system.structure().redundant().is_empty();
    let independent = independent_rows(system.structure(), &space);
    cx.within(share::DERIVATION, || execute(cx, &equations, &space, &independent, is_closed)).map_err(exhausted)
}

/// The rows F of which the rank condition speaks, where they are functions on this space. Q consists of the points at which
/// they are independent: a cone is no part of it at its vertex. Constraints that depend on each other lose rank everywhere.
fn independent_rows(q: &ConstraintStructure, space: &JetSpace) -> Vec<Vec<Expr>> {
    let y = space.manifold();
    let is_seen = |e: Expr| e.symbols().iter().all(|s| y.order_of_symbol(*s).is_none_or(|k| k <= space.order()));
    match q.redundant().is_empty() && q.chetaev().entries().all(is_seen) {
        true => q.chetaev().to_rows(),
        false => vec![],
    }
}

/// What is left of a surface, given by its cells, where these rows are independent: where the determinant of F Fᵀ, the sum of the
/// squares of the minors of F, is not 0.
fn where_independent(
    cx: &Inquiry,
    frame: &Frame,
    rows: &[Vec<Expr>],
    surface: Vec<Expr>,
    cells: Vec<Cell>,
) -> Budgeted<Vec<Cell>> {
    if rows.is_empty() {
        return Ok(cells);
    }
    let system = system_of(cx, frame, rows, &vec![Expr::zero(); rows.len()])?;
    for cell in &cells {
        if leaves(cx, frame, &system, cell)?.iter().any(|leaf| leaf.rank < rows.len()) {
            let f = Matrix::with_columns(rows.to_vec(), rows[0].len());
            let gram = f.mul(&f.transpose()).det(cx)?;
            return frame.cells(cx, &Branch { equations: surface, nonzero: vec![gram] });
        }
    }
    Ok(cells)
}

/// `is_closed` says that the equations contain the derivative of everything that vanishes on the surface and is not zero itself: a
/// solution is tangent to it.
fn execute(
    cx: &Inquiry,
    equations: &ConstrainedEquations,
    space: &JetSpace,
    independent: &[Vec<Expr>],
    is_closed: bool,
) -> Budgeted<ConstrainedDynamics> {
    let surface: Vec<Expr> = equations.surface.iter().map(|e| e.function).collect();
    let matrix = equations.b.iter().chain(independent).flatten().chain(&equations.a);
    let all: Vec<Expr> = surface.iter().chain(matrix).copied().collect();
    let frame = &Frame::new(cx, &space.symbols(), &all)?;
    let right: Vec<Expr> = equations.a.iter().map(|e| -*e).collect();
    let base = system_of(cx, frame, &equations.b, &right)?;
    let motions = Motions { frame, space, width: equations.unknowns.len(), base };
    let mut sets = InvariantSets::new(frame, &motions);
    let start = frame.cells(cx, &Branch { equations: surface.clone(), nonzero: vec![] })?;
    let start = where_independent(cx, frame, independent, surface, start)?;
    let lists = start.iter().map(|cell| leaves(cx, frame, &motions.base, cell)).collect::<Budgeted<Vec<_>>>()?;
    let mut primary = vec![];
    for leaf in lists.iter().flatten().filter(|leaf| leaf.is_solvable) {
        primary.push(frame.branch(cx, &leaf.cell)?);
    }
    // Where the equations have one solution at every point of the surface, and it is tangent, nothing is cut off.
    let is_regular = is_closed
        && lists.iter().all(|list| !list.is_empty())
        && lists.iter().flatten().all(|leaf| leaf.is_solvable && leaf.rank == motions.width);
    if is_regular {
        sets.rounds = 1;
        for (cell, list) in start.iter().zip(lists) {
            sets.begin(cx, cell, list)?;
        }
    } else {
        sets.queue = start;
        sets.iterate(cx)?;
        sets.settle_boundaries(cx, |_| Ok(vec![]))?;
    }
    let finals = sets.maximal_finals(cx)?;
    let solve = |cell: &Cell| match is_regular {
        true => leaves(cx, frame, &motions.base, cell),
        false => sets.solve(cx, cell),
    };
    let branches = finals.iter().map(|cell| describe(cx, &motions, equations, cell, solve(cell)?));
    let branches = branches.collect::<Budgeted<Vec<_>>>()?;
    let open = sets.unsolved.iter().cloned().chain(sets.unsettled(cx, &finals)?);
    let undecided = open.collect::<Vec<_>>().iter().map(|cell| frame.branch(cx, cell)).collect::<Budgeted<Vec<_>>>()?;
    let complete = match undecided.is_empty() {
        true => Verdict::yes("every branch was followed to its end"),
        false => Verdict::unknown("some sets took too long to look at"),
    };
    let empty = match (finals.is_empty(), &complete) {
        (false, _) => Verdict::no("there is a branch on which it moves"),
        (true, Verdict::Yes(_)) => Verdict::yes("the equations cut off every point"),
        (true, open) => open.clone(),
    };
    let log = log(cx, &sets, equations, &primary, &branches)?;
    let space = space.clone();
    Ok(ConstrainedDynamics { space, primary, branches, empty, complete, undecided, rounds: sets.rounds, log })
}

/// The derivation, step by step.
fn log(
    cx: &Inquiry,
    sets: &InvariantSets,
    equations: &ConstrainedEquations,
    primary: &[Branch],
    branches: &[ConstrainedBranch],
) -> Budgeted<Vec<LogEntry>> {
    let expressions = |label: &str, list: Vec<Expr>| LogItem::Expressions { label: label.into(), list };
    let listed = |label: &str, list: Vec<Branch>| LogItem::Sets { label: label.into(), list };
    let unknowns: Vec<String> = equations.unknowns.iter().map(Symbol::to_string).collect();
    let mut entries = vec![LogEntry {
        title: "Step 1: the equations with multipliers, on the constraint and its derivatives".into(),
        items: vec![
            expressions("on the constraint these vanish", equations.surface.iter().map(|e| e.function).collect()),
            LogItem::Rows {
                label: format!("the matrix in front of {}", unknowns.join(", ")),
                rows: equations.b.clone(),
            },
            expressions("the rest", equations.a.clone()),
            listed("they have a solution on", primary.to_vec()),
        ],
    }];
    for event in &sets.history {
        let frame = sets.frame();
        let written = |cells: &[Cell]| cells.iter().map(|c| frame.branch(cx, c)).collect::<Budgeted<Vec<_>>>();
        let mut items = vec![listed("branch", written(std::slice::from_ref(&event.branch))?)];
        if !event.residuals.is_empty() {
            let list = event.residuals.iter().map(|p| frame.write(p)).collect();
            items.push(expressions("the unknowns can be found where these vanish", list));
        }
        if !event.remains.is_empty() {
            items.push(listed("what remains", written(&event.remains)?));
        }
        entries.push(LogEntry { title: format!("Round {}: {}", event.round, event.says), items });
    }
    for (n, b) in branches.iter().enumerate() {
        let free = match b.free {
            0 => "the motion is determined".to_string(),
            1 => "one function of time is free".to_string(),
            n => format!("{n} functions of time are free"),
        };
        let known: Vec<(String, Expr)> =
            b.accelerations.iter().filter_map(|(s, e)| Some((s.to_string(), (*e)?))).collect();
        let (names, values): (Vec<String>, Vec<Expr>) = known.into_iter().unzip();
        let mut items = vec![listed(&format!("of dimension {}", b.dim), vec![b.branch.clone()])];
        if !names.is_empty() {
            items.push(expressions(&names.join(", "), values));
        }
        entries.push(LogEntry { title: format!("Final branch {}: {free}", n + 1), items });
    }
    let result = match branches.is_empty() {
        true => "Result: no branch was found on which it moves",
        false => "Result: it moves on these branches",
    };
    entries.push(LogEntry { title: result.into(), items: vec![] });
    Ok(entries)
}

/// Ranks of B′ and (B′|A′) on the constraint: those of the saddle system less 2k, which needs no chart.
pub fn constrained_ranks(cx: &Inquiry, system: &ConstrainedForm) -> Answered<ConstrainedRanks> {
    let equations = system.equations_of_motion(cx)?;
    let space = system.space();
    let k = system.structure().n_constraints();
    let independent = match equations.chart_free {
        true => independent_rows(system.structure(), &space),
        false => vec![],
    };
    let run = || -> Budgeted<ConstrainedRanks> {
        let (frame, base, start) = on_surface(cx, &equations, &space, &FxHashMap::default(), 0)?;
        let surface = equations.surface.iter().map(|e| e.function).collect();
        let start = where_independent(cx, &frame, &independent, surface, start)?;
        let mut list = vec![];
        for cell in &start {
            list.extend(leaves(cx, &frame, &base, cell)?);
        }
        let less = |rank: usize| rank.saturating_sub(2 * k);
        let b = strata_by(cx, &frame, &list, |leaf| less(leaf.rank))?;
        let ba = strata_by(cx, &frame, &list, |leaf| less(leaf.rank + usize::from(!leaf.is_solvable)))?;
        let solvable: Vec<Cell> = list.iter().filter(|l| l.is_solvable).map(|l| l.cell.clone()).collect();
        let solvable = set::merged(cx, &frame, solvable)?;
        let primary = solvable.iter().map(|cell| frame.branch(cx, cell)).collect::<Budgeted<_>>()?;
        let cells = |keep: &dyn Fn(usize, bool) -> bool| -> Vec<Cell> {
            list.iter().filter(|l| keep(l.rank, l.is_solvable)).map(|l| l.cell.clone()).collect()
        };
        let full = equations.unknowns.len();
        let nowhere = |cells: &[Cell], what: &str| -> Budgeted<Verdict> {
            Ok(match set::is_union_empty(cx, &frame, cells)? {
                Verdict::Yes(ground) if ground.is_proved() => {
                    Verdict::yes(format!("there is no point of the constraint with {what}"))
                }
                other => other,
            })
        };
        let regular = nowhere(&cells(&|rank, _| rank < full), "det B = 0")?;
        let weakly = nowhere(&cells(&|_, solvable| !solvable), "rank B < rank (B|A)")?;
        // Parameters are generic: what was taken not to vanish is a condition.
        frame.generic_conditions().iter().for_each(|e| conditions::record_nonzero(cx, *e));
        Ok(ConstrainedRanks { b, ba, primary, regular, weakly_regular: weakly })
    };
    cx.within(share::DERIVATION, run).map_err(exhausted)
}

/// The states of rest: velocities as `at_rest` says, no acceleration, and reactions that balance the forces. The reactions are
/// eliminated case by case: Fᵀ μ = −A must have a solution.
pub fn rest(
    cx: &Inquiry,
    equations: &ConstrainedEquations,
    space: &JetSpace,
    at_rest: &FxHashMap<Symbol, Expr>,
) -> Answered<Vec<Branch>> {
    let m = space.manifold().n_coordinates();
    let run = || -> Budgeted<Vec<Branch>> {
        let (frame, base, start) = on_surface(cx, equations, space, at_rest, m)?;
        let mut found = vec![];
        for cell in &start {
            found.extend(leaves(cx, &frame, &base, cell)?.into_iter().filter(|l| l.is_solvable).map(|l| l.cell));
        }
        let found = set::merged(cx, &frame, found)?;
        frame.generic_conditions().iter().for_each(|e| conditions::record_nonzero(cx, *e));
        found.iter().map(|cell| frame.branch(cx, cell)).collect()
    };
    cx.within(share::DERIVATION, run).map_err(exhausted)
}

/// The frame, the linear system without its first columns, and the cells of the surface, all with some jets replaced.
fn on_surface(
    cx: &Inquiry,
    equations: &ConstrainedEquations,
    space: &JetSpace,
    put: &FxHashMap<Symbol, Expr>,
    skipped: usize,
) -> Budgeted<(Frame, LinearSystem, Vec<Cell>)> {
    let at = |e: &Expr| if put.is_empty() { *e } else { substitute(*e, put) };
    let held = put.iter().map(|(s, value)| Expr::symbol(*s) - *value);
    let held = held.filter(|e| {
        e.symbols().iter().all(|s| space.manifold().order_of_symbol(*s).is_none_or(|k| k <= space.order()))
    });
    let mut surface: Vec<Expr> = equations.surface.iter().map(|e| at(&e.function)).collect();
    let mut held: Vec<Expr> = held.collect();
    held.sort_by_key(|e| e.to_string());
    surface.extend(held);
    let b: Vec<Vec<Expr>> = equations.b.iter().map(|row| row[skipped..].iter().map(at).collect()).collect();
    let right: Vec<Expr> = equations.a.iter().map(|e| -at(e)).collect();
    let all: Vec<Expr> = surface.iter().chain(b.iter().flatten()).chain(&right).copied().collect();
    let frame = Frame::new(cx, &space.symbols(), &all)?;
    let base = system_of(cx, &frame, &b, &right)?;
    let start = frame.cells(cx, &Branch { equations: surface, nonzero: vec![] })?;
    Ok((frame, base, start))
}

fn describe(
    cx: &Inquiry,
    motions: &Motions,
    equations: &ConstrainedEquations,
    cell: &Cell,
    list: Vec<Leaf>,
) -> Budgeted<ConstrainedBranch> {
    let (frame, m) = (motions.frame, motions.space.manifold().n_coordinates());
    let generic = generic_leaf(&list, cell);
    let branch = frame.branch(cx, cell)?;
    let dim = dimension(cx, frame, cell)?;
    let Some(leaf) = generic else {
        let determined = Verdict::unknown("there is no point to look at");
        return Ok(ConstrainedBranch { branch, dim, accelerations: vec![], multipliers: vec![], determined, free: 0 });
    };
    let solution = leaf.solution(cx, frame, motions.width)?;
    let is_free = |column: usize| solution.kernel.iter().any(|k| !k[column].numerator.is_zero());
    let value = |column: usize| (!is_free(column)).then(|| solution.particular[column].to_expr(frame));
    let accelerations = (0..m).map(|s| (equations.unknowns[s], value(s))).collect();
    let multipliers = (m..motions.width).map(value).collect();
    let free = solution.kernel.iter().filter(|k| k[..m].iter().any(|f| !f.numerator.is_zero())).count();
    let determined = Verdict::from_bool(free == 0, format!("{free} directions of the motion are free"));
    Ok(ConstrainedBranch { branch, dim, accelerations, multipliers, determined, free })
}
