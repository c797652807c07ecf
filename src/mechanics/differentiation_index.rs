//! The differentiation index of the equations with multipliers: how often they must be differentiated before all derivatives of
//! the state, multipliers included, are known. Brenan, Campbell and Petzold, *Numerical Solution of Initial-Value Problems in
//! Differential-Algebraic Equations*, §2.2.
//!
//! ```text
//! E_σ(t, q, …, q_s) + μ_i ∂f^i/∂q_{r_i}^σ = 0,      f^i(t, q, …, q_{r_i}) = 0,      state (q, …, q_{n−1}, μ),  n = max(r, s)
//! ```
//!
//! Where the constrained system is regular the count is that of the orders. The constraint f^i contains the highest derivatives q_n
//! after n − r_i differentiations, A′ = WᵀE after n − s. Then q_n is known, and E_D = −F_Dᵀ μ gives μ; its derivative μ′ contains
//! the derivative of what stands in E and F:
//!
//! ```text
//! q_{n+1}, so that one more is needed of all,  if s = n or F contains q_n;      nothing new otherwise
//! ```
//!
//! Hence 3 for positions under forces, 2 for velocities, 1 for accelerations, and 0 without constraints. The constraints that hide in
//! the equations are the derivatives of f^i, and of A′, that do not yet contain q_n: *level* j are those with j differentiations.
//!
//! That it is regular is seen where det B′ can be computed. For constraints of lower order than the equations one real point of Q at which
//! the saddle system is invertible says the same: it is [found and certified](crate::algebra::ball::zero) without a chart and
//! without a determinant, which of thirty links would not fit any page.
//!
//! Where the system is singular the array of derivatives is formed on the set on which it moves, and the first ν is taken for which
//! it determines the derivatives of the state:
//!
//! ```text
//! rank ∂(G, …, G^{(ν)})/∂(y′, y″, …) = dim y + rank ∂(G, …, G^{(ν)})/∂(y″, …).
//! ```

use super::constrained_form::{ConstrainedEquations, ConstrainedForm};
use super::constraint_point::holds_somewhere;
use super::constraint_structure::ConstraintStructure;
use super::invariant_set::generic_leaf;
use super::{Answered, exhausted, jet, tidy};
use crate::algebra::ball::zero;
use crate::algebra::derive::partial;
use crate::algebra::stratum::leaves::{LinearSystem, leaves};
use crate::algebra::stratum::{Branch, Frame};
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Inquiry, Symbol};
use crate::budget::{Budgeted, Exhausted, share};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{JetSpace, total_derivative, total_derivatives};
use rustc_hash::FxHashMap;

/// The index, and the equations between the values of a state by the number of differentiations that show them.
#[derive(Clone, Debug)]
pub struct DifferentiationIndex {
    pub index: u32,
    /// Level 0 are the equations that stand there; the others are hidden.
    pub levels: Vec<Vec<Expr>>,
}

/// The motion on a set: the highest derivatives by coordinate, and the multipliers.
pub struct MotionOnSet<'a> {
    /// J^{s−1}Y.
    pub space: &'a JetSpace,
    pub branch: &'a Branch,
    pub accelerations: &'a [Expr],
    pub multipliers: &'a [Expr],
}

/// More differentiations than this are not tried.
const MOST: u32 = 8;

/// The index of a regular constrained system, by its orders.
pub fn of_regular(cx: &Inquiry, system: &ConstrainedForm) -> DifferentiationIndex {
    let n = system.top_order();
    by_orders(cx, system.structure(), n, n - system.differentiations(), system.a())
}

/// The same for constraints of lower order than the equations without a chart: by a real point of the constraint at which the saddle
/// system is invertible, proved with balls. None where no such point is found.
pub fn by_a_point(
    cx: &Inquiry,
    q: &ConstraintStructure,
    equations: &ConstrainedEquations,
) -> Answered<Option<DifferentiationIndex>> {
    let found = cx.aside(share::SMALL_SIDE, || is_regular_somewhere(cx, q, equations)).map_err(exhausted)?;
    Ok((found == Some(true)).then(|| by_orders(cx, q, equations.order, equations.order, &[])))
}

fn is_regular_somewhere(cx: &Inquiry, q: &ConstraintStructure, equations: &ConstrainedEquations) -> Budgeted<bool> {
    let surface: Vec<Expr> = equations.surface.iter().map(|e| e.function).collect();
    let matrix: Vec<Expr> = equations.b.iter().flatten().copied().collect();
    let is_state = |s: Symbol| q.manifold().order_of_symbol(s).is_some_and(|k| k < equations.order);
    let n = equations.unknowns.len();
    holds_somewhere(cx, &surface, is_state, &matrix, |values| {
        zero::is_invertible(values.chunks(n).map(<[_]>::to_vec).collect())
    })
}

