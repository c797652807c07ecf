//! The `Kernel`: straight-line arithmetic over the reals, in single-assignment form, with named inputs
//! and outputs.
//!
//! ```text
//! kernel pendulum(state: theta, omega; parameter: g)
//!   v0 = input theta
//!   v1 = input omega
//!   v2 = sin v0
//!   v3 = input g
//!   v4 = v3 * v2
//!   v5 = -v4
//!   output theta' = v1
//!   output omega' = v5
//! ```
//!
//! A kernel has no control flow. A case distinction is a [`Select`](Op::Select); a linear system, which
//! needs pivoting, is one operation with many results ([`Solve`]), so that no symbolic inverse is ever
//! formed. Operations appear after their operands, and equal operations appear once: the
//! [`KernelBuilder`] shares them while they are made.
//!
//! The meaning of every operation is the function [`interpret::evaluate`](super::interpret); this file only
//! says which operations there are. Folding in the builder is restricted to what the executed
//! arithmetic would give, bit for bit: `x * 1` is `x`, but `x * 0` stays, since `x` may be infinite.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{HashTable, hash_table::Entry};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::interpret;
use super::libm::{self, Math};
use super::sparsity;
use super::table::Table;
use crate::algebra::function::Elementary;

/// The name of an intermediate result: the index of the operation that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(super) u32);

impl Value {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an input comes from. Each bank is one array handed to the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Bank {
    Time = 0,
    State = 1,
    Parameter = 2,
    /// Whatever a particular kernel needs besides: a direction, a step size.
    Extra = 3,
}

/// The number of banks a call passes.
pub const N_BANKS: usize = 4;

impl Bank {
    pub const ALL: [Bank; N_BANKS] = [Bank::Time, Bank::State, Bank::Parameter, Bank::Extra];

    pub fn name(self) -> &'static str {
        match self {
            Bank::Time => "time",
            Bank::State => "state",
            Bank::Parameter => "parameter",
            Bank::Extra => "extra",
        }
    }
}

/// A named input: entry `slot` of the array of its bank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub name: String,
    pub bank: Bank,
    pub slot: u32,
}

/// A named output: entry number `position in the list` of the array of outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    pub name: String,
    pub value: Value,
}

/// Operations with one argument: the elementary functions of one argument, and what the language writes otherwise. What
/// is known of a function numerically is in [`super::function`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Neg,
    Sqrt,
    /// A function of one argument. The sign of ±0 is ±0.
    Function(Elementary),
}

/// Short names of the functions of which some pass knows more than the table says.
#[allow(non_upper_case_globals)]
impl Unary {
    pub const Abs: Unary = Unary::Function(Elementary::Abs);
    pub const Sign: Unary = Unary::Function(Elementary::Sign);
    pub const Sin: Unary = Unary::Function(Elementary::Sin);
    pub const Cos: Unary = Unary::Function(Elementary::Cos);
    pub const Tan: Unary = Unary::Function(Elementary::Tan);
    pub const Asin: Unary = Unary::Function(Elementary::Asin);
    pub const Acos: Unary = Unary::Function(Elementary::Acos);
    pub const Atan: Unary = Unary::Function(Elementary::Atan);
    pub const Sinh: Unary = Unary::Function(Elementary::Sinh);
    pub const Cosh: Unary = Unary::Function(Elementary::Cosh);
    pub const Tanh: Unary = Unary::Function(Elementary::Tanh);
    pub const Asinh: Unary = Unary::Function(Elementary::Asinh);
    pub const Acosh: Unary = Unary::Function(Elementary::Acosh);
    pub const Atanh: Unary = Unary::Function(Elementary::Atanh);
    pub const Exp: Unary = Unary::Function(Elementary::Exp);
    pub const Log: Unary = Unary::Function(Elementary::Log);
}

impl Unary {
    /// Every one there is.
    pub fn all() -> Vec<Unary> {
        let functions = Elementary::all().filter(|f| f.row().arity == Some(1)).map(Unary::Function);
        [Unary::Neg, Unary::Sqrt].into_iter().chain(functions).collect()
    }

    pub fn name(self) -> &'static str {
        match self {
            Unary::Neg => "-",
            Unary::Sqrt => "sqrt",
            Unary::Function(f) => f.name(),
        }
    }
}

/// Functions of two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    /// NaN when an argument is, −0 below +0.
    Min,
    Max,
}

