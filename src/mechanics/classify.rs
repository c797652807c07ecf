//! Classification of a mechanical system by the ranks of its matrices. Krupková §5–6;
//! docs/theory/odes.md §7.
//!
//! ```text
//! (5.8)  (B|A)        a semispray passes through x               ⇔ rank B = rank (B|A)           Theorem 5.4
//! (5.9)  (F|A)        Δ_α is weakly horizontal at x, Δ_α = D_α there ⇔ rank F = rank (F|A)       Theorem 5.2
//! (5.7)  rank Δ_α = 1 + ms − rank (F|A)
//! (5.11) rank D_α = 1 + ms − rank [[F, A], [−Aᵀ, 0]]
//! ```
//!
//! The ranks may change from point to point: each is given with its strata. All conditions of the classes are
//! meant everywhere on the phase space, so one stratum with a point on it refutes them, and a stratum of
//! which it is unknown whether it has points leaves them open.
//!
//! k pivots that vanish independently of each other make 2ᵏ strata. Where there are that many a few are looked at, generic
//! points first; what these refute is refuted, and the rest is unknown. At a given point everything is decided anew.

use super::dynamical_form::DynamicalForm;
use super::inverse_problem::is_variational;
use super::lepage_class::LepageTwoForm;
use super::{Answered, exhausted};
use crate::algebra::Inquiry;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{Leaf, LinearSystem, Trunk, leaves, leaves_up_to, some_leaves, trunk};
use crate::algebra::stratum::rank::{Rank, rank_by, system_of};
use crate::algebra::stratum::sample::{Witness, witness};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::{Budgeted, share};
use std::cell::OnceCell;

/// Findings about a Lepage 2-form α and the equations E it extends. A record and not an enum, because the
/// classes overlap: weakly regular and semiregular are independent, and either may hold of a singular system.
#[derive(Clone, Debug)]
pub struct Classification {
    /// The true order s.
    pub order: u32,
    /// ms.
    pub size: usize,
    pub rank_b: Rank,
    pub rank_ba: Rank,
    pub rank_f: Rank,
    pub rank_fa: Rank,
    pub rank_delta: Rank,
    pub rank_d: Rank,
    /// det B vanishes nowhere (s ≥ 2), or semiregular with rank Δ = 1 (s = 1).
    pub regular: Verdict,
    /// P is everything and rank B is constant; not defined for s = 1.
    pub weakly_regular: Option<Verdict>,
    /// P̃ is everything and rank Δ is constant.
    pub semiregular: Verdict,
    /// Semiregular and weakly regular; not defined for s = 1.
    pub strongly_semiregular: Option<Verdict>,
    pub singular: Verdict,
    /// Δ_α of this α has rank one everywhere. Not the same as regular: impossible if ms is odd (Theorem 6.3).
    pub rank_one: Verdict,
    /// Δ_α is completely integrable, where its rank is the generic one.
    pub integrable: Verdict,
    pub variational: Verdict,
    /// P̃ of (5.13); none where there are too many strata to tell apart.
    pub primary: Option<Vec<Branch>>,
    /// P of (5.14).
    pub primary_semispray: Option<Vec<Branch>>,
    /// Expressions in parameters that were taken to be nonzero.
    pub generic: Vec<Expr>,
}

/// All ranks, classes and primary constraint sets.
pub fn classify(cx: &Inquiry, alpha: &LepageTwoForm) -> Answered<Classification> {
    classify_within(cx, alpha).map_err(exhausted)
}

fn classify_within(cx: &Inquiry, alpha: &LepageTwoForm) -> Budgeted<Classification> {
    match cx.aside(share::CLASSIFICATION, || classify_by(cx, alpha, Extent::All))? {
        Some(found) => Ok(found),
        None => classify_by(cx, alpha, Extent::Few),
    }
}

/// Which strata are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    Few,
}

