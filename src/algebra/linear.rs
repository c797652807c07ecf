//! Matrices of expressions.
//!
//! Elimination here is *generic*: a pivot is an entry that is not the zero function, and unless it is
//! known to vanish nowhere it is recorded as a condition of the result. So the rank computed from
//! [`Matrix::echelon`] is the rank away from the zeros of the recorded pivots; where it drops is a
//! matter of strata. At a point, where all entries are numbers, ranks are exact.

use super::assume::sign_of;
use super::conditions::record_nonzero;
use super::decide::is_zero;
use super::normal::simplify;
use super::{Expr, Rational, Verdict};
use crate::budget::{Budgeted, check};
use std::ops::{Index, IndexMut};

/// A rectangular array of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    rows: Vec<Vec<Expr>>,
    n_columns: usize,
}

/// A matrix in reduced row echelon form, generically.
pub struct Echelon {
    pub matrix: Matrix,
    /// Column of the leading 1 of each nonzero row.
    pub pivots: Vec<usize>,
    /// Whether an entry was passed over because it could not be decided whether it vanishes.
    pub undecided: Vec<Expr>,
}

/// Whether a symmetric matrix is definite, as far as the assumptions tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definiteness {
    Positive,
    Negative,
    Indefinite,
    /// Degenerate: the determinant vanishes identically.
    None,
    /// It depends on the signs of the minors.
    Conditions,
}

impl Definiteness {
    pub fn label(self) -> &'static str {
        match self {
            Definiteness::Positive => "positive",
            Definiteness::Negative => "negative",
            Definiteness::Indefinite => "indefinite",
            Definiteness::None => "none",
            Definiteness::Conditions => "conditions",
        }
    }
}

impl Matrix {
    /// All rows have the same length.
    pub fn from_rows(rows: Vec<Vec<Expr>>) -> Matrix {
        let n_columns = rows.first().map_or(0, Vec::len);
        debug_assert!(rows.iter().all(|r| r.len() == n_columns));
        Matrix { rows, n_columns }
    }

    /// A matrix that may have no rows.
    pub fn with_columns(rows: Vec<Vec<Expr>>, n_columns: usize) -> Matrix {
        debug_assert!(rows.iter().all(|r| r.len() == n_columns));
        Matrix { rows, n_columns }
    }

    pub fn identity(n: usize) -> Matrix {
        let row = |i| (0..n).map(|j| Expr::number(i64::from(i == j))).collect();
        Matrix::with_columns((0..n).map(row).collect(), n)
    }

    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    pub fn row(&self, i: usize) -> &[Expr] {
        &self.rows[i]
    }

