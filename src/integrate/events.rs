//! Zeros of watched functions inside a step.
//!
//! A function g(t, y(t)) is sampled at Chebyshev points of the step. When its Chebyshev series has converged, the
//! polynomial stands for the function; when not, the step is halved. The polynomial goes into Bernstein form, whose
//! coefficients enclose it: all of one sign means no zero. Otherwise de Casteljau's subdivision isolates the zeros
//! one by one (variation diminishing: as many sign changes as zeros, or more by an even number), so two zeros in one
//! step are two zeros. Each is then polished on g itself by Brent's method.
//!
//! A function that touches zero without changing sign has an extremum of the size of the integration error there;
//! extrema that small are reported as grazing.
//!
//! A function changes its sign through a pole or a jump, too, and there a polynomial has zeros that the function has not. So what
//! was found counts only where the function is small; beside a pole steps are halved further, since a zero may lie close to it.

use super::problem::Direction;

/// A zero inside a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossing {
    /// The number of the function.
    pub event: usize,
    /// Where in the step, from 0 to 1.
    pub theta: f64,
    pub rising: bool,
    /// Touched, not crossed.
    pub grazing: bool,
    /// The multiple of the period that was met, 0 without a period.
    pub level: f64,
}

impl Crossing {
    /// Whether an event of this direction has happened.
    pub fn matches(&self, direction: Direction) -> bool {
        match direction {
            Direction::Either => true,
            Direction::Rising => self.rising && !self.grazing,
            Direction::Falling => !self.rising && !self.grazing,
        }
    }
}

/// A watched function.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Watched {
    /// For angles: every multiple of the period is a zero.
    pub period: Option<f64>,
    /// Extrema below this size count as touching.
    pub graze: f64,
    /// The value where the step before began: from which side the function came, if it is 0 where this one begins.
    pub before: Option<f64>,
    /// A change of sign counts without a zero, through a pole or a jump.
    pub leaps: bool,
}

