//! Jacobi fields: variations of motions, in the frame of a mixed system. Sarlet, sections 4 and 5.
//!
//! Along a motion a variation is δq = μ^α X_α + μ^a ∂/∂q^a and δv^α = ν^α = dμ^α/dt. The equations of symmetries, in which Γ
//! is d/dt along the motion, say how it evolves:
//!
//! ```text
//! ∇²X̄ + Φ(X) = 0       dν^β/dt = −Φ^β_α μ^α + (∂f^β/∂q^a) μ^a − Γ^β_γ (ν^γ + Γ^γ_α μ^α) − Γ(Γ^β_α) μ^α − Γ^β_α ν^α
//! ∇X̃ + Ψ(X̄) = 0        dμ^a/dt = (∂g^a/∂q^b) μ^b − C^a_β μ^β
//! ```
//!
//! The same in coordinates is dδx/dt = (∂Γ/∂x) δx, where no tensor occurs; [`JacobiEquation::agrees`] compares the two.

use super::curvature::Curvature;
use super::{tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Verdict};

/// d(μ^α, μ^a, ν^α)/dt = M (μ^α, μ^a, ν^α).
#[derive(Clone, Debug)]
pub struct JacobiEquation {
    curvature: Curvature,
    pub matrix: Matrix,
}

/// The equation of Jacobi fields, from Φ, Ψ and ∇.
pub fn jacobi_equation(cx: &Inquiry, curvature: &Curvature) -> JacobiEquation {
    let connection = curvature.connection();
    let system = connection.system();
    let (k, m) = (system.second().len(), system.first().len());
    let gamma = system.gamma().derivation();
    let c = connection.coefficients();
    let squared = |beta: usize, alpha: usize| Expr::add_all((0..k).map(|g| c[beta][g] * c[g][alpha]));
    let entry = |row: usize, column: usize| -> Expr {
        // The blocks are α, a, α, as in the chart.
        match (row, column) {
            (r, s) if r < k => Expr::from(i64::from(s == k + m + r)),
            (r, s) if r < k + m => match s {
                s if s < k => -curvature.psi[r - k][s],
                s if s < k + m => -curvature.nabla_first[s - k][r - k],
                _ => Expr::zero(),
            },
            (r, s) if s < k => {
                let beta = r - k - m;
                -(curvature.phi[beta][s] + squared(beta, s) + gamma.apply(cx, c[beta][s]))
            }
            (r, s) if s < k + m => -curvature.phi_eta[r - k - m][s - k],
            (r, s) => c[r - k - m][s - k - m] * -2,
        }
    };
    let matrix = Matrix::from_fn(2 * k + m, 2 * k + m, |r, s| tidy(cx, entry(r, s)));
    JacobiEquation { curvature: curvature.clone(), matrix }
}

/// ∂Γ^i/∂x^j in the coordinates of the phase space but t.
pub fn linearised(cx: &Inquiry, curvature: &Curvature) -> Matrix {
    let system = curvature.connection().system();
    let gamma = system.gamma();
    let x = &system.chart().symbols()[1..];
    Matrix::from_fn(x.len(), x.len(), |i, j| tidy(cx, partial(cx, gamma.component(x[i]), x[j])))
}

impl JacobiEquation {
    /// δx = F (μ, ν), with F made of 1 and of B^a_α: F M = (∂Γ/∂x) F − Γ(F), where the right side is made of partial derivatives
    /// alone.
    pub fn agrees(&self, cx: &Inquiry) -> Verdict {
        let connection = self.curvature.connection();
        let system = connection.system();
        let (k, m) = (system.second().len(), system.first().len());
        let b = connection.b();
        let frame = Matrix::from_fn(2 * k + m, 2 * k + m, |r, s| match (r, s) {
            (r, s) if r == s => Expr::one(),
            (r, s) if (k..k + m).contains(&r) && s < k => b[r - k][s],
            _ => Expr::zero(),
        });
        let gamma = system.gamma().derivation();
        let moved = Matrix::from_fn(2 * k + m, 2 * k + m, |r, s| gamma.apply(cx, frame[(r, s)]));
        let difference = frame.mul(&self.matrix).add(&moved).sub(&linearised(cx, &self.curvature).mul(&frame));
        Verdict::all(difference.entries().map(|e| vanishes(cx, e)), "there are no coordinates")
    }
}
