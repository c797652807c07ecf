//! Positivity: the sign of a polynomial, and where it vanishes if it does. One list of rules for everybody, whether the
//! question is m₁ + m₂ sin²θ > 0 or what x² + y² = 0 says of real x and y.
//!
//! ```text
//! a declared fact               c² − ẋ² − ẏ² > 0, also as a summand of something larger
//! its terms                     all of one sign, even powers and generators of known sign; zero where all of them are
//! 1 − sin² for cos²             2 − sin²u = 1 + cos²u > 0
//! angle differences             a function of a − b only is written in a − b
//! bounds of sine and cosine     a polynomial linear in cos u lies between its values at cos u = ±1
//! factors over ℚ                x² + 2x + 1 = (x + 1)²
//! real roots                    a polynomial in one variable without any, by Sturm's theorem
//! a form in two variables       without real lines, by the same
//! a completed square            4ap = (2ay + b)² + (4ac − b²) for a power y = xᵏ: of the sign of a, if 4ac − b² ≥ 0
//! coefficients                  Σ cₖ vᵏ with v of known sign
//! a square root                 a + b√w has the sign of b where a² < b²w, and that of a where a² > b²w
//! ```
//!
//! Each rule gives a sign that certainly holds; when none fires the answer is less precise, never wrong. The zeros of a
//! polynomial that never changes its sign are the common zeros of simpler ones wherever the rule that found the sign shows them:
//! x² + y² = 0 is x = y = 0.

use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::factor::factor_once;
use crate::algebra::generator::{Generator, Kind, in_cosine, reduce};
use crate::algebra::normal::fold::on_fewer_angles;
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::number::Rational;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::algebra::roots::count_real_roots;
use crate::budget::Budgeted;

/// A polynomial that never changes its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semidefinite {
    pub is_negative: bool,
    /// The real zeros of the polynomial are the common zeros of these; `[1]` if it has none.
    pub zeros: Vec<Polynomial>,
}

impl Semidefinite {
    pub fn has_no_zero(&self) -> bool {
        self.zeros.iter().any(|z| z.is_constant() && !z.is_zero())
    }

    fn of(known: Known, p: &Polynomial) -> Option<Semidefinite> {
        if !known.is_one_sided() {
            return None;
        }
        let zeros = match (known.sign.can_be_zero, known.zeros) {
            (false, _) => vec![Polynomial::one()],
            (true, Some(zeros)) => zeros,
            // √x ≥ 0 vanishes where it vanishes.
            (true, None) if has_functions(p) => vec![p.clone()],
            (true, None) => return None,
        };
        Some(Semidefinite { is_negative: known.sign.can_be_negative, zeros })
    }
}

/// Recognises a polynomial of one sign. `None` says that no rule applies, not that the sign changes.
pub fn semidefinite(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    // A fact about more than a symbol is asked of the sign of an expression, which may say on what it rests.
    match cx.facts().is_of_symbols() {
        true => cx.facts().memo().semidefinite.get(cx, p, |_| true, || recognised(cx, p)),
        false => recognised(cx, p),
    }
}

fn recognised(cx: &Inquiry, p: &Polynomial) -> Budgeted<Option<Semidefinite>> {
    let mut reasoner = Reasoner { facts: vec![], steps: 0, wants_zeros: true };
    let known = reasoner.polynomial(cx, p, DEPTH)?;
    // Facts about more than single symbols, c² − v² − w² > 0, are read together with what is asked.
    if !known.sign.is_strict() && p.n_terms() <= MAX_WIDE_TERMS && p.variables().iter().any(|v| is_compared(cx, *v)) {
        let sign = known.sign.and(super::sign(cx, polynomial_expr(p)));
        return Ok(Semidefinite::of(Known { sign, ..known }, p));
    }
    Ok(Semidefinite::of(known, p))
}

/// Every term of the same sign, whatever the values: even powers, and generators of known sign.
pub fn of_one_sign_by_terms(cx: &Inquiry, p: &Polynomial) -> Option<Semidefinite> {
    Semidefinite::of(by_terms(cx, p, true), p)
}

