//! d'Alembert's pairs (A, B) and their reduction to explicit form. Barone et al. §7–8; docs/theory/implicit.md §5–6.
//!
//! B says where the motion lives, C = {B = 0}, and A which forces keep it there; neither follows from the other:
//!
//! ```text
//! B_b = 0,        [L]_i = F_i + λ_a A^a_i                                                   (7.1), (7.2)
//! ```
//!
//! With W = ∂θ_v/∂v invertible, X the field of the free system and Z^a = ♯A^a, whose accelerations are −W⁻¹A^a,
//!
//! ```text
//! M^a_b = Z^a(B_b),        Λ_a M^a_b = X(B_b),        Γ = X − Λ_a Z^a on C                          7(iii)
//! ```
//!
//! A = 0 selects motions of the free system: explicit iff X is tangent to C. Otherwise it is explicit iff det M vanishes nowhere
//! on C. The sign of ♯ on semibasic forms is a minus, because ω contains W_ij dq^i∧dv^j.

use super::constrained_form::{ConstrainedEquations, SurfaceEquation};
use super::constraint_set::ConstraintSet;
use super::implicit::ImplicitSystem;
use super::{Answered, exhausted, jet, jet_expr, tidy};
use crate::algebra::derive::{gradient, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, jet_order, total_derivatives};
use rustc_hash::FxHashMap;

/// One equation B = 0 and the direction A of the force that goes with it; none for a geometric constraint.
#[derive(Clone, Debug)]
pub struct Pair {
    pub equation: Expr,
    pub reaction: Option<Vec<Expr>>,
}

/// θ on J¹Y, or equations −E = W a + r that no form need generate, with pairs (A, B).
#[derive(Clone, Debug)]
pub struct DalembertSystem {
    manifold: FiberedManifold,
    pairs: Vec<Pair>,
    pub set: ConstraintSet,
    /// θ; none where only equations are given.
    free: Option<ImplicitSystem>,
    /// W = ∂θ_v/∂v.
    pub mass: Matrix,
    /// d/dt θ_v − θ_q without the terms in the accelerations.
    pub rest: Vec<Expr>,
}

/// The free field and how the forces act on the constraints.
#[derive(Clone, Debug)]
pub struct Reduction {
    inverse: Matrix,
    /// Accelerations of X.
    pub free: Vec<Expr>,
    /// Accelerations of Z^a.
    pub forces: Vec<Vec<Expr>>,
    /// X(B_b).
    pub rates: Vec<Expr>,
    /// M^a_b.
    pub matrix: Matrix,
}

/// Λ and the accelerations of Γ, on C.
#[derive(Clone, Debug)]
pub struct ReducedMotion {
    pub multipliers: Vec<Expr>,
    pub accelerations: Vec<Expr>,
    /// Λ_a A^a, by coordinate.
    pub reaction: Vec<Expr>,
}

impl DalembertSystem {
    /// The system of θ with the pairs, whose equations define `set`.
    pub fn new(cx: &Inquiry, theta: Form, pairs: Vec<Pair>, set: ConstraintSet) -> DalembertSystem {
        let manifold = set.space().manifold().clone();
        let free = ImplicitSystem::with_multipliers(&manifold, theta, vec![]);
        let n = manifold.n_coordinates();
        let accelerations: Vec<Symbol> = (0..n).map(|i| jet(&manifold, i, 2)).collect();
        let balance = free.balance(cx);
        let mass = Matrix::from_fn(n, n, |i, j| tidy(cx, partial(cx, balance[i], accelerations[j])));
        let none = accelerations.iter().map(|a| (*a, Expr::zero())).collect();
        let rest = balance.iter().map(|e| tidy(cx, substitute(*e, &none))).collect();
        DalembertSystem { manifold, pairs, set, free: Some(free), mass, rest }
    }

