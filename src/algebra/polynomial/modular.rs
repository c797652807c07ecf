//! Arithmetic modulo word-sized primes: residues, dense univariate polynomials, Vandermonde systems.
//!
//! Greatest common divisors, factorisations and resultants over ℤ are computed modulo primes near 2⁶²
//! and proved over ℤ afterwards, by division. Residues are kept in Montgomery form.

use crate::algebra::number::Integer;
use dashu_int::IBig;
use dashu_int::ops::RemEuclid;

/// The field ℤ/p, p an odd prime below 2⁶³. Elements are residues in Montgomery form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimeField {
    p: u64,
    /// −p⁻¹ modulo 2⁶⁴.
    negative_inverse: u64,
    /// 2¹²⁸ modulo p.
    square_of_radix: u64,
    one: u64,
}

/// The largest primes below 2⁶², in decreasing order. There are always more: [`PrimeField::nth`].
const PRIMES: [u64; 6] = [
    4611686018427387847,
    4611686018427387817,
    4611686018427387787,
    4611686018427387761,
    4611686018427387751,
    4611686018427387737,
];

impl PrimeField {
    /// The field of an odd prime below 2⁶³.
    pub fn new(p: u64) -> PrimeField {
        let mut inverse = p;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        }
        let radix = (1u128 << 64) % u128::from(p);
        let square_of_radix = ((radix * radix) % u128::from(p)) as u64;
        PrimeField { p, negative_inverse: inverse.wrapping_neg(), square_of_radix, one: radix as u64 }
    }

    /// The n-th of a fixed sequence of large primes.
    pub fn nth(n: usize) -> PrimeField {
        if let Some(&p) = PRIMES.get(n) {
            return PrimeField::new(p);
        }
        let mut p = PRIMES[PRIMES.len() - 1];
        for _ in PRIMES.len()..=n {
            p -= 2;
            while !is_prime(p) {
                p -= 2;
            }
        }
        PrimeField::new(p)
    }

    pub fn modulus(&self) -> u64 {
        self.p
    }

    pub fn one(&self) -> u64 {
        self.one
    }

    #[inline]
    pub fn add(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.p { sum - self.p } else { sum }
    }

    #[inline]
    pub fn sub(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }

    #[inline]
    pub fn neg(&self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.p - a }
    }

    #[inline]
    fn reduce(&self, wide: u128) -> u64 {
        let m = (wide as u64).wrapping_mul(self.negative_inverse);
        let sum = (wide + u128::from(m) * u128::from(self.p)) >> 64;
        let sum = sum as u64;
        if sum >= self.p { sum - self.p } else { sum }
    }

    #[inline]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(a) * u128::from(b))
    }

    /// a·b + c·d with one reduction; the modulus leaves two bits for the sum.
    #[inline]
    pub fn mul_add(&self, a: u64, b: u64, c: u64, d: u64) -> u64 {
        self.reduce(u128::from(a) * u128::from(b) + u128::from(c) * u128::from(d))
    }

    pub fn pow(&self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = self.one;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The inverse of a nonzero residue.
    pub fn inverse(&self, a: u64) -> u64 {
        // Euclid on the plain residue; two conversions put it back into Montgomery form.
        let (mut r0, mut r1) = (self.p as i64, self.reduce(u128::from(a)) as i64);
        let (mut t0, mut t1) = (0i64, 1i64);
        while r1 != 0 {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 - q * r1);
            (t0, t1) = (t1, t0.wrapping_sub(q.wrapping_mul(t1)));
        }
        let plain = if t0 < 0 { (t0 + self.p as i64) as u64 } else { t0 as u64 };
        self.enter(plain)
    }

    /// Inverses of nonzero residues at the price of one.
    pub fn invert_all(&self, values: &mut [u64]) {
        let mut prefix = Vec::with_capacity(values.len());
        let mut product = self.one;
        for &v in values.iter() {
            prefix.push(product);
            product = self.mul(product, v);
        }
        if values.is_empty() {
            return;
        }
        let mut inverse = self.inverse(product);
        for (v, before) in values.iter_mut().zip(prefix).rev() {
            let next = self.mul(inverse, *v);
            *v = self.mul(inverse, before);
            inverse = next;
        }
    }

    /// From the plain residue 0 ≤ n < p.
    #[inline]
    pub fn enter(&self, n: u64) -> u64 {
        self.mul(n, self.square_of_radix)
    }

    pub fn residue_of(&self, n: i64) -> u64 {
        let size = self.enter(n.unsigned_abs() % self.p);
        if n < 0 { self.neg(size) } else { size }
    }

    pub fn residue(&self, n: &Integer) -> u64 {
        match n {
            Integer::Small(n) => self.residue_of(*n),
            Integer::Big(n) => {
                let plain: IBig = IBig::from((&**n).rem_euclid(&IBig::from(self.p)));
                self.enter(u64::try_from(&plain).expect("a residue"))
            }
        }
    }

    /// The plain residue 0 ≤ n < p.
    #[inline]
    pub fn leave(&self, a: u64) -> u64 {
        self.reduce(u128::from(a))
    }

    /// The representative nearest to zero.
    pub fn symmetric(&self, a: u64) -> i64 {
        let plain = self.leave(a);
        if plain > self.p / 2 { plain as i64 - self.p as i64 } else { plain as i64 }
    }

    /// 1, a, a², …, aⁿ.
    pub fn powers(&self, a: u64, n: usize) -> Vec<u64> {
        let mut list = Vec::with_capacity(n + 1);
        let mut power = self.one;
        for _ in 0..n {
            list.push(power);
            power = self.mul(power, a);
        }
        list.push(power);
        list
    }

    /// The value of Σ cᵢ xⁱ.
    #[inline]
    pub fn horner(&self, coefficients: &[u64], x: u64) -> u64 {
        coefficients.iter().rev().fold(0, |sum, &c| self.add(self.mul(sum, x), c))
    }
}

