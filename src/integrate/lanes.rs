//! Taylor series of many trajectories side by side.
//!
//! An ensemble is many runs of one motion. Each run has a lane: its time, its step and its end are its own, and when it is done
//! the next of the list takes its place. What makes the steps of all lanes is one of three:
//!
//! ```text
//! four lanes            machine code for pairs of doubles that take turns (codegen::jet_pair_steps)
//! two lanes             the same for one pair of a large system (codegen::jet_pairs), a loop of steps around it here
//! as many as the        C for the compiler of the system (codegen::wide), when a sweep asked for it and there is one
//! processor has
//! ```
//!
//! A lane does the operations of [`super::taylor`] in the same order: a run has the same bits beside others as alone, and tests
//! compare them. A step that is not ordinary is not made here. Its run leaves, and is made alone from its beginning; so is a
//! run of `auto` that is so long that it would be looked at for stiffness.

use crate::budget::Budget;
use crate::codegen::jet_compiled::{CompiledJet, JetPairCaller};
use crate::codegen::libm::{self, quick_exp2, quick_log2};
use crate::codegen::library::Library;
use crate::codegen::simd;
use crate::codegen::wide::{DONE, N_ROWS, NOT_ORDINARY, Row};
use std::sync::Arc;
use std::time::Instant;

use super::auto;
use super::control::{Compensated, StopReason};
use super::driver;
use super::method::Method;
use super::problem::{BadProblem, InitialValueProblem, Motion};
use super::stepper::Statistics;
use super::taylor;
use super::trajectory::Trajectory;

/// Runs for which code for two or four lanes is made.
const WORTH_WHILE: usize = 6;

/// Steps between two looks at the clock and the interrupt flag.
const CHECK_EVERY: u64 = 64;

/// Runs these problems, all by Taylor series, side by side as far as that is possible. What is left out is to be made alone.
pub fn run(
    cx: &Budget,
    motion: &Motion,
    problems: &[InitialValueProblem],
    numbers: Vec<usize>,
    results: &mut [Option<Result<Trajectory, BadProblem>>],
) {
    let mut orders: Vec<usize> = numbers.iter().map(|&i| taylor::order(&problems[i])).collect();
    orders.sort_unstable();
    orders.dedup();
    for order in orders {
        let of_order: Vec<usize> = numbers.iter().copied().filter(|&i| taylor::order(&problems[i]) == order).collect();
        let Some(jet) = motion.jet(order, false) else { continue };
        let Some(engine) = Engine::new(motion, &jet, of_order.len()) else { continue };
        Lanes::new(motion, problems, of_order, jet, engine).run(cx, results);
    }
}

/// What makes steps.
enum Engine {
    Two(TwoLanes),
    Wide(Arc<Library>),
}

impl Engine {
    fn new(motion: &Motion, jet: &CompiledJet, runs: usize) -> Option<Engine> {
        let order = jet.program().order;
        if order < 3 {
            return None;
        }
        if let Some(library) = motion.library().filter(|l| l.order() == order && runs > 1) {
            return Some(Engine::Wide(library.clone()));
        }
        if runs < WORTH_WHILE {
            return None;
        }
        let caller = jet.pair_caller()?;
        let n = motion.n_states();
        Some(Engine::Two(TwoLanes {
            caller,
            n,
            order,
            fused: !motion.options().portable && simd::has_fma(),
            safety: libm::taylor_safety(order),
            inverses: [1.0 / (order - 1) as f64, 1.0 / order as f64],
            coefficients: vec![0.0; 2 * n * (order + 1)],
        }))
    }

    fn lanes(&self) -> usize {
        match self {
            Engine::Two(two) => two.caller.lanes(),
            Engine::Wide(library) => library.lanes(),
        }
    }

    /// Makes up to `most` steps of all lanes, until one of them is done or comes to a step that is not ordinary.
    fn steps(&mut self, parameters: &[f64], carried: &mut [f64], most: u64) {
        let two = match self {
            Engine::Wide(library) => return library.steps(parameters, carried, most),
            Engine::Two(two) => two,
        };
        if two.caller.steps(parameters, carried, most) {
            return;
        }
        match two.fused {
            true => simd::fused(Steps { two, parameters, carried, most }),
            false => two.steps::<false>(parameters, carried, most),
        }
    }
}

/// One of the runs side by side.
struct Lane {
    /// The number of the problem; `None` when there is none left, and the lane stands still.
    problem: Option<usize>,
    started: Instant,
}

