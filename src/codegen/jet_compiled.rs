//! Taylor coefficients that can be computed: recurrences, and machine code for them where the host allows it.

use std::sync::Arc;
#[cfg(feature = "jit")]
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::compiled::{Backend, Options};
use super::interpret::Banks;
use super::ir::Kernel;
use super::jet::{JetProgram, NoSeries};
use super::jet_interpret::JetInterpreter;
#[cfg(feature = "jit")]
use super::machine::{Code, Tier};

/// The recurrences of a vector field to some order, ready to be evaluated. Shared between threads.
#[derive(Clone)]
pub struct CompiledJet(Arc<Inner>);

struct Inner {
    program: JetProgram,
    #[cfg(feature = "jit")]
    options: Options,
    derive_time: Duration,
    #[cfg(feature = "jit")]
    translation: std::sync::OnceLock<Translation>,
    /// Somebody has asked for machine code.
    #[cfg(feature = "jit")]
    asked: std::sync::atomic::AtomicBool,
    /// Machine code for two states at once, made at the first request.
    #[cfg(feature = "jit")]
    pairs: std::sync::OnceLock<Option<Code>>,
}

/// What came of compiling the recurrences.
#[cfg(feature = "jit")]
struct Translation {
    code: Option<Code>,
    obstacle: Option<String>,
    time: Duration,
}

/// Longer programs are not unrolled: compiling them would take longer than most runs.
#[cfg(feature = "jit")]
const MAX_OPERATIONS: usize = 400_000;

/// Instructions up to which recurrences are compiled before the first step. Compiling more takes longer than interpreting
/// many steps: longer ones are compiled beside a run that is long ([`JetCaller::translate`]). Both have the same bits.
#[cfg(feature = "jit")]
const AT_ONCE: usize = 20_000;

/// Derives the recurrences and, unless they are long, translates them.
pub fn compile(field: &Kernel, order: usize, options: Options, pivoted: bool) -> Result<CompiledJet, NoSeries> {
    let start = Instant::now();
    let program = JetProgram::new(field, order, options.rewrites(), pivoted)?;
    let jet = CompiledJet(Arc::new(Inner {
        program,
        #[cfg(feature = "jit")]
        options,
        derive_time: start.elapsed(),
        #[cfg(feature = "jit")]
        translation: std::sync::OnceLock::new(),
        #[cfg(feature = "jit")]
        asked: Default::default(),
        #[cfg(feature = "jit")]
        pairs: std::sync::OnceLock::new(),
    }));
    #[cfg(feature = "jit")]
    if super::jet_jit::n_instructions(&jet.0.program) <= AT_ONCE {
        jet.translate();
    }
    Ok(jet)
}

#[cfg(feature = "jit")]
fn translate(program: &JetProgram, options: Options) -> Translation {
    let start = Instant::now();
    let (code, obstacle) = match options.backend {
        Backend::Interpreter => (None, None),
        Backend::InstantCode | Backend::OptimisedCode if program.n_operations() > MAX_OPERATIONS => {
            (None, Some("the series is too long to be compiled".to_string()))
        }
        backend => {
            let tier = if backend == Backend::InstantCode { Tier::Instant } else { Tier::Optimised };
            match super::jet_jit::compile(program, tier) {
                Ok(code) => (Some(code), None),
                Err(error) => (None, Some(error.to_string())),
            }
        }
    };
    Translation { code, obstacle, time: start.elapsed() }
}

impl CompiledJet {
    pub fn program(&self) -> &JetProgram {
        &self.0.program
    }

    /// Makes machine code, once.
    #[cfg(feature = "jit")]
    fn translate(&self) {
        self.0.asked.store(true, Ordering::Relaxed);
        self.0.translation.get_or_init(|| translate(&self.0.program, self.0.options));
    }

    /// The same on a thread of its own, which nobody waits for. False when there will be none.
    #[cfg(feature = "jit")]
    fn translate_beside(&self) -> bool {
        if self.0.options.backend == Backend::Interpreter || self.0.program.n_operations() > MAX_OPERATIONS {
            return false;
        }
        if self.0.asked.swap(true, Ordering::Relaxed) {
            return true;
        }
        let jet = self.clone();
        std::thread::Builder::new().name("compile".to_string()).spawn(move || jet.translate()).is_ok()
    }

    #[cfg(feature = "jit")]
    fn code(&self) -> Option<&Code> {
        self.0.translation.get().and_then(|t| t.code.as_ref())
    }

