//! Showing and keeping runs: `plot` and `save`.

use crate::diagnostic::{Diagnostic, codes};
use crate::model::run::{Run, Series};
use crate::model::value::{Fallible, Value};
use crate::report;
use crate::report::plot::{Curve, Plot};
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::operate::describe;
use crate::syntax::ast::{self, Ast, ExprId};
use std::rc::Rc;

fn the_run(state: &Interpreter, ast: &Rc<Ast>, id: ExprId) -> Fallible<Rc<Run>> {
    match state.evaluator(ast).eval(id)?.main() {
        Value::Run(run) => Ok(run),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a run is needed here")
                .label(ast.span(id), format!("this is {}", describe(&other)))
                .help("make one with `let run = simulate S { … }`"),
        )),
    }
}

/// A curve of a plot: a recorded column or state, by the text that names it, or what is computed from them.
fn column(state: &Interpreter, ast: &Rc<Ast>, run: &Rc<Run>, id: ExprId) -> Fallible<Series> {
    let span = ast.span(id);
    let text = state.source_text(span);
    if let Some(series) = run.series(&text) {
        return Ok(series);
    }
    let evaluator = state.evaluator(ast).on(&run.manifold);
    if let Ok(Value::Series(series)) = evaluator.eval(id).map(|v| v.main()) {
        return Ok((*series).clone());
    }
    if let Ok(e) = evaluator.expr(id)
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

pub fn plot(state: &mut Interpreter, ast: &Rc<Ast>, p: &ast::Plot) -> Fallible<Effect> {
    let run = the_run(state, ast, p.what)?;
    let mut picture = Plot { title: String::new(), x_name: run.time.name(), ..Plot::default() };
    for curve in &p.curves {
        let x = match curve.against {
            Some(id) => {
                let series = column(state, ast, &run, id)?;
                picture.x_name = series.name.clone();
                picture.x_period = angle_period(&run, &series.name);
                series.values.to_vec()
            }
            None => run.trajectory.times().to_vec(),
        };
        for &id in &curve.values {
            let series = column(state, ast, &run, id)?;
            picture.y_period = angle_period(&run, &series.name);
            picture.curves.push(Curve { name: series.name.clone(), x: x.clone(), y: series.values.to_vec() });
        }
    }
    match &p.to {
        None => Ok(Effect::Answered(Value::Text(picture.terminal(72, 18).into()).into())),
        Some(file) => {
            let path = state.options.out.join(&*file.node);
            if path.extension().is_none_or(|ending| ending != "svg") {
                let svg = std::path::Path::new(&*file.node).with_extension("svg");
                return Err(Box::new(
                    Diagnostic::error(&codes::CANNOT_WRITE, "a plot is written as `.svg`")
                        .label(file.span, "this file")
                        .repair(format!("call it `{}`", svg.display()), file.span, format!("\"{}\"", svg.display()))
                        .help("`save run to …` writes the numbers"),
                ));
            }
            report::write_file(&path, picture.svg(720, 480).as_bytes())
                .map_err(|d| Box::new(d.or_at(file.span, "this file")))?;
            Ok(Effect::Done)
        }
    }
}

fn angle_period(run: &Run, name: &str) -> Option<f64> {
    let symbol = run.states.iter().find(|s| s.name() == name)?;
    symbol.as_jet().filter(|(c, order)| *order == 0 && c.is_angle()).map(|_| std::f64::consts::TAU)
}

pub fn save(state: &mut Interpreter, ast: &Rc<Ast>, s: &ast::Save) -> Fallible<Effect> {
    let run = the_run(state, ast, s.what)?;
    let path = state.options.out.join(&*s.to.node);
    report::save(&run.table(), &path).map_err(|d| Box::new(d.or_at(s.to.span, "this file")))?;
    Ok(Effect::Done)
}