/// All zeros in a step, in order. `eval` gives the functions at a place of the step.
pub fn zeros<E>(
    watched: &[Watched],
    mut eval: impl FnMut(f64, &mut [f64]) -> Result<(), E>,
) -> Result<Vec<Crossing>, E> {
    let n = watched.len();
    let mut found = Vec::new();
    let mut pieces = vec![(0.0, 1.0, 0)];
    let mut values = vec![0.0; n];
    let mut deep = 0;
    // The sizes of the functions in the step.
    let mut whole = vec![0.0; n];
    while let Some((a, b, depth)) = pieces.pop() {
        let mut samples = vec![[0.0; DEGREE + 1]; n];
        for j in 0..=DEGREE {
            eval(a + (b - a) * node(j), &mut values)?;
            for (s, v) in samples.iter_mut().zip(&values) {
                s[j] = *v;
            }
        }
        if depth == 0 {
            whole = samples.iter().map(size_of).collect();
        }
        let series: Vec<_> = samples.iter().map(chebyshev).collect();
        let beside_pole = |(c, s): (&Coefficients, &Coefficients)| !converged(c) && grows_inwards(s);
        let further = depth < 30 && deep < MAX_DEEP && series.iter().zip(&samples).any(beside_pole);
        if further || depth < 8 && series.iter().any(|c| !converged(c)) {
            deep += usize::from(depth >= 8);
            let middle = 0.5 * (a + b);
            pieces.push((middle, b, depth + 1));
            pieces.push((a, middle, depth + 1));
            continue;
        }
        for (event, c) in series.iter().enumerate() {
            let mut bernstein = bernstein(c);
            // The end coefficients are the end values; without rounding, neighbouring steps agree on them.
            (bernstein[0], bernstein[DEGREE]) = (samples[event][0], samples[event][DEGREE]);
            let (low, high) =
                bernstein.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
            let levels = match watched[event].period {
                None => 0..=0,
                Some(p) => (low / p).ceil() as i64..=(high / p).floor() as i64,
            };
            for m in levels.take(1000) {
                let level = watched[event].period.map_or(0.0, |p| m as f64 * p);
                let shifted = bernstein.map(|x| x - level);
                // Zero where two steps meet, on opposite sides before and after.
                let after = shifted.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0);
                let crossed = |before: f64| (before - level) * after < 0.0;
                if a == 0.0 && shifted[0] == 0.0 && watched[event].before.is_some_and(crossed) {
                    found.push(Crossing { event, theta: 0.0, rising: after > 0.0, grazing: false, level });
                }
                let mut g = |u: f64| -> Result<f64, E> {
                    eval(a + (b - a) * u, &mut values)?;
                    Ok(values[event] - level)
                };
                let sampled = samples[event].map(|x| x - level);
                let mut zeros = isolate(&shifted, watched[event].graze, &mut g)?;
                // The function itself, where the polynomial does not stand for it.
                for j in 0..if converged(c) { 0 } else { DEGREE } {
                    let (low, high) = (node(j), node(j + 1));
                    let known = zeros.iter().any(|z| (low..=high).contains(&z.0));
                    if !known && sampled[j] * sampled[j + 1] < 0.0 {
                        zeros.push((brent(low, high, &mut g)?, sampled[j] < 0.0, false));
                    }
                }
                for zero in zeros {
                    let (value, size) = (g(zero.0)?.abs(), size_of(&sampled));
                    // Times that are hardly told apart leave steps of the function in a short piece.
                    let beside = 2e-4 / (b - a);
                    let mut is_step = || -> Result<bool, E> {
                        let (low, high) =
                            ((zero.0 - beside).max(-a / (b - a)), (zero.0 + beside).min((1.0 - a) / (b - a)));
                        Ok(value <= 1e-3 * whole[event] && g(low)? * g(high)? < 0.0)
                    };
                    let grazes = zero.2 && value <= watched[event].graze.min(0.5 * size);
                    if !watched[event].leaps && value > 1e-3 * size && !grazes && !is_step()? {
                        continue;
                    }
                    found.push(Crossing { event, theta: a + (b - a) * zero.0, rising: zero.1, grazing: zero.2, level });
                }
            }
        }
    }
    found.sort_by(|x, y| x.theta.total_cmp(&y.theta).then(x.event.cmp(&y.event)));
    // A zero at the seam of two pieces is found twice.
    found.dedup_by(|x, y| x.event == y.event && x.level == y.level && (x.theta - y.theta).abs() < 1e-9);
    Ok(found)
}

/// Whether a step is so short that times inside it are visibly spaced. Functions are straight there; sampled, they would
/// be staircases.
pub fn is_tiny(start: f64, end: f64) -> bool {
    (end - start).abs() <= 1e4 * f64::EPSILON * start.abs().max(end.abs())
}

const DEGREE: usize = 10;

/// Pieces in which zeros of one polynomial are looked for. Ten zeros that are close together need some 400.
const MAX_PIECES: usize = 20_000;

/// Pieces that are halved beyond the usual, beside poles.
const MAX_DEEP: usize = 200;

type Coefficients = [f64; DEGREE + 1];

/// The Chebyshev points of [0, 1], ends included.
fn node(j: usize) -> f64 {
    match j {
        0 => 0.0,
        DEGREE => 1.0,
        _ => 0.5 * (1.0 - (std::f64::consts::PI * j as f64 / DEGREE as f64).cos()),
    }
}

/// Chebyshev coefficients from values at the nodes.
fn chebyshev(values: &Coefficients) -> Coefficients {
    let n = DEGREE as f64;
    std::array::from_fn(|k| {
        let mut sum = 0.0;
        for (j, v) in values.iter().enumerate() {
            // Nodes run from −1 to 1, so node j is cos(π (N−j)/N).
            let angle = std::f64::consts::PI * (k * (DEGREE - j) % (2 * DEGREE)) as f64 / n;
            let half = if j == 0 || j == DEGREE { 0.5 } else { 1.0 };
            sum += half * v * angle.cos();
        }
        let half = if k == 0 || k == DEGREE { 0.5 } else { 1.0 };
        2.0 * half * sum / n
    })
}

