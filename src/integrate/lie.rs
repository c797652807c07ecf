//! Motion on the rotation group: bodies whose attitude is a quaternion of length 1, stepped by multiplication.
//!
//! A configuration is a list of such quaternions and of numbers, an element g of the group G = SU(2)ᵏ × Rʲ; its velocity is
//! g′ = g v, where v = ω/2 with the angular velocity ω in body axes. Near a centre c every g is c τ(y), with Cayley's map
//!
//! ```text
//! τ(y) = (1 + y)/√(1 + |y|²),      v = (y′ − y × y′)/(1 + |y|²),      y′ = v + y × v + (y·v) y        HLW §IV.8.3
//! ```
//!
//! for the quaternions, and c + y for the numbers. A step goes from g = c τ(−y) to ḡ = c τ(y) on a curve c τ(Y(t)) that is a
//! polynomial in the chart. The centre is the middle of the step, seen from either end, so that the methods are symmetric; and
//! since a τ(y) a⁻¹ = τ(a y a⁻¹), what turns the body or the space turns the whole step. No length is ever corrected: ḡ is a
//! product, up to rounding, which is divided away. (HLW is Hairer, Lubich and Wanner, *Geometric Numerical Integration*; §IV.8 has the
//! methods of Munthe-Kaas, and Zanna, Engø and Munthe-Kaas, BIT 41 (2001) 395, the symmetric choice of the centre.)
//!
//! **Variational.** With ȳ = h a and the points c τ(h aⱼ) of a polynomial of degree s, a₀ = −a, aₛ = a, the mean action is
//!
//! ```text
//! Ā(c, a, aⱼ) = Σᵢ bᵢ L(t + cᵢ h, gᵢ, gᵢ vᵢ),      L_d(g, ḡ) = h Ā, stationary in the inner aⱼ.
//! ```
//!
//! A variation g → g τ(e), ḡ → ḡ τ(d) moves the centre to c τ(ε) and y to y + h δa with ε = ½ ((1 + ŷ) d + (1 − ŷ) e) and
//! δa = (1 + |y|²)/(2h) (R d − Rᵀ e), where R is the rotation of τ(y); so p = −D₁L_d and p̄ = D₂L_d are
//!
//! ```text
//! p = ½ (1 + |y|²) R Ā_a − ½ h (1 + ŷ) Ā_ε,      p̄ = R⁻² p + ½ h (1 + R⁻¹)(1 − ŷ) Ā_ε
//! ```
//!
//! with momenta p = ∂L/∂v (Marsden, Pekarsky and Shkoller, Nonlinearity 12 (1999) 1647; Bou-Rabee and Marsden, Found. Comput. Math. 9
//! (2009) 197; higher degrees: Hall and Leok, Found. Comput. Math. 17 (2017) 199). A free body has p̄ = R⁻² p: its angular momentum in
//! space does not change by more than rounding. Forces enter with the same quadrature.
//!
//! Collocation on the group is [`super::lie_gauss`].

use std::sync::Arc;

use crate::codegen::compiled::{self, Caller, CompiledKernel, Options};
use crate::codegen::interpret::Failure;
use crate::codegen::ir::{Bank, Input, Kernel, KernelBuilder, Value};
use crate::codegen::jacobian::jacobian;

use super::control::Compensated;
use super::newton::Unsolved;
use super::one_step::{Place, Repeated, StepMap, solve};
use super::problem::{InitialValueProblem, Motion, by_size};
use super::variational::{Scheme, scaled_sum};

/// Which coordinates are quaternions of length 1, and which are numbers. Vectors tangent to it have three entries for each
/// quaternion, then one for each number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    pub quaternions: Vec<[usize; 4]>,
    pub numbers: Vec<usize>,
    /// All constraints of the motion are the lengths of the quaternions.
    pub is_all: bool,
}

/// A Lagrangian on a group: the kernel has the outputs L and, where there are forces, one for each coordinate.
#[derive(Clone, Debug)]
pub struct GroupAction {
    pub kernel: Kernel,
    pub has_forces: bool,
}

pub(super) type Quaternion = [Value; 4];
pub(super) type Vector = [Value; 3];

impl Group {
    /// Coordinates.
    pub fn m(&self) -> usize {
        4 * self.quaternions.len() + self.numbers.len()
    }

    /// The dimension.
    pub fn n(&self) -> usize {
        3 * self.quaternions.len() + self.numbers.len()
    }

