//! Showing and keeping runs: `plot` and `save`.

use crate::algebra::Inquiry;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::RUN;
use crate::model::operate::{as_expr, describe};
use crate::model::value::{Fallible, Value};
use crate::motion::run::Run;
use crate::motion::series::Series;
use crate::questions::call;
use crate::report::plot::{Curve, Plot};
use crate::report::{self, Writer};
use crate::session::checked;
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::term::Term;
use crate::syntax::ast::Word;
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn the_run(cx: &Inquiry, state: &Interpreter, term: &Term) -> Fallible<Rc<Run>> {
    match state.evaluator(cx).eval(term)?.main() {
        Value::Run(run) => Ok(run),
        other => Err(Box::new(call::needed(RUN, &describe(&other), term.span))),
    }
}

/// A curve of a plot: a recorded column or state, by the text that names it, or what is computed from them.
fn column(cx: &Inquiry, state: &Interpreter, run: &Rc<Run>, term: &Term) -> Fallible<Series> {
    let span = term.span;
    let text = state.source_text(span);
    if let Some(series) = run.series(&text) {
        return Ok(series);
    }
    let value = state.evaluator(cx).on(&run.manifold).eval(term).map(|v| v.main());
    if let Ok(Value::Series(series)) = &value {
        return Ok((**series).clone());
    }
    if let Ok(e) = value.and_then(|v| as_expr(cx, &v))
        && let Some(series) = e.as_symbol().and_then(|s| run.series(&s.name()))
    {
        return Ok(series);
    }
    Err(Box::new(
        Diagnostic::error(&codes::UNKNOWN_PART, format!("the run has no column `{text}`"))
            .label(span, "not recorded")
            .note(format!("it has {}", run.column_names().join(", ")))
            .help(format!("add it to the run: `record {text}`")),
    ))
}

pub fn plot(
    cx: &Inquiry,
    state: &mut Interpreter,
    what: &Term,
    curves: &[checked::Curve],
    to: Option<&Word>,
) -> Fallible<Effect> {
    let run = the_run(cx, state, what)?;
    let mut picture = Plot { title: String::new(), x_name: run.time.name(), ..Plot::default() };
    for curve in curves {
        let x = match &curve.against {
            Some(term) => {
                let series = column(cx, state, &run, term)?;
                picture.x_name = series.name.clone();
                picture.x_period = angle_period(&run, &series.name);
                series.values.to_vec()
            }
            None => run.trajectory.times().to_vec(),
        };
        for term in &curve.values {
            let series = column(cx, state, &run, term)?;
            picture.y_period = angle_period(&run, &series.name);
            picture.curves.push(Curve { name: series.name.clone(), x: x.clone(), y: series.values.to_vec() });
        }
    }
    if curves.is_empty() {
        // Without a word, all that the run holds, as `save` writes it.
        let names = if run.records { run.trajectory.column_names() } else { run.trajectory.state_names() };
        for name in names {
            let Some(series) = run.series(name) else { continue };
            picture.curves.push(Curve {
                name: series.name.clone(),
                x: series.times.to_vec(),
                y: series.values.to_vec(),
            });
        }
    }
    match to {
        None => Ok(Effect::Answered(Value::Text(picture.terminal(72, 18).into()).into())),
        Some(to) => {
            let path = picture_file(state, to)?;
            file::write(&*state.options.world, &path, picture.svg(720, 480).as_bytes())
                .map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
            let curves = picture.curves.len();
            let what = if curves == 1 { "one curve".to_string() } else { format!("{curves} curves") };
            Ok(Effect::Wrote(Box::new(file::written(&path, &what))))
        }
    }
}

/// The file that a plot is written to.
pub fn picture_file(state: &Interpreter, to: &Word) -> Fallible<PathBuf> {
    let path = file::destination(state, &to.node, to.span)?;
    if path.extension().is_some_and(|ending| ending == "svg") {
        return Ok(path);
    }
    let svg = Path::new(&*to.node).with_extension("svg");
    Err(Box::new(
        Diagnostic::error(&codes::CANNOT_WRITE, "a plot is written as `.svg`")
            .label(to.span, "this file")
            .repair(format!("call it `{}`", svg.display()), to.span, format!("\"{}\"", svg.display()))
            .help("`save run to …` writes the numbers"),
    ))
}

/// The file that a table is written to, and how.
pub fn table_file(state: &Interpreter, to: &Word) -> Fallible<(PathBuf, &'static Writer)> {
    let path = file::destination(state, &to.node, to.span)?;
    let writer = report::writer(&path).map_err(|d| Box::new(d.or_at(to.span, "this file")))?;
    Ok((path, writer))
}

fn angle_period(run: &Run, name: &str) -> Option<f64> {
    let symbol = run.states.iter().find(|s| s.name() == name)?;
    symbol.as_jet().filter(|(c, order)| *order == 0 && c.is_angle()).map(|_| std::f64::consts::TAU)
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
