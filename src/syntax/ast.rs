//! The untyped tree. An [`Ast`] proves that a text has a shape; it says nothing about meaning.
//!
//! Names are texts and primes are counted: `x''`, `dx'`, `@x'`, `jet(q, 5)`, `q[i]'`, `p_x` and
//! `vel(x')` stay as they were written, because only the model knows what is a coordinate, what is a
//! function and what is a part of an answer. Every node has its place in bytes.
//!
//! # Expressions live in an arena
//!
//! An expression is an [`ExprId`], an index into [`Ast::exprs`]. Operands stand before the expression
//! that uses them, sums, products and wedge products are n-ary, so a sum of a million terms is one node
//! with a million operands: nothing recurses, neither a walk (`for id in ast.ids()` visits operands
//! first) nor the drop.
//!
//! ```text
//! m*x'^2/2 - V(x)    Sum [+ Product [* m, * Power(x', 2), / 2], - Call V [x]]
//! ```
//!
//! # What is decided here and what is not
//!
//! - Parentheses are not nodes. `Expr::parens` counts the pairs around an expression, for the
//!   formatter; they also stop flattening: `(a + b) + c` is a sum of two.
//! - An argument `F = eta` is stored as the equation it looks like. [`Ast::option`] reads an equation
//!   as a named value; whether it is one (`lepage(E, F = eta)`) or a condition (`piecewise(x = 0, a, b)`)
//!   is a matter of meaning. The same holds of `record x, E = energy(S)` and of `collect`.
//! - Entries of blocks are expressions too: equations ([`ExprKind::Compare`]), components `x: -c*x'`
//!   ([`ExprKind::Component`]) or repetitions `list(i in 1..n, q[i] = 0)` ([`ExprKind::Each`]). The
//!   parser has checked that each block holds entries of its kind.

use crate::algebra::number::Rational;
use crate::source::{SourceId, Span, Spanned};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Text of a name or string; equal names of one program share it.
pub type Text = Rc<str>;

/// A name without primes, and where it stands.
pub type Word = Spanned<Text>;

/// A whole program, or one line of the REPL.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    pub source: SourceId,
    /// In the order of the text. Statements that could not be read are absent; the problems say so.
    pub statements: Vec<Statement>,
    /// The arena of all expressions, operands first.
    pub exprs: Vec<Expr>,
    /// The names that occur in statements that could not be read. Such a statement may have declared
    /// or used them: that one of them is unknown, or never used, would be an echo.
    pub doubtful: BTreeSet<Text>,
}

/// An expression: its index in [`Ast::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Without the parentheses around it.
    pub span: Span,
    /// With them.
    pub outer: Span,
    /// How many pairs of parentheses stand around it.
    pub parens: u16,
}

