//! Generators: the independent quantities of which normal forms are rational functions.
//!
//! A normal form is a quotient of polynomials. Its variables are not only symbols: sin θ, e^(ct),
//! √(c² − v²), |x|, V(q) are variables too, each with what is known of it:
//!
//! - its *meaning*, the expression it stands for;
//! - at most one *relation* gⁿ = R, where R is a polynomial in older generators:
//!
//! ```text
//! cos u   c² = 1 − s²        √u      gⁿ = u, g ≥ 0        χ   χ² = χ  (1 where a condition holds, else 0)
//! cosh u  C² = 1 + S²        |u|     g² = u², g ≥ 0       ∛u  g³ = u  for all real u
//! ```
//!
//! - its *sign*, from its meaning and from the facts of [`super::assume`]: eᵘ > 0, |u| ≥ 0, m > 0.
//!
//! Because R is older than g, replacing gⁿ by R from the youngest generator down to the oldest ends,
//! and what remains has degree < n in every g: see [`reduce`]. "Older" is meant in the order of generators, which is that of their
//! numbers. A number is made of what the generator is and not of when it was first met, so that no answer depends on the
//! questions before it: symbols in their own order, then by how deep functions are nested, the rest by shape.
//!
//! Generators that are not tied by a relation are *treated* as independent. Where this is a theorem
//! (distinct symbols, and sines, cosines and exponentials of distinct monomials in them), a reduced
//! polynomial that is not zero is not the zero function; [`is_free`] says for which ones.
//! Everywhere else only "it reduces to zero" is a proof.

use super::assume::{Sign, sign_of};
use super::expr::{Expr, Node};
use super::number::Rational;
use super::polynomial::Polynomial;
use super::symbol::Symbol;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A variable of the polynomials in normal forms; the number is the polynomial's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Generator(pub u32);

/// What sort of quantity a generator is.
#[derive(Clone, Debug)]
pub enum Kind {
    Pi,
    Symbol(Symbol),
    /// sin u; its cosine is the next generator.
    Sine(Expr),
    /// cos u; its sine is the generator before.
    Cosine(Expr),
    /// sinh u; its cosh is the next generator.
    HyperbolicSine(Expr),
    /// cosh u; its sinh is the generator before.
    HyperbolicCosine(Expr),
    /// eᵘ.
    Exponential(Expr),
    /// log u, with u > 0 on the domain.
    Logarithm(Expr),
    /// base^(1/degree), with base ≥ 0 on the domain; its degree-th power is `radicand`.
    Root {
        base: Expr,
        degree: u32,
        radicand: Rc<Polynomial>,
    },
    /// |u|; its square is `square`.
    Absolute {
        of: Expr,
        square: Rc<Polynomial>,
    },
    /// 1 where a condition holds and 0 elsewhere.
    Indicator,
    /// Anything else: V(q), asin u, min, an integral without closed form. Arguments are canonical, so
    /// equal arguments give the same generator.
    Opaque,
}

struct Entry {
    meaning: Expr,
    kind: Kind,
    relation: Option<Relation>,
}

/// g^degree = value.
#[derive(Clone, Debug)]
pub struct Relation {
    pub degree: u32,
    pub value: Rc<Polynomial>,
}

/// Numbers below are those of symbols.
const COMPOSED: u32 = 1 << 31;
/// A composed number has its depth above so many bits of its shape.
const SHAPE: u32 = 26;
const MAX_DEPTH: u32 = 31;

#[derive(Default)]
struct Table {
    /// What is composed, by number.
    entries: FxHashMap<u32, Entry>,
    /// A root or an absolute value is one generator per context, because its relation is written in
    /// the context's generators; all others have tag 0.
    by_meaning: FxHashMap<(Expr, u32), Generator>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    /// A free even number for what has this meaning; the number behind it is free, too.
    fn number(&self, meaning: Expr, relation: Option<&Relation>) -> u32 {
        let deeper = |v: &u32| if *v < COMPOSED { 1 } else { 1 + ((v - COMPOSED) >> SHAPE) };
        let depth = relation.iter().flat_map(|r| r.value.variables().iter().map(deeper)).max().unwrap_or(0);
        let depth = depth.max(meaning.nesting()).min(MAX_DEPTH);
        let within = |shape: u64| COMPOSED | depth << SHAPE | (shape as u32 & ((1 << SHAPE) - 2));
        let shape = meaning.shape() >> 8;
        let mut numbers = (shape..).step_by(2).map(within);
        numbers.find(|n| !self.entries.contains_key(n)).expect("there are more numbers than nodes")
    }

