//! What a variational method needs of a system: the first and second derivatives of its Lagrangian, its forces, and its
//! constraints on the two levels that a state has.
//!
//! ```text
//! ∂L/∂q + F,   ∂L/∂q′,   their derivatives in q and q′;   f(t, q) and df/dt;   f(t, q, q′)
//! ```
//!
//! The discrete equations that are made of these are [`integrate::variational`](crate::integrate::variational).

use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Symbol};
use crate::codegen::lower::{self, Obstacle, Signature};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::geometry::jet::{FiberedManifold, total_derivatives};
use crate::integrate::variational::Action;

/// Constraints of a system of second order.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// Functions of t and q.
    pub holonomic: Vec<Expr>,
    /// Functions of t, q and q′.
    pub nonholonomic: Vec<Expr>,
}

/// The outputs of the kernel of a [`Action`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ActionLaw {
    pub outputs: Vec<Expr>,
    m: usize,
    holonomic: usize,
    constraints: usize,
}

impl ActionLaw {
    /// For a Lagrangian of first order, a force for each coordinate, and constraints.
    pub fn new(
        cx: &Inquiry,
        manifold: &FiberedManifold,
        lagrangian: Expr,
        forces: &[Expr],
        constraints: &Constraints,
    ) -> Fallible<ActionLaw> {
        let jets = |k: u32| manifold.fibres().iter().map(|f| f.coordinate.jet(k)).collect::<Vec<Symbol>>();
        let (q, v) = (jets(0), jets(1));
        let all =
            [lagrangian].into_iter().chain(forces.iter().copied()).chain(constraints.nonholonomic.iter().copied());
        for e in all {
            let high = e.symbols().into_iter().find(|s| s.as_jet().is_some_and(|(_, order)| order > 1));
            if let Some(high) = high {
                return Err(Box::new(
                    Diagnostic::error(&codes::METHOD_MISFIT, "a discrete Lagrangian is made of one of first order")
                        .note(format!("`{high}` occurs in {e}"))
                        .help("`method gauss(4)` takes systems of any order"),
                ));
            }
        }
        let slopes = |list: &[Expr], by: &[Symbol]| -> Vec<Expr> {
            list.iter().flat_map(|e| by.iter().map(|s| partial(cx, *e, *s))).collect()
        };
        let force: Vec<Expr> = q.iter().zip(forces).map(|(q, f)| partial(cx, lagrangian, *q) + *f).collect();
        let momentum: Vec<Expr> = v.iter().map(|v| partial(cx, lagrangian, *v)).collect();
        let moving = constraints.holonomic.iter().map(|f| total_derivatives(cx, *f, 1));
        let velocities: Vec<Expr> = moving.chain(constraints.nonholonomic.iter().copied()).collect();
        let outputs = [
            slopes(&force, &q),
            slopes(&force, &v),
            slopes(&momentum, &q),
            slopes(&momentum, &v),
            constraints.holonomic.clone(),
            velocities.clone(),
            slopes(&velocities, &q),
            slopes(&velocities, &v),
        ];
        Ok(ActionLaw {
            outputs: [force, momentum, outputs.concat()].concat(),
            m: q.len(),
            holonomic: constraints.holonomic.len(),
            constraints: velocities.len(),
        })
    }

    /// As a kernel of the states and parameters of a run.
    pub fn lower(&self, signature: &Signature) -> Result<Action, Obstacle> {
        let list: Vec<(String, Expr)> = self.outputs.iter().enumerate().map(|(i, e)| (format!("o{i}"), *e)).collect();
        let kernel = lower::expressions("action", signature, &list)?;
        Ok(Action { kernel, m: self.m, holonomic: self.holonomic, constraints: self.constraints })
    }
}
