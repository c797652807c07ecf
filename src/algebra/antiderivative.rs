//! Antiderivatives and the integrals ∫₀¹ that homotopy formulas need.
//!
//! The integrand is expanded *in the variable of integration only* into terms coefficient · kernel,
//! and each kernel is looked up: powers, powers of affine and quadratic polynomials, and
//! xⁿ · g with g an exponential, trigonometric or hyperbolic function of an affine argument, or a
//! derivative of an unspecified function. Two substitutions come before the table is given up: y = xᵏ where
//! nothing but xᵏ occurs beside x^(k−1), and y = g(x) where the terms with f(g) together have the factor g′.
//! A kernel for which there is no rule leaves its term as a [`Node::Integral`]; nothing is guessed, and every
//! rule is tested by differentiation.

use super::assume::sign_of;
use super::conditions::{record_all, record_nonzero};
use super::derive::partial;
use super::expr::{Expr, Node, post_order};
use super::function::Elementary;
use super::normal::simplify;
use super::number::Rational;
use super::substitute::substitute;
use super::symbol::Symbol;
use crate::algebra::Inquiry;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Π atom^exponent, each atom containing the variable; sorted.
type Kernel = Vec<(Expr, Rational)>;
/// Σ coefficient · kernel, the coefficients free of the variable.
type Terms = BTreeMap<Kernel, Vec<Expr>>;

/// An expansion with more terms than this is not attempted.
const MAX_TERMS: usize = 4096;

/// A function F with ∂F/∂x = e, or `None` if there is no rule for some term.
pub fn antiderivative(cx: &Inquiry, e: Expr, x: Symbol) -> Option<Expr> {
    let (closed, open) = integrate_terms(cx, expand_in(e, x)?, x, Some);
    open.is_empty().then(|| Expr::add_all(closed))
}

/// ∫₀¹ e du. Terms with a closed form come out, the others stay together under one integral sign.
pub fn unit_integral(cx: &Inquiry, e: Expr, u: Symbol) -> Expr {
    let Some(terms) = expand_in(e, u) else { return Expr::integral(u, e) };
    let (closed, open) = integrate_terms(cx, terms, u, |primitive| {
        let at = |value: i64| substitute(primitive, &FxHashMap::from_iter([(u, Expr::number(value))]));
        let value = at(1) - at(0);
        value.as_undefined().is_none().then_some(value)
    });
    let open = open.into_iter().map(|(kernel, coefficient)| coefficient * kernel_expr(&kernel));
    let open: Vec<Expr> = open.collect();
    Expr::add_all(closed.into_iter().chain((!open.is_empty()).then(|| Expr::integral(u, Expr::add_all(open)))))
}

/// A term coefficient · kernel.
type Term = (Kernel, Expr);

/// What `accept` makes of the primitives of the terms that have one, and the terms that have none.
fn integrate_terms(
    cx: &Inquiry,
    terms: Terms,
    x: Symbol,
    accept: impl Fn(Expr) -> Option<Expr>,
) -> (Vec<Expr>, Vec<Term>) {
    let (mut closed, mut open) = (Vec::new(), Vec::new());
    for (kernel, coefficients) in terms {
        let coefficient = Expr::add_all(coefficients);
        if coefficient.is_zero() {
            continue;
        }
        match attempt(cx, x, |cx| integrate_kernel(cx, &kernel, x).and_then(&accept)) {
            Some(primitive) => closed.push(coefficient * primitive),
            None => open.push((kernel, coefficient)),
        }
    }
    while let Some((primitive, rest)) = by_inner_derivative(cx, &open, x, &accept) {
        closed.push(primitive);
        open = rest;
    }
    (closed, open)
}

