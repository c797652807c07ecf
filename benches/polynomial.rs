//! Polynomial arithmetic, gcd, factorisation and Gröbner bases on fixed pseudo-random inputs; all linear systems and ideals
//! that the worked cases of the sheets produce, which are to take less than two seconds together; the programs of these cases.
//!
//! ```text
//! cargo bench --bench polynomial                      times of this crate
//! LEPAGE_BENCH_JSON=/tmp/poly.json cargo bench --bench polynomial && python benches/peers/polynomial.py /tmp/poly.json
//! ```
//!
//! The second form writes inputs and times, and the script runs python-flint on the same inputs.

#[allow(dead_code)]
#[path = "../tests/sheets/data.rs"]
mod data;

use lepage::session::{Mode, Session, SessionOptions};
use lepage::workshop::algebra::Inquiry;
use lepage::workshop::algebra::factor::factor;
use lepage::workshop::algebra::ideal::{Order, groebner};
use lepage::workshop::algebra::polynomial::Polynomial;
use lepage::workshop::algebra::{Rational, polynomial::Monomial, polynomial::modular::Sequence};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Case {
    name: &'static str,
    operation: &'static str,
    inputs: Vec<Vec<Polynomial>>,
}

fn random_polynomial(random: &mut Sequence, n_variables: u32, n_terms: usize, degree: u64, size: u64) -> Polynomial {
    let mut p = Polynomial::zero();
    while p.n_terms() < n_terms {
        let missing = n_terms - p.n_terms();
        let terms = (0..missing).map(|_| {
            let monomial: Monomial = (0..n_variables).map(|v| (v, random.below(degree + 1) as u32)).collect();
            (monomial, Rational::from(1 + random.below(size) as i64 - (size / 2) as i64 * 2 * (random.below(2) as i64)))
        });
        p = &p + &Polynomial::from_terms(terms.collect::<Vec<_>>());
    }
    p
}

/// Pairs g·a, g·b.
fn gcd_inputs(
    cx: &Inquiry,
    seed: u64,
    count: usize,
    n_variables: u32,
    terms: [usize; 3],
    degree: u64,
    size: u64,
) -> Vec<Vec<Polynomial>> {
    let mut random = Sequence::new(seed);
    (0..count)
        .map(|_| {
            let [g, a, b] = terms.map(|n| random_polynomial(&mut random, n_variables, n, degree, size));
            vec![g.mul(cx, &a).unwrap(), g.mul(cx, &b).unwrap()]
        })
        .collect()
}

