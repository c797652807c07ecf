//! Fraction-free elimination: rank, echelon form, null space, inverse, solutions.

use super::{Matrix, determinant, record_factors};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::decide;
use crate::algebra::expr::Expr;
use crate::algebra::generator::{Generator, is_free, reduce};
use crate::algebra::normal::{NormalForm, write::polynomial_expr};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::symbol::Symbol;
use crate::algebra::verdict::{Ground, Verdict};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// A generic rank, with the minor that certifies it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    pub value: usize,
    /// Rows and columns of a minor of this size that does not vanish identically.
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
    /// Its factors that vanish somewhere: off their zeros the rank is `value`.
    pub conditions: Vec<Expr>,
    /// Whether it is the generic rank. Unknown: it is at least `value`, and some entries could not be decided.
    pub verdict: Verdict,
}

/// Reduced row echelon form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Echelon {
    /// One row per pivot, with 1 there and 0 in the columns of the other pivots.
    pub matrix: Matrix,
    /// The column of the pivot of each row.
    pub pivots: Vec<usize>,
    /// Factors of the minor of the pivots that vanish somewhere.
    pub conditions: Vec<Expr>,
    /// Entries that were no pivots only because it could not be decided whether they vanish.
    pub undecided: Vec<Expr>,
    pub verdict: Verdict,
}

/// All solutions of A·x = b: particular + Σ cᵢ·null_space[i].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearSolution {
    pub particular: Vec<Expr>,
    /// One vector per free unknown, with 1 in its place.
    pub null_space: Vec<Vec<Expr>>,
    /// The unknowns that stay free.
    pub free: Vec<usize>,
    /// What else must vanish for a solution to exist; empty if there is one wherever the conditions hold.
    pub residuals: Vec<Expr>,
    pub conditions: Vec<Expr>,
    pub verdict: Verdict,
}

/// The result of elimination on polynomials.
struct Eliminated {
    /// The pivot rows; in the column of each pivot the others are zero.
    rows: Vec<Vec<Polynomial>>,
    /// For each pivot row: where the row came from, and the column of its pivot.
    places: Vec<(usize, usize)>,
    /// Rows without a pivot: their entries right of the pivot columns.
    rest: Vec<Vec<Polynomial>>,
    ground: Option<Ground>,
    undecided: Vec<(Expr, String)>,
}

/// What a zero test says about an entry.
enum Entry {
    Zero(Option<Ground>),
    Nonzero,
    Undecided(String),
}

fn judge(cx: &Inquiry, p: &Polynomial) -> Entry {
    if p.is_zero() {
        return Entry::Zero(None);
    }
    if p.is_constant() {
        return Entry::Nonzero;
    }
    let free = p.variables().iter().all(|g| is_free(Generator(*g)));
    if free && !cx.facts().has_equations() {
        return Entry::Nonzero;
    }
    match decide::is_zero(cx, polynomial_expr(p)) {
        Verdict::Yes(ground) => Entry::Zero(Some(ground)),
        Verdict::No(_) => Entry::Nonzero,
        Verdict::Unknown(why) => Entry::Undecided(why),
    }
}

/// How good a pivot is: smaller is better. Numbers, then what cannot vanish, then short ones.
fn cost(cx: &Inquiry, p: &Polynomial) -> (u32, usize, u64) {
    let class = if p.is_constant() {
        0
    } else if p.n_terms() <= 4 && crate::algebra::assume::sign_of(cx, polynomial_expr(p)).is_nonzero() {
        1
    } else {
        2
    };
    (class, p.n_terms(), p.total_degree())
}

