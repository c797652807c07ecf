//! Witnesses: points at which an expression has a certified value.
//!
//! A point is a choice of rational numbers for symbols, and of polynomials for unspecified functions: if
//! V(q) + … is not zero for one V, it is not zero. Points obey the declared facts; those at which a fact
//! cannot be certified are not used. The sequence of points is fixed: the same question meets the same
//! points, small ones, large ones and a few special ones (0, ±1) among them.

use crate::algebra::assume::{self, Sign, sign_of};
use crate::algebra::ball::{self, Ball};
use crate::algebra::derive::partial;
use crate::algebra::expr::{Expr, Node, post_order, symbols_of};
use crate::algebra::number::Rational;
use crate::algebra::substitute::{define_function, substitute};
use crate::algebra::symbol::{Function, Symbol};
use crate::budget::{Budgeted, check};
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
}

/// How many points there are.
pub const POINTS: u32 = 24;

impl Sampler {
    pub fn new(e: Expr) -> Sampler {
        let mut symbols: FxHashSet<Symbol> = symbols_of(&[e]).into_iter().collect();
        // Facts that share a symbol with the expression, or with such a fact.
        let mut open: Vec<(Expr, Sign)> = assume::snapshot().into_iter().collect();
        open.sort_by_key(|f| f.0);
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
        let roots = with_functions_chosen(&roots);
        let facts = roots[1..].iter().zip(&facts).map(|(f, (_, sign))| (*f, *sign)).collect();
        let mut symbols: Vec<Symbol> = symbols.into_iter().collect();
        symbols.sort();
        Sampler { subject: roots[0], symbols, facts }
    }

    /// The i-th point, if the facts are certified there.
    pub fn point(&self, i: u32) -> Budgeted<Option<Point>> {
        check()?;
        let mut point = Point::default();
        for (k, &s) in self.symbols.iter().enumerate() {
            let value = coordinate(i, k as u32);
            let sign = sign_of(Expr::symbol(s));
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
        self.move_to_facts(&mut point)?;
        for (fact, sign) in &self.facts {
            let Some(found) = ball::certified_sign(*fact, &point, 256)? else { return Ok(None) };
            let agrees = match found {
                0 => sign.can_be_zero,
                1.. => sign.can_be_positive,
                _ => sign.can_be_negative,
            };
            if !agrees {
                return Ok(None);
            }
        }
        Ok(Some(point))
    }

    /// Moves coordinates into the region that the facts describe: a fact that is affine in one of them, the others being
    /// what they are, bounds it from one side. Facts of other shapes are left to chance.
    fn move_to_facts(&self, point: &mut Point) -> Budgeted<()> {
        let bounds = self.facts.iter().filter(|(f, sign)| f.as_symbol().is_none() && *sign != Sign::ZERO);
        let bounds: Vec<&(Expr, Sign)> = bounds.collect();
        if bounds.is_empty() {
            return Ok(());
        }
        for &s in &self.symbols {
            let (mut low, mut high): (Option<Rational>, Option<Rational>) = (None, None);
            let sign = sign_of(Expr::symbol(s));
            if sign.is_nonnegative() {
                low = Some(Rational::ZERO);
            }
            if sign.is_nonpositive() {
                high = Some(Rational::ZERO);
            }
            let mut bounded = false;
            for (fact, sign) in bounds.iter().filter(|(f, _)| f.contains(s)) {
                check()?;
                let Some((slope, rest)) = affine_at(*fact, s, point) else { continue };
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
        Ok(())
    }

    /// The enclosure of the value at a point.
    pub fn value(&self, point: &Point, bits: u32) -> Budgeted<Option<Ball>> {
        ball::evaluate(self.subject, point, bits)
    }

    /// The point in words, for a verdict; only what the expression contains.
    pub fn describe(&self, point: &Point) -> String {
        let occurring = self.subject.symbols();
        let shown: Vec<String> = occurring.iter().filter_map(|s| point.get(s).map(|n| format!("{s} = {n}"))).collect();
        shown.join(", ")
    }
}

/// (a, b) with e = a·s + b when all other symbols have their values at the point, if e is affine in s.
fn affine_at(e: Expr, s: Symbol, point: &Point) -> Option<(Rational, Rational)> {
    let slope = partial(e, s);
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
fn with_functions_chosen(roots: &[Expr]) -> Vec<Expr> {
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
        roots = roots.iter().map(|e| define_function(*e, function, &parameters, body)).collect();
    }
    roots
}
