//! Witnesses: points at which an expression has a certified value.
//!
//! A point is a choice of rational numbers for symbols, and of polynomials for unspecified functions: if
//! V(q) + … is not zero for one V, it is not zero. Points obey the declared facts; those at which a fact
//! cannot be certified are not used. The sequence of points is fixed: the same question meets the same
//! points, small ones, large ones and a few special ones (0, ±1) among them.
//!
//! A point outside the region that the facts describe is moved into it, and so is one at which the expression has no
//! real value: first one coordinate at a time, where a fact g > 0 is affine in it, and then by steps along the gradient,
//!
//! ```text
//! x ← x − (5/4)·g/|∇g|²·∇g          Newton's step to the hypersurface g = 0, a little longer, in rational numbers
//! ```

use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::ball::{self, Ball};
use crate::algebra::conditions;
use crate::algebra::derive::slope;
use crate::algebra::expr::{Expr, Node, post_order, symbols_of};
use crate::algebra::number::Rational;
use crate::algebra::substitute::{define_function, substitute};
use crate::algebra::symbol::{Function, Symbol};
use crate::budget::Budgeted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Rational values of symbols.
pub type Point = FxHashMap<Symbol, Rational>;

/// An expression made ready for evaluation, together with the facts that its points must obey.
pub struct Sampler {
    /// With unspecified functions replaced by polynomials.
    pub subject: Expr,
    symbols: Vec<Symbol>,
    facts: Vec<(Expr, Sign)>,
    /// What the subject needs to be real. Not all of it need hold: one branch of a case distinction may do without.
    domain: Vec<(Expr, Sign)>,
}

/// How many points there are.
pub const POINTS: u32 = 24;

impl Sampler {
    pub fn new(cx: &Inquiry, e: Expr) -> Sampler {
        let mut symbols: FxHashSet<Symbol> = symbols_of(&[e]).into_iter().collect();
        // Facts that share a symbol with the expression, or with such a fact.
        let mut open: Vec<(Expr, Sign)> = cx.facts().iter().collect();
        let mut facts = Vec::new();
        loop {
            let (near, far): (Vec<_>, Vec<_>) = open.into_iter().partition(|(f, _)| {
                let own = f.symbols();
                own.iter().any(|s| symbols.contains(s)) || own.is_empty()
            });
            open = far;
            if near.is_empty() {
                break;
            }
            for (f, _) in &near {
                symbols.extend(f.symbols());
            }
            facts.extend(near);
        }
        let mut roots = vec![e];
        roots.extend(facts.iter().map(|f| f.0));
        let roots = with_functions_chosen(cx, &roots);
        let facts = roots[1..].iter().zip(&facts).map(|(f, (_, sign))| (*f, *sign)).collect();
        let mut symbols: Vec<Symbol> = symbols.into_iter().collect();
        symbols.sort();
        // The inside of the domain: on its boundary √x is 0 without being zero.
        let domain = conditions::domain(cx, roots[0]).into_iter().map(|c| (c.left, Sign::POSITIVE)).collect();
        Sampler { subject: roots[0], symbols, facts, domain }
    }

    /// The i-th point, if the facts are certified there.
    pub fn point(&self, cx: &Inquiry, i: u32) -> Budgeted<Option<Point>> {
        cx.check()?;
        let mut point = Point::default();
        for (k, &s) in self.symbols.iter().enumerate() {
            let value = coordinate(i, k as u32);
            let sign = sign_of(cx, Expr::symbol(s));
            let value = if sign == Sign::ZERO {
                Rational::ZERO
            } else if sign.is_nonnegative() {
                value.abs()
            } else if sign.is_nonpositive() {
                -&value.abs()
            } else {
                value
            };
            if value.is_zero() && !sign.can_be_zero {
                return Ok(None);
            }
            point.insert(s, value);
        }
        self.move_to_facts(cx, &mut point)?;
        if !self.facts_hold(cx, &point)? {
            return Ok(None);
        }
        // Where the subject has no value, another point near by may do.
        if !self.domain.is_empty() && self.value(cx, &point, 64)?.is_none() {
            let mut moved = point.clone();
            let wishes: Vec<(Expr, Sign)> = self.facts.iter().chain(&self.domain).copied().collect();
            if descend(cx, &wishes, &mut moved)? && self.facts_hold(cx, &moved)? {
                point = moved;
            }
        }
        Ok(Some(point))
    }

