//! Taylor coefficients of the solution of y′ = f(t, y), from the kernel of f.
//!
//! With y = Σ yₖ hᵏ the equation says (k+1) yₖ₊₁ = fₖ, and fₖ follows from the coefficients of the operands of every
//! operation by the classical recurrences (Jorba and Zou, *A software package for the numerical integration of ODEs by
//! means of high-order Taylor methods*, Experiment. Math. 14 (2005), proposition 2.1). Each of them is a convolution whose
//! first and last terms contain the newest coefficients, and whose other terms contain only older ones:
//!
//! ```text
//! c = a b        cₖ = a₀ bₖ + aₖ b₀ + S(a, b)
//! c = a/b        cₖ = (aₖ − S(b, c)) / b₀ − (c₀/b₀) bₖ
//! c = √a         cₖ = (aₖ − S(c, c)) / (2 c₀)
//! c = aᵅ         cₖ = (α c₀/a₀) aₖ + (α S(a, c) − (α+1)/k S(a, c̃)) / a₀
//! c = exp a      cₖ = c₀ aₖ + S(ã, c)/k
//! c = log a      cₖ = (aₖ − S(c̃, a)/k) / a₀
//! s = sin a      sₖ =  c₀ aₖ + S(ã, c)/k        c = cos a:  cₖ = −s₀ aₖ − S(ã, s)/k
//! A x = b        A₀ xₖ = bₖ − Σ_q (Aₖ x₀ + S(A, x))
//!
//! S(a, b) = Σ_{j=1}^{k−1} aⱼ b_{k−j},      ãⱼ = j aⱼ
//! ```
//!
//! So the sums S of one order do not depend on each other, whatever the operations do. They are the bulk of the work,
//! and any two of them can share vector instructions; what remains to be done in sequence is one multiply-add or two per
//! operation. A linear system is factorised once per step and only substituted into at every further order.
//!
//! Coefficients of order 0 are those of an ordinary kernel ([`JetProgram::initial`]), whose outputs, called slots, are
//! everything the recurrences use of order 0: values, reciprocals, pivots. It is optimised and compiled like any other.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Op, Shape, Solve, Unary, Value};
use super::optimise::{self, Rewrites};
use crate::algebra::function::{Elementary, Slope};

/// The number of a quantity that varies along the motion.
pub type NodeId = u32;
/// The number of a result of the initial kernel.
pub type Slot = u32;
/// The number of a sum S.
pub type SumId = u32;

/// How the coefficients of order k ≥ 1 of a quantity follow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// Integrated from the derivative of the state.
    State(u32),
    /// 1, 0, 0, …
    Time,
    Add(NodeId, NodeId),
    Sub(NodeId, NodeId),
    Neg(NodeId),
    /// A constant times a quantity.
    Scale(Slot, NodeId),
    Product {
        a: NodeId,
        b: NodeId,
        a0: Slot,
        b0: Slot,
        sum: SumId,
    },
    Square {
        a: NodeId,
        twice_a0: Slot,
        sum: SumId,
    },
    /// The numerator may be constant.
    Quotient {
        a: Option<NodeId>,
        b: NodeId,
        inverse: Slot,
        ratio: Slot,
        sum: SumId,
    },
    Root {
        a: NodeId,
        half_inverse: Slot,
        sum: SumId,
    },
    Power {
        a: NodeId,
        alpha: Slot,
        alpha_plus_one: Slot,
        factor: Slot,
        inverse: Slot,
        sum: SumId,
        weighted: SumId,
    },
    /// `factor aₖ + sign/k S`: exp, sin, cos, sinh, cosh, tan, tanh.
    Integral {
        a: NodeId,
        factor: Slot,
        negative: bool,
        sum: SumId,
    },
    /// `(±aₖ − S/k) inverse`: log, asin, acos, atan, asinh, acosh, atanh.
    Inverse {
        a: NodeId,
        negative: bool,
        inverse: Slot,
        sum: SumId,
    },
    Atan2 {
        y: NodeId,
        x: NodeId,
        y0: Slot,
        x0: Slot,
        inverse: Slot,
        sums: [SumId; 3],
    },
    /// One of two quantities, by a condition at order 0.
    Select {
        comparison: Comparison,
        p: Slot,
        q: Slot,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    /// Unknown number `.1` of the system number `.0`. The first unknown solves the system.
    Unknown(u32, u32),
}

