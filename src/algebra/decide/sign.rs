//! Signs of expressions: the one door for everybody who asks.
//!
//! Three steps, and each is only taken where the one before has not settled it:
//!
//! ```text
//! the shape        x² + 1 > 0, eˣ > 0, with the facts about symbols      [`super::super::assume::sign_of`]
//! an enclosure     a number without symbols, unless it is too close to zero
//! the normal form  its factors one by one, each a polynomial             [`super::positivity`]
//! ```
//!
//! Each gives a sign that certainly holds; when none settles it the answer is less precise, never wrong.

use super::positivity::Reasoner;
use super::witness::{POINTS, Sampler};
use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::ball;
use crate::algebra::conditions;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::normal::{Context, normal_form_in};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::verdict::Verdict;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// What is known about the sign of `e` wherever it is defined.
pub fn sign(cx: &Inquiry, e: Expr) -> Sign {
    let shape = sign_of(cx, e);
    if shape.is_positive() || shape.is_negative() || shape == Sign::ZERO || e.is_number() {
        return shape;
    }
    if e.symbols().is_empty()
        && let Ok(Some(n)) = ball::certified_sign(cx, e, &FxHashMap::default(), 256)
    {
        return Sign::of_number(&Rational::from(i64::from(n)));
    }
    // Deciding a sign uses no cancelled form as an answer: nothing is recorded.
    let (found, _) = conditions::collect(cx, |cx| by_normal_form(cx, e));
    shape.and(found.unwrap_or(Sign::ANY))
}

/// Whether `e` vanishes nowhere on its domain.
pub fn is_nonzero_everywhere(cx: &Inquiry, e: Expr) -> Verdict {
    if let Some(n) = e.as_number() {
        return Verdict::from_bool(!n.is_zero(), if n.is_zero() { "it is 0" } else { "it is a number other than 0" });
    }
    if let Some(why) = e.as_undefined() {
        return Verdict::unknown(format!("it has no value: {why:?}"));
    }
    let found = sign(cx, e);
    if found.is_positive() {
        return Verdict::yes("it is positive");
    }
    if found.is_negative() {
        return Verdict::yes("it is negative");
    }
    if found.is_nonzero() {
        return Verdict::yes("its factors do not vanish");
    }
    if found == Sign::ZERO {
        return Verdict::no("it is zero");
    }
    zero_by_points(cx, e).unwrap_or_else(|stop| Verdict::unknown(stop.to_string()))
}

/// A point where `e` is exactly zero, or two of a convex domain between which a polynomial changes sign.
fn zero_by_points(cx: &Inquiry, e: Expr) -> Budgeted<Verdict> {
    let sampler = Sampler::new(cx, e);
    let continuous = is_continuous_everywhere(e) && cx.facts().iter().all(|(f, _)| f.as_symbol().is_some());
    let (mut positive, mut negative) = (None, None);
    for i in 0..POINTS {
        let Some(point) = sampler.point(cx, i)? else { continue };
        if let Some(n) = ball::evaluate_exact(cx, sampler.subject, &point)
            && n.is_zero()
        {
            return Ok(Verdict::no(format!("it vanishes at {}", sampler.describe(&point))));
        }
        match ball::certified_sign(cx, sampler.subject, &point, 256)? {
            Some(1) => positive = Some(i),
            Some(-1) => negative = Some(i),
            _ => {}
        }
        if continuous && positive.is_some() && negative.is_some() {
            return Ok(Verdict::no("it is continuous and takes both signs"));
        }
    }
    Ok(Verdict::unknown("its sign could not be determined"))
}

/// Made of operations that are defined and continuous for all real arguments.
fn is_continuous_everywhere(e: Expr) -> bool {
    crate::algebra::expr::post_order(&[e]).into_iter().all(|x| match x.node() {
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum { .. } => true,
        Node::Product(factors) => factors.iter().all(|(_, n)| n.is_integer() && !n.is_negative()),
        Node::Apply(f, _) => f.row().is_continuous_everywhere(),
        _ => false,
    })
}

fn by_normal_form(cx: &Inquiry, e: Expr) -> Budgeted<Sign> {
    let facts: Vec<(Expr, Sign)> = relevant_facts(cx, e);
    let mut roots = vec![e];
    roots.extend(facts.iter().map(|f| f.0));
    let context = Context::of(cx, &roots)?;
    let mut read = Vec::new();
    for (fact, sign) in facts {
        let form = normal_form_in(cx, context, fact)?;
        if form.as_undefined().is_none() {
            let (n, d) = form.fraction(cx)?;
            let p = n.mul(cx, &d)?;
            let flipped = p.content().is_negative();
            read.push((p.primitive_part(), if flipped { sign.negate() } else { sign }));
        }
    }
    let mut reasoner = Reasoner::knowing(read);
    let form = normal_form_in(cx, context, e)?.cancel(cx)?;
    if form.as_undefined().is_some() {
        return Ok(Sign::ANY);
    }
    let mut sign = Sign::of_number(form.coefficient());
    for (g, n) in form.powers() {
        sign = sign.times(reasoner.generator(cx, g)?.power(i64::from(n)));
    }
    // Factors of which none has a sign by itself may have one together: c² − v² is (c − v)(c + v).
    let mut open = vec![];
    for (p, n) in form.factors() {
        let found = reasoner.sign(cx, p)?.power(i64::from(*n));
        match found.is_strict() || n % 2 == 0 {
            true => sign = sign.times(found),
            false => open.push((p.clone(), found)),
        }
    }
    if open.len() > 1 {
        let product = Polynomial::product(cx, open.iter().map(|(p, _)| &**p))?;
        let together = open.iter().fold(Sign::POSITIVE, |all, (_, found)| all.times(*found));
        return Ok(sign.times(together.and(reasoner.sign(cx, &product)?)));
    }
    Ok(open.iter().fold(sign, |all, (_, found)| all.times(*found)))
}

/// Facts about more than a symbol that share a symbol with `e`.
fn relevant_facts(cx: &Inquiry, e: Expr) -> Vec<(Expr, Sign)> {
    let symbols = e.symbols();
    let shares = |f: Expr| f.as_symbol().is_none() && f.symbols().iter().any(|s| symbols.contains(s));
    cx.facts().iter().filter(|(f, _)| shares(*f)).collect()
}
