//! Matrices that stand for tensors of type (1,1): their rows and columns are labelled by the same coordinates.
//! Mixed systems §0–§4.

use super::value::LabelledMatrix;
use crate::algebra::linear::Matrix;
use crate::geometry::jet::Chart;
use crate::geometry::{Form, Tensor};

/// The tensor a labelled matrix stands for, if its rows and columns have the same labels.
pub fn as_tensor(m: &LabelledMatrix) -> Option<(Tensor, Chart)> {
    if m.rows.is_empty() || m.rows != m.columns || m.matrix.n_rows() != m.rows.len() || !m.matrix.is_square() {
        return None;
    }
    let row = |i: usize| Form::one_form(m.columns.iter().copied().zip(m.matrix.row(i).iter().copied()));
    let rows = m.rows.iter().enumerate().map(|(i, s)| (*s, row(i)));
    Some((Tensor::from_rows(1, rows.collect::<Vec<_>>()), Chart::new(m.rows.iter().copied())))
}

/// Two tensors in the coordinates of the larger chart, if one chart contains the other: what is missing is zero.
pub fn aligned(a: &LabelledMatrix, b: &LabelledMatrix) -> Option<(LabelledMatrix, LabelledMatrix)> {
    if a.rows == b.rows {
        return None;
    }
    let ((left, small), (right, other)) = (as_tensor(a)?, as_tensor(b)?);
    let (inner, chart) = if small.dimension() < other.dimension() { (small, other) } else { (other, small) };
    if !inner.symbols().iter().all(|s| chart.contains(*s)) {
        return None;
    }
    let labels = chart.symbols().to_vec();
    let lifted = |t: &Tensor| LabelledMatrix {
        matrix: Matrix::with_columns(t.matrix(&chart), labels.len()),
        rows: labels.clone(),
        columns: labels.clone(),
    };
    Some((lifted(&left), lifted(&right)))
}