/// The sign of a monomial.
pub fn monomial_sign(cx: &Inquiry, monomial: &Monomial) -> Sign {
    monomial.iter().fold(Sign::POSITIVE, |sign, (v, n)| sign.times(Generator(*v).sign(cx).power(i64::from(*n))))
}

fn has_functions(p: &Polynomial) -> bool {
    p.variables().iter().any(|v| !matches!(Generator(*v).kind(), Kind::Symbol(_) | Kind::Pi))
}

/// Whether a fact about more than a symbol speaks of this one.
fn is_compared(cx: &Inquiry, v: u32) -> bool {
    let own = Generator(v).meaning().as_symbol();
    own.is_some_and(|s| cx.facts().iter().any(|(fact, _)| fact.as_symbol().is_none() && fact.contains(s)))
}

/// Made of parameters only.
fn is_fixed(p: &Polynomial) -> bool {
    p.variables().iter().all(|v| Generator(*v).meaning().symbols().iter().all(|s| s.is_parameter()))
}

/// Whether something is known of the generators of p that its shape does not tell: functions have ranges, parameters facts.
fn has_more_than_shape(p: &Polynomial) -> bool {
    has_functions(p) || is_fixed(p)
}

/// What is known of a polynomial.
#[derive(Clone, Debug)]
struct Known {
    sign: Sign,
    /// If it has one sign: its real zeros are the common zeros of these.
    zeros: Option<Vec<Polynomial>>,
}

impl Known {
    const NOTHING: Known = Known { sign: Sign::ANY, zeros: None };

    fn sign(sign: Sign) -> Known {
        Known { sign, zeros: None }
    }

    fn is_one_sided(&self) -> bool {
        self.sign.is_nonnegative() || self.sign.is_nonpositive()
    }

    fn and(self, other: Known) -> Known {
        Known { sign: self.sign.and(other.sign), zeros: self.zeros.or(other.zeros) }
    }
}

/// The equations of a union: every product of one from each side.
fn union(cx: &Inquiry, a: &[Polynomial], b: &[Polynomial]) -> Budgeted<Vec<Polynomial>> {
    let mut products = Vec::with_capacity(a.len() * b.len());
    for x in a {
        for y in b {
            products.push(x.mul(cx, y)?);
        }
    }
    Ok(products)
}

/// How deep rules may be nested.
const DEPTH: u32 = 6;

/// A chain of more steps is not followed.
const MAX_STEPS: u32 = 400;

/// Longer polynomials are not looked at for their sign.
const MAX_TERMS: usize = 400;

/// Longer ones are not looked at by rules that ask for the signs of many parts, where the zeros are wanted.
const MAX_WIDE_TERMS: usize = 24;

/// The rules at work on one question.
pub(super) struct Reasoner {
    /// Primitive polynomials with their declared signs.
    facts: Vec<(Polynomial, Sign)>,
    steps: u32,
    /// Whether a polynomial of one sign is asked for its zeros; else only the sign counts.
    wants_zeros: bool,
}

impl Reasoner {
    /// For signs, with facts about polynomials.
    pub(super) fn knowing(facts: Vec<(Polynomial, Sign)>) -> Reasoner {
        Reasoner { facts, steps: 0, wants_zeros: false }
    }

