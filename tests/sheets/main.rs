//! Every linear system and every ideal of the worked cases, solved and checked point by point against plain arithmetic and
//! against what SymPy and the sheets say. Where the data say nothing the outcome is at least not contradicted by a point.

mod data;

use data::{Decomposition, Place, Strata, decompose, read, solve};
use lepage::workshop::algebra::polynomial::Polynomial;
use lepage::workshop::algebra::stratum::{Cell, Frame, equal_sets};
use lepage::workshop::algebra::{Inquiry, Rational};
use lepage::workshop::budget::{Share, share};

/// For one system or ideal. All together take seconds.
const PATIENCE: Share = share::SEARCH;

/// The values of generators at a place; `None` if one of the given functions is not a generator of the frame.
fn point(cx: &Inquiry, frame: &Frame, place: &Place) -> Option<Vec<(u32, Rational)>> {
    let entry = |(e, x): &(lepage::workshop::algebra::Expr, Rational)| {
        let p = frame.read_numerator(cx, *e).ok()?;
        match p.variables() {
            [v] if p == Polynomial::variable(*v) => Some((*v, x.clone())),
            _ => None,
        }
    };
    place.iter().map(entry).collect()
}

/// Whether the point lies in the cell; `None` if something in it has no value there.
fn lies_in(cx: &Inquiry, cell: &Cell, point: &[(u32, Rational)]) -> Option<bool> {
    let at = |p: &Polynomial| p.evaluate_at(cx, point).expect("small numbers");
    let mut inside = true;
    for e in cell.equations() {
        inside &= at(e)?.is_zero();
    }
    for n in cell.nonzero() {
        inside &= !at(n)?.is_zero();
    }
    Some(inside)
}

/// Whether what was assumed of parameters and denominators holds at the point.
fn is_generic(cx: &Inquiry, frame: &Frame, point: &[(u32, Rational)]) -> bool {
    let all = frame.generic_conditions().into_iter().chain(frame.domain());
    let values =
        all.map(|e| frame.read_numerator(cx, e).expect("small").evaluate_at(cx, point).expect("small numbers"));
    values.into_iter().all(|x| x.is_some_and(|x| !x.is_zero()))
}

#[test]
fn linear_systems_of_the_sheets() {
    let cx = &Inquiry::free();
    let (systems, _) = read();
    let (mut checked, mut skipped, mut unfinished) = (0, 0, 0);
    for case in &systems {
        let solved = cx.within(PATIENCE, || solve(cx, case));
        let Strata { frame, leaves, open } = solved.unwrap_or_else(|stop| panic!("{}: {stop}", case.title));
        unfinished += usize::from(!open.is_empty());
        for (place, rank, augmented) in &case.ranks {
            let here = point(cx, &frame, place).filter(|p| is_generic(cx, &frame, p));
            let inside =
                here.and_then(|p| leaves.iter().map(|leaf| lies_in(cx, &leaf.cell, &p)).collect::<Option<Vec<bool>>>());
            let Some(inside) = inside else {
                skipped += 1;
                continue;
            };
            let here: Vec<_> = leaves.iter().zip(&inside).filter(|(_, inside)| **inside).collect();
            assert!(!here.is_empty() || !open.is_empty(), "{}: no leaf at {place:?}", case.title);
            for (leaf, _) in here {
                let expected = (*rank, rank == augmented);
                assert_eq!((leaf.rank, leaf.is_solvable), expected, "{} at {place:?}", case.title);
            }
            checked += 1;
        }
    }
    println!("{} systems, {unfinished} stopped, {checked} points, {skipped} left out", systems.len());
    assert_eq!(unfinished, 0);
    assert!(systems.len() > 380 && checked > 20 * skipped);
}

#[test]
fn ideals_of_the_sheets() {
    let cx = &Inquiry::free();
    let (_, ideals) = read();
    let (mut dimensions, mut empty, mut unions, mut unknown) = (0, 0, 0, Vec::new());
    for case in &ideals {
        let found = cx.within(PATIENCE, || decompose(cx, case));
        let found = found.unwrap_or_else(|stop| panic!("{}: {stop}", case.title));
        let Decomposition { frame, cells, dimension, is_empty } = &found;
        if let Some(expected) = case.dimension {
            assert_eq!(*dimension, Some(expected), "{}", case.title);
            dimensions += 1;
        }
        match case.is_empty {
            Some(true) => assert!(is_empty.is_yes(), "{}: {is_empty:?}", case.title),
            Some(false) => assert!(!is_empty.is_yes(), "{}: {is_empty:?}", case.title),
            None => {}
        }
        empty += usize::from(case.is_empty.is_some());
        if is_empty.is_unknown() {
            unknown.push(&case.title);
        }
        for place in &case.points {
            let Some(p) = point(cx, frame, place).filter(|p| is_generic(cx, frame, p)) else { continue };
            let inside: Option<Vec<bool>> = cells.iter().map(|cell| lies_in(cx, cell, &p)).collect();
            assert!(inside.is_none_or(|list| list.contains(&true)), "{} at {place:?}", case.title);
        }
        if let Some(union) = &case.union {
            let branches: Vec<_> = cells.iter().map(|cell| frame.branch(cx, cell).expect("small")).collect();
            let same = equal_sets(cx, &case.symbols, &branches, union).expect("small");
            assert!(same.is_yes(), "{}: {branches:?}", case.title);
            unions += 1;
        }
    }
    println!("{} ideals, {dimensions} dimensions, {empty} empty or not, {unions} unions", ideals.len());
    println!("not decided whether there is a point: {unknown:?}");
    assert!(ideals.len() > 180 && dimensions > 120 && empty > 160 && unions >= 10);
    assert!(unknown.len() * 20 <= ideals.len(), "{unknown:?}");
}
