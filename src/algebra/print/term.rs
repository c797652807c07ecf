//! A term, taken apart for printing: sign, number, what stands above and below the fraction bar.

use crate::algebra::assume::sign_of_shape;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::number::{Integer, Rational};

/// ± (upper · numerator) / (lower · denominator).
pub struct Term {
    pub negative: bool,
    /// The number above the bar; `None` is 1.
    pub upper: Option<String>,
    /// The number below the bar; `None` is 1.
    pub lower: Option<String>,
    pub numerator: Vec<Factor>,
    pub denominator: Vec<Factor>,
}

pub enum Factor {
    /// base^exponent, exponent > 0.
    Power {
        base: Expr,
        exponent: Rational,
        /// The base is shown as its opposite; the sign of the term accounts for it.
        opposite: bool,
    },
    /// The root of a whole number.
    Surd { radicand: Integer, root: u32 },
    /// A square root of several factors, √(k/m).
    Root(Box<Term>),
}

impl Term {
    pub fn number(n: &Rational) -> Term {
        let (upper, lower) = number_text(&n.abs());
        Term { negative: n.is_negative(), upper: Some(upper), lower, numerator: Vec::new(), denominator: Vec::new() }
    }

    /// coefficient · Π base^exponent.
    pub fn new(coefficient: &Rational, factors: &[(Expr, Rational)]) -> Term {
        if let [(e, exponent)] = factors
            && let (Node::Number(n), true) = (e.node(), exponent.is_one())
        {
            return Term::number(&(n * coefficient));
        }
        let negative = coefficient.is_negative();
        let mut coefficient = coefficient.abs();
        let mut surds: Vec<(u32, Integer)> = Vec::new();
        let mut halves: Vec<(Expr, bool)> = Vec::new();
        let mut others: Vec<(Expr, Rational)> = Vec::new();
        for (base, exponent) in factors {
            if let Some((root, radicand)) = as_surd(*base, exponent) {
                match surds.iter_mut().find(|(r, _)| *r == root) {
                    Some((_, product)) => *product = &*product * &radicand,
                    None => surds.push((root, radicand)),
                }
            } else if exponent.abs() == Rational::HALF {
                halves.push((*base, exponent.is_negative()));
            } else {
                others.push((*base, exponent.clone()));
            }
        }
        // √a·√b is √(ab) where both are known to be nonnegative; √2·√x is √(2x) anyway.
        let square = surds.iter().position(|(root, _)| *root == 2);
        let known: Vec<bool> = halves.iter().map(|(b, _)| sign_of_shape(*b).is_nonnegative()).collect();
        let merges = match halves.len() {
            0 => false,
            1 => square.is_some() && (known[0] || !halves[0].1),
            _ => known.iter().all(|k| *k),
        };
        let mut term = Term { negative, upper: None, lower: None, numerator: Vec::new(), denominator: Vec::new() };
        if merges {
            let mut inside = Rational::ONE;
            if let Some(at) = square {
                let (_, n) = surds.remove(at);
                // (1/q)·√n = (g/q)·√(n/g²)
                let g = n.gcd(coefficient.denominator());
                coefficient = &coefficient * &Rational::integer(g.clone());
                inside = Rational::new(n, &g * &g);
            }
            let upside_down = inside.is_one() && halves.iter().all(|(_, below)| *below);
            let factors: Vec<(Expr, Rational)> = halves
                .iter()
                .flat_map(|(b, below)| {
                    let sign = if *below != upside_down { Rational::MINUS_ONE } else { Rational::ONE };
                    match b.node() {
                        Node::Product(inner) => inner.iter().map(|(x, n)| (*x, n * &sign)).collect(),
                        _ => vec![(*b, sign)],
                    }
                })
                .collect();
            let root = Factor::Root(Box::new(Term::new(&inside, &factors)));
            if upside_down { term.denominator.push(root) } else { term.numerator.push(root) }
        } else {
            for (base, below) in halves {
                term.power(base, if below { -&Rational::HALF } else { Rational::HALF });
            }
        }
        for (base, exponent) in others {
            term.power(base, exponent);
        }
        surds.sort_by_key(|(root, _)| *root);
        for (root, radicand) in surds {
            term.numerator.push(Factor::Surd { radicand, root });
        }
        let (upper, lower) = number_text(&coefficient);
        term.upper = (upper != "1").then_some(upper);
        term.lower = lower;
        term
    }

    fn power(&mut self, base: Expr, exponent: Rational) {
        if exponent.is_negative() {
            self.denominator.push(Factor::Power { base, exponent: -&exponent, opposite: false });
        } else {
            self.numerator.push(Factor::Power { base, exponent, opposite: false });
        }
    }

    pub fn has_denominator(&self) -> bool {
        self.lower.is_some() || !self.denominator.is_empty()
    }

    /// Whether it is one sign-free symbol, call or whole number, so that a `^` may follow.
    pub fn is_atomic(&self) -> bool {
        if self.negative || self.has_denominator() {
            return false;
        }
        match (&self.upper, self.numerator.as_slice()) {
            (Some(_), []) => true,
            (None, [Factor::Power { base, exponent, .. }]) => {
                exponent.is_one() && !matches!(base.node(), Node::Power(..) | Node::Sum { .. })
            }
            (None, [Factor::Surd { root: 2, .. }]) => true,
            _ => false,
        }
    }
}

/// A whole number to a power between 0 and 1 as a root.
fn as_surd(base: Expr, exponent: &Rational) -> Option<(u32, Integer)> {
    let n = base.as_number().filter(|n| n.is_integer())?;
    let root = u32::try_from(exponent.denominator().to_i64()?).ok().filter(|r| *r > 1)?;
    let power = u32::try_from(exponent.numerator().to_i64()?).ok().filter(|p| *p < 64)?;
    Some((root, n.numerator().pow(power).ok()?))
}

/// A nonnegative number as text above and below the bar. 1/2, 3/4, 2/5, 1/3 are fractions; what a
/// user would type as a decimal number is one: 9.81, 0.1, 0.001.
pub fn number_text(n: &Rational) -> (String, Option<String>) {
    if n.is_integer() {
        return (n.numerator().to_string(), None);
    }
    let denominator = n.denominator();
    let fifth = denominator.to_i64() == Some(5) && *n < Rational::ONE;
    let has_five = denominator.div_exact(&Integer::from(5)).is_some();
    if has_five
        && !fifth
        && let Some(decimal) = n.to_decimal()
        && decimal.len() <= 14
    {
        return (decimal, None);
    }
    (n.numerator().to_string(), Some(denominator.to_string()))
}
