//! The elementary functions at an exact argument, to a wanted precision, each with a proved error.
//!
//! All of them work in fixed point: an integer X stands for X·2^−w, one *ulp* being 2^−w, and every
//! truncation costs at most one ulp. The argument is made small (by π/2, by log 2, by halving), a
//! Taylor polynomial is summed until its terms vanish, and the reduction is undone. The comments count
//! the ulps; the guard bits in w swallow them. R. Brent, P. Zimmermann, *Modern Computer Arithmetic*,
//! chapter 4; F. Johansson, *Arb*, for the treatment of small arguments.

use super::Ball;
use super::float::{Float, Mag};
use dashu_int::{
    IBig, UBig,
    ops::{BitTest, SquareRoot},
};
use std::cell::RefCell;

/// An integer in fixed point whose error is at most `ulps`, as a ball.
fn fixed_ball(x: IBig, w: i64, ulps: u64) -> Ball {
    Ball::new(Float::new(x, -w), Mag::power_of_two(-w).scaled(ulps))
}

fn one(w: i64) -> IBig {
    IBig::ONE << w as usize
}

fn times(a: &IBig, b: &IBig, w: i64) -> IBig {
    (a * b) >> w as usize
}

/// How often to halve the argument before summing: about √p/2 halvings balance with √p terms.
fn halvings(p: u32) -> i64 {
    i64::from(p.isqrt() / 2 + 2)
}

thread_local! {
    static PI: RefCell<(i64, IBig)> = const { RefCell::new((-1, IBig::ZERO)) };
    static LOG2: RefCell<(i64, IBig)> = const { RefCell::new((-1, IBig::ZERO)) };
}

/// A constant to w places with an error of at most 2 ulps; the best one so far is kept.
fn constant(
    cache: &'static std::thread::LocalKey<RefCell<(i64, IBig)>>,
    w: i64,
    compute: impl FnOnce(i64) -> IBig,
) -> IBig {
    cache.with_borrow_mut(|(known, value)| {
        if *known < w {
            let fine = w + w / 4 + 64;
            // At most 2^20 terms of 2 ulps each: 32 more places make that less than one ulp.
            *value = compute(fine + 32) >> 32;
            *known = fine;
        }
        &*value >> (*known - w) as usize
    })
}

/// π = 16 arctan 1/5 − 4 arctan 1/239, Machin.
fn pi_fixed(w: i64) -> IBig {
    constant(&PI, w, |w| (inverse_series(5, w, true) << 4) - (inverse_series(239, w, true) << 2))
}

/// log 2 = 18 artanh 1/26 − 2 artanh 1/4801 + 8 artanh 1/8749.
fn log2_fixed(w: i64) -> IBig {
    constant(&LOG2, w, |w| {
        inverse_series(26, w, false) * 18 - (inverse_series(4801, w, false) << 1)
            + (inverse_series(8749, w, false) << 3)
    })
}

/// Σ (∓1)^k / ((2k+1) n^(2k+1)): arctan 1/n, or artanh 1/n.
fn inverse_series(n: u32, w: i64, alternating: bool) -> IBig {
    let square = IBig::from(n * n);
    let mut power = one(w) / IBig::from(n);
    let mut sum = IBig::ZERO;
    let mut k = 0u32;
    while power != IBig::ZERO {
        let term = &power / IBig::from(2 * k + 1);
        if alternating && k % 2 == 1 {
            sum -= term
        } else {
            sum += term
        }
        power /= &square;
        k += 1;
    }
    sum
}

pub fn pi(p: u32) -> Ball {
    let w = i64::from(p) + 4;
    fixed_ball(pi_fixed(w), w, 2)
}

