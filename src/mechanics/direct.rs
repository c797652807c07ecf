//! Nonholonomic dynamics straight from a 2-form. Sarlet, sections 1 and 6.
//!
//! From a Lagrangian L(t, q, q̇) and constraints q̇^a = g^a(t, q, v), with L̄ = L where they hold and p_a = ∂L/∂q̇^a, taken before g is
//! put in and then restricted:
//!
//! ```text
//! θ_L = L̄ dt + (∂L̄/∂v^α) θ^α,   ψ = C^a_α p_a θ^α − (∂L̄/∂q^a) η^a,   Ω = dθ_L + ψ ∧ dt,   i_ΓΩ = 0
//! Γ(∂L̄/∂v^α) = X_α(L̄) + C^a_α p_a + F_α + B^a_α F_a
//! P_αβ = ∂²L̄/∂v^α∂v^β − p_a ∂²g^a/∂v^α∂v^β
//! ```
//!
//! The f^α are unknown also inside C^a_α = Γ(B^a_α) − X_α(g^a) when g is not linear in v; the equations are linear in them, with the
//! matrix P.
//!
//! Departure: the paper asks for det Hess(L̄) ≠ 0, which is right for linear constraints only; here it is det P ≠ 0. With
//! ẋ² + ẏ² = 1, Hess(L̄) = 0 and P is regular; with L = (1+x)ẏ − x² and ẏ = ½ẋ², Hess(L̄) = 1 + x and P = 0.
//!
//! Departure: forces are added to ψ as (F_α + B^a_α F_a) θ^α; the paper has none.

use super::connection::Connection;
use super::curvature::curvature;
use super::mixed_form::{SolvedConstraints, accelerations_of};
use super::mixed_system::MixedSystem;
use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::derive::{hessian, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::{Coordinate, Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use std::rc::Rc;

/// What Sarlet's construction finds.
#[derive(Clone, Debug)]
pub struct Direct {
    pub constraints: SolvedConstraints,
    /// L̄.
    pub lagrangian: Expr,
    /// ∂²L̄/∂v∂v.
    pub hessian: Matrix,
    pub p: Matrix,
    pub det_p: Expr,
    /// θ_L.
    pub theta: Form,
    /// Whether det P does not vanish identically.
    pub regular: Verdict,
    /// The motion and the forms that need it; refused where P is singular everywhere.
    pub motion: Answered<DirectMotion>,
}

#[derive(Clone, Debug)]
pub struct DirectMotion {
    pub system: Rc<MixedSystem>,
    pub psi: Form,
    /// Ω = dθ_L + ψ ∧ dt.
    pub omega: Form,
    /// What must not vanish.
    pub conditions: Vec<Expr>,
}

impl DirectMotion {
    /// i_ΓΩ = 0.
    pub fn verified(&self, cx: &Inquiry) -> Verdict {
        self.omega.interior(&self.system.gamma()).is_zero(cx)
    }
}

/// The construction from L, the constraints and the forces F, by fibre coordinate.
pub fn direct(cx: &Inquiry, l: Expr, constraints: &SolvedConstraints, forces: &[Expr]) -> Answered<Direct> {
    let y = &constraints.manifold;
    let order = super::decided_order(cx, &y.unfolded(), &[l])?;
    if order > 1 {
        return Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            format!("this construction is for Lagrangians of first order, and this one has order {order}"),
        )));
    }
    let velocities: Vec<Symbol> = constraints.free.iter().map(|q| q.jet(1)).collect();
    let k = velocities.len();
    let reduced = constraints.restrict(cx, l);
    let momenta: Vec<Expr> =
        constraints.dependent.iter().map(|q| constraints.restrict(cx, partial(cx, l, q.jet(1)))).collect();
    let second = |e: Expr| Matrix::with_columns(hessian(cx, e, &velocities), k);
    let hessian = second(reduced).simplify(cx).map_err(exhausted)?;
    let bent =
        constraints.g.iter().zip(&momenta).fold(Matrix::zero(k, k), |sum, (g, p)| sum.add(&second(*g).scale(*p)));
    let p = hessian.sub(&bent).simplify(cx).map_err(exhausted)?;
    let det_p = p.det(cx).map_err(exhausted)?;
    let regular = match vanishes(cx, det_p) {
        Verdict::No(ground) if !ground.is_proved() => Verdict::Yes(ground),
        Verdict::No(_) if sign_of(cx, det_p).is_nonzero() => Verdict::yes("det P vanishes nowhere"),
        Verdict::No(_) => Verdict::yes("det P is not zero everywhere; `locus` is where it is"),
        Verdict::Yes(_) => Verdict::no("det P vanishes identically"),
        unknown => unknown,
    };

    let time = Form::differential(y.base());
    let contact = |q: &Coordinate| Form::omega(q.jet(0)).scale(tidy(cx, partial(cx, reduced, q.jet(1))));
    let parts: Vec<Form> = constraints.free.iter().map(contact).chain([time.scale(reduced)]).collect();
    let theta = Form::sum(1, &parts).map_coefficients(|e| tidy(cx, e));

    let (motion, recorded) =
        conditions::collect(cx, |cx| motion(cx, constraints, reduced, &momenta, &p, &theta, forces));
    let motion = motion.map(|found| DirectMotion { conditions: recorded, ..found });
    Ok(Direct { constraints: constraints.clone(), lagrangian: reduced, hessian, p, det_p, theta, regular, motion })
}

