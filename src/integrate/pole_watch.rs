//! Poles of the field between two states of a run with fixed steps.
//!
//! A method that finds its steps slows down before a pole, and ends there ([`super::poles`]). A step of a given length goes over it, and
//! what follows is no motion of the system: a stone that falls into a centre comes out of it with some velocity, a mass that has
//! become negative moves on. So what must not vanish is watched: denominators, cosines of tangents, determinants of
//! linear systems. Where one of them changes its sign in a step, the field is looked at on the way from the one state to the other,
//! nearer and nearer to the zero; if it grows there without bound, the run ends where the step began. A zero at
//! which the field stays finite, as that of sin(x)/x, is none.
//!
//! Only factors that can change their sign are watched: x for 1/x², nothing for 1/√(x² + y²).

use crate::codegen::compiled::{Caller, compile};
use crate::codegen::interpret::{Failure, FailureKind};
use crate::codegen::ir::{Bank, Binary, Kernel, KernelBuilder, Op, Unary, Value};
use crate::codegen::optimise;
use crate::codegen::sign::never_negative;

use super::poles::sign_of_determinant;
use super::problem::{InitialValueProblem, Motion, quick};

/// The watch of a run.
pub struct PoleWatch<'a> {
    margins: Caller,
    field: Caller,
    parameters: &'a [f64],
    watched: Vec<Margin>,
    /// What the kernel computes: entries of matrices row by row.
    numbers: Vec<f64>,
    signs: [Vec<f64>; 2],
    t: f64,
    state: Vec<f64>,
}

/// Something that must not vanish.
#[derive(Clone, Debug)]
struct Margin {
    /// Rows of a matrix whose determinant it is; 0 for a number by itself.
    rows: usize,
    kind: FailureKind,
    expression: String,
}

/// Steps of a run that is worth compiled margins, however few.
const LONG: f64 = 1e4;

/// Matrices of more rows are not watched, nor more margins than these.
const LARGEST: usize = 64;
const MOST: usize = 256;

/// Distances from a zero, in steps, at which the field is compared, and by how much it must grow from one to the next:
/// less than that of any root of the distance down to the sixth.
const NEARER: [f64; 3] = [1e-2, 1e-5, 1e-8];
const GROWTH: f64 = 3.0;