/// s is the order of E, n that of the derivatives that are solved for, `a` what vanishes beside the constraints where s < n.
fn by_orders(cx: &Inquiry, q: &ConstraintStructure, n: u32, s: u32, a: &[Expr]) -> DifferentiationIndex {
    let tops: Vec<Symbol> = (0..q.manifold().n_coordinates()).map(|sigma| jet(q.manifold(), sigma, n)).collect();
    let constraints = || q.constraints().iter().chain(q.redundant());
    let behind = constraints().map(|c| n - c.order).max().unwrap_or(0).max(n - s);
    let moves = s == n || q.chetaev().entries().any(|e| tops.iter().any(|t| e.contains(*t)));
    let index = if moves { behind + 1 } else { behind.max(1) };
    let mut levels: Vec<Vec<Expr>> = vec![];
    let mut put = |level: u32, e: Expr| {
        levels.resize(levels.len().max(level as usize + 1), vec![]);
        levels[level as usize].push(e);
    };
    for c in constraints() {
        for j in 0..n.saturating_sub(c.order) {
            put(j, tidy(cx, total_derivatives(cx, c.function, j)));
        }
    }
    for j in 0..n - s {
        a.iter().for_each(|a| put(j, tidy(cx, total_derivatives(cx, *a, j))));
    }
    DifferentiationIndex { index, levels }
}

/// The index of equations G(t, q, …, q_s, λ) = 0 on a set on which they determine the motion; λ are the `multipliers` as
/// coordinates. None where more differentiations are needed than are tried.
pub fn on_set(
    cx: &Inquiry,
    equations: &[Expr],
    multipliers: &[Coordinate],
    motion: &MotionOnSet,
) -> Answered<Option<u32>> {
    cx.within(share::SEARCH, || by_array(cx, equations, multipliers, motion)).map_err(exhausted)
}

fn by_array(
    cx: &Inquiry,
    equations: &[Expr],
    multipliers: &[Coordinate],
    motion: &MotionOnSet,
) -> Budgeted<Option<u32>> {
    let y = motion.space.manifold();
    let (m, s) = (y.n_coordinates(), motion.space.order() + 1);
    let field = VectorField::semispray(motion.space, motion.accelerations);
    // What the jets above the state are along the motion.
    let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let mut along = |symbol: &dyn Fn(u32) -> Symbol, first: Expr| {
        let mut value = first;
        for j in 0..=MOST {
            values.insert(symbol(j), value);
            value = tidy(cx, field.apply(cx, value));
        }
    };
    for (sigma, a) in motion.accelerations.iter().enumerate() {
        along(&|j| jet(y, sigma, s + j), *a);
    }
    for (lambda, value) in multipliers.iter().zip(motion.multipliers) {
        along(&|j| lambda.jet(j), *value);
    }
    let mut array: Vec<Expr> = vec![];
    let mut last = equations.to_vec();
    for nu in 0..=MOST {
        cx.check()?;
        array.extend(&last);
        last = last.iter().map(|e| total_derivative(cx, *e)).collect();
        if nu == 0 && !multipliers.is_empty() {
            continue;
        }
        let firsts = (0..m).map(|sigma| jet(y, sigma, s)).chain(multipliers.iter().map(|l| l.jet(1)));
        let above = |j: u32| (0..m).map(move |sigma| jet(y, sigma, s + j));
        let later = (1..=nu).flat_map(|j| above(j).chain(multipliers.iter().map(move |l| l.jet(j + 1))));
        let firsts: Vec<Symbol> = firsts.collect();
        let later: Vec<Symbol> = later.filter(|l| array.iter().any(|e| e.contains(*l))).collect();
        let matrix = |columns: &[Symbol]| -> Vec<Vec<Expr>> {
            let entry = |e: &Expr, c: &Symbol| tidy(cx, substitute(partial(cx, *e, *c), &values));
            array.iter().map(|e| columns.iter().map(|c| entry(e, c)).collect()).collect()
        };
        let (whole, rest) = (matrix(&[firsts.clone(), later.clone()].concat()), matrix(&later));
        if generic_rank(cx, motion, &whole)? == firsts.len() + generic_rank(cx, motion, &rest)? {
            return Ok(Some(nu));
        }
    }
    Ok(None)
}

/// The rank at generic points of the set.
fn generic_rank(cx: &Inquiry, motion: &MotionOnSet, rows: &[Vec<Expr>]) -> Budgeted<usize> {
    let n_columns = rows.first().map_or(0, Vec::len);
    if n_columns == 0 {
        return Ok(0);
    }
    let set = motion.branch;
    let all: Vec<Expr> = rows.iter().flatten().chain(&set.equations).chain(&set.nonzero).copied().collect();
    let frame = Frame::new(cx, &motion.space.symbols(), &all)?;
    let read = rows.iter().map(|row| frame.read_row(cx, row)).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(n_columns, read);
    let mut least = None;
    for cell in frame.cells(cx, set)? {
        let list = leaves(cx, &frame, &system, &cell)?;
        if let Some(leaf) = generic_leaf(&list, &cell) {
            least = Some(least.map_or(leaf.rank, |r: usize| r.min(leaf.rank)));
        }
    }
    least.ok_or(Exhausted::Size)
}
