//! Values of the language: what an expression evaluates to and what an answer is made of.
//!
//! An [`Answer`] has a main value, which is meant when it stands in an expression, and named parts.
//! Parts that cost something are computed when they are asked for, once.

use super::item::{Constraint, Force, MapItem, SectionItem, System};
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::inquiry::{Inquiry, Remembered};
use crate::algebra::linear::Matrix;
use crate::algebra::number::Rational;
use crate::algebra::{Expr, Function, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::source::Span;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::rc::Rc;

pub use crate::diagnostic::Fallible;

/// A value of the language.
#[derive(Clone)]
pub enum Value {
    /// A function of jets, parameters and time; numbers too.
    Expr(Expr),
    Form(Form),
    Field(VectorField),
    /// A declared form or field with the space of its declaration.
    OnSpace(Rc<OnSpace>),
    Matrix(Rc<LabelledMatrix>),
    List(Rc<Vec<Value>>),
    /// Values keyed by coordinates, jets or tuples of them.
    Family(Rc<Family>),
    Point(Rc<Point>),
    Verdict(Rc<Judgement>),
    Rank(Rc<Rank>),
    /// One word out of a fixed list, such as `holonomic`.
    Label(&'static str),
    Text(Rc<str>),
    /// How something was derived.
    Steps(Rc<super::explain::Steps>),
    Set(Rc<super::set::PointSet>),
    Distribution(Rc<Distribution>),
    /// A distribution or function along a branch: it is compared there.
    OnBranch(Rc<OnBranch>),
    Codistribution(Rc<Codistribution>),
    Answer(Rc<Answer>),
    Manifold(FiberedManifold),
    Space(JetSpace),
    /// A Lagrangian, equations, or a system composed of them.
    System(Rc<System>),
    Force(Rc<Force>),
    Constraint(Rc<Constraint>),
    Map(Rc<MapItem>),
    Section(Rc<SectionItem>),
    /// The name of a family: `q` of `q[1..n]`.
    Indexed(Rc<Indexed>),
    /// An unspecified function, when it is named without arguments.
    Unknown(Function),
    /// A comparison that has not been decided yet: an equation, or what is asserted.
    Claim(Rc<Claim>),
    /// A number of a run.
    Float(f64),
    Run(Rc<crate::motion::run::Run>),
    Series(Rc<crate::motion::series::Series>),
    /// What `plot` draws.
    Picture(Rc<crate::report::plot::Plot>),
    /// The table of many runs.
    Sweep(Rc<crate::motion::swept::Swept>),
}

/// A form or field, and the space after `on`.
pub struct OnSpace {
    pub value: Value,
    pub space: JetSpace,
}

/// A distribution or function on the points of a branch.
pub struct OnBranch {
    pub value: Value,
    /// The coordinates of the space in which the branch lies.
    pub coordinates: Vec<Symbol>,
    pub branch: super::set::Branch,
    /// For the branch of a constraint: what its equations say about the dependent jets.
    pub tower: Option<SolvedTower>,
    /// What it is at a point, if that is not the value with the coordinates of the point: where a rank jumps.
    pub anew: Option<Anew>,
}

/// Jets that constraints give as functions of the others.
#[derive(Clone)]
pub struct SolvedTower {
    /// Lowest first.
    pub solved: Vec<(Symbol, Expr)>,
    /// Whether these say all that the constraints say.
    pub says_all: bool,
    /// Values on one of several branches of the lowest ones.
    pub sample: Vec<(Symbol, Expr)>,
}

impl OnBranch {
    /// On a branch whose equations are not solved for coordinates.
    pub fn new(value: Value, coordinates: Vec<Symbol>, branch: super::set::Branch) -> OnBranch {
        OnBranch { value, coordinates, branch, tower: None, anew: None }
    }

    /// Another value on the same branch.
    pub fn with(&self, value: Value) -> Value {
        Value::OnBranch(Rc::new(OnBranch {
            value,
            coordinates: self.coordinates.clone(),
            branch: self.branch.clone(),
            tower: self.tower.clone(),
            anew: None,
        }))
    }
}

/// Decides at a point; `None` if the point leaves something open.
pub type Anew = Rc<dyn Fn(&Inquiry, &rustc_hash::FxHashMap<Symbol, Expr>) -> Fallible<Option<Value>>>;

/// A key of a family: symbols and numbers.
pub type Key = SmallVec<[KeyPart; 3]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyPart {
    Symbol(Symbol),
    Number(i64),
}

/// Values by key, in the order of the mathematics.
#[derive(Clone, Default)]
pub struct Family {
    pub entries: IndexMap<Key, Value>,
}

/// A matrix whose rows and columns may be addressed by coordinates.
#[derive(Clone)]
pub struct LabelledMatrix {
    pub matrix: Matrix,
    pub rows: Vec<Symbol>,
    pub columns: Vec<Symbol>,
}

/// Some coordinates, jets and parameters with their values.
#[derive(Clone, Default)]
pub struct Point {
    pub entries: Vec<PointEntry>,
}

#[derive(Clone)]
pub struct PointEntry {
    /// All symbols the written name may mean; more than one when two manifolds share the name.
    pub symbols: SmallVec<[Symbol; 1]>,
    pub text: String,
    pub value: Expr,
    /// A number of a run: the double that the value is, and written as one.
    pub of_run: bool,
}

impl PointEntry {
    /// The number of a run, if it is one and has a value.
    pub fn double(&self) -> Option<f64> {
        let number = self.value.as_number().filter(|_| self.of_run);
        number.map(crate::codegen::lower::to_f64).or_else(|| crate::motion::double::as_double(self.value))
    }

    /// The value by itself.
    pub fn taken_out(&self) -> Value {
        self.double().map_or(Value::Expr(self.value), Value::Float)
    }
}

/// A verdict that can be taken again at a point.
pub struct Judgement {
    pub verdict: Verdict,
    pub at: Option<Box<dyn Fn(&Inquiry, &Point) -> Fallible<Verdict>>>,
    /// Functions of parameters that were taken not to vanish.
    pub needs: Vec<Expr>,
}

/// A rank: the values it takes, ascending, and where.
pub struct Rank {
    pub values: Vec<usize>,
    pub strata: Vec<(super::set::Branch, usize)>,
    /// The matrix whose rank this is; at a point it is computed anew.
    pub matrix: Matrix,
    /// `Some(n)`: the rank in question is n − rank(matrix), as for an annihilated distribution.
    pub complement: Option<usize>,
    /// The rank in question is rank(this) − rank(matrix), as for the kernel of a map from what this matrix spans.
    pub whole: Option<Matrix>,
    /// Whether `values` is the whole truth.
    pub complete: Verdict,
    /// The computation was interrupted: there are places that it has not come to.
    pub interrupted: bool,
    /// Expressions in parameters that were taken to be nonzero.
    pub generic: Vec<Expr>,
}

/// `left relation right`, possibly `within` a tolerance.
pub struct Claim {
    pub relation: Relation,
    pub left: Value,
    pub right: Value,
    pub within: Option<Rational>,
    pub left_span: Span,
    pub right_span: Span,
}

/// The members of a declared family by their indices.
#[derive(Clone)]
pub struct Indexed {
    pub name: String,
    pub members: IndexMap<SmallVec<[i64; 2]>, Value>,
}

/// The answer to a question: a main value and named parts.
pub struct Answer {
    /// The question, which is also the type of the answer.
    pub question: &'static str,
    pub main: Option<Value>,
    /// Why there is no main value, although the question has one.
    pub refused: Option<Box<Diagnostic>>,
    parts: IndexMap<&'static str, Part, FxBuildHasher>,
    /// What `A.x` and `A[x]` look up, if it is not the main value.
    family: Option<Rc<Family>>,
    /// The part that is also the main value.
    main_part: Option<&'static str>,
    /// Keys of families are looked up on this manifold.
    pub manifold: Option<FiberedManifold>,
    /// The constrained system whose motion it gives, in coordinates of a chart.
    pub moves: Option<Rc<System>>,
    /// Expressions that must not vanish for the answer to hold.
    pub conditions: Vec<Condition>,
    /// What `branch:` says of the constraints that were asked about; parts are computed where it holds.
    branch: Vec<Condition>,
    /// The main value is shown as it stands: what was multiplied out is not factored again.
    pub as_written: bool,
    /// The main value is a list, and if it has one entry it stands for that: the only solution of an equation.
    pub stands_for_only_entry: bool,
    /// How a paper writes its entries.
    pub written: Written,
}

/// What an entry of an answer, a key and its value, is in a paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Written {
    /// Two things that belong together.
    #[default]
    Beside,
    /// The left side of an equation whose right side is 0.
    Vanishes,
    /// key = value.
    Equals,
    /// The same, for keys that are momenta; others repeat them.
    Momenta,
    /// The rate of change of the key = value.
    Rate,
}

type Thunk = Box<dyn Fn(&Inquiry) -> Fallible<Value>>;

enum Part {
    Ready(Fallible<Value>),
    Lazy(Thunk, Remembered<Fallible<Value>>),
}

impl Answer {
    pub fn new(question: &'static str) -> Answer {
        Answer {
            question,
            main: None,
            refused: None,
            parts: IndexMap::default(),
            family: None,
            main_part: None,
            manifold: None,
            moves: None,
            conditions: vec![],
            branch: vec![],
            as_written: false,
            stands_for_only_entry: false,
            written: Written::default(),
        }
    }

    /// How a paper writes its entries; it leaves out the parts that speak about them.
    pub fn written(mut self, written: Written) -> Answer {
        self.written = written;
        self
    }

    pub fn main(mut self, value: impl Into<Value>) -> Answer {
        self.main = Some(value.into());
        self
    }

    /// There is no main value; using it or its entries refuses with this diagnostic.
    pub fn refused_main(mut self, why: Box<Diagnostic>) -> Answer {
        self.refused = Some(why);
        self
    }

    /// The main value is shown as it stands.
    pub fn verbatim(mut self) -> Answer {
        self.as_written = true;
        self
    }

    /// A list of one entry stands for it.
    pub fn stands_for_only_entry(mut self) -> Answer {
        self.stands_for_only_entry = true;
        self
    }

    pub fn on(mut self, manifold: &FiberedManifold) -> Answer {
        self.manifold = Some(manifold.clone());
        self
    }

    /// It gives the motion of this system, in coordinates of a chart.
    pub fn moves(mut self, system: &Rc<System>) -> Answer {
        self.moves = Some(system.clone());
        self
    }

    pub fn part(mut self, name: &'static str, value: impl Into<Value>) -> Answer {
        self.parts.insert(name, Part::Ready(Ok(value.into())));
        self
    }

    /// A part that may not exist; asking for it refuses with this diagnostic.
    pub fn try_part(mut self, name: &'static str, value: Fallible<Value>) -> Answer {
        self.parts.insert(name, Part::Ready(value));
        self
    }

    /// A part that is computed when it is first asked for.
    pub fn lazy(mut self, name: &'static str, compute: impl Fn(&Inquiry) -> Fallible<Value> + 'static) -> Answer {
        self.parts.insert(name, Part::Lazy(Box::new(compute), Remembered::default()));
        self
    }

    /// A verdict that is shown unless it is a plain yes.
    pub fn optional_part(self, name: &'static str, verdict: Verdict) -> Answer {
        match verdict {
            Verdict::Yes(_) => self.lazy(name, move |_| Ok(Value::from(verdict.clone()))),
            _ => self.part(name, verdict),
        }
    }

    /// `name` is both a part and the main value.
    pub fn main_part(mut self, name: &'static str, value: impl Into<Value>) -> Answer {
        let value = value.into();
        self.main_part = Some(name);
        self.main(value.clone()).part(name, value)
    }

    pub fn is_main_part(&self, name: &str) -> bool {
        self.main_part == Some(name)
    }

    /// Entries looked up by `A.x` and `A[x]` beside the main value.
    pub fn keyed(mut self, entries: impl IntoIterator<Item = (Symbol, Value)>) -> Answer {
        if let Value::Family(family) = Value::family(entries) {
            self.family = Some(family);
        }
        self
    }

    pub fn with_family(mut self, family: Family) -> Answer {
        self.family = Some(Rc::new(family));
        self
    }

    /// The entries by key: the family of the answer, or its main value if that is one.
    pub fn family(&self) -> Option<&Rc<Family>> {
        match (&self.family, &self.main) {
            (Some(family), _) => Some(family),
            (None, Some(Value::Family(family))) => Some(family),
            _ => None,
        }
    }

    /// Under these conditions; an expression alone must not vanish.
    pub fn valid_where<C: Into<Condition>>(mut self, conditions: impl IntoIterator<Item = C>) -> Answer {
        for condition in conditions.into_iter().map(Into::into) {
            if !self.conditions.contains(&condition) {
                self.conditions.push(condition);
            }
        }
        self
    }

    pub fn get(&self, cx: &Inquiry, name: &str) -> Option<Fallible<Value>> {
        Some(match self.parts.get(name)? {
            Part::Ready(value) => value.clone(),
            Part::Lazy(compute, known) => {
                let cx = &cx.where_hold(&self.branch);
                known.get(cx, |found| !matches!(found, Err(why) if why.code.name == codes::BUDGET.name), compute)
            }
        })
    }

    pub fn part_names(&self) -> impl Iterator<Item = &'static str> {
        self.parts.keys().copied()
    }

    /// Whether the part is shown with the answer. Parts that are computed on demand are shown when they are asked for, and
    /// whether somebody did makes no difference to what the answer says.
    pub fn is_shown(&self, name: &str) -> bool {
        matches!(self.parts.get(name), Some(Part::Ready(_)))
    }
}