/// Whether the last coefficients are small against the others.
fn converged(c: &Coefficients) -> bool {
    let size = c.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let tail = c[DEGREE].abs() + c[DEGREE - 1].abs();
    tail <= 1e-7 * size
}

/// Whether the function is largest inside, as beside a pole.
fn grows_inwards(samples: &Coefficients) -> bool {
    let size = |j: usize| samples[j].abs();
    (1..DEGREE).any(|j| size(j) >= size(j - 1) && size(j) >= size(j + 1) && size(j) > 0.0)
}

/// The median of the sizes: one node may fall on a pole.
fn size_of(samples: &Coefficients) -> f64 {
    let mut sizes = samples.map(f64::abs);
    sizes.sort_by(f64::total_cmp);
    sizes[DEGREE / 2]
}

/// The Bernstein form of a Chebyshev series: T_k in powers of s ∈ [0, 1] by T_{k+1} = 2(2s−1) T_k − T_{k−1}, then powers to
/// Bernstein polynomials.
fn bernstein(c: &Coefficients) -> Coefficients {
    let mut powers = [0.0; DEGREE + 1];
    let mut previous = [0.0; DEGREE + 1];
    let mut current = [0.0; DEGREE + 1];
    previous[0] = 1.0;
    (current[0], current[1]) = (-1.0, 2.0);
    for i in 0..=DEGREE {
        powers[i] += c[0] * previous[i] + c[1] * current[i];
    }
    for k in 2..=DEGREE {
        let mut next = [0.0; DEGREE + 1];
        for i in 0..=DEGREE {
            next[i] = -2.0 * current[i] - previous[i] + if i > 0 { 4.0 * current[i - 1] } else { 0.0 };
        }
        (previous, current) = (current, next);
        for i in 0..=DEGREE {
            powers[i] += c[k] * current[i];
        }
    }
    let binomial = |n: usize, k: usize| (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64);
    std::array::from_fn(|j| (0..=j).map(|i| binomial(j, i) / binomial(DEGREE, i) * powers[i]).sum())
}

