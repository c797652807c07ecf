//! Ranks and loci with their strata.

use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::stratum::cell::Frame;
use crate::algebra::stratum::leaves::{LinearSystem, leaves};
use crate::algebra::{Expr, Symbol, stratum};
use crate::budget::Budgeted;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::mechanics::classify;
use crate::model::item::System;
use crate::model::set::PointSet;
use crate::model::value::{Fallible, Rank, Value};

use super::systems::stopped;

/// The rank of a matrix of functions, with the strata on which it takes its values. With a complement
/// n the question is about n − rank.
pub fn rank_value(matrix: &Matrix, complement: Option<usize>) -> Fallible<Value> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let rank = strata_of_rank(matrix, &coordinates(&entries), complement).map_err(stopped)?;
    Ok(rank_with(rank, matrix.clone(), complement))
}

/// The coordinates of the manifold on which the functions live, up to their order.
fn coordinates(functions: &[Expr]) -> Vec<Symbol> {
    let symbols = crate::algebra::expr::symbols_of(functions);
    match FiberedManifold::of_symbols(&symbols) {
        Ok(Some(manifold)) => manifold.jets(manifold.order_of_all(functions).order).symbols(),
        _ => symbols.into_iter().filter(|s| !s.is_parameter()).collect(),
    }
}

fn strata_of_rank(matrix: &Matrix, coordinates: &[Symbol], complement: Option<usize>) -> Budgeted<classify::Rank> {
    let entries: Vec<Expr> = matrix.entries().collect();
    let frame = Frame::new(coordinates, &entries)?;
    let rows = (0..matrix.n_rows()).map(|i| frame.read_row(matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
    let system = LinearSystem::homogeneous(matrix.n_columns(), rows);
    let list = leaves(&frame, &system, &frame.everything())?;
    classify::rank(&frame, &list, |leaf| complement.map_or(leaf.rank, |n| n - leaf.rank))
}

/// A rank of a classification as a value that can be taken at a point.
pub fn rank_with(rank: classify::Rank, matrix: Matrix, complement: Option<usize>) -> Value {
    Value::from(Rank { values: rank.values, strata: rank.strata, matrix, complement, complete: rank.complete })
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
