//! Factorisation of univariate integer polynomials (Zassenhaus 1969).
//!
//! Factor modulo a prime, lift the factors to a power of the prime beyond twice the size any true factor
//! can have (Mignotte), and try products of lifted factors. Degrees of factors modulo several primes
//! rule out most combinations, and often prove irreducibility at once. The number of combinations is
//! bounded by the budget: a polynomial with very many modular and few true factors (Swinnerton-Dyer)
//! stops there instead of answering wrongly.

use super::residues::{ByDegree, by_degree, irreducible_factors};
use crate::algebra::number::Integer;
use crate::algebra::polynomial::modular::{PrimeField, Sequence, dense, is_prime};
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
use dashu_int::ops::{Abs, BitTest, DivRem, Gcd, RemEuclid};
use dashu_int::{IBig, UBig};

/// Combinations of modular factors tried before giving up.
const MAX_COMBINATIONS: u64 = 2_000_000;

/// Degrees beyond this are not attempted: the Frobenius map would be a matrix of this size.
const MAX_DEGREE: usize = 1500;

/// Coefficients by increasing power.
pub(super) type Coefficients = Vec<IBig>;

/// The irreducible factors of a squarefree polynomial without integer content, each with positive leading
/// coefficient and without content.
pub(super) fn irreducible(cx: &Budget, f: &Coefficients) -> Budgeted<Vec<Coefficients>> {
    let degree = f.len() - 1;
    if degree <= 1 {
        return Ok(vec![f.clone()]);
    }
    if degree > MAX_DEGREE {
        return Err(Exhausted::Size);
    }
    let mut random = Sequence::new(0x7a61_7373);
    let mut degrees = DegreeSet::all(degree);
    let mut best: Option<(PrimeField, ByDegree, usize)> = None;
    let mut tried = 0;
    // Products of residues below 2²⁸ can be added up by the hundred before they are reduced.
    let mut p: u64 = 1 << 28;
    while tried < 3 {
        cx.check()?;
        p -= 1;
        if !is_prime(p) {
            if p < 3 {
                return Err(Exhausted::Size);
            }
            continue;
        }
        let field = PrimeField::new(p);
        let Some(image) = squarefree_image(f, &field) else { continue };
        let groups = by_degree(cx, &image, &field)?;
        degrees.intersect(groups.iter().flat_map(|(d, g)| vec![*d; dense::degree(g) / d]));
        if degrees.is_trivial() {
            return Ok(vec![f.clone()]);
        }
        let count = groups.iter().map(|(d, g)| dense::degree(g) / d).sum();
        if best.as_ref().is_none_or(|(_, _, n)| count < *n) {
            best = Some((field, groups, count));
        }
        tried += 1;
    }
    let (field, groups, _) = best.expect("primes were tried");
    let factors = irreducible_factors(cx, groups, &field, &mut random)?;
    let bound = factor_bound(f);
    let (lifted, modulus) = lift(cx, f, &factors, &field, &bound)?;
    recombine(cx, f, lifted, &modulus, &degrees)
}

/// f modulo p, monic; `None` if the degree drops or a square appears.
fn squarefree_image(f: &Coefficients, field: &PrimeField) -> Option<Vec<u64>> {
    let mut image: Vec<u64> = f.iter().map(|c| field.residue(&Integer::from_big(c.clone()))).collect();
    if image.last() == Some(&0) {
        return None;
    }
    dense::make_monic(&mut image, field);
    let derivative = dense::derivative(&image, field);
    (dense::gcd(image.clone(), derivative, field).len() == 1).then_some(image)
}

/// The degrees a true factor can have: sums of degrees of factors modulo every prime tried so far.
pub(super) struct DegreeSet {
    possible: Vec<bool>,
}

impl DegreeSet {
    pub fn all(degree: usize) -> DegreeSet {
        DegreeSet { possible: vec![true; degree + 1] }
    }

