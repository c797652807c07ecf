//! A kernel that can be called.
//!
//! [`compile`] optimises a kernel, translates it if the host allows it, and returns a [`CompiledKernel`]: two
//! kernels, the fast one and the careful one, and perhaps machine code for the fast one. It can be shared
//! between threads; each thread calls it through its own [`Caller`], which owns the working memory.
//!
//! ```
//! use lepage::workshop::codegen::compiled::{compile, Options};
//! use lepage::workshop::codegen::ir::{Bank, KernelBuilder};
//!
//! let mut b = KernelBuilder::new("circle");
//! let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
//! let (xx, yy) = (b.mul(x, x), b.mul(y, y));
//! let sum = b.add(xx, yy);
//! let r = b.sqrt(sum);
//! b.output("r", r);
//! let kernel = compile(b.finish(), Options::default());
//! let mut r = [0.0];
//! kernel.caller().call([&[], &[3.0, 4.0], &[], &[]], &mut r).unwrap();
//! assert_eq!(r, [5.0]);
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::interpret::{self, Banks, Failure, FailureKind, Interpreter};
use super::ir::Kernel;
#[cfg(feature = "jit")]
use super::jit::{self, Lanes};
#[cfg(feature = "jit")]
use super::machine::{Code, Tier};
use super::optimise::{self, Rewrites};
use super::simd;

/// What executes a kernel. Every run reports it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Backend {
    /// The reference interpreter.
    Interpreter,
    /// Machine code with single-pass register allocation.
    InstantCode,
    /// Machine code with backtracking register allocation.
    OptimisedCode,
}

impl Backend {
    pub fn name(self) -> &'static str {
        match self {
            Backend::Interpreter => "interpreter",
            Backend::InstantCode => "machine code (instant)",
            Backend::OptimisedCode => "machine code",
        }
    }
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a kernel is to be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub backend: Backend,
    /// The same bits on every machine: no contraction, libm only.
    pub portable: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { backend: Backend::OptimisedCode, portable: false }
    }
}

impl Options {
    pub fn rewrites(&self) -> Rewrites {
        if self.portable { Rewrites::portable() } else { Rewrites::native() }
    }
}

/// What the last bits of a result depend on, besides the program: nothing where they are portable, else the processor.
pub fn arithmetic(options: Options) -> String {
    if options.portable {
        return "portable".to_string();
    }
    let instructions = match (simd::width(), simd::has_fma()) {
        (simd::Width::Eight, _) => " avx512 fma",
        (simd::Width::Four, _) => " avx2 fma",
        (simd::Width::Baseline, true) => " fma",
        (simd::Width::Baseline, false) => "",
    };
    let interpreter = if options.backend == Backend::Interpreter { " interpreter" } else { "" };
    let architecture = match () {
        _ if cfg!(target_arch = "x86_64") => "x86_64",
        _ if cfg!(target_arch = "aarch64") => "aarch64",
        _ => "another architecture",
    };
    format!("{architecture}{instructions}{interpreter}")
}

/// A kernel that may be called, owning the memory its code lives in.
#[derive(Clone)]
pub struct CompiledKernel(Arc<Inner>);

struct Inner {
    careful: Kernel,
    fast: Kernel,
    options: Options,
    backend: Backend,
    #[cfg(feature = "jit")]
    code: Option<Code>,
    #[cfg(feature = "jit")]
    pairs: std::sync::OnceLock<Option<Code>>,
    /// Loops over states and over pairs of states, made at the first request.
    #[cfg(feature = "jit")]
    loops: [std::sync::OnceLock<Option<Code>>; 2],
    /// Why there is no machine code although it was asked for.
    obstacle: Option<String>,
    compile_time: Duration,
    declined: AtomicU64,
}

/// Optimises and, where possible, translates a kernel. When machine code cannot be made, the interpreter stands
/// in, and [`CompiledKernel::backend`] and [`CompiledKernel::obstacle`] say so.
pub fn compile(kernel: Kernel, options: Options) -> CompiledKernel {
    let start = Instant::now();
    let fast = optimise::optimise(&kernel, options.rewrites());
    translate(kernel, fast, options, start)
}

