//! Inequalities as they are said. A fact about r becomes, on the image of x = eʳ, one about log x: 0 < r is 0 < log x,
//! and a reader wants 1 < x. [`isolated`] takes monotone functions off, one layer after the other:
//!
//! ```text
//! f(u) > c   ⇔   u > f⁻¹(c)        f increasing (< if it is decreasing), c inside the range of f
//!                always            c below the range
//! ```
//!
//! wherever f(u) is defined. [`reduced`] keeps those conditions that say something: neither what follows from the
//! declared facts nor what follows from the others, so that x ≠ 0 is not said beside x > 0.

use crate::algebra::Inquiry;
use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::ball::certified_sign;
use crate::algebra::decide::sign;
use crate::algebra::expr::{Condition, Expr, Node, Relation, post_order};
use crate::algebra::function::{Bound, Elementary, Piece, SignRule};
use crate::algebra::normal::simplify;
use crate::algebra::number::Rational;
use rustc_hash::FxHashMap;

impl Condition {
    pub fn positive(left: Expr) -> Condition {
        Condition { relation: Relation::Greater, left }
    }

    pub fn nonnegative(left: Expr) -> Condition {
        Condition { relation: Relation::GreaterEqual, left }
    }

    pub fn nonzero(left: Expr) -> Condition {
        Condition { relation: Relation::NotEqual, left }
    }

    /// What the fact `sign` says about `e`, if that is an inequality.
    pub fn from_fact(e: Expr, sign: Sign) -> Option<Condition> {
        Some(match sign {
            Sign::POSITIVE => Condition::positive(e),
            Sign::NEGATIVE => Condition::positive(-e),
            Sign::NONNEGATIVE => Condition::nonnegative(e),
            Sign::NONPOSITIVE => Condition::nonnegative(-e),
            Sign::NONZERO => Condition::nonzero(e),
            _ => return None,
        })
    }

    /// The sign that `left` has where the condition holds.
    pub fn sign(&self) -> Sign {
        match self.relation {
            Relation::Equal => Sign::ZERO,
            Relation::NotEqual => Sign::NONZERO,
            Relation::Less => Sign::NEGATIVE,
            Relation::LessEqual => Sign::NONPOSITIVE,
            Relation::Greater => Sign::POSITIVE,
            Relation::GreaterEqual => Sign::NONNEGATIVE,
        }
    }

    /// Whether the facts decide it everywhere.
    pub fn decided(&self, cx: &Inquiry) -> Option<bool> {
        if self.left.symbols().is_empty() {
            let sign = certified_sign(cx, self.left, &FxHashMap::default(), 256).ok()??;
            return Some(self.relation.holds(&Rational::from(i64::from(sign))));
        }
        self.relation.decided_by(sign(cx, self.left))
    }

    /// Whether it follows from the other one, of the same function with another bound.
    fn is_weaker_than(&self, cx: &Inquiry, other: &Condition) -> bool {
        let is_inequality = |c: &Condition| matches!(c.relation, Relation::Greater | Relation::GreaterEqual);
        if self == other || !is_inequality(self) || !is_inequality(other) {
            return false;
        }
        let Ok(apart) = super::collect(cx, |cx| simplify(cx, self.left - other.left)).0 else { return false };
        if !apart.symbols().is_empty() {
            return false;
        }
        let above = Condition::positive(apart).decided(cx) == Some(true);
        above || (apart.is_zero() && self.relation == Relation::GreaterEqual)
    }

    /// The two sides as one writes them: x > 1 for x − 1 > 0, x < 1 for 1 − x > 0.
    pub fn sides(&self) -> (Expr, Relation, Expr) {
        let plain = (self.left, self.relation, Expr::zero());
        let strict = match self.relation {
            Relation::Greater => true,
            Relation::GreaterEqual => false,
            _ => return plain,
        };
        let Node::Sum { constant, terms } = self.left.node() else { return plain };
        let (fixed, open): (Vec<_>, Vec<_>) = terms.iter().cloned().partition(|(e, _)| e.symbols().is_empty());
        let below = open.iter().all(|(_, k)| k.is_negative());
        if open.is_empty() || (constant.is_zero() && fixed.is_empty() && !below) {
            return plain;
        }
        let (bound, rest) = (Expr::sum(constant.clone(), fixed), Expr::sum(Rational::ZERO, open));
        match (below, strict) {
            (true, true) => (-rest, Relation::Less, bound),
            (true, false) => (-rest, Relation::LessEqual, bound),
            (false, _) => (rest, self.relation, -bound),
        }
    }
}

