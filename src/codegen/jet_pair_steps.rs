//! Many Taylor steps of two pairs of trajectories in one call of machine code.
//!
//! As in [`super::jet_steps`] a loop stands around the code of the coefficients; here every number is a pair, one of each
//! trajectory, two pairs take turns, and each trajectory has its own time, step and end. The loop goes on while all steps
//! are ordinary and none reaches its end. Lane by lane the operations and their roundings are those of [`crate::integrate::taylor`], and the rows that are
//! carried from step to step those of [`super::wide`]. Small systems only, as there.
//!
//! ```text
//! array      entries
//! outputs    of each pair: coefficients, order by order; y; what rounding took from y; the rows of `wide::Row`
//! result     the number of steps that were made
//! ```

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, FunctionBuilder, InstBuilder, IntCC, MemFlagsData, types};
use cranelift_jit::JITModule;
use cranelift_module::Module;

use super::jet::JetProgram;
use super::jet_pairs::N_TURNS;
use super::jet_steps::Coefficients;
use super::jit::little;
use super::libm;
use super::wide::{DONE, N_ROWS, NOT_ORDINARY, Row};

/// Numbers from the arrays of a pair to those of the next: coefficients, y, its rest, rows.
pub fn apart(program: &JetProgram) -> usize {
    2 * (program.n * (program.order + 3) + N_ROWS)
}

/// Emits the loop into a function that takes a number of steps after its arrays. The pairs are so many bytes apart: in what
/// is carried, in the scratch array, in the parameters; `constants` is the address of those of the recurrences.
pub fn emit(
    fb: &mut FunctionBuilder,
    module: &mut JITModule,
    program: &JetProgram,
    functions: &Coefficients,
    apart: [i64; 3],
    constants: i64,
) {
    let (n, p) = (program.n, program.order);
    let start = fb.create_block();
    fb.append_block_params_for_function_params(start);
    fb.switch_to_block(start);
    let arguments = fb.block_params(start).to_vec();
    let [extra, count] = [arguments[3], arguments[6]];
    let pairs: [Pair; N_TURNS] = std::array::from_fn(|turn| {
        let mut moved = |base: usize, bytes: i64| fb.ins().iadd_imm_s(arguments[base], turn as i64 * bytes);
        let [outputs, scratch, parameters] = [moved(4, apart[0]), moved(5, apart[1]), moved(2, apart[2])];
        let state = fb.ins().iadd_imm_s(outputs, 16 * (n * (p + 1)) as i64);
        let rows = fb.ins().iadd_imm_s(state, 32 * n as i64);
        Pair { outputs, scratch, parameters, state, rows }
    });
    let [body, refused, regular, exit] = [(); 4].map(|()| fb.create_block());
    fb.append_block_param(body, types::I64);
    fb.append_block_param(exit, types::I64);
    for _ in pairs {
        fb.append_block_param(exit, types::F64X2);
    }
    let mut steps = Steps { fb, n, p, fused: program.fused, pair: pairs[0] };
    let nothing = steps.number(0.0);
    let none = steps.fb.ins().iconst(types::I64, 0);
    steps.fb.ins().brif(count, body, &[none.into()], exit, &[none.into(), nothing.into(), nothing.into()]);

    steps.fb.switch_to_block(body);
    let done = steps.fb.block_params(body)[0];
    let initial = module.declare_func_in_func(functions.initial, steps.fb.func);
    let held = pairs.map(|pair| {
        let scratch = steps.fb.ins().iadd_imm_s(pair.scratch, 8 * functions.n_slots as i64);
        let arguments = [pair.rows, pair.state, pair.parameters, extra, pair.scratch, scratch];
        let call = steps.fb.ins().call(initial, &arguments);
        let status = steps.fb.inst_results(call)[0];
        steps.fb.ins().icmp_imm_s(IntCC::Equal, status, 0)
    });
    let constants = steps.fb.ins().iconst(types::I64, constants);
    for part in functions.parts {
        let callee = module.declare_func_in_func(*part, steps.fb.func);
        let first = pairs[0];
        let arguments = [first.rows, first.state, first.parameters, constants, first.outputs, first.scratch];
        steps.fb.ins().call(callee, &arguments);
    }
    let next: [Next; N_TURNS] = std::array::from_fn(|turn| {
        steps.pair = pairs[turn];
        steps.next(held[turn])
    });
    let bad = steps.fb.ins().bor(next[0].bad, next[1].bad);
    let any = steps.fb.ins().vany_true(bad);
    steps.fb.ins().brif(any, refused, &[], regular, &[]);

    steps.fb.switch_to_block(refused);
    let words = [0, 1].map(|turn| {
        let word = steps.number(NOT_ORDINARY);
        steps.masked(word, next[turn].bad)
    });
    steps.fb.ins().jump(exit, &[done.into(), words[0].into(), words[1].into()]);

    steps.fb.switch_to_block(regular);
    let words = [0, 1].map(|turn| {
        steps.pair = pairs[turn];
        steps.advance(next[turn].h, next[turn].reached);
        let word = steps.number(DONE);
        steps.masked(word, next[turn].reached)
    });
    let done = steps.fb.ins().iadd_imm_s(done, 1);
    let reached = steps.fb.ins().bor(next[0].reached, next[1].reached);
    let any = steps.fb.ins().vany_true(reached);
    let last = steps.fb.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, done, count);
    let stop = steps.fb.ins().bor(any, last);
    steps.fb.ins().brif(stop, exit, &[done.into(), words[0].into(), words[1].into()], body, &[done.into()]);

    steps.fb.switch_to_block(exit);
    let results = steps.fb.block_params(exit).to_vec();
    let made = steps.fb.ins().fcvt_from_sint(types::F64, results[0]);
    let made = steps.fb.ins().splat(types::F64X2, made);
    for (pair, word) in pairs.into_iter().zip(&results[1..]) {
        steps.pair = pair;
        let before = steps.row(Row::Steps);
        let after = steps.fb.ins().fadd(before, made);
        steps.set(Row::Steps, after);
        steps.set(Row::Status, *word);
    }
    steps.fb.ins().return_(&[results[0]]);
}

