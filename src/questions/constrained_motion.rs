//! What a run, `linearize` and `emit` need of a system under constraints, whichever way these are given: one linear system for the
//! highest derivatives and the multipliers, without an inverse, and the equations that a state must satisfy.
//!
//! | constraints | the linear system | after |
//! |---|---|---|
//! | Chetaev's | the saddle system on Q | Krupková §11 |
//! | with `forms:` | the balance of forces on M | Lewis §5 |
//! | with `reactions:` | the pairs (A, B) | Barone et al. §7 |
//! | with `reactions: none` | the free motions that stay on C | Barone et al. §4 |
//!
//! Where a constraint has no reaction, the reactions cannot hold the motion on it, or the constrained equations are singular, the motion
//! lives on the final set of the constraint algorithm, and is explicit there.

use super::forces::{force_balance, motion as balanced};
use super::pairs::dalembert;
use crate::algebra::{Expr, Inquiry, Symbol, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::mechanics::constrained_dynamics::{ConstrainedBranch, constrained_dynamics};
use crate::mechanics::constrained_form::{ConstrainedEquations, saddle};
use crate::mechanics::constraint_structure::ConstraintStructure;
use crate::mechanics::integrability::{FinalBranch, integrability};
use crate::model::item::{Base, System};
use crate::model::value::Fallible;
use crate::source::Span;

/// The equations of a constrained motion.
pub struct ConstrainedLaw {
    pub equations: ConstrainedEquations,
    /// Dependent jets as functions of the others, lowest first, as far as they are known.
    pub solved: Vec<(Symbol, Expr)>,
    /// Where each constraint stands, by its number in the equations of the surface.
    pub spans: Vec<Span>,
}

/// How the motion of a constrained system is found.
pub enum ConstrainedMotion {
    Law(ConstrainedLaw),
    /// The final sets on which the system moves.
    Branches(Vec<FinalBranch>),
}

/// Whether the motion follows from reactions or forms of its own, and not from Chetaev's rule.
pub fn has_own_reactions(system: &System) -> bool {
    let own = system.constraints.iter().any(|c| c.reactions.is_some() || c.forms.is_some());
    own || matches!(system.base, Base::Generated(_))
}

/// The saddle system from the constraints as they were typed, without solving any of them: no dependent jets are known. None
/// where the motion needs a chart, or the user chose one.
pub fn uncharted_law(cx: &Inquiry, system: &System) -> Fallible<Option<ConstrainedLaw>> {
    if has_own_reactions(system) {
        return Ok(None);
    }
    match system.uncharted_structure(cx)? {
        Some(q) => law_on(cx, system, &q),
        None => Ok(None),
    }
}

/// The saddle system on a structure without a chart.
pub fn law_on(cx: &Inquiry, system: &System, q: &ConstraintStructure) -> Fallible<Option<ConstrainedLaw>> {
    let equations = saddle(cx, &*system.dynamical_form(cx)?, q);
    Ok(equations.map(|equations| ConstrainedLaw { equations, solved: vec![], spans: spans(q) }))
}

/// Where the constraints stand, in the order of the tower.
fn spans(q: &ConstraintStructure) -> Vec<Span> {
    (0..q.n_constraints() + q.redundant().len()).filter_map(|i| Some(q.constraint(i)?.span)).collect()
}

/// The motion of a system under constraints.
pub fn constrained_motion(cx: &Inquiry, system: &System) -> Fallible<ConstrainedMotion> {
    if !has_own_reactions(system) {
        let q = system.constraint_structure(cx)?;
        // Reduced equations are not needed where the saddle system can be written down.
        let equations = match saddle(cx, &*system.dynamical_form(cx)?, &q) {
            Some(equations) => equations,
            None => system.constrained_form(cx)?.equations_of_motion(cx)?,
        };
        return Ok(ConstrainedMotion::Law(ConstrainedLaw { equations, solved: q.solved_jets(), spans: spans(&q) }));
    }
    let spans = system.constraints.iter().flat_map(|c| c.equations.iter().map(|(_, span)| *span)).collect();
    if system.constraints.iter().any(|c| c.forms.is_some()) {
        let balance = force_balance(cx, system)?;
        // Theorem 5.5 promises the motion only if the forces keep it on M.
        balanced(cx, &balance)?;
        let set = &balance.constraint.set;
        let solved = set.space().symbols().into_iter().filter_map(|s| Some((s, *set.solved().get(&s)?))).collect();
        return Ok(ConstrainedMotion::Law(ConstrainedLaw {
            equations: balance.equations_of_motion(cx),
            solved,
            spans,
        }));
    }
    let pairs = dalembert(cx, system)?;
    let set = &pairs.set;
    let solved = set.space().symbols().into_iter().filter_map(|s| Some((s, *set.solved().get(&s)?))).collect();
    match pairs.equations_of_motion(cx) {
        Some(equations) => Ok(ConstrainedMotion::Law(ConstrainedLaw { equations, solved, spans })),
        None => final_branches(cx, system).map(ConstrainedMotion::Branches),
    }
}

/// The final sets of the constraint algorithm that belongs to the system; refused with `no_motion` where there are none.
pub fn final_branches(cx: &Inquiry, system: &System) -> Fallible<Vec<FinalBranch>> {
    let (branches, sets) = match has_own_reactions(system) {
        true => {
            let found = integrability(cx, &dalembert(cx, system)?)?;
            found.generic.iter().for_each(|e| conditions::record_nonzero(cx, *e));
            (found.branches, "`integrability(S).sequence` shows the sets")
        }
        false => {
            let found = constrained_dynamics(cx, &*system.constrained_form(cx)?)?;
            let branch = |b: ConstrainedBranch| FinalBranch {
                branch: b.branch,
                accelerations: b.accelerations.into_iter().map(|(_, e)| e).collect(),
                free_unknowns: b.free + b.multipliers.iter().filter(|m| m.is_none()).count(),
                multipliers: b.multipliers,
                free: b.free,
            };
            (found.branches.into_iter().map(branch).collect(), "`explain dynamics(S)` shows the sets")
        }
    };
    match branches.is_empty() {
        false => Ok(branches),
        true => Err(Box::new(
            Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                .note("the equations of the motion and their consequences contradict each other")
                .help(format!("{sets} that were left, one after the other")),
        )),
    }
}
