//! Zero tests and signs. Everything the program claims rests on them, so they never claim more than
//! they have:
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
//!
//! Signs of expressions are in [`sign`], of polynomials, with their real zeros, in [`positivity`], points in [`witness`].

pub mod positivity;
pub mod separation;
pub mod sign;
pub mod witness;

use super::expr::{Expr, Node};
use super::generator::is_free;
use super::normal::{Context, normal_form_in};
use super::number::Rational;
use super::verdict::{Ground, Verdict};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use witness::{POINTS, Sampler};

pub use positivity::semidefinite;
pub use sign::{is_nonzero_everywhere, sign};

/// Whether `e` vanishes identically on its domain.
pub fn is_zero(cx: &Inquiry, e: Expr) -> Verdict {
    match e.node() {
        Node::Number(n) => {
            return Verdict::from_bool(
                n.is_zero(),
                if n.is_zero() { "it is 0" } else { "it is a number other than 0" },
            );
        }
        Node::Undefined(why) => return Verdict::unknown(format!("it has no value: {why:?}")),
        _ => {}
    }
    // What is proved zero is asked again, because its conditions must be recorded again; its normal form is remembered anyway.
    let refuted = &cx.facts().memo().refuted;
    if let Some(verdict) = refuted.borrow().get(&e) {
        return verdict.clone();
    }
    let verdict = decide(cx, e).unwrap_or_else(|stop| Verdict::unknown(stop.to_string()));
    if verdict.is_no() {
        refuted.borrow_mut().insert(e, verdict.clone());
    }
    verdict
}

/// Whether two expressions are equal on their common domain.
pub fn equal(cx: &Inquiry, a: Expr, b: Expr) -> Verdict {
    if a == b {
        return Verdict::yes("they are the same expression");
    }
    is_zero(cx, a - b)
}

/// Graphs with more nodes than this are first looked at in a few points.
const LARGE: usize = 64;

fn decide(cx: &Inquiry, e: Expr) -> Budgeted<Verdict> {
    if super::expr::post_order(&[e]).len() > LARGE
        && let Some(verdict) = refuted_by_a_point(cx, e)?
    {
        return Ok(verdict);
    }
    // First the way that costs least when it succeeds; a time limit or an interrupt ends everything, a
    // size limit only this way.
    let stopped = match by_normal_form(cx, e) {
        Ok(Some(verdict)) => return Ok(verdict),
        Ok(None) => None,
        Err(stop @ (Exhausted::Time | Exhausted::Interrupted)) => return Err(stop),
        Err(stop) => Some(stop),
    };
    by_points(cx, e, stopped)
}

/// A proof either way, by algebra.
fn by_normal_form(cx: &Inquiry, e: Expr) -> Budgeted<Option<Verdict>> {
    let context = Context::of(cx, &[e])?;
    for context in [context, context.strengthened(cx)] {
        let form = normal_form_in(cx, context, e)?;
        if form.vanishes(cx)? {
            form.record_conditions(cx);
            return Ok(Some(Verdict::yes("its normal form is 0")));
        }
        if let Some(why) = form.as_undefined() {
            return Ok(Some(Verdict::unknown(format!("it has no value: {why:?}"))));
        }
        if form.generators().into_iter().all(is_free) && !cx.facts().has_equations() {
            return Ok(Some(Verdict::no("its normal form is not 0")));
        }
    }
    Ok(None)
}

/// A large expression that is not zero shows it at almost every point, long before its normal form is known.
fn refuted_by_a_point(cx: &Inquiry, e: Expr) -> Budgeted<Option<Verdict>> {
    let sampler = Sampler::new(cx, e);
    if sampler.subject.as_undefined().is_some() {
        return Ok(None);
    }
    for i in 0..2 {
        let Some(point) = sampler.point(cx, i)? else { continue };
        if sampler.value(cx, &point, 64)?.is_some_and(|ball| !ball.contains_zero()) {
            return Ok(Some(Verdict::no("its value at a rational point is not 0")));
        }
    }
    Ok(None)
}

/// A refutation by a point, or the evidence of many.
fn by_points(cx: &Inquiry, e: Expr, stopped: Option<Exhausted>) -> Budgeted<Verdict> {
    let sampler = Sampler::new(cx, e);
    if sampler.subject.as_undefined().is_some() {
        return Ok(Verdict::unknown("it has no value for a polynomial in the place of its unspecified functions"));
    }
    let constant = sampler.subject.symbols().is_empty();
    let (mut seen, mut weakest) = (0, u32::MAX);
    let own = sampler.subject.symbols();
    let mut visited: Vec<Vec<Option<Rational>>> = Vec::new();
    for i in 0..if constant { 1 } else { POINTS } {
        let Some(point) = sampler.point(cx, i)? else { continue };
        // Points that were moved to the same place are one point.
        let place: Vec<Option<Rational>> = own.iter().map(|s| point.get(s).cloned()).collect();
        if visited.contains(&place) {
            continue;
        }
        visited.push(place);
        // The first points are looked at closely enough to tell numbers that agree to hundreds of digits.
        let limit = if seen < 2 { 1024 } else { 256 };
        let mut bits = 64;
        loop {
            let Some(ball) = sampler.value(cx, &point, bits)? else { break };
            if !ball.contains_zero() {
                let at = sampler.describe(&point);
                let value = ball.decimal(3).unwrap_or_else(|| "not 0".into());
                let place = if at.is_empty() { String::new() } else { format!(" at {at}") };
                return Ok(Verdict::no(format!("its value{place} is {value}")));
            }
            if ball.is_everything() && bits >= 256 {
                break;
            }
            if bits >= limit {
                if constant && let Some(needed) = is_too_small(cx, &sampler, &point)? {
                    return Ok(Verdict::yes(format!(
                        "it is below 2^-{needed}, the least an algebraic number of its kind can be"
                    )));
                }
                seen += 1;
                weakest = weakest.min(bits);
                break;
            }
            bits *= 4;
        }
    }
    let reason = stopped.map_or_else(|| "its normal form is not 0".to_owned(), |stop| stop.to_string());
    Ok(if seen == 0 {
        Verdict::unknown(format!("{reason}, and no point could be evaluated"))
    } else if seen < 6 && !constant {
        Verdict::unknown(format!("{reason}, and only {seen} points could be evaluated, with values near 0"))
    } else {
        Verdict::Yes(Ground::Sampled { points: seen, bits: weakest })
    })
}

/// A number smaller than its separation bound is 0: b such that it is below 2⁻ᵇ and would have to be larger.
fn is_too_small(cx: &Inquiry, sampler: &Sampler, point: &witness::Point) -> Budgeted<Option<u32>> {
    let Some(needed) = separation::bits(sampler.subject) else { return Ok(None) };
    for spare in [64, 512] {
        let Some(ball) = sampler.value(cx, point, needed + spare)? else { return Ok(None) };
        if !ball.contains_zero() {
            return Ok(None);
        }
        // Of at most so many bits before the point: below 2^top.
        if ball.magnitude().to_float().top() <= -i64::from(needed) {
            return Ok(Some(needed));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
