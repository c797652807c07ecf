//! The constraint Legendre transformation of second-order systems under constraints of first order. Volný–Krupková §4.
//!
//! ```text
//! ∂B̄_ls/∂q̇^r = ∂B̄_lr/∂q̇^s                                                    (4.4)
//! ∂P_a/∂q̇^l = −B̄_al                                                            (4.6)
//! P_a = ∂L̄/∂q̇^a − q̇^b ∫₀¹ (p_i ∂²g^i/∂q̇^a∂q̇^b)(t, q, uq̇) du,   p_i = ∂L/∂q̇^{D_i}∘ι      second line of (4.10)
//! η_a = Ā_a + d̄P_a/dt,   η^a = −q̇^a,   η = η_a dq^a + η^a dP_a                   (4.11)
//! dP_a/dt = η_a,   dq^a/dt = −η^a,   dq^{D_i}/dt = g^i
//! ```
//!
//! Departure: the paper prints (4.12) with both signs reversed; the signs above agree with its (4.5), (4.7), (4.11) and with
//! η = −dH̄ of Theorem 6, and the rates of the momenta along the motion are η_a, which is tested.
//!
//! Condition (4.4) holds for affine constraints, and for one independent coordinate. For nonlinear ones it depends on which
//! velocities are dependent: every admissible choice is tested before the answer is no. Momenta are unique up to functions of t
//! and q. Where the homotopy in (4.10) diverges at q̇ = 0 they are antiderivatives of −B̄.

use super::constrained_form::ConstrainedForm;
use super::constraint_structure::{ConstraintStructure, Declared, NormalForm, subsets};
use super::inverse_problem::potential;
use super::lagrangian::Lagrangian;
use super::legendre::solve_for;
use super::{Answered, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::antiderivative::{has_integral, unit_integral};
use crate::algebra::conditions;
use crate::algebra::derive::partial;
use crate::algebra::expr::Condition;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::total_derivative;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct ConstraintLegendre {
    system: Rc<ConstrainedForm>,
    lagrangian: Option<Lagrangian>,
    /// Condition (4.4) in the chart of the structure.
    pub condition: Verdict,
    /// ∂B̄_ls/∂q̇^r − ∂B̄_lr/∂q̇^s by the numbers of the coordinates l, s, r, with s before r.
    pub violations: Vec<([usize; 3], Expr)>,
}

/// Momenta with what belongs to them, as functions of positions and velocities.
#[derive(Clone, Debug)]
pub struct ConstraintMomenta {
    /// P_a by independent coordinate.
    pub momenta: Vec<Expr>,
    /// η_a = dP_a/dt.
    pub eta: Vec<Expr>,
    /// H̄ = P_a q̇^a − L̄, for systems with a Lagrangian.
    pub hamiltonian: Option<Expr>,
    /// Whether η = −dH̄ modulo dt and the constraint ideal.
    pub exact: Verdict,
}

/// The canonical constrained Hamilton equations.
#[derive(Clone, Debug)]
pub struct ConstrainedHamilton {
    /// dq^σ/dt for all coordinates, then dP_a/dt.
    pub right_sides: Vec<(Symbol, Expr)>,
    /// η_a and η^a along dq^a and dP_a.
    pub eta: Vec<(Symbol, Expr)>,
    pub hamiltonian: Option<Expr>,
    pub conditions: Vec<Condition>,
}

/// Tests condition (4.4); refused for systems that the theory does not speak about.
pub fn constraint_legendre(
    cx: &Inquiry,
    system: Rc<ConstrainedForm>,
    lagrangian: Option<&Lagrangian>,
) -> Answered<ConstraintLegendre> {
    if system.form().order() != 2 || system.is_high() || system.structure().level() != 1 {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "constraint momenta are a notion for second-order equations under constraints of first order",
            )
            .note(format!(
                "here the equations have order {}, the constraints order {}",
                system.form().order(),
                system.structure().order()
            ))
            .help("`reduced(S)` and `vector_field(S)` answer for all orders"),
        ));
    }
    let violations = violations(cx, system.structure(), system.b());
    let q = system.structure().clone();
    let all = violations.iter().map(|(_, e)| q.vanishes_on_q(cx, *e));
    let condition = Verdict::all(all, "there is one independent coordinate");
    Ok(ConstraintLegendre { lagrangian: lagrangian.cloned(), system, condition, violations })
}

