//! Whether Dirac's algorithm and the constraint algorithm find the same motions.
//!
//! A curve q(t) is a motion of L if and only if (q(t), p(t)) with p = ∂L/∂q̇ is one of the Hamiltonian equations with multipliers. So the
//! Legendre map carries the final set of the [constraint algorithm](super::constraint_algorithm), in t, q, q̇, to the final set in
//! t, q, p; as many functions of time are free on both sides; and one is empty where the other is. The two are computed
//! independently: where they differ one of them is wrong, and neither is called proved.
//!
//! The image of a set is known by the equations that elimination of the velocities leaves, so that no more than closures is compared
//! there. That no motion is lacking is asked of the motions themselves, with every inequation.

use super::constraint_algorithm::{DynamicBranch, Dynamics, Problem, SystemDynamics, run};
use super::dirac::{DiracSystem, Followed, final_sets};
use super::lagrangian::Lagrangian;
use super::lepage_class::lepage;
use super::primary::Legs;
use crate::algebra::Inquiry;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::{Expr, Ground, Verdict, conditions};
use crate::budget::{Budgeted, share};

/// What the comparison found.
pub(crate) struct Agreement {
    pub verdict: Verdict,
    /// Whether the constraint algorithm followed every branch to its end.
    pub is_complete: bool,
}

/// Sets of more equations are not compared: their images are out of reach.
const MAX_EQUATIONS: usize = 11;

/// A ground in words.
pub(crate) fn words(ground: &Ground) -> String {
    match ground {
        Ground::Proved(by) => by.clone(),
        Ground::Sampled { points, .. } => format!("at {points} points"),
    }
}

/// Compares the final sets, for Dirac's side.
pub(crate) fn compare<B: Followed>(cx: &Inquiry, lagrangian: &Lagrangian, system: &DiracSystem<B>) -> Agreement {
    let cx = &cx.where_hold(&lagrangian.bounds(cx));
    let found = cx.aside(share::AGREEMENT_DYNAMICS, || {
        let form = lagrangian.dynamical_form(cx).ok();
        let alpha = form.and_then(|form| lepage(cx, &form).ok());
        Ok(alpha.and_then(|alpha| run(cx, &alpha, Problem::Proper).ok()))
    });
    match found {
        Ok(Some(Some(dynamics))) => {
            let verdict = verdict(cx, lagrangian, system, &dynamics);
            Agreement { verdict, is_complete: dynamics.complete.is_yes() }
        }
        _ => {
            let verdict = Verdict::unknown("the constraint algorithm found no answer to compare with");
            Agreement { verdict, is_complete: false }
        }
    }
}

/// The outcome of the constraint algorithm, not called proved where Dirac's algorithm contradicts it.
pub(crate) fn checked(cx: &Inquiry, lagrangian: &Lagrangian, found: SystemDynamics) -> SystemDynamics {
    let (agrees, _) = conditions::collect_all(cx, |cx| agrees_with_dirac(cx, lagrangian, &found.proper));
    match agrees {
        Verdict::No(ground) => SystemDynamics { proper: found.proper.contradicted(&words(&ground)), ..found },
        _ => found,
    }
}

/// Whether Dirac's algorithm finds the same motions of a Lagrangian of first order.
fn agrees_with_dirac(cx: &Inquiry, lagrangian: &Lagrangian, dynamics: &Dynamics) -> Verdict {
    let is_plain = |b: &DynamicBranch| b.branch.is_everything() && b.determined.is_yes();
    if lagrangian.order() > 1 || dynamics.stopped.is_some() || dynamics.branches.iter().any(is_plain) {
        return Verdict::unknown("there is nothing to compare");
    }
    if dynamics.branches.iter().any(|b| b.branch.equations.len() > MAX_EQUATIONS) {
        return Verdict::unknown("the final set has too many equations for a comparison");
    }
    match cx.aside(share::AGREEMENT_DIRAC, || Ok(final_sets(cx, lagrangian).ok())) {
        Ok(Some(Some(system))) => verdict(cx, lagrangian, &system, dynamics),
        _ => Verdict::unknown("Dirac's algorithm found no answer to compare with"),
    }
}

