//! Symmetries and first integrals, for Lagrangians and equations of any order.
//!
//! A vector field X = ξ⁰∂_t + ξ^σ∂_{q^σ} acts on motions through its characteristic Q^σ = ξ^σ − q_1^σ ξ⁰, whatever
//! jets its components depend on. With the momenta p_σ^i of the Lagrangian,
//!
//! ```text
//! L_{JX} λ = (pr_Q L + d(L ξ⁰)/dt) dt,        pr_Q L = Σ_k (d^kQ^σ/dt^k) ∂L/∂q_k^σ
//! ```
//!
//! and where this is a total derivative dF/dt, the first variation formula gives Noether's integral
//!
//! ```text
//! Φ = Σ_i p_σ^i d^iQ^σ/dt^i + L ξ⁰ − F,       dΦ/dt = −Q^σ E_σ
//! ```
//!
//! For a projectable X this is i_{JX}θ_λ − F, Krupková Remark 8.8.

use super::inverse_problem;
use super::lagrangian::Lagrangian;
use super::{Answered, jet, jet_expr, tidy, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};

/// The first integral that belongs to a symmetry of a Lagrangian.
#[derive(Clone, Debug)]
pub struct NoetherIntegral {
    /// Φ, constant along every motion.
    pub integral: Expr,
    /// F with L_{JX}λ = dF; zero for a symmetry in the strict sense.
    pub primitive: Expr,
    /// Q^σ = ξ^σ − q_1^σ ξ⁰.
    pub characteristic: Vec<Expr>,
    /// Whether dΦ/dt = −Q^σE_σ, checked.
    pub verified: Verdict,
}

/// Q^σ = ξ^σ − q_1^σ ξ⁰.
pub fn characteristic(manifold: &FiberedManifold, x: &VectorField) -> Vec<Expr> {
    let xi0 = x.component(manifold.base());
    (0..manifold.n_coordinates())
        .map(|sigma| tidy(x.component(jet(manifold, sigma, 0)) - jet_expr(manifold, sigma, 1) * xi0))
        .collect()
}

/// pr_Q f = Σ_k (d^kQ^σ/dt^k) ∂f/∂q_k^σ.
pub fn prolonged_derivative(manifold: &FiberedManifold, q: &[Expr], f: Expr) -> Expr {
    let terms = f.symbols().into_iter().filter_map(|s| {
        let (coordinate, k) = s.as_jet()?;
        let sigma = manifold.fibres().iter().position(|fibre| fibre.coordinate == coordinate)?;
        Some(total_derivatives(q[sigma], k) * partial(f, s))
    });
    Expr::add_all(terms)
}

/// The integral of Noether's theorem; refused if X is not a symmetry of λ up to a total derivative.
pub fn noether(lagrangian: &Lagrangian, x: &VectorField) -> Answered<NoetherIntegral> {
    let y = lagrangian.manifold();
    let l = lagrangian.function();
    let q = characteristic(y, x);
    let xi0 = x.component(y.base());
    let variation = tidy(prolonged_derivative(y, &q, l) + total_derivative(l * xi0));
    let primitive = if vanishes(variation).is_yes() {
        Expr::zero()
    } else {
        let variation = lagrangian.with_function(variation)?;
        let residual: Vec<Expr> = variation.euler_lagrange().into_iter().map(tidy).collect();
        let is_null = Verdict::all(residual.iter().map(|e| vanishes(*e)), "");
        if !super::decided(&is_null, "the change of the Lagrangian is a total derivative")? {
            return Err(not_a_symmetry(y, &residual));
        }
        inverse_problem::primitive(&variation)?.ok_or_else(|| {
            super::undecided(
                "this symmetry has an integral in closed form",
                "the change of the Lagrangian is a total derivative, but no closed form of its primitive was found",
            )
        })?
    };
    let parts = lagrangian.ostrogradsky();
    let mut terms = vec![l * xi0 - primitive];
    for (i, row) in parts.momenta.iter().enumerate() {
        terms.extend(row.iter().zip(&q).map(|(p, q)| *p * total_derivatives(*q, i as u32)));
    }
    let integral = tidy(Expr::add_all(terms));
    let rate = Expr::add_all(parts.euler_lagrange.iter().zip(&q).map(|(e, q)| *e * *q));
    let verified = vanishes(tidy(total_derivative(integral) + rate));
    Ok(NoetherIntegral { integral, primitive, characteristic: q, verified })
}

fn not_a_symmetry(manifold: &FiberedManifold, residual: &[Expr]) -> Box<Diagnostic> {
    let mut diagnostic = Diagnostic::error(&codes::NOT_A_SYMMETRY, "this field is no symmetry of the Lagrangian");
    for (fibre, e) in manifold.fibres().iter().zip(residual) {
        if !vanishes(*e).is_yes() {
            let name = fibre.coordinate.name();
            diagnostic = diagnostic.note(format!("the change of L has the Euler–Lagrange expression {e} for {name}"));
        }
    }
    Box::new(diagnostic.help("the change of L along the prolonged field must be a total derivative df/dt"))
}
