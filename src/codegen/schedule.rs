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
    let mut search = Search { visits: VISITS_PER_OPERATION * kernel.ops().len(), ..Search::default() };
    for &(a, b) in &kernel.neighbours {
        let free = a != b && !pairs.partner.contains_key(&a) && !pairs.partner.contains_key(&b);
        if free && same_operation(kernel.op(a), kernel.op(b)) && search.independent(kernel, a, b) {
            pairs.accept(kernel, a, b);
        }
    }
    pair_slow(kernel, &mut pairs);
    dissolve_cycles(kernel, &mut pairs);
    if !pairs.partner.is_empty() {
        extend(kernel, &mut pairs);
    }
    order(kernel, &pairs).unwrap_or_else(|| plain(kernel))
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

/// How many operations the search for dependencies may visit, per operation of the kernel. What is not settled by then is
/// not paired.
const VISITS_PER_OPERATION: usize = 64;

/// Looks for dependencies between the members of a pair, within a counted number of visits.
#[derive(Default)]
struct Search {
    visits: usize,
    seen: FxHashSet<Value>,
    stack: Vec<Value>,
}

impl Search {
    /// Whether neither value is computed from the other: two accelerations need not be, where one was substituted into
    /// the other. Operands are older than what uses them, so the search never looks before the older member.
    fn independent(&mut self, kernel: &Kernel, a: Value, b: Value) -> bool {
        let (older, newer) = if a.index() < b.index() { (a, b) } else { (b, a) };
        self.seen.clear();
        self.stack.clear();
        self.stack.push(newer);
        while let Some(value) = self.stack.pop() {
            if self.visits == 0 {
                return false;
            }
            self.visits -= 1;
            for operand in kernel.operands(kernel.op(value)) {
                if operand == older {
                    return false;
                }
                if operand.index() > older.index() && self.seen.insert(operand) {
                    self.stack.push(operand);
                }
            }
        }
        true
    }
}

/// Rounds in which one pair each is given up; after them all pairs that are in the way are.
const ROUNDS: usize = 64;

/// Gives up pairs that wait for each other: with p = (a, b), q = (c, d), where c needs a and b needs d, neither p nor q can
/// be first. Of the pairs in the way the one accepted last is given up, until none is left.
fn dissolve_cycles(kernel: &Kernel, pairs: &mut Pairs) {
    for round in 0..=ROUNDS {
        let waiting = waiting_for_each_other(kernel, pairs);
        let given_up: Vec<(Value, Value)> = match round {
            ROUNDS => waiting,
            _ => waiting.last().copied().into_iter().collect(),
        };
        if given_up.is_empty() {
            return;
        }
        for &(a, b) in &given_up {
            pairs.partner.remove(&a);
            pairs.partner.remove(&b);
        }
        pairs.list.retain(|pair| !given_up.contains(pair));
    }
}

/// The pairs that stay when everything that can be executed first, and everything that can be executed last, is taken away
/// again and again (Kahn 1962, from both ends): all pairs on cycles, and those between two cycles. In the order of acceptance.
fn waiting_for_each_other(kernel: &Kernel, pairs: &Pairs) -> Vec<(Value, Value)> {
    // A pair is known by its first member.
    let name = |v: Value| pairs.partner.get(&v).map_or(v, |pair| pair.0).index();
    let n = kernel.ops().len();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for value in kernel.values() {
        edges.extend(kernel.operands(kernel.op(value)).into_iter().map(|operand| (name(operand), name(value))));
    }
    let mut left = vec![true; n];
    for _ in 0..2 {
        let mut degree = vec![0usize; n];
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
        for &(from, to) in edges.iter().filter(|(from, to)| left[*from] && left[*to]) {
            degree[to] += 1;
            next[from].push(to);
        }
        let mut free: Vec<usize> = (0..n).filter(|&v| left[v] && degree[v] == 0).collect();
        while let Some(v) = free.pop() {
            left[v] = false;
            for &to in &next[v] {
                degree[to] -= 1;
                if degree[to] == 0 {
                    free.push(to);
                }
            }
        }
        edges.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
    }
    pairs.list.iter().copied().filter(|(a, _)| left[name(*a)]).collect()
}