fn verdict<B: Followed>(
    cx: &Inquiry,
    lagrangian: &Lagrangian,
    system: &DiracSystem<B>,
    dynamics: &Dynamics,
) -> Verdict {
    let comparison = Comparison { system, dynamics };
    match cx.aside(share::AGREEMENT, || comparison.verdict(cx, lagrangian)) {
        Ok(Some(verdict)) => verdict,
        _ => Verdict::unknown("there was no time to compare with the constraint algorithm"),
    }
}

struct Comparison<'a, B> {
    system: &'a DiracSystem<B>,
    dynamics: &'a Dynamics,
}

/// A set with the number of free functions on it, where that is known.
struct Part {
    branches: Vec<Branch>,
    free: Option<usize>,
}

impl<B: Followed> Comparison<'_, B> {
    fn verdict(&self, cx: &Inquiry, lagrangian: &Lagrangian) -> Budgeted<Verdict> {
        let legs = Legs::new(cx, lagrangian, &self.system.pairs);
        let images = self.images(cx, &legs)?;
        let closure = |b: &Branch| Branch { equations: b.equations.clone(), nonzero: vec![] };
        let own: Vec<Part> = (self.system.branches.iter())
            .map(|b| Part { branches: vec![closure(b.branch())], free: Some(b.free()) })
            .collect();
        let mut open = Vec::new();
        for u in &self.dynamics.undecided {
            open.extend(legs.image(cx, &u.branch)?);
        }
        let of_parts = |list: &[Part]| list.iter().flat_map(|p| p.branches.clone()).collect::<Vec<Branch>>();
        let (here, there) = (of_parts(&own), of_parts(&images));
        let all = [&here[..], &there, &open].concat();
        let equations: Vec<Expr> = all.iter().flat_map(|b| b.equations.iter().copied()).collect();
        let frame = Frame::new(cx, &self.system.coordinates(), &equations)?;
        let (here, there) = (cells_of(cx, &frame, &here)?, cells_of(cx, &frame, &there)?);
        let open = cells_of(cx, &frame, &open)?;
        // What contains the image contains the motions; where that is not seen they are looked at themselves. Inequations are
        // seen by the motions only: closures do not tell what happens where the Hessian loses rank.
        let is_closed = self.system.branches.iter().all(|b| b.branch().nonzero.is_empty());
        let missing = match is_closed.then(|| set::is_subset(cx, &frame, &there, &here)).transpose()? {
            Some(Verdict::Yes(ground)) => Verdict::Yes(ground),
            _ => self.missing(cx, &legs)?,
        };
        let superfluous =
            inclusion(cx, &frame, &here, &there, &open, "dirac(L) has a branch that dynamics(L) does not have")?;
        let sets = missing.and(superfluous);
        if sets.is_no() {
            return Ok(sets);
        }
        let compared = match sets.and(self.free_functions(cx, &frame, &own, &images)?) {
            Verdict::Yes(_) if own.is_empty() => Verdict::yes("dynamics(L) finds no motion either"),
            Verdict::Yes(_) => Verdict::yes("the final set is that of dynamics(L), with as many free functions"),
            other => other,
        };
        if compared.is_no() || self.dynamics.complete.is_yes() {
            return Ok(compared);
        }
        let is_settled = self.system.complete.is_yes() && self.dynamics.stopped.is_none();
        Ok(match is_settled && set::is_subset(cx, &frame, &open, &here)?.is_yes() {
            true => compared,
            false => Verdict::unknown("dynamics(L) leaves sets undecided"),
        })
    }

    /// Whether the Legendre map carries every final set of dynamics(L) into the branches found here: their equations with
    /// p = ∂L/∂q̇ hold on it. No elimination is needed, and no sign of a root is lost.
    fn missing(&self, cx: &Inquiry, legs: &Legs) -> Budgeted<Verdict> {
        let pulled = |b: &Branch| Branch {
            equations: legs.pulled_back(cx, &b.equations),
            nonzero: legs.pulled_back(cx, &b.nonzero),
        };
        let here: Vec<Branch> = self.system.branches.iter().map(|b| pulled(b.branch())).collect();
        let undecided: Vec<Branch> = self.system.undecided.iter().map(pulled).collect();
        // Nobody speaks of points at which L has no derivatives.
        let strict = |c: &Condition| matches!(c.relation, Relation::NotEqual | Relation::Greater);
        let inside: Vec<Expr> = self.system.domain.iter().filter(|c| strict(c)).map(|c| c.left).collect();
        let mut there = self.dynamics.final_set();
        there.iter_mut().for_each(|b| b.nonzero.extend(&inside));
        let frame = legs.frame_of_velocities(cx, &[&here[..], &undecided, &there].concat())?;
        let (here, undecided) = (cells_of(cx, &frame, &here)?, cells_of(cx, &frame, &undecided)?);
        let there = cells_of(cx, &frame, &there)?;
        inclusion(cx, &frame, &there, &here, &undecided, "dirac(L) lacks a motion of dynamics(L)")
    }

    /// The images of the final sets, and of the parts on which the rank of the distribution jumps.
    fn images(&self, cx: &Inquiry, legs: &Legs) -> Budgeted<Vec<Part>> {
        let mut parts = Vec::new();
        let mut pending: Vec<&DynamicBranch> = self.dynamics.branches.iter().rev().collect();
        while let Some(b) = pending.pop() {
            let pieces = legs.image(cx, &b.branch)?;
            parts.extend(pieces.into_iter().map(|piece| Part { branches: vec![piece], free: Some(b.free) }));
            pending.extend(b.jumps.iter().rev());
        }
        for b in &self.dynamics.undescribed {
            parts.push(Part { branches: legs.image(cx, b)?, free: None });
        }
        Ok(parts)
    }

    /// On sets with the same image the same number of functions is free.
    fn free_functions(&self, cx: &Inquiry, frame: &Frame, own: &[Part], images: &[Part]) -> Budgeted<Verdict> {
        let mut verdict = Verdict::yes("the final sets are the same, with as many free functions");
        for part in own {
            let mut known: Vec<usize> = Vec::new();
            for image in images {
                if is_piece_of(cx, frame, &part.branches, &image.branches)? {
                    known.extend(image.free);
                }
            }
            let (Some(here), Some(there)) = (part.free, known.iter().max()) else {
                let name = |b: &Branch| b.equations.iter().map(Expr::to_string).collect::<Vec<_>>().join(" = ");
                let set: Vec<String> = part.branches.iter().map(name).collect();
                let why = format!("dynamics(L) has no branch whose image is {} = 0", set.join(", "));
                verdict = verdict.and(Verdict::unknown(why));
                continue;
            };
            if here != *there {
                return Ok(Verdict::no(format!(
                    "{here} functions are free on a branch of dirac(L), {there} for dynamics(L)"
                )));
            }
        }
        Ok(verdict)
    }
}

