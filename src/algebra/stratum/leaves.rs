//! LEAVES: linear systems M y = r whose coefficients vary over a set, solved by cases.
//!
//! Fraction-free elimination; a pivot that may vanish on the cell splits it into the part where it does and
//! the part where it does not. What comes out is a list of leaves that fill the cell and meet only where pieces of
//! SPLIT do. On each the rank is constant, and the system is solvable at every point or at none.
//! docs/theory/odes.md §8.

use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::cell::{Cell, Frame, Zeros};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};

/// M y = r.
#[derive(Clone, Debug, Default)]
pub struct LinearSystem {
    pub n_columns: usize,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub coefficients: Vec<Polynomial>,
    pub right: Polynomial,
}

/// A part of the cell on which rank and solvability do not change.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub cell: Cell,
    pub rank: usize,
    pub is_solvable: bool,
    /// The rows of the elimination in the order in which they were used, each with its pivot column. A row has no
    /// entries in the pivot columns of the rows before it.
    pub echelon: Vec<(usize, Row)>,
    /// The right sides that elimination left over: they all vanish where the system is solvable, and one of them does
    /// not where it is unsolvable.
    pub residuals: Vec<Polynomial>,
}

/// The affine space of solutions on a leaf: y = particular + Σ c_k kernel_k.
#[derive(Clone, Debug)]
pub struct Solution {
    pub particular: Vec<Fraction>,
    pub kernel: Vec<Vec<Fraction>>,
    /// The column that is 1 in `kernel[k]` and 0 in the other kernel vectors and in the particular solution.
    pub free_columns: Vec<usize>,
}

/// A quotient whose denominator vanishes nowhere on the leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub numerator: Polynomial,
    pub denominator: Polynomial,
}

const MAX_LEAVES: usize = 4096;

impl LinearSystem {
    pub fn new(n_columns: usize) -> LinearSystem {
        LinearSystem { n_columns, rows: vec![] }
    }

    /// A system that only asks for the rank of a matrix.
    pub fn homogeneous(n_columns: usize, rows: Vec<Vec<Polynomial>>) -> LinearSystem {
        let rows = rows.into_iter().map(|coefficients| Row { coefficients, right: Polynomial::zero() }).collect();
        LinearSystem { n_columns, rows }
    }

    pub fn push(&mut self, coefficients: Vec<Polynomial>, right: Polynomial) {
        debug_assert_eq!(coefficients.len(), self.n_columns);
        self.rows.push(Row { coefficients, right });
    }
}

/// A state of the elimination.
struct State {
    cell: Cell,
    rows: Vec<Row>,
    echelon: Vec<(usize, Row)>,
}

/// How far LEAVES came.
#[derive(Debug)]
pub struct Foliation {
    pub leaves: Vec<Leaf>,
    /// Parts of the cell on which the elimination did not come to its end. Empty unless a budget ended.
    pub open: Vec<Cell>,
    pub stopped: Option<Exhausted>,
}

/// All leaves of `cell`.
pub fn leaves(cx: &Inquiry, frame: &Frame, system: &LinearSystem, cell: &Cell) -> Budgeted<Vec<Leaf>> {
    leaves_up_to(cx, frame, system, cell, MAX_LEAVES)
}

/// All leaves of `cell`, if there are not too many of them.
pub fn leaves_up_to(
    cx: &Inquiry,
    frame: &Frame,
    system: &LinearSystem,
    cell: &Cell,
    many: usize,
) -> Budgeted<Vec<Leaf>> {
    let found = foliation(cx, frame, system, cell, many);
    found.stopped.map_or(Ok(found.leaves), Err)
}

/// LEAVES with its state when a budget ends: the leaves that are proved, and what was still to be looked at.
pub fn leaves_as_far_as_possible(cx: &Inquiry, frame: &Frame, system: &LinearSystem, cell: &Cell) -> Foliation {
    foliation(cx, frame, system, cell, MAX_LEAVES)
}

