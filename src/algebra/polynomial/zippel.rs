//! Sparse modular interpolation of a gcd, after Zippel (1979, 1990).
//!
//! Let x be the main variable, x₁, …, xₘ the others, l = gcd(lcₓ a, lcₓ b), and H = l/lcₓ(g) · g for the
//! gcd g of a and b, primitive in x. Univariate gcds at points of (x₁, …, xₘ), made monic and multiplied by
//! l, are values of H. The variables are restored one after the other: at level k the monomials of
//! H(x, x₁, …, xₖ₋₁, αₖ, …, αₘ) are known and, except for bad luck, are those of H with any other value of xₖ; so for
//! each of deg + 1 values of xₖ only the coefficients are unknown, and follow from a transposed Vandermonde
//! system when (x₁, …, xₖ₋₁) runs through (β₁ʲ, …, βₖ₋₁ʲ), j = 1, 2, …. Bad luck shows in the division that
//! every result must pass.

use super::Polynomial;
use super::gcd::Images;
use super::interpolation::{Parts, Residues, Walker, systems};
use super::modular::{PrimeField, Sequence, Vandermonde, dense};
use super::packed::Layout;
use crate::algebra::number::Integer;
use crate::budget::Budget;
use crate::budget::Budgeted;
use dashu_int::IBig;
use smallvec::SmallVec;

/// A polynomial known modulo an integer, by powers of the main variable.
pub(super) struct Interpolated {
    main: usize,
    /// The other variables, in the order in which their exponents are listed.
    order: Vec<usize>,
    /// `parts[e]`: the terms with xᵉ.
    parts: Vec<Vec<Term>>,
    modulus: Integer,
}

struct Term {
    exponents: SmallVec<[u32; 8]>,
    /// Nearest to zero.
    value: Integer,
}

impl Interpolated {
    pub fn to_polynomial(&self, layout: &Layout) -> Polynomial {
        let mut max = self.parts.len() as u32;
        for part in &self.parts {
            max = part.iter().flat_map(|t| &t.exponents).fold(max, |m, &e| m.max(e));
        }
        let layout = Layout::for_exponents(layout.variables.clone(), max);
        let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
        let mut row = vec![0; layout.n_variables()];
        for (e, part) in self.parts.iter().enumerate() {
            for term in part.iter().filter(|t| !t.value.is_zero()) {
                row[self.main] = e as u32;
                for (&k, &f) in self.order.iter().zip(&term.exponents) {
                    row[k] = f;
                }
                layout.pack(&row, &mut monomials);
                coefficients.push(term.value.clone());
            }
        }
        Polynomial::from_unsorted(layout, monomials, coefficients, Integer::ONE)
    }

    /// Chinese remaindering: both have the same monomials, `next` is known modulo the prime.
    pub fn combine(mut known: Interpolated, next: Vec<Vec<u64>>, field: &PrimeField) -> Interpolated {
        let p = Integer::from(field.modulus() as i64);
        let inverse = field.inverse(field.residue(&known.modulus));
        let modulus = &known.modulus * &p;
        let half = modulus.div_rem(&Integer::from(2)).0;
        for (part, values) in known.parts.iter_mut().zip(next) {
            for (term, value) in part.iter_mut().zip(values) {
                let difference = field.sub(value, field.residue(&term.value));
                let step = field.leave(field.mul(difference, inverse));
                let mut sum = &term.value + &(&known.modulus * &Integer::from_big(IBig::from(step)));
                if sum > half {
                    sum = &sum - &modulus;
                }
                term.value = sum;
            }
        }
        known.modulus = modulus;
        known
    }
}

/// H modulo one prime, from nothing. `None` is bad luck.
pub(super) fn interpolate(
    cx: &Budget,
    images: &Images,
    leading: &Residues,
    main: usize,
    field: &PrimeField,
    random: &mut Sequence,
) -> Budgeted<Option<Interpolated>> {
    let degree = images.bounds[main] as usize;
    let mut order: Vec<usize> = (0..images.a.n_variables).filter(|&k| k != main).collect();
    // High degrees first, while there are few monomials.
    order.sort_by_key(|&k| std::cmp::Reverse(images.bounds[k]));
    let mut walkers = [&images.a, &images.b, leading].map(|r| Walker::new(r, main, &order, &images.point, field));
    let scale = walkers[2].value_at_point(field);
    if scale == 0 {
        return Ok(None);
    }
    let mut betas = Vec::new();
    let mut parts: Parts = images.gcds[main].iter().map(|&c| vec![(SmallVec::new(), field.mul(c, scale))]).collect();
    for part in &mut parts {
        part.retain(|(_, c)| *c != 0);
    }
    for (level, &k) in order.iter().enumerate() {
        cx.check()?;
        let bound = (images.bounds[k] + leading.degrees[k]) as usize;
        let beta = random.residue(field);
        for walker in &mut walkers {
            walker.enter_level(level);
        }
        let lead = walkers[2].partial_terms(level + 1, field);
        match lift(cx, &parts, degree, bound, &betas, images.point[k], &mut walkers, field, random)? {
            Some(next) => parts = next,
            None => return Ok(None),
        }
        parts[degree] = lead;
        for walker in &mut walkers {
            walker.leave_level(level, beta, field);
        }
        betas.push(beta);
    }
    let symmetric = |c: u64| Integer::from(field.symmetric(c));
    let parts = parts
        .into_iter()
        .map(|part| part.into_iter().map(|(exponents, c)| Term { exponents, value: symmetric(c) }).collect())
        .collect();
    Ok(Some(Interpolated { main, order, parts, modulus: Integer::from(field.modulus() as i64) }))
}

