//! Normal forms: expressions as rational functions of independent generators.
//!
//! ```text
//! coefficient · Π generatorⁿ · Π polynomialᵐ
//! ```
//!
//! The exponents are integers of either sign, the polynomials are primitive and reduced modulo the
//! relations of [`super::generator`]. The form stays *factored*: a product of normal forms multiplies
//! nothing out, a sum first takes out the factors its terms share and expands only what is left. So
//! the zero test of a product of twelve sums looks at twelve sums, and
//! `(x² − y²)·K − (x + y)(x − y)·K` never looks inside `K`.
//!
//! An expression vanishes if its form is zero. Forms of equal expressions need not look alike (x² − 1
//! against (x − 1)(x + 1)); [`NormalForm::fraction`] expands to the one quotient of coprime
//! polynomials when that is wanted.
//!
//! What disappears from a denominator is kept as a condition ([`NormalForm::conditions`]) and handed
//! to [`super::conditions`] by the verbs of this module: [`simplify`], [`expand`], [`collect`],
//! [`numerator`], [`denominator`].
//!
//! Reading an expression is in [`read`], writing it back in [`write`], [`tidy`] and [`mod@collect`], plain multiplying out in
//! [`mod@expand`].

mod angle;
pub mod arrange;
mod collect;
pub mod context;
pub mod expand;
pub(crate) mod fold;
mod power;
pub mod read;
mod tidy;
pub mod write;

use super::conditions::record_nonzero;
use super::expr::{Expr, Node, Undefined};
use super::generator::{Generator, Kind, Relation, reduce};
use super::number::Rational;
use super::polynomial::{Monomial, Polynomial};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use smallvec::SmallVec;
use std::rc::Rc;

pub use arrange::arrange;
pub use collect::collect;
pub use context::Context;
pub use expand::expand;
pub use read::{Memo, canonical_fraction, normal_form, normal_form_in};

/// A rational function of generators, factored.
#[derive(Clone, Debug)]
pub struct NormalForm {
    /// Zero exactly when the form is; then there is nothing else.
    coefficient: Rational,
    /// By increasing generator, no exponent zero.
    powers: SmallVec<[(u32, i32); 4]>,
    /// Primitive polynomials of at least two terms that no generator divides; no exponent zero.
    factors: SmallVec<[(Rc<Polynomial>, i32); 2]>,
    /// Polynomials that were cancelled from a denominator: the form is the expression where they do
    /// not vanish.
    cancelled: Vec<Rc<Polynomial>>,
    undefined: Option<Undefined>,
}

/// Largest exponent that is multiplied out; larger ones are a matter of the budget.
const MAX_POWER: i32 = 4096;
/// Products of more pairs of terms than this are not begun, and results of more terms than
/// [`MAX_EXPANDED`] not continued with: a zero test has other ways.
const MAX_PAIRS: usize = 1 << 22;
const MAX_EXPANDED: usize = 1 << 17;
/// Words of packed monomials up to which a sum is put over one list of generators: a sum of as many terms as
/// generators grows with their square.
const MAX_WORDS: usize = 1 << 21;

/// The product of polynomials, within the limits of a normal form.
fn times(cx: &Inquiry, p: &Polynomial, q: &Polynomial) -> Budgeted<Polynomial> {
    if p.n_terms().saturating_mul(q.n_terms()) > MAX_PAIRS {
        return Err(Exhausted::Size);
    }
    let product = p.mul(cx, q)?;
    if product.n_terms() > MAX_EXPANDED { Err(Exhausted::Size) } else { Ok(product) }
}

fn power(cx: &Inquiry, p: &Polynomial, n: i32) -> Budgeted<Polynomial> {
    if n == 1 {
        return Ok(p.clone());
    }
    if n > MAX_POWER {
        return Err(Exhausted::Size);
    }
    if p.n_terms() <= 1 {
        return p.pow(cx, n as u32);
    }
    let mut product = p.clone();
    for _ in 1..n {
        cx.check()?;
        product = times(cx, &product, p)?;
    }
    Ok(product)
}

