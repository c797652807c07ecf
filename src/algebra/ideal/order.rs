//! Monomial orders, and monomials of a ring packed for them.
//!
//! An order is a list of blocks of variables, each compared by degree-reverse-lexicographic order, an earlier block
//! before a later one. One block is grevlex; blocks of one variable each are lex; two blocks eliminate the
//! first. With the partial sums sᵢ = e₁ + … + eᵢ of the exponents in a block of m variables, grevlex is the
//! lexicographic order of (sₘ, sₘ₋₁, …, s₁). So a monomial carries two packed vectors: the partial sums, compared
//! as words, and the exponents, whose guard bits decide divisibility. Both add up under multiplication.

use std::cmp::Ordering;

/// A product of grevlex blocks. The variables are those of the ring, largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    variables: Vec<u32>,
    /// Lengths of the blocks; their sum is the number of variables.
    blocks: Vec<usize>,
}

impl Order {
    pub fn grevlex(variables: &[u32]) -> Order {
        Order::of_blocks(&[variables])
    }

    pub fn lex(variables: &[u32]) -> Order {
        let blocks: Vec<&[u32]> = variables.chunks(1).collect();
        Order::of_blocks(&blocks)
    }

    /// A basis in this order contains one of the elimination ideal in `keep`.
    pub fn elimination(eliminate: &[u32], keep: &[u32]) -> Order {
        Order::of_blocks(&[eliminate, keep])
    }

    /// Variables that occur twice count where they come first.
    pub fn of_blocks(blocks: &[&[u32]]) -> Order {
        let mut variables: Vec<u32> = Vec::new();
        let mut lengths = Vec::new();
        for block in blocks {
            let before = variables.len();
            for &v in *block {
                if !variables.contains(&v) {
                    variables.push(v);
                }
            }
            if variables.len() > before {
                lengths.push(variables.len() - before);
            }
        }
        Order { variables, blocks: lengths }
    }

    pub fn variables(&self) -> &[u32] {
        &self.variables
    }

    pub(super) fn is_lexicographic(&self) -> bool {
        self.variables.len() > 1 && self.blocks.iter().all(|&n| n == 1)
    }

    /// The same order with further variables in a last block.
    pub(super) fn extended(&self, more: &[u32]) -> Order {
        let mut order = self.clone();
        let before = order.variables.len();
        for &v in more {
            if !order.variables.contains(&v) {
                order.variables.push(v);
            }
        }
        if order.variables.len() > before {
            order.blocks.push(order.variables.len() - before);
        }
        order
    }
}

/// How monomials of a ring are packed: `width` bits per field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ring<const W: usize> {
    pub order: Order,
    width: u32,
    guard: u64,
    /// Largest total degree.
    pub limit: u32,
}

/// A monomial of a [`Ring`], ordered as the ring's order says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mono<const W: usize> {
    key: [u64; W],
    exponents: [u64; W],
    pub degree: u32,
}

impl<const W: usize> Ord for Mono<W> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl<const W: usize> PartialOrd for Mono<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const W: usize> Ring<W> {
    /// `None` if the variables do not fit the words.
    pub fn new(order: Order, width: u32) -> Option<Ring<W>> {
        let per_word = (64 / width) as usize;
        if order.variables.len() > W * per_word {
            return None;
        }
        let guard = (0..per_word).fold(0u64, |g, i| g | 1 << (64 - i as u32 * width - 1));
        Some(Ring { order, width, guard, limit: (1 << (width - 1)) - 1 })
    }

    fn place(&self, field: usize) -> (usize, u32) {
        let per_word = (64 / self.width) as usize;
        (field / per_word, 64 - self.width * ((field % per_word) as u32 + 1))
    }

    pub fn one(&self) -> Mono<W> {
        Mono { key: [0; W], exponents: [0; W], degree: 0 }
    }

    /// From exponents in the order of the variables; their sum must be within the limit.
    pub fn monomial(&self, exponents: &[u32]) -> Mono<W> {
        let mut m = self.one();
        let mut start = 0;
        for &length in &self.order.blocks {
            let mut sum = 0;
            for i in 0..length {
                let e = exponents[start + i];
                sum += e;
                let (word, shift) = self.place(start + i);
                m.exponents[word] |= u64::from(e) << shift;
                // s₁ comes last in the block.
                let (word, shift) = self.place(start + length - 1 - i);
                m.key[word] |= u64::from(sum) << shift;
            }
            m.degree += sum;
            start += length;
        }
        m
    }

