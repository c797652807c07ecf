//! From expressions to machine code.
//!
//! A derivation ends with exact expressions: accelerations, multipliers, energies. A run needs their
//! values millions of times. Between the two stands one value, the [`Kernel`](ir::Kernel): straight-line
//! real arithmetic with named inputs and outputs. Everything in this folder makes, rewrites, or executes
//! kernels:
//!
//! ```text
//! expressions ──lower──▶ Kernel ──optimise──▶ Kernel ──jit──▶ CompiledKernel
//!                          │                    └──interpret──▶ the same bits, slowly
//!                          ├──jet──▶ Taylor recurrences, compiled or interpreted ──wide──▶ C for the compiler of the system
//!                          ├──jacobian──▶ Kernel of slopes
//!                          └──emit─▶ C, Rust, Python, CLIF
//! ```
//!
//! **One meaning, two executors.** The reference interpreter ([`interpret`]) and the Cranelift back end
//! ([`jit`]) execute the same final kernel and agree bit for bit; random kernels test it. Rewrites that
//! change rounding (contraction, shared reciprocals) happen before, in [`optimise`], kernel to kernel.
//!
//! **Fast code may decline.** The final kernel contains guards: a pivot that became small, an angle
//! beyond 10⁹. When a guard fails the call is repeated by the interpreter on the *careful* kernel, the one
//! before optimisation, with partial pivoting and libm. So the compiled code has no branches and no cold
//! paths, and still every input gets a right answer or a [`Failure`](interpret::Failure) that names the
//! operation which has none.
//!
//! **Memory.** Kernels read up to four banks (time, state, parameters, extra) and write one array.
//! Parameters are inputs, so another parameter value never means another compilation. Outputs are stored
//! where they are defined; hence outputs never alias inputs, which Rust's borrows already promise.
//!
//! **Unsafe code** is in [`machine`] (calling into and freeing code memory), [`simd`] (instructions that
//! need a runtime check) and [`library`] (code that another compiler made), nowhere else in the crate.

// Comparisons are written so that NaN fails them; index letters are those of the formulas.
#![allow(clippy::neg_cmp_op_on_partial_ord, clippy::needless_range_loop)]

pub mod compiled;
pub mod emit;
pub mod flatten;
pub mod function;
pub mod interpret;
pub mod ir;
pub mod jacobian;
pub mod jet;
pub mod jet_compiled;
#[cfg(feature = "jit")]
pub mod jet_groups;
pub mod jet_interpret;
#[cfg(feature = "jit")]
pub mod jet_jit;
#[cfg(feature = "jit")]
pub mod jet_pair_steps;
#[cfg(feature = "jit")]
pub mod jet_pairs;
pub mod jet_rules;
#[cfg(feature = "jit")]
pub mod jet_steps;
#[cfg(feature = "jit")]
pub mod jit;
pub mod libm;
pub mod library;
pub mod linear;
pub mod lower;
#[cfg(feature = "jit")]
pub mod machine;
pub mod modes;
pub mod optimise;
pub mod products;
#[cfg(feature = "jit")]
pub mod schedule;
pub mod sign;
pub mod simd;
pub mod sparsity;
pub mod table;
pub mod wide;
