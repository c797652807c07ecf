//! Functions given by tables: `function F(t) from "force.csv"`.

use crate::algebra::Function;
use crate::codegen::table::{Outside, Table};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::value::Fallible;
use crate::session::file;
use crate::session::interpreter::Interpreter;
use crate::source::Span;
use crate::syntax::ast::Word;
use std::sync::Arc;

/// `with hold`, `with extrapolate`: what a table means outside its range. Without it, nothing.
pub fn read_outside(word: Option<&Word>) -> Fallible<Outside> {
    let Some(word) = word else { return Ok(Outside::Undefined) };
    match &*word.node {
        "hold" => Ok(Outside::Hold),
        "extrapolate" => Ok(Outside::Extrapolate),
        other => {
            let refused = Diagnostic::error(&codes::BAD_OPTION, format!("a table cannot `{other}` outside its range"))
                .label(word.span, "not known");
            Err(Box::new(match suggest::nearest(other, ["hold", "extrapolate"]) {
                Some(near) => refused.repair(format!("did you mean `{near}`?"), word.span, near),
                None => refused.note("it can `hold` its last value or `extrapolate` its last piece"),
            }))
        }
    }
}

/// Reads a table of two columns, argument and value; a first line of words is a heading.
pub fn read_table(
    state: &mut Interpreter,
    function: Function,
    file: &str,
    span: Span,
    outside: Outside,
) -> Fallible<()> {
    let refuse = |title: String| Box::new(Diagnostic::error(&codes::CANNOT_READ, title));
    if function.arity() != 1 {
        return Err(Box::new(
            Diagnostic::error(
                &codes::WRONG_ARGUMENTS,
                format!("`{}` has {} arguments, and a table has one", function.name(), function.arity()),
            )
            .help("a function of several arguments is given by a body: `set V(x, y) = …`"),
        ));
    }
    let path = file::inside(state, file, span)?;
    let text = file::read(&*state.options.world, &path, file, span)?;
    let mut points: Vec<(f64, f64)> = vec![];
    let mut heading = true;
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = match line.contains([',', ';', '\t']) {
            true => line.split([',', ';', '\t']).map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        let [x, y, ..] = fields.as_slice() else {
            return Err(refuse(format!("`{file}`, line {}: two columns are needed", i + 1)));
        };
        match (x.parse(), y.parse()) {
            (Ok(x), Ok(y)) => points.push((x, y)),
            _ if heading => {}
            _ => return Err(refuse(format!("`{file}`, line {}: not two numbers", i + 1))),
        }
        heading = false;
    }
    let table = Table::spline(function.name(), &points, outside)
        .map_err(|e| refuse(format!("`{file}` is not a table: {e}")))?;
    state.tables.insert(function, Arc::new(table));
    Ok(())
}
