//! Things that go wrong in constraint algorithms, each as a small system whose answer is derived by hand in the
//! comment. docs/theory/odes.md §9.3, and singular systems of the literature.

use super::cases::{Stage, assert_verdict};
use super::classify::classify;
use super::constraint_algorithm::{Dynamics, Problem, SystemDynamics, dynamics, union_contains_point};
use super::dynamical_form::DynamicalForm;
use super::lepage_class::lepage;
use crate::algebra::Inquiry;
use crate::algebra::stratum::{Branch, equal_sets};
use crate::algebra::{Expr, Symbol};
use crate::budget::Share;
use rustc_hash::FxHashMap;

fn solve(cx: &Inquiry, form: &DynamicalForm) -> SystemDynamics {
    dynamics(cx, &lepage(cx, form).expect("decided")).expect("within the budget")
}

/// Whether the final set is the union of the given ones, each `equations ; … | nonzero ; …`.
fn assert_final(cx: &Inquiry, stage: &mut Stage, form: &DynamicalForm, found: &Dynamics, expected: &[&'static str]) {
    assert_sets(cx, stage, form, &found.final_set(), expected);
    assert!(found.complete.is_yes(), "{:?}", found.undecided);
}

fn assert_sets(cx: &Inquiry, stage: &mut Stage, form: &DynamicalForm, found: &[Branch], expected: &[&'static str]) {
    let entries = |t: &'static str| t.split(';').map(str::trim).filter(|e| !e.is_empty()).collect::<Vec<&str>>();
    let mut read = |text: &'static str| -> Branch {
        let (equations, nonzero) = text.split_once('|').unwrap_or((text, ""));
        stage.branch(&entries(equations), &entries(nonzero))
    };
    let expected: Vec<Branch> = expected.iter().map(|text| read(text)).collect();
    let space = form.phase_space().symbols();
    let verdict = equal_sets(cx, &space, found, &expected).expect("within the budget");
    assert!(verdict.is_yes(), "{verdict}: found {}, expected {}", show(found), show(&expected));
}

fn show(list: &[Branch]) -> String {
    let text = |b: &Branch| {
        let equations = b.equations.iter().map(|e| format!("{e} = 0"));
        let nonzero = b.nonzero.iter().map(|e| format!("{e} != 0"));
        format!("{{ {} }}", equations.chain(nonzero).collect::<Vec<_>>().join("; "))
    };
    list.iter().map(text).collect::<Vec<_>>().join(" ∪ ")
}

/// E = q q″ + q′ − 1. P = {q ≠ 0} ∪ {q = 0, q′ = 1}. Nothing is tangent to the second stratum, yet q = t + c passes
/// through it, inside the hyperplane q′ = 1, on which q q″ = 0 is solved by q″ = 0 everywhere.
#[test]
fn a_primary_set_that_is_not_locally_closed() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q"]);
    let form = stage.equations(cx, &["q*q_2 + q_1 - 1"]);
    let found = solve(cx, &form).proper;
    assert_sets(cx, &mut stage, &form, &found.primary, &["|q", "q; q_1 - 1"]);
    assert_final(cx, &mut stage, &form, &found, &["|q", "q_1 - 1"]);
    assert_verdict(&found.secondary, false, "the same set as P");
}

/// E = q q″ + q′² − 1 = 0: P = {q ≠ 0} ∪ {q = 0, q′ = ±1}. (q²/2)″ = 1, so q² = t² + at + b; q = ±t passes through q = 0
/// with q′ = ±1, inside the invariant hyperplanes q′ = ±1.
#[test]
fn two_invariant_hyperplanes_through_the_boundary() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q"]);
    let form = stage.equations(cx, &["q*q_2 + q_1^2 - 1"]);
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["|q", "q_1 - 1", "q_1 + 1"]);
}

/// E = q q″ + q: P is everything, for A = q vanishes with B = q. Where q ≠ 0, q″ = −1; the stratum q = 0 has free
/// accelerations at each point, and motions that stay on it are q = 0 only.
#[test]
fn rank_jumps_inside_a_final_branch_are_listed() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q"]);
    let form = stage.equations(cx, &["q*q_2 + q"]);
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &[""]);
    assert_eq!(found.branches.len(), 1);
    let branch = &found.branches[0];
    assert_eq!(branch.rank.values, [1, 2]);
    assert_verdict(&branch.determined, true, "generically");
    assert_eq!(branch.jumps.len(), 1);
    assert_sets(cx, &mut stage, &form, &[branch.jumps[0].branch.clone()], &["q; q_1"]);
}

