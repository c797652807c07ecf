//! General constraints (M, Λ) and the conditions that make them ideal. Lewis §3.3; docs/theory/forces.md §3–4.
//!
//! M is a set of 1-jets and Λ is spanned, over M, by 1-forms on J¹Y
//!
//! ```text
//! β^a = β^a_0 dt + β^a_i dq^i + β̂^a_i dv^i                                                    Lewis (3.2)
//! ```
//!
//! of which only the values on M count: they are never differentiated. A curve satisfies the constraint when its 1-jets
//! lie in M and β̂^a_i a^i + β^a_i v^i + β^a_0 = 0. The constraint forces take values in F = S̃*(Λ|M), spanned by β̂^a_i θ^i.
//!
//! With H = β̂, c = −(β_0 + βv), N = ∂B/∂v and d = −(B_t + B_q v), ranks being taken at every point of M:
//!
//! ```text
//! IC1   F is a subbundle                              rank H is constant
//! IC2   ker S̃* ∩ Λ is a subbundle                     rank Λ − rank H is constant
//! IC3   accelerations exist, and differ by coann F    rank [H; N] = rank H = rank [H c; N d]
//! ```

use super::constraint_set::ConstraintSet;
use super::{Answered, exhausted, jet, jet_expr, tidy};
use crate::algebra::derive::{gradient, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves};
use crate::algebra::stratum::rank::{Rank, strata_by};
use crate::algebra::stratum::{self, Branch, Cell, Frame, set};
use crate::algebra::{Expr, Inquiry, Symbol, Verdict, conditions};
use crate::budget::Budgeted;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};

/// One form of Λ, by its components.
#[derive(Clone, Debug)]
pub struct Beta {
    /// β_0.
    pub time: Expr,
    /// β_i.
    pub positions: Vec<Expr>,
    /// β̂_i.
    pub velocities: Vec<Expr>,
}

/// A constraint (M, Λ).
#[derive(Clone, Debug)]
pub struct GeneralConstraint {
    pub set: ConstraintSet,
    pub forms: Vec<Beta>,
}

/// The ranks that decide, each with its matrix.
#[derive(Clone, Debug)]
pub struct IdealConditions {
    pub ic1: Verdict,
    pub ic2: Verdict,
    pub ic3: Verdict,
    /// rank Λ, rank H, rank [H; N], rank [H c; N d].
    pub lambda: (Rank, Matrix),
    pub forces: (Rank, Matrix),
    /// rank Λ − rank H, of the forms of Λ without dv.
    pub kernel: Rank,
    pub stacked: (Rank, Matrix),
    pub augmented: (Rank, Matrix),
    /// Where one of the conditions fails.
    pub locus: Vec<Branch>,
    /// What was taken to be nonzero because it contains parameters only.
    pub generic: Vec<Expr>,
}

impl Beta {
    /// The components of a 1-form on J¹Y; refused with another differential that occurs.
    pub fn of_form(manifold: &FiberedManifold, form: &Form) -> Answered<Beta> {
        let n = manifold.n_coordinates();
        let space = manifold.jets(1);
        if let Some(axis) = form.axes().into_iter().find(|a| !space.contains(a.symbol())) {
            return Err(Box::new(
                Diagnostic::error(&codes::ORDER_TOO_HIGH, "a form of a constraint lives on the first jets")
                    .note(format!("this one has a component along d{}", axis.symbol())),
            ));
        }
        let along = |k: u32| (0..n).map(|i| form.coefficient(&[jet(manifold, i, k)])).collect();
        Ok(Beta { time: form.coefficient(&[manifold.base()]), positions: along(0), velocities: along(1) })
    }

    /// dB, the form of Chetaev's rule.
    pub fn differential(cx: &Inquiry, manifold: &FiberedManifold, b: Expr) -> Beta {
        let n = manifold.n_coordinates();
        let along = |k: u32| gradient(cx, b, &(0..n).map(|i| jet(manifold, i, k)).collect::<Vec<Symbol>>());
        Beta { time: partial(cx, b, manifold.base()), positions: along(0), velocities: along(1) }
    }

