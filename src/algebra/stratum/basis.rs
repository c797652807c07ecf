//! The ideal of a cell: a Gröbner basis of its equations together with the relations of all generators in play.
//!
//! Constants without relations (parameters, π) belong to the coefficients. The others are ordered by jets, the
//! highest derivatives first, so that normal forms express high derivatives by low ones; then time, functions,
//! and constants with relations such as √3.

use super::super::expr::{Expr, Node};
use super::super::generator::{Generator, Kind, reduce};
use super::super::ideal::{self, Order, groebner, groebner_within};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::cell::Frame;
use super::coupling::{fixed, follows as follows_by_coupling, is_implied, n_given};
use super::shear::Shear;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted, Share, share};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::rc::Rc;

/// A reduced Gröbner basis, complete.
#[derive(Clone, Debug)]
pub struct Basis {
    inner: Option<Rc<ideal::Basis>>,
    /// The coordinates of `inner`, if they are not those of the frame.
    shear: Option<Rc<Shear>>,
    /// The elements that say something: those that are not consequences of the relations alone.
    elements: Rc<[Polynomial]>,
    minimal: Rc<OnceCell<Vec<Polynomial>>>,
    closures: Closures,
    /// Values of functions at arguments that the equations give a number, as far as they were asked for.
    values: Rc<RefCell<FxHashMap<u32, Option<Rational>>>>,
}

/// For each polynomial that was asked about, the equations of the part where it does not vanish; `None` if they are the same
/// or were not found.
type Closures = Rc<RefCell<FxHashMap<Polynomial, Option<Vec<Polynomial>>>>>;

/// gⁿ − R for every generator among the variables, their partners and what the relations bring in.
pub fn relations(polynomials: &[Polynomial]) -> Vec<Polynomial> {
    let mut seen: Vec<u32> = Vec::new();
    let mut queue: Vec<u32> = polynomials.iter().flat_map(|p| p.variables().iter().copied()).collect();
    let mut found = Vec::new();
    while let Some(v) = queue.pop() {
        if seen.contains(&v) {
            continue;
        }
        seen.push(v);
        // |sin u| ≤ 1 is known through its cosine.
        if let Kind::Sine(_) = Generator(v).kind() {
            queue.push(v + 1);
        }
        if let Some(relation) = Generator(v).relation() {
            queue.extend(relation.value.variables());
            found.push(&Polynomial::power(v, relation.degree) - &relation.value);
        }
    }
    found.sort();
    found
}

/// The equations with the relations of what occurs in them, and the equations alone, each once and in order.
fn with_relations(equations: &[Polynomial]) -> (Vec<Polynomial>, Vec<Polynomial>) {
    let mut key: Vec<Polynomial> = equations.iter().filter(|e| !e.is_zero()).cloned().collect();
    key.sort();
    key.dedup();
    let mut all = key.clone();
    all.extend(relations(&key));
    (all, key)
}

impl Basis {
    /// No equations.
    pub fn empty() -> Basis {
        Basis {
            inner: None,
            shear: None,
            elements: Rc::new([]),
            minimal: Rc::default(),
            closures: Rc::default(),
            values: Rc::default(),
        }
    }

    pub fn new(cx: &Inquiry, frame: &Frame, equations: &[Polynomial]) -> Budgeted<Basis> {
        if let Some(basis) = Basis::soon(cx, frame, equations)? {
            return Ok(basis);
        }
        let (all, key) = with_relations(equations);
        let (order, parameters) = order_for(frame, &all);
        let inner = groebner(cx, &all, &order, &parameters);
        if !inner.complete {
            cx.check()?;
            return Err(Exhausted::Size);
        }
        Basis::kept(cx, frame, key, inner, None)
    }