fn classify_by(cx: &Inquiry, alpha: &LepageTwoForm, extent: Extent) -> Budgeted<Classification> {
    let form = alpha.dynamical_form();
    let (s, size) = (form.order(), form.size());
    let frame = frame_of(cx, alpha)?;
    let is_definite = s == 2 && is_definite(cx, form)?;
    let (equations, extended) = if is_definite {
        // B is invertible everywhere, and with it F, whose blocks are B, −Bᵀ and 0 (Theorem 6.1).
        (Strata::of_full_rank(&frame, form.b().len()), Strata::of_full_rank(&frame, size))
    } else {
        (
            Strata::of(cx, &frame, rows_of(cx, &frame, form.b(), form.a())?, extent)?,
            Strata::of(cx, &frame, rows_of(cx, &frame, alpha.matrix(), &alpha.column_a())?, extent)?,
        )
    };

    let augmented = |rank: usize, is_solvable: bool| rank + usize::from(!is_solvable);
    let bordered = |rank: usize, is_solvable: bool| rank + if is_solvable { 0 } else { 2 };
    let rank_b = equations.rank_by(cx, |rank, _| rank)?;
    let rank_ba = equations.rank_by(cx, augmented)?;
    let rank_f = extended.rank_by(cx, |rank, _| rank)?;
    let rank_fa = extended.rank_by(cx, augmented)?;
    let rank_delta = extended.rank_by(cx, |rank, is_solvable| 1 + size - augmented(rank, is_solvable))?;
    let rank_d = extended.rank_by(cx, |rank, is_solvable| 1 + size - bordered(rank, is_solvable))?;

    let semispray_everywhere = equations.nowhere(cx, "rank B < rank (B|A)", |_, is_solvable| !is_solvable)?;
    let hamilton_everywhere = extended.nowhere(cx, "rank F < rank (F|A)", |_, is_solvable| !is_solvable)?;
    let semiregular = hamilton_everywhere.clone().and(constant("Δ", &rank_delta, extended.extent));
    let rank_one =
        extended.nowhere(cx, "rank Δ > 1", |rank, is_solvable| 1 + size - augmented(rank, is_solvable) != 1)?;
    let m = form.manifold().n_coordinates();
    let regular = if s == 1 {
        semiregular.clone().and(rank_one.clone())
    } else {
        equations.nowhere(cx, "det B = 0", |rank, _| rank < m)?
    };
    let weakly_regular = (s > 1).then(|| semispray_everywhere.clone().and(constant("B", &rank_b, equations.extent)));
    let strongly_semiregular = weakly_regular.clone().map(|w| w.and(semiregular.clone()));

    Ok(Classification {
        order: s,
        size,
        rank_b,
        rank_ba,
        rank_f,
        rank_fa,
        rank_delta,
        rank_d,
        singular: regular.clone().negate(),
        regular,
        weakly_regular,
        semiregular,
        strongly_semiregular,
        rank_one,
        integrable: match is_definite {
            true => Verdict::yes("all brackets of the spanning fields vanish"),
            false => super::constraint_algorithm::is_distribution_integrable(cx, alpha, &frame, &extended.leaves)?,
        },
        variational: is_variational(cx, form),
        primary: extended.solvable(cx)?,
        primary_semispray: equations.solvable(cx)?,
        generic: frame.generic_conditions(),
    })
}

/// Larger matrices, and those of numbers, are left to elimination.
const MAX_DEFINITE: usize = 8;

/// Whether B is symmetric and definite at every point, by the signs of its leading minors under the declared facts: kinetic
/// energies with positive masses are. Elimination would have to see the same sign in its pivots, which are larger.
fn is_definite(cx: &Inquiry, form: &DynamicalForm) -> Budgeted<bool> {
    let b = form.b_matrix();
    let m = b.n_rows();
    let coordinates = form.phase_space().symbols();
    let varies = b.entries().any(|e| coordinates.iter().any(|s| e.contains(*s)));
    if !varies || m < 2 || (0..m).any(|i| b[(i, i)].is_zero()) {
        return Ok(false);
    }
    let found = cx.aside(share::COMPONENTS, || {
        let is_within_reach = m <= MAX_DEFINITE || b.without_phases(cx)?.is_some();
        Ok(is_within_reach && b.is_symmetric(cx).is_yes() && b.definite_sign(cx)?.is_some())
    })?;
    Ok(found.unwrap_or(false))
}

