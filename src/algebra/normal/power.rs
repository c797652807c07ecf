//! Exponentials, logarithms, fractional powers, absolute values: everything that looks at the factors of its
//! argument and at their signs.

use super::NormalForm;
use super::context::{Context, Domain, Family, denominator, logarithm_of, parts};
use super::read::{canonical, normal_form_in, prepare, read_again, with_memo};
use super::write::polynomial_expr;
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::expr::{Expr, Node, Undefined};
use crate::algebra::factor::squarefree;
use crate::algebra::function::Elementary::{Abs, Cbrt, Exp, Log};
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::budget::{Budgeted, Exhausted};
use std::rc::Rc;

/// b^r taken apart: coefficient · exp(exponent) · Π baseᵉ, every base nonnegative on the domain.
#[derive(Clone)]
pub(super) struct PowerParts {
    pub(super) coefficient: Rational,
    pub(super) exponent: Expr,
    pub(super) roots: Vec<(Expr, Rational)>,
    pub(super) undefined: Option<Undefined>,
}

/// e^u for a canonical argument.
pub(super) fn read_exponential(cx: &Inquiry, context: Context, u: Expr) -> Budgeted<NormalForm> {
    if let Some(why) = u.as_undefined() {
        return Ok(NormalForm::undefined(why));
    }
    let mut product = NormalForm::one();
    for (atom, r) in parts(cx, u)?.iter() {
        let factor = match logarithm_of(*atom) {
            Some(v) => read_power(cx, context, v, r)?,
            None => {
                let d = denominator(cx, context, Family::Exponent, *atom, r);
                let n = (r * &Rational::integer(d.clone())).to_i64();
                let (n, base) = match n {
                    Some(n) if i32::try_from(n).is_ok() => (n, atom.scale(&Rational::new(Integer::ONE, d))),
                    _ => (1, atom.scale(r)),
                };
                NormalForm::generator(Generator::exponential(base, Expr::apply(Exp, &[base]))).pow(cx, n)?
            }
        };
        product = product.mul(cx, &factor)?;
    }
    Ok(product)
}

/// log u = log|c| + Σ m·log|f| for u = c·Π fᵐ.
pub(super) fn read_logarithm(cx: &Inquiry, context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.as_undefined().is_some() {
        return Ok(u.clone());
    }
    if u.is_zero() {
        return Ok(NormalForm::undefined(Undefined::NotReal));
    }
    if u.coefficient().is_negative()
        && u.generators().iter().all(|g| g.sign(cx).is_nonnegative())
        && u.factors().is_empty()
    {
        return Ok(NormalForm::undefined(Undefined::NotReal));
    }
    let mut terms: Vec<(NormalForm, Rational)> = Vec::new();
    let c = u.coefficient().abs();
    for (n, sign) in [(c.numerator(), 1), (c.denominator(), -1)] {
        for (prime, multiplicity) in crate::algebra::expr::partial_factors(n) {
            let p = Expr::number(Rational::integer(prime));
            if !p.is_one() {
                let log = Generator::logarithm(p, Expr::apply(Log, &[p]));
                terms.push((NormalForm::generator(log), Rational::from(sign * i64::from(multiplicity))));
            }
        }
    }
    for (g, n) in u.powers() {
        let n = Rational::from(i64::from(n));
        match g.kind() {
            Kind::Exponential(v) => terms.push((read_again(cx, context, v)?, n)),
            Kind::Root { base, degree, .. } => {
                let inner = read_again(cx, context, Expr::apply(Log, &[base]))?;
                terms.push((inner, &n / &Rational::from(i64::from(degree))));
            }
            Kind::Absolute { of, .. } => terms.push((logarithm_of_size(cx, context, of), n)),
            _ => terms.push((logarithm_of_size(cx, context, g.meaning()), n)),
        }
    }
    for (p, n) in u.factors() {
        terms.push((logarithm_of_size(cx, context, polynomial_expr(p)), Rational::from(i64::from(*n))));
    }
    let list: Vec<(&NormalForm, Rational)> = terms.iter().map(|(f, c)| (f, c.clone())).collect();
    NormalForm::sum(cx, &list)
}

/// log|f|, as a generator.
fn logarithm_of_size(cx: &Inquiry, context: Context, f: Expr) -> NormalForm {
    let size = context.data(cx).domain.size(cx, f);
    NormalForm::generator(Generator::logarithm(size, Expr::apply(Log, &[size])))
}

/// |c·Π fᵐ| = |c|·Π |f|ᵐ.
pub(super) fn read_absolute(cx: &Inquiry, context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.as_undefined().is_some() {
        return Ok(u.clone());
    }
    let mut product = NormalForm::number(u.coefficient().abs());
    product.inherit_conditions(u);
    for (g, n) in u.powers() {
        let size = size_of(cx, context, &Polynomial::variable(g.0), g.sign(cx).and(context.sign(cx, g.meaning())), n)?;
        product = product.mul(cx, &size)?;
    }
    for (p, n) in u.factors() {
        for (q, m) in &squarefree(cx, p)?.factors {
            let times = i32::try_from(*m).ok().and_then(|m| m.checked_mul(*n)).ok_or(Exhausted::Size)?;
            let size = size_of(cx, context, q, context.sign(cx, polynomial_expr(q)), times)?;
            product = product.mul(cx, &size)?;
        }
    }
    Ok(product)
}

