//! Many runs of one motion: the rows of a sweep.
//!
//! Everything that does not depend on a row is done before the first: the equations are derived and compiled once, and so
//! is the way from the values of a row to a problem (parameters that depend on others, the initial state, the end). A row is
//! then some multiplications, a run, and what is collected of it.
//!
//! ```text
//! row number ──► values of the axes ──► problem ──► trajectory ──► collected numbers ──► a line of the table
//!            sampling               setup       integrate      collected
//! ```
//!
//! Rows are given out in chunks to threads and come back in their order. Which thread made a row, and with which others at
//! the same time, changes no bit of it. Neither does a stop: what is written is always a beginning of the table. What is in
//! memory is bounded by the chunks under way, not by the number of rows.

use super::run::reason_label;
use super::sampling::Axes;
use super::start::{LeadingMatrix, Sheet, Start};
use crate::algebra::assume::Sign;
use crate::budget::{Budget, Exhausted};
use crate::codegen::compiled::CompiledKernel;
use crate::codegen::library::Library;
use crate::codegen::wide::{self, NotWide};
use crate::integrate::control::StopReason;
use crate::integrate::problem::{BadProblem, InitialValueProblem, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use crate::integrate::{pairs, taylor};
use crate::report::csv;
use crate::report::rows::Cell;
use crate::report::table::short;
use crate::world::{Trouble, World};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, mpsc};

/// A sweep that can be carried out.
pub struct Plan {
    pub axes: Axes,
    pub setup: Setup,
    pub collected: Collected,
    /// What all rows have in common.
    pub template: InitialValueProblem,
    /// The events at which a constraint stops to determine the motion.
    pub ends: Vec<String>,
}

/// From the values of the axes to the numbers of a run.
pub struct Setup {
    /// What varies, as functions of the axes.
    pub kernel: CompiledKernel,
    pub start: Number,
    pub end: Number,
    pub parameters: Vec<Number>,
    pub state: Vec<Number>,
    pub given: Vec<bool>,
    pub completion: Option<Completion>,
    /// The set on which the motion takes place.
    pub sheet: Option<Sheet>,
    /// The matrix that is solved for the highest derivatives.
    pub matrix: Option<LeadingMatrix>,
    /// What is assumed of what varies.
    pub assumed: Vec<Assumed>,
}

/// A fact on which the formulas rest, as far as it is about parameters and initial values that are given.
pub struct Assumed {
    pub value: Number,
    /// The size of its terms, by which the value is rounded.
    pub size: Number,
    pub sign: Sign,
    /// As it is written.
    pub text: String,
}

impl Assumed {
    /// Whether the numbers contradict it for certain.
    fn is_contradicted(&self, varying: &[f64]) -> bool {
        let (value, size) = (self.value.value(varying), self.size.value(varying));
        if value != 0.0 && value.abs() <= 1e-13 * size.abs() {
            return false;
        }
        let found = match value.partial_cmp(&0.0) {
            Some(Ordering::Greater) => Sign::POSITIVE,
            Some(Ordering::Less) => Sign::NEGATIVE,
            Some(Ordering::Equal) => Sign::ZERO,
            None => return false,
        };
        !self.sign.and(found).is_possible()
    }
}

/// Dependent states that were left out, as functions of the axes.
pub struct Completion {
    pub kernel: CompiledKernel,
    pub states: Vec<usize>,
}

/// A number of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Constant(f64),
    /// An output of the kernel.
    Varies(usize),
}

impl Number {
    fn value(self, varying: &[f64]) -> f64 {
        match self {
            Number::Constant(x) => x,
            Number::Varies(i) => varying[i],
        }
    }
}

/// What one number is made of a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    First,
    Last,
    Max,
    Min,
}

impl Reduction {
    pub fn named(name: &str) -> Option<Reduction> {
        match name {
            "first" => Some(Reduction::First),
            "last" => Some(Reduction::Last),
            "max" => Some(Reduction::Max),
            "min" => Some(Reduction::Min),
            _ => None,
        }
    }
}

