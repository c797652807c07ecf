//! Applications: of functions of the language, of unspecified and elementary functions, and of questions.

use super::{Asks, Evaluator, Prefixes, at, refuse, undecided};
use crate::algebra::expr::Condition;
use crate::algebra::function::Elementary;
use crate::algebra::{Expr, Function, Symbol, conditions};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::model::value::{Fallible, KeyPart, Value};
use crate::model::{operate, place, tensor};
use crate::questions::{self, Argument, Arguments};
use crate::session::resolve::jets_of;
use crate::session::term::{Ask, Call, Term, TermKind};
use crate::session::{promise, signature};
use crate::source::Span;
use std::cell::Cell;
use std::rc::Rc;

/// What can be wrong with a question as it is written, whatever is computed.
const OF_WHAT_IS_WRITTEN: [&codes::Code; 7] = [
    &codes::WRONG_KIND,
    &codes::WRONG_ARGUMENTS,
    &codes::NO_EFFECT,
    &codes::WRONG_DEGREE,
    &codes::WRONG_MANIFOLD,
    &codes::ORDER_TOO_HIGH,
    &codes::NOT_APPLICABLE,
];

impl<'s> Evaluator<'s> {
    /// `V'(x)`, `D(V, 1, 2)(x, y)`.
    pub(super) fn unspecified(
        &self,
        function: Function,
        primes: u32,
        by: &[Term],
        arguments: &[Term],
    ) -> Fallible<Value> {
        let values = arguments.iter().map(|a| self.expr(a)).collect::<Fallible<Vec<_>>>()?;
        let mut orders = vec![0; values.len()];
        if primes > 0 {
            orders[0] = primes;
        }
        for term in by {
            let position = self.integer(term)?;
            match usize::try_from(position - 1).ok().and_then(|i| orders.get_mut(i)) {
                Some(order) => *order += 1,
                None => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("there is no argument {position}"))
                            .label(term.span, format!("`{}` has {}", function.name(), values.len())),
                    ));
                }
            }
        }
        Ok(Value::Expr(Expr::unknown(function, &orders, &values)))
    }

    /// `connection(S).lift(ξ)`.
    pub(super) fn image(&self, images: &Term, field: &Term, whole: Span) -> Fallible<Value> {
        let value = self.eval(images)?;
        // `run.x(3)`
        if let (Value::Series(_), TermKind::Part { of, key }) = (&value, &images.kind) {
            let places = vec![of.outer, field.outer, key.span];
            let d = Diagnostic::error(&codes::WRONG_KIND, "a column is no function").label(whole, "a column at a time");
            let help = "the state at a time is `run at 3`, and its entries are named";
            return Err(Box::new(d.repair_at(Goes::Quoting(places), help, whole, "(… at …).…")));
        }
        let Value::Family(family) = &value else {
            return refuse(&codes::WRONG_KIND, format!("{} cannot be called", operate::describe(&value)));
        };
        if !family.entries.values().all(|v| matches!(v, Value::Field(_))) {
            return refuse(&codes::WRONG_KIND, format!("{} cannot be called", operate::describe(&value)));
        }
        let given = self.eval(field)?;
        let Value::Field(x) = given.main() else {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("a vector field is needed here, not {}", operate::describe(&given)),
                )
                .label(field.span, format!("this is {}", operate::describe(&given))),
            ));
        };
        tensor::image_of_field(family, &x).map(Value::Field).map_err(|s| {
            let known = family.entries.keys().filter_map(|key| match key.first() {
                Some(KeyPart::Symbol(s)) => Some(format!("@{s}")),
                _ => None,
            });
            Box::new(
                Diagnostic::error(
                    &codes::WRONG_MANIFOLD,
                    format!("this field has a component along ∂/∂{s}, which is not lifted"),
                )
                .label(field.span, "this field")
                .note(format!("a combination of {} is needed", known.collect::<Vec<_>>().join(", "))),
            )
        })
    }

    /// The body of a function of the language, with its arguments in the frame.
    pub(super) fn call(&self, call: &Call, span: Span) -> Fallible<Value> {
        let function = call.callee.function();
        let Some((function, body)) = function.as_ref().and_then(|f| Some((f, f.body()?))) else {
            return refuse(&codes::WRONG_KIND, "this function has no body here");
        };
        let values = self.all(&call.arguments)?;
        let spans: Vec<Span> = call.arguments.iter().map(|a| a.span).collect();
        signature::check_call(&self.cx, function, body, &values, &spans)?;
        let value = self.enter(values).eval(&body.term).map_err(|d| Box::new(d.label_once(span, "in this call")))?;
        operate::prime(&self.cx, &value, call.primes)
    }

    /// The context of the body of a function, whose parameters have these values.
    fn enter(&self, values: Vec<Value>) -> Box<Evaluator<'s>> {
        Box::new(Evaluator {
            cx: self.cx.clone(),
            around: self.around,
            on: self.on.clone(),
            frame: values,
            last: None,
            asks: self.asks,
            columns: None,
            depth: Cell::new(self.depth.get()),
            prefixes: Prefixes::default(),
        })
    }

    pub(super) fn jets(&self, order: u32, of: &Term, span: Span) -> Fallible<Value> {
        match self.eval(of)? {
            Value::Manifold(m) => Ok(Value::Space(m.jets(order))),
            Value::Space(below) => jets_of(&below, order, span).map(Value::Space),
            other => refuse(&codes::WRONG_KIND, format!("jets of a manifold, not of {}", operate::describe(&other))),
        }
    }

    pub(super) fn elementary(
        &self,
        function: Elementary,
        primes: u32,
        arguments: &[Term],
        span: Span,
    ) -> Fallible<Value> {
        let values = self.all(arguments)?;
        // `max(run.x)`, `abs(run.E - run.E.first)`: of a series.
        if let [only] = values.as_slice()
            && let Value::Series(series) = only.main()
        {
            // Greatest and least are parts of a series; any other function goes over its values.
            if [Elementary::Max, Elementary::Min].contains(&function) {
                let part = series.part(function.name()).transpose().expect("a part of every series");
                return part.map(Value::Float);
            }
            let name = format!("{}({})", function.name(), series.name);
            let series = series.map(name, |x| crate::motion::double::apply(function, &[x]))?;
            return Ok(Value::Series(Rc::new(series)));
        }
        // Of numbers of a run: a number of the same kind.
        let mains: Vec<Value> = values.iter().map(Value::main).collect();
        if primes == 0
            && mains.iter().any(|v| matches!(v, Value::Float(_)))
            && let Some(doubles) =
                mains.iter().map(|x| crate::model::run::double(&self.cx, x)).collect::<Option<Vec<f64>>>()
        {
            return match crate::motion::double::apply(function, &doubles) {
                Some(x) => Ok(Value::Float(x)),
                None => refuse(&codes::NOT_REAL, "this has no real value"),
            };
        }
        let exprs = values.iter().zip(arguments).map(|(v, a)| at(operate::as_expr(&self.cx, v), a.span));
        let exprs = exprs.collect::<Fallible<Vec<_>>>()?;
        if primes > 0 {
            let u = Symbol::bound("u");
            let mut body = Expr::apply(function, &[Expr::symbol(u)]);
            for _ in 0..primes {
                body = crate::algebra::derive::partial(&self.cx, body, u);
            }
            let map = std::iter::once((u, exprs[0])).collect();
            let value = Value::Expr(crate::algebra::substitute::substitute(body, &map));
            return Ok(place::put(place::common(&values), value));
        }
        if function == Elementary::Log {
            operate::real_logarithm(&self.cx, exprs[0], arguments[0].span)?;
        }
        let built = Expr::apply(function, &exprs);
        operate::keep_domain(&self.cx, exprs.iter().copied(), built);
        Ok(place::put(place::common(&values), operate::defined(built, span)?))
    }

    pub(super) fn root(&self, of: &Term, span: Span) -> Fallible<Value> {
        let value = self.eval(of)?;
        match value.main() {
            value @ (Value::Float(_) | Value::Series(_)) => {
                operate::power(&self.cx, &value, &Value::Expr(Expr::ratio(1, 2)), span, span)
            }
            _ => {
                let radicand = at(operate::as_expr(&self.cx, &value), of.span)?;
                Ok(place::put(place::of(&value), operate::square_root(&self.cx, radicand, of.span, span)?))
            }
        }
    }

    pub(super) fn ask(&self, ask: &Ask, span: Span) -> Fallible<Value> {
        if self.asks == Asks::Formulas && !questions::is_formula(ask.row) {
            return undecided(span);
        }
        self.asked(ask, self.arguments(ask, span)?)
    }

    /// What a question says of what is written before it has done any work: it is asked with none to spend, and what it
    /// refuses counts only if it needed none. So it is what a run says, in the same words. A question about a system and
    /// nothing else has nothing to find there but that constraints are missing. `None` also where an argument is known in a run only.
    pub fn refused_at_once(&self, ask: &Ask, span: Span) -> Option<Diagnostic> {
        let apart = self.under(&self.cx.apart());
        let given = apart.arguments(ask, span).ok()?;
        if let ([Argument { value: Value::System(system), .. }], true) = (&given.positional[..], given.named.is_empty())
        {
            let may_be_missing = system.constraints.is_empty() && questions::is_about_constraints(ask.row);
            if !may_be_missing {
                return None;
            }
        }
        let cx = &apart.cx;
        let refused = cx.within(share::NOTHING, || match apart.asked(ask, given) {
            Err(refused) if !cx.is_over() => Some(refused),
            _ => None,
        })?;
        let is_of_what_is_written = OF_WHAT_IS_WRITTEN.iter().any(|code| code.number == refused.code.number);
        is_of_what_is_written.then(|| refused.or_at(span, "here"))
    }

    fn asked(&self, ask: &Ask, given: Arguments) -> Fallible<Value> {
        let terms = || ask.arguments.iter().map(|(_, t)| t).collect::<Vec<_>>();
        questions::ask(&self.cx, ask.row, given).map_err(|d| promise::mend_meeting(self, &terms(), d))
    }

    fn arguments(&self, ask: &Ask, span: Span) -> Fallible<Arguments> {
        let mut given = Arguments::new(&self.cx, ask.row, span, ask.name_span);
        for (option, term) in &ask.arguments {
            match option {
                Some(name) => {
                    let argument = Argument { value: self.eval(term)?, span: term.span };
                    given.named.insert(name.to_string(), argument);
                }
                None => {
                    let value = self.argument(term, &mut given)?;
                    given.positional.push(Argument { value, span: term.span });
                }
            }
        }
        if let Some(k) = ask.number {
            given.positional.push(Argument { value: Value::number(i64::from(k)), span: ask.name_span });
        }
        given.on = self.on.clone();
        given.manifolds = self.around.manifolds.clone();
        Ok(given)
    }

    /// The value of an argument, and what was cancelled on the way, which is recorded for the statement as well unless the
    /// question says it in other coordinates.
    fn argument(&self, term: &Term, given: &mut Arguments) -> Fallible<Value> {
        let (value, recorded) = conditions::collect_all(&self.cx, |cx| self.under(cx).eval(term));
        given.cancelled.extend(recorded.nonzero.iter().copied());
        if given.question.carries_conditions() {
            given.recorded.push(recorded);
        } else {
            conditions::record_all(&self.cx, &recorded);
        }
        value
    }

    pub(super) fn piecewise(&self, arguments: &[Term]) -> Fallible<Value> {
        let (then, otherwise) = (self.expr(&arguments[1])?, self.expr(&arguments[2])?);
        match self.eval(&arguments[0])? {
            Value::Claim(claim) => {
                let left = operate::as_expr(&self.cx, &claim.left)? - operate::as_expr(&self.cx, &claim.right)?;
                Ok(Value::Expr(Expr::piecewise(Condition { relation: claim.relation, left }, then, otherwise)))
            }
            other => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the first argument of `piecewise` is a comparison")
                    .label(arguments[0].span, format!("this is {}", operate::describe(&other)))
                    .help("for example `piecewise(x > 0, x, 0)`"),
            )),
        }
    }
}