/// |p|ⁿ.
fn size_of(cx: &Inquiry, context: Context, p: &Polynomial, sign: Sign, n: i32) -> Budgeted<NormalForm> {
    let form = NormalForm::polynomial(cx, p.clone())?;
    if n % 2 == 0 || sign.is_nonnegative() {
        return form.pow(cx, i64::from(n));
    }
    if sign.is_nonpositive() {
        return form.negate().pow(cx, i64::from(n));
    }
    let of = polynomial_expr(p);
    let square = Rc::new(reduce(cx, p.square(cx)?)?);
    let g = Generator::absolute(of, square, Expr::apply(Abs, &[of]), context.tag(cx));
    NormalForm::generator(g).pow(cx, i64::from(n))
}

/// sign u = |u|/u, where u ≠ 0; that condition is noted.
pub(super) fn read_sign(cx: &Inquiry, context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.is_zero() {
        return Ok(u.clone());
    }
    let mut form = read_absolute(cx, context, u)?.div(cx, u)?;
    for (g, _) in u.powers() {
        if !g.sign(cx).and(context.sign(cx, g.meaning())).is_nonzero() {
            form.note_cancelled(&Rc::new(Polynomial::variable(g.0)));
        }
    }
    for (p, _) in u.factors() {
        if !context.sign(cx, polynomial_expr(p)).is_nonzero() {
            form.note_cancelled(p);
        }
    }
    Ok(form)
}

/// cbrt u. On all real numbers it is multiplicative, cbrt(c·Π fⁿ) = cbrt c·Π f^q·cbrt(f)^r with n = 3q + r, and each
/// cbrt f is a generator whose cube is f; where the sign of f is known, it is the power 1/3 of its size.
pub(super) fn read_cube_root(cx: &Inquiry, context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.is_zero() || u.as_undefined().is_some() {
        return Ok(u.clone());
    }
    let mut product = read_again(cx, context, Expr::apply(Cbrt, &[Expr::number(u.coefficient().clone())]))?;
    product.inherit_conditions(u);
    for (g, n) in u.powers() {
        let sign = g.sign(cx).and(context.sign(cx, g.meaning()));
        product = product.mul(cx, &cube_root_of_power(cx, context, &Polynomial::variable(g.0), sign, n)?)?;
    }
    for (p, n) in u.factors() {
        for (q, m) in &squarefree(cx, p)?.factors {
            let times = i32::try_from(*m).ok().and_then(|m| m.checked_mul(*n)).ok_or(Exhausted::Size)?;
            let sign = context.sign(cx, polynomial_expr(q));
            product = product.mul(cx, &cube_root_of_power(cx, context, q, sign, times)?)?;
        }
    }
    Ok(product)
}

/// cbrt(pⁿ).
fn cube_root_of_power(cx: &Inquiry, context: Context, p: &Polynomial, sign: Sign, n: i32) -> Budgeted<NormalForm> {
    let (whole, rest) = (n.div_euclid(3), n.rem_euclid(3));
    let outside = NormalForm::polynomial(cx, p.clone())?.pow(cx, i64::from(whole))?;
    if rest == 0 {
        return Ok(outside);
    }
    let (of, third) = (polynomial_expr(p), Rational::ratio(1, 3));
    let root = if sign.is_nonnegative() {
        read_power(cx, context, of, &third)?
    } else if sign.is_nonpositive() {
        read_power(cx, context, -of, &third)?.negate()
    } else {
        let meaning = Expr::apply(Cbrt, &[of]);
        match meaning.node() {
            Node::Apply(Cbrt, v) if v[0] == of => {
                NormalForm::generator(Generator::cube_root(&Rc::new(p.clone()), meaning, context.tag(cx)))
            }
            // cbrt(−v) is written −cbrt v by its constructor.
            _ => {
                let meaning = Expr::apply(Cbrt, &[-of]);
                let radicand = Rc::new(p.scale(&Rational::MINUS_ONE));
                NormalForm::generator(Generator::cube_root(&radicand, meaning, context.tag(cx))).negate()
            }
        }
    };
    outside.mul(cx, &root.pow(cx, i64::from(rest))?)
}

/// b^r for a fractional r.
pub(super) fn read_power(cx: &Inquiry, context: Context, b: Expr, r: &Rational) -> Budgeted<NormalForm> {
    let parts = power_parts(cx, b, r, context.data(cx).domain)?;
    if let Some(why) = parts.undefined {
        return Ok(NormalForm::undefined(why));
    }
    let mut product = NormalForm::number(parts.coefficient.clone());
    if !parts.exponent.is_zero() {
        product = product.mul(cx, &read_exponential(cx, context, canonical(cx, parts.exponent)?)?)?;
    }
    for (base, r) in &parts.roots {
        let d = denominator(cx, context, Family::Root, *base, r);
        let n = (r * &Rational::integer(d.clone())).to_i64().ok_or(Exhausted::Size)?;
        let radicand = read_again(cx, context, *base)?;
        if d.is_one() {
            product = product.mul(cx, &radicand.pow(cx, n)?)?;
            continue;
        }
        let degree = d.to_i64().and_then(|d| u32::try_from(d).ok()).ok_or(Exhausted::Size)?;
        let (above, below) = radicand.fraction(cx)?;
        if !below.is_one() {
            return Err(Exhausted::Size);
        }
        let meaning = base.pow(Rational::new(Integer::ONE, d));
        let g = Generator::root(*base, degree, &Rc::new(above), meaning, context.tag(cx));
        product = product.mul(cx, &NormalForm::generator(g).pow(cx, n)?)?;
    }
    Ok(product)
}