    /// f_β = β_0 + β_i v^i, which vanishes on the velocities that β allows. Lewis (3.7), where dβ(q)·v is printed for β(q)·v.
    pub fn on_velocities(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Expr {
        let terms = self.positions.iter().enumerate().map(|(i, b)| *b * jet_expr(manifold, i, 1));
        tidy(cx, Expr::add_all(terms.chain([self.time])))
    }

    /// The forms of a codistribution on Y. It says of positions and time which velocities are allowed, so velocities do not occur in it.
    pub fn on_configurations(manifold: &FiberedManifold, forms: &[Form]) -> Answered<Vec<Beta>> {
        let space = manifold.jets(0);
        match forms.iter().flat_map(|f| f.symbols()).find(|s| !space.contains(*s) && !s.is_parameter()) {
            None => forms.iter().map(|f| Beta::of_form(manifold, f)).collect(),
            Some(symbol) => Err(Box::new(
                Diagnostic::error(
                    &codes::ORDER_TOO_HIGH,
                    format!("a codistribution on `{}` has no `{symbol}`", manifold.name()),
                )
                .help(format!("declare the constraint on J1({}) to give Λ itself", manifold.name())),
            )),
        }
    }

    pub fn form(&self, manifold: &FiberedManifold) -> Form {
        let along = |list: &[Expr], k: u32| -> Vec<(Symbol, Expr)> {
            list.iter().enumerate().map(|(i, c)| (jet(manifold, i, k), *c)).collect()
        };
        let time = [(manifold.base(), self.time)].into_iter();
        Form::one_form(time.chain(along(&self.positions, 0)).chain(along(&self.velocities, 1)))
    }
}

/// The lift j¹Λ₀ of forms on Y: d(β_0 + β_i v^i) for each, and the forms themselves. Lewis (3.7).
pub fn jet_lift(cx: &Inquiry, manifold: &FiberedManifold, forms: &[Beta]) -> Vec<Beta> {
    let lifted = forms.iter().map(|b| Beta::differential(cx, manifold, b.on_velocities(cx, manifold)));
    lifted.chain(forms.iter().cloned()).collect()
}

/// Whether dt∧β ≠ 0 for every nonzero β spanned by the forms: the rank of (β_i) is that of (β_0, β_i). Where it fails is given too.
pub fn compatibility(cx: &Inquiry, manifold: &FiberedManifold, forms: &[Beta]) -> Answered<(Verdict, Vec<Branch>)> {
    let space = manifold.jets(0);
    let n = manifold.n_coordinates();
    let vertical: Vec<Vec<Expr>> = forms.iter().map(|b| b.positions.clone()).collect();
    let full: Vec<Vec<Expr>> = forms.iter().map(|b| [&[b.time], b.positions.as_slice()].concat()).collect();
    let everything = ConstraintSet::everything(&space);
    let found = larger_rank(cx, &everything, &vertical, n, &full, n + 1)?;
    Ok((found.0, found.1))
}

/// Whether the second matrix has nowhere on the set a larger rank than the first, where it has, and what parameters were taken to be
/// nonzero for it.
fn larger_rank(
    cx: &Inquiry,
    on: &ConstraintSet,
    small: &[Vec<Expr>],
    n_small: usize,
    large: &[Vec<Expr>],
    n_large: usize,
) -> Answered<(Verdict, Vec<Branch>, Vec<Expr>)> {
    let finer = || {
        let found = finer_leaves(cx, on, (small, n_small), (large, n_large))?;
        let larger = found.leaves.into_iter().filter(|(below, leaf)| leaf.rank > *below);
        let failing: Vec<Cell> = larger.map(|(_, leaf)| leaf.cell).collect();
        let frame = &found.frame;
        let verdict = match set::is_union_empty(cx, frame, &failing)? {
            Verdict::Yes(_) => Verdict::yes("the ranks agree everywhere"),
            other => other,
        };
        let branches = if verdict.is_yes() {
            vec![]
        } else {
            let merged = set::merged(cx, frame, failing)?;
            merged.iter().map(|cell| Ok(on.with(&frame.branch(cx, cell)?))).collect::<Budgeted<Vec<_>>>()?
        };
        Ok((verdict, branches, frame.generic_conditions()))
    };
    finer().map_err(exhausted)
}

/// Leaves of a second matrix on those of a first, each with the rank of the first.
struct FinerLeaves {
    frame: Frame,
    leaves: Vec<(usize, Leaf)>,
}

fn finer_leaves(
    cx: &Inquiry,
    on: &ConstraintSet,
    (small, n_small): (&[Vec<Expr>], usize),
    (large, n_large): (&[Vec<Expr>], usize),
) -> Budgeted<FinerLeaves> {
    let home = on.home();
    let entries: Vec<Expr> = small.iter().chain(large).flatten().copied().collect();
    let frame = home.frame(cx, &entries)?;
    let system = |rows: &[Vec<Expr>], n: usize| -> Budgeted<LinearSystem> {
        let rows = rows.iter().map(|row| frame.read_row(cx, row)).collect::<Budgeted<Vec<_>>>()?;
        Ok(LinearSystem::homogeneous(n, rows))
    };
    let (small, large) = (system(small, n_small)?, system(large, n_large)?);
    let mut found = vec![];
    for cell in home.cells(cx, &frame)? {
        for leaf in leaves(cx, &frame, &small, &cell)? {
            let finer = leaves(cx, &frame, &large, &leaf.cell)?;
            found.extend(finer.into_iter().map(|f| (leaf.rank, f)));
        }
    }
    Ok(FinerLeaves { frame, leaves: found })
}

impl GeneralConstraint {
    /// Nothing is constrained.
    pub fn none(space: &JetSpace) -> GeneralConstraint {
        GeneralConstraint { set: ConstraintSet::everything(space), forms: vec![] }
    }

