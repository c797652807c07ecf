//! Systems of Chaplygin: constraints q̇^a = B^a_β(q^γ) v^β and a Lagrangian in which neither q^a nor t occurs. There the second-order
//! equations are those of the base alone, and the q^a follow by quadratures. Sarlet, sections 1 and 6.
//!
//! ```text
//! d/dt ∂L̄/∂v^α − ∂L̄/∂q^α = p_a (∂B^a_α/∂q^β − ∂B^a_β/∂q^α) v^β,        L̄ = L on the constraint, p_a = ∂L/∂q̇^a there
//! ```

use super::mixed_form::SolvedConstraints;
use super::mixed_system::MixedSystem;
use super::{tidy, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};

/// Whether f and g of a mixed system are those of a Chaplygin system: g linear in the velocities, and neither t nor q^a in f and g.
pub fn is_chaplygin(cx: &Inquiry, system: &MixedSystem) -> Verdict {
    let mut lost = system.first_symbols();
    lost.push(system.time());
    let right = system.f().iter().chain(system.g());
    let independent = right.flat_map(|e| lost.iter().map(move |s| (*e, *s))).map(|(e, s)| {
        let slope = vanishes(cx, partial(cx, e, s));
        if slope.is_no() { Verdict::no(format!("{s} occurs on the right sides")) } else { slope }
    });
    let zero = system.velocities().into_iter().map(|v| (v, Expr::zero())).collect();
    let homogeneous = system.g().iter().map(|g| vanishes(cx, substitute(*g, &zero)));
    let velocities = system.velocities();
    let pairs = system.g().iter().flat_map(|g| velocities.iter().map(move |v| (*g, *v)));
    let linear = pairs.flat_map(|(g, v)| {
        let slope = partial(cx, g, v);
        velocities.iter().map(move |w| vanishes(cx, partial(cx, slope, *w))).collect::<Vec<_>>()
    });
    let not_linear =
        |v: Verdict| if v.is_no() { Verdict::no("the constraints are not linear in the velocities") } else { v };
    if system.g().is_empty() {
        return Verdict::no("nothing is of first order");
    }
    let all = independent.chain(homogeneous.map(not_linear)).chain(linear.map(not_linear));
    match Verdict::all(all.collect::<Vec<_>>(), "there are no constraints") {
        Verdict::Yes(ground) if ground.is_proved() => {
            Verdict::yes("the constraints are linear, and the equations of second order stand alone")
        }
        other => other,
    }
}

/// The equations of Chaplygin of a Lagrangian under solved constraints.
#[derive(Clone, Debug)]
pub struct Chaplygin {
    /// L̄.
    pub lagrangian: Expr,
    /// p_a (∂B^a_α/∂q^β − ∂B^a_β/∂q^α) v^β, by α.
    pub forces: Vec<Expr>,
    /// What L depends on that it must not, as a verdict.
    pub verdict: Verdict,
}

pub fn chaplygin(cx: &Inquiry, lagrangian: Expr, constraints: &SolvedConstraints) -> Chaplygin {
    let lost: Vec<Symbol> =
        constraints.dependent.iter().map(|q| q.jet(0)).chain([constraints.manifold.base()]).collect();
    let independent = lost.iter().map(|s| match vanishes(cx, partial(cx, lagrangian, *s)) {
        Verdict::No(_) => Verdict::no(format!("the Lagrangian depends on {s}")),
        other => other,
    });
    let verdict = Verdict::all(independent.collect::<Vec<_>>(), "there are no constraints");
    let b = constraints.slopes(cx);
    let momenta: Vec<Expr> =
        constraints.dependent.iter().map(|q| constraints.restrict(cx, partial(cx, lagrangian, q.jet(1)))).collect();
    let free = &constraints.free;
    let curl = |a: usize, alpha: usize| {
        let turned = free.iter().enumerate().map(|(beta, q)| {
            let slope = partial(cx, b[a][alpha], q.jet(0)) - partial(cx, b[a][beta], free[alpha].jet(0));
            slope * Expr::symbol(q.jet(1))
        });
        Expr::add_all(turned.collect::<Vec<_>>())
    };
    let force = |alpha: usize| tidy(cx, Expr::add_all(momenta.iter().enumerate().map(|(a, p)| *p * curl(a, alpha))));
    Chaplygin {
        lagrangian: constraints.restrict(cx, lagrangian),
        forces: (0..free.len()).map(force).collect(),
        verdict,
    }
}

impl Chaplygin {
    /// That the accelerations of the system, found otherwise, satisfy the equations.
    pub fn verified(&self, cx: &Inquiry, system: &MixedSystem) -> Verdict {
        let gamma = system.gamma().derivation();
        let residual = |(q, force): (&crate::algebra::Coordinate, &Expr)| {
            let momentum = partial(cx, self.lagrangian, q.jet(1));
            gamma.apply(cx, momentum) - partial(cx, self.lagrangian, q.jet(0)) - *force
        };
        Verdict::all(system.second().iter().zip(&self.forces).map(residual).map(|e| vanishes(cx, e)), "no coordinates")
    }
}
