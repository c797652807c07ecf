//! Newton's method for the equations of one step.
//!
//! ```text
//! x ← x − (∂F/∂x)⁻¹ F(x)
//! ```
//!
//! The equations of a geometric method are solved until rounding stops the corrections from becoming smaller: an iteration
//! that ends earlier leaves an error in the same direction at every step, and the energy drifts (Hairer, Lubich and Wanner,
//! *Geometric Numerical Integration*, §VIII.6).

use crate::codegen::interpret::Failure;

use super::lu::Deficient;

/// Why the equations of a step were not solved.
#[derive(Clone, PartialEq, Debug)]
pub enum Unsolved {
    /// The corrections do not become smaller: the step is too long for the equations, or they have no solution there.
    NotConverging,
    /// The matrix of the equations is singular at rounding level.
    Singular(Deficient),
    /// The equations have no value at an iterate.
    NoValue(Failure),
}

impl std::fmt::Display for Unsolved {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Unsolved::NotConverging => write!(f, "the corrections of Newton's method do not become smaller"),
            Unsolved::Singular(Deficient { rank, of }) => {
                write!(f, "their matrix has rank {rank} instead of {of}")
            }
            Unsolved::NoValue(failure) => write!(f, "{failure}"),
        }
    }
}

/// Corrections after which an iteration that still makes progress is given up.
const MOST: u32 = 60;

/// Corrections that stop shrinking below this size, relative to the unknowns, are rounding errors, which a matrix that is not
/// well conditioned makes larger.
const NOISE: f64 = 1e-10;

/// A thousandth of a rounding error: what is left does not matter, even if it always has the same sign.
const NOTHING: f64 = 1e-3 * f64::EPSILON;

/// A decrease by more than this factor is progress.
const PROGRESS: f64 = 0.9;

/// Watches the corrections of an iteration that is to end at rounding level.
#[derive(Clone, Copy, Debug)]
pub struct Convergence {
    last: f64,
    rate: f64,
    corrections: u32,
    /// The unknowns.
    size: f64,
}

/// What a correction says about the iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Go on.
    Nearer,
    /// The last correction was rounding.
    Solved,
    Lost,
}

impl Convergence {
    /// For unknowns of this size.
    pub fn new(size: f64) -> Convergence {
        Convergence { last: f64::INFINITY, rate: 0.0, corrections: 0, size }
    }

    /// Looks at the size of the next correction, which has been made.
    pub fn after(&mut self, correction: f64) -> Progress {
        self.corrections += 1;
        if correction == 0.0 {
            return Progress::Solved;
        }
        let slower = !(correction < PROGRESS * self.last);
        self.rate = if self.corrections > 1 { correction / self.last } else { 0.0 };
        self.last = correction;
        let relative = correction / self.size;
        match () {
            // Small corrections that do not shrink any more are rounding, and so is what is left after a smaller one.
            () if slower && relative <= NOISE => Progress::Solved,
            () if self.corrections > 1 && relative * self.rate <= NOTHING => Progress::Solved,
            () if slower && self.corrections > 3 || self.corrections >= MOST || !correction.is_finite() => {
                Progress::Lost
            }
            () => Progress::Nearer,
        }
    }

    /// The last correction over the one before; 0 as long as there is one.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::lu::Lu;

    /// Newton's method for F(x) = 0; the number of corrections.
    fn solve(x: &mut [f64], f: impl Fn(&[f64], &mut [f64], &mut [f64])) -> Result<u32, Unsolved> {
        let (mut residual, mut lu) = (vec![0.0; x.len()], Lu::new(x.len()));
        let largest = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut convergence = Convergence::new(largest(x));
        loop {
            f(x, &mut residual, &mut lu.matrix);
            lu.factorise().map_err(Unsolved::Singular)?;
            lu.solve(&mut residual);
            x.iter_mut().zip(&residual).for_each(|(x, d)| *x -= d);
            match convergence.after(largest(&residual)) {
                Progress::Nearer => {}
                Progress::Solved => return Ok(convergence.corrections),
                Progress::Lost => return Err(Unsolved::NotConverging),
            }
        }
    }

    /// x² + y² = 25, x y = 12 near (2.5, 4.5) is (3, 4).
    #[test]
    fn solutions_are_found_to_rounding() {
        let mut x = [2.5, 4.5];
        let corrections = solve(&mut x, |x, residual, matrix| {
            residual.copy_from_slice(&[x[0] * x[0] + x[1] * x[1] - 25.0, x[0] * x[1] - 12.0]);
            matrix.copy_from_slice(&[2.0 * x[0], 2.0 * x[1], x[1], x[0]]);
        });
        assert!(corrections.as_ref().is_ok_and(|n| *n <= 9), "{corrections:?}");
        assert!((x[0] - 3.0).abs() < 1e-15 && (x[1] - 4.0).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn what_cannot_be_solved_is_named() {
        // x² + 1 = 0.
        let nowhere = solve(&mut [0.7], |x, residual, matrix| {
            residual[0] = x[0] * x[0] + 1.0;
            matrix[0] = 2.0 * x[0];
        });
        assert_eq!(nowhere, Err(Unsolved::NotConverging));
        let twice = solve(&mut [0.7, 0.1], |x, residual, matrix| {
            residual.copy_from_slice(&[x[0] + x[1], x[0] + x[1] - 1.0]);
            matrix.fill(1.0);
        });
        assert_eq!(twice, Err(Unsolved::Singular(Deficient { rank: 1, of: 2 })));
    }
}
