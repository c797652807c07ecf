//! Where the total Hamiltonian field is tangent to its constraints: Dirac's algorithm by strata.
//!
//! On each [chart](super::primary) of the primary set the loop of [`invariant_set`](super::invariant_set) cuts down to what is
//! tangent, ∂g/∂t + {g, H_c} + u^a{g, φ_a} = 0 for every equation g. Three things happen beside the generic case:
//!
//! - charts of one rank overlap, and what they find is put together;
//! - on a final set the multipliers may be freer on a part of it, where brackets {g, φ_a} vanish; a smaller invariant set there is a
//!   branch of its own unless its motions are those of the whole set, continued;
//! - a motion of a chart may run through points of a lower one: those in the closure of a final set are final themselves, or undecided.
//!
//! A final set without a real point, or outside the domain of L, does not exist.

use super::invariant_set::{InvariantSets, Vectors, closure, generic_leaf};
use super::passage::Curves;
use super::primary::Chart;
use crate::algebra::Inquiry;
use crate::algebra::decide::sign;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Node, post_order};
use crate::algebra::generator::{Generator, Kind};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::roots::count_real_roots;
use crate::algebra::stratum::leaves::{Fraction, Leaf, LinearSystem, Solution};
use crate::algebra::stratum::regular::{Regularity, regularity};
use crate::algebra::stratum::{Cell, Frame, set};
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol, Verdict};
use crate::budget::{Budgeted, Exhausted, share};
use crate::geometry::field::VectorField;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// More branches than this are not looked at for parts with more freedom.
const MAX_BRANCHES: usize = 24;

/// The total Hamiltonian field on a chart: unknown are the multipliers.
struct TotalField<'a> {
    chart: &'a Chart,
    frame: &'a Frame,
    base: LinearSystem,
}

