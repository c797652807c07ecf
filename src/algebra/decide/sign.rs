//! Signs beyond the shape of an expression.
//!
//! [`super::super::assume::sign_of`] sees that x² + 1 > 0. Here the normal form is used: its factors one
//! by one, and for each polynomial factor, in this order,
//!
//! ```text
//! a declared fact               c² − ẋ² − ẏ² > 0, also as a summand of something larger
//! its terms                     all of one sign, even powers and generators of known sign
//! 1 − sin² for cos²             2 − sin²u = 1 + cos²u > 0
//! bounds of sine and cosine     a polynomial linear in cos u lies between its values at cos u = ±1
//! angle differences             a function of a − b only is written in a − b
//! factors over ℚ                x² + 2x + 1 = (x + 1)²
//! real roots                    a polynomial in one variable without any, by Sturm's theorem
//! a quadratic a v² + b v + c    (also in v²) of one sign if b² − 4ac < 0, by the sign of a (completing the square)
//! coefficients                  Σ cₖ vᵏ with v of known sign
//! a square root                 a + b√w has the sign of b where a² < b²w, and that of a where a² > b²w
//! ```
//!
//! An expression without symbols is a number: its ball decides, unless the number is too close to zero.
//!
//! Each rule gives a sign that certainly holds; when none fires the answer is less precise, never wrong.

use super::witness::{POINTS, Sampler};
use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::ball;
use crate::algebra::conditions;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::factor::factor;
use crate::algebra::generator::{Generator, Kind, in_cosine, reduce};
use crate::algebra::normal::fold::on_fewer_angles;
use crate::algebra::normal::{Context, normal_form_in};
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::roots::count_real_roots;
use crate::algebra::verdict::Verdict;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// What is known about the sign of `e` wherever it is defined.
pub fn sign(cx: &Inquiry, e: Expr) -> Sign {
    let shape = sign_of(cx, e);
    if shape.is_positive() || shape.is_negative() || shape == Sign::ZERO || e.is_number() {
        return shape;
    }
    if e.symbols().is_empty()
        && let Ok(Some(n)) = ball::certified_sign(cx, e, &FxHashMap::default(), 256)
    {
        return Sign::of_number(&Rational::from(i64::from(n)));
    }
    // Deciding a sign uses no cancelled form as an answer: nothing is recorded.
    let (found, _) = conditions::collect(cx, |cx| by_normal_form(cx, e));
    shape.and(found.unwrap_or(Sign::ANY))
}

/// Whether `e` vanishes nowhere on its domain.
pub fn is_nonzero_everywhere(cx: &Inquiry, e: Expr) -> Verdict {
    if let Some(n) = e.as_number() {
        return Verdict::from_bool(!n.is_zero(), if n.is_zero() { "it is 0" } else { "it is a number other than 0" });
    }
    if let Some(why) = e.as_undefined() {
        return Verdict::unknown(format!("it has no value: {why:?}"));
    }
    let found = sign(cx, e);
    if found.is_positive() {
        return Verdict::yes("it is positive");
    }
    if found.is_negative() {
        return Verdict::yes("it is negative");
    }
    if found.is_nonzero() {
        return Verdict::yes("its factors do not vanish");
    }
    if found == Sign::ZERO {
        return Verdict::no("it is zero");
    }
    zero_by_points(cx, e).unwrap_or_else(|stop| Verdict::unknown(stop.to_string()))
}

/// A point where `e` is exactly zero, or two of a convex domain between which a polynomial changes sign.
fn zero_by_points(cx: &Inquiry, e: Expr) -> Budgeted<Verdict> {
    let sampler = Sampler::new(cx, e);
    let continuous = is_continuous_everywhere(e) && cx.facts().iter().all(|(f, _)| f.as_symbol().is_some());
    let (mut positive, mut negative) = (None, None);
    for i in 0..POINTS {
        let Some(point) = sampler.point(cx, i)? else { continue };
        if let Some(n) = ball::evaluate_exact(cx, sampler.subject, &point)
            && n.is_zero()
        {
            return Ok(Verdict::no(format!("it vanishes at {}", sampler.describe(&point))));
        }
        match ball::certified_sign(cx, sampler.subject, &point, 256)? {
            Some(1) => positive = Some(i),
            Some(-1) => negative = Some(i),
            _ => {}
        }
        if continuous && positive.is_some() && negative.is_some() {
            return Ok(Verdict::no("it is continuous and takes both signs"));
        }
    }
    Ok(Verdict::unknown("its sign could not be determined"))
}

