//! Kinks and jumps of the vector field during a run.
//!
//! The methods see a smooth field ([`crate::codegen::modes`]): every case distinction is decided when a piece of the motion
//! begins and stands until the motion reaches the surface where it falls. That place is found like an event, the step ends
//! there, the decision changes, and the method starts anew. So no step ever crosses a kink, and the order of the method
//! is not lost at it.
//!
//! Decisions that fall at one place change together. A motion that only touches the surface keeps its decision. When the field on
//! either side leads back to the surface, there is no such continuation (the motion would have to slide along it, in the sense of
//! Filippov); the run ends there and says so.

use crate::codegen::compiled::{Caller, CompiledKernel};
use crate::codegen::interpret::{Failure, FailureKind};
use crate::codegen::modes::Switch;

use super::events::{self, Watched};
use super::problem::{InitialValueProblem, Motion};
use super::stepper::Stepper;

/// The decisions of a run.
pub struct Switchboard<'a> {
    switches: &'a [Switch],
    functions: Caller,
    field: Caller,
    parameters: &'a [f64],
    /// The bank `Extra` of the smooth field.
    numbers: Vec<f64>,
    values: Vec<f64>,
    state: Vec<f64>,
    /// The functions where the last step began and ended, positive while their decision stands; none after a decision fell.
    before: Option<[Vec<f64>; 2]>,
}

/// A decision that falls: its number, and for tables whether at the upper end of the piece.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fall {
    pub t: f64,
    switch: usize,
    upward: bool,
}

/// The compiled switching functions of a motion.
#[derive(Clone)]
pub struct SwitchingFunctions {
    pub functions: CompiledKernel,
    pub switches: Vec<Switch>,
    pub n_numbers: usize,
}