    /// Whether all facts are certified at the point.
    fn facts_hold(&self, cx: &Inquiry, point: &Point) -> Budgeted<bool> {
        for (fact, sign) in &self.facts {
            match ball::certified_sign(cx, *fact, point, 256)? {
                Some(found) if agrees(*sign, found) => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Moves coordinates into the region that the facts describe: a fact that is affine in one of them, the others being
    /// what they are, bounds it from one side. Facts of other shapes are approached along their gradients.
    fn move_to_facts(&self, cx: &Inquiry, point: &mut Point) -> Budgeted<()> {
        let bounds = self.facts.iter().filter(|(f, sign)| f.as_symbol().is_none() && *sign != Sign::ZERO);
        let bounds: Vec<&(Expr, Sign)> = bounds.collect();
        if bounds.is_empty() {
            return Ok(());
        }
        for &s in &self.symbols {
            let (mut low, mut high): (Option<Rational>, Option<Rational>) = (None, None);
            let sign = sign_of(cx, Expr::symbol(s));
            if sign.is_nonnegative() {
                low = Some(Rational::ZERO);
            }
            if sign.is_nonpositive() {
                high = Some(Rational::ZERO);
            }
            let mut bounded = false;
            for (fact, sign) in bounds.iter().filter(|(f, _)| f.contains(s)) {
                cx.check()?;
                let Some((slope, rest)) = affine_at(cx, *fact, s, point) else { continue };
                let positive = sign.is_nonnegative();
                if slope.is_zero() || !(positive || sign.is_nonpositive()) {
                    continue;
                }
                let limit = &-&rest / &slope;
                bounded = true;
                if (Rational::ZERO < slope) == positive {
                    low = Some(low.map_or(limit.clone(), |l| if l < limit { limit } else { l }));
                } else {
                    high = Some(high.map_or(limit.clone(), |h| if limit < h { limit } else { h }));
                }
            }
            let value = &point[&s];
            let inside = low.as_ref().is_none_or(|l| l < value) && high.as_ref().is_none_or(|h| value < h);
            if !bounded || inside {
                continue;
            }
            let size = value.abs();
            let moved = match (low, high) {
                (Some(l), Some(h)) if l < h => {
                    &l + &(&(&(&h - &l) * &(&size + &Rational::ONE)) / &(&size + &Rational::from(2)))
                }
                (Some(l), None) => &(&l + &size) + &Rational::ratio(1, 3),
                (None, Some(h)) => &(&h - &size) - &Rational::ratio(1, 3),
                _ => continue,
            };
            point.insert(s, moved);
        }
        descend(cx, &self.facts, point)?;
        Ok(())
    }

    /// The enclosure of the value at a point.
    pub fn value(&self, cx: &Inquiry, point: &Point, bits: u32) -> Budgeted<Option<Ball>> {
        ball::evaluate(cx, self.subject, point, bits)
    }

    /// The point in words, for a verdict; only what the expression contains.
    pub fn describe(&self, point: &Point) -> String {
        let occurring = self.subject.symbols();
        let shown: Vec<String> = occurring.iter().filter_map(|s| point.get(s).map(|n| format!("{s} = {n}"))).collect();
        shown.join(", ")
    }
}

/// Whether a sign that was found is one of those allowed.
fn agrees(allowed: Sign, found: i32) -> bool {
    match found {
        0 => allowed.can_be_zero,
        1.. => allowed.can_be_positive,
        _ => allowed.can_be_negative,
    }
}

/// How often all facts are gone through.
const ROUNDS: u32 = 24;

/// Moves a point, fact by fact, until all signs are as they should be; says whether that was reached. The point is an
/// improvement in any case, or as it was.
fn descend(cx: &Inquiry, facts: &[(Expr, Sign)], point: &mut Point) -> Budgeted<bool> {
    let start = point.clone();
    for _ in 0..ROUNDS {
        let mut all_hold = true;
        for (fact, sign) in facts {
            cx.check()?;
            let found = ball::certified_sign(cx, *fact, point, 128)?;
            if found.is_some_and(|found| agrees(*sign, found)) {
                continue;
            }
            all_hold = false;
            if !step(cx, *fact, *sign, point)? {
                *point = start;
                return Ok(false);
            }
        }
        if all_hold {
            return Ok(true);
        }
    }
    *point = start;
    Ok(false)
}

/// One step from the wrong side of g = 0 to the right one. `false` where g has no value or no gradient.
fn step(cx: &Inquiry, g: Expr, sign: Sign, point: &mut Point) -> Budgeted<bool> {
    let symbols: Vec<Symbol> = g.symbols().into_iter().filter(|s| point.contains_key(s)).collect();
    let mut wanted = vec![g];
    wanted.extend(symbols.iter().map(|s| slope(cx, g, *s)));
    let values = ball::evaluate_all(cx, &wanted, point, 64)?;
    let Some(values) = values.into_iter().map(|v| rounded(&v?)).collect::<Option<Vec<Rational>>>() else {
        return Ok(false);
    };
    let (value, gradient) = values.split_first().expect("one value at least");
    let square = gradient.iter().fold(Rational::ZERO, |sum, d| &sum + &(d * d));
    let Some(inverse) = square.recip() else { return Ok(false) };
    // Up if it should be positive. On the surface itself a step of the size of the gradient.
    let up = if sign.can_be_positive { Rational::ONE } else { Rational::MINUS_ONE };
    let size = if value.is_zero() { Rational::ratio(1, 16) } else { value.abs() };
    let length = &(&(&up * &size) * &inverse) * &Rational::ratio(5, 4);
    for (s, d) in symbols.iter().zip(gradient) {
        let moved = &point[s] + &(&length * d);
        let Some(moved) = rounded(&Ball::from_rational(&moved, 64)) else { return Ok(false) };
        point.insert(*s, moved);
    }
    Ok(true)
}

/// The midpoint to a few digits: points are to stay small numbers.
fn rounded(ball: &Ball) -> Option<Rational> {
    if ball.is_everything() || ball.mid().top().abs() > 1 << 12 {
        return ball.mid().is_zero().then_some(Rational::ZERO).filter(|_| !ball.is_everything());
    }
    ball.mid().clone().round(24).0.to_rational()
}

/// (a, b) with e = a·s + b when all other symbols have their values at the point, if e is affine in s.
fn affine_at(cx: &Inquiry, e: Expr, s: Symbol, point: &Point) -> Option<(Rational, Rational)> {
    let slope = slope(cx, e, s);
    if slope.contains(s) {
        return None;
    }
    let values = |with_zero: bool| {
        let value = |(x, n): (&Symbol, &Rational)| {
            (*x, if with_zero && *x == s { Expr::zero() } else { Expr::number(n.clone()) })
        };
        point.iter().map(value).collect::<FxHashMap<Symbol, Expr>>()
    };
    let number = |e: Expr| e.as_number().cloned();
    Some((number(substitute(slope, &values(false)))?, number(substitute(e, &values(true)))?))
}

/// The k-th coordinate of the i-th point.
fn coordinate(i: u32, k: u32) -> Rational {
    // Special points among the others: all 0, all 1, and one coordinate at 0.
    match i {
        6 => return Rational::ZERO,
        7 => return Rational::ONE,
        8..=10 if k == i - 8 => return Rational::ZERO,
        _ => {}
    }
    let mut x = (u64::from(i) << 32 | u64::from(k)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    // SplitMix64.
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    let numerator = 1 + (x % 61) as i64;
    let denominator = 2 + (x >> 8) as i64 % 29;
    let sign = if i > 1 && (x >> 40) & 1 == 1 { -1 } else { 1 };
    // Around 1, then well inside the unit interval, then large.
    let (up, down) = match i % 4 {
        0 | 1 => (1, 1),
        2 => (1, 61),
        _ => (7, 1),
    };
    Rational::ratio(sign * numerator * up, denominator * down)
}

thread_local! {
    static FORMAL: RefCell<Vec<Symbol>> = const { RefCell::new(Vec::new()) };
}

/// The same names every time.
fn formal_parameters(arity: usize) -> Vec<Symbol> {
    FORMAL.with_borrow_mut(|known| {
        while known.len() < arity {
            known.push(Symbol::bound("a"));
        }
        known[..arity].to_vec()
    })
}

/// Replaces every unspecified function by one polynomial with enough derivatives.
fn with_functions_chosen(cx: &Inquiry, roots: &[Expr]) -> Vec<Expr> {
    let mut functions: Vec<(Function, u32, usize)> = Vec::new();
    for x in post_order(roots) {
        if let Node::Unknown { function, orders, arguments } = x.node() {
            let order = orders.iter().sum();
            match functions.iter_mut().find(|f| f.0 == *function) {
                Some(f) => f.1 = f.1.max(order),
                None => functions.push((*function, order, arguments.len())),
            }
        }
    }
    let mut roots = roots.to_vec();
    for (which, (function, order, arity)) in functions.into_iter().enumerate() {
        let parameters = formal_parameters(arity);
        // A sum of powers of affine functions.
        let mut body = Expr::zero();
        for power in 1..=order.min(60) + 3 {
            let row = 1000 + 100 * which as u32 + power;
            let linear = parameters.iter().enumerate().map(|(k, s)| (Expr::symbol(*s), coordinate(row, k as u32)));
            body = body + Expr::sum(coordinate(row, 99), linear).pow(i64::from(power));
        }
        roots = roots.iter().map(|e| define_function(cx, *e, function, &parameters, body)).collect();
    }
    roots
}
