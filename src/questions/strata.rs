//! Ranks and loci with their strata.

use crate::algebra::Inquiry;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::stratum::cell::{Cell, Frame};
use crate::algebra::stratum::leaves::{Foliation, Leaf, LinearSystem, leaves, leaves_as_far_as_possible};
use crate::algebra::stratum::rank::{Rank as StratifiedRank, rank_by};
use crate::algebra::stratum::set;
use crate::algebra::{Expr, Symbol, Verdict, conditions, stratum};
use crate::budget::{Budgeted, Exhausted, clear_interrupt, share};
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::mechanics::classify::NOT_ALL;
use crate::model::item::System;
use crate::model::set::{PointSet, branch_text};
use crate::model::value::{Fallible, Rank, Value};

/// The rank of a matrix of functions, with the strata on which it takes its values. With a complement
/// n the question is about n − rank.
pub fn rank_value(cx: &Inquiry, matrix: &Matrix, complement: Option<usize>) -> Fallible<Value> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let generic = || {
        let (echelon, _) = conditions::collect(cx, |cx| matrix.echelon(cx));
        let rank = echelon?.pivots.len();
        Ok(complement.map_or(rank, |n| n - rank))
    };
    let rank = patiently(cx, || strata_of_rank(cx, matrix, &coordinates(cx, &entries), complement), generic)?;
    Ok(rank_with(rank, matrix.clone(), complement))
}

/// A rank with its strata, or, where these take too long, at generic points only, which is then said.
pub fn patiently(
    cx: &Inquiry,
    strata: impl FnOnce() -> Budgeted<StratifiedRank>,
    generic: impl FnOnce() -> Budgeted<usize>,
) -> Fallible<StratifiedRank> {
    let found = cx.within(share::SEARCH, strata);
    let why = match &found {
        Ok(rank) => rank.stopped,
        Err(stop) => Some(*stop),
    };
    let Some(why) = why.filter(|stop| *stop != Exhausted::Interrupted) else { return Ok(found?) };
    let complete = Verdict::unknown(format!("this is the rank at generic points; elsewhere {why}"));
    match (generic(), found) {
        (Ok(rank), _) => {
            Ok(StratifiedRank { values: vec![rank], strata: vec![], complete, stopped: None, generic: vec![] })
        }
        (Err(_), Ok(partial)) => {
            clear_interrupt();
            Ok(partial)
        }
        (Err(stop), Err(_)) => Err(stop.into()),
    }
}

/// The coordinates of the manifold on which the functions live, up to their order.
fn coordinates(cx: &Inquiry, functions: &[Expr]) -> Vec<Symbol> {
    let symbols = crate::algebra::expr::symbols_of(functions);
    match FiberedManifold::of_symbols(&symbols) {
        Ok(Some(manifold)) => manifold.jets(manifold.order_of_all(cx, functions).order).symbols(),
        _ => symbols.into_iter().filter(|s| !s.is_parameter()).collect(),
    }
}

