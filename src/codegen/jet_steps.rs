//! Many Taylor steps in one call of machine code.
//!
//! Between two steps stand a norm, a logarithm, a power and the sum of a polynomial: little work, but everything waits for
//! it, and a return to the caller in between costs as much again. So the code of the coefficients gets a loop around it that
//! makes steps for as long as they are ordinary. What is not ordinary (a guard that declines, a number that is not finite,
//! a coefficient that vanishes, a step that reaches the end or cannot be made) ends the loop *before* that step, which the
//! caller then makes by itself; it does the same operations with the same roundings ([`crate::integrate::taylor`]), so it
//! makes no difference to a result where the loop ended. Small systems only: for others the caller is as good.
//!
//! ```text
//! array      entries
//! time       end of the run, direction (±1), time after which the loop ends
//! outputs    coefficients, order by order; y; what rounding took from y; t, its rest, start and length of the last step,
//!            shortest and longest step
//! result     the number of steps that were made
//! ```

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, IntCC, MemFlagsData, types};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};

use super::jet::JetProgram;
use super::libm;

/// Numbers after y and its rest.
pub const N_CARRIED: usize = 6;

/// The functions that compute coefficients.
pub struct Coefficients<'a> {
    pub initial: FuncId,
    pub parts: &'a [FuncId],
    pub n_slots: usize,
}

/// Emits the loop into a function that takes a number of steps after its arrays.
pub fn emit(fb: &mut FunctionBuilder, module: &mut JITModule, program: &JetProgram, functions: &Coefficients) {
    let (n, p) = (program.n, program.order);
    let start = fb.create_block();
    fb.append_block_params_for_function_params(start);
    fb.switch_to_block(start);
    let arguments = fb.block_params(start).to_vec();
    let [run, parameter, extra, outputs, scratch, count] = [0, 2, 3, 4, 5, 6].map(|i| arguments[i]);
    let state = fb.ins().iadd_imm_s(outputs, 8 * (n * (p + 1)) as i64);
    let carried = fb.ins().iadd_imm_s(state, 16 * n as i64);
    let (body, regular, exit) = (fb.create_block(), fb.create_block(), fb.create_block());
    fb.append_block_param(body, types::I64);
    fb.append_block_param(exit, types::I64);
    let zero = fb.ins().iconst(types::I64, 0);
    fb.ins().brif(count, body, &[zero.into()], exit, &[zero.into()]);

    fb.switch_to_block(body);
    let done = fb.block_params(body)[0];
    let scratch_of_initial = fb.ins().iadd_imm_s(scratch, 8 * functions.n_slots as i64);
    let callee = module.declare_func_in_func(functions.initial, fb.func);
    let call = fb.ins().call(callee, &[carried, state, parameter, extra, scratch, scratch_of_initial]);
    let status = fb.inst_results(call)[0];
    for part in functions.parts {
        let callee = module.declare_func_in_func(*part, fb.func);
        fb.ins().call(callee, &[carried, state, parameter, extra, outputs, scratch]);
    }
    let mut steps = Steps { fb, n, p, fused: program.fused, run, outputs, state, carried };
    let (h, ordinary) = steps.step_size();
    let none = steps.fb.ins().iconst(types::I64, 0);
    let held = steps.fb.ins().icmp(IntCC::Equal, status, none);
    let ordinary = steps.fb.ins().band(ordinary, held);
    steps.fb.ins().brif(ordinary, regular, &[], exit, &[done.into()]);

    steps.fb.switch_to_block(regular);
    let before_until = steps.advance(h);
    let done = fb.ins().iadd_imm_s(done, 1);
    let fewer = fb.ins().icmp(IntCC::UnsignedLessThan, done, count);
    let more = fb.ins().band(before_until, fewer);
    fb.ins().brif(more, body, &[done.into()], exit, &[done.into()]);
    fb.switch_to_block(exit);
    let done = fb.block_params(exit)[0];
    fb.ins().return_(&[done]);
}

