//! Certified zeros of systems of equations. Newton's method, in the direction of least change, looks for one; Krawczyk's operator
//! proves that it is there, in some of the unknowns, the others being what they are:
//!
//! ```text
//! K(X) = m − Y f(m) + (1 − Y f′(X)) (X − m) ⊂ int X,   Y ≈ f′(m)⁻¹   ⟹   f has a zero in X
//! ```
//!
//! Moore, Kearfott and Cloud, *Introduction to Interval Analysis*, Theorem 8.2.

use super::Ball;
use super::evaluate::evaluate_enclosed;
use super::float::{Float, Mag};
use crate::algebra::derive::partial;
use crate::algebra::number::Rational;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// Balls for symbols.
pub type Enclosure = FxHashMap<Symbol, Ball>;

/// Bits of all that is computed here.
const BITS: u32 = 160;

/// The radius within which a zero is looked for, as a power of 2, and how small values must be beforehand.
const RADIUS: i64 = -60;
const REST: i64 = -110;

/// More steps of Newton's method than this are not made.
const STEPS: usize = 60;

/// An enclosure of a zero of the equations, found from the given point by moving the unknowns; `None` where none is found.
pub fn zero_near(
    cx: &Inquiry,
    equations: &[Expr],
    unknowns: &[Symbol],
    start: &FxHashMap<Symbol, Rational>,
) -> Budgeted<Option<Enclosure>> {
    let mut point: Enclosure = start.iter().map(|(s, x)| (*s, middle(&Ball::from_rational(x, BITS)))).collect();
    if equations.is_empty() {
        return Ok(Some(point));
    }
    let slopes: Vec<Expr> = equations.iter().flat_map(|f| unknowns.iter().map(|u| partial(cx, *f, *u))).collect();
    let n = unknowns.len();
    let jacobian = |cx: &Inquiry, at: &Enclosure| -> Budgeted<Option<Vec<Vec<Ball>>>> {
        Ok(values(cx, &slopes, at)?.map(|list| list.chunks(n).map(<[Ball]>::to_vec).collect()))
    };
    for step in 0.. {
        cx.check()?;
        let Some(f) = values(cx, equations, &point)? else { return Ok(None) };
        if f.iter().all(|x| x.magnitude().cmp_value(Mag::power_of_two(REST)).is_lt()) {
            break;
        }
        let Some(j) = jacobian(cx, &point)? else { return Ok(None) };
        let gram: Vec<Vec<Ball>> = j.iter().map(|a| j.iter().map(|b| dot(a, b)).collect()).collect();
        let Some(z) = solve(gram, vec![f.iter().map(middle).collect()]).filter(|_| step < STEPS) else {
            return Ok(None);
        };
        for (k, u) in unknowns.iter().enumerate() {
            let column: Vec<Ball> = j.iter().map(|row| row[k].clone()).collect();
            let Some(x) = point.get_mut(u) else { return Ok(None) };
            *x = middle(&x.sub(&dot(&column, &z[0]), BITS));
        }
    }
    let Some(j) = jacobian(cx, &point)? else { return Ok(None) };
    let Some(columns) = pivots(&j) else { return Ok(None) };
    let square = |j: &[Vec<Ball>]| -> Vec<Vec<Ball>> {
        j.iter().map(|row| columns.iter().map(|c| row[*c].clone()).collect()).collect()
    };
    let identity = |i: usize, k: usize| Ball::exact(Float::new(i32::from(i == k).into(), 0));
    let size = equations.len();
    let units = (0..size).map(|k| (0..size).map(|i| identity(i, k)).collect()).collect();
    // Column by column.
    let Some(y) = solve(square(&j), units) else { return Ok(None) };
    let y: Vec<Vec<Ball>> = (0..size).map(|i| (0..size).map(|k| middle(&y[k][i])).collect()).collect();
    let Some(f) = values(cx, equations, &point)? else { return Ok(None) };
    let radius = Mag::power_of_two(RADIUS);
    let mut wide = point;
    for c in &columns {
        if let Some(x) = wide.get_mut(&unknowns[*c]) {
            *x = Ball::new(x.mid().clone(), radius);
        }
    }
    let Some(j) = jacobian(cx, &wide)? else { return Ok(None) };
    let j = square(&j);
    let around = Ball::new(Float::ZERO, radius);
    // K − m.
    let is_inside = (0..size).all(|i| {
        let moved = dot(&y[i], &f).neg();
        let spread = (0..size).map(|k| {
            let column: Vec<Ball> = j.iter().map(|row| row[k].clone()).collect();
            identity(i, k).sub(&dot(&y[i], &column), BITS).mul(&around, BITS)
        });
        let k = spread.fold(moved, |sum, x| sum.add(&x, BITS));
        k.magnitude().cmp_value(radius).is_lt()
    });
    Ok(is_inside.then_some(wide))
}