struct Lanes<'a> {
    motion: &'a Motion,
    problems: &'a [InitialValueProblem],
    waiting: std::vec::IntoIter<usize>,
    jet: CompiledJet,
    engine: Engine,
    n: usize,
    lanes: Vec<Lane>,
    /// Row by row, a number for each lane, as described in [`crate::codegen::wide`].
    carried: Vec<f64>,
    parameters: Vec<f64>,
}

impl<'a> Lanes<'a> {
    fn new(
        motion: &'a Motion,
        problems: &'a [InitialValueProblem],
        numbers: Vec<usize>,
        jet: CompiledJet,
        engine: Engine,
    ) -> Lanes<'a> {
        let (n, width) = (motion.n_states(), engine.lanes());
        Lanes {
            motion,
            problems,
            waiting: numbers.into_iter(),
            jet,
            engine,
            n,
            lanes: (0..width).map(|_| Lane { problem: None, started: Instant::now() }).collect(),
            carried: vec![0.0; width * (2 * n + N_ROWS)],
            parameters: vec![0.0; width * motion.n_parameters()],
        }
    }

    fn run(mut self, cx: &Budget, results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        for l in 0..self.lanes.len() {
            self.fill(cx, l, results);
        }
        // Those that found nothing left before another was filled.
        for l in 0..self.lanes.len() {
            if self.lanes[l].problem.is_none() {
                self.stand_still(l);
            }
        }
        while self.lanes.iter().any(|lane| lane.problem.is_some()) {
            let exhausted = cx.check().err();
            if exhausted.is_none() {
                self.engine.steps(&self.parameters, &mut self.carried, CHECK_EVERY);
            }
            for l in 0..self.lanes.len() {
                let Some(i) = self.lanes[l].problem else { continue };
                let status = self.number(Row::Status, l);
                if let Some(exhausted) = exhausted {
                    self.finish(i, l, exhausted.into(), results);
                    self.lanes[l].problem = None;
                } else if status == NOT_ORDINARY || self.is_too_long(i, l) {
                    self.fill(cx, l, results);
                } else if status == DONE {
                    self.finish(i, l, StopReason::Reached, results);
                    self.fill(cx, l, results);
                }
            }
        }
    }

    fn place(&self, row: Row, l: usize) -> usize {
        (2 * self.n + row as usize) * self.lanes.len() + l
    }

    fn number(&self, row: Row, l: usize) -> f64 {
        self.carried[self.place(row, l)]
    }

    fn set(&mut self, row: Row, l: usize, x: f64) {
        let place = self.place(row, l);
        self.carried[place] = x;
    }

    /// Whether alone somebody would have looked at the run by now.
    fn is_too_long(&self, i: usize, l: usize) -> bool {
        let steps = self.number(Row::Steps, l) as u64;
        let is_watched = self.problems[i].method != Method::TAYLOR;
        steps >= self.problems[i].limits.steps || is_watched && steps >= auto::FIRST_LOOK_AT_SERIES
    }

    /// Puts the next run into a lane. What was there and has no result is left to be made alone.
    fn fill(&mut self, cx: &Budget, l: usize, results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        let width = self.lanes.len();
        loop {
            self.lanes[l].problem = None;
            let Some(i) = self.waiting.next() else { return self.stand_still(l) };
            let problem = &self.problems[i];
            if problem.end == problem.start {
                results[i] = Some(driver::run(cx, self.motion, problem));
                continue;
            }
            for j in 0..self.n {
                self.carried[j * width + l] = problem.state[j];
                self.carried[(self.n + j) * width + l] = 0.0;
            }
            for (j, p) in self.parameters.chunks_exact_mut(width).enumerate() {
                p[l] = problem.parameters[j];
            }
            for (row, x) in [
                (Row::Time, problem.start),
                (Row::TimeRest, 0.0),
                (Row::End, problem.end),
                (Row::Active, 1.0),
                (Row::Steps, 0.0),
                (Row::Shortest, f64::INFINITY),
                (Row::Longest, 0.0),
                (Row::Status, 0.0),
            ] {
                self.set(row, l, x);
            }
            self.lanes[l] = Lane { problem: Some(i), started: Instant::now() };
            return;
        }
    }

    /// A lane without a run stands where another has come to.
    fn stand_still(&mut self, l: usize) {
        let width = self.lanes.len();
        let from = self.lanes.iter().position(|lane| lane.problem.is_some()).unwrap_or(l);
        for rows in [&mut self.carried, &mut self.parameters] {
            rows.chunks_exact_mut(width).for_each(|row| row[l] = row[from]);
        }
        self.set(Row::Active, l, 0.0);
        self.set(Row::Status, l, 0.0);
    }

    /// Makes the trajectory of a lane.
    fn finish(&self, i: usize, l: usize, reason: StopReason, results: &mut [Option<Result<Trajectory, BadProblem>>]) {
        let problem = &self.problems[i];
        let state: Vec<f64> = self.carried.chunks_exact(self.lanes.len()).take(self.n).map(|row| row[l]).collect();
        let (t, steps) = (self.number(Row::Time, l), self.number(Row::Steps, l) as u64);
        let (method, choice) = auto::choose(self.motion, problem);
        let mut trajectory = Trajectory::new(self.motion.states().to_vec(), Vec::new(), method, self.jet.backend());
        trajectory.push(problem.start, &problem.state, &[]);
        if t != problem.start {
            trajectory.push(t, &state, &[]);
        }
        let order = self.jet.program().order as u32;
        trajectory.statistics = Statistics { order, evaluations: steps, ..Statistics::default() };
        let extremes = [self.number(Row::Shortest, l), self.number(Row::Longest, l)];
        if steps > 0 {
            trajectory.statistics.accept_many(steps, extremes);
        }
        trajectory.choice = choice;
        trajectory.run_time = self.lanes[l].started.elapsed();
        trajectory.compile_time = self.motion.compile_time();
        trajectory.finish(t, &state, reason);
        results[i] = Some(Ok(trajectory));
    }
}