impl Rule {
    /// The quantities of the same order and the sums that the rule uses.
    pub fn uses(&self) -> (SmallVec<[NodeId; 2]>, SmallVec<[SumId; 3]>) {
        let (mut nodes, mut sums) = (SmallVec::new(), SmallVec::new());
        self.renamed(&|n| n, &mut |s| {
            sums.push(s);
            s
        });
        match *self {
            Rule::State(_) | Rule::Time | Rule::Unknown(..) => {}
            Rule::Add(a, b) | Rule::Sub(a, b) | Rule::Product { a, b, .. } => nodes.extend([a, b]),
            Rule::Neg(a)
            | Rule::Scale(_, a)
            | Rule::Square { a, .. }
            | Rule::Root { a, .. }
            | Rule::Power { a, .. }
            | Rule::Integral { a, .. }
            | Rule::Inverse { a, .. } => nodes.push(a),
            Rule::Quotient { a, b, .. } => {
                nodes.extend(a);
                nodes.push(b);
            }
            Rule::Atan2 { y, x, .. } => nodes.extend([y, x]),
            Rule::Select { then, otherwise, .. } => nodes.extend(then.into_iter().chain(otherwise)),
        }
        (nodes, sums)
    }

    /// The same rule with other numbers for quantities and sums.
    pub(super) fn renamed(&self, n: &dyn Fn(NodeId) -> NodeId, s: &mut dyn FnMut(SumId) -> SumId) -> Rule {
        match *self {
            Rule::State(_) | Rule::Time | Rule::Unknown(..) => *self,
            Rule::Add(a, b) => Rule::Add(n(a), n(b)),
            Rule::Sub(a, b) => Rule::Sub(n(a), n(b)),
            Rule::Neg(a) => Rule::Neg(n(a)),
            Rule::Scale(c, a) => Rule::Scale(c, n(a)),
            Rule::Product { a, b, a0, b0, sum } => Rule::Product { a: n(a), b: n(b), a0, b0, sum: s(sum) },
            Rule::Square { a, twice_a0, sum } => Rule::Square { a: n(a), twice_a0, sum: s(sum) },
            Rule::Quotient { a, b, inverse, ratio, sum } => {
                Rule::Quotient { a: a.map(n), b: n(b), inverse, ratio, sum: s(sum) }
            }
            Rule::Root { a, half_inverse, sum } => Rule::Root { a: n(a), half_inverse, sum: s(sum) },
            Rule::Power { a, alpha, alpha_plus_one, factor, inverse, sum, weighted } => {
                Rule::Power { a: n(a), alpha, alpha_plus_one, factor, inverse, sum: s(sum), weighted: s(weighted) }
            }
            Rule::Integral { a, factor, negative, sum } => Rule::Integral { a: n(a), factor, negative, sum: s(sum) },
            Rule::Inverse { a, negative, inverse, sum } => Rule::Inverse { a: n(a), negative, inverse, sum: s(sum) },
            Rule::Atan2 { y, x, y0, x0, inverse, sums } => {
                Rule::Atan2 { y: n(y), x: n(x), y0, x0, inverse, sums: sums.map(s) }
            }
            Rule::Select { comparison, p, q, then, otherwise } => {
                Rule::Select { comparison, p, q, then: then.map(n), otherwise: otherwise.map(n) }
            }
        }
    }
}

/// A sum S(a, b) = Σ_{j=1}^{k−1} aⱼ b_{k−j}. When both are the same, half the terms are enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    pub a: Series,
    pub b: Series,
}

impl Sum {
    pub fn is_square(&self) -> bool {
        self.a == self.b
    }
}

/// The coefficients of a quantity, or j times the j-th of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Series {
    pub node: NodeId,
    pub weighted: bool,
}

/// A linear system: entries that vary, and how it is solved at orders ≥ 1.
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    pub n: usize,
    /// Row by row: the quantity, its product sum with the unknown of its column. `None` is constant.
    pub matrix: Vec<Option<(NodeId, SumId)>>,
    pub rhs: Vec<Option<NodeId>>,
    /// The unknowns at order 0.
    pub x0: Vec<Slot>,
    /// The first node; unknown i is node `first + i`.
    pub first: NodeId,
    pub factors: Factors,
}

/// What was kept of the matrix at order 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Factors {
    /// L below the diagonal (row by row, `None` is zero) and the reciprocal pivots, A = L D Lᵀ.
    Symmetric { lower: Vec<Option<Slot>>, pivots: Vec<Slot> },
    /// The entries of the inverse, row by row, found with pivoting.
    Inverse(Vec<Slot>),
}

/// The recurrences of a vector field, up to an order.
pub struct JetProgram {
    pub order: usize,
    /// The number of states.
    pub n: usize,
    /// Everything of order 0, as it is meant and as it is executed.
    pub careful: Kernel,
    pub initial: Kernel,
    pub nodes: Vec<Rule>,
    pub sums: Vec<Sum>,
    pub systems: Vec<System>,
    /// The derivative of every state: a quantity, or a constant.
    pub derivatives: Vec<Derivative>,
    /// Partial sums per sum, to keep additions from waiting for each other.
    pub accumulators: usize,
    pub fused: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Derivative {
    pub node: Option<NodeId>,
    pub slot: Slot,
}

/// Which operation keeps a vector field from having Taylor coefficients here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSeries {
    pub expression: String,
}

