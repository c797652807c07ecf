//! Right-hand sides, steps and whole runs of the programs in `benches/peers`, in the units of the peer measurements.
//!
//! ```text
//! cargo bench --bench motion                            everything, as a table
//! cargo bench --bench motion -- rhs dp                  one line of JSON: ns per right-hand side (one state, two states)
//! cargo bench --bench motion -- ode dp taylor 1e-9      one line of JSON: seconds, final state, steps
//! cargo bench --bench motion -- fixed kepler verlet 0.002 1000000    the same with a step and a number of steps
//! cargo bench --bench motion -- projection rolling      the same for a motion on constraints, with and without projection
//! cargo bench --bench motion -- compile dp              one line of JSON: milliseconds
//! cargo bench --bench motion -- long 100000             one line of JSON: seconds to compile so many operations
//! cargo bench --bench motion -- ensemble                one line of JSON: 10 000 double pendulums, two at a time and alone
//! cargo bench --bench motion -- kernel dp               the vector field, operation by operation
//! cargo bench --bench motion -- gcc dp                  one line of JSON: ratio to gcc -O3 on the same expressions
//! ```
//!
//! A model is a program whose last statement is a run; the run is repeated with the method and tolerance asked for. Times
//! are minima over many short repetitions: of right-hand sides by the clock on the wall, of runs by that of the processor.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::Inquiry;
use lepage::workshop::codegen::compiled::{self, CompiledKernel, Options};
use lepage::workshop::codegen::emit::{self, Language};
use lepage::workshop::codegen::ir::{Bank, KernelBuilder};
use lepage::workshop::codegen::jet_compiled;
use lepage::workshop::codegen::optimise::{self, Rewrites};
use lepage::workshop::integrate::control::Tolerance;
use lepage::workshop::integrate::method::{Method, Written};
use lepage::workshop::integrate::pairs;
use lepage::workshop::integrate::problem::{InitialValueProblem, Motion, Recording};
use lepage::workshop::integrate::run;
use lepage::workshop::model::value::Value;
use lepage::workshop::timing;

/// The models of the peer measurements.
const MODELS: [&str; 6] = ["kepler", "dp", "hh", "oss", "nl8", "disk"];

fn main() {
    let cx = &Inquiry::free();
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["rhs", model] => println!("{}", rhs(&Model::read(model))),
        ["ode", model, method, tolerance] => {
            let tolerance = tolerance.parse().expect("a tolerance");
            println!("{}", ode(cx, &Model::read(model), method_named(method), tolerance));
        }
        ["fixed", model, method, step, steps] => {
            let (step, steps): (f64, f64) = (step.parse().expect("a step"), steps.parse().expect("a number"));
            println!("{}", fixed(cx, &Model::read(model), method_named(method), step, steps));
        }
        ["projection", model] => println!("{}", projection(cx, &Model::read(model))),
        ["kernel", model] => print_kernel(&Model::read(model)),
        ["ensemble"] => println!("{}", ensemble(cx, &Model::read("dp"))),
        ["compile", model] => println!("{}", compile(&Model::read(model))),
        ["gcc", model] => println!("{}", gcc(&Model::read(model))),
        ["shapes"] => shapes(),
        ["long", operations] => println!("{}", long(operations.parse().expect("a number"))),
        [] => table(cx),
        _ => eprintln!(
            "usage: motion [rhs MODEL | ode MODEL METHOD TOLERANCE | fixed MODEL METHOD STEP STEPS | projection MODEL | ensemble | compile MODEL | kernel MODEL | gcc MODEL | shapes | long OPERATIONS]"
        ),
    }
}

/// A method as it is written, `gauss(4)`.
fn method_named(text: &str) -> Method {
    let method = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, number)) => Method::written(name, &[Written::Number(number.parse().expect("a number"))]).ok(),
        None => Method::named(text),
    };
    method.unwrap_or_else(|| panic!("{text} is no method"))
}

/// What a program asked to run.
struct Model {
    motion: Rc<Motion>,
    problem: InitialValueProblem,
}