/// Runs `work` where the conditions hold as well as the declared facts.
pub fn under<T>(cx: &Inquiry, conditions: &[Condition], work: impl FnOnce(&Inquiry) -> T) -> T {
    if conditions.is_empty() { work(cx) } else { work(&cx.where_hold(conditions)) }
}

/// One of the conditions that cannot hold together with the facts and with the others.
pub fn contradiction(cx: &Inquiry, conditions: &[Condition]) -> Option<Condition> {
    if let Some(alone) = conditions.iter().find(|c| c.decided(cx) == Some(false)) {
        return Some(*alone);
    }
    if conditions.len() < 2 {
        return None;
    }
    let mut under = cx.clone();
    for c in conditions {
        match under.assuming([(c.left, c.sign())]) {
            Some(more) if c.decided(&under) != Some(false) => under = more,
            _ => return Some(*c),
        }
    }
    None
}

/// Expressions with more nodes than this are not reasoned about: they are said as they are.
const LARGE: usize = 80;

/// The conditions in their simplest form, without those that follow from the facts or from the others.
pub fn reduced(cx: &Inquiry, conditions: impl IntoIterator<Item = Condition>) -> Vec<Condition> {
    let mut kept: Vec<Condition> = Vec::new();
    for c in conditions.into_iter().flat_map(|x| isolated(cx, x)) {
        let fixed = c.left.symbols().is_empty() && c.decided(cx) == Some(true);
        let known = fixed || c.relation.decided_by(sign_of(cx, c.left)) == Some(true);
        if !known && !kept.contains(&c) {
            kept.push(c);
        }
    }
    let small: Vec<Condition> = kept.iter().copied().filter(is_small).collect();
    // Of conditions that exclude each other everything follows: they all stay.
    if contradiction(cx, &small).is_some() {
        return kept;
    }
    kept = joined(kept);
    let small: Vec<Condition> = kept.iter().copied().filter(is_small).collect();
    for c in small.iter().rev() {
        let others: Vec<Condition> = kept.iter().copied().filter(|d| d != c && is_small(d)).collect();
        if follows(cx, c, &others) {
            kept.retain(|d| d != c);
        }
    }
    kept
}

/// The same beside conditions that are said already: those are not repeated, nor is what follows from them.
pub fn reduced_beside(
    cx: &Inquiry,
    said: &[Condition],
    conditions: impl IntoIterator<Item = Condition>,
) -> Vec<Condition> {
    let mut kept = reduced(cx, conditions.into_iter().filter(|c| !said.contains(c)));
    let small: Vec<Condition> = said.iter().copied().filter(is_small).collect();
    if !small.is_empty() && contradiction(cx, &small).is_none() {
        kept.retain(|c| !is_small(c) || !follows(cx, c, &small));
    }
    kept
}

fn is_small(c: &Condition) -> bool {
    post_order(&[c.left]).len() <= LARGE
}

fn follows(cx: &Inquiry, c: &Condition, others: &[Condition]) -> bool {
    follows_from_factors(cx, c, others)
        || others.iter().any(|d| c.is_weaker_than(cx, d))
        || under(cx, others, |cx| c.decided(cx)) == Some(true)
}

/// Where x·y ≠ 0, or x/y > 0, or x/y > 1, neither x nor y vanishes.
fn follows_from_factors(cx: &Inquiry, c: &Condition, others: &[Condition]) -> bool {
    let nonzero = |d: &Condition| match (d.relation, d.left.node()) {
        (Relation::Greater, Node::Sum { constant, terms }) => {
            let (fixed, open): (Vec<_>, Vec<_>) = terms.iter().cloned().partition(|(e, _)| e.symbols().is_empty());
            match open.as_slice() {
                [(term, k)] if !k.is_negative() && sign(cx, Expr::sum(constant.clone(), fixed)).is_nonpositive() => {
                    factors(*term)
                }
                _ => factors(d.left),
            }
        }
        (Relation::Greater | Relation::NotEqual, _) => factors(d.left),
        _ => vec![],
    };
    let nonzero: Vec<Expr> = others.iter().flat_map(nonzero).collect();
    let is_nonzero = |e: Expr| factors(e).iter().all(|f| nonzero.contains(f));
    c.relation == Relation::NotEqual && (is_nonzero(c.left) || squares(c.left).into_iter().flatten().any(is_nonzero))
}

/// The terms of a sum of squares, all with one sign: it vanishes where each of them does.
fn squares(e: Expr) -> Option<Vec<Expr>> {
    let Node::Sum { constant, terms } = e.node() else { return None };
    let is_square = |e: Expr| match e.node() {
        Node::Product(all) => all.iter().all(|(_, n)| (n / &Rational::from(2i64)).is_integer()),
        _ => false,
    };
    let down = terms.first()?.1.is_negative();
    let one_sign =
        (constant.is_zero() || constant.is_negative() == down) && terms.iter().all(|(_, k)| k.is_negative() == down);
    (one_sign && terms.iter().all(|(e, _)| is_square(*e))).then(|| terms.iter().map(|(e, _)| *e).collect())
}