/// A name with its primes: `theta''` is `("theta", 2)`. Combining dots count as primes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    pub text: Text,
    pub primes: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `3`, `2.5`, `1e-3`, exact.
    Number(Rational),
    /// A string, without its quotes.
    String(Text),
    /// `x`, `x'`, `dx'`, `J1`.
    Name(Name),
    /// A prime on anything but a name: `(x*y)'`, `q[i]''`, `f(x)'`.
    Primed {
        of: ExprId,
        primes: u32,
    },
    /// `@x'`, `@q[i]`, `@jet(q, 5)`: the coordinate vector field ∂/∂x'.
    Partial(ExprId),
    /// `-x`.
    Neg(ExprId),
    /// Two or more terms; the first has the sign `Plus`.
    Sum(Vec<(Sign, ExprId)>),
    /// Two or more factors; the first has the operation `Times`.
    Product(Vec<(Factor, ExprId)>),
    /// `a /\ b /\ …`, two or more.
    Wedge(Vec<ExprId>),
    /// `base ^ exponent`.
    Power {
        base: ExprId,
        exponent: ExprId,
    },
    /// `left op right`, and `left = right within tolerance`.
    Compare {
        op: Comparison,
        left: ExprId,
        right: ExprId,
        within: Option<ExprId>,
    },
    /// `subject is word`, `subject is not word`.
    Is {
        subject: ExprId,
        negated: bool,
        word: Word,
    },
    /// `subject at point`.
    At {
        subject: ExprId,
        point: ExprId,
    },
    /// `L with drag subject to rod`: a system where it is asked about; at least one force or constraint.
    Composed {
        base: ExprId,
        forces: Vec<ExprId>,
        constraints: Vec<ExprId>,
    },
    Not(ExprId),
    /// Two or more.
    And(Vec<ExprId>),
    /// Two or more.
    Or(Vec<ExprId>),
    /// `V'(theta)`, `lepage(E, F = eta)`, `core.h(eta)`.
    Call {
        callee: ExprId,
        arguments: Vec<ExprId>,
    },
    /// `of.key`; primes after the dot belong to the key.
    Part {
        of: ExprId,
        key: Spanned<Name>,
    },
    /// `of[key, key]`.
    Index {
        of: ExprId,
        keys: Vec<ExprId>,
    },
    /// `[a, b, c]`; a matrix is a list of lists.
    List(Vec<ExprId>),
    /// `{ x = 1, x' = 2 }`: equations and repetitions of them.
    Point(Vec<ExprId>),
    /// `(x, y)`, a place in a picture.
    Tuple(Vec<ExprId>),
    /// `from..to`, in binders, families, axes of a sweep.
    Range {
        from: ExprId,
        to: ExprId,
    },
    /// `key: value`, an entry of a force or of equations.
    Component {
        key: ExprId,
        value: ExprId,
    },
    /// `sum(i in 1..n, body)`, `list(i in 1..n, j in 1..i, body)`.
    Each(Box<Each>),
}

/// A repetition: `function(index in range, …, body)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Each {
    /// `sum`, `list`, `product`.
    pub function: Word,
    /// One or more, the later may use the earlier.
    pub binders: Vec<Binder>,
    pub body: ExprId,
}

/// `index in range`.
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    pub index: Word,
    /// A [`ExprKind::Range`] or an expression that is a list.
    pub range: ExprId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Factor {
    Times,
    Over,
}

/// What an equation or inequality says of its sides.
pub use crate::algebra::expr::Relation as Comparison;

/// A declaration, an instruction, an assertion or a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
    /// The `///` lines before it, without the slashes, joined by line ends.
    pub doc: Option<Text>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Manifold(Manifold),
    /// `param m = 1, k, c[1..n]`.
    Param(Vec<Param>),
    /// `assume m > 0, x'^2 < c^2`.
    Assume(Vec<ExprId>),
    Function(Function),
    Let(Let),
    Use(Use),
    Map(Map),
    /// `section g on Y { x = cos(t) }`; entries are equations.
    Section(Described),
    Lagrangian(Typed),
    Form(Typed),
    Field(Typed),
    /// Entries are components.
    Force(Described),
    /// Entries are components.
    Equations(Described),
    Constraint(Constraint),
    /// Entries are 1-forms.
    Codistribution(Described),
    /// Entries are fields.
    Distribution(Described),
    /// Entries are comparisons.
    Submanifold(Described),
    System(System),
    /// Entries are equations.
    Mixed(Described),
    Simulate(Simulate),
    Sweep(Sweep),
    Plot(Plot),
    Save(Save),
    Animate(Animate),
    Poincare(Poincare),
    /// `explain dynamics(S)`.
    Explain(ExprId),
    Test(Test),
    Assert(Assert),
    /// A bare expression: its answer is printed.
    Question(ExprId),
}

/// `Y`, `sp.Y`, `J1(Y)`, `J1(J2(Y))`.
#[derive(Clone, PartialEq, Debug)]
pub struct Space {
    /// The words before the parentheses, outermost first; the model reads the orders off them.
    pub jets: Vec<Word>,
    pub manifold: Path,
    pub span: Span,
}

/// `name` or `library.name`; never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    pub words: Vec<Word>,
}