/// e^x.
pub fn exp(x: &Float, p: u32) -> Ball {
    if x.is_zero() {
        return Ball::exact(Float::ONE);
    }
    if x.top() > 41 {
        return if x.signum() > 0 { Ball::everything() } else { Ball::new(Float::ZERO, Mag::power_of_two(-(1 << 40))) };
    }
    if x.top() < -i64::from(p) - 4 {
        // |e^x − 1| ≤ 2|x| for |x| ≤ 1
        return Ball::new(Float::ONE, Mag::of(x).shifted(1));
    }
    let j = halvings(p);
    let w = i64::from(p) + j + 40;
    // x = k·log 2 + r with 0 ≤ r < 0.7. |k| < 2^42, so 50 more places keep the error of k·log 2 below
    // a hundredth of an ulp.
    let fine = w + 50;
    let log2 = log2_fixed(fine);
    let scaled = x.to_fixed(fine);
    let k = floor_div(&scaled, &log2);
    let r = (scaled - &k * log2) >> (50 + j) as usize;
    // e^(r/2^j): r carries 2 ulps, each of the n terms loses at most 2 more, the tail is below 6.
    let mut sum = one(w);
    let mut term = one(w);
    let mut n = 0u32;
    while term != IBig::ZERO {
        n += 1;
        term = times(&term, &r, w) / IBig::from(n);
        sum += &term;
    }
    let mut ulps = 2 * u64::from(n) + 16;
    for _ in 0..j {
        sum = times(&sum, &sum, w);
    }
    // Squaring j times multiplies the error by Π 2e^(r/2^i) < 2^j·2.1, and adds j ulps on the way.
    ulps = 3 * (ulps + j as u64);
    let k = i64::try_from(&k).unwrap_or(0);
    Ball::new(Float::new(sum, k - w), Mag::power_of_two(k + j - w).scaled(ulps))
}

fn floor_div(a: &IBig, b: &IBig) -> IBig {
    let q = a / b;
    if a < &(&q * b) { q - IBig::ONE } else { q }
}

/// log x for x > 0.
pub fn log(x: &Float, p: u32) -> Ball {
    let distance = x.minus_one();
    if distance.as_ref().is_some_and(Float::is_zero) {
        return Ball::exact(Float::ZERO);
    }
    // Near 1 the logarithm is small; more places keep its leading bits.
    let mut extra = 0;
    if let Some(d) = &distance
        && d.top() < -1
    {
        if d.top() < -i64::from(p) / 2 - 8 {
            // |log(1+d) − d + d²/2| ≤ |d|³ for |d| ≤ 1/2
            let value = d.sub(&d.mul(d).shifted(-1));
            let d = Mag::of(d);
            return Ball::new(value, d * d * d).rounded(p);
        }
        extra = -d.top();
    }
    let w = p + extra as u32 + 16;
    // x = y·2^t with y in [3/4, 3/2), so that t = 0 near 1.
    let mut t = x.top();
    let mut y = x.shifted(-t);
    if y.cmp_value(&Float::new(IBig::from(3), -2)).is_lt() {
        t -= 1;
        y = y.shifted(1);
    }
    let mut z = log_start(&y);
    let mut good = 50u32;
    loop {
        // log y = z + log(1 + δ) with 1 + δ = y·e^(−z); |log(1+δ) − δ + δ²/2| ≤ |δ|³ for |δ| ≤ 1/2.
        good = (3 * good - 10).min(w);
        let e = exp(&z.neg(), good + 8);
        let delta = Ball::exact(y.clone()).mul(&e, good + 8).sub(&Ball::exact(Float::ONE), good + 8);
        let size = delta.magnitude();
        let correction = delta.sub(&delta.mul(&delta, good + 8).shifted(-1), good + 8);
        let mut next = Ball::exact(z).add(&correction, good + 8);
        next.widen(size * size * size);
        if good == w {
            if t != 0 {
                let places = i64::from(w) + 64;
                let log2 = fixed_ball(log2_fixed(places), places, 2);
                next = next.add(&log2.mul(&Ball::exact(Float::new(IBig::from(t), 0)), w), w);
            }
            return next.rounded(p + 4);
        }
        z = next.mid().clone();
    }
}