fn cases(cx: &Inquiry) -> Vec<Case> {
    let gcd = |name, seed, count, n, terms, degree, size| Case {
        name,
        operation: "gcd",
        inputs: gcd_inputs(cx, seed, count, n, terms, degree, size),
    };
    let mut cases = vec![
        gcd("gcd, 6 terms, 3 variables", 21, 200, 3, [2, 3, 3], 1, 5),
        gcd("gcd, 12 terms, 5 variables", 22, 200, 5, [3, 4, 4], 2, 5),
        gcd("gcd, 49 terms, 8 variables, degree 6", 1, 20, 8, [7, 7, 7], 3, 20),
        gcd("gcd, 50 terms, 8 variables, degree 2", 2, 20, 8, [10, 5, 5], 1, 20),
        gcd("gcd, 50 terms, 8 variables, large numbers", 3, 20, 8, [7, 7, 7], 3, 1 << 40),
        gcd("gcd, 2000 terms, 8 variables", 4, 5, 8, [40, 50, 50], 3, 100),
        gcd("gcd, 2000 terms, 4 variables", 5, 5, 4, [40, 50, 50], 6, 100),
        gcd("gcd, dense, 3 variables", 6, 5, 3, [100, 100, 100], 5, 100),
        gcd("gcd, dense, 2 variables", 7, 5, 2, [200, 200, 200], 15, 100),
        gcd("gcd, 1 variable, degree 60", 8, 20, 1, [28, 28, 28], 30, 100),
    ];
    let factor = |name, seed, count, n, terms: &[usize], degree, size| {
        let mut random = Sequence::new(seed);
        let mut input = || {
            let factors: Vec<_> = terms.iter().map(|&t| random_polynomial(&mut random, n, t, degree, size)).collect();
            vec![Polynomial::product(cx, &factors).unwrap()]
        };
        Case { name, operation: "factor", inputs: (0..count).map(|_| input()).collect() }
    };
    cases.extend([
        factor("factor, 2 factors, 49 terms, 8 variables", 11, 20, 8, &[7, 7], 3, 20),
        factor("factor, 3 factors, 48 terms, 8 variables", 12, 20, 8, &[4, 4, 3], 2, 20),
        factor("factor, irreducible, 50 terms, 8 variables", 13, 20, 8, &[50], 4, 20),
        factor("factor, 2 factors, 50 terms, linear", 14, 20, 8, &[9, 9], 1, 20),
        factor("factor, 2 factors, 2000 terms, 8 variables", 15, 5, 8, &[45, 45], 3, 100),
        factor("factor, 2 factors, 2000 terms, 4 variables", 16, 5, 4, &[45, 45], 6, 100),
        factor("factor, 2 factors, dense, 3 variables", 17, 5, 3, &[100, 100], 5, 100),
        factor("factor, 2 factors, dense, 2 variables", 18, 5, 2, &[60, 60], 8, 100),
        factor("factor, 4 factors, 1 variable, degree 40", 19, 10, 1, &[10, 10, 10, 10], 10, 100),
    ]);
    let mut random = Sequence::new(9);
    cases.push(Case {
        name: "gcd, coprime, 50 terms, 8 variables",
        operation: "gcd",
        inputs: (0..50).map(|_| (0..2).map(|_| random_polynomial(&mut random, 8, 50, 4, 50)).collect()).collect(),
    });
    cases.push(Case {
        name: "multiply, 50 by 50 terms, 8 variables",
        operation: "mul",
        inputs: (0..50).map(|_| (0..2).map(|_| random_polynomial(&mut random, 8, 50, 4, 50)).collect()).collect(),
    });
    cases.push(Case {
        name: "multiply, 1000 by 1000 terms, 4 variables",
        operation: "mul",
        inputs: (0..3).map(|_| (0..2).map(|_| random_polynomial(&mut random, 4, 1000, 7, 50)).collect()).collect(),
    });
    let groebner = |name, generators| Case { name, operation: "groebner", inputs: vec![generators] };
    cases.extend([
        groebner("groebner, katsura-5, grevlex", katsura(cx, 5)),
        groebner("groebner, katsura-6, grevlex", katsura(cx, 6)),
        groebner("groebner, cyclic-5, grevlex", cyclic(cx, 5)),
        groebner("groebner, cyclic-6, grevlex", cyclic(cx, 6)),
    ]);
    cases
}

fn sum(list: impl IntoIterator<Item = Polynomial>) -> Polynomial {
    list.into_iter().fold(Polynomial::zero(), |s, p| &s + &p)
}

/// Σ u_l u_{m−l} = u_m for 0 ≤ m < n, Σ u_l = 1, with u_{−l} = u_l and u_l = 0 for |l| > n.
fn katsura(cx: &Inquiry, n: i64) -> Vec<Polynomial> {
    let u = |l: i64| if l.abs() <= n { Polynomial::variable(l.unsigned_abs() as u32) } else { Polynomial::zero() };
    let mut list = vec![&sum((-n..=n).map(u)) - &Polynomial::one()];
    list.extend((0..n).map(|m| &sum((-n..=n).map(|l| u(l).mul(cx, &u(m - l)).unwrap())) - &u(m)));
    list
}

fn cyclic(cx: &Inquiry, n: u32) -> Vec<Polynomial> {
    let window = |i: u32, k: u32| (0..k).map(move |j| Polynomial::variable((i + j) % n)).collect::<Vec<_>>();
    let product = |list: Vec<Polynomial>| Polynomial::product(cx, &list).unwrap();
    let mut list: Vec<Polynomial> = (1..n).map(|k| sum((0..n).map(|i| product(window(i, k))))).collect();
    list.push(&product(window(0, n)) - &Polynomial::one());
    list
}

