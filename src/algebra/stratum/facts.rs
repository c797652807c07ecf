//! Whether a point obeys the declared facts. A point of a cell gives values to some generators and leaves the other symbols
//! open; it is a point of the set only if the facts hold there for some values of what is open.
//!
//! ```text
//! assume x > 1, x < y        x = 1: no;  x = 2: yes, with y = 3
//! assume θ > 0               sin θ = 0, cos θ = −1: yes, θ may be taken a turn further
//! assume θ > 0, θ < π        sin θ = 0, cos θ = −1: not shown
//! ```
//!
//! What cannot be shown counts as *no*: then a point is no witness, and nothing is said of the set.

use super::super::assume::Sign;
use super::super::ball;
use super::super::expr::{Expr, Node, post_order};
use super::super::function::Domain;
use super::super::generator::{Generator, Kind};
use super::super::normal::{Context, canonical_fraction};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::AlgebraicNumber;
use super::super::substitute::{rewrite, substitute};
use super::super::symbol::Symbol;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;
use rustc_hash::{FxHashMap, FxHashSet};

/// Symbols that a point may leave open in facts.
const MAX_OPEN: usize = 3;

/// Values that are tried for each of them.
const TRIED: [(i64, i64); 11] =
    [(1, 1), (2, 1), (0, 1), (1, 2), (-1, 1), (5, 1), (-3, 1), (1, 10), (20, 1), (-20, 1), (100, 1)];

/// Whether all facts hold at a point with these values of generators, rational ones and others, and suitable values of the
/// symbols that have none.
pub(super) fn hold_at(cx: &Inquiry, values: &[(u32, Rational)], roots: &[(u32, AlgebraicNumber)]) -> Budgeted<bool> {
    if cx.facts().is_empty() {
        return Ok(true);
    }
    let known: FxHashMap<Expr, Rational> = values.iter().map(|(v, x)| (Generator(*v).meaning(), x.clone())).collect();
    // Symbols of which the point knows a function only: the angle of a sine.
    let inside = |v: &u32| match Generator(*v).kind() {
        Kind::Symbol(_) => vec![],
        _ => Generator(*v).meaning().symbols(),
    };
    let undone: FxHashMap<Symbol, Expr> = values.iter().filter_map(|(v, x)| undone(*v, x)).collect();
    let valued = |s: &Symbol| known.contains_key(&Expr::symbol(*s)) || undone.contains_key(s) || is_root(roots, *s);
    let given = values.iter().map(|(v, _)| v).chain(roots.iter().map(|(v, _)| v));
    let hidden: FxHashSet<Symbol> = given.flat_map(inside).filter(|s| !valued(s)).collect();
    let mut open_facts: Vec<(Expr, Sign)> = Vec::new();
    let mut turned: FxHashMap<Symbol, Vec<Sign>> = FxHashMap::default();
    for (fact, sign) in cx.facts().iter() {
        let there = rewrite(&[fact], |x| known.get(&x).map(|value| Expr::number(value.clone())))[0];
        let there = substitute(there, &undone);
        if there.as_undefined().is_some() {
            return Ok(false);
        }
        let symbols = there.symbols();
        if let Some(s) = symbols.iter().find(|s| hidden.contains(s)) {
            // A bound on one side is no matter for an angle.
            match is_angle(*s, values, roots).then(|| slope_in(there, *s)).flatten() {
                Some(increasing) => turned.entry(*s).or_default().push(if increasing { sign } else { sign.negate() }),
                None => return Ok(false),
            }
        } else if symbols.iter().any(|s| is_root(roots, *s)) {
            if !holds_at_root(cx, there, sign, roots)? {
                return Ok(false);
            }
        } else if has_unspecified(there) {
            // A function that nobody has specified may be one that obeys.
        } else if symbols.is_empty() {
            match ball::certified_sign(cx, there, &FxHashMap::default(), 256)? {
                Some(found) if agrees(sign, found) => {}
                _ => return Ok(false),
            }
        } else {
            open_facts.push((there, sign));
        }
    }
    let one_sided = |signs: &Vec<Sign>| {
        let up = signs.iter().all(|s| s.can_be_positive && (s.is_nonnegative() || *s == Sign::NONZERO));
        let down = signs.iter().all(|s| s.can_be_negative && (s.is_nonpositive() || *s == Sign::NONZERO));
        up || down
    };
    Ok(turned.values().all(one_sided) && can_hold_together(cx, &open_facts)?)
}

/// The symbol of which the generator is a monotone function, by its value: x = log 2 where eˣ = 2.
fn undone(v: u32, value: &Rational) -> Option<(Symbol, Expr)> {
    let meaning = Generator(v).meaning();
    let Node::Apply(f, [u]) = meaning.node() else { return None };
    let row = f.row();
    let piece = row.piece.filter(|piece| row.domain == Domain::Interval(piece.on))?;
    Some((u.as_symbol()?, piece.inverse?.of(Expr::number(value.clone()))))
}

