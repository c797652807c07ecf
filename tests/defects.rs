//! Faults that were found, kept as programs in `tests/defects`: facts that outlived the test that assumed them, conditions
//! that were said once only or meant different things, functions that saw the names of their callers, mistakes that
//! `check` let pass, parts of an expression that were evaluated again and again; and, in `singular`, final sets and motions of
//! singular systems that were wrong and called proved. The right answers are derived in the first comment of each program.

use lepage::session::{Mode, Outcome, Session, SessionOptions, Status};
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/defects").join(name)
}

/// The outcomes of a program; with `answer`, its questions are answered, else it is only checked.
fn outcomes(name: &str, answer: bool) -> Vec<Outcome> {
    let path = path(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut session = Session::new(SessionOptions { answer, portable: true, ..SessionOptions::default() });
    session.feed(&path.to_string_lossy(), &text, Mode::File)
}

/// The outcomes of a statement, as often as it stands in the program.
fn of<'a>(outcomes: &'a [Outcome], statement: &str) -> Vec<&'a Outcome> {
    let found: Vec<&Outcome> = outcomes.iter().filter(|o| o.statement.starts_with(statement)).collect();
    assert!(!found.is_empty(), "there is no `{statement}`");
    found
}

fn text(outcome: &Outcome) -> String {
    outcome.answer.as_ref().map_or_else(|| format!("no answer: {:?}", outcome.diagnostics), |answer| answer.text(100))
}

/// The conditions of an answer, as a program reads them.
fn conditions(outcome: &Outcome) -> Vec<String> {
    let json = lepage::session::json::outcome(outcome);
    let list = json["conditions"].as_array().cloned().unwrap_or_default();
    list.iter().map(|c| c.as_str().unwrap_or_default().to_string()).collect()
}

/// `x'' = -sign(x)`, from rest at -1: x(1) = -1/2, with the error of the default tolerance.
fn falls_to_the_right(program: &str) {
    let outcomes = outcomes(program, true);
    for equations in of(&outcomes, "equations(L)") {
        assert_eq!(text(equations).lines().next(), Some("x: -x'' - sign(x)"), "{program}");
        assert_eq!(conditions(equations), ["x != 0"], "{program}");
    }
    let last = text(of(&outcomes, "run.x.last")[0]);
    let last = last.lines().next().unwrap_or_default();
    let value: f64 = last.parse().unwrap_or_else(|_| panic!("{program}: {last}"));
    assert!((value + 0.5).abs() < 1e-9, "{program}: {value}");
}

#[test]
fn a_run_follows_the_equations_on_both_sides() {
    falls_to_the_right("run_alone.mech");
}

#[test]
fn a_passing_test_does_not_change_a_run() {
    falls_to_the_right("run_after_test.mech");
}

#[test]
fn a_passing_test_does_not_change_a_derivative() {
    let outcomes = outcomes("derivative_after_test.mech", true);
    assert_eq!(of(&outcomes, "test ")[0].status, Status::Ok);
    assert_eq!(text(of(&outcomes, "D(f, x)")[0]), "sign(x)\nwhere x != 0");
    assert_eq!(conditions(of(&outcomes, "D(f, x)")[0]), ["x != 0"]);
    assert_eq!(text(of(&outcomes, "D(f, x) at")[0]), "-1");
    assert_eq!(of(&outcomes, "assert D(f, x) = 1")[0].status, Status::Failed);
}

#[test]
fn a_condition_is_said_each_time() {
    let outcomes = outcomes("condition_twice.mech", true);
    let both = of(&outcomes, "equations(L)");
    assert_eq!(both.len(), 2);
    for equations in both {
        assert_eq!(text(equations).lines().next(), Some("x: -x'' - sign(x)"));
        assert_eq!(conditions(equations), ["x != 0"]);
        assert!(equations.answer.as_ref().is_some_and(|answer| answer.latex().contains(r"x \neq 0")));
    }
}

/// The point is refused, and the refusal names what fails there, in one of these writings.
fn refused_by(outcome: &Outcome, writings: &[&str]) {
    assert_eq!(outcome.status, Status::Refused, "{}: {}", outcome.statement, text(outcome));
    let mut texts = outcome.diagnostics.iter().flat_map(|d| d.notes.iter().chain([&d.title]));
    let said = texts.any(|text| writings.iter().any(|writing| text.contains(writing)));
    assert!(said, "{} is not refused by {writings:?}: {:?}", outcome.statement, outcome.diagnostics);
}

#[test]
fn a_condition_that_fails_refuses_the_point_however_it_arose() {
    let outcomes = outcomes("condition_at_a_point.mech", true);
    refused_by(of(&outcomes, "A at { x = 1 }")[0], &["x - 1 != 0", "x != 1"]);
    refused_by(of(&outcomes, "((x^2 - 1)/(x - 1)) at { x = 1 }")[0], &["x - 1 != 0", "x != 1"]);
    refused_by(of(&outcomes, "B at { x = 0 }")[0], &["x != 0"]);
    refused_by(of(&outcomes, "D(abs(x), x) at { x = 0 }")[0], &["x != 0"]);
}

