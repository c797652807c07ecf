//! `animate run { point (x, y); rod (0, 0), (x, y); trail 200 } to "disk.svg"`: moving pictures of runs.

use super::picture::the_run;
use crate::algebra::Inquiry;
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::operate::describe;
use crate::model::run::double;
use crate::model::value::{Fallible, Value};
use crate::motion::run::Run;
use crate::report::animate::{Animation, Shape, Track};
use crate::session::checked::Drawing;
use crate::session::evaluate::{Columns, Plotted};
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter};
use crate::session::term::{Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::Word;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One thing that is drawn: its word, how it is written, how its arguments are read; `None` if they are something else.
struct Row {
    word: &'static str,
    usage: &'static str,
    read: fn(&[Term]) -> Option<Drawn>,
}

const ROWS: &[Row] = &[
    Row { word: "point", usage: "point (x, y)", read: point },
    Row { word: "rod", usage: "rod (0, 0), (x, y)", read: rod },
    Row { word: "circle", usage: "circle (x, y), r", read: circle },
    Row { word: "trail", usage: "trail 200", read: trail },
];

/// A place `(x, y)`.
type Pair<'t> = (&'t Term, &'t Term);

/// What a line of the block draws.
enum Drawn<'t> {
    Point(Pair<'t>),
    Rod(Pair<'t>, Pair<'t>),
    Circle(Pair<'t>, &'t Term),
    Trail(usize),
}

fn point(arguments: &[Term]) -> Option<Drawn<'_>> {
    let [place] = arguments else { return None };
    Some(Drawn::Point(pair(place)?))
}

fn rod(arguments: &[Term]) -> Option<Drawn<'_>> {
    let [from, to] = arguments else { return None };
    Some(Drawn::Rod(pair(from)?, pair(to)?))
}

fn circle(arguments: &[Term]) -> Option<Drawn<'_>> {
    let [place, radius] = arguments else { return None };
    Some(Drawn::Circle(pair(place)?, radius))
}

fn trail(arguments: &[Term]) -> Option<Drawn<'_>> {
    let [Term { kind: TermKind::Number(rows), .. }] = arguments else { return None };
    let rows = rows.to_i64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0)?;
    Some(Drawn::Trail(rows))
}

/// Reads a line of the block.
fn read<'t>(drawing: &'t Drawing) -> Fallible<Drawn<'t>> {
    let word = drawing.word;
    let Some(row) = ROWS.iter().find(|row| *row.word == *word.node) else {
        let words: Vec<&str> = ROWS.iter().map(|row| row.word).collect();
        let refused = Diagnostic::error(&codes::UNKNOWN_CLAUSE, format!("`{}` is not drawn", word.node))
            .label(word.span, "no such shape")
            .note(format!("there are {}", ROWS.iter().map(|row| row.usage).collect::<Vec<_>>().join("; ")));
        // What others call them.
        let other = match &*word.node {
            "line" | "segment" | "link" | "bar" | "stick" => Some("rod"),
            "dot" | "ball" | "bob" | "mass" | "marker" => Some("point"),
            "trace" | "path" | "tail" => Some("trail"),
            _ => None,
        };
        return Err(Box::new(match other.or_else(|| suggest::nearest(&word.node, words)) {
            Some(near) => refused.repair(format!("write `{near}`"), word.span, near.to_string()),
            None => refused,
        }));
    };
    (row.read)(&drawing.arguments).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{}` is given something else here", word.node))
                .label(word.span, "this one")
                .help(format!("write `{}`", row.usage)),
        )
    })
}

/// Where the picture goes and what it shows, before there is a run.
fn plan<'t>(
    state: &Interpreter,
    run: &Term,
    drawings: &'t [Drawing],
    to: Option<&Word>,
) -> Fallible<(PathBuf, Vec<Drawn<'t>>)> {
    let Some(to) = to else {
        return Err(Box::new(
            Diagnostic::error(&codes::CANNOT_WRITE, "a moving picture needs a file")
                .label(run.span, "nowhere to go")
                .help("write `to \"run.svg\"` or `to \"run.html\"` behind it"),
        ));
    };
    let path = animation_file(state, to)?;
    let drawn = drawings.iter().map(read).collect::<Fallible<Vec<_>>>()?;
    if drawn.iter().all(|drawn| matches!(drawn, Drawn::Trail(_))) {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "nothing moves in this picture")
                .label(run.span, "of this run nothing is drawn")
                .help("draw something: `point (x, y)`"),
        ));
    }
    Ok((path, drawn))
}

