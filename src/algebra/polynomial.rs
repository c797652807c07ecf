//! Sparse multivariate polynomials over ℚ.
//!
//! A polynomial knows nothing of expressions: its variables are numbers, given by whoever keeps the
//! table of generators (q, q̇, sin θ, m, …). It is a list of terms in decreasing lexicographic order,
//! the variable with the smallest number being the largest; integer coefficients and one common
//! positive denominator with no factor in common. Exactly the variables that occur are stored, the
//! monomials are packed into words ([`packed`]), and every polynomial has one representation, so
//! equality and hashing are structural.
//!
//! ```
//! use lepage::workshop::algebra::polynomial::Polynomial;
//! use lepage::workshop::budget::Budget;
//! let cx = &Budget::unlimited();
//! let (x, y) = (Polynomial::variable(0), Polynomial::variable(1));
//! let p = (&x + &y).mul(cx, &(&x - &y)).unwrap();
//! assert_eq!(p.to_string(), "x0^2 - x1^2");
//! assert_eq!(p.div_exact(cx, &(&x + &y)).unwrap(), Some(&x - &y));
//! ```
//!
//! Whatever may become large is [`Budgeted`]: a product of more than [`MAX_TERMS`] terms is refused
//! with [`Exhausted::Size`], numbers beyond the bit limit with [`Exhausted::Bits`].

pub mod divide;
pub mod gcd;
pub(crate) mod interpolation;
pub mod modular;
pub mod multiply;
pub(crate) mod packed;
pub mod resultant;
mod word_gcd;
mod zippel;

use crate::algebra::number::{Integer, Rational};
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
pub use packed::MAX_EXPONENT;
use packed::{Layout, width_for};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A polynomial with rational coefficients.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// The variables that occur and the width of their exponents.
    layout: Layout,
    /// `layout.words()` words per term, strictly decreasing.
    monomials: Vec<u64>,
    /// One per term, none zero.
    coefficients: Vec<Integer>,
    /// Positive, without a common factor with all the coefficients.
    denominator: Integer,
}

/// The variables of a monomial with their exponents, by increasing variable, no exponent zero.
pub type Monomial = SmallVec<[(u32, u32); 4]>;

/// No polynomial has more terms than this.
pub const MAX_TERMS: usize = 1 << 20;

/// What a substitution costs for each term beside the products, in terms combined.
const SUBSTITUTION_WORK: u64 = 8;

impl Polynomial {
    pub fn zero() -> Polynomial {
        Polynomial {
            layout: Layout::constant(),
            monomials: Vec::new(),
            coefficients: Vec::new(),
            denominator: Integer::ONE,
        }
    }

    pub fn one() -> Polynomial {
        Polynomial::constant(Rational::ONE)
    }

    pub fn constant(value: impl Into<Rational>) -> Polynomial {
        let value = value.into();
        if value.is_zero() {
            return Polynomial::zero();
        }
        Polynomial {
            layout: Layout::constant(),
            monomials: vec![0],
            coefficients: vec![value.numerator().clone()],
            denominator: value.denominator().clone(),
        }
    }

    pub fn variable(variable: u32) -> Polynomial {
        Polynomial::power(variable, 1)
    }

    /// `x_variable^exponent`, the exponent at most [`MAX_EXPONENT`].
    pub fn power(variable: u32, exponent: u32) -> Polynomial {
        Polynomial::from_terms([(SmallVec::from_slice(&[(variable, exponent)]), Rational::ONE)])
    }

