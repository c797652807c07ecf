//! Motions on the rotation group: which coordinates of a system are unit quaternions.
//!
//! A holonomic constraint k (a² + b² + c² + d² − 1) = 0 with a number k says that four coordinates are a quaternion of length 1, as
//! `quaternion_rotation` of the standard library reads it. Which of them is the real part does not matter: the methods
//! ([`integrate::lie`](crate::integrate::lie)) are the same in all coordinates that a rotation of four dimensions makes of these.

use super::discrete::Constraints;
use crate::algebra::derive::partial;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::codegen::lower::{self, Obstacle, Signature};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::lie::{Group, GroupAction};

/// The quaternions of a system, and its Lagrangian with the forces where a variational method asks for them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroupLaw {
    pub group: Group,
    /// L, then a force for each coordinate.
    pub outputs: Vec<Expr>,
}

impl GroupLaw {
    /// The quaternions among the coordinates; the constraints that say something else are the second result.
    pub fn new(cx: &Inquiry, manifold: &FiberedManifold, constraints: &Constraints) -> (GroupLaw, Vec<Expr>) {
        let coordinates: Vec<Symbol> = manifold.fibres().iter().map(|f| f.coordinate.jet(0)).collect();
        let mut quaternions: Vec<[usize; 4]> = vec![];
        let mut others = vec![];
        for f in &constraints.holonomic {
            match unit_quaternion(cx, *f, &coordinates) {
                Some(places) if !quaternions.iter().flatten().any(|i| places.contains(i)) => quaternions.push(places),
                _ => others.push(*f),
            }
        }
        others.extend(&constraints.nonholonomic);
        let numbers = (0..coordinates.len()).filter(|i| !quaternions.iter().flatten().any(|j| i == j)).collect();
        let group = Group { quaternions, numbers, is_all: others.is_empty() };
        (GroupLaw { group, outputs: vec![] }, others)
    }

    /// As a kernel of the states and parameters of a run.
    pub fn lower(&self, signature: &Signature) -> Result<(Group, Option<GroupAction>), Obstacle> {
        if self.outputs.is_empty() {
            return Ok((self.group.clone(), None));
        }
        let list: Vec<(String, Expr)> = self.outputs.iter().enumerate().map(|(i, e)| (format!("o{i}"), *e)).collect();
        let kernel = lower::expressions("Lagrangian", signature, &list)?;
        Ok((self.group.clone(), Some(GroupAction { kernel, has_forces: self.outputs.len() > 1 })))
    }
}

/// The four coordinates q for which f = k (|q|² − 1).
fn unit_quaternion(cx: &Inquiry, f: Expr, coordinates: &[Symbol]) -> Option<[usize; 4]> {
    let places: Vec<usize> = (0..coordinates.len()).filter(|i| f.contains(coordinates[*i])).collect();
    let places: [usize; 4] = places.try_into().ok()?;
    let origin = places.iter().map(|i| (coordinates[*i], Expr::zero())).collect();
    let k = -substitute(f, &origin);
    if k.as_number().is_none() || k.is_zero() {
        return None;
    }
    let fits = |i: &usize| {
        let q = coordinates[*i];
        (partial(cx, f, q) - Expr::from(2) * k * Expr::symbol(q)).is_zero()
    };
    places.iter().all(fits).then_some(places)
}
