//! Folding trigonometric polynomials back: sin a·sin b + cos a·cos b is cos(a − b).
//!
//! Normal forms expand sums of angles, readers want them folded. Two ways:
//!
//! - *Fewer angles.* A polynomial in the sines and cosines of θ₁ … θₙ is a function on a torus. If
//!   Σ κᵢ ∂/∂θᵢ annihilates it, it does not change when all θᵢ turn by κᵢτ; with τ = −θₖ/κₖ it becomes a
//!   function of the differences θᵢ − (κᵢ/κₖ)θₖ. So 1 − (sin a·sin b + cos a·cos b)² becomes sin²(a − b).
//! - *Fourier sums.* Products become sums of sines and cosines of combinations of angles.

use crate::algebra::Inquiry;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::function::Elementary::{Cos, Sin};
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::Budgeted;
use std::collections::BTreeMap;

/// An angle that occurs: the variables of its sine and cosine.
#[derive(Clone, Copy)]
struct Angle {
    of: Expr,
    sine: u32,
    cosine: u32,
}

/// Larger polynomials are not folded.
const MAX_TERMS: usize = 200;
const MAX_DEGREE: u64 = 12;

/// The same function with sines and cosines of combined angles, if that is shorter.
pub(super) fn folded(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Polynomial>> {
    let angles = angles(p);
    if angles.len() < 2 || p.n_terms() > MAX_TERMS {
        return Ok(None);
    }
    let others: Vec<u32> =
        p.variables().iter().copied().filter(|v| !angles.iter().any(|a| a.sine == *v || a.cosine == *v)).collect();
    let mut sum = Polynomial::zero();
    let mut changed = false;
    for (monomial, part) in p.coefficients_with_respect_to(&others) {
        let mut best = part.clone();
        for other in [on_fewer_angles(cx, &part)?, fourier_sum(cx, &part)?].into_iter().flatten() {
            if cost(&other) < cost(&best) {
                best = other;
                changed = true;
            }
        }
        sum = &sum + &best.mul(cx, &Polynomial::from_terms([(monomial, Rational::ONE)]))?;
    }
    Ok(changed.then_some(sum))
}

/// What it takes to write a polynomial: terms, factors and powers.
fn cost(p: &Polynomial) -> usize {
    p.terms().map(|(m, _)| 1 + m.iter().map(|(_, n)| 1 + usize::from(*n > 1)).sum::<usize>()).sum()
}

fn angles(p: &Polynomial) -> Vec<Angle> {
    let mut list: Vec<Angle> = Vec::new();
    for &v in p.variables() {
        let angle = match Generator(v).kind() {
            Kind::Sine(of) => Angle { of, sine: v, cosine: v + 1 },
            Kind::Cosine(of) => Angle { of, sine: v - 1, cosine: v },
            _ => continue,
        };
        if !list.iter().any(|a| a.sine == angle.sine) {
            list.push(angle);
        }
    }
    list
}

/// sin u and cos u as polynomials in their generators; `None` for special values.
fn sine_and_cosine(u: Expr) -> Option<(Polynomial, Polynomial)> {
    let (s, c) = (Expr::apply(Sin, &[u]), Expr::apply(Cos, &[u]));
    let (v, sign) = match (s.node(), c.node()) {
        (Node::Apply(Sin, v), Node::Apply(Cos, _)) => (v[0], 1),
        // sin u was written as −sin(−u).
        (Node::Sum { constant, terms }, Node::Apply(Cos, v)) if constant.is_zero() && terms.len() == 1 => {
            match terms[0].0.node() {
                Node::Apply(Sin, w) if w[0] == v[0] && terms[0].1 == Rational::MINUS_ONE => (v[0], -1),
                _ => return None,
            }
        }
        _ => return None,
    };
    let (s, c) = Generator::sine_and_cosine(v, Expr::apply(Sin, &[v]), Expr::apply(Cos, &[v]));
    Some((Polynomial::variable(s.0).scale(&Rational::from(sign)), Polynomial::variable(c.0)))
}

/// The polynomial as a function of fewer angles, if it is one.
pub(crate) fn on_fewer_angles(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Polynomial>> {
    let mut current = p.clone();
    let mut changed = false;
    while let Some(next) = without_one_angle(cx, &current)? {
        current = next;
        changed = true;
    }
    Ok(changed.then_some(current))
}

fn without_one_angle(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Polynomial>> {
    let angles = angles(p);
    if angles.len() < 2 || p.n_terms() > MAX_TERMS || p.total_degree() > 4 * MAX_DEGREE {
        return Ok(None);
    }
    let Some(kappa) = invariance(cx, p, &angles)? else { return Ok(None) };
    let Some(k) = (0..angles.len()).rev().find(|i| !kappa[*i].is_zero()) else { return Ok(None) };
    let mut values = vec![(angles[k].sine, Polynomial::zero()), (angles[k].cosine, Polynomial::one())];
    for (i, angle) in angles.iter().enumerate() {
        if i == k || kappa[i].is_zero() {
            continue;
        }
        let ratio = &kappa[i] / &kappa[k];
        let difference = Expr::sum(Rational::ZERO, [(angle.of, Rational::ONE), (angles[k].of, -&ratio)]);
        // Angles are sums of monomials; written out, so that equal ones are one node.
        let Some((s, c)) = sine_and_cosine(flat(difference)) else { return Ok(None) };
        values.push((angle.sine, s));
        values.push((angle.cosine, c));
    }
    Ok(Some(reduce(cx, p.substitute_all(cx, &values)?)?))
}

/// A sum with the sums inside it written out.
fn flat(e: Expr) -> Expr {
    let Node::Sum { constant, terms } = e.node() else { return e };
    let mut list = Vec::new();
    let mut rest = constant.clone();
    for (t, c) in terms.iter() {
        match t.node() {
            Node::Sum { constant, terms } => {
                rest = &rest + &(constant * c);
                list.extend(terms.iter().map(|(t, d)| (*t, d * c)));
            }
            _ => list.push((*t, c.clone())),
        }
    }
    Expr::sum(rest, list)
}

/// κ with Σ κᵢ ∂p/∂θᵢ = 0, not all zero.
fn invariance(cx: &Inquiry, p: &Polynomial, angles: &[Angle]) -> Budgeted<Option<Vec<Rational>>> {
    // Derivatives with the combination that they are, reduced against each other by leading terms.
    let mut rows: Vec<(Polynomial, Vec<Rational>)> = Vec::new();
    for (i, a) in angles.iter().enumerate() {
        cx.check()?;
        let along = p.derivative(a.sine).mul(cx, &Polynomial::variable(a.cosine))?;
        let against = p.derivative(a.cosine).mul(cx, &Polynomial::variable(a.sine))?;
        let mut derivative = reduce(cx, &along - &against)?;
        let mut kappa = vec![Rational::ZERO; angles.len()];
        kappa[i] = Rational::ONE;
        for (row, combination) in &rows {
            let Some((lead, c)) = row.leading_term() else { continue };
            let Some((_, mine)) = derivative.terms().find(|(m, _)| *m == lead) else { continue };
            let factor = &mine / &c;
            derivative = &derivative - &row.scale(&factor);
            for (x, y) in kappa.iter_mut().zip(combination) {
                *x = &*x - &(&factor * y);
            }
        }
        if derivative.is_zero() {
            return Ok(Some(kappa));
        }
        rows.push((derivative, kappa));
    }
    Ok(None)
}

/// Coefficients of e^(i n·θ): real and imaginary parts.
type Fourier = BTreeMap<Vec<i32>, (Rational, Rational)>;

/// A polynomial in sines and cosines only, as a sum of sines and cosines. `None` if it has other variables
/// or one angle only.
fn fourier_sum(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Polynomial>> {
    let angles = angles(p);
    let known = |v: &u32| angles.iter().any(|a| a.sine == *v || a.cosine == *v);
    if angles.len() < 2 || p.total_degree() > MAX_DEGREE || !p.variables().iter().all(known) {
        return Ok(None);
    }
    let mut total = Fourier::new();
    for (monomial, c) in p.terms() {
        let mut product = Fourier::from([(vec![0; angles.len()], (c, Rational::ZERO))]);
        for (v, n) in monomial {
            for _ in 0..n {
                cx.check()?;
                product = times_generator(&product, v, &angles);
            }
        }
        for (n, (re, im)) in product {
            let entry = total.entry(n).or_insert((Rational::ZERO, Rational::ZERO));
            *entry = (&entry.0 + &re, &entry.1 + &im);
        }
    }
    let mut sum = Polynomial::zero();
    for (n, (re, im)) in total {
        let first = n.iter().find(|k| **k != 0);
        match first {
            None => sum = &sum + &Polynomial::constant(re),
            // The term of −n is the conjugate: together 2·re·cos(nθ) − 2·im·sin(nθ).
            Some(k) if *k > 0 => {
                let terms = angles.iter().zip(&n).map(|(a, k)| (a.of, Rational::from(i64::from(*k))));
                let Some((s, c)) = sine_and_cosine(flat(Expr::sum(Rational::ZERO, terms))) else { return Ok(None) };
                let two = Rational::from(2);
                sum = &(&sum + &c.scale(&(&re * &two))) - &s.scale(&(&im * &two));
            }
            Some(_) => {}
        }
    }
    Ok(Some(sum))
}

/// Multiplies by cos θ = (e^(iθ) + e^(−iθ))/2 or sin θ = −i(e^(iθ) − e^(−iθ))/2.
fn times_generator(f: &Fourier, v: u32, angles: &[Angle]) -> Fourier {
    let mut product = Fourier::new();
    let Some(k) = angles.iter().position(|a| a.sine == v || a.cosine == v) else { return product };
    let is_sine = angles[k].sine == v;
    for (n, (re, im)) in f {
        for step in [1, -1] {
            let mut m = n.clone();
            m[k] += step;
            let half = if step < 0 && is_sine { -&Rational::HALF } else { Rational::HALF };
            // −i(re + i·im) = im − i·re
            let (a, b) = if is_sine { (im * &half, -&(re * &half)) } else { (re * &half, im * &half) };
            let entry = product.entry(m).or_insert((Rational::ZERO, Rational::ZERO));
            *entry = (&entry.0 + &a, &entry.1 + &b);
        }
    }
    product.retain(|_, (re, im)| !re.is_zero() || !im.is_zero());
    product
}

/// A monomial as a polynomial.
pub(super) fn monomial(m: Monomial) -> Polynomial {
    Polynomial::from_terms([(m, Rational::ONE)])
}