    pub(super) fn first_number(&self) -> usize {
        3 * self.quaternions.len()
    }

    /// The quaternions with their vectors, then the numbers with theirs, put together to coordinates.
    pub(super) fn assemble(
        &self,
        b: &mut KernelBuilder,
        mut quaternion: impl FnMut(&mut KernelBuilder, usize) -> Quaternion,
        mut number: impl FnMut(&mut KernelBuilder, usize) -> Value,
    ) -> Vec<Value> {
        let zero = b.constant(0.0);
        let mut all = vec![zero; self.m()];
        for (r, places) in self.quaternions.iter().enumerate() {
            let values = quaternion(b, r);
            places.iter().zip(values).for_each(|(place, value)| all[*place] = value);
        }
        for (i, place) in self.numbers.iter().enumerate() {
            all[*place] = number(b, i);
        }
        all
    }

    pub(super) fn quaternion(&self, coordinates: &[Value], r: usize) -> Quaternion {
        self.quaternions[r].map(|place| coordinates[place])
    }

    /// g τ(y), for numbers g + y.
    pub(super) fn moved(&self, b: &mut KernelBuilder, g: &[Value], y: &[Value]) -> Vec<Value> {
        let first = self.first_number();
        self.assemble(
            b,
            |b, r| {
                let turn = cayley(b, vector(y, r));
                product(b, self.quaternion(g, r), turn)
            },
            |b, i| b.add(g[self.numbers[i]], y[first + i]),
        )
    }

    /// g v
    pub(super) fn velocity(&self, b: &mut KernelBuilder, g: &[Value], v: &[Value]) -> Vec<Value> {
        let first = self.first_number();
        self.assemble(b, |b, r| times(b, self.quaternion(g, r), vector(v, r)), |_, i| v[first + i])
    }
}

pub(super) fn vector(list: &[Value], r: usize) -> Vector {
    [list[3 * r], list[3 * r + 1], list[3 * r + 2]]
}

pub(super) fn cross(b: &mut KernelBuilder, x: Vector, y: Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let (first, second) = (b.mul(x[i], y[j]), b.mul(x[j], y[i]));
        b.sub(first, second)
    })
}

pub(super) fn dot(b: &mut KernelBuilder, x: &[Value], y: &[Value]) -> Value {
    let products: Vec<Value> = x.iter().zip(y).map(|(x, y)| b.mul(*x, *y)).collect();
    products.into_iter().reduce(|sum, x| b.add(sum, x)).unwrap_or_else(|| b.constant(0.0))
}

pub(super) fn scaled(b: &mut KernelBuilder, factor: Value, x: Vector) -> Vector {
    x.map(|x| b.mul(factor, x))
}

pub(super) fn plus(b: &mut KernelBuilder, x: Vector, y: Vector) -> Vector {
    [0, 1, 2].map(|i| b.add(x[i], y[i]))
}

/// q (0, v)
fn times(b: &mut KernelBuilder, [w, x, y, z]: Quaternion, v: Vector) -> Quaternion {
    let u = [x, y, z];
    let real = dot(b, &u, &v);
    let (along, across) = (scaled(b, w, v), cross(b, u, v));
    let [i, j, k] = plus(b, along, across);
    [b.neg(real), i, j, k]
}

pub(super) fn product(b: &mut KernelBuilder, p: Quaternion, [w, x, y, z]: Quaternion) -> Quaternion {
    let turned = times(b, p, [x, y, z]);
    [0, 1, 2, 3].map(|i| {
        let along = b.mul(p[i], w);
        b.add(along, turned[i])
    })
}

/// τ(y)
pub(super) fn cayley(b: &mut KernelBuilder, y: Vector) -> Quaternion {
    let one = b.constant(1.0);
    let square = dot(b, &y, &y);
    let length = b.add(one, square);
    let length = b.sqrt(length);
    let factor = b.div(one, length);
    let [i, j, k] = scaled(b, factor, y);
    [factor, i, j, k]
}

/// The rotation of τ(y), or its inverse: x ± 2/(1 + |y|²) (y × x ± y × (y × x)).
fn rotated(b: &mut KernelBuilder, y: Vector, x: Vector, back: bool) -> Vector {
    let y = if back { y.map(|y| b.neg(y)) } else { y };
    let (one, two) = (b.constant(1.0), b.constant(2.0));
    let square = dot(b, &y, &y);
    let length = b.add(one, square);
    let factor = b.div(two, length);
    let once = cross(b, y, x);
    let twice = cross(b, y, once);
    let sum = plus(b, once, twice);
    let change = scaled(b, factor, sum);
    plus(b, x, change)
}

