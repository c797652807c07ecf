//! The chart of a constraint structure: which coordinates are dependent, what their jets are on each level of the tower, and which root
//! is meant where there are several. docs/theory/nonholonomic.md §3.

use super::{BranchChoice, Constraint, ConstraintStructure, Declared, NormalForm, Prolonged, put, subsets};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::decide::{is_nonzero_everywhere, sign};
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Node, Relation, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::linear::Matrix;
use crate::algebra::solve::{Branch as SolvedBranch, solve};
use crate::algebra::stratum::{self, Branch};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
use crate::mechanics::{Answered, exhausted, jet, tidy, undecided, vanishes};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// More charts than this are not looked at for one without an end.
const CHARTS: usize = 40;

/// What is known before a chart is chosen.
pub(super) struct Chart<'a> {
    pub(super) manifold: &'a FiberedManifold,
    pub(super) constraints: &'a [Constraint],
    pub(super) tower: &'a [Prolonged],
    pub(super) chetaev: &'a Matrix,
    pub(super) level: u32,
    /// Whether the level itself is to be solved.
    pub(super) explicit: bool,
}

/// Constraints that turned out to be affine, by number: u − g and the order of u. What is differentiated instead of what was typed.
#[derive(Default)]
pub(super) struct Plain(FxHashMap<usize, (u32, Expr)>);

/// What was found out about one level of the tower.
pub(super) enum Solved {
    /// Values of the dependent jets of the level.
    Values(Vec<(Symbol, Expr)>),
    Open {
        why: String,
        branches: Vec<Vec<Expr>>,
    },
}

