//! Factorisation of multivariate integer polynomials: evaluate, factor in one variable, lift.
//!
//! With x the main variable and α a point of small primes, f(x, α) is factored over ℤ. If it is irreducible, so
//! is f. Otherwise every true factor of f reduces at α to a product of the univariate factors, and for most
//! α (Hilbert's irreducibility theorem) to exactly one. The leading coefficients of the factors are found by
//! Wang's trick: lcₓ(f) is factored, and distinct prime divisors of the values of its factors at α tell to
//! which univariate factor they belong. The remaining variables are then restored one at a time as in
//! sparse gcds: at each of as many points as a coefficient has terms, the factors in (x, xₖ) follow by Hensel
//! lifting in xₖ − αₖ, and transposed Vandermonde systems give the coefficients (Monagan–Tuncer;
//! Chen–Monagan). The answer is proved: its product is f, and each factor has an irreducible image at α of the same
//! degree in x, hence is irreducible.

use super::residues::by_degree;
use super::univariate::{self, DegreeSet};
use super::{Factorisation, factor};
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::polynomial::interpolation::{Part, Parts, Residues, Walker, nodes, systems};
use crate::algebra::polynomial::modular::{PrimeField, Sequence, dense, is_prime};
use crate::algebra::polynomial::packed::Layout;
use crate::budget::Budget;
use crate::budget::Budgeted;
use dashu_int::IBig;
use dashu_int::ops::{Abs, DivRem, Gcd};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Points tried before giving up.
const MAX_ROUNDS: usize = 60;

/// A squarefree polynomial, primitive in its main variable, of degree at least 2 in it.
struct Problem<'a> {
    f: &'a Polynomial,
    /// Position of x, and of the others in the order in which they are restored.
    main: usize,
    order: Vec<usize>,
    /// lcₓ(f), factored.
    lead: Factorisation,
}

/// Values of the other variables for which f(x, α) keeps its degree and has no square.
struct Point {
    /// One number per variable; that of x is not used.
    values: Vec<i64>,
    /// The irreducible factors of f(x, α).
    factors: Vec<Vec<IBig>>,
    /// For each of them, the exponents of the factors of the leading coefficient.
    leads: Option<Vec<Vec<u32>>>,
}

