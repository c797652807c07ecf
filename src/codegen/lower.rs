//! Expressions → [`Kernel`]. The graph is already shared, so common subexpressions cost nothing: every
//! node becomes one operation (or a short chain), children first, in the order in which the derivation
//! created them, which is a good order for the register allocator.
//!
//! This is the edge where exact numbers become floating point: each constant is rounded once, to nearest.
//!
//! What is decided here is shape. Powers stay powers: multiplication chains and square roots are made later, and Taylor
//! recurrences want the power itself. A quotient is one division, unless a denominator occurs in several products: then
//! it is inverted once. Long sums are short chains that do not wait for each other. Parameters are inputs, so another
//! value never means another compilation.

use super::flatten;
use super::function::Operation;
use super::ir::{Bank, Comparison, Kernel, KernelBuilder, Shape, Unary, Value};
use super::table::Table;
use crate::algebra::expr::{Condition, Relation, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::{Expr, Function, Integer, Node, Rational, Symbol, SymbolKind};
use dashu_int::IBig;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt;
use std::sync::Arc;

/// What cannot be computed with numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Obstacle {
    /// A symbol that is neither time, state nor parameter of the motion.
    Symbol(Symbol),
    /// An unspecified function without body or table.
    Function(Function),
    /// An expression without a real value.
    Undefined,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Obstacle::Symbol(s) => write!(f, "`{s}` has no value"),
            Obstacle::Function(g) => write!(f, "the function `{}` has no body", g.name()),
            Obstacle::Undefined => f.write_str("an expression has no real value"),
        }
    }
}

/// Where the symbols of a motion come from.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    pub time: Option<Symbol>,
    pub states: Vec<Symbol>,
    pub parameters: Vec<Symbol>,
    /// Unspecified functions given by tables.
    pub tables: FxHashMap<Function, Arc<Table>>,
}

/// The equations of a motion: d(states)/dt, where the last block solves B y = −A.
pub struct Equations<'a> {
    /// Derivatives that are known as they stand, one for each leading state.
    pub chain: &'a [Expr],
    /// The matrix B, row by row, and A; their solution −B⁻¹A is the derivative of the remaining states.
    pub b: &'a [Vec<Expr>],
    pub a: &'a [Expr],
    pub symmetric: bool,
}

/// The vector field of a motion; the linear system is factorised inside the compiled code.
pub fn vector_field(signature: &Signature, equations: &Equations) -> Result<Kernel, Obstacle> {
    let a = flatten::shorter(equations.a);
    let equations = &Equations { a: &a, ..*equations };
    let mut lowering = Lowering::new("vector field", signature, &equations.roots());
    let mut derivatives = equations.chain.iter().map(|e| lowering.value(*e)).collect::<Result<Vec<_>, _>>()?;
    derivatives.extend(lowering.solve(equations)?);
    for (state, value) in signature.states.iter().zip(derivatives) {
        lowering.builder.output(format!("d({})/dt", state.name()), value);
    }
    Ok(lowering.builder.finish())
}

impl Equations<'_> {
    /// Everything that is lowered.
    fn roots(&self) -> Vec<Expr> {
        let entries = self.b.iter().flatten().filter(|e| !e.is_zero());
        self.chain.iter().chain(entries).chain(self.a).copied().collect()
    }
}

/// Some expressions as the outputs of one kernel.
pub fn expressions(name: &str, signature: &Signature, list: &[(String, Expr)]) -> Result<Kernel, Obstacle> {
    let roots: Vec<Expr> = list.iter().map(|(_, e)| *e).collect();
    let mut lowering = Lowering::new(name, signature, &roots);
    for (name, e) in list {
        let value = lowering.value(*e)?;
        lowering.builder.output(name.clone(), value);
    }
    Ok(lowering.builder.finish())
}

/// A linear system B y = −A whose solution gives some symbols their values. A and B may contain those of the stages before. A may
/// be several right sides, one after the other, and the unknowns with them.
#[derive(Clone, Debug)]
pub struct Stage {
    pub unknowns: Vec<Symbol>,
    pub b: Vec<Vec<Expr>>,
    pub a: Vec<Expr>,
    pub symmetric: bool,
}

