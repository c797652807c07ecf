//! Expressions: a hash-consed directed acyclic graph. Equal expressions are one node, so equality
//! is a comparison of addresses and whatever is computed per node is computed once.
//!
//! Constructors normalise, cheaply and locally:
//!
//! - a sum collects like terms `coefficient · term`; a number times an expression is a sum of one term;
//! - a sum inside a sum stays one node, so that prefixes of long sums are not copied into each other;
//! - a product merges equal bases; bases with opposite exponents cancel, and the condition base ≠ 0 is
//!   recorded in [`super::conditions`];
//! - powers follow the real numbers: (x²)^(1/2) is |x|, and x^(1/2) only splits over factors of known sign.
//!
//! What has no real value, such as 1/0 or (−1)^(1/2), becomes [`Node::Undefined`], which swallows
//! everything around it; whoever answers a question looks for it once at the end.

mod pool;
mod product;
pub(in crate::algebra) mod special;

use super::function::{Elementary, Parity};
use super::number::{Rational, Total};
use super::symbol::{Function, Symbol};
pub use pool::node_count;
use pool::{Interned, Pairs, Walk, intern};
use product::ProductBuilder;
pub(crate) use product::partial_factors;
use smallvec::SmallVec;
use special::{is_negative_form, special_value};
use std::hash::{Hash, Hasher};

/// A handle to a node; copying and comparing cost nothing. Bound to its thread.
#[derive(Clone, Copy)]
pub struct Expr(&'static Interned);

/// The shape of an expression. Children are expressions; slices are sorted by age of the child.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Number(Rational),
    Pi,
    Symbol(Symbol),
    /// constant + Σ coefficient · term. No coefficient is zero, no term is a number or a sum of one
    /// scaled term; the whole is neither a number nor a single bare term.
    Sum {
        constant: Rational,
        terms: &'static [(Expr, Rational)],
    },
    /// Π base^exponent. No exponent is zero; the whole is not a single base with exponent one.
    Product(&'static [(Expr, Rational)]),
    /// base^exponent with an exponent that is not a rational number; the base is positive.
    Power(Expr, Expr),
    Apply(Elementary, &'static [Expr]),
    /// A declared, unspecified function with so many derivatives by each argument.
    Unknown {
        function: Function,
        orders: &'static [u32],
        arguments: &'static [Expr],
    },
    /// `then` where `condition` holds, else `otherwise`.
    Piecewise {
        condition: Condition,
        then: Expr,
        otherwise: Expr,
    },
    /// ∫₀¹ body d(variable), as homotopy formulas need it.
    Integral {
        variable: Symbol,
        body: Expr,
    },
    Undefined(Undefined),
}

/// A comparison of an expression with zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    pub relation: Relation,
    pub left: Expr,
}

/// An expression that must not vanish.
impl From<Expr> for Condition {
    fn from(left: Expr) -> Condition {
        Condition { relation: Relation::NotEqual, left }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Undefined {
    DivisionByZero,
    /// A fractional power of a negative number, a logarithm of what is not positive, …
    NotReal,
    Budget(BudgetKind),
}

/// [`Exhausted`], hashable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BudgetKind {
    Nodes,
    Bits,
    Work,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Expr {}
impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}
impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Expr) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
/// What stands inside something else comes before it; otherwise by what the nodes are, and not by when they were made: no
/// answer depends on the expressions that were met before. (Only where that is the same, as for two symbols of one name
/// inside equal expressions, the older one is first.)
impl Ord for Expr {
    fn cmp(&self, other: &Expr) -> std::cmp::Ordering {
        (self.0.place, self.0.shape, self.0.id).cmp(&(other.0.place, other.0.shape, other.0.id))
    }
}
impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "#{}", self.0.id)
    }
}