/// v of y and y′, see the [module](self).
fn velocity_of(b: &mut KernelBuilder, y: Vector, slope: Vector) -> Vector {
    let one = b.constant(1.0);
    let square = dot(b, &y, &y);
    let length = b.add(one, square);
    let factor = b.div(one, length);
    let across = cross(b, slope, y);
    let sum = plus(b, slope, across);
    scaled(b, factor, sum)
}

/// Inputs of a kernel one after the other.
pub(super) fn inputs(b: &mut KernelBuilder, bank: Bank, name: &str, first: usize, count: usize) -> Vec<Value> {
    (0..count).map(|i| b.input_at(&format!("{name}{i}"), bank, (first + i) as u32)).collect()
}

/// A kernel and its Jacobian matrix by the states, one after the other.
pub(super) fn with_slopes(kernel: &Kernel) -> Kernel {
    let slopes = jacobian(kernel, Bank::State).dense();
    let mut b = KernelBuilder::new(kernel.name.clone());
    b.set_math(kernel.math);
    for part in [kernel, &slopes] {
        let values = b.inline(part, &mut |b: &mut KernelBuilder, i: &Input| b.input_at(&i.name, i.bank, i.slot));
        part.outputs().iter().zip(values).for_each(|(output, value)| b.output(output.name.clone(), value));
    }
    b.finish()
}

pub(super) fn begun(name: &str, like: &Kernel) -> (KernelBuilder, Value, Value) {
    let mut b = KernelBuilder::new(name);
    b.set_math(like.math);
    let (t, h) = (b.input_at("t", Bank::Time, 0), b.input_at("h", Bank::Time, 1));
    (b, t, h)
}

pub(super) fn finished(mut b: KernelBuilder, outputs: Vec<Value>) -> Kernel {
    outputs.into_iter().enumerate().for_each(|(i, value)| b.output(format!("o{i}"), value));
    b.finish()
}

/// Builds the kernels of the variational method.
struct Discrete<'a> {
    group: &'a Group,
    action: &'a GroupAction,
    scheme: &'a Scheme,
}

