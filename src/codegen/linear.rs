//! Linear systems solved while a kernel runs, when they are too large to be unrolled or need pivoting.
//!
//! A symmetric matrix is tried as a definite one first: `U = D Lᵀ` by rows, accepted as long as every pivot keeps
//! the sign of the first and does not fall below [`DEFINITE`] of its diagonal entry. For a definite matrix this
//! elimination is stable without exchanges (Higham, *Accuracy and Stability of Numerical Algorithms*, §10.1);
//! mass matrices and their negatives take this path. Everything else is `P A = L U` with scaled partial pivoting.
//!
//! A pivot that vanishes against its column means that the system has no unique solution at rounding level;
//! the solution is then NaN in every component, and the run that asked ends at a singular point.

use super::ir::Shape;

/// A definite pivot must exceed this fraction of its diagonal entry.
pub const DEFINITE: f64 = 1.0 / (1u64 << 46) as f64;

/// How many doubles [`solve`] needs besides matrix and right-hand sides.
pub fn scratch_len(n: usize) -> usize {
    2 * n
}

/// Replaces every column of n numbers in `b` by the solution of `A x = b`; destroys `a`. Says whether there is a
/// unique solution.
#[inline(always)]
pub fn solve(shape: Shape, n: usize, a: &mut [f64], b: &mut [f64], scratch: &mut [f64]) -> bool {
    let solved = shape == Shape::Symmetric && definite(n, a, b, scratch) || pivoted(n, a, b, scratch);
    if !solved {
        b.fill(f64::NAN);
    }
    solved
}

/// Pivots whose rows are subtracted together: every row below is read and written once for all of them.
const BLOCK: usize = 4;

/// Entries that are made side by side.
const LANES: usize = 4;

/// The definite elimination on the upper triangle. On failure the matrix and `b` are as they were before.
#[inline(always)]
fn definite(n: usize, a: &mut [f64], b: &mut [f64], scratch: &mut [f64]) -> bool {
    let (diagonal, rest) = scratch.split_at_mut(n);
    let reciprocal = &mut rest[..n];
    for i in 0..n {
        diagonal[i] = a[i * n + i];
    }
    let sign = if diagonal.first().is_some_and(|x| *x < 0.0) { -1.0 } else { 1.0 };
    let mut accepted = true;
    let mut end = 0;
    'elimination: while end < n {
        let first = end;
        end = (first + BLOCK).min(n);
        let (above, below) = a.split_at_mut(end * n);
        let block = &mut above[first * n..];
        for j in first..end {
            let (known, others) = block.split_at_mut((j - first + 1) * n);
            let row = &known[(j - first) * n..];
            let pivot = row[j];
            let margin = (-DEFINITE).mul_add(diagonal[j], pivot);
            // Also refuses NaN.
            if !(margin * sign > 0.0) {
                accepted = false;
                break 'elimination;
            }
            reciprocal[j] = 1.0 / pivot;
            for (i, target) in (j + 1..end).zip(others.chunks_exact_mut(n)) {
                add_multiples(&mut target[i..], [-(row[i] * reciprocal[j])], [&row[i..]]);
            }
        }
        // A shorter block is the last one.
        for (i, target) in (end..n).zip(below.chunks_exact_mut(n)) {
            let rows: [&[f64]; BLOCK] = std::array::from_fn(|j| &block[j * n + i..(j + 1) * n]);
            let factors = std::array::from_fn(|j| -(rows[j][0] * reciprocal[first + j]));
            add_multiples(&mut target[i..], factors, rows);
        }
    }
    if !accepted {
        for i in 0..n {
            a[i * n + i] = diagonal[i];
            for j in 0..i {
                a[j * n + i] = a[i * n + j];
            }
        }
        return false;
    }
    for b in b.chunks_exact_mut(n) {
        for j in 0..n {
            let scaled = -(b[j] * reciprocal[j]);
            add_multiples(&mut b[j + 1..], [scaled], [&a[j * n + j + 1..(j + 1) * n]]);
        }
        for i in (0..n).rev() {
            let (unknown, known) = b.split_at_mut(i + 1);
            let row = &a[i * n + i + 1..(i + 1) * n];
            // The number that was found last comes last, so that nothing else waits for it.
            let sum = row.iter().zip(known).rev().fold(unknown[i], |sum, (a, x)| (-a).mul_add(*x, sum));
            unknown[i] = sum * reciprocal[i];
        }
    }
    true
}

/// y ← y + Σ fⱼ rⱼ, one after the other.
#[inline(always)]
fn add_multiples<const N: usize>(y: &mut [f64], factors: [f64; N], rows: [&[f64]; N]) {
    let n = y.len();
    let mut rows = rows.map(|row| row[..n].chunks_exact(LANES));
    let mut targets = y.chunks_exact_mut(LANES);
    for y in &mut targets {
        let mut sums: [f64; LANES] = std::array::from_fn(|lane| y[lane]);
        for (factor, row) in factors.iter().zip(&mut rows) {
            if let Some(row) = row.next() {
                for lane in 0..LANES {
                    sums[lane] = factor.mul_add(row[lane], sums[lane]);
                }
            }
        }
        y.copy_from_slice(&sums);
    }
    let rest = rows.map(|row| row.remainder());
    for (k, y) in targets.into_remainder().iter_mut().enumerate() {
        for (factor, row) in factors.iter().zip(rest) {
            *y = factor.mul_add(row[k], *y);
        }
    }
}

