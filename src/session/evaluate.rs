//! Checked terms become values. A term knows what its names mean and what its heads are, so nothing is looked up here, and
//! each part is evaluated once; every refusal gets the place of the words that caused it.
//!
//! Operators are here; [`call`], [`part`] and [`each`] are the other things that can be written.

mod call;
mod column;
mod each;
mod part;

pub use column::{Columns, Plotted, no_column};

use super::interpreter::Answered;
use super::promise;
use super::resolve::{ambiguous, too_deep};
use super::scope::Scope;
use super::term::{Declared, Each, Repetition, Shared, SharedKind, Term, TermKind, Unmade};
use crate::algebra::Inquiry;
use crate::algebra::expr::Relation;
use crate::algebra::{Expr, Rational, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::model::kind::CONSTRAINT;
use crate::model::run::time_of;
use crate::model::value::{Claim, Fallible, Point, PointEntry, Value};
use crate::model::{compare, operate};
use crate::source::Span;
use crate::syntax::ast::{Factor, Sign, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How deep expressions and calls of functions may nest.
const MAX_DEPTH: u32 = 500;

/// What a term costs besides what its operation counts itself: it is a value that somebody keeps.
const WORK_OF_A_TERM: u64 = 16;

/// The context in which a term is evaluated.
pub struct Evaluator<'s> {
    /// The facts that hold, what may be spent, and where conditions are written.
    pub cx: Inquiry,
    /// What is declared around: the manifold that was declared last, and maps for remedies.
    pub around: &'s Scope,
    /// The manifold of the `on` clause, or of the answer whose entry is sought.
    pub on: Option<FiberedManifold>,
    /// Parameters of the function and indices of repetitions, by their places.
    pub frame: Vec<Value>,
    /// The answer before this one, `_`.
    last: Option<&'s Answered>,
    asks: Asks,
    /// In a picture: the run of which names are columns.
    columns: Option<Columns<'s>>,
    depth: Cell<u32>,
    /// Sums over growing ranges that were computed on the way, by repetition and lower limit.
    prefixes: Prefixes,
}

/// What a term may ask on the way to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Everything,
    /// Formulas are built, and nothing is decided, solved or searched for: what has to be is left to a run.
    Formulas,
}

type Prefixes = Rc<RefCell<FxHashMap<(*const Each, i64), Vec<Expr>>>>;

/// The first row of a matrix that is not as long as the first.
fn uneven_row(rows: &[Term]) -> Option<Span> {
    let length = |row: &Term| match &row.kind {
        TermKind::List(entries) => Some(entries.len()),
        _ => None,
    };
    let first = length(rows.first()?)?;
    rows.iter().find(|row| length(row).is_some_and(|n| n != first)).map(|row| row.span)
}

/// The place of a diagnostic that has none yet.
pub fn at<T>(result: Fallible<T>, span: Span) -> Fallible<T> {
    result.map_err(|d| Box::new(d.or_at(span, "here")))
}

pub fn refuse<T>(code: &'static codes::Code, title: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Diagnostic::error(code, title)))
}

/// A value that only a run makes.
fn unmade<T>(name: &str, span: Span) -> Fallible<T> {
    depends(format!("the value of `{name}` is known in a run only"), span)
}

/// A decision that is left to a run.
fn undecided<T>(span: Span) -> Fallible<T> {
    depends("what this is, is known in a run only".into(), span)
}

fn depends<T>(title: String, span: Span) -> Fallible<T> {
    Err(Box::new(Diagnostic::new(Severity::Note, &codes::DEPENDS, title).label(span, "not made here")))
}

impl<'s> Evaluator<'s> {
    pub fn new(cx: &Inquiry, around: &'s Scope) -> Evaluator<'s> {
        Evaluator {
            cx: cx.clone(),
            around,
            on: None,
            frame: vec![],
            last: None,
            asks: Asks::Everything,
            columns: None,
            depth: Cell::new(0),
            prefixes: Prefixes::default(),
        }
    }

    pub fn on(mut self, manifold: &FiberedManifold) -> Evaluator<'s> {
        self.on = Some(manifold.clone());
        self
    }

    pub fn with_last(mut self, last: Option<&'s Answered>) -> Evaluator<'s> {
        self.last = last;
        self
    }

    /// The same, for formulas only.
    pub fn for_formulas(mut self) -> Evaluator<'s> {
        self.asks = Asks::Formulas;
        self
    }