    /// The system of equations W a + r = 0 with the pairs, whose equations define `set`. Nothing in §7 but the form Θ asks
    /// for more than W and r.
    pub fn of_equations(mass: Matrix, rest: Vec<Expr>, pairs: Vec<Pair>, set: ConstraintSet) -> DalembertSystem {
        DalembertSystem { manifold: set.space().manifold().clone(), pairs, set, free: None, mass, rest }
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// A^a, those that are not zero.
    pub fn reactions(&self) -> Vec<&Vec<Expr>> {
        self.pairs.iter().filter_map(|p| p.reaction.as_ref()).collect()
    }

    /// λ_b, one for each pair with a force.
    pub fn multipliers(&self) -> Vec<Symbol> {
        let with_force = self.pairs.iter().enumerate().filter(|(_, p)| p.reaction.is_some());
        with_force.map(|(i, _)| Symbol::multiplier(i as u32 + 1)).collect()
    }

    /// Θ = θ + λ_a A^a + B_b dλ_b, the form that generates the system, if there is a θ.
    pub fn generating(&self) -> Option<ImplicitSystem> {
        let multipliers: Vec<Symbol> = (1..=self.pairs.len() as u32).map(Symbol::multiplier).collect();
        let mut terms = vec![self.free.as_ref()?.theta().clone()];
        for (pair, lambda) in self.pairs.iter().zip(&multipliers) {
            terms.push(Form::term(pair.equation, &[*lambda]));
            if let Some(a) = &pair.reaction {
                let along = a.iter().enumerate().map(|(i, c)| (jet(&self.manifold, i, 0), *c * Expr::symbol(*lambda)));
                terms.push(Form::one_form(along));
            }
        }
        Some(ImplicitSystem::with_multipliers(&self.manifold, Form::sum(1, &terms), multipliers))
    }

    /// [L]_i − F_i − λ_a A^a_i, with the accelerations and multipliers as symbols (7.2).
    pub fn equations(&self, cx: &Inquiry) -> Vec<Expr> {
        let n = self.manifold.n_coordinates();
        let accelerations: Vec<Expr> = (0..n).map(|i| jet_expr(&self.manifold, i, 2)).collect();
        let inertia = self.mass.mul_vector(&accelerations);
        let (symbols, forces) = (self.multipliers(), self.reactions());
        let equation = |i: usize| {
            let reaction = symbols.iter().zip(&forces).map(|(l, a)| Expr::symbol(*l) * a[i]);
            tidy(cx, inertia[i] + self.rest[i] - Expr::add_all(reaction))
        };
        (0..n).map(equation).collect()
    }

    /// `free`, `geometric` or `mechanical`.
    pub fn kind(&self) -> &'static str {
        match (self.pairs.is_empty(), self.reactions().is_empty()) {
            (true, _) => "free",
            (false, true) => "geometric",
            _ => "mechanical",
        }
    }

    /// ∂B_b/∂v.
    fn vertical(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        let n = self.manifold.n_coordinates();
        let v: Vec<Symbol> = (0..n).map(|i| jet(&self.manifold, i, 1)).collect();
        self.pairs.iter().map(|p| gradient(cx, p.equation, &v)).collect()
    }

    /// A = d_S B up to an invertible matrix on C: the same span wherever both are independent.
    pub fn is_chetaev(&self, cx: &Inquiry) -> Answered<Verdict> {
        let n = self.manifold.n_coordinates();
        let (a, b) = (self.reactions(), self.vertical(cx));
        if a.len() < b.len() {
            return Ok(Verdict::no("a constraint has no reaction"));
        }
        let restrict = |rows: Vec<Vec<Expr>>| -> Vec<Vec<Expr>> {
            rows.iter().map(|row| self.set.restrict_all(cx, row)).collect()
        };
        let (a, b) = (restrict(a.into_iter().cloned().collect()), restrict(b));
        let m = b.len();
        // Where ∂B/∂v loses rank, at the tip of a cone, so does d_S B: the forms are compared where they are independent.
        let stacked = self.set.rank(cx, &[a.clone(), b.clone()].concat(), n)?;
        let generic = |rows: &[Vec<Expr>]| -> Answered<usize> {
            Ok(self.set.rank(cx, rows, n)?.values.last().copied().unwrap_or(0))
        };
        let (rank_a, rank_b) = (generic(&a)?, generic(&b)?);
        if rank_a < m || rank_b < m {
            return Ok(Verdict::no("the forms are dependent on the constraint"));
        }
        if stacked.values.last().is_some_and(|r| *r > m) {
            return Ok(Verdict::no("the forms do not span ∂B/∂v"));
        }
        Ok(match (stacked.complete, stacked.stopped) {
            (Verdict::Unknown(why), Some(_)) => Verdict::unknown(why),
            _ => Verdict::yes("the same span wherever they are independent"),
        })
    }

    /// Every B is affine in the velocities.
    pub fn is_linear(&self, cx: &Inquiry) -> Verdict {
        let n = self.manifold.n_coordinates();
        let v: Vec<Symbol> = (0..n).map(|i| jet(&self.manifold, i, 1)).collect();
        let bends = self.vertical(cx).into_iter().flatten().flat_map(|e| gradient(cx, e, &v));
        Verdict::all(bends.map(|e| super::vanishes(cx, e)).collect::<Vec<_>>(), "there are no constraints")
    }

