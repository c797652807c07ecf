//! Real roots of polynomials in one variable: how many, and the rational ones.

use super::super::factor::factor;
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use crate::budget::{Budgeted, check};

/// The number of distinct real roots, by Sturm's theorem.
pub fn n_real_roots(p: &Polynomial) -> Budgeted<usize> {
    let [v] = p.variables() else { return Ok(0) };
    let chain = sturm_chain(p, *v)?;
    // The sign at ±∞ is that of the leading term.
    let changes = |at_minus: bool| {
        let signs: Vec<i32> = chain
            .iter()
            .map(|q| {
                let sign = q.leading_coefficient().signum();
                if at_minus && q.degree_in(*v) % 2 == 1 { -sign } else { sign }
            })
            .collect();
        signs.windows(2).filter(|w| w[0] != w[1]).count()
    };
    Ok(changes(true) - changes(false))
}

/// p, p′ and the negated remainders; each up to a positive number.
fn sturm_chain(p: &Polynomial, v: u32) -> Budgeted<Vec<Polynomial>> {
    let mut chain = vec![positive_part(p), positive_part(&p.derivative(v))];
    loop {
        check()?;
        let (a, b) = (&chain[chain.len() - 2], &chain[chain.len() - 1]);
        if b.is_zero() {
            chain.pop();
            return Ok(chain);
        }
        if b.is_constant() {
            return Ok(chain);
        }
        let remainder = a.div_rem(b)?.1;
        let next = positive_part(&-&remainder);
        if next.is_zero() {
            return Ok(chain);
        }
        chain.push(next);
    }
}

/// The polynomial divided by the positive number that makes it primitive.
fn positive_part(p: &Polynomial) -> Polynomial {
    if p.is_zero() { p.clone() } else { p.unscale(&p.content().abs()).unwrap_or_else(|| p.clone()) }
}

/// The rational roots, ascending.
pub fn rational_roots(p: &Polynomial) -> Budgeted<Vec<Rational>> {
    let [v] = p.variables() else { return Ok(vec![]) };
    let mut roots: Vec<Rational> = Vec::new();
    for (f, _) in factor(p).factors {
        if f.degree_in(*v) == 1 {
            let parts = f.coefficients_in(*v);
            let (b, a) = (parts[0].as_constant(), parts[1].as_constant());
            if let (Some(b), Some(a)) = (b, a.and_then(|a| a.recip())) {
                roots.push(-&(&b * &a));
            }
        }
    }
    roots.sort();
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(coefficients: &[i64]) -> Polynomial {
        let terms = coefficients.iter().enumerate().map(|(k, c)| {
            let monomial = if k == 0 { vec![] } else { vec![(7, k as u32)] };
            (monomial.into_iter().collect(), Rational::from(*c))
        });
        Polynomial::from_terms(terms)
    }

    #[test]
    fn sturm_counts_distinct_real_roots() {
        assert_eq!(n_real_roots(&p(&[1, 0, 1])).unwrap(), 0);
        assert_eq!(n_real_roots(&p(&[-2, 0, 1])).unwrap(), 2);
        assert_eq!(n_real_roots(&p(&[-2, 0, 0, 1])).unwrap(), 1);
        // (x − 1)²(x + 2)
        assert_eq!(n_real_roots(&p(&[2, -3, 0, 1])).unwrap(), 2);
        assert_eq!(n_real_roots(&p(&[2, 0, 1, 0, 1])).unwrap(), 0);
    }

    #[test]
    fn rational_roots_come_ascending() {
        // (2x − 1)(x + 3)(x² − 2)
        let product = p(&[-1, 2]).mul(&p(&[3, 1])).unwrap().mul(&p(&[-2, 0, 1])).unwrap();
        assert_eq!(rational_roots(&product).unwrap(), vec![Rational::from(-3), Rational::ratio(1, 2)]);
    }
}