impl Expr {
    pub fn node(self) -> &'static Node {
        &self.0.node
    }

    /// The age of the node; children are older than parents, so ids are a topological order.
    pub fn id(self) -> u32 {
        self.0.id
    }

    /// A number that expressions share if they differ in nothing but which symbols of the same names they are made of.
    pub(super) fn shape(self) -> u64 {
        self.0.shape
    }

    /// How deep functions and roots stand inside each other.
    pub(super) fn nesting(self) -> u32 {
        u32::from(self.0.nesting)
    }

    /// −e with every term of a sum negated. Unlike `-e`, which is one node over e, it does not look negative
    /// again, so that parity is used once or twice and not for ever.
    pub fn opposite(self) -> Expr {
        match self.node() {
            Node::Sum { constant, terms } => Expr::sum(-constant, terms.iter().map(|(t, c)| (*t, -c))),
            _ => -self,
        }
    }

    /// Whether |u|, sign u, min, max or cases occur: a derivative is one off their kinks only.
    pub fn has_kinks(self) -> bool {
        self.0.has_kinks
    }

    /// Whether it has a value somewhere only: roots, logarithms and the like occur.
    pub fn is_partial(self) -> bool {
        self.0.is_partial
    }

    pub(crate) fn mask(self) -> u64 {
        self.0.mask
    }

    pub fn number(n: impl Into<Rational>) -> Expr {
        intern(Node::Number(n.into()))
    }

    pub fn zero() -> Expr {
        pool::zero()
    }

    pub fn one() -> Expr {
        pool::one()
    }

    pub fn ratio(n: i64, d: i64) -> Expr {
        Expr::number(Rational::ratio(n, d))
    }

    pub fn pi() -> Expr {
        intern(Node::Pi)
    }

    pub fn symbol(s: Symbol) -> Expr {
        intern(Node::Symbol(s))
    }

    pub fn undefined(why: Undefined) -> Expr {
        intern(Node::Undefined(why))
    }

    pub fn is_number(self) -> bool {
        matches!(self.node(), Node::Number(_))
    }

    pub fn as_number(self) -> Option<&'static Rational> {
        match self.node() {
            Node::Number(n) => Some(n),
            _ => None,
        }
    }

    pub fn as_symbol(self) -> Option<Symbol> {
        match self.node() {
            Node::Symbol(s) => Some(*s),
            _ => None,
        }
    }

    /// Whether this is the number 0 as written. An expression that vanishes for a deeper reason is
    /// not seen here; ask [`super::decide`] for that.
    pub fn is_zero(self) -> bool {
        self.as_number().is_some_and(Rational::is_zero)
    }

    pub fn is_one(self) -> bool {
        self.as_number().is_some_and(Rational::is_one)
    }

    pub fn as_undefined(self) -> Option<Undefined> {
        match self.node() {
            Node::Undefined(why) => Some(*why),
            _ => None,
        }
    }

    /// constant + Σ coefficient · term.
    pub fn sum(constant: Rational, terms: impl IntoIterator<Item = (Expr, Rational)>) -> Expr {
        let mut constants = Total::new(constant);
        let mut list = Pairs::new();
        for (term, coefficient) in terms {
            match term.node() {
                Node::Undefined(_) => return term,
                _ if coefficient.is_zero() => {}
                Node::Number(n) => constants.add(n * &coefficient),
                Node::Sum { constant: c, terms } if c.is_zero() && terms.len() == 1 => {
                    list.push((terms[0].0, &terms[0].1 * &coefficient));
                }
                _ => list.push((term, coefficient)),
            }
        }
        merge(&mut list);
        let constant = constants.finish();
        if constant.bits() > crate::budget::MAX_BITS || list.iter().any(|(_, c)| c.bits() > crate::budget::MAX_BITS) {
            return Expr::undefined(Undefined::Budget(BudgetKind::Bits));
        }
        if list.is_empty() {
            return Expr::number(constant);
        }
        if constant.is_zero() && list.len() == 1 && list[0].1.is_one() {
            return list[0].0;
        }
        pool::sum(constant, list)
    }

    /// The sum of many expressions at once: one node.
    pub fn add_all(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::sum(Rational::ZERO, terms.into_iter().map(|e| (e, Rational::ONE)))
    }

    pub fn scale(self, coefficient: &Rational) -> Expr {
        match coefficient.is_one() || self.is_zero() {
            true => self,
            false => Expr::sum(Rational::ZERO, [(self, coefficient.clone())]),
        }
    }

    /// The product of many expressions at once.
    pub fn multiply_all(factors: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::product(Rational::ONE, factors.into_iter().map(|e| (e, Rational::ONE)))
    }

    /// coefficient · Π base^exponent.
    pub fn product(coefficient: Rational, factors: impl IntoIterator<Item = (Expr, Rational)>) -> Expr {
        let (body, coefficient) = Expr::scaled_product(coefficient, factors);
        body.scale(&coefficient)
    }

    /// The same as a number and what it multiplies, for callers that will add it to something.
    pub(crate) fn scaled_product(
        coefficient: Rational,
        factors: impl IntoIterator<Item = (Expr, Rational)>,
    ) -> (Expr, Rational) {
        let mut product = ProductBuilder::new(coefficient);
        for (base, exponent) in factors {
            product.multiply(base, exponent);
        }
        product.finish()
    }

    /// self^exponent for a rational exponent.
    pub fn pow(self, exponent: impl Into<Rational>) -> Expr {
        Expr::product(Rational::ONE, [(self, exponent.into())])
    }

    pub fn sqrt(self) -> Expr {
        self.pow(Rational::HALF)
    }

    /// self^exponent for any exponent. A base that is not known to be positive, with an exponent
    /// that is not a rational number, is taken on its domain base > 0.
    pub fn power(self, exponent: Expr) -> Expr {
        match (self.node(), exponent.node()) {
            (Node::Undefined(_), _) => self,
            (_, Node::Undefined(_)) => exponent,
            (_, Node::Number(n)) => self.pow(n.clone()),
            (Node::Number(n), _) if n.is_one() => self,
            (Node::Number(n), _) if n.is_negative() => Expr::undefined(Undefined::NotReal),
            // (e^u)^v = e^(uv) holds for all real u, v.
            (Node::Apply(Elementary::Exp, u), _) => Expr::apply(Elementary::Exp, &[u[0] * exponent]),
            _ => intern(Node::Power(self, exponent)),
        }
    }

    /// An elementary function of its arguments; special values and parity are seen at once.
    pub fn apply(function: Elementary, arguments: &[Expr]) -> Expr {
        if let Some(&bad) = arguments.iter().find(|a| a.as_undefined().is_some()) {
            return bad;
        }
        if let Some(value) = special_value(function, arguments) {
            return value;
        }
        match function.row().parity {
            Parity::Odd if is_negative_form(arguments[0]) => return -Expr::apply(function, &[arguments[0].opposite()]),
            Parity::Even if is_negative_form(arguments[0]) => return Expr::apply(function, &[arguments[0].opposite()]),
            _ => {}
        }
        if matches!(function, Elementary::Min | Elementary::Max) {
            let mut arguments: SmallVec<[Expr; 8]> = SmallVec::from_slice(arguments);
            arguments.sort();
            arguments.dedup();
            return if arguments.len() == 1 { arguments[0] } else { pool::apply(function, &arguments) };
        }
        pool::apply(function, arguments)
    }

    /// An unspecified function, with `orders[i]` derivatives by its i-th argument.
    pub fn unknown(function: Function, orders: &[u32], arguments: &[Expr]) -> Expr {
        if let Some(&bad) = arguments.iter().find(|a| a.as_undefined().is_some()) {
            return bad;
        }
        pool::unknown(function, orders, arguments)
    }

    pub fn piecewise(condition: Condition, then: Expr, otherwise: Expr) -> Expr {
        if let Some(n) = condition.left.as_number() {
            return if condition.relation.holds(n) { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        intern(Node::Piecewise { condition, then, otherwise })
    }

    /// ∫₀¹ body d(variable). Constant bodies come out at once.
    pub fn integral(variable: Symbol, body: Expr) -> Expr {
        if !body.may_contain(variable) {
            return body;
        }
        intern(Node::Integral { variable, body })
    }

    /// False only if the symbol certainly does not occur.
    pub fn may_contain(self, s: Symbol) -> bool {
        self.0.mask & s.mask() != 0
    }

    /// The direct children.
    pub fn children(self) -> SmallVec<[Expr; 8]> {
        match self.node() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Undefined(_) => SmallVec::new(),
            Node::Sum { terms, .. } => terms.iter().map(|(e, _)| *e).collect(),
            Node::Product(factors) => factors.iter().map(|(e, _)| *e).collect(),
            Node::Power(a, b) => SmallVec::from_slice(&[*a, *b]),
            Node::Apply(_, args) => SmallVec::from_slice(args),
            Node::Unknown { arguments, .. } => SmallVec::from_slice(arguments),
            Node::Piecewise { condition, then, otherwise } => {
                SmallVec::from_slice(&[condition.left, *then, *otherwise])
            }
            Node::Integral { body, .. } => SmallVec::from_slice(&[*body]),
        }
    }

    /// The direct children in turn.
    pub(crate) fn for_each_child(self, mut visit: impl FnMut(Expr)) {
        match self.node() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Undefined(_) => {}
            Node::Sum { terms: pairs, .. } | Node::Product(pairs) => pairs.iter().for_each(|(e, _)| visit(*e)),
            Node::Apply(_, arguments) | Node::Unknown { arguments, .. } => arguments.iter().for_each(|e| visit(*e)),
            _ => self.children().into_iter().for_each(visit),
        }
    }

    /// The same node with other children, in the order of [`Expr::children`].
    pub fn with_children(self, children: &[Expr]) -> Expr {
        match self.node() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Undefined(_) => self,
            Node::Sum { constant, terms } => {
                Expr::sum(constant.clone(), children.iter().zip(terms.iter()).map(|(e, (_, c))| (*e, c.clone())))
            }
            Node::Product(factors) => {
                Expr::product(Rational::ONE, children.iter().zip(factors.iter()).map(|(e, (_, x))| (*e, x.clone())))
            }
            Node::Power(..) => children[0].power(children[1]),
            Node::Apply(f, _) => Expr::apply(*f, children),
            Node::Unknown { function, orders, .. } => Expr::unknown(*function, orders, children),
            Node::Piecewise { condition, .. } => {
                Expr::piecewise(Condition { relation: condition.relation, left: children[0] }, children[1], children[2])
            }
            Node::Integral { variable, .. } => Expr::integral(*variable, children[0]),
        }
    }

    /// Every symbol that occurs free, oldest first.
    pub fn symbols(self) -> Vec<Symbol> {
        symbols_of(&[self])
    }

    /// Whether `s` occurs. Exact, unlike [`Expr::may_contain`].
    pub fn contains(self, s: Symbol) -> bool {
        self.may_contain(s) && self.symbols().binary_search(&s).is_ok()
    }
}

