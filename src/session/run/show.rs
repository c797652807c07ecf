//! Keeping runs: `save`.

use super::picture::the_run;
use super::sweep::{how, made_by};
use crate::algebra::Inquiry;
use crate::model::value::Fallible;
use crate::motion::partial;
use crate::motion::run::Run;
use crate::report;
use crate::report::provenance::Provenance;
use crate::report::rows::Rows;
use crate::report::table::exact;
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::term::Term;
use crate::syntax::ast::Word;
use std::path::PathBuf;

/// The file that a table is written to, in a format that this build has.
pub fn table_file(state: &Interpreter, to: &Word) -> Fallible<PathBuf> {
    let path = file::destination(state, &to.node, to.span)?;
    report::format(&path).map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
    Ok(path)
}

pub fn save(cx: &Inquiry, state: &mut Interpreter, what: &Term, to: &Word) -> Fallible<Effect> {
    let run = the_run(cx, state, what)?;
    let path = table_file(state, to)?;
    let table = run.table().with_provenance(about(state, &run));
    let written = report::bytes(&table, &path).map_err(Box::new);
    let written = written.and_then(|bytes| file::write(&*state.options.world, &path, &bytes));
    written.map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
    if report::format(&path).is_ok_and(|(format, _)| !format.describes_itself) {
        let described = partial::describe(&*state.options.world, &path, table.provenance());
        described.map_err(|trouble| Box::new(file::cannot_write(&to.node, trouble).or_at(to.span, "this file")))?;
    }
    Ok(Effect::Wrote(Box::new(file::written(&path, &format!("{} rows", Rows::n_rows(&table))))))
}

/// What the table of a run says about itself.
fn about(state: &Interpreter, run: &Run) -> Provenance {
    let parameters: Vec<String> = run.parameters.iter().map(|(p, x)| format!("{p} = {}", exact(*x))).collect();
    let made_by = made_by(state, &[]).with("system", &run.system);
    how(made_by, &parameters, run.trajectory.method.name(), &run.problem.tolerance, run.motion.options())
}
