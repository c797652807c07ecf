//! Derivatives of kernels: directional derivatives, Jacobian matrices and Hessians, as kernels.
//!
//! Forward accumulation, operation by operation; what does not depend on the variables has no tangent and costs nothing.
//! A linear system is differentiated as one, M ẋ = ḃ − Ṁ x, with the matrix it already has: all directions of a Jacobian
//! share one factorisation. Operations that only jump or bend have the tangent of the side they are on.

use super::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Op, Unary, Value};
use crate::algebra::function::Slope;

/// The kernel with outputs f and, after them, the derivative of f in the direction given in the bank `Extra`, one entry per
/// state. The kernel must not use that bank itself.
pub fn directional_derivative(kernel: &Kernel) -> Kernel {
    assert_eq!(kernel.bank_len(Bank::Extra), 0, "the extra bank carries the direction");
    let (b, _) = KernelBuilder::like(kernel);
    let mut tangents = Tangents::new(b, kernel, 1);
    tangents.run(|b, input| {
        let direction = match input.bank {
            Bank::State => Some(b.input_at(&format!("d{}", input.name), Bank::Extra, input.slot)),
            _ => None,
        };
        vec![direction]
    });
    tangents.finish(true, |names, _| names.iter().map(|n| format!("d{n}")).collect())
}

/// The kernel whose output `i n + j` is ∂fᵢ/∂yⱼ, for all states y, n of them.
pub fn jacobian(kernel: &Kernel, n: usize) -> Kernel {
    let (b, _) = KernelBuilder::like(kernel);
    let mut tangents = Tangents::new(b, kernel, n);
    tangents.run(|b, input| {
        let one = b.constant(1.0);
        (0..n).map(|j| (input.bank == Bank::State && input.slot as usize == j).then_some(one)).collect()
    });
    tangents.finish(false, |names, n| names.iter().flat_map(|f| (0..n).map(move |j| format!("d({f})/dy{j}"))).collect())
}

/// The kernel whose output `(i n + j) n + k` is ∂²fᵢ/∂yⱼ∂yₖ, for all states y, n of them: the tangents of the tangents, which
/// share everything that they have in common. Each matrix is symmetric; entries above its diagonal are those below.
pub fn hessian(kernel: &Kernel, n: usize) -> Kernel {
    let second = jacobian(&jacobian(kernel, n), n);
    let (mut b, _) = KernelBuilder::like(&second);
    let mut values: Vec<Value> = Vec::with_capacity(second.ops().len());
    for value in second.values() {
        let new = b.copy(&second, value, &|v: Value| values[v.index()]);
        values.push(new);
    }
    for (i, f) in kernel.outputs().iter().enumerate() {
        for (j, k) in (0..n).flat_map(|j| (0..n).map(move |k| (j, k))) {
            let entry = (i * n + j.max(k)) * n + j.min(k);
            b.output(format!("d2({})/dy{j}dy{k}", f.name), values[second.outputs()[entry].value.index()]);
        }
    }
    super::optimise::live(&b.finish())
}

struct Tangents<'a> {
    b: KernelBuilder,
    kernel: &'a Kernel,
    /// The number of directions.
    n: usize,
    values: Vec<Value>,
    /// Per value and direction; `None` is zero.
    tangents: Vec<Vec<Option<Value>>>,
}

impl<'a> Tangents<'a> {
    fn new(b: KernelBuilder, kernel: &'a Kernel, n: usize) -> Self {
        Tangents { b, kernel, n, values: Vec::new(), tangents: Vec::new() }
    }

    fn run(&mut self, seed: impl Fn(&mut KernelBuilder, &super::ir::Input) -> Vec<Option<Value>>) {
        for value in self.kernel.values() {
            let values = &self.values;
            let new = self.b.copy(self.kernel, value, &|v| values[v.index()]);
            self.values.push(new);
            let tangent = match self.kernel.op(value) {
                Op::Input(i) => seed(&mut self.b, &self.kernel.inputs()[i as usize]),
                Op::Solve(_) => self.solve(value),
                Op::Solution(solve, item) => {
                    // The tangents of a solve are those of its unknowns, direction by direction.
                    let count = self.kernel.solves()[self.number(solve)].rhs.len();
                    let all = &self.tangents[solve.index()];
                    (0..self.n).map(|d| all[d * count + item as usize]).collect()
                }
                op => (0..self.n).map(|d| self.operation(op, value, d)).collect(),
            };
            self.tangents.push(tangent);
        }
    }

    fn number(&self, solve: Value) -> usize {
        match self.kernel.op(solve) {
            Op::Solve(number) => number as usize,
            _ => unreachable!("a solution belongs to a solve"),
        }
    }

