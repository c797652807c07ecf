//! The connection of a mixed system: the forms of its constraints, and the splitting of TJ that its motion defines. Sarlet,
//! sections 2 and 3.
//!
//! ```text
//! B^a_α = ∂g^a/∂v^α,   B^a = g^a − v^αB^a_α,   η^a = dq^a − B^a_α dq^α − B^a dt,   X_α = ∂/∂q^α + B^a_α ∂/∂q^a
//! N = η^a ⊗ ∂/∂q^a,   S = θ^α ⊗ ∂/∂v^α,        (L_ΓS)² = I − Γ ⊗ dt − N
//! P_H = ½(I − L_ΓS + Γ ⊗ dt + N),              P_V = ½(I + L_ΓS − Γ ⊗ dt − N)
//! Γ^β_α = −½ ∂f^β/∂v^α,                        X_α^H = X_α − Γ^β_α ∂/∂v^β,   T^H = Γ,   (∂/∂q^a)^H = ∂/∂q^a
//! ```
//!
//! The coefficients Γ^β_α are written down from f; the projectors are computed from L_ΓS, which knows nothing of them. That the
//! square of L_ΓS is what it should be is checked for every system anew, and is the part `verified` of the answer.

use super::mixed_system::{AdaptedField, AdaptedForm, MixedSystem};
use super::{Answered, tidy};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Verdict};
use crate::geometry::Tensor;
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use std::rc::Rc;

/// The forms, fields and coefficients of the connection of a mixed system.
#[derive(Clone, Debug)]
pub struct Connection {
    system: Rc<MixedSystem>,
    /// B^a_α, by a and then α.
    b: Vec<Vec<Expr>>,
    /// B^a.
    b0: Vec<Expr>,
    /// Γ^β_α, by β and then α.
    coefficients: Vec<Vec<Expr>>,
}

/// The tensors of the connection, in the coordinates of J.
#[derive(Clone, Debug)]
pub struct ConnectionTensors {
    pub n: Tensor,
    pub s: Tensor,
    /// L_ΓS.
    pub lie: Tensor,
    pub horizontal: Tensor,
    pub vertical: Tensor,
    /// I − Γ ⊗ dt − N.
    rest: Tensor,
}

impl Connection {
    pub fn new(cx: &Inquiry, system: &Rc<MixedSystem>) -> Connection {
        let b = system.slopes(cx);
        let v = system.velocities();
        let inhomogeneous = |(g, row): (&Expr, &Vec<Expr>)| {
            tidy(cx, *g - Expr::add_all(v.iter().zip(row).map(|(v, b)| Expr::symbol(*v) * *b)))
        };
        let b0 = system.g().iter().zip(&b).map(inhomogeneous).collect();
        let half = Expr::ratio(-1, 2);
        let row = |f: &Expr| v.iter().map(|v| tidy(cx, half * partial(cx, *f, *v))).collect();
        let coefficients = system.f().iter().map(row).collect();
        Connection { system: system.clone(), b, b0, coefficients }
    }

    pub fn system(&self) -> &Rc<MixedSystem> {
        &self.system
    }

    /// B^a_α, by a and then α.
    pub fn b(&self) -> &[Vec<Expr>] {
        &self.b
    }

    /// B^a.
    pub fn b0(&self) -> &[Expr] {
        &self.b0
    }

    /// Γ^β_α, by β and then α.
    pub fn coefficients(&self) -> &[Vec<Expr>] {
        &self.coefficients
    }

    /// η^a = dq^a − B^a_α dq^α − B^a dt.
    pub fn eta(&self, a: usize) -> Form {
        let along = self.system.second_symbols().into_iter().zip(self.b[a].iter().map(|b| -*b));
        let own = (self.system.first()[a].jet(0), Expr::one());
        Form::one_form(along.chain([own, (self.system.time(), -self.b0[a])]))
    }

    /// ω^α = dv^α − f^α dt.
    pub fn force_form(&self, alpha: usize) -> Form {
        let v = self.system.second()[alpha].jet(1);
        Form::one_form([(v, Expr::one()), (self.system.time(), -self.system.f()[alpha])])
    }

    /// X_α = ∂/∂q^α + B^a_α ∂/∂q^a.
    pub fn x(&self, alpha: usize) -> VectorField {
        let own = (self.system.second()[alpha].jet(0), Expr::one());
        let lifted = self.system.first_symbols().into_iter().enumerate().map(|(a, q)| (q, self.b[a][alpha]));
        VectorField::new(std::iter::once(own).chain(lifted))
    }

    /// X_α^H = X_α − Γ^β_α ∂/∂v^β.
    pub fn x_horizontal(&self, alpha: usize) -> VectorField {
        let turned = self.system.velocities().into_iter().enumerate();
        &self.x(alpha) - &VectorField::new(turned.map(|(beta, v)| (v, self.coefficients[beta][alpha])))
    }

    /// The horizontal lift of a field along J → E: ξ⁰Γ + μ^αX_α^H + μ^a∂/∂q^a.
    pub fn lift(&self, cx: &Inquiry, x: &AdaptedField) -> VectorField {
        let mut field = self.system.gamma().scale(x.time);
        for (alpha, mu) in x.second.iter().enumerate() {
            field = &field + &self.x_horizontal(alpha).scale(*mu);
        }
        let first = self.system.first_symbols().into_iter().zip(x.first.iter().copied());
        (&field + &VectorField::new(first)).map_components(|e| tidy(cx, e))
    }

