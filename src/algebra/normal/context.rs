//! What must be known about a whole expression before its parts can be read: the [`Context`].
//!
//! - Common denominators of the multiples of each angle, exponent and radicand.
//! - A basis of the angles, where they are few: of cos(a − b) alone, a − b is the angle, and 1 − cos²(a − b) is a
//!   square; beside sin a and sin b it is expanded.
//! - The domain: signs that hold wherever the expression is defined.
//!
//! All are collected bottom-up, each node once.

use super::angle::{angle_basis, without_pi};
use super::power::power_parts;
use super::read::{
    canonical, canonical_of_prepared, is_rational, new_tag, normal_form_in, prepare, transparent_children, with_memo,
};
use super::write::{polynomial_expr, powers_expr};
use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::expr::{Expr, Node};
use crate::algebra::function::Elementary::{Abs, Cbrt, Exp, Log};
use crate::algebra::function::Reading;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::lcm;
use crate::budget::Budgeted;
use smallvec::SmallVec;
use std::rc::Rc;

/// The common denominators in which multiples of angles, exponents and powers of radicands are
/// counted. Two forms may be added or compared only if they were read in the same context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context(pub(super) u32);

#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct ContextData {
    /// Sorted. What is not listed is counted in its own denominator.
    pub(super) denominators: Vec<(Atom, u32)>,
    /// Not empty if the angles that occur span fewer dimensions than their monomials: then they are counted
    /// in these combinations of monomials. cos(a − b) alone is the cosine of one angle.
    pub(super) angles: Vec<(Expr, Parts)>,
    /// Where the expression is defined.
    pub(super) domain: Domain,
    /// Write sinh and cosh by exponentials, because exponentials occur beside them.
    pub(super) hyperbolic_by_exponential: bool,
    /// Also use rules that make forms comparable but longer: min and max by absolute values, cases by
    /// indicators, acos by asin, atanh by log.
    pub(super) strong: bool,
}

/// A set of signs that hold wherever the expression is defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Domain(pub(super) u32);

/// By expression.
pub(super) type Signs = Vec<(Expr, Sign)>;

/// What is counted in multiples or fractions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Atom {
    pub(super) family: Family,
    pub(super) of: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Family {
    Angle,
    Hyperbolic,
    Exponent,
    Root,
}

/// What an expression asks of its context.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Needs {
    /// Sorted: the common denominator of an atom, and whether all occurrences had exactly it.
    pub(super) denominators: Vec<(Atom, u32, bool)>,
    /// The angles of sines and cosines, without multiples of π, up to [`MAX_ANGLES`] + 1 of them.
    pub(super) angles: Vec<Parts>,
    pub(super) exponential: bool,
    pub(super) hyperbolic: bool,
}

/// A sum Σ rᵢaᵢ with aᵢ distinct monomials.
pub(super) type Parts = Rc<[(Expr, Rational)]>;

/// With more angles than this no basis is sought.
pub(super) const MAX_ANGLES: usize = 32;
/// Above this many summands an angle or an exponent is not split.
pub(super) const MAX_PARTS: usize = 10;

impl Context {
    /// The smallest context in which all the expressions can be read together.
    pub fn of(cx: &Inquiry, roots: &[Expr]) -> Budgeted<Context> {
        if roots.iter().all(|r| is_rational(*r)) {
            return Ok(Context(0));
        }
        prepare(cx, roots)?;
        let mut domain = Domain::default();
        for &root in roots {
            domain = domain.and(cx, domain_of(cx, root)?);
        }
        let mut all = None;
        for &root in roots {
            all = join(all, needs(cx, root, domain)?);
        }
        let needs = match all {
            None if domain == Domain::default() => return Ok(Context(0)),
            all => all.unwrap_or_default(),
        };
        let mut denominators: Vec<(Atom, u32)> = needs
            .denominators
            .iter()
            .filter(|(atom, d, uniform)| !uniform || (atom.family != Family::Root && *d > 1))
            .map(|(atom, d, _)| (*atom, *d))
            .collect();
        let angles = angle_basis(&needs.angles, &mut denominators);
        Ok(Context::intern(
            cx,
            ContextData {
                denominators,
                angles,
                domain,
                hyperbolic_by_exponential: needs.exponential && needs.hyperbolic,
                strong: false,
            },
        ))
    }

    /// The same context with the rules that only a zero test wants.
    pub fn strengthened(self, cx: &Inquiry) -> Context {
        Context::intern(cx, ContextData { strong: true, ..(*self.data(cx)).clone() })
    }

    pub(super) fn intern(cx: &Inquiry, data: ContextData) -> Context {
        with_memo(cx, |memo| {
            if let Some(&known) = memo.context_ids.get(&data) {
                return known;
            }
            let context = Context(memo.contexts.len() as u32);
            let data = Rc::new(data);
            memo.contexts.push((data.clone(), new_tag()));
            memo.context_ids.insert(data, context);
            context
        })
    }