impl Path {
    pub fn span(&self) -> Span {
        self.words[0].span.to(self.words[self.words.len() - 1].span)
    }
}

/// `manifold Y over t { x, theta : angle, q[1..n] }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifold {
    pub name: Word,
    /// The base coordinate, another manifold, or a jet space.
    pub over: Space,
    pub coordinates: Vec<Coordinate>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Coordinate {
    pub name: Word,
    /// The ranges of a family: `1..n` of `q[1..n]`.
    pub family: Vec<ExprId>,
    /// `angle`, checked by the parser to be a type of coordinates.
    pub kind: Option<Word>,
    pub doc: Option<Text>,
}

/// One name of `param m = 1, k, c[1..n] = 2`.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub name: Word,
    pub family: Vec<ExprId>,
    pub value: Option<ExprId>,
}

/// `function V(theta)`, `function F(t) from "force.csv"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Word,
    /// Names, possibly with primes or keys.
    pub arguments: Vec<ExprId>,
    pub meaning: FunctionMeaning,
}

/// What runs use for an unspecified function; derivations do not look at it.
#[derive(Clone, PartialEq, Debug)]
pub enum FunctionMeaning {
    Unspecified,
    /// `function V(x) = x^4`.
    Body(ExprId),
    /// `function F(t) from "force.csv" with hold`.
    Table {
        file: Word,
        outside: Option<Word>,
    },
}

/// `let T = …`, `let kinetic(m, v) = …`, `let run = simulate …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Let {
    pub name: Word,
    /// `Some` of a function of the language, possibly without parameters.
    pub parameters: Option<Vec<Word>>,
    pub value: LetValue,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LetValue {
    Expr(ExprId),
    Simulate(Simulate),
    Sweep(Sweep),
    Poincare(Poincare),
}

/// `use std.springs as sp`, `use "parts/wheel.mech"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Use {
    pub what: UseTarget,
    pub prefix: Option<Word>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum UseTarget {
    Library(Path),
    File(Word),
}

/// `map polar : P -> Y { x = r*cos(a); y = r*sin(a) }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    pub name: Word,
    pub from: Space,
    pub to: Space,
    /// Equations.
    pub entries: Vec<ExprId>,
}

/// Something on a space, described by the entries of a block or by a value after `=`.
#[derive(Clone, PartialEq, Debug)]
pub struct Described {
    pub name: Word,
    pub on: Space,
    pub body: Body,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    Entries(Vec<ExprId>),
    Value(ExprId),
}

/// `form eta : contact 1-form on J1(Y) = …`; a Lagrangian or field likewise.
#[derive(Clone, PartialEq, Debug)]
pub struct Typed {
    pub name: Word,
    /// The words after the colon, in their order.
    pub types: Vec<TypeWord>,
    pub on: Space,
    pub value: ExprId,
}

/// `horizontal`, `horizontal over Y`, `1-form`, `2-contact`.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeWord {
    /// The 2 of `2-contact`.
    pub degree: Option<u32>,
    /// `form`, `contact`, `horizontal`, `dynamical`, `lepage`, `closed`, `vertical`, `projectable`, `semispray`.
    pub word: Word,
    /// Of `horizontal over Y`.
    pub over: Option<Space>,
    pub span: Span,
}

/// `constraint cone on J1(Y) { z'^2 = x'^2 + y'^2; dependent: z; branch: z' > 0 }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    pub name: Word,
    pub on: Space,
    /// Equations, names of submanifolds, repetitions.
    pub equations: Vec<ExprId>,
    /// Each clause at most once.
    pub clauses: Vec<ConstraintClause>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConstraintClause {
    pub kind: ConstraintClauseKind,
    /// Of the word before the colon.
    pub span: Span,
    /// The list after the colon; never empty.
    pub values: Vec<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConstraintClauseKind {
    Dependent,
    Branch,
    Reactions,
    Forms,
}

/// `system S = L with F and G subject to C and D`, `system V = generated by eta`.
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    pub name: Word,
    pub body: SystemBody,
}

