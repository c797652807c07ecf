//! What a motion runs into where its steps become too small to be made.
//!
//! Near a pole of the field the steps shrink in proportion to the time that is left, and the run ends a few rounding errors
//! before it. The field has a value there, so nothing has failed yet; but some quantity that must not vanish is about to:
//! a denominator, the base of a negative power, the argument of a logarithm, the least pivot of a linear system. Each of
//! them is compared at the end of the last step and one step along the tangent beyond it, and the one that reaches zero
//! first, within a few steps, is what the run ends at:
//!
//! ```text
//! τ = −g h/(g(y + h f) − g(y)),      0 < τ ≤ 10⁵ |h|
//! ```
//!
//! With g ~ (t* − t)^α this τ is (t* − t)/α, so also roots and cusps are found. A motion that escapes to infinity without
//! any of them vanishing is a blow-up, which is another reason.

use crate::codegen::interpret::{Banks, Failure, FailureKind, Interpreter};
use crate::codegen::ir::{Binary, Kernel, Op, Value};

/// How many of the last steps away a zero may be. The steps are a few rounding errors of the time by then.
const STEPS: f64 = 1e5;

/// The expression that is about to have no value, seen from a point of the motion and from one a little further on.
pub fn ahead(kernel: &Kernel, here: Banks, beyond: Banks) -> Option<Failure> {
    let mut interpreters = [Interpreter::new(kernel), Interpreter::new(kernel)];
    let mut outputs = vec![0.0; kernel.outputs().len()];
    for (interpreter, banks) in interpreters.iter_mut().zip([here, beyond]) {
        let _ = interpreter.run(kernel, banks, &mut outputs);
    }
    let [now, then] = &interpreters;
    let mut soonest: Option<(f64, Value, f64)> = None;
    for value in kernel.values() {
        let (Some(g), Some(later)) = (margin(kernel, value, now.values()), margin(kernel, value, then.values())) else {
            continue;
        };
        // In steps; a margin that is not a number beyond has been passed.
        let steps = if later.is_nan() { 1.0 } else { -g / (later - g) };
        if g.is_finite() && steps > 0.0 && steps <= STEPS && soonest.is_none_or(|(s, ..)| steps < s) {
            soonest = Some((steps, value, g));
        }
    }
    let (_, value, g) = soonest?;
    let singular = matches!(kernel.op(value), Op::Solve(_));
    let kind = if singular { FailureKind::Singular } else { FailureKind::Pole };
    Some(Failure { kind, expression: kernel.describe(value), argument: (!singular).then_some(g) })
}

/// The same along the tangent, where a method with steps of its own has come to steps that are short beside the time: the last of them
/// is h.
pub fn beside(kernel: &Kernel, (t, h): (f64, f64), y: &[f64], f: &[f64], rest: [&[f64]; 2]) -> Option<Failure> {
    if h.abs() > SHORT * t.abs().max(f64::MIN_POSITIVE) {
        return None;
    }
    let beyond: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + h * f).collect();
    let [parameters, modes] = rest;
    ahead(kernel, [&[t], y, parameters, modes], [&[t + h], &beyond, parameters, modes])
}

/// The part of the time that the last step before a pole is at most.
const SHORT: f64 = 1e-7;

/// The quantity that must not vanish for an operation to have a value with finite slopes.
fn margin(kernel: &Kernel, value: Value, values: &[f64]) -> Option<f64> {
    let at = |v: Value| values[v.index()];
    Some(match kernel.op(value) {
        Op::Binary(Binary::Div, _, b) if kernel.constant(b).is_none() => at(b),
        Op::PowI(a, n) if n < 0 => at(a),
        // Fractional powers have no value, or no slope, at 0.
        Op::Binary(Binary::Pow, a, e) if kernel.constant(e).is_none_or(|e| e < 0.0 || e != e.trunc()) => at(a),
        Op::Unary(f, a) => f.margin(at(a))?,
        Op::Solve(number) => {
            let solve = &kernel.solves()[number as usize];
            let mut matrix: Vec<f64> = solve.matrix.iter().map(|&v| at(v)).collect();
            determinant(&mut matrix, solve.n())
        }
        _ => return None,
    })
}

/// The determinant, by elimination with exchanges.
fn determinant(matrix: &mut [f64], n: usize) -> f64 {
    let mut product = 1.0;
    for j in 0..n {
        let best = (j..n).max_by(|&a, &b| matrix[a * n + j].abs().total_cmp(&matrix[b * n + j].abs())).unwrap_or(j);
        if best != j {
            (0..n).for_each(|k| matrix.swap(j * n + k, best * n + k));
            product = -product;
        }
        let pivot = matrix[j * n + j];
        product *= pivot;
        if pivot == 0.0 {
            return 0.0;
        }
        for i in j + 1..n {
            let factor = matrix[i * n + j] / pivot;
            (j..n).for_each(|k| matrix[i * n + k] -= factor * matrix[j * n + k]);
        }
    }
    product
}

/// The sign of a determinant, which may itself be too large or too small for a number.
pub(super) fn sign_of_determinant(matrix: &mut [f64], n: usize) -> f64 {
    // Rows of the size 1 have pivots of no extreme size.
    for row in matrix.chunks_exact_mut(n.max(1)) {
        let size = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if size > 0.0 {
            row.iter_mut().for_each(|x| *x /= size);
        }
    }
    let value = determinant(matrix, n);
    if value == 0.0 || value.is_nan() { 0.0 } else { value.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::ir::{Bank, KernelBuilder, Shape, Unary};

    fn check(build: impl Fn(&mut KernelBuilder, Value) -> Value, x: f64, slope: f64, expected: Option<&str>) {
        let mut b = KernelBuilder::new("test");
        let input = b.input("x", Bank::State);
        let y = build(&mut b, input);
        b.output("y", y);
        let kernel = b.finish();
        let found = ahead(&kernel, [&[], &[x], &[], &[]], [&[], &[x + slope], &[], &[]]);
        assert_eq!(found.map(|f| f.expression).as_deref(), expected);
    }

    #[test]
    fn what_vanishes_next_is_found() {
        let reciprocal = |b: &mut KernelBuilder, x: Value| {
            let one = b.constant(1.0);
            b.div(one, x)
        };
        check(reciprocal, 1e-9, -1e-10, Some("1 / x"));
        // Moving away from it, or too slowly.
        check(reciprocal, 1e-9, 1e-10, None);
        check(reciprocal, 1.0, -1e-10, None);
        check(|b, x| b.unary(Unary::Log, x), 1e-9, -1e-9, Some("log(x)"));
        check(|b, x| b.unary(Unary::Acos, x), 1.0 - 1e-9, 2e-9, Some("acos(x)"));
        let system = |b: &mut KernelBuilder, x: Value| {
            let one = b.constant(1.0);
            b.solve(Shape::Symmetric, vec![one, x, x, one], vec![one, x])[0]
        };
        check(system, 1.0 - 1e-9, 1e-9, Some("a linear system of 2 equations"));
        // One equation, whose mass vanishes.
        let mass = |b: &mut KernelBuilder, x: Value| {
            let one = b.constant(1.0);
            b.solve(Shape::Symmetric, vec![x], vec![one])[0]
        };
        check(mass, 1e-9, -1e-10, Some("the equation with the coefficient x"));
    }
}
