//! Adjoint symmetries of mixed systems, and what they are good for: first integrals and Lagrangians. Sarlet, section 5.
//!
//! α = a_α θ^α + c_a η^a is an adjoint symmetry when
//!
//! ```text
//! ∇²ᾱ − ∇α̃ + (Φ + Ψ)*(α) = 0            ᾱ = a_α θ^α,  α̃ = c_a η^a
//! ```
//!
//! and that is so exactly when φ = a_α ω^α + c_a η^a + b_α θ^α, b_β = −Γ(a_β) + 2 a_αΓ^α_β, satisfies L_Γφ = 0. The two are
//! computed apart, the equation from the curvatures, the Lie derivative from φ.
//!
//! If a_α = ∂F/∂v^α and c_a = ∂F/∂q^a, put L* = Γ(F). F is unique up to h(t, q^α), and L* up to dh/dt:
//!
//! ```text
//! L* = 0                             F is a first integral
//! the Hessian of L* vanishes         L* = dh/dt, and F − h is one; this is not in the paper, which takes F as it comes
//! the Hessian is regular             L* is a Lagrangian of the second-order part, and f is free of q^a
//! else                               L* is a singular Lagrangian
//! ```

use super::connection::Connection;
use super::curvature::Curvature;
use super::mixed_symmetry::{agreed, all_vanish, told};
use super::mixed_system::{AdaptedForm, MixedSystem};
use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::antiderivative::antiderivative;
use crate::algebra::derive::{hessian, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;

/// What the equation and the Lie derivative say about a form.
#[derive(Clone, Debug)]
pub struct AdjointSymmetry {
    pub verdict: Verdict,
    /// The θ-part of the equation, by α.
    pub theta: Vec<Expr>,
    /// The η-part of the equation, by a.
    pub eta: Vec<Expr>,
    /// b_α.
    pub b: Vec<Expr>,
    pub phi: Form,
    /// L_Γφ.
    pub lie: Form,
}

/// What follows from a potential F.
#[derive(Clone, Debug)]
pub struct Consequence {
    pub kind: &'static str,
    /// h.
    pub gauge: Option<Expr>,
    /// F − h.
    pub integral: Option<Expr>,
    pub lagrangian: Option<Expr>,
}

/// The answers there are.
pub const KINDS: &[&str] = &[
    "first_integral",
    "first_integral_after_gauge",
    "lagrangian_for_second_order_part",
    "singular_lagrangian",
    "not_adjoint_symmetry",
];

/// Whether a form is an adjoint symmetry; refused if it does not vanish on Γ.
pub fn adjoint_symmetry(cx: &Inquiry, curvature: &Curvature, alpha: &AdaptedForm) -> Answered<AdjointSymmetry> {
    let connection = curvature.connection();
    let system = connection.system();
    vanishes_on_motion(cx, system, alpha)?;
    // A form on J is φ itself: its coefficients along ω^α are the a_α, and those along θ^α must be the b_α.
    let (a, given) = match &alpha.omega {
        None => (alpha.theta.clone(), None),
        Some(omega) => (omega.clone(), Some(alpha.theta.clone())),
    };
    let zeros = |n: usize| vec![Expr::zero(); n];
    let (k, m) = (system.second().len(), system.first().len());
    let bar = AdaptedForm { time: Expr::zero(), theta: a.clone(), eta: zeros(m), omega: None };
    let tilde = AdaptedForm { time: Expr::zero(), theta: zeros(k), eta: alpha.eta.clone(), omega: None };
    let twice = curvature.covariant_form(cx, &curvature.covariant_form(cx, &bar));
    let once = curvature.covariant_form(cx, &tilde);
    let theta: Vec<Expr> = (0..k)
        .map(|i| {
            let phi = a.iter().zip(&curvature.phi).map(|(a, row)| *a * row[i]);
            let psi = alpha.eta.iter().zip(&curvature.psi).map(|(c, row)| *c * row[i]);
            tidy(cx, Expr::add_all(phi.chain(psi).chain([twice.theta[i]])))
        })
        .collect();
    let eta: Vec<Expr> = (0..m)
        .map(|i| {
            let phi = a.iter().zip(&curvature.phi_eta).map(|(a, row)| *a * row[i]);
            tidy(cx, Expr::add_all(phi) - once.eta[i])
        })
        .collect();
    let by_equations = all_vanish(cx, theta.iter().chain(&eta));

    let (b, phi) = associated_form(cx, connection, &a, &alpha.eta);
    let lie = phi.lie(cx, &system.gamma()).map_coefficients(|e| tidy(cx, e));
    let left = theta.iter().zip(system.second_symbols()).chain(eta.iter().zip(system.first_symbols()));
    let mut verdict = told(cx, agreed(by_equations, lie.is_zero(cx)), left.map(|(e, s)| (s, *e)));
    if let Some(given) = given {
        let differences: Vec<Expr> = given.iter().zip(&b).map(|(x, b)| *x - *b).collect();
        verdict = verdict.and(match all_vanish(cx, &differences) {
            Verdict::No(_) => Verdict::no("its coefficients along θ are not b = −Γ(a) + 2aΓ"),
            fits => fits,
        });
    }
    Ok(AdjointSymmetry { verdict, theta, eta, b, phi, lie })
}

/// φ = a_α ω^α + c_a η^a + b_α θ^α with b_β = −Γ(a_β) + 2 a_αΓ^α_β, and b.
pub fn associated_form(cx: &Inquiry, connection: &Connection, a: &[Expr], c: &[Expr]) -> (Vec<Expr>, Form) {
    let system = connection.system();
    let along = system.gamma().derivation();
    let b: Vec<Expr> = (0..a.len())
        .map(|i| {
            let turned = a.iter().zip(connection.coefficients()).map(|(a, row)| *a * row[i] * 2);
            tidy(cx, Expr::add_all(turned) - along.apply(cx, a[i]))
        })
        .collect();
    let parts = (0..a.len()).map(|i| connection.force_form(i).scale(a[i]));
    let parts = parts.chain((0..a.len()).map(|i| system.theta(i).scale(b[i])));
    let parts: Vec<Form> = parts.chain((0..c.len()).map(|i| connection.eta(i).scale(c[i]))).collect();
    let phi = Form::sum(1, &parts).map_coefficients(|e| tidy(cx, e));
    (b, phi)
}

fn vanishes_on_motion(cx: &Inquiry, system: &MixedSystem, alpha: &AdaptedForm) -> Answered<()> {
    match vanishes(cx, alpha.time) {
        Verdict::Yes(_) => Ok(()),
        Verdict::Unknown(why) => Err(super::undecided("the form vanishes on the field of motion", why)),
        Verdict::No(_) => Err(Box::new(
            Diagnostic::error(&codes::NOT_CONTACT, "an adjoint symmetry vanishes on the field of motion Γ")
                .note(format!("the value of this form on Γ is {}", alpha.time))
                .help(format!(
                    "take that times d{} away: then it is a combination of {}",
                    system.time(),
                    system.coframe_text()
                )),
        )),
    }
}

/// F with ∂F/∂v^α = a_α and ∂F/∂q^a = c_a; refused if there is none, or none in closed form.
pub fn find_potential(cx: &Inquiry, system: &MixedSystem, a: &[Expr], c: &[Expr]) -> Answered<Expr> {
    let velocities = system.velocities().into_iter().zip(a.iter().copied());
    let gradient: Vec<(Symbol, Expr)> =
        velocities.chain(system.first_symbols().into_iter().zip(c.iter().copied())).collect();
    quadrature(cx, &gradient)
}

/// Whether F is a potential; refused with what is left of the conditions.
pub fn check_potential(cx: &Inquiry, system: &MixedSystem, a: &[Expr], c: &[Expr], f: Expr) -> Answered<()> {
    let velocities = system.velocities().into_iter().zip(a);
    for (s, wanted) in velocities.chain(system.first_symbols().into_iter().zip(c)) {
        let slope = tidy(cx, partial(cx, f, s));
        let fits = vanishes(cx, slope - *wanted);
        if !super::decided(&fits, format!("∂F/∂{s} = {wanted}"))? {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "this function is no potential of the form")
                    .note(format!("∂F/∂{s} = {slope}, and the form has {wanted} there")),
            ));
        }
    }
    Ok(())
}

