//! Stiff equations: Radau IIA and backward differentiation against references of another program
//! (tests/oracle/stiff.py, mpmath with 30 digits), and against each other.

use super::*;
use lepage::workshop::integrate::method::Written;

fn radau(order: i64) -> Method {
    Method::written("radau", &[Written::Number(order)]).unwrap()
}

fn stiff_methods() -> [Method; 4] {
    [radau(5), radau(9), radau(13), Method::BDF]
}

/// x″ = μ² ((1 − x²) x′ − x) in the scaled form of Hairer and Wanner (IV.1.5′): x′ = v, v′ = ((1 − x²) v − x)/ε with ε = 1/μ².
fn van_der_pol(epsilon: f64) -> Motion {
    motion(kernel(2, |b, y| {
        let (x, v) = (y[0], y[1]);
        let (one, over) = (b.constant(1.0), b.constant(1.0 / epsilon));
        let square = b.mul(x, x);
        let factor = b.sub(one, square);
        let damping = b.mul(factor, v);
        let sum = b.sub(damping, x);
        vec![v, b.mul(over, sum)]
    }))
}

fn robertson() -> Motion {
    motion(kernel(3, |b, y| {
        let [slow, middle, fast] = [0.04, 1e4, 3e7].map(|k| b.constant(k));
        let r1 = b.mul(slow, y[0]);
        let yz = b.mul(y[1], y[2]);
        let r2 = b.mul(middle, yz);
        let yy = b.mul(y[1], y[1]);
        let r3 = b.mul(fast, yy);
        let first = b.sub(r2, r1);
        let back = b.add(r2, r3);
        vec![first, b.sub(r1, back), r3]
    }))
}

/// ε = 10⁻⁶ up to t = 2, from (2, −0.66): the values of stiff.py.
#[test]
fn van_der_pol_with_a_large_parameter() {
    let cx = &Inquiry::free();
    for method in stiff_methods() {
        let problem = InitialValueProblem::new(vec![2.0, -0.66], vec![], 2.0).method(method).tolerance(1e-7);
        let made = run(cx, &van_der_pol(1e-6), &problem.recording(Recording::Ends)).unwrap();
        assert_eq!(made.reason, StopReason::Reached, "{method}");
        let error = (made.last()[0] - 1.7061674375431954).abs().max((made.last()[1] + 0.8928100165510993).abs());
        assert!(error < 2e-5, "{method}: {error:e} in {:?}", made.statistics);
        assert!(made.statistics.steps < 3000, "{method}: {:?}", made.statistics);
    }
}

/// Robertson's kinetics to t = 10¹¹: HW IV.10 gives 0.2083340149701255·10⁻⁷, 0.8333360770334713·10⁻¹³, 0.9999999791665050; the sum of
/// the three stays 1.
#[test]
fn robertson_for_a_long_time() {
    let cx = &Inquiry::free();
    for method in stiff_methods() {
        let mut problem = InitialValueProblem::new(vec![1.0, 0.0, 0.0], vec![], 1e11).method(method).tolerance(1e-7);
        problem.tolerance.absolute = 1e-16;
        let made = run(cx, &robertson(), &problem.recording(Recording::Ends)).unwrap();
        assert_eq!(made.reason, StopReason::Reached, "{method}");
        let expected = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505];
        for (found, expected) in made.last().iter().zip(expected) {
            let error = (found / expected - 1.0).abs();
            assert!(error < 1e-4, "{method}: {error:e} in {:?}", made.statistics);
        }
        assert!((made.last().iter().sum::<f64>() - 1.0).abs() < 1e-11, "{method}");
        assert!(made.statistics.steps < 4000, "{method}: {:?}", made.statistics);
    }
}

/// The pendulum on a stiff spring with critical damping along it: x″ = −((k (r − 1) + c r′)/r) x, and gravity.
fn spring(k: f64) -> Motion {
    motion(kernel(4, |b, s| {
        let [x, y, u, v] = [s[0], s[1], s[2], s[3]];
        let [one, k, c, g] = [1.0, k, 2.0 * k.sqrt(), 9.81].map(|x| b.constant(x));
        let (xx, yy) = (b.mul(x, x), b.mul(y, y));
        let rr = b.add(xx, yy);
        let r = b.sqrt(rr);
        let (xu, yv) = (b.mul(x, u), b.mul(y, v));
        let along = b.add(xu, yv);
        let speed = b.div(along, r);
        let stretch = b.sub(r, one);
        let (elastic, viscous) = (b.mul(k, stretch), b.mul(c, speed));
        let force = b.add(elastic, viscous);
        let pull = b.div(force, r);
        let (px, py) = (b.mul(pull, x), b.mul(pull, y));
        let down = b.add(py, g);
        vec![u, v, b.neg(px), b.neg(down)]
    }))
}