    pub(super) fn data(self, cx: &Inquiry) -> Rc<ContextData> {
        with_memo(cx, |memo| memo.contexts[self.0 as usize].0.clone())
    }

    /// What is known about a sign, on the domain.
    pub(super) fn sign(self, cx: &Inquiry, e: Expr) -> Sign {
        self.data(cx).domain.sign(cx, e)
    }

    /// A tag for generators whose relation depends on the context.
    pub(super) fn tag(self, cx: &Inquiry) -> u32 {
        with_memo(cx, |memo| memo.contexts[self.0 as usize].1)
    }
}

// ---------------------------------------------------------------------------------------------
// Where an expression is defined
// ---------------------------------------------------------------------------------------------

impl Domain {
    pub(super) fn signs(self, cx: &Inquiry) -> Rc<Signs> {
        with_memo(cx, |memo| memo.domains[self.0 as usize].clone())
    }

    pub(super) fn intern(cx: &Inquiry, signs: Signs) -> Domain {
        with_memo(cx, |memo| {
            let known = memo.domains.iter().position(|s| **s == signs);
            Domain(known.unwrap_or_else(|| {
                memo.domains.push(Rc::new(signs));
                memo.domains.len() - 1
            }) as u32)
        })
    }

    pub(super) fn and(self, cx: &Inquiry, other: Domain) -> Domain {
        if self == other || other == Domain::default() {
            return self;
        }
        if self == Domain::default() {
            return other;
        }
        let mut joined: Signs = (*self.signs(cx)).clone();
        for (e, sign) in other.signs(cx).iter() {
            match joined.binary_search_by_key(e, |s| s.0) {
                Ok(i) => joined[i].1 = joined[i].1.and(*sign),
                Err(i) => joined.insert(i, (*e, *sign)),
            }
        }
        Domain::intern(cx, joined)
    }

    pub(super) fn sign(self, cx: &Inquiry, e: Expr) -> Sign {
        let known = sign_of(cx, e);
        if self == Domain::default() {
            return known;
        }
        let signs = self.signs(cx);
        signs.binary_search_by_key(&e, |s| s.0).map_or(known, |i| known.and(signs[i].1))
    }

    /// |e|, written without bars where the sign is known.
    pub(super) fn size(self, cx: &Inquiry, e: Expr) -> Expr {
        let sign = self.sign(cx, e);
        if sign.is_nonnegative() {
            e
        } else if sign.is_nonpositive() {
            -e
        } else {
            Expr::apply(Abs, &[e])
        }
    }
}

pub(super) fn domain_of(cx: &Inquiry, root: Expr) -> Budgeted<Domain> {
    let known = |x: Expr| with_memo(cx, |memo| memo.domain_of.get(&x).copied());
    if let Some(found) = known(root) {
        return Ok(found);
    }
    let mut stack = vec![root];
    while let Some(&x) = stack.last() {
        if known(x).is_some() {
            stack.pop();
            continue;
        }
        let before = stack.len();
        stack.extend(domain_children(x).into_iter().filter(|c| known(*c).is_none()));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let mut domain = own_domain(cx, x)?;
        for c in domain_children(x) {
            domain = domain.and(cx, known(c).unwrap_or_default());
        }
        with_memo(cx, |memo| memo.domain_of.insert(x, domain));
    }
    Ok(known(root).unwrap_or_default())
}

/// The children without whose value the node has none; of cases only the condition is always evaluated, and
/// what stands under an integral has no single value.
pub(super) fn domain_children(e: Expr) -> SmallVec<[Expr; 8]> {
    match e.node() {
        Node::Piecewise { condition, .. } => SmallVec::from_slice(&[condition.left]),
        Node::Integral { .. } => SmallVec::new(),
        _ => e.children(),
    }
}

/// What must hold for this node to have a value, apart from its transparent children.
pub(super) fn own_domain(cx: &Inquiry, e: Expr) -> Budgeted<Domain> {
    let mut signs: Signs = Vec::new();
    match e.node() {
        Node::Apply(Log, u) => signs.extend(implied_sign(cx, u[0], true)?),
        Node::Power(base, _) => signs.extend(implied_sign(cx, *base, true)?),
        Node::Product(factors) => {
            for (b, r) in factors.iter().filter(|(_, r)| !r.is_integer()) {
                signs.extend(implied_sign(cx, *b, r.is_negative())?);
            }
        }
        _ => {}
    }
    if signs.is_empty() {
        return Ok(Domain::default());
    }
    signs.sort_by_key(|s| s.0);
    signs.dedup_by(|a, b| a.0 == b.0);
    Ok(Domain::intern(cx, signs))
}