/// L = q²q′²/2: P is everything but rank B jumps, so the system is not weakly regular
/// (docs/theory/odes.md §7).
#[test]
fn everything_is_primary_without_weak_regularity() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q"]);
    let form = stage.lagrangian(cx, "q^2*q_1^2/2").dynamical_form(cx).expect("decided");
    let c = classify(cx, &lepage(cx, &form).expect("decided")).expect("within the budget");
    assert_verdict(&c.weakly_regular.clone().expect("s = 2"), false, "weakly regular");
    assert_eq!(c.rank_b.values, [0, 1]);
    assert_sets(cx, &mut stage, &form, c.primary_semispray.as_deref().expect("few strata"), &[""]);
}

/// The multiplier of x² − 3y² = 0: two real hyperplanes although the polynomial is irreducible over ℚ. On x = ±√3 y the
/// acceleration condition gives (with E_x = −x″ + 2xz, E_y = −y″ − 6yz): √3(−6yz) = 2√3 y z, so 8√3 yz = 0.
#[test]
fn real_factors_over_a_quadratic_extension() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let form = stage.lagrangian(cx, "(x_1^2 + y_1^2)/2 + z*(x^2 - 3*y^2)").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form);
    assert_eq!(found.extended.primary.len(), 2);
    assert_sets(cx, &mut stage, &form, &found.extended.primary, &["x^2 - 3*y^2"]);
    // z = 0 on each line and then z′ = 0; or x = y = 0 and then x′ = y′ = 0 with z free.
    assert_final(
        cx,
        &mut stage,
        &form,
        &found.proper,
        &["x^2 - 3*y^2; x*x_1 - 3*y*y_1; x*y_1 - y*x_1; x_1^2 - 3*y_1^2; z; z_1", "x; y; x_1; y_1"],
    );
}

/// Time-dependent constraint: L = x′²/2 + y(x − t). E = (y − x″, x − t): x = t, x′ = 1, y = 0, y′ = 0. Forgetting ∂g/∂t
/// would give x′ = 0.
#[test]
fn tangency_knows_time() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y"]);
    let form = stage.lagrangian(cx, "x_1^2/2 + y*(x - t)").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form);
    assert_final(cx, &mut stage, &form, &found.extended, &["x - t; x_1 - 1; y"]);
    assert_final(cx, &mut stage, &form, &found.proper, &["x - t; x_1 - 1; y; y_1"]);
}

/// sin q = 0 is kept as one branch: L = q′²/2 + z sin q. E = (−q″ + z cos q, sin q): q = kπ, q′ = 0, z = 0, z′ = 0.
#[test]
fn a_discrete_family_is_one_branch() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q", "z"]);
    let form = stage.lagrangian(cx, "q_1^2/2 + z*sin(q)").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["sin(q); q_1; z; z_1"]);
    assert_eq!(found.branches.len(), 1);
    assert_eq!(found.branches[0].dim, 1);
    let pi = Expr::pi();
    let at: FxHashMap<Symbol, Expr> = ["q", "z", "q_1", "z_1"]
        .iter()
        .map(|name| (stage.symbol(name), if *name == "q" { 3 * pi } else { Expr::zero() }))
        .collect();
    assert_verdict(&union_contains_point(cx, &found.final_set(), &at), true, "q = 3π");
}

/// An unspecified potential: L = x′²/2 − V(x) + z y, with E_y = z, E_z = y: y = z = 0 and V arbitrary.
#[test]
fn unspecified_functions_are_generators() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let form = stage.lagrangian(cx, "x_1^2/2 - V(x) + z*y").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["y; z; y_1; z_1"]);
    assert_verdict(&found.branches[0].determined, true, "determined");
    // L = x′²/2 + z V(x): x on a zero of V; V′(x) x′ = 0 splits into x′ = 0 or V′ = 0.
    let form = stage.lagrangian(cx, "x_1^2/2 + z*V(x)").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).extended;
    assert!(!found.branches.is_empty());
}

/// Parameters: E = (−m x″ + k y, k x): generic k ≠ 0 gives x = 0, x′ = 0, y = 0, y′ = 0, with the condition stated.
#[test]
fn generic_parameters_are_said_to_be() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y"]);
    stage.parameter("m");
    stage.parameter("k");
    let form = stage.lagrangian(cx, "m*x_1^2/2 + k*x*y").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["x; y; x_1; y_1"]);
    assert!(!found.generic.is_empty());
}

/// Contradictory equations: E = (x″, 1 + x²): no real point satisfies the second.
#[test]
fn contradictory_equations_have_no_dynamics() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y"]);
    let form = stage.equations(cx, &["x_2", "1 + x^2"]);
    let found = solve(cx, &form);
    assert_verdict(&found.proper.empty, true, "no motion");
    assert!(found.proper.primary.is_empty());
}

