//! The exterior derivative and the 1-contact part of the Cartan form of the n-link pendulum.
//!
//! ```text
//! cargo bench --bench forms
//! L = ½ Σ (n − max(i, j)) cos(q_i − q_j) q_i′q_j′ + g Σ (n − i) cos q_i,   θ = L dt + (∂L/∂q_i′) ω_i,   p₁dθ = E
//! ```
//!
//! Every run declares new coordinates, so that nothing is remembered from the run before. The last columns
//! show that memory is linear in what there is to say: nodes made per distinct subexpression of θ, dθ and p₁dθ.
//!
//! With `LEPAGE_PEER_PYTHON=…/bin/python`, a Python that has symengine, its Euler–Lagrange derivation of the same
//! pendulum is timed in turn with ours, and the ratio is shown; both in CPU seconds, the least of several.

use lepage::workshop::algebra::derive::gradient;
use lepage::workshop::algebra::expr::{node_count, post_order};
use lepage::workshop::algebra::function::Elementary;
use lepage::workshop::algebra::{Coordinate, Expr, Inquiry, Rational, Symbol};
use lepage::workshop::geometry::contact::one_contact_part;
use lepage::workshop::geometry::{FiberedManifold, Form};
use lepage::workshop::timing::thread_cpu;
use std::time::Duration;

fn pendulum(n: usize) -> (FiberedManifold, Expr) {
    let coordinates: Vec<Coordinate> = (0..n).map(|i| Coordinate::declare(&format!("q{i}"), true)).collect();
    let manifold = FiberedManifold::new("Y", Symbol::base("t"), &coordinates);
    let q = |i: usize| Expr::symbol(coordinates[i].jet(0));
    let v = |i: usize| Expr::symbol(coordinates[i].jet(1));
    let cos = |e: Expr| Expr::apply(Elementary::Cos, &[e]);
    let mut terms = vec![];
    for i in 0..n {
        for j in 0..n {
            let links = Rational::ratio((n - i.max(j)) as i64, 2);
            terms.push((cos(q(i) - q(j)) * v(i) * v(j), links));
        }
        terms.push((cos(q(i)), Rational::ratio(981 * (n - i) as i64, 100)));
    }
    (manifold, Expr::sum(Rational::ZERO, terms))
}

fn cartan_form(cx: &Inquiry, manifold: &FiberedManifold, lagrangian: Expr) -> Form {
    let velocities = manifold.jets(1).top_jets();
    let mut theta = Form::term(lagrangian, &[manifold.base()]);
    for (v, p) in velocities.iter().zip(gradient(cx, lagrangian, &velocities)) {
        let (coordinate, order) = v.as_jet().expect("a jet");
        theta = &theta + &Form::omega(coordinate.jet(order - 1)).scale(p);
    }
    theta
}

struct Measured {
    d: Duration,
    p1: Duration,
    /// Nodes made on the way, and distinct subexpressions of θ, dθ and p₁dθ.
    made: usize,
    distinct: usize,
}

impl Measured {
    fn together(&self) -> Duration {
        self.d + self.p1
    }
}

/// The best of several runs.
fn measure(cx: &Inquiry, n: usize, runs: usize) -> Measured {
    let once = || {
        let (manifold, lagrangian) = pendulum(n);
        let theta = cartan_form(cx, &manifold, lagrangian);
        let before = node_count();
        let start = thread_cpu();
        let d = theta.d(cx);
        let middle = thread_cpu();
        let p1 = one_contact_part(&d);
        let end = thread_cpu();
        assert!(p1.degree() == 2 && !p1.is_empty());
        let all: Vec<Expr> = [&theta, &d, &p1].into_iter().flat_map(Form::coefficients).collect();
        Measured { d: middle - start, p1: end - middle, made: node_count() - before, distinct: post_order(&all).len() }
    };
    (0..runs).map(|_| once()).min_by_key(Measured::together).expect("at least one run")
}

/// SymEngine's derivation in CPU seconds.
fn peer(python: &str, n: usize) -> Option<f64> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/forms.py");
    let output = std::process::Command::new(python).args([script, &n.to_string()]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn main() {
    let cx = &Inquiry::free();
    println!(
        "{:>5} {:>11} {:>11} {:>11} {:>9} {:>9} {:>14} {:>12} {:>7}",
        "links", "d", "p1", "together", "made", "distinct", "made/distinct", "symengine", "ratio"
    );
    let python = std::env::var("LEPAGE_PEER_PYTHON").ok();
    for n in [2, 4, 8, 16, 32] {
        // In turn, so that both meet the machine in the same states.
        let mut ours = measure(cx, n, 5);
        let mut theirs: Option<f64> = None;
        for _ in 0..3 {
            if let Some(t) = python.as_deref().and_then(|p| peer(p, n)) {
                theirs = Some(theirs.map_or(t, |old| old.min(t)));
            }
            let again = measure(cx, n, 5);
            if again.together() < ours.together() {
                ours = again;
            }
        }
        let ms = |d: Duration| format!("{:.3} ms", d.as_secs_f64() * 1e3);
        let (symengine, ratio) = match theirs {
            Some(t) => (format!("{:.3} ms", t * 1e3), format!("{:.3}", ours.together().as_secs_f64() / t)),
            None => ("-".into(), "-".into()),
        };
        println!(
            "{n:>5} {:>11} {:>11} {:>11} {:>9} {:>9} {:>14.2} {symengine:>12} {ratio:>7}",
            ms(ours.d),
            ms(ours.p1),
            ms(ours.together()),
            ours.made,
            ours.distinct,
            ours.made as f64 / ours.distinct as f64
        );
    }
}