    /// The basis, if it is found in bounded work. A set that has none soon is better taken apart first.
    pub(super) fn soon(cx: &Inquiry, frame: &Frame, equations: &[Polynomial]) -> Budgeted<Option<Basis>> {
        let (all, key) = with_relations(equations);
        if key.is_empty() {
            return Ok(Some(Basis::empty()));
        }
        if let Some(known) = frame.known_basis(&key) {
            return Ok(Some(known));
        }
        let (order, parameters) = order_for(frame, &all);
        let attempt = |all: &[Polynomial], order: &Order, work: Share| -> Budgeted<Option<ideal::Basis>> {
            let inner = groebner_within(cx, all, order, &parameters, work);
            if !inner.complete {
                cx.check()?;
            }
            Ok(inner.complete.then_some(inner))
        };
        // Where shorter equations have helped before they are tried first.
        if frame.shear().is_none()
            && let Some(inner) = attempt(&all, &order, share::SHORT_BASIS)?
        {
            return Basis::kept(cx, frame, key, inner, None).map(Some);
        }
        let shear = match frame.shear() {
            Some(shear) => Some(shear),
            None => Shear::shortening(cx, frame, &all)?.map(Rc::new),
        };
        if let Some(shear) = shear {
            let short = all.iter().map(|p| shear.forth(cx, p)).collect::<Budgeted<Vec<_>>>()?;
            if let Some(inner) = attempt(&short, &order, share::FIRST_BASIS)? {
                frame.keep_shear(&shear);
                return Basis::kept(cx, frame, key, inner, Some(shear)).map(Some);
            }
        }
        let inner = match attempt(&all, &order, share::FIRST_BASIS)? {
            Some(inner) => Some(inner),
            None => attempt(&all, &linear_first(&all, &order), share::FIRST_BASIS)?,
        };
        inner.map(|inner| Basis::kept(cx, frame, key, inner, None)).transpose()
    }

    fn kept(
        cx: &Inquiry,
        frame: &Frame,
        key: Vec<Polynomial>,
        inner: ideal::Basis,
        shear: Option<Rc<Shear>>,
    ) -> Budgeted<Basis> {
        let basis = Basis::wrap(cx, frame, inner, shear)?;
        frame.keep_basis(key, &basis);
        Ok(basis)
    }

    fn wrap(cx: &Inquiry, frame: &Frame, inner: ideal::Basis, shear: Option<Rc<Shear>>) -> Budgeted<Basis> {
        for condition in &inner.conditions {
            frame.note_generic(cx, condition)?;
        }
        let mut elements = Vec::new();
        for g in &inner.generators {
            let g = match &shear {
                Some(shear) => shear.back(cx, g)?.primitive_part(),
                None => g.clone(),
            };
            if !reduce(cx, g.clone())?.is_zero() {
                elements.push(g);
            }
        }
        Ok(Basis {
            inner: Some(Rc::new(inner)),
            shear,
            elements: elements.into(),
            minimal: Rc::default(),
            closures: Rc::default(),
            values: Rc::default(),
        })
    }

