//! Collocation on the rotation group, in the charts of [`super::lie`].
//!
//! Collocation at the points of Gauss for (y, v), with v′ = Im(g⁻¹ g″) and g″ from the vector field:
//!
//! ```text
//! yᵢ = h Σⱼ (aᵢⱼ − ½ bⱼ) yⱼ′,   vᵢ = v + h Σⱼ aᵢⱼ vⱼ′,   centre c = g τ(½ h Σⱼ bⱼ yⱼ′).
//! ```
//!
//! It takes every force, and other constraints too, whose drift is projected away. In v it is Gauss's method, so the energy and the
//! angular momentum of a free body, which are quadratic in v, stay to rounding.

use std::sync::Arc;

use crate::codegen::compiled::{self, Caller, CompiledKernel, Options};
use crate::codegen::interpret::Failure;
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Value};

use super::collocation::{Collocation, Twofold};
use super::control::Compensated;
use super::lie::{
    Group, Own, Vector, begun, cayley, cross, dot, finished, inputs, largest, plus, product, scaled, unit, values,
    vector, with_slopes,
};
use super::method::Method;
use super::newton::Unsolved;
use super::one_step::{Place, Repeated, StepMap, solve};
use super::problem::{InitialValueProblem, Motion, by_size};
use super::variational::scaled_sum;

/// The equations of the stages of Gauss's method on a group, and its end. State: y′ and v′ of every stage; parameters: those of
/// the field, then g and v.
struct Stages<'a> {
    group: &'a Group,
    field: &'a Kernel,
    gauss: &'a Collocation,
}

