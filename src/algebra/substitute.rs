//! Simultaneous substitution and exact evaluation. Replacing x by y and y by x in one go swaps them;
//! nothing is substituted twice.

use super::expr::{Expr, Node};
use super::symbol::{Function, Symbol};
use crate::algebra::Inquiry;
use rustc_hash::FxHashMap;

/// `e` with each symbol replaced as `map` says; what `map` does not mention stays.
pub fn substitute(e: Expr, map: &FxHashMap<Symbol, Expr>) -> Expr {
    substitute_all(&[e], map)[0]
}

/// The same for several expressions that share nodes.
pub fn substitute_all(roots: &[Expr], map: &FxHashMap<Symbol, Expr>) -> Vec<Expr> {
    let mask = map.keys().fold(0u64, |m, s| m | s.mask());
    rewrite(roots, |x| {
        if x.mask() & mask == 0 {
            return Some(x);
        }
        match x.node() {
            Node::Symbol(s) => Some(map.get(s).copied().unwrap_or(x)),
            _ => None,
        }
    })
}

/// The smallest part of `e` that loses its value when `map` is put in: 1/x at x = 0.
pub fn undefined_part(e: Expr, map: &FxHashMap<Symbol, Expr>) -> Option<Expr> {
    let parts = super::expr::post_order(&[e]);
    let images = substitute_all(&parts, map);
    parts.into_iter().zip(images).find(|(_, image)| image.as_undefined().is_some()).map(|(part, _)| part)
}

/// Gives an unspecified function a body: V(u) becomes `body` with the formal `parameters` replaced
/// by the arguments, and its derivatives those of the body.
pub fn define_function(cx: &Inquiry, e: Expr, function: Function, parameters: &[Symbol], body: Expr) -> Expr {
    let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
    for x in super::expr::post_order(&[e]) {
        let children: Vec<Expr> = x.children().iter().map(|c| done.get(c).copied().unwrap_or(*c)).collect();
        let new = match x.node() {
            Node::Unknown { function: f, orders, .. } if *f == function => {
                let mut derivative = body;
                for (s, n) in parameters.iter().zip(orders.iter()) {
                    for _ in 0..*n {
                        derivative = super::derive::partial(cx, derivative, *s);
                    }
                }
                let map = parameters.iter().copied().zip(children.iter().copied()).collect();
                substitute(derivative, &map)
            }
            _ if children.as_slice() == x.children().as_slice() => x,
            _ => x.with_children(&children),
        };
        done.insert(x, new);
    }
    done[&e]
}

/// Bottom-up rewriting: `leaf` decides nodes that need no look inside; the others are rebuilt from
/// their rewritten children.
pub fn rewrite(roots: &[Expr], leaf: impl Fn(Expr) -> Option<Expr>) -> Vec<Expr> {
    let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
    let mut stack: Vec<Expr> = roots.to_vec();
    while let Some(&x) = stack.last() {
        if done.contains_key(&x) {
            stack.pop();
            continue;
        }
        if let Some(new) = leaf(x) {
            done.insert(x, new);
            stack.pop();
            continue;
        }
        let children = x.children();
        let before = stack.len();
        stack.extend(children.iter().copied().filter(|c| !done.contains_key(c)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let new_children: Vec<Expr> = children.iter().map(|c| done[c]).collect();
        let new = if new_children.as_slice() == children.as_slice() { x } else { x.with_children(&new_children) };
        done.insert(x, new);
    }
    roots.iter().map(|r| done[r]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitution_is_simultaneous() {
        let (x, y) = (Symbol::parameter("x"), Symbol::parameter("y"));
        let (ex, ey) = (Expr::symbol(x), Expr::symbol(y));
        let map = FxHashMap::from_iter([(x, ey), (y, ex)]);
        assert_eq!(substitute(ex - 2 * ey, &map), ey - 2 * ex);
    }
}
