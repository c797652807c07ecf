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
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::operate;
use crate::model::run::column;
use crate::model::value::{Fallible, Value};
use crate::motion::run::Run;
use crate::motion::swept::Swept;
use crate::session::term::{Term, TermKind};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What has columns.
#[derive(Clone)]
pub enum Plotted {
    Run(Rc<Run>),
    /// A sweep: a value for each of its rows.
    Sweep(Rc<Swept>),
}

impl Plotted {
    /// A column, or those of a family, by name.
    pub fn column(&self, name: &str) -> Option<Value> {
        match self {
            Plotted::Run(run) => column(run, name),
            Plotted::Sweep(table) => table.column(name).map(Value::Series),
        }
    }

    pub fn names(&self) -> Vec<String> {
        match self {
            Plotted::Run(run) => run.column_names(),
            Plotted::Sweep(table) => table.column_names(),
        }
    }
}

/// The run or sweep of which names are columns.
#[derive(Clone)]
pub struct Columns<'s> {
    pub of: Plotted,
    pub sources: &'s SourceMap,
    /// Unspecified functions given by tables.
    pub tables: &'s FxHashMap<Function, Arc<Table>>,
}

impl<'s> Evaluator<'s> {
    /// The same, where names are columns of a run or a sweep.
    pub fn along(mut self, columns: Columns<'s>) -> Evaluator<'s> {
        if let Plotted::Run(run) = &columns.of {
            self.on = Some(run.manifold.clone());
        }
        self.columns = Some(columns);
        self
    }

    pub(super) fn in_columns(&self, columns: &Columns<'s>, term: &Term) -> Fallible<Value> {
        let named = |name: &str| columns.of.column(name);
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
            TermKind::Hole => Err(columns.missing(self.around.only_system(), term.span)),
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

/// The refusal of a name that is no column of a run or of a sweep.
/// The energy of the only system is drawn by its formula.
pub fn no_column(of_sweep: bool, name: &str, columns: &[String], system: Option<&str>, span: Span) -> Box<Diagnostic> {
    let (what, label) = if of_sweep { ("sweep", "not collected") } else { ("run", "not recorded") };
    let refused =
        Diagnostic::error(&codes::UNKNOWN_PART, format!("the {what} has no column `{name}`")).label(span, label);
    let refused = if columns.is_empty() { refused } else { refused.note(format!("it has {}", columns.join(", "))) };
    Box::new(match (of_sweep, suggest::nearest(name, columns.iter().map(String::as_str))) {
        (true, _) => refused.help(format!("add it to the sweep: `collect {name} = …`")),
        _ if ["E", "H", "energy"].contains(&name) => match system {
            Some(system) => {
                let formula = format!("energy({system})");
                refused.repair(format!("a formula is drawn as well: `{formula}`"), span, formula)
            }
            None => refused.help(format!("add it to the run, with its formula: `record {name} = energy(L)`")),
        },
        (_, Some(near)) => refused.repair(format!("did you mean `{near}`?"), span, near),
        _ => refused.help(format!("add it to the run, with its formula: `record {name} = …`")),
    })
}

impl Columns<'_> {
    fn missing(&self, system: Option<&str>, span: Span) -> Box<Diagnostic> {
        let of_sweep = matches!(&self.of, Plotted::Sweep(_));
        no_column(of_sweep, self.sources.slice(span), &self.of.names(), system, span)
    }

    /// A function of the state along the run, or of columns of the sweep; a number stays one.
    fn along(&self, cx: &crate::algebra::Inquiry, value: &Value, span: Span) -> Fallible<Value> {
        let e: Expr = operate::as_expr(cx, value)?;
        if e.symbols().is_empty() {
            return Ok(value.clone());
        }
        let run = match &self.of {
            Plotted::Run(run) => run,
            Plotted::Sweep(table) => {
                let column = e.as_symbol().and_then(|symbol| table.column(&symbol.name()));
                return column.map(Value::Series).ok_or_else(|| self.missing(None, span));
            }
        };
        if let Some(symbol) = e.as_symbol() {
            if let Some((_, x)) = run.parameters.iter().find(|(p, _)| *p == symbol) {
                return Ok(Value::Float(*x));
            }
            if let Some(found) = column(run, &symbol.name()) {
                return Ok(found);
            }
        }
        match run.along(e, self.sources.slice(span), self.tables)? {
            Some(series) => Ok(Value::Series(Rc::new(series))),
            None => Err(self.missing(None, span)),
        }
    }
}