/// ∫ f(g(x)) g′(x) dx with y = g: the terms that have f(g) in common, where the rest of them is a multiple of g′.
fn by_inner_derivative(
    cx: &Inquiry,
    open: &[Term],
    x: Symbol,
    accept: impl Fn(Expr) -> Option<Expr>,
) -> Option<(Expr, Vec<Term>)> {
    let mut outer: Vec<&(Expr, Rational)> = open.iter().flat_map(|(kernel, _)| kernel).collect();
    outer.sort();
    outer.dedup();
    let through = |cx: &Inquiry, factor: &(Expr, Rational)| {
        let (f, exponent) = factor;
        let g = match f.node() {
            Node::Apply(_, arguments) if arguments.len() == 1 => arguments[0],
            Node::Sum { .. } => *f,
            _ => return None,
        };
        let (with, without): (Vec<&Term>, Vec<&Term>) = open.iter().partition(|(kernel, _)| kernel.contains(factor));
        let beside = with.iter().map(|(kernel, coefficient)| {
            let others: Kernel = kernel.iter().filter(|other| *other != factor).cloned().collect();
            *coefficient * kernel_expr(&others)
        });
        let slope = partial(cx, g, x);
        let multiple = simplify(cx, Expr::add_all(beside) / slope).ok()?;
        if slope.is_zero() || occurs(x, multiple) {
            return None;
        }
        let y = Symbol::bound("y");
        let of_y = if *f == g { Expr::symbol(y) } else { f.with_children(&[Expr::symbol(y)]) };
        let inner = antiderivative(cx, of_y.pow(exponent.clone()), y)?;
        let primitive = accept(substitute(inner, &FxHashMap::from_iter([(y, g)])))?;
        Some((multiple * primitive, without.into_iter().cloned().collect()))
    };
    outer.into_iter().find_map(|factor| attempt(cx, x, |cx| through(cx, factor)))
}

/// What a rule finds, with what it rests on. What is said of the variable of integration is said of single points, where the
/// rule went through a quotient like g′/g′, and of a rule that finds nothing nothing is said.
fn attempt<T>(cx: &Inquiry, x: Symbol, rule: impl FnOnce(&Inquiry) -> Option<T>) -> Option<T> {
    let (found, mut recorded) = cx.collect(rule);
    let found = found?;
    recorded.nonzero.retain(|e| !occurs(x, *e));
    record_all(cx, &recorded);
    Some(found)
}

/// Whether an integral sign is left anywhere in `e`.
pub fn has_integral(e: Expr) -> bool {
    post_order(&[e]).iter().any(|x| matches!(x.node(), Node::Integral { .. }))
}

fn kernel_expr(kernel: &Kernel) -> Expr {
    Expr::product(Rational::ONE, kernel.iter().cloned())
}

/// Whether `x`, which may be a bound variable, occurs in `e`.
fn occurs(x: Symbol, e: Expr) -> bool {
    e.may_contain(x) && post_order(&[e]).binary_search(&Expr::symbol(x)).is_ok()
}

/// Distributes products over sums as far as `x` is concerned.
fn expand_in(e: Expr, x: Symbol) -> Option<Terms> {
    let single = |coefficient: Expr, kernel: Kernel| Terms::from([(kernel, vec![coefficient])]);
    let mut done: FxHashMap<Expr, Terms> = FxHashMap::default();
    for node in post_order(&[e]) {
        if !occurs(x, node) {
            done.insert(node, single(node, vec![]));
            continue;
        }
        let terms = match node.node() {
            Node::Sum { constant, terms } => {
                let mut sum = Terms::new();
                if !constant.is_zero() {
                    sum.insert(vec![], vec![Expr::number(constant.clone())]);
                }
                for (term, coefficient) in terms.iter() {
                    for (kernel, list) in &done[term] {
                        sum.entry(kernel.clone()).or_default().extend(list.iter().map(|c| c.scale(coefficient)));
                    }
                }
                sum
            }
            Node::Product(factors) => {
                let mut product = single(Expr::one(), vec![]);
                for (base, exponent) in factors.iter() {
                    let repeat = exponent.to_i64().filter(|n| *n > 0 && done[base].len() > 1);
                    match repeat {
                        Some(n) => {
                            for _ in 0..n {
                                product = multiply(&product, &done[base])?;
                            }
                        }
                        None => product = multiply(&product, &power(*base, exponent, &done[base], x))?,
                    }
                }
                product
            }
            _ => single(Expr::one(), vec![(node, Rational::ONE)]),
        };
        if terms.len() > MAX_TERMS {
            return None;
        }
        done.insert(node, terms);
    }
    done.remove(&e)
}

