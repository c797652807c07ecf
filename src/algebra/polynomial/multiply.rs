//! Products of polynomials.
//!
//! The number of term products decides the method, not the degree: few are generated and sorted
//! (each row of products is already in order, and the sort merges runs), many go into a dense box
//! when the box of exponents is well filled, else into a hash table whose keys are packed monomials.
//! Coefficients are accumulated in the smallest of i64, i128 and big integers that provably suffices.

use super::packed::{Key, Layout, MAX_EXPONENT, width_for, with_key};
use super::{MAX_TERMS, Polynomial};
use crate::algebra::number::Integer;
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted, MAX_BITS};
use dashu_int::IBig;
use rustc_hash::FxHasher;
use std::hash::Hasher;

impl Polynomial {
    /// The product, refused when it would have more than [`MAX_TERMS`] terms.
    pub fn mul(&self, cx: &Budget, other: &Polynomial) -> Budgeted<Polynomial> {
        if let Some(c) = self.as_constant() {
            return Ok(other.scale(&c));
        }
        if let Some(c) = other.as_constant() {
            return Ok(self.scale(&c));
        }
        // The factor with fewer terms first.
        let (a, b) = if self.n_terms() <= other.n_terms() { (self, other) } else { (other, self) };
        cx.spend(a.n_terms() as u64 * b.n_terms() as u64)?;
        let layout = product_layout(a, b)?;
        let bits = bits_of(a.integer_coefficients()) + bits_of(b.integer_coefficients());
        if bits > MAX_BITS {
            return Err(Exhausted::Bits);
        }
        let bits = bits + (usize::BITS - a.n_terms().leading_zeros()) as usize;
        let words = layout.words();
        let (monomials, coefficients) = match bits {
            0..=62 => with_key!(words, product_terms::<K>(cx, a, b, &layout, small_values::<i64>)),
            63..=126 => with_key!(words, product_terms::<K>(cx, a, b, &layout, small_values::<i128>)),
            _ => with_key!(words, product_terms::<K>(cx, a, b, &layout, big_values)),
        }?;
        let denominator = &a.denominator * &b.denominator;
        // ℤ is a domain, so every variable of the factors occurs and the layout is the narrowest.
        let mut product = Polynomial { layout, monomials, coefficients, denominator };
        product.cancel();
        Ok(product)
    }

    pub fn square(&self, cx: &Budget) -> Budgeted<Polynomial> {
        self.mul(cx, self)
    }

    /// Product of many, smallest first.
    pub fn product<'a>(cx: &Budget, factors: impl IntoIterator<Item = &'a Polynomial>) -> Budgeted<Polynomial> {
        let mut product = Polynomial::one();
        for factor in factors {
            product = product.mul(cx, factor)?;
        }
        Ok(product)
    }
}

pub(crate) fn bits_of(numbers: &[Integer]) -> usize {
    numbers.iter().map(Integer::bits).max().unwrap_or(0)
}

/// The canonical layout of a·b: degrees add up.
fn product_layout(a: &Polynomial, b: &Polynomial) -> Budgeted<Layout> {
    let layout = a.layout.union(&b.layout, a.layout.width.max(b.layout.width));
    let (da, db) = (a.degrees(), b.degrees());
    let mut max = 0;
    for &v in &layout.variables {
        let degree = |p: &Polynomial, d: &[u32]| p.layout.position(v).map_or(0, |k| d[k]);
        let sum = degree(a, &da) + degree(b, &db);
        if sum > MAX_EXPONENT {
            return Err(Exhausted::Size);
        }
        max = max.max(sum);
    }
    Ok(Layout { width: width_for(max), ..layout })
}

/// What coefficients are accumulated in.
pub(crate) trait Accumulator: Clone {
    fn zero() -> Self;
    fn product(a: &Self, b: &Self) -> Self;
    fn add_product(&mut self, a: &Self, b: &Self);
    fn add(&mut self, other: &Self);
    fn is_zero(&self) -> bool;
    fn finish(self) -> Integer;
}

