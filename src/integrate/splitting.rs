//! Verlet's method and its compositions, for motions that are separable.
//!
//! A motion is separable when its states fall into two classes and the slope of a state depends on the other class alone,
//!
//! ```text
//! q′ = g(t, p),   p′ = f(t, q):      H = T(p) + V(q),   or   L = ½ q′ᵀ M q′ − V(q) with a constant M.
//! ```
//!
//! Then each class alone can be moved exactly while the other stands still, and a step is half of the one, the other, half of
//! the one,
//!
//! ```text
//! p ← p + h/2 f(t, q),   q ← q + h g(t + h/2, p),   p ← p + h/2 f(t + h, q),      HLW (I.1.17), (VI.3.5)
//! ```
//!
//! (Hairer, Lubich and Wanner, *Geometric Numerical Integration*). It is explicit, symmetric and, for a Hamiltonian, symplectic,
//! of order 2, and so are its compositions Φ(γ₁h) ∘ … ∘ Φ(γₛh) with symmetric coefficients, of higher order (§V.3.2).
//! What is kept over long runs is kept for a fixed step only.
//!
//! A step is one kernel: nothing passes through memory between its parts. Sums over steps are compensated, so that rounding
//! errors do not add up. Several steps are another kernel, for those who do not look at each; it does the same operations.

use crate::codegen::compiled::{self, Caller, CompiledKernel, Options};
use crate::codegen::interpret::{Failure, FailureKind};
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Op, Value};
use crate::codegen::{optimise, simd};

use super::control::{Compensated, StopReason};
use super::field::Field;
use super::problem::{InitialValueProblem, Motion};
use super::stepper::{Segment, Statistics, Stepper, cubic};

/// Coefficients of a symmetric composition: the first half and the middle one.
#[derive(Debug)]
pub struct Composition {
    pub order: u32,
    gamma: &'static [f64],
}

impl Composition {
    /// The coefficients of the whole step.
    pub fn coefficients(&self) -> Vec<f64> {
        let half = &self.gamma[..self.gamma.len() - 1];
        self.gamma.iter().chain(half.iter().rev()).copied().collect()
    }
}

/// Verlet's method itself.
pub const VERLET: Composition = Composition { order: 2, gamma: &[1.0] };

/// Five stages: γ = 1/(4 − 4^{1/3}), and 1 − 4γ in the middle. Suzuki, *Phys. Lett. A* 146 (1990) 319; HLW (II.4.5).
pub const SUZUKI: Composition =
    Composition { order: 4, gamma: &[SUZUKI_OUTER, SUZUKI_OUTER, 1.0 - 4.0 * SUZUKI_OUTER] };
const SUZUKI_OUTER: f64 = 0.414_490_771_794_375_7;

/// Nine stages. Kahan and Li, *Math. Comp.* 66 (1997) 1089; HLW (V.3.12).
pub const KAHAN_LI_6: Composition = Composition {
    order: 6,
    gamma: &[
        0.392_161_444_007_314_1,
        0.332_599_136_789_359_44,
        -0.706_246_172_557_639_3,
        0.082_213_596_293_550_8,
        0.798_543_990_934_83,
    ],
};

/// Seventeen stages. Kahan and Li, the same; HLW (V.3.13).
pub const KAHAN_LI_8: Composition = Composition {
    order: 8,
    gamma: &[
        0.130_202_483_088_890_08,
        0.561_162_981_775_108_4,
        -0.389_474_962_644_847_3,
        0.158_841_906_555_155_6,
        -0.395_903_894_133_237_6,
        0.184_539_640_978_315_7,
        0.258_374_387_686_322_05,
        0.295_011_723_609_310_3,
        -0.605_508_533_830_034_5,
    ],
};

/// The two classes of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Separation {
    /// Moved as a whole in the middle of a step.
    pub positions: Vec<usize>,
    /// Moved in two halves, before and after.
    pub momenta: Vec<usize>,
}

/// Why the states do not fall into two classes: along one chain of slopes, a state depends on one of its own class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotSeparable {
    pub slope_of: usize,
    pub depends_on: usize,
}

