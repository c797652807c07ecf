//! How much memory is in use, and the bound on it.
//!
//! The bound (`--memory`) is on what was asked of the allocator and not given back yet: expressions, polynomials, lists,
//! recorded series, everything. It is counted and not measured, each piece as large as a common allocator makes it, so the same
//! program stops at the same place on every machine of the same word size, however much memory that has. [`crate::budget`]
//! looks at it wherever it looks for Ctrl-C; what was stopped says so like any other budget.
//!
//! The allocator of the program counts ([`crate::cli::Counted`]). A program that uses this crate with another one has no bound.

use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// The bound if nothing else is said.
pub const DEFAULT: u64 = 2 << 30;

static IN_USE: AtomicIsize = AtomicIsize::new(0);
static BOUND: AtomicIsize = AtomicIsize::new(isize::MAX);
/// What the statement under way may bring it to.
static END: AtomicIsize = AtomicIsize::new(isize::MAX);

/// A thread tells the others when its own count has changed by so much.
const TELL: isize = 1 << 18;

thread_local! {
    /// What this thread has not told yet. Neither made nor dropped: the allocator may ask at any time.
    static UNTOLD: Cell<isize> = const { Cell::new(0) };
}

/// Sets the bound, in bytes.
pub fn set_bound(bytes: u64) {
    BOUND.store(isize::try_from(bytes).unwrap_or(isize::MAX), Ordering::Relaxed);
    begin_statement();
}

/// Nodes of expressions are never given back. So that something can be asked after a statement that was stopped, a statement may
/// use seven eighths of the bound, and one that begins there a sixty-fourth more, up to the bound.
pub fn begin_statement() {
    let (in_use, bound) = (IN_USE.load(Ordering::Relaxed), BOUND.load(Ordering::Relaxed));
    let end = in_use.saturating_add(bound / 64).clamp(bound - bound / 8, bound);
    END.store(end, Ordering::Relaxed);
}

/// Whether more is in use than may be.
pub fn is_over() -> bool {
    IN_USE.load(Ordering::Relaxed) > END.load(Ordering::Relaxed)
}

/// Whether so much more may be in use.
pub fn has_room(bytes: u64) -> bool {
    let wanted = isize::try_from(bytes).unwrap_or(isize::MAX);
    IN_USE.load(Ordering::Relaxed).saturating_add(wanted) <= END.load(Ordering::Relaxed)
}

/// Counts what was taken, or given back if it is negative. It stands in the way of every piece of memory, so it is a few
/// instructions in every build.
#[inline(always)]
pub fn count(bytes: isize) {
    let counted = UNTOLD.try_with(|untold| {
        let sum = untold.get().wrapping_add(bytes);
        if -TELL < sum && sum < TELL {
            untold.set(sum);
        } else {
            untold.set(0);
            tell(sum);
        }
    });
    // After its thread has ended a count goes to the others at once.
    if counted.is_err() {
        tell(bytes);
    }
}

#[cold]
fn tell(bytes: isize) {
    IN_USE.fetch_add(bytes, Ordering::Relaxed);
}

/// What a piece of so many bytes takes with its header, in steps of 16 bytes.
#[inline(always)]
pub fn taken(size: usize) -> isize {
    // No piece is larger than half of what can be addressed, so nothing wraps.
    let whole = size.wrapping_add(8 + 15) & !15;
    if whole < 32 { 32 } else { whole as isize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_takes_its_size_and_a_header() {
        assert_eq!([0, 1, 24, 25, 1000].map(taken), [32, 32, 32, 48, 1008]);
    }
}
