//! Motions that live on a submanifold, and stay on it.
//!
//! The field of a constrained system is tangent to its constraint at the points of that set, the field of a singular one to
//! its final constraint submanifold (Krupková §7), and nowhere else. A numerical motion leaves the set by the error of every
//! step, and beside it the field may lead further away. So the state after every step is moved to the nearest one on the
//! set, level by level,
//!
//! ```text
//! x ← x − Jᵀ (J Jᵀ)⁻¹ g(x),      J = ∂g/∂x,
//! ```
//!
//! with the equations g of a level and the values x that it determines. A constraint of order r on a system of order s has the
//! levels f = 0, df/dt = 0, …, and the level of order k moves the derivatives of order k alone, since J is there ∂f/∂q_r,
//! whatever k is; the lower ones have been moved before. On a final constraint submanifold there is one level, which moves
//! everything. Projection does not lower the order of a method (Hairer, Lubich and Wanner, *Geometric Numerical Integration*,
//! §IV.4; level by level: Ascher and Petzold, *Computer Methods for ODEs and DAEs*, §10.2).
//!
//! All levels are one kernel, which gives the moved state and the residuals it found. An error of a step is small, so that one
//! call ends at rounding; a larger one is repeated. A state that cannot be brought back, or only by a change that is no error
//! of a step, ends the run with the equation that fails, and so does a place where the equations lose rank.
//!
//! Positions may also pass a place where the differentials of their constraints are dependent for a moment, as a mechanism does whose
//! bars lie in one line. The motion before it is an analytic curve, which goes on behind it, and steps over it as long as none ends
//! there: [`rank_watch`](super::rank_watch) sees to that, and notes the time.

use crate::codegen::compiled::{Caller, CompiledKernel};
use crate::codegen::interpret::{self, FailureKind};
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Shape, Value};

use super::control::StopReason;
use super::problem::InitialValueProblem;
use super::rank_watch::{self, RankWatch};
use super::stepper::Stepper;

/// Equations of one level: outputs are the equations, named by their text, then their slopes in the states of `columns`, row
/// by row.
#[derive(Clone)]
pub struct Level {
    pub kernel: Kernel,
    /// The states that are moved.
    pub columns: Vec<usize>,
    /// They are positions, and the equations holonomic constraints.
    pub is_of_positions: bool,
}

impl Level {
    pub fn n_equations(&self) -> usize {
        self.kernel.outputs().len() / (1 + self.columns.len())
    }

    /// The smallest pivot of J Jᵀ: 0 where the equations are not independent.
    fn independence(&self, t: f64, state: &[f64], parameters: &[f64]) -> f64 {
        let (k, width) = (self.n_equations(), self.columns.len());
        let mut out = vec![f64::NAN; self.kernel.outputs().len()];
        // What has no value stays NaN.
        let _ = interpret::evaluate(&self.kernel, [&[t], state, parameters, &[]], &mut out);
        let row = |i: usize| &out[k + i * width..k + (i + 1) * width];
        let gram = (0..k * k).map(|e| row(e / k).iter().zip(row(e % k)).map(|(a, b)| a * b).sum()).collect();
        let (pivots, _) = rank_watch::pivots(gram, k);
        pivots.last().copied().filter(|least| *least > 0.0).unwrap_or(0.0)
    }
}

/// The set on which a motion stays: its projection, compiled.
#[derive(Clone)]
pub struct Surface {
    /// See [`projection_kernel`].
    pub kernel: CompiledKernel,
    pub levels: Vec<Level>,
}

impl Surface {
    /// Texts of the equations.
    pub fn equations(&self) -> Vec<String> {
        let of = |level: &Level| level.kernel.outputs()[..level.n_equations()].to_vec();
        self.levels.iter().flat_map(of).map(|output| output.name).collect()
    }