/// Deterministic Miller–Rabin for 64-bit numbers (Jaeschke; Sorenson–Webster).
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || BASES.iter().any(|&b| n.is_multiple_of(b) && n != b) {
        return false;
    }
    if BASES.contains(&n) {
        return true;
    }
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let (shift, odd) = ((n - 1).trailing_zeros(), (n - 1) >> (n - 1).trailing_zeros());
    BASES.iter().all(|&base| {
        let (mut x, mut b, mut e) = (1, base, odd);
        while e > 0 {
            if e & 1 == 1 {
                x = times(x, b);
            }
            b = times(b, b);
            e >>= 1;
        }
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..shift).any(|_| {
            x = times(x, x);
            x == n - 1
        })
    })
}

/// Deterministic random numbers (splitmix64): the same question takes the same path every time.
pub struct Sequence(u64);

impl Sequence {
    pub fn new(seed: u64) -> Sequence {
        Sequence(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A residue other than zero.
    pub fn residue(&mut self, field: &PrimeField) -> u64 {
        1 + self.next_u64() % (field.p - 1)
    }

    /// Uniform in 0..n up to a negligible bias.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }
}

/// Dense univariate polynomials over a prime field: `c[i]` belongs to xⁱ, the last one is not zero.
pub mod dense {
    use super::PrimeField;

    pub fn trim(a: &mut Vec<u64>) {
        while a.last() == Some(&0) {
            a.pop();
        }
    }

    pub fn degree(a: &[u64]) -> usize {
        a.len().saturating_sub(1)
    }

    pub fn make_monic(a: &mut [u64], field: &PrimeField) {
        if let Some(&lead) = a.last()
            && lead != field.one()
        {
            let inverse = field.inverse(lead);
            for c in a.iter_mut() {
                *c = field.mul(*c, inverse);
            }
        }
    }

    pub fn add(a: &[u64], b: &[u64], field: &PrimeField) -> Vec<u64> {
        let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let mut sum = long.to_vec();
        for (s, &c) in sum.iter_mut().zip(short) {
            *s = field.add(*s, c);
        }
        trim(&mut sum);
        sum
    }

    pub fn sub(a: &[u64], b: &[u64], field: &PrimeField) -> Vec<u64> {
        let mut out = a.to_vec();
        if out.len() < b.len() {
            out.resize(b.len(), 0);
        }
        for (s, &c) in out.iter_mut().zip(b) {
            *s = field.sub(*s, c);
        }
        trim(&mut out);
        out
    }

    pub fn mul(a: &[u64], b: &[u64], field: &PrimeField) -> Vec<u64> {
        if a.is_empty() || b.is_empty() {
            return Vec::new();
        }
        let mut out = vec![0; a.len() + b.len() - 1];
        for (i, &c) in a.iter().enumerate() {
            if c != 0 {
                for (o, &d) in out[i..].iter_mut().zip(b) {
                    *o = field.add(*o, field.mul(c, d));
                }
            }
        }
        out
    }

    /// Whether sums of that many products fit a word without reduction.
    fn can_postpone(products: usize, field: &PrimeField) -> bool {
        products < 256 && field.modulus() < 1 << 28
    }

    /// out += c·b without reduction. The factors are below 2³², which lets them be multiplied several at a time.
    fn add_products(out: &mut [u64], c: u64, b: &[u64]) {
        let c = c as u32;
        for (o, &d) in out.iter_mut().zip(b) {
            *o += u64::from(c) * u64::from(d as u32);
        }
    }

    /// a·b modulo a monic f, for a and b of smaller degree. Small primes are reduced by once, at the end.
    pub fn mul_modulo(a: &[u64], b: &[u64], f: &[u64], field: &PrimeField) -> Vec<u64> {
        let n = f.len() - 1;
        if a.is_empty() || b.is_empty() || !can_postpone(2 * n, field) {
            let mut product = mul(a, b, field);
            div_rem(&mut product, f, field);
            return product;
        }
        let mut sums = vec![0; a.len() + b.len() - 1];
        for (i, &c) in a.iter().enumerate().filter(|(_, c)| **c != 0) {
            add_products(&mut sums[i..], c, b);
        }
        for k in (n..sums.len()).rev() {
            let q = field.reduce(u128::from(sums[k]));
            if q != 0 {
                add_products(&mut sums[k - n..k], field.modulus() - q, &f[..n]);
            }
        }
        sums.truncate(n);
        for c in &mut sums {
            *c = field.reduce(u128::from(*c));
        }
        trim(&mut sums);
        sums
    }

    /// Σ aᵢ·rowᵢ.
    pub fn combination(a: &[u64], rows: &[Vec<u64>], field: &PrimeField) -> Vec<u64> {
        let n = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = vec![0; n];
        let postponed = can_postpone(a.len(), field);
        for (&c, row) in a.iter().zip(rows).filter(|(c, _)| **c != 0) {
            if postponed {
                add_products(&mut out, c, row);
            } else {
                for (o, &d) in out.iter_mut().zip(row) {
                    *o = field.add(*o, field.mul(c, d));
                }
            }
        }
        if postponed {
            for c in &mut out {
                *c = field.reduce(u128::from(*c));
            }
        }
        trim(&mut out);
        out
    }

    pub fn scale(a: &[u64], c: u64, field: &PrimeField) -> Vec<u64> {
        a.iter().map(|&x| field.mul(x, c)).collect()
    }

    /// Replaces `a` by its remainder and returns the quotient; `b` is not zero.
    pub fn div_rem(a: &mut Vec<u64>, b: &[u64], field: &PrimeField) -> Vec<u64> {
        if a.len() < b.len() {
            return Vec::new();
        }
        let lead = *b.last().expect("division by zero");
        let inverse = if lead == field.one() { lead } else { field.inverse(lead) };
        let n = b.len() - 1;
        let mut quotient = vec![0; a.len() - n];
        for k in (0..quotient.len()).rev() {
            let q = field.mul(a[k + n], inverse);
            quotient[k] = q;
            if q != 0 {
                for (c, &d) in a[k..k + n].iter_mut().zip(b) {
                    *c = field.sub(*c, field.mul(q, d));
                }
            }
        }
        a.truncate(n);
        trim(a);
        quotient
    }

    /// Monic greatest common divisor, by remainders without inversions until the end.
    pub fn gcd(mut a: Vec<u64>, mut b: Vec<u64>, field: &PrimeField) -> Vec<u64> {
        if a.len() < b.len() {
            std::mem::swap(&mut a, &mut b);
        }
        while b.len() > 1 {
            let lead = b[b.len() - 1];
            while a.len() >= b.len() {
                let top = a[a.len() - 1];
                let shift = a.len() - b.len();
                a.pop();
                if lead != field.one() {
                    for c in a[..shift].iter_mut() {
                        *c = field.mul(*c, lead);
                    }
                    let minus_top = field.neg(top);
                    for (c, &d) in a[shift..].iter_mut().zip(&b) {
                        *c = field.mul_add(*c, lead, minus_top, d);
                    }
                } else {
                    for (c, &d) in a[shift..].iter_mut().zip(&b) {
                        *c = field.sub(*c, field.mul(top, d));
                    }
                }
                trim(&mut a);
            }
            std::mem::swap(&mut a, &mut b);
        }
        if b.is_empty() {
            make_monic(&mut a, field);
            return a;
        }
        vec![field.one()]
    }

    /// `(g, s, t)` with s·a + t·b = g, the monic gcd.
    pub fn extended_gcd(a: &[u64], b: &[u64], field: &PrimeField) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
        let (mut r0, mut r1) = (a.to_vec(), b.to_vec());
        let (mut s0, mut s1) = (vec![field.one()], Vec::new());
        let (mut t0, mut t1) = (Vec::new(), vec![field.one()]);
        while !r1.is_empty() {
            let q = div_rem(&mut r0, &r1, field);
            std::mem::swap(&mut r0, &mut r1);
            let s = sub(&s0, &mul(&q, &s1, field), field);
            (s0, s1) = (s1, s);
            let t = sub(&t0, &mul(&q, &t1, field), field);
            (t0, t1) = (t1, t);
        }
        if let Some(&lead) = r0.last() {
            let inverse = field.inverse(lead);
            for list in [&mut r0, &mut s0, &mut t0] {
                *list = scale(list, inverse, field);
            }
        }
        (r0, s0, t0)
    }

    pub fn derivative(a: &[u64], field: &PrimeField) -> Vec<u64> {
        let mut out: Vec<u64> =
            a.iter().enumerate().skip(1).map(|(i, &c)| field.mul(c, field.enter(i as u64 % field.modulus()))).collect();
        trim(&mut out);
        out
    }
}

/// The inverse of the matrix (wᵢ^(j+offset)), i, j = 0..n: with it both Σᵢ cᵢ wᵢ^(j+offset) = rⱼ
/// (a transposed Vandermonde system, for sparse interpolation) and interpolation are products.
pub struct Vandermonde {
    n: usize,
    /// Row i holds the coefficients of the i-th Lagrange polynomial, divided by wᵢ^offset.
    rows: Vec<u64>,
}

impl Vandermonde {
    /// `None` if two nodes agree, or a node is zero with an offset of one.
    pub fn new(nodes: &[u64], offset: bool, field: &PrimeField) -> Option<Vandermonde> {
        let n = nodes.len();
        // ∏ (z − wᵢ), without its leading one.
        let mut master = vec![0; n + 1];
        master[0] = field.one();
        for (k, &w) in nodes.iter().enumerate() {
            for i in (0..=k + 1).rev() {
                let below = if i > 0 { master[i - 1] } else { 0 };
                master[i] = field.sub(below, field.mul(w, master[i]));
            }
        }
        let mut rows = vec![0; n * n];
        let mut scales = Vec::with_capacity(n);
        for (row, &w) in rows.chunks_mut(n.max(1)).zip(nodes) {
            // Synthetic division by z − w, then the value of the quotient at w.
            let mut carry = field.one();
            for k in (0..n).rev() {
                row[k] = carry;
                carry = field.add(field.mul(carry, w), master[k]);
            }
            let value = field.horner(row, w);
            let value = if offset { field.mul(value, w) } else { value };
            if value == 0 {
                return None;
            }
            scales.push(value);
        }
        field.invert_all(&mut scales);
        for (row, s) in rows.chunks_mut(n.max(1)).zip(scales) {
            for c in row {
                *c = field.mul(*c, s);
            }
        }
        Some(Vandermonde { n, rows })
    }