    fn add(&mut self, g: u32, meaning: Expr, tag: u32, kind: Kind, relation: Option<Relation>) -> Generator {
        self.entries.insert(g, Entry { meaning, kind, relation });
        self.by_meaning.insert((meaning, tag), Generator(g));
        Generator(g)
    }
}

fn known(meaning: Expr, tag: u32) -> Option<Generator> {
    TABLE.with_borrow(|t| t.by_meaning.get(&(meaning, tag)).copied())
}

fn find_or_add(meaning: Expr, kind: impl FnOnce() -> (Kind, Option<Relation>)) -> Generator {
    find_or_add_tagged(meaning, 0, kind)
}

fn find_or_add_tagged(meaning: Expr, tag: u32, kind: impl FnOnce() -> (Kind, Option<Relation>)) -> Generator {
    known(meaning, tag).unwrap_or_else(|| {
        let (kind, relation) = kind();
        TABLE.with_borrow_mut(|t| t.add(t.number(meaning, relation.as_ref()), meaning, tag, kind, relation))
    })
}

impl Generator {
    pub fn of_symbol(s: Symbol) -> Generator {
        Generator(s.index())
    }

    pub fn pi() -> Generator {
        find_or_add(Expr::pi(), || (Kind::Pi, None))
    }

    /// A quantity about which nothing is known but its sign.
    pub fn opaque(meaning: Expr) -> Generator {
        find_or_add(meaning, || (Kind::Opaque, None))
    }

    /// sin u and cos u; c² = 1 − s². The meanings are passed in because their constructors belong to
    /// the caller, who has made sure that they are not special values.
    pub fn sine_and_cosine(u: Expr, sine: Expr, cosine: Expr) -> (Generator, Generator) {
        Generator::pair(sine, cosine, Kind::Sine(u), Kind::Cosine(u), -1)
    }

    /// sinh u and cosh u; C² = 1 + S².
    pub fn hyperbolic_pair(u: Expr, sinh: Expr, cosh: Expr) -> (Generator, Generator) {
        Generator::pair(sinh, cosh, Kind::HyperbolicSine(u), Kind::HyperbolicCosine(u), 1)
    }

    fn pair(first: Expr, second: Expr, a: Kind, b: Kind, sign: i64) -> (Generator, Generator) {
        let s = find_or_add(first, || (a, None));
        let c = Generator(s.0 + 1);
        if known(second, 0).is_none() {
            let square = Polynomial::power(s.0, 2).scale(&Rational::from(sign));
            let value = Rc::new(&Polynomial::one() + &square);
            let relation = Some(Relation { degree: 2, value });
            TABLE.with_borrow_mut(|t| t.add(c.0, second, 0, b, relation));
        }
        (s, c)
    }

    /// eᵘ.
    pub fn exponential(u: Expr, meaning: Expr) -> Generator {
        find_or_add(meaning, || (Kind::Exponential(u), None))
    }

    /// log u.
    pub fn logarithm(u: Expr, meaning: Expr) -> Generator {
        find_or_add(meaning, || (Kind::Logarithm(u), None))
    }

    /// base^(1/degree), whose degree-th power is the polynomial `radicand`, written in the generators
    /// of the context that `tag` stands for.
    pub fn root(base: Expr, degree: u32, radicand: &Rc<Polynomial>, meaning: Expr, tag: u32) -> Generator {
        find_or_add_tagged(meaning, tag, || {
            let relation = Relation { degree, value: radicand.clone() };
            (Kind::Root { base, degree, radicand: radicand.clone() }, Some(relation))
        })
    }