/// Gauss–Jordan elimination with pivots in the first `width` columns, leftmost first.
fn eliminate(cx: &Inquiry, mut rows: Vec<Vec<Polynomial>>, width: usize) -> Budgeted<Eliminated> {
    let mut origin: Vec<usize> = (0..rows.len()).collect();
    let mut ground: Option<Ground> = None;
    let mut undecided: Vec<(Expr, String)> = Vec::new();
    let mut places = Vec::new();
    for row in &mut rows {
        make_primitive(cx, row, width)?;
    }
    let mut done = 0;
    for j in 0..width {
        let mut candidates = Vec::new();
        for (i, row) in rows.iter_mut().enumerate().skip(done) {
            match judge(cx, &row[j]) {
                Entry::Zero(None) => {}
                Entry::Zero(Some(found)) => {
                    if !found.is_proved() {
                        ground = Some(ground.map_or(found.clone(), |g| g.weaker(found)));
                    }
                    row[j] = Polynomial::zero();
                }
                Entry::Nonzero => candidates.push(i),
                Entry::Undecided(why) => undecided.push((polynomial_expr(&row[j]), why)),
            }
        }
        let Some(&best) = candidates.iter().min_by_key(|&&i| cost(cx, &rows[i][j])) else { continue };
        rows.swap(done, best);
        origin.swap(done, best);
        let pivot_row = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == done || row[j].is_zero() {
                continue;
            }
            cx.check()?;
            // β·row − α·pivot_row with α/β = row[j]/pivot.
            let parts = row[j].gcd_cofactors(cx, &pivot_row[j])?;
            let (alpha, beta) = (parts.left, parts.right);
            for (a, p) in row.iter_mut().zip(&pivot_row) {
                if a.is_zero() && p.is_zero() {
                    continue;
                }
                *a = reduce(cx, &a.mul(cx, &beta)? - &p.mul(cx, &alpha)?)?;
            }
            row[j] = Polynomial::zero();
            make_primitive(cx, row, width)?;
        }
        places.push((origin[done], j));
        done += 1;
        if done == rows.len() {
            break;
        }
    }
    let rest = rows.split_off(done).into_iter().map(|mut r| r.split_off(width)).collect();
    Ok(Eliminated { rows, places, rest, ground, undecided })
}

/// Divides a row by the greatest common divisor of its entries. A row that is zero in the columns of the
/// unknowns is kept as it is: it says what must vanish.
fn make_primitive(cx: &Inquiry, row: &mut [Polynomial], width: usize) -> Budgeted<()> {
    if row[..width].iter().all(Polynomial::is_zero) {
        return Ok(());
    }
    let entries: Vec<Polynomial> = row.iter().filter(|p| !p.is_zero()).cloned().collect();
    let common = Polynomial::gcd_of(cx, &entries)?;
    if common.is_one() {
        return Ok(());
    }
    for p in row.iter_mut().filter(|p| !p.is_zero()) {
        if let Some(q) = p.div_exact(cx, &common)? {
            *p = q;
        }
    }
    Ok(())
}

impl Eliminated {
    fn verdict(&self, what: &str) -> Verdict {
        match (self.undecided.first(), &self.ground) {
            (Some((_, why)), _) => Verdict::unknown(format!("an entry could not be decided: {why}")),
            (None, Some(ground)) => Verdict::Yes(ground.clone()),
            (None, None) => Verdict::yes(what),
        }
    }

    /// The quotient of an entry by the pivot of its row.
    fn quotient(&self, cx: &Inquiry, row: usize, column: usize) -> Budgeted<Expr> {
        let entry = &self.rows[row][column];
        if entry.is_zero() {
            return Ok(Expr::zero());
        }
        let pivot = &self.rows[row][self.places[row].1];
        let above = NormalForm::polynomial(cx, entry.clone())?;
        let below = NormalForm::polynomial(cx, pivot.clone())?;
        Ok(above.div(cx, &below)?.cancel(cx)?.to_expr(cx))
    }
}

impl Matrix {
    /// Elimination with pivots in the first `width` columns, and the conditions under which its result
    /// holds: the factors of the minor of the pivots. `None` if an entry is undefined.
    fn eliminated(&self, cx: &Inquiry, width: usize) -> Budgeted<Option<(Eliminated, Vec<Expr>)>> {
        let Some((_, rows)) = self.polynomial_rows(cx)? else { return Ok(None) };
        let (result, _) = conditions::collect(cx, |cx| eliminate(cx, rows.clone(), width));
        let eliminated = result?;
        let minor: Vec<Vec<Polynomial>> = eliminated
            .places
            .iter()
            .map(|(i, _)| eliminated.places.iter().map(|(_, j)| rows[*i][*j].clone()).collect())
            .collect();
        let conditions = if minor.is_empty() { Vec::new() } else { record_factors(cx, &determinant(cx, &minor)?) };
        Ok(Some((eliminated, conditions)))
    }

    /// The generic rank. Its conditions are recorded.
    pub fn rank(&self, cx: &Inquiry) -> Budgeted<Rank> {
        let Some((eliminated, conditions)) = self.eliminated(cx, self.columns)? else {
            let verdict = Verdict::unknown("an entry has no value");
            return Ok(Rank { value: 0, rows: Vec::new(), columns: Vec::new(), conditions: Vec::new(), verdict });
        };
        let mut rows: Vec<usize> = eliminated.places.iter().map(|p| p.0).collect();
        rows.sort_unstable();
        Ok(Rank {
            value: rows.len(),
            rows,
            columns: eliminated.places.iter().map(|p| p.1).collect(),
            conditions,
            verdict: eliminated.verdict("elimination, with a minor that is not zero"),
        })
    }

