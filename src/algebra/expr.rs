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

use super::assume::sign_of;
use super::conditions::record_nonzero;
use super::function::{Elementary, Parity};
use super::number::{Integer, Rational};
use super::symbol::{Function, Symbol};
use crate::budget::Exhausted;
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A handle to a node; copying and comparing cost nothing. Bound to its thread.
#[derive(Clone, Copy)]
pub struct Expr(&'static Interned);

struct Interned {
    id: u32,
    /// One bit per symbol that occurs (modulo 64): a zero says for sure that a symbol is absent.
    mask: u64,
    node: Node,
    bound_to_thread: PhantomData<*const ()>,
}

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
        terms: Box<[(Expr, Rational)]>,
    },
    /// Π base^exponent. No exponent is zero; the whole is not a single base with exponent one.
    Product(Box<[(Expr, Rational)]>),
    /// base^exponent with an exponent that is not a rational number; the base is positive.
    Power(Expr, Expr),
    Apply(Elementary, Box<[Expr]>),
    /// A declared, unspecified function with so many derivatives by each argument.
    Unknown {
        function: Function,
        orders: Box<[u32]>,
        arguments: Box<[Expr]>,
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
}

/// More nodes than this in one session and every further node is [`Undefined::Budget`].
const MAX_NODES: usize = 100_000_000;

struct Pool {
    nodes: Vec<Expr>,
    table: HashTable<Expr>,
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { nodes: Vec::new(), table: HashTable::new() }) };
}

fn hash_of(node: &Node) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}

