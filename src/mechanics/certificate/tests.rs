//! A finished answer is changed in one place, and the certificate has to object.

use super::*;
use crate::budget::share;
use crate::mechanics::cases::Stage;
use crate::mechanics::constraint_algorithm::{Dynamics, dynamics};
use crate::mechanics::lepage_class::closed_representative;

/// Singular Lagrangians in q1, q2, … with q1_1 for q1′.
const SYSTEMS: [(&[&str], &str); 6] = [
    (&["q1", "q2", "q3"], "(q1_1^2+q2_1^2)/2 + q3*(q1^2+q2^2-1)"),
    (&["q1", "q2"], "(q1_1-q2)^2/2 - q1^2/2"),
    (&["q1", "q2", "q3"], "(q1_1^2 + q2_1^2)/2 + q3*q1*q2"),
    (&["q1", "q2", "q3"], "q1_1^2/2 + q2*q3_1 - (q2^2+q3^2)/2 - q1^3"),
    (&["q1", "q2", "q3"], "q1_1^2/2 + q2_1*sin(q1) + q3*q2"),
    (&["q1", "q2"], "q1_2^2/2 + q1*q2^2/2"),
];

/// The representative and its answer for one problem.
fn answer(cx: &Inquiry, names: &[&str], text: &str, problem: Problem) -> (LepageTwoForm, Dynamics) {
    let form = Stage::new(names).lagrangian(cx, text).dynamical_form(cx).expect("decided");
    let alpha = closed_representative(cx, &form);
    let found = dynamics(cx, &alpha).expect("within the budget");
    (alpha, if problem == Problem::Proper { found.proper } else { found.extended })
}

/// Something that is changed in a branch; false if there is nothing to change.
type Change = fn(&mut DynamicBranch) -> bool;

const CHANGES: [(&str, Change); 11] = [
    ("a sign in a field", |b| {
        let has_force = b.accelerations.iter().any(|(_, e)| e.is_some_and(|e| !e.is_zero()));
        let last = b.fields[0].components().into_iter().rev().find(|(_, e)| !e.is_number());
        let Some((s, e)) = last.filter(|_| has_force) else { return false };
        b.fields[0] = &b.fields[0] - &VectorField::new([(s, e + e)]);
        true
    }),
    ("a component added to a field", |b| {
        let Some(s) = b.space().symbols().pop() else { return false };
        // Where the direction is free anyway nothing is wrong.
        if b.fields.iter().skip(1).any(|x| !x.component(s).is_zero()) {
            return false;
        }
        let (time, last) = (Expr::symbol(b.space().symbols()[0]), b.fields.len() - 1);
        b.fields[last] = &b.fields[last] - &VectorField::new([(s, time.pow(2) + 1)]);
        true
    }),
    ("an equation dropped", |b| needs_all_equations(b) && b.branch.equations.pop().is_some()),
    ("another equation dropped", |b| {
        let any = needs_all_equations(b) && b.branch.equations.len() > 1;
        any.then(|| b.branch.equations.remove(0)).is_some()
    }),
    ("an equation squared", |b| {
        let last = if needs_all_equations(b) { b.branch.equations.pop() } else { None };
        b.branch.equations.extend(last.map(|e| e.pow(2)));
        last.is_some()
    }),
    ("one more free function", |b| {
        b.free += 1;
        true
    }),
    ("a larger rank", |b| {
        b.rank.values.iter_mut().for_each(|n| *n += 1);
        true
    }),
    ("a larger rank on a stratum", |b| {
        b.rank.strata.iter_mut().for_each(|(_, n)| *n += 1);
        !b.rank.strata.is_empty()
    }),
    ("a larger dimension", |b| {
        b.dim += 1;
        true
    }),
    ("a smaller dimension", |b| {
        b.dim -= 1;
        true
    }),
    // With all numbers changed accordingly: only the count of formal motions sees it.
    ("a free direction left out", |b| {
        if b.free == 0 || b.rank.values.len() > 1 {
            return false;
        }
        b.fields.pop();
        b.free -= 1;
        b.forms.clear();
        b.rank.values = vec![b.free + 1];
        b.rank.strata.iter_mut().for_each(|(_, n)| *n -= 1);
        true
    }),
];

