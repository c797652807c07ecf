//! Constraint structures: a submanifold Q of JʳY cut out by k independent equations, with everything that is read off it.
//!
//! ```text
//! f^i(t, q, …, q_r) = 0,      rank ∂f^i/∂q_r^σ = k on Q                     Krupková (10.2), Volný–Krupková (3.2)
//! q_r^{D_i} = g^i(t, q, …, q_{r−1}, q_r^1, …, q_r^{m−k})                    normal form, (10.3), (3.3)
//! ```
//!
//! The constraints need not have one order. A constraint of order r_i is prolonged to the *level* n on which the structure is
//! written: r = max r_i for Q itself, s − 1 for a system of order s > r. Since ∂(dᵖf/dtᵖ)/∂q_{r+p} = ∂f/∂q_r, the matrix
//! F = ∂f^i/∂q_{r_i}^σ of generalised Chetaev expressions is that of the constraints as they were typed, whatever n is, and so
//! are the multipliers. All equations dʲf^i/dtʲ = 0 of orders r_i, …, n are the [tower](ConstraintStructure::tower): they cut P
//! out of JⁿY (Krupková (11.8)).
//!
//! Nothing here needs g itself: where the equations cannot be solved, or have several solutions and none was chosen, the
//! dependent jets stay symbols and
//!
//! ```text
//! ∂g/∂q_n^l = −F_D⁻¹ F_l,      d̂g/dt = −F_D⁻¹ d̂f/dt.
//! ```
//!
//! The zeros of det F_D bound the chart; they are no singularities of Q. That the rank is k on Q is
//! [`rank_condition`](super::rank_condition)'s business, which comes first.

use super::{Answered, decided_order, exhausted, jet, project_all, tidy, undecided, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::decide::{is_nonzero_everywhere, sign};
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::linear::Matrix;
use crate::algebra::solve::{Branch as SolvedBranch, solve};
use crate::algebra::stratum::{self, Branch};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace, total_derivative, total_derivatives};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Constraints as they were declared, all that hold together.
#[derive(Clone, Debug)]
pub struct Declared {
    pub manifold: FiberedManifold,
    pub equations: Vec<Equation>,
    /// The coordinates to solve for; empty where they are to be chosen.
    pub dependent: Vec<Symbol>,
    pub branch: Vec<BranchChoice>,
}

impl Declared {
    /// Those equations whose numbers are kept.
    pub fn keeping(&self, is_kept: impl Fn(usize) -> bool) -> Declared {
        let equations = self.equations.iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, e)| *e);
        Declared { equations: equations.collect(), ..self.clone() }
    }
}

/// Left minus right side of an equation, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    pub function: Expr,
    pub span: Span,
}

/// Which root of a nonlinear constraint is meant.
#[derive(Clone, Debug)]
pub enum BranchChoice {
    /// `branch: z' > 0`
    Where(Condition),
    /// `branch: { x' = 3, z' = 5 }`
    Through(FxHashMap<Symbol, Expr>),
}

/// One constraint with its true order.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    pub function: Expr,
    pub order: u32,
    pub span: Span,
}

