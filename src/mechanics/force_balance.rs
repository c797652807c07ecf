//! F = ma with constraints: the field X_{L,Φ,(M,Λ)}. Lewis Theorem 5.5; docs/theory/forces.md §5.
//!
//! The inertia Φ_L = g a + ξ balances the applied force Φ and a constraint force in F = span(β̂^a_i θ^i), while the
//! accelerations satisfy β̂ a + β v + β_0 = 0. With the independent rows H of β̂,
//!
//! ```text
//! G = H g⁻¹ Hᵀ,       G λ = H g⁻¹(ξ − Φ) − β_i v^i − β_0,       a = g⁻¹(Φ − ξ + Hᵀλ)           Lewis (5.5)
//! ```
//!
//! all of it on M. λ belongs to the chosen basis of Λ; the force Hᵀλ and a do not. Where det G vanishes on all of M
//! there is no such field, though L may be regular and (M, Λ) ideal: g restricted to coann(F) is degenerate there.

use super::constrained_form::{ConstrainedEquations, SurfaceEquation};
use super::force::Inertia;
use super::ideal_constraint::GeneralConstraint;
use super::{Answered, exhausted, vanishes};
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;

/// The data of the balance on M; the field itself is found on demand.
#[derive(Clone, Debug)]
pub struct ForceBalance {
    pub constraint: GeneralConstraint,
    /// Which forms of Λ are the rows of H.
    pub adapted: Vec<usize>,
    /// H.
    pub rows: Matrix,
    /// G = H g⁻¹ Hᵀ.
    pub gram: Matrix,
    pub det: Expr,
    inverse: Matrix,
    /// ξ − Φ.
    rest: Vec<Expr>,
    mass: Matrix,
}

/// X and the force of the constraint.
#[derive(Clone, Debug)]
pub struct BalancedMotion {
    pub accelerations: Vec<Expr>,
    /// λ, one for each row of H.
    pub multipliers: Vec<Expr>,
    /// Hᵀλ, by coordinate.
    pub reaction: Vec<Expr>,
}

impl ForceBalance {
    /// Inertia, applied force Φ_i and constraint put together. Refused if the mass matrix is singular.
    pub fn new(
        cx: &Inquiry,
        inertia: &Inertia,
        force: &[Expr],
        constraint: &GeneralConstraint,
    ) -> Answered<ForceBalance> {
        let set = &constraint.set;
        let mass = inertia.mass.map(|e| set.restrict(cx, e));
        let Some(inverse) = mass.inverse(cx).map_err(exhausted)? else { return Err(irregular()) };
        let rest = inertia.rest.iter().zip(force).map(|(x, f)| set.restrict(cx, *x - *f)).collect();
        let adapted = constraint.adapted(cx)?;
        let hat = constraint.hat(cx);
        let rows =
            Matrix::with_columns(adapted.iter().map(|a| hat[*a].clone()).collect(), inertia.manifold().n_coordinates());
        let gram = rows.mul(&inverse).mul(&rows.transpose()).map(|e| set.settle(cx, e));
        let det = set.settle(cx, gram.det(cx).map_err(exhausted)?);
        Ok(ForceBalance { constraint: constraint.clone(), adapted, rows, gram, det, inverse, rest, mass })
    }

    /// det G does not vanish identically on M.
    pub fn is_nondegenerate(&self, cx: &Inquiry) -> Verdict {
        self.constraint.set.vanishes(cx, self.det).negate()
    }

    /// g_L on coann(F): KᵀgK with the columns of K a basis of it.
    pub fn metric(&self, cx: &Inquiry) -> Answered<Matrix> {
        let n = self.mass.n_columns();
        let k = Matrix::with_columns(self.constraint.free_directions(cx)?, n);
        Ok(k.mul(&self.mass).mul(&k.transpose()).map(|e| self.constraint.set.settle(cx, e)))
    }

    /// λ, the constraint force and the accelerations. Refused where G is singular.
    pub fn motion(&self, cx: &Inquiry) -> Answered<BalancedMotion> {
        if super::decided(&self.is_nondegenerate(cx), "det G vanishes on M")? {
            return self.constraint.set.dividing_on(cx, |cx| self.solved(cx));
        }
        Err(Box::new(
            Diagnostic::error(&codes::DEGENERATE, "these constraint forces do not determine the motion")
                .note("the metric of the Lagrangian is degenerate on the directions that the constraint leaves free")
                .note("det(H g⁻¹ Hᵀ) = 0 on the constraint (Lewis, Theorem 5.5)"),
        ))
    }