/// u ≥ 0 and u ≠ 0 are u > 0, which says that u ≠ 0.
fn joined(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut kept = conditions.clone();
    for c in conditions.iter().filter(|c| c.relation == Relation::NotEqual) {
        let is_same = |d: &Condition| d.left == c.left || d.left == -c.left;
        let is_above = |d: &Condition| matches!(d.relation, Relation::Greater | Relation::GreaterEqual);
        if let Some(i) = kept.iter().position(|d| is_above(d) && is_same(d)) {
            kept[i] = Condition::positive(kept[i].left);
            kept.retain(|d| d != c);
        }
    }
    kept
}

/// What a product is made of, without exponents and numbers.
pub(super) fn factors(e: Expr) -> Vec<Expr> {
    let (mut found, mut stack) = (vec![], vec![e]);
    while let Some(x) = stack.pop() {
        match x.node() {
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => stack.push(terms[0].0),
            Node::Product(all) => stack.extend(all.iter().map(|(base, _)| *base)),
            _ => found.push(x),
        }
    }
    found
}

/// The condition without the monotone functions around what it is about: none if it always holds, two for 1/u > 1. Equivalent
/// wherever the left side is defined.
pub fn isolated(cx: &Inquiry, condition: Condition) -> Vec<Condition> {
    let mut open = vec![match condition.relation {
        Relation::Less => Condition::positive(-condition.left),
        Relation::LessEqual => Condition::nonnegative(-condition.left),
        _ => condition,
    }];
    let (mut bare, mut layers) = (vec![], 0);
    while let Some(c) = open.pop() {
        layers += 1;
        match layer(cx, &c) {
            Layer::Always => {}
            Layer::Inside(inner) if layers < MAX_LAYERS => open.push(inner),
            Layer::Both(first, second) if layers < MAX_LAYERS => open.extend([second, first]),
            _ => bare.push(c),
        }
    }
    bare
}

const MAX_LAYERS: usize = 64;

enum Layer {
    /// It holds wherever it is defined.
    Always,
    /// The same said about the argument.
    Inside(Condition),
    Both(Condition, Condition),
    Bare,
}

