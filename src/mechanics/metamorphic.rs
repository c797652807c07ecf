//! The constraint algorithm must not know its examples: a random invertible change of coordinates, an added total
//! derivative, further regular coordinates and renamed variables carry each singular system to one whose answer is
//! the transformed answer.

use super::constraint_algorithm::{Dynamics, dynamics};
use super::dynamical_form::DynamicalForm;
use super::jet;
use super::lagrangian::Lagrangian;
use super::lepage_class::closed_representative;
use crate::algebra::Inquiry;
use crate::algebra::stratum::{Branch, equal_sets};
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
use rustc_hash::FxHashMap;

/// Singular Lagrangians of the worked cases and of the literature, in q1, q2, … with q1_1 for q1′.
const SYSTEMS: [(&[&str], &str); 9] = [
    (&["q1", "q2"], "(q1_1^2 + q1^2*q2)/2"),
    (&["q1", "q2", "q3"], "q1_1*q3_1 + q2^2*q3/2"),
    (&["q1", "q2", "q3"], "(q1_1^2+q2_1^2)/2 + q3*(q1^2+q2^2-1)"),
    (&["q1", "q2"], "(q1_1-q2)^2/2"),
    (&["q1", "q2", "q3"], "q1_1^2/2 + q2*q3_1 - (q2^2+q3^2)/2"),
    (&["q1", "q2", "q3"], "q1*q2_1 + q1*q3"),
    (&["q1", "q2", "q3"], "(q1_1^2+q2_1^2)/2 + q3*(q1^2+q2^2)"),
    (&["q1", "q2"], "q1_1^2/2 + q2"),
    (&["q1", "q2"], "q1_2^2/2 + q1*q2^2/2"),
];

struct Outcome {
    form: DynamicalForm,
    extended: Dynamics,
    proper: Dynamics,
}

fn outcome(cx: &Inquiry, lagrangian: &Lagrangian) -> Outcome {
    let form = lagrangian.dynamical_form(cx).expect("decided");
    let found = dynamics(cx, &closed_representative(cx, &form)).expect("within the budget");
    Outcome { form, extended: found.extended, proper: found.proper }
}

/// The answer `found` must be `original` with the jets replaced as `map` says, every branch with `more` dimensions.
fn assert_transformed(cx: &Inquiry, original: &Outcome, found: &Outcome, map: &FxHashMap<Symbol, Expr>, more: usize) {
    let space = found.form.phase_space().symbols();
    for (a, b) in [(&original.extended, &found.extended), (&original.proper, &found.proper)] {
        assert!(b.complete.is_yes(), "{:?}", b.undecided);
        let carried = |list: &[Branch]| -> Vec<Branch> {
            let image = |list: &[Expr]| list.iter().map(|e| substitute(*e, map)).collect();
            list.iter().map(|x| Branch { equations: image(&x.equations), nonzero: image(&x.nonzero) }).collect()
        };
        let same = |x: &[Branch], y: &[Branch]| equal_sets(cx, &space, x, y).expect("within the budget").is_yes();
        assert!(same(&carried(&a.primary), &b.primary), "primary set");
        assert!(same(&carried(&a.final_set()), &b.final_set()), "final set");
        assert_eq!(a.branches.len(), b.branches.len());
        for x in &a.branches {
            let image = carried(std::slice::from_ref(&x.branch));
            let y = b.branches.iter().find(|y| same(&image, std::slice::from_ref(&y.branch)));
            let y = y.unwrap_or_else(|| panic!("the branch {:?} is missing", x.branch));
            assert_eq!(x.dim + more, y.dim);
            assert_eq!(x.rank.values, y.rank.values);
            assert_eq!(x.integrable.word(), y.integrable.word());
            assert_eq!(x.determined.word(), y.determined.word());
        }
    }
}

fn read(cx: &Inquiry, names: &[&str], text: &str) -> Lagrangian {
    super::cases::Stage::new(names).lagrangian(cx, text)
}

