//! From the tree of the syntax to checked terms. Names are resolved to what they mean where they stand, the heads of
//! applications to functions and questions, arguments and options are matched with the row that takes them, and what is
//! known of each part is inferred from the leaves up ([`shape`](super::shape)). Nothing is computed, and everything that
//! can be found wrong is said at once: a name that nothing declares, a wrong number of arguments, an argument that cannot
//! be meant, an unknown option, part or label.
//!
//! ```text
//! equations(@x)             @x is a vector field, `equations` takes a system
//! classify(L) is regulr     `regulr` is no verdict of that answer
//! ```
//!
//! A run and `lepage check` resolve the same and say the same; a run goes on to evaluate. Nothing is said that a run would
//! not say: a function may be zero, and so a field; entries by coordinate, columns of a run and what depends on values are
//! left to it.
//!
//! Operators are here; [`name`], [`call`], [`part`] and [`space`] are the other things that can be written, [`statement`]
//! is what they stand in.

mod call;
mod habit;
mod name;
mod part;
mod picture;
mod space;
pub mod statement;

pub use call::check_arity;
pub use name::ambiguous;
pub use picture::plot_settings;
pub use space::{coordinate_of, jets_of};

use super::checked::Reduced;
use super::interpreter::Answered;
use super::scope::{Closure, Meaning, Scope};
use super::shape;
use super::term::{Defined, Each, Integral, Repetition, Term, TermKind, Unmade};
use crate::algebra::Symbol;
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::jet::FiberedManifold;
use crate::model::compare;
use crate::model::kind::{FIELD, FORM, FUNCTION, MATRIX};
use crate::model::value::{Fallible, Value};
use crate::questions::call::{self as row, Shape};
use crate::source::Span;
use crate::syntax::ast::{self, Ast, ExprId, ExprKind, Text};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// How deep expressions may nest.
const MAX_DEPTH: u32 = 500;

/// Who makes more mistakes in one statement wrote another language.
const MAX_PROBLEMS: usize = 100;

/// Something wrong, and what may tell, when it is evaluated, what to write instead.
pub struct Problem {
    pub diagnostic: Diagnostic,
    pub about: Option<About>,
}

/// What an argument of a wrong kind belongs to.
#[derive(Clone)]
pub enum About {
    /// The argument alone.
    Argument(Term),
    /// The question: some know what was meant.
    Question(Rc<Term>),
}

/// Whether a name that nothing declares is a mistake here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Every name is known.
    Known,
    /// It may be declared later, or the manifold that would say it is not known yet.
    Open,
}

/// What a name stands for that several manifolds share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// For one of them; which one has to be said.
    Value,
    /// Between the brackets of `A[x]`: for that of the manifold of the answer.
    Key,
    /// On the left of `{ x = 1 }`: for each of them.
    Entry,
}

/// What a place takes, where that is less than any name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    Anything,
    /// After `from`, before the sign in `{ x = 1 }`: a coordinate or a jet.
    State,
    /// After `record`: what can be computed from the state.
    Column,
    /// After `@`.
    Direction,
    /// After `plot`, `save` and their like.
    Run,
    /// After `simulate`, and as the first argument of most questions.
    System,
    /// After `with`.
    Force,
    /// After `subject to`.
    Constraint,
}

/// Functions whose names are open, as they are resolved for one statement.
type Bodies = Rc<RefCell<FxHashMap<*const Closure, Rc<Defined>>>>;