/// Steps of two lanes: all by machine code where there is a loop of it; else coefficients by machine code, the rest here.
struct TwoLanes {
    caller: JetPairCaller,
    n: usize,
    order: usize,
    fused: bool,
    /// e⁻² e^{−0.7/(p−1)}
    safety: f64,
    /// 1/(p−1), 1/p
    inverses: [f64; 2],
    /// Order by order, state by state, lane by lane.
    coefficients: Vec<f64>,
}

/// Steps, compiled with fused multiply-add.
struct Steps<'s> {
    two: &'s mut TwoLanes,
    parameters: &'s [f64],
    carried: &'s mut [f64],
    most: u64,
}

impl simd::Work for Steps<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.two.steps::<true>(self.parameters, self.carried, self.most);
    }
}

/// Two numbers, one of each run.
type Two = [f64; 2];

impl TwoLanes {
    /// The loop of [`crate::codegen::wide`].
    #[inline(always)]
    fn steps<const FUSED: bool>(&mut self, parameters: &[f64], carried: &mut [f64], most: u64) {
        let n = self.n;
        let (y, others) = carried.split_at_mut(2 * n);
        let (rest, numbers) = others.split_at_mut(2 * n);
        let row = |numbers: &[f64], row: Row| -> Two { [numbers[2 * row as usize], numbers[2 * row as usize + 1]] };
        let [end, active] = [Row::End, Row::Active].map(|r| row(numbers, r));
        let active = active.map(|a| a != 0.0);
        let [mut t, mut t_rest] = [Row::Time, Row::TimeRest].map(|r| row(numbers, r));
        let [mut shortest, mut longest] = [Row::Shortest, Row::Longest].map(|r| row(numbers, r));
        let (mut made, mut status) = (0u64, [0.0; 2]);
        while made < most {
            let accepted = self.caller.call_fast([&t, y, parameters, &[]], &mut self.coefficients);
            let (lengths, mut ordinary) = self.lengths::<FUSED>(y);
            let (mut h, mut reaches) = ([0.0; 2], [false; 2]);
            for l in 0..2 {
                let remaining = end[l] - t[l];
                reaches[l] = lengths[l] >= remaining.abs();
                h[l] = if reaches[l] { remaining } else { lengths[l].copysign(remaining) };
                ordinary[l] &= accepted && (reaches[l] || t[l] + 0.1 * h[l] != t[l]);
                // Lanes without a run stay where they are.
                h[l] = if active[l] { h[l] } else { 0.0 };
            }
            if (0..2).any(|l| active[l] && !ordinary[l]) {
                status = [0, 1].map(|l| if active[l] && !ordinary[l] { NOT_ORDINARY } else { 0.0 });
                break;
            }
            self.add_polynomials::<FUSED>(h, y, rest);
            made += 1;
            for l in 0..2 {
                let after = Compensated { value: t[l], rest: t_rest[l] }.plus(h[l]);
                let done = active[l] && reaches[l];
                (t[l], t_rest[l]) = if done { (end[l], 0.0) } else { (after.value, after.rest) };
                status[l] = if done { DONE } else { 0.0 };
                shortest[l] = if h[l].abs() < shortest[l] { h[l].abs() } else { shortest[l] };
                longest[l] = if h[l].abs() > longest[l] { h[l].abs() } else { longest[l] };
            }
            if status != [0.0; 2] {
                break;
            }
        }
        let steps = row(numbers, Row::Steps).map(|s| s + made as f64);
        for (row, x) in [
            (Row::Time, t),
            (Row::TimeRest, t_rest),
            (Row::Steps, steps),
            (Row::Shortest, shortest),
            (Row::Longest, longest),
            (Row::Status, status),
        ] {
            numbers[2 * row as usize..2 * row as usize + 2].copy_from_slice(&x);
        }
    }