#[test]
fn a_condition_that_holds_leaves_the_value() {
    let outcomes = outcomes("condition_at_a_point.mech", true);
    for (statement, value) in [
        ("A at { x = 2 }", "3"),
        ("((x^2 - 1)/(x - 1)) at { x = 2 }", "3"),
        ("B at { x = 2 }", "2"),
        ("D(abs(x), x) at { x = -2 }", "-1"),
    ] {
        assert_eq!(text(of(&outcomes, statement)[0]), value, "{statement}");
    }
}

#[test]
fn a_part_of_an_expression_is_evaluated_once() {
    // Three times at each level would be 3^60 evaluations.
    let source = format!("manifold Y over t {{ x }}\n{}x{} at {{ x = 0 }}", "sin(".repeat(60), ")".repeat(60));
    let mut session = Session::new(SessionOptions { portable: true, ..SessionOptions::default() });
    let outcomes = session.feed("nested.mech", &source, Mode::File);
    assert_eq!(outcomes.last().map(text).as_deref(), Some("0"));
}

/// The claim about the caller's name fails, the one about the function's own name holds.
fn sees_its_own_names(program: &str) {
    let outcomes = outcomes(program, true);
    assert_eq!(of(&outcomes, "test \"a name of the caller is not seen\"")[0].status, Status::Failed, "{program}");
    let own = of(&outcomes, "test \"its own name is\"")[0];
    assert_eq!(own.status, Status::Ok, "{program}: {:?}", own.diagnostics);
}

#[test]
fn a_function_of_a_library_sees_its_own_names() {
    sees_its_own_names("scope_of_a_library.mech");
}

#[test]
fn a_function_of_a_library_takes_no_name_of_its_caller() {
    let outcomes = outcomes("scope_of_an_open_library.mech", true);
    let refused: Vec<_> = errors(&outcomes).into_iter().map(|(_, code)| code).collect();
    assert_eq!(refused.first().map(String::as_str), Some("E0101"), "{refused:?}");
    assert!(of(&outcomes, "circumference(2)").iter().all(|o| o.answer.is_none()));
}

#[test]
fn a_function_sees_its_own_names() {
    sees_its_own_names("scope_of_a_function.mech");
}

#[test]
fn a_function_does_not_see_the_parameters_of_its_caller() {
    let outcomes = outcomes("scope_of_a_function.mech", true);
    let outer = of(&outcomes, "assert outer(x)")[0];
    assert_eq!(outer.status, Status::Ok, "{:?}", outer.diagnostics);
}

/// `(line, code)` of each error.
fn errors(outcomes: &[Outcome]) -> Vec<(usize, String)> {
    let of_outcome = |o: &Outcome| {
        let errors: Vec<_> =
            o.diagnostics.iter().filter(|d| d.is_error()).map(|d| (o.line, d.code.to_string())).collect();
        errors
    };
    outcomes.iter().flat_map(of_outcome).collect()
}

/// A kind, a number of arguments, an option, a label and a name.
const MISTAKES: [(usize, &str); 5] = [(4, "E0201"), (5, "E0202"), (6, "E0205"), (7, "E0104"), (8, "E0101")];

#[test]
fn a_run_finds_what_is_wrong_by_kind() {
    assert_eq!(errors(&outcomes("wrong_by_kind.mech", true)), MISTAKES.map(|(line, code)| (line, code.to_string())));
}

#[test]
fn check_finds_what_is_wrong_by_kind() {
    assert_eq!(errors(&outcomes("wrong_by_kind.mech", false)), MISTAKES.map(|(line, code)| (line, code.to_string())));
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_lepage"));
    let output = check.arg("check").arg(path("wrong_by_kind.mech")).output().expect("lepage runs");
    assert_eq!(output.status.code(), Some(1));
}

