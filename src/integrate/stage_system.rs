//! Newton's equations for all stages of a Runge–Kutta step at once, with a Jacobian matrix Jⱼ at every stage:
//!
//! ```text
//! Δzᵢ − h Σ aᵢⱼ Jⱼ Δzⱼ = rᵢ.
//! ```
//!
//! States of mechanics come in chains: q′ = v is an equation whose slope is 1 and nothing else. Of such a state
//!
//! ```text
//! Δq = r_q + h A Δv,
//! ```
//!
//! whatever the others do, so that it leaves the system before this is factorised: of n states of second order n/2 are left, and
//! the factors cost an eighth.

use super::lu::{Deficient, Lu};

/// The equations of all stages, and their factors.
pub struct StageSystem {
    n: usize,
    s: usize,
    /// A, A², …
    powers: Vec<Vec<f64>>,
    /// The states that stay.
    free: Vec<usize>,
    /// The free state at the end of a state's chain, by its place in `free`, and the number of links up to there.
    ends: Vec<(usize, usize)>,
    /// Chained states with their links; what a state is linked to comes before it.
    chained: Vec<(usize, usize)>,
    /// Jⱼ, stage by stage.
    jacobians: Vec<f64>,
    /// Slopes by free states, and by what is chained to them with one link, with two, …; of one stage.
    slopes: Vec<f64>,
    h: f64,
    lu: Lu<f64>,
    right: Vec<f64>,
    known: Vec<f64>,
}

impl StageSystem {
    /// `a`: the coefficients of the method, row by row. `links[i]`: the state that is the slope of state i, up to a function of time.
    pub fn new(a: &[f64], links: &[Option<usize>]) -> StageSystem {
        let (n, s) = (links.len(), a.len().isqrt());
        let mut links = links.to_vec();
        let follow = |links: &[Option<usize>], from: usize| {
            let (mut at, mut length) = (from, 0);
            while let (Some(next), true) = (links[at], length <= n) {
                (at, length) = (next, length + 1);
            }
            (at, length)
        };
        // A ring of links, as x' = y, y' = x, is opened.
        for i in 0..n {
            if follow(&links, i).1 > n {
                links[i] = None;
            }
        }
        let free: Vec<usize> = (0..n).filter(|i| links[*i].is_none()).collect();
        let place = |i: usize| free.iter().position(|f| *f == i).expect("a chain ends at a free state");
        let ends: Vec<(usize, usize)> =
            (0..n).map(|i| follow(&links, i)).map(|(end, length)| (place(end), length)).collect();
        let longest = ends.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let mut powers = vec![a.to_vec()];
        while powers.len() < longest {
            let last = &powers[powers.len() - 1];
            let entry = |e: usize| (0..s).map(|k| last[e / s * s + k] * a[k * s + e % s]).sum();
            powers.push((0..s * s).map(entry).collect());
        }
        let mut chained: Vec<(usize, usize)> =
            links.iter().enumerate().filter_map(|(i, link)| link.map(|link| (i, link))).collect();
        chained.sort_by_key(|(i, _)| ends[*i].1);
        let m = free.len();
        StageSystem {
            n,
            s,
            powers,
            ends,
            chained,
            jacobians: vec![0.0; s * n * n],
            slopes: vec![0.0; (longest + 1) * m * m],
            h: 0.0,
            lu: Lu::new(s * m),
            right: vec![0.0; s * m],
            known: vec![0.0; s * n],
            free,
        }
    }

    /// Operations of one factorisation, about.
    pub fn n_operations(&self) -> f64 {
        let (m, s) = (self.free.len() as f64, self.s as f64);
        (s * m).powi(3) / 1.5 + s * s * s * m * (self.n as f64)
    }

    /// The place of the Jacobian matrix at stage j, row by row.
    pub fn jacobian(&mut self, j: usize) -> &mut [f64] {
        let size = self.n * self.n;
        &mut self.jacobians[j * size..(j + 1) * size]
    }