    /// What executes the recurrences; for a long run what it was promised, since when that is ready depends on the machine.
    pub fn backend(&self) -> Backend {
        #[cfg(feature = "jit")]
        if self.0.asked.load(Ordering::Relaxed) && self.obstacle().is_none() {
            return self.0.options.backend;
        }
        Backend::Interpreter
    }

    pub fn obstacle(&self) -> Option<&str> {
        #[cfg(feature = "jit")]
        return self.0.translation.get().and_then(|t| t.obstacle.as_deref());
        #[cfg(not(feature = "jit"))]
        None
    }

    pub fn compile_time(&self) -> Duration {
        #[cfg(feature = "jit")]
        return self.0.derive_time + self.0.translation.get().map_or(Duration::ZERO, |t| t.time);
        #[cfg(not(feature = "jit"))]
        self.0.derive_time
    }

    /// The size of the machine code in bytes.
    pub fn code_size(&self) -> usize {
        #[cfg(feature = "jit")]
        return self.code().map_or(0, Code::n_bytes);
        #[cfg(not(feature = "jit"))]
        0
    }

    /// Working memory for calls with two states, from one thread; `None` when there is no machine code for them.
    pub fn pair_caller(&self) -> Option<JetPairCaller> {
        #[cfg(feature = "jit")]
        {
            let code = self.0.pairs.get_or_init(|| translate_pairs(self)).as_ref()?;
            let scratch = vec![0.0; code.n_scratch()];
            Some(JetPairCaller { jet: self.clone(), scratch, carried: Vec::new(), parameters: Vec::new() })
        }
        #[cfg(not(feature = "jit"))]
        None
    }

    /// Working memory for calls from one thread.
    pub fn caller(&self) -> JetCaller {
        let mut caller = JetCaller {
            jet: self.clone(),
            compiled: false,
            scratch: Vec::new(),
            carried: Vec::new(),
            interpreter: None,
        };
        caller.take_up();
        caller
    }
}

/// Machine code for two states at once; where one state alone has no machine code, two have none.
#[cfg(feature = "jit")]
fn translate_pairs(jet: &CompiledJet) -> Option<Code> {
    let program = jet.program();
    if jet.code().is_none() || program.n_operations() > super::jet_pairs::MAX_OPERATIONS {
        return None;
    }
    let tier = if jet.0.options.backend == Backend::InstantCode { Tier::Instant } else { Tier::Optimised };
    super::jet_pairs::compile(program, tier).ok()
}

/// Computes coefficients of two trajectories at once. Arrays are interleaved: entry i of lane l is at `2 i + l`.
pub struct JetPairCaller {
    #[cfg(feature = "jit")]
    jet: CompiledJet,
    #[cfg(feature = "jit")]
    scratch: Vec<f64>,
    /// Coefficients, and what a loop over steps carries from one to the next.
    #[cfg(feature = "jit")]
    carried: Vec<f64>,
    /// The parameters of the first pair, then those of the second.
    #[cfg(feature = "jit")]
    parameters: Vec<f64>,
}

impl JetPairCaller {
    /// How many trajectories go side by side.
    pub fn lanes(&self) -> usize {
        #[cfg(feature = "jit")]
        if self.jet.0.pairs.get().and_then(Option::as_ref).is_some_and(Code::has_loop) {
            return 2 * super::jet_pairs::N_TURNS;
        }
        2
    }

    /// Makes up to `most` steps of all trajectories in a loop of machine code ([`super::jet_pair_steps`]); false when there is
    /// none. `rows` are those of [`super::wide`].
    pub fn steps(&mut self, parameters: &[f64], rows: &mut [f64], most: u64) -> bool {
        #[cfg(feature = "jit")]
        if let Some(code) = self.jet.0.pairs.get().and_then(Option::as_ref).filter(|code| code.has_loop()) {
            use super::jet_pairs::N_TURNS;
            let program = self.jet.program();
            let n_coefficients = 2 * program.n * (program.order + 1);
            let apart = super::jet_pair_steps::apart(program);
            self.carried.resize(N_TURNS * apart, 0.0);
            self.parameters.resize(parameters.len(), 0.0);
            // A row of all lanes becomes a row of each pair.
            let split = parameters.len() / N_TURNS;
            for (j, row) in parameters.chunks_exact(2 * N_TURNS).enumerate() {
                for (turn, two) in row.chunks_exact(2).enumerate() {
                    self.parameters[turn * split + 2 * j..][..2].copy_from_slice(two);
                }
            }
            let place = |j: usize, turn: usize| turn * apart + n_coefficients + 2 * j;
            for (j, row) in rows.chunks_exact(2 * N_TURNS).enumerate() {
                for (turn, two) in row.chunks_exact(2).enumerate() {
                    self.carried[place(j, turn)..][..2].copy_from_slice(two);
                }
            }
            code.call_steps(&[&[], &[], &self.parameters, &[]], most, &mut self.carried, &mut self.scratch);
            for (j, row) in rows.chunks_exact_mut(2 * N_TURNS).enumerate() {
                for (turn, two) in row.chunks_exact_mut(2).enumerate() {
                    two.copy_from_slice(&self.carried[place(j, turn)..][..2]);
                }
            }
            return true;
        }
        let _ = (parameters, rows, most);
        false
    }

