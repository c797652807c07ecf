//! The descent: the constraint algorithm where no cases have to be told apart.
//!
//! A system with many multipliers, L = T − V + Σ λᵢ φᵢ, has one final set, and a basis of its equations is out of reach after a few
//! of them. None is needed. Rows are eliminated with pivots that vanish nowhere; what is left over are equations of the set; their
//! tangency gives new rows, and so on until nothing new comes:
//!
//! ```text
//! M ẍ = F + Jᵀλ,   φ = 0        φ,   φ̇ = J ẋ,   φ̈ = J M⁻¹ (F + Jᵀλ) + …,   φ⃛,   and   J M⁻¹ Jᵀ λ̈ = …
//! ```
//!
//! Each step is an equivalence at every point. Two things remain to be shown of the outcome, by the sparsity of the matrices and
//! not by their minors: that the last rows can be solved, and that the differentials of all equations are independent on
//! the set, which makes it a submanifold of the counted dimension with these equations, radical and real. Both rest on one lemma:
//!
//! > Let χᵢ = Aᵢ ξ − ρᵢ with M ξ = R, and let y occur in R alone, ∂R/∂yᵢ = κᵢ Aᵢᵀ with κᵢ ≠ 0. If M is symmetric and definite then
//! > ∂χ/∂y = A M⁻¹ Aᵀ κ is invertible where the rows of A are independent (Cauchy and Binet), and only there. Its diagonal pivots do
//! > not vanish.
//!
//! That the rows of A are independent is a matter of [a few columns at a time](Ground). Where a pivot is not known not to vanish it
//! becomes an inequation, and the set on which it vanishes is left undecided. A system that needs cases, that has equations which
//! depend on each other, or of which one of the proofs is not found, is none for this file.

use super::{DynamicBranch, Dynamics, LogEntry, LogItem, Problem, Task, Undecided};
use crate::algebra::assume::Sign;
use crate::algebra::decide::semidefinite;
use crate::algebra::generator::Generator;
use crate::algebra::linear::Matrix;
use crate::algebra::linear::definite::Definiteness;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::Branch;
use crate::algebra::stratum::independence::{Ground, blocks};
use crate::algebra::stratum::leaves::Row;
use crate::algebra::stratum::rank::Rank;
use crate::algebra::stratum::tangent::{conormal, determinant, differential};
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::mechanics::certificate::{Certificate, Outcome};
use crate::mechanics::invariant_set::Vectors;

/// Larger blocks are not solved by their determinants.
const MAX_DETERMINANT: usize = 4;

/// Entries of more terms are not looked at as pivots.
const MAX_PIVOT_TERMS: usize = 40;

/// How many pivots may become inequations.
const MAX_OPEN_PIVOTS: usize = 4;

/// An equation of the final set.
struct Equation {
    polynomial: Polynomial,
    /// The round in which it arose.
    round: usize,
    /// The equation whose tangency left it over.
    of: Option<usize>,
    /// What tangency to it demands, before any elimination.
    tangency: Row,
}

/// A row for the unknown components, and the equation whose tangency it is.
#[derive(Clone)]
struct Demand {
    row: Row,
    of: Option<usize>,
}

/// Rows that determine as many unknowns, which occur nowhere else.
struct Block {
    /// In the order of the columns: each with a diagonal pivot that does not vanish, unless there is a determinant.
    rows: Vec<Row>,
    columns: Vec<usize>,
    determinant: Option<Polynomial>,
}

/// How far the descent came.
pub(super) struct Descent<'t, 'a> {
    task: &'t Task<'a>,
    equations: Vec<Equation>,
    /// Irreducible polynomials that do not vanish on what is described: the others are left open.
    nonzero: Vec<Polynomial>,
    /// Rows in the order in which they were used, each with its pivot column.
    echelon: Vec<(usize, Row)>,
    blocks: Vec<Block>,
    rounds: usize,
}

/// The lemma, for the equations of one round.
struct Gram {
    /// The equations χᵢ, and for each the variable yᵢ.
    pairs: Vec<(usize, Symbol)>,
    /// ∂χ/∂y.
    slopes: Vec<Vec<Polynomial>>,
    /// The rows Aᵢ.
    rows: Vec<Vec<Polynomial>>,
    is_definite: bool,
}

impl<'t, 'a> Descent<'t, 'a> {
    /// The descent for a problem, if it comes to its end without cases.
    pub fn run(cx: &Inquiry, task: &'t Task<'a>) -> Budgeted<Option<Descent<'t, 'a>>> {
        let descent = Descent { task, equations: vec![], nonzero: vec![], echelon: vec![], blocks: vec![], rounds: 0 };
        Ok(cx.aside(share::DESCENT, || descent.followed_to_the_end(cx))?.flatten())
    }

    /// Whether it is worth a try before anything else: several equations contain no unknown component at all.
    pub fn is_promising(task: &Task) -> bool {
        let is_condition = |row: &&Row| row.coefficients.iter().all(Polynomial::is_zero) && !row.right.is_zero();
        task.base.rows.iter().filter(is_condition).count() > 1
    }