    pub fn exponent(&self, m: &Mono<W>, position: usize) -> u32 {
        let (word, shift) = self.place(position);
        ((m.exponents[word] >> shift) & ((1 << self.width) - 1)) as u32
    }

    pub fn exponents(&self, m: &Mono<W>) -> Vec<u32> {
        (0..self.order.variables.len()).map(|k| self.exponent(m, k)).collect()
    }

    #[inline]
    pub fn divides(&self, a: &Mono<W>, b: &Mono<W>) -> bool {
        a.exponents.iter().zip(&b.exponents).all(|(&x, &y)| ((y | self.guard) - x) & self.guard == self.guard)
    }

    /// b/a, where a divides b.
    #[inline]
    pub fn quotient(&self, b: &Mono<W>, a: &Mono<W>) -> Mono<W> {
        Mono {
            key: std::array::from_fn(|i| b.key[i] - a.key[i]),
            exponents: std::array::from_fn(|i| b.exponents[i] - a.exponents[i]),
            degree: b.degree - a.degree,
        }
    }

    /// The product; the sum of the degrees must be within the limit.
    #[inline]
    pub fn product(&self, a: &Mono<W>, b: &Mono<W>) -> Mono<W> {
        Mono {
            key: std::array::from_fn(|i| a.key[i] + b.key[i]),
            exponents: std::array::from_fn(|i| a.exponents[i] + b.exponents[i]),
            degree: a.degree + b.degree,
        }
    }

    /// `None` if the degree is above the limit.
    pub fn lcm(&self, a: &Mono<W>, b: &Mono<W>) -> Option<Mono<W>> {
        let n = self.order.variables.len();
        let exponents: Vec<u32> = (0..n).map(|k| self.exponent(a, k).max(self.exponent(b, k))).collect();
        (exponents.iter().sum::<u32>() <= self.limit).then(|| self.monomial(&exponents))
    }

    pub fn are_coprime(&self, a: &Mono<W>, b: &Mono<W>) -> bool {
        // x + (2^(w−1) − 1) reaches the guard exactly when the field is not zero.
        let ones = (self.guard >> (self.width - 1)).wrapping_mul((1 << (self.width - 1)) - 1);
        a.exponents.iter().zip(&b.exponents).all(|(&x, &y)| ((x + ones) & (y + ones) & self.guard) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grevlex_lex_and_blocks() {
        let order = |blocks: &[&[u32]], a: [u32; 3], b: [u32; 3]| {
            let ring: Ring<1> = Ring::new(Order::of_blocks(blocks), 8).unwrap();
            ring.monomial(&a).cmp(&ring.monomial(&b))
        };
        // x² y z > x y³ in lex; degree decides in grevlex, then the smaller power of the last variable.
        let grevlex: &[&[u32]] = &[&[0, 1, 2]];
        assert_eq!(order(grevlex, [1, 1, 1], [0, 3, 0]), Ordering::Less);
        assert_eq!(order(grevlex, [0, 2, 2], [1, 0, 3]), Ordering::Greater);
        assert_eq!(order(grevlex, [2, 0, 0], [0, 3, 0]), Ordering::Less);
        let lex: &[&[u32]] = &[&[0], &[1], &[2]];
        assert_eq!(order(lex, [1, 0, 0], [0, 9, 9]), Ordering::Greater);
        assert_eq!(order(lex, [1, 0, 2], [1, 1, 0]), Ordering::Less);
        let elimination: &[&[u32]] = &[&[0], &[1, 2]];
        assert_eq!(order(elimination, [1, 0, 0], [0, 3, 3]), Ordering::Greater);
        assert_eq!(order(elimination, [1, 0, 2], [1, 1, 0]), Ordering::Greater);
    }

    #[test]
    fn division_of_monomials() {
        let ring: Ring<1> = Ring::new(Order::grevlex(&[0, 1, 2]), 8).unwrap();
        let m = |e: [u32; 3]| ring.monomial(&e);
        assert!(ring.divides(&m([1, 0, 2]), &m([1, 5, 2])));
        assert!(!ring.divides(&m([1, 0, 3]), &m([1, 5, 2])));
        assert_eq!(ring.quotient(&m([1, 5, 2]), &m([1, 0, 2])), m([0, 5, 0]));
        assert_eq!(ring.lcm(&m([1, 0, 2]), &m([0, 5, 1])), Some(m([1, 5, 2])));
        assert!(ring.are_coprime(&m([1, 0, 2]), &m([0, 5, 0])));
        assert!(!ring.are_coprime(&m([1, 0, 2]), &m([0, 5, 1])));
    }
}
