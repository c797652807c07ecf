//! What each method keeps, as its row in the table of methods says it: measured for every row, with rows that do not
//! claim it as the proof that the measurement would notice.

use super::*;
use lepage::workshop::integrate::method::{Kept, Quantity, Written};
use lepage::workshop::integrate::variational::Action;

/// Every row with its usual argument, and more orders of those that have several.
fn methods() -> Vec<Method> {
    let gauss = [2, 6, 8].map(|order| Method::written("gauss", &[Written::Number(order)]).unwrap());
    let radau = [9, 13].map(|order| Method::written("radau", &[Written::Number(order)]).unwrap());
    // Formulas of several steps have no map of one step; methods on groups have their own file.
    let has_steps = |m: &Method| {
        let family = m.row().family;
        !matches!(family, Family::Choice | Family::Differentiation | Family::LieVariational | Family::LieGauss)
    };
    Method::all().chain(gauss).chain(radau).chain(variational()).filter(has_steps).collect()
}

/// The discrete Lagrangians, without the usual one.
fn variational() -> Vec<Method> {
    let word = |text: &str| Written::Word(text.into());
    let galerkin = [4, 6, 8].map(|order| vec![word("galerkin"), Written::Number(order)]);
    let lobatto = [4, 6].map(|order| vec![word("lobatto"), Written::Number(order)]);
    let brackets = [vec![word("trapezoidal")]].into_iter().chain(lobatto).chain(galerkin);
    brackets.map(|list| Method::written("variational", &list).unwrap()).collect()
}

/// A problem with steps of a given length, whatever the method.
fn fixed(state: Vec<f64>, end: f64, method: Method, step: f64) -> InitialValueProblem {
    InitialValueProblem::new(state, vec![], end).method(method).fixed_step(step).recording(Recording::Ends)
}

/// H = (1 + q²) p²/2 + q⁴/4 + q²/2, which is no sum of functions of p and of q.
fn inseparable() -> Motion {
    motion(kernel(2, |b, y| {
        let (q, p) = (y[0], y[1]);
        let one = b.constant(1.0);
        let (q2, p2) = (b.mul(q, q), b.mul(p, p));
        let mass = b.add(one, q2);
        let speed = b.mul(mass, p);
        let cubed = b.mul(q2, q);
        let pull = b.mul(p2, q);
        let potential = b.add(cubed, q);
        let force = b.add(pull, potential);
        vec![speed, b.neg(force)]
    }))
}

/// H = p²/2 + q⁴/4 + q²/2, the sum that Verlet's method and its compositions ask for.
fn separable() -> Motion {
    motion(kernel(2, |b, y| {
        let (q, p) = (y[0], y[1]);
        let square = b.mul(q, q);
        let cubed = b.mul(square, q);
        let force = b.add(cubed, q);
        vec![p, b.neg(force)]
    }))
}

/// The same as [`inseparable`], in positions and velocities: L = w v²/2 − q⁴/4 − q²/2 with w = 1/(1 + q²), p = w v, and
/// v′ = q w v² − (q³ + q)/w.
fn lagrangian() -> Motion {
    let field = kernel(2, |b, y| {
        let (q, v) = (y[0], y[1]);
        let one = b.constant(1.0);
        let (q2, v2) = (b.mul(q, q), b.mul(v, v));
        let inverse = b.add(one, q2);
        let first = b.mul(q, v2);
        let first = b.div(first, inverse);
        let pull = b.mul(q, inverse);
        let pull = b.mul(pull, inverse);
        vec![v, b.sub(first, pull)]
    });
    let action = kernel(2, |b, y| {
        let (q, v) = (y[0], y[1]);
        let [one, three, four, minus_two] = [1.0, 3.0, 4.0, -2.0].map(|x| b.constant(x));
        let half = b.constant(0.5);
        let (q2, v2) = (b.mul(q, q), b.mul(v, v));
        let inverse = b.add(one, q2);
        let w = b.div(one, inverse);
        let w2 = b.mul(w, w);
        // w′ = −2 q w², w″ = −2 w² + 8 q² w³ = −2 w² (1 − 4 q² w)
        let w_q = b.mul(q, w2);
        let w_q = b.mul(minus_two, w_q);
        let bracket = b.mul(q2, w);
        let bracket = b.mul(four, bracket);
        let bracket = b.sub(one, bracket);
        let w_qq = b.mul(w2, bracket);
        let w_qq = b.mul(minus_two, w_qq);
        let kinetic = b.mul(half, v2);
        let (first, second) = (b.mul(w_q, kinetic), b.mul(w_qq, kinetic));
        let pull = b.mul(q, inverse);
        let stiffness = b.mul(three, q2);
        let stiffness = b.add(stiffness, one);
        let (force, force_q) = (b.sub(first, pull), b.sub(second, stiffness));
        let (momentum, mixed) = (b.mul(w, v), b.mul(w_q, v));
        vec![force, momentum, force_q, mixed, mixed, w]
    });
    motion(field).with_action(Action { kernel: action, m: 1, holonomic: 0, constraints: 0 })
}