impl Binary {
    pub const ALL: [Binary; 8] =
        [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Pow, Binary::Atan2, Binary::Min, Binary::Max];

    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Pow => "^",
            Binary::Atan2 => "atan2",
            Binary::Min => "min",
            Binary::Max => "max",
        }
    }

    pub fn is_commutative(self) -> bool {
        matches!(self, Binary::Add | Binary::Mul | Binary::Min | Binary::Max)
    }
}

/// The condition of a [`Select`](Op::Select). A comparison with NaN is false, `Ne` is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    Lt,
    Le,
    Eq,
    Ne,
}

impl Comparison {
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
        }
    }
}

/// What is known about the matrix of a [`Solve`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    General,
    /// Symmetric, and usually definite: a mass matrix or its negative. Only the lower triangle is read.
    Symmetric,
}

/// Linear systems `M x = b` with one matrix, factorised once when the kernel runs.
///
/// Structural zeros are the constant 0 and cost nothing when the elimination is unrolled.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Solve {
    pub shape: Shape,
    /// Row by row, n² entries.
    pub matrix: Vec<Value>,
    /// n entries for every right-hand side, one after the other.
    pub rhs: Vec<Value>,
}

impl Solve {
    /// The number of unknowns.
    pub fn n(&self) -> usize {
        self.matrix.len().isqrt()
    }

    /// The number of right-hand sides.
    pub fn n_columns(&self) -> usize {
        self.rhs.len() / self.n().max(1)
    }
}

/// One operation. Its value is a real number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// The bits of a double.
    Const(u64),
    /// The number of an input in [`Kernel::inputs`].
    Input(u32),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// `a*b + c`, rounded once.
    Fma(Value, Value, Value),
    /// An integer power by the multiplication chain of [`super::libm::powi`].
    PowI(Value, i32),
    /// `if a ⋚ b { then } else { otherwise }`, as `[a, b, then, otherwise]`.
    Select(Comparison, [Value; 4]),
    /// Factorises and solves the system with this number in [`Kernel::solves`]. Its value is 1.
    Solve(u32),
    /// Component `.1` of the solutions that operation `.0` computed.
    Solution(Value, u32),
    /// The interpolating spline number `.0` of [`Kernel::tables`], differentiated `.1` times, at a value.
    Table(u32, u8, Value),
    /// Demands a value ≥ +0; otherwise the call is repeated on the careful kernel. Its value is the operand.
    Guard(Value),
}

/// Straight-line real arithmetic, inputs and outputs named.
#[derive(Clone, Default)]
pub struct Kernel {
    pub name: String,
    /// Which sine and cosine the kernel means.
    pub math: Math,
    /// Its parts wait for each other, as the stages of a step do: the time of a call is the time of a chain of operations.
    pub one_chain: bool,
    /// Values that do the same for neighbouring components: an invitation to compute them together.
    pub neighbours: Vec<(Value, Value)>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    ops: Vec<Op>,
    solves: Vec<Solve>,
    tables: Vec<Arc<Table>>,
    labels: FxHashMap<Value, String>,
}

