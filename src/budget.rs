//! Budgets and interruption. Every loop that can be long asks its [`Budget`]; it says no when the user pressed Ctrl-C,
//! when whoever runs the program called time, or when the computation has done the work that it may do. "Exhausted" is an
//! outcome of its own and never a wrong answer.
//!
//! Below the command line there is no clock. *Work* is counted: terms that are combined, nodes that are made, with the
//! inner loops of the algebra as the unit. So the same question has the same answer on every machine. A part of a
//! computation that may be left out gets a share of the work ([`Budget::within`]); the shares are [`share`]'s.

pub mod share;

pub use share::Share;

use crate::memory;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a computation was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// Ctrl-C.
    Interrupted,
    /// The limit of time that the command line was given.
    Time,
    /// The work that a computation may cost; see [`Budget::within`].
    Work,
    Nodes,
    /// The memory of the process; see [`crate::memory`].
    Memory,
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
            Exhausted::Memory => "the memory budget is used up",
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

/// What the keyboard and the clock say, and which statement is under way, in one number: so a stop that was meant for one
/// statement never meets the next. The lowest bits are the flags below, the others count statements.
static STOP: AtomicU64 = AtomicU64::new(0);
/// Ctrl-C was pressed.
const INTERRUPTED: u64 = 1;
/// Time was called.
const TIME: u64 = 2;
/// A statement is being carried out.
const UNDER_WAY: u64 = 4;
/// It is a run or a test, which may take as long as it takes.
const LONG: u64 = 8;
/// Ctrl-C was pressed during this statement, and is being dealt with.
const HEARD: u64 = 16;
const ONE_STATEMENT: u64 = 32;

/// Called by the Ctrl-C handler.
pub fn interrupt() {
    STOP.fetch_or(INTERRUPTED, Ordering::Relaxed);
}

/// Called by whoever looks at the clock: this statement has taken too long. Nothing happens if it has ended meanwhile.
pub fn call_time(statement: StatementNumber) {
    let same = |now: u64| (now & UNDER_WAY != 0 && now / ONE_STATEMENT == statement.0).then_some(now | TIME);
    let _ = STOP.fetch_update(Ordering::Relaxed, Ordering::Relaxed, same);
}

/// Forgets a stop; called when a new text is read, and by who puts together what is known. Says whether it was an interrupt.
pub fn clear_interrupt() -> bool {
    let forget = |now: u64| {
        let heard = if now & INTERRUPTED != 0 && now & UNDER_WAY != 0 { HEARD } else { 0 };
        Some((now & !(INTERRUPTED | TIME)) | heard)
    };
    let before = STOP.fetch_update(Ordering::Relaxed, Ordering::Relaxed, forget);
    before.is_ok_and(|before| before & INTERRUPTED != 0)
}

/// Whether Ctrl-C was pressed in the statement that is under way, or the one before if none is: what is known is wanted at
/// once, as it stands.
pub fn somebody_waits() -> bool {
    STOP.load(Ordering::Relaxed) & (INTERRUPTED | HEARD) != 0
}

/// What it may cost to put together what is known after a limit was reached.
pub fn grace_share() -> Share {
    if somebody_waits() { share::MOMENT } else { share::GRACE }
}

pub fn is_interrupted() -> bool {
    STOP.load(Ordering::Relaxed) & INTERRUPTED != 0
}

fn stopped_from_outside() -> Option<Exhausted> {
    match STOP.load(Ordering::Relaxed) & (INTERRUPTED | TIME) {
        0 => memory::is_over().then_some(Exhausted::Memory),
        TIME => Some(Exhausted::Time),
        _ => Some(Exhausted::Interrupted),
    }
}

/// One of the statements that were carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatementNumber(u64);

/// How long a statement may be expected to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    Question,
    /// A run, a sweep or a test: its length is the user's choice.
    Run,
}

/// A statement is being carried out as long as this lives, also when a panic ends it.
#[must_use]
pub struct UnderWay(());

