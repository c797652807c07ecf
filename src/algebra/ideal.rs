//! Ideals: Gröbner bases and what follows from them.
//!
//! A branch of a constraint set is {equations = 0, inequations ≠ 0} (docs/theory/odes.md §8, SPLIT); its
//! equations generate an ideal. A Gröbner basis of it gives normal forms, membership, dimension; with an
//! elimination order, projections; with an extra variable, radical membership and saturation.
//!
//! ```
//! use lepage::workshop::algebra::ideal::{Order, groebner};
//! use lepage::workshop::algebra::polynomial::Polynomial;
//! use lepage::workshop::budget::Budget;
//! let cx = &Budget::unlimited();
//! let (x, y) = (Polynomial::variable(0), Polynomial::variable(1));
//! let circle = &(&x.square(cx).unwrap() + &y.square(cx).unwrap()) - &Polynomial::one();
//! let basis = groebner(cx, &[circle, &x - &y], &Order::lex(&[0, 1]), &[]);
//! assert_eq!(basis.generators[0].to_string(), "2*x1^2 - 1");
//! assert_eq!(basis.dimension(cx).unwrap(), Some(0));
//! ```
//!
//! *Parameters.* Variables given as parameters belong to the coefficients, ℚ(parameters). The basis then holds for
//! generic values, precisely where no member of [`Basis::conditions`] vanishes.
//!
//! *Budgets.* A basis that does not finish is returned with `complete` unset. Its generators generate the same
//! ideal, so "contained" remains a proof, and "not contained" becomes unknown.

mod buchberger;
mod coefficient;
mod conversion;
mod operations;
mod order;

pub use operations::{
    eliminate, eliminate_within, intersection, quotient, radical_contains, saturate, saturate_within,
};
pub use order::Order;

use crate::algebra::factor::factor;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::budget::{Budget, Budgeted, Exhausted, Share, share, somebody_waits};
use buchberger::{Element, Engine};
use coefficient::Coefficient;
use order::{Mono, Ring};
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Generators of an ideal, a reduced Gröbner basis if `complete`.
#[derive(Clone, Debug)]
pub struct Basis {
    /// Integer coefficients without common factor, increasing leading monomials.
    pub generators: Vec<Polynomial>,
    pub order: Order,
    pub parameters: Vec<u32>,
    /// Irreducible polynomials in the parameters that must not vanish for the basis to hold.
    pub conditions: Vec<Polynomial>,
    pub complete: bool,
    in_ring: InRing,
}

/// `multiplier · p = remainder` modulo the ideal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    pub polynomial: Polynomial,
    /// A number, or a polynomial in the parameters.
    pub multiplier: Polynomial,
}

/// A reduced Gröbner basis. Variables of the generators that are neither in the order nor parameters are put
/// behind the others, compared by grevlex.
pub fn groebner(cx: &Budget, generators: &[Polynomial], order: &Order, parameters: &[u32]) -> Basis {
    groebner_within(cx, generators, order, parameters, share::UNBOUNDED)
}

/// The same, stopped when so many terms have been combined: for bases that are useful and not necessary. What it
/// finds does not depend on the speed of the machine.
pub fn groebner_within(
    cx: &Budget,
    generators: &[Polynomial],
    order: &Order,
    parameters: &[u32],
    work: Share,
) -> Basis {
    let order = ring_order(generators, order, parameters);
    let partial = |generators: &[Polynomial]| Basis {
        generators: generators.iter().filter(|p| !p.is_zero()).map(Polynomial::primitive_part).collect(),
        order: order.clone(),
        parameters: parameters.to_vec(),
        conditions: Vec::new(),
        complete: false,
        in_ring: InRing::default(),
    };
    if generators.iter().all(Polynomial::is_zero) {
        return Basis { complete: true, ..partial(&[]) };
    }
    let compute = |order: &Order, generators: &[Polynomial]| {
        with_ring(cx, order, degree_of(generators), parameters, Groebner { generators, work })
            .unwrap_or_else(|_| partial(generators))
    };
    if parameters.is_empty() && order.is_lexicographic() {
        // Lexicographic bases are found by way of grevlex ones.
        let graded = compute(&Order::grevlex(order.variables()), generators);
        if graded.complete {
            return match conversion::lexicographic(cx, &graded, &order) {
                Ok(Some(basis)) => basis,
                Ok(None) => compute(&order, &graded.generators),
                Err(_) => partial(generators),
            };
        }
        return Basis { order, ..graded };
    }
    compute(&order, generators)
}

