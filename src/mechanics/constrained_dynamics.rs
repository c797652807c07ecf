//! The constraint algorithm on Q: where a singular constrained system moves. Krupková §7 for the class [α_Q] of §11.
//!
//! The vectors that are looked for are the highest derivatives together with the multipliers; they satisfy the saddle system of
//! [`ConstrainedForm::equations_of_motion`], and are tangent to the constraint and to everything that solvability cuts off it:
//! κ^l A′_l = 0 for κ B′ = 0, the derivatives of these, and so on. Where the motion is regular the algorithm ends with the
//! constraint itself.

use super::constrained_form::{ConstrainedEquations, ConstrainedForm};
use super::invariant_set::{InvariantSets, Vectors, generic_leaf};
use super::{Answered, exhausted, jet};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{LinearSystem, leaves};
use crate::algebra::stratum::rank::system_of;
use crate::algebra::stratum::tangent::dimension;
use crate::algebra::stratum::{Branch, Cell, Frame};
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use crate::geometry::jet::JetSpace;

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
    cx.within(share::DERIVATION, || execute(cx, &equations, &space)).map_err(exhausted)
}

fn execute(cx: &Inquiry, equations: &ConstrainedEquations, space: &JetSpace) -> Budgeted<ConstrainedDynamics> {
    let surface: Vec<Expr> = equations.surface.iter().map(|e| e.function).collect();
    let matrix = equations.b.iter().flatten().chain(&equations.a);
    let all: Vec<Expr> = surface.iter().chain(matrix).copied().collect();
    let frame = &Frame::new(cx, &space.symbols(), &all)?;
    let right: Vec<Expr> = equations.a.iter().map(|e| -*e).collect();
    let base = system_of(cx, frame, &equations.b, &right)?;
    let motions = Motions { frame, space, width: equations.unknowns.len(), base };
    let mut sets = InvariantSets::new(frame, &motions);
    let start = frame.cells(cx, &Branch { equations: surface, nonzero: vec![] })?;
    let mut primary = vec![];
    for cell in &start {
        for leaf in leaves(cx, frame, &motions.base, cell)?.into_iter().filter(|leaf| leaf.is_solvable) {
            primary.push(frame.branch(cx, &leaf.cell)?);
        }
    }
    sets.queue = start;
    sets.iterate(cx)?;
    sets.settle_boundaries(cx, |_| Ok(vec![]))?;
    let finals = sets.maximal_finals(cx)?;
    let branches = finals.iter().map(|cell| describe(cx, &sets, &motions, equations, cell)).collect::<Budgeted<_>>()?;
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
    let space = space.clone();
    Ok(ConstrainedDynamics { space, primary, branches, empty, complete, undecided, rounds: sets.rounds })
}

fn describe(
    cx: &Inquiry,
    sets: &InvariantSets,
    motions: &Motions,
    equations: &ConstrainedEquations,
    cell: &Cell,
) -> Budgeted<ConstrainedBranch> {
    let (frame, m) = (motions.frame, motions.space.manifold().n_coordinates());
    let list = sets.solve(cx, cell)?;
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