/// A motion that the method can make.
fn suited(method: Method) -> Motion {
    match method.row().family {
        Family::Splitting(_) => separable(),
        Family::Variational => lagrangian(),
        _ => inseparable(),
    }
}

/// A state in the coordinates of [`suited`], from canonical ones and back.
fn to_state(method: Method, q: f64, p: f64) -> Vec<f64> {
    vec![q, if matches!(method.row().family, Family::Variational) { (1.0 + q * q) * p } else { p }]
}

fn canonical(method: Method, state: &[f64]) -> Vec<f64> {
    let (q, p) = (state[0], state[1]);
    vec![q, if matches!(method.row().family, Family::Variational) { p / (1.0 + q * q) } else { p }]
}

fn energy(y: &[f64]) -> f64 {
    let (q, p) = (y[0], y[1]);
    (1.0 + q * q) * p * p / 2.0 + q.powi(4) / 4.0 + q * q / 2.0
}

/// The Jacobian M of one long step, by differences of order 6 (error 10⁻¹² at the distance 10⁻²·²), satisfies Mᵀ J M = J, which
/// in the plane is det M = 1. A step of length 0.3 of rk4 misses it by 10⁻⁵.
#[test]
fn steps_are_symplectic_where_the_table_says_so() {
    let cx = &Inquiry::free();
    for method in methods() {
        let motion = suited(method);
        let step = |q: f64, p: f64| {
            let made = run(cx, &motion, &fixed(to_state(method, q, p), 0.3, method, 0.3)).unwrap();
            canonical(method, made.last())
        };
        let d = 6e-3;
        let column = |direction: [f64; 2]| -> Vec<f64> {
            let beside = |k: f64| step(0.8 + k * d * direction[0], 0.5 + k * d * direction[1]);
            let difference = |k: f64| {
                let (up, down) = (beside(k), beside(-k));
                [0, 1].map(|i| up[i] - down[i])
            };
            let [a, b, c] = [1.0, 2.0, 3.0].map(difference);
            (0..2).map(|i| (45.0 * a[i] - 9.0 * b[i] + c[i]) / (60.0 * d)).collect()
        };
        let (x, y) = (column([1.0, 0.0]), column([0.0, 1.0]));
        let error = (x[0] * y[1] - x[1] * y[0] - 1.0).abs();
        match method.row().keeps(Quantity::SymplecticForm) {
            Some(Kept::ToRounding | Kept::Exactly) => assert!(error < 1e-11, "{method}: {error:e}"),
            Some(Kept::InTheMean) => panic!("{method}: a form has no mean"),
            None if method.order() == Some(4) => assert!(error > 1e-7, "{method}: {error:e}"),
            None => {}
        }
    }
}

/// Euler's equations of a free body: |x|² and Σ xᵢ²/Iᵢ stay.
#[test]
fn quadratic_integrals_stay_where_the_table_says_so() {
    let cx = &Inquiry::free();
    let inertia = [1.0, 2.0, 3.5];
    let motion = motion(kernel(3, |b, y| {
        (0..3)
            .map(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let product = b.mul(y[j], y[k]);
                let factor = b.constant(1.0 / inertia[k] - 1.0 / inertia[j]);
                b.mul(factor, product)
            })
            .collect()
    }));
    let start = vec![0.6, 1.0, -0.4];
    let integrals = |y: &[f64]| {
        let size: f64 = y.iter().map(|x| x * x).sum();
        [size, y.iter().zip(inertia).map(|(x, i)| x * x / i).sum()]
    };
    // Euler's equations are not separable, and have no Lagrangian in these variables.
    let fits = |m: &Method| !matches!(m.row().family, Family::Splitting(_) | Family::Variational);
    for method in methods().into_iter().filter(fits) {
        let last = run(cx, &motion, &fixed(start.clone(), 200.0, method, 0.2)).unwrap();
        let (before, after) = (integrals(&start), integrals(last.last()));
        let drift = before.iter().zip(after).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        match method.row().keeps(Quantity::Quadratic) {
            // A thousand steps with a rounding error each, and not all of one sign.
            Some(Kept::ToRounding | Kept::Exactly) => assert!(drift < 3e-14, "{method}: {drift:e}"),
            Some(Kept::InTheMean) => panic!("{method}: not measured in the mean"),
            None if method.order().is_some_and(|o| o <= 5) => assert!(drift > 1e-9, "{method}: {drift:e}"),
            None => {}
        }
    }
}

