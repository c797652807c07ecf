//! Reading an expression into its normal form.
//!
//! Sums, products and whole powers are read through. A function application becomes generators,
//! after its argument has been brought to canonical form and split:
//!
//! ```text
//! sin(r₁a₁ + r₂a₂ + …)   angle addition; sin, cos of rᵢaᵢ are polynomials in those of aᵢ/D     (cosh likewise)
//! exp(r₁a₁ + r₂a₂ + …)   Π exp(aᵢ/D)^(rᵢD);   exp(r·log u) = u^r
//! log(c·Π fᵐ)            log|c| + Σ m·log|f|: on the domain the argument is its own absolute value
//! (c·Π fᵐ)^r             factors of known sign apart, f^(2k) as |f|^(2kr), the rest together under one root
//! |c·Π fᵐ|               |c|·Π |f|ᵐ;   sign u = |u|/u where u ≠ 0
//! tan u = sin u/cos u;   b^x = exp(x·log b)
//! ```
//!
//! Here aᵢ are the monomials of the argument and D is a common denominator of all multiples of aᵢ that
//! occur: sin x beside sin(x/2) is read over the base angle x/2, sin x alone over x. The same goes for
//! exponents and for roots. Which D is needed is the [`Context`]; forms that are to be combined are
//! read in one context.
//!
//! An expression speaks of its domain only: where √x or log x occurs, x ≥ 0 or x > 0 is a fact for the
//! whole of it, and √x·√y = √(xy) holds there though it does not hold for √(xy) alone. These facts
//! belong to the context too.

use super::NormalForm;
use super::write::{polynomial_expr, powers_expr};
use crate::algebra::antiderivative::unit_integral;
use crate::algebra::assume::{self, Sign, sign_of};
use crate::algebra::expr::{Condition, Expr, Node, Relation, Undefined, post_order};
use crate::algebra::factor::squarefree;
use crate::algebra::function::Elementary::{self, *};
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::{Polynomial, lcm};
use crate::algebra::substitute::substitute;
use crate::algebra::symbol::Symbol;
use crate::budget::{Budgeted, Exhausted, check};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// The common denominators in which multiples of angles, exponents and powers of radicands are
/// counted. Two forms may be added or compared only if they were read in the same context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context(u32);

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct ContextData {
    /// Sorted. What is not listed is counted in its own denominator.
    denominators: Vec<(Atom, u32)>,
    /// Where the expression is defined.
    domain: Domain,
    /// Write sinh and cosh by exponentials, because exponentials occur beside them.
    hyperbolic_by_exponential: bool,
    /// Also use rules that make forms comparable but longer: min and max by absolute values, cases by
    /// indicators, acos by asin, atanh by log.
    strong: bool,
}

/// A set of signs that hold wherever the expression is defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Domain(u32);

/// By expression.
type Signs = Vec<(Expr, Sign)>;

/// What is counted in multiples or fractions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Atom {
    family: Family,
    of: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Family {
    Angle,
    Hyperbolic,
    Exponent,
    Root,
}

/// What an expression asks of its context.
#[derive(Clone, Default, PartialEq)]
struct Needs {
    /// Sorted: the common denominator of an atom, and whether all occurrences had exactly it.
    denominators: Vec<(Atom, u32, bool)>,
    exponential: bool,
    hyperbolic: bool,
}

/// A sum Σ rᵢaᵢ with aᵢ distinct monomials.
type Parts = Rc<[(Expr, Rational)]>;

/// b^r taken apart: coefficient · exp(exponent) · Π baseᵉ, every base nonnegative on the domain.
#[derive(Clone)]
struct PowerParts {
    coefficient: Rational,
    exponent: Expr,
    roots: Vec<(Expr, Rational)>,
    undefined: Option<Undefined>,
}

#[derive(Default)]
struct Memo {
    epoch: u64,
    contexts: Vec<Rc<ContextData>>,
    context_ids: FxHashMap<Rc<ContextData>, Context>,
    forms: FxHashMap<(Expr, Context), Budgeted<Rc<NormalForm>>>,
    canonical: FxHashMap<Expr, Expr>,
    prepared: FxHashSet<Expr>,
    /// By age: 0 not yet known, 1 a rational function of symbols, 2 not.
    rational: Vec<u8>,
    parts: FxHashMap<Expr, Parts>,
    powers: FxHashMap<(Expr, Rational, Domain), Rc<PowerParts>>,
    needs: FxHashMap<(Expr, Domain), Option<Rc<Needs>>>,
    domains: Vec<Rc<Signs>>,
    domain_of: FxHashMap<Expr, Domain>,
    bound: Vec<Symbol>,
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

/// Forgets what was computed under other assumptions.
fn with_memo<T>(work: impl FnOnce(&mut Memo) -> T) -> T {
    MEMO.with_borrow_mut(|memo| {
        let epoch = assume::epoch();
        if memo.epoch != epoch || memo.contexts.is_empty() {
            let old = std::mem::take(memo);
            *memo = Memo {
                epoch,
                contexts: old.contexts,
                context_ids: old.context_ids,
                domains: old.domains,
                rational: old.rational,
                bound: old.bound,
                ..Memo::default()
            };
            if memo.contexts.is_empty() {
                let default: Rc<ContextData> = Rc::default();
                memo.contexts.push(default.clone());
                memo.context_ids.insert(default, Context(0));
                memo.domains.push(Rc::default());
            }
        }
        work(memo)
    })
}

/// Above this many summands an angle or an exponent is not split.
const MAX_PARTS: usize = 10;
/// Above this multiple an angle is not expanded.
const MAX_MULTIPLE: i64 = 64;

impl Context {
    /// The smallest context in which all the expressions can be read together.
    pub fn of(roots: &[Expr]) -> Budgeted<Context> {
        if roots.iter().all(|r| is_rational(*r)) {
            return Ok(Context(0));
        }
        prepare(roots)?;
        let mut domain = Domain::default();
        for &root in roots {
            domain = domain.and(domain_of(root)?);
        }
        let mut all = None;
        for &root in roots {
            all = join(all, needs(root, domain)?);
        }
        let needs = match all {
            None if domain == Domain::default() => return Ok(Context(0)),
            all => all.unwrap_or_default(),
        };
        let denominators = needs.denominators.iter();
        Ok(Context::intern(ContextData {
            denominators: denominators
                .filter(|(atom, d, uniform)| !uniform || (atom.family != Family::Root && *d > 1))
                .map(|(atom, d, _)| (*atom, *d))
                .collect(),
            domain,
            hyperbolic_by_exponential: needs.exponential && needs.hyperbolic,
            strong: false,
        }))
    }