    pub(super) fn sign(&mut self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Sign> {
        Ok(self.polynomial(cx, p, DEPTH)?.sign)
    }

    pub(super) fn generator(&mut self, cx: &Inquiry, g: Generator) -> Budgeted<Sign> {
        self.generator_within(cx, g, DEPTH)
    }

    fn polynomial(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        cx.check()?;
        self.steps += 1;
        if let Some(n) = p.as_constant() {
            let zeros = if n.is_zero() { vec![] } else { vec![Polynomial::one()] };
            return Ok(Known { sign: Sign::of_number(&n), zeros: Some(zeros) });
        }
        let content = Sign::of_number(&p.content());
        let monomial = p.monomial_content();
        if monomial.is_empty() {
            let found = self.primitive(cx, &p.primitive_part(), depth)?;
            return Ok(Known { sign: content.times(found.sign), ..found });
        }
        let (mut sign, mut radical) = (content, Polynomial::one());
        for &(g, n) in &monomial {
            let own = self.generator_within(cx, Generator(g), depth)?;
            sign = sign.times(own.power(i64::from(n)));
            if self.wants_zeros && own.can_be_zero {
                radical = radical.mul(cx, &Polynomial::variable(g))?;
            }
        }
        let rest = p.without_monomial(&monomial).primitive_part();
        let found = self.polynomial(cx, &rest, depth)?;
        let zeros = match self.wants_zeros && found.is_one_sided() {
            true => Some(union(cx, &[radical], &self.zeros_of(found.clone(), &rest))?),
            false => None,
        };
        Ok(Known { sign: sign.times(found.sign), zeros })
    }

    /// The zeros of a polynomial of one sign, by itself if there are no simpler equations.
    fn zeros_of(&self, known: Known, p: &Polynomial) -> Vec<Polynomial> {
        match (known.sign.can_be_zero, known.zeros) {
            (false, _) => vec![Polynomial::one()],
            (true, Some(zeros)) => zeros,
            (true, None) => vec![p.clone()],
        }
    }

    /// Whether nothing better is to be had.
    fn is_settled(&self, known: &Known) -> bool {
        known.sign.is_strict() || (self.wants_zeros && known.is_one_sided() && known.zeros.is_some())
    }

    /// The sign of a generator, also from facts that compare it with something: x > 0 where x > 1, or where x > y > 0.
    fn generator_within(&mut self, cx: &Inquiry, g: Generator, depth: u32) -> Budgeted<Sign> {
        let mut known = g.sign(cx);
        for (fact, sign) in self.facts.clone() {
            if known.is_strict() {
                break;
            }
            let [b, a] = &fact.coefficients_in(g.0)[..] else { continue };
            let Some(a) = a.as_constant() else { continue };
            let rest = match b.as_constant() {
                Some(b) => Sign::of_number(&b),
                None if depth > 0 && self.steps < MAX_STEPS => self.polynomial(cx, b, depth - 1)?.sign,
                None => continue,
            };
            // a·g = fact − b.
            known = known.and(sign.plus(rest.negate()).times(Sign::of_number(&a)));
        }
        Ok(known)
    }

    fn primitive(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let mut known = Known::NOTHING;
        for (fact, sign) in &self.facts {
            if fact == p {
                known.sign = known.sign.and(*sign);
            }
        }
        // A coefficient c − a of squares, where c > a is declared.
        if self.wants_zeros
            && is_fixed(p)
            && p.n_terms() <= MAX_WIDE_TERMS
            && p.variables().iter().any(|v| is_compared(cx, *v))
        {
            known.sign = known.sign.and(super::sign(cx, polynomial_expr(p)));
        }
        known = known.and(by_terms(cx, p, self.wants_zeros));
        let too_long = p.n_terms() > MAX_TERMS && !self.wants_zeros;
        if self.is_settled(&known) || depth == 0 || self.steps > MAX_STEPS || too_long {
            return Ok(known);
        }
        let is_wide = !self.wants_zeros || (p.n_terms() <= MAX_WIDE_TERMS && has_more_than_shape(p));
        type Rule = fn(&mut Reasoner, &Inquiry, &Polynomial, u32) -> Budgeted<Known>;
        // Whether the rule asks for the signs of many parts.
        let rules: [(bool, Rule); 10] = [
            (false, Reasoner::by_other_square),
            (true, Reasoner::by_fewer_angles),
            (true, Reasoner::by_bounds),
            (false, Reasoner::by_factors),
            (false, Reasoner::by_real_roots),
            (false, Reasoner::by_lines),
            (false, Reasoner::by_completed_square),
            (true, Reasoner::by_coefficients),
            (true, Reasoner::by_added_fact),
            (true, Reasoner::by_square_root),
        ];
        for (wide, rule) in rules {
            if wide && !is_wide {
                continue;
            }
            known = known.and(rule(self, cx, p, depth - 1)?);
            if self.is_settled(&known) {
                break;
            }
        }
        Ok(known)
    }

    /// sin² = 1 − cos²: normal forms prefer the sine, the terms may show their sign in the cosine.
    fn by_other_square(&mut self, cx: &Inquiry, p: &Polynomial, _: u32) -> Budgeted<Known> {
        let mut known = Known::NOTHING;
        for &v in p.variables() {
            if matches!(Generator(v).kind(), Kind::Sine(_))
                && !p.contains(v + 1)
                && let Some(other) = in_cosine(cx, p, v)?
            {
                known = known.and(by_terms(cx, &other, self.wants_zeros));
            }
        }
        Ok(known)
    }

    /// A function of angle differences only, written in them. Its zeros are not: they would be equations in other generators.
    fn by_fewer_angles(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        match on_fewer_angles(cx, p)? {
            Some(q) => Ok(Known::sign(self.polynomial(cx, &q, depth)?.sign)),
            None => Ok(Known::NOTHING),
        }
    }

    /// In one variable: of one sign if it has no root where the variable may be.
    fn by_real_roots(&mut self, cx: &Inquiry, p: &Polynomial, _: u32) -> Budgeted<Known> {
        let &[v] = p.variables() else { return Ok(Known::NOTHING) };
        if p.degree_in(v) > 40 {
            return Ok(Known::NOTHING);
        }
        let range = Generator(v).sign(cx);
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        let bounded = matches!(Generator(v).kind(), Kind::Sine(_) | Kind::Cosine(_));
        let low = if range.is_nonnegative() { Some(zero.clone()) } else { bounded.then_some(-&one) };
        let high = if range.is_nonpositive() { Some(zero.clone()) } else { bounded.then_some(one) };
        // The lower end is not counted: it is looked at by itself.
        let inside = low.clone().unwrap_or(zero);
        let Some(value) = p.evaluate_at(cx, &[(v, inside)])? else { return Ok(Known::NOTHING) };
        if value.is_zero() || count_real_roots(cx, p, low.as_ref(), high.as_ref())? > 0 {
            return Ok(Known::NOTHING);
        }
        Ok(Known::sign(Sign::of_number(&value)))
    }

    /// A form in two variables whose other coefficients are numbers: it vanishes at the origin only if p(x, 1) has no root and
    /// its leading coefficient is not zero.
    fn by_lines(&mut self, cx: &Inquiry, p: &Polynomial, _: u32) -> Budgeted<Known> {
        let &[x, y] = p.variables() else { return Ok(Known::NOTHING) };
        let degree = p.total_degree();
        let is_form = p.terms().all(|(m, _)| m.iter().map(|(_, n)| u64::from(*n)).sum::<u64>() == degree);
        let has_relation = |v: u32| Generator(v).relation().is_some();
        if !is_form || degree % 2 == 1 || u64::from(p.degree_in(x)) < degree || has_relation(x) || has_relation(y) {
            return Ok(Known::NOTHING);
        }
        let on_a_line = p.evaluate(cx, &[(y, Rational::ONE)])?;
        if count_real_roots(cx, &on_a_line, None, None)? > 0 {
            return Ok(Known::NOTHING);
        }
        let strict = Sign::of_number(&on_a_line.constant_term());
        let can_be_zero = Generator(x).sign(cx).can_be_zero && Generator(y).sign(cx).can_be_zero;
        let zeros = vec![Polynomial::variable(x), Polynomial::variable(y)];
        Ok(Known { sign: Sign { can_be_zero, ..strict }, zeros: Some(zeros) })
    }

    /// Linear in a sine or cosine whose partner does not occur: between the values at −1 and 1.
    fn by_bounds(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        for &v in p.variables() {
            let partner = match Generator(v).kind() {
                Kind::Sine(_) => v + 1,
                Kind::Cosine(_) => v - 1,
                _ => continue,
            };
            if p.degree_in(v) != 1 || p.contains(partner) {
                continue;
            }
            let low = self.polynomial(cx, &p.evaluate(cx, &[(v, Rational::MINUS_ONE)])?, depth)?.sign;
            let high = self.polynomial(cx, &p.evaluate(cx, &[(v, Rational::ONE)])?, depth)?.sign;
            // A convex combination of the two.
            return Ok(Known::sign(Sign {
                can_be_negative: low.can_be_negative || high.can_be_negative,
                can_be_zero: low.can_be_zero
                    || high.can_be_zero
                    || ((low.can_be_negative || high.can_be_negative) && (low.can_be_positive || high.can_be_positive)),
                can_be_positive: low.can_be_positive || high.can_be_positive,
            }));
        }
        Ok(Known::NOTHING)
    }

    fn by_factors(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let factors = factor_once(cx, p);
        if factors.factors.len() == 1 && factors.factors[0].1 == 1 {
            return Ok(Known::NOTHING);
        }
        let mut sign = Sign::of_number(&factors.unit);
        let mut zeros = self.wants_zeros.then(|| vec![Polynomial::one()]);
        for (q, n) in &factors.factors {
            let own = self.polynomial(cx, q, depth)?;
            sign = sign.times(own.sign.power(i64::from(*n)));
            if let Some(before) = zeros.take()
                && (own.is_one_sided() || n % 2 == 0)
            {
                let here = if own.is_one_sided() { self.zeros_of(own, q) } else { vec![q.clone()] };
                zeros = Some(union(cx, &before, &here)?);
            }
        }
        Ok(Known { sign, zeros })
    }

    /// p = a y² + b y + c with a power y = xᵏ; 4a·p = (2ay + b)² + (4ac − b²).
    fn by_completed_square(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let quadratic =
            |v: &u32| quadratic_in(p, *v).map(|parts| (!parts[2].is_constant(), p.degree_in(*v), *v, parts));
        let mut candidates: Vec<(bool, u32, u32, [Polynomial; 3])> =
            p.variables().iter().filter_map(quadratic).collect();
        candidates.sort_by_key(|(is_open, degree, v, _)| (*is_open, *degree, *v));
        let mut known = Known::NOTHING;
        for (_, degree, v, [c, b, a]) in candidates {
            let leading = self.polynomial(cx, &a, depth)?.sign;
            if !leading.is_strict() {
                continue;
            }
            let rest = reduce(cx, &a.mul(cx, &c)?.scale(&Rational::from(4)) - &b.square(cx)?)?;
            let below = self.polynomial(cx, &rest, depth)?;
            if !below.sign.is_nonnegative() {
                continue;
            }
            let sign = Sign { can_be_zero: below.sign.can_be_zero, ..leading };
            let mut found = Known::sign(sign);
            if self.wants_zeros && sign.can_be_zero {
                let square = &a.mul(cx, &Polynomial::power(v, degree / 2))?.scale(&Rational::from(2)) + &b;
                let mut zeros = vec![square];
                zeros.extend(self.zeros_of(below, &rest));
                found.zeros = Some(zeros);
            }
            known = known.and(found);
            if self.is_settled(&known) {
                break;
            }
        }
        Ok(known)
    }

    /// p = Σ cₖ vᵏ with the sign of v, or of its powers, known.
    fn by_coefficients(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let mut known = Known::NOTHING;
        for &v in p.variables() {
            let sign_of_v = Generator(v).sign(cx);
            let parts = p.coefficients_in(v);
            let even = parts.iter().skip(1).step_by(2).all(Polynomial::is_zero);
            if !even && !sign_of_v.is_nonnegative() && !sign_of_v.is_nonpositive() {
                continue;
            }
            let (mut sum, mut zeros) = (Sign::ZERO, self.wants_zeros.then(Vec::new));
            for (k, c) in parts.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
                let power = if k == 0 { Sign::POSITIVE } else { sign_of_v.power(k as i64) };
                let own = self.polynomial(cx, c, depth)?;
                sum = sum.plus(own.sign.times(power));
                if sum == Sign::ANY {
                    break;
                }
                if let Some(all) = &mut zeros {
                    let variable = if power.can_be_zero { Polynomial::variable(v) } else { Polynomial::one() };
                    all.extend(union(cx, &[variable], &self.zeros_of(own, c))?);
                }
            }
            // A sum of parts of one sign vanishes where all of them do.
            let found = Known { sign: sum, zeros };
            known = known.and(if found.is_one_sided() { found } else { Known::sign(sum) });
            if self.is_settled(&known) {
                break;
            }
        }
        Ok(known)
    }