impl Model {
    /// The last run of a program, by the name of a model or the path of a file.
    fn read(name: &str) -> Model {
        let path = match name.ends_with(".mech") {
            true => PathBuf::from(name),
            false => folder().join(format!("{name}.mech")),
        };
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed(&path.display().to_string(), &text, Mode::File);
        for outcome in &outcomes {
            assert!(outcome.held(), "{}: {:?}", outcome.statement, outcome.diagnostics);
        }
        let runs = outcomes.iter().rev().filter_map(|o| o.answer.as_ref());
        let run = runs.filter_map(|a| if let Value::Run(run) = a.value() { Some(run.clone()) } else { None }).next();
        let run = run.unwrap_or_else(|| panic!("{} runs nothing", path.display()));
        let problem = InitialValueProblem { dense: false, ..run.problem.clone().recording(Recording::Ends) };
        Model { motion: run.motion.clone(), problem }
    }
}

/// The vector field as it is given, with its numbers.
fn print_kernel(model: &Model) {
    let kernel = model.motion.field().kernel();
    for input in kernel.inputs() {
        println!("in {} {} {}", input.bank.name(), input.slot, input.name);
    }
    println!("state {:?}\nparameters {:?}\nend {:?}", model.problem.state, model.problem.parameters, model.problem.end);
    println!("{kernel:?}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers")
}

fn table(cx: &Inquiry) {
    for name in MODELS {
        println!("rhs {name}: {}", rhs(&Model::read(name)));
    }
    for name in &MODELS[..4] {
        let model = Model::read(name);
        println!("compile {name}: {}", compile(&model));
        for method in [Method::DOP853, Method::TAYLOR] {
            for tolerance in [1e-6, 1e-9, 1e-12, 1e-14] {
                println!("{name} {method} {tolerance:e}: {}", ode(cx, &model, method, tolerance));
            }
        }
    }
    shapes();
}

/// Passes over all states between two looks at the clock, which takes as long as some states.
const PASSES: usize = 8;

/// The shortest time of `work` in nanoseconds, by the clock on the wall: interruptions lengthen a repetition, and the clock of
/// the processor is at times set back by them.
fn shortest(repetitions: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        for _ in 0..PASSES {
            work();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / PASSES as f64);
    }
    best
}

/// The shortest time of one of `repetitions` runs of `work`, in nanoseconds of the processor.
fn best(repetitions: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let start = timing::thread_cpu();
        work();
        best = best.min((timing::thread_cpu() - start).as_nanos() as f64);
    }
    best
}

const STATES: usize = 1024;

/// 1024 nearby states, one after the other.
fn nearby(state: &[f64]) -> Vec<f64> {
    let scaled = |b: usize| {
        let scale = 1.0 + 1e-4 * (b % 97) as f64;
        state.iter().map(move |y| y * scale)
    };
    (0..STATES).flat_map(scaled).collect()
}

/// Input, its pairs and results, whole pages apart, so that no store is mistaken for the source of a later load.
struct Arrays {
    memory: Vec<f64>,
    n: usize,
}

impl Arrays {
    fn new(state: &[f64]) -> Arrays {
        let n = state.len();
        let room = Arrays::room(n);
        let mut memory = vec![0.0; 3 * room];
        for (i, y) in nearby(state).into_iter().enumerate() {
            let (state, entry) = (i / n, i % n);
            memory[i] = y;
            memory[room + (state / 2) * 2 * n + 2 * entry + state % 2] = y;
        }
        Arrays { memory, n }
    }

    fn room(n: usize) -> usize {
        (STATES * n).next_multiple_of(512)
    }

    /// States one by one, states in pairs, results.
    fn parts(&mut self) -> (&[f64], &[f64], &mut [f64]) {
        let (room, used) = (Arrays::room(self.n), STATES * self.n);
        let (states, rest) = self.memory.split_at_mut(room);
        let (pairs, results) = rest.split_at_mut(room);
        (&states[..used], &pairs[..used], &mut results[..used])
    }
}