    /// Every B is a function f(q), and A = df.
    pub fn is_holonomic(&self, cx: &Inquiry) -> Verdict {
        let n = self.manifold.n_coordinates();
        let q: Vec<Symbol> = (0..n).map(|i| jet(&self.manifold, i, 0)).collect();
        let basic = self.vertical(cx).into_iter().flatten().map(|e| super::vanishes(cx, e));
        let basic = Verdict::all(basic.collect::<Vec<_>>(), "there are no constraints");
        if self.reactions().len() < self.pairs.len() {
            return basic.and(Verdict::no("a constraint has no reaction"));
        }
        let gradients = self.pairs.iter().filter_map(|p| Some((gradient(cx, p.equation, &q), p.reaction.as_ref()?)));
        let minors = gradients.flat_map(|(df, a)| {
            let pairs = (0..n).flat_map(move |i| (0..i).map(move |j| (i, j)));
            pairs.map(move |(i, j)| df[i] * a[j] - df[j] * a[i]).collect::<Vec<_>>()
        });
        basic.and(Verdict::all(minors.map(|e| self.set.vanishes(cx, e)).collect::<Vec<_>>(), "there is one coordinate"))
    }

    /// The linear system for accelerations and multipliers,
    ///
    /// ```text
    /// ⎡ −W   A ⎤ ⎡ a ⎤     ⎡ −r          ⎤
    /// ⎣ B_v  0 ⎦ ⎣ λ ⎦ = − ⎣ B_t + B_q v ⎦        W a + r = inertia minus applied force,
    /// ```
    ///
    /// without an inverse; an equation f(q) = 0 stands in it with df/dt for B. None where a constraint has no reaction: then
    /// there are more equations than unknowns.
    pub fn equations_of_motion(&self, cx: &Inquiry) -> Option<ConstrainedEquations> {
        let (n, k) = (self.manifold.n_coordinates(), self.pairs.len());
        let forces = self.reactions();
        if forces.len() < k {
            return None;
        }
        let tops: Vec<Symbol> = (0..n).map(|i| jet(&self.manifold, i, 2)).collect();
        let still: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
        let mut b = Matrix::zero(n + k, n + k);
        let mut a: Vec<Expr> = self.rest.iter().map(|r| -*r).collect();
        for i in 0..n {
            for j in 0..n {
                b[(i, j)] = -self.mass[(i, j)];
            }
            for (c, force) in forces.iter().enumerate() {
                b[(i, n + c)] = force[i];
            }
        }
        let mut surface = vec![];
        for (c, pair) in self.pairs.iter().enumerate() {
            let order = jet_order(cx, pair.equation).order.min(1);
            let own = (0..2 - order).map(|derivative| SurfaceEquation {
                function: tidy(cx, total_derivatives(cx, pair.equation, derivative)),
                constraint: Some(c),
                derivative,
            });
            surface.extend(own);
            let last = total_derivatives(cx, pair.equation, 2 - order);
            for (j, top) in tops.iter().enumerate() {
                b[(n + c, j)] = tidy(cx, partial(cx, last, *top));
            }
            a.push(substitute(last, &still));
        }
        let multipliers = (1..=k as u32).map(Symbol::multiplier);
        let unknowns = tops.iter().copied().chain(multipliers).collect();
        Some(ConstrainedEquations { order: 2, unknowns, b: b.to_rows(), a, surface, chart_free: true })
    }

