//! Ctrl-C during a computation with polynomials: what was found is shown, marked incomplete, and the session goes on. One
//! test, because an interrupt is for the whole process. Each question would take far longer than anybody waits.

use lepage::session::{Mode, Session, SessionOptions, Status};
use lepage::workshop::budget;
use std::time::Duration;

/// The cyclic 7-roots: no basis in the time of this test.
fn cyclic() -> (String, String) {
    let names: Vec<String> = (1..=7).map(|i| format!("c{i}")).collect();
    let window = |i: usize, k: usize| (0..k).map(|j| names[(i + j) % 7].clone()).collect::<Vec<_>>().join("*");
    let sum = |k: usize| (0..7).map(|i| window(i, k)).collect::<Vec<_>>().join(" + ");
    let mut list: Vec<String> = (1..7).map(sum).collect();
    list.push(format!("{} - 1", window(0, 7)));
    (names.join(", "), format!("[{}]", list.join(", ")))
}

#[test]
fn ctrl_c_leaves_what_is_known() {
    let (names, system) = cyclic();
    // Three points on two surfaces, with c6 and c7 as multipliers, and a matrix of such functions.
    let lagrangian =
        "c1'^2/2 + c2'^2/2 + c3'^2/2 + c6*(c1^3 + c2^3 + c3^3 + c1*c2*c4 - 1) + c7*(c1*c2*c3 + c4^3 - c5^2*c1)";
    let entry =
        |i: usize, j: usize| format!("c{}*c{} + {}*c{}^2", i % 7 + 1, (i * j) % 7 + 1, i + 2 * j, (i + 3 * j) % 7 + 1);
    let row = |i: usize| format!("[{}]", (0..6).map(|j| entry(i, j)).collect::<Vec<_>>().join(", "));
    let matrix = (0..6).map(row).collect::<Vec<_>>().join(", ");
    let questions = [
        "dynamics(L)".to_string(),
        "dirac(L)".to_string(),
        format!("rank([{matrix}])"),
        format!("groebner({system})"),
        format!("eliminate({system}, c1)"),
        format!("branches({system})"),
        format!("solve({system}, [{names}])"),
        format!("saturate({system}, c1 - c2)"),
        format!("member(c1^3 - c2, {system})"),
    ];
    let declarations = format!("manifold Y over t {{ {names} }}\nlagrangian L on J1(Y) = {lagrangian}\n");
    for question in questions {
        let mut session = Session::new(SessionOptions::default());
        let declared = session.feed("names.mech", &declarations, Mode::File);
        assert!(declared.iter().all(|o| o.held()));
        let presser = std::thread::spawn(|| {
            while budget::under_way().is_none() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(300));
            budget::interrupt();
        });
        let outcomes = session.feed("long.mech", &format!("{question}\nc1 + c1\n"), Mode::File);
        presser.join().expect("it presses");
        let name = question.split('(').next().expect("a name");
        let [long, short] = outcomes.as_slice() else { panic!("{name}: {outcomes:?}") };
        let shown = long.answer.as_ref().unwrap_or_else(|| panic!("{name}: {:?}", long.diagnostics));
        let text = shown.text(100);
        assert!(text.contains("incomplete") && text.contains("interrupted"), "{name}: {text}");
        assert!(matches!(name, "eliminate" | "member" | "saturate") || text.contains("c1"), "{name}: {text}");
        assert!(shown.latex().contains("incomplete"), "{name}: {}", shown.latex());
        assert_eq!(short.status, Status::Ok, "{name}: the session goes on");
    }
}