impl Discrete<'_> {
    /// Parameters of the Lagrangian; after them stands what a step begins with.
    fn n_parameters(&self) -> usize {
        self.action.kernel.bank_len(Bank::Parameter)
    }

    /// L, or the forces, at a state.
    fn at(&self, b: &mut KernelBuilder, t: Value, q: &[Value], v: &[Value]) -> Vec<Value> {
        b.inline(&self.action.kernel, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Time => t,
            Bank::State if (input.slot as usize) < q.len() => q[input.slot as usize],
            Bank::State => v[input.slot as usize - q.len()],
            bank => b.input_at(&input.name, bank, input.slot),
        })
    }

    /// Places on the curve of a step, by quadrature point: time, g, g′; then the weights. State: ε, a, inner aⱼ; parameters: c.
    fn curve(&self, b: &mut KernelBuilder, t: Value, h: Value) -> Vec<(Value, Vec<Value>, Vec<Value>)> {
        let (group, s) = (self.group, self.scheme.degree());
        let (m, n) = (group.m(), group.n());
        let centre = inputs(b, Bank::Parameter, "c", self.n_parameters(), m);
        let shift = inputs(b, Bank::State, "e", 0, n);
        let a = inputs(b, Bank::State, "a", n, n);
        let inner: Vec<Vec<Value>> =
            (1..s).map(|j| inputs(b, Bank::State, &format!("a{j}_"), (j + 1) * n, n)).collect();
        let first = group.first_number();
        // To first order in ε.
        let base = group.assemble(
            b,
            |b, r| {
                let c = group.quaternion(&centre, r);
                let change = times(b, c, vector(&shift, r));
                [0, 1, 2, 3].map(|i| b.add(c[i], change[i]))
            },
            |b, i| b.add(centre[group.numbers[i]], shift[first + i]),
        );
        let zero = b.constant(0.0);
        let mut places = vec![];
        for i in 0..self.scheme.points.len() {
            let combination = |b: &mut KernelBuilder, weights: &[f64]| -> Vec<Value> {
                (0..n)
                    .map(|l| {
                        let ends = scaled_sum(b, zero, weights[s] - weights[0], a[l]);
                        (1..s).fold(ends, |sum, j| scaled_sum(b, sum, weights[j], inner[j - 1][l]))
                    })
                    .collect()
            };
            let y = combination(b, &self.scheme.values[i]);
            let y: Vec<Value> = y.into_iter().map(|y| b.mul(h, y)).collect();
            let slope = combination(b, &self.scheme.slopes[i]);
            let g = group.moved(b, &base, &y);
            let mut v = vec![];
            for r in 0..group.quaternions.len() {
                v.extend(velocity_of(b, vector(&y, r), vector(&slope, r)));
            }
            v.extend(&slope[first..]);
            let moving = group.velocity(b, &g, &v);
            let part = b.constant(self.scheme.points[i]);
            let offset = b.mul(part, h);
            places.push((b.add(t, offset), g, moving));
        }
        places
    }

    /// The derivatives of the mean action by ε = 0, a and the inner aⱼ. State: a, inner aⱼ; parameters: c.
    fn gradient(&self) -> Kernel {
        let kernel = &self.action.kernel;
        let (m, n, s) = (self.group.m(), self.group.n(), self.scheme.degree());
        let columns = (s + 1) * n;
        let (mut b, t, h) = begun("mean action", kernel);
        let mut sum = b.constant(0.0);
        for (i, (time, q, v)) in self.curve(&mut b, t, h).into_iter().enumerate() {
            let l = self.at(&mut b, time, &q, &v)[0];
            sum = scaled_sum(&mut b, sum, self.scheme.weights[i], l);
        }
        let action = jacobian(&finished(b, vec![sum]), Bank::State).dense();
        // ε is 0.
        let bind = |b: &mut KernelBuilder, input: &Input| match (input.bank, input.slot as usize) {
            (Bank::State, slot) if slot < n => b.constant(0.0),
            (Bank::State, slot) => b.input_at(&input.name, Bank::State, (slot - n) as u32),
            (bank, _) => b.input_at(&input.name, bank, input.slot),
        };
        let (mut b, ..) = begun("gradient of the mean action", kernel);
        let mut gradient = b.inline(&action, &mut |b: &mut KernelBuilder, i: &Input| bind(b, i));
        if self.action.has_forces {
            // Virtual work: bᵢ Fᵢ · ∂gᵢ/∂z
            let (mut own, t, h) = begun("path", kernel);
            let places = self.curve(&mut own, t, h).into_iter().flat_map(|(_, q, _)| q).collect();
            let paths = jacobian(&finished(own, places), Bank::State).dense();
            let (mut own, t, h) = begun("forces", kernel);
            let mut forces = vec![];
            for (time, q, v) in self.curve(&mut own, t, h) {
                forces.extend(self.at(&mut own, time, &q, &v).split_off(1));
            }
            let forces = finished(own, forces);
            let paths = b.inline(&paths, &mut |b: &mut KernelBuilder, i: &Input| bind(b, i));
            let forces = b.inline(&forces, &mut |b: &mut KernelBuilder, i: &Input| bind(b, i));
            for (place, force) in forces.into_iter().enumerate() {
                for (z, entry) in gradient.iter_mut().enumerate() {
                    let work = b.mul(force, paths[place * columns + z]);
                    *entry = scaled_sum(&mut b, *entry, self.scheme.weights[place / m], work);
                }
            }
        }
        finished(b, gradient)
    }

    /// Inlines the gradient for a step from g. State: a, inner aⱼ; parameters: g, then p.
    fn gradient_from(
        &self,
        b: &mut KernelBuilder,
        gradient: &Kernel,
        h: Value,
    ) -> (Vec<Value>, Vec<Value>, Vec<Value>) {
        let (m, n) = (self.group.m(), self.group.n());
        let first = self.n_parameters();
        let g = inputs(b, Bank::Parameter, "g", first, m);
        let a = inputs(b, Bank::State, "a", 0, n * self.scheme.degree());
        let y: Vec<Value> = a[..n].iter().map(|a| b.mul(h, *a)).collect();
        let centre = self.group.moved(b, &g, &y);
        let values = b.inline(gradient, &mut |b: &mut KernelBuilder, input: &Input| match input.bank {
            Bank::Parameter if input.slot as usize >= first => centre[input.slot as usize - first],
            bank => b.input_at(&input.name, bank, input.slot),
        });
        (values, y, centre)
    }

    /// p − ½ (1 + |y|²) R Ā_a + ½ h (1 + ŷ) Ā_ε and the stationarity in the inner points, with slopes.
    fn equations(&self, gradient: &Kernel) -> Kernel {
        let (m, n) = (self.group.m(), self.group.n());
        let (mut b, _, h) = begun("discrete Euler–Lagrange equations on a group", &self.action.kernel);
        let (values, y, _) = self.gradient_from(&mut b, gradient, h);
        let p = inputs(&mut b, Bank::Parameter, "p", self.n_parameters() + m, n);
        let (one, half) = (b.constant(1.0), b.constant(0.5));
        let half_step = b.mul(half, h);
        let mut residual = vec![];
        for r in 0..self.group.quaternions.len() {
            let (y, by_shift, by_a) = (vector(&y, r), vector(&values, r), vector(&values[n..], r));
            let square = dot(&mut b, &y, &y);
            let length = b.add(one, square);
            let factor = b.mul(half, length);
            let turned = rotated(&mut b, y, by_a, false);
            let turned = scaled(&mut b, factor, turned);
            let across = cross(&mut b, y, by_shift);
            let pull = plus(&mut b, by_shift, across);
            let pull = scaled(&mut b, half_step, pull);
            for i in 0..3 {
                let sum = b.add(p[3 * r + i], pull[i]);
                residual.push(b.sub(sum, turned[i]));
            }
        }
        for l in self.group.first_number()..n {
            let (own, pull) = (b.mul(half, values[n + l]), b.mul(half_step, values[l]));
            let sum = b.add(p[l], pull);
            residual.push(b.sub(sum, own));
        }
        residual.extend(&values[2 * n..]);
        with_slopes(&finished(b, residual))
    }

    /// The end of a step: quaternions g and 2a of numbers, by coordinate; p̄ of quaternions and Ā_ε of numbers.
    fn end(&self, gradient: &Kernel) -> Kernel {
        let (m, n, group) = (self.group.m(), self.group.n(), self.group);
        let (mut b, _, h) = begun("end of a step on a group", &self.action.kernel);
        let (values, y, centre) = self.gradient_from(&mut b, gradient, h);
        let p = inputs(&mut b, Bank::Parameter, "p", self.n_parameters() + m, n);
        let (two, half) = (b.constant(2.0), b.constant(0.5));
        let half_step = b.mul(half, h);
        let mut outputs = group.assemble(
            &mut b,
            |b, r| {
                let turn = cayley(b, vector(&y, r));
                let end = product(b, group.quaternion(&centre, r), turn);
                unit(b, end)
            },
            |b, i| {
                let a = b.input_at("a", Bank::State, (group.first_number() + i) as u32);
                b.mul(two, a)
            },
        );
        for r in 0..group.quaternions.len() {
            let (y, by_shift) = (vector(&y, r), vector(&values, r));
            let once = rotated(&mut b, y, vector(&p, r), true);
            let carried = rotated(&mut b, y, once, true);
            let across = cross(&mut b, by_shift, y);
            let pull = plus(&mut b, by_shift, across);
            let turned = rotated(&mut b, y, pull, true);
            let sum = plus(&mut b, pull, turned);
            let gain = scaled(&mut b, half_step, sum);
            outputs.extend(plus(&mut b, carried, gain));
        }
        outputs.extend(&values[group.first_number()..n]);
        finished(b, outputs)
    }

    /// ∂L/∂v − p, with slopes. State: v; parameters: g, p.
    fn momenta(&self) -> Kernel {
        let (m, n, first) = (self.group.m(), self.group.n(), self.n_parameters());
        let (mut b, t, _) = begun("Lagrangian", &self.action.kernel);
        let g = inputs(&mut b, Bank::Parameter, "g", first, m);
        let v = inputs(&mut b, Bank::State, "v", 0, n);
        let moving = self.group.velocity(&mut b, &g, &v);
        let l = self.at(&mut b, t, &g, &moving)[0];
        let slopes = jacobian(&finished(b, vec![l]), Bank::State).dense();
        let (mut b, ..) = begun("momenta", &self.action.kernel);
        let p = inputs(&mut b, Bank::Parameter, "p", first + m, n);
        let values = b.inline(&slopes, &mut |b: &mut KernelBuilder, i: &Input| b.input_at(&i.name, i.bank, i.slot));
        inputs(&mut b, Bank::State, "v", 0, n);
        let residual = values.into_iter().zip(p).map(|(value, p)| b.sub(value, p)).collect();
        with_slopes(&finished(b, residual))
    }
}