/// dʲf^i/dtʲ.
#[derive(Clone, Copy, Debug)]
pub struct Prolonged {
    pub constraint: usize,
    pub derivative: u32,
    /// The order of the jets in it.
    pub order: u32,
    pub function: Expr,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct ConstraintStructure {
    manifold: FiberedManifold,
    constraints: Vec<Constraint>,
    level: u32,
    tower: Vec<Prolonged>,
    /// Constraints that say nothing new near any point of Q: ρ others determine the motion, and these must hold, too.
    redundant: Vec<Constraint>,
    /// Their tower; they are numbered after the others.
    redundant_tower: Vec<Prolonged>,
    /// The places at which the constraints were typed, redundant ones last.
    numbers: Vec<usize>,
    /// Numbers of the dependent coordinates, one for each constraint.
    dependent: Vec<usize>,
    independent: Vec<usize>,
    /// F, row by row the constraints, as functions on JʳY.
    chetaev: Matrix,
    /// det F_D on Q.
    det: Expr,
    normal: NormalForm,
    /// Values of dependent jets below the level, lowest first.
    below: Vec<(Symbol, Expr)>,
    /// Whether every equation of the tower has been solved.
    solved: bool,
    /// Dependent jets on one of several branches, where the lowest equations have some.
    sample: Vec<(Symbol, Expr)>,
    /// ∂g^i/∂q_n^l on Q.
    slopes: Matrix,
    /// d̂g^i/dt on Q: the total derivative of g without its terms in q_{n+1}.
    drift: Vec<Expr>,
    /// What must hold in this chart.
    conditions: Vec<Condition>,
}

/// The dependent jets of the level as functions of the others.
#[derive(Clone, Debug)]
pub enum NormalForm {
    Explicit(Vec<Expr>),
    /// Why there is none, and the branches among which none was chosen.
    Implicit {
        why: String,
        branches: Vec<Vec<Expr>>,
    },
}

impl ConstraintStructure {
    /// The structure on JⁿY with n = max(level, r). Its rank condition must hold.
    pub fn new(cx: &Inquiry, declared: &Declared, level: u32) -> Answered<ConstraintStructure> {
        ConstraintStructure::build(cx, declared, level, true)
    }

    /// The structure of overconstrained equations: `independent` are the numbers of ρ of them that are independent on Q.
    pub fn overconstrained(
        cx: &Inquiry,
        declared: &Declared,
        independent: &[usize],
        level: u32,
    ) -> Answered<ConstraintStructure> {
        let mut structure = ConstraintStructure::new(cx, &declared.keeping(|i| independent.contains(&i)), level)?;
        structure.redundant = ordered(cx, &declared.keeping(|i| !independent.contains(&i)))?;
        let k = structure.constraints.len();
        let beside = tower(cx, &structure.redundant, structure.level).into_iter();
        structure.redundant_tower = beside.map(|p| Prolonged { constraint: p.constraint + k, ..p }).collect();
        structure.solved &= structure.redundant.is_empty();
        let redundant = (0..declared.equations.len()).filter(|i| !independent.contains(i));
        structure.numbers = independent.iter().copied().chain(redundant).collect();
        // The chart was chosen where the independent constraints hold; it must be one where all of them do.
        let det = structure.det;
        let lost =
            cx.within(share::MINOR, || stratum::vanishes_on(cx, &structure.space().symbols(), det, &structure.set()));
        if lost.is_ok_and(|v| v.is_yes()) {
            return Err(undecided("the constraints can be solved for the dependent jets", "their minor vanishes on Q"));
        }
        Ok(structure)
    }

    /// The structure without a chart: the constraints, their tower and F, which are all that a saddle system needs. Nothing is
    /// solved and no coordinate is dependent. `independent` are numbers of equations that are independent on Q.
    pub fn uncharted(
        cx: &Inquiry,
        declared: &Declared,
        independent: Option<&[usize]>,
        level: u32,
    ) -> Answered<ConstraintStructure> {
        let n = declared.equations.len();
        let all: Vec<usize> = (0..n).collect();
        let independent = independent.unwrap_or(&all);
        let manifold = declared.manifold.unfolded();
        let constraints = ordered(cx, &declared.keeping(|i| independent.contains(&i)))?;
        let redundant = ordered(cx, &declared.keeping(|i| !independent.contains(&i)))?;
        let level = constraints.iter().map(|c| c.order).max().unwrap_or(0).max(level);
        let k = constraints.len();
        let beside = tower(cx, &redundant, level).into_iter();
        Ok(ConstraintStructure {
            tower: tower(cx, &constraints, level),
            redundant_tower: beside.map(|p| Prolonged { constraint: p.constraint + k, ..p }).collect(),
            numbers: independent.iter().copied().chain((0..n).filter(|i| !independent.contains(i))).collect(),
            chetaev: chetaev(cx, &manifold, &constraints),
            det: Expr::one(),
            slopes: Matrix::zero(0, manifold.n_coordinates()),
            drift: vec![],
            dependent: vec![],
            independent: (0..manifold.n_coordinates()).collect(),
            normal: NormalForm::Implicit { why: "they were not to be solved".into(), branches: vec![] },
            below: vec![],
            solved: false,
            sample: vec![],
            conditions: vec![],
            manifold,
            constraints,
            redundant,
            level,
        })
    }

