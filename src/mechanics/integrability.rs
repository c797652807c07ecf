//! The integrability algorithm of an implicit second-order equation. Barone et al. §4(ii); docs/theory/implicit.md §7.
//!
//! ```text
//! C_0 = TQ,     C_n = τ(E ∩ TC_{n−1});        K_0 = T*Q,     K_n = τ(D ∩ TK_{n−1})
//! ```
//!
//! At a point of C_{n−1} the accelerations a and multipliers λ satisfy linear equations,
//!
//! ```text
//! [L]_i − F_i − λ_a A^a_i = 0,           h_t + v·∂h/∂q + a·∂h/∂v = 0 for the equations h of C_{n−1}
//! ```
//!
//! and C_n is where they have a solution. The strata engine solves them by cases, so that pivots that vanish somewhere
//! split the set instead of being divided by. The sets are real: h runs through the radical. Where C is the graph of some
//! velocities everything is restricted to it first; the tangency to C itself is part of E from the beginning.
//!
//! On T*Q the set K_n is the projection of {p = θ_v(q, v), B = 0, dk(v, θ_q + λA) = 0} along (v, λ): the closure of it.

use super::dalembert::DalembertSystem;
use super::implicit::ImplicitSystem;
use super::{Answered, exhausted, jet};
use crate::algebra::derive::{gradient, partial};
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::budget::{Budgeted, Exhausted};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::Chart;
use crate::geometry::submanifold::Submanifold;

/// More rounds than this mean that something went wrong.
const MAX_ROUNDS: usize = 40;

/// The sets C_n, and the motion on the last.
#[derive(Clone, Debug)]
pub struct Integrability {
    /// C_1 ⊋ C_2 ⊋ …, the stable set last. Empty lists are empty sets.
    pub sequence: Vec<Vec<Branch>>,
    /// The first n with C_{n+1} = C_n.
    pub stable: usize,
    pub branches: Vec<FinalBranch>,
    /// What was taken to be nonzero because it contains parameters only.
    pub generic: Vec<Expr>,
}

/// A branch of the final set, with the solution on it.
#[derive(Clone, Debug)]
pub struct FinalBranch {
    pub branch: Branch,
    /// By coordinate; `None` where it is free.
    pub accelerations: Vec<Option<Expr>>,
    pub multipliers: Vec<Option<Expr>>,
    /// How many accelerations may be chosen.
    pub free: usize,
    /// How many unknowns may be chosen, multipliers included.
    pub free_unknowns: usize,
}

/// The linear equations for (a, λ) on C.
struct Equations {
    /// Rows with their right side last.
    rows: Vec<Vec<Expr>>,
    n_columns: usize,
}

impl Integrability {
    /// Whether there is a vector field on the final set.
    pub fn is_explicit(&self) -> bool {
        !self.branches.is_empty() && self.branches.iter().all(|b| b.free_unknowns == 0)
    }

    /// `explicit`, `underdetermined` or `inconsistent`.
    pub fn kind(&self) -> &'static str {
        match (self.branches.is_empty(), self.is_explicit()) {
            (true, _) => "inconsistent",
            (_, true) => "explicit",
            _ => "underdetermined",
        }
    }
}

/// The sequence C_n of a system with pairs.
pub fn integrability(cx: &Inquiry, system: &DalembertSystem) -> Answered<Integrability> {
    run(cx, system).map_err(exhausted)
}

fn run(cx: &Inquiry, system: &DalembertSystem) -> Budgeted<Integrability> {
    let equations = equations(cx, system);
    let home = system.set.home();
    let functions: Vec<Expr> = equations.rows.iter().flatten().copied().collect();
    let frame = home.frame(cx, &functions)?;
    // Everything of TQ, and then C: the first set is C_1 = τ(E).
    let mut cells = home.cells(cx, &frame)?;
    let starts_everywhere = system.pairs().is_empty();
    let mut sequence: Vec<Vec<Cell>> = vec![];
    loop {
        let next = solvable(cx, &frame, system, &equations, &cells)?;
        let stays = set::equals(cx, &frame, &cells, &next)?.is_yes();
        if stays && (starts_everywhere || !sequence.is_empty()) {
            break;
        }
        sequence.push(next.clone());
        cells = next;
        if cells.is_empty() || sequence.len() > MAX_ROUNDS {
            break;
        }
    }
    if sequence.len() > MAX_ROUNDS {
        return Err(Exhausted::Size);
    }
    let stable = sequence.len();
    if sequence.is_empty() {
        sequence.push(cells.clone());
    }
    let written = |list: &Vec<Cell>| -> Budgeted<Vec<Branch>> {
        list.iter().map(|cell| branch_of(cx, &frame, system, cell)).collect()
    };
    let branches =
        cells.iter().map(|cell| final_branch(cx, &frame, system, &equations, cell)).collect::<Budgeted<_>>()?;
    let sequence = sequence.iter().map(written).collect::<Budgeted<_>>()?;
    Ok(Integrability { sequence, stable, branches, generic: frame.generic_conditions() })
}