/// Where the arrays of a pair are.
#[derive(Clone, Copy)]
struct Pair {
    outputs: ir::Value,
    scratch: ir::Value,
    parameters: ir::Value,
    state: ir::Value,
    rows: ir::Value,
}

/// The next steps of a pair: how long they are, and masks of lanes that come to their end, and of those that refuse.
struct Next {
    h: ir::Value,
    reached: ir::Value,
    bad: ir::Value,
}

/// The next steps: how long they are, and masks of those that reach the end and of those that are ordinary.
struct Length {
    h: ir::Value,
    reaches: ir::Value,
    ordinary: ir::Value,
}

struct Steps<'a, 'b> {
    fb: &'a mut FunctionBuilder<'b>,
    n: usize,
    p: usize,
    fused: bool,
    /// The pair that has its turn.
    pair: Pair,
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// All bits but the sign.
const MAGNITUDE: u64 = u64::MAX >> 1;

impl Steps<'_, '_> {
    fn load(&mut self, base: ir::Value, place: usize) -> ir::Value {
        self.fb.ins().load(types::F64X2, flags(), base, 16 * place as i32)
    }

    fn store(&mut self, x: ir::Value, base: ir::Value, place: usize) {
        self.fb.ins().store(flags(), x, base, 16 * place as i32);
    }

    fn row(&mut self, row: Row) -> ir::Value {
        self.load(self.pair.rows, row as usize)
    }

    fn set(&mut self, row: Row, x: ir::Value) {
        self.store(x, self.pair.rows, row as usize);
    }

    /// The same bits in both lanes.
    fn both(&mut self, bits: u64, ty: ir::Type) -> ir::Value {
        let bytes: Vec<u8> = [bits.to_le_bytes(), bits.to_le_bytes()].concat();
        let constant = self.fb.func.dfg.constants.insert(bytes.into());
        self.fb.ins().vconst(ty, constant)
    }

    fn number(&mut self, x: f64) -> ir::Value {
        self.both(x.to_bits(), types::F64X2)
    }

    fn bits(&mut self, x: ir::Value) -> ir::Value {
        self.fb.ins().bitcast(types::I64X2, little(), x)
    }

    fn of_bits(&mut self, x: ir::Value) -> ir::Value {
        self.fb.ins().bitcast(types::F64X2, little(), x)
    }

    /// The number where the mask is set, and 0.
    fn masked(&mut self, x: ir::Value, mask: ir::Value) -> ir::Value {
        let bits = self.bits(x);
        let bits = self.fb.ins().band(bits, mask);
        self.of_bits(bits)
    }

    fn choose(&mut self, mask: ir::Value, a: ir::Value, b: ir::Value) -> ir::Value {
        let (a, b) = (self.bits(a), self.bits(b));
        let bits = self.fb.ins().bitselect(mask, a, b);
        self.of_bits(bits)
    }

    fn magnitude(&mut self, x: ir::Value) -> ir::Value {
        let mask = self.both(MAGNITUDE, types::I64X2);
        self.masked(x, mask)
    }

    /// The larger of two numbers, neither of which is NaN.
    fn larger(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        let greater = self.fb.ins().fcmp(FloatCC::GreaterThan, a, b);
        self.choose(greater, a, b)
    }