impl Chart<'_> {
    pub(super) fn dependent(&self, cx: &Inquiry, declared: &Declared) -> Answered<Vec<usize>> {
        match declared.dependent.is_empty() {
            true => self.choose(cx),
            false => self.chosen(cx, declared),
        }
    }

    pub(super) fn complete(&self, cx: &Inquiry, declared: &Declared) -> Answered<ConstraintStructure> {
        self.goes_through_points(cx, declared)?;
        let dependent = self.dependent(cx, declared)?;
        let m = self.manifold.n_coordinates();
        let independent: Vec<usize> = (0..m).filter(|s| !dependent.contains(s)).collect();
        let (mut below, mut solved, mut sample) = (vec![], true, vec![]);
        let lowest = self.constraints.iter().map(|c| c.order).min().unwrap_or(self.level);
        let mut plain = Plain::default();
        for level in lowest..self.level {
            match self.solve(cx, declared, &dependent, level, &mut plain)? {
                Solved::Values(values) => below.extend(values),
                Solved::Open { .. } => {
                    solved = false;
                    sample.extend(self.one_branch(cx, &dependent, level));
                }
            }
        }
        let tops = self.at_level(self.level);
        let top = match self.explicit {
            true => self.solve(cx, declared, &dependent, self.level, &mut plain)?,
            false => Solved::Open { why: "they were not to be solved".into(), branches: vec![] },
        };
        let normal = match top {
            Solved::Values(values) => NormalForm::Explicit(values.into_iter().map(|(_, g)| g).collect()),
            Solved::Open { why, branches } => NormalForm::Implicit { why, branches },
        };
        solved &= matches!(normal, NormalForm::Explicit(_));
        self.says_which_root(declared, &normal, &dependent)?;
        let mut structure = ConstraintStructure {
            manifold: self.manifold.clone(),
            constraints: self.constraints.to_vec(),
            level: self.level,
            tower: self.tower.to_vec(),
            redundant: vec![],
            redundant_tower: vec![],
            numbers: (0..self.constraints.len()).collect(),
            chetaev: self.chetaev.clone(),
            det: Expr::one(),
            slopes: Matrix::zero(dependent.len(), independent.len()),
            drift: vec![Expr::zero(); dependent.len()],
            dependent,
            independent,
            normal,
            below,
            solved,
            is_whole: declared.branch.is_empty(),
            sample,
            said: vec![],
            conditions: vec![],
        };
        let rows: Vec<usize> = (0..self.constraints.len()).collect();
        let minor = self.chetaev.minor(&rows, &structure.dependent);
        structure.det = structure.on_q(cx, minor.det(cx).map_err(exhausted)?);
        structure.said = self.holds_on_branch(cx, declared, &structure)?;
        if !is_nonzero_everywhere(cx, structure.det).is_yes() {
            conditions::record_nonzero(cx, structure.det);
        }
        self.differentiate(cx, &mut structure, &minor, &tops)?;
        Ok(structure)
    }

    /// Refuses a choice among several roots that says nothing about what was solved for.
    fn says_which_root(&self, declared: &Declared, normal: &NormalForm, dependent: &[usize]) -> Answered<()> {
        let NormalForm::Implicit { why, branches } = normal else { return Ok(()) };
        let jets: Vec<Symbol> = (0..=self.level)
            .flat_map(|k| dependent.iter().map(move |d| (*d, k)))
            .map(|(d, k)| jet(self.manifold, d, k))
            .collect();
        let speaks = |choice: &BranchChoice| match choice {
            BranchChoice::Where(condition) => jets.iter().any(|s| condition.left.contains(*s)),
            BranchChoice::Through(point) => jets.iter().any(|s| point.contains_key(s)),
        };
        if declared.branch.is_empty() || branches.is_empty() || declared.branch.iter().any(speaks) {
            return Ok(());
        }
        let refusal = Diagnostic::error(&codes::NO_EFFECT, "`branch:` does not say which root is meant").note(why);
        let root = |values: &Vec<Expr>| values.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
        let refusal = branches.iter().fold(refusal, |d, values| d.note(format!("a root is {}", root(values))));
        Err(self.refused(refusal.help("give a sign of a dependent jet, or a point on the root")))
    }

    /// Refuses a point that lies on no root.
    fn goes_through_points(&self, cx: &Inquiry, declared: &Declared) -> Answered<()> {
        for choice in &declared.branch {
            let BranchChoice::Through(point) = choice else { continue };
            let mut residuals = self.constraints.iter().map(|c| substitute(c.function, point));
            if let Some(e) = residuals.find(|e| is_far_from_zero(cx, *e)) {
                return Err(self.refused(
                    Diagnostic::error(&codes::OFF_CONSTRAINT, "the point of `branch:` does not lie on this constraint")
                        .note(format!("the left side minus the right side is {e} there")),
                ));
            }
        }
        Ok(())
    }

    fn refused(&self, d: Diagnostic) -> Box<Diagnostic> {
        Box::new(self.constraints.iter().fold(d, |d, c| d.label(c.span, "this constraint")))
    }

    /// Whether all constraints are affine in their highest jets, so that there is nothing to choose.
    fn has_one_root(&self) -> bool {
        let m = self.manifold.n_coordinates();
        self.constraints.iter().enumerate().all(|(i, c)| {
            let bends = |s: usize| (0..m).any(|q| self.chetaev[(i, s)].contains(jet(self.manifold, q, c.order)));
            c.order > 0 && !(0..m).any(bends)
        })
    }

    /// What a choice says where there is nothing to choose, and where the root stays implicit: it is a condition of every answer. Refuses
    /// a choice that no point of the constraint satisfies.
    fn holds_on_branch(
        &self,
        cx: &Inquiry,
        declared: &Declared,
        structure: &ConstraintStructure,
    ) -> Answered<Vec<Condition>> {
        if !structure.solved {
            let said = declared.branch.iter().filter_map(|choice| match choice {
                BranchChoice::Where(condition) => Some(*condition),
                BranchChoice::Through(point) => structure.root_through(cx, point),
            });
            return Ok(said.collect());
        }
        // The highest first: their values contain lower ones.
        let solved = structure.solved_jets();
        let there = |e: Expr| solved.iter().rev().fold(e, |e, (s, value)| put(e, &[*s], &[*value]));
        let mut said = vec![];
        for choice in &declared.branch {
            let BranchChoice::Where(condition) = choice else { continue };
            let put_in = there(condition.left);
            if put_in == condition.left {
                said.push(*condition);
                continue;
            }
            let here = Condition { left: tidy(cx, put_in), ..*condition };
            match here.decided(cx) {
                Some(false) => {
                    return Err(self.refused(
                        Diagnostic::error(
                            &codes::CONSTRAINTS_INCONSISTENT,
                            "`branch:` holds nowhere on this constraint",
                        )
                        .note(format!("there {} is {}", condition.left, here.left)),
                    ));
                }
                None if self.has_one_root() => said.push(here),
                _ => {}
            }
        }
        Ok(said)
    }

    /// ∂g/∂q_n and d̂g/dt: of g where it is known, by the theorem on implicit functions where it is not.
    fn differentiate(
        &self,
        cx: &Inquiry,
        structure: &mut ConstraintStructure,
        minor: &Matrix,
        tops: &[Expr],
    ) -> Answered<()> {
        let above = |e: Expr| {
            let zeros: Vec<Symbol> =
                (0..self.manifold.n_coordinates()).map(|s| jet(self.manifold, s, self.level + 1)).collect();
            put(total_derivative(cx, e), &zeros, &vec![Expr::zero(); zeros.len()])
        };
        if let NormalForm::Explicit(g) = &structure.normal {
            let g = g.clone();
            let tops = structure.independent_jets(self.level);
            structure.slopes = Matrix::from_fn(g.len(), tops.len(), |i, l| tidy(cx, partial(cx, g[i], tops[l])));
            structure.drift = g.iter().map(|g| structure.on_q(cx, above(*g))).collect();
            return Ok(());
        }
        let solve = |right: Vec<Expr>| -> Answered<Vec<Expr>> {
            let solution = minor.solve(cx, &right).map_err(exhausted)?;
            match solution.free.is_empty() && solution.particular.len() == right.len() {
                true => Ok(solution.particular),
                false => Err(undecided("the constraints can be solved for the dependent jets", "their minor is open")),
            }
        };
        let columns = structure
            .independent
            .iter()
            .map(|l| solve((0..tops.len()).map(|i| -self.chetaev[(i, *l)]).collect()))
            .collect::<Answered<Vec<_>>>()?;
        structure.slopes = Matrix::from_fn(tops.len(), columns.len(), |i, l| tidy(cx, columns[l][i]));
        structure.drift = solve(tops.iter().map(|f| -above(*f)).collect())?.into_iter().map(|e| tidy(cx, e)).collect();
        Ok(())
    }

    /// Those constraints that restrict the jets of a level, with their prolongations there.
    fn active(&self, level: u32) -> Vec<&Prolonged> {
        self.tower.iter().filter(|p| p.order == level).collect()
    }

    fn at_level(&self, level: u32) -> Vec<Expr> {
        self.active(level).into_iter().map(|p| p.function).collect()
    }

    /// The dependent jets of a level as functions of the others, if there is one way to solve for them.
    pub(super) fn solve(
        &self,
        cx: &Inquiry,
        declared: &Declared,
        dependent: &[usize],
        level: u32,
        plain: &mut Plain,
    ) -> Answered<Solved> {
        let active = self.active(level);
        let unknowns: Vec<Symbol> = active.iter().map(|p| jet(self.manifold, dependent[p.constraint], level)).collect();
        let functions: Vec<Expr> = active
            .iter()
            .map(|p| match plain.0.get(&p.constraint) {
                Some((order, h)) => tidy(cx, total_derivatives(cx, *h, level - order)),
                None => p.function,
            })
            .collect();
        let rows: Vec<usize> = active.iter().map(|p| p.constraint).collect();
        let columns: Vec<usize> = rows.iter().map(|i| dependent[*i]).collect();
        let minor = Matrix::from_fn(rows.len(), columns.len(), |i, j| match plain.0.get(&rows[i]) {
            Some((order, h)) => tidy(cx, partial(cx, *h, jet(self.manifold, columns[j], *order))),
            None => self.chetaev[(rows[i], columns[j])],
        });
        // Above its own order a constraint is affine in the highest jets; at its own order it may be, in these unknowns.
        let own = active.iter().any(|p| p.derivative == 0);
        let moves = |e: Expr| unknowns.iter().any(|s| e.contains(*s) && !vanishes(cx, partial(cx, e, *s)).is_yes());
        let is_affine = !own || !minor.entries().any(moves);
        if is_affine {
            let rest: Vec<Expr> =
                functions.iter().map(|f| -put(*f, &unknowns, &vec![Expr::zero(); unknowns.len()])).collect();
            let solution = minor.solve(cx, &rest).map_err(exhausted)?;
            if solution.free.is_empty() && rest.iter().all(|e| e.as_undefined().is_none()) {
                let values = solution.particular.into_iter().map(|e| tidy(cx, e));
                return Ok(Solved::Values(unknowns.into_iter().zip(values).collect()));
            }
            if level < self.level {
                return Ok(Solved::Open {
                    why: "the equations of this level do not determine them".into(),
                    branches: vec![],
                });
            }
            return Err(not_solvable(self.manifold, &unknowns, &solution.verdict));
        }
        // Positions that only bound the phase space are not worth the roots, unless somebody says which.
        if level < self.level && declared.branch.is_empty() {
            if let Some(values) = self.only_root(cx, &functions, &unknowns) {
                for (i, (u, value)) in rows.iter().zip(&values) {
                    plain.0.insert(*i, (level, Expr::symbol(*u) - *value));
                }
                return Ok(Solved::Values(values));
            }
            return Ok(Solved::Open { why: "the equations of this level are not affine".into(), branches: vec![] });
        }
        self.roots(cx, declared, &functions, &unknowns)
    }

    /// The dependent jets of a level on one real branch, constraint after constraint, if a cheap one is found.
    fn one_branch(&self, cx: &Inquiry, dependent: &[usize], level: u32) -> Vec<(Symbol, Expr)> {
        let mut values: Vec<(Symbol, Expr)> = vec![];
        for p in self.active(level) {
            let unknown = jet(self.manifold, dependent[p.constraint], level);
            let function = values.iter().fold(p.function, |f, (s, value)| put(f, &[*s], &[*value]));
            let solve = |cx: &Inquiry| cx.within(share::MINOR, || solve(cx, &[function], &[unknown]));
            let (found, _) = conditions::collect_all(cx, solve);
            let is_general =
                |b: &SolvedBranch| b.values.len() == 1 && b.conditions.iter().all(|c| c.relation != Relation::Equal);
            let Some(branch) = found.ok().and_then(|found| found.branches.into_iter().find(is_general)) else {
                return vec![];
            };
            values.extend(branch.values);
        }
        values
    }

    /// The one solution of equations that are affine in disguise, as `exp(z' - y*x') = 1` and `(1 + f^2)*f = 0`: it holds everywhere, and
    /// takes no root.
    fn only_root(&self, cx: &Inquiry, functions: &[Expr], unknowns: &[Symbol]) -> Option<Vec<(Symbol, Expr)>> {
        let solve = |cx: &Inquiry| cx.within(share::MINOR, || solve(cx, functions, unknowns));
        let (found, _) = conditions::collect_all(cx, solve);
        let found = found.ok().filter(|found| found.not_covered.is_empty())?;
        let [only] = found.branches.as_slice() else { return None };
        let values: Vec<Expr> = only.values.iter().map(|(_, e)| *e).collect();
        let says_all = only.values.len() == unknowns.len()
            && only.free.is_empty()
            && only.conditions.iter().all(|c| c.decided(cx) == Some(true))
            && !takes_root(&values);
        let value = |u: &Symbol| only.values.iter().find(|(s, _)| s == u).map(|(_, e)| (*u, tidy(cx, *e)));
        if says_all { unknowns.iter().map(value).collect() } else { None }
    }

    fn roots(&self, cx: &Inquiry, declared: &Declared, functions: &[Expr], unknowns: &[Symbol]) -> Answered<Solved> {
        let (found, _) = conditions::collect_all(cx, |cx| solve(cx, functions, unknowns));
        let solutions = match found {
            Ok(solutions) => solutions,
            Err(why) => return Ok(Solved::Open { why: format!("they were not solved: {why}"), branches: vec![] }),
        };
        let is_general = |b: &&SolvedBranch| {
            b.free.is_empty()
                && b.values.len() == unknowns.len()
                && b.conditions.iter().all(|c| c.relation != Relation::Equal)
        };
        let general: Vec<&SolvedBranch> = solutions.branches.iter().filter(is_general).collect();
        let values = |b: &SolvedBranch| -> Vec<Expr> {
            let value = |u: &Symbol| b.values.iter().find(|(s, _)| s == u).map_or_else(Expr::zero, |(_, e)| *e);
            unknowns.iter().map(value).collect()
        };
        let mut fitting: Vec<(&SolvedBranch, bool)> = vec![];
        for b in &general {
            let verdicts: Vec<Option<bool>> =
                declared.branch.iter().map(|choice| fits(cx, choice, b, unknowns)).collect();
            if !verdicts.contains(&Some(false)) {
                fitting.push((b, !verdicts.is_empty() && verdicts.iter().all(|v| *v == Some(true))));
            }
        }
        if fitting.len() > 1 && fitting.iter().any(|(_, sure)| *sure) {
            fitting.retain(|(_, sure)| *sure);
        }
        match fitting.as_slice() {
            [(branch, _)] => {
                for condition in &branch.conditions {
                    if condition.decided(cx) != Some(true) {
                        conditions::state(cx, *condition);
                    }
                }
                let values = values(branch).into_iter().map(|e| tidy(cx, e));
                Ok(Solved::Values(unknowns.iter().copied().zip(values).collect()))
            }
            [] if general.is_empty() => {
                Ok(Solved::Open { why: "no real solution was found in general".into(), branches: vec![] })
            }
            several => {
                let branches: Vec<Vec<Expr>> = if several.is_empty() {
                    general.iter().map(|b| values(b)).collect()
                } else {
                    several.iter().map(|(b, _)| values(b)).collect()
                };
                let why = match several.is_empty() {
                    true => "no branch of them satisfies `branch:`".to_string(),
                    false => format!("they have {} real solutions, and none was chosen", branches.len()),
                };
                Ok(Solved::Open { why, branches })
            }
        }
    }

    /// The user's dependents, one for each constraint, in an order in which every level can be solved.
    fn chosen(&self, cx: &Inquiry, declared: &Declared) -> Answered<Vec<usize>> {
        let k = self.constraints.len();
        let number = |s: &Symbol| {
            let coordinate = s.as_jet().map(|(c, _)| c);
            self.manifold.fibres().iter().position(|f| Some(f.coordinate) == coordinate)
        };
        let wanted: Vec<usize> = declared.dependent.iter().filter_map(number).collect();
        let names = || declared.dependent.iter().map(Symbol::to_string).collect::<Vec<_>>().join(", ");
        let place = declared.equations.first().map_or_else(Span::default, |e| e.span);
        if wanted.len() < k && !wanted.is_empty() {
            // Some blocks left it to us.
            for subset in subsets(self.manifold.n_coordinates(), k) {
                if wanted.iter().all(|d| subset.contains(d))
                    && let Some(found) = self.arranged(cx, &subset)?
                {
                    return Ok(found);
                }
            }
        }
        if wanted.len() != k {
            let words = if k == 1 { "1 constraint".to_string() } else { format!("{k} constraints") };
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, format!("{words} cannot be solved for {}", names()))
                    .label(place, "as many dependent coordinates as constraints are needed")
                    .help("leave `dependent:` out, or name one coordinate for each constraint"),
            ));
        }
        let orders = permutations(k);
        for order in orders {
            let candidate: Vec<usize> = order.iter().map(|i| wanted[*i]).collect();
            if self.is_admissible(cx, &candidate)? {
                return Ok(candidate);
            }
        }
        let instead = self.choose(cx).ok().map(|list| {
            let names: Vec<String> = list.iter().map(|s| jet(self.manifold, *s, 0).to_string()).collect();
            format!("write `dependent: {}`, or leave it out", names.join(", "))
        });
        let refusal =
            Diagnostic::error(&codes::DEGENERATE, format!("the constraints cannot be solved for {}", names()))
                .label(place, "of these equations")
                .note("the minor ∂f/∂q_r of these columns vanishes on the constraint");
        Err(Box::new(match instead {
            Some(help) => refusal.help(help),
            None => refusal,
        }))
    }

    /// The coordinates to solve for where nobody chose them: the last k if their minor vanishes nowhere, else the first ones
    /// whose minor is a number or vanishes nowhere; where every chart has an end, the last k again, or the first ones that will do.
    fn choose(&self, cx: &Inquiry) -> Answered<Vec<usize>> {
        let (m, k) = (self.manifold.n_coordinates(), self.constraints.len());
        let last: Vec<usize> = (m.saturating_sub(k)..m).collect();
        let rows: Vec<usize> = (0..k).collect();
        let mut without_end: Option<(bool, Vec<usize>)> = None;
        for subset in std::iter::once(last.clone()).chain(subsets(m, k)).take(CHARTS) {
            let det = self.chetaev.minor(&rows, &subset).det(cx).map_err(exhausted)?;
            let is_number = det.is_number();
            let is_better = without_end.as_ref().is_none_or(|(known, _)| is_number && !known);
            if is_better
                && is_nonzero_everywhere(cx, det).is_yes()
                && let Some(found) = self.arranged(cx, &subset)?
            {
                let is_last = subset == last;
                without_end = Some((is_number, found));
                if is_last || is_number {
                    break;
                }
            }
        }
        if let Some((_, found)) = without_end {
            return Ok(found);
        }
        for subset in std::iter::once(last).chain(subsets(m, k)) {
            if let Some(found) = self.arranged(cx, &subset)? {
                return Ok(found);
            }
        }
        Err(undecided("the constraints can be solved for some jets", "no minor is known not to vanish"))
    }

    fn arranged(&self, cx: &Inquiry, columns: &[usize]) -> Answered<Option<Vec<usize>>> {
        for order in permutations(columns.len()) {
            let candidate: Vec<usize> = order.iter().map(|i| columns[*i]).collect();
            if self.is_admissible(cx, &candidate)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// Whether no minor of a level is known to vanish on Q, for constraint i solved for coordinate `dependent[i]`.
    fn is_admissible(&self, cx: &Inquiry, dependent: &[usize]) -> Answered<bool> {
        let mut orders: Vec<u32> = self.constraints.iter().map(|c| c.order).collect();
        orders.sort_unstable();
        orders.dedup();
        for order in orders {
            let rows: Vec<usize> =
                (0..self.constraints.len()).filter(|i| self.constraints[*i].order <= order).collect();
            let columns: Vec<usize> = rows.iter().map(|i| dependent[*i]).collect();
            let det = self.chetaev.minor(&rows, &columns).det(cx).map_err(exhausted)?;
            if det.is_zero() || self.vanishes_on_tower(cx, det).is_yes() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a minor vanishes on all of Q. One that does not is found to be so without much ado where the constraints
    /// say nothing about its arguments.
    fn vanishes_on_tower(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let plain = vanishes(cx, e);
        let lowest = self.constraints.iter().map(|c| c.order).min().unwrap_or(0);
        let is_below = |s: Symbol| self.manifold.order_of_symbol(s).is_none_or(|k| k < lowest);
        if plain.is_yes() || e.symbols().into_iter().all(is_below) {
            return plain;
        }
        let set = Branch { equations: self.tower.iter().map(|p| p.function).collect(), nonzero: vec![] };
        let coordinates = self.manifold.jets(self.level).symbols();
        cx.within(share::MINOR, || stratum::vanishes_on(cx, &coordinates, e, &set))
            .unwrap_or_else(|why| Verdict::unknown(why.to_string()))
    }
}

/// Whether a power that is no integer, or a cube root, stands in them.
fn takes_root(list: &[Expr]) -> bool {
    post_order(list).into_iter().any(|x| match x.node() {
        Node::Product(factors) => factors.iter().any(|(_, n)| !n.is_integer()),
        Node::Apply(Elementary::Cbrt, _) => true,
        _ => false,
    })
}

fn not_solvable(manifold: &FiberedManifold, unknowns: &[Symbol], verdict: &Verdict) -> Box<Diagnostic> {
    let names: Vec<String> = unknowns.iter().map(Symbol::to_string).collect();
    let what = format!("the constraints on `{}` can be solved for {}", manifold.name(), names.join(", "));
    undecided(what, format!("the rank of their minor is {}", verdict.word()))
}

/// Whether a number is more than a rounding error away from 0.
fn is_far_from_zero(cx: &Inquiry, e: Expr) -> bool {
    let distance = Expr::apply(Elementary::Abs, &[e]) - Expr::ratio(1, 1_000_000);
    e.symbols().is_empty() && e.as_undefined().is_none() && sign(cx, distance).is_positive()
}

/// Whether a solution is the one that was meant; `None` if that is not seen.
fn fits(cx: &Inquiry, choice: &BranchChoice, branch: &SolvedBranch, unknowns: &[Symbol]) -> Option<bool> {
    let map: FxHashMap<Symbol, Expr> = branch.values.iter().copied().collect();
    match choice {
        BranchChoice::Where(condition) => {
            let cx = &cx.where_hold(&branch.conditions);
            Condition { left: tidy(cx, substitute(condition.left, &map)), ..*condition }.decided(cx)
        }
        BranchChoice::Through(point) => {
            let differences = unknowns.iter().filter(|u| point.contains_key(u)).map(|u| {
                let here = map.get(u).map_or_else(|| Expr::symbol(*u), |e| substitute(*e, point));
                here - point[u]
            });
            let close = |e: Expr| {
                if e.as_undefined().is_some() {
                    return Some(false);
                }
                let distance = Expr::apply(Elementary::Abs, &[e]) - Expr::ratio(1, 1_000_000);
                let sign = sign(cx, distance);
                if sign.is_negative() {
                    Some(true)
                } else if sign.is_positive() {
                    Some(false)
                } else {
                    None
                }
            };
            differences.map(close).reduce(|a, b| match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            })?
        }
    }
}

/// All orders of 0, …, k−1, the natural one first; only that one where there are too many.
fn permutations(k: usize) -> Vec<Vec<usize>> {
    if k > 5 {
        return vec![(0..k).collect()];
    }
    let mut all = vec![vec![]];
    for i in 0..k {
        all = (0..=i)
            .rev()
            .flat_map(|at| {
                all.iter().map(move |p: &Vec<usize>| [&p[..at.min(p.len())], &[i], &p[at.min(p.len())..]].concat())
            })
            .collect();
    }
    all
}