    /// A basis over the rational numbers, relations not added: the working ideal of a search for points.
    pub(super) fn over_rationals(cx: &Inquiry, equations: &[Polynomial]) -> Budgeted<Basis> {
        let mut variables: Vec<u32> = equations.iter().flat_map(|p| p.variables().iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        let inner = groebner(cx, equations, &Order::grevlex(&variables), &[]);
        if !inner.complete {
            return Err(Exhausted::Size);
        }
        let elements = inner.generators.clone().into();
        Ok(Basis {
            inner: Some(Rc::new(inner)),
            shear: None,
            elements,
            minimal: Rc::default(),
            closures: Rc::default(),
            values: Rc::default(),
        })
    }

    /// Whether there are no common zeros, not even complex ones, for generic parameters.
    pub fn is_trivial(&self) -> bool {
        self.inner.as_ref().is_some_and(|b| b.is_proper() == Some(false))
    }

    /// A polynomial in the coordinates of `inner`.
    pub(super) fn inside(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Polynomial> {
        self.shear.as_ref().map_or_else(|| Ok(p.clone()), |shear| shear.forth(cx, p))
    }

    /// A polynomial in the coordinates of `inner`, in those of the frame.
    pub(super) fn outside(&self, cx: &Inquiry, p: Polynomial) -> Budgeted<Polynomial> {
        self.shear.as_ref().map_or(Ok(p.clone()), |shear| shear.back(cx, &p))
    }

    /// The basis with the relations, in its own coordinates; `None` if there are no equations.
    pub(super) fn inner(&self) -> Option<&ideal::Basis> {
        self.inner.as_deref()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The equations, without the relations.
    pub fn elements(&self) -> &[Polynomial] {
        &self.elements
    }

    /// `multiplier · p = remainder` on the zero set, the multiplier being constant and generically nonzero.
    pub fn normal_form_with_factor(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        p: &Polynomial,
    ) -> Budgeted<(Polynomial, Polynomial)> {
        self.normal_form_as_written(cx, frame, &self.settled(cx, frame, p)?)
    }

    /// The same, without the values of functions at coordinates that have one.
    pub(super) fn normal_form_as_written(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        p: &Polynomial,
    ) -> Budgeted<(Polynomial, Polynomial)> {
        let p = reduce(cx, p.clone())?;
        let Some(inner) = &self.inner else { return Ok((p, Polynomial::one())) };
        if p.is_constant() {
            return Ok((p, Polynomial::one()));
        }
        let remainder = inner.reduce(cx, &self.inside(cx, &p)?)?;
        if !remainder.multiplier.is_constant() {
            frame.note_generic(cx, &remainder.multiplier)?;
        }
        Ok((reduce(cx, self.outside(cx, remainder.polynomial)?)?, remainder.multiplier))
    }

    /// The polynomial with the values of functions whose arguments have one: where x = 0 it is cos x = 1, also if the
    /// cosine was not in play when the equations were read.
    fn settled(&self, cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Polynomial> {
        if self.elements.is_empty() {
            return Ok(p.clone());
        }
        let mut values: Vec<(u32, Rational)> = Vec::new();
        for &g in p.variables() {
            if let Some(x) = self.value_of(cx, frame, g)? {
                values.push((g, x));
            }
        }
        if values.is_empty() { Ok(p.clone()) } else { p.evaluate(cx, &values) }
    }

    /// The value of a function at an argument to which the equations give a number.
    pub(super) fn value_of(&self, cx: &Inquiry, frame: &Frame, g: u32) -> Budgeted<Option<Rational>> {
        if matches!(Generator(g).kind(), Kind::Symbol(_) | Kind::Pi) || Generator(g).is_unspecified() {
            return Ok(None);
        }
        if let Some(known) = self.values.borrow().get(&g) {
            return Ok(known.clone());
        }
        let found = self.find_value(cx, frame, g)?;
        self.values.borrow_mut().insert(g, found.clone());
        Ok(found)
    }

    fn find_value(&self, cx: &Inquiry, frame: &Frame, g: u32) -> Budgeted<Option<Rational>> {
        let meaning = Generator(g).meaning();
        let symbol = |(v, x): (u32, Rational)| match Generator(v).kind() {
            Kind::Symbol(s) if meaning.contains(s) => Some((s, Expr::number(x))),
            _ => None,
        };
        let map: FxHashMap<Symbol, Expr> = self.elements.iter().filter_map(fixed).filter_map(symbol).collect();
        if !map.is_empty() {
            return Ok(substitute(meaning, &map).as_number().cloned());
        }
        // sin(x + y) where x + y = 0.
        let Node::Apply(function, [u]) = meaning.node() else { return Ok(None) };
        let is_known = |s: &Symbol| self.elements.iter().any(|e| e.contains(Generator::of_symbol(*s).0));
        if u.as_symbol().is_some() || !u.symbols().iter().any(is_known) {
            return Ok(None);
        }
        let Some((n, d)) = frame.read(cx, *u)? else { return Ok(None) };
        let (n, factor) = self.normal_form_as_written(cx, frame, &n)?;
        let (Some(n), Some(factor), Some(d)) = (n.as_constant(), factor.as_constant(), d.as_constant()) else {
            return Ok(None);
        };
        let argument = &(&n / &factor) / &d;
        Ok(Expr::apply(*function, &[Expr::number(argument)]).as_number().cloned())
    }

    /// Zero exactly for members of the ideal; otherwise up to a constant factor.
    pub fn normal_form(&self, cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Polynomial> {
        Ok(self.normal_form_with_factor(cx, frame, p)?.0)
    }

    /// The entries of a row in normal form, all multiplied by the same constant.
    pub fn normal_forms(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        entries: &[Polynomial],
        right: &Polynomial,
    ) -> Budgeted<(Vec<Polynomial>, Polynomial)> {
        let mut reduced = Vec::with_capacity(entries.len() + 1);
        for p in entries.iter().chain([right]) {
            reduced.push((reduce(cx, self.settled(cx, frame, p)?)?, Polynomial::one()));
        }
        if let Some(inner) = &self.inner {
            let (mut places, mut list) = (Vec::new(), Vec::new());
            for (i, (p, _)) in reduced.iter().enumerate().filter(|(_, (p, _))| !p.is_constant()) {
                places.push(i);
                list.push(self.inside(cx, p)?);
            }
            for (i, remainder) in places.into_iter().zip(inner.reduce_all(cx, &list)?) {
                if !remainder.multiplier.is_constant() {
                    frame.note_generic(cx, &remainder.multiplier)?;
                }
                reduced[i] = (reduce(cx, self.outside(cx, remainder.polynomial)?)?, remainder.multiplier);
            }
        }
        let mut common = Polynomial::one();
        for (_, factor) in &reduced {
            common = if *factor == common || factor.is_one() { common } else { lcm(cx, &common, factor)? };
        }
        let mut scaled = Vec::with_capacity(reduced.len());
        for (p, factor) in reduced {
            let missing = if factor == common { Polynomial::one() } else { quotient(cx, &common, &factor)? };
            scaled.push(if missing.is_one() { p } else { p.mul(cx, &missing)? });
        }
        let right = scaled.pop().unwrap_or_default();
        Ok((scaled, right))
    }

    /// The number of independent equations: the codimension of the complex zero set among the coordinates. Relations of
    /// generators, of √3, |u|, cos u and cosh u, hold everywhere and do not count. Nor does an equation sin x = sin y beside x = y.
    pub fn codimension(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Option<usize>> {
        let Some(inner) = &self.inner else { return Ok(Some(0)) };
        let variables = inner.order.variables();
        let relations = variables.iter().filter(|v| Generator(**v).has_relation()).count();
        let Some(d) = inner.dimension(cx)? else { return Ok(None) };
        let given = n_given(cx, frame, self, variables)?;
        Ok(Some(variables.len().saturating_sub(d + relations + given)))
    }

    /// Whether every polynomial is in the ideal.
    pub fn contains_all(&self, cx: &Inquiry, frame: &Frame, list: &[Polynomial]) -> Budgeted<bool> {
        for p in list {
            if !self.normal_form(cx, frame, p)?.is_zero() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The closure of the part of the zero set where none of the polynomials vanishes, if it has more equations.
    pub fn saturate(&self, cx: &Inquiry, frame: &Frame, nonzero: &[Polynomial]) -> Budgeted<Option<Vec<Polynomial>>> {
        let Some(inner) = &self.inner else { return Ok(None) };
        // The ideal of a graph is prime: a polynomial outside it divides no zero.
        if self.is_graph(cx)? {
            return Ok(None);
        }
        let shares = |n: &&Polynomial| {
            let known = |v: &u32| self.elements.iter().any(|e| e.contains(*v)) && !frame.is_constant(*v);
            n.variables().iter().any(known)
        };
        let factors: Vec<&Polynomial> = nonzero.iter().filter(shares).collect();
        if factors.is_empty() {
            return Ok(None);
        }
        // One by one, each asked once: cells with the same equations share their answers.
        for n in factors {
            let known = self.closures.borrow().get(n).cloned();
            let found = match known {
                Some(found) => found,
                None => {
                    let found = self.closure_where(cx, inner, n)?;
                    self.closures.borrow_mut().insert(n.clone(), found.clone());
                    found
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn closure_where(&self, cx: &Inquiry, inner: &ideal::Basis, n: &Polynomial) -> Budgeted<Option<Vec<Polynomial>>> {
        let n = self.inside(cx, n)?;
        let saturated = ideal::saturate_within(cx, &inner.generators, &n, &inner.parameters, share::MINOR)?;
        if !saturated.complete && cx.is_over() {
            return Err(cx.why());
        }
        cx.check()?;
        if !saturated.complete || inner.contains_all(cx, &saturated.generators)? == Some(true) {
            return Ok(None);
        }
        saturated.generators.into_iter().map(|g| self.outside(cx, g)).collect::<Budgeted<Vec<_>>>().map(Some)
    }

    /// Whether the equations give some coordinates as functions of the others, which are free but for sin² + cos² = 1:
    /// every equation begins with a coordinate to the first power, and these are different. The quotient by such
    /// an ideal is a ring of polynomials over the coordinates of some circles, which has no zero divisors.
    pub(super) fn is_graph(&self, cx: &Inquiry) -> Budgeted<bool> {
        let Some(inner) = &self.inner else { return Ok(true) };
        if self.shear.is_some() {
            return Ok(false);
        }
        let is_circular = |v: u32| matches!(Generator(v).kind(), Kind::Sine(_) | Kind::Cosine(_));
        let is_free = |v: u32| Generator(v).relation().is_none() && !is_circular(v) && !is_hyperbolic(v);
        for (g, lead) in inner.generators.iter().zip(inner.leading_monomials(cx)?) {
            let is_solved = matches!(lead.as_slice(), [(v, 1)] if is_free(*v));
            let is_circle = !self.elements.contains(g);
            if !(is_solved || is_circle) || !g.variables().iter().all(|v| is_free(*v) || is_circular(*v)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Generators of the elimination ideal in which no variable satisfies `is_eliminated`.
    pub fn eliminate(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        is_eliminated: impl Fn(u32) -> bool,
    ) -> Budgeted<Vec<Polynomial>> {
        let Some(inner) = &self.inner else { return Ok(vec![]) };
        // In the coordinates of the frame, unless those of the basis have the same projection.
        let shear = self.shear.clone().filter(|s| s.preserves(|v| !is_eliminated(v)));
        let generators = match (&self.shear, &shear) {
            (Some(own), None) => inner.generators.iter().map(|g| own.back(cx, g)).collect::<Budgeted<Vec<_>>>()?,
            _ => inner.generators.clone(),
        };
        let mut variables: Vec<u32> = generators.iter().flat_map(|g| g.variables().iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|v| is_eliminated(*v));
        let result = ideal::eliminate(cx, &generators, &variables, &inner.parameters);
        if !result.complete {
            return Err(Exhausted::Size);
        }
        Basis::wrap(cx, frame, result, shear)?.minimal_generators(cx, frame)
    }

    /// As few elements as generate the same ideal together with the relations: the largest that are consequences of
    /// the others are left out.
    pub fn minimal_generators(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Vec<Polynomial>> {
        if let Some(known) = self.minimal.get() {
            return Ok(known.clone());
        }
        let found = self.find_minimal_generators(cx, frame)?;
        Ok(self.minimal.get_or_init(|| found).clone())
    }

    /// So many equations are needed at least beside the relations: an ideal of codimension k has k generators or more (Krull).
    fn least_number(&self, cx: &Inquiry) -> Budgeted<usize> {
        let Some(inner) = &self.inner else { return Ok(0) };
        let Some(d) = inner.dimension(cx)? else { return Ok(0) };
        let variables = inner.order.variables();
        let relations = variables.iter().filter(|v| Generator(**v).has_relation()).count();
        Ok(variables.len().saturating_sub(d + relations))
    }

    fn find_minimal_generators(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Vec<Polynomial>> {
        let mut kept = self.elements.to_vec();
        kept.retain(|e| !is_implied(e, &self.elements));
        let mut implied = Vec::new();
        for e in &kept {
            if let Some((g, x)) = fixed(e)
                && self.value_of(cx, frame, g)? == Some(x)
            {
                implied.push(e.clone());
            } else if follows_by_coupling(cx, frame, e, &self.elements)? {
                implied.push(e.clone());
            }
        }
        kept.retain(|e| !implied.contains(e));
        // As a reader lists them: simple ones first, low derivatives first, in the order of declaration.
        kept.sort_by_cached_key(|g| {
            let mut places: Vec<(u32, u32, u32)> = g.variables().iter().map(|v| place(*v)).collect();
            places.sort_unstable();
            (g.total_degree(), places.last().map(|p| p.0), places)
        });
        if kept.iter().all(|g| g.total_degree() == 1) || kept.len() <= self.least_number(cx)? {
            return Ok(kept);
        }
        let mut i = kept.len();
        while i > 0 {
            i -= 1;
            let rest: Vec<Polynomial> =
                kept.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, g)| g.clone()).collect();
            if rest.is_empty() {
                break;
            }
            if follows(cx, frame, &rest, &kept[i])? {
                kept.remove(i);
            }
        }
        Ok(kept)
    }
}

fn is_hyperbolic(v: u32) -> bool {
    matches!(Generator(v).kind(), Kind::HyperbolicSine(_) | Kind::HyperbolicCosine(_))
}

/// Whether an equation is seen to follow from others. A part of a basis may be much harder to complete than the whole,
/// and what is not seen in a while is kept.
fn follows(cx: &Inquiry, frame: &Frame, others: &[Polynomial], g: &Polynomial) -> Budgeted<bool> {
    let mut all = others.to_vec();
    all.extend(relations(&[others, std::slice::from_ref(g)].concat()));
    // What gives a quantity of its own a value follows from nothing else, as long as there are zeros at all.
    let is_own =
        |v: &u32| g.degree_in(*v) == 1 && g.coefficient_in(*v, 1).is_constant() && !all.iter().any(|e| e.contains(*v));
    if g.variables().iter().any(is_own) {
        return Ok(false);
    }
    let (order, parameters) = order_for(frame, &all);
    let smaller = groebner_within(cx, &all, &order, &parameters, share::DEPENDENCE);
    cx.check()?;
    for condition in &smaller.conditions {
        frame.note_generic(cx, condition)?;
    }
    let remainder = smaller.reduce(cx, g)?;
    Ok(remainder.polynomial.is_zero())
}

/// The same variables, those in which all equations are linear together first. A basis then begins as elimination
/// in a linear system: velocities and multipliers are expressed by the angles that turn them.
fn linear_first(all: &[Polynomial], order: &Order) -> Order {
    let mut linear: Vec<u32> = Vec::new();
    for &v in order.variables() {
        let alone = |p: &Polynomial| {
            p.degree_in(v) < 2
                && p.terms().all(|(m, _)| !m.iter().any(|(w, _)| *w == v) || !m.iter().any(|(w, _)| linear.contains(w)))
        };
        if matches!(Generator(v).kind(), Kind::Symbol(_)) && all.iter().all(alone) {
            linear.push(v);
        }
    }
    let rest: Vec<u32> = order.variables().iter().copied().filter(|v| !linear.contains(v)).collect();
    Order::of_blocks(&[&linear, &rest])
}

/// Jet order, and the place of declaration among coordinates or among other symbols. These are counted apart, each from the
/// beginning of the thread: numbers of the one kind and of the other say nothing when they are compared.
fn place(v: u32) -> (u32, u32, u32) {
    match Generator(v).kind() {
        Kind::Symbol(s) => match s.as_jet() {
            Some((coordinate, order)) => (order, 0, coordinate.index()),
            None => (0, 1, s.index()),
        },
        _ => (0, 2, 0),
    }
}

fn lcm(cx: &Inquiry, a: &Polynomial, b: &Polynomial) -> Budgeted<Polynomial> {
    // Up to a number is not enough here: the product is always a common multiple.
    if a.is_one() {
        return Ok(b.clone());
    }
    a.mul(cx, b)
}

fn quotient(cx: &Inquiry, a: &Polynomial, b: &Polynomial) -> Budgeted<Polynomial> {
    if b.is_one() {
        return Ok(a.clone());
    }
    a.div_exact(cx, b)?.ok_or(Exhausted::Size)
}

/// The order of the variables, and which of them are coefficients.
fn order_for(frame: &Frame, all: &[Polynomial]) -> (Order, Vec<u32>) {
    let mut variables: Vec<u32> = all.iter().flat_map(|p| p.variables().iter().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    let (mut parameters, mut rest) = (Vec::new(), Vec::new());
    for v in variables {
        if frame.is_constant(v) && Generator(v).relation().is_none() && !has_dependent_relation(v, all) {
            parameters.push(v);
        } else {
            rest.push(v);
        }
    }
    rest.sort_by_cached_key(|v| {
        let (order, _, index) = place(*v);
        match Generator(*v).kind() {
            _ if frame.is_constant(*v) => (3, Reverse(0), *v),
            Kind::Symbol(s) if s.as_jet().is_some() => (0, Reverse(order), index),
            Kind::Symbol(_) => (1, Reverse(0), index),
            // A cosine before its sine: cos² is replaced.
            _ => (2, Reverse(*v), 0),
        }
    });
    // Constants with relations are compared last, so that √3 y − x is a linear equation and not one of degree two.
    let first_constant = rest.partition_point(|v| !frame.is_constant(*v));
    let (moving, constant) = rest.split_at(first_constant);
    (Order::of_blocks(&[moving, constant]), parameters)
}

/// Whether the constant occurs in the relation of another constant: sin α belongs with cos α.
fn has_dependent_relation(v: u32, all: &[Polynomial]) -> bool {
    let trigonometric = matches!(Generator(v).kind(), Kind::Sine(_) | Kind::HyperbolicSine(_));
    trigonometric && all.iter().any(|p| p.contains(v + 1))
}
