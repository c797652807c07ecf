//! The mixed form of a system with constraints q̇^a = g^a(t, q, v): Sarlet, section 1, in the language of equations.
//!
//! By the principle of Chetaev the reactions do no work on displacements with δq^a = B^a_α δq^α, so of the equations E = 0 those
//! combinations stay in which they do not occur,
//!
//! ```text
//! E_α + B^a_α E_a = 0,        q̇^a = g^a,   q̈^a = dg^a/dt = Γ_0(g^a) + B^a_β q̈^β,      B^a_α = ∂g^a/∂v^α
//! ```
//!
//! with Γ_0 = ∂_t + v^α ∂/∂q^α + g^a ∂/∂q^a. They are linear in q̈^β, and where their matrix is regular they are solved for f^β. Nothing
//! here needs a Lagrangian; the way through Ω is [`direct`](super::direct).

use super::mixed_system::MixedSystem;
use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::{jacobian, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::{substitute, substitute_all};
use crate::algebra::{Coordinate, Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::FiberedManifold;
use rustc_hash::FxHashMap;

/// Constraints solved for the velocities of the dependent coordinates.
#[derive(Clone, Debug)]
pub struct SolvedConstraints {
    pub manifold: FiberedManifold,
    /// q^α, in the order of the manifold.
    pub free: Vec<Coordinate>,
    /// q^a.
    pub dependent: Vec<Coordinate>,
    /// g^a.
    pub g: Vec<Expr>,
}

/// Solves equations of first order for the velocities of the dependent coordinates, or of coordinates that can be.
pub fn solve_constraints(
    cx: &Inquiry,
    manifold: &FiberedManifold,
    equations: &[Expr],
    dependent: &[Coordinate],
) -> Answered<SolvedConstraints> {
    let all: Vec<Coordinate> = manifold.fibres().iter().map(|f| f.coordinate).collect();
    let dependent: Vec<Coordinate> = match dependent.is_empty() {
        false => all.iter().copied().filter(|q| dependent.contains(q)).collect(),
        true => choose_dependent(cx, &all, equations)?,
    };
    if dependent.len() != equations.len() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::DEGENERATE,
                format!("{} constraints determine {} dependent velocities", equations.len(), dependent.len()),
            )
            .help("name as many coordinates after `dependent:` as there are independent constraints"),
        ));
    }
    let unknowns: Vec<Symbol> = dependent.iter().map(|q| q.jet(1)).collect();
    let slopes = jacobian(cx, equations, &unknowns);
    let slopes: Vec<Vec<Expr>> = slopes.into_iter().map(|row| row.into_iter().map(|e| tidy(cx, e)).collect()).collect();
    for s in slopes.iter().flatten().flat_map(|e| unknowns.iter().map(|u| partial(cx, *e, *u))) {
        if !super::decided(&vanishes(cx, s), "the constraints are affine in the dependent velocities")? {
            return Err(Box::new(
                Diagnostic::error(&codes::UNSOLVED, "the constraints are not affine in the dependent velocities")
                    .help("write them solved: `z' = a*sqrt(x'^2 + y'^2)`, or choose other `dependent:` coordinates"),
            ));
        }
    }
    let zeros: FxHashMap<Symbol, Expr> = unknowns.iter().map(|u| (*u, Expr::zero())).collect();
    let right: Vec<Expr> = substitute_all(equations, &zeros).into_iter().map(|e| -e).collect();
    let solution = Matrix::with_columns(slopes, unknowns.len()).solve(cx, &right).map_err(exhausted)?;
    if !solution.free.is_empty() || !solution.residuals.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::DEGENERATE, "the constraints do not determine the dependent velocities")
                .help("choose other `dependent:` coordinates"),
        ));
    }
    for c in &solution.conditions {
        conditions::record_nonzero(cx, *c);
    }
    let g = solution.particular.iter().map(|e| tidy(cx, *e)).collect();
    let free = all.into_iter().filter(|q| !dependent.contains(q)).collect();
    Ok(SolvedConstraints { manifold: manifold.clone(), free, dependent, g })
}

/// Coordinates in whose velocities the constraints have a minor that is not zero, the last ones first.
fn choose_dependent(cx: &Inquiry, all: &[Coordinate], equations: &[Expr]) -> Answered<Vec<Coordinate>> {
    let reversed: Vec<Coordinate> = all.iter().rev().copied().collect();
    let velocities: Vec<Symbol> = reversed.iter().map(|q| q.jet(1)).collect();
    let matrix = Matrix::with_columns(jacobian(cx, equations, &velocities), velocities.len());
    let rank = matrix.rank(cx).map_err(exhausted)?;
    let chosen: Vec<Coordinate> = rank.columns.iter().map(|j| reversed[*j]).collect();
    Ok(all.iter().copied().filter(|q| chosen.contains(q)).collect())
}

impl SolvedConstraints {
    /// q̇^a ↦ g^a.
    pub fn values(&self) -> FxHashMap<Symbol, Expr> {
        self.dependent.iter().map(|q| q.jet(1)).zip(self.g.iter().copied()).collect()
    }

    /// A function of t, q, q̇ where the constraints hold.
    pub fn restrict(&self, cx: &Inquiry, e: Expr) -> Expr {
        tidy(cx, substitute(e, &self.values()))
    }

    /// B^a_α, by a and then α.
    pub fn slopes(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        let row = |g: &Expr| self.free.iter().map(|q| tidy(cx, partial(cx, *g, q.jet(1)))).collect();
        self.g.iter().map(row).collect()
    }

