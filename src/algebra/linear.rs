//! Matrices of expressions.
//!
//! Elimination works on polynomials in the generators of [`super::normal`]: denominators are cleared row by
//! row, rows are combined without division and made primitive. Which entry may be a pivot is decided by a
//! zero test; an entry that could not be decided is never a pivot.
//!
//! A symbolic rank is *generic*: it holds where one minor of that size does not vanish, and that minor is
//! recorded as a condition, factor by factor ([`super::conditions`]). The pivots met on the way are not
//! conditions: by Cramer's rule the results are quotients of minors, with this one below. The rank *at a
//! point* is the rank of the matrix of values there ([`Matrix::rank_at`]).
//!
//! Elimination is in [`eliminate`], definiteness and LDLᵀ in [`definite`], eigenvalues in [`spectrum`].

pub mod definite;
pub mod eliminate;
pub mod spectrum;

use super::decide;
use super::expr::Expr;
use super::generator::{Generator, reduce};
use super::normal::{Context, NormalForm, canonical_fraction, write::polynomial_expr};
use super::number::Rational;
use super::polynomial::Polynomial;
use super::substitute::substitute_all;
use super::symbol::Symbol;
use super::verdict::Verdict;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;
use std::ops::{Index, IndexMut};

/// A rectangular array of expressions, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<Expr>,
}