/// Every symbol that occurs in one of the expressions, in the order of declaration.
pub fn symbols_of(roots: &[Expr]) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    for e in post_order(roots) {
        if let Node::Symbol(s) = e.node() {
            found.push(*s);
        }
    }
    // A bound variable occurs only below its integral; it is not free.
    found.retain(|s| s.kind() != super::symbol::SymbolKind::Bound);
    found.sort();
    found.dedup();
    found
}

/// All nodes below the roots, children before parents, each once.
pub fn post_order(roots: &[Expr]) -> Vec<Expr> {
    post_order_where(roots, |_| true)
}

/// Makes something of every expression below the roots, parts before wholes and nothing twice: `make` finds what it needs of the
/// parts in the state, where it leaves what it made.
pub(crate) fn bottom_up<S, I: IntoIterator<Item = Expr>, E>(
    state: &mut S,
    roots: &[Expr],
    is_known: impl Fn(&S, Expr) -> bool,
    parts: impl Fn(Expr) -> I,
    mut make: impl FnMut(&mut S, Expr) -> Result<(), E>,
) -> Result<(), E> {
    let mut stack = roots.to_vec();
    while let Some(&x) = stack.last() {
        if !is_known(state, x) {
            let before = stack.len();
            stack.extend(parts(x).into_iter().filter(|part| !is_known(state, *part)));
            if stack.len() > before {
                continue;
            }
            make(state, x)?;
        }
        stack.pop();
    }
    Ok(())
}

