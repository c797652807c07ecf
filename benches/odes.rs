//! Krupková's systems and mixed systems: the worked cases one after the other, the constraint algorithm of example 9.2, searches for
//! integrals, and how `equations` of the planar n-link pendulum compares with the bare derivation of `nlink`.
//!
//! Every measurement starts from an empty graph, on a thread of its own; the least of several is shown.
//! `cargo bench --bench odes`.

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::Inquiry;
use lepage::workshop::algebra::derive::{Direction, gradient, symmetric_jacobian};
use lepage::workshop::algebra::function::Elementary;
use lepage::workshop::algebra::{Coordinate, Expr, Symbol};
use lepage::workshop::geometry::jet::FiberedManifold;
use lepage::workshop::mechanics::lagrangian::Lagrangian;
use std::path::Path;
use std::time::{Duration, Instant};

fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    thread.join().expect("no panic")
}

fn least(times: usize, measure: impl Fn() -> Duration) -> Duration {
    (0..times).map(|_| measure()).min().expect("measured")
}

fn run(text: String) -> Duration {
    on_a_thread(move || {
        let start = Instant::now();
        let outcomes = Session::new(SessionOptions::default()).feed("bench", &text, Mode::File);
        let time = start.elapsed();
        let failed = outcomes.iter().filter(|o| !o.held()).count();
        assert_eq!(failed, 0, "statements that did not hold");
        time
    })
}

fn worked_cases(sheet: &str) -> (usize, Duration, (String, Duration)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(sheet);
    let mut total = Duration::ZERO;
    let mut slowest = (String::new(), Duration::ZERO);
    let mut n = 0;
    for entry in std::fs::read_dir(folder).expect("the worked cases") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let time = run(text);
        total += time;
        n += 1;
        if time > slowest.1 {
            slowest = (path.file_stem().expect("a name").to_string_lossy().into_owned(), time);
        }
    }
    (n, total, slowest)
}

/// The pendulum of `nlink` in its recursive form.
fn pendulum(n: usize) -> (Vec<Coordinate>, Expr) {
    let coordinates: Vec<Coordinate> = (0..n).map(|i| Coordinate::declare(&format!("q{i}"), true)).collect();
    let apply = |f: Elementary, x: Expr| Expr::apply(f, &[x]);
    let (mut vx, mut vy, mut y, mut l) = (Expr::zero(), Expr::zero(), Expr::zero(), vec![]);
    for c in &coordinates {
        let (q, v) = (Expr::symbol(c.jet(0)), Expr::symbol(c.jet(1)));
        vx = vx + v * apply(Elementary::Cos, q);
        vy = vy + v * apply(Elementary::Sin, q);
        y = y - apply(Elementary::Cos, q);
        l.push((vx.pow(2) + vy.pow(2)) / 2 - Expr::ratio(981, 100) * y);
    }
    (coordinates, Expr::add_all(l))
}

/// M = ∂²L/∂v∂v and f = ∂L/∂q − Σ_j ∂²L/∂v∂q_j v_j, nothing else.
fn bare_derivation(n: usize) -> Duration {
    on_a_thread(move || {
        let cx = &Inquiry::free();
        let start = Instant::now();
        let (coordinates, l) = pendulum(n);
        let q: Vec<Symbol> = coordinates.iter().map(|c| c.jet(0)).collect();
        let v: Vec<Symbol> = coordinates.iter().map(|c| c.jet(1)).collect();
        let momenta = gradient(cx, l, &v);
        let mass = symmetric_jacobian(cx, &momenta, &v);
        let flow = Direction::new(|s: Symbol| match s.as_jet() {
            Some((coordinate, 0)) => Expr::symbol(coordinate.jet(1)),
            _ => Expr::zero(),
        });
        let force: Vec<Expr> =
            momenta.iter().zip(gradient(cx, l, &q)).map(|(p, slope)| slope - flow.apply(cx, *p)).collect();
        let time = start.elapsed();
        assert!(mass.len() == n && force.len() == n);
        time
    })
}

/// What `equations(L)` derives: E with its true order, A and B.
fn equations(n: usize) -> Duration {
    on_a_thread(move || {
        let cx = &Inquiry::free();
        let start = Instant::now();
        let (coordinates, l) = pendulum(n);
        let y = FiberedManifold::new("Y", Symbol::base("t"), &coordinates);
        let form = Lagrangian::new(cx, &y, l).and_then(|l| l.dynamical_form(cx)).expect("derived");
        let time = start.elapsed();
        assert_eq!(form.order(), 2);
        time
    })
}

fn main() {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    for sheet in ["krupkova-odes", "mixed-systems"] {
        let (n, total, (name, slowest)) = worked_cases(sheet);
        println!("{sheet}: {n} programs in {:.1} ms, the slowest {name} in {:.1} ms", ms(total), ms(slowest));
    }
    // Integrals of degree 4 in two degrees of freedom, with numbers and with two parameters.
    let plane = "manifold Y over t { x, y }\nparam a, b\n";
    for (name, potential) in [
        ("Hénon–Heiles", "(x^2 + y^2)/2 + x^2*y - y^3/3"),
        ("(a x² + b y²)/2 + x² y + 2 y³", "(a*x^2 + b*y^2)/2 + x^2*y + 2*y^3"),
    ] {
        let declared = format!("{plane}lagrangian L on J1(Y) = (x'^2 + y'^2)/2 - ({potential})\n");
        let without = least(5, || run(declared.clone()));
        let with = least(5, || run(format!("{declared}find_integrals(L, 4)\n")));
        println!("find_integrals   {name} {:.1} ms", ms(with.saturating_sub(without)));
    }
    let declared = "manifold Y over t { q1, q2, q3 }\nlagrangian L on J1(Y) = q1'*q3' + q2^2*q3/2\n";
    let without = least(20, || run(declared.into()));
    let with = least(20, || run(format!("{declared}assert dynamics(L) is complete\n")));
    println!("dynamics of 9.2  {:.2} ms", ms(with.saturating_sub(without)));
    for n in [4, 16, 32] {
        let (bare, full) = (least(15, || bare_derivation(n)), least(15, || equations(n)));
        println!(
            "{n:>2}-link pendulum {:.3} ms bare, {:.3} ms equations, ratio {:.2}",
            ms(bare),
            ms(full),
            full.as_secs_f64() / bare.as_secs_f64()
        );
    }
}
