//! Kernels without kinks: what is decided by comparison becomes an input.
//!
//! An integrator needs smooth functions. Wherever a kernel has an absolute value, a sign, a minimum, a case distinction or
//! a table, the smooth kernel made here takes the decision from the bank `Extra`: the side a function is on, or the cubic of
//! the piece of a table. As long as a decision stands, the kernel is smooth, also for arguments a little beyond. The
//! switching functions say when a decision falls.
//!
//! ```text
//! |a|              s a                     s = sign of g,  g = a
//! min(a, b)        a if s > 0, else b      g = b − a
//! atan(a/b)        atan2(s a, s b)         g = b: where b vanishes it jumps by π
//! atan2(a, b)      atan2(a, b) if s > 0, else u π + atan2(−a, −b)
//!                                          g = b, and for u, where s < 0, a: it jumps by 2π
//! a < b ? x : y    x if s > 0, else y      g = b − a
//! table(a)         a cubic in a − left     g = a − left and right − a
//! ```

use std::sync::Arc;

use super::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Op, Unary, Value};
use super::sign::never_negative;
use super::table::Table;

/// A smooth kernel, its switching functions, and what they switch.
pub struct Modes {
    /// The same outputs, smooth as long as the bank `Extra` does not change.
    pub smooth: Kernel,
    /// The switching functions, in terms of the same banks.
    pub functions: Kernel,
    pub switches: Vec<Switch>,
    /// Numbers in the bank `Extra`.
    pub n_numbers: usize,
}

/// Something that is decided.
#[derive(Clone, Debug)]
pub enum Switch {
    /// Number `slot` of the bank is 1 where switching function `function` is positive, −1 where it is negative.
    Side { slot: usize, function: usize, expression: String },
    /// Six numbers from `slot` on: left end, coefficients and right end of the piece. Functions `function` (distance from the left
    /// end) and `function + 1` (distance from the right end) are positive inside. `argument` is another output.
    Piece { slot: usize, function: usize, argument: usize, table: Arc<Table>, expression: String },
}

impl Switch {}

/// The smooth form of a kernel; `None` when it is smooth already. The kernel must not use the bank `Extra` itself.
pub fn modes(kernel: &Kernel) -> Option<Modes> {
    let positive = never_negative(kernel);
    if kernel.switching_values().is_empty() && !kernel.values().any(|v| turns(kernel, &positive, v).is_some()) {
        return None;
    }
    assert_eq!(kernel.bank_len(Bank::Extra), 0, "the extra bank carries the decisions");
    let (b, _) = KernelBuilder::like(kernel);
    let mut freezer =
        Freezer { kernel, b, map: Vec::new(), n_numbers: 0, functions: Vec::new(), switches: Vec::new(), positive };
    for value in kernel.values() {
        let new = freezer.operation(value);
        freezer.map.push(new);
    }
    let Freezer { mut b, map, n_numbers, functions, switches, .. } = freezer;
    if switches.is_empty() {
        return None;
    }
    for output in kernel.outputs() {
        b.output(output.name.clone(), map[output.value.index()]);
    }
    // Both kernels contain all operations; each keeps what its outputs need.
    let whole = b.finish();
    let (mut f, _) = KernelBuilder::like(&whole);
    let mut values: Vec<Value> = Vec::with_capacity(whole.ops().len());
    for value in whole.values() {
        let new = f.copy(&whole, value, &|v| values[v.index()]);
        values.push(new);
    }
    for (i, g) in functions.iter().enumerate() {
        f.output(format!("switch{i}"), values[g.index()]);
    }
    let functions = super::optimise::live(&f.finish());
    Some(Modes { smooth: super::optimise::live(&whole), functions, switches, n_numbers })
}

/// An angle that jumps.
#[derive(Clone, Copy)]
enum Turn {
    /// atan(a/b), where b vanishes.
    Quotient(Value, Value),
    /// atan2(a, b), where a vanishes and b is negative.
    Cut(Value, Value),
}