/// What is kept of each run. A reduction may use those before it; their values follow the parameters.
pub struct Collected {
    pub reductions: Vec<(Reduction, CompiledKernel)>,
    /// The columns, as functions of parameters and reductions.
    pub columns: CompiledKernel,
}

/// Why a row has no values.
#[derive(Clone, PartialEq, Debug)]
pub struct Failed {
    /// For the column `status`.
    pub word: &'static str,
    pub why: String,
}

/// The row was not finished: somebody called a stop.
struct Stopped;

/// A run of consecutive rows that were finished.
pub struct Chunk {
    pub first: u64,
    pub n_rows: u64,
    /// Their lines.
    pub text: String,
    pub failed: Vec<(u64, Failed)>,
    /// Whether a stop cut it short.
    stopped: bool,
    /// Steps of all runs.
    steps: u64,
}

/// Rows that are given to a thread at a time: so many that their steps are about [`STEPS_AT_A_TIME`].
const LARGEST_CHUNK: u64 = 256;
const STEPS_AT_A_TIME: u64 = 60_000;
/// Rows that are enough to go side by side: towards the end, threads take no more than their part of what is left, and no less
/// than this.
const SMALLEST_PART: u64 = 16;
/// Chunks that may wait for an earlier one.
const WINDOW: u64 = 64 * LARGEST_CHUNK;

/// What the threads know of each other.
struct Progress {
    /// The first row that nobody has.
    next: u64,
    /// Rows that were handed over in their order.
    done: u64,
    stop: bool,
    chunk: u64,
}

/// Rows that are looked at, to find one that can begin.
const BEGINNINGS: u64 = 64;