/// base^exponent where it need not be distributed: a single term raised, or an atom of its own.
fn power(base: Expr, exponent: &Rational, terms: &Terms, x: Symbol) -> Terms {
    if !occurs(x, base) {
        return Terms::from([(vec![], vec![base.pow(exponent.clone())])]);
    }
    if exponent.is_integer() && terms.len() == 1 {
        let (kernel, coefficients) = terms.iter().next().expect("one term");
        let coefficient = Expr::add_all(coefficients.iter().copied()).pow(exponent.clone());
        let kernel = kernel.iter().map(|(atom, n)| (*atom, n * exponent)).collect();
        return Terms::from([(kernel, vec![coefficient])]);
    }
    Terms::from([(vec![(base, exponent.clone())], vec![Expr::one()])])
}

fn multiply(a: &Terms, b: &Terms) -> Option<Terms> {
    let mut product = Terms::new();
    for (k1, c1) in a {
        let c1 = Expr::add_all(c1.iter().copied());
        for (k2, c2) in b {
            let c2 = Expr::add_all(c2.iter().copied());
            product.entry(merge(k1, k2)).or_default().push(c1 * c2);
            if product.len() > MAX_TERMS {
                return None;
            }
        }
    }
    Some(product)
}

fn merge(a: &Kernel, b: &Kernel) -> Kernel {
    let mut exponents: BTreeMap<Expr, Rational> = BTreeMap::new();
    for (atom, n) in a.iter().chain(b) {
        let entry = exponents.entry(*atom).or_insert(Rational::ZERO);
        *entry = &*entry + n;
    }
    exponents.into_iter().filter(|(_, n)| !n.is_zero()).collect()
}

/// The coefficients c₀, c₁, … of a polynomial in `x`, or `None`.
fn polynomial_in(e: Expr, x: Symbol, max_degree: usize) -> Option<Vec<Expr>> {
    let mut coefficients = vec![Expr::zero(); max_degree + 1];
    for (kernel, list) in expand_in(e, x)? {
        let degree = match kernel.as_slice() {
            [] => 0,
            [(atom, n)] if *atom == Expr::symbol(x) => usize::try_from(n.to_i64()?).ok()?,
            _ => return None,
        };
        let entry = coefficients.get_mut(degree)?;
        *entry = *entry + Expr::add_all(list);
    }
    Some(coefficients)
}

/// One term of the table: a kernel split by what its atoms are.
struct Split {
    /// The exponent of x itself.
    power: Rational,
    /// Polynomials of degree one or two with their exponents.
    polynomials: Vec<(Vec<Expr>, Rational)>,
    /// The argument of all exponentials together: (slope, offset).
    exponential: Option<(Expr, Expr)>,
    /// sin and cos of affine arguments, repeated as often as their exponents say.
    waves: Vec<Wave>,
    /// Any other single function of an affine argument.
    other: Option<Expr>,
}

#[derive(Clone, Copy)]
struct Wave {
    is_sine: bool,
    slope: Expr,
    offset: Expr,
}

fn integrate_kernel(cx: &Inquiry, kernel: &Kernel, x: Symbol) -> Option<Expr> {
    from_table(cx, kernel, x).or_else(|| in_a_power(cx, kernel, x))
}

