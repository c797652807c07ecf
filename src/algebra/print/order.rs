//! The order in which a reader meets terms and factors.
//!
//! Nodes of the graph know their age, and age is an accident of the computation. What is printed must
//! not show it, so this file builds, for everything below the printed roots, a *structural* order: nodes
//! are ranked level by level from the leaves up, two nodes of one level being compared by kind, by
//! payload and by the ranks of their children. One pass, no pairwise recursion, and the rank of a
//! node depends on nothing but its meaning and the order of declaration of the symbols.
//!
//! On top of the ranks stand two reading orders:
//!
//! - terms of a sum: highest derivatives first, then higher degrees, then coordinates, then what holds
//!   only parameters: `m*x'' + c*x' + k*x`, `x^2 + 2*a*x + a^2`;
//! - factors of a product: parameters, coordinates, functions, then derivatives, and a sum where its
//!   highest derivative puts it: `(m1 + m2)*l1^2*theta1''`, `m*(x'^2 + y'^2)`, `r*cos(theta)*phi'`.

use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::number::Rational;
use crate::algebra::symbol::{Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};

/// The structural order of everything below some roots.
pub struct Order {
    facts: FxHashMap<Expr, Facts>,
}

/// What the reading orders need to know of a node.
#[derive(Clone, Copy)]
struct Facts {
    rank: u32,
    /// 0: parameters only. k + 1: the highest derivative is of order k.
    reach: u32,
    /// The first symbol in reading order.
    first: SymbolKey,
}

/// Symbols by role, then by declaration; a jet by its coordinate first, so q comes before r′.
pub type SymbolKey = (u8, u32, u32);

const NO_SYMBOL: SymbolKey = (u8::MAX, u32::MAX, u32::MAX);

/// The sort key of a term of a sum: the highest derivative; its degree and what stands beside it;
/// the number of functions; the symbols.
pub type TermKey =
    (Reverse<u32>, Vec<(Reverse<u32>, Reverse<Rational>)>, usize, Vec<(SymbolKey, Reverse<Rational>)>, u32);

/// The sort key of a factor of a product.
pub type FactorKey = (u32, SymbolKey, u8, u32);

impl Order {
    pub fn new(roots: &[Expr]) -> Order {
        let nodes = post_order(roots);
        let mut levels: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut by_level: Vec<Vec<Expr>> = Vec::new();
        for &e in &nodes {
            let level = e.children().iter().map(|c| levels[c] + 1).max().unwrap_or(0);
            levels.insert(e, level);
            if by_level.len() <= level {
                by_level.resize_with(level + 1, Vec::new);
            }
            by_level[level].push(e);
        }
        let mut facts: FxHashMap<Expr, Facts> = FxHashMap::default();
        let mut rank = 0;
        for level in by_level {
            let mut keyed: Vec<(Shape, Expr)> = level.into_iter().map(|e| (shape(e, &facts), e)).collect();
            keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (_, e) in keyed {
                let mut f = own_facts(e);
                f.rank = rank;
                for child in e.children() {
                    let c = facts[&child];
                    f.reach = f.reach.max(c.reach);
                    f.first = f.first.min(c.first);
                }
                facts.insert(e, f);
                rank += 1;
            }
        }
        Order { facts }
    }

    /// The rank of a node: equal nodes only have equal ranks.
    pub fn rank(&self, e: Expr) -> u32 {
        self.facts.get(&e).map_or(u32::MAX, |f| f.rank)
    }

    pub fn compare(&self, a: Expr, b: Expr) -> Ordering {
        self.rank(a).cmp(&self.rank(b))
    }

    /// The order of the highest derivative that occurs; `None` without any coordinate.
    pub fn highest_jet(&self, e: Expr) -> Option<u32> {
        self.facts.get(&e).and_then(|f| f.reach.checked_sub(1))
    }

    /// Where a term stands in its sum.
    pub fn term_key(&self, e: Expr) -> TermKey {
        let single = [(e, Rational::ONE)];
        let factors: &[(Expr, Rational)] = match e.node() {
            Node::Product(list) => list,
            _ => &single,
        };
        let mut degrees: Vec<(u32, Rational)> = Vec::new();
        let mut symbols: Vec<(SymbolKey, Reverse<Rational>)> = Vec::new();
        let mut functions = 0;
        for (base, exponent) in factors {
            let reach = self.facts.get(base).map_or(0, |f| f.reach);
            if reach > 0 {
                // A function of q, or a sum, ranks as a factor of the order it reaches, of degree 0 beside
                // a bare q but not beside a constant.
                let degree = if base.as_symbol().is_some() { exponent.clone() } else { Rational::ZERO };
                match degrees.iter_mut().find(|(r, _)| *r == reach) {
                    Some((_, d)) => *d = &*d + &degree,
                    None => degrees.push((reach, degree)),
                }
            }
            match base.node() {
                Node::Symbol(s) => symbols.push((symbol_key(*s), Reverse(exponent.clone()))),
                Node::Number(_) | Node::Pi => {}
                _ => functions += 1,
            }
        }
        degrees.sort_by_key(|(r, _)| Reverse(*r));
        symbols.sort_by(|a, b| b.0.0.cmp(&a.0.0).then(a.0.cmp(&b.0)));
        let top = Reverse(degrees.first().map_or(0, |(r, _)| *r));
        // A bare derivative stands before one with a coefficient: x' - r*cos(theta)*phi'.
        let degrees = degrees.into_iter().map(|(r, d)| (Reverse(r), Reverse(d))).collect();
        (top, degrees, functions, symbols, self.rank(e))
    }

