//! Runs that are hard to end. Every row of the table of methods goes through one table of hard cases, and through long runs of
//! fifty mechanisms; a method that is added later is in both without another word. Nothing here measures time: a run that
//! would not end is one that takes more steps than its limit, or says another reason than the one that is there.

use lepage::workshop::algebra::Inquiry;
use lepage::workshop::codegen::compiled::{Backend, Options};
use lepage::workshop::codegen::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Shape, Unary, Value};
use lepage::workshop::integrate::control::StopReason;
use lepage::workshop::integrate::method::{Family, Method};
use lepage::workshop::integrate::problem::{Direction, Event, InitialValueProblem, Motion, MotionSpec, Recording};
use lepage::workshop::integrate::run;
use lepage::workshop::integrate::trajectory::Trajectory;

/// A kernel from a function of the states.
fn kernel(n: usize, f: impl FnOnce(&mut KernelBuilder, &[Value]) -> Vec<Value>) -> Kernel {
    let mut b = KernelBuilder::new("test");
    let y: Vec<Value> = (0..n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
    for (i, v) in f(&mut b, &y).into_iter().enumerate() {
        b.output(format!("o{i}"), v);
    }
    b.finish()
}

/// The methods that take every motion; those for separable ones, Lagrangians and groups have their tests in numerics.
fn for_every_motion() -> impl Iterator<Item = Method> {
    let takes_all = |family: Family| match family {
        Family::Splitting(_) | Family::Variational | Family::LieVariational | Family::LieGauss => false,
        Family::Choice | Family::Series | Family::Explicit(_) | Family::Gauss => true,
        Family::Radau | Family::Differentiation => true,
    };
    Method::all().filter(move |method| takes_all(method.row().family))
}

fn run_of(cx: &Inquiry, motion: &Motion, problem: &InitialValueProblem) -> Trajectory {
    run(cx, motion, problem).unwrap_or_else(|why| panic!("{}: {why}", problem.method))
}

/// One thing that a run can meet.
struct HardCase {
    name: &'static str,
    spec: fn() -> MotionSpec,
    state: &'static [f64],
    /// Where time begins and ends.
    time: [f64; 2],
    /// The step of methods that have one, and the first of the others.
    step: f64,
    /// Whether the run is what it should be, for a method that controls its step, and for one that does not.
    holds: fn(&Trajectory, bool) -> bool,
}

fn near(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}

/// The closed forms are by hand; where a fixed step cannot see what is ahead, the run has to end with finite numbers.
const HARD_CASES: [HardCase; 10] = [
    HardCase {
        // y = t/2 − t²/2, which is 0 at the start and at t = 1.
        name: "an event at the start",
        spec: || falling(|b, _| b.constant(-1.0)),
        state: &[0.0, 0.5],
        time: [0.0, 5.0],
        step: 0.125,
        holds: |run, _| matches!(run.reason, StopReason::Event { .. }) && near(run.end, 1.0, 1e-9),
    },
    HardCase {
        // y″ = −2y² − 1, y′(0) = v: back at 2v − (8/15)·2v³·… ; for v = 1/100 the first term is right to 10⁻⁵ of it.
        name: "an event at the start of a short arc",
        spec: || {
            falling(|b, y| {
                let (two, one) = (b.constant(-2.0), b.constant(-1.0));
                let square = b.mul(y[0], y[0]);
                b.fma(two, square, one)
            })
        },
        state: &[0.0, 0.01],
        time: [0.0, 2.0],
        step: 0.125,
        holds: |run, _| matches!(run.reason, StopReason::Event { .. }) && near(run.end, 0.02, 1e-5),
    },
    HardCase {
        // y′ = −10 √y √y = −10 y stays above 0; the stages of a step of 1 do not.
        name: "a stage outside the domain",
        spec: || {
            MotionSpec::field(kernel(1, |b, y| {
                let (root, ten) = (b.sqrt(y[0]), b.constant(-10.0));
                let product = b.mul(root, root);
                vec![b.mul(ten, product)]
            }))
        },
        state: &[1.0],
        time: [0.0, 1.0],
        step: 1.0,
        holds: |run, adaptive| match adaptive {
            true => run.reason == StopReason::Reached && near(run.last()[0], (-10f64).exp(), 1e-8),
            false => matches!(run.reason, StopReason::SingularPoint { .. } | StopReason::Reached),
        },
    },
    HardCase {
        // y = (1 − t/2)², and nothing beyond t = 2.
        name: "the end of the domain",
        spec: || {
            MotionSpec::field(kernel(1, |b, y| {
                let root = b.sqrt(y[0]);
                vec![b.neg(root)]
            }))
        },
        state: &[1.0],
        time: [0.0, 5.0],
        step: 0.01,
        holds: |run, _| !run.reason.is_complete() && near(run.end, 2.0, 2e-2),
    },
    HardCase {
        // y = (1 − t/3)³, and no real y^(2/3) beyond t = 3 by a formula that means positive y.
        name: "the end of a power",
        spec: || {
            MotionSpec::field(kernel(1, |b, y| {
                let two_thirds = b.constant(2.0 / 3.0);
                let power = b.binary(Binary::Pow, y[0], two_thirds);
                vec![b.neg(power)]
            }))
        },
        state: &[1.0],
        time: [0.0, 5.0],
        step: 0.01,
        holds: |run, _| !run.reason.is_complete() && near(run.end, 3.0, 3e-2),
    },
    HardCase {
        // x = t − 1, v′ = 0 for x < 0 and 1 from then on: v = 1 at t = 2. Steps of 1/4 end at the kink.
        name: "a kink at the end of a step",
        spec: || {
            MotionSpec::field(kernel(2, |b, y| {
                let (zero, one) = (b.constant(0.0), b.constant(1.0));
                let force = b.select(Comparison::Lt, y[0], zero, zero, one);
                vec![one, force]
            }))
        },
        state: &[-1.0, 0.0],
        time: [0.0, 2.0],
        step: 0.25,
        holds: |run, _| run.reason == StopReason::Reached && near(run.last()[1], 1.0, 1e-9),
    },
    HardCase {
        // v′ = −sign v from v = 1: at t = 1 it would have to stay at the switch.
        name: "a switch that holds the motion",
        spec: || {
            MotionSpec::field(kernel(1, |b, y| {
                let s = b.unary(Unary::Sign, y[0]);
                vec![b.neg(s)]
            }))
        },
        state: &[1.0],
        time: [0.0, 5.0],
        step: 0.25,
        holds: |run, _| !run.reason.is_complete() && near(run.end, 1.0, 1e-6),
    },
    HardCase {
        // A fall into the centre, x″ = −1/x² from rest at 1: there at π/√8.
        name: "a pole ahead",
        spec: || {
            MotionSpec::field(kernel(2, |b, y| {
                let one = b.constant(-1.0);
                let square = b.mul(y[0], y[0]);
                vec![y[1], b.div(one, square)]
            }))
        },
        state: &[1.0, 0.0],
        time: [0.0, 5.0],
        step: 0.01,
        holds: |run, adaptive| match adaptive {
            true => !run.reason.is_complete() && near(run.end, std::f64::consts::PI / 8f64.sqrt(), 1e-4),
            false => true,
        },
    },
    HardCase {
        // y = 1/(1 − t).
        name: "a growth without bound",
        spec: || MotionSpec::field(kernel(1, |b, y| vec![b.mul(y[0], y[0])])),
        state: &[1.0],
        time: [0.0, 5.0],
        step: 0.01,
        holds: |run, adaptive| !run.reason.is_complete() && (!adaptive || near(run.end, 1.0, 1e-4)),
    },
    HardCase {
        // Numbers around 10¹⁶ are 2 apart, and the motion turns once in 0.6.
        name: "a step below rounding",
        spec: || {
            MotionSpec::field(kernel(2, |b, y| {
                let (ten, back) = (b.constant(10.0), b.constant(-10.0));
                vec![b.mul(ten, y[1]), b.mul(back, y[0])]
            }))
        },
        state: &[1.0, 0.0],
        time: [1e16, 1e16 + 1000.0],
        step: 0.1,
        holds: |run, _| matches!(run.reason, StopReason::StepTooSmall | StopReason::Stalled),
    },
];

/// y″ = f(y), stopped when y falls through 0.
fn falling(f: fn(&mut KernelBuilder, &[Value]) -> Value) -> MotionSpec {
    let height = kernel(2, |_, y| vec![y[0]]);
    let field = kernel(2, |b, y| vec![y[1], f(b, y)]);
    MotionSpec::field(field).events(height, vec![Event::stop("ground", Direction::Falling)])
}

/// Steps that a hard case may take.
const HARD_STEPS: u64 = 200_000;

#[test]
fn every_method_ends_the_hard_cases() {
    let cx = &Inquiry::free();
    let mut failures = Vec::new();
    for case in &HARD_CASES {
        let backends = [Backend::OptimisedCode, Backend::Interpreter];
        for backend in backends {
            let motion = Motion::new((case.spec)(), Options { backend, portable: false });
            for method in for_every_motion() {
                let [start, end] = case.time;
                let mut problem = InitialValueProblem::new(case.state.to_vec(), vec![], end)
                    .from(start)
                    .method(method)
                    .tolerance(1e-10);
                problem = match method.row().adaptive() {
                    true => problem.step(case.step),
                    false => problem.fixed_step(case.step),
                };
                problem.limits.steps = HARD_STEPS;
                let made = run_of(cx, &motion, &problem);
                let finite = (0..made.len()).all(|i| made.state(i).iter().all(|x| x.is_finite()));
                let in_time = made.reason.name() != "budget" && made.statistics.steps < HARD_STEPS;
                if !(finite && in_time && (case.holds)(&made, method.row().adaptive())) {
                    failures.push(format!(
                        "{method} ({backend:?}), {}: {} at {}, {:?}, {} steps",
                        case.name,
                        made.reason,
                        made.end,
                        made.last(),
                        made.statistics.steps
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Accelerations of some coordinates from random terms: a linear system with a definite matrix, or a triangular one, of which
/// one acceleration is substituted into the next. Springs and friction hold every motion, since the other terms are bounded.
fn mechanism(random: &mut impl FnMut(usize) -> usize) -> (Kernel, usize) {
    let n = 1 + random(3);
    let shape = random(3);
    let field = kernel(2 * n, |b, y| {
        let (q, v) = y.split_at(n);
        let mut bounded = |b: &mut KernelBuilder| {
            let (x, w) = (q[random(n)], v[random(n)]);
            let one = b.constant(1.0);
            let square = b.mul(x, x);
            let more = b.add(one, square);
            match random(8) {
                0 => b.sin(x),
                1 => b.cos(x),
                2 => b.div(x, more),
                3 => {
                    let minus = b.neg(square);
                    b.unary(Unary::Exp, minus)
                }
                4 => {
                    let root = b.sqrt(more);
                    b.div(x, root)
                }
                5 => {
                    let (log, s) = (b.unary(Unary::Log, more), b.sin(w));
                    let tenth = b.constant(0.1);
                    let product = b.mul(log, s);
                    b.mul(tenth, product)
                }
                6 => {
                    let sum = b.add(x, w);
                    b.sin(sum)
                }
                _ => b.unary(Unary::Tanh, w),
            }
        };
        let mut forces: Vec<Value> = Vec::new();
        for i in 0..n {
            let friction = b.constant(-0.05);
            let mut force = b.mul(friction, v[i]);
            force = b.sub(force, q[i]);
            for _ in 0..2 {
                let (x, y) = (bounded(b), bounded(b));
                let product = b.mul(x, y);
                force = b.add(force, product);
            }
            forces.push(force);
        }
        let accelerations = match shape {
            0 => forces,
            1 => {
                // A quarter of the acceleration before goes into the next.
                let mut made: Vec<Value> = Vec::new();
                for force in forces {
                    let quarter = b.constant(0.25);
                    let next = match made.last() {
                        Some(&before) => b.fma(quarter, before, force),
                        None => force,
                    };
                    made.push(next);
                }
                made
            }
            _ => {
                let mut matrix = vec![b.constant(0.0); n * n];
                for i in 0..n {
                    matrix[i * n + i] = b.constant(2.0);
                    for j in 0..i {
                        let difference = b.sub(q[i], q[j]);
                        let (cosine, part) = (b.cos(difference), b.constant(0.6));
                        matrix[i * n + j] = b.mul(part, cosine);
                        matrix[j * n + i] = matrix[i * n + j];
                    }
                }
                b.solve(Shape::Symmetric, matrix, forces)
            }
        };
        [v, &accelerations].concat()
    });
    (field, 2 * n)
}

/// Steps of the long runs, and of the others.
const LONG: u64 = 100_000;
const SHORT: u64 = 1_000;

/// Fifty mechanisms. Every method runs each of them for a thousand steps with machine code and with the interpreter, to the
/// same bits, and every tenth of them, another tenth for each method, for a hundred thousand: long enough for steps to be
/// compiled as a whole on the way, and for a run that grows without recording to be seen.
#[cfg(feature = "jit")]
#[test]
fn long_runs_of_many_shapes_end_alike() {
    let cx = &Inquiry::free();
    let mut seed = 3u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for number in 0..50 {
        let (field, n) = mechanism(&mut random);
        let motions = [Backend::OptimisedCode, Backend::Interpreter]
            .map(|backend| Motion::new(MotionSpec::field(field.clone()), Options { backend, portable: false }));
        for (row, method) in for_every_motion().enumerate() {
            if let Family::Choice = method.row().family {
                continue;
            }
            let state = (0..n).map(|i| 0.3 + 0.2 * i as f64).collect();
            let mut problem = InitialValueProblem::new(state, vec![], 1e9).method(method).recording(Recording::Ends);
            problem = if method.row().adaptive() { problem.tolerance(1e-7) } else { problem.fixed_step(0.01) };
            problem.limits.steps = SHORT;
            let [fast, slow] = motions.each_ref().map(|motion| run_of(cx, motion, &problem));
            // Methods for stiff equations cross the rest of the time in few steps once friction has stopped the motion.
            let stiff = matches!(method.row().family, Family::Radau | Family::Differentiation);
            let rests = |run: &Trajectory| stiff && run.reason == StopReason::Reached;
            assert!(fast.statistics.steps >= SHORT || rests(&fast), "{method}, mechanism {number}: {}", fast.reason);
            assert_eq!(fast.method, method);
            // A compiled step evaluates the slope at its end also when it is rejected, so evaluations may differ.
            let counts = |run: &Trajectory| (run.statistics.steps, run.statistics.rejected);
            assert_eq!(counts(&fast), counts(&slow), "{method}, mechanism {number}");
            assert_eq!(fast.last(), slow.last(), "{method}, mechanism {number}");
            if number % 10 == row % 10 {
                problem.limits.steps = LONG;
                let long = run_of(cx, &motions[0], &problem);
                assert!(long.statistics.steps >= LONG || rests(&long), "{method}, mechanism {number}: {}", long.reason);
                assert!(long.last().iter().all(|x| x.is_finite()), "{method}, mechanism {number}");
                assert!(long.len() <= 2, "{method}, mechanism {number}: {} rows of two", long.len());
            }
        }
    }
}

/// A ring of masses whose field has some five thousand operations, and one whose series has some thirty thousand: better code
/// for them is made beside a long run, which takes it up whenever it is ready. That changes no bit, and what the run says of
/// itself does not depend on the moment.
#[cfg(feature = "jit")]
#[test]
fn better_code_is_not_waited_for() {
    let cx = &Inquiry::free();
    let ring = |masses: usize| {
        let field = kernel(2 * masses, |b, y| {
            let cubic: Vec<Value> = (0..masses)
                .map(|i| {
                    let stretch = b.sub(y[(i + 1) % masses], y[i]);
                    let square = b.mul(stretch, stretch);
                    let cube = b.mul(square, stretch);
                    let sum = b.add(cube, square);
                    b.add(sum, stretch)
                })
                .collect();
            let mut slopes = y[masses..].to_vec();
            slopes.extend((0..masses).map(|i| {
                let force = b.sub(cubic[i], cubic[(i + masses - 1) % masses]);
                let square = b.mul(force, force);
                let friction = b.mul(square, y[masses + i]);
                b.sub(force, friction)
            }));
            slopes
        });
        let state = (0..2 * masses).map(|i| if i < masses { 0.1 * (i as f64).sin() } else { 0.0 }).collect();
        (field, InitialValueProblem::new(state, vec![], 1e9).recording(Recording::Ends))
    };
    let rows = [(500, Method::DOP853, 700, 1e-6), (100, Method::TAYLOR, 2100, 1e-9)];
    for (masses, method, steps, tolerance) in rows {
        let (field, problem) = ring(masses);
        let mut problem = problem.method(method).tolerance(tolerance);
        problem.limits.steps = steps;
        let [fast, slow] = [Backend::OptimisedCode, Backend::Interpreter].map(|backend| {
            let motion = Motion::new(MotionSpec::field(field.clone()), Options { backend, portable: false });
            run_of(cx, &motion, &problem)
        });
        assert!(fast.statistics.steps >= steps, "{method}: {}", fast.reason);
        assert_eq!(fast.last(), slow.last(), "{method}");
        assert_eq!((fast.backend, slow.backend), (Backend::OptimisedCode, Backend::Interpreter), "{method}");
    }
}

/// A grid that is finer than the numbers at its start would be counted for ever.
#[test]
fn a_grid_finer_than_numbers_ends_the_run() {
    let cx = &Inquiry::free();
    let field = kernel(2, |b, y| vec![y[1], b.neg(y[0])]);
    let grid = Recording::Every(1e-300);
    let mut problem = InitialValueProblem::new(vec![1.0, 0.0], vec![], 2.0).from(1.0).recording(grid);
    problem.limits.numbers = 1000;
    let run = run_of(cx, &Motion::new(MotionSpec::field(field), Options::default()), &problem);
    assert!(matches!(run.reason, StopReason::Budget { .. }), "{}", run.reason);
}