fn violations(cx: &Inquiry, q: &ConstraintStructure, b: &Matrix) -> Vec<([usize; 3], Expr)> {
    let n = q.independent().len();
    let mut all = vec![];
    for l in 0..n {
        for s in 0..n {
            for r in s + 1..n {
                let difference = q.slope_on_q(cx, b[(l, s)], r) - q.slope_on_q(cx, b[(l, r)], s);
                let key = [q.independent()[l], q.independent()[s], q.independent()[r]];
                all.push((key, q.on_q(cx, difference)));
            }
        }
    }
    all
}

impl ConstraintLegendre {
    fn structure(&self) -> &ConstraintStructure {
        self.system.structure()
    }

    /// Condition (4.4) for every admissible choice of dependent coordinates, the last ones first.
    pub fn choices(&self, cx: &Inquiry, declared: &Declared) -> Answered<Vec<(Vec<usize>, Verdict)>> {
        let own = self.structure();
        let (m, k) = (own.manifold().n_coordinates(), own.n_constraints());
        let is_affine = self.is_affine(cx);
        let mut all = vec![];
        for mut subset in subsets(m, k) {
            if subset.iter().all(|d| own.dependent().contains(d)) {
                all.push((own.dependent().to_vec(), self.condition.clone()));
                continue;
            }
            let rows: Vec<usize> = (0..k).collect();
            let det = own.chetaev().minor(&rows, &subset).det(cx).map_err(super::exhausted)?;
            if !own.vanishes_on_q(cx, det).is_no() {
                continue;
            }
            if is_affine {
                all.push((subset, Verdict::yes("the constraints are affine")));
                continue;
            }
            let other = Declared {
                dependent: subset.iter().map(|d| own.coordinate(*d)).collect(),
                branch: vec![],
                ..declared.clone()
            };
            let (found, _) = conditions::collect(cx, |cx| -> Answered<_> {
                let chart = Rc::new(ConstraintStructure::implicit(cx, &other, 1)?);
                let system = ConstrainedForm::new(cx, self.system.form().clone(), chart.clone())?;
                Ok((chart.dependent().to_vec(), violations(cx, &chart, system.b())))
            });
            let Ok((dependent, violations)) = found else { continue };
            subset = dependent;
            let verdicts = violations.into_iter().map(|(_, e)| own.vanishes_on_q(cx, e));
            all.push((subset, Verdict::all(verdicts, "there is one independent coordinate")));
        }
        Ok(all)
    }

    /// Whether all ∂²g/∂q̇∂q̇ vanish.
    fn is_affine(&self, cx: &Inquiry) -> bool {
        let q = self.structure();
        let n = q.independent().len();
        (0..q.n_constraints()).all(|i| {
            (0..n).all(|a| (0..n).all(|b| q.vanishes_on_q(cx, q.slope_on_q(cx, q.slopes()[(i, a)], b)).is_yes()))
        })
    }

    /// Why there are no momenta in this chart.
    fn condition_fails(&self, cx: &Inquiry) -> Box<Diagnostic> {
        let q = self.structure();
        let name = |sigma: usize| q.coordinate(sigma).to_string();
        let mut refusal = Diagnostic::error(
            &codes::CONDITION_4_4,
            "no constraint momenta exist in this chart: condition (4.4) fails",
        );
        if let Some(([l, s, r], value)) = self.violations.iter().find(|(_, e)| !vanishes(cx, *e).is_yes()) {
            let (l, s, r) = (name(*l), name(*s), name(*r));
            refusal = refusal.note(format!("∂B_{l}{s}/∂{r}' − ∂B_{l}{r}/∂{s}' = {value}"));
        }
        let dependent: Vec<String> = q.dependent().iter().map(|d| name(*d)).collect();
        Box::new(
            refusal
                .note(format!("the dependent coordinates are {}", dependent.join(", ")))
                .help("`legendre(S).choices` tests the other choices of dependent coordinates; `vector_field(S)` needs no momenta"),
        )
    }

