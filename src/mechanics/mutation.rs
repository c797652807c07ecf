//! A sign that a test turns inside one derivation of the motion, so that it can be seen whether the others notice. Each formalism of
//! `crosscheck` has one such place, in the middle of what it derives by itself.

use crate::algebra::Expr;
use std::cell::Cell;

thread_local! {
    static TURNED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Turns the sign in the derivation of this name while `work` is done.
pub fn while_turned<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    TURNED.set(Some(name));
    let found = work();
    TURNED.set(None);
    found
}

/// −e in the derivation whose sign is turned.
pub fn turned(name: &'static str, e: Expr) -> Expr {
    if TURNED.get() == Some(name) { -e } else { e }
}
