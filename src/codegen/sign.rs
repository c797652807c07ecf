//! Which values of a kernel cannot be negative, by the way they are made.

use super::ir::{Binary, Kernel, Op, Unary};

/// For each value: whether it is at least 0 wherever it has a value.
pub fn never_negative(kernel: &Kernel) -> Vec<bool> {
    let mut found = vec![false; kernel.ops().len()];
    for value in kernel.values() {
        found[value.index()] = match kernel.op(value) {
            Op::Const(bits) => f64::from_bits(bits) > 0.0,
            Op::PowI(a, e) => e % 2 == 0 || found[a.index()],
            Op::Unary(Unary::Sqrt | Unary::Abs | Unary::Exp | Unary::Cosh, _) => true,
            Op::Binary(Binary::Mul, a, b) => a == b || found[a.index()] && found[b.index()],
            Op::Binary(Binary::Add | Binary::Div, a, b) => found[a.index()] && found[b.index()],
            Op::Binary(Binary::Pow, a, _) | Op::Guard(a) => found[a.index()],
            Op::Fma(a, b, c) => found[c.index()] && (a == b || found[a.index()] && found[b.index()]),
            _ => false,
        };
    }
    found
}