/// The equations (7.2) and the tangency to C, restricted to C where that is a graph.
fn equations(cx: &Inquiry, system: &DalembertSystem) -> Equations {
    let y = system.manifold();
    let n = y.n_coordinates();
    let reactions = system.reactions();
    let restrict = |row: Vec<Expr>| system.set.restrict_all(cx, &row);
    let mut rows: Vec<Vec<Expr>> = (0..n)
        .map(|i| {
            let forces = reactions.iter().map(|a| -a[i]);
            restrict(system.mass.row(i).iter().copied().chain(forces).chain([-system.rest[i]]).collect())
        })
        .collect();
    if system.set.is_explicit() {
        let tangency = system.set.equations().iter().map(|b| tangency_row(cx, system, *b));
        rows.extend(tangency.map(restrict));
    }
    Equations { rows, n_columns: n + reactions.len() }
}

/// h_v a = −(h_t + v·h_q).
fn tangency_row(cx: &Inquiry, system: &DalembertSystem, h: Expr) -> Vec<Expr> {
    let y = system.manifold();
    let n = y.n_coordinates();
    let along = |k: u32| gradient(cx, h, &(0..n).map(|i| jet(y, i, k)).collect::<Vec<Symbol>>());
    let transport = along(0).into_iter().enumerate().map(|(i, c)| c * Expr::symbol(jet(y, i, 1)));
    let speed = Expr::add_all(transport.chain([partial(cx, h, y.base())]));
    let none = vec![Expr::zero(); system.reactions().len()];
    [along(1), none, vec![-speed]].concat()
}

fn linear_system(
    cx: &Inquiry,
    frame: &Frame,
    system: &DalembertSystem,
    equations: &Equations,
    cell: &Cell,
) -> Budgeted<LinearSystem> {
    let mut linear = LinearSystem::new(equations.n_columns);
    let mut push = |row: &[Expr]| -> Budgeted<()> {
        let mut row = frame.read_row(cx, row)?;
        let right = row.pop().unwrap_or_default();
        linear.push(row, right);
        Ok(())
    };
    for row in &equations.rows {
        push(row)?;
    }
    for h in cell.generators(cx, frame)? {
        let row = tangency_row(cx, system, frame.write(&h));
        push(&system.set.restrict_all(cx, &row))?;
    }
    Ok(linear)
}

/// The points of the cells at which the equations and the tangency to the cell have a solution.
fn solvable(
    cx: &Inquiry,
    frame: &Frame,
    system: &DalembertSystem,
    equations: &Equations,
    cells: &[Cell],
) -> Budgeted<Vec<Cell>> {
    let mut found = vec![];
    for cell in cells {
        let linear = linear_system(cx, frame, system, equations, cell)?;
        let solvable = leaves(cx, frame, &linear, cell)?.into_iter().filter(|leaf| leaf.is_solvable);
        found.extend(solvable.map(|leaf| leaf.cell));
    }
    let merged = set::merged(cx, frame, found)?;
    let mut inhabited = vec![];
    for cell in merged {
        if !set::is_empty(cx, frame, &cell)?.is_yes() {
            inhabited.push(cell);
        }
    }
    Ok(inhabited)
}

/// A cell as a set of J¹Y: with the equations of C, unless it has them already.
fn branch_of(cx: &Inquiry, frame: &Frame, system: &DalembertSystem, cell: &Cell) -> Budgeted<Branch> {
    let branch = frame.branch(cx, cell)?;
    Ok(if system.set.is_explicit() { system.set.with(&branch) } else { branch })
}