/// The classes of the states of a field.
pub fn separation(field: &Kernel) -> Result<Separation, NotSeparable> {
    let n = field.outputs().len();
    let depends = dependencies(field);
    // The class of each state, once it is known.
    let mut is_position: Vec<Option<bool>> = vec![None; n];
    for start in 0..n {
        if is_position[start].is_some() {
            continue;
        }
        is_position[start] = Some(true);
        let mut reached = vec![start];
        while let Some(i) = reached.pop() {
            let own = is_position[i].unwrap_or(true);
            for j in 0..n {
                let (forward, backward) = (depends[i][j], depends[j][i]);
                if !forward && !backward {
                    continue;
                }
                match is_position[j] {
                    Some(class) if class == own => {
                        let (slope_of, depends_on) = if forward { (i, j) } else { (j, i) };
                        return Err(NotSeparable { slope_of, depends_on });
                    }
                    Some(_) => {}
                    None => {
                        is_position[j] = Some(!own);
                        reached.push(j);
                    }
                }
            }
        }
    }
    let class = |position: bool| (0..n).filter(|i| is_position[*i] == Some(position)).collect();
    Ok(Separation { positions: class(true), momenta: class(false) })
}

/// Which outputs of a field depend on which states.
fn dependencies(field: &Kernel) -> Vec<Vec<bool>> {
    let n = field.outputs().len();
    let words = n.div_ceil(64);
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(field.ops().len());
    for value in field.values() {
        let mut set = vec![0u64; words];
        if let Op::Input(number) = field.op(value) {
            let input = &field.inputs()[number as usize];
            if input.bank == Bank::State && (input.slot as usize) < n {
                set[input.slot as usize / 64] |= 1 << (input.slot % 64);
            }
        }
        for operand in field.operands(field.op(value)) {
            for (word, more) in set.iter_mut().zip(&sets[operand.index()]) {
                *word |= more;
            }
        }
        sets.push(set);
    }
    let of = |set: &[u64]| (0..n).map(|j| set[j / 64] >> (j % 64) & 1 == 1).collect();
    field.outputs().iter().map(|output| of(&sets[output.value.index()])).collect()
}

/// The slopes of some states, as a kernel of its own.
fn part(field: &Kernel, of: &[usize]) -> Kernel {
    let mut b = KernelBuilder::new(field.name.clone());
    b.set_math(field.math);
    let all =
        b.inline(field, &mut |b: &mut KernelBuilder, input: &Input| b.input_at(&input.name, input.bank, input.slot));
    for i in of {
        b.output(field.outputs()[*i].name.clone(), all[*i]);
    }
    optimise::live(&b.finish())
}

/// A step as a kernel, `n_steps` times.
///
/// ```text
/// bank       entries
/// time       t, h
/// state      y, what rounding took from y, slopes of the momenta
/// parameter  those of the field
/// extra      the decisions of the field
/// outputs    y′, what rounding took from y′, slopes of the momenta there
/// ```
fn step_kernel(parts: &CompiledSplitting, n: usize, n_steps: usize) -> Kernel {
    let Separation { positions, momenta } = &parts.separation;
    let mut b = KernelBuilder::new("step");
    b.set_math(parts.kick.executed().math);
    let (mut t, h) = (b.input_at("t", Bank::Time, 0), b.input_at("h", Bank::Time, 1));
    let states = |b: &mut KernelBuilder, name: &str, first: usize, count: usize| -> Vec<Value> {
        (0..count).map(|i| b.input_at(&format!("{name}{i}"), Bank::State, (first + i) as u32)).collect()
    };
    let (y, rest) = (states(&mut b, "y", 0, n), states(&mut b, "rest", n, n));
    let mut force = states(&mut b, "f", 2 * n, momenta.len());
    let mut step = Step { b, fused: parts.fused, y, rest, neighbours: vec![] };
    for _ in 0..n_steps {
        let start = t;
        let mut reached = 0.0;
        for (stage, g) in parts.gamma.iter().enumerate() {
            // Two halves that follow each other are one.
            let before = if stage == 0 { 0.0 } else { parts.gamma[stage - 1] };
            let length = step.length(0.5 * (before + g), h);
            step.add(momenta, length, &force, stage == 0);
            let middle = step.length(reached + 0.5 * g, h);
            let middle = step.b.add(start, middle);
            let velocity = step.slopes(&parts.drift, middle);
            let length = step.length(*g, h);
            step.add(positions, length, &velocity, false);
            reached += g;
            let part = if stage + 1 == parts.gamma.len() { 1.0 } else { reached };
            let passed = step.length(part, h);
            t = step.b.add(start, passed);
            force = step.slopes(&parts.kick, t);
        }
        let length = step.length(0.5 * parts.gamma[parts.gamma.len() - 1], h);
        step.add(momenta, length, &force, false);
    }
    let Step { mut b, y, rest, neighbours, .. } = step;
    for (name, values) in [("y", y), ("rest", rest), ("f", force)] {
        for (i, value) in values.into_iter().enumerate() {
            b.output(format!("{name}{i}"), value);
        }
    }
    let mut kernel = b.finish();
    kernel.one_chain = true;
    kernel.neighbours = neighbours;
    kernel
}