impl Matrix {
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> Expr) -> Matrix {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        Matrix { rows, columns, entries: places.map(|(i, j)| entry(i, j)).collect() }
    }

    /// From rows of equal length, at least one.
    pub fn from_rows(rows: Vec<Vec<Expr>>) -> Matrix {
        let columns = rows.first().map_or(0, Vec::len);
        Matrix::with_columns(rows, columns)
    }

    /// From rows of this length; there may be none.
    pub fn with_columns(rows: Vec<Vec<Expr>>, columns: usize) -> Matrix {
        debug_assert!(rows.iter().all(|r| r.len() == columns));
        Matrix { rows: rows.len(), columns, entries: rows.concat() }
    }

    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |_, _| Expr::zero())
    }

    pub fn identity(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| if i == j { Expr::one() } else { Expr::zero() })
    }

    pub fn diagonal(entries: &[Expr]) -> Matrix {
        Matrix::from_fn(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { Expr::zero() })
    }

    pub fn n_rows(&self) -> usize {
        self.rows
    }

    pub fn n_columns(&self) -> usize {
        self.columns
    }

    pub fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// Row by row.
    pub fn entries(&self) -> impl Iterator<Item = Expr> + '_ {
        self.entries.iter().copied()
    }

    pub fn row(&self, i: usize) -> &[Expr] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub fn column(&self, j: usize) -> Vec<Expr> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    pub fn to_rows(&self) -> Vec<Vec<Expr>> {
        (0..self.rows).map(|i| self.row(i).to_vec()).collect()
    }

    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// Each entry replaced.
    pub fn map(&self, entry: impl Fn(Expr) -> Expr) -> Matrix {
        Matrix { entries: self.entries.iter().map(|e| entry(*e)).collect(), ..*self }
    }

    pub fn try_map<E>(&self, entry: impl Fn(Expr) -> Result<Expr, E>) -> Result<Matrix, E> {
        Ok(Matrix { entries: self.entries.iter().map(|e| entry(*e)).collect::<Result<_, E>>()?, ..*self })
    }

    /// The rows and columns with these numbers, in this order.
    pub fn minor(&self, rows: &[usize], columns: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), columns.len(), |i, j| self[(rows[i], columns[j])])
    }

    /// Rows and columns that have to do with each other, as far as written zeros tell: the matrix is block diagonal in them. A row or a
    /// column of zeros is a block of its own.
    pub fn blocks(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let (mut rows_left, mut columns_left) = (vec![true; self.rows], vec![true; self.columns]);
        let mut found = Vec::new();
        for start in 0..self.rows {
            if !std::mem::take(&mut rows_left[start]) {
                continue;
            }
            let (mut rows, mut columns, mut next) = (vec![start], Vec::new(), 0);
            while let Some(i) = rows.get(next).copied() {
                next += 1;
                for j in 0..self.columns {
                    if self[(i, j)] == Expr::zero() || !std::mem::take(&mut columns_left[j]) {
                        continue;
                    }
                    columns.push(j);
                    let meets = |k: &usize| self[(*k, j)] != Expr::zero();
                    let met: Vec<usize> = (0..self.rows).filter(|k| rows_left[*k]).filter(meets).collect();
                    met.iter().for_each(|k| rows_left[*k] = false);
                    rows.extend(met);
                }
            }
            rows.sort_unstable();
            columns.sort_unstable();
            found.push((rows, columns));
        }
        found.extend((0..self.columns).filter(|j| columns_left[*j]).map(|j| (vec![], vec![j])));
        found
    }

    /// The columns of `other` to the right of these.
    pub fn beside(&self, other: &Matrix) -> Matrix {
        debug_assert_eq!(self.rows, other.rows);
        Matrix::from_fn(self.rows, self.columns + other.columns, |i, j| {
            if j < self.columns { self[(i, j)] } else { other[(i, j - self.columns)] }
        })
    }

    /// The rows of `other` below these.
    pub fn above(&self, other: &Matrix) -> Matrix {
        debug_assert_eq!(self.columns, other.columns);
        let entries = self.entries.iter().chain(&other.entries).copied().collect();
        Matrix { rows: self.rows + other.rows, columns: self.columns, entries }
    }

    pub fn mul(&self, other: &Matrix) -> Matrix {
        debug_assert_eq!(self.columns, other.rows);
        Matrix::from_fn(self.rows, other.columns, |i, j| {
            Expr::add_all((0..self.columns).map(|k| self[(i, k)] * other[(k, j)]))
        })
    }

    pub fn mul_vector(&self, v: &[Expr]) -> Vec<Expr> {
        debug_assert_eq!(self.columns, v.len());
        (0..self.rows).map(|i| Expr::add_all(self.row(i).iter().zip(v).map(|(a, x)| *a * *x))).collect()
    }

    pub fn add(&self, other: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, self.columns, |i, j| self[(i, j)] + other[(i, j)])
    }

    pub fn sub(&self, other: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, self.columns, |i, j| self[(i, j)] - other[(i, j)])
    }

    pub fn scale(&self, by: Expr) -> Matrix {
        self.map(|e| e * by)
    }

    /// Each entry simplified.
    pub fn simplify(&self, cx: &Inquiry) -> Budgeted<Matrix> {
        self.try_map(|x| super::normal::simplify(cx, x))
    }

    pub fn substitute(&self, map: &FxHashMap<Symbol, Expr>) -> Matrix {
        Matrix { entries: substitute_all(&self.entries, map), ..*self }
    }

    /// The matrix of values at a point; what the point does not mention stays.
    pub fn at(&self, point: &FxHashMap<Symbol, Rational>) -> Matrix {
        self.substitute(&point.iter().map(|(s, n)| (*s, Expr::number(n.clone()))).collect())
    }

    /// All entries vanish.
    pub fn is_zero(&self, cx: &Inquiry) -> Verdict {
        Verdict::all(self.entries.iter().map(|e| decide::is_zero(cx, *e)), "it has no entries")
    }

    pub fn is_symmetric(&self, cx: &Inquiry) -> Verdict {
        if !self.is_square() {
            return Verdict::no("it is not square");
        }
        let pairs = (0..self.rows).flat_map(|i| (0..i).map(move |j| (i, j)));
        Verdict::all(pairs.map(|(i, j)| decide::equal(cx, self[(i, j)], self[(j, i)])), "it is one by one")
    }

    /// The determinant of a square matrix, as a factored normal form.
    pub fn det(&self, cx: &Inquiry) -> Budgeted<Expr> {
        debug_assert!(self.is_square());
        if self.rows == 0 {
            return Ok(Expr::one());
        }
        let (mut below, rows) = match self.polynomial_rows(cx)? {
            Some(found) => found,
            None => return Ok(self.undefined_entry(cx)),
        };
        let mut form = NormalForm::polynomial(cx, determinant(cx, &rows)?)?;
        for d in below.drain(..) {
            form = form.div(cx, &NormalForm::polynomial(cx, d)?)?;
        }
        Ok(form.cancel(cx)?.to_expr(cx))
    }

    /// The leading principal minors, from 1×1 to the determinant.
    pub fn leading_minors(&self, cx: &Inquiry) -> Budgeted<Vec<Expr>> {
        let n = self.rows.min(self.columns);
        let indices: Vec<usize> = (0..n).collect();
        (1..=n).map(|k| self.minor(&indices[..k], &indices[..k]).det(cx)).collect()
    }

    /// The matrix of cofactors, transposed: A·adj(A) = det(A)·1.
    pub fn adjugate(&self, cx: &Inquiry) -> Budgeted<Matrix> {
        debug_assert!(self.is_square());
        let n = self.rows;
        let mut result = Matrix::zero(n, n);
        for i in 0..n {
            for j in 0..n {
                let rows: Vec<usize> = (0..n).filter(|k| *k != j).collect();
                let columns: Vec<usize> = (0..n).filter(|k| *k != i).collect();
                let cofactor = self.minor(&rows, &columns).det(cx)?;
                result[(i, j)] = if (i + j) % 2 == 0 { cofactor } else { -cofactor };
            }
        }
        Ok(result)
    }

    /// The row denominators and the rows multiplied by them, as polynomials in one context. `None` if
    /// an entry is undefined.
    #[allow(clippy::type_complexity)]
    fn polynomial_rows(&self, cx: &Inquiry) -> Budgeted<Option<(Vec<Polynomial>, Vec<Vec<Polynomial>>)>> {
        let context = Context::of(cx, &self.entries)?;
        let (mut below, mut rows) = (Vec::new(), Vec::new());
        for i in 0..self.rows {
            let mut fractions = Vec::with_capacity(self.columns);
            for e in self.row(i) {
                match canonical_fraction(cx, context, *e)? {
                    Some(fraction) => fractions.push(fraction),
                    None => return Ok(None),
                }
            }
            let mut common = Polynomial::one();
            for (_, d) in &fractions {
                if !d.is_one() {
                    common = common.lcm(cx, d)?;
                }
            }
            let mut row = Vec::with_capacity(self.columns);
            for (n, d) in fractions {
                let factor = if common.is_one() { None } else { common.div_exact(cx, &d)? };
                row.push(match factor {
                    Some(f) if !n.is_zero() => reduce(cx, n.mul(cx, &f)?)?,
                    _ => n,
                });
            }
            below.push(common);
            rows.push(row);
        }
        Ok(Some((below, rows)))
    }

    /// The first entry without a value.
    fn undefined_entry(&self, cx: &Inquiry) -> Expr {
        let undefined = |e: &&Expr| super::normal::normal_form(cx, **e).is_ok_and(|f| f.as_undefined().is_some());
        let why =
            self.entries.iter().find(undefined).and_then(|e| super::normal::normal_form(cx, *e).ok()?.as_undefined());
        Expr::undefined(why.unwrap_or(super::expr::Undefined::DivisionByZero))
    }
}