/// Zeros of a polynomial in Bernstein form on [0, 1], polished on `g`: place, whether rising, whether grazing.
fn isolate<E>(
    b: &Coefficients,
    graze: f64,
    g: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Vec<(f64, bool, bool)>, E> {
    let size = b.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut zeros: Vec<(f64, bool, bool)> = Vec::new();
    if size == 0.0 {
        return Ok(zeros);
    }
    // Coefficients are accurate to this.
    let noise = 1e-12 * size;
    let threshold = graze.max(4.0 * noise);
    let mut stack = vec![(*b, 0.0, 1.0)];
    // A function that is 0 up to rounding along the piece has no isolated zeros, and is not looked at for ever.
    let mut pieces = 0;
    while let Some((b, low, high)) = stack.pop() {
        pieces += 1;
        if pieces > MAX_PIECES {
            break;
        }
        let (min, max) = b.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        if min > threshold || max < -threshold {
            continue;
        }
        let changes = variations(&b);
        // Zero counts as positive, so a zero at the seam of two steps belongs to exactly one of them.
        let crosses = (b[0] < 0.0) != (b[DEGREE] < 0.0);
        // A zero where the piece begins was counted before, or is where the run starts; the crossing is farther on.
        let apart = b[0] != 0.0 || high - low < 1e-5;
        if changes == 1 && crosses && apart {
            let rising = b[0] < b[DEGREE];
            let theta = brent(low, high, g)?;
            zeros.push((theta, rising, false));
        } else if high - low < 1e-5 || changes == 0 {
            // Near zero without crossing, or zeros too close to be told apart.
            let (u, extremum) = extremum(&b);
            let theta = low + (high - low) * u;
            let interior = u > 0.0 && u < 1.0;
            if interior && extremum.abs() <= threshold {
                zeros.push((theta, b[DEGREE] > b[0], true));
            }
        } else {
            let (left, right) = halve(&b);
            let middle = 0.5 * (low + high);
            stack.push((right, middle, high));
            stack.push((left, low, middle));
        }
    }
    // Two crossings right beside a grazing point are the grazing point resolved.
    let crossings: Vec<f64> = zeros.iter().filter(|z| !z.2).map(|z| z.0).collect();
    zeros.retain(|z| !z.2 || crossings.iter().all(|c| (c - z.0).abs() > 1e-4));
    Ok(zeros)
}

fn variations(b: &Coefficients) -> usize {
    let mut count = 0;
    let mut sign = 0.0;
    for &x in b {
        if x != 0.0 {
            if sign != 0.0 && (x < 0.0) != (sign < 0.0) {
                count += 1;
            }
            sign = x;
        }
    }
    count
}

/// De Casteljau's subdivision at 1/2.
fn halve(b: &Coefficients) -> (Coefficients, Coefficients) {
    let mut work = *b;
    let (mut left, mut right) = ([0.0; DEGREE + 1], [0.0; DEGREE + 1]);
    for k in 0..=DEGREE {
        left[k] = work[0];
        right[DEGREE - k] = work[DEGREE - k];
        for i in 0..DEGREE - k {
            work[i] = 0.5 * (work[i] + work[i + 1]);
        }
    }
    (left, right)
}

/// The place and value of the interior extremum nearest to zero, by golden section on |b|; the ends otherwise.
fn extremum(b: &Coefficients) -> (f64, f64) {
    let value = |u: f64| {
        let mut work = *b;
        for k in (1..=DEGREE).rev() {
            for i in 0..k {
                work[i] += u * (work[i + 1] - work[i]);
            }
        }
        work[0]
    };
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (p, q) = (high - ratio * (high - low), low + ratio * (high - low));
        if value(p).abs() < value(q).abs() {
            high = q;
        } else {
            low = p;
        }
    }
    let u = 0.5 * (low + high);
    let at = value(u);
    // At an end the function only comes near zero on its way: another piece has the rest.
    if !(1e-6..=1.0 - 1e-6).contains(&u) { (u.round(), at) } else { (u, at) }
}