impl NormalForm {
    pub fn number(value: impl Into<Rational>) -> NormalForm {
        NormalForm {
            coefficient: value.into(),
            powers: SmallVec::new(),
            factors: SmallVec::new(),
            cancelled: Vec::new(),
            undefined: None,
        }
    }

    pub fn zero() -> NormalForm {
        NormalForm::number(0)
    }

    pub fn one() -> NormalForm {
        NormalForm::number(1)
    }

    pub fn generator(g: Generator) -> NormalForm {
        NormalForm { powers: SmallVec::from_slice(&[(g.0, 1)]), ..NormalForm::one() }
    }

    pub fn undefined(why: Undefined) -> NormalForm {
        NormalForm { undefined: Some(why), ..NormalForm::zero() }
    }

    /// The polynomial, which need not be reduced.
    pub fn polynomial(cx: &Inquiry, p: Polynomial) -> Budgeted<NormalForm> {
        let mut form = NormalForm::one();
        form.multiply_polynomial(cx, reduce(cx, p)?, 1)?;
        Ok(form)
    }

    /// Proved to be zero, where it is defined.
    pub fn is_zero(&self) -> bool {
        self.coefficient.is_zero() && self.undefined.is_none()
    }

    /// Proved to be zero, also where that is seen only after multiplying out: |x| − x and |x| + x are not
    /// zero, but their product is.
    pub fn vanishes(&self, cx: &Inquiry) -> Budgeted<bool> {
        if self.undefined.is_some() || self.coefficient.is_zero() {
            return Ok(self.is_zero());
        }
        let tied = |g: u32| matches!(Generator(g).kind(), Kind::Absolute { .. } | Kind::Indicator | Kind::Root { .. });
        let mut parts: Vec<Vec<u32>> = self.powers.iter().filter(|p| p.1 > 0).map(|p| vec![p.0]).collect();
        parts.extend(self.factors.iter().filter(|f| f.1 > 0).map(|(p, _)| p.variables().to_vec()));
        parts.retain(|list| list.iter().any(|g| tied(*g)));
        if parts.len() < 2 && !self.factors.iter().any(|(p, n)| *n > 1 && p.variables().iter().any(|g| tied(*g))) {
            return Ok(false);
        }
        let mut product = Polynomial::one();
        for &(g, n) in self.powers.iter().filter(|p| p.1 > 0 && tied(p.0)) {
            product = times(cx, &product, &Polynomial::power(g, n as u32))?;
        }
        for (p, n) in self.factors.iter().filter(|(p, n)| *n > 0 && p.variables().iter().any(|g| tied(*g))) {
            product = times(cx, &product, &power(cx, p, *n)?)?;
        }
        Ok(reduce(cx, product)?.is_zero())
    }

    /// Why there is no value, if there is none.
    pub fn as_undefined(&self) -> Option<Undefined> {
        self.undefined
    }

    pub fn coefficient(&self) -> &Rational {
        &self.coefficient
    }