/// The same with linear systems solved by exchanging rows, inside the machine code: for matrices that are not definite,
/// which the elimination of [`compile`] declines.
pub fn compile_pivoted(kernel: Kernel, options: Options) -> CompiledKernel {
    let start = Instant::now();
    let fast = optimise::optimise(&kernel, options.rewrites().pivoted());
    translate(kernel, fast, options, start)
}

/// Translates a kernel whose every operation and rounding is as it should be executed.
pub fn compile_as_it_is(kernel: Kernel, options: Options) -> CompiledKernel {
    translate(kernel.clone(), kernel, options, Instant::now())
}

fn translate(kernel: Kernel, fast: Kernel, options: Options, start: Instant) -> CompiledKernel {
    #[cfg(feature = "jit")]
    let (code, obstacle) = match options.backend {
        Backend::Interpreter => (None, None),
        wanted => match jit::compile(&fast, tier(wanted), Lanes::One) {
            Ok(code) => (Some(code), None),
            Err(error) => (None, Some(error.to_string())),
        },
    };
    #[cfg(feature = "jit")]
    let backend = if code.is_some() { options.backend } else { Backend::Interpreter };
    #[cfg(not(feature = "jit"))]
    let (backend, obstacle) = match options.backend {
        Backend::Interpreter => (Backend::Interpreter, None),
        Backend::InstantCode | Backend::OptimisedCode => {
            (Backend::Interpreter, Some("this build has no code generator".to_string()))
        }
    };
    CompiledKernel(Arc::new(Inner {
        careful: kernel,
        fast,
        options,
        backend,
        #[cfg(feature = "jit")]
        code,
        #[cfg(feature = "jit")]
        pairs: std::sync::OnceLock::new(),
        #[cfg(feature = "jit")]
        loops: Default::default(),
        obstacle,
        compile_time: start.elapsed(),
        declined: AtomicU64::new(0),
    }))
}

#[cfg(feature = "jit")]
fn tier(backend: Backend) -> Tier {
    match backend {
        Backend::InstantCode => Tier::Instant,
        Backend::Interpreter | Backend::OptimisedCode => Tier::Optimised,
    }
}

impl CompiledKernel {
    /// The kernel as it was given.
    pub fn kernel(&self) -> &Kernel {
        &self.0.careful
    }

    /// The kernel that is executed.
    pub fn executed(&self) -> &Kernel {
        &self.0.fast
    }

    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    pub fn options(&self) -> Options {
        self.0.options
    }

    pub fn obstacle(&self) -> Option<&str> {
        self.0.obstacle.as_deref()
    }

    pub fn compile_time(&self) -> Duration {
        self.0.compile_time
    }

    /// How many calls the fast kernel has declined so far.
    pub fn n_declined(&self) -> u64 {
        self.0.declined.load(Ordering::Relaxed)
    }

    /// The size of the machine code in bytes.
    pub fn code_size(&self) -> usize {
        #[cfg(feature = "jit")]
        return self.0.code.as_ref().map_or(0, Code::n_bytes);
        #[cfg(not(feature = "jit"))]
        0
    }

    /// Working memory for calls from one thread.
    pub fn caller(&self) -> Caller {
        #[cfg(feature = "jit")]
        let n_scratch = self.0.code.as_ref().map_or(0, Code::n_scratch);
        #[cfg(not(feature = "jit"))]
        let n_scratch = 0;
        let needs_interpreter = self.0.backend == Backend::Interpreter;
        Caller {
            scratch: vec![0.0; n_scratch],
            fast: needs_interpreter.then(|| Interpreter::new(&self.0.fast)),
            careful: None,
            kernel: self.clone(),
        }
    }

    /// The first operation that has no value at a point, for messages.
    pub fn explain(&self, banks: Banks) -> Option<Failure> {
        interpret::explain(&self.0.careful, banks)
    }