macro_rules! machine_accumulator {
    ($t:ty, $finish:expr) => {
        impl Accumulator for $t {
            fn zero() -> Self {
                0
            }
            #[inline]
            fn product(a: &Self, b: &Self) -> Self {
                a * b
            }
            #[inline]
            fn add_product(&mut self, a: &Self, b: &Self) {
                *self += a * b;
            }
            #[inline]
            fn add(&mut self, other: &Self) {
                *self += other;
            }
            #[inline]
            fn is_zero(&self) -> bool {
                *self == 0
            }
            fn finish(self) -> Integer {
                $finish(self)
            }
        }
    };
}
machine_accumulator!(i64, Integer::from);
machine_accumulator!(i128, |n: i128| i64::try_from(n)
    .map_or_else(|_| Integer::from_big(IBig::from(n)), Integer::Small));

impl Accumulator for IBig {
    fn zero() -> Self {
        IBig::ZERO
    }
    fn product(a: &Self, b: &Self) -> Self {
        a * b
    }
    fn add_product(&mut self, a: &Self, b: &Self) {
        *self += a * b;
    }
    fn add(&mut self, other: &Self) {
        *self += other;
    }
    fn is_zero(&self) -> bool {
        *self == IBig::ZERO
    }
    fn finish(self) -> Integer {
        Integer::from_big(self)
    }
}

/// Coefficients that are known to fit the machine type.
pub(crate) fn small_values<T: TryFrom<i128>>(numbers: &[Integer]) -> Vec<T> {
    let narrow = |n: i128| T::try_from(n).ok().expect("bounded by the bits");
    numbers
        .iter()
        .map(|n| match n {
            Integer::Small(n) => narrow(i128::from(*n)),
            Integer::Big(n) => narrow(i128::try_from(&**n).expect("bounded by the bits")),
        })
        .collect()
}

fn big_values(numbers: &[Integer]) -> Vec<IBig> {
    numbers.iter().map(Integer::to_big).collect()
}

type Terms = (Vec<u64>, Vec<Integer>);

/// Products above this number are not sorted but hashed.
const SORT_LIMIT: usize = 1 << 10;

fn product_terms<K: Key, C: Accumulator>(
    cx: &Budget,
    a: &Polynomial,
    b: &Polynomial,
    layout: &Layout,
    values: fn(&[Integer]) -> Vec<C>,
) -> Budgeted<Terms> {
    let (ca, cb) = (values(&a.coefficients), values(&b.coefficients));
    let (ma, mb) = (a.packed_in(layout), b.packed_in(layout));
    let words = layout.words();
    let n = ca.len().saturating_mul(cb.len());
    if words == 1
        && n > 256
        && let Some(terms) = dense_product(cx, a, b, layout, &ca, &cb)?
    {
        return Ok(terms);
    }
    let keys = |m: &[u64]| m.chunks(words).map(K::load).collect::<Vec<K>>();
    let (ka, kb) = (keys(&ma), keys(&mb));
    if n <= SORT_LIMIT {
        Ok(sorted_product(&ka, &ca, &kb, &cb, words))
    } else {
        hashed_product(cx, &ka, &ca, &kb, &cb, words)
    }
}

fn sorted_product<K: Key, C: Accumulator>(ka: &[K], ca: &[C], kb: &[K], cb: &[C], words: usize) -> Terms {
    let mut products: Vec<(K, C)> = Vec::with_capacity(ka.len() * kb.len());
    for (k, c) in ka.iter().zip(ca) {
        products.extend(kb.iter().zip(cb).map(|(l, d)| (k.times(l), C::product(c, d))));
    }
    if ka.len() > 1 {
        products.sort_by(|x, y| y.0.cmp(&x.0));
    }
    let mut monomials = Vec::with_capacity(products.len() * words);
    let mut coefficients = Vec::with_capacity(products.len());
    let mut products = products.into_iter().peekable();
    while let Some((key, mut sum)) = products.next() {
        while let Some((_, c)) = products.next_if(|(next, _)| *next == key) {
            sum.add(&c);
        }
        if !sum.is_zero() {
            key.store(words, &mut monomials);
            coefficients.push(sum.finish());
        }
    }
    (monomials, coefficients)
}

