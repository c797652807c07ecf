//! The vector field as integrators call it.

use crate::codegen::compiled::{Caller, CompiledKernel};
use crate::codegen::interpret::Failure;
use crate::codegen::ir::Bank;

/// A compiled vector field together with the parameters of one run.
pub struct Field {
    caller: Caller,
    n: usize,
    time: [f64; 1],
    parameters: Vec<f64>,
    /// The decisions of a field with kinks.
    modes: Vec<f64>,
    evaluations: u64,
    /// Why the last careful evaluation failed.
    failure: Option<Failure>,
}

impl Field {
    pub fn new(kernel: &CompiledKernel, parameters: &[f64]) -> Field {
        Field {
            caller: kernel.caller(),
            n: kernel.kernel().outputs().len(),
            time: [0.0],
            parameters: parameters.to_vec(),
            modes: vec![1.0; kernel.kernel().bank_len(Bank::Extra)],
            evaluations: 0,
            failure: None,
        }
    }

    /// Continues with other code for the same kernel.
    pub fn continue_with(&mut self, kernel: &CompiledKernel) {
        self.caller = kernel.caller();
    }

    pub fn n(&self) -> usize {
        self.n
    }

    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    pub fn count(&mut self, evaluations: u64) {
        self.evaluations += evaluations;
    }

    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    pub fn modes(&self) -> &[f64] {
        &self.modes
    }

    pub fn set_modes(&mut self, modes: &[f64]) {
        self.modes.copy_from_slice(modes);
    }

    /// The failure of the last careful evaluation that failed, if any since the last call.
    pub fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// The fast evaluation. False when the result is not to be used; NaN goes unnoticed.
    #[inline(always)]
    pub fn evaluate_fast(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> bool {
        self.evaluations += 1;
        self.time[0] = t;
        self.caller.call_fast([&self.time, y, &self.parameters, &self.modes], dy)
    }

    /// The evaluation that always has an answer: finite numbers, or false and a failure.
    pub fn evaluate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> bool {
        self.evaluations += 1;
        self.time[0] = t;
        match self.caller.call([&self.time, y, &self.parameters, &self.modes], dy) {
            Ok(()) => true,
            Err(failure) => {
                self.failure = Some(failure);
                false
            }
        }
    }
}
