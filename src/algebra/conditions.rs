//! Side conditions. Cancelling x/x is right where x ≠ 0; whoever cancels records that here, and the
//! statement that is being answered collects it. A condition travels with its answer: it can be
//! shown, and evaluating the answer at a point where it fails is refused.
//!
//! There are three kinds, see [`Recorded`]: divisors, the domains of roots and logarithms that were undone, and
//! inequalities that are [stated](state) by whoever chose a branch: r = log x is an inverse of x = eʳ where x > 0,
//! whatever becomes of the logarithm. √x·√x is x, but only where x ≥ 0: what an expression needs to be real is
//! its [`domain`]; a rewriting that loses some of it says so with [`lost`].

pub mod inequality;

use super::assume::sign_of;
use super::decide;
use super::expr::{Condition, Expr, Node, Relation, post_order};
use std::cell::RefCell;

/// What a computation recorded, each kind in order and without repetition.
#[derive(Clone, Default, Debug)]
pub struct Recorded {
    /// Divisors: the result is valid where none of them vanishes.
    pub nonzero: Vec<Expr>,
    /// What roots and logarithms needed that were undone on the way. It is said of an expression that somebody wrote;
    /// inside a derivation it belongs to the domain of what was given.
    pub real: Vec<Condition>,
    /// Inequalities under which alone there is a result: the range of a map that was inverted, the branch that was
    /// chosen. They are said of every answer, and of what is made of it.
    pub stated: Vec<Condition>,
}

impl Recorded {
    /// What every answer says: divisors and what was stated.
    pub fn conditions(&self) -> Vec<Condition> {
        self.nonzero.iter().copied().map(Condition::from).chain(self.stated.iter().copied()).collect()
    }

    fn push(list: &mut Vec<Condition>, condition: Condition) {
        if !list.contains(&condition) {
            list.push(condition);
        }
    }
}

thread_local! {
    static RECORDED: RefCell<Recorded> = RefCell::default();
}

/// Records that the computation under way is valid where `e` ≠ 0: where no factor of it vanishes.
pub fn record_nonzero(e: Expr) {
    match e.node() {
        Node::Product(factors) => {
            let above = factors.iter().filter(|(_, exponent)| !exponent.is_negative());
            above.for_each(|(base, _)| record_factor(*base));
        }
        _ => record_factor(e),
    }
}

fn record_factor(e: Expr) {
    if e.is_number() {
        return;
    }
    RECORDED.with_borrow_mut(|all| {
        if !all.nonzero.contains(&e) {
            all.nonzero.push(e);
        }
    });
}

/// Records that a root of `e` was multiplied away, which is right where `e` ≥ 0.
pub(super) fn record_root(e: Expr) {
    if !sign_of(e).is_nonnegative() {
        let condition = Condition { relation: Relation::GreaterEqual, left: e };
        RECORDED.with_borrow_mut(|all| Recorded::push(&mut all.real, condition));
    }
}

/// Records that a logarithm of `e` was undone, which is right where `e` > 0.
pub(super) fn record_positive(e: Expr) {
    if !sign_of(e).is_positive() {
        let condition = Condition { relation: Relation::Greater, left: e };
        RECORDED.with_borrow_mut(|all| Recorded::push(&mut all.real, condition));
    }
}

/// States a condition on which the result rests, in whatever form it is shown in the end.
pub fn state(condition: Condition) {
    match condition.relation {
        Relation::NotEqual => record_nonzero(condition.left),
        _ => RECORDED.with_borrow_mut(|all| Recorded::push(&mut all.stated, condition)),
    }
}

/// Runs `work` and returns what it recorded to be nonzero, in order, apart from what was recorded before.
pub fn collect<T>(work: impl FnOnce() -> T) -> (T, Vec<Expr>) {
    let (result, recorded) = collect_all(work);
    (result, recorded.nonzero)
}

/// All kinds of conditions.
pub fn collect_all<T>(work: impl FnOnce() -> T) -> (T, Recorded) {
    let outer = RECORDED.take();
    let result = work();
    (result, RECORDED.replace(outer))
}

