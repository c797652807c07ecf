//! Variational integrators: the discrete Euler–Lagrange equations of a Lagrangian.
//!
//! The action of one step is replaced by a quadrature of the Lagrangian along a polynomial through Q₀ = q, Q₁, …, Qₛ = q̄,
//!
//! ```text
//! L_d(q, q̄) = h Σᵢ bᵢ L(t + cᵢ h, Xᵢ, Vᵢ),      Xᵢ = Σⱼ ℓⱼ(cᵢ) Qⱼ,   Vᵢ = h⁻¹ Σⱼ ℓⱼ′(cᵢ) Qⱼ,
//! ```
//!
//! stationary in the inner points; a step takes (q, p) to (q̄, p̄) by
//!
//! ```text
//! p = −D₁L_d(q, q̄),   p̄ = D₂L_d(q, q̄)                                   Marsden–West (1.5.2)
//! ```
//!
//! (Marsden and West, *Discrete mechanics and variational integrators*, Acta Numerica 10 (2001) 357). Whatever the quadrature,
//! that is a symplectic map, and every symmetry of L_d keeps its momentum: the discrete Noether theorem, §1.3.3. One
//! point in the middle is the midpoint rule, the two ends are Verlet's method, s points of Gauss with degree s are Galerkin's
//! method of order 2s (§2.6.6; HLW is Hairer, Lubich and Wanner, *Geometric Numerical Integration*).
//!
//! Forces enter with the same quadrature (§3.2.1, the discrete Lagrange–d'Alembert principle). Constraints act at the ends of a
//! step, p + h Gᵀλ = −D₁L_d with G = ∂f/∂q′:
//!
//! ```text
//! holonomic       f(t̄, q̄) = 0                                       §3.5.1: SHAKE, RATTLE
//! nonholonomic    f(t + h/2, (q + q̄)/2, (q̄ − q)/h) = 0            Cortés and Martínez, Nonlinearity 14 (2001) 1365
//! ```
//!
//! and at each end the momentum is taken to the constraint, p̄ ← p̄ + Gᵀμ with f = 0 for its velocity, which changes no
//! later position, since the next λ absorbs it. The states of a run are (q, q′) with p = ∂L/∂q′.
//!
//! Unknowns are (Qⱼ − q)/h, so that nothing is lost in differences, and q and p are sums with compensation: a momentum that is
//! kept is kept to the last bits. The equations are generated from L and compiled with their derivatives; Newton's method
//! solves them to rounding.

use std::sync::Arc;
use std::time::Duration;

use crate::codegen::compiled::{self, Caller, CompiledKernel, Options};
use crate::codegen::interpret::Failure;
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Value};

use super::control::{Compensated, StopReason};
use super::field::Field;
use super::lu::Lu;
use super::newton::Unsolved;
use super::problem::{InitialValueProblem, Motion};
use super::stepper::{Segment, Statistics, Stepper, cubic};

/// What the discrete equations are made of. The kernel reads t, the states q and q′ and the parameters. With m coordinates and k
/// constraints, the first of which are holonomic, its outputs are, matrices row by row,
///
/// ```text
/// ∂L/∂q + F, ∂L/∂q′                                  m each
/// ∂/∂q and ∂/∂q′ of the first, of the second         m × m each
/// f of the holonomic constraints                     one each
/// f of all constraints with velocities               k:   df/dt of the holonomic ones
/// its ∂/∂q, ∂/∂q′                                    k × m each
/// ```
#[derive(Clone, Debug)]
pub struct Action {
    pub kernel: Kernel,
    pub m: usize,
    pub holonomic: usize,
    pub constraints: usize,
}

/// How the action of a step is discretised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discretisation {
    Midpoint,
    Trapezoidal,
    /// Points of Gauss, of an even order.
    Galerkin {
        order: u32,
    },
}

impl Discretisation {
    pub fn order(self) -> u32 {
        match self {
            Discretisation::Midpoint | Discretisation::Trapezoidal => 2,
            Discretisation::Galerkin { order } => order,
        }
    }
}