/// Two masses 1 and 3 on a spring with the potential (q₁ − q₂)⁴/4: their momentum v₁ + 3 v₂ is a linear integral. The other methods are
/// held to theirs beside the table of methods.
#[test]
fn discrete_lagrangians_keep_linear_integrals() {
    let cx = &Inquiry::free();
    let field = kernel(4, |b, y| {
        let stretch = b.sub(y[0], y[1]);
        let pull = b.powi(stretch, 3);
        let third = b.constant(1.0 / 3.0);
        vec![y[2], y[3], b.neg(pull), b.mul(third, pull)]
    });
    let action = kernel(4, |b, y| {
        let [zero, one, three] = [0.0, 1.0, 3.0].map(|x| b.constant(x));
        let stretch = b.sub(y[0], y[1]);
        let pull = b.powi(stretch, 3);
        let square = b.mul(stretch, stretch);
        let slope = b.mul(three, square);
        let (back, less) = (b.neg(pull), b.neg(slope));
        let momentum = b.mul(three, y[3]);
        let nothing = vec![zero; 4];
        [
            vec![back, pull, y[2], momentum, less, slope, slope, less],
            nothing.clone(),
            nothing,
            vec![one, zero, zero, three],
        ]
        .concat()
    });
    let masses = motion(field).with_action(Action { kernel: action, m: 2, holonomic: 0, constraints: 0 });
    for method in variational().into_iter().chain([Method::named("variational").unwrap()]) {
        assert!(method.row().keeps(Quantity::Linear).is_some());
        let made = run(cx, &masses, &fixed(vec![1.0, -0.5, 0.3, 0.2], 100.0, method, 0.1)).unwrap();
        let y = made.last();
        // It moves with the speed 9/40, from (1 − 3/2)/4; the stretch swings, and not by rounding.
        let centre = (y[0] + 3.0 * y[1]) / 4.0 - (-0.125 + 100.0 * 0.225);
        assert!((y[2] + 3.0 * y[3] - 0.9).abs() < 1e-14, "{method}: {:e}", y[2] + 3.0 * y[3] - 0.9);
        assert!(centre.abs() < 1e-12 && (y[0] - y[1] - 1.5).abs() > 1e-3, "{method}: {centre:e}");
    }
}

