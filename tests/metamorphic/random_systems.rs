//! Random singular Lagrangians of first and second order, polynomial and with sin, cos and exp. What `dynamics` says about the
//! shape of the motions must not depend on how the system is written:
//!
//! - a linear change of coordinates, a triangular one, another order of the coordinates,
//! - a total derivative added, the whole multiplied by a number.
//!
//! The kind of answer, and dimension, free functions and ranks of every branch agree with those of the system as it was, or one of
//! the two answers is not complete. `LEPAGE_LONG=1 cargo test --test metamorphic random -- --nocapture` takes all 300 systems
//! and prints what it counted; otherwise a few are taken.

use lepage::workshop::algebra::assume::Facts;
use lepage::workshop::algebra::function::Elementary;
use lepage::workshop::algebra::substitute::substitute;
use lepage::workshop::algebra::{Coordinate, Expr, Inquiry, Symbol};
use lepage::workshop::budget::{Budget, Share};
use lepage::workshop::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
use lepage::workshop::mechanics::certificate::certified;
use lepage::workshop::mechanics::constraint_algorithm::{Dynamics, SystemDynamics, dynamics};
use lepage::workshop::mechanics::lagrangian::Lagrangian;
use lepage::workshop::mechanics::lepage_class::closed_representative;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// What one answer may cost, in terms combined.
const WORK: u64 = 6_000_000;

const SYSTEMS: u64 = 300;

/// Fixed small random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n) as usize
    }

    fn number(&mut self) -> i64 {
        [1, -1, 2, -2, 3, 1][self.below(6)]
    }

    /// A polynomial in these, of so many terms.
    fn polynomial(&mut self, of: &[Expr], degree: u64, terms: usize) -> Expr {
        let term = |dice: &mut Dice| {
            let n = 1 + dice.below(degree);
            let product = (0..n).fold(Expr::one(), |p, _| p * of[dice.below(of.len() as u64)]);
            dice.number() * product
        };
        let list: Vec<Expr> = (0..terms).map(|_| term(self)).collect();
        Expr::add_all(list)
    }
}

/// A manifold with coordinates of these names.
fn manifold(name: &str, names: &[&str]) -> FiberedManifold {
    let coordinates: Vec<Coordinate> = names.iter().map(|n| Coordinate::declare(n, false)).collect();
    FiberedManifold::new(name, Symbol::base("t"), &coordinates)
}

fn jet(y: &FiberedManifold, i: usize, k: u32) -> Expr {
    Expr::symbol(y.fibres()[i].coordinate.jet(k))
}

fn apply(f: Elementary, e: Expr) -> Expr {
    Expr::apply(f, &[e])
}