impl Kernel {
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    pub fn op(&self, value: Value) -> Op {
        self.ops[value.index()]
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = Value> + use<> {
        (0..self.ops.len() as u32).map(Value)
    }

    pub fn solves(&self) -> &[Solve] {
        &self.solves
    }

    pub fn tables(&self) -> &[Arc<Table>] {
        &self.tables
    }

    /// What the user wrote for this value, when the lowering recorded it.
    pub fn label(&self, value: Value) -> Option<&str> {
        self.labels.get(&value).map(String::as_str)
    }

    /// How many doubles the array of a bank must have.
    pub fn bank_len(&self, bank: Bank) -> usize {
        self.inputs.iter().filter(|i| i.bank == bank).map(|i| i.slot as usize + 1).max().unwrap_or(0)
    }

    /// The constant a value is, if it is one.
    pub fn constant(&self, value: Value) -> Option<f64> {
        match self.op(value) {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The operands of an operation, in order.
    pub fn operands(&self, op: Op) -> SmallVec<[Value; 4]> {
        match op {
            Op::Const(_) | Op::Input(_) => SmallVec::new(),
            Op::Unary(_, a) | Op::PowI(a, _) | Op::Table(_, _, a) | Op::Guard(a) | Op::Solution(a, _) => {
                SmallVec::from_slice(&[a])
            }
            Op::Binary(_, a, b) => SmallVec::from_slice(&[a, b]),
            Op::Fma(a, b, c) => SmallVec::from_slice(&[a, b, c]),
            Op::Select(_, args) => SmallVec::from_slice(&args),
            Op::Solve(number) => {
                let solve = &self.solves[number as usize];
                solve.matrix.iter().chain(&solve.rhs).copied().collect()
            }
        }
    }

    /// The number of arithmetic operations: everything but constants, inputs and components of solutions.
    pub fn n_operations(&self) -> usize {
        self.ops.iter().filter(|op| !matches!(op, Op::Const(_) | Op::Input(_) | Op::Solution(..))).count()
    }

    /// The operations that are alive, in their order, inputs first: nothing is rewritten. `None` if there are linear systems,
    /// which are numbered apart.
    pub(super) fn compacted(&self, alive: &[bool]) -> Option<Kernel> {
        if !self.solves.is_empty() {
            return None;
        }
        let mut map = vec![Value(u32::MAX); self.ops.len()];
        let mut ops: Vec<Op> = Vec::with_capacity(self.ops.len());
        let is_input = |value: &Value| matches!(self.op(*value), Op::Input(_));
        let inputs = self.values().filter(is_input);
        let others = self.values().filter(|value| alive[value.index()] && !is_input(value));
        for value in inputs.chain(others) {
            let at = |v: Value| map[v.index()];
            let op = match self.op(value) {
                op @ (Op::Const(_) | Op::Input(_) | Op::Solve(_)) => op,
                Op::Unary(f, a) => Op::Unary(f, at(a)),
                Op::Binary(f, a, b) => Op::Binary(f, at(a), at(b)),
                Op::Fma(a, b, c) => Op::Fma(at(a), at(b), at(c)),
                Op::PowI(a, n) => Op::PowI(at(a), n),
                Op::Select(cmp, args) => Op::Select(cmp, args.map(at)),
                Op::Solution(solve, i) => Op::Solution(at(solve), i),
                Op::Table(t, derivative, a) => Op::Table(t, derivative, at(a)),
                Op::Guard(a) => Op::Guard(at(a)),
            };
            map[value.index()] = Value(ops.len() as u32);
            ops.push(op);
        }
        let outputs = self.outputs.iter().map(|o| Output { value: map[o.value.index()], ..o.clone() }).collect();
        let labels = self.labels.iter().filter(|(v, _)| alive[v.index()] || is_input(v));
        Some(Kernel {
            name: self.name.clone(),
            math: self.math,
            inputs: self.inputs.clone(),
            outputs,
            ops,
            tables: self.tables.clone(),
            labels: labels.map(|(v, label)| (map[v.index()], label.clone())).collect(),
            ..Kernel::default()
        })
    }

    /// How often each value is used, outputs included.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.ops.len()];
        for &op in &self.ops {
            for operand in self.operands(op) {
                counts[operand.index()] += 1;
            }
        }
        for output in &self.outputs {
            counts[output.value.index()] += 1;
        }
        counts
    }

    /// Whether some operation is not smooth: its kinks and jumps are events of a run.
    pub fn switching_values(&self) -> Vec<Value> {
        self.values()
            .filter(|&v| {
                matches!(
                    self.op(v),
                    Op::Unary(Unary::Abs | Unary::Sign, _)
                        | Op::Binary(Binary::Min | Binary::Max, ..)
                        | Op::Select(..)
                        | Op::Table(..)
                )
            })
            .collect()
    }

    /// The text of a value as an expression, at most `budget` operations deep in size.
    pub fn describe(&self, value: Value) -> String {
        if let Some(label) = self.label(value) {
            return label.to_string();
        }
        let mut text = String::new();
        let mut budget = 40;
        self.write_expression(value, 0, &mut budget, &mut text);
        text
    }

    /// Depth is bounded by the budget, so the recursion is too.
    fn write_expression(&self, value: Value, level: u8, budget: &mut usize, out: &mut String) {
        use fmt::Write;
        if *budget == 0 {
            out.push('…');
            return;
        }
        *budget -= 1;
        if let Some(label) = self.label(value) {
            let _ = write!(out, "({label})");
            return;
        }
        match self.op(value) {
            Op::Const(bits) => {
                let _ = write!(out, "{}", f64::from_bits(bits));
            }
            Op::Input(i) => out.push_str(&self.inputs[i as usize].name),
            Op::Unary(Unary::Neg, a) => {
                out.push('-');
                self.write_expression(a, 3, budget, out);
            }
            Op::Unary(f, a) => self.write_call(f.name(), &[a], budget, out),
            Op::Binary(op @ (Binary::Atan2 | Binary::Min | Binary::Max), a, b) => {
                self.write_call(op.name(), &[a, b], budget, out)
            }
            Op::Binary(op, a, b) => {
                let (own, left, right) = match op {
                    Binary::Add => (1, 1, 1),
                    Binary::Sub => (1, 1, 2),
                    Binary::Mul => (2, 2, 2),
                    Binary::Div => (2, 2, 3),
                    _ => (4, 5, 4),
                };
                self.write_infix(op.name(), a, b, [own, left, right], level, budget, out);
            }
            Op::Fma(a, b, c) => {
                let open = level > 1;
                if open {
                    out.push('(');
                }
                self.write_infix("*", a, b, [2, 2, 2], 1, budget, out);
                out.push_str(" + ");
                self.write_expression(c, 1, budget, out);
                if open {
                    out.push(')');
                }
            }
            Op::PowI(a, n) => {
                self.write_expression(a, 5, budget, out);
                let _ = write!(out, "^{n}");
            }
            Op::Select(cmp, [a, b, then, otherwise]) => {
                out.push_str("if ");
                self.write_infix(cmp.name(), a, b, [0, 1, 1], 0, budget, out);
                out.push_str(" then ");
                self.write_expression(then, 1, budget, out);
                out.push_str(" else ");
                self.write_expression(otherwise, 1, budget, out);
            }
            Op::Solve(number) => {
                let solve = &self.solves[number as usize];
                if let [coefficient] = solve.matrix[..] {
                    out.push_str("the equation with the coefficient ");
                    return self.write_expression(coefficient, 0, budget, out);
                }
                let _ = write!(out, "a linear system of {} equations", solve.n());
            }
            Op::Solution(solve, item) => {
                let _ = write!(out, "unknown {} of ", item + 1);
                self.write_expression(solve, 0, budget, out);
            }
            Op::Table(table, derivative, a) => {
                let name = format!("{}{}", self.tables[table as usize].name, "'".repeat(derivative as usize));
                self.write_call(&name, &[a], budget, out);
            }
            Op::Guard(a) => self.write_expression(a, level, budget, out),
        }
    }

    fn write_call(&self, name: &str, args: &[Value], budget: &mut usize, out: &mut String) {
        out.push_str(name);
        out.push('(');
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write_expression(arg, 0, budget, out);
        }
        out.push(')');
    }

    #[allow(clippy::too_many_arguments)]
    fn write_infix(
        &self,
        name: &str,
        a: Value,
        b: Value,
        [own, left, right]: [u8; 3],
        level: u8,
        budget: &mut usize,
        out: &mut String,
    ) {
        if level > own {
            out.push('(');
        }
        self.write_expression(a, left, budget, out);
        if name == "^" {
            out.push('^');
        } else {
            out.push(' ');
            out.push_str(name);
            out.push(' ');
        }
        self.write_expression(b, right, budget, out);
        if level > own {
            out.push(')');
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "kernel {}", self.name)?;
        for (i, &op) in self.ops.iter().enumerate() {
            write!(f, "\n  v{i} = ")?;
            match op {
                Op::Const(bits) => write!(f, "{:?}", f64::from_bits(bits))?,
                Op::Input(n) => write!(f, "input {}", self.inputs[n as usize].name)?,
                Op::Unary(u, a) => write!(f, "{} v{}", u.name(), a.0)?,
                Op::Binary(b, x, y) => write!(f, "v{} {} v{}", x.0, b.name(), y.0)?,
                Op::Fma(a, b, c) => write!(f, "v{} * v{} + v{}", a.0, b.0, c.0)?,
                Op::PowI(a, n) => write!(f, "v{}^{n}", a.0)?,
                Op::Select(c, [a, b, x, y]) => {
                    write!(f, "if v{} {} v{} then v{} else v{}", a.0, c.name(), b.0, x.0, y.0)?
                }
                Op::Solve(n) => write!(f, "solve {:?}", self.solves[n as usize])?,
                Op::Solution(s, i) => write!(f, "solution v{} [{i}]", s.0)?,
                Op::Table(t, d, a) => write!(f, "table {t} '{d} v{}", a.0)?,
                Op::Guard(a) => write!(f, "guard v{}", a.0)?,
            }
        }
        for output in &self.outputs {
            write!(f, "\n  output {} = v{}", output.name, output.value.0)?;
        }
        Ok(())
    }
}

/// Makes a kernel, sharing equal operations as it goes.
#[derive(Default)]
pub struct KernelBuilder {
    kernel: Kernel,
    /// The operations by what they are: numbers of four bytes, so that the table stays in the cache.
    known: HashTable<Value>,
    known_solves: FxHashMap<Solve, u32>,
    known_inputs: FxHashMap<(Bank, u32), u32>,
    bank_lens: [u32; N_BANKS],
}

impl KernelBuilder {
    pub fn new(name: impl Into<String>) -> Self {
        KernelBuilder { kernel: Kernel { name: name.into(), ..Kernel::default() }, ..KernelBuilder::default() }
    }

