//! Ends of the domain that a series does not see.
//!
//! A tank that runs empty obeys y′ = −√y, and y = (1 − t/2)² is its level until t = 2. The series of y is this polynomial, and of
//! √y the polynomial 1 − t/2, which is −√y from then on: the series has a meaning beyond the end of the motion, and the motion
//! has none, or another one. It happens at functions that have a value and no slope where their domain ends:
//!
//! ```text
//! √u, u^(2/3)       at u = 0
//! asin u, acos u    at u = ±1
//! acosh u           at u = 1
//! ```
//!
//! A field that has them is looked at again where a step ends. Not one in which the motion could not arrive there, because it
//! also divides by what vanishes, as gravitation does by the distance, nor one in which u is positive whatever the state is.

use crate::algebra::function::Domain;
use crate::codegen::ir::{Binary, Kernel, Op, Unary, Value};

/// Whether a series of the motion may go on where the field ends.
pub fn may_be_passed(kernel: &Kernel) -> bool {
    let sizes = sizes(kernel);
    let is_open = |(root, inside): (Value, Value)| {
        !sizes[inside.index()].is_some_and(|positive| positive) && !is_divided_by(kernel, root, inside)
    };
    kernel.values().filter_map(|v| Some((v, inside(kernel, v)?))).any(is_open)
}

/// The argument of a function that has a value and no slope at an end of its domain.
fn inside(kernel: &Kernel, value: Value) -> Option<Value> {
    match kernel.op(value) {
        Op::Unary(Unary::Sqrt, u) => Some(u),
        Op::Unary(Unary::Function(f), u) => match f.row().domain {
            Domain::Interval(interval) => {
                let reached = [interval.low, interval.high].into_iter().any(|b| b.end().is_some_and(|(_, here)| here));
                reached.then_some(u)
            }
            Domain::NonzeroOf(_) | Domain::AwayFromOrigin => None,
        },
        Op::Binary(Binary::Pow, u, e) => kernel.constant(e).is_none_or(|e| e > 0.0 && e != e.trunc()).then_some(u),
        _ => None,
    }
}

/// Whether the kernel has no value where the root vanishes, because it divides by it, or by something of which it is a factor.
fn is_divided_by(kernel: &Kernel, root: Value, inside: Value) -> bool {
    let mut vanishes = vec![false; kernel.ops().len()];
    for v in kernel.values() {
        let at = |x: Value| vanishes[x.index()];
        vanishes[v.index()] = v == root
            || v == inside
            || match kernel.op(v) {
                Op::Unary(Unary::Neg | Unary::Sqrt, a) | Op::Guard(a) => at(a),
                Op::Unary(Unary::Log, a) if at(a) => return true,
                Op::Binary(Binary::Mul, a, b) => at(a) || at(b),
                Op::Binary(Binary::Div, _, b) if at(b) => return true,
                Op::Binary(Binary::Div, a, _) => at(a),
                Op::Binary(Binary::Pow, a, e) if at(a) => match kernel.constant(e) {
                    Some(e) if e < 0.0 => return true,
                    e => e.is_some(),
                },
                Op::PowI(a, n) if at(a) => match n {
                    ..0 => return true,
                    _ => n > 0,
                },
                _ => false,
            };
    }
    false
}

/// Of every value whether it is positive (`true`) or at least not negative whatever the inputs are; `None` if it may be anything.
fn sizes(kernel: &Kernel) -> Vec<Option<bool>> {
    let mut sizes: Vec<Option<bool>> = Vec::with_capacity(kernel.ops().len());
    for v in kernel.values() {
        let at = |x: Value| sizes[x.index()];
        let sum = |a: Option<bool>, b: Option<bool>| Some(a? || b?);
        let product = |a: Value, b: Value| match a == b {
            true => Some(at(a) == Some(true)),
            false => Some(at(a)? && at(b)?),
        };
        let size = match kernel.op(v) {
            Op::Const(bits) => {
                let x = f64::from_bits(bits);
                (x >= 0.0).then_some(x > 0.0)
            }
            Op::Unary(Unary::Exp | Unary::Cosh, _) => Some(true),
            Op::Unary(Unary::Abs, a) => Some(at(a) == Some(true)),
            Op::Unary(Unary::Sqrt, a) => Some(at(a) == Some(true)),
            Op::Binary(Binary::Add, a, b) => sum(at(a), at(b)),
            Op::Binary(Binary::Mul, a, b) => product(a, b),
            Op::Fma(a, b, c) => sum(product(a, b), at(c)),
            Op::PowI(a, n) if n % 2 == 0 => Some(at(a) == Some(true)),
            Op::PowI(a, _) => at(a),
            Op::Guard(a) => at(a),
            _ => None,
        };
        sizes.push(size);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::ir::{Bank, KernelBuilder};

    fn passed(f: impl FnOnce(&mut KernelBuilder, Value, Value) -> Value) -> bool {
        let mut b = KernelBuilder::new("test");
        let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
        let value = f(&mut b, x, y);
        b.output("o", value);
        may_be_passed(&b.finish())
    }

    #[test]
    fn where_a_motion_can_arrive() {
        assert!(passed(|b, x, _| b.sqrt(x)));
        assert!(passed(|b, x, _| b.unary(Unary::Asin, x)));
        assert!(passed(|b, x, _| {
            let e = b.constant(2.0 / 3.0);
            b.binary(Binary::Pow, x, e)
        }));
        // √(1 + x²), exp x, log x and x/√(x² + y²): never 0, no end, no value at the end, divided by.
        assert!(!passed(|b, x, _| {
            let one = b.constant(1.0);
            let square = b.mul(x, x);
            let sum = b.add(one, square);
            b.sqrt(sum)
        }));
        assert!(!passed(|b, x, _| b.unary(Unary::Exp, x)));
        assert!(!passed(|b, x, _| b.unary(Unary::Log, x)));
        assert!(!passed(|b, x, y| {
            let squares = [b.mul(x, x), b.mul(y, y)];
            let sum = b.add(squares[0], squares[1]);
            let root = b.sqrt(sum);
            b.div(x, root)
        }));
    }
}
