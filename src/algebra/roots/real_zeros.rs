//! What an equation p = 0 says about real numbers.
//!
//! x² + y² = 0 is two equations, and x⁴ + y² + 2 = 0 has no solution, although both polynomials are irreducible and
//! have many complex zeros (docs/theory/odes.md §8, SPLIT, and §9.3). Four rules decide, each a proof:
//!
//! - *terms of one sign*: every term is a number times variables to even powers, or of known sign. With a term that
//!   cannot vanish there is no zero; otherwise all terms vanish together;
//! - *completed squares*: 4a·p = (2a x + b)² + (4ac − b²) for p quadratic in x with a of known sign, where 4ac − b² is
//!   in turn of one sign (over ℚ this is LDLᵀ, and decides every definite quadratic form);
//! - *powers and products* of such;
//! - *one variable*: the real roots are isolated.
//!
//! Everything else is unknown.

use super::{AlgebraicNumber, isolate_real_roots};
use crate::algebra::assume::Sign;
use crate::algebra::factor::factor;
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::{Budgeted, check};

/// The real zeros of a polynomial.
#[derive(Clone, Debug, PartialEq)]
pub enum RealZeros {
    /// There are none.
    Empty,
    /// The polynomial is zero.
    All,
    /// Exactly the common real zeros of these; the polynomial has one sign elsewhere.
    Common(Vec<Polynomial>),
    /// A polynomial in one variable: its roots, increasing, at least one.
    Roots(Vec<AlgebraicNumber>),
    Unknown,
}

/// The sign of a polynomial that does not take both.
struct OneSign {
    negative: bool,
    /// Vanishes exactly where all of these do; with a nonzero constant among them: nowhere.
    zeros: Vec<Polynomial>,
}

/// How deep squares are completed inside completed squares; also bounds the recursion.
const MAX_DEPTH: u32 = 12;

/// The real zeros as far as the rules decide them. `sign_of` says what is known of the signs of the variables.
pub fn real_zero_set(p: &Polynomial, sign_of: impl Fn(u32) -> Sign) -> Budgeted<RealZeros> {
    if p.is_zero() {
        return Ok(RealZeros::All);
    }
    if let Some(found) = one_sign(p, &sign_of, MAX_DEPTH)? {
        if found.zeros.iter().any(|z| z.is_constant() && !z.is_zero()) {
            return Ok(RealZeros::Empty);
        }
        let mut zeros = found.zeros;
        zeros.sort();
        zeros.dedup();
        return Ok(RealZeros::Common(zeros));
    }
    if let [v] = p.variables() {
        let sign = sign_of(*v);
        let mut roots = isolate_real_roots(p)?;
        roots.retain(|r| match r.signum() {
            0 => sign.can_be_zero,
            1 => sign.can_be_positive,
            _ => sign.can_be_negative,
        });
        return Ok(if roots.is_empty() { RealZeros::Empty } else { RealZeros::Roots(roots) });
    }
    Ok(RealZeros::Unknown)
}

fn one_sign(p: &Polynomial, sign_of: &dyn Fn(u32) -> Sign, depth: u32) -> Budgeted<Option<OneSign>> {
    check()?;
    if let Some(found) = terms_of_one_sign(p, sign_of) {
        return Ok(Some(found));
    }
    if depth == 0 {
        return Ok(None);
    }
    let parts = factor(p);
    if parts.factors.len() > 1 || parts.factors.iter().any(|(_, e)| *e > 1) {
        return product_of_one_sign(&parts.unit, &parts.factors, sign_of, depth);
    }
    for &v in p.variables() {
        if p.degree_in(v) == 2
            && let Some(found) = completed_square(p, v, sign_of, depth)?
        {
            return Ok(Some(found));
        }
    }
    if let [v] = p.variables()
        && sign_of(*v) == Sign::ANY
        && isolate_real_roots(p)?.is_empty()
    {
        // Without a root the sign is that of the constant term.
        return Ok(Some(OneSign { negative: p.constant_term().is_negative(), zeros: vec![Polynomial::one()] }));
    }
    Ok(None)
}

