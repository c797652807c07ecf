//! Values of parameters, where exact expressions become doubles.

use crate::algebra::Inquiry;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Node, Symbol, ball};
use crate::codegen::lower;
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::source::Span;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// The values of the parameters in one run: those of its `set` clause, over those of the session.
#[derive(Default)]
pub struct Numbers {
    values: FxHashMap<Symbol, Expr>,
}

impl Numbers {
    /// From the values that were declared, in their order, and those that the run sets.
    pub fn new(declared: &IndexMap<Symbol, Expr>, set: &FxHashMap<Symbol, Expr>) -> Numbers {
        let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (symbol, value) in declared {
            // A parameter may be declared in terms of earlier ones, whose values in this run count.
            let value = set.get(symbol).copied().unwrap_or(*value);
            let resolved = substitute(value, &values);
            values.insert(*symbol, resolved);
        }
        let undeclared: Vec<_> = set.iter().filter(|(s, _)| !values.contains_key(*s)).collect();
        let resolved: Vec<_> = undeclared.into_iter().map(|(s, e)| (*s, substitute(*e, &values))).collect();
        values.extend(resolved);
        Numbers { values }
    }

    /// The value of a parameter, as far as it is known.
    pub fn formula(&self, symbol: Symbol) -> Option<Expr> {
        self.values.get(&symbol).copied()
    }

    /// An expression with the values of the parameters in it.
    pub fn put(&self, e: Expr) -> Expr {
        substitute(e, &self.values)
    }

    pub fn value_of(&self, cx: &Inquiry, symbol: Symbol) -> Option<f64> {
        self.number(cx, *self.values.get(&symbol)?)
    }

    /// The nearest double of an expression in parameters.
    pub fn number(&self, cx: &Inquiry, e: Expr) -> Option<f64> {
        let e = substitute(e, &self.values);
        let x = match e.node() {
            Node::Number(n) => lower::to_f64(n),
            _ => ball::decimal(cx, e, &FxHashMap::default(), 19).ok()??.parse().ok()?,
        };
        x.is_finite().then_some(x)
    }

    /// The same, or a refusal that points at the expression.
    pub fn number_at(&self, cx: &Inquiry, e: Expr, span: Span) -> Fallible<f64> {
        self.number(cx, e).ok_or_else(|| {
            let missing: Vec<String> =
                e.symbols().into_iter().filter(|s| self.value_of(cx, *s).is_none()).map(|s| format!("`{s}`")).collect();
            let diagnostic =
                Diagnostic::error(&codes::MISSING_PARAMETER, "this is not a number").label(span, "needed in the run");
            Box::new(match missing.is_empty() {
                true => diagnostic.note("its value is not a finite real number"),
                false => diagnostic.note(format!("{} has no value", missing.join(", "))),
            })
        })
    }

    /// Values for parameters, or a refusal that names all that are missing.
    pub fn values_of(&self, cx: &Inquiry, parameters: &[Symbol], system: Span) -> Fallible<Vec<f64>> {
        let missing: Vec<Symbol> = parameters.iter().copied().filter(|p| self.value_of(cx, *p).is_none()).collect();
        if let Some(first) = missing.first() {
            let names: Vec<String> = missing.iter().map(|p| format!("`{p}`")).collect();
            return Err(Box::new(
                Diagnostic::error(&codes::MISSING_PARAMETER, format!("a value is missing for {}", names.join(", ")))
                    .label(system, "this system depends on it")
                    .help(format!("add `set {first} = …` to the run, or declare it with a value")),
            ));
        }
        Ok(parameters.iter().filter_map(|p| self.value_of(cx, *p)).collect())
    }
}
