//! Lepage: a language, compiler and REPL for geometric mechanics.
//!
//! A mechanician writes the first page of a paper in a `.mech` file, and asks. The modules below are
//! the pipeline, in reading order; data flows one way and every arrow is a function from a value to
//! a value.
//!
//! ```text
//! source → tokens → AST → typed model → geometry objects → equations → IR → machine code → trajectory → report
//! syntax/token      ast    model/        geometry/          mechanics/   codegen/   jit     integrate/    report/
//! ```
//!
//! What is absent on purpose:
//!
//! - `syntax` to `codegen` do no input or output; only `cli`, `repl` and the writers in `report` do.
//! - There is no `f64` above `codegen`: derivations are exact.
//! - ariadne is known to `diagnostic::render` only, Cranelift and `unsafe` to files of `codegen` only.
//! - No printed order comes from a hash map, and sampled zero tests use fixed seeds: the same input
//!   gives the same output, byte for byte.

// An expression is a handle to an immutable node, so it is a sound key; index letters are those of the
// formula that is transcribed.
#![allow(clippy::mutable_key_type, clippy::needless_range_loop, clippy::type_complexity)]

pub mod budget;
pub mod diagnostic;
pub mod source;
pub mod timing;

pub mod syntax;

pub mod algebra;
pub mod geometry;
pub mod mechanics;

pub mod model;
pub mod questions;

pub mod codegen;
pub mod integrate;

pub mod report;
pub mod session;

pub mod cli;
pub mod repl;
