//! Collocation methods: their points, weights and coefficients, to twice the precision of a double.
//!
//! A collocation polynomial u of degree s satisfies the equation at s points of the step,
//!
//! ```text
//! u(t) = y,   u′(t + cᵢ h) = f(t + cᵢ h, u(t + cᵢ h)),      aᵢⱼ = ∫₀^{cᵢ} ℓⱼ,   bⱼ = ∫₀¹ ℓⱼ,      HLW (II.1.8)
//! ```
//!
//! (Hairer, Lubich and Wanner, *Geometric Numerical Integration*), where ℓⱼ is the Lagrange polynomial of the points. The points
//! decide what the method is:
//!
//! ```text
//! Gauss      zeros of Pₛ(2x − 1)                    order 2s,      symplectic, symmetric
//! Radau IIA  zeros of Pₛ(2x − 1) − Pₛ₋₁(2x − 1)     order 2s − 1,  stiffly accurate: cₛ = 1, L-stable
//! ```
//!
//! The symplecticity bᵢ aᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ is an identity of the exact coefficients. Rounded to doubles it fails by
//! 10⁻¹⁷, always in the same direction, which a run of millions of steps turns into a trend of the energy (Hairer,
//! McLachlan and Razakarivony, *Achieving Brouwer's law with implicit Runge–Kutta methods*, BIT 48 (2008)). Hence every
//! coefficient here is a sum of two doubles.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The largest number of stages: beyond it, rounding hides what another stage would gain.
pub const MOST_STAGES: usize = 16;

/// An unevaluated sum of two doubles, about 32 digits (Dekker 1971; Knuth's two-sum).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Twofold {
    pub high: f64,
    pub low: f64,
}

impl From<f64> for Twofold {
    fn from(high: f64) -> Twofold {
        Twofold { high, low: 0.0 }
    }
}

impl Twofold {
    fn sum(a: f64, b: f64) -> Twofold {
        let high = a + b;
        let back = high - a;
        Twofold { high, low: (a - (high - back)) + (b - back) }
    }
}

impl Add for Twofold {
    type Output = Twofold;

    fn add(self, other: Twofold) -> Twofold {
        let (high, low) = (Twofold::sum(self.high, other.high), Twofold::sum(self.low, other.low));
        let first = Twofold::sum(high.high, high.low + low.high);
        Twofold::sum(first.high, first.low + low.low)
    }
}

impl Neg for Twofold {
    type Output = Twofold;

    fn neg(self) -> Twofold {
        Twofold { high: -self.high, low: -self.low }
    }
}

impl Sub for Twofold {
    type Output = Twofold;

    fn sub(self, other: Twofold) -> Twofold {
        self + -other
    }
}

impl Mul for Twofold {
    type Output = Twofold;