impl<'a> Switchboard<'a> {
    /// The board of a motion that has switches, with the decisions at the initial state.
    pub fn new(motion: &'a Motion, problem: &'a InitialValueProblem) -> Result<Option<Switchboard<'a>>, Failure> {
        let Some(switching) = &motion.switching else { return Ok(None) };
        let mut board = Switchboard {
            switches: &switching.switches,
            functions: switching.functions.caller(),
            field: motion.field.caller(),
            parameters: &problem.parameters,
            numbers: vec![1.0; switching.n_numbers],
            values: vec![0.0; switching.functions.kernel().outputs().len()],
            state: vec![0.0; motion.n_states()],
            before: None,
        };
        let forward = if problem.end >= problem.start { 1.0 } else { -1.0 };
        board.decide(problem.start, &problem.state, forward)?;
        Ok(Some(board))
    }

    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// All decisions at a state, one after the other, since later ones may depend on earlier ones.
    fn decide(&mut self, t: f64, state: &[f64], direction: f64) -> Result<(), Failure> {
        for i in 0..self.switches.len() {
            self.evaluate(t, state)?;
            match &self.switches[i] {
                Switch::Side { slot, function, .. } => {
                    let g = self.values[*function];
                    if g != 0.0 {
                        self.numbers[*slot] = g.signum();
                        continue;
                    }
                    // On the surface: the side to which the motion leads.
                    let (slot, function) = (*slot, *function);
                    for side in [1.0, -1.0] {
                        self.numbers[slot] = side;
                        if self.leads_to(t, state, direction, function).is_none_or(|g| g * side >= 0.0) {
                            break;
                        }
                    }
                }
                Switch::Piece { argument, .. } => {
                    let a = self.values[*argument];
                    self.enter_piece(i, a, direction > 0.0)?;
                }
            }
        }
        self.evaluate(t, state)
    }

    fn enter_piece(&mut self, i: usize, a: f64, upward: bool) -> Result<(), Failure> {
        let Switch::Piece { slot, table, expression, .. } = &self.switches[i] else { return Ok(()) };
        let piece = table.piece_beside(a, upward).or_else(|| {
            table.piece_beside(a, !upward).filter(|_| {
                let (first, last) = table.range();
                a > first && a < last
            })
        });
        let Some((left, c, right)) = piece else {
            return Err(Failure { kind: FailureKind::Range, expression: expression.clone(), argument: Some(a) });
        };
        self.numbers[*slot..slot + 6].copy_from_slice(&[left, c[0], c[1], c[2], c[3], right]);
        Ok(())
    }

    fn evaluate(&mut self, t: f64, state: &[f64]) -> Result<(), Failure> {
        self.functions.call([&[t], state, self.parameters, &self.numbers], &mut self.values)
    }

    /// A switching function a little later, under the present decisions; `None` when the field has no value.
    fn leads_to(&mut self, t: f64, state: &[f64], direction: f64, function: usize) -> Option<f64> {
        let mut slope = vec![0.0; state.len()];
        self.field.call([&[t], state, self.parameters, &self.numbers], &mut slope).ok()?;
        let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let little = direction * 1e-7 * (1.0 + size(state)) / (1.0 + size(&slope));
        let later: Vec<f64> = state.iter().zip(&slope).map(|(y, f)| y + little * f).collect();
        let mut values = vec![0.0; self.values.len()];
        self.functions.call([&[t + little], &later, self.parameters, &self.numbers], &mut values).ok()?;
        Some(values[function])
    }

    /// The first decision that falls inside the last step.
    pub fn look(&mut self, stepper: &mut impl Stepper) -> Result<Option<Fall>, Failure> {
        let (start, end) = (stepper.previous_time(), stepper.time());
        let orientation: Vec<f64> = self.orientation();
        let earlier = self.before.take();
        let before = |i: usize| earlier.as_ref().map(|ends| ends[0][i]);
        let watched: Vec<Watched> =
            (0..orientation.len()).map(|i| Watched { before: before(i), leaps: true, ..Watched::default() }).collect();
        let mut state = std::mem::take(&mut self.state);
        let mut ends = [vec![], vec![]];
        let mut oriented = |theta: f64, out: &mut [f64]| {
            let t = start + theta * (end - start);
            // Steps agree on the place where they meet, whatever the rounding errors of dense output.
            if let (0.0, Some([_, last])) = (theta, &earlier) {
                out.copy_from_slice(last);
                ends[0] = out.to_vec();
                return Ok(());
            }
            if theta == 1.0 {
                state.copy_from_slice(stepper.state());
            } else {
                stepper.interpolate(t, &mut state);
            }
            self.evaluate(t, &state)?;
            out.iter_mut().zip(&self.values).zip(&orientation).for_each(|((o, g), s)| *o = s * g);
            match theta {
                0.0 => ends[0] = out.to_vec(),
                1.0 => ends[1] = out.to_vec(),
                _ => {}
            }
            Ok::<(), Failure>(())
        };
        let found = if events::is_tiny(start, end) {
            let mut line = [vec![0.0; orientation.len()], vec![0.0; orientation.len()]];
            oriented(0.0, &mut line[0]).and_then(|()| oriented(1.0, &mut line[1])).and_then(|()| {
                events::zeros(&watched, |theta, out| {
                    out.iter_mut().enumerate().for_each(|(i, o)| *o = line[0][i] + theta * (line[1][i] - line[0][i]));
                    Ok(())
                })
            })
        } else {
            events::zeros(&watched, oriented)
        };
        self.state = state;
        self.before = Some(ends).filter(|ends| ends.iter().all(|end| end.len() == orientation.len()));
        // Functions are positive while their decision stands.
        let fall = found?.into_iter().find(|c| !c.rising && !c.grazing && orientation[c.event] != 0.0);
        Ok(fall.map(|c| {
            let switch = self.switches.iter().position(|s| match s {
                Switch::Side { function, .. } => *function == c.event,
                Switch::Piece { function, .. } => *function == c.event || function + 1 == c.event,
            });
            let switch = switch.unwrap_or(0);
            let upward = matches!(&self.switches[switch], Switch::Piece { function, .. } if function + 1 == c.event);
            Fall { t: start + c.theta * (end - start), switch, upward }
        }))
    }

    /// The factor that makes every switching function positive while its decision stands; 0 where it says nothing.
    fn orientation(&self) -> Vec<f64> {
        let mut factors = vec![0.0; self.values.len()];
        for switch in self.switches {
            match switch {
                Switch::Side { slot, function, .. } => factors[*function] = self.numbers[*slot],
                Switch::Piece { function, .. } => (factors[*function], factors[function + 1]) = (1.0, 1.0),
            }
        }
        factors
    }

    /// Changes a decision at the place where it falls, and with it those that fall at the same place: `abs(x)` and `max(x, 0)` do.
    pub fn flip(&mut self, fall: Fall, state: &[f64], direction: f64) -> Result<(), Failure> {
        let (t, i) = (fall.t, fall.switch);
        self.before = None;
        let mut turned = vec![];
        match &self.switches[i] {
            Switch::Side { slot, .. } => {
                self.numbers[*slot] = -self.numbers[*slot];
                turned.push(i);
            }
            Switch::Piece { slot, .. } => {
                // The end itself, since the argument is there only up to rounding.
                let end = if fall.upward { self.numbers[slot + 5] } else { self.numbers[*slot] };
                self.enter_piece(i, end, fall.upward)?;
            }
        }
        self.evaluate(t, state)?;
        // A little beyond already, by rounding or by the dense output that found the place: then nothing falls behind it.
        let falls = |g: f64, later: f64| later < 0.0 && g <= BESIDE * (later - g).abs();
        for j in (0..self.switches.len()).filter(|j| *j != i) {
            match &self.switches[j] {
                Switch::Side { slot, function, .. } => {
                    let (slot, function) = (*slot, *function);
                    let side = self.numbers[slot];
                    let g = side * self.values[function];
                    if self.leads_to(t, state, direction, function).is_some_and(|later| falls(g, side * later)) {
                        self.numbers[slot] = -side;
                        turned.push(j);
                    }
                }
                Switch::Piece { slot, function, .. } => {
                    let (slot, function) = (*slot, *function);
                    for (which, upward) in [(function, false), (function + 1, true)] {
                        let g = self.values[which];
                        if self.leads_to(t, state, direction, which).is_some_and(|later| falls(g, later)) {
                            let end = if upward { self.numbers[slot + 5] } else { self.numbers[slot] };
                            self.enter_piece(j, end, upward)?;
                            break;
                        }
                    }
                }
            }
            self.evaluate(t, state)?;
        }
        for j in turned {
            let Switch::Side { slot, function, expression } = &self.switches[j] else { continue };
            let (slot, function, expression) = (*slot, *function, expression.clone());
            let side = self.numbers[slot];
            if self.leads_to(t, state, direction, function).is_none_or(|g| g * side >= 0.0) {
                continue;
            }
            // A surface that was only touched: the motion stays on the side from which it came.
            self.numbers[slot] = -side;
            if self.leads_to(t, state, direction, function).is_some_and(|g| g * side > 0.0) {
                self.numbers[slot] = side;
                return Err(Failure { kind: FailureKind::Sliding, expression, argument: None });
            }
        }
        Ok(())
    }
}

