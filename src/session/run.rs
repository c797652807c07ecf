//! Runs: `simulate`, `plot`, `save` and their kin.

use super::interpreter::{Effect, Interpreter};
use crate::algebra::Function;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, Value};
use crate::syntax::ast::{Ast, LetValue, Statement};
use std::rc::Rc;

fn none<T>() -> Fallible<T> {
    Err(Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, "runs are not available yet")))
}

pub fn run(state: &mut Interpreter, _: &Rc<Ast>, _: &Statement, _: &mut Vec<Diagnostic>) -> Fallible<Effect> {
    if state.check_only {
        return Ok(Effect::Done);
    }
    none()
}

pub fn value(state: &mut Interpreter, _: &Rc<Ast>, _: &LetValue, _: &mut Vec<Diagnostic>) -> Fallible<Option<Value>> {
    if state.check_only {
        return Ok(None);
    }
    none()
}

pub fn read_table(_: &mut Interpreter, _: Function, _: &str) -> Fallible<()> {
    none()
}

pub fn emit(_: &Interpreter, _: &str, _: &str) -> Fallible<String> {
    none()
}
