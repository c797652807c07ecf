//! The rows of a sweep. A row is a function of its number and of nothing else: whoever computes it, on whichever thread or
//! machine, finds the same values, and no row has to be kept.
//!
//! ```text
//! grids and lists     the product of the axes, the last varying fastest
//! a sample            N points of the box of all ranges without a step; behind the grid axes it varies fastest
//! ```
//!
//! Random points are counted: number i of axis j is Philox 4×32-10 of the counter (i, j) under the seed as key (Salmon,
//! Moraes, Dror & Shaw, *Parallel random numbers: as easy as 1, 2, 3*, 2011). Sobol points are made with the direction
//! numbers of Joe & Kuo (*Constructing Sobol sequences with better two-dimensional projections*, 2008); a seed shifts all
//! points of an axis by the same random bits, which keeps the evenness of every block of 2ᵐ points.

/// How the points of a box are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    Random,
    Sobol,
}

/// The rules by name.
pub const RULES: &[(&str, Rule)] = &[("random", Rule::Random), ("sobol", Rule::Sobol)];

impl Rule {
    pub fn name(self) -> &'static str {
        RULES.iter().find(|(_, rule)| *rule == self).map_or("", |(name, _)| name)
    }
}

/// Points of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub rule: Rule,
    pub count: u64,
    /// Without one random points have the seed 0, and Sobol points are not shifted.
    pub seed: Option<u64>,
}

/// The values of one parameter or initial value.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    List(Vec<f64>),
    /// from, from + step, …, `count` of them.
    Grid {
        from: Exact,
        step: Exact,
        count: u64,
    },
    /// A range, from which the sample takes its points.
    Range {
        from: f64,
        to: f64,
    },
}

/// A number as a double and what is missing of it, so that `from + k·step` is rounded once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exact {
    pub near: f64,
    pub rest: f64,
}

impl Exact {
    /// self + k·step, to the nearest double.
    fn plus(self, k: u64, step: Exact) -> f64 {
        let k = k as f64;
        let product = k * step.near;
        let product_rest = f64::mul_add(k, step.near, -product) + k * step.rest;
        let sum = self.near + product;
        let back = sum - self.near;
        let sum_rest = (self.near - (sum - back)) + (product - back);
        sum + (sum_rest + (product_rest + self.rest))
    }
}

/// What varies in a sweep, in the order in which it is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Axes {
    axes: Vec<Values>,
    sample: Option<Sample>,
    n_rows: u64,
}

/// No sweep has more rows.
pub const MAX_ROWS: u64 = 1 << 52;

impl Axes {
    /// `None` when there are too many rows.
    pub fn new(axes: Vec<Values>, sample: Option<Sample>) -> Option<Axes> {
        let counts = axes.iter().map(|axis| match axis {
            Values::List(list) => list.len() as u64,
            Values::Grid { count, .. } => *count,
            Values::Range { .. } => 1,
        });
        let n_rows = counts.chain(sample.map(|s| s.count)).try_fold(1u64, u64::checked_mul)?;
        (n_rows <= MAX_ROWS).then_some(Axes { axes, sample, n_rows })
    }

    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    pub fn sample(&self) -> Option<Sample> {
        self.sample
    }

    pub fn n_axes(&self) -> usize {
        self.axes.len()
    }

    /// The values of a row, counted from 0.
    pub fn row(&self, row: u64, out: &mut [f64]) {
        let mut rest = row;
        let mut point = 0;
        if let Some(sample) = &self.sample {
            point = rest % sample.count;
            rest /= sample.count;
        }
        let mut dimension = self.axes.iter().filter(|a| matches!(a, Values::Range { .. })).count() as u32;
        for (axis, out) in self.axes.iter().zip(out).rev() {
            *out = match axis {
                Values::List(list) => {
                    let n = list.len() as u64;
                    let i = rest % n;
                    rest /= n;
                    list[i as usize]
                }
                Values::Grid { from, step, count } => {
                    let i = rest % count;
                    rest /= count;
                    from.plus(i, *step)
                }
                Values::Range { from, to } => {
                    dimension -= 1;
                    let u = self.sample.map_or(0.0, |sample| sample.coordinate(point, dimension));
                    from + u * (to - from)
                }
            };
        }
    }
}

impl Sample {
    /// A coordinate of a point in the unit cube, 0 included and 1 not.
    fn coordinate(&self, point: u64, dimension: u32) -> f64 {
        let seed = self.seed.unwrap_or(0);
        let bits = match self.rule {
            Rule::Random => random_bits(seed, point, dimension),
            Rule::Sobol => {
                let shift = self.seed.map_or(0, |seed| random_bits(seed, u64::MAX, dimension));
                sobol(point, dimension) ^ shift
            }
        };
        (bits >> 11) as f64 * (0.5f64).powi(53)
    }
}

