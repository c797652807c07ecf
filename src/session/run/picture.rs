//! Pictures of runs: which curves `plot` draws, over which axes, and where the picture goes.
//!
//! Between the ends of its steps a motion is known by the interpolant of its method, and drawn with it. What nearly is constant,
//! such as a drift of the energy, is drawn at the ends of the steps: between them one would see the interpolant.

use crate::algebra::Inquiry;
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::model::kind::RUN;
use crate::model::operate::describe;
use crate::model::value::{Fallible, Value};
use crate::motion::run::Run;
use crate::motion::series::Series;
use crate::questions::call;
use crate::report;
use crate::report::plot::{Curve, Plot, Wish};
use crate::session::checked::{self, PlotSettings};
use crate::session::evaluate::{Columns, Plotted};
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::term::{Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::{Text, Word};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A path is drawn with one scale unless it is longer than this many times its breadth.
const LONGEST: f64 = 12.0;

pub fn the_run(cx: &Inquiry, state: &Interpreter, term: &Term) -> Fallible<Rc<Run>> {
    match plotted(cx, state, term)? {
        Plotted::Run(run) => Ok(run),
        Plotted::Sweep(table) => Err(Box::new(call::needed(RUN, &describe(&Value::Sweep(table)), term.span))),
    }
}

/// The run or the sweep whose columns are drawn.
fn plotted(cx: &Inquiry, state: &Interpreter, term: &Term) -> Fallible<Plotted> {
    match state.evaluator(cx).eval(term)?.main() {
        Value::Run(run) => Ok(Plotted::Run(run)),
        Value::Sweep(table) => Ok(Plotted::Sweep(table)),
        other => {
            let d = call::needed(RUN, &describe(&other), term.span);
            Err(Box::new(match &term.kind {
                // `run.x`: a column of the run.
                TermKind::Part { of, key } if matches!(other, Value::Series(_)) => {
                    let (places, help) = (vec![of.outer, key.span], "what is plotted of a run stands in braces");
                    d.repair_at(Goes::Quoting(places), help, term.span, "… { … }")
                }
                _ => d,
            }))
        }
    }
}

/// The columns that a formula of a picture means: one, or those of a family.
fn columns(cx: &Inquiry, state: &Interpreter, of: &Plotted, term: &Term) -> Fallible<Vec<Series>> {
    let along = Columns { of: of.clone(), sources: &state.sources, tables: &state.tables };
    let value = state.evaluator(cx).along(along).eval(term)?.main();
    let name = |series: &Series| match of.column(&series.name) {
        Some(_) => series.name.clone(),
        None => state.source_text(term.span),
    };
    match &value {
        Value::Series(series) => Ok(vec![Series { name: name(series), ..(**series).clone() }]),
        Value::List(list) if list.iter().all(|v| matches!(v, Value::Series(_))) => Ok(list
            .iter()
            .filter_map(|v| match v {
                Value::Series(series) => Some((**series).clone()),
                _ => None,
            })
            .collect()),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a curve is a column of a run, or computed from columns")
                .label(term.span, format!("this is {}", describe(other)))
                .note(format!("there are {}", of.names().join(", "))),
        )),
    }
}

/// One column.
fn column(cx: &Inquiry, state: &Interpreter, of: &Plotted, term: &Term) -> Fallible<Series> {
    let mut list = columns(cx, state, of, term)?;
    match (list.pop(), list.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "one column is needed here")
                .label(term.span, "a family")
                .help(format!("name one member: `{}[1]`", state.source_text(term.span))),
        )),
    }
}

pub fn plot(
    cx: &Inquiry,
    state: &mut Interpreter,
    runs: &[Term],
    curves: &[checked::Curve],
    settings: &PlotSettings,
    to: Option<&Word>,
) -> Fallible<Effect> {
    let mut picture = Picture::new(settings);
    for term in runs {
        let run = plotted(cx, state, term)?;
        picture.of = (runs.len() > 1).then(|| state.source_text(term.span));
        for curve in curves {
            picture.add(cx, state, &run, curve)?;
        }
        if curves.is_empty() {
            picture.add_all(cx, &run);
        }
    }
    show(state, picture.finish(), to)
}

