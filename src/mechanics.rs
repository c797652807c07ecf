//! Mechanics: from a Lagrangian or equations of motion to everything that can be said about them.
//!
//! The files are the first paper's table of contents: O. Krupková, *Differential systems in
//! higher-order mechanics*, cited as Krupková (number). Nothing here is restricted to second-order
//! equations or to Lagrangians: a mechanical system is a class of 2-forms with one 1-contact part,
//!
//! ```text
//! E = E_σ(t, q, …, q_s) ω^σ ∧ dt,      E_σ = A_σ + B_σν q_s^ν            Krupková (3.1), (3.3)
//! ```
//!
//! and regular, singular, conservative and dissipative systems of any order s differ only in what the
//! matrices B and F let happen.
//!
//! # Conventions of the house, stated once
//!
//! - t is the base coordinate, q_k^σ the k-th jet of the coordinate q^σ, q_0 = q.
//! - ω_k^σ = dq_k^σ − q_{k+1}^σ dt.
//! - The Euler–Lagrange form has the components E_σ = ∂L/∂q^σ − d/dt ∂L/∂q_1^σ + …, "force minus
//!   inertia". Hence B_σν = ∂E_σ/∂q_s^ν is minus the Hessian of a first-order Lagrangian, and (−1)^r times
//!   the Hessian of one of order r. Volný–Krupková (2.2).
//! - The row index of B is the equation, the column index the unknown.
//! - Antisymmetric coefficients satisfy F^{ij}_σν = −F^{ji}_νσ; we keep G = 2F, so that the coefficient of
//!   ω_i^σ ∧ ω_j^ν with (i,σ) < (j,ν) is G^{ij}_σν.
//! - Coordinates of the phase space J^{s−1}Y are listed as t, then all q^σ, then all q_1^σ, …
//! - Everything is real. Parameters are generic unless something is assumed about them.
//! - Lewis's force Φ_L is −E.
//!
//! # Constrained motion, three times
//!
//! Each paper derives the motion under constraints in its own way, and so does the code; they meet only in the algebra:
//!
//! | after | from | in |
//! |---|---|---|
//! | Krupková, Volný–Krupková | the 2-form E reduced to the constraint | [`constraint_structure`], [`constrained_form`] |
//! | Lewis | Ω_{L,Φ} and the forms Λ, balanced on M | [`poincare_cartan`], [`ideal_constraint`], [`force_balance`] |
//! | Barone, Grassini, Mendella | ω_θ and η_θ with pairs (A, B) | [`implicit`], [`dalembert`], [`integrability`] |
//!
//! The last two share [`constraint_set`], which only says where a motion lives.
//!
//! Misprints of the source that matter are repaired where they stand and marked `Departure:`.

pub mod adjoint_symmetry;
pub mod agreement;
pub mod ansatz;
pub mod certificate;
pub mod chaplygin;
pub mod classify;
pub mod connection;
pub mod constrained_dynamics;
pub mod constrained_form;
pub mod constraint_algorithm;
pub mod constraint_legendre;
mod constraint_point;
pub mod constraint_set;
pub mod constraint_structure;
pub mod constraint_type;
pub mod curvature;
pub mod dalembert;
pub mod differentiation_index;
pub mod dirac;
pub mod direct;
pub mod dynamical_form;
pub mod force;
pub mod force_balance;
pub mod functional_independence;
mod gauge;
pub mod hamilton;
pub mod ideal_constraint;
pub mod implicit;
pub mod integrability;
mod invariant_set;
pub mod inverse_problem;
pub mod jacobi_field;
pub mod lagrangian;
pub mod legendre;
pub mod lepage_class;
pub mod linearization;
pub mod mixed_form;
pub mod mixed_symmetry;
pub mod mixed_system;
pub mod multiplier_rule;
pub mod normal_modes;
mod passage;
pub mod poincare_cartan;
mod primary;
pub mod rank_condition;
pub mod regular;
pub mod search;
pub mod stability;
pub mod state;
pub mod symmetry;
mod total_field;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod constraint_laws;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod metamorphic;
#[cfg(test)]
mod mixed_laws;
#[cfg(test)]
pub(crate) mod mutation;
#[cfg(test)]
mod pitfalls;
#[cfg(test)]
mod reaction_laws;