/// What counts as being on a surface: this part of the way that is looked ahead.
const BESIDE: f64 = 1e-3;

/// The decisions of functions other than the field, as those of a Lagrangian, at one state after the other.
pub struct Sides {
    switches: Vec<Switch>,
    functions: Caller,
    numbers: Vec<f64>,
    values: Vec<f64>,
}

impl Sides {
    pub fn new(switching: &SwitchingFunctions) -> Sides {
        Sides {
            switches: switching.switches.clone(),
            functions: switching.functions.caller(),
            numbers: vec![1.0; switching.n_numbers],
            values: vec![0.0; switching.functions.kernel().outputs().len()],
        }
    }

    /// As they are at a state; without effect where a function has no value.
    pub fn decide(&mut self, t: f64, state: &[f64], parameters: &[f64]) -> &[f64] {
        for switch in &self.switches {
            if self.functions.call([&[t], state, parameters, &self.numbers], &mut self.values).is_err() {
                break;
            }
            match switch {
                Switch::Side { slot, function, .. } => {
                    let g = self.values[*function];
                    if g != 0.0 {
                        self.numbers[*slot] = g.signum();
                    }
                }
                Switch::Piece { slot, argument, table, .. } => {
                    let a = self.values[*argument];
                    if let Some((left, c, right)) = table.piece_beside(a, true).or_else(|| table.piece_beside(a, false))
                    {
                        self.numbers[*slot..slot + 6].copy_from_slice(&[left, c[0], c[1], c[2], c[3], right]);
                    }
                }
            }
        }
        &self.numbers
    }
}
