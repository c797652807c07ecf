//! Products under construction: equal bases are merged, numbers are collected in front, and powers
//! follow the real numbers.

use super::pool::{self, Pairs};
use super::{BudgetKind, Expr, Node, Undefined};
use crate::algebra::assume::sign_of_shape;
use crate::algebra::function::Elementary;
use crate::algebra::number::{Integer, Rational};
use crate::budget::Exhausted;

/// Collects the factors of a product.
pub(super) struct ProductBuilder {
    coefficient: Rational,
    factors: Pairs,
    failed: Option<Expr>,
}

impl ProductBuilder {
    pub(super) fn new(coefficient: Rational) -> ProductBuilder {
        ProductBuilder { coefficient, factors: Pairs::new(), failed: None }
    }

    fn fail(&mut self, why: Undefined) {
        self.failed.get_or_insert(Expr::undefined(why));
    }

    fn scale(&mut self, by: Result<Rational, Exhausted>) {
        match by {
            Ok(by) => self.coefficient = &self.coefficient * &by,
            Err(_) => self.fail(Undefined::Budget(BudgetKind::Bits)),
        }
    }

    /// Multiplies by base^exponent.
    pub(super) fn multiply(&mut self, base: Expr, exponent: Rational) {
        if exponent.is_zero() {
            // x^0 = 1, the convention that makes polynomials work; 0^0 is 1 with it.
            if base.as_undefined().is_some() {
                self.failed.get_or_insert(base);
            }
            return;
        }
        match base.node() {
            Node::Undefined(_) => {
                self.failed.get_or_insert(base);
            }
            Node::Number(n) => self.number(n, &exponent),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                let (term, coefficient) = &terms[0];
                if exponent.is_integer() || !coefficient.is_negative() {
                    self.number(coefficient, &exponent);
                    self.multiply(*term, exponent);
                } else {
                    self.number(&coefficient.abs(), &exponent);
                    self.factors.push((-*term, exponent));
                }
            }
            // The factors of a product are normalised already.
            Node::Product(factors) if exponent.is_one() => self.factors.extend(factors.iter().cloned()),
            Node::Product(factors) if exponent.is_integer() => {
                for (b, e) in factors.iter() {
                    self.multiply(*b, e * &exponent);
                }
            }
            Node::Product(factors) => self.root_of_product(factors, &exponent),
            // (|u|)^(2k) = u^(2k)
            Node::Apply(Elementary::Abs, u) if exponent.to_i64().is_some_and(|n| n % 2 == 0) => {
                self.multiply(u[0], exponent);
            }
            // (e^u)^r = e^(ru)
            Node::Apply(Elementary::Exp, u) if !exponent.is_one() => {
                self.rewritten(Expr::apply(Elementary::Exp, &[u[0].scale(&exponent)]));
            }
            Node::Power(b, e) if !exponent.is_one() => {
                // The base of a real power is positive, so the exponents multiply.
                self.rewritten(b.power(e.scale(&exponent)));
            }
            _ => self.factors.push((base, exponent)),
        }
    }

    /// Multiplies by a power that was computed as a whole, and may have become anything.
    fn rewritten(&mut self, e: Expr) {
        match e.node() {
            Node::Apply(Elementary::Exp, _) | Node::Power(..) => self.factors.push((e, Rational::ONE)),
            _ => self.multiply(e, Rational::ONE),
        }
    }

    /// (Π bᵢ^eᵢ)^r for a fractional r: factors of known nonnegative sign come out, even powers come
    /// out as absolute values, the rest stays together under the root.
    fn root_of_product(&mut self, factors: &[(Expr, Rational)], exponent: &Rational) {
        let mut rest = Pairs::new();
        for (b, e) in factors {
            let sign = sign_of_shape(*b);
            if sign.is_nonnegative() {
                self.multiply(*b, e * exponent);
            } else if e.to_i64().is_some_and(|n| n % 2 == 0) {
                self.multiply(Expr::apply(Elementary::Abs, &[*b]), e * exponent);
            } else if !e.is_integer() {
                // A fractional power is nonnegative wherever it is real.
                self.multiply(*b, e * exponent);
            } else {
                rest.push((*b, e.clone()));
            }
        }
        match rest.len() {
            0 => {}
            1 if rest[0].1.is_one() => self.factors.push((rest[0].0, exponent.clone())),
            _ => {
                let inner = pool::product(rest);
                self.factors.push((inner, exponent.clone()));
            }
        }
    }

    /// n^exponent for a number n: the rational part goes into the coefficient, and what remains is a
    /// product of primes with exponents between 0 and 1.
    fn number(&mut self, n: &Rational, exponent: &Rational) {
        if n.is_zero() {
            if exponent.is_negative() {
                self.fail(Undefined::DivisionByZero);
            } else {
                self.coefficient = Rational::ZERO;
            }
            return;
        }
        if let Some(power) = exponent.to_i64() {
            return self.scale(n.pow(power));
        }
        if n.is_negative() {
            return self.fail(Undefined::NotReal);
        }
        if n.is_one() {
            return;
        }
        if !exponent.is_integer() && exponent.bits() > 32 {
            self.factors.push((Expr::number(n.clone()), exponent.clone()));
            return;
        }
        self.integer_root(n.numerator(), exponent);
        self.integer_root(n.denominator(), &-exponent);
    }

    fn integer_root(&mut self, n: &Integer, exponent: &Rational) {
        for (prime, multiplicity) in partial_factors(n) {
            let total = exponent * &Rational::from(i64::from(multiplicity));
            let whole = total.floor();
            let rest = &total - &Rational::integer(whole.clone());
            match whole.to_i64() {
                Some(whole) => self.scale(Rational::integer(prime.clone()).pow(whole)),
                None => self.fail(Undefined::Budget(BudgetKind::Bits)),
            }
            if !rest.is_zero() {
                self.factors.push((Expr::number(Rational::integer(prime)), rest));
            }
        }
    }

    /// What the coefficient multiplies, and the coefficient.
    pub(super) fn finish(mut self) -> (Expr, Rational) {
        if let Some(failed) = self.failed {
            return (failed, Rational::ONE);
        }
        if self.coefficient.is_zero() {
            return (Expr::zero(), Rational::ONE);
        }
        self.merge();
        if let Some(failed) = self.failed {
            return (failed, Rational::ONE);
        }
        if self.coefficient.bits() > crate::budget::MAX_BITS {
            return (Expr::undefined(Undefined::Budget(BudgetKind::Bits)), Rational::ONE);
        }
        let body = match self.factors.len() {
            0 => Expr::one(),
            1 if self.factors[0].1.is_one() => self.factors[0].0,
            _ => pool::product(self.factors),
        };
        (body, self.coefficient)
    }

    /// Whole powers of −S beside a root of S are written as powers of S: (x² − 1)·√(1 − x²) is −(1 − x²)^(3/2).
    fn align_with_roots(&mut self) {
        let is_sum = |e: Expr| matches!(e.node(), Node::Sum { .. });
        let is_root = |(base, exponent): &(Expr, Rational)| !exponent.is_integer() && is_sum(*base);
        let has_whole = self.factors.iter().any(|(base, exponent)| exponent.is_integer() && is_sum(*base));
        if !has_whole || !self.factors.iter().any(is_root) {
            return;
        }
        let roots: Vec<Expr> = self.factors.iter().filter(|f| is_root(f)).map(|(base, _)| *base).collect();
        for root in roots {
            let opposite = -root;
            for (base, exponent) in self.factors.iter_mut().filter(|(base, _)| *base == opposite) {
                if let Some(n) = exponent.to_i64() {
                    *base = root;
                    if n % 2 != 0 {
                        self.coefficient = -&self.coefficient;
                    }
                }
            }
        }
    }

    /// Adds the exponents of equal bases. A positive and a negative one stay apart, unless the base vanishes nowhere: x²/x has
    /// no value at 0, and what cancels is the business of [`crate::algebra::normal`], which says so.
    fn merge(&mut self) {
        self.align_with_roots();
        let strictly = |list: &[(Expr, Rational)]| list.is_sorted_by(|a, b| a.0 < b.0);
        if strictly(&self.factors) {
            return;
        }
        self.factors.sort_by_key(|(e, exponent)| (*e, exponent.is_negative()));
        if strictly(&self.factors) {
            return;
        }
        let mut merged = Pairs::new();
        let mut again = Vec::new();
        for (base, exponent) in std::mem::take(&mut self.factors) {
            match merged.last_mut() {
                Some((last, sum))
                    if *last == base
                        && (sum.is_negative() == exponent.is_negative() || sign_of_shape(base).is_nonzero()) =>
                {
                    *sum = &*sum + &exponent;
                }
                _ => merged.push((base, exponent)),
            }
        }
        for (base, exponent) in merged {
            if exponent.is_zero() {
                continue;
            }
            // Merging may have made a number's exponent whole, or a root of a product a product.
            let settled = match base.node() {
                Node::Number(_) => !exponent.is_integer() && !exponent.is_negative() && exponent < Rational::ONE,
                Node::Product(_) => !exponent.is_integer(),
                Node::Apply(Elementary::Abs, _) => exponent.to_i64().is_none_or(|n| n % 2 != 0),
                _ => true,
            };
            if settled {
                self.factors.push((base, exponent));
            } else {
                again.push((base, exponent));
            }
        }
        if !again.is_empty() {
            for (base, exponent) in again {
                self.multiply(base, exponent);
            }
            self.merge();
        }
    }
}

/// n > 0 as a product of pairwise different numbers: primes below a bound by trial division, and the
/// remaining part (split if it is a perfect square or cube) as one factor.
pub(crate) fn partial_factors(n: &Integer) -> Vec<(Integer, u32)> {
    let mut factors = Vec::new();
    let mut rest = n.clone();
    let mut p = 2i64;
    while p < 2000 && !rest.is_one() {
        let prime = Integer::from(p);
        let mut multiplicity = 0;
        while let Some(q) = rest.div_exact(&prime) {
            rest = q;
            multiplicity += 1;
        }
        if multiplicity > 0 {
            factors.push((prime, multiplicity));
        }
        if rest.to_i64().is_some_and(|r| p * p > r) {
            break;
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if !rest.is_one() {
        for k in [2, 3, 5] {
            if let Some(root) = rest.exact_root(k) {
                factors.push((root, k));
                return factors;
            }
        }
        factors.push((rest, 1));
    }
    factors
}
