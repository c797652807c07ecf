//! Expressions of the tree become values. Names are looked up, jets and differentials recognised,
//! operators and questions applied; every refusal gets the place of the words that caused it.
//!
//! Operators are here; [`name`], [`call`], [`part`], [`each`] and [`space`] are the other things that can be written.

mod call;
mod each;
mod name;
mod part;
mod space;

pub use call::check_arity;
pub use space::{coordinate_of, jet_word};

use super::interpreter::Answered;
use super::scope::Scope;
use crate::algebra::Inquiry;
use crate::algebra::expr::Relation;
use crate::algebra::{Expr, Rational, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::FiberedManifold;
use crate::model::operate;
use crate::model::value::{Claim, Fallible, Point, PointEntry, Value};
use crate::source::Span;
use crate::syntax::ast::{Ast, Comparison, ExprId, ExprKind, Factor, Sign};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How deep expressions and calls of functions may nest.
const MAX_DEPTH: u32 = 500;

/// The context in which an expression is evaluated.
pub struct Evaluator<'s> {
    /// The facts that hold, what may be spent, and where conditions are written.
    pub cx: Inquiry,
    pub scope: &'s Scope,
    pub ast: Rc<Ast>,
    /// The manifold of the `on` clause: its coordinates come first.
    pub on: Option<FiberedManifold>,
    /// Parameters of functions and indices of repetitions, innermost last.
    pub locals: Vec<(Rc<str>, Value)>,
    /// The answer before this one, `_`.
    pub last: Option<&'s Answered>,
    pub depth: Cell<u32>,
    /// Sums over growing ranges that were computed on the way, by repetition and lower limit.
    prefixes: Prefixes,
}

type Prefixes = Rc<RefCell<FxHashMap<(usize, ExprId, i64), Vec<Expr>>>>;

/// The first row of a matrix that is not as long as the first.
fn uneven_row(ast: &Ast, rows: &[ExprId]) -> Option<Span> {
    let length = |id: &ExprId| match ast.kind(*id) {
        ExprKind::List(entries) => Some(entries.len()),
        _ => None,
    };
    let first = length(rows.first()?)?;
    rows.iter().find(|row| length(row).is_some_and(|n| n != first)).map(|row| ast.span(*row))
}

/// The place of a diagnostic that has none yet.
pub fn at<T>(result: Fallible<T>, span: Span) -> Fallible<T> {
    result.map_err(|d| Box::new(d.or_at(span, "here")))
}

pub fn refuse<T>(code: &'static codes::Code, title: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Diagnostic::error(code, title)))
}

