//! Right-hand sides, steps and whole runs of the benchmark systems, in the units of the peer measurements.
//!
//! ```text
//! cargo bench --bench motion                      everything, as a table
//! cargo bench --bench motion -- rhs dp            one line of JSON: ns per right-hand side (one state, two states)
//! cargo bench --bench motion -- ode dp dop853 1e-9   one line of JSON: seconds, final state, error, steps
//! cargo bench --bench motion -- compile dp        one line of JSON: milliseconds
//! ```
//!
//! Times are minima over many short repetitions, in CPU time of the process.

#[path = "models.rs"]
mod models;

use std::time::{Duration, Instant};

use lepage::codegen::compiled::{self, Options};
use lepage::codegen::jet_compiled;
use lepage::integrate::method::Method;
use lepage::integrate::problem::{InitialValueProblem, Motion, MotionSpec, Recording};
use lepage::integrate::run;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["rhs", model] => println!("{}", rhs(model)),
        ["ode", model, method, tolerance] => {
            println!(
                "{}",
                ode(model, Method::named(method).expect("a method"), tolerance.parse().expect("a tolerance"))
            )
        }
        ["compile", model] => println!("{}", compile(model)),
        [] => table(),
        _ => eprintln!("usage: motion [rhs MODEL | ode MODEL METHOD TOLERANCE | compile MODEL]"),
    }
}

fn table() {
    for model in ["dp", "nl8", "oss", "disk"] {
        println!("rhs {model}: {}", rhs(model));
    }
    for model in ["kepler", "dp", "hh", "oss"] {
        println!("compile {model}: {}", compile(model));
        for (method, tolerances) in
            [(Method::Dop853, ["1e-6", "1e-9", "1e-12", "1e-14"]), (Method::Taylor, ["1e-6", "1e-9", "1e-12", "1e-14"])]
        {
            for tolerance in tolerances {
                println!("{model} {method} {tolerance}: {}", ode(model, method, tolerance.parse().expect("a number")));
            }
        }
    }
}

/// The shortest time of one of `repetitions` runs of `work`, in nanoseconds.
fn best(repetitions: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}

/// ns per evaluation over 1024 nearby states.
fn rhs(name: &str) -> String {
    const STATES: usize = 1024;
    let model = models::named(name).expect("a model");
    let n = model.state.len();
    let kernel = compiled::compile(model.field, Options::default());
    let states: Vec<f64> = (0..STATES)
        .flat_map(|b| {
            let scale = 1.0 + 1e-4 * (b % 97) as f64;
            model.state.iter().map(move |y| y * scale)
        })
        .collect();
    let mut derivatives = vec![0.0; STATES * n];
    let mut caller = kernel.caller();
    let single = best(200, || {
        for (y, dy) in states.chunks_exact(n).zip(derivatives.chunks_exact_mut(n)) {
            assert!(caller.call_fast([&[], y, &[], &[]], dy));
        }
    }) / STATES as f64;
    let derivative = derivatives[..n].to_vec();
    let mut pairs = vec![0.0; STATES * n];
    for (i, y) in states.iter().enumerate() {
        let (state, entry) = (i / n, i % n);
        pairs[(state / 2) * 2 * n + 2 * entry + state % 2] = *y;
    }
    let mut pair_caller = kernel.pair_caller();
    let double = best(200, || {
        for (y, dy) in pairs.chunks_exact(2 * n).zip(derivatives.chunks_exact_mut(2 * n)) {
            assert!(pair_caller.call_fast([&[], y, &[], &[]], dy));
        }
    }) / STATES as f64;
    // Each evaluation waits for the one before.
    let mut y = model.state.clone();
    let mut dy = vec![0.0; n];
    let chain = best(50, || {
        for _ in 0..1000 {
            caller.call_fast([&[], &y, &[], &[]], &mut dy);
            y.iter_mut().zip(&dy).for_each(|(y, d)| *y += 1e-12 * d);
        }
    }) / 1000.0;
    format!(
        "{{\"scalar\":{{\"array\":{single:.3},\"chain\":{chain:.3},\"deriv\":{derivative:?}}},\"pairs\":{{\"array\":{double:.3},\"deriv\":{derivative:?}}},\"operations\":{},\"bytes\":{},\"compile_ms\":{:.3}}}",
        kernel.executed().n_operations(),
        kernel.code_size(),
        kernel.compile_time().as_secs_f64() * 1e3,
    )
}

fn ode(name: &str, method: Method, tolerance: f64) -> String {
    let model = models::named(name).expect("a model");
    let motion = Motion::new(MotionSpec::field(model.field), Options::default());
    let problem = InitialValueProblem::new(model.state, vec![], model.end)
        .method(method)
        .tolerance(tolerance)
        .recording(Recording::Ends);
    // The first run compiles what the method needs.
    let mut trajectory = run(&motion, &problem).expect("a run");
    let mut time = f64::INFINITY;
    let start = Instant::now();
    let mut runs = 0;
    while runs < 3 || start.elapsed() < Duration::from_millis(500) && runs < 50 {
        let begin = Instant::now();
        trajectory = run(&motion, &problem).expect("a run");
        time = time.min(begin.elapsed().as_secs_f64());
        runs += 1;
    }
    let s = trajectory.statistics;
    format!(
        "{{\"time\":{time:.9},\"error\":{:.2e},\"steps\":{},\"rejected\":{},\"order\":{},\"ns_per_step\":{:.1},\"backend\":\"{}\",\"compile\":{:.6},\"y\":{:?}}}",
        models::error(trajectory.last(), &model.reference),
        s.steps,
        s.rejected,
        s.order,
        time * 1e9 / (s.steps + s.rejected) as f64,
        trajectory.backend,
        motion.compile_time().as_secs_f64(),
        trajectory.last(),
    )
}

fn compile(name: &str) -> String {
    let model = models::named(name).expect("a model");
    let field = best(5, || drop(compiled::compile(model.field.clone(), Options::default()))) / 1e6;
    let jet = |order: usize| {
        let mut bytes = 0;
        let time = best(3, || {
            let jet = jet_compiled::compile(&model.field, order, Options::default(), false).expect("a series");
            bytes = jet.code_size();
        }) / 1e6;
        format!("{time:.3}, \"bytes{order}\":{bytes}")
    };
    format!("{{\"field_ms\":{field:.3},\"taylor12_ms\":{},\"taylor19_ms\":{}}}", jet(12), jet(19))
}