#[derive(Clone, PartialEq, Debug)]
pub enum SystemBody {
    Composed { base: ExprId, forces: Vec<ExprId>, constraints: Vec<ExprId> },
    Generated(ExprId),
}

/// `simulate disk { from …; until …; … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulate {
    pub system: ExprId,
    pub clauses: Vec<RunClause>,
    /// From `simulate` to the closing brace.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RunClause {
    pub kind: RunClauseKind,
    /// Of the whole clause; it begins with its word.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum RunClauseKind {
    /// `set m = 2, V(theta) = cos(theta)`: equations.
    Set(Vec<ExprId>),
    /// `from x = 1, x' = 0`, `from start`: equations and points.
    From(Vec<ExprId>),
    /// `until t = 20`.
    Until(ExprId),
    /// `method taylor`, `method gauss(4)`.
    Method(ExprId),
    /// `tolerance 1e-12`, `tolerance rel 1e-9, abs 1e-12, x = 1e-3`.
    Tolerance(Vec<Tolerance>),
    /// `step 1/100`.
    Step(ExprId),
    /// `record x, E = energy(S) every 1/100`; see [`Ast::option`] for the named ones.
    Record { columns: Vec<ExprId>, every: Option<ExprId> },
    /// `stop when phi = 10 rising`.
    Stop { when: ExprId, direction: Option<Direction> },
    /// `branch dynamics(S).branches[2]`.
    Branch(ExprId),
    /// `collect reach = max(x)`, in a sweep.
    Collect(Vec<ExprId>),
    /// `sample 1000`, `sample sobol(1000, seed = 7)`, in a sweep.
    Sample(ExprId),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Tolerance {
    /// Relative and absolute.
    Both(ExprId),
    Relative(ExprId),
    Absolute(ExprId),
    /// `x = 1e-3`: the scale of one coordinate.
    Scale {
        coordinate: ExprId,
        scale: ExprId,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    Rising,
    Falling,
}

/// `sweep disk over m in [1, 2, 4], theta' in 0..5 by 1/10 { … } to "reach.csv"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Sweep {
    pub system: ExprId,
    pub axes: Vec<Axis>,
    pub clauses: Vec<RunClause>,
    pub to: Option<Word>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    pub coordinate: ExprId,
    /// A range or a list.
    pub values: ExprId,
    pub by: Option<ExprId>,
}

/// `plot first, second { y against x; title = "Two orbits" } to "path.svg"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    pub what: Vec<ExprId>,
    pub curves: Vec<Curve>,
    pub to: Option<Word>,
}

/// `y, z against x`.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    pub values: Vec<ExprId>,
    pub against: Option<ExprId>,
}

/// `save run to "disk.csv"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Save {
    pub what: ExprId,
    pub to: Word,
}

/// `animate run { point (x, y); trail 200 } to "disk.svg"`.
#[derive(Clone, PartialEq, Debug)]
pub struct Animate {
    pub what: ExprId,
    pub pictures: Vec<Picture>,
    pub to: Option<Word>,
}

/// `point (x, y)`, `rod (0, 0), (x, y)`, `trail 200`: a word and what it is given.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub word: Word,
    pub arguments: Vec<ExprId>,
}

/// `poincare run { section theta = 0 rising; plot phi' against phi }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Poincare {
    pub what: ExprId,
    pub entries: Vec<PoincareEntry>,
    pub to: Option<Word>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PoincareEntry {
    Section { when: ExprId, direction: Option<Direction> },
    Plot(Curve),
}

/// `test "…" fails with name { … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    pub title: Word,
    pub fails: Option<Refusal>,
    pub body: Vec<Statement>,
}

/// `fails`, `fails with not_horizontal`, `fails with E0312`.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    pub with: Option<Word>,
    pub span: Span,
}

