//! Motion from end to end: `.mech` programs that simulate, each with its assertions in the language. Expected values are
//! closed forms, or those of `tests/oracle/motion.py`.

use lepage::diagnostic::render::{MessageFormat, Renderer};
use lepage::session::{Mode, Outcome, Session, SessionOptions, Status};
use std::path::{Path, PathBuf};
use std::process::Command;

fn feed(session: &mut Session, name: &str, program: &str) -> Vec<Outcome> {
    session.feed(name, program, Mode::File)
}

fn told(session: &Session, outcomes: &[Outcome]) -> String {
    let mut renderer = Renderer::new(session.sources(), MessageFormat::Human, false);
    outcomes.iter().map(|o| renderer.render_all(&o.diagnostics)).collect()
}

/// Every statement of the program holds.
fn check_with(options: SessionOptions, program: &str) -> Session {
    let mut session = Session::new(options);
    let outcomes = feed(&mut session, "motion.mech", program);
    assert!(outcomes.iter().all(Outcome::held), "{}", told(&session, &outcomes));
    session
}

fn check(program: &str) -> Session {
    check_with(SessionOptions::default(), program)
}

/// The last statement is refused with this code; what it says contains the words, and nothing was compiled.
fn refused(program: &str, code: &str, words: &[&str]) {
    let session = refused_in_the_end(program, code, words);
    assert_eq!(session.n_compilations(), 0, "everything is checked before anything is compiled");
}

/// The same, where only the compiled field can tell.
fn refused_in_the_end(program: &str, code: &str, words: &[&str]) -> Session {
    let mut session = Session::new(SessionOptions::default());
    let outcomes = feed(&mut session, "motion.mech", program);
    let text = told(&session, &outcomes);
    let refused: Vec<&Outcome> = outcomes.iter().filter(|o| o.status == Status::Refused).collect();
    assert_eq!(refused.len(), 1, "one refusal is expected:\n{text}");
    let found = refused[0].diagnostics.iter().find(|d| d.is_error()).expect("an error");
    assert_eq!(found.code.name, code, "{text}");
    assert!(!found.labels.is_empty(), "a place is shown:\n{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in\n{text}");
    }
    session
}

/// A folder for the files of one test, removed afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lepage-motion-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const OSCILLATOR: &str = "manifold Y over t { x }\nparam k = 1\nlagrangian L on J1(Y) = x'^2/2 - k*x^2/2\n";

// ----- systems with a determined motion --------------------------------------------------------------

