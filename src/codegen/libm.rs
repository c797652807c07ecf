//! The elementary functions that kernels may use, with their errors.
//!
//! | function | how | error |
//! |---|---|---|
//! | `sqrt`, `abs`, `sign`, `min`, `max` | one or a few instructions | exact or correctly rounded |
//! | `sin`, `cos` of [`Math::Inline`] kernels | [`sin_cos`], inlined, no branches | ≤ 1.5 ulp for \|x\| ≤ 10⁹, also next to multiples of π/2 |
//! | `exp` of [`Math::Inline`] kernels | [`exp_inline`], inlined, no branches | ≤ 1 ulp for \|x\| ≤ 708 |
//! | `log` of [`Math::Inline`] kernels | [`log_inline`], inlined, no branches | ≤ 1 ulp for normal x > 0 |
//! | everything else | the `libm` crate, registered by address | ≤ 1 ulp (sin, cos, tan, exp, log, asin, acos, atan), ≤ 2 ulp (the rest) |
//!
//! **The inlined sine and cosine.** With k the integer next to 2x/π, the argument is reduced by
//!
//! ```text
//! r = ((x − k·P₁) − k·P₂) − k·P₃,      P₁ + P₂ + P₃ = π/2 to 161 bits,
//! ```
//!
//! each step one fused multiply-add. The first step is exact: x and k·P₁ are multiples of 2⁻⁵³ (for k ≠ 0) and
//! their difference is below 1. The second keeps its rounding error of half an ulp of r, and the third
//! supplies what two terms miss when x is the double nearest to a multiple of π/2 (451 ulp without it); it enters the
//! leading term of the sine alone, since it is far below an ulp of everything else. On
//! |r| ≤ π/4 the minimax polynomials of fdlibm's `k_sin.c` and `k_cos.c` (Sun Microsystems, 1993) have errors below 2⁻⁵⁸.
//! Swapping sine and cosine and the signs, both by the last two bits of k, are bit masks.
//!
//! k is found by adding 1.5·2⁵², which leaves k in the low bits of the sum. Beyond [`INLINE_LIMIT`] the compiled code
//! declines and the careful kernel asks libm, which reduces any argument.
//!
//! **The inlined exponential** is 2ᵏ eʳ with k the integer next to x/ln 2 and r = x − k ln 2, ln 2 in two parts; eʳ is its
//! series to r¹³, whose rest is below 2⁻⁵⁷ on |r| ≤ (ln 2)/2, and k is added to the exponent. Beyond [`EXP_LIMIT`] the
//! compiled code declines.
//!
//! **The inlined logarithm** is that of fdlibm's `e_log.c`: x = 2ᵏ(1 + f) with √½ ≤ 1 + f < √2, s = f/(2 + f), and
//!
//! ```text
//! ln(1 + f) = 2 artanh s = f − f²/2 + s (f²/2 + R(s²)).
//! ```
//!
//! Zeros, negative and subnormal numbers, infinities and NaN are declined.

pub use libm::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, exp, log, pow, sin, sinh, tan, tanh,
};

/// Which sine and cosine a kernel means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Math {
    /// libm's: the same bits on every machine.
    #[default]
    Library,
    /// The branch-free ones of this file; they need fused multiply-add.
    Inline,
}

/// The largest argument of the inlined sine and cosine. What the compiled code looks at is the number k of quarter turns:
/// it declines when k² exceeds [`QUARTERS_SQUARED`], which no |x| ≤ 10⁹ does.
pub const INLINE_LIMIT: f64 = 1e9;
pub const QUARTERS_SQUARED: f64 = 4.0528474e17;

/// 1.5·2⁵²: adding it leaves the nearest integer in the low bits.
pub const ROUND: f64 = 6755399441055744.0;
pub const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// π/2 in three parts of 53 bits.
pub const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591833e-33];

/// sin r = r + r³ (S₀ + S₁ r² + … + S₅ r¹⁰) on |r| ≤ π/4.
pub const SIN: [f64; 6] = [
    -0.16666666666666632,
    0.00833333333332249,
    -0.0001984126982985795,
    2.7557313707070068e-06,
    -2.5050760253406863e-08,
    1.58969099521155e-10,
];

/// cos r = 1 − r²/2 + r⁴ (C₀ + C₁ r² + … + C₅ r¹⁰) on |r| ≤ π/4.
pub const COS: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-05,
    -2.7557314351390663e-07,
    2.087572321298175e-09,
    -1.1359647557788195e-11,
];