/// A step that is being written.
struct Step {
    b: KernelBuilder,
    fused: bool,
    y: Vec<Value>,
    rest: Vec<Value>,
    neighbours: Vec<(Value, Value)>,
}

impl Step {
    fn length(&mut self, factor: f64, h: Value) -> Value {
        let factor = self.b.constant(factor);
        self.b.mul(factor, h)
    }

    fn slopes(&mut self, of: &CompiledKernel, t: Value) -> Vec<Value> {
        let y = &self.y;
        let slopes = self.b.inline(of.executed(), &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Time => t,
            Bank::State => y[input.slot as usize],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        self.together(&slopes);
        slopes
    }

    fn together(&mut self, values: &[Value]) {
        self.neighbours.extend(values.chunks_exact(2).map(|pair| (pair[0], pair[1])));
    }

    /// y + length slope for some states, compensated as [`plus`] does it.
    fn add(&mut self, of: &[usize], length: Value, slopes: &[Value], later: bool) {
        let mut columns: Vec<[Value; 8]> = vec![];
        for (i, slope) in of.iter().zip(slopes) {
            let (y, rest, b) = (self.y[*i], self.rest[*i], &mut self.b);
            let x = match (later, self.fused) {
                (true, _) => b.mul(length, *slope),
                (false, true) => b.fma(length, *slope, rest),
                (false, false) => {
                    let product = b.mul(length, *slope);
                    b.add(product, rest)
                }
            };
            let value = b.add(y, x);
            let back = b.sub(value, y);
            let (kept, off) = (b.sub(value, back), b.sub(x, back));
            let missing = b.sub(y, kept);
            let lost = b.add(missing, off);
            let rest = if later { b.add(rest, lost) } else { lost };
            (self.y[*i], self.rest[*i]) = (value, rest);
            columns.push([x, value, back, kept, off, missing, lost, rest]);
        }
        for row in 0..8 {
            let values: Vec<Value> = columns.iter().map(|column| column[row]).collect();
            self.together(&values);
        }
    }
}

/// y + length slope, compensated: Knuth's two-sum. What rounding took is put back at once, or, right after another sum, kept for
/// the next one: the step need not wait for it.
fn plus(y: &mut f64, rest: &mut f64, length: f64, slope: f64, later: bool, fused: bool) {
    let x = match (later, fused) {
        (true, _) => length * slope,
        (false, true) => length.mul_add(slope, *rest),
        (false, false) => length * slope + *rest,
    };
    let value = *y + x;
    let back = value - *y;
    let lost = (*y - (value - back)) + (x - back);
    *rest = if later { *rest + lost } else { lost };
    *y = value;
}

/// The kernels of a method for one field.
#[derive(Clone)]
pub struct CompiledSplitting {
    separation: Separation,
    gamma: Vec<f64>,
    fused: bool,
    /// The slopes of the positions, and of the momenta.
    drift: CompiledKernel,
    kick: CompiledKernel,
    /// One step, and so many steps at once, when they are short.
    one: Option<CompiledKernel>,
    many: Option<(usize, CompiledKernel)>,
}

/// Operations up to which a step is one kernel, and up to which steps are made several at once.
const WHOLE: usize = 4_000;
const SEVERAL: usize = 1_500;

/// The largest number of steps made at once.
const AT_ONCE: usize = 16;

impl CompiledSplitting {
    /// Compiles the method for a smooth field.
    pub fn new(field: &Kernel, composition: &Composition, options: Options) -> Result<CompiledSplitting, NotSeparable> {
        let separation = separation(field)?;
        let compile = |of: &[usize]| compiled::compile(part(field, of), options);
        let mut made = CompiledSplitting {
            gamma: composition.coefficients(),
            fused: !options.portable && simd::has_fma(),
            drift: compile(&separation.positions),
            kick: compile(&separation.momenta),
            separation,
            one: None,
            many: None,
        };
        let n = field.outputs().len();
        let [drift, kick] = [&made.drift, &made.kick].map(CompiledKernel::executed);
        // A linear system that is not unrolled has no place in a chain of stages.
        let is_plain = drift.solves().is_empty() && kick.solves().is_empty();
        let size = made.gamma.len() * (drift.n_operations() + kick.n_operations() + 12 * n);
        if is_plain && size <= WHOLE {
            made.one = Some(compiled::compile_as_it_is(step_kernel(&made, n, 1), options));
            let at_once = (SEVERAL / size.max(1)).min(AT_ONCE);
            made.many =
                (at_once > 1).then(|| (at_once, compiled::compile_as_it_is(step_kernel(&made, n, at_once), options)));
        }
        Ok(made)
    }