/// Made of operations that are defined and continuous for all real arguments.
fn is_continuous_everywhere(e: Expr) -> bool {
    crate::algebra::expr::post_order(&[e]).into_iter().all(|x| match x.node() {
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum { .. } => true,
        Node::Product(factors) => factors.iter().all(|(_, n)| n.is_integer() && !n.is_negative()),
        Node::Apply(f, _) => f.row().is_continuous_everywhere(),
        _ => false,
    })
}

fn by_normal_form(cx: &Inquiry, e: Expr) -> Budgeted<Sign> {
    let facts: Vec<(Expr, Sign)> = relevant_facts(cx, e);
    let mut roots = vec![e];
    roots.extend(facts.iter().map(|f| f.0));
    let context = Context::of(cx, &roots)?;
    let mut reasoner = Reasoner { facts: Vec::new(), steps: 0 };
    for (fact, sign) in facts {
        let form = normal_form_in(cx, context, fact)?;
        if form.as_undefined().is_none() {
            let (n, d) = form.fraction(cx)?;
            let p = n.mul(cx, &d)?;
            let flipped = p.content().is_negative();
            reasoner.facts.push((p.primitive_part(), if flipped { sign.negate() } else { sign }));
        }
    }
    let form = normal_form_in(cx, context, e)?.cancel(cx)?;
    if form.as_undefined().is_some() {
        return Ok(Sign::ANY);
    }
    let mut sign = Sign::of_number(form.coefficient());
    for (g, n) in form.powers() {
        sign = sign.times(power_of(reasoner.generator(cx, g, 6)?, n));
    }
    // Factors of which none has a sign by itself may have one together: c² − v² is (c − v)(c + v).
    let mut open = vec![];
    for (p, n) in form.factors() {
        let found = power_of(reasoner.polynomial(cx, p, 6)?, *n);
        match is_strict(found) || n % 2 == 0 {
            true => sign = sign.times(found),
            false => open.push((p.clone(), found)),
        }
    }
    if open.len() > 1 {
        let product = Polynomial::product(cx, open.iter().map(|(p, _)| &**p))?;
        let together = open.iter().fold(Sign::POSITIVE, |all, (_, found)| all.times(*found));
        return Ok(sign.times(together.and(reasoner.polynomial(cx, &product, 6)?)));
    }
    Ok(open.iter().fold(sign, |all, (_, found)| all.times(*found)))
}

/// Facts about more than a symbol that share a symbol with `e`.
fn relevant_facts(cx: &Inquiry, e: Expr) -> Vec<(Expr, Sign)> {
    let symbols = e.symbols();
    let shares = |f: Expr| f.as_symbol().is_none() && f.symbols().iter().any(|s| symbols.contains(s));
    cx.facts().iter().filter(|(f, _)| shares(*f)).collect()
}

/// The sign of uⁿ where it is defined.
fn power_of(sign: Sign, n: i32) -> Sign {
    let base = if n < 0 { sign.and(Sign::NONZERO) } else { sign };
    if n % 2 != 0 {
        base
    } else if base.is_nonzero() {
        Sign::POSITIVE
    } else {
        Sign::NONNEGATIVE
    }
}

struct Reasoner {
    /// Primitive polynomials with their declared signs.
    facts: Vec<(Polynomial, Sign)>,
    steps: u32,
}

/// A chain of more steps is not followed.
const MAX_STEPS: u32 = 400;

impl Reasoner {
    fn polynomial(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        cx.check()?;
        self.steps += 1;
        if let Some(n) = p.as_constant() {
            return Ok(Sign::of_number(&n));
        }
        let content = Sign::of_number(&p.content());
        let monomial = p.monomial_content();
        if !monomial.is_empty() {
            let mut sign = content;
            for &(g, n) in &monomial {
                sign = sign.times(power_of(self.generator(cx, Generator(g), depth)?, n as i32));
            }
            let rest = p.without_monomial(&monomial).primitive_part();
            return Ok(sign.times(self.polynomial(cx, &rest, depth)?));
        }
        let primitive = p.primitive_part();
        Ok(content.times(self.primitive(cx, &primitive, depth)?))
    }

    /// The sign of a generator, also from facts that compare it with something: x > 0 where x > 1, or where x > y > 0.
    fn generator(&mut self, cx: &Inquiry, g: Generator, depth: u32) -> Budgeted<Sign> {
        let mut known = g.sign(cx);
        for (fact, sign) in self.facts.clone() {
            if is_strict(known) {
                break;
            }
            let [b, a] = &fact.coefficients_in(g.0)[..] else { continue };
            let Some(a) = a.as_constant() else { continue };
            let rest = match b.as_constant() {
                Some(b) => Sign::of_number(&b),
                None if depth > 0 && self.steps < MAX_STEPS => self.polynomial(cx, b, depth - 1)?,
                None => continue,
            };
            // a·g = fact − b.
            known = known.and(sign.plus(rest.negate()).times(Sign::of_number(&a)));
        }
        Ok(known)
    }