/// log y to about 50 bits, for y in [3/4, 3/2): 2 artanh((y−1)/(y+1)).
fn log_start(y: &Float) -> Float {
    let w = 64;
    let y = y.to_fixed(w);
    let u = ((&y - one(w)) << w as usize) / (&y + one(w));
    let square = times(&u, &u, w);
    let (mut power, mut sum, mut k) = (u, IBig::ZERO, 0u32);
    while k < 40 {
        sum += &power / IBig::from(2 * k + 1);
        power = times(&power, &square, w);
        k += 1;
    }
    Float::new(sum, 1 - w)
}

/// sin x and cos x.
pub fn sin_cos(x: &Float, p: u32) -> (Ball, Ball) {
    if x.is_zero() {
        return (Ball::exact(Float::ZERO), Ball::exact(Float::ONE));
    }
    let top = x.top();
    if top > 1 << 16 {
        let any = Ball::new(Float::ZERO, Mag::power_of_two(0));
        return (any.clone(), any);
    }
    if top < -i64::from(p) / 2 - 8 {
        // |sin x − x| ≤ |x|³, |cos x − 1| ≤ x²
        let m = Mag::of(x);
        return (Ball::new(x.clone(), m * m * m).rounded(p), Ball::new(Float::ONE, m * m));
    }
    let j = halvings(p);
    let w = i64::from(p) + 2 * j + 40 + (-top).max(0);
    // x = k·π/2 + r. |k| < 2^(top+1): top + 8 more places keep the error of k·π/2 below an ulp.
    let more = top.max(0) + 8;
    let fine = w + more;
    let half_pi = pi_fixed(fine + 1) >> 2;
    let scaled = x.to_fixed(fine);
    let k = floor_div(&(&scaled + (&half_pi >> 1)), &half_pi);
    let r = (scaled - &k * half_pi) >> (more + j) as usize;
    // Taylor: r carries 2 ulps, each term loses at most 2.
    let square = times(&r, &r, w);
    let (mut sin, mut cos) = (r.clone(), one(w));
    let (mut sin_term, mut cos_term) = (r, one(w));
    let mut n = 0u32;
    // A negative term is truncated towards −∞ and ends at −1, not 0: compare sizes.
    while sin_term.bit_len() > 1 || cos_term.bit_len() > 1 {
        n += 2;
        cos_term = -times(&cos_term, &square, w) / IBig::from((n - 1) * n);
        sin_term = -times(&sin_term, &square, w) / IBig::from(n * (n + 1));
        cos += &cos_term;
        sin += &sin_term;
    }
    // sin 2r = 2 sin r cos r, cos 2r = 1 − 2 sin² r: each doubling makes the larger error at most
    // four times as large, and adds 2 ulps.
    for _ in 0..j {
        let s = times(&sin, &cos, w) << 1;
        cos = one(w) - (times(&sin, &sin, w) << 1);
        sin = s;
    }
    let error = Mag::power_of_two(2 * j - w).scaled(2 * u64::from(n) + 16);
    let ball = |x: IBig| Ball::new(Float::new(x, -w), error);
    let quadrant = (&k & IBig::from(3)).try_into().unwrap_or(0u8);
    let (s, c) = match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    };
    (ball(s).rounded(p + 4), ball(c).rounded(p + 4))
}