    fn smaller(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        let less = self.fb.ins().fcmp(FloatCC::LessThan, a, b);
        self.choose(less, a, b)
    }

    fn multiply_add(&mut self, a: ir::Value, b: ir::Value, c: ir::Value) -> ir::Value {
        if self.fused {
            return self.fb.ins().fma(a, b, c);
        }
        let product = self.fb.ins().fmul(a, b);
        self.fb.ins().fadd(product, c)
    }

    /// The next steps. A guard speaks for both lanes: when it declined, neither is made.
    fn next(&mut self, held: ir::Value) -> Next {
        let (active, zero) = (self.row(Row::Active), self.number(0.0));
        let active = self.fb.ins().fcmp(FloatCC::NotEqual, active, zero);
        let Length { h, reaches, ordinary } = self.length();
        let held = self.fb.ins().uextend(types::I64, held);
        let held = self.fb.ins().ineg(held);
        let held = self.fb.ins().splat(types::I64X2, held);
        let ordinary = self.fb.ins().band(ordinary, held);
        let bad = self.fb.ins().band_not(active, ordinary);
        // Lanes without a run stay where they are.
        Next { h: self.masked(h, active), reached: self.fb.ins().band(active, reaches), bad }
    }

    /// max |x| over n pairs, and a sum that is 0 where they are all finite.
    fn norm(&mut self, base: ir::Value, first: usize) -> (ir::Value, ir::Value) {
        let zero = self.number(0.0);
        let (mut largest, mut total) = (zero, zero);
        for i in 0..self.n {
            let x = self.load(base, first + i);
            let nothing = self.fb.ins().fmul(x, zero);
            let size = self.magnitude(x);
            (largest, total) = match i {
                0 => (size, nothing),
                _ => (self.larger(largest, size), self.fb.ins().fadd(total, nothing)),
            };
        }
        (largest, total)
    }

    /// The lengths of the next steps.
    fn length(&mut self) -> Length {
        let (n, p) = (self.n, self.p);
        let (size, a) = self.norm(self.pair.state, 0);
        let (second, b) = self.norm(self.pair.outputs, (p - 1) * n);
        let (last, c) = self.norm(self.pair.outputs, p * n);
        let ab = self.fb.ins().fadd(a, b);
        let nothing = self.fb.ins().fadd(ab, c);
        let zero = self.number(0.0);
        let finite = self.fb.ins().fcmp(FloatCC::Equal, nothing, zero);
        let (least, tiny) = (self.smaller(second, last), self.number(f64::MIN_POSITIVE));
        let normal = self.fb.ins().fcmp(FloatCC::GreaterThanOrEqual, least, tiny);

        let one = self.number(1.0);
        let size = self.larger(size, one);
        let s = self.log2(size);
        let [over_second, over_last] = [p - 1, p].map(|k| 1.0 / k as f64);
        let [second, last] = [(second, over_second), (last, over_last)].map(|(norm, inverse)| {
            let log = self.log2(norm);
            let difference = self.fb.ins().fsub(s, log);
            let inverse = self.number(inverse);
            self.fb.ins().fmul(difference, inverse)
        });
        let rho = self.smaller(second, last);
        let (limit, size_of_rho) = (self.number(1000.0), self.magnitude(rho));
        let within = self.fb.ins().fcmp(FloatCC::LessThanOrEqual, size_of_rho, limit);
        let (power, safety) = (self.exp2(rho), self.number(libm::taylor_safety(p)));
        let length = self.fb.ins().fmul(power, safety);

        let (end, t) = (self.row(Row::End), self.row(Row::Time));
        let remaining = self.fb.ins().fsub(end, t);
        let left = self.magnitude(remaining);
        let reaches = self.fb.ins().fcmp(FloatCC::GreaterThanOrEqual, length, left);
        let sign = self.both(!MAGNITUDE, types::I64X2);
        let (sign, bits) = (self.masked(remaining, sign), self.bits(length));
        let sign = self.bits(sign);
        let signed = self.fb.ins().bor(bits, sign);
        let signed = self.of_bits(signed);
        let h = self.choose(reaches, remaining, signed);
        let tenth = self.number(0.1);
        let tenth = self.fb.ins().fmul(tenth, h);
        let moved = self.fb.ins().fadd(t, tenth);
        let moves = self.fb.ins().fcmp(FloatCC::NotEqual, moved, t);
        let moves = self.fb.ins().bor(reaches, moves);
        let conditions = [finite, normal, within, moves];
        let ordinary = conditions.into_iter().reduce(|a, b| self.fb.ins().band(a, b));
        Length { h, reaches, ordinary: ordinary.expect("there are conditions") }
    }