/// The values of expressions in an enclosure, if all have one.
pub fn values(cx: &Inquiry, list: &[Expr], at: &Enclosure) -> Budgeted<Option<Vec<Ball>>> {
    Ok(evaluate_enclosed(cx, list, at, BITS)?.into_iter().collect())
}

/// Whether every matrix in these enclosures is invertible, as far as elimination shows it.
pub fn is_invertible(rows: Vec<Vec<Ball>>) -> bool {
    solve(rows, vec![]).is_some()
}

fn middle(x: &Ball) -> Ball {
    Ball::exact(x.mid().clone()).rounded(BITS)
}

fn dot(a: &[Ball], b: &[Ball]) -> Ball {
    a.iter().zip(b).fold(Ball::exact(Float::ZERO), |sum, (x, y)| sum.add(&x.mul(y, BITS), BITS))
}

/// Whether the middle of the first is farther from 0.
fn is_larger(x: &Ball, y: &Ball) -> bool {
    x.mid().abs().cmp_value(&y.mid().abs()).is_gt()
}

/// The solutions of M x = b for several b; `None` where a pivot may be 0.
fn solve(mut rows: Vec<Vec<Ball>>, mut right: Vec<Vec<Ball>>) -> Option<Vec<Vec<Ball>>> {
    let n = rows.len();
    for k in 0..n {
        let best = (k..n).reduce(|best, i| if is_larger(&rows[i][k], &rows[best][k]) { i } else { best })?;
        rows.swap(k, best);
        right.iter_mut().for_each(|b| b.swap(k, best));
        if rows[k][k].contains_zero() {
            return None;
        }
        for i in k + 1..n {
            let factor = rows[i][k].div(&rows[k][k], BITS)?;
            if factor.is_exact() && factor.mid().is_zero() {
                continue;
            }
            for c in k + 1..n {
                rows[i][c] = rows[i][c].sub(&factor.mul(&rows[k][c], BITS), BITS);
            }
            right.iter_mut().for_each(|b| b[i] = b[i].sub(&factor.mul(&b[k], BITS), BITS));
        }
    }
    for b in &mut right {
        for k in (0..n).rev() {
            let rest = dot(&rows[k][k + 1..], &b[k + 1..]);
            b[k] = b[k].sub(&rest, BITS).div(&rows[k][k], BITS)?;
        }
    }
    Some(right)
}

/// As many columns as rows with an invertible minor; `None` where the rows may be dependent.
fn pivots(matrix: &[Vec<Ball>]) -> Option<Vec<usize>> {
    let mut rows = matrix.to_vec();
    let mut columns = vec![];
    for k in 0..rows.len() {
        let largest = |c: &usize, d: &usize| rows[k][*c].mid().abs().cmp_value(&rows[k][*d].mid().abs());
        let c = (0..rows[k].len()).max_by(largest)?;
        if rows[k][c].contains_zero() {
            return None;
        }
        for i in k + 1..rows.len() {
            let factor = rows[i][c].div(&rows[k][c], BITS)?;
            for d in 0..rows[i].len() {
                rows[i][d] = rows[i][d].sub(&factor.mul(&rows[k][d], BITS), BITS);
            }
            rows[i][c] = Ball::exact(Float::ZERO);
        }
        columns.push(c);
    }
    Some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::function::Elementary::{Cos, Sin};

    /// sin x + sin y = 1, cos x + cos y = 0: the sum of two unit vectors is (0, 1) for the angles 30° and 150° alone, and their
    /// exchange. sin x = 1/2 there.
    #[test]
    fn two_unit_vectors_are_found() {
        let cx = &Inquiry::free();
        let (x, y) = (Symbol::parameter("x"), Symbol::parameter("y"));
        let of = |f, s| Expr::apply(f, &[Expr::symbol(s)]);
        let equations = [of(Sin, x) + of(Sin, y) - Expr::one(), of(Cos, x) + of(Cos, y)];
        let start = [(x, Rational::ratio(1, 3)), (y, Rational::from(2))].into_iter().collect();
        let found = zero_near(cx, &equations, &[x, y], &start).unwrap().expect("a zero");
        let half = values(cx, &[of(Sin, x)], &found).unwrap().expect("a value");
        assert!(half[0].contains(&Rational::ratio(1, 2)));
    }

    /// x² + y² + 1 has no real zero, (x + y)² has no derivative at its zeros.
    #[test]
    fn nothing_is_found_where_nothing_is_or_where_it_is_not_simple() {
        let cx = &Inquiry::free();
        let (x, y) = (Symbol::parameter("x"), Symbol::parameter("y"));
        let (a, b) = (Expr::symbol(x), Expr::symbol(y));
        let start = [(x, Rational::ratio(1, 3)), (y, Rational::from(2))].into_iter().collect();
        for f in [a * a + b * b + Expr::one(), (a + b) * (a + b)] {
            assert!(zero_near(cx, &[f], &[x, y], &start).unwrap().is_none());
        }
    }
}