    /// The same without solving the equations of the level: the dependent jets stay symbols. In this form the charts of
    /// several choices of dependents can be compared.
    pub fn implicit(cx: &Inquiry, declared: &Declared, level: u32) -> Answered<ConstraintStructure> {
        ConstraintStructure::build(cx, declared, level, false)
    }

    /// Dependent jets with their values alone, lowest first, as far as they are found: what a start is completed with. Nothing is
    /// differentiated.
    pub fn dependent_values(cx: &Inquiry, declared: &Declared, level: u32) -> Answered<Vec<(Symbol, Expr)>> {
        let manifold = declared.manifold.unfolded();
        let constraints = ordered(cx, declared)?;
        let lowest = constraints.iter().map(|c| c.order).min().unwrap_or(0);
        let level = constraints.iter().map(|c| c.order).max().unwrap_or(0).max(level);
        let tower = tower(cx, &constraints, level);
        let chetaev = chetaev(cx, &manifold, &constraints);
        let (constraints, tower, chetaev) = (&constraints[..], &tower[..], &chetaev);
        let chart = Chart { manifold: &manifold, constraints, tower, chetaev, level, explicit: true };
        let dependent = chart.dependent(cx, declared)?;
        let mut known = vec![];
        for level in lowest..=level {
            if let Solved::Values(values) = chart.solve(cx, declared, &dependent, level)? {
                known.extend(values);
            }
        }
        Ok(known)
    }