/// What is known of the sign of a term, and the variables that could make it vanish.
fn sign_of_term(monomial: &Monomial, c: &Rational, sign_of: &dyn Fn(u32) -> Sign) -> Option<(bool, Monomial)> {
    let mut negative = c.is_negative();
    let mut vanishing = Monomial::new();
    for &(v, e) in monomial {
        let sign = sign_of(v);
        if e % 2 == 1 {
            if sign.is_nonpositive() {
                negative = !negative;
            } else if !sign.is_nonnegative() {
                return None;
            }
        }
        if sign.can_be_zero {
            vanishing.push((v, 1));
        }
    }
    Some((negative, vanishing))
}

fn terms_of_one_sign(p: &Polynomial, sign_of: &dyn Fn(u32) -> Sign) -> Option<OneSign> {
    let mut sign = None;
    let mut zeros = Vec::new();
    for (monomial, c) in p.terms() {
        let (negative, vanishing) = sign_of_term(&monomial, &c, sign_of)?;
        if *sign.get_or_insert(negative) != negative {
            return None;
        }
        zeros.push(Polynomial::from_terms([(vanishing, Rational::ONE)]));
    }
    // xy² = 0 follows from x = 0: keep the monomials that no other divides.
    let needed = |z: &Polynomial| !zeros.iter().any(|y| y != z && y.divides(z) == Ok(true));
    let kept: Vec<Polynomial> = zeros.iter().filter(|z| needed(z)).cloned().collect();
    Some(OneSign { negative: sign.unwrap_or(false), zeros: kept })
}

/// Even powers are of one sign whatever is inside; odd ones and the unit must be known.
fn product_of_one_sign(
    unit: &Rational,
    factors: &[(Polynomial, u32)],
    sign_of: &dyn Fn(u32) -> Sign,
    depth: u32,
) -> Budgeted<Option<OneSign>> {
    let mut negative = unit.is_negative();
    // The zero set is a union; one polynomial, the product, stands for it unless a single factor gives more.
    let mut lists: Vec<Vec<Polynomial>> = Vec::new();
    for (f, e) in factors {
        match one_sign(f, sign_of, depth - 1)? {
            Some(found) => {
                negative ^= found.negative && e % 2 == 1;
                if !found.zeros.iter().any(|z| z.is_constant() && !z.is_zero()) {
                    lists.push(found.zeros);
                }
            }
            None if e % 2 == 0 => lists.push(vec![f.clone()]),
            None => return Ok(None),
        }
    }
    let zeros = match lists.len() {
        0 => vec![Polynomial::one()],
        1 => lists.remove(0),
        _ => {
            // Zeros of (a₁ = a₂ = … = 0 or b₁ = b₂ = … = 0): all products aᵢbⱼ vanish.
            let mut products = vec![Polynomial::one()];
            for list in lists {
                if products.len() * list.len() > 64 {
                    return Ok(None);
                }
                let mut next = Vec::new();
                for a in &products {
                    for b in &list {
                        next.push(a.mul(b)?);
                    }
                }
                products = next;
            }
            products
        }
    };
    Ok(Some(OneSign { negative, zeros }))
}

