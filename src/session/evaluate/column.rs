//! Formulas in the columns of a run: `E - E.first` in a plot. A name means the column of that name, else what it means
//! elsewhere; what is computed from coordinates is computed along the run.
//!
//! ```text
//! E - E.first        a column and its first value
//! m*x'^2/2           the parameters have the values of the run
//! energy(L)          the question is asked as anywhere, its answer is taken along the run
//! ```

use super::{Evaluator, at};
use crate::algebra::{Expr, Function};
use crate::codegen::table::Table;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, Value};
use crate::model::{operate, run};
use crate::motion::run::Run;
use crate::session::term::{Term, TermKind};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The run of which names are columns.
#[derive(Clone)]
pub struct Columns<'s> {
    pub run: Rc<Run>,
    pub sources: &'s SourceMap,
    /// Unspecified functions given by tables.
    pub tables: &'s FxHashMap<Function, Arc<Table>>,
}

impl<'s> Evaluator<'s> {
    /// The same, where names are columns of a run.
    pub fn along(mut self, columns: Columns<'s>) -> Evaluator<'s> {
        self.on = Some(columns.run.manifold.clone());
        self.columns = Some(columns);
        self
    }

    pub(super) fn in_columns(&self, columns: &Columns<'s>, term: &Term) -> Fallible<Value> {
        let named = |name: &str| run::column(&columns.run, name);
        if let Some(value) = named(columns.sources.slice(term.span)) {
            return Ok(value);
        }
        match &term.kind {
            // What is computed value by value.
            TermKind::Neg(_)
            | TermKind::Sum(_)
            | TermKind::Product(_)
            | TermKind::Power { .. }
            | TermKind::Elementary { .. }
            | TermKind::Root(_)
            | TermKind::List(_) => self.eval_kind(term),
            TermKind::Part { key, .. } if ["first", "last", "max", "min"].contains(&&*key.name.text) => {
                self.eval_kind(term)
            }
            TermKind::Hole => Err(columns.missing(term.span)),
            _ => {
                let elsewhere = Evaluator { columns: None, ..self.under(&self.cx) };
                let value = elsewhere.eval_kind(term)?;
                match value.main() {
                    Value::Expr(_) | Value::Form(_) | Value::OnSpace(_) | Value::System(_) => {
                        at(columns.along(&self.cx, &value, term.span), term.span)
                    }
                    Value::Indexed(family) => Ok(named(&family.name).unwrap_or(value)),
                    _ => Ok(value),
                }
            }
        }
    }
}

impl Columns<'_> {
    fn missing(&self, span: Span) -> Box<Diagnostic> {
        let text = self.sources.slice(span);
        Box::new(
            Diagnostic::error(&codes::UNKNOWN_PART, format!("the run has no column `{text}`"))
                .label(span, "not recorded")
                .note(format!("it has {}", self.run.column_names().join(", ")))
                .help(format!("add it to the run: `record {text}`, or with its formula: `record {text} = …`")),
        )
    }

    /// A function of the state along the run; a number stays one.
    fn along(&self, cx: &crate::algebra::Inquiry, value: &Value, span: Span) -> Fallible<Value> {
        let e: Expr = operate::as_expr(cx, value)?;
        if e.symbols().is_empty() {
            return Ok(value.clone());
        }
        if let Some(symbol) = e.as_symbol() {
            if let Some((_, x)) = self.run.parameters.iter().find(|(p, _)| *p == symbol) {
                return Ok(Value::Float(*x));
            }
            if let Some(column) = run::column(&self.run, &symbol.name()) {
                return Ok(column);
            }
        }
        match self.run.along(e, self.sources.slice(span), self.tables)? {
            Some(series) => Ok(Value::Series(Rc::new(series))),
            None => Err(self.missing(span)),
        }
    }
}