    /// p = a + b√w: which of |a| and |b|√w is larger says whose sign it has.
    fn by_square_root(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let mut found = Sign::ANY;
        for &v in p.variables() {
            let Kind::Root { degree: 2, radicand, .. } = Generator(v).kind() else { continue };
            if p.degree_in(v) != 1 {
                continue;
            }
            let (a, b) = (p.coefficient_in(v, 0), p.coefficient_in(v, 1));
            let norm = reduce(cx, &a.square(cx)? - &b.square(cx)?.mul(cx, &radicand)?)?;
            let larger = self.polynomial(cx, &norm, depth)?.sign;
            if larger.is_negative() {
                found = found.and(self.polynomial(cx, &b, depth)?.sign.and(Sign::NONZERO));
            } else if larger.is_positive() {
                found = found.and(self.polynomial(cx, &a, depth)?.sign.and(Sign::NONZERO));
            }
        }
        Ok(Known::sign(found))
    }

    /// p = λ·fact + rest.
    fn by_added_fact(&mut self, cx: &Inquiry, p: &Polynomial, depth: u32) -> Budgeted<Known> {
        let mut found = Sign::ANY;
        for (fact, sign) in self.facts.clone() {
            for (monomial, c) in fact.terms() {
                let Some((_, mine)) = p.terms().find(|(m, _)| *m == monomial) else { continue };
                let lambda = &mine / &c;
                let rest = p - &fact.scale(&lambda);
                if rest.as_constant().is_none() && rest.n_terms() >= p.n_terms() {
                    continue;
                }
                let rest = self.polynomial(cx, &rest, depth)?.sign;
                found = found.and(sign.times(Sign::of_number(&lambda)).plus(rest));
            }
        }
        Ok(Known::sign(found))
    }
}