    /// Whether nothing was left open.
    pub fn is_whole(&self) -> bool {
        self.nonzero.is_empty()
    }

    /// How many equations the final set has.
    pub fn n_equations(&self) -> usize {
        self.equations.len()
    }

    /// Whether every equation is linear: those are easy for anybody.
    pub fn is_linear(&self) -> bool {
        self.equations.iter().all(|e| e.polynomial.total_degree() <= 1)
    }

    fn followed_to_the_end(mut self, cx: &Inquiry) -> Budgeted<Option<Self>> {
        let mut active: Vec<Demand> =
            self.task.base.rows.iter().map(|row| Demand { row: row.clone(), of: None }).collect();
        loop {
            let Some(pending) = self.follow_to_a_standstill(cx, active)? else { return Ok(None) };
            let mut ground = self.ground();
            let lemmas = self.lemmas(cx, &mut ground)?;
            let Some(open) = self.solve_blocks(cx, &mut ground, &lemmas, &pending)? else { return Ok(None) };
            match open {
                None if self.are_independent(cx, &ground)? => return Ok(Some(self)),
                None => return Ok(None),
                // A pivot that may vanish somewhere: what follows holds where it does not.
                Some((i, j)) => {
                    active = pending;
                    if !self.open_pivot(cx, &mut active, i, j)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Rounds until tangency brings nothing new; what is left are rows without a pivot that vanishes nowhere.
    fn follow_to_a_standstill(&mut self, cx: &Inquiry, mut active: Vec<Demand>) -> Budgeted<Option<Vec<Demand>>> {
        loop {
            let residuals = self.eliminate(cx, &mut active)?;
            let Some(new) = self.new_equations(cx, residuals)? else { return Ok(None) };
            if new.is_empty() {
                return Ok(Some(active));
            }
            if self.rounds > 2 * self.task.frame.coordinates().len() {
                return Ok(None);
            }
            for (polynomial, of) in new {
                let mut row = self.task.tangency(cx, &polynomial)?;
                let right = row.pop().unwrap_or_default();
                let tangency = Row { coefficients: row, right };
                active.push(Demand { row: tangency.clone(), of: Some(self.equations.len()) });
                self.equations.push(Equation { polynomial, round: self.rounds, of, tangency });
            }
            self.rounds += 1;
        }
    }

    /// Uses up rows with a pivot that vanishes nowhere, and takes out those without coefficients: their right sides.
    fn eliminate(&mut self, cx: &Inquiry, active: &mut Vec<Demand>) -> Budgeted<Vec<(Polynomial, Option<usize>)>> {
        let (frame, everything) = (self.task.frame, self.task.frame.everything());
        for demand in active.iter_mut() {
            for (column, used) in &self.echelon {
                if !demand.row.coefficients[*column].is_zero() {
                    demand.row = demand.row.without(cx, used, *column)?;
                }
            }
            demand.row.reduce(cx, frame, &everything)?;
        }
        let mut residuals = Vec::new();
        loop {
            cx.check()?;
            let is_done = |d: &Demand| d.row.coefficients.iter().all(Polynomial::is_zero);
            for d in active.iter().filter(|d| is_done(d) && !d.row.right.is_zero()) {
                residuals.push((d.row.right.clone(), d.of));
            }
            active.retain(|d| !is_done(d));
            let Some((i, j)) = self.sure_pivot(cx, active)? else { return Ok(residuals) };
            self.use_row(cx, active, i, j)?;
        }
    }

    fn use_row(&mut self, cx: &Inquiry, active: &mut Vec<Demand>, i: usize, j: usize) -> Budgeted<()> {
        let used = active.remove(i).row;
        for demand in active.iter_mut().filter(|d| !d.row.coefficients[j].is_zero()) {
            demand.row = demand.row.without(cx, &used, j)?;
            demand.row.reduce(cx, self.task.frame, &self.task.frame.everything())?;
        }
        self.echelon.push((j, used));
        Ok(())
    }

    /// A number if there is one, else what vanishes nowhere; in the row with the fewest entries.
    fn sure_pivot(&self, cx: &Inquiry, active: &[Demand]) -> Budgeted<Option<(usize, usize)>> {
        let ground = Ground::new(self.task.frame, &[], &self.nonzero);
        let mut best: Option<((bool, usize, usize), (usize, usize))> = None;
        for (i, demand) in active.iter().enumerate() {
            let entries = || demand.row.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero());
            let fill = entries().count();
            for (j, c) in entries().filter(|(_, c)| c.n_terms() <= MAX_PIVOT_TERMS) {
                let score = (!c.is_constant(), fill, c.n_terms());
                let is_better = best.as_ref().is_none_or(|(known, _)| score < *known);
                if is_better && (c.is_constant() || ground.is_nonzero(cx, c)?) {
                    best = Some((score, (i, j)));
                }
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    /// The pivot of the least degree among rows that have no sure one: its factors do not vanish from here on.
    fn open_pivot(&mut self, cx: &Inquiry, active: &mut Vec<Demand>, i: usize, j: usize) -> Budgeted<bool> {
        let ground = Ground::new(self.task.frame, &[], &self.nonzero);
        // 1 - sin^2 vanishes where the cosine does.
        let pivot = &active[i].row.coefficients[j];
        let zeros = semidefinite(cx, pivot)?.map(|found| found.zeros).filter(|zeros| zeros.len() == 1);
        let pivot = zeros.and_then(|zeros| zeros.into_iter().next()).unwrap_or_else(|| pivot.clone());
        let mut new = Vec::new();
        for f in self.task.frame.irreducible_factors(cx, &pivot) {
            if !ground.is_nonzero(cx, &f)? {
                new.push(f);
            }
        }
        if self.nonzero.len() + new.len() > MAX_OPEN_PIVOTS {
            return Ok(false);
        }
        self.nonzero.extend(new);
        self.use_row(cx, active, i, j)?;
        Ok(true)
    }

    /// The right sides that were left over as equations; `None` if one of them contradicts the others or falls into cases.
    fn new_equations(
        &self,
        cx: &Inquiry,
        residuals: Vec<(Polynomial, Option<usize>)>,
    ) -> Budgeted<Option<Vec<(Polynomial, Option<usize>)>>> {
        let mut new: Vec<(Polynomial, Option<usize>)> = Vec::new();
        for (p, of) in residuals {
            let Some(g) = self.task.frame.one_equation(cx, &p, &self.nonzero)? else { return Ok(None) };
            let known = self.equations.iter().map(|e| &e.polynomial);
            let known: Vec<&Polynomial> = known.chain(new.iter().map(|(g, _)| g)).collect();
            if !divides_to_zero(cx, &g, &known)? {
                new.push((g, of));
            }
        }
        Ok(Some(new))
    }

    fn ground(&self) -> Ground<'t> {
        let equations: Vec<Polynomial> = self.equations.iter().map(|e| e.polynomial.clone()).collect();
        Ground::new(self.task.frame, &equations, &self.nonzero)
    }

    /// The lemma for every round to which it applies; what it shows is learned.
    fn lemmas(&self, cx: &Inquiry, ground: &mut Ground) -> Budgeted<Vec<Gram>> {
        let mut found = Vec::new();
        for round in 0..self.rounds {
            let Some(gram) = self.gram(cx, round, ground)? else { continue };
            if gram.is_definite && ground.are_independent(cx, &gram.rows)? {
                self.learn(cx, &gram, ground)?;
            }
            found.push(gram);
        }
        Ok(found)
    }

    fn learn(&self, cx: &Inquiry, gram: &Gram, ground: &mut Ground) -> Budgeted<()> {
        for rows in [&gram.slopes, &gram.rows] {
            for block in blocks(rows) {
                ground.learn(cx, &block.iter().map(|i| rows[*i].clone()).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    /// The lemma for the equations of one round, as far as its hypotheses hold without a word on independence.
    fn gram(&self, cx: &Inquiry, round: usize, ground: &Ground) -> Budgeted<Option<Gram>> {
        let frame = self.task.frame;
        let mut members: Vec<(usize, &Row)> = Vec::new();
        for (i, e) in self.equations.iter().enumerate().filter(|(_, e)| e.round == round) {
            if let Some(parent) = e.of.map(|k| &self.equations[k].tangency)
                && !parent.coefficients.iter().all(Polynomial::is_zero)
            {
                members.push((i, parent));
            }
        }
        if members.is_empty() {
            return Ok(None);
        }
        let earlier = || self.equations.iter().filter(|e| e.round < round).map(|e| &e.polynomial);
        let of_a = || members.iter().flat_map(|(_, a)| a.coefficients.iter().chain([&a.right]));
        let of_m = || self.task.base.rows.iter().flat_map(|row| &row.coefficients);
        let is_apart = |s: Symbol| !earlier().chain(of_a()).chain(of_m()).any(|p| depends(p, s));
        let occurs = |s: Symbol| members.iter().any(|(i, _)| depends(&self.equations[*i].polynomial, s));
        let candidates: Vec<Symbol> =
            frame.coordinates()[1..].iter().copied().filter(|s| occurs(*s) && is_apart(*s)).collect();
        let Some(sides) = Sides::of(cx, self, members.iter().map(|(_, a)| *a), &candidates)? else { return Ok(None) };
        let mut pairs: Vec<(usize, Symbol)> = Vec::new();
        let mut rows = Vec::new();
        for (i, a) in &members {
            let a: Vec<Polynomial> = sides.columns.iter().map(|c| a.coefficients[*c].clone()).collect();
            let normal = ground.without_factor(cx, a.clone())?;
            let mut partner = None;
            for (k, y) in candidates.iter().enumerate() {
                if partner.is_none()
                    && !pairs.iter().any(|(_, s)| s == y)
                    && ground.without_factor(cx, sides.slopes[k].clone())? == normal
                {
                    partner = Some(*y);
                }
            }
            if let Some(y) = partner {
                pairs.push((*i, y));
                rows.push(a);
            }
        }
        let mut columns: Vec<Symbol> = pairs.iter().map(|(_, y)| *y).collect();
        columns.sort_by_key(|y| frame.coordinates().iter().position(|s| s == y));
        let mut slopes = Vec::with_capacity(pairs.len());
        for (i, _) in &pairs {
            let chi = &self.equations[*i].polynomial;
            slopes.push(columns.iter().map(|y| frame.derivative(cx, chi, *y)).collect::<Budgeted<Vec<_>>>()?);
        }
        Ok((!pairs.is_empty()).then_some(Gram { pairs, slopes, rows, is_definite: sides.is_definite() }))
    }

    /// Solves what is left in blocks; a place for a pivot that may vanish if that does not do, `None` if nothing does.
    #[allow(clippy::type_complexity)]
    fn solve_blocks(
        &mut self,
        cx: &Inquiry,
        ground: &mut Ground,
        lemmas: &[Gram],
        pending: &[Demand],
    ) -> Budgeted<Option<Option<(usize, usize)>>> {
        let rows: Vec<Vec<Polynomial>> = pending.iter().map(|d| d.row.coefficients.clone()).collect();
        let mut solved = Vec::new();
        let mut inequations: Vec<Polynomial> = Vec::new();
        // What one row determines alone does not belong to a larger block.
        let entries = |i: usize| rows[i].iter().enumerate().filter(|(_, c)| !c.is_zero()).map(|(j, _)| j);
        let is_shared = |i: usize, j: usize| rows.iter().enumerate().any(|(k, row)| k != i && !row[j].is_zero());
        let alone = |i: usize| entries(i).next().filter(|j| entries(i).count() == 1 && is_shared(i, *j));
        if let Some(place) = (0..rows.len()).find_map(|i| Some((i, alone(i)?))) {
            return Ok(Some(Some(place)));
        }
        for block in blocks(&rows) {
            let used = |j: &usize| block.iter().any(|i| !rows[*i][*j].is_zero());
            let columns: Vec<usize> = (0..self.task.unknowns.len()).filter(used).collect();
            let matrix: Vec<Vec<Polynomial>> =
                block.iter().map(|i| columns.iter().map(|j| rows[*i][*j].clone()).collect()).collect();
            if block.len() == columns.len() {
                if ground.knows(cx, &matrix)?
                    && let Some(order) = self.diagonal(&block, &columns, pending, lemmas)
                {
                    let rows = order.iter().map(|i| pending[*i].row.clone()).collect();
                    solved.push(Block { rows, columns, determinant: None });
                    continue;
                }
                if let Some((determinant, factors)) = self.determinant(cx, &matrix)? {
                    inequations.extend(factors);
                    ground.learn(cx, &matrix)?;
                    for gram in lemmas {
                        if self.is_slopes(cx, ground, gram)? {
                            self.learn(cx, gram, ground)?;
                        }
                    }
                    let rows = block.iter().map(|i| pending[*i].row.clone()).collect();
                    solved.push(Block { rows, columns, determinant: Some(determinant) });
                    continue;
                }
            }
            // Rows of the equations themselves before those of tangency.
            let place = |i: &usize| {
                let entries = rows[*i].iter().enumerate().filter(|(_, c)| !c.is_zero());
                entries.map(|(j, c)| ((pending[*i].of.is_some(), c.total_degree(), c.n_terms()), (*i, j))).min()
            };
            return Ok(block.iter().filter_map(place).min().map(|(_, place)| Some(place)));
        }
        self.blocks = solved;
        self.nonzero.extend(inequations);
        self.nonzero.sort();
        self.nonzero.dedup();
        Ok((self.nonzero.len() <= MAX_OPEN_PIVOTS).then_some(None))
    }

    fn is_slopes(&self, cx: &Inquiry, ground: &Ground, gram: &Gram) -> Budgeted<bool> {
        for block in blocks(&gram.slopes) {
            let rows: Vec<Vec<Polynomial>> = block.iter().map(|i| gram.slopes[*i].clone()).collect();
            if !ground.knows(cx, &rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rows of a block in the order that puts the pivots of the lemma on the diagonal.
    fn diagonal(&self, block: &[usize], columns: &[usize], pending: &[Demand], lemmas: &[Gram]) -> Option<Vec<usize>> {
        let coordinate = |s: Symbol| s.as_jet().map(|(q, _)| q);
        let row_of = |column: &usize| {
            let q = coordinate(self.task.unknowns[*column])?;
            block.iter().copied().find(|i| {
                let mut at = pending[*i].of;
                while let Some(k) = at {
                    let pair = lemmas.iter().flat_map(|g| &g.pairs).find(|(e, _)| *e == k);
                    if let Some((_, y)) = pair {
                        return coordinate(*y) == Some(q);
                    }
                    at = self.equations[k].of;
                }
                false
            })
        };
        let order: Vec<usize> = columns.iter().map(row_of).collect::<Option<_>>()?;
        let is_permutation = block.iter().all(|i| order.contains(i));
        is_permutation.then_some(order)
    }

    /// The determinant of a small block and those of its factors that may vanish; `None` if it is zero or not found.
    fn determinant(&self, cx: &Inquiry, matrix: &[Vec<Polynomial>]) -> Budgeted<Option<(Polynomial, Vec<Polynomial>)>> {
        if matrix.len() > MAX_DETERMINANT {
            return Ok(None);
        }
        let columns: Vec<usize> = (0..matrix.len()).collect();
        let found = cx.aside(share::DETERMINANT, || {
            let all = determinant(cx, matrix, &columns)?;
            let all = self.task.frame.everything().reduce(cx, self.task.frame, &all)?;
            let mut open = Vec::new();
            for f in self.task.frame.irreducible_factors(cx, &all) {
                if !self.nonzero.contains(&f) && !self.task.frame.vanishes_nowhere(cx, &f)? {
                    open.push(f);
                }
            }
            Ok((all, open))
        })?;
        Ok(found.filter(|(all, _)| !all.is_zero()))
    }

    /// Whether the differentials of all equations are independent on the set: by rounds, the last first, in the columns that
    /// belong to a round alone.
    fn are_independent(&self, cx: &Inquiry, ground: &Ground) -> Budgeted<bool> {
        let frame = self.task.frame;
        let mut left: Vec<(usize, Vec<Polynomial>)> = Vec::new();
        for e in &self.equations {
            left.push((e.round, differential(cx, frame, &e.polynomial, frame.coordinates())?));
        }
        for round in (0..self.rounds).rev() {
            let is_own = |j: &usize| left.iter().all(|(r, row)| *r == round || row[*j].is_zero());
            let own: Vec<usize> = (0..frame.coordinates().len()).filter(is_own).collect();
            let here = left.iter().filter(|(r, _)| *r == round);
            let rows: Vec<Vec<Polynomial>> =
                here.map(|(_, row)| own.iter().map(|j| row[*j].clone()).collect()).collect();
            if ground.are_independent(cx, &rows)? {
                left.retain(|(r, _)| *r != round);
            }
        }
        let rest: Vec<Vec<Polynomial>> = left.into_iter().map(|(_, row)| row).collect();
        ground.are_independent(cx, &rest)
    }

    /// The unknown components: a particular solution, and one vector for each that is free.
    fn solution(&self, cx: &Inquiry) -> Budgeted<(Vec<Expr>, Vec<Vec<Expr>>)> {
        let frame = self.task.frame;
        let width = self.task.unknowns.len();
        let is_solved =
            |c: &usize| self.echelon.iter().any(|(j, _)| j == c) || self.blocks.iter().any(|b| b.columns.contains(c));
        let free: Vec<usize> = (0..width).filter(|c| !is_solved(c)).collect();
        let mut y: Vec<Vec<Expr>> = vec![vec![Expr::zero(); 1 + free.len()]; width];
        for (k, c) in free.iter().enumerate() {
            y[*c][k + 1] = Expr::one();
        }
        for block in &self.blocks {
            for (c, value) in block.columns.iter().zip(block.solve(cx, self.task)?) {
                y[*c][0] = value;
            }
        }
        for (j, row) in self.echelon.iter().rev() {
            let pivot = frame.write(&row.coefficients[*j]);
            let others: Vec<(usize, Expr)> = (row.coefficients.iter().enumerate())
                .filter(|(c, a)| c != j && !a.is_zero())
                .map(|(c, a)| (c, frame.write(a)))
                .collect();
            for k in 0..=free.len() {
                let right = if k == 0 { frame.write(&row.right) } else { Expr::zero() };
                let known = others.iter().filter(|(c, _)| !y[*c][k].is_zero()).map(|(c, a)| -(*a * y[*c][k]));
                y[*j][k] = Expr::add_all([right].into_iter().chain(known)) / pivot;
            }
        }
        let column = |k: usize| y.iter().map(|values| values[k]).collect::<Vec<Expr>>();
        Ok((column(0), (1..=free.len()).map(column).collect()))
    }

    /// The answer. Whether the set has a point is left to the certificate, which finds one.
    pub fn report(&self, cx: &Inquiry) -> Budgeted<Dynamics> {
        let task = self.task;
        let frame = task.frame;
        let form = task.alpha.dynamical_form();
        let write = |p: &Polynomial| frame.write(p);
        let nonzero: Vec<Expr> = self.nonzero.iter().map(write).collect();
        let first = self.equations.iter().filter(|e| e.round == 0).map(|e| write(&e.polynomial)).collect();
        let primary = Branch { equations: first, nonzero: vec![] };
        let equations: Vec<Expr> = self.equations.iter().map(|e| write(&e.polynomial)).collect();
        let branch = Branch { equations: equations.clone(), nonzero: nonzero.clone() };
        let (particular, kernel) = self.solution(cx)?;
        let fields = self.fields(&particular, &kernel);
        let free = kernel.len();
        let by = "its equations have independent differentials at every point";
        let accelerations = self.accelerations(&particular, &kernel);
        let rank = Rank {
            values: vec![1 + free],
            strata: vec![(branch.clone(), 1 + free)],
            complete: Verdict::yes("the equations for vectors are solved with pivots that do not vanish on it"),
            stopped: None,
            generic: frame.generic_conditions(),
        };
        let integrable = if free == 0 {
            Verdict::yes("all brackets of the spanning fields vanish")
        } else {
            self.is_integrable(cx, &fields)
        };
        let described = DynamicBranch {
            branch: branch.clone(),
            dim: frame.coordinates().len() - self.equations.len(),
            regular: Verdict::yes(by),
            forms: self.forms(cx)?,
            rank,
            integrable,
            determined: Verdict::from_bool(free == 0, format!("the distribution has rank {}", 1 + free)),
            free,
            accelerations,
            jumps: vec![],
            conditions: vec![],
            certificate: Certificate::not_made("nothing was looked at yet"),
            fields,
            space: form.phase_space(),
        };
        let undecided: Vec<Undecided> = (self.nonzero.iter())
            .map(|f| Undecided {
                branch: Branch { equations: [primary.equations.clone(), vec![write(f)]].concat(), nonzero: vec![] },
                reason: "a pivot of the equations for vectors vanishes on it: motions of the open part may pass".into(),
            })
            .collect();
        let complete = match undecided.is_empty() {
            true => Verdict::yes("no case had to be told apart: every step holds at every point"),
            false => Verdict::no("some strata or branches are undecided"),
        };
        let log = self.log(&primary, &described, &undecided);
        let open = || Verdict::unknown("no real point of the final set was looked for");
        Ok(Dynamics {
            problem: task.problem,
            primary: vec![primary],
            branches: vec![described],
            empty: open(),
            secondary: if self.rounds > 1 { open() } else { Verdict::no("the final set is the primary one") },
            complete,
            coverage: Certificate::not_made("nothing was looked at yet"),
            undecided,
            rounds: self.rounds,
            undescribed: vec![],
            stopped: None,
            log,
            generic: frame.generic_conditions(),
        })
    }

    fn fields(&self, particular: &[Expr], kernel: &[Vec<Expr>]) -> Vec<VectorField> {
        let t = self.task.alpha.dynamical_form().manifold().base();
        let unknowns = &self.task.unknowns;
        let first = [(t, Expr::one())].into_iter().chain(self.task.known.iter().copied());
        let first = first.chain(unknowns.iter().copied().zip(particular.iter().copied()));
        let others = kernel.iter().map(|v| VectorField::new(unknowns.iter().copied().zip(v.iter().copied())));
        [VectorField::new(first)].into_iter().chain(others).collect()
    }

    fn accelerations(&self, particular: &[Expr], kernel: &[Vec<Expr>]) -> Vec<(Symbol, Option<Expr>)> {
        let form = self.task.alpha.dynamical_form();
        let m = form.manifold().n_coordinates();
        let offset = self.task.unknowns.len() - m;
        let value = |nu: usize| {
            let is_free = kernel.iter().any(|k| !k[offset + nu].is_zero());
            (!is_free).then(|| particular[offset + nu])
        };
        (0..m).map(|nu| (crate::mechanics::jet(form.manifold(), nu, form.order()), value(nu))).collect()
    }

    fn forms(&self, cx: &Inquiry) -> Budgeted<Vec<Form>> {
        let mut forms = self.task.forms_of_problem(cx);
        for e in &self.equations {
            forms.push(Form::function(conormal(cx, self.task.frame, &e.polynomial)?).d(cx));
        }
        Ok(forms)
    }

    /// Brackets that vanish identically; others would have to be compared on the set.
    fn is_integrable(&self, cx: &Inquiry, fields: &[VectorField]) -> Verdict {
        let pairs = fields.iter().enumerate().flat_map(|(i, x)| fields[i + 1..].iter().map(move |z| (x, z)));
        for (x, z) in pairs {
            let has_common = |e: Expr, of: &VectorField| e.symbols().iter().any(|s| !of.component(*s).is_zero());
            let is_apart = !x.components().iter().any(|(_, e)| has_common(*e, z))
                && !z.components().iter().any(|(_, e)| has_common(*e, x));
            if !is_apart && !x.bracket(cx, z).components().is_empty() {
                return Verdict::unknown("the brackets of the spanning fields were not compared on the set");
            }
        }
        Verdict::yes("all brackets of the spanning fields vanish")
    }

    /// The derivation, round by round.
    fn log(&self, primary: &Branch, found: &DynamicBranch, undecided: &[Undecided]) -> Vec<LogEntry> {
        let what = match self.task.problem {
            Problem::Extended => "the primary constraint set, where rank F = rank (F|A)",
            Problem::Proper => "the primary semispray-constraint set, where rank B = rank (B|A)",
        };
        let set = LogItem::Sets { label: "P".into(), list: vec![primary.clone()] };
        let mut log = vec![LogEntry { title: format!("Step 1: {what}"), items: vec![set] }];
        for round in 1..self.rounds {
            let here = self.equations.iter().filter(|e| e.round == round);
            let list = here.map(|e| self.task.frame.write(&e.polynomial)).collect();
            let label = "a vector is tangent only where these vanish too".into();
            let items = vec![LogItem::Expressions { label, list }];
            log.push(LogEntry { title: format!("Round {round}: no case has to be told apart"), items });
        }
        let mut items =
            vec![LogItem::Sets { label: format!("of dimension {}", found.dim), list: vec![found.branch.clone()] }];
        for block in &self.blocks {
            let how = match &block.determinant {
                None => "by a Gram matrix that is definite on the set".to_string(),
                Some(_) => "by a determinant".to_string(),
            };
            let names: Vec<String> = block.columns.iter().map(|c| self.task.unknowns[*c].to_string()).collect();
            items.push(LogItem::Remark(format!("the components along {} are determined {how}", names.join(", "))));
        }
        let free = match found.free {
            0 => "the motion is determined".to_string(),
            1 => "one function of time is free".to_string(),
            n => format!("{n} functions of time are free"),
        };
        log.push(LogEntry { title: format!("Final branch 1: {free}"), items });
        for u in undecided {
            let set = LogItem::Sets { label: "branch".into(), list: vec![u.branch.clone()] };
            log.push(LogEntry { title: format!("Undecided: {}", u.reason), items: vec![set] });
        }
        log.push(LogEntry { title: "Result: one final branch".into(), items: vec![] });
        log
    }
}

/// What a real point on the branch of a descent settles: that the set is not empty, and smaller than the primary one.
pub(super) fn with_point(mut found: Dynamics) -> Dynamics {
    if found.branches.iter().any(|b| b.certificate.outcome == Outcome::Passed) {
        found.empty = Verdict::no("a real point lies on it, by the certificate");
        if found.secondary.is_unknown() {
            found.secondary = Verdict::yes("the final set has a smaller dimension than the primary one");
        }
    }
    found
}

impl Block {
    /// Solves its rows without writing anything out.
    fn solve(&self, cx: &Inquiry, task: &Task) -> Budgeted<Vec<Expr>> {
        let n = self.columns.len();
        let mut right: Vec<Expr> = self.rows.iter().map(|row| task.frame.write(&row.right)).collect();
        if let Some(all) = &self.determinant {
            return self.by_cofactors(cx, task, all, &right);
        }
        let entry = |row: &Row| self.columns.iter().map(|c| task.frame.write(&row.coefficients[*c])).collect();
        let mut a: Vec<Vec<Expr>> = self.rows.iter().map(entry).collect();
        for k in 0..n {
            for i in k + 1..n {
                if a[i][k].is_zero() {
                    continue;
                }
                let factor = a[i][k] / a[k][k];
                for j in k + 1..n {
                    if !a[k][j].is_zero() {
                        a[i][j] = a[i][j] - factor * a[k][j];
                    }
                }
                right[i] = right[i] - factor * right[k];
            }
        }
        let mut y = vec![Expr::zero(); n];
        for k in (0..n).rev() {
            let known = (k + 1..n).filter(|j| !a[k][*j].is_zero()).map(|j| -(a[k][j] * y[j]));
            y[k] = Expr::add_all([right[k]].into_iter().chain(known)) / a[k][k];
        }
        Ok(y)
    }

    /// Cramer's rule.
    fn by_cofactors(&self, cx: &Inquiry, task: &Task, all: &Polynomial, right: &[Expr]) -> Budgeted<Vec<Expr>> {
        let n = self.columns.len();
        let matrix: Vec<Vec<Polynomial>> =
            self.rows.iter().map(|row| self.columns.iter().map(|c| row.coefficients[*c].clone()).collect()).collect();
        let mut y = Vec::with_capacity(n);
        for j in 0..n {
            let others: Vec<usize> = (0..n).filter(|k| *k != j).collect();
            let mut terms = Vec::with_capacity(n);
            for i in 0..n {
                let rows: Vec<Vec<Polynomial>> =
                    matrix.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, row)| row.clone()).collect();
                let minor = task.frame.write(&determinant(cx, &rows, &others)?);
                terms.push(if (i + j) % 2 == 0 { minor * right[i] } else { -(minor * right[i]) });
            }
            y.push(Expr::add_all(terms) / task.frame.write(all));
        }
        Ok(y)
    }
}

/// The part of M ξ = R on which the rows A and the variables y of the lemma meet.
struct Sides {
    /// The columns of the symmetric part.
    columns: Vec<usize>,
    /// ∂R/∂y for each candidate, in the order of the columns.
    slopes: Vec<Vec<Polynomial>>,
    /// Whether the parts that the matrix falls into are positive or negative definite.
    kinds: Vec<Definiteness>,
}

impl Sides {
    /// Whether the matrix is definite as a whole.
    fn is_definite(&self) -> bool {
        [Definiteness::Positive, Definiteness::Negative].iter().any(|kind| self.kinds.iter().all(|k| k == kind))
    }

    /// `None` if the matrix is not symmetric there, or does not determine the components that A asks for.
    fn of<'r>(
        cx: &Inquiry,
        descent: &Descent,
        rows_of_a: impl Iterator<Item = &'r Row>,
        candidates: &[Symbol],
    ) -> Budgeted<Option<Sides>> {
        let frame = descent.task.frame;
        let base = &descent.task.base.rows;
        let m = descent.task.alpha.dynamical_form().manifold().n_coordinates();
        let mut slopes: Vec<Vec<Polynomial>> = Vec::new();
        for y in candidates {
            slopes.push(base.iter().map(|row| frame.derivative(cx, &row.right, *y)).collect::<Budgeted<_>>()?);
        }
        let moves = |r: usize| slopes.iter().any(|d| !d[r].is_zero());
        let matrix: Vec<Vec<Polynomial>> = base.iter().map(|row| row.coefficients.clone()).collect();
        let mut asked = vec![false; descent.task.unknowns.len()];
        for row in rows_of_a {
            row.coefficients.iter().zip(&mut asked).for_each(|(a, asked)| *asked |= !a.is_zero());
        }
        let mut sides = Sides { columns: vec![], slopes: vec![vec![]; candidates.len()], kinds: vec![] };
        let mut reached = vec![false; asked.len()];
        for part in blocks(&matrix) {
            let touched = |rows: &[usize]| -> Vec<usize> {
                (0..asked.len()).filter(|c| rows.iter().any(|r| !matrix[*r][*c].is_zero())).collect()
            };
            let mut columns = touched(&part);
            if columns.is_empty() {
                continue;
            }
            columns.iter().for_each(|c| reached[*c] = true);
            // Rows that do not move with y, and determine what is in them: those components do not move either.
            let still: Vec<usize> = part.iter().copied().filter(|r| !moves(*r)).collect();
            let fixed = touched(&still);
            let is_closed = !still.is_empty() && still.len() == fixed.len();
            let mut rows = part.clone();
            if is_closed && descent.is_solvable(cx, &still, &fixed)? {
                rows.retain(|r| !still.contains(r));
                columns.retain(|c| !fixed.contains(c));
            }
            if rows.is_empty() {
                continue;
            }
            // Each row beside the column of the same coordinate.
            let row_of = |c: &usize| rows.iter().copied().find(|r| r % m == c % m);
            let Some(paired) = columns.iter().map(row_of).collect::<Option<Vec<usize>>>() else { return Ok(None) };
            let entry = |i: usize, k: usize| &matrix[paired[i]][columns[k]];
            let n = columns.len();
            if n != rows.len() || (0..n).any(|i| (0..i).any(|k| entry(i, k) != entry(k, i))) {
                return Ok(None);
            }
            sides.kinds.push(descent.definiteness(cx, &Matrix::from_fn(n, n, |i, k| frame.write(entry(i, k))))?);
            for (y, d) in slopes.iter().enumerate() {
                sides.slopes[y].extend(paired.iter().map(|r| d[*r].clone()));
            }
            sides.columns.extend(columns);
        }
        let is_known = asked.iter().zip(&reached).all(|(asked, reached)| !asked || *reached);
        Ok(is_known.then_some(sides))
    }
}

impl Descent<'_, '_> {
    /// Whether some rows of the equations determine as many components, with pivots that vanish nowhere.
    fn is_solvable(&self, cx: &Inquiry, rows: &[usize], columns: &[usize]) -> Budgeted<bool> {
        let base = &self.task.base.rows;
        let part = |r: &usize| Row {
            coefficients: columns.iter().map(|c| base[*r].coefficients[*c].clone()).collect(),
            right: Polynomial::zero(),
        };
        let mut active: Vec<Demand> = rows.iter().map(|r| Demand { row: part(r), of: None }).collect();
        let mut trial = Descent {
            task: self.task,
            equations: vec![],
            nonzero: self.nonzero.clone(),
            echelon: vec![],
            blocks: vec![],
            rounds: 0,
        };
        trial.eliminate(cx, &mut active)?;
        Ok(trial.echelon.len() == columns.len())
    }

    /// What a symmetric matrix is where the inequations hold.
    fn definiteness(&self, cx: &Inquiry, matrix: &Matrix) -> Budgeted<Definiteness> {
        let facts = self.nonzero.iter().map(|p| (self.task.frame.write(p), Sign::NONZERO));
        match cx.assuming(facts) {
            Some(cx) => matrix.definiteness(&cx),
            None => Ok(Definiteness::Conditions),
        }
    }
}

/// Whether a polynomial depends on a symbol, be it inside a function.
fn depends(p: &Polynomial, s: Symbol) -> bool {
    p.variables().iter().any(|v| Generator(*v).meaning().contains(s))
}

/// Whether dividing by the known ones, each as often as it goes, leaves nothing.
fn divides_to_zero(cx: &Inquiry, g: &Polynomial, known: &[&Polynomial]) -> Budgeted<bool> {
    let mut rest = g.clone();
    loop {
        let before = rest.clone();
        for h in known {
            if !rest.is_zero() && h.total_degree() <= rest.total_degree() {
                rest = rest.div_rem(cx, h)?.1;
            }
        }
        if rest.is_zero() || rest == before {
            return Ok(rest.is_zero());
        }
    }
}