    /// The vertical lift: μ^α ∂/∂v^α.
    pub fn vertical_lift(&self, second: &[Expr]) -> VectorField {
        VectorField::new(self.system.velocities().into_iter().zip(second.iter().copied()))
    }

    /// Z = X^H + Y^V: X along J → E, and the components of Y along X_α.
    pub fn decompose_field(&self, cx: &Inquiry, z: &VectorField) -> Answered<(AdaptedField, Vec<Expr>)> {
        let system = &self.system;
        let AdaptedField { time, second, first, vertical } = system.adapted_field(cx, z)?;
        // In the frame Γ, X_α, ∂/∂q^a, ∂/∂v^α; a field without ∂/∂v has −ξ⁰f^α there.
        let given = vertical.unwrap_or_else(|| system.f().iter().map(|f| -(time * *f)).collect());
        let turned = |beta: usize| Expr::add_all(second.iter().zip(&self.coefficients[beta]).map(|(mu, c)| *mu * *c));
        let vertical = given.iter().enumerate().map(|(beta, nu)| tidy(cx, *nu + turned(beta))).collect();
        Ok((AdaptedField { time, second, first, vertical: None }, vertical))
    }

    /// The values of a 1-form on horizontal lifts, as a form along J → E, and on the vertical lifts X_α^V.
    pub fn decompose_form(&self, cx: &Inquiry, form: &Form) -> Answered<(AdaptedForm, Vec<Expr>)> {
        let AdaptedForm { time, theta, eta, omega } = self.system.adapted_form(cx, form)?;
        let vertical = omega.unwrap_or_else(|| vec![Expr::zero(); theta.len()]);
        let turned = |beta: usize| Expr::add_all(vertical.iter().zip(&self.coefficients).map(|(e, c)| *e * c[beta]));
        let theta = theta.iter().enumerate().map(|(beta, a)| tidy(cx, *a - turned(beta))).collect();
        Ok((AdaptedForm { time, theta, eta, omega: None }, vertical))
    }

    /// Whether the projectors give these parts of a field.
    pub fn decomposes_field(&self, cx: &Inquiry, z: &VectorField, along: &AdaptedField, vertical: &[Expr]) -> Verdict {
        let tensors = self.tensors(cx);
        let (h, v) = (tensors.horizontal.apply(z), tensors.vertical.apply(z));
        h.equals(cx, &self.lift(cx, along)).and(v.equals(cx, &self.vertical_lift(vertical)))
    }

    /// The same for a 1-form: the vertical part is e_α (ω^α + Γ^α_β θ^β).
    pub fn decomposes_form(&self, cx: &Inquiry, form: &Form, along: &AdaptedForm, vertical: &[Expr]) -> Verdict {
        let tensors = self.tensors(cx);
        let (h, v) = (tensors.horizontal.apply_to_form(form), tensors.vertical.apply_to_form(form));
        let dual = |alpha: usize| {
            let turned = self.coefficients[alpha].iter().enumerate().map(|(b, c)| self.system.theta(b).scale(*c));
            Form::sum(1, &[self.force_form(alpha)].into_iter().chain(turned).collect::<Vec<_>>())
        };
        let parts: Vec<Form> = vertical.iter().enumerate().map(|(alpha, e)| dual(alpha).scale(*e)).collect();
        h.equals(cx, &super::curvature::form_of(cx, self, along)).and(v.equals(cx, &Form::sum(1, &parts)))
    }

    pub fn tensors(&self, cx: &Inquiry) -> ConnectionTensors {
        let system = &self.system;
        let gamma = system.gamma();
        let n = Tensor::from_rows(1, (0..system.first().len()).map(|a| (system.first()[a].jet(0), self.eta(a))));
        let s = Tensor::from_rows(1, (0..system.second().len()).map(|i| (system.second()[i].jet(1), system.theta(i))));
        let lie = s.lie(cx, &gamma);
        let time = Tensor::product(&Form::differential(system.time()), &gamma);
        let identity = Tensor::identity(system.chart());
        let rest = &(&identity - &time) - &n;
        let vertical = (&lie + &rest).scale(Expr::ratio(1, 2));
        let horizontal = &identity - &vertical;
        ConnectionTensors { n, s, lie, horizontal, vertical, rest }
    }
}

impl ConnectionTensors {
    /// (L_ΓS)² = I − Γ ⊗ dt − N.
    pub fn identity_holds(&self, cx: &Inquiry) -> Verdict {
        self.lie.after(&self.lie).equals(cx, &self.rest)
    }

    /// Both projectors are idempotent.
    pub fn are_projectors(&self, cx: &Inquiry) -> Verdict {
        self.horizontal.is_projector(cx).and(self.vertical.is_projector(cx))
    }
}

/// The connection of a system.
pub fn connection(cx: &Inquiry, system: &Rc<MixedSystem>) -> Answered<Connection> {
    cx.check().map_err(super::exhausted)?;
    Ok(Connection::new(cx, system))
}
