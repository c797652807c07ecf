//! Sines and cosines, circular and hyperbolic: sums and multiples of angles.

use super::NormalForm;
use super::context::{Atom, Context, Family, MAX_ANGLES, Parts, common_multiple, denominator, parts};
use super::read::read_again;
use crate::algebra::Inquiry;
use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::function::Elementary::{Cos, Cosh, Sin, Sinh};
use crate::algebra::function::Pair;
use crate::algebra::generator::Generator;
use crate::algebra::number::{Integer, Rational};
use crate::budget::{Budgeted, Exhausted};

/// Above this multiple an angle is not expanded.
const MAX_MULTIPLE: i64 = 64;

/// (sin u, cos u) or (sinh u, cosh u) for a canonical argument.
pub(super) fn read_angle(
    cx: &Inquiry,
    context: Context,
    u: Expr,
    family: Family,
) -> Budgeted<(NormalForm, NormalForm)> {
    let mut total: Option<(NormalForm, NormalForm)> = None;
    for (atom, r) in angle_parts(cx, context, u, family)?.iter() {
        let pair = read_multiple(cx, context, *atom, r, family)?;
        total = Some(match total {
            None => pair,
            Some(sum) => angle_sum(cx, &sum, &pair, family)?,
        });
    }
    Ok(total.unwrap_or_else(|| (NormalForm::zero(), NormalForm::one())))
}

/// sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b − sin a sin b; for sinh and
/// cosh with + in the second.
fn angle_sum(
    cx: &Inquiry,
    a: &(NormalForm, NormalForm),
    b: &(NormalForm, NormalForm),
    family: Family,
) -> Budgeted<(NormalForm, NormalForm)> {
    let sine = a.0.mul(cx, &b.1)?.add(cx, &a.1.mul(cx, &b.0)?)?;
    let (cc, ss) = (a.1.mul(cx, &b.1)?, a.0.mul(cx, &b.0)?);
    let cosine = if family == Family::Angle { cc.sub(cx, &ss)? } else { cc.add(cx, &ss)? };
    Ok((sine, cosine))
}

fn read_multiple(
    cx: &Inquiry,
    context: Context,
    atom: Expr,
    r: &Rational,
    family: Family,
) -> Budgeted<(NormalForm, NormalForm)> {
    let (sine, cosine) = if family == Family::Angle { (Sin, Cos) } else { (Sinh, Cosh) };
    // Multiples of π with an exact value.
    if atom == Expr::pi() && family == Family::Angle {
        let angle = atom.scale(r);
        let (s, c) = (Expr::apply(Sin, &[angle]), Expr::apply(Cos, &[angle]));
        let exact = |x: Expr| post_order(&[x]).iter().all(|n| !matches!(n.node(), Node::Apply(..)));
        if exact(s) && exact(c) {
            return Ok((read_again(cx, context, s)?, read_again(cx, context, c)?));
        }
    }
    let d = denominator(cx, context, family, atom, r);
    let n = (r * &Rational::integer(d.clone())).to_i64();
    let (n, base) = match n {
        Some(n) if n.abs() <= MAX_MULTIPLE => (n, atom.scale(&Rational::new(Integer::ONE, d))),
        _ => (1, atom.scale(r)),
    };
    let base_pair = match inverse_function_pair(base, family) {
        Some((s, c)) => (read_again(cx, context, s)?, read_again(cx, context, c)?),
        None => {
            let (s, c) = (Expr::apply(sine, &[base]), Expr::apply(cosine, &[base]));
            // sin(−u) is written −sin u by its constructor: the pair belongs to the other sign.
            match s.node() {
                Node::Apply(f, u) if *f == sine => pair_of(u[0], s, c, family),
                _ => {
                    let (s, c) = (Expr::apply(sine, &[-base]), Expr::apply(cosine, &[-base]));
                    match s.node() {
                        Node::Apply(f, u) if *f == sine => {
                            let (s, c) = pair_of(u[0], s, c, family);
                            (s.negate(), c)
                        }
                        _ => return Err(Exhausted::Size),
                    }
                }
            }
        }
    };
    multiple_of_pair(cx, &base_pair, n, family)
}

fn pair_of(u: Expr, s: Expr, c: Expr, family: Family) -> (NormalForm, NormalForm) {
    let (s, c) = match family {
        Family::Angle => Generator::sine_and_cosine(u, s, c),
        _ => Generator::hyperbolic_pair(u, s, c),
    };
    (NormalForm::generator(s), NormalForm::generator(c))
}

/// Sine and cosine of an inverse function, by right triangles.
fn inverse_function_pair(base: Expr, family: Family) -> Option<(Expr, Expr)> {
    let Node::Apply(function, arguments) = base.node() else { return None };
    match function.row().pair? {
        Pair::Circular(of) => (family == Family::Angle).then(|| of(arguments)),
        Pair::Hyperbolic(of) => (family == Family::Hyperbolic).then(|| of(arguments)),
    }
}

