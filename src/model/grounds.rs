//! What an answer rests on without a proof. A declaration whose promise holds as far as sampling tells is accepted
//! and marked; everything that is built on it repeats the mark, through the ledger of its inquiry.

pub use crate::algebra::inquiry::Sampled;

use crate::diagnostic::{Diagnostic, Severity, codes};

/// The mark, repeated.
pub fn remark(sampled: &Sampled) -> Diagnostic {
    let Sampled { name, ground, span } = sampled;
    let title = if name.is_empty() {
        format!("this holds as far as sampling tells ({ground})")
    } else {
        format!("this rests on `{name}`, which holds as far as sampling tells ({ground})")
    };
    Diagnostic::new(Severity::Note, &codes::SAMPLED, title).label(*span, "not proved")
}
