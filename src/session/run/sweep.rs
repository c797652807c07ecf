//! `sweep disk over theta' in 0..5 by 1/10, m in [1, 2, 4] { … collect reach = max(x) } to "reach.csv"`.
//!
//! Everything that can be known to be wrong is said before the first row is made: an axis that has no values or is not
//! there, a name that nothing declares in what is collected, a file that cannot be written. Then the equations are derived and
//! compiled once, with the axes as what varies, and [`motion::sweep`](crate::motion::sweep) makes the rows. A row that fails
//! has the reason in its column `status`, and the others go on.

mod rows;

use super::clauses::{self, Clauses, not_here};
use super::constrained::dependent_jets;
use super::{Context, Determined, Subject, SubjectKind, first_word, parameters_of};
use crate::algebra::number::Rational;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::budget;
use crate::codegen::compiled::{self, Backend, CompiledKernel, Options};
use crate::codegen::lower::{self, Signature, expressions_in_stages, to_f64};
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::problem::{Limits, Motion, quick};
use crate::model::operate;
use crate::model::value::{Fallible, Value};
use crate::motion::double::from_f64;
use crate::motion::law::{Body, Law, with_bodies};
use crate::motion::numbers::Numbers;
use crate::motion::partial::{self, Found, Partial, Shard};
use crate::motion::sampling::{Axes, Exact, MAX_SOBOL, Rule, Sample, Values};
use crate::motion::start::{LeadingMatrix, Sheet, Side, StartFormulas};
use crate::motion::sweep::{Assumed, Collected, Completion, Number, Plan, Reduction, Setup, recording};
use crate::motion::swept::{self, KEPT, ROW, STATUS, Swept};
use crate::report::provenance::Provenance;
use crate::report::rows::{File, Heading, Rows, Visitor, headings};
use crate::report::{self, table::exact};
use crate::session::check;
use crate::session::checked::{self, AxisValues, SweepRows};
use crate::session::evaluate::Evaluator;
use crate::session::file;
use crate::session::interpreter::{Effect, Interpreter, is_left_to_a_run};
use crate::session::term::{Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::Ast;
use crate::timing;
use crate::world::{Memory, Trouble, World};
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How sweeps are carried out.
#[derive(Clone, Debug, Default)]
pub struct SweepOptions {
    /// As many as the machine has cores if nothing is said.
    pub threads: Option<usize>,
    /// Go on with what an earlier sweep left.
    pub resume: bool,
    /// Only a part of the rows.
    pub shard: Option<Shard>,
    /// The file, in place of the one that the program names.
    pub to: Option<PathBuf>,
    /// Carry out declarations and sweeps, and nothing else.
    pub only: bool,
    /// Make only a few rows, to see how long they take.
    pub estimate: bool,
    /// Have the C compiler of the system make code for as many runs at once as the processor has lanes.
    pub wide: bool,
    /// Who is told how far it is.
    pub watcher: Option<Rc<dyn Watcher>>,
}

/// Somebody who watches a sweep.
pub trait Watcher: Debug {
    /// Another process writes this file, and has to end first.
    fn waiting(&self, file: &Path);

    /// So many rows are to be made, and so many were there before.
    fn begin(&self, rows: u64, before: u64);

    /// So many rows are there now.
    fn advance(&self, rows: u64);

    fn end(&self);

    /// Instead of all rows so many were made, with so many bytes; on how many threads all would be made.
    fn estimate(&self, rows: u64, made: u64, bytes: u64, threads: usize);
}

/// Runs that are kept in memory while something is collected of them, in numbers.
const ROW_NUMBERS: usize = 1 << 23;

/// A sweep that was carried out.
pub struct Done {
    pub table: Swept,
    /// The file that was written.
    pub written: Option<Box<Diagnostic>>,
}

pub fn show(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    sweep: &checked::Sweep,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    let done = self::sweep(cx, state, ast, sweep, remarks)?;
    Ok(match done.written {
        Some(note) => Effect::Wrote(note),
        None if state.options.sweeps.estimate => Effect::Done,
        None => {
            let value = Value::Sweep(Rc::new(done.table));
            state.last = Some(value.clone().into());
            Effect::Answered(value.into())
        }
    })
}

/// What can be said of a sweep that is not made: its axes, its clauses, what is collected, and its file.
pub fn look_over(cx: &Inquiry, state: &Interpreter, s: &checked::Sweep, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    let cx = &cx.apart();
    check::formulas(cx, &state.evaluator(cx), [&s.system], remarks)?;
    // Where the manifold of the system is not known, neither are the names of axes and clauses.
    let Some(manifold) = s.system.home() else { return Ok(()) };
    let evaluator = state.evaluator(cx).on(&manifold).for_formulas();
    let word = first_word(s.written.span, "sweep");
    let read = Clauses::read(state, &evaluator, word, &s.rows.clauses, &manifold, remarks).and_then(|clauses| {
        let axes = read_axes(&evaluator, &s.rows, &clauses, s.system.span)?;
        read_columns(&evaluator, &s.rows, &clauses, &axes, word)?;
        Target::read(state, s).map(drop)
    });
    read.or_else(|d| if is_left_to_a_run(cx, &d) { Ok(()) } else { Err(d) })
}

pub fn sweep(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Ast,
    s: &checked::Sweep,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Done> {
    let subject = Subject::read(cx, state, &s.system)?;
    let evaluator = state.evaluator(cx).on(&subject.manifold);
    let again = match s.is_open {
        true => {
            let home = Some(&subject.manifold);
            Some(state.check(cx, ast, remarks, |resolver| Some(resolver.sweep_rows(s.written, home)))?)
        }
        false => None,
    };
    let written = again.as_ref().unwrap_or(&s.rows);
    let word = first_word(s.written.span, "sweep");
    let mut clauses = Clauses::read(state, &evaluator, word, &written.clauses, &subject.manifold, remarks)?;
    clauses.add_declared_bodies(state);
    let axes = read_axes(&evaluator, written, &clauses, subject.span)?;
    let columns = read_columns(&evaluator, written, &clauses, &axes, word)?;
    let target = Target::read(state, s)?;
    if subject.variations > 0 || !clauses.varied.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "variations are not swept")
                .label(subject.span, "of this system")
                .help("run `simulate variation(S)` for one state, or sweep the system itself"),
        ));
    }
    let mut prepared = Prepared::new(cx, state, &subject, clauses, &axes, columns)?;
    let about = About::new(state, s, &subject, &prepared, &axes);
    let options = &state.options.sweeps;
    if options.wide {
        let widened = timing::stage("compile", || prepared.plan.widened(cx, &*state.options.world, &prepared.motion));
        match widened {
            Ok(motion) => prepared.motion = Rc::new(motion),
            Err(why) => remarks.push(
                Diagnostic::warning(&codes::NOT_AVAILABLE, format!("`--wide` does nothing here: {why}"))
                    .label(word, "the rows are made without it")
                    .note("the table is the same with and without"),
            ),
        }
    }
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let rows = options.shard.map_or(0..prepared.plan.axes.n_rows(), |shard| shard.rows(prepared.plan.axes.n_rows()));
    if options.estimate {
        rows::estimate(&prepared, rows, options.watcher.as_deref(), &about, threads);
        return Ok(Done { table: Swept::empty(subject.name), written: None });
    }
    let memory = Memory::default();
    let (world, path): (&dyn World, &Path) = match &target {
        Some(target) => (&*state.options.world, &target.path),
        None if (rows.end - rows.start) * about.columns().len() as u64 > KEPT => {
            return Err(Box::new(
                Diagnostic::error(&codes::BUDGET, format!("{} rows are too many to keep in memory", rows.end))
                    .label(word, "without a file")
                    .help("name a file: `sweep … { … } to \"table.csv\"`"),
            ));
        }
        None => (&memory, Path::new("table.csv")),
    };
    let place = |d: Box<Diagnostic>| match &target {
        Some(target) => Box::new(d.or_at(target.span, "this file")),
        None => d,
    };
    let mut has_waited = false;
    let mut wait = |file: &Path| {
        if let Some(watcher) = options.watcher.as_deref().filter(|_| !has_waited) {
            watcher.waiting(file);
        }
        has_waited = true;
        world.pause();
        cx.listen().map_err(|_| {
            let why = if budget::clear_interrupt() { "interrupted" } else { "stopped" };
            Box::new(
                Diagnostic::error(&codes::RUN_STOPPED, format!("the sweep was {why} before its first row"))
                    .label(word, "not begun")
                    .note(format!("another process writes `{}`", file.display())),
            )
        })
    };
    let begun = Partial::begin(world, path, &about, rows.clone(), options.resume, &mut wait);
    let partial = match begun.map_err(place)? {
        Found::Open(partial) => partial,
        Found::Complete => {
            let table = report::open(File::new(world, path))
                .and_then(|stored| Swept::read(subject.name, &*stored))
                .map_err(|t| place(Box::new(file::cannot_write(&path.to_string_lossy(), t))))?;
            let title = format!("`{}` is complete already ({} rows)", path.display(), rows.end - rows.start);
            let note = Diagnostic::new(crate::diagnostic::Severity::Note, &codes::WRITTEN, title);
            return Ok(Done { table, written: Some(Box::new(note)) });
        }
    };
    let made = rows::make(&prepared, partial, rows.clone(), threads, options.watcher.as_deref());
    let (partial, failures) = made.map_err(|trouble| {
        let refused = file::cannot_write(&path.to_string_lossy(), trouble);
        place(Box::new(refused.help("`lepage sweep FILE --resume` goes on with the rows that were written")))
    })?;
    failures.into_iter().for_each(|failure| remarks.push(failure.warning(word)));
    if partial.next < rows.end {
        let interrupted = budget::clear_interrupt();
        let (there, all) = (partial.next - rows.start, rows.end - rows.start);
        let why = if interrupted { "interrupted" } else { "stopped" };
        let stopped =
            Diagnostic::error(&codes::RUN_STOPPED, format!("the sweep was {why} after {there} of {all} rows"))
                .label(word, "not finished");
        return Err(Box::new(match target {
            Some(_) => stopped
                .note(format!("they are in `{}`", partial.growing().display()))
                .help("`lepage sweep FILE --resume` makes the others"),
            None => stopped,
        }));
    }
    // Rows are read back before the file gets its format.
    let table =
        report::csv::read(File::new(world, partial.growing())).and_then(|stored| Swept::read(subject.name, &*stored));
    let table = table.map_err(|t| place(Box::new(file::cannot_write(&path.to_string_lossy(), t))))?;
    let n_rows = rows.end - rows.start;
    let written = target.as_ref().map(|t| Box::new(file::written(&t.path, &format!("{n_rows} rows"))));
    partial.finish().map_err(place)?;
    Ok(Done { table, written })
}