    /// A builder whose inputs are those of another kernel, in the same order: input `i` is `values[i]`.
    pub fn like(other: &Kernel) -> (Self, Vec<Value>) {
        let mut builder = KernelBuilder::new(other.name.clone());
        builder.reserve(other.ops.len());
        builder.kernel.math = other.math;
        let values = other.inputs.iter().map(|i| builder.input_at(&i.name, i.bank, i.slot)).collect();
        (builder, values)
    }

    /// Makes room for that many operations.
    pub fn reserve(&mut self, operations: usize) {
        self.kernel.ops.reserve(operations);
        let ops = &self.kernel.ops;
        self.known.reserve(operations, |value| hash_of(&ops[value.index()]));
    }

    pub fn set_math(&mut self, math: Math) {
        self.kernel.math = math;
    }

    /// The next input of a bank.
    pub fn input(&mut self, name: &str, bank: Bank) -> Value {
        self.input_at(name, bank, self.bank_lens[bank as usize])
    }

    /// The input at a given place of a bank.
    pub fn input_at(&mut self, name: &str, bank: Bank, slot: u32) -> Value {
        let next = self.kernel.inputs.len() as u32;
        let number = *self.known_inputs.entry((bank, slot)).or_insert(next);
        if number == next {
            self.kernel.inputs.push(Input { name: name.to_string(), bank, slot });
            let len = &mut self.bank_lens[bank as usize];
            *len = (*len).max(slot + 1);
        }
        self.push(Op::Input(number))
    }