/// c + by + ay² with a power y of the variable, which has no relation of its own.
fn quadratic_in(p: &Polynomial, v: u32) -> Option<[Polynomial; 3]> {
    let degree = p.degree_in(v) as usize;
    if degree == 0 || degree % 2 == 1 || Generator(v).relation().is_some() {
        return None;
    }
    let parts = p.coefficients_in(v);
    let is_quadratic = parts.iter().enumerate().all(|(k, c)| k % (degree / 2) == 0 || c.is_zero());
    is_quadratic.then(|| [parts[0].clone(), parts[degree / 2].clone(), parts[degree].clone()])
}

/// The sum of the signs of the terms; if they are all of one sign it vanishes where each of them does.
fn by_terms(cx: &Inquiry, p: &Polynomial, wants_zeros: bool) -> Known {
    let (mut sum, mut zeros) = (Sign::ZERO, vec![]);
    for (monomial, c) in p.terms() {
        sum = sum.plus(Sign::of_number(&c).times(monomial_sign(cx, &monomial)));
        if sum == Sign::ANY {
            return Known::NOTHING;
        }
        if wants_zeros {
            let radical = monomial.iter().filter(|(v, _)| Generator(*v).sign(cx).can_be_zero).map(|(v, _)| (*v, 1));
            zeros.push(Polynomial::from_terms([(radical.collect::<Monomial>(), Rational::ONE)]));
        }
    }
    let known = Known { sign: sum, zeros: wants_zeros.then_some(zeros) };
    if known.is_one_sided() { known } else { Known::sign(sum) }
}
