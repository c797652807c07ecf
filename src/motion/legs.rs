//! Runs in a chart that ends, and that go on behind its end.
//!
//! Positions and constraint momenta are coordinates where the dependent velocities are functions of the others. Before a motion comes to where
//! they are not, it goes on by multipliers, with positions and velocities, which need no such choice, and takes its momenta up again when they
//! are good coordinates. Each of these parts is a leg. The rows of the run have its own states and columns all the way; what is asked
//! between two rows is computed by the leg that made them.

use super::run::Run;
use crate::algebra::Inquiry;
use crate::integrate::control::StopReason;
use crate::integrate::problem::{InitialValueProblem, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use std::rc::Rc;

/// One part of a run.
#[derive(Clone)]
pub struct Leg {
    /// In states of its own.
    pub trajectory: Trajectory,
    pub motion: Rc<Motion>,
    pub problem: InitialValueProblem,
    /// Where the states of the run are found; `None`: they are its own.
    pub places: Option<Rc<Vec<Place>>>,
    /// So many columns come first that belong to the run.
    pub n_columns: usize,
}

/// Where a state of the run is found in a leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    State(usize),
    Column(usize),
}

impl Leg {
    /// A state of the leg, with its columns, as the run has them.
    pub fn as_of_run(&self, state: &[f64], columns: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let own = columns[..self.n_columns.min(columns.len())].to_vec();
        let find = |place: &Place| match place {
            Place::State(i) => state[*i],
            Place::Column(i) => columns[*i],
        };
        match &self.places {
            None => (state.to_vec(), own),
            Some(places) => (places.iter().map(find).collect(), own),
        }
    }

    /// Whether it was under way at a time.
    fn covers(&self, t: f64) -> bool {
        let (start, end) = (self.problem.start, self.trajectory.end);
        start.min(end) <= t && t <= start.max(end)
    }

    /// The state and the columns of the run at a time of the leg.
    fn at(&self, cx: &Inquiry, t: f64) -> Result<(Vec<f64>, Vec<f64>), String> {
        let row = self.trajectory.row_before(t).ok_or("there is no row before it")?;
        let (from, state) = (self.trajectory.times()[row], self.trajectory.state(row));
        if from == t {
            return Ok(self.as_of_run(state, self.trajectory.recorded(row)));
        }
        let problem = InitialValueProblem {
            start: from,
            state: state.to_vec(),
            end: t,
            recording: Recording::Ends,
            dense: false,
            ..self.problem.clone()
        };
        let found = crate::integrate::run(cx, &self.motion.unobserved(), &problem).map_err(|bad| bad.to_string())?;
        if found.reason != StopReason::Reached {
            return Err(found.reason.to_string());
        }
        let recorded = self.motion.recorded(t, found.last(), &self.problem.parameters);
        Ok(self.as_of_run(found.last(), &recorded.map_err(|failure| failure.to_string())?))
    }
}

impl Run {
    /// State and columns at a time of a run of several legs.
    pub(super) fn on_its_leg(&self, cx: &Inquiry, t: f64) -> Option<Result<(Vec<f64>, Vec<f64>), String>> {
        self.legs.iter().find(|leg| leg.covers(t)).map(|leg| leg.at(cx, t))
    }

    /// The times at which it changed its chart.
    pub fn switched(&self) -> Vec<f64> {
        self.legs.iter().skip(1).map(|leg| leg.problem.start).collect()
    }
}