impl JetProgram {
    /// The recurrences of a vector field. With `pivoted`, linear systems are solved by exchanging rows.
    pub fn new(field: &Kernel, order: usize, rewrites: Rewrites, pivoted: bool) -> Result<JetProgram, NoSeries> {
        let mut builder = Builder::new(field, pivoted);
        builder.translate()?;
        builder.prune();
        let Builder { kernel, nodes, sums, systems, derivatives, .. } = builder;
        let careful = kernel.finish();
        let elimination = rewrites.elimination && !pivoted;
        let initial = optimise::optimise(&careful, Rewrites { angle_sums: false, elimination, ..rewrites });
        // Enough independent chains to hide the latency of an addition.
        let accumulators = match sums.len() {
            0..=4 => 4,
            5..=12 => 2,
            _ => 1,
        };
        Ok(JetProgram {
            order,
            n: field.outputs().len(),
            careful,
            initial,
            nodes,
            sums,
            systems,
            derivatives,
            accumulators,
            fused: rewrites.fused,
        })
    }

    /// The number of multiply-adds in the sums of all orders: a measure of the work of one step.
    pub fn n_operations(&self) -> usize {
        let full = self.order * self.order.saturating_sub(1) / 2;
        let sums: usize = self.sums.iter().map(|s| if s.is_square() { full / 2 } else { full }).sum();
        sums + self.order * self.nodes.len() + self.initial.n_operations()
    }

    /// The order for which the local error of a step is about the tolerance: ⌈1 − ln(tol)/2⌉, Jorba–Zou (3.11).
    pub fn order_for(tolerance: f64) -> usize {
        ((1.0 - 0.5 * tolerance.ln()).ceil() as usize).clamp(2, 64)
    }
}

/// A quantity under translation: its value at order 0, and its coefficients, unless it is constant.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Jet {
    zero: Value,
    node: Option<NodeId>,
}

struct Builder<'a> {
    field: &'a Kernel,
    pivoted: bool,
    kernel: KernelBuilder,
    slots: FxHashMap<Value, Slot>,
    nodes: Vec<Rule>,
    /// Products and the like that exist already, by operands and values at order 0.
    known: FxHashMap<(u8, NodeId, NodeId, Slot, Slot), NodeId>,
    sums: Vec<Sum>,
    known_sums: FxHashMap<Sum, SumId>,
    systems: Vec<System>,
    solved: FxHashMap<Value, u32>,
    derivatives: Vec<Derivative>,
}

impl<'a> Builder<'a> {
    fn new(field: &'a Kernel, pivoted: bool) -> Builder<'a> {
        let n = field.outputs().len();
        let (kernel, _) = KernelBuilder::like(field);
        Builder {
            field,
            pivoted,
            kernel,
            slots: FxHashMap::default(),
            nodes: (0..n as u32).map(Rule::State).collect(),
            known: FxHashMap::default(),
            sums: Vec::new(),
            known_sums: FxHashMap::default(),
            systems: Vec::new(),
            solved: FxHashMap::default(),
            derivatives: Vec::new(),
        }
    }

    fn translate(&mut self) -> Result<(), NoSeries> {
        let field = self.field;
        let mut jets: Vec<Jet> = Vec::with_capacity(field.ops().len());
        for value in field.values() {
            let jet = self.operation(value, &jets)?;
            if let Some(label) = field.label(value) {
                self.kernel.label(jet.zero, label);
            }
            jets.push(jet);
        }
        for output in field.outputs() {
            let jet = jets[output.value.index()];
            let slot = self.slot(jet.zero);
            self.derivatives.push(Derivative { node: jet.node, slot });
        }
        Ok(())
    }

    /// Drops quantities and sums that no derivative depends on. States stay, with their numbers.
    fn prune(&mut self) {
        let mut alive = vec![false; self.nodes.len()];
        let mut stack: Vec<NodeId> = self.derivatives.iter().filter_map(|d| d.node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut alive[node as usize], true) {
                continue;
            }
            if let Rule::Unknown(system, _) = self.nodes[node as usize] {
                let system = &self.systems[system as usize];
                stack.extend((0..system.n as NodeId).map(|i| system.first + i));
                stack.extend(system.rhs.iter().flatten());
                for (entry, sum) in system.matrix.iter().flatten() {
                    stack.push(*entry);
                    let sum = self.sums[*sum as usize];
                    stack.extend([sum.a.node, sum.b.node]);
                }
            }
            let (nodes, sums) = self.nodes[node as usize].uses();
            stack.extend(nodes);
            for sum in sums {
                let sum = self.sums[sum as usize];
                stack.extend([sum.a.node, sum.b.node]);
            }
        }
        let n = self.derivatives.len();
        alive[..n].fill(true);
        let mut next = 0;
        let renamed: Vec<NodeId> = alive
            .iter()
            .map(|alive| {
                next += NodeId::from(*alive);
                next.saturating_sub(1)
            })
            .collect();
        let kept: Vec<Rule> =
            self.nodes.iter().zip(&alive).filter(|(_, alive)| **alive).map(|(rule, _)| *rule).collect();
        let mut sums = Vec::new();
        let mut known: FxHashMap<SumId, SumId> = FxHashMap::default();
        let mut sum_name = |old: SumId, all: &[Sum]| {
            *known.entry(old).or_insert_with(|| {
                let Sum { a, b } = all[old as usize];
                let rename = |s: Series| Series { node: renamed[s.node as usize], ..s };
                sums.push(Sum { a: rename(a), b: rename(b) });
                sums.len() as SumId - 1
            })
        };
        self.nodes =
            kept.iter().map(|rule| rule.renamed(&|n| renamed[n as usize], &mut |s| sum_name(s, &self.sums))).collect();
        for system in &mut self.systems {
            if !alive[system.first as usize] {
                continue;
            }
            system.first = renamed[system.first as usize];
            system.rhs.iter_mut().flatten().for_each(|n| *n = renamed[*n as usize]);
            for (node, sum) in system.matrix.iter_mut().flatten() {
                *node = renamed[*node as usize];
                *sum = sum_name(*sum, &self.sums);
            }
        }
        for d in &mut self.derivatives {
            d.node = d.node.map(|n| renamed[n as usize]);
        }
        self.sums = sums;
    }