impl Value {
    /// An answer about a branch of constraints: its parts are computed where these conditions hold.
    pub fn on_branch(self, branch: Vec<Condition>) -> Value {
        match self {
            Value::Answer(answer) if !branch.is_empty() => match Rc::try_unwrap(answer) {
                Ok(answer) => Value::Answer(Rc::new(Answer { branch, ..answer })),
                Err(shared) => Value::Answer(shared),
            },
            other => other,
        }
    }

    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        Value::List(Rc::new(values.into_iter().collect()))
    }

    pub fn exprs(values: impl IntoIterator<Item = Expr>) -> Value {
        Value::list(values.into_iter().map(Value::Expr))
    }

    /// A family keyed by single symbols.
    pub fn family(entries: impl IntoIterator<Item = (Symbol, Value)>) -> Value {
        Value::Family(Rc::new(Family {
            entries: entries.into_iter().map(|(s, v)| (SmallVec::from_elem(KeyPart::Symbol(s), 1), v)).collect(),
        }))
    }

    pub fn keyed(entries: impl IntoIterator<Item = (Key, Value)>) -> Value {
        Value::Family(Rc::new(Family { entries: entries.into_iter().collect() }))
    }

    pub fn number(n: impl Into<Rational>) -> Value {
        Value::Expr(Expr::number(n.into()))
    }

    pub fn count(n: usize) -> Value {
        Value::number(n as i64)
    }

    pub fn matrix(matrix: Matrix) -> Value {
        Value::Matrix(Rc::new(LabelledMatrix { matrix, rows: vec![], columns: vec![] }))
    }

    /// What is meant when the value stands in an expression: the main value of an answer.
    pub fn main(&self) -> Value {
        self.meant().clone()
    }

    /// The same, to be looked at.
    pub fn meant(&self) -> &Value {
        let mut value = self;
        loop {
            value = match value {
                Value::Answer(answer) => match &answer.main {
                    Some(main) => main,
                    None => return value,
                },
                Value::OnSpace(declared) => &declared.value,
                Value::OnBranch(along) => &along.value,
                _ => return value,
            };
        }
    }

    /// The kind of the value in the words of the language.
    pub fn type_name(&self) -> String {
        match self {
            Value::Expr(e) if e.is_number() => "number".into(),
            Value::Expr(_) => "expression".into(),
            Value::Form(f) => format!("{}-form", f.degree()),
            Value::Field(_) => "vector field".into(),
            Value::OnSpace(declared) => declared.value.type_name(),
            Value::Matrix(_) => "matrix".into(),
            Value::List(_) => "list".into(),
            Value::Family(_) => "family".into(),
            Value::Point(_) => "point".into(),
            Value::Verdict(_) => "verdict".into(),
            Value::Rank(_) => "rank".into(),
            Value::Label(_) => "label".into(),
            Value::Text(_) | Value::Steps(_) => "text".into(),
            Value::Picture(_) => "picture".into(),
            Value::Set(_) => "set".into(),
            Value::OnBranch(along) => along.value.type_name(),
            Value::Distribution(_) => "distribution".into(),
            Value::Codistribution(_) => "codistribution".into(),
            Value::Answer(a) => a.question.into(),
            Value::Manifold(_) => "manifold".into(),
            Value::Space(_) => "jet space".into(),
            Value::System(s) => s.kind_name().into(),
            Value::Force(_) => "force".into(),
            Value::Constraint(_) => "constraint".into(),
            Value::Map(_) => "map".into(),
            Value::Section(_) => "section".into(),
            Value::Indexed(_) => "family of names".into(),
            Value::Unknown(_) => "unspecified function".into(),
            Value::Claim(_) => "comparison".into(),
            Value::Float(_) => "number".into(),
            Value::Run(_) => "run".into(),
            Value::Series(_) => "series".into(),
            Value::Sweep(_) => "sweep".into(),
        }
    }
}