    /// Working memory for calls that evaluate two states at once.
    pub fn pair_caller(&self) -> PairCaller {
        #[cfg(feature = "jit")]
        let n_scratch = self.pair_code().map_or(0, Code::n_scratch);
        #[cfg(not(feature = "jit"))]
        let n_scratch = 0;
        PairCaller { scratch: vec![0.0; n_scratch], single: self.caller(), lane: [const { Vec::new() }; 5] }
    }

    /// Machine code for two states at once, made at the first request.
    #[cfg(feature = "jit")]
    fn pair_code(&self) -> Option<&Code> {
        let make = || match self.0.backend {
            Backend::Interpreter => None,
            backend => jit::compile(&self.0.fast, tier(backend), Lanes::Two).ok(),
        };
        self.0.pairs.get_or_init(make).as_ref()
    }
}

impl CompiledKernel {
    /// Working memory for calls that evaluate many states, one after the other.
    pub fn array_caller(&self) -> ArrayCaller {
        ArrayCaller::new(self.clone(), 1)
    }

    /// Working memory for calls that evaluate many pairs of states. Arrays are interleaved pair by pair, as for
    /// [`PairCaller`].
    pub fn pair_array_caller(&self) -> ArrayCaller {
        ArrayCaller::new(self.clone(), 2)
    }

    #[cfg(feature = "jit")]
    fn loop_code(&self, lanes: usize) -> Option<&Code> {
        let make = || match self.0.backend {
            Backend::Interpreter => None,
            backend => {
                let lanes = if lanes == 1 { Lanes::One } else { Lanes::Two };
                jit::compile_loop(&self.0.fast, tier(backend), lanes).ok().flatten()
            }
        };
        self.0.loops[lanes - 1].get_or_init(make).as_ref()
    }
}

/// Calls a kernel for many states with one time, one set of parameters, one set of extra numbers. The loop over the states is
/// part of the machine code.
pub struct ArrayCaller {
    lanes: usize,
    scratch: Vec<f64>,
    single: Caller,
    pair: PairCaller,
}

impl ArrayCaller {
    fn new(kernel: CompiledKernel, lanes: usize) -> ArrayCaller {
        #[cfg(feature = "jit")]
        let n_scratch = kernel.loop_code(lanes).map_or(0, Code::n_scratch);
        #[cfg(not(feature = "jit"))]
        let n_scratch = 0;
        ArrayCaller { lanes, scratch: vec![0.0; n_scratch], single: kernel.caller(), pair: kernel.pair_caller() }
    }

    /// Evaluates `count` states or pairs of states. Outputs are finite, or there is the first failure.
    pub fn call(&mut self, banks: Banks, count: usize, outputs: &mut [f64]) -> Result<(), Failure> {
        let kernel = &self.single.kernel.0.fast;
        let (n, m) = (self.lanes * kernel.bank_len(super::ir::Bank::State), self.lanes * kernel.outputs().len());
        if self.call_fast(banks, count, outputs) && all_finite(&outputs[..count * m]) {
            return Ok(());
        }
        for i in 0..count {
            let mut one = banks;
            one[super::ir::Bank::State as usize] = &banks[super::ir::Bank::State as usize][i * n..(i + 1) * n];
            let outputs = &mut outputs[i * m..(i + 1) * m];
            if self.lanes == 1 {
                self.single.call(one, outputs)?;
            } else {
                let [first, second] = self.pair.call(one, outputs);
                first.and(second)?;
            }
        }
        Ok(())
    }

    /// The same by the fast kernel. False when it declined for one of the states, or is not compiled.
    #[inline(always)]
    pub fn call_fast(&mut self, banks: Banks, count: usize, outputs: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        if let Some(Some(code)) = self.single.kernel.0.loops[self.lanes - 1].get() {
            return code.call_loop(&banks, count, outputs, &mut self.scratch);
        }
        let _ = (banks, count, outputs, &self.scratch);
        false
    }
}

/// Calls a kernel. Not shared between threads; making one is cheap.
pub struct Caller {
    kernel: CompiledKernel,
    /// For machine code.
    #[cfg_attr(not(feature = "jit"), allow(dead_code))]
    scratch: Vec<f64>,
    fast: Option<Interpreter>,
    careful: Option<Interpreter>,
}