// ----- the file ------------------------------------------------------------------------------------

/// Where the table goes.
struct Target {
    path: PathBuf,
    span: Span,
}

impl Target {
    fn read(state: &Interpreter, s: &checked::Sweep) -> Fallible<Option<Target>> {
        let options = &state.options.sweeps;
        let sweep = first_word(s.written.span, "sweep");
        let (path, span) = match (&options.to, &s.written.to) {
            (Some(path), to) => (path.clone(), to.as_ref().map_or(sweep, |to| to.span)),
            (None, Some(to)) => {
                let path = file::destination(state, &to.node, to.span)?;
                (options.shard.map_or(path.clone(), |shard| shard.name(&path)), to.span)
            }
            (None, None) if options.shard.is_some() => {
                return Err(Box::new(
                    Diagnostic::error(&codes::CANNOT_WRITE, "a shard needs a file")
                        .label(sweep, "without `to \"…\"`")
                        .help("name it: `--out part-1.csv`"),
                ));
            }
            (None, None) => return Ok(None),
        };
        report::format(&path).map_err(|d| Box::new(d.or_at(span, "this file")))?;
        Ok(Some(Target { path, span }))
    }
}

/// What the table says about itself.
struct About {
    columns: Vec<Heading>,
    provenance: Provenance,
}

