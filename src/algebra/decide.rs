//! Zero tests. Everything the program claims rests on them, so they never claim more than they have:
//!
//! - *yes, proved*: the normal form is zero. Where denominators were cancelled the conditions are recorded;
//! - *no, proved*: the normal form is a nonzero polynomial in generators whose independence is a theorem,
//!   or there is a rational point, in the domain and within the assumptions, at which a ball without 0
//!   encloses the value;
//! - *yes, sampled*: balls around 0 at all points tried, and no proof;
//! - *unknown*, with the reason: a budget ended, or no point could be evaluated.
//!
//! "Zero" means zero on the domain of the expression, under the facts of [`super::assume`]. "Not zero"
//! means not identically zero; that it vanishes nowhere is another question, [`is_nonzero_everywhere`].

use super::expr::{Expr, Node};
use super::generator::is_free;
use super::normal::{Context, normal_form_in};
use super::verdict::Verdict;
use crate::budget::Exhausted;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

thread_local! {
    /// Verdicts under the facts of one epoch; those that the clock decided are not kept.
    static VERDICTS: RefCell<(u64, FxHashMap<Expr, Verdict>)> = RefCell::default();
}

/// Whether `e` vanishes identically on its domain.
pub fn is_zero(e: Expr) -> Verdict {
    match e.node() {
        Node::Number(n) => return Verdict::from_bool(n.is_zero(), "it is a number"),
        Node::Undefined(why) => return Verdict::unknown(format!("it has no value: {why:?}")),
        Node::Symbol(_) if !super::assume::sign_of(e).can_be_zero => {
            return Verdict::no("it is assumed not to be zero");
        }
        _ => {}
    }
    let epoch = super::assume::epoch();
    let known = VERDICTS.with_borrow_mut(|(at, verdicts)| {
        if *at != epoch {
            (*at, *verdicts) = (epoch, FxHashMap::default());
        }
        verdicts.get(&e).cloned()
    });
    if let Some(verdict) = known
        && !verdict.is_yes()
    {
        return verdict;
    }
    let (verdict, keep) = by_normal_form(e);
    if keep {
        VERDICTS.with_borrow_mut(|(_, verdicts)| verdicts.insert(e, verdict.clone()));
    }
    verdict
}

/// Whether two expressions are equal on their common domain.
pub fn equal(a: Expr, b: Expr) -> Verdict {
    if a == b {
        return Verdict::yes("they are the same expression");
    }
    is_zero(a - b)
}

/// The verdict, and whether it will be the same tomorrow.
fn by_normal_form(e: Expr) -> (Verdict, bool) {
    let context = match Context::of(&[e]) {
        Ok(context) => context,
        Err(stop) => return stopped(stop),
    };
    let mut independent = false;
    for context in [context, context.strengthened()] {
        match normal_form_in(context, e) {
            Ok(form) if form.is_zero() => {
                form.record_conditions();
                return (Verdict::yes("its normal form is 0"), true);
            }
            Ok(form) => {
                if let Some(why) = form.as_undefined() {
                    return (Verdict::unknown(format!("it has no value: {why:?}")), true);
                }
                independent |= form.generators().into_iter().all(is_free);
            }
            Err(stop) => return stopped(stop),
        }
        if independent {
            return (Verdict::no("its normal form is not 0"), true);
        }
    }
    (Verdict::unknown("its normal form is not 0, but its parts may depend on each other"), true)
}

fn stopped(why: Exhausted) -> (Verdict, bool) {
    (Verdict::unknown(why.to_string()), !matches!(why, Exhausted::Time | Exhausted::Interrupted))
}
