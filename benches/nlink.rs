//! W2: the planar n-link pendulum from the text of a program to a callable that returns the mass matrix M(q) and the
//! forces f(q, v), n = 2 … 64, in both forms in which it is written down:
//!
//! ```text
//! squares   T = ½ Σ_k (ẋ_k² + ẏ_k²),  ẋ_k = Σ_{i≤k} q̇_i cos q_i,  ẏ_k = Σ_{i≤k} q̇_i sin q_i
//! reduced   T = ½ Σ_ij (n − max(i, j)) cos(q_i − q_j) q̇_i q̇_j      (counted from 0)
//! ```
//!
//! A measurement starts from an empty graph on a thread of its own and contains everything: reading the program,
//! checking the Lagrangian, both derivatives, code generation. Processor time, as the peers measure it; the least of
//! several is shown, with the numbers it consists of. The callable is called once and compared with the formulas written by hand.
//!
//! `cargo bench --bench nlink [-- largest [smallest]]`; with `PEERS_PYTHON` and `PEERS_W2` (the interpreter of an
//! environment with SymEngine and CasADi, and the script that measures them) the peers run in the same run.

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::expr::node_count;
use lepage::workshop::algebra::{Inquiry, Symbol};
use lepage::workshop::codegen::compiled::{Backend, Options, compile};
use lepage::workshop::codegen::lower::{Signature, expressions};
use lepage::workshop::model::value::Value;
use lepage::workshop::timing::thread_cpu;
use std::process::Command;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Squares,
    Reduced,
}

#[derive(Clone, Copy)]
struct Measured {
    /// Text to Lagrangian, Lagrangian to expressions, expressions to callable.
    read: Duration,
    derive: Duration,
    compile: Duration,
    nodes: usize,
    operations: usize,
}

impl Measured {
    fn total(&self) -> Duration {
        self.read + self.derive + self.compile
    }
}

fn program(form: Form, n: usize) -> String {
    let lagrangian = match form {
        Form::Squares => {
            "sum(k in 1..n, (sum(i in 1..k, q[i]'*cos(q[i]))^2 + sum(i in 1..k, q[i]'*sin(q[i]))^2)/2
                 + 9.81*sum(i in 1..k, cos(q[i])))"
        }
        Form::Reduced => {
            "sum(i in 1..n, (n + 1 - i)*(q[i]'^2/2 + 9.81*cos(q[i])))
                 + sum(i in 1..n, j in 1..i - 1, (n + 1 - i)*cos(q[i] - q[j])*q[i]'*q[j]')"
        }
    };
    format!("let n = {n}\nmanifold Chain over t {{ q[1..n] }}\nlagrangian L on J1(Chain) = {lagrangian}\n")
}

/// M and f at a state, by the formulas of the reduced form.
fn by_hand(q: &[f64], v: &[f64]) -> Vec<f64> {
    let n = q.len();
    let weight = |i: usize, j: usize| (n - i.max(j)) as f64;
    let mut all: Vec<f64> = Vec::new();
    for i in 0..n {
        all.extend((0..n).map(|j| weight(i, j) * (q[i] - q[j]).cos()));
    }
    for i in 0..n {
        let turning: f64 = (0..n).map(|j| weight(i, j) * (q[i] - q[j]).sin() * v[j] * v[j]).sum();
        all.push(-turning - 9.81 * (n - i) as f64 * q[i].sin());
    }
    all
}