    /// The place of a value of order 0 among the outputs of the initial kernel.
    fn slot(&mut self, value: Value) -> Slot {
        let next = self.slots.len() as Slot;
        let slot = *self.slots.entry(value).or_insert(next);
        if slot == next {
            self.kernel.output(format!("slot{slot}"), value);
        }
        slot
    }

    fn node(&mut self, rule: Rule) -> NodeId {
        self.nodes.push(rule);
        self.nodes.len() as NodeId - 1
    }

    fn sum(&mut self, a: Series, b: Series) -> SumId {
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        let sum = Sum { a, b };
        let next = self.sums.len() as SumId;
        let id = *self.known_sums.entry(sum).or_insert(next);
        if id == next {
            self.sums.push(sum);
        }
        id
    }

    fn operation(&mut self, value: Value, jets: &[Jet]) -> Result<Jet, NoSeries> {
        let at = |v: Value| jets[v.index()];
        Ok(match self.field.op(value) {
            Op::Const(bits) => Jet { zero: self.kernel.constant(f64::from_bits(bits)), node: None },
            Op::Input(i) => {
                let input = &self.field.inputs()[i as usize];
                let zero = self.kernel.input_at(&input.name, input.bank, input.slot);
                let node = match input.bank {
                    Bank::State => Some(input.slot),
                    Bank::Time => Some(self.time()),
                    _ => None,
                };
                Jet { zero, node }
            }
            Op::Unary(f, a) => self.unary(f, at(a)),
            Op::Binary(f, a, b) => match f {
                Binary::Add => self.add(at(a), at(b)),
                Binary::Sub => self.sub(at(a), at(b)),
                Binary::Mul => self.mul(at(a), at(b)),
                Binary::Div => self.div(at(a), at(b)),
                Binary::Pow => self.pow(at(a), at(b)),
                Binary::Atan2 => self.atan2(at(a), at(b)),
                Binary::Min => self.select(Comparison::Lt, [at(a), at(b), at(a), at(b)]),
                Binary::Max => self.select(Comparison::Lt, [at(a), at(b), at(b), at(a)]),
            },
            Op::Fma(a, b, c) => {
                let product = self.mul(at(a), at(b));
                self.add(product, at(c))
            }
            Op::PowI(a, n) => self.powi(at(a), n),
            Op::Select(comparison, args) => self.select(comparison, args.map(at)),
            Op::Solve(number) => self.system(value, &self.field.solves()[number as usize].clone(), jets),
            Op::Solution(solve, item) => self.unknown(solve, item, jets),
            Op::Table(table, derivative, a) => self.table(table, derivative, at(a)),
            Op::Guard(a) => Jet { zero: self.kernel.guard(at(a).zero), node: at(a).node },
        })
    }

    fn time(&mut self) -> NodeId {
        match self.nodes.iter().position(|r| *r == Rule::Time) {
            Some(i) => i as NodeId,
            None => self.node(Rule::Time),
        }
    }

    fn constant(&mut self, x: f64) -> Jet {
        Jet { zero: self.kernel.constant(x), node: None }
    }