/// ns per evaluation over 1024 nearby states, all in one call.
fn looped(kernel: &CompiledKernel, problem: &InitialValueProblem) -> (f64, Vec<f64>) {
    let n = problem.state.len();
    let mut arrays = Arrays::new(&problem.state);
    let (states, _, derivatives) = arrays.parts();
    let mut caller = kernel.array_caller();
    let time =
        shortest(400, || assert!(caller.call_fast([&[0.0], states, &problem.parameters, &[]], STATES, derivatives)));
    (time / STATES as f64, derivatives[..n].to_vec())
}

/// ns per evaluation over 1024 nearby states, each by a call of its own.
fn scalar(kernel: &CompiledKernel, problem: &InitialValueProblem) -> (f64, Vec<f64>) {
    let n = problem.state.len();
    let mut arrays = Arrays::new(&problem.state);
    let (states, _, derivatives) = arrays.parts();
    let mut caller = kernel.caller();
    let single = shortest(200, || {
        for (y, dy) in states.chunks_exact(n).zip(derivatives.chunks_exact_mut(n)) {
            assert!(caller.call_fast([&[0.0], y, &problem.parameters, &[]], dy));
        }
    });
    (single / STATES as f64, derivatives[..n].to_vec())
}

/// ns per evaluation over 1024 nearby states: all in one call, in pairs, one by one, each waiting for the one before.
fn rhs(model: &Model) -> String {
    let problem = &model.problem;
    let kernel = model.motion.field();
    let n = problem.state.len();
    let (called, _) = scalar(kernel, problem);
    let (single, derivative) = looped(kernel, problem);
    let mut arrays = Arrays::new(&problem.state);
    let (_, pairs, derivatives) = arrays.parts();
    let parameters: Vec<f64> = problem.parameters.iter().flat_map(|p| [*p, *p]).collect();
    let mut pair_caller = kernel.pair_array_caller();
    let double =
        shortest(400, || assert!(pair_caller.call_fast([&[0.0; 2], pairs, &parameters, &[]], STATES / 2, derivatives)));
    let of_pairs: Vec<f64> = derivatives[..2 * n].iter().step_by(2).copied().collect();
    let mut caller = kernel.caller();
    let mut y = problem.state.clone();
    let mut dy = vec![0.0; n];
    let chain = shortest(50, || {
        for _ in 0..1000 {
            caller.call_fast([&[0.0], &y, &problem.parameters, &[]], &mut dy);
            y.iter_mut().zip(&dy).for_each(|(y, d)| *y += 1e-12 * d);
        }
    });
    let (double, chain) = (double / STATES as f64, chain / 1000.0);
    format!(
        "{{\"scalar\":{{\"array\":{single:.3},\"called\":{called:.3},\"chain\":{chain:.3},\"deriv\":{derivative:?}}},\"pairs\":{{\"array\":{double:.3},\"deriv\":{of_pairs:?}}}}}",
    )
}

fn ode(cx: &Inquiry, model: &Model, method: Method, tolerance: f64) -> String {
    let mut problem = model.problem.clone().method(method);
    // The smallest tolerance of the peers is below the spacing of doubles; the order still follows from it.
    problem.tolerance = Tolerance::both(tolerance);
    timed(cx, &model.motion, &problem)
}

/// The run of a constrained motion with its projection, and the same equations without it.
fn projection(cx: &Inquiry, model: &Model) -> String {
    let free = model.motion.observing(None, None);
    format!(
        "{{\"with\":{},\"without\":{}}}",
        timed(cx, &model.motion, &model.problem),
        timed(cx, &free, &model.problem)
    )
}

/// So many steps of a method with a fixed step.
fn fixed(cx: &Inquiry, model: &Model, method: Method, step: f64, steps: f64) -> String {
    let mut problem = model.problem.clone().method(method);
    (problem.step, problem.fixed) = (Some(step), true);
    problem.end = problem.start + step * steps;
    problem.limits.steps = problem.limits.steps.max(2 * steps as u64);
    timed(cx, &model.motion, &problem)
}