impl Basis {
    /// False if the ideal is the whole ring: no common zeros, not even complex ones. `None` if that is not known.
    pub fn is_proper(&self) -> Option<bool> {
        if self.generators.iter().any(|g| self.is_unit(g)) {
            return Some(false);
        }
        self.complete.then_some(true)
    }

    fn is_unit(&self, g: &Polynomial) -> bool {
        !g.is_zero() && g.variables().iter().all(|v| self.parameters.contains(v))
    }

    /// The normal form, unique when the basis is complete. With parameters it is determined up to a factor in
    /// the parameters; see [`Basis::reduce`].
    pub fn normal_form(&self, cx: &Budget, p: &Polynomial) -> Budgeted<Polynomial> {
        Ok(self.normal_forms(cx, std::slice::from_ref(p))?.pop().expect("one for one"))
    }

    /// Normal forms of many polynomials, faster than one by one.
    pub fn normal_forms(&self, cx: &Budget, list: &[Polynomial]) -> Budgeted<Vec<Polynomial>> {
        let normal = |r: Remainder| match r.multiplier.as_constant() {
            Some(c) => r.polynomial.unscale(&c).expect("a multiplier is not zero"),
            None => r.polynomial,
        };
        Ok(self.reduce_all(cx, list)?.into_iter().map(normal).collect())
    }

    /// Normal form and multiplier.
    pub fn reduce(&self, cx: &Budget, p: &Polynomial) -> Budgeted<Remainder> {
        Ok(self.reduce_all(cx, std::slice::from_ref(p))?.pop().expect("one for one"))
    }

    /// Normal forms and multipliers of many polynomials, faster than one by one.
    pub fn reduce_all(&self, cx: &Budget, list: &[Polynomial]) -> Budgeted<Vec<Remainder>> {
        let order = ring_order(list, &self.order, &self.parameters);
        let degree = self.degree().max(degree_of(list));
        with_ring(cx, &order, degree, &self.parameters, Reduce { basis: self, list })
    }

    /// Whether the polynomial is in the ideal; `None` if the basis is incomplete and does not show it.
    pub fn contains(&self, cx: &Budget, p: &Polynomial) -> Budgeted<Option<bool>> {
        if self.reduce(cx, p)?.polynomial.is_zero() {
            return Ok(Some(true));
        }
        Ok(self.complete.then_some(false))
    }

    /// Whether the ideal contains all the polynomials.
    pub fn contains_all(&self, cx: &Budget, list: &[Polynomial]) -> Budgeted<Option<bool>> {
        let mut answer = Some(true);
        for p in list {
            match self.contains(cx, p)? {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => answer = None,
            }
        }
        Ok(answer)
    }

    /// The leading monomials of the generators in the basis' order.
    pub fn leading_monomials(&self, cx: &Budget) -> Budgeted<Vec<Monomial>> {
        with_ring(cx, &self.order, self.degree(), &self.parameters, Leads { basis: self })
    }

    /// The dimension of the zero set over ℂ, among all variables of the order: `None` for the whole ring (no
    /// zeros) or an incomplete basis.
    pub fn dimension(&self, cx: &Budget) -> Budgeted<Option<usize>> {
        Ok(self.independent_variables(cx)?.map(|list| list.len()))
    }

    /// A largest set of variables that can be chosen freely (no polynomial in them alone vanishes on all of
    /// the zero set, and none is in the ideal of leading terms).
    pub fn independent_variables(&self, cx: &Budget) -> Budgeted<Option<Vec<u32>>> {
        if self.is_proper() != Some(true) {
            return Ok(None);
        }
        let variables = self.order.variables();
        let supports: Vec<Vec<usize>> = self
            .leading_monomials(cx)?
            .iter()
            .map(|m| m.iter().filter_map(|(v, _)| variables.iter().position(|w| w == v)).collect())
            .collect();
        let dependent = smallest_hitting_set(cx, &supports, variables.len())?;
        Ok(Some((0..variables.len()).filter(|k| !dependent.contains(k)).map(|k| variables[k]).collect()))
    }
}

