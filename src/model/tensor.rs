//! Matrices that stand for tensors of type (1,1): their rows and columns are labelled by the same coordinates.
//! Mixed systems §0–§4.

use super::value::{Family, Key, KeyPart, LabelledMatrix, Value};
use crate::algebra::Symbol;
use crate::algebra::linear::Matrix;
use crate::geometry::jet::Chart;
use crate::geometry::{Form, Tensor, VectorField};

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

/// The image of a field under the linear map that sends ∂/∂x to the entry of x, as horizontal lifts are; `None` if the
/// family is none of fields by coordinate, or the field has a component along another direction.
pub fn image_of_field(images: &Family, field: &VectorField) -> Result<VectorField, Symbol> {
    let mut sum = VectorField::zero();
    for (direction, component) in field.components() {
        let key: Key = std::iter::once(KeyPart::Symbol(direction)).collect();
        let Some(Value::Field(image)) = images.entries.get(&key) else { return Err(direction) };
        sum = &sum + &image.scale(component);
    }
    Ok(sum)
}