/// A zero of `g` between two places where it has, or nearly has, different signs (Brent 1973, chapter 4).
pub fn brent<E>(low: f64, high: f64, g: &mut impl FnMut(f64) -> Result<f64, E>) -> Result<f64, E> {
    let (mut a, mut b) = (low, high);
    let (mut fa, mut fb) = (g(a)?, g(b)?);
    if fa == 0.0 {
        return Ok(a);
    }
    if fb == 0.0 || (fa < 0.0) == (fb < 0.0) {
        // The polynomial changes sign, the function itself only nearly does: the end with the smaller value.
        return Ok(if fa.abs() < fb.abs() { a } else { b });
    }
    let (mut c, mut fc) = (a, fa);
    let (mut d, mut e) = (b - a, b - a);
    for _ in 0..100 {
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let tolerance = 2.0 * f64::EPSILON * b.abs();
        let half = 0.5 * (c - b);
        if half.abs() <= tolerance || fb == 0.0 {
            break;
        }
        if e.abs() < tolerance || fa.abs() <= fb.abs() {
            (d, e) = (half, half);
        } else {
            let s = fb / fa;
            let (mut p, mut q);
            if a == c {
                (p, q) = (2.0 * half * s, 1.0 - s);
            } else {
                let (r, t) = (fb / fc, fa / fc);
                p = s * (2.0 * half * t * (t - r) - (b - a) * (r - 1.0));
                q = (t - 1.0) * (r - 1.0) * (s - 1.0);
            }
            if p > 0.0 {
                q = -q;
            } else {
                p = -p;
            }
            if 2.0 * p < (3.0 * half * q - (tolerance * q).abs()).min((e * q).abs()) {
                (e, d) = (d, p / q);
            } else {
                (d, e) = (half, half);
            }
        }
        (a, fa) = (b, fb);
        b += if d.abs() > tolerance { d } else { tolerance.copysign(half) };
        fb = g(b)?;
        if (fb < 0.0) == (fc < 0.0) {
            (c, fc) = (a, fa);
            (d, e) = (b - a, b - a);
        }
    }
    Ok(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(g: impl Fn(f64) -> f64, period: Option<f64>, expected: &[(f64, bool, bool)]) {
        let found = zeros::<()>(&[Watched { period, graze: 1e-9, ..Watched::default() }], |u, out| {
            out[0] = g(u);
            Ok(())
        })
        .unwrap();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (f, (theta, rising, grazing)) in found.iter().zip(expected) {
            let tolerance = if *grazing { 1e-5 } else { 1e-12 };
            assert!((f.theta - theta).abs() < tolerance, "{} and {theta}", f.theta);
            assert_eq!((f.grazing, f.rising || f.grazing), (*grazing, *rising || *grazing));
        }
    }

    #[test]
    fn zeros_of_polynomials() {
        check(|u| u - 0.25, None, &[(0.25, true, false)]);
        check(|u| (u - 0.25) * (u - 0.5), None, &[(0.25, false, false), (0.5, true, false)]);
        // Two zeros a thousandth of the step apart.
        check(|u| (u - 0.4) * (u - 0.401), None, &[(0.4, false, false), (0.401, true, false)]);
        check(|u| u * u + 0.01, None, &[]);
        check(|u| 3.0 - u, None, &[]);
    }

    /// Where a step begins with 0, the zeros after it are found: u (0.4 − u) rises from 0 and falls through 0.4.
    #[test]
    fn zeros_after_a_zero_at_the_beginning() {
        check(|u| u * (0.4 - u), None, &[(0.4, false, false)]);
        check(|u| u * (u - 0.4), None, &[(0.4, true, false)]);
        check(|u| u * (1e-3 - u), None, &[(1e-3, false, false)]);
        check(|u| u * (u + 1.0), None, &[]);
        check(|u| -u, None, &[]);
    }

    #[test]
    fn touching_is_grazing() {
        check(|u| (u - 0.3) * (u - 0.3), None, &[(0.3, true, true)]);
        check(|u| -(u - 0.7) * (u - 0.7), None, &[(0.7, true, true)]);
        check(|u| (u - 0.3) * (u - 0.3) + 1e-3, None, &[]);
    }

    /// A sign that changes through a pole or a jump is no zero, and a zero beside a pole is one.
    #[test]
    fn poles_and_jumps_are_no_zeros() {
        for pole in [0.3, 0.5, 1.0 / 3.0 + 1e-7] {
            check(|u| 1.0 / (u - pole), None, &[]);
            check(|u| -1.0 / (u - pole).powi(3), None, &[]);
            check(|u| 1.0 / (u - pole).powi(2), None, &[]);
        }
        check(|u| if u < 0.3 { -1.0 } else { 2.0 }, None, &[]);
        check(|u| 1.0 / (u - 0.3) - 20000.0, None, &[(0.30005, false, false)]);
        check(|u| 1.0 / (u - 0.3) + 2.0, None, &[]);
        check(|u| (u - 0.2) / (u - 0.7), None, &[(0.2, false, false)]);
        let half = std::f64::consts::FRAC_PI_2;
        check(
            |u| (10.0 * u).tan(),
            None,
            &[(0.2 * half, true, false), (0.4 * half, true, false), (0.6 * half, true, false)],
        );
    }

    #[test]
    fn oscillations_inside_a_step_are_resolved() {
        let zeros: Vec<_> = (1..=12).map(|k| (k as f64 * std::f64::consts::PI / 40.0, k % 2 == 0, false)).collect();
        check(|u| (40.0 * u).sin(), None, &zeros);
    }

    #[test]
    fn angles_meet_every_turn() {
        let turn = std::f64::consts::TAU;
        let third = |k: f64| (turn * k - 1.0) / 20.0;
        check(
            |u| 1.0 + 20.0 * u,
            Some(turn),
            &[(third(1.0), true, false), (third(2.0), true, false), (third(3.0), true, false)],
        );
    }
}