    fn mul(self, other: Twofold) -> Twofold {
        let product = self.high * other.high;
        let error = self.high.mul_add(other.high, -product);
        Twofold::sum(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twofold {
    type Output = Twofold;

    fn div(self, other: Twofold) -> Twofold {
        let first = Twofold::from(self.high / other.high);
        let rest = self - first * other;
        let second = Twofold::from(rest.high / other.high);
        let rest = rest - second * other;
        first + second + Twofold::from(rest.high / other.high)
    }
}

/// The coefficients of a method.
#[derive(Clone, Debug)]
pub struct Collocation {
    /// c, in (0, 1], rising.
    pub points: Vec<Twofold>,
    /// b
    pub weights: Vec<Twofold>,
    /// aᵢⱼ, row by row.
    pub matrix: Vec<Twofold>,
}

impl Collocation {
    /// Order 2s.
    pub fn gauss(s: usize) -> Collocation {
        Collocation::at(zeros(s, 0.0))
    }

    /// Order 2s − 1.
    pub fn radau(s: usize) -> Collocation {
        Collocation::at(zeros(s, -1.0))
    }

    /// The method with these points.
    fn at(points: Vec<Twofold>) -> Collocation {
        let s = points.len();
        // Degree s − 1 is integrated exactly by Gauss's formula with s points.
        let nodes = zeros(s, 0.0);
        let node_weights: Vec<Twofold> = nodes.iter().map(|x| gauss_weight(s, *x)).collect();
        let integral = |j: usize, end: Twofold| {
            let values = nodes.iter().zip(&node_weights).map(|(x, w)| *w * lagrange(&points, j, *x * end));
            values.fold(Twofold::default(), Add::add) * end
        };
        let weights = (0..s).map(|j| integral(j, 1.0.into())).collect();
        let matrix = (0..s * s).map(|e| integral(e % s, points[e / s])).collect();
        Collocation { points, weights, matrix }
    }

    pub fn n_stages(&self) -> usize {
        self.points.len()
    }

    #[cfg(test)]
    pub fn a(&self, i: usize, j: usize) -> Twofold {
        self.matrix[i * self.n_stages() + j]
    }
}

/// The s + 1 points of Lobatto on [0, 1], which are its ends and the zeros of Pₛ′, with the weights 1/(s (s + 1) Pₛ²).
pub fn lobatto(s: usize) -> (Vec<f64>, Vec<f64>) {
    let size = (s * (s + 1)) as f64;
    // By Newton's method from Chebyshev's points: with z = 2x − 1, (1 − z²) P″ = 2 z P′ − s (s + 1) P, and dz = 2 dx.
    let inner = |j: usize| {
        let mut x = Twofold::from((std::f64::consts::FRAC_PI_2 * j as f64 / s as f64).sin().powi(2));
        for _ in 0..12 {
            let z = x + x - 1.0.into();
            let slope = legendre_slope(s, x) / 2.0.into();
            let second = (Twofold::from(2.0) * z * slope - Twofold::from(size) * legendre(s, x).0)
                / (Twofold::from(1.0) - z * z);
            x = x - slope / second / 2.0.into();
        }
        x
    };
    let points: Vec<Twofold> = (0..=s)
        .map(|j| {
            if j == 0 {
                0.0.into()
            } else if j == s {
                1.0.into()
            } else {
                inner(j)
            }
        })
        .collect();
    let weight = |x: &Twofold| {
        let p = legendre(s, *x).0;
        (Twofold::from(1.0) / (Twofold::from(size) * p * p)).high
    };
    (points.iter().map(|x| x.high).collect(), points.iter().map(weight).collect())
}

/// ℓⱼ(x) for some points.
pub fn lagrange(points: &[Twofold], j: usize, x: Twofold) -> Twofold {
    let others = points.iter().enumerate().filter(|(k, _)| *k != j);
    others.fold(1.0.into(), |product, (_, c)| product * ((x - *c) / (points[j] - *c)))
}

/// Pₛ(2x − 1) and Pₛ₋₁(2x − 1), by the recurrence k Pₖ = (2k − 1) z Pₖ₋₁ − (k − 1) Pₖ₋₂.
fn legendre(s: usize, x: Twofold) -> (Twofold, Twofold) {
    let z = x + x - 1.0.into();
    let (mut last, mut before) = (Twofold::from(1.0), Twofold::default());
    for k in 1..=s {
        let (k, less) = (k as f64, (k - 1) as f64);
        let next = (Twofold::from(k + less) * z * last - Twofold::from(less) * before) / k.into();
        (before, last) = (last, next);
    }
    (last, before)
}

/// d/dx of Pₛ(2x − 1) away from the ends: (z² − 1) P′ = s (z Pₛ − Pₛ₋₁), and dz = 2 dx.
fn legendre_slope(s: usize, x: Twofold) -> Twofold {
    let (p, before) = legendre(s, x);
    let z = x + x - 1.0.into();
    Twofold::from(2.0 * s as f64) * (z * p - before) / (z * z - 1.0.into())
}

/// bⱼ of Gauss's formula on [0, 1]: 1/((1 − z²) P′(z)²) with z = 2x − 1.
fn gauss_weight(s: usize, x: Twofold) -> Twofold {
    let z = x + x - 1.0.into();
    let slope = legendre_slope(s, x) / 2.0.into();
    Twofold::from(1.0) / ((Twofold::from(1.0) - z * z) * slope * slope)
}

/// The zeros of Pₛ(2x − 1) + `factor` Pₛ₋₁(2x − 1) in (0, 1], rising.
fn zeros(s: usize, factor: f64) -> Vec<Twofold> {
    let value = |x: Twofold| {
        let (p, before) = legendre(s, x);
        p + Twofold::from(factor) * before
    };
    let slope = |x: Twofold| legendre_slope(s, x) + Twofold::from(factor) * legendre_slope(s - 1, x);
    // Zeros are no closer than those of sin near the ends: a grid in that scale separates them.
    let cells = 40 * s;
    let grid = |i: usize| {
        let half_angle = std::f64::consts::FRAC_PI_2 * (i as f64 + 0.31) / (cells as f64 + 0.31);
        half_angle.sin().powi(2)
    };
    let mut found = Vec::with_capacity(s);
    for i in 0..cells {
        let (mut low, mut high) = (grid(i), grid(i + 1).min(1.0 - 1e-9));
        let sign = value(low.into()).high > 0.0;
        if low >= high || sign == (value(high.into()).high > 0.0) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (value(middle.into()).high > 0.0) == sign { low = middle } else { high = middle }
        }
        let mut x = Twofold::from(0.5 * (low + high));
        for _ in 0..3 {
            x = x - value(x) / slope(x);
        }
        found.push(x);
    }
    if factor == -1.0 {
        found.push(1.0.into());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Twofold, high: f64, low: f64) {
        let off = found - Twofold { high, low };
        assert!(off.high.abs() < 1e-30, "{found:?} is not {high} + {low}");
    }

    /// Gauss with two points: c = 1/2 ∓ √3/6, and √3/6 = 0.28867513459481288225457439025097872782 (to 32 digits).
    #[test]
    fn two_points_are_those_of_the_books() {
        let root = Twofold { high: 0.28867513459481287, low: 1.672_514_036_967_817_1e-17 };
        let six = Twofold::from(6.0) * root;
        assert!((six * six - 3.0.into()).high.abs() < 1e-19);
        let gauss = Collocation::gauss(2);
        near(gauss.a(0, 0), 0.25, 0.0);
        near(gauss.a(0, 1) + gauss.a(1, 0), 0.5, 0.0);
        near(gauss.weights[0], 0.5, 0.0);
        assert!((gauss.points[1] - gauss.points[0] - root - root).high.abs() < 1e-20);
        // Radau IIA of order 3: HW (IV.5), A = ((5/12, −1/12), (3/4, 1/4)).
        let radau = Collocation::radau(2);
        near(radau.a(0, 0) * 12.0.into(), 5.0, 0.0);
        near(radau.a(0, 1) * 12.0.into(), -1.0, 0.0);
        near(radau.a(1, 0), 0.75, 0.0);
        near(radau.a(1, 1), 0.25, 0.0);
    }

    /// Lobatto's formula integrates powers up to 2s − 1; with three points it is Simpson's rule.
    #[test]
    fn points_of_lobatto_integrate_powers() {
        for s in 1..=MOST_STAGES {
            let (points, weights) = lobatto(s);
            for k in 1..=2 * s {
                let sum: f64 = points.iter().zip(&weights).map(|(x, w)| w * x.powi(k as i32 - 1)).sum();
                assert!((sum - 1.0 / k as f64).abs() < 1e-15, "{s}, {k}: {sum}");
            }
        }
        assert_eq!(lobatto(2).0, [0.0, 0.5, 1.0]);
    }

    /// Σ bⱼ cⱼᵏ⁻¹ = 1/k up to the order, Σ aᵢⱼ cⱼᵏ⁻¹ = cᵢᵏ/k up to the stages (HW IV.5, B and C), and for Gauss
    /// bᵢ aᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ: to 28 digits.
    #[test]
    fn coefficients_satisfy_the_order_conditions() {
        let power = |x: Twofold, k: usize| (0..k).fold(Twofold::from(1.0), |p, _| p * x);
        let small = |x: Twofold, what: &str| assert!(x.high.abs() < 1e-28, "{what}: {x:?}");
        for s in 1..=MOST_STAGES {
            for (method, order) in [(Collocation::gauss(s), 2 * s), (Collocation::radau(s), 2 * s - 1)] {
                assert_eq!(method.n_stages(), s);
                for k in 1..=order {
                    let terms = (0..s).map(|j| method.weights[j] * power(method.points[j], k - 1));
                    let sum = terms.fold(Twofold::default(), Add::add);
                    small(sum - Twofold::from(1.0) / Twofold::from(k as f64), "B");
                }
                for (i, k) in (0..s).flat_map(|i| (1..=s).map(move |k| (i, k))) {
                    let terms = (0..s).map(|j| method.a(i, j) * power(method.points[j], k - 1));
                    let sum = terms.fold(Twofold::default(), Add::add);
                    small(sum - power(method.points[i], k) / Twofold::from(k as f64), "C");
                }
                for (i, j) in (0..s).flat_map(|i| (0..s).map(move |j| (i, j))).filter(|_| order == 2 * s) {
                    let (b, c) = (method.weights[i], method.weights[j]);
                    small(b * method.a(i, j) + c * method.a(j, i) - b * c, "symplectic");
                }
            }
        }
    }
}
