//! A whole step of an explicit method as one kernel: all stages of a small field, their sums, the new state and the error.
//!
//! A step that calls the field a dozen times passes every stage through memory. For a small field that costs more than the
//! field itself; inlined, stages stay in registers. For a large one the inlined code would not fit into the instruction
//! cache, and the calls are faster: [`worth_while`] draws the line.
//!
//! The kernel does the operations of [`super::explicit`], in the same order and with the same roundings, so that it makes no
//! difference to a result which of the two was used; a test compares the bits.
//!
//! ```text
//! bank       entries
//! time       t, h, t + h
//! state      y, what rounding took from y, f(t, y)
//! parameter  those of the field
//! extra      the decisions of the field, absolute tolerances, relative tolerance
//! outputs    y′, what rounding took from y′, f(t + h, y′), two sums of squared errors, the stages after the first
//! ```

use crate::codegen::compiled::{self, Caller, CompiledKernel};
use crate::codegen::ir::{Bank, Comparison, Input, Kernel, KernelBuilder, Op, Unary, Value};

use super::tableau::{Estimate, Tableau};

/// The lanes over which [`super::explicit`] spreads its sums of squares.
const LANES: usize = 8;

/// Bytes of machine code that stay in the instruction cache together with their surroundings.
pub const MAX_BYTES: usize = 26_000;

/// Whether the step of a compiled field is small enough to be compiled as a whole.
pub fn worth_while(tableau: &Tableau, field: &CompiledKernel) -> bool {
    let n = field.kernel().outputs().len();
    let weights: usize = tableau.a.iter().map(|row| row.iter().filter(|w| **w != 0.0).count()).sum();
    let sums = n * (weights + 40) * 8;
    field.code_size() > 0
        && field.executed().solves().is_empty()
        && (tableau.n_stages() + 1) * field.code_size() + sums <= MAX_BYTES
}

/// Compiles the step. The field is the executed one, guards included: when one fails, the step declines.
pub fn compile(tableau: &Tableau, field: &CompiledKernel, fused: bool) -> CompiledKernel {
    let kernel = step_kernel(tableau, field.executed(), fused);
    compiled::compile_as_it_is(kernel, field.options())
}

/// The kernel of one step.
pub fn step_kernel(tableau: &Tableau, field: &Kernel, fused: bool) -> Kernel {
    let n = field.outputs().len();
    let mut b = KernelBuilder::new("step");
    b.set_math(field.math);
    let t = b.input_at("t", Bank::Time, 0);
    let h = b.input_at("h", Bank::Time, 1);
    let states = |b: &mut KernelBuilder, name: &str, first: usize| -> Vec<Value> {
        (0..n).map(|i| b.input_at(&format!("{name}{i}"), Bank::State, (first + i) as u32)).collect()
    };
    let (y, rest, f) = (states(&mut b, "y", 0), states(&mut b, "rest", n), states(&mut b, "f", 2 * n));
    let uses = field.use_counts();
    let timed = field.values().any(|v| {
        let Op::Input(i) = field.op(v) else { return false };
        field.inputs()[i as usize].bank == Bank::Time && uses[v.index()] > 0
    });
    let modes = field.bank_len(Bank::Extra);
    let mut step = Step { b, field, fused, timed, h, y: y.clone(), modes, neighbours: Vec::new() };
    let mut k: Vec<Vec<Value>> = vec![f];
    for s in 1..tableau.n_stages() {
        let trial = step.combine(tableau.a[s], &k);
        let ts = step.time(t, tableau.c[s]);
        k.push(step.evaluate(ts, &trial));
    }
    // y + h Σ b k, compensated: Knuth's two-sum.
    let sums = step.weighted(tableau.b, &k);
    let columns: Vec<[Value; 7]> = (0..n)
        .map(|i| {
            let b = &mut step.b;
            let x = b.mul(h, sums[i]);
            let x = b.add(x, rest[i]);
            let value = b.add(y[i], x);
            let back = b.sub(value, y[i]);
            let (kept, off) = (b.sub(value, back), b.sub(x, back));
            let missing = b.sub(y[i], kept);
            [x, value, back, kept, off, missing, b.add(missing, off)]
        })
        .collect();
    for row in 0..7 {
        let values: Vec<Value> = columns.iter().map(|c| c[row]).collect();
        step.together(&values);
    }
    let (new, lost): (Vec<Value>, Vec<Value>) = columns.iter().map(|c| (c[1], c[6])).unzip();
    let end = step.b.input_at("end", Bank::Time, 2);
    // The next step waits for the error, so that comes first when it does not need the new slope.
    let (slope, squares) = match tableau.estimate {
        Estimate::None => (step.evaluate(end, &new), vec![]),
        Estimate::Difference(weights) => {
            let slope = step.evaluate(end, &new);
            k.push(slope.clone());
            let squares = step.squares(&[weights], &k, &new);
            (slope, squares)
        }
        Estimate::FiveAndThree(five, three) => {
            let squares = step.squares(&[five, three], &k, &new);
            (step.evaluate(end, &new), squares)
        }
    };
    let Step { mut b, neighbours, .. } = step;
    for (name, values) in [("y", new), ("rest", lost), ("f", slope)] {
        for (i, v) in values.into_iter().enumerate() {
            b.output(format!("{name}{i}"), v);
        }
    }
    let zero = b.constant(0.0);
    for i in 0..2 {
        b.output(format!("squares{i}"), squares.get(i).copied().unwrap_or(zero));
    }
    for (s, stage) in k[1..tableau.n_stages()].iter().enumerate() {
        for (i, v) in stage.iter().enumerate() {
            b.output(format!("k{}_{i}", s + 1), *v);
        }
    }
    let mut kernel = b.finish();
    kernel.one_chain = true;
    kernel.neighbours = neighbours;
    kernel
}