/// The steps do not follow the stiffness: from k = 10⁶ to k = 10¹² they change by less than a factor of two.
#[test]
fn steps_do_not_depend_on_the_stiffness() {
    let cx = &Inquiry::free();
    let state = vec![1f64.sin(), -1f64.cos(), 0.0, 0.0];
    for method in [radau(5), radau(9), radau(13)] {
        let steps = |k: f64| {
            let problem = InitialValueProblem::new(state.clone(), vec![], 10.0).method(method).tolerance(1e-7);
            let made = run(cx, &spring(k), &problem.recording(Recording::Ends)).unwrap();
            assert_eq!(made.reason, StopReason::Reached, "{method}, k = {k:e}");
            made.statistics.steps as f64
        };
        let counts = [1e6, 1e8, 1e10, 1e12].map(steps);
        let (least, most) = counts.iter().fold((f64::INFINITY, 0.0f64), |(l, m), c| (l.min(*c), m.max(*c)));
        assert!(most < 2.0 * least, "{method}: {counts:?}");
    }
}

/// Inside steps: the error stays near the tolerance, and a zero is found there.
#[test]
fn stiff_methods_look_inside_their_steps() {
    let cx = &Inquiry::free();
    for method in stiff_methods() {
        let problem = InitialValueProblem::new(vec![1.0, 0.0], vec![], 10.0).method(method).tolerance(1e-8).dense();
        let made = run(cx, &motion(oscillator()), &problem).unwrap();
        for i in 0..=100 {
            let t = 0.1 * f64::from(i);
            let error = (made.at(t).unwrap()[0] - t.cos()).abs();
            assert!(error < 3e-6, "{method} at {t}: {error:e}");
        }
        let zero = kernel(2, |_, y| vec![y[0]]);
        let made = watch(cx, method, zero, Event::stop("x = 0", Direction::Rising), 10.0, None);
        assert!((made.end - 1.5 * PI).abs() < 1e-6, "{method}: {}", made.end);
    }
}

/// Kinks are found, and the method starts again behind them: y′ = −|t − 1| has y(2) = y(0) − 1.
#[test]
fn stiff_methods_restart_at_kinks() {
    let cx = &Inquiry::free();
    let mut b = KernelBuilder::new("kink");
    b.input("y", Bank::State);
    let (t, one) = (b.input("t", Bank::Time), b.constant(1.0));
    let d = b.sub(t, one);
    let size = b.unary(Unary::Abs, d);
    let slope = b.neg(size);
    b.output("y'", slope);
    let motion = motion(b.finish());
    for method in stiff_methods() {
        let problem = InitialValueProblem::new(vec![3.0], vec![], 2.0).method(method).tolerance(1e-9);
        let made = run(cx, &motion, &problem).unwrap();
        assert!((made.last()[0] - 2.0).abs() < 1e-7, "{method}: {}", made.last()[0]);
    }
}

/// Without a method, stiffness is noticed, said and met: by explicit methods under loose and moderate tolerances, and by a series
/// under a tight one. What is not stiff keeps its method.
#[test]
fn auto_notices_stiffness() {
    let cx = &Inquiry::free();
    let state = vec![1f64.sin(), -1f64.cos(), 0.0, 0.0];
    for (tolerance, method) in [(1e-4, radau(5)), (1e-7, radau(9)), (1e-10, radau(13))] {
        let problem = InitialValueProblem::new(state.clone(), vec![], 10.0).tolerance(tolerance);
        let made = run(cx, &spring(1e10), &problem.recording(Recording::Ends)).unwrap();
        assert_eq!((made.reason, made.method), (StopReason::Reached, method), "{:?}", made.choice);
        assert!(made.choice.is_some_and(|why| why.contains("because the equations are stiff")));
        assert!(made.statistics.steps < 3000, "{:?}", made.statistics);
    }
    // k = 10⁶ by series in 128 bits (benches/peers/large.py). Radau's method is tried early, and kept only where it costs less.
    let exact = [-0.4471161882072169, -0.8944933886413131, 2.3579046678612414, -1.1786473691364456];
    for tolerance in [1e-5, 1e-6, 1e-7] {
        let problem = InitialValueProblem::new(state.clone(), vec![], 10.0).tolerance(tolerance);
        let made = run(cx, &spring(1e6), &problem.recording(Recording::Ends)).unwrap();
        let error = made.last().iter().zip(exact).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(error < 1e-6, "{tolerance:e}: {error:e}");
        assert!(made.statistics.steps < 1000, "{tolerance:e}: {:?}, {:?}", made.statistics, made.choice);
    }
    let problem = InitialValueProblem::new(vec![2.0, -0.66], vec![], 2.0).tolerance(1e-12);
    let made = run(cx, &van_der_pol(1e-6), &problem.recording(Recording::Ends)).unwrap();
    assert_eq!((&made.reason, made.method), (&StopReason::Reached, radau(13)), "{:?}", made.choice);
    assert!((made.last()[0] - 1.7061674375431954).abs() < 1e-9, "{}", made.last()[0]);
    for name in ["dp", "hh", "kepler"] {
        let model = models::named(name).unwrap();
        for tolerance in [1e-4, 1e-8] {
            let problem = InitialValueProblem::new(model.state.clone(), vec![], 50.0).tolerance(tolerance);
            let made = run(cx, &motion(model.field.clone()), &problem.recording(Recording::Ends)).unwrap();
            let why = made.choice.unwrap();
            assert!(!why.contains("stiff"), "{name}: {why}");
        }
    }
}