/// A planet with the potential −1/r: rotations are a symmetry, and x y′ − y x′ is its momentum. Over 2000 steps it stays to the
/// last bits where the table says so; by rk4 it is lost in the eighth digit.
#[test]
fn momenta_of_symmetries_stay_where_the_table_says_so() {
    let cx = &Inquiry::free();
    let pull = |b: &mut KernelBuilder, y: &[Value]| {
        let (xx, yy) = (b.mul(y[0], y[0]), b.mul(y[1], y[1]));
        let square = b.add(xx, yy);
        let root = b.unary(Unary::Sqrt, square);
        let cube = b.mul(square, root);
        let one = b.constant(1.0);
        (b.div(one, cube), square)
    };
    let field = kernel(4, |b, y| {
        let (factor, _) = pull(b, y);
        let attraction = |b: &mut KernelBuilder, x: Value| {
            let product = b.mul(factor, x);
            b.neg(product)
        };
        vec![y[2], y[3], attraction(b, y[0]), attraction(b, y[1])]
    });
    // ∂Fᵢ/∂qⱼ = r⁻³ (3 qᵢ qⱼ/r² − δᵢⱼ)
    let action = kernel(4, |b, y| {
        let (factor, square) = pull(b, y);
        let [zero, one, three] = [0.0, 1.0, 3.0].map(|x| b.constant(x));
        let mut force = vec![];
        let mut slopes = vec![];
        for i in 0..2 {
            let product = b.mul(factor, y[i]);
            force.push(b.neg(product));
            for j in 0..2 {
                let product = b.mul(y[i], y[j]);
                let ratio = b.div(product, square);
                let ratio = b.mul(three, ratio);
                let bracket = if i == j { b.sub(ratio, one) } else { ratio };
                slopes.push(b.mul(factor, bracket));
            }
        }
        let nothing = vec![zero; 4];
        [force, vec![y[2], y[3]], slopes, nothing.clone(), nothing, vec![one, zero, zero, one]].concat()
    });
    let planet = motion(field).with_action(Action { kernel: action, m: 2, holonomic: 0, constraints: 0 });
    for method in methods() {
        let made = run(cx, &planet, &fixed(vec![0.8, 0.0, 0.0, 1.2], 100.0, method, 0.05)).unwrap();
        assert_eq!(made.reason, StopReason::Reached, "{method}");
        let y = made.last();
        let drift = (y[0] * y[3] - y[1] * y[2] - 0.96).abs();
        match method.row().keeps(Quantity::Momenta) {
            // Two thousand rounding errors, not all of one sign.
            Some(_) => assert!(drift < 3e-14, "{method}: {drift:e}"),
            None if method.order() == Some(4) => assert!(drift > 1e-9, "{method}: {drift:e}"),
            None => {}
        }
    }
}

/// A point on a rod, by its constraint x² + y² = 1, with gravity 1.
fn on_a_rod() -> Motion {
    let field = kernel(4, |b, y| {
        // x″ = −s x, y″ = −1 − s y with s = (|v|² − y)/(x² + y²)
        let squares: Vec<Value> = y.iter().map(|x| b.mul(*x, *x)).collect();
        let (length, speed) = (b.add(squares[0], squares[1]), b.add(squares[2], squares[3]));
        let one = b.constant(1.0);
        let tension = b.sub(speed, y[1]);
        let tension = b.div(tension, length);
        let (first, second) = (b.mul(tension, y[0]), b.mul(tension, y[1]));
        let second = b.add(one, second);
        vec![y[2], y[3], b.neg(first), b.neg(second)]
    });
    let action = kernel(4, |b, y| {
        let [zero, one, two, down] = [0.0, 1.0, 2.0, -1.0].map(|x| b.constant(x));
        let double: Vec<Value> = y.iter().map(|x| b.mul(two, *x)).collect();
        let (xx, yy) = (b.mul(y[0], y[0]), b.mul(y[1], y[1]));
        let length = b.add(xx, yy);
        let (along, up) = (b.mul(double[0], y[2]), b.mul(double[1], y[3]));
        let (position, velocity) = (b.sub(length, one), b.add(along, up));
        let slopes = [vec![zero; 12], vec![one, zero, zero, one], vec![position, velocity]].concat();
        let of_constraint = vec![double[2], double[3], double[0], double[1]];
        [vec![zero, down, y[2], y[3]], slopes, of_constraint].concat()
    });
    motion(field).with_action(Action { kernel: action, m: 2, holonomic: 1, constraints: 1 })
}