impl About {
    fn new(state: &Interpreter, s: &checked::Sweep, subject: &Subject, prepared: &Prepared, axes: &ReadAxes) -> About {
        let mut names = vec![ROW.to_string()];
        names.extend(axes.symbols.iter().map(|s| s.name()));
        names.extend(prepared.plan.collected.columns.kernel().outputs().iter().map(|o| o.name.clone()));
        names.push(STATUS.to_string());
        let statement = state.source_text(s.written.span);
        let mut provenance = made_by(state, &[&statement])
            .with("system", &subject.name)
            .with("sweep", &statement)
            .with(partial::ROWS, prepared.plan.axes.n_rows().to_string());
        if let Some(shard) = state.options.sweeps.shard {
            let rows = shard.rows(prepared.plan.axes.n_rows());
            provenance = provenance.with(
                partial::SHARD,
                match rows.is_empty() {
                    true => format!("{shard} (no rows)"),
                    false => format!("{shard} (rows {} to {})", rows.start + 1, rows.end),
                },
            );
        }
        if let Some(sample) = prepared.plan.axes.sample() {
            provenance = provenance.with("sample", format!("{} {}", sample.rule.name(), sample.count));
            provenance = provenance.with("seed", sample.seed.map_or("none".to_string(), |seed| seed.to_string()));
        }
        let template = &prepared.plan.template;
        let constant = |(symbol, number): (&Symbol, &Number)| match number {
            Number::Constant(x) => Some(format!("{symbol} = {}", exact(*x))),
            Number::Varies(_) => None,
        };
        let parameters: Vec<String> =
            prepared.parameters.iter().zip(&prepared.plan.setup.parameters).filter_map(constant).collect();
        provenance =
            how(provenance, &parameters, template.method.name(), &template.tolerance, prepared.motion.options());
        About { columns: headings(&names), provenance }
    }
}

