//! Buchberger's algorithm: Gebauer–Möller criteria, the sugar strategy, fraction-free reduction.
//!
//! The engine works on [`Element`]s of a [`Ring`]: terms in decreasing order with coefficients that are integers,
//! or polynomials in parameters. It stops with what it has when a budget ends; all elements it holds are
//! in the ideal at any time.

use super::coefficient::Coefficient;
use super::order::{Mono, Ring};
use crate::algebra::polynomial::Polynomial;
use crate::budget::Budget;
use crate::budget::{Budgeted, Exhausted};
use std::rc::Rc;

/// Elements of a basis before the computation counts as too large.
const MAX_ELEMENTS: usize = 4000;
/// Terms of one element.
const MAX_TERMS: usize = 200_000;

#[derive(Clone, Debug)]
pub(super) struct Element<C, const W: usize> {
    /// Decreasing, coefficients not zero.
    pub terms: Vec<(Mono<W>, C)>,
    /// The degree the element would have if the computation were homogeneous.
    sugar: u32,
}

impl<C: Coefficient, const W: usize> Element<C, W> {
    pub fn new(terms: Vec<(Mono<W>, C)>) -> Element<C, W> {
        let sugar = terms.iter().map(|(m, _)| m.degree).max().unwrap_or(0);
        Element { terms, sugar }
    }

    pub fn lead(&self) -> &Mono<W> {
        &self.terms[0].0
    }

    fn lead_coefficient(&self) -> &C {
        &self.terms[0].1
    }
}

/// A pair of elements whose S-polynomial is still to be reduced.
struct Pair<const W: usize> {
    left: usize,
    right: usize,
    lcm: Mono<W>,
    sugar: u32,
}

pub(super) struct Engine<'a, C, const W: usize> {
    pub ring: &'a Ring<W>,
    /// Shared with whoever reduces by them again.
    pub elements: Rc<Vec<Element<C, W>>>,
    /// Elements whose leading monomial is not divisible by that of a later one.
    pub active: Vec<usize>,
    pairs: Vec<Pair<W>>,
    /// Nonconstant polynomials in the parameters that were divided by or taken as leading coefficients.
    pub conditions: Vec<Polynomial>,
    /// How many terms may still be combined. A count and not a time, so that the outcome is the same on every machine.
    pub work: u64,
}

/// Coefficients of this size make a step of reduction slow.
const LARGE: usize = 1024;