/// Open addressing with linear probing; slots hold indices into the list of terms met so far.
fn hashed_product<K: Key, C: Accumulator>(
    cx: &Budget,
    ka: &[K],
    ca: &[C],
    kb: &[K],
    cb: &[C],
    words: usize,
) -> Budgeted<Terms> {
    const EMPTY: u32 = u32::MAX;
    let hash = |key: &K| {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        hasher.finish()
    };
    let mut size = (4 * kb.len()).next_power_of_two().max(1 << 10);
    let mut slots = vec![EMPTY; size];
    let mut terms: Vec<(K, C)> = Vec::with_capacity(2 * kb.len());
    for (k, c) in ka.iter().zip(ca) {
        cx.check()?;
        if 2 * (terms.len() + kb.len()) > size {
            size = (4 * (terms.len() + kb.len())).next_power_of_two();
            slots = vec![EMPTY; size];
            for (index, (key, _)) in terms.iter().enumerate() {
                let mut at = hash(key) as usize & (size - 1);
                while slots[at] != EMPTY {
                    at = (at + 1) & (size - 1);
                }
                slots[at] = index as u32;
            }
        }
        for (l, d) in kb.iter().zip(cb) {
            let key = k.times(l);
            let mut at = hash(&key) as usize & (size - 1);
            loop {
                let index = slots[at];
                if index == EMPTY {
                    slots[at] = terms.len() as u32;
                    terms.push((key, C::product(c, d)));
                    break;
                }
                let term = &mut terms[index as usize];
                if term.0 == key {
                    term.1.add_product(c, d);
                    break;
                }
                at = (at + 1) & (size - 1);
            }
        }
        if terms.len() > MAX_TERMS {
            return Err(Exhausted::Size);
        }
    }
    drop(slots);
    terms.retain(|(_, c)| !c.is_zero());
    terms.sort_unstable_by(|x, y| y.0.cmp(&x.0));
    let mut monomials = Vec::with_capacity(terms.len() * words);
    let mut coefficients = Vec::with_capacity(terms.len());
    for (key, c) in terms {
        key.store(words, &mut monomials);
        coefficients.push(c.finish());
    }
    Ok((monomials, coefficients))
}

/// Accumulates in a box indexed by mixed-radix exponents, if the box is not much larger than the
/// number of term products.
fn dense_product<C: Accumulator>(
    cx: &Budget,
    a: &Polynomial,
    b: &Polynomial,
    layout: &Layout,
    ca: &[C],
    cb: &[C],
) -> Budgeted<Option<Terms>> {
    let (da, db) = (a.degrees(), b.degrees());
    let mut strides = vec![0usize; layout.n_variables()];
    let mut size = 1usize;
    let budget = ca.len().saturating_mul(cb.len()).min(1 << 23);
    let mut radix = vec![0usize; layout.n_variables()];
    for k in (0..layout.n_variables()).rev() {
        let v = layout.variables[k];
        let degree = |p: &Polynomial, d: &[u32]| p.layout.position(v).map_or(0, |k| d[k]);
        strides[k] = size;
        radix[k] = (degree(a, &da) + degree(b, &db)) as usize + 1;
        size = size.saturating_mul(radix[k]);
        if size > budget {
            return Ok(None);
        }
    }
    let offsets = |p: &Polynomial| -> Vec<usize> {
        let places: Vec<usize> =
            p.layout.variables.iter().map(|&v| strides[layout.position(v).expect("union")]).collect();
        let rows = p.exponent_rows();
        rows.chunks(places.len()).map(|row| row.iter().zip(&places).map(|(&e, &s)| e as usize * s).sum()).collect()
    };
    let (oa, ob) = (offsets(a), offsets(b));
    let mut cells = vec![C::zero(); size];
    for (&i, c) in oa.iter().zip(ca) {
        cx.check()?;
        for (&j, d) in ob.iter().zip(cb) {
            cells[i + j].add_product(c, d);
        }
    }
    let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
    let mut exponents = vec![0u32; layout.n_variables()];
    for (index, cell) in cells.into_iter().enumerate().rev() {
        if cell.is_zero() {
            continue;
        }
        for (k, e) in exponents.iter_mut().enumerate() {
            *e = (index / strides[k] % radix[k]) as u32;
        }
        layout.pack(&exponents, &mut monomials);
        coefficients.push(cell.finish());
    }
    if coefficients.len() > MAX_TERMS {
        return Err(Exhausted::Size);
    }
    Ok(Some((monomials, coefficients)))
}
