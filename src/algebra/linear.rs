use super::*;
use crate::budget::Budgeted;
#[derive(Clone)]
pub struct Matrix { rows: Vec<Vec<Expr>>, columns: usize }
impl Matrix {
    pub fn from_rows(rows: Vec<Vec<Expr>>) -> Matrix { let columns = rows.first().map_or(0, Vec::len); Matrix { rows, columns } }
    pub fn identity(n: usize) -> Matrix { Matrix::from_rows((0..n).map(|i| (0..n).map(|j| Expr::number((i == j) as i64)).collect()).collect()) }
    pub fn n_rows(&self) -> usize { self.rows.len() }
    pub fn n_columns(&self) -> usize { self.columns }
    pub fn entries(&self) -> impl Iterator<Item = Expr> + '_ { self.rows.iter().flatten().copied() }
    pub fn map(&self, f: impl Fn(Expr) -> Expr) -> Matrix { Matrix { rows: self.rows.iter().map(|r| r.iter().map(|e| f(*e)).collect()).collect(), columns: self.columns } }
    pub fn try_map<E>(&self, f: impl Fn(Expr) -> Result<Expr, E>) -> Result<Matrix, E> { Ok(Matrix { rows: self.rows.iter().map(|r| r.iter().map(|e| f(*e)).collect::<Result<Vec<_>, E>>()).collect::<Result<Vec<_>, E>>()?, columns: self.columns }) }
    pub fn add(&self, o: &Matrix) -> Matrix { Matrix::from_rows(self.rows.iter().zip(&o.rows).map(|(a, b)| a.iter().zip(b).map(|(x, y)| *x + *y).collect()).collect()) }
    pub fn mul(&self, o: &Matrix) -> Matrix { Matrix::from_rows(self.rows.iter().map(|r| (0..o.columns).map(|j| Expr::add_all(r.iter().enumerate().map(|(k, x)| *x * o.rows[k][j]))).collect()).collect()) }
    pub fn det(&self) -> Budgeted<Expr> { Ok(Expr::zero()) }
    pub fn leading_minors(&self) -> Budgeted<Vec<Expr>> { Ok(vec![]) }
    pub fn definiteness(&self) -> Budgeted<D> { Ok(D) }
    pub fn rank_of_numbers(&self) -> Option<usize> { None }
    pub fn rref_of_numbers(&self) -> Option<Matrix> { None }
}
pub struct D; impl D { pub fn label(&self) -> &'static str { "none" } }
impl std::ops::Index<(usize, usize)> for Matrix { type Output = Expr; fn index(&self, (i, j): (usize, usize)) -> &Expr { &self.rows[i][j] } }
