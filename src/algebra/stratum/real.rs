//! Real zeros: what a polynomial equation says when its unknowns are real numbers.
//!
//! x² + y² = 0 is two equations and x⁴ + y² + 2 = 0 has no solution, although neither polynomial factors.
//! Three facts are recognised, each a proof:
//!
//! - *semidefinite*: p ≥ 0 (or p ≤ 0) everywhere, with its zeros given by simpler equations. Sums of even
//!   monomials of one sign are; a polynomial quadratic in y = xᵏ is if its square can be completed,
//!   4ap = (2ay + b)² + (4ac − b²), with a of one sign and 4ac − b² again semidefinite; so is a form in two
//!   variables without real lines, by Sturm's theorem;
//! - *split over a real extension*: b² − 4ac = g·h² with a number or parameter g > 0 that is no square
//!   gives two factors, x² − 3y² = (x − √3 y)(x + √3 y); two terms that are n-th powers up to constants give
//!   the real ones among their linear factors, x⁴ = 2y⁴ the lines x = ±⁴√2 y;
//! - *without real roots*: a polynomial in one variable, by Sturm's theorem.
//!
//! Signs of generators count: e^u > 0, √u ≥ 0, m > 0 by assumption; and those of polynomials in them, 2 + sin x > 0.

use super::super::assume::Sign;
use super::super::factor::factor;
use super::super::generator::{Generator, Kind, in_cosine, reduce};
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use super::super::roots::count_real_roots;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// A polynomial that never changes its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semidefinite {
    pub is_negative: bool,
    /// The real zeros of the polynomial are the common zeros of these; `[1]` if it has none.
    pub zeros: Vec<Polynomial>,
}

impl Semidefinite {
    pub fn has_no_zero(&self) -> bool {
        self.zeros.iter().any(|z| z.is_constant() && !z.is_zero())
    }
}

/// How deep completed squares may be nested.
const MAX_DEPTH: u32 = 6;

/// Recognises a polynomial of one sign. `None` says that no rule applies, not that the sign changes.
pub fn semidefinite(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    semidefinite_within(cx, p, MAX_DEPTH)
}