    pub fn manifold(&self) -> &FiberedManifold {
        self.set.space().manifold()
    }

    fn n(&self) -> usize {
        self.manifold().n_coordinates()
    }

    /// H = β̂ on M.
    pub fn hat(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        self.forms.iter().map(|b| self.set.restrict_all(cx, &b.velocities)).collect()
    }

    /// β_0 + β_i v^i on M, form by form.
    pub fn drift(&self, cx: &Inquiry) -> Vec<Expr> {
        self.forms.iter().map(|b| self.set.restrict(cx, b.on_velocities(cx, self.manifold()))).collect()
    }

    /// N = ∂B/∂v and B_t + B_q v on M.
    fn tangency(&self, cx: &Inquiry) -> (Vec<Vec<Expr>>, Vec<Expr>) {
        let rows = self.set.equations().iter().map(|b| Beta::differential(cx, self.manifold(), *b));
        let read = |b: Beta| {
            let drift = self.set.restrict(cx, b.on_velocities(cx, self.manifold()));
            (self.set.restrict_all(cx, &b.velocities), drift)
        };
        rows.map(read).unzip()
    }

    /// The numbers of the first forms whose β̂ are independent at generic points of M: rows of the adapted basis.
    pub fn adapted(&self, cx: &Inquiry) -> Answered<Vec<usize>> {
        let hat = self.hat(cx);
        let (mut chosen, mut rows): (Vec<usize>, Vec<Vec<Expr>>) = (vec![], vec![]);
        for (a, row) in hat.into_iter().enumerate() {
            rows.push(row);
            if self.generic_rank(cx, &rows)? == rows.len() {
                chosen.push(a);
            } else {
                rows.pop();
            }
        }
        Ok(chosen)
    }

