//! The compiled vector field of a system as text of another language.

use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::Fallible;
use crate::session::interpreter::Interpreter;

/// The vector field of `system` in `c`, `rust`, `python`, `latex` or `clif`.
pub fn emit(_: &Interpreter, system: &str, language: &str) -> Fallible<String> {
    Err(Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, format!("`{system}` cannot be written as {language} yet"))))
}