impl<'a, C: Coefficient, const W: usize> Engine<'a, C, W> {
    pub fn new(ring: &'a Ring<W>) -> Engine<'a, C, W> {
        Engine::of(ring, Rc::default())
    }

    /// With elements to reduce by.
    pub fn of(ring: &'a Ring<W>, elements: Rc<Vec<Element<C, W>>>) -> Engine<'a, C, W> {
        let active = (0..elements.len()).collect();
        Engine { ring, elements, active, pairs: Vec::new(), conditions: Vec::new(), work: u64::MAX }
    }

    /// Counts terms that were combined, with coefficients of so many bits.
    fn spend(&mut self, cx: &Budget, terms: usize, size: usize) -> Budgeted<()> {
        cx.spend(terms as u64 * (1 + size as u64 / 24))?;
        self.work = self.work.checked_sub(terms as u64).ok_or(Exhausted::Nodes)?;
        Ok(())
    }

    /// Makes the engine hold a Gröbner basis of the ideal of the inputs. On an error `active` still lists members of
    /// the ideal that generate it together with the inputs not yet taken.
    pub fn run(&mut self, cx: &Budget, mut inputs: Vec<Element<C, W>>) -> Budgeted<()> {
        inputs.retain(|f| !f.terms.is_empty());
        inputs.sort_by(|f, g| f.lead().cmp(g.lead()).then(f.terms.len().cmp(&g.terms.len())));
        for f in inputs {
            let (f, _) = self.reduce(cx, f, true, false)?;
            if self.insert(cx, f)? {
                return Ok(());
            }
        }
        while let Some(pair) = self.next_pair() {
            cx.check()?;
            let s = self.s_polynomial(cx, &pair)?;
            let (r, _) = self.reduce(cx, s, true, false)?;
            if self.insert(cx, r)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn next_pair(&mut self) -> Option<Pair<W>> {
        let best = self.pairs.iter().enumerate().min_by(|(_, p), (_, q)| {
            p.sugar.cmp(&q.sugar).then_with(|| p.lcm.cmp(&q.lcm)).then_with(|| p.right.cmp(&q.right))
        });
        let index = best?.0;
        Some(self.pairs.swap_remove(index))
    }

    /// Notes that the result is for `c ≠ 0` only.
    fn require(&mut self, c: &C) {
        if !c.is_number() {
            let p = c.to_polynomial().primitive_part();
            if !self.conditions.contains(&p) {
                self.conditions.push(p);
            }
        }
    }

    /// Takes a reduced element into the basis; says whether the basis is the whole ring.
    fn insert(&mut self, cx: &Budget, mut f: Element<C, W>) -> Budgeted<bool> {
        if f.terms.is_empty() {
            return Ok(false);
        }
        self.make_primitive(cx, &mut f)?;
        let lead = f.lead_coefficient().clone();
        self.require(&lead);
        if f.lead().degree == 0 {
            Rc::make_mut(&mut self.elements).push(f);
            self.active = vec![self.elements.len() - 1];
            self.pairs.clear();
            return Ok(true);
        }
        if self.elements.len() >= MAX_ELEMENTS || f.terms.len() > MAX_TERMS {
            return Err(Exhausted::Size);
        }
        self.update(f)?;
        Ok(false)
    }

    fn make_primitive(&mut self, cx: &Budget, f: &mut Element<C, W>) -> Budgeted<()> {
        let content = C::content(cx, f.terms.iter().map(|(_, c)| c))?;
        if content.is_one() {
            return Ok(());
        }
        self.require(&content);
        for (_, c) in &mut f.terms {
            *c = c.over(cx, &content)?;
        }
        Ok(())
    }

    /// Gebauer–Möller: new pairs, and old ones that the new element makes superfluous.
    fn update(&mut self, f: Element<C, W>) -> Budgeted<()> {
        let ring = self.ring;
        let new = self.elements.len();
        let lead = *f.lead();
        let mut candidates: Vec<(Pair<W>, bool)> = Vec::new();
        for &i in &self.active {
            let g = &self.elements[i];
            let lcm = ring.lcm(g.lead(), &lead).ok_or(Exhausted::Size)?;
            let sugar = (g.sugar + lcm.degree - g.lead().degree).max(f.sugar + lcm.degree - lead.degree);
            candidates.push((Pair { left: i, right: new, lcm, sugar }, ring.are_coprime(g.lead(), &lead)));
        }
        // Keep a pair if its lcm is minimal among the new ones; coprime pairs serve to discard others.
        candidates.sort_by(|(p, _), (q, _)| p.lcm.degree.cmp(&q.lcm.degree).then_with(|| p.lcm.cmp(&q.lcm)));
        let mut kept: Vec<(Pair<W>, bool)> = Vec::new();
        for (pair, coprime) in candidates {
            let covered = |(other, other_coprime): &mut (Pair<W>, bool)| {
                let divides = ring.divides(&other.lcm, &pair.lcm);
                if divides && coprime && other.lcm == pair.lcm {
                    // Of equal lcms a coprime one removes all.
                    *other_coprime = true;
                }
                divides
            };
            if !kept.iter_mut().any(covered) {
                kept.push((pair, coprime));
            }
        }
        let elements = &self.elements;
        self.pairs.retain(|pair| {
            !ring.divides(&lead, &pair.lcm)
                || ring.lcm(elements[pair.left].lead(), &lead) == Some(pair.lcm)
                || ring.lcm(elements[pair.right].lead(), &lead) == Some(pair.lcm)
        });
        self.pairs.extend(kept.into_iter().filter(|(_, coprime)| !coprime).map(|(pair, _)| pair));
        self.active.retain(|&i| !ring.divides(&lead, elements[i].lead()));
        self.active.push(new);
        Rc::make_mut(&mut self.elements).push(f);
        Ok(())
    }

    fn s_polynomial(&mut self, cx: &Budget, pair: &Pair<W>) -> Budgeted<Element<C, W>> {
        let (f, g) = (&self.elements[pair.left], &self.elements[pair.right]);
        let (a, b) = C::cofactors(cx, f.lead_coefficient(), g.lead_coefficient())?;
        let (mf, mg) = (self.ring.quotient(&pair.lcm, f.lead()), self.ring.quotient(&pair.lcm, g.lead()));
        let left = self.shifted(cx, &f.terms[1..], &mf, &b)?;
        let terms = self.combine(cx, &left, &C::one(), &g.terms[1..], &mg, &a)?;
        Ok(Element { terms, sugar: pair.sugar })
    }

    fn shifted(&self, cx: &Budget, terms: &[(Mono<W>, C)], m: &Mono<W>, c: &C) -> Budgeted<Vec<(Mono<W>, C)>> {
        let limit = self.ring.limit;
        terms
            .iter()
            .map(|(n, d)| {
                if n.degree + m.degree > limit {
                    return Err(Exhausted::Size);
                }
                Ok((self.ring.product(n, m), d.times(cx, c)?))
            })
            .collect()
    }

    /// `b·f − a·m·g` for lists of terms.
    fn combine(
        &self,
        cx: &Budget,
        f: &[(Mono<W>, C)],
        b: &C,
        g: &[(Mono<W>, C)],
        m: &Mono<W>,
        a: &C,
    ) -> Budgeted<Vec<(Mono<W>, C)>> {
        let minus_a = a.negate();
        let scaled = |c: &C| if b.is_one() { Ok(c.clone()) } else { c.times(cx, b) };
        let mut out = Vec::with_capacity(f.len() + g.len());
        let mut i = 0;
        for (n, c) in g {
            if n.degree + m.degree > self.ring.limit {
                return Err(Exhausted::Size);
            }
            let n = self.ring.product(n, m);
            while i < f.len() && f[i].0 > n {
                out.push((f[i].0, scaled(&f[i].1)?));
                i += 1;
            }
            let mut value = c.times(cx, &minus_a)?;
            if i < f.len() && f[i].0 == n {
                value = value.add(&scaled(&f[i].1)?);
                i += 1;
            }
            if !value.is_zero() {
                out.push((n, value));
            }
        }
        for (n, c) in &f[i..] {
            out.push((*n, scaled(c)?));
        }
        Ok(out)
    }

    /// The remainder modulo the active elements, of the leading term only or of all; and the multiplier with
    /// multiplier·f = remainder modulo the basis. With `exact` unset contents are removed on the way and the
    /// multiplier means nothing.
    pub fn reduce(&mut self, cx: &Budget, f: Element<C, W>, tail: bool, exact: bool) -> Budgeted<(Element<C, W>, C)> {
        let active = std::mem::take(&mut self.active);
        let result = self.reduce_by(cx, f, &active, tail, exact);
        self.active = active;
        result
    }

    fn reduce_by(
        &mut self,
        cx: &Budget,
        f: Element<C, W>,
        reducers: &[usize],
        tail: bool,
        exact: bool,
    ) -> Budgeted<(Element<C, W>, C)> {
        let ring = self.ring;
        let mut sugar = f.sugar;
        let mut done: Vec<(Mono<W>, C)> = Vec::new();
        let mut rest = f.terms;
        let mut start = 0;
        let mut multiplier = C::one();
        let mut steps = 0usize;
        while start < rest.len() {
            cx.check()?;
            // With numbers of thousands of digits a step takes as long as many others.
            if rest[start].1.size() > LARGE {
                cx.spend(rest[start].1.size() as u64)?;
            }
            let lead = rest[start].0;
            let Some(&index) = reducers.iter().find(|&&i| ring.divides(self.elements[i].lead(), &lead)) else {
                if !tail {
                    break;
                }
                done.push(rest[start].clone());
                start += 1;
                continue;
            };
            let g = &self.elements[index];
            let m = ring.quotient(&lead, g.lead());
            let (a, b) = C::cofactors(cx, &rest[start].1, g.lead_coefficient())?;
            rest = self.combine(cx, &rest[start + 1..], &b, &g.terms[1..], &m, &a)?;
            start = 0;
            sugar = sugar.max(g.sugar + m.degree);
            if !b.is_one() {
                for (_, c) in &mut done {
                    *c = c.times(cx, &b)?;
                }
                if exact {
                    multiplier = multiplier.times(cx, &b)?;
                }
            }
            steps += 1;
            let size = rest.first().map_or(0, |(_, c)| c.size());
            self.spend(cx, rest.len() + 1, size)?;
            if rest.len() + done.len() > MAX_TERMS {
                return Err(Exhausted::Size);
            }
            if !exact && steps.is_multiple_of(8) && rest.first().or(done.first()).is_some_and(|(_, c)| c.size() > 256) {
                let content = C::content(cx, done.iter().chain(&rest).map(|(_, c)| c))?;
                if !content.is_one() {
                    self.require(&content);
                    for (_, c) in done.iter_mut().chain(&mut rest) {
                        *c = c.over(cx, &content)?;
                    }
                }
            }
        }
        done.extend(rest.drain(start..));
        Ok((Element { terms: done, sugar }, multiplier))
    }

    /// Minimal and reduced: no term of an element is divisible by the leading monomial of another.
    pub fn reduced_basis(&mut self, cx: &Budget) -> Budgeted<Vec<Element<C, W>>> {
        let ring = self.ring;
        let mut minimal = self.active.clone();
        minimal.sort_by(|&i, &j| self.elements[i].lead().cmp(self.elements[j].lead()));
        let mut basis: Vec<usize> = Vec::new();
        for i in minimal {
            if !basis.iter().any(|&j| ring.divides(self.elements[j].lead(), self.elements[i].lead())) {
                basis.push(i);
            }
        }
        self.active = basis.clone();
        // Smaller leading monomials first: the reducers of an element's tail are reduced already.
        for k in 0..basis.len() {
            let f = self.elements[basis[k]].clone();
            let others: Vec<usize> = basis.iter().copied().filter(|&j| j != basis[k]).collect();
            let (mut f, _) = self.reduce_by(cx, f, &others, true, false)?;
            self.make_primitive(cx, &mut f)?;
            Rc::make_mut(&mut self.elements)[basis[k]] = f;
        }
        Ok(basis.iter().map(|&i| self.elements[i].clone()).collect())
    }
}
