//! Keeping runs: `save`.

use super::picture::the_run;
use crate::algebra::Inquiry;
use crate::model::value::Fallible;
use crate::report::{self, Writer};
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::term::Term;
use crate::syntax::ast::Word;
use std::path::PathBuf;

/// The file that a table is written to, and how.
pub fn table_file(state: &Interpreter, to: &Word) -> Fallible<(PathBuf, &'static Writer)> {
    let path = file::destination(state, &to.node, to.span)?;
    let writer = report::writer(&path).map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
    Ok((path, writer))
}

pub fn save(cx: &Inquiry, state: &mut Interpreter, what: &Term, to: &Word) -> Fallible<Effect> {
    let run = the_run(cx, state, what)?;
    let (path, writer) = table_file(state, to)?;
    let table = run.table();
    let written = (writer.write)(&table).map_err(Box::new);
    let written = written.and_then(|bytes| file::write(&*state.options.world, &path, &bytes));
    written.map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
    Ok(Effect::Wrote(Box::new(file::written(&path, &format!("{} rows", table.n_rows())))))
}
