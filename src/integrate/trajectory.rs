//! What a run leaves behind: states with times, recorded columns, events, how they were made, and why they stopped.

use std::time::Duration;

use crate::codegen::compiled::Backend;

use super::control::StopReason;
use super::method::Method;
use super::stepper::{Segment, Statistics};
use super::surface::Projection;

/// States with times, how they were made, why they stopped. Nothing in it is NaN.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    states: Vec<String>,
    columns: Vec<String>,
    times: Vec<f64>,
    /// Row by row: the states, then the recorded columns.
    rows: Vec<f64>,
    pub events: Vec<EventPoint>,
    segments: Vec<Segment>,
    /// Where the run stopped.
    pub end: f64,
    last: Vec<f64>,
    pub reason: StopReason,
    pub method: Method,
    /// Why this method, when it was chosen for the user.
    pub choice: Option<String>,
    pub backend: Backend,
    /// What it took to keep the motion on its set, when that is not every state.
    pub projection: Option<Projection>,
    pub statistics: Statistics,
    pub run_time: Duration,
    pub compile_time: Duration,
}

/// A zero of a watched function.
#[derive(Clone, PartialEq, Debug)]
pub struct EventPoint {
    pub name: String,
    pub t: f64,
    pub state: Vec<f64>,
    pub rising: bool,
    /// Touched, not crossed.
    pub grazing: bool,
}

/// One column of a trajectory.
#[derive(Clone, Copy)]
pub struct Series<'a> {
    trajectory: &'a Trajectory,
    column: Column,
}

#[derive(Clone, Copy)]
enum Column {
    Time,
    Entry(usize),
}

impl Trajectory {
    pub(super) fn new(states: Vec<String>, columns: Vec<String>, method: Method, backend: Backend) -> Trajectory {
        Trajectory {
            states,
            columns,
            times: Vec::new(),
            rows: Vec::new(),
            events: Vec::new(),
            segments: Vec::new(),
            end: 0.0,
            last: Vec::new(),
            reason: StopReason::Reached,
            method,
            choice: None,
            backend,
            projection: None,
            statistics: Statistics::default(),
            run_time: Duration::ZERO,
            compile_time: Duration::ZERO,
        }
    }

    pub(super) fn push(&mut self, t: f64, state: &[f64], columns: &[f64]) {
        self.times.push(t);
        self.rows.extend_from_slice(state);
        self.rows.extend_from_slice(columns);
    }

    pub(super) fn push_segment(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    pub(super) fn finish(&mut self, t: f64, state: &[f64], reason: StopReason) {
        self.end = t;
        self.last = state.to_vec();
        self.reason = reason;
    }

    /// The states at the events, as rows of a trajectory of their own, with the columns that `recorded` gives; `None` where it
    /// gives none.
    pub fn at_events(
        &self,
        columns: &[String],
        recorded: impl Fn(f64, &[f64]) -> Option<Vec<f64>>,
    ) -> Option<Trajectory> {
        let mut rows = Trajectory {
            statistics: self.statistics,
            choice: self.choice.clone(),
            projection: self.projection.clone(),
            run_time: self.run_time,
            compile_time: self.compile_time,
            ..Trajectory::new(self.states.clone(), columns.to_vec(), self.method, self.backend)
        };
        for event in &self.events {
            rows.push(event.t, &event.state, &recorded(event.t, &event.state)?);
            rows.finish(event.t, &event.state, self.reason.clone());
        }
        rows.events = self.events.clone();
        Some(rows)
    }

    /// Goes on with another run, from where this one stopped. Its rows, as `convert` writes them, follow; the first of them is the last of ours, of
    /// which one is kept if a row was asked for there. Events of this name are none.
    pub fn go_on(
        &mut self,
        next: &Trajectory,
        is_row: bool,
        unnamed: &str,
        convert: impl Fn(&[f64], &[f64]) -> (Vec<f64>, Vec<f64>),
    ) {
        if !is_row && self.times.last() == next.times.first() {
            self.times.pop();
            self.rows.truncate(self.times.len() * self.width());
        }
        for row in 1..next.len() {
            let (state, columns) = convert(next.state(row), next.recorded(row));
            self.push(next.times[row], &state, &columns);
        }
        let is_last = |row: &usize| next.times[*row] == next.end;
        let row = (0..next.len()).rev().find(is_last).unwrap_or_else(|| next.len().saturating_sub(1));
        if let (false, true) = (next.is_empty(), next.times.get(row) == Some(&next.end)) {
            self.last = convert(next.state(row), next.recorded(row)).0;
        }
        (self.end, self.reason) = (next.end, next.reason.clone());
        self.method = next.method;
        self.statistics = next.statistics.after(self.statistics);
        self.run_time += next.run_time;
        self.events.retain(|event| event.name != unnamed);
        for event in next.events.iter().filter(|event| event.name != unnamed) {
            // The run stops at it, so that it is the last row.
            self.events.push(EventPoint { state: self.last.clone(), ..event.clone() });
        }
        if let (Some(kept), Some(other)) = (&mut self.projection, &next.projection) {
            kept.join(other);
        }
    }

    /// The same run with other rows: times, states, columns.
    pub fn with_rows(&self, rows: Vec<(f64, Vec<f64>, Vec<f64>)>) -> Trajectory {
        let empty = Trajectory { times: vec![], rows: vec![], segments: vec![], ..self.clone() };
        rows.into_iter().fold(empty, |mut all, (t, state, columns)| {
            all.push(t, &state, &columns);
            all
        })
    }

    /// Doubles in memory.
    pub(super) fn n_numbers(&self) -> usize {
        let dense = self.segments.first().map_or(0, |s| s.coefficients.len() + 8) * self.segments.len();
        let events = self.events.first().map_or(0, |e| e.state.len() + 8) * self.events.len();
        self.times.len() + self.rows.len() + dense + events
    }

    /// The number of recorded rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    pub fn state_names(&self) -> &[String] {
        &self.states
    }

