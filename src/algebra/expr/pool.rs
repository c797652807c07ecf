//! Where nodes live: one graph per thread, as long as the program. Nodes and the slices they hold are
//! carved from chunks that are never given back, so a handle is a plain reference and there is no drop
//! to recurse. A node is looked up by borrowed parts first, and only a new one takes memory.

use super::{BudgetKind, Expr, Node, Undefined};
use crate::algebra::function::{Domain, Elementary, Interval};
use crate::algebra::number::Rational;
use crate::algebra::symbol::Function;
use hashbrown::{HashTable, hash_table::Entry};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell, RefCell};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// Terms of a sum, or factors of a product, under construction.
pub(super) type Pairs = SmallVec<[(Expr, Rational); 8]>;

/// A node with what is known about it from the start.
pub(super) struct Interned {
    pub(super) id: u32,
    pub(super) has_kinks: bool,
    pub(super) is_partial: bool,
    /// One bit per symbol that occurs (modulo 64): a zero says for sure that a symbol is absent.
    pub(super) mask: u64,
    /// The last walk that came here; see [`Walk`].
    mark: Cell<u64>,
    hash: u64,
    /// The order of expressions: how high the node stands above symbols and numbers, its first symbol, its kind …
    pub(super) place: u64,
    /// … and what it is made of, by name.
    pub(super) shape: u64,
    pub(super) nesting: u8,
    pub(super) node: Node,
    bound_to_thread: PhantomData<*const ()>,
}

/// More nodes than this in one session and every further node is [`Undefined::Budget`].
const MAX_NODES: u32 = 100_000_000;

struct Pool {
    table: HashTable<Expr>,
    store: Store,
}

/// Chunks, from which pieces are cut off in front.
struct Store {
    n_nodes: u32,
    cells: &'static [OnceCell<Interned>],
    pairs: &'static mut [(Expr, Rational)],
    exprs: &'static mut [Expr],
}

thread_local! {
    static POOL: RefCell<Pool> = const {
        RefCell::new(Pool {
            table: HashTable::new(),
            store: Store { n_nodes: 0, cells: &[], pairs: &mut [], exprs: &mut [] },
        })
    };
    static WALKS: Cell<u64> = const { Cell::new(0) };
    static ZERO: Expr = intern(Node::Number(Rational::ZERO));
    static ONE: Expr = intern(Node::Number(Rational::ONE));
}

/// How many nodes this thread has made; a measure of work for `--timings` and budgets.
pub fn node_count() -> usize {
    POOL.with_borrow(|pool| pool.store.n_nodes as usize)
}

pub(super) fn zero() -> Expr {
    ZERO.with(|e| *e)
}

pub(super) fn one() -> Expr {
    ONE.with(|e| *e)
}

/// A walk through the graph that meets every node once. A node remembers only the last walk, so two
/// walks must not be interleaved.
pub(super) struct Walk(u64);

impl Walk {
    pub(super) fn new() -> Walk {
        let n = WALKS.get() + 1;
        WALKS.set(n);
        Walk(n)
    }

    /// True the first time.
    pub(super) fn enter(&self, e: Expr) -> bool {
        e.0.mark.replace(self.0) != self.0
    }
}

pub(super) fn intern(node: Node) -> Expr {
    let mut hasher = FxHasher::default();
    match &node {
        Node::Sum { constant, terms } => return sum(constant.clone(), terms.iter().cloned().collect()),
        Node::Product(factors) => return product(factors.iter().cloned().collect()),
        Node::Apply(function, arguments) => return apply(*function, arguments),
        Node::Unknown { function, orders, arguments } => return unknown(*function, orders, arguments),
        other => other.hash(&mut hasher),
    }
    let hash = hasher.finish();
    POOL.with_borrow_mut(|pool| pool.get(hash, |known| *known == node, |_| node.clone()))
}

/// The node of a normalised sum.
pub(super) fn sum(constant: Rational, terms: Pairs) -> Expr {
    let mut hasher = FxHasher::default();
    hasher.write_u64(1);
    hash_number(&constant, 0, &mut hasher);
    hash_pairs(&terms, &mut hasher);
    let hash = hasher.finish();
    POOL.with_borrow_mut(|pool| {
        let same = |known: &Node| match known {
            Node::Sum { constant: c, terms: t } => *c == constant && **t == *terms.as_slice(),
            _ => false,
        };
        if let Some(known) = pool.find(hash, same) {
            return known;
        }
        pool.add(hash, |store| Node::Sum { constant, terms: store.pairs(terms) })
    })
}