    /// The momenta, refused with `condition_4_4` where they do not exist.
    pub fn momenta(&self, cx: &Inquiry) -> Answered<ConstraintMomenta> {
        match &self.condition {
            Verdict::Yes(_) => {}
            Verdict::No(_) => return Err(self.condition_fails(cx)),
            Verdict::Unknown(why) => return Err(super::undecided("condition (4.4) holds", why.clone())),
        }
        let q = self.structure();
        let velocities = q.independent_jets(1);
        let momenta = match self.by_homotopy(cx) {
            Some(momenta) => momenta,
            None => (0..velocities.len()).map(|a| self.by_antiderivative(cx, a)).collect::<Answered<Vec<_>>>()?,
        };
        let rate = |p: Expr| {
            let zeros: FxHashMap<Symbol, Expr> =
                (0..q.manifold().n_coordinates()).map(|s| (jet(q.manifold(), s, 2), Expr::zero())).collect();
            q.on_q(cx, substitute(total_derivative(cx, p), &zeros))
        };
        let eta: Vec<Expr> = momenta.iter().zip(self.system.a()).map(|(p, a)| tidy(cx, *a + rate(*p))).collect();
        let hamiltonian = self.lagrangian.as_ref().map(|l| {
            let terms = momenta.iter().zip(&velocities).map(|(p, v)| *p * Expr::symbol(*v));
            tidy(cx, Expr::add_all(terms.collect::<Vec<_>>()) - q.on_q(cx, l.function()))
        });
        let exact = match hamiltonian {
            Some(h) => self.is_exact(cx, &momenta, &eta, h),
            None => Verdict::no("the system has no Lagrangian"),
        };
        Ok(ConstraintMomenta { momenta, eta, hamiltonian, exact })
    }

    /// The second line of (4.10), where the integrals converge and have a closed form.
    fn by_homotopy(&self, cx: &Inquiry) -> Option<Vec<Expr>> {
        let q = self.structure();
        let l = self.lagrangian.as_ref()?.function();
        let NormalForm::Explicit(_) = q.normal_form() else { return None };
        let velocities = q.independent_jets(1);
        let n = velocities.len();
        let p: Vec<Expr> = q.dependent_jets(1).into_iter().map(|v| q.on_q(cx, partial(cx, l, v))).collect();
        let u = Symbol::bound("u");
        let scaling: FxHashMap<Symbol, Expr> =
            velocities.iter().map(|v| (*v, Expr::symbol(u) * Expr::symbol(*v))).collect();
        let restricted = q.on_q(cx, l);
        let mut momenta = vec![];
        for a in 0..n {
            let mut terms = vec![partial(cx, restricted, velocities[a])];
            for (b, velocity) in velocities.iter().enumerate() {
                let second = p.iter().enumerate().map(|(i, p)| *p * q.slope_on_q(cx, q.slopes()[(i, a)], b));
                let integrand = tidy(cx, Expr::add_all(second.collect::<Vec<_>>()));
                if integrand.is_zero() {
                    continue;
                }
                let scaled = tidy(cx, substitute(integrand, &scaling));
                let at_rest = substitute(scaled, &FxHashMap::from_iter([(u, Expr::zero())]));
                if at_rest.as_undefined().is_some() {
                    return None;
                }
                terms.push(-(Expr::symbol(*velocity) * unit_integral(cx, scaled, u)));
            }
            let momentum = tidy(cx, Expr::add_all(terms));
            if has_integral(momentum) || !self.is_momentum(cx, a, momentum) {
                return None;
            }
            momenta.push(momentum);
        }
        Some(momenta)
    }

    /// (4.6).
    fn is_momentum(&self, cx: &Inquiry, a: usize, momentum: Expr) -> bool {
        let q = self.structure();
        (0..q.independent().len())
            .all(|l| q.vanishes_on_q(cx, q.slope_on_q(cx, momentum, l) + self.system.b()[(a, l)]).is_yes())
    }

    fn by_antiderivative(&self, cx: &Inquiry, a: usize) -> Answered<Expr> {
        let q = self.structure();
        let slopes: Vec<Expr> = self.system.b().row(a).iter().map(|b| tidy(cx, -*b)).collect();
        let found = potential(cx, &slopes, &q.independent_jets(1));
        found.filter(|p| !has_integral(*p) && self.is_momentum(cx, a, *p)).ok_or_else(|| {
            super::undecided(
                format!("the momentum of {} has a closed form", q.coordinate(q.independent()[a])),
                "no antiderivative of −B′ was found; condition (4.4) holds, so it exists",
            )
        })
    }