    /// The generators that are factors, with their exponents.
    pub fn powers(&self) -> impl Iterator<Item = (Generator, i32)> + '_ {
        self.powers.iter().map(|&(g, n)| (Generator(g), n))
    }

    /// The polynomials of more than one term that are factors, with their exponents.
    pub fn factors(&self) -> &[(Rc<Polynomial>, i32)] {
        &self.factors
    }

    /// Every generator that occurs, oldest first.
    pub fn generators(&self) -> Vec<Generator> {
        let inside = self.factors.iter().flat_map(|(p, _)| p.variables().iter().copied());
        let mut all: Vec<u32> = self.powers.iter().map(|p| p.0).chain(inside).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(Generator).collect()
    }

    fn note_cancelled(&mut self, p: &Rc<Polynomial>) {
        if !self.cancelled.contains(p) {
            self.cancelled.push(p.clone());
        }
    }

    fn inherit_conditions(&mut self, other: &NormalForm) {
        for p in &other.cancelled {
            self.note_cancelled(p);
        }
    }

    /// Multiplies by g^n. Cancelling against a power of opposite sign is noted unless g has no zero.
    fn multiply_power(&mut self, cx: &Inquiry, g: u32, n: i32) -> Budgeted<()> {
        if n == 0 {
            return Ok(());
        }
        match self.powers.binary_search_by_key(&g, |p| p.0) {
            Ok(i) => {
                let old = self.powers[i].1;
                if (old < 0) != (n < 0) && !Generator(g).sign(cx).is_nonzero() {
                    self.note_cancelled(&Rc::new(Polynomial::variable(g)));
                }
                self.powers[i].1 = old.checked_add(n).ok_or(Exhausted::Size)?;
                if self.powers[i].1 == 0 {
                    self.powers.remove(i);
                }
            }
            Err(i) => self.powers.insert(i, (g, n)),
        }
        Ok(())
    }

    fn multiply_factor(&mut self, p: &Rc<Polynomial>, n: i32) -> Budgeted<()> {
        if n == 0 {
            return Ok(());
        }
        match self.factors.iter().position(|(q, _)| Rc::ptr_eq(q, p) || q == p) {
            Some(i) => {
                let old = self.factors[i].1;
                if (old < 0) != (n < 0) {
                    self.note_cancelled(p);
                }
                self.factors[i].1 = old.checked_add(n).ok_or(Exhausted::Size)?;
                if self.factors[i].1 == 0 {
                    self.factors.remove(i);
                }
            }
            None => self.factors.push((p.clone(), n)),
        }
        Ok(())
    }

    /// Multiplies by pⁿ for a reduced polynomial: number, monomial and primitive part go their ways.
    fn multiply_polynomial(&mut self, cx: &Inquiry, p: Polynomial, n: i32) -> Budgeted<()> {
        if p.is_zero() {
            *self = if n < 0 {
                NormalForm::undefined(Undefined::DivisionByZero)
            } else {
                NormalForm { cancelled: std::mem::take(&mut self.cancelled), ..NormalForm::zero() }
            };
            return Ok(());
        }
        let content = p.content();
        self.coefficient = &self.coefficient * &content.pow(i64::from(n))?;
        let monomial = p.monomial_content();
        for &(g, e) in &monomial {
            let e = i32::try_from(e).ok().and_then(|e| e.checked_mul(n)).ok_or(Exhausted::Size)?;
            self.multiply_power(cx, g, e)?;
        }
        let rest = p.without_monomial(&monomial).primitive_part();
        if !rest.is_constant() {
            self.multiply_factor(&Rc::new(rest), n)?;
        }
        Ok(())
    }

    pub fn mul(&self, cx: &Inquiry, other: &NormalForm) -> Budgeted<NormalForm> {
        if self.undefined.is_some() {
            return Ok(self.clone());
        }
        if other.undefined.is_some() {
            return Ok(other.clone());
        }
        let (mut product, other) =
            if self.factors.len() >= other.factors.len() { (self.clone(), other) } else { (other.clone(), self) };
        product.inherit_conditions(other);
        if self.coefficient.is_zero() || other.coefficient.is_zero() {
            // 0·(a/b) is 0 where b ≠ 0.
            for (g, n) in self.powers.iter().chain(&other.powers) {
                if *n < 0 && !Generator(*g).sign(cx).is_nonzero() {
                    product.note_cancelled(&Rc::new(Polynomial::variable(*g)));
                }
            }
            for (p, n) in self.factors.iter().chain(&other.factors) {
                if *n < 0 {
                    product.note_cancelled(p);
                }
            }
            return Ok(NormalForm { cancelled: product.cancelled, ..NormalForm::zero() });
        }
        product.coefficient = &product.coefficient * &other.coefficient;
        for &(g, n) in &other.powers {
            product.multiply_power(cx, g, n)?;
        }
        for (p, n) in &other.factors {
            product.multiply_factor(p, *n)?;
        }
        product.settle(cx)?;
        Ok(product)
    }

    /// Lowers powers of roots and absolute values into 0 ≤ n < degree: g^(qn+r) = R^q g^r. Sines and
    /// cosines stay as they are, so that 1/cos² is not written 1/(1 − sin²).
    fn settle(&mut self, cx: &Inquiry) -> Budgeted<()> {
        loop {
            let pending = self.powers.iter().copied().find_map(|(g, n)| {
                let kind = Generator(g).kind();
                let Relation { degree, value } = Generator(g).relation()?;
                let (quotient, rest) = match kind {
                    Kind::Root { .. } | Kind::Absolute { .. } => {
                        (n.div_euclid(degree as i32), n.rem_euclid(degree as i32))
                    }
                    // χⁿ = χ for n ≥ 1.
                    Kind::Indicator if n > 1 => (0, 1),
                    _ => (0, n),
                };
                (rest != n).then_some((g, n, quotient, rest, value))
            });
            let Some((g, n, quotient, rest, value)) = pending else { return Ok(()) };
            cx.check()?;
            let i = self.powers.binary_search_by_key(&g, |p| p.0).expect("found above");
            if rest == 0 {
                self.powers.remove(i);
            } else {
                self.powers[i].1 = rest;
            }
            debug_assert_ne!(n, rest);
            if quotient != 0 {
                self.multiply_polynomial(cx, (*value).clone(), quotient)?;
            }
        }
    }

    pub fn scale(&self, cx: &Inquiry, factor: &Rational) -> NormalForm {
        if factor.is_zero() && self.undefined.is_none() {
            return self.mul(cx, &NormalForm::zero()).unwrap_or_else(|_| NormalForm::zero());
        }
        NormalForm { coefficient: &self.coefficient * factor, ..self.clone() }
    }

    pub fn negate(&self) -> NormalForm {
        NormalForm { coefficient: -&self.coefficient, ..self.clone() }
    }

    /// The n-th power for any integer n; 0⁰ = 1, and 0⁻¹ is undefined.
    pub fn pow(&self, cx: &Inquiry, n: i64) -> Budgeted<NormalForm> {
        if self.undefined.is_some() || n == 1 {
            return Ok(self.clone());
        }
        if n == 0 {
            return Ok(NormalForm { cancelled: self.cancelled.clone(), ..NormalForm::one() });
        }
        if self.coefficient.is_zero() {
            return Ok(if n < 0 { NormalForm::undefined(Undefined::DivisionByZero) } else { self.clone() });
        }
        let times = i32::try_from(n).map_err(|_| Exhausted::Size)?;
        let raise = |e: i32| e.checked_mul(times).ok_or(Exhausted::Size);
        let mut power = NormalForm { coefficient: self.coefficient.pow(n)?, ..self.clone() };
        for p in &mut power.powers {
            p.1 = raise(p.1)?;
        }
        for f in &mut power.factors {
            f.1 = raise(f.1)?;
        }
        power.settle(cx)?;
        Ok(power)
    }

    pub fn recip(&self, cx: &Inquiry) -> Budgeted<NormalForm> {
        self.pow(cx, -1)
    }

    pub fn add(&self, cx: &Inquiry, other: &NormalForm) -> Budgeted<NormalForm> {
        NormalForm::sum(cx, &[(self, Rational::ONE), (other, Rational::ONE)])
    }

    pub fn sub(&self, cx: &Inquiry, other: &NormalForm) -> Budgeted<NormalForm> {
        NormalForm::sum(cx, &[(self, Rational::ONE), (other, Rational::MINUS_ONE)])
    }

    pub fn div(&self, cx: &Inquiry, other: &NormalForm) -> Budgeted<NormalForm> {
        self.mul(cx, &other.recip(cx)?)
    }

    /// Σ coefficient · form. The factors that all terms share, and all denominators, are taken out;
    /// what remains is expanded and reduced.
    pub fn sum(cx: &Inquiry, terms: &[(&NormalForm, Rational)]) -> Budgeted<NormalForm> {
        let mut total = NormalForm::one();
        for (form, _) in terms {
            if form.undefined.is_some() {
                return Ok((*form).clone());
            }
            total.inherit_conditions(form);
        }
        let terms: Vec<&(&NormalForm, Rational)> =
            terms.iter().filter(|(form, c)| !form.coefficient.is_zero() && !c.is_zero()).collect();
        match terms.as_slice() {
            [] => return Ok(NormalForm { cancelled: total.cancelled, ..NormalForm::zero() }),
            [(form, c)] => {
                let coefficient = &form.coefficient * c;
                return Ok(NormalForm { coefficient, cancelled: total.cancelled, ..(*form).clone() });
            }
            _ => {}
        }
        let (shared_powers, shared_factors) = shared(cx, &terms)?;
        // Terms that are monomials are collected first: the usual case, and one sort.
        let mut monomials: Vec<(Monomial, Rational)> = Vec::new();
        let mut rest = Polynomial::zero();
        for (form, c) in terms.iter().map(|t| (t.0, &t.1)) {
            cx.check()?;
            let monomial = quotient_of_powers(&form.powers, &shared_powers)?;
            let coefficient = &form.coefficient * c;
            let mut product: Option<Polynomial> = None;
            for (p, shared) in &shared_factors {
                let n = form.exponent_of(p) - shared;
                if n > 0 {
                    let power = power(cx, p, n)?;
                    product = Some(match product {
                        None => power,
                        Some(q) => times(cx, &q, &power)?,
                    });
                }
            }
            match product {
                None => monomials.push((monomial, coefficient)),
                Some(p) => {
                    let single = Polynomial::from_terms([(monomial, coefficient)]);
                    rest = &rest + &p.mul(cx, &single)?;
                    if rest.n_words() > MAX_WORDS {
                        return Err(Exhausted::Size);
                    }
                }
            }
        }
        if monomials.len() > 1 << 10 && Polynomial::n_words_of(&monomials) > MAX_WORDS {
            return Err(Exhausted::Size);
        }
        let expanded = if rest.is_zero() {
            Polynomial::from_terms(monomials)
        } else if monomials.is_empty() {
            rest
        } else {
            &Polynomial::from_terms(monomials) + &rest
        };
        let expanded = reduce(cx, expanded)?;
        if expanded.is_zero() {
            // Zero where the terms were defined.
            for &(g, n) in &shared_powers {
                if n < 0 && !Generator(g).sign(cx).is_nonzero() {
                    total.note_cancelled(&Rc::new(Polynomial::variable(g)));
                }
            }
            for (p, n) in &shared_factors {
                if *n < 0 {
                    total.note_cancelled(p);
                }
            }
            return Ok(NormalForm { cancelled: total.cancelled, ..NormalForm::zero() });
        }
        total.powers = shared_powers;
        total.factors = shared_factors.into_iter().filter(|(_, n)| *n != 0).collect();
        total.multiply_polynomial(cx, expanded, 1)?;
        total.settle(cx)?;
        Ok(total)
    }

    fn exponent_of(&self, p: &Rc<Polynomial>) -> i32 {
        self.factors.iter().find(|(q, _)| Rc::ptr_eq(q, p) || q == p).map_or(0, |f| f.1)
    }
}

