//! Ranks and loci with their strata.

use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::stratum::cell::{Cell, Frame};
use crate::algebra::stratum::leaves::{Foliation, Leaf, LinearSystem, leaves, leaves_as_far_as_possible};
use crate::algebra::stratum::rank::{Rank as StratifiedRank, rank_by};
use crate::algebra::stratum::set;
use crate::algebra::{Expr, Symbol, Verdict, conditions, stratum};
use crate::budget::{Budgeted, Exhausted, clear_interrupt, grace, within, within_work};
use crate::geometry::distribution::Distribution;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::model::item::System;
use crate::model::set::{PointSet, branch_text};
use crate::model::value::{Fallible, Rank, Value};

use super::polynomials::PATIENCE;
use super::systems::stopped;
use std::time::Duration;

/// The rank of a matrix of functions, with the strata on which it takes its values. With a complement
/// n the question is about n − rank.
pub fn rank_value(matrix: &Matrix, complement: Option<usize>) -> Fallible<Value> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let generic = || {
        let (echelon, _) = conditions::collect(|| matrix.echelon());
        let rank = echelon?.pivots.len();
        Ok(complement.map_or(rank, |n| n - rank))
    };
    let rank = patiently(|| strata_of_rank(matrix, &coordinates(&entries), complement), generic)?;
    Ok(rank_with(rank, matrix.clone(), complement))
}

/// A rank with its strata, or, where these take too long, at generic points only, which is then said.
pub fn patiently(
    strata: impl FnOnce() -> Budgeted<StratifiedRank>,
    generic: impl FnOnce() -> Budgeted<usize>,
) -> Fallible<StratifiedRank> {
    let why = match within(PATIENCE, strata) {
        Ok(rank) => return Ok(rank),
        Err(Exhausted::Interrupted) => return Err(stopped(Exhausted::Interrupted)),
        Err(why) => why,
    };
    Ok(StratifiedRank {
        values: vec![generic().map_err(stopped)?],
        strata: vec![],
        complete: Verdict::unknown(format!("this is the rank at generic points; elsewhere {why}")),
        generic: vec![],
    })
}

/// The coordinates of the manifold on which the functions live, up to their order.
fn coordinates(functions: &[Expr]) -> Vec<Symbol> {
    let symbols = crate::algebra::expr::symbols_of(functions);
    match FiberedManifold::of_symbols(&symbols) {
        Ok(Some(manifold)) => manifold.jets(manifold.order_of_all(functions).order).symbols(),
        _ => symbols.into_iter().filter(|s| !s.is_parameter()).collect(),
    }
}