    fn linear(&mut self, kind: u8, a: NodeId, b: NodeId, slot: Slot, rule: Rule) -> NodeId {
        let key = (kind, a, b, slot, 0);
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let node = self.node(rule);
        self.known.insert(key, node);
        node
    }

    fn add(&mut self, a: Jet, b: Jet) -> Jet {
        let zero = self.kernel.add(a.zero, b.zero);
        let node = match (a.node, b.node) {
            (Some(x), Some(y)) => {
                let (x, y) = (x.min(y), x.max(y));
                Some(self.linear(0, x, y, 0, Rule::Add(x, y)))
            }
            (x, y) => x.or(y),
        };
        Jet { zero, node }
    }

    fn sub(&mut self, a: Jet, b: Jet) -> Jet {
        let zero = self.kernel.sub(a.zero, b.zero);
        let node = match (a.node, b.node) {
            (Some(x), Some(y)) => Some(self.linear(1, x, y, 0, Rule::Sub(x, y))),
            (None, Some(y)) => Some(self.linear(2, y, y, 0, Rule::Neg(y))),
            (x, None) => x,
        };
        Jet { zero, node }
    }

    fn neg(&mut self, a: Jet) -> Jet {
        let zero = self.kernel.neg(a.zero);
        let node = a.node.map(|x| match self.nodes[x as usize] {
            Rule::Neg(y) => y,
            _ => self.linear(2, x, x, 0, Rule::Neg(x)),
        });
        Jet { zero, node }
    }

    /// A constant times a quantity.
    fn scale(&mut self, c: Jet, a: Jet) -> Jet {
        let zero = self.kernel.mul(c.zero, a.zero);
        let node = a.node.map(|x| match self.kernel.as_constant(c.zero) {
            Some(1.0) => x,
            Some(-1.0) => self.linear(2, x, x, 0, Rule::Neg(x)),
            _ => {
                let slot = self.slot(c.zero);
                self.linear(3, x, x, slot, Rule::Scale(slot, x))
            }
        });
        Jet { zero, node }
    }

    fn mul(&mut self, a: Jet, b: Jet) -> Jet {
        match (a.node, b.node) {
            (None, _) => self.scale(a, b),
            (_, None) => self.scale(b, a),
            (Some(x), Some(y)) => {
                // Signs and constant factors go in front, so that products of the same quantities are shared.
                let zero = self.kernel.mul(a.zero, b.zero);
                let (x, y, a, b) = if y < x { (y, x, b, a) } else { (x, y, a, b) };
                let node = if x == y && a.zero == b.zero {
                    self.square_node(x, a.zero)
                } else {
                    self.product_node(x, y, a.zero, b.zero)
                };
                Jet { zero, node: Some(node) }
            }
        }
    }

    fn product_node(&mut self, a: NodeId, b: NodeId, a0: Value, b0: Value) -> NodeId {
        let (a0, b0) = (self.slot(a0), self.slot(b0));
        if let Some(&node) = self.known.get(&(4, a, b, a0, b0)) {
            return node;
        }
        let sum = self.sum(Series { node: a, weighted: false }, Series { node: b, weighted: false });
        let node = self.node(Rule::Product { a, b, a0, b0, sum });
        self.known.insert((4, a, b, a0, b0), node);
        node
    }

    fn square_node(&mut self, a: NodeId, a0: Value) -> NodeId {
        let two = self.kernel.constant(2.0);
        let twice = self.kernel.mul(two, a0);
        let twice_a0 = self.slot(twice);
        if let Some(&node) = self.known.get(&(5, a, a, twice_a0, 0)) {
            return node;
        }
        let series = Series { node: a, weighted: false };
        let sum = self.sum(series, series);
        let node = self.node(Rule::Square { a, twice_a0, sum });
        self.known.insert((5, a, a, twice_a0, 0), node);
        node
    }

    fn div(&mut self, a: Jet, b: Jet) -> Jet {
        let Some(y) = b.node else {
            let one = self.kernel.constant(1.0);
            let inverse = Jet { zero: self.kernel.div(one, b.zero), node: None };
            let zero = self.kernel.div(a.zero, b.zero);
            return Jet { zero, ..self.scale(inverse, a) };
        };
        let zero = self.kernel.div(a.zero, b.zero);
        let inverse = self.inverse(b.zero);
        let ratio = self.kernel.mul(zero, inverse);
        let (inverse, ratio) = (self.slot(inverse), self.slot(ratio));
        let own = self.nodes.len() as NodeId;
        let sum = self.sum(Series { node: y, weighted: false }, Series { node: own, weighted: false });
        Jet { zero, node: Some(self.node(Rule::Quotient { a: a.node, b: y, inverse, ratio, sum })) }
    }

    fn inverse(&mut self, x: Value) -> Value {
        let one = self.kernel.constant(1.0);
        self.kernel.div(one, x)
    }