type Powers = SmallVec<[(u32, i32); 4]>;

/// For each generator and each polynomial factor the smallest exponent among the terms: what they
/// all share, and the common denominator. Every factor of every term is listed, with exponent 0 if
/// it is not shared.
#[allow(clippy::type_complexity)]
fn shared(cx: &Inquiry, terms: &[&(&NormalForm, Rational)]) -> Budgeted<(Powers, Vec<(Rc<Polynomial>, i32)>)> {
    let mut powers: Powers = terms[0].0.powers.clone();
    for (form, _) in terms.iter().skip(1) {
        let mut merged = Powers::new();
        let (mut i, mut j) = (0, 0);
        while i < powers.len() || j < form.powers.len() {
            let (a, b) = (powers.get(i).copied(), form.powers.get(j).copied());
            let (g, n) = match (a, b) {
                (Some((g, n)), Some((h, m))) if g == h => {
                    i += 1;
                    j += 1;
                    (g, n.min(m))
                }
                (Some((g, n)), Some((h, _))) if g < h => {
                    i += 1;
                    (g, n.min(0))
                }
                (Some((g, n)), None) => {
                    i += 1;
                    (g, n.min(0))
                }
                (_, Some((h, m))) => {
                    j += 1;
                    (h, m.min(0))
                }
                (None, None) => break,
            };
            if n != 0 {
                merged.push((g, n));
            }
        }
        powers = merged;
    }
    let mut factors: Vec<(Rc<Polynomial>, i32)> = Vec::new();
    for (form, _) in terms {
        cx.check()?;
        for (p, _) in &form.factors {
            if !factors.iter().any(|(q, _)| Rc::ptr_eq(q, p) || q == p) {
                let least = terms.iter().map(|(f, _)| f.exponent_of(p)).min().unwrap_or(0);
                factors.push((p.clone(), least));
            }
        }
    }
    Ok((powers, factors))
}