impl<'a> PoleWatch<'a> {
    /// None where nothing can vanish.
    pub fn new(motion: &Motion, problem: &'a InitialValueProblem, modes: &[f64]) -> Option<PoleWatch<'a>> {
        let (kernel, watched) = margins(motion.field().kernel())?;
        let n = watched.len();
        let step = problem.step.unwrap_or((problem.end - problem.start) / 1000.0).abs();
        let is_long = (problem.end - problem.start).abs() > LONG * step;
        let numbers = vec![0.0; kernel.outputs().len()];
        let compiled = if is_long { compile(kernel, motion.options()) } else { quick(kernel, motion.options()) };
        let mut watch = PoleWatch {
            numbers,
            margins: compiled.caller(),
            field: motion.field().caller(),
            parameters: &problem.parameters,
            watched,
            signs: [vec![0.0; n], vec![0.0; n]],
            t: problem.start,
            state: problem.state.clone(),
        };
        watch.begin(problem.start, &problem.state, modes);
        Some(watch)
    }

    /// From here on, with these decisions.
    pub fn begin(&mut self, t: f64, state: &[f64], modes: &[f64]) {
        self.signs_at(t, state, modes);
        self.signs.swap(0, 1);
        self.t = t;
        self.state.copy_from_slice(state);
    }

    /// The state before a step to this one that goes over a pole, and what has it.
    pub fn look(&mut self, t: f64, state: &[f64], modes: &[f64]) -> Option<(f64, Vec<f64>, Failure)> {
        self.signs_at(t, state, modes);
        let [before, after] = &self.signs;
        let changed = (0..self.watched.len()).filter(|i| before[*i] * after[*i] < 0.0).collect::<Vec<_>>();
        for i in changed {
            if self.is_pole(i, t, state, modes) {
                let Margin { kind, expression, .. } = self.watched[i].clone();
                let failure = Failure { kind, expression, argument: None };
                return Some((self.t, self.state.clone(), failure));
            }
            self.signs_at(t, state, modes);
        }
        self.signs.swap(0, 1);
        self.t = t;
        self.state.copy_from_slice(state);
        None
    }

    /// 0 where there is no value.
    fn signs_at(&mut self, t: f64, state: &[f64], modes: &[f64]) {
        let called = self.margins.call([&[t], state, self.parameters, modes], &mut self.numbers);
        let mut rest = self.numbers.as_mut_slice();
        for (margin, sign) in self.watched.iter().zip(&mut self.signs[1]) {
            let (own, others) = std::mem::take(&mut rest).split_at_mut((margin.rows * margin.rows).max(1));
            rest = others;
            *sign = match (called.is_ok(), margin.rows) {
                (false, _) => 0.0,
                (true, 0) if own[0] == 0.0 => 0.0,
                (true, 0) => own[0].signum(),
                (true, rows) => sign_of_determinant(own, rows),
            };
        }
    }

    /// Whether the field grows without bound towards the zero between the last state and this one.
    fn is_pole(&mut self, i: usize, t: f64, state: &[f64], modes: &[f64]) -> bool {
        let (t0, y0) = (self.t, self.state.clone());
        let between = |theta: f64| -> (f64, Vec<f64>) {
            (t0 + theta * (t - t0), y0.iter().zip(state).map(|(a, b)| a + theta * (b - a)).collect())
        };
        let first = self.signs[0][i];
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 1e-15 {
            let middle = 0.5 * (low + high);
            if middle == low || middle == high {
                break;
            }
            let (time, y) = between(middle);
            self.signs_at(time, &y, modes);
            if self.signs[1][i] == first { low = middle } else { high = middle }
        }
        let zero = 0.5 * (low + high);
        let inward = if zero > 0.5 { -1.0 } else { 1.0 };
        let mut sizes = vec![];
        for distance in NEARER {
            let (time, y) = between(zero + inward * distance);
            let mut slope = vec![0.0; y.len()];
            if self.field.call([&[time], &y, self.parameters, modes], &mut slope).is_err() {
                // Where there is no value so near to it, there is none at it.
                return sizes.len() > 1;
            }
            sizes.push(slope);
        }
        let grows = |l: usize| {
            let [far, near, nearest] = [0, 1, 2].map(|d: usize| sizes[d][l].abs());
            far > 0.0 && near >= GROWTH * far && nearest >= GROWTH * near
        };
        (0..y0.len()).any(grows)
    }
}

/// The margins of a field as a kernel of the same inputs.
fn margins(field: &Kernel) -> Option<(Kernel, Vec<Margin>)> {
    let n = field.ops().len();
    let positive = never_negative(field);
    let mut moves = vec![false; n];
    for value in field.values() {
        let op = field.op(value);
        moves[value.index()] = match op {
            Op::Input(i) => matches!(field.inputs()[i as usize].bank, Bank::State | Bank::Time),
            _ => field.operands(op).iter().any(|v| moves[v.index()]),
        };
    }
    let (mut b, _) = KernelBuilder::like(field);
    let mut copied: Vec<Value> = Vec::with_capacity(n);
    for value in field.values() {
        let new = b.copy(field, value, &|v| copied[v.index()]);
        copied.push(new);
    }
    let mut watched: Vec<Margin> = vec![];
    let mut known = vec![];
    for owner in field.values() {
        if watched.len() >= MOST {
            break;
        }
        let mut factors: Vec<Value> = match field.op(owner) {
            Op::Binary(Binary::Div, _, below) => vec![below],
            Op::PowI(a, e) if e < 0 => vec![a],
            Op::Unary(f, a) if moves[a.index()] => {
                if let Some(g) = f.vanishing_at_poles() {
                    let margin = b.unary(Unary::Function(g), copied[a.index()]);
                    b.output(format!("margin{}", watched.len()), margin);
                    watched.push(Margin { rows: 0, kind: FailureKind::Pole, expression: field.describe(owner) });
                }
                continue;
            }
            Op::Solve(number) => {
                let solve = &field.solves()[number as usize];
                if solve.n() <= LARGEST && solve.matrix.iter().any(|v| moves[v.index()]) {
                    for (i, entry) in solve.matrix.iter().enumerate() {
                        b.output(format!("margin{}_{i}", watched.len()), copied[entry.index()]);
                    }
                    let expression = field.describe(owner);
                    watched.push(Margin { rows: solve.n(), kind: FailureKind::Singular, expression });
                }
                continue;
            }
            _ => continue,
        };
        // A product vanishes where a factor does; roots and powers where their base does.
        while let Some(factor) = factors.pop() {
            if !moves[factor.index()] || known.contains(&factor) {
                continue;
            }
            known.push(factor);
            match field.op(factor) {
                Op::Binary(Binary::Mul, x, y) => factors.extend([x, y]),
                Op::Unary(Unary::Neg | Unary::Sqrt | Unary::Abs, x)
                | Op::PowI(x, _)
                | Op::Guard(x)
                | Op::Binary(Binary::Div | Binary::Pow, x, _) => factors.push(x),
                _ if positive[factor.index()] => {}
                _ => {
                    b.output(format!("margin{}", watched.len()), copied[factor.index()]);
                    watched.push(Margin { rows: 0, kind: FailureKind::Pole, expression: field.describe(owner) });
                }
            }
        }
    }
    (!watched.is_empty()).then(|| (optimise::live(&b.finish()), watched))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(build: impl Fn(&mut KernelBuilder, Value, Value) -> Value) -> Vec<String> {
        let mut b = KernelBuilder::new("test");
        let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
        let out = build(&mut b, x, y);
        b.output("x'", out);
        b.output("y'", x);
        margins(&b.finish())
            .map_or(vec![], |(kernel, _)| kernel.outputs().iter().map(|o| kernel.describe(o.value)).collect())
    }

    #[test]
    fn what_can_change_its_sign_is_watched() {
        assert_eq!(
            names(|b, x, y| {
                let p = b.mul(x, x);
                b.div(y, p)
            }),
            ["x"]
        );
        assert_eq!(
            names(|b, x, y| {
                let p = b.powi(x, -3);
                b.mul(y, p)
            }),
            ["x"]
        );
        assert_eq!(names(|b, x, y| b.sub(x, y)), [""; 0]);
        let squares = |b: &mut KernelBuilder, x: Value, y: Value| {
            let (p, q) = (b.mul(x, x), b.powi(y, 2));
            b.add(p, q)
        };
        assert_eq!(
            names(|b, x, y| {
                let r = squares(b, x, y);
                b.div(y, r)
            }),
            [""; 0]
        );
        assert_eq!(
            names(|b, x, y| {
                let r = squares(b, x, y);
                let s = b.mul(r, y);
                b.div(x, s)
            }),
            ["y"]
        );
        assert_eq!(names(|b, x, _| b.unary(Unary::Tan, x)), ["cos(x)"]);
    }
}