/// The node of a normalised product.
pub(super) fn product(factors: Pairs) -> Expr {
    let mut hasher = FxHasher::default();
    hasher.write_u64(2);
    hash_pairs(&factors, &mut hasher);
    let hash = hasher.finish();
    POOL.with_borrow_mut(|pool| {
        let same = |known: &Node| matches!(known, Node::Product(f) if **f == *factors.as_slice());
        if let Some(known) = pool.find(hash, same) {
            return known;
        }
        pool.add(hash, |store| Node::Product(store.pairs(factors)))
    })
}

/// The node of a function of normalised arguments.
pub(super) fn apply(function: Elementary, arguments: &[Expr]) -> Expr {
    let mut hasher = FxHasher::default();
    hasher.write_u64(3 | (function as u64) << 8);
    for e in arguments {
        hasher.write_u32(e.0.id);
    }
    let same = |known: &Node| matches!(known, Node::Apply(f, a) if *f == function && **a == *arguments);
    POOL.with_borrow_mut(|pool| pool.get(hasher.finish(), same, |store| Node::Apply(function, store.exprs(arguments))))
}

/// The node of an unspecified function.
pub(super) fn unknown(function: Function, orders: &[u32], arguments: &[Expr]) -> Expr {
    let mut hasher = FxHasher::default();
    hasher.write_u64(4 | u64::from(function.index()) << 8);
    arguments.iter().for_each(|e| hasher.write_u32(e.0.id));
    orders.iter().for_each(|n| hasher.write_u32(*n));
    let same = |known: &Node| match known {
        Node::Unknown { function: f, orders: o, arguments: a } => *f == function && **o == *orders && **a == *arguments,
        _ => false,
    };
    POOL.with_borrow_mut(|pool| {
        pool.get(hasher.finish(), same, |store| Node::Unknown {
            function,
            orders: Vec::leak(orders.to_vec()),
            arguments: store.exprs(arguments),
        })
    })
}

fn hash_pairs(pairs: &[(Expr, Rational)], hasher: &mut FxHasher) {
    for (e, n) in pairs {
        hash_number(n, e.0.id, hasher);
    }
}

/// One word for a small whole number and an id, which is nearly always.
fn hash_number(n: &Rational, id: u32, hasher: &mut FxHasher) {
    match n.to_i64().and_then(|n| i32::try_from(n).ok()) {
        Some(n) => hasher.write_u64(u64::from(id) << 32 | u64::from(n as u32)),
        None => {
            hasher.write_u32(id);
            n.hash(hasher);
        }
    }
}

impl Pool {
    fn get(&mut self, hash: u64, same: impl Fn(&Node) -> bool, make: impl FnOnce(&mut Store) -> Node) -> Expr {
        match self.find(hash, same) {
            Some(known) => known,
            None => self.add(hash, make),
        }
    }

    fn find(&self, hash: u64, same: impl Fn(&Node) -> bool) -> Option<Expr> {
        self.table.find(hash, |e| e.0.hash == hash && same(&e.0.node)).copied()
    }

    /// Adds a node that is not there.
    fn add(&mut self, hash: u64, make: impl FnOnce(&mut Store) -> Node) -> Expr {
        if self.store.n_nodes >= MAX_NODES {
            let budget = Node::Undefined(Undefined::Budget(BudgetKind::Nodes));
            // The one node beyond the limit.
            let hash = u64::MAX;
            return match self.table.entry(hash, |e| e.0.node == budget, |e| e.0.hash) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => *entry.insert(self.store.cell(hash, budget)).get(),
            };
        }
        let node = make(&mut self.store);
        let e = self.store.cell(hash, node);
        self.table.insert_unique(hash, e, |e| e.0.hash);
        e
    }
}

impl Store {
    /// Chunks grow with the graph: small programs stay small.
    fn chunk(&self) -> usize {
        (self.n_nodes as usize).clamp(64, 4096)
    }

