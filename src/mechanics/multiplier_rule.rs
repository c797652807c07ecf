//! The rule of multipliers, straight from the equations: E_σ = Σ λ_i ∂f^i/∂q_r^σ together with the constraints, differentiated until
//! they contain the highest derivatives q_s, is one linear system for these and the multipliers. Nothing is reduced and no
//! dependent coordinate is chosen, so that it can be held against the formalisms that do (Krupková §11, Lewis §5, Barone et al.
//! §7, Sarlet §6).
//!
//! ```text
//! ⎛ ∂E/∂q_s   −Fᵀ ⎞ ⎛ q_s ⎞   ⎛ −E|q_s=0           ⎞
//! ⎝    F       0  ⎠ ⎝  λ  ⎠ = ⎝ −d^{s−r}f/dt|q_s=0 ⎠          F = ∂f/∂q_r,  r ≤ s
//! ```

use super::{Answered, exhausted, jet, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{FiberedManifold, jet_order, total_derivatives};
use rustc_hash::FxHashMap;

/// A constraint on the highest derivatives, row · q_s + rest = 0, and the direction of its force.
#[derive(Clone, Debug)]
pub struct Row {
    pub row: Vec<Expr>,
    pub rest: Expr,
    pub force: Vec<Expr>,
}

/// The derivatives of order s by coordinate, for equations of that order. What was divided by is recorded. Refused if a constraint is
/// of higher order or bends in these derivatives, or the system does not determine them.
pub fn highest_derivatives(
    cx: &Inquiry,
    manifold: &FiberedManifold,
    (equations, s): (&[Expr], u32),
    constraints: &[Expr],
) -> Answered<Vec<Expr>> {
    let rows = constraints.iter().map(|f| row(cx, manifold, s, *f, None)).collect::<Answered<Vec<_>>>()?;
    with_forces(cx, manifold, (equations, s), &rows)
}

/// What a constraint says of the derivatives of order s; its force is Chetaev's where none is given.
pub fn row(cx: &Inquiry, manifold: &FiberedManifold, s: u32, f: Expr, force: Option<Vec<Expr>>) -> Answered<Row> {
    let m = manifold.n_coordinates();
    let top = highest(manifold, s);
    let still: FxHashMap<Symbol, Expr> = top.iter().map(|s| (*s, Expr::zero())).collect();
    let bends = |e: Expr| top.iter().any(|t| e.contains(*t) && !vanishes(cx, partial(cx, e, *t)).is_yes());
    let order = jet_order(cx, f).order;
    if order > s {
        return Err(refused("a constraint is of higher order than the equations"));
    }
    let own: Vec<Expr> = (0..m).map(|i| partial(cx, f, jet(manifold, i, order))).collect();
    if order == s && own.iter().any(|e| bends(*e)) {
        return Err(refused("a constraint is not affine in the highest derivatives"));
    }
    let force = force.unwrap_or(own).into_iter().map(|e| substitute(e, &still)).collect();
    let differentiated = total_derivatives(cx, f, s - order);
    let row = top.iter().map(|s| substitute(partial(cx, differentiated, *s), &still)).collect();
    Ok(Row { row, rest: substitute(differentiated, &still), force })
}

fn highest(manifold: &FiberedManifold, s: u32) -> Vec<Symbol> {
    (0..manifold.n_coordinates()).map(|i| jet(manifold, i, s)).collect()
}

/// The same with any forces.
pub fn with_forces(
    cx: &Inquiry,
    manifold: &FiberedManifold,
    (equations, s): (&[Expr], u32),
    constraints: &[Row],
) -> Answered<Vec<Expr>> {
    let m = manifold.n_coordinates();
    let top = highest(manifold, s);
    let still: FxHashMap<Symbol, Expr> = top.iter().map(|s| (*s, Expr::zero())).collect();
    if equations.iter().any(|e| jet_order(cx, *e).order > s) {
        return Err(refused("the equations are of higher order"));
    }
    let (mut rows, mut right) = (vec![], vec![]);
    for c in constraints {
        rows.push(c.row.iter().copied().chain(constraints.iter().map(|_| Expr::zero())).collect());
        let drift = c.rest;
        #[cfg(test)]
        let drift = super::mutation::turned("multipliers", drift);
        right.push(-drift);
    }
    for (sigma, e) in equations.iter().enumerate() {
        let row = top.iter().map(|s| substitute(partial(cx, *e, *s), &still));
        rows.push(row.chain(constraints.iter().map(|c| -c.force[sigma])).collect());
        right.push(-substitute(*e, &still));
    }
    let solution = Matrix::with_columns(rows, m + constraints.len()).solve(cx, &right).map_err(exhausted)?;
    // A free multiplier may move an acceleration: what is determined is the same for all solutions.
    let moved = solution.null_space.iter().any(|v| v.iter().take(m).any(|e| !vanishes(cx, *e).is_yes()));
    if !solution.residuals.is_empty() || moved || solution.particular.len() < m {
        return Err(refused("the system for the highest derivatives and the multipliers does not determine them"));
    }
    for c in &solution.conditions {
        crate::algebra::conditions::record_nonzero(cx, *c);
    }
    Ok(solution.particular.into_iter().take(m).collect())
}

fn refused(why: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, format!("the rule of multipliers does not apply: {why}")))
}
