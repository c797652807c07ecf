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
//! read in one context. Angles are in [`super::angle`], exponents and roots in [`super::power`].
//!
//! An expression speaks of its domain only: where √x or log x occurs, x ≥ 0 or x > 0 is a fact for the
//! whole of it, and √x·√y = √(xy) holds there though it does not hold for √(xy) alone. These facts
//! belong to the context too.

use super::NormalForm;
use super::angle::read_angle;
use super::context::{Context, ContextData, Domain, Family, Needs, Parts, Signs, power_exponent};
use super::power::{
    PowerParts, read_absolute, read_cube_root, read_exponential, read_logarithm, read_power, read_sign,
};
use super::write::polynomial_expr;
use crate::algebra::Inquiry;
use crate::algebra::antiderivative::unit_integral;
use crate::algebra::assume::{Sign as KnownSign, sign_of};
use crate::algebra::expr::{Condition, Expr, Node, Relation, post_order};
use crate::algebra::function::{Elementary, Reading, Side};
use crate::algebra::generator::Generator;
use crate::algebra::number::Rational;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::substitute::substitute;
use crate::algebra::symbol::Symbol;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What was read under one set of facts.
pub struct Memo {
    /// With a number for each that no context under other facts has.
    pub(super) contexts: Vec<(Rc<ContextData>, u32)>,
    pub(super) context_ids: FxHashMap<Rc<ContextData>, Context>,
    pub(super) forms: FxHashMap<(Expr, Context), Budgeted<Rc<NormalForm>>>,
    pub(super) canonical: FxHashMap<Expr, Expr>,
    pub(super) prepared: FxHashSet<Expr>,
    pub(super) parts: FxHashMap<Expr, Parts>,
    pub(super) powers: FxHashMap<(Expr, Rational, Domain), Rc<PowerParts>>,
    pub(super) needs: FxHashMap<(Expr, Domain), Option<Rc<Needs>>>,
    pub(super) domains: Vec<Rc<Signs>>,
    pub(super) domain_of: FxHashMap<Expr, Domain>,
}

thread_local! {
    /// By age: 0 not yet known, 1 a rational function of symbols, 2 not.
    pub(super) static RATIONAL: RefCell<Vec<u8>> = RefCell::default();
    /// Names of bound variables, by how deep they are nested.
    static BOUND: RefCell<Vec<Symbol>> = RefCell::default();
    static TAGS: Cell<u32> = const { Cell::new(0) };
}

impl Default for Memo {
    fn default() -> Memo {
        let plain: Rc<ContextData> = Rc::default();
        Memo {
            contexts: vec![(plain.clone(), new_tag())],
            context_ids: FxHashMap::from_iter([(plain, Context(0))]),
            forms: FxHashMap::default(),
            canonical: FxHashMap::default(),
            prepared: FxHashSet::default(),
            parts: FxHashMap::default(),
            powers: FxHashMap::default(),
            needs: FxHashMap::default(),
            domains: vec![Rc::default()],
            domain_of: FxHashMap::default(),
        }
    }
}

impl Memo {
    /// Forgets what was computed; contexts and domains keep their places.
    pub fn forget(&mut self) {
        let Memo { contexts, context_ids, domains, .. } = std::mem::take(self);
        *self = Memo { contexts, context_ids, domains, ..Memo::default() };
    }
}

/// A number for a context, never given twice: a root is another generator in another context, and under other facts.
pub(super) fn new_tag() -> u32 {
    TAGS.set(TAGS.get() + 1);
    TAGS.get()
}

/// What was read under the facts of the inquiry.
pub(super) fn with_memo<T>(cx: &Inquiry, work: impl FnOnce(&mut Memo) -> T) -> T {
    work(&mut cx.facts().memo().normal.borrow_mut())
}

/// The normal form of an expression in the smallest context that serves it.
pub fn normal_form(cx: &Inquiry, e: Expr) -> Budgeted<Rc<NormalForm>> {
    let context = Context::of(cx, &[e])?;
    normal_form_in(cx, context, e)
}