fn timed(cx: &Inquiry, motion: &Motion, problem: &InitialValueProblem) -> String {
    // The first run compiles what the method needs.
    let mut trajectory = run(cx, motion, problem).expect("a run");
    let mut time = f64::INFINITY;
    let start = Instant::now();
    let mut runs = 0;
    while runs < 3 || start.elapsed() < Duration::from_millis(500) && runs < 50 {
        let begin = timing::thread_cpu();
        trajectory = run(cx, motion, problem).expect("a run");
        time = time.min((timing::thread_cpu() - begin).as_secs_f64());
        runs += 1;
    }
    let s = trajectory.statistics;
    format!(
        "{{\"time\":{time:.9},\"steps\":{},\"rejected\":{},\"order\":{},\"ns_per_step\":{:.1},\"backend\":\"{}\",\"compile\":{:.6},\"method\":\"{}\",\"y\":{:?}}}",
        s.steps,
        s.rejected,
        s.order,
        time * 1e9 / (s.steps + s.rejected) as f64,
        trajectory.backend,
        motion.compile_time().as_secs_f64(),
        trajectory.method,
        trajectory.last(),
    )
}

/// 10 000 double pendulums at rest on a grid of angles, to t = 10: two trajectories at once, and each alone.
fn ensemble(cx: &Inquiry, model: &Model) -> String {
    let problem = |i: usize| {
        let angle = |j: usize| -2.0 + 4.0 * j as f64 / 99.0;
        let mut problem = model.problem.clone().method(Method::DOP853).tolerance(1e-9);
        problem.state = vec![angle(i / 100), angle(i % 100), 0.0, 0.0];
        problem.end = 10.0;
        problem
    };
    let problems: Vec<InitialValueProblem> = (0..10_000).map(problem).collect();
    let mut last = (Vec::new(), Vec::new());
    let pairs = best(2, || {
        let runs = pairs::run_all(cx, &model.motion, &problems);
        let state = |i: usize| runs[i].as_ref().expect("a run").last().to_vec();
        last = (state(0), state(5050));
    });
    let alone = best(1, || problems.iter().for_each(|p| assert!(run(cx, &model.motion, p).is_ok())));
    format!("{{\"time\":{:.6},\"alone\":{:.6},\"y0\":{:?},\"ymid\":{:?}}}", pairs / 1e9, alone / 1e9, last.0, last.1)
}

fn compile(model: &Model) -> String {
    let field = model.motion.field().kernel();
    let mut bytes = 0;
    let field_ms = best(5, || bytes = compiled::compile(field.clone(), Options::default()).code_size()) / 1e6;
    let mut lines = vec![format!(
        "\"operations\":{},\"field_ms\":{field_ms:.3},\"field_bytes\":{bytes}",
        model.motion.field().executed().n_operations()
    )];
    for order in [8, 12, 15, 18, 20] {
        let mut bytes = 0;
        let time = best(3, || {
            let jet = jet_compiled::compile(field, order, Options::default(), false).expect("a series");
            bytes = jet.code_size();
        });
        lines.push(format!("\"taylor{order}_ms\":{:.3},\"taylor{order}_bytes\":{bytes}", time / 1e6));
    }
    format!("{{{}}}", lines.join(","))
}

/// How long a straight-line kernel of many operations takes to compile.
fn long(operations: usize) -> String {
    let mut b = KernelBuilder::new("long");
    let mut values: Vec<_> = (0..16).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
    let mut seed = 1u64;
    let mut pick = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    while b.len() < operations + 16 {
        let mut recent = || values[values.len() - 1 - pick(values.len().min(24))];
        let (x, y, z) = (recent(), recent(), recent());
        let v = match b.len() % 3 {
            0 => b.fma(x, y, z),
            1 => b.sub(x, y),
            _ => b.mul(x, y),
        };
        values.push(v);
        if b.len().is_multiple_of(64) {
            b.output("o", v);
        }
    }
    let kernel = b.finish();
    let start = timing::process_cpu();
    let compiled = compiled::compile(kernel, Options::default());
    let time = (timing::process_cpu() - start).as_secs_f64();
    format!(
        "{{\"operations\":{},\"seconds\":{time:.3},\"bytes\":{},\"backend\":\"{}\"}}",
        compiled.executed().n_operations(),
        compiled.code_size(),
        compiled.backend()
    )
}