    /// Positive powers by multiplication: the recurrence of a power divides by the base.
    fn powi(&mut self, a: Jet, n: i32) -> Jet {
        let zero = self.kernel.powi(a.zero, n);
        if a.node.is_none() {
            return Jet { zero, node: None };
        }
        let m = n.unsigned_abs();
        let Some(top) = m.checked_ilog2() else { return self.constant(1.0) };
        let mut y = a;
        for bit in (0..top).rev() {
            y = self.mul(y, y);
            if m >> bit & 1 == 1 {
                y = self.mul(y, a);
            }
        }
        if n < 0 {
            let one = self.constant(1.0);
            y = self.div(one, y);
        }
        Jet { zero, ..y }
    }

    fn pow(&mut self, a: Jet, b: Jet) -> Jet {
        if b.node.is_some() {
            let zero = self.kernel.pow(a.zero, b.zero);
            let log = self.unary(Unary::Log, a);
            let exponent = self.mul(b, log);
            let power = self.unary(Unary::Exp, exponent);
            return Jet { zero, ..power };
        }
        let Some(x) = a.node else { return Jet { zero: self.kernel.pow(a.zero, b.zero), node: None } };
        if self.kernel.as_constant(b.zero) == Some(0.5) {
            return self.unary(Unary::Sqrt, a);
        }
        let zero = self.kernel.pow(a.zero, b.zero);
        Jet { zero, node: Some(self.power_node(x, a.zero, zero, b.zero)) }
    }

    /// c = a^α with the values a₀ and c₀.
    fn power_node(&mut self, x: NodeId, a: Value, c: Value, alpha: Value) -> NodeId {
        let inverse = self.inverse(a);
        let ratio = self.kernel.mul(c, inverse);
        let factor = self.kernel.mul(alpha, ratio);
        let one = self.kernel.constant(1.0);
        let plus = self.kernel.add(alpha, one);
        let [alpha, alpha_plus_one, factor, inverse] = [alpha, plus, factor, inverse].map(|v| self.slot(v));
        let own = self.nodes.len() as NodeId;
        let base = Series { node: x, weighted: false };
        let sum = self.sum(base, Series { node: own, weighted: false });
        let weighted = self.sum(base, Series { node: own, weighted: true });
        self.node(Rule::Power { a: x, alpha, alpha_plus_one, factor, inverse, sum, weighted })
    }

    fn unary(&mut self, f: Unary, a: Jet) -> Jet {
        let zero = self.kernel.unary(f, a.zero);
        let Some(x) = a.node else { return Jet { zero, node: None } };
        let own = |b: &Self, weighted| Series { node: b.nodes.len() as NodeId, weighted };
        let f = match f {
            Unary::Neg => return self.neg(a),
            Unary::Sqrt => {
                let two = self.kernel.constant(2.0);
                let twice = self.kernel.mul(two, zero);
                let inverse = self.inverse(twice);
                let half_inverse = self.slot(inverse);
                let series = own(self, false);
                let sum = self.sum(series, series);
                return Jet { zero, node: Some(self.node(Rule::Root { a: x, half_inverse, sum })) };
            }
            Unary::Function(f) => f,
        };
        let slope = Series { node: x, weighted: true };
        let node = match f.row().slope {
            Slope::Kink => {
                let (minus, nought) = (self.neg(a), self.constant(0.0));
                return Jet { zero, ..self.select(Comparison::Lt, [a, nought, minus, a]) };
            }
            Slope::Jump => return Jet { zero, node: None },
            Slope::Itself => {
                let factor = self.slot(zero);
                let sum = self.sum(slope, own(self, false));
                self.node(Rule::Integral { a: x, factor, negative: false, sum })
            }
            Slope::Partner { other, .. } => return self.pair(f, other, a, x),
            Slope::Riccati { minus } => {
                // t′ = (1 ± t²) a′; the square is the node after the next.
                let square = self.kernel.mul(zero, zero);
                let one = self.kernel.constant(1.0);
                let factor = if minus { self.kernel.sub(one, square) } else { self.kernel.add(one, square) };
                let factor = self.slot(factor);
                let t = self.nodes.len() as NodeId;
                let sum = self.sum(slope, Series { node: t + 1, weighted: false });
                self.node(Rule::Integral { a: x, factor, negative: minus, sum });
                let squared = self.square_node(t, zero);
                debug_assert_eq!(squared, t + 1);
                t
            }
            Slope::Reciprocal => {
                let inverse = self.inverse(a.zero);
                self.inverse_function(x, false, inverse, a.node)
            }
            Slope::OverQuadratic { constant, square, root, negative } => {
                let squared = self.mul(a, a);
                let one = self.constant(1.0);
                let inside = match (constant, square) {
                    (1, -1) => self.sub(one, squared),
                    (-1, 1) => self.sub(squared, one),
                    _ => self.add(one, squared),
                };
                let d = if root { self.unary(Unary::Sqrt, inside) } else { inside };
                let inverse = self.inverse(d.zero);
                self.inverse_function(x, negative, inverse, d.node)
            }
            Slope::CubeRoot => {
                let third = self.kernel.constant(1.0 / 3.0);
                self.power_node(x, a.zero, zero, third)
            }
            Slope::Gauss => {
                // e′ = g a′ with the bell g = 2/√π e^(−a²), which has a series of its own.
                let square = self.mul(a, a);
                let exponent = self.neg(square);
                let bell = self.unary(Unary::Exp, exponent);
                let factor = self.constant(std::f64::consts::FRAC_2_SQRT_PI);
                let g = self.mul(factor, bell);
                let node = g.node.expect("the bell varies with its argument");
                let factor = self.slot(g.zero);
                let sum = self.sum(slope, Series { node, weighted: false });
                self.node(Rule::Integral { a: x, factor, negative: false, sum })
            }
            Slope::Angle | Slope::Extreme => unreachable!("{} has several arguments", f.name()),
        };
        Jet { zero, node: Some(node) }
    }