    pub fn compile_time(&self) -> std::time::Duration {
        let steps = self.one.iter().chain(self.many.as_ref().map(|(_, kernel)| kernel));
        [&self.drift, &self.kick].into_iter().chain(steps).map(CompiledKernel::compile_time).sum()
    }
}

/// The method at work.
pub struct Splitting<'a> {
    compiled: CompiledSplitting,
    drift: Caller,
    kick: Caller,
    one: Option<Caller>,
    many: Option<(usize, Caller)>,
    parameters: &'a [f64],
    field: Field,
    n: usize,
    h: f64,
    t: Compensated,
    /// y, what rounding took from it, slopes of the momenta.
    now: Vec<f64>,
    /// The same where the last step began.
    before: Vec<f64>,
    next: Vec<f64>,
    t_old: f64,
    h_old: f64,
    begun: bool,
    statistics: Statistics,
}

impl<'a> Splitting<'a> {
    pub fn new(
        compiled: CompiledSplitting,
        order: u32,
        motion: &Motion,
        problem: &'a InitialValueProblem,
    ) -> Splitting<'a> {
        let field = Field::new(motion.field(), &problem.parameters);
        let n = field.n();
        let mut now = problem.state.clone();
        now.resize(2 * n + compiled.separation.momenta.len(), 0.0);
        let span = problem.end - problem.start;
        Splitting {
            drift: compiled.drift.caller(),
            kick: compiled.kick.caller(),
            one: compiled.one.as_ref().map(CompiledKernel::caller),
            many: compiled.many.as_ref().map(|(steps, kernel)| (*steps, kernel.caller())),
            parameters: &problem.parameters,
            field,
            n,
            h: problem.step.unwrap_or((span / 1000.0).abs()).copysign(span),
            t: Compensated::new(problem.start),
            before: now.clone(),
            next: now.clone(),
            now,
            t_old: problem.start,
            h_old: 0.0,
            begun: false,
            compiled,
            statistics: Statistics { order, ..Statistics::default() },
        }
    }

    /// Slopes of the momenta at the current state.
    fn begin(&mut self) -> Result<(), Failure> {
        let (state, force) = self.now.split_at_mut(2 * self.n);
        let banks = [&[self.t.value][..], &state[..self.n], self.parameters, self.field.modes()];
        self.kick.call(banks, force)?;
        self.begun = true;
        Ok(())
    }

    /// One step of length h from `from`, into `to`.
    fn make(&mut self, t: f64, h: f64, from: &[f64], to: &mut [f64]) -> Result<(), Failure> {
        if let Some(one) = &mut self.one
            && quick(one, [&[t, h], from, self.parameters, self.field.modes()], to)
        {
            return Ok(());
        }
        self.make_in_parts(t, h, from, to)
    }

    /// The same, part by part: for a large field, and where an evaluation needs care. The operations are those of the kernel.
    fn make_in_parts(&mut self, t: f64, h: f64, from: &[f64], to: &mut [f64]) -> Result<(), Failure> {
        let CompiledSplitting { separation: Separation { positions, momenta }, gamma, fused, .. } = &self.compiled;
        let (n, modes) = (self.n, self.field.modes());
        let mut velocity = vec![0.0; positions.len()];
        to.copy_from_slice(from);
        let (y, others) = to.split_at_mut(n);
        let (rest, force) = others.split_at_mut(n);
        let mut add = |y: &mut [f64], of: &[usize], length: f64, slopes: &[f64], later: bool| {
            for (i, slope) in of.iter().zip(slopes) {
                plus(&mut y[*i], &mut rest[*i], length, *slope, later, *fused);
            }
        };
        let mut reached = 0.0;
        for (stage, g) in gamma.iter().enumerate() {
            let before = if stage == 0 { 0.0 } else { gamma[stage - 1] };
            add(y, momenta, 0.5 * (before + g) * h, force, stage == 0);
            self.drift.call([&[t + (reached + 0.5 * g) * h], y, self.parameters, modes], &mut velocity)?;
            add(y, positions, g * h, &velocity, false);
            reached += g;
            let part = if stage + 1 == gamma.len() { 1.0 } else { reached };
            self.kick.call([&[t + part * h], y, self.parameters, modes], force)?;
        }
        add(y, momenta, 0.5 * gamma[gamma.len() - 1] * h, force, false);
        match to.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(_) => Err(Failure { kind: FailureKind::Infinite, expression: "the state".into(), argument: None }),
        }
    }
}

