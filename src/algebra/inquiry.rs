//! What a computation is given besides its arguments: the [`Facts`] that hold, the [`Budget`] it may use, and a ledger
//! in which it writes under which conditions its result holds and on what it rests.
//!
//! ```text
//! value = f(cx, arguments)          cx = facts, budget, ledger
//! ```
//!
//! An answer is a function of its question: nothing of this is kept anywhere between two questions. What is remembered for
//! speed is remembered with the facts under which it was found ([`Facts`]), and the conditions with it.
//!
//! [`Inquiry::assuming`] is the same inquiry where more is known, [`Inquiry::collect`] one whose conditions are handed to
//! the caller instead of those around.

use super::assume::{Facts, Sign};
use super::conditions::Recorded;
use super::expr::{Condition, Expr};
use super::polynomial::Polynomial;
use super::verdict::Ground;
use crate::budget::{Budget, Budgeted};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// See the [module](self).
#[derive(Clone)]
pub struct Inquiry {
    facts: Facts,
    budget: Rc<Budget>,
    ledger: Rc<RefCell<Ledger>>,
    /// What is shown is shown as it stands.
    as_written: bool,
}

/// What a computation has to say beside its result.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) recorded: Recorded,
    pub(super) sampled: Vec<Sampled>,
    /// The divisors among what is recorded: there may be as many as pairs of arguments of `min`.
    divisors: FxHashSet<Expr>,
}

/// A name that was used, and the ground on which its promise holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// Empty for the answer itself.
    pub name: String,
    pub ground: Rc<str>,
    pub span: Span,
}

impl Inquiry {
    pub fn new(facts: Facts, budget: Budget) -> Inquiry {
        Inquiry { facts, budget: Rc::new(budget), ledger: Rc::default(), as_written: false }
    }

    /// Without facts and without a limit: for small things that are to be finished.
    pub fn free() -> Inquiry {
        Inquiry::new(Facts::default(), Budget::unlimited())
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The same for showing expressions as they stand: what was multiplied out is not factored again.
    pub fn as_written(&self) -> Inquiry {
        Inquiry { as_written: true, ..self.clone() }
    }

    pub fn is_as_written(&self) -> bool {
        self.as_written
    }

    /// The same inquiry under other facts.
    pub fn under(&self, facts: Facts) -> Inquiry {
        Inquiry { facts, ..self.clone() }
    }

    /// The same inquiry where the conditions hold as well; `None` if they contradict what is known.
    pub fn assuming(&self, facts: impl IntoIterator<Item = (Expr, Sign)>) -> Option<Inquiry> {
        let (facts, possible) = self.facts.and(facts);
        possible.then(|| self.under(facts))
    }

    /// The same where the conditions hold, whether or not they can.
    pub fn where_hold(&self, conditions: &[Condition]) -> Inquiry {
        self.under(self.facts.and(conditions.iter().map(|c| (c.left, c.sign()))).0)
    }

    /// Runs `work` and returns what it recorded, apart from what was recorded before.
    pub fn collect<T>(&self, work: impl FnOnce(&Inquiry) -> T) -> (T, Recorded) {
        let inner = self.apart();
        let result = work(&inner);
        let ledger = inner.ledger.take();
        ledger.sampled.into_iter().for_each(|s| self.rests_on(s));
        (result, ledger.recorded)
    }

    /// The same inquiry with an empty ledger of its own.
    pub fn apart(&self) -> Inquiry {
        Inquiry { ledger: Rc::default(), ..self.clone() }
    }

    pub(super) fn record<T>(&self, write: impl FnOnce(&mut Recorded) -> T) -> T {
        write(&mut self.ledger.borrow_mut().recorded)
    }

    /// What was recorded up to now that roots and logarithms needed which were undone.
    pub fn recorded_domain(&self) -> Vec<Condition> {
        self.ledger.borrow().recorded.real.clone()
    }

    /// Notes a divisor, once.
    pub(super) fn record_divisor(&self, e: Expr) {
        let ledger = &mut *self.ledger.borrow_mut();
        if ledger.divisors.insert(e) || !ledger.recorded.nonzero.contains(&e) {
            ledger.recorded.nonzero.push(e);
        }
    }

    /// Notes that a marked name was used.
    pub fn rests_on(&self, sampled: Sampled) {
        let known = &mut self.ledger.borrow_mut().sampled;
        if known.iter().all(|s| s.name != sampled.name) {
            known.push(sampled);
        }
    }

    /// Notes that an answer itself rests on a ground, if that is not a proof.
    pub fn answer_rests_on(&self, ground: &Ground, span: Span) {
        if !ground.is_proved() {
            self.rests_on(Sampled { name: String::new(), ground: ground.to_string().into(), span });
        }
    }

    /// The marked names that were used so far.
    pub fn sampled(&self) -> Vec<Sampled> {
        self.ledger.borrow().sampled.clone()
    }

    /// What was recorded so far.
    pub fn recorded(&self) -> Recorded {
        self.ledger.borrow().recorded.clone()
    }
}

impl Inquiry {
    /// Called when an inquiry has used up its work: what was remembered until then would carry whoever asks the same again further
    /// than the first time.
    pub fn forget(&self) {
        self.facts.forget();
        super::derive::forget();
    }
}

/// Whoever may assume something may also spend something.
impl Deref for Inquiry {
    type Target = Budget;