/// Π g^n / Π g^m, which has no negative exponents because m is the minimum.
fn quotient_of_powers(powers: &[(u32, i32)], shared: &[(u32, i32)]) -> Budgeted<Monomial> {
    let mut quotient = Monomial::new();
    let mut j = 0;
    let mut push = |g: u32, n: i64| -> Budgeted<()> {
        if n != 0 {
            quotient.push((g, u32::try_from(n).map_err(|_| Exhausted::Size)?));
        }
        Ok(())
    };
    for &(g, n) in powers {
        while j < shared.len() && shared[j].0 < g {
            push(shared[j].0, -i64::from(shared[j].1))?;
            j += 1;
        }
        if j < shared.len() && shared[j].0 == g {
            push(g, i64::from(n) - i64::from(shared[j].1))?;
            j += 1;
        } else {
            push(g, i64::from(n))?;
        }
    }
    for &(g, n) in &shared[j..] {
        push(g, -i64::from(n))?;
    }
    Ok(quotient)
}

impl NormalForm {
    /// The same form with numerator and denominator coprime, factor against factor, and with
    /// 1 − sin² written as cos², 1 + sinh² as cosh². What is cancelled becomes a condition.
    pub fn cancel(&self, cx: &Inquiry) -> Budgeted<NormalForm> {
        let mut form = self.clone();
        form.fold_squares(cx)?;
        // Pairs are visited once: new factors are pushed behind and meet all others again.
        let mut coprime: Vec<(Rc<Polynomial>, Rc<Polynomial>)> = Vec::new();
        'again: loop {
            for i in 0..form.factors.len() {
                for j in 0..form.factors.len() {
                    cx.check()?;
                    let ((p, n), (q, m)) = (form.factors[i].clone(), form.factors[j].clone());
                    if n <= 0 || m >= 0 || coprime.iter().any(|(a, b)| Rc::ptr_eq(a, &p) && Rc::ptr_eq(b, &q)) {
                        continue;
                    }
                    if !p.variables().iter().any(|v| q.contains(*v)) {
                        continue;
                    }
                    let parts = p.gcd_cofactors(cx, &q)?;
                    if parts.gcd.is_constant() {
                        coprime.push((p, q));
                        continue;
                    }
                    // (g·a)ⁿ (g·b)ᵐ = g^(n+m) aⁿ bᵐ
                    form.factors.retain(|(f, _)| !Rc::ptr_eq(f, &p) && !Rc::ptr_eq(f, &q));
                    let common = Rc::new(parts.gcd.clone());
                    form.note_cancelled(&common);
                    form.multiply_polynomial(cx, parts.left, n)?;
                    form.multiply_polynomial(cx, parts.right, m)?;
                    form.multiply_polynomial(cx, parts.gcd, n.checked_add(m).ok_or(Exhausted::Size)?)?;
                    continue 'again;
                }
            }
            return Ok(form);
        }
    }

    /// Takes cos² = 1 − sin² out of factors that it divides.
    fn fold_squares(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let mut i = 0;
        while i < self.factors.len() {
            let (p, n) = self.factors[i].clone();
            let found = p.variables().iter().copied().filter(|v| p.degree_in(*v) >= 2).find_map(|v| {
                if !matches!(Generator(v).kind(), Kind::Sine(_) | Kind::HyperbolicSine(_)) {
                    return None;
                }
                let square = Generator(v + 1).relation()?.value;
                match p.div_exact(cx, &square) {
                    Ok(Some(quotient)) => Some(Ok((v + 1, quotient))),
                    Ok(None) => None,
                    Err(stop) => Some(Err(stop)),
                }
            });
            match found.transpose()? {
                Some((cosine, quotient)) => {
                    self.factors.remove(i);
                    let twice = n.checked_mul(2).ok_or(Exhausted::Size)?;
                    self.multiply_power(cx, cosine, twice)?;
                    self.multiply_polynomial(cx, quotient, n)?;
                    i = 0;
                }
                None => i += 1,
            }
        }
        Ok(())
    }

    /// Numerator and denominator, expanded, reduced and coprime; the denominator is primitive with a
    /// positive leading coefficient. The form must not be undefined.
    pub fn fraction(&self, cx: &Inquiry) -> Budgeted<(Polynomial, Polynomial)> {
        let form = if self.factors.is_empty() { self.clone() } else { self.cancel(cx)? };
        let part = |sign: i32| -> Budgeted<Polynomial> {
            let monomial = form.powers.iter().filter(|p| p.1.signum() == sign).map(|&(g, n)| (g, n.unsigned_abs()));
            let mut product = Polynomial::from_terms([(monomial.collect::<Monomial>(), Rational::ONE)]);
            for (p, n) in form.factors.iter().filter(|f| f.1.signum() == sign) {
                product = times(cx, &product, &power(cx, p, n.abs())?)?;
            }
            Ok(product)
        };
        let (above, below) = (part(1)?, part(-1)?);
        let (mut n, mut d) = (reduce(cx, above.scale(&form.coefficient))?, reduce(cx, below)?);
        if !d.is_constant() && !n.is_zero() {
            let parts = n.gcd_cofactors(cx, &d)?;
            if !parts.gcd.is_constant() {
                (n, d) = (parts.left, parts.right);
            }
        }
        let content = d.content();
        match content.recip() {
            Some(inverse) => Ok((n.scale(&inverse), d.scale(&inverse))),
            // A denominator that reduces to zero: the caller asked for the fraction of an undefined form.
            None => Ok((n, d)),
        }
    }

    /// Hands the conditions of this form to the statement that is being answered.
    pub fn record_conditions(&self, cx: &Inquiry) {
        for p in &self.cancelled {
            let e = write::polynomial_expr(p);
            let holds =
                super::assume::sign_of(cx, e).is_nonzero() || (e.symbols().is_empty() && is_certainly_nonzero(cx, e));
            if !holds {
                record_nonzero(cx, e);
            }
        }
    }
}