/// The place from which names are seen.
pub struct Resolver<'s> {
    pub(super) scope: &'s Scope,
    pub(super) ast: &'s Ast,
    /// The manifold of the `on` clause: its coordinates come first.
    pub(super) on: Option<FiberedManifold>,
    /// The answer before this one, `_`.
    last: Option<&'s Answered>,
    /// What `_` will be, where nothing is asked.
    foreseen: Option<&'s Rc<Unmade>>,
    /// Parameters of the function and indices of repetitions, innermost last.
    pub(super) locals: Vec<(Rc<str>, Shape)>,
    names: Names,
    stand: Stand,
    pub(super) wants: Wants,
    /// The expression that is the whole question, or what `let` names.
    top: Option<ExprId>,
    /// In the body of a function what was declared around it comes before the manifold of whoever calls it.
    in_function: bool,
    problems: Vec<Problem>,
    /// Names that were said to be unknown: once is enough.
    told: FxHashSet<Rc<str>>,
    /// The places of the bare names that are terms of a Lagrangian, as in T - V: a parameter there would say nothing.
    pub(super) energies: Vec<Span>,
    /// What is run has momenta among its states.
    pub(super) canonical: bool,
    depth: u32,
    bodies: Bodies,
    /// In what a sweep collects.
    collecting: Option<Collecting>,
}

/// The reductions that were met so far, and the symbols of recorded names.
#[derive(Default)]
struct Collecting {
    reductions: Vec<Reduced>,
    recorded: Vec<(Symbol, Text)>,
}