    /// The real cube root of what `radicand` says in the generators of the context that `tag` stands for.
    pub fn cube_root(radicand: &Rc<Polynomial>, meaning: Expr, tag: u32) -> Generator {
        find_or_add_tagged(meaning, tag, || (Kind::Opaque, Some(Relation { degree: 3, value: radicand.clone() })))
    }

    /// |of|, whose square is `square`.
    pub fn absolute(of: Expr, square: Rc<Polynomial>, meaning: Expr, tag: u32) -> Generator {
        find_or_add_tagged(meaning, tag, || {
            let relation = Relation { degree: 2, value: square.clone() };
            (Kind::Absolute { of, square }, Some(relation))
        })
    }

    /// χ with χ² = χ.
    pub fn indicator(meaning: Expr) -> Generator {
        // The same cases may be an opaque generator elsewhere.
        let g = find_or_add_tagged(meaning, u32::MAX, || (Kind::Indicator, None));
        TABLE.with_borrow_mut(|t| {
            let entry = t.entries.get_mut(&g.0).expect("it was found or added");
            if entry.relation.is_none() {
                entry.relation = Some(Relation { degree: 2, value: Rc::new(Polynomial::variable(g.0)) });
            }
        });
        g
    }

    /// The symbol that it is.
    pub fn as_symbol(self) -> Option<Symbol> {
        (self.0 < COMPOSED).then(|| Symbol::of_number(self.0))
    }

    pub fn meaning(self) -> Expr {
        match self.as_symbol() {
            Some(s) => Expr::symbol(s),
            None => TABLE.with_borrow(|t| t.entries[&self.0].meaning),
        }
    }

    pub fn kind(self) -> Kind {
        match self.as_symbol() {
            Some(s) => Kind::Symbol(s),
            None => TABLE.with_borrow(|t| t.entries[&self.0].kind.clone()),
        }
    }

    pub fn has_relation(self) -> bool {
        relation_degree(self.0) != u32::MAX
    }

    pub fn relation(self) -> Option<Relation> {
        match self.as_symbol() {
            Some(_) => None,
            None => TABLE.with_borrow(|t| t.entries[&self.0].relation.clone()),
        }
    }

    /// Whether it is a function that nobody has specified, V(q) or a derivative of one: its value at a point can be anything.
    pub fn is_unspecified(self) -> bool {
        matches!(self.kind(), Kind::Opaque) && matches!(self.meaning().node(), Node::Unknown { .. })
    }

    /// What is known about its sign, now.
    pub fn sign(self, cx: &Inquiry) -> Sign {
        let sign = sign_of(cx, self.meaning());
        match self.kind() {
            Kind::Exponential(_) | Kind::HyperbolicCosine(_) => sign.and(Sign::POSITIVE),
            Kind::Root { .. } | Kind::Absolute { .. } | Kind::Indicator => sign.and(Sign::NONNEGATIVE),
            _ => sign,
        }
    }
}

/// The degree of the relation of a variable; `u32::MAX` if it has none.
fn relation_degree(variable: u32) -> u32 {
    if variable < COMPOSED {
        return u32::MAX;
    }
    TABLE.with_borrow(|t| t.entries[&variable].relation.as_ref().map_or(u32::MAX, |r| r.degree))
}

/// Whether some variable stands in a degree that its relation lowers.
fn is_reducible(p: &Polynomial) -> bool {
    p.variables().iter().any(|&v| {
        let degree = relation_degree(v);
        degree != u32::MAX && p.degree_in(v) >= degree
    })
}

/// A polynomial in which a sine has even powers only, with 1 − cos² for its square; `None` if it has odd ones.
pub fn in_cosine(cx: &Inquiry, p: &Polynomial, sine: u32) -> Budgeted<Option<Polynomial>> {
    let parts = p.coefficients_in(sine);
    if parts.iter().skip(1).step_by(2).any(|c| !c.is_zero()) {
        return Ok(None);
    }
    let square = &Polynomial::one() - &Polynomial::power(sine + 1, 2);
    let mut other = Polynomial::zero();
    for c in parts.iter().step_by(2).rev() {
        other = &other.mul(cx, &square)? + c;
    }
    Ok(Some(other))
}

