//! Methods on the rotation group: a heavy asymmetric top on unit quaternions, which pulls at one of two carriages.
//!
//! ```text
//! L = ½ Σ Iᵢ ωᵢ² + ½ (x₁′² + x₂′²) − ½ (x₁ − x₂)² − (G + k (x₁ − x₂) e₃)·γ,      γ = Rᵀ e₃, the vertical in the body
//! I ω′ = I ω × ω + γ × (G + k (x₁ − x₂) e₃),      x₁″ = −(x₁ − x₂) − k γ₃ = −x₂″
//! ```

use super::*;
use lepage::workshop::integrate::lie::{Group, GroupAction};
use lepage::workshop::integrate::method::{Kept, Quantity, Written};

const INERTIA: [f64; 3] = [1.0, 1.4, 0.7];

/// Every method on groups, with several orders.
fn on_groups() -> Vec<Method> {
    let orders = |name: &str, list: &[i64]| -> Vec<Method> {
        list.iter().map(|order| Method::written(name, &[Written::Number(*order)]).unwrap()).collect()
    };
    [orders("lie_variational", &[2, 4, 6]), orders("lie_gauss", &[2, 4, 6])].concat()
}

fn sum(b: &mut KernelBuilder, terms: &[(f64, &[Value])]) -> Value {
    let mut total = b.constant(0.0);
    for (factor, values) in terms {
        let factor = b.constant(*factor);
        let term = values.iter().fold(factor, |product, x| b.mul(product, *x));
        total = b.add(total, term);
    }
    total
}

/// Im(q⁻¹ p)
fn imaginary(b: &mut KernelBuilder, q: &[Value], p: &[Value]) -> [Value; 3] {
    [(1, 2, 3), (2, 3, 1), (3, 1, 2)].map(|(i, j, k)| {
        sum(b, &[(1.0, &[q[0], p[i]]), (-1.0, &[q[i], p[0]]), (-1.0, &[q[j], p[k]]), (1.0, &[q[k], p[j]])])
    })
}

/// The vertical in the body: the last row of the rotation matrix.
fn vertical(b: &mut KernelBuilder, q: &[Value]) -> [Value; 3] {
    [
        sum(b, &[(2.0, &[q[1], q[3]]), (-2.0, &[q[0], q[2]])]),
        sum(b, &[(2.0, &[q[2], q[3]]), (2.0, &[q[0], q[1]])]),
        sum(b, &[(1.0, &[q[0], q[0]]), (-1.0, &[q[1], q[1]]), (-1.0, &[q[2], q[2]]), (1.0, &[q[3], q[3]])]),
    ]
}

/// The top with the weight G in the body, and the strength k of its pull.
fn top(weight: [f64; 3], pull: f64) -> Motion {
    let field = kernel(12, |b, y| {
        let (q, x, speed) = (&y[..4], [y[4], y[5]], &y[6..10]);
        let v = imaginary(b, q, speed);
        let gamma = vertical(b, q);
        let apart = b.sub(x[0], x[1]);
        let mut g = weight.map(|g| b.constant(g));
        g[2] = sum(b, &[(weight[2], &[]), (pull, &[apart])]);
        // ω = 2 v, so that v′ = ½ ω′.
        let turn = [(0, 1, 2), (1, 2, 0), (2, 0, 1)].map(|(i, j, k)| {
            let gyration = 4.0 * (INERTIA[j] - INERTIA[k]);
            let torque = sum(b, &[(gyration, &[v[j], v[k]]), (1.0, &[gamma[j], g[k]]), (-1.0, &[gamma[k], g[j]])]);
            sum(b, &[(0.5 / INERTIA[i], &[torque])])
        });
        let square = sum(b, &[(1.0, &[v[0], v[0]]), (1.0, &[v[1], v[1]]), (1.0, &[v[2], v[2]])]);
        // q″ = q (−|v|² + v′)
        let mut second = vec![sum(
            b,
            &[(-1.0, &[square, q[0]]), (-1.0, &[q[1], turn[0]]), (-1.0, &[q[2], turn[1]]), (-1.0, &[q[3], turn[2]])],
        )];
        for (i, j, k) in [(1, 2, 3), (2, 3, 1), (3, 1, 2)] {
            second.push(sum(
                b,
                &[
                    (-1.0, &[square, q[i]]),
                    (1.0, &[q[0], turn[i - 1]]),
                    (1.0, &[q[j], turn[k - 1]]),
                    (-1.0, &[q[k], turn[j - 1]]),
                ],
            ));
        }
        let force = sum(b, &[(-1.0, &[apart]), (-pull, &[gamma[2]])]);
        let back = b.neg(force);
        [y[6..12].to_vec(), second, vec![force, back]].concat()
    });
    let lagrangian = kernel(12, |b, y| {
        let v = imaginary(b, &y[..4], &y[6..10]);
        let gamma = vertical(b, &y[..4]);
        let apart = b.sub(y[4], y[5]);
        vec![sum(
            b,
            &[
                (2.0 * INERTIA[0], &[v[0], v[0]]),
                (2.0 * INERTIA[1], &[v[1], v[1]]),
                (2.0 * INERTIA[2], &[v[2], v[2]]),
                (0.5, &[y[10], y[10]]),
                (0.5, &[y[11], y[11]]),
                (-0.5, &[apart, apart]),
                (-weight[0], &[gamma[0]]),
                (-weight[1], &[gamma[1]]),
                (-weight[2], &[gamma[2]]),
                (-pull, &[apart, gamma[2]]),
            ],
        )]
    });
    let group = Group { quaternions: vec![[0, 1, 2, 3]], numbers: vec![4, 5], is_all: true };
    motion(field).with_group(group, Some(GroupAction { kernel: lagrangian, has_forces: false }))
}