/// Up to this size determinants are expanded by minors; above, Bareiss' elimination divides exactly.
const MAX_BY_MINORS: usize = 10;

/// The determinant of a square array of polynomials.
fn determinant(cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<Polynomial> {
    if rows.len() <= MAX_BY_MINORS { by_minors(cx, rows) } else { bareiss(cx, rows) }
}

/// Expansion along rows with every minor computed once: minors of the first k rows by their set of
/// columns. Needs no division, so it may reduce modulo the relations at every step.
fn by_minors(cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<Polynomial> {
    let n = rows.len();
    let mut minors: Vec<(u32, Polynomial)> = vec![(0, Polynomial::one())];
    for row in rows {
        let mut next: FxHashMap<u32, Polynomial> = FxHashMap::default();
        for (columns, minor) in &minors {
            for (j, entry) in row.iter().enumerate() {
                if columns >> j & 1 == 1 || entry.is_zero() {
                    continue;
                }
                cx.check()?;
                // Moving column j to the end passes the chosen columns right of it.
                let flip = (columns >> j).count_ones() % 2 == 1;
                let product = entry.mul(cx, minor)?;
                let sum = next.entry(columns | 1 << j).or_insert_with(Polynomial::zero);
                *sum = if flip { &*sum - &product } else { &*sum + &product };
            }
        }
        minors = Vec::with_capacity(next.len());
        for (columns, minor) in next {
            let minor = reduce(cx, minor)?;
            if !minor.is_zero() {
                minors.push((columns, minor));
            }
        }
        minors.sort_by_key(|m| m.0);
    }
    debug_assert!(n <= MAX_BY_MINORS);
    Ok(minors.pop().map_or_else(Polynomial::zero, |m| m.1))
}

/// Bareiss' fraction-free elimination, in the ring of polynomials without relations, where divisions are
/// exact; the result is reduced.
fn bareiss(cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<Polynomial> {
    let n = rows.len();
    let mut a: Vec<Vec<Polynomial>> = rows.to_vec();
    let mut previous = Polynomial::one();
    let mut negative = false;
    for k in 0..n - 1 {
        let pivot = (k..n).filter(|&i| !a[i][k].is_zero()).min_by_key(|&i| a[i][k].n_terms());
        let Some(pivot) = pivot else { return Ok(Polynomial::zero()) };
        if pivot != k {
            a.swap(pivot, k);
            negative = !negative;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                cx.check()?;
                let cross = &a[i][j].mul(cx, &a[k][k])? - &a[i][k].mul(cx, &a[k][j])?;
                a[i][j] = cross.div_exact(cx, &previous)?.ok_or(Exhausted::Size)?;
            }
        }
        previous = a[k][k].clone();
    }
    let d = reduce(cx, a[n - 1][n - 1].clone())?;
    Ok(if negative { -&d } else { d })
}

/// Records that a polynomial must not vanish, factor by factor; factors that never vanish are left out.
/// Returns the recorded factors.
fn record_factors(cx: &Inquiry, p: &Polynomial) -> Vec<Expr> {
    let mut factors: Vec<Expr> = p.monomial_content().iter().map(|&(g, _)| Generator(g).meaning()).collect();
    let rest = p.without_monomial(&p.monomial_content());
    if !rest.is_constant() {
        if rest.n_terms() <= 100 {
            factors.extend(super::factor::factor(cx, &rest).factors.iter().map(|(q, _)| polynomial_expr(q)));
        } else {
            factors.push(polynomial_expr(&rest.primitive_part()));
        }
    }
    factors.retain(|e| !decide::sign(cx, *e).is_nonzero());
    for e in &factors {
        super::conditions::record_nonzero(cx, *e);
    }
    factors
}

impl Index<(usize, usize)> for Matrix {
    type Output = Expr;
    fn index(&self, (i, j): (usize, usize)) -> &Expr {
        &self.entries[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Expr {
        &mut self.entries[i * self.columns + j]
    }
}

#[cfg(test)]
mod tests;
