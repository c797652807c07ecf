//! Unions of cells as sets of real points: difference, containment, equality, and a short way to write them.

use super::super::polynomial::Polynomial;
use super::super::verdict::Verdict;
use super::cell::{Cell, Frame};
use super::critical::{Nearest, nearest};
use super::regular::{Regularity, regularity};
use super::sample::{Witness, is_allowed, sample_point, witness};
use super::taken::is_out_of_range;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, share};

/// a ∖ b, as disjoint cells: where some equation of b fails, or all hold and some inequation fails.
pub fn difference(cx: &Inquiry, frame: &Frame, a: &Cell, b: &Cell) -> Budgeted<Vec<Cell>> {
    if is_plainly_within(cx, frame, a, b)? {
        return Ok(vec![]);
    }
    let mut pieces = Vec::new();
    let equations = b.generators(cx, frame)?;
    let equations = equations.as_slice();
    for (i, g) in equations.iter().enumerate() {
        pieces.extend(frame.refine(cx, a, &equations[..i], std::slice::from_ref(g))?);
    }
    for (i, n) in b.nonzero().iter().enumerate() {
        let with: Vec<Polynomial> = equations.iter().chain([n]).cloned().collect();
        pieces.extend(frame.refine(cx, a, &with, &b.nonzero()[..i])?);
    }
    Ok(pieces)
}

/// Whether a ⊆ b is seen from the ideals alone: the equations of b hold on a, and its inequations are among those of a.
fn is_plainly_within(cx: &Inquiry, frame: &Frame, a: &Cell, b: &Cell) -> Budgeted<bool> {
    Ok(b.nonzero().iter().all(|n| a.nonzero().contains(n)) && a.basis.contains_all(cx, frame, b.equations())?)
}

/// a ∖ (b₁ ∪ b₂ ∪ …).
pub fn difference_from_all(cx: &Inquiry, frame: &Frame, a: &Cell, others: &[Cell]) -> Budgeted<Vec<Cell>> {
    for b in others {
        if is_plainly_within(cx, frame, a, b)? {
            return Ok(vec![]);
        }
    }
    let mut pieces = vec![a.clone()];
    for b in others {
        cx.check()?;
        let mut rest = Vec::new();
        for piece in &pieces {
            rest.extend(difference(cx, frame, piece, b)?);
        }
        pieces = rest;
        if pieces.is_empty() {
            break;
        }
    }
    Ok(pieces)
}