    /// Sum of the terms, which may come in any order and repeat; exponents are at most [`MAX_EXPONENT`].
    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, Rational)>) -> Polynomial {
        let terms: Vec<(Monomial, Rational)> = terms.into_iter().collect();
        let mut variables: SmallVec<[u32; 8]> = SmallVec::new();
        let mut max = 0u32;
        let mut denominator = Integer::ONE;
        for (monomial, coefficient) in &terms {
            variables.extend(monomial.iter().map(|&(v, _)| v));
            // A variable may stand in a monomial twice.
            let is_sorted = monomial.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let join = |m: u32, &(_, e): &(u32, u32)| if is_sorted { m.max(e) } else { m.saturating_add(e) };
            max = max.max(monomial.iter().fold(0, join));
            if !coefficient.is_integer() {
                denominator = lcm(&denominator, coefficient.denominator());
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let layout = Layout::for_exponents(variables, max);
        let mut exponents: SmallVec<[u32; 8]> = SmallVec::new();
        let (mut monomials, mut coefficients) = (Vec::new(), Vec::with_capacity(terms.len()));
        for (monomial, coefficient) in &terms {
            exponents.clear();
            exponents.resize(layout.n_variables(), 0);
            for &(v, e) in monomial {
                exponents[layout.position(v).expect("collected above")] += e;
            }
            layout.pack(&exponents, &mut monomials);
            let scale = denominator.div_exact(coefficient.denominator()).expect("a common multiple");
            coefficients.push(coefficient.numerator() * &scale);
        }
        Polynomial::from_unsorted(layout, monomials, coefficients, denominator)
    }

    /// The sum of the terms with these exponents, row by row, of variables in any order.
    pub(crate) fn from_exponent_rows(variables: &[u32], rows: &[u32], coefficients: Vec<Integer>) -> Polynomial {
        let n = variables.len();
        let mut columns: SmallVec<[usize; 8]> =
            (0..n).filter(|&k| rows.iter().skip(k).step_by(n).any(|e| *e > 0)).collect();
        columns.sort_unstable_by_key(|&k| variables[k]);
        let max = rows.iter().copied().max().unwrap_or(0);
        let layout = Layout::for_exponents(columns.iter().map(|&k| variables[k]).collect(), max);
        let mut monomials = Vec::with_capacity(coefficients.len() * layout.words());
        let mut exponents: SmallVec<[u32; 8]> = SmallVec::new();
        for i in 0..coefficients.len() {
            exponents.clear();
            exponents.extend(columns.iter().map(|&k| rows[i * n + k]));
            layout.pack(&exponents, &mut monomials);
        }
        Polynomial::from_unsorted(layout, monomials, coefficients, Integer::ONE)
    }

    /// Sorts, combines equal monomials, and makes the result canonical.
    pub(crate) fn from_unsorted(
        layout: Layout,
        monomials: Vec<u64>,
        coefficients: Vec<Integer>,
        denominator: Integer,
    ) -> Polynomial {
        let words = layout.words();
        let key = |i: usize| &monomials[i * words..(i + 1) * words];
        if (1..coefficients.len()).all(|i| key(i - 1) > key(i)) && !coefficients.iter().any(Integer::is_zero) {
            return Polynomial::from_sorted(layout, monomials, coefficients, denominator);
        }
        let mut order: Vec<usize> = (0..coefficients.len()).collect();
        order.sort_by(|&i, &j| key(j).cmp(key(i)));
        let mut sorted_monomials: Vec<u64> = Vec::with_capacity(monomials.len());
        let mut sorted: Vec<Integer> = Vec::with_capacity(coefficients.len());
        for i in order {
            let n = sorted_monomials.len();
            if !sorted.is_empty() && &sorted_monomials[n - words..] == key(i) {
                let last = sorted.last_mut().expect("not empty");
                *last = &*last + &coefficients[i];
            } else {
                if sorted.last().is_some_and(Integer::is_zero) {
                    sorted.pop();
                    sorted_monomials.truncate(n - words);
                }
                sorted_monomials.extend_from_slice(key(i));
                sorted.push(coefficients[i].clone());
            }
        }
        if sorted.last().is_some_and(Integer::is_zero) {
            sorted.pop();
            sorted_monomials.truncate(sorted_monomials.len() - words);
        }
        Polynomial::from_sorted(layout, sorted_monomials, sorted, denominator)
    }

    /// From terms in decreasing order with nonzero coefficients; narrows the layout and cancels the
    /// denominator.
    pub(crate) fn from_sorted(
        layout: Layout,
        monomials: Vec<u64>,
        coefficients: Vec<Integer>,
        denominator: Integer,
    ) -> Polynomial {
        let mut p = Polynomial { layout, monomials, coefficients, denominator };
        p.narrow();
        p.cancel();
        p
    }

    /// Drops variables that do not occur and takes the smallest width.
    fn narrow(&mut self) {
        let words = self.layout.words();
        let mut union: SmallVec<[u64; 4]> = SmallVec::from_elem(0, words);
        for (i, &w) in self.monomials.iter().enumerate() {
            union[i % words] |= w;
        }
        let occurs: SmallVec<[u32; 8]> =
            (0..self.layout.n_variables()).map(|k| self.layout.exponent(&union, k)).collect();
        let width = width_for(occurs.iter().copied().max().unwrap_or(0));
        if width == self.layout.width && occurs.iter().all(|&e| e > 0) {
            return;
        }
        let variables = self.layout.variables.iter().zip(&occurs).filter(|(_, e)| **e > 0).map(|(v, _)| *v).collect();
        let narrow = Layout { variables, width };
        self.monomials = self.layout.repack(&self.monomials, &narrow);
        self.layout = narrow;
    }

    fn cancel(&mut self) {
        if self.coefficients.is_empty() {
            self.denominator = Integer::ONE;
        }
        if self.denominator.is_one() {
            return;
        }
        let mut common = self.denominator.clone();
        for c in &self.coefficients {
            common = common.gcd(c);
            if common.is_one() {
                return;
            }
        }
        self.denominator = self.denominator.div_rem(&common).0;
        for c in &mut self.coefficients {
            *c = c.div_rem(&common).0;
        }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The packed monomials in a layout that has room for them.
    pub(crate) fn packed_in(&self, layout: &Layout) -> Cow<'_, [u64]> {
        if *layout == self.layout {
            Cow::Borrowed(&self.monomials)
        } else {
            Cow::Owned(self.layout.repack(&self.monomials, layout))
        }
    }

    /// The integer coefficients of `self * self.denominator()`, in the order of the terms.
    pub fn integer_coefficients(&self) -> &[Integer] {
        &self.coefficients
    }

    /// The common denominator of the coefficients.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// The polynomial times its denominator: integer coefficients.
    pub fn numerator(&self) -> Polynomial {
        Polynomial { denominator: Integer::ONE, ..self.clone() }
    }

    pub fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    pub fn is_one(&self) -> bool {
        self.is_constant() && self.denominator.is_one() && self.coefficients.first().is_some_and(Integer::is_one)
    }

    pub fn is_constant(&self) -> bool {
        self.layout.variables.is_empty()
    }

    /// The value, if no variable occurs.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.coefficients.as_slice() {
            [] => Some(Rational::ZERO),
            [c] if self.is_constant() => Some(Rational::new(c.clone(), self.denominator.clone())),
            _ => None,
        }
    }

    pub fn n_terms(&self) -> usize {
        self.coefficients.len()
    }

    /// The machine words that hold the monomials.
    pub fn n_words(&self) -> usize {
        self.monomials.len()
    }

    /// About how many words [`Polynomial::from_terms`] would need at least.
    pub fn n_words_of(terms: &[(Monomial, Rational)]) -> usize {
        let mut variables: Vec<u32> = terms.iter().flat_map(|(m, _)| m.iter().map(|&(v, _)| v)).collect();
        variables.sort_unstable();
        variables.dedup();
        let layout = Layout::for_exponents(variables.into(), 1);
        terms.len().saturating_mul(layout.words())
    }

    /// The terms in decreasing lexicographic order.
    pub fn terms(&self) -> impl Iterator<Item = (Monomial, Rational)> + '_ {
        (0..self.n_terms()).map(|i| (self.monomial(i), self.coefficient(i)))
    }

    pub(crate) fn monomial_words(&self, term: usize) -> &[u64] {
        let words = self.layout.words();
        &self.monomials[term * words..(term + 1) * words]
    }

    fn monomial(&self, term: usize) -> Monomial {
        let packed = self.monomial_words(term);
        let exponents = self.layout.variables.iter().enumerate().map(|(k, &v)| (v, self.layout.exponent(packed, k)));
        exponents.filter(|&(_, e)| e > 0).collect()
    }

    fn coefficient(&self, term: usize) -> Rational {
        if self.denominator.is_one() {
            return Rational::integer(self.coefficients[term].clone());
        }
        Rational::new(self.coefficients[term].clone(), self.denominator.clone())
    }

    /// Exponents of all terms, one row of `variables().len()` per term.
    pub(crate) fn exponent_rows(&self) -> Vec<u32> {
        let n = self.layout.n_variables();
        let mut rows = vec![0; n * self.n_terms()];
        if n > 0 {
            for (i, row) in rows.chunks_mut(n).enumerate() {
                self.layout.unpack(self.monomial_words(i), row);
            }
        }
        rows
    }

    /// The term that is lexicographically largest; `None` of zero.
    pub fn leading_term(&self) -> Option<(Monomial, Rational)> {
        (!self.is_zero()).then(|| (self.monomial(0), self.coefficient(0)))
    }

    /// Coefficient of the lexicographically largest term; zero of zero.
    pub fn leading_coefficient(&self) -> Rational {
        if self.is_zero() { Rational::ZERO } else { self.coefficient(0) }
    }

    pub fn constant_term(&self) -> Rational {
        match self.n_terms() {
            0 => Rational::ZERO,
            n if self.monomial_words(n - 1).iter().all(|&w| w == 0) => self.coefficient(n - 1),
            _ => Rational::ZERO,
        }
    }

    /// The variables that occur, increasing.
    pub fn variables(&self) -> &[u32] {
        &self.layout.variables
    }

    pub fn contains(&self, variable: u32) -> bool {
        self.layout.position(variable).is_some()
    }

    /// Largest sum of exponents in a term; 0 of constants and of zero.
    pub fn total_degree(&self) -> u64 {
        let n = self.layout.n_variables();
        let degree = |i: usize| (0..n).map(|k| u64::from(self.layout.exponent(self.monomial_words(i), k))).sum();
        (0..self.n_terms()).map(degree).max().unwrap_or(0)
    }

    /// Largest exponent of the variable; 0 if it does not occur.
    pub fn degree_in(&self, variable: u32) -> u32 {
        let Some(k) = self.layout.position(variable) else { return 0 };
        (0..self.n_terms()).map(|i| self.layout.exponent(self.monomial_words(i), k)).max().unwrap_or(0)
    }

    /// The degrees in all variables that occur.
    pub fn degrees(&self) -> SmallVec<[u32; 8]> {
        let mut degrees: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.layout.n_variables());
        for i in 0..self.n_terms() {
            let packed = self.monomial_words(i);
            for (k, d) in degrees.iter_mut().enumerate() {
                *d = (*d).max(self.layout.exponent(packed, k));
            }
        }
        degrees
    }

    /// `self = Σ cᵢ xⁱ`: the list c₀, c₁, … as polynomials in the other variables. Empty for zero.
    pub fn coefficients_in(&self, variable: u32) -> Vec<Polynomial> {
        if self.is_zero() {
            return Vec::new();
        }
        let Some(position) = self.layout.position(variable) else { return vec![self.clone()] };
        let degree = self.degree_in(variable) as usize;
        let words = self.layout.words();
        let (word, shift) = self.layout.place(position);
        let clear = !(self.layout.mask() << shift);
        let mut parts: Vec<(Vec<u64>, Vec<Integer>)> = vec![(Vec::new(), Vec::new()); degree + 1];
        for i in 0..self.n_terms() {
            let packed = self.monomial_words(i);
            let e = self.layout.exponent(packed, position) as usize;
            let (monomials, coefficients) = &mut parts[e];
            monomials.extend_from_slice(packed);
            let at = monomials.len() - words + word;
            monomials[at] &= clear;
            coefficients.push(self.coefficients[i].clone());
        }
        parts
            .into_iter()
            .map(|(m, c)| Polynomial::from_sorted(self.layout.clone(), m, c, self.denominator.clone()))
            .collect()
    }

    /// Coefficient of the highest power of the variable, a polynomial in the others.
    pub fn leading_coefficient_in(&self, variable: u32) -> Polynomial {
        self.coefficient_in(variable, self.degree_in(variable))
    }

    /// Coefficient of `variable^exponent`, a polynomial in the others.
    pub fn coefficient_in(&self, variable: u32, exponent: u32) -> Polynomial {
        let Some(position) = self.layout.position(variable) else {
            return if exponent == 0 { self.clone() } else { Polynomial::zero() };
        };
        let (word, shift) = self.layout.place(position);
        let clear = !(self.layout.mask() << shift);
        let words = self.layout.words();
        let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
        for i in 0..self.n_terms() {
            let packed = self.monomial_words(i);
            if self.layout.exponent(packed, position) == exponent {
                monomials.extend_from_slice(packed);
                let at = monomials.len() - words + word;
                monomials[at] &= clear;
                coefficients.push(self.coefficients[i].clone());
            }
        }
        Polynomial::from_sorted(self.layout.clone(), monomials, coefficients, self.denominator.clone())
    }

    /// `Σ cᵢ xⁱ`, the inverse of [`Polynomial::coefficients_in`].
    pub fn from_coefficients_in(cx: &Budget, variable: u32, coefficients: &[Polynomial]) -> Budgeted<Polynomial> {
        let mut sum = Polynomial::zero();
        for (i, c) in coefficients.iter().enumerate().rev() {
            if !c.is_zero() {
                sum = &sum + &c.mul(cx, &Polynomial::power(variable, i as u32))?;
            }
        }
        Ok(sum)
    }

    /// The product with a number.
    pub fn scale(&self, factor: &Rational) -> Polynomial {
        if factor.is_zero() || self.is_zero() {
            return Polynomial::zero();
        }
        if factor.is_one() {
            return self.clone();
        }
        let coefficients = self.coefficients.iter().map(|c| c * factor.numerator()).collect();
        let mut out = Polynomial {
            layout: self.layout.clone(),
            monomials: self.monomials.clone(),
            coefficients,
            denominator: &self.denominator * factor.denominator(),
        };
        out.cancel();
        out
    }

    /// The quotient by a nonzero number.
    pub fn unscale(&self, divisor: &Rational) -> Option<Polynomial> {
        Some(self.scale(&divisor.recip()?))
    }

    pub fn pow(&self, cx: &Budget, exponent: u32) -> Budgeted<Polynomial> {
        if exponent == 0 {
            return Ok(Polynomial::one());
        }
        if self.n_terms() <= 1 {
            return self.pow_of_term(exponent);
        }
        // Repeated multiplication beats squaring for sparse polynomials, and does not blow up earlier.
        let mut power = self.clone();
        for _ in 1..exponent {
            cx.check()?;
            power = power.mul(cx, self)?;
        }
        Ok(power)
    }

    fn pow_of_term(&self, exponent: u32) -> Budgeted<Polynomial> {
        let Some((monomial, coefficient)) = self.leading_term() else { return Ok(Polynomial::zero()) };
        let raise = |&(v, e): &(u32, u32)| {
            let raised = e.checked_mul(exponent).filter(|&e| e <= MAX_EXPONENT).ok_or(Exhausted::Size)?;
            Ok((v, raised))
        };
        let monomial = monomial.iter().map(raise).collect::<Budgeted<Monomial>>()?;
        Ok(Polynomial::from_terms([(monomial, coefficient.pow(i64::from(exponent))?)]))
    }

    pub fn derivative(&self, variable: u32) -> Polynomial {
        let Some(position) = self.layout.position(variable) else { return Polynomial::zero() };
        let (word, shift) = self.layout.place(position);
        let words = self.layout.words();
        let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
        for i in 0..self.n_terms() {
            let packed = self.monomial_words(i);
            let e = self.layout.exponent(packed, position);
            if e > 0 {
                monomials.extend_from_slice(packed);
                let at = monomials.len() - words + word;
                monomials[at] -= 1 << shift;
                coefficients.push(&self.coefficients[i] * &Integer::from(i64::from(e)));
            }
        }
        Polynomial::from_sorted(self.layout.clone(), monomials, coefficients, self.denominator.clone())
    }

    /// The polynomial with `value` in the place of the variable.
    pub fn substitute(&self, cx: &Budget, variable: u32, value: &Polynomial) -> Budgeted<Polynomial> {
        if !self.contains(variable) {
            return Ok(self.clone());
        }
        if let Some(value) = value.as_constant() {
            return self.evaluate(cx, &[(variable, value)]);
        }
        cx.spend(SUBSTITUTION_WORK * self.n_terms() as u64)?;
        let coefficients = self.coefficients_in(variable);
        // Horner; runs of zero coefficients are skipped by powers.
        let mut sum = Polynomial::zero();
        let mut last = coefficients.len();
        for (i, c) in coefficients.iter().enumerate().rev() {
            cx.check()?;
            if c.is_zero() {
                continue;
            }
            if !sum.is_zero() {
                sum = sum.mul(cx, &value.pow(cx, (last - i) as u32)?)?;
            }
            sum = &sum + c;
            last = i;
        }
        if last > 0 { sum.mul(cx, &value.pow(cx, last as u32)?) } else { Ok(sum) }
    }

    /// Simultaneous substitution of polynomials for variables.
    pub fn substitute_all(&self, cx: &Budget, values: &[(u32, Polynomial)]) -> Budgeted<Polynomial> {
        let values: Vec<&(u32, Polynomial)> = values.iter().filter(|(v, _)| self.contains(*v)).collect();
        if let [(variable, value)] = values.as_slice() {
            return self.substitute(cx, *variable, value);
        }
        // The values may contain the variables replaced later: give the latter new names first.
        let taken = values.iter().flat_map(|(_, q)| q.variables()).chain(self.variables());
        let fresh = taken.max().map_or(0, |m| m + 1);
        let moved = self.rename(|v| values.iter().position(|(w, _)| *w == v).map_or(v, |i| fresh + i as u32));
        let mut result = moved;
        for (i, (_, value)) in values.iter().enumerate() {
            result = result.substitute(cx, fresh + i as u32, value)?;
        }
        Ok(result)
    }

    /// The polynomial at a point given by some of its variables; the others stay.
    pub fn evaluate(&self, cx: &Budget, point: &[(u32, Rational)]) -> Budgeted<Polynomial> {
        let mut result = self.clone();
        for (variable, value) in point {
            let Some(position) = result.layout.position(*variable) else { continue };
            let degree = result.degree_in(*variable);
            // Σ c xᵉ at x = n/d is Σ c nᵉ dᵐ⁻ᵉ / dᵐ: integers until the end.
            let powers = |base: &Integer| -> Budgeted<Vec<Integer>> {
                let mut list = vec![Integer::ONE];
                for e in 1..=degree as usize {
                    cx.check()?;
                    list.push(&list[e - 1] * base);
                    if list[e].bits() > crate::budget::MAX_BITS {
                        return Err(Exhausted::Bits);
                    }
                }
                Ok(list)
            };
            let numerators = powers(value.numerator())?;
            let denominators = powers(value.denominator())?;
            let (word, shift) = result.layout.place(position);
            let words = result.layout.words();
            let clear = !(result.layout.mask() << shift);
            let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
            for i in 0..result.n_terms() {
                let packed = result.monomial_words(i);
                let e = result.layout.exponent(packed, position) as usize;
                let factor = &numerators[e] * &denominators[degree as usize - e];
                monomials.extend_from_slice(packed);
                let at = monomials.len() - words + word;
                monomials[at] &= clear;
                coefficients.push(&result.coefficients[i] * &factor);
            }
            let denominator = &result.denominator * &denominators[degree as usize];
            result = Polynomial::from_unsorted(result.layout.clone(), monomials, coefficients, denominator);
        }
        Ok(result)
    }

    /// The value at a point; `None` if a variable has no value there.
    pub fn evaluate_at(&self, cx: &Budget, point: &[(u32, Rational)]) -> Budgeted<Option<Rational>> {
        Ok(self.evaluate(cx, point)?.as_constant())
    }

    /// The polynomial with its variables renamed; names that meet are added up.
    pub fn rename(&self, name: impl Fn(u32) -> u32) -> Polynomial {
        let terms = self.terms().map(|(monomial, c)| {
            let mut monomial: Monomial = monomial.iter().map(|&(v, e)| (name(v), e)).collect();
            monomial.sort_unstable();
            (monomial, c)
        });
        Polynomial::from_terms(terms)
    }

    /// The number c with `self = c·primitive_part()`. Its sign is that of the leading coefficient.
    pub fn content(&self) -> Rational {
        if self.is_zero() {
            return Rational::ZERO;
        }
        let g = integer_content(&self.coefficients);
        let g = if self.coefficients[0].is_negative() { -&g } else { g };
        Rational::new(g, self.denominator.clone())
    }

    /// The multiple with integer coefficients without common factor, the leading one positive.
    pub fn primitive_part(&self) -> Polynomial {
        if self.is_zero() {
            return Polynomial::zero();
        }
        let mut g = integer_content(&self.coefficients);
        if self.coefficients[0].is_negative() {
            g = -&g;
        }
        let coefficients = if g.is_one() {
            self.coefficients.clone()
        } else {
            self.coefficients.iter().map(|c| c.div_rem(&g).0).collect()
        };
        Polynomial {
            layout: self.layout.clone(),
            monomials: self.monomials.clone(),
            coefficients,
            denominator: Integer::ONE,
        }
    }

    /// The largest monomial that divides every term.
    pub fn monomial_content(&self) -> Monomial {
        let n = self.layout.n_variables();
        let mut least: SmallVec<[u32; 8]> = SmallVec::from_elem(u32::MAX, n);
        for i in 0..self.n_terms() {
            let packed = self.monomial_words(i);
            for (k, e) in least.iter_mut().enumerate() {
                *e = (*e).min(self.layout.exponent(packed, k));
            }
        }
        self.layout.variables.iter().zip(least).filter(|(_, e)| *e > 0).map(|(v, e)| (*v, e)).collect()
    }

    /// The quotient by a monomial that divides every term.
    pub(crate) fn without_monomial(&self, monomial: &Monomial) -> Polynomial {
        if monomial.is_empty() {
            return self.clone();
        }
        let mut exponents: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.layout.n_variables());
        for &(v, e) in monomial {
            exponents[self.layout.position(v).expect("the monomial divides")] = e;
        }
        let mut packed = Vec::new();
        self.layout.pack(&exponents, &mut packed);
        let words = packed.len();
        let monomials = self.monomials.iter().enumerate().map(|(i, w)| w - packed[i % words]).collect();
        let (coefficients, denominator) = (self.coefficients.clone(), self.denominator.clone());
        Polynomial::from_sorted(self.layout.clone(), monomials, coefficients, denominator)
    }

    /// Most bits of a coefficient or of the denominator.
    pub fn bits(&self) -> usize {
        self.coefficients.iter().map(Integer::bits).max().unwrap_or(0).max(self.denominator.bits())
    }
}