    /// Γ_0 = ∂_t + v^α ∂/∂q^α + g^a ∂/∂q^a.
    pub fn time_without_forces(&self) -> VectorField {
        let moving = self.free.iter().map(|q| (q.jet(0), Expr::symbol(q.jet(1))));
        let driven = self.dependent.iter().map(|q| q.jet(0)).zip(self.g.iter().copied());
        VectorField::new(std::iter::once((self.manifold.base(), Expr::one())).chain(moving).chain(driven))
    }

    /// The mixed system with these accelerations.
    pub fn with_accelerations(&self, cx: &Inquiry, f: Vec<Expr>) -> Answered<MixedSystem> {
        let second = self.free.iter().copied().zip(f).collect();
        let first = self.dependent.iter().copied().zip(self.g.iter().copied()).collect();
        MixedSystem::new(cx, &self.manifold, second, first)
    }
}

/// The mixed form of E = 0 with these constraints; E by fibre coordinate, of second order.
pub fn mixed_form(cx: &Inquiry, components: &[Expr], constraints: &SolvedConstraints) -> Answered<MixedSystem> {
    let all: Vec<Coordinate> = constraints.manifold.fibres().iter().map(|f| f.coordinate).collect();
    let accelerations: Vec<Symbol> = all.iter().map(|q| q.jet(2)).collect();
    let inertia = affine_part(cx, components, &accelerations)?;
    let zeros: FxHashMap<Symbol, Expr> = accelerations.iter().map(|s| (*s, Expr::zero())).collect();
    let rest = substitute_all(components, &zeros);
    // δq = D δq^α: the unit matrix above, B^a_α below, in the order of the manifold.
    let b = constraints.slopes(cx);
    let (n, k) = (all.len(), constraints.free.len());
    let place = |list: &[Coordinate], q: Coordinate| list.iter().position(|x| *x == q);
    let d = Matrix::from_fn(n, k, |sigma, alpha| match place(&constraints.dependent, all[sigma]) {
        Some(a) => b[a][alpha],
        None => Expr::from(i64::from(constraints.free[alpha] == all[sigma])),
    });
    let drift = constraints.time_without_forces().derivation();
    let drifts: Vec<Expr> = all
        .iter()
        .map(|q| place(&constraints.dependent, *q).map_or_else(Expr::zero, |a| drift.apply(cx, constraints.g[a])))
        .collect();
    let inertia = inertia.substitute(&constraints.values());
    let rest = substitute_all(&rest, &constraints.values());
    let forces: Vec<Expr> = inertia.mul_vector(&drifts).into_iter().zip(rest).map(|(a, b)| a + b).collect();
    let right: Vec<Expr> = d.transpose().mul_vector(&forces).into_iter().map(|e| tidy(cx, -e)).collect();
    let matrix = d.transpose().mul(&inertia).mul(&d).simplify(cx).map_err(exhausted)?;
    let f = accelerations_of(cx, &matrix, &right)?;
    constraints.with_accelerations(cx, f)
}

/// The mixed system of a motion whose accelerations are known: coordinates whose velocities are, too, are of first order.
pub fn from_accelerations(
    cx: &Inquiry,
    manifold: &FiberedManifold,
    velocities: &FxHashMap<Symbol, Expr>,
    accelerations: &[Expr],
) -> Answered<MixedSystem> {
    let (mut second, mut first) = (vec![], vec![]);
    for (fibre, f) in manifold.fibres().iter().zip(accelerations) {
        let q = fibre.coordinate;
        match velocities.get(&q.jet(1)) {
            Some(g) => first.push((q, *g)),
            None => second.push((q, tidy(cx, substitute(*f, velocities)))),
        }
    }
    MixedSystem::new(cx, manifold, second, first)
}

/// ∂E/∂q̈; refused if E is not affine in the accelerations.
fn affine_part(cx: &Inquiry, components: &[Expr], accelerations: &[Symbol]) -> Answered<Matrix> {
    let matrix = Matrix::with_columns(jacobian(cx, components, accelerations), accelerations.len());
    let matrix = matrix.simplify(cx).map_err(exhausted)?;
    let curved = matrix.entries().flat_map(|e| accelerations.iter().map(move |s| (e, *s)));
    for (e, s) in curved.collect::<Vec<_>>() {
        if !super::decided(&vanishes(cx, partial(cx, e, s)), "the equations are affine in the accelerations")? {
            return Err(Box::new(Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "the equations are not affine in the accelerations, so they have no mixed form",
            )));
        }
    }
    Ok(matrix)
}

/// P f = r, where P is regular; the conditions of that go to the ledger.
pub(super) fn accelerations_of(cx: &Inquiry, matrix: &Matrix, right: &[Expr]) -> Answered<Vec<Expr>> {
    let solution = matrix.solve(cx, right).map_err(exhausted)?;
    if !solution.free.is_empty() {
        if let Verdict::Unknown(why) = &solution.verdict {
            return Err(super::undecided("the equations can be solved for the accelerations", why.clone()));
        }
        return Err(Box::new(
            Diagnostic::error(&codes::DEGENERATE, "the constrained equations cannot be solved for the accelerations")
                .note(format!(
                    "their matrix has rank {} of {}",
                    matrix.n_columns() - solution.free.len(),
                    matrix.n_columns()
                ))
                .help("direct(S).P is this matrix"),
        ));
    }
    for c in &solution.conditions {
        conditions::record_nonzero(cx, *c);
    }
    Ok(solution.particular.iter().map(|e| tidy(cx, *e)).collect())
}