/// The irreducible factors of f; `None` if no point was found that splits f as f splits.
pub(super) fn irreducible(cx: &Budget, f: &Polynomial, main: usize) -> Budgeted<Option<Vec<Polynomial>>> {
    let mut random = Sequence::new(0x6865_6e73_656c);
    if is_irreducible_by_degrees(cx, f, main, &mut random)? {
        return Ok(Some(vec![f.clone()]));
    }
    let degrees = f.degrees();
    let mut order: Vec<usize> = (0..degrees.len()).filter(|&k| k != main).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(degrees[k]));
    let lead = factor(cx, &f.leading_coefficient_in(f.variables()[main]));
    if !lead.complete {
        return Ok(None);
    }
    let problem = Problem { f, main, order, lead };
    let mut best: Option<Point> = None;
    let mut usable = 0;
    for round in 0..MAX_ROUNDS {
        cx.check()?;
        let Some(point) = problem.point(cx, round, &mut random)? else { continue };
        if point.factors.len() == 1 {
            return Ok(Some(vec![f.clone()]));
        }
        usable += 1;
        let better = |b: &Point| (point.factors.len(), point.leads.is_none()) < (b.factors.len(), b.leads.is_none());
        if best.as_ref().is_none_or(better) {
            best = Some(point);
        }
        let enough = best.as_ref().is_some_and(|b| b.leads.is_some() && b.factors.len() == 2) || usable % 3 == 0;
        if enough
            && let Some(point) = best.take()
            && let Some(found) = problem.lift(cx, &point, &mut random)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Degrees of the factors of f(x, α) modulo several primes: often they leave only one factor.
fn is_irreducible_by_degrees(cx: &Budget, f: &Polynomial, main: usize, random: &mut Sequence) -> Budgeted<bool> {
    let degree = f.degree_in(f.variables()[main]) as usize;
    let mut possible = DegreeSet::all(degree);
    let mut p: u64 = 1 << 30;
    for _ in 0..6 {
        p -= 1;
        while !is_prime(p) {
            p -= 1;
        }
        let field = PrimeField::new(p);
        let residues = Residues::new(f, f.layout(), &field);
        let powers: Vec<Vec<u64>> =
            residues.degrees.iter().map(|&d| field.powers(random.residue(&field), d as usize)).collect();
        let mut image = vec![0; degree + 1];
        for (row, c) in residues.rows() {
            let mut value = c;
            for (k, &e) in row.iter().enumerate() {
                if e > 0 && k != main {
                    value = field.mul(value, powers[k][e as usize]);
                }
            }
            let at = &mut image[row[main] as usize];
            *at = field.add(*at, value);
        }
        if image[degree] == 0 {
            continue;
        }
        dense::make_monic(&mut image, &field);
        if dense::gcd(image.clone(), dense::derivative(&image, &field), &field).len() > 1 {
            continue;
        }
        let groups = by_degree(cx, &image, &field)?;
        possible.intersect(groups.iter().flat_map(|(d, g)| vec![*d; dense::degree(g) / d]));
        if possible.is_trivial() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Problem<'_> {
    /// Tries the round's point; `None` if it is not usable.
    fn point(&self, cx: &Budget, round: usize, random: &mut Sequence) -> Budgeted<Option<Point>> {
        let range = 24 + 12 * round as u64;
        let values: Vec<i64> = (0..self.f.variables().len())
            .map(|_| {
                let mut p = 3 + random.below(range);
                while !is_prime(p) {
                    p += 1;
                }
                if random.below(2) == 0 { p as i64 } else { -(p as i64) }
            })
            .collect();
        let image = self.univariate_at(&values);
        if image[image.len() - 1] == IBig::ZERO || !is_squarefree(&image) {
            return Ok(None);
        }
        let primitive = univariate::primitive(image.clone());
        let content = &image[image.len() - 1] / &primitive[primitive.len() - 1];
        let factors = univariate::irreducible(cx, &primitive)?;
        let leads = if factors.len() > 1 { self.distribute_leads(cx, &values, &content, &factors)? } else { None };
        Ok(Some(Point { values, factors, leads }))
    }

    /// f(x, α) over ℤ.
    fn univariate_at(&self, values: &[i64]) -> Vec<IBig> {
        let degrees = self.f.degrees();
        let powers: Vec<Vec<IBig>> = degrees
            .iter()
            .zip(values)
            .map(|(&d, &v)| {
                let mut list = vec![IBig::ONE];
                for e in 0..d as usize {
                    list.push(&list[e] * v);
                }
                list
            })
            .collect();
        let n = degrees.len();
        let mut out = vec![IBig::ZERO; degrees[self.main] as usize + 1];
        for (row, c) in self.f.exponent_rows().chunks(n).zip(self.f.integer_coefficients()) {
            let mut value = c.to_big();
            for (k, &e) in row.iter().enumerate() {
                if k != self.main && e > 0 {
                    value *= &powers[k][e as usize];
                }
            }
            out[row[self.main] as usize] += value;
        }
        out
    }

    /// Wang's distribution: how often each factor of lcₓ(f) divides the leading coefficient of each factor.
    fn distribute_leads(
        &self,
        cx: &Budget,
        values: &[i64],
        content: &IBig,
        factors: &[Vec<IBig>],
    ) -> Budgeted<Option<Vec<Vec<u32>>>> {
        let mut point = Vec::new();
        for (k, &v) in self.f.variables().iter().enumerate() {
            point.push((v, Rational::from(values[k])));
        }
        let mut at_point = Vec::new();
        for (l, _) in &self.lead.factors {
            let value = l.evaluate_at(cx, &point)?.expect("all variables have values");
            at_point.push(value.numerator().to_big().abs());
        }
        // Parts of the values that no other value, the unit or the content shares.
        let unit = self.lead.unit.numerator().to_big();
        let mut distinct = vec![(unit * content).abs()];
        for value in &at_point {
            let mut own = value.clone();
            for other in distinct.iter().rev() {
                let mut common = other.clone();
                while common != IBig::ONE && own != IBig::ZERO {
                    common = IBig::from((&common).gcd(&own));
                    own /= &common;
                }
            }
            if own <= IBig::ONE {
                return Ok(None);
            }
            distinct.push(own);
        }
        let mut used = vec![0u32; at_point.len()];
        let mut leads = Vec::new();
        for u in factors {
            let mut rest = &u[u.len() - 1] * content;
            let mut exponents = vec![0u32; at_point.len()];
            for i in (0..at_point.len()).rev() {
                while (&rest).div_rem(&distinct[i + 1]).1 == IBig::ZERO {
                    let (q, r) = (&rest).div_rem(&at_point[i]);
                    if r != IBig::ZERO {
                        return Ok(None);
                    }
                    rest = q;
                    exponents[i] += 1;
                    used[i] += 1;
                }
            }
            leads.push(exponents);
        }
        let expected = self.lead.factors.iter().map(|(_, e)| *e);
        Ok(used.into_iter().eq(expected).then_some(leads))
    }

    /// From the factors at a point to factors of f, or `None`.
    fn lift(&self, cx: &Budget, point: &Point, random: &mut Sequence) -> Budgeted<Option<Vec<Polynomial>>> {
        let x = self.f.variables()[self.main];
        let n = point.factors.len();
        let unit = self.lead.unit.clone();
        // Without known leading coefficients every factor gets that of f, and f the missing powers.
        let monic_lead = self.lead.monic_product(cx)?;
        let (target, leads) = match &point.leads {
            Some(exponents) => {
                let mut leads = Vec::new();
                for exponents in exponents {
                    let mut lead = Polynomial::one();
                    for ((l, _), &e) in self.lead.factors.iter().zip(exponents) {
                        lead = lead.mul(cx, &l.pow(cx, e)?)?;
                    }
                    leads.push(lead);
                }
                (self.f.clone(), leads)
            }
            None => (self.f.mul(cx, &monic_lead.pow(cx, n as u32 - 1)?)?, vec![monic_lead; n]),
        };
        let mut known: Option<Known> = None;
        for prime in 0.. {
            cx.check()?;
            let field = PrimeField::nth(prime);
            let unit_residue = field.residue(unit.numerator());
            if unit_residue == 0 {
                continue;
            }
            let Some(parts) = self.lift_modulo(cx, &target, &leads, point, unit_residue, &field, random)? else {
                return Ok(None);
            };
            let next = match known.take() {
                None => Known::new(self, &parts, &field),
                Some(known) => match known.combine(self, &parts, &field) {
                    Some(next) => next,
                    // The numbers no longer change and still are not factors.
                    None => return Ok(None),
                },
            };
            if let Some(found) = self.verify(cx, &next.polynomials(self.f.layout()), x)? {
                return Ok(Some(found));
            }
            known = Some(next);
        }
        Ok(None)
    }

    fn verify(&self, cx: &Budget, candidates: &[Polynomial], x: u32) -> Budgeted<Option<Vec<Polynomial>>> {
        let mut rest = self.f.clone();
        let mut found = Vec::new();
        for candidate in candidates {
            if candidate.is_zero() {
                return Ok(None);
            }
            let g = candidate.primitive_part().primitive_part_in(cx, x)?;
            match rest.div_exact(cx, &g)? {
                Some(quotient) => rest = quotient,
                None => return Ok(None),
            }
            found.push(g);
        }
        Ok(rest.is_constant().then_some(found))
    }

    /// All variables restored modulo one prime: for each factor its terms by powers of x, times the unit of the
    /// leading coefficient.
    fn lift_modulo(
        &self,
        cx: &Budget,
        target: &Polynomial,
        leads: &[Polynomial],
        point: &Point,
        unit: u64,
        field: &PrimeField,
        random: &mut Sequence,
    ) -> Budgeted<Option<Vec<Parts>>> {
        let layout = target.layout();
        let alpha: Vec<u64> = point.values.iter().map(|&v| field.residue_of(v)).collect();
        let mut f = Residues::new(target, layout, field);
        let inverse_unit = field.inverse(unit);
        for c in &mut f.coefficients {
            *c = field.mul(*c, inverse_unit);
        }
        let lead_residues: Vec<Residues> = leads.iter().map(|l| Residues::new(l, layout, field)).collect();
        let mut walker = Walker::new(&f, self.main, &self.order, &alpha, field);
        let mut lead_walkers: Vec<Walker> =
            lead_residues.iter().map(|l| Walker::new(l, self.main, &self.order, &alpha, field)).collect();
        // Univariate factors, scaled to the values of their leading coefficients.
        let mut factors: Vec<Parts> = Vec::new();
        for (u, lead) in point.factors.iter().zip(&lead_walkers) {
            let mut image: Vec<u64> = u.iter().map(|c| field.residue(&Integer::from_big(c.clone()))).collect();
            let value = lead.value_at_point(field);
            if image[image.len() - 1] == 0 || value == 0 {
                return Ok(None);
            }
            dense::make_monic(&mut image, field);
            let part = |c: &u64| {
                let c = field.mul(*c, value);
                if c == 0 { Vec::new() } else { vec![(SmallVec::new(), c)] }
            };
            factors.push(image.iter().map(part).collect());
        }
        let mut betas = Vec::new();
        for (level, &k) in self.order.iter().enumerate() {
            cx.check()?;
            walker.enter_level(level);
            for lead in &mut lead_walkers {
                lead.enter_level(level);
            }
            let Some(next) = restore(cx, &factors, &mut walker, &mut lead_walkers, &betas, alpha[k], field)? else {
                return Ok(None);
            };
            factors = next;
            let beta = random.residue(field);
            for (lead, factor) in lead_walkers.iter_mut().zip(&mut factors) {
                let top = factor.len() - 1;
                factor[top] = lead.partial_terms(level + 1, field);
                lead.leave_level(level, beta, field);
            }
            walker.leave_level(level, beta, field);
            betas.push(beta);
        }
        for term in factors.iter_mut().flatten().flatten() {
            term.1 = field.mul(term.1, unit);
        }
        Ok(Some(factors))
    }
}

fn is_squarefree(f: &[IBig]) -> bool {
    let field = PrimeField::nth(0);
    let mut image: Vec<u64> = f.iter().map(|c| field.residue(&Integer::from_big(c.clone()))).collect();
    dense::trim(&mut image);
    image.len() == f.len() && dense::gcd(image.clone(), dense::derivative(&image, &field), &field).len() == 1
}

/// One more variable: the factors at level k from those at level k − 1. The leading coefficients are left to
/// the caller.
fn restore(
    cx: &Budget,
    factors: &[Parts],
    walker: &mut Walker,
    leads: &mut [Walker],
    betas: &[u64],
    alpha: u64,
    field: &PrimeField,
) -> Budgeted<Option<Vec<Parts>>> {
    // The factors' terms with running products, as the walkers have them for f and the leading coefficients.
    let mut vandermondes = Vec::new();
    let mut running = Vec::new();
    let mut n_images = 1;
    for parts in factors {
        let below = &parts[..parts.len() - 1];
        let Some(systems) = systems(below, betas, field) else { return Ok(None) };
        vandermondes.push(systems);
        n_images = below.iter().map(Vec::len).fold(n_images, usize::max);
        let list = |part: &Part| -> (Vec<u64>, Vec<u64>) {
            (nodes(part, betas, field), part.iter().map(|(_, c)| *c).collect())
        };
        running.push(below.iter().map(list).collect::<Vec<_>>());
    }
    // values[factor][power of x][power of xₖ][image]
    let mut values: Vec<Vec<Vec<Vec<u64>>>> = factors.iter().map(|parts| vec![Vec::new(); parts.len() - 1]).collect();
    let mut table = Vec::new();
    for image in 0..n_images {
        cx.check()?;
        walker.step(&mut table, field);
        let width = walker.width;
        // f in powers of y = xₖ − αₖ: by_y[j] is a polynomial in x.
        let mut by_y = vec![vec![0; walker.height]; width];
        for (e, row) in table.chunks_mut(width).enumerate() {
            taylor_shift(row, alpha, field);
            for (j, &c) in row.iter().enumerate() {
                by_y[j][e] = c;
            }
        }
        let mut lead_tables = Vec::new();
        for lead in leads.iter_mut() {
            let mut row = Vec::new();
            lead.step(&mut row, field);
            taylor_shift(&mut row, alpha, field);
            lead_tables.push(row);
        }
        let mut images: Vec<Vec<u64>> = Vec::new();
        for (lists, lead) in running.iter_mut().zip(&lead_tables) {
            let mut univariate: Vec<u64> = lists
                .iter_mut()
                .map(|(nodes, values)| {
                    let mut sum = 0;
                    for (v, &w) in values.iter_mut().zip(nodes.iter()) {
                        *v = field.mul(*v, w);
                        sum = field.add(sum, *v);
                    }
                    sum
                })
                .collect();
            univariate.push(lead[0]);
            images.push(univariate);
        }
        let Some(lifted) = hensel(cx, &by_y, &images, &lead_tables, field)? else { return Ok(None) };
        // Back to powers of xₖ.
        let minus_alpha = field.neg(alpha);
        for (value, coefficients) in values.iter_mut().zip(lifted) {
            for (e, slots) in value.iter_mut().enumerate() {
                let mut column: Vec<u64> = coefficients.iter().map(|c| c.get(e).copied().unwrap_or(0)).collect();
                taylor_shift(&mut column, minus_alpha, field);
                dense::trim(&mut column);
                if slots.len() < column.len() {
                    slots.resize(column.len(), vec![0; image]);
                }
                for (j, slot) in slots.iter_mut().enumerate() {
                    slot.push(column.get(j).copied().unwrap_or(0));
                }
            }
        }
    }
    let mut restored = Vec::new();
    for ((parts, systems), value) in factors.iter().zip(&vandermondes).zip(&values) {
        let mut next: Parts = vec![Vec::new(); parts.len()];
        for (e, slots) in value.iter().enumerate() {
            let Some(system) = &systems[e] else {
                // No monomial was seen in this coefficient, so there must be none.
                if slots.iter().flatten().any(|&c| c != 0) {
                    return Ok(None);
                }
                continue;
            };
            for (j, slot) in slots.iter().enumerate() {
                let solution = system.solve_transposed(|i| slot[i], field);
                for ((monomial, _), c) in parts[e].iter().zip(solution) {
                    if c != 0 {
                        let mut monomial = monomial.clone();
                        monomial.push(j as u32);
                        next[e].push((monomial, c));
                    }
                }
            }
        }
        restored.push(next);
    }
    Ok(Some(restored))
}

/// The coefficients of p(y + a) in place of those of p.
fn taylor_shift(p: &mut [u64], a: u64, field: &PrimeField) {
    let n = p.len();
    for i in 0..n.saturating_sub(1) {
        for j in (i..n - 1).rev() {
            p[j] = field.add(p[j], field.mul(a, p[j + 1]));
        }
    }
}

/// Hensel lifting in one variable y: from f(x, 0) = ∏ uᵢ to f = ∏ Fᵢ with Fᵢ(x, 0) = uᵢ and given leading
/// coefficients. Polynomials in (x, y) are lists of polynomials in x by powers of y. `None` if there are no such Fᵢ.
fn hensel(
    cx: &Budget,
    f: &[Vec<u64>],
    images: &[Vec<u64>],
    leads: &[Vec<u64>],
    field: &PrimeField,
) -> Budgeted<Option<Vec<Vec<Vec<u64>>>>> {
    let n = images.len();
    // inverses[i]: the inverse of ∏_{l ≠ i} u_l modulo uᵢ, so that σᵢ = e·inverses[i] mod uᵢ solves Σ σᵢ ∏_{l≠i} u_l = e.
    let mut inverses = Vec::new();
    for i in 0..n {
        let mut others = vec![field.one()];
        for (l, u) in images.iter().enumerate() {
            if l != i {
                others = dense::mul(&others, u, field);
                dense::div_rem(&mut others, &images[i], field);
            }
        }
        let (g, s, _) = dense::extended_gcd(&others, &images[i], field);
        if g.len() != 1 {
            return Ok(None);
        }
        inverses.push(s);
    }
    let mut factors: Vec<Vec<Vec<u64>>> = images.iter().map(|u| vec![u.clone()]).collect();
    // prefix[i][j]: coefficient of yʲ in F₀⋯Fᵢ.
    let mut prefix: Vec<Vec<Vec<u64>>> = vec![Vec::new(); n];
    let mut product = factors[0][0].clone();
    prefix[0].push(product.clone());
    for i in 1..n {
        product = dense::mul(&product, &images[i], field);
        prefix[i].push(product.clone());
    }
    if product != trimmed(&f[0]) {
        return Ok(None);
    }
    for j in 1..f.len() {
        cx.check()?;
        for (i, factor) in factors.iter_mut().enumerate() {
            let mut guess = vec![0; images[i].len()];
            guess[images[i].len() - 1] = leads[i].get(j).copied().unwrap_or(0);
            dense::trim(&mut guess);
            factor.push(guess);
        }
        prefix[0].push(factors[0][j].clone());
        for i in 1..n {
            let mut sum = Vec::new();
            for a in 0..=j {
                let term = dense::mul(&prefix[i - 1][a], &factors[i][j - a], field);
                sum = dense::add(&sum, &term, field);
            }
            prefix[i].push(sum);
        }
        let error = dense::sub(&trimmed(&f[j]), &prefix[n - 1][j], field);
        if error.is_empty() {
            continue;
        }
        if error.len() >= prefix[n - 1][0].len() {
            return Ok(None);
        }
        let mut change: Vec<u64> = Vec::new();
        for i in 0..n {
            let mut sigma = dense::mul(&error, &inverses[i], field);
            dense::div_rem(&mut sigma, &images[i], field);
            let carried = dense::mul(&change, &images[i], field);
            change = if i == 0 {
                sigma.clone()
            } else {
                dense::add(&carried, &dense::mul(&prefix[i - 1][0], &sigma, field), field)
            };
            prefix[i][j] = dense::add(&prefix[i][j], &change, field);
            factors[i][j] = dense::add(&factors[i][j], &sigma, field);
        }
    }
    // The product agrees with f up to y^deg f; it is f exactly if its degree in y is not higher.
    let degree = |factor: &Vec<Vec<u64>>| factor.iter().rposition(|c| !c.is_empty()).unwrap_or(0);
    let exact = factors.iter().map(degree).sum::<usize>() < f.len();
    Ok(exact.then_some(factors))
}

fn trimmed(a: &[u64]) -> Vec<u64> {
    let mut out = a.to_vec();
    dense::trim(&mut out);
    out
}

/// Factors known modulo a product of primes, by rows of exponents.
struct Known {
    factors: Vec<BTreeMap<Vec<u32>, Integer>>,
    modulus: Integer,
}

impl Known {
    fn rows<'a>(problem: &'a Problem, parts: &'a Parts) -> impl Iterator<Item = (Vec<u32>, u64)> + 'a {
        parts.iter().enumerate().flat_map(move |(e, part)| {
            part.iter().map(move |(monomial, c)| {
                let mut row = vec![0; problem.order.len() + 1];
                row[problem.main] = e as u32;
                for (&k, &e) in problem.order.iter().zip(monomial) {
                    row[k] = e;
                }
                (row, *c)
            })
        })
    }

    fn new(problem: &Problem, parts: &[Parts], field: &PrimeField) -> Known {
        let read = |p| Known::rows(problem, p).map(|(row, c)| (row, Integer::from(field.symmetric(c)))).collect();
        Known { factors: parts.iter().map(read).collect(), modulus: Integer::from(field.modulus() as i64) }
    }

    /// Chinese remaindering; `None` if nothing changes.
    fn combine(mut self, problem: &Problem, parts: &[Parts], field: &PrimeField) -> Option<Known> {
        let inverse = field.inverse(field.residue(&self.modulus));
        let modulus = &self.modulus * &Integer::from(field.modulus() as i64);
        let half = modulus.div_rem(&Integer::from(2)).0;
        let mut changed = false;
        for (factor, parts) in self.factors.iter_mut().zip(parts) {
            let mut residues: BTreeMap<Vec<u32>, u64> = Known::rows(problem, parts).collect();
            for row in residues.keys() {
                if !factor.contains_key(row) {
                    factor.insert(row.clone(), Integer::ZERO);
                }
            }
            for (row, value) in factor.iter_mut() {
                let residue = residues.remove(row).unwrap_or(0);
                let step = field.mul(field.sub(residue, field.residue(value)), inverse);
                if step != 0 {
                    changed = true;
                    let step = Integer::from_big(IBig::from(field.leave(step)));
                    *value = &*value + &(&self.modulus * &step);
                    if *value > half {
                        *value = &*value - &modulus;
                    }
                }
            }
        }
        self.modulus = modulus;
        changed.then_some(self)
    }

    fn polynomials(&self, layout: &Layout) -> Vec<Polynomial> {
        let polynomial = |factor: &BTreeMap<Vec<u32>, Integer>| {
            let max = factor.keys().flatten().copied().max().unwrap_or(0);
            let wide = Layout::for_exponents(layout.variables.clone(), max);
            let (mut monomials, mut coefficients) = (Vec::new(), Vec::new());
            for (row, c) in factor.iter().rev().filter(|(_, c)| !c.is_zero()) {
                wide.pack(row, &mut monomials);
                coefficients.push(c.clone());
            }
            Polynomial::from_sorted(wide, monomials, coefficients, Integer::ONE)
        };
        self.factors.iter().map(polynomial).collect()
    }
}
