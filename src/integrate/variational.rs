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
//! With s inner intervals holonomic constraints hold at all s + 1 points, each with its λ; with Lobatto's points, which are those of
//! the quadrature, that has order 2s (Jay, SIAM J. Numer. Anal. 33 (1996) 368; Wenger, Ober-Blöbaum and Leyendecker, Adv. Comput. Math. 43
//! (2017) 1163). At each end the momentum is taken to the constraint, p̄ ← p̄ + Gᵀμ with f = 0 for its velocity, which changes no
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
use crate::codegen::modes;

use super::collocation::{Collocation, MOST_STAGES};
use super::control::Compensated;
use super::field::Field;
use super::newton::Unsolved;
use super::one_step::{Place, Repeated, StepMap, solve};
use super::problem::{InitialValueProblem, Motion, quick};
use super::switches::{Sides, SwitchingFunctions};

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
    /// Points of Lobatto, of an even order: the trapezoidal rule is the first.
    Lobatto {
        order: u32,
    },
}

impl Discretisation {
    pub fn order(self) -> u32 {
        match self {
            Discretisation::Midpoint | Discretisation::Trapezoidal => 2,
            Discretisation::Galerkin { order } | Discretisation::Lobatto { order } => order,
        }
    }
}

/// A discrete Lagrangian: the degree of the polynomial, and the quadrature.
#[derive(Clone, PartialEq, Debug)]
pub struct Scheme {
    pub order: u32,
    /// 0 = τ₀ < … < τₛ = 1
    pub(super) nodes: Vec<f64>,
    pub(super) points: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// ℓⱼ(cᵢ) and ℓⱼ′(cᵢ), by i, then j.
    pub(super) values: Vec<Vec<f64>>,
    pub(super) slopes: Vec<Vec<f64>>,
}

impl Scheme {
    pub fn of(kind: Discretisation) -> Scheme {
        match kind {
            Discretisation::Midpoint => Scheme::midpoint(),
            Discretisation::Trapezoidal => Scheme::trapezoidal(),
            Discretisation::Galerkin { order } => Scheme::galerkin(order),
            Discretisation::Lobatto { order } => Scheme::lobatto(order),
        }
    }

    pub fn midpoint() -> Scheme {
        Scheme::new(2, 1, vec![0.5], vec![1.0])
    }

    pub fn trapezoidal() -> Scheme {
        Scheme::new(2, 1, vec![0.0, 1.0], vec![0.5, 0.5])
    }

    /// Degree s with s points of Gauss: order 2s. With one point it is the midpoint rule.
    pub fn galerkin(order: u32) -> Scheme {
        let s = (order as usize / 2).clamp(1, MOST_STAGES);
        let gauss = Collocation::gauss(s);
        let high = |list: &[super::collocation::Twofold]| list.iter().map(|x| x.high).collect();
        Scheme::new(2 * s as u32, s, high(&gauss.points), high(&gauss.weights))
    }

    /// Degree s with its s + 1 points as those of the quadrature: order 2s.
    pub fn lobatto(order: u32) -> Scheme {
        let s = (order as usize / 2).clamp(1, MOST_STAGES);
        let (points, weights) = super::collocation::lobatto(s);
        Scheme::through(2 * s as u32, points.clone(), points, weights)
    }

    /// Whether the points of the quadrature are those of the polynomial.
    pub fn is_nodal(&self) -> bool {
        self.nodes == self.points
    }

    /// Through Chebyshev's points: polynomials of high degree are not well determined by points at equal distances.
    fn new(order: u32, s: usize, points: Vec<f64>, weights: Vec<f64>) -> Scheme {
        let node = |j: usize| (std::f64::consts::FRAC_PI_2 * j as f64 / s as f64).sin().powi(2);
        let nodes = (0..=s).map(|j| if j == s { 1.0 } else { node(j) }).collect();
        Scheme::through(order, nodes, points, weights)
    }

