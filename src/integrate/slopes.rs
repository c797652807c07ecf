//! Jacobian matrices as implicit methods use them: compiled slopes, laid out as dense matrices.

use std::time::Duration;

use crate::codegen::compiled::{self, Backend, Caller, CompiledKernel, Options};
use crate::codegen::interpret::{Banks, Failure};
use crate::codegen::jacobian::Jacobian;

/// Operations beyond which slopes are compiled instantly: they are called once in several steps.
const LARGE: usize = 2000;

/// The compiled Jacobian matrix of a kernel.
#[derive(Clone)]
pub struct CompiledSlopes {
    kernel: CompiledKernel,
    entries: Vec<(usize, usize)>,
    n_rows: usize,
    n_columns: usize,
    links: Vec<Option<usize>>,
}

/// Evaluates slopes. Not shared between threads; making one is cheap.
pub struct Slopes {
    caller: Caller,
    entries: Vec<(usize, usize)>,
    n_columns: usize,
    values: Vec<f64>,
    evaluations: u64,
}

impl CompiledSlopes {
    /// `pivoted`: linear systems exchange rows.
    pub fn new(jacobian: Jacobian, options: Options, pivoted: bool) -> CompiledSlopes {
        let instant = options.backend == Backend::OptimisedCode && jacobian.kernel.n_operations() > LARGE;
        let options = if instant { Options { backend: Backend::InstantCode, ..options } } else { options };
        let links = links(&jacobian);
        let Jacobian { kernel, entries, n_rows, n_columns } = jacobian;
        let kernel =
            if pivoted { compiled::compile_pivoted(kernel, options) } else { compiled::compile(kernel, options) };
        CompiledSlopes { kernel, entries, n_rows, n_columns, links }
    }

    pub fn compile_time(&self) -> Duration {
        self.kernel.compile_time()
    }

    /// Places that may differ from 0, row by row.
    pub fn entries(&self) -> &[(usize, usize)] {
        &self.entries
    }

    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// For each output the input that it follows, with a slope of 1, when there is no other on which it depends: q of q' = v.
    pub fn links(&self) -> &[Option<usize>] {
        &self.links
    }

    /// Operations of one evaluation.
    pub fn n_operations(&self) -> usize {
        self.kernel.executed().n_operations()
    }

    /// Working memory for evaluations from one thread.
    pub fn caller(&self) -> Slopes {
        Slopes {
            caller: self.kernel.caller(),
            entries: self.entries.clone(),
            n_columns: self.n_columns,
            values: vec![0.0; self.entries.len()],
            evaluations: 0,
        }
    }
}

fn links(jacobian: &Jacobian) -> Vec<Option<usize>> {
    let mut links = vec![None; jacobian.n_rows];
    let outputs = jacobian.kernel.outputs().iter().map(|output| jacobian.kernel.constant(output.value));
    let entries: Vec<((usize, usize), Option<f64>)> = jacobian.entries.iter().copied().zip(outputs).collect();
    for row in entries.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
        if let [((i, j), Some(1.0))] = row {
            links[*i] = Some(*j);
        }
    }
    links
}

impl Slopes {
    /// The matrix, row by row. All its values are finite, or there is a failure.
    pub fn evaluate(&mut self, banks: Banks, matrix: &mut [f64]) -> Result<(), Failure> {
        self.evaluations += 1;
        self.caller.call(banks, &mut self.values)?;
        matrix.fill(0.0);
        for ((i, j), value) in self.entries.iter().zip(&self.values) {
            matrix[i * self.n_columns + j] = *value;
        }
        Ok(())
    }

    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}