impl Stages<'_> {
    fn n_parameters(&self) -> usize {
        self.field.bank_len(Bank::Parameter)
    }

    /// Σⱼ wⱼ kⱼ with weights of twice the digits; `part`: 0 for y′, 1 for v′.
    fn sum(&self, b: &mut KernelBuilder, k: &[Value], part: usize, weight: impl Fn(usize) -> Twofold) -> Vec<Value> {
        let n = self.group.n();
        let zero = b.constant(0.0);
        let s = self.gauss.n_stages();
        (0..n)
            .map(|l| {
                let entry = |j: usize| k[(2 * j + part) * n + l];
                let low = (0..s).fold(zero, |sum, j| scaled_sum(b, sum, weight(j).low, entry(j)));
                (0..s).fold(low, |sum, j| scaled_sum(b, sum, weight(j).high, entry(j)))
            })
            .collect()
    }

    /// The centre of a step, from the stages.
    fn centre(&self, b: &mut KernelBuilder, h: Value, k: &[Value]) -> (Vec<Value>, Vec<Value>) {
        let (m, first) = (self.group.m(), self.n_parameters());
        let g = inputs(b, Bank::Parameter, "g", first, m);
        let half = b.constant(0.5);
        let mean = self.sum(b, k, 0, |j| self.gauss.weights[j]);
        let half = b.mul(half, h);
        let y: Vec<Value> = mean.into_iter().map(|x| b.mul(half, x)).collect();
        (self.group.moved(b, &g, &y), y)
    }

    fn equations(&self) -> Kernel {
        let (group, s) = (self.group, self.gauss.n_stages());
        let (m, n, first) = (group.m(), group.n(), group.first_number());
        let (mut b, t, h) = begun("stages on a group", self.field);
        let k = inputs(&mut b, Bank::State, "k", 0, 2 * n * s);
        let start = inputs(&mut b, Bank::Parameter, "v", self.n_parameters() + m, n);
        let (centre, _) = self.centre(&mut b, h, &k);
        let half = Twofold::from(0.5);
        let mut residual = vec![];
        for i in 0..s {
            let a = |j: usize| self.gauss.matrix[i * s + j];
            let y = self.sum(&mut b, &k, 0, |j| a(j) - half * self.gauss.weights[j]);
            let y: Vec<Value> = y.into_iter().map(|y| b.mul(h, y)).collect();
            let gain = self.sum(&mut b, &k, 1, a);
            let v: Vec<Value> = gain
                .into_iter()
                .zip(&start)
                .map(|(gain, v)| {
                    let gain = b.mul(h, gain);
                    b.add(*v, gain)
                })
                .collect();
            let g = group.moved(&mut b, &centre, &y);
            let moving = group.velocity(&mut b, &g, &v);
            let part = b.constant(self.gauss.points[i].high);
            let offset = b.mul(part, h);
            let time = b.add(t, offset);
            let slopes = b.inline(self.field, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
                Bank::Time => time,
                Bank::State if (input.slot as usize) < m => g[input.slot as usize],
                Bank::State => moving[input.slot as usize - m],
                bank => b.input_at(&input.name, bank, input.slot),
            });
            let (mut by_y, mut by_v) = (vec![], vec![]);
            for r in 0..group.quaternions.len() {
                by_y.extend(slope_of(&mut b, vector(&y, r), vector(&v, r)));
                // Im(g⁻¹ g″)
                let [w, x, y, z] = group.quaternion(&g, r);
                let inverse = [w, b.neg(x), b.neg(y), b.neg(z)];
                let turned = product(&mut b, inverse, group.quaternion(&slopes[m..], r));
                by_v.extend(&turned[1..]);
            }
            by_y.extend(&v[first..]);
            by_v.extend(group.numbers.iter().map(|place| slopes[m + place]));
            for (l, value) in by_y.into_iter().chain(by_v).enumerate() {
                residual.push(b.sub(k[2 * i * n + l], value));
            }
        }
        with_slopes(&finished(b, residual))
    }

    /// Quaternions at the end and Σ bⱼ y′ of numbers, by coordinate; then Σ bⱼ v′.
    fn end(&self) -> Kernel {
        let (group, s) = (self.group, self.gauss.n_stages());
        let (mut b, _, h) = begun("end of stages on a group", self.field);
        let k = inputs(&mut b, Bank::State, "k", 0, 2 * group.n() * s);
        let (centre, y) = self.centre(&mut b, h, &k);
        let mean = self.sum(&mut b, &k, 0, |j| self.gauss.weights[j]);
        let gain = self.sum(&mut b, &k, 1, |j| self.gauss.weights[j]);
        let mut outputs = group.assemble(
            &mut b,
            |b, r| {
                let turn = cayley(b, vector(&y, r));
                let end = product(b, group.quaternion(&centre, r), turn);
                unit(b, end)
            },
            |_, i| mean[group.first_number() + i],
        );
        outputs.extend(gain);
        finished(b, outputs)
    }
}

/// The kernels of Gauss's method on a group.
#[derive(Clone)]
pub struct CompiledStages {
    group: Arc<Group>,
    order: u32,
    n_parameters: usize,
    equations: CompiledKernel,
    end: CompiledKernel,
}

impl CompiledStages {
    /// `pivoted`: rows are exchanged in the linear systems of the field.
    pub fn new(group: Arc<Group>, field: &Kernel, method: Method, options: Options, pivoted: bool) -> CompiledStages {
        let order = method.order().unwrap_or(2);
        let gauss = Collocation::gauss((order / 2) as usize);
        let stages = Stages { group: &group, field, gauss: &gauss };
        let equations = stages.equations();
        let options = by_size(&equations, options);
        CompiledStages {
            equations: match pivoted {
                true => compiled::compile_pivoted(equations, options),
                false => compiled::compile(equations, options),
            },
            end: compiled::compile(stages.end(), options),
            order,
            n_parameters: stages.n_parameters(),
            group,
        }
    }
}

/// The method at work.
pub struct LieGauss<'a> {
    compiled: CompiledStages,
    equations: Caller,
    end: Caller,
    parameters: &'a [f64],
    modes: Vec<f64>,
    matrix: Vec<f64>,
    out: [Vec<f64>; 2],
    size: f64,
}