    /// The same context with the rules that only a zero test wants.
    pub fn strengthened(self) -> Context {
        Context::intern(ContextData { strong: true, ..(*self.data()).clone() })
    }

    fn intern(data: ContextData) -> Context {
        with_memo(|memo| {
            if let Some(&known) = memo.context_ids.get(&data) {
                return known;
            }
            let context = Context(memo.contexts.len() as u32);
            let data = Rc::new(data);
            memo.contexts.push(data.clone());
            memo.context_ids.insert(data, context);
            context
        })
    }

    fn data(self) -> Rc<ContextData> {
        with_memo(|memo| memo.contexts[self.0 as usize].clone())
    }

    /// What is known about a sign, on the domain.
    fn sign(self, e: Expr) -> Sign {
        self.data().domain.sign(e)
    }

    /// A tag for generators whose relation depends on the context.
    fn tag(self) -> u32 {
        self.0
    }
}

/// The normal form of an expression in the smallest context that serves it.
pub fn normal_form(e: Expr) -> Budgeted<Rc<NormalForm>> {
    let context = Context::of(&[e])?;
    normal_form_in(context, e)
}

/// The normal form in a given context.
pub fn normal_form_in(context: Context, e: Expr) -> Budgeted<Rc<NormalForm>> {
    let known = |x: Expr| with_memo(|memo| memo.forms.get(&(x, context)).cloned());
    if let Some(form) = known(e) {
        return form;
    }
    let mut stack = vec![e];
    while let Some(&x) = stack.last() {
        check()?;
        let before = stack.len();
        let done = with_memo(|memo| {
            if memo.forms.contains_key(&(x, context)) {
                return true;
            }
            stack.extend(transparent_children(x).filter(|c| !memo.forms.contains_key(&(*c, context))));
            false
        });
        if done {
            stack.pop();
            continue;
        }
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let form = read_node(context, x).map(Rc::new);
        if matches!(form, Err(Exhausted::Time | Exhausted::Interrupted)) {
            return form;
        }
        with_memo(|memo| memo.forms.insert((x, context), form));
    }
    known(e).unwrap_or(Err(Exhausted::Size))
}

/// The canonical expression equal to `e`: the quotient of its expanded, coprime numerator and
/// denominator. Equal arguments of functions must become the same node, and do so here.
pub fn canonical(e: Expr) -> Budgeted<Expr> {
    prepare(&[e])?;
    canonical_of_prepared(e)
}

fn canonical_of_prepared(e: Expr) -> Budgeted<Expr> {
    if matches!(e.node(), Node::Number(_) | Node::Pi | Node::Undefined(_)) {
        return Ok(e);
    }
    if let Some(known) = with_memo(|memo| memo.canonical.get(&e).copied()) {
        return Ok(known);
    }
    let context = Context::of(&[e])?;
    let form = normal_form_in(context, e)?;
    let result = match form.as_undefined() {
        Some(why) => Expr::undefined(why),
        None => match form.fraction() {
            Ok((n, d)) => fraction_expr(&n, &d),
            Err(Exhausted::Size | Exhausted::Bits) => form.to_expr(),
            Err(stop) => return Err(stop),
        },
    };
    with_memo(|memo| {
        memo.canonical.insert(e, result);
        memo.canonical.insert(result, result);
    });
    Ok(result)
}

/// Numerator and denominator as expanded coprime polynomials; of `None` the form is undefined.
pub fn canonical_fraction(context: Context, e: Expr) -> Budgeted<Option<(Polynomial, Polynomial)>> {
    let form = normal_form_in(context, e)?;
    if form.as_undefined().is_some() { Ok(None) } else { form.fraction().map(Some) }
}

pub(super) fn fraction_expr(n: &Polynomial, d: &Polynomial) -> Expr {
    let (n, d) = (polynomial_expr(n), polynomial_expr(d));
    if d.is_one() { n } else { n / d }
}

/// The children that are read in the same context as the node itself.
fn transparent_children(e: Expr) -> impl Iterator<Item = Expr> {
    let list: &'static [(Expr, Rational)] = match e.node() {
        Node::Sum { terms, .. } => terms,
        Node::Product(factors) => factors,
        _ => &[],
    };
    let is_sum = matches!(e.node(), Node::Sum { .. });
    list.iter().filter(move |(_, x)| is_sum || x.is_integer()).map(|(c, _)| *c)
}

