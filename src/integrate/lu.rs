//! Small dense linear systems that are factorised once and solved many times, real and complex.
//!
//! `P A = L U` with rows compared relative to their largest entry, as in [`crate::codegen::linear`], which solves a system once.
//! Implicit methods keep the factors over several steps. A pivot that vanishes against its column means that the
//! matrix has, at rounding level, no full rank; then the rank is reported.

use std::ops::{Add, Mul, Neg, Sub};

/// A number that systems are made of.
pub trait Scalar:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// |Re| + |Im|
    fn size(self) -> f64;

    fn inverse(self) -> Self;
}

impl Scalar for f64 {
    fn size(self) -> f64 {
        self.abs()
    }

    fn inverse(self) -> f64 {
        1.0 / self
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Neg for Complex {
    type Output = Complex;

    fn neg(self) -> Complex {
        Complex { re: -self.re, im: -self.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Scalar for Complex {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn inverse(self) -> Complex {
        // Divided by the larger part first, so that squares neither overflow nor vanish.
        let size = self.re.abs().max(self.im.abs());
        let (re, im) = (self.re / size, self.im / size);
        let d = (re * re + im * im) * size;
        Complex { re: re / d, im: -im / d }
    }
}

/// The rank of a matrix at rounding level, when it is not full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deficient {
    pub rank: usize,
    pub of: usize,
}

/// A factorised matrix, and the memory for the next one.
#[derive(Clone, Default)]
pub struct Lu<S> {
    n: usize,
    /// Row by row. After the factorisation: L below the diagonal, U above it, 1/U on it.
    pub matrix: Vec<S>,
    /// Row k was exchanged with this one.
    exchanges: Vec<usize>,
    scale: Vec<f64>,
    column: Vec<f64>,
}

impl<S: Scalar> Lu<S> {
    /// Room for n equations.
    pub fn new(n: usize) -> Lu<S> {
        Lu { n, matrix: vec![S::default(); n * n], exchanges: vec![0; n], scale: vec![0.0; n], column: vec![0.0; n] }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    /// Factorises what stands in `matrix`.
    pub fn factorise(&mut self) -> Result<(), Deficient> {
        let n = self.n;
        let a = &mut self.matrix;
        self.column.fill(0.0);
        for i in 0..n {
            let row = &a[i * n..(i + 1) * n];
            let largest = row.iter().fold(0.0f64, |m, x| m.max(x.size()));
            // A row without entries, or without values, fits nothing.
            self.scale[i] = if largest > 0.0 && largest.is_finite() { 1.0 / largest } else { 0.0 };
            for (c, x) in self.column.iter_mut().zip(row) {
                *c = c.max(x.size() * self.scale[i]);
            }
        }
        let rounding = 8.0 * n as f64 * f64::EPSILON;
        for j in 0..n {
            let (mut best, mut size) = (j, -1.0);
            for i in j..n {
                let candidate = a[i * n + j].size() * self.scale[i];
                if candidate > size {
                    (best, size) = (i, candidate);
                }
            }
            self.exchanges[j] = best;
            if !(size > rounding * self.column[j]) {
                return Err(Deficient { rank: j + self.rank_from(j, rounding), of: n });
            }
            if best != j {
                for k in 0..n {
                    a.swap(j * n + k, best * n + k);
                }
                self.scale.swap(j, best);
            }
            let (above, below) = a.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            row[j] = row[j].inverse();
            for target in below.chunks_exact_mut(n) {
                let factor = target[j] * row[j];
                target[j] = factor;
                for (t, r) in target[j + 1..].iter_mut().zip(&row[j + 1..]) {
                    *t = *t - factor * *r;
                }
            }
        }
        Ok(())
    }

    /// The rank of what is left after j pivots, by exchanging rows and columns.
    fn rank_from(&mut self, j: usize, rounding: f64) -> usize {
        let (n, a) = (self.n, &mut self.matrix);
        for k in j..n {
            let left = (k..n).flat_map(|i| (k..n).map(move |l| (i, l)));
            let sizes = left.map(|(i, l)| (a[i * n + l].size() * self.scale[i], i, l));
            let Some((size, row, column)) = sizes.max_by(|x, y| x.0.total_cmp(&y.0)) else { break };
            if !(size > rounding) {
                return k - j;
            }
            (0..n).for_each(|l| a.swap(k * n + l, row * n + l));
            (0..n).for_each(|i| a.swap(i * n + k, i * n + column));
            self.scale.swap(k, row);
            let inverse = a[k * n + k].inverse();
            for i in k + 1..n {
                let factor = a[i * n + k] * inverse;
                for l in k..n {
                    a[i * n + l] = a[i * n + l] - factor * a[k * n + l];
                }
            }
        }
        n - j
    }

    /// Replaces `b` by the solution of A x = b.
    pub fn solve(&self, b: &mut [S]) {
        let (n, a) = (self.n, &self.matrix);
        for (j, other) in self.exchanges.iter().enumerate() {
            b.swap(j, *other);
        }
        for i in 1..n {
            let mut x = b[i];
            for (l, known) in a[i * n..i * n + i].iter().zip(&*b) {
                x = x - *l * *known;
            }
            b[i] = x;
        }
        for i in (0..n).rev() {
            let mut x = b[i];
            for (u, known) in a[i * n + i + 1..(i + 1) * n].iter().zip(&b[i + 1..]) {
                x = x - *u * *known;
            }
            b[i] = x * a[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<S: Scalar>(n: usize, entries: impl Fn(usize, usize) -> S, x: impl Fn(usize) -> S) {
        let mut lu = Lu::new(n);
        for (e, slot) in lu.matrix.iter_mut().enumerate() {
            *slot = entries(e / n, e % n);
        }
        let product = |i: usize| (0..n).fold(S::default(), |sum, j| sum + entries(i, j) * x(j));
        let mut b: Vec<S> = (0..n).map(product).collect();
        lu.factorise().unwrap();
        lu.solve(&mut b);
        for (i, found) in b.iter().enumerate() {
            assert!((*found - x(i)).size() < 1e-11, "{i} of {n}");
        }
    }

    #[test]
    fn solutions_are_solutions() {
        let entry = |i: usize, j: usize| ((7 * i + 11 * j + i * j) % 13) as f64 - 5.5;
        for n in [1, 2, 3, 7, 12] {
            check(n, entry, |j| 1.0 + j as f64);
            let complex = |i: usize, j: usize| Complex { re: entry(i, j), im: entry(j, i + 1) };
            check(n, complex, |j| Complex { re: j as f64, im: 2.0 - j as f64 });
        }
        // Exchanged rows, units that differ by forty orders of magnitude.
        check(2, |i, j| [[0.0, 1e-20], [1e20, 0.0]][i][j], |j| j as f64 + 1.0);
    }

    #[test]
    fn ranks_are_reported() {
        let mut lu = Lu { matrix: vec![1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 1.0, 1.0], ..Lu::new(3) };
        assert_eq!(lu.factorise(), Err(Deficient { rank: 2, of: 3 }));
        let mut lu = Lu { matrix: vec![0.0, 1.0, 0.0, 0.0], ..Lu::new(2) };
        assert_eq!(lu.factorise(), Err(Deficient { rank: 1, of: 2 }));
        let mut lu = Lu { matrix: vec![0.0; 4], ..Lu::new(2) };
        assert_eq!(lu.factorise(), Err(Deficient { rank: 0, of: 2 }));
        let mut lu = Lu { matrix: vec![f64::NAN, 0.0, 0.0, 1.0], ..Lu::new(2) };
        assert!(lu.factorise().is_err());
    }
}