    /// The value of a term.
    pub fn eval(&self, term: &Term) -> Fallible<Value> {
        let depth = self.depth.get();
        self.may_go_on(depth, term.span)?;
        self.depth.set(depth + 1);
        let value = match &self.columns {
            Some(columns) => self.in_columns(columns, term),
            None => self.eval_kind(term),
        };
        let value = at(value, term.span);
        self.depth.set(depth);
        value
    }

    fn may_go_on(&self, depth: u32, span: Span) -> Fallible<()> {
        if depth >= MAX_DEPTH {
            return Err(Box::new(too_deep(span)));
        }
        let counted = self.cx.check().and_then(|()| self.cx.spend(WORK_OF_A_TERM));
        counted.map_err(|stop| Box::new(Diagnostic::from(stop).or_at(span, "here")))
    }

    fn all(&self, terms: &[Term]) -> Fallible<Vec<Value>> {
        terms.iter().map(|t| self.eval(t)).collect()
    }

    /// Each arm hands on to a function of its own: frames are small, so that 500 levels fit on every stack.
    fn eval_kind(&self, term: &Term) -> Fallible<Value> {
        let span = term.span;
        match &term.kind {
            TermKind::Number(n) => Ok(Value::Expr(Expr::number(n.clone()))),
            TermKind::Text(text) => Ok(Value::Text(text.clone())),
            TermKind::Pi => Ok(Value::Expr(Expr::pi())),
            TermKind::Symbol(s) => Ok(Value::Expr(Expr::symbol(*s))),
            TermKind::Differential(s) => Ok(Value::Form(Form::differential(*s))),
            TermKind::Shared(shared) => self.shared(shared, span),
            TermKind::Declared(declared) => self.declared(declared, span),
            TermKind::Local(place) => match self.frame.get(*place) {
                Some(value) => Ok(value.clone()),
                None => refuse(&codes::WRONG_ARGUMENTS, "this has no value here"),
            },
            TermKind::Last => self.last_answer(span),
            TermKind::Unmade(name) => self.needed(name, span),
            TermKind::Hole => unmade("this", span),
            TermKind::Primed { of, primes } => operate::prime(&self.cx, &self.eval(of)?, *primes),
            TermKind::Partial(of) => self.partial(of),
            TermKind::Neg(of) => operate::negate(&self.cx, &self.eval(of)?),
            TermKind::Sum(terms) => self.sum(terms),
            TermKind::Product(factors) => self.product(factors),
            TermKind::Wedge(all) => self.wedge(all),
            TermKind::Power { base, exponent } => self.power(base, exponent),
            TermKind::Compare { relation, left, right, within } => {
                self.compare(*relation, left, right, within.as_deref())
            }
            TermKind::Is { .. } | TermKind::Not(_) | TermKind::Or(_) | TermKind::Integral(_)
                if self.asks == Asks::Formulas =>
            {
                undecided(span)
            }
            TermKind::Is { subject, negated, word } => self.is_word(subject, *negated, word),
            TermKind::At { subject, point } => self.at_point(subject, point),
            TermKind::Not(of) => Ok(Value::from(compare::truth(&self.cx, &self.eval(of)?)?.negate())),
            TermKind::And(all) if all.iter().all(|t| t.shape.kinds.meets(CONSTRAINT)) => {
                match self.joint_constraint(all)? {
                    Some(joint) => Ok(joint),
                    None if self.asks == Asks::Formulas => undecided(span),
                    None => self.verdicts(all, Verdict::and),
                }
            }
            TermKind::And(_) if self.asks == Asks::Formulas => undecided(span),
            TermKind::And(all) => self.verdicts(all, Verdict::and),
            TermKind::Composed { base, forces, constraints } => {
                super::declare::composed(self, None, base, forces, constraints)
            }
            TermKind::Or(all) => self.verdicts(all, Verdict::or),
            TermKind::Unspecified { function, primes, by, arguments } => {
                self.unspecified(*function, *primes, by, arguments)
            }
            TermKind::Elementary { function, primes, arguments } => {
                self.elementary(*function, *primes, arguments, span)
            }
            TermKind::Root(of) => self.root(of, span),
            TermKind::Piecewise(arguments) => self.piecewise(arguments),
            TermKind::Jets { order, of } => self.jets(*order, of, span),
            TermKind::Image { images, field } => self.image(images, field, span),
            TermKind::Ask(ask) => self.ask(ask, span),
            TermKind::Call(call) => self.call(call, span),
            TermKind::Part { of, key } => self.part(of, key),
            TermKind::Index { of, keys } => self.index(of, keys, span),
            TermKind::Member { family, name, indices, reading } => self.member(family, name, indices, reading),
            TermKind::Entry { of, key, family, indices, primes } => self.entry(of, key, family, indices, *primes),
            TermKind::List(all) => self.list(all),
            TermKind::Point(_) => self.point(term).map(|point| Value::Point(Rc::new(point))),
            TermKind::Tuple(all) => self.all(all).map(Value::list),
            TermKind::Range { from, to } => self.range(from, to),
            TermKind::Component { .. } => {
                refuse(&codes::SYNTAX, "a component belongs in the block of a force or of equations")
            }
            TermKind::Each(each) => self.repetition(each),
            TermKind::Integral(integral) => self.integral(integral, span),
        }
    }

