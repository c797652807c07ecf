//! The elementary functions of [`libm`] that are inlined: the same operations in the same order, on pairs.

use cranelift::codegen::ir;
use cranelift::prelude::{FloatCC, InstBuilder, types};

use super::{Emitter, libm, little};

impl Emitter<'_, '_> {
    /// [`libm::exp_inline`] on a pair, operation by operation.
    pub(super) fn exp(&mut self, x: ir::Value) -> ir::Value {
        let pair = |e: &mut Self, c: f64| e.constant_pair([c.to_bits(); 2], types::F64X2);
        // Constants first: the first operand of a fused multiply-add is overwritten, and they are not needed again.
        let (log2_e, round) = (pair(self, libm::LOG2_E), pair(self, libm::ROUND));
        let shifted = self.fb.ins().fma(log2_e, x, round);
        let k = self.fb.ins().fsub(shifted, round);
        let mut r = x;
        for part in libm::LN_2 {
            let part = pair(self, -part);
            r = self.fb.ins().fma(part, k, r);
        }
        self.guard_square(k, libm::EXPONENT_SQUARED);
        let mut q = pair(self, libm::EXP[11]);
        for i in (0..11).rev() {
            let coefficient = pair(self, libm::EXP[i]);
            q = self.fb.ins().fma(q, r, coefficient);
        }
        let square = self.fb.ins().fmul(r, r);
        let head = self.fb.ins().fma(square, q, r);
        let one = pair(self, 1.0);
        let y = self.fb.ins().fadd(one, head);
        let [y, shifted] = [y, shifted].map(|x| self.fb.ins().bitcast(types::I64X2, little(), x));
        let exponent = self.fb.ins().ishl_imm_u(shifted, 52);
        let bits = self.fb.ins().iadd(y, exponent);
        self.fb.ins().bitcast(types::F64X2, little(), bits)
    }

    /// [`libm::log_inline`] on a pair, operation by operation.
    pub(super) fn log(&mut self, x: ir::Value) -> ir::Value {
        let pair = |e: &mut Self, c: f64| e.constant_pair([c.to_bits(); 2], types::F64X2);
        let integers = |e: &mut Self, bits: u64| e.constant_pair([bits; 2], types::I64X2);
        for (limit, beyond) in
            [(f64::MIN_POSITIVE, FloatCC::UnorderedOrLessThan), (f64::MAX, FloatCC::UnorderedOrGreaterThan)]
        {
            let limit = pair(self, limit);
            let outside = self.fb.ins().fcmp(beyond, x, limit);
            let signs = self.fb.ins().bitcast(types::F64X2, little(), outside);
            self.guard_pair(signs);
        }
        let bits = self.fb.ins().bitcast(types::I64X2, little(), x);
        let to_one = integers(self, libm::TO_ONE);
        let moved = self.fb.ins().iadd(bits, to_one);
        let exponent = self.fb.ins().ushr_imm_u(moved, 52);
        let large = integers(self, libm::LARGE_BITS);
        let exponent = self.fb.ins().bor(exponent, large);
        let exponent = self.fb.ins().bitcast(types::F64X2, little(), exponent);
        let bias = pair(self, libm::LARGE_AND_BIAS);
        let k = self.fb.ins().fsub(exponent, bias);
        let mask = integers(self, libm::MANTISSA);
        let mantissa = self.fb.ins().band(moved, mask);
        let root_half = integers(self, libm::ROOT_HALF_BITS);
        let mantissa = self.fb.ins().iadd(mantissa, root_half);
        let mantissa = self.fb.ins().bitcast(types::F64X2, little(), mantissa);
        let one = pair(self, 1.0);
        let f = self.fb.ins().fsub(mantissa, one);
        let two = pair(self, 2.0);
        let sum = self.fb.ins().fadd(two, f);
        let s = self.fb.ins().fdiv(f, sum);
        let z = self.fb.ins().fmul(s, s);
        let w = self.fb.ins().fmul(z, z);
        let [even, odd] = [&[5, 3, 1][..], &[6, 4, 2, 0]].map(|numbers| {
            let mut q = pair(self, libm::LOG[numbers[0]]);
            for &i in &numbers[1..] {
                let coefficient = pair(self, libm::LOG[i]);
                q = self.fb.ins().fma(q, w, coefficient);
            }
            q
        });
        let odd = self.fb.ins().fmul(z, odd);
        let r = self.fb.ins().fma(w, even, odd);
        let half = pair(self, 0.5);
        let half = self.fb.ins().fmul(half, f);
        let half = self.fb.ins().fmul(half, f);
        let [high, low] = libm::LN_2_SHORT.map(|part| pair(self, part));
        let nothing = self.fb.ins().fsub(x, x);
        let low = self.fb.ins().fma(low, k, nothing);
        let inner = self.fb.ins().fadd(half, r);
        let rest = self.fb.ins().fma(s, inner, low);
        let less = self.fb.ins().fsub(half, rest);
        let rest = self.fb.ins().fsub(f, less);
        self.fb.ins().fma(k, high, rest)
    }

