//! The reference evaluator of a [`Kernel`]: what every operation means.
//!
//! Three uses. It defines the arithmetic that compiled code must reproduce bit for bit. It runs kernels where
//! code may not be generated. And it repeats, carefully, the calls that compiled code declines: a failed
//! guard means "ask the careful kernel", never a wrong number.
//!
//! When an evaluation has no finite answer, [`explain`] finds the first operation that made a value without
//! one out of operands that had one, and says it in the user's words.

use super::ir::{Bank, Binary, Comparison, Kernel, N_BANKS, Op, Unary, Value};
use super::libm::{self, Math};
use super::linear;
use super::simd;

/// The arrays a call reads, one per [`Bank`].
pub type Banks<'a> = [&'a [f64]; N_BANKS];

/// A guard failed: the result is not to be used, the careful kernel is to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declined;

/// Evaluates a kernel with values kept between calls, so that repeated calls do not allocate.
pub struct Interpreter {
    values: Vec<f64>,
    /// Where the solution of each `Solve` lies in `solutions`.
    offsets: Vec<usize>,
    solutions: Vec<f64>,
    scratch: Vec<f64>,
}

impl Interpreter {
    pub fn new(kernel: &Kernel) -> Interpreter {
        let mut offsets = Vec::new();
        let (mut end, mut scratch) = (0, 0);
        for solve in kernel.solves() {
            offsets.push(end);
            end += solve.rhs.len();
            scratch = scratch.max(solve.n() * solve.n() + linear::scratch_len(solve.n()));
        }
        Interpreter {
            values: vec![0.0; kernel.ops().len()],
            offsets,
            solutions: vec![0.0; end],
            scratch: vec![0.0; scratch],
        }
    }

    /// Evaluates `kernel`, which must be the one this interpreter was made for.
    pub fn run(&mut self, kernel: &Kernel, banks: Banks, outputs: &mut [f64]) -> Result<(), Declined> {
        check_lengths(kernel, &banks, outputs.len());
        simd::with_fma(|| self.evaluate(kernel, banks))?;
        for (slot, output) in outputs.iter_mut().zip(kernel.outputs()) {
            *slot = self.values[output.value.index()];
        }
        Ok(())
    }

    #[inline(always)]
    fn evaluate(&mut self, kernel: &Kernel, banks: Banks) -> Result<(), Declined> {
        assert_eq!(self.values.len(), kernel.ops().len(), "the interpreter belongs to another kernel");
        let mut accepted = true;
        for (i, &op) in kernel.ops().iter().enumerate() {
            let v = &self.values;
            let at = |x: Value| v[x.index()];
            self.values[i] = match op {
                Op::Const(bits) => f64::from_bits(bits),
                Op::Input(n) => {
                    let input = &kernel.inputs()[n as usize];
                    banks[input.bank as usize][input.slot as usize]
                }
                Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if kernel.math == Math::Inline => {
                    let x = at(a);
                    accepted &= !libm::angle_margin(x).is_sign_negative() || x.is_nan();
                    let (sin, cos) = libm::sin_cos(x);
                    if f == Unary::Sin { sin } else { cos }
                }
                Op::Unary(Unary::Exp, a) if kernel.math == Math::Inline => {
                    let x = at(a);
                    accepted &= !libm::exponent_margin(x).is_sign_negative() || x.is_nan();
                    libm::exp_inline(x)
                }
                Op::Unary(Unary::Log, a) if kernel.math == Math::Inline => {
                    let x = at(a);
                    accepted &= libm::log_accepts(x);
                    libm::log_inline(x)
                }
                Op::Unary(f, a) => unary(f, at(a)),
                Op::Binary(f, a, b) => binary(f, at(a), at(b)),
                Op::Fma(a, b, c) => at(a).mul_add(at(b), at(c)),
                Op::PowI(a, n) => libm::powi(at(a), n),
                Op::Select(cmp, [a, b, then, otherwise]) => {
                    at(if compare(cmp, at(a), at(b)) { then } else { otherwise })
                }
                Op::Solve(number) => {
                    let solve = &kernel.solves()[number as usize];
                    let n = solve.n();
                    let offset = self.offsets[number as usize];
                    let (matrix, scratch) = self.scratch.split_at_mut(n * n);
                    let rhs = &mut self.solutions[offset..offset + solve.rhs.len()];
                    matrix.iter_mut().zip(&solve.matrix).for_each(|(m, &x)| *m = at(x));
                    rhs.iter_mut().zip(&solve.rhs).for_each(|(m, &x)| *m = at(x));
                    linear::solve(solve.shape, n, matrix, rhs, scratch);
                    1.0
                }
                Op::Solution(solve, item) => {
                    let Op::Solve(number) = kernel.op(solve) else { unreachable!("a solution belongs to a solve") };
                    self.solutions[self.offsets[number as usize] + item as usize]
                }
                Op::Table(table, derivative, a) => kernel.tables()[table as usize].evaluate(derivative, at(a)),
                Op::Guard(a) => {
                    accepted &= !at(a).is_sign_negative() || at(a).is_nan();
                    at(a)
                }
            };
        }
        if accepted { Ok(()) } else { Err(Declined) }
    }

