//! Verlet's method and its compositions: order, energy without a trend, the symplectic form, reversal.

use super::*;

fn splittings() -> impl Iterator<Item = (Method, u32)> {
    Method::all().filter_map(|method| match method.row().family {
        Family::Splitting(composition) => Some((method, composition.order)),
        _ => None,
    })
}

/// Kepler's orbit with eccentricity 0.6 from its pericentre: the period is 2π.
const PERICENTRE: [f64; 4] = [0.4, 0.0, 0.0, 2.0];

fn kepler() -> Kernel {
    kernel(4, |b, y| {
        let (xx, yy) = (b.mul(y[0], y[0]), b.mul(y[1], y[1]));
        let rr = b.add(xx, yy);
        let (r, minus) = (b.sqrt(rr), b.constant(-1.0));
        let cube = b.mul(r, rr);
        let pull = b.div(minus, cube);
        vec![y[2], y[3], b.mul(pull, y[0]), b.mul(pull, y[1])]
    })
}

fn energy(y: &[f64]) -> f64 {
    (y[2] * y[2] + y[3] * y[3]) / 2.0 - 1.0 / y[0].hypot(y[1])
}

fn kept(problem: InitialValueProblem) -> Trajectory {
    let run = run(&Inquiry::free(), &motion(kepler()), &problem).unwrap();
    assert_eq!(run.reason, StopReason::Reached);
    run
}

/// After one period the state is the first again; halving the step divides the error by 2 to the order.
#[test]
fn compositions_have_their_order() {
    for (method, order) in splittings() {
        let error = |steps: u32| {
            let period = 2.0 * PI;
            let problem = InitialValueProblem::new(PERICENTRE.to_vec(), vec![], period).method(method);
            let run = kept(problem.fixed_step(period / f64::from(steps)).recording(Recording::Ends));
            assert_eq!(run.statistics.steps, u64::from(steps));
            run.last().iter().zip(PERICENTRE).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let coarse = if order == 8 { 128 } else { 512 };
        let measured = (error(coarse) / error(2 * coarse)).log2();
        assert!((measured - f64::from(order)).abs() < 0.3, "{method}: order {measured}");
    }
}

/// A million steps: the regression line through the energy at 2000 times has no slope beyond three standard errors, and the energy
/// swings with the amplitude of a short run. Times are a multiple of the step that is no fraction of the period.
#[test]
fn energy_has_no_trend_over_a_million_steps() {
    let (method, h, steps) = (Method::named("verlet").unwrap(), 0.01, 1_000_000u32);
    let end = h * f64::from(steps);
    let problem = InitialValueProblem::new(PERICENTRE.to_vec(), vec![], end).method(method).fixed_step(h);
    let run = kept(problem.recording(Recording::Every(end / 2000.0)));
    let times: Vec<f64> = run.times().to_vec();
    let errors: Vec<f64> = (0..run.len()).map(|row| energy(run.state(row)) - energy(&PERICENTRE)).collect();
    let n = times.len() as f64;
    let mean = |xs: &[f64]| xs.iter().sum::<f64>() / n;
    let (t0, e0) = (mean(&times), mean(&errors));
    let spread: f64 = times.iter().map(|t| (t - t0).powi(2)).sum();
    let slope: f64 = times.iter().zip(&errors).map(|(t, e)| (t - t0) * (e - e0)).sum::<f64>() / spread;
    let rest = times.iter().zip(&errors).map(|(t, e)| (e - e0 - slope * (t - t0)).powi(2)).sum::<f64>();
    let uncertainty = (rest / (n - 2.0) / spread).sqrt();
    assert!(slope.abs() < 3.0 * uncertainty, "slope {slope} ± {uncertainty}");
    let largest = errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    // h² times third derivatives at the pericentre, where r = 0.4.
    assert!(largest < 1e-2, "{largest}");
}

/// The Jacobian matrix M of a step, by complex-free central differences, satisfies Mᵀ J M = J; the momenta are the velocities.
#[test]
fn steps_are_symplectic() {
    let (at, h, d) = ([0.7, 0.3, -0.4, 1.1], 0.1, 1e-5);
    for (method, _) in splittings() {
        let step = |state: &[f64]| {
            let problem = InitialValueProblem::new(state.to_vec(), vec![], h).method(method).fixed_step(h);
            kept(problem).last().to_vec()
        };
        let column = |j: usize| -> Vec<f64> {
            let (mut up, mut down) = (at, at);
            up[j] += d;
            down[j] -= d;
            step(&up).iter().zip(step(&down)).map(|(a, b)| (a - b) / (2.0 * d)).collect()
        };
        let m: Vec<Vec<f64>> = (0..4).map(column).collect();
        for i in 0..4 {
            for j in 0..4 {
                let form = |a: &[f64], b: &[f64]| a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
                let unit = |k: usize| (0..4).map(|l| f64::from(u8::from(l == k))).collect::<Vec<f64>>();
                let off = form(&m[i], &m[j]) - form(&unit(i), &unit(j));
                // Central differences are good to d² = 1e-10 and to rounding over d.
                assert!(off.abs() < 1e-8, "{method}: {i}, {j}: {off}");
            }
        }
    }
}

/// Back from the end by the same steps, the run comes to its start, to rounding; and angular momentum is kept on the way.
#[test]
fn steps_can_be_taken_back() {
    for (method, _) in splittings() {
        let there = InitialValueProblem::new(PERICENTRE.to_vec(), vec![], 20.0).method(method).fixed_step(0.01);
        let there = kept(there);
        let moment = |y: &[f64]| y[0] * y[3] - y[1] * y[2];
        assert!((moment(there.last()) - moment(&PERICENTRE)).abs() < 1e-13, "{method}");
        let back = InitialValueProblem::new(there.last().to_vec(), vec![], 0.0).from(20.0).method(method);
        let back = kept(back.fixed_step(0.01));
        assert!(models::error(back.last(), &PERICENTRE) < 1e-10, "{method}: {:?}", back.last());
    }
}

/// Several steps at once, and one after the other, are the same steps, bit for bit; so are machine code and interpreter.
#[test]
fn looking_does_not_change_the_steps() {
    for (method, _) in splittings() {
        let problem = InitialValueProblem::new(PERICENTRE.to_vec(), vec![], 30.0).method(method).fixed_step(0.01);
        let seen = kept(problem.clone());
        let unseen = kept(problem.clone().recording(Recording::Ends));
        assert_eq!(seen.last(), unseen.last(), "{method}");
        let options = Options { backend: Backend::Interpreter, portable: false };
        let interpreted = Motion::new(MotionSpec::field(kepler()), options);
        assert_eq!(run_of(&Inquiry::free(), &interpreted, &problem).last(), seen.last(), "{method}");
    }
}

#[test]
fn a_motion_that_is_not_separable_is_refused() {
    let model = models::named("dp").unwrap();
    let problem = InitialValueProblem::new(model.state, vec![], 1.0).fixed_step(0.01);
    for (method, _) in splittings() {
        let refused = run(&Inquiry::free(), &motion(model.field.clone()), &problem.clone().method(method));
        assert!(matches!(refused, Err(BadProblem::NotSeparable { .. })), "{method}");
    }
}