/// Puts what was collected back, for those around.
pub fn record_all(recorded: &Recorded) {
    recorded.nonzero.iter().for_each(|e| record_factor(*e));
    recorded.stated.iter().for_each(|c| state(*c));
    RECORDED.with_borrow_mut(|all| recorded.real.iter().for_each(|c| Recorded::push(&mut all.real, *c)));
}

/// What cancels when the expressions are brought to their normal forms: they have no value where it vanishes.
pub fn cancelled(list: &[Expr]) -> Vec<Expr> {
    collect(|| list.iter().filter(|e| super::normal::simplify(**e).is_ok()).count()).1
}

/// Those of the conditions e ≠ 0 that say more than the ones before them: √x ≠ 0 says no more than x ≠ 0, and x ≠ 0 no
/// more than x·y ≠ 0.
pub fn without_repetition(conditions: Vec<Expr>) -> Vec<Expr> {
    let mut said: Vec<Expr> = Vec::new();
    let mut kept = Vec::new();
    for e in conditions {
        let factors = inequality::factors(e);
        if factors.iter().any(|f| !said.contains(f)) {
            kept.push(e);
            said.extend(factors);
        }
    }
    kept
}

/// What must hold for `e` to have a real value, as far as the facts do not say it: bases of fractional powers, arguments
/// of logarithms and inverse functions. Vanishing denominators are [`record_nonzero`]'s business.
pub fn domain(e: Expr) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    let mut need = |relation: Relation, left: Expr| {
        let left = without_positive_factors(left);
        let sign = sign_of(left);
        let known = if relation == Relation::Greater { sign.is_positive() } else { sign.is_nonnegative() };
        let condition = Condition { relation, left };
        if !known && !found.contains(&condition) {
            found.push(condition);
        }
    };
    for x in post_order(&[e]) {
        match x.node() {
            Node::Product(factors) => {
                for (base, exponent) in factors.iter().filter(|(_, exponent)| !exponent.is_integer()) {
                    need(if exponent.is_negative() { Relation::Greater } else { Relation::GreaterEqual }, *base);
                }
            }
            Node::Power(base, _) => need(Relation::Greater, *base),
            Node::Apply(f, x) => {
                if let Some(interval) = f.row().argument_interval() {
                    let conditions = x.iter().flat_map(|x| interval.joint_conditions(*x));
                    conditions.for_each(|c| need(c.relation, c.left));
                }
            }
            _ => {}
        }
    }
    found
}

/// x for m·x with m > 0: of the same sign, and shorter.
fn without_positive_factors(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 && !terms[0].1.is_negative() => {
            without_positive_factors(terms[0].0)
        }
        Node::Product(factors) => {
            let rest = factors.iter().filter(|(base, _)| !sign_of(*base).is_positive());
            rest.fold(Expr::one(), |product, (base, exponent)| product * base.pow(exponent.clone()))
        }
        _ => e,
    }
}

/// What the old expression needed to be real and the new one does not.
pub fn lost(old: Expr, new: Expr) -> Vec<Condition> {
    not_needed_by(new, domain(old))
}

/// Those conditions that the expression itself does not need to be real.
pub fn not_needed_by(e: Expr, mut before: Vec<Condition>) -> Vec<Condition> {
    if before.is_empty() {
        return before;
    }
    let after = domain(e);
    // What must be positive need not be said to be nonnegative as well.
    let same = |a: Expr, b: Expr| a == b || collect(|| decide::equal(a, b)).0.is_yes();
    let says = |list: &[Condition], c: &Condition| {
        list.iter().any(|d| (d.relation == c.relation || d.relation == Relation::Greater) && same(d.left, c.left))
    };
    before.retain(|c| !says(&after, c));
    let strict: Vec<Condition> = before.iter().copied().filter(|c| c.relation == Relation::Greater).collect();
    before.retain(|c| c.relation == Relation::Greater || !says(&strict, c));
    before
}