/// Solves for f, and puts it into ψ and Ω.
fn motion(
    cx: &Inquiry,
    constraints: &SolvedConstraints,
    reduced: Expr,
    momenta: &[Expr],
    p: &Matrix,
    theta: &Form,
    forces: &[Expr],
) -> Answered<DirectMotion> {
    let b = constraints.slopes(cx);
    let applied = applied_forces(cx, constraints, &b, forces);
    let drift = constraints.time_without_forces().derivation();
    let right: Vec<Expr> = constraints
        .free
        .iter()
        .enumerate()
        .map(|(alpha, q)| {
            // X_α, applied to L̄ and to g^a.
            let x = |e: Expr| {
                let lifted =
                    constraints.dependent.iter().enumerate().map(|(a, z)| b[a][alpha] * partial(cx, e, z.jet(0)));
                partial(cx, e, q.jet(0)) + Expr::add_all(lifted)
            };
            let curved =
                momenta.iter().enumerate().map(|(a, p)| *p * (drift.apply(cx, b[a][alpha]) - x(constraints.g[a])));
            let inertia = drift.apply(cx, partial(cx, reduced, q.jet(1)));
            #[cfg(test)]
            let inertia = super::mutation::turned("direct", inertia);
            tidy(cx, x(reduced) + Expr::add_all(curved) + applied[alpha] - inertia)
        })
        .collect();
    let f = accelerations_of(cx, p, &right)?;
    let system = Rc::new(constraints.with_accelerations(cx, f)?);
    let connection = Connection::new(cx, &system);
    let bent = curvature(cx, &connection);
    let along = (0..constraints.free.len()).map(|alpha| {
        let curved = momenta.iter().zip(&bent.psi).map(|(p, row)| *p * row[alpha]);
        system.theta(alpha).scale(Expr::add_all(curved) + applied[alpha])
    });
    let across = constraints.dependent.iter().enumerate();
    let across = across.map(|(a, q)| connection.eta(a).scale(-partial(cx, reduced, q.jet(0))));
    let parts: Vec<Form> = along.chain(across).collect();
    let psi = Form::sum(1, &parts).map_coefficients(|e| tidy(cx, e));
    let time = Form::differential(constraints.manifold.base());
    let omega = (&theta.d(cx) + &psi.wedge(&time)).map_coefficients(|e| tidy(cx, e));
    Ok(DirectMotion { system, psi, omega, conditions: vec![] })
}

/// F_α + B^a_α F_a where the constraints hold.
fn applied_forces(cx: &Inquiry, constraints: &SolvedConstraints, b: &[Vec<Expr>], forces: &[Expr]) -> Vec<Expr> {
    let all: Vec<Coordinate> = constraints.manifold.fibres().iter().map(|f| f.coordinate).collect();
    let of = |q: Coordinate| {
        let place = all.iter().position(|x| *x == q);
        place.and_then(|i| forces.get(i)).map_or_else(Expr::zero, |f| constraints.restrict(cx, *f))
    };
    let component = |(alpha, q): (usize, &Coordinate)| {
        let carried = constraints.dependent.iter().enumerate().map(|(a, z)| b[a][alpha] * of(*z));
        tidy(cx, of(*q) + Expr::add_all(carried))
    };
    constraints.free.iter().enumerate().map(component).collect()
}