fn foliation(cx: &Inquiry, frame: &Frame, system: &LinearSystem, cell: &Cell, many: usize) -> Foliation {
    let mut found = Foliation { leaves: vec![], open: vec![], stopped: None };
    let mut stack = vec![State { cell: cell.clone(), rows: system.rows.clone(), echelon: vec![] }];
    while let Some(state) = stack.pop() {
        let (cell, before) = (state.cell.clone(), found.leaves.len());
        let step = if before + stack.len() > many {
            Err(Exhausted::Size)
        } else {
            cx.check().and_then(|()| advance(cx, frame, state, &mut found.leaves))
        };
        match step {
            Ok(cases) => stack.extend(cases.into_iter().rev()),
            Err(stop) => {
                // What a step found before it was stopped is looked at again as a whole.
                found.leaves.truncate(before);
                found.open = stack.into_iter().map(|state| state.cell).chain([cell]).collect();
                found.stopped = Some(stop);
                break;
            }
        }
    }
    found
}

/// A few leaves, those of generic points before those of special ones. Of the parts that are open the number alone is of
/// interest: k pivots that may vanish make 2ᵏ of them.
pub fn some_leaves(
    cx: &Inquiry,
    frame: &Frame,
    system: &LinearSystem,
    cell: &Cell,
    many: usize,
) -> Budgeted<Vec<Leaf>> {
    let mut found = Vec::new();
    let mut stack = vec![State { cell: cell.clone(), rows: system.rows.clone(), echelon: vec![] }];
    while let Some(state) = stack.pop().filter(|_| found.len() < many) {
        cx.check()?;
        // The last case is that in which the pivot does not vanish.
        stack.extend(advance(cx, frame, state, &mut found)?);
    }
    found.truncate(many);
    Ok(found)
}

/// Whether the system is solvable at generic points of the cell: elimination with pivots that do not vanish on all of it, and
/// without looking at where they do. Cheap in comparison with the leaves, none of which is open if this fails. False also
/// where an equation that is left over holds on the cell and does not lie in its ideal.
pub fn is_generically_solvable(cx: &Inquiry, frame: &Frame, system: &LinearSystem, cell: &Cell) -> Budgeted<bool> {
    let mut rows = system.rows.clone();
    loop {
        cx.check()?;
        for row in &mut rows {
            row.reduce(cx, frame, cell)?;
        }
        rows.retain(|row| !row.is_zero());
        if rows.iter().any(|row| row.coefficients.iter().all(Polynomial::is_zero)) {
            return Ok(false);
        }
        let entries = rows.iter().enumerate().flat_map(|(i, row)| {
            let fill = row.coefficients.iter().filter(|c| !c.is_zero()).count();
            let nonzero = row.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero());
            nonzero.map(move |(j, c)| ((!c.is_constant(), c.n_terms(), fill), (i, j)))
        });
        let Some((_, (i, j))) = entries.min() else { return Ok(true) };
        rows = eliminate(cx, &rows, i, j)?.0;
    }
}

/// The system eliminated with pivots that vanish nowhere: one rank, and the conditions under which it is solvable.
#[derive(Clone, Debug)]
pub struct Trunk {
    pub rank: usize,
    pub echelon: Vec<(usize, Row)>,
    /// The right sides that are left over, each once, none of them zero.
    pub conditions: Vec<Polynomial>,
}

/// The elimination on the whole space, if no case has to be told apart; only rows that a step changes are looked at again.
pub fn trunk(cx: &Inquiry, frame: &Frame, system: &LinearSystem) -> Budgeted<Option<Trunk>> {
    let everything = frame.everything();
    let mut rows = system.rows.clone();
    for row in &mut rows {
        row.reduce(cx, frame, &everything)?;
    }
    let mut echelon = Vec::new();
    loop {
        cx.check()?;
        rows.retain(|row| !row.is_zero());
        let state = State { cell: everything.clone(), rows, echelon: vec![] };
        let place = choose_pivot(cx, frame, &state)?;
        rows = state.rows;
        let Some((i, j)) = place else { break };
        for f in frame.factors(cx, &rows[i].coefficients[j]).iter() {
            if !frame.is_nowhere_zero(cx, f)? {
                return Ok(None);
            }
        }
        let used = rows.remove(i);
        for row in rows.iter_mut().filter(|row| !row.coefficients[j].is_zero()) {
            *row = row.without(cx, &used, j)?;
            row.reduce(cx, frame, &everything)?;
        }
        echelon.push((j, used));
    }
    let mut conditions: Vec<Polynomial> = Vec::new();
    for row in rows {
        let c = row.right.primitive_part();
        if !conditions.contains(&c) {
            conditions.push(c);
        }
    }
    Ok(Some(Trunk { rank: echelon.len(), echelon, conditions }))
}

