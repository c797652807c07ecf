//! A subspace of a coordinate space at every point, of rank that may jump: what distributions and
//! codistributions have in common.
//!
//! It is given by rows of functions, as their *span* or as their *kernel*. The difference matters where the
//! rank jumps: a span loses rank on a closed set, a kernel gains it. Annihilating turns one into the other
//! with the same rows, so nothing is computed and nothing is lost. Krupková §2: a distribution given by 1-forms
//! must not be replaced by vector fields globally.
//!
//! A *basis* is a generic thing. It is computed once, when the subspace is made, and holds away from the zeros of
//! its pivots, which are recorded as conditions [when it is used](Subspace::basis); whatever is asked at a point goes
//! back to the rows.

use super::Refusal;
use super::jet::Chart;
use super::rank::{self, Rank};
use super::submanifold::{Submanifold, vanishes_on};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::decide::is_zero;
use crate::algebra::linear::Matrix;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, leaves};
use crate::algebra::stratum::{Branch, Cell, Frame, set, tangent};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use rustc_hash::FxHashMap;

pub(crate) type Row = Vec<Expr>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    Span,
    Kernel,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Subspace {
    pub chart: Chart,
    pub rows: Vec<Row>,
    pub given: Given,
    /// Spans the subspace where the pivots do not vanish.
    basis: Vec<Row>,
    pivots: Vec<Expr>,
    /// Where it lives: one branch.
    pub on: Branch,
}

impl Subspace {
    pub fn span(chart: &Chart, rows: Vec<Row>) -> Subspace {
        let (chart, on) = (chart.clone(), Branch::everything());
        Subspace { chart, basis: rows.clone(), pivots: vec![], rows, given: Given::Span, on }
    }

    /// Rows that span the subspace at generic points. Where that is, is recorded.
    pub fn basis(&self, cx: &Inquiry) -> &[Row] {
        self.pivots.iter().for_each(|e| conditions::record_nonzero(cx, *e));
        &self.basis
    }

    pub fn kernel(cx: &Inquiry, chart: &Chart, rows: Vec<Row>, on: Branch) -> Result<Subspace, Refusal> {
        let (basis, pivots) = if on.equations.is_empty() {
            widest_null_space(cx, &rows, chart.dimension())?
        } else {
            kernel_on(cx, chart, &rows, &on)?
        };
        Ok(Subspace { chart: chart.clone(), rows, given: Given::Kernel, basis, pivots, on })
    }

    pub fn annihilator(&self, cx: &Inquiry) -> Result<Subspace, Refusal> {
        match self.given {
            Given::Span => Subspace::kernel(cx, &self.chart, self.rows.clone(), self.on.clone()),
            Given::Kernel => Ok(Subspace {
                chart: self.chart.clone(),
                rows: self.rows.clone(),
                given: Given::Span,
                basis: self.rows.clone(),
                pivots: vec![],
                on: self.on.clone(),
            }),
        }
    }

    fn dimension(&self) -> usize {
        self.chart.dimension()
    }

    pub fn home(&self) -> Submanifold {
        Submanifold::new(&self.chart, vec![self.on.clone()])
    }

    /// The rows, and whether the rank is that of the rows (`None`) or n minus it.
    pub fn rank_matrix(&self) -> (Matrix, Option<usize>) {
        let complement = (self.given == Given::Kernel).then(|| self.dimension());
        (Matrix::with_columns(self.rows.clone(), self.dimension()), complement)
    }

    pub fn rank(&self, cx: &Inquiry) -> Budgeted<Rank> {
        let rank = rank::rank(cx, &self.rows, self.dimension(), &self.home())?;
        Ok(if self.given == Given::Kernel { rank.complement(self.dimension()) } else { rank })
    }

    /// The rank at generic points of where it lives.
    pub fn generic_rank(&self, cx: &Inquiry) -> Budgeted<usize> {
        if self.on.equations.is_empty() {
            let (matrix, complement) = self.rank_matrix();
            let (echelon, _) = conditions::collect(cx, |cx| matrix.echelon(cx));
            let rank = echelon?.pivots.len();
            return Ok(complement.map_or(rank, |n| n - rank));
        }
        let strata = self.rank(cx)?;
        let generic = if self.given == Given::Span { strata.values.last() } else { strata.values.first() };
        Ok(generic.copied().unwrap_or(0))
    }