pub(super) fn unit(b: &mut KernelBuilder, q: Quaternion) -> Quaternion {
    let square = dot(b, &q, &q);
    let length = b.sqrt(square);
    q.map(|x| b.div(x, length))
}

/// The kernels of the variational method on a group.
#[derive(Clone)]
pub struct CompiledGroupAction {
    group: Arc<Group>,
    order: u32,
    degree: usize,
    nodes: Vec<f64>,
    n_parameters: usize,
    equations: CompiledKernel,
    end: CompiledKernel,
    momenta: CompiledKernel,
}

impl CompiledGroupAction {
    pub fn new(group: Arc<Group>, action: &GroupAction, scheme: &Scheme, options: Options) -> CompiledGroupAction {
        let kernels = Discrete { group: &group, action, scheme };
        let gradient = kernels.gradient();
        let compile = |kernel: Kernel| {
            let options = by_size(&kernel, options);
            compiled::compile(kernel, options)
        };
        CompiledGroupAction {
            equations: compile(kernels.equations(&gradient)),
            end: compile(kernels.end(&gradient)),
            momenta: compile(kernels.momenta()),
            order: scheme.order,
            degree: scheme.degree(),
            nodes: scheme.nodes.clone(),
            n_parameters: kernels.n_parameters(),
            group,
        }
    }
}

