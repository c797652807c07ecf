//! Factorisation of univariate polynomials over a prime field: distinct degrees through the Frobenius
//! map, then random splitting (Cantor–Zassenhaus).

use crate::algebra::polynomial::modular::{PrimeField, Sequence, dense};
use crate::budget::Budget;
use crate::budget::Budgeted;

/// x ↦ xᵖ on k[x]/(f), as the images of 1, x, x², ….
struct Frobenius {
    images: Vec<Vec<u64>>,
}

impl Frobenius {
    fn new(cx: &Budget, f: &[u64], field: &PrimeField) -> Budgeted<Frobenius> {
        let degree = dense::degree(f);
        let xp = power_modulo(cx, &[0, field.one()], field.modulus(), f, field)?;
        let mut images: Vec<Vec<u64>> = vec![vec![field.one()]];
        for i in 1..degree {
            cx.check()?;
            images.push(dense::mul_modulo(&images[i - 1], &xp, f, field));
        }
        Ok(Frobenius { images })
    }

    fn apply(&self, a: &[u64], field: &PrimeField) -> Vec<u64> {
        dense::combination(a, &self.images, field)
    }
}

/// aⁿ modulo f, n > 0.
fn power_modulo(cx: &Budget, a: &[u64], n: u64, f: &[u64], field: &PrimeField) -> Budgeted<Vec<u64>> {
    let mut base = a.to_vec();
    dense::div_rem(&mut base, f, field);
    let mut result = base.clone();
    for bit in (0..n.ilog2()).rev() {
        cx.check()?;
        result = dense::mul_modulo(&result, &result, f, field);
        if n >> bit & 1 == 1 {
            result = dense::mul_modulo(&result, &base, f, field);
        }
    }
    Ok(result)
}

/// Degrees that are looked for together.
const BLOCK: usize = 4;

/// For each degree the product of the monic irreducible factors of this degree.
pub(super) type ByDegree = Vec<(usize, Vec<u64>)>;

/// The distinct-degree factorisation of a monic squarefree polynomial.
pub(super) fn by_degree(cx: &Budget, f: &[u64], field: &PrimeField) -> Budgeted<ByDegree> {
    let mut found = Vec::new();
    let mut rest = f.to_vec();
    if rest.len() < 3 {
        if rest.len() == 2 {
            found.push((1, rest));
        }
        return Ok(found);
    }
    let x = [0, field.one()];
    let frobenius = Frobenius::new(cx, f, field)?;
    let mut power = frobenius.apply(&x, field);
    // Several degrees share one gcd; they are told apart only where there is something to tell.
    let mut degree = 1;
    while 2 * degree <= dense::degree(&rest) {
        cx.check()?;
        let last = (degree + BLOCK - 1).min(dense::degree(&rest) / 2);
        let mut differences: Vec<Vec<u64>> = Vec::new();
        for _ in degree..=last {
            let mut difference = dense::sub(&power, &x, field);
            dense::div_rem(&mut difference, &rest, field);
            differences.push(difference);
            power = frobenius.apply(&power, field);
        }
        let product =
            differences[1..].iter().fold(differences[0].clone(), |p, d| dense::mul_modulo(&p, d, &rest, field));
        let mut common = dense::gcd(rest.clone(), product, field);
        if common.len() > 1 {
            rest = dense::div_rem(&mut rest, &common, field);
            for (k, mut difference) in (degree..=last).zip(differences) {
                dense::div_rem(&mut difference, &common, field);
                let g = dense::gcd(common.clone(), difference, field);
                if g.len() > 1 {
                    common = dense::div_rem(&mut common, &g, field);
                    found.push((k, g));
                }
                if common.len() == 1 {
                    break;
                }
            }
        }
        degree = last + 1;
    }
    if rest.len() > 1 {
        found.push((dense::degree(&rest), rest));
    }
    Ok(found)
}

/// The monic irreducible factors of a monic squarefree polynomial.
pub(super) fn irreducible_factors(
    cx: &Budget,
    groups: ByDegree,
    field: &PrimeField,
    random: &mut Sequence,
) -> Budgeted<Vec<Vec<u64>>> {
    let mut factors = Vec::new();
    for (degree, product) in groups {
        let mut pending = vec![product];
        while let Some(f) = pending.pop() {
            cx.check()?;
            if dense::degree(&f) == degree {
                factors.push(f);
                continue;
            }
            let mut a: Vec<u64> = (0..dense::degree(&f)).map(|_| random.below(field.modulus())).collect();
            dense::trim(&mut a);
            if a.len() < 2 {
                pending.push(f);
                continue;
            }
            // a^((p^degree − 1)/2) = (a^(1 + p + … + p^(degree−1)))^((p−1)/2) is ±1 on each factor.
            let mut norm = a.clone();
            if degree > 1 {
                let frobenius = Frobenius::new(cx, &f, field)?;
                let mut conjugate = a;
                for _ in 1..degree {
                    cx.check()?;
                    conjugate = frobenius.apply(&conjugate, field);
                    norm = dense::mul_modulo(&norm, &conjugate, &f, field);
                }
            }
            let power = power_modulo(cx, &norm, (field.modulus() - 1) / 2, &f, field)?;
            let g = dense::gcd(f.clone(), dense::sub(&power, &[field.one()], field), field);
            if g.len() > 1 && g.len() < f.len() {
                let mut f = f;
                pending.push(dense::div_rem(&mut f, &g, field));
                pending.push(g);
            } else {
                pending.push(f);
            }
        }
    }
    factors.sort();
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Inquiry;

    #[test]
    fn products_of_random_factors_come_back() {
        let cx = &Inquiry::free();
        let field = PrimeField::new(10007);
        let mut random = Sequence::new(5);
        for _ in 0..20 {
            let mut factors: Vec<Vec<u64>> = Vec::new();
            while factors.len() < 5 {
                let degree = 1 + random.below(4) as usize;
                let mut f: Vec<u64> = (0..degree).map(|_| random.below(field.modulus())).collect();
                f.push(field.one());
                let groups = by_degree(cx, &f, &field).unwrap();
                let squarefree = dense::gcd(f.clone(), dense::derivative(&f, &field), &field).len() == 1;
                if squarefree && groups.len() == 1 && groups[0].0 == degree && !factors.contains(&f) {
                    factors.push(f);
                }
            }
            let product = factors.iter().fold(vec![field.one()], |p, f| dense::mul(&p, f, &field));
            let groups = by_degree(cx, &product, &field).unwrap();
            let found = irreducible_factors(cx, groups, &field, &mut random).unwrap();
            factors.sort();
            assert_eq!(found, factors);
        }
    }
}