/// The same, leaving out nodes (and what is only below them) that are not wanted.
pub(crate) fn post_order_where(roots: &[Expr], wanted: impl Fn(Expr) -> bool) -> Vec<Expr> {
    let walk = Walk::new();
    let mut all: Vec<Expr> = Vec::new();
    for &root in roots {
        if wanted(root) && walk.enter(root) {
            all.push(root);
        }
    }
    let mut next = 0;
    while next < all.len() {
        let e = all[next];
        next += 1;
        e.for_each_child(|child| {
            if wanted(child) && walk.enter(child) {
                all.push(child);
            }
        });
    }
    // Children come before parents; in the other direction they nearly do already.
    all.reverse();
    all.sort_unstable();
    all
}

impl Relation {
    /// Whether `n relation 0`.
    pub fn holds(self, n: &Rational) -> bool {
        let s = n.signum();
        match self {
            Relation::Equal => s == 0,
            Relation::NotEqual => s != 0,
            Relation::Less => s < 0,
            Relation::LessEqual => s <= 0,
            Relation::Greater => s > 0,
            Relation::GreaterEqual => s >= 0,
        }
    }

    /// Whether it holds for every number of that sign, or for none; `None` if that depends.
    pub fn decided_by(self, sign: super::assume::Sign) -> Option<bool> {
        let possible = [(-1, sign.can_be_negative), (0, sign.can_be_zero), (1, sign.can_be_positive)];
        let mut outcomes = possible.iter().filter(|(_, can)| *can).map(|(n, _)| self.holds(&Rational::from(*n)));
        let first = outcomes.next()?;
        outcomes.all(|o| o == first).then_some(first)
    }