    /// [`libm::quick_log2`] of positive normal numbers. The exponent becomes a number by way of 1.5·2⁵² + 2048, which is exact.
    fn log2(&mut self, x: ir::Value) -> ir::Value {
        let bits = self.bits(x);
        let root = self.both(libm::ROOT_HALF_BITS, types::I64X2);
        let offset = self.fb.ins().isub(bits, root);
        let bias = self.both(2048 << 52, types::I64X2);
        let biased = self.fb.ins().iadd(offset, bias);
        let places = self.fb.ins().iconst(types::I64, 52);
        let e = self.fb.ins().ushr(biased, places);
        let round = self.both(libm::ROUND.to_bits(), types::I64X2);
        let e = self.fb.ins().iadd(e, round);
        let e = self.of_bits(e);
        let round = self.number(libm::ROUND + 2048.0);
        let e = self.fb.ins().fsub(e, round);
        let mask = self.both(0xFFF << 52, types::I64X2);
        let exponent = self.fb.ins().band(offset, mask);
        let mantissa = self.fb.ins().isub(bits, exponent);
        let (mantissa, one) = (self.of_bits(mantissa), self.number(1.0));
        let u = self.fb.ins().fsub(mantissa, one);
        let square = self.fb.ins().fmul(u, u);
        let [p01, p23, p45] = [0, 2, 4].map(|i| {
            let (low, high) = (self.number(libm::LOG2[i]), self.number(libm::LOG2[i + 1]));
            self.multiply_add(high, u, low)
        });
        let q = self.multiply_add(p45, square, p23);
        let q = self.multiply_add(q, square, p01);
        self.multiply_add(q, u, e)
    }

    /// [`libm::quick_exp2`] of numbers between −1000 and 1000.
    fn exp2(&mut self, x: ir::Value) -> ir::Value {
        let round = self.number(libm::ROUND);
        let shifted = self.fb.ins().fadd(x, round);
        let whole = self.fb.ins().fsub(shifted, round);
        let z = self.fb.ins().fsub(x, whole);
        let square = self.fb.ins().fmul(z, z);
        let [c0, c1, c2, c3, c4] = libm::EXP2.map(|c| self.number(c));
        let (p01, p23) = (self.multiply_add(c1, z, c0), self.multiply_add(c3, z, c2));
        let q = self.multiply_add(c4, square, p23);
        let series = self.multiply_add(q, square, p01);
        let (series, shifted) = (self.bits(series), self.bits(shifted));
        let places = self.fb.ins().iconst(types::I64, 52);
        let exponent = self.fb.ins().ishl(shifted, places);
        let bits = self.fb.ins().iadd(series, exponent);
        self.of_bits(bits)
    }

    /// Makes the steps; lanes that reached their end stand there exactly.
    fn advance(&mut self, h: ir::Value, reached: ir::Value) {
        let h2 = self.fb.ins().fmul(h, h);
        let h4 = self.fb.ins().fmul(h2, h2);
        for i in 0..self.n {
            let delta = self.polynomial(i, [h, h2, h4]);
            let (y, rest) = (self.load(self.pair.state, i), self.load(self.pair.state, self.n + i));
            let (y, rest) = self.plus(y, rest, delta);
            self.store(y, self.pair.state, i);
            self.store(rest, self.pair.state, self.n + i);
        }
        let (t, rest, end, zero) = (self.row(Row::Time), self.row(Row::TimeRest), self.row(Row::End), self.number(0.0));
        let (t, rest) = self.plus(t, rest, h);
        let (t, rest) = (self.choose(reached, end, t), self.choose(reached, zero, rest));
        let size = self.magnitude(h);
        let (least, most) = (self.row(Row::Shortest), self.row(Row::Longest));
        let (least, most) = (self.smaller(size, least), self.larger(size, most));
        for (row, x) in [(Row::Time, t), (Row::TimeRest, rest), (Row::Shortest, least), (Row::Longest, most)] {
            self.set(row, x);
        }
    }

    /// Σ c_k hᵏ, k = 1 … p, as a trajectory alone sums it: one polynomial in h⁴ for each remainder of k − 1.
    fn polynomial(&mut self, i: usize, [h, h2, h4]: [ir::Value; 3]) -> ir::Value {
        let (n, p) = (self.n, self.p);
        let mut k = (p - 1) / 4 * 4 + 1;
        let zero = self.number(0.0);
        let mut part = [zero; 4];
        for r in 0..4 {
            if k + r <= p {
                part[r] = self.load(self.pair.outputs, (k + r) * n + i);
            }
        }
        while k > 4 {
            k -= 4;
            for r in 0..4 {
                let a = self.load(self.pair.outputs, (k + r) * n + i);
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