/// Semi-major axis 1 and GM = 1: the period is 2π whatever the eccentricity.
#[test]
fn kepler_orbits_close_after_their_period() {
    check(
        "manifold Y over t { x, y }
         param e = 1/2
         lagrangian L on J1(Y) = (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)
         let run = simulate L {
             from x = 1 - e, y' = sqrt((1 + e)/(1 - e))
             until t = 10
             tolerance 1e-12
             record x, y, E = energy(L), J = x*y' - y*x'
             stop when y = 0 rising
         }
         assert run is event
         assert run.end = 2*pi within 1e-9
         assert run.last = { x = 1/2, y = 0, x' = 0, y' = sqrt(3) } within 1e-9
         assert run.E = -1/2 within 1e-10
         assert run.J = sqrt(3)/2 within 1e-10
         assert run.x.min = -1.5 within 1e-2
         // Another eccentricity is another value, not another derivation.
         let rounder = simulate L { set e = 1/10; from x = 1 - e, y' = sqrt((1 + e)/(1 - e)); until t = 2*pi }
         assert rounder.x.last = 9/10 within 1e-7",
    );
}

/// θ(t) = 2 asin(k cd(t, k)), k = sin 1.
#[test]
fn pendulum_swings_as_the_elliptic_functions_say() {
    for method in ["taylor", "dop853"] {
        check(&format!(
            "manifold Q over t {{ theta : angle }}
             param g = 1, l = 1
             lagrangian L on J1(Q) = l^2*theta'^2/2 + g*l*cos(theta)
             let run = simulate L {{ from theta = 2; until t = 20; method {method}; tolerance 1e-12; record theta every 1 }}
             assert run.theta.last = -1.6445675165127079 within 1e-9
             assert (run at {{ t = 5 }}).theta = -1.6841244365668094 within 1e-9
             assert (run at 1).theta = 1.5327275060382534 within 1e-9
             let turn = simulate L {{ from theta = 2; until t = 20; tolerance 1e-12; stop when theta' = 0 falling }}
             assert turn.end = 8.349752926918495 within 1e-8"
        ));
    }
}

/// x⁗ + (a² + b²) x″ + a²b² x = 0 has cos at and sin bt among its solutions.
#[test]
fn pais_uhlenbeck_follows_its_closed_form() {
    check(
        "manifold Y over t { x }
         param a = 1, b = 2
         lagrangian L on J2(Y) = (x''^2 - (a^2 + b^2)*x'^2 + a^2*b^2*x^2)/2
         let run = simulate L {
             from x = 1, x' = 1, x'' = -1, jet(x, 3) = -4
             until t = 3
             tolerance 1e-12
             record x, x'', s = jet(x, 4), five = jet(x, 5), E = energy(L), p = momenta(L).x
         }
         assert run.x.last = cos(3) + sin(6)/2 within 1e-10
         assert run.x''.last = -cos(3) - 2*sin(6) within 1e-10
         assert run.s.last = cos(3) + 8*sin(6) within 1e-9
         assert run.five.last = -sin(3) + 16*cos(6) within 1e-9
         assert run.E = run.E.first within 1e-10
         let canonical = simulate hamilton(L) { from x = 1, x' = 1, x'' = -1, jet(x, 3) = -4; until t = 3; tolerance 1e-12; record x, x'' }
         assert canonical.x.last = run.x.last within 1e-10
         assert canonical.x''.last = run.x''.last within 1e-10",
    );
}

#[test]
fn hamilton_and_lagrange_agree() {
    check(
        "manifold Y over t { q1 : angle, q2 : angle }
         param m = 2
         lagrangian L on J1(Y) = q1'^2 + m*q2'^2/4 + q1'*q2'*cos(q1 - q2) + 9.81*(2*cos(q1) + cos(q2))
         let a = simulate L { from q1 = 1, q2 = 1/2, q1' = 1/3; until t = 2; tolerance 1e-12; record q1, q2, p_q1, E = energy(L) every 1/10 }
         let start = a.first
         let b = simulate hamilton(L) {
             from q1 = 1, q2 = 1/2, p_q1 = 2/3, p_q2 = cos(1/2)/3
             until t = 2
             tolerance 1e-12
             record q1, q2, p_q1, E = energy(L), v = q1' every 1/10
         }
         // Velocities may be given instead of momenta.
         let c = simulate hamilton(L) { from q1 = 1, q2 = 1/2, q1' = 1/3; until t = 2; tolerance 1e-12 }
         let d = simulate hamilton(L) { from start; until t = 2; tolerance 1e-12 }
         assert c.last = { q1 = b.q1.last, p_q1 = b.p_q1.last } within 1e-9
         assert d.p_q1.last = a.p_q1.last within 1e-9
         assert a.q1 = b.q1 within 1e-9
         assert a.p_q1 = b.p_q1 within 1e-9
         assert a.E = b.E within 1e-9
         assert a.q1' = b.v within 1e-9
         assert (a - b).max < 1e-9
         assert b.E = b.E.first within 1e-10",
    );
}

/// x″ = −y and x + y = 0: on x + y = 0, x′ + y′ = 0 the motion is x = cosh t.
#[test]
fn singular_system_moves_on_its_final_submanifold() {
    check(
        "manifold Y over t { x, y }
         lagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2
         let run = simulate L { from x = 1, y = -1; until t = 1; record x, y, y', y'' }
         assert run.x.last = cosh(1) within 1e-9
         assert run.y'.last = -sinh(1) within 1e-9
         assert run.y''.last = -cosh(1) within 1e-9
         let named = simulate L { from x = 1; until t = 1; branch dynamics(L).branches[1] }
         assert run.last = named.last within 1e-12",
    );
}

/// Orders may differ: x″ = y with y′ = −x is of third order altogether.
#[test]
fn equations_of_mixed_order_run() {
    check(
        "manifold Y over t { x, y }
         equations M on J2(Y) { x: -x'' + y; y: -y' - x }
         let run = simulate M { from x = 1, y = -1, x' = 1/2, y' = -1; until t = 1; tolerance 1e-12; record r = x'' - y, s = y' + x, third = jet(x, 3) + x }
         assert run.r = 0 within 1e-10
         assert run.s = 0 within 1e-10
         assert run.third = 0 within 1e-10
         equations O on J1(Y) { x: -x' + y; y: -y' - x }
         let circle = simulate O { from x = 1; until t = pi; record x, x', y' }
         assert circle.last = { x = -1, y = 0 } within 1e-8
         form E : dynamical 2-form on J2(Y) = (-x'' - x)*dx /\\ dt + (-y'' - 4*y)*dy /\\ dt
         let two = simulate E { from x = 1, y = 1; until t = pi }
         assert two.last = { x = -1, y = 1 } within 1e-8",
    );
}

#[test]
fn an_equation_that_is_not_affine_is_run_on_its_branch() {
    check(
        "manifold Y over t { x }
         equations Q on J2(Y) { x: x''^2 - 1 }
         let up = simulate Q { from x'' = 1; until t = 2 }
         let down = simulate Q { from x'' = -1; until t = 2 }
         assert up.last = { x = 2, x' = 2 } within 1e-10
         assert down.last = { x = -2, x' = -2 } within 1e-10",
    );
}

// ----- refusals, before anything runs ------------------------------------------------------------------

#[test]
fn inconsistent_states_are_refused_with_residuals_and_a_repair() {
    let system = "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2\n";
    refused(
        &format!("{system}simulate L {{ from x = 1, y = 1; until t = 1 }}"),
        "off_constraint",
        &["x + y = 0 is violated", "the left side is 2", "from x = 0, y = 0"],
    );
    refused(
        &format!(
            "{system}simulate L {{ from x = 1, y = -1, x' = 1, y' = 1; until t = 1; branch dynamics(L).branches[1] }}"
        ),
        "off_constraint",
        &["x' + y' = 0 is violated"],
    );
    refused(
        &format!("{system}simulate L {{ from x = 1; until t = 1; branch x }}"),
        "wrong_kind",
        &["dynamics(S).branches"],
    );
}

#[test]
fn undetermined_motions_are_refused_naming_what_is_free() {
    let y = "manifold Y over t { x, y }\n";
    refused(
        &format!("{y}lagrangian L on J1(Y) = (x' - y)^2/2\nsimulate L {{ from x = 1; until t = 1 }}"),
        "not_determined",
        &["one function of time is free: y''"],
    );
    refused(
        &format!("{y}lagrangian L on J1(Y) = (x' + y')^2/2\nsimulate L {{ from x = 1; until t = 1 }}"),
        "not_determined",
        &["free"],
    );
    refused(&format!("{y}lagrangian L on J1(Y) = x + y\nsimulate L {{ until t = 1 }}"), "no_motion", &["no motion"]);
    refused_in_the_end(
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x*x'^2/2 - x\nsimulate L { from x' = 1; until t = 1 }",
        "no_motion",
        &["this initial state"],
    );
}

#[test]
fn bad_clauses_are_refused() {
    let cases = [
        ("from x = 1; until t = 1; method eulr", "bad_option", "there is no method `eulr`"),
        ("from x = 1; until t = 1; method tsit", "bad_option", "did you mean `tsit5`?"),
        ("from x = 1; until t = 1; method variational", "bad_option", "add `step 1/100`"),
        ("from x = 1; until t = 1; method variational(simpson); step 1/100", "bad_option", "does not take this"),
        ("from x = 1; until t = 1; method rk4", "bad_option", "add `step 1/100`"),
        ("from x = 1; until t = 1; method taylor(3)", "no_effect", "takes no argument"),
        ("from x = 1; until t = 1; tolerance 0", "bad_option", "a tolerance is a positive number"),
        ("from x = 1; until t = 1; tolerance rel 0, abs 1", "bad_option", "a tolerance is a positive number"),
        ("from x = 1; until t = 1; tolerance 2", "bad_option", "between 0 and 1"),
        ("from x = 1; until t = 1; tolerance 1e-9, x'' = 1", "no_effect", "not a state"),
        ("from x = 1", "no_end", "add `until t = 10`"),
        ("from x = 1; until x = 3", "no_end", "not the time"),
        ("from x = 1; until t = a", "missing_parameter", "`a` has no value"),
        ("from x = a; until t = 1", "missing_parameter", "`a` has no value"),
        ("from x = 1, x = 2; until t = 1", "declared_twice", "given twice"),
        ("from x'' = 1; until t = 1", "no_effect", "the states are x, x'"),
        ("from x = 1; until t = 1; set x = 3", "no_effect", "not a parameter"),
        ("from x = 1; until t = 1; record x, x", "declared_twice", "recorded twice"),
        ("from x = 1; until t = 1; record x every 0", "bad_option", "positive"),
        (
            "from x = 1; until t = 1; record x every 1/10; record x' every 1/5",
            "declared_twice",
            "`every` is given twice",
        ),
        ("from x = 1; until t = 1; record a*x", "missing_parameter", "a value is missing for `a`"),
        ("from x = 1; until t = 1; record F(x)", "missing_parameter", "`F` has no body"),
        ("from x = 1; until t = 1; record lambda_1", "missing_parameter", "no value along this motion"),
        ("from x = 1; until t = 1; stop when x > 1", "bad_option", "rising"),
        ("from x = 1; until t = 1; step 0", "bad_option", "a step is a positive number"),
        ("from x = 1; until t = 1; branch 3", "wrong_kind", "branch"),
    ];
    for (clauses, code, words) in cases {
        refused(&format!("{OSCILLATOR}param a\nfunction F(x)\nsimulate L {{ {clauses} }}"), code, &[words]);
    }
    refused(
        "manifold Y over t { x }\nparam m\nlagrangian L on J1(Y) = m*x'^2/2\nsimulate L { from x' = 1; until t = 1 }",
        "missing_parameter",
        &["add `set m = …`"],
    );
    refused(
        "manifold Y over t { x }\nfunction V(x)\nlagrangian L on J1(Y) = x'^2/2 - V(x)\nsimulate L { until t = 1 }",
        "missing_parameter",
        &["the function `V` has no body", "set V(x)"],
    );
}

// ----- tolerances, directions, events ----------------------------------------------------------------

#[test]
fn tolerances_are_relative_absolute_and_scaled() {
    check(&format!(
        "{OSCILLATOR}
         let loose = simulate L {{ from x = 1; until t = 10; method dop853; tolerance rel 1e-4, abs 1e-6 }}
         let tight = simulate L {{ from x = 1; until t = 10; method dop853; tolerance rel 1e-12, abs 1e-14 }}
         let scaled = simulate L {{ from x = 1; until t = 10; method dop853; tolerance rel 1e-12, abs 1e-14, x = 1e9, x' = 1e9 }}
         assert loose.steps < tight.steps
         assert scaled.steps < tight.steps
         assert tight.x.last = cos(10) within 1e-11"
    ));
}

#[test]
fn runs_go_backwards() {
    check(&format!(
        "{OSCILLATOR}
         let there = simulate L {{ from x = 1, x' = 1/2; until t = 7; tolerance 1e-12 }}
         let back = simulate L {{ from there.last; until t = 0; tolerance 1e-12; record x, E = energy(L) every 1/2 }}
         assert back.last = {{ t = 0, x = 1, x' = 1/2 }} within 1e-9
         assert (back at {{ t = 3 }}).x = (there at {{ t = 3 }}).x within 1e-9
         let early = simulate L {{ from t = 5, x = cos(5), x' = -sin(5); until t = -1; stop when x = 0 rising }}
         // Rising is meant along the run.
         assert early.end = pi/2 within 1e-9"
    ));
}

#[test]
fn events_stop_runs_in_their_direction() {
    check(&format!(
        "{OSCILLATOR}
         let falling = simulate L {{ from x = 1; until t = 10; tolerance 1e-12; stop when x = 0 falling }}
         let rising = simulate L {{ from x = 1; until t = 10; tolerance 1e-12; stop when x = 0 rising }}
         let either = simulate L {{ from x = 1; until t = 10; tolerance 1e-12; stop when x = 1/2 }}
         let never = simulate L {{ from x = 1; until t = 10; stop when x = 2 }}
         let fast = simulate L {{ from x = 1; until t = 10; tolerance 1e-12; stop when x'' = 1/2 rising }}
         assert falling.end = pi/2 within 1e-10
         assert rising.end = 3*pi/2 within 1e-10
         assert either.end = pi/3 within 1e-10
         assert fast.end = 2*pi/3 within 1e-10
         assert falling is event
         assert never is reached
         assert falling is not reached
         assert falling.last = {{ x = 0, x' = -1 }} within 1e-9"
    ));
}

/// The angle passes 1 at t = 1, again at 1 + 2π; the states count on.
#[test]
fn angles_are_unwrapped_in_states_and_counted_modulo_a_turn_in_events() {
    check(
        "manifold Q over t { phi : angle, psi : angle }
         lagrangian L on J1(Q) = phi'^2/2 + psi'^2/2
         let free = simulate L { from phi' = 1; until t = 20 }
         assert free.phi.last = 20 within 1e-9
         let first = simulate L { from phi' = 1; until t = 20; stop when phi = 1 }
         assert first.end = 1 within 1e-10
         let later = simulate L { from phi = 2, phi' = 1; until t = 20; stop when phi = 1 rising }
         assert later.end = 2*pi - 1 within 1e-10
         assert later.phi.last = 2*pi + 1 within 1e-10
         let meet = simulate L { from phi = 1, phi' = 3, psi' = 1; until t = 20; stop when phi - psi = 0 }
         assert meet.end = (2*pi - 1)/2 within 1e-10",
    );
}

// ----- every run ends with a reason -------------------------------------------------------------------

#[test]
fn runs_say_why_they_end() {
    check(
        "manifold Y over t { x }
         lagrangian B on J1(Y) = x'^2/2 + 2*x^3
         let blow = simulate B { from x = 1, x' = 2; until t = 2 }
         assert blow is blow_up
         assert blow.end = 1 within 1e-3
         lagrangian S on J1(Y) = x'^2/2 - 2*sqrt(x)
         let edge = simulate S { from x = 1; until t = 9 }
         assert edge is singular_point
         assert edge.end = 4/3 within 1e-6
         assert edge.x.last = 0 within 1e-9
         equations R on J1(Y) { x: -x' - 1/x }
         let stuck = simulate R { from x = 1; until t = 1 }
         assert stuck is singular_point
         assert stuck.end = 1/2 within 1e-6
         let steep = simulate B { from x = 1; until t = 1/10 }
         assert steep is reached",
    );
}

#[test]
fn the_failed_expression_is_named() {
    let mut session = Session::new(SessionOptions::default());
    let outcomes = feed(
        &mut session,
        "motion.mech",
        "manifold Y over t { x }\nlagrangian S on J1(Y) = x'^2/2 - 2*sqrt(x)\nsimulate S { from x = 1; until t = 9 }",
    );
    let run = outcomes.last().expect("a run");
    assert_eq!(run.status, Status::Ok);
    let warning = run.diagnostics.iter().find(|d| d.code.name == "run_stopped").expect("a warning");
    assert!(
        warning.title.contains("x^-0.5 has no real value") || warning.title.contains("sqrt(x)"),
        "{}",
        warning.title
    );
    assert!(warning.notes[0].contains("x = "), "{:?}", warning.notes);
    let json = run.answer.as_ref().expect("an answer").json();
    assert_eq!(json["reason"], "singular point");
    assert!(json["failed"]["expression"].as_str().is_some_and(|e| e.contains('x')), "{json}");
    assert!(json["last"]["x"].is_number() && json["end"].is_number());
    assert!(!json.to_string().contains("null"), "no number is missing: {json}");
}

#[test]
fn a_budget_leaves_what_was_computed() {
    let mut session = Session::new(SessionOptions { work: Some(10_000_000), ..SessionOptions::default() });
    let program = format!(
        "{OSCILLATOR}let run = simulate L {{ from x = 1; until t = 1e12; method rk4; step 1e-3; record x every 1e6 }}\n"
    );
    feed(&mut session, "motion.mech", &program);
    let outcomes = feed(&mut session, "then.mech", "assert run is budget\nassert run.end > 0\nassert run.x.max < 1.1");
    assert!(outcomes.iter().all(Outcome::held), "{}", told(&session, &outcomes));
}

/// Ctrl-C stops the run, what was computed is kept and saved, and the program goes on.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_kept() {
    let folder = Folder::new("interrupt");
    let program = folder.write(
        "long.mech",
        &format!("{OSCILLATOR}1 + 1\nlet run = simulate L {{ from x = 1; until t = 1e12; method rk4; step 1e-3; record x every 1 }}\nsave run to \"long.csv\"\nassert run is interrupted\n"),
    );
    let child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .arg("run")
        .arg(&program)
        .arg("--out")
        .arg(&folder.0)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("lepage starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{talk}");
    assert!(talk.contains("interrupted"), "{talk}");
    let table = std::fs::read_to_string(folder.0.join("long.csv")).expect("what was computed");
    assert!(table.lines().count() > 3, "{table}");
}

// ----- inputs -----------------------------------------------------------------------------------------

#[test]
fn forces_may_depend_on_time_and_be_given_by_bodies() {
    check(
        "manifold Y over t { x }
         function F(t) = 6*t
         function V(x)
         equations E on J2(Y) { x: -x'' + F(t) }
         let run = simulate E { until t = 2; tolerance 1e-12 }
         assert run.x.last = 8 within 1e-10
         let other = simulate E { set F(s) = 12*s^2; until t = 2; tolerance 1e-12 }
         assert other.x.last = 16 within 1e-10
         lagrangian L on J1(Y) = x'^2/2 - V(x)
         let spring = simulate L { set V(u) = u^2/2; from x = 1; until t = pi; tolerance 1e-12; record x, E = x'^2/2 + V(x) }
         assert spring.x.last = -1 within 1e-10
         assert spring.E = 1/2 within 1e-10",
    );
}

/// The spline through points of a cubic is the cubic: x″ = t³ from rest gives x = t⁵/20.
#[test]
fn forces_may_be_given_by_tables() {
    let folder = Folder::new("table");
    let rows: String = (0..=20).map(|i| i as f64 / 10.0).map(|t| format!("{t},{}\n", t * t * t)).collect();
    folder.write("force.csv", &format!("t,F\n{rows}"));
    let program = "manifold Y over t { x }
         function F(t) from \"force.csv\"
         function H(t) from \"force.csv\" with hold
         function G(t) from \"force.csv\" with extrapolate
         equations E on J2(Y) { x: -x'' + F(t) }
         equations K on J2(Y) { x: -x'' + H(t) }
         equations X on J2(Y) { x: -x'' + G(t) }
         let run = simulate E { until t = 2; tolerance 1e-12 }
         assert run is reached
         assert run.x.last = 8/5 within 1e-9
         let beyond = simulate E { until t = 3 }
         assert beyond is singular_point
         assert beyond.end = 2 within 1e-3
         let held = simulate K { until t = 3; tolerance 1e-12 }
         assert held.x.last = 8/5 + 4 + 4 within 1e-8
         let further = simulate X { until t = 3; tolerance 1e-12 }
         assert further.x.last = 243/20 within 1e-8\n";
    let path = folder.write("driven.mech", program);
    let mut session = Session::new(SessionOptions::default());
    let outcomes = feed(&mut session, &path.to_string_lossy(), program);
    assert!(outcomes.iter().all(Outcome::held), "{}", told(&session, &outcomes));
    assert!(told(&session, &outcomes).contains("outside the range"), "{}", told(&session, &outcomes));
}

/// x″ = −sign x from x = 1 at rest: parabolas of duration √2, period 4√2.
#[test]
fn kinks_and_jumps_are_met_exactly() {
    check(
        "manifold Y over t { x }
         equations E on J2(Y) { x: -x'' - sign(x) }
         let run = simulate E { from x = 1; until t = 4*sqrt(2); tolerance 1e-11 }
         assert run.last = { x = 1, x' = 0 } within 1e-8
         equations P on J2(Y) { x: -x'' - piecewise(x > 0, 1, 4)*x }
         let half = simulate P { from x = 1; until t = 3*pi/2; tolerance 1e-11 }
         assert half.last = { x = 1, x' = 0 } within 1e-8
         equations A on J2(Y) { x: -x'' - abs(x) }
         let away = simulate A { from x' = 1; until t = pi; tolerance 1e-11 }
         assert away.last = { x = 0, x' = -1 } within 1e-8",
    );
}

// ----- compiled once -----------------------------------------------------------------------------------

#[test]
fn a_second_run_neither_derives_nor_compiles() {
    let mut session = Session::new(SessionOptions::default());
    let mut run = |text: &str| {
        let outcomes = feed(&mut session, "motion.mech", text);
        assert!(outcomes.iter().all(Outcome::held), "{}", told(&session, &outcomes));
        session.n_compilations()
    };
    run(OSCILLATOR);
    let first = run("let a = simulate L { from x = 1; until t = 1; record x, E = energy(L) }");
    assert!(first > 0);
    let second = run(
        "let b = simulate L { set k = 9; from x = 2, x' = 1; until t = 2; tolerance 1e-9; record x, E = energy(L) }",
    );
    assert_eq!(first, second, "another parameter, state, end and tolerance");
    let third = run("let c = simulate L { from x = 1; until t = 1; record x' }");
    assert_eq!(third, second + 1, "only what is recorded is new");
    let fourth = run("test \"inside a test\" { let d = simulate L { set k = 4; from x = 1; until t = 1; record x' } }");
    assert_eq!(fourth, third);
    let fifth = run("let e = simulate L { from x = 1; until t = 1; method taylor }");
    let sixth = run("let f = simulate L { set k = 2; from x = 2; until t = 3; method taylor }");
    assert!(fifth > fourth && sixth == fifth, "Taylor recurrences are made once");
}

/// A sign changes through a pole without a zero: tan(x) = 0 at pi and not at pi/2, 1/(x - 107/100) = 0 nowhere, and it is
/// 20000 at 107/100 + 1/20000, beside the pole. x = t, by every kind of dense output, in machine code and by the interpreter.
#[test]
fn a_pole_of_a_watched_function_is_no_event() {
    let options = |jit| SessionOptions { jit, ..SessionOptions::default() };
    let runs =
        [("dop853", ""), ("rk4", "step 1/10;"), ("radau", ""), ("taylor", ""), ("gauss", "step 1/10;"), ("bdf", "")];
    for jit in [true, false] {
        for (method, step) in runs {
            let program = format!(
                "manifold Y over t {{ x }}
                 equations N on J2(Y) {{ x: x'' }}
                 let turn = simulate N {{ from x' = 1; until t = 7; method {method}; {step} stop when tan(x) = 0 rising }}
                 assert turn.end = pi within 1e-8
                 let back = simulate N {{ from x' = 1; until t = 7; method {method}; {step} stop when tan(x) = 0 falling }}
                 assert back is reached
                 let past = simulate N {{ from x' = 1; until t = 4; method {method}; {step} stop when 1/(x - 107/100) = 0 }}
                 assert past is reached
                 let beside = simulate N {{ from x' = 1; until t = 4; method {method}; {step} stop when 1/(x - 107/100) = 20000 }}
                 assert beside.end = 107/100 + 1/20000 within 1e-9"
            );
            check_with(options(jit), &program);
        }
    }
}

#[test]
fn a_run_says_what_executed_it() {
    let program = format!("{OSCILLATOR}let run = simulate L {{ from x = 1; until t = 1; method dop853 }}\n");
    let options = |jit, portable| SessionOptions { jit, portable, ..SessionOptions::default() };
    check_with(options(true, false), &format!("{program}assert run.backend = \"jit\"\nassert run.portable is no"));
    check_with(
        options(false, false),
        &format!("{program}assert run.backend = \"interpreter\"\nassert run.portable is no"),
    );
    check_with(options(true, true), &format!("{program}assert run.backend = \"jit\"\nassert run.portable is yes"));
    check_with(
        options(false, true),
        &format!("{program}assert run.x.last = cos(1) within 1e-9\nassert run.portable is yes"),
    );
}

#[test]
fn set_on_the_command_line_changes_the_run() {
    let folder = Folder::new("set");
    let program = folder.write(
        "set.mech",
        &format!(
            "{OSCILLATOR}let run = simulate L {{ from x = 1; until t = pi/3 }}\nassert run.x.last = -1 within 1e-8\n"
        ),
    );
    let status = |extra: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lepage"))
            .arg("run")
            .arg(&program)
            .args(extra)
            .output()
            .expect("lepage runs");
        output.status.success()
    };
    assert!(!status(&[]));
    assert!(status(&["--set", "k=9"]));
    assert!(status(&["--set", "k=9", "--no-jit"]));
    assert!(status(&["--set", "k=9", "--portable"]));
}

// ----- runs as values ----------------------------------------------------------------------------------

#[test]
fn runs_have_parts_series_and_differences() {
    check(&format!(
        "{OSCILLATOR}
         let run = simulate L {{ from x = 1; until t = 10; method dop853; tolerance 1e-12; record x, x', E = energy(L) every 1/10 }}
         assert run.x.first = 1
         assert run.x.last = cos(10) within 1e-10
         assert run.x'.last = -sin(10) within 1e-10
         assert run.x.min >= -1.0001
         assert run.E.max = 1/2 within 1e-10
         assert run.E = 1/2 within 1e-10
         assert run.last.x = run.x.last
         assert run[x'].last = run.x'.last
         assert (run at {{ t = 1/3 }}).E = 1/2 within 1e-10
         assert run.x at {{ t = 1/3 }} = cos(1/3) within 1e-10
         assert max(abs(run.E - run.E.first)) < 1e-10
         assert run.x^2 + run.x'^2 = 1 within 1e-10
         assert sqrt(run.x^2).max = 1
         assert run.t.last = 10
         assert run.method = \"dop853\"
         let same = simulate L {{ from x = 1; until t = 10; method taylor; tolerance 1e-12 }}
         assert (run - same).max < 1e-9
         assert (run - same).x.max < 1e-9
         assert run.x = same.x within 1e-9
         assert run = same within 1e-9
         assert run.last = same.last within 1e-9
         assert (run at {{ t = 11 }}) fails with outside_run
         assert run.y fails with unknown_part
         assert log(run.x) fails with not_real"
    ));
}

#[test]
fn families_are_recorded_member_by_member() {
    check(
        "let n = 3
         manifold C over t { q[1..n] }
         lagrangian L on J1(C) = sum(i in 1..n, q[i]'^2/2 - i^2*q[i]^2/2)
         let run = simulate L { from list(i in 1..n, q[i] = 1); until t = pi; tolerance 1e-12; record q, p = list(i in 1..n, q[i]'), e = q[1]*q[2] }
         assert run.q[1].last = -1 within 1e-9
         assert run.q[2].last = 1 within 1e-9
         assert run.p[3].last = 0 within 1e-9
         assert run.e.last = -1 within 1e-9",
    );
}

#[test]
fn answers_are_text_latex_and_json() {
    let mut session = Session::new(SessionOptions::default());
    let program = format!(
        "{OSCILLATOR}let run = simulate L {{ from x = 1; until t = 1; record x every 1/4 }}\nrun\nrun.x\nrun.last\nrun.x.last\n"
    );
    let outcomes = feed(&mut session, "motion.mech", &program);
    assert!(outcomes.iter().all(Outcome::held), "{}", told(&session, &outcomes));
    let answers: Vec<_> = outcomes.iter().filter_map(|o| o.answer.clone()).collect();
    let [run, series, last, number] = answers.as_slice() else { panic!("four answers") };
    assert!(run.text(96).contains("the end was reached, at t = 1"), "{}", run.text(96));
    assert_eq!(run.json()["rows"], 5);
    assert_eq!(run.json()["backend"], if cfg!(feature = "jit") { "jit" } else { "interpreter" });
    assert!(run.latex().starts_with("t = 1.0,\\quad x = 0.5403"), "{}", run.latex());
    assert_eq!(series.json().as_array().map(Vec::len), Some(5));
    assert!(series.latex().contains("\\in"), "{}", series.latex());
    assert!(last.json()["x"].as_f64().is_some_and(|x| (x - 1f64.cos()).abs() < 1e-9), "{}", last.json());
    assert!(number.json().as_f64().is_some_and(|x| (x - 1f64.cos()).abs() < 1e-9));
}

/// Memory is bounded by what is recorded: a long run of which eleven rows are kept.
#[test]
fn only_what_is_recorded_is_kept() {
    let session = check(&format!(
        "{OSCILLATOR}let run = simulate L {{ from x = 1; until t = 20000; method rk4; step 1/10; record x every 2000 }}\nassert run.steps = 200000"
    ));
    let Some(lepage::workshop::model::value::Value::Run(run)) = session.value("run") else { panic!("a run") };
    assert_eq!(run.trajectory.len(), 11);
    assert!(run.trajectory.at(1.0).is_none(), "no interpolants are kept");
}

#[test]
fn files_hold_unwrapped_angles() {
    let folder = Folder::new("files");
    let program = folder.write(
        "spin.mech",
        "manifold Q over t { phi : angle }\nlagrangian L on J1(Q) = phi'^2/2\nlet run = simulate L { from phi' = 10; until t = 2; record phi, phi' every 1 }\nsave run to \"spin.csv\"\n",
    );
    let out = Command::new(env!("CARGO_BIN_EXE_lepage")).arg("run").arg(&program).arg("--out").arg(&folder.0).output();
    assert!(out.expect("lepage runs").status.success());
    let table = std::fs::read_to_string(Path::new(&folder.0).join("spin.csv")).expect("a table");
    let last: Vec<f64> = table.lines().last().expect("rows").split(',').map(|x| x.parse().expect("a number")).collect();
    assert!((last[1] - 20.0).abs() < 1e-9 && (last[2] - 10.0).abs() < 1e-12, "{last:?}");
    assert!(table.contains("\nt,phi,phi'\n"), "{table}");
}

// ----- the field leaves Lepage ----------------------------------------------------------------------------

/// A field with a linear system, powers, functions and two parameters.
const EMITTED: &str = "manifold Y over t { q1 : angle, q2 : angle }
param m = 2, g = 9.81
lagrangian L on J1(Y) = q1'^2 + m*q2'^2/4 + q1'*q2'*cos(q1 - q2) + g*(2*cos(q1) + cos(q2))*exp(-t/5) - sqrt(1 + q1^2)/3
";

fn emitted(language: &str) -> String {
    let mut session = Session::new(SessionOptions { answer: false, ..SessionOptions::default() });
    feed(&mut session, "motion.mech", EMITTED);
    session.emit("L", language, &[]).unwrap_or_else(|d| panic!("{d:?}"))
}

/// C99, without a warning.
const C_STRICT: [&str; 5] = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];

/// The derivatives of a state by Lepage itself.
fn derivatives() -> Vec<f64> {
    let program = format!(
        "{EMITTED}let run = simulate L {{ from t = 1/2, q1 = 1, q2 = -1/2, q1' = 1/4, q2' = 3/4; until t = 1 }}"
    );
    let session = check(&program);
    let Some(lepage::workshop::model::value::Value::Run(run)) = session.value("run") else { panic!("a run") };
    run.motion.derivative(0.5, &[1.0, -0.5, 0.25, 0.75], &run.problem.parameters).expect("regular")
}

fn compare(output: std::process::Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<f64> =
        String::from_utf8_lossy(&output.stdout).split_whitespace().map(|x| x.parse().expect("a number")).collect();
    let expected = derivatives();
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(&expected) {
        assert!((x - y).abs() <= 1e-13 * y.abs().max(1.0), "{found:?} and {expected:?}");
    }
}

fn is_on_this_machine(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// The values of the parameters in the order that the text states.
fn parameters(text: &str) -> String {
    let line = text.lines().find(|l| l.contains("parameter")).expect("a line about parameters");
    let place = |name: &str| line.find(&format!("] {name}")).expect("a parameter");
    if place("m") < place("g") { "2.0, 9.81".into() } else { "9.81, 2.0".into() }
}

#[test]
fn the_field_is_written_in_c() {
    if !is_on_this_machine("cc") {
        return;
    }
    let (folder, text) = (Folder::new("c"), emitted("c"));
    let main = format!(
        "{text}\n#include <stdio.h>\nint main(void) {{ double t[] = {{0.5}}, y[] = {{1, -0.5, 0.25, 0.75}}, p[] = {{{}}}, out[4]; if (!L_field(t, y, p, 0, out)) return 1; for (int i = 0; i < 4; i++) printf(\"%.17g\\n\", out[i]); return 0; }}\n",
        parameters(&text)
    );
    let source = folder.write("field.c", &main);
    let program = folder.0.join("field");
    let built = Command::new("cc").args(C_STRICT).arg("-o").arg(&program).arg(&source).arg("-lm").output();
    let built = built.expect("cc runs");
    assert!(built.status.success(), "{}\n{main}", String::from_utf8_lossy(&built.stderr));
    compare(Command::new(program).output().expect("it runs"));
}

#[test]
fn the_field_is_written_in_rust() {
    if !is_on_this_machine("rustc") {
        return;
    }
    let (folder, text) = (Folder::new("rust"), emitted("rust"));
    let main = format!(
        "{text}\nfn main() {{ let mut out = [0.0; 4]; assert!(L_field(&[0.5], &[1.0, -0.5, 0.25, 0.75], &[{}], &[], &mut out)); for x in out {{ println!(\"{{x:?}}\"); }} }}\n",
        parameters(&text)
    );
    let source = folder.write("field.rs", &main);
    let program = folder.0.join("field");
    let built = Command::new("rustc").args(["-D", "warnings", "-o"]).arg(&program).arg(&source).output();
    let built = built.expect("rustc runs");
    assert!(built.status.success(), "{}\n{main}", String::from_utf8_lossy(&built.stderr));
    compare(Command::new(program).output().expect("it runs"));
}

#[test]
fn the_field_is_written_in_python() {
    if !is_on_this_machine("python3") {
        return;
    }
    let (folder, text) = (Folder::new("python"), emitted("python"));
    let main = format!("{text}\nprint(*map(repr, L_field([0.5], [1.0, -0.5, 0.25, 0.75], [{}])))\n", parameters(&text));
    let source = folder.write("field.py", &main);
    compare(Command::new("python3").arg(source).output().expect("python runs"));
}

/// Three states at once: each column is what the other Python finds for it.
#[test]
fn the_field_is_written_for_arrays_of_numpy() {
    let (folder, one, many) = (Folder::new("numpy"), emitted("python"), emitted("numpy"));
    let main = format!(
        "{one}
alone = L_field
{many}
t, p = [0.5], [{}]
states = [[1.0, 0.2, -3.0], [-0.5, 2.0, 0.1], [0.25, 1.0, 4.0], [0.75, -1.0, 0.0]]
out = L_field(t, np.array(states), p)
assert out.shape == (4, 3)
for k in range(3):
    for x, y in zip(alone(t, [row[k] for row in states], p), out[:, k]):
        assert abs(x - y) <= 1e-13*max(1, abs(x)), (k, x, y)
print(*map(repr, map(float, L_field(t, [row[0] for row in states], p))))
",
        parameters(&one)
    );
    let source = folder.write("field.py", &main);
    match Command::new("python3").arg(source).output() {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("No module named") => compare(output),
        _ => eprintln!("skipped: there is no NumPy on this machine, the arrays were not computed"),
    }
}

#[test]
fn the_field_is_written_in_julia() {
    let (folder, text) = (Folder::new("julia"), emitted("julia"));
    // Arrays are counted from 1.
    assert!(text.contains("# state: [1] q1") && text.contains("state[4]") && !text.contains("[0]"), "{text}");
    if !is_on_this_machine("julia") {
        eprintln!("skipped: there is no julia on this machine, the field was not computed");
        return;
    }
    let main = format!("{text}\nforeach(println, L_field([0.5], [1.0, -0.5, 0.25, 0.75], [{}]))\n", parameters(&text));
    let source = folder.write("field.jl", &main);
    compare(Command::new("julia").args(["--startup-file=no"]).arg(source).output().expect("julia runs"));
}

#[test]
fn the_field_is_written_as_formulas_and_for_the_code_generator() {
    let latex = emitted("latex");
    assert!(
        latex.contains("% model: L of motion.mech, blake3:") && latex.contains("E = dL/dq - d/dt dL/dq'"),
        "{latex}"
    );
    // One line for each equation, each with its right side, and no names of intermediate values.
    let lines: Vec<&str> = latex.lines().filter(|line| line.contains('&')).collect();
    assert_eq!(lines.len(), 2, "{latex}");
    assert!(lines.iter().all(|line| line.contains("&= 0") && line.contains("\\ddot{q}_{1}")), "{latex}");
    #[cfg(feature = "jit")]
    {
        let code = emitted("clif");
        assert!(code.starts_with("; L_field, written by Lepage") && code.contains("\nfunction"), "{code}");
        assert!(code.contains("; state: [0] q1") && code.contains("; model: L of motion.mech"), "{code}");
        // Nothing of this process is in it.
        assert_eq!(code, emitted("clif"));
        // Addresses of a process have more than eight digits, 0x0000_7fff_ffff_ffff; those that are numbered do not.
        let numbers = code.split("iconst.i64 0x").skip(1).map(|rest| rest.lines().next().unwrap_or(""));
        assert!(numbers.into_iter().all(|n| n.len() <= 8 && !n.contains('_')), "{code}");
    }
}

/// x'' = 2 λ x, y'' = 2 λ y - g with x² + y² = 1, at (0.6, 0.8) with the velocity (-0.4, 0.3): x x'' + y y'' = -v², so
/// 2 λ = 0.8 g - 0.25.
#[test]
fn the_field_under_a_constraint_is_the_same_everywhere() {
    let program = "manifold P over t { x, y }\nparam g = 9.81\nlagrangian K on J1(P) = (x'^2 + y'^2)/2 - g*y\nconstraint rod on J0(P) { x^2 + y^2 = 1 }\nsystem held = K subject to rod\n";
    let double = 0.8 * 9.81 - 0.25;
    let expected = [-0.4, 0.3, 0.6 * double, 0.8 * double - 9.81];
    let run =
        format!("{program}let run = simulate held {{ from x = 0.6, y = 0.8, x' = -0.4, y' = 0.3; until t = 1/10 }}");
    let session = check(&run);
    let Some(lepage::workshop::model::value::Value::Run(run)) = session.value("run") else { panic!("a run") };
    let found = run.motion.derivative(0.0, &[0.6, 0.8, -0.4, 0.3], &run.problem.parameters).expect("regular");
    let close = |found: &[f64]| {
        assert_eq!(found.len(), 4);
        found.iter().zip(&expected).for_each(|(x, y)| assert!((x - y).abs() < 1e-13, "{found:?} and {expected:?}"));
    };
    close(&found);
    let folder = Folder::new("constrained");
    let emit = |language: &str| {
        let mut session = Session::new(SessionOptions { answer: false, ..SessionOptions::default() });
        feed(&mut session, "motion.mech", program);
        session.emit("held", language, &[]).unwrap_or_else(|d| panic!("{d:?}"))
    };
    let shown = |command: &mut Command| {
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        close(&text.split_whitespace().map(|x| x.parse().expect("a number")).collect::<Vec<f64>>());
    };
    if is_on_this_machine("cc") {
        let main = "\n#include <stdio.h>\nint main(void) { double t[] = {0}, y[] = {0.6, 0.8, -0.4, 0.3}, p[] = {9.81}, out[4]; if (!held_field(t, y, p, 0, out)) return 1; for (int i = 0; i < 4; i++) printf(\"%.17g\\n\", out[i]); return 0; }\n";
        let (source, built) = (folder.write("held.c", &(emit("c") + main)), folder.0.join("held-c"));
        let made = Command::new("cc").args(C_STRICT).arg("-o").arg(&built).arg(&source).arg("-lm").output();
        let made = made.expect("cc runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        shown(&mut Command::new(built));
    }
    if is_on_this_machine("rustc") {
        let main = "\nfn main() { let mut out = [0.0; 4]; assert!(held_field(&[0.0], &[0.6, 0.8, -0.4, 0.3], &[9.81], &[], &mut out)); for x in out { println!(\"{x:?}\"); } }\n";
        let (source, built) = (folder.write("held.rs", &(emit("rust") + main)), folder.0.join("held-rust"));
        let made = Command::new("rustc").args(["-D", "warnings", "-o"]).arg(&built).arg(&source).output();
        let made = made.expect("rustc runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        shown(&mut Command::new(built));
    }
    if is_on_this_machine("python3") {
        let main = "\nprint(*map(repr, held_field([0.0], [0.6, 0.8, -0.4, 0.3], [9.81])))\n";
        shown(Command::new("python3").arg(folder.write("held.py", &(emit("python") + main))));
    }
}

#[test]
fn the_equations_are_written_for_typst() {
    let text = emitted("typst");
    assert!(text.contains("& = ") && text.contains("$\n"), "{text}");
    let folder = Folder::new("typst");
    let source = folder.write("field.typ", &text);
    let script = "import sys, typst; print(len(typst.compile(sys.argv[1])))";
    let output = Command::new("python3").args(["-c", script]).arg(&source).output();
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("No module named") => {
            panic!("{}\n{text}", String::from_utf8_lossy(&output.stderr))
        }
        _ => eprintln!("skipped: there is no Typst for Python on this machine, the formulas were not set"),
    }
}

/// The emitted Jacobian against central differences of the emitted field at three step sizes, and B y + A = 0 with the emitted matrix.
#[test]
fn jacobian_and_matrix_belong_to_the_field() {
    if !is_on_this_machine("python3") {
        eprintln!("skipped: there is no python3 on this machine");
        return;
    }
    let folder = Folder::new("parts");
    let program = folder.write("a.mech", EMITTED);
    let output = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["emit", "--language", "python", "--with", "jacobian,matrix"])
        .arg(program)
        .output()
        .expect("lepage runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let script = format!(
        "{text}
t, x, p = [0.5], [1.0, -0.5, 0.25, 0.75], [{}]
J = L_jacobian(t, x, p)
def moved(j, h): return [v + (h if i == j else 0) for i, v in enumerate(x)]
for h in (1e-2, 1e-3, 1e-4):
    ends = [(L_field(t, moved(j, h), p), L_field(t, moved(j, -h), p)) for j in range(4)]
    print(max(abs((up[i] - down[i])/(2*h) - J[4*i + j]) for j, (up, down) in enumerate(ends) for i in range(4)))
B, y = L_matrix(t, x, p), L_field(t, x, p)[2:]
print(max(abs(B[2*i]*y[0] + B[2*i + 1]*y[1] + B[4 + i]) for i in range(2)))
",
        parameters(&text)
    );
    let source = folder.write("parts.py", &script);
    let output = Command::new("python3").arg(source).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Vec<f64> = found.split_whitespace().map(|x| x.parse().expect("a number")).collect();
    // The error of central differences falls with h², a hundredth at each step, until rounding is seen.
    assert!(found[0] < 1e-1 && found[1] < 1.1e-2 * found[0] && found[2] < 1.1e-2 * found[1] + 1e-10, "{found:?}");
    assert!(found[3] < 1e-13, "{found:?}");
}

/// Constraints with their derivatives vanish on a state of the rod and nowhere else; two systems are one file that compiles.
#[test]
fn constraints_leave_with_the_field_and_systems_share_a_file() {
    if !is_on_this_machine("cc") || !is_on_this_machine("rustc") {
        eprintln!("skipped: there is no cc or no rustc on this machine");
        return;
    }
    let folder = Folder::new("rod");
    let program = folder.write(
        "a.mech",
        "manifold P over t { x, y }\nlagrangian L on J1(P) = (x'^2 + y'^2)/2 - y\nconstraint rod on J0(P) { x^2 + y^2 = 1 }\nconstraint line on J0(P) { x = 2*y }\nsystem held = L subject to rod\nsystem slides = L subject to line\n",
    );
    let emit = |language: &str, with: &[&str]| {
        let mut lepage = Command::new(env!("CARGO_BIN_EXE_lepage"));
        let output = lepage.args(["emit", "--language", language]).args(with).arg(&program).output();
        let output = output.expect("lepage runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let held = ["--system", "held", "--with", "constraints,jacobian"];
    let main = "
#include <stdio.h>
int main(void)
{
    const double t[] = {0}, on[] = {0.6, 0.8, -0.4, 0.3}, off[] = {0.6, 0.9, -0.4, 0.5};
    double g[2];
    held_constraints(t, on, 0, 0, g);
    printf(\"%.17g %.17g\\n\", g[0], g[1]);
    held_constraints(t, off, 0, 0, g);
    printf(\"%.17g %.17g\\n\", g[0], g[1]);
    return 0;
}
";
    let source = folder.write("held.c", &(emit("c", &held) + main));
    let held_program = folder.0.join("held");
    let built = Command::new("cc").args(C_STRICT).arg("-o").arg(&held_program).arg(&source).arg("-lm").output();
    let built = built.expect("cc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(held_program).output().expect("it runs");
    let values: Vec<f64> =
        String::from_utf8_lossy(&output.stdout).split_whitespace().map(|x| x.parse().expect("a number")).collect();
    assert!(values[..2].iter().all(|g| g.abs() < 1e-15), "{values:?}");
    // 0.36 + 0.81 - 1, and half or all of its derivative 2(-0.24 + 0.45).
    assert!((values[2].abs() - 0.17).abs() < 1e-15 && values[3].abs() > 0.2, "{values:?}");
    for (language, file, compiler, arguments) in [
        ("c", "both.c", "cc", &["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c", "-o"][..]),
        ("rust", "both.rs", "rustc", &["-D", "warnings", "--crate-type", "lib", "-o"][..]),
    ] {
        let text = emit(language, &[]);
        assert!(text.contains("held_field_solve(") && text.contains("slides_field_solve("), "{text}");
        let source = folder.write(file, &text);
        let built = Command::new(compiler).args(arguments).arg(folder.0.join("both.out")).arg(source).output();
        let built = built.expect("the compiler runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
}

#[test]
fn emit_is_a_subcommand() {
    let folder = Folder::new("emit");
    let program = folder.write(
        "two.mech",
        &format!("{EMITTED}lagrangian S on J1(Y) = q1'^2/2 - q1*q2 - q2^2/2\nlagrangian F on J1(Y) = q1'^2/2\n"),
    );
    let emit = |extra: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_lepage")).arg("emit").arg(&program).args(extra).output().expect("lepage runs")
    };
    let text = |o: &std::process::Output| String::from_utf8_lossy(&o.stdout).into_owned();
    let c = emit(&["--system", "L", "--language", "c"]);
    assert!(c.status.success() && text(&c).contains("int L_field("), "{}", text(&c));
    let canonical = emit(&["--system", "hamilton(S)", "--language", "rust"]);
    assert!(!canonical.status.success(), "a singular system has no canonical coordinates");
    let singular = emit(&["--system", "S", "--language", "python"]);
    assert!(singular.status.success() && text(&singular).contains("def S_field("), "{}", text(&singular));
    let twice = emit(&["--system", "L", "--system", "L"]);
    assert_eq!(text(&twice).matches("int L_field(").count(), 1, "a system that is named twice is one function");
    let unknown = emit(&["--system", "L", "--with", "hessian"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("its parts are jacobian, matrix, constraints"));
    let none = emit(&["--system", "L", "--with", "constraints"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("has no constraints"));
    let free = emit(&["--system", "F"]);
    assert!(!free.status.success() && String::from_utf8_lossy(&free.stderr).contains("q2''"));
}

/// The programs of `tests/motion`, with machine code and without; each file derives what it expects.
#[test]
fn programs_hold_with_machine_code_and_without() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/motion");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of the programs")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mech"))
        .collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let program = std::fs::read_to_string(&file).expect("a program");
        for jit in [true, false] {
            let mut session = Session::new(SessionOptions { jit, ..SessionOptions::default() });
            let outcomes = feed(&mut session, "motion.mech", &program);
            let held = outcomes.iter().all(Outcome::held);
            assert!(held, "{} with jit = {jit}:\n{}", file.display(), told(&session, &outcomes));
        }
    }
}

/// A variation is the limit of (x(+h) − x(−h))/2h: at ten times smaller h the difference from it is a hundred times smaller, twice in
/// a row. The systems have a mass matrix that is not constant, a mixed form, constraints, and canonical coordinates.
#[test]
fn variations_are_limits_of_differences_of_neighbouring_runs() {
    let double = "manifold Y over t { a, b }
         lagrangian S on J1(Y) = a'^2 + b'^2/2 + cos(a - b)*a'*b' + 2*cos(a) + cos(b)";
    let mixed = "manifold M over t { x }
         manifold E over M { z }
         mixed S on E { x'' = -sin(x)*z + t/5; z' = x'^2 - z*x }";
    let sleigh = "manifold Y over t { x, y, th }
         lagrangian L on J1(Y) = (x'^2 + y'^2 + th'^2)/2 - x
         constraint blade on J1(Y) { x'*sin(th) = y'*cos(th); dependent: y }
         system S = L subject to blade";
    let cases = [
        (double, "S", "a = 1H, b = 1/2, a' = 1/3", "delta(a) = 1", ["a", "b'"]),
        (mixed, "S", "x = 1/2, z = 1/4, x' = 1H", "delta(x') = 1", ["x", "z"]),
        (sleigh, "S", "th = 1/3H, th' = 1/2, x' = 1", "delta(th) = 1, delta(x') = 0, delta(th') = 0", ["y", "x"]),
        (double, "hamilton(S)", "a = 1H, b = 1/2, p_a = 1/3", "delta(a) = 1", ["b", "p_b"]),
    ];
    for (declared, system, from, varied, columns) in cases {
        let mut program = format!("{declared}\n");
        let end = "until t = 2; tolerance 1e-13";
        for (i, h) in ["+ 1/100", "- 1/100", "+ 1/1000", "- 1/1000", "+ 1/10000", "- 1/10000"].iter().enumerate() {
            let from = from.replace('H', &format!(" {h}"));
            let [c, d] = columns;
            program += &format!("let r{i} = simulate {system} {{ from {from}; {end}; record c = {c}, d = {d} }}\n");
        }
        let (from, [c, d]) = (from.replace('H', ""), columns);
        program += &format!(
            "let v = simulate variation({system}) {{ from {from}, {varied}; {end}; record c = delta({c}), d = delta({d}) }}\n"
        );
        for k in ["c", "d"] {
            program += &format!(
                "let e1 = abs((r0.{k}.last - r1.{k}.last)*50 - v.{k}.last)
                 let e2 = abs((r2.{k}.last - r3.{k}.last)*500 - v.{k}.last)
                 let e3 = abs((r4.{k}.last - r5.{k}.last)*5000 - v.{k}.last)
                 assert e1 > 1e-7
                 assert e2 < e1/50
                 assert e3 < e2/50 or e3 < 1e-8\n"
            )
            .replace("e1", &format!("{k}1"))
            .replace("e2", &format!("{k}2"))
            .replace("e3", &format!("{k}3"));
        }
        check(&program);
    }
}

/// The oscillator turns its phase space; a Hamiltonian flow keeps volumes; on a constraint displacements across it do not count.
#[test]
fn transition_matrices_of_known_flows() {
    check(
        "manifold Y over t { x }
         lagrangian O on J1(Y) = (x'^2 - x^2)/2
         let run = simulate O { from x = 1; until t = 1; tolerance 1e-12 }
         let M = transition(run)
         assert M[1, 1] = cos(1) within 1e-10
         assert M[1, 2] = sin(1) within 1e-10
         assert M[2, 1] = -sin(1) within 1e-10
         lagrangian P on J1(Y) = x'^2/2 + cos(x)
         let swing = simulate P { from x = 2; until t = 5; tolerance 1e-12 }
         assert det(transition(swing)) = 1 within 1e-9
         manifold Z over t { u, w }
         lagrangian F on J1(Z) = (u'^2 + w'^2)/2
         constraint line on Z { u = w }
         system S = F subject to line
         let along = simulate S { from u' = 1, w' = 1; until t = 2 }
         let N = transition(along)
         assert N[1, 1] = 1/2 within 1e-9
         assert N[2, 1] = 1/2 within 1e-9
         assert N[1, 3] = 1 within 1e-9",
    );
}

#[test]
fn variations_that_cannot_be_run_are_refused() {
    let free = "manifold Y over t { x }
         lagrangian L on J1(Y) = x'^2/2\n";
    let run = |what: &str, from: &str| format!("{free}simulate {what} {{ from {from}; until t = 1 }}");
    refused(&run("L", "x = 1, delta(x) = 1"), "no_effect", &["delta(x)", "variation(S)"]);
    refused(&run("variation(L)", "x = 1"), "no_effect", &["no variation is given", "delta(x)"]);
    refused(&run("variation(L)", "x = 1, delta(x'') = 1"), "no_effect", &["delta(x'')", "the states are"]);
    let line = "manifold Y over t { u, w }
         lagrangian F on J1(Y) = (u'^2 + w'^2)/2
         constraint line on Y { u = w }
         simulate variation(F subject to line) { from u' = 1, w' = 1, delta(u) = 1, delta(w) = 0; until t = 1 }";
    refused(line, "off_constraint", &["delta(u)"]);
    // x″ = −sign(x): where x passes 0, δx′ jumps by −2 δx/x′. A jump at a given time is none of the variation.
    let switch = "manifold Y over t { x }
         lagrangian L on J1(Y) = x'^2/2
         force switch on J1(Y) { x: -sign(x) }
         simulate variation(L with switch) { from x = 1, delta(x) = 1; until t = 3 }";
    refused(switch, "not_applicable", &["sign(x)", "neighbouring"]);
    // As code: the equations that have a name are equations like others, a run of both is not written.
    let mut session = Session::new(SessionOptions { answer: false, ..SessionOptions::default() });
    feed(&mut session, "motion.mech", &format!("{free}let V = variation(L)"));
    let refusal = session.emit("variation(L)", "c", &[]).expect_err("not written");
    assert!(format!("{refusal:?}").contains("variations are not written as code"), "{refusal:?}");
    let written = session.emit("V", "python", &[]).unwrap_or_else(|d| panic!("{d:?}"));
    assert!(written.contains("[2] delta(x), [3] delta(x')"), "{written}");
    check(
        "manifold Y over t { x }
         lagrangian L on J1(Y) = (x'^2 - x^2)/2
         force kick on J1(Y) { x: sign(1 - t) }
         let run = simulate variation(L with kick) { from x = 1, delta(x) = 1; until t = 3; tolerance 1e-12; record d = delta(x) }
         assert run.d.last = cos(3) within 1e-9",
    );
}