    /// Row by row.
    pub fn entries(&self) -> impl Iterator<Item = Expr> + '_ {
        self.rows.iter().flatten().copied()
    }

    pub fn map(&self, f: impl Fn(Expr) -> Expr) -> Matrix {
        let rows = self.rows.iter().map(|r| r.iter().map(|e| f(*e)).collect()).collect();
        Matrix { rows, n_columns: self.n_columns }
    }

    pub fn try_map<E>(&self, f: impl Fn(Expr) -> Result<Expr, E>) -> Result<Matrix, E> {
        let row = |r: &Vec<Expr>| r.iter().map(|e| f(*e)).collect::<Result<Vec<_>, E>>();
        let rows = self.rows.iter().map(row).collect::<Result<Vec<_>, E>>()?;
        Ok(Matrix { rows, n_columns: self.n_columns })
    }

    pub fn transpose(&self) -> Matrix {
        let column = |j: usize| self.rows.iter().map(|r| r[j]).collect();
        Matrix::with_columns((0..self.n_columns).map(column).collect(), self.n_rows())
    }

    /// The sum of two matrices of one shape.
    pub fn add(&self, other: &Matrix) -> Matrix {
        let sum = |(a, b): (&Vec<Expr>, &Vec<Expr>)| a.iter().zip(b).map(|(x, y)| *x + *y).collect();
        Matrix { rows: self.rows.iter().zip(&other.rows).map(sum).collect(), n_columns: self.n_columns }
    }

    /// The product; the number of columns here is the number of rows there.
    pub fn mul(&self, other: &Matrix) -> Matrix {
        let entry = |r: &Vec<Expr>, j: usize| Expr::add_all(r.iter().zip(&other.rows).map(|(x, o)| *x * o[j]));
        let rows = self.rows.iter().map(|r| (0..other.n_columns).map(|j| entry(r, j)).collect()).collect();
        Matrix { rows, n_columns: other.n_columns }
    }

    /// The determinant of a square matrix, by Bareiss' fraction-free elimination: every division is exact.
    pub fn det(&self) -> Budgeted<Expr> {
        let n = self.n_rows();
        debug_assert_eq!(n, self.n_columns);
        let mut m = self.rows.clone();
        let mut sign = Rational::ONE;
        let mut previous = Expr::one();
        for k in 0..n {
            check()?;
            let Some(p) = (k..n).find(|&i| !is_zero(m[i][k]).is_yes()) else { return Ok(Expr::zero()) };
            if p != k {
                m.swap(p, k);
                sign = -&sign;
            }
            for i in k + 1..n {
                for j in k + 1..n {
                    // Exact by Sylvester's identity, so nothing is lost where the previous pivot vanishes.
                    let numerator = m[i][j] * m[k][k] - m[i][k] * m[k][j];
                    let (quotient, _) = super::conditions::collect(|| simplify(numerator / previous));
                    m[i][j] = quotient?;
                }
            }
            previous = m[k][k];
        }
        simplify(if n == 0 { Expr::one() } else { m[n - 1][n - 1].scale(&sign) })
    }

    /// The determinants of the upper left k×k blocks.
    pub fn leading_minors(&self) -> Budgeted<Vec<Expr>> {
        let block = |k: usize| Matrix::with_columns(self.rows[..k].iter().map(|r| r[..k].to_vec()).collect(), k);
        (1..=self.n_rows()).map(|k| block(k).det()).collect()
    }

    /// Sylvester's criterion for a symmetric matrix, under the assumptions that hold.
    pub fn definiteness(&self) -> Budgeted<Definiteness> {
        let minors = self.leading_minors()?;
        let Some(&det) = minors.last() else { return Ok(Definiteness::None) };
        if is_zero(det).is_yes() {
            return Ok(Definiteness::None);
        }
        let signs: Vec<_> = minors.iter().map(|m| sign_of(*m)).collect();
        if signs.iter().all(|s| s.is_positive()) {
            return Ok(Definiteness::Positive);
        }
        let alternates =
            |(i, s): (usize, &super::assume::Sign)| if i % 2 == 0 { s.is_negative() } else { s.is_positive() };
        if signs.iter().enumerate().all(alternates) {
            return Ok(Definiteness::Negative);
        }
        // A nonzero determinant of the wrong sign, or a negative even minor, excludes both.
        let even_negative = signs.iter().enumerate().any(|(i, s)| i % 2 == 1 && s.is_negative());
        let odd: Vec<_> = signs.iter().enumerate().filter(|(i, _)| i % 2 == 0).map(|(_, s)| s).collect();
        let mixed = odd.iter().any(|s| s.is_positive()) && odd.iter().any(|s| s.is_negative());
        if even_negative || mixed {
            return Ok(Definiteness::Indefinite);
        }
        Ok(Definiteness::Conditions)
    }

    /// Reduced row echelon form with generic pivots; those not known to vanish nowhere are recorded.
    pub fn echelon(&self) -> Budgeted<Echelon> {
        let mut m = self.rows.clone();
        let mut pivots = vec![];
        let mut undecided = vec![];
        let mut row = 0;
        for column in 0..self.n_columns {
            check()?;
            let mut best: Option<(usize, u8)> = None;
            for (i, candidate) in m.iter().enumerate().skip(row) {
                let e = candidate[column];
                let quality = match is_zero(e) {
                    Verdict::Yes(_) => continue,
                    Verdict::Unknown(_) => {
                        undecided.push(e);
                        continue;
                    }
                    Verdict::No(_) if e.is_number() => 0,
                    Verdict::No(_) if sign_of(e).is_nonzero() => 1,
                    Verdict::No(_) => 2,
                };
                if best.is_none_or(|(_, q)| quality < q) {
                    best = Some((i, quality));
                }
            }
            let Some((p, quality)) = best else { continue };
            m.swap(p, row);
            let pivot = m[row][column];
            if quality == 2 {
                record_nonzero(simplify(pivot)?);
            }
            for j in column..self.n_columns {
                m[row][j] = simplify(m[row][j] / pivot)?;
            }
            for i in 0..m.len() {
                let factor = m[i][column];
                if i == row || is_zero(factor).is_yes() {
                    m[i][column] = if i == row { m[i][column] } else { Expr::zero() };
                    continue;
                }
                for j in column..self.n_columns {
                    let value = m[i][j] - factor * m[row][j];
                    m[i][j] = simplify(value)?;
                }
            }
            pivots.push(column);
            row += 1;
            if row == m.len() {
                break;
            }
        }
        m.truncate(row);
        Ok(Echelon { matrix: Matrix::with_columns(m, self.n_columns), pivots, undecided })
    }

    /// A basis of {x : M x = 0}, generically.
    pub fn null_space(&self) -> Budgeted<Vec<Vec<Expr>>> {
        let e = self.echelon()?;
        let free = (0..self.n_columns).filter(|j| !e.pivots.contains(j));
        Ok(free
            .map(|j| {
                let mut x = vec![Expr::zero(); self.n_columns];
                x[j] = Expr::one();
                for (i, p) in e.pivots.iter().enumerate() {
                    x[*p] = -e.matrix[(i, j)];
                }
                x
            })
            .collect())
    }

    /// The inverse, generically; `None` when the determinant vanishes identically.
    pub fn inverse(&self) -> Budgeted<Option<Matrix>> {
        let n = self.n_rows();
        let rows = self
            .rows
            .iter()
            .enumerate()
            .map(|(i, r)| r.iter().copied().chain((0..n).map(|j| Expr::number(i64::from(i == j)))).collect());
        let e = Matrix::with_columns(rows.collect(), 2 * n).echelon()?;
        if e.pivots.len() < n || e.pivots.iter().enumerate().any(|(i, p)| i != *p) {
            return Ok(None);
        }
        Ok(Some(Matrix::with_columns(e.matrix.rows.iter().map(|r| r[n..].to_vec()).collect(), n)))
    }

    /// Exact reduced row echelon form of a matrix without symbols; `None` if an entry has some, or if it
    /// cannot be decided whether an entry vanishes.
    pub fn rref_of_numbers(&self) -> Option<Matrix> {
        if self.entries().any(|e| !e.is_number() && !e.symbols().is_empty()) {
            return None;
        }
        let (echelon, _) = super::conditions::collect(|| self.echelon());
        let echelon = echelon.ok()?;
        echelon.undecided.is_empty().then_some(echelon.matrix)
    }

    /// The rank of a matrix without symbols.
    pub fn rank_of_numbers(&self) -> Option<usize> {
        self.rref_of_numbers().map(|m| m.n_rows())
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = Expr;
    fn index(&self, (i, j): (usize, usize)) -> &Expr {
        &self.rows[i][j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Expr {
        &mut self.rows[i][j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::conditions;
    use crate::algebra::symbol::Symbol;

    fn matrix(rows: &[&[i64]]) -> Matrix {
        Matrix::from_rows(rows.iter().map(|r| r.iter().map(|n| Expr::number(*n)).collect()).collect())
    }

    #[test]
    fn determinant_and_inverse() {
        let m = matrix(&[&[2, 1, 3], &[0, 4, 1], &[5, 2, 2]]);
        assert_eq!(m.det().unwrap(), Expr::number(-43));
        let inverse = m.inverse().unwrap().unwrap();
        assert_eq!(m.mul(&inverse).map(|e| simplify(e).unwrap()), Matrix::identity(3));
        assert!(matrix(&[&[1, 2], &[2, 4]]).inverse().unwrap().is_none());
    }

    #[test]
    fn a_generic_pivot_is_recorded() {
        let x = Expr::symbol(Symbol::parameter("x"));
        let m = Matrix::from_rows(vec![vec![x, Expr::one()], vec![Expr::zero(), x]]);
        let (e, conditions) = conditions::collect(|| m.echelon().unwrap());
        assert_eq!(e.pivots, vec![0, 1]);
        assert_eq!(conditions, vec![x]);
        assert_eq!(m.det().unwrap(), x.pow(2));
    }

    #[test]
    fn ranks_at_points_are_exact() {
        assert_eq!(matrix(&[&[1, 2, 3], &[2, 4, 6], &[0, 0, 1]]).rank_of_numbers(), Some(2));
        let root = Expr::number(2).sqrt();
        let m = Matrix::from_rows(vec![vec![root, Expr::number(2)], vec![Expr::one(), root]]);
        assert_eq!(m.rank_of_numbers(), Some(1));
    }
}