/// Takes one layer off k·f(u) + constant > 0 (or ≥ 0).
fn layer(cx: &Inquiry, c: &Condition) -> Layer {
    // log u ≠ 0 where u ≠ 1.
    if let (Relation::NotEqual, Node::Apply(Elementary::Log, u)) = (c.relation, c.left.node()) {
        return Layer::Inside(Condition::nonzero(u[0] - Expr::one()));
    }
    if c.relation == Relation::NotEqual {
        return nonzero_layer(cx, c.left);
    }
    if !matches!(c.relation, Relation::Greater | Relation::GreaterEqual) {
        return Layer::Bare;
    }
    if c.left.symbols().is_empty() {
        return if c.decided(cx) == Some(true) { Layer::Always } else { Layer::Bare };
    }
    let (constant, term, k) = match c.left.node() {
        Node::Sum { constant, terms } => {
            let (fixed, open): (Vec<_>, Vec<_>) = terms.iter().cloned().partition(|(e, _)| e.symbols().is_empty());
            let [(term, k)] = open.as_slice() else { return Layer::Bare };
            (Expr::sum(constant.clone(), fixed), *term, k.clone())
        }
        _ => (Expr::zero(), c.left, Rational::ONE),
    };
    let Some(reciprocal) = k.recip() else { return Layer::Bare };
    let comparison = Comparison {
        above: !k.is_negative(),
        strict: c.relation == Relation::Greater,
        bound: -constant.scale(&reciprocal),
    };
    match term.node() {
        Node::Product(factors) => match &factors[..] {
            [(base, exponent)] if !exponent.is_integer() => {
                let by = |c: Expr| c.pow(exponent.recip().expect("not zero"));
                let zero = Some(End { at: Expr::zero(), reached: !exponent.is_negative() });
                comparison.through(cx, *base, zero, None, !exponent.is_negative(), by)
            }
            [(base, exponent)] if comparison.bound.is_zero() => comparison.of_power(*base, exponent),
            [(base, exponent)]
                if (-exponent).is_one() && comparison.above && sign(cx, comparison.bound).is_positive() =>
            {
                // 1/u > c > 0 where 0 < u < 1/c.
                let below = comparison.with(comparison.bound.pow(-1) - *base);
                Layer::Both(Condition::positive(*base), below)
            }
            _ if comparison.bound.is_zero() => {
                let counts = |(base, exponent): &&(Expr, Rational)| {
                    let powered = base.pow(exponent.clone());
                    !sign_of(cx, powered).is_positive() && (exponent.is_integer() || !exponent.is_negative())
                };
                let rest: Vec<(Expr, Rational)> = factors.iter().filter(counts).cloned().collect();
                // √u·v > 0 where u > 0 and v > 0.
                let is_root = |(_, n): &(Expr, Rational)| !n.is_integer();
                if let Some(i) = rest.iter().position(is_root).filter(|_| comparison.strict && rest.len() > 1) {
                    let others = rest.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, f)| f.clone());
                    let others = comparison.with(Expr::product(Rational::ONE, others));
                    return Layer::Both(Condition::positive(rest[i].0), others);
                }
                if rest.len() == factors.len() {
                    return Layer::Bare;
                }
                Layer::Inside(comparison.with(Expr::product(Rational::ONE, rest)))
            }
            _ => Layer::Bare,
        },
        Node::Apply(f, arguments) => {
            let (u, row) = (arguments[0], f.row());
            let end = |bound: Bound| bound.end().map(|(at, reached)| End { at: at.expr(), reached });
            match row.whole_piece() {
                Some(Piece { increasing, inverse: Some(inverse), .. }) => {
                    comparison.through(cx, u, end(row.range.low), end(row.range.high), increasing, |c| inverse.of(c))
                }
                _ if row.sign == SignRule::Argument && comparison.bound.is_zero() => Layer::Inside(comparison.with(u)),
                _ => Layer::Bare,
            }
        }
        // 1 − x may be kept as −(x − 1).
        Node::Sum { constant: inner, terms } => {
            let scaled = terms.iter().map(|(e, n)| (*e, n * &k));
            let left = Expr::sum(inner * &k, scaled) + constant;
            Layer::Inside(Condition { left, ..*c })
        }
        _ if !k.abs().is_one() => Layer::Inside(comparison.with(term - comparison.bound)),
        _ => Layer::Bare,
    }
}

/// m² r² ≠ 0 where r ≠ 0, if m has a sign: the factors that may vanish, without their exponents.
fn nonzero_layer(cx: &Inquiry, e: Expr) -> Layer {
    let term = match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => terms[0].0,
        _ => e,
    };
    let Node::Product(factors) = term.node() else { return Layer::Bare };
    if factors.iter().any(|(_, n)| !n.is_integer() || n.is_negative()) {
        return Layer::Bare;
    }
    let open = factors.iter().map(|(base, _)| *base).filter(|base| !sign_of(cx, *base).is_nonzero());
    let open: Vec<(Expr, Rational)> = open.map(|base| (base, Rational::ONE)).collect();
    if open.is_empty() {
        return Layer::Always;
    }
    let rest = Expr::product(Rational::ONE, open);
    if rest == e { Layer::Bare } else { Layer::Inside(Condition::nonzero(rest)) }
}

/// f > bound, or f < bound, or with equality.
struct Comparison {
    above: bool,
    strict: bool,
    bound: Expr,
}

/// An end of a range, and whether it belongs to it.
struct End {
    at: Expr,
    reached: bool,
}

impl Comparison {
    /// The same for another left side, compared with zero.
    fn with(&self, left: Expr) -> Condition {
        let left = if self.above { left } else { -left };
        if self.strict { Condition::positive(left) } else { Condition::nonnegative(left) }
    }

    /// For a monotone function of u with its range and its inverse.
    fn through(
        &self,
        cx: &Inquiry,
        u: Expr,
        low: Option<End>,
        high: Option<End>,
        increasing: bool,
        inverse: impl Fn(Expr) -> Expr,
    ) -> Layer {
        // Where the bound lies, seen from an end; inside is positive.
        let from_low = low.as_ref().map(|e| sign(cx, self.bound - e.at));
        let from_high = high.as_ref().map(|e| sign(cx, e.at - self.bound));
        let (near, end) = if self.above { (from_low, low) } else { (from_high, high) };
        let far = if self.above { from_high } else { from_low };
        if far.is_some_and(|s| !s.is_positive()) {
            return Layer::Bare;
        }
        match (near, end) {
            (Some(s), _) if s.is_negative() => return Layer::Always,
            (Some(Sign::ZERO), Some(end)) if !(end.reached && self.strict) => return Layer::Always,
            (Some(s), _) if !s.is_positive() && s != Sign::ZERO => return Layer::Bare,
            _ => {}
        }
        let difference = u - inverse(self.bound);
        if difference.as_undefined().is_some() {
            return Layer::Bare;
        }
        Layer::Inside(Comparison { above: self.above == increasing, ..*self }.with(difference))
    }