/// Cawley, Phys. Rev. Lett. 42 (1979) 413: L = ẋż + yz²/2. E = (−z″, z²/2, yz − x″): z² = 0 means z = 0, then z′ = 0, and
/// x″ = 0 with y free.
#[test]
fn cawley() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let form = stage.lagrangian(cx, "x_1*z_1 + y*z^2/2").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["z; z_1"]);
    assert_eq!(found.branches[0].free, 1);
    let accelerations = &found.branches[0].accelerations;
    assert!(accelerations[1].1.is_none() && accelerations[0].1.is_some() && accelerations[2].1.is_some());
}

/// Christ and Lee, Phys. Rev. D 22 (1980) 939, with V = 0: L = ((x′ + yz)² + (y′ − xz)²)/2. With u = x′ + yz, v = y′ − xz:
/// E_z = yu − xv must vanish; its derivative is then a consequence of the other two equations, and z stays free.
#[test]
fn christ_and_lee() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let form = stage.lagrangian(cx, "((x_1 + y*z)^2 + (y_1 - x*z)^2)/2").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form);
    assert_sets(cx, &mut stage, &form, &found.proper.primary, &["y*x_1 - x*y_1 + (x^2 + y^2)*z"]);
    assert_final(cx, &mut stage, &form, &found.proper, &["y*x_1 - x*y_1 + (x^2 + y^2)*z", "x; y; x_1; y_1"]);
    let gauge = found.proper.branches.iter().map(|b| b.free).min();
    assert_eq!(gauge, Some(1));
}

/// A particle on a conic ax² + by² = 1 with its multiplier, a and b known to be positive: three rounds as for the circle.
#[test]
fn particle_on_a_conic() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let (a, b) = (stage.parameter("a"), stage.parameter("b"));
    let cx = &cx.assuming([a, b].map(|e| (e, crate::algebra::assume::Sign::POSITIVE))).expect("possible");
    let form = stage.lagrangian(cx, "(x_1^2 + y_1^2)/2 + z*(a*x^2 + b*y^2 - 1)").dynamical_form(cx).expect("decided");
    let found = solve(cx, &form).extended;
    assert_final(
        cx,
        &mut stage,
        &form,
        &found,
        &["a*x^2 + b*y^2 - 1; a*x*x_1 + b*y*y_1; a*x_1^2 + b*y_1^2 + 2*z*(a^2*x^2 + b^2*y^2)"],
    );
}

/// Second-order Lagrangian with a multiplier: L = q″²/2 + z q′. E = (q⁗ − z′, q′): q′ = 0 to all orders, z′ = 0. True order 4.
#[test]
fn higher_order_multiplier() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["q", "z"]);
    let form = stage.lagrangian(cx, "q_2^2/2 + z*q_1").dynamical_form(cx).expect("decided");
    assert_eq!(form.order(), 4);
    let found = solve(cx, &form).proper;
    assert_final(cx, &mut stage, &form, &found, &["q_1; q_2; q_3; z_1; z_2; z_3"]);
    assert_verdict(&found.branches[0].determined, true, "determined");
}

/// A budget that ends on the way: refused with `budget`, or an answer that says that it was cut off and calls nothing
/// complete. Never an answer that looks whole.
#[test]
fn a_cut_off_says_so() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y", "z"]);
    let form =
        stage.lagrangian(cx, "(x_1^2 + y_1^2)/2 + z*(x^2 + 3*x*y^2 + y^3 - 1)").dynamical_form(cx).expect("decided");
    let alpha = lepage(cx, &form).expect("decided");
    for limit in [0, 1_000, 30_000, 1_000_000] {
        match cx.within(Share::of(limit), || super::constraint_algorithm::run(cx, &alpha, Problem::Proper)) {
            Err(why) => assert_eq!(why.code.name, "budget"),
            Ok(found) if found.stopped.is_some() => {
                assert_eq!(found.kind(), "cut_off");
                assert!(found.complete.is_unknown() && !found.empty.is_yes());
            }
            Ok(found) => assert_eq!(found.kind(), "motion"),
        }
    }
}

/// x″ = 1 on x = 0: the equations hold somewhere, but nothing moves. x² + 1 = 0: they hold nowhere.
#[test]
fn no_motion_is_not_contradiction() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&["x", "y"]);
    let form = stage.equations(cx, &["x_2 - 1", "x"]);
    assert_eq!(solve(cx, &form).proper.kind(), "no_motion");
    let form = stage.equations(cx, &["x_2", "x^2 + 1"]);
    assert_eq!(solve(cx, &form).proper.kind(), "contradictory");
}