    fn declared(&self, declared: &Declared, span: Span) -> Fallible<Value> {
        if let Some(ground) = &declared.sampled {
            let (name, ground) = (declared.name.to_string(), ground.clone());
            self.cx.rests_on(crate::model::grounds::Sampled { name, ground, span });
        }
        declared.conditions.iter().for_each(|c| conditions::state(&self.cx, *c));
        Ok(declared.value.clone())
    }

    /// The value of a name that was not made where it was declared, for whoever needs it.
    fn needed(&self, name: &Unmade, span: Span) -> Fallible<Value> {
        let Some(deferred) = name.value.as_ref().filter(|_| self.asks == Asks::Everything) else {
            return unmade(&name.name, span);
        };
        let mut refused = None;
        let keeping = |value: &Option<Value>| value.is_some() || self.cx.check().is_ok();
        let value = deferred.made.get(&self.cx.under(deferred.facts.clone()), keeping, |cx| {
            let value = Evaluator::new(cx, self.around).eval(&deferred.term);
            value.map_err(|d| refused = Some(d)).ok()
        });
        match (value, refused) {
            (Some(value), _) => Ok(value),
            (None, Some(d)) => Err(Box::new(d.label_once(span, "needed here"))),
            (None, None) => depends(format!("`{}` was refused above", name.name), span),
        }
    }

    fn last_answer(&self, span: Span) -> Fallible<Value> {
        let Some(last) = self.last else { return unmade("_", span) };
        last.conditions.iter().for_each(|c| conditions::state(&self.cx, *c));
        Ok(last.value.clone())
    }

    fn sum(&self, terms: &[(Sign, Term)]) -> Fallible<Value> {
        let mut values = Vec::with_capacity(terms.len());
        for (sign, term) in terms {
            values.push((*sign == Sign::Minus, self.eval(term)?, term.outer));
        }
        operate::sum(&self.cx, values).map_err(|d| promise::mend_sum(self, terms, d))
    }

    fn product(&self, factors: &[(Factor, Term)]) -> Fallible<Value> {
        let mut values = Vec::with_capacity(factors.len());
        for (op, term) in factors {
            values.push((*op == Factor::Over, self.eval(term)?, term.outer));
        }
        operate::product(&self.cx, values)
    }

    fn wedge(&self, all: &[Term]) -> Fallible<Value> {
        let mut values = Vec::with_capacity(all.len());
        for term in all {
            values.push((self.eval(term)?, term.outer));
        }
        operate::wedge(&self.cx, values).map_err(|d| promise::mend_meeting(self, &all.iter().collect::<Vec<_>>(), d))
    }

    fn power(&self, base: &Term, exponent: &Term) -> Fallible<Value> {
        operate::power(&self.cx, &self.eval(base)?, &self.eval(exponent)?, base.outer, exponent.outer)
    }

    fn compare(&self, relation: Relation, left: &Term, right: &Term, within: Option<&Term>) -> Fallible<Value> {
        Ok(Value::Claim(Rc::new(Claim {
            relation,
            left: self.eval(left)?,
            right: self.eval(right)?,
            within: within.map(|w| self.number(w)).transpose()?,
            left_span: left.outer,
            right_span: right.outer,
        })))
    }