    pub fn intersect(&mut self, parts: impl Iterator<Item = usize>) {
        let n = self.possible.len();
        let mut sums = vec![false; n];
        sums[0] = true;
        for d in parts {
            for i in (d..n).rev() {
                sums[i] |= sums[i - d];
            }
        }
        for (p, s) in self.possible.iter_mut().zip(sums) {
            *p &= s;
        }
    }

    /// Only the degrees 0 and n remain: the polynomial is irreducible.
    pub fn is_trivial(&self) -> bool {
        self.possible[1..self.possible.len() - 1].iter().all(|p| !p)
    }

    fn contains(&self, degree: usize) -> bool {
        self.possible[degree]
    }
}

/// A bound for the coefficients of lc(f)·g over all factors g of f: |lc|·2ⁿ·‖f‖₂ (Mignotte).
fn factor_bound(f: &Coefficients) -> IBig {
    let squares: IBig = f.iter().map(|c| c * c).sum();
    let norm = IBig::ONE << squares.bit_len().div_ceil(2);
    let lead = f[f.len() - 1].clone().abs();
    (norm * lead) << (f.len() - 1)
}

/// A node of the factor tree: product = left·right modulo the current modulus, s·left + t·right = 1.
struct Node {
    product: Coefficients,
    s: Coefficients,
    t: Coefficients,
    children: Option<[usize; 2]>,
}

/// Lifts the monic factors modulo p to monic factors modulo a power above 2·bound, quadratically, along a
/// balanced binary tree (von zur Gathen–Gerhard, algorithms 15.10 and 15.17).
fn lift(
    cx: &Budget,
    f: &Coefficients,
    factors: &[Vec<u64>],
    field: &PrimeField,
    bound: &IBig,
) -> Budgeted<(Vec<Coefficients>, IBig)> {
    let plain = |a: &[u64]| a.iter().map(|&c| IBig::from(field.leave(c))).collect::<Coefficients>();
    let mut nodes: Vec<Node> = Vec::new();
    let mut images: Vec<Vec<u64>> = Vec::new();
    let mut level: Vec<usize> = Vec::new();
    for g in factors {
        level.push(nodes.len());
        nodes.push(Node { product: plain(g), s: Vec::new(), t: Vec::new(), children: None });
        images.push(g.clone());
    }
    while level.len() > 1 {
        let mut next = Vec::new();
        for pair in level.chunks(2) {
            let &[a, b] = pair else {
                next.push(pair[0]);
                continue;
            };
            let (_, s, t) = dense::extended_gcd(&images[a], &images[b], field);
            let product = dense::mul(&images[a], &images[b], field);
            next.push(nodes.len());
            nodes.push(Node { product: plain(&product), s: plain(&s), t: plain(&t), children: Some([a, b]) });
            images.push(product);
        }
        level = next;
    }
    let root = level[0];
    let target: IBig = bound * 2 + IBig::ONE;
    let mut modulus = IBig::from(field.modulus());
    while modulus < target {
        cx.check()?;
        modulus = &modulus * &modulus;
        // The monic multiple of f modulo the new modulus.
        let inverse = inverse_modulo(&f[f.len() - 1], &modulus);
        nodes[root].product = f.iter().map(|c| (c * &inverse).rem_euclid(&modulus).into()).collect();
        for index in (0..nodes.len()).rev() {
            if let Some([a, b]) = nodes[index].children {
                lift_step(&mut nodes, index, a, b, &modulus, modulus >= target);
            }
        }
    }
    Ok((nodes.drain(..factors.len()).map(|n| n.product).collect(), modulus))
}