fn product(p: &[f64], q: &[f64]) -> [f64; 4] {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3],
        p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1],
    ]
}

fn conjugate(q: &[f64]) -> [f64; 4] {
    [q[0], -q[1], -q[2], -q[3]]
}

/// A state with the angular velocity ω in the body.
fn state(q: [f64; 4], omega: [f64; 3], x: [f64; 2], speed: [f64; 2]) -> Vec<f64> {
    let moving = product(&q, &[0.0, omega[0] / 2.0, omega[1] / 2.0, omega[2] / 2.0]);
    [&q[..], &x, &moving, &speed].concat()
}

fn start() -> Vec<f64> {
    let (c, s) = (0.45f64.cos(), 0.45f64.sin());
    state([c, s, 0.0, 0.0], [0.4, -0.3, 2.0], [0.3, -0.2], [0.1, 0.4])
}

fn omega(y: &[f64]) -> [f64; 3] {
    let v = product(&conjugate(&y[..4]), &y[6..10]);
    [2.0 * v[1], 2.0 * v[2], 2.0 * v[3]]
}

/// A vector of the body, in space.
fn in_space(y: &[f64], x: [f64; 3]) -> [f64; 3] {
    let turned = product(&product(&y[..4], &[0.0, x[0], x[1], x[2]]), &conjugate(&y[..4]));
    [turned[1], turned[2], turned[3]]
}

/// The angular momentum in space.
fn momentum(y: &[f64]) -> [f64; 3] {
    let w = omega(y);
    in_space(y, [0, 1, 2].map(|i| INERTIA[i] * w[i]))
}

fn energy(y: &[f64], weight: [f64; 3], pull: f64) -> f64 {
    let w = omega(y);
    let gamma = {
        let q = conjugate(&y[..4]);
        let turned = product(&product(&q, &[0.0, 0.0, 0.0, 1.0]), &y[..4]);
        [turned[1], turned[2], turned[3]]
    };
    let apart = y[4] - y[5];
    let kinetic: f64 = (0..3).map(|i| INERTIA[i] * w[i] * w[i]).sum::<f64>() + y[10] * y[10] + y[11] * y[11];
    let potential: f64 = (0..3).map(|i| weight[i] * gamma[i]).sum();
    kinetic / 2.0 + apart * apart / 2.0 + potential + pull * apart * gamma[2]
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

fn fixed(state: Vec<f64>, end: f64, method: Method, step: f64) -> InitialValueProblem {
    InitialValueProblem::new(state, vec![], end).method(method).fixed_step(step).recording(Recording::Ends)
}

const WEIGHT: [f64; 3] = [0.5, 0.3, 1.5];
const PULL: f64 = 0.4;

/// Halving the step divides the error by 2 to the order, against the series of the field, which is no method on groups.
#[test]
fn methods_on_groups_have_their_order() {
    let cx = &Inquiry::free();
    let motion = top(WEIGHT, PULL);
    let exact = InitialValueProblem::new(start(), vec![], 2.0).method(Method::TAYLOR).tolerance(1e-15);
    let exact = run(cx, &motion, &exact).unwrap();
    for method in on_groups() {
        let order = f64::from(method.order().unwrap());
        let error = |step: f64| {
            let made = run(cx, &motion, &fixed(start(), 2.0, method, step)).unwrap();
            assert_eq!(made.reason, StopReason::Reached, "{method}");
            off(made.last(), exact.last())
        };
        let measured = (error(0.1) / error(0.05)).log2();
        assert!((measured - order).abs() < 0.35, "{method}: {measured}");
    }
}

/// Lengths, the sum of the velocities of the carriages, and the momentum about the vertical of a top whose weight lies on no
/// axis, over 4000 steps.
#[test]
fn methods_on_groups_keep_lengths_and_momenta() {
    let cx = &Inquiry::free();
    let motion = top(WEIGHT, PULL);
    for method in on_groups() {
        let problem = fixed(start(), 400.0, method, 0.1).recording(Recording::Every(10.0));
        let made = run(cx, &motion, &problem).unwrap();
        assert_eq!(made.reason, StopReason::Reached, "{method}");
        let mut drift = 0.0f64;
        for i in 0..made.len() {
            let y = made.state(i);
            let length: f64 = y[..4].iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-15, "{method}: {:e}", length - 1.0);
            let along: f64 = y[..4].iter().zip(&y[6..10]).map(|(a, b)| a * b).sum();
            assert!(along.abs() < 1e-15, "{method}: {along:e}");
            assert!((y[10] + y[11] - 0.5).abs() < 1e-14, "{method}");
            drift = drift.max((momentum(y)[2] - momentum(&start())[2]).abs());
        }
        assert!(method.row().keeps(Quantity::Linear).is_some());
        match method.row().keeps(Quantity::Momenta) {
            Some(_) => assert!(drift < 2e-13, "{method}: {drift:e}"),
            None if method.order() == Some(4) => assert!(drift > 1e-9, "{method}: {drift:e}"),
            None => {}
        }
    }
}