/// arctan x.
pub fn atan(x: &Float, p: u32) -> Ball {
    if x.is_zero() {
        return Ball::exact(Float::ZERO);
    }
    if x.signum() < 0 {
        return atan(&x.neg(), p).neg();
    }
    let top = x.top();
    if top < -i64::from(p) / 2 - 8 {
        let m = Mag::of(x);
        return Ball::new(x.clone(), m * m * m).rounded(p);
    }
    let j = halvings(p);
    let w = i64::from(p) + 2 * j + 40 + (-top).max(0);
    let inverted = x.cmp_value(&Float::ONE).is_gt();
    let mut u = if inverted { Float::ONE.div(x, w as u32).0.to_fixed(w) } else { x.to_fixed(w) };
    // arctan u = 2 arctan(u/(1 + √(1+u²))): the map halves errors and adds at most 2 ulps.
    for _ in 0..j {
        let radicand = (one(2 * w)) + &u * &u;
        u = (u << w as usize) / (one(w) + square_root(&radicand));
    }
    let square = times(&u, &u, w);
    let (mut power, mut sum, mut n) = (u, IBig::ZERO, 0u32);
    while power != IBig::ZERO {
        let term = &power / IBig::from(2 * n + 1);
        if n % 2 == 0 {
            sum += term
        } else {
            sum -= term
        }
        power = times(&power, &square, w);
        n += 1;
    }
    let ulps = 2 * u64::from(n) + 16;
    let result = Ball::new(Float::new(sum, j - w), Mag::power_of_two(j - w).scaled(ulps));
    let result = if inverted { pi(w as u32).shifted(-1).sub(&result, w as u32) } else { result };
    result.rounded(p + 4)
}

fn square_root(n: &IBig) -> IBig {
    IBig::from(UBig::try_from(n.clone()).unwrap_or(UBig::ZERO).sqrt())
}

/// The k-th root of x ≥ 0.
pub fn root(x: &Float, k: u32, p: u32) -> Ball {
    if x.is_zero() || k == 1 {
        return Ball::exact(x.clone());
    }
    // x = m·2^(k·e): an integer root of m with p bits.
    let k_wide = i64::from(k);
    let wanted = k_wide * (i64::from(p) + 2) - x.mantissa().bit_len() as i64;
    let mut shift = wanted.max(0);
    shift += (x.exponent() - shift).rem_euclid(k_wide);
    let m = UBig::try_from(x.mantissa() << shift as usize).unwrap_or(UBig::ZERO);
    let e = (x.exponent() - shift) / k_wide;
    let root = if k == 2 { m.sqrt() } else { m.nth_root(k as usize) };
    let exact = root.pow(k as usize) == m;
    Ball::new(Float::new(IBig::from(root), e), if exact { Mag::ZERO } else { Mag::power_of_two(e) })
}

/// sinh x.
pub fn sinh(x: &Float, p: u32) -> Ball {
    let top = x.top();
    if x.is_zero() || top < -i64::from(p) / 2 - 8 {
        let m = Mag::of(x);
        return Ball::new(x.clone(), m * m * m).rounded(p);
    }
    // e^x − e^−x loses as many bits as x is small.
    let w = p + (-top).max(0) as u32 + 8;
    let e = exp(x, w);
    e.sub(&exp(&x.neg(), w), w).shifted(-1).rounded(p + 4)
}

/// cosh x.
pub fn cosh(x: &Float, p: u32) -> Ball {
    let w = p + 8;
    exp(x, w).add(&exp(&x.neg(), w), w).shifted(-1)
}

/// tanh x.
pub fn tanh(x: &Float, p: u32) -> Ball {
    if x.top() > 40 {
        let limit = Ball::new(Float::ONE, Mag::power_of_two(-(1 << 38)));
        return if x.signum() < 0 { limit.neg() } else { limit };
    }
    let w = p + 8;
    sinh(x, w).div(&cosh(x, w), w).unwrap_or_else(Ball::everything)
}

/// artanh x for |x| < 1.
pub fn atanh(x: &Float, p: u32) -> Ball {
    let top = x.top();
    if x.is_zero() || top < -i64::from(p) / 2 - 8 {
        let m = Mag::of(x);
        return Ball::new(x.clone(), m * m * m).rounded(p);
    }
    let w = p + (-top).max(0) as u32 + 8;
    let (above, below) = (Float::ONE.add(x), Float::ONE.sub(x));
    // Both are exact, so the difference of the logarithms is as good as they are.
    log(&above, w).sub(&log(&below, w), w).shifted(-1).rounded(p + 4)
}