    fn is_word(&self, subject: &Term, negated: bool, word: &Word) -> Fallible<Value> {
        let value = self.eval(subject)?;
        let verdict = at(crate::questions::word::is_word(&self.cx, &value, &word.node), word.span)?;
        Ok(Value::from(if negated { verdict.negate() } else { verdict }))
    }

    fn list(&self, all: &[Term]) -> Fallible<Value> {
        let mut values = Vec::new();
        for item in all {
            match &item.kind {
                TermKind::Each(each) if each.of == Repetition::List => values.extend(self.each(each)?),
                _ => values.push(self.eval(item)?),
            }
        }
        operate::list(&self.cx, values).map_err(|d| match uneven_row(all) {
            Some(row) => Box::new(d.or_at(row, "another length than the first")),
            None => d,
        })
    }

    fn range(&self, from: &Term, to: &Term) -> Fallible<Value> {
        let (from, to) = (self.integer(from)?, self.integer(to)?);
        each::range_guard(from, to)?;
        Ok(Value::list((from..=to).map(Value::number)))
    }

    /// The coordinate on the manifold that is given here, of a name that several have.
    fn shared(&self, shared: &Shared, span: Span) -> Fallible<Value> {
        let here = |c: &crate::algebra::Coordinate| {
            self.on.as_ref().is_some_and(|m| m.coordinate_named(&c.name()) == Some(*c))
        };
        let chosen = shared.choices.iter().find(|(_, c)| here(c));
        let Some((_, coordinate)) = chosen else {
            return match &shared.otherwise {
                Some(term) => self.eval(term),
                None => {
                    let (name, primes) = (&shared.name, "'".repeat(shared.primes as usize));
                    let written = |owner: &str| match shared.kind {
                        SharedKind::Symbol => format!("{owner}.{name}{primes}"),
                        _ => format!("d({owner}.{name}{primes})"),
                    };
                    let mut d = ambiguous(name, &shared.choices, span, &written);
                    if let SharedKind::Momentum(_) = shared.kind {
                        d.repairs.clear();
                    }
                    Err(Box::new(d))
                }
            };
        };
        let symbol = coordinate.jet(shared.primes);
        Ok(match &shared.kind {
            SharedKind::Symbol => Value::Expr(Expr::symbol(symbol)),
            SharedKind::Differential => Value::Form(Form::differential(symbol)),
            SharedKind::Momentum(prefix) => Value::Expr(Expr::symbol(Symbol::momentum_named(prefix, symbol))),
        })
    }

