//! Calls: of functions of the language, of unspecified and elementary functions, and of questions.

use super::space::{existing_order, jet_word, jets_of};
use super::{Evaluator, Prefixes, refuse};
use crate::algebra::expr::Condition;
use crate::algebra::function::Elementary;
use crate::algebra::{Expr, Symbol, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, Value};
use crate::model::{operate, tensor};
use crate::questions::{self, Argument, Arguments, Question, call};
use crate::session::scope::{Binding, Callable, Closure, Meaning, Scope};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name};
use std::cell::Cell;
use std::rc::Rc;

impl<'s> Evaluator<'s> {
    pub(super) fn call(&self, callee: ExprId, arguments: &[ExprId], span: Span) -> Fallible<Value> {
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
                if let (Value::Family(images), [argument]) = (&value, arguments)
                    && let Value::Field(field) = self.eval(*argument)?.main()
                    && let Some(image) = tensor::image_of_field(images, &field)
                {
                    return Ok(Value::Field(image));
                }
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

    pub(super) fn derivative_by_position(&self, by: &[ExprId], arguments: &[ExprId], span: Span) -> Fallible<Value> {
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

    pub(super) fn call_named(&self, name: &Name, name_span: Span, arguments: &[ExprId], span: Span) -> Fallible<Value> {
        if self.scope.function(&name.text).is_some() {
            return self.call_in(self.scope, name, name_span, arguments, span);
        }
        // J1(Y), J2(Y), …
        if let Some(digits) = jet_word(&name.text)
            && name.primes == 0
        {
            check_arity(&name.text, 1, arguments.len(), name_span, name_span)?;
            let order = existing_order(digits, name_span)?;
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

    pub(super) fn call_in(
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
                let scope = &*closure.scope(scope);
                let values = arguments.iter().map(|a| self.eval(*a)).collect::<Fallible<Vec<_>>>()?;
                check_arity(&name.text, closure.parameters.len(), values.len(), name_span, closure.span)?;
                let spans: Vec<Span> = arguments.iter().map(|a| self.ast.span(*a)).collect();
                crate::session::signature::check_call(&self.cx, scope, closure, &values, &spans)?;
                let value =
                    self.enter(scope, closure, values).map_err(|d| Box::new(d.label_once(span, "in this call")))?;
                operate::prime(&self.cx, &value, name.primes)
            }
        }
    }

    /// Evaluates the body of a function of the language.
    pub(super) fn enter(&self, scope: &Scope, closure: &Closure, values: Vec<Value>) -> Fallible<Value> {
        let inner = Evaluator {
            cx: self.cx.clone(),
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

    pub(super) fn builtin(
        &self,
        text: &str,
        primes: u32,
        name_span: Span,
        arguments: &[ExprId],
        span: Span,
    ) -> Fallible<Value> {
        if let Some(function) = Elementary::find(text) {
            // `max(run.x)`, `abs(run.E - run.E.first)`: of a series.
            if let [only] = arguments
                && let Value::Series(series) = self.eval(*only)?.main()
            {
                let part = |name| series.part(name).transpose().expect("a part of every series");
                return match function {
                    Elementary::Max => part("max").map(Value::Float),
                    Elementary::Min => part("min").map(Value::Float),
                    _ => {
                        let name = format!("{text}({})", series.name);
                        let series = series.map(name, |x| crate::motion::double::apply(function, &[x]))?;
                        Ok(Value::Series(Rc::new(series)))
                    }
                };
            }
            // Of numbers of a run: a number of the same kind.
            let values = arguments.iter().map(|a| Ok(self.eval(*a)?.main())).collect::<Fallible<Vec<_>>>()?;
            if primes == 0
                && values.iter().any(|v| matches!(v, Value::Float(_)))
                && let Some(doubles) =
                    values.iter().map(|x| crate::model::run::double(&self.cx, x)).collect::<Option<Vec<f64>>>()
                && function.row().arity.is_none_or(|n| n == doubles.len())
            {
                return match crate::motion::double::apply(function, &doubles) {
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
                    body = crate::algebra::derive::partial(&self.cx, body, u);
                }
                let map = std::iter::once((u, values[0])).collect();
                return Ok(Value::Expr(crate::algebra::substitute::substitute(body, &map)));
            }
            if function == Elementary::Log {
                operate::real_logarithm(&self.cx, values[0], self.ast.span(arguments[0]))?;
            }
            let built = Expr::apply(function, &values);
            operate::keep_domain(&self.cx, values.iter().copied(), built);
            return operate::defined(built, span);
        }
        match text {
            "sqrt" if arguments.len() == 1 => {
                let half = Value::Expr(Expr::ratio(1, 2));
                return match self.eval(arguments[0])?.main() {
                    value @ (Value::Float(_) | Value::Series(_)) => operate::power(&self.cx, &value, &half, span, span),
                    _ => operate::square_root(&self.cx, self.expr(arguments[0])?, self.ast.span(arguments[0]), span),
                };
            }
            "piecewise" => return self.piecewise(arguments, name_span),
            _ => {}
        }
        let Some(question) = questions::find_written(text) else {
            return Err(Box::new(self.unknown_function(text, name_span)));
        };
        let mut given = Arguments::new(&self.cx, question, span, name_span);
        self.check_written(question, text, name_span, arguments)?;
        for &id in arguments {
            let argument_span = self.ast.span(id);
            match self.ast.option(id) {
                Some((name, value)) if question.option(&name.node).is_some() => {
                    let value = match (&*name.node, self.ast.name(value)) {
                        // `names = P`: a prefix, whatever else the word may mean.
                        ("names", Some(Name { text, primes: 0 })) => {
                            self.scope.allow_momentum_prefix(text);
                            Value::Text((&**text).into())
                        }
                        _ => self.eval(value)?,
                    };
                    given.named.insert(name.node.to_string(), Argument { value, span: argument_span });
                }
                _ => match self.eval_argument(id, &mut given) {
                    Ok(value) => given.positional.push(Argument { value, span: argument_span }),
                    // `constraint_type(Q1 and Q2)`: what it would mean is not known yet either.
                    Err(d) if d.code == &codes::WRONG_KIND && !question.is_available() => break,
                    Err(d) => return Err(d),
                },
            }
        }
        if let Some(k) = questions::contact_number(text) {
            given.positional.push(Argument { value: Value::number(i64::from(k)), span: name_span });
        }
        given.on = self.on.clone();
        given.manifolds = self.scope.manifolds.clone();
        questions::ask(&self.cx, question, given).map_err(|d| crate::session::promise::mend_meeting(self, arguments, d))
    }

    /// The number of arguments and the names of options, before anything is computed.
    fn check_written(&self, row: &Question, text: &str, name_span: Span, arguments: &[ExprId]) -> Fallible<()> {
        let options = arguments.iter().filter_map(|id| self.ast.option(*id));
        let (known, other): (Vec<_>, Vec<_>) = options.partition(|(name, _)| row.option(&name.node).is_some());
        let unknown = other.first().filter(|_| !row.takes_equations());
        if let Some((name, _)) = unknown {
            return Err(Box::new(call::unknown_option(row, text, &name.node, name.span)));
        }
        let n = arguments.len() - known.len();
        call::check_count(row, text, name_span, n).map_or(Ok(()), |d| Err(Box::new(d)))
    }

    /// The value of an argument, and what was cancelled on the way, which is recorded for the statement as well unless the
    /// question says it in other coordinates.
    fn eval_argument(&self, id: ExprId, given: &mut Arguments) -> Fallible<Value> {
        let (value, recorded) = conditions::collect_all(&self.cx, |cx| self.under(cx).eval(id));
        given.cancelled.extend(recorded.nonzero.iter().copied());
        if given.question.carries_conditions() {
            given.recorded.push(recorded);
        } else {
            conditions::record_all(&self.cx, &recorded);
        }
        value
    }

    pub(super) fn piecewise(&self, arguments: &[ExprId], name_span: Span) -> Fallible<Value> {
        check_arity("piecewise", 3, arguments.len(), name_span, name_span)?;
        let (then, otherwise) = (self.expr(arguments[1])?, self.expr(arguments[2])?);
        match self.eval(arguments[0])? {
            Value::Claim(claim) => {
                let left = operate::as_expr(&self.cx, &claim.left)? - operate::as_expr(&self.cx, &claim.right)?;
                Ok(Value::Expr(Expr::piecewise(Condition { relation: claim.relation, left }, then, otherwise)))
            }
            other => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the first argument of `piecewise` is a comparison")
                    .label(self.ast.span(arguments[0]), format!("this is {}", operate::describe(&other)))
                    .help("for example `piecewise(x > 0, x, 0)`"),
            )),
        }
    }
}

pub fn check_arity(name: &str, wanted: usize, given: usize, call: Span, declared: Span) -> Fallible<()> {
    if wanted == given {
        return Ok(());
    }
    let plural = if wanted == 1 { "" } else { "s" };
    let diagnostic =
        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{name}` takes {wanted} argument{plural}, not {given}"))
            .label(call, "called here");
    Err(Box::new(if declared == call { diagnostic } else { diagnostic.label(declared, "declared here") }))
}