/// The pair of n times the angle, by doubling.
fn multiple_of_pair(
    cx: &Inquiry,
    pair: &(NormalForm, NormalForm),
    n: i64,
    family: Family,
) -> Budgeted<(NormalForm, NormalForm)> {
    let mut result: Option<(NormalForm, NormalForm)> = None;
    let mut square = pair.clone();
    let mut k = n.unsigned_abs();
    while k > 0 {
        cx.check()?;
        if k & 1 == 1 {
            result = Some(match result {
                None => square.clone(),
                Some(r) => angle_sum(cx, &r, &square, family)?,
            });
        }
        k >>= 1;
        if k > 0 {
            square = angle_sum(cx, &square, &square, family)?;
        }
    }
    let (s, c) = result.unwrap_or_else(|| (NormalForm::zero(), NormalForm::one()));
    Ok((if n < 0 { s.negate() } else { s }, c))
}

/// The argument in multiples of what the context counts angles in.
fn angle_parts(cx: &Inquiry, context: Context, u: Expr, family: Family) -> Budgeted<Parts> {
    let split = parts(cx, u)?;
    let data = context.data(cx);
    if family != Family::Angle || data.angles.is_empty() {
        return Ok(split);
    }
    let basis: Vec<Parts> = data.angles.iter().map(|(_, p)| p.clone()).collect();
    let Some(coordinates) = coordinates(&basis, &without_pi(&split)) else { return Ok(split) };
    let turned = split.iter().filter(|(a, _)| *a == Expr::pi()).cloned();
    let along = data.angles.iter().zip(coordinates).filter(|(_, r)| !r.is_zero()).map(|((e, _), r)| (*e, r));
    Ok(turned.chain(along).collect())
}

/// The angle without its multiple of π, which is read by itself.
pub(super) fn without_pi(angle: &Parts) -> Parts {
    if angle.iter().any(|(a, _)| *a == Expr::pi()) {
        angle.iter().filter(|(a, _)| *a != Expr::pi()).cloned().collect()
    } else {
        angle.clone()
    }
}

/// Angles that span the given ones, if these are fewer than the monomials that occur in them; else nothing.
/// The denominators of the multiples that occur are added to the list.
pub(super) fn angle_basis(angles: &[Parts], denominators: &mut Vec<(Atom, u32)>) -> Vec<(Expr, Parts)> {
    if angles.len() > MAX_ANGLES || angles.iter().all(|a| a.len() < 2) {
        return Vec::new();
    }
    let mut monomials: Vec<Expr> = angles.iter().flat_map(|a| a.iter().map(|(e, _)| *e)).collect();
    monomials.sort();
    monomials.dedup();
    // The shortest first; the order of equally long ones is that of their age.
    let mut sorted: Vec<&Parts> = angles.iter().filter(|a| !a.is_empty()).collect();
    sorted.sort_by_key(|a| (a.len(), a.iter().map(|(e, _)| *e).collect::<Vec<_>>()));
    let mut basis: Vec<Parts> = Vec::new();
    for angle in &sorted {
        if coordinates(&basis, angle).is_none() {
            basis.push((*angle).clone());
        }
    }
    if basis.len() >= monomials.len() {
        return Vec::new();
    }
    let exprs: Vec<Expr> = basis.iter().map(|b| Expr::sum(Rational::ZERO, b.iter().cloned())).collect();
    for (k, &of) in exprs.iter().enumerate() {
        let multiples = sorted.iter().filter_map(|a| Some(coordinates(&basis, a)?.swap_remove(k)));
        let common = multiples.fold(1, |d, r| {
            common_multiple(d, r.denominator().to_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(1))
        });
        let atom = Atom { family: Family::Angle, of };
        if let (Err(i), true) = (denominators.binary_search_by_key(&atom, |d| d.0), common > 1) {
            denominators.insert(i, (atom, common));
        }
    }
    exprs.into_iter().zip(basis).collect()
}

/// The rational numbers r with Σ rₖ·basisₖ = angle; `None` if the angle is not in the span.
fn coordinates(basis: &[Parts], angle: &Parts) -> Option<Vec<Rational>> {
    // Gauss elimination on the columns basis₁ … basisₙ | angle, one row per monomial.
    let mut monomials: Vec<Expr> = basis.iter().chain([angle]).flat_map(|a| a.iter().map(|(e, _)| *e)).collect();
    monomials.sort();
    monomials.dedup();
    let entry = |a: &Parts, m: Expr| a.iter().find(|(e, _)| *e == m).map_or(Rational::ZERO, |(_, r)| r.clone());
    let mut rows: Vec<Vec<Rational>> =
        monomials.iter().map(|m| basis.iter().chain([angle]).map(|a| entry(a, *m)).collect()).collect();
    let n = basis.len();
    for k in 0..n {
        // The basis is independent, so there is a pivot in every column.
        let i = (k..rows.len()).find(|i| !rows[*i][k].is_zero())?;
        rows.swap(i, k);
        let pivot = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k && !row[k].is_zero() {
                let factor = &row[k] / &pivot[k];
                for (x, p) in row.iter_mut().zip(&pivot) {
                    *x = &*x - &(&factor * p);
                }
            }
        }
    }
    if rows[n..].iter().any(|row| !row[n].is_zero()) {
        return None;
    }
    Some((0..n).map(|k| &rows[k][n] / &rows[k][k]).collect())
}