    pub fn text(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterEqual => ">=",
        }
    }
}

/// Sorts, and adds the numbers of equal expressions; drops zeros.
fn merge(list: &mut Pairs) {
    if list.len() < 2 || list.is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    list.sort_by_key(|(e, _)| *e);
    let mut write = 0;
    for read in 1..list.len() {
        if list[read].0 == list[write].0 {
            let sum = &list[write].1 + &list[read].1;
            list[write].1 = sum;
        } else {
            if !list[write].1.is_zero() {
                write += 1;
            }
            list.swap(write, read);
        }
    }
    if !list[write].1.is_zero() {
        write += 1;
    }
    list.truncate(write);
}

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl std::ops::$trait<i64> for Expr {
            type Output = Expr;
            fn $method(self, other: i64) -> Expr {
                let ($a, $b) = (self, Expr::number(other));
                $body
            }
        }
        impl std::ops::$trait<Expr> for i64 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                let ($a, $b) = (Expr::number(self), other);
                $body
            }
        }
    };
}
operator!(Add, add, |a, b| Expr::sum(Rational::ZERO, [(a, Rational::ONE), (b, Rational::ONE)]));
operator!(Sub, sub, |a, b| Expr::sum(Rational::ZERO, [(a, Rational::ONE), (b, Rational::MINUS_ONE)]));
operator!(Mul, mul, |a, b| Expr::product(Rational::ONE, [(a, Rational::ONE), (b, Rational::ONE)]));
operator!(Div, div, |a, b| Expr::product(Rational::ONE, [(a, Rational::ONE), (b, Rational::MINUS_ONE)]));

impl std::ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.scale(&Rational::MINUS_ONE)
    }
}

impl From<Symbol> for Expr {
    fn from(s: Symbol) -> Expr {
        Expr::symbol(s)
    }
}

