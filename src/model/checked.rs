//! Checked statements: what [`resolve`](crate::session::resolve::statement) hands to those who carry them out. Every expression is a
//! [`Term`], every space after `on` a space; names that are declared, and words that are printed, are those of the syntax.

use super::term::{Defined, Term};
use crate::algebra::{Function, Symbol};
use crate::geometry::jet::JetSpace;
use crate::integrate::method::Method;
use crate::motion::sampling::Rule;
use crate::motion::sweep::Reduction;
use crate::report::axis::Scale;
use crate::source::Span;
use crate::syntax::ast::{self, ConstraintClauseKind, Direction, ExprId, Text, Word};
use std::rc::Rc;

pub enum Checked<'a> {
    Question(Term),
    Explain(Term),
    Assert {
        claim: Term,
        fails: Option<&'a ast::Refusal>,
    },
    /// Its statements are checked one after the other.
    Test(&'a ast::Test),
    Use(&'a ast::Use),
    Manifold {
        declared: &'a ast::Manifold,
        /// The ranges of each coordinate.
        families: Vec<Vec<Term>>,
    },
    /// The later may use the earlier: they are checked one after the other.
    Params(&'a [ast::Param]),
    Assume(Vec<Term>),
    Function {
        declared: &'a ast::Function,
        body: Option<FunctionBody>,
    },
    Closure {
        name: &'a Word,
        function: Rc<Defined>,
        body: ExprId,
    },
    Let {
        name: &'a Word,
        value: Term,
    },
    LetSimulate {
        name: &'a Word,
        simulate: Simulate<'a>,
    },
    Sweep {
        /// Of `let reach = sweep …`.
        name: Option<&'a Word>,
        sweep: Box<Sweep<'a>>,
    },
    Map {
        name: &'a Word,
        from: Space,
        to: Space,
        entries: Vec<Term>,
    },
    Section(Described<'a>),
    Lagrangian(Typed<'a>),
    Form(Typed<'a>),
    Field(Typed<'a>),
    Force(Described<'a>),
    Equations(Described<'a>),
    Codistribution(Described<'a>),
    Distribution(Described<'a>),
    Submanifold(Described<'a>),
    Mixed(Described<'a>),
    Constraint {
        name: &'a Word,
        on: Space,
        equations: Vec<Term>,
        clauses: Vec<(ConstraintClauseKind, Clause)>,
    },
    System {
        name: &'a Word,
        body: SystemBody,
    },
    Simulate(Simulate<'a>),
    Plot {
        runs: Vec<Term>,
        curves: Vec<Curve>,
        settings: PlotSettings,
        to: Option<&'a Word>,
    },
    Save {
        what: Term,
        to: &'a Word,
    },
    Poincare(Poincare<'a>),
    LetPoincare {
        name: &'a Word,
        poincare: Poincare<'a>,
    },
    Animate {
        run: Term,
        drawings: Vec<Drawing<'a>>,
        to: Option<&'a Word>,
    },
}

impl Checked<'_> {
    /// The file that a statement writes.
    pub fn file(&self) -> Option<&Word> {
        match self {
            Checked::Save { to, .. } => Some(*to),
            Checked::Plot { to, .. } | Checked::Animate { to, .. } | Checked::Poincare(Poincare { to, .. }) => *to,
            Checked::Sweep { sweep, .. } => sweep.written.to.as_ref(),
            _ => None,
        }
    }
}

/// A space after `on`.
pub struct Space {
    pub space: JetSpace,
    /// The manifold as it is written: `sp.Y`.
    pub written: String,
    pub span: Span,
}

/// `form eta : contact 1-form on J1(Y) = …`.
pub struct Typed<'a> {
    pub name: &'a Word,
    pub types: Vec<TypeWord<'a>>,
    pub on: Space,
    pub value: Term,
}

/// A word after the colon.
pub struct TypeWord<'a> {
    pub written: &'a ast::TypeWord,
    /// Of `horizontal over Y`.
    pub over: Option<JetSpace>,
}

/// Something on a space, described by the entries of a block or by a value after `=`.
pub struct Described<'a> {
    pub name: &'a Word,
    pub on: Space,
    pub body: Body,
}

pub enum Body {
    Entries(Vec<Term>),
    Value(Term),
}

impl Body {
    /// What describes it.
    pub fn terms(&self) -> &[Term] {
        match self {
            Body::Entries(entries) => entries,
            Body::Value(value) => std::slice::from_ref(value),
        }
    }
}

/// The list after the word of a clause of a constraint.
pub enum Clause {
    /// `reactions: none`.
    None,
    Terms(Vec<Term>),
}

pub enum SystemBody {
    Composed { base: Term, forces: Vec<Term>, constraints: Vec<Term> },
    Generated(Term),
}

/// `V(theta) = cos(theta)`: the names of the arguments stand for themselves, whatever else they mean.
pub struct FunctionBody {
    pub function: Function,
    pub arguments: Vec<Formal>,
    pub value: Term,
}

pub enum Formal {
    /// A name; it is in the frame of the value.
    Bound(Symbol),
    /// A jet such as x' stands for itself.
    Jet(Term),
}

/// `simulate disk { … }`.
pub struct Simulate<'a> {
    pub written: &'a ast::Simulate,
    pub system: Term,
    pub clauses: Vec<RunClause>,
    /// Whether the names of the clauses wait for the manifold of the system.
    pub is_open: bool,
}

/// `sweep disk over theta' in 0..5 by 1/10, m in [1, 2, 4] { … } to "reach.csv"`.
pub struct Sweep<'a> {
    pub written: &'a ast::Sweep,
    pub system: Term,
    pub rows: SweepRows,
    /// Whether the names wait for the manifold of the system.
    pub is_open: bool,
}

/// What varies in a sweep, the clauses of its runs, and what is kept of them.
pub struct SweepRows {
    pub axes: Vec<Axis>,
    pub clauses: Vec<RunClause>,
    pub sample: Option<Sample>,
    /// Names with expressions, in which reductions and recorded names stand as symbols.
    pub collected: Vec<Column>,
    /// In an order in which each needs those before it only.
    pub reductions: Vec<Reduced>,
    /// The symbols of recorded names.
    pub recorded: Vec<(Symbol, Text)>,
}

pub struct Axis {
    pub coordinate: Term,
    pub values: AxisValues,
    pub span: Span,
}

pub enum AxisValues {
    /// `0..5 by 1/10`; without `by` a range for the sample.
    Range {
        from: Box<Term>,
        to: Box<Term>,
        by: Option<Box<Term>>,
    },
    List(Term),
}

/// `sample sobol(1000, seed = 7)`.
pub struct Sample {
    pub rule: Rule,
    pub count: Term,
    pub seed: Option<Term>,
    pub span: Span,
}

/// `max(x)`, `E.first`.
pub struct Reduced {
    pub reduction: Reduction,
    pub of: Term,
    pub symbol: Symbol,
}

pub struct RunClause {
    pub kind: RunClauseKind,
    /// Of the whole clause; it begins with its word.
    pub span: Span,
}

pub enum RunClauseKind {
    Set(Vec<Setting>),
    /// Equations, repetitions of them, and points.
    From(Vec<Term>),
    Until(Term),
    Method(Method),
    Tolerance(Vec<Tolerance>),
    Step(Term),
    Record {
        columns: Vec<Column>,
        every: Option<Term>,
    },
    Stop {
        when: Term,
        direction: Option<Direction>,
    },
    Branch(Term),
    /// In a sweep only, where they are read apart.
    Collect,
    Sample,
}

/// What `set` gives a value to.
pub enum Setting {
    Parameter { left: Term, right: Term },
    Function { body: FunctionBody, span: Span },
}

pub enum Tolerance {
    Both(Term),
    Relative(Term),
    Absolute(Term),
    Scale { coordinate: Term, scale: Term },
}

impl Tolerance {
    /// Whether it gives the relative and the absolute error, and where.
    pub fn sides(&self) -> Option<([bool; 2], &Term)> {
        match self {
            Tolerance::Both(term) => Some(([true, true], term)),
            Tolerance::Relative(term) => Some(([true, false], term)),
            Tolerance::Absolute(term) => Some(([false, true], term)),
            Tolerance::Scale { .. } => None,
        }
    }
}

/// `x`, `E = energy(S)`.
pub struct Column {
    pub name: Option<Text>,
    pub value: Term,
    pub span: Span,
}

/// `y, z against x`.
pub struct Curve {
    pub values: Vec<Term>,
    pub against: Option<Term>,
}

/// How a plot is to look, as far as it says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlotSettings {
    pub title: Option<Text>,
    pub x_label: Option<Text>,
    pub y_label: Option<Text>,
    pub x_scale: Scale,
    pub y_scale: Scale,
    /// One unit is equally long on both axes.
    pub equal: Option<bool>,
    pub points: bool,
}

/// `poincare run { section theta = 0 rising; plot phi' against phi }`.
pub struct Poincare<'a> {
    pub run: Term,
    pub section: Term,
    pub direction: Option<Direction>,
    pub curves: Vec<Curve>,
    pub settings: PlotSettings,
    pub to: Option<&'a Word>,
}

/// `rod (0, 0), (x, y)`: a word and what it is given.
pub struct Drawing<'a> {
    pub word: &'a Word,
    pub arguments: Vec<Term>,
}