    /// The values of the last run, by operation.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// One evaluation of a kernel.
pub fn evaluate(kernel: &Kernel, banks: Banks, outputs: &mut [f64]) -> Result<(), Declined> {
    Interpreter::new(kernel).run(kernel, banks, outputs)
}

/// Panics unless the arrays of a call are long enough.
pub fn check_lengths(kernel: &Kernel, banks: &Banks, n_outputs: usize) {
    for bank in Bank::ALL {
        let needed = kernel.bank_len(bank);
        let given = banks[bank as usize].len();
        assert!(given >= needed, "kernel {} needs {needed} of bank {}, got {given}", kernel.name, bank.name());
    }
    assert!(n_outputs >= kernel.outputs().len(), "kernel {} has {} outputs", kernel.name, kernel.outputs().len());
}

/// A function of one argument, by libm. Arithmetic is spelled out: the interpreter does little else.
pub fn unary(f: Unary, x: f64) -> f64 {
    match f {
        Unary::Neg => -x,
        Unary::Sqrt => x.sqrt(),
        Unary::Function(_) => (f.value())(x),
    }
}

/// A function of two arguments.
pub fn binary(f: Binary, x: f64, y: f64) -> f64 {
    match f {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::Pow | Binary::Atan2 | Binary::Min | Binary::Max => (f.value())(x, y),
    }
}

pub fn compare(cmp: Comparison, x: f64, y: f64) -> bool {
    match cmp {
        Comparison::Lt => x < y,
        Comparison::Le => x <= y,
        Comparison::Eq => x == y,
        Comparison::Ne => x != y,
    }
}

/// Why an evaluation has no finite answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    pub kind: FailureKind,
    /// The operation that failed, as an expression in the names of the inputs.
    pub expression: String,
    /// Its argument, when it has one.
    pub argument: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// A linear system without a unique solution.
    Singular,
    /// A division by zero, or a result beyond the largest double.
    Infinite,
    /// A quantity that must not vanish tends to zero: the motion ends in a pole.
    Pole,
    /// An argument outside the domain, such as the root of a negative number.
    Domain,
    /// An argument outside the range of a table.
    Range,
    /// An input was not finite to begin with.
    Input,
    /// On both sides of a case distinction the motion leads back to the other.
    Sliding,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.kind {
            FailureKind::Singular => write!(f, "{} has no unique solution", self.expression)?,
            FailureKind::Infinite => write!(f, "{} is infinite", self.expression)?,
            FailureKind::Pole => write!(f, "the motion runs into the singularity of {}", self.expression)?,
            FailureKind::Domain => write!(f, "{} has no real value", self.expression)?,
            FailureKind::Range => write!(f, "{} is asked outside the range of its table", self.expression)?,
            FailureKind::Input => write!(f, "{} is not finite", self.expression)?,
            FailureKind::Sliding => write!(f, "the motion would have to stay where {} switches", self.expression)?,
        }
        match self.argument {
            Some(x) => write!(f, " (argument {x:?})"),
            None => Ok(()),
        }
    }
}

/// The first operation without a finite value among those whose operands have one; `None` when all is well.
/// `kernel` should be the careful one.
pub fn explain(kernel: &Kernel, banks: Banks) -> Option<Failure> {
    let mut interpreter = Interpreter::new(kernel);
    let mut outputs = vec![0.0; kernel.outputs().len()];
    let _ = interpreter.run(kernel, banks, &mut outputs);
    let finite = |v: Value| interpreter.values()[v.index()].is_finite();
    let blamed = kernel.values().find(|&v| !finite(v) && kernel.operands(kernel.op(v)).iter().all(|&a| finite(a)))?;
    let op = kernel.op(blamed);
    let kind = match op {
        Op::Input(_) | Op::Const(_) => FailureKind::Input,
        Op::Solution(..) => FailureKind::Singular,
        Op::Table(..) => FailureKind::Range,
        _ if interpreter.values()[blamed.index()].is_infinite() => FailureKind::Infinite,
        _ => FailureKind::Domain,
    };
    let named = match op {
        Op::Solution(solve, _) => solve,
        _ => blamed,
    };
    let argument = match op {
        Op::Unary(_, a) | Op::Table(_, _, a) | Op::Binary(Binary::Div, _, a) => Some(interpreter.values()[a.index()]),
        _ => None,
    };
    Some(Failure { kind, expression: kernel.describe(named), argument })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::ir::{KernelBuilder, Shape};

    fn check(build: impl FnOnce(&mut KernelBuilder, Value) -> Value, x: f64, expected: Result<f64, &str>) {
        let mut b = KernelBuilder::new("test");
        let input = b.input("x", Bank::State);
        let y = build(&mut b, input);
        b.output("y", y);
        let kernel = b.finish();
        let mut out = [0.0];
        evaluate(&kernel, [&[], &[x], &[], &[]], &mut out).unwrap();
        match expected {
            Ok(e) => assert_eq!(out[0].to_bits(), e.to_bits(), "{} and {e}", out[0]),
            Err(text) => {
                let failure = explain(&kernel, [&[], &[x], &[], &[]]).expect("a failure");
                assert_eq!(failure.to_string(), text);
            }
        }
    }

    #[test]
    fn failures_name_the_expression() {
        check(|b, x| b.sqrt(x), 4.0, Ok(2.0));
        check(|b, x| b.sqrt(x), -1.0, Err("sqrt(x) has no real value (argument -1.0)"));
        check(
            |b, x| {
                let one = b.constant(1.0);
                b.div(one, x)
            },
            0.0,
            Err("1 / x is infinite (argument 0.0)"),
        );
        check(
            |b, x| {
                let zero = b.constant(0.0);
                let one = b.constant(1.0);
                b.solve(Shape::General, vec![x, zero, zero, x], vec![one, one])[1]
            },
            0.0,
            Err("a linear system of 2 equations has no unique solution"),
        );
    }

    #[test]
    fn selections_compare() {
        let pick = |b: &mut KernelBuilder, x: Value| {
            let [zero, minus, plus] = [0.0, -7.0, 7.0].map(|c| b.constant(c));
            b.select(Comparison::Lt, x, zero, minus, plus)
        };
        check(pick, -1.0, Ok(-7.0));
        check(pick, 0.0, Ok(7.0));
        check(pick, f64::NAN, Ok(7.0));
    }
}