/// The n-th system: its manifold and its function, singular by its shape.
fn system(n: u64) -> (FiberedManifold, Expr) {
    use Elementary::{Cos, Exp, Sin};
    let dice = &mut Dice(977 + 131 * n);
    let m = if matches!(n % 10, 1 | 7 | 8) { 2 } else { 3 };
    let y = manifold("Y", &["x", "y", "z"][..m]);
    let q = |i: usize| jet(&y, i, 0);
    let v = |i: usize| jet(&y, i, 1);
    let a = |i: usize| jet(&y, i, 2);
    let half = |e: Expr| e * Expr::ratio(1, 2);
    let all: Vec<Expr> = (0..m).map(q).collect();
    let l = match n % 10 {
        // A multiplier.
        0 => half(v(0).pow(2) + v(1).pow(2)) + q(2) * dice.polynomial(&all[..2], 2, 2),
        // A square of one combination of velocities.
        1 => {
            half((dice.number() * v(0) + dice.number() * v(1) + dice.polynomial(&all, 2, 1)).pow(2))
                + dice.polynomial(&all, 3, 2)
        }
        // Linear in the velocities.
        2 => {
            let forms = (0..m).map(|i| dice.polynomial(&all, 2, 1) * v(i)).collect::<Vec<_>>();
            Expr::add_all(forms) + dice.polynomial(&all, 2, 2)
        }
        // One coordinate of second order, two of first.
        3 => half(v(0).pow(2)) + dice.number() * q(1) * v(2) + dice.polynomial(&all, 3, 3),
        // A direction that turns.
        4 => half((apply(Cos, q(2)) * v(0) + apply(Sin, q(2)) * v(1)).pow(2)) + dice.polynomial(&all[..2], 2, 1),
        // A multiplier of a condition with a function.
        5 => {
            let f = if dice.below(2) == 0 { apply(Sin, q(0)) } else { apply(Exp, q(0)) - 1 };
            half(v(0).pow(2) + v(1).pow(2)) + q(2) * (dice.number() * f + dice.polynomial(&all[1..2], 2, 1))
        }
        // No kinetic energy at all, or almost none.
        6 => dice.polynomial(&all, 3, 3) + if dice.below(2) == 0 { half(v(1).pow(2)) } else { q(0) * v(1) },
        // Of second order.
        7 => half((a(0) - dice.number() * v(1)).pow(2)) + dice.polynomial(&all, 2, 2),
        8 => half(a(0).pow(2)) + dice.number() * q(0) * q(1).pow(2) + dice.polynomial(&all, 2, 1),
        _ => {
            half((v(0) - q(1)).pow(2) * apply(Exp, q(0)))
                + q(2) * dice.polynomial(&all[..2], 2, 1)
                + dice.polynomial(&all, 2, 1)
        }
    };
    (y, l)
}

const CHANGES: [&str; 5] = ["linear change", "triangular change", "another order", "total derivative", "multiple"];

/// The system written in another way.
fn changed(cx: &Inquiry, y: &FiberedManifold, l: Expr, how: usize, dice: &mut Dice) -> (FiberedManifold, Expr) {
    let m = y.n_coordinates();
    match how {
        0..=2 => {
            let new = manifold("Z", &["u", "v", "w"][..m]);
            let q = |i: usize| jet(&new, i, 0);
            let image = |i: usize, dice: &mut Dice| match how {
                // Unit triangular times unit triangular: invertible over the integers.
                0 => q(i) + if i > 0 { dice.number() * q(i - 1) } else { Expr::zero() },
                1 => q(i) + if i > 0 { dice.number() * q(dice.below(i as u64)).pow(2) } else { Expr::zero() },
                _ => q((i + 1) % m),
            };
            let mut images: Vec<Expr> = (0..m).map(|i| image(i, dice)).collect();
            if how == 0 {
                images[0] = images[0] + dice.number() * images[m - 1];
            }
            let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
            map.insert(y.base(), Expr::symbol(new.base()));
            for (i, image) in images.iter().enumerate() {
                for k in 0..=4 {
                    map.insert(y.fibres()[i].coordinate.jet(k), total_derivatives(cx, *image, k));
                }
            }
            (new, substitute(l, &map))
        }
        3 => {
            let q = |i: usize| jet(y, i, 0);
            let f = dice.number() * q(0) * q(1) + dice.number() * q(m - 1).pow(2) * q(0);
            (y.clone(), l + total_derivative(cx, f))
        }
        _ => (y.clone(), [-1, 3, -2][dice.below(3)] * l),
    }
}

/// The answer, and how long it took: all of it, and its certificates made a second time.
fn answer(y: &FiberedManifold, l: Expr, clock: &mut [Duration; 2]) -> Option<SystemDynamics> {
    let cx = &Inquiry::new(Facts::default(), Budget::new(Share::given(WORK)));
    let form = Lagrangian::new(cx, y, l).ok()?.dynamical_form(cx).ok()?;
    let alpha = closed_representative(cx, &form);
    let begin = Instant::now();
    let found = dynamics(cx, &alpha).ok()?;
    clock[0] += begin.elapsed();
    let work = Share::given(cx.work_done() / 2);
    let cx = &Inquiry::new(Facts::default(), Budget::new(Share::given(WORK)));
    let begin = Instant::now();
    if form.order() > 1 {
        certified(cx, &alpha, found.proper.clone(), work);
    }
    certified(cx, &alpha, found.extended.clone(), work);
    clock[1] += begin.elapsed();
    Some(found)
}