    fn finish(mut self, with_values: bool, names: impl Fn(&[String], usize) -> Vec<String>) -> Kernel {
        let outputs: Vec<String> = self.kernel.outputs().iter().map(|o| o.name.clone()).collect();
        if with_values {
            for output in self.kernel.outputs() {
                self.b.output(output.name.clone(), self.values[output.value.index()]);
            }
        }
        let mut names = names(&outputs, self.n).into_iter();
        for output in self.kernel.outputs() {
            for d in 0..self.n {
                let tangent = self.tangents[output.value.index()][d].unwrap_or_else(|| self.b.constant(0.0));
                self.b.output(names.next().unwrap_or_default(), tangent);
            }
        }
        super::optimise::live(&self.b.finish())
    }

    fn add(&mut self, x: Option<Value>, y: Option<Value>) -> Option<Value> {
        match (x, y) {
            (Some(x), Some(y)) => Some(self.b.add(x, y)),
            (x, y) => x.or(y),
        }
    }

    fn sub(&mut self, x: Option<Value>, y: Option<Value>) -> Option<Value> {
        match (x, y) {
            (Some(x), Some(y)) => Some(self.b.sub(x, y)),
            (x, None) => x,
            (None, Some(y)) => Some(self.b.neg(y)),
        }
    }

    fn scale(&mut self, factor: Value, x: Option<Value>) -> Option<Value> {
        x.map(|x| self.b.mul(factor, x))
    }

    fn operation(&mut self, op: Op, value: Value, d: usize) -> Option<Value> {
        let at = |s: &Self, v: Value| s.values[v.index()];
        let dot = |s: &Self, v: Value| s.tangents[v.index()][d];
        match op {
            Op::Const(_) | Op::Input(_) | Op::Solve(_) | Op::Solution(..) => None,
            Op::Unary(f, a) => {
                let da = dot(self, a)?;
                self.unary(f, at(self, a), self.values[value.index()], da)
            }
            Op::Binary(f, a, b) => {
                let (x, y, dx, dy) = (at(self, a), at(self, b), dot(self, a), dot(self, b));
                self.binary(f, x, y, self.values[value.index()], dx, dy)
            }
            Op::Fma(a, b, c) => {
                let (x, y) = (at(self, a), at(self, b));
                let (p, q) = (self.scale(y, dot(self, a)), self.scale(x, dot(self, b)));
                let product = self.add(p, q);
                self.add(product, dot(self, c))
            }
            Op::PowI(a, n) => {
                let da = dot(self, a)?;
                let lower = self.b.powi(at(self, a), n - 1);
                let n = self.b.constant(f64::from(n));
                let slope = self.b.mul(n, lower);
                Some(self.b.mul(slope, da))
            }
            Op::Select(cmp, [p, q, then, otherwise]) => {
                let (t, o) = (dot(self, then), dot(self, otherwise));
                if t.is_none() && o.is_none() {
                    return None;
                }
                let zero = self.b.constant(0.0);
                let (p, q) = (at(self, p), at(self, q));
                Some(self.b.select(cmp, p, q, t.unwrap_or(zero), o.unwrap_or(zero)))
            }
            Op::Table(table, derivative, a) => {
                let da = dot(self, a)?;
                let table = self.kernel.tables()[table as usize].clone();
                let slope = self.b.table(&table, derivative + 1, at(self, a));
                Some(self.b.mul(slope, da))
            }
            Op::Guard(a) => dot(self, a),
        }
    }

    fn unary(&mut self, f: Unary, x: Value, y: Value, dx: Value) -> Option<Value> {
        let b = &mut self.b;
        let f = match f {
            Unary::Neg => return Some(b.neg(dx)),
            Unary::Sqrt => {
                let twice = b.add(y, y);
                return Some(b.div(dx, twice));
            }
            Unary::Function(f) => f,
        };
        let one = b.constant(1.0);
        let slope = match f.row().slope {
            Slope::Partner { other, negative } => {
                let g = b.unary(Unary::Function(other), x);
                if negative { b.neg(g) } else { g }
            }
            Slope::Riccati { minus } => {
                let square = b.mul(y, y);
                if minus { b.sub(one, square) } else { b.add(one, square) }
            }
            Slope::Itself => y,
            Slope::Reciprocal => return Some(b.div(dx, x)),
            Slope::OverQuadratic { constant, square, root, negative } => {
                let squared = b.mul(x, x);
                let d = match (constant, square) {
                    (1, -1) => b.sub(one, squared),
                    (-1, 1) => b.sub(squared, one),
                    _ => b.add(one, squared),
                };
                let d = if root { b.sqrt(d) } else { d };
                let q = b.div(dx, d);
                return Some(if negative { b.neg(q) } else { q });
            }
            Slope::CubeRoot => {
                let three = b.constant(3.0);
                let d = b.mul(three, x);
                b.div(y, d)
            }
            Slope::Gauss => {
                let square = b.mul(x, x);
                let exponent = b.neg(square);
                let bell = b.unary(Unary::Exp, exponent);
                let factor = b.constant(std::f64::consts::FRAC_2_SQRT_PI);
                b.mul(factor, bell)
            }
            Slope::Kink => b.unary(Unary::Sign, x),
            Slope::Jump => return None,
            Slope::Angle | Slope::Extreme => unreachable!("{} has several arguments", f.name()),
        };
        Some(self.b.mul(slope, dx))
    }