    fn partial(&self, of: &Term) -> Fallible<Value> {
        let symbol = self.jet_symbol(of)?;
        if symbol.is_parameter() {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is a parameter, not a coordinate"))
                    .label(of.span, "no direction in a manifold")
                    .help(format!("a derivative with respect to a parameter is `D(f, {symbol})`")),
            ));
        }
        Ok(Value::Field(VectorField::coordinate(symbol)))
    }

    fn verdicts(&self, all: &[Term], by: fn(Verdict, Verdict) -> Verdict) -> Fallible<Value> {
        let verdicts = all.iter().map(|t| at(compare::truth(&self.cx, &self.eval(t)?), t.span));
        let verdicts = verdicts.collect::<Fallible<Vec<_>>>()?;
        Ok(Value::from(verdicts.into_iter().reduce(by).expect("two or more")))
    }

    /// `Q1 and Q2`, asked about jointly; `None` if the first is no constraint.
    fn joint_constraint(&self, all: &[Term]) -> Fallible<Option<Value>> {
        let mut blocks = vec![];
        for term in all {
            match self.eval(term)?.main() {
                Value::Constraint(c) => blocks.push(c),
                _ if blocks.is_empty() => return Ok(None),
                other => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "a constraint is asked about together with constraints")
                            .label(term.span, format!("this is {}", operate::describe(&other))),
                    ));
                }
            }
        }
        Ok(crate::model::constraints::together(&blocks).map(|c| Value::Constraint(Rc::new(c))))
    }

    fn at_point(&self, subject: &Term, point: &Term) -> Fallible<Value> {
        let (value, recorded) = conditions::collect_all(&self.cx, |cx| self.under(cx).eval(subject));
        let value = value?;
        let place = match &value {
            Value::Run(run) => {
                let place = self.time_or_point(run.time, point)?;
                at(time_of(&self.cx, run.time, &place), point.span)?;
                place
            }
            Value::Series(series) if let Some(run) = &series.of => {
                let place = self.time_or_point(run.time, point)?;
                at(time_of(&self.cx, run.time, &place), point.span)?;
                place
            }
            _ => self.point(point)?,
        };
        // What a set or an answer is at a point is decided anew.
        if self.asks == Asks::Formulas && !matches!(value.meant(), Value::Expr(_) | Value::Form(_) | Value::Field(_)) {
            return undecided(subject.span);
        }
        let there = crate::model::evaluate_at::value_under(&self.cx, &value, &place, recorded);
        there.map_err(|d| Box::new(d.or_at(subject.span, "this")))
    }

    /// Where a run is looked at: `run at 3` is `run at { t = 3 }`.
    pub fn time_or_point(&self, time: Symbol, term: &Term) -> Fallible<Point> {
        if matches!(term.kind, TermKind::Point(_)) {
            return self.point(term);
        }
        match self.eval(term)?.main() {
            Value::Point(point) => Ok((*point).clone()),
            number => {
                let value = at(operate::as_expr(&self.cx, &number), term.span)?;
                let symbols = SmallVec::from_elem(time, 1);
                Ok(Point { entries: vec![PointEntry { symbols, text: time.name(), value, of_run: false }] })
            }
        }
    }

    pub fn expr(&self, term: &Term) -> Fallible<Expr> {
        at(operate::as_expr(&self.cx, &self.eval(term)?), term.span)
    }

    /// An exact number.
    pub fn number(&self, term: &Term) -> Fallible<Rational> {
        let e = self.expr(term)?;
        let e = crate::algebra::normal::simplify(&self.cx, e).unwrap_or(e);
        match e.as_number() {
            Some(n) => Ok(n.clone()),
            None => {
                let d = Diagnostic::error(&codes::WRONG_KIND, "a number is needed here");
                Err(Box::new(match &term.kind {
                    TermKind::Symbol(s) if s.as_jet().is_none() => d
                        .label(term.span, "a parameter, which a run may change")
                        .help(format!("what counts is a number with a name: `let {s} = 4`")),
                    _ => d.label(term.span, "this is not a number"),
                }))
            }
        }
    }

    pub fn integer(&self, term: &Term) -> Fallible<i64> {
        let number = self.number(term)?;
        number.to_i64().ok_or_else(|| {
            let label = if number.is_integer() { "this one is too large" } else { "this is not an integer" };
            Box::new(Diagnostic::error(&codes::WRONG_KIND, "an integer is needed here").label(term.span, label))
        })
    }

    /// The symbol that a term names: a jet, the time, a parameter, a velocity, a momentum.
    pub fn jet_symbol(&self, term: &Term) -> Fallible<Symbol> {
        let value = self.eval(term)?.main();
        match &value {
            Value::Expr(e) if e.as_symbol().is_some() => Ok(e.as_symbol().expect("just seen")),
            other => {
                let d = Diagnostic::error(&codes::WRONG_KIND, "a coordinate is needed here")
                    .label(term.span, format!("this is {}", operate::describe(other)));
                Err(Box::new(match other {
                    Value::Indexed(family) => d.help(format!("name its members one by one: `{}[1]`, …", family.name)),
                    _ => d,
                }))
            }
        }
    }

    /// The same context, in which the coordinates of the manifold of an answer come first.
    pub fn on_answer(&self, value: &Value) -> Evaluator<'s> {
        let manifold = match value {
            Value::Answer(answer) => answer.manifold.clone(),
            Value::System(system) => Some(system.manifold.clone()),
            Value::Family(family) => super::parts::manifold_of(family),
            _ => None,
        };
        Evaluator { on: self.on.clone().or(manifold), prefixes: Prefixes::default(), ..self.under(&self.cx) }
    }

    /// The same with another inquiry: other facts, or a ledger of its own.
    pub(super) fn under(&self, cx: &Inquiry) -> Evaluator<'s> {
        Evaluator {
            cx: cx.clone(),
            around: self.around,
            on: self.on.clone(),
            frame: self.frame.clone(),
            last: self.last,
            asks: self.asks,
            columns: self.columns.clone(),
            depth: Cell::new(self.depth.get()),
            prefixes: self.prefixes.clone(),
        }
    }
}