/// What does not depend on coordinates; `None` if the answer does not claim to be complete.
fn invariants(d: &Dynamics) -> Option<(&'static str, Vec<String>)> {
    if !d.complete.is_yes() {
        return None;
    }
    let branch = |dim: usize, free: usize, ranks: &[usize]| format!("dim {dim}, {free} free, rank {ranks:?}");
    let mut branches: Vec<String> = d.branches.iter().map(|b| branch(b.dim, b.free, &b.rank.values)).collect();
    branches.sort();
    Some((d.kind(), branches))
}

#[derive(Default, Debug)]
struct Count {
    agree: usize,
    unknown: usize,
    failed_certificates: usize,
    disagree: usize,
}

/// Compares both problems of two answers.
fn compare(before: &SystemDynamics, after: &SystemDynamics, count: &mut Count) -> Vec<String> {
    let mut differences = vec![];
    for (name, a, b) in [("proper", &before.proper, &after.proper), ("extended", &before.extended, &after.extended)] {
        match (invariants(a), invariants(b)) {
            (Some(a), Some(b)) if a == b => count.agree += 1,
            (Some(a), Some(b)) => {
                count.disagree += 1;
                differences.push(format!("{name}: {a:?}\n    became  {b:?}"));
            }
            _ => {
                count.unknown += 1;
                let fault = |d: &Dynamics| d.complete.to_string().contains("the certificate");
                count.failed_certificates += usize::from(fault(a) || fault(b));
            }
        }
    }
    differences
}

/// Certificates that failed: faults of the algorithm that did not become answers.
fn faults(of: &SystemDynamics, l: Expr) -> Vec<String> {
    let problems = [("proper", &of.proper), ("extended", &of.extended)];
    let failed = problems.iter().filter(|(_, d)| d.complete.to_string().contains("the certificate"));
    failed.map(|(name, d)| format!("{name} dynamics of {l}: {}", d.complete)).collect()
}

#[test]
fn random_singular_systems() {
    let is_long = std::env::var_os("LEPAGE_LONG").is_some();
    let chosen = |n: &u64| is_long || n % 30 == n / 30;
    let (mut count, mut found, mut clock) = (Count::default(), vec![], [Duration::ZERO; 2]);
    for n in (0..SYSTEMS).filter(chosen) {
        let (y, l) = system(n);
        let cx = &Inquiry::free();
        let Some(before) = answer(&y, l, &mut clock) else { continue };
        for (how, name) in CHANGES.iter().enumerate() {
            if !is_long && how as u64 != n % 5 {
                continue;
            }
            let (z, changed) = changed(cx, &y, l, how, &mut Dice(5 + 17 * n + how as u64));
            let Some(after) = answer(&z, changed, &mut clock) else {
                count.unknown += 2;
                continue;
            };
            if is_long {
                faults(&before, l).into_iter().chain(faults(&after, changed)).for_each(|fault| println!("{fault}"));
            }
            for difference in compare(&before, &after, &mut count) {
                println!("system {n}, {name}: {difference}");
                found.push(format!("system {n}, {name}: L = {l}\n    becomes {changed}\n    {difference}"));
            }
        }
        if is_long {
            println!("{n}: {count:?}");
        }
    }
    println!("{count:?}, {:?} for the answers, of these {:?} for certificates", clock[0], clock[1]);
    assert!(count.agree > count.unknown, "{count:?}");
    assert!(found.is_empty(), "{} of {count:?}:\n{}", found.len(), found.join("\n\n"));
}