    fn through(order: u32, nodes: Vec<f64>, points: Vec<f64>, weights: Vec<f64>) -> Scheme {
        let s = nodes.len() - 1;
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
    /// state   q, q′, p, Uⱼ = (Qⱼ − q)/h for j = 1, …, s, λ of the nodes 0, …, s − 1
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
        let lambda = states(&mut b, "lambda", s * k);
        let n = s * (m + k);
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
            let along = |b: &mut KernelBuilder, part: f64, last: &[Value]| -> Vec<Value> {
                let part = b.constant(part);
                let length = b.mul(part, h);
                (0..m)
                    .map(|l| {
                        let moved = b.mul(length, last[l]);
                        b.add(q[l], moved)
                    })
                    .collect()
            };
            for j in 0..s {
                // Reactions at the nodes before the last. Their directions change with the unknowns, which Newton's matrix leaves out.
                let place = match j {
                    0 => self.at(&mut b, t, &q, &v),
                    _ => {
                        let part = b.constant(scheme.nodes[j]);
                        let offset = b.mul(part, h);
                        let (time, there) = (b.add(t, offset), along(&mut b, 1.0, &u[j - 1]));
                        self.at(&mut b, time, &there, &v)
                    }
                };
                for l in 0..m {
                    for i in 0..k {
                        let direction = place.velocities_v[i * m + l];
                        let reaction = b.mul(direction, lambda[j * k + i]);
                        change[l] = b.add(change[l], reaction);
                        let reaction = b.mul(h, reaction);
                        residual[j * m + l] = b.add(residual[j * m + l], reaction);
                        jacobian[(j * m + l) * n + s * m + j * k + i] = b.mul(h, direction);
                    }
                }
                // The constraints at the next node.
                let last = &u[j];
                let (end, middle) = (along(&mut b, 1.0, last), along(&mut b, 0.5, last));
                let half = b.constant(0.5);
                let half = b.mul(half, h);
                let part = b.constant(scheme.nodes[j + 1]);
                let offset = b.mul(part, h);
                let (late, centre) = (b.add(t, offset), b.add(t, half));
                let at_end = self.at(&mut b, late, &end, last);
                let inside = self.at(&mut b, centre, &middle, last);
                for i in 0..k {
                    let row = s * m + j * k + i;
                    let columns = row * n + j * m;
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
pub(super) fn scaled_sum(b: &mut KernelBuilder, sum: Value, factor: f64, x: Value) -> Value {
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
    /// Smooth, as long as decisions stand.
    action: Arc<Action>,
    switching: Option<SwitchingFunctions>,
    scheme: Scheme,
    step: CompiledKernel,
    increment: CompiledKernel,
    node: CompiledKernel,
    momentum: CompiledKernel,
}

impl CompiledAction {
    pub fn new(action: Arc<Action>, scheme: Scheme, options: Options) -> CompiledAction {
        let modes = modes::modes(&action.kernel);
        let switching = modes.as_ref().map(|m| SwitchingFunctions {
            functions: quick(m.functions.clone(), options),
            switches: m.switches.clone(),
            n_numbers: m.n_numbers,
        });
        let action = modes.map_or(action.clone(), |m| Arc::new(Action { kernel: m.smooth, ..(*action).clone() }));
        CompiledAction {
            switching,
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

/// What belongs to a state: positions and momenta with what rounding took from them, the last multipliers.
#[derive(Clone, Debug)]
pub struct Momenta {
    q: Vec<Compensated>,
    p: Vec<Compensated>,
    lambda: Vec<f64>,
}

/// The method at work.
pub struct Variational<'a> {
    compiled: CompiledAction,
    step: Caller,
    increment: Caller,
    node: Caller,
    momentum: Caller,
    /// Decisions of a Lagrangian with kinks, and the field that says to which side a motion leads.
    sides: Option<(Sides, Field)>,
    modes: Vec<f64>,
    /// The direction of the run.
    ahead: f64,
    parameters: &'a [f64],
    /// The matrices of the equations of a step, and of its end.
    matrices: [Vec<f64>; 2],
    out: [Vec<f64>; 2],
    /// The largest position, velocity and multiplier so far: what rounding is measured by.
    sizes: [f64; 3],
}

impl<'a> Variational<'a> {
    pub fn stepper(
        compiled: CompiledAction,
        motion: &Motion,
        problem: &'a InitialValueProblem,
    ) -> Repeated<Variational<'a>> {
        let Action { m, constraints: k, .. } = *compiled.action;
        let s = compiled.scheme.degree();
        let outputs = |kernel: &CompiledKernel| vec![0.0; kernel.kernel().outputs().len()];
        let map = Variational {
            step: compiled.step.caller(),
            increment: compiled.increment.caller(),
            node: compiled.node.caller(),
            momentum: compiled.momentum.caller(),
            sides: compiled
                .switching
                .as_ref()
                .map(|s| (Sides::new(s), Field::new(&motion.field_for(problem).0, &problem.parameters))),
            modes: compiled.switching.as_ref().map_or(vec![], |s| vec![1.0; s.n_numbers]),
            ahead: if problem.end >= problem.start { 1.0 } else { -1.0 },
            parameters: &problem.parameters,
            matrices: [s * (m + k), m + k].map(|n| vec![0.0; n * n]),
            out: [outputs(&compiled.step), outputs(&compiled.node)],
            sizes: [0.0; 3],
            compiled,
        };
        let own = Momenta { q: vec![], p: vec![], lambda: vec![0.0; k] };
        Repeated::new(map, own, motion, problem)
    }
}

impl Variational<'_> {
    /// The decisions a little after a state: a step ends on a kink up to rounding, and the next begins behind it.
    fn decide(&mut self, place: &Place<Momenta>, h: f64) {
        let Some((sides, field)) = &mut self.sides else { return };
        let size = |xs: &[f64]| xs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut slope = vec![0.0; place.state.len()];
        if !field.evaluate(place.t.value, &place.state, &mut slope) {
            field.take_failure();
            return;
        }
        let little = (1e-7 * (1.0 + size(&place.state)) / (1.0 + size(&slope))).min(0.5 * h.abs()).copysign(h);
        let later: Vec<f64> = place.state.iter().zip(&slope).map(|(y, f)| y + little * f).collect();
        self.modes.copy_from_slice(sides.decide(place.t.value + little, &later, self.parameters));
    }
}

impl StepMap for Variational<'_> {
    type Own = Momenta;

    fn set_modes(&mut self, modes: &[f64]) {
        if let Some((_, field)) = &mut self.sides {
            field.set_modes(modes);
        }
    }

    fn order(&self) -> u32 {
        self.compiled.scheme.order
    }

    fn ends_on_constraints(&self) -> bool {
        self.compiled.action.constraints > 0
    }

    /// The momenta of a state.
    fn begin(&mut self, place: &mut Place<Momenta>) -> Result<(), Failure> {
        let m = self.compiled.action.m;
        self.decide(place, self.ahead);
        let mut p = vec![0.0; m];
        let time = [place.t.value];
        self.momentum.call([&time, &place.state, self.parameters, &self.modes], &mut p)?;
        place.own.p = p.into_iter().map(Compensated::new).collect();
        place.own.q = place.state[..m].iter().map(|x| Compensated::new(*x)).collect();
        Ok(())
    }

    fn make(&mut self, from: &Place<Momenta>, h: f64, end: Compensated) -> Result<(Place<Momenta>, u64), Unsolved> {
        let Action { m, constraints: k, .. } = *self.compiled.action;
        let s = self.compiled.scheme.degree();
        self.decide(from, h);
        let values = |list: &[Compensated]| list.iter().map(|x| x.value).collect::<Vec<_>>();
        let velocity = &from.state[m..2 * m];
        let mut x: Vec<f64> =
            self.compiled.scheme.nodes[1..].iter().flat_map(|tau| velocity.iter().map(move |v| tau * v)).collect();
        x.extend(from.own.lambda.repeat(s));
        let mut input = [&from.state[..2 * m], &values(&from.own.p), &x].concat();
        let n = s * (m + k);
        let largest = |list: &[f64], least: f64| list.iter().fold(least, |most: f64, x| most.max(x.abs()));
        let [positions, velocities, multipliers] = self.sizes;
        let positions = largest(&from.state[..m], positions);
        // A velocity is a difference of positions, over h.
        let velocities = largest(velocity, velocities).max(1e-2 * positions / h.abs());
        let multipliers = largest(&from.own.lambda, multipliers).max(velocities / h.abs());
        self.sizes = [positions, largest(velocity, self.sizes[1]), largest(&from.own.lambda, self.sizes[2])];
        let scale = |i: usize, first: usize| if i < first { velocities } else { multipliers };
        let (parameters, modes) = (self.parameters, &self.modes);
        let (caller, out) = (&mut self.step, &mut self.out[0]);
        let times = [from.t.value, h];
        let corrections = solve(
            &mut x,
            &mut self.matrices[0],
            |i| scale(i, s * m),
            |x, residual, matrix| {
                input[3 * m..].copy_from_slice(x);
                caller.call([&times, &input, parameters, modes], out)?;
                residual.copy_from_slice(&out[..n]);
                matrix.copy_from_slice(&out[n..]);
                Ok(())
            },
        )?;
        input[3 * m..].copy_from_slice(&x);
        let mut change = vec![0.0; m];
        self.increment.call([&times, &input, parameters, modes], &mut change).map_err(Unsolved::NoValue)?;
        let mut next = from.clone();
        next.t = end;
        for l in 0..m {
            next.own.q[l] = from.own.q[l].plus(h * x[(s - 1) * m + l]);
            next.own.p[l] = from.own.p[l].plus(h * change[l]);
        }
        next.own.lambda.copy_from_slice(&x[n - k..]);
        // The velocity of the new momentum, and the momentum on the constraint.
        let mut y: Vec<f64> = from.state[m..2 * m].to_vec();
        y.resize(m + k, 0.0);
        let mut input = [values(&next.own.q), values(&next.own.p), y.clone()].concat();
        let (caller, out) = (&mut self.node, &mut self.out[1]);
        let (times, n) = ([end.value], m + k);
        solve(
            &mut y,
            &mut self.matrices[1],
            |i| scale(i, m),
            |y, residual, matrix| {
                input[2 * m..].copy_from_slice(y);
                caller.call([&times, &input, parameters, modes], out)?;
                residual.copy_from_slice(&out[..n]);
                matrix.copy_from_slice(&out[n..n + n * n]);
                Ok(())
            },
        )?;
        for l in 0..m {
            next.state[l] = next.own.q[l].value;
            next.state[m + l] = y[l];
            if k > 0 {
                next.own.p[l] = next.own.p[l].plus(out[n + n * n + l]);
            }
        }
        Ok((next, corrections.into()))
    }
}
