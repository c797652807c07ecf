//! The slopes of a kernel, as a kernel: no difference quotients.
//!
//! Every operation carries the derivatives of its value by the inputs on which it depends, and no others, so that a chain
//! of many masses costs what its neighbours cost. The rules are those of calculus; the slopes of elementary functions follow
//! from the same [`Slope`] from which the algebra differentiates. For a linear system
//!
//! ```text
//! M x = b        gives        M ∂x = ∂b − ∂M x,
//! ```
//!
//! another right-hand side of the same matrix for every input.
//!
//! ```
//! use lepage::workshop::codegen::compiled::compile;
//! use lepage::workshop::codegen::ir::{Bank, KernelBuilder};
//! use lepage::workshop::codegen::jacobian::jacobian;
//!
//! // (x y, y)
//! let mut b = KernelBuilder::new("area");
//! let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
//! let area = b.mul(x, y);
//! b.output("area", area);
//! b.output("height", y);
//! let slopes = jacobian(&b.finish(), Bank::State);
//! assert_eq!(slopes.entries, [(0, 0), (0, 1), (1, 1)]);
//! let mut out = [0.0; 3];
//! compile(slopes.kernel, Default::default()).caller().call([&[], &[3.0, 5.0], &[], &[]], &mut out).unwrap();
//! assert_eq!(out, [5.0, 3.0, 1.0]);
//! ```

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Op, Shape, Unary, Value};
use super::optimise;
use crate::algebra::function::{Elementary, Slope};

/// The Jacobian matrix of a kernel by the inputs of one bank.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// Output i is the entry `entries[i]`. All other entries are 0.
    pub kernel: Kernel,
    /// Row and column, row by row.
    pub entries: Vec<(usize, usize)>,
    pub n_rows: usize,
    pub n_columns: usize,
}

impl Jacobian {
    /// A kernel of all entries, row by row, those that are 0 among them.
    pub fn dense(&self) -> Kernel {
        let kernel = &self.kernel;
        let (mut b, _) = KernelBuilder::like(kernel);
        let mut map: Vec<Value> = Vec::new();
        for value in kernel.values() {
            let new = b.copy(kernel, value, &|v| map[v.index()]);
            map.push(new);
        }
        let zero = b.constant(0.0);
        let mut known = self.entries.iter().zip(kernel.outputs()).peekable();
        for place in (0..self.n_rows).flat_map(|i| (0..self.n_columns).map(move |j| (i, j))) {
            match known.next_if(|(entry, _)| **entry == place) {
                Some((_, output)) => b.output(output.name.clone(), map[output.value.index()]),
                None => b.output("0", zero),
            }
        }
        b.finish()
    }
}

/// Derivatives by column, in the order of the columns; what is not there is 0.
type Row = SmallVec<[(u32, Value); 4]>;

/// The slopes of all outputs by the inputs of a bank.
pub fn jacobian(kernel: &Kernel, by: Bank) -> Jacobian {
    let (b, _) = KernelBuilder::like(kernel);
    let mut work = Differentiation { kernel, by, b, map: Vec::new(), rows: Vec::new(), systems: FxHashMap::default() };
    for value in kernel.values() {
        let map = &work.map;
        let new = work.b.copy(kernel, value, &|v| map[v.index()]);
        work.map.push(new);
        let row = work.row(value, new);
        work.rows.push(row);
    }
    let Differentiation { mut b, rows, .. } = work;
    let names: FxHashMap<u32, &str> =
        kernel.inputs().iter().filter(|i| i.bank == by).map(|i| (i.slot, i.name.as_str())).collect();
    let mut entries = Vec::new();
    for (i, output) in kernel.outputs().iter().enumerate() {
        for (j, slope) in &rows[output.value.index()] {
            entries.push((i, *j as usize));
            b.output(format!("∂({})/∂{}", output.name, names.get(j).copied().unwrap_or("?")), *slope);
        }
    }
    Jacobian {
        kernel: optimise::live(&b.finish()),
        entries,
        n_rows: kernel.outputs().len(),
        n_columns: kernel.bank_len(by),
    }
}

