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

mod canonical;
mod chart;

use super::constraint_point::holds_somewhere;
use super::{Answered, decided_order, exhausted, jet, project_all, tidy, undecided, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::ball::Ball;
use crate::algebra::conditions;
use crate::algebra::decide::sign;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::{self, Branch};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::share;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace, total_derivative, total_derivatives};
use crate::source::Span;
use chart::{Chart, Plain, Solved};
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
    /// Whether all points of the tower are meant, and not those of one root.
    is_whole: bool,
    /// What `branch:` says, and the solution does not.
    said: Vec<Condition>,
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
            is_whole: declared.branch.is_empty(),
            said: vec![],
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
        let (mut known, mut plain) = (vec![], Plain::default());
        for level in lowest..=level {
            if let Solved::Values(values) = chart.solve(cx, declared, &dependent, level, &mut plain)? {
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
        // What is asked about is asked where they hold: there they are facts, and still conditions of the answer.
        let said = found.said.iter().filter(|c| !found.conditions.contains(c)).copied().collect::<Vec<_>>();
        found.conditions.extend(said);
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

    /// The sign of det F_D on the root that goes through a point, where it was not solved for: roots meet where it vanishes.
    pub fn root_through(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Option<Condition> {
        if self.solved {
            return None;
        }
        let there = sign(cx, substitute(self.det, point));
        let relation = match (there.is_positive(), there.is_negative()) {
            (true, _) => Relation::Greater,
            (_, true) => Relation::Less,
            _ => return None,
        };
        Some(Condition { relation, left: self.det })
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

    /// The function in coordinates of P: all dependent jets replaced whose values are known.
    pub fn in_chart(&self, e: Expr) -> Expr {
        // The highest first: their values contain lower ones.
        self.solved_jets().into_iter().rev().fold(e, |e, (s, value)| match e.contains(s) {
            true => substitute(e, &std::iter::once((s, value)).collect()),
            false => e,
        })
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
        let found = tower.vanishes(cx, e);
        // Of several roots the one that was chosen may be another.
        if !found.is_unknown() || !self.is_whole {
            return found;
        }
        let surface: Vec<Expr> = self.whole_tower().map(|p| p.function).collect();
        let is_jet = |s: Symbol| self.manifold.order_of_symbol(s).is_some();
        let is_away = |values: Vec<Ball>| values.iter().all(|x| matches!(x.sign(), Some(1 | -1)));
        let somewhere = || holds_somewhere(cx, &surface, is_jet, &[e], is_away);
        match cx.aside(share::SMALL_SIDE, somewhere) {
            Ok(Some(true)) => Verdict::no("it does not vanish at a point of the constraint"),
            _ => found,
        }
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
