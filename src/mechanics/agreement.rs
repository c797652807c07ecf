//! Whether Dirac's algorithm and the constraint algorithm find the same motions.
//!
//! A curve q(t) is a motion of L if and only if (q(t), p(t)) with p = ∂L/∂q̇ is one of the Hamiltonian equations with multipliers. So the
//! Legendre map carries the final set of the [constraint algorithm](super::constraint_algorithm), in t, q, q̇, to the final set in
//! t, q, p; as many functions of time are free on both sides; and one is empty where the other is. The two are computed
//! independently: where they differ one of them is wrong, and neither is called proved.
//!
//! The image of a set is known by the equations that elimination of the velocities leaves, so that closures are compared.

use super::constraint_algorithm::{DynamicBranch, Dynamics, Problem, run};
use super::dirac::DiracSystem;
use super::invariant_set::aside;
use super::lagrangian::Lagrangian;
use super::lepage_class::lepage;
use super::primary::Legs;
use crate::algebra::Inquiry;
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::{Expr, Ground, Verdict};
use crate::budget::Budgeted;

/// What the comparison found.
pub(crate) struct Agreement {
    pub verdict: Verdict,
    /// Whether the constraint algorithm followed every branch to its end.
    pub is_complete: bool,
}

/// What the constraint algorithm may cost here, in terms combined.
const DYNAMICS_WORK: u64 = 30_000_000;

/// What the comparison of its outcome may cost.
const COMPARISON_WORK: u64 = 6_000_000;

/// A ground in words.
pub(crate) fn words(ground: &Ground) -> String {
    match ground {
        Ground::Proved(by) => by.clone(),
        Ground::Sampled { points, .. } => format!("at {points} points"),
    }
}

/// Compares the final sets.
pub(crate) fn compare(cx: &Inquiry, lagrangian: &Lagrangian, system: &DiracSystem) -> Agreement {
    let unknown = |why: &str| Agreement { verdict: Verdict::unknown(why), is_complete: false };
    let found = aside(cx, DYNAMICS_WORK, || {
        let form = lagrangian.dynamical_form(cx).ok();
        let alpha = form.and_then(|form| lepage(cx, &form).ok());
        Ok(alpha.and_then(|alpha| run(cx, &alpha, Problem::Proper).ok()))
    });
    let Ok(Some(Some(dynamics))) = found else {
        return unknown("the constraint algorithm found no answer to compare with");
    };
    let is_complete = dynamics.complete.is_yes();
    let comparison = Comparison { system, dynamics: &dynamics };
    let verdict = match aside(cx, COMPARISON_WORK, || comparison.verdict(cx, lagrangian)) {
        Ok(Some(verdict)) => verdict,
        _ => Verdict::unknown("there was no time to compare with the constraint algorithm"),
    };
    Agreement { verdict, is_complete }
}

struct Comparison<'a> {
    system: &'a DiracSystem,
    dynamics: &'a Dynamics,
}

/// A set with the number of free functions on it, where that is known.
struct Part {
    branches: Vec<Branch>,
    free: Option<usize>,
}

impl Comparison<'_> {
    fn verdict(&self, cx: &Inquiry, lagrangian: &Lagrangian) -> Budgeted<Verdict> {
        let legs = Legs::new(cx, lagrangian, &self.system.pairs);
        let images = self.images(cx, &legs)?;
        let closure = |b: &Branch| Branch { equations: b.equations.clone(), nonzero: vec![] };
        let own: Vec<Part> = (self.system.branches.iter())
            .map(|b| Part { branches: vec![closure(&b.branch)], free: Some(b.free()) })
            .collect();
        let mut open = Vec::new();
        for u in &self.dynamics.undecided {
            open.extend(legs.image(cx, &u.branch)?);
        }
        let undecided: Vec<Branch> = self.system.undecided.iter().map(closure).collect();
        let of_parts = |list: &[Part]| list.iter().flat_map(|p| p.branches.clone()).collect::<Vec<Branch>>();
        let (here, there) = (of_parts(&own), of_parts(&images));
        let all = [&here[..], &there, &open, &undecided].concat();
        let equations: Vec<Expr> = all.iter().flat_map(|b| b.equations.iter().copied()).collect();
        let frame = Frame::new(cx, &self.system.coordinates(), &equations)?;
        let cells = |list: &[Branch]| -> Budgeted<Vec<Cell>> {
            let mut cells = Vec::new();
            for b in list {
                cells.extend(frame.cells(cx, b)?);
            }
            Ok(cells)
        };
        let (here, there) = (cells(&here)?, cells(&there)?);
        let (open, undecided) = (cells(&open)?, cells(&undecided)?);
        let missing =
            inclusion(cx, &frame, &there, &here, &undecided, "a motion of dynamics(L) that is not found here")?;
        let superfluous =
            inclusion(cx, &frame, &here, &there, &open, "a branch found here that dynamics(L) does not have")?;
        let sets = missing.and(superfluous);
        if sets.is_no() {
            return Ok(sets);
        }
        let compared = sets.and(self.free_functions(cx, &frame, &own, &images)?);
        if compared.is_no() || self.dynamics.complete.is_yes() {
            return Ok(compared);
        }
        let is_settled = self.system.complete.is_yes() && self.dynamics.stopped.is_none();
        Ok(match is_settled && set::is_subset(cx, &frame, &open, &here)?.is_yes() {
            true => compared,
            false => Verdict::unknown("dynamics(L) leaves sets undecided"),
        })
    }

    /// The images of the final sets, and of the parts on which the rank of the distribution jumps.
    fn images(&self, cx: &Inquiry, legs: &Legs) -> Budgeted<Vec<Part>> {
        let mut parts = Vec::new();
        let mut pending: Vec<&DynamicBranch> = self.dynamics.branches.iter().rev().collect();
        while let Some(b) = pending.pop() {
            parts.push(Part { branches: legs.image(cx, &b.branch)?, free: Some(b.free) });
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
                if is_same(cx, frame, &part.branches, &image.branches)? {
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
                return Ok(Verdict::no(format!("{here} functions are free on a branch, {there} for dynamics(L)")));
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

/// Whether two unions of closed sets are the same, as far as their ideals tell.
fn is_same(cx: &Inquiry, frame: &Frame, left: &[Branch], right: &[Branch]) -> Budgeted<bool> {
    let cells = |list: &[Branch]| -> Budgeted<Vec<Cell>> {
        let mut cells = Vec::new();
        for b in list {
            cells.extend(frame.cells(cx, b)?);
        }
        Ok(cells)
    };
    let (left, right) = (cells(left)?, cells(right)?);
    for (cells, others) in [(&left, &right), (&right, &left)] {
        for cell in cells {
            if !set::is_within(cx, frame, cell, others)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
