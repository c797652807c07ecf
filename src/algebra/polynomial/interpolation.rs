//! What sparse interpolation of gcds and of factors have in common.
//!
//! All variables but one main variable x are restored one after the other. On the way, at level k, the
//! variables x₁, …, xₖ₋₁ run through the powers (β₁ʲ, …, βₖ₋₁ʲ), j = 1, 2, …, the variables after xₖ
//! stay at a point α, and the polynomials become tables in (x, xₖ).

use super::Polynomial;
use super::modular::{PrimeField, Vandermonde};
use super::packed::Layout;
use smallvec::SmallVec;

/// A polynomial modulo a prime: rows of exponents and coefficients, some of which may be zero.
#[derive(Clone)]
pub(crate) struct Residues {
    pub n_variables: usize,
    pub exponents: Vec<u32>,
    pub coefficients: Vec<u64>,
    pub degrees: SmallVec<[u32; 8]>,
}

impl Residues {
    pub fn new(p: &Polynomial, layout: &Layout, field: &PrimeField) -> Residues {
        let n_variables = layout.n_variables();
        let exponents = if p.layout() == layout {
            p.exponent_rows()
        } else {
            let places: Vec<usize> = p.variables().iter().map(|&v| layout.position(v).expect("a subset")).collect();
            let n = places.len();
            let rows = p.exponent_rows();
            let mut wide = vec![0; n_variables * p.n_terms()];
            for i in 0..p.n_terms() {
                for (k, &place) in places.iter().enumerate() {
                    wide[i * n_variables + place] = rows[i * n + k];
                }
            }
            wide
        };
        let mut degrees: SmallVec<[u32; 8]> = SmallVec::from_elem(0, n_variables);
        for row in exponents.chunks(n_variables.max(1)) {
            for (d, &e) in degrees.iter_mut().zip(row) {
                *d = (*d).max(e);
            }
        }
        let coefficients = p.integer_coefficients().iter().map(|c| field.residue(c)).collect();
        Residues { n_variables, exponents, coefficients, degrees }
    }

    pub fn rows(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.exponents.chunks(self.n_variables.max(1)).zip(self.coefficients.iter().copied())
    }
}

/// A polynomial on its way through the levels: for each term the product of its coefficient with the powers
/// of the variables that are still at the point α, and the value of its monomial in the variables that run
/// through powers of β.
pub(crate) struct Walker<'a> {
    source: &'a Residues,
    main: usize,
    order: &'a [usize],
    /// `suffix[level]`: coefficient times the powers at α of the variables from `level` on.
    suffix: Vec<Vec<u64>>,
    /// Values of the monomials in x₁, …, xₖ₋₁ at β.
    nodes: Vec<u64>,
    /// The current level's terms: running products base·nodeʲ.
    running: Vec<u64>,
    /// Place of each term in the table of (power of x, power of xₖ), and the size of the table.
    place: Vec<usize>,
    pub width: usize,
    pub height: usize,
}

impl<'a> Walker<'a> {
    pub fn new(source: &'a Residues, main: usize, order: &'a [usize], point: &[u64], field: &PrimeField) -> Walker<'a> {
        let n = source.coefficients.len();
        let mut suffix = vec![source.coefficients.clone()];
        for &k in order.iter().rev() {
            let powers = field.powers(point[k], source.degrees[k] as usize);
            let mut next = suffix[suffix.len() - 1].clone();
            for (i, v) in next.iter_mut().enumerate() {
                let e = source.exponents[i * source.n_variables + k] as usize;
                if e > 0 {
                    *v = field.mul(*v, powers[e]);
                }
            }
            suffix.push(next);
        }
        suffix.reverse();
        Walker {
            source,
            main,
            order,
            suffix,
            nodes: vec![field.one(); n],
            running: Vec::new(),
            place: Vec::new(),
            width: 0,
            height: 0,
        }
    }

    fn exponent(&self, term: usize, variable: usize) -> usize {
        self.source.exponents[term * self.source.n_variables + variable] as usize
    }

    pub fn value_at_point(&self, field: &PrimeField) -> u64 {
        self.suffix[0].iter().fold(0, |s, &v| field.add(s, v))
    }

    pub fn enter_level(&mut self, level: usize) {
        let k = self.order[level];
        self.running = self.suffix[level + 1].clone();
        self.width = self.source.degrees[k] as usize + 1;
        self.height = self.source.degrees[self.main] as usize + 1;
        let place = |i| self.exponent(i, self.main) * self.width + self.exponent(i, k);
        self.place = (0..self.running.len()).map(place).collect();
    }

    /// Advances j and sums the terms into `table[power of x][power of xₖ]`.
    pub fn step(&mut self, table: &mut Vec<u64>, field: &PrimeField) {
        table.clear();
        table.resize(self.width * self.height, 0);
        for ((r, &w), &at) in self.running.iter_mut().zip(&self.nodes).zip(&self.place) {
            *r = field.mul(*r, w);
            table[at] = field.add(table[at], *r);
        }
    }

    pub fn leave_level(&mut self, level: usize, beta: u64, field: &PrimeField) {
        let k = self.order[level];
        let powers = field.powers(beta, self.source.degrees[k] as usize);
        for i in 0..self.nodes.len() {
            let e = self.exponent(i, k);
            if e > 0 {
                self.nodes[i] = field.mul(self.nodes[i], powers[e]);
            }
        }
    }

    /// The polynomial in x₁, …, xₖ with the other variables at α.
    pub fn partial_terms(&self, n_known: usize, field: &PrimeField) -> Part {
        let known = &self.order[..n_known];
        let mut terms = Part::new();
        for i in 0..self.nodes.len() {
            let exponents = known.iter().map(|&k| self.exponent(i, k) as u32).collect();
            terms.push((exponents, self.suffix[n_known][i]));
        }
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        terms.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 = field.add(a.1, b.1);
            }
            same
        });
        terms.retain(|t| t.1 != 0);
        terms
    }
}

/// The state of the interpolation at one level: monomials in (x₁, …, xₖ) and residues, by powers of x.
pub(crate) type Parts = Vec<Part>;

/// Monomials with residues.
pub(crate) type Part = Vec<(SmallVec<[u32; 8]>, u64)>;

/// The values of the monomials at β.
pub(crate) fn nodes(part: &[(SmallVec<[u32; 8]>, u64)], betas: &[u64], field: &PrimeField) -> Vec<u64> {
    let node = |exponents: &[u32]| {
        exponents.iter().zip(betas).fold(field.one(), |v, (&e, &b)| field.mul(v, field.pow(b, u64::from(e))))
    };
    part.iter().map(|(m, _)| node(m)).collect()
}

/// One Vandermonde system per power of x: its nodes are the values of the monomials at β.
pub(crate) fn systems(parts: &[Part], betas: &[u64], field: &PrimeField) -> Option<Vec<Option<Vandermonde>>> {
    let mut systems = Vec::with_capacity(parts.len());
    for part in parts {
        if part.is_empty() {
            systems.push(None);
            continue;
        }
        systems.push(Some(Vandermonde::new(&nodes(part, betas, field), true, field)?));
    }
    Some(systems)
}