    fn deref(&self) -> &Budget {
        &self.budget
    }
}

/// What was found of polynomials, each with the work that it took. Who asks again spends that work as well, and so a
/// budget ends at the same place whatever was asked before.
pub(super) struct Repeated<T>(RefCell<FxHashMap<Polynomial, (T, u64)>>);

/// Longer polynomials are seldom met twice.
const MAX_REPEATED_TERMS: usize = 100;
/// After so many all are forgotten.
const MAX_REPEATED: usize = 4096;

impl<T> Default for Repeated<T> {
    fn default() -> Repeated<T> {
        Repeated(RefCell::default())
    }
}

impl<T: Clone> Repeated<T> {
    /// What was found before, or is found now and kept if it is worth `keeping`.
    pub(super) fn get(
        &self,
        cx: &Inquiry,
        p: &Polynomial,
        keeping: impl FnOnce(&T) -> bool,
        find: impl FnOnce() -> Budgeted<T>,
    ) -> Budgeted<T> {
        if let Some((found, work)) = self.0.borrow().get(p) {
            cx.spend(*work)?;
            return Ok(found.clone());
        }
        let begin = cx.work_done();
        let found = find()?;
        if p.n_terms() <= MAX_REPEATED_TERMS && keeping(&found) {
            let mut known = self.0.borrow_mut();
            if known.len() >= MAX_REPEATED {
                known.clear();
            }
            known.insert(p.clone(), (found.clone(), cx.work_done() - begin));
        }
        Ok(found)
    }
}

/// Something that is found once for each set of facts, with the conditions under which it holds: whoever asks again gets both.
pub struct Remembered<T>(RefCell<Vec<(Facts, T, Recorded)>>);

impl<T> Default for Remembered<T> {
    fn default() -> Remembered<T> {
        Remembered(RefCell::default())
    }
}

impl<T: Clone> Remembered<T> {
    /// What was found under these facts before, or is found now and kept if it is worth `keeping`: what was stopped may be
    /// tried again, and so may what was found where no work is left, since it may say less than is known with more.
    pub fn get(&self, cx: &Inquiry, keeping: impl FnOnce(&T) -> bool, find: impl FnOnce(&Inquiry) -> T) -> T {
        if let Some((_, found, recorded)) = self.0.borrow().iter().find(|(facts, ..)| facts.id() == cx.facts().id()) {
            super::conditions::record_all(cx, recorded);
            return found.clone();
        }
        let (found, recorded) = cx.collect(find);
        super::conditions::record_all(cx, &recorded);
        if cx.has_work_left() && keeping(&found) {
            self.0.borrow_mut().push((cx.facts().clone(), found.clone(), recorded));
        }
        found
    }
}
