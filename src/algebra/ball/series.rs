//! Taylor series with balls as coefficients, and from them rigorous integrals.
//!
//! ```text
//! ∫_{c−h}^{c+h} f(u) du = Σ_{k<N, k even} 2 a_k h^{k+1}/(k+1)  ±  2 |a_N| h^{N+1}/(N+1)
//! ```
//!
//! where a_k (k < N) are the Taylor coefficients of f at c, and a_N encloses the N-th coefficient at *all*
//! points of the interval: the Lagrange remainder, R. Moore, *Interval Analysis*. Both come from the same
//! recurrences, once started at the number c and once at the interval. Intervals whose remainder is too
//! large are halved.

use super::Ball;
use super::evaluate::{apply, holds, scaled};
use super::float::{Float, Mag};
use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::function::{Elementary, Slope};
use crate::algebra::number::Rational;
use crate::algebra::symbol::Symbol;
use crate::budget::Budget;
use crate::budget::Budgeted;
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// No more pieces than this.
const MAX_PIECES: usize = 1 << 11;

/// The largest nodes below `body` that certainly do not depend on the variable.
pub(super) fn constants(body: Expr, variable: Symbol) -> Vec<Expr> {
    let mut found = Vec::new();
    for e in post_order(&[body]) {
        if e.may_contain(variable) {
            found.extend(e.children().into_iter().filter(|c| !c.may_contain(variable)));
            // A symbol that merely shares the mask is asked for, too.
            if let Node::Symbol(s) = e.node()
                && *s != variable
            {
                found.push(e);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// ∫₀¹ body d(variable), from the values of what does not depend on the variable.
pub(super) fn integral(
    cx: &Budget,
    body: Expr,
    variable: Symbol,
    known: &FxHashMap<Expr, Option<Ball>>,
    p: u32,
) -> Budgeted<Option<Ball>> {
    let nodes: Vec<Expr> =
        post_order(&[body]).into_iter().filter(|e| e.may_contain(variable) && !known.contains_key(e)).collect();
    let order = (p as usize / 4).clamp(8, 48);
    let tolerance = Mag::power_of_two(-i64::from(p));
    // Intervals [l, l + 1]·2^−depth, leftmost on top.
    let mut open: Vec<(u64, u32)> = vec![(0, 0)];
    let mut total = Ball::exact(Float::ZERO);
    let mut pieces = 0;
    while let Some((l, depth)) = open.pop() {
        cx.check()?;
        let h = -i64::from(depth) - 1;
        let center = Float::new(IBig::from(2 * l + 1), h);
        let whole = Ball::new(center.clone(), Mag::power_of_two(h));
        let Some(around) = taylor(cx, body, variable, &nodes, known, &whole, order, p)? else { return Ok(None) };
        let remainder = around[order].magnitude() * Mag::power_of_two((order as i64 + 1) * h + 1);
        pieces += 1;
        let good = remainder.cmp_value(tolerance.shifted(-i64::from(depth))).is_le();
        if !good && depth < 40 && pieces + open.len() < MAX_PIECES {
            open.push((2 * l + 1, depth + 1));
            open.push((2 * l, depth + 1));
            continue;
        }
        let crude = around[0].shifted(h + 1);
        let at = taylor(cx, body, variable, &nodes, known, &Ball::exact(center), order, p)?;
        let fine = match at {
            Some(at) if !remainder.is_infinite() => {
                let mut sum = Ball::new(Float::ZERO, remainder);
                for k in (0..order).step_by(2) {
                    let term = scaled(&at[k], &Rational::ratio(1, k as i64 + 1), p);
                    sum = sum.add(&term.shifted((k as i64 + 1) * h + 1), p);
                }
                Some(sum)
            }
            _ => None,
        };
        let piece = match fine {
            Some(fine) if fine.rad().cmp_value(crude.rad()).is_le() => fine,
            _ => crude,
        };
        total = total.add(&piece, p);
        if total.is_everything() {
            break;
        }
    }
    Ok(Some(total))
}

type Series = Vec<Ball>;

/// The coefficients 0 … order of the body as a function of the variable near `center`.
fn taylor(
    cx: &Budget,
    body: Expr,
    variable: Symbol,
    nodes: &[Expr],
    known: &FxHashMap<Expr, Option<Ball>>,
    center: &Ball,
    order: usize,
    p: u32,
) -> Budgeted<Option<Series>> {
    let zero = Ball::exact(Float::ZERO);
    let constant = |b: Ball| {
        let mut s = vec![zero.clone(); order + 1];
        s[0] = b;
        s
    };
    let mut done: FxHashMap<Expr, Series> = FxHashMap::default();
    for &e in nodes {
        cx.check()?;
        let get = |c: Expr| match done.get(&c) {
            Some(s) => Some(s.clone()),
            None => known.get(&c).cloned().flatten().map(constant),
        };
        let s = match e.node() {
            Node::Symbol(s) if *s == variable => {
                let mut s = constant(center.clone());
                s[1] = Ball::exact(Float::ONE);
                Some(s)
            }
            _ => node_series(e, &get, p),
        };
        let Some(s) = s else { return Ok(None) };
        done.insert(e, s);
    }
    Ok(done.remove(&body))
}

fn node_series(e: Expr, get: &dyn Fn(Expr) -> Option<Series>, p: u32) -> Option<Series> {
    match e.node() {
        Node::Sum { constant, terms } => {
            let mut sum: Option<Series> = None;
            for (term, coefficient) in terms.iter() {
                let term: Series = get(*term)?.iter().map(|b| scaled(b, coefficient, p)).collect();
                sum = Some(match sum {
                    None => term,
                    Some(sum) => add(&sum, &term, p),
                });
            }
            let mut sum = sum?;
            sum[0] = sum[0].add(&Ball::from_rational(constant, p), p);
            Some(sum)
        }
        Node::Product(factors) => {
            let mut product: Option<Series> = None;
            for (base, exponent) in factors.iter() {
                let factor = power(&get(*base)?, exponent, p)?;
                product = Some(match product {
                    None => factor,
                    Some(product) => mul(&product, &factor, p),
                });
            }
            product
        }
        Node::Power(base, exponent) => Some(exp(&mul(&get(*exponent)?, &log(&get(*base)?, p)?, p), p)),
        Node::Apply(function, arguments) => {
            let arguments = arguments.iter().map(|a| get(*a)).collect::<Option<Vec<Series>>>()?;
            function_series(*function, &arguments, p)
        }
        Node::Piecewise { condition, then, otherwise } => match holds(condition, &get(condition.left)?[0]) {
            Some(true) => get(*then),
            Some(false) => get(*otherwise),
            None => {
                let (a, b) = (get(*then)?, get(*otherwise)?);
                Some(kinked(a[0].hull(&b[0], p), a.len()))
            }
        },
        _ => None,
    }
}

fn function_series(function: Elementary, x: &[Series], p: u32) -> Option<Series> {
    let a = &x[0];
    let values: Vec<Ball> = x.iter().map(|s| s[0].clone()).collect();
    let start = apply(function, &values, p)?;
    Some(match function.row().slope {
        Slope::Itself => exp(a, p),
        Slope::Reciprocal => log(a, p)?,
        Slope::Partner { other, negative } => {
            let back = matches!(other.row().slope, Slope::Partner { negative: true, .. });
            partners(a, (start, negative), (apply(other, &values[..1], p)?, back), p)
        }
        Slope::Riccati { minus } => {
            // k t_k = k a_k ± Σ j a_j (t²)_{k−j}, where t² is known up to the place before.
            let (mut t, mut square) = (vec![start], Series::new());
            for k in 1..a.len() {
                square.push((0..k).fold(Ball::exact(Float::ZERO), |sum, j| sum.add(&t[j].mul(&t[k - 1 - j], p), p)));
                let mut sum = times_integer(&a[k], k as i64, p);
                for j in 1..=k {
                    let term = times_integer(&a[j], j as i64, p).mul(&square[k - j], p);
                    sum = if minus { sum.sub(&term, p) } else { sum.add(&term, p) };
                }
                t.push(scaled(&sum, &Rational::ratio(1, k as i64), p));
            }
            t
        }
        Slope::OverQuadratic { constant, square, root, negative } => {
            let squared = mul(a, a, p);
            let mut below: Series = if square < 0 { squared.iter().map(Ball::neg).collect() } else { squared };
            below[0] = below[0].add(&Ball::exact(Float::new(IBig::from(constant), 0)), p);
            let exponent = if root { Rational::ratio(-1, 2) } else { Rational::MINUS_ONE };
            let rate = mul(&derivative(a, p), &power(&below, &exponent, p)?, p);
            let rate = if negative { rate.iter().map(Ball::neg).collect() } else { rate };
            integrated(start, &rate, p)
        }
        Slope::CubeRoot if a[0].contains_zero() => kinked(start, a.len()),
        Slope::CubeRoot => power_from(start, a, &Rational::ratio(1, 3), p)?,
        Slope::Gauss => {
            let exponent: Series = mul(a, a, p).iter().map(Ball::neg).collect();
            let factor = Ball::exact(Float::ONE).shifted(1).div(&super::elementary::pi(p).sqrt(p)?, p)?;
            let rate = mul(&derivative(a, p), &exp(&exponent, p), p);
            integrated(start, &rate.iter().map(|b| b.mul(&factor, p)).collect(), p)
        }
        Slope::Angle => {
            let (y, x) = (&x[0], &x[1]);
            let norm = add(&mul(x, x, p), &mul(y, y, p), p);
            let minus = mul(y, &derivative(x, p), p).iter().map(Ball::neg).collect();
            let above = add(&mul(x, &derivative(y, p), p), &minus, p);
            integrated(start, &mul(&above, &power(&norm, &Rational::MINUS_ONE, p)?, p), p)
        }
        Slope::Kink => match a[0].sign() {
            Some(1) => a.clone(),
            Some(-1) => a.iter().map(Ball::neg).collect(),
            _ => kinked(start, a.len()),
        },
        Slope::Jump => match a[0].sign() {
            Some(1 | -1) => {
                let mut s = vec![Ball::exact(Float::ZERO); a.len()];
                s[0] = start;
                s
            }
            _ => kinked(start, a.len()),
        },
        Slope::Extreme => match values.iter().position(|v| *v == start) {
            // The extreme argument is one of them for sure: the ball was passed through unchanged.
            Some(i) if values.iter().enumerate().all(|(j, v)| j == i || v.sub(&start, p).sign().is_some()) => {
                x[i].clone()
            }
            _ => kinked(start, a.len()),
        },
    })
}

/// A value and nothing known about derivatives.
fn kinked(value: Ball, len: usize) -> Series {
    let mut s = vec![Ball::everything(); len];
    s[0] = value;
    s
}

fn add(a: &Series, b: &Series, p: u32) -> Series {
    a.iter().zip(b).map(|(a, b)| a.add(b, p)).collect()
}

fn mul(a: &Series, b: &Series, p: u32) -> Series {
    (0..a.len()).map(|k| (0..=k).fold(Ball::exact(Float::ZERO), |sum, j| sum.add(&a[j].mul(&b[k - j], p), p))).collect()
}

fn times_integer(a: &Ball, n: i64, p: u32) -> Ball {
    a.mul(&Ball::exact(Float::new(IBig::from(n), 0)), p)
}

/// The derivative; its last coefficient is unknown and never used by [`integrated`].
fn derivative(a: &Series, p: u32) -> Series {
    let mut d: Series = (1..a.len()).map(|k| times_integer(&a[k], k as i64, p)).collect();
    d.push(Ball::exact(Float::ZERO));
    d
}

fn integrated(start: Ball, rate: &Series, p: u32) -> Series {
    let mut s = vec![start];
    s.extend((1..rate.len()).map(|k| scaled(&rate[k - 1], &Rational::ratio(1, k as i64), p)));
    s
}

/// k b_k = Σ j a_j b_{k−j}
fn exp(a: &Series, p: u32) -> Series {
    let mut b = vec![a[0].exp(p)];
    for k in 1..a.len() {
        let sum = (1..=k)
            .fold(Ball::exact(Float::ZERO), |sum, j| sum.add(&times_integer(&a[j], j as i64, p).mul(&b[k - j], p), p));
        b.push(scaled(&sum, &Rational::ratio(1, k as i64), p));
    }
    b
}

/// a_0 b_k = a_k − (1/k) Σ_{0<j<k} j b_j a_{k−j}
fn log(a: &Series, p: u32) -> Option<Series> {
    let mut b = vec![a[0].log(p)?];
    for k in 1..a.len() {
        let sum = (1..k)
            .fold(Ball::exact(Float::ZERO), |sum, j| sum.add(&times_integer(&b[j], j as i64, p).mul(&a[k - j], p), p));
        let value = a[k].sub(&scaled(&sum, &Rational::ratio(1, k as i64), p), p);
        b.push(value.div(&a[0], p)?);
    }
    Some(b)
}

/// y of a pair with y′ = ±g a′ and g′ = ±y a′, each given by its value and whether its slope is negative:
/// k y_k = ±Σ j a_j g_{k−j}, k g_k = ±Σ j a_j y_{k−j}.
fn partners(a: &Series, (y0, y_negative): (Ball, bool), (g0, g_negative): (Ball, bool), p: u32) -> Series {
    let (mut y, mut g) = (vec![y0], vec![g0]);
    for k in 1..a.len() {
        let (mut to_y, mut to_g) = (Ball::exact(Float::ZERO), Ball::exact(Float::ZERO));
        for j in 1..=k {
            let weight = times_integer(&a[j], j as i64, p);
            to_y = to_y.add(&weight.mul(&g[k - j], p), p);
            to_g = to_g.add(&weight.mul(&y[k - j], p), p);
        }
        let inverse = Rational::ratio(1, k as i64);
        let (to_y, to_g) = (scaled(&to_y, &inverse, p), scaled(&to_g, &inverse, p));
        y.push(if y_negative { to_y.neg() } else { to_y });
        g.push(if g_negative { to_g.neg() } else { to_g });
    }
    y
}

/// k a_0 b_k = Σ_{j≥1} (r j − (k − j)) a_j b_{k−j}; small whole powers by multiplication, which does not
/// divide by a_0.
fn power(a: &Series, r: &Rational, p: u32) -> Option<Series> {
    if let Some(n @ 1..=16) = r.to_i64() {
        return Some((1..n).fold(a.clone(), |b, _| mul(&b, a, p)));
    }
    let start = a[0].rational_power(r, p)?;
    if a[0].contains_zero() {
        return Some(kinked(start, a.len()));
    }
    power_from(start, a, r, p)
}

/// The same recurrence from a value of the power, for an a_0 that is not zero.
fn power_from(start: Ball, a: &Series, r: &Rational, p: u32) -> Option<Series> {
    let mut b = vec![start];
    for k in 1..a.len() {
        let mut sum = Ball::exact(Float::ZERO);
        for j in 1..=k {
            let weight = &(r * &Rational::from(j as i64)) - &Rational::from((k - j) as i64);
            sum = sum.add(&scaled(&a[j].mul(&b[k - j], p), &weight, p), p);
        }
        b.push(scaled(&sum.div(&a[0], p)?, &Rational::ratio(1, k as i64), p));
    }
    Some(b)
}
