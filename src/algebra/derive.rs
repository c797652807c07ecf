//! Derivatives, memoised per node.
//!
//! Three ways through the same graph: [`partial`] derivatives by one symbol, the [`Direction`]al
//! derivative along a field of seeds (which is what a total derivative is), and the whole [`gradient`]
//! by reverse accumulation. Each visits every shared node once.
//!
//! What is remembered is the derivative alone, a function of the node. That |u|, sign u, min, max and cases have one off
//! their kinks only is written into the ledger of whoever asks, every time: [`record_kinks`].

use super::assume::sign_of;
use super::conditions::record_nonzero;
use super::expr::{BudgetKind, Expr, Node, Undefined, post_order_where};
use super::function::{Elementary, Slope};
use super::inquiry::Inquiry;
use super::number::Rational;
use super::symbol::Symbol;
use crate::budget::Budgeted;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;

thread_local! {
    static PARTIALS: RefCell<FxHashMap<(Expr, Symbol), Expr>> = RefCell::default();
}

/// Forgets the derivatives that were found.
pub(super) fn forget() {
    PARTIALS.take();
}

/// ∂e/∂s, where there is one: kinks are recorded.
pub fn partial(cx: &Inquiry, e: Expr, s: Symbol) -> Expr {
    if record_kinks(cx, e, |x| x.contains(s)).is_err() {
        return stopped();
    }
    slope(cx, e, s)
}

/// Records that the kinks of `e` are excluded: those of |u|, sign u, min, max and cases whose place moves.
pub fn record_kinks(cx: &Inquiry, e: Expr, moves: impl Fn(Expr) -> bool) -> Budgeted<()> {
    if !e.has_kinks() {
        return Ok(());
    }
    let exclude = |u: Expr| {
        if moves(u) && !sign_of(cx, u).is_nonzero() {
            record_nonzero(cx, u);
        }
    };
    for x in post_order_where(&[e], |x| x.has_kinks()) {
        match x.node() {
            Node::Apply(function, all) if function.row().slope == Slope::Extreme => {
                for (i, a) in all.iter().enumerate() {
                    for b in &all[..i] {
                        cx.check()?;
                        exclude(*a - *b);
                    }
                }
            }
            Node::Apply(function, u) if function.row().slope.has_kinks() => exclude(u[0]),
            Node::Piecewise { condition, .. } => exclude(condition.left),
            _ => {}
        }
    }
    Ok(())
}

/// A derivative that was stopped has no value.
fn stopped() -> Expr {
    Expr::undefined(Undefined::Budget(BudgetKind::Work))
}

/// The derivative off the kinks, for those who need a direction and no answer.
pub fn slope(cx: &Inquiry, e: Expr, s: Symbol) -> Expr {
    let zero = Expr::zero();
    if !e.may_contain(s) {
        return zero;
    }
    let known = |x: Expr| {
        if !x.may_contain(s) {
            return Some(zero);
        }
        if let Node::Symbol(x) = x.node() {
            return Some(if *x == s { Expr::one() } else { zero });
        }
        PARTIALS.with_borrow(|m| m.get(&(x, s)).copied())
    };
    walk(cx, e, known, |x, d| {
        PARTIALS.with_borrow_mut(|m| m.insert((x, s), d));
    })
}

/// ∂ⁿe by the symbols in turn.
pub fn partials(cx: &Inquiry, e: Expr, by: &[Symbol]) -> Expr {
    by.iter().fold(e, |e, s| partial(cx, e, *s))
}

/// A derivation that sends each symbol to its seed: Σ seed(s) ∂/∂s. Keeps what it has computed, so
/// that many expressions over shared nodes cost one pass.
pub struct Direction<F: Fn(Symbol) -> Expr> {
    seed: F,
    memo: RefCell<FxHashMap<Expr, Expr>>,
}

impl<F: Fn(Symbol) -> Expr> Direction<F> {
    pub fn new(seed: F) -> Direction<F> {
        Direction { seed, memo: RefCell::default() }
    }

    /// Forgets the derivatives that were found.
    pub fn forget(&self) {
        self.memo.take();
    }