    /// The largest rank on M.
    fn generic_rank(&self, cx: &Inquiry, rows: &[Vec<Expr>]) -> Answered<usize> {
        if !self.set.is_explicit() {
            return Ok(self.set.rank(cx, rows, self.n())?.values.last().copied().unwrap_or(0));
        }
        let matrix = Matrix::with_columns(rows.to_vec(), self.n());
        let (rank, _) = conditions::collect(cx, |cx| matrix.rank(cx));
        Ok(rank.map_err(exhausted)?.value)
    }

    /// F, the forces that the constraint may exert, by generators.
    pub fn forces(&self, cx: &Inquiry) -> Answered<Codistribution> {
        let rows = self.hat(cx).into_iter().filter(|row| row.iter().any(|e| !e.is_zero()));
        let forms = rows.map(|row| super::force::contact_form(self.manifold(), &row)).collect();
        Codistribution::new(self.set.space(), forms).map_err(|r| Box::new(r.into()))
    }

    /// A basis of {e : H e = 0} at generic points of M.
    pub fn free_directions(&self, cx: &Inquiry) -> Answered<Vec<Vec<Expr>>> {
        let rows: Vec<Vec<Expr>> = self.hat(cx);
        let y = self.manifold();
        let n = self.n();
        let velocities: Vec<Symbol> = (0..n).map(|i| jet(y, i, 1)).collect();
        let chart = crate::geometry::jet::Chart::new(velocities.iter().copied());
        let forms: Vec<Form> =
            rows.iter().map(|row| Form::one_form(velocities.iter().copied().zip(row.iter().copied()))).collect();
        let kernel = Distribution::kernel(cx, &chart, &forms).map_err(|r| Box::new(Diagnostic::from(r)))?;
        let fields = kernel.fields(cx);
        Ok(fields.iter().map(|x| velocities.iter().map(|v| tidy(cx, x.component(*v))).collect()).collect())
    }

    /// coann(F) ∩ V, spanned by [these directions](GeneralConstraint::free_directions).
    pub fn coannihilator(&self, cx: &Inquiry) -> Answered<Distribution> {
        let y = self.manifold();
        let field = |e: Vec<Expr>| VectorField::new(e.into_iter().enumerate().map(|(i, c)| (jet(y, i, 1), c)));
        let fields = self.free_directions(cx)?.into_iter().map(field).collect();
        Distribution::new(self.set.space(), fields).map_err(|r| Box::new(r.into()))
    }

    /// The sum of the squares of all minors of H of the size of its rank at generic points; `None` if that is 0.
    pub fn minors(&self, cx: &Inquiry) -> Answered<Option<Expr>> {
        let hat = self.hat(cx);
        let size = self.generic_rank(cx, &hat)?;
        if size == 0 {
            return Ok(None);
        }
        let matrix = Matrix::with_columns(hat, self.n());
        let mut squares = vec![];
        for rows in subsets(matrix.n_rows(), size) {
            for columns in subsets(matrix.n_columns(), size) {
                squares.push(matrix.minor(&rows, &columns).det(cx).map_err(exhausted)?.pow(2));
            }
        }
        Ok(Some(self.set.settle(cx, Expr::add_all(squares))))
    }