/// Greatest common divisor of the numbers, never negative.
pub(crate) fn integer_content(numbers: &[Integer]) -> Integer {
    let mut g = Integer::ZERO;
    for c in numbers {
        g = g.gcd(c);
        if g.is_one() {
            break;
        }
    }
    g
}

pub(crate) fn lcm(a: &Integer, b: &Integer) -> Integer {
    if a.is_one() {
        return b.clone();
    }
    if b.is_one() || a == b {
        return a.clone();
    }
    let g = a.gcd(b);
    &a.div_rem(&g).0 * b
}

/// `a ± b`, merging the two lists of terms.
fn merge(a: &Polynomial, b: &Polynomial, subtract: bool) -> Polynomial {
    if b.is_zero() {
        return a.clone();
    }
    if a.is_zero() {
        return if subtract { -b } else { b.clone() };
    }
    let layout = a.layout.union(&b.layout, a.layout.width.max(b.layout.width));
    let words = layout.words();
    let (ma, mb) = (a.packed_in(&layout), b.packed_in(&layout));
    let denominator = lcm(&a.denominator, &b.denominator);
    let factor = |p: &Polynomial| denominator.div_rem(&p.denominator).0;
    let (fa, mut fb) = (factor(a), factor(b));
    if subtract {
        fb = -&fb;
    }
    let scaled = |c: &Integer, f: &Integer| if f.is_one() { c.clone() } else { c * f };
    let (na, nb) = (a.n_terms(), b.n_terms());
    let mut monomials = Vec::with_capacity((na + nb) * words);
    let mut coefficients = Vec::with_capacity(na + nb);
    let (mut i, mut j) = (0, 0);
    while i < na || j < nb {
        let (ka, kb) = (ma.get(i * words..(i + 1) * words), mb.get(j * words..(j + 1) * words));
        let order = match (ka, kb) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => Ordering::Greater,
            _ => Ordering::Less,
        };
        match order {
            Ordering::Greater => {
                monomials.extend_from_slice(ka.expect("taken from a"));
                coefficients.push(scaled(&a.coefficients[i], &fa));
                i += 1;
            }
            Ordering::Less => {
                monomials.extend_from_slice(kb.expect("taken from b"));
                coefficients.push(scaled(&b.coefficients[j], &fb));
                j += 1;
            }
            Ordering::Equal => {
                let sum = &scaled(&a.coefficients[i], &fa) + &scaled(&b.coefficients[j], &fb);
                if !sum.is_zero() {
                    monomials.extend_from_slice(ka.expect("both present"));
                    coefficients.push(sum);
                }
                i += 1;
                j += 1;
            }
        }
    }
    Polynomial::from_sorted(layout, monomials, coefficients, denominator)
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        merge(self, other, false)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        merge(self, other, true)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        Polynomial {
            layout: self.layout.clone(),
            monomials: self.monomials.clone(),
            coefficients: self.coefficients.iter().map(|c| -c).collect(),
            denominator: self.denominator.clone(),
        }
    }
}