/// Whether no equation of a branch follows from the others.
fn needs_all_equations(b: &DynamicBranch) -> bool {
    b.branch.equations.len() + b.dim == b.space().symbols().len()
}

#[test]
fn the_answers_pass_and_what_is_changed_fails() {
    let cx = &Inquiry::free();
    let mut made = [0; CHANGES.len()];
    for (names, text) in SYSTEMS {
        for problem in [Problem::Proper, Problem::Extended] {
            let (alpha, found) = answer(cx, names, text, problem);
            assert!(!matches!(found.coverage.outcome, Outcome::Failed(_)), "{text}: {:?}", found.coverage);
            for (i, b) in found.branches.iter().enumerate() {
                assert_eq!(b.certificate.outcome, Outcome::Passed, "branch {} of {text}, {problem:?}", i + 1);
                for ((what, change), made) in CHANGES.iter().zip(&mut made) {
                    let mut wrong = found.clone();
                    if !change(&mut wrong.branches[i]) {
                        continue;
                    }
                    *made += 1;
                    let judged = certified(cx, &alpha, wrong, share::UNBOUNDED);
                    let verdict = judged.complete.to_string();
                    let is_seen = judged.complete.is_unknown() && verdict.contains("the certificate of");
                    let seen = judged.branches.get(i).map(|b| &b.certificate);
                    assert!(is_seen, "{what}, branch {} of {text}, {problem:?}: {verdict}, {seen:?}", i + 1);
                }
            }
        }
    }
    assert!(made.iter().all(|n| *n >= 3), "how often each change was made: {made:?}");
}

/// Points of the branch that is missing are found by solving the equations of motion.
#[test]
fn a_branch_that_is_missing_is_noticed() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        let (alpha, found) = answer(cx, names, text, Problem::Proper);
        for i in 0..found.branches.len() {
            let mut wrong = found.clone();
            wrong.branches.remove(i);
            let judged = certified(cx, &alpha, wrong, share::UNBOUNDED);
            assert!(judged.complete.is_unknown(), "branch {} of {text}: {:?}", i + 1, judged.coverage);
        }
    }
}

/// Answers that were wrong, and called complete. Dimension and free functions of the right branches, by hand:
/// E_x − E_y = 2x(x + y) and x² = 0 leave the origin (the first two); u = cos h x′ + sin h y′ = 0, or h′ = 0 and w = 0;
/// x − sin x = 0 at x = 0 only, with e free; sums of squares with positive coefficients vanish where each square does.
#[test]
fn no_wrong_answer_is_complete() {
    type Shape = &'static [(usize, usize)];
    let known: [(&[&str], &str, Shape); 8] = [
        (&["x", "y"], "x^2*(x+y) + (x+y)^2", &[(1, 0)]),
        (
            &["x", "y", "z"],
            "2*x^2 - x*y^2 + 2*x*y*z + 4*x*y - x*z^2 - 8*x*z - y^3 + 4*y^2*z - 5*y*z^2 - 8*y*z + 2*z^3 + 8*z^2",
            &[(1, 0)],
        ),
        (&["x", "y", "h"], "(cos(h)*x_1 + sin(h)*y_1)^2/2", &[(5, 0), (6, 2)]),
        (&["x", "y", "e"], "x_1^2/2 + y_1^2/2 + e*(x - sin(x))", &[(5, 1)]),
        (&["x", "y", "e"], "(x_1^2 + (2 + sin(x))*y_1^2)/(2*e)", &[(5, 1)]),
        (&["x", "y", "e"], "x_1^2/2 + y_1^2/2 + e*(x^4 + y^4 - x^2*y^2)", &[(3, 1)]),
        (&["x", "y", "e"], "x_1^2/2 + y_1^2/2 + e*(x^2 - 2*x*cos(y) + 1)", &[(3, 1)]),
        (&["x", "y", "e"], "(x_1^2 + (1 + abs(x))*y_1^2)/(2*e)", &[(5, 1)]),
    ];
    let cx = &Inquiry::free();
    for (names, text, right) in known {
        let (_, found) = answer(cx, names, text, Problem::Proper);
        let mut shape: Vec<(usize, usize)> = found.branches.iter().map(|b| (b.dim, b.free)).collect();
        shape.sort_unstable();
        assert!(!found.complete.is_yes() || shape == right, "{text}: {shape:?}, {}", found.complete);
    }
}