/// arsinh x = log(x + √(x² + 1)).
pub fn asinh(x: &Float, p: u32) -> Ball {
    if x.signum() < 0 {
        return asinh(&x.neg(), p).neg();
    }
    let top = x.top();
    if x.is_zero() || top < -i64::from(p) / 2 - 8 {
        // |arsinh x − x| ≤ |x|³/6
        let m = Mag::of(x);
        return Ball::new(x.clone(), m * m * m).rounded(p);
    }
    // Near 1 the logarithm is as small as x: so many more places keep its leading bits.
    let w = p + (-top).max(0) as u32 + 16;
    let x = Ball::exact(x.clone());
    let hypotenuse = x.mul(&x, w).add(&Ball::exact(Float::ONE), w).sqrt(w);
    let sum = hypotenuse.map(|h| x.add(&h, w)).and_then(|sum| sum.log(w));
    sum.unwrap_or_else(Ball::everything).rounded(p + 4)
}

/// arcosh x = log(x + √((x − 1)(x + 1))) for x ≥ 1.
pub fn acosh(x: &Float, p: u32) -> Ball {
    let one = Ball::exact(Float::ONE);
    let x = Ball::exact(x.clone());
    let above = x.sub(&one, p + 16);
    if above.sign() == Some(0) {
        return Ball::exact(Float::ZERO);
    }
    // It is about √(2(x − 1)) near 1: half as many places are lost as x − 1 is small.
    let w = p + (-above.mid().top()).max(0) as u32 / 2 + 16;
    let leg = x.sub(&one, w).mul(&x.add(&one, w), w).sqrt(w);
    let sum = leg.map(|leg| x.add(&leg, w)).and_then(|sum| sum.log(w));
    sum.unwrap_or_else(Ball::everything).rounded(p + 4)
}

/// The real cube root.
pub fn cbrt(x: &Float, p: u32) -> Ball {
    if x.signum() < 0 { root(&x.neg(), 3, p).neg() } else { root(x, 3, p) }
}

/// erf x = 2/√π e^(−x²) Σ 2ⁿ x^(2n+1)/(1·3·5⋯(2n+1)), DLMF 7.6.2: no term cancels another.
pub fn erf(x: &Float, p: u32) -> Ball {
    if x.signum() < 0 {
        return erf(&x.neg(), p).neg();
    }
    if x.is_zero() {
        return Ball::exact(Float::ZERO);
    }
    // 1 − erf x < e^(−x²) < 2^(−x²) for x ≥ 1; beyond 2^20 less than any precision sees.
    let whole_square = |x: &Float| i64::try_from(x.mul(x).to_fixed(0)).unwrap_or(i64::MAX);
    let square = if x.top() > 20 {
        1 << 40
    } else if x.top() < 0 {
        0
    } else {
        whole_square(x)
    };
    if square > i64::from(p) + 8 {
        return Ball::new(Float::ONE, Mag::power_of_two(-square));
    }
    // Here x² ≤ p + 9, so that the exponent loses fewer than 20 places.
    let w = p + 40;
    let x = Ball::exact(x.clone());
    let squared = x.mul(&x, w);
    let twice = squared.shifted(1);
    let (mut term, mut sum, mut n) = (x.clone(), x, 0i64);
    loop {
        n += 1;
        let odd = Ball::exact(Float::new(IBig::from(2 * n + 1), 0));
        term = term.mul(&twice, w).div(&odd, w).unwrap_or_else(Ball::everything);
        sum = sum.add(&term, w);
        // From where 2x²/(2n + 3) ≤ 1/2, which x² < square + 1 ensures here, the rest is not more than the last term.
        let small = term.magnitude().cmp_value(Mag::of(sum.mid()).shifted(-i64::from(w))).is_lt();
        if term.is_everything() || (small && 2 * n + 3 >= 4 * (square + 1)) {
            break;
        }
    }
    sum.widen(term.magnitude());
    let factor = pi(w).sqrt(w).and_then(|root| squared.neg().exp(w).shifted(1).div(&root, w));
    factor.map_or_else(Ball::everything, |factor| sum.mul(&factor, w)).rounded(p + 4)
}