/// The part of the description that every table has.
pub fn made_by(state: &Interpreter, also: &[&str]) -> Provenance {
    let mut hasher = blake3::Hasher::new();
    let mut add = |kind: &[u8], bytes: &[u8]| {
        hasher.update(kind);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for source in state.sources.texts() {
        add(b"text", source.as_bytes());
    }
    for (name, value) in &state.options.set {
        add(b"set", name.as_bytes());
        add(b"to", value.as_bytes());
    }
    let mut tables: Vec<_> = state.tables.iter().collect();
    tables.sort_by_key(|(function, _)| function.name());
    for (function, table) in tables {
        add(b"table", function.name().as_bytes());
        for x in table.knots() {
            let (left, coefficients) = table.piece(*x);
            add(b"piece", &[left].iter().chain(&coefficients).flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
        }
    }
    for text in also {
        add(b"statement", text.as_bytes());
    }
    let program = state.reading.first().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    Provenance::default()
        .with(partial::VERSION, env!("CARGO_PKG_VERSION"))
        .with("program", program.as_deref().unwrap_or("session"))
        .with(partial::INPUT, format!("blake3:{}", hasher.finalize().to_hex()))
}

/// How the numbers were made.
pub fn how(
    provenance: Provenance,
    parameters: &[String],
    method: &str,
    tolerance: &crate::integrate::control::Tolerance,
    options: Options,
) -> Provenance {
    let provenance = match parameters {
        [] => provenance,
        list => provenance.with("parameters", list.join(", ")),
    };
    provenance
        .with("method", method)
        .with("tolerance", format!("rel {}, abs {}", exact(tolerance.relative), exact(tolerance.absolute)))
        .with(partial::ARITHMETIC, compiled::arithmetic(options))
}

impl Rows for About {
    fn columns(&self) -> &[Heading] {
        &self.columns
    }

    fn n_rows(&self) -> u64 {
        0
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, _: &mut Visitor) -> Result<(), Trouble> {
        Ok(())
    }
}

// ----- the axes ------------------------------------------------------------------------------------

/// The axes, and what they vary.
struct ReadAxes {
    symbols: Vec<Symbol>,
    spans: Vec<Span>,
    axes: Axes,
}

fn read_axes(evaluator: &Evaluator, written: &SweepRows, clauses: &Clauses, system: Span) -> Fallible<ReadAxes> {
    let mut symbols: Vec<Symbol> = vec![];
    let mut values = vec![];
    let mut ranges = vec![];
    for axis in &written.axes {
        let span = axis.coordinate.span;
        let symbol = evaluator.jet_symbol(&axis.coordinate)?;
        if evaluator.on.as_ref().is_some_and(|manifold| manifold.is_foreign(symbol)) {
            return Err(not_here(evaluator, symbol, span, "varies here"));
        }
        let axis_before = symbols.iter().position(|s| *s == symbol).and_then(|i| written.axes.get(i));
        let from_before = clauses.from.iter().find(|(s, _, _)| *s == symbol).map(|(_, _, given)| *given);
        let before = axis_before.map(|axis| axis.coordinate.span).or(from_before);
        if before.is_some() || clauses.set.contains_key(&symbol) {
            let (place, what) = before.map_or((system, "in the runs of this system"), |given| (given, "and here"));
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{symbol}` is given twice"))
                    .label(span, "varies here")
                    .label(place, what),
            ));
        }
        if RESERVED.contains(&symbol.name().as_str()) {
            let d = reserved(&symbol.name(), span);
            return Err(d.help("give it another name where it is declared").into());
        }
        symbols.push(symbol);
        values.push(match &axis.values {
            AxisValues::List(list) => Values::List(read_list(evaluator, list)?),
            AxisValues::Range { from, to, by } => {
                let place = from.span.to(by.as_ref().unwrap_or(to).span);
                let ends = [from.span, to.span];
                let (from, to) = (evaluator.number(from)?, evaluator.number(to)?);
                for (end, span) in [&from, &to].into_iter().zip(ends) {
                    if !to_f64(end).is_finite() {
                        return Err(Box::new(not_finite(span, "this is too large")));
                    }
                }
                match by {
                    Some(by) => grid(&from, &to, &evaluator.number(by)?, by.span, place)?,
                    None if from >= to => return Err(empty(place, "no number lies in it")),
                    None => {
                        ranges.push(place);
                        Values::Range { from: to_f64(&from), to: to_f64(&to) }
                    }
                }
            }
        });
    }
    let sample = written.sample.as_ref().map(|s| read_sample(evaluator, s)).transpose()?;
    match (&sample, ranges.first()) {
        (None, Some(range)) => {
            let end = Span { start: range.end, ..*range };
            return Err(Box::new(
                Diagnostic::error(&codes::BAD_OPTION, "this range has no step, and nothing is sampled")
                    .label(*range, "which values of it?")
                    .repair("give it a step", end, " by 1/10")
                    .help("or choose points of it: `sample sobol(1000)`"),
            ));
        }
        (Some(_), None) => {
            let place = written.sample.as_ref().map_or(system, |s| s.span);
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "there is no range to take a sample from")
                    .label(place, "no effect")
                    .help("leave out the step of a range: `m in 1..4`"),
            ));
        }
        (Some(sample), Some(_)) if sample.rule == Rule::Sobol && ranges.len() > MAX_SOBOL => {
            return Err(Box::new(
                Diagnostic::error(&codes::BAD_OPTION, format!("a Sobol sample has at most {MAX_SOBOL} axes"))
                    .label(ranges[MAX_SOBOL], "one too many")
                    .help("use `sample random(…)`"),
            ));
        }
        _ => {}
    }
    let axes = Axes::new(values, sample).ok_or_else(|| {
        let place = written.axes.first().map_or(system, |axis| axis.span);
        Box::new(
            Diagnostic::error(&codes::BUDGET, "this sweep has too many rows")
                .label(place, "together with the other axes"),
        )
    })?;
    let spans = written.axes.iter().map(|axis| axis.coordinate.span).collect();
    Ok(ReadAxes { symbols, spans, axes })
}

/// The columns that every table has, and what can be asked of every sweep.
const RESERVED: [&str; 4] = [ROW, STATUS, swept::PARTS[0].0, swept::PARTS[1].0];

fn reserved(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(&codes::DECLARED_TWICE, format!("every sweep has a part `{name}`"))
        .label(span, "a column of the same name")
}

fn empty(place: Span, why: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::BAD_OPTION, "this range is empty").label(place, why.to_string()))
}

fn grid(from: &Rational, to: &Rational, by: &Rational, by_span: Span, place: Span) -> Fallible<Values> {
    if by.is_zero() {
        return Err(Box::new(Diagnostic::error(&codes::BAD_OPTION, "a step is not 0").label(by_span, "this is 0")));
    }
    let steps = (&(to - from) / by).floor();
    if steps.is_negative() {
        return Err(empty(place, "it leads away from its end"));
    }
    let Some(count) = steps.to_i64().and_then(|n| u64::try_from(n).ok()?.checked_add(1)) else {
        return Err(Box::new(Diagnostic::error(&codes::BUDGET, "this axis has too many values").label(place, "here")));
    };
    Ok(Values::Grid { from: to_exact(from), step: to_exact(by), count })
}

fn to_exact(n: &Rational) -> Exact {
    let near = to_f64(n);
    let rest = from_f64(near).map_or(0.0, |double| to_f64(&(n - &double)));
    Exact { near, rest }
}

fn read_list(evaluator: &Evaluator, term: &Term) -> Fallible<Vec<f64>> {
    let span = term.span;
    let Value::List(items) = evaluator.eval(term)?.main() else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "an axis has a range or a list of values")
                .label(span, "neither")
                .help("write `m in [1, 2, 4]` or `m in 0..5 by 1/10`"),
        ));
    };
    if items.is_empty() {
        return Err(Box::new(Diagnostic::error(&codes::BAD_OPTION, "this list is empty").label(span, "no values")));
    }
    let places = match &term.kind {
        TermKind::List(items) => items.iter().map(|item| item.span).collect(),
        _ => vec![],
    };
    let number = |(i, item): (usize, &Value)| {
        let double = match item.main() {
            Value::Float(x) => Some(x),
            value => operate::as_expr(&evaluator.cx, &value)
                .ok()
                .and_then(|e| crate::motion::double::constant(&evaluator.cx, e)),
        };
        double.filter(|x| x.is_finite()).ok_or_else(|| {
            let what = operate::describe(&item.main());
            let what = if what.chars().count() > 60 { "this" } else { &what };
            let place = places.get(i).copied().unwrap_or(span);
            Box::new(not_finite(place, &format!("{what} is none of them")))
        })
    };
    items.iter().enumerate().map(number).collect()
}

fn not_finite(place: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_KIND, "an axis has finite numbers").label(place, what.to_string())
}

fn read_sample(evaluator: &Evaluator, sample: &checked::Sample) -> Fallible<Sample> {
    let count = evaluator.integer(&sample.count)?;
    let Some(count) = u64::try_from(count).ok().filter(|n| *n > 0) else {
        return Err(Box::new(
            Diagnostic::error(&codes::BAD_OPTION, "a sample has at least one point").label(sample.count.span, "none"),
        ));
    };
    let seed = match &sample.seed {
        None => None,
        Some(term) => Some(u64::try_from(evaluator.integer(term)?).map_err(|_| {
            Box::new(Diagnostic::error(&codes::BAD_OPTION, "a seed is not negative").label(term.span, "negative"))
        })?),
    };
    Ok(Sample { rule: sample.rule, count, seed })
}

// ----- what is collected ---------------------------------------------------------------------------

/// What is kept of each run, as expressions.
struct Columns {
    reductions: Vec<(Reduction, Symbol, Expr, Span)>,
    columns: Vec<(String, Expr, Span)>,
}

fn read_columns(
    evaluator: &Evaluator,
    written: &SweepRows,
    clauses: &Clauses,
    axes: &ReadAxes,
    sweep: Span,
) -> Fallible<Columns> {
    let mut recorded: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for (symbol, name) in &written.recorded {
        let column = clauses.record.iter().flatten().find(|c| *c.name == **name);
        recorded.extend(column.map(|c| (*symbol, c.value)));
    }
    let expr = |term| -> Fallible<Expr> { Ok(substitute(evaluator.expr(term)?, &recorded)) };
    let mut read = Columns { reductions: vec![], columns: vec![] };
    for reduced in &written.reductions {
        read.reductions.push((reduced.reduction, reduced.symbol, expr(&reduced.of)?, reduced.of.span));
    }
    let symbols: Vec<Symbol> = written.reductions.iter().map(|r| r.symbol).collect();
    for column in &written.collected {
        let Some(name) = column.name.as_ref().map(|name| name.to_string()) else { continue };
        if read.columns.iter().any(|(known, _, _)| *known == name) {
            let again = Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is collected twice"));
            return Err(Box::new(again.label(column.span, "again")));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(reserved(&name, column.span).help("give what is collected another name").into());
        }
        if let Some(i) = axes.symbols.iter().position(|symbol| symbol.name() == name) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is an axis of this sweep"))
                    .label(column.span, "a column of the same name")
                    .label(axes.spans[i], "the axis")
                    .help("give what is collected another name"),
            ));
        }
        let value = expr(&column.value)?;
        if let Some(varies) = value.symbols().into_iter().find(|s| !s.is_parameter() && !symbols.contains(s)) {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "what is collected is one number for each run")
                    .label(column.value.span, format!("`{varies}` varies during a run"))
                    .help("write `max(…)`, `min(…)`, `(…).first` or `(…).last` of it"),
            ));
        }
        read.columns.push((name, value, column.value.span));
    }
    if read.columns.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "nothing is collected of these runs")
                .label(sweep, "without `collect`")
                .help("add `collect reach = max(x)`"),
        ));
    }
    Ok(read)
}

// ----- from clauses to a plan ----------------------------------------------------------------------

/// Everything that is done once.
struct Prepared {
    plan: Plan,
    motion: Rc<Motion>,
    parameters: Vec<Symbol>,
}

impl Prepared {
    fn new(
        cx: &Inquiry,
        state: &Interpreter,
        subject: &Subject,
        mut clauses: Clauses,
        axes: &ReadAxes,
        columns: Columns,
    ) -> Fallible<Prepared> {
        // Recorded expressions are names for what is collected; a run keeps the states.
        let every = clauses.every;
        clauses.record = None;
        let (determined, first) = determine(cx, state, subject, &clauses, axes)?;
        let context = Context { state, clauses: &clauses, numbers: &first, span: subject.span };
        let made_of = (context.action(cx, subject, &determined)?, context.group(cx, subject, &determined)?);
        let Determined { law, surface, side, mut completion, ends, .. } = determined;
        // The row by which the law was found may have left nothing out that is not 0; others may.
        if completion.is_empty()
            && let SubjectKind::System(system) = &subject.kind
            && !system.constraints.is_empty()
        {
            let put = |(s, e): (Symbol, Expr)| (s, with_bodies(cx, e, &clauses.bodies));
            completion = dependent_jets(cx, system).into_iter().map(put).collect();
        }
        let equations: Vec<Expr> = surface.iter().flat_map(|level| level.equations.clone()).collect();
        let signature = context.signature(&law);
        let mut observed = context.observed(cx, &law, &signature, surface, &ends, made_of)?;
        let place = columns.columns.first().map_or(subject.span, |c| c.2);
        let reduced: Vec<Symbol> = columns.reductions.iter().map(|r| r.1).collect();
        let everything: Vec<Expr> = (columns.reductions.iter().map(|r| r.2))
            .chain(columns.columns.iter().map(|c| c.1))
            .chain(side.functions())
            .collect();
        for p in parameters_of(&everything) {
            if !observed.parameters.contains(&p) && !reduced.contains(&p) {
                observed.parameters.push(p);
            }
        }
        let parameters = observed.parameters.clone();
        // A parameter of an axis that nothing depends on.
        for (symbol, span) in axes.symbols.iter().zip(&axes.spans) {
            let used =
                !symbol.is_parameter() || parameters.contains(symbol) || depends(state, &clauses, *symbol, &parameters);
            if !used {
                return Err(Box::new(
                    Diagnostic::error(&codes::NO_EFFECT, format!("no run depends on `{symbol}`"))
                        .label(*span, "no effect")
                        .label(subject.span, "of this system"),
                ));
            }
        }
        first.values_of(cx, &parameters, subject.span)?;
        let compiled =
            timing::stage("compile", || state.motions.get(cx, &law, &signature, &observed, context.options()));
        let motion = compiled.map_err(|u| context.unlowered(u))?;
        let full = Signature { parameters: parameters.clone(), ..signature };
        let setup = setup(cx, &context, axes, &law, &full, &equations, &side, &completion)?;
        let collected = collected(cx, &context, &law, &full, &columns, place)?;
        let (recording, dense) = recording(columns.reductions.iter().map(|r| r.0), every);
        let start = crate::motion::start::Start { time: 0.0, state: vec![0.0; law.states.len()], given: vec![] };
        let mut template = context.problem(cx, &law, start, vec![])?;
        (template.recording, template.dense) = (recording, dense);
        template.limits = Limits { numbers: ROW_NUMBERS, ..Limits::default() };
        let ends = ends.into_iter().map(|end| end.event.name).collect();
        Ok(Prepared { plan: Plan { axes: axes.axes.clone(), setup, collected, template, ends }, motion, parameters })
    }
}

/// Whether the value of one of the parameters depends on this one.
fn depends(state: &Interpreter, clauses: &Clauses, symbol: Symbol, parameters: &[Symbol]) -> bool {
    let numbers = varying(state, clauses, &[symbol]);
    let values = parameters.iter().filter_map(|p| numbers.formula(*p));
    let given = clauses.from.iter().map(|(_, e, _)| numbers.put(*e)).chain([numbers.put(clauses.until.0)]);
    values.chain(given).any(|e| e.contains(symbol))
}

/// The values of all parameters, with the axes as they are.
fn varying(state: &Interpreter, clauses: &Clauses, axes: &[Symbol]) -> Numbers {
    let mut set = clauses.set.clone();
    set.extend(axes.iter().filter(|s| s.is_parameter()).map(|s| (*s, Expr::symbol(*s))));
    Numbers::new(&state.parameters, &set)
}

/// The law, found at the first row, or where that has no motion, at one in the middle or the last.
fn determine(
    cx: &Inquiry,
    state: &Interpreter,
    subject: &Subject,
    clauses: &Clauses,
    axes: &ReadAxes,
) -> Fallible<(Determined, Numbers)> {
    let n = axes.axes.n_rows();
    let mut refusal = None;
    for row in [0, n / 2, n.saturating_sub(1)] {
        let mut values = vec![0.0; axes.symbols.len()];
        axes.axes.row(row, &mut values);
        let mut here = clauses.clone();
        for ((symbol, value), span) in axes.symbols.iter().zip(values).zip(&axes.spans) {
            let value = from_f64(value).map_or(Expr::zero(), Expr::number);
            match symbol.is_parameter() {
                true => _ = here.set.insert(*symbol, value),
                false => here.from.push((*symbol, value, *span)),
            }
        }
        let numbers = Numbers::new(&state.parameters, &here.set);
        let context = Context { state, clauses: &here, numbers: &numbers, span: subject.span };
        let d = match context.determine(cx, subject) {
            Ok(determined) => return Ok((determined, numbers)),
            Err(d) => d,
        };
        // What has no value in this row may have one in another.
        let of_this_row = [
            &codes::NO_MOTION,
            &codes::OFF_CONSTRAINT,
            &codes::NOT_DETERMINED,
            &codes::MISSING_PARAMETER,
            &codes::CONTRADICTION,
        ];
        if !of_this_row.iter().any(|code| std::ptr::eq(d.code, *code)) {
            return Err(d);
        }
        refusal.get_or_insert(d);
    }
    Err(refusal.unwrap_or_else(|| Box::new(Diagnostic::error(&codes::NO_MOTION, "there is no row"))))
}

/// From the values of the axes to the numbers of a run, compiled.
#[allow(clippy::too_many_arguments)]
fn setup(
    cx: &Inquiry,
    context: &Context,
    axes: &ReadAxes,
    law: &Law,
    full: &Signature,
    surface: &[Expr],
    side: &Side,
    completion: &[(Symbol, Expr)],
) -> Fallible<Setup> {
    let clauses = context.clauses;
    let numbers = varying(context.state, clauses, &axes.symbols);
    let mut outputs: Vec<(String, Expr)> = vec![];
    let mut number = |e: Expr, span: Span| -> Fallible<Number> {
        let formula = numbers.put(e);
        if !axes.symbols.iter().any(|s| formula.contains(*s)) {
            return Ok(Number::Constant(numbers.number_at(cx, e, span)?));
        }
        let known = outputs.iter().position(|(_, known)| *known == formula);
        let i = known.unwrap_or_else(|| {
            outputs.push((formula.to_string(), formula));
            outputs.len() - 1
        });
        Ok(Number::Varies(i))
    };
    let mut given = clauses.clone();
    for (symbol, span) in axes.symbols.iter().zip(&axes.spans).filter(|(s, _)| !s.is_parameter()) {
        given.from.push((*symbol, Expr::symbol(*symbol), *span));
    }
    let start = StartFormulas::read(law, given.given())?;
    let mut all = |list: &[(Expr, Span)]| list.iter().map(|(e, span)| number(*e, *span)).collect::<Fallible<Vec<_>>>();
    let ends = all(&[start.time, clauses.until])?;
    let (time, end) = (ends[0], ends[1]);
    let state = all(&start.state)?;
    let values: Vec<(Expr, Span)> = full.parameters.iter().map(|p| (Expr::symbol(*p), context.span)).collect();
    let parameters = all(&values)?;
    let signature = Signature { parameters: axes.symbols.clone(), tables: full.tables.clone(), ..Signature::default() };
    let mut assumed = vec![];
    for (fact, sign, text) in clauses::assumed(cx, context.state, &given, &numbers) {
        let list = [("value".to_string(), fact), ("size".to_string(), clauses::size_of_terms(fact))];
        // Other facts are the same in every row, or not about what is known before the run.
        let varies = axes.symbols.iter().any(|s| fact.contains(*s));
        if varies && lower::expressions("fact", &signature, &list).is_ok() {
            let (value, size) = (number(fact, context.span)?, number(list[1].1, context.span)?);
            assumed.push(Assumed { value, size, sign, text });
        }
    }
    let obstacle = |o| context.obstacle(&o, context.span);
    let kernel = interpreted(lower::expressions("row", &signature, &outputs).map_err(obstacle)?);
    // What was left out is 0 until it is filled in.
    let mut point: FxHashMap<Symbol, Expr> = law.states.iter().map(|s| (*s, Expr::zero())).collect();
    point.insert(law.time(), Expr::zero());
    point.extend(given.given().values.iter().map(|(s, value, _)| (*s, numbers.put(*value))));
    let mut filled = vec![];
    for (symbol, value) in completion {
        let Some(i) = law.states.iter().position(|s| s == symbol).filter(|i| !start.given[*i]) else { continue };
        let value = numbers.put(substitute(*value, &point));
        if value.as_undefined().is_none() {
            point.insert(*symbol, value);
            filled.push((i, value));
        }
    }
    let list: Vec<(String, Expr)> = filled.iter().map(|(_, value)| (value.to_string(), *value)).collect();
    let completion = match lower::expressions("completion", &signature, &list) {
        Ok(kernel) if !filled.is_empty() => {
            Some(Completion { kernel: interpreted(kernel), states: filled.iter().map(|(i, _)| *i).collect() })
        }
        _ => None,
    };
    let sheet = match surface.is_empty() && side.conditions.is_empty() {
        true => None,
        false => Some(Sheet::new(cx, surface, side, full).map_err(obstacle)?),
    };
    let matrix = LeadingMatrix::new(law, full).map_err(obstacle)?;
    Ok(Setup { kernel, start: time, end, parameters, state, given: start.given, completion, sheet, matrix, assumed })
}

/// What runs once for each row.
fn interpreted(kernel: crate::codegen::ir::Kernel) -> CompiledKernel {
    compiled::compile(kernel, Options { backend: Backend::Interpreter, portable: true })
}

fn collected(
    cx: &Inquiry,
    context: &Context,
    law: &Law,
    full: &Signature,
    columns: &Columns,
    place: Span,
) -> Fallible<Collected> {
    let bodies: &[Body] = &context.clauses.bodies;
    let reduced = columns.reductions.iter().map(|r| r.1);
    let signature = Signature { parameters: full.parameters.iter().copied().chain(reduced).collect(), ..full.clone() };
    let kernel = |list: &[(String, Expr)], place: Span| {
        let reading = law.read(cx, list, bodies).map_err(|d| Box::new(d.or_at(place, "collected here")))?;
        expressions_in_stages("collect", &signature, &reading.stages, &reading.list)
            .map_err(|o| context.obstacle(&o, place))
    };
    let mut reductions = vec![];
    for (reduction, _, e, span) in &columns.reductions {
        let kernel = kernel(&[(e.to_string(), *e)], *span)?;
        reductions.push((*reduction, quick(kernel, context.options())));
    }
    let list: Vec<(String, Expr)> = columns.columns.iter().map(|(name, e, _)| (name.clone(), *e)).collect();
    Ok(Collected { reductions, columns: interpreted(kernel(&list, place)?) })
}