/// What L* = Γ(F) says, for a form of which it is known whether it is an adjoint symmetry.
pub fn consequence(cx: &Inquiry, system: &MixedSystem, is_one: &Verdict, f: Expr) -> Answered<Consequence> {
    let rate = tidy(cx, system.gamma().apply(cx, f));
    let plain = |kind| Consequence { kind, gauge: None, integral: None, lagrangian: None };
    if !super::decided(is_one, "this form is an adjoint symmetry")? {
        return Ok(plain("not_adjoint_symmetry"));
    }
    if super::decided(&vanishes(cx, rate), "Γ(F) vanishes")? {
        return Ok(Consequence { integral: Some(f), gauge: Some(Expr::zero()), ..plain("first_integral") });
    }
    let v = system.velocities();
    let second = Matrix::with_columns(hessian(cx, rate, &v), v.len());
    if super::decided(&second.is_zero(cx), "the Hessian of Γ(F) vanishes")? {
        let h = gauge(cx, system, rate)?;
        let integral = tidy(cx, f - h);
        return Ok(Consequence { gauge: Some(h), integral: Some(integral), ..plain("first_integral_after_gauge") });
    }
    let det = second.det(cx).map_err(exhausted)?;
    if super::decided(&vanishes(cx, det), "the Hessian of Γ(F) is singular")? {
        return Ok(plain("singular_lagrangian"));
    }
    is_lagrangian(cx, system, rate)?;
    Ok(Consequence { lagrangian: Some(rate), ..plain("lagrangian_for_second_order_part") })
}

