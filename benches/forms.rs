//! The exterior derivative and the 1-contact part of the Cartan form of the n-link pendulum.
//!
//! ```text
//! cargo bench --bench forms
//! L = ½ Σ (n − max(i, j)) cos(q_i − q_j) q_i′q_j′ + g Σ (n − i) cos q_i,   θ = L dt + (∂L/∂q_i′) ω_i,   p₁dθ = E
//! ```
//!
//! Every run declares new coordinates, so that nothing is remembered from the run before. The last columns
//! show that memory is linear in what there is to say: nodes made per distinct term of dθ.

use lepage::algebra::derive::gradient;
use lepage::algebra::expr::node_count;
use lepage::algebra::function::Elementary;
use lepage::algebra::{Coordinate, Expr, Rational, Symbol};
use lepage::geometry::contact::one_contact_part;
use lepage::geometry::{FiberedManifold, Form};
use std::time::{Duration, Instant};

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

fn cartan_form(manifold: &FiberedManifold, lagrangian: Expr) -> Form {
    let velocities = manifold.jets(1).top_jets();
    let mut theta = Form::term(lagrangian, &[manifold.base()]);
    for (v, p) in velocities.iter().zip(gradient(lagrangian, &velocities)) {
        let (coordinate, order) = v.as_jet().expect("a jet");
        theta = &theta + &Form::omega(coordinate.jet(order - 1)).scale(p);
    }
    theta
}

fn main() {
    println!(
        "{:>5} {:>10} {:>10} {:>10} {:>9} {:>9} {:>12}",
        "links", "d", "p1", "together", "nodes", "terms", "nodes/term"
    );
    for n in [2, 4, 8, 16, 32] {
        let mut best = (Duration::from_secs(9), Duration::from_secs(9));
        let (mut nodes, mut terms) = (0, 0);
        for _ in 0..9 {
            let (manifold, lagrangian) = pendulum(n);
            let theta = cartan_form(&manifold, lagrangian);
            let before = node_count();
            let start = Instant::now();
            let d = theta.d();
            let middle = Instant::now();
            let p1 = one_contact_part(&d);
            let end = Instant::now();
            assert!(p1.degree() == 2);
            if end - start < best.0 + best.1 {
                best = (middle - start, end - middle);
            }
            nodes = node_count() - before;
            terms = d.terms().len() + p1.terms().len();
        }
        let ms = |d: Duration| format!("{:.3} ms", d.as_secs_f64() * 1e3);
        let per_term = nodes as f64 / terms as f64;
        println!(
            "{n:>5} {:>10} {:>10} {:>10} {nodes:>9} {terms:>9} {per_term:>12.2}",
            ms(best.0),
            ms(best.1),
            ms(best.0 + best.1)
        );
    }
}