/// From level k−1 to level k: values at `bound` further points of xₖ, then interpolation in xₖ. The leading
/// coefficient is known and left out.
#[allow(clippy::too_many_arguments)]
fn lift(
    cx: &Budget,
    parts: &Parts,
    degree: usize,
    bound: usize,
    betas: &[u64],
    known_point: u64,
    walkers: &mut [Walker<'_>; 3],
    field: &PrimeField,
    random: &mut Sequence,
) -> Budgeted<Option<Parts>> {
    let Some(systems) = systems(&parts[..degree], betas, field) else { return Ok(None) };
    let n_images = parts[..degree].iter().map(Vec::len).max().unwrap_or(0);
    let mut points = vec![known_point];
    points.extend((0..bound).map(|_| random.residue(field)));
    let Some(interpolation) = Vandermonde::new(&points, false, field) else { return Ok(None) };
    // values[t][e][j]
    let mut values = vec![vec![Vec::with_capacity(n_images); degree]; bound];
    let mut tables = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..n_images {
        cx.check()?;
        for (walker, table) in walkers.iter_mut().zip(&mut tables) {
            walker.step(table, field);
        }
        for (t, &point) in points[1..].iter().enumerate() {
            let univariate = |i: usize| -> Option<Vec<u64>> {
                let rows = tables[i].chunks(walkers[i].width);
                let c: Vec<u64> = rows.map(|row| field.horner(row, point)).collect();
                (*c.last()? != 0).then_some(c)
            };
            let (Some(a), Some(b), Some(l)) = (univariate(0), univariate(1), univariate(2)) else { return Ok(None) };
            let g = dense::gcd(a, b, field);
            if g.len() != degree + 1 {
                return Ok(None);
            }
            for (list, &c) in values[t].iter_mut().zip(&g) {
                list.push(field.mul(c, l[0]));
            }
        }
    }
    let mut lifted: Parts = vec![Vec::new(); degree + 1];
    for (e, part) in parts[..degree].iter().enumerate() {
        let Some(system) = &systems[e] else { continue };
        let solutions: Vec<Vec<u64>> =
            (0..bound).map(|t| system.solve_transposed(|j| values[t][e][j], field)).collect();
        let mut column = vec![0; bound + 1];
        for (s, (exponents, value)) in part.iter().enumerate() {
            column[0] = *value;
            for (t, solution) in solutions.iter().enumerate() {
                column[t + 1] = solution[s];
            }
            for (f, c) in interpolation.interpolate(&column, field).into_iter().enumerate() {
                if c != 0 {
                    let mut exponents = exponents.clone();
                    exponents.push(f as u32);
                    lifted[e].push((exponents, c));
                }
            }
        }
    }
    debug_assert!(lifted.iter().flatten().all(|(m, _)| m.len() == betas.len() + 1));
    Ok(Some(lifted))
}

/// The coefficients of H modulo a further prime, its monomials being known. `None` is bad luck.
pub(super) fn interpolate_again(
    cx: &Budget,
    a: &Polynomial,
    b: &Polynomial,
    leading: &Polynomial,
    known: &Interpolated,
    main: usize,
    field: &PrimeField,
    random: &mut Sequence,
) -> Budgeted<Option<Vec<Vec<u64>>>> {
    let layout = a.layout();
    let order = &known.order;
    let betas: Vec<u64> = order.iter().map(|_| random.residue(field)).collect();
    let parts: Parts = known.parts.iter().map(|p| p.iter().map(|t| (t.exponents.clone(), 0)).collect()).collect();
    let degree = parts.len() - 1;
    let Some(systems) = systems(&parts, &betas, field) else { return Ok(None) };
    let n_images = parts.iter().map(Vec::len).max().unwrap_or(0);
    // The sources with their terms' values at β and the running products.
    let mut sources = Vec::new();
    for p in [a, b, leading] {
        let residues = Residues::new(p, layout, field);
        let powers: Vec<Vec<u64>> =
            order.iter().zip(&betas).map(|(&k, &beta)| field.powers(beta, residues.degrees[k] as usize)).collect();
        let node = |(row, _): (&[u32], u64)| {
            order.iter().zip(&powers).fold(field.one(), |v, (&k, table)| field.mul(v, table[row[k] as usize]))
        };
        let nodes: Vec<u64> = residues.rows().map(node).collect();
        let running = residues.coefficients.clone();
        sources.push((residues, nodes, running));
    }
    let mut values: Vec<Vec<u64>> = vec![Vec::with_capacity(n_images); degree + 1];
    for _ in 0..n_images {
        cx.check()?;
        let mut images: SmallVec<[Vec<u64>; 3]> = SmallVec::new();
        for (residues, nodes, running) in &mut sources {
            let mut image = vec![0; residues.degrees[main] as usize + 1];
            for (i, (r, &w)) in running.iter_mut().zip(nodes.iter()).enumerate() {
                *r = field.mul(*r, w);
                let e = residues.exponents[i * residues.n_variables + main] as usize;
                image[e] = field.add(image[e], *r);
            }
            if image.last() == Some(&0) {
                return Ok(None);
            }
            images.push(image);
        }
        let [a, b, l] = images.into_inner().expect("three sources");
        let g = dense::gcd(a, b, field);
        if g.len() != degree + 1 {
            return Ok(None);
        }
        for (list, &c) in values.iter_mut().zip(&g) {
            list.push(field.mul(c, l[0]));
        }
    }
    let solve = |(e, system): (usize, &Option<Vandermonde>)| match system {
        Some(system) => system.solve_transposed(|j| values[e][j], field),
        None => Vec::new(),
    };
    Ok(Some(systems.iter().enumerate().map(solve).collect()))
}
