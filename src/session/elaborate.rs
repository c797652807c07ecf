//! Expressions of the tree become values. Names are looked up, jets and differentials recognised,
//! operators and questions applied; every refusal gets the place of the words that caused it.

use super::operate;
use super::scope::{Binding, Callable, Closure, Meaning, Scope};
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::print::name::spelled;
use crate::algebra::{Coordinate, Expr, Rational, Symbol};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::model::value::{Claim, Fallible, Point, PointEntry, Value};
use crate::questions::{self, Argument, Arguments};
use crate::source::Span;
use crate::syntax::ast::{Ast, Comparison, Each, ExprId, ExprKind, Factor, Name, Sign, Space};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How deep expressions and calls of functions may nest.
const MAX_DEPTH: u32 = 500;

/// The context in which an expression is evaluated.
pub struct Evaluator<'s> {
    pub scope: &'s Scope,
    pub ast: Rc<Ast>,
    /// The manifold of the `on` clause: its coordinates come first.
    pub on: Option<FiberedManifold>,
    /// Parameters of functions and indices of repetitions, innermost last.
    pub locals: Vec<(Rc<str>, Value)>,
    /// The answer before this one, `_`.
    pub last: Option<&'s Value>,
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
    pub fn new(scope: &'s Scope, ast: &Rc<Ast>) -> Evaluator<'s> {
        Evaluator {
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

    pub fn with_last(mut self, last: Option<&'s Value>) -> Evaluator<'s> {
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
        crate::budget::check().map_err(|stop| Box::new(questions::exhausted(stop).or_at(self.ast.span(id), "here")))?;
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
                let value = self.eval(*of)?;
                operate::prime(&value, *primes)
            }
            ExprKind::Partial(of) => {
                let symbol = self.jet_symbol(*of)?;
                Ok(Value::Field(VectorField::coordinate(symbol)))
            }
            ExprKind::Neg(of) => operate::negate(&self.eval(*of)?),
            ExprKind::Sum(terms) => {
                let values = terms.iter().map(|(sign, id)| Ok((*sign == Sign::Minus, self.eval(*id)?, ast.span(*id))));
                operate::sum(values.collect::<Fallible<Vec<_>>>()?)
                    .map_err(|d| super::promise::mend_sum(self, terms, d))
            }
            ExprKind::Product(factors) => {
                let values = factors.iter().map(|(op, id)| Ok((*op == Factor::Over, self.eval(*id)?, ast.span(*id))));
                operate::product(values.collect::<Fallible<Vec<_>>>()?)
            }
            ExprKind::Wedge(all) => {
                let values = all.iter().map(|id| Ok((self.eval(*id)?, ast.span(*id)))).collect::<Fallible<Vec<_>>>()?;
                operate::wedge(values).map_err(|d| super::promise::mend_meeting(self, all, d))
            }
            ExprKind::Power { base, exponent } => {
                operate::power(&self.eval(*base)?, &self.eval(*exponent)?, ast.span(*base), ast.span(*exponent))
            }
            ExprKind::Compare { op, left, right, within } => Ok(Value::Claim(Rc::new(Claim {
                relation: relation(*op),
                left: self.eval(*left)?,
                right: self.eval(*right)?,
                within: within.map(|w| self.number(w)).transpose()?,
                left_span: ast.span(*left),
                right_span: ast.span(*right),
            }))),
            ExprKind::Is { subject, negated, word } => {
                let value = self.eval(*subject)?;
                let verdict = at(super::compare::is_word(&value, &word.node), word.span)?;
                Ok(Value::from(if *negated { verdict.negate() } else { verdict }))
            }
            ExprKind::At { subject, point } => {
                let value = self.eval(*subject)?;
                let point = match &value {
                    // `run at 3` is `run at { t = 3 }`.
                    Value::Run(run) if !matches!(ast.kind(*point), ExprKind::Point(_)) => {
                        match self.eval(*point)?.main() {
                            Value::Point(p) => (*p).clone(),
                            time => {
                                let time = at(operate::as_expr(&time), ast.span(*point))?;
                                let symbols = SmallVec::from_elem(run.time, 1);
                                let entry = PointEntry { symbols, text: run.time.name(), value: time };
                                Point { entries: vec![entry] }
                            }
                        }
                    }
                    _ => self.point(*point)?,
                };
                let there = super::evaluate_at::value_at(&value, &point);
                there.map_err(|d| Box::new(d.or_at(ast.span(*subject), "this")))
            }
            ExprKind::Not(of) => Ok(Value::from(super::compare::truth(&self.eval(*of)?)?.negate())),
            ExprKind::And(all) => {
                let verdicts = all.iter().map(|id| at(super::compare::truth(&self.eval(*id)?), ast.span(*id)));
                let verdicts = verdicts.collect::<Fallible<Vec<_>>>()?;
                Ok(Value::from(verdicts.into_iter().reduce(|a, b| a.and(b)).expect("two or more")))
            }
            ExprKind::Or(all) => {
                let verdicts = all.iter().map(|id| at(super::compare::truth(&self.eval(*id)?), ast.span(*id)));
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
                operate::list(values).map_err(|d| match uneven_row(&ast, all) {
                    Some(row) => Box::new(d.or_at(row, "another length than the first")),
                    None => d,
                })
            }
            ExprKind::Point(_) => Ok(Value::Point(Rc::new(self.point(id)?))),
            ExprKind::Tuple(all) => Ok(Value::list(all.iter().map(|id| self.eval(*id)).collect::<Fallible<Vec<_>>>()?)),
            ExprKind::Range { from, to } => {
                let (from, to) = (self.integer(*from)?, self.integer(*to)?);
                range_guard(from, to)?;
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
                    "sum" => operate::sum(values.into_iter().map(|v| (false, v, ast.span(each.body))).collect()),
                    "product" if values.is_empty() => Ok(Value::number(1)),
                    "product" => {
                        operate::product(values.into_iter().map(|v| (false, v, ast.span(each.body))).collect())
                    }
                    _ => operate::list(values),
                }
            }
        }
    }

    // ----- names ---------------------------------------------------------------------------------

    fn name(&self, name: &Name, span: Span) -> Fallible<Value> {
        if let Some(value) = self.lookup(&name.text, name.primes, span)? {
            return Ok(value);
        }
        // dx, dt, dx': the differential of an undeclared d-name.
        if let Some(rest) = name.text.strip_prefix('d')
            && let Some(symbol) = self.symbol_named(rest, name.primes, span)?
        {
            return Ok(Value::Form(Form::differential(symbol)));
        }
        if let Some(symbol) = self.derived_symbol(&name.text, span)? {
            return operate::prime(&Value::Expr(Expr::symbol(symbol)), name.primes);
        }
        Err(Box::new(self.unknown(&name.text, span)))
    }

    /// A declared name with its primes, if there is one.
    fn lookup(&self, text: &str, primes: u32, span: Span) -> Fallible<Option<Value>> {
        if let Some((_, value)) = self.locals.iter().rev().find(|(n, _)| &**n == text) {
            return operate::prime(value, primes).map(Some);
        }
        if text == "_"
            && let Some(last) = self.last
        {
            return operate::prime(last, primes).map(Some);
        }
        if let Some(coordinate) = self.on.as_ref().and_then(|m| coordinate_of(m, text)) {
            self.scope.value(text);
            return Ok(Some(Value::Expr(Expr::symbol(coordinate.jet(primes)))));
        }
        let Some(binding) = self.scope.value(text) else {
            let constant = if primes == 0 { Expr::pi() } else { Expr::zero() };
            return Ok(matches!(text, "pi" | "π").then_some(Value::Expr(constant)));
        };
        match &binding.meaning {
            Meaning::Coordinate(candidates) => {
                let coordinate = self.choose(text, candidates, span)?;
                Ok(Some(Value::Expr(Expr::symbol(coordinate.jet(primes)))))
            }
            Meaning::Parameter(s) | Meaning::Base(s) => {
                operate::prime(&Value::Expr(Expr::symbol(*s)), primes).map(Some)
            }
            Meaning::Value(v) => {
                if let Some(ground) = &binding.sampled {
                    super::grounds::rests_on(text, ground, span);
                }
                operate::prime(v, primes).map(Some)
            }
            Meaning::Library(_) => Err(Box::new(
                Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is a library, not a value"))
                    .label(span, "its names stand behind a dot")
                    .help(format!("write `{text}.name`")),
            )),
        }
    }

    fn choose(&self, text: &str, candidates: &[(FiberedManifold, Coordinate)], span: Span) -> Fallible<Coordinate> {
        match candidates {
            [(_, only)] => Ok(*only),
            _ => {
                let owners: Vec<String> = candidates.iter().map(|(m, _)| format!("`{}.{text}`", m.name())).collect();
                Err(Box::new(
                    Diagnostic::error(&codes::AMBIGUOUS_NAME, format!("several manifolds have a coordinate `{text}`"))
                        .label(span, "which one?")
                        .help(format!("write {}", owners.join(" or "))),
                ))
            }
        }
    }

    /// The jet, parameter or time that `text` with `primes` primes names, if it names one.
    fn symbol_named(&self, text: &str, primes: u32, span: Span) -> Fallible<Option<Symbol>> {
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(coordinate) = self.on.as_ref().and_then(|m| coordinate_of(m, text)) {
            self.scope.value(text);
            return Ok(Some(coordinate.jet(primes)));
        }
        match self.scope.value(text).map(|b| &b.meaning) {
            Some(Meaning::Coordinate(candidates)) => Ok(Some(self.choose(text, candidates, span)?.jet(primes))),
            Some(Meaning::Base(s) | Meaning::Parameter(s)) if primes == 0 => Ok(Some(*s)),
            _ => self.derived_symbol(text, span).map(|s| s.filter(|_| primes == 0)),
        }
    }

    /// Symbols that answers contain and that may be written unless declared otherwise: `p_x`,
    /// `p1_x`, `lambda_1`.
    fn derived_symbol(&self, text: &str, span: Span) -> Fallible<Option<Symbol>> {
        let multiplier = text.strip_prefix("lambda_").or_else(|| text.strip_prefix("λ_"));
        if let Some(number) = multiplier.and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0) {
            return Ok(Some(Symbol::multiplier(number)));
        }
        let Some((prefix, order, tail)) = Symbol::split_momentum(text) else { return Ok(None) };
        Ok(self.symbol_named(tail, order, span)?.map(|q| Symbol::momentum_named(prefix, q)))
    }

    /// The symbol that an expression names: a jet, the time, a parameter, a velocity, a momentum.
    pub fn jet_symbol(&self, id: ExprId) -> Fallible<Symbol> {
        let value = self.eval(id)?.main();
        match &value {
            Value::Expr(e) if e.as_symbol().is_some() => Ok(e.as_symbol().expect("just seen")),
            other => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a coordinate is needed here")
                    .label(self.ast.span(id), format!("this is {}", operate::describe(other))),
            )),
        }
    }

    pub fn expr(&self, id: ExprId) -> Fallible<Expr> {
        at(operate::as_expr(&self.eval(id)?), self.ast.span(id))
    }

    /// An exact number.
    pub fn number(&self, id: ExprId) -> Fallible<Rational> {
        let e = self.expr(id)?;
        let e = crate::algebra::normal::simplify(e).unwrap_or(e);
        match e.as_number() {
            Some(n) => Ok(n.clone()),
            None => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a number is needed here")
                    .label(self.ast.span(id), "this is not a number"),
            )),
        }
    }

    pub fn integer(&self, id: ExprId) -> Fallible<i64> {
        self.number(id)?.to_i64().ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "an integer is needed here")
                    .label(self.ast.span(id), "this is not an integer"),
            )
        })
    }

    /// The jet that a key after a dot names, if it names one.
    pub fn symbol_of_key(&self, text: &str, primes: u32) -> Fallible<Option<Symbol>> {
        self.symbol_named(text, primes, Span::default())
    }

    /// The same context, in which the coordinates of the manifold of an answer come first.
    pub fn on_answer(&self, value: &Value) -> Evaluator<'s> {
        let manifold = match value {
            Value::Answer(answer) => answer.manifold.clone(),
            Value::System(system) => Some(system.manifold.clone()),
            Value::Family(family) => super::parts::manifold_of(family),
            _ => None,
        };
        Evaluator {
            scope: self.scope,
            ast: self.ast.clone(),
            on: self.on.clone().or(manifold),
            locals: self.locals.clone(),
            last: self.last,
            depth: Cell::new(self.depth.get()),
            prefixes: Prefixes::default(),
        }
    }

    // ----- calls ---------------------------------------------------------------------------------

    fn call(&self, callee: ExprId, arguments: &[ExprId], span: Span) -> Fallible<Value> {
        let ast = self.ast.clone();
        match ast.kind(callee) {
            ExprKind::Name(name) => self.call_named(name, ast.span(callee), arguments, span),
            ExprKind::Part { of, key } => {
                if let Some(Name { text, primes: 0 }) = ast.name(*of) {
                    if &**text == "core" {
                        return self.builtin(&key.node.text, key.node.primes, key.span, arguments, span);
                    }
                    if let Some(Binding { meaning: Meaning::Library(library), .. }) = self.scope.value(text) {
                        return self.call_in(library, &key.node, key.span, arguments, span);
                    }
                }
                // A part that is a function: connection(S).lift(ξ).
                let value = self.part(*of, &key.node, key.span)?;
                refuse(&codes::WRONG_KIND, format!("{} cannot be called", operate::describe(&value)))
            }
            // D(V, 1, 2)(x^2, y): the derivative of an unspecified function by the positions of its arguments.
            ExprKind::Call { callee: outer, arguments: by }
                if ast.name(*outer).is_some_and(|n| &*n.text == "D" && n.primes == 0) =>
            {
                self.derivative_by_position(by, arguments, ast.span(callee))
            }
            _ => refuse(&codes::WRONG_KIND, "only a function can be called"),
        }
    }

    fn derivative_by_position(&self, by: &[ExprId], arguments: &[ExprId], span: Span) -> Fallible<Value> {
        let name = by.first().and_then(|id| self.ast.name(*id));
        let function = name.and_then(|n| self.scope.function(&n.text)).map(|b| &b.callable);
        let Some(Callable::Unknown(function)) = function else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "only an unspecified function is differentiated by position")
                    .label(span, "not such a function")
                    .help("declare it with `function V(x, y)` and write `D(V, 1, 2)(x, y)`"),
            ));
        };
        let values = arguments.iter().map(|a| self.expr(*a)).collect::<Fallible<Vec<_>>>()?;
        check_arity(&function.name(), function.arity() as usize, values.len(), span, span)?;
        let mut orders = vec![0; values.len()];
        for id in &by[1..] {
            let position = self.integer(*id)?;
            match usize::try_from(position - 1).ok().and_then(|i| orders.get_mut(i)) {
                Some(order) => *order += 1,
                None => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("there is no argument {position}"))
                            .label(self.ast.span(*id), format!("`{}` has {}", function.name(), values.len())),
                    ));
                }
            }
        }
        Ok(Value::Expr(Expr::unknown(*function, &orders, &values)))
    }

    /// `integral(u in a..b, f)` = (b − a)·∫₀¹ f(a + (b − a)u) du, in closed form where there is one.
    fn integral(&self, each: &Each, span: Span) -> Fallible<Value> {
        let [binder] = each.binders.as_slice() else {
            return refuse(&codes::WRONG_ARGUMENTS, "an integral is over one variable");
        };
        let ExprKind::Range { from, to } = self.ast.kind(binder.range) else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the limits of an integral are a range")
                    .label(self.ast.span(binder.range), "write `0..1`"),
            ));
        };
        let (from, to) = (self.expr(*from)?, self.expr(*to)?);
        let u = Symbol::bound(&binder.index.node);
        let width = to - from;
        let mut inner = self.on_answer(&Value::number(0));
        inner.locals.push((binder.index.node.clone(), Value::Expr(from + width * Expr::symbol(u))));
        let body = inner.expr(each.body)?;
        operate::defined(width * crate::algebra::antiderivative::unit_integral(body, u), span)
    }

    fn call_named(&self, name: &Name, name_span: Span, arguments: &[ExprId], span: Span) -> Fallible<Value> {
        if self.scope.function(&name.text).is_some() {
            return self.call_in(self.scope, name, name_span, arguments, span);
        }
        // J1(Y), J2(Y), …
        if let Some(order) = name.text.strip_prefix('J').and_then(|n| n.parse::<u32>().ok())
            && name.primes == 0
            && arguments.len() == 1
        {
            return match self.eval(arguments[0])? {
                Value::Manifold(m) => Ok(Value::Space(m.jets(order))),
                Value::Space(below) => jets_of(&below, order, span).map(Value::Space),
                other => {
                    refuse(&codes::WRONG_KIND, format!("jets of a manifold, not of {}", operate::describe(&other)))
                }
            };
        }
        self.builtin(&name.text, name.primes, name_span, arguments, span)
    }

    fn call_in(
        &self,
        scope: &Scope,
        name: &Name,
        name_span: Span,
        arguments: &[ExprId],
        span: Span,
    ) -> Fallible<Value> {
        let Some(binding) = scope.function(&name.text) else {
            return Err(Box::new(self.unknown_function(&name.text, name_span)));
        };
        match &binding.callable {
            Callable::Unknown(function) => {
                let values = arguments.iter().map(|a| self.expr(*a)).collect::<Fallible<Vec<_>>>()?;
                check_arity(&name.text, function.arity() as usize, values.len(), name_span, binding.span)?;
                let mut orders = vec![0; values.len()];
                if name.primes > 0 {
                    if values.len() != 1 {
                        return refuse(
                            &codes::WRONG_KIND,
                            format!("`{}` has {} arguments: say by which one, with D", name.text, values.len()),
                        );
                    }
                    orders[0] = name.primes;
                }
                Ok(Value::Expr(Expr::unknown(*function, &orders, &values)))
            }
            Callable::Closure(closure) => {
                let values = arguments.iter().map(|a| self.eval(*a)).collect::<Fallible<Vec<_>>>()?;
                check_arity(&name.text, closure.parameters.len(), values.len(), name_span, closure.span)?;
                let spans: Vec<Span> = arguments.iter().map(|a| self.ast.span(*a)).collect();
                super::signature::check_call(scope, closure, &values, &spans)?;
                let value =
                    self.enter(scope, closure, values).map_err(|d| Box::new(d.label_once(span, "in this call")))?;
                operate::prime(&value, name.primes)
            }
        }
    }

    /// Evaluates the body of a function of the language.
    fn enter(&self, scope: &Scope, closure: &Closure, values: Vec<Value>) -> Fallible<Value> {
        let inner = Evaluator {
            scope,
            ast: closure.ast.clone(),
            on: self.on.clone(),
            locals: closure.parameters.iter().cloned().zip(values).collect(),
            last: None,
            depth: Cell::new(self.depth.get()),
            prefixes: Prefixes::default(),
        };
        inner.eval(closure.body)
    }

    fn builtin(&self, text: &str, primes: u32, name_span: Span, arguments: &[ExprId], span: Span) -> Fallible<Value> {
        if let Some(function) = Elementary::find(text) {
            // `max(run.x)`, `abs(run.E - run.E.first)`: of a series.
            if let [only] = arguments
                && let Value::Series(series) = self.eval(*only)?.main()
            {
                let part = |name| series.part(name).transpose().expect("a part of every series");
                return match function {
                    Elementary::Max => part("max"),
                    Elementary::Min => part("min"),
                    _ => {
                        let name = format!("{text}({})", series.name);
                        let series = series.map(name, |x| crate::model::run::apply(function, &[x]))?;
                        Ok(Value::Series(Rc::new(series)))
                    }
                };
            }
            // Of numbers of a run: a number of the same kind.
            let values = arguments.iter().map(|a| Ok(self.eval(*a)?.main())).collect::<Fallible<Vec<_>>>()?;
            if primes == 0
                && values.iter().any(|v| matches!(v, Value::Float(_)))
                && let Some(doubles) = values.iter().map(crate::model::run::double).collect::<Option<Vec<f64>>>()
                && function.row().arity.is_none_or(|n| n == doubles.len())
            {
                return match crate::model::run::apply(function, &doubles) {
                    Some(x) => Ok(Value::Float(x)),
                    None => refuse(&codes::NOT_REAL, "this has no real value"),
                };
            }
            let values = arguments.iter().map(|a| self.expr(*a)).collect::<Fallible<Vec<_>>>()?;
            match function.row().arity {
                Some(n) => check_arity(text, n, values.len(), name_span, name_span)?,
                None if values.is_empty() => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{text}` takes at least one argument"))
                            .label(name_span, "called here"),
                    ));
                }
                None => {}
            }
            if primes > 0 {
                let u = Symbol::bound("u");
                let mut body = Expr::apply(function, &[Expr::symbol(u)]);
                for _ in 0..primes {
                    body = crate::algebra::derive::partial(body, u);
                }
                let map = std::iter::once((u, values[0])).collect();
                return Ok(Value::Expr(crate::algebra::substitute::substitute(body, &map)));
            }
            return operate::defined(Expr::apply(function, &values), span);
        }
        match text {
            "sqrt" if arguments.len() == 1 => {
                let half = Value::Expr(Expr::ratio(1, 2));
                return match self.eval(arguments[0])?.main() {
                    value @ (Value::Float(_) | Value::Series(_)) => operate::power(&value, &half, span, span),
                    _ => operate::square_root(self.expr(arguments[0])?, self.ast.span(arguments[0]), span),
                };
            }
            "piecewise" => return self.piecewise(arguments, name_span),
            _ => {}
        }
        let Some(question) = questions::find(text) else {
            return Err(Box::new(self.unknown_function(text, name_span)));
        };
        let mut given = Arguments::new(question, span, name_span);
        for &id in arguments {
            let argument_span = self.ast.span(id);
            match self.ast.option(id) {
                Some((name, value)) if question.options.iter().any(|o| *o == &*name.node) => {
                    let value = match (&*name.node, self.ast.name(value)) {
                        // `names = P`: a prefix, whatever else the word may mean.
                        ("names", Some(Name { text, primes: 0 })) => {
                            Symbol::allow_momentum_prefix(text);
                            Value::Text((&**text).into())
                        }
                        _ => self.eval(value)?,
                    };
                    given.named.insert(name.node.to_string(), Argument { value, span: argument_span });
                }
                Some((name, _)) if !question.takes_equations => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::NO_EFFECT, format!("`{text}` has no option `{}`", name.node))
                            .label(name.span, "not an option of this question")
                            .help(if question.options.is_empty() {
                                format!("`{text}` takes no options")
                            } else {
                                format!("its options are {}", question.options.join(", "))
                            }),
                    ));
                }
                _ => match self.eval(id) {
                    Ok(value) => given.positional.push(Argument { value, span: argument_span }),
                    // `constraint_type(Q1 and Q2)`: what it would mean is not known yet either.
                    Err(d) if d.code == &codes::WRONG_KIND && !question.is_available() => break,
                    Err(d) => return Err(d),
                },
            }
        }
        given.on = self.on.clone();
        given.latest = self.scope.manifolds.last().cloned();
        questions::ask(question, given).map_err(|d| super::promise::mend_meeting(self, arguments, d))
    }

    fn piecewise(&self, arguments: &[ExprId], name_span: Span) -> Fallible<Value> {
        check_arity("piecewise", 3, arguments.len(), name_span, name_span)?;
        let (then, otherwise) = (self.expr(arguments[1])?, self.expr(arguments[2])?);
        match self.eval(arguments[0])? {
            Value::Claim(claim) => {
                let left = operate::as_expr(&claim.left)? - operate::as_expr(&claim.right)?;
                Ok(Value::Expr(Expr::piecewise(Condition { relation: claim.relation, left }, then, otherwise)))
            }
            other => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the first argument of `piecewise` is a comparison")
                    .label(self.ast.span(arguments[0]), format!("this is {}", operate::describe(&other)))
                    .help("for example `piecewise(x > 0, x, 0)`"),
            )),
        }
    }

    // ----- parts, keys, points -------------------------------------------------------------------

    fn part(&self, of: ExprId, key: &Name, key_span: Span) -> Fallible<Value> {
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && !self.locals.iter().any(|(n, _)| n == text)
            && let Some(binding) = self.scope.value(text)
        {
            match &binding.meaning {
                // Y.x: the coordinate of that manifold.
                Meaning::Value(Value::Manifold(m)) => {
                    return match coordinate_of(m, &key.text) {
                        Some(c) => Ok(Value::Expr(Expr::symbol(c.jet(key.primes)))),
                        None => Err(Box::new(super::unknown::no_coordinate(m, &key.text, key_span))),
                    };
                }
                Meaning::Library(library) => {
                    let inner = Evaluator::new(library, &self.ast);
                    return match inner.lookup(&key.text, key.primes, key_span)? {
                        Some(value) => Ok(value),
                        None => Err(Box::new(inner.unknown(&key.text, key_span))),
                    };
                }
                _ => {}
            }
        }
        let value = self.eval(of)?;
        at(super::parts::part(&value, &key.text, key.primes, self), key_span)
    }

    /// `A.q[3]''`: the entry of an answer for a jet of a member of a family of coordinates.
    fn member_part(&self, id: ExprId, primes: u32) -> Fallible<Option<Value>> {
        let ExprKind::Index { of, keys } = self.ast.kind(id) else { return Ok(None) };
        let ExprKind::Part { of: answer, key } = self.ast.kind(*of) else { return Ok(None) };
        let Some(Value::Indexed(family)) = self.lookup(&key.node.text, 0, key.span)? else { return Ok(None) };
        let value = self.eval(*answer)?;
        if matches!(&value, Value::Answer(a) if a.get(&key.node.text).is_some()) {
            return Ok(None);
        }
        let member = super::parts::member(&family, &self.integers(keys)?)?;
        let jet = operate::as_expr(&member)?.as_symbol().and_then(|s| s.as_jet());
        let jet = jet.map(|(coordinate, order)| coordinate.jet(order + primes));
        at(super::parts::at_symbol(&value, jet, &key.node.text), key.span).map(Some)
    }

    fn index(&self, of: ExprId, keys: &[ExprId]) -> Fallible<Value> {
        // dq[i]: the differential of a member of a family.
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && self.lookup(text, 0, self.ast.span(of))?.is_none()
            && let Some(rest) = text.strip_prefix('d')
            && let Some(Value::Indexed(family)) = self.lookup(rest, 0, self.ast.span(of))?
        {
            let member = super::parts::member(&family, &self.integers(keys)?)?;
            let symbol = operate::as_expr(&member)?.as_symbol();
            return match symbol {
                Some(s) => Ok(Value::Form(Form::differential(s))),
                None => refuse(&codes::WRONG_KIND, format!("`{rest}` is not a family of coordinates")),
            };
        }
        // p_q[i]: the momentum conjugate to a member of a family.
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && self.lookup(text, 0, self.ast.span(of))?.is_none()
            && let Some((prefix, order, tail)) = Symbol::split_momentum(text)
            && let Some(Value::Indexed(family)) = self.lookup(tail, 0, self.ast.span(of))?
        {
            let member = super::parts::member(&family, &self.integers(keys)?)?;
            return match operate::as_expr(&member)?.as_symbol().and_then(Symbol::as_jet) {
                Some((coordinate, 0)) => {
                    Ok(Value::Expr(Expr::symbol(Symbol::momentum_named(prefix, coordinate.jet(order)))))
                }
                _ => refuse(&codes::WRONG_KIND, format!("`{tail}` is not a family of coordinates")),
            };
        }
        let value = self.eval(of)?;
        if let Value::Indexed(family) = &value {
            return super::parts::member(family, &self.integers(keys)?);
        }
        super::parts::index(&value, keys, self)
    }

    fn integers(&self, keys: &[ExprId]) -> Fallible<SmallVec<[i64; 2]>> {
        keys.iter().map(|k| self.integer(*k)).collect()
    }

    /// The entries of `{ x = 1, x' = 2 }`, or a named point.
    pub fn point(&self, id: ExprId) -> Fallible<Point> {
        let ast = self.ast.clone();
        let ExprKind::Point(entries) = ast.kind(id) else {
            return match self.eval(id)?.main() {
                Value::Point(point) => Ok((*point).clone()),
                other => Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a point is needed here")
                        .label(ast.span(id), format!("this is {}", operate::describe(&other)))
                        .help("write it as `{ x = 1, x' = 2 }`"),
                )),
            };
        };
        let mut point = Point::default();
        for &entry in entries {
            self.point_entry(entry, &mut point)?;
        }
        Ok(point)
    }

    fn point_entry(&self, entry: ExprId, point: &mut Point) -> Fallible<()> {
        let ast = self.ast.clone();
        if let ExprKind::Each(_) = ast.kind(entry) {
            return self.each_with(entry, &mut |inner, body| inner.point_entry(body, point));
        }
        let Some((left, right)) = ast.equation(entry) else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "an entry of a point is an equation")
                    .label(ast.span(entry), "write `name = value`"),
            ));
        };
        let symbols = self.point_symbols(left)?;
        let value = self.expr(right)?;
        let text = symbols.first().map(|s| s.name()).unwrap_or_default();
        if let Some(twice) = point.entries.iter().find(|e| e.symbols == symbols) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is given twice in this point", twice.text))
                    .label(ast.span(left), "given before"),
            ));
        }
        point.entries.push(PointEntry { symbols, text, value });
        Ok(())
    }

    /// All symbols a key of a point may mean: a name that several manifolds share means each of them.
    fn point_symbols(&self, id: ExprId) -> Fallible<SmallVec<[Symbol; 1]>> {
        if let Some(name) = self.ast.name(id)
            && self.on.as_ref().and_then(|m| coordinate_of(m, &name.text)).is_none()
            && !self.locals.iter().any(|(n, _)| *n == name.text)
            && let Some(Binding { meaning: Meaning::Coordinate(candidates), .. }) = self.scope.value(&name.text)
        {
            return Ok(candidates.iter().map(|(_, c)| c.jet(name.primes)).collect());
        }
        Ok(SmallVec::from_elem(self.jet_symbol(id)?, 1))
    }

    /// A sum inside a repetition whose body mentions no index but its own: the sums to 1, 2, …, k are prefixes of
    /// one another, and each is the one before plus a term. So the velocities Σ_{i≤k} q′ᵢ cos qᵢ of a
    /// chain share their parts. `None` if it is not such a sum.
    fn prefix_sum(&self, id: ExprId, each: &Each) -> Fallible<Option<Expr>> {
        let ([binder], false) = (each.binders.as_slice(), self.locals.is_empty()) else { return Ok(None) };
        let ExprKind::Range { from, to } = self.ast.kind(binder.range) else { return Ok(None) };
        let others = |id: ExprId| {
            let name = self.ast.name(id)?;
            self.locals.iter().find(|(local, _)| *local == name.text && *local != binder.index.node)
        };
        if super::mention::inside(&self.ast, self.ast.span(each.body)).any(|id| others(id).is_some()) {
            return Ok(None);
        }
        let (from, to) = (self.integer(*from)?, self.integer(*to)?);
        range_guard(from, to)?;
        if to < from {
            return Ok(None);
        }
        let key = (Rc::as_ptr(&self.ast) as usize, id, from);
        let mut sums = self.prefixes.borrow_mut().remove(&key).unwrap_or_default();
        let mut inner = self.on_answer(&Value::number(0));
        inner.prefixes = self.prefixes.clone();
        for index in from + sums.len() as i64..=to {
            inner.locals.push((binder.index.node.clone(), Value::number(index)));
            let term = inner.eval(each.body);
            inner.locals.pop();
            let Ok(term) = operate::as_expr(&term?) else { return Ok(None) };
            sums.push(sums.last().map_or(term, |before| *before + term));
        }
        let sum = sums[(to - from) as usize];
        self.prefixes.borrow_mut().insert(key, sums);
        Ok(Some(sum))
    }

    /// The values of a repetition.
    pub fn each(&self, id: ExprId) -> Fallible<Vec<Value>> {
        let mut values = Vec::new();
        self.each_with(id, &mut |inner, body| {
            match inner.ast.kind(body) {
                ExprKind::Each(each) if &*each.function.node == "list" => values.extend(inner.each(body)?),
                _ => values.push(inner.eval(body)?),
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Runs `work` on the body of a repetition, once for every choice of the indices.
    pub fn each_with(&self, id: ExprId, work: &mut dyn FnMut(&Evaluator, ExprId) -> Fallible<()>) -> Fallible<()> {
        let ast = self.ast.clone();
        let ExprKind::Each(each) = ast.kind(id) else { return work(self, id) };
        let mut inner = Evaluator {
            scope: self.scope,
            ast: self.ast.clone(),
            on: self.on.clone(),
            locals: self.locals.clone(),
            last: self.last,
            depth: Cell::new(self.depth.get()),
            prefixes: self.prefixes.clone(),
        };
        fn run(
            inner: &mut Evaluator,
            binders: &[crate::syntax::ast::Binder],
            body: ExprId,
            work: &mut dyn FnMut(&Evaluator, ExprId) -> Fallible<()>,
        ) -> Fallible<()> {
            let Some((binder, rest)) = binders.split_first() else { return work(inner, body) };
            let Value::List(values) = inner.eval(binder.range)?.main() else {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "an index runs over a range or a list")
                        .label(inner.ast.span(binder.range), "this is neither"),
                ));
            };
            for value in values.iter() {
                inner.locals.push((binder.index.node.clone(), value.clone()));
                let result = run(inner, rest, body, work);
                inner.locals.pop();
                result?;
            }
            Ok(())
        }
        run(&mut inner, &each.binders, each.body, work)
    }

    /// A space JʳY after `on`.
    pub fn space(&self, space: &Space) -> Fallible<JetSpace> {
        let found = self.any_space(space)?;
        if !found.is_free() {
            return Ok(found);
        }
        let holonomic = found.manifold().jets(found.order() + 1);
        Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("the space {found} has velocities that are no derivatives"))
                .label(space.span, format!("a system lives on {holonomic}, which lies in it as vel(q) = q'"))
                .repair(format!("declare it on {holonomic}"), space.span, holonomic.to_string()),
        ))
    }

    /// A space JʳY or J¹(JʳY) after `on`.
    pub fn any_space(&self, space: &Space) -> Fallible<JetSpace> {
        let mut found = self.manifold(&space.manifold)?.jets(0);
        for word in space.jets.iter().rev() {
            match word.node.strip_prefix('J').and_then(|n| n.parse::<u32>().ok()) {
                Some(n) => found = jets_of(&found, n, space.span)?,
                None => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, format!("`{}` is not a jet space", word.node))
                            .label(word.span, "J1, J2, … are")
                            .help("write `J1(Y)` for the first jets of `Y`"),
                    ));
                }
            }
        }
        Ok(found)
    }

    pub fn manifold(&self, path: &crate::syntax::ast::Path) -> Fallible<FiberedManifold> {
        let mut scope = self.scope;
        let (last, before) = path.words.split_last().expect("a path is not empty");
        for word in before {
            match scope.value(&word.node).map(|b| &b.meaning) {
                Some(Meaning::Library(library)) => scope = library,
                _ => return Err(Box::new(self.unknown(&word.node, word.span))),
            }
        }
        match scope.value(&last.node).map(|b| &b.meaning) {
            Some(Meaning::Value(Value::Manifold(m))) => Ok(m.clone()),
            Some(_) => Err(Box::new(
                Diagnostic::error(&codes::WRONG_MANIFOLD, format!("`{}` is not a manifold", last.node))
                    .label(last.span, "a manifold is needed here"),
            )),
            None => {
                let names: Vec<String> = scope.manifolds.iter().map(|m| m.name().to_string()).collect();
                let diagnostic =
                    Diagnostic::error(&codes::UNKNOWN_NAME, format!("the manifold `{}` is not declared", last.node));
                Err(Box::new(match suggest::nearest(&last.node, names.iter().map(String::as_str)) {
                    Some(near) => diagnostic.label(last.span, "not known here").repair(
                        format!("did you mean `{near}`?"),
                        last.span,
                        near,
                    ),
                    None => diagnostic
                        .label(last.span, "not known here")
                        .help(format!("declare it before: `manifold {} over t {{ x }}`", last.node)),
                }))
            }
        }
    }
}