/// The order with all variables of the polynomials that are not parameters.
fn ring_order(polynomials: &[Polynomial], order: &Order, parameters: &[u32]) -> Order {
    let mut more: Vec<u32> = polynomials.iter().flat_map(|p| p.variables()).copied().collect();
    more.retain(|v| !parameters.contains(v));
    more.sort_unstable();
    more.dedup();
    order.extended(&more)
}

/// Fewest positions that meet every set; by branching on a set not met yet.
fn smallest_hitting_set(cx: &Budget, sets: &[Vec<usize>], n: usize) -> Budgeted<Vec<usize>> {
    let mut best: Vec<usize> = (0..n).collect();
    let mut pending: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(chosen) = pending.pop() {
        cx.check()?;
        if chosen.len() >= best.len() {
            continue;
        }
        let missed = sets.iter().filter(|s| !s.iter().any(|k| chosen.contains(k))).min_by_key(|s| s.len());
        match missed {
            None => best = chosen,
            Some(set) => {
                for &k in set.iter().rev() {
                    let mut next = chosen.clone();
                    next.push(k);
                    pending.push(next);
                }
            }
        }
    }
    Ok(best)
}

/// Something to be done in a ring whose packing is chosen at run time.
trait Task {
    type Output;
    fn run<C: Convert, const W: usize>(
        &self,
        cx: &Budget,
        ring: &Ring<W>,
        parameters: &[u32],
    ) -> Budgeted<Self::Output>;
}

fn degree_of(list: &[Polynomial]) -> u64 {
    list.iter().map(Polynomial::total_degree).max().unwrap_or(0)
}

/// Runs a task on polynomials of a degree with narrow exponents, and again with wide ones if degrees outgrow them.
fn with_ring<T: Task>(cx: &Budget, order: &Order, degree: u64, parameters: &[u32], task: T) -> Budgeted<T::Output> {
    let mut last = Exhausted::Size;
    for width in [8, 16] {
        if degree >= 1 << (width - 2) {
            continue;
        }
        match with_words(cx, order, width, parameters, &task) {
            Err(Exhausted::Size) => last = Exhausted::Size,
            other => return other,
        }
    }
    Err(last)
}

fn with_words<T: Task>(cx: &Budget, order: &Order, width: u32, parameters: &[u32], task: &T) -> Budgeted<T::Output> {
    if let Some(ring) = Ring::<1>::new(order.clone(), width) {
        return with_coefficients(cx, &ring, parameters, task);
    }
    if let Some(ring) = Ring::<3>::new(order.clone(), width) {
        return with_coefficients(cx, &ring, parameters, task);
    }
    match Ring::<16>::new(order.clone(), width) {
        Some(ring) => with_coefficients(cx, &ring, parameters, task),
        None => Err(Exhausted::Size),
    }
}

fn with_coefficients<T: Task, const W: usize>(
    cx: &Budget,
    ring: &Ring<W>,
    parameters: &[u32],
    task: &T,
) -> Budgeted<T::Output> {
    if parameters.is_empty() {
        task.run::<Integer, W>(cx, ring, parameters)
    } else {
        task.run::<Polynomial, W>(cx, ring, parameters)
    }
}

/// Between polynomials and elements of a ring.
trait Convert: Coefficient + 'static {
    /// From a polynomial with integer coefficients.
    fn element<const W: usize>(p: &Polynomial, ring: &Ring<W>) -> Budgeted<Element<Self, W>>;

    fn polynomial<const W: usize>(f: &Element<Self, W>, ring: &Ring<W>) -> Polynomial;
}

