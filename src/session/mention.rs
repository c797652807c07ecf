//! Names in statements that are not carried out. `lepage check` answers no question and makes no run,
//! but a name that a question mentions is used, and one that nothing declares is a mistake all the
//! same.

use super::declare::declared_names;
use super::interpreter::Interpreter;
use crate::algebra::function;
use crate::model::value::Fallible;
use crate::questions;
use crate::source::Span;
use crate::syntax::ast::{Ast, ExprId, ExprKind, Name, Statement, StatementKind};
use std::collections::HashSet;
use std::rc::Rc;

/// Marks every name that the text at `span` mentions as used.
pub fn mark(state: &Interpreter, ast: &Ast, span: Span) {
    for id in inside(ast, span) {
        if let Some(name) = ast.name(id) {
            // Looking a name up marks it; `dx` mentions `x`.
            let _ = state.scope.value(&name.text);
            if let Some(rest) = name.text.strip_prefix('d') {
                let _ = state.scope.value(rest);
            }
            if let Some(binding) = state.scope.functions.get(&*name.text) {
                binding.used.set(true);
            }
        }
    }
}

/// The same, and refuses a name that nothing declares.
pub fn check(state: &Interpreter, ast: &Rc<Ast>, span: Span) -> Fallible<()> {
    mark(state, ast, span);
    let aside = aside(ast, span);
    let evaluator = state.evaluator(ast);
    for id in inside(ast, span) {
        match ast.kind(id) {
            ExprKind::Name(name) if !aside.contains(&id) && &*name.text != "_" && !is_value(state, &name.text) => {
                match evaluator.eval(id) {
                    Err(_) if is_to_come(ast, &name.text, span) => {}
                    result => drop(result?),
                }
            }
            ExprKind::Call { callee, .. } => {
                if let Some(name) = ast.name(*callee)
                    && !is_function(state, name)
                    && !is_to_come(ast, &name.text, span)
                {
                    return Err(Box::new(evaluator.unknown_function(&name.text, ast.span(*callee))));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the name is bound to one thing, which need not be looked at more closely.
fn is_value(state: &Interpreter, text: &str) -> bool {
    use super::scope::Meaning;
    match state.scope.values.get(text).map(|b| &b.meaning) {
        Some(Meaning::Coordinate(candidates)) => candidates.len() == 1,
        Some(Meaning::Library(_)) | None => false,
        Some(_) => true,
    }
}

/// Whether a statement of the text, or of the test around the place, declares the name: a run, say, which is not
/// made here.
fn is_to_come(ast: &Ast, text: &str, place: Span) -> bool {
    let declares = |s: &Statement| declared_names(s).iter().any(|name| **name == *text);
    ast.statements.iter().any(|s| match &s.kind {
        StatementKind::Test(test) => {
            s.span.start <= place.start && place.end <= s.span.end && test.body.iter().any(declares)
        }
        _ => declares(s),
    })
}

/// Whether a text mentions a name that only a run would have declared; never, where runs are made.
pub fn rests_on_a_run(state: &Interpreter, ast: &Ast, span: Span) -> bool {
    if !state.check_only {
        return false;
    }
    inside(ast, span).filter_map(|id| ast.name(id)).any(|name| {
        let bound = state.scope.values.contains_key(&*name.text) || state.scope.functions.contains_key(&*name.text);
        !bound && !state.failed.contains(&*name.text) && is_to_come(ast, &name.text, span)
    })
}

/// The expressions written inside a piece of the text. The parser makes a node after its parts and
/// before what follows, so those nodes lie together.
pub(super) fn inside(ast: &Ast, span: Span) -> impl Iterator<Item = ExprId> {
    let first = ast.exprs.partition_point(|e| e.span.end <= span.start);
    let last = ast.exprs.partition_point(|e| e.span.start < span.end).max(first);
    (first as u32..last as u32).map(ExprId).filter(move |id| {
        let s = ast.span(*id);
        span.source == s.source && span.start <= s.start && s.end <= span.end
    })
}

/// Names that are no values where they stand: functions, options, the coordinates of a point, families
/// with their indices, and everything inside a repetition, whose indices only it knows.
fn aside(ast: &Ast, span: Span) -> HashSet<ExprId> {
    let mut found = HashSet::new();
    for id in inside(ast, span) {
        match ast.kind(id) {
            ExprKind::Call { callee, arguments } => {
                found.insert(*callee);
                // D(V, 1)(x^2): the function that is differentiated.
                if let ExprKind::Call { arguments, .. } = ast.kind(*callee) {
                    found.extend(arguments.first());
                }
                found.extend(arguments.iter().filter_map(|a| left_side(ast, *a)));
                found.extend(arguments.iter().filter_map(|a| prefix_of_momenta(ast, *a)));
            }
            ExprKind::Point(entries) => found.extend(entries.iter().filter_map(|e| left_side(ast, *e))),
            ExprKind::Part { of, .. } | ExprKind::Index { of, .. }
                if (ast.name(*of).is_some_and(|name| &*name.text == "core")
                    || matches!(ast.kind(id), ExprKind::Index { .. })) =>
            {
                found.insert(*of);
            }
            ExprKind::Each(_) => found.extend(inside(ast, ast.span(id))),
            _ => {}
        }
    }
    found
}

/// `P` in the option `names = P`; from here on `P_x` is a name.
fn prefix_of_momenta(ast: &Ast, id: ExprId) -> Option<ExprId> {
    let (option, value) = ast.option(id)?;
    let name = ast.name(value).filter(|name| &*option.node == "names" && name.primes == 0)?;
    crate::algebra::Symbol::allow_momentum_prefix(&name.text);
    Some(value)
}

fn left_side(ast: &Ast, id: ExprId) -> Option<ExprId> {
    match ast.kind(id) {
        ExprKind::Compare { left, .. } => Some(*left),
        _ => None,
    }
}

fn is_function(state: &Interpreter, name: &Name) -> bool {
    let text = &*name.text;
    let jets = text.strip_prefix('J').is_some_and(|n| n.parse::<u32>().is_ok());
    jets || ["sqrt", "piecewise"].contains(&text)
        || state.scope.function(text).is_some()
        || questions::find(text).is_some()
        || function::TABLE.iter().any(|row| row.name == text)
}