/// The frame of a system: its phase space, and everything that will be read.
pub(crate) fn frame_of(cx: &Inquiry, alpha: &LepageTwoForm) -> Budgeted<Frame> {
    let form = alpha.dynamical_form();
    let coordinates: Vec<Symbol> = form.phase_space().symbols();
    let functions: Vec<Expr> =
        form.a().iter().chain(form.b().iter().flatten()).chain(alpha.matrix().iter().flatten()).copied().collect();
    Frame::new(cx, &coordinates, &functions)
}

/// The system M y = −a.
pub(crate) fn rows_of(cx: &Inquiry, frame: &Frame, matrix: &[Vec<Expr>], a: &[Expr]) -> Budgeted<LinearSystem> {
    system_of(cx, frame, matrix, &a.iter().map(|a| -*a).collect::<Vec<_>>())
}

/// The cells of the solvable leaves, written as shortly as possible.
pub(crate) fn solvable_set(cx: &Inquiry, frame: &Frame, list: &[Leaf]) -> Budgeted<Vec<Cell>> {
    let cells = list.iter().filter(|leaf| leaf.is_solvable).map(|leaf| leaf.cell.clone()).collect();
    set::merged(cx, frame, cells)
}

pub(crate) fn branches(cx: &Inquiry, frame: &Frame, cells: &[Cell]) -> Budgeted<Vec<Branch>> {
    cells.iter().map(|cell| frame.branch(cx, cell)).collect()
}

/// A linear system over the whole space, by the strata on which it behaves the same.
struct Strata<'f> {
    frame: &'f Frame,
    leaves: Vec<Leaf>,
    /// With many conditions and no other cases, the elimination itself; the leaves are then a part of the open ones.
    trunk: Option<(Trunk, OnceCell<Verdict>)>,
    /// Whether the leaves fill the space.
    extent: Extent,
}

/// More strata are not told apart.
const MANY_STRATA: usize = 64;

/// So many are looked at then.
const FEW_STRATA: usize = 12;

/// Why something about all strata is not known.
pub const NOT_ALL: &str = "there are too many strata to look at all of them; at a point it is decided";

/// More conditions than this are not told apart one by one.
const MANY_CONDITIONS: usize = 3;