impl Pool {
    fn intern(&mut self, node: Node) -> Expr {
        let hash = hash_of(&node);
        if let Some(known) = self.table.find(hash, |e| e.0.node == node) {
            return *known;
        }
        let node =
            if self.nodes.len() >= MAX_NODES { Node::Undefined(Undefined::Budget(BudgetKind::Nodes)) } else { node };
        let mask = mask_of(&node);
        // Nodes live as long as the thread's graph, which is as long as the program: leaking them
        // makes a handle a plain reference, with no drop to recurse.
        let id = self.nodes.len() as u32;
        let cell: &'static Interned = Box::leak(Box::new(Interned { id, mask, node, bound_to_thread: PhantomData }));
        let e = Expr(cell);
        self.nodes.push(e);
        self.table.insert_unique(hash, e, |e| hash_of(&e.0.node));
        e
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

fn intern(node: Node) -> Expr {
    POOL.with_borrow_mut(|pool| pool.intern(node))
}

/// How many nodes this thread has made; a measure of work for `--timings` and budgets.
pub fn node_count() -> usize {
    POOL.with_borrow(|pool| pool.nodes.len())
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
/// By age.
impl Ord for Expr {
    fn cmp(&self, other: &Expr) -> std::cmp::Ordering {
        self.0.id.cmp(&other.0.id)
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

    pub(crate) fn mask(self) -> u64 {
        self.0.mask
    }

    pub fn number(n: impl Into<Rational>) -> Expr {
        intern(Node::Number(n.into()))
    }

    pub fn zero() -> Expr {
        Expr::number(0)
    }

    pub fn one() -> Expr {
        Expr::number(1)
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
        let mut constant = constant;
        let mut list: SmallVec<[(Expr, Rational); 8]> = SmallVec::new();
        for (term, coefficient) in terms {
            match term.node() {
                Node::Undefined(_) => return term,
                _ if coefficient.is_zero() => {}
                Node::Number(n) => constant = &constant + &(n * &coefficient),
                Node::Sum { constant: c, terms } if c.is_zero() && terms.len() == 1 => {
                    list.push((terms[0].0, &terms[0].1 * &coefficient));
                }
                _ => list.push((term, coefficient)),
            }
        }
        merge(&mut list);
        if constant.bits() > crate::budget::MAX_BITS || list.iter().any(|(_, c)| c.bits() > crate::budget::MAX_BITS) {
            return Expr::undefined(Undefined::Budget(BudgetKind::Bits));
        }
        if list.is_empty() {
            return Expr::number(constant);
        }
        if constant.is_zero() && list.len() == 1 && list[0].1.is_one() {
            return list[0].0;
        }
        intern(Node::Sum { constant, terms: list.into_vec().into() })
    }

    /// The sum of many expressions at once: one node.
    pub fn add_all(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::sum(Rational::ZERO, terms.into_iter().map(|e| (e, Rational::ONE)))
    }

    pub fn scale(self, coefficient: &Rational) -> Expr {
        Expr::sum(Rational::ZERO, [(self, coefficient.clone())])
    }

    /// The product of many expressions at once.
    pub fn multiply_all(factors: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::product(Rational::ONE, factors.into_iter().map(|e| (e, Rational::ONE)))
    }

    /// coefficient · Π base^exponent.
    pub fn product(coefficient: Rational, factors: impl IntoIterator<Item = (Expr, Rational)>) -> Expr {
        let mut product = ProductBuilder { coefficient, factors: SmallVec::new(), failed: None };
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
            Parity::Odd if is_negative_form(arguments[0]) => return -Expr::apply(function, &[opposite(arguments[0])]),
            Parity::Even if is_negative_form(arguments[0]) => return Expr::apply(function, &[opposite(arguments[0])]),
            _ => {}
        }
        let mut arguments: SmallVec<[Expr; 2]> = SmallVec::from_slice(arguments);
        if matches!(function, Elementary::Min | Elementary::Max) {
            arguments.sort();
            arguments.dedup();
            if arguments.len() == 1 {
                return arguments[0];
            }
        }
        intern(Node::Apply(function, arguments.into_vec().into()))
    }

    /// An unspecified function, with `orders[i]` derivatives by its i-th argument.
    pub fn unknown(function: Function, orders: &[u32], arguments: &[Expr]) -> Expr {
        if let Some(&bad) = arguments.iter().find(|a| a.as_undefined().is_some()) {
            return bad;
        }
        intern(Node::Unknown { function, orders: orders.into(), arguments: arguments.into() })
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
    let mut seen: rustc_hash::FxHashSet<Expr> = rustc_hash::FxHashSet::default();
    let mut stack: Vec<Expr> = Vec::new();
    for &root in roots {
        if seen.insert(root) {
            stack.push(root);
        }
    }
    let mut all = Vec::new();
    while let Some(e) = stack.pop() {
        all.push(e);
        for child in e.children() {
            if seen.insert(child) {
                stack.push(child);
            }
        }
    }
    // Children are older than parents.
    all.sort();
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

/// Sorts by age and adds the numbers of equal expressions; drops zeros.
fn merge(list: &mut SmallVec<[(Expr, Rational); 8]>) {
    if list.len() < 2 {
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

/// Collects the factors of a product.
struct ProductBuilder {
    coefficient: Rational,
    factors: SmallVec<[(Expr, Rational); 8]>,
    failed: Option<Expr>,
}

impl ProductBuilder {
    fn fail(&mut self, why: Undefined) {
        self.failed.get_or_insert(Expr::undefined(why));
    }

    fn scale(&mut self, by: Result<Rational, Exhausted>) {
        match by {
            Ok(by) => self.coefficient = &self.coefficient * &by,
            Err(_) => self.fail(Undefined::Budget(BudgetKind::Bits)),
        }
    }

    /// Multiplies by base^exponent.
    fn multiply(&mut self, base: Expr, exponent: Rational) {
        if exponent.is_zero() {
            // x^0 = 1, the convention that makes polynomials work; 0^0 is 1 with it.
            if base.as_undefined().is_some() {
                self.failed.get_or_insert(base);
            }
            return;
        }
        match base.node() {
            Node::Undefined(_) => {
                self.failed.get_or_insert(base);
            }
            Node::Number(n) => self.number(n, &exponent),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                let (term, coefficient) = &terms[0];
                if exponent.is_integer() || !coefficient.is_negative() {
                    self.number(coefficient, &exponent);
                    self.multiply(*term, exponent);
                } else {
                    self.number(&coefficient.abs(), &exponent);
                    self.factors.push((-*term, exponent));
                }
            }
            Node::Product(factors) if exponent.is_integer() => {
                for (b, e) in factors.iter() {
                    // A fractional power to an integer power stays on its domain.
                    self.multiply(*b, e * &exponent);
                }
            }
            Node::Product(factors) => self.root_of_product(factors, &exponent),
            // (|u|)^(2k) = u^(2k)
            Node::Apply(Elementary::Abs, u) if exponent.to_i64().is_some_and(|n| n % 2 == 0) => {
                self.multiply(u[0], exponent);
            }
            // (e^u)^r = e^(ru)
            Node::Apply(Elementary::Exp, u) if !exponent.is_one() => {
                self.factors.push((Expr::apply(Elementary::Exp, &[u[0].scale(&exponent)]), Rational::ONE));
            }
            Node::Power(b, e) if !exponent.is_one() => {
                // The base of a real power is positive, so the exponents multiply.
                self.factors.push((b.power(e.scale(&exponent)), Rational::ONE));
            }
            _ => self.factors.push((base, exponent)),
        }
    }

    /// (Π bᵢ^eᵢ)^r for a fractional r: factors of known nonnegative sign come out, even powers come
    /// out as absolute values, the rest stays together under the root.
    fn root_of_product(&mut self, factors: &[(Expr, Rational)], exponent: &Rational) {
        let mut rest: Vec<(Expr, Rational)> = Vec::new();
        for (b, e) in factors {
            let sign = sign_of(*b);
            if sign.is_nonnegative() {
                self.multiply(*b, e * exponent);
            } else if e.to_i64().is_some_and(|n| n % 2 == 0) {
                self.multiply(Expr::apply(Elementary::Abs, &[*b]), e * exponent);
            } else if !e.is_integer() {
                // A fractional power is nonnegative wherever it is real.
                self.multiply(*b, e * exponent);
            } else {
                rest.push((*b, e.clone()));
            }
        }
        match rest.len() {
            0 => {}
            1 if rest[0].1.is_one() => self.factors.push((rest[0].0, exponent.clone())),
            _ => {
                let inner = intern(Node::Product(rest.into()));
                self.factors.push((inner, exponent.clone()));
            }
        }
    }

    /// n^exponent for a number n: the rational part goes into the coefficient, and what remains is a
    /// product of primes with exponents between 0 and 1.
    fn number(&mut self, n: &Rational, exponent: &Rational) {
        if n.is_zero() {
            if exponent.is_negative() {
                self.fail(Undefined::DivisionByZero);
            } else {
                self.coefficient = Rational::ZERO;
            }
            return;
        }
        if let Some(power) = exponent.to_i64() {
            return self.scale(n.pow(power));
        }
        if n.is_negative() {
            return self.fail(Undefined::NotReal);
        }
        if n.is_one() {
            return;
        }
        if !exponent.is_integer() && exponent.bits() > 32 {
            self.factors.push((Expr::number(n.clone()), exponent.clone()));
            return;
        }
        self.integer_root(n.numerator(), exponent);
        self.integer_root(n.denominator(), &-exponent);
    }

    fn integer_root(&mut self, n: &Integer, exponent: &Rational) {
        for (prime, multiplicity) in partial_factors(n) {
            let total = exponent * &Rational::from(i64::from(multiplicity));
            let whole = total.floor();
            let rest = &total - &Rational::integer(whole.clone());
            match whole.to_i64() {
                Some(whole) => self.scale(Rational::integer(prime.clone()).pow(whole)),
                None => self.fail(Undefined::Budget(BudgetKind::Bits)),
            }
            if !rest.is_zero() {
                self.factors.push((Expr::number(Rational::integer(prime)), rest));
            }
        }
    }

    fn finish(mut self) -> Expr {
        if let Some(failed) = self.failed {
            return failed;
        }
        if self.coefficient.is_zero() {
            return Expr::zero();
        }
        self.merge();
        if let Some(failed) = self.failed {
            return failed;
        }
        if self.coefficient.bits() > crate::budget::MAX_BITS {
            return Expr::undefined(Undefined::Budget(BudgetKind::Bits));
        }
        let body = match self.factors.len() {
            0 => return Expr::number(self.coefficient),
            1 if self.factors[0].1.is_one() => self.factors[0].0,
            _ => intern(Node::Product(self.factors.into_vec().into())),
        };
        if self.coefficient.is_one() { body } else { body.scale(&self.coefficient) }
    }

    /// Adds the exponents of equal bases. Where a positive and a negative one meet, something was
    /// cancelled, and the base must not vanish.
    fn merge(&mut self) {
        if self.factors.len() < 2 {
            return;
        }
        self.factors.sort_by_key(|(e, _)| *e);
        let mut merged: SmallVec<[(Expr, Rational); 8]> = SmallVec::new();
        let mut again = Vec::new();
        for (base, exponent) in std::mem::take(&mut self.factors) {
            match merged.last_mut() {
                Some((last, sum)) if *last == base => {
                    if sum.is_negative() != exponent.is_negative() && !sign_of(base).is_nonzero() {
                        record_nonzero(base);
                    }
                    *sum = &*sum + &exponent;
                }
                _ => merged.push((base, exponent)),
            }
        }
        for (base, exponent) in merged {
            if exponent.is_zero() {
                continue;
            }
            // Merging may have made a number's exponent whole, or a root of a product a product.
            let settled = match base.node() {
                Node::Number(_) => !exponent.is_integer() && !exponent.is_negative() && exponent < Rational::ONE,
                Node::Product(_) => !exponent.is_integer(),
                Node::Apply(Elementary::Abs, _) => exponent.to_i64().is_none_or(|n| n % 2 != 0),
                _ => true,
            };
            if settled {
                self.factors.push((base, exponent));
            } else {
                again.push((base, exponent));
            }
        }
        if !again.is_empty() {
            for (base, exponent) in again {
                self.multiply(base, exponent);
            }
            self.merge();
        }
    }
}

/// n > 0 as a product of pairwise different numbers: primes below a bound by trial division, and the
/// remaining part (split if it is a perfect square or cube) as one factor.
pub(crate) fn partial_factors(n: &Integer) -> Vec<(Integer, u32)> {
    let mut factors = Vec::new();
    let mut rest = n.clone();
    let mut p = 2i64;
    while p < 2000 && !rest.is_one() {
        let prime = Integer::from(p);
        let mut multiplicity = 0;
        while let Some(q) = rest.div_exact(&prime) {
            rest = q;
            multiplicity += 1;
        }
        if multiplicity > 0 {
            factors.push((prime, multiplicity));
        }
        if rest.to_i64().is_some_and(|r| p * p > r) {
            break;
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if !rest.is_one() {
        for k in [2, 3, 5] {
            if let Some(root) = rest.exact_root(k) {
                factors.push((root, k));
                return factors;
            }
        }
        factors.push((rest, 1));
    }
    factors
}

/// Whether the canonical form of ±e is −e: the youngest-first rule of thumb is the sign of the first
/// coefficient.
fn is_negative_form(e: Expr) -> bool {
    match e.node() {
        Node::Number(n) => n.is_negative(),
        Node::Sum { constant, terms } => {
            if terms.is_empty() {
                constant.is_negative()
            } else {
                terms[0].1.is_negative()
            }
        }
        _ => false,
    }
}

/// −e with every term of a sum negated. Unlike `-e`, which is one node over e, it does not look negative
/// again, so that parity is used once or twice and not for ever.
fn opposite(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } => Expr::sum(-constant, terms.iter().map(|(t, c)| (*t, -c))),
        _ => -e,
    }
}

/// The multiple r with e = rπ.
fn as_multiple_of_pi(e: Expr) -> Option<Rational> {
    match e.node() {
        Node::Pi => Some(Rational::ONE),
        Node::Number(n) if n.is_zero() => Some(Rational::ZERO),
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 && terms[0].0 == Expr::pi() => {
            Some(terms[0].1.clone())
        }
        _ => None,
    }
}

/// sin(rπ) for r a multiple of 1/6 or 1/4.
fn sine_of_pi_times(r: &Rational) -> Option<Expr> {
    // Into [0, 2).
    let two = Rational::from(2);
    let turns = Rational::integer((r / &two).floor());
    let r = r - &(&two * &turns);
    let (r, sign) = if r >= Rational::ONE { (&r - &Rational::ONE, -1) } else { (r, 1) };
    let r = if r > Rational::HALF { &Rational::ONE - &r } else { r };
    let value = if r.is_zero() {
        Expr::zero()
    } else if r == Rational::ratio(1, 6) {
        Expr::ratio(1, 2)
    } else if r == Rational::ratio(1, 4) {
        Expr::number(2).sqrt().scale(&Rational::HALF)
    } else if r == Rational::ratio(1, 3) {
        Expr::number(3).sqrt().scale(&Rational::HALF)
    } else if r == Rational::HALF {
        Expr::one()
    } else {
        return None;
    };
    Some(value.scale(&Rational::from(sign)))
}

fn special_value(function: Elementary, arguments: &[Expr]) -> Option<Expr> {
    use Elementary::*;
    let x = arguments[0];
    let number = x.as_number();
    let is = |n: i64| number.is_some_and(|x| *x == Rational::from(n));
    match function {
        Sin => as_multiple_of_pi(x).and_then(|r| sine_of_pi_times(&r)),
        Cos => as_multiple_of_pi(x).and_then(|r| sine_of_pi_times(&(&r + &Rational::HALF))),
        Tan => {
            let r = as_multiple_of_pi(x)?;
            let (s, c) = (sine_of_pi_times(&r)?, sine_of_pi_times(&(&r + &Rational::HALF))?);
            Some(s / c)
        }
        Asin | Atan | Sinh | Tanh | Atanh if is(0) => Some(x),
        Asin if is(1) => Some(Expr::pi().scale(&Rational::HALF)),
        Atan if is(1) => Some(Expr::pi().scale(&Rational::ratio(1, 4))),
        Acos if is(1) => Some(Expr::zero()),
        Acos if is(0) => Some(Expr::pi().scale(&Rational::HALF)),
        Acos if is(-1) => Some(Expr::pi()),
        Asin | Acos if number.is_some_and(|n| n.abs() > Rational::ONE) => Some(Expr::undefined(Undefined::NotReal)),
        Atanh if number.is_some_and(|n| n.abs() >= Rational::ONE) => Some(Expr::undefined(Undefined::NotReal)),
        Cosh | Exp if is(0) => Some(Expr::one()),
        Exp => match x.node() {
            // log u is real only for u > 0, and there e^(log u) = u.
            Node::Apply(Log, u) => Some(u[0]),
            _ => None,
        },
        Log if is(1) => Some(Expr::zero()),
        Log if number.is_some_and(|n| n.signum() <= 0) => Some(Expr::undefined(Undefined::NotReal)),
        Log => match x.node() {
            Node::Apply(Exp, u) => Some(u[0]),
            _ => None,
        },
        Abs => {
            if let Some(n) = number {
                return Some(Expr::number(n.abs()));
            }
            let sign = sign_of(x);
            if sign.is_nonnegative() {
                return Some(x);
            }
            if sign.is_nonpositive() {
                return Some(-x);
            }
            match x.node() {
                // |c·u| = |c|·|u|
                Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                    Some(Expr::apply(Abs, &[terms[0].0]).scale(&terms[0].1.abs()))
                }
                // |Π b^e| = Π |b|^e
                Node::Product(factors) if factors.iter().all(|(_, e)| e.is_integer()) => Some(Expr::product(
                    Rational::ONE,
                    factors.iter().map(|(b, e)| (Expr::apply(Abs, &[*b]), e.clone())),
                )),
                Node::Apply(Abs, _) => Some(x),
                _ => None,
            }
        }
        Sign => {
            let sign = sign_of(x);
            if sign.is_positive() {
                Some(Expr::one())
            } else if sign.is_negative() {
                Some(Expr::number(-1))
            } else if is(0) {
                Some(Expr::zero())
            } else {
                None
            }
        }
        Min | Max => {
            let mut numbers: Vec<&Rational> = arguments.iter().filter_map(|a| a.as_number()).collect();
            if numbers.len() < 2 {
                return None;
            }
            numbers.sort();
            let extreme = if function == Min { numbers[0] } else { numbers[numbers.len() - 1] };
            let rest = arguments.iter().copied().filter(|a| !a.is_number());
            let all: Vec<Expr> = rest.chain([Expr::number(extreme.clone())]).collect();
            Some(if all.len() == 1 { all[0] } else { Expr::apply(function, &all) })
        }
        Atan2 => {
            let (y, x) = (arguments[0], arguments[1]);
            match (y.as_number(), x.as_number()) {
                (Some(y), Some(x)) if y.is_zero() && x.is_zero() => Some(Expr::undefined(Undefined::NotReal)),
                (Some(y), Some(x)) if y.is_zero() && !x.is_negative() => Some(Expr::zero()),
                (Some(y), Some(_)) if y.is_zero() => Some(Expr::pi()),
                (Some(y), Some(x)) if x.is_zero() => Some(Expr::pi().scale(&Rational::ratio(i64::from(y.signum()), 2))),
                _ => None,
            }
        }
        _ => None,
    }
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
    use crate::algebra::assume::{Sign, assume};
    use crate::algebra::conditions;

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
        let x = x();
        assert_eq!(x.pow(2).sqrt(), Expr::apply(Elementary::Abs, &[x]));
        assert_eq!(Expr::apply(Elementary::Abs, &[x]).pow(2), x.pow(2));
        let m = self::x();
        assume(m, Sign::POSITIVE);
        assert_eq!(m.pow(2).sqrt(), m);
    }

    #[test]
    fn cancelling_records_its_condition() {
        let x = x();
        let (one, conditions) = conditions::collect(|| x / x);
        assert_eq!(one, Expr::one());
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
