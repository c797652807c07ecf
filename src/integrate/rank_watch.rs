//! The rank of holonomic constraints along a motion.
//!
//! The differentials F of the constraints are independent where a motion is determined by its multipliers. Where all bars of a
//! mechanism lie in one line they may be dependent for a moment, and the directions in which it could go are more than one; but the
//! motion that comes there is analytic, and goes on as one curve. With the smallest singular value σ of F and its vectors, F w = σ u,
//! that continue analytically, σ changes its sign there:
//!
//! ```text
//! w before · w behind < 0      for u before · u behind > 0.
//! ```
//!
//! Close to such a place rounding is magnified by 1/σ, and steps that are chosen by their error become shorter and shorter. So a step that
//! ends where σ is a small part of what it was at its beginning is made a little longer, to the other side: the polynomial of the
//! step, made where σ was large, reaches as far. A projection there that is no error of a step ends the run.
//!
//! Constraints that are redundant at the start have to stay so: where their rank becomes larger, the start was such a place, and the
//! motion is not determined by what was known there.

use super::surface::Level;

/// Follows the rank of one level.
#[derive(Clone, Debug)]
pub struct RankWatch {
    k: usize,
    width: usize,
    /// The rank at the first look, the smallest pivot of it, and what the rows are multiplied by, so that they have length 1 there.
    rank: Option<(usize, f64)>,
    scales: Vec<f64>,
    /// The singular vectors of the smallest singular value, that value, and the time, at the last look.
    last: Option<(Vec<f64>, Vec<f64>, f64, f64)>,
    /// A time at which σ seems to have changed its sign, and its size before and behind.
    passed: Option<(f64, f64)>,
}

/// Squares of singular values below this fraction of the largest are 0 at the start.
const ZERO: f64 = 1e-11;

/// Those above it are not.
const NONZERO: f64 = 1e-7;

/// A step that takes σ to a smaller part of its value goes on to the other side.
const SHORT_OF: f64 = 0.13;

/// So far behind the place, in lengths of the step.
const BEHIND: f64 = 0.15;

/// Whether the rank of a level may change for a moment.
pub fn is_watched(level: &Level) -> bool {
    level.is_of_positions && level.n_equations() > 1
}

/// The pivots of a symmetric matrix, the largest first, and their rows.
pub fn pivots(mut gram: Vec<f64>, k: usize) -> (Vec<f64>, Vec<usize>) {
    let (mut pivots, mut rows) = (vec![], vec![]);
    let mut left: Vec<usize> = (0..k).collect();
    while let Some(at) = (0..left.len()).max_by(|a, b| {
        let diagonal = |i: &usize| gram[left[*i] * k + left[*i]];
        diagonal(a).total_cmp(&diagonal(b))
    }) {
        let p = left.swap_remove(at);
        let pivot = gram[p * k + p];
        pivots.push(pivot);
        rows.push(p);
        if !(pivot > 0.0) {
            pivots.extend(left.iter().map(|_| 0.0));
            rows.extend(left);
            break;
        }
        for &i in &left {
            let factor = gram[i * k + p] / pivot;
            for &j in &left {
                gram[i * k + j] -= factor * gram[p * k + j];
            }
        }
    }
    (pivots, rows)
}

/// F Fᵀ, with multiplied rows.
fn gram(slopes: &[f64], scales: &[f64], width: usize) -> Vec<f64> {
    let k = scales.len();
    let row = |i: usize| &slopes[i * width..(i + 1) * width];
    let product = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum::<f64>();
    (0..k * k).map(|e| scales[e / k] * scales[e % k] * product(e / k, e % k)).collect()
}

/// What makes rows have length 1; rows of zeros stay.
fn scales(slopes: &[f64], width: usize) -> Vec<f64> {
    let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    slopes.chunks_exact(width).map(|row| Some(length(row)).filter(|l| *l > 0.0).map_or(1.0, |l| 1.0 / l)).collect()
}

