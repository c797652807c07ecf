//! Lepage: a language, compiler and REPL for geometric mechanics.
//!
//! A mechanician writes the first page of a paper in a `.mech` file, and asks. The modules below are the rooms of the house;
//! data flows one way and every arrow is a function from a value to a value.
//!
//! ```text
//! text ─► tokens ─► tree ─► checked tree ─► values, forms, fields, sets ─► equations, classes, branches ─► answers ─► text
//!         └── syntax ──┘    model           model, geometry                mechanics                       questions  model
//!                                                                             │
//!                                                                             ▼
//!                                              law of motion ─► kernel ─► machine code ─► trajectory ─► run ─► tables, plots
//!                                              motion           codegen                   integrate     motion report
//! ```
//!
//! Below both lines lies `algebra`: exact numbers, expressions, polynomials, strata and verdicts. `session` carries out
//! statements in order, `repl`, `lsp` and `cli` talk. Each room uses only rooms above it in the list of modules below.
//!
//! What is absent on purpose; `tests/architecture.rs` fails when one of these sentences is no longer true:
//!
//! - Files, streams, the environment: only `repl`, `lsp` and `cli` touch them, and [`world::Disk`], through which a session reads and
//!   writes. The writers in `report` make bytes.
//! - Clocks: `timing`, `codegen` and `integrate` measure how long something took in order to say it. Nothing is decided by the
//!   time, except that `cli` calls it when a statement takes longer than the user wants to wait. Work is counted ([`budget`]).
//! - `f64` in `algebra`, `geometry` and `mechanics`: derivations are exact.
//! - ariadne outside `diagnostic::render`, Cranelift outside `codegen`, `unsafe` outside three files there and the allocator of `cli`.
//! - Facts, conditions, grounds and budgets in globals: they are passed down as an [`algebra::Inquiry`]. What a thread keeps is
//!   a store (equal expressions are one) or a memory of values that depend on nothing else; the test lists each with its reason.
//! - Printed orders from hash maps, and random seeds: the same input gives the same output, byte for byte.
//!
//! # As a library
//!
//! ```
//! use lepage::session::{Mode, Session, SessionOptions};
//!
//! let mut session = Session::new(SessionOptions::default());
//! let program = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\nequations(L)";
//! let outcomes = session.feed("oscillator.mech", program, Mode::File);
//! let answer = outcomes[2].answer.as_ref().expect("equations");
//! assert!(answer.text(80).starts_with("x: -x'' - x"));
//! ```
//!
//! [`session`] is the whole language; files go through [`world`], what is wrong is a [`diagnostic`] at a place of a [`source`].
//! [`workshop`] has single tools for measurements and tests. The other rooms are private, so the compiler says what nobody uses.

// An expression is a handle to an immutable node, so it is a sound key; index letters are those of the
// formula that is transcribed.
#![allow(clippy::mutable_key_type, clippy::needless_range_loop, clippy::type_complexity)]

pub mod source;

mod memory;

mod budget;
mod timing;
pub mod world;

pub mod diagnostic;

mod algebra;
mod syntax;

mod geometry;
mod mechanics;

mod codegen;
mod integrate;

mod report;

mod motion;

mod model;
mod questions;

pub mod session;

mod repl;

#[cfg(feature = "lsp")]
mod lsp;

pub mod cli;

pub mod workshop;