impl Vectors for TotalField<'_> {
    fn base(&self) -> &LinearSystem {
        &self.base
    }

    /// u^a Y_a(g) = −X(g).
    fn tangency(&self, cx: &Inquiry, g: &Polynomial) -> Budgeted<Vec<Polynomial>> {
        let g = self.frame.write(g);
        let along = self.chart.free.iter().map(|y| y.apply(cx, g));
        let row: Vec<Expr> = along.chain([-self.chart.drift.apply(cx, g)]).map(|e| super::tidy(cx, e)).collect();
        self.frame.read_row(cx, &row)
    }

    /// Curves of ∂_t + X + u^a Y_a, with multipliers that are functions of time.
    fn crossing(&self, cx: &Inquiry, stratum: &Cell, within: &Cell) -> Budgeted<Vec<Cell>> {
        let Some((time, moving)) = self.frame.coordinates().split_first() else { return Ok(vec![stratum.clone()]) };
        if !self.chart.quadratic.is_empty() {
            return Ok(vec![stratum.clone()]);
        }
        let integrals = (0..self.chart.free.len()).map(|a| Coordinate::declare(&format!("integral(u{a})"), false));
        let integrals: Vec<Coordinate> = integrals.collect();
        let speed = |s: &Symbol| {
            let free = self.chart.free.iter().zip(&integrals);
            let moved = free.map(|(y, u)| y.component(*s) * Expr::symbol(u.jet(1)));
            (*s, super::tidy(cx, self.chart.drift.component(*s) + Expr::add_all(moved)))
        };
        let known: Vec<(Symbol, Expr)> = moving.iter().map(speed).collect();
        let unknowns: Vec<Symbol> = integrals.iter().map(|u| u.jet(0)).collect();
        let velocities = OnceCell::from(integrals);
        Curves {
            frame: self.frame,
            time: *time,
            known: &known,
            unknowns: &unknowns,
            system: &self.base,
            velocities: &velocities,
        }
        .crossing(cx, stratum, within)
    }

    fn is_linear(&self, cx: &Inquiry, set: &Cell, g: &Polynomial) -> Budgeted<bool> {
        let g = self.frame.write(g);
        for y in &self.chart.quadratic {
            let rest = self.frame.read_numerator(cx, y.apply(cx, g))?;
            if !set.reduce(cx, self.frame, &rest)?.is_zero() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A set to which the field is tangent.
#[derive(Clone, Debug)]
pub(crate) struct Final {
    pub cell: Cell,
    pub chart: usize,
}

/// What a run on one chart found.
struct Followed {
    finals: Vec<Cell>,
    unsolved: Vec<Cell>,
    boundary: Vec<Cell>,
    stopped: Option<Exhausted>,
}

/// The state of the search.
pub(crate) struct Search<'a> {
    pub frame: &'a Frame,
    pub charts: &'a [Chart],
    /// What L needs to be real, in t and q.
    pub domain: Vec<Condition>,
    pub finals: Vec<Final>,
    /// What was not followed to its end.
    pub unsolved: Vec<Cell>,
    /// Where motions of an open part may pass.
    pub boundary: Vec<Cell>,
    /// What was not decided about the final sets, in words.
    pub doubts: Vec<String>,
    starts: Vec<(Cell, usize)>,
}

impl<'a> Search<'a> {
    pub fn new(frame: &'a Frame, charts: &'a [Chart], domain: Vec<Condition>) -> Search<'a> {
        let (finals, unsolved, boundary) = (vec![], vec![], vec![]);
        Search { frame, charts, domain, finals, unsolved, boundary, doubts: vec![], starts: vec![] }
    }

    /// All of it. What is found is kept when a budget ends.
    pub fn run(&mut self, cx: &Inquiry) -> Budgeted<()> {
        for k in 0..self.charts.len() {
            self.starts.extend(self.frame.cells(cx, &self.charts[k].branch)?.into_iter().map(|cell| (cell, k)));
        }
        for k in 0..self.charts.len() {
            let start = self.starts.iter().filter(|(_, at)| *at == k).map(|(cell, _)| cell.clone()).collect();
            let followed = self.follow(cx, k, start);
            self.finals.extend(followed.finals.into_iter().map(|cell| Final { cell, chart: k }));
            self.unsolved.extend(followed.unsolved);
            self.boundary.extend(followed.boundary);
            if let Some(why) = followed.stopped {
                self.unsolved.extend(self.starts.iter().filter(|(_, at)| *at > k).map(|(cell, _)| cell.clone()));
                return Err(why);
            }
        }
        self.merge(cx)?;
        self.check(cx)?;
        self.find_jumps(cx)?;
        self.find_crossings(cx)
    }

    /// The inequations of a chart.
    fn nonzero(&self, cx: &Inquiry, k: usize) -> Budgeted<Vec<Polynomial>> {
        self.charts[k].branch.nonzero.iter().map(|e| self.frame.read_numerator(cx, *e)).collect()
    }

    /// The part of a cell in a chart.
    fn in_chart(&self, cx: &Inquiry, cell: &Cell, k: usize) -> Budgeted<Vec<Cell>> {
        self.frame.refine(cx, cell, &[], &self.nonzero(cx, k)?)
    }

    /// The loop on a chart. The denominators of its fields belong to the domain meanwhile, so that the inequations of the chart
    /// are said again afterwards.
    fn follow(&self, cx: &Inquiry, k: usize, start: Vec<Cell>) -> Followed {
        let chart = &self.charts[k];
        let mut followed = self.frame.on_stratum(|| {
            let field = TotalField { chart, frame: self.frame, base: LinearSystem::new(chart.free.len()) };
            let mut sets = InvariantSets::new(self.frame, &field);
            sets.queue = start;
            let mut stopped = sets.iterate(cx).and_then(|()| sets.settle_boundaries(cx, |_| Ok(vec![]))).err();
            let finals = sets.maximal_finals(cx).unwrap_or_else(|why| {
                stopped.get_or_insert(why);
                sets.finals.clone()
            });
            let boundary = sets.unsettled(cx, &finals).unwrap_or_else(|why| {
                stopped.get_or_insert(why);
                sets.boundary.iter().map(|(stratum, _)| stratum.clone()).collect()
            });
            let unsolved = sets.unsolved.iter().chain(&sets.queue).cloned().collect();
            Followed { finals, unsolved, boundary, stopped }
        });
        if !chart.branch.nonzero.is_empty() {
            for list in [&mut followed.finals, &mut followed.unsolved, &mut followed.boundary] {
                *list = list.iter().flat_map(|cell| self.said_again(cx, cell, k)).collect();
            }
        }
        followed
    }

    fn said_again(&self, cx: &Inquiry, cell: &Cell, k: usize) -> Vec<Cell> {
        cx.grace(|| self.in_chart(cx, cell, k)).unwrap_or_else(|_| vec![cell.clone()])
    }

    /// Charts of one rank cover one stratum together: inequations that belong to a chart alone are dropped.
    fn merge(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let mut ranks: Vec<usize> = self.charts.iter().map(|c| c.rank).collect();
        ranks.dedup();
        let mut merged = Vec::new();
        for rank in ranks {
            let of_rank = |f: &&Final| self.charts[f.chart].rank == rank;
            let group: Vec<Final> = self.finals.iter().filter(of_rank).cloned().collect();
            if self.charts.iter().filter(|c| c.rank == rank).count() < 2 {
                merged.extend(group);
                continue;
            }
            let cells: Vec<Cell> = group.iter().map(|f| f.cell.clone()).collect();
            let cells = cx.aside(share::SIDE, || set::merged(cx, self.frame, cells.clone()))?.unwrap_or(cells);
            for cell in cells {
                for chart in (0..self.charts.len()).filter(|k| self.charts[*k].rank == rank) {
                    if !self.in_chart(cx, &cell, chart)?.is_empty() {
                        merged.push(Final { cell, chart });
                        break;
                    }
                }
            }
        }
        self.finals = merged;
        Ok(())
    }

    /// Final sets that have points in the domain of L, on which the motions are affine in the multipliers.
    fn check(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let mut kept = Vec::new();
        for f in std::mem::take(&mut self.finals) {
            match self.exists(cx, &f.cell)? {
                Verdict::No(_) => continue,
                Verdict::Unknown(why) => self.doubts.push(format!("whether a branch has a real point: {why}")),
                Verdict::Yes(_) => {}
            }
            if let Regularity::Unknown(why) = regularity(cx, self.frame, &f.cell)? {
                self.doubts.push(format!("of a branch: {why}"));
            }
            if self.is_affine(cx, &f)? { kept.push(f) } else { self.unsolved.push(f.cell) }
        }
        self.finals = kept;
        let mut boundary = Vec::new();
        for cell in std::mem::take(&mut self.boundary) {
            if !self.exists(cx, &cell)?.is_no() {
                boundary.push(cell);
            }
        }
        self.boundary = boundary;
        Ok(())
    }

    /// Whether the cell has a point in the domain of L.
    fn exists(&self, cx: &Inquiry, cell: &Cell) -> Budgeted<Verdict> {
        for condition in &self.domain {
            let Some((numerator, denominator)) = self.frame.read(cx, condition.left)? else { continue };
            let value = cell.value(cx, self.frame, &numerator)? / cell.value(cx, self.frame, &denominator)?;
            if condition.relation.decided_by(sign(cx, super::tidy(cx, value))) == Some(false) {
                return Ok(Verdict::no("L is not defined there"));
            }
        }
        if let Some(seen) = self.exists_visibly(cx, cell)? {
            return Ok(seen);
        }
        let found = cx.aside(share::SIDE, || set::is_empty(cx, self.frame, cell))?;
        Ok(found.map_or_else(|| Verdict::unknown("no point was found with the work of one branch"), Verdict::negate))
    }

    /// Whether what is left has real zeros when coordinates that occur linearly are put into the other equations: w² + y² + 1 may be
    /// hidden in a basis whose order likes another form of it, and 16y³ + 1 has a zero that is no rational point.
    fn exists_visibly(&self, cx: &Inquiry, cell: &Cell) -> Budgeted<Option<Verdict>> {
        let mut equations: Vec<Expr> = cell.generators(cx, self.frame)?.iter().map(|g| self.frame.write(g)).collect();
        let mut avoided: Vec<Expr> =
            cell.nonzero().iter().map(|n| self.frame.write(n)).chain(self.frame.domain()).collect();
        let linear = |equations: &[Expr]| {
            equations.iter().enumerate().find_map(|(i, e)| {
                let of = self.frame.coordinates().iter().find(|s| {
                    let slope = super::tidy(cx, partial(cx, *e, **s));
                    e.contains(**s) && slope.is_number() && !slope.is_zero() && Self::is_plain(equations, **s)
                })?;
                let slope = super::tidy(cx, partial(cx, *e, *of));
                Some((i, *of, Expr::symbol(*of) - *e / slope))
            })
        };
        while let Some((i, s, value)) = linear(&equations) {
            cx.check()?;
            equations.remove(i);
            let map = FxHashMap::from_iter([(s, value)]);
            let put = |list: &[Expr]| list.iter().map(|e| super::tidy(cx, substitute(*e, &map))).collect::<Vec<_>>();
            (equations, avoided) = (put(&equations), put(&avoided));
        }
        equations.retain(|e| !e.is_zero());
        if equations.is_empty() && avoided.iter().all(|e| !e.is_zero()) {
            return Ok(Some(Verdict::yes("it is a graph")));
        }
        let rest = equations.iter().map(|e| self.frame.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
        if let [only] = &rest[..]
            && let [v] = only.variables()
            && matches!(Generator(*v).kind(), Kind::Symbol(_))
            && !self.frame.is_constant(*v)
            && avoided.is_empty()
            && count_real_roots(cx, only, None, None)? > 0
        {
            return Ok(Some(Verdict::yes("one equation in one unknown has a real zero, and the others give the rest")));
        }
        let is_empty = self.frame.split(cx, &rest, cell.nonzero())?.is_empty();
        Ok(is_empty.then(|| Verdict::no("its equations have no real solution")))
    }

    /// Whether a coordinate stands in no function that occurs in the equations.
    fn is_plain(equations: &[Expr], s: Symbol) -> bool {
        let holds = |x: &Expr| match x.node() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum { .. } => false,
            Node::Product(factors) => factors.iter().any(|(base, k)| !k.is_integer() && base.contains(s)),
            _ => x.contains(s),
        };
        !post_order(equations).iter().any(holds)
    }

    /// Whether products of multipliers add nothing on the final set.
    fn is_affine(&self, cx: &Inquiry, f: &Final) -> Budgeted<bool> {
        for (_, e) in self.charts[f.chart].quadratic.iter().flat_map(|y| y.components()) {
            let rest = self.frame.on_stratum(|| self.frame.read_numerator(cx, e))?;
            if !f.cell.reduce(cx, self.frame, &rest)?.is_zero() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The equations for the multipliers on a part of a chart, by leaves.
    fn solve(&self, cx: &Inquiry, cell: &Cell, k: usize) -> Budgeted<Vec<Leaf>> {
        let chart = &self.charts[k];
        self.frame.on_stratum(|| {
            let field = TotalField { chart, frame: self.frame, base: LinearSystem::new(chart.free.len()) };
            InvariantSets::new(self.frame, &field).solve(cx, cell)
        })
    }

    /// The multipliers at generic points of a final set.
    pub fn multipliers(&self, cx: &Inquiry, f: &Final) -> Budgeted<Option<Solution>> {
        for cell in self.in_chart(cx, &f.cell, f.chart)? {
            let list = self.solve(cx, &cell, f.chart)?;
            if let Some(leaf) = generic_leaf(&list, &cell) {
                return leaf.solution(cx, self.frame, self.charts[f.chart].free.len()).map(Some);
            }
        }
        Ok(None)
    }

    fn find_jumps(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let mut i = 0;
        while i < self.finals.len() {
            if i >= MAX_BRANCHES {
                self.doubts.push("not all branches were looked at for parts with more freedom".into());
                break;
            }
            let f = self.finals[i].clone();
            match cx.aside(share::SIDE, || self.jumps_of(cx, &f))? {
                Some((found, unsolved)) => {
                    for jump in found {
                        if self.finals.iter().any(|known| known.cell == jump.cell) {
                            continue;
                        }
                        match self.exists(cx, &jump.cell)? {
                            Verdict::Yes(_) => self.finals.push(jump),
                            Verdict::No(_) => {}
                            // A branch that may have no real point is not listed as one.
                            Verdict::Unknown(_) => self.unsolved.push(jump.cell),
                        }
                    }
                    self.unsolved.extend(unsolved);
                }
                None => {
                    self.doubts.push("whether multipliers are freer on a part of a branch was not found out".into())
                }
            }
            i += 1;
        }
        Ok(())
    }

    /// Whether the multipliers on a part of a final set are among those that the formula of the whole set gives there.
    fn continues(&self, cx: &Inquiry, usual: &Solution, here: &Solution, cell: &Cell) -> Budgeted<bool> {
        let value = |f: &Fraction| -> Budgeted<Option<Expr>> {
            let denominator = cell.value(cx, self.frame, &f.denominator)?;
            let is_regular = !cell.reduce(cx, self.frame, &f.denominator)?.is_zero();
            let numerator = cell.value(cx, self.frame, &f.numerator)?;
            Ok(is_regular.then(|| numerator / denominator))
        };
        let values = |list: &[Fraction]| -> Budgeted<Option<Vec<Expr>>> {
            list.iter().map(value).collect::<Budgeted<Vec<_>>>().map(|list| list.into_iter().collect())
        };
        let Some(particular) = values(&usual.particular)? else { return Ok(false) };
        let mut kernel = Vec::new();
        for vector in &usual.kernel {
            let Some(vector) = values(vector)? else { return Ok(false) };
            kernel.push(vector);
        }
        let Some(own) = values(&here.particular)? else { return Ok(false) };
        let mut differences: Vec<Vec<Expr>> = vec![own.iter().zip(&particular).map(|(a, b)| *a - *b).collect()];
        for vector in &here.kernel {
            let Some(vector) = values(vector)? else { return Ok(false) };
            differences.push(vector);
        }
        for w in differences {
            for i in 0..w.len() {
                let combined = usual.free_columns.iter().zip(&kernel).map(|(j, k)| w[*j] * k[i]);
                let rest = self.frame.on_stratum(|| {
                    self.frame.read_numerator(cx, super::tidy(cx, w[i] - Expr::add_all(combined.collect::<Vec<_>>())))
                })?;
                if !cell.reduce(cx, self.frame, &rest)?.is_zero() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Invariant sets on which the multipliers are not those of the generic points of a final set, and what was not decided.
    fn jumps_of(&self, cx: &Inquiry, f: &Final) -> Budgeted<(Vec<Final>, Vec<Cell>)> {
        let rank = self.charts[f.chart].rank;
        let (mut found, mut unsolved): (Vec<Final>, Vec<Cell>) = (vec![], vec![]);
        for k in (0..self.charts.len()).filter(|k| self.charts[*k].rank == rank) {
            for cell in self.in_chart(cx, &f.cell, k)? {
                let list = self.solve(cx, &cell, k)?;
                let generic = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
                let lower = list.iter().filter(|leaf| leaf.is_solvable && leaf.rank < generic);
                let strata: Vec<Cell> = lower.map(|leaf| closure(&leaf.cell, &cell)).collect();
                if strata.is_empty() {
                    continue;
                }
                let followed = self.follow(cx, k, set::maximal(cx, self.frame, strata)?);
                if let Some(why) = followed.stopped {
                    return Err(why);
                }
                unsolved.extend(followed.unsolved);
                let width = self.charts[k].free.len();
                let Some(leaf) = generic_leaf(&list, &cell) else { continue };
                let usual = leaf.solution(cx, self.frame, width)?;
                for cell in followed.finals {
                    let jump = Final { cell, chart: k };
                    let list = self.solve(cx, &jump.cell, k)?;
                    let Some(leaf) = generic_leaf(&list, &jump.cell) else { continue };
                    let here = leaf.solution(cx, self.frame, width)?;
                    if !self.continues(cx, &usual, &here, &jump.cell)? && self.is_affine(cx, &jump)? {
                        found.push(jump);
                    }
                }
            }
        }
        if self.charts.iter().filter(|c| c.rank == rank).count() > 1 && found.len() > 1 {
            let cells = set::merged(cx, self.frame, found.iter().map(|f| f.cell.clone()).collect())?;
            let mut merged = Vec::new();
            for cell in cells {
                for k in (0..self.charts.len()).filter(|k| self.charts[*k].rank == rank) {
                    if !self.in_chart(cx, &cell, k)?.is_empty() {
                        merged.push(Final { cell, chart: k });
                        break;
                    }
                }
            }
            found = merged;
        }
        Ok((found, unsolved))
    }

    /// Points of lower charts in the closure of final sets of higher ones, as far as they are not final. Where the field of the higher
    /// one has no pole its motions go on through them, and the closure is final; the others are a boundary.
    fn find_crossings(&mut self, cx: &Inquiry) -> Budgeted<()> {
        let cells: Vec<Cell> = self.finals.iter().map(|f| f.cell.clone()).collect();
        for i in 0..self.finals.len() {
            let f = self.finals[i].clone();
            let rank = self.charts[f.chart].rank;
            let lower: Vec<Cell> =
                self.starts.iter().filter(|(_, k)| self.charts[*k].rank < rank).map(|(cell, _)| cell.clone()).collect();
            let (mut continued, mut boundary) = (Vec::new(), Vec::new());
            for start in lower {
                let left = cx.aside(share::SIDE, || {
                    let mut left = Vec::new();
                    for piece in self.frame.refine(cx, &start, f.cell.equations(), &[])? {
                        for rest in set::difference_from_all(cx, self.frame, &piece, &cells)? {
                            if !self.exists(cx, &rest)?.is_no() {
                                let is_continued = self.is_continued(cx, &f, &rest)?;
                                left.push((rest, is_continued));
                            }
                        }
                    }
                    Ok(left)
                })?;
                for (rest, is_continued) in left.unwrap_or_else(|| vec![(start, false)]) {
                    if is_continued { continued.push(rest) } else { boundary.push(rest) }
                }
            }
            if !continued.is_empty() {
                let all: Vec<Cell> = std::iter::once(&f.cell).chain(&continued).cloned().collect();
                match cx.aside(share::SIDE, || set::merged(cx, self.frame, all))?.as_deref() {
                    Some([wider]) => self.finals[i].cell = wider.clone(),
                    _ => boundary.extend(continued),
                }
            }
            for rest in boundary {
                if !self.boundary.contains(&rest) {
                    self.boundary.push(rest);
                }
            }
        }
        Ok(())
    }

    /// Whether the fields on a final set have no pole in a part of its closure.
    fn is_continued(&self, cx: &Inquiry, f: &Final, part: &Cell) -> Budgeted<bool> {
        let Some(solution) = self.multipliers(cx, f)? else { return Ok(false) };
        let chart = &self.charts[f.chart];
        let combined = |u: &[Fraction], first: Option<&VectorField>| {
            let mut sum = first.cloned().unwrap_or_else(|| VectorField::new([]));
            for (u, y) in u.iter().zip(&chart.free) {
                sum = &sum + &y.scale(u.to_expr(self.frame));
            }
            sum
        };
        let kernel = solution.kernel.iter().map(|u| combined(u, None));
        for x in [combined(&solution.particular, Some(&chart.drift))].into_iter().chain(kernel) {
            for (_, e) in x.components() {
                let read = self.frame.on_stratum(|| self.frame.read(cx, super::tidy(cx, e)))?;
                let Some((numerator, denominator)) = read else { return Ok(false) };
                if !f.cell.reduce(cx, self.frame, &numerator)?.is_zero()
                    && !self.frame.is_nonvanishing_on(cx, part, &denominator)?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