    /// The c with Σᵢ cᵢ wᵢ^(j+offset) = rⱼ for j = 0..n.
    pub fn solve_transposed(&self, right: impl Fn(usize) -> u64, field: &PrimeField) -> Vec<u64> {
        let right: Vec<u64> = (0..self.n).map(right).collect();
        let dot = |row: &[u64]| row.iter().zip(&right).fold(0, |sum, (&a, &b)| field.add(sum, field.mul(a, b)));
        if self.n == 0 { Vec::new() } else { self.rows.chunks(self.n).map(dot).collect() }
    }

    /// The coefficients of the polynomial with the given values at the nodes (offset zero).
    pub fn interpolate(&self, values: &[u64], field: &PrimeField) -> Vec<u64> {
        let mut out = vec![0; self.n];
        for (row, &v) in self.rows.chunks(self.n.max(1)).zip(values) {
            if v != 0 {
                for (o, &c) in out.iter_mut().zip(row) {
                    *o = field.add(*o, field.mul(c, v));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_primes_are_prime_and_consecutive() {
        let mut expected = Vec::new();
        let mut n = (1u64 << 62) - 1;
        while expected.len() < PRIMES.len() {
            if is_prime(n) {
                expected.push(n);
            }
            n -= 2;
        }
        assert_eq!(PRIMES.as_slice(), expected);
        assert!(!is_prime(3215031751) && is_prime(2147483647) && !is_prime(1));
    }

    #[test]
    fn field_laws() {
        let field = PrimeField::nth(0);
        let mut random = Sequence::new(1);
        for _ in 0..200 {
            let (a, b) = (random.residue(&field), random.residue(&field));
            let product = u128::from(field.leave(a)) * u128::from(field.leave(b)) % u128::from(field.modulus());
            assert_eq!(u128::from(field.leave(field.mul(a, b))), product);
            assert_eq!(field.mul(a, field.inverse(a)), field.one());
            assert_eq!(field.residue_of(field.symmetric(a)), a);
        }
        let big = Integer::from(-7).pow(50).unwrap();
        assert_eq!(field.residue(&big), field.pow(field.residue_of(-7), 50));
    }

    #[test]
    fn bezout() {
        let field = PrimeField::new(101);
        let poly = |c: &[i64]| c.iter().map(|&n| field.residue_of(n)).collect::<Vec<u64>>();
        let g = poly(&[3, 1]);
        let (a, b) = (dense::mul(&g, &poly(&[1, 0, 1]), &field), dense::mul(&g, &poly(&[5, 2, 7]), &field));
        assert_eq!(dense::gcd(a.clone(), b.clone(), &field), g);
        let (d, s, t) = dense::extended_gcd(&a, &b, &field);
        assert_eq!(d, g);
        assert_eq!(dense::add(&dense::mul(&s, &a, &field), &dense::mul(&t, &b, &field), &field), g);
    }

    #[test]
    fn vandermonde_inverts() {
        let field = PrimeField::nth(1);
        let nodes: Vec<u64> = [2, 3, 5, 7].map(|n| field.residue_of(n)).to_vec();
        let c: Vec<u64> = [1, -2, 0, 9].map(|n| field.residue_of(n)).to_vec();
        let v = Vandermonde::new(&nodes, true, &field).unwrap();
        let right = |j: usize| {
            nodes.iter().zip(&c).fold(0, |s, (&w, &c)| field.add(s, field.mul(c, field.pow(w, j as u64 + 1))))
        };
        assert_eq!(v.solve_transposed(right, &field), c);
        let v = Vandermonde::new(&nodes, false, &field).unwrap();
        let values: Vec<u64> = nodes.iter().map(|&w| field.horner(&c, w)).collect();
        assert_eq!(v.interpolate(&values, &field), c);
    }
}