/// The picture in the terminal, or in the file.
pub fn show(state: &Interpreter, picture: Plot, to: Option<&Word>) -> Fallible<Effect> {
    let Some(to) = to else { return Ok(Effect::Answered(Value::Picture(Rc::new(picture)).into())) };
    let path = picture_file(state, to)?;
    let at = |d: Diagnostic| Box::new(d.or_at(to.span, "this file"));
    let bytes = report::drawn(&picture, &path).map_err(at)?;
    file::write(&*state.options.world, &path, &bytes).map_err(|d| at(*d))?;
    let curves = picture.curves.len();
    let what = if curves == 1 { "one curve".to_string() } else { format!("{curves} curves") };
    Ok(Effect::Wrote(Box::new(file::written(&path, &what))))
}

/// A picture while curves are added to it.
pub struct Picture {
    plot: Plot,
    settings: PlotSettings,
    /// The run whose curves are added, where there are several.
    pub of: Option<String>,
    x_names: Vec<String>,
    y_names: Vec<String>,
    /// All curves are paths in space.
    spatial: bool,
}

impl Picture {
    pub fn new(settings: &PlotSettings) -> Picture {
        Picture {
            plot: Plot::default(),
            settings: settings.clone(),
            of: None,
            x_names: vec![],
            y_names: vec![],
            spatial: true,
        }
    }

    pub fn add(&mut self, cx: &Inquiry, state: &Interpreter, run: &Plotted, curve: &checked::Curve) -> Fallible<()> {
        let pairs = pairs(cx, state, run, curve)?;
        let finer = self.finer(cx, run).and_then(|run| self::pairs(cx, state, &run, curve).ok());
        let finer = finer.filter(|finer| finer.len() == pairs.len());
        for (i, (x, y)) in pairs.iter().enumerate() {
            let smooth = finer.as_ref().map(|finer| &finer[i]).filter(|_| varies(run, x) && varies(run, y));
            let (x, y) = smooth.unwrap_or(&pairs[i]);
            self.push(run, x.clone(), y.clone());
        }
        Ok(())
    }

    /// The run with more rows, where its steps are joined by lines.
    fn finer(&self, cx: &Inquiry, of: &Plotted) -> Option<Plotted> {
        match of {
            Plotted::Run(run) if !self.settings.points => run.finer(cx).map(Plotted::Run),
            _ => None,
        }
    }

    /// Without a word, all that the run holds, as `save` writes it.
    fn add_all(&mut self, cx: &Inquiry, of: &Plotted) {
        let finer = self.finer(cx, of);
        let names = match of {
            Plotted::Run(run) if !run.records => run.trajectory.state_names().to_vec(),
            Plotted::Run(run) => run.trajectory.column_names().to_vec(),
            Plotted::Sweep(table) => table.column_names(),
        };
        for name in &names {
            if let Some(Value::Series(y)) = of.column(name) {
                let smooth = finer.as_ref().filter(|_| varies(of, &y)).and_then(|finer| finer.column(name));
                let y = match smooth {
                    Some(Value::Series(y)) => y,
                    _ => y,
                };
                self.push(of, over_time(of, &y), (*y).clone());
            }
        }
    }