/// p = a x² + b x + c with a of one sign and never zero: 4a·p = (2a x + b)² + (4ac − b²).
fn completed_square(p: &Polynomial, v: u32, sign_of: &dyn Fn(u32) -> Sign, depth: u32) -> Budgeted<Option<OneSign>> {
    let coefficients = p.coefficients_in(v);
    let [c, b, a] = coefficients.as_slice() else { return Ok(None) };
    let Some(lead) = one_sign(a, sign_of, depth - 1)? else { return Ok(None) };
    if !lead.zeros.iter().any(|z| z.is_constant() && !z.is_zero()) {
        return Ok(None);
    }
    let rest = &a.mul(c)?.scale(&Rational::from(4)) - &b.square()?;
    let linear = &a.mul(&Polynomial::variable(v))?.scale(&Rational::from(2)) + b;
    let linear = linear.primitive_part();
    if rest.is_zero() {
        return Ok(Some(OneSign { negative: lead.negative, zeros: vec![linear] }));
    }
    let Some(rest) = one_sign(&rest, sign_of, depth - 1)? else { return Ok(None) };
    if rest.negative {
        return Ok(None);
    }
    let mut zeros = rest.zeros;
    zeros.push(linear);
    Ok(Some(OneSign { negative: lead.negative, zeros }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(i: u32) -> Polynomial {
        Polynomial::variable(i)
    }

    fn n(value: i64) -> Polynomial {
        Polynomial::constant(value)
    }

    fn power(i: u32, e: u32) -> Polynomial {
        Polynomial::power(i, e)
    }

    fn zeros(p: &Polynomial) -> RealZeros {
        real_zero_set(p, |_| Sign::ANY).unwrap()
    }

    #[test]
    fn sums_of_even_monomials() {
        assert_eq!(zeros(&(&power(0, 2) + &power(1, 2))), RealZeros::Common(vec![x(0), x(1)]));
        assert_eq!(zeros(&(&(&power(0, 4) + &power(1, 2)) + &n(2))), RealZeros::Empty);
        assert_eq!(zeros(&-&power(0, 2)), RealZeros::Common(vec![x(0)]));
        let p = &power(0, 2).mul(&power(1, 2)).unwrap() + &power(0, 4);
        assert_eq!(zeros(&p), RealZeros::Common(vec![x(0)]));
    }

    #[test]
    fn signs_of_parameters_count() {
        // m x² + k = 0 with m > 0 and k > 0, k ≥ 0, or unknown.
        let p = &x(10).mul(&power(0, 2)).unwrap() + &x(11);
        let with = |k: Sign| {
            real_zero_set(&p, |v| {
                if v == 10 {
                    Sign::POSITIVE
                } else if v == 11 {
                    k
                } else {
                    Sign::ANY
                }
            })
            .unwrap()
        };
        assert_eq!(with(Sign::POSITIVE), RealZeros::Empty);
        assert_eq!(with(Sign::NONNEGATIVE), RealZeros::Common(vec![x(0), x(11)]));
        assert_eq!(with(Sign::ANY), RealZeros::Unknown);
    }

    #[test]
    fn definite_quadratics() {
        // x² + xy + y² + z² − z + 1
        let xy = x(0).mul(&x(1)).unwrap();
        let form = &(&power(0, 2) + &xy) + &power(1, 2);
        assert_eq!(zeros(&form), RealZeros::Common(vec![x(1), &x(0).scale(&Rational::from(2)) + &x(1)]));
        let p = &(&(&form + &power(2, 2)) - &x(2)) + &n(1);
        assert_eq!(zeros(&p), RealZeros::Empty);
        // x² + 3xy + y² is indefinite.
        assert_eq!(zeros(&(&form + &xy.scale(&Rational::from(2)))), RealZeros::Unknown);
    }

    #[test]
    fn one_variable_by_its_roots() {
        assert_eq!(zeros(&(&(&power(0, 4) - &x(0)) + &n(1))), RealZeros::Empty);
        let RealZeros::Roots(roots) = zeros(&(&power(0, 2) - &n(2))) else { panic!("two roots") };
        assert_eq!(roots.len(), 2);
        let positive = real_zero_set(&(&power(0, 2) - &n(2)), |_| Sign::POSITIVE).unwrap();
        let RealZeros::Roots(roots) = positive else { panic!("one root") };
        assert_eq!(roots.len(), 1);
        assert_eq!(real_zero_set(&(&x(0) + &n(1)), |_| Sign::NONNEGATIVE).unwrap(), RealZeros::Empty);
    }

    #[test]
    fn irreducible_and_indefinite_is_unknown() {
        assert_eq!(zeros(&(&power(0, 2) - &power(1, 2).scale(&Rational::from(3)))), RealZeros::Unknown);
        assert_eq!(zeros(&Polynomial::zero()), RealZeros::All);
        assert_eq!(zeros(&n(3)), RealZeros::Empty);
    }

    #[test]
    fn squares_of_anything() {
        let p = (&x(0) - &power(1, 3)).square().unwrap();
        assert_eq!(zeros(&p), RealZeros::Common(vec![&x(0) - &power(1, 3)]));
    }
}
