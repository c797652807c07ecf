//! Tangent spaces of cells: dimension, singular points, projections.
//!
//! On a cell with radical equations g the tangent space at x is the kernel of dg(x), of dimension
//! n − rank dg(x), wherever that rank is the largest it takes on the cell. Where it is smaller the cell is
//! singular, and the kernel of dg is only known to contain the tangent vectors.

use super::super::polynomial::Polynomial;
use super::super::symbol::Symbol;
use super::cell::{Cell, Frame};
use super::leaves::{LinearSystem, leaves};
use super::set;
use crate::budget::Budgeted;

/// The rows dg by the coordinates of the frame.
pub fn jacobian(frame: &Frame, cell: &Cell) -> Budgeted<LinearSystem> {
    let columns = frame.coordinates();
    let mut system = LinearSystem::new(columns.len());
    for g in cell.equations() {
        system.push(differential(frame, g, columns)?, Polynomial::zero());
    }
    Ok(system)
}

/// ∂g/∂x for each of the symbols, over a common denominator.
pub fn differential(frame: &Frame, g: &Polynomial, symbols: &[Symbol]) -> Budgeted<Vec<Polynomial>> {
    let e = frame.write(g);
    let row: Vec<_> = symbols.iter().map(|s| super::super::derive::partial(e, *s)).collect();
    frame.read_row(&row)
}

/// The dimension at regular points.
pub fn dimension(frame: &Frame, cell: &Cell) -> Budgeted<usize> {
    let n = frame.coordinates().len();
    if cell.equations().iter().all(|g| g.total_degree() == 1) && is_polynomial(frame, cell) {
        return Ok(n - cell.equations().len());
    }
    let codimension = leaves(frame, &jacobian(frame, cell)?, cell)?.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
    Ok(n - codimension)
}

/// Whether the equations contain coordinates and constants only, no functions of coordinates.
fn is_polynomial(frame: &Frame, cell: &Cell) -> bool {
    use super::super::generator::{Generator, Kind};
    let plain = |v: &u32| frame.is_constant(*v) || matches!(Generator(*v).kind(), Kind::Symbol(_));
    cell.equations().iter().flat_map(|g| g.variables()).all(plain)
}

/// The points at which the rank of dg is smaller than elsewhere on the cell.
pub fn singular_locus(frame: &Frame, cell: &Cell) -> Budgeted<Vec<Cell>> {
    if cell.equations().iter().all(|g| g.total_degree() == 1) && is_polynomial(frame, cell) {
        return Ok(vec![]);
    }
    let list = leaves(frame, &jacobian(frame, cell)?, cell)?;
    let generic = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
    set::merged(frame, list.into_iter().filter(|leaf| leaf.rank < generic).map(|leaf| leaf.cell).collect())
}

/// Equations of the closure of the projection to the coordinates that satisfy `keep`.
pub fn projection(frame: &Frame, cell: &Cell, keep: impl Fn(Symbol) -> bool) -> Budgeted<Vec<Polynomial>> {
    use super::super::generator::Generator;
    let moves = |s: &Symbol| frame.coordinates().contains(s);
    cell.basis.eliminate(frame, |v| Generator(v).meaning().symbols().iter().any(|s| moves(s) && !keep(*s)))
}
