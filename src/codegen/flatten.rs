//! Equations multiplied out where that makes them shorter.
//!
//! A derivation leaves sums as it finds them. In ∂L/∂q − d/dt ∂L/∂q′ of a pendulum with several links, sin(q₁−q₂) q₁′q₂′ stands in
//! one place and sin(q₁−q₂) (q₁′−q₂′) q₂′ in another, and only their difference, sin(q₁−q₂) q₂′², is needed. Multiplying out
//! lets like terms meet. Where nothing meets, as with differences of coordinates over their distance, it only makes more
//! terms; so both forms are counted, and the shorter one is taken.

use crate::algebra::expr::post_order;
use crate::algebra::{Expr, Node, Rational};

/// The expressions themselves, or all of them multiplied out, whichever takes fewer operations.
pub fn shorter(list: &[Expr]) -> Vec<Expr> {
    let Some(flat) = list.iter().map(|e| multiplied_out(*e)).collect::<Option<Vec<_>>>() else { return list.to_vec() };
    if cost(&flat) < cost(list) { flat } else { list.to_vec() }
}

/// Sums longer than this are not multiplied into anything.
const LONG: usize = 4;

/// A sum of products without sums among their factors; `None` when that becomes too long.
fn multiplied_out(e: Expr) -> Option<Expr> {
    let mut constant = Rational::ZERO;
    let mut terms: Vec<(Expr, Rational)> = Vec::new();
    let mut work = vec![(e, Rational::ONE)];
    let limit = 200 + 8 * post_order(&[e]).len();
    let mut done = 0;
    while let Some((x, coefficient)) = work.pop() {
        done += 1;
        if done > limit {
            return None;
        }
        match x.node() {
            Node::Number(n) => constant = &constant + &(n * &coefficient),
            Node::Sum { constant: own, terms } => {
                constant = &constant + &(own * &coefficient);
                work.extend(terms.iter().map(|(t, c)| (*t, c * &coefficient)));
            }
            Node::Product(factors) => {
                let short = |(base, exponent): &(Expr, Rational)| {
                    exponent.is_one() && matches!(base.node(), Node::Sum { terms, .. } if terms.len() <= LONG)
                };
                let Some(place) = factors.iter().position(short) else {
                    terms.push((x, coefficient));
                    continue;
                };
                let Node::Sum { constant: own, terms: inner } = factors[place].0.node() else {
                    unreachable!("a sum was found")
                };
                let others: Vec<_> =
                    factors.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, f)| f.clone()).collect();
                let times = |t: Expr| Expr::product(Rational::ONE, others.iter().cloned().chain([(t, Rational::ONE)]));
                work.extend(inner.iter().map(|(t, c)| (times(*t), c * &coefficient)));
                if !own.is_zero() {
                    work.push((times(Expr::one()), own * &coefficient));
                }
            }
            _ => terms.push((x, coefficient)),
        }
    }
    Some(Expr::sum(constant, terms))
}

/// Operations, shared ones counted once.
fn cost(list: &[Expr]) -> usize {
    let operations = |e: &Expr| match e.node() {
        Node::Sum { terms, .. } => terms.iter().map(|(_, c)| if c.abs().is_one() { 1 } else { 2 }).sum(),
        Node::Product(factors) => factors.len(),
        Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
        _ => 4,
    };
    post_order(list).iter().map(operations).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Symbol;
    use crate::algebra::function::Elementary;

    #[test]
    fn like_terms_meet() {
        let [s, u, v] = ["s", "u", "v"].map(|n| Expr::symbol(Symbol::parameter(n)));
        let sin = Expr::apply(Elementary::Sin, &[s]);
        // s u v − s (u − v) v = s v²
        let e = sin * u * v - sin * (u - v) * v;
        assert_eq!(shorter(&[e]), vec![sin * v.pow(2)]);
    }

    #[test]
    fn nothing_is_multiplied_out_in_vain() {
        let [x, y, r] = ["x", "y", "r"].map(|n| Expr::symbol(Symbol::parameter(n)));
        let e = (x - y) * r.pow(-3) + (x - y).pow(2) * r;
        assert_eq!(shorter(&[e]), vec![e]);
    }
}