/// What belongs to a state on a group: v, the momenta or v′, and numbers with what rounding took from them.
#[derive(Clone, Debug, Default)]
pub struct Own {
    pub(super) v: Vec<Compensated>,
    /// Momenta of the variational method, the last v′ of Gauss's.
    pub(super) p: Vec<Compensated>,
    pub(super) numbers: Vec<Compensated>,
}

pub(super) fn values(list: &[Compensated]) -> impl Iterator<Item = f64> + '_ {
    list.iter().map(|x| x.value)
}

impl Group {
    /// v of a state (g, g′): Im(g⁻¹ g′).
    pub(super) fn velocities(&self, state: &[f64]) -> Vec<f64> {
        let (g, moving) = state.split_at(self.m());
        let mut v = vec![];
        for places in &self.quaternions {
            let ([w, x, y, z], [dw, dx, dy, dz]) = (places.map(|i| g[i]), places.map(|i| moving[i]));
            v.extend([
                w * dx - x * dw - y * dz + z * dy,
                w * dy - y * dw - z * dx + x * dz,
                w * dz - z * dw - x * dy + y * dx,
            ]);
        }
        v.extend(self.numbers.iter().map(|i| moving[*i]));
        v
    }

    /// Writes g′ = g v into a state.
    pub(super) fn put_velocities(&self, state: &mut [f64], v: &[f64]) {
        let (g, moving) = state.split_at_mut(self.m());
        for (places, v) in self.quaternions.iter().zip(v.chunks_exact(3)) {
            let [w, x, y, z] = places.map(|i| g[i]);
            let [a, b, c] = [v[0], v[1], v[2]];
            let value = [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a];
            places.iter().zip(value).for_each(|(place, value)| moving[*place] = value);
        }
        for (place, v) in self.numbers.iter().zip(&v[self.first_number()..]) {
            moving[*place] = *v;
        }
    }

    pub(super) fn numbers_of(&self, state: &[f64]) -> Vec<Compensated> {
        self.numbers.iter().map(|i| Compensated::new(state[*i])).collect()
    }
}

/// The largest entry so far.
pub(super) fn largest(list: impl IntoIterator<Item = f64>, least: f64) -> f64 {
    list.into_iter().fold(least, |most, x| most.max(x.abs()))
}

/// The variational method at work.
pub struct LieVariational<'a> {
    compiled: CompiledGroupAction,
    equations: Caller,
    end: Caller,
    momenta: Caller,
    parameters: &'a [f64],
    matrices: [Vec<f64>; 2],
    out: [Vec<f64>; 3],
    size: f64,
}