/// Expressions along a motion, in which the unknowns of the stages may occur: accelerations and higher derivatives.
pub fn expressions_in_stages(
    name: &str,
    signature: &Signature,
    stages: &[Stage],
    list: &[(String, Expr)],
) -> Result<Kernel, Obstacle> {
    let mut roots: Vec<Expr> = list.iter().map(|(_, e)| *e).collect();
    roots.extend(stages.iter().flat_map(|s| s.b.iter().flatten().chain(&s.a)));
    let mut lowering = Lowering::new(name, signature, &roots);
    for stage in stages {
        let matrix = stage.b.iter().flatten().map(|e| lowering.value(*e)).collect::<Result<Vec<_>, _>>()?;
        let rhs = stage.a.iter().map(|e| lowering.value(-*e)).collect::<Result<Vec<_>, _>>()?;
        let shape = if stage.symmetric { Shape::Symmetric } else { Shape::General };
        let solution = lowering.builder.solve_by_blocks(shape, &matrix, &rhs);
        lowering.inputs.extend(stage.unknowns.iter().copied().zip(solution));
    }
    for (name, e) in list {
        let value = lowering.value(*e)?;
        lowering.builder.output(name.clone(), value);
    }
    Ok(lowering.builder.finish())
}

/// The nearest double.
pub fn to_f64(n: &Rational) -> f64 {
    const EXACT: i64 = 1 << 53;
    if let (Some(p), Some(q)) = (n.numerator().to_i64(), n.denominator().to_i64())
        && p.abs() <= EXACT
        && q <= EXACT
    {
        // Both are exact, and one division rounds once.
        return p as f64 / q as f64;
    }
    let (p, q) = (n.numerator().abs(), n.denominator());
    // A quotient of at least 66 bits, whose last bit also stands for all that follows it.
    let shift = 66 + q.bits() as i64 - p.bits() as i64;
    let power = |k: i64| IBig::ONE << k.unsigned_abs() as usize;
    let (top, bottom) =
        if shift >= 0 { (p.to_big() * power(shift), q.to_big()) } else { (p.to_big(), q.to_big() * power(shift)) };
    let (quotient, rest) = Integer::from_big(top).div_rem(&Integer::from_big(bottom));
    let mut bits = u128::try_from(quotient.to_big()).unwrap_or(u128::MAX);
    if !rest.is_zero() {
        bits |= 1;
    }
    let magnitude = scaled(bits as f64, -shift);
    if n.is_negative() { -magnitude } else { magnitude }
}

/// x·2ᵏ, in steps that neither overflow nor vanish on the way.
fn scaled(mut x: f64, mut k: i64) -> f64 {
    while k > 1000 {
        x *= 2f64.powi(1000);
        k -= 1000;
    }
    while k < -1000 {
        x *= 2f64.powi(-1000);
        k += 1000;
    }
    x * 2f64.powi(k as i32)
}

struct Lowering<'a> {
    builder: KernelBuilder,
    signature: &'a Signature,
    inputs: FxHashMap<Symbol, Value>,
    done: FxHashMap<Expr, Value>,
    /// In how many products a denominator occurs, by base and exponent.
    denominators: FxHashMap<(Expr, i64), u32>,
    /// In how many terms a factor occurs together with a coefficient, by base, exponent and size of the coefficient.
    scaled: FxHashMap<(Expr, Rational, Rational), u32>,
}

/// Factors that are worth multiplying by a coefficient once for several terms: the pull G m k/r³ of two bodies has the
/// same factor for all coordinates.
fn is_costly(base: Expr) -> bool {
    !matches!(base.node(), Node::Symbol(_))
}

/// How often costly factors occur in terms with a coefficient.
fn scaled_factors(nodes: &[Expr]) -> FxHashMap<(Expr, Rational, Rational), u32> {
    let mut counts: FxHashMap<(Expr, Rational, Rational), u32> = FxHashMap::default();
    for e in nodes {
        let Node::Sum { terms, .. } = e.node() else { continue };
        for (term, coefficient) in terms.iter() {
            let size = coefficient.abs();
            let Node::Product(factors) = term.node() else { continue };
            if size.is_one() || factors.len() < 2 {
                continue;
            }
            for (base, exponent) in factors.iter().filter(|(base, _)| is_costly(*base)) {
                *counts.entry((*base, exponent.clone(), size.clone())).or_default() += 1;
            }
        }
    }
    counts
}