/// h(t, q^α) with dh/dt = L*, from ∂h/∂q^α = ∂L*/∂v^α and what is left of L* for ∂h/∂t.
fn gauge(cx: &Inquiry, system: &MixedSystem, rate: Expr) -> Answered<Expr> {
    let mut gradient = vec![];
    let mut rest = vec![rate];
    for q in system.second() {
        let slope = tidy(cx, partial(cx, rate, q.jet(1)));
        rest.push(-(slope * Expr::symbol(q.jet(1))));
        gradient.push((q.jet(0), slope));
    }
    gradient.push((system.time(), tidy(cx, Expr::add_all(rest))));
    quadrature(cx, &gradient)
}

/// ∂L*/∂q^a = 0 and Γ(∂L*/∂v^α) = ∂L*/∂q^α, which hold for every adjoint symmetry: checked all the same.
fn is_lagrangian(cx: &Inquiry, system: &MixedSystem, l: Expr) -> Answered<()> {
    let along = system.gamma().derivation();
    let free = system.first_symbols().into_iter().map(|q| partial(cx, l, q));
    let balance = system.second().iter().map(|q| along.apply(cx, partial(cx, l, q.jet(1))) - partial(cx, l, q.jet(0)));
    let list: Vec<Expr> = free.chain(balance).map(|e| tidy(cx, e)).collect();
    match all_vanish(cx, &list) {
        Verdict::Yes(_) => Ok(()),
        Verdict::Unknown(why) => Err(super::undecided("Γ(F) is a Lagrangian of the second-order part", why)),
        Verdict::No(_) => Err(super::undecided(
            "Γ(F) is a Lagrangian of the second-order part",
            "its Euler–Lagrange equations are not those of the system",
        )),
    }
}

/// A function with this gradient in some of its variables, by one antiderivative after the other.
fn quadrature(cx: &Inquiry, gradient: &[(Symbol, Expr)]) -> Answered<Expr> {
    for (i, (x, f)) in gradient.iter().enumerate() {
        for (y, g) in &gradient[..i] {
            let difference = tidy(cx, partial(cx, *f, *y) - partial(cx, *g, *x));
            if !super::decided(&vanishes(cx, difference), "the form has a potential")? {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_APPLICABLE, "this form has no potential F")
                        .note(format!("∂({f})/∂{y} − ∂({g})/∂{x} = {difference}, which is not zero"))
                        .help("a potential has ∂F/∂v and ∂F/∂q of the first-order coordinates as its coefficients"),
                ));
            }
        }
    }
    let mut found = Expr::zero();
    for (x, f) in gradient {
        let rest = tidy(cx, *f - partial(cx, found, *x));
        let part = antiderivative(cx, rest, *x).ok_or_else(|| {
            super::undecided(
                "this form has a potential in closed form",
                format!("no antiderivative of {rest} by {x} was found; give the potential F with `potential = F`"),
            )
        })?;
        found = tidy(cx, found + part);
    }
    Ok(found)
}