/// The largest argument of the inlined exponential; the code declines when the exponent k of two has a larger square.
pub const EXP_LIMIT: f64 = 708.0;
pub const EXPONENT_SQUARED: f64 = 1043462.25;
pub const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 in two parts of 53 bits.
pub const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.3190468138462996e-17];

/// eʳ = 1 + r + r² (E₀ + E₁ r + … + E₁₁ r¹¹), Eⱼ = 1/(j+2)!.
pub const EXP: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
    1.0 / 362880.0,
    1.0 / 3628800.0,
    1.0 / 39916800.0,
    1.0 / 479001600.0,
    1.0 / 6227020800.0,
];

/// R(z) = z (R₀ + R₁ z + … + R₆ z⁶) of the logarithm.
pub const LOG: [f64; 7] = [
    0.6666666666666735,
    0.3999999999940942,
    0.2857142874366239,
    0.22222198432149784,
    0.1818357216161805,
    0.15313837699209373,
    0.14798198605116586,
];
/// ln 2 in two parts, of which the first has 32 bits, so that its product with an exponent is exact.
pub const LN_2_SHORT: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];
/// Adding these bits moves the numbers from √½ up to the exponent of 1.
pub const TO_ONE: u64 = (1023 << 52) - ROOT_HALF_BITS;
pub const MANTISSA: u64 = (1 << 52) - 1;
/// The bits of 2⁵²: with an integer below it in the last bits, a number that large more.
pub const LARGE_BITS: u64 = 0x433 << 52;
/// What is to be taken from that number so that the exponent of 1 becomes 0.
pub const LARGE_AND_BIAS: f64 = ((1u64 << 52) + 1023) as f64;