    /// The rank of the matrix of values at a point.
    pub fn rank_at(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Rational>) -> Budgeted<Rank> {
        self.at(point).rank(cx)
    }

    /// The reduced row echelon form; zero rows are left out. Its conditions are recorded.
    pub fn echelon(&self, cx: &Inquiry) -> Budgeted<Echelon> {
        let Some((eliminated, conditions)) = self.eliminated(cx, self.columns)? else {
            let verdict = Verdict::unknown("an entry has no value");
            let undecided = vec![self.undefined_entry(cx)];
            let matrix = Matrix::zero(0, self.columns);
            return Ok(Echelon { matrix, pivots: Vec::new(), conditions: Vec::new(), undecided, verdict });
        };
        let mut matrix = Matrix::zero(eliminated.places.len(), self.columns);
        for i in 0..eliminated.places.len() {
            for j in 0..self.columns {
                matrix[(i, j)] = eliminated.quotient(cx, i, j)?;
            }
        }
        let pivots = eliminated.places.iter().map(|p| p.1).collect();
        let undecided = eliminated.undecided.iter().map(|u| u.0).collect();
        Ok(Echelon { matrix, pivots, conditions, undecided, verdict: eliminated.verdict("elimination") })
    }

    /// The reduced row echelon form of the matrix of values at a point.
    pub fn echelon_at(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Rational>) -> Budgeted<Echelon> {
        self.at(point).echelon(cx)
    }

    /// The reduced row echelon form of a matrix without symbols; `None` if it has some, or if it cannot be
    /// decided whether an entry vanishes.
    pub fn rref_of_numbers(&self, cx: &Inquiry) -> Option<Matrix> {
        if let Some(rational) = self.rref_of_rationals(cx) {
            return Some(rational);
        }
        if self.entries().any(|e| !e.is_number() && !e.symbols().is_empty()) {
            return None;
        }
        let (echelon, _) = conditions::collect(cx, |cx| self.echelon(cx));
        let echelon = echelon.ok()?;
        echelon.undecided.is_empty().then_some(echelon.matrix)
    }