    /// c with d c′ = ±a′.
    fn inverse_function(&mut self, a: NodeId, negative: bool, inverse: Value, d: Option<NodeId>) -> NodeId {
        let inverse = self.slot(inverse);
        let own = self.nodes.len() as NodeId;
        let d = d.expect("the derivative of an inverse function varies with its argument");
        let sum = self.sum(Series { node: own, weighted: true }, Series { node: d, weighted: false });
        self.node(Rule::Inverse { a, negative, inverse, sum })
    }

    /// Sine and cosine are made together; so are sinh and cosh.
    fn pair(&mut self, f: Elementary, other: Elementary, a: Jet, x: NodeId) -> Jet {
        let (sine, cosine) = (f.min(other), f.max(other));
        let circular = matches!(cosine.row().slope, Slope::Partner { negative: true, .. });
        let is_sine = f == sine;
        let (sine, cosine) = (Unary::Function(sine), Unary::Function(cosine));
        let (s0, c0) = (self.kernel.unary(sine, a.zero), self.kernel.unary(cosine, a.zero));
        let (s_slot, c_slot) = (self.slot(s0), self.slot(c0));
        let key = (if circular { 6 } else { 7 }, x, x, s_slot, c_slot);
        let s = match self.known.get(&key) {
            Some(&s) => s,
            None => {
                let s = self.nodes.len() as NodeId;
                let slope = Series { node: x, weighted: true };
                let of_s = self.sum(slope, Series { node: s + 1, weighted: false });
                let of_c = self.sum(slope, Series { node: s, weighted: false });
                self.node(Rule::Integral { a: x, factor: c_slot, negative: false, sum: of_s });
                let factor = if circular {
                    let minus = self.kernel.neg(s0);
                    self.slot(minus)
                } else {
                    s_slot
                };
                self.node(Rule::Integral { a: x, factor, negative: circular, sum: of_c });
                self.known.insert(key, s);
                s
            }
        };
        if is_sine { Jet { zero: s0, node: Some(s) } } else { Jet { zero: c0, node: Some(s + 1) } }
    }

    fn atan2(&mut self, y: Jet, x: Jet) -> Jet {
        let zero = self.kernel.binary(Binary::Atan2, y.zero, x.zero);
        if y.node.is_none() && x.node.is_none() {
            return Jet { zero, node: None };
        }
        let (xx, yy) = (self.mul(x, x), self.mul(y, y));
        let d = self.add(xx, yy);
        let (Some(ny), Some(nx)) = (y.node, x.node) else {
            // With one of them constant, the quotient and atan do.
            let (q, sign) = if x.node.is_none() { (self.div(y, x), false) } else { (self.div(x, y), true) };
            let atan = self.unary(Unary::Atan, q);
            let jet = if sign { self.neg(atan) } else { atan };
            return Jet { zero, ..jet };
        };
        let inverse = self.inverse(d.zero);
        let [y0, x0, inverse] = [y.zero, x.zero, inverse].map(|v| self.slot(v));
        let own = self.nodes.len() as NodeId;
        let plain = |node| Series { node, weighted: false };
        let slope = |node| Series { node, weighted: true };
        let d = d.node.expect("the radius varies");
        let sums = [self.sum(slope(ny), plain(nx)), self.sum(slope(nx), plain(ny)), self.sum(slope(own), plain(d))];
        Jet { zero, node: Some(self.node(Rule::Atan2 { y: ny, x: nx, y0, x0, inverse, sums })) }
    }