/// One step of the elimination: the cases it leads to, or leaves.
fn advance(cx: &Inquiry, frame: &Frame, mut state: State, found: &mut Vec<Leaf>) -> Budgeted<Vec<State>> {
    for row in &mut state.rows {
        row.reduce(cx, frame, &state.cell)?;
    }
    state.rows.retain(|row| !row.is_zero());
    let Some((i, j)) = choose_pivot(cx, frame, &state)? else {
        emit(cx, frame, state, found)?;
        return Ok(vec![]);
    };
    let pivot = state.rows[i].coefficients[j].clone();
    // The pivot vanishes: one case for each of its factors, disjoint from the cases before.
    let mut earlier: Vec<Polynomial> = Vec::new();
    let mut cases: Vec<State> = Vec::new();
    for f in frame.factors(cx, &pivot).iter() {
        if state.cell.nonzero.contains(f) || frame.is_nowhere_zero(cx, f)? {
            continue;
        }
        for cell in frame.refine(cx, &state.cell, std::slice::from_ref(f), &earlier)? {
            cases.push(State { cell, rows: state.rows.clone(), echelon: state.echelon.clone() });
        }
        earlier.push(f.clone());
    }
    // The pivot does not vanish.
    let remaining =
        if cases.is_empty() { vec![state.cell.clone()] } else { frame.refine(cx, &state.cell, &[], &earlier)? };
    for cell in remaining {
        let (rows, used) = eliminate(cx, &state.rows, i, j)?;
        let mut echelon = state.echelon.clone();
        echelon.push((j, used));
        cases.push(State { cell, rows, echelon });
    }
    Ok(cases)
}

/// No nonzero coefficient is left: what stands on the right sides must vanish.
fn emit(cx: &Inquiry, frame: &Frame, state: State, found: &mut Vec<Leaf>) -> Budgeted<()> {
    let rank = state.echelon.len();
    let conditions: Vec<Polynomial> = state.rows.into_iter().map(|row| row.right).collect();
    if conditions.is_empty() {
        let residuals = vec![];
        found.push(Leaf { cell: state.cell, rank, is_solvable: true, echelon: state.echelon, residuals });
        return Ok(());
    }
    for cell in frame.refine(cx, &state.cell, &conditions, &[])? {
        let (echelon, residuals) = (state.echelon.clone(), conditions.clone());
        found.push(Leaf { cell, rank, is_solvable: true, echelon, residuals });
    }
    for (i, c) in conditions.iter().enumerate() {
        for cell in frame.refine(cx, &state.cell, &conditions[..i], std::slice::from_ref(c))? {
            let (echelon, residuals) = (state.echelon.clone(), conditions.clone());
            found.push(Leaf { cell, rank, is_solvable: false, echelon, residuals });
        }
    }
    Ok(())
}

/// The entry to eliminate with: a number if there is one, then what is known not to vanish, then what generic
/// parameters keep from vanishing, then the smallest degree; among equals the row with the fewest entries.
fn choose_pivot(cx: &Inquiry, frame: &Frame, state: &State) -> Budgeted<Option<(usize, usize)>> {
    type Score = (u32, u64, usize, usize);
    let mut best: Option<(Score, (usize, usize))> = None;
    let mut consider = |score: Score, place: (usize, usize)| {
        if best.as_ref().is_none_or(|(s, _)| score < *s) {
            best = Some((score, place));
        }
    };
    let fill = |row: &Row| row.coefficients.iter().filter(|c| !c.is_zero()).count();
    for (i, row) in state.rows.iter().enumerate() {
        let fill = fill(row);
        for (j, c) in row.coefficients.iter().enumerate() {
            if c.is_constant() && !c.is_zero() {
                consider((0, 0, fill, 0), (i, j));
            }
        }
    }
    if let Some((_, place)) = best {
        return Ok(Some(place));
    }
    for (i, row) in state.rows.iter().enumerate() {
        let fill = fill(row);
        for (j, c) in row.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
            let mut class = 1;
            for f in frame.factors(cx, c).iter().filter(|f| !state.cell.nonzero.contains(f)) {
                class = class.max(match frame.zeros_of(cx, f)? {
                    Zeros::None => 1,
                    Zeros::Generic => 2,
                    Zeros::Perhaps => 3,
                });
            }
            let degree = if class == 3 { c.total_degree() } else { 0 };
            let score = (class, degree, fill, c.n_terms());
            if best.as_ref().is_none_or(|(s, _)| score < *s) {
                best = Some((score, (i, j)));
            }
        }
    }
    Ok(best.map(|(_, place)| place))
}

