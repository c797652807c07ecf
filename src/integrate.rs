//! From a vector field and a state to a trajectory.
//!
//! A [`Motion`](problem::Motion) is everything that does not depend on numbers: the compiled vector field, what is
//! recorded, which events are watched. An [`InitialValueProblem`](problem::InitialValueProblem) adds the numbers: where
//! the motion starts, the parameters, the end, method and tolerance. [`run`] makes a
//! [`Trajectory`](trajectory::Trajectory), which always says why it ends.
//!
//! ```
//! use lepage::workshop::budget::Budget;
//! use lepage::workshop::codegen::ir::{Bank, KernelBuilder};
//! use lepage::workshop::integrate::{problem::{InitialValueProblem, Motion, MotionSpec}, run};
//!
//! // x' = v, v' = −x
//! let mut b = KernelBuilder::new("oscillator");
//! let (x, v) = (b.input("x", Bank::State), b.input("v", Bank::State));
//! let a = b.neg(x);
//! b.output("x'", v);
//! b.output("v'", a);
//! let motion = Motion::new(MotionSpec::field(b.finish()), Default::default());
//! let problem = InitialValueProblem::new(vec![1.0, 0.0], vec![], std::f64::consts::PI);
//! let run = run(&Budget::unlimited(), &motion, &problem).unwrap();
//! assert!((run.last()[0] + 1.0).abs() < 1e-9);
//! ```
//!
//! The methods are a table ([`method::METHODS`]); each is a [`stepper::Stepper`], which knows how to advance one step with the
//! error asked for, and how to give the state inside that step. Everything else (the grid of recorded times, events, kinks,
//! the end, interruption) is [`driver`], once, for all methods. Looking inside a step never changes the steps.

// Comparisons are written so that NaN fails them; index letters are those of the formulas.
#![allow(clippy::neg_cmp_op_on_partial_ord, clippy::needless_range_loop)]

pub mod auto;
pub mod bdf;
pub mod collocation;
pub mod control;
pub mod driver;
pub mod ends;
pub mod events;
pub mod explicit;
pub mod field;
pub mod gauss;
mod gauss_sweep;
pub mod lanes;
pub mod lie;
pub mod lie_gauss;
pub mod lu;
pub mod method;
pub mod newton;
pub mod one_step;
pub mod pairs;
pub mod pole_watch;
pub mod poles;
pub mod problem;
pub mod radau;
pub mod radau_tables;
pub mod rank_watch;
pub mod slopes;
pub mod splitting;
pub mod stage_system;
pub mod stepper;
pub mod surface;
pub mod switches;
pub mod tableau;
pub mod taylor;
pub mod trajectory;
pub mod variational;
pub mod whole_step;

pub use driver::run;