    /// Factorises the equations of a step h with these Jacobian matrices.
    pub fn factorise(&mut self, h: f64) -> Result<(), Deficient> {
        let (n, s, m) = (self.n, self.s, self.free.len());
        let width = s * m;
        self.h = h;
        self.lu.matrix.fill(0.0);
        for j in 0..s {
            self.slopes.fill(0.0);
            for (row, state) in self.free.iter().enumerate() {
                let slopes = &self.jacobians[(j * n + state) * n..(j * n + state + 1) * n];
                for (slope, (end, length)) in slopes.iter().zip(&self.ends) {
                    self.slopes[(length * m + row) * m + end] += slope;
                }
            }
            for (length, slopes) in self.slopes.chunks_exact(m * m).enumerate() {
                let factor = -h.powi(length as i32 + 1);
                for (i, k) in (0..s).flat_map(|i| (0..s).map(move |k| (i, k))) {
                    // aᵢⱼ (A^length)ⱼₖ
                    let after = match length {
                        0 if j != k => continue,
                        0 => 1.0,
                        _ => self.powers[length - 1][j * s + k],
                    };
                    let weight = factor * self.powers[0][i * s + j] * after;
                    for (row, slopes) in slopes.chunks_exact(m).enumerate() {
                        let place = (i * m + row) * width + k * m;
                        let target = &mut self.lu.matrix[place..place + m];
                        target.iter_mut().zip(slopes).for_each(|(x, slope)| *x += weight * slope);
                    }
                }
            }
        }
        (0..width).for_each(|i| self.lu.matrix[i * width + i] += 1.0);
        self.lu.factorise()
    }

    /// Replaces the residuals r, stage by stage, by the corrections Δz.
    pub fn solve(&mut self, residual: &mut [f64]) {
        let (n, s, m, h) = (self.n, self.s, self.free.len(), self.h);
        let a = &self.powers[0];
        // What chained states are when the free ones stand still.
        self.known.fill(0.0);
        for (state, link) in &self.chained {
            for i in 0..s {
                let sum: f64 = (0..s).map(|j| a[i * s + j] * self.known[j * n + link]).sum();
                self.known[i * n + state] = residual[i * n + state] + h * sum;
            }
        }
        for (row, state) in self.free.iter().enumerate() {
            for i in 0..s {
                self.right[i * m + row] = residual[i * n + state];
            }
            for j in 0..s {
                let slopes = &self.jacobians[(j * n + state) * n..(j * n + state + 1) * n];
                let chained = self.chained.iter().map(|(c, _)| slopes[*c] * self.known[j * n + c]);
                let sum: f64 = chained.sum();
                for i in 0..s {
                    self.right[i * m + row] += h * a[i * s + j] * sum;
                }
            }
        }
        self.lu.solve(&mut self.right);
        for (row, state) in self.free.iter().enumerate() {
            for i in 0..s {
                residual[i * n + state] = self.right[i * m + row];
            }
        }
        for (state, link) in &self.chained {
            for i in 0..s {
                let sum: f64 = (0..s).map(|j| a[i * s + j] * residual[j * n + link]).sum();
                residual[i * n + state] += h * sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corrections fulfil the equations that they are made from: for states without links, of second and of third order, for
    /// a ring, and for a chain that ends in one.
    #[test]
    fn corrections_fulfil_the_equations() {
        let a = [0.2, -0.07, 0.02, 0.4, 0.3, -0.04, 0.38, 0.51, 0.11];
        let (s, h) = (3, 0.7);
        let lists: [&[Option<usize>]; 6] = [
            &[None, None, None],
            &[Some(2), Some(3), None, None],
            &[Some(1), Some(2), None, None, Some(3)],
            &[Some(1), Some(0)],
            &[Some(1), Some(2), Some(1), None],
            &[Some(1), None, Some(1)],
        ];
        for links in lists {
            let n = links.len();
            let jacobian = |j: usize, l: usize, c: usize| match links[l] {
                Some(link) => f64::from(u8::from(c == link)),
                None => ((3 * j + 7 * l + 5 * c + l * c) % 11) as f64 / 4.0 - 1.2,
            };
            let mut system = StageSystem::new(&a, links);
            for j in 0..s {
                let place = system.jacobian(j);
                (0..n * n).for_each(|e| place[e] = jacobian(j, e / n, e % n));
            }
            system.factorise(h).unwrap();
            let residual: Vec<f64> = (0..s * n).map(|e| ((5 * e + 2) % 7) as f64 - 2.5).collect();
            let mut z = residual.clone();
            system.solve(&mut z);
            for (i, l) in (0..s).flat_map(|i| (0..n).map(move |l| (i, l))) {
                let slope = |j: usize| (0..n).map(|c| jacobian(j, l, c) * z[j * n + c]).sum::<f64>();
                let sum: f64 = (0..s).map(|j| a[i * s + j] * slope(j)).sum();
                let left = z[i * n + l] - h * sum;
                assert!((left - residual[i * n + l]).abs() < 1e-10, "{links:?}: {left} and {}", residual[i * n + l]);
            }
        }
    }
}
