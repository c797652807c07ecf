//! Ranks and loci with their strata.

use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Verdict};
use crate::geometry::jet::JetSpace;
use crate::model::item::System;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Fallible, Rank, Value};

pub fn rank_value(matrix: &Matrix, complement: Option<usize>) -> Fallible<Value> {
    Ok(Value::from(Rank {
        values: vec![],
        strata: vec![],
        matrix: matrix.clone(),
        complement,
        complete: Verdict::unknown("not decided"),
    }))
}

pub fn zero_set(space: &JetSpace, e: Expr) -> Fallible<Value> {
    Ok(Value::from(PointSet::new(space, vec![Branch::new(space, vec![e], vec![])])))
}

pub fn primary(_: &System) -> Fallible<Value> {
    Err(Box::new(crate::diagnostic::Diagnostic::error(
        &crate::diagnostic::codes::NOT_AVAILABLE,
        "the primary set is not available yet",
    )))
}
