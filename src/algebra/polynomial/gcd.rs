//! Greatest common divisors.
//!
//! The question is first made as small as possible: monomial factors are split off, variables that
//! occur in one argument only are removed by taking coefficients, and univariate images modulo a
//! prime bound the degree of the gcd in every variable. A bound of zero removes a variable, all
//! bounds zero prove coprimality (the usual case), bounds equal to the degrees of an argument suggest
//! that it divides the other. What remains goes to sparse modular interpolation ([`super::zippel`]).
//! Whatever comes back is proved by two exact divisions, and the degree bounds prove that nothing is
//! missing; a remainder sequence is the last resort.

use super::interpolation::Residues;
use super::modular::{PrimeField, Sequence, dense};
use super::multiply::bits_of;
use super::packed::Layout;
use super::zippel::{self, Interpolated};
use super::{Monomial, Polynomial};
use crate::algebra::number::{Integer, Rational};
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
use dashu_int::IBig;
use dashu_int::ops::{Gcd, RemEuclid};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A gcd together with what it leaves: `a = gcd·left`, `b = gcd·right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cofactors {
    /// Integer coefficients without common factor, the leading one positive; zero only of two zeros.
    pub gcd: Polynomial,
    pub left: Polynomial,
    pub right: Polynomial,
}

impl Polynomial {
    /// The greatest common divisor, primitive with positive leading coefficient.
    pub fn gcd(&self, cx: &Budget, other: &Polynomial) -> Budgeted<Polynomial> {
        Ok(self.gcd_cofactors(cx, other)?.gcd)
    }

    /// The gcd with both quotients.
    pub fn gcd_cofactors(&self, cx: &Budget, other: &Polynomial) -> Budgeted<Cofactors> {
        let (a, b) = (self, other);
        let constant = |p: &Polynomial| Polynomial::constant(p.content());
        match (a.is_zero(), b.is_zero()) {
            (true, true) => {
                let zero = Polynomial::zero();
                return Ok(Cofactors { gcd: zero.clone(), left: zero.clone(), right: zero });
            }
            (true, false) => {
                return Ok(Cofactors { gcd: b.primitive_part(), left: Polynomial::zero(), right: constant(b) });
            }
            (false, true) => {
                return Ok(Cofactors { gcd: a.primitive_part(), left: constant(a), right: Polynomial::zero() });
            }
            (false, false) => {}
        }
        let mut result = primitive_gcd(cx, &a.primitive_part(), &b.primitive_part())?;
        let (mut left, mut right) = (a.content(), b.content());
        if result.gcd.leading_coefficient().is_negative() {
            result.gcd = -&result.gcd;
            (left, right) = (-&left, -&right);
        }
        result.left = result.left.scale(&left);
        result.right = result.right.scale(&right);
        Ok(result)
    }

    /// The least common multiple, primitive with positive leading coefficient; zero if one is zero.
    pub fn lcm(&self, cx: &Budget, other: &Polynomial) -> Budgeted<Polynomial> {
        if self.is_zero() || other.is_zero() {
            return Ok(Polynomial::zero());
        }
        let c = self.gcd_cofactors(cx, other)?;
        Ok(c.left.primitive_part().mul(cx, &other.primitive_part())?.primitive_part())
    }

    /// Gcd of any number of polynomials; zero of none.
    pub fn gcd_of(cx: &Budget, list: &[Polynomial]) -> Budgeted<Polynomial> {
        let mut list: Vec<&Polynomial> = list.iter().filter(|p| !p.is_zero()).collect();
        list.sort_by_key(|p| p.n_terms());
        let Some((first, rest)) = list.split_first() else { return Ok(Polynomial::zero()) };
        let mut g = first.primitive_part();
        for p in rest {
            if g.is_constant() {
                break;
            }
            g = g.gcd(cx, p)?;
        }
        Ok(g)
    }

    /// Gcd of the coefficients as a polynomial in the variable: primitive, positive.
    pub fn content_in(&self, cx: &Budget, variable: u32) -> Budgeted<Polynomial> {
        Polynomial::gcd_of(cx, &self.coefficients_in(variable))
    }

    /// The quotient by [`Polynomial::content_in`].
    pub fn primitive_part_in(&self, cx: &Budget, variable: u32) -> Budgeted<Polynomial> {
        let content = self.content_in(cx, variable)?;
        if content.is_constant() {
            return Ok(self.clone());
        }
        Ok(self.div_exact(cx, &content)?.expect("the content divides"))
    }

    /// The coefficients with respect to several variables at once, in order of first appearance.
    pub fn coefficients_with_respect_to(&self, variables: &[u32]) -> Vec<(Monomial, Polynomial)> {
        let mut groups: Vec<(Monomial, Vec<(Monomial, Rational)>)> = Vec::new();
        let mut index: FxHashMap<Monomial, usize> = FxHashMap::default();
        for (monomial, c) in self.terms() {
            let (inside, outside): (Monomial, Monomial) =
                monomial.iter().copied().partition(|(v, _)| variables.contains(v));
            let at = *index.entry(inside.clone()).or_insert_with(|| {
                groups.push((inside, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push((outside, c));
        }
        groups.into_iter().map(|(m, terms)| (m, Polynomial::from_terms(terms))).collect()
    }
}

/// What a gcd costs for each term, in terms combined.
const GCD_WORK: u64 = 16;

/// The gcd of nonzero integer polynomials up to sign.
fn primitive_gcd(cx: &Budget, a: &Polynomial, b: &Polynomial) -> Budgeted<Cofactors> {
    cx.check()?;
    cx.spend(GCD_WORK * (a.n_terms() + b.n_terms()) as u64)?;
    let coprime = || Cofactors { gcd: Polynomial::one(), left: a.clone(), right: b.clone() };
    if a.is_constant() || b.is_constant() {
        return Ok(coprime());
    }
    if a == b {
        return Ok(Cofactors { gcd: a.clone(), left: Polynomial::one(), right: Polynomial::one() });
    }
    let (ma, mb) = (a.monomial_content(), b.monomial_content());
    if !ma.is_empty() || !mb.is_empty() {
        let inner = primitive_gcd(cx, &a.without_monomial(&ma), &b.without_monomial(&mb))?;
        let common: Monomial =
            ma.iter().filter_map(|&(v, e)| mb.iter().find(|(w, _)| *w == v).map(|&(_, f)| (v, e.min(f)))).collect();
        let minus = |m: &Monomial| super::divide::quotient_of_monomials(m, &common).expect("a common factor");
        let times = |p: &Polynomial, m: Monomial| p.mul(cx, &Polynomial::from_terms([(m, Rational::ONE)]));
        return Ok(Cofactors {
            gcd: times(&inner.gcd, common.clone())?,
            left: times(&inner.left, minus(&ma))?,
            right: times(&inner.right, minus(&mb))?,
        });
    }
    let (va, vb) = (a.variables(), b.variables());
    if va != vb {
        let only: Vec<u32> =
            va.iter().filter(|v| !vb.contains(v)).chain(vb.iter().filter(|v| !va.contains(v))).copied().collect();
        return gcd_of_coefficients(cx, a, b, &only);
    }
    if let Some(steps) = common_steps(a, b) {
        return deflated_gcd(cx, a, b, &steps);
    }
    if a.degrees().iter().chain(&b.degrees()).any(|&d| d > MAX_DEGREE) {
        return Err(Exhausted::Size);
    }
    if let [x] = va
        && let Some(found) = univariate_gcd(cx, a, b, *x)?
    {
        return Ok(found);
    }
    let mut random = Sequence::new(0x6c65_7061_6765);
    for attempt in 0..8 {
        let field = PrimeField::nth(attempt);
        let Some(images) = Images::new(a, b, &field, &mut random) else { continue };
        let bounds = &images.bounds;
        if bounds.iter().all(|&d| d == 0) {
            return Ok(coprime());
        }
        if bounds.contains(&0) {
            let absent: Vec<u32> = va.iter().zip(bounds).filter(|(_, d)| **d == 0).map(|(v, _)| *v).collect();
            return gcd_of_coefficients(cx, a, b, &absent);
        }
        if bounds.iter().eq(b.degrees().iter())
            && let Some(left) = a.div_exact(cx, b)?
        {
            return Ok(Cofactors { gcd: b.clone(), left, right: Polynomial::one() });
        }
        if bounds.iter().eq(a.degrees().iter())
            && let Some(right) = b.div_exact(cx, a)?
        {
            return Ok(Cofactors { gcd: a.clone(), left: Polynomial::one(), right });
        }
        if let Some(found) = by_interpolation(cx, a, b, &images, &field, attempt, &mut random)? {
            return Ok(found);
        }
    }
    by_remainders(cx, a, b)
}

/// Degrees above which univariate images are not attempted.
const MAX_DEGREE: u32 = 20_000;

/// For each variable the gcd of its exponents in both arguments, if one is above 1: a and b are then polynomials in
/// powers of the variables, and so is their gcd.
fn common_steps(a: &Polynomial, b: &Polynomial) -> Option<Vec<(u32, u32)>> {
    let n = a.variables().len();
    let mut steps: SmallVec<[u32; 8]> = SmallVec::from_elem(0, n);
    for p in [a, b] {
        for i in 0..p.n_terms() {
            for (k, s) in steps.iter_mut().enumerate() {
                if *s != 1 {
                    *s = small_gcd(*s, p.layout().exponent(p.monomial_words(i), k));
                }
            }
            if steps.iter().all(|&s| s == 1) {
                return None;
            }
        }
    }
    Some(a.variables().iter().copied().zip(steps).collect())
}

fn small_gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn deflated_gcd(cx: &Budget, a: &Polynomial, b: &Polynomial, steps: &[(u32, u32)]) -> Budgeted<Cofactors> {
    let step = |v: u32| steps.iter().find(|(w, _)| *w == v).map_or(1, |(_, s)| *s);
    let change = |p: &Polynomial, exponent: &dyn Fn(u32, u32) -> u32| {
        let terms = p.terms().map(|(m, c)| (m.iter().map(|&(v, e)| (v, exponent(v, e))).collect::<Monomial>(), c));
        Polynomial::from_terms(terms.collect::<Vec<_>>())
    };
    let deflate = |p: &Polynomial| change(p, &|v, e| e / step(v));
    let inflate = |p: &Polynomial| change(p, &|v, e| e * step(v));
    let inner = primitive_gcd(cx, &deflate(a), &deflate(b))?;
    Ok(Cofactors { gcd: inflate(&inner.gcd), left: inflate(&inner.left), right: inflate(&inner.right) })
}

/// In one variable: the gcd of the values at a large power of two, read in that base (Char–Geddes–Gonnet). `None` if
/// the arguments are not short enough for that or the guess does not divide.
fn univariate_gcd(cx: &Budget, a: &Polynomial, b: &Polynomial, x: u32) -> Budgeted<Option<Cofactors>> {
    if let Some(found) = super::word_gcd::word_gcd(a, b, x) {
        return Ok(Some(found));
    }
    let (bits_a, bits_b) = (bits_of(a.integer_coefficients()), bits_of(b.integer_coefficients()));
    let degree = a.degrees()[0].max(b.degrees()[0]) as usize;
    // Coefficients of a factor are rarely longer than those of the shorter argument.
    let base = (bits_a.min(bits_b) + 6 + degree.ilog2() as usize).max(bits_a.max(bits_b) / 2).next_multiple_of(64);
    if base * (degree + 1) > 20_000 {
        return Ok(None);
    }
    let value = |p: &Polynomial| -> IBig {
        let mut sum = IBig::ZERO;
        let mut last = None;
        for (i, c) in p.integer_coefficients().iter().enumerate() {
            let e = p.layout().exponent(p.monomial_words(i), 0) as usize;
            if let Some(last) = last {
                sum <<= base * (last - e);
            }
            sum += c.to_big();
            last = Some(e);
        }
        sum << (base * last.unwrap_or(0))
    };
    let mut rest = IBig::from(value(a).gcd(value(b)));
    // Digits of the base nearest to zero.
    let modulus = IBig::ONE << base;
    let half = IBig::ONE << (base - 1);
    let mut terms: Vec<(Monomial, Rational)> = Vec::new();
    let mut e = 0;
    while rest != IBig::ZERO {
        let mut digit: IBig = (&rest).rem_euclid(&modulus).into();
        if digit > half {
            digit -= &modulus;
        }
        rest = (rest - &digit) >> base;
        if digit != IBig::ZERO {
            terms.push((smallvec::smallvec![(x, e)], Rational::integer(Integer::from_big(digit))));
        }
        e += 1;
    }
    let gcd = Polynomial::from_terms(terms).primitive_part();
    // A common divisor; that it is the greatest follows from the size of the base: a larger gcd g·h would give the
    // value h(2^base) > 1 as a factor of the content just removed, checked by the degree modulo a prime.
    let Some(left) = a.div_exact(cx, &gcd)? else { return Ok(None) };
    let Some(right) = b.div_exact(cx, &gcd)? else { return Ok(None) };
    let field = PrimeField::nth(0);
    let image = |p: &Polynomial| {
        let mut c = vec![0; p.degree_in(x) as usize + 1];
        for (m, v) in p.terms() {
            c[m.first().map_or(0, |t| t.1) as usize] = field.residue(v.numerator());
        }
        dense::trim(&mut c);
        c
    };
    let (l, r) = (image(&left), image(&right));
    let kept = l.len() == left.degree_in(x) as usize + 1 && r.len() == right.degree_in(x) as usize + 1;
    let coprime = kept && dense::gcd(l, r, &field).len() == 1;
    Ok(coprime.then_some(Cofactors { gcd, left, right }))
}

/// The gcd is free of `absent`: it is the gcd of all coefficients with respect to these variables.
fn gcd_of_coefficients(cx: &Budget, a: &Polynomial, b: &Polynomial, absent: &[u32]) -> Budgeted<Cofactors> {
    let mut list = Vec::new();
    for p in [a, b] {
        list.extend(p.coefficients_with_respect_to(absent).into_iter().map(|(_, c)| c));
    }
    let gcd = if list.iter().any(Polynomial::is_constant) { Polynomial::one() } else { Polynomial::gcd_of(cx, &list)? };
    if gcd.is_constant() {
        return Ok(Cofactors { gcd: Polynomial::one(), left: a.clone(), right: b.clone() });
    }
    let left = a.div_exact(cx, &gcd)?.expect("divides every coefficient");
    let right = b.div_exact(cx, &gcd)?.expect("divides every coefficient");
    Ok(Cofactors { gcd, left, right })
}

/// Univariate gcds of `a` and `b` in every variable at one random point modulo a prime.
pub(super) struct Images {
    /// The point, one residue per variable.
    pub point: Vec<u64>,
    /// Upper bounds for the degrees of the gcd, one per variable.
    pub bounds: Vec<u32>,
    /// The monic gcds.
    pub gcds: Vec<Vec<u64>>,
    /// Exponents and residues of both arguments.
    pub a: Residues,
    pub b: Residues,
}

impl Images {
    /// `None` if the point or the prime is bad for a variable.
    fn new(a: &Polynomial, b: &Polynomial, field: &PrimeField, random: &mut Sequence) -> Option<Images> {
        let layout = a.layout();
        let n = layout.n_variables();
        let (ra, rb) = (Residues::new(a, layout, field), Residues::new(b, layout, field));
        let point: Vec<u64> = (0..n).map(|_| random.residue(field)).collect();
        let mut inverses = point.clone();
        field.invert_all(&mut inverses);
        let table = |base: &[u64], degrees: &[&SmallVec<[u32; 8]>]| -> Vec<Vec<u64>> {
            let degree = |k: usize| degrees.iter().map(|d| d[k]).max().unwrap_or(0) as usize;
            base.iter().enumerate().map(|(k, &x)| field.powers(x, degree(k))).collect()
        };
        let powers = table(&point, &[&ra.degrees, &rb.degrees]);
        let inverse_powers = table(&inverses, &[&ra.degrees, &rb.degrees]);
        let values = |r: &Residues| -> Vec<u64> {
            let value = |(row, c): (&[u32], u64)| {
                row.iter()
                    .zip(&powers)
                    .fold(c, |v, (&e, table)| if e == 0 { v } else { field.mul(v, table[e as usize]) })
            };
            r.rows().map(value).collect()
        };
        let (values_a, values_b) = (values(&ra), values(&rb));
        let (mut bounds, mut gcds) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (k, inverse_powers) in inverse_powers.iter().enumerate() {
            let univariate = |r: &Residues, values: &[u64]| -> Vec<u64> {
                let mut c = vec![0; r.degrees[k] as usize + 1];
                for (i, &v) in values.iter().enumerate() {
                    let e = r.exponents[i * n + k] as usize;
                    let v = if e == 0 { v } else { field.mul(v, inverse_powers[e]) };
                    c[e] = field.add(c[e], v);
                }
                dense::trim(&mut c);
                c
            };
            let (ua, ub) = (univariate(&ra, &values_a), univariate(&rb, &values_b));
            // The leading coefficient of the gcd divides both leading coefficients; if one of them
            // survives, so does the gcd's, and the degree of the image bounds the degree.
            let full = |u: &[u64], r: &Residues| u.len() == r.degrees[k] as usize + 1;
            if !full(&ua, &ra) || !full(&ub, &rb) {
                return None;
            }
            let g = dense::gcd(ua, ub, field);
            bounds.push(dense::degree(&g) as u32);
            gcds.push(g);
        }
        Some(Images { point, bounds, gcds, a: ra, b: rb })
    }
}

/// Sparse interpolation, then proof by division. `None` asks for another prime and point.
fn by_interpolation(
    cx: &Budget,
    a: &Polynomial,
    b: &Polynomial,
    images: &Images,
    field: &PrimeField,
    attempt: usize,
    random: &mut Sequence,
) -> Budgeted<Option<Cofactors>> {
    let layout = a.layout();
    let (main, leading) = main_variable(cx, a, b, &images.bounds)?;
    let x = layout.variables[main];
    let leading_residues = Residues::new(&leading, layout, field);
    let Some(mut image) = zippel::interpolate(cx, images, &leading_residues, main, field, random)? else {
        return Ok(None);
    };
    let mut candidate = image.to_polynomial(layout);
    let mut prime = attempt;
    loop {
        cx.check()?;
        // The interpolated polynomial is leading/lc(gcd) times the primitive gcd.
        let mut g = candidate.primitive_part();
        if !leading.is_constant() {
            g = g.primitive_part_in(cx, x)?;
        }
        if let Some(left) = a.div_exact(cx, &g)?
            && let Some(right) = b.div_exact(cx, &g)?
        {
            return complete(cx, Cofactors { gcd: g, left, right }, &images.bounds, layout).map(Some);
        }
        // The numbers may be larger than the prime: refine by another one.
        prime += 1;
        if prime > attempt + 4096 {
            return Ok(None);
        }
        let next = PrimeField::nth(prime);
        let Some(more) = zippel::interpolate_again(cx, a, b, &leading, &image, main, &next, random)? else {
            return Ok(None);
        };
        image = Interpolated::combine(image, more, &next);
        let refined = image.to_polynomial(layout);
        if refined == candidate {
            return Ok(None);
        }
        candidate = refined;
    }
}

/// A gcd primitive in the main variable may lack a factor without it: the degree bounds know.
fn complete(cx: &Budget, found: Cofactors, bounds: &[u32], layout: &Layout) -> Budgeted<Cofactors> {
    let reached = |(v, &d): (&u32, &u32)| found.gcd.degree_in(*v) == d;
    if layout.variables.iter().zip(bounds).all(reached) {
        return Ok(found);
    }
    let rest = primitive_gcd(cx, &found.left, &found.right)?;
    if rest.gcd.is_constant() {
        return Ok(found);
    }
    Ok(Cofactors { gcd: found.gcd.mul(cx, &rest.gcd)?, left: rest.left, right: rest.right })
}

/// The variable in which to take univariate images, and the gcd of the leading coefficients of a and b
/// with respect to it: best a number, otherwise short.
fn main_variable(cx: &Budget, a: &Polynomial, b: &Polynomial, bounds: &[u32]) -> Budgeted<(usize, Polynomial)> {
    let mut best: Option<(usize, usize, Polynomial, Polynomial)> = None;
    for (k, &v) in a.variables().iter().enumerate() {
        let (la, lb) = (a.leading_coefficient_in(v), b.leading_coefficient_in(v));
        let shorter = la.n_terms().min(lb.n_terms());
        let constant = la.is_constant() || lb.is_constant();
        // A long image is cheap compared with a long leading coefficient.
        let cost = if constant { 0 } else { shorter * 1000 } + bounds[k] as usize;
        if best.as_ref().is_none_or(|(c, ..)| cost < *c) {
            best = Some((cost, k, la, lb));
        }
    }
    let (_, k, la, lb) = best.expect("a variable occurs");
    let integers = super::integer_content(&[la.integer_coefficients(), lb.integer_coefficients()].concat());
    // Not the primitive gcd: the content belongs to the leading coefficient as well.
    let gcd = la.gcd(cx, &lb)?.scale(&Rational::integer(integers));
    Ok((k, gcd))
}

/// Primitive remainder sequence in the first variable; slow and sure.
fn by_remainders(cx: &Budget, a: &Polynomial, b: &Polynomial) -> Budgeted<Cofactors> {
    let x = a.variables()[0];
    let (content_a, content_b) = (a.content_in(cx, x)?, b.content_in(cx, x)?);
    let (mut f, mut g) = (a.primitive_part_in(cx, x)?, b.primitive_part_in(cx, x)?);
    if f.degree_in(x) < g.degree_in(x) {
        std::mem::swap(&mut f, &mut g);
    }
    while g.degree_in(x) > 0 {
        cx.check()?;
        let r = f.pseudo_rem(cx, &g, x)?;
        f = g;
        g = if r.is_zero() { r } else { r.primitive_part().primitive_part_in(cx, x)? };
    }
    let common = if g.is_zero() { f.primitive_part() } else { Polynomial::one() };
    let gcd = common.mul(cx, &content_a.gcd(cx, &content_b)?)?;
    let left = a.div_exact(cx, &gcd)?.expect("divides");
    let right = b.div_exact(cx, &gcd)?.expect("divides");
    Ok(Cofactors { gcd, left, right })
}

#[cfg(test)]
mod tests {
    use super::super::tests::arbitrary;
    use super::*;
    use crate::algebra::Inquiry;
    use proptest::prelude::*;

    fn check_gcd(cx: &Budget, a: &Polynomial, b: &Polynomial) -> Cofactors {
        let c = a.gcd_cofactors(cx, b).unwrap();
        assert_eq!(&c.gcd.mul(cx, &c.left).unwrap(), a);
        assert_eq!(&c.gcd.mul(cx, &c.right).unwrap(), b);
        assert_eq!(c.gcd, c.gcd.primitive_part());
        c
    }

    #[test]
    fn zeros_and_constants() {
        let cx = &Inquiry::free();
        let x = Polynomial::variable(0);
        let zero = Polynomial::zero();
        assert_eq!(zero.gcd(cx, &zero).unwrap(), zero);
        assert_eq!(check_gcd(cx, &zero, &x.scale(&Rational::from(-6))).gcd, x);
        assert_eq!(check_gcd(cx, &Polynomial::constant(4), &Polynomial::constant(6)).gcd, Polynomial::one());
    }

    #[test]
    fn variables_of_one_argument_only() {
        let cx = &Inquiry::free();
        let [x, y, z] = [0, 1, 2].map(Polynomial::variable);
        let g = &x + &y;
        let a = g.mul(cx, &(&z + &Polynomial::one())).unwrap();
        let b = g.mul(cx, &(&x - &y)).unwrap();
        assert_eq!(check_gcd(cx, &a, &b).gcd, g);
    }

    #[test]
    fn gcd_larger_than_one_prime() {
        let cx = &Inquiry::free();
        let [x, y] = [0, 1].map(Polynomial::variable);
        let big = Rational::from(3).pow(200).unwrap();
        let g = &(&x.scale(&big) + &y.square(cx).unwrap()) + &Polynomial::constant(&big + &Rational::from(2));
        let a = g.mul(cx, &(&x + &y)).unwrap();
        let b = g.mul(cx, &(&x.square(cx).unwrap() - &y.scale(&big))).unwrap();
        assert_eq!(check_gcd(cx, &a, &b).gcd, g);
    }

    #[test]
    fn leading_coefficients_are_restored() {
        let cx = &Inquiry::free();
        // lc(gcd) = y² + 1 is a proper divisor of gcd(lc a, lc b) = (y² + 1)(y − 2).
        let [x, y] = [0, 1].map(Polynomial::variable);
        let one = Polynomial::one();
        let l = &y.square(cx).unwrap() + &one;
        let m = &y - &Polynomial::constant(2);
        let g = &(&l.mul(cx, &x.square(cx).unwrap()).unwrap() + &x.mul(cx, &y).unwrap()) + &one;
        let a = g.mul(cx, &(&m.mul(cx, &x).unwrap() + &one)).unwrap();
        let b = g.mul(cx, &(&m.mul(cx, &x.square(cx).unwrap()).unwrap() + &y)).unwrap();
        assert_eq!(check_gcd(cx, &a, &b).gcd, g);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn common_factors_are_found(g in arbitrary(3, 6, 3), a in arbitrary(3, 6, 3), b in arbitrary(3, 6, 3)) {
        let cx = &Inquiry::free();
            prop_assume!(!g.is_zero() && !a.is_zero() && !b.is_zero());
            let c = check_gcd(cx, &g.mul(cx, &a).unwrap(), &g.mul(cx, &b).unwrap());
            prop_assert!(g.divides(cx, &c.gcd).unwrap());
            // The cofactors are coprime, by the independent remainder sequence.
            if !c.left.is_constant() && !c.right.is_constant() && c.left.variables() == c.right.variables() {
                let rest = by_remainders(cx, &c.left.primitive_part(), &c.right.primitive_part()).unwrap();
                prop_assert!(rest.gcd.is_constant());
            }
        }

        #[test]
        fn sparse_in_many_variables(g in arbitrary(7, 5, 2), a in arbitrary(7, 5, 2), b in arbitrary(7, 5, 2)) {
        let cx = &Inquiry::free();
            prop_assume!(!g.is_zero() && !a.is_zero() && !b.is_zero());
            let c = check_gcd(cx, &g.mul(cx, &a).unwrap(), &g.mul(cx, &b).unwrap());
            prop_assert!(g.divides(cx, &c.gcd).unwrap());
        }
    }
}
