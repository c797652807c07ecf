//! Poincaré sections: the states in which a motion crosses a surface g(t, x) = 0.
//!
//! The motion runs again, with its method and tolerance, and g is watched: zeros are isolated inside each step and polished on
//! the interpolant of the method ([`events`](crate::integrate::events)), so a crossing is as exact as the run and does not
//! depend on what was recorded. A surface that is touched and not crossed has no crossing there. The crossings are a run
//! again, with the same columns, that has rows at the crossings only.

use super::run::Run;
use crate::algebra::{Expr, Function, Inquiry};
use crate::codegen::lower::expressions;
use crate::codegen::table::Table;
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::integrate::control::StopReason;
use crate::integrate::problem::{Event, InitialValueProblem, Recording};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

impl Run {
    /// The crossings of a surface, and the states there.
    pub fn crossings(
        self: &Rc<Run>,
        cx: &Inquiry,
        value: Expr,
        event: Event,
        tables: &FxHashMap<Function, Arc<Table>>,
    ) -> Fallible<Run> {
        let signature = self.signature(tables);
        let name = event.name.clone();
        let kernel = expressions("section", &signature, &[(name.clone(), value)]).map_err(|_| {
            Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("`{name}` is not decided by the state of the run"))
                    .note(format!("its states are {}", self.trajectory.state_names().join(", "))),
            )
        })?;
        let motion = self.motion.watching(kernel, vec![event]);
        let problem = InitialValueProblem {
            end: self.trajectory.end,
            recording: Recording::Ends,
            dense: false,
            ..self.problem.clone()
        };
        let mut again = crate::integrate::run(cx, &motion, &problem)
            .map_err(|bad| Box::new(Diagnostic::error(&codes::NO_MOTION, bad.to_string())))?;
        if !again.reason.is_complete() && again.reason != self.trajectory.reason {
            if again.reason == StopReason::Interrupted {
                crate::budget::clear_interrupt();
            }
            let refused = Diagnostic::error(&codes::RUN_STOPPED, "the run was not followed to its end")
                .note(again.reason.to_string());
            return Err(Box::new(match self.legs.is_empty() {
                true => refused,
                false => refused.help("it changed its chart: take a run of the system itself, without `hamilton`"),
            }));
        }
        again.events.retain(|e| !e.grazing);
        let Some(first) = again.events.first().cloned() else {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, format!("the run does not cross `{name}`"))
                    .note("a surface that is only touched has no crossing")
                    .help("let the run be longer, or take `rising`, `falling` or neither"),
            ));
        };
        let parameters: Vec<f64> = self.parameters.iter().map(|(_, x)| *x).collect();
        let recorded = |t: f64, state: &[f64]| self.motion.recorded(t, state, &parameters).ok();
        let trajectory = again.at_events(self.trajectory.column_names(), recorded).ok_or_else(|| {
            Box::new(Diagnostic::error(&codes::NOT_REAL, "a recorded column has no value at a crossing"))
        })?;
        let recording = Recording::At(trajectory.times().to_vec());
        let problem = InitialValueProblem { start: first.t, state: first.state, recording, ..self.problem.clone() };
        let system = format!("{} where {name}", self.system);
        Ok(Run { system, trajectory, problem, ..(**self).clone() })
    }
}