impl Caller {
    pub fn kernel(&self) -> &CompiledKernel {
        &self.kernel
    }

    /// Evaluates. Outputs are finite, or there is a failure that says which operation has no value.
    pub fn call(&mut self, banks: Banks, outputs: &mut [f64]) -> Result<(), Failure> {
        let n = self.kernel.0.fast.outputs().len();
        if self.call_fast(banks, outputs) && all_finite(&outputs[..n]) {
            return Ok(());
        }
        self.call_carefully(banks, outputs)
    }

    /// Evaluates the fast kernel. False when it declined; true does not mean that outputs are finite.
    #[inline(always)]
    pub fn call_fast(&mut self, banks: Banks, outputs: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        if let Some(code) = &self.kernel.0.code {
            return code.call(&banks, outputs, &mut self.scratch);
        }
        match &mut self.fast {
            Some(interpreter) => interpreter.run(&self.kernel.0.fast, banks, outputs).is_ok(),
            None => false,
        }
    }

    /// Evaluates the kernel as it was given, with pivoting and libm.
    #[cold]
    pub fn call_carefully(&mut self, banks: Banks, outputs: &mut [f64]) -> Result<(), Failure> {
        let inner = &self.kernel.0;
        inner.declined.fetch_add(1, Ordering::Relaxed);
        let interpreter = self.careful.get_or_insert_with(|| Interpreter::new(&inner.careful));
        let accepted = interpreter.run(&inner.careful, banks, outputs).is_ok();
        if accepted && all_finite(&outputs[..inner.careful.outputs().len()]) {
            return Ok(());
        }
        Err(interpret::explain(&inner.careful, banks).unwrap_or_else(|| Failure {
            kind: FailureKind::Domain,
            expression: inner.careful.name.clone(),
            argument: None,
        }))
    }
}

/// Calls a kernel for two states at once. All arrays are interleaved: entry i of state l is at `2 i + l`.
pub struct PairCaller {
    /// For machine code.
    #[cfg_attr(not(feature = "jit"), allow(dead_code))]
    scratch: Vec<f64>,
    single: Caller,
    /// One lane of the banks and of the outputs, for the slow way.
    lane: [Vec<f64>; 5],
}

impl PairCaller {
    /// Evaluates both states; one result for each.
    pub fn call(&mut self, banks: Banks, outputs: &mut [f64]) -> [Result<(), Failure>; 2] {
        let n = self.single.kernel.0.fast.outputs().len();
        if self.call_fast(banks, outputs) && all_finite(&outputs[..2 * n]) {
            return [Ok(()), Ok(())];
        }
        [0, 1].map(|lane| {
            for (bank, copy) in banks.iter().zip(&mut self.lane) {
                copy.clear();
                copy.extend(bank.iter().skip(lane).step_by(2));
            }
            let [t, y, p, x, out] = &mut self.lane;
            out.resize(n, 0.0);
            let result = self.single.call([t, y, p, x], out);
            outputs.iter_mut().skip(lane).step_by(2).zip(out).for_each(|(slot, x)| *slot = *x);
            result
        })
    }

    /// Evaluates the fast kernel for both states. False when it declined for one of them, or is not compiled.
    #[inline(always)]
    pub fn call_fast(&mut self, banks: Banks, outputs: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        if let Some(Some(code)) = self.single.kernel.0.pairs.get() {
            return code.call(&banks, outputs, &mut self.scratch);
        }
        let _ = (banks, outputs);
        false
    }
}

fn all_finite(xs: &[f64]) -> bool {
    // 0 x is ±0 for finite x and NaN otherwise.
    xs.iter().fold(0.0, |sum, x| sum + 0.0 * x) == 0.0
}

#[cfg(test)]
#[cfg_attr(not(feature = "jit"), allow(dead_code, unused_imports))]
mod tests {
    use super::*;
    use crate::codegen::ir::{Bank, Binary, Comparison, KernelBuilder, Op, Shape, Unary, Value};
    use crate::codegen::table::{Outside, Table};