    /// Whether two terms are powers of symbols of the same roles with the same exponents.
    pub fn is_like(&self, a: Expr, b: Expr) -> bool {
        let (a, b) = (self.term_key(a), self.term_key(b));
        let roles = |symbols: &[(SymbolKey, Reverse<Rational>)]| {
            let mut roles: Vec<_> = symbols.iter().map(|(key, exponent)| (key.0, exponent.clone())).collect();
            roles.sort();
            roles
        };
        a.2 == 0 && b.2 == 0 && a.1 == b.1 && roles(&a.3) == roles(&b.3)
    }

    /// Where a factor stands in its product.
    pub fn factor_key(&self, e: Expr) -> FactorKey {
        let Some(f) = self.facts.get(&e) else { return (u32::MAX, NO_SYMBOL, u8::MAX, u32::MAX) };
        let class = match e.node() {
            Node::Number(_) | Node::Pi => return (0, (0, 0, 0), 0, f.rank),
            Node::Symbol(_) => 0,
            Node::Sum { .. } => 2,
            _ => 1,
        };
        // Among what holds coordinates the class decides, among parameters their declaration.
        if f.reach == 0 {
            (0, (1, f.first.1, f.first.2), class, f.rank)
        } else {
            (f.reach, (class, f.first.1, f.first.2), class, f.rank)
        }
    }
}

/// What makes two nodes of one level different, with children replaced by their ranks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    kind: u8,
    tag: (u64, u64),
    symbol: SymbolKey,
    children: Vec<(u32, Rational)>,
    constant: Rational,
}

fn shape(e: Expr, facts: &FxHashMap<Expr, Facts>) -> Shape {
    let rank = |e: &Expr| facts[e].rank;
    let weighted = |list: &[(Expr, Rational)]| {
        let mut list: Vec<(u32, Rational)> = list.iter().map(|(e, c)| (rank(e), c.clone())).collect();
        list.sort();
        list
    };
    let plain = |list: &[Expr]| list.iter().map(|e| (rank(e), Rational::ONE)).collect::<Vec<_>>();
    let mut s = Shape { kind: 0, tag: (0, 0), symbol: NO_SYMBOL, children: Vec::new(), constant: Rational::ZERO };
    match e.node() {
        Node::Number(n) => s.constant = n.clone(),
        Node::Pi => s.kind = 1,
        Node::Symbol(x) => (s.kind, s.symbol) = (2, symbol_key(*x)),
        Node::Product(factors) => (s.kind, s.children) = (3, weighted(factors)),
        Node::Power(a, b) => (s.kind, s.children) = (4, plain(&[*a, *b])),
        Node::Apply(f, arguments) => {
            (s.kind, s.tag.0, s.children) = (5, *f as u64, plain(arguments));
            if f.row().arity.is_none() {
                s.children.sort();
            }
        }
        Node::Unknown { function, orders, arguments } => {
            s.kind = 6;
            s.tag = (u64::from(function.index()), orders.iter().map(|n| u64::from(*n)).sum());
            s.children = plain(arguments);
            s.children.extend(orders.iter().map(|n| (*n, Rational::ZERO)));
        }
        Node::Piecewise { condition, then, otherwise } => {
            s.kind = 7;
            s.tag.0 = condition.relation as u64;
            s.children = plain(&[condition.left, *then, *otherwise]);
        }
        Node::Integral { variable, body } => {
            (s.kind, s.symbol, s.children) = (8, symbol_key(*variable), plain(&[*body]));
        }
        Node::Sum { constant, terms } => {
            (s.kind, s.constant, s.children) = (9, constant.clone(), weighted(terms));
        }
        Node::Undefined(_) => s.kind = 10,
    }
    s
}

fn own_facts(e: Expr) -> Facts {
    let mut facts = Facts { rank: 0, reach: 0, first: NO_SYMBOL };
    if let Node::Symbol(s) = e.node() {
        facts.first = symbol_key(*s);
        facts.reach = reach(*s);
    }
    facts
}

fn reach(s: Symbol) -> u32 {
    match s.kind() {
        SymbolKind::Parameter => 0,
        SymbolKind::Base | SymbolKind::Bound => 1,
        SymbolKind::Jet { order, .. } => order.saturating_add(1),
        // The velocity of a phase-space coordinate reads like a derivative of it.
        SymbolKind::Velocity { of } => match of.kind() {
            SymbolKind::Jet { order, .. } => order.saturating_add(2),
            _ => 2,
        },
        SymbolKind::Momentum { .. } | SymbolKind::Multiplier(_) | SymbolKind::Variation { .. } => 2,
    }
}

/// Parameters, time, coordinates, derivatives, momenta, multipliers; within a role by declaration.
fn symbol_key(s: Symbol) -> SymbolKey {
    match s.kind() {
        SymbolKind::Parameter => (1, s.index(), 0),
        SymbolKind::Bound => (2, s.index(), 0),
        SymbolKind::Base => (3, s.index(), 0),
        SymbolKind::Jet { coordinate, order } => (4u8.saturating_add(order.min(100) as u8), coordinate.index(), order),
        SymbolKind::Momentum { of } => (110, symbol_key(of).1, symbol_key(of).2),
        SymbolKind::Velocity { of } => (111, symbol_key(of).1, symbol_key(of).2),
        SymbolKind::Multiplier(i) => (112, i, 0),
        SymbolKind::Variation { of, .. } => (113, symbol_key(of).1, symbol_key(of).2),
    }
}
