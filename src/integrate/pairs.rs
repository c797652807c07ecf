//! Two trajectories at once.
//!
//! An ensemble is many runs of one motion from different states or with different parameters. Machine code that evaluates
//! two states in one vector ([`CompiledKernel::pair_caller`](crate::codegen::compiled::CompiledKernel::pair_caller)) takes
//! little longer than for one, so two runs of dop853 go side by side, each with its own time, step and error. When one
//! reaches its end, the next of the list takes its place.
//!
//! Runs by Taylor series go side by side in [`super::lanes`].
//!
//! Every lane does the operations of [`super::explicit`] in the same order: a run has the same bits in a pair as alone, and a
//! test compares them. A run that becomes anything but ordinary (the field declines, a step cannot be made) leaves the
//! pair and is made alone from its beginning; so are runs that record, watch, switch, or use another method.

use crate::budget::Budget;
use std::time::Instant;

use crate::codegen::compiled::{Backend, PairCaller};
use crate::codegen::simd;

use super::auto;
use super::control::{self, Compensated, Controller, StopReason};
use super::driver;
use super::ends;
use super::explicit::Explicit;
use super::lanes;
use super::method::Method;
use super::problem::{BadProblem, InitialValueProblem, Motion, Recording};
use super::stepper::Statistics;
use super::tableau::DOP853;
use super::tableau::Estimate;
use super::trajectory::Trajectory;

/// Runs all problems of one motion, side by side where that is possible. The results are those of [`super::run`].
pub fn run_all(cx: &Budget, motion: &Motion, problems: &[InitialValueProblem]) -> Vec<Result<Trajectory, BadProblem>> {
    let mut results: Vec<Option<Result<Trajectory, BadProblem>>> = problems.iter().map(|_| None).collect();
    let together: Vec<usize> = (0..problems.len()).filter(|&i| goes_in_pairs(motion, &problems[i])).collect();
    let is_series = |i: &usize| auto::choose(motion, &problems[*i]).0 == Method::TAYLOR;
    let (series, paired): (Vec<usize>, Vec<usize>) = together.into_iter().partition(is_series);
    // Lanes do not look back at the field.
    if series.len() > 1 && !ends::may_be_passed(motion.field().kernel()) {
        lanes::run(cx, motion, problems, series, &mut results);
    }
    if paired.len() > 1 {
        Pairs::new(motion, problems, paired).run(cx, &mut results);
    }
    let alone = |i: usize, done: Option<_>| done.unwrap_or_else(|| driver::run(cx, motion, &problems[i]));
    results.into_iter().enumerate().map(|(i, done)| alone(i, done)).collect()
}

/// Whether a run may share its steps with another: dop853 or a series by machine code, of which only the ends are kept.
pub fn goes_in_pairs(motion: &Motion, problem: &InitialValueProblem) -> bool {
    problem.check(motion).is_ok()
        && motion.backend() != Backend::Interpreter
        && motion.is_bare()
        && !problem.dense
        && problem.recording == Recording::Ends
        && !problem.fixed
        && [Method::DOP853, Method::TAYLOR].contains(&auto::choose(motion, problem).0)
        && !motion.field_for(problem).1
}

/// Whether a run may share its steps with as many others as there are lanes: the same of a series.
pub fn goes_in_lanes(motion: &Motion, problem: &InitialValueProblem) -> bool {
    goes_in_pairs(motion, problem) && auto::choose(motion, problem).0 == Method::TAYLOR
}

/// Two numbers, one of each run.
type Two = [f64; 2];

/// One of the two runs.
struct Lane {
    /// The number of the problem; `None` when there is none left, and the lane repeats its last state.
    problem: Option<usize>,
    t: Compensated,
    h: f64,
    h_next: f64,
    last: bool,
    controller: Controller,
    statistics: Statistics,
    /// The number of steps after which alone somebody would look for stiffness.
    next_look: Option<u64>,
    started: Instant,
}