impl<'a> LieVariational<'a> {
    pub fn stepper(
        compiled: CompiledGroupAction,
        motion: &Motion,
        problem: &'a InitialValueProblem,
    ) -> Repeated<LieVariational<'a>> {
        let n = compiled.group.n();
        let map = LieVariational {
            equations: compiled.equations.caller(),
            end: compiled.end.caller(),
            momenta: compiled.momenta.caller(),
            parameters: &problem.parameters[..compiled.n_parameters],
            matrices: [compiled.degree * n, n].map(|n| vec![0.0; n * n]),
            out: [&compiled.equations, &compiled.end, &compiled.momenta].map(|k| vec![0.0; k.kernel().outputs().len()]),
            size: 0.0,
            compiled,
        };
        Repeated::new(map, Own::default(), motion, problem)
    }
}

impl StepMap for LieVariational<'_> {
    type Own = Own;

    fn order(&self) -> u32 {
        self.compiled.order
    }

    fn ends_on_constraints(&self) -> bool {
        true
    }

    fn begin(&mut self, place: &mut Place<Own>) -> Result<(), Failure> {
        let group = &self.compiled.group;
        let v = group.velocities(&place.state);
        let banks = [self.parameters, &place.state[..group.m()], &vec![0.0; group.n()]].concat();
        self.momenta.call([&[place.t.value, 0.0], &v, &banks, &[]], &mut self.out[2])?;
        place.own.p = self.out[2][..group.n()].iter().map(|p| Compensated::new(*p)).collect();
        place.own.v = v.into_iter().map(Compensated::new).collect();
        place.own.numbers = group.numbers_of(&place.state);
        Ok(())
    }

    fn make(&mut self, from: &Place<Own>, h: f64, end: Compensated) -> Result<(Place<Own>, u64), Unsolved> {
        let group = self.compiled.group.clone();
        let (m, n, s) = (group.m(), group.n(), self.compiled.degree);
        let p: Vec<f64> = values(&from.own.p).collect();
        let mut banks = [self.parameters, &from.state[..m], &p].concat();
        // a = v/2, and the inner points on the straight line.
        let v: Vec<f64> = values(&from.own.v).collect();
        let along = |tau: f64| v.iter().map(move |v| (tau - 0.5) * v);
        let mut x: Vec<f64> = along(1.0).chain(self.compiled.nodes[1..s].iter().flat_map(|tau| along(*tau))).collect();
        self.size = largest(v.iter().copied(), self.size);
        // A velocity is a difference of positions, over h; a quaternion has length 1.
        let size = self.size.max(1e-2 / h.abs());
        let times = [from.t.value, h];
        let (caller, out) = (&mut self.equations, &mut self.out[0]);
        let corrections = solve(
            &mut x,
            &mut self.matrices[0],
            |_| size,
            |x, residual, matrix| {
                caller.call([&times, x, &banks, &[]], out)?;
                residual.copy_from_slice(&out[..n * s]);
                matrix.copy_from_slice(&out[n * s..]);
                Ok(())
            },
        )?;
        let out = &mut self.out[1];
        self.end.call([&times, &x, &banks, &[]], out).map_err(Unsolved::NoValue)?;
        let mut next = Place { t: end, ..from.clone() };
        let first = group.first_number();
        for places in &group.quaternions {
            places.iter().for_each(|i| next.state[*i] = out[*i]);
        }
        for l in 0..first {
            next.own.p[l] = Compensated::new(out[m + l]);
        }
        for (i, place) in group.numbers.iter().enumerate() {
            next.own.numbers[i] = from.own.numbers[i].plus(h * out[*place]);
            next.state[*place] = next.own.numbers[i].value;
            next.own.p[first + i] = from.own.p[first + i].plus(h * out[m + first + i]);
        }
        // The velocity of the new momentum.
        let mut v = v;
        banks.truncate(self.parameters.len());
        banks.extend(&next.state[..m]);
        banks.extend(values(&next.own.p));
        let (caller, out) = (&mut self.momenta, &mut self.out[2]);
        solve(
            &mut v,
            &mut self.matrices[1],
            |_| size,
            |v, residual, matrix| {
                caller.call([&[end.value, 0.0], v, &banks, &[]], out)?;
                residual.copy_from_slice(&out[..n]);
                matrix.copy_from_slice(&out[n..]);
                Ok(())
            },
        )?;
        group.put_velocities(&mut next.state, &v);
        next.own.v = v.into_iter().map(Compensated::new).collect();
        Ok((next, corrections.into()))
    }
}
