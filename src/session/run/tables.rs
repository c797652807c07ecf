//! Functions given by tables: `function F(t) from "force.csv"`.
//!
//! One dialect is read. A row has two columns, the argument and the value, and one separator holds for the whole file: the
//! first of semicolon, tab and comma that its first row has, else blanks. A number has a decimal point. A first row in which
//! nothing begins like a number is a heading; empty lines and lines that begin with `#` are left out. Any other row is an error
//! with its line: a number that was misread would be worse.

use crate::algebra::Function;
use crate::codegen::table::{Outside, Table};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::value::Fallible;
use crate::session::file;
use crate::session::interpreter::Interpreter;
use crate::source::Span;
use crate::syntax::ast::Word;
use smallvec::SmallVec;
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

/// Reads the table of a function from a file.
pub fn read_table(
    state: &mut Interpreter,
    function: Function,
    file: &str,
    span: Span,
    outside: Outside,
) -> Fallible<()> {
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
    let refused = |misfit: Misfit| {
        let title = format!("`{file}`, line {}: {}", misfit.line, misfit.what);
        let diagnostic = Diagnostic::error(&codes::CANNOT_READ, title).label(span, "this table");
        Box::new(diagnostic.help(misfit.remedy))
    };
    let rows = read_rows(&text).map_err(refused)?;
    let points: Vec<(f64, f64)> = rows.iter().map(|row| row.point).collect();
    let table = Table::spline(function.name(), &points, outside).map_err(|error| {
        // The row is known by its number among the rows; people look for its line.
        let line = error.row().and_then(|row| rows.get(row - 1)).map(|row| row.line);
        let place = line.map_or(String::new(), |line| format!(", line {line}"));
        let title = format!("`{file}`{place} is not a table: {error}");
        Box::new(Diagnostic::error(&codes::CANNOT_READ, title).label(span, "this table"))
    })?;
    state.tables.insert(function, Arc::new(table));
    Ok(())
}

/// A row of a table, and the line on which it stands.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Row {
    line: usize,
    point: (f64, f64),
}

/// A row that does not fit, and what to write instead.
#[derive(Clone, PartialEq, Debug)]
struct Misfit {
    line: usize,
    what: String,
    remedy: &'static str,
}

/// What stands between two columns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Separator {
    Sign(char),
    Blanks,
}

impl Separator {
    fn of(row: &str) -> Separator {
        [';', '\t', ','].into_iter().find(|c| row.contains(*c)).map_or(Separator::Blanks, Separator::Sign)
    }

    /// The columns of a row, without the blanks around them.
    fn split(self, row: &str) -> SmallVec<[&str; 4]> {
        match self {
            Separator::Sign(sign) => row.split(sign).map(str::trim).collect(),
            Separator::Blanks => row.split_whitespace().collect(),
        }
    }
}

/// The rows of a text in the dialect of tables.
fn read_rows(text: &str) -> Result<Vec<Row>, Misfit> {
    let mut rows: Vec<Row> = vec![];
    let mut separator = None;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate();
    for (i, content) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let first = separator.is_none();
        let columns = separator.get_or_insert_with(|| Separator::of(content)).split(content);
        let misfit = |what: String, remedy| Misfit { line: i + 1, what, remedy };
        if first && !columns.iter().any(|column| begins_like_a_number(column)) {
            continue;
        }
        let [x, y] = columns.as_slice() else {
            let what = format!("a row has two columns, this one has {}", columns.len());
            return Err(misfit(what, "keep the column of the argument and that of the value"));
        };
        let number = |text: &str| {
            let number = text.parse().ok().filter(|x: &f64| x.is_finite() && begins_like_a_number(text));
            number.ok_or_else(|| {
                let remedy = if text.contains(',') {
                    "numbers are written with a decimal point: `1.5`"
                } else {
                    "a row is two numbers, for instance `0, 1.5`; a line of words begins with `#`"
                };
                misfit(format!("`{}` is not a number", shortened(text)), remedy)
            })
        };
        rows.push(Row { line: i + 1, point: (number(x)?, number(y)?) });
    }
    Ok(rows)
}

/// Whether a column was meant for a number: names of columns begin in another way.
fn begins_like_a_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
}

/// What is quoted of a file that may hold anything.
fn shortened(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Result<Vec<(f64, f64)>, (usize, String)> {
        match read_rows(text) {
            Ok(rows) => Ok(rows.iter().map(|row| row.point).collect()),
            Err(misfit) => Err((misfit.line, misfit.what)),
        }
    }

    #[test]
    fn one_separator_holds_for_a_file() {
        let expected = vec![(0.0, 1.5), (1.0, -2.5)];
        for text in ["0,1.5\n1,-2.5\n", "t;x\n0;1.5\n1; -2.5", "0\t1.5\r\n1\t-2.5", "# a\n\n0  1.5\n1  -25e-1\n"] {
            assert_eq!(points(text), Ok(expected.clone()), "{text:?}");
        }
        assert_eq!(points("\u{feff}\"t\", \"F\"\n0, 1.5\n1, -2.5\n"), Ok(expected));
    }

    #[test]
    fn a_row_that_does_not_fit_is_an_error_with_its_line() {
        // A decimal comma; another separator; one column more or less; letters for digits; a word below the heading.
        for (text, line) in [
            ("0;1,5\n1;2,5", 1),
            ("0;1\n1,2", 2),
            ("t,x\n0,1\n\n1,2,3", 4),
            ("0,1\n1", 2),
            ("0.O,1\n1,2", 1),
            ("0,0x1\n1,2", 1),
            ("t,x\nu,y\n0,1", 2),
            ("0,1\n1,nan", 2),
            ("0,1\n1,inf", 2),
            ("1,5 2,5", 1),
        ] {
            assert_eq!(points(text).map_err(|(line, _)| line), Err(line), "{text:?}");
        }
    }
}