/// `assert A`, `assert A fails with name`.
#[derive(Clone, PartialEq, Debug)]
pub struct Assert {
    pub claim: ExprId,
    pub fails: Option<Refusal>,
}

impl std::ops::Index<ExprId> for Ast {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}

impl Ast {
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self[id].kind
    }

    pub fn span(&self, id: ExprId) -> Span {
        self[id].span
    }

    /// Where an expression stands, its parentheses included.
    pub fn outer(&self, id: ExprId) -> Span {
        self[id].outer
    }

    /// Every expression, operands before those who use them.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.exprs.len() as u32).map(ExprId)
    }

    /// The expressions written inside a piece of the text. The parser makes a node after its parts and before what
    /// follows, so those nodes lie together.
    pub fn inside(&self, span: Span) -> impl Iterator<Item = ExprId> {
        let first = self.exprs.partition_point(|e| e.span.end <= span.start);
        let last = self.exprs.partition_point(|e| e.span.start < span.end).max(first);
        (first as u32..last as u32).map(ExprId).filter(move |id| {
            let s = self.span(*id);
            span.source == s.source && span.start <= s.start && s.end <= span.end
        })
    }

    /// Adds an expression; its operands are already there.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span, outer: span, parens: 0 });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// The two sides of `left = right` (without `within`).
    pub fn equation(&self, id: ExprId) -> Option<(ExprId, ExprId)> {
        match *self.kind(id) {
            ExprKind::Compare { op: Comparison::Equal, left, right, within: None } => Some((left, right)),
            _ => None,
        }
    }

    /// `F = eta` read as a named value: an equation, not in parentheses, whose left side is a name
    /// without primes.
    pub fn option(&self, id: ExprId) -> Option<(Word, ExprId)> {
        let (left, right) = self.equation(id).filter(|_| self[id].parens == 0)?;
        match self.kind(left) {
            ExprKind::Name(Name { text, primes: 0 }) if self[left].parens == 0 => {
                Some((Word::new(text.clone(), self.span(left)), right))
            }
            _ => None,
        }
    }

    /// The name, if the expression is one, with its primes.
    pub fn name(&self, id: ExprId) -> Option<&Name> {
        match self.kind(id) {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The operands of an expression, from left to right, appended to `out`.
    pub fn operands(&self, id: ExprId, out: &mut Vec<ExprId>) {
        match self.kind(id) {
            ExprKind::Number(_) | ExprKind::String(_) | ExprKind::Name(_) => {}
            ExprKind::Primed { of, .. } | ExprKind::Part { of, .. } => out.push(*of),
            ExprKind::Partial(a) | ExprKind::Neg(a) | ExprKind::Not(a) => out.push(*a),
            ExprKind::Sum(terms) => out.extend(terms.iter().map(|t| t.1)),
            ExprKind::Product(factors) => out.extend(factors.iter().map(|f| f.1)),
            ExprKind::Wedge(all)
            | ExprKind::And(all)
            | ExprKind::Or(all)
            | ExprKind::List(all)
            | ExprKind::Point(all)
            | ExprKind::Tuple(all) => out.extend(all),
            ExprKind::Power { base: a, exponent: b }
            | ExprKind::At { subject: a, point: b }
            | ExprKind::Range { from: a, to: b }
            | ExprKind::Component { key: a, value: b } => out.extend([*a, *b]),
            ExprKind::Compare { left, right, within, .. } => {
                out.extend([*left, *right]);
                out.extend(within);
            }
            ExprKind::Is { subject, .. } => out.push(*subject),
            ExprKind::Composed { base, forces, constraints } => {
                out.push(*base);
                out.extend(forces.iter().chain(constraints));
            }
            ExprKind::Call { callee, arguments } => {
                out.push(*callee);
                out.extend(arguments);
            }
            ExprKind::Index { of, keys } => {
                out.push(*of);
                out.extend(keys);
            }
            ExprKind::Each(each) => {
                out.extend(each.binders.iter().map(|b| b.range));
                out.push(each.body);
            }
        }
    }
}