/// u ≥ 0 (or u > 0) says something about a sign if u has one factor of unknown sign.
pub(super) fn implied_sign(cx: &Inquiry, u: Expr, strict: bool) -> Budgeted<Option<(Expr, Sign)>> {
    prepare(cx, &[u])?;
    let form = normal_form_in(cx, Context::of(cx, &[u])?, u)?.cancel(cx)?;
    if form.as_undefined().is_some() || form.is_zero() {
        return Ok(None);
    }
    let mut negative = form.coefficient().is_negative();
    let mut open = None;
    let powers = form.powers().map(|(g, n)| (g.meaning(), g.sign(cx), n));
    let factors = form.factors().iter().map(|(p, n)| {
        let e = polynomial_expr(p);
        (e, sign_of(cx, e), *n)
    });
    for (e, sign, n) in powers.chain(factors).filter(|(_, _, n)| n % 2 != 0) {
        if sign.is_nonpositive() {
            negative = !negative;
        } else if !sign.is_nonnegative() {
            if open.is_some() {
                return Ok(None);
            }
            open = Some((e, n));
        }
    }
    Ok(open.map(|(e, n)| {
        let sign = if strict || n < 0 { Sign::POSITIVE } else { Sign::NONNEGATIVE };
        (e, if negative { sign.negate() } else { sign })
    }))
}

// ---------------------------------------------------------------------------------------------
// What an expression needs
// ---------------------------------------------------------------------------------------------

pub(super) fn needs(cx: &Inquiry, root: Expr, domain: Domain) -> Budgeted<Option<Rc<Needs>>> {
    let known = |x: Expr| with_memo(cx, |memo| memo.needs.get(&(x, domain)).cloned());
    if let Some(found) = known(root) {
        return Ok(found);
    }
    let mut stack = vec![root];
    while let Some(&x) = stack.last() {
        if known(x).is_some() {
            stack.pop();
            continue;
        }
        let before = stack.len();
        stack.extend(transparent_children(x).filter(|c| known(*c).is_none()));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let mut all = own_needs(cx, x, domain)?;
        for c in transparent_children(x) {
            all = join(all, known(c).flatten());
        }
        with_memo(cx, |memo| memo.needs.insert((x, domain), all));
    }
    Ok(known(root).flatten())
}

pub(super) fn join(a: Option<Rc<Needs>>, b: Option<Rc<Needs>>) -> Option<Rc<Needs>> {
    let (a, b) = match (a, b) {
        (None, x) | (x, None) => return x,
        (Some(a), Some(b)) => (a, b),
    };
    if Rc::ptr_eq(&a, &b) || a == b {
        return Some(a);
    }
    let mut joined = (*a).clone();
    for angle in &b.angles {
        joined.require_angle(angle);
    }
    joined.exponential |= b.exponential;
    joined.hyperbolic |= b.hyperbolic;
    for (atom, d, uniform) in &b.denominators {
        joined.require(*atom, *d, *uniform);
    }
    Some(Rc::new(joined))
}

impl Needs {
    pub(super) fn require(&mut self, atom: Atom, denominator: u32, uniform: bool) {
        match self.denominators.binary_search_by_key(&atom, |n| n.0) {
            Ok(i) => {
                let (_, d, all) = &mut self.denominators[i];
                if *d != denominator || !uniform {
                    *all = false;
                    *d = common_multiple(*d, denominator);
                }
            }
            Err(i) => self.denominators.insert(i, (atom, denominator, uniform)),
        }
    }

    pub(super) fn require_angle(&mut self, angle: &Parts) {
        if self.angles.len() <= MAX_ANGLES && !self.angles.contains(angle) {
            self.angles.push(angle.clone());
        }
    }

    pub(super) fn require_rational(&mut self, family: Family, of: Expr, r: &Rational) {
        let d = r.denominator().to_i64().and_then(|d| u32::try_from(d).ok()).unwrap_or(0);
        if (1..=64).contains(&d) && (family == Family::Root || d > 1) {
            self.require(Atom { family, of }, d, true);
        }
    }
}

/// Denominators above this are not unified: each is counted on its own.
pub(super) const MAX_DENOMINATOR: i64 = 64;

pub(super) fn common_multiple(a: u32, b: u32) -> u32 {
    let m = lcm(&Integer::from(i64::from(a)), &Integer::from(i64::from(b))).to_i64();
    m.filter(|&m| m <= MAX_DENOMINATOR).map_or(a, |m| m as u32)
}