impl<'a> LieGauss<'a> {
    pub fn stepper(
        compiled: CompiledStages,
        motion: &Motion,
        problem: &'a InitialValueProblem,
    ) -> Repeated<LieGauss<'a>> {
        let unknowns = compiled.group.n() * compiled.order as usize;
        let map = LieGauss {
            equations: compiled.equations.caller(),
            end: compiled.end.caller(),
            parameters: &problem.parameters[..compiled.n_parameters],
            modes: vec![1.0; compiled.equations.kernel().bank_len(Bank::Extra)],
            matrix: vec![0.0; unknowns * unknowns],
            out: [&compiled.equations, &compiled.end].map(|k| vec![0.0; k.kernel().outputs().len()]),
            size: 0.0,
            compiled,
        };
        Repeated::new(map, Own::default(), motion, problem)
    }
}

impl StepMap for LieGauss<'_> {
    type Own = Own;

    fn order(&self) -> u32 {
        self.compiled.order
    }

    fn ends_on_constraints(&self) -> bool {
        self.compiled.group.is_all
    }

    fn set_modes(&mut self, modes: &[f64]) {
        self.modes.copy_from_slice(modes);
    }

    fn begin(&mut self, place: &mut Place<Own>) -> Result<(), Failure> {
        let group = &self.compiled.group;
        place.own.v = group.velocities(&place.state).into_iter().map(Compensated::new).collect();
        if place.own.p.is_empty() {
            place.own.p = vec![Compensated::default(); group.n()];
        }
        place.own.numbers = group.numbers_of(&place.state);
        Ok(())
    }

    fn make(&mut self, from: &Place<Own>, h: f64, end: Compensated) -> Result<(Place<Own>, u64), Unsolved> {
        let group = self.compiled.group.clone();
        let (m, n, s) = (group.m(), group.n(), (self.compiled.order / 2) as usize);
        let v: Vec<f64> = values(&from.own.v).collect();
        let banks = [self.parameters, &from.state[..m], &v].concat();
        let stage: Vec<f64> = v.iter().copied().chain(values(&from.own.p)).collect();
        let mut k = stage.repeat(s);
        self.size = largest(v.iter().copied(), self.size);
        let size = self.size.max(1e-2 / h.abs());
        let times = [from.t.value, h];
        let (caller, out, modes) = (&mut self.equations, &mut self.out[0], &self.modes);
        let unknowns = 2 * n * s;
        let scale = |i: usize| if (i / n).is_multiple_of(2) { size } else { size / h.abs() };
        let corrections = solve(&mut k, &mut self.matrix, scale, |k, residual, matrix| {
            caller.call([&times, k, &banks, modes], out)?;
            residual.copy_from_slice(&out[..unknowns]);
            matrix.copy_from_slice(&out[unknowns..]);
            Ok(())
        })?;
        let out = &mut self.out[1];
        self.end.call([&times, &k, &banks, &[]], out).map_err(Unsolved::NoValue)?;
        let mut next = Place { t: end, ..from.clone() };
        for places in &group.quaternions {
            places.iter().for_each(|i| next.state[*i] = out[*i]);
        }
        for (i, place) in group.numbers.iter().enumerate() {
            next.own.numbers[i] = from.own.numbers[i].plus(h * out[*place]);
            next.state[*place] = next.own.numbers[i].value;
        }
        for l in 0..n {
            next.own.v[l] = from.own.v[l].plus(h * out[m + l]);
            next.own.p[l] = Compensated::new(k[(2 * s - 1) * n + l]);
        }
        let v: Vec<f64> = values(&next.own.v).collect();
        group.put_velocities(&mut next.state, &v);
        Ok((next, corrections.into()))
    }
}

/// y′ of y and v.
fn slope_of(b: &mut KernelBuilder, y: Vector, v: Vector) -> Vector {
    let across = cross(b, y, v);
    let along = dot(b, &y, &v);
    let along = scaled(b, along, y);
    let sum = plus(b, v, across);
    plus(b, sum, along)
}
