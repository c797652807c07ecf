//! In which order a kernel is executed, and which of its operations travel in pairs.
//!
//! Two operations of the same kind that do not depend on each other can be one instruction on a register
//! of two doubles. It pays where the operation is slow (square root, division: a pair costs what one costs) or
//! long (sine and cosine: some thirty instructions), and it keeps paying along the chain of operations between
//! such pairs. Which operations share an instruction never changes a result.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ir::{Binary, Kernel, Op, Unary, Value};
use super::libm::Math;

/// What the code generator emits next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    One(Value),
    /// The same operation for both, in one instruction.
    Two(Value, Value),
}

/// The operations in the order of their making, each alone. Inputs and constants are not part of a schedule:
/// they are loaded where they are used.
pub fn plain(kernel: &Kernel) -> Vec<Item> {
    kernel.values().filter(|&v| !is_leaf(kernel, v)).map(Item::One).collect()
}

/// The slow operations in pairs, and what lies between them.
pub fn paired(kernel: &Kernel) -> Vec<Item> {
    let mut pairs = Pairs::default();
    for &(a, b) in &kernel.neighbours {
        let free = a != b && !pairs.partner.contains_key(&a) && !pairs.partner.contains_key(&b);
        if free && same_operation(kernel.op(a), kernel.op(b)) {
            pairs.accept(kernel, a, b);
        }
    }
    pair_slow(kernel, &mut pairs);
    if !pairs.partner.is_empty() {
        extend(kernel, &mut pairs);
    }
    order(kernel, &pairs)
}

fn is_leaf(kernel: &Kernel, v: Value) -> bool {
    matches!(kernel.op(v), Op::Const(_) | Op::Input(_))
}

/// How far apart in the order the members of a pair may be.
const WINDOW: usize = 400;
/// The same where operations form one chain: a pair waits for its later member, and then the chain does. Members of one
/// evaluation are neighbours; those of two stages are not.
const WINDOW_IN_CHAIN: usize = 24;

/// The kinds of operation that are worth pairing by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Root,
    Quotient,
    /// The sine or cosine of an angle, whichever comes first; the other comes for free.
    Angle,
    Exponential,
    Logarithm,
}

fn kind(kernel: &Kernel, value: Value) -> Option<Kind> {
    match kernel.op(value) {
        Op::Unary(Unary::Sqrt, _) => Some(Kind::Root),
        Op::Binary(Binary::Div, ..) => Some(Kind::Quotient),
        Op::Unary(Unary::Sin | Unary::Cos, _) if kernel.math == Math::Inline => Some(Kind::Angle),
        Op::Unary(Unary::Exp, _) if kernel.math == Math::Inline => Some(Kind::Exponential),
        Op::Unary(Unary::Log, _) if kernel.math == Math::Inline => Some(Kind::Logarithm),
        _ => None,
    }
}

#[derive(Default)]
struct Pairs {
    partner: FxHashMap<Value, (Value, Value)>,
    /// Accepted pairs in the order of acceptance.
    list: Vec<(Value, Value)>,
    /// Pairs of values that exist in one register.
    packed: FxHashSet<(Value, Value)>,
}

impl Pairs {
    fn accept(&mut self, kernel: &Kernel, a: Value, b: Value) {
        self.partner.insert(a, (a, b));
        self.partner.insert(b, (a, b));
        self.list.push((a, b));
        self.packed.insert((a, b));
        for (x, y) in kernel.operands(kernel.op(a)).into_iter().zip(kernel.operands(kernel.op(b))) {
            self.packed.insert((x, y));
        }
    }
}

/// Pairs neighbours of equal kind and equal depth. They cannot depend on each other, nor can pairs of them form
/// a cycle, because whatever depends on a slow operation is deeper.
fn pair_slow(kernel: &Kernel, pairs: &mut Pairs) {
    let window = if kernel.one_chain { WINDOW_IN_CHAIN } else { WINDOW };
    let mut depth = vec![0u32; kernel.ops().len()];
    let mut waiting: FxHashMap<(Kind, u32), Value> = FxHashMap::default();
    let mut seen_angles: FxHashSet<Value> = FxHashSet::default();
    for value in kernel.values() {
        let op = kernel.op(value);
        let below = kernel.operands(op).iter().map(|a| depth[a.index()]).max().unwrap_or(0);
        let kind = kind(kernel, value);
        let own = below + u32::from(kind.is_some() || matches!(op, Op::Solve(_)));
        depth[value.index()] = own;
        let Some(kind) = kind else { continue };
        if pairs.partner.contains_key(&value) {
            continue;
        }
        if let (Kind::Angle, Op::Unary(_, angle)) = (kind, op)
            && !seen_angles.insert(angle)
        {
            continue;
        }
        match waiting.remove(&(kind, own)) {
            Some(first) if value.index() - first.index() <= window => pairs.accept(kernel, first, value),
            _ => {
                waiting.insert((kind, own), value);
            }
        }
    }
}