    /// dH̄ + η_a dq^a − q̇^a dP_a ≡ 0 modulo dt and the constraint forms, component by component in velocities.
    fn is_exact(&self, cx: &Inquiry, momenta: &[Expr], eta: &[Expr], h: Expr) -> Verdict {
        let q = self.structure();
        let y = q.manifold();
        let velocities = q.independent_jets(1);
        let along = |e: Expr, a: usize| {
            let own = partial(cx, e, jet(y, q.independent()[a], 0));
            let through =
                q.dependent().iter().enumerate().map(|(i, d)| q.slopes()[(i, a)] * partial(cx, e, jet(y, *d, 0)));
            own + Expr::add_all(through.collect::<Vec<_>>())
        };
        let moved = |by: &dyn Fn(Expr) -> Expr| {
            let terms = momenta.iter().zip(&velocities).map(|(p, v)| Expr::symbol(*v) * by(*p));
            Expr::add_all(terms.collect::<Vec<_>>())
        };
        let in_velocities = (0..velocities.len()).map(|l| q.slope_on_q(cx, h, l) - moved(&|p| q.slope_on_q(cx, p, l)));
        let in_positions = (0..velocities.len()).map(|a| along(h, a) + eta[a] - moved(&|p| along(p, a)));
        let all: Vec<Expr> = in_velocities.chain(in_positions).collect();
        Verdict::all(all.into_iter().map(|e| q.vanishes_on_q(cx, q.on_q(cx, e))), "there is no independent coordinate")
    }

    /// The momenta as coordinates, called `prefix_x`.
    pub fn symbols(&self, prefix: &str) -> Vec<Symbol> {
        let q = self.structure();
        q.independent().iter().map(|a| Symbol::momentum_named(prefix, q.coordinate(*a))).collect()
    }

    /// The inverse: velocities in terms of momenta, and where it holds; or why there is none in closed form.
    #[allow(clippy::type_complexity)]
    pub fn inverse(
        &self,
        cx: &Inquiry,
        found: &ConstraintMomenta,
        prefix: &str,
    ) -> Answered<Result<(Vec<(Symbol, Expr)>, Vec<Condition>), Verdict>> {
        let velocities = self.structure().independent_jets(1);
        let names = self.symbols(prefix);
        let equations: Vec<Expr> =
            found.momenta.iter().zip(&names).map(|(p, s)| tidy(cx, *p - Expr::symbol(*s))).collect();
        Ok(solve_for(cx, &equations, &names, &velocities)?
            .map(|(values, conditions)| (velocities.into_iter().zip(values).collect(), conditions)))
    }

    /// The canonical equations, refused where the momenta cannot be inverted.
    pub fn hamilton(&self, cx: &Inquiry, found: &ConstraintMomenta, prefix: &str) -> Answered<ConstrainedHamilton> {
        let q = self.structure();
        let (inverse, conditions) = self.inverse(cx, found, prefix)?.map_err(no_inverse)?;
        let NormalForm::Explicit(g) = q.normal_form() else {
            return Err(no_inverse(Verdict::no("the constraints were not solved for the dependent velocities")));
        };
        let map: FxHashMap<Symbol, Expr> = inverse.iter().copied().collect();
        let there = |e: Expr| tidy(cx, substitute(e, &map));
        let names = self.symbols(prefix);
        let velocity = |sigma: usize| match q.dependent().iter().position(|d| *d == sigma) {
            Some(i) => there(g[i]),
            None => there(Expr::symbol(jet(q.manifold(), sigma, 1))),
        };
        let positions = (0..q.manifold().n_coordinates()).map(|s| (q.coordinate(s), velocity(s)));
        let rates: Vec<Expr> = found.eta.iter().map(|e| there(*e)).collect();
        let right_sides = positions.chain(names.iter().copied().zip(rates.iter().copied())).collect();
        let along = q.independent().iter().map(|a| q.coordinate(*a)).zip(rates.iter().copied());
        let across = names.iter().copied().zip(q.independent().iter().map(|a| -velocity(*a)));
        Ok(ConstrainedHamilton {
            right_sides,
            eta: along.chain(across).collect(),
            hamiltonian: found.hamiltonian.map(there),
            conditions,
        })
    }
}

/// The refusal of an inverse.
pub fn no_inverse(why: Verdict) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::DEGENERATE, "the constraint Legendre transformation has no inverse in closed form")
            .note(why.to_string()),
    )
}