fn is_root(roots: &[(u32, AlgebraicNumber)], s: Symbol) -> bool {
    roots.iter().any(|(v, _)| matches!(Generator(*v).kind(), Kind::Symbol(own) if own == s))
}

fn agrees(sign: Sign, found: i32) -> bool {
    match found {
        0 => sign.can_be_zero,
        1 => sign.can_be_positive,
        _ => sign.can_be_negative,
    }
}

fn has_unspecified(e: Expr) -> bool {
    post_order(&[e]).iter().any(|x| matches!(x.node(), Node::Unknown { .. }))
}

/// Whether the point knows nothing of the symbol but its sine and cosine, so that a turn more changes nothing.
fn is_angle(s: Symbol, values: &[(u32, Rational)], roots: &[(u32, AlgebraicNumber)]) -> bool {
    let given = values.iter().map(|(v, _)| *v).chain(roots.iter().map(|(v, _)| *v));
    given.filter(|v| Generator(*v).meaning().contains(s)).all(|v| match Generator(v).kind() {
        Kind::Sine(u) | Kind::Cosine(u) => u.as_symbol() == Some(s),
        _ => false,
    })
}

/// Whether c·s + q grows with s; `None` if the fact is about more than that.
fn slope_in(fact: Expr, s: Symbol) -> Option<bool> {
    match fact.node() {
        Node::Symbol(own) if *own == s => Some(true),
        Node::Sum { terms, .. } => {
            let rest = terms.iter().filter(|(term, _)| !matches!(term.node(), Node::Pi)).collect::<Vec<_>>();
            match rest[..] {
                [(term, c)] if term.as_symbol() == Some(s) => Some(!c.is_negative()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A fact about one coordinate that is an algebraic number.
fn holds_at_root(cx: &Inquiry, fact: Expr, sign: Sign, roots: &[(u32, AlgebraicNumber)]) -> Budgeted<bool> {
    let Some((above, below)) = canonical_fraction(cx, Context::of(cx, &[fact])?, fact)? else { return Ok(false) };
    let variables: Vec<u32> = above.variables().iter().chain(below.variables()).copied().collect();
    let Some(&v) = variables.first() else { return Ok(false) };
    let Some((_, root)) = roots.iter().find(|(own, _)| *own == v) else { return Ok(false) };
    if variables.iter().any(|other| *other != v) {
        return Ok(false);
    }
    let sign_of = |p: &Polynomial| root.sign_of(cx, p);
    let found = sign_of(&above)? * sign_of(&below)?;
    Ok(agrees(sign, found))
}

/// Whether values of the open symbols are found at which all these facts hold.
fn can_hold_together(cx: &Inquiry, facts: &[(Expr, Sign)]) -> Budgeted<bool> {
    let mut rest: Vec<(Expr, Sign)> = facts.to_vec();
    // Groups of facts that share symbols, one after the other.
    while let Some(first) = rest.pop() {
        let mut symbols: Vec<Symbol> = first.0.symbols();
        let mut group = vec![first];
        loop {
            let shares = |f: &(Expr, Sign)| f.0.symbols().iter().any(|s| symbols.contains(s));
            let (near, far): (Vec<_>, Vec<_>) = rest.into_iter().partition(shares);
            rest = far;
            if near.is_empty() {
                break;
            }
            symbols.extend(near.iter().flat_map(|f| f.0.symbols()));
            group.extend(near);
        }
        symbols.sort();
        symbols.dedup();
        // What is said of each symbol by itself, and was not touched by the point, holds where it was declared.
        let is_untouched = |f: &(Expr, Sign)| cx.facts().iter().any(|known| known == *f);
        if group.iter().all(is_untouched) {
            continue;
        }
        if symbols.len() > MAX_OPEN || !holds_somewhere(cx, &group, &symbols)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds_somewhere(cx: &Inquiry, group: &[(Expr, Sign)], symbols: &[Symbol]) -> Budgeted<bool> {
    let n = TRIED.len();
    for number in 0..n.pow(symbols.len() as u32) {
        cx.check()?;
        let mut index = number;
        let mut point = FxHashMap::default();
        for s in symbols {
            let (a, b) = TRIED[index % n];
            point.insert(*s, Rational::ratio(a, b));
            index /= n;
        }
        let mut holds = true;
        for (fact, sign) in group {
            holds &= matches!(ball::certified_sign(cx, *fact, &point, 128)?, Some(found) if agrees(*sign, found));
            if !holds {
                break;
            }
        }
        if holds {
            return Ok(true);
        }
    }
    Ok(false)
}
