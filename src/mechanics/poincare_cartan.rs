//! The Poincaré–Cartan forms of a Lagrangian of first order with forces. Lewis §6; docs/theory/forces.md §6.
//!
//! ```text
//! Θ_L = L dt + L_{v^i} θ^i,        Ω_L = −dΘ_L,        Ω_{L,Φ} = Ω_L − Φ∧dt
//! ```
//!
//! Theorem 6.1 says which 2-form Ω_L is: closed, zero on pairs of vectors of coann(C¹) = span(∂_t + v∂_q, ∂_v), and
//!
//! ```text
//! Φ_L∘X = −X⌟Ω_L,             Φ_L∘X − Φ = −X⌟Ω_{L,Φ}                                           Lewis (6.3)
//! ```
//!
//! for every second-order field X. All of it is checked with accelerations that are symbols; no regularity is needed.

use super::force::{contact_form, euler_lagrange_two_force};
use super::lagrangian::Lagrangian;
use super::{Answered, jet, jet_expr, tidy};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};

/// Θ_L, Ω_L and Ω_{L,Φ}.
#[derive(Clone, Debug)]
pub struct PoincareCartan {
    lagrangian: Lagrangian,
    force: Vec<Expr>,
    pub theta: Form,
    pub omega: Form,
    pub forced: Form,
}

impl PoincareCartan {
    /// Of L with the force Φ_i θ^i.
    pub fn new(cx: &Inquiry, l: &Lagrangian, force: &[Expr]) -> Answered<PoincareCartan> {
        if l.order() > 1 {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "these forms belong to Lagrangians of first order")
                    .note(format!("this one is of order {}", l.order()))
                    .help("`cartan(L)` is the Cartan form of a Lagrangian of any order"),
            ));
        }
        let y = l.manifold();
        let momenta: Vec<Expr> =
            (0..y.n_coordinates()).map(|i| tidy(cx, partial(cx, l.function(), jet(y, i, 1)))).collect();
        let theta = Form::sum(1, &[l.form(), contact_form(y, &momenta)]).map_coefficients(|c| tidy(cx, c));
        let omega = theta.d(cx).scale(-Expr::one()).map_coefficients(|c| tidy(cx, c));
        let work = contact_form(y, force).wedge(&Form::differential(y.base()));
        let forced = Form::sum(2, &[omega.clone(), work.scale(-Expr::one())]).map_coefficients(|c| tidy(cx, c));
        Ok(PoincareCartan { lagrangian: l.clone(), force: force.to_vec(), theta, omega, forced })
    }

    pub fn manifold(&self) -> &FiberedManifold {
        self.lagrangian.manifold()
    }

    /// J¹Y, where the forms live.
    pub fn space(&self) -> JetSpace {
        self.manifold().jets(1)
    }

    /// X = ∂_t + v^i ∂_{q^i} + a^i ∂_{v^i}, the accelerations being symbols.
    fn second_order_field(&self) -> VectorField {
        let y = self.manifold();
        let n = y.n_coordinates();
        let positions = (0..n).map(|i| (jet(y, i, 0), jet_expr(y, i, 1)));
        let velocities = (0..n).map(|i| (jet(y, i, 1), jet_expr(y, i, 2)));
        VectorField::new([(y.base(), Expr::one())].into_iter().chain(positions).chain(velocities))
    }

    /// The components of −X⌟Ω_{L,Φ} along the θ^i: what inertia has more than the force.
    pub fn balance(&self, cx: &Inquiry) -> Vec<Expr> {
        let left = self.forced.interior(&self.second_order_field());
        let y = self.manifold();
        (0..y.n_coordinates()).map(|i| tidy(cx, -left.coefficient(&[jet(y, i, 0)]))).collect()
    }

    /// dΩ_L = 0.
    pub fn is_closed(&self, cx: &Inquiry) -> Verdict {
        self.omega.d(cx).is_zero(cx)
    }

    /// dΩ_{L,Φ} = 0: not with friction, and in general not with gyroscopic forces.
    pub fn is_forced_closed(&self, cx: &Inquiry) -> Verdict {
        self.forced.d(cx).is_zero(cx)
    }

    /// Theorem 6.1 and (6.3), all components.
    pub fn is_verified(&self, cx: &Inquiry) -> Verdict {
        let y = self.manifold();
        let n = y.n_coordinates();
        let x = self.second_order_field();
        let two_force = euler_lagrange_two_force(cx, &self.lagrangian);
        let inertia = self.omega.interior(&x);
        let identity = Form::sum(1, &[two_force.form(), inertia]).is_zero(cx);
        let less: Vec<Expr> = two_force.components().iter().zip(&self.force).map(|(a, b)| *a - *b).collect();
        let with_force = Form::sum(1, &[contact_form(y, &less), self.forced.interior(&x)]).is_zero(cx);
        let work = contact_form(y, &self.force).wedge(&Form::differential(y.base()));
        let restored = Form::sum(2, &[self.forced.clone(), work]).d(cx).is_zero(cx);
        // coann(C¹): along the motion, and the directions of velocity.
        let along = (0..n).map(|i| (jet(y, i, 0), jet_expr(y, i, 1)));
        let mut fields = vec![VectorField::new([(y.base(), Expr::one())].into_iter().chain(along))];
        fields.extend((0..n).map(|i| VectorField::coordinate(jet(y, i, 1))));
        let pairs = fields.iter().enumerate().flat_map(|(i, u)| fields[i + 1..].iter().map(move |v| (u, v)));
        let ideal = pairs.map(|(u, v)| {
            let one = |form: &Form| form.interior(u).interior(v).is_zero(cx);
            one(&self.omega).and(one(&self.forced))
        });
        let ideal = Verdict::all(ideal, "there is one direction only");
        self.is_closed(cx).and(restored).and(ideal).and(identity).and(with_force)
    }

    /// The antisymmetric matrix of Ω_{L,Φ} in the coordinates t, q, v.
    pub fn matrix(&self) -> Matrix {
        let symbols = self.space().symbols();
        Matrix::from_fn(symbols.len(), symbols.len(), |i, j| self.forced.coefficient(&[symbols[i], symbols[j]]))
    }
}