struct Differentiation<'a> {
    kernel: &'a Kernel,
    by: Bank,
    b: KernelBuilder,
    /// The values of the kernel, in the new one.
    map: Vec<Value>,
    rows: Vec<Row>,
    /// The derivatives of the unknowns of a linear system, unknown by unknown.
    systems: FxHashMap<Value, Vec<Row>>,
}

impl Differentiation<'_> {
    fn row_of(&self, value: Value) -> Row {
        self.rows[value.index()].clone()
    }

    fn at(&self, value: Value) -> Value {
        self.map[value.index()]
    }

    /// The derivatives of an operation; `y` is its value.
    fn row(&mut self, value: Value, y: Value) -> Row {
        match self.kernel.op(value) {
            Op::Const(_) => Row::new(),
            Op::Input(i) => {
                let input = &self.kernel.inputs()[i as usize];
                if input.bank != self.by {
                    return Row::new();
                }
                let one = self.b.constant(1.0);
                Row::from_slice(&[(input.slot, one)])
            }
            Op::Guard(a) => self.row_of(a),
            Op::Unary(f, a) => self.unary(f, a, y),
            Op::Binary(f, p, q) => self.binary(f, p, q, y),
            Op::Fma(p, q, r) => {
                let product = self.product(p, q);
                let rest = self.row_of(r);
                self.sum(&product, &rest)
            }
            Op::PowI(a, n) => {
                if self.rows[a.index()].is_empty() {
                    return Row::new();
                }
                let (x, factor) = (self.at(a), self.b.constant(f64::from(n)));
                let power = self.b.powi(x, n - 1);
                let slope = self.b.mul(factor, power);
                let row = self.row_of(a);
                self.scaled(slope, &row)
            }
            Op::Select(cmp, [p, q, then, otherwise]) => {
                let (p, q) = (self.at(p), self.at(q));
                let (then, otherwise) = (self.row_of(then), self.row_of(otherwise));
                self.selected(cmp, [p, q], &then, &otherwise)
            }
            Op::Table(table, derivative, a) => {
                if self.rows[a.index()].is_empty() {
                    return Row::new();
                }
                let table = self.kernel.tables()[table as usize].clone();
                let x = self.at(a);
                let slope = self.b.table(&table, derivative + 1, x);
                let row = self.row_of(a);
                self.scaled(slope, &row)
            }
            Op::Solve(number) => {
                let rows = self.system(number as usize, y);
                self.systems.insert(value, rows);
                Row::new()
            }
            Op::Solution(solve, i) => self.systems.get(&solve).map_or_else(Row::new, |rows| rows[i as usize].clone()),
        }
    }

    fn unary(&mut self, f: Unary, a: Value, y: Value) -> Row {
        let row = self.row_of(a);
        if row.is_empty() {
            return row;
        }
        let x = self.at(a);
        let b = &mut self.b;
        let one = b.constant(1.0);
        let slope = match f {
            Unary::Neg => b.constant(-1.0),
            Unary::Sqrt => {
                let half = b.constant(0.5);
                b.div(half, y)
            }
            Unary::Function(f) => match f.row().slope {
                Slope::Partner { other, negative } => {
                    let g = b.unary(Unary::Function(other), x);
                    if negative { b.neg(g) } else { g }
                }
                Slope::Riccati { minus } => {
                    let square = b.mul(y, y);
                    if minus { b.sub(one, square) } else { b.add(one, square) }
                }
                Slope::Itself => y,
                Slope::Reciprocal => b.div(one, x),
                Slope::OverQuadratic { constant, square, root, negative } => {
                    let (constant, factor) = (b.constant(f64::from(constant)), b.constant(f64::from(square)));
                    let x2 = b.mul(x, x);
                    let term = b.mul(factor, x2);
                    let mut d = b.add(constant, term);
                    if root {
                        d = b.sqrt(d);
                    }
                    let numerator = b.constant(if negative { -1.0 } else { 1.0 });
                    b.div(numerator, d)
                }
                Slope::CubeRoot => {
                    let (three, square) = (b.constant(3.0), b.mul(y, y));
                    let d = b.mul(three, square);
                    b.div(one, d)
                }
                Slope::Gauss => {
                    let x2 = b.mul(x, x);
                    let minus = b.neg(x2);
                    let bell = b.unary(Unary::Exp, minus);
                    let factor = b.constant(std::f64::consts::FRAC_2_SQRT_PI);
                    b.mul(factor, bell)
                }
                Slope::Kink => b.unary(Unary::Function(Elementary::Sign), x),
                // Functions of several arguments are operations of two.
                Slope::Jump | Slope::Angle | Slope::Extreme => return Row::new(),
            },
        };
        self.scaled(slope, &row)
    }

    fn binary(&mut self, f: Binary, p: Value, q: Value, y: Value) -> Row {
        let (dp, dq) = (self.row_of(p), self.row_of(q));
        if dp.is_empty() && dq.is_empty() {
            return Row::new();
        }
        let (x, z) = (self.at(p), self.at(q));
        match f {
            Binary::Add => self.sum(&dp, &dq),
            Binary::Sub => {
                let minus = self.b.constant(-1.0);
                let dq = self.scaled(minus, &dq);
                self.sum(&dp, &dq)
            }
            Binary::Mul => self.product(p, q),
            // (p/q)′ = (p′ − y q′)/q
            Binary::Div => {
                let minus = self.b.neg(y);
                let dq = self.scaled(minus, &dq);
                let numerator = self.sum(&dp, &dq);
                let one = self.b.constant(1.0);
                let inverse = self.b.div(one, z);
                self.scaled(inverse, &numerator)
            }
            // (pᵉ)′ = e pᵉ⁻¹ p′ + y log(p) e′
            Binary::Pow => {
                let mut row = Row::new();
                if !dp.is_empty() {
                    let one = self.b.constant(1.0);
                    let less = self.b.sub(z, one);
                    let power = self.b.pow(x, less);
                    let slope = self.b.mul(z, power);
                    row = self.scaled(slope, &dp);
                }
                if !dq.is_empty() {
                    let log = self.b.unary(Unary::Log, x);
                    let slope = self.b.mul(y, log);
                    let other = self.scaled(slope, &dq);
                    row = self.sum(&row, &other);
                }
                row
            }
            // atan2(p, q)′ = (q p′ − p q′)/(p² + q²)
            Binary::Atan2 => {
                let minus = self.b.neg(x);
                let (first, second) = (self.scaled(z, &dp), self.scaled(minus, &dq));
                let numerator = self.sum(&first, &second);
                let (x2, z2, one) = (self.b.mul(x, x), self.b.mul(z, z), self.b.constant(1.0));
                let d = self.b.add(x2, z2);
                let inverse = self.b.div(one, d);
                self.scaled(inverse, &numerator)
            }
            Binary::Min => self.selected(Comparison::Le, [x, z], &dp, &dq),
            Binary::Max => self.selected(Comparison::Le, [z, x], &dp, &dq),
        }
    }

    /// (p q)′
    fn product(&mut self, p: Value, q: Value) -> Row {
        let (x, z, dp, dq) = (self.at(p), self.at(q), self.row_of(p), self.row_of(q));
        if p == q {
            let twice = self.b.add(x, x);
            return self.scaled(twice, &dp);
        }
        let (first, second) = (self.scaled(z, &dp), self.scaled(x, &dq));
        self.sum(&first, &second)
    }

    fn scaled(&mut self, factor: Value, row: &Row) -> Row {
        row.iter().map(|(j, slope)| (*j, self.b.mul(factor, *slope))).collect()
    }

    fn sum(&mut self, left: &Row, right: &Row) -> Row {
        merge(left, right).into_iter().map(|(j, a, b)| (j, self.added(a, b))).collect()
    }

    fn added(&mut self, a: Option<Value>, b: Option<Value>) -> Value {
        match (a, b) {
            (Some(a), Some(b)) => self.b.add(a, b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.b.constant(0.0),
        }
    }

    fn selected(&mut self, cmp: Comparison, [p, q]: [Value; 2], then: &Row, otherwise: &Row) -> Row {
        let zero = self.b.constant(0.0);
        let choose = |(j, a, b): (u32, Option<Value>, Option<Value>)| {
            (j, self.b.select(cmp, p, q, a.unwrap_or(zero), b.unwrap_or(zero)))
        };
        merge(then, otherwise).into_iter().map(choose).collect()
    }

    /// The derivatives of the unknowns of a linear system that is in the new kernel already.
    fn system(&mut self, number: usize, solved: Value) -> Vec<Row> {
        let system = self.kernel.solves()[number].clone();
        let (n, n_columns) = (system.n(), system.n_columns());
        let entry = |i: usize, j: usize| match system.shape {
            Shape::Symmetric if j > i => system.matrix[j * n + i],
            _ => system.matrix[i * n + j],
        };
        let involved = system.matrix.iter().chain(&system.rhs).flat_map(|v| &self.rows[v.index()]).map(|(j, _)| *j);
        let mut inputs: Vec<u32> = involved.collect();
        inputs.sort_unstable();
        inputs.dedup();
        let mut rows = vec![Row::new(); n * n_columns];
        if inputs.is_empty() {
            return rows;
        }
        // ∂b − ∂M x, equation by equation.
        let mut right: Vec<Row> = Vec::with_capacity(n * n_columns);
        for column in 0..n_columns {
            for i in 0..n {
                let mut row = self.row_of(system.rhs[column * n + i]);
                for j in 0..n {
                    let slopes = self.row_of(entry(i, j));
                    if slopes.is_empty() {
                        continue;
                    }
                    let x = self.b.solution(solved, (column * n + j) as u32);
                    let minus = self.b.neg(x);
                    let slopes = self.scaled(minus, &slopes);
                    row = self.sum(&row, &slopes);
                }
                right.push(row);
            }
        }
        let zero = self.b.constant(0.0);
        let find = |row: &Row, input: u32| row.iter().find(|(j, _)| *j == input).map_or(zero, |(_, slope)| *slope);
        let wanted: Vec<(usize, u32)> = (0..n_columns)
            .flat_map(|c| inputs.iter().map(move |input| (c, *input)))
            .filter(|(c, input)| (0..n).any(|i| find(&right[c * n + i], *input) != zero))
            .collect();
        if wanted.is_empty() {
            return rows;
        }
        let rhs =
            wanted.iter().flat_map(|(c, input)| (0..n).map(|i| find(&right[c * n + i], *input)).collect::<Vec<_>>());
        let (matrix, rhs) = (system.matrix.iter().map(|v| self.at(*v)).collect(), rhs.collect());
        let solution = self.b.solve(system.shape, matrix, rhs);
        for (k, (column, input)) in wanted.iter().enumerate() {
            for i in 0..n {
                rows[column * n + i].push((*input, solution[k * n + i]));
            }
        }
        rows
    }
}