/// A free body: its angular momentum in space is kept by the variational methods, its length and the energy by Gauss's.
#[test]
fn a_free_body_keeps_what_it_has() {
    let cx = &Inquiry::free();
    let motion = top([0.0; 3], 0.0);
    for method in on_groups() {
        let made = run(cx, &motion, &fixed(start(), 400.0, method, 0.1)).unwrap();
        let (before, after) = (momentum(&start()), momentum(made.last()));
        let size = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
        assert!((size(before) - size(after)).abs() < 5e-13, "{method}: {:e}", size(before) - size(after));
        match method.name() {
            "lie_variational" => assert!(off(&before, &after) < 5e-13, "{method}: {:e}", off(&before, &after)),
            _ => {
                let energies = [&start()[..], made.last()].map(|y| energy(y, [0.0; 3], 0.0));
                assert!((energies[0] - energies[1]).abs() < 5e-13, "{method}: {energies:?}");
            }
        }
    }
}

/// The discrete equations keep the momentum of a free body whatever the step, long ones too.
#[test]
fn the_momentum_of_a_free_body_stays_in_a_long_step() {
    let cx = &Inquiry::free();
    let motion = top([0.0; 3], 0.0);
    for method in on_groups().into_iter().filter(|m| m.name() == "lie_variational") {
        // Nearly a quarter of a turn.
        let made = run(cx, &motion, &fixed(start(), 0.75, method, 0.75)).unwrap();
        assert_eq!(made.statistics.steps, 1);
        let error = off(&momentum(&start()), &momentum(made.last()));
        assert!(error < 5e-15, "{method}: {error:e}");
    }
}

/// A run and the run back from its end.
#[test]
fn methods_on_groups_are_reversed() {
    let cx = &Inquiry::free();
    let motion = top(WEIGHT, PULL);
    for method in on_groups() {
        let there = run(cx, &motion, &fixed(start(), 10.0, method, 0.1)).unwrap();
        let back = run(cx, &motion, &fixed(there.last().to_vec(), 0.0, method, 0.1).from(10.0)).unwrap();
        assert!(method.row().keeps(Quantity::Reversal).is_some());
        let error = off(back.last(), &start());
        assert!(error < 1e-11, "{method}: {error:e}");
    }
}

