//! Exact algebra: numbers, expressions and their derivatives, polynomials, zero tests.
//!
//! An [`Expr`] is a handle to a node of one hash-consed graph per thread. Equal expressions are the
//! same node; sums and products are n-ary and collect like terms, but a sum used inside a sum stays
//! one node, so what was shared stays shared. Nothing is expanded on the way from a Lagrangian to
//! compiled code. Normal forms are computed when a question needs one.
//!
//! The field is the real numbers throughout: x^(1/2) asks for x ≥ 0, √(x²) is |x|. Building an
//! expression loses nothing of its domain and depends on nothing around: x²/x stays what it is. Cancelling is what
//! [`normal::simplify`] does, under the facts of its [`Inquiry`], and it is *recorded*: see [`conditions`].

pub mod antiderivative;
pub mod assume;
pub mod ball;
pub mod conditions;
pub mod decide;
pub mod derive;
pub mod expr;
pub mod factor;
pub mod function;
pub mod generator;
pub mod ideal;
pub mod inquiry;
pub mod linear;
pub mod normal;
pub mod number;
pub mod number_field;
pub mod polynomial;
pub mod print;
pub mod roots;
pub mod solve;
pub mod stratum;
pub mod substitute;
pub mod symbol;
#[cfg(test)]
pub(crate) mod testing;
pub mod verdict;

pub use expr::{Expr, Node, Undefined};
pub use inquiry::Inquiry;
pub use number::{Integer, Rational};
pub use symbol::{Coordinate, Function, Symbol, SymbolKind};
pub use verdict::{Ground, Verdict};