/// What a node asks apart from its transparent children.
pub(super) fn own_needs(cx: &Inquiry, e: Expr, domain: Domain) -> Budgeted<Option<Rc<Needs>>> {
    let mut own = Needs::default();
    match e.node() {
        Node::Apply(f, u) if matches!(f.row().reading, Reading::Circular(_)) => {
            let split = parts(cx, canonical_of_prepared(cx, u[0])?)?;
            for (a, r) in split.iter() {
                own.require_rational(Family::Angle, *a, r);
            }
            own.require_angle(&without_pi(&split));
        }
        Node::Apply(f, u) if matches!(f.row().reading, Reading::Hyperbolic(_)) => {
            own.hyperbolic = true;
            for (a, r) in parts(cx, canonical_of_prepared(cx, u[0])?)?.iter() {
                own.require_rational(Family::Hyperbolic, *a, r);
                own.require_rational(Family::Exponent, *a, r);
            }
        }
        Node::Apply(Exp, u) => {
            own.exponential = true;
            exponential_needs(cx, canonical_of_prepared(cx, u[0])?, domain, &mut own)?;
        }
        Node::Power(base, exponent) => {
            own.exponential = true;
            exponential_needs(cx, canonical(cx, power_exponent(*base, *exponent))?, domain, &mut own)?;
        }
        // A real root of e^u is e^(u/3).
        Node::Apply(Cbrt, u) => fraction_needs(cx, u[0], &Rational::ratio(1, 3), domain, &mut own)?,
        Node::Product(factors) => {
            for (b, r) in factors.iter().filter(|(_, r)| !r.is_integer()) {
                fraction_needs(cx, *b, r, domain, &mut own)?;
            }
        }
        _ => {}
    }
    let empty = own.denominators.is_empty() && own.angles.is_empty() && !own.exponential && !own.hyperbolic;
    Ok((!empty).then(|| Rc::new(own)))
}

/// What b^r asks for a fractional r.
fn fraction_needs(cx: &Inquiry, b: Expr, r: &Rational, domain: Domain, own: &mut Needs) -> Budgeted<()> {
    let parts = power_parts(cx, b, r, domain)?;
    for (base, r) in &parts.roots {
        own.require_rational(Family::Root, *base, r);
    }
    if !parts.exponent.is_zero() {
        own.exponential = true;
        exponential_needs(cx, canonical(cx, parts.exponent)?, domain, own)?;
    }
    Ok(())
}

pub(super) fn exponential_needs(cx: &Inquiry, argument: Expr, domain: Domain, own: &mut Needs) -> Budgeted<()> {
    for (a, r) in parts(cx, argument)?.iter() {
        match logarithm_of(*a) {
            Some(u) => {
                for (base, r) in &power_parts(cx, u, r, domain)?.roots {
                    own.require_rational(Family::Root, *base, r);
                }
            }
            None => own.require_rational(Family::Exponent, *a, r),
        }
    }
    Ok(())
}

/// x·log b, the exponent of b^x.
pub(super) fn power_exponent(base: Expr, exponent: Expr) -> Expr {
    exponent * Expr::apply(Log, &[base])
}

pub(super) fn logarithm_of(e: Expr) -> Option<Expr> {
    match e.node() {
        Node::Apply(Log, u) => Some(u[0]),
        _ => None,
    }
}

/// The canonical argument as Σ rᵢaᵢ with distinct monomials aᵢ.
pub(super) fn parts(cx: &Inquiry, argument: Expr) -> Budgeted<Parts> {
    if let Some(known) = with_memo(cx, |memo| memo.parts.get(&argument).cloned()) {
        return Ok(known);
    }
    let context = Context::of(cx, &[argument])?;
    let form = normal_form_in(cx, context, argument)?;
    let whole = || -> Parts {
        let content = form.coefficient().clone();
        match content.recip() {
            Some(inverse) => Rc::new([(form.scale(cx, &inverse).to_expr(cx), content)]),
            None => Rc::new([]),
        }
    };
    let split = if form.as_undefined().is_some() {
        Rc::new([(argument, Rational::ONE)])
    } else if let Ok((n, d)) = form.fraction(cx)
        && n.n_terms() <= MAX_PARTS
    {
        let below = polynomial_expr(&d).pow(-1);
        n.terms().map(|(m, c)| (powers_expr(m.iter().map(|&(g, e)| (g, i64::from(e)))) * below, c)).collect()
    } else {
        whole()
    };
    with_memo(cx, |memo| memo.parts.insert(argument, split.clone()));
    Ok(split)
}

/// The denominator in which multiples of an atom are counted, given one multiple.
pub(super) fn denominator(cx: &Inquiry, context: Context, family: Family, of: Expr, r: &Rational) -> Integer {
    let data = context.data(cx);
    let atom = Atom { family, of };
    let own = r.denominator();
    match data.denominators.binary_search_by_key(&atom, |d| d.0) {
        Ok(i) => {
            let d = Integer::from(i64::from(data.denominators[i].1));
            if d.div_exact(own).is_some() { d } else { own.clone() }
        }
        Err(_) => own.clone(),
    }
}