/// Models of other shapes than those of the peers, each against gcc.
fn shapes() {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder().join("shapes"))
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    names.retain(|p| p.extension().is_some_and(|e| e == "mech"));
    names.sort();
    for path in names {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}: {}", gcc(&Model::read(&path.to_string_lossy())));
    }
}

/// The emitted C of the same kernel, through `gcc -O3`, with and without the instructions of this machine. Both are loops of
/// machine code over the states; gcc's calls the field, since inlined it would know the parameters, which ours does not.
fn gcc(model: &Model) -> String {
    let problem = &model.problem;
    let field = model.motion.field();
    let (ours, derivative) = looped(field, problem);
    let n = problem.state.len();
    let list = |xs: &[f64]| xs.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(", ");
    // Eliminations unrolled as in our code, nothing contracted: that is for gcc to do.
    let mut kernel = optimise::optimise(field.kernel(), Rewrites::portable());
    kernel.name = "field".to_string();
    let parameters = if problem.parameters.is_empty() { vec![0.0] } else { problem.parameters.clone() };
    // Called, not inlined: ours does not know the parameters either.
    let prototype = "__attribute__((noinline)) int field(const double *, const double *, const double *, const double *, double *);\n";
    let source = prototype.to_string()
        + &emit::emit(&kernel, &[], Language::C).expect("C")
        + &format!(
            "
#include <stdio.h>
#include <time.h>
static double states[{STATES}][{n}], derivatives[{STATES}][{n}];
int main(void) {{
    const double y[] = {{{}}}, p[] = {{{}}}, t[] = {{0.0}};
    for (int b = 0; b < {STATES}; b++) for (int i = 0; i < {n}; i++) states[b][i] = y[i] * (1 + 1e-4 * (b % 97));
    double best = 1e300;
    for (int r = 0; r < 300; r++) {{
        struct timespec a, z;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int b = 0; b < {STATES}; b++) field(t, states[b], p, 0, derivatives[b]);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &z);
        double time = ((z.tv_sec - a.tv_sec) * 1e9 + (z.tv_nsec - a.tv_nsec)) / {STATES};
        if (time < best) best = time;
    }}
    printf(\"%.4f\", best);
    for (int i = 0; i < {n}; i++) printf(\" %.17g\", derivatives[0][i]);
}}
",
            list(&problem.state),
            list(&parameters)
        );
    let directory = std::env::temp_dir().join(format!("lepage-gcc-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary folder");
    let (file, program) = (directory.join("field.c"), directory.join("field"));
    std::fs::write(&file, source).expect("a file");
    let mut columns = Vec::new();
    for (name, flags) in [("O3", &["-O3"][..]), ("O3_native", &["-O3", "-march=native"])] {
        let compiled = Command::new("gcc").args(flags).arg("-o").arg(&program).arg(&file).arg("-lm").output();
        let compiled = compiled.expect("gcc");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&program).output().expect("the program").stdout;
        let numbers: Vec<f64> =
            String::from_utf8_lossy(&output).split_whitespace().map(|x| x.parse().expect("a number")).collect();
        let size = derivative.iter().fold(1e-300f64, |m, x| m.max(x.abs()));
        let difference = derivative.iter().zip(&numbers[1..]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / size));
        let (again, _) = looped(field, problem);
        let ours = ours.min(again);
        columns.push(format!(
            "\"{name}\":{:.2},\"ratio_{name}\":{:.3},\"difference\":{difference:.1e}",
            numbers[0],
            ours / numbers[0]
        ));
    }
    std::fs::remove_dir_all(&directory).expect("the temporary folder");
    format!("{{\"lepage\":{ours:.2},\"operations\":{},{}}}", field.executed().n_operations(), columns.join(","))
}