impl<'s> Resolver<'s> {
    pub fn new(scope: &'s Scope, ast: &'s Ast) -> Resolver<'s> {
        Resolver {
            scope,
            ast,
            on: None,
            last: None,
            foreseen: None,
            locals: vec![],
            names: Names::Known,
            stand: Stand::Value,
            wants: Wants::Anything,
            top: None,
            in_function: false,
            problems: vec![],
            told: FxHashSet::default(),
            energies: vec![],
            canonical: false,
            depth: 0,
            bodies: Bodies::default(),
            collecting: None,
        }
    }

    pub fn with_last(mut self, last: Option<&'s Answered>) -> Resolver<'s> {
        self.last = last;
        self
    }

    pub fn with_foreseen(mut self, foreseen: Option<&'s Rc<Unmade>>) -> Resolver<'s> {
        self.foreseen = foreseen;
        self
    }

    /// What was found wrong, in the order of the source and each once.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut list: Vec<Problem> = vec![];
        for problem in self.problems {
            if list.iter().all(|p| p.diagnostic != problem.diagnostic) {
                list.push(problem);
            }
        }
        list.sort_by_key(|p| (p.diagnostic.primary(), p.diagnostic.severity, p.diagnostic.code.number));
        list
    }

    /// What `work` gives on this manifold.
    fn on<T>(&mut self, manifold: Option<&FiberedManifold>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.on, manifold.cloned());
        let result = work(self);
        self.on = before;
        result
    }

    /// What `work` gives where names are open.
    fn open<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.names, Names::Open);
        let result = work(self);
        self.names = before;
        result
    }

    fn standing<T>(&mut self, stand: Stand, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.stand, stand);
        let result = work(self);
        self.stand = before;
        result
    }

    /// Whether this is all that is asked.
    pub(super) fn is_whole_question(&self, span: Span) -> bool {
        self.top.is_some_and(|id| self.ast.name(id).is_some() && self.ast.span(id) == span)
    }

    fn wanting<T>(&mut self, wants: Wants, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.wants, wants);
        let result = work(self);
        self.wants = before;
        result
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.say_about(diagnostic, None);
    }

    fn say_about(&mut self, diagnostic: Diagnostic, about: Option<About>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { diagnostic, about });
        }
    }

    /// What is said of a refusal, and nothing in its place.
    fn or_hole<T>(&mut self, result: Fallible<T>) -> Option<T> {
        result.map_err(|d| self.say(*d)).ok()
    }

    /// The checked term of an expression.
    pub fn term(&mut self, id: ExprId) -> Term {
        let span = self.ast.span(id);
        if self.depth >= MAX_DEPTH {
            self.say(too_deep(span));
            return Term::hole(span);
        }
        self.depth += 1;
        let kind = self.kind(id);
        self.depth -= 1;
        self.made(id, kind)
    }

    fn made(&self, id: ExprId, kind: TermKind) -> Term {
        let shape = shape::infer(&kind, self.in_function, &|t| t.shape.clone(), &|i| self.locals[i].1.clone());
        let shape = match &kind {
            TermKind::Last => self.last.map_or(Shape::UNKNOWN, |last| crate::questions::word::of_value(&last.value)),
            _ => shape,
        };
        Term { kind, span: self.ast.span(id), outer: self.ast.outer(id), shape }
    }

    fn boxed(&mut self, id: ExprId) -> Box<Term> {
        Box::new(self.term(id))
    }

    fn all(&mut self, ids: &[ExprId]) -> Vec<Term> {
        ids.iter().map(|id| self.term(*id)).collect()
    }

    fn kind(&mut self, id: ExprId) -> TermKind {
        if self.collecting.is_some()
            && let Some(kind) = self.collected(id)
        {
            return kind;
        }
        let ast = self.ast;
        let span = ast.span(id);
        match ast.kind(id) {
            ExprKind::Number(n) => TermKind::Number(n.clone()),
            ExprKind::String(text) => TermKind::Text(text.clone()),
            ExprKind::Name(name) => self.name(id, name, span),
            ExprKind::Primed { of, primes } => self.primed(*of, *primes),
            ExprKind::Partial(of) => TermKind::Partial(self.wanting(Wants::Direction, |r| r.boxed(*of))),
            ExprKind::Neg(of) => TermKind::Neg(self.boxed(*of)),
            ExprKind::Sum(terms) => TermKind::Sum(terms.iter().map(|(sign, id)| (*sign, self.term(*id))).collect()),
            ExprKind::Product(factors) => {
                self.leibniz(factors);
                TermKind::Product(factors.iter().map(|(op, id)| (*op, self.term(*id))).collect())
            }
            ExprKind::Wedge(all) => TermKind::Wedge(self.all(all)),
            ExprKind::Power { base, exponent } => {
                if let Some(problem) = self.power_of_family(self.ast.span(id), *base, *exponent) {
                    self.say(problem);
                    return TermKind::Hole;
                }
                if let Some(problem) = self.power_of_function_name(self.ast.span(id), *base, *exponent) {
                    self.say(problem);
                    return TermKind::Hole;
                }
                // `r'^T`
                let transposed = self.ast.name(*exponent).filter(|n| &*n.text == "T" && n.primes == 0);
                if transposed.is_some() && self.scope.value("T").is_none() {
                    let base = self.boxed(*base);
                    let place = Span { start: base.outer.end, end: self.ast.outer(*exponent).end, ..span };
                    let d =
                        Diagnostic::error(&codes::UNKNOWN_NAME, "`T` is no exponent").label(place, "another notation");
                    self.say(match base.shape.kinds.within(MATRIX) {
                        true => d.repair_at(
                            Goes::Quoting(vec![base.outer]),
                            "the transposed matrix is `transpose(A)`",
                            base.outer.to(place),
                            "transpose(…)",
                        ),
                        false => d.repair("a vector stands on either side of a matrix: leave it out", place, ""),
                    });
                    return TermKind::Hole;
                }
                TermKind::Power { base: self.boxed(*base), exponent: self.boxed(*exponent) }
            }
            ExprKind::Compare { op, left, right, within } => {
                // `x^2 at x = 1`
                if let (ExprKind::At { point, .. }, ast::Comparison::Equal) = (ast.kind(*left), op)
                    && ast.name(*point).is_some_and(|n| self.is_coordinate(&n.text))
                    && self.names == Names::Known
                {
                    let place = ast.outer(*point).to(ast.outer(*right));
                    let d = Diagnostic::error(&codes::WRONG_KIND, "a point stands in braces").label(place, "here");
                    let places = Goes::Quoting(vec![ast.outer(*point), ast.outer(*right)]);
                    self.say(d.repair_at(places, "write `at { x = 1 }`", place, "{ … = … }"));
                    return TermKind::Hole;
                }
                TermKind::Compare {
                    relation: *op,
                    left: self.boxed(*left),
                    right: self.boxed(*right),
                    within: within.map(|w| self.boxed(w)),
                }
            }
            ExprKind::Is { subject, negated, word } => {
                let subject = self.boxed(*subject);
                if let Some(d) = row::unknown_word(&subject.shape, &word.node) {
                    let sign = match &*word.node {
                        "positive" => Some(" > 0"),
                        "negative" => Some(" < 0"),
                        "nonnegative" => Some(" >= 0"),
                        "nonzero" => Some(" != 0"),
                        _ => None,
                    };
                    let d = d.or_at(word.span, "here");
                    let kept = ["conserved", "constant", "invariant", "an_integral", "integral"];
                    if kept.contains(&&*word.node)
                        && let Some(system) = self.only(|value| matches!(value, Value::System(_)))
                    {
                        let written = format!("first_integral({system}, …)");
                        let help = format!("whether it is constant along every motion: `{written}`");
                        self.say(d.repair_at(Goes::Quoting(vec![subject.outer]), help, span, written));
                        return TermKind::Hole;
                    }
                    self.say(match sign {
                        Some(sign) => {
                            let place = Span { start: subject.outer.end, ..word.span };
                            d.repair(format!("facts are comparisons: write `…{sign}`"), place, sign)
                        }
                        None => d,
                    });
                }
                TermKind::Is { subject, negated: *negated, word: word.clone() }
            }
            ExprKind::At { subject, point } => {
                if let Some(warning) = self.difference_at(*subject, *point) {
                    self.say(warning);
                }
                TermKind::At { subject: self.boxed(*subject), point: self.boxed(*point) }
            }
            ExprKind::Not(of) => TermKind::Not(Box::new(self.claim(*of))),
            ExprKind::And(all) => TermKind::And(all.iter().map(|id| self.claim(*id)).collect()),
            ExprKind::Or(all) => TermKind::Or(all.iter().map(|id| self.claim(*id)).collect()),
            ExprKind::Composed { base, forces, constraints } => TermKind::Composed {
                base: self.boxed(*base),
                forces: self.wanting(Wants::Force, |r| r.all(forces)),
                constraints: self.wanting(Wants::Constraint, |r| r.all(constraints)),
            },
            ExprKind::Call { callee, arguments } => {
                self.wanting(Wants::Anything, |r| r.call(id, *callee, arguments, span))
            }
            ExprKind::Part { of, key } => self.part(*of, &key.node, key.span),
            ExprKind::Index { of, keys } => self.index(*of, keys, self.ast.span(id)),
            ExprKind::List(all) => TermKind::List(self.all(all)),
            ExprKind::Point(entries) => TermKind::Point(entries.iter().map(|id| self.point_entry(*id)).collect()),
            ExprKind::Tuple(all) => TermKind::Tuple(self.all(all)),
            ExprKind::Range { from, to } => TermKind::Range { from: self.boxed(*from), to: self.boxed(*to) },
            ExprKind::Component { key, value } => self.component(*key, *value),
            ExprKind::Each(each) if &*each.function.node == "integral" => self.integral(each),
            ExprKind::Each(each) => self.each(each, |resolver, body| resolver.term(body)),
        }
    }

    /// What stands beside `and`, `or` and `not`.
    fn claim(&mut self, id: ExprId) -> Term {
        let term = self.term(id);
        if term.shape.kinds.within(FUNCTION.or(FORM).or(FIELD)) {
            self.say(compare::neither(&term.shape.describe()).label(term.span, "here"));
        }
        term
    }

    /// `dx/dt`, which is a prime here.
    fn leibniz(&mut self, factors: &[(ast::Factor, ExprId)]) {
        for pair in factors.windows(2) {
            let [(ast::Factor::Times, above), (ast::Factor::Over, below)] = *pair else { continue };
            let (Some(above_name), Some(below_name)) = (self.ast.name(above), self.ast.name(below)) else { continue };
            let base = below_name.text.strip_prefix('d').filter(|_| below_name.primes == 0);
            let Some(of) = above_name.text.strip_prefix('d').filter(|of| !of.is_empty()) else { continue };
            let is_base = |name: &str| self.scope.manifolds.iter().any(|m| m.base().name() == name);
            let declared = [&above_name.text, &below_name.text].iter().any(|n| self.scope.values.contains_key(&***n));
            if !declared && base.is_some_and(is_base) {
                let whole = self.ast.outer(above).to(self.ast.outer(below));
                let primed = format!("{of}{}", "'".repeat(above_name.primes as usize + 1));
                self.say(
                    Diagnostic::error(&codes::WRONG_KIND, "the derivative along the motion is a prime")
                        .label(whole, "a quotient of two 1-forms")
                        .repair(format!("write `{primed}`"), whole, primed),
                );
            }
            // `dL/dx'`
            let of_declared = self.scope.values.get(of).is_some_and(|b| matches!(b.meaning, Meaning::Value(_)));
            let by = below_name.text.strip_prefix('d').filter(|by| self.is_coordinate(by));
            if let (Some(by), true, false, 0) = (by, of_declared, declared, above_name.primes) {
                let whole = self.ast.outer(above).to(self.ast.outer(below));
                let written = format!("D({of}, {by}{})", "'".repeat(below_name.primes as usize));
                self.told.insert(above_name.text.clone());
                self.say(
                    Diagnostic::error(&codes::WRONG_KIND, "a partial derivative is written with `D`")
                        .label(whole, "a quotient of differentials")
                        .repair(format!("write `{written}`"), whole, written),
                );
            }
        }
    }

    /// A repetition, and what is made of its body.
    fn each(&mut self, each: &ast::Each, make: impl FnOnce(&mut Self, ExprId) -> Term) -> TermKind {
        let base = self.locals.len();
        let mut ranges = vec![];
        for binder in &each.binders {
            ranges.push(self.standing(Stand::Value, |r| r.term(binder.range)));
            self.locals.push((binder.index.node.clone(), Shape::UNKNOWN));
        }
        let body = make(self, each.body);
        self.locals.truncate(base);
        let of = match &*each.function.node {
            "sum" => Repetition::Sum,
            "product" => Repetition::Product,
            _ => Repetition::List,
        };
        let is_alone = body.find(&|t| matches!(t.kind, TermKind::Local(i) if i < base)).is_none();
        TermKind::Each(Rc::new(Each { of, ranges, body, is_alone }))
    }

    fn integral(&mut self, each: &ast::Each) -> TermKind {
        let [binder] = each.binders.as_slice() else {
            self.say(
                Diagnostic::error(&codes::WRONG_ARGUMENTS, "an integral is over one variable")
                    .label(each.function.span, "here"),
            );
            return TermKind::Hole;
        };
        let ExprKind::Range { from, to } = self.ast.kind(binder.range) else {
            self.say(
                Diagnostic::error(&codes::WRONG_KIND, "the limits of an integral are a range")
                    .label(self.ast.span(binder.range), "write `0..1`"),
            );
            return TermKind::Hole;
        };
        let (from, to) = (self.term(*from), self.term(*to));
        self.locals.push((binder.index.node.clone(), Shape::new(crate::model::kind::FUNCTION)));
        let body = self.term(each.body);
        self.locals.pop();
        TermKind::Integral(Box::new(Integral { variable: binder.index.node.clone(), from, to, body }))
    }
}

/// An expression, or a chain of calls, that has no end.
pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(&codes::BUDGET, "this expression nests too deeply")
        .label(span, format!("more than {MAX_DEPTH} levels"))
}