/// A discrete Lagrangian: the degree of the polynomial, and the quadrature.
#[derive(Clone, PartialEq, Debug)]
pub struct Scheme {
    pub order: u32,
    /// 0 = τ₀ < … < τₛ = 1
    nodes: Vec<f64>,
    points: Vec<f64>,
    weights: Vec<f64>,
    /// ℓⱼ(cᵢ) and ℓⱼ′(cᵢ), by i, then j.
    values: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Scheme {
    pub fn of(kind: Discretisation) -> Scheme {
        match kind {
            Discretisation::Midpoint => Scheme::midpoint(),
            Discretisation::Trapezoidal => Scheme::trapezoidal(),
            Discretisation::Galerkin { order } => Scheme::galerkin(order),
        }
    }

    pub fn midpoint() -> Scheme {
        Scheme::new(2, 1, vec![0.5], vec![1.0])
    }

    pub fn trapezoidal() -> Scheme {
        Scheme::new(2, 1, vec![0.0, 1.0], vec![0.5, 0.5])
    }

    /// Degree s with s points of Gauss: order 2s, here 4 or 6.
    pub fn galerkin(order: u32) -> Scheme {
        match order {
            6 => {
                let off = 15f64.sqrt() / 10.0;
                Scheme::new(6, 3, vec![0.5 - off, 0.5, 0.5 + off], vec![5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0])
            }
            _ => {
                let off = 3f64.sqrt() / 6.0;
                Scheme::new(4, 2, vec![0.5 - off, 0.5 + off], vec![0.5, 0.5])
            }
        }
    }

    fn new(order: u32, s: usize, points: Vec<f64>, weights: Vec<f64>) -> Scheme {
        let nodes: Vec<f64> = (0..=s).map(|j| j as f64 / s as f64).collect();
        let factor = |j: usize, l: usize, x: f64| (x - nodes[l]) / (nodes[j] - nodes[l]);
        let value = |j: usize, x: f64| (0..=s).filter(|l| *l != j).map(|l| factor(j, l, x)).product::<f64>();
        // ℓⱼ′ = Σₖ 1/(τⱼ − τₖ) Π_{l ≠ j, k} (x − τₗ)/(τⱼ − τₗ)
        let slope = |j: usize, x: f64| {
            let without = |k: usize| {
                let others = (0..=s).filter(|l| *l != j && *l != k);
                others.map(|l| factor(j, l, x)).product::<f64>() / (nodes[j] - nodes[k])
            };
            (0..=s).filter(|k| *k != j).map(without).sum::<f64>()
        };
        Scheme {
            order,
            values: points.iter().map(|x| (0..=s).map(|j| value(j, *x)).collect()).collect(),
            slopes: points.iter().map(|x| (0..=s).map(|j| slope(j, *x)).collect()).collect(),
            nodes,
            points,
            weights,
        }
    }

    pub fn degree(&self) -> usize {
        self.nodes.len() - 1
    }
}

/// What a kernel of the equations of a step computes.
#[derive(Clone, Copy)]
enum Wanted {
    Equations,
    Increment,
}

/// The outputs of the kernel of a [`Action`], taken apart.
struct Parts {
    force: Vec<Value>,
    momentum: Vec<Value>,
    /// By row, then column.
    force_q: Vec<Value>,
    force_v: Vec<Value>,
    momentum_q: Vec<Value>,
    momentum_v: Vec<Value>,
    positions: Vec<Value>,
    velocities: Vec<Value>,
    velocities_q: Vec<Value>,
    velocities_v: Vec<Value>,
}

impl Action {
    fn at(&self, b: &mut KernelBuilder, t: Value, q: &[Value], v: &[Value]) -> Parts {
        let (m, k) = (self.m, self.constraints);
        let all = b.inline(&self.kernel, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Time => t,
            Bank::State if (input.slot as usize) < m => q[input.slot as usize],
            Bank::State => v[input.slot as usize - m],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        let mut rest = all.as_slice();
        let mut take = |count: usize| {
            let (first, others) = rest.split_at(count);
            rest = others;
            first.to_vec()
        };
        Parts {
            force: take(m),
            momentum: take(m),
            force_q: take(m * m),
            force_v: take(m * m),
            momentum_q: take(m * m),
            momentum_v: take(m * m),
            positions: take(self.holonomic),
            velocities: take(k),
            velocities_q: take(k * m),
            velocities_v: take(k * m),
        }
    }

    /// The equations of one step: residuals, their Jacobian matrix row by row; and, alone, (p̄ − p)/h.
    ///
    /// ```text
    /// time    t, h
    /// state   q, q′, p, Uⱼ = (Qⱼ − q)/h for j = 1, …, s, λ
    /// ```
    fn step_kernel(&self, scheme: &Scheme, what: Wanted) -> Kernel {
        let (m, k, s) = (self.m, self.constraints, scheme.degree());
        let mut b = KernelBuilder::new("discrete Euler–Lagrange equations");
        b.set_math(self.kernel.math);
        let (t, h) = (b.input_at("t", Bank::Time, 0), b.input_at("h", Bank::Time, 1));
        let mut slot = 0;
        let mut states = |b: &mut KernelBuilder, name: &str, count: usize| -> Vec<Value> {
            let first = slot;
            slot += count;
            (0..count).map(|i| b.input_at(&format!("{name}{i}"), Bank::State, (first + i) as u32)).collect()
        };
        let (q, v, p) = (states(&mut b, "q", m), states(&mut b, "v", m), states(&mut b, "p", m));
        let u: Vec<Vec<Value>> = (1..=s).map(|j| states(&mut b, &format!("u{j}_"), m)).collect();
        let lambda = states(&mut b, "lambda", k);
        let n = s * m + k;
        let zero = b.constant(0.0);
        let mut residual = vec![zero; n];
        let mut jacobian = vec![zero; n * n];
        let mut change = vec![zero; m];
        residual[..m].copy_from_slice(&p);
        for (i, c) in scheme.points.iter().enumerate() {
            let (value, slope, weight) = (&scheme.values[i], &scheme.slopes[i], scheme.weights[i]);
            let (mut x, mut velocity) = (vec![zero; m], vec![zero; m]);
            for j in 1..=s {
                for l in 0..m {
                    x[l] = scaled_sum(&mut b, x[l], value[j], u[j - 1][l]);
                    velocity[l] = scaled_sum(&mut b, velocity[l], slope[j], u[j - 1][l]);
                }
            }
            for l in 0..m {
                let moved = b.mul(h, x[l]);
                x[l] = b.add(q[l], moved);
            }
            let part = b.constant(*c);
            let offset = b.mul(part, h);
            let time = b.add(t, offset);
            let parts = self.at(&mut b, time, &x, &velocity);
            for l in 0..m {
                change[l] = scaled_sum(&mut b, change[l], weight, parts.force[l]);
            }
            for j in 0..s {
                for l in 0..m {
                    // bᵢ (h ℓⱼ F + ℓⱼ′ p)
                    let pull = b.mul(h, parts.force[l]);
                    let sum = scaled_sum(&mut b, zero, value[j], pull);
                    let sum = scaled_sum(&mut b, sum, slope[j], parts.momentum[l]);
                    residual[j * m + l] = scaled_sum(&mut b, residual[j * m + l], weight, sum);
                    for other in 1..=s {
                        for c in 0..m {
                            let at = l * m + c;
                            // ∂F/∂U = h ℓ F_q + ℓ′ F_v, and the same of p.
                            let by = |b: &mut KernelBuilder, of_q: Value, of_v: Value| {
                                let first = b.mul(h, of_q);
                                let sum = scaled_sum(b, zero, value[other], first);
                                scaled_sum(b, sum, slope[other], of_v)
                            };
                            let force = by(&mut b, parts.force_q[at], parts.force_v[at]);
                            let momentum = by(&mut b, parts.momentum_q[at], parts.momentum_v[at]);
                            let force = b.mul(h, force);
                            let sum = scaled_sum(&mut b, zero, value[j], force);
                            let sum = scaled_sum(&mut b, sum, slope[j], momentum);
                            let entry = &mut jacobian[(j * m + l) * n + (other - 1) * m + c];
                            *entry = scaled_sum(&mut b, *entry, weight, sum);
                        }
                    }
                }
            }
        }
        if k > 0 {
            let start = self.at(&mut b, t, &q, &v);
            for l in 0..m {
                for i in 0..k {
                    let direction = start.velocities_v[i * m + l];
                    let reaction = b.mul(direction, lambda[i]);
                    change[l] = b.add(change[l], reaction);
                    let reaction = b.mul(h, reaction);
                    residual[l] = b.add(residual[l], reaction);
                    jacobian[l * n + s * m + i] = b.mul(h, direction);
                }
            }
            let last = &u[s - 1];
            let along = |b: &mut KernelBuilder, part: f64| -> Vec<Value> {
                let part = b.constant(part);
                let length = b.mul(part, h);
                (0..m)
                    .map(|l| {
                        let moved = b.mul(length, last[l]);
                        b.add(q[l], moved)
                    })
                    .collect()
            };
            let (end, middle) = (along(&mut b, 1.0), along(&mut b, 0.5));
            let half = b.constant(0.5);
            let half = b.mul(half, h);
            let (late, centre) = (b.add(t, h), b.add(t, half));
            let at_end = self.at(&mut b, late, &end, last);
            let inside = self.at(&mut b, centre, &middle, last);
            for i in 0..k {
                let row = s * m + i;
                let columns = row * n + (s - 1) * m;
                if i < self.holonomic {
                    residual[row] = b.div(at_end.positions[i], h);
                    for l in 0..m {
                        jacobian[columns + l] = at_end.velocities_v[i * m + l];
                    }
                } else {
                    residual[row] = inside.velocities[i];
                    for l in 0..m {
                        let moved = b.mul(half, inside.velocities_q[i * m + l]);
                        jacobian[columns + l] = b.add(moved, inside.velocities_v[i * m + l]);
                    }
                }
            }
        }
        let outputs = match what {
            Wanted::Equations => [residual, jacobian].concat(),
            Wanted::Increment => change,
        };
        for (i, value) in outputs.into_iter().enumerate() {
            b.output(format!("o{i}"), value);
        }
        b.finish()
    }

    /// The velocity at the end of a step, and the reaction there: residuals, their Jacobian matrix, Gᵀμ.
    ///
    /// ```text
    /// time    t
    /// state   q, p, q′, μ:      ∂L/∂q′ = p + Gᵀμ,   f = 0
    /// ```
    fn node_kernel(&self) -> Kernel {
        let (m, k) = (self.m, self.constraints);
        let mut b = KernelBuilder::new("velocities");
        b.set_math(self.kernel.math);
        let t = b.input_at("t", Bank::Time, 0);
        let states = |b: &mut KernelBuilder, name: &str, first: usize, count: usize| -> Vec<Value> {
            (0..count).map(|i| b.input_at(&format!("{name}{i}"), Bank::State, (first + i) as u32)).collect()
        };
        let (q, p) = (states(&mut b, "q", 0, m), states(&mut b, "p", m, m));
        let (v, mu) = (states(&mut b, "v", 2 * m, m), states(&mut b, "mu", 3 * m, k));
        let parts = self.at(&mut b, t, &q, &v);
        let n = m + k;
        let zero = b.constant(0.0);
        let mut jacobian = vec![zero; n * n];
        let mut reaction = vec![zero; m];
        for l in 0..m {
            for i in 0..k {
                let direction = parts.velocities_v[i * m + l];
                let force = b.mul(direction, mu[i]);
                reaction[l] = b.add(reaction[l], force);
                jacobian[l * n + m + i] = b.neg(direction);
                jacobian[(m + i) * n + l] = direction;
            }
            for c in 0..m {
                jacobian[l * n + c] = parts.momentum_v[l * m + c];
            }
        }
        for l in 0..m {
            let off = b.sub(parts.momentum[l], p[l]);
            let off = b.sub(off, reaction[l]);
            b.output(format!("r{l}"), off);
        }
        for i in 0..k {
            b.output(format!("r{}", m + i), parts.velocities[i]);
        }
        for (name, values) in [("j", jacobian), ("reaction", reaction)] {
            for (i, value) in values.into_iter().enumerate() {
                b.output(format!("{name}{i}"), value);
            }
        }
        b.finish()
    }

    /// ∂L/∂q′ at a state.
    fn momentum_kernel(&self) -> Kernel {
        let mut b = KernelBuilder::new("momenta");
        b.set_math(self.kernel.math);
        let all = b.inline(&self.kernel, &mut |b: &mut KernelBuilder, input: &Input| {
            b.input_at(&input.name, input.bank, input.slot)
        });
        for (i, value) in all[self.m..2 * self.m].iter().enumerate() {
            b.output(format!("p{i}"), *value);
        }
        b.finish()
    }
}

/// `sum + factor*x`, without what is 0 by itself.
fn scaled_sum(b: &mut KernelBuilder, sum: Value, factor: f64, x: Value) -> Value {
    if factor == 0.0 || b.as_constant(x) == Some(0.0) {
        return sum;
    }
    let factor = b.constant(factor);
    let term = b.mul(factor, x);
    if b.as_constant(sum) == Some(0.0) { term } else { b.add(sum, term) }
}

/// The kernels of a discrete Lagrangian.
#[derive(Clone)]
pub struct CompiledAction {
    action: Arc<Action>,
    scheme: Scheme,
    step: CompiledKernel,
    increment: CompiledKernel,
    node: CompiledKernel,
    momentum: CompiledKernel,
}

impl CompiledAction {
    pub fn new(action: Arc<Action>, scheme: Scheme, options: Options) -> CompiledAction {
        CompiledAction {
            step: compiled::compile(action.step_kernel(&scheme, Wanted::Equations), options),
            increment: compiled::compile(action.step_kernel(&scheme, Wanted::Increment), options),
            node: compiled::compile(action.node_kernel(), options),
            momentum: compiled::compile(action.momentum_kernel(), options),
            action,
            scheme,
        }
    }

    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    pub fn compile_time(&self) -> Duration {
        [&self.step, &self.increment, &self.node, &self.momentum].into_iter().map(CompiledKernel::compile_time).sum()
    }
}

/// Where a motion is: positions and momenta, what rounding took from them, velocities, the last multipliers.
#[derive(Clone, Debug)]
struct Place {
    t: Compensated,
    q: Vec<Compensated>,
    p: Vec<Compensated>,
    /// q and q′.
    state: Vec<f64>,
    lambda: Vec<f64>,
}

/// The method at work.
pub struct Variational<'a> {
    compiled: CompiledAction,
    step: Caller,
    increment: Caller,
    node: Caller,
    momentum: Caller,
    parameters: &'a [f64],
    field: Field,
    h: f64,
    now: Place,
    before: Place,
    h_old: f64,
    /// p belongs to the state.
    begun: bool,
    /// The matrices of the equations of a step, and of its end.
    matrices: [Vec<f64>; 2],
    out: [Vec<f64>; 2],
    /// The largest position, velocity and multiplier so far: what rounding is measured by.
    sizes: [f64; 3],
    statistics: Statistics,
}

impl<'a> Variational<'a> {
    pub fn new(compiled: CompiledAction, motion: &Motion, problem: &'a InitialValueProblem) -> Variational<'a> {
        let Action { m, constraints: k, .. } = *compiled.action;
        let s = compiled.scheme.degree();
        let span = problem.end - problem.start;
        let place = Place {
            t: Compensated::new(problem.start),
            q: problem.state[..m].iter().map(|x| Compensated::new(*x)).collect(),
            p: vec![Compensated::default(); m],
            state: problem.state.clone(),
            lambda: vec![0.0; k],
        };
        let outputs = |kernel: &CompiledKernel| vec![0.0; kernel.kernel().outputs().len()];
        Variational {
            step: compiled.step.caller(),
            increment: compiled.increment.caller(),
            node: compiled.node.caller(),
            momentum: compiled.momentum.caller(),
            parameters: &problem.parameters,
            field: Field::new(motion.field(), &problem.parameters),
            h: problem.step.unwrap_or((span / 1000.0).abs()).copysign(span),
            before: place.clone(),
            now: place,
            h_old: 0.0,
            begun: false,
            matrices: [s * m + k, m + k].map(|n| vec![0.0; n * n]),
            out: [outputs(&compiled.step), outputs(&compiled.node)],
            sizes: [0.0; 3],
            statistics: Statistics { order: compiled.scheme.order, ..Statistics::default() },
            compiled,
        }
    }

    /// The momenta of the current state.
    fn begin(&mut self) -> Result<(), Failure> {
        let m = self.compiled.action.m;
        let mut p = vec![0.0; m];
        let time = [self.now.t.value];
        self.momentum.call([&time, &self.now.state, self.parameters, &[]], &mut p)?;
        self.now.p = p.into_iter().map(Compensated::new).collect();
        self.now.q = self.now.state[..m].iter().map(|x| Compensated::new(*x)).collect();
        self.begun = true;
        Ok(())
    }

    /// One step of length h.
    fn make(&mut self, from: &Place, h: f64, end: Compensated) -> Result<Place, Unsolved> {
        let Action { m, constraints: k, .. } = *self.compiled.action;
        let s = self.compiled.scheme.degree();
        let values = |list: &[Compensated]| list.iter().map(|x| x.value).collect::<Vec<_>>();
        let velocity = &from.state[m..2 * m];
        let mut x: Vec<f64> =
            self.compiled.scheme.nodes[1..].iter().flat_map(|tau| velocity.iter().map(move |v| tau * v)).collect();
        x.extend(&from.lambda);
        let mut input = [&from.state[..2 * m], &values(&from.p), &x].concat();
        let n = s * m + k;
        let largest = |list: &[f64], least: f64| list.iter().fold(least, |most: f64, x| most.max(x.abs()));
        let [positions, velocities, multipliers] = self.sizes;
        let positions = largest(&from.state[..m], positions);
        // A velocity is a difference of positions, over h.
        let velocities = largest(velocity, velocities).max(1e-2 * positions / h.abs());
        let multipliers = largest(&from.lambda, multipliers).max(velocities / h.abs());
        self.sizes = [positions, largest(velocity, self.sizes[1]), largest(&from.lambda, self.sizes[2])];
        let scale = |i: usize, first: usize| if i < first { velocities } else { multipliers };
        let (parameters, caller, out) = (self.parameters, &mut self.step, &mut self.out[0]);
        let times = [from.t.value, h];
        let corrections = solve(
            &mut x,
            &mut self.matrices[0],
            |i| scale(i, s * m),
            |x, residual, matrix| {
                input[3 * m..].copy_from_slice(x);
                caller.call([&times, &input, parameters, &[]], out)?;
                residual.copy_from_slice(&out[..n]);
                matrix.copy_from_slice(&out[n..]);
                Ok(())
            },
        )?;
        self.statistics.evaluations += u64::from(corrections);
        input[3 * m..].copy_from_slice(&x);
        let mut change = vec![0.0; m];
        self.increment.call([&times, &input, parameters, &[]], &mut change).map_err(Unsolved::NoValue)?;
        let mut next = from.clone();
        next.t = end;
        for l in 0..m {
            next.q[l] = from.q[l].plus(h * x[(s - 1) * m + l]);
            next.p[l] = from.p[l].plus(h * change[l]);
        }
        next.lambda.copy_from_slice(&x[s * m..]);
        // The velocity of the new momentum, and the momentum on the constraint.
        let mut y: Vec<f64> = from.state[m..2 * m].to_vec();
        y.resize(m + k, 0.0);
        let mut input = [values(&next.q), values(&next.p), y.clone()].concat();
        let (caller, out) = (&mut self.node, &mut self.out[1]);
        let (times, n) = ([end.value], m + k);
        solve(
            &mut y,
            &mut self.matrices[1],
            |i| scale(i, m),
            |y, residual, matrix| {
                input[2 * m..].copy_from_slice(y);
                caller.call([&times, &input, parameters, &[]], out)?;
                residual.copy_from_slice(&out[..n]);
                matrix.copy_from_slice(&out[n..n + n * n]);
                Ok(())
            },
        )?;
        for l in 0..m {
            next.state[l] = next.q[l].value;
            next.state[m + l] = y[l];
            if k > 0 {
                next.p[l] = next.p[l].plus(out[n + n * n + l]);
            }
        }
        Ok(next)
    }
}

/// Corrections after which an iteration is given up.
const MOST: u32 = 60;

/// Corrections that stop shrinking below this size are rounding errors, which a matrix may make larger.
const NOISE: f64 = 1e-10;

/// Solves F(x) = 0 to rounding, where x has these sizes; the result is the number of corrections. An iteration that ended earlier
/// would leave an error in the same direction at every step, and the energy would drift (HLW §VIII.6).
fn solve(
    x: &mut [f64],
    matrix: &mut [f64],
    size: impl Fn(usize) -> f64,
    mut evaluate: impl FnMut(&[f64], &mut [f64], &mut [f64]) -> Result<(), Failure>,
) -> Result<u32, Unsolved> {
    let n = x.len();
    let mut residual = vec![0.0; n];
    let mut lu: Lu<f64> = Lu::new(n);
    let mut last = f64::INFINITY;
    for corrections in 1..=MOST {
        evaluate(x, &mut residual, matrix).map_err(Unsolved::NoValue)?;
        lu.matrix.copy_from_slice(matrix);
        lu.factorise().map_err(Unsolved::Singular)?;
        lu.solve(&mut residual);
        let mut correction = 0.0f64;
        for (i, (x, d)) in x.iter_mut().zip(&residual).enumerate() {
            *x -= d;
            let relative = if *d == 0.0 { 0.0 } else { d.abs() / size(i) };
            // What is no number is the largest.
            correction = if relative <= correction { correction } else { relative };
        }
        let slower = !(correction < 0.9 * last);
        // The next correction would be this one times the last decrease, at most.
        let next = if corrections > 1 { correction * (correction / last) } else { correction };
        if correction == 0.0 || slower && correction <= NOISE || next <= 1e-3 * f64::EPSILON {
            return Ok(corrections);
        }
        if slower && corrections > 3 {
            break;
        }
        last = correction;
    }
    Err(Unsolved::NotConverging)
}

impl Stepper for Variational<'_> {
    fn time(&self) -> f64 {
        self.now.t.value
    }