/// Takes b^r apart; of the context only the domain matters.
pub(super) fn power_parts(cx: &Inquiry, b: Expr, r: &Rational, domain: Domain) -> Budgeted<Rc<PowerParts>> {
    let key = (b, r.clone(), domain);
    if let Some(known) = with_memo(cx, |memo| memo.powers.get(&key).cloned()) {
        return Ok(known);
    }
    prepare(cx, &[b])?;
    let form = normal_form_in(cx, Context::of(cx, &[b])?, b)?;
    let form = form.cancel(cx)?;
    let mut parts =
        PowerParts { coefficient: Rational::ONE, exponent: Expr::zero(), roots: Vec::new(), undefined: None };
    let mut negative = form.coefficient().is_negative();
    // What stays together under the root.
    let mut rest = Polynomial::one();
    let mut take = |parts: &mut PowerParts, p: &Polynomial, base: Expr, sign: Sign, n: i32| -> Budgeted<()> {
        let n = Rational::from(i64::from(n));
        if sign.is_nonnegative() {
            parts.root(base, &n * r);
        } else if sign.is_nonpositive() {
            negative ^= n.to_i64().is_some_and(|n| n % 2 != 0);
            parts.root(-base, &n * r);
        } else {
            let odd = n.to_i64().is_some_and(|n| n % 2 != 0);
            let even = if odd { &n - &Rational::ONE } else { n };
            if !even.is_zero() {
                parts.root(Expr::apply(Abs, &[base]), &even * r);
            }
            if odd {
                rest = rest.mul(cx, p)?;
            }
        }
        Ok(())
    };
    for (g, n) in form.powers() {
        let times = &Rational::from(i64::from(n)) * r;
        match g.kind() {
            Kind::Exponential(u) => parts.exponent = parts.exponent + u.scale(&times),
            Kind::Root { base, degree, .. } => parts.root(base, &times / &Rational::from(i64::from(degree))),
            Kind::Absolute { of, .. } => parts.root(domain.size(cx, of), times),
            _ => {
                let sign = g.sign(cx).and(domain.sign(cx, g.meaning()));
                take(&mut parts, &Polynomial::variable(g.0), g.meaning(), sign, n)?;
            }
        }
    }
    for (p, n) in form.factors() {
        // Squares come out: √(x² + 2x + 1) = |x + 1|.
        for (q, m) in &squarefree(cx, p)?.factors {
            let base = polynomial_expr(q);
            let times = i32::try_from(*m).ok().and_then(|m| m.checked_mul(*n)).ok_or(Exhausted::Size)?;
            take(&mut parts, q, base, domain.sign(cx, base), times)?;
        }
    }
    let rest = reduce(cx, rest)?;
    if form.as_undefined().is_some() {
        parts.undefined = form.as_undefined();
    } else if form.is_zero() {
        if r.is_negative() {
            parts.undefined = Some(Undefined::DivisionByZero);
        }
        parts.coefficient = Rational::ZERO;
    } else if rest.is_one() && negative {
        parts.undefined = Some(Undefined::NotReal);
    } else {
        if !rest.is_one() {
            let base = polynomial_expr(&rest);
            parts.root(if negative { -base } else { base }, r.clone());
        }
        parts.number(&form.coefficient().abs(), r);
    }
    let parts = Rc::new(parts);
    with_memo(cx, |memo| memo.powers.insert(key, parts.clone()));
    Ok(parts)
}

impl PowerParts {
    fn root(&mut self, base: Expr, r: Rational) {
        match self.roots.iter_mut().find(|(b, _)| *b == base) {
            Some((_, s)) => *s = &*s + &r,
            None => self.roots.push((base, r)),
        }
    }

    /// The power of a positive number: rational part and roots of primes.
    fn number(&mut self, n: &Rational, r: &Rational) {
        let power = Expr::number(n.clone()).pow(r.clone());
        let (coefficient, body) = match power.node() {
            Node::Number(n) => (n.clone(), None),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                (terms[0].1.clone(), Some(terms[0].0))
            }
            Node::Undefined(why) => {
                self.undefined = Some(*why);
                return;
            }
            _ => (Rational::ONE, Some(power)),
        };
        self.coefficient = &self.coefficient * &coefficient;
        if let Some(Node::Product(factors)) = body.map(Expr::node) {
            for (p, r) in factors.iter() {
                self.root(*p, r.clone());
            }
        }
    }
}