/// A total order without mathematical meaning: fewer terms first, then lower, then by the terms.
/// For lists of factors and generators that must come out the same every time.
impl Ord for Polynomial {
    fn cmp(&self, other: &Polynomial) -> Ordering {
        self.total_degree()
            .cmp(&other.total_degree())
            .then_with(|| self.n_terms().cmp(&other.n_terms()))
            .then_with(|| self.layout.variables.cmp(&other.layout.variables))
            .then_with(|| self.layout.width.cmp(&other.layout.width))
            .then_with(|| other.monomials.cmp(&self.monomials))
            .then_with(|| self.coefficients.cmp(&other.coefficients))
            .then_with(|| self.denominator.cmp(&other.denominator))
    }
}

impl PartialOrd for Polynomial {
    fn partial_cmp(&self, other: &Polynomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Polynomial {
    /// With variables written `x0, x1, …`; for tests and for reading in a debugger.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        for (i, (monomial, coefficient)) in self.terms().enumerate() {
            match (i, coefficient.is_negative()) {
                (0, true) => f.write_str("-")?,
                (0, false) => {}
                (_, true) => f.write_str(" - ")?,
                (_, false) => f.write_str(" + ")?,
            }
            let size = coefficient.abs();
            if monomial.is_empty() {
                write!(f, "{size}")?;
                continue;
            }
            if !size.is_one() {
                write!(f, "{size}*")?;
            }
            for (k, (v, e)) in monomial.iter().enumerate() {
                let times = if k == 0 { "" } else { "*" };
                if *e == 1 {
                    write!(f, "{times}x{v}")?;
                } else {
                    write!(f, "{times}x{v}^{e}")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
pub(crate) mod tests;