/// Bases with a negative whole exponent, and in how many products they have it.
fn denominators(nodes: &[Expr]) -> FxHashMap<(Expr, i64), u32> {
    let mut counts: FxHashMap<(Expr, i64), u32> = FxHashMap::default();
    for e in nodes {
        if let Node::Product(factors) = e.node() {
            for (base, exponent) in factors.iter() {
                if let Some(n) = exponent.to_i64().filter(|n| *n < 0) {
                    *counts.entry((*base, n)).or_default() += 1;
                }
            }
        }
    }
    counts
}

impl<'a> Lowering<'a> {
    fn new(name: &str, signature: &'a Signature, roots: &[Expr]) -> Lowering<'a> {
        let nodes = post_order(roots);
        let mut builder = KernelBuilder::new(name);
        builder.reserve(nodes.len());
        let mut inputs = FxHashMap::default();
        if let Some(t) = signature.time {
            inputs.insert(t, builder.input_at(&t.name(), Bank::Time, 0));
        }
        for (bank, list) in [(Bank::State, &signature.states), (Bank::Parameter, &signature.parameters)] {
            for (slot, symbol) in list.iter().enumerate() {
                inputs.insert(*symbol, builder.input_at(&symbol.name(), bank, slot as u32));
            }
        }
        Lowering {
            builder,
            signature,
            inputs,
            done: FxHashMap::with_capacity_and_hasher(nodes.len(), FxBuildHasher),
            denominators: denominators(&nodes),
            scaled: scaled_factors(&nodes),
        }
    }

    /// The solution of B y = −A, as (−B) y = A: the mass matrix is −B.
    fn solve(&mut self, equations: &Equations) -> Result<Vec<Value>, Obstacle> {
        if equations.a.is_empty() {
            return Ok(Vec::new());
        }
        // Of a long chain nearly all entries are 0.
        let mut nothing = None;
        let mut entry = |e: &Expr| match (e.is_zero(), nothing) {
            (true, Some(zero)) => Ok(zero),
            (is_zero, _) => {
                let value = self.value(-*e)?;
                nothing = if is_zero { Some(value) } else { nothing };
                Ok(value)
            }
        };
        let matrix = equations.b.iter().flatten().map(&mut entry).collect::<Result<Vec<_>, _>>()?;
        let rhs = equations.a.iter().map(|e| self.value(*e)).collect::<Result<Vec<_>, _>>()?;
        let shape = if equations.symmetric { Shape::Symmetric } else { Shape::General };
        Ok(self.builder.solve_by_blocks(shape, &matrix, &rhs))
    }

    fn value(&mut self, e: Expr) -> Result<Value, Obstacle> {
        if let Some(known) = self.done.get(&e) {
            return Ok(*known);
        }
        // Below an integral the variable is bound; its body is lowered once for every node.
        let inside = bound_nodes(e);
        for x in post_order(&[e]) {
            if self.done.contains_key(&x) || inside.contains(&x) {
                continue;
            }
            let value = self.node(x)?;
            self.done.insert(x, value);
        }
        Ok(self.done[&e])
    }

    fn node(&mut self, x: Expr) -> Result<Value, Obstacle> {
        Ok(match x.node() {
            Node::Number(n) => self.builder.constant(to_f64(n)),
            Node::Pi => self.builder.constant(std::f64::consts::PI),
            Node::Symbol(s) => *self.inputs.get(s).ok_or(Obstacle::Symbol(*s))?,
            Node::Sum { constant, terms } => self.sum(constant, terms),
            Node::Product(factors) => self.product(factors),
            Node::Power(base, exponent) => {
                let (b, e) = (self.done[base], self.done[exponent]);
                self.builder.pow(b, e)
            }
            Node::Apply(function, arguments) => self.apply(*function, arguments),
            Node::Unknown { function, orders, arguments } => {
                let table = self.signature.tables.get(function).ok_or(Obstacle::Function(*function))?.clone();
                let at = self.done[&arguments[0]];
                self.builder.table(&table, orders[0] as u8, at)
            }
            Node::Piecewise { condition, then, otherwise } => {
                let (left, then, otherwise) = (self.done[&condition.left], self.done[then], self.done[otherwise]);
                self.select(condition, left, then, otherwise)
            }
            Node::Integral { variable, body } => self.integral(*variable, *body)?,
            Node::Undefined(_) => return Err(Obstacle::Undefined),
        })
    }

    /// Chains of at most four terms, each beginning with a positive one if there is one.
    fn sum(&mut self, constant: &Rational, terms: &[(Expr, Rational)]) -> Value {
        let mut partial: Vec<Value> = Vec::new();
        for chunk in terms.chunks(4) {
            let mut total: Option<Value> = None;
            let positive = chunk.iter().filter(|(_, c)| !c.is_negative());
            let negative = chunk.iter().filter(|(_, c)| c.is_negative());
            for (term, coefficient) in positive.chain(negative) {
                let size = coefficient.abs();
                let value = if size.is_one() { self.done[term] } else { self.scaled_term(*term, &size) };
                total = Some(match total {
                    None if coefficient.is_negative() => self.builder.neg(value),
                    None => value,
                    Some(sum) if coefficient.is_negative() => self.builder.sub(sum, value),
                    Some(sum) => self.builder.add(sum, value),
                });
            }
            partial.extend(total);
        }
        while partial.len() > 1 {
            partial =
                partial.chunks(2).map(|p| if p.len() == 2 { self.builder.add(p[0], p[1]) } else { p[0] }).collect();
        }
        let total = partial.pop().unwrap_or_else(|| self.builder.constant(0.0));
        if constant.is_zero() {
            return total;
        }
        let c = self.builder.constant(to_f64(&constant.abs()));
        if constant.is_negative() { self.builder.sub(total, c) } else { self.builder.add(total, c) }
    }

    /// A term with a positive coefficient, which goes to a factor that other terms have with the same coefficient.
    fn scaled_term(&mut self, term: Expr, size: &Rational) -> Value {
        let c = self.builder.constant(to_f64(size));
        if let Node::Product(factors) = term.node() {
            let shared = factors.iter().position(|(base, exponent)| {
                is_costly(*base) && self.scaled.get(&(*base, exponent.clone(), size.clone())).copied().unwrap_or(0) >= 2
            });
            if let Some(place) = shared.filter(|_| factors.len() > 1) {
                let own = self.product(&factors[place..place + 1]);
                let scaled = self.builder.mul(c, own);
                let others: Vec<_> =
                    factors.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, f)| f.clone()).collect();
                let others = self.product(&others);
                return self.builder.mul(others, scaled);
            }
        }
        let value = self.done[&term];
        self.builder.mul(c, value)
    }

    /// At most one division: denominators are multiplied first, except those that other products have too.
    fn product(&mut self, factors: &[(Expr, Rational)]) -> Value {
        let one = self.builder.constant(1.0);
        let (mut top, mut bottom): (Option<Value>, Option<Value>) = (None, None);
        for (base, exponent) in factors {
            let x = self.done[base];
            let whole = exponent.to_i64().filter(|n| n.unsigned_abs() <= 1 << 20);
            let factor = match whole {
                Some(n) if n < 0 => {
                    let power = self.builder.powi(x, -n as i32);
                    if self.denominators.get(&(*base, n)).copied().unwrap_or(0) < 2 {
                        bottom = Some(bottom.map_or(power, |b| self.builder.mul(b, power)));
                        continue;
                    }
                    self.builder.div(one, power)
                }
                Some(n) => self.builder.powi(x, n as i32),
                None if *exponent == Rational::HALF => self.builder.sqrt(x),
                None => {
                    let e = self.builder.constant(to_f64(exponent));
                    self.builder.pow(x, e)
                }
            };
            top = Some(top.map_or(factor, |t| self.builder.mul(t, factor)));
        }
        match (top, bottom) {
            (Some(top), None) => top,
            (top, Some(bottom)) => self.builder.div(top.unwrap_or(one), bottom),
            (None, None) => one,
        }
    }

    fn apply(&mut self, function: Elementary, arguments: &[Expr]) -> Value {
        let x = self.done[&arguments[0]];
        match &super::function::row_of(function).operation {
            Operation::One(_) => self.builder.unary(Unary::Function(function), x),
            Operation::Two(f) => {
                let y = self.done[&arguments[1]];
                self.builder.binary(*f, x, y)
            }
            Operation::Fold(f) => arguments[1..].iter().fold(x, |all, a| {
                let a = self.done[a];
                self.builder.binary(*f, all, a)
            }),
        }
    }

    fn select(&mut self, condition: &Condition, left: Value, then: Value, otherwise: Value) -> Value {
        let zero = self.builder.constant(0.0);
        let (comparison, a, b) = match condition.relation {
            Relation::Equal => (Comparison::Eq, left, zero),
            Relation::NotEqual => (Comparison::Ne, left, zero),
            Relation::Less => (Comparison::Lt, left, zero),
            Relation::LessEqual => (Comparison::Le, left, zero),
            Relation::Greater => (Comparison::Lt, zero, left),
            Relation::GreaterEqual => (Comparison::Le, zero, left),
        };
        self.builder.select(comparison, a, b, then, otherwise)
    }

    /// ∫₀¹ by Gauss–Legendre quadrature with 20 nodes: exact for polynomials up to degree 39.
    fn integral(&mut self, variable: Symbol, body: Expr) -> Result<Value, Obstacle> {
        let outer = self.inputs.get(&variable).copied();
        let mut total = self.builder.constant(0.0);
        for (node, weight) in gauss_legendre_20() {
            let u = self.builder.constant(node);
            self.inputs.insert(variable, u);
            // What depends on the variable is computed anew for this node.
            let kept = self.done.clone();
            self.done.retain(|e, _| !e.may_contain(variable));
            let value = self.value(body);
            self.done = kept;
            let w = self.builder.constant(weight);
            let term = self.builder.mul(w, value?);
            total = self.builder.add(total, term);
        }
        match outer {
            Some(value) => self.inputs.insert(variable, value),
            None => self.inputs.remove(&variable),
        };
        Ok(total)
    }
}