fn semidefinite_within(cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Option<Semidefinite>> {
    cx.check()?;
    if p.is_zero() {
        return Ok(Some(Semidefinite { is_negative: false, zeros: vec![] }));
    }
    if let Some(found) = even_terms(cx, p) {
        return Ok(Some(found));
    }
    // A polynomial of one sign that may vanish is described by its own equation, unless there are simpler ones.
    let weak = match known_sign(cx, p) {
        Some(found) if found.has_no_zero() => return Ok(Some(found)),
        weak => weak,
    };
    if let Some(found) = in_cosines(cx, p)? {
        return Ok(Some(found));
    }
    if depth == 0 {
        return Ok(weak);
    }
    // An even power, or a product of polynomials of one sign.
    let parts = factor(cx, p);
    let is_power_or_product = parts.factors.len() > 1 || parts.factors.iter().any(|(_, n)| *n > 1);
    if is_power_or_product {
        let mut is_negative = parts.unit.is_negative();
        let mut zeros = vec![Polynomial::one()];
        for (f, n) in &parts.factors {
            let here = if n % 2 == 0 {
                vec![f.clone()]
            } else {
                let Some(found) = semidefinite_within(cx, f, depth - 1)? else { return Ok(weak) };
                is_negative ^= found.is_negative;
                found.zeros
            };
            // The zeros of a product are the union: every product of one equation from each side.
            let mut products = Vec::new();
            for a in &zeros {
                for b in &here {
                    products.push(a.mul(cx, b)?);
                }
            }
            zeros = products;
        }
        return Ok(Some(Semidefinite { is_negative, zeros }));
    }
    if let [v] = p.variables()
        && count_real_roots(cx, p, None, None)? == 0
    {
        let is_negative = p.evaluate_at(cx, &[(*v, Rational::ZERO)])?.is_some_and(|value| value.is_negative());
        return Ok(Some(Semidefinite { is_negative, zeros: vec![Polynomial::one()] }));
    }
    match binary_form(cx, p)? {
        Some(found) => Ok(Some(found)),
        None => Ok(completed_square(cx, p, depth)?.or(weak)),
    }
}

/// The sign that the declared facts and the bounds of functions give a polynomial in parameters and numbers, or one like
/// 2 + sin x that contains functions.
fn known_sign(cx: &Inquiry, p: &Polynomial) -> Option<Semidefinite> {
    let is_fixed = |v: &u32| Generator(*v).meaning().symbols().iter().all(|s| s.is_parameter());
    let is_function = |v: &u32| !matches!(Generator(*v).kind(), Kind::Symbol(_) | Kind::Pi);
    let has_functions = p.variables().iter().any(is_function);
    // Facts about more than single symbols: c² − v² − w² > 0, x > 3.
    let is_compared = |v: &u32| {
        let own = Generator(*v).meaning();
        cx.facts()
            .iter()
            .any(|(fact, _)| fact.as_symbol().is_none() && own.as_symbol().is_some_and(|s| fact.contains(s)))
    };
    let has_sign = has_functions || p.variables().iter().all(is_fixed) || p.variables().iter().any(is_compared);
    if p.n_terms() > MAX_SIGNED_TERMS || !has_sign {
        return None;
    }
    let sign = super::super::decide::sign(cx, super::super::normal::write::polynomial_expr(p));
    let has_sign = sign.is_nonnegative() || sign.is_nonpositive();
    let is_negative = sign.can_be_negative;
    match (has_sign, sign.can_be_zero) {
        (true, false) => Some(Semidefinite { is_negative, zeros: vec![Polynomial::one()] }),
        (true, true) if has_functions => Some(Semidefinite { is_negative, zeros: vec![p.clone()] }),
        _ => None,
    }
}

/// 1 − sin² x is a square, though of the cosine.
fn in_cosines(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    for &v in p.variables() {
        if matches!(Generator(v).kind(), Kind::Sine(_))
            && !p.contains(v + 1)
            && let Some(other) = in_cosine(cx, p, v)?
            && let Some(found) = even_terms(cx, &other)
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Larger polynomials in parameters are not looked at for their sign.
const MAX_SIGNED_TERMS: usize = 24;

/// Every term of the same sign, whatever the values: even powers, and generators of known sign.
pub(super) fn even_terms(cx: &Inquiry, p: &Polynomial) -> Option<Semidefinite> {
    let mut is_negative: Option<bool> = None;
    let mut zeros = Vec::new();
    for (monomial, coefficient) in p.terms() {
        let sign = monomial_sign(cx, &monomial)?;
        let negative = sign ^ coefficient.is_negative();
        if *is_negative.get_or_insert(negative) != negative {
            return None;
        }
        let radical = monomial.iter().filter(|(v, _)| Generator(*v).sign(cx).can_be_zero).map(|(v, _)| (*v, 1));
        zeros.push(Polynomial::from_terms([(radical.collect::<Monomial>(), Rational::ONE)]));
    }
    if zeros.iter().any(|z| z.is_one()) {
        zeros = vec![Polynomial::one()];
    }
    Some(Semidefinite { is_negative: is_negative?, zeros })
}

/// Whether the monomial is ≤ 0 wherever it is not zero; `None` if its sign can change.
pub(super) fn monomial_sign(cx: &Inquiry, monomial: &Monomial) -> Option<bool> {
    let mut negative = false;
    for (v, n) in monomial.iter().filter(|(_, n)| n % 2 == 1) {
        let _ = n;
        let sign: Sign = Generator(*v).sign(cx);
        match (sign.can_be_negative, sign.can_be_positive) {
            (true, true) => return None,
            (true, false) => negative = !negative,
            _ => {}
        }
    }
    Some(negative)
}

/// 4ap = (2ay + b)² + (4ac − b²) for a power y = xᵏ in which p is quadratic with a leading coefficient of one sign.
fn completed_square(cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Option<Semidefinite>> {
    let mut candidates: Vec<(bool, u32, u32)> = Vec::new();
    for &v in p.variables() {
        if quadratic_in(p, v).is_some() {
            candidates.push((!p.leading_coefficient_in(v).is_constant(), p.degree_in(v), v));
        }
    }
    candidates.sort();
    for (_, degree, v) in candidates {
        let Some([c, b, a]) = quadratic_in(p, v) else { continue };
        let Some(lead) = semidefinite_within(cx, &a, depth - 1)?.filter(Semidefinite::has_no_zero) else { continue };
        let four = Rational::from(4);
        let rest = reduce(cx, &a.mul(cx, &c)?.scale(&four) - &b.mul(cx, &b)?)?;
        let Some(rest) = semidefinite_within(cx, &rest, depth - 1)?.filter(|r| !r.is_negative || r.zeros.is_empty())
        else {
            continue;
        };
        let mut zeros = vec![&a.mul(cx, &Polynomial::power(v, degree / 2))?.scale(&Rational::from(2)) + &b];
        if rest.has_no_zero() {
            zeros = vec![Polynomial::one()];
        } else {
            zeros.extend(rest.zeros);
        }
        return Ok(Some(Semidefinite { is_negative: lead.is_negative, zeros }));
    }
    Ok(None)
}

/// c + by + ay² with a power y of the variable, which has no relation of its own.
fn quadratic_in(p: &Polynomial, v: u32) -> Option<[Polynomial; 3]> {
    let degree = p.degree_in(v) as usize;
    if degree == 0 || degree % 2 == 1 || Generator(v).relation().is_some() {
        return None;
    }
    let parts = p.coefficients_in(v);
    let is_quadratic = parts.iter().enumerate().all(|(k, c)| k % (degree / 2) == 0 || c.is_zero());
    is_quadratic.then(|| [parts[0].clone(), parts[degree / 2].clone(), parts[degree].clone()])
}

/// A form in two variables whose other coefficients are numbers: it vanishes at the origin only if p(x, 1) has no root and its
/// leading coefficient is not zero.
fn binary_form(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    let &[x, y] = p.variables() else { return Ok(None) };
    let degree = p.total_degree();
    let is_form = p.terms().all(|(m, _)| m.iter().map(|(_, n)| u64::from(*n)).sum::<u64>() == degree);
    let has_relation = |v: u32| Generator(v).relation().is_some();
    if !is_form || degree % 2 == 1 || u64::from(p.degree_in(x)) < degree || has_relation(x) || has_relation(y) {
        return Ok(None);
    }
    let dehomogenised = p.evaluate(cx, &[(y, Rational::ONE)])?;
    if count_real_roots(cx, &dehomogenised, None, None)? > 0 {
        return Ok(None);
    }
    let is_negative = dehomogenised.constant_term().is_negative();
    Ok(Some(Semidefinite { is_negative, zeros: vec![Polynomial::variable(x), Polynomial::variable(y)] }))
}

/// What is known of the constants in a polynomial: parameters, numbers such as √3.
pub trait Constants {
    fn is_constant(&self, variable: u32) -> bool;
    /// The sign of a polynomial in constants.
    fn sign_of(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Sign>;
    /// The n-th root of a positive polynomial in constants, as a polynomial in a generator for it.
    fn root_of(&self, cx: &Inquiry, p: &Polynomial, n: u32) -> Budgeted<Option<Polynomial>>;
}

fn is_constant(p: &Polynomial, constants: &impl Constants) -> bool {
    p.variables().iter().all(|v| constants.is_constant(*v))
}

/// Real factors of an irreducible polynomial over an extension of the constants by a real root, up to factors
/// without real zeros. A polynomial in one unknown is left as it is: its zeros are a finite family.
pub fn split_over_roots(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    match quadratic_split(cx, p, constants)? {
        Some(factors) => Ok(Some(factors)),
        None => binomial_split(cx, p, constants),
    }
}

/// a·y² + b·y + c with y = xᵏ, where b² − 4ac = g·h² with a constant g > 0: 2a·y + b ± √g·h.
fn quadratic_split(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    for &v in p.variables() {
        let degree = p.degree_in(v);
        if degree % 2 == 1 || degree == 0 || constants.is_constant(v) {
            continue;
        }
        let parts = p.coefficients_in(v);
        let half = degree as usize / 2;
        if parts.iter().enumerate().any(|(k, c)| k % half != 0 && !c.is_zero()) {
            continue;
        }
        let (c, b, a) = (&parts[0], &parts[half], &parts[2 * half]);
        if !is_constant(a, constants) && !semidefinite(cx, a)?.is_some_and(|s| s.has_no_zero()) {
            continue;
        }
        let discriminant = &b.mul(cx, b)? - &a.mul(cx, c)?.scale(&Rational::from(4));
        let discriminant = reduce(cx, discriminant)?;
        let parts = factor(cx, &discriminant);
        let (mut g, mut h) = (Polynomial::constant(parts.unit.clone()), Polynomial::one());
        for (f, n) in &parts.factors {
            h = h.mul(cx, &f.pow(cx, n / 2)?)?;
            if n % 2 == 1 {
                g = g.mul(cx, f)?;
            }
        }
        if is_constant(&h, constants) || !is_constant(&g, constants) || !constants.sign_of(cx, &g)?.is_positive() {
            continue;
        }
        let Some(root) = constants.root_of(cx, &g, 2)? else { continue };
        let line = &a.mul(cx, &Polynomial::power(v, half as u32))?.scale(&Rational::from(2)) + b;
        let offset = root.mul(cx, &h)?;
        return Ok(Some(vec![&line - &offset, &line + &offset]));
    }
    Ok(None)
}

/// a·uⁿ + b·wⁿ with monomials u, w in the unknowns: a·u = ±ⁿ√(−b·aⁿ⁻¹)·w for even n, one sign for odd n.
fn binomial_split(cx: &Inquiry, p: &Polynomial, constants: &impl Constants) -> Budgeted<Option<Vec<Polynomial>>> {
    let unknowns: Vec<u32> = p.variables().iter().copied().filter(|v| !constants.is_constant(*v)).collect();
    let terms = p.coefficients_with_respect_to(&unknowns);
    let [(u, a), (w, b)] = terms.as_slice() else { return Ok(None) };
    if u.is_empty() || w.is_empty() {
        return Ok(None);
    }
    let n = u.iter().chain(w.iter()).fold(0, |n, (_, e)| gcd(n, *e));
    if n < 2 {
        return Ok(None);
    }
    let radicand = b.mul(cx, &a.pow(cx, n - 1)?)?.scale(&Rational::from(-1));
    let radicand = reduce(cx, radicand)?;
    let sign = constants.sign_of(cx, &radicand)?;
    let negative = sign.is_negative();
    let has_root = sign.is_positive() || (negative && n % 2 == 1);
    if !has_root {
        return Ok(None);
    }
    let positive = if negative { radicand.scale(&Rational::from(-1)) } else { radicand };
    let Some(root) = constants.root_of(cx, &positive, n)? else { return Ok(None) };
    let part = |m: &Monomial| -> Polynomial {
        let monomial: Monomial = m.iter().map(|(v, e)| (*v, e / n)).collect();
        Polynomial::from_terms([(monomial, Rational::ONE)])
    };
    let (left, right) = (a.mul(cx, &part(u))?, root.mul(cx, &part(w))?);
    Ok(Some(match (n % 2, negative) {
        (0, _) => vec![&left - &right, &left + &right],
        (_, false) => vec![&left - &right],
        (_, true) => vec![&left + &right],
    }))
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