    pub fn constant(&mut self, x: f64) -> Value {
        self.push(Op::Const(x.to_bits()))
    }

    pub fn as_constant(&self, value: Value) -> Option<f64> {
        self.kernel.constant(value)
    }

    pub fn op(&self, value: Value) -> Op {
        self.kernel.op(value)
    }

    pub fn len(&self) -> usize {
        self.kernel.ops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kernel.ops.is_empty()
    }

    pub fn unary(&mut self, f: Unary, a: Value) -> Value {
        if let Some(x) = self.as_constant(a) {
            let y = match (f, self.kernel.math) {
                (Unary::Sin, Math::Inline) if x.abs() <= libm::INLINE_LIMIT => libm::sin_cos(x).0,
                (Unary::Cos, Math::Inline) if x.abs() <= libm::INLINE_LIMIT => libm::sin_cos(x).1,
                (Unary::Exp, Math::Inline) if x.abs() <= libm::EXP_LIMIT => libm::exp_inline(x),
                (Unary::Log, Math::Inline) if libm::log_accepts(x) => libm::log_inline(x),
                _ => interpret::unary(f, x),
            };
            if !y.is_nan() {
                return self.constant(y);
            }
        }
        match (f, self.op(a)) {
            (Unary::Neg, Op::Unary(Unary::Neg, x)) => x,
            (Unary::Abs, Op::Unary(Unary::Neg | Unary::Abs, x)) => self.push(Op::Unary(Unary::Abs, x)),
            _ => self.push(Op::Unary(f, a)),
        }
    }