    pub fn apply(&self, cx: &Inquiry, e: Expr) -> Expr {
        if record_kinks(cx, e, |x| x.symbols().iter().any(|s| !(self.seed)(*s).is_zero())).is_err() {
            return stopped();
        }
        let known = |x: Expr| match x.node() {
            Node::Number(_) | Node::Pi => Some(Expr::zero()),
            Node::Symbol(s) => Some(*self.memo.borrow_mut().entry(x).or_insert_with(|| (self.seed)(*s))),
            _ => self.memo.borrow().get(&x).copied(),
        };
        walk(cx, e, known, |x, d| {
            self.memo.borrow_mut().insert(x, d);
        })
    }
}

/// Computes the derivative of `root` bottom-up over the nodes that `known` does not answer. A derivative that was stopped has
/// no value.
fn walk(cx: &Inquiry, root: Expr, known: impl Fn(Expr) -> Option<Expr>, store: impl Fn(Expr, Expr)) -> Expr {
    let mut stack = vec![root];
    let mut derivatives: Vec<Expr> = Vec::new();
    while let Some(&e) = stack.last() {
        if known(e).is_some() {
            stack.pop();
            continue;
        }
        let before = stack.len();
        derivatives.clear();
        e.for_each_child(|child| match known(child) {
            Some(d) => derivatives.push(d),
            None => stack.push(child),
        });
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let Ok(derivative) = chain(cx, e, &derivatives) else {
            return stopped();
        };
        store(e, derivative);
    }
    known(root).unwrap_or_else(Expr::zero)
}

/// The derivative of a node from those of its children.
fn chain(cx: &Inquiry, e: Expr, d: &[Expr]) -> Budgeted<Expr> {
    let zero = Expr::zero();
    let moving = || d.iter().copied().enumerate().filter(|(_, d)| *d != zero);
    cx.check()?;
    // Each contribution is a product of as many factors as the node has children.
    let cost = if matches!(e.node(), Node::Sum { .. }) { 1 } else { d.len() as u64 };
    cx.spend(moving().count() as u64 * cost)?;
    Ok(match e.node() {
        Node::Sum { terms, .. } => Expr::sum(Rational::ZERO, moving().map(|(i, d)| (d, terms[i].1.clone()))),
        // An integral over [0, 1] is differentiated under the sign.
        Node::Integral { variable, .. } => Expr::integral(*variable, d[0]),
        Node::Piecewise { condition, .. } => {
            // Off the kink the condition is locally constant.
            Expr::piecewise(*condition, d[1], d[2])
        }
        Node::Undefined(_) => e,
        _ => Expr::sum(Rational::ZERO, moving().map(|(i, d)| contribution(e, i, d))),
    })
}

/// d · ∂(node)/∂(i-th child) as an expression and its coefficient. Sums are left to the caller, who
/// does not want a node per term.
fn contribution(e: Expr, i: usize, d: Expr) -> (Expr, Rational) {
    let one = Rational::ONE;
    match e.node() {
        Node::Product(factors) => {
            let exponent = &factors[i].1;
            let lowered = exponent - &one;
            let rest =
                factors.iter().enumerate().map(|(j, (b, x))| (*b, if j == i { lowered.clone() } else { x.clone() }));
            Expr::scaled_product(exponent.clone(), rest.chain([(d, one)]))
        }
        _ => Expr::scaled_product(one.clone(), [(local_partial(e, i), one.clone()), (d, one)]),
    }
}

/// ∂(node)/∂(i-th child), the child taken as an independent variable.
pub fn local_partial(e: Expr, i: usize) -> Expr {
    match e.node() {
        Node::Sum { terms, .. } => Expr::number(terms[i].1.clone()),
        Node::Product(factors) => {
            let exponent = &factors[i].1;
            let lowered = exponent - &Rational::ONE;
            Expr::product(
                exponent.clone(),
                factors.iter().enumerate().map(|(j, (b, x))| (*b, if j == i { lowered.clone() } else { x.clone() })),
            )
        }
        Node::Power(base, exponent) => {
            if i == 0 {
                *exponent * base.power(*exponent - 1)
            } else {
                e * Expr::apply(Elementary::Log, &[*base])
            }
        }
        Node::Apply(function, x) => elementary_partial(*function, e, x, i),
        Node::Unknown { function, orders, arguments } => {
            let mut orders = orders.to_vec();
            orders[i] += 1;
            Expr::unknown(*function, &orders, arguments)
        }
        _ => Expr::zero(),
    }
}

