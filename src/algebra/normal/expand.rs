//! Multiplying out. `expand` distributes products over sums and powers of sums, and does nothing else: no
//! relation between functions is used, sin² stays sin². Arguments of functions are expanded too.

use super::{power, times};
use crate::algebra::Inquiry;
use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;

/// The expression as a sum of products.
pub fn expand(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    let mut atoms = Atoms::default();
    let mut read: FxHashMap<Expr, Polynomial> = FxHashMap::default();
    for x in post_order(&[e]) {
        cx.check()?;
        let p = match x.node() {
            Node::Number(n) => Polynomial::constant(n.clone()),
            Node::Undefined(_) => return Ok(x),
            Node::Sum { constant, terms } => {
                let mut sum = Polynomial::constant(constant.clone());
                for (t, c) in terms.iter() {
                    sum = &sum + &read[t].scale(c);
                }
                sum
            }
            Node::Product(factors) => {
                let mut product = Polynomial::one();
                for (b, n) in factors.iter() {
                    let inner = &read[b];
                    let factor = match n.to_i64() {
                        Some(n) if n > 0 && inner.n_terms() > 1 => {
                            power(cx, inner, i32::try_from(n).map_err(|_| Exhausted::Size)?)?
                        }
                        // A power of one term, or of what is not multiplied out: an atom of its own.
                        _ => atoms.variable(atoms.write(inner).pow(n.clone())),
                    };
                    product = times(cx, &product, &factor)?;
                }
                product
            }
            // Bound variables and branches stay where they are.
            Node::Pi | Node::Symbol(_) | Node::Integral { .. } | Node::Piecewise { .. } => atoms.variable(x),
            Node::Power(..) | Node::Apply(..) | Node::Unknown { .. } => {
                let children: Vec<Expr> = x.children().iter().map(|c| atoms.write(&read[c])).collect();
                let rebuilt =
                    if children.as_slice() == x.children().as_slice() { x } else { x.with_children(&children) };
                atoms.variable(rebuilt)
            }
        };
        read.insert(x, p);
    }
    Ok(atoms.write(&read[&e]))
}

/// The expressions that are not multiplied out, as variables.
#[derive(Default)]
struct Atoms {
    list: Vec<Expr>,
    numbers: FxHashMap<Expr, u32>,
}

impl Atoms {
    fn variable(&mut self, e: Expr) -> Polynomial {
        match e.node() {
            Node::Number(n) => return Polynomial::constant(n.clone()),
            // A number times an atom, where a power was written back.
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                return self.variable(terms[0].0).scale(&terms[0].1);
            }
            _ => {}
        }
        let list = &mut self.list;
        let number = *self.numbers.entry(e).or_insert_with(|| {
            list.push(e);
            list.len() as u32 - 1
        });
        Polynomial::variable(number)
    }

    fn write(&self, p: &Polynomial) -> Expr {
        let product = |m: Monomial| {
            let factors = m.iter().map(|&(v, n)| (self.list[v as usize], Rational::from(i64::from(n))));
            Expr::product(Rational::ONE, factors)
        };
        Expr::sum(Rational::ZERO, p.terms().map(|(m, c)| (product(m), c)))
    }
}