struct Step<'a> {
    b: KernelBuilder,
    field: &'a Kernel,
    fused: bool,
    /// The field depends on time.
    timed: bool,
    h: Value,
    y: Vec<Value>,
    modes: usize,
    neighbours: Vec<(Value, Value)>,
}

impl Step<'_> {
    fn multiply_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.fused {
            return self.b.fma(a, b, c);
        }
        let product = self.b.mul(a, b);
        self.b.add(product, c)
    }

    /// Components are neighbours two by two, positions and velocities apart.
    fn together(&mut self, values: &[Value]) {
        let half = if values.len().is_multiple_of(2) { values.len() / 2 } else { values.len() };
        for values in values.chunks(half.max(1)) {
            self.neighbours.extend(values.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        }
    }

    fn time(&mut self, t: Value, c: f64) -> Value {
        if !self.timed {
            return t;
        }
        let c = self.b.constant(c);
        let offset = self.b.mul(c, self.h);
        self.b.add(t, offset)
    }

    /// Σⱼ wⱼ kⱼ of every component, stage by stage, so that a weight is loaded once.
    fn weighted(&mut self, weights: &[f64], k: &[Vec<Value>]) -> Vec<Value> {
        let mut sums: Vec<Option<Value>> = vec![None; self.y.len()];
        for (&w, k) in weights.iter().zip(k) {
            if w != 0.0 {
                let w = self.b.constant(w);
                for (sum, &k) in sums.iter_mut().zip(k) {
                    *sum = Some(match *sum {
                        None => self.b.mul(w, k),
                        Some(sum) => self.multiply_add(w, k, sum),
                    });
                }
                let known: Vec<Value> = sums.iter().flatten().copied().collect();
                self.together(&known);
            }
        }
        sums.into_iter().map(|sum| sum.unwrap_or_else(|| self.b.constant(0.0))).collect()
    }

    /// y + h Σⱼ wⱼ kⱼ, the newest stage last.
    fn combine(&mut self, weights: &[f64], k: &[Vec<Value>]) -> Vec<Value> {
        let newest = weights.iter().rposition(|w| *w != 0.0).unwrap_or(0);
        let sums = self.weighted(&weights[..newest], k);
        let older = weights[..newest].iter().any(|w| *w != 0.0);
        let w = self.b.constant(weights[newest]);
        let hw = self.b.mul(self.h, w);
        let bases: Vec<Value> = (0..self.y.len())
            .map(|i| if older { self.multiply_add(self.h, sums[i], self.y[i]) } else { self.y[i] })
            .collect();
        self.together(&bases);
        let trial: Vec<Value> = (0..self.y.len()).map(|i| self.multiply_add(hw, k[newest][i], bases[i])).collect();
        self.together(&trial);
        trial
    }

    fn evaluate(&mut self, t: Value, y: &[Value]) -> Vec<Value> {
        let k = self.b.inline(self.field, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Time => t,
            Bank::State => y[input.slot as usize],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        self.together(&k);
        k
    }

    /// Σᵢ (eᵢ/scaleᵢ)², spread over lanes, for errors with each of these weights.
    fn squares(&mut self, weights: &[&[f64]], k: &[Vec<Value>], new: &[Value]) -> Vec<Value> {
        let n = self.y.len();
        let relative = self.b.input_at("relative", Bank::Extra, (self.modes + n) as u32);
        let one = self.b.constant(1.0);
        let errors: Vec<Vec<Value>> = weights.iter().map(|w| self.weighted(w, k)).collect();
        let columns: Vec<[Value; 4]> = (0..n)
            .map(|i| {
                let (a, b) = (self.b.unary(Unary::Abs, self.y[i]), self.b.unary(Unary::Abs, new[i]));
                // NaN in the new state reaches the result.
                let size = self.b.select(Comparison::Lt, b, a, a, b);
                let absolute = self.b.input_at("absolute", Bank::Extra, (self.modes + i) as u32);
                let scale = self.multiply_add(relative, size, absolute);
                [a, b, scale, self.b.div(one, scale)]
            })
            .collect();
        for row in 0..4 {
            let values: Vec<Value> = columns.iter().map(|c| c[row]).collect();
            self.together(&values);
        }
        let inverses: Vec<Value> = columns.iter().map(|c| c[3]).collect();
        errors.into_iter().map(|e| self.sum_of_squares(&e, &inverses)).collect()
    }

    fn sum_of_squares(&mut self, errors: &[Value], inverses: &[Value]) -> Value {
        let mut total: [Option<Value>; LANES] = [None; LANES];
        let scaled: Vec<Value> = errors.iter().zip(inverses).map(|(&e, &inverse)| self.b.mul(e, inverse)).collect();
        self.together(&scaled);
        for (i, &scaled) in scaled.iter().enumerate() {
            let lane = &mut total[i % LANES];
            *lane = Some(match *lane {
                None => self.b.mul(scaled, scaled),
                Some(sum) => self.multiply_add(scaled, scaled, sum),
            });
        }
        let b = &mut self.b;
        let mut add = |x: Option<Value>, y: Option<Value>| match (x, y) {
            (Some(x), Some(y)) => Some(b.add(x, y)),
            (x, y) => x.or(y),
        };
        let [t0, t1, t2, t3, t4, t5, t6, t7] = total;
        let (p, q, r, s) = (add(t0, t4), add(t1, t5), add(t2, t6), add(t3, t7));
        let (left, right) = (add(p, q), add(r, s));
        let all = add(left, right);
        all.unwrap_or_else(|| self.b.constant(0.0))
    }
}

/// A compiled step at work: what goes in is what came out of the step before.
pub struct WholeStep {
    caller: Caller,
    n: usize,
    input: Vec<f64>,
    output: Vec<f64>,
    extra: Vec<f64>,
    /// The input is the state where the last step ended.
    pub fresh: bool,
}

impl WholeStep {
    pub fn new(kernel: &CompiledKernel, n: usize, absolute: &[f64], relative: f64) -> WholeStep {
        let n_outputs = kernel.kernel().outputs().len();
        let mut extra = absolute[..n].to_vec();
        extra.push(relative);
        WholeStep {
            caller: kernel.caller(),
            n,
            input: vec![0.0; n_outputs],
            output: vec![0.0; n_outputs],
            extra,
            fresh: false,
        }
    }

    /// Other decisions of the field.
    pub fn set_modes(&mut self, modes: &[f64]) {
        let tolerances = self.extra.split_off(self.extra.len() - self.n - 1);
        self.extra = [modes, &tolerances].concat();
    }

    /// The state to start from, unless the last step ended there.
    pub fn start(&mut self, y: &[f64], rest: &[f64], f: &[f64]) {
        let n = self.n;
        self.input[..n].copy_from_slice(&y[..n]);
        self.input[n..2 * n].copy_from_slice(&rest[..n]);
        self.input[2 * n..3 * n].copy_from_slice(&f[..n]);
        self.fresh = true;
    }

    /// Makes a trial step. The result is the two sums of squares; `None` when the field declined or has no value.
    #[inline(always)]
    pub fn attempt(&mut self, [t, h, end]: [f64; 3], parameters: &[f64]) -> Option<[f64; 2]> {
        let n = self.n;
        let accepted =
            self.caller.call_fast([&[t, h, end], &self.input[..3 * n], parameters, &self.extra], &mut self.output);
        let slopes = &self.output[2 * n..3 * n];
        let finite = slopes.iter().fold(0.0, |sum, x| sum + 0.0 * x) == 0.0;
        (accepted && finite).then(|| [self.output[3 * n], self.output[3 * n + 1]])
    }

    /// The last trial becomes the state.
    #[inline(always)]
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.input, &mut self.output);
    }

    /// The state, what rounding took from it, its slope.
    pub fn state(&self) -> [&[f64]; 3] {
        self.parts(&self.input)
    }

    /// The same where the last step began; right after that step.
    pub fn state_before(&self) -> [&[f64]; 3] {
        self.parts(&self.output)
    }

    fn parts<'a>(&self, numbers: &'a [f64]) -> [&'a [f64]; 3] {
        let n = self.n;
        [&numbers[..n], &numbers[n..2 * n], &numbers[2 * n..3 * n]]
    }

    /// Stage `s ≥ 1` of the last accepted step.
    pub fn stage(&self, s: usize) -> &[f64] {
        let first = 3 * self.n + 2 + (s - 1) * self.n;
        &self.input[first..first + self.n]
    }
}