impl Convert for Integer {
    fn element<const W: usize>(p: &Polynomial, ring: &Ring<W>) -> Budgeted<Element<Integer, W>> {
        let (variables, rows) = (p.variables(), p.exponent_rows());
        let rows = (0..p.n_terms()).map(|i| &rows[i * variables.len()..(i + 1) * variables.len()]);
        let terms = rows.zip(p.integer_coefficients().iter().cloned());
        element(terms.map(|(row, c)| (variables.iter().copied().zip(row.iter().copied()), c)), ring)
    }

    fn polynomial<const W: usize>(f: &Element<Integer, W>, ring: &Ring<W>) -> Polynomial {
        let rows = f.terms.iter().flat_map(|(m, _)| ring.exponents(m)).collect::<Vec<u32>>();
        Polynomial::from_exponent_rows(ring.order.variables(), &rows, f.terms.iter().map(|(_, c)| c.clone()).collect())
    }
}

impl Convert for Polynomial {
    fn element<const W: usize>(p: &Polynomial, ring: &Ring<W>) -> Budgeted<Element<Polynomial, W>> {
        element(p.coefficients_with_respect_to(ring.order.variables()), ring)
    }

    fn polynomial<const W: usize>(f: &Element<Polynomial, W>, ring: &Ring<W>) -> Polynomial {
        let mut terms = Vec::new();
        for (m, c) in &f.terms {
            let monomial = ring_monomial(m, ring);
            for (inner, c) in c.terms() {
                let mut all = monomial.clone();
                all.extend(inner);
                terms.push((all, c));
            }
        }
        Polynomial::from_terms(terms)
    }
}

/// An element from coefficients and what they stand before.
fn element<M: IntoIterator<Item = (u32, u32)>, C: Coefficient, const W: usize>(
    list: impl IntoIterator<Item = (M, C)>,
    ring: &Ring<W>,
) -> Budgeted<Element<C, W>> {
    let variables = ring.order.variables();
    let mut row = vec![0; variables.len()];
    let mut terms: Vec<(Mono<W>, C)> = Vec::new();
    for (monomial, c) in list {
        row.fill(0);
        let mut degree = 0u64;
        for (v, e) in monomial {
            row[variables.iter().position(|&w| w == v).expect("in the ring")] = e;
            degree += u64::from(e);
        }
        if degree > u64::from(ring.limit) {
            return Err(Exhausted::Size);
        }
        terms.push((ring.monomial(&row), c));
    }
    terms.sort_by_key(|(m, _)| std::cmp::Reverse(*m));
    Ok(Element::new(terms))
}

fn ring_monomial<const W: usize>(m: &Mono<W>, ring: &Ring<W>) -> Monomial {
    ring.order.variables().iter().copied().zip(ring.exponents(m)).filter(|(_, e)| *e > 0).collect()
}

struct Groebner<'a> {
    generators: &'a [Polynomial],
    work: Share,
}

impl Task for Groebner<'_> {
    type Output = Basis;
    fn run<C: Convert, const W: usize>(&self, cx: &Budget, ring: &Ring<W>, parameters: &[u32]) -> Budgeted<Basis> {
        let mut inputs: Vec<Element<C, W>> = Vec::new();
        for p in self.generators {
            inputs.push(C::element(&p.primitive_part(), ring)?);
        }
        let mut engine = Engine::new(ring);
        engine.work = self.work.work();
        let outcome = engine.run(cx, inputs).and_then(|()| engine.reduced_basis(cx));
        let (elements, complete) = match outcome {
            Ok(elements) => (elements, true),
            Err(Exhausted::Size) if ring.limit < 1000 => return Err(Exhausted::Size),
            Err(_) => {
                let mut found: Vec<usize> = engine.active.clone();
                if somebody_waits() {
                    keep_short(&mut found, |i| engine.elements[i].terms.len());
                }
                (found.iter().map(|&i| engine.elements[i].clone()).collect(), false)
            }
        };
        let mut generators = Vec::new();
        for f in &elements {
            generators.push(C::polynomial(f, ring).primitive_part());
        }
        if !complete {
            // What the engine holds need not generate everything yet.
            generators.extend(self.generators.iter().filter(|p| !p.is_zero()).map(Polynomial::primitive_part));
            generators.dedup();
        }
        let mut conditions: Vec<Polynomial> = Vec::new();
        for c in &engine.conditions {
            conditions.extend(factor(cx, c).factors.into_iter().map(|(f, _)| f));
        }
        conditions.sort();
        conditions.dedup();
        let (order, parameters) = (ring.order.clone(), parameters.to_vec());
        Ok(Basis { generators, order, parameters, conditions, complete, in_ring: InRing::default() })
    }
}