    fn build(cx: &Inquiry, declared: &Declared, level: u32, explicit: bool) -> Answered<ConstraintStructure> {
        let manifold = declared.manifold.unfolded();
        let constraints = ordered(cx, declared)?;
        let level = constraints.iter().map(|c| c.order).max().unwrap_or(0).max(level);
        let tower = tower(cx, &constraints, level);
        let chetaev = chetaev(cx, &manifold, &constraints);
        let chart =
            Chart { manifold: &manifold, constraints: &constraints, tower: &tower, chetaev: &chetaev, level, explicit };
        let (found, recorded) = conditions::collect_all(cx, |cx| chart.complete(cx, declared));
        let mut found = found?;
        // What was cut off on the way is not written as it should be.
        if cx.is_over() {
            return Err(exhausted(cx.why()));
        }
        found.conditions.extend(recorded.nonzero.iter().map(|e| Condition::nonzero(*e)));
        found.conditions.extend(recorded.stated);
        found.conditions = conditions::inequality::reduced(cx, std::mem::take(&mut found.conditions));
        for condition in &found.conditions {
            conditions::state(cx, *condition);
        }
        Ok(found)
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Constraints beside these that say nothing new near any point of Q.
    pub fn redundant(&self) -> &[Constraint] {
        &self.redundant
    }

    /// A list with one entry for each constraint, redundant ones last, in the order in which they were typed.
    pub fn as_typed(&self, list: &[Expr]) -> Vec<Expr> {
        let mut typed: Vec<(usize, Expr)> = self.numbers.iter().copied().zip(list.iter().copied()).collect();
        typed.sort_by_key(|(i, _)| *i);
        typed.into_iter().map(|(_, e)| e).collect()
    }

    /// A constraint by its number in the [tower](Self::whole_tower).
    pub fn constraint(&self, i: usize) -> Option<&Constraint> {
        self.constraints.iter().chain(&self.redundant).nth(i)
    }

    /// All equations of P, those of redundant constraints with them.
    pub fn whole_tower(&self) -> impl Iterator<Item = &Prolonged> {
        self.tower.iter().chain(&self.redundant_tower)
    }

    /// k.
    pub fn n_constraints(&self) -> usize {
        self.constraints.len()
    }

    /// r, the largest order of a constraint.
    pub fn order(&self) -> u32 {
        self.constraints.iter().map(|c| c.order).max().unwrap_or(0)
    }

    /// n, the order of the jets that the normal form is solved for.
    pub fn level(&self) -> u32 {
        self.level
    }

    pub fn tower(&self) -> &[Prolonged] {
        &self.tower
    }

    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    pub fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// F^i_σ = ∂f^i/∂q_{r_i}^σ, as functions on JʳY.
    pub fn chetaev(&self) -> &Matrix {
        &self.chetaev
    }

    /// det F_D on Q.
    pub fn det(&self) -> Expr {
        self.det
    }

    pub fn normal_form(&self) -> &NormalForm {
        &self.normal
    }

    /// ∂g^i/∂q_n^l on Q.
    pub fn slopes(&self) -> &Matrix {
        &self.slopes
    }

    /// d̂g^i/dt on Q.
    pub fn drift(&self) -> &[Expr] {
        &self.drift
    }

    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The dependent jets of order k.
    pub fn dependent_jets(&self, k: u32) -> Vec<Symbol> {
        self.dependent.iter().map(|d| jet(&self.manifold, *d, k)).collect()
    }

    /// The independent jets of order k.
    pub fn independent_jets(&self, k: u32) -> Vec<Symbol> {
        self.independent.iter().map(|l| jet(&self.manifold, *l, k)).collect()
    }

    /// The coordinate of a number.
    pub fn coordinate(&self, sigma: usize) -> Symbol {
        jet(&self.manifold, sigma, 0)
    }

    pub fn space(&self) -> JetSpace {
        self.manifold.jets(self.level)
    }

    /// The equations of P in JⁿY.
    pub fn set(&self) -> Branch {
        Branch { equations: self.whole_tower().map(|p| p.function).collect(), nonzero: vec![] }
    }

    /// Dependent jets with their values, lowest first; what could not be solved is missing.
    pub fn solved_jets(&self) -> Vec<(Symbol, Expr)> {
        let top = match &self.normal {
            NormalForm::Explicit(g) => self.dependent_jets(self.level).into_iter().zip(g.iter().copied()).collect(),
            NormalForm::Implicit { .. } => vec![],
        };
        self.below.iter().copied().chain(top).collect()
    }

    /// Dependent jets on one of several branches of the lowest equations, where these were not solved uniquely.
    pub fn sample(&self) -> &[(Symbol, Expr)] {
        &self.sample
    }

    /// Whether the values of [`solved_jets`](Self::solved_jets) say all that the tower says.
    pub fn is_solved(&self) -> bool {
        self.solved
    }

    /// f∘ι: the dependent jets of the level replaced where they are known.
    pub fn on_q(&self, cx: &Inquiry, e: Expr) -> Expr {
        match &self.normal {
            NormalForm::Explicit(g) => tidy(cx, put(e, &self.dependent_jets(self.level), g)),
            NormalForm::Implicit { .. } => tidy(cx, e),
        }
    }

    /// The derivative by an independent jet of the level along Q, of a function on Q.
    pub fn slope_on_q(&self, cx: &Inquiry, e: Expr, l: usize) -> Expr {
        let direct = partial(cx, e, jet(&self.manifold, self.independent[l], self.level));
        let through = self.dependent_jets(self.level).into_iter().enumerate().filter(|(_, s)| e.contains(*s));
        let through = through.map(|(i, s)| partial(cx, e, s) * self.slopes[(i, l)]);
        tidy(cx, direct + Expr::add_all(through.collect::<Vec<_>>()))
    }

    /// W, m × (m−k): the identity for the independent coordinates, ∂g/∂q_n for the dependent ones.
    pub fn tangent_matrix(&self) -> Matrix {
        let place = |list: &[usize], sigma: usize| list.iter().position(|x| *x == sigma);
        Matrix::from_fn(self.manifold.n_coordinates(), self.independent.len(), |sigma, l| {
            match (place(&self.independent, sigma), place(&self.dependent, sigma)) {
                (Some(own), _) if own == l => Expr::one(),
                (_, Some(i)) => self.slopes[(i, l)],
                _ => Expr::zero(),
            }
        })
    }

    /// v⁰ = (0, d̂g/dt), by coordinate.
    pub fn drift_vector(&self) -> Vec<Expr> {
        let mut v = vec![Expr::zero(); self.manifold.n_coordinates()];
        for (d, g) in self.dependent.iter().zip(&self.drift) {
            v[*d] = *g;
        }
        v
    }

    /// Whether a function vanishes at the points of P.
    pub fn vanishes_on_q(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let tower = Tower {
            values: &self.solved_jets(),
            says_all: self.solved,
            sample: &self.sample,
            coordinates: &self.space().symbols(),
            set: &self.set(),
        };
        tower.vanishes(cx, e)
    }

    /// φ^i = f^i dt + (∂f^i/∂q_r^σ) ω^σ, Krupková (10.5): the contact forms are of order 0, also for r ≥ 2. For a
    /// holonomic constraint f is replaced by df/dt, which has the same coefficients, and φ is df.
    pub fn forms(&self, cx: &Inquiry) -> Vec<Form> {
        let t = self.manifold.base();
        let form = |(i, c): (usize, &Constraint)| {
            let f = if c.order == 0 { total_derivative(cx, c.function) } else { c.function };
            let contact = (0..self.manifold.n_coordinates())
                .map(|sigma| Form::omega(self.coordinate(sigma)).scale(self.chetaev[(i, sigma)]));
            let parts: Vec<Form> = std::iter::once(Form::term(f, &[t])).chain(contact).collect();
            Form::sum(1, &parts).map_coefficients(|c| tidy(cx, c))
        };
        self.constraints.iter().enumerate().map(form).collect()
    }

    /// ι*φ^i in normal form: ω^{D_i} − (∂g^i/∂q_n^l) ω^l on Q. For n = 1 these are
    /// dq^{D_i} − (∂g^i/∂q̇^l) dq^l − (g^i − (∂g^i/∂q̇^l) q̇^l) dt.
    pub fn forms_on_q(&self, cx: &Inquiry) -> Vec<Form> {
        let form = |(i, d): (usize, &usize)| {
            let independent = self.independent.iter().enumerate();
            let parts = independent.map(|(l, q)| Form::omega(self.coordinate(*q)).scale(-self.slopes[(i, l)]));
            let parts: Vec<Form> = std::iter::once(Form::omega(self.coordinate(*d))).chain(parts).collect();
            Form::sum(1, &parts).map_coefficients(|c| self.on_q(cx, c))
        };
        self.dependent.iter().enumerate().map(form).collect()
    }

    /// The coordinates of Q: those of JⁿY without the dependent jets of the level, where these are known.
    pub fn coordinates_on_q(&self) -> Vec<Symbol> {
        let dependent = match &self.normal {
            NormalForm::Explicit(_) => self.dependent_jets(self.level),
            NormalForm::Implicit { .. } => vec![],
        };
        self.space().symbols().into_iter().filter(|s| !dependent.contains(s)).collect()
    }
}

/// The constraints, written without jets above their true orders.
pub(super) fn ordered(cx: &Inquiry, declared: &Declared) -> Answered<Vec<Constraint>> {
    let manifold = declared.manifold.unfolded();
    let one = |e: &Equation| -> Answered<Constraint> {
        let order = decided_order(cx, &manifold, &[e.function])
            .map_err(|d| Box::new(d.or_at(e.span, "the order of this constraint")))?;
        let function = project_all(cx, &manifold, &[e.function], order)[0];
        Ok(Constraint { function, order, span: e.span })
    };
    declared.equations.iter().map(one).collect()
}

/// All equations of orders r_i, …, n, constraint by constraint.
pub(super) fn tower(cx: &Inquiry, constraints: &[Constraint], level: u32) -> Vec<Prolonged> {
    let mut all = vec![];
    for (i, c) in constraints.iter().enumerate() {
        for derivative in 0..=level.saturating_sub(c.order) {
            let function = match derivative {
                0 => c.function,
                n => tidy(cx, total_derivatives(cx, c.function, n)),
            };
            all.push(Prolonged { constraint: i, derivative, order: c.order + derivative, function });
        }
    }
    all
}

/// F^i_σ = ∂f^i/∂q_{r_i}^σ.
pub(super) fn chetaev(cx: &Inquiry, manifold: &FiberedManifold, constraints: &[Constraint]) -> Matrix {
    let m = manifold.n_coordinates();
    Matrix::from_fn(constraints.len(), m, |i, sigma| {
        let c = &constraints[i];
        tidy(cx, partial(cx, c.function, jet(manifold, sigma, c.order)))
    })
}

/// More charts than this are not looked at for one without an end.
const CHARTS: usize = 40;

fn put(e: Expr, symbols: &[Symbol], values: &[Expr]) -> Expr {
    let map: FxHashMap<Symbol, Expr> =
        symbols.iter().copied().zip(values.iter().copied()).filter(|(s, _)| e.contains(*s)).collect();
    if map.is_empty() { e } else { substitute(e, &map) }
}

/// The points of a tower of constraints: over every point that satisfies the equations of lower order there are jets that
/// satisfy the others.
pub struct Tower<'a> {
    /// Jets that have been solved for, lowest first.
    pub values: &'a [(Symbol, Expr)],
    /// Whether these values say all that the equations say.
    pub says_all: bool,
    /// Values on one of several branches of the lowest equations: what does not vanish there does not vanish.
    pub sample: &'a [(Symbol, Expr)],
    pub coordinates: &'a [Symbol],
    pub set: &'a Branch,
}

impl Tower<'_> {
    /// Whether a function vanishes there: by the values of the jets that have been solved for, which is final if they say all,
    /// else as a polynomial modulo the equations in its own jets.
    pub fn vanishes(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let plain = vanishes(cx, e);
        if plain.is_yes() {
            return plain;
        }
        // The highest first: their values contain lower ones.
        let there = self.values.iter().rev().fold(e, |e, (s, value)| put(e, &[*s], &[*value]));
        let verdict = if there == e { plain } else { vanishes(cx, there) };
        if verdict.is_yes() || self.says_all {
            return verdict;
        }
        let order = |e: Expr| e.symbols().iter().filter_map(|s| s.as_jet()).map(|(_, k)| k).max().unwrap_or(0);
        let highest = order(there);
        let equations = self.set.equations.iter().copied().filter(|g| order(*g) <= highest).collect();
        let below = |s: &&Symbol| s.as_jet().is_none_or(|(_, k)| k <= highest);
        let coordinates: Vec<Symbol> = self.coordinates.iter().filter(below).copied().collect();
        let set = Branch { equations, nonzero: vec![] };
        let found =
            stratum::vanishes_on(cx, &coordinates, there, &set).unwrap_or_else(|why| Verdict::unknown(why.to_string()));
        if found.is_unknown() && !self.sample.is_empty() {
            let on_branch = self.sample.iter().rev().fold(there, |e, (s, value)| put(e, &[*s], &[*value]));
            let (verdict, _) = conditions::collect(cx, |cx| vanishes(cx, on_branch));
            if verdict.is_no() {
                return verdict;
            }
        }
        found
    }
}

