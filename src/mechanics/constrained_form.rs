//! Constrained systems: the class [α_Q], its reduced matrices, regularity, the constraint semispray, multipliers. Krupková §11,
//! Volný–Krupková §3.
//!
//! With W the matrix of the tangent directions of the constraint (the identity for independent coordinates, ∂g/∂q for dependent
//! ones) and v⁰ = (0, d̂g/dt),
//!
//! ```text
//! B′ = Wᵀ B W,      A′ = Wᵀ (A + B v⁰)     on Q        r < s,  Krupková (11.6)
//! A′ = Wᵀ E,        B′ = 0                  on Q        r ≥ s
//! A′_l + B′_lp q_s^p = 0,   f^i = 0                     Krupková (11.7)
//! E_σ = λ_i ∂f^i/∂q_{r_i}^σ                              multiplier form, for the f that were typed
//! ```
//!
//! Departure: Volný–Krupková (3.7) writes B_{s,m−k+i} where Krupková has B_{m−k+i,p}; for a B that is not symmetric the
//! second is right, and the matrix form above is free of such choices.
//!
//! The house speaks of μ = −λ, the force μ_i ∂f^i/∂q_r^σ that the constraint exerts.

use super::constraint_structure::{ConstraintStructure, NormalForm, Prolonged};
use super::dynamical_form::DynamicalForm;
use super::{Answered, exhausted, jet, regular, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::derive::partial;
use crate::algebra::expr::Condition;
use crate::algebra::linear::Matrix;
use crate::algebra::solve::solve;
use crate::algebra::substitute::{substitute, substitute_all};
use crate::algebra::{Expr, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{JetSpace, total_derivatives};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A mechanical system of order s under constraints of order r, both on the level max(r, s − 1).
#[derive(Clone, Debug)]
pub struct ConstrainedForm {
    form: Rc<DynamicalForm>,
    structure: Rc<ConstraintStructure>,
    /// s: the order of the derivatives that E determines.
    order: u32,
    /// A′ by independent coordinate.
    a: Vec<Expr>,
    /// B′.
    b: Matrix,
    /// The matrix in front of the derivatives that are solved for: B′ for r < s, ∂A′/∂q_s along Q for r ≥ s.
    leading: Matrix,
}

/// The highest derivatives along the motion, by coordinate, and where they hold.
#[derive(Clone, Debug)]
pub struct ConstrainedMotion {
    /// The order of the derivatives.
    pub order: u32,
    pub accelerations: Vec<Expr>,
    pub conditions: Vec<Condition>,
}

/// The equations of a run: B y = −A for the highest derivatives and the multipliers, without an inverse, and the equations that
/// a state must satisfy.
#[derive(Clone, Debug)]
pub struct ConstrainedEquations {
    /// The order of the derivatives among the unknowns.
    pub order: u32,
    /// The highest derivatives by coordinate, then the multipliers μ.
    pub unknowns: Vec<Symbol>,
    pub b: Vec<Vec<Expr>>,
    pub a: Vec<Expr>,
    pub surface: Vec<SurfaceEquation>,
    /// No coordinates were chosen as dependent on the way: the equations hold wherever their matrix is invertible.
    pub chart_free: bool,
}

/// An equation between the values of a state.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceEquation {
    pub function: Expr,
    /// The constraint whose derivative it is; none for A′ and its derivatives.
    pub constraint: Option<usize>,
    pub derivative: u32,
}

/// The level of the structure that a system of this order needs.
pub fn level_of(cx: &Inquiry, form: &DynamicalForm) -> u32 {
    regular::leading_part(cx, form).2.saturating_sub(1)
}

impl ConstrainedForm {
    /// The structure must be written on the level max(r, s − 1), [`level_of`] the form.
    pub fn new(cx: &Inquiry, form: Rc<DynamicalForm>, structure: Rc<ConstraintStructure>) -> Answered<ConstrainedForm> {
        let (b, right, s) = regular::leading_part(cx, &form);
        let w = structure.tangent_matrix();
        let wt = w.transpose();
        let on_q = |e: Expr| structure.on_q(cx, e);
        let n = structure.independent().len();
        if structure.level() < s {
            // A + B v⁰, on Q before the product: what is substituted later grows.
            let a: Vec<Expr> = right.iter().map(|e| on_q(-*e)).collect();
            let b = b.map(on_q);
            let drift = structure.drift_vector();
            #[cfg(test)]
            let drift: Vec<Expr> = drift.into_iter().map(|e| super::mutation::turned("reduced", e)).collect();
            let with_drift: Vec<Expr> = b.mul_vector(&drift).into_iter().zip(&a).map(|(x, a)| x + *a).collect();
            let a = wt.mul_vector(&with_drift).into_iter().map(on_q).collect();
            let reduced = wt.mul(&b).mul(&w).map(on_q);
            return Ok(ConstrainedForm { form, structure, order: s, a, leading: reduced.clone(), b: reduced });
        }
        let e: Vec<Expr> = form.components().iter().map(|e| on_q(*e)).collect();
        let a: Vec<Expr> = wt.mul_vector(&e).into_iter().map(on_q).collect();
        let y = structure.manifold();
        let is_own_level = structure.level() == s;
        let leading = Matrix::from_fn(n, n, |l, p| match is_own_level {
            true => structure.slope_on_q(cx, a[l], p),
            false => {
                let all = (0..y.n_coordinates()).map(|sigma| partial(cx, a[l], jet(y, sigma, s)) * w[(sigma, p)]);
                tidy(cx, Expr::add_all(all.collect::<Vec<_>>()))
            }
        });
        Ok(ConstrainedForm { form, structure, order: s, a, b: Matrix::zero(n, n), leading })
    }

    pub fn form(&self) -> &Rc<DynamicalForm> {
        &self.form
    }

    pub fn structure(&self) -> &Rc<ConstraintStructure> {
        &self.structure
    }

    /// A′ by independent coordinate.
    pub fn a(&self) -> &[Expr] {
        &self.a
    }

    /// B′, rows and columns the independent coordinates.
    pub fn b(&self) -> &Matrix {
        &self.b
    }

    /// What must be invertible for the motion to be determined.
    pub fn leading(&self) -> &Matrix {
        &self.leading
    }

    /// Whether the constraints have an order of at least s.
    pub fn is_high(&self) -> bool {
        self.structure.level() >= self.order
    }

    /// The order of the derivatives that are solved for: s, or r if that is larger.
    pub fn top_order(&self) -> u32 {
        if self.is_high() { self.structure.level() } else { self.order }
    }

    /// How often E is differentiated before it contains the derivatives that are solved for: r − s, or 0.
    pub fn differentiations(&self) -> u32 {
        self.top_order() - self.order
    }

    /// The jet space of the states.
    pub fn space(&self) -> JetSpace {
        self.structure.manifold().jets(self.top_order().max(1) - 1)
    }

    /// det B′.
    pub fn det_b(&self, cx: &Inquiry) -> Answered<Expr> {
        self.b.det(cx).map(|e| tidy(cx, e)).map_err(exhausted)
    }

    /// Whether B′ is invertible at generic points of Q.
    pub fn is_regular(&self, cx: &Inquiry) -> Verdict {
        match self.det_b(cx) {
            Ok(det) => self.structure.vanishes_on_q(cx, det).negate(),
            Err(why) => Verdict::unknown(why.title.clone()),
        }
    }

    /// Whether the highest derivatives are determined at generic points.
    pub fn is_determined(&self, cx: &Inquiry) -> Verdict {
        match self.leading.det(cx) {
            Ok(det) => self.structure.vanishes_on_q(cx, det).negate(),
            Err(why) => Verdict::unknown(why.to_string()),
        }
    }

    /// κ with κ^l B′_lp = 0.
    pub fn kernel(&self, cx: &Inquiry) -> Answered<Vec<Vec<Expr>>> {
        self.b.transpose().null_space(cx).map_err(exhausted)
    }

    /// κ^l A′_l for the kernel: what must vanish on Q for a motion to exist.
    pub fn primary(&self, cx: &Inquiry) -> Answered<Vec<Expr>> {
        let combine =
            |k: &Vec<Expr>| tidy(cx, Expr::add_all(k.iter().zip(&self.a).map(|(k, a)| *k * *a).collect::<Vec<_>>()));
        Ok(self.kernel(cx)?.iter().map(combine).collect())
    }

    /// L∘ι.
    pub fn lagrangian(&self, cx: &Inquiry) -> Option<Expr> {
        Some(self.structure.on_q(cx, self.form.lagrangian()?.function()))
    }

    /// A′_l + B′_lp q_s^p, by independent coordinate.
    pub fn equations(&self, cx: &Inquiry) -> Vec<Expr> {
        let tops: Vec<Expr> = self.structure.independent_jets(self.order).into_iter().map(Expr::symbol).collect();
        self.b.mul_vector(&tops).into_iter().zip(&self.a).map(|(x, a)| tidy(cx, x + *a)).collect()
    }

    /// The motion, solved for the highest derivatives; refused with `degenerate` where these are not determined.
    pub fn motion(&self, cx: &Inquiry) -> Answered<ConstrainedMotion> {
        let (found, recorded) = conditions::collect_all(cx, |cx| self.solve(cx));
        let (order, accelerations) = found?;
        let recorded = recorded.nonzero.into_iter().map(Condition::nonzero).chain(recorded.stated);
        let conditions = self.structure.conditions().iter().copied().chain(recorded);
        let conditions = conditions::inequality::reduced(cx, conditions.collect::<Vec<_>>());
        Ok(ConstrainedMotion { order, accelerations, conditions })
    }

    fn solve(&self, cx: &Inquiry) -> Answered<(u32, Vec<Expr>)> {
        let q = &self.structure;
        if !self.is_high() {
            let right: Vec<Expr> = self.a.iter().map(|a| -*a).collect();
            let own = self.linear(cx, &self.leading, &right)?;
            return Ok((
                self.order,
                self.with_dependent(cx, &own, |i, own| {
                    let moved = own.iter().enumerate().map(|(l, x)| q.slopes()[(i, l)] * *x);
                    q.drift()[i] + Expr::add_all(moved.collect::<Vec<_>>())
                }),
            ));
        }
        let r = q.level();
        let NormalForm::Explicit(g) = q.normal_form() else {
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "the constraints were not solved for the highest derivatives")
                    .help("say which root is meant with `branch:`"),
            ));
        };
        let tops = q.independent_jets(r);
        let equations = self.differentiated(cx);
        let is_linear = self.leading.entries().all(|e| !tops.iter().any(|s| e.contains(*s)));
        let own = if is_linear {
            let zeros: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
            let right: Vec<Expr> = substitute_all(&equations, &zeros).into_iter().map(|e| tidy(cx, -e)).collect();
            self.linear(cx, &self.leading, &right)?
        } else {
            self.roots(cx, &equations, &tops)?
        };
        let map: FxHashMap<Symbol, Expr> = tops.iter().copied().zip(own.iter().copied()).collect();
        Ok((r, self.with_dependent(cx, &own, |i, _| substitute(g[i], &map))))
    }

    /// d^{r−s}A′/dt^{r−s} on Q: equations for the q_r.
    fn differentiated(&self, cx: &Inquiry) -> Vec<Expr> {
        let times = self.structure.level() - self.order;
        let one = |a: &Expr| match times {
            0 => *a,
            n => self.structure.on_q(cx, total_derivatives(cx, *a, n)),
        };
        self.a.iter().map(one).collect()
    }

    fn with_dependent(&self, cx: &Inquiry, own: &[Expr], value: impl Fn(usize, &[Expr]) -> Expr) -> Vec<Expr> {
        let mut all = vec![Expr::zero(); self.structure.manifold().n_coordinates()];
        for (l, x) in self.structure.independent().iter().zip(own) {
            all[*l] = tidy(cx, *x);
        }
        for (i, d) in self.structure.dependent().iter().enumerate() {
            all[*d] = self.structure.on_q(cx, value(i, own));
        }
        all
    }

    fn linear(&self, cx: &Inquiry, matrix: &Matrix, right: &[Expr]) -> Answered<Vec<Expr>> {
        let solution = matrix.solve(cx, right).map_err(exhausted)?;
        if solution.free.is_empty() && solution.particular.len() == right.len() {
            return Ok(solution.particular);
        }
        if let Verdict::Unknown(why) = &solution.verdict {
            return Err(super::undecided(
                "the constrained equations can be solved for the highest derivatives",
                why.clone(),
            ));
        }
        let n = right.len();
        let mut refusal =
            Diagnostic::error(&codes::DEGENERATE, "the constrained equations do not determine the highest derivatives")
                .note(format!("the matrix B′ in front of them has rank {} of {n}", n - solution.free.len()));
        for e in self.primary(cx).unwrap_or_default().into_iter().filter(|e| !vanishes(cx, *e).is_yes()) {
            refusal = refusal.note(format!("a motion exists only where {e} = 0"));
        }
        Err(Box::new(refusal.help("`dynamics(S)` says where there is motion, `reduced(S)` shows A′ and B′")))
    }

    fn roots(&self, cx: &Inquiry, equations: &[Expr], unknowns: &[Symbol]) -> Answered<Vec<Expr>> {
        let refuse = |why: String| {
            Err(Box::new(
                Diagnostic::error(
                    &codes::DEGENERATE,
                    "the highest derivatives are roots of equations that were not solved",
                )
                .note(why),
            ))
        };
        let found = match solve(cx, equations, unknowns) {
            Ok(found) => found,
            Err(why) => return refuse(why.to_string()),
        };
        let general: Vec<_> = found.branches.iter().filter(|b| b.free.is_empty()).collect();
        let [branch] = general.as_slice() else {
            return refuse(format!("there are {} real solutions", general.len()));
        };
        branch.conditions.iter().for_each(|c| conditions::state(cx, *c));
        let value =
            |u: &Symbol| branch.values.iter().find(|(s, _)| s == u).map_or_else(|| Expr::symbol(*u), |(_, e)| *e);
        Ok(unknowns.iter().map(value).collect())
    }

    /// The saddle system for the highest derivatives and the multipliers,
    ///
    /// ```text
    /// ⎡ B  Fᵀ ⎤ ⎡ q_s ⎤     ⎡ A     ⎤
    /// ⎣ F  0  ⎦ ⎣  μ  ⎦ = − ⎣ d̂f/dt ⎦        det = ± (det F_D)² det B′,
    /// ```
    ///
    /// free of the choice of dependent coordinates. For r = s the constraints themselves stand in the lower block, for r > s
    /// the derivatives of A′ in the upper one, and the multipliers follow from F_Dᵀ μ = −E_D.
    pub fn equations_of_motion(&self, cx: &Inquiry) -> Answered<ConstrainedEquations> {
        if let Some(saddle) = saddle(cx, &self.form, &self.structure) {
            return Ok(saddle);
        }
        let q = &self.structure;
        let y = q.manifold();
        let (m, k) = (y.n_coordinates(), q.n_constraints());
        let order = self.top_order();
        let tops: Vec<Symbol> = (0..m).map(|s| jet(y, s, order)).collect();
        let f = q.chetaev();
        let is_linear = !f.entries().any(|e| tops.iter().any(|s| e.contains(*s)));
        let unknowns = unknowns(q, &tops);
        let surface = self.surface(cx, order);
        if !is_linear {
            // The roots are found beforehand.
            let motion = self.motion(cx)?;
            let lambda = self.multipliers(cx, &motion)?;
            let values = motion.accelerations.iter().copied().chain(lambda.iter().map(|l| -*l));
            let a = values.map(|e| -e).collect();
            let b = Matrix::identity(m + k).to_rows();
            return Ok(ConstrainedEquations { order, unknowns, b, a, surface, chart_free: false });
        }
        let zeros: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
        let rest = |e: Expr| substitute(e, &zeros);
        let own = q.tower().iter().filter(|p| p.order == q.level());
        let below: Vec<Expr> = own.map(|p| rest(p.function)).collect();
        let mut b = Matrix::zero(m + k, m + k);
        let mut a = vec![Expr::zero(); m + k];
        for i in 0..k {
            for sigma in 0..m {
                b[(m + i, sigma)] = f[(i, sigma)];
            }
            a[m + i] = below[i];
        }
        if order == self.order {
            balance_of_forces(cx, &self.form, q, &mut b, &mut a);
        } else {
            let n = q.independent().len();
            let times = order - self.order;
            for (l, reduced) in self.a.iter().enumerate() {
                for sigma in 0..m {
                    b[(l, sigma)] = tidy(cx, partial(cx, *reduced, jet(y, sigma, self.order)));
                }
                a[l] = rest(total_derivatives(cx, *reduced, times));
            }
            for (j, d) in q.dependent().iter().enumerate() {
                for i in 0..k {
                    b[(n + j, m + i)] = f[(i, *d)];
                }
                a[n + j] = self.form.components()[*d];
            }
        }
        let chart_free = order == self.order;
        Ok(ConstrainedEquations { order, unknowns, b: b.to_rows(), a, surface, chart_free })
    }

    /// What a state must satisfy: the constraints and their derivatives below the order that is solved for, and for r > s the
    /// equations A′ = 0 with their derivatives.
    fn surface(&self, cx: &Inquiry, order: u32) -> Vec<SurfaceEquation> {
        let mut all = surface_of(&self.structure, order);
        for derivative in 0..order.saturating_sub(self.order) {
            all.extend(self.a.iter().map(|a| SurfaceEquation {
                function: tidy(cx, total_derivatives(cx, *a, derivative)),
                constraint: None,
                derivative,
            }));
        }
        all
    }

    /// The constraint semispray ζ, Volný–Krupková (3.11), with the dependent jets of the level replaced where they are known.
    pub fn semispray(&self, cx: &Inquiry, motion: &ConstrainedMotion) -> VectorField {
        let space = self.structure.manifold().jets(motion.order - 1);
        VectorField::semispray(&space, &motion.accelerations).map_components(|c| self.structure.on_q(cx, c))
    }

    /// λ_i along the motion, for the constraints as typed: F_Dᵀ λ = E_D.
    pub fn multipliers(&self, cx: &Inquiry, motion: &ConstrainedMotion) -> Answered<Vec<Expr>> {
        let q = &self.structure;
        let y = q.manifold();
        let map: FxHashMap<Symbol, Expr> = match motion.order == self.order {
            true => motion.accelerations.iter().enumerate().map(|(s, x)| (jet(y, s, motion.order), *x)).collect(),
            false => FxHashMap::default(),
        };
        let along = |e: Expr| q.on_q(cx, substitute(e, &map));
        let right: Vec<Expr> = q.dependent().iter().map(|d| along(self.form.components()[*d])).collect();
        let rows: Vec<usize> = (0..q.n_constraints()).collect();
        let minor = q.chetaev().minor(&rows, q.dependent()).transpose().map(along);
        let solution = minor.solve(cx, &right).map_err(exhausted)?;
        match solution.free.is_empty() && solution.particular.len() == right.len() {
            true => Ok(solution.particular.into_iter().map(|e| tidy(cx, e)).collect()),
            false => Err(super::undecided("the multipliers are determined", "the minor of the dependent jets is open")),
        }
    }

    /// The forces μ_i ∂f^i/∂q_r^σ that the constraints exert, by coordinate, for μ = −λ.
    pub fn reactions(&self, cx: &Inquiry, motion: &ConstrainedMotion, lambda: &[Expr]) -> Vec<Expr> {
        let q = &self.structure;
        let y = q.manifold();
        let map: FxHashMap<Symbol, Expr> =
            motion.accelerations.iter().enumerate().map(|(s, x)| (jet(y, s, motion.order), *x)).collect();
        let force = |sigma: usize| {
            let terms = lambda.iter().enumerate().map(|(i, l)| -(*l * q.chetaev()[(i, sigma)]));
            q.on_q(cx, substitute(Expr::add_all(terms.collect::<Vec<_>>()), &map))
        };
        (0..y.n_coordinates()).map(force).collect()
    }
}