    fn cell(&mut self, hash: u64, node: Node) -> Expr {
        if self.cells.is_empty() {
            self.cells = Vec::leak(std::iter::repeat_with(OnceCell::new).take(self.chunk()).collect());
        }
        let (cell, rest) = self.cells.split_first().expect("a chunk is not empty");
        self.cells = rest;
        let (id, mask) = (self.n_nodes, mask_of(&node));
        let (has_kinks, is_partial) = (has_kinks(&node), is_partial(&node));
        let (place, shape) = (place_of(&node), shape_of(&node));
        let nesting = nesting_of(&node);
        self.n_nodes += 1;
        Expr(cell.get_or_init(|| Interned {
            id,
            has_kinks,
            is_partial,
            mask,
            mark: Cell::new(0),
            hash,
            place,
            shape,
            nesting,
            node,
            bound_to_thread: PhantomData,
        }))
    }

    fn pairs(&mut self, pairs: Pairs) -> &'static [(Expr, Rational)] {
        let n = pairs.len();
        if self.pairs.len() < n {
            let filler = (pairs[0].0, Rational::ZERO);
            self.pairs = Vec::leak(vec![filler; n.max(2 * self.chunk())]);
        }
        let (piece, rest) = std::mem::take(&mut self.pairs).split_at_mut(n);
        self.pairs = rest;
        for (place, pair) in piece.iter_mut().zip(pairs) {
            *place = pair;
        }
        piece
    }

    fn exprs(&mut self, exprs: &[Expr]) -> &'static [Expr] {
        let n = exprs.len();
        if n == 0 {
            return &[];
        }
        if self.exprs.len() < n {
            self.exprs = Vec::leak(vec![exprs[0]; n.max(self.chunk())]);
        }
        let (piece, rest) = std::mem::take(&mut self.exprs).split_at_mut(n);
        self.exprs = rest;
        piece.copy_from_slice(exprs);
        piece
    }
}

fn has_kinks(node: &Node) -> bool {
    let of = |e: &Expr| e.0.has_kinks;
    match node {
        Node::Number(_) | Node::Pi | Node::Undefined(_) | Node::Symbol(_) => false,
        Node::Sum { terms, .. } => terms.iter().any(|(e, _)| of(e)),
        Node::Product(factors) => factors.iter().any(|(e, _)| of(e)),
        Node::Power(a, b) => of(a) || of(b),
        Node::Piecewise { .. } => true,
        Node::Apply(function, arguments) => function.row().slope.has_kinks() || arguments.iter().any(of),
        Node::Unknown { arguments, .. } => arguments.iter().any(of),
        Node::Integral { body, .. } => of(body),
    }
}

fn is_partial(node: &Node) -> bool {
    let of = |e: &Expr| e.0.is_partial;
    match node {
        Node::Number(_) | Node::Pi | Node::Undefined(_) | Node::Symbol(_) => false,
        Node::Sum { terms, .. } => terms.iter().any(|(e, _)| of(e)),
        Node::Product(factors) => factors.iter().any(|(e, n)| of(e) || !n.is_integer()),
        Node::Power(..) => true,
        Node::Apply(f, arguments) => {
            !matches!(f.row().domain, Domain::Interval(Interval::ALL)) || arguments.iter().any(of)
        }
        Node::Unknown { arguments, .. } => arguments.iter().any(of),
        Node::Piecewise { condition, then, otherwise } => of(&condition.left) || of(then) || of(otherwise),
        Node::Integral { body, .. } => of(body),
    }
}

fn mask_of(node: &Node) -> u64 {
    match node {
        Node::Number(_) | Node::Pi | Node::Undefined(_) => 0,
        Node::Symbol(s) => s.mask(),
        Node::Sum { terms, .. } => terms.iter().fold(0, |m, (e, _)| m | e.0.mask),
        Node::Product(factors) => factors.iter().fold(0, |m, (e, _)| m | e.0.mask),
        Node::Power(a, b) => a.0.mask | b.0.mask,
        Node::Apply(_, args) => args.iter().fold(0, |m, e| m | e.0.mask),
        Node::Unknown { arguments, .. } => arguments.iter().fold(0, |m, e| m | e.0.mask),
        Node::Piecewise { condition, then, otherwise } => condition.left.0.mask | then.0.mask | otherwise.0.mask,
        Node::Integral { variable, body } => body.0.mask | variable.mask(),
    }
}