struct Steps<'a, 'b> {
    fb: &'a mut FunctionBuilder<'b>,
    n: usize,
    p: usize,
    fused: bool,
    run: ir::Value,
    outputs: ir::Value,
    state: ir::Value,
    carried: ir::Value,
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Steps<'_, '_> {
    fn load(&mut self, base: ir::Value, place: usize) -> ir::Value {
        self.fb.ins().load(types::F64, flags(), base, 8 * place as i32)
    }

    fn constant(&mut self, x: f64) -> ir::Value {
        self.fb.ins().f64const(x)
    }

    /// The same constant in the type of another value.
    fn like(&mut self, x: ir::Value, c: f64) -> ir::Value {
        let scalar = self.constant(c);
        self.spread(x, scalar)
    }

    /// A scalar in the type of another value.
    fn spread(&mut self, x: ir::Value, scalar: ir::Value) -> ir::Value {
        match self.fb.func.dfg.value_type(x) {
            types::F64 => scalar,
            ty => self.fb.ins().splat(ty, scalar),
        }
    }

    fn multiply_add(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        if self.fused {
            return self.fb.ins().fma(a, b, c);
        }
        let product = self.fb.ins().fmul(a, b);
        self.fb.ins().fadd(product, c)
    }

    /// The larger of two numbers, neither of which is NaN.
    fn larger(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        let greater = self.fb.ins().fcmp(FloatCC::GreaterThan, a, b);
        self.fb.ins().select(greater, a, b)
    }

    fn smaller(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        let less = self.fb.ins().fcmp(FloatCC::LessThan, a, b);
        self.fb.ins().select(less, a, b)
    }

    /// Neighbouring states in pairs, the last perhaps alone: place and type.
    fn chunks(&self) -> Vec<(usize, ir::Type)> {
        (0..self.n).step_by(2).map(|i| (i, if i + 1 < self.n { types::F64X2 } else { types::F64 })).collect()
    }

    fn row(&mut self, base: ir::Value, first: usize, (i, ty): (usize, ir::Type)) -> ir::Value {
        self.fb.ins().load(ty, flags(), base, 8 * (first + i) as i32)
    }

    /// max |x| over n numbers, and a sum that is 0 when they are all finite.
    fn norm(&mut self, base: ir::Value, first: usize) -> (ir::Value, ir::Value) {
        let (mut largest, mut total): (Option<ir::Value>, Option<ir::Value>) = (None, None);
        for chunk in self.chunks() {
            let x = self.row(base, first, chunk);
            let zero = self.like(x, 0.0);
            let nothing = self.fb.ins().fmul(x, zero);
            let lanes = match chunk.1 {
                types::F64 => vec![(x, nothing)],
                _ => (0..2).map(|l| (self.fb.ins().extractlane(x, l), self.fb.ins().extractlane(nothing, l))).collect(),
            };
            for (x, nothing) in lanes {
                let mask = self.constant(f64::from_bits(u64::MAX >> 1));
                let size = self.fb.ins().band(x, mask);
                largest = Some(largest.map_or(size, |m| self.larger(m, size)));
                total = Some(total.map_or(nothing, |t| self.fb.ins().fadd(t, nothing)));
            }
        }
        let zero = self.constant(0.0);
        (largest.unwrap_or(zero), total.unwrap_or(zero))
    }

    /// The size of the next step, and whether it is an ordinary one.
    fn step_size(&mut self) -> (ir::Value, ir::Value) {
        let (n, p) = (self.n, self.p);
        let (size, a) = self.norm(self.state, 0);
        let (second, b) = self.norm(self.outputs, (p - 1) * n);
        let (last, c) = self.norm(self.outputs, p * n);
        let ab = self.fb.ins().fadd(a, b);
        let nothing = self.fb.ins().fadd(ab, c);
        let zero = self.constant(0.0);
        let finite = self.fb.ins().fcmp(FloatCC::Equal, nothing, zero);
        let (least, tiny) = (self.smaller(second, last), self.constant(f64::MIN_POSITIVE));
        let normal = self.fb.ins().fcmp(FloatCC::GreaterThanOrEqual, least, tiny);

        let one = self.constant(1.0);
        let size = self.larger(size, one);
        let s = self.log2(size);
        let [over_second, over_last] = [p - 1, p].map(|k| 1.0 / k as f64);
        let [second, last] = [(second, over_second), (last, over_last)].map(|(norm, inverse)| {
            let log = self.log2(norm);
            let difference = self.fb.ins().fsub(s, log);
            let inverse = self.constant(inverse);
            self.fb.ins().fmul(difference, inverse)
        });
        let rho = self.smaller(second, last);
        let (low, high) = (self.constant(-1000.0), self.constant(1000.0));
        let above = self.fb.ins().fcmp(FloatCC::GreaterThanOrEqual, rho, low);
        let below = self.fb.ins().fcmp(FloatCC::LessThanOrEqual, rho, high);
        let power = self.exp2(rho);
        let safety = self.constant(libm::taylor_safety(p));
        let h = self.fb.ins().fmul(power, safety);

        let (limit, direction, t) = (self.load(self.run, 0), self.load(self.run, 1), self.load(self.carried, 0));
        let remaining = self.fb.ins().fsub(limit, t);
        let remaining = self.fb.ins().fmul(remaining, direction);
        let inside = self.fb.ins().fcmp(FloatCC::LessThan, h, remaining);
        let signed = self.fb.ins().fmul(h, direction);
        let tenth = self.constant(0.1);
        let tenth = self.fb.ins().fmul(tenth, signed);
        let moved = self.fb.ins().fadd(t, tenth);
        let moves = self.fb.ins().fcmp(FloatCC::NotEqual, moved, t);
        let conditions = [finite, normal, above, below, inside, moves];
        let ordinary = conditions.into_iter().reduce(|a, b| self.fb.ins().band(a, b));
        (signed, ordinary.expect("there are conditions"))
    }

    /// [`libm::quick_log2`] of a positive normal number, operation by operation.
    fn log2(&mut self, x: ir::Value) -> ir::Value {
        let native = MemFlagsData::new();
        let bits = self.fb.ins().bitcast(types::I64, native, x);
        let offset = self.fb.ins().iconst(types::I64, libm::ROOT_HALF_BITS as i64);
        let offset = self.fb.ins().isub(bits, offset);
        let e = self.fb.ins().sshr_imm_u(offset, 52);
        let e = self.fb.ins().fcvt_from_sint(types::F64, e);
        let mask = self.fb.ins().iconst(types::I64, (0xFFFu64 << 52) as i64);
        let exponent = self.fb.ins().band(offset, mask);
        let mantissa = self.fb.ins().isub(bits, exponent);
        let mantissa = self.fb.ins().bitcast(types::F64, native, mantissa);
        let one = self.constant(1.0);
        let u = self.fb.ins().fsub(mantissa, one);
        let square = self.fb.ins().fmul(u, u);
        let [p01, p23, p45] = [0, 2, 4].map(|i| {
            let (low, high) = (self.constant(libm::LOG2[i]), self.constant(libm::LOG2[i + 1]));
            self.multiply_add(high, u, low)
        });
        let q = self.multiply_add(p45, square, p23);
        let q = self.multiply_add(q, square, p01);
        self.multiply_add(q, u, e)
    }

    /// [`libm::quick_exp2`] of a number between −1000 and 1000, operation by operation.
    fn exp2(&mut self, x: ir::Value) -> ir::Value {
        let native = MemFlagsData::new();
        let round = self.constant(libm::ROUND);
        let shifted = self.fb.ins().fadd(x, round);
        let whole = self.fb.ins().fsub(shifted, round);
        let z = self.fb.ins().fsub(x, whole);
        let square = self.fb.ins().fmul(z, z);
        let [c0, c1, c2, c3, c4] = libm::EXP2.map(|c| self.constant(c));
        let (p01, p23) = (self.multiply_add(c1, z, c0), self.multiply_add(c3, z, c2));
        let q = self.multiply_add(c4, square, p23);
        let series = self.multiply_add(q, square, p01);
        let [series, shifted] = [series, shifted].map(|x| self.fb.ins().bitcast(types::I64, native, x));
        let exponent = self.fb.ins().ishl_imm_u(shifted, 52);
        let bits = self.fb.ins().iadd(series, exponent);
        self.fb.ins().bitcast(types::F64, native, bits)
    }

    /// Makes the step; whether the loop may go on at the time it leads to.
    fn advance(&mut self, h: ir::Value) -> ir::Value {
        let n = self.n;
        let h2 = self.fb.ins().fmul(h, h);
        let h4 = self.fb.ins().fmul(h2, h2);
        for chunk in self.chunks() {
            let delta = self.polynomial(chunk, [h, h2, h4]);
            let (y, rest) = (self.row(self.state, 0, chunk), self.row(self.state, n, chunk));
            let (y, rest) = self.plus(y, rest, delta);
            self.fb.ins().store(flags(), y, self.state, 8 * chunk.0 as i32);
            self.fb.ins().store(flags(), rest, self.state, 8 * (n + chunk.0) as i32);
        }
        let (t, rest) = (self.load(self.carried, 0), self.load(self.carried, 1));
        let (new, new_rest) = self.plus(t, rest, h);
        let mask = self.constant(f64::from_bits(u64::MAX >> 1));
        let size = self.fb.ins().band(h, mask);
        let (least, most) = (self.load(self.carried, 4), self.load(self.carried, 5));
        let (least, most) = (self.smaller(size, least), self.larger(size, most));
        for (place, x) in [new, new_rest, t, h, least, most].into_iter().enumerate() {
            self.fb.ins().store(flags(), x, self.carried, 8 * place as i32);
        }
        let (direction, until) = (self.load(self.run, 1), self.load(self.run, 2));
        let left = self.fb.ins().fsub(until, new);
        let left = self.fb.ins().fmul(left, direction);
        let zero = self.constant(0.0);
        self.fb.ins().fcmp(FloatCC::GreaterThan, left, zero)
    }

    /// Σ c_k hᵏ, k = 1 … p, as the caller sums it: one polynomial in h⁴ for each remainder of k − 1.
    fn polynomial(&mut self, chunk: (usize, ir::Type), powers: [ir::Value; 3]) -> ir::Value {
        let (n, p) = (self.n, self.p);
        let mut k = (p - 1) / 4 * 4 + 1;
        let first = self.row(self.outputs, k * n, chunk);
        let zero = self.like(first, 0.0);
        let mut part = [first, zero, zero, zero];
        for r in 1..4 {
            if k + r <= p {
                part[r] = self.row(self.outputs, (k + r) * n, chunk);
            }
        }
        let [h, h2, h4] = powers.map(|x| self.spread(first, x));
        while k > 4 {
            k -= 4;
            for r in 0..4 {
                let a = self.row(self.outputs, (k + r) * n, chunk);
                part[r] = self.multiply_add(part[r], h4, a);
            }
        }
        let (low, high) = (self.multiply_add(part[1], h, part[0]), self.multiply_add(part[3], h, part[2]));
        let sum = self.multiply_add(high, h2, low);
        self.fb.ins().fmul(sum, h)
    }

    /// Knuth's two-sum, as [`crate::integrate::control::Compensated`].
    fn plus(&mut self, value: ir::Value, rest: ir::Value, x: ir::Value) -> (ir::Value, ir::Value) {
        let x = self.fb.ins().fadd(x, rest);
        let sum = self.fb.ins().fadd(value, x);
        let back = self.fb.ins().fsub(sum, value);
        let kept = self.fb.ins().fsub(sum, back);
        let (missing, off) = (self.fb.ins().fsub(value, kept), self.fb.ins().fsub(x, back));
        (sum, self.fb.ins().fadd(missing, off))
    }
}