    /// The lengths of the next steps, and whether they are ordinary.
    #[inline(always)]
    fn lengths<const FUSED: bool>(&self, y: &[f64]) -> (Two, [bool; 2]) {
        let (n, p) = (self.n, self.order);
        let mut nothing = [0.0; 2];
        let mut norm = |xs: &[f64]| -> Two {
            let mut largest = [0.0; 2];
            for pair in xs.chunks_exact(2) {
                for l in 0..2 {
                    nothing[l] += pair[l] * 0.0;
                    largest[l] = if pair[l].abs() > largest[l] { pair[l].abs() } else { largest[l] };
                }
            }
            largest
        };
        let size = norm(y);
        let second = norm(&self.coefficients[2 * n * (p - 1)..2 * n * p]);
        let last = norm(&self.coefficients[2 * n * p..2 * n * (p + 1)]);
        let (mut lengths, mut ordinary) = ([0.0; 2], [false; 2]);
        for l in 0..2 {
            let is_normal = second[l] >= f64::MIN_POSITIVE && last[l] >= f64::MIN_POSITIVE;
            if !(nothing[l] == 0.0 && is_normal) {
                continue;
            }
            let s = if size[l] <= 1.0 { 0.0 } else { quick_log2::<FUSED>(size[l]) };
            let a = (s - quick_log2::<FUSED>(second[l])) * self.inverses[0];
            let b = (s - quick_log2::<FUSED>(last[l])) * self.inverses[1];
            let rho = if a < b { a } else { b };
            ordinary[l] = rho.abs() <= 1000.0;
            lengths[l] = quick_exp2::<FUSED>(rho) * self.safety;
        }
        (lengths, ordinary)
    }

    /// y + Σ c_k hᵏ, k = 1 … p, summed as a trajectory alone sums it: one polynomial in h⁴ for each remainder of k − 1.
    #[inline(always)]
    fn add_polynomials<const FUSED: bool>(&self, h: Two, y: &mut [f64], rest: &mut [f64]) {
        let h2 = [h[0] * h[0], h[1] * h[1]];
        let h4 = [h2[0] * h2[0], h2[1] * h2[1]];
        let p = self.order;
        let top = (p - 1) / 4 * 4 + 1;
        for i in 0..self.n {
            let row = |k: usize| -> Two {
                let place = 2 * (k * self.n + i);
                [self.coefficients[place], self.coefficients[place + 1]]
            };
            let mut part = [[0.0; 2]; 4];
            for r in 0..4 {
                if top + r <= p {
                    part[r] = row(top + r);
                }
            }
            let mut k = top;
            while k > 4 {
                k -= 4;
                for r in 0..4 {
                    part[r] = madd::<FUSED>(part[r], h4, row(k + r));
                }
            }
            let (low, high) = (madd::<FUSED>(part[1], h, part[0]), madd::<FUSED>(part[3], h, part[2]));
            let sum = madd::<FUSED>(high, h2, low);
            for l in 0..2 {
                let place = 2 * i + l;
                let after = Compensated { value: y[place], rest: rest[place] }.plus(sum[l] * h[l]);
                (y[place], rest[place]) = (after.value, after.rest);
            }
        }
    }
}

#[inline(always)]
fn madd<const FUSED: bool>(a: Two, b: Two, c: Two) -> Two {
    let one = |l: usize| if FUSED { a[l].mul_add(b[l], c[l]) } else { a[l] * b[l] + c[l] };
    [one(0), one(1)]
}