    /// The reduced row echelon matrix at a point: exact, also where the rank jumps. `None` if the point leaves
    /// symbols open, or if it cannot be decided whether an entry vanishes.
    pub fn at(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Option<Matrix> {
        let (matrix, complement) = self.rank_matrix();
        let reduced = matrix.map(|e| substitute(e, point)).rref_of_numbers(cx)?;
        match complement {
            None => Some(reduced),
            Some(n) => {
                let (kernel, _) = conditions::collect(cx, |cx| reduced.null_space(cx));
                Matrix::with_columns(kernel.ok()?, n).rref_of_numbers(cx)
            }
        }
    }

    /// Equal spans. Decided at generic points first; if they agree there, special points are looked at for
    /// a while, and a stratum on which the spans differ is a counterexample.
    pub fn equals(&self, cx: &Inquiry, other: &Subspace) -> Result<Verdict, Refusal> {
        let (a, b) = common_chart(self, other);
        let n = a.dimension();
        let kind = (a.given, b.given);
        // Span in kernel: the products must vanish. Otherwise stacked rows must not have a larger rank.
        let generic = match kind {
            (Given::Span, Given::Kernel) | (Given::Kernel, Given::Span) => {
                let products = a.rows.iter().flat_map(|x| b.rows.iter().map(move |y| dot(x, y)));
                let inside = a.all_vanish(cx, products)?;
                let ranks = a.row_rank(cx)? + b.row_rank(cx)?;
                inside.and(Verdict::from_bool(ranks == n, "their ranks at generic points"))
            }
            _ => {
                let (left, right) = (a.row_rank(cx)?, b.row_rank(cx)?);
                let rank = stacked(&a, &b).row_rank(cx)?;
                Verdict::from_bool(left == rank && right == rank, "ranks of both and of the two together")
            }
        };
        if !generic.is_yes() {
            return Ok(generic);
        }
        match cx.within(share::SIDE, || differing_stratum(cx, &a, &b)) {
            Ok(Some(branch)) => {
                let place = Submanifold::new(&a.chart, vec![branch]);
                Ok(Verdict::no(format!("they agree at generic points and differ on {place}")))
            }
            Ok(None) => Ok(generic),
            Err(crate::budget::Exhausted::Interrupted) => Err(crate::budget::Exhausted::Interrupted.into()),
            Err(_) => Ok(generic.and(Verdict::yes("at generic points; special points were not examined"))),
        }
    }

    /// The rank of the rows at generic points.
    fn row_rank(&self, cx: &Inquiry) -> Budgeted<usize> {
        let rank = self.generic_rank(cx)?;
        Ok(if self.given == Given::Kernel { self.dimension() - rank } else { rank })
    }

    /// Whether the functions vanish where the subspace lives.
    pub fn all_vanish(&self, cx: &Inquiry, functions: impl IntoIterator<Item = Expr>) -> Budgeted<Verdict> {
        let home = self.home();
        let mut verdict = Verdict::yes("all of them are zero");
        for e in functions {
            let one = if self.on.equations.is_empty() { is_zero(cx, e) } else { home.annihilates(cx, e)? };
            verdict = verdict.and(one);
            if verdict.is_no() {
                break;
            }
        }
        Ok(verdict)
    }

    /// The intersection with {df = 0 for the equations of the branch}, living on that branch.
    pub fn restricted(&self, cx: &Inquiry, branch: &Branch) -> Result<Subspace, Refusal> {
        let kernel_rows = match self.given {
            Given::Kernel => self.rows.clone(),
            Given::Span => self.annihilator(cx)?.basis(cx).to_vec(),
        };
        let home = Submanifold::new(&self.chart, vec![branch.clone()]).intersection(&self.home());
        let frame = home.frame(cx, &kernel_rows.iter().flatten().copied().collect::<Vec<_>>())?;
        let cells = home.cells(cx, &frame)?;
        let Some(cell) = cells.first() else {
            return Err(Refusal::Undecided {
                what: "the restriction has a point".into(),
                why: "the set to which it is restricted is empty".into(),
            });
        };
        let mut rows = kernel_rows;
        for f in cell.equations() {
            let f = frame.write(f);
            let differential = crate::algebra::derive::gradient(cx, f, self.chart.symbols());
            rows.push(differential);
        }
        let on = if cells.len() == 1 { frame.branch(cx, cell)? } else { home.branches()[0].clone() };
        Subspace::kernel(cx, &self.chart, rows, on)
    }
}

pub(crate) fn dot(a: &[Expr], b: &[Expr]) -> Expr {
    Expr::add_all(a.iter().zip(b).filter(|(x, y)| !x.is_zero() && !y.is_zero()).map(|(x, y)| *x * *y))
}

/// A basis of the null space, with its pivots, that divides by as little as possible: pivots from the first column on, or, if that takes
/// conditions, from the last. @t + x'*@x - x*@x' spans the motions of an oscillator everywhere, the same divided by x only
/// where x ≠ 0.
fn widest_null_space(cx: &Inquiry, rows: &[Row], n: usize) -> Budgeted<(Vec<Row>, Vec<Expr>)> {
    let (forward, needed) = conditions::collect(cx, |cx| Matrix::with_columns(rows.to_vec(), n).null_space(cx));
    let forward = forward?;
    if needed.is_empty() {
        return Ok((forward, needed));
    }
    let turned = |row: &Row| -> Row { row.iter().rev().copied().collect() };
    let (backward, needed_then) =
        conditions::collect(cx, |cx| Matrix::with_columns(rows.iter().map(turned).collect(), n).null_space(cx));
    Ok(if needed_then.len() < needed.len() {
        (backward?.iter().rev().map(turned).collect(), needed_then)
    } else {
        (forward, needed)
    })
}

/// A basis of the kernel at generic points of the branch, with coefficients reduced on it, and what does not vanish there.
fn kernel_on(cx: &Inquiry, chart: &Chart, rows: &[Row], on: &Branch) -> Budgeted<(Vec<Row>, Vec<Expr>)> {
    let home = Submanifold::new(chart, vec![on.clone()]);
    let entries: Vec<Expr> = rows.iter().flatten().copied().collect();
    let frame = home.frame(cx, &entries)?;
    let system = rank::homogeneous(cx, &frame, rows, chart.dimension())?;
    // At generic points the cell of the leaf is as large as can be, and there the rank of the rows is largest.
    let mut best: Option<(usize, Leaf)> = None;
    for cell in home.cells(cx, &frame)? {
        for leaf in leaves(cx, &frame, &system, &cell)? {
            let dimension = tangent::dimension(cx, &frame, &leaf.cell)?;
            if best.as_ref().is_none_or(|(d, b)| (dimension, leaf.rank) > (*d, b.rank)) {
                best = Some((dimension, leaf));
            }
        }
    }
    let Some((_, leaf)) = best else { return Ok((vec![], vec![])) };
    let kernel = leaf.solution(cx, &frame, chart.dimension())?.kernel;
    let basis = kernel.iter().map(|v| v.iter().map(|f| f.to_expr(&frame)).collect()).collect();
    let given: Vec<_> = on.nonzero.iter().map(|e| frame.read_numerator(cx, *e)).collect::<Budgeted<_>>()?;
    let known = |p: &Polynomial| given.iter().any(|g| frame.irreducible_factors(cx, g).contains(p));
    let pivots = leaf.cell.nonzero().iter().filter(|p| !known(p)).map(|p| frame.write(p)).collect();
    Ok((basis, pivots))
}

/// Both in the coordinates of the larger chart; a span keeps its rows, a kernel is that of the pulled back
/// rows.
fn common_chart(a: &Subspace, b: &Subspace) -> (Subspace, Subspace) {
    let chart = if b.dimension() > a.dimension() { &b.chart } else { &a.chart };
    let lift = |s: &Subspace| {
        let place = |row: &Row| -> Row {
            let value = |x: &Symbol| s.chart.position(*x).map_or_else(Expr::zero, |i| row[i]);
            chart.symbols().iter().map(value).collect()
        };
        let rows = s.rows.iter().map(place).collect();
        Subspace { chart: chart.clone(), rows, ..s.clone() }
    };
    (lift(a), lift(b))
}

fn stacked(a: &Subspace, b: &Subspace) -> Subspace {
    let rows = a.rows.iter().chain(&b.rows).cloned().collect();
    Subspace { rows, given: Given::Span, ..a.clone() }
}

/// A set of points at which the two differ, if there is one: both have been found equal at generic points.
fn differing_stratum(cx: &Inquiry, a: &Subspace, b: &Subspace) -> Budgeted<Option<Branch>> {
    let n = a.dimension();
    let home = a.home().intersection(&b.home());
    let entries: Vec<Expr> = a.rows.iter().chain(&b.rows).flatten().copied().collect();
    let frame = home.frame(cx, &entries)?;
    let [left, right] = [a, b].map(|s| rank::homogeneous(cx, &frame, &s.rows, n));
    let (left, right) = (left?, right?);
    let both = rank::homogeneous(cx, &frame, &stacked(a, b).rows, n)?;
    let mixed = a.given != b.given;
    for cell in home.cells(cx, &frame)? {
        for first in leaves(cx, &frame, &left, &cell)? {
            for second in leaves(cx, &frame, &right, &first.cell)? {
                let ranks_differ = if mixed { first.rank + second.rank != n } else { first.rank != second.rank };
                if ranks_differ && occurs(cx, &frame, &second.cell)? {
                    return Ok(Some(frame.branch(cx, &second.cell)?));
                }
                if mixed || ranks_differ {
                    continue;
                }
                for together in leaves(cx, &frame, &both, &second.cell)? {
                    if together.rank != first.rank && occurs(cx, &frame, &together.cell)? {
                        return Ok(Some(frame.branch(cx, &together.cell)?));
                    }
                }
            }
        }
    }
    Ok(None)
}

fn occurs(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
    Ok(set::is_empty(cx, frame, cell)?.is_no())
}

/// Whether a function vanishes where the subspace lives, through one frame for many functions.
pub(crate) fn vanish_at(cx: &Inquiry, frame: &Frame, cells: &[Cell], on: &Branch, e: Expr) -> Budgeted<Verdict> {
    if on.equations.is_empty() { Ok(is_zero(cx, e)) } else { vanishes_on(cx, frame, cells, e) }
}