    /// [`libm::sin_cos`] on pairs, operation by operation.
    pub(super) fn sin_cos<const N: usize>(&mut self, x: [ir::Value; N]) -> [(ir::Value, ir::Value); N] {
        let pair = |e: &mut Self, c: f64| e.constant_pair([c.to_bits(); 2], types::F64X2);
        // Constants first: the first operand of a fused multiply-add is overwritten, and they are not needed again.
        let round = pair(self, libm::ROUND);
        let shifted = x.map(|x| {
            let two_over_pi = pair(self, libm::TWO_OVER_PI);
            self.fb.ins().fma(two_over_pi, x, round)
        });
        let k = shifted.map(|shifted| self.fb.ins().fsub(shifted, round));
        let mut r = x;
        for part in &libm::HALF_PI[..2] {
            for n in 0..N {
                let part = pair(self, -part);
                r[n] = self.fb.ins().fma(part, k[n], r[n]);
            }
        }
        let mut nearest = r;
        for n in 0..N {
            let part = pair(self, -libm::HALF_PI[2]);
            nearest[n] = self.fb.ins().fma(part, k[n], r[n]);
        }
        for k in k {
            self.guard_square(k, libm::QUARTERS_SQUARED);
        }
        let z = r.map(|r| self.fb.ins().fmul(r, r));
        let square = z.map(|z| self.fb.ins().fmul(z, z));
        let [s, c] = [libm::SIN, libm::COS].map(|coefficients| {
            let [p45, p23] = [4, 2].map(|i| {
                z.map(|z| {
                    let (high, low) = (pair(self, coefficients[i + 1]), pair(self, coefficients[i]));
                    self.fb.ins().fma(high, z, low)
                })
            });
            let mut sums = p45;
            for n in 0..N {
                sums[n] = self.fb.ins().fma(p45[n], square[n], p23[n]);
            }
            let p01 = z.map(|z| {
                let (high, low) = (pair(self, coefficients[1]), pair(self, coefficients[0]));
                self.fb.ins().fma(high, z, low)
            });
            for n in 0..N {
                sums[n] = self.fb.ins().fma(sums[n], square[n], p01[n]);
            }
            sums
        });
        let mut reduced = Vec::with_capacity(2 * N);
        for n in 0..N {
            let cube = self.fb.ins().fmul(z[n], r[n]);
            reduced.push(self.fb.ins().fma(cube, s[n], nearest[n]));
        }
        for n in 0..N {
            let (half, one) = (pair(self, -0.5), pair(self, 1.0));
            let head = self.fb.ins().fma(half, z[n], one);
            reduced.push(self.fb.ins().fma(square[n], c[n], head));
        }
        std::array::from_fn(|n| self.quadrant(shifted[n], reduced[n], reduced[N + n]))
    }

    /// Sine and cosine from those of the reduced angle; the last two bits of `shifted` are those of the quarter turns.
    fn quadrant(&mut self, shifted: ir::Value, s: ir::Value, c: ir::Value) -> (ir::Value, ir::Value) {
        let [k, s, c] = [shifted, s, c].map(|x| self.fb.ins().bitcast(types::I64X2, little(), x));
        let parity = self.fb.ins().ishl_imm_u(k, 63);
        let (s, c) = if cfg!(target_arch = "x86_64") {
            // Chosen by the sign bit alone.
            (self.fb.ins().blendv(parity, c, s), self.fb.ins().blendv(parity, s, c))
        } else {
            let odd = self.fb.ins().sshr_imm_u(parity, 63);
            (self.fb.ins().bitselect(odd, c, s), self.fb.ins().bitselect(odd, s, c))
        };
        let half_k = self.fb.ins().ushr_imm_u(k, 1);
        let sign_of_sin = self.fb.ins().ishl_imm_u(half_k, 63);
        let sign_of_cos = self.fb.ins().bxor(sign_of_sin, parity);
        let s = self.fb.ins().bxor(s, sign_of_sin);
        let c = self.fb.ins().bxor(c, sign_of_cos);
        let [s, c] = [s, c].map(|x| self.fb.ins().bitcast(types::F64X2, little(), x));
        (s, c)
    }
}
