//! The checked expression. A [`Term`] proves that every name in it means one thing, where it was written: a symbol, the
//! differential of one, a declared value, a parameter of the function around it; that functions and questions have the
//! arguments and options that they take; and it knows, as far as that can be known without computing, what it will be
//! ([`Shape`]). [`resolve`](crate::session::resolve) makes it from the tree of the syntax, [`evaluate`](crate::session::evaluate) reads it,
//! and nothing else.
//!
//! ```text
//! let E(m) = m*x'^2/2       Product [* Local 0, * Power(Symbol x', 2), / 2]
//! lepage(E, F = eta)        Ask { lepage, [E], F = Declared eta }
//! A.x', A[x']               the entry of an answer: whose x is meant is said by the answer ([`Key`], [`TermKind::Shared`])
//! ```

use super::call::Shape;
use super::kind::Kinds;
use super::question::Question;
use super::value::{Indexed, Value};
use crate::algebra::assume::Facts;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::inquiry::Remembered;
use crate::algebra::number::Rational;
use crate::algebra::{Coordinate, Function, Symbol};
use crate::geometry::jet::FiberedManifold;
use crate::source::Span;
use crate::syntax::ast::{Factor, Name, Sign, Text, Word};
use std::cell::OnceCell;
use std::rc::{Rc, Weak};

/// A checked expression.
#[derive(Clone)]
pub struct Term {
    pub kind: TermKind,
    /// Without the parentheses around it.
    pub span: Span,
    /// With them.
    pub outer: Span,
    /// What is known of its value.
    pub shape: Shape,
}

#[derive(Clone)]
pub enum TermKind {
    Number(Rational),
    Text(Text),
    /// π.
    Pi,
    /// A jet, a parameter, the time, a momentum, a multiplier.
    Symbol(Symbol),
    /// `dx'`.
    Differential(Symbol),
    /// A coordinate that several manifolds have: the place says which.
    Shared(Rc<Shared>),
    Declared(Rc<Declared>),
    /// A parameter of the function, or an index, by its place in the frame.
    Local(usize),
    /// `_`.
    Last,
    /// A name whose value is not made where nothing is asked.
    Unmade(Rc<Unmade>),
    /// What is wrong, and said; or not known yet, in a function that may be declared later.
    Hole,
    Primed {
        of: Box<Term>,
        primes: u32,
    },
    /// `@x'`.
    Partial(Box<Term>),
    Neg(Box<Term>),
    Sum(Vec<(Sign, Term)>),
    Product(Vec<(Factor, Term)>),
    Wedge(Vec<Term>),
    Power {
        base: Box<Term>,
        exponent: Box<Term>,
    },
    Compare {
        relation: Relation,
        left: Box<Term>,
        right: Box<Term>,
        within: Option<Box<Term>>,
    },
    Is {
        subject: Box<Term>,
        negated: bool,
        word: Word,
    },
    At {
        subject: Box<Term>,
        point: Box<Term>,
    },
    Not(Box<Term>),
    And(Vec<Term>),
    /// `base with forces subject to constraints`.
    Composed {
        base: Box<Term>,
        forces: Vec<Term>,
        constraints: Vec<Term>,
    },
    Or(Vec<Term>),
    /// `V'(x)`, and `D(V, 1, 2)(x, y)` with the positions 1, 2.
    Unspecified {
        function: Function,
        primes: u32,
        by: Vec<Term>,
        arguments: Vec<Term>,
    },
    Elementary {
        function: Elementary,
        primes: u32,
        arguments: Vec<Term>,
    },
    Root(Box<Term>),
    /// The comparison, what holds if it does, and otherwise.
    Piecewise(Vec<Term>),
    /// `J1(Y)`.
    Jets {
        order: u32,
        of: Box<Term>,
    },
    /// `connection(S).lift(ξ)`: a part that is a function, given by the images of a basis.
    Image {
        images: Box<Term>,
        field: Box<Term>,
    },
    Ask(Box<Ask>),
    Call(Box<Call>),
    /// `of.key`.
    Part {
        of: Box<Term>,
        key: Box<Key>,
    },
    /// `of[keys]`.
    Index {
        of: Box<Term>,
        keys: Vec<Term>,
    },
    /// `dq[i]'`, `p_q[i]` of a family of coordinates.
    Member {
        family: Box<Term>,
        name: Text,
        indices: Vec<Term>,
        reading: Reading,
    },
    /// `A.q[3]''`: the entry of an answer for a jet of a member, unless the answer has a part of that name.
    Entry {
        of: Box<Term>,
        key: Box<Key>,
        family: Rc<Indexed>,
        indices: Vec<Term>,
        primes: u32,
    },
    List(Vec<Term>),
    /// Equations, and repetitions of them.
    Point(Vec<Term>),
    Tuple(Vec<Term>),
    Range {
        from: Box<Term>,
        to: Box<Term>,
    },
    /// `x: value`.
    Component {
        key: Box<Term>,
        value: Box<Term>,
    },
    Each(Rc<Each>),
    Integral(Box<Integral>),
}