    /// The coefficients of the solutions through two states. False when guards declined for one of them; numbers may be
    /// infinite or NaN.
    #[inline(always)]
    pub fn call_fast(&mut self, banks: Banks, out: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        if let Some(code) = self.jet.0.pairs.get().and_then(Option::as_ref) {
            return code.call(&banks, out, &mut self.scratch);
        }
        let _ = (banks, out);
        false
    }
}

/// Computes coefficients.
pub struct JetCaller {
    jet: CompiledJet,
    /// There is machine code, and working memory for it.
    compiled: bool,
    scratch: Vec<f64>,
    /// What loops over steps carry from one to the next.
    carried: Vec<f64>,
    interpreter: Option<JetInterpreter>,
}

/// What a number of Taylor steps starts from.
pub struct Steps<'a> {
    /// The end of the run, its direction, and the time after which the caller wants to look.
    pub run: [f64; 3],
    pub parameters: &'a [f64],
    pub modes: &'a [f64],
    pub y: &'a mut [f64],
    /// What rounding has taken from y.
    pub rest: &'a mut [f64],
    /// The time and what rounding has taken from it.
    pub t: [f64; 2],
    /// Where the last step began, and how long it was.
    pub last: [f64; 2],
    /// The shortest and the longest step.
    pub extremes: [f64; 2],
}

/// Up to this many states steps are made in a loop of machine code, and polynomials are summed in pairs.
pub const SMALL: usize = 8;

impl JetCaller {
    /// For the rest of a long run: machine code, as soon as it is made, which is not waited for. Says whether to ask again.
    #[cold]
    pub fn translate(&mut self) -> bool {
        #[cfg(feature = "jit")]
        {
            self.take_up();
            !self.compiled && self.jet.obstacle().is_none() && self.jet.translate_beside()
        }
        #[cfg(not(feature = "jit"))]
        false
    }

    /// Uses the machine code if there is some.
    fn take_up(&mut self) {
        #[cfg(feature = "jit")]
        if let Some(n_scratch) = self.jet.code().map(Code::n_scratch) {
            self.scratch = vec![0.0; n_scratch];
            self.compiled = true;
        }
    }

    /// The machine code for which there is working memory.
    #[cfg(feature = "jit")]
    #[inline(always)]
    fn code(&self) -> Option<&Code> {
        if self.compiled { self.jet.code() } else { None }
    }