/// Powers beyond this are not replaced; the computation stops instead.
const MAX_DEGREE: u32 = 1 << 16;

/// The polynomial with every gⁿ replaced by what the relation of g says, so that g has degree < n.
pub fn reduce(cx: &Inquiry, p: Polynomial) -> Budgeted<Polynomial> {
    if !is_reducible(&p) {
        return Ok(p);
    }
    let mut p = p;
    // Youngest first: a relation brings in older generators only. χ² = χ brings in itself, of degree one.
    while let Some(&v) = p.variables().iter().rev().find(|&&v| p.degree_in(v) >= relation_degree(v)) {
        cx.check()?;
        let Some(relation) = Generator(v).relation() else { break };
        if p.degree_in(v) > MAX_DEGREE {
            return Err(Exhausted::Size);
        }
        let parts = p.coefficients_in(v);
        let mut sum = Polynomial::zero();
        // Horner in R: Σ_q R^q (Σ_r p_{qn+r} g^r).
        for chunk in parts.chunks(relation.degree as usize).rev() {
            if !sum.is_zero() {
                sum = sum.mul(cx, &relation.value)?;
            }
            sum = &sum + &Polynomial::from_coefficients_in(cx, v, chunk)?;
        }
        p = sum;
    }
    Ok(p)
}

/// Whether the generator belongs to those whose independence is a theorem: symbols, π alone, and the
/// sines, cosines and exponentials of sums of monomials in symbols. (Ax: exponentials of functions that are
/// linearly independent over ℚ modulo constants are algebraically independent over the rational functions;
/// the arguments that a context counts in are independent, and monomials are not constant.) Constants such
/// as sin 1 beside π are not covered, and neither are quotients such as x/(x + y) and y/(x + y), whose sum is 1.
pub fn is_free(g: Generator) -> bool {
    match g.kind() {
        Kind::Pi | Kind::Symbol(_) => true,
        Kind::Sine(u)
        | Kind::Cosine(u)
        | Kind::HyperbolicSine(u)
        | Kind::HyperbolicCosine(u)
        | Kind::Exponential(u) => match u.node() {
            Node::Sum { constant, terms } => constant.is_zero() && terms.iter().all(|(t, _)| is_monomial(*t)),
            _ => is_monomial(u),
        },
        _ => false,
    }
}

/// A product of whole powers of symbols.
fn is_monomial(e: Expr) -> bool {
    match e.node() {
        Node::Symbol(_) => true,
        Node::Product(factors) => factors.iter().all(|(b, n)| n.is_integer() && b.as_symbol().is_some()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::function::Elementary::{Cos, Sin};

    #[test]
    fn cosine_squared_is_reduced_from_the_youngest_generator_down() {
        let cx = &Inquiry::free();
        let x = Expr::symbol(Symbol::parameter("x"));
        let (sine, cosine) = (Expr::apply(Sin, &[x]), Expr::apply(Cos, &[x]));
        let (s, c) = Generator::sine_and_cosine(x, sine, cosine);
        let p = &Polynomial::power(s.0, 2) + &Polynomial::power(c.0, 2);
        assert!(reduce(cx, p).unwrap().is_one());
        // √(cos x): g⁴ = c² = 1 − s².
        let radicand = Rc::new(Polynomial::variable(c.0));
        let g = Generator::root(cosine, 2, &radicand, cosine.sqrt(), 0);
        let p = &Polynomial::power(g.0, 4) + &Polynomial::power(s.0, 2);
        assert!(reduce(cx, p).unwrap().is_one());
    }

    #[test]
    fn an_indicator_is_idempotent() {
        let cx = &Inquiry::free();
        let x = Expr::symbol(Symbol::parameter("chi"));
        let g = Generator::indicator(x);
        assert_eq!(reduce(cx, Polynomial::power(g.0, 5)).unwrap(), Polynomial::variable(g.0));
    }
}