/// What is known before a chart is chosen.
struct Chart<'a> {
    manifold: &'a FiberedManifold,
    constraints: &'a [Constraint],
    tower: &'a [Prolonged],
    chetaev: &'a Matrix,
    level: u32,
    /// Whether the level itself is to be solved.
    explicit: bool,
}

/// What was found out about one level of the tower.
enum Solved {
    /// Values of the dependent jets of the level.
    Values(Vec<(Symbol, Expr)>),
    Open {
        why: String,
        branches: Vec<Vec<Expr>>,
    },
}

impl Chart<'_> {
    fn dependent(&self, cx: &Inquiry, declared: &Declared) -> Answered<Vec<usize>> {
        match declared.dependent.is_empty() {
            true => self.choose(cx),
            false => self.chosen(cx, declared),
        }
    }

    fn complete(&self, cx: &Inquiry, declared: &Declared) -> Answered<ConstraintStructure> {
        let dependent = self.dependent(cx, declared)?;
        let m = self.manifold.n_coordinates();
        let independent: Vec<usize> = (0..m).filter(|s| !dependent.contains(s)).collect();
        let (mut below, mut solved, mut sample) = (vec![], true, vec![]);
        let lowest = self.constraints.iter().map(|c| c.order).min().unwrap_or(self.level);
        for level in lowest..self.level {
            match self.solve(cx, declared, &dependent, level)? {
                Solved::Values(values) => below.extend(values),
                Solved::Open { .. } => {
                    solved = false;
                    sample.extend(self.one_branch(cx, &dependent, level));
                }
            }
        }
        let tops = self.at_level(self.level);
        let top = match self.explicit {
            true => self.solve(cx, declared, &dependent, self.level)?,
            false => Solved::Open { why: "they were not to be solved".into(), branches: vec![] },
        };
        let normal = match top {
            Solved::Values(values) => NormalForm::Explicit(values.into_iter().map(|(_, g)| g).collect()),
            Solved::Open { why, branches } => NormalForm::Implicit { why, branches },
        };
        solved &= matches!(normal, NormalForm::Explicit(_));
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
            sample,
            conditions: vec![],
        };
        let rows: Vec<usize> = (0..self.constraints.len()).collect();
        let minor = self.chetaev.minor(&rows, &structure.dependent);
        structure.det = structure.on_q(cx, minor.det(cx).map_err(exhausted)?);
        if !is_nonzero_everywhere(cx, structure.det).is_yes() {
            conditions::record_nonzero(cx, structure.det);
        }
        self.differentiate(cx, &mut structure, &minor, &tops)?;
        Ok(structure)
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
    fn solve(&self, cx: &Inquiry, declared: &Declared, dependent: &[usize], level: u32) -> Answered<Solved> {
        let active = self.active(level);
        let unknowns: Vec<Symbol> = active.iter().map(|p| jet(self.manifold, dependent[p.constraint], level)).collect();
        let functions: Vec<Expr> = active.iter().map(|p| p.function).collect();
        let rows: Vec<usize> = active.iter().map(|p| p.constraint).collect();
        let columns: Vec<usize> = rows.iter().map(|i| dependent[*i]).collect();
        let minor = self.chetaev.minor(&rows, &columns);
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

fn not_solvable(manifold: &FiberedManifold, unknowns: &[Symbol], verdict: &Verdict) -> Box<Diagnostic> {
    let names: Vec<String> = unknowns.iter().map(Symbol::to_string).collect();
    let what = format!("the constraints on `{}` can be solved for {}", manifold.name(), names.join(", "));
    undecided(what, format!("the rank of their minor is {}", verdict.word()))
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

/// The subsets of 0, …, m−1 with k members, the last ones first.
pub(super) fn subsets(m: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![vec![]];
    }
    (k..=m)
        .rev()
        .flat_map(|top| {
            subsets(top - 1, k - 1).into_iter().map(move |mut s| {
                s.push(top - 1);
                s
            })
        })
        .collect()
}