    /// The equations of a level that are not independent at the end of a run, while they were at its start.
    pub fn lost_rank(&self, parameters: &[f64], start: (f64, &[f64]), end: (f64, &[f64])) -> Option<String> {
        let lost = |level: &&Level| {
            let [before, after] = [start, end].map(|(t, state)| level.independence(t, state, parameters));
            !(after > LOST * before)
        };
        let level = self.levels.iter().find(lost)?;
        let names = level.kernel.outputs()[..level.n_equations()].iter().map(|o| o.name.as_str());
        Some(names.collect::<Vec<_>>().join(", "))
    }
}

/// What keeping a motion on its set has cost.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Projection {
    /// Texts of the equations, level by level.
    pub equations: Vec<String>,
    /// The largest residual of each that a step left behind, before the projection.
    pub drift: Vec<f64>,
    /// The largest residual of each at a recorded state.
    pub residuals: Vec<f64>,
    /// How many steps were followed by a projection that moved the state.
    pub count: u64,
    /// The longest way by which a state was moved, and the sum of all of them.
    pub largest: f64,
    pub total: f64,
    /// When the motion passed places where the constraints lose rank for a moment.
    pub passed: Vec<f64>,
}

impl Projection {
    /// What a run cost that went on with another motion on the same set: the larger of each equation that both have.
    pub fn join(&mut self, other: &Projection) {
        for (i, equation) in self.equations.iter().enumerate() {
            let Some(j) = other.equations.iter().position(|e| e == equation) else { continue };
            self.drift[i] = self.drift[i].max(other.drift[j]);
            self.residuals[i] = self.residuals[i].max(other.residuals[j]);
        }
        self.count += other.count;
        self.largest = self.largest.max(other.largest);
        self.total += other.total;
        self.passed.extend(&other.passed);
    }
}

/// Keeps a run on its surface.
pub struct SurfaceWatch<'a> {
    caller: Caller,
    parameters: &'a [f64],
    n: usize,
    out: Vec<f64>,
    state: Vec<f64>,
    /// The largest value of each state so far: what rounding is measured by.
    sizes: Vec<f64>,
    rank: Option<RankWatch>,
    /// The last step went over a place where the constraints lose rank.
    jumped: bool,
    /// A larger way back after that is no error of a step.
    largest_after_jump: f64,
    pub report: Projection,
}

/// Newton steps after which a state counts as lost.
const ATTEMPTS: usize = 8;

/// A larger change of a state, relative to 1 + |y|, is no error of a step.
const LARGEST_CHANGE: f64 = 1e-2;

/// The square of a smaller change is below rounding, and so is what one Newton step leaves.
const SMALL_CHANGE: f64 = 1e-8;

/// So many times the tolerance a step may be off that went over a place where the constraints lose rank.
const JUMP_ERROR: f64 = 1e4;

/// Equations may repeat each other; this fraction of the trace on the diagonal decides between them.
const RIDGE: f64 = 1e-13;

/// A pivot that has become smaller than this fraction of its value at the start of a run is lost.
const LOST: f64 = 1e-10;