/// The derivative of an elementary function by its i-th argument; `e` is its value.
fn elementary_partial(function: Elementary, e: Expr, arguments: &[Expr], i: usize) -> Expr {
    let x = arguments[0];
    match function.row().slope {
        Slope::Partner { other, negative } => {
            let partner = Expr::apply(other, &[x]);
            if negative { -partner } else { partner }
        }
        Slope::Riccati { minus } => {
            if minus {
                1 - e.pow(2)
            } else {
                1 + e.pow(2)
            }
        }
        Slope::Itself => e,
        Slope::Reciprocal => x.pow(-1),
        Slope::OverQuadratic { constant, square, root, negative } => {
            let below = i64::from(constant) + x.pow(2).scale(&Rational::from(i64::from(square)));
            let slope = below.pow(if root { Rational::ratio(-1, 2) } else { Rational::MINUS_ONE });
            if negative { -slope } else { slope }
        }
        Slope::CubeRoot => e.pow(-2).scale(&Rational::ratio(1, 3)),
        Slope::Gauss => 2 * Expr::apply(Elementary::Exp, &[-x.pow(2)]) / Expr::pi().sqrt(),
        Slope::Kink => Expr::apply(Elementary::Sign, &[x]),
        Slope::Jump => Expr::zero(),
        Slope::Angle => {
            // atan2(y, x): (x dy − y dx)/(x² + y²)
            let (y, x) = (arguments[0], arguments[1]);
            let r2 = x.pow(2) + y.pow(2);
            if i == 0 { x / r2 } else { -y / r2 }
        }
        Slope::Extreme => {
            // One where this argument is the extreme one; off the kink exactly one is.
            arguments.iter().enumerate().filter(|(j, _)| *j != i).fold(Expr::one(), |weight, (_, other)| {
                let difference = arguments[i] - *other;
                let largest = function == Elementary::Max;
                let relation = if largest { super::expr::Relation::Greater } else { super::expr::Relation::Less };
                weight
                    * Expr::piecewise(super::expr::Condition { relation, left: difference }, Expr::one(), Expr::zero())
            })
        }
    }
}

/// All partial derivatives of `e` by the given symbols in one pass from the root to the leaves.
///
/// Adjoints are sums of many contributions that are collected first and added once, so a node used
/// k times costs one sum of k terms.
pub fn gradient(cx: &Inquiry, e: Expr, by: &[Symbol]) -> Vec<Expr> {
    if record_kinks(cx, e, |x| by.iter().any(|s| x.contains(*s))).is_err() {
        return vec![stopped(); by.len()];
    }
    let wanted = by.iter().fold(0u64, |m, s| m | s.mask());
    let mut order = post_order_where(&[e], |x| x.mask() & wanted != 0);
    // Masks may err; from the leaves up it is exact which nodes depend on one of the symbols.
    let symbols: FxHashSet<Symbol> = by.iter().copied().collect();
    let mut active: FxHashSet<Expr> = FxHashSet::default();
    order.retain(|x| {
        let mut moves = matches!(x.node(), Node::Symbol(s) if symbols.contains(s));
        x.for_each_child(|child| moves = moves || active.contains(&child));
        moves && active.insert(*x)
    });
    let index: FxHashMap<Expr, u32> = order.iter().enumerate().map(|(i, x)| (*x, i as u32)).collect();
    let mut adjoints: Vec<SmallVec<[(Expr, Rational); 1]>> = vec![SmallVec::new(); order.len()];
    let mut result: FxHashMap<Symbol, Expr> = FxHashMap::default();
    if let Some(last) = adjoints.last_mut() {
        last.push((Expr::one(), Rational::ONE));
    }
    for (at, &x) in order.iter().enumerate().rev() {
        let parts = std::mem::take(&mut adjoints[at]);
        if parts.is_empty() {
            continue;
        }
        if cx.check().and_then(|()| cx.spend(parts.len() as u64)).is_err() {
            return vec![Expr::undefined(Undefined::Budget(BudgetKind::Work)); by.len()];
        }
        let adjoint = Expr::sum(Rational::ZERO, parts);
        match x.node() {
            Node::Symbol(s) => {
                result.insert(*s, adjoint);
            }
            // Not linear in one adjoint: differentiate these forwards.
            Node::Piecewise { .. } | Node::Integral { .. } => {
                for s in by {
                    let d = slope(cx, x, *s);
                    if !d.is_zero()
                        && let Some(to) = index.get(&Expr::symbol(*s))
                    {
                        adjoints[*to as usize].push((adjoint * d, Rational::ONE));
                    }
                }
            }
            Node::Sum { terms, .. } => {
                for (child, c) in terms.iter() {
                    if let Some(to) = index.get(child) {
                        adjoints[*to as usize].push((adjoint, c.clone()));
                    }
                }
            }
            _ => {
                let mut i = 0;
                x.for_each_child(|child| {
                    if let Some(to) = index.get(&child) {
                        adjoints[*to as usize].push(contribution(x, i, adjoint));
                    }
                    i += 1;
                });
            }
        }
    }
    by.iter().map(|s| result.get(s).copied().unwrap_or_else(Expr::zero)).collect()
}