    /// One curve.
    fn push(&mut self, of: &Plotted, x: Series, y: Series) {
        let length = |name: &str| matches!(of, Plotted::Run(run) if is_length(run, name));
        self.spatial = self.spatial && length(&x.name) && length(&y.name);
        for (names, name) in [(&mut self.x_names, &x.name), (&mut self.y_names, &y.name)] {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let name = match &self.of {
            Some(run) => format!("{} ({run})", y.name),
            None => y.name.clone(),
        };
        let period = |name: &str| match of {
            Plotted::Run(run) => angle_period(run, name),
            Plotted::Sweep(_) => None,
        };
        let (x_period, y_period) = (period(&x.name), period(&y.name));
        self.plot.curves.push(Curve { name, x: x.values, y: y.values, x_period, y_period });
    }

    pub fn finish(mut self) -> Plot {
        let s = &self.settings;
        let text = |given: &Option<Text>, names: &[String]| match given {
            Some(text) => text.to_string(),
            None => listed(names),
        };
        self.plot.title = s.title.as_deref().unwrap_or_default().to_string();
        self.plot.x = Wish { label: text(&s.x_label, &self.x_names), scale: s.x_scale };
        self.plot.y = Wish { label: text(&s.y_label, &self.y_names), scale: s.y_scale };
        self.plot.points = s.points;
        self.plot.equal = s.equal.unwrap_or_else(|| self.spatial && self.is_broad());
        self.plot
    }

    /// Whether the curves can be seen with one scale on both axes.
    fn is_broad(&self) -> bool {
        let range = |values: fn(&Curve) -> &Vec<f64>| {
            let all = self.plot.curves.iter().flat_map(values).copied();
            crate::report::axis::Range::of(all).half()
        };
        let (x, y) = (range(|c| &c.x), range(|c| &c.y));
        x <= LONGEST * y && y <= LONGEST * x
    }
}

/// The curves that one entry of a plot means, each as its horizontal and its vertical values.
fn pairs(cx: &Inquiry, state: &Interpreter, run: &Plotted, curve: &checked::Curve) -> Fallible<Vec<(Series, Series)>> {
    let against = match &curve.against {
        Some(term) => Some((column(cx, state, run, term)?, term.span)),
        None => None,
    };
    let mut pairs = vec![];
    for term in &curve.values {
        for y in columns(cx, state, run, term)? {
            match &against {
                Some((x, span)) if *x.times != *y.times => return Err(other_times(x, &y, *span, term.span)),
                Some((x, _)) => pairs.push((x.clone(), y)),
                None => pairs.push((over_time(run, &y), y)),
            }
        }
    }
    Ok(pairs)
}

/// Whether a column changes by more than the errors of the run, by far: by the root of its tolerance.
fn varies(of: &Plotted, series: &Series) -> bool {
    let Plotted::Run(run) = of else { return true };
    let size = run.trajectory.times().iter().enumerate().flat_map(|(row, _)| run.trajectory.state(row));
    let size = size.fold(0.0f64, |m, x| m.max(x.abs()));
    let range = crate::report::axis::Range::of(series.values.iter().copied());
    2.0 * range.half() > run.problem.tolerance.relative.sqrt() * size
}

/// The times of a column, or the numbers of its rows, as one.
fn over_time(of: &Plotted, y: &Series) -> Series {
    let name = match of {
        Plotted::Run(run) => run.time.name(),
        Plotted::Sweep(_) => "row".to_string(),
    };
    Series { name, times: y.times.clone(), values: y.times.clone(), of: None }
}

/// Some names as the label of an axis.
fn listed(names: &[String]) -> String {
    let all = names.join(", ");
    match names {
        [first, .., last] if all.chars().count() > 40 => format!("{first}, …, {last}"),
        _ => all,
    }
}

fn other_times(x: &Series, y: &Series, x_span: Span, y_span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::WRONG_KIND, "these columns do not have the same times")
            .label(y_span, format!("{} values", y.values.len()))
            .label(x_span, format!("{} values", x.values.len()))
            .help("take both from one run, or plot several runs: `plot first, second { y against x }`"),
    )
}

/// 2π for an angle.
fn angle_period(run: &Run, name: &str) -> Option<f64> {
    let symbol = run.states.iter().find(|s| s.name() == name)?;
    symbol.as_jet().filter(|(c, order)| *order == 0 && c.is_angle()).map(|_| std::f64::consts::TAU)
}

/// Whether a column is a place in space: a coordinate that is no angle, or a recorded `x`, `y1`, `z[2]`.
fn is_length(run: &Run, name: &str) -> bool {
    match run.states.iter().find(|s| s.name() == name) {
        Some(symbol) => symbol.as_jet().is_some_and(|(c, order)| order == 0 && !c.is_angle()),
        None => {
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || "[]_,".contains(c));
            ["x", "y", "z", "X", "Y", "Z"].contains(&letters)
        }
    }
}

/// The file that a plot is written to.
pub fn picture_file(state: &Interpreter, to: &Word) -> Fallible<PathBuf> {
    let path = file::destination(state, &to.node, to.span)?;
    match report::can_draw(&path) {
        Some(Ok(())) => return Ok(path),
        Some(Err(missing)) => return Err(Box::new(missing.or_at(to.span, "this file"))),
        None => {}
    }
    let svg = Path::new(&*to.node).with_extension("svg");
    Err(Box::new(
        Diagnostic::error(&codes::CANNOT_WRITE, "a plot is written as `.svg` or `.png`")
            .label(to.span, "this file")
            .repair(format!("call it `{}`", svg.display()), to.span, format!("\"{}\"", svg.display()))
            .help("`save run to …` writes the numbers"),
    ))
}
