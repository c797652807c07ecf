//! The rank condition of a set of constraints, on Q and not at generic points of the jet space, and what is wrong where it fails.
//!
//! ```text
//! rank (∂f^i/∂q_r^σ) = k   at the points of Q                        Krupková (10.2), Volný–Krupková (3.2)
//! ```
//!
//! The generic rank of F = ∂f^i/∂q_r^σ is not enough: f¹ = ẋ − z, f² = (ẋ − z)ẏ have generic rank 2 and rank 1 on Q, and (ẋ − z)² has
//! rank 0 there. Where the rank is too small some combination Σ c_i F^i vanishes, and h = Σ c_i f^i says what is wrong:
//!
//! | h | verdict |
//! |---|---|
//! | 0 | the constraints are dependent |
//! | a function of time alone, or without real zeros | they contradict each other |
//! | of lower order | it is a hidden constraint of that order |
//! | anything else | the rank drops on Q, or on a whole component of it |
//!
//! One loss of rank is none of motion. Equations u(t, q) = 0 that are consistent, and whose Jacobian has on all of Q one lower
//! rank with the kernel TQ, as those of Bricard's linkage and of parallel bars, are *overconstrained*: ρ of them already cut out
//! Q near each of its points, so that the motion is determined, and only the multipliers are not.
//!
//! Constraints on different coordinates are examined apart: Q is the product of their sets.
//!
//! A smaller locus on which the rank drops, as the vertex of a cone of velocities, is reported and not refused: the answers
//! live away from it. Constraints of different orders are compared after prolongation to the highest of them.