/// The matrix ∂rows_i/∂by_j, each row by reverse accumulation: the cost is that of reading the rows.
pub fn jacobian(cx: &Inquiry, rows: &[Expr], by: &[Symbol]) -> Vec<Vec<Expr>> {
    rows.iter().map(|e| gradient(cx, *e, by)).collect()
}

/// The same from the gradient by these symbols; the lower half is read off the upper one.
pub fn symmetric_jacobian(cx: &Inquiry, gradient_by: &[Expr], by: &[Symbol]) -> Vec<Vec<Expr>> {
    let places: FxHashMap<Symbol, usize> = by.iter().enumerate().map(|(j, s)| (*s, j)).collect();
    let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(by.len());
    for (i, d) in gradient_by.iter().enumerate() {
        let mut row: Vec<Expr> = Vec::with_capacity(by.len());
        row.extend(rows.iter().map(|r| r[i]));
        row.resize(by.len(), Expr::zero());
        // A matrix of many rows has few entries.
        let mut there: Vec<usize> =
            d.symbols().iter().filter_map(|s| places.get(s)).copied().filter(|j| *j >= i).collect();
        there.sort_unstable();
        let of: Vec<Symbol> = there.iter().map(|j| by[*j]).collect();
        there.into_iter().zip(gradient(cx, *d, &of)).for_each(|(j, slope)| row[j] = slope);
        rows.push(row);
    }
    rows
}

/// The matrix ∂²e/∂by_i∂by_j.
pub fn hessian(cx: &Inquiry, e: Expr, by: &[Symbol]) -> Vec<Vec<Expr>> {
    symmetric_jacobian(cx, &gradient(cx, e, by), by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_and_chain_rule() {
        let cx = &Inquiry::free();
        let (x, y) = (Symbol::parameter("x"), Symbol::parameter("y"));
        let (ex, ey) = (Expr::symbol(x), Expr::symbol(y));
        assert_eq!(partial(cx, ex.pow(3) * ey, x), 3 * (ex.pow(2) * ey));
        let f = Expr::apply(Elementary::Sin, &[ex * ey]);
        assert_eq!(partial(cx, f, y), ex * Expr::apply(Elementary::Cos, &[ex * ey]));
    }

    #[test]
    fn the_three_ways_agree() {
        let cx = &Inquiry::free();
        let (x, y) = (Symbol::parameter("x"), Symbol::parameter("y"));
        let (ex, ey) = (Expr::symbol(x), Expr::symbol(y));
        let f = (ex * ey + 1).pow(2) * Expr::apply(Elementary::Exp, &[ex]);
        assert_eq!(gradient(cx, f, &[x, y]), vec![partial(cx, f, x), partial(cx, f, y)]);
        let along_x = Direction::new(|s| if s == x { Expr::one() } else { Expr::zero() });
        assert_eq!(along_x.apply(cx, f), partial(cx, f, x));
    }
}