/// The Jacobian M of one long step satisfies Mᵀ J M = J in canonical coordinates: the vector part x of the quaternion, with
/// P = Wᵀ p, where v = W x′ and p = ∂L/∂v = 4 I v; and the carriages.
#[test]
fn steps_on_groups_are_symplectic_where_the_table_says_so() {
    let cx = &Inquiry::free();
    let motion = top(WEIGHT, PULL);
    // q′ = (−x·x′/q₀, x′) and v = Im(q⁻¹ q′), column by column.
    let matrix = |x: &[f64]| -> [[f64; 3]; 3] {
        let real = (1.0 - x.iter().map(|x| x * x).sum::<f64>()).sqrt();
        let q = [real, x[0], x[1], x[2]];
        [0, 1, 2].map(|j| {
            let mut slope = [-x[j] / real, 0.0, 0.0, 0.0];
            slope[j + 1] = 1.0;
            let v = product(&conjugate(&q), &slope);
            [v[1], v[2], v[3]]
        })
    };
    let to_state = |z: &[f64]| -> Vec<f64> {
        let x = &z[..3];
        let columns = matrix(x);
        // Wᵀ p = P by Cramer's rule.
        let det = |m: [[f64; 3]; 3]| {
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        };
        let p = [0, 1, 2].map(|i| {
            let mut other = columns;
            (0..3).for_each(|j| other[j][i] = z[5 + j]);
            det(other) / det(columns)
        });
        let real = (1.0 - x.iter().map(|x| x * x).sum::<f64>()).sqrt();
        let omega = [0, 1, 2].map(|i| p[i] / (2.0 * INERTIA[i]));
        state([real, x[0], x[1], x[2]], omega, [z[3], z[4]], [z[8], z[9]])
    };
    let canonical = |y: &[f64]| -> Vec<f64> {
        let w = omega(y);
        let columns = matrix(&y[1..4]);
        let momenta = columns.map(|column| (0..3).map(|i| column[i] * 2.0 * INERTIA[i] * w[i]).sum());
        [&y[1..4], &y[4..6], &momenta, &y[10..12]].concat()
    };
    let here = canonical(&start());
    assert!(off(&to_state(&here), &start()) < 1e-14);
    for method in on_groups() {
        let step = |z: &[f64]| canonical(run(cx, &motion, &fixed(to_state(z), 0.3, method, 0.3)).unwrap().last());
        let d = 6e-3;
        let column = |j: usize| -> Vec<f64> {
            let beside = |k: f64| {
                let mut z = here.clone();
                z[j] += k * d;
                step(&z)
            };
            let difference = |k: f64| beside(k).iter().zip(beside(-k)).map(|(a, b)| a - b).collect::<Vec<_>>();
            let [a, b, c, e] = [1.0, 2.0, 3.0, 4.0].map(difference);
            (0..10).map(|i| (672.0 * a[i] - 168.0 * b[i] + 32.0 * c[i] - 3.0 * e[i]) / (840.0 * d)).collect()
        };
        let columns: Vec<Vec<f64>> = (0..10).map(column).collect();
        let form = |a: &[f64], b: &[f64]| (0..5).map(|i| a[i] * b[5 + i] - a[5 + i] * b[i]).sum::<f64>();
        let mut error = 0.0f64;
        for (i, j) in (0..10).flat_map(|i| (0..10).map(move |j| (i, j))) {
            let exact = if j == i + 5 {
                1.0
            } else if i == j + 5 {
                -1.0
            } else {
                0.0
            };
            error = error.max((form(&columns[i], &columns[j]) - exact).abs());
        }
        match method.row().keeps(Quantity::SymplecticForm) {
            Some(Kept::ToRounding | Kept::Exactly) => assert!(error < 1e-10, "{method}: {error:e}"),
            Some(Kept::InTheMean) => panic!("{method}: a form has no mean"),
            None if method.order() == Some(4) => assert!(error > 1e-7, "{method}: {error:e}"),
            None => {}
        }
    }
}

/// Over 50 000 steps of the usual order, and a fifth of them by another, a line through the energy has no slope beyond four
/// times its standard error. The field is weak: the motion is regular, where that of a strong one is chaotic and its energies
/// hang together for longer than a run lasts. The line goes through the means of forty stretches of time. Collocation is
/// reversible and not symplectic: its energy has a slope, as that of rk4 has.
#[test]
fn energy_has_no_trend_on_groups() {
    let cx = &Inquiry::free();
    let (weight, pull) = (WEIGHT.map(|w| 0.1 * w), 0.1 * PULL);
    let motion = top(weight, pull);
    let trend = |method: Method, steps: f64| {
        let step = 0.1;
        let problem = fixed(start(), steps * step, method, step).recording(Recording::Every(5.0 * step));
        let made = run(cx, &motion, &problem).unwrap();
        assert_eq!(made.reason, StopReason::Reached, "{method}");
        let energies: Vec<f64> = (0..made.len()).map(|i| energy(made.state(i), weight, pull)).collect();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let stretches = energies.chunks_exact(energies.len() / 40).enumerate();
        let stretches: Vec<(f64, f64)> = stretches.map(|(i, part)| (i as f64, mean(part))).collect();
        let (slope, error) = preservation::regression(&stretches);
        slope.abs() / error
    };
    let methods = on_groups();
    for (method, steps) in
        [(methods[0], 50_000.0), (methods[1], 10_000.0), (methods[4], 20_000.0), (Method::RK4, 20_000.0)]
    {
        let slope = trend(method, steps);
        match method.row().keeps(Quantity::Energy) {
            Some(_) => assert!(slope < 4.0, "{method}: {slope} standard errors"),
            None => assert!(slope > 8.0, "{method}: {slope} standard errors"),
        }
    }
}

/// A motion without quaternions has no group.
#[test]
fn a_motion_without_quaternions_is_refused() {
    let cx = &Inquiry::free();
    for method in on_groups() {
        let refused = run(cx, &motion(oscillator()), &fixed(vec![1.0, 0.0], 1.0, method, 0.1));
        assert_eq!(refused.err(), Some(BadProblem::NoGroup), "{method}");
    }
}