/// Whether there is nothing below but numbers, symbols, sums, products and whole powers: such an expression
/// needs no context and no preparation.
fn is_rational(root: Expr) -> bool {
    with_memo(|memo| {
        let known = &mut memo.rational;
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            let i = e.id() as usize;
            if known.len() <= i {
                known.resize(i + 1 + i / 2, 0);
            }
            if known[i] != 0 {
                stack.pop();
                continue;
            }
            let list: &[(Expr, Rational)] = match e.node() {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => &[],
                Node::Sum { terms, .. } => terms,
                Node::Product(factors) if factors.iter().all(|(_, n)| n.is_integer()) => factors,
                _ => {
                    known[i] = 2;
                    continue;
                }
            };
            let state = |c: &(Expr, Rational)| known.get(c.0.id() as usize).copied().unwrap_or(0);
            if list.iter().any(|c| state(c) == 2) {
                known[i] = 2;
                continue;
            }
            let before = stack.len();
            stack.extend(list.iter().filter(|c| state(c) == 0).map(|c| c.0));
            if stack.len() == before {
                known[i] = 1;
            }
        }
        known[root.id() as usize] == 1
    })
}

/// Brings the arguments of all functions below the roots to canonical form, innermost first, so that
/// nothing here recurses along the nesting of functions.
fn prepare(roots: &[Expr]) -> Budgeted<()> {
    if roots.iter().all(|r| with_memo(|memo| memo.prepared.contains(r)) || is_rational(*r)) {
        return Ok(());
    }
    for x in post_order(roots) {
        check()?;
        if with_memo(|memo| memo.prepared.contains(&x)) {
            continue;
        }
        match x.node() {
            Node::Apply(_, arguments) | Node::Unknown { arguments, .. } => {
                for &a in arguments.iter() {
                    canonical_of_prepared(a)?;
                }
            }
            Node::Piecewise { condition, then, otherwise } => {
                for a in [condition.left, *then, *otherwise] {
                    canonical_of_prepared(a)?;
                }
            }
            Node::Integral { body, .. } => {
                canonical_of_prepared(*body)?;
            }
            _ => {}
        }
        with_memo(|memo| memo.prepared.insert(x));
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// Where an expression is defined
// ---------------------------------------------------------------------------------------------

impl Domain {
    fn signs(self) -> Rc<Signs> {
        with_memo(|memo| memo.domains[self.0 as usize].clone())
    }

    fn intern(signs: Signs) -> Domain {
        with_memo(|memo| {
            let known = memo.domains.iter().position(|s| **s == signs);
            Domain(known.unwrap_or_else(|| {
                memo.domains.push(Rc::new(signs));
                memo.domains.len() - 1
            }) as u32)
        })
    }

    fn and(self, other: Domain) -> Domain {
        if self == other || other == Domain::default() {
            return self;
        }
        if self == Domain::default() {
            return other;
        }
        let mut joined: Signs = (*self.signs()).clone();
        for (e, sign) in other.signs().iter() {
            match joined.binary_search_by_key(e, |s| s.0) {
                Ok(i) => joined[i].1 = joined[i].1.and(*sign),
                Err(i) => joined.insert(i, (*e, *sign)),
            }
        }
        Domain::intern(joined)
    }

    fn sign(self, e: Expr) -> Sign {
        let known = sign_of(e);
        if self == Domain::default() {
            return known;
        }
        let signs = self.signs();
        signs.binary_search_by_key(&e, |s| s.0).map_or(known, |i| known.and(signs[i].1))
    }

    /// |e|, written without bars where the sign is known.
    fn size(self, e: Expr) -> Expr {
        let sign = self.sign(e);
        if sign.is_nonnegative() {
            e
        } else if sign.is_nonpositive() {
            -e
        } else {
            Expr::apply(Abs, &[e])
        }
    }
}

fn domain_of(root: Expr) -> Budgeted<Domain> {
    let known = |x: Expr| with_memo(|memo| memo.domain_of.get(&x).copied());
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
        let mut domain = own_domain(x)?;
        for c in domain_children(x) {
            domain = domain.and(known(c).unwrap_or_default());
        }
        with_memo(|memo| memo.domain_of.insert(x, domain));
    }
    Ok(known(root).unwrap_or_default())
}

/// The children without whose value the node has none; of cases only the condition is always evaluated, and
/// what stands under an integral has no single value.
fn domain_children(e: Expr) -> SmallVec<[Expr; 8]> {
    match e.node() {
        Node::Piecewise { condition, .. } => SmallVec::from_slice(&[condition.left]),
        Node::Integral { .. } => SmallVec::new(),
        _ => e.children(),
    }
}

/// What must hold for this node to have a value, apart from its transparent children.
fn own_domain(e: Expr) -> Budgeted<Domain> {
    let mut signs: Signs = Vec::new();
    match e.node() {
        Node::Apply(Log, u) => signs.extend(implied_sign(u[0], true)?),
        Node::Power(base, _) => signs.extend(implied_sign(*base, true)?),
        Node::Product(factors) => {
            for (b, r) in factors.iter().filter(|(_, r)| !r.is_integer()) {
                signs.extend(implied_sign(*b, r.is_negative())?);
            }
        }
        _ => {}
    }
    if signs.is_empty() {
        return Ok(Domain::default());
    }
    signs.sort_by_key(|s| s.0);
    signs.dedup_by(|a, b| a.0 == b.0);
    Ok(Domain::intern(signs))
}

/// u ≥ 0 (or u > 0) says something about a sign if u has one factor of unknown sign.
fn implied_sign(u: Expr, strict: bool) -> Budgeted<Option<(Expr, Sign)>> {
    prepare(&[u])?;
    let form = normal_form_in(Context::of(&[u])?, u)?.cancel()?;
    if form.as_undefined().is_some() || form.is_zero() {
        return Ok(None);
    }
    let mut negative = form.coefficient().is_negative();
    let mut open = None;
    let powers = form.powers().map(|(g, n)| (g.meaning(), g.sign(), n));
    let factors = form.factors().iter().map(|(p, n)| {
        let e = polynomial_expr(p);
        (e, sign_of(e), *n)
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

fn needs(root: Expr, domain: Domain) -> Budgeted<Option<Rc<Needs>>> {
    let known = |x: Expr| with_memo(|memo| memo.needs.get(&(x, domain)).cloned());
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
        let mut all = own_needs(x, domain)?;
        for c in transparent_children(x) {
            all = join(all, known(c).flatten());
        }
        with_memo(|memo| memo.needs.insert((x, domain), all));
    }
    Ok(known(root).flatten())
}

fn join(a: Option<Rc<Needs>>, b: Option<Rc<Needs>>) -> Option<Rc<Needs>> {
    let (a, b) = match (a, b) {
        (None, x) | (x, None) => return x,
        (Some(a), Some(b)) => (a, b),
    };
    if Rc::ptr_eq(&a, &b) || a == b {
        return Some(a);
    }
    let mut joined = (*a).clone();
    joined.exponential |= b.exponential;
    joined.hyperbolic |= b.hyperbolic;
    for (atom, d, uniform) in &b.denominators {
        joined.require(*atom, *d, *uniform);
    }
    Some(Rc::new(joined))
}

impl Needs {
    fn require(&mut self, atom: Atom, denominator: u32, uniform: bool) {
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

    fn require_rational(&mut self, family: Family, of: Expr, r: &Rational) {
        let d = r.denominator().to_i64().and_then(|d| u32::try_from(d).ok()).unwrap_or(0);
        if (1..=64).contains(&d) && (family == Family::Root || d > 1) {
            self.require(Atom { family, of }, d, true);
        }
    }
}

/// Denominators above this are not unified: each is counted on its own.
const MAX_DENOMINATOR: i64 = 64;

fn common_multiple(a: u32, b: u32) -> u32 {
    let m = lcm(&Integer::from(i64::from(a)), &Integer::from(i64::from(b))).to_i64();
    m.filter(|&m| m <= MAX_DENOMINATOR).map_or(a, |m| m as u32)
}

/// What a node asks apart from its transparent children.
fn own_needs(e: Expr, domain: Domain) -> Budgeted<Option<Rc<Needs>>> {
    let mut own = Needs::default();
    match e.node() {
        Node::Apply(Sin | Cos | Tan, u) => {
            for (a, r) in parts(canonical_of_prepared(u[0])?)?.iter() {
                own.require_rational(Family::Angle, *a, r);
            }
        }
        Node::Apply(Sinh | Cosh | Tanh, u) => {
            own.hyperbolic = true;
            for (a, r) in parts(canonical_of_prepared(u[0])?)?.iter() {
                own.require_rational(Family::Hyperbolic, *a, r);
                own.require_rational(Family::Exponent, *a, r);
            }
        }
        Node::Apply(Exp, u) => {
            own.exponential = true;
            exponential_needs(canonical_of_prepared(u[0])?, domain, &mut own)?;
        }
        Node::Power(base, exponent) => {
            own.exponential = true;
            exponential_needs(canonical(power_exponent(*base, *exponent))?, domain, &mut own)?;
        }
        Node::Product(factors) => {
            for (b, r) in factors.iter().filter(|(_, r)| !r.is_integer()) {
                let parts = power_parts(*b, r, domain)?;
                for (base, r) in &parts.roots {
                    own.require_rational(Family::Root, *base, r);
                }
                if !parts.exponent.is_zero() {
                    own.exponential = true;
                    exponential_needs(canonical(parts.exponent)?, domain, &mut own)?;
                }
            }
        }
        _ => {}
    }
    let empty = own.denominators.is_empty() && !own.exponential && !own.hyperbolic;
    Ok((!empty).then(|| Rc::new(own)))
}

fn exponential_needs(argument: Expr, domain: Domain, own: &mut Needs) -> Budgeted<()> {
    for (a, r) in parts(argument)?.iter() {
        match logarithm_of(*a) {
            Some(u) => {
                for (base, r) in &power_parts(u, r, domain)?.roots {
                    own.require_rational(Family::Root, *base, r);
                }
            }
            None => own.require_rational(Family::Exponent, *a, r),
        }
    }
    Ok(())
}

/// x·log b, the exponent of b^x.
fn power_exponent(base: Expr, exponent: Expr) -> Expr {
    exponent * Expr::apply(Log, &[base])
}

fn logarithm_of(e: Expr) -> Option<Expr> {
    match e.node() {
        Node::Apply(Log, u) => Some(u[0]),
        _ => None,
    }
}

/// The canonical argument as Σ rᵢaᵢ with distinct monomials aᵢ.
fn parts(argument: Expr) -> Budgeted<Parts> {
    if let Some(known) = with_memo(|memo| memo.parts.get(&argument).cloned()) {
        return Ok(known);
    }
    let context = Context::of(&[argument])?;
    let form = normal_form_in(context, argument)?;
    let whole = || -> Parts {
        let content = form.coefficient().clone();
        match content.recip() {
            Some(inverse) => Rc::new([(form.scale(&inverse).to_expr(), content)]),
            None => Rc::new([]),
        }
    };
    let split = if form.as_undefined().is_some() {
        Rc::new([(argument, Rational::ONE)])
    } else if let Ok((n, d)) = form.fraction()
        && n.n_terms() <= MAX_PARTS
    {
        let below = polynomial_expr(&d).pow(-1);
        n.terms().map(|(m, c)| (powers_expr(m.iter().map(|&(g, e)| (g, i64::from(e)))) * below, c)).collect()
    } else {
        whole()
    };
    with_memo(|memo| memo.parts.insert(argument, split.clone()));
    Ok(split)
}

// ---------------------------------------------------------------------------------------------
// Reading one node whose transparent children have been read
// ---------------------------------------------------------------------------------------------

fn read_node(context: Context, e: Expr) -> Budgeted<NormalForm> {
    let below = |c: Expr| normal_form_in(context, c);
    match e.node() {
        Node::Number(n) => Ok(NormalForm::number(n.clone())),
        Node::Pi => Ok(NormalForm::generator(Generator::pi())),
        Node::Symbol(s) => Ok(if sign_of(e) == Sign::ZERO {
            NormalForm::zero()
        } else {
            NormalForm::generator(Generator::of_symbol(*s))
        }),
        Node::Sum { constant, terms } => {
            let forms = terms.iter().map(|(t, _)| below(*t)).collect::<Budgeted<Vec<_>>>()?;
            let constant = NormalForm::number(constant.clone());
            let mut list: Vec<(&NormalForm, Rational)> = vec![(&constant, Rational::ONE)];
            list.extend(forms.iter().zip(terms.iter()).map(|(f, (_, c))| (&**f, c.clone())));
            NormalForm::sum(&list)
        }
        Node::Product(factors) => {
            let mut product = NormalForm::one();
            for (b, r) in factors.iter() {
                let factor = match r.to_i64() {
                    Some(n) => below(*b)?.pow(n)?,
                    None if r.is_integer() => return Err(Exhausted::Size),
                    None => read_power(context, *b, r)?,
                };
                product = product.mul(&factor)?;
            }
            Ok(product)
        }
        Node::Power(base, exponent) => {
            let argument = canonical(power_exponent(*base, *exponent))?;
            read_exponential(context, argument)
        }
        Node::Apply(function, arguments) => read_function(context, *function, arguments),
        Node::Unknown { function, orders, arguments } => {
            let arguments = canonical_list(arguments)?;
            Ok(opaque(Expr::unknown(*function, orders, &arguments)))
        }
        Node::Piecewise { condition, then, otherwise } => read_cases(context, *condition, *then, *otherwise),
        Node::Integral { variable, body } => read_integral(context, *variable, *body),
        Node::Undefined(why) => Ok(NormalForm::undefined(*why)),
    }
}

fn opaque(meaning: Expr) -> NormalForm {
    match meaning.node() {
        Node::Undefined(why) => NormalForm::undefined(*why),
        Node::Number(n) => NormalForm::number(n.clone()),
        _ => NormalForm::generator(Generator::opaque(meaning)),
    }
}

fn canonical_list(arguments: &[Expr]) -> Budgeted<Vec<Expr>> {
    arguments.iter().map(|a| canonical_of_prepared(*a)).collect()
}

fn read_function(context: Context, function: Elementary, arguments: &[Expr]) -> Budgeted<NormalForm> {
    let arguments = canonical_list(arguments)?;
    let u = arguments[0];
    if let Some(bad) = arguments.iter().find_map(|a| a.as_undefined()) {
        return Ok(NormalForm::undefined(bad));
    }
    let strong = context.data().strong;
    match function {
        Sin => Ok(read_angle(context, u, Family::Angle)?.0),
        Cos => Ok(read_angle(context, u, Family::Angle)?.1),
        Tan => {
            let (s, c) = read_angle(context, u, Family::Angle)?;
            s.div(&c)
        }
        Sinh | Cosh | Tanh => {
            let (s, c) = if context.data().hyperbolic_by_exponential {
                let e = read_exponential(context, u)?;
                let inverse = e.recip()?;
                (e.sub(&inverse)?.scale(&Rational::HALF), e.add(&inverse)?.scale(&Rational::HALF))
            } else {
                read_angle(context, u, Family::Hyperbolic)?
            };
            match function {
                Sinh => Ok(s),
                Cosh => Ok(c),
                _ => s.div(&c),
            }
        }
        Exp => read_exponential(context, u),
        Log => read_logarithm(context, &*normal_form_in(context, u)?),
        Abs => read_absolute(context, &*normal_form_in(context, u)?),
        Sign => read_sign(context, &*normal_form_in(context, u)?),
        // acos u = π/2 − asin u on [−1, 1].
        Acos if strong => read_again(context, Expr::pi().scale(&Rational::HALF) - Expr::apply(Asin, &[u])),
        // artanh u = ½ log((1 + u)/(1 − u)) on (−1, 1).
        Atanh if strong => read_again(context, Expr::apply(Log, &[(1 + u) / (1 - u)]).scale(&Rational::HALF)),
        // min(a, b) = (a + b − |a − b|)/2 everywhere.
        Min | Max if strong => {
            let sign = Rational::from(if function == Min { -1 } else { 1 });
            let fold = |a: Expr, b: Expr| (a + b + Expr::apply(Abs, &[a - b]).scale(&sign)).scale(&Rational::HALF);
            let folded = arguments[1..].iter().fold(u, |a, b| fold(a, *b));
            read_again(context, folded)
        }
        Asin | Acos | Atan | Atan2 | Atanh | Min | Max => {
            let applied = Expr::apply(function, &arguments);
            match applied.node() {
                Node::Apply(f, _) if *f == function => Ok(opaque(applied)),
                _ => read_again(context, applied),
            }
        }
    }
}

/// Reads an expression made here from canonical pieces.
fn read_again(context: Context, e: Expr) -> Budgeted<NormalForm> {
    prepare(&[e])?;
    Ok((*normal_form_in(context, e)?).clone())
}

/// (sin u, cos u) or (sinh u, cosh u) for a canonical argument.
fn read_angle(context: Context, u: Expr, family: Family) -> Budgeted<(NormalForm, NormalForm)> {
    let mut total: Option<(NormalForm, NormalForm)> = None;
    for (atom, r) in parts(u)?.iter() {
        let pair = read_multiple(context, *atom, r, family)?;
        total = Some(match total {
            None => pair,
            Some(sum) => angle_sum(&sum, &pair, family)?,
        });
    }
    Ok(total.unwrap_or_else(|| (NormalForm::zero(), NormalForm::one())))
}

/// sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b − sin a sin b; for sinh and
/// cosh with + in the second.
fn angle_sum(
    a: &(NormalForm, NormalForm),
    b: &(NormalForm, NormalForm),
    family: Family,
) -> Budgeted<(NormalForm, NormalForm)> {
    let sine = a.0.mul(&b.1)?.add(&a.1.mul(&b.0)?)?;
    let (cc, ss) = (a.1.mul(&b.1)?, a.0.mul(&b.0)?);
    let cosine = if family == Family::Angle { cc.sub(&ss)? } else { cc.add(&ss)? };
    Ok((sine, cosine))
}

/// The denominator in which multiples of an atom are counted, given one multiple.
fn denominator(context: Context, family: Family, of: Expr, r: &Rational) -> Integer {
    let data = context.data();
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

fn read_multiple(context: Context, atom: Expr, r: &Rational, family: Family) -> Budgeted<(NormalForm, NormalForm)> {
    let (sine, cosine) = if family == Family::Angle { (Sin, Cos) } else { (Sinh, Cosh) };
    // Multiples of π with an exact value.
    if atom == Expr::pi() && family == Family::Angle {
        let angle = atom.scale(r);
        let (s, c) = (Expr::apply(Sin, &[angle]), Expr::apply(Cos, &[angle]));
        let exact = |x: Expr| post_order(&[x]).iter().all(|n| !matches!(n.node(), Node::Apply(..)));
        if exact(s) && exact(c) {
            return Ok((read_again(context, s)?, read_again(context, c)?));
        }
    }
    let d = denominator(context, family, atom, r);
    let n = (r * &Rational::integer(d.clone())).to_i64();
    let (n, base) = match n {
        Some(n) if n.abs() <= MAX_MULTIPLE => (n, atom.scale(&Rational::new(Integer::ONE, d))),
        _ => (1, atom.scale(r)),
    };
    let base_pair = match inverse_function_pair(base, family) {
        Some((s, c)) => (read_again(context, s)?, read_again(context, c)?),
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
    multiple_of_pair(&base_pair, n, family)
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
    let leg = |u: Expr| (1 - u.pow(2)).sqrt();
    match (family, base.node()) {
        (Family::Angle, Node::Apply(Asin, u)) => Some((u[0], leg(u[0]))),
        (Family::Angle, Node::Apply(Acos, u)) => Some((leg(u[0]), u[0])),
        (Family::Angle, Node::Apply(Atan, u)) => {
            let hypotenuse = (1 + u[0].pow(2)).sqrt();
            Some((u[0] / hypotenuse, hypotenuse.pow(-1)))
        }
        (Family::Angle, Node::Apply(Atan2, yx)) => {
            let r = (yx[0].pow(2) + yx[1].pow(2)).sqrt();
            Some((yx[0] / r, yx[1] / r))
        }
        (Family::Hyperbolic, Node::Apply(Atanh, u)) => Some((u[0] / leg(u[0]), leg(u[0]).pow(-1))),
        _ => None,
    }
}

/// The pair of n times the angle, by doubling.
fn multiple_of_pair(pair: &(NormalForm, NormalForm), n: i64, family: Family) -> Budgeted<(NormalForm, NormalForm)> {
    let mut result: Option<(NormalForm, NormalForm)> = None;
    let mut square = pair.clone();
    let mut k = n.unsigned_abs();
    while k > 0 {
        check()?;
        if k & 1 == 1 {
            result = Some(match result {
                None => square.clone(),
                Some(r) => angle_sum(&r, &square, family)?,
            });
        }
        k >>= 1;
        if k > 0 {
            square = angle_sum(&square, &square, family)?;
        }
    }
    let (s, c) = result.unwrap_or_else(|| (NormalForm::zero(), NormalForm::one()));
    Ok((if n < 0 { s.negate() } else { s }, c))
}

/// e^u for a canonical argument.
fn read_exponential(context: Context, u: Expr) -> Budgeted<NormalForm> {
    if let Some(why) = u.as_undefined() {
        return Ok(NormalForm::undefined(why));
    }
    let mut product = NormalForm::one();
    for (atom, r) in parts(u)?.iter() {
        let factor = match logarithm_of(*atom) {
            Some(v) => read_power(context, v, r)?,
            None => {
                let d = denominator(context, Family::Exponent, *atom, r);
                let n = (r * &Rational::integer(d.clone())).to_i64();
                let (n, base) = match n {
                    Some(n) if i32::try_from(n).is_ok() => (n, atom.scale(&Rational::new(Integer::ONE, d))),
                    _ => (1, atom.scale(r)),
                };
                NormalForm::generator(Generator::exponential(base, Expr::apply(Exp, &[base]))).pow(n)?
            }
        };
        product = product.mul(&factor)?;
    }
    Ok(product)
}

/// log u = log|c| + Σ m·log|f| for u = c·Π fᵐ.
fn read_logarithm(context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.as_undefined().is_some() {
        return Ok(u.clone());
    }
    if u.is_zero() {
        return Ok(NormalForm::undefined(Undefined::NotReal));
    }
    if u.coefficient().is_negative()
        && u.generators().iter().all(|g| g.sign().is_nonnegative())
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
            Kind::Exponential(v) => terms.push((read_again(context, v)?, n)),
            Kind::Root { base, degree, .. } => {
                let inner = read_again(context, Expr::apply(Log, &[base]))?;
                terms.push((inner, &n / &Rational::from(i64::from(degree))));
            }
            Kind::Absolute { of, .. } => terms.push((logarithm_of_size(context, of), n)),
            _ => terms.push((logarithm_of_size(context, g.meaning()), n)),
        }
    }
    for (p, n) in u.factors() {
        terms.push((logarithm_of_size(context, polynomial_expr(p)), Rational::from(i64::from(*n))));
    }
    let list: Vec<(&NormalForm, Rational)> = terms.iter().map(|(f, c)| (f, c.clone())).collect();
    NormalForm::sum(&list)
}

/// log|f|, as a generator.
fn logarithm_of_size(context: Context, f: Expr) -> NormalForm {
    let size = context.data().domain.size(f);
    NormalForm::generator(Generator::logarithm(size, Expr::apply(Log, &[size])))
}

/// |c·Π fᵐ| = |c|·Π |f|ᵐ.
fn read_absolute(context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.as_undefined().is_some() {
        return Ok(u.clone());
    }
    let mut product = NormalForm::number(u.coefficient().abs());
    product.inherit_conditions(u);
    for (g, n) in u.powers() {
        let size = size_of(context, &Polynomial::variable(g.0), g.sign().and(context.sign(g.meaning())), n)?;
        product = product.mul(&size)?;
    }
    for (p, n) in u.factors() {
        for (q, m) in &squarefree(p)?.factors {
            let times = i32::try_from(*m).ok().and_then(|m| m.checked_mul(*n)).ok_or(Exhausted::Size)?;
            let size = size_of(context, q, context.sign(polynomial_expr(q)), times)?;
            product = product.mul(&size)?;
        }
    }
    Ok(product)
}

/// |p|ⁿ.
fn size_of(context: Context, p: &Polynomial, sign: Sign, n: i32) -> Budgeted<NormalForm> {
    let form = NormalForm::polynomial(p.clone())?;
    if n % 2 == 0 || sign.is_nonnegative() {
        return form.pow(i64::from(n));
    }
    if sign.is_nonpositive() {
        return form.negate().pow(i64::from(n));
    }
    let of = polynomial_expr(p);
    let square = Rc::new(reduce(p.square()?)?);
    let g = Generator::absolute(of, square, Expr::apply(Abs, &[of]), context.tag());
    NormalForm::generator(g).pow(i64::from(n))
}

/// sign u = |u|/u, where u ≠ 0; that condition is noted.
fn read_sign(context: Context, u: &NormalForm) -> Budgeted<NormalForm> {
    if u.is_zero() {
        return Ok(u.clone());
    }
    let mut form = read_absolute(context, u)?.div(u)?;
    for (g, _) in u.powers() {
        if !g.sign().and(context.sign(g.meaning())).is_nonzero() {
            form.note_cancelled(&Rc::new(Polynomial::variable(g.0)));
        }
    }
    for (p, _) in u.factors() {
        if !context.sign(polynomial_expr(p)).is_nonzero() {
            form.note_cancelled(p);
        }
    }
    Ok(form)
}

/// b^r for a fractional r.
fn read_power(context: Context, b: Expr, r: &Rational) -> Budgeted<NormalForm> {
    let parts = power_parts(b, r, context.data().domain)?;
    if let Some(why) = parts.undefined {
        return Ok(NormalForm::undefined(why));
    }
    let mut product = NormalForm::number(parts.coefficient.clone());
    if !parts.exponent.is_zero() {
        product = product.mul(&read_exponential(context, canonical(parts.exponent)?)?)?;
    }
    for (base, r) in &parts.roots {
        let d = denominator(context, Family::Root, *base, r);
        let n = (r * &Rational::integer(d.clone())).to_i64().ok_or(Exhausted::Size)?;
        let radicand = read_again(context, *base)?;
        if d.is_one() {
            product = product.mul(&radicand.pow(n)?)?;
            continue;
        }
        let degree = d.to_i64().and_then(|d| u32::try_from(d).ok()).ok_or(Exhausted::Size)?;
        let (above, below) = radicand.fraction()?;
        if !below.is_one() {
            return Err(Exhausted::Size);
        }
        let meaning = base.pow(Rational::new(Integer::ONE, d));
        let g = Generator::root(*base, degree, &Rc::new(above), meaning, context.tag());
        product = product.mul(&NormalForm::generator(g).pow(n)?)?;
    }
    Ok(product)
}

/// Takes b^r apart; of the context only the domain matters.
fn power_parts(b: Expr, r: &Rational, domain: Domain) -> Budgeted<Rc<PowerParts>> {
    let key = (b, r.clone(), domain);
    if let Some(known) = with_memo(|memo| memo.powers.get(&key).cloned()) {
        return Ok(known);
    }
    prepare(&[b])?;
    let form = normal_form_in(Context::of(&[b])?, b)?;
    let form = form.cancel()?;
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
                rest = rest.mul(p)?;
            }
        }
        Ok(())
    };
    for (g, n) in form.powers() {
        let times = &Rational::from(i64::from(n)) * r;
        match g.kind() {
            Kind::Exponential(u) => parts.exponent = parts.exponent + u.scale(&times),
            Kind::Root { base, degree, .. } => parts.root(base, &times / &Rational::from(i64::from(degree))),
            Kind::Absolute { of, .. } => parts.root(domain.size(of), times),
            _ => {
                let sign = g.sign().and(domain.sign(g.meaning()));
                take(&mut parts, &Polynomial::variable(g.0), g.meaning(), sign, n)?;
            }
        }
    }
    for (p, n) in form.factors() {
        // Squares come out: √(x² + 2x + 1) = |x + 1|.
        for (q, m) in &squarefree(p)?.factors {
            let base = polynomial_expr(q);
            let times = i32::try_from(*m).ok().and_then(|m| m.checked_mul(*n)).ok_or(Exhausted::Size)?;
            take(&mut parts, q, base, domain.sign(base), times)?;
        }
    }
    let rest = reduce(rest)?;
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
    with_memo(|memo| memo.powers.insert(key, parts.clone()));
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

/// Cases. In a strong context `otherwise + χ·(then − otherwise)` with the indicator χ of the
/// condition written as u > 0 or u = 0; else one generator.
fn read_cases(context: Context, condition: Condition, then: Expr, otherwise: Expr) -> Budgeted<NormalForm> {
    let left = canonical_of_prepared(condition.left)?;
    let sign = context.sign(left);
    if let Some(holds) = condition.relation.decided_by(sign) {
        return read_again(context, if holds { then } else { otherwise });
    }
    if !context.data().strong {
        let condition = Condition { relation: condition.relation, left };
        let (then, otherwise) = (canonical_of_prepared(then)?, canonical_of_prepared(otherwise)?);
        let cases = Expr::piecewise(condition, then, otherwise);
        return match cases.node() {
            Node::Piecewise { .. } => Ok(opaque(cases)),
            _ => read_again(context, cases),
        };
    }
    // Up to a positive factor.
    let scale = normal_form(left)?.coefficient().abs().recip().unwrap_or(Rational::ONE);
    let left = left.scale(&scale);
    let indicator = |relation: Relation, left: Expr| {
        let meaning = Expr::piecewise(Condition { relation, left }, Expr::one(), Expr::zero());
        match meaning.node() {
            Node::Piecewise { .. } => NormalForm::generator(Generator::indicator(meaning)),
            _ => opaque(meaning),
        }
    };
    let positive = |left: Expr| -> Budgeted<NormalForm> { Ok(indicator(Relation::Greater, canonical(left)?)) };
    let one = NormalForm::one();
    let chi = match condition.relation {
        Relation::Greater => positive(left)?,
        Relation::Less => positive(-left)?,
        Relation::LessEqual => one.sub(&positive(left)?)?,
        Relation::GreaterEqual => one.sub(&positive(-left)?)?,
        Relation::Equal | Relation::NotEqual => {
            // u = 0 and −u = 0 are one condition.
            let (a, b) = (canonical(left)?, canonical(-left)?);
            let equal = indicator(Relation::Equal, a.min(b));
            if condition.relation == Relation::Equal { equal } else { one.sub(&equal)? }
        }
    };
    let (a, b) = (read_again(context, then)?, read_again(context, otherwise)?);
    b.add(&chi.mul(&a.sub(&b)?)?)
}

/// An integral. Terms with a closed form are read as such; of the others constant factors come out, and
/// the bound variable gets a name that depends on nesting only.
fn read_integral(context: Context, variable: Symbol, body: Expr) -> Budgeted<NormalForm> {
    let whole = unit_integral(body, variable);
    let mut terms: Vec<(Expr, Rational)> = Vec::new();
    let mut closed = Expr::zero();
    match whole.node() {
        Node::Integral { .. } => terms.push((whole, Rational::ONE)),
        Node::Sum { constant, terms: list } => {
            closed = Expr::number(constant.clone());
            for (t, c) in list.iter() {
                if matches!(t.node(), Node::Integral { variable: v, .. } if *v == variable) {
                    terms.push((*t, c.clone()));
                } else {
                    closed = closed + t.scale(c);
                }
            }
        }
        _ => closed = whole,
    }
    let mut sum = read_again(context, closed)?;
    for (t, c) in terms {
        let Node::Integral { body, .. } = t.node() else { continue };
        let summands: Vec<(Expr, Rational)> = match body.node() {
            Node::Sum { constant, terms } => {
                let constant = (Expr::one(), constant.clone());
                terms.iter().cloned().chain((!constant.1.is_zero()).then_some(constant)).collect()
            }
            _ => vec![(*body, Rational::ONE)],
        };
        for (summand, scale) in summands {
            let (outside, inside) = split_by(summand, variable);
            let kernel = open_integral(variable, inside)?;
            let term = read_again(context, outside)?.mul(&kernel)?.scale(&(&scale * &c));
            sum = sum.add(&term)?;
        }
    }
    Ok(sum)
}

/// A product as the part free of a bound variable and the rest.
fn split_by(e: Expr, variable: Symbol) -> (Expr, Expr) {
    let depends =
        |x: Expr| x.may_contain(variable) && post_order(&[x]).into_iter().any(|n| n.as_symbol() == Some(variable));
    match e.node() {
        Node::Product(factors) => {
            let (inside, outside): (Vec<_>, Vec<_>) = factors.iter().cloned().partition(|(b, _)| depends(*b));
            (Expr::product(Rational::ONE, outside), Expr::product(Rational::ONE, inside))
        }
        _ if depends(e) => (Expr::one(), e),
        _ => (e, Expr::one()),
    }
}

/// ∫₀¹ body, for which there is no closed form, as a generator.
fn open_integral(variable: Symbol, body: Expr) -> Budgeted<NormalForm> {
    let depth = post_order(&[body]).iter().filter(|x| matches!(x.node(), Node::Integral { .. })).count();
    let bound = with_memo(|memo| {
        while memo.bound.len() <= depth {
            let name = format!("u{}", memo.bound.len() + 1);
            memo.bound.push(Symbol::bound(&name));
        }
        memo.bound[depth]
    });
    let body = substitute(body, &FxHashMap::from_iter([(variable, Expr::symbol(bound))]));
    let integral = Expr::integral(bound, canonical(body)?);
    match integral.node() {
        Node::Integral { .. } => Ok(opaque(integral)),
        // The variable dropped out: what is left is its own integral.
        _ => Ok((*normal_form(integral)?).clone()),
    }
}