/// Nodes below `e` that contain a bound variable of an integral: they have no value of their own.
fn bound_nodes(e: Expr) -> rustc_hash::FxHashSet<Expr> {
    let mut inside = rustc_hash::FxHashSet::default();
    for x in post_order(&[e]) {
        if let Node::Integral { variable, body } = x.node() {
            for y in post_order(&[*body]) {
                if y.may_contain(*variable) && depends_on(y, *variable) {
                    inside.insert(y);
                }
            }
        }
    }
    inside.remove(&e);
    inside
}

fn depends_on(e: Expr, variable: Symbol) -> bool {
    debug_assert_eq!(variable.kind(), SymbolKind::Bound);
    post_order(&[e]).iter().any(|x| x.as_symbol() == Some(variable))
}

/// Nodes and weights on [0, 1], by Newton's method on the Legendre polynomial P₂₀.
fn gauss_legendre_20() -> Vec<(f64, f64)> {
    const N: usize = 20;
    (0..N)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (N as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut p, mut q) = (1.0, 0.0);
                for k in 0..N {
                    let k = k as f64;
                    (p, q) = (((2.0 * k + 1.0) * x * p - k * q) / (k + 1.0), p);
                }
                slope = N as f64 * (x * p - q) / (x * x - 1.0);
                let step = p / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Inquiry;
    use crate::codegen::interpret;

    fn evaluate(e: Expr, symbol: Symbol, at: f64) -> f64 {
        let signature = Signature { states: vec![symbol], ..Signature::default() };
        let kernel = expressions("test", &signature, &[("e".into(), e)]).unwrap();
        let mut out = [0.0];
        interpret::evaluate(&kernel, [&[], &[at], &[], &[]], &mut out).unwrap();
        out[0]
    }

    #[test]
    fn rationals_round_to_nearest() {
        let parse = |t: &str| Rational::parse(t).unwrap().unwrap();
        for text in
            ["0.1", "9.81", "1e-30", "123456789012345678901234567890", "1e300", "3.141592653589793238462643383279"]
        {
            assert_eq!(to_f64(&parse(text)), text.parse::<f64>().unwrap(), "{text}");
        }
        assert_eq!(to_f64(&Rational::ratio(-1, 3)), -1.0 / 3.0);
    }

    #[test]
    fn expressions_become_arithmetic() {
        let x = Symbol::parameter("x");
        let e = Expr::symbol(x);
        assert_eq!(evaluate(e.pow(3) / (1 + e.pow(2)), x, 2.0), 8.0 / 5.0);
        assert_eq!(evaluate(e.pow(Rational::ratio(-3, 2)), x, 4.0), 0.125);
        let s = Expr::apply(Elementary::Sin, &[e]);
        let sum = s.pow(2) + Expr::apply(Elementary::Cos, &[e]).pow(2);
        assert!((evaluate(sum, x, 1.7) - 1.0).abs() < 1e-15);
    }

    /// The double pendulum from its Lagrangian, with the accelerations used in a recorded expression.
    #[test]
    fn highest_derivatives_can_be_recorded() {
        let cx = &Inquiry::free();
        use crate::algebra::derive::partial;
        use crate::algebra::symbol::Coordinate;
        let q = ["q1", "q2"].map(|n| Coordinate::declare(n, true));
        let jet = |i: usize, k: u32| q[i].jet(k);
        let x = |i: usize, k: u32| Expr::symbol(jet(i, k));
        let cos = |e: Expr| Expr::apply(Elementary::Cos, &[e]);
        let l = x(0, 1).pow(2)
            + x(1, 1).pow(2) / 2
            + x(0, 1) * x(1, 1) * cos(x(0, 0) - x(1, 0))
            + Expr::ratio(981, 100) * (2 * cos(x(0, 0)) + cos(x(1, 0)));
        let momenta = [0, 1].map(|i| partial(cx, l, jet(i, 1)));
        let b: Vec<Vec<Expr>> = (0..2).map(|i| (0..2).map(|j| -partial(cx, momenta[i], jet(j, 1))).collect()).collect();
        let a: Vec<Expr> = (0..2)
            .map(|i| {
                partial(cx, l, jet(i, 0)) - (0..2).map(|j| partial(cx, momenta[i], jet(j, 0)) * x(j, 1)).sum::<Expr>()
            })
            .collect();
        let chain = [x(0, 1), x(1, 1)];
        let signature = Signature { states: vec![jet(0, 0), jet(1, 0), jet(0, 1), jet(1, 1)], ..Signature::default() };
        let equations = Equations { chain: &chain, b: &b, a: &a, symmetric: true };
        let sum = [("sum".to_string(), x(0, 2) + x(1, 2))];
        let stage =
            Stage { unknowns: vec![jet(0, 2), jet(1, 2)], b: b.clone(), a: flatten::shorter(&a), symmetric: true };
        let field = vector_field(&signature, &equations).unwrap();
        let recorded = expressions_in_stages("record", &signature, &[stage], &sum).unwrap();
        let state = [1.5, 1.0, 0.3, -0.2];
        let (mut dy, mut r) = ([0.0; 4], [0.0]);
        interpret::evaluate(&field, [&[], &state, &[], &[]], &mut dy).unwrap();
        interpret::evaluate(&recorded, [&[], &state, &[], &[]], &mut r).unwrap();
        // The equations solved by hand.
        let (s, c) = (0.5f64.sin(), 0.5f64.cos());
        let (r1, r2) = (-s * 0.04 - 2.0 * 9.81 * 1.5f64.sin(), s * 0.09 - 9.81 * 1f64.sin());
        let det = 2.0 - c * c;
        let expected = [0.3, -0.2, (r1 - c * r2) / det, (2.0 * r2 - c * r1) / det];
        assert!(dy.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-13), "{dy:?} {expected:?}");
        assert!((r[0] - dy[2] - dy[3]).abs() < 1e-13);
    }

    #[test]
    fn integrals_are_quadratures() {
        let (x, u) = (Symbol::parameter("x"), Symbol::bound("u"));
        let body = Expr::apply(Elementary::Exp, &[Expr::symbol(u) * Expr::symbol(x)]);
        let value = evaluate(Expr::integral(u, body), x, 1.0);
        assert!((value - (std::f64::consts::E - 1.0)).abs() < 1e-14, "{value}");
    }
}