    pub fn binary(&mut self, f: Binary, a: Value, b: Value) -> Value {
        let (ca, cb) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (ca, cb) {
            let z = interpret::binary(f, x, y);
            if !z.is_nan() {
                return self.constant(z);
            }
        }
        match (f, ca, cb) {
            // −0 is the neutral element of addition: x + 0 turns −0 into +0.
            (Binary::Add, _, Some(y)) if is_negative_zero(y) => return a,
            (Binary::Add, Some(x), _) if is_negative_zero(x) => return b,
            (Binary::Sub, _, Some(y)) if y.to_bits() == 0 => return a,
            (Binary::Sub, Some(x), _) if is_negative_zero(x) => return self.neg(b),
            (Binary::Mul | Binary::Div, _, Some(1.0)) => return a,
            (Binary::Mul, Some(1.0), _) => return b,
            (Binary::Mul | Binary::Div, _, Some(-1.0)) => return self.neg(a),
            (Binary::Mul, Some(-1.0), _) => return self.neg(b),
            (Binary::Div, _, Some(y)) if is_power_of_two(y) => {
                let reciprocal = self.constant(1.0 / y);
                return self.binary(Binary::Mul, a, reciprocal);
            }
            _ => {}
        }
        // a + (−b) and a − (−b): the same real operation with the same rounding.
        match (f, self.op(a), self.op(b)) {
            (Binary::Add, _, Op::Unary(Unary::Neg, y)) => return self.binary(Binary::Sub, a, y),
            (Binary::Add, Op::Unary(Unary::Neg, x), _) => return self.binary(Binary::Sub, b, x),
            (Binary::Sub, _, Op::Unary(Unary::Neg, y)) => return self.binary(Binary::Add, a, y),
            (Binary::Mul | Binary::Div, Op::Unary(Unary::Neg, x), Op::Unary(Unary::Neg, y)) => {
                return self.binary(f, x, y);
            }
            _ => {}
        }
        let (a, b) = if f.is_commutative() && b < a { (b, a) } else { (a, b) };
        self.push(Op::Binary(f, a, b))
    }

    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Add, a, b)
    }

    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Sub, a, b)
    }

    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Mul, a, b)
    }

    pub fn div(&mut self, a: Value, b: Value) -> Value {
        self.binary(Binary::Div, a, b)
    }

    pub fn neg(&mut self, a: Value) -> Value {
        self.unary(Unary::Neg, a)
    }

    pub fn sqrt(&mut self, a: Value) -> Value {
        self.unary(Unary::Sqrt, a)
    }

    pub fn sin(&mut self, a: Value) -> Value {
        self.unary(Unary::Sin, a)
    }

    pub fn cos(&mut self, a: Value) -> Value {
        self.unary(Unary::Cos, a)
    }

    /// `a*b + c` rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if let (Some(x), Some(y), Some(z)) = (self.as_constant(a), self.as_constant(b), self.as_constant(c)) {
            let w = x.mul_add(y, z);
            if !w.is_nan() {
                return self.constant(w);
            }
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(1.0), _) => self.add(b, c),
            (_, Some(1.0)) => self.add(a, c),
            (Some(-1.0), _) => self.sub(c, b),
            (_, Some(-1.0)) => self.sub(c, a),
            _ => self.push(Op::Fma(a, b, c)),
        }
    }

    pub fn powi(&mut self, a: Value, n: i32) -> Value {
        match n {
            0 => self.constant(1.0),
            1 => a,
            2 => self.mul(a, a),
            _ => match self.as_constant(a) {
                Some(x) => self.constant(libm::powi(x, n)),
                None => self.push(Op::PowI(a, n)),
            },
        }
    }

    pub fn pow(&mut self, a: Value, b: Value) -> Value {
        match self.as_constant(b) {
            Some(y) if y == y.trunc() && y.abs() <= 64.0 => self.powi(a, y as i32),
            _ => self.binary(Binary::Pow, a, b),
        }
    }

    pub fn select(&mut self, cmp: Comparison, a: Value, b: Value, then: Value, otherwise: Value) -> Value {
        if then == otherwise {
            return then;
        }
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return if interpret::compare(cmp, x, y) { then } else { otherwise };
        }
        self.push(Op::Select(cmp, [a, b, then, otherwise]))
    }

    /// Solves `M x = b`; the result is the solution, one value per unknown, for every right-hand side.
    pub fn solve(&mut self, shape: Shape, matrix: Vec<Value>, rhs: Vec<Value>) -> Vec<Value> {
        let n = matrix.len().isqrt();
        assert!(n > 0 && matrix.len() == n * n && rhs.len().is_multiple_of(n), "a linear system needs a square matrix");
        let count = rhs.len() as u32;
        let mut solve = Solve { shape, matrix, rhs };
        if shape == Shape::Symmetric {
            for i in 0..n {
                for j in i + 1..n {
                    solve.matrix[i * n + j] = solve.matrix[j * n + i];
                }
            }
        }
        let next = self.kernel.solves.len() as u32;
        let number = *self.known_solves.entry(solve.clone()).or_insert(next);
        if number == next {
            self.kernel.solves.push(solve);
        }
        let op = self.push(Op::Solve(number));
        (0..count).map(|i| self.push(Op::Solution(op, i))).collect()
    }

    /// The same; of a symmetric matrix each set of unknowns that shares no equation with the others by a system of its own, in an
    /// order that keeps what is sparse sparse: a mass matrix of blocks is factorised block by block, a diagonal one not at all.
    pub fn solve_by_blocks(&mut self, shape: Shape, matrix: &[Value], rhs: &[Value]) -> Vec<Value> {
        let n = matrix.len().isqrt();
        assert!(n > 0 && matrix.len() == n * n && rhs.len().is_multiple_of(n), "a linear system needs a square matrix");
        let mut solution = rhs.to_vec();
        if shape == Shape::General {
            return self.solve_by_general_blocks(matrix, rhs);
        }
        let blocks = sparsity::blocks(n, |i, j| self.as_constant(matrix[i * n + j]) != Some(0.0));
        for block in blocks {
            let there = |i: usize, j: usize| self.as_constant(matrix[block[i] * n + block[j]]) != Some(0.0);
            let block: Vec<usize> = sparsity::order(block.len(), there).into_iter().map(|i| block[i]).collect();
            let entries = block.iter().flat_map(|&i| block.iter().map(move |&j| matrix[i * n + j])).collect::<Vec<_>>();
            let places: Vec<usize> =
                (0..rhs.len() / n).flat_map(|column| block.iter().map(move |&i| column * n + i)).collect();
            let right: Vec<Value> = places.iter().map(|&i| rhs[i]).collect();
            let x = match entries[..] {
                [c] if self.as_constant(c).is_some_and(|c| c != 0.0) => {
                    let one = self.constant(1.0);
                    let inverse = self.div(one, c);
                    right.iter().map(|&r| self.mul(r, inverse)).collect()
                }
                _ => self.solve(shape, entries, right),
            };
            places.into_iter().zip(x).for_each(|(i, x)| solution[i] = x);
        }
        solution
    }

    /// The same of any matrix: equations and unknowns that share no entry with others. Pivots are sought among the rows of a block.
    fn solve_by_general_blocks(&mut self, matrix: &[Value], rhs: &[Value]) -> Vec<Value> {
        let n = matrix.len().isqrt();
        let there = |i: usize, j: usize| self.as_constant(matrix[i * n + j]) != Some(0.0);
        let blocks = sparsity::blocks(2 * n, |i, j| i < n && j >= n && there(i, j - n));
        let halves = blocks.into_iter().map(|block| block.into_iter().partition(|i| *i < n));
        let halves: Vec<(Vec<usize>, Vec<usize>)> = halves.collect();
        if halves.len() == 1 || halves.iter().any(|(rows, columns)| rows.len() != columns.len()) {
            return self.solve(Shape::General, matrix.to_vec(), rhs.to_vec());
        }
        let mut solution = rhs.to_vec();
        for (rows, columns) in halves {
            let entry = |i: &usize, j: &usize| matrix[i * n + j - n];
            let entries: Vec<Value> = rows.iter().flat_map(|i| columns.iter().map(move |j| entry(i, j))).collect();
            let of = |places: &[usize]| -> Vec<usize> {
                (0..rhs.len() / n).flat_map(|side| places.iter().map(move |i| side * n + i % n)).collect()
            };
            let right: Vec<Value> = of(&rows).into_iter().map(|i| rhs[i]).collect();
            let x = match entries[..] {
                [c] if self.as_constant(c).is_some() => {
                    let one = self.constant(1.0);
                    let inverse = self.div(one, c);
                    right.iter().map(|&r| self.mul(r, inverse)).collect()
                }
                _ => self.solve(Shape::General, entries, right),
            };
            of(&columns).into_iter().zip(x).for_each(|(i, x)| solution[i] = x);
        }
        solution
    }

    /// A component of the solutions of a system that is already part of the kernel.
    pub fn solution(&mut self, solve: Value, item: u32) -> Value {
        debug_assert!(matches!(self.op(solve), Op::Solve(_)));
        self.push(Op::Solution(solve, item))
    }

    pub fn table(&mut self, table: &Arc<Table>, derivative: u8, at: Value) -> Value {
        let found = self.kernel.tables.iter().position(|t| Arc::ptr_eq(t, table));
        let number = found.unwrap_or_else(|| {
            self.kernel.tables.push(table.clone());
            self.kernel.tables.len() - 1
        });
        self.push(Op::Table(number as u32, derivative, at))
    }

    /// Demands `a ≥ +0`, else the whole call is repeated carefully.
    pub fn guard(&mut self, a: Value) -> Value {
        self.push(Op::Guard(a))
    }

    /// Remembers what the user wrote for a value, for messages.
    pub fn label(&mut self, value: Value, text: impl Into<String>) {
        self.kernel.labels.entry(value).or_insert_with(|| text.into());
    }

    pub fn output(&mut self, name: impl Into<String>, value: Value) {
        self.kernel.outputs.push(Output { name: name.into(), value });
    }

    /// Copies one operation of another kernel; `map` says what its operands are here.
    pub fn copy(&mut self, from: &Kernel, value: Value, map: &dyn Fn(Value) -> Value) -> Value {
        let new = match from.op(value) {
            Op::Const(bits) => self.push(Op::Const(bits)),
            Op::Input(i) => {
                let input = &from.inputs[i as usize];
                self.input_at(&input.name, input.bank, input.slot)
            }
            Op::Unary(f, a) => self.unary(f, map(a)),
            Op::Binary(f, a, b) => self.binary(f, map(a), map(b)),
            Op::Fma(a, b, c) => self.fma(map(a), map(b), map(c)),
            Op::PowI(a, n) => self.powi(map(a), n),
            Op::Select(cmp, [a, b, c, d]) => self.select(cmp, map(a), map(b), map(c), map(d)),
            Op::Solve(number) => {
                let solve = &from.solves[number as usize];
                let matrix = solve.matrix.iter().map(|&v| map(v)).collect();
                let rhs = solve.rhs.iter().map(|&v| map(v)).collect();
                let x = self.solve(solve.shape, matrix, rhs);
                match self.op(x[0]) {
                    Op::Solution(op, _) => op,
                    _ => unreachable!("components of a solution are never folded"),
                }
            }
            Op::Solution(solve, i) => self.push(Op::Solution(map(solve), i)),
            Op::Table(t, derivative, a) => self.table(&from.tables[t as usize].clone(), derivative, map(a)),
            Op::Guard(a) => self.guard(map(a)),
        };
        if let Some(label) = from.labels.get(&value) {
            self.label(new, label.clone());
        }
        new
    }

    /// Evaluates another kernel inside this one. `bind` gives the values of its inputs.
    pub fn inline(&mut self, other: &Kernel, bind: &mut dyn FnMut(&mut Self, &Input) -> Value) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(other.ops.len());
        for value in other.values() {
            let new = match other.op(value) {
                Op::Input(i) => bind(self, &other.inputs[i as usize]),
                _ => self.copy(other, value, &|v| values[v.index()]),
            };
            values.push(new);
        }
        other.outputs.iter().map(|o| values[o.value.index()]).collect()
    }

    pub fn finish(self) -> Kernel {
        self.kernel
    }

    fn push(&mut self, op: Op) -> Value {
        let ops = &mut self.kernel.ops;
        let is_same = |value: &Value| ops[value.index()] == op;
        match self.known.entry(hash_of(&op), is_same, |value| hash_of(&ops[value.index()])) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let value = Value(ops.len() as u32);
                place.insert(value);
                ops.push(op);
                value
            }
        }
    }
}

