//! Motions that live on a submanifold, and stay on it.
//!
//! The field of a singular system is tangent to its final constraint submanifold g = 0 at the points of that set and
//! nowhere else (Krupková §7). A numerical motion leaves it by the error of every step, and beside it the field may lead
//! further away. So g is looked at after every step; when it exceeds the tolerance, measured by the terms it is made of,
//! the state moves to the nearest one on the set,
//!
//! ```text
//! y ← y − Jᵀ (J Jᵀ)⁻¹ g(y),      J = ∂g/∂y,      until |gᵢ| ≤ 10⁻³ τ (1 + Σⱼ |∂gᵢ/∂yⱼ| |yⱼ|),
//! ```
//!
//! which changes it by no more than the error that was allowed (Hairer, Lubich and Wanner, *Geometric Numerical
//! Integration*, §IV.4: projection does not lower the order of a method). A state that cannot be brought back, or only by
//! a change that is no error of a step, ends the run with the equation that fails.

use crate::codegen::compiled::{Caller, CompiledKernel};
use crate::codegen::ir::Shape;
use crate::codegen::linear;

use super::control::StopReason;
use super::problem::InitialValueProblem;
use super::stepper::Stepper;

/// Equations on the state: outputs are the equations, named by their text, then their slopes, row by row.
#[derive(Clone)]
pub struct Surface {
    pub kernel: CompiledKernel,
    pub n_equations: usize,
}

/// Keeps a run on its surface.
pub struct SurfaceWatch<'a> {
    surface: &'a Surface,
    caller: Caller,
    parameters: &'a [f64],
    tolerance: f64,
    n: usize,
    out: Vec<f64>,
    state: Vec<f64>,
}

/// Newton steps after which a state counts as lost.
const ATTEMPTS: usize = 8;

/// A larger change of a state, relative to 1 + |y|, is no error of a step.
const LARGEST_CHANGE: f64 = 1e-2;

impl<'a> SurfaceWatch<'a> {
    pub fn new(surface: &'a Surface, problem: &'a InitialValueProblem) -> SurfaceWatch<'a> {
        let n = problem.state.len();
        SurfaceWatch {
            surface,
            caller: surface.kernel.caller(),
            parameters: &problem.parameters,
            tolerance: problem.tolerance.relative.max(problem.tolerance.absolute),
            n,
            out: vec![0.0; surface.kernel.kernel().outputs().len()],
            state: vec![0.0; n],
        }
    }

    /// Brings the state after a step back when it has drifted.
    pub fn look(&mut self, stepper: &mut impl Stepper) -> Result<(), StopReason> {
        let t = stepper.time();
        self.state.copy_from_slice(stepper.state());
        if self.excess(t)?.is_none_or(|(_, excess)| excess <= 1.0) {
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            self.correct();
            let change = |(new, old): (&f64, &f64)| (new - old).abs() / (1.0 + old.abs());
            let largest = self.state.iter().zip(stepper.state()).map(change).fold(0.0f64, f64::max);
            if !(largest <= LARGEST_CHANGE) {
                break;
            }
            if self.excess(t)?.is_none_or(|(_, excess)| excess <= 1e-3) {
                stepper.replace(&self.state);
                return Ok(());
            }
        }
        self.state.copy_from_slice(stepper.state());
        match self.excess(t)? {
            Some((i, _)) => {
                let expression = self.surface.kernel.kernel().outputs()[i].name.clone();
                Err(StopReason::LeftSurface { expression, value: self.out[i] })
            }
            None => Ok(()),
        }
    }

    /// The equation that is violated most, in units of the tolerance.
    fn excess(&mut self, t: f64) -> Result<Option<(usize, f64)>, StopReason> {
        let banks = [&[t][..], &self.state, self.parameters, &[]];
        self.caller.call(banks, &mut self.out).map_err(|failure| StopReason::SingularPoint { failure })?;
        let k = self.surface.n_equations;
        let size = |i: usize| {
            let slopes = &self.out[k + i * self.n..k + (i + 1) * self.n];
            1.0 + slopes.iter().zip(&self.state).map(|(s, y)| (s * y).abs()).sum::<f64>()
        };
        let violated = (0..k).map(|i| (i, self.out[i].abs() / (self.tolerance * size(i))));
        Ok(violated.max_by(|a, b| a.1.total_cmp(&b.1)))
    }

    /// One step of Newton's method, the shortest that there is.
    fn correct(&mut self) {
        let (k, n) = (self.surface.n_equations, self.n);
        let (g, slopes) = self.out.split_at(k);
        let row = |i: usize| &slopes[i * n..(i + 1) * n];
        let mut gram: Vec<f64> =
            (0..k * k).map(|e| row(e / k).iter().zip(row(e % k)).map(|(a, b)| a * b).sum()).collect();
        // Equations may repeat each other; a trace of the identity decides between them.
        let trace: f64 = (0..k).map(|i| gram[i * k + i]).sum();
        (0..k).for_each(|i| gram[i * k + i] += 1e-13 * trace);
        let mut lambda = g.to_vec();
        linear::solve(Shape::Symmetric, k, &mut gram, &mut lambda, &mut vec![0.0; linear::scratch_len(k)]);
        for (j, y) in self.state.iter_mut().enumerate() {
            *y -= (0..k).map(|i| slopes[i * n + j] * lambda[i]).sum::<f64>();
        }
    }
}