/// The solution at generic points of a final cell.
fn final_branch(
    cx: &Inquiry,
    frame: &Frame,
    system: &DalembertSystem,
    equations: &Equations,
    cell: &Cell,
) -> Budgeted<FinalBranch> {
    let linear = linear_system(cx, frame, system, equations, cell)?;
    let found = leaves(cx, frame, &linear, cell)?;
    let branch = branch_of(cx, frame, system, cell)?;
    let n = system.manifold().n_coordinates();
    let fewest = |leaf: &&Leaf| (leaf.cell.equations().len(), leaf.cell.nonzero().len());
    let Some(leaf) = found.iter().filter(|leaf| leaf.is_solvable).min_by_key(fewest) else {
        return Err(Exhausted::Size);
    };
    let solution = leaf.solution(cx, frame, equations.n_columns)?;
    let is_free = |i: usize| solution.kernel.iter().any(|k| !k[i].numerator.is_zero());
    let value = |i: usize| (!is_free(i)).then(|| solution.particular[i].to_expr(frame));
    let values: Vec<Option<Expr>> = (0..equations.n_columns).map(value).collect();
    // Kernel vectors that move the accelerations; the others move multipliers only.
    let moved: Vec<Vec<Expr>> =
        solution.kernel.iter().map(|k| k[..n].iter().map(|c| c.to_expr(frame)).collect()).collect();
    let free = match moved.is_empty() {
        true => 0,
        false => {
            let matrix = crate::algebra::linear::Matrix::with_columns(moved, n);
            crate::algebra::conditions::collect(cx, |cx| matrix.rank(cx)).0?.value
        }
    };
    let (accelerations, multipliers) = values.split_at(n);
    Ok(FinalBranch {
        branch,
        accelerations: accelerations.to_vec(),
        multipliers: multipliers.to_vec(),
        free,
        free_unknowns: solution.kernel.len(),
    })
}

/// The sets K_n on T*Q, in t, q and p. Refused where no form says what the momenta are.
pub fn dual(cx: &Inquiry, system: &DalembertSystem) -> Answered<Vec<Vec<Branch>>> {
    let Some(generating) = system.generating() else {
        return Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "these equations have no momenta").note(
            "the sets on T*Q belong to a Lagrangian, or to a form that generates the system (Barone et al. §4)",
        )));
    };
    dual_sets(cx, system, &generating).map_err(exhausted)
}

fn dual_sets(cx: &Inquiry, system: &DalembertSystem, generating: &ImplicitSystem) -> Budgeted<Vec<Vec<Branch>>> {
    let y = system.manifold();
    let n = y.n_coordinates();
    let q: Vec<Symbol> = (0..n).map(|i| jet(y, i, 0)).collect();
    let p: Vec<Symbol> = q.iter().map(|q| Symbol::momentum(*q)).collect();
    let v: Vec<Expr> = (0..n).map(|i| Expr::symbol(jet(y, i, 1))).collect();
    let momenta = generating.momenta();
    let legendre = p.iter().zip(&momenta).map(|(p, e)| Expr::symbol(*p) - *e);
    let graph: Vec<Expr> = legendre.chain(generating.critical_equations()).collect();
    let rates = generating.slope();
    let small = Chart::new([vec![y.base()], q.clone(), p.clone()].concat());
    let large = Chart::new([generating.coordinates(), p.clone()].concat());
    let mut sets: Vec<Submanifold> = vec![];
    let mut last = Submanifold::everything(&small);
    loop {
        let mut branches = vec![];
        for branch in last.branches() {
            let tangency = branch.equations.iter().map(|k| {
                let positions = gradient(cx, *k, &q).into_iter().zip(&v).map(|(c, v)| c * *v);
                let momenta = gradient(cx, *k, &p).into_iter().zip(&rates).map(|(c, r)| c * *r);
                let (positions, momenta): (Vec<Expr>, Vec<Expr>) = (positions.collect(), momenta.collect());
                Expr::add_all(positions.into_iter().chain(momenta).chain([partial(cx, *k, y.base())]))
            });
            let equations = graph.iter().copied().chain(branch.equations.iter().copied()).chain(tangency).collect();
            branches.push(Branch { equations, nonzero: branch.nonzero.clone() });
        }
        let next = Submanifold::new(&large, branches).projection(cx, &small, |s| small.contains(s))?;
        if last.equals(cx, &next)?.is_yes() || sets.len() > MAX_ROUNDS {
            break;
        }
        sets.push(next.clone());
        if next.branches().is_empty() {
            break;
        }
        last = next;
    }
    if sets.is_empty() {
        sets.push(last);
    }
    Ok(sets.into_iter().map(|s| s.branches().to_vec()).collect())
}