/// Pairs neighbours of equal kind and equal depth. They cannot depend on each other, nor can pairs of them form
/// a cycle among themselves, because whatever depends on a slow operation is deeper.
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
    for item in order(kernel, pairs)? {
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

/// The order of making, except that what a pair needs comes before the pair. `None` when pairs wait for each other.
fn order(kernel: &Kernel, pairs: &Pairs) -> Option<Vec<Item>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        /// What it needs is being put in order.
        Open,
        Done,
    }
    let mut items = Vec::with_capacity(kernel.ops().len());
    let mut state = vec![State::New; kernel.ops().len()];
    let mut stack = Vec::new();
    for root in kernel.values() {
        stack.push(root);
        while let Some(&value) = stack.last() {
            if state[value.index()] == State::Done || is_leaf(kernel, value) {
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
            let opened_before = state[a.index()] == State::Open;
            for v in [b, a] {
                state[v.index()] = State::Open;
                let operands = kernel.operands(kernel.op(v));
                let missing = |x: &Value| state[x.index()] != State::Done && !is_leaf(kernel, *x);
                stack.extend(operands.into_iter().rev().filter(missing));
            }
            if stack.len() == before {
                state[a.index()] = State::Done;
                state[b.index()] = State::Done;
                items.push(item);
                stack.pop();
            } else if opened_before {
                // What it needs was put in order, and something is still missing: that waits for this.
                return None;
            }
        }
    }
    Some(items)
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

    /// Every operation is there once, after what it needs.
    fn check_order(kernel: &Kernel, items: &[Item]) {
        let mut done = vec![false; kernel.ops().len()];
        let mut count = 0;
        for item in items {
            let members = match *item {
                Item::One(v) => vec![v],
                Item::Two(a, b) => vec![a, b],
            };
            for &v in &members {
                let ready = |x: &Value| is_leaf(kernel, *x) || done[x.index()];
                assert!(kernel.operands(kernel.op(v)).iter().all(ready), "{items:?}\n{kernel:?}");
            }
            count += members.len();
            members.iter().for_each(|v| done[v.index()] = true);
        }
        assert_eq!(count, kernel.values().filter(|v| !is_leaf(kernel, *v)).count());
    }

    /// Neighbours of which one is computed from the other, and two pairs that wait for each other: c needs a, b needs d.
    #[test]
    fn pairs_that_wait_for_each_other_are_given_up() {
        let mut k = KernelBuilder::new("chain");
        let y: Vec<Value> = (0..4).map(|i| k.input(&format!("y{i}"), Bank::State)).collect();
        let first = k.mul(y[0], y[1]);
        let second = k.mul(first, y[2]);
        let a = k.add(second, y[3]);
        let d = k.sub(first, y[3]);
        let c = k.sub(a, y[0]);
        let b = k.add(d, y[1]);
        for (i, v) in [second, a, b, c, d].into_iter().enumerate() {
            k.output(format!("o{i}"), v);
        }
        let mut kernel = k.finish();
        kernel.neighbours = vec![(first, second), (a, b), (c, d)];
        let items = paired(&kernel);
        assert!(items.contains(&Item::Two(a, b)), "one of two pairs can stay: {items:?}");
        assert!(!items.contains(&Item::Two(c, d)) && !items.contains(&Item::Two(first, second)));
        check_order(&kernel, &items);
    }

    /// Neighbours without any sense, in kernels of many shapes: there is always an order, and it is found.
    #[test]
    fn any_neighbours_have_an_order() {
        let mut seed = 1u64;
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        for _ in 0..300 {
            let mut k = KernelBuilder::new("random");
            let mut values: Vec<Value> = (0..3).map(|i| k.input(&format!("y{i}"), Bank::State)).collect();
            for _ in 0..60 {
                let (x, y) = (values[below(values.len())], values[values.len() - 1 - below(values.len().min(9))]);
                let v = match below(6) {
                    0 | 1 => k.add(x, y),
                    2 => k.sub(x, y),
                    3 | 4 => k.mul(x, y),
                    _ => k.div(x, y),
                };
                values.push(v);
            }
            let last = values[values.len() - 1];
            k.output("last", last);
            let mut kernel = k.finish();
            let made: Vec<Value> = kernel.values().collect();
            kernel.neighbours = (0..80).map(|_| (made[below(made.len())], made[below(made.len())])).collect();
            let items = paired(&kernel);
            check_order(&kernel, &items);
        }
    }
}