    /// X, Z, XB and M. Refused if W is singular.
    pub fn reduction(&self, cx: &Inquiry) -> Answered<Reduction> {
        let Some(inverse) = self.mass.inverse(cx).map_err(exhausted)? else {
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "this system is irregular: its Hessian is singular")
                    .note("there is no ♯, and so no field X of the free system (Barone et al. 7(iii))")
                    .help("`integrability(S)` may still find an explicit form"),
            ));
        };
        let free: Vec<Expr> = inverse.mul_vector(&self.rest).into_iter().map(|e| tidy(cx, -e)).collect();
        let forces: Vec<Vec<Expr>> = self
            .reactions()
            .into_iter()
            .map(|a| inverse.mul_vector(a).into_iter().map(|e| tidy(cx, -e)).collect())
            .collect();
        let x = self.field(&free).derivation();
        let rates: Vec<Expr> = self.pairs.iter().map(|p| tidy(cx, x.apply(cx, p.equation))).collect();
        #[cfg(test)]
        let rates = rates.into_iter().map(|e| super::mutation::turned("implicit", e)).collect();
        let vertical = self.vertical(cx);
        let act = |z: &Vec<Expr>, b: &Vec<Expr>| tidy(cx, Expr::add_all(z.iter().zip(b).map(|(z, b)| *z * *b)));
        let rows = forces.iter().map(|z| vertical.iter().map(|b| act(z, b)).collect()).collect();
        let matrix = Matrix::with_columns(rows, self.pairs.len());
        Ok(Reduction { inverse, free, forces, rates, matrix })
    }

    /// ∂_t + v ∂_q + a ∂_v.
    pub fn field(&self, accelerations: &[Expr]) -> VectorField {
        VectorField::semispray(self.set.space(), accelerations)
    }

    /// Σ c^i ∂_{v^i}.
    pub fn vertical_field(&self, components: &[Expr]) -> VectorField {
        VectorField::new(components.iter().enumerate().map(|(i, c)| (jet(&self.manifold, i, 1), *c)))
    }

    /// X is tangent to C.
    pub fn is_tangent(&self, cx: &Inquiry, r: &Reduction) -> Verdict {
        Verdict::all(r.rates.iter().map(|e| self.set.vanishes(cx, *e)).collect::<Vec<_>>(), "there are no constraints")
    }

    /// det M on C, if there are as many forces as constraints.
    pub fn determinant(&self, cx: &Inquiry, r: &Reduction) -> Answered<Expr> {
        if !r.matrix.is_square() {
            return Err(Box::new(Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "there are fewer reactions than constraints, so M is not square",
            )));
        }
        Ok(self.set.settle(cx, r.matrix.det(cx).map_err(exhausted)?))
    }

    /// Whether the system is a vector field on all of C.
    pub fn is_reducible(&self, cx: &Inquiry, r: &Reduction) -> Answered<Verdict> {
        if self.reactions().is_empty() {
            return Ok(self.is_tangent(cx, r));
        }
        if r.matrix.is_square() {
            return Ok(self.set.vanishes_nowhere(cx, self.determinant(cx, r)?));
        }
        match self.motion(cx, r) {
            Ok(_) => Ok(Verdict::unknown("there are fewer reactions than constraints")),
            Err(why) if why.code.name == codes::DEGENERATE.name => Ok(Verdict::no(why.title.clone())),
            Err(why) => Err(why),
        }
    }

    /// Where it is not: det M = 0 on C, or X is not tangent.
    pub fn locus(&self, cx: &Inquiry, r: &Reduction) -> Answered<Vec<Branch>> {
        if self.reactions().is_empty() {
            let symbols = self.set.space().symbols();
            let moved = r.rates.iter().map(|e| self.set.with(&Branch { equations: vec![], nonzero: vec![*e] }));
            let moved: Vec<Branch> = moved.filter(|b| !b.nonzero.iter().any(|e| e.is_zero())).collect();
            return crate::algebra::stratum::simplified(cx, &symbols, &moved).map_err(exhausted);
        }
        self.set.zeros(cx, self.determinant(cx, r)?)
    }

    /// Λ and Γ on C. Refused where M is singular on all of C, or X leaves C and no force acts.
    pub fn motion(&self, cx: &Inquiry, r: &Reduction) -> Answered<ReducedMotion> {
        self.set.dividing_on(cx, |cx| self.solved(cx, r))
    }

    fn solved(&self, cx: &Inquiry, r: &Reduction) -> Answered<ReducedMotion> {
        let refuse = |why: &str| {
            Box::new(
                Diagnostic::error(&codes::DEGENERATE, "this system has no explicit form on its constraint")
                    .note(why)
                    .help("`integrability(S)` finds the smaller set on which it moves"),
            )
        };
        let free = self.set.restrict_all(cx, &r.free);
        if self.reactions().is_empty() {
            if super::decided(&self.is_tangent(cx, r), "the free motion stays on the constraint")? {
                let n = free.len();
                return Ok(ReducedMotion { multipliers: vec![], accelerations: free, reaction: vec![Expr::zero(); n] });
            }
            return Err(refuse("no force acts, and the free motion leaves the constraint: X(B) is not 0 on it"));
        }
        let matrix = r.matrix.map(|e| self.set.restrict(cx, e));
        if matrix.is_square() {
            let det = self.determinant(cx, r)?;
            if super::decided(&self.set.vanishes(cx, det), "det M vanishes on the constraint")? {
                return Err(refuse("the matrix M = Z(B) is singular on all of the constraint"));
            }
        }
        let rates = self.set.restrict_all(cx, &r.rates);
        let solution = matrix.transpose().solve(cx, &rates).map_err(exhausted)?;
        if !solution.free.is_empty() || solution.residuals.iter().any(|e| !self.set.vanishes(cx, *e).is_yes()) {
            return Err(refuse("the reactions do not keep the motion on the constraint, or are not determined"));
        }
        let multipliers: Vec<Expr> = solution.particular.iter().map(|e| self.set.settle(cx, *e)).collect();
        let a = self.reactions();
        let n = self.manifold.n_coordinates();
        let push = |i: usize| Expr::add_all(multipliers.iter().zip(&a).map(|(l, a)| *l * a[i]));
        let reaction: Vec<Expr> = (0..n).map(|i| self.set.restrict(cx, push(i))).collect();
        let inverse = r.inverse.map(|e| self.set.restrict(cx, e));
        let added = inverse.mul_vector(&reaction);
        let accelerations = free.iter().zip(added).map(|(x, y)| self.set.settle(cx, *x + y)).collect();
        Ok(ReducedMotion { multipliers, accelerations, reaction })
    }
}