/// How many terms are shown, all in all, of a basis that Ctrl-C stopped: megabytes help nobody who waits.
const SHOWN_TERMS: usize = 4_000;

/// Keeps the shortest elements of an unfinished basis, in their order. They are members of the ideal; the inputs come with them.
fn keep_short(found: &mut Vec<usize>, length: impl Fn(usize) -> usize) {
    let mut shortest = found.clone();
    shortest.sort_by_key(|&i| (length(i), i));
    let mut total = 0;
    let fits = shortest.iter().take_while(|&&i| {
        total += length(i);
        total <= SHOWN_TERMS
    });
    let kept: Vec<usize> = fits.copied().collect();
    found.retain(|i| kept.contains(i));
}

/// The generators of a basis as elements of the ring in which it was last asked for something. A copy of a basis begins with
/// nothing, since its generators may become others.
#[derive(Default)]
struct InRing {
    known: RefCell<Option<Rc<dyn Any>>>,
    degree: OnceCell<u64>,
}

impl Clone for InRing {
    fn clone(&self) -> InRing {
        InRing::default()
    }
}

impl std::fmt::Debug for InRing {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("InRing")
    }
}

impl Basis {
    fn degree(&self) -> u64 {
        *self.in_ring.degree.get_or_init(|| degree_of(&self.generators))
    }

    fn elements<C: Convert, const W: usize>(&self, ring: &Ring<W>) -> Budgeted<Rc<Vec<Element<C, W>>>> {
        type Known<C, const W: usize> = (Ring<W>, Rc<Vec<Element<C, W>>>);
        let known = self.in_ring.known.borrow().clone().and_then(|known| known.downcast::<Known<C, W>>().ok());
        if let Some(known) = known.filter(|known| known.0 == *ring) {
            return Ok(known.1.clone());
        }
        let list: Vec<Element<C, W>> = self.generators.iter().map(|g| C::element(g, ring)).collect::<Budgeted<_>>()?;
        let list = Rc::new(list);
        *self.in_ring.known.borrow_mut() = Some(Rc::new((ring.clone(), list.clone())));
        Ok(list)
    }
}

struct Reduce<'a> {
    basis: &'a Basis,
    list: &'a [Polynomial],
}

impl Task for Reduce<'_> {
    type Output = Vec<Remainder>;
    fn run<C: Convert, const W: usize>(
        &self,
        cx: &Budget,
        ring: &Ring<W>,
        _parameters: &[u32],
    ) -> Budgeted<Vec<Remainder>> {
        let mut engine: Engine<C, W> = Engine::of(ring, self.basis.elements(ring)?);
        let mut remainders = Vec::new();
        for p in self.list {
            let f = C::element(&p.numerator(), ring)?;
            let (r, multiplier) = engine.reduce(cx, f, true, true)?;
            let denominator = Rational::integer(p.denominator().clone());
            let polynomial = C::polynomial(&r, ring).unscale(&denominator).expect("a denominator is not zero");
            remainders.push(Remainder { polynomial, multiplier: multiplier.to_polynomial() });
        }
        Ok(remainders)
    }
}

struct Leads<'a> {
    basis: &'a Basis,
}

impl Task for Leads<'_> {
    type Output = Vec<Monomial>;
    fn run<C: Convert, const W: usize>(
        &self,
        _: &Budget,
        ring: &Ring<W>,
        _parameters: &[u32],
    ) -> Budgeted<Vec<Monomial>> {
        Ok(self.basis.elements::<C, W>(ring)?.iter().map(|f| ring_monomial(f.lead(), ring)).collect())
    }
}

#[cfg(test)]
mod tests;
