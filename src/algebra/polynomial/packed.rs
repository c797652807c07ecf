//! Monomials packed into machine words.
//!
//! A monomial x₁^e₁⋯xₙ^eₙ is a bit string: one field of `width` bits per variable, the first variable
//! in the highest bits of the first word. Comparing the words compares monomials lexicographically,
//! adding the words multiplies them. The highest bit of every field is a guard that stays clear in
//! every stored monomial, so subtraction detects that a monomial does not divide another without
//! looking at the fields one by one.
//!
//! ```text
//! width 4:  x³y  ->  0011 0001 0000 …     16 variables of degree ≤ 7 fit one word
//! ```

use smallvec::SmallVec;
use std::hash::Hash;

/// Which variables the fields stand for, and how wide a field is. Layouts stored in polynomials are
/// canonical: the variables occur, and the width is the smallest that holds every exponent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Layout {
    /// Increasing.
    pub variables: SmallVec<[u32; 8]>,
    /// 4, 8, 16 or 32 bits.
    pub width: u8,
}

/// No exponent of a product or power is above this; lists of coefficients by degree stay of moderate length.
pub const MAX_EXPONENT: u32 = 1 << 16;

impl Layout {
    pub fn constant() -> Layout {
        Layout { variables: SmallVec::new(), width: 4 }
    }

    /// The narrowest layout for exponents up to `max`.
    pub fn for_exponents(variables: SmallVec<[u32; 8]>, max: u32) -> Layout {
        Layout { variables, width: width_for(max) }
    }

    pub fn n_variables(&self) -> usize {
        self.variables.len()
    }

    fn per_word(&self) -> usize {
        64 / self.width as usize
    }

    /// Words per monomial, at least one.
    pub fn words(&self) -> usize {
        self.variables.len().div_ceil(self.per_word()).max(1)
    }

    /// Word and shift of the field of the variable at `position`.
    pub fn place(&self, position: usize) -> (usize, u32) {
        let width = u32::from(self.width);
        let slot = (position % self.per_word()) as u32;
        (position / self.per_word(), 64 - width * (slot + 1))
    }

    pub fn mask(&self) -> u64 {
        (1u64 << self.width) - 1
    }

    pub fn exponent(&self, monomial: &[u64], position: usize) -> u32 {
        let (word, shift) = self.place(position);
        ((monomial[word] >> shift) & self.mask()) as u32
    }

    pub fn position(&self, variable: u32) -> Option<usize> {
        self.variables.binary_search(&variable).ok()
    }

    /// The guard bits of one word. Every word has the same, fields that are not in use included.
    pub fn guard(&self) -> u64 {
        let mut guard = 0;
        for slot in 0..self.per_word() {
            guard |= 1u64 << (64 - slot * self.width as usize - 1);
        }
        guard
    }

    /// Unpacks one monomial into exponents in the order of the variables.
    pub fn unpack(&self, monomial: &[u64], exponents: &mut [u32]) {
        for (position, e) in exponents.iter_mut().enumerate() {
            *e = self.exponent(monomial, position);
        }
    }

    /// Appends the packed form of `exponents`, which must fit.
    pub fn pack(&self, exponents: &[u32], into: &mut Vec<u64>) {
        let start = into.len();
        into.resize(start + self.words(), 0);
        for (position, &e) in exponents.iter().enumerate() {
            let (word, shift) = self.place(position);
            into[start + word] |= u64::from(e) << shift;
        }
    }

    /// The same monomials in another layout that has room for all of them.
    pub fn repack(&self, monomials: &[u64], to: &Layout) -> Vec<u64> {
        let (from_words, to_words) = (self.words(), to.words());
        let n = monomials.len() / from_words;
        let mut out = vec![0u64; n * to_words];
        let mask = self.mask();
        for (position, &variable) in self.variables.iter().enumerate() {
            let Some(target) = to.position(variable) else { continue };
            let (word, shift) = self.place(position);
            let (to_word, to_shift) = to.place(target);
            for i in 0..n {
                let e = (monomials[i * from_words + word] >> shift) & mask;
                out[i * to_words + to_word] |= e << to_shift;
            }
        }
        out
    }

    /// Union of the variables, with the given width.
    pub fn union(&self, other: &Layout, width: u8) -> Layout {
        if self.variables == other.variables {
            return Layout { variables: self.variables.clone(), width };
        }
        let mut variables: SmallVec<[u32; 8]> = SmallVec::new();
        let (mut i, mut j) = (0, 0);
        let (a, b) = (&self.variables, &other.variables);
        while i < a.len() || j < b.len() {
            let next = match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) => x,
                (None, Some(&y)) => y,
                (None, None) => break,
            };
            i += usize::from(a.get(i) == Some(&next));
            j += usize::from(b.get(j) == Some(&next));
            variables.push(next);
        }
        Layout { variables, width }
    }
}

