//! Side conditions. Cancelling x/x is right where x ≠ 0; whoever cancels records that here, and the
//! statement that is being answered collects it. A condition travels with its answer: it can be
//! shown, and evaluating the answer at a point where it fails is refused.

use super::expr::Expr;
use std::cell::RefCell;

thread_local! {
    static NONZERO: RefCell<Vec<Expr>> = const { RefCell::new(Vec::new()) };
}

/// Records that the computation under way is valid where `e` ≠ 0.
pub fn record_nonzero(e: Expr) {
    if e.is_number() {
        return;
    }
    NONZERO.with_borrow_mut(|list| {
        if !list.contains(&e) {
            list.push(e);
        }
    });
}

/// Runs `work` and returns what it recorded, in order, apart from what was recorded before.
pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Vec<Expr>) {
    let outer = NONZERO.take();
    let result = work();
    (result, NONZERO.replace(outer))
}
