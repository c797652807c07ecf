//! Whether a set has a real point at all, by the points of it that are nearest to another point.
//!
//! A closed set V that is not empty has a point nearest to any given a, and there the differentials of its equations
//! and of the squared distance are dependent (Seidenberg, *Ann. of Math.* 60, 1954). With c equations that cut out
//! codimension c
//!
//! ```text
//! C = V ∩ { all minors of size c + 1 of (dg₁, …, dg_c, x − a) vanish }
//! ```
//!
//! holds such a point, singular points of V included. C mostly consists of finitely many points, and these are counted exactly: V has a real
//! point if and only if C has. Inequations n ≠ 0 are equations s·n = 1 with an unknown s more.

use super::super::factor::factor;
use super::super::generator::{Generator, Kind};
use super::super::ideal::{Order, eliminate_within, groebner_within};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::count_real_roots;
use super::algebraic_point::{AlgebraicPoint, algebraic_point};
use super::basis::relations;
use super::cell::{Cell, Frame};
use super::sample::SamplePoint;
use super::tangent::{choices, determinant};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, share};

/// What the nearest points say.
pub(super) enum Nearest {
    Point(Box<AlgebraicPoint>),
    /// There is none: the set is empty.
    None,
    Unknown,
}

/// Unknowns that may occur.
const MAX_UNKNOWNS: usize = 5;

/// Looks for a point of the cell that is nearest to some point, if the equations are polynomials without parameters.
pub(super) fn nearest(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    allowed: impl Fn(u32, i32) -> bool,
) -> Budgeted<Nearest> {
    let Some(closed) = closed_set(cx, frame, cell)? else { return Ok(Nearest::Unknown) };
    let Closed { equations, unknowns, auxiliary, is_plain } = closed;
    let basis = groebner_within(cx, &equations, &Order::grevlex(&unknowns), &[], share::CRITICAL);
    let Some(dimension) = basis.dimension(cx)? else { return Ok(Nearest::Unknown) };
    if unknowns.len() - dimension != equations.len() {
        return Ok(Nearest::Unknown);
    }
    for shift in 0..2 {
        let Some(critical) = critical_points(cx, &equations, &unknowns, shift)? else { continue };
        let mut radical = critical.clone();
        for &v in &unknowns {
            let others: Vec<u32> = unknowns.iter().copied().filter(|w| *w != v).collect();
            let eliminated = eliminate_within(cx, &critical, &others, &[], share::CRITICAL);
            let Some(g) = eliminated.generators.iter().find(|g| g.variables() == [v]) else {
                return Ok(Nearest::Unknown);
            };
            if count_real_roots(cx, g, None, None)? == 0 {
                return Ok(Nearest::None);
            }
            // Without multiplicities, the ideal is that of its points (Seidenberg's lemma).
            let simple: Vec<Polynomial> = factor(cx, g).factors.into_iter().map(|(f, _)| f).collect();
            radical.push(Polynomial::product(cx, &simple)?);
        }
        if !is_plain {
            return Ok(Nearest::Unknown);
        }
        let is_fine = |v: u32, sign: i32| Some(v) == auxiliary || allowed(v, sign);
        let Some(mut point) = algebraic_point(cx, &radical, &[], &SamplePoint::default(), is_fine)? else {
            return Ok(Nearest::Unknown);
        };
        point.rational.values.retain(|(v, _)| Some(*v) != auxiliary);
        point.roots.retain(|(v, _)| Some(*v) != auxiliary);
        return Ok(Nearest::Point(Box::new(point)));
    }
    Ok(Nearest::Unknown)
}

/// The set with its inequations as equations.
struct Closed {
    equations: Vec<Polynomial>,
    unknowns: Vec<u32>,
    /// The unknown that stands for the inequations.
    auxiliary: Option<u32>,
    /// Whether every unknown is a coordinate, so that a zero is a point.
    is_plain: bool,
}

fn closed_set(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Option<Closed>> {
    let mut equations = cell.generators(cx, frame)?;
    let avoid: Vec<Polynomial> = cell.nonzero().iter().cloned().chain(frame.domain_polynomials()).collect();
    let in_play: Vec<Polynomial> = equations.iter().chain(&avoid).cloned().collect();
    equations.extend(relations(&in_play));
    let is_symbol = |v: &u32| matches!(Generator(*v).kind(), Kind::Symbol(_));
    let is_allowed = |v: &u32| match Generator(*v).kind() {
        Kind::Symbol(_) | Kind::Sine(_) | Kind::Cosine(_) | Kind::Root { .. } => !frame.is_constant(*v),
        _ => false,
    };
    let mut unknowns: Vec<u32> = in_play.iter().chain(&equations).flat_map(|p| p.variables().iter().copied()).collect();
    unknowns.sort_unstable();
    unknowns.dedup();
    if !unknowns.iter().all(is_allowed) || unknowns.is_empty() {
        return Ok(None);
    }
    let is_plain = unknowns.iter().all(is_symbol);
    let mut auxiliary = None;
    if !avoid.is_empty() {
        let s = unknowns.last().map_or(0, |v| v + 1);
        auxiliary = Some(s);
        equations.push(&Polynomial::product(cx, &avoid)?.mul(cx, &Polynomial::variable(s))? - &Polynomial::one());
        unknowns.push(s);
    }
    Ok((unknowns.len() <= MAX_UNKNOWNS).then_some(Closed { equations, unknowns, auxiliary, is_plain }))
}

/// Equations of the critical points of the distance from a fixed point; `None` if there are infinitely many.
fn critical_points(
    cx: &Inquiry,
    equations: &[Polynomial],
    unknowns: &[u32],
    shift: usize,
) -> Budgeted<Option<Vec<Polynomial>>> {
    // Any point in general position will do.
    let places = [(1, 3), (-2, 5), (3, 7), (-5, 11), (7, 13), (2, 17), (-4, 19)];
    let mut rows: Vec<Vec<Polynomial>> =
        equations.iter().map(|g| unknowns.iter().map(|v| g.derivative(*v)).collect()).collect();
    let distance = |(i, v): (usize, &u32)| {
        let (n, d) = places[(i + 3 * shift) % places.len()];
        &Polynomial::variable(*v) - &Polynomial::constant(Rational::ratio(n, d))
    };
    rows.push(unknowns.iter().enumerate().map(distance).collect());
    let mut all = equations.to_vec();
    for columns in choices(unknowns.len(), rows.len()) {
        all.push(determinant(cx, &rows, &columns)?);
    }
    let basis = groebner_within(cx, &all, &Order::grevlex(unknowns), &[], share::CRITICAL);
    let is_finite = basis.complete && (basis.is_proper() == Some(false) || basis.dimension(cx)? == Some(0));
    Ok(is_finite.then_some(basis.generators))
}