/// row_k := p·row_k − M[k,j]·row_i for the other rows. The pivot row is taken out.
fn eliminate(cx: &Inquiry, rows: &[Row], i: usize, j: usize) -> Budgeted<(Vec<Row>, Row)> {
    let used = rows[i].clone();
    let mut rest = Vec::with_capacity(rows.len() - 1);
    for row in rows.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, row)| row) {
        rest.push(if row.coefficients[j].is_zero() { row.clone() } else { row.without(cx, &used, j)? });
    }
    Ok((rest, used))
}

impl Row {
    fn is_zero(&self) -> bool {
        self.right.is_zero() && self.coefficients.iter().all(Polynomial::is_zero)
    }

    /// p·row − M[j]·used, with the pivot p of the used row in column j: no entry there any more.
    pub fn without(&self, cx: &Inquiry, used: &Row, j: usize) -> Budgeted<Row> {
        let (pivot, factor) = (&used.coefficients[j], &self.coefficients[j]);
        let combine =
            |a: &Polynomial, b: &Polynomial| -> Budgeted<Polynomial> { Ok(&pivot.mul(cx, a)? - &factor.mul(cx, b)?) };
        let mut coefficients = Vec::with_capacity(self.coefficients.len());
        for (a, b) in self.coefficients.iter().zip(&used.coefficients) {
            coefficients.push(combine(a, b)?);
        }
        coefficients[j] = Polynomial::zero();
        Ok(Row { coefficients, right: combine(&self.right, &used.right)? })
    }