    /// Makes up to `most` steps in a loop of machine code ([`super::jet_steps`]); `None` when there is none. The result is
    /// their number, which may be 0, and where they lead; `out` are the coefficients of the last of them.
    pub fn steps<'a>(&mut self, from: Steps<'a>, most: u64, out: &mut [f64]) -> Option<(u64, Steps<'a>)> {
        #[cfg(feature = "jit")]
        if self.code().is_some_and(Code::has_loop)
            && let Some(code) = self.jet.code()
        {
            use super::jet_steps::N_CARRIED;
            let (n, m) = (from.y.len(), out.len());
            self.carried.resize(m + 2 * n + N_CARRIED, 0.0);
            let (y, others) = self.carried[m..].split_at_mut(n);
            let (rest, numbers) = others.split_at_mut(n);
            y.copy_from_slice(from.y);
            rest.copy_from_slice(from.rest);
            numbers.copy_from_slice(&[from.t, from.last, from.extremes].concat());
            let banks = [&from.run[..], &[], from.parameters, from.modes];
            let made = code.call_steps(&banks, most, &mut self.carried, &mut self.scratch);
            if made == 0 {
                return Some((0, from));
            }
            out.copy_from_slice(&self.carried[..m]);
            let numbers = &self.carried[m + 2 * n..];
            let pair = |i: usize| [numbers[i], numbers[i + 1]];
            let (t, last, extremes) = (pair(0), pair(2), pair(4));
            from.y.copy_from_slice(&self.carried[m..m + n]);
            from.rest.copy_from_slice(&self.carried[m + n..m + 2 * n]);
            return Some((made, Steps { t, last, extremes, ..from }));
        }
        let _ = (from, most, out, &self.carried);
        None
    }

    pub fn jet(&self) -> &CompiledJet {
        &self.jet
    }

    /// The coefficients of the solution through a state, order by order. False when guards declined; numbers may be
    /// infinite or NaN.
    #[inline(always)]
    pub fn call_fast(&mut self, banks: Banks, out: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        if self.compiled
            && let Some(code) = self.jet.code()
        {
            return code.call(&banks, out, &mut self.scratch);
        }
        let _ = (&self.scratch, self.compiled);
        let program = &self.jet.0.program;
        let interpreter = self.interpreter.get_or_insert_with(|| JetInterpreter::new(program));
        interpreter.run(program, banks, out).is_ok()
    }

    /// The same by libm and without declining; what has no value is NaN.
    #[cold]
    pub fn call_carefully(&mut self, banks: Banks, out: &mut [f64]) {
        let program = &self.jet.0.program;
        let interpreter = self.interpreter.get_or_insert_with(|| JetInterpreter::new(program));
        interpreter.run_carefully(program, banks, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::ir::{Bank, Binary, Comparison, KernelBuilder, Shape, Unary, Value};
    use crate::codegen::table::{Outside, Table};

    /// x′ = g(x) for x along a solution of x′ = f: an output for the test below.
    fn jet_of(kernel: Kernel, order: usize, state: &[f64], backend: Backend) -> Vec<f64> {
        let jet = compile(&kernel, order, Options { backend, portable: false }, false).unwrap();
        assert_eq!(jet.backend(), backend, "{:?}", jet.obstacle());
        let mut out = vec![0.0; (order + 1) * state.len()];
        assert!(jet.caller().call_fast([&[0.3], state, &[0.7], &[]], &mut out));
        out
    }

    /// A field with states (u, c, w): u′ = c, c′ = −u + u² (something with non-trivial series), w′ = g(u, c).
    fn probe(g: impl Fn(&mut KernelBuilder, Value, Value) -> Value) -> Kernel {
        let mut b = KernelBuilder::new("probe");
        let (u, c) = (b.input("u", Bank::State), b.input("c", Bank::State));
        b.input("w", Bank::State);
        let square = b.mul(u, u);
        let force = b.sub(square, u);
        let w = g(&mut b, u, c);
        b.output("u'", c);
        b.output("c'", force);
        b.output("w'", w);
        b.finish()
    }

    /// The coefficients of g along the solution, by the polynomial of degree 12 through values at Chebyshev points of a
    /// small interval: an independent way to the first few of them.
    fn check(name: &str, g: impl Fn(&mut KernelBuilder, Value, Value) -> Value) {
        let kernel = probe(&g);
        let state = [0.4, 0.3, 0.0];
        let order = 8;
        let jets = jet_of(kernel.clone(), order, &state, Backend::Interpreter);
        #[cfg(feature = "jit")]
        {
            let compiled = jet_of(kernel.clone(), order, &state, Backend::OptimisedCode);
            let same = jets.iter().zip(&compiled).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{name}: compiled and interpreted coefficients differ\n{jets:?}\n{compiled:?}");
        }
        // u and c as polynomials of high degree, then g at points, then differences.
        let long = jet_of(kernel.clone(), 24, &state, Backend::Interpreter);
        let at = |h: f64| {
            let y: Vec<f64> = (0..2).map(|i| (0..=24).rev().fold(0.0, |s, k| s * h + long[3 * k + i])).collect();
            let mut out = [0.0; 3];
            let t = 0.3 + h;
            crate::codegen::interpret::evaluate(&kernel, [&[t], &[y[0], y[1], 0.0], &[0.7], &[]], &mut out).unwrap();
            out[2]
        };
        // Coefficient k of w is coefficient k − 1 of g over k, by a discrete Fourier sum on real Chebyshev points.
        let (radius, m) = (0.15, 25);
        let points: Vec<f64> = (0..m).map(|j| (std::f64::consts::PI * (j as f64 + 0.5) / m as f64).cos()).collect();
        let values: Vec<f64> = points.iter().map(|x| at(radius * x)).collect();
        let mut powers = vec![0.0; m];
        let (mut before, mut current) = (vec![0.0; m], vec![0.0; m]);
        before[0] = 1.0;
        current[1] = 1.0;
        for d in 0..m {
            let factor = if d == 0 { 1.0 } else { 2.0 } / m as f64;
            let c = factor
                * (0..m)
                    .map(|j| values[j] * (std::f64::consts::PI * d as f64 * (j as f64 + 0.5) / m as f64).cos())
                    .sum::<f64>();
            let basis = match d {
                0 => &before,
                _ => &current,
            };
            powers.iter_mut().zip(basis).for_each(|(p, t)| *p += c * t);
            if d > 0 {
                let mut next = vec![0.0; m];
                for i in 0..m {
                    next[i] = -before[i] + if i > 0 { 2.0 * current[i - 1] } else { 0.0 };
                }
                before = std::mem::replace(&mut current, next);
            }
        }
        for k in 1..6 {
            let expected = powers[k - 1] / radius.powi(k as i32 - 1) / k as f64;
            let got = jets[3 * k + 2];
            let scale = expected.abs().max(1.0);
            assert!((got - expected).abs() < 2e-8 * scale, "{name}, order {k}: {got} and {expected}");
        }
    }

    #[test]
    fn every_operation_has_its_recurrence() {
        check("product", |b, u, c| b.mul(u, c));
        check("square", |b, u, _| b.mul(u, u));
        check("quotient", |b, u, c| {
            let two = b.constant(2.0);
            let d = b.add(c, two);
            b.div(u, d)
        });
        check("reciprocal", |b, u, _| {
            let one = b.constant(1.0);
            b.div(one, u)
        });
        check("power", |b, u, _| {
            let e = b.constant(-1.5);
            b.pow(u, e)
        });
        check("variable power", |b, u, c| b.pow(u, c));
        check("integer powers", |b, u, c| {
            let (p, q) = (b.powi(u, 5), b.powi(c, -3));
            b.add(p, q)
        });
        check("parameter and time", |b, u, _| {
            let (p, t) = (b.input("p", Bank::Parameter), b.input("t", Bank::Time));
            let x = b.mul(p, t);
            let s = b.sin(x);
            let y = b.mul(s, u);
            b.div(y, p)
        });
        for f in Unary::all() {
            check(f.name(), move |b, u, _| {
                let one = b.constant(1.0);
                let argument = if f == Unary::Acosh { b.add(u, one) } else { u };
                b.unary(f, argument)
            });
        }
        check("negative abs", |b, u, _| {
            let minus = b.neg(u);
            let two = b.constant(2.0);
            let x = b.sub(minus, two);
            b.unary(Unary::Abs, x)
        });
        check("atan2", |b, u, c| b.binary(Binary::Atan2, u, c));
        check("atan2 of a constant", |b, u, _| {
            let one = b.constant(1.0);
            b.binary(Binary::Atan2, one, u)
        });
        check("max", |b, u, c| b.binary(Binary::Max, u, c));
        check("select", |b, u, c| {
            let (p, q) = (b.mul(u, u), b.constant(3.0));
            b.select(Comparison::Lt, u, c, p, q)
        });
        let points: Vec<_> = (0..5).map(|i| (f64::from(i), f64::from(i * i * i) - 2.0)).collect();
        let table = Arc::new(Table::spline("f", &points, Outside::Undefined).unwrap());
        check("table", move |b, u, _| b.table(&table, 0, u));
    }

    #[test]
    fn linear_systems_have_their_recurrence() {
        for shape in [Shape::Symmetric, Shape::General] {
            for unknown in 0..2 {
                check("system", move |b, u, c| {
                    let (three, zero) = (b.constant(3.0), b.constant(0.0));
                    let d = b.add(three, c);
                    let matrix = vec![three, u, zero, u, d, c, zero, c, three];
                    let x = b.solve(shape, matrix, vec![c, u, three]);
                    x[unknown]
                });
            }
        }
    }

    /// The exponential series: y′ = y gives 1/k!.
    #[test]
    fn the_exponential_has_its_series() {
        let mut b = KernelBuilder::new("exp");
        let y = b.input("y", Bank::State);
        b.output("y'", y);
        let jets = jet_of(b.finish(), 12, &[1.0], Backend::Interpreter);
        let mut factorial = 1.0;
        for (k, c) in jets.iter().enumerate() {
            factorial *= k.max(1) as f64;
            assert!((c * factorial - 1.0).abs() < 1e-14, "order {k}");
        }
    }
}