struct Pairs<'a> {
    motion: &'a Motion,
    problems: &'a [InitialValueProblem],
    waiting: std::vec::IntoIter<usize>,
    caller: PairCaller,
    fused: bool,
    n: usize,
    /// How far the method is stable, if `auto` chose it for somebody.
    reach: f64,
    lanes: [Lane; 2],
    y: Vec<Two>,
    rest: Vec<Two>,
    y_new: Vec<Two>,
    rest_new: Vec<Two>,
    trial: Vec<Two>,
    /// Stage by stage; the first is f at the current state.
    k: Vec<Vec<Two>>,
    f_new: Vec<Two>,
    parameters: Vec<Two>,
    absolute: Vec<Two>,
    relative: Two,
}

/// A trial step of both runs, compiled with fused multiply-add.
struct Attempt<'s, 'a>(&'s mut Pairs<'a>);

impl simd::Work for Attempt<'_, '_> {
    type Output = Option<Two>;

    #[inline(always)]
    fn run(self) -> Option<Two> {
        self.0.attempt_inner::<true>()
    }
}

/// Trial steps between two looks at the clock and the interrupt flag.
const CHECK_EVERY: u64 = 64;

impl<'a> Pairs<'a> {
    fn new(motion: &'a Motion, problems: &'a [InitialValueProblem], paired: Vec<usize>) -> Pairs<'a> {
        let n = motion.n_states();
        let lane = || Lane {
            problem: None,
            t: Compensated::default(),
            h: 0.0,
            h_next: 0.0,
            last: false,
            controller: DOP853.controller,
            statistics: Statistics::default(),
            next_look: None,
            started: Instant::now(),
        };
        let is_watched = paired.iter().any(|&i| problems[i].method != Method::DOP853);
        let zeros = vec![[0.0; 2]; n];
        Pairs {
            motion,
            problems,
            waiting: paired.into_iter(),
            caller: motion.field().pair_caller(),
            fused: !motion.options().portable && simd::has_fma(),
            n,
            reach: if is_watched { auto::reach(&DOP853) } else { f64::INFINITY },
            lanes: [lane(), lane()],
            y: zeros.clone(),
            rest: zeros.clone(),
            y_new: zeros.clone(),
            rest_new: zeros.clone(),
            trial: zeros.clone(),
            k: vec![zeros.clone(); DOP853.n_stages()],
            f_new: zeros,
            parameters: vec![[0.0; 2]; motion.n_parameters()],
            absolute: vec![[1.0; 2]; n],
            relative: [1.0; 2],
        }
    }

    fn run(mut self, cx: &Budget, results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        for l in 0..2 {
            self.fill(cx, l, results);
        }
        // A lane without a run repeats the state of the other.
        if self.lanes[1].problem.is_none() {
            self.copy_lane(0, 1);
        }
        let mut attempts: u64 = 0;
        while self.lanes.iter().any(|lane| lane.problem.is_some()) {
            if attempts.is_multiple_of(CHECK_EVERY)
                && let Err(exhausted) = cx.check()
            {
                for l in 0..2 {
                    self.finish(cx, l, exhausted.into(), results);
                }
                return;
            }
            attempts += 1;
            for l in 0..2 {
                while self.lanes[l].problem.is_some() && !self.begin_step(l) {
                    self.fill(cx, l, results);
                }
            }
            let errors = match self.fused {
                true => simd::fused(Attempt(&mut self)),
                false => self.attempt_inner::<false>(),
            };
            let Some(errors) = errors else {
                // One of them is not ordinary, and it is not worth while to know which.
                for l in 0..2 {
                    self.fill(cx, l, results);
                }
                continue;
            };
            let accepted = [0, 1].map(|l| self.judge(l, errors[l]));
            if accepted.contains(&true) {
                self.accept(cx, accepted, results);
            }
        }
    }

    /// Puts the next run into a lane. What was there is left to be made alone.
    fn fill(&mut self, cx: &Budget, l: usize, results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        loop {
            self.lanes[l].problem = None;
            let Some(i) = self.waiting.next() else { return self.copy_lane(1 - l, l) };
            let problem = &self.problems[i];
            let mut alone = Explicit::new(Method::DOP853, &DOP853, self.motion, problem);
            if problem.end == problem.start {
                results[i] = Some(driver::run(cx, self.motion, problem));
                continue;
            }
            let Some((f, h)) = alone.begin(problem.end) else { continue };
            let absolute = problem.tolerance.absolute_of_each(self.n);
            for j in 0..self.n {
                (self.y[j][l], self.rest[j][l]) = (problem.state[j], 0.0);
                (self.k[0][j][l], self.absolute[j][l]) = (f[j], absolute[j]);
            }
            for (j, p) in self.parameters.iter_mut().enumerate() {
                p[l] = problem.parameters[j];
            }
            self.relative[l] = problem.tolerance.relative;
            self.lanes[l] = Lane {
                problem: Some(i),
                t: Compensated::new(problem.start),
                h: 0.0,
                h_next: h,
                last: false,
                controller: Controller::dop853(),
                statistics: Statistics { order: DOP853.order, evaluations: 2, ..Statistics::default() },
                next_look: auto::look_at_explicit(0, self.n).filter(|_| problem.method != Method::DOP853),
                started: Instant::now(),
            };
            return;
        }
    }

    /// A lane without a run does what the other does.
    fn copy_lane(&mut self, from: usize, to: usize) {
        let arrays = [&mut self.y, &mut self.rest, &mut self.k[0], &mut self.absolute, &mut self.parameters];
        for array in arrays {
            array.iter_mut().for_each(|x| x[to] = x[from]);
        }
        self.relative[to] = self.relative[from];
        self.lanes[to].t = self.lanes[from].t;
        self.lanes[to].h = 0.0;
    }

    /// The length of the next trial step; false when it cannot be made.
    fn begin_step(&mut self, l: usize) -> bool {
        let Some(i) = self.lanes[l].problem else { return true };
        let lane = &mut self.lanes[l];
        let remaining = self.problems[i].end - lane.t.value;
        lane.h = lane.h_next;
        lane.last = (1.01 * lane.h).abs() >= remaining.abs();
        if lane.last {
            lane.h = remaining;
        }
        lane.last || lane.t.value + 0.1 * lane.h != lane.t.value
    }

    /// Evaluates the field for both; false when it declines or has no value.
    #[inline(always)]
    fn evaluate(caller: &mut PairCaller, t: Two, y: &[Two], parameters: &[Two], out: &mut [Two]) -> bool {
        let banks = [&t[..], y.as_flattened(), parameters.as_flattened(), &[]];
        caller.call_fast(banks, out.as_flattened_mut())
            && out.iter().fold(0.0, |sum, x| sum + 0.0 * (x[0] + x[1])) == 0.0
    }

    /// All stages and the new states; the squares of the scaled errors, or `None` when the field had no value for one of them.
    #[inline(always)]
    fn attempt_inner<const FUSED: bool>(&mut self) -> Option<Two> {
        let h = [self.lanes[0].h, self.lanes[1].h];
        let t = [self.lanes[0].t.value, self.lanes[1].t.value];
        let n = self.n;
        for s in 1..DOP853.n_stages() {
            let (before, after) = self.k.split_at_mut(s);
            let weights = DOP853.a[s];
            let newest = weights.iter().rposition(|w| *w != 0.0).unwrap_or(0);
            // Stage by stage over all states: the weights of a stage are looked at once.
            self.trial.fill([0.0; 2]);
            for (&w, k) in weights[..newest].iter().zip(before.iter()) {
                if w != 0.0 {
                    for (sum, k) in self.trial[..n].iter_mut().zip(&k[..n]) {
                        for l in 0..2 {
                            sum[l] = multiply_add::<FUSED>(w, k[l], sum[l]);
                        }
                    }
                }
            }
            let hw = [h[0] * weights[newest], h[1] * weights[newest]];
            for ((sum, k), y) in self.trial[..n].iter_mut().zip(&before[newest][..n]).zip(&self.y[..n]) {
                for l in 0..2 {
                    sum[l] = multiply_add::<FUSED>(hw[l], k[l], multiply_add::<FUSED>(h[l], sum[l], y[l]));
                }
            }
            let ts = [t[0] + DOP853.c[s] * h[0], t[1] + DOP853.c[s] * h[1]];
            if !Self::evaluate(&mut self.caller, ts, &self.trial, &self.parameters, &mut after[0]) {
                return None;
            }
        }
        let sums = &mut self.trial[..n];
        weighted::<FUSED>(sums, DOP853.b, &self.k);
        for i in 0..n {
            for l in 0..2 {
                let new = Compensated { value: self.y[i][l], rest: self.rest[i][l] }.plus(h[l] * sums[i][l]);
                (self.y_new[i][l], self.rest_new[i][l]) = (new.value, new.rest);
            }
        }
        let Estimate::FiveAndThree(five, three) = DOP853.estimate else { unreachable!("the estimate of dop853") };
        let (five, three) = (self.squares::<FUSED>(five), self.squares::<FUSED>(three));
        let n = self.n as f64;
        let errors = [0, 1].map(|l| control::five_and_three(h[l], [five[l], three[l]], n));
        errors.iter().all(|e| e.is_finite()).then_some(errors)
    }

    /// Σᵢ (eᵢ/scaleᵢ)², spread over eight sums as in a run alone.
    #[inline(always)]
    fn squares<const FUSED: bool>(&mut self, weights: &[f64]) -> Two {
        let mut total = [[0.0; 2]; 8];
        weighted::<FUSED>(&mut self.trial[..self.n], weights, &self.k);
        for i in 0..self.n {
            let e = self.trial[i];
            for l in 0..2 {
                let (a, b) = (self.y[i][l].abs(), self.y_new[i][l].abs());
                let size = if a > b { a } else { b };
                let scale = multiply_add::<FUSED>(self.relative[l], size, self.absolute[i][l]);
                let scaled = e[l] * (1.0 / scale);
                total[i % 8][l] = multiply_add::<FUSED>(scaled, scaled, total[i % 8][l]);
            }
        }
        [0, 1].map(|l| {
            let t = |i: usize| total[i][l];
            ((t(0) + t(4)) + (t(1) + t(5))) + ((t(2) + t(6)) + (t(3) + t(7)))
        })
    }

    /// Whether the trial step of a lane is good; its next step follows.
    fn judge(&mut self, l: usize, square: f64) -> bool {
        let lane = &mut self.lanes[l];
        if lane.problem.is_none() {
            return false;
        }
        lane.statistics.evaluations += DOP853.n_stages() as u64 - 1;
        let factor = lane.controller.factor(square);
        if square > 1.0 {
            lane.statistics.rejected += 1;
            lane.h_next = lane.h * factor;
            return false;
        }
        // A step that was cut short by the end says little about the next.
        if !lane.last || lane.h.abs() >= lane.h_next.abs() {
            lane.h_next = lane.h * factor;
        }
        true
    }

    /// Advances the lanes whose steps were good.
    fn accept(&mut self, cx: &Budget, accepted: [bool; 2], results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        let ends = [0, 1].map(|l| self.lanes[l].t.plus(self.lanes[l].h).value);
        for i in 0..self.n {
            for l in 0..2 {
                // The field is evaluated where both are.
                self.trial[i][l] = if accepted[l] { self.y_new[i][l] } else { self.y[i][l] };
            }
        }
        if !Self::evaluate(&mut self.caller, ends, &self.trial, &self.parameters, &mut self.f_new) {
            for l in 0..2 {
                self.fill(cx, l, results);
            }
            return;
        }
        for l in (0..2).filter(|&l| accepted[l]) {
            let steps = self.lanes[l].statistics.steps + 1;
            if !self.lanes[l].last && self.lanes[l].next_look.is_some_and(|look| steps >= look) {
                self.lanes[l].next_look = auto::look_at_explicit(steps, self.n);
                if self.may_be_stiff(l) {
                    // Alone it may change its method.
                    self.fill(cx, l, results);
                    continue;
                }
            }
            for i in 0..self.n {
                (self.y[i][l], self.rest[i][l]) = (self.y_new[i][l], self.rest_new[i][l]);
                self.k[0][i][l] = self.f_new[i][l];
            }
            let lane = &mut self.lanes[l];
            let (h, last) = (lane.h, lane.last);
            lane.t = match lane.problem {
                Some(i) if last => Compensated::new(self.problems[i].end),
                _ => lane.t.plus(h),
            };
            lane.statistics.accept(h);
            lane.statistics.evaluations += 1;
            if last {
                self.finish(cx, l, StopReason::Reached, results);
            }
        }
    }

    /// Whether the last step of a lane is one that [`Explicit::stiffness`] could object to, or almost.
    fn may_be_stiff(&self, l: usize) -> bool {
        let (s, h) = (DOP853.n_stages(), self.lanes[l].h);
        let (mut slopes, mut states, mut change, mut size) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for i in 0..self.n {
            let sum: f64 = DOP853.a[s - 1].iter().zip(&self.k).map(|(w, k)| w * k[i][l]).sum();
            let f = self.f_new[i][l];
            change += (f - self.k[0][i][l]).powi(2);
            size += f.powi(2);
            slopes += (f - self.k[s - 1][i][l]).powi(2);
            states += (self.y_new[i][l] - (self.y[i][l] + h * sum)).powi(2);
        }
        // Sums are rounded in another order: who is near the edge leaves, too.
        let found = (1.01 * h.abs() * (slopes / states).sqrt(), (change / size).sqrt() / 1.01);
        states > 0.0 && size > 0.0 && auto::is_beyond(self.reach, found)
    }

    /// Makes the trajectory of a lane, and fills the lane again.
    fn finish(
        &mut self,
        cx: &Budget,
        l: usize,
        reason: StopReason,
        results: &mut [Option<Result<Trajectory, BadProblem>>],
    ) {
        let Some(i) = self.lanes[l].problem else { return };
        let problem = &self.problems[i];
        let state: Vec<f64> = self.y.iter().map(|y| y[l]).collect();
        let t = self.lanes[l].t.value;
        let motion = self.motion;
        let mut trajectory = Trajectory::new(motion.states().to_vec(), Vec::new(), Method::DOP853, motion.backend());
        trajectory.push(problem.start, &problem.state, &[]);
        trajectory.push(t, &state, &[]);
        trajectory.statistics = self.lanes[l].statistics;
        trajectory.choice = auto::choose(motion, problem).1;
        trajectory.run_time = self.lanes[l].started.elapsed();
        trajectory.compile_time = motion.compile_time();
        trajectory.finish(t, &state, reason);
        results[i] = Some(Ok(trajectory));
        self.fill(cx, l, results);
    }
}

/// Σⱼ wⱼ kⱼ of every state.
#[inline(always)]
fn weighted<const FUSED: bool>(sums: &mut [Two], weights: &[f64], k: &[Vec<Two>]) {
    sums.fill([0.0; 2]);
    for (&w, k) in weights.iter().zip(k) {
        if w != 0.0 {
            for (sum, k) in sums.iter_mut().zip(k) {
                for l in 0..2 {
                    sum[l] = multiply_add::<FUSED>(w, k[l], sum[l]);
                }
            }
        }
    }
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}