use super::constraint_structure::{Constraint, Declared, chetaev, ordered, subsets, tower};
use super::{Answered, exhausted, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::decide::is_nonzero_everywhere;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::normal::denominator;
use crate::algebra::stratum::cell::{Cell, Frame};
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::rank::{Rank, strata_by};
use crate::algebra::stratum::{self, Branch, tangent};
use crate::algebra::{Coordinate, Expr, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;
use rustc_hash::FxHashSet;

/// What the rank condition says. The names are also those of the refusals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Holds,
    Dependent,
    Inconsistent,
    HiddenLowerOrder,
    DeficientOnQ,
    TooMany,
    /// Redundant holonomic constraints: the motion is determined, the multipliers are not.
    Overconstrained,
}

/// Σ c_i f^i, a combination whose derivatives by the highest jets vanish, on Q at least.
#[derive(Clone, Debug)]
pub struct Relation {
    pub coefficients: Vec<Expr>,
    pub value: Expr,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct RankCondition {
    pub kind: Kind,
    pub generic_rank: usize,
    pub relations: Vec<Relation>,
    /// Constraints of lower order that follow.
    pub hidden: Vec<Expr>,
    /// Numbers of constraints, from 0, that are independent at generic points, of Q where it is overconstrained, and span the
    /// others.
    pub independent: Vec<usize>,
    /// The factors of constraints that are products or powers.
    pub factors: Vec<Expr>,
    /// Products of several constraints of the highest order: their factors are branches of Q.
    pub products: Vec<(usize, Vec<Expr>)>,
    /// Constraints on positions that lose rank on one component of Q and not on another: a motion that starts there is
    /// determined as long as the rank is full.
    pub holds_elsewhere: bool,
    /// Whether the kind is proved.
    pub verdict: Verdict,
}

impl Kind {
    pub fn label(self) -> &'static str {
        match self {
            Kind::Holds => "holds",
            Kind::Dependent => "constraints_dependent",
            Kind::Inconsistent => "constraints_inconsistent",
            Kind::HiddenLowerOrder => "hidden_lower_order_constraint",
            Kind::DeficientOnQ => "rank_deficient_on_Q",
            Kind::TooMany => "too_many_constraints",
            Kind::Overconstrained => "overconstrained",
        }
    }

    fn code(self) -> Option<(&'static Code, &'static str)> {
        Some(match self {
            Kind::Holds | Kind::Overconstrained => return None,
            Kind::Dependent => (&codes::CONSTRAINTS_DEPENDENT, "these constraints are not independent"),
            Kind::Inconsistent => (&codes::CONSTRAINTS_INCONSISTENT, "these constraints contradict each other"),
            Kind::HiddenLowerOrder => {
                (&codes::HIDDEN_LOWER_ORDER_CONSTRAINT, "these constraints hide one of lower order")
            }
            Kind::DeficientOnQ => (&codes::RANK_DEFICIENT_ON_Q, "these constraints lose rank where they hold"),
            Kind::TooMany => (&codes::TOO_MANY_CONSTRAINTS, "there are as many constraints as coordinates, or more"),
        })
    }
}

/// Everything that is needed to look at Q.
struct Examined {
    manifold: FiberedManifold,
    constraints: Vec<Constraint>,
    level: u32,
    /// The constraints prolonged to the highest order.
    tops: Vec<Expr>,
    /// All equations of Q.
    set: Branch,
    chetaev: Matrix,
    /// What must not vanish for F to have a value.
    divided: Vec<Expr>,
}

impl Examined {
    fn new(cx: &Inquiry, declared: &Declared) -> Answered<Examined> {
        let manifold = declared.manifold.unfolded();
        let constraints = ordered(cx, declared)?;
        let level = constraints.iter().map(|c| c.order).max().unwrap_or(0);
        let all = tower(cx, &constraints, level);
        let tops = all.iter().filter(|p| p.order == level).map(|p| p.function).collect();
        let set = Branch { equations: all.iter().map(|p| p.function).collect(), nonzero: vec![] };
        let (chetaev, mut divided) = conditions::collect(cx, |cx| chetaev(cx, &manifold, &constraints));
        let (below, _) = conditions::collect(cx, |cx| -> Vec<Expr> {
            chetaev.entries().filter_map(|e| denominator(cx, e).ok()).filter(|e| !e.is_number()).collect()
        });
        divided.extend(below);
        Ok(Examined { manifold, constraints, level, tops, set, chetaev, divided })
    }

    fn coordinates(&self) -> Vec<Symbol> {
        self.manifold.jets(self.level).symbols()
    }

    /// Whether a coordinate or a derivative of one occurs: the time alone restricts no motion.
    fn depends_on_jets(&self, e: Expr) -> bool {
        let is_jet = |s: Symbol| s != self.manifold.base() && self.manifold.order_of_symbol(s).is_some();
        e.symbols().into_iter().any(is_jet)
    }

    fn order_of(&self, cx: &Inquiry, e: Expr) -> Option<u32> {
        self.depends_on_jets(e).then(|| self.manifold.order_of(cx, e).order)
    }

    fn frame(&self, cx: &Inquiry) -> Budgeted<Frame> {
        let all: Vec<Expr> = self.set.equations.iter().copied().chain(self.chetaev.entries()).collect();
        Frame::new(cx, &self.coordinates(), &all)
    }

    fn rows(&self, cx: &Inquiry, frame: &Frame, matrix: &Matrix) -> Budgeted<LinearSystem> {
        let rows = (0..matrix.n_rows()).map(|i| frame.read_row(cx, matrix.row(i))).collect::<Budgeted<Vec<_>>>()?;
        Ok(LinearSystem::homogeneous(matrix.n_columns(), rows))
    }

    /// Whether a piece of Q lies over all of the jets below, as far as the constraints of lower order allow it. Where it
    /// does not, as over cos φ = 0 for the snakeboard, it is a locus away from which the answers live.
    fn covers_below(&self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
        let keep = |s: Symbol| self.manifold.order_of_symbol(s).is_none_or(|k| k < self.level);
        let below = self.set.equations.len() - self.tops.len();
        Ok(tangent::projection(cx, frame, cell, keep)?.len() <= below)
    }

    /// The pieces of Q on which the rank of F does not change.
    fn leaves_on_q(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Vec<Leaf>> {
        let system = self.rows(cx, frame, &self.chetaev)?;
        let mut all = vec![];
        for cell in frame.cells(cx, &self.set)? {
            all.extend(leaves(cx, frame, &system, &cell)?);
        }
        Ok(all)
    }
}

/// Examines the constraints.
pub fn rank_condition(cx: &Inquiry, declared: &Declared) -> Answered<RankCondition> {
    let (found, _) = conditions::collect(cx, |cx| examine(cx, declared));
    found
}

fn examine(cx: &Inquiry, declared: &Declared) -> Answered<RankCondition> {
    if let Some(found) = part_by_part(cx, declared)? {
        return Ok(found);
    }
    let x = Examined::new(cx, declared)?;
    let (m, k) = (x.manifold.n_coordinates(), x.constraints.len());
    let independent = independent_rows(cx, &x.chetaev)?;
    let mut found = RankCondition {
        kind: Kind::Holds,
        generic_rank: independent.len(),
        relations: vec![],
        hidden: vec![],
        independent,
        factors: vec![],
        products: vec![],
        holds_elsewhere: false,
        verdict: Verdict::yes("the rank at every point"),
    };
    // An equation between numbers, or in the time alone, leaves no motion.
    if let Some(i) = (0..k).find(|i| !x.depends_on_jets(x.constraints[*i].function)) {
        let mut coefficients = vec![Expr::zero(); k];
        coefficients[i] = Expr::one();
        found.relations = vec![Relation { coefficients, value: x.constraints[i].function }];
        found.kind = Kind::Inconsistent;
        return Ok(found);
    }
    if found.generic_rank < k {
        generically_deficient(cx, &x, &mut found)?;
        if found.kind == Kind::DeficientOnQ && x.level == 0 {
            let redundant = cx.within(share::COMPONENTS, || {
                let frame = x.frame(cx)?;
                let all = occurring(cx, &frame, x.leaves_on_q(cx, &frame)?)?;
                overconstrained(cx, &x, &frame, &all, &mut found)
            });
            if let Err(why) = redundant {
                found.verdict = Verdict::unknown(format!("whether the motion is determined nevertheless: {why}"));
            }
        }
    } else {
        on_q(cx, &x, &mut found)?;
    }
    if found.kind == Kind::Holds && k >= m && !(found.verdict.is_unknown() && x.level == 0) {
        found.kind = Kind::TooMany;
    }
    Ok(found)
}

/// Constraints on different coordinates: Q is a product and F has blocks, so that the condition holds if it holds in each. Where
/// it does not, the constraints are examined together.
fn part_by_part(cx: &Inquiry, declared: &Declared) -> Answered<Option<RankCondition>> {
    let parts = parts(declared);
    let chosen = !declared.dependent.is_empty() || !declared.branch.is_empty();
    if parts.len() < 2 || chosen || declared.equations.len() >= declared.manifold.unfolded().n_coordinates() {
        return Ok(None);
    }
    for part in &parts {
        let found = examine(cx, &declared.keeping(|i| part.contains(&i)))?;
        let holds = found.kind == Kind::Holds && found.verdict.is_yes();
        if !holds || !found.factors.is_empty() {
            return Ok(None);
        }
    }
    let k = declared.equations.len();
    Ok(Some(RankCondition {
        kind: Kind::Holds,
        generic_rank: k,
        relations: vec![],
        hidden: vec![],
        independent: (0..k).collect(),
        factors: vec![],
        products: vec![],
        holds_elsewhere: false,
        verdict: Verdict::yes("the rank at every point"),
    }))
}

/// Numbers of equations, those together that are linked by coordinates.
fn parts(declared: &Declared) -> Vec<Vec<usize>> {
    let mut parts: Vec<(Vec<usize>, FxHashSet<Coordinate>)> = vec![];
    for (i, equation) in declared.equations.iter().enumerate() {
        let jets = equation.function.symbols().into_iter().filter_map(|s| s.as_jet());
        let own: FxHashSet<Coordinate> = jets.map(|(coordinate, _)| coordinate).collect();
        let (linked, mut others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(_, c)| !c.is_disjoint(&own));
        let mut merged = (vec![i], own);
        for (equations, coordinates) in linked {
            merged.0.extend(equations);
            merged.1.extend(coordinates);
        }
        merged.0.sort_unstable();
        others.push(merged);
        parts = others;
    }
    parts.into_iter().map(|(equations, _)| equations).collect()
}

/// The first rows that span the others at generic points.
fn independent_rows(cx: &Inquiry, matrix: &Matrix) -> Answered<Vec<usize>> {
    let columns: Vec<usize> = (0..matrix.n_columns()).collect();
    let mut kept = vec![];
    for i in 0..matrix.n_rows() {
        let rows: Vec<usize> = kept.iter().copied().chain([i]).collect();
        let rank = matrix.minor(&rows, &columns).rank(cx).map_err(exhausted)?;
        if rank.value == rows.len() {
            kept = rows;
        } else if rank.verdict.is_unknown() {
            return Err(super::undecided("the constraints are independent", rank.verdict.to_string()));
        }
    }
    Ok(kept)
}

/// F^j = Σ s_i F^i at all points: h = f^j − Σ s_i f^i for each constraint that depends on the others.
fn generically_deficient(cx: &Inquiry, x: &Examined, found: &mut RankCondition) -> Answered<()> {
    let k = x.constraints.len();
    let columns: Vec<usize> = (0..x.chetaev.n_columns()).collect();
    let base = x.chetaev.minor(&found.independent, &columns).transpose();
    let mut kinds = vec![];
    for j in (0..k).filter(|j| !found.independent.contains(j)) {
        let s = base.solve(cx, x.chetaev.row(j)).map_err(exhausted)?.particular;
        let mut coefficients = vec![Expr::zero(); k];
        coefficients[j] = Expr::one();
        for (i, s) in found.independent.iter().zip(&s) {
            coefficients[*i] = tidy(cx, -*s);
        }
        let terms = coefficients.iter().zip(&x.tops).map(|(c, f)| *c * *f);
        let value = tidy(cx, Expr::add_all(terms.collect::<Vec<_>>()));
        let kind = kind_of(cx, x, &found.independent, j, value)?;
        if kind == Kind::HiddenLowerOrder {
            found.hidden.push(value);
        }
        kinds.push(kind);
        found.relations.push(Relation { coefficients, value });
    }
    let order = [Kind::Inconsistent, Kind::HiddenLowerOrder, Kind::DeficientOnQ, Kind::Dependent];
    found.kind = order.into_iter().find(|kind| kinds.contains(kind)).unwrap_or(Kind::Dependent);
    if found.kind == Kind::HiddenLowerOrder && is_empty(cx, x, &x.set).is_yes() {
        found.kind = Kind::Inconsistent;
    }
    Ok(())
}

/// What a relation h between constraint j and independent ones says.
fn kind_of(cx: &Inquiry, x: &Examined, others: &[usize], j: usize, h: Expr) -> Answered<Kind> {
    if vanishes(cx, h).is_yes() {
        return Ok(Kind::Dependent);
    }
    match x.order_of(cx, h) {
        None => return Ok(Kind::Inconsistent),
        Some(order) if order < x.level => return Ok(Kind::HiddenLowerOrder),
        Some(_) => {}
    }
    let without = Branch { equations: others.iter().map(|i| x.tops[*i]).collect(), nonzero: vec![] };
    let follows = cx
        .within(share::COMPONENTS, || stratum::vanishes_on(cx, &x.coordinates(), x.tops[j], &without))
        .is_ok_and(|v| v.is_yes());
    if follows {
        return Ok(Kind::Dependent);
    }
    Ok(if is_empty(cx, x, &x.set).is_yes() { Kind::Inconsistent } else { Kind::DeficientOnQ })
}

fn is_empty(cx: &Inquiry, x: &Examined, set: &Branch) -> Verdict {
    cx.within(share::COMPONENTS, || stratum::is_empty_set(cx, &x.coordinates(), std::slice::from_ref(set)))
        .unwrap_or_else(|why| Verdict::unknown(why.to_string()))
}

/// The generic rank is k; what remains is the rank on Q.
fn on_q(cx: &Inquiry, x: &Examined, found: &mut RankCondition) -> Answered<()> {
    let full = match cx.within(share::COMPONENTS, || has_full_rank_everywhere(cx, &x.chetaev)) {
        Ok(full) => full,
        Err(why) => {
            found.verdict = Verdict::unknown(format!("the rank at special points of Q: {why}"));
            return Ok(());
        }
    };
    let smooth = Branch { equations: x.set.equations.clone(), nonzero: x.divided.clone() };
    if !x.divided.is_empty() && is_empty(cx, x, &smooth).is_yes() && !is_empty(cx, x, &x.set).is_yes() {
        // √(ẋ² + ẏ²) = 0: nowhere on Q has the constraint derivatives.
        found.kind = Kind::DeficientOnQ;
        found.relations = without_relation(x);
        return Ok(());
    }
    if full {
        // Affine equations of one order then have solutions over every point below.
        let is_graph = x.constraints.iter().all(|c| c.order == x.level) && is_affine(cx, x);
        if !is_graph && is_empty(cx, x, &x.set).is_yes() {
            found.kind = Kind::Inconsistent;
            found.relations = without_relation(x);
        }
        return Ok(());
    }
    match cx.within(share::COMPONENTS, || on_components(cx, x, found)) {
        Ok(()) => {}
        Err(why) => found.verdict = Verdict::unknown(format!("the rank at special points of Q: {why}")),
    }
    Ok(())
}

fn without_relation(x: &Examined) -> Vec<Relation> {
    let k = x.constraints.len();
    let unit = |i: usize| (0..k).map(|j| if i == j { Expr::one() } else { Expr::zero() }).collect();
    (0..k.min(1)).map(|i| Relation { coefficients: unit(i), value: x.tops[i] }).collect()
}

/// Some minor, or the sum of their squares, vanishes nowhere.
fn has_full_rank_everywhere(cx: &Inquiry, f: &Matrix) -> Budgeted<bool> {
    const MINORS: usize = 40;
    let k = f.n_rows();
    let rows: Vec<usize> = (0..k).collect();
    let mut squares = vec![];
    for columns in subsets(f.n_columns(), k).into_iter().take(MINORS) {
        let det = f.minor(&rows, &columns).det(cx)?;
        if is_nonzero_everywhere(cx, det).is_yes() {
            return Ok(true);
        }
        squares.push(det.pow(2));
    }
    Ok(is_nonzero_everywhere(cx, tidy(cx, Expr::add_all(squares))).is_yes())
}

fn is_affine(cx: &Inquiry, x: &Examined) -> bool {
    let tops: Vec<Symbol> = (0..x.manifold.n_coordinates()).map(|s| jet(&x.manifold, s, x.level)).collect();
    x.chetaev.entries().all(|e| tops.iter().all(|s| !e.contains(*s) || vanishes(cx, partial(cx, e, *s)).is_yes()))
}

/// Component by component: where the rank is k somewhere the smaller locus does not matter.
fn on_components(cx: &Inquiry, x: &Examined, found: &mut RankCondition) -> Budgeted<()> {
    let k = x.constraints.len();
    let frame = x.frame(cx)?;
    factor(cx, x, &frame, found)?;
    let occurring = occurring(cx, &frame, x.leaves_on_q(cx, &frame)?)?;
    if occurring.is_empty() {
        found.kind = Kind::Inconsistent;
        found.relations = without_relation(x);
        return Ok(());
    }
    if overconstrained(cx, x, &frame, &occurring, found)? {
        return Ok(());
    }
    let expected = x.coordinates().len().saturating_sub(x.set.equations.len());
    let deficient = |leaf: &&Leaf| leaf.rank < k;
    let is_full = |leaf: &Leaf| leaf.rank == k;
    for leaf in occurring.iter().filter(deficient) {
        if !occurring.iter().any(is_full)
            || (tangent::dimension(cx, &frame, &leaf.cell)? >= expected && x.covers_below(cx, &frame, &leaf.cell)?)
        {
            found.kind = Kind::DeficientOnQ;
            found.holds_elsewhere = x.level == 0 && occurring.iter().any(is_full);
            found.relations = relations_on(cx, x, &frame, &leaf.cell)?;
            return Ok(());
        }
    }
    Ok(())
}

/// The leaves that have points.
fn occurring(cx: &Inquiry, frame: &Frame, all: Vec<Leaf>) -> Budgeted<Vec<Leaf>> {
    let mut kept = vec![];
    for leaf in all {
        if !stratum::set::is_empty(cx, frame, &leaf.cell)?.is_yes() {
            kept.push(leaf);
        }
    }
    Ok(kept)
}

/// Whether the constraints restrict positions only, lose rank on all of Q, and Q is as large as the rank that is left says:
/// then the kernel of the Jacobian is TQ. Pieces of smaller dimension are dead points, a locus as any other.
fn overconstrained(
    cx: &Inquiry,
    x: &Examined,
    frame: &Frame,
    occurring: &[Leaf],
    found: &mut RankCondition,
) -> Budgeted<bool> {
    let rank = occurring.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
    let (n, m) = (x.coordinates().len(), x.manifold.n_coordinates());
    if x.level > 0 || rank == x.constraints.len() || rank >= m || rank == 0 {
        return Ok(false);
    }
    // Leaves are pieces of a stratum: put together, those of the largest rank have the dimension that it says, and the others less.
    let with = |is: &dyn Fn(usize) -> bool| occurring.iter().filter(|l| is(l.rank)).map(|l| l.cell.clone()).collect();
    for cell in stratum::set::merged(cx, frame, with(&|r| r == rank))? {
        if tangent::dimension(cx, frame, &cell)? != n - rank {
            return Ok(false);
        }
    }
    for cell in stratum::set::merged(cx, frame, with(&|r| r < rank))? {
        if tangent::dimension(cx, frame, &cell)? >= n - rank {
            return Ok(false);
        }
    }
    let mut largest = None;
    for leaf in occurring.iter().filter(|leaf| leaf.rank == rank) {
        if tangent::dimension(cx, frame, &leaf.cell)? == n - rank {
            largest = Some(leaf);
            break;
        }
    }
    let Some(largest) = largest else { return Ok(false) };
    let columns = x.rows(cx, frame, &x.chetaev.transpose())?;
    let Some(rows) = leaves(cx, frame, &columns, &largest.cell)?.into_iter().find(|leaf| leaf.rank == rank) else {
        return Ok(false);
    };
    let mut independent: Vec<usize> = rows.echelon.iter().map(|(pivot, _)| *pivot).collect();
    independent.sort_unstable();
    found.kind = Kind::Overconstrained;
    found.independent = independent;
    found.relations = relations_on(cx, x, frame, &largest.cell)?;
    Ok(true)
}

/// The combinations c with Σ c_i F^i = 0 on a piece of Q.
fn relations_on(cx: &Inquiry, x: &Examined, frame: &Frame, cell: &Cell) -> Budgeted<Vec<Relation>> {
    let k = x.constraints.len();
    let system = x.rows(cx, frame, &x.chetaev.transpose())?;
    let Some(leaf) = leaves(cx, frame, &system, cell)?.into_iter().min_by_key(|leaf| leaf.rank) else {
        return Ok(vec![]);
    };
    let solution = leaf.solution(cx, frame, k)?;
    let relation = |c: &Vec<_>| {
        let coefficients: Vec<Expr> =
            c.iter().map(|e: &crate::algebra::stratum::leaves::Fraction| tidy(cx, e.to_expr(frame))).collect();
        let terms: Vec<Expr> = coefficients.iter().zip(&x.tops).map(|(c, f)| *c * *f).collect();
        Relation { value: tidy(cx, Expr::add_all(terms)), coefficients }
    };
    Ok(solution.kernel.iter().map(relation).collect())
}

/// The factors of the constraints that have more than one, or one several times.
fn factor(cx: &Inquiry, x: &Examined, frame: &Frame, found: &mut RankCondition) -> Budgeted<()> {
    for (i, c) in x.constraints.iter().enumerate() {
        let numerator = frame.read_numerator(cx, c.function)?;
        let factors = frame.irreducible_factors(cx, &numerator);
        let factors: Vec<Expr> = factors.iter().map(|p| frame.write(p)).filter(|e| x.depends_on_jets(*e)).collect();
        let is_power = |e: &Expr| x.depends_on_jets(tidy(cx, c.function / *e));
        if factors.len() > 1 || factors.first().is_some_and(is_power) {
            let is_own = |e: &&Expr| x.order_of(cx, **e) == Some(c.order);
            let own: Vec<Expr> = factors.iter().filter(is_own).copied().collect();
            let own = branches_among(cx, x, own);
            if own.len() > 1 {
                found.products.push((i, own));
            }
            found.factors.extend(factors);
        }
    }
    found.factors.dedup();
    Ok(())
}

/// Those factors whose real zeros are not zeros of another one: x² + xy + y² is no branch beside x − y.
fn branches_among(cx: &Inquiry, x: &Examined, factors: Vec<Expr>) -> Vec<Expr> {
    let lies_in = |e: Expr, other: Expr| {
        let zeros = Branch { equations: vec![e], nonzero: vec![] };
        cx.within(share::COMPONENTS, || stratum::vanishes_on(cx, &x.coordinates(), other, &zeros))
            .is_ok_and(|v| v.is_yes())
    };
    let mut kept = factors.clone();
    for e in factors {
        if kept.len() > 1 && kept.iter().any(|other| *other != e && lies_in(e, *other)) {
            kept.retain(|other| *other != e);
        }
    }
    kept
}

/// The rank of F at the points of Q, stratum by stratum.
pub fn rank_on_q(cx: &Inquiry, declared: &Declared) -> Answered<Rank> {
    let x = Examined::new(cx, declared)?;
    let strata = || -> Budgeted<Rank> {
        let frame = x.frame(cx)?;
        let all = x.leaves_on_q(cx, &frame)?;
        strata_by(cx, &frame, &all, |leaf| leaf.rank)
    };
    cx.within(share::SEARCH, strata).map_err(exhausted)
}

/// The components of Q.
pub fn components(cx: &Inquiry, declared: &Declared) -> Answered<Vec<Branch>> {
    let x = Examined::new(cx, declared)?;
    let split = || stratum::simplified(cx, &x.coordinates(), std::slice::from_ref(&x.set));
    cx.within(share::SEARCH, split).map_err(exhausted)
}

/// Where on Q the rank is smaller than k.
pub fn singular_points(cx: &Inquiry, declared: &Declared) -> Answered<Vec<Branch>> {
    let k = declared.equations.len();
    let (found, _) = conditions::collect(cx, |cx| -> Answered<Vec<Branch>> {
        let x = Examined::new(cx, declared)?;
        if has_full_rank_everywhere(cx, &x.chetaev).map_err(exhausted)? {
            return Ok(vec![]);
        }
        Ok(rank_on_q(cx, declared)?.strata.into_iter().filter(|(_, rank)| *rank < k).map(|(b, _)| b).collect())
    });
    found
}

/// F, for the rank at a point.
pub fn matrix(cx: &Inquiry, declared: &Declared) -> Answered<Matrix> {
    Ok(Examined::new(cx, declared)?.chetaev)
}

impl RankCondition {
    /// The refusal of constraints that hold on several branches, none of which was chosen.
    fn ambiguity(&self, declared: &Declared) -> Option<Diagnostic> {
        let (i, factors) = self.products.first().filter(|_| declared.branch.is_empty())?;
        let mut refusal = Diagnostic::error(
            &codes::NOT_DETERMINED,
            format!("this constraint is a product: it holds on {} branches", factors.len()),
        )
        .label(declared.equations[*i].span, "which one is meant?");
        for factor in factors {
            refusal = refusal.note(format!("on one of them {factor} = 0"));
        }
        Some(refusal.help(format!("write `{} = 0`, or say with `branch:` which one is meant", factors[0])))
    }

    /// The refusal, unless the condition holds.
    pub fn refusal(&self, cx: &Inquiry, declared: &Declared) -> Option<Diagnostic> {
        let Some((code, title)) = self.kind.code() else { return self.ambiguity(declared) };
        let (m, k) = (declared.manifold.unfolded().n_coordinates(), declared.equations.len());
        let mut refusal = Diagnostic::error(code, title);
        let involved = |relation: &Relation| -> Vec<usize> {
            (0..k).filter(|i| !vanishes(cx, relation.coefficients[*i]).is_yes()).collect()
        };
        if self.kind == Kind::TooMany {
            for e in &declared.equations {
                refusal = refusal.label(e.span, "a constraint");
            }
            return Some(
                refusal
                    .note(format!("{k} constraints, {m} coordinates: the constraints alone are equations of motion"))
                    .help("leave a constraint out, or run the equations themselves"),
            );
        }
        let Some(relation) = self.relations.first() else {
            return declared.equations.first().map(|e| refusal.label(e.span, "here"));
        };
        let rows = involved(relation);
        let last = rows.last().copied().unwrap_or(0);
        for i in &rows {
            let words = match self.kind {
                Kind::Dependent if *i == last => "follows from the others",
                Kind::Inconsistent if rows.len() > 1 && *i == last => "contradicts the others",
                Kind::Inconsistent if rows.len() == 1 => "never holds",
                Kind::HiddenLowerOrder if *i == last => "says more together with the others",
                Kind::DeficientOnQ => "loses rank",
                _ => "this one",
            };
            refusal = refusal.label(declared.equations[*i].span, words);
        }
        let combination = combination(&rows, relation);
        refusal = match self.kind {
            Kind::Dependent | Kind::HiddenLowerOrder => refusal.note(format!(
                "rank ∂f/∂q_r is {}, but {k} constraints are given: {combination} = {}",
                self.generic_rank, relation.value
            )),
            Kind::Inconsistent if rows.len() > 1 => {
                refusal.note(format!("{combination} = {}, which does not vanish", relation.value))
            }
            Kind::Inconsistent if relation.value.symbols().iter().all(|s| s.as_jet().is_none()) => {
                refusal.note("no coordinate and no velocity occurs in it, so it says nothing about a motion")
            }
            Kind::Inconsistent => refusal.note("no real point satisfies all of them"),
            _ => refusal.note(format!(
                "at generic points rank ∂f/∂q_r is {}, where they hold ({combination}) has no derivatives in the highest jets",
                self.generic_rank
            )),
        };
        if !self.factors.is_empty() {
            let list: Vec<String> = self.factors.iter().map(|e| e.to_string()).collect();
            refusal = refusal.note(format!("the factors are {}", list.join(", ")));
        }
        Some(match self.kind {
            Kind::Dependent => refusal.help("remove one of the lines"),
            Kind::Inconsistent => refusal.help("remove a line, or correct it"),
            Kind::HiddenLowerOrder => refusal.help(format!(
                "write `{} = 0` as a constraint of its own order instead of line {}",
                self.hidden.first().copied().unwrap_or(relation.value),
                last + 1
            )),
            _ if !self.factors.is_empty() => refusal.help("write the factor that is meant"),
            _ => refusal.help("write each constraint once, without its square"),
        })
    }
}

/// `f2 - 2*f1`: the combination with the constraints by number.
fn combination(rows: &[usize], relation: &Relation) -> String {
    let names = rows.iter().map(|i| (Symbol::helper(&format!("f{}", i + 1)), relation.coefficients[*i]));
    let sum = Expr::add_all(names.map(|(f, c)| Expr::symbol(f) * c).collect::<Vec<_>>());
    sum.to_string()
}