/// Gaussian elimination with row exchanges; rows are compared relative to their largest entry.
#[inline(always)]
fn pivoted(n: usize, a: &mut [f64], b: &mut [f64], scratch: &mut [f64]) -> bool {
    let (scale, rest) = scratch.split_at_mut(n);
    let (column, _) = rest.split_at_mut(n);
    column.fill(0.0);
    for i in 0..n {
        let row = &a[i * n..(i + 1) * n];
        let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        scale[i] = 1.0 / largest;
        for (c, x) in column.iter_mut().zip(row) {
            *c = c.max(x.abs() * scale[i]);
        }
    }
    let rounding = 8.0 * n as f64 * f64::EPSILON;
    for j in 0..n {
        let mut best = j;
        let mut size = -1.0;
        for i in j..n {
            let candidate = a[i * n + j].abs() * scale[i];
            if candidate > size {
                (best, size) = (i, candidate);
            }
        }
        if !(size > rounding * column[j]) {
            return false;
        }
        if best != j {
            for k in 0..n {
                a.swap(j * n + k, best * n + k);
            }
            b.chunks_exact_mut(n).for_each(|b| b.swap(j, best));
            scale.swap(j, best);
        }
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row = &above[j * n..];
        let reciprocal = 1.0 / row[j];
        for i in j + 1..n {
            let target = &mut below[(i - j - 1) * n..(i - j) * n];
            let l = -(target[j] * reciprocal);
            for k in j + 1..n {
                target[k] = l.mul_add(row[k], target[k]);
            }
            for b in b.chunks_exact_mut(n) {
                b[i] = l.mul_add(b[j], b[i]);
            }
        }
    }
    for b in b.chunks_exact_mut(n) {
        for i in (0..n).rev() {
            let mut x = b[i];
            for k in i + 1..n {
                x = (-a[i * n + k]).mul_add(b[k], x);
            }
            b[i] = x / a[i * n + i];
        }
    }
    b.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shape: Shape, n: usize, a: &[f64], b: &[f64], expected: Option<&[f64]>) {
        let (mut m, mut x) = (a.to_vec(), b.to_vec());
        let solved = solve(shape, n, &mut m, &mut x, &mut vec![0.0; scratch_len(n)]);
        assert_eq!(solved, expected.is_some());
        match expected {
            Some(e) => x.iter().zip(e).for_each(|(x, e)| assert!((x - e).abs() <= 1e-13 * (1.0 + e.abs()), "{x} {e}")),
            None => assert!(x.iter().all(|x| x.is_nan())),
        }
    }

    #[test]
    fn small_systems() {
        check(Shape::Symmetric, 2, &[4.0, 1.0, 1.0, 3.0], &[1.0, 2.0], Some(&[1.0 / 11.0, 7.0 / 11.0]));
        check(Shape::Symmetric, 2, &[-4.0, -1.0, -1.0, -3.0], &[-1.0, -2.0], Some(&[1.0 / 11.0, 7.0 / 11.0]));
        // Indefinite with a zero diagonal: falls back to exchanges.
        check(Shape::Symmetric, 2, &[0.0, 1.0, 1.0, 0.0], &[3.0, 5.0], Some(&[5.0, 3.0]));
        check(
            Shape::General,
            3,
            &[0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 4.0],
            &[2.0, 3.0, 8.0],
            Some(&[3.0, 1.0, 2.0]),
        );
    }

    #[test]
    fn one_factorisation_serves_all_columns() {
        let inverse = [3.0 / 11.0, -1.0 / 11.0, -1.0 / 11.0, 4.0 / 11.0];
        for shape in [Shape::Symmetric, Shape::General] {
            check(shape, 2, &[4.0, 1.0, 1.0, 3.0], &[1.0, 0.0, 0.0, 1.0], Some(&inverse));
        }
    }

    #[test]
    fn singular_systems_are_refused() {
        check(Shape::General, 2, &[1.0, 2.0, 2.0, 4.0], &[1.0, 1.0], None);
        check(Shape::Symmetric, 3, &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[1.0, 1.0, 1.0], None);
        check(Shape::General, 1, &[0.0], &[1.0], None);
        check(Shape::General, 2, &[f64::NAN, 0.0, 0.0, 1.0], &[1.0, 1.0], None);
    }

    /// Units differ by many orders of magnitude in one mass matrix; that is not singular.
    #[test]
    fn badly_scaled_systems_are_solved() {
        check(Shape::General, 2, &[1e-30, 0.0, 0.0, 1e30], &[1e-30, 1e30], Some(&[1.0, 1.0]));
        check(
            Shape::Symmetric,
            2,
            &[1e-20, 1e-11, 1e-11, 1.0],
            &[1e-20, 1.0],
            Some(&[(1e-20 - 1e-11) / 0.99e-20, (1.0 - 1e-11) / 0.99]),
        );
    }
}