/// Whether the cell has no real point. SPLIT has removed what it could show to be empty; of what is left a point is
/// looked for, and if none is found the points nearest to another point decide where they can.
pub fn is_empty(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Verdict> {
    let found = witness(cx, frame, cell)?;
    if let Witness::Unknown(_) = found {
        match cx.aside(share::NEAREST, || nearest(cx, frame, cell, |x, y| is_allowed(cx, x, y)))? {
            Some(Nearest::Point(point)) => return Ok(Verdict::no(format!("it has a point {}", point.place(cx)))),
            Some(Nearest::None) => return Ok(Verdict::yes("no real point of it is nearest to a given one")),
            Some(Nearest::Unknown) | None => {}
        }
        if is_out_of_range(cx, cell.equations())? {
            return Ok(Verdict::yes("a function never takes the value that it has to have"));
        }
    }
    Ok(match found {
        Witness::Point(point) => Verdict::no(format!("it has a point {}", point.place())),
        Witness::Algebraic(point) => Verdict::no(format!("it has a point {}", point.place(cx))),
        Witness::Exists(why) => Verdict::no(why),
        Witness::Unknown(why) => Verdict::unknown(why),
    })
}

/// Whether the union is empty.
pub fn is_union_empty(cx: &Inquiry, frame: &Frame, cells: &[Cell]) -> Budgeted<Verdict> {
    let mut verdict = Verdict::yes("every piece of it is contradictory");
    for cell in cells {
        verdict = verdict.and(is_empty(cx, frame, cell)?);
        if verdict.is_no() {
            break;
        }
    }
    Ok(verdict)
}

/// Whether one of the cells is known to have a point whatever the parameters are: x² + y² = a has one for some of them only.
pub fn has_point_for_all_parameters(cx: &Inquiry, frame: &Frame, cells: &[Cell]) -> Budgeted<bool> {
    for cell in cells {
        if !frame.has_parameters([cell]) {
            if is_empty(cx, frame, cell)?.is_no() {
                return Ok(true);
            }
            continue;
        }
        if let Regularity::Regular { .. } = regularity(cx, frame, cell)? {
            return Ok(true);
        }
        let Some(point) = sample_point(cx, frame, cell)? else { continue };
        let values: Vec<_> = point.values.into_iter().filter(|(v, _)| !frame.is_constant(*v)).collect();
        let mut does = true;
        for e in cell.equations() {
            does = does && e.evaluate(cx, &values)?.is_zero();
        }
        for n in cell.nonzero() {
            does = does && !n.evaluate(cx, &values)?.is_zero();
        }
        if does {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same of cells that are known to have a point; false also if it was not found out.
pub fn has_point_for_any_parameters(cx: &Inquiry, frame: &Frame, cells: &[Cell]) -> Budgeted<bool> {
    if !frame.has_parameters(cells) {
        return Ok(true);
    }
    Ok(cx.aside(share::SIDE, || has_point_for_all_parameters(cx, frame, cells))?.unwrap_or(false))
}

/// Whether ∪left ⊆ ∪right.
pub fn is_subset(cx: &Inquiry, frame: &Frame, left: &[Cell], right: &[Cell]) -> Budgeted<Verdict> {
    let mut verdict = Verdict::yes("nothing of it lies outside");
    for a in left {
        let rest = difference_from_all(cx, frame, a, right)?;
        verdict = verdict.and(is_union_empty(cx, frame, &rest)?);
        if verdict.is_no() {
            break;
        }
    }
    Ok(verdict)
}

/// Whether the unions are the same set of real points.
pub fn equals(cx: &Inquiry, frame: &Frame, left: &[Cell], right: &[Cell]) -> Budgeted<Verdict> {
    let there = is_subset(cx, frame, left, right)?;
    if there.is_no() {
        return Ok(there);
    }
    Ok(there.and(is_subset(cx, frame, right, left)?))
}

/// Whether the cell lies in the union, as far as can be shown.
pub fn is_within(cx: &Inquiry, frame: &Frame, cell: &Cell, others: &[Cell]) -> Budgeted<bool> {
    Ok(difference_from_all(cx, frame, cell, others)?.is_empty())
}

/// The union written shorter: inequations that others make up for are dropped, and cells that lie in the
/// union of the others.
pub fn merged(cx: &Inquiry, frame: &Frame, cells: Vec<Cell>) -> Budgeted<Vec<Cell>> {
    let mut cells = cells;
    cells.dedup();
    let mut i = 0;
    while i < cells.len() {
        let mut k = 0;
        while k < cells[i].nonzero.len() {
            cx.check()?;
            // What the inequation keeps out of this cell, if all of it is in the union anyway.
            let mut wider = cells[i].clone();
            let n = wider.nonzero.remove(k);
            let outside = frame.refine(cx, &wider, &[n], &[])?;
            let mut covered = true;
            for piece in &outside {
                if !is_within(cx, frame, piece, &cells)? {
                    covered = false;
                    break;
                }
            }
            if covered {
                cells[i] = wider;
            } else {
                k += 1;
            }
        }
        i += 1;
    }
    maximal(cx, frame, cells)
}

/// Without the cells that lie in the union of the others.
pub fn maximal(cx: &Inquiry, frame: &Frame, cells: Vec<Cell>) -> Budgeted<Vec<Cell>> {
    let mut cells = cells;
    let mut i = 0;
    // Large equations sets are small sets of points: look at those first.
    cells.sort_by_key(|c| std::cmp::Reverse((c.equations().len(), c.nonzero().len())));
    while i < cells.len() {
        let others: Vec<Cell> = cells.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, c)| c.clone()).collect();
        if !others.is_empty() && is_within(cx, frame, &cells[i], &others)? {
            cells.remove(i);
        } else {
            i += 1;
        }
    }
    cells.reverse();
    Ok(cells)
}
