//! W2, the part before code generation: the planar n-link pendulum from its Lagrangian to the expressions
//! of the mass matrix M(q) and the forces f(q, v), n = 2 … 64, in both
//! forms in which it is written down:
//!
//! ```text
//! squares   T = ½ Σ_k (ẋ_k² + ẏ_k²),  ẋ_k = ẋ_{k−1} + q̇_k cos q_k,  ẏ_k = ẏ_{k−1} + q̇_k sin q_k
//! reduced   T = ½ Σ_ij (n − max(i, j)) cos(q_i − q_j) q̇_i q̇_j
//! ```
//!
//! Every measurement starts from an empty graph, on a thread of its own; the least of several is shown.
//! `cargo bench --bench nlink [-- largest [smallest]]`.

use lepage::algebra::derive::{Direction, gradient, symmetric_jacobian};
use lepage::algebra::expr::{node_count, post_order};
use lepage::algebra::function::Elementary;
use lepage::algebra::{Coordinate, Expr, Rational, Symbol};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
enum Form {
    Squares,
    Reduced,
}

struct Measured {
    time: Duration,
    /// Nodes of M and f, and nodes made on the way.
    nodes: usize,
    made: usize,
}

fn lagrangian(form: Form, q: &[Expr], v: &[Expr]) -> Expr {
    let n = q.len();
    let g = Expr::ratio(981, 100);
    let cos = |x: Expr| Expr::apply(Elementary::Cos, &[x]);
    let sin = |x: Expr| Expr::apply(Elementary::Sin, &[x]);
    let mut terms: Vec<(Expr, Rational)> = Vec::new();
    match form {
        Form::Squares => {
            let (mut vx, mut vy, mut y) = (Expr::zero(), Expr::zero(), Expr::zero());
            for i in 0..n {
                vx = vx + v[i] * cos(q[i]);
                vy = vy + v[i] * sin(q[i]);
                y = y - cos(q[i]);
                terms.push((vx.pow(2) + vy.pow(2), Rational::HALF));
                terms.push((g * y, Rational::MINUS_ONE));
            }
        }
        Form::Reduced => {
            for i in 0..n {
                let weight = (n - i) as i64;
                terms.push((v[i].pow(2), Rational::ratio(weight, 2)));
                terms.push((g * cos(q[i]), Rational::from(weight)));
                for j in 0..i {
                    terms.push((v[i] * v[j] * cos(q[i] - q[j]), Rational::from(weight)));
                }
            }
        }
    }
    Expr::sum(Rational::ZERO, terms)
}

/// M = ∂²L/∂v∂v, f = ∂L/∂q − Σ_j ∂²L/∂v∂q_j v_j.
fn equations(l: Expr, q: &[Symbol], v: &[Symbol]) -> (Vec<Vec<Expr>>, Vec<Expr>) {
    let momenta = gradient(l, v);
    let m = symmetric_jacobian(&momenta, v);
    let flow = Direction::new(|s| match s.as_jet() {
        Some((coordinate, 0)) => Expr::symbol(coordinate.jet(1)),
        _ => Expr::zero(),
    });
    let by_q = gradient(l, q);
    let f = momenta.iter().zip(by_q).map(|(p, dq)| dq - flow.apply(*p)).collect();
    (m, f)
}

fn measure(form: Form, n: usize) -> Measured {
    let run = move || {
        let coordinates: Vec<Coordinate> = (0..n).map(|i| Coordinate::declare(&format!("q{i}"), true)).collect();
        let q: Vec<Symbol> = coordinates.iter().map(|c| c.jet(0)).collect();
        let v: Vec<Symbol> = coordinates.iter().map(|c| c.jet(1)).collect();
        let start = Instant::now();
        let (eq, ev): (Vec<Expr>, Vec<Expr>) =
            (q.iter().map(|s| Expr::symbol(*s)).collect(), v.iter().map(|s| Expr::symbol(*s)).collect());
        let l = lagrangian(form, &eq, &ev);
        let (m, f) = equations(l, &q, &v);
        let time = start.elapsed();
        let mut roots: Vec<Expr> = m.into_iter().flatten().collect();
        roots.extend(f);
        Measured { time, nodes: post_order(&roots).len(), made: node_count() }
    };
    std::thread::Builder::new()
        .spawn(run)
        .and_then(|t| t.join().map_err(|_| std::io::Error::other("panicked")))
        .unwrap()
}

fn main() {
    let mut sizes = std::env::args().filter_map(|a| a.parse::<usize>().ok());
    let (largest, smallest) = (sizes.next().unwrap_or(64), sizes.next().unwrap_or(2));
    println!("{:<9} {:>4} {:>12} {:>8} {:>9} {:>9}", "form", "n", "time", "growth", "nodes", "made");
    for (name, form) in [("squares", Form::Squares), ("reduced", Form::Reduced)] {
        let mut before: Option<Duration> = None;
        let mut n = smallest;
        while n <= largest {
            let repetitions = if n <= 16 { 20 } else { 7 };
            let best = (0..repetitions).map(|_| measure(form, n)).min_by_key(|m| m.time).expect("measured");
            let growth = before.map_or(String::new(), |b| format!("{:.2}x", best.time.as_secs_f64() / b.as_secs_f64()));
            println!(
                "{name:<9} {n:>4} {:>9.3} ms {growth:>8} {:>9} {:>9}",
                best.time.as_secs_f64() * 1e3,
                best.nodes,
                best.made
            );
            before = Some(best.time);
            n *= 2;
        }
    }
}