/// One quadratic Hensel step at a node whose product is already right modulo m. The last step needs no s and t.
fn lift_step(nodes: &mut [Node], index: usize, a: usize, b: usize, m: &IBig, is_last: bool) {
    let (g, h) = (nodes[a].product.clone(), nodes[b].product.clone());
    let (s, t) = (nodes[index].s.clone(), nodes[index].t.clone());
    let error = sub(&nodes[index].product, &mul(&g, &h, m), m);
    // g·h + e: the correction of h is the remainder of s·e by h.
    let (q, r) = div_rem_monic(&mul(&s, &error, m), &h, m);
    let g_new = add(&add(&g, &mul(&t, &error, m), m), &mul(&q, &g, m), m);
    let h_new = add(&h, &r, m);
    if is_last {
        nodes[a].product = g_new;
        nodes[b].product = h_new;
        return;
    }
    let mut b_error = add(&mul(&s, &g_new, m), &mul(&t, &h_new, m), m);
    b_error = sub(&b_error, &[IBig::ONE], m);
    let (c, d) = div_rem_monic(&mul(&s, &b_error, m), &h_new, m);
    nodes[index].s = sub(&s, &d, m);
    nodes[index].t = sub(&sub(&t, &mul(&t, &b_error, m), m), &mul(&c, &g_new, m), m);
    nodes[a].product = g_new;
    nodes[b].product = h_new;
}

fn trim(a: &mut Coefficients) {
    while a.last() == Some(&IBig::ZERO) {
        a.pop();
    }
}

fn add(a: &[IBig], b: &[IBig], m: &IBig) -> Coefficients {
    let n = a.len().max(b.len());
    let at = |list: &[IBig], i: usize| list.get(i).cloned().unwrap_or(IBig::ZERO);
    let mut out: Coefficients = (0..n).map(|i| (at(a, i) + at(b, i)).rem_euclid(m).into()).collect();
    trim(&mut out);
    out
}

fn sub(a: &[IBig], b: &[IBig], m: &IBig) -> Coefficients {
    let n = a.len().max(b.len());
    let at = |list: &[IBig], i: usize| list.get(i).cloned().unwrap_or(IBig::ZERO);
    let mut out: Coefficients = (0..n).map(|i| (at(a, i) - at(b, i)).rem_euclid(m).into()).collect();
    trim(&mut out);
    out
}

fn mul(a: &[IBig], b: &[IBig], m: &IBig) -> Coefficients {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut out = if a.len().min(b.len()) >= 6 { packed_product(a, b, m) } else { plain_product(a, b) };
    for c in &mut out {
        *c = (&*c).rem_euclid(m).into();
    }
    trim(&mut out);
    out
}

fn plain_product(a: &[IBig], b: &[IBig]) -> Coefficients {
    let mut out = vec![IBig::ZERO; a.len() + b.len() - 1];
    for (i, c) in a.iter().enumerate() {
        for (j, d) in b.iter().enumerate() {
            out[i + j] += c * d;
        }
    }
    out
}

/// Kronecker's substitution: residues 0 ≤ c < m side by side in one integer, one product, and apart again.
fn packed_product(a: &[IBig], b: &[IBig], m: &IBig) -> Coefficients {
    let bits = 2 * m.bit_len() + (a.len().min(b.len()).ilog2() as usize) + 1;
    let words = bits.div_ceil(64);
    let pack = |list: &[IBig]| {
        let mut buffer = vec![0; words * list.len()];
        for (slot, c) in buffer.chunks_mut(words).zip(list) {
            let (_, digits) = c.as_sign_words();
            slot[..digits.len()].copy_from_slice(digits);
        }
        UBig::from_words(&buffer)
    };
    let product = pack(a) * pack(b);
    let mut out: Coefficients =
        product.as_words().chunks(words).map(|slot| IBig::from(UBig::from_words(slot))).collect();
    out.resize(a.len() + b.len() - 1, IBig::ZERO);
    out
}