    /// A small generator: splitmix64.
    pub struct Random(pub u64);

    impl Random {
        pub fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        pub fn below(&mut self, n: usize) -> usize {
            (self.next() % n as u64) as usize
        }

        pub fn real(&mut self) -> f64 {
            let x = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
            (x - 0.5) * 6.0
        }
    }

    fn random_kernel(random: &mut Random, table: &Arc<Table>) -> Kernel {
        let mut b = KernelBuilder::new("random");
        let mut values: Vec<Value> = (0..3).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        values.push(b.input("t", Bank::Time));
        values.push(b.input("p", Bank::Parameter));
        for _ in 0..2 {
            let c = random.real();
            values.push(b.constant(c));
        }
        let n = 3 + random.below(40);
        for _ in 0..n {
            let pick = |random: &mut Random, values: &[Value]| {
                let recent = values.len().min(12);
                if random.below(3) == 0 {
                    values[random.below(values.len())]
                } else {
                    values[values.len() - 1 - random.below(recent)]
                }
            };
            let (x, y) = (pick(random, &values), pick(random, &values));
            let v = match random.below(20) {
                0..=2 => b.add(x, y),
                3..=4 => b.sub(x, y),
                5..=8 => b.mul(x, y),
                9 => b.div(x, y),
                10 => {
                    let z = pick(random, &values);
                    b.fma(x, y, z)
                }
                11 => {
                    let all = Unary::all();
                    b.unary(all[random.below(all.len())], x)
                }
                12 | 13 => {
                    if random.below(2) == 0 {
                        b.sin(x)
                    } else {
                        b.cos(x)
                    }
                }
                14 => b.binary(Binary::ALL[random.below(Binary::ALL.len())], x, y),
                15 => b.powi(x, random.below(9) as i32 - 4),
                16 => {
                    let (z, w) = (pick(random, &values), pick(random, &values));
                    let cmp = [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ne][random.below(4)];
                    b.select(cmp, x, y, z, w)
                }
                17 => {
                    let square = b.mul(x, x);
                    b.sqrt(square)
                }
                18 => b.table(table, random.below(3) as u8, x),
                _ => {
                    let n = 1 + random.below(4);
                    let shape = if random.below(2) == 0 { Shape::General } else { Shape::Symmetric };
                    let matrix: Vec<Value> = (0..n * n).map(|_| pick(random, &values)).collect();
                    let columns = 1 + random.below(2);
                    let rhs: Vec<Value> = (0..n * columns).map(|_| pick(random, &values)).collect();
                    let solution = b.solve(shape, matrix, rhs);
                    solution[random.below(n * columns)]
                }
            };
            values.push(v);
        }
        for i in 0..1 + random.below(5) {
            let v = values[values.len() - 1 - random.below(values.len().min(10))];
            b.output(format!("o{i}"), v);
        }
        b.finish()
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    /// The interpreter and both kinds of machine code agree bit for bit on the same final kernel. Set
    /// `LEPAGE_RANDOM_KERNELS=1000000` for the long version.
    #[cfg(feature = "jit")]
    #[test]
    fn machine_code_and_interpreter_agree_on_random_kernels() {
        let count: u64 = std::env::var("LEPAGE_RANDOM_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
        let points: Vec<_> = (0..7).map(|i| (i as f64 - 3.0, ((i * i) % 5) as f64)).collect();
        let table = Arc::new(Table::spline("f", &points, Outside::Undefined).unwrap());
        let mut random = Random(7);
        for number in 0..count {
            let kernel = random_kernel(&mut random, &table);
            let mut fast = match number % 3 {
                0 => optimise::optimise(&kernel, Rewrites::native()),
                1 => optimise::optimise(&kernel, Rewrites::portable()),
                _ => kernel.clone(),
            };
            // As the steps of an integrator are compiled.
            fast.one_chain = number % 5 == 0;
            let tier = if number / 4 % 2 == 0 { Tier::Instant } else { Tier::Optimised };
            let single = jit::compile(&fast, tier, Lanes::One).unwrap();
            let n = fast.outputs().len();
            let mut results = Vec::new();
            let mut states = Vec::new();
            for _ in 0..2 {
                let y = [random.real(), random.real(), random.real()];
                let (t, p) = ([random.real()], [random.real()]);
                let banks: Banks = [&t, &y, &p, &[]];
                let mut interpreter = Interpreter::new(&fast);
                let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
                let accepted = interpreter.run(&fast, banks, &mut a).is_ok();
                for (slot, output) in a.iter_mut().zip(fast.outputs()) {
                    *slot = interpreter.values()[output.value.index()];
                }
                let held = single.call(&banks, &mut b, &mut vec![0.0; single.n_scratch()]);
                assert!(a.iter().zip(&b).all(|(&a, &b)| same(a, b)), "{a:?}\n{b:?}\nat {banks:?}\n{fast:?}");
                // The sign of a NaN is not specified, so neither is the verdict of a guard on one.
                let nan_guard = fast.values().any(|v| {
                    let doubtful = match fast.op(v) {
                        Op::Guard(a) | Op::Unary(Unary::Sin | Unary::Cos | Unary::Exp, a) => Some(a),
                        _ => None,
                    };
                    doubtful.is_some_and(|a| interpreter.values()[a.index()].is_nan())
                });
                assert!(accepted == held || nan_guard, "guards differ at {banks:?}\n{fast:?}");
                results.push(a);
                states.push((t, y, p));
            }
            if number % 4 != 0 {
                continue;
            }
            let double = jit::compile(&fast, tier, Lanes::Two).unwrap();
            let interleave = |f: &dyn Fn(usize, usize) -> f64, n: usize| -> Vec<f64> {
                (0..2 * n).map(|i| f(i % 2, i / 2)).collect()
            };
            let t = interleave(&|l, i| states[l].0[i], 1);
            let y = interleave(&|l, i| states[l].1[i], 3);
            let p = interleave(&|l, i| states[l].2[i], 1);
            let mut b = vec![0.0; 2 * n];
            double.call(&[&t, &y, &p, &[]], &mut b, &mut vec![0.0; double.n_scratch()]);
            let a = interleave(&|l, i| results[l][i], n);
            assert!(a.iter().zip(&b).all(|(&a, &b)| same(a, b)), "pairs: {a:?}\n{b:?}\n{fast:?}");
            // The same with a loop around it, over the pair, its halves exchanged, the pair; and over three copies of the first
            // state. Times and parameters are those of the loop.
            let [t, p] = [&t, &p].map(|x| vec![x[0]; 2]);
            let exchanged = |x: &[f64]| -> Vec<f64> { x.chunks(2).flat_map(|x| [x[1], x[0]]).collect() };
            let mut a = vec![0.0; 2 * n];
            double.call(&[&t, &y, &p, &[]], &mut a, &mut vec![0.0; double.n_scratch()]);
            let (y, a) = ([&y[..], &exchanged(&y), &y].concat(), [&a[..], &exchanged(&a), &a].concat());
            let looped = jit::compile_loop(&fast, tier, Lanes::Two).unwrap().unwrap();
            let mut c = vec![0.0; 6 * n];
            looped.call_loop(&[&t, &y, &p, &[]], 3, &mut c, &mut vec![0.0; looped.n_scratch()]);
            assert!(c.iter().zip(&a).all(|(&a, &b)| same(a, b)), "loop of pairs: {a:?}\n{c:?}\n{fast:?}");
            let looped = jit::compile_loop(&fast, tier, Lanes::One).unwrap().unwrap();
            let mut c = vec![0.0; 3 * n];
            let (t, y, p) = &states[0];
            looped.call_loop(&[t, &y.repeat(3), p, &[]], 3, &mut c, &mut vec![0.0; looped.n_scratch()]);
            assert!(c.iter().zip(results[0].repeat(3)).all(|(&a, b)| same(a, b)), "loop: {c:?}\n{fast:?}");
        }
    }

    #[test]
    fn large_angles_and_indefinite_systems_get_careful_answers() {
        let mut b = KernelBuilder::new("careful");
        let x = b.input("x", Bank::State);
        let y = b.input("y", Bank::State);
        let s = b.sin(x);
        b.output("sin", s);
        let one = b.constant(1.0);
        let solution = b.solve(Shape::Symmetric, vec![y, one, one, y], vec![one, one]);
        b.output("u", solution[0]);
        let kernel = compile(b.finish(), Options::default());
        let mut caller = kernel.caller();
        let mut out = [0.0; 2];
        caller.call([&[], &[1e22, 2.0], &[], &[]], &mut out).unwrap();
        // sin 10²² is a classical test of argument reduction.
        assert_eq!(out[0], -0.8522008497671888);
        caller.call([&[], &[0.5, 0.0], &[], &[]], &mut out).unwrap();
        assert_eq!(out[1], 1.0);
        assert_eq!(kernel.n_declined(), 2);
        let failure = caller.call([&[], &[0.5, -1.0], &[], &[]], &mut out).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Singular);
        // In pairs, each state gets its own answer.
        let mut out = [0.0; 4];
        let [first, second] = kernel.pair_caller().call([&[], &[1e22, 0.5, 2.0, -1.0], &[], &[]], &mut out);
        assert!(first.is_ok() && second.is_err());
        assert_eq!(out[0], -0.8522008497671888);
    }

    /// Long kernels are cut into functions; the result is the same.
    #[cfg(feature = "jit")]
    #[test]
    fn long_kernels_are_cut_into_functions() {
        let mut b = KernelBuilder::new("long");
        let mut random = Random(11);
        let mut values: Vec<Value> = (0..8).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        for i in 0..30_000 {
            let (x, y) = (values[random.below(values.len())], values[values.len() - 1 - random.below(8)]);
            let v = if i % 97 == 0 {
                b.sin(x)
            } else {
                // Means keep the numbers small.
                let sum = if i % 2 == 0 { b.add(x, y) } else { b.sub(x, y) };
                let half = b.constant(0.5);
                b.mul(sum, half)
            };
            values.push(v);
            if i % 1000 == 0 {
                b.output(format!("o{i}"), v);
            }
        }
        let kernel = compile(b.finish(), Options { backend: Backend::InstantCode, portable: false });
        assert_eq!(kernel.backend(), Backend::InstantCode, "{:?}", kernel.obstacle());
        let y: Vec<f64> = (0..8).map(|i| 0.1 * i as f64).collect();
        let n = kernel.kernel().outputs().len();
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        kernel.caller().call([&[], &y, &[], &[]], &mut a).unwrap();
        interpret::evaluate(kernel.executed(), [&[], &y, &[], &[]], &mut b).unwrap();
        assert!(a.iter().zip(&b).all(|(&a, &b)| same(a, b)));
    }

    /// Code memory is freed: a thousand kernels compiled and dropped leave the address space as it was.
    #[cfg(all(feature = "jit", target_os = "linux"))]
    #[test]
    fn a_thousand_kernels_leave_no_memory_behind() {
        let mapped = || {
            std::fs::read_to_string("/proc/self/maps")
                .map_or(0, |maps| maps.lines().filter(|l| l.contains(" r-xp ")).count())
        };
        let build = |i: u32| {
            let mut b = KernelBuilder::new("short");
            let x = b.input("x", Bank::State);
            let c = b.constant(f64::from(i));
            let s = b.add(x, c);
            b.output("s", s);
            compile(b.finish(), Options { backend: Backend::InstantCode, portable: false })
        };
        drop(build(0));
        let before = mapped();
        for i in 0..1000 {
            let kernel = build(i);
            let mut out = [0.0];
            kernel.caller().call([&[], &[1.0], &[], &[]], &mut out).unwrap();
            assert_eq!(out[0], 1.0 + f64::from(i));
        }
        // Other tests compile at the same time; a leak would be a thousand mappings.
        assert!(mapped() < before + 200, "{} executable mappings, {before} before", mapped());
    }
}