    /// IC1, IC2 and IC3, one by one.
    pub fn ideal_conditions(&self, cx: &Inquiry) -> Answered<IdealConditions> {
        let cx = &self.set.there(cx);
        let n = self.n();
        let hat = self.hat(cx);
        let drift = self.drift(cx);
        let (normal, speed) = self.tangency(cx);
        let whole: Vec<Vec<Expr>> = self
            .forms
            .iter()
            .map(|b| self.set.restrict_all(cx, &[&[b.time], b.positions.as_slice(), &b.velocities].concat()))
            .collect();
        let stacked = [hat.clone(), normal].concat();
        let right = drift.into_iter().chain(speed).map(|e| -e);
        let augmented: Vec<Vec<Expr>> =
            stacked.iter().zip(right).map(|(row, r)| [row.as_slice(), &[r]].concat()).collect();
        let ranked = |rows: &[Vec<Expr>], columns: usize| -> Answered<(Rank, Matrix)> {
            Ok((self.set.rank(cx, rows, columns)?, Matrix::with_columns(rows.to_vec(), columns)))
        };
        let lambda = ranked(&whole, 2 * n + 1)?;
        let forces = ranked(&hat, n)?;
        let (ic3, mut locus, mut generic) = larger_rank(cx, &self.set, &hat, n, &augmented, n + 1)?;
        for e in lambda.0.generic.iter().chain(&forces.0.generic) {
            if !generic.contains(e) {
                generic.push(*e);
            }
        }
        let ic1 = is_constant(&forces.0, "rank F");
        let largest = forces.0.values.last().copied().unwrap_or(0);
        let jumps = forces.0.strata.iter().filter(|(_, r)| *r != largest);
        locus.extend(jumps.map(|(branch, _)| self.set.with(branch)));
        let (kernel, ic2) = match (is_constant(&lambda.0, "rank Λ"), lambda.0.values.as_slice()) {
            (Verdict::Yes(_), [m]) => (forces.0.clone().complement(*m), ic1.clone()),
            _ => {
                let kernel = difference(cx, &self.set, (&hat, n), (&whole, 2 * n + 1))?;
                let ic2 = match is_constant(&kernel, "their rank") {
                    Verdict::Yes(_) => Verdict::yes("the ranks of Λ and F differ by the same number everywhere"),
                    Verdict::No(_) if ic1.is_yes() => Verdict::no("rank Λ jumps and rank F does not"),
                    Verdict::No(_) => Verdict::no("the difference of the ranks of Λ and F jumps"),
                    unknown => unknown,
                };
                (kernel, ic2)
            }
        };
        let locus = stratum::simplified(cx, &self.set.space().symbols(), &locus).map_err(exhausted)?;
        let stacked = ranked(&stacked, n)?;
        let augmented = ranked(&augmented, n + 1)?;
        Ok(IdealConditions { ic1, ic2, ic3, lambda, forces, kernel, stacked, augmented, locus, generic })
    }
}

/// By how much the rank of the second matrix is larger than that of the first, point by point.
fn difference(
    cx: &Inquiry,
    on: &ConstraintSet,
    small: (&[Vec<Expr>], usize),
    large: (&[Vec<Expr>], usize),
) -> Answered<Rank> {
    let by_leaves = || {
        let found = finer_leaves(cx, on, small, large)?;
        let list: Vec<Leaf> =
            found.leaves.into_iter().map(|(below, leaf)| Leaf { rank: leaf.rank - below, ..leaf }).collect();
        strata_by(cx, &found.frame, &list, |leaf| leaf.rank)
    };
    by_leaves().map_err(exhausted)
}

fn is_constant(rank: &Rank, what: &str) -> Verdict {
    match rank.values.as_slice() {
        [] => Verdict::yes("there is no point"),
        // Where every point was looked at, one value is the only one, whether or not there are points for all parameters.
        [value] => match (&rank.complete, &rank.stopped) {
            (Verdict::Unknown(why), Some(_)) => Verdict::unknown(why.clone()),
            _ => Verdict::yes(format!("{what} = {value} everywhere")),
        },
        values => {
            let list: Vec<String> = values.iter().map(usize::to_string).collect();
            match &rank.complete {
                Verdict::Unknown(why) => Verdict::unknown(why.clone()),
                _ => Verdict::no(format!("{what} takes the values {}", list.join(", "))),
            }
        }
    }
}

impl IdealConditions {
    /// IC1, IC2 and IC3 together.
    pub fn is_ideal(&self) -> Verdict {
        self.ic1.clone().and(self.ic2.clone()).and(self.ic3.clone())
    }
}

/// All ascending lists of k numbers below n.
fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..k {
        let longer = |c: Vec<usize>| {
            let from = c.last().map_or(0, |l| l + 1);
            (from..n).map(move |i| [c.as_slice(), &[i]].concat())
        };
        list = list.into_iter().flat_map(longer).collect();
    }
    list
}