fn div_rem_monic(a: &[IBig], b: &[IBig], m: &IBig) -> (Coefficients, Coefficients) {
    let mut rest = a.to_vec();
    if rest.len() < b.len() {
        return (Vec::new(), rest);
    }
    let n = b.len() - 1;
    let mut quotient = vec![IBig::ZERO; rest.len() - n];
    for k in (0..quotient.len()).rev() {
        let q: IBig = (&rest[k + n]).rem_euclid(m).into();
        for i in 0..n {
            rest[k + i] -= &q * &b[i];
        }
        quotient[k] = q;
    }
    rest.truncate(n);
    for c in &mut rest {
        *c = (&*c).rem_euclid(m).into();
    }
    trim(&mut rest);
    trim(&mut quotient);
    (quotient, rest)
}

fn inverse_modulo(a: &IBig, m: &IBig) -> IBig {
    let (mut r0, mut r1) = (m.clone(), IBig::from(a.rem_euclid(m)));
    let (mut t0, mut t1) = (IBig::ZERO, IBig::ONE);
    while r1 != IBig::ZERO {
        let (q, r) = (&r0).div_rem(&r1);
        (r0, r1) = (r1, r);
        let t = &t0 - &q * &t1;
        (t0, t1) = (t1, t);
    }
    t0.rem_euclid(m).into()
}

/// Tries products of 1, 2, … lifted factors. What is left when no product of at most half of them divides
/// is irreducible.
fn recombine(
    cx: &Budget,
    f: &Coefficients,
    mut lifted: Vec<Coefficients>,
    modulus: &IBig,
    degrees: &DegreeSet,
) -> Budgeted<Vec<Coefficients>> {
    let half: IBig = modulus >> 1;
    let symmetric = |c: IBig| if c > half { c - modulus } else { c };
    let mut rest = f.clone();
    let mut found = Vec::new();
    let mut size = 1;
    let mut tried = 0u64;
    while 2 * size <= lifted.len() {
        let mut subset: Vec<usize> = (0..size).collect();
        let mut split = false;
        loop {
            cx.check()?;
            tried += 1;
            if tried > MAX_COMBINATIONS {
                return Err(Exhausted::Size);
            }
            let degree: usize = subset.iter().map(|&i| lifted[i].len() - 1).sum();
            if degrees.contains(degree) {
                let lead = rest[rest.len() - 1].clone();
                // The constant term of lc·g must divide lc·f(0): a cheap test first.
                let constant = subset.iter().fold(lead.clone(), |c, &i| (c * &lifted[i][0]).rem_euclid(modulus).into());
                let constant = symmetric(constant);
                let target = &lead * &rest[0];
                let plausible = if constant == IBig::ZERO {
                    rest[0] == IBig::ZERO
                } else {
                    (&target).div_rem(&constant).1 == IBig::ZERO
                };
                if plausible {
                    let product = subset.iter().fold(vec![lead], |product, &i| mul(&product, &lifted[i], modulus));
                    let candidate = primitive(product.into_iter().map(symmetric).collect());
                    if let Some(quotient) = divide(&rest, &candidate) {
                        found.push(candidate);
                        rest = quotient;
                        for &i in subset.iter().rev() {
                            lifted.remove(i);
                        }
                        split = true;
                        break;
                    }
                }
            }
            if !next_subset(&mut subset, lifted.len()) {
                break;
            }
        }
        if !split {
            size += 1;
        }
    }
    if rest.len() > 1 {
        found.push(primitive(rest));
    }
    Ok(found)
}

/// The next subset of 0..n of the same size in lexicographic order.
fn next_subset(subset: &mut [usize], n: usize) -> bool {
    let k = subset.len();
    for i in (0..k).rev() {
        if subset[i] < n - k + i {
            subset[i] += 1;
            for j in i + 1..k {
                subset[j] = subset[j - 1] + 1;
            }
            return true;
        }
    }
    false
}