/// 64 random bits for a point and a dimension.
fn random_bits(seed: u64, point: u64, dimension: u32) -> u64 {
    let counter = [point as u32, (point >> 32) as u32, dimension, 0];
    let [a, b, _, _] = philox(counter, [seed as u32, (seed >> 32) as u32]);
    u64::from(a) << 32 | u64::from(b)
}

/// Philox 4×32 with 10 rounds.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [a, b] = [(0xD251_1F53u64, counter[0]), (0xCD9E_8D57, counter[2])].map(|(m, c)| m * u64::from(c));
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// Axes that a Sobol sample may have.
pub const MAX_SOBOL: usize = DIRECTIONS.len() + 1;

/// Joe and Kuo's numbers for the dimensions after the first: the inner coefficients of the primitive polynomial, and the first
/// direction numbers, as many as its degree.
const DIRECTIONS: &[(u32, &[u64])] = &[
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// The bits after the point of a coordinate of a Sobol point: the sum without carry of the direction numbers of the bits of
/// its number, v_k = m_k/2ᵏ with m_k = 2a₁m_{k−1} ⊕ … ⊕ 2ˢm_{k−s} ⊕ m_{k−s}.
fn sobol(point: u64, dimension: u32) -> u64 {
    let Some((coefficients, first)) = dimension.checked_sub(1).and_then(|d| DIRECTIONS.get(d as usize)) else {
        return point.reverse_bits();
    };
    let degree = first.len();
    let bits = (64 - point.leading_zeros()) as usize;
    let mut m: Vec<u64> = first.to_vec();
    for k in degree..bits {
        let mut next = m[k - degree] ^ (m[k - degree] << degree);
        for i in 1..degree {
            if coefficients >> (degree - 1 - i) & 1 == 1 {
                next ^= m[k - i] << i;
            }
        }
        m.push(next);
    }
    (0..bits).filter(|k| point >> k & 1 == 1).fold(0, |sum, k| sum ^ m[k] << (63 - k))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that the authors of Philox publish with their library (Random123, `kat_vectors`).
    #[test]
    fn philox_gives_the_published_vectors() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([!0; 4], [!0; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    /// `tests/oracle/sobol.py` prints the points with SciPy, whose order differs by a Gray code.
    #[test]
    fn sobol_points_are_those_of_scipy() {
        let mut n = 0;
        for line in include_str!("../../tests/oracle/sobol.txt").lines() {
            let numbers: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            let i = numbers[0] as u64;
            for (dimension, expected) in numbers[1..].iter().enumerate() {
                let x = (sobol(i ^ i >> 1, dimension as u32) >> 11) as f64 * (0.5f64).powi(53);
                assert_eq!(x, *expected, "point {i}, dimension {dimension}");
            }
            n += 1;
        }
        assert_eq!(n, 70);
    }

    /// Every block of 2ᵐ points has one in each of the 2ᵐ intervals of an axis, shifted or not.
    #[test]
    fn a_shifted_sobol_sample_is_even() {
        for seed in [None, Some(7)] {
            let sample = Sample { rule: Rule::Sobol, count: 64, seed };
            for dimension in 0..MAX_SOBOL as u32 {
                let mut cells: Vec<u64> = (0..64).map(|i| (sample.coordinate(i, dimension) * 64.0) as u64).collect();
                cells.sort();
                assert_eq!(cells, (0..64).collect::<Vec<_>>(), "dimension {dimension}");
            }
        }
    }

    #[test]
    fn rows_are_the_product_with_the_last_axis_fastest() {
        let exact = |near: f64| Exact { near, rest: 0.0 };
        let grid = Values::Grid { from: exact(10.0), step: exact(5.0), count: 3 };
        let axes = Axes::new(vec![Values::List(vec![1.0, 2.0]), grid], None).unwrap();
        let mut out = [0.0; 2];
        let rows: Vec<[f64; 2]> = (0..axes.n_rows())
            .map(|i| {
                axes.row(i, &mut out);
                out
            })
            .collect();
        assert_eq!(rows, [[1.0, 10.0], [1.0, 15.0], [1.0, 20.0], [2.0, 10.0], [2.0, 15.0], [2.0, 20.0]]);
        assert!(Axes::new(vec![Values::List(vec![0.0; 1 << 20]); 3], None).is_none());
    }

    /// 0.1 is not a double, k/10 is rounded once all the same.
    #[test]
    fn a_grid_is_rounded_once() {
        let tenth = Exact { near: 0.1, rest: -5.551115123125783e-18 };
        let axes =
            Axes::new(vec![Values::Grid { from: Exact { near: 0.0, rest: 0.0 }, step: tenth, count: 1001 }], None);
        let axes = axes.unwrap();
        for k in 0..=1000 {
            let mut out = [0.0];
            axes.row(k, &mut out);
            assert_eq!(out[0], k as f64 / 10.0);
        }
    }
}
