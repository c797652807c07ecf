//! Names: declared ones, differentials of undeclared `d`-names, symbols that answers contain.

use super::{Evaluator, coordinate_of};
use crate::algebra::{Coordinate, Expr, Symbol, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::model::operate;
use crate::model::value::{Fallible, Value};
use crate::session::scope::Meaning;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Name};

impl<'s> Evaluator<'s> {
    pub(super) fn name(&self, name: &Name, span: Span) -> Fallible<Value> {
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
            return operate::prime(&self.cx, &Value::Expr(Expr::symbol(symbol)), name.primes);
        }
        Err(Box::new(self.unknown(&name.text, span)))
    }

    /// A declared name with its primes, if there is one.
    pub(super) fn lookup(&self, text: &str, primes: u32, span: Span) -> Fallible<Option<Value>> {
        if let Some((_, value)) = self.locals.iter().rev().find(|(n, _)| &**n == text) {
            return operate::prime(&self.cx, value, primes).map(Some);
        }
        if text == "_"
            && let Some(last) = self.last
        {
            last.conditions.iter().for_each(|c| conditions::state(&self.cx, *c));
            return operate::prime(&self.cx, &last.value, primes).map(Some);
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
                let written = |owner: &str| format!("{owner}.{text}{}", "'".repeat(primes as usize));
                let coordinate = self.choose(text, candidates, span, &written)?;
                Ok(Some(Value::Expr(Expr::symbol(coordinate.jet(primes)))))
            }
            Meaning::Parameter(s) | Meaning::Base(s) => {
                operate::prime(&self.cx, &Value::Expr(Expr::symbol(*s)), primes).map(Some)
            }
            Meaning::Value(v) => {
                if let Some(ground) = &binding.sampled {
                    self.cx.rests_on(crate::model::grounds::Sampled {
                        name: text.to_string(),
                        ground: ground.clone(),
                        span,
                    });
                }
                binding.conditions.iter().for_each(|c| conditions::state(&self.cx, *c));
                operate::prime(&self.cx, v, primes).map(Some)
            }
            Meaning::Library(_) => Err(Box::new(
                Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is a library, not a value"))
                    .about(text)
                    .label(span, "its names stand behind a dot")
                    .help(format!("write `{text}.name`")),
            )),
        }
    }

    /// The coordinate of a name, if only one manifold has it; `written` is how to write that of a manifold.
    fn choose(
        &self,
        text: &str,
        candidates: &[(FiberedManifold, Coordinate)],
        span: Span,
        written: &dyn Fn(&str) -> String,
    ) -> Fallible<Coordinate> {
        match candidates {
            [(_, only)] => Ok(*only),
            _ => {
                let title = format!("several manifolds have a coordinate `{text}`");
                let d = Diagnostic::error(&codes::AMBIGUOUS_NAME, title).label(span, "which one?");
                let offer = |d: Diagnostic, (m, _): &(FiberedManifold, Coordinate)| {
                    d.repair(format!("the one of {}: {}", m.name(), written(m.name())), span, written(m.name()))
                };
                Err(Box::new(candidates.iter().fold(d, offer)))
            }
        }
    }

    /// The jet, parameter or time that `text` with `primes` primes names, if it names one.
    pub(super) fn symbol_named(&self, text: &str, primes: u32, span: Span) -> Fallible<Option<Symbol>> {
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(coordinate) = self.on.as_ref().and_then(|m| coordinate_of(m, text)) {
            self.scope.value(text);
            return Ok(Some(coordinate.jet(primes)));
        }
        match self.scope.value(text).map(|b| &b.meaning) {
            Some(Meaning::Coordinate(candidates)) => {
                let written = |owner: &str| format!("d({owner}.{text}{})", "'".repeat(primes as usize));
                Ok(Some(self.choose(text, candidates, span, &written)?.jet(primes)))
            }
            Some(Meaning::Base(s) | Meaning::Parameter(s)) if primes == 0 => Ok(Some(*s)),
            _ => self.derived_symbol(text, span).map(|s| s.filter(|_| primes == 0)),
        }
    }

    /// Symbols that answers contain and that may be written unless declared otherwise: `p_x`,
    /// `p1_x`, `lambda_1`.
    pub(super) fn derived_symbol(&self, text: &str, span: Span) -> Fallible<Option<Symbol>> {
        let multiplier = text.strip_prefix("lambda_").or_else(|| text.strip_prefix("λ_"));
        if let Some(number) = multiplier.and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0) {
            return Ok(Some(Symbol::multiplier(number)));
        }
        let Some((prefix, order, tail)) = Symbol::split_momentum(text, |p| self.scope.has_momentum_prefix(p)) else {
            return Ok(None);
        };
        // Which momentum is meant is said by the `on` clause or by another name.
        let named = self.symbol_named(tail, order, span).map_err(|mut d| {
            d.repairs.clear();
            d
        });
        Ok(named?.map(|q| Symbol::momentum_named(prefix, q)))
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

    /// The jet that a key after a dot names, if it names one.
    pub fn symbol_of_key(&self, text: &str, primes: u32) -> Fallible<Option<Symbol>> {
        self.symbol_named(text, primes, Span::default())
    }
}