fn hash_of(op: &Op) -> u64 {
    FxBuildHasher.hash_one(op)
}

fn is_negative_zero(x: f64) -> bool {
    x.to_bits() == (-0.0f64).to_bits()
}

/// A power of two whose reciprocal is a normal number, so that dividing and multiplying round alike.
fn is_power_of_two(x: f64) -> bool {
    x.is_normal() && x.to_bits() & ((1 << 52) - 1) == 0 && (1.0 / x).is_normal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_operations_appear_once() {
        let mut b = KernelBuilder::new("shared");
        let x = b.input("x", Bank::State);
        let y = b.input("y", Bank::State);
        let xy = b.mul(x, y);
        let yx = b.mul(y, x);
        assert_eq!(xy, yx);
        let s = b.sin(xy);
        assert_eq!(b.sin(yx), s);
    }

    #[test]
    fn folding_keeps_infinities_and_signed_zeros() {
        let mut b = KernelBuilder::new("fold");
        let x = b.input("x", Bank::State);
        let [zero, minus_zero, one, half] = [0.0, -0.0, 1.0, 0.5].map(|c| b.constant(c));
        assert_eq!(b.mul(x, one), x);
        assert_eq!(b.add(x, minus_zero), x);
        assert_ne!(b.add(x, zero), x);
        assert_ne!(b.mul(x, zero), zero);
        let d = b.div(x, half);
        let two = b.constant(2.0);
        assert_eq!(d, b.mul(x, two));
    }

    #[test]
    fn values_print_as_expressions() {
        let mut b = KernelBuilder::new("text");
        let x = b.input("x", Bank::State);
        let y = b.input("y", Bank::State);
        let sum = b.add(x, y);
        let product = b.mul(sum, x);
        let root = b.sqrt(product);
        b.output("r", root);
        let k = b.finish();
        assert_eq!(k.describe(root), "sqrt(x * (x + y))");
    }
}