/// ∫ xⁿ f(xᵏ) dx where k divides n + 1: y = xᵏ, dy = k x^(k−1) dx.
fn in_a_power(cx: &Inquiry, kernel: &Kernel, x: Symbol) -> Option<Expr> {
    let ex = Expr::symbol(x);
    let (of_x, others): (Vec<_>, Vec<_>) = kernel.iter().cloned().partition(|(atom, _)| *atom == ex);
    let n = of_x.first()?.1.to_i64().filter(|n| (1..=64).contains(n))?;
    (2..=n + 1).rev().filter(|k| (n + 1) % k == 0).find_map(|k| {
        let y = Symbol::bound("y");
        let raised: Option<Kernel> =
            others.iter().map(|(atom, r)| Some((through_power(*atom, x, k, y)?, r.clone()))).collect();
        let integrand = Expr::symbol(y).pow((n + 1) / k - 1) * Expr::product(Rational::ONE, raised?);
        let inner = antiderivative(cx, integrand, y)?;
        Some(substitute(inner, &FxHashMap::from_iter([(y, ex.pow(k))])).scale(&Rational::ratio(1, k)))
    })
}

/// `e` with y for xᵏ, if x occurs in powers of xᵏ only.
fn through_power(e: Expr, x: Symbol, k: i64, y: Symbol) -> Option<Expr> {
    let by_k = |exponent: &Rational| Some(exponent * &Rational::ratio(1, k)).filter(Rational::is_integer);
    let mut done: FxHashMap<Expr, Option<Expr>> = FxHashMap::default();
    for node in post_order(&[e]) {
        let image = match node.node() {
            _ if !occurs(x, node) => Some(node),
            Node::Symbol(_) | Node::Piecewise { .. } | Node::Integral { .. } => None,
            Node::Product(factors) => factors
                .iter()
                .map(|(base, exponent)| match base.as_symbol() == Some(x) {
                    true => Some((Expr::symbol(y), by_k(exponent)?)),
                    false => Some((done[base]?, exponent.clone())),
                })
                .collect::<Option<Vec<_>>>()
                .map(|factors| Expr::product(Rational::ONE, factors)),
            _ => {
                let children: Option<Vec<Expr>> = node.children().iter().map(|child| done[child]).collect();
                children.map(|children| node.with_children(&children))
            }
        };
        done.insert(node, image);
    }
    done[&e]
}

fn from_table(cx: &Inquiry, kernel: &Kernel, x: Symbol) -> Option<Expr> {
    let split = split(kernel, x)?;
    if let Some(other) = split.other {
        let alone = split.polynomials.is_empty() && split.exponential.is_none() && split.waves.is_empty();
        return if alone { by_parts(&split.power, |k| lowered(other, x, k), x) } else { None };
    }
    if split.exponential.is_none() && split.waves.is_empty() {
        return algebraic(cx, &split.power, &split.polynomials, x);
    }
    if !split.polynomials.is_empty() {
        return None;
    }
    let exponential = split.exponential.unwrap_or((Expr::zero(), Expr::zero()));
    let mut parts = Vec::new();
    for (coefficient, wave) in product_to_sum(&split.waves) {
        let term = match wave {
            // What does not move comes out of the integral.
            Some(wave) if exponential.0.is_zero() && wave.slope.is_zero() => {
                damped_wave(exponential, wave, 0, x) * power_rule(Expr::symbol(x), &split.power)
            }
            None if exponential.0.is_zero() => damped(exponential, 0, x) * power_rule(Expr::symbol(x), &split.power),
            Some(wave) => by_parts(&split.power, |k| Some(damped_wave(exponential, wave, k, x)), x)?,
            None => by_parts(&split.power, |k| Some(damped(exponential, k, x)), x)?,
        };
        parts.push(term.scale(&coefficient));
    }
    Some(Expr::add_all(parts))
}