/// Begins a statement. A call of time for the one before is forgotten, Ctrl-C is not.
pub fn begin(pace: Pace) -> UnderWay {
    let flags = if pace == Pace::Run { UNDER_WAY | LONG } else { UNDER_WAY };
    let next = |now: u64| Some(((now / ONE_STATEMENT + 1) * ONE_STATEMENT) | flags | (now & INTERRUPTED));
    let _ = STOP.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    memory::begin_statement();
    UnderWay(())
}

/// Goes on with a statement inside the one that is under way, as a test has several: the clock begins anew.
pub fn go_on(pace: Pace) {
    let flags = if pace == Pace::Run { UNDER_WAY | LONG } else { UNDER_WAY };
    let next = |now: u64| {
        (now & UNDER_WAY != 0).then_some(((now / ONE_STATEMENT + 1) * ONE_STATEMENT) | flags | (now & INTERRUPTED))
    };
    let _ = STOP.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    memory::begin_statement();
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        STOP.fetch_and(!(UNDER_WAY | LONG | TIME), Ordering::Relaxed);
    }
}

/// The statement that is being carried out, for whoever looks at the clock.
pub fn under_way() -> Option<(StatementNumber, Pace)> {
    let now = STOP.load(Ordering::Relaxed);
    let pace = if now & LONG != 0 { Pace::Run } else { Pace::Question };
    (now & UNDER_WAY != 0).then_some((StatementNumber(now / ONE_STATEMENT), pace))
}

/// The work that a computation has done and may do. One for each question; passed down, never kept.
#[derive(Debug)]
pub struct Budget {
    work: Cell<u64>,
    end: Cell<u64>,
    /// While what is known is put together, neither the keyboard nor the clock is asked.
    deaf: Cell<bool>,
    /// How many times the named shares a part may cost (`--effort`).
    effort: u64,
}

/// What one turn of a loop that asks [`Budget::check`] costs, in terms combined.
const WORK_OF_A_TURN: u64 = 4;

impl Budget {
    pub fn new(limit: Share) -> Budget {
        Budget { work: Cell::new(0), end: Cell::new(limit.work()), deaf: Cell::new(false), effort: 1 }
    }

    /// The same with so many times the work, as a whole and for each share.
    pub fn with_effort(self, effort: u64) -> Budget {
        let end = Cell::new(self.end.get().saturating_mul(effort));
        Budget { end, effort, ..self }
    }

    /// Without a limit: whatever small thing is to be finished.
    pub fn unlimited() -> Budget {
        Budget::new(share::UNBOUNDED)
    }

    /// Cheap enough for inner loops.
    pub fn check(&self) -> Budgeted<()> {
        self.listen()?;
        self.spend(WORK_OF_A_TURN)
    }