/// Whether every point of the cells lies in the others, whatever becomes of the sets that are open.
fn inclusion(
    cx: &Inquiry,
    frame: &Frame,
    cells: &[Cell],
    others: &[Cell],
    open: &[Cell],
    what: &str,
) -> Budgeted<Verdict> {
    let plain = set::is_subset(cx, frame, cells, others)?;
    if plain.is_yes() || open.is_empty() {
        return Ok(match plain {
            Verdict::No(ground) => Verdict::no(format!("{what}: {}", words(&ground))),
            Verdict::Unknown(why) => Verdict::unknown(format!("{what}: {why}")),
            yes => yes,
        });
    }
    let all: Vec<Cell> = others.iter().chain(open).cloned().collect();
    Ok(match set::is_subset(cx, frame, cells, &all)? {
        Verdict::No(ground) => Verdict::no(format!("{what}: {}", words(&ground))),
        _ => Verdict::unknown("it depends on sets that are undecided"),
    })
}

fn cells_of(cx: &Inquiry, frame: &Frame, list: &[Branch]) -> Budgeted<Vec<Cell>> {
    let mut cells = Vec::new();
    for b in list {
        cells.extend(frame.cells(cx, b)?);
    }
    Ok(cells)
}

/// Whether every piece of a closed set is a piece of another one, as far as their ideals tell. The image of a set has more pieces if
/// the sign of a root was lost.
fn is_piece_of(cx: &Inquiry, frame: &Frame, part: &[Branch], image: &[Branch]) -> Budgeted<bool> {
    let (part, image) = (cells_of(cx, frame, part)?, cells_of(cx, frame, image)?);
    for cell in &part {
        let mut is_known = false;
        for other in &image {
            let there = set::is_within(cx, frame, cell, std::slice::from_ref(other))?;
            is_known |= there && set::is_within(cx, frame, other, std::slice::from_ref(cell))?;
        }
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}