/// What a declared name means.
pub struct Declared {
    pub name: Text,
    pub value: Value,
    /// The ground of its promise, if that is not a proof.
    pub sampled: Option<Rc<str>>,
    /// Where the value is one.
    pub conditions: Rc<[Condition]>,
}

/// A declared name of which the shape is known and not the value: that of a run where nothing is run, or that of a
/// question where nothing is asked. Of the latter the value is computed when somebody needs it, a promise or a command that
/// asks after all, and under the facts that held where it was declared.
pub struct Unmade {
    pub name: Text,
    pub shape: Shape,
    /// The manifold on which the value will live.
    pub home: Option<FiberedManifold>,
    /// The columns that a run records, or a sweep collects, where they are known; a run has its states too.
    pub columns: Option<Vec<String>>,
    /// `None` for what only a run makes.
    pub value: Option<Deferred>,
}

pub struct Deferred {
    pub term: Term,
    pub facts: Facts,
    /// The value, once it was needed; `None` if it was refused.
    pub made: Remembered<Option<Value>>,
}

/// A name that is a coordinate on several manifolds.
pub struct Shared {
    pub name: Text,
    pub primes: u32,
    pub choices: Vec<(FiberedManifold, Coordinate)>,
    /// What it means where no manifold is given.
    pub otherwise: Option<Term>,
    pub kind: SharedKind,
}

/// What is made of the coordinate.
#[derive(Clone)]
pub enum SharedKind {
    Symbol,
    Differential,
    /// `p1_x`: prefix; the order is in the primes.
    Momentum(Text),
}

/// What is written before the brackets of a member.
#[derive(Clone)]
pub enum Reading {
    /// `dq[i]'`.
    Differential { primes: u32 },
    /// `p1_q[i]`.
    Momentum { prefix: Text, order: u32 },
}

/// What stands after a dot: the name of a part, or of a jet of the manifold of the answer.
#[derive(Clone)]
pub struct Key {
    pub name: Name,
    pub span: Span,
    /// The jet, parameter or time that it names where it is written.
    pub symbol: Option<Box<Term>>,
    /// `p1_x`: prefix, order and coordinate.
    pub momentum: Option<(Text, u32, Text)>,
}

/// A question with its arguments.
#[derive(Clone)]
pub struct Ask {
    pub row: &'static Question,
    /// The number of `p3(η)`.
    pub number: Option<u32>,
    pub name_span: Span,
    /// In the order in which they are written; an option has its name, and its place begins with it.
    pub arguments: Vec<(Option<Text>, Term)>,
}

/// A call of a function of the language.
#[derive(Clone)]
pub struct Call {
    pub callee: Callee,
    pub primes: u32,
    pub arguments: Vec<Term>,
}

#[derive(Clone)]
pub enum Callee {
    Function(Rc<Defined>),
    /// One of the functions around: a recursion.
    Around(Weak<Defined>),
}

/// A function of the language, resolved.
pub struct Defined {
    pub name: String,
    pub parameters: Vec<Rc<str>>,
    pub span: Span,
    pub checked: OnceCell<Body>,
}

/// What a place in the body of a function needs, and the words that need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    pub kinds: Kinds,
    pub span: Span,
}

/// What the body of a function is, and needs.
pub struct Body {
    pub term: Term,
    /// What each parameter has to be.
    pub needs: Vec<Option<Need>>,
    /// What it gives; degrees may be those of its parameters.
    pub gives: Shape,
    /// Whether it has names, or calls functions that have names, which may be declared later.
    pub is_open: bool,
}

impl Defined {
    /// The same function without a body.
    pub fn head(&self) -> Defined {
        let (name, parameters, span) = (self.name.clone(), self.parameters.clone(), self.span);
        Defined { name, parameters, span, checked: OnceCell::new() }
    }

    /// `None` while the body is being resolved.
    pub fn body(&self) -> Option<&Body> {
        self.checked.get()
    }
}

