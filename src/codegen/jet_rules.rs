//! The recurrences of Taylor coefficients, each written once.
//!
//! What [`super::jet`] states as formulas is a function here, over numbers of any kind: doubles for the interpreter, values of
//! machine code for the compiler. So the two cannot differ in a formula, in the order of operations or in a rounding. How the
//! sums S are stored is the business of each [`Arithmetic`].

use super::ir::Comparison;
use super::jet::{Factors, NodeId, Rule, Slot, SumId, System};
use smallvec::SmallVec;

/// A number that depends on the order alone.
#[derive(Clone, Copy)]
pub enum Constant {
    OverK,
    MinusOverK,
    #[cfg(feature = "jit")]
    K,
}

/// Arithmetic at one order k ≥ 1, with what is known there.
pub trait Arithmetic {
    type Number: Copy;

    /// k itself.
    fn order(&self) -> usize;

    /// The coefficient of order k of a quantity that comes earlier.
    fn at(&mut self, node: NodeId) -> Self::Number;

    /// A result of order 0.
    fn slot(&mut self, slot: Slot) -> Self::Number;

    /// S of order k ≥ 2.
    fn sum(&mut self, sum: SumId) -> Self::Number;

    fn number(&mut self, x: f64) -> Self::Number;

    fn constant(&mut self, which: Constant) -> Self::Number;

    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    fn sub(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    fn negate(&mut self, a: Self::Number) -> Self::Number;

    /// a b + c, rounded once where the program is fused.
    fn multiply_add(&mut self, a: Self::Number, b: Self::Number, c: Self::Number) -> Self::Number;

    /// c − a b, rounded like c + (−a) b.
    fn multiply_sub(&mut self, a: Self::Number, b: Self::Number, c: Self::Number) -> Self::Number;

    /// The third number if the comparison of the first two holds, else the fourth.
    fn select(&mut self, comparison: Comparison, numbers: [Self::Number; 4]) -> Self::Number;
}

/// The coefficient of order k that a rule gives; `None` for states and unknowns, which no rule of their own gives.
#[inline(always)]
pub fn coefficient<A: Arithmetic>(x: &mut A, rule: Rule) -> Option<A::Number> {
    let k = x.order();
    Some(match rule {
        Rule::State(_) | Rule::Unknown(..) => return None,
        Rule::Time => x.number(if k == 1 { 1.0 } else { 0.0 }),
        Rule::Add(a, b) => {
            let (a, b) = (x.at(a), x.at(b));
            x.add(a, b)
        }
        Rule::Sub(a, b) => {
            let (a, b) = (x.at(a), x.at(b));
            x.sub(a, b)
        }
        Rule::Neg(a) => {
            let a = x.at(a);
            x.negate(a)
        }
        Rule::Scale(c, a) => {
            let (c, a) = (x.slot(c), x.at(a));
            x.mul(c, a)
        }
        Rule::Product { a, b, a0, b0, sum } => {
            let head = if k > 1 {
                let s = x.sum(sum);
                let (a, b0) = (x.at(a), x.slot(b0));
                x.multiply_add(a, b0, s)
            } else {
                let (a, b0) = (x.at(a), x.slot(b0));
                x.mul(a, b0)
            };
            let (a0, b) = (x.slot(a0), x.at(b));
            x.multiply_add(a0, b, head)
        }
        Rule::Square { a, twice_a0, sum } => newest_and_sum(x, twice_a0, a, sum, None),
        Rule::Quotient { a, b, inverse, ratio, sum } => quotient(x, a, b, [inverse, ratio], sum),
        Rule::Root { a, half_inverse, sum } => {
            let mut head = x.at(a);
            if k > 1 {
                let s = x.sum(sum);
                head = x.sub(head, s);
            }
            let half_inverse = x.slot(half_inverse);
            x.mul(head, half_inverse)
        }
        Rule::Power { a, alpha, alpha_plus_one, factor, inverse, sum, weighted } => {
            if k == 1 {
                let (factor, a) = (x.slot(factor), x.at(a));
                return Some(x.mul(factor, a));
            }
            let (s, w) = (x.sum(sum), x.sum(weighted));
            let alpha = x.slot(alpha);
            let head = x.mul(alpha, s);
            let (plus, over_k) = (x.slot(alpha_plus_one), x.constant(Constant::OverK));
            let weight = x.mul(plus, over_k);
            let head = x.multiply_sub(weight, w, head);
            let inverse = x.slot(inverse);
            let head = x.mul(head, inverse);
            let (factor, a) = (x.slot(factor), x.at(a));
            x.multiply_add(factor, a, head)
        }
        Rule::Integral { a, factor, negative, sum } => {
            let weight = if negative { Constant::MinusOverK } else { Constant::OverK };
            newest_and_sum(x, factor, a, sum, Some(weight))
        }
        Rule::Inverse { a, negative, inverse, sum } => {
            let mut head = x.at(a);
            if negative {
                head = x.negate(head);
            }
            if k > 1 {
                let s = x.sum(sum);
                let weight = x.constant(Constant::MinusOverK);
                head = x.multiply_add(weight, s, head);
            }
            let inverse = x.slot(inverse);
            x.mul(head, inverse)
        }
        Rule::Atan2 { y, x: abscissa, y0, x0, inverse, sums } => {
            let (y0, x0) = (x.slot(y0), x.slot(x0));
            let (y, abscissa) = (x.at(y), x.at(abscissa));
            let product = x.mul(abscissa, y0);
            let minus = x.negate(product);
            let mut head = x.multiply_add(y, x0, minus);
            if k > 1 {
                let [p, q, r] = sums.map(|s| x.sum(s));
                let s = x.sub(p, q);
                let s = x.sub(s, r);
                let over_k = x.constant(Constant::OverK);
                head = x.multiply_add(over_k, s, head);
            }
            let inverse = x.slot(inverse);
            x.mul(head, inverse)
        }
        Rule::Select { comparison, p, q, then, otherwise } => {
            let (p, q) = (x.slot(p), x.slot(q));
            let [then, otherwise] = [then, otherwise].map(|node| at_or_zero(x, node));
            x.select(comparison, [p, q, then, otherwise])
        }
    })
}

#[inline(always)]
fn at_or_zero<A: Arithmetic>(x: &mut A, node: Option<NodeId>) -> A::Number {
    match node {
        Some(node) => x.at(node),
        None => x.number(0.0),
    }
}

/// `factor aₖ + S`, or with a weight `factor aₖ + weight S`.
#[inline(always)]
fn newest_and_sum<A: Arithmetic>(
    x: &mut A,
    factor: Slot,
    a: NodeId,
    sum: SumId,
    weight: Option<Constant>,
) -> A::Number {
    if x.order() == 1 {
        let (factor, a) = (x.slot(factor), x.at(a));
        return x.mul(factor, a);
    }
    let mut s = x.sum(sum);
    if let Some(weight) = weight {
        let weight = x.constant(weight);
        s = x.mul(s, weight);
    }
    let (factor, a) = (x.slot(factor), x.at(a));
    x.multiply_add(factor, a, s)
}

/// cₖ = (aₖ − S(b, c)) / b₀ − (c₀/b₀) bₖ; the numerator may be constant.
#[inline(always)]
fn quotient<A: Arithmetic>(
    x: &mut A,
    a: Option<NodeId>,
    b: NodeId,
    [inverse, ratio]: [Slot; 2],
    sum: SumId,
) -> A::Number {
    let head = match (a, x.order() > 1) {
        (Some(a), true) => {
            let s = x.sum(sum);
            let a = x.at(a);
            let difference = x.sub(a, s);
            let inverse = x.slot(inverse);
            x.mul(difference, inverse)
        }
        (Some(a), false) => {
            let (a, inverse) = (x.at(a), x.slot(inverse));
            x.mul(a, inverse)
        }
        (None, true) => {
            let s = x.sum(sum);
            let inverse = x.slot(inverse);
            let product = x.mul(s, inverse);
            x.negate(product)
        }
        (None, false) => {
            let (ratio, b) = (x.slot(ratio), x.at(b));
            let product = x.mul(ratio, b);
            return x.negate(product);
        }
    };
    let (ratio, b) = (x.slot(ratio), x.at(b));
    x.multiply_sub(ratio, b, head)
}

/// The terms of S that [`older`] adds up: number 2 to this one.
pub fn last_older(k: usize, is_square: bool) -> usize {
    if is_square { (k - 1) / 2 } else { k - 2 }
}

/// Whether S of order k has terms that [`older`] adds up.
#[cfg(feature = "jit")]
pub fn has_older(k: usize, is_square: bool) -> bool {
    last_older(k, is_square) >= 2
}

/// Of S of some orders k ≥ 2 the terms without a coefficient of order k − 1, in as many partial sums as are asked for, `term(n, j, i)`
/// being the factors of orders j and i = k − j for order number n. Of a square these are the terms below the middle, once.
///
/// They are known one order before they are needed. So the sums of two orders can be made together, which then share most of what
/// they read: aⱼ stands in both, and b of one term in the next.
#[inline(always)]
pub fn older<A: Arithmetic>(
    x: &mut A,
    orders: &[usize],
    is_square: bool,
    accumulators: usize,
    term: &mut impl FnMut(&mut A, usize, usize, usize) -> (A::Number, A::Number),
) -> SmallVec<[Option<A::Number>; 4]> {
    let mut partial: SmallVec<[SmallVec<[A::Number; 4]>; 4]> = orders.iter().map(|_| SmallVec::new()).collect();
    let last = orders.iter().map(|k| last_older(*k, is_square)).max().unwrap_or(0);
    for j in 2..=last {
        for (n, k) in orders.iter().enumerate().filter(|(_, k)| j <= last_older(**k, is_square)) {
            let (a, b) = term(x, n, j, k - j);
            let slot = (j - 2) % accumulators;
            if slot < partial[n].len() {
                partial[n][slot] = x.multiply_add(a, b, partial[n][slot]);
            } else {
                let product = x.mul(a, b);
                partial[n].push(product);
            }
        }
    }
    let mut total = |partial: SmallVec<[A::Number; 4]>| match *partial.as_slice() {
        [] => None,
        [a] => Some(a),
        [a, b] => Some(x.add(a, b)),
        [a, b, c] => {
            let ab = x.add(a, b);
            Some(x.add(ab, c))
        }
        [a, b, c, d, ..] => {
            let (ab, cd) = (x.add(a, b), x.add(c, d));
            Some(x.add(ab, cd))
        }
    };
    partial.into_iter().map(&mut total).collect()
}

/// S of order k ≥ 2 from its older terms and its terms `term(j, i)`. Those with the newest coefficient come last, so that nothing
/// waits for it longer than it must.
#[inline(always)]
pub fn sum<A: Arithmetic>(
    x: &mut A,
    is_square: bool,
    older: Option<A::Number>,
    term: &mut impl FnMut(&mut A, usize, usize) -> (A::Number, A::Number),
) -> A::Number {
    let k = x.order();
    let mut total = older;
    let mut newest = |x: &mut A, j: usize| {
        let (a, b) = term(x, j, k - j);
        total = Some(match total {
            None => x.mul(a, b),
            Some(total) => x.multiply_add(a, b, total),
        });
    };
    if !is_square || k > 2 {
        newest(x, 1);
    }
    if !is_square && k > 2 {
        newest(x, k - 1);
    }
    if !is_square {
        return total.unwrap_or_else(|| x.number(0.0));
    }
    let doubled = total.map(|t| x.add(t, t));
    if k % 2 == 1 {
        return doubled.unwrap_or_else(|| x.number(0.0));
    }
    let (middle, _) = term(x, k / 2, k / 2);
    match doubled {
        Some(doubled) => x.multiply_add(middle, middle, doubled),
        None => x.mul(middle, middle),
    }
}

/// All unknowns of a system at order k: A₀ xₖ = bₖ − Σ (Aₖ x₀ + S(A, x)).
pub fn unknowns<A: Arithmetic>(x: &mut A, system: &System) -> Vec<A::Number> {
    let n = system.n;
    let mut r = Vec::with_capacity(n);
    for i in 0..n {
        let mut right = at_or_zero(x, system.rhs[i]);
        for j in 0..n {
            if let Some((node, sum)) = system.matrix[i * n + j] {
                if x.order() > 1 {
                    let s = x.sum(sum);
                    right = x.sub(right, s);
                }
                let (a, x0) = (x.at(node), x.slot(system.x0[j]));
                right = x.multiply_sub(a, x0, right);
            }
        }
        r.push(right);
    }
    match &system.factors {
        Factors::Symmetric { lower, pivots } => {
            for i in 0..n {
                for j in 0..i {
                    if let Some(l) = lower[i * n + j] {
                        let l = x.slot(l);
                        r[i] = x.multiply_sub(l, r[j], r[i]);
                    }
                }
            }
            for i in (0..n).rev() {
                let pivot = x.slot(pivots[i]);
                r[i] = x.mul(r[i], pivot);
                for j in i + 1..n {
                    if let Some(l) = lower[j * n + i] {
                        let l = x.slot(l);
                        r[i] = x.multiply_sub(l, r[j], r[i]);
                    }
                }
            }
            r
        }
        Factors::Inverse(entries) => (0..n)
            .map(|i| {
                let first = x.slot(entries[i * n]);
                let mut sum = x.mul(first, r[0]);
                for j in 1..n {
                    let entry = x.slot(entries[i * n + j]);
                    sum = x.multiply_add(entry, r[j], sum);
                }
                sum
            })
            .collect(),
    }
}
