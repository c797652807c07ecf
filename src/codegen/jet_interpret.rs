//! Taylor recurrences, interpreted: the reference for compiled ones, what stands in for them, and the faster way for series
//! that are longer than their run.

use super::interpret::{Banks, Declined, Interpreter};
use super::ir::{Bank, Comparison};
use super::jet::{JetProgram, NodeId, Rule, Series, Slot, Sum, SumId};
use super::jet_rules::{self, Arithmetic, Constant};
use super::simd;

/// Executes the recurrences, one number at a time: the reference for compiled jets, and their fallback.
pub struct JetInterpreter {
    slots: Vec<f64>,
    /// Node by node, order by order.
    coefficients: Vec<f64>,
    fast: Interpreter,
    careful: Option<Interpreter>,
}

impl JetInterpreter {
    pub fn new(program: &JetProgram) -> JetInterpreter {
        JetInterpreter {
            slots: vec![0.0; program.initial.outputs().len()],
            coefficients: vec![0.0; program.nodes.len() * (program.order + 1)],
            fast: Interpreter::new(&program.initial),
            careful: None,
        }
    }

    /// The coefficients of the solution through a state: `out[k n + i]` is that of order k of state i.
    pub fn run(&mut self, program: &JetProgram, banks: Banks, out: &mut [f64]) -> Result<(), Declined> {
        self.fast.run(&program.initial, banks, &mut self.slots)?;
        simd::with_fma(|| self.orders(program, banks[Bank::State as usize], out));
        Ok(())
    }

    /// The same with libm and pivoting at order 0.
    pub fn run_carefully(&mut self, program: &JetProgram, banks: Banks, out: &mut [f64]) {
        let careful = self.careful.get_or_insert_with(|| Interpreter::new(&program.careful));
        // The careful kernel has the guards of the factorisation; what they refuse shows as numbers that are not finite.
        if careful.run(&program.careful, banks, &mut self.slots).is_err() {
            self.slots.fill(f64::NAN);
        }
        simd::with_fma(|| self.orders(program, banks[Bank::State as usize], out));
    }

    #[inline(always)]
    fn orders(&mut self, program: &JetProgram, state: &[f64], out: &mut [f64]) {
        let n = program.n;
        out[..n].copy_from_slice(&state[..n]);
        for (i, d) in program.derivatives.iter().enumerate() {
            out[n + i] = self.slots[d.slot as usize];
        }
        for k in 1..program.order {
            for (node, rule) in program.nodes.iter().enumerate() {
                let mut arithmetic = AtOrder { interpreter: self, program, k };
                let place = |node: usize| node * (program.order + 1) + k;
                match *rule {
                    Rule::State(i) => self.coefficients[place(node)] = out[k * n + i as usize],
                    // The first unknown solves the system.
                    Rule::Unknown(number, 0) => {
                        let system = &program.systems[number as usize];
                        for (i, x) in jet_rules::unknowns(&mut arithmetic, system).into_iter().enumerate() {
                            self.coefficients[place(system.first as usize + i)] = x;
                        }
                    }
                    rule => {
                        if let Some(x) = jet_rules::coefficient(&mut arithmetic, rule) {
                            self.coefficients[place(node)] = x;
                        }
                    }
                }
            }
            let inverse = 1.0 / (k + 1) as f64;
            for (i, d) in program.derivatives.iter().enumerate() {
                let f = d.node.map_or(0.0, |node| self.at(program, node, k));
                out[(k + 1) * n + i] = f * inverse;
            }
        }
    }

    #[inline(always)]
    fn at(&self, program: &JetProgram, node: NodeId, k: usize) -> f64 {
        self.coefficients[node as usize * (program.order + 1) + k]
    }

    /// S(a, b) of order k ≥ 2, in as many partial sums as the program says.
    #[inline(always)]
    fn sum(&self, program: &JetProgram, sum: Sum, k: usize) -> f64 {
        let length = program.order + 1;
        let series = |s: Series, j: usize| {
            let x = self.coefficients[s.node as usize * length + j];
            if s.weighted { x * j as f64 } else { x }
        };
        let m = program.accumulators;
        let mut partial = [0.0; 4];
        let madd = |a: f64, b: f64, c: f64| if program.fused { a.mul_add(b, c) } else { a * b + c };
        let square = sum.is_square();
        let last = jet_rules::last_older(k, square);
        for j in 2..=last {
            let (x, y) = (series(sum.a, j), series(sum.b, k - j));
            let slot = (j - 2) % m;
            partial[slot] = if j - 2 >= m { madd(x, y, partial[slot]) } else { x * y };
        }
        let used = last.saturating_sub(1).min(m);
        let mut total = match used {
            0 => None,
            1 => Some(partial[0]),
            2 => Some(partial[0] + partial[1]),
            3 => Some((partial[0] + partial[1]) + partial[2]),
            _ => Some((partial[0] + partial[1]) + (partial[2] + partial[3])),
        };
        let newest: &[usize] = match (square, k) {
            (true, 2) => &[],
            (true, _) | (false, 2) => &[1],
            (false, _) => &[1, k - 1],
        };
        for &j in newest {
            let (x, y) = (series(sum.a, j), series(sum.b, k - j));
            total = Some(total.map_or(x * y, |total| madd(x, y, total)));
        }
        if !square {
            return total.unwrap_or(0.0);
        }
        let doubled = total.map(|t| t + t);
        if k % 2 == 1 {
            return doubled.unwrap_or(0.0);
        }
        let middle = series(sum.a, k / 2);
        doubled.map_or(middle * middle, |doubled| madd(middle, middle, doubled))
    }
}

/// The interpreter at one order.
struct AtOrder<'a> {
    interpreter: &'a JetInterpreter,
    program: &'a JetProgram,
    k: usize,
}

impl Arithmetic for AtOrder<'_> {
    type Number = f64;

    #[inline(always)]
    fn order(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn at(&mut self, node: NodeId) -> f64 {
        self.interpreter.at(self.program, node, self.k)
    }

    #[inline(always)]
    fn slot(&mut self, slot: Slot) -> f64 {
        self.interpreter.slots[slot as usize]
    }

    #[inline(always)]
    fn sum(&mut self, sum: SumId) -> f64 {
        self.interpreter.sum(self.program, self.program.sums[sum as usize], self.k)
    }

    #[inline(always)]
    fn number(&mut self, x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn constant(&mut self, which: Constant) -> f64 {
        let k = self.k as f64;
        match which {
            Constant::OverK => 1.0 / k,
            Constant::MinusOverK => -(1.0 / k),
            #[cfg(feature = "jit")]
            Constant::K => k,
        }
    }

    #[inline(always)]
    fn add(&mut self, a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn sub(&mut self, a: f64, b: f64) -> f64 {
        a - b
    }

    #[inline(always)]
    fn mul(&mut self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn negate(&mut self, a: f64) -> f64 {
        -a
    }

    #[inline(always)]
    fn multiply_add(&mut self, a: f64, b: f64, c: f64) -> f64 {
        if self.program.fused { a.mul_add(b, c) } else { a * b + c }
    }

    #[inline(always)]
    fn multiply_sub(&mut self, a: f64, b: f64, c: f64) -> f64 {
        self.multiply_add(-a, b, c)
    }

    #[inline(always)]
    fn select(&mut self, comparison: Comparison, [p, q, then, otherwise]: [f64; 4]) -> f64 {
        if super::interpret::compare(comparison, p, q) { then } else { otherwise }
    }
}
