//! Constrained systems, from the text of a program to a vector field that is ready to be compiled: rank condition, prolonged
//! constraints, the linear system for accelerations and multipliers, its kernel.
//!
//! ```text
//! disk    a thin disk that rolls without slipping: 5 coordinates, 2 constraints on velocities
//! chain   n links whose last end is held: n coordinates, 2 constraints on positions
//! ```
//!
//! Each measurement starts from an empty graph on a thread of its own. Processor time, the least of several; reading the program
//! and checking the Lagrangian are shown beside it. `cargo bench --bench constraints --profile measure`.

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::Inquiry;
use lepage::workshop::codegen::lower::Signature;
use lepage::workshop::model::value::Value;
use lepage::workshop::motion::law::Law;
use lepage::workshop::questions::constrained_motion::{ConstrainedMotion, constrained_motion, uncharted_law};
use lepage::workshop::timing::thread_cpu;
use std::time::Duration;

const DISK: &str = "manifold Y over t { x, y, theta, phi, psi }
lagrangian L on J1(Y) = (x'^2 + y'^2 + sin(theta)^2*theta'^2)/2 + (theta'^2 + cos(theta)^2*phi'^2)/8
    + (psi' + phi'*sin(theta))^2/4 - 9.81*cos(theta)
constraint roll on J1(Y) {
    x' + cos(phi)*psi' + sin(theta)*cos(phi)*phi' + cos(theta)*sin(phi)*theta' = 0
    y' + sin(phi)*psi' + sin(theta)*sin(phi)*phi' - cos(theta)*cos(phi)*theta' = 0
}
system S = L subject to roll
";

fn chain(n: usize) -> String {
    format!(
        "let n = {n}
manifold Chain over t {{ q[1..n] }}
lagrangian L on J1(Chain) = sum(i in 1..n, (n + 1 - i)*(q[i]'^2/2 + 9.81*cos(q[i])))
    + sum(i in 1..n, j in 1..i - 1, (n + 1 - i)*cos(q[i] - q[j])*q[i]'*q[j]')
constraint closed on Chain {{ sum(i in 1..n, sin(q[i])) = n/2; sum(i in 1..n, cos(q[i])) = 0 }}
system S = L subject to closed
"
    )
}

/// Text to system, system to kernel, operations of the kernel.
fn measure(text: String) -> (Duration, Duration, usize) {
    let run = move || {
        let cx = &Inquiry::free();
        let start = thread_cpu();
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("constraints.mech", &text, Mode::File);
        assert!(outcomes.iter().all(|o| o.held()), "{outcomes:?}");
        let Some(Value::System(system)) = session.value("S") else { panic!("no system") };
        let read = thread_cpu() - start;
        let start = thread_cpu();
        // As a run does: without a chart where none is needed.
        let found = match uncharted_law(cx, &system).expect("constraints that hold") {
            Some(found) => found,
            None => match constrained_motion(cx, &system) {
                Ok(ConstrainedMotion::Law(found)) => found,
                _ => panic!("no motion"),
            },
        };
        let law = Law::constrained(&system.manifold, &found.equations);
        let signature = Signature { time: Some(law.time()), states: law.states.clone(), ..Signature::default() };
        let kernel = law.field(&signature).expect("numbers");
        (read, thread_cpu() - start, kernel.n_operations())
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread");
    thread.join().expect("measured")
}

fn main() {
    println!("{:<10} {:>10} {:>12} {:>8}", "system", "read ms", "derive ms", "ops");
    let systems = [("disk".to_string(), DISK.to_string(), 20)];
    let chains = [10, 20, 30].map(|n| (format!("chain {n}"), chain(n), 3));
    for (name, text, repetitions) in systems.into_iter().chain(chains) {
        let best = (0..repetitions).map(|_| measure(text.clone())).min_by_key(|(_, derive, _)| *derive);
        let (read, derive, operations) = best.expect("measured");
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        println!("{name:<10} {:>10.3} {:>12.3} {operations:>8}", ms(read), ms(derive));
    }
}