/// The angle that a value is, if it jumps somewhere.
fn turns(kernel: &Kernel, positive: &[bool], value: Value) -> Option<Turn> {
    let free = |b: Value| kernel.constant(b).is_none() && !positive[b.index()];
    match kernel.op(value) {
        Op::Unary(Unary::Atan, q) => match kernel.op(q) {
            Op::Binary(Binary::Div, a, b) if free(b) => Some(Turn::Quotient(a, b)),
            _ => None,
        },
        Op::Binary(Binary::Atan2, a, b) if free(b) && kernel.constant(a).is_none() => Some(Turn::Cut(a, b)),
        _ => None,
    }
}

struct Freezer<'a> {
    kernel: &'a Kernel,
    b: KernelBuilder,
    map: Vec<Value>,
    n_numbers: usize,
    functions: Vec<Value>,
    switches: Vec<Switch>,
    /// What cannot be negative.
    positive: Vec<bool>,
}

impl Freezer<'_> {
    fn operation(&mut self, value: Value) -> Value {
        let at = |s: &Self, v: Value| s.map[v.index()];
        let before = self.switches.len();
        let turn = turns(self.kernel, &self.positive, value);
        let new = match self.kernel.op(value) {
            _ if turn.is_some() => turn.map_or(value, |turn| self.angle(value, turn)),
            Op::Unary(f @ (Unary::Abs | Unary::Sign), a) => {
                let a = at(self, a);
                let side = self.side(value, a);
                if f == Unary::Abs { self.b.mul(side, a) } else { side }
            }
            Op::Binary(f @ (Binary::Min | Binary::Max), x, y) => {
                let (x, y) = (at(self, x), at(self, y));
                let g = if f == Binary::Min { self.b.sub(y, x) } else { self.b.sub(x, y) };
                self.choose(value, g, x, y)
            }
            Op::Select(Comparison::Lt | Comparison::Le, args) => {
                let [p, q, then, otherwise] = args.map(|v| at(self, v));
                let g = self.b.sub(q, p);
                self.choose(value, g, then, otherwise)
            }
            Op::Table(table, derivative, a) => {
                let table = self.kernel.tables()[table as usize].clone();
                let a = at(self, a);
                self.piece(value, table, derivative, a)
            }
            _ => {
                let map = &self.map;
                self.b.copy(self.kernel, value, &|v| map[v.index()])
            }
        };
        // In messages the user sees what was written, not the decision.
        if self.switches.len() > before {
            self.b.label(new, self.kernel.describe(value));
        }
        new
    }

    fn number(&mut self) -> (usize, Value) {
        let slot = self.n_numbers;
        self.n_numbers += 1;
        (slot, self.b.input_at(&format!("mode{slot}"), Bank::Extra, slot as u32))
    }

    /// The side of a switching function, as an input. One input per function.
    fn side(&mut self, value: Value, g: Value) -> Value {
        for switch in &self.switches {
            if let Switch::Side { slot, function, .. } = switch
                && self.functions[*function] == g
            {
                let slot = *slot;
                return self.b.input_at("", Bank::Extra, slot as u32);
            }
        }
        let (slot, side) = self.number();
        self.functions.push(g);
        self.switches.push(Switch::Side {
            slot,
            function: self.functions.len() - 1,
            expression: self.kernel.describe(value),
        });
        side
    }

    fn angle(&mut self, value: Value, turn: Turn) -> Value {
        let at = |s: &Self, v: Value| s.map[v.index()];
        match turn {
            Turn::Quotient(a, b) => {
                let (a, b) = (at(self, a), at(self, b));
                let side = self.side(value, b);
                let (a, b) = (self.b.mul(side, a), self.b.mul(side, b));
                self.b.binary(Binary::Atan2, a, b)
            }
            Turn::Cut(a, b) => {
                let (a, b) = (at(self, a), at(self, b));
                let right = self.side(value, b);
                let (zero, one) = (self.b.constant(0.0), self.b.constant(1.0));
                // On the right nothing jumps, and nothing is decided.
                let above = self.b.select(Comparison::Lt, zero, right, one, a);
                let above = self.side(value, above);
                let near = self.b.binary(Binary::Atan2, a, b);
                let (a, b) = (self.b.neg(a), self.b.neg(b));
                let far = self.b.binary(Binary::Atan2, a, b);
                let half = self.b.constant(std::f64::consts::PI);
                let half = self.b.mul(above, half);
                let far = self.b.add(half, far);
                self.b.select(Comparison::Lt, zero, right, near, far)
            }
        }
    }

    fn choose(&mut self, value: Value, g: Value, then: Value, otherwise: Value) -> Value {
        let side = self.side(value, g);
        let zero = self.b.constant(0.0);
        self.b.select(Comparison::Lt, zero, side, then, otherwise)
    }

    fn piece(&mut self, value: Value, table: Arc<Table>, derivative: u8, a: Value) -> Value {
        let known = self.switches.iter().find_map(|s| match s {
            Switch::Piece { slot, argument, table: t, .. }
                if Arc::ptr_eq(t, &table) && self.functions[*argument] == a =>
            {
                Some(*slot)
            }
            _ => None,
        });
        let slot = known.unwrap_or_else(|| {
            let slot = self.n_numbers;
            let numbers: Vec<Value> = (0..6).map(|_| self.number().1).collect();
            let (from_left, to_right) = (self.b.sub(a, numbers[0]), self.b.sub(numbers[5], a));
            let function = self.functions.len();
            self.functions.extend([from_left, to_right, a]);
            let expression = self.kernel.describe(value);
            self.switches.push(Switch::Piece { slot, function, argument: function + 2, table, expression });
            slot
        });
        let [left, c0, c1, c2, c3] = [0, 1, 2, 3, 4].map(|i| self.b.input_at("", Bank::Extra, (slot + i) as u32));
        let u = self.b.sub(a, left);
        let b = &mut self.b;
        let mut scaled = |factor: f64, c: Value| {
            let factor = b.constant(factor);
            b.mul(factor, c)
        };
        let coefficients = match derivative {
            0 => vec![c0, c1, c2, c3],
            1 => vec![c1, scaled(2.0, c2), scaled(3.0, c3)],
            2 => vec![scaled(2.0, c2), scaled(6.0, c3)],
            3 => vec![scaled(6.0, c3)],
            _ => vec![self.b.constant(0.0)],
        };
        let mut result = coefficients[coefficients.len() - 1];
        for &c in coefficients.iter().rev().skip(1) {
            let product = self.b.mul(result, u);
            result = self.b.add(product, c);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::interpret::evaluate;
    use crate::codegen::table::Outside;

    #[test]
    fn decisions_become_inputs() {
        let mut b = KernelBuilder::new("kinks");
        let x = b.input("x", Bank::State);
        let one = b.constant(1.0);
        let a = b.unary(Unary::Abs, x);
        let m = b.binary(Binary::Min, x, one);
        let s = b.select(Comparison::Lt, x, one, x, a);
        for (i, v) in [a, m, s].into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        let kernel = b.finish();
        let modes = modes(&kernel).unwrap();
        // |x| has its own function; min and the case distinction share 1 − x.
        assert_eq!(modes.switches.len(), 2);
        assert!(matches!(&modes.switches[0], Switch::Side { expression, .. } if expression == "abs(x)"));
        for y in [-2.0, 0.5, 3.0] {
            let (mut g, mut out, mut expected) = ([0.0; 2], [0.0; 3], [0.0; 3]);
            evaluate(&modes.functions, [&[], &[y], &[], &[1.0, 1.0]], &mut g).unwrap();
            let sides = g.map(f64::signum);
            evaluate(&modes.smooth, [&[], &[y], &[], &sides], &mut out).unwrap();
            evaluate(&kernel, [&[], &[y], &[], &[]], &mut expected).unwrap();
            assert_eq!(out, expected, "at {y}");
        }
        // A decision stands beyond its boundary: |x| continues as x.
        let mut out = [0.0; 3];
        evaluate(&modes.smooth, [&[], &[-0.1], &[], &[1.0, 1.0]], &mut out).unwrap();
        assert_eq!(out[0], -0.1);
    }

    #[test]
    fn tables_become_cubics() {
        let points: Vec<_> = (0..6).map(|i| (f64::from(i), f64::from(i * i % 5))).collect();
        let table = Arc::new(Table::spline("f", &points, Outside::Undefined).unwrap());
        let mut b = KernelBuilder::new("table");
        let x = b.input("x", Bank::State);
        for d in 0..4 {
            let v = b.table(&table, d, x);
            b.output(format!("o{d}"), v);
        }
        let kernel = b.finish();
        let modes = modes(&kernel).unwrap();
        assert_eq!((modes.switches.len(), modes.n_numbers), (1, 6));
        let (left, c) = table.piece(2.3);
        let numbers = [left, c[0], c[1], c[2], c[3], 3.0];
        let (mut out, mut expected, mut g) = ([0.0; 4], [0.0; 4], [0.0; 3]);
        evaluate(&modes.smooth, [&[], &[2.3], &[], &numbers], &mut out).unwrap();
        evaluate(&kernel, [&[], &[2.3], &[], &[]], &mut expected).unwrap();
        evaluate(&modes.functions, [&[], &[2.3], &[], &numbers], &mut g).unwrap();
        assert!(out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13), "{out:?} {expected:?}");
        assert!((g[0] - 0.3).abs() < 1e-15 && (g[1] - 0.7).abs() < 1e-15 && g[2] == 2.3);
    }

    /// Angles at points all around, and continued over their jumps.
    #[test]
    fn angles_jump_at_decisions() {
        let mut b = KernelBuilder::new("angles");
        let (x, y) = (b.input("x", Bank::State), b.input("y", Bank::State));
        let full = b.binary(Binary::Atan2, y, x);
        let q = b.div(y, x);
        let half = b.unary(Unary::Atan, q);
        for (i, v) in [full, half].into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        let kernel = b.finish();
        let found = modes(&kernel).unwrap();
        assert_eq!(found.switches.len(), 2);
        let decide = |at: [f64; 2]| {
            let mut sides = [1.0; 2];
            for _ in 0..2 {
                let mut g = [0.0; 2];
                evaluate(&found.functions, [&[], &at, &[], &sides], &mut g).unwrap();
                sides = g.map(f64::signum);
            }
            sides
        };
        for i in 0..12 {
            let angle = f64::from(i) * 0.53;
            let at = [angle.cos(), angle.sin()];
            let (mut out, mut expected) = ([0.0; 2], [0.0; 2]);
            evaluate(&found.smooth, [&[], &at, &[], &decide(at)], &mut out).unwrap();
            evaluate(&kernel, [&[], &at, &[], &[]], &mut expected).unwrap();
            assert!(out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{out:?} {expected:?}");
        }
        // A little below the negative axis, as decided above it, and left of the vertical, as decided right of it.
        let mut out = [0.0; 2];
        evaluate(&found.smooth, [&[], &[-1.0, -0.01], &[], &decide([-1.0, 0.01])], &mut out).unwrap();
        assert!((out[0] - (std::f64::consts::PI + 0.01f64.atan())).abs() < 1e-15);
        evaluate(&found.smooth, [&[], &[-0.01, 1.0], &[], &decide([0.01, 1.0])], &mut out).unwrap();
        assert!((out[1] - (std::f64::consts::FRAC_PI_2 + 0.01f64.atan())).abs() < 1e-15);
    }

    #[test]
    fn smooth_kernels_have_no_modes() {
        let mut b = KernelBuilder::new("smooth");
        let x = b.input("x", Bank::State);
        let s = b.sin(x);
        b.output("s", s);
        // The angle above a plane: a distance is positive.
        let (p, q) = (b.mul(x, x), b.constant(1.0));
        let square = b.add(p, q);
        let r = b.sqrt(square);
        let above = b.binary(Binary::Atan2, x, r);
        b.output("above", above);
        assert!(modes(&b.finish()).is_none());
    }
}