/// Two rows side by side, column by column.
fn merge(left: &Row, right: &Row) -> SmallVec<[(u32, Option<Value>, Option<Value>); 4]> {
    let (mut i, mut j) = (0, 0);
    let mut merged = SmallVec::new();
    while i < left.len() || j < right.len() {
        let (a, b) = (left.get(i).map_or(u32::MAX, |e| e.0), right.get(j).map_or(u32::MAX, |e| e.0));
        let column = a.min(b);
        let take = |row: &Row, k: &mut usize, here: bool| {
            here.then(|| {
                *k += 1;
                row[*k - 1].1
            })
        };
        let (x, y) = (take(left, &mut i, a == column), take(right, &mut j, b == column));
        merged.push((column, x, y));
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret;

    /// Slopes against central differences of the same kernel, at a step where both errors are about 10⁻¹⁰.
    fn check(n: usize, point: &[f64], build: impl Fn(&mut KernelBuilder, &[Value]) -> Vec<Value>) {
        let mut b = KernelBuilder::new("test");
        let y: Vec<Value> = (0..n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        for (i, v) in build(&mut b, &y).into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        let kernel = b.finish();
        let slopes = jacobian(&kernel, Bank::State);
        assert_eq!((slopes.n_rows, slopes.n_columns), (kernel.outputs().len(), n));
        let mut found = vec![0.0; slopes.entries.len()];
        interpret::evaluate(&slopes.kernel, [&[], point, &[], &[]], &mut found).unwrap();
        let mut dense = vec![0.0; slopes.n_rows * n];
        for ((i, j), x) in slopes.entries.iter().zip(found) {
            dense[i * n + j] = x;
        }
        for j in 0..n {
            let beside = |sign: f64| {
                let mut at = point.to_vec();
                at[j] += sign * 1e-5;
                let mut out = vec![0.0; slopes.n_rows];
                interpret::evaluate(&kernel, [&[], &at, &[], &[]], &mut out).unwrap();
                out
            };
            for (i, (up, down)) in beside(1.0).iter().zip(beside(-1.0)).enumerate() {
                let (quotient, slope) = ((up - down) / 2e-5, dense[i * n + j]);
                assert!((quotient - slope).abs() < 1e-8 * (1.0 + slope.abs()), "∂o{i}/∂y{j}: {slope} and {quotient}");
            }
        }
    }

    #[test]
    fn every_function_has_its_slope() {
        for f in Unary::all() {
            for x in [-0.6, 0.3, 0.7, 1.4, 2.2] {
                let margin = f.margin(x).unwrap_or(1.0);
                let value = f.value()(x);
                if value.is_finite() && margin.abs() > 0.1 {
                    check(1, &[x], |b, y| vec![b.unary(f, y[0])]);
                }
            }
        }
    }

    #[test]
    fn operations_of_two_and_more() {
        for f in Binary::ALL {
            check(2, &[0.7, 1.9], |b, y| vec![b.binary(f, y[0], y[1])]);
            check(1, &[0.7], |b, y| {
                let double = b.add(y[0], y[0]);
                vec![b.binary(f, y[0], double)]
            });
        }
        check(3, &[0.7, 1.9, -0.3], |b, y| vec![b.fma(y[0], y[1], y[2]), b.powi(y[0], -3), b.powi(y[2], 5)]);
        check(2, &[0.7, 1.9], |b, y| {
            let product = b.mul(y[0], y[1]);
            vec![b.select(Comparison::Lt, y[0], y[1], product, y[1])]
        });
    }

    #[test]
    fn linear_systems_of_both_shapes() {
        for shape in [Shape::Symmetric, Shape::General] {
            check(3, &[0.4, 0.9, -0.5], |b, y| {
                let (two, c) = (b.constant(2.0), b.cos(y[0]));
                let upper = if shape == Shape::General { b.sin(y[1]) } else { c };
                let drive = b.mul(y[1], y[2]);
                b.solve(shape, vec![two, upper, c, two], vec![drive, y[0], y[2], two])
            });
        }
    }

    /// A chain of many masses has a Jacobian with few entries.
    #[test]
    fn what_does_not_depend_has_no_entry() {
        let mut b = KernelBuilder::new("chain");
        let x: Vec<Value> = (0..50).map(|i| b.input(&format!("x{i}"), Bank::State)).collect();
        for w in x.windows(2) {
            let d = b.sub(w[1], w[0]);
            let pull = b.powi(d, 3);
            b.output("pull", pull);
        }
        let slopes = jacobian(&b.finish(), Bank::State);
        assert_eq!(slopes.entries.len(), 2 * 49);
    }
}