    fn binary(
        &mut self,
        f: Binary,
        x: Value,
        y: Value,
        value: Value,
        dx: Option<Value>,
        dy: Option<Value>,
    ) -> Option<Value> {
        if dx.is_none() && dy.is_none() {
            return None;
        }
        match f {
            Binary::Add => self.add(dx, dy),
            Binary::Sub => self.sub(dx, dy),
            Binary::Mul => {
                let (p, q) = (self.scale(y, dx), self.scale(x, dy));
                self.add(p, q)
            }
            Binary::Div => {
                // (x/y)˙ = (ẋ − (x/y) ẏ)/y
                let q = self.scale(value, dy);
                let numerator = self.sub(dx, q)?;
                Some(self.b.div(numerator, y))
            }
            Binary::Pow => {
                let mut total = None;
                if let Some(dx) = dx {
                    let one = self.b.constant(1.0);
                    let exponent = self.b.sub(y, one);
                    let lower = self.b.pow(x, exponent);
                    let slope = self.b.mul(y, lower);
                    total = Some(self.b.mul(slope, dx));
                }
                if let Some(dy) = dy {
                    let log = self.b.unary(Unary::Log, x);
                    let slope = self.b.mul(value, log);
                    let term = self.b.mul(slope, dy);
                    total = self.add(total, Some(term));
                }
                total
            }
            Binary::Atan2 => {
                // The first argument is the ordinate: (x₂ ẏ − y ẋ₂)/(x₂² + y²).
                let (p, q) = (self.scale(y, dx), self.scale(x, dy));
                let numerator = self.sub(p, q)?;
                let (xx, yy) = (self.b.mul(x, x), self.b.mul(y, y));
                let d = self.b.add(xx, yy);
                Some(self.b.div(numerator, d))
            }
            Binary::Min | Binary::Max => {
                let zero = self.b.constant(0.0);
                let (dx, dy) = (dx.unwrap_or(zero), dy.unwrap_or(zero));
                let (then, otherwise) = if f == Binary::Min { (dx, dy) } else { (dy, dx) };
                Some(self.b.select(Comparison::Lt, x, y, then, otherwise))
            }
        }
    }