/// q_i = ± Q_i + a polynomial in the Q_j with j < i: invertible, and its inverse is of the same kind.
fn triangular_change(m: usize, seed: u64) -> (FiberedManifold, Vec<Expr>) {
    let mut state = seed;
    let mut roll = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let coordinates: Vec<Coordinate> = (1..=m).map(|i| Coordinate::declare(&format!("Q{i}"), false)).collect();
    let y = FiberedManifold::new("Z", Symbol::base("t"), &coordinates);
    let q = |i: usize| Expr::symbol(jet(&y, i, 0));
    let images = (0..m)
        .map(|i| {
            let mut image = q(i) * if roll(2) == 0 { 1 } else { -2 };
            if i > 0 {
                let j = roll(i as u64) as usize;
                let c = roll(3) as i64 + 1;
                image = image + c * if roll(2) == 0 { q(j) } else { q(j).pow(2) };
            }
            image
        })
        .collect();
    (y, images)
}

#[test]
fn changes_of_coordinates_carry_the_answer_along() {
    let cx = &Inquiry::free();
    for (n, (names, text)) in SYSTEMS.iter().enumerate() {
        let original = read(cx, names, text);
        let before = outcome(cx, &original);
        let m = names.len();
        let (y, images) = triangular_change(m, 17 + n as u64);
        let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
        map.insert(original.manifold().base(), Expr::symbol(y.base()));
        for (sigma, image) in images.iter().enumerate() {
            for k in 0..=before.form.order() {
                map.insert(jet(original.manifold(), sigma, k), total_derivatives(cx, *image, k));
            }
        }
        let l = substitute(original.function(), &map);
        let after = outcome(cx, &Lagrangian::new(cx, &y, l).expect("decided"));
        assert_transformed(cx, &before, &after, &map, 0);
    }
}

#[test]
fn total_derivatives_change_nothing() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        let original = read(cx, names, text);
        let y = original.manifold();
        let q = |i: usize| Expr::symbol(jet(y, i, 0));
        let f = q(0).pow(2) * q(1) + Expr::symbol(y.base()) * q(1) + q(0);
        let changed = original.with_function(cx, original.function() + total_derivative(cx, f)).expect("decided");
        assert_transformed(cx, &outcome(cx, &original), &outcome(cx, &changed), &FxHashMap::default(), 0);
    }
}

#[test]
fn regular_coordinates_are_added_to_every_branch() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        let original = read(cx, names, text);
        let before = outcome(cx, &original);
        let s = before.form.order();
        if s == 1 {
            // A second-order oscillator would raise the order of the whole system.
            continue;
        }
        let y = original.manifold();
        let mut coordinates: Vec<Coordinate> = y.fibres().iter().map(|f| f.coordinate).collect();
        coordinates.insert(1, Coordinate::declare("z", false));
        let bigger = FiberedManifold::new("YZ", y.base(), &coordinates);
        let z = |k: u32| Expr::symbol(jet(&bigger, 1, k));
        let l = original.function() + z(s / 2).pow(2) - z(0).pow(2);
        let after = outcome(cx, &Lagrangian::new(cx, &bigger, l).expect("decided"));
        assert_transformed(cx, &before, &after, &FxHashMap::default(), s as usize);
    }
}

#[test]
fn names_and_their_order_do_not_matter() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        let original = read(cx, names, text);
        let before = outcome(cx, &original);
        let y = original.manifold();
        let m = names.len();
        let coordinates: Vec<Coordinate> = (0..m).map(|i| Coordinate::declare(&format!("w{}", m - i), false)).collect();
        let renamed = FiberedManifold::new("W", Symbol::base("T"), &coordinates);
        let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
        map.insert(y.base(), Expr::symbol(renamed.base()));
        for sigma in 0..m {
            for k in 0..=before.form.order() {
                map.insert(jet(y, sigma, k), Expr::symbol(jet(&renamed, m - 1 - sigma, k)));
            }
        }
        let after =
            outcome(cx, &Lagrangian::new(cx, &renamed, substitute(original.function(), &map)).expect("decided"));
        assert_transformed(cx, &before, &after, &map, 0);
    }
}