    /// Every entry in normal form on the cell, and without the common number in all entries.
    pub fn reduce(&mut self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<()> {
        let (reduced, right) = cell.basis.normal_forms(cx, frame, &self.coefficients, &self.right)?;
        self.coefficients = reduced;
        self.right = right;
        let entries = || self.coefficients.iter().chain([&self.right]).filter(|p| !p.is_zero());
        if entries().next().is_none() {
            return Ok(());
        }
        // Divide by a common factor that vanishes nowhere on the cell.
        let all: Vec<Polynomial> = entries().cloned().collect();
        let common = Polynomial::gcd_of(cx, &all)?;
        let mut divisor = Polynomial::one();
        if !common.is_constant() {
            for (f, n) in super::super::factor::factor_once(cx, &common).factors {
                if cell.nonzero.contains(&f) || frame.is_nowhere_zero(cx, &f)? {
                    divisor = divisor.mul(cx, &f.pow(cx, n)?)?;
                }
            }
        }
        let scale = all.iter().map(Polynomial::content).reduce(|a, b| content_gcd(&a, &b)).unwrap_or(Rational::ONE);
        let shrink = |p: &Polynomial| -> Budgeted<Polynomial> {
            let p =
                if divisor.is_constant() { p.clone() } else { p.div_exact(cx, &divisor)?.unwrap_or_else(|| p.clone()) };
            Ok(p.unscale(&scale).unwrap_or(p))
        };
        self.coefficients = self.coefficients.iter().map(shrink).collect::<Budgeted<_>>()?;
        self.right = shrink(&self.right)?;
        Ok(())
    }
}

/// The largest rational that divides both with integer quotients.
fn content_gcd(a: &Rational, b: &Rational) -> Rational {
    let numerator = a.numerator().gcd(b.numerator());
    let (da, db) = (a.denominator(), b.denominator());
    let lcm = &da.div_exact(&da.gcd(db)).unwrap_or_else(|| da.clone()) * db;
    Rational::new(numerator, lcm)
}

impl Leaf {
    /// Solves the echelon rows from the last to the first. On an unsolvable leaf the right sides are ignored, so
    /// that the kernel is that of M.
    pub fn solution(&self, cx: &Inquiry, frame: &Frame, n_columns: usize) -> Budgeted<Solution> {
        let pivots: Vec<usize> = self.echelon.iter().map(|(j, _)| *j).collect();
        let free_columns: Vec<usize> = (0..n_columns).filter(|j| !pivots.contains(j)).collect();
        // Each unknown as (constant, coefficient of every free unknown).
        let width = 1 + free_columns.len();
        let mut y: Vec<Vec<Fraction>> = vec![vec![Fraction::zero(); width]; n_columns];
        for (k, j) in free_columns.iter().enumerate() {
            y[*j][k + 1] = Fraction::one();
        }
        for (j, row) in self.echelon.iter().rev() {
            let mut value = vec![Fraction::zero(); width];
            value[0] = Fraction::polynomial(row.right.clone());
            for (column, a) in row.coefficients.iter().enumerate() {
                if column == *j || a.is_zero() {
                    continue;
                }
                for (v, other) in value.iter_mut().zip(&y[column]) {
                    if !other.numerator.is_zero() {
                        *v = v.minus(cx, &other.times(cx, a)?)?;
                    }
                }
            }
            for v in &mut value {
                *v = v.over(cx, &row.coefficients[*j])?.reduced(cx, frame, &self.cell)?;
            }
            y[*j] = value;
        }
        let column = |k: usize| y.iter().map(|v| v[k].clone()).collect::<Vec<_>>();
        Ok(Solution { particular: column(0), kernel: (1..width).map(column).collect(), free_columns })
    }
}

impl Fraction {
    pub fn zero() -> Fraction {
        Fraction::polynomial(Polynomial::zero())
    }

    pub fn one() -> Fraction {
        Fraction::polynomial(Polynomial::one())
    }

    pub fn polynomial(numerator: Polynomial) -> Fraction {
        Fraction { numerator, denominator: Polynomial::one() }
    }

    fn minus(&self, cx: &Inquiry, other: &Fraction) -> Budgeted<Fraction> {
        if self.denominator == other.denominator {
            return Fraction { numerator: &self.numerator - &other.numerator, denominator: self.denominator.clone() }
                .cancelled(cx);
        }
        let numerator = &self.numerator.mul(cx, &other.denominator)? - &other.numerator.mul(cx, &self.denominator)?;
        Fraction { numerator, denominator: self.denominator.mul(cx, &other.denominator)? }.cancelled(cx)
    }

    fn times(&self, cx: &Inquiry, factor: &Polynomial) -> Budgeted<Fraction> {
        Fraction { numerator: self.numerator.mul(cx, factor)?, denominator: self.denominator.clone() }.cancelled(cx)
    }

    fn over(&self, cx: &Inquiry, divisor: &Polynomial) -> Budgeted<Fraction> {
        Fraction { numerator: self.numerator.clone(), denominator: self.denominator.mul(cx, divisor)? }.cancelled(cx)
    }

    /// The denominator has no zero on the leaf, so whatever it shares with the numerator may go.
    fn cancelled(self, cx: &Inquiry) -> Budgeted<Fraction> {
        if self.numerator.is_zero() {
            return Ok(Fraction::zero());
        }
        let c = self.numerator.gcd_cofactors(cx, &self.denominator)?;
        match c.right.as_constant().and_then(|d| c.left.unscale(&d)) {
            Some(numerator) => Ok(Fraction::polynomial(numerator)),
            None => Ok(Fraction { numerator: c.left, denominator: c.right }),
        }
    }

    fn reduced(self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Fraction> {
        let (numerator, factor) = cell.basis.normal_form_with_factor(cx, frame, &self.numerator)?;
        Fraction { numerator, denominator: self.denominator.mul(cx, &factor)? }.cancelled(cx)
    }

    pub fn to_expr(&self, frame: &Frame) -> super::super::expr::Expr {
        frame.write(&self.numerator) / frame.write(&self.denominator)
    }
}