/// Whether a number such as 2^(1/3) − 1 is certified not to be zero.
fn is_certainly_nonzero(cx: &Inquiry, number: Expr) -> bool {
    matches!(super::ball::certified_sign(cx, number, &Default::default(), 256), Ok(Some(1 | -1)))
}

/// The shortest way that is known to write the expression: its normal form, factored or expanded or grouped
/// as in [`tidy`], or the expression as it stands. Conditions of cancelling are recorded.
pub fn simplify(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    if e.is_number() || e.as_symbol().is_some() || e.as_undefined().is_some() {
        return Ok(e);
    }
    let memo = &cx.facts().memo().simplified;
    let known = memo.borrow().get(&e).cloned();
    let (simple, form) = match known {
        Some(found) => found,
        None => {
            let form = Rc::new(normal_form(cx, e)?.cancel(cx)?);
            let simple = match form.as_undefined() {
                Some(why) => Expr::undefined(why),
                None => {
                    let (written, _) = super::conditions::collect(cx, |cx| tidy::shortest(cx, &form));
                    let written = written?;
                    let shorter = if tidy::length(e) < tidy::length(written) { e } else { written };
                    let (apart, _) = super::conditions::collect(cx, |cx| by_denominators(cx, e));
                    match apart? {
                        Some(apart) if tidy::length(apart) < tidy::length(shorter) => apart,
                        _ => shorter,
                    }
                }
            };
            memo.borrow_mut().insert(e, (simple, form.clone()));
            (simple, form)
        }
    };
    if simple != e {
        form.record_conditions(cx);
    }
    Ok(simple)
}