/// Every assertion of the programs about singular systems holds.
#[test]
fn singular_systems_are_answered_as_derived_by_hand() {
    let folder = path("singular");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    let mut failed = Vec::new();
    for name in names {
        for outcome in outcomes(&format!("singular/{name}"), true) {
            if matches!(outcome.status, Status::Refused | Status::Failed) {
                let titles: Vec<&String> = outcome.diagnostics.iter().map(|d| &d.title).collect();
                failed.push(format!("{name}: {}: {titles:?}", outcome.statement));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every statement holds: the answers stand in the comments of the program, derived by hand.
fn holds(program: &str) {
    for outcome in outcomes(program, true) {
        let errors: Vec<_> = outcome.diagnostics.iter().filter(|d| d.is_error()).collect();
        let is_well = !matches!(outcome.status, Status::Failed | Status::Refused) && errors.is_empty();
        assert!(is_well, "{program}: {}: {errors:?}", outcome.statement);
    }
}

#[test]
fn first_class_functions_are_first_class() {
    holds("dirac_cusp.mech");
    holds("dirac_superfluous.mech");
}

#[test]
fn branches_lie_in_the_domain_and_have_real_points() {
    holds("dirac_domain.mech");
    holds("dirac_no_motion.mech");
}

#[test]
fn strata_of_the_hessian_are_followed() {
    holds("dirac_motion_on_a_stratum.mech");
    holds("dirac_strata.mech");
}

#[test]
fn what_is_quadratic_in_the_multipliers_is_not_called_empty() {
    holds("dirac_sphere.mech");
}

#[test]
fn parts_with_more_freedom_are_branches() {
    holds("dirac_degenerate_branch.mech");
    holds("dirac_cone.mech");
}

#[test]
fn reparametrised_lagrangians_have_their_mass_shell() {
    holds("dirac_relativistic.mech");
    holds("dirac_reparametrised.mech");
}

#[test]
fn constraints_of_the_textbooks() {
    holds("dirac_textbooks.mech");
}

/// A name for the answer to a question is declared without asking it, with the parts and words of the question.
#[test]
fn a_check_asks_no_question() {
    let program = "manifold Y over t { x, y, z, w }
lagrangian L on J1(Y) = x*y'^2*z' + w'^3*x + sin(x*y)*z'^2 + w*x'
let D = dynamics(L)
let M = momenta(L)
let n = D.rounds + 1
assert M.x = n
assert D.complete and D is motion
submanifold K on J1(Y) = D.final
assert K = D.primary
let run = simulate L { from x = 1; until t = 1; branch D.branches[1] }
assert run is reached
";
    let mut session = Session::new(SessionOptions {
        answer: false,
        work: Some(100_000),
        portable: true,
        ..SessionOptions::default()
    });
    let outcomes = session.feed("check.mech", program, Mode::File);
    for outcome in &outcomes {
        assert!(outcome.diagnostics.is_empty(), "{}: {:?}", outcome.statement, outcome.diagnostics);
    }
    let type_of = |name: &str| session.list().into_iter().find(|item| item.name == name).map(|item| item.type_name);
    assert_eq!(type_of("D").as_deref(), Some("answer"));
    assert_eq!((type_of("n").as_deref(), type_of("K").as_deref()), (Some("function"), Some("set")));
}

/// A program that would make 10^9 values, or 2^40 calls, is refused when its work is done, whatever the clock says.
#[test]
fn what_is_repeated_is_counted() {
    let calls: String = (1..=40).map(|i| format!("let f{i}(x) = f{}(x) + f{}(x + 1)\n", i - 1, i - 1)).collect();
    let program = format!(
        "let a = list(i in 1..1000, list(j in 1..1000, list(k in 1..1000, i*j*k)))\nlet f0(x) = x^2\n{calls}f40(1)\n2 + 3\n"
    );
    let options = SessionOptions { work: Some(1_000_000), portable: true, ..SessionOptions::default() };
    let outcomes = Session::new(options).feed("repeated.mech", &program, Mode::File);
    for statement in ["let a = list", "f40(1)"] {
        let codes: Vec<&str> = of(&outcomes, statement)[0].diagnostics.iter().map(|d| d.code.name).collect();
        assert_eq!(codes, ["budget"], "{statement}");
    }
    assert_eq!(text(of(&outcomes, "2 + 3")[0]), "5");
}

/// Answers were in the order in which a session first met their symbols: the first branch was another one after an unrelated
/// question.
#[test]
fn an_earlier_question_changes_no_order() {
    let declared = "manifold Y over t { x, y }\nparam m, k\nassume k != 0\nfunction V(x)\n";
    let strange = "expand((y'' + x'' + y' + x' + y + x + k + m)^2)\nV''(x) + V'(x)*V(x) + abs(y)*sin(y) + abs(x)\n";
    let asked = "lagrangian L on J1(Y) = y*(x'^2 - 1)/2\nlagrangian N on J1(Y) = (x'^2 + y'^2)/2 - V(x)*y\n\
        form eta on J1(Y) = abs(x)*omega(x) + y*dt\nconstraint rod on Y { x^2 + y^2 = m^2 }\n\
        branches([m*x - y, k*x*y], fork = [m])\nrank([[x, y], [y, x]])\nsolve(sin(x) = m, x)\nequilibria(N)\neta\n\
        dynamics(L)\nclassify(L)\nequilibria(N subject to rod)\n(abs(x)*y + sqrt(x^2*y^2))'\n";
    let answers = |program: String| {
        let mut session = Session::new(SessionOptions { portable: true, ..SessionOptions::default() });
        let outcomes = session.feed("order.mech", &program, Mode::File);
        let said = |o: &Outcome| (o.statement.clone(), text(o), conditions(o));
        outcomes.iter().filter(|o| o.answer.is_some() && !strange.contains(&*o.statement)).map(said).collect::<Vec<_>>()
    };
    let alone = answers(format!("{declared}{asked}"));
    assert_eq!(alone.len(), 9);
    for (alone, later) in alone.iter().zip(answers(format!("{declared}{strange}{asked}"))) {
        assert_eq!(*alone, later);
    }
}