impl<'f> Strata<'f> {
    fn of(cx: &Inquiry, frame: &'f Frame, system: LinearSystem, extent: Extent) -> Budgeted<Strata<'f>> {
        if let Some(trunk) = trunk(cx, frame, &system)?
            && trunk.conditions.len() > MANY_CONDITIONS
        {
            // A polynomial that is not zero is not zero somewhere; the shortest is the easiest.
            let mut leaves = Vec::new();
            let shortest = trunk.conditions.iter().min_by_key(|c| (c.total_degree(), c.n_terms())).cloned();
            for cell in frame.refine(cx, &frame.everything(), &[], shortest.as_slice())? {
                let (echelon, residuals) = (trunk.echelon.clone(), trunk.conditions.clone());
                leaves.push(Leaf { cell, rank: trunk.rank, is_solvable: false, echelon, residuals });
            }
            return Ok(Strata { frame, leaves, trunk: Some((trunk, OnceCell::new())), extent: Extent::All });
        }
        let everything = frame.everything();
        let leaves = match extent {
            Extent::All => leaves_up_to(cx, frame, &system, &everything, MANY_STRATA)?,
            Extent::Few => some_leaves(cx, frame, &system, &everything, FEW_STRATA)?,
        };
        Ok(Strata { frame, leaves, trunk: None, extent })
    }

    /// A matrix that is known to be invertible everywhere.
    fn of_full_rank(frame: &'f Frame, rank: usize) -> Strata<'f> {
        let leaf = Leaf { cell: frame.everything(), rank, is_solvable: true, echelon: vec![], residuals: vec![] };
        Strata { frame, leaves: vec![leaf], trunk: None, extent: Extent::All }
    }

    /// The strata of a number that depends on rank and solvability.
    fn rank_by(&self, cx: &Inquiry, value: impl Fn(usize, bool) -> usize) -> Budgeted<Rank> {
        if self.extent == Extent::Few {
            return self.rank_on_a_few(cx, value);
        }
        let Some((trunk, has_point)) = &self.trunk else {
            let whole = self.frame.everything();
            return rank_by(cx, self.frame, &whole, &self.leaves, |leaf| value(leaf.rank, leaf.is_solvable));
        };
        let (inside, outside) = (value(trunk.rank, true), value(trunk.rank, false));
        let generic = self.frame.generic_conditions();
        let here = |strata: Vec<(Branch, usize)>, complete: Verdict| {
            let mut values: Vec<usize> = strata.iter().map(|(_, v)| *v).collect();
            values.sort_unstable();
            values.dedup();
            Ok(Rank { values, strata, complete, stopped: None, generic: generic.clone() })
        };
        if inside == outside {
            return here(vec![(Branch::everything(), inside)], Verdict::yes("no pivot of the elimination vanishes"));
        }
        let off = |c: &Polynomial| Branch { equations: vec![], nonzero: vec![self.frame.write(c)] };
        let mut strata: Vec<(Branch, usize)> = trunk.conditions.iter().map(|c| (off(c), outside)).collect();
        let occurs = has_point.get_or_init(|| self.has_solvable_point(cx, trunk));
        if !occurs.is_no() {
            strata.push((self.conditions(trunk), inside));
        }
        strata.sort_by_key(|(_, v)| *v);
        let complete = match occurs {
            Verdict::Unknown(why) => Verdict::unknown(format!("whether the value {inside} occurs: {why}")),
            _ => Verdict::yes("every stratum has a point on it"),
        };
        here(strata, complete)
    }

    /// The values that are known to be taken; whether there are others is not known.
    fn rank_on_a_few(&self, cx: &Inquiry, value: impl Fn(usize, bool) -> usize) -> Budgeted<Rank> {
        let mut strata = Vec::new();
        for leaf in &self.leaves {
            if set::is_empty(cx, self.frame, &leaf.cell)?.is_no() {
                strata.push((self.frame.branch(cx, &leaf.cell)?, value(leaf.rank, leaf.is_solvable)));
            }
        }
        strata.sort_by_key(|(_, v)| *v);
        let mut values: Vec<usize> = strata.iter().map(|(_, v)| *v).collect();
        values.dedup();
        let generic = self.frame.generic_conditions();
        Ok(Rank { values, strata, complete: Verdict::unknown(NOT_ALL), stopped: None, generic })
    }

    fn conditions(&self, trunk: &Trunk) -> Branch {
        Branch { equations: trunk.conditions.iter().map(|c| self.frame.write(c)).collect(), nonzero: vec![] }
    }

    fn has_solvable_point(&self, cx: &Inquiry, trunk: &Trunk) -> Verdict {
        if trunk.conditions.iter().any(Polynomial::is_constant) {
            return Verdict::no("a number would have to vanish");
        }
        let equations = self.conditions(trunk).equations;
        match super::certificate::real_point(cx, self.frame.coordinates(), &equations, &self.frame.domain()) {
            Some(point) => Verdict::yes(format!("it has the point {point}")),
            None => Verdict::unknown("no point was found on which all conditions hold"),
        }
    }

    /// Whether no stratum with the property, which is called `what`, has a point.
    fn nowhere(&self, cx: &Inquiry, what: &str, property: impl Fn(usize, bool) -> bool) -> Budgeted<Verdict> {
        let Some((trunk, has_point)) = &self.trunk else {
            let is_all = self.extent == Extent::All;
            let found = nowhere(cx, self.frame, &self.leaves, is_all, what, |l| property(l.rank, l.is_solvable))?;
            return Ok(if found.is_no() || is_all { found } else { Verdict::unknown(NOT_ALL) });
        };
        match (property(trunk.rank, true), property(trunk.rank, false)) {
            (false, false) => Ok(Verdict::yes(format!("there is no point with {what}"))),
            (true, true) => Ok(Verdict::no(format!("{what} everywhere"))),
            (false, true) => nowhere(cx, self.frame, &self.leaves, true, what, |l| !l.is_solvable).map(|v| match v {
                // Every leaf has the property, and these are not all points.
                Verdict::No(_) => Verdict::no(format!("{what} where a condition fails")),
                other => other,
            }),
            (true, false) => {
                let occurs = has_point.get_or_init(|| self.has_solvable_point(cx, trunk)).clone();
                Ok(match occurs.negate() {
                    Verdict::Unknown(why) => Verdict::unknown(format!("whether {what} somewhere: {why}")),
                    Verdict::No(_) => Verdict::no(format!("{what} where all conditions hold")),
                    other => other,
                })
            }
        }
    }

    /// The set on which it can be solved.
    fn solvable(&self, cx: &Inquiry) -> Budgeted<Option<Vec<Branch>>> {
        match &self.trunk {
            Some((trunk, _)) if trunk.conditions.iter().any(Polynomial::is_constant) => Ok(Some(vec![])),
            Some((trunk, _)) => Ok(Some(vec![self.conditions(trunk)])),
            None if self.extent == Extent::Few => Ok(None),
            None => branches(cx, self.frame, &solvable_set(cx, self.frame, &self.leaves)?).map(Some),
        }
    }
}

/// Whether no leaf with the property, which is called `what`, has a point. `is_all` says whether the leaves fill the space.
fn nowhere(
    cx: &Inquiry,
    frame: &Frame,
    list: &[Leaf],
    is_all: bool,
    what: &str,
    property: impl Fn(&Leaf) -> bool,
) -> Budgeted<Verdict> {
    let mut verdict = Verdict::yes(format!("there is no point with {what}"));
    let is_everywhere = is_all && list.iter().all(&property);
    for leaf in list.iter().filter(|leaf| property(leaf)) {
        let found = witness(cx, frame, &leaf.cell)?;
        let is_found = !matches!(found, Witness::Unknown(_));
        if is_found && !set::has_point_for_any_parameters(cx, frame, std::slice::from_ref(&leaf.cell))? {
            verdict = verdict.and(Verdict::unknown(format!("whether {what} somewhere depends on the parameters")));
            continue;
        }
        let here = match found {
            Witness::Point(_) | Witness::Algebraic(_) | Witness::Exists(_) if is_everywhere => {
                Verdict::no(format!("{what} everywhere"))
            }
            Witness::Point(point) => Verdict::no(format!("{what} {}", point.place())),
            Witness::Algebraic(point) => Verdict::no(format!("{what} {}", point.place(cx))),
            Witness::Exists(why) => Verdict::no(format!("{what} somewhere: {why}")),
            Witness::Unknown(why) => Verdict::unknown(format!("whether {what} somewhere: {why}")),
        };
        verdict = verdict.and(here);
        if verdict.is_no() {
            break;
        }
    }
    Ok(verdict)
}

/// Whether the rank of `what` has one value only. Values that are known to be taken refute it, whatever others there are.
fn constant(what: &str, rank: &Rank, extent: Extent) -> Verdict {
    let several = || {
        let values: Vec<String> = rank.values.iter().map(usize::to_string).collect();
        Verdict::no(format!("rank {what} takes the values {}", values.join(", ")))
    };
    match (extent, rank.values.len(), &rank.complete) {
        (Extent::All, 0 | 1, _) => Verdict::yes(format!("rank {what} is the same on every stratum")),
        (Extent::Few, 0 | 1, _) => Verdict::unknown(NOT_ALL),
        (Extent::All, _, Verdict::Unknown(why)) => Verdict::unknown(why.clone()),
        _ => several(),
    }
}

/// Used by questions that only need to know where B is singular.
pub fn singular_set(cx: &Inquiry, form: &DynamicalForm) -> Answered<Vec<Branch>> {
    let work = || -> Budgeted<Vec<Branch>> {
        let functions: Vec<Expr> = form.a().iter().chain(form.b().iter().flatten()).copied().collect();
        let frame = Frame::new(cx, &form.phase_space().symbols(), &functions)?;
        let zero = vec![Expr::zero(); form.a().len()];
        let list = leaves(cx, &frame, &rows_of(cx, &frame, form.b(), &zero)?, &frame.everything())?;
        let m = form.a().len();
        let cells = list.into_iter().filter(|leaf| leaf.rank < m).map(|leaf| leaf.cell).collect();
        branches(cx, &frame, &set::merged(cx, &frame, cells)?)
    };
    work().map_err(exhausted)
}