/// Bits of [`Interned::place`] below the height of a node, and below its first symbol.
const HEIGHT: u32 = 40;
const FIRST: u32 = 8;
const NO_SYMBOL: u64 = (1 << (HEIGHT - FIRST)) - 1;

fn place_of(node: &Node) -> u64 {
    let (mut height, mut first) = (0, NO_SYMBOL);
    let mut below = |e: Expr| {
        height = height.max(1 + (e.0.place >> HEIGHT));
        first = first.min(e.0.place >> FIRST & NO_SYMBOL);
    };
    let kind = match node {
        Node::Symbol(s) => {
            first = u64::from(s.index());
            0
        }
        Node::Number(_) => 1,
        Node::Pi => 2,
        Node::Product(factors) => {
            factors.iter().for_each(|(e, _)| below(*e));
            3
        }
        Node::Power(a, b) => {
            [*a, *b].into_iter().for_each(below);
            4
        }
        Node::Apply(_, arguments) => {
            arguments.iter().copied().for_each(below);
            5
        }
        Node::Unknown { arguments, .. } => {
            arguments.iter().copied().for_each(below);
            6
        }
        Node::Sum { terms, .. } => {
            terms.iter().for_each(|(e, _)| below(*e));
            7
        }
        Node::Piecewise { condition, then, otherwise } => {
            [condition.left, *then, *otherwise].into_iter().for_each(below);
            8
        }
        Node::Integral { body, .. } => {
            below(*body);
            9
        }
        Node::Undefined(_) => 10,
    };
    let height = height.min((1 << (64 - HEIGHT)) - 1);
    height << HEIGHT | first << FIRST | kind
}

fn shape_of(node: &Node) -> u64 {
    let mix = |shape: u64, more: u64| {
        let mixed = (shape.rotate_left(7) ^ more).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    };
    let number = |n: &Rational| {
        let mut hasher = FxHasher::default();
        n.hash(&mut hasher);
        hasher.finish()
    };
    let pairs = |start: u64, list: &[(Expr, Rational)]| {
        list.iter().fold(start, |shape, (e, n)| mix(mix(shape, e.0.shape), number(n)))
    };
    let all = |start: u64, list: &[Expr]| list.iter().fold(start, |shape, e| mix(shape, e.0.shape));
    match node {
        Node::Symbol(s) => mix(1, s.shape()),
        Node::Number(n) => mix(2, number(n)),
        Node::Pi => 3,
        Node::Product(factors) => pairs(4, factors),
        Node::Power(a, b) => all(5, &[*a, *b]),
        Node::Apply(f, arguments) => all(mix(6, *f as u64), arguments),
        Node::Unknown { function, orders, arguments } => {
            let mut hasher = FxHasher::default();
            (function.name(), orders).hash(&mut hasher);
            all(mix(7, hasher.finish()), arguments)
        }
        Node::Sum { constant, terms } => pairs(mix(8, number(constant)), terms),
        Node::Piecewise { condition, then, otherwise } => {
            all(mix(9, condition.relation as u64), &[condition.left, *then, *otherwise])
        }
        Node::Integral { body, .. } => all(10, &[*body]),
        Node::Undefined(_) => 11,
    }
}

fn nesting_of(node: &Node) -> u8 {
    let deepest = |list: &[Expr]| list.iter().map(|e| e.0.nesting).max().unwrap_or(0);
    match node {
        Node::Symbol(_) | Node::Number(_) | Node::Pi | Node::Undefined(_) => 0,
        Node::Sum { terms, .. } => terms.iter().map(|(e, _)| e.0.nesting).max().unwrap_or(0),
        Node::Product(factors) => {
            factors.iter().map(|(e, n)| e.0.nesting.saturating_add(u8::from(!n.is_integer()))).max().unwrap_or(0)
        }
        Node::Power(a, b) => deepest(&[*a, *b]).saturating_add(1),
        Node::Apply(_, arguments) | Node::Unknown { arguments, .. } => deepest(arguments).saturating_add(1),
        Node::Piecewise { condition, then, otherwise } => {
            deepest(&[condition.left, *then, *otherwise]).saturating_add(1)
        }
        Node::Integral { body, .. } => deepest(&[*body]).saturating_add(1),
    }
}