/// Pairs operations whose operands are already in pairs.
fn extend(kernel: &Kernel, pairs: &mut Pairs) {
    let Some(rank) = ranks(kernel, pairs) else { return };
    let mut users: Vec<Vec<Value>> = vec![Vec::new(); kernel.ops().len()];
    for value in kernel.values() {
        for operand in kernel.operands(kernel.op(value)) {
            if users[operand.index()].last() != Some(&value) {
                users[operand.index()].push(value);
            }
        }
    }
    let mut next = 0;
    while next < pairs.list.len() {
        let (a, b) = pairs.list[next];
        next += 1;
        for &u in &users[a.index()] {
            if pairs.partner.contains_key(&u) {
                continue;
            }
            let candidate = users[b.index()].iter().copied().find(|&v| {
                u != v
                    && rank[u.index()] == rank[v.index()]
                    && !pairs.partner.contains_key(&v)
                    && same_operation(kernel.op(u), kernel.op(v))
                    && kernel.operands(kernel.op(u)).iter().zip(kernel.operands(kernel.op(v))).all(|(&x, y)| {
                        pairs.packed.contains(&(x, y)) || kernel.constant(x).is_some() && kernel.constant(y).is_some()
                    })
            });
            if let Some(v) = candidate {
                pairs.accept(kernel, u, v);
            }
        }
    }
}

/// Whether two operations are one instruction on pairs.
fn same_operation(u: Op, v: Op) -> bool {
    match (u, v) {
        (Op::Unary(f @ (Unary::Neg | Unary::Abs | Unary::Sqrt), _), Op::Unary(g, _)) => f == g,
        (Op::Binary(f @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div), ..), Op::Binary(g, ..)) => f == g,
        (Op::Fma(..), Op::Fma(..)) => true,
        _ => false,
    }
}

/// The length of the longest path to each value, both members of a pair counting as one. Every dependency goes
/// to a higher rank, so values of equal rank can be paired without making a cycle.
fn ranks(kernel: &Kernel, pairs: &Pairs) -> Option<Vec<u32>> {
    let mut rank = vec![0u32; kernel.ops().len()];
    for item in order(kernel, pairs) {
        let (a, b) = match item {
            Item::One(v) => (v, v),
            Item::Two(a, b) => (a, b),
        };
        let above = |v: Value| kernel.operands(kernel.op(v)).iter().map(|x| rank[x.index()] + 1).max().unwrap_or(0);
        let r = above(a).max(above(b));
        rank[a.index()] = r;
        rank[b.index()] = r;
    }
    Some(rank)
}

/// The order of making, except that what a pair needs comes before the pair. Pairs make no cycles.
fn order(kernel: &Kernel, pairs: &Pairs) -> Vec<Item> {
    let mut items = Vec::with_capacity(kernel.ops().len());
    let mut done = vec![false; kernel.ops().len()];
    let mut stack = Vec::new();
    for root in kernel.values() {
        stack.push(root);
        while let Some(&value) = stack.last() {
            if done[value.index()] || is_leaf(kernel, value) {
                stack.pop();
                continue;
            }
            let item = match pairs.partner.get(&value) {
                Some(&(a, b)) => Item::Two(a, b),
                None => Item::One(value),
            };
            let (a, b) = match item {
                Item::One(v) => (v, v),
                Item::Two(a, b) => (a, b),
            };
            let before = stack.len();
            for v in [b, a] {
                let operands = kernel.operands(kernel.op(v));
                stack.extend(operands.into_iter().rev().filter(|x| !done[x.index()] && !is_leaf(kernel, *x)));
            }
            if stack.len() == before {
                done[a.index()] = true;
                done[b.index()] = true;
                items.push(item);
                stack.pop();
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::ir::{Bank, KernelBuilder};

    #[test]
    fn a_pair_comes_after_what_both_need() {
        let mut b = KernelBuilder::new("roots");
        let y: Vec<Value> = (0..4).map(|i| b.input(&format!("y{i}"), Bank::State)).collect();
        let mut roots = Vec::new();
        for i in 0..4 {
            let square = b.mul(y[i], y[i]);
            let root = b.sqrt(square);
            let cube = b.mul(square, root);
            let one = b.constant(1.0);
            let q = b.div(one, cube);
            b.output(format!("q{i}"), q);
            roots.push(root);
        }
        let kernel = b.finish();
        let items = paired(&kernel);
        assert!(items.contains(&Item::Two(roots[0], roots[1])));
        let twos = items.iter().filter(|i| matches!(i, Item::Two(..))).count();
        assert_eq!(twos, 6, "roots, cubes and quotients of two pairs: {items:?}");
        let mut done = vec![false; kernel.ops().len()];
        for item in &items {
            let members = match *item {
                Item::One(v) => vec![v],
                Item::Two(a, b) => vec![a, b],
            };
            for &v in &members {
                assert!(kernel.operands(kernel.op(v)).iter().all(|x| is_leaf(&kernel, *x) || done[x.index()]));
            }
            members.iter().for_each(|v| done[v.index()] = true);
        }
    }
}
