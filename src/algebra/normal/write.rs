//! Writing a normal form as an expression.
//!
//! Equal forms give the same node, whatever they were read from. Powers of one base are joined before
//! they are written (g·R⁻¹ with g = √R is R^(−1/2), |x|/x is sign x, |x|/x² is 1/|x|), and so are
//! exponentials.

use super::NormalForm;
use crate::algebra::Inquiry;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::function::Elementary::{Abs, Exp, Sign};
use crate::algebra::generator::{Generator, Kind};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;

/// Π base^exponent on the way to an expression, equal bases joined.
#[derive(Default)]
pub(super) struct Product {
    factors: Vec<(Expr, Rational)>,
    exponents: Vec<(Expr, Rational)>,
}

impl Product {
    pub(super) fn multiply(&mut self, base: Expr, exponent: Rational) {
        match self.factors.iter_mut().find(|(b, _)| *b == base) {
            Some((_, n)) => *n = &*n + &exponent,
            None => self.factors.push((base, exponent)),
        }
    }

    /// Multiplies by the factors of an expression; what is left over is its number.
    pub(super) fn expression(&mut self, e: Expr) -> Rational {
        match e.node() {
            Node::Number(n) => n.clone(),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                &self.expression(terms[0].0) * &terms[0].1
            }
            Node::Product(factors) => {
                factors.iter().for_each(|(base, n)| self.multiply(*base, n.clone()));
                Rational::ONE
            }
            _ => {
                self.multiply(e, Rational::ONE);
                Rational::ONE
            }
        }
    }

    pub(super) fn generator(&mut self, g: u32, n: i64) {
        let n = Rational::from(n);
        match Generator(g).kind() {
            Kind::Exponential(u) => self.exponents.push((u, n)),
            Kind::Root { base, degree, .. } => self.multiply(base, &n / &Rational::from(i64::from(degree))),
            _ => self.multiply(Generator(g).meaning(), n),
        }
    }

    /// |u|·u^k: sign(u)·u^(k+1) for odd k < 0, and |u|^(k+1) for even k < 0.
    fn join_signs(&mut self) {
        for i in 0..self.factors.len() {
            let (base, n) = &self.factors[i];
            let (base, n) = (*base, n.to_i64());
            let (Node::Apply(Abs, u), Some(1)) = (base.node(), n) else { continue };
            let u = u[0];
            let Some(j) = self.factors.iter().position(|(b, k)| *b == u && k.is_integer() && k.is_negative()) else {
                continue;
            };
            let k = self.factors[j].1.clone();
            let lifted = &k + &Rational::ONE;
            if k.numerator().is_even() {
                self.factors[i].1 = lifted;
                self.factors[j].1 = Rational::ZERO;
            } else {
                self.factors[i] = (Expr::apply(Sign, &[u]), Rational::ONE);
                self.factors[j].1 = lifted;
            }
        }
    }

    pub(super) fn finish(mut self, coefficient: Rational) -> Expr {
        self.join_signs();
        if !self.exponents.is_empty() {
            let argument = Expr::sum(Rational::ZERO, self.exponents);
            self.factors.push((Expr::apply(Exp, &[argument]), Rational::ONE));
        }
        // What was cancelled is known to the form; building the expression adds no condition.
        Expr::product(coefficient, self.factors)
    }
}

/// Π generatorⁿ.
pub(super) fn powers_expr(powers: impl IntoIterator<Item = (u32, i64)>) -> Expr {
    let mut product = Product::default();
    for (g, n) in powers {
        product.generator(g, n);
    }
    product.finish(Rational::ONE)
}

/// The polynomial in its generators, expanded.
pub fn polynomial_expr(p: &Polynomial) -> Expr {
    if let Some(n) = p.as_constant() {
        return Expr::number(n);
    }
    let mut constant = Rational::ZERO;
    let mut terms = Vec::with_capacity(p.n_terms());
    for (monomial, coefficient) in p.terms() {
        if monomial.is_empty() {
            constant = coefficient;
        } else {
            terms.push((powers_expr(monomial.iter().map(|&(g, n)| (g, i64::from(n)))), coefficient));
        }
    }
    Expr::sum(constant, terms)
}

impl NormalForm {
    /// The form as an expression, factored as it is.
    pub fn to_expr(&self, cx: &Inquiry) -> Expr {
        if let Some(why) = self.as_undefined() {
            return Expr::undefined(why);
        }
        if self.is_zero() {
            return Expr::zero();
        }
        let form = self.with_roots_below(cx);
        let mut product = Product::default();
        for &(g, n) in &form.powers {
            product.generator(g, i64::from(n));
        }
        for (p, n) in &form.factors {
            product.multiply(polynomial_expr(p), Rational::from(i64::from(*n)));
        }
        product.finish(form.coefficient.clone())
    }

    /// Undoes g⁻¹ = g^(n−1)/R where all of R stands in the denominator: 1/√(xy) rather than √(xy)/(xy).
    pub(super) fn with_roots_below(&self, cx: &Inquiry) -> NormalForm {
        let mut form = self.clone();
        let roots: Vec<u32> = form.powers.iter().filter(|p| p.1 > 0).map(|p| p.0).collect();
        for g in roots {
            let Kind::Root { degree, radicand, .. } = Generator(g).kind() else { continue };
            if radicand.is_constant() {
                continue;
            }
            let Ok(radicand) = NormalForm::polynomial(cx, (*radicand).clone()) else { continue };
            let below = |form: &NormalForm| {
                radicand.powers.iter().all(|(h, n)| form.powers.iter().any(|(k, m)| h == k && *m <= -n))
                    && radicand.factors.iter().all(|(p, n)| form.exponent_of(p) <= -n)
            };
            if !below(&form) {
                continue;
            }
            let Ok(joined) = form.clone().times_unsettled(cx, &radicand, g, degree) else { continue };
            form = joined;
        }
        form
    }

    /// self · radicand · g^(−degree), without lowering powers of roots again.
    fn times_unsettled(
        mut self,
        cx: &Inquiry,
        radicand: &NormalForm,
        g: u32,
        degree: u32,
    ) -> crate::budget::Budgeted<NormalForm> {
        self.coefficient = &self.coefficient * &radicand.coefficient;
        for &(h, n) in &radicand.powers {
            self.multiply_power(cx, h, n)?;
        }
        for (p, n) in &radicand.factors {
            self.multiply_factor(p, *n)?;
        }
        self.multiply_power(cx, g, -(degree as i32))?;
        Ok(self)
    }
}