/// On a constraint: the order, position and velocity to rounding after 10⁵ steps, and an energy without a trend.
#[test]
fn variational_methods_keep_a_constraint_and_its_energy() {
    let cx = &Inquiry::free();
    let start = vec![0.6, -0.8, 0.4, 0.3];
    let midpoint = Method::named("variational").unwrap();
    let [trapezoidal, lobatto4, lobatto6] = [0, 1, 2].map(|i| variational()[i]);
    for (method, steps) in [(midpoint, 1e5), (trapezoidal, 1e5), (lobatto4, 2e4), (lobatto6, 1e4)] {
        // By series, from the same constraint solved for its force.
        let exact = InitialValueProblem::new(start.clone(), vec![], 4.0).method(Method::TAYLOR).tolerance(1e-14);
        let exact = run(cx, &on_a_rod(), &exact).unwrap();
        let error = |step: f64| {
            let made = run(cx, &on_a_rod(), &fixed(start.clone(), 4.0, method, step)).unwrap();
            made.last().iter().zip(exact.last()).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let step = if method.order() == Some(2) { 0.02 } else { 0.2 };
        let order = (error(step) / error(step / 2.0)).log2();
        assert!((order - f64::from(method.order().unwrap())).abs() < 0.25, "{method}: {order}");
        let problem = fixed(start.clone(), 0.1 * steps, method, 0.1).recording(Recording::Every(5.0));
        let made = run(cx, &on_a_rod(), &problem).unwrap();
        assert_eq!(made.reason, StopReason::Reached);
        let mut points = vec![];
        for i in 0..made.len() {
            let y = made.state(i);
            let off = (y[0] * y[0] + y[1] * y[1] - 1.0).abs().max((y[0] * y[2] + y[1] * y[3]).abs());
            assert!(off < 1e-14, "{method}: {off:e}");
            points.push((made.times()[i], (y[2] * y[2] + y[3] * y[3]) / 2.0 + y[1]));
        }
        let (slope, error) = regression(&points);
        assert!(slope.abs() < 4.0 * error, "{method}: {slope:e} ± {error:e}");
    }
}

/// A run and the run back from its end, with the same steps.
#[test]
fn runs_are_reversed_where_the_table_says_so() {
    let cx = &Inquiry::free();
    for method in methods() {
        let motion = suited(method);
        let there = run(cx, &motion, &fixed(vec![0.8, 0.5], 32.0, method, 0.25)).unwrap();
        let back = run(cx, &motion, &fixed(there.last().to_vec(), 0.0, method, 0.25).from(32.0)).unwrap();
        let error = (back.last()[0] - 0.8).abs().max((back.last()[1] - 0.5).abs());
        match method.row().keeps(Quantity::Reversal) {
            // Errors of 10⁻¹⁶ grow with the shear of the motion, by a hundred here.
            Some(_) => assert!(error < 1e-12, "{method}: {error:e}"),
            None if method.order().is_some_and(|o| o <= 5) => assert!(error > 1e-8, "{method}: {error:e}"),
            None => {}
        }
    }
}

/// A line through points: its slope, and the standard error of the slope.
pub fn regression(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx;
    let rest: f64 = points.iter().map(|p| (p.1 - my - slope * (p.0 - mx)).powi(2)).sum();
    (slope, (rest / (n - 2.0) / sxx).sqrt())
}

/// The slope of a line through the energy of so many steps, recorded at every fiftieth, in units of its standard error.
///
/// Steps are so long that the energy swings by far more than 10⁶ roundings can add up to: these are a random walk, which
/// has no mean to lean on.
fn trend(method: Method, steps: f64) -> f64 {
    let cx = &Inquiry::free();
    let step = match method.order() {
        Some(..=4) | None => 0.1,
        Some(..=6) => 0.3,
        Some(_) => 0.5,
    };
    let problem = fixed(vec![0.8, 0.5], steps * step, method, step).recording(Recording::Every(50.0 * step));
    let problem = InitialValueProblem { state: to_state(method, 0.8, 0.5), ..problem };
    let made = run(cx, &suited(method), &problem).unwrap();
    assert_eq!(made.reason, StopReason::Reached);
    let of = |i: usize| energy(&canonical(method, made.state(i)));
    let points: Vec<(f64, f64)> = (0..made.len()).map(|i| (made.times()[i], of(i))).collect();
    let swing = points.iter().map(|p| (p.1 - points[0].1).abs()).fold(0.0, f64::max);
    assert!(swing > 1e-9, "{method}: {swing:e}");
    let (slope, error) = regression(&points);
    slope.abs() / error
}

/// The energy over 10⁶ steps has no slope beyond four times its standard error; that of rk4 after a tenth of them has one of
/// hundreds.
#[test]
fn energy_has_no_trend_by_the_midpoint_rule() {
    assert!(Method::MIDPOINT.row().keeps(Quantity::Energy).is_some());
    assert!(trend(Method::MIDPOINT, 1e6) < 4.0);
    assert!(Method::RK4.row().keeps(Quantity::Energy).is_none());
    assert!(trend(Method::RK4, 1e5) > 100.0);
}

#[test]
fn energy_has_no_trend_by_gauss() {
    assert!(trend(Method::GAUSS, 1e6) < 4.0);
}

/// Over 10⁶ steps by the usual discrete Lagrangian, a fifth of them by each other.
#[test]
fn energy_has_no_trend_by_variational_methods() {
    let usual = Method::named("variational").unwrap();
    assert!(usual.row().keeps(Quantity::Energy).is_some());
    let runs = std::iter::once((usual, 1e6)).chain(variational().into_iter().map(|method| (method, 2e5)));
    for (method, steps) in runs {
        let slope = trend(method, steps);
        assert!(slope < 4.0, "{method}: {slope} standard errors");
    }
}

/// Halving the step divides the error by 2 to the order: for a mass that depends on the position, against steps of Gauss
/// collocation of order 16, which shares nothing with the discrete equations.
#[test]
fn variational_methods_have_their_order() {
    let cx = &Inquiry::free();
    let gauss = Method::written("gauss", &[Written::Number(16)]).unwrap();
    let exact = run(cx, &inseparable(), &fixed(vec![0.8, 0.5], 4.0, gauss, 0.05)).unwrap();
    for method in variational().into_iter().chain([Method::named("variational").unwrap()]) {
        let order = f64::from(method.order().unwrap());
        let error = |step: f64| {
            let made = run(cx, &lagrangian(), &fixed(to_state(method, 0.8, 0.5), 4.0, method, step)).unwrap();
            let last = canonical(method, made.last());
            (last[0] - exact.last()[0]).abs().max((last[1] - exact.last()[1]).abs())
        };
        let measured = (error(0.1) / error(0.05)).log2();
        assert!((measured - order).abs() < 0.25, "{method}: {measured}");
    }
}

/// Where substitution does not contract, Newton's method does: a stiff oscillator under long steps; and a step that has
/// no solution says so. y′ = y² − t: no; y′ = 10 (1 + y²) with a step of 1: y₁ = 5 (1 + (y₁/2)²) has no real solution.
#[test]
fn steps_are_solved_or_named() {
    let cx = &Inquiry::free();
    let stiff = motion(kernel(2, |b, y| {
        let k = b.constant(-1e8);
        vec![y[1], b.mul(k, y[0])]
    }));
    let made = run(cx, &stiff, &fixed(vec![1.0, 0.0], 10.0, Method::GAUSS, 0.1)).unwrap();
    assert_eq!(made.reason, StopReason::Reached);
    let energy = 1e8 * made.last()[0].powi(2) + made.last()[1].powi(2);
    assert!((energy / 1e8 - 1.0).abs() < 1e-11, "{energy:e}");
    let escape = motion(kernel(1, |b, y| {
        let (one, ten) = (b.constant(1.0), b.constant(10.0));
        let square = b.mul(y[0], y[0]);
        let sum = b.add(one, square);
        vec![b.mul(ten, sum)]
    }));
    let made = run(cx, &escape, &fixed(vec![0.0], 2.0, Method::MIDPOINT, 1.0)).unwrap();
    assert!(matches!(made.reason, StopReason::Unsolved { .. }), "{}", made.reason);
}

/// Inside a step: the dense output has order s + 1, and a zero is located as well as a step.
#[test]
fn collocation_looks_inside_its_steps() {
    let cx = &Inquiry::free();
    for (order, allowed) in [(2, 3e-2), (4, 3e-4), (8, 1e-7), (16, 1e-11), (32, 1e-12)] {
        let method = Method::written("gauss", &[Written::Number(order)]).unwrap();
        let problem = InitialValueProblem::new(vec![1.0, 0.0], vec![], 3.0).method(method).fixed_step(0.3).dense();
        let made = run(cx, &motion(oscillator()), &problem).unwrap();
        for i in 0..=30 {
            let t = 0.1 * f64::from(i);
            let error = (made.at(t).unwrap()[0] - t.cos()).abs();
            assert!(error < allowed, "gauss({order}) at {t}: {error:e}");
        }
    }
    let zero = kernel(2, |_, y| vec![y[0]]);
    let watched = Motion::new(
        MotionSpec::field(oscillator()).events(zero, vec![Event::stop("x = 0", Direction::Falling)]),
        Options::default(),
    );
    let method = Method::written("gauss", &[Written::Number(8)]).unwrap();
    let problem = InitialValueProblem::new(vec![1.0, 0.0], vec![], 3.0).method(method).fixed_step(0.3);
    let made = run(cx, &watched, &problem).unwrap();
    assert!((made.end - PI / 2.0).abs() < 1e-9, "{}", made.end);
}