    fn select(&mut self, comparison: Comparison, [p, q, then, otherwise]: [Jet; 4]) -> Jet {
        let zero = self.kernel.select(comparison, p.zero, q.zero, then.zero, otherwise.zero);
        if then.node == otherwise.node {
            return Jet { zero, node: then.node };
        }
        let (p, q) = (self.slot(p.zero), self.slot(q.zero));
        let rule = Rule::Select { comparison, p, q, then: then.node, otherwise: otherwise.node };
        Jet { zero, node: Some(self.node(rule)) }
    }

    /// The cubic of the piece at order 0, in powers of the distance from there.
    fn table(&mut self, table: u32, derivative: u8, a: Jet) -> Jet {
        let table = self.field.tables()[table as usize].clone();
        let zero = self.kernel.table(&table, derivative, a.zero);
        let Some(x) = a.node else { return Jet { zero, node: None } };
        let nought = self.kernel.constant(0.0);
        let distance = Jet { zero: nought, node: Some(x) };
        let mut power = distance;
        let mut total: Option<Jet> = None;
        let mut factorial = 1.0;
        for m in 1..=3u8.saturating_sub(derivative) {
            factorial *= f64::from(m);
            let slope = self.kernel.table(&table, derivative + m, a.zero);
            let inverse = self.kernel.constant(1.0 / factorial);
            let coefficient = Jet { zero: self.kernel.mul(slope, inverse), node: None };
            let term = self.scale(coefficient, power);
            total = Some(total.map_or(term, |t| self.add(t, term)));
            power = self.mul(power, distance);
        }
        Jet { zero, node: total.and_then(|t| t.node) }
    }

    fn system(&mut self, value: Value, solve: &Solve, jets: &[Jet]) -> Jet {
        let n = solve.n();
        let at = |v: &Value| jets[v.index()];
        let matrix: Vec<Jet> = solve.matrix.iter().map(at).collect();
        let rhs: Vec<Jet> = solve.rhs.iter().map(at).collect();
        let zeros: Vec<Value> = matrix.iter().map(|j| j.zero).collect();
        let x0 = self.kernel.solve(solve.shape, zeros.clone(), rhs.iter().map(|j| j.zero).collect());
        let Op::Solution(zero, _) = self.kernel.op(x0[0]) else {
            unreachable!("components of a solution are never folded")
        };
        for column in 0..solve.n_columns() {
            let rhs = &rhs[column * n..(column + 1) * n];
            let x0 = &x0[column * n..(column + 1) * n];
            let first = self.nodes.len() as NodeId;
            let number = self.systems.len() as u32;
            self.solved.insert(x0[0], number);
            let mut entries = Vec::with_capacity(n * n);
            for i in 0..n {
                for j in 0..n {
                    entries.push(matrix[i * n + j].node.map(|node| {
                        let unknown = Series { node: first + j as NodeId, weighted: false };
                        (node, self.sum(Series { node, weighted: false }, unknown))
                    }));
                }
            }
            let x0 = x0.iter().map(|&v| self.slot(v)).collect();
            let factors = self.factors(solve.shape, n, &zeros);
            self.systems.push(System {
                n,
                matrix: entries,
                rhs: rhs.iter().map(|j| j.node).collect(),
                x0,
                first,
                factors,
            });
            for i in 0..n as u32 {
                self.node(Rule::Unknown(number, i));
            }
        }
        let _ = value;
        Jet { zero, node: None }
    }

    fn unknown(&mut self, solve: Value, item: u32, jets: &[Jet]) -> Jet {
        let Op::Solve(number) = self.field.op(solve) else { unreachable!("a solution belongs to a solve") };
        let n = self.field.solves()[number as usize].n() as u32;
        let zero = self.kernel.solution(jets[solve.index()].zero, item);
        let head = self.kernel.solution(jets[solve.index()].zero, item - item % n);
        let system = self.solved[&head];
        Jet { zero, node: Some(self.systems[system as usize].first + item % n) }
    }

    /// A = L D Lᵀ with the guards of a definite matrix, or the inverse with pivoting.
    fn factors(&mut self, shape: Shape, n: usize, matrix: &[Value]) -> Factors {
        if shape == Shape::Symmetric
            && !self.pivoted
            && let Some((lower, pivots)) = optimise::factorise_symmetric(&mut self.kernel, n, matrix)
        {
            let lower = lower
                .into_iter()
                .map(|l| l.filter(|&l| self.kernel.as_constant(l) != Some(0.0)).map(|l| self.slot(l)))
                .collect();
            return Factors::Symmetric { lower, pivots: pivots.into_iter().map(|p| self.slot(p)).collect() };
        }
        let (zero, one) = (self.kernel.constant(0.0), self.kernel.constant(1.0));
        let identity = (0..n * n).map(|i| if i / n == i % n { one } else { zero }).collect();
        let columns = self.kernel.solve(shape, matrix.to_vec(), identity);
        Factors::Inverse((0..n * n).map(|i| self.slot(columns[(i % n) * n + i / n])).collect())
    }
}