fn split(kernel: &Kernel, x: Symbol) -> Option<Split> {
    let affine = |e: Expr| polynomial_in(e, x, 1).map(|c| (c[1], c[0]));
    let mut split = Split { power: Rational::ZERO, polynomials: vec![], exponential: None, waves: vec![], other: None };
    for (atom, exponent) in kernel {
        match atom.node() {
            Node::Symbol(_) => split.power = exponent.clone(),
            Node::Apply(Elementary::Exp, argument) => {
                let (slope, offset) = affine(argument[0])?;
                let (s, o) = split.exponential.unwrap_or((Expr::zero(), Expr::zero()));
                split.exponential = Some((s + slope.scale(exponent), o + offset.scale(exponent)));
            }
            Node::Apply(function @ (Elementary::Sin | Elementary::Cos), argument) => {
                let n = exponent.to_i64().filter(|n| (1..=8).contains(n))?;
                let (slope, offset) = affine(argument[0])?;
                let wave = Wave { is_sine: *function == Elementary::Sin, slope, offset };
                split.waves.extend((0..n).map(|_| wave));
            }
            Node::Sum { .. } => split.polynomials.push((polynomial_in(*atom, x, 2)?, exponent.clone())),
            _ if exponent.is_one() && split.other.is_none() => split.other = Some(*atom),
            _ => return None,
        }
    }
    Some(split)
}

/// ∫ xⁿ g dx = Σ_k (−1)^k n!/(n−k)! x^(n−k) g^(−k−1), where `lower(k)` is the k-fold antiderivative of g.
fn by_parts(power: &Rational, lower: impl Fn(u32) -> Option<Expr>, x: Symbol) -> Option<Expr> {
    let n = power.to_i64().filter(|n| (0..=64).contains(n))?;
    let mut parts = Vec::new();
    let mut falling = Rational::ONE;
    for k in 0..=n {
        parts.push((Expr::symbol(x).pow(n - k) * lower(k as u32 + 1)?).scale(&falling));
        falling = &falling * &Rational::from(k - n);
    }
    Some(Expr::add_all(parts))
}

/// The k-fold antiderivative of e^(slope·x + offset).
fn damped((slope, offset): (Expr, Expr), k: u32, x: Symbol) -> Expr {
    Expr::apply(Elementary::Exp, &[slope * Expr::symbol(x) + offset]) / slope.pow(i64::from(k))
}

/// The k-fold antiderivative of e^(αx + β) · (A sin(ax + b) + B cos(ax + b)).
///
/// ```text
/// (A, B) ↦ (αA + aB, αB − aA) / (α² + a²)
/// ```
fn damped_wave((alpha, beta): (Expr, Expr), wave: Wave, k: u32, x: Symbol) -> Expr {
    let (a, argument) = (wave.slope, wave.slope * Expr::symbol(x) + wave.offset);
    let norm = alpha.pow(2) + a.pow(2);
    let (mut sine, mut cosine) = if wave.is_sine { (Expr::one(), Expr::zero()) } else { (Expr::zero(), Expr::one()) };
    for _ in 0..k {
        (sine, cosine) = if alpha.is_zero() {
            (cosine / a, -sine / a)
        } else {
            ((alpha * sine + a * cosine) / norm, (alpha * cosine - a * sine) / norm)
        };
    }
    let wave = sine * Expr::apply(Elementary::Sin, &[argument]) + cosine * Expr::apply(Elementary::Cos, &[argument]);
    if alpha.is_zero() && beta.is_zero() {
        return wave;
    }
    Expr::apply(Elementary::Exp, &[alpha * Expr::symbol(x) + beta]) * wave
}

/// A product of sines and cosines as a sum of single ones; `None` stands for the constant 1.
fn product_to_sum(waves: &[Wave]) -> Vec<(Rational, Option<Wave>)> {
    let mut sum: Vec<(Rational, Option<Wave>)> = vec![(Rational::ONE, None)];
    for &b in waves {
        let mut next = Vec::new();
        for (coefficient, a) in sum {
            let Some(a) = a else {
                next.push((coefficient, Some(b)));
                continue;
            };
            let half = &coefficient * &Rational::HALF;
            let plus = Wave { is_sine: true, slope: a.slope + b.slope, offset: a.offset + b.offset };
            let minus = Wave { is_sine: true, slope: a.slope - b.slope, offset: a.offset - b.offset };
            let cosine = |w: Wave| Wave { is_sine: false, ..w };
            match (a.is_sine, b.is_sine) {
                // sin a sin b = (cos(a−b) − cos(a+b))/2
                (true, true) => next.extend([(half.clone(), Some(cosine(minus))), (-&half, Some(cosine(plus)))]),
                (false, false) => next.extend([(half.clone(), Some(cosine(minus))), (half, Some(cosine(plus)))]),
                (true, false) => next.extend([(half.clone(), Some(minus)), (half, Some(plus))]),
                (false, true) => next.extend([(-&half, Some(minus)), (half, Some(plus))]),
            }
        }
        // A wave that does not move is a number: cos 0 = 1, sin 0 = 0.
        sum = next
            .into_iter()
            .filter_map(|(c, w)| match w {
                Some(w) if w.slope.is_zero() && w.offset.is_zero() => (!w.is_sine).then_some((c, None)),
                _ => Some((c, w)),
            })
            .collect();
    }
    sum
}