/// The logarithm as the compiled code computes it, operation by operation. Meaningful for normal x > 0.
#[inline(always)]
#[allow(clippy::eq_op)]
pub fn log_inline(x: f64) -> f64 {
    let moved = x.to_bits().wrapping_add(TO_ONE);
    let k = f64::from_bits((moved >> 52) | LARGE_BITS) - LARGE_AND_BIAS;
    let f = f64::from_bits((moved & MANTISSA).wrapping_add(ROOT_HALF_BITS)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = LOG[5].mul_add(w, LOG[3]).mul_add(w, LOG[1]);
    let odd = LOG[6].mul_add(w, LOG[4]).mul_add(w, LOG[2]).mul_add(w, LOG[0]);
    let r = w.mul_add(even, z * odd);
    let half = 0.5 * f * f;
    // x − x is 0, or NaN when x has no finite value.
    let rest = s.mul_add(half + r, k.mul_add(LN_2_SHORT[1], x - x));
    k.mul_add(LN_2_SHORT[0], f - (half - rest))
}

/// Whether the compiled code accepts an argument of its logarithm.
#[inline(always)]
pub fn log_accepts(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

/// Whether the compiled code accepts an argument of its sine and cosine: no sign bit, as for every guard.
#[inline(always)]
pub fn angle_margin(x: f64) -> f64 {
    let k = x.mul_add(TWO_OVER_PI, ROUND) - ROUND;
    (-k).mul_add(k, QUARTERS_SQUARED)
}

/// The same for its exponential.
#[inline(always)]
pub fn exponent_margin(x: f64) -> f64 {
    let k = x.mul_add(LOG2_E, ROUND) - ROUND;
    (-k).mul_add(k, EXPONENT_SQUARED)
}

/// The exponential as the compiled code computes it, operation by operation. Meaningful for |x| ≤ [`EXP_LIMIT`].
#[inline(always)]
pub fn exp_inline(x: f64) -> f64 {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = (-k).mul_add(LN_2[0], x);
    let r = (-k).mul_add(LN_2[1], r);
    let mut q = EXP[11];
    for i in (0..11).rev() {
        q = q.mul_add(r, EXP[i]);
    }
    let y = 1.0 + (r * r).mul_add(q, r);
    f64::from_bits(y.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Sine and cosine as the compiled code computes them, operation by operation. Meaningful for
/// |x| ≤ [`INLINE_LIMIT`].
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUND);
    let k = shifted - ROUND;
    let r = (-k).mul_add(HALF_PI[0], x);
    let r = (-k).mul_add(HALF_PI[1], r);
    let nearest = (-k).mul_add(HALF_PI[2], r);
    let z = r * r;
    let w = z * z;
    let [s, c] = [SIN, COS].map(|a| {
        let (p01, p23, p45) = (a[1].mul_add(z, a[0]), a[3].mul_add(z, a[2]), a[5].mul_add(z, a[4]));
        p45.mul_add(w, p23).mul_add(w, p01)
    });
    let s = (z * r).mul_add(s, nearest);
    let c = w.mul_add(c, z.mul_add(-0.5, 1.0));
    let k = shifted.to_bits();
    let swap = 0u64.wrapping_sub(k & 1) & (s.to_bits() ^ c.to_bits());
    let sign_of_sin = (k >> 1) << 63;
    let sign_of_cos = sign_of_sin ^ (k << 63);
    (f64::from_bits(s.to_bits() ^ swap ^ sign_of_sin), f64::from_bits(c.to_bits() ^ swap ^ sign_of_cos))
}

/// log₂(1 + u)/u on [√½ − 1, √2 − 1], interpolated at six Chebyshev points; the error of log₂ is 6e-6.
pub const LOG2: [f64; 6] = [
    1.4427004400134948,
    -0.7211957523938682,
    0.47992557347080755,
    -0.3669257709575621,
    0.3168981871562629,
    -0.20228926372875827,
];
/// The bits of √½.
pub const ROOT_HALF_BITS: u64 = 0x3FE6_A09E_667F_3BCD;

/// 2ᶻ on |z| ≤ ½, interpolated at five Chebyshev points; the error is 2.8e-6.
pub const EXP2: [f64; 5] = [1.0, 0.6931210452034271, 0.2402234903802036, 0.05592197584225585, 0.009666368515385448];

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// log₂ of a positive number to 6e-6, of which a Taylor step of order p sees the p-th part. Everything that waits for a
/// step waits for this; so few operations follow each other, and none is a division.
#[inline(always)]
pub fn quick_log2<const FUSED: bool>(x: f64) -> f64 {
    if !(f64::MIN_POSITIVE..=f64::MAX).contains(&x) {
        return x.log2();
    }
    let bits = x.to_bits();
    // x = 2ᵉ m with m between √½ and √2.
    let offset = bits.wrapping_sub(ROOT_HALF_BITS);
    let e = (offset as i64 >> 52) as f64;
    let u = f64::from_bits(bits.wrapping_sub(offset & (0xFFF << 52))) - 1.0;
    let [c0, c1, c2, c3, c4, c5] = LOG2;
    let madd = multiply_add::<FUSED>;
    let u2 = u * u;
    let (p01, p23, p45) = (madd(c1, u, c0), madd(c3, u, c2), madd(c5, u, c4));
    madd(madd(madd(p45, u2, p23), u2, p01), u, e)
}

/// 2ˣ to 2.8e-6, relatively.
#[inline(always)]
pub fn quick_exp2<const FUSED: bool>(x: f64) -> f64 {
    if !(x.abs() <= 1000.0) {
        return x.exp2();
    }
    let shifted = x + ROUND;
    let z = x - (shifted - ROUND);
    let [c0, c1, c2, c3, c4] = EXP2;
    let madd = multiply_add::<FUSED>;
    let z2 = z * z;
    let (p01, p23) = (madd(c1, z, c0), madd(c3, z, c2));
    let series = madd(madd(c4, z2, p23), z2, p01);
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// e⁻² e^{−0.7/(p−1)}: how much shorter than the radius of convergence a Taylor step of order p is.
pub fn taylor_safety(p: usize) -> f64 {
    exp(-2.0 - 0.7 / (p - 1) as f64)
}

/// xⁿ by squaring and multiplying from the top bit of n down. Negative powers are reciprocals.
pub fn powi(x: f64, n: i32) -> f64 {
    let m = n.unsigned_abs();
    let Some(top) = m.checked_ilog2() else { return 1.0 };
    let mut y = x;
    for bit in (0..top).rev() {
        y *= y;
        if m >> bit & 1 == 1 {
            y *= x;
        }
    }
    if n < 0 { 1.0 / y } else { y }
}

/// −1, 0 or 1 with the sign of zero kept; NaN of NaN.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// The smaller argument; NaN when one is, −0 below +0 (IEEE 754 `minimum`).
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        f64::from_bits(a.to_bits() | b.to_bits())
    } else if a < b {
        a
    } else {
        b
    }
}

/// The larger argument; NaN when one is, −0 below +0 (IEEE 754 `maximum`).
pub fn maximum(a: f64, b: f64) -> f64 {
    -minimum(-a, -b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_logarithms_and_powers_are_good_for_steps() {
        for i in -3000..3000 {
            let x = 1.037f64.powi(i) * (1.0 + 0.001 * f64::from(i).abs());
            assert!((quick_log2::<false>(x) - x.log2()).abs() < 7e-6, "{x}");
            assert!((quick_log2::<true>(x) - x.log2()).abs() < 7e-6, "{x}");
            let y = f64::from(i) * 0.0317;
            assert!((quick_exp2::<false>(y) / y.exp2() - 1.0).abs() < 4e-6, "{y}");
            assert!((quick_exp2::<true>(y) / y.exp2() - 1.0).abs() < 4e-6, "{y}");
        }
        assert_eq!(quick_exp2::<true>(3.0), 8.0);
        assert_eq!(quick_log2::<true>(1.0), 0.0);
    }

    #[test]
    fn powers_follow_the_chain() {
        assert_eq!(powi(3.0, 5), 243.0);
        assert_eq!(powi(2.0, -3), 0.125);
        assert_eq!(powi(7.0, 0), 1.0);
        assert_eq!(powi(-2.0, i32::MIN), 0.0);
    }

    /// Against 400-bit arithmetic (tests/oracle/sincos.py), also at the doubles next to multiples of π/2.
    #[test]
    fn inlined_sine_and_cosine_are_within_two_ulp() {
        let mut worst = [0.0f64; 2];
        for line in include_str!("../../tests/data/sincos.txt").lines() {
            let column: Vec<f64> =
                line.split(' ').map(|c| f64::from_bits(u64::from_str_radix(c, 16).unwrap())).collect();
            let (s, c) = sin_cos(column[0]);
            for (i, (y, hi, lo)) in [(s, column[1], column[2]), (c, column[3], column[4])].into_iter().enumerate() {
                let ulp = f64::from_bits(hi.abs().to_bits() + 1) - hi.abs();
                let error = ((y - hi) - lo).abs() / ulp;
                worst[i] = worst[i].max(error);
                assert!(error <= 2.0, "{} has error {error} ulp: {y}", column[0]);
            }
        }
        // What the table of the essay states.
        assert!(worst.iter().all(|w| *w <= 1.5), "{worst:?}");
    }

    /// Against 200-bit arithmetic (tests/oracle/exp.py).
    #[test]
    fn inlined_exponentials_are_within_two_ulp() {
        let mut worst = 0.0f64;
        for line in include_str!("../../tests/data/exp.txt").lines() {
            let column: Vec<f64> =
                line.split(' ').map(|c| f64::from_bits(u64::from_str_radix(c, 16).unwrap())).collect();
            let (y, hi, lo) = (exp_inline(column[0]), column[1], column[2]);
            let ulp = f64::from_bits(hi.to_bits() + 1) - hi;
            worst = worst.max(((y - hi) - lo).abs() / ulp);
        }
        // What the table of the essay states.
        assert!(worst <= 1.0, "{worst} ulp");
        assert_eq!(exp_inline(0.0), 1.0);
    }

    /// Against 200-bit arithmetic (tests/oracle/log.py).
    #[test]
    fn inlined_logarithms_are_within_two_ulp() {
        let mut worst = 0.0f64;
        for line in include_str!("../../tests/data/log.txt").lines() {
            let column: Vec<f64> =
                line.split(' ').map(|c| f64::from_bits(u64::from_str_radix(c, 16).unwrap())).collect();
            let (y, hi, lo) = (log_inline(column[0]), column[1], column[2]);
            let ulp = f64::from_bits(hi.abs().to_bits() + 1) - hi.abs();
            worst = worst.max(((y - hi) - lo).abs() / ulp);
        }
        // What the table of the essay states.
        assert!(worst <= 1.0, "{worst} ulp");
        assert_eq!(log_inline(1.0), 0.0);
        assert!(log_inline(f64::NAN).is_nan() && log_inline(f64::INFINITY).is_nan());
        assert!(!log_accepts(0.0) && !log_accepts(-1.0) && !log_accepts(f64::NAN) && !log_accepts(f64::INFINITY));
    }

    #[test]
    fn extremes_order_signed_zeros() {
        assert_eq!(minimum(0.0, -0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(maximum(0.0, -0.0).to_bits(), 0.0f64.to_bits());
        assert!(minimum(1.0, f64::NAN).is_nan());
        assert_eq!(maximum(-1.0, 2.0), 2.0);
    }
}