fn strata_of_rank(matrix: &Matrix, coordinates: &[Symbol], complement: Option<usize>) -> Budgeted<StratifiedRank> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let frame = Frame::new(coordinates, &entries)?;
    let rows = (0..matrix.n_rows()).map(|i| frame.read_row(matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(matrix.n_columns(), rows);
    let everything = frame.everything();
    let found = leaves_as_far_as_possible(&frame, &system, &everything);
    let value = |leaf: &Leaf| complement.map_or(leaf.rank, |n| n - leaf.rank);
    let described = match found.stopped {
        None => rank_by(&frame, &everything, &found.leaves, value),
        Some(stop) => Err(stop),
    };
    let mut rank = match described {
        Ok(rank) => rank,
        Err(Exhausted::Interrupted) => return Ok(rank_as_far_as_found(&frame, &found, value)),
        Err(stop) => return Err(stop),
    };
    let mut i = 0;
    while i < rank.generic.len() {
        let superfluous = within_work(CONDITION_WORK, || is_superfluous(matrix, coordinates, complement, &rank, i));
        match superfluous {
            Ok(true) => drop(rank.generic.remove(i)),
            Err(Exhausted::Interrupted) => return Err(Exhausted::Interrupted),
            Ok(false) | Err(_) => i += 1,
        }
    }
    Ok(rank)
}

/// What is known at Ctrl-C: the leaves that were finished, and where nothing was found out.
fn rank_as_far_as_found(frame: &Frame, found: &Foliation, value: impl Fn(&Leaf) -> usize) -> StratifiedRank {
    clear_interrupt();
    let write = |cell: &Cell| grace(GRACE, || frame.branch_at_hand(cell));
    let strata: Vec<(Branch, usize)> = found.leaves.iter().map(|leaf| (write(&leaf.cell), value(leaf))).collect();
    let mut values: Vec<usize> = strata.iter().map(|(_, v)| *v).collect();
    values.sort_unstable();
    values.dedup();
    let open: Vec<String> = found.open.iter().map(|cell| branch_text(&write(cell))).collect();
    let open = if open.is_empty() { String::new() } else { format!("; not looked at: {}", open.join(", ")) };
    let complete = Verdict::unknown(format!("incomplete: {}{open}", Exhausted::Interrupted));
    StratifiedRank { values, strata, complete, generic: frame.generic_conditions() }
}

/// How long it may take to write down what is known when a budget has ended.
const GRACE: Duration = Duration::from_secs(1);

/// What it may cost to find out that a condition of a rank is not needed, in terms combined.
const CONDITION_WORK: u64 = 400_000;

/// Whether a parameter was taken to be nonzero only because a pivot was chosen: where it vanishes, and the other conditions
/// hold, every stratum has the rank that it is said to have. [[m, c], [c, m]] has rank 2 where m² ≠ c², m ≠ 0 or not.
fn is_superfluous(
    matrix: &Matrix,
    coordinates: &[Symbol],
    complement: Option<usize>,
    rank: &StratifiedRank,
    which: usize,
) -> Budgeted<bool> {
    let strata = rank.strata.iter().flat_map(|(b, _)| b.equations.iter().chain(&b.nonzero));
    let functions: Vec<Expr> = matrix.entries().chain(rank.generic.iter().copied()).chain(strata.copied()).collect();
    // All parameters move.
    let mut moving = coordinates.to_vec();
    moving.extend(crate::algebra::expr::symbols_of(&functions).into_iter().filter(|s| !coordinates.contains(s)));
    let frame = Frame::new(&moving, &functions)?;
    let rows = (0..matrix.n_rows()).map(|i| frame.read_row(matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(matrix.n_columns(), rows);
    let mut nonzero = rank.generic.clone();
    let equations = vec![nonzero.remove(which)];
    for cell in frame.cells(&Branch { equations, nonzero })? {
        for leaf in leaves(&frame, &system, &cell)? {
            let value = complement.map_or(leaf.rank, |n| n - leaf.rank);
            let mut strata = Vec::new();
            for (branch, _) in rank.strata.iter().filter(|(_, v)| *v == value) {
                strata.extend(frame.cells(branch)?);
            }
            if !set::is_within(&frame, &leaf.cell, &strata)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether two distributions have the same span at generic points of a branch.
pub fn same_span_on(branch: &Branch, a: &Distribution, b: &Distribution) -> Budgeted<Verdict> {
    let larger = if a.chart().dimension() >= b.chart().dimension() { a } else { b };
    let symbols = larger.chart().symbols().to_vec();
    let rows = |d: &Distribution| -> Vec<Vec<Expr>> {
        d.fields().iter().map(|x| symbols.iter().map(|s| x.component(*s)).collect()).collect()
    };
    let (a, b) = (rows(a), rows(b));
    let mut functions: Vec<Expr> = a.iter().chain(&b).flatten().copied().collect();
    functions.extend(branch.equations.iter().chain(&branch.nonzero));
    let frame = Frame::new(&symbols, &functions)?;
    let read = |list: &[Vec<Expr>]| list.iter().map(|r| frame.read_row(r)).collect::<Budgeted<Vec<_>>>();
    let (a, b) = (read(&a)?, read(&b)?);
    let both: Vec<_> = a.iter().chain(&b).cloned().collect();
    let mut verdict = Verdict::yes("generic ranks on the branch agree");
    for cell in frame.cells(branch)? {
        let rank = |rows: &Vec<_>| -> Budgeted<usize> {
            let system = LinearSystem::homogeneous(symbols.len(), rows.clone());
            Ok(leaves(&frame, &system, &cell)?.iter().map(|leaf| leaf.rank).max().unwrap_or(0))
        };
        let (ra, rb, r) = (rank(&a)?, rank(&b)?, rank(&both)?);
        if ra != r || rb != r {
            verdict = Verdict::no(format!("ranks {ra} and {rb} on the branch, {r} together"));
        }
    }
    Ok(verdict)
}

/// A rank of a classification as a value that can be taken at a point.
pub fn rank_with(rank: StratifiedRank, matrix: Matrix, complement: Option<usize>) -> Value {
    let StratifiedRank { values, strata, complete, generic } = rank;
    Value::from(Rank { values, strata, matrix, complement, complete, generic })
}

/// {e = 0}, simplified.
pub fn zero_set(space: &JetSpace, e: Expr) -> Fallible<Value> {
    let branch = Branch { equations: vec![e], nonzero: vec![] };
    let branches = stratum::simplified(&space.symbols(), &[branch]).map_err(stopped)?;
    Ok(Value::from(PointSet::new(space, branches)))
}

/// Where a Hamilton vector exists: the primary constraint set P̃ (5.13).
pub fn primary(system: &System) -> Fallible<Value> {
    let found = system.classification()?;
    Ok(Value::from(PointSet::new(&system.dynamical_form()?.phase_space(), found.primary.clone())))
}