    /// For uⁿ with a whole n, compared with zero.
    fn of_power(&self, u: Expr, n: &Rational) -> Layer {
        let even = n.to_i64().is_some_and(|n| n % 2 == 0);
        match (even, self.above, self.strict) {
            (false, ..) => Layer::Inside(self.with(u)),
            (true, true, false) => Layer::Always,
            (true, true, true) if n.is_negative() => Layer::Always,
            (true, true, true) => Layer::Inside(Condition::nonzero(u)),
            (true, false, _) => Layer::Bare,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::Scope;

    /// `left > 0` (or ≥ 0 after a leading `=`), isolated and written as one writes it.
    fn check(cx: &Inquiry, input: &str, expected: &str) {
        let mut scope = Scope::default();
        let condition = match input.strip_prefix('=') {
            Some(rest) => Condition::nonnegative(scope.read(rest)),
            None => Condition::positive(scope.read(input)),
        };
        let written = |c: &Condition| {
            let (left, relation, right) = c.sides();
            format!("{left} {} {right}", relation.text())
        };
        let found: Vec<String> = isolated(cx, condition).iter().map(written).collect();
        assert_eq!(found.join(", "), expected, "{input}");
    }

    #[test]
    fn monotone_functions_come_off() {
        let cx = &Inquiry::free();
        check(cx, "log(x)", "x > 1");
        check(cx, "2 - log(x)", "x < exp(2)");
        check(cx, "exp(x) - 1", "x > 0");
        check(cx, "exp(x) + 1", "");
        check(cx, "sqrt(x) - 3", "x > 9");
        check(cx, "sqrt(x) + 3", "");
        check(cx, "=sqrt(x)", "");
        check(cx, "sqrt(x)", "x > 0");
        check(cx, "1/sqrt(x)", "");
        check(cx, "2 - 1/sqrt(x)", "x > 1/4");
        check(cx, "1 - tanh(log(x))", "");
        check(cx, "tanh(log(x))", "x > 1");
        check(cx, "asin(x) + pi/2", "x > -1");
        check(cx, "=asin(x) + pi/2", "");
        check(cx, "pi/2 - acos(x)", "x > 0");
        check(cx, "pi - acos(x)", "x > -1");
        check(cx, "pi/4 - atan(x)", "x < 1");
        check(cx, "sinh(x)^3", "x > 0");
        check(cx, "x^2", "x != 0");
        check(cx, "x*exp(y)", "x > 0");
        check(cx, "1 - x^2", "x^2 < 1");
        check(cx, "x*y", "x*y > 0");
        check(cx, "1/x - 2", "x > 0, x < 1/2");
        check(cx, "-(x - 1)", "x < 1");
        check(cx, "1 - 2*x", "x < 1/2");
        check(cx, "sqrt(x*y)*sign(x)", "x*y > 0, x > 0");
        check(cx, "-sqrt(x)*y", "x > 0, y < 0");
    }

    #[test]
    fn what_follows_is_not_said() {
        let cx = &Inquiry::free();
        let mut scope = Scope::default();
        let (x, y) = (scope.read("x"), scope.read("y"));
        let said = |conditions: &[Condition]| reduced(cx, conditions.iter().copied());
        let positive = Condition::positive(x);
        assert_eq!(said(&[Condition::nonzero(x), positive, Condition::nonnegative(x)]), [positive]);
        assert_eq!(said(&[positive, Condition::nonzero(x.pow(2) + y.pow(2))]), [positive]);
        assert_eq!(said(&[Condition::positive(x.pow(2) + 1)]), []);
        let quotient = Condition::positive(x / y);
        assert_eq!(said(&[Condition::nonzero(x), quotient, Condition::nonzero(y)]), [quotient]);
        assert_eq!(said(&[Condition::positive(x - 1), positive]), [Condition::positive(x - 1)]);
        let larger = Condition::positive(x / y - 1);
        assert_eq!(said(&[Condition::nonzero(x), quotient, larger]), [larger]);
        let larger = Condition::positive(x / y - Expr::pi());
        assert_eq!(said(&[Condition::nonzero(x), larger]), [larger]);
        // Which of two that exclude each other is wrong cannot be said here: both stay.
        let opposite = [positive, Condition::positive(-x)];
        assert_eq!(contradiction(cx, &opposite), Some(opposite[1]));
        assert_eq!(said(&opposite), opposite);
    }
}