pub(crate) fn width_for(max_exponent: u32) -> u8 {
    match max_exponent {
        0..=7 => 4,
        8..=127 => 8,
        128..=32767 => 16,
        _ => 32,
    }
}

/// A packed monomial as a value: one word, a few, or many. The algorithms are generic over it.
pub(crate) trait Key: Clone + Ord + Hash {
    fn load(words: &[u64]) -> Self;
    /// Appends the first `n` words.
    fn store(&self, n: usize, into: &mut Vec<u64>);
    /// The product; the layout must have room.
    fn times(&self, other: &Self) -> Self;
    /// The quotient, if `other` divides. `guard` is [`Layout::guard`].
    fn over(&self, other: &Self, guard: u64) -> Option<Self>;
}

impl Key for u64 {
    fn load(words: &[u64]) -> u64 {
        words[0]
    }
    fn store(&self, _n: usize, into: &mut Vec<u64>) {
        into.push(*self);
    }
    #[inline]
    fn times(&self, other: &u64) -> u64 {
        self + other
    }
    #[inline]
    fn over(&self, other: &u64, guard: u64) -> Option<u64> {
        let difference = (self | guard) - other;
        // A product of two stored monomials may reach into the guards; nothing stored is so high.
        (difference & guard == guard && self & guard == 0).then_some(difference & !guard)
    }
}

impl<const N: usize> Key for [u64; N] {
    fn load(words: &[u64]) -> [u64; N] {
        let mut out = [0; N];
        out[..words.len()].copy_from_slice(words);
        out
    }
    fn store(&self, n: usize, into: &mut Vec<u64>) {
        into.extend_from_slice(&self[..n]);
    }
    #[inline]
    fn times(&self, other: &[u64; N]) -> [u64; N] {
        std::array::from_fn(|i| self[i] + other[i])
    }
    #[inline]
    fn over(&self, other: &[u64; N], guard: u64) -> Option<[u64; N]> {
        let mut out = [0; N];
        for i in 0..N {
            out[i] = self[i].over(&other[i], guard)?;
        }
        Some(out)
    }
}

/// Keys of any length, for polynomials in very many variables.
impl Key for SmallVec<[u64; 8]> {
    fn load(words: &[u64]) -> Self {
        SmallVec::from_slice(words)
    }
    fn store(&self, n: usize, into: &mut Vec<u64>) {
        into.extend_from_slice(&self[..n]);
    }
    fn times(&self, other: &Self) -> Self {
        self.iter().zip(other).map(|(a, b)| a + b).collect()
    }
    fn over(&self, other: &Self, guard: u64) -> Option<Self> {
        self.iter().zip(other).map(|(a, b)| a.over(b, guard)).collect()
    }
}

/// Runs a generic function with the key type that suits the number of words.
macro_rules! with_key {
    ($words:expr, $function:ident::<K>($($argument:expr),* $(,)?)) => {
        match $words {
            1 => $function::<u64, _>($($argument),*),
            2 => $function::<[u64; 2], _>($($argument),*),
            3 | 4 => $function::<[u64; 4], _>($($argument),*),
            _ => $function::<smallvec::SmallVec<[u64; 8]>, _>($($argument),*),
        }
    };
}
pub(crate) use with_key;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_words_is_lexicographic_order_of_monomials() {
        let layout = Layout::for_exponents(SmallVec::from_slice(&[0, 3, 9]), 5);
        let mut packed = Vec::new();
        for e in [[5, 0, 0], [4, 5, 5], [4, 5, 4], [0, 1, 0], [0, 0, 5], [0, 0, 0]] {
            layout.pack(&e, &mut packed);
        }
        assert!(packed.windows(2).all(|w| w[0] > w[1]));
        assert_eq!(layout.words(), 1);
    }

    #[test]
    fn division_sees_a_missing_factor() {
        let layout = Layout::for_exponents(SmallVec::from_slice(&[0, 1]), 7);
        let pack = |e: [u32; 2]| {
            let mut out = Vec::new();
            layout.pack(&e, &mut out);
            out[0]
        };
        let guard = layout.guard();
        assert_eq!(pack([7, 2]).over(&pack([3, 2]), guard), Some(pack([4, 0])));
        assert_eq!(pack([7, 2]).over(&pack([0, 3]), guard), None);
        assert_eq!(pack([1, 7]).over(&pack([2, 0]), guard), None);
    }

    #[test]
    fn repacking_keeps_exponents() {
        let narrow = Layout::for_exponents(SmallVec::from_slice(&[2, 5]), 7);
        let wide = Layout::for_exponents(SmallVec::from_slice(&[1, 2, 4, 5, 8]), 40_000);
        let mut packed = Vec::new();
        narrow.pack(&[6, 1], &mut packed);
        let moved = narrow.repack(&packed, &wide);
        let mut exponents = [0; 5];
        wide.unpack(&moved, &mut exponents);
        assert_eq!(exponents, [0, 6, 0, 1, 0]);
        assert_eq!(wide.words(), 3);
    }
}