/// What can be said of a picture whose run is not made.
pub fn look_over(state: &Interpreter, run: &Term, drawings: &[Drawing], to: Option<&Word>) -> Fallible<()> {
    plan(state, run, drawings, to).map(drop)
}

/// The run whose columns are drawn.
struct Sketch<'a> {
    cx: &'a Inquiry,
    state: &'a Interpreter,
    run: Rc<Run>,
    /// Rows of it for each one that was recorded.
    pieces: usize,
}

pub fn animate(
    cx: &Inquiry,
    state: &mut Interpreter,
    run: &Term,
    drawings: &[Drawing],
    to: Option<&Word>,
) -> Fallible<Effect> {
    let (path, drawn) = plan(state, run, drawings, to)?;
    let whole = the_run(cx, state, run)?;
    let run_of = whole.finer(cx).unwrap_or_else(|| whole.clone());
    let pieces = run_of.trajectory.len().saturating_sub(1) / whole.trajectory.len().saturating_sub(1).max(1);
    let sketch = Sketch { cx, state, run: run_of, pieces: pieces.max(1) };
    let mut animation = Animation {
        times: sketch.run.trajectory.times().to_vec(),
        time_name: sketch.run.time.name(),
        ..Animation::default()
    };
    for drawn in &drawn {
        sketch.add(&mut animation, drawn)?;
    }
    let is_page = path.extension().is_some_and(|ending| ending == "html");
    let text = if is_page { animation.html(&sketch.run.system) } else { animation.svg() };
    file::write(&*state.options.world, &path, text.as_bytes())
        .map_err(|d| Box::new(d.or_at(to.map_or(run.span, |to| to.span), "this file")))?;
    let shapes = animation.shapes.len();
    let what = if shapes == 1 { "one shape".to_string() } else { format!("{shapes} shapes") };
    Ok(Effect::Wrote(Box::new(file::written(&path, &what))))
}

/// The file that a moving picture is written to.
fn animation_file(state: &Interpreter, to: &Word) -> Fallible<PathBuf> {
    let path = file::destination(state, &to.node, to.span)?;
    if path.extension().is_some_and(|ending| ending == "svg" || ending == "html") {
        return Ok(path);
    }
    let svg = Path::new(&*to.node).with_extension("svg");
    Err(Box::new(
        Diagnostic::error(&codes::CANNOT_WRITE, "a moving picture is written as `.svg` or `.html`")
            .label(to.span, "this file")
            .repair(format!("call it `{}`", svg.display()), to.span, format!("\"{}\"", svg.display())),
    ))
}

impl Sketch<'_> {
    fn add(&self, animation: &mut Animation, drawn: &Drawn) -> Fallible<()> {
        match *drawn {
            Drawn::Point(place) => {
                if animation.x_label.is_empty() {
                    let text = |span: Span| self.state.source_text(span);
                    (animation.x_label, animation.y_label) = (text(place.0.span), text(place.1.span));
                }
                let (x, y) = self.both(place)?;
                animation.shapes.push(Shape::Point { x, y });
            }
            Drawn::Rod(from, to) => {
                let (from, to) = (self.both(from)?, self.both(to)?);
                animation.shapes.push(Shape::Rod { from, to });
            }
            Drawn::Circle(place, radius) => {
                let ((x, y), radius) = (self.both(place)?, self.track(radius)?);
                animation.shapes.push(Shape::Circle { x, y, radius });
            }
            Drawn::Trail(rows) => animation.trail = Some(rows.saturating_mul(self.pieces)),
        }
        Ok(())
    }

    fn both(&self, (x, y): Pair) -> Fallible<(Track, Track)> {
        Ok((self.track(x)?, self.track(y)?))
    }

    /// A column of the run, what is computed from columns, or a number.
    fn track(&self, term: &Term) -> Fallible<Track> {
        let of = Plotted::Run(self.run.clone());
        let columns = Columns { of, sources: &self.state.sources, tables: &self.state.tables };
        let value = self.state.evaluator(self.cx).along(columns).eval(term)?.main();
        let rows = self.run.trajectory.len();
        match &value {
            Value::Series(series) if series.values.len() == rows => Ok(series.values.to_vec()),
            _ => match double(self.cx, &value) {
                Some(x) => Ok(vec![x; rows]),
                None => Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a place is given by columns of the run and numbers")
                        .label(term.span, format!("this is {}", describe(&value))),
                )),
            },
        }
    }
}

/// The two entries of `(x, y)`.
fn pair(term: &Term) -> Option<Pair<'_>> {
    match &term.kind {
        TermKind::Tuple(all) => match all.as_slice() {
            [x, y] => Some((x, y)),
            _ => None,
        },
        _ => None,
    }
}