    fn solved(&self, cx: &Inquiry) -> Answered<BalancedMotion> {
        let set = &self.constraint.set;
        let drift = self.constraint.drift(cx);
        #[cfg(test)]
        let drift: Vec<Expr> = drift.into_iter().map(|e| super::mutation::turned("balance", e)).collect();
        let free = self.inverse.mul_vector(&self.rest);
        let right: Vec<Expr> =
            self.rows.mul_vector(&free).into_iter().zip(&self.adapted).map(|(e, a)| e - drift[*a]).collect();
        let solution = self.gram.solve(cx, &right).map_err(exhausted)?;
        let multipliers: Vec<Expr> = solution.particular.iter().map(|e| set.settle(cx, *e)).collect();
        let reaction = self.rows.transpose().mul_vector(&multipliers);
        let total: Vec<Expr> = reaction.iter().zip(&self.rest).map(|(r, x)| *r - *x).collect();
        let accelerations = self.inverse.mul_vector(&total).into_iter().map(|e| set.settle(cx, e)).collect();
        let reaction = reaction.into_iter().map(|e| set.settle(cx, e)).collect();
        Ok(BalancedMotion { accelerations, multipliers, reaction })
    }

    /// The balance and the forms as one linear system for accelerations and multipliers,
    ///
    /// ```text
    /// −g a + Hᵀ λ = ξ − Φ,      H a = −(β_0 + β_i v^i).
    /// ```
    pub fn equations_of_motion(&self, cx: &Inquiry) -> ConstrainedEquations {
        let (n, k) = (self.mass.n_columns(), self.adapted.len());
        let drift = self.constraint.drift(cx);
        let mut b = Matrix::zero(n + k, n + k);
        for i in 0..n {
            for j in 0..n {
                b[(i, j)] = -self.mass[(i, j)];
            }
            for c in 0..k {
                b[(i, n + c)] = self.rows[(c, i)];
                b[(n + c, i)] = self.rows[(c, i)];
            }
        }
        let a = self.rest.iter().map(|e| -*e).chain(self.adapted.iter().map(|c| drift[*c])).collect();
        let y = self.constraint.manifold();
        let tops = (0..n).map(|i| super::jet(y, i, 2));
        let unknowns = tops.chain((1..=k as u32).map(Symbol::multiplier)).collect();
        let equations = self.constraint.set.equations().iter();
        let surface = equations.map(|e| SurfaceEquation { function: *e, constraint: None, derivative: 0 }).collect();
        ConstrainedEquations { order: 2, unknowns, b: b.to_rows(), a, surface, chart_free: false }
    }

    /// X, which begins with ∂_t + v ∂_q.
    pub fn field(&self, motion: &BalancedMotion) -> VectorField {
        VectorField::semispray(self.constraint.set.space(), &motion.accelerations)
    }

    /// What Theorem 5.5 promises: X is annihilated by Λ and tangent to M, and inertia exceeds the applied force by λβ̂.
    pub fn is_verified(&self, cx: &Inquiry, motion: &BalancedMotion) -> Verdict {
        let set = &self.constraint.set;
        let hat = self.constraint.hat(cx);
        let along = |row: &[Expr]| Expr::add_all(row.iter().zip(&motion.accelerations).map(|(h, a)| *h * *a));
        let annihilated = hat.iter().zip(self.constraint.drift(cx)).map(|(row, d)| set.vanishes(cx, along(row) + d));
        let annihilated = Verdict::all(annihilated, "there are no forms");
        let field = self.field(motion);
        let tangent = set.equations().iter().map(|b| set.vanishes(cx, field.apply(cx, *b)));
        let tangent = Verdict::all(tangent, "there are no equations");
        let inertia = self.mass.mul_vector(&motion.accelerations);
        let balanced = inertia.into_iter().zip(&self.rest).zip(&motion.reaction).map(|((i, x), r)| {
            let excess = i + *x - *r;
            if set.is_explicit() { vanishes(cx, excess) } else { set.vanishes(cx, excess) }
        });
        annihilated.and(tangent).and(Verdict::all(balanced, "there are no coordinates"))
    }
}

fn irregular() -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            &codes::DEGENERATE,
            "the mass matrix is singular, so that forces do not determine accelerations",
        )
        .help("`integrability(S)` says where there is motion, and how far it is determined"),
    )
}
