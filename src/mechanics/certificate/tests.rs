//! A finished answer is changed in one place, and the certificate has to object.

use super::*;
use crate::mechanics::cases::Stage;
use crate::mechanics::constraint_algorithm::{Dynamics, dynamics};
use crate::mechanics::lepage_class::closed_representative;

/// Singular Lagrangians in q1, q2, … with q1_1 for q1′.
const SYSTEMS: [(&[&str], &str); 6] = [
    (&["q1", "q2", "q3"], "(q1_1^2+q2_1^2)/2 + q3*(q1^2+q2^2-1)"),
    (&["q1", "q2"], "(q1_1-q2)^2/2 - q1^2/2"),
    (&["q1", "q2", "q3"], "(q1_1^2 + q2_1^2)/2 + q3*q1*q2"),
    (&["q1", "q2", "q3"], "q1_1^2/2 + q2*q3_1 - (q2^2+q3^2)/2 - q1^3"),
    (&["q1", "q2", "q3"], "(cos(q3)*q1_1 + sin(q3)*q2_1)^2/2 + q1*q2"),
    (&["q1", "q2"], "q1_2^2/2 + q1*q2^2/2"),
];

/// The representative and its answer for one problem.
fn answer(cx: &Inquiry, names: &[&str], text: &str, problem: Problem) -> (LepageTwoForm, Dynamics) {
    let form = Stage::new(names).lagrangian(cx, text).dynamical_form(cx).expect("decided");
    let alpha = closed_representative(cx, &form);
    let found = dynamics(cx, &alpha).expect("within the budget");
    (alpha, if problem == Problem::Proper { found.proper } else { found.extended })
}

/// Changes every branch of every answer in turn, and asserts that each change is seen.
fn assert_seen(what: &str, change: impl Fn(&mut DynamicBranch) -> bool) {
    let cx = &Inquiry::free();
    let mut changed = 0;
    for (names, text) in SYSTEMS {
        for problem in [Problem::Proper, Problem::Extended] {
            let (alpha, found) = answer(cx, names, text, problem);
            for i in 0..found.branches.len() {
                if found.branches[i].certificate.outcome != Outcome::Passed {
                    continue;
                }
                let mut wrong = found.clone();
                if !change(&mut wrong.branches[i]) {
                    continue;
                }
                changed += 1;
                let judged = certified(cx, &alpha, wrong, u64::MAX);
                let word = judged.complete.to_string();
                assert!(judged.complete.is_unknown(), "{what}, branch {} of {text}, {problem:?}: {word}", i + 1);
                assert!(word.contains("the certificate of"), "{word}");
            }
        }
    }
    assert!(changed >= 6, "{what}: {changed} answers were changed");
}

#[test]
fn the_answers_themselves_pass() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        for problem in [Problem::Proper, Problem::Extended] {
            let (_, found) = answer(cx, names, text, problem);
            for b in &found.branches {
                assert_eq!(b.certificate.outcome, Outcome::Passed, "{text}, {problem:?}");
            }
            assert!(!matches!(found.coverage.outcome, Outcome::Failed(_)), "{:?}", found.coverage);
        }
    }
}

#[test]
fn a_sign_in_a_field() {
    assert_seen("a sign", |b| {
        let top = b.accelerations.iter().any(|(_, e)| e.is_some_and(|e| !e.is_zero()));
        let last = b.fields[0].components().into_iter().rev().find(|(_, e)| !e.is_number());
        let Some((s, e)) = last.filter(|_| top) else { return false };
        let twice = VectorField::new([(s, e + e)]);
        b.fields[0] = &b.fields[0] - &twice;
        true
    });
}

#[test]
fn a_component_added_to_a_field() {
    assert_seen("a component", |b| {
        let Some(s) = b.space().symbols().pop() else { return false };
        let last = b.fields.len() - 1;
        let more = VectorField::new([(s, Expr::symbol(b.space().symbols()[1]) + Expr::one())]);
        // Where the direction is free anyway nothing is wrong.
        if b.fields.iter().skip(1).any(|x| !x.component(s).is_zero()) {
            return false;
        }
        b.fields[last] = &b.fields[last] - &more;
        true
    });
}

#[test]
fn an_equation_dropped() {
    assert_seen("an equation dropped", |b| b.branch.equations.pop().is_some());
}

#[test]
fn an_equation_squared() {
    assert_seen("an equation squared", |b| {
        let Some(e) = b.branch.equations.pop() else { return false };
        b.branch.equations.push(e.pow(2));
        true
    });
}

#[test]
fn another_number_of_free_functions() {
    assert_seen("free + 1", |b| {
        b.free += 1;
        true
    });
}

#[test]
fn another_rank() {
    assert_seen("rank + 1", |b| {
        b.rank.values.iter_mut().for_each(|n| *n += 1);
        true
    });
    assert_seen("the rank of a stratum", |b| {
        b.rank.strata.iter_mut().for_each(|(_, n)| *n += 1);
        !b.rank.strata.is_empty()
    });
}

#[test]
fn another_dimension() {
    assert_seen("dim + 1", |b| {
        b.dim += 1;
        true
    });
    assert_seen("dim − 1", |b| {
        b.dim -= 1;
        true
    });
}

/// A free direction that is left out, with the numbers changed accordingly: only the count of formal motions sees it.
#[test]
fn a_field_dropped() {
    assert_seen("a field dropped", |b| {
        if b.free == 0 || b.rank.values.len() > 1 {
            return false;
        }
        b.fields.pop();
        b.free -= 1;
        b.forms.clear();
        b.rank.values = vec![b.free + 1];
        b.rank.strata.iter_mut().for_each(|(_, n)| *n -= 1);
        true
    });
}

#[test]
fn a_branch_dropped() {
    let cx = &Inquiry::free();
    for (names, text) in SYSTEMS {
        let (alpha, found) = answer(cx, names, text, Problem::Proper);
        for i in 0..found.branches.len() {
            let mut wrong = found.clone();
            wrong.branches.remove(i);
            let judged = certified(cx, &alpha, wrong, u64::MAX);
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