impl From<i64> for Expr {
    fn from(n: i64) -> Expr {
        Expr::number(n)
    }
}

impl std::iter::Sum for Expr {
    fn sum<I: Iterator<Item = Expr>>(iter: I) -> Expr {
        Expr::add_all(iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Inquiry;
    use crate::algebra::assume::Sign;
    use crate::algebra::conditions;
    use crate::algebra::normal::simplify;

    fn x() -> Expr {
        Expr::symbol(Symbol::parameter("x"))
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let (x, y) = (x(), x());
        assert_eq!((x + y) * (x + y), (y + x).pow(2));
        assert_eq!(x + x, 2 * x);
        assert_eq!(x - x, Expr::zero());
        assert_eq!((2 * x) * (3 * y), 6 * (x * y));
        assert_ne!(x + y, x - y);
    }

    #[test]
    fn a_sum_inside_a_sum_stays_one_node() {
        let (a, b, c) = (x(), x(), x());
        let inner = a + b;
        match (inner + c).node() {
            Node::Sum { terms, .. } => assert!(terms.iter().any(|(e, _)| *e == inner)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn root_of_a_square_is_the_absolute_value() {
        let cx = &Inquiry::free();
        let x = x();
        assert_eq!(x.pow(2).sqrt(), Expr::apply(Elementary::Abs, &[x]));
        assert_eq!(Expr::apply(Elementary::Abs, &[x]).pow(2), x.pow(2));
        let m = self::x();
        let cx = &cx.assuming([(m, Sign::POSITIVE)]).expect("possible");
        assert_eq!(simplify(cx, m.pow(2).sqrt()), Ok(m));
    }

    #[test]
    fn cancelling_records_its_condition() {
        let cx = &Inquiry::free();
        let x = x();
        let (one, conditions) = conditions::collect(cx, |cx| simplify(cx, x / x));
        assert_eq!(one, Ok(Expr::one()));
        assert_eq!(conditions, vec![x]);
    }

    #[test]
    fn surds_have_one_form() {
        let two = Expr::number(2);
        assert_eq!(Expr::number(8).sqrt(), 2 * two.sqrt());
        assert_eq!(Expr::number(6).sqrt(), two.sqrt() * Expr::number(3).sqrt());
        assert_eq!(two.sqrt() * two.sqrt(), two);
        assert_eq!(two.pow(Rational::ratio(-1, 2)), two.sqrt().scale(&Rational::HALF));
        assert_eq!(Expr::number(-1).sqrt().as_undefined(), Some(Undefined::NotReal));
        assert_eq!(Expr::zero().pow(-1).as_undefined(), Some(Undefined::DivisionByZero));
        assert_eq!(Expr::zero().pow(0), Expr::one());
    }

    #[test]
    fn special_angles() {
        let pi = Expr::pi();
        assert_eq!(Expr::apply(Elementary::Sin, &[pi]), Expr::zero());
        assert_eq!(Expr::apply(Elementary::Cos, &[pi.scale(&Rational::ratio(1, 3))]), Expr::ratio(1, 2));
        assert_eq!(
            Expr::apply(Elementary::Tan, &[pi.scale(&Rational::HALF)]).as_undefined(),
            Some(Undefined::DivisionByZero)
        );
        let x = x();
        assert_eq!(Expr::apply(Elementary::Sin, &[-x]), -Expr::apply(Elementary::Sin, &[x]));
        assert_eq!(Expr::apply(Elementary::Cos, &[-x]), Expr::apply(Elementary::Cos, &[x]));
        let y = self::x();
        for difference in [x - y, y - x, -(x - y), -(y - x)] {
            assert_eq!(Expr::apply(Elementary::Cos, &[difference]), Expr::apply(Elementary::Cos, &[x - y]));
        }
        assert_eq!(Expr::apply(Elementary::Sin, &[y - x]), -Expr::apply(Elementary::Sin, &[x - y]));
    }
}