    /// All directions of all unknowns: M ẋ = ḃ − Ṁ x, one factorisation.
    fn solve(&mut self, value: Value) -> Vec<Option<Value>> {
        let solve = self.kernel.solves()[self.number(value)].clone();
        let (n, count) = (solve.n(), solve.rhs.len());
        let own = self.values[value.index()];
        let x: Vec<Value> = (0..count as u32).map(|i| self.b.solution(own, i)).collect();
        let mut columns: Vec<Option<Vec<Value>>> = Vec::new();
        let zero = self.b.constant(0.0);
        for d in 0..self.n {
            for c in 0..solve.n_columns() {
                let mut column = Vec::with_capacity(n);
                let mut any = false;
                for i in 0..n {
                    let mut r = self.tangents[solve.rhs[c * n + i].index()][d];
                    for j in 0..n {
                        let entry = self.tangents[solve.matrix[i * n + j].index()][d];
                        let product = self.scale(x[c * n + j], entry);
                        r = self.sub(r, product);
                    }
                    any |= r.is_some();
                    column.push(r.unwrap_or(zero));
                }
                columns.push(any.then_some(column));
            }
        }
        let rhs: Vec<Value> = columns.iter().flatten().flatten().copied().collect();
        let mut solution = Vec::new().into_iter();
        if !rhs.is_empty() {
            let matrix = solve.matrix.iter().map(|v| self.values[v.index()]).collect();
            solution = self.b.solve(solve.shape, matrix, rhs).into_iter();
        }
        columns
            .iter()
            .flat_map(|column| match column {
                Some(_) => solution.by_ref().take(n).map(Some).collect::<Vec<_>>(),
                None => vec![None; n],
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret;
    use crate::codegen::ir::Shape;

    /// Both derivatives against central differences.
    fn check(name: &str, f: impl Fn(&mut KernelBuilder, Value, Value) -> Vec<Value>) {
        let mut b = KernelBuilder::new(name);
        let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
        for (i, v) in f(&mut b, x, y).into_iter().enumerate() {
            b.output(format!("f{i}"), v);
        }
        let kernel = b.finish();
        let m = kernel.outputs().len();
        let eval = |y: &[f64]| {
            let mut out = vec![0.0; m];
            interpret::evaluate(&kernel, [&[], y, &[], &[]], &mut out).unwrap();
            out
        };
        let at = [0.37, 0.81];
        let mut matrix = vec![0.0; 2 * m];
        let jacobian = jacobian(&kernel, 2);
        interpret::evaluate(&jacobian, [&[], &at, &[], &[]], &mut matrix).unwrap();
        let h = 1e-6;
        for j in 0..2 {
            let shifted = |s: f64| {
                let mut y = at;
                y[j] += s;
                eval(&y)
            };
            let (up, down) = (shifted(h), shifted(-h));
            for i in 0..m {
                let expected = (up[i] - down[i]) / (2.0 * h);
                let got = matrix[2 * i + j];
                assert!((got - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{name} d{i}{j}: {got} and {expected}");
            }
        }
        let direction = [0.6, -1.3];
        let mut both = vec![0.0; 2 * m];
        interpret::evaluate(&directional_derivative(&kernel), [&[], &at, &[], &direction], &mut both).unwrap();
        assert_eq!(&both[..m], eval(&at).as_slice());
        for i in 0..m {
            let expected = matrix[2 * i] * direction[0] + matrix[2 * i + 1] * direction[1];
            assert!((both[m + i] - expected).abs() < 1e-13 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn every_operation_is_differentiated() {
        for f in Unary::all() {
            check(f.name(), |b, x, y| {
                let one = b.constant(1.0);
                let p = b.mul(x, y);
                let p = if f == Unary::Acosh { b.add(p, one) } else { p };
                vec![b.unary(f, p)]
            });
        }
        for f in Binary::ALL {
            check(f.name(), |b, x, y| vec![b.binary(f, x, y)]);
        }
        check("powers", |b, x, y| {
            let z = b.powi(x, -3);
            vec![b.fma(z, y, x)]
        });
        check("select", |b, x, y| {
            let p = b.mul(x, y);
            vec![b.select(Comparison::Lt, x, y, p, x)]
        });
        check("constant", |b, x, _| vec![b.constant(2.0), x]);
    }

    /// V = sin(x) y³ + e^{xy} − log(1 + x²) and the Hessian by hand, compiled and interpreted, with the same bits.
    #[test]
    fn hessians_are_compiled() {
        use crate::codegen::compiled::{Backend, Options, compile};
        let mut b = KernelBuilder::new("V");
        let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
        let (s, cube) = (b.sin(x), b.powi(y, 3));
        let first = b.mul(s, cube);
        let p = b.mul(x, y);
        let second = b.unary(Unary::Exp, p);
        let (one, square) = (b.constant(1.0), b.mul(x, x));
        let third = b.add(one, square);
        let third = b.unary(Unary::Log, third);
        let v = b.add(first, second);
        let v = b.sub(v, third);
        b.output("V", v);
        let kernel = hessian(&b.finish(), 2);
        let (x, y) = (0.37f64, 0.81f64);
        let e = (x * y).exp();
        let d = 1.0 + x * x;
        let xx = -x.sin() * y.powi(3) + y * y * e - (2.0 * d - 4.0 * x * x) / (d * d);
        let xy = 3.0 * x.cos() * y * y + (1.0 + x * y) * e;
        let yy = 6.0 * x.sin() * y + x * x * e;
        let mut results = Vec::new();
        for backend in [Backend::Interpreter, Backend::InstantCode, Backend::OptimisedCode] {
            if cfg!(not(feature = "jit")) && backend != Backend::Interpreter {
                continue;
            }
            let compiled = compile(kernel.clone(), Options { backend, portable: false });
            assert_eq!(compiled.backend(), backend);
            let mut out = [0.0; 4];
            compiled.caller().call([&[], &[x, y], &[], &[]], &mut out).unwrap();
            for (got, expected) in out.iter().zip([xx, xy, xy, yy]) {
                assert!((got - expected).abs() < 1e-14 * (1.0 + expected.abs()), "{got} and {expected}");
            }
            results.push(out.map(f64::to_bits));
        }
        assert!(results.windows(2).all(|r| r[0] == r[1]), "back ends differ");
    }

    #[test]
    fn systems_are_differentiated_with_one_factorisation() {
        for shape in [Shape::Symmetric, Shape::General] {
            check("system", |b, x, y| {
                let three = b.constant(3.0);
                let d = b.add(three, y);
                let s = b.sin(x);
                b.solve(shape, vec![d, x, x, three], vec![s, y])
            });
        }
    }
}