/// The coordinate of that name on a manifold, those below a tower included. A Greek letter also means its spelling.
pub fn coordinate_of(manifold: &FiberedManifold, name: &str) -> Option<Coordinate> {
    manifold.coordinate_named(name).or_else(|| manifold.coordinate_named(&spelled(name)?))
}

fn check_arity(name: &str, wanted: usize, given: usize, call: Span, declared: Span) -> Fallible<()> {
    if wanted == given {
        return Ok(());
    }
    let plural = if wanted == 1 { "" } else { "s" };
    let diagnostic =
        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{name}` takes {wanted} argument{plural}, not {given}"))
            .label(call, "called here");
    Err(Box::new(if declared == call { diagnostic } else { diagnostic.label(declared, "declared here") }))
}

fn range_guard(from: i64, to: i64) -> Fallible<()> {
    if to.saturating_sub(from) > 1_000_000 {
        return refuse(&codes::BUDGET, "this range has more than a million members");
    }
    Ok(())
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

/// Jⁿ of a manifold or a jet space: JʳY, and J¹(JʳY) with its own velocities.
fn jets_of(below: &JetSpace, order: u32, span: Span) -> Fallible<JetSpace> {
    match (below.order(), order) {
        (0, _) if !below.is_free() => Ok(below.manifold().jets(order)),
        (_, 0) => Ok(below.clone()),
        (_, 1) if !below.is_free() => Ok(below.free()),
        (r, n) => {
            let holonomic = below.manifold().jets(r + n + u32::from(below.is_free()));
            Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("there is no J{n}({below}): a jet space has first jets only"),
                )
                .label(span, "`J1(J2(Y))` has the velocities of the coordinates of `J2(Y)`")
                .repair(
                    format!("the derivatives of that order are on {holonomic}"),
                    span,
                    holonomic.to_string(),
                ),
            ))
        }
    }
}