fn measure(form: Form, n: usize, backend: Backend) -> Measured {
    let text = program(form, n);
    let run = move || {
        let cx = &Inquiry::free();
        let start = thread_cpu();
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("nlink.mech", &text, Mode::File);
        assert!(outcomes.iter().all(|o| o.held()), "{outcomes:?}");
        let Some(Value::System(system)) = session.value("L") else { panic!("no Lagrangian") };
        let lagrangian = system.lagrangian().expect("declared");
        let read = thread_cpu() - start;
        let start = thread_cpu();
        let motion = lagrangian.motion(cx).expect("of first order");
        let derive = thread_cpu() - start;
        let start = thread_cpu();
        let coordinates = lagrangian.manifold().fibres();
        let jets = |k: u32| coordinates.iter().map(move |f| f.coordinate.jet(k));
        let states: Vec<Symbol> = jets(0).chain(jets(1)).collect();
        let signature = Signature { time: Some(lagrangian.manifold().base()), states, ..Signature::default() };
        let entries = motion.mass.iter().flatten().chain(&motion.a).map(|e| (String::new(), *e));
        let kernel = expressions("mass matrix and forces", &signature, &entries.collect::<Vec<_>>()).expect("numbers");
        let operations = kernel.n_operations();
        let compiled = compile(kernel, Options { backend, portable: false });
        let mut caller = compiled.caller();
        let compile = thread_cpu() - start;
        let q: Vec<f64> = (0..n).map(|i| 0.3 + 0.1 * i as f64).collect();
        let v: Vec<f64> = (0..n).map(|i| 0.05 * i as f64).collect();
        let state = [q.clone(), v.clone()].concat();
        let mut found = vec![0.0; n * n + n];
        caller.call([&[0.0], &state, &[], &[]], &mut found).expect("defined");
        for (a, b) in found.iter().zip(by_hand(&q, &v)) {
            assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()) * n as f64, "{a} is not {b}");
        }
        Measured { read, derive, compile, nodes: node_count(), operations }
    };
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(run)
        .and_then(|t| t.join().map_err(|_| std::io::Error::other("panicked")))
        .unwrap()
}

/// Seconds a peer takes for derivation and callable, the least of three processes; `None` without peers.
fn peer(name: &str, n: usize) -> Option<f64> {
    let (python, script) = (std::env::var("PEERS_PYTHON").ok()?, std::env::var("PEERS_W2").ok()?);
    let once = || -> Option<f64> {
        let out = Command::new(&python).args([&script, name, &n.to_string()]).output().ok()?;
        let text = String::from_utf8(out.stdout).ok()?;
        let json: serde_json::Value = serde_json::from_str(text.lines().last()?).ok()?;
        json["total"].as_f64()
    };
    (0..3).filter_map(|_| once()).min_by(f64::total_cmp)
}

/// The largest amount of memory this process has had, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")).map(|l| l.trim().to_string())
}

fn main() {
    let mut sizes = std::env::args().filter_map(|a| a.parse::<usize>().ok());
    let (largest, smallest) = (sizes.next().unwrap_or(64), sizes.next().unwrap_or(2));
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    println!(
        "{:<9} {:>3} {:>10} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}   {:>24}",
        "form", "n", "total ms", "growth", "read", "derive", "compile", "nodes", "ops", "peers ms"
    );
    for (name, form, peers) in
        [("squares", Form::Squares, &["casadi_nested"][..]), ("reduced", Form::Reduced, &["casadi", "symengine"][..])]
    {
        for backend in [Backend::InstantCode, Backend::Interpreter] {
            let mut before: Option<Duration> = None;
            let mut n = smallest;
            println!("{name}, {}", backend.name());
            while n <= largest {
                let repetitions = if n <= 16 { 20 } else { 7 };
                let best = (0..repetitions).map(|_| measure(form, n, backend)).min_by_key(Measured::total);
                let best = best.expect("measured");
                let growth = before.map_or(String::new(), |b| format!("{:.2}x", ms(best.total()) / ms(b)));
                let others: Vec<String> = peers
                    .iter()
                    .filter(|p| n <= 32 || **p != "symengine")
                    .filter_map(|p| Some(format!("{p} {:.2}", peer(p, n)? * 1e3)))
                    .collect();
                println!(
                    "{name:<9} {n:>3} {:>10.3} {growth:>7} {:>8.3} {:>8.3} {:>8.3} {:>8} {:>8}   {:>24}",
                    ms(best.total()),
                    ms(best.read),
                    ms(best.derive),
                    ms(best.compile),
                    best.nodes,
                    best.operations,
                    others.join(", ")
                );
                before = Some(best.total());
                n *= 2;
            }
        }
    }
    if let Some(peak) = peak_memory() {
        println!("peak memory of all of it: {peak}");
    }
}