/// The rows of F that span the others, in order, where the rest is 0 to rounding.
pub fn independent_rows(slopes: &[f64], k: usize, width: usize) -> Vec<usize> {
    let (pivots, rows) = pivots(gram(slopes, &scales(slopes, width), width), k);
    let least = ZERO * pivots.first().copied().unwrap_or(0.0);
    let mut kept: Vec<usize> = rows.into_iter().zip(pivots).filter(|(_, p)| *p > least).map(|(row, _)| row).collect();
    kept.sort_unstable();
    kept
}

impl RankWatch {
    pub fn new(level: &Level) -> RankWatch {
        RankWatch::of(level.n_equations(), level.columns.len())
    }

    fn of(k: usize, width: usize) -> RankWatch {
        RankWatch { k, width, rank: None, scales: vec![1.0; k], last: None, passed: None }
    }

    /// Whether the constraints are independent.
    pub fn is_full(&self) -> bool {
        self.rank.is_none_or(|(rank, _)| rank == self.k)
    }

    /// The vectors u and w of the smallest singular value, near those that were, and that value.
    fn vectors(&self, slopes: &[f64], guess: Vec<f64>) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let u = smallest(gram(slopes, &self.scales, self.width), self.k, guess)?;
        let entry = |j: usize| (0..self.k).map(|i| self.scales[i] * slopes[i * self.width + j] * u[i]).sum::<f64>();
        let mut w: Vec<f64> = (0..self.width).map(entry).collect();
        let sigma = w.iter().map(|x| x * x).sum::<f64>().sqrt();
        w.iter_mut().for_each(|x| *x /= sigma);
        (sigma > 0.0).then_some((u, w, sigma))
    }

    /// Where a step that ends close to a place of smaller rank should end instead: behind it.
    pub fn beyond(&self, t: f64, slopes: &[f64]) -> Option<f64> {
        let (u_before, w_before, sigma_before, t_before) = self.last.as_ref()?;
        let h = t - t_before;
        let Some((u, w, sigma)) = self.vectors(slopes, u_before.clone()) else { return Some(t + BEHIND * h) };
        if sigma > SHORT_OF * sigma_before || dot(&u, u_before) < 0.5 {
            return None;
        }
        match dot(&w, w_before) > 0.0 {
            true => {
                let ahead = sigma / (sigma_before - sigma);
                Some(t + (ahead + ahead.max(BEHIND)) * h)
            }
            // Behind it already, but not by much.
            false => (sigma < 0.3 * SHORT_OF * sigma_before).then_some(t + BEHIND * h),
        }
    }

    /// When σ seems to have passed 0 before the last look: a rod that makes half a turn in one step looks alike. The smaller of
    /// its values at the two ends comes with it.
    pub fn passed(&mut self) -> Option<(f64, f64)> {
        self.passed.take()
    }

    /// Whether F is smaller there than at the ends of the step.
    pub fn is_passage(&self, slopes: &[f64], sigma: f64) -> bool {
        let (pivots, _) = pivots(gram(slopes, &self.scales, self.width), self.k);
        pivots[self.k - 1] < 0.1 * sigma * sigma
    }

    /// Looks at the end of a step; false where the rank became larger than at the start.
    pub fn look(&mut self, t: f64, slopes: &[f64]) -> bool {
        if self.rank.is_none() {
            self.scales = scales(slopes, self.width);
        }
        let (pivots, _) = pivots(gram(slopes, &self.scales, self.width), self.k);
        let above = |least: f64| pivots.iter().filter(|p| **p > least * pivots[0]).count();
        let (rank, _) = *self.rank.get_or_insert_with(|| (above(ZERO), pivots[above(ZERO).max(1) - 1]));
        if rank < self.k {
            return above(NONZERO) <= rank;
        }
        let before = self.last.take();
        // Not the vector of ones: by symmetry it may be one of the others.
        let first = || (0..self.k).map(|i| 1.0 / (i + 1) as f64).collect();
        let guess = before.as_ref().map_or_else(first, |(u, ..)| u.clone());
        let Some((u, w, sigma)) = self.vectors(slopes, guess) else { return true };
        if let Some((u_before, w_before, sigma_before, t_before)) = before {
            // Vectors that turned by more than a third are not followed.
            if dot(&u, &u_before) > 0.5 && dot(&w, &w_before) < -0.5 {
                let place = t_before + (t - t_before) * sigma_before / (sigma_before + sigma);
                self.passed = Some((place, sigma_before.min(sigma)));
            }
        }
        self.last = Some((u, w, sigma, t));
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The vector of the smallest eigenvalue of a positive matrix near a guess, by inverse iteration.
fn smallest(mut matrix: Vec<f64>, k: usize, guess: Vec<f64>) -> Option<Vec<f64>> {
    // Cholesky: the lower triangle.
    for j in 0..k {
        for i in j..k {
            let sum: f64 = (0..j).map(|l| matrix[i * k + l] * matrix[j * k + l]).sum();
            let rest = matrix[i * k + j] - sum;
            if i == j {
                if !(rest > 0.0) {
                    return None;
                }
                matrix[j * k + j] = rest.sqrt();
            } else {
                matrix[i * k + j] = rest / matrix[j * k + j];
            }
        }
    }
    let mut u = guess.clone();
    for _ in 0..4 {
        for i in 0..k {
            let sum: f64 = (0..i).map(|l| matrix[i * k + l] * u[l]).sum();
            u[i] = (u[i] - sum) / matrix[i * k + i];
        }
        for i in (0..k).rev() {
            let sum: f64 = (i + 1..k).map(|l| matrix[l * k + i] * u[l]).sum();
            u[i] = (u[i] - sum) / matrix[i * k + i];
        }
        let length = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        u.iter_mut().for_each(|x| *x /= length);
    }
    let along: f64 = u.iter().zip(&guess).map(|(a, b)| a * b).sum();
    if along < 0.0 {
        u.iter_mut().for_each(|x| *x = -*x);
    }
    Some(u)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F = [[1, 0, 0], [cos a, sin a, 0]]: σ is proportional to a near 0, and changes its sign there.
    #[test]
    fn a_passage_is_noticed_at_its_time() {
        let mut watch = RankWatch::of(2, 3);
        let mut times = vec![];
        for i in -5..=6 {
            let a = f64::from(i) * 0.1 - 0.03;
            assert!(watch.look(a, &[1.0, 0.0, 0.0, a.cos(), a.sin(), 0.0]));
            times.extend(watch.passed());
        }
        assert_eq!(times.len(), 1);
        let (time, sigma) = times[0];
        assert!(time.abs() < 1e-3, "{times:?}");
        assert!(watch.is_passage(&[1.0, 0.0, 0.0, time.cos(), time.sin(), 0.0], sigma));
    }

    /// A step from σ = 1/2 that ends at σ = 0.02 goes on behind 0; one that ends at 0.2 does not.
    #[test]
    fn steps_do_not_end_close_to_a_passage() {
        let at = |a: f64| [1.0, 0.0, 0.0, a.cos(), a.sin(), 0.0];
        let mut watch = RankWatch::of(2, 3);
        watch.look(-0.7, &at(-0.7));
        assert_eq!(watch.beyond(-0.3, &at(-0.3)), None);
        let target = watch.beyond(-0.02, &at(-0.02)).unwrap();
        assert!(target > 0.05 && target < 0.2, "{target}");
        assert!(watch.beyond(0.0, &at(0.0)).is_some_and(|t| t > 0.05));
        assert!(watch.beyond(0.001, &at(0.001)).is_some_and(|t| t > 0.05));
        assert_eq!(watch.beyond(0.1, &at(0.1)), None);
    }

    #[test]
    fn rows_that_repeat_others_are_found_and_must_stay_so() {
        let rows = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 2.0, 0.0];
        assert_eq!(independent_rows(&rows, 3, 3).len(), 2);
        let mut watch = RankWatch::of(3, 3);
        assert!(watch.look(0.0, &rows));
        assert!(!watch.is_full());
        let mut other = rows;
        other[8] = 0.01;
        assert!(!watch.look(1.0, &other));
    }
}