    pub fn column_names(&self) -> &[String] {
        &self.columns
    }

    pub fn times(&self) -> &[f64] {
        &self.times
    }

    fn width(&self) -> usize {
        self.states.len() + self.columns.len()
    }

    /// The state of a row.
    pub fn state(&self, row: usize) -> &[f64] {
        &self.rows[row * self.width()..row * self.width() + self.states.len()]
    }

    /// The recorded expressions of a row.
    pub fn recorded(&self, row: usize) -> &[f64] {
        &self.rows[row * self.width() + self.states.len()..(row + 1) * self.width()]
    }

    /// The state where the run stopped.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// The column of a state, a recorded expression, or `t`.
    pub fn series(&self, name: &str) -> Option<Series<'_>> {
        let entry = self.columns.iter().position(|c| c == name).map(|i| i + self.states.len());
        let entry = entry.or_else(|| self.states.iter().position(|c| c == name));
        let column = match entry {
            Some(i) => Column::Entry(i),
            None if name == "t" => Column::Time,
            None => return None,
        };
        Some(Series { trajectory: self, column })
    }

    /// The state at any time of the run; `None` outside it, or when interpolants were not kept.
    pub fn at(&self, t: f64) -> Option<Vec<f64>> {
        let forward = self.segments.first()?.step > 0.0;
        let (low, high) = (self.segments[0].start.min(self.end), self.segments[0].start.max(self.end));
        if !(t >= low && t <= high) {
            return None;
        }
        let i = self.segments.partition_point(|s| if forward { s.start <= t } else { s.start >= t });
        let mut out = vec![0.0; self.states.len()];
        self.segments[i.max(1) - 1].evaluate(t, &mut out);
        Some(out)
    }

    /// The polynomials of the steps, if they were kept.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The recorded row at or just before a time, in the order of the run.
    pub fn row_before(&self, t: f64) -> Option<usize> {
        let forward = self.end >= *self.times.first()?;
        let after = self.times.partition_point(|x| if forward { *x <= t } else { *x >= t });
        after.checked_sub(1)
    }
}

impl Series<'_> {
    pub fn get(&self, row: usize) -> f64 {
        match self.column {
            Column::Time => self.trajectory.times[row],
            Column::Entry(i) => self.trajectory.rows[row * self.trajectory.width() + i],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.trajectory.len()).map(|row| self.get(row))
    }

    pub fn first(&self) -> f64 {
        self.get(0)
    }

    pub fn last(&self) -> f64 {
        self.get(self.trajectory.len() - 1)
    }

    pub fn max(&self) -> f64 {
        self.iter().fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn min(&self) -> f64 {
        self.iter().fold(f64::INFINITY, f64::min)
    }
}