    fn primitive(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let mut known = Sign::ANY;
        for (fact, sign) in &self.facts {
            if fact == p {
                known = known.and(*sign);
            }
        }
        known = known.and(by_terms(cx, p));
        if is_strict(known) || depth == 0 || self.steps > MAX_STEPS || p.n_terms() > 400 {
            return Ok(known);
        }
        type Rule = fn(&mut Reasoner, &Inquiry, &Polynomial, u32) -> Budgeted<Sign>;
        let rules: [Rule; 9] = [
            Reasoner::by_fewer_angles,
            Reasoner::by_other_square,
            Reasoner::by_bounds,
            Reasoner::by_factors,
            Reasoner::by_real_roots,
            Reasoner::by_discriminant,
            Reasoner::by_coefficients,
            Reasoner::by_added_fact,
            Reasoner::by_square_root,
        ];
        for rule in rules {
            known = known.and(rule(self, cx, p, depth - 1)?);
            if is_strict(known) {
                break;
            }
        }
        Ok(known)
    }

    /// sin² = 1 − cos²: normal forms prefer the sine, the terms may show their sign in the cosine.
    fn by_other_square(&mut self, cx: &Inquiry, p: &Polynomial, _: u32) -> Budgeted<Sign> {
        let mut sign = Sign::ANY;
        for &v in p.variables() {
            if matches!(Generator(v).kind(), Kind::Sine(_))
                && !p.contains(v + 1)
                && let Some(other) = in_cosine(cx, p, v)?
            {
                sign = sign.and(by_terms(cx, &other));
            }
        }
        Ok(sign)
    }

    /// A function of angle differences only, written in them.
    fn by_fewer_angles(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        match on_fewer_angles(cx, p)? {
            Some(q) => self.polynomial(cx, &q, depth),
            None => Ok(Sign::ANY),
        }
    }

    /// In one variable: of one sign if it has no root where the variable may be.
    fn by_real_roots(&mut self, cx: &Inquiry, p: &Polynomial, _: u32) -> Budgeted<Sign> {
        let &[v] = p.variables() else { return Ok(Sign::ANY) };
        if p.degree_in(v) > 40 {
            return Ok(Sign::ANY);
        }
        let range = Generator(v).sign(cx);
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        let bounded = matches!(Generator(v).kind(), Kind::Sine(_) | Kind::Cosine(_));
        let low = if range.is_nonnegative() { Some(zero.clone()) } else { bounded.then_some(-&one) };
        let high = if range.is_nonpositive() { Some(zero.clone()) } else { bounded.then_some(one) };
        // The lower end is not counted: it is looked at by itself.
        let inside = low.clone().unwrap_or(zero);
        let Some(value) = p.evaluate_at(cx, &[(v, inside)])? else { return Ok(Sign::ANY) };
        if value.is_zero() || count_real_roots(cx, p, low.as_ref(), high.as_ref())? > 0 {
            return Ok(Sign::ANY);
        }
        Ok(Sign::of_number(&value))
    }

    /// Linear in a sine or cosine whose partner does not occur: between the values at −1 and 1.
    fn by_bounds(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        for &v in p.variables() {
            let partner = match Generator(v).kind() {
                Kind::Sine(_) => v + 1,
                Kind::Cosine(_) => v - 1,
                _ => continue,
            };
            if p.degree_in(v) != 1 || p.contains(partner) {
                continue;
            }
            let low = self.polynomial(cx, &p.evaluate(cx, &[(v, Rational::MINUS_ONE)])?, depth)?;
            let high = self.polynomial(cx, &p.evaluate(cx, &[(v, Rational::ONE)])?, depth)?;
            // A convex combination of the two.
            return Ok(Sign {
                can_be_negative: low.can_be_negative || high.can_be_negative,
                can_be_zero: low.can_be_zero
                    || high.can_be_zero
                    || ((low.can_be_negative || high.can_be_negative) && (low.can_be_positive || high.can_be_positive)),
                can_be_positive: low.can_be_positive || high.can_be_positive,
            });
        }
        Ok(Sign::ANY)
    }