/// A sum with the terms over each denominator simplified by themselves: m x² − m(x² + y²)/2 + k/√(x² + y²) is long as a single
/// fraction, and as it stands. `None` for sums over one denominator, over many, and for large ones.
fn by_denominators(cx: &Inquiry, e: Expr) -> Budgeted<Option<Expr>> {
    const MAX_GROUPS: usize = 4;
    const MAX_LENGTH: u64 = 600;
    let below = |term: Expr| -> Vec<(Expr, Rational)> {
        let is_below = |(base, n): &&(Expr, Rational)| {
            matches!(base.node(), Node::Sum { .. }) && (n.is_negative() || !n.is_integer())
        };
        match term.node() {
            Node::Product(factors) => factors.iter().filter(is_below).cloned().collect(),
            _ => vec![],
        }
    };
    let mut groups: Vec<(Vec<(Expr, Rational)>, Vec<Expr>)> = vec![];
    let mut pending = vec![(e, Rational::from(1))];
    let mut n_met = 0;
    while let Some((term, coefficient)) = pending.pop() {
        // Sums in sums multiply; each has a constant beside its terms.
        n_met += 1;
        if n_met + pending.len() > 2 * MAX_LENGTH as usize {
            return Ok(None);
        }
        if let Node::Sum { constant, terms } = term.node() {
            pending.extend(terms.iter().rev().map(|(t, c)| (*t, c * &coefficient)));
            pending.push((Expr::number(constant.clone()), coefficient));
            continue;
        }
        let (denominator, term) = (below(term), term * Expr::number(coefficient));
        match groups.iter_mut().find(|(d, _)| *d == denominator) {
            Some((_, list)) => list.push(term),
            None => groups.push((denominator, vec![term])),
        }
    }
    let sums: Vec<Expr> = groups.into_iter().map(|(_, list)| Expr::add_all(list)).filter(|s| !s.is_zero()).collect();
    if sums.len() < 2 || sums.len() > MAX_GROUPS || tidy::length(e) > MAX_LENGTH {
        return Ok(None);
    }
    let parts = sums.into_iter().map(|x| simplify(cx, x)).collect::<Budgeted<Vec<_>>>()?;
    Ok(Some(Expr::add_all(parts)))
}

/// Numerator of the cancelled form.
pub fn numerator(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    part(cx, e, 1)
}

/// Denominator of the cancelled form; 1 if there is none.
pub fn denominator(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    part(cx, e, -1)
}

fn part(cx: &Inquiry, e: Expr, sign: i32) -> Budgeted<Expr> {
    let form = normal_form(cx, e)?.cancel(cx)?;
    if let Some(why) = form.as_undefined() {
        return Ok(Expr::undefined(why));
    }
    form.record_conditions(cx);
    let number = if sign > 0 { form.coefficient.numerator() } else { form.coefficient.denominator() };
    let half = NormalForm {
        coefficient: Rational::integer(number.clone()),
        powers: form.powers.iter().filter(|p| p.1.signum() == sign).map(|&(g, n)| (g, n.abs())).collect(),
        factors: form.factors.iter().filter(|f| f.1.signum() == sign).map(|(p, n)| (p.clone(), n.abs())).collect(),
        cancelled: Vec::new(),
        undefined: None,
    };
    Ok(half.to_expr(cx))
}

#[cfg(test)]
mod tests;