fn run(cx: &Inquiry, operation: &str, input: &[Polynomial]) {
    match operation {
        "gcd" => {
            black_box(input[0].gcd(cx, &input[1]).unwrap());
        }
        "mul" => {
            black_box(input[0].mul(cx, &input[1]).unwrap());
        }
        "factor" => {
            let f = factor(cx, &input[0]);
            assert!(f.complete);
            black_box(f);
        }
        "groebner" => {
            let mut variables: Vec<u32> = input.iter().flat_map(|p| p.variables()).copied().collect();
            variables.sort_unstable();
            let basis = groebner(cx, input, &Order::grevlex(&variables), &[]);
            assert!(basis.complete);
            black_box(basis);
        }
        other => unreachable!("no operation {other}"),
    }
}

/// Seconds for all inputs of the case, the best of several passes.
fn time(cx: &Inquiry, case: &Case) -> f64 {
    let mut best = Duration::MAX;
    let mut spent = Duration::ZERO;
    for pass in 0.. {
        let start = Instant::now();
        for input in &case.inputs {
            run(cx, case.operation, input);
        }
        let elapsed = start.elapsed();
        best = best.min(elapsed);
        spent += elapsed;
        if pass >= 2 && spent > Duration::from_millis(500) {
            break;
        }
    }
    best.as_secs_f64()
}

/// The programs of the worked cases, run one after the other in sessions of their own: how many, how many of them hold
/// throughout (some ask about parts of the language that are still to come), and seconds for all that they do. The linear
/// systems and ideals are a part of it.
fn sheets() -> (usize, usize, f64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders = vec![root];
    let mut programs: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the worked cases") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mech") {
                programs.push(path);
            }
        }
    }
    programs.sort();
    let (mut held, mut seconds) = (0, 0.0);
    for path in &programs {
        let text = std::fs::read_to_string(path).expect("UTF-8");
        let start = Instant::now();
        let outcomes = Session::new(SessionOptions::default()).feed("case.mech", &text, Mode::File);
        seconds += start.elapsed().as_secs_f64();
        held += usize::from(outcomes.iter().all(|o| o.held()));
    }
    (programs.len(), held, seconds)
}

/// All systems M y = r and all ideals of the worked cases, one pass: how many, seconds for all, and the slowest.
fn systems_and_ideals(cx: &Inquiry) {
    let (systems, ideals) = data::read();
    let mut spent: Vec<(f64, &str)> = Vec::new();
    let mut stopped = 0;
    for case in &systems {
        let start = Instant::now();
        stopped += usize::from(!black_box(data::solve(cx, case).expect("small")).open.is_empty());
        spent.push((start.elapsed().as_secs_f64(), &case.title));
    }
    let first: f64 = spent.iter().map(|(s, _)| s).sum();
    for case in &ideals {
        let start = Instant::now();
        black_box(data::decompose(cx, case).expect("small"));
        spent.push((start.elapsed().as_secs_f64(), &case.title));
    }
    let total: f64 = spent.iter().map(|(s, _)| s).sum();
    let row = |name: &str, seconds: f64, note: String| println!("{name:<50} {:>12.1} ms, {note}", seconds * 1e3);
    row(
        "linear systems of the sheets",
        first,
        format!("{} systems by strata, with solutions; {stopped} stopped", systems.len()),
    );
    row("ideals of the sheets", total - first, format!("{} ideals with components and points", ideals.len()));
    row("linear systems and ideals together", total, "one pass".into());
    spent.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (seconds, title) in spent.iter().take(5) {
        row(&format!("  {title}"), *seconds, "among the slowest".into());
    }
}

fn main() {
    let cx = &Inquiry::free();
    systems_and_ideals(cx);
    let (programs, held, seconds) = sheets();
    let name = "worked cases of the sheets";
    println!("{name:<50} {:>12.1} ms, {programs} programs, {held} hold", seconds * 1e3);
    let cases = cases(cx);
    let mut report = Vec::new();
    for case in &cases {
        let seconds = time(cx, case);
        let each = seconds / case.inputs.len() as f64;
        println!("{:<50} {:>12.1} µs", case.name, each * 1e6);
        report.push(serde_json::json!({
            "name": case.name,
            "operation": case.operation,
            "seconds_each": each,
            "inputs": case.inputs.iter()
                .map(|input| input.iter().map(Polynomial::to_string).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
        }));
    }
    if let Ok(path) = std::env::var("LEPAGE_BENCH_JSON") {
        std::fs::write(path, serde_json::Value::from(report).to_string()).expect("the file can be written");
    }
}