use crate::algebra::Inquiry;
use crate::algebra::expr::post_order;
use crate::algebra::normal::simplify;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::Exhausted;
use crate::diagnostic::Diagnostic;
use crate::geometry::Refusal;
use crate::geometry::jet::{FiberedManifold, without_symbol};

/// The result of anything that may refuse. The refusal is complete but for its place in the source.
pub type Answered<T> = Result<T, Box<Diagnostic>>;

/// q_k^σ.
pub fn jet(manifold: &FiberedManifold, sigma: usize, k: u32) -> Symbol {
    manifold.fibres()[sigma].coordinate.jet(k)
}

/// q_k^σ as an expression.
pub(crate) fn jet_expr(manifold: &FiberedManifold, sigma: usize, k: u32) -> Expr {
    Expr::symbol(jet(manifold, sigma, k))
}

/// The expression in its normal form, where that fits the budget; otherwise as it is. Large graphs are left
/// alone: what is shared there would be written out.
pub(crate) fn tidy(cx: &Inquiry, e: Expr) -> Expr {
    const MAX_NODES: usize = 4000;
    if e.as_number().is_some() {
        return e;
    }
    if post_order(&[e]).len() > MAX_NODES {
        return e;
    }
    simplify(cx, e).unwrap_or(e)
}

/// The zero test on which all verdicts of this room rest.
pub(crate) fn vanishes(cx: &Inquiry, e: Expr) -> Verdict {
    crate::algebra::decide::is_zero(cx, e)
}

/// The jet order of some functions after simplification; refused where it cannot be decided.
pub(crate) fn decided_order(cx: &Inquiry, manifold: &FiberedManifold, functions: &[Expr]) -> Answered<u32> {
    let order = manifold.order_of_all(cx, functions);
    match order.undecided.first() {
        None => Ok(order.order),
        Some(symbol) => Err(undecided(
            format!("this depends on {symbol}"),
            "the order of the system rests on it, and no rule of the zero test applies",
        )),
    }
}

/// What matrices with so many rows and columns take, B and what it is made of, is there before they are made.
pub(crate) fn room_for_matrices(cx: &Inquiry, size: usize) -> Answered<()> {
    const BYTES_OF_AN_ENTRY: u64 = 16;
    let size = size as u64;
    cx.room_for(size.saturating_mul(size).saturating_mul(BYTES_OF_AN_ENTRY)).map_err(Into::into)
}

/// The functions written without jets higher than `order`, on which they have been shown not to depend.
pub(crate) fn project_all(cx: &Inquiry, manifold: &FiberedManifold, functions: &[Expr], order: u32) -> Vec<Expr> {
    let too_high = |s: &Symbol| manifold.order_of_symbol(*s).is_some_and(|k| k > order);
    functions
        .iter()
        .map(|f| f.symbols().into_iter().filter(too_high).fold(*f, |x, y| without_symbol(cx, x, y)))
        .collect()
}

/// A fact on which the computation rests could not be decided.
pub(crate) fn undecided(what: impl Into<String>, why: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Refusal::Undecided { what: what.into(), why: why.into() }.into())
}

/// A budget ended before the answer was found.
pub(crate) fn exhausted(why: Exhausted) -> Box<Diagnostic> {
    Box::new(Refusal::Exhausted(why).into())
}

/// The verdict as a plain truth, or a refusal that says what could not be decided.
pub(crate) fn decided(verdict: &Verdict, what: impl Into<String>) -> Answered<bool> {
    match verdict {
        Verdict::Yes(_) => Ok(true),
        Verdict::No(_) => Ok(false),
        Verdict::Unknown(why) => Err(undecided(what, why.clone())),
    }
}
