//! Geometry on jet prolongations: what a mechanician writes down before the first equation.
//!
//! # The stage
//!
//! Motions are sections of a [fibered manifold](jet::FiberedManifold) Y → X over the time axis, with
//! fibred coordinates (t, q^σ). What happens to a motion and to its first r derivatives happens on the
//! [jet space](jet::JetSpace) JʳY with coordinates (t, q^σ_0, …, q^σ_r), Krupková §2. Jet coordinates
//! are plain [symbols](crate::algebra::Symbol) that know their place in the tower q, q′, q″, …; so one
//! total derivative serves every manifold and every order, and a function on JʳY is already a function
//! on JʳʹY for rʹ > r: lifting costs nothing, and projection asks whether the top jets really occur.
//!
//! # The objects
//!
//! - [`form::Form`]: a differential form of any degree, stored by its components in the basis dt, dq, dq′, …;
//! - [`contact`]: the same form in the basis dt, ω_j = dq_j − q_{j+1}dt, Krupková (2.1), where the splitting
//!   η = hη + p₁η + p₂η + … is read off;
//! - [`field::VectorField`], with brackets and prolongations; [`tensor::Tensor`], of type (1,1) and
//!   vector-valued;
//! - [`section::Section`] and [`map::Map`], which carry all of these between manifolds;
//! - [`distribution`] and [`submanifold`]: subspaces that may jump in rank, and zero sets, to which a
//!   [`restriction`] carries everything.
//!
//! # Signs and shapes
//!
//! The wedge product of basis 1-forms is the alternating one without factors: (dx ∧ dy)(∂x, ∂y) = 1. The
//! interior product contracts the first slot. In a basis element dt stands last, as in E = E_σ dq^σ ∧ dt.
//!
//! # Truth
//!
//! Every test of fact is a [`Verdict`](crate::algebra::Verdict) that rests on the zero test of the algebra;
//! when it is not "yes" it comes with the component that decided it. Nothing here knows source positions:
//! refusals are values of [`Refusal`], and whoever knows the place points at it.

pub mod axis;
pub mod contact;
pub mod distribution;
pub mod field;
pub mod form;
mod inverse;
pub mod jet;
pub mod map;
pub mod print;
pub mod rank;
pub mod refusal;
pub mod restriction;
pub mod section;
pub mod submanifold;
mod subspace;
pub mod tensor;

pub use field::VectorField;
pub use form::Form;
pub use jet::{Chart, FiberedManifold, JetSpace};
pub use refusal::Refusal;
pub use tensor::Tensor;

#[cfg(test)]
mod laws;
