//! Lepage: a language, compiler and REPL for geometric mechanics.
//!
//! A mechanician writes the first page of a paper in a `.mech` file, and asks. The modules below are the rooms of the house;
//! data flows one way and every arrow is a function from a value to a value.
//!
//! ```text
//! text ─► tokens ─► tree ─► values with types ─► forms, fields, sets ─► equations, classes, branches ─► answers ─► text
//!         └── syntax ──┘    session, model       geometry               mechanics                       questions  model
//!                                                                          │
//!                                                                          ▼
//!                                              law of motion ─► kernel ─► machine code ─► trajectory ─► run ─► tables, plots
//!                                              motion           codegen                   integrate     motion report
//! ```
//!
//! Below both lines lies `algebra`: exact numbers, expressions, polynomials, strata and verdicts. `session` carries out
//! statements in order, `repl` and `cli` talk. Each room uses only rooms above it in the list of modules below.
//!
//! What is absent on purpose; `tests/architecture.rs` fails when one of these sentences is no longer true:
//!
//! - Files, streams, the environment: only `repl` and `cli` touch them, and [`world::Disk`], through which a session reads and
//!   writes. The writers in `report` make bytes.
//! - Clocks: `timing`, `codegen` and `integrate` measure how long something took in order to say it. Nothing is decided by the
//!   time, except that `cli` calls it when a statement takes longer than the user wants to wait. Work is counted ([`budget`]).
//! - `f64` in `algebra`, `geometry` and `mechanics`: derivations are exact.
//! - ariadne outside `diagnostic::render`, Cranelift outside `codegen`, `unsafe` outside two files there and the allocator of `cli`.
//! - Facts, conditions, grounds and budgets in globals: they are passed down as an [`algebra::Inquiry`]. What a thread keeps is
//!   a store (equal expressions are one) or a memory of values that depend on nothing else; the test lists each with its reason.
//! - Printed orders from hash maps, and random seeds: the same input gives the same output, byte for byte.

// An expression is a handle to an immutable node, so it is a sound key; index letters are those of the
// formula that is transcribed.
#![allow(clippy::mutable_key_type, clippy::needless_range_loop, clippy::type_complexity)]

pub mod source;

pub mod memory;

pub mod budget;
pub mod timing;
pub mod world;

pub mod diagnostic;

pub mod algebra;
pub mod syntax;

pub mod geometry;
pub mod mechanics;

pub mod codegen;
pub mod integrate;

pub mod report;

pub mod motion;

pub mod model;
pub mod questions;

pub mod session;

pub mod repl;

pub mod cli;