    /// Whether somebody called a stop; counts nothing. For steps whose work is counted as a whole and that may be long.
    pub fn listen(&self) -> Budgeted<()> {
        match stopped_from_outside().filter(|_| !self.deaf.get()) {
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }

    /// Refuses what would take more memory than there is, before it is made: what grows with a square is larger than the bound in
    /// one step, between two looks at it.
    pub fn room_for(&self, bytes: u64) -> Budgeted<()> {
        if memory::has_room(bytes) { Ok(()) } else { Err(Exhausted::Memory) }
    }

    /// Counts work that was done or is about to be done: terms combined.
    pub fn spend(&self, terms: u64) -> Budgeted<()> {
        let done = self.work.get().saturating_add(terms);
        self.work.set(done);
        if done > self.end.get() { Err(Exhausted::Work) } else { Ok(()) }
    }

    /// The work that was counted so far.
    pub fn work_done(&self) -> u64 {
        self.work.get()
    }

    /// Half of the work that is left.
    pub fn half(&self) -> Share {
        Share::rest(self.end.get().saturating_sub(self.work.get()) / 2 / self.effort)
    }

    /// Begins a share that several tasks have in common.
    pub fn common(&self, share: Share) -> Common {
        let end = self.work.get().saturating_add(share.work().saturating_mul(self.effort));
        Common { end: end.min(self.end.get()) }
    }

    /// What the tasks before have left of it.
    pub fn left_of(&self, common: &Common) -> Share {
        Share::rest(common.end.saturating_sub(self.work.get()) / self.effort)
    }

    /// What was spent since [`Budget::work_done`] was so much.
    pub fn spent_since(&self, begin: u64) -> Share {
        Share::rest(self.work.get().saturating_sub(begin) / self.effort)
    }

    /// Runs `task` with at most so much work, inside whatever limit already holds.
    pub fn within<T>(&self, limit: Share, task: impl FnOnce() -> T) -> T {
        let limit = limit.work().saturating_mul(self.effort);
        let end = self.end.get().min(self.work.get().saturating_add(limit));
        let _outer = Limits::set(self, end, self.deaf.get());
        task()
    }

    /// What a side question finds with its own share of work; `None` if that, and not the budget of the whole, was too small.
    pub fn aside<T>(&self, limit: Share, task: impl FnOnce() -> Budgeted<T>) -> Budgeted<Option<T>> {
        match self.within(limit, task) {
            Ok(found) => Ok(Some(found)),
            Err(Exhausted::Interrupted) => Err(Exhausted::Interrupted),
            Err(why) if self.is_over() => Err(why),
            Err(_) => Ok(None),
        }
    }

    /// Whether the limit that holds now is over, or somebody called a stop.
    pub fn is_over(&self) -> bool {
        self.work.get() > self.end.get() || (!self.deaf.get() && stopped_from_outside().is_some())
    }

    /// Whether anything may still be spent.
    pub fn has_work_left(&self) -> bool {
        self.work.get() < self.end.get()
    }

    /// Why a computation that is over was stopped: from outside, or because its work is done.
    pub fn why(&self) -> Exhausted {
        stopped_from_outside().filter(|_| !self.deaf.get()).unwrap_or(Exhausted::Work)
    }

    /// Runs `task`, which puts together what is known after a limit was reached, with a little work of its own.
    pub fn grace<T>(&self, task: impl FnOnce() -> T) -> T {
        let _outer = Limits::set(self, self.work.get().saturating_add(grace_share().work()), true);
        task()
    }
}

/// A share that several tasks have in common; see [`Budget::common`].
#[derive(Clone, Copy, Debug)]
pub struct Common {
    end: u64,
}

/// The limits that held before; they hold again when this is dropped, also when a panic passes by.
struct Limits<'b> {
    budget: &'b Budget,
    end: u64,
    deaf: bool,
}

impl Limits<'_> {
    fn set(budget: &Budget, end: u64, deaf: bool) -> Limits<'_> {
        Limits { budget, end: budget.end.replace(end), deaf: budget.deaf.replace(deaf) }
    }
}

impl Drop for Limits<'_> {
    fn drop(&mut self) {
        self.budget.end.set(self.end);
        self.budget.deaf.set(self.deaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_ends_with_its_task_and_never_exceeds_the_whole() {
        let budget = Budget::new(Share::of(100));
        assert_eq!(budget.within(Share::of(10), || budget.spend(11)), Err(Exhausted::Work));
        assert_eq!(budget.spend(80), Ok(()));
        assert_eq!(budget.within(Share::of(50), || budget.spend(10)), Err(Exhausted::Work));
        assert!(budget.is_over());
        assert_eq!(budget.grace(|| budget.spend(10)), Ok(()));
        assert!(budget.is_over());
    }

    #[test]
    fn more_effort_raises_the_whole_and_each_share() {
        let budget = Budget::new(Share::of(100)).with_effort(3);
        assert_eq!(budget.within(Share::of(10), || budget.spend(30)), Ok(()));
        assert_eq!(budget.within(Share::of(10), || budget.spend(31)), Err(Exhausted::Work));
        assert_eq!((budget.spend(239), budget.spend(1)), (Ok(()), Err(Exhausted::Work)));
    }
}