    /// The same where every entry is a rational number: nothing has to be read, and no sign decided.
    fn rref_of_rationals(&self, cx: &Inquiry) -> Option<Matrix> {
        let row =
            |i: usize| (0..self.columns).map(|j| self[(i, j)].as_number().cloned()).collect::<Option<Vec<Rational>>>();
        let mut rows = (0..self.rows).map(row).collect::<Option<Vec<_>>>()?;
        let mut rank = 0;
        for column in 0..self.columns {
            let Some(found) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
            rows.swap(rank, found);
            let inverse = rows[rank][column].recip()?;
            let pivot: Vec<Rational> = rows[rank].iter().map(|x| x * &inverse).collect();
            for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != rank && !row[column].is_zero()) {
                cx.spend(pivot.len() as u64).ok()?;
                let factor = row[column].clone();
                for (x, y) in row.iter_mut().zip(&pivot).filter(|(_, y)| !y.is_zero()) {
                    *x = &*x - &(&factor * y);
                }
            }
            rows[rank] = pivot;
            rank += 1;
        }
        rows.truncate(rank);
        let rows: Vec<Vec<Expr>> = rows.into_iter().map(|row| row.into_iter().map(Expr::number).collect()).collect();
        Some(Matrix::with_columns(rows, self.columns))
    }

    /// The vectors that a matrix without symbols maps to zero, in reduced row echelon form; `None` as for that form itself.
    pub fn kernel_of_numbers(&self, cx: &Inquiry) -> Option<Matrix> {
        let (reduced, n) = (self.rref_of_numbers(cx)?, self.columns);
        let first = |i: usize| (0..n).find(|j| !reduced[(i, *j)].is_zero());
        let pivots: Vec<usize> = (0..reduced.rows).filter_map(first).collect();
        let vector = |free: usize| {
            let mut v = vec![Expr::zero(); n];
            v[free] = Expr::one();
            for (i, j) in pivots.iter().enumerate() {
                v[*j] = -reduced[(i, free)];
            }
            v
        };
        let free = (0..n).filter(|j| !pivots.contains(j));
        Matrix::with_columns(free.map(vector).collect(), n).rref_of_numbers(cx)
    }

    /// The rank of a matrix without symbols.
    pub fn rank_of_numbers(&self, cx: &Inquiry) -> Option<usize> {
        self.rref_of_numbers(cx).map(|m| m.n_rows())
    }

    /// A basis of the vectors x with A·x = 0, one per free column. The conditions are recorded.
    pub fn null_space(&self, cx: &Inquiry) -> Budgeted<Vec<Vec<Expr>>> {
        Ok(self.solve(cx, &vec![Expr::zero(); self.rows])?.null_space)
    }

    /// All solutions of A·x = b.
    pub fn solve(&self, cx: &Inquiry, b: &[Expr]) -> Budgeted<LinearSolution> {
        debug_assert_eq!(b.len(), self.rows);
        if let Some(solution) = self.quotient_of_one(cx, b)? {
            return Ok(solution);
        }
        let width = self.columns;
        let augmented = self.beside(&Matrix { rows: self.rows, columns: 1, entries: b.to_vec() });
        let Some((eliminated, conditions)) = augmented.eliminated(cx, width)? else {
            return Ok(LinearSolution {
                particular: Vec::new(),
                null_space: Vec::new(),
                free: Vec::new(),
                residuals: vec![augmented.undefined_entry(cx)],
                conditions: Vec::new(),
                verdict: Verdict::unknown("an entry has no value"),
            });
        };
        let pivots: Vec<usize> = eliminated.places.iter().map(|p| p.1).collect();
        let free: Vec<usize> = (0..width).filter(|j| !pivots.contains(j)).collect();
        let mut particular = vec![Expr::zero(); width];
        for (i, j) in pivots.iter().enumerate() {
            particular[*j] = eliminated.quotient(cx, i, width)?;
        }
        let mut null_space = Vec::with_capacity(free.len());
        for f in &free {
            let mut v = vec![Expr::zero(); width];
            v[*f] = Expr::one();
            for (i, j) in pivots.iter().enumerate() {
                v[*j] = -eliminated.quotient(cx, i, *f)?;
            }
            null_space.push(v);
        }
        let mut verdict = eliminated.verdict("elimination");
        let mut residuals = Vec::new();
        for r in eliminated.rest.iter().map(|r| &r[0]) {
            match judge(cx, r) {
                Entry::Zero(ground) => {
                    if let (Some(ground), true) = (ground, verdict.is_yes()) {
                        verdict = verdict.and(Verdict::Yes(ground));
                    }
                }
                Entry::Nonzero => residuals.push(polynomial_expr(r)),
                Entry::Undecided(why) => {
                    residuals.push(polynomial_expr(r));
                    verdict = Verdict::unknown(format!("whether this vanishes could not be decided: {why}"));
                }
            }
        }
        Ok(LinearSolution { particular, null_space, free, residuals, conditions, verdict })
    }

    /// One equation a·x = b with a number or a symbol for a: x = b/a, however many roots there are in b. A common denominator of all that
    /// stands in b would be larger by far.
    fn quotient_of_one(&self, cx: &Inquiry, b: &[Expr]) -> Budgeted<Option<LinearSolution>> {
        if (self.rows, self.columns) != (1, 1) {
            return Ok(None);
        }
        let divisor = self[(0, 0)];
        let plain = divisor.is_number() || divisor.as_symbol().is_some();
        if !plain || divisor == Expr::zero() {
            return Ok(None);
        }
        let (value, mut conditions) =
            conditions::collect(cx, |cx| crate::algebra::normal::simplify(cx, b[0] * divisor.pow(-1)));
        if !decide::sign(cx, divisor).is_nonzero() && !conditions.contains(&divisor) {
            conditions.insert(0, divisor);
        }
        conditions.iter().for_each(|c| conditions::record_nonzero(cx, *c));
        Ok(Some(LinearSolution {
            particular: vec![value?],
            null_space: Vec::new(),
            free: Vec::new(),
            residuals: Vec::new(),
            conditions,
            verdict: Verdict::yes("division"),
        }))
    }

    /// The inverse of a square matrix, where the recorded factors of its determinant do not vanish. `None` if
    /// the determinant is zero, or cannot be shown not to be.
    pub fn inverse(&self, cx: &Inquiry) -> Budgeted<Option<Matrix>> {
        debug_assert!(self.is_square());
        let n = self.rows;
        let augmented = self.beside(&Matrix::identity(n));
        let Some((eliminated, _)) = augmented.eliminated(cx, n)? else { return Ok(None) };
        if eliminated.places.len() < n {
            return Ok(None);
        }
        let mut inverse = Matrix::zero(n, n);
        for i in 0..n {
            for j in 0..n {
                inverse[(i, j)] = eliminated.quotient(cx, i, n + j)?;
            }
        }
        Ok(Some(inverse))
    }
}