impl Plan {
    /// Makes rows and hands them over in their order, from this thread. Returns the first row that was not made.
    pub fn run(
        &self,
        motion: &Motion,
        rows: Range<u64>,
        threads: usize,
        hand_over: &mut dyn FnMut(Chunk) -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let progress = Mutex::new(Progress { next: rows.start, done: rows.start, stop: false, chunk: 2 });
        let moved = Condvar::new();
        let (sender, receiver) = mpsc::channel::<Chunk>();
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let (sender, progress, moved, rows) = (sender.clone(), &progress, &moved, &rows);
                scope.spawn(move || {
                    while let Some(rows) = claim(progress, moved, rows, threads as u64) {
                        let chunk = self.chunk(motion, rows);
                        let stopped = chunk.stopped;
                        let mut progress = lock(progress);
                        progress.chunk = (STEPS_AT_A_TIME * chunk.n_rows / chunk.steps.max(1)).clamp(2, LARGEST_CHUNK);
                        progress.stop |= stopped;
                        drop(progress);
                        moved.notify_all();
                        // Who no longer listens has a reason of its own.
                        if sender.send(chunk).is_err() || stopped {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting: BTreeMap<u64, Chunk> = BTreeMap::new();
            let mut next = rows.start;
            let mut trouble = None;
            for chunk in &receiver {
                waiting.insert(chunk.first, chunk);
                while let Some(chunk) = waiting.remove(&next) {
                    let after = next + chunk.n_rows;
                    if trouble.is_none() && chunk.n_rows > 0 {
                        trouble = hand_over(chunk).err();
                    }
                    let mut progress = lock(&progress);
                    if trouble.is_some() {
                        progress.stop = true;
                    } else {
                        next = after;
                    }
                    progress.done = next;
                    drop(progress);
                    moved.notify_all();
                    if trouble.is_some() {
                        break;
                    }
                }
            }
            match trouble {
                Some(trouble) => Err(trouble),
                None => Ok(next),
            }
        })
    }

    /// The motion with steps for as many runs at once as the processor has lanes, by the C compiler of the system; or why not.
    pub fn widened(&self, cx: &Budget, world: &dyn World, motion: &Motion) -> Result<Motion, String> {
        let mut values = vec![0.0; self.axes.n_axes()];
        // The first row that can begin: all have the same order.
        let mut beginnings = (0..self.axes.n_rows().min(BEGINNINGS)).map(|row| {
            self.axes.row(row, &mut values);
            self.setup.problem(&values, &self.template).map_err(|failed| failed.why)
        });
        let problem = match beginnings.next() {
            Some(Err(why)) => beginnings.find_map(Result::ok).ok_or(why)?,
            Some(Ok(problem)) => problem,
            None => return Err("there are no rows".to_string()),
        };
        if !pairs::goes_in_lanes(motion, &problem) {
            return Err("only ends of runs by `method taylor`, without events, are made so".to_string());
        }
        let jet = motion.jet(taylor::order(&problem), false).ok_or("the field has no series")?;
        let source = wide::source(jet.program()).map_err(|NotWide(what)| format!("{what} is not written in C"))?;
        let mut library = Err("it was not loaded".to_string());
        let mut load = |path: &std::path::Path| library = Library::open(path, jet.program());
        world.compile_c(cx, &source, &wide::FLAGS, &mut load).map_err(|trouble| trouble.reason)?;
        Ok(motion.with_library(library?))
    }

    /// Some rows, one after the other or side by side.
    fn chunk(&self, motion: &Motion, rows: Range<u64>) -> Chunk {
        let cx = &Budget::unlimited();
        let mut values = vec![0.0; self.axes.n_axes()];
        let mut prepared: Vec<(Vec<f64>, Result<usize, Failed>)> = vec![];
        let mut problems = vec![];
        for row in rows.clone() {
            self.axes.row(row, &mut values);
            let problem = self.setup.problem(&values, &self.template).map(|problem| {
                problems.push(problem);
                problems.len() - 1
            });
            prepared.push((values.clone(), problem));
        }
        let mut runs: Vec<Option<Result<Trajectory, BadProblem>>> =
            pairs::run_all(cx, motion, &problems).into_iter().map(Some).collect();
        let mut chunk =
            Chunk { first: rows.start, n_rows: 0, text: String::new(), failed: vec![], stopped: false, steps: 0 };
        for (row, (values, problem)) in rows.zip(prepared) {
            let mut word = "reached";
            let collected = match problem {
                Err(failed) => Err(failed),
                Ok(i) => match self.finish(runs[i].take(), &problems[i]) {
                    Err(Stopped) => {
                        chunk.stopped = true;
                        break;
                    }
                    Ok((reached, collected, steps)) => {
                        word = reached;
                        chunk.steps += steps;
                        collected
                    }
                },
            };
            let mut cells = vec![Cell::Count(row + 1)];
            cells.extend(values.iter().map(|x| Cell::Number(*x)));
            let n = self.collected.columns.kernel().outputs().len();
            match &collected {
                Ok(numbers) => cells.extend(numbers.iter().map(|x| Cell::Number(*x))),
                Err(failed) => {
                    word = failed.word;
                    cells.extend(std::iter::repeat_n(Cell::Number(f64::NAN), n));
                }
            }
            cells.push(Cell::Word(word));
            csv::push_line(&mut chunk.text, &cells);
            chunk.failed.extend(collected.err().map(|failed| (row, failed)));
            chunk.n_rows += 1;
        }
        chunk
    }

    /// What a run came to: how it ended, what is collected of it or why nothing is, and its steps.
    #[allow(clippy::type_complexity)]
    fn finish(
        &self,
        run: Option<Result<Trajectory, BadProblem>>,
        problem: &InitialValueProblem,
    ) -> Result<(&'static str, Result<Vec<f64>, Failed>, u64), Stopped> {
        let run = match run {
            Some(Ok(run)) => run,
            Some(Err(bad)) => {
                let word = match bad {
                    BadProblem::Start { .. } => "no_motion",
                    BadProblem::NotFinite { .. } | BadProblem::End => "not_finite",
                    _ => "bad_problem",
                };
                return Ok((word, Err(Failed { word, why: bad.to_string() }), 0));
            }
            None => return Err(Stopped),
        };
        let (word, steps) = (reason_label(&run.reason), run.statistics.steps);
        let stop = match &run.reason {
            StopReason::Interrupted => true,
            StopReason::Budget { what } => [Exhausted::Time, Exhausted::Memory].iter().any(|e| *what == e.to_string()),
            _ => false,
        };
        if stop {
            return Err(Stopped);
        }
        if let StopReason::Event { name } = &run.reason
            && self.ends.contains(name)
        {
            let why = format!("{name} at time {}", short(run.end));
            return Ok((word, Err(Failed { word: "constraint_ends", why }), steps));
        }
        if !run.reason.is_complete() {
            return Ok((word, Err(Failed { word, why: run.reason.to_string() }), steps));
        }
        Ok((word, self.collected.of(&run, problem), steps))
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The next rows for a thread; nothing when there are none left, or a stop was called.
fn claim(progress: &Mutex<Progress>, moved: &Condvar, rows: &Range<u64>, threads: u64) -> Option<Range<u64>> {
    let mut progress = lock(progress);
    while !progress.stop && progress.next < rows.end && progress.next >= progress.done + WINDOW {
        progress = moved.wait(progress).unwrap_or_else(|poisoned| poisoned.into_inner());
    }
    if progress.stop || progress.next >= rows.end {
        return None;
    }
    let first = progress.next;
    let part = ((rows.end - first) / (2 * threads.max(1))).max(SMALLEST_PART);
    progress.next = (first + progress.chunk.min(part)).min(rows.end);
    Some(first..progress.next)
}

impl Setup {
    /// The problem of a row, or why there is none.
    pub fn problem(&self, axes: &[f64], template: &InitialValueProblem) -> Result<InitialValueProblem, Failed> {
        let failed = |word, why: String| Failed { word, why };
        let mut varying = vec![0.0; self.kernel.kernel().outputs().len()];
        self.kernel
            .caller()
            .call([&[], &[], axes, &[]], &mut varying)
            .map_err(|failure| failed("not_finite", failure.to_string()))?;
        if let Some(fact) = self.assumed.iter().find(|fact| fact.is_contradicted(&varying)) {
            return Err(failed("contradiction", format!("the row contradicts what is assumed: {}", fact.text)));
        }
        let values = |list: &[Number]| list.iter().map(|n| n.value(&varying)).collect::<Vec<f64>>();
        let parameters = values(&self.parameters);
        let given = Start { time: self.start.value(&varying), state: values(&self.state), given: self.given.clone() };
        let mut state = given.state.clone();
        if let Some(sheet) = &self.sheet {
            let mut completed = given.clone();
            if let Some(Completion { kernel, states }) = &self.completion {
                let mut values = vec![0.0; states.len()];
                // Where it has no value, what was given has to do.
                if kernel.caller().call([&[], &[], axes, &[]], &mut values).is_ok() {
                    states.iter().zip(values).for_each(|(i, value)| completed.state[*i] = value);
                }
            }
            let leaf = sheet.at(&parameters);
            let settled = leaf.settle(&completed).or_else(|| leaf.settle(&given));
            state = settled.ok_or_else(|| {
                failed("off_constraint", "the initial state does not lie where this system moves".to_string())
            })?;
        }
        if let Some(matrix) = &self.matrix
            && matrix.is_singular(given.time, &state, &parameters)
        {
            let why = "the equations do not determine the highest derivatives at the initial state";
            return Err(failed("no_motion", why.to_string()));
        }
        Ok(InitialValueProblem {
            start: given.time,
            end: self.end.value(&varying),
            state,
            parameters,
            ..template.clone()
        })
    }
}

/// Looks into a step at so many places, for the extremum of a function along the motion.
const LOOKS: usize = 8;

impl Collected {
    /// The collected numbers of a run that was finished.
    pub fn of(&self, run: &Trajectory, problem: &InitialValueProblem) -> Result<Vec<f64>, Failed> {
        let n = problem.parameters.len();
        let mut parameters = problem.parameters.clone();
        parameters.resize(n + self.reductions.len(), 0.0);
        let no_value = |what: String| Failed { word: "not_real", why: what };
        for (i, (reduction, kernel)) in self.reductions.iter().enumerate() {
            let mut caller = kernel.caller();
            let mut out = [0.0];
            let mut failure = None;
            let mut value = |t: f64, state: &[f64]| match caller.call([&[t], state, &parameters, &[]], &mut out) {
                Ok(()) => out[0],
                Err(why) => {
                    failure.get_or_insert(why);
                    f64::NAN
                }
            };
            let found = match reduction {
                Reduction::First => value(problem.start, &problem.state),
                Reduction::Last => value(run.end, run.last()),
                Reduction::Max => greatest(run, problem, &mut value),
                Reduction::Min => -greatest(run, problem, &mut |t, state| -value(t, state)),
            };
            if let Some(failure) = failure {
                return Err(no_value(failure.to_string()));
            }
            parameters[n + i] = found;
        }
        let mut columns = vec![0.0; self.columns.kernel().outputs().len()];
        let banks: [&[f64]; 4] = [&[run.end], run.last(), &parameters, &[]];
        self.columns.caller().call(banks, &mut columns).map_err(|failure| no_value(failure.to_string()))?;
        Ok(columns)
    }
}

/// The greatest value of a function along a motion: of the recorded states, or, where the inside of the steps was kept, of
/// the motion itself. There every step is looked into at some places; around the best of them the parabola through three
/// neighbours leads to the top, and a golden section to the top of a kink.
fn greatest(run: &Trajectory, problem: &InitialValueProblem, f: &mut dyn FnMut(f64, &[f64]) -> f64) -> f64 {
    if run.segments().is_empty() {
        let rows = (0..run.len()).map(|i| f(run.times()[i], run.state(i)));
        return rows.fold(f64::NEG_INFINITY, f64::max);
    }
    let mut state = vec![0.0; problem.state.len()];
    let mut looks = vec![(problem.start, f(problem.start, &problem.state))];
    let mut best: Vec<(f64, usize)> = vec![];
    for segment in run.segments() {
        let end = segment.start + segment.step;
        let end = if (end - run.end) * segment.step.signum() > 0.0 { run.end } else { end };
        for k in 1..=LOOKS {
            let t = segment.start + (end - segment.start) * k as f64 / LOOKS as f64;
            segment.evaluate(t, &mut state);
            looks.push((t, f(t, &state)));
        }
    }
    looks.push((run.end, f(run.end, run.last())));
    let value = |i: usize| looks[i].1;
    for i in 0..looks.len() {
        let (low, high) = (i.saturating_sub(1), (i + 1).min(looks.len() - 1));
        if value(i) >= value(low) && value(i) >= value(high) {
            best.push((value(i) + rise(value(low), value(i), value(high)), i));
        }
    }
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut greatest = looks.iter().map(|look| look.1).fold(f64::NEG_INFINITY, f64::max);
    for (_, i) in best.into_iter().take(3) {
        let (low, high) = (looks[i.saturating_sub(1)].0, looks[(i + 1).min(looks.len() - 1)].0);
        let mut at = |t: f64| run.at(t).map_or(f64::NEG_INFINITY, |state| f(t, &state));
        greatest = greatest.max(top(low, high, &mut at));
    }
    greatest
}

/// How far the parabola through three equidistant values rises above the middle one.
fn rise(low: f64, middle: f64, high: f64) -> f64 {
    let (slope, bend) = ((high - low) / 2.0, low - 2.0 * middle + high);
    if bend < 0.0 { -slope * slope / (2.0 * bend) } else { 0.0 }
}

/// The greatest value between two places, by golden sections.
fn top(mut low: f64, mut high: f64, f: &mut dyn FnMut(f64) -> f64) -> f64 {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    let mut greatest = at_a.max(at_b);
    // Near a smooth top the values differ by rounding long before the places do.
    while (high - low).abs() > 1e-9 * (low.abs() + high.abs()) && a != b {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = f(b);
        }
        greatest = greatest.max(at_a).max(at_b);
    }
    greatest
}

/// What has to be kept of a run so that everything can be collected.
pub fn recording(reductions: impl IntoIterator<Item = Reduction>, every: Option<f64>) -> (Recording, bool) {
    let whole = reductions.into_iter().any(|r| matches!(r, Reduction::Max | Reduction::Min));
    match every {
        Some(every) if whole => (Recording::Every(every), false),
        _ => (Recording::Ends, whole),
    }
}