/// The k-fold antiderivative of a function of an affine argument that is neither exponential nor wave.
fn lowered(g: Expr, x: Symbol, k: u32) -> Option<Expr> {
    match g.node() {
        Node::Unknown { function, orders, arguments } => {
            let mut moving = (0..arguments.len()).filter(|i| occurs(x, arguments[*i]));
            let i = moving.next()?;
            if moving.next().is_some() || orders[i] < k {
                return None;
            }
            let slope = polynomial_in(arguments[i], x, 1)?[1];
            let mut orders = orders.to_vec();
            orders[i] -= k;
            Some(Expr::unknown(*function, &orders, arguments) / slope.pow(i64::from(k)))
        }
        Node::Apply(function, arguments) => {
            let argument = arguments[0];
            let slope = polynomial_in(argument, x, 1)?[1];
            let apply = |f: Elementary| Expr::apply(f, &[argument]);
            let value = match (function, k) {
                (Elementary::Sinh, k) if k % 2 == 1 => apply(Elementary::Cosh),
                (Elementary::Cosh, k) if k % 2 == 1 => apply(Elementary::Sinh),
                (Elementary::Sinh | Elementary::Cosh, _) => g,
                (function, 1) => (function.row().antiderivative?)(argument),
                _ => return None,
            };
            Some(value / slope.pow(i64::from(k)))
        }
        _ => None,
    }
}

/// A root with u for |u|, for what does not depend on its sign.
fn without_size(root: Expr) -> Expr {
    match root.node() {
        Node::Apply(Elementary::Abs, u) => u[0],
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            without_size(terms[0].0).scale(&terms[0].1)
        }
        Node::Product(factors) => {
            Expr::product(Rational::ONE, factors.iter().map(|(base, n)| (without_size(*base), n.clone())))
        }
        _ => root,
    }
}

/// log |e|, or log e where the sign is known to be positive.
fn log_abs(e: Expr) -> Expr {
    Expr::apply(Elementary::Log, &[Expr::apply(Elementary::Abs, &[e])])
}

/// x^power · Π polynomial^exponent.
fn algebraic(cx: &Inquiry, power: &Rational, polynomials: &[(Vec<Expr>, Rational)], x: Symbol) -> Option<Expr> {
    let ex = Expr::symbol(x);
    match polynomials {
        [] => Some(power_rule(ex, power)),
        [(c, r)] if c[2].is_zero() => affine_power(power, c[1], c[0], r, x),
        // y = x² is simpler, see `in_a_power`.
        [(c, _)] if c[1].is_zero() && power.to_i64().is_some_and(|n| n >= 1 && n % 2 == 1) => None,
        [(c, r)] => quadratic_power(cx, power.to_i64()?, c, r, x),
        _ => None,
    }
}

fn power_rule(base: Expr, exponent: &Rational) -> Expr {
    let raised = exponent + &Rational::ONE;
    match raised.recip() {
        Some(inverse) => base.pow(raised).scale(&inverse),
        None => log_abs(base),
    }
}