fn strata_of_rank(
    cx: &Inquiry,
    matrix: &Matrix,
    coordinates: &[Symbol],
    complement: Option<usize>,
) -> Budgeted<StratifiedRank> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let frame = Frame::new(cx, coordinates, &entries)?;
    let rows = (0..matrix.n_rows()).map(|i| frame.read_row(cx, matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(matrix.n_columns(), rows);
    let everything = frame.everything();
    let found = leaves_as_far_as_possible(cx, &frame, &system, &everything);
    let value = |leaf: &Leaf| complement.map_or(leaf.rank, |n| n - leaf.rank);
    let described = match found.stopped {
        None => rank_by(cx, &frame, &everything, &found.leaves, value),
        Some(stop) => Err(stop),
    };
    let mut rank = match described {
        Ok(rank) => rank,
        Err(stop) if found.leaves.is_empty() && found.open.is_empty() => return Err(stop),
        Err(stop) => return Ok(rank_as_far_as_found(cx, &frame, &found, value, stop)),
    };
    let mut i = 0;
    while i < rank.generic.len() {
        let superfluous = cx.within(share::MINOR, || is_superfluous(cx, matrix, coordinates, complement, &rank, i));
        match superfluous {
            Ok(true) => drop(rank.generic.remove(i)),
            Err(stop @ (Exhausted::Interrupted | Exhausted::Time)) => {
                return Ok(rank_as_far_as_found(cx, &frame, &found, value, stop));
            }
            Ok(false) | Err(_) => i += 1,
        }
    }
    Ok(rank)
}

/// What is known when the computation has to end: the leaves that were finished, and where nothing was found out.
fn rank_as_far_as_found(
    cx: &Inquiry,
    frame: &Frame,
    found: &Foliation,
    value: impl Fn(&Leaf) -> usize,
    stop: Exhausted,
) -> StratifiedRank {
    clear_interrupt();
    let write = |cell: &Cell| cx.grace(|| frame.branch_at_hand(cx, cell));
    let strata: Vec<(Branch, usize)> = found.leaves.iter().map(|leaf| (write(&leaf.cell), value(leaf))).collect();
    let mut values: Vec<usize> = strata.iter().map(|(_, v)| *v).collect();
    values.sort_unstable();
    values.dedup();
    let open: Vec<String> = found.open.iter().map(|cell| branch_text(cx, &write(cell))).collect();
    let open = if open.is_empty() { String::new() } else { format!("; not looked at: {}", open.join(", ")) };
    let complete = Verdict::unknown(format!("incomplete: {stop}{open}"));
    StratifiedRank { values, strata, complete, stopped: Some(stop), generic: frame.generic_conditions() }
}

/// Whether a parameter was taken to be nonzero only because a pivot was chosen: where it vanishes, and the other conditions
/// hold, every stratum has the rank that it is said to have. [[m, c], [c, m]] has rank 2 where m² ≠ c², m ≠ 0 or not.
fn is_superfluous(
    cx: &Inquiry,
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
    let frame = Frame::new(cx, &moving, &functions)?;
    let rows = (0..matrix.n_rows()).map(|i| frame.read_row(cx, matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(matrix.n_columns(), rows);
    let mut nonzero = rank.generic.clone();
    let equations = vec![nonzero.remove(which)];
    for cell in frame.cells(cx, &Branch { equations, nonzero })? {
        for leaf in leaves(cx, &frame, &system, &cell)? {
            let value = complement.map_or(leaf.rank, |n| n - leaf.rank);
            let mut strata = Vec::new();
            for (branch, _) in rank.strata.iter().filter(|(_, v)| *v == value) {
                strata.extend(frame.cells(cx, branch)?);
            }
            if !set::is_within(cx, &frame, &leaf.cell, &strata)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// A rank of a classification as a value that can be taken at a point.
pub fn rank_with(rank: StratifiedRank, matrix: Matrix, complement: Option<usize>) -> Value {
    let StratifiedRank { values, strata, complete, stopped, generic } = rank;
    let whole = None;
    Value::from(Rank { values, strata, matrix, complement, whole, complete, interrupted: stopped.is_some(), generic })
}

/// A rank that is rank(whole) − rank(matrix).
pub fn rank_of_kernel(rank: StratifiedRank, matrix: Matrix, whole: Matrix) -> Value {
    let StratifiedRank { values, strata, complete, stopped, generic } = rank;
    let (complement, whole, interrupted) = (None, Some(whole), stopped.is_some());
    Value::from(Rank { values, strata, matrix, complement, whole, complete, interrupted, generic })
}

/// {e = 0}, simplified.
pub fn zero_set(cx: &Inquiry, space: &JetSpace, e: Expr) -> Fallible<Value> {
    let branch = Branch { equations: vec![e], nonzero: vec![] };
    let (branches, generic) = stratum::simplified_where(cx, &space.symbols(), &[branch])?;
    generic.into_iter().for_each(|e| conditions::record_nonzero(cx, e));
    Ok(Value::from(PointSet::new(space, branches)))
}

/// Where a Hamilton vector exists: the primary constraint set P̃ (5.13).
pub fn primary(cx: &Inquiry, system: &System) -> Fallible<Value> {
    let found = system.classification(cx)?;
    Ok(match &found.primary {
        Some(primary) => Value::from(PointSet::new(&system.dynamical_form(cx)?.phase_space(), primary.clone())),
        None => Value::from(Verdict::unknown(NOT_ALL)),
    })
}