/// The normal form in a given context.
pub fn normal_form_in(cx: &Inquiry, context: Context, e: Expr) -> Budgeted<Rc<NormalForm>> {
    let known = |x: Expr| with_memo(cx, |memo| memo.forms.get(&(x, context)).cloned());
    if let Some(form) = known(e) {
        return form;
    }
    let mut stack = vec![e];
    while let Some(&x) = stack.last() {
        cx.check()?;
        let before = stack.len();
        let done = with_memo(cx, |memo| {
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
        let form = read_node(cx, context, x).map(Rc::new);
        // What has no form is remembered, and what was stopped is tried again by whoever may spend more.
        if form.as_ref().is_err_and(|stop| !matches!(stop, Exhausted::Size | Exhausted::Bits)) {
            return form;
        }
        with_memo(cx, |memo| memo.forms.insert((x, context), form));
    }
    known(e).unwrap_or(Err(Exhausted::Size))
}

/// The canonical expression equal to `e`: the quotient of its expanded, coprime numerator and
/// denominator. Equal arguments of functions must become the same node, and do so here.
pub fn canonical(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    prepare(cx, &[e])?;
    canonical_of_prepared(cx, e)
}

pub(super) fn canonical_of_prepared(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    if matches!(e.node(), Node::Number(_) | Node::Pi | Node::Undefined(_)) {
        return Ok(e);
    }
    if let Some(known) = with_memo(cx, |memo| memo.canonical.get(&e).copied()) {
        return Ok(known);
    }
    let context = Context::of(cx, &[e])?;
    let form = normal_form_in(cx, context, e)?;
    let result = match form.as_undefined() {
        Some(why) => Expr::undefined(why),
        None => match form.fraction(cx) {
            Ok((n, d)) => fraction_expr(&n, &d),
            Err(Exhausted::Size | Exhausted::Bits) => form.to_expr(cx),
            Err(stop) => return Err(stop),
        },
    };
    with_memo(cx, |memo| {
        memo.canonical.insert(e, result);
        memo.canonical.insert(result, result);
    });
    Ok(result)
}

/// Numerator and denominator as expanded coprime polynomials; of `None` the form is undefined.
pub fn canonical_fraction(cx: &Inquiry, context: Context, e: Expr) -> Budgeted<Option<(Polynomial, Polynomial)>> {
    let form = normal_form_in(cx, context, e)?;
    if form.as_undefined().is_some() { Ok(None) } else { form.fraction(cx).map(Some) }
}

pub(super) fn fraction_expr(n: &Polynomial, d: &Polynomial) -> Expr {
    let (n, d) = (polynomial_expr(n), polynomial_expr(d));
    if d.is_one() { n } else { n / d }
}

/// The children that are read in the same context as the node itself.
pub(super) fn transparent_children(e: Expr) -> impl Iterator<Item = Expr> {
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
pub(super) fn is_rational(root: Expr) -> bool {
    RATIONAL.with_borrow_mut(|known| {
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
pub(super) fn prepare(cx: &Inquiry, roots: &[Expr]) -> Budgeted<()> {
    if roots.iter().all(|r| with_memo(cx, |memo| memo.prepared.contains(r)) || is_rational(*r)) {
        return Ok(());
    }
    for x in post_order(roots) {
        cx.check()?;
        if with_memo(cx, |memo| memo.prepared.contains(&x)) {
            continue;
        }
        match x.node() {
            Node::Apply(_, arguments) | Node::Unknown { arguments, .. } => {
                for &a in arguments.iter() {
                    canonical_of_prepared(cx, a)?;
                }
            }
            Node::Piecewise { condition, then, otherwise } => {
                for a in [condition.left, *then, *otherwise] {
                    canonical_of_prepared(cx, a)?;
                }
            }
            Node::Integral { body, .. } => {
                canonical_of_prepared(cx, *body)?;
            }
            _ => {}
        }
        with_memo(cx, |memo| memo.prepared.insert(x));
    }
    Ok(())
}

fn read_node(cx: &Inquiry, context: Context, e: Expr) -> Budgeted<NormalForm> {
    let below = |c: Expr| normal_form_in(cx, context, c);
    match e.node() {
        Node::Number(n) => Ok(NormalForm::number(n.clone())),
        Node::Pi => Ok(NormalForm::generator(Generator::pi())),
        Node::Symbol(s) => Ok(if sign_of(cx, e) == KnownSign::ZERO {
            NormalForm::zero()
        } else {
            NormalForm::generator(Generator::of_symbol(*s))
        }),
        Node::Sum { constant, terms } => {
            let forms = terms.iter().map(|(t, _)| below(*t)).collect::<Budgeted<Vec<_>>>()?;
            let constant = NormalForm::number(constant.clone());
            let mut list: Vec<(&NormalForm, Rational)> = vec![(&constant, Rational::ONE)];
            list.extend(forms.iter().zip(terms.iter()).map(|(f, (_, c))| (&**f, c.clone())));
            NormalForm::sum(cx, &list)
        }
        Node::Product(factors) => {
            let mut product = NormalForm::one();
            for (b, r) in factors.iter() {
                let factor = match r.to_i64() {
                    Some(n) => below(*b)?.pow(cx, n)?,
                    None if r.is_integer() => return Err(Exhausted::Size),
                    None => read_power(cx, context, *b, r)?,
                };
                product = product.mul(cx, &factor)?;
            }
            Ok(product)
        }
        Node::Power(base, exponent) => {
            let argument = canonical(cx, power_exponent(*base, *exponent))?;
            read_exponential(cx, context, argument)
        }
        Node::Apply(function, arguments) => read_function(cx, context, *function, arguments),
        Node::Unknown { function, orders, arguments } => {
            let arguments = canonical_list(cx, arguments)?;
            Ok(opaque(Expr::unknown(*function, orders, &arguments)))
        }
        Node::Piecewise { condition, then, otherwise } => read_cases(cx, context, *condition, *then, *otherwise),
        Node::Integral { variable, body } => read_integral(cx, context, *variable, *body),
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

fn canonical_list(cx: &Inquiry, arguments: &[Expr]) -> Budgeted<Vec<Expr>> {
    arguments.iter().map(|a| canonical_of_prepared(cx, *a)).collect()
}

fn read_function(cx: &Inquiry, context: Context, function: Elementary, arguments: &[Expr]) -> Budgeted<NormalForm> {
    let arguments = canonical_list(cx, arguments)?;
    let u = arguments[0];
    if let Some(bad) = arguments.iter().find_map(|a| a.as_undefined()) {
        return Ok(NormalForm::undefined(bad));
    }
    let side = |side: Side, (s, c): (NormalForm, NormalForm)| match side {
        Side::Sine => Ok(s),
        Side::Cosine => Ok(c),
        Side::Tangent => s.div(cx, &c),
    };
    match function.row().reading {
        Reading::Circular(which) => side(which, read_angle(cx, context, u, Family::Angle)?),
        Reading::Hyperbolic(which) => {
            let pair = if context.data(cx).hyperbolic_by_exponential {
                let e = read_exponential(cx, context, u)?;
                let inverse = e.recip(cx)?;
                (e.sub(cx, &inverse)?.scale(cx, &Rational::HALF), e.add(cx, &inverse)?.scale(cx, &Rational::HALF))
            } else {
                read_angle(cx, context, u, Family::Hyperbolic)?
            };
            side(which, pair)
        }
        Reading::Exponential => read_exponential(cx, context, u),
        Reading::Logarithm => read_logarithm(cx, context, &*normal_form_in(cx, context, u)?),
        Reading::Absolute => read_absolute(cx, context, &*normal_form_in(cx, context, u)?),
        Reading::Sign => read_sign(cx, context, &*normal_form_in(cx, context, u)?),
        Reading::CubeRoot => read_cube_root(cx, context, &*normal_form_in(cx, context, u)?),
        Reading::Opaque { otherwise: Some(rewritten) } if context.data(cx).strong => {
            read_again(cx, context, rewritten(&arguments))
        }
        Reading::Opaque { .. } => {
            let applied = Expr::apply(function, &arguments);
            match applied.node() {
                Node::Apply(f, _) if *f == function => Ok(opaque(applied)),
                _ => read_again(cx, context, applied),
            }
        }
    }
}

/// Reads an expression made here from canonical pieces.
pub(super) fn read_again(cx: &Inquiry, context: Context, e: Expr) -> Budgeted<NormalForm> {
    prepare(cx, &[e])?;
    Ok((*normal_form_in(cx, context, e)?).clone())
}

/// Cases. In a strong context `otherwise + χ·(then − otherwise)` with the indicator χ of the
/// condition written as u > 0 or u = 0; else one generator.
fn read_cases(
    cx: &Inquiry,
    context: Context,
    condition: Condition,
    then: Expr,
    otherwise: Expr,
) -> Budgeted<NormalForm> {
    let left = canonical_of_prepared(cx, condition.left)?;
    let sign = context.sign(cx, left);
    if let Some(holds) = condition.relation.decided_by(sign) {
        return read_again(cx, context, if holds { then } else { otherwise });
    }
    if !context.data(cx).strong {
        let condition = Condition { relation: condition.relation, left };
        let (then, otherwise) = (canonical_of_prepared(cx, then)?, canonical_of_prepared(cx, otherwise)?);
        let cases = Expr::piecewise(condition, then, otherwise);
        return match cases.node() {
            Node::Piecewise { .. } => Ok(opaque(cases)),
            _ => read_again(cx, context, cases),
        };
    }
    // Up to a positive factor.
    let scale = normal_form(cx, left)?.coefficient().abs().recip().unwrap_or(Rational::ONE);
    let left = left.scale(&scale);
    let indicator = |relation: Relation, left: Expr| {
        let meaning = Expr::piecewise(Condition { relation, left }, Expr::one(), Expr::zero());
        match meaning.node() {
            Node::Piecewise { .. } => NormalForm::generator(Generator::indicator(meaning)),
            _ => opaque(meaning),
        }
    };
    let positive = |left: Expr| -> Budgeted<NormalForm> { Ok(indicator(Relation::Greater, canonical(cx, left)?)) };
    let one = NormalForm::one();
    let chi = match condition.relation {
        Relation::Greater => positive(left)?,
        Relation::Less => positive(-left)?,
        Relation::LessEqual => one.sub(cx, &positive(left)?)?,
        Relation::GreaterEqual => one.sub(cx, &positive(-left)?)?,
        Relation::Equal | Relation::NotEqual => {
            // u = 0 and −u = 0 are one condition.
            let (a, b) = (canonical(cx, left)?, canonical(cx, -left)?);
            let equal = indicator(Relation::Equal, a.min(b));
            if condition.relation == Relation::Equal { equal } else { one.sub(cx, &equal)? }
        }
    };
    let (a, b) = (read_again(cx, context, then)?, read_again(cx, context, otherwise)?);
    b.add(cx, &chi.mul(cx, &a.sub(cx, &b)?)?)
}

/// An integral. Terms with a closed form are read as such; of the others constant factors come out, and
/// the bound variable gets a name that depends on nesting only.
fn read_integral(cx: &Inquiry, context: Context, variable: Symbol, body: Expr) -> Budgeted<NormalForm> {
    let whole = unit_integral(cx, body, variable);
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
    let mut sum = read_again(cx, context, closed)?;
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
            let kernel = open_integral(cx, variable, inside)?;
            let term = read_again(cx, context, outside)?.mul(cx, &kernel)?.scale(cx, &(&scale * &c));
            sum = sum.add(cx, &term)?;
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
fn open_integral(cx: &Inquiry, variable: Symbol, body: Expr) -> Budgeted<NormalForm> {
    let depth = post_order(&[body]).iter().filter(|x| matches!(x.node(), Node::Integral { .. })).count();
    let bound = BOUND.with_borrow_mut(|bound| {
        while bound.len() <= depth {
            let name = if bound.is_empty() { "u".to_string() } else { format!("u{}", bound.len() + 1) };
            bound.push(Symbol::bound(&name));
        }
        bound[depth]
    });
    let body = substitute(body, &FxHashMap::from_iter([(variable, Expr::symbol(bound))]));
    let integral = Expr::integral(bound, canonical(cx, body)?);
    match integral.node() {
        Node::Integral { .. } => Ok(opaque(integral)),
        // The variable dropped out: what is left is its own integral.
        _ => Ok((*normal_form(cx, integral)?).clone()),
    }
}