/// ∫ xⁿ (ax + b)^r dx with y = ax + b: xⁿ = ((y − b)/a)ⁿ is expanded.
fn affine_power(power: &Rational, a: Expr, b: Expr, r: &Rational, x: Symbol) -> Option<Expr> {
    let n = power.to_i64().filter(|n| (0..=64).contains(n))?;
    let y = a * Expr::symbol(x) + b;
    let mut parts = Vec::new();
    let mut binomial = Rational::ONE;
    for k in 0..=n {
        // C(n,k) y^k (−b)^(n−k)
        parts.push(((-b).pow(n - k) * power_rule(y, &(r + &Rational::from(k)))).scale(&binomial));
        binomial = &(&binomial * &Rational::from(n - k)) * &Rational::ratio(1, k + 1);
    }
    Some(Expr::add_all(parts) / a.pow(n + 1))
}

/// ∫ xⁿ (c₂x² + c₁x + c₀)^r dx for r = −1, ±1/2, −3/2 and small n.
fn quadratic_power(cx: &Inquiry, n: i64, c: &[Expr], r: &Rational, x: Symbol) -> Option<Expr> {
    let (c0, c1, c2, ex) = (c[0], c[1], c[2], Expr::symbol(x));
    let p = c2 * ex.pow(2) + c1 * ex + c0;
    let root = p.sqrt();
    let minus_discriminant = 4 * (c2 * c0) - c1.pow(2);
    let slope = 2 * (c2 * ex) + c1;
    let inverse_root = || -> Option<Expr> {
        let sign = sign_of(cx, c2);
        if sign.is_positive() {
            let k = c2.sqrt();
            Some(Expr::apply(Elementary::Log, &[2 * (k * root) + slope]) / k)
        } else if sign.is_negative() && sign_of(cx, minus_discriminant).is_negative() {
            Some(-Expr::apply(Elementary::Asin, &[slope / (-minus_discriminant).sqrt()]) / (-c2).sqrt())
        } else {
            None
        }
    };
    let half = Rational::HALF;
    match (n, r) {
        (0, r) if *r == Rational::MINUS_ONE => {
            let sign = sign_of(cx, minus_discriminant);
            if sign.is_nonnegative() {
                if !sign.is_positive() {
                    record_nonzero(cx, minus_discriminant);
                }
                let k = without_size(minus_discriminant.sqrt());
                Some(2 * Expr::apply(Elementary::Atan, &[slope / k]) / k)
            } else if sign.is_negative() {
                let k = (-minus_discriminant).sqrt();
                Some(log_abs((slope - k) / (slope + k)) / k)
            } else {
                None
            }
        }
        (1, r) if *r == Rational::MINUS_ONE => Some((log_abs(p) - c1 * quadratic_power(cx, 0, c, r, x)?) / (2 * c2)),
        (n, r) if *r == Rational::MINUS_ONE && (2..=16).contains(&n) => {
            // xⁿ = x^(n−2) (p − c₁x − c₀)/c₂
            let rest = c1 * quadratic_power(cx, n - 1, c, r, x)? + c0 * quadratic_power(cx, n - 2, c, r, x)?;
            Some((power_rule(ex, &Rational::from(n - 2)) - rest) / c2)
        }
        (0, r) if *r == Rational::ratio(-3, 2) => Some(2 * slope / (minus_discriminant * root)),
        (1, r) if *r == Rational::ratio(-3, 2) => Some(-2 * (c1 * ex + 2 * c0) / (minus_discriminant * root)),
        (0, r) if *r == -&half => inverse_root(),
        (1, r) if *r == -&half => Some(root / c2 - c1 * inverse_root()? / (2 * c2)),
        (0, r) if *r == half => Some(slope * root / (4 * c2) + minus_discriminant * inverse_root()? / (8 * c2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(f: Elementary, x: Expr) -> Expr {
        Expr::apply(f, &[x])
    }

    /// Integrates, differentiates, and compares at a few rational points with exact arithmetic where
    /// the difference is rational there, otherwise after expansion in `x`.
    fn check(cx: &Inquiry, integrand: Expr, x: Symbol) {
        let primitive = antiderivative(cx, integrand, x).expect("a row of the table");
        let difference = partial(cx, primitive, x) - integrand;
        let vanishes = difference.is_zero()
            || expand_in(difference, x)
                .expect("small")
                .values()
                .all(|list| super::super::decide::is_zero(cx, Expr::add_all(list.iter().copied())).is_yes())
            || super::super::decide::is_zero(cx, difference).is_yes();
        assert!(vanishes, "{integrand} from {primitive}");
    }

    #[test]
    fn every_row_is_undone_by_differentiation() {
        let cx = &Inquiry::free();
        let x = Symbol::parameter("x");
        let (ex, a, b) = (Expr::symbol(x), Expr::symbol(Symbol::parameter("a")), Expr::symbol(Symbol::parameter("b")));
        let affine = a * ex + b;
        for integrand in [
            ex.pow(3) * a + b,
            ex.pow(2) * apply(Elementary::Sin, affine),
            ex * apply(Elementary::Exp, affine),
            apply(Elementary::Exp, ex) * apply(Elementary::Cos, affine),
            apply(Elementary::Sin, affine).pow(2),
            apply(Elementary::Cosh, affine) * ex.pow(2),
            affine.pow(-2) * ex,
            affine.pow(Rational::ratio(1, 2)) * ex.pow(2),
            (1 + ex.pow(2)).pow(-1),
            ex * (1 - a * ex.pow(2)).pow(Rational::ratio(-3, 2)),
            (1 - ex.pow(2)).pow(Rational::ratio(-3, 2)),
            (ex + a) * (ex - b) * ex,
            // y = xᵏ
            ex * apply(Elementary::Exp, a * ex.pow(2)),
            ex.pow(3) * apply(Elementary::Cos, a * ex.pow(2) + b),
            ex.pow(3) * (1 + ex.pow(4)).pow(-1),
            ex * (1 + ex.pow(2) + ex.pow(4)).pow(-1),
            // y = g(x)
            apply(Elementary::Cos, ex) * apply(Elementary::Exp, apply(Elementary::Sin, ex)),
            (2 * ex + b) * apply(Elementary::Exp, ex.pow(2) + b * ex),
            (4 * ex.pow(3) + 2 * ex + a) * (ex.pow(4) + ex.pow(2) + a * ex + 7).pow(-2),
        ] {
            check(cx, integrand, x);
        }
    }

    #[test]
    fn derivatives_of_unspecified_functions_are_lowered() {
        let cx = &Inquiry::free();
        let x = Symbol::parameter("x");
        let v = super::super::symbol::Function::declare("V", 1);
        let ex = Expr::symbol(x);
        let derivative = Expr::unknown(v, &[1], &[ex]);
        assert_eq!(antiderivative(cx, derivative, x), Some(Expr::unknown(v, &[0], &[ex])));
        assert_eq!(antiderivative(cx, Expr::unknown(v, &[0], &[ex]), x), None);
    }

    #[test]
    fn homotopy_of_a_sine() {
        let cx = &Inquiry::free();
        let (u, q) = (Symbol::bound("u"), Expr::symbol(Symbol::parameter("q")));
        let value = q * unit_integral(cx, apply(Elementary::Sin, Expr::symbol(u) * q), u);
        let expected = 1 - apply(Elementary::Cos, q);
        assert!(super::super::decide::is_zero(cx, value - expected).is_yes());
    }

    #[test]
    fn what_is_not_in_the_table_stays_an_integral() {
        let cx = &Inquiry::free();
        let (u, q) = (Symbol::bound("u"), Expr::symbol(Symbol::parameter("q")));
        let eu = Expr::symbol(u);
        let value = unit_integral(cx, eu + apply(Elementary::Exp, eu.pow(2) * q), u);
        assert!(has_integral(value));
        assert_eq!(antiderivative(cx, apply(Elementary::Exp, eu.pow(2)) * eu.pow(2), u), None);
        assert!(!has_integral(unit_integral(cx, eu.pow(2) * q, u)));
    }
}
