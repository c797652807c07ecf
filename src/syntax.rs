//! From text to tree.
//!
//! ```text
//! text ──scan──▶ words and signs ──layout──▶ tokens ──grammar──▶ Ast ──format──▶ text
//!        token.rs                  lexer.rs           grammar/lepage.lalrpop     format.rs
//! ```
//!
//! [`lexer`] answers what depends on lines and places: which line ends count, which words are keywords
//! here, whether brackets match. The LALRPOP grammar answers what depends on structure, with
//! [`build`] as its hands. The [`ast`] that comes out proves that the text has a shape and nothing
//! about meaning: names are texts, primes are counted, and a million terms are one node.
//!
//! Reading never fails: [`parse`](parse::parse) returns what it could read and all [problems](problem), each
//! at the shortest piece of text that is at fault, one per mistake. [`name`] knows that `θ̈` is `θ''`.

pub mod ast;
pub mod build;
pub mod disguise;
pub mod expected;
mod foreign;
pub mod format;
pub mod lexer;
pub mod name;
#[cfg(any(test, feature = "lsp"))]
pub mod occurrence;
pub mod parse;
pub mod problem;
#[cfg(test)]
mod shapes;
mod tex;
pub mod token;
pub mod usage;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, unused_imports, unused_parens)]
    grammar,
    "/lepage.rs"
);
