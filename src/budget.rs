//! Budgets and interruption. Every loop that can be long asks [`check`]; it says no when the user
//! pressed Ctrl-C, when the time of the current question is over, or when a question has made more
//! nodes or bits than it may. "Exhausted" is an outcome of its own and never a wrong answer.
//!
//! Time differs from machine to machine and from run to run. Where a part of an answer may be left out because it would
//! take too long, *work* is counted instead ([`within_work`]): terms that are combined, with the inner loops of the
//! algebra as the unit. Then the same question has the same answer everywhere.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a computation was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// Ctrl-C.
    Interrupted,
    Time,
    /// The work that a part of a computation may cost; see [`within_work`].
    Work,
    Nodes,
    /// A number would have more bits than [`MAX_BITS`].
    Bits,
    /// A polynomial, basis or case distinction outgrew its limit.
    Size,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Interrupted => "interrupted",
            Exhausted::Time => "the time budget is used up",
            Exhausted::Work => "it would take too many steps",
            Exhausted::Nodes => "the budget of expression nodes is used up",
            Exhausted::Bits => "a number would have more than 2^20 bits",
            Exhausted::Size => "an intermediate result outgrew its limit",
        })
    }
}

/// The result of anything that may be stopped.
pub type Budgeted<T> = Result<T, Exhausted>;

/// No number has more bits than this.
pub const MAX_BITS: usize = 1 << 20;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    static TICKS: Cell<u32> = const { Cell::new(0) };
    static WORK: Cell<u64> = const { Cell::new(0) };
    static WORK_END: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// What one turn of a loop that asks [`check`] costs, in terms combined.
const WORK_OF_A_TURN: u64 = 4;

/// Called by the Ctrl-C handler.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Forgets an interrupt; called when a new statement begins. Says whether there was one.
pub fn clear_interrupt() -> bool {
    INTERRUPTED.swap(false, Ordering::Relaxed)
}

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Cheap enough for inner loops: looks at the clock every 32nd call.
pub fn check() -> Budgeted<()> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Err(Exhausted::Interrupted);
    }
    spend(WORK_OF_A_TURN)?;
    TICKS.with(|ticks| {
        let n = ticks.get().wrapping_add(1);
        ticks.set(n);
        if n.is_multiple_of(32) && DEADLINE.get().is_some_and(|end| Instant::now() >= end) {
            return Err(Exhausted::Time);
        }
        Ok(())
    })
}

/// The same for steps that take long each: looks at the clock every time.
pub fn check_clock() -> Budgeted<()> {
    check()?;
    if is_over() { Err(Exhausted::Time) } else { Ok(()) }
}

/// Counts work that was done or is about to be done: terms combined.
pub fn spend(terms: u64) -> Budgeted<()> {
    let done = WORK.get().saturating_add(terms);
    WORK.set(done);
    if done > WORK_END.get() { Err(Exhausted::Work) } else { Ok(()) }
}

/// The work that was counted since the thread began.
pub fn work_done() -> u64 {
    WORK.get()
}

/// Runs `task` with at most so much work, inside whatever limit already holds. A time of many times what such work takes
/// is the limit for what is not counted well.
pub fn within_work<T>(limit: u64, task: impl FnOnce() -> T) -> T {
    let outer = WORK_END.get();
    WORK_END.set(outer.min(WORK.get().saturating_add(limit)));
    let result = within(Duration::from_secs((limit / SLOWEST).clamp(2, 8)), task);
    WORK_END.set(outer);
    result
}

/// So much work is done in a second on any machine.
const SLOWEST: u64 = 400_000;

/// Runs `work` with at most `limit` of wall time, inside whatever limit already holds.
pub fn within<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let outer = DEADLINE.get();
    let end = Instant::now() + limit;
    DEADLINE.set(Some(outer.map_or(end, |o| o.min(end))));
    let result = work();
    DEADLINE.set(outer);
    result
}

/// How much time is left; `None` without a limit.
pub fn remaining() -> Option<Duration> {
    DEADLINE.get().map(|end| end.saturating_duration_since(Instant::now()))
}

/// Whether the limit that holds now is over.
pub fn is_over() -> bool {
    WORK.get() > WORK_END.get() || DEADLINE.get().is_some_and(|end| Instant::now() >= end)
}

/// Runs `work`, which puts together what is known after a limit was reached, with so much time of its own.
pub fn grace<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let outer = (DEADLINE.replace(Some(Instant::now() + limit)), WORK_END.replace(u64::MAX));
    let result = work();
    DEADLINE.set(outer.0);
    WORK_END.set(outer.1);
    result
}
