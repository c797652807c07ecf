//! Gauge directions: how far motions that begin in one state may come apart by a given time.
//!
//! On a final branch the motions are the integral curves of X + v^jY_j with functions v^j(t) that may be chosen. The
//! states that can be reached from one state in a fixed time fill, at generic points, a submanifold tangent to the smallest
//! family of fields that contains the Y_j and is carried into itself by brackets with X and with the Y_j (the strong
//! accessibility family of control theory; Sussmann and Jurdjevic 1972):
//!
//! ```text
//! 𝒢 ∋ Y_j,        Z ∈ 𝒢  ⇒  [X, Z], [Y_j, Z] ∈ 𝒢
//! ```
//!
//! In Dirac's words: primary first-class constraints, and what their brackets with the total Hamiltonian generate. Dirac
//! conjectured that all first-class constraints belong to it. They need not: in Cawley's L = ẋż + yz²/2 the constraint
//! z² = 0 has the field −z∂/∂p_z, which vanishes where z = 0, and only y is gauge.

use super::invariant_set::generic_leaf;
use crate::algebra::Inquiry;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::{Cell, Frame};
use crate::algebra::{Expr, Symbol};
use crate::budget::Budgeted;
use crate::geometry::field::VectorField;
use std::collections::VecDeque;

/// How many brackets are tried for points at which the generic ones are dependent.
const MAX_SPECIAL: usize = 24;

/// The motions on a branch.
pub(crate) struct Motions<'a> {
    pub frame: &'a Frame,
    pub cell: &'a Cell,
    /// The coordinates in which the branch lies.
    pub coordinates: &'a [Symbol],
    /// X.
    pub drift: VectorField,
    /// Y_j.
    pub free: Vec<VectorField>,
}

/// A field with its components as a row of polynomials, up to a common factor without zeros on the branch.
struct Direction {
    field: VectorField,
    row: Vec<Polynomial>,
}

impl Motions<'_> {
    /// Fields that span the gauge directions: everywhere if the rank of the family is constant, otherwise at the
    /// points where it is the generic one.
    pub fn gauge_directions(&self, cx: &Inquiry) -> Budgeted<Vec<VectorField>> {
        self.frame.on_stratum(|| self.find_directions(cx))
    }

    fn find_directions(&self, cx: &Inquiry) -> Budgeted<Vec<VectorField>> {
        let mut found: Vec<Direction> = Vec::new();
        let mut rejected: VecDeque<VectorField> = VecDeque::new();
        let mut queue: VecDeque<VectorField> = self.free.iter().cloned().collect();
        let mut rank = 0;
        while let Some(z) = queue.pop_front() {
            cx.check()?;
            let Some(z) = self.direction(cx, &z)? else { continue };
            let enlarged = self.generic_rank(cx, &found, &z)?;
            if enlarged > rank {
                rank = enlarged;
                queue.extend(self.brackets(cx, &z.field));
                found.push(z);
            } else {
                rejected.push_back(z.field);
            }
        }
        // Where these are dependent, further brackets may not be.
        let mut n_tried = 0;
        let mut list = self.leaves(cx, &found, None, self.cell)?;
        while list.iter().any(|leaf| leaf.rank < rank) && n_tried < MAX_SPECIAL {
            let Some(z) = rejected.pop_front() else { break };
            n_tried += 1;
            let Some(z) = self.direction(cx, &z)? else { continue };
            if self.helps_somewhere(cx, &found, &z, &list)? {
                rejected.extend(self.brackets(cx, &z.field));
                found.push(z);
                list = self.leaves(cx, &found, None, self.cell)?;
            }
        }
        let is_constant = list.iter().all(|leaf| leaf.rank == rank);
        match self.reduced_basis(cx, &list)? {
            Some(basis) if is_constant => Ok(basis),
            _ => Ok(found.into_iter().map(|z| z.field).collect()),
        }
    }

    fn brackets(&self, cx: &Inquiry, z: &VectorField) -> Vec<VectorField> {
        std::iter::once(&self.drift).chain(&self.free).map(|x| x.bracket(cx, z)).collect()
    }

    /// The field with its components reduced on the branch; `None` if it vanishes there.
    fn direction(&self, cx: &Inquiry, z: &VectorField) -> Budgeted<Option<Direction>> {
        let mut components = Vec::new();
        for (symbol, e) in z.components() {
            components.push((symbol, reduced(cx, self.frame, self.cell, e)?));
        }
        let field = VectorField::new(components);
        let values: Vec<Expr> = self.coordinates.iter().map(|s| field.component(*s)).collect();
        let row = self.frame.read_row(cx, &values)?;
        for entry in &row {
            if !self.cell.reduce(cx, self.frame, entry)?.is_zero() {
                return Ok(Some(Direction { field, row }));
            }
        }
        Ok(None)
    }

    fn leaves(&self, cx: &Inquiry, found: &[Direction], more: Option<&Direction>, cell: &Cell) -> Budgeted<Vec<Leaf>> {
        let rows = found.iter().chain(more).map(|z| z.row.clone()).collect();
        leaves(cx, self.frame, &LinearSystem::homogeneous(self.coordinates.len(), rows), cell)
    }

    fn generic_rank(&self, cx: &Inquiry, found: &[Direction], more: &Direction) -> Budgeted<usize> {
        let list = self.leaves(cx, found, Some(more), self.cell)?;
        Ok(generic_leaf(&list, self.cell).map_or(0, |leaf| leaf.rank))
    }

    /// Whether the rank becomes larger on one of the leaves, or on a part of it.
    fn helps_somewhere(&self, cx: &Inquiry, found: &[Direction], z: &Direction, list: &[Leaf]) -> Budgeted<bool> {
        for leaf in list {
            if self.leaves(cx, found, Some(z), &leaf.cell)?.iter().any(|part| part.rank > leaf.rank) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same span by fields with 1 and 0 in as many columns as there are fields, if that takes no division.
    fn reduced_basis(&self, cx: &Inquiry, list: &[Leaf]) -> Budgeted<Option<Vec<VectorField>>> {
        let n = self.coordinates.len();
        let Some(leaf) = generic_leaf(list, self.cell) else { return Ok(None) };
        let mut annihilator = Vec::new();
        for form in leaf.solution(cx, self.frame, n)?.kernel {
            let row: Vec<Expr> = form.iter().map(|f| f.to_expr(self.frame)).collect();
            annihilator.push(self.frame.read_row(cx, &row)?);
        }
        let list = leaves(cx, self.frame, &LinearSystem::homogeneous(n, annihilator), self.cell)?;
        let Some(leaf) = generic_leaf(&list, self.cell) else { return Ok(None) };
        let kernel = leaf.solution(cx, self.frame, n)?.kernel;
        if kernel.iter().flatten().any(|f| !f.denominator.is_constant()) {
            return Ok(None);
        }
        let field = |v: &Vec<_>| self.field_of(v);
        Ok(Some(kernel.iter().map(field).collect()))
    }

    fn field_of(&self, components: &[crate::algebra::stratum::leaves::Fraction]) -> VectorField {
        VectorField::new(self.coordinates.iter().copied().zip(components.iter().map(|f| f.to_expr(self.frame))))
    }
}

/// A function on the branch, written in the simplest terms.
pub(crate) fn reduced(cx: &Inquiry, frame: &Frame, cell: &Cell, e: Expr) -> Budgeted<Expr> {
    let (numerator, denominator) = frame.read(cx, e)?.unwrap_or_default();
    let rest = cell.value(cx, frame, &numerator)?;
    Ok(if rest == frame.write(&numerator) { e } else { super::tidy(cx, rest / frame.write(&denominator)) })
}
