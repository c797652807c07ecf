//! The rule of multipliers, straight from the equations: E_σ = Σ λ_i ∂f^i/∂q̇^σ together with the constraints, differentiated until
//! they contain accelerations, is one linear system for the accelerations and the multipliers. Nothing is reduced and no
//! dependent coordinate is chosen, so that it can be held against the formalisms that do (Krupková §11, Lewis §5, Barone et al.
//! §7, Sarlet §6).
//!
//! ```text
//! ⎛ ∂E/∂q̈   −Fᵀ ⎞ ⎛ q̈ ⎞   ⎛ −E|q̈=0  ⎞
//! ⎝   F       0  ⎠ ⎝ λ  ⎠ = ⎝ −ḟ|q̈=0  ⎠          F = ∂f/∂q̇, or ∂f/∂q for constraints on positions
//! ```

use super::{Answered, exhausted, jet};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{FiberedManifold, jet_order, total_derivatives};
use rustc_hash::FxHashMap;

/// The accelerations by coordinate. What was divided by is recorded. Refused if a constraint or an equation is of higher order,
/// or the system does not determine them.
pub fn accelerations(
    cx: &Inquiry,
    manifold: &FiberedManifold,
    equations: &[Expr],
    constraints: &[Expr],
) -> Answered<Vec<Expr>> {
    let m = manifold.n_coordinates();
    let top: Vec<Symbol> = (0..m).map(|i| jet(manifold, i, 2)).collect();
    let still: FxHashMap<Symbol, Expr> = top.iter().map(|s| (*s, Expr::zero())).collect();
    if equations.iter().any(|e| jet_order(cx, *e).order > 2) {
        return Err(refused("the equations are of higher order"));
    }
    let (mut rows, mut right, mut forces) = (vec![], vec![], vec![]);
    for f in constraints {
        let order = jet_order(cx, *f).order;
        if order > 1 {
            return Err(refused("a constraint is not one on positions or velocities"));
        }
        forces.push((0..m).map(|i| partial(cx, *f, jet(manifold, i, order))).collect::<Vec<Expr>>());
        let differentiated = total_derivatives(cx, *f, 2 - order);
        let row = top.iter().map(|s| partial(cx, differentiated, *s));
        rows.push(row.chain(constraints.iter().map(|_| Expr::zero())).collect());
        let drift = substitute(differentiated, &still);
        #[cfg(test)]
        let drift = super::mutation::turned("multipliers", drift);
        right.push(-drift);
    }
    for (sigma, e) in equations.iter().enumerate() {
        let row = top.iter().map(|s| partial(cx, *e, *s));
        rows.push(row.chain(forces.iter().map(|f| -f[sigma])).collect());
        right.push(-substitute(*e, &still));
    }
    let solution = Matrix::with_columns(rows, m + constraints.len()).solve(cx, &right).map_err(exhausted)?;
    if !solution.residuals.is_empty() || solution.free.iter().any(|j| *j < m) || solution.particular.len() < m {
        return Err(refused("the system for accelerations and multipliers does not determine them"));
    }
    for c in &solution.conditions {
        crate::algebra::conditions::record_nonzero(cx, *c);
    }
    Ok(solution.particular.into_iter().take(m).collect())
}

fn refused(why: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, format!("the rule of multipliers does not apply: {why}")))
}