impl Callee {
    pub fn function(&self) -> Option<Rc<Defined>> {
        match self {
            Callee::Function(function) => Some(function.clone()),
            Callee::Around(function) => function.upgrade(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    Sum,
    Product,
    List,
}

/// `sum(i in 1..n, …, body)`; the indices take the places after those around.
pub struct Each {
    pub of: Repetition,
    pub ranges: Vec<Term>,
    pub body: Term,
    /// Whether the body has no index or parameter but its own.
    pub is_alone: bool,
}

/// `integral(u in a..b, body)`.
#[derive(Clone)]
pub struct Integral {
    pub variable: Text,
    pub from: Term,
    pub to: Term,
    pub body: Term,
}

impl Term {
    pub fn hole(span: Span) -> Term {
        Term { kind: TermKind::Hole, span, outer: span, shape: Shape::UNKNOWN }
    }

    /// The two sides of `left = right`.
    pub fn equation(&self) -> Option<(&Term, &Term)> {
        match &self.kind {
            TermKind::Compare { relation: Relation::Equal, left, right, within: None } => Some((left, right)),
            _ => None,
        }
    }

    /// The operands, from left to right.
    pub fn operands(&self) -> Vec<&Term> {
        match &self.kind {
            TermKind::Number(_)
            | TermKind::Text(_)
            | TermKind::Pi
            | TermKind::Symbol(_)
            | TermKind::Differential(_)
            | TermKind::Shared(_)
            | TermKind::Declared(_)
            | TermKind::Local(_)
            | TermKind::Last
            | TermKind::Unmade(_)
            | TermKind::Hole => vec![],
            TermKind::Primed { of, .. }
            | TermKind::Partial(of)
            | TermKind::Neg(of)
            | TermKind::Not(of)
            | TermKind::Root(of)
            | TermKind::Jets { of, .. }
            | TermKind::Part { of, .. }
            | TermKind::Is { subject: of, .. } => vec![of],
            TermKind::Sum(terms) => terms.iter().map(|(_, t)| t).collect(),
            TermKind::Product(factors) => factors.iter().map(|(_, t)| t).collect(),
            TermKind::Wedge(all)
            | TermKind::And(all)
            | TermKind::Or(all)
            | TermKind::List(all)
            | TermKind::Point(all)
            | TermKind::Tuple(all)
            | TermKind::Piecewise(all)
            | TermKind::Elementary { arguments: all, .. } => all.iter().collect(),
            TermKind::Member { family, indices, .. } => std::iter::once(&**family).chain(indices).collect(),
            TermKind::Power { base: a, exponent: b }
            | TermKind::At { subject: a, point: b }
            | TermKind::Range { from: a, to: b }
            | TermKind::Image { images: a, field: b }
            | TermKind::Component { key: a, value: b } => vec![a, b],
            TermKind::Compare { left, right, within, .. } => {
                [&**left, &**right].into_iter().chain(within.as_deref()).collect()
            }
            TermKind::Composed { base, forces, constraints } => {
                std::iter::once(&**base).chain(forces).chain(constraints).collect()
            }
            TermKind::Unspecified { by, arguments, .. } => by.iter().chain(arguments).collect(),
            TermKind::Ask(ask) => ask.arguments.iter().map(|(_, t)| t).collect(),
            TermKind::Call(call) => call.arguments.iter().collect(),
            TermKind::Index { of, keys } => std::iter::once(&**of).chain(keys).collect(),
            TermKind::Entry { of, indices, .. } => std::iter::once(&**of).chain(indices).collect(),
            TermKind::Each(each) => each.ranges.iter().chain([&each.body]).collect(),
            TermKind::Integral(integral) => vec![&integral.from, &integral.to, &integral.body],
        }
    }

    /// The first of this term and those below it, from left to right, that has the property.
    pub fn find(&self, has: &dyn Fn(&Term) -> bool) -> Option<&Term> {
        if has(self) {
            return Some(self);
        }
        self.operands().into_iter().find_map(|t| t.find(has))
    }

    /// The terms of a sum, or the term itself.
    pub fn summands(&self) -> Vec<&Term> {
        match &self.kind {
            TermKind::Sum(terms) => terms.iter().flat_map(|(_, t)| t.summands()).collect(),
            TermKind::Neg(of) => of.summands(),
            _ => vec![self],
        }
    }

    /// Where a symbol, or its differential, is written.
    pub fn mention(&self, symbol: Symbol) -> Option<Span> {
        let is_it = |t: &Term| matches!(&t.kind, TermKind::Symbol(s) | TermKind::Differential(s) if *s == symbol);
        self.find(&is_it).map(|t| t.span)
    }

    /// Whether something of it is not known yet.
    pub fn is_open(&self) -> bool {
        let is_open = |t: &Term| match &t.kind {
            TermKind::Hole => true,
            TermKind::Call(call) => match &call.callee {
                Callee::Function(function) => function.body().is_none_or(|body| body.is_open),
                Callee::Around(_) => false,
            },
            _ => false,
        };
        self.find(&is_open).is_some()
    }

    /// The manifold on which its value lives, as far as its names say.
    pub fn home(&self) -> Option<FiberedManifold> {
        match &self.kind {
            TermKind::Declared(declared) => match &declared.value {
                Value::System(system) => Some(system.manifold.clone()),
                Value::Answer(answer) => answer.manifold.clone(),
                Value::Run(run) => Some(run.manifold.clone()),
                Value::OnSpace(on) => Some(on.space.manifold().clone()),
                _ => None,
            },
            TermKind::Unmade(unmade) => unmade.home.clone(),
            TermKind::Ask(ask) => ask.arguments.iter().find_map(|(_, t)| t.home()),
            TermKind::Part { of, .. } => of.home(),
            _ => None,
        }
    }
}