impl<'s> Evaluator<'s> {
    pub fn new(cx: &Inquiry, scope: &'s Scope, ast: &Rc<Ast>) -> Evaluator<'s> {
        Evaluator {
            cx: cx.clone(),
            scope,
            ast: ast.clone(),
            on: None,
            locals: vec![],
            last: None,
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

    /// The value of an expression.
    pub fn eval(&self, id: ExprId) -> Fallible<Value> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return Err(Box::new(
                Diagnostic::error(&codes::BUDGET, "this expression nests too deeply")
                    .label(self.ast.span(id), format!("more than {MAX_DEPTH} levels")),
            ));
        }
        self.cx.check().map_err(|stop| Box::new(Diagnostic::from(stop).or_at(self.ast.span(id), "here")))?;
        self.depth.set(depth + 1);
        let value = at(self.eval_kind(id), self.ast.span(id));
        self.depth.set(depth);
        value
    }

    fn eval_kind(&self, id: ExprId) -> Fallible<Value> {
        let ast = self.ast.clone();
        let span = ast.span(id);
        match ast.kind(id) {
            ExprKind::Number(n) => Ok(Value::Expr(Expr::number(n.clone()))),
            ExprKind::String(text) => Ok(Value::Text(text.clone())),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Primed { of, primes } => {
                if let Some(value) = self.member_part(*of, *primes)? {
                    return Ok(value);
                }
                if let Some(value) = self.primed_differential(*of, *primes)? {
                    return Ok(value);
                }
                let value = self.eval(*of)?;
                operate::prime(&self.cx, &value, *primes)
            }
            ExprKind::Partial(of) => {
                let symbol = self.jet_symbol(*of)?;
                if symbol.is_parameter() {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is a parameter, not a coordinate"))
                            .label(ast.span(*of), "no direction in a manifold")
                            .help(format!("a derivative with respect to a parameter is `D(f, {symbol})`")),
                    ));
                }
                Ok(Value::Field(VectorField::coordinate(symbol)))
            }
            ExprKind::Neg(of) => operate::negate(&self.cx, &self.eval(*of)?),
            ExprKind::Sum(terms) => {
                let values = terms.iter().map(|(sign, id)| Ok((*sign == Sign::Minus, self.eval(*id)?, ast.outer(*id))));
                operate::sum(&self.cx, values.collect::<Fallible<Vec<_>>>()?)
                    .map_err(|d| super::promise::mend_sum(&self.cx, self, terms, d))
            }
            ExprKind::Product(factors) => {
                let values = factors.iter().map(|(op, id)| Ok((*op == Factor::Over, self.eval(*id)?, ast.outer(*id))));
                operate::product(&self.cx, values.collect::<Fallible<Vec<_>>>()?)
            }
            ExprKind::Wedge(all) => {
                let values =
                    all.iter().map(|id| Ok((self.eval(*id)?, ast.outer(*id)))).collect::<Fallible<Vec<_>>>()?;
                operate::wedge(&self.cx, values).map_err(|d| super::promise::mend_meeting(self, all, d))
            }
            ExprKind::Power { base, exponent } => operate::power(
                &self.cx,
                &self.eval(*base)?,
                &self.eval(*exponent)?,
                ast.outer(*base),
                ast.outer(*exponent),
            ),
            ExprKind::Compare { op, left, right, within } => Ok(Value::Claim(Rc::new(Claim {
                relation: relation(*op),
                left: self.eval(*left)?,
                right: self.eval(*right)?,
                within: within.map(|w| self.number(w)).transpose()?,
                left_span: ast.outer(*left),
                right_span: ast.outer(*right),
            }))),
            ExprKind::Is { subject, negated, word } => {
                let value = self.eval(*subject)?;
                if let Value::Label(_) = value
                    && let Some(unknown) =
                        super::check::unknown_label(&self.cx, self.scope, &self.ast, *subject, &word.node)
                {
                    return Err(Box::new(unknown.or_at(word.span, "here")));
                }
                let verdict = at(crate::questions::word::is_word(&self.cx, &value, &word.node), word.span)?;
                Ok(Value::from(if *negated { verdict.negate() } else { verdict }))
            }
            ExprKind::At { subject, point } => {
                let (value, recorded) = conditions::collect_all(&self.cx, |cx| self.under(cx).eval(*subject));
                let value = value?;
                let point = match &value {
                    // `run at 3` is `run at { t = 3 }`.
                    Value::Run(run) if !matches!(ast.kind(*point), ExprKind::Point(_)) => {
                        match self.eval(*point)?.main() {
                            Value::Point(p) => (*p).clone(),
                            time => {
                                let time = at(operate::as_expr(&self.cx, &time), ast.span(*point))?;
                                let symbols = SmallVec::from_elem(run.time, 1);
                                let entry = PointEntry { symbols, text: run.time.name(), value: time, of_run: false };
                                Point { entries: vec![entry] }
                            }
                        }
                    }
                    _ => self.point(*point)?,
                };
                let there = crate::model::evaluate_at::value_under(&self.cx, &value, &point, recorded);
                there.map_err(|d| Box::new(d.or_at(ast.span(*subject), "this")))
            }
            ExprKind::Not(of) => Ok(Value::from(crate::model::compare::truth(&self.cx, &self.eval(*of)?)?.negate())),
            ExprKind::And(all) => {
                let verdicts =
                    all.iter().map(|id| at(crate::model::compare::truth(&self.cx, &self.eval(*id)?), ast.span(*id)));
                let verdicts = verdicts.collect::<Fallible<Vec<_>>>()?;
                Ok(Value::from(verdicts.into_iter().reduce(|a, b| a.and(b)).expect("two or more")))
            }
            ExprKind::Or(all) => {
                let verdicts =
                    all.iter().map(|id| at(crate::model::compare::truth(&self.cx, &self.eval(*id)?), ast.span(*id)));
                let verdicts = verdicts.collect::<Fallible<Vec<_>>>()?;
                Ok(Value::from(verdicts.into_iter().reduce(|a, b| a.or(b)).expect("two or more")))
            }
            ExprKind::Call { callee, arguments } => self.call(*callee, arguments, span),
            ExprKind::Part { of, key } => self.part(*of, &key.node, key.span),
            ExprKind::Index { of, keys } => match self.member_part(id, 0)? {
                Some(value) => Ok(value),
                None => self.index(*of, keys),
            },
            ExprKind::List(all) => {
                let mut values = Vec::new();
                for id in all {
                    match ast.kind(*id) {
                        ExprKind::Each(each) if &*each.function.node == "list" => values.extend(self.each(*id)?),
                        _ => values.push(self.eval(*id)?),
                    }
                }
                operate::list(&self.cx, values).map_err(|d| match uneven_row(&ast, all) {
                    Some(row) => Box::new(d.or_at(row, "another length than the first")),
                    None => d,
                })
            }
            ExprKind::Point(_) => Ok(Value::Point(Rc::new(self.point(id)?))),
            ExprKind::Tuple(all) => Ok(Value::list(all.iter().map(|id| self.eval(*id)).collect::<Fallible<Vec<_>>>()?)),
            ExprKind::Range { from, to } => {
                let (from, to) = (self.integer(*from)?, self.integer(*to)?);
                each::range_guard(from, to)?;
                Ok(Value::list((from..=to).map(Value::number)))
            }
            ExprKind::Component { .. } => {
                refuse(&codes::SYNTAX, "a component belongs in the block of a force or of equations")
            }
            ExprKind::Each(each) if &*each.function.node == "integral" => self.integral(each, span),
            ExprKind::Each(each) => {
                if &*each.function.node == "sum"
                    && let Some(sum) = self.prefix_sum(id, each)?
                {
                    return Ok(Value::Expr(sum));
                }
                let values = self.each(id)?;
                match &*each.function.node {
                    "sum" if values.is_empty() => Ok(Value::number(0)),
                    "sum" => {
                        operate::sum(&self.cx, values.into_iter().map(|v| (false, v, ast.span(each.body))).collect())
                    }
                    "product" if values.is_empty() => Ok(Value::number(1)),
                    "product" => operate::product(
                        &self.cx,
                        values.into_iter().map(|v| (false, v, ast.span(each.body))).collect(),
                    ),
                    _ => operate::list(&self.cx, values),
                }
            }
        }
    }

    pub fn expr(&self, id: ExprId) -> Fallible<Expr> {
        at(operate::as_expr(&self.cx, &self.eval(id)?), self.ast.span(id))
    }

    /// An exact number.
    pub fn number(&self, id: ExprId) -> Fallible<Rational> {
        let e = self.expr(id)?;
        let e = crate::algebra::normal::simplify(&self.cx, e).unwrap_or(e);
        match e.as_number() {
            Some(n) => Ok(n.clone()),
            None => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a number is needed here")
                    .label(self.ast.span(id), "this is not a number"),
            )),
        }
    }

    pub fn integer(&self, id: ExprId) -> Fallible<i64> {
        let number = self.number(id)?;
        number.to_i64().ok_or_else(|| {
            let label = if number.is_integer() { "this one is too large" } else { "this is not an integer" };
            Box::new(Diagnostic::error(&codes::WRONG_KIND, "an integer is needed here").label(self.ast.span(id), label))
        })
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
            scope: self.scope,
            ast: self.ast.clone(),
            on: self.on.clone(),
            locals: self.locals.clone(),
            last: self.last,
            depth: Cell::new(self.depth.get()),
            prefixes: self.prefixes.clone(),
        }
    }
}

pub fn relation(op: Comparison) -> Relation {
    match op {
        Comparison::Equal => Relation::Equal,
        Comparison::NotEqual => Relation::NotEqual,
        Comparison::Less => Relation::Less,
        Comparison::LessEqual => Relation::LessEqual,
        Comparison::Greater => Relation::Greater,
        Comparison::GreaterEqual => Relation::GreaterEqual,
    }
}
