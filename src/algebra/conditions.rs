//! Side conditions. Cancelling x/x is right where x ≠ 0; whoever cancels writes that into the ledger of its
//! [`Inquiry`], and the statement that is being answered collects it. A condition travels with its answer: it can be
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
use super::inquiry::Inquiry;

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

/// Records that the computation under way is valid where `e` ≠ 0: where no factor of it vanishes.
pub fn record_nonzero(cx: &Inquiry, e: Expr) {
    let mut open = vec![e];
    while let Some(x) = open.pop() {
        match x.node() {
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => open.push(terms[0].0),
            Node::Product(factors) => {
                open.extend(
                    factors.iter().rev().filter(|(_, exponent)| !exponent.is_negative()).map(|(base, _)| *base),
                );
            }
            _ => record_factor(cx, x),
        }
    }
}

fn record_factor(cx: &Inquiry, e: Expr) {
    if e.is_number() {
        return;
    }
    cx.record_divisor(e);
}

/// Records that x ≠ 0 where x and 1/x stand side by side: whoever shows x²/x as x says so.
pub fn record_quotients(cx: &Inquiry, e: Expr) {
    for x in post_order(&[e]) {
        let Node::Product(factors) = x.node() else { continue };
        for pair in factors.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            if !sign_of(cx, pair[0].0).is_nonzero() {
                record_nonzero(cx, pair[0].0);
            }
        }
    }
}

/// Records what must hold for an expression that somebody wrote to be real.
pub fn record_real(cx: &Inquiry, condition: Condition) {
    let known = condition.relation.decided_by(sign_of(cx, condition.left)) == Some(true);
    if !known {
        cx.record(|all| Recorded::push(&mut all.real, condition));
    }
}

/// States a condition on which the result rests, in whatever form it is shown in the end.
pub fn state(cx: &Inquiry, condition: Condition) {
    match condition.relation {
        Relation::NotEqual => record_nonzero(cx, condition.left),
        _ => cx.record(|all| Recorded::push(&mut all.stated, condition)),
    }
}

/// Runs `work` and returns what it recorded to be nonzero, in order, apart from what was recorded before.
pub fn collect<T>(cx: &Inquiry, work: impl FnOnce(&Inquiry) -> T) -> (T, Vec<Expr>) {
    let (result, recorded) = cx.collect(work);
    (result, recorded.nonzero)
}

/// All kinds of conditions.
pub fn collect_all<T>(cx: &Inquiry, work: impl FnOnce(&Inquiry) -> T) -> (T, Recorded) {
    cx.collect(work)
}

/// Puts what was collected back, for those around.
pub fn record_all(cx: &Inquiry, recorded: &Recorded) {
    recorded.nonzero.iter().for_each(|e| record_factor(cx, *e));
    recorded.stated.iter().for_each(|c| state(cx, *c));
    cx.record(|all| recorded.real.iter().for_each(|c| Recorded::push(&mut all.real, *c)));
}

/// What cancels when the expressions are brought to their normal forms: they have no value where it vanishes.
pub fn cancelled(cx: &Inquiry, list: &[Expr]) -> Vec<Expr> {
    collect(cx, |cx| list.iter().filter(|e| super::normal::simplify(cx, **e).is_ok()).count()).1
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
pub fn domain(cx: &Inquiry, e: Expr) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    let mut need = |relation: Relation, left: Expr| {
        let left = without_positive_factors(cx, left);
        let sign = sign_of(cx, left);
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

/// The bases of negative powers in the expressions, which have no value where one of them vanishes.
pub fn divisors(list: &[Expr]) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for x in post_order(list) {
        if let Node::Product(factors) = x.node() {
            for (base, _) in factors.iter().filter(|(_, exponent)| exponent.is_negative()) {
                if !base.is_number() && !found.contains(base) {
                    found.push(*base);
                }
            }
        }
    }
    found
}

/// What must hold for all of the expressions to be real; what must be positive is not said to be nonnegative as well.
pub fn joint_domain(cx: &Inquiry, list: impl IntoIterator<Item = Expr>) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    for condition in list.into_iter().flat_map(|e| domain(cx, e)) {
        if !found.contains(&condition) {
            found.push(condition);
        }
    }
    strictest(found)
}

/// Where the expressions are real, as far as that is an inequality: x > 0 for log x. What is known not to be negative may
/// vanish, and that is a matter of denominators.
pub fn bounds(cx: &Inquiry, list: impl IntoIterator<Item = Expr>) -> Vec<Condition> {
    joint_domain(cx, list).into_iter().filter(|c| !sign_of(cx, c.left).is_nonnegative()).collect()
}

/// The conditions without those that say less than another one of the same expression.
pub fn strictest(mut list: Vec<Condition>) -> Vec<Condition> {
    let strict: Vec<Expr> = list.iter().filter(|c| c.relation == Relation::Greater).map(|c| c.left).collect();
    let says_less = |r: Relation| matches!(r, Relation::GreaterEqual | Relation::NotEqual);
    list.retain(|c| !says_less(c.relation) || !strict.contains(&c.left));
    list
}

/// x for m·x with m > 0: of the same sign, and shorter.
fn without_positive_factors(cx: &Inquiry, e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 && !terms[0].1.is_negative() => {
            without_positive_factors(cx, terms[0].0)
        }
        Node::Product(factors) => {
            let rest = factors.iter().filter(|(base, _)| !sign_of(cx, *base).is_positive());
            rest.fold(Expr::one(), |product, (base, exponent)| product * base.pow(exponent.clone()))
        }
        _ => e,
    }
}

/// What the old expression needed to be real and the new one does not.
pub fn lost(cx: &Inquiry, old: Expr, new: Expr) -> Vec<Condition> {
    not_needed_by(cx, new, domain(cx, old))
}

/// Those conditions that the expression itself does not need to be real.
pub fn not_needed_by(cx: &Inquiry, e: Expr, mut before: Vec<Condition>) -> Vec<Condition> {
    if before.is_empty() {
        return before;
    }
    let after = domain(cx, e);
    // What must be positive need not be said to be nonnegative as well.
    let same = |a: Expr, b: Expr| a == b || collect(cx, |cx| decide::equal(cx, a, b)).0.is_yes();
    let says = |list: &[Condition], c: &Condition| {
        list.iter().any(|d| (d.relation == c.relation || d.relation == Relation::Greater) && same(d.left, c.left))
    };
    before.retain(|c| !says(&after, c));
    let strict: Vec<Condition> = before.iter().copied().filter(|c| c.relation == Relation::Greater).collect();
    before.retain(|c| c.relation == Relation::Greater || !says(&strict, c));
    before
}