macro_rules! into_value {
    ($($from:ty => |$x:ident| $value:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($x: $from) -> Value {
                $value
            }
        })*
    };
}
into_value! {
    Expr => |x| Value::Expr(x);
    Form => |x| Value::Form(x);
    VectorField => |x| Value::Field(x);
    Verdict => |x| Value::Verdict(Rc::new(Judgement { verdict: x, at: None, needs: vec![] }));
    Judgement => |x| Value::Verdict(Rc::new(x));
    Rank => |x| Value::Rank(Rc::new(x));
    LabelledMatrix => |x| Value::Matrix(Rc::new(x));
    Matrix => |x| Value::matrix(x);
    Answer => |x| Value::Answer(Rc::new(x));
    usize => |x| Value::count(x);
    Condition => |x| Value::Claim(Rc::new(Claim {
        relation: x.relation,
        left: Value::Expr(x.left),
        right: Value::number(0),
        within: None,
        left_span: Span::default(),
        right_span: Span::default(),
    }));
    Distribution => |x| Value::Distribution(Rc::new(x));
    Codistribution => |x| Value::Codistribution(Rc::new(x));
    super::set::PointSet => |x| Value::Set(Rc::new(x));
    Rc<System> => |x| Value::System(x);
}

/// `q, q'`: a key as it is written between brackets.
pub fn key_text(key: &Key) -> String {
    let parts: Vec<String> = key
        .iter()
        .map(|p| match p {
            KeyPart::Symbol(s) => s.name(),
            KeyPart::Number(n) => n.to_string(),
        })
        .collect();
    parts.join(", ")
}