/// The highest derivatives by coordinate, then the multipliers. Redundant constraints have none that could be named: those of the
/// others are one choice of many.
fn unknowns(q: &ConstraintStructure, tops: &[Symbol]) -> Vec<Symbol> {
    let multiplier = |i: u32| match q.redundant().is_empty() {
        true => Symbol::multiplier(i),
        false => Symbol::bound(&format!("reaction {i}")),
    };
    tops.iter().copied().chain((1..=q.n_constraints() as u32).map(multiplier)).collect()
}

/// The equations of the constraints and their derivatives between jets below an order.
fn surface_of(q: &ConstraintStructure, order: u32) -> Vec<SurfaceEquation> {
    let tower = q.whole_tower().filter(|p| p.order < order);
    let one = |p: &Prolonged| SurfaceEquation {
        function: p.function,
        constraint: Some(p.constraint),
        derivative: p.derivative,
    };
    tower.map(one).collect()
}

/// The upper rows of the saddle system: A + B q_s + Fᵀ μ.
fn balance_of_forces(cx: &Inquiry, form: &DynamicalForm, q: &ConstraintStructure, b: &mut Matrix, a: &mut [Expr]) {
    let (matrix, right, _) = regular::leading_part(cx, form);
    let (m, k) = (q.manifold().n_coordinates(), q.n_constraints());
    for sigma in 0..m {
        for nu in 0..m {
            b[(sigma, nu)] = matrix[(sigma, nu)];
        }
        for i in 0..k {
            b[(sigma, m + i)] = q.chetaev()[(i, sigma)];
        }
        a[sigma] = -right[sigma];
    }
}

/// The saddle system of constraints of lower order than the equations, from the constraints as they were typed: nothing is reduced
/// and nothing is solved. None for r ≥ s.
pub fn saddle(cx: &Inquiry, form: &DynamicalForm, q: &ConstraintStructure) -> Option<ConstrainedEquations> {
    let order = regular::leading_part(cx, form).2;
    if q.level() >= order {
        return None;
    }
    let (m, k) = (q.manifold().n_coordinates(), q.n_constraints());
    let tops: Vec<Symbol> = (0..m).map(|s| jet(q.manifold(), s, order)).collect();
    let still: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
    let mut b = Matrix::zero(m + k, m + k);
    let mut a = vec![Expr::zero(); m + k];
    balance_of_forces(cx, form, q, &mut b, &mut a);
    for (i, p) in q.tower().iter().filter(|p| p.order == q.level()).enumerate() {
        for sigma in 0..m {
            b[(m + i, sigma)] = q.chetaev()[(i, sigma)];
        }
        a[m + i] = substitute(total_derivatives(cx, p.function, 1), &still);
    }
    Some(ConstrainedEquations {
        order,
        unknowns: unknowns(q, &tops),
        b: b.to_rows(),
        a,
        surface: surface_of(q, order),
        chart_free: true,
    })
}
