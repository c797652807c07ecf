//! `poincare run { section theta = 0 rising; plot phi' against phi }`: the crossings of a surface as points of a picture, or,
//! after `let`, as a run that has rows at the crossings only.

use super::clauses::read_stop;
use super::picture::{Picture, show, the_run};
use crate::algebra::Inquiry;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, Value};
use crate::motion::run::Run;
use crate::session::checked::{PlotSettings, Poincare};
use crate::session::evaluate::Plotted;
use crate::session::interpreter::{Effect, Interpreter, is_left_to_a_run};
use std::rc::Rc;

/// The statement: a picture, or what the crossings are.
pub fn poincare(cx: &Inquiry, state: &mut Interpreter, p: &Poincare) -> Fallible<Effect> {
    let run = Rc::new(crossings(cx, state, p)?);
    if p.curves.is_empty() {
        return match p.to {
            None => Ok(Effect::Answered(Value::Run(run).into())),
            Some(to) => Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "this section draws nothing")
                    .label(to.span, "no picture to write")
                    .help("say what is drawn: `plot x' against x`"),
            )),
        };
    }
    let mut picture = Picture::new(&PlotSettings { points: true, ..p.settings.clone() });
    let run = Plotted::Run(run);
    for curve in &p.curves {
        picture.add(cx, state, &run, curve)?;
    }
    show(state, picture.finish(), p.to)
}

/// What can be said of a section whose run is not made.
pub fn look_over(cx: &Inquiry, state: &Interpreter, p: &Poincare) -> Fallible<()> {
    let Some(manifold) = p.run.home() else { return Ok(()) };
    let evaluator = state.evaluator(&cx.apart()).on(&manifold).for_formulas();
    let read = read_stop(state, &evaluator, &p.section, p.direction);
    read.map(drop).or_else(|d| if is_left_to_a_run(cx, &d) { Ok(()) } else { Err(d) })
}

/// `let S = poincare …`.
pub fn value(cx: &Inquiry, state: &Interpreter, p: &Poincare) -> Fallible<Value> {
    let drawn = p.curves.first().and_then(|c| c.values.first()).map(|t| t.span).or(p.to.map(|to| to.span));
    match drawn {
        None => Ok(Value::Run(Rc::new(crossings(cx, state, p)?))),
        Some(span) => Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "a section that has a name draws nothing")
                .label(span, "no effect here")
                .help("leave it out, and draw the section by its name: `plot S { x' against x; style = points }`"),
        )),
    }
}

fn crossings(cx: &Inquiry, state: &Interpreter, p: &Poincare) -> Fallible<Run> {
    let run = the_run(cx, state, &p.run)?;
    let evaluator = state.evaluator(cx).on(&run.manifold);
    let mut stop = read_stop(state, &evaluator, &p.section, p.direction)?;
    stop.event.stop_at = None;
    run.crossings(cx, stop.value, stop.event, &state.tables).map_err(|d| Box::new(d.or_at(stop.span, "this section")))
}