/// Without integer content, leading coefficient positive.
pub(super) fn primitive(mut a: Coefficients) -> Coefficients {
    trim(&mut a);
    let mut g = IBig::ZERO;
    for c in &a {
        if g == IBig::ZERO {
            g = c.clone().abs();
        } else if *c != IBig::ZERO {
            g = IBig::from((&g).gcd(c));
        }
    }
    if a.last().is_some_and(|c| *c < IBig::ZERO) {
        g = -g;
    }
    if g != IBig::ONE && g != IBig::ZERO {
        for c in &mut a {
            *c = &*c / &g;
        }
    }
    a
}

/// Exact quotient over ℤ.
fn divide(a: &Coefficients, b: &Coefficients) -> Option<Coefficients> {
    if a.len() < b.len() {
        return None;
    }
    let mut rest = a.clone();
    let n = b.len() - 1;
    let mut quotient = vec![IBig::ZERO; rest.len() - n];
    for k in (0..quotient.len()).rev() {
        let (q, r) = (&rest[k + n]).div_rem(&b[n]);
        if r != IBig::ZERO {
            return None;
        }
        if q != IBig::ZERO {
            for i in 0..n {
                rest[k + i] -= &q * &b[i];
            }
        }
        quotient[k] = q;
    }
    rest[..n].iter().all(|c| *c == IBig::ZERO).then_some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Inquiry;

    fn poly(c: &[i64]) -> Coefficients {
        c.iter().map(|&n| IBig::from(n)).collect()
    }

    fn product(factors: &[Coefficients]) -> Coefficients {
        factors.iter().fold(poly(&[1]), |p, f| {
            let mut out = vec![IBig::ZERO; p.len() + f.len() - 1];
            for (i, a) in p.iter().enumerate() {
                for (j, b) in f.iter().enumerate() {
                    out[i + j] += a * b;
                }
            }
            out
        })
    }

    fn check_factors(cx: &Budget, mut expected: Vec<Coefficients>) {
        let mut found = irreducible(cx, &product(&expected)).unwrap();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn classical_examples() {
        let cx = &Inquiry::free();
        // x⁴ + 1 is irreducible although it splits modulo every prime.
        check_factors(cx, vec![poly(&[1, 0, 0, 0, 1])]);
        // x¹² − 1: the cyclotomic polynomials of the divisors of 12.
        check_factors(
            cx,
            vec![
                poly(&[-1, 1]),
                poly(&[1, 1]),
                poly(&[1, 1, 1]),
                poly(&[1, 0, 1]),
                poly(&[1, -1, 1]),
                poly(&[1, 0, -1, 0, 1]),
            ],
        );
        // x⁴ + 4 = (x² + 2x + 2)(x² − 2x + 2), Sophie Germain.
        check_factors(cx, vec![poly(&[2, 2, 1]), poly(&[2, -2, 1])]);
        check_factors(cx, vec![poly(&[-3, 2]), poly(&[5, 7]), poly(&[11, 0, 13])]);
    }

    #[test]
    fn swinnerton_dyer_is_irreducible() {
        let cx = &Inquiry::free();
        // (x − √2 − √3 − √5) and conjugates: 2-element factors modulo every prime.
        check_factors(cx, vec![poly(&[576, 0, -960, 0, 352, 0, -40, 0, 1])]);
    }

    #[test]
    fn zero_constant_term() {
        let cx = &Inquiry::free();
        check_factors(cx, vec![poly(&[0, 1]), poly(&[1, 0, 1]), poly(&[7, 3])]);
    }

    #[test]
    fn large_random_product() {
        let cx = &Inquiry::free();
        let mut random = Sequence::new(3);
        let mut factor = |degree: usize| {
            let mut c: Vec<i64> = (0..degree).map(|_| random.below(2_000_001) as i64 - 1_000_000).collect();
            c.push(1 + random.below(50) as i64);
            primitive(poly(&c))
        };
        let factors: Vec<Coefficients> = [3, 5, 8, 4].map(&mut factor).to_vec();
        check_factors(cx, factors);
    }
}