/// The projection onto all levels, one after the other, of a motion with n states. Outputs are the moved state, the residuals
/// before, and the differentials of the constraints whose rank is watched.
pub fn projection_kernel(levels: &[Level], n: usize) -> Kernel {
    let mut b = KernelBuilder::new("projection");
    let mut y: Vec<Value> = (0..n).map(|i| b.input_at(&format!("y{i}"), Bank::State, i as u32)).collect();
    let (mut residuals, mut watched) = (vec![], vec![]);
    for level in levels {
        let values = b.inline(&level.kernel, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::State => y[input.slot as usize],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        let k = level.n_equations();
        let (g, slopes) = values.split_at(k);
        let width = level.columns.len();
        let row = |i: usize| &slopes[i * width..(i + 1) * width];
        if rank_watch::is_watched(level) {
            watched = slopes.to_vec();
        }
        let mut gram = vec![];
        for i in 0..k {
            for j in 0..k {
                gram.push(product(&mut b, row(i), row(j)));
            }
        }
        if k > 1 {
            let mut trace = gram[0];
            for i in 1..k {
                trace = b.add(trace, gram[i * k + i]);
            }
            let ridge = b.constant(RIDGE);
            let ridge = b.mul(ridge, trace);
            for i in 0..k {
                gram[i * k + i] = b.add(gram[i * k + i], ridge);
            }
        }
        let lambda = match k {
            1 => vec![b.div(g[0], gram[0])],
            _ => b.solve(Shape::Symmetric, gram, g.to_vec()),
        };
        for (j, column) in level.columns.iter().enumerate() {
            let slope: Vec<Value> = (0..k).map(|i| row(i)[j]).collect();
            let change = product(&mut b, &slope, &lambda);
            y[*column] = b.sub(y[*column], change);
        }
        residuals.extend_from_slice(g);
    }
    for (i, value) in y.into_iter().enumerate() {
        b.output(format!("y{i}"), value);
    }
    for (i, value) in residuals.into_iter().chain(watched).enumerate() {
        b.output(format!("g{i}"), value);
    }
    b.finish()
}

/// Σ xᵢ yᵢ, without the terms that are 0 by themselves.
fn product(b: &mut KernelBuilder, x: &[Value], y: &[Value]) -> Value {
    let mut sum = None;
    for (&x, &y) in x.iter().zip(y) {
        if b.as_constant(x) == Some(0.0) || b.as_constant(y) == Some(0.0) {
            continue;
        }
        let term = b.mul(x, y);
        sum = Some(sum.map_or(term, |sum| b.add(sum, term)));
    }
    sum.unwrap_or_else(|| b.constant(0.0))
}

impl<'a> SurfaceWatch<'a> {
    pub fn new(surface: &Surface, problem: &'a InitialValueProblem) -> SurfaceWatch<'a> {
        let equations = surface.equations();
        let k = equations.len();
        let mut watch = SurfaceWatch {
            caller: surface.kernel.caller(),
            parameters: &problem.parameters,
            n: problem.state.len(),
            out: vec![0.0; surface.kernel.kernel().outputs().len()],
            state: problem.state.clone(),
            sizes: problem.state.iter().map(|x| x.abs()).collect(),
            rank: surface.levels.iter().find(|level| rank_watch::is_watched(level)).map(RankWatch::new),
            jumped: false,
            largest_after_jump: JUMP_ERROR * problem.tolerance.relative.max(problem.tolerance.absolute),
            report: Projection { equations, drift: vec![0.0; k], residuals: vec![0.0; k], ..Projection::default() },
        };
        if watch.rank.is_some() && watch.evaluate(problem.start).is_ok() {
            let slopes = &watch.out[watch.n + k..];
            if let Some(rank) = &mut watch.rank {
                rank.look(problem.start, slopes);
            }
        }
        watch
    }

    /// Where a step that ended close to a place at which the constraints lose rank should end instead.
    pub fn beyond(&mut self, t: f64, state: &[f64]) -> Option<f64> {
        self.rank.as_ref().filter(|rank| rank.is_full())?;
        self.state.copy_from_slice(state);
        let known = self.evaluate(t).is_ok();
        let slopes = &self.out[self.n + self.report.equations.len()..];
        let target = self.rank.as_ref().and_then(|rank| rank.beyond(t, slopes)).filter(|_| known);
        self.jumped = target.is_some();
        target
    }

    /// Brings the state after a step back.
    pub fn look(&mut self, stepper: &mut impl Stepper) -> Result<(), StopReason> {
        let t = stepper.time();
        self.state.copy_from_slice(stepper.state());
        for (size, x) in self.sizes.iter_mut().zip(&self.state) {
            *size = size.max(x.abs());
        }
        let moved = self.project(t, true)?;
        if let Some(rank) = &mut self.rank {
            let slopes = &self.out[self.n + self.report.equations.len()..];
            if !rank.look(t, slopes) {
                return Err(StopReason::LostRank { equations: self.report.equations.join(", ") });
            }
            if let Some((place, sigma)) = rank.passed() {
                self.confirm(stepper, place, sigma);
            }
        }
        if !moved || stepper.ends_on_constraints() {
            return Ok(());
        }
        let square = |(new, old): (&f64, &f64)| (new - old) * (new - old);
        let way = self.state.iter().zip(stepper.state()).map(square).sum::<f64>().sqrt();
        if std::mem::take(&mut self.jumped) && !(way <= self.largest_after_jump) {
            return Err(StopReason::LostRank { equations: self.report.equations.join(", ") });
        }
        self.report.count += 1;
        self.report.largest = self.report.largest.max(way);
        self.report.total += way;
        stepper.replace(&self.state);
        Ok(())
    }

    /// Notes a passage if the constraints are nearly dependent there, as a look inside the step shows.
    fn confirm(&mut self, stepper: &mut impl Stepper, place: f64, sigma: f64) {
        let kept = (self.state.clone(), self.out.clone());
        stepper.interpolate(place, &mut self.state);
        let known = self.evaluate(place).is_ok();
        let slopes = &self.out[self.n + self.report.equations.len()..];
        if !known || self.rank.as_ref().is_some_and(|rank| rank.is_passage(slopes, sigma)) {
            self.report.passed.push(place);
        }
        (self.state, self.out) = kept;
    }

    /// Moves a state that is recorded, and notes what is left of the equations there.
    pub fn settle(&mut self, t: f64, state: &mut [f64]) -> Result<(), StopReason> {
        self.state.copy_from_slice(state);
        let moved = self.project(t, false)?;
        state.copy_from_slice(&self.state);
        if moved {
            self.evaluate(t)?;
        }
        for (most, g) in self.report.residuals.iter_mut().zip(&self.out[self.n..]) {
            *most = most.max(g.abs());
        }
        Ok(())
    }

    /// Moves `state` onto the set; says whether by more than rounding. A state that is as good as on it stays as it is.
    fn project(&mut self, t: f64, is_step: bool) -> Result<bool, StopReason> {
        let mut moved = false;
        for attempt in 0..ATTEMPTS {
            self.evaluate(t)?;
            let (new, rest) = self.out.split_at(self.n);
            let residuals = &rest[..self.report.equations.len()];
            if is_step && attempt == 0 {
                for (most, g) in self.report.drift.iter_mut().zip(residuals) {
                    *most = most.max(g.abs());
                }
            }
            let (mut rounding, mut largest) = (true, 0.0f64);
            for ((new, old), size) in new.iter().zip(&self.state).zip(&self.sizes) {
                let change = (new - old).abs();
                rounding &= change <= 2.0 * f64::EPSILON * size;
                // NaN is large.
                let relative = change / (1.0 + old.abs());
                largest = if relative <= largest { largest } else { relative };
            }
            if rounding {
                return Ok(moved);
            }
            if !(largest <= LARGEST_CHANGE) {
                break;
            }
            moved = true;
            self.state.copy_from_slice(new);
            if largest <= SMALL_CHANGE {
                return Ok(true);
            }
        }
        let worst = |residuals: &[f64]| {
            let sizes = residuals.iter().map(|g| g.abs()).enumerate();
            sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i)
        };
        let i = worst(&self.out[self.n..self.n + self.report.equations.len()]);
        let expression = self.report.equations.get(i).cloned().unwrap_or_default();
        Err(StopReason::LeftSurface { expression, value: self.out.get(self.n + i).copied().unwrap_or(0.0) })
    }

    fn evaluate(&mut self, t: f64) -> Result<(), StopReason> {
        let banks = [&[t][..], &self.state, self.parameters, &[]];
        // The sum of 0 x is NaN when an x is, or is infinite.
        if self.caller.call_fast(banks, &mut self.out) && self.out.iter().fold(0.0, |sum, x| sum + 0.0 * x) == 0.0 {
            return Ok(());
        }
        self.caller.call(banks, &mut self.out).map_err(|failure| match failure.kind {
            FailureKind::Singular | FailureKind::Infinite | FailureKind::Pole => {
                StopReason::LostRank { equations: self.report.equations.join(", ") }
            }
            _ => StopReason::SingularPoint { failure },
        })
    }
}
