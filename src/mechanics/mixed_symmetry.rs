//! Symmetries of mixed systems. Sarlet, section 5.
//!
//! X = μ^α X_α + μ^a ∂/∂q^a, with components on J, is a symmetry when
//!
//! ```text
//! (S1)   ∇²X̄ + Φ(X) = 0            X̄ = μ^α X_α
//! (S2)   ∇X̃ + Ψ(X̄) = 0             X̃ = μ^a ∂/∂q^a
//! ```
//!
//! and that is so exactly when Z = X + Γ(μ^α) ∂/∂v^α commutes with Γ. The two are computed apart: the equations from the
//! curvatures, the bracket from the components of the fields. A verdict is given when they agree.

use super::curvature::Curvature;
use super::mixed_system::AdaptedField;
use super::{tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::geometry::field::VectorField;

/// What the equations and the bracket say about a field.
#[derive(Clone, Debug)]
pub struct MixedSymmetry {
    pub verdict: Verdict,
    /// ∇²X̄ + Φ(X), by α.
    pub second: Vec<Expr>,
    /// ∇X̃ + Ψ(X̄), by a.
    pub first: Vec<Expr>,
    /// ν^α = Γ(μ^α).
    pub rate: Vec<Expr>,
    /// Z.
    pub prolonged: VectorField,
    /// [Z, Γ].
    pub bracket: VectorField,
}

/// Whether a field is a symmetry. A part along T does not count: τT has Z = τΓ, which moves along the motions.
pub fn symmetry(cx: &Inquiry, curvature: &Curvature, x: &AdaptedField) -> MixedSymmetry {
    let system = curvature.connection().system();
    let gamma = system.gamma();
    let once = curvature.covariant_field(cx, &AdaptedField { time: Expr::zero(), ..x.clone() });
    let twice = curvature.covariant_field(cx, &once);
    let add = |(a, b): (&Expr, Expr)| tidy(cx, *a + b);
    let second: Vec<Expr> = twice.second.iter().zip(curvature.phi_of(x)).map(add).collect();
    let first: Vec<Expr> = once.first.iter().zip(curvature.psi_of(x)).map(add).collect();
    let by_equations = all_vanish(cx, second.iter().chain(&first));

    let along = gamma.derivation();
    let rate: Vec<Expr> = x.second.iter().map(|mu| tidy(cx, along.apply(cx, *mu))).collect();
    let lifted = system.field(cx, &AdaptedField { time: Expr::zero(), ..x.clone() });
    let prolonged = &lifted + &VectorField::new(system.velocities().into_iter().zip(rate.iter().copied()));
    let bracket = prolonged.bracket(cx, &gamma).map_components(|e| tidy(cx, e));
    let by_bracket = bracket.is_zero(cx);

    let mut verdict = agreed(by_equations, by_bracket);
    let left = second.iter().zip(system.second_symbols()).chain(first.iter().zip(system.first_symbols()));
    verdict = told(cx, verdict, left.map(|(e, s)| (s, *e)));
    if let Some(vertical) = &x.vertical {
        let differences: Vec<Expr> = vertical.iter().zip(&rate).map(|(nu, rate)| *nu - *rate).collect();
        verdict = verdict.and(match all_vanish(cx, &differences) {
            Verdict::No(_) => Verdict::no("its components along the velocities are not Γ(μ)"),
            fits => fits,
        });
    }
    MixedSymmetry { verdict, second, first, rate, prolonged, bracket }
}

pub(super) fn all_vanish<'a>(cx: &Inquiry, list: impl IntoIterator<Item = &'a Expr>) -> Verdict {
    Verdict::all(list.into_iter().map(|e| vanishes(cx, *e)), "there are no conditions")
}

/// Two computations of one truth. Where one of them is undecided the other one counts; where they contradict each other
/// nothing is said.
pub(super) fn agreed(by_equations: Verdict, by_bracket: Verdict) -> Verdict {
    match (by_equations, by_bracket) {
        (Verdict::Yes(_), Verdict::No(_)) | (Verdict::No(_), Verdict::Yes(_)) => {
            Verdict::unknown("the equations of the paper and the derivative along the motion contradict each other")
        }
        (Verdict::Unknown(_), other) => other,
        (found, Verdict::Unknown(_)) => found,
        (one, other) => one.and(other),
    }
}

/// A proved no that says what is left of the equations, by coordinate.
pub(super) fn told(cx: &Inquiry, verdict: Verdict, left: impl IntoIterator<Item = (Symbol, Expr)>) -> Verdict {
    if !matches!(&verdict, Verdict::No(ground) if ground.is_proved()) {
        return verdict;
    }
    let nonzero = left.into_iter().filter(|(_, e)| vanishes(cx, *e).is_no());
    let list: Vec<String> = nonzero.map(|(s, e)| format!("{e} for {s}")).collect();
    if list.is_empty() { verdict } else { Verdict::no(format!("what is left of the equations is {}", list.join(", "))) }
}