/// A call that was accepted and has a finite result.
fn quick(caller: &mut Caller, banks: [&[f64]; 4], out: &mut [f64]) -> bool {
    // The sum of 0 x is NaN when an x is, or is infinite.
    caller.call_fast(banks, out) && out.iter().fold(0.0, |sum, x| sum + 0.0 * x) == 0.0
}

impl Stepper for Splitting<'_> {
    fn time(&self) -> f64 {
        self.t.value
    }

    fn state(&self) -> &[f64] {
        &self.now[..self.n]
    }

    fn previous_time(&self) -> f64 {
        self.t_old
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        let singular = |failure| StopReason::SingularPoint { failure };
        if !self.begun {
            self.begin().map_err(singular)?;
        }
        let remaining = limit - self.t.value;
        // The last step is stretched by up to a hundredth rather than followed by a tiny one.
        let last = (1.01 * self.h).abs() >= remaining.abs();
        let h = if last { remaining } else { self.h };
        if self.t.value + 0.1 * h == self.t.value && !last {
            return Err(StopReason::StepTooSmall);
        }
        let (now, mut next) = (std::mem::take(&mut self.now), std::mem::take(&mut self.next));
        let made = self.make(self.t.value, h, &now, &mut next);
        if let Err(failure) = made {
            (self.now, self.next) = (now, next);
            return Err(singular(failure));
        }
        self.t_old = self.t.value;
        self.h_old = h;
        self.t = if last { Compensated::new(limit) } else { self.t.plus(h) };
        self.next = std::mem::replace(&mut self.before, now);
        self.now = next;
        self.field.count(self.compiled.gamma.len() as u64);
        self.statistics.accept(h);
        Ok(())
    }

    fn advance(&mut self, limit: f64, until: f64, most: u64) -> Result<(), StopReason> {
        self.step(limit)?;
        let mut made = 1;
        let ahead = |t: f64, target: f64, h: f64| ((target - t) / h).floor();
        while made < most {
            let t = self.t.value;
            if t == limit || (until - t) * self.h <= 0.0 {
                return Ok(());
            }
            // The last of the steps is made alone, since somebody may look into it.
            if let Some((at_once, caller)) = &mut self.many
                && most - made > *at_once as u64
                && ahead(t, limit, self.h) > *at_once as f64 + 2.0
                && ahead(t, until, self.h) > *at_once as f64 + 2.0
            {
                let banks = [&[t, self.h][..], &self.now, self.parameters, self.field.modes()];
                if quick(caller, banks, &mut self.next) {
                    std::mem::swap(&mut self.now, &mut self.next);
                    for _ in 0..*at_once {
                        self.t = self.t.plus(self.h);
                    }
                    made += *at_once as u64;
                    self.field.count((*at_once * self.compiled.gamma.len()) as u64);
                    self.statistics.accept_many(*at_once as u64, [self.h.abs(), self.h.abs()]);
                    continue;
                }
            }
            self.step(limit)?;
            made += 1;
        }
        Ok(())
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        self.state_at(t, out);
    }

    /// One step of the method from the beginning of the last step.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        let (before, mut next) = (std::mem::take(&mut self.before), std::mem::take(&mut self.next));
        let made = self.make(self.t_old, t - self.t_old, &before, &mut next);
        let state = if made.is_ok() { &next } else { &self.now };
        out.copy_from_slice(&state[..self.n]);
        (self.before, self.next) = (before, next);
    }

    fn cut(&mut self, t: f64) {
        let mut state = vec![0.0; self.n];
        self.state_at(t, &mut state);
        self.t = Compensated::new(t);
        self.replace(&state);
    }

    fn replace(&mut self, state: &[f64]) {
        self.now[..self.n].copy_from_slice(state);
        self.now[self.n..2 * self.n].fill(0.0);
        self.begun = false;
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.begun = false;
    }

    fn segment(&mut self) -> Segment {
        let n = self.n;
        let ends = [(self.t_old, &self.before[..n]), (self.t.value, &self.now[..n])];
        let slopes = ends.map(|(t, state)| {
            let mut slope = vec![0.0; n];
            self.field.evaluate(t, state, &mut slope).then_some(slope)
        });
        self.field.take_failure();
        cubic(self.t_old, self.h_old, [&self.before[..n], &self.now[..n]], slopes)
    }

    fn statistics(&self) -> Statistics {
        Statistics { evaluations: self.field.evaluations(), ..self.statistics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σγ = 1 is the order 1; the sums of odd powers must vanish for the higher ones: HLW (V.3.3), theorem V.3.1. Rounding of the
    /// coefficients leaves some units of the last place.
    #[test]
    fn compositions_satisfy_the_conditions_on_powers() {
        for composition in [&VERLET, &SUZUKI, &KAHAN_LI_6, &KAHAN_LI_8] {
            let gamma = composition.coefficients();
            let sum = |power: i32| gamma.iter().map(|g| g.powi(power)).sum::<f64>();
            assert!((sum(1) - 1.0).abs() < 1e-15, "{composition:?}");
            for power in (3..composition.order as i32).step_by(2) {
                assert!(sum(power).abs() < 1e-15, "{composition:?}: {power}");
            }
            let reversed: Vec<f64> = gamma.iter().rev().copied().collect();
            assert_eq!(gamma, reversed);
        }
        // γ = 1/(4 − 4^{1/3})
        assert!((SUZUKI_OUTER * (4.0 - 4f64.cbrt()) - 1.0).abs() < 1e-15);
    }

    fn field(f: impl FnOnce(&mut KernelBuilder, &[Value]) -> Vec<Value>, n: usize) -> Kernel {
        let mut b = KernelBuilder::new("test");
        let y: Vec<Value> = (0..n).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        for (i, v) in f(&mut b, &y).into_iter().enumerate() {
            b.output(format!("o{i}"), v);
        }
        b.finish()
    }

    #[test]
    fn classes_of_states_are_found() {
        let oscillators = field(|b, y| vec![y[1], b.neg(y[0]), y[3], b.neg(y[2])], 4);
        let found = separation(&oscillators).unwrap();
        assert_eq!((found.positions, found.momenta), (vec![0, 2], vec![1, 3]));
        // v′ = −x − v
        let damped = field(
            |b, y| {
                let sum = b.add(y[0], y[1]);
                vec![y[1], b.neg(sum)]
            },
            2,
        );
        assert_eq!(separation(&damped), Err(NotSeparable { slope_of: 1, depends_on: 1 }));
        // Three states in a circle have no two classes.
        assert!(separation(&field(|_, y| vec![y[1], y[2], y[0]], 3)).is_err());
    }
}