    fn state(&self) -> &[f64] {
        &self.now.state
    }

    fn previous_time(&self) -> f64 {
        self.before.t.value
    }

    fn step(&mut self, limit: f64) -> Result<(), StopReason> {
        if !self.begun {
            self.begin().map_err(|failure| StopReason::SingularPoint { failure })?;
        }
        let t = self.now.t;
        let remaining = limit - t.value;
        // The last step is stretched by up to a hundredth rather than followed by a tiny one.
        let last = (1.01 * self.h).abs() >= remaining.abs();
        let h = if last { remaining } else { self.h };
        if t.value + 0.1 * h == t.value && !last {
            return Err(StopReason::StepTooSmall);
        }
        let end = if last { Compensated::new(limit) } else { t.plus(h) };
        let from = self.now.clone();
        let next = self.make(&from, h, end).map_err(|unsolved| StopReason::Unsolved { step: h, unsolved })?;
        self.before = from;
        self.now = next;
        self.h_old = h;
        self.statistics.accept(h);
        Ok(())
    }

    fn interpolate(&mut self, t: f64, out: &mut [f64]) {
        self.state_at(t, out);
    }

    /// One step of the method from the beginning of the last step.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        let from = self.before.clone();
        let h = t - from.t.value;
        let state = match h == 0.0 {
            true => from.state,
            false => self.make(&from, h, Compensated::new(t)).map_or(self.now.state.clone(), |place| place.state),
        };
        out.copy_from_slice(&state);
    }

    fn cut(&mut self, t: f64) {
        let mut state = self.now.state.clone();
        self.state_at(t, &mut state);
        self.now.t = Compensated::new(t);
        self.replace(&state);
    }

    fn replace(&mut self, state: &[f64]) {
        self.now.state.copy_from_slice(state);
        self.begun = false;
    }

    fn restart(&mut self, modes: &[f64]) {
        self.field.set_modes(modes);
        self.begun = false;
    }

    fn ends_on_constraints(&self) -> bool {
        self.compiled.action.constraints > 0
    }

    fn segment(&mut self) -> Segment {
        let slopes = [&self.before, &self.now].map(|place| {
            let mut slope = vec![0.0; place.state.len()];
            self.field.evaluate(place.t.value, &place.state, &mut slope).then_some(slope)
        });
        self.field.take_failure();
        cubic(self.before.t.value, self.h_old, [&self.before.state, &self.now.state], slopes)
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