    fn by_factors(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let factors = factor(cx, p);
        if factors.factors.len() == 1 && factors.factors[0].1 == 1 {
            return Ok(Sign::ANY);
        }
        let mut sign = Sign::of_number(&factors.unit);
        for (q, n) in &factors.factors {
            sign = sign.times(power_of(self.polynomial(cx, q, depth)?, *n as i32));
        }
        Ok(sign)
    }

    /// p = a v² + b v + c; 4a·p = (2av + b)² − (b² − 4ac).
    fn by_discriminant(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let mut found = Sign::ANY;
        for &v in p.variables() {
            if Generator(v).relation().is_some() {
                continue;
            }
            // Quadratic in v, or in v² (which is a narrower range than ℝ, so the conclusion holds all the more).
            let parts = p.coefficients_in(v);
            let (c, b, a) = match parts.as_slice() {
                [c, b, a] => (c, b, a),
                [c, odd, b, cubic, a] if odd.is_zero() && cubic.is_zero() => (c, b, a),
                _ => continue,
            };
            let leading = self.polynomial(cx, a, depth)?;
            if !is_strict(leading) {
                continue;
            }
            let discriminant = reduce(cx, &b.square(cx)? - &a.mul(cx, c)?.scale(&Rational::from(4)))?;
            let below = self.polynomial(cx, &discriminant, depth)?;
            if below.is_negative() {
                return Ok(leading);
            }
            if below.is_nonpositive() {
                found = found.and(Sign { can_be_zero: true, ..leading });
            }
        }
        Ok(found)
    }

    /// p = Σ cₖ vᵏ with the sign of v, or of its powers, known.
    fn by_coefficients(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let mut found = Sign::ANY;
        for &v in p.variables() {
            let sign_of_v = Generator(v).sign(cx);
            let parts = p.coefficients_in(v);
            let even = parts.iter().skip(1).step_by(2).all(Polynomial::is_zero);
            if !even && !sign_of_v.is_nonnegative() && !sign_of_v.is_nonpositive() {
                continue;
            }
            let mut sum = Sign::ZERO;
            for (k, c) in parts.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
                let power = if k == 0 { Sign::POSITIVE } else { power_of(sign_of_v, k as i32) };
                sum = sum.plus(self.polynomial(cx, c, depth)?.times(power));
                if sum == Sign::ANY {
                    break;
                }
            }
            found = found.and(sum);
            if is_strict(found) {
                break;
            }
        }
        Ok(found)
    }

    /// p = a + b√w: which of |a| and |b|√w is larger says whose sign it has.
    fn by_square_root(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let mut found = Sign::ANY;
        for &v in p.variables() {
            let Kind::Root { degree: 2, radicand, .. } = Generator(v).kind() else { continue };
            if p.degree_in(v) != 1 {
                continue;
            }
            let (a, b) = (p.coefficient_in(v, 0), p.coefficient_in(v, 1));
            let norm = reduce(cx, &a.square(cx)? - &b.square(cx)?.mul(cx, &radicand)?)?;
            let larger = self.polynomial(cx, &norm, depth)?;
            if larger.is_negative() {
                found = found.and(self.polynomial(cx, &b, depth)?.and(Sign::NONZERO));
            } else if larger.is_positive() {
                found = found.and(self.polynomial(cx, &a, depth)?.and(Sign::NONZERO));
            }
        }
        Ok(found)
    }

    /// p = λ·fact + rest.
    fn by_added_fact(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Sign> {
        let mut found = Sign::ANY;
        for (fact, sign) in self.facts.clone() {
            for (monomial, c) in fact.terms() {
                let Some((_, mine)) = p.terms().find(|(m, _)| *m == monomial) else { continue };
                let lambda = &mine / &c;
                let rest = p - &fact.scale(&lambda);
                if rest.as_constant().is_none() && rest.n_terms() >= p.n_terms() {
                    continue;
                }
                let rest = self.polynomial(cx, &rest, depth)?;
                found = found.and(sign.times(Sign::of_number(&lambda)).plus(rest));
            }
        }
        Ok(found)
    }
}

fn is_strict(sign: Sign) -> bool {
    sign.is_positive() || sign.is_negative()
}

/// The sum of the signs of the terms.
fn by_terms(cx: &Inquiry, p: &Polynomial) -> Sign {
    let mut sum = Sign::ZERO;
    for (monomial, c) in p.terms() {
        let mut sign = Sign::of_number(&c);
        for (g, n) in monomial {
            sign = sign.times(power_of(Generator(g).sign(cx), n as i32));
        }
        sum = sum.plus(sign);
        if sum == Sign::ANY {
            break;
        }
    }
    sum
}
