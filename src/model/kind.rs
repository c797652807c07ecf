//! What a value may be, before it is computed. A [`Kind`] is one sort of value, a set of [`Kinds`] is all that is known:
//! `x` is a coordinate, `x - y` some function, a parameter of a function of the language anything. The rows of the
//! questions are written in this language ([`Parameter`], [`OptionRow`], [`Part`], [`Gives`]), and everything that must
//! know what a question takes and gives reads it there: the number of arguments, conversions, unknown options and parts,
//! labels after `is`, signatures, `:type`, completion and the documentation.
//!
//! ```text
//! one("ξ", FIELD)                  an argument that is a vector field
//! many("K", SET)                   one or more sets
//! option("gauge", "φ", FUNCTION)   gauge = φ
//! Gives::Form("closed", 0, 1)      a closed form, of one degree more than the first argument
//! ```
//!
//! An argument is accepted when some kind that it may have is one that the place takes, so that nothing is said of what
//! is not known. What a place takes is more than its name: a Lagrangian stands for its function, a function is a form of
//! degree 0, zero is a field, a constraint is a set ([`Kinds::taken`]).

use super::value::Value;
use crate::diagnostic::Wanted;
use std::fmt;

/// One sort of value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The function 0, which is also a form of every degree and a field.
    Zero,
    Integer,
    Number,
    /// A coordinate, a jet, the time, a parameter: what can be differentiated by.
    Coordinate,
    /// A function of jets that is none of the above.
    Function,
    Form,
    Field,
    Matrix,
    List,
    Family,
    Point,
    Verdict,
    Rank,
    Label,
    Text,
    Set,
    Distribution,
    Codistribution,
    /// An answer with parts and no main value.
    Answer,
    Manifold,
    Space,
    System,
    Force,
    Constraint,
    Map,
    Section,
    /// The name of a family of coordinates or parameters.
    Names,
    /// An unspecified function without its arguments.
    Unspecified,
    /// A comparison that is not decided yet.
    Equation,
    Run,
    Series,
    Sweep,
}

use Kind as K;

/// All kinds, in their order.
const ALL: [Kind; 32] = [
    K::Zero,
    K::Integer,
    K::Number,
    K::Coordinate,
    K::Function,
    K::Form,
    K::Field,
    K::Matrix,
    K::List,
    K::Family,
    K::Point,
    K::Verdict,
    K::Rank,
    K::Label,
    K::Text,
    K::Set,
    K::Distribution,
    K::Codistribution,
    K::Answer,
    K::Manifold,
    K::Space,
    K::System,
    K::Force,
    K::Constraint,
    K::Map,
    K::Section,
    K::Names,
    K::Unspecified,
    K::Equation,
    K::Run,
    K::Series,
    K::Sweep,
];

/// The kinds that a value may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u64);

/// Whatever it is.
pub const ANY: Kinds = Kinds((1 << ALL.len()) - 1);
/// A function of jets, or a number.
pub const FUNCTION: Kinds = Kinds::of(&[K::Zero, K::Integer, K::Number, K::Coordinate, K::Function]);
pub const NUMBER: Kinds = Kinds::of(&[K::Number]);
pub const COORDINATE: Kinds = Kinds::of(&[K::Coordinate]);
/// An order, a degree or a count.
pub const INTEGER: Kinds = Kinds::of(&[K::Zero, K::Integer]);
pub const FORM: Kinds = Kinds::of(&[K::Form]);
pub const FIELD: Kinds = Kinds::of(&[K::Field]);
pub const MATRIX: Kinds = Kinds::of(&[K::Matrix]);
pub const LIST: Kinds = Kinds::of(&[K::List]);
pub const VECTOR: Kinds = Kinds::of(&[K::List, K::Matrix]);
pub const FAMILY: Kinds = Kinds::of(&[K::Family]);
pub const POINT: Kinds = Kinds::of(&[K::Point]);
pub const VERDICT: Kinds = Kinds::of(&[K::Verdict]);
pub const RANK: Kinds = Kinds::of(&[K::Rank]);
pub const LABEL: Kinds = Kinds::of(&[K::Label]);
pub const TEXT: Kinds = Kinds::of(&[K::Text]);
pub const SET: Kinds = Kinds::of(&[K::Set]);
pub const CODISTRIBUTION: Kinds = Kinds::of(&[K::Codistribution]);
pub const DISTRIBUTION: Kinds = Kinds::of(&[K::Distribution]);
/// A distribution, by fields or by forms.
pub const SUBSPACE: Kinds = Kinds::of(&[K::Distribution, K::Codistribution]);
pub const ANSWER: Kinds = Kinds::of(&[K::Answer]);
pub const SPACE: Kinds = Kinds::of(&[K::Manifold, K::Space]);
/// A Lagrangian, equations, a dynamical or Lepage form, or what is composed of them.
pub const SYSTEM: Kinds = Kinds::of(&[K::System]);
/// A declared Lagrangian, or its function.
pub const LAGRANGIAN: Kinds = SYSTEM.or(FUNCTION);
pub const FORCE: Kinds = Kinds::of(&[K::Force]);
pub const CONSTRAINT: Kinds = Kinds::of(&[K::Constraint]);
pub const MAP: Kinds = Kinds::of(&[K::Map]);
pub const SECTION: Kinds = Kinds::of(&[K::Section]);
pub const NAMES: Kinds = Kinds::of(&[K::Names]);
pub const EQUATION: Kinds = Kinds::of(&[K::Equation]);
/// Equations and inequations in any container, or expressions that are to vanish.
pub const EQUATIONS: Kinds =
    Kinds::of(&[K::Equation, K::List, K::Family, K::Matrix, K::Point, K::Form, K::Names, K::Set]).or(FUNCTION);
pub const RUN: Kinds = Kinds::of(&[K::Run]);
pub const SERIES: Kinds = Kinds::of(&[K::Series]);
pub const SWEEP: Kinds = Kinds::of(&[K::Sweep]);

impl Kinds {
    pub const fn of(kinds: &[Kind]) -> Kinds {
        let (mut bits, mut i) = (0, 0);
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u8;
            i += 1;
        }
        Kinds(bits)
    }

    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether nothing is known.
    pub const fn is_any(self) -> bool {
        self.0 == ANY.0
    }

    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    pub const fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Kind> {
        ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    /// What a place of these kinds takes: they, and what stands for them.
    pub fn taken(self) -> Kinds {
        let mut all = self;
        // A Lagrangian is its function, equations are their form; of a form of degree 0 there is a function.
        if self.meets(FUNCTION) {
            all = all.or(SYSTEM).or(FORM);
        }
        if self.meets(FORM) {
            all = all.or(FUNCTION).or(SYSTEM).or(FORCE);
        }
        if self.meets(FIELD) {
            all = all.or(Kinds::of(&[K::Zero]));
        }
        // A dynamical form is a system, and so is a Lepage 2-form.
        if self.meets(SYSTEM) {
            all = all.or(FORM);
        }
        if self.meets(SET) {
            all = all.or(CONSTRAINT);
        }
        all
    }

    /// The kinds of a value.
    pub fn of_value(value: &Value) -> Kinds {
        Kinds::of(&[match value.meant() {
            Value::Expr(e) if e.is_zero() => K::Zero,
            Value::Expr(e) if e.is_number() => match e.as_number().and_then(|n| n.to_i64()) {
                Some(_) => K::Integer,
                None => K::Number,
            },
            Value::Expr(e) if e.as_symbol().is_some() => K::Coordinate,
            Value::Expr(_) => K::Function,
            Value::Form(f) if f.degree() == 0 => return FUNCTION,
            Value::Form(_) => K::Form,
            Value::Field(_) => K::Field,
            Value::Matrix(_) => K::Matrix,
            // The only solution of an equation stands for itself.
            Value::List(_) if matches!(value, Value::Answer(a) if a.stands_for_only_entry) => return LIST.or(FUNCTION),
            Value::List(_) => K::List,
            Value::Family(_) => K::Family,
            Value::Point(_) => K::Point,
            Value::Verdict(_) => K::Verdict,
            Value::Rank(_) => K::Rank,
            Value::Label(_) => K::Label,
            Value::Text(_) | Value::Steps(_) | Value::Picture(_) => K::Text,
            Value::Set(_) => K::Set,
            Value::Distribution(_) => K::Distribution,
            Value::Codistribution(_) => K::Codistribution,
            Value::Answer(_) => K::Answer,
            Value::Manifold(_) => K::Manifold,
            Value::Space(_) => K::Space,
            Value::System(_) => K::System,
            Value::Force(_) => K::Force,
            Value::Constraint(_) => K::Constraint,
            Value::Map(_) => K::Map,
            Value::Section(_) => K::Section,
            Value::Indexed(_) => K::Names,
            Value::Unknown(_) => K::Unspecified,
            Value::Claim(_) => K::Equation,
            Value::Float(_) => return FUNCTION,
            Value::Run(_) => K::Run,
            Value::Series(_) => K::Series,
            Value::Sweep(_) => K::Sweep,
            Value::OnSpace(_) | Value::OnBranch(_) => return ANY,
        }])
    }

    /// The parts that every value of these kinds has; `None` where they are not known beforehand, as the columns of a run.
    pub fn natural_parts(self) -> Option<Vec<&'static str>> {
        const OPEN: Kinds = Kinds::of(&[K::Family, K::Point, K::Answer, K::Manifold, K::Names, K::Run, K::Sweep]);
        if self.is_any() || self.meets(OPEN) {
            return None;
        }
        Some(self.own_parts())
    }

    /// Those that they have whatever else there is, as the columns of a run.
    pub fn own_parts(self) -> Vec<&'static str> {
        let mut names = vec![];
        for (name, _) in self.iter().flat_map(Kind::parts) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// What the part of that name is.
    pub fn own_part(self, name: &str) -> Kinds {
        if self.is_any() {
            return ANY;
        }
        let found = self.iter().flat_map(Kind::parts).filter(|(part, _)| *part == name);
        found.map(|(_, kinds)| kinds).reduce(Kinds::or).unwrap_or(ANY)
    }

    /// The words that can be said of a value of these kinds with `is`; `None` where they are not known.
    pub fn natural_words(self) -> Option<Vec<&'static str>> {
        const OPEN: Kinds = Kinds::of(&[K::Label, K::Answer]);
        if self.is_any() || self.meets(OPEN) {
            return None;
        }
        Some(self.iter().flat_map(Kind::words).copied().collect())
    }

    /// How a value of these kinds is written, if that helps.
    pub fn written(self) -> Option<&'static str> {
        Some(match self {
            SYSTEM => "a Lagrangian, equations, a dynamical or Lepage form, or a system",
            LAGRANGIAN => "a Lagrangian is declared with `lagrangian L on J1(Y) = …`",
            POINT => "write it as `{ x = 1, x' = 2 }`",
            MATRIX => "write it as `[[a, b], [c, d]]`",
            VECTOR => "write it as `[a, b, c]`",
            FIELD => "the field ∂/∂x is `@x`",
            SPACE => "write `J1(Y)`, or the name of a manifold",
            MAP => "a map is declared with `map f : P -> Y { … }`",
            SET => "a set is declared with `submanifold K on J1(Y) { … }`",
            SUBSPACE => "what forms or fields span is `span(…)`",
            RUN => "make one with `let run = simulate S { … }`",
            _ => return None,
        })
    }
}

impl Kind {
    /// In the words of the language.
    pub fn name(self) -> &'static str {
        match self {
            K::Zero | K::Number => "number",
            K::Integer => "integer",
            K::Coordinate => "coordinate",
            K::Function => "function",
            K::Form => "form",
            K::Field => "vector field",
            K::Matrix => "matrix",
            K::List => "list",
            K::Family => "family",
            K::Point => "point",
            K::Verdict => "verdict",
            K::Rank => "rank",
            K::Label => "label",
            K::Text => "text",
            K::Set => "set",
            K::Distribution => "distribution",
            K::Codistribution => "codistribution",
            K::Answer => "answer",
            K::Manifold => "manifold",
            K::Space => "jet space",
            K::System => "system",
            K::Force => "force",
            K::Constraint => "constraint",
            K::Map => "map",
            K::Section => "section",
            K::Names => "family of names",
            K::Unspecified => "unspecified function",
            K::Equation => "comparison",
            K::Run => "run",
            K::Series => "series",
            K::Sweep => "sweep",
        }
    }

    /// The parts that every value of this kind has, and what they are.
    fn parts(self) -> Vec<(&'static str, Kinds)> {
        match self {
            K::Set => vec![
                ("branches", LIST),
                ("empty", VERDICT),
                ("dim", INTEGER),
                ("configuration", SET),
                ("locus", SET),
                ("equations", LIST),
                ("nonzero", LIST),
            ],
            K::Rank => vec![("values", LIST), ("strata", LIST)],
            K::Distribution | K::Codistribution => vec![
                ("forms", LIST),
                ("fields", LIST),
                ("rank", ANY),
                ("weakly_horizontal", SET),
                ("integrable", VERDICT),
                ("vertical", VERDICT),
                ("locus", SET),
            ],
            K::Run => super::run::PARTS.iter().map(|row| (row.name, row.kinds)).collect(),
            K::Series => crate::motion::series::PARTS.iter().map(|(name, _)| (*name, NUMBER)).collect(),
            K::Sweep => crate::motion::swept::PARTS.iter().map(|(name, _)| (*name, INTEGER)).collect(),
            _ => vec![],
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            K::Verdict | K::Equation => &["yes", "no", "unknown"],
            K::Set => &["empty"],
            K::Distribution | K::Codistribution => &["vertical", "integrable", "involutive"],
            K::Form => &["horizontal", "contact", "dynamical", "lepage", "closed"],
            K::Field => &["vertical", "projectable", "semispray"],
            K::System => &["closed"],
            K::Run => crate::motion::run::REASONS,
            _ => &[],
        }
    }
}

/// `system`, `vector field or matrix`, as it stands in a sentence.
impl Kinds {
    /// What these are called, one name for each alternative.
    fn names(self) -> Vec<&'static str> {
        if self.is_any() {
            return vec!["value"];
        }
        let whole = [(EQUATIONS, "system of equations"), (LAGRANGIAN, "Lagrangian"), (INTEGER, "integer")];
        let groups = [(FUNCTION, "function"), (SUBSPACE, "distribution"), (VECTOR, "vector")];
        if let Some((_, name)) = whole.iter().find(|(set, _)| *set == self) {
            return vec![name];
        }
        let (mut rest, mut names) = (self, vec![]);
        for (set, name) in groups.into_iter().filter(|(set, _)| set.within(self)) {
            rest = rest.without(set);
            names.push(name);
        }
        names.extend(rest.iter().map(Kind::name));
        names
    }

    /// Whether there is a choice between things of several names.
    pub fn has_alternatives(self) -> bool {
        self.names().len() > 1
    }

    /// For diagnostics: a form or a vector field, and nothing else.
    pub fn wanted(self) -> Option<Wanted> {
        [(FORM, Wanted::Form), (FIELD, Wanted::Field)].into_iter().find(|(kinds, _)| *kinds == self).map(|(_, w)| w)
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.names().as_slice() {
            [] => f.write_str("nothing"),
            [only] => f.write_str(only),
            [all @ .., last] => write!(f, "{} or {last}", all.join(", ")),
        }
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// `a form`, `an integer`.
pub fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// One argument of a question, by its place.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// As it stands in the signature: `S`, `ξ`, `J1(Y)`.
    pub name: &'static str,
    /// What is meant; [`Kinds::taken`] says what is taken for it.
    pub kinds: Kinds,
    pub presence: Presence,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    Once,
    Optional,
    /// One or more.
    Many,
    /// None or more.
    Rest,
}

/// `gauge = φ`.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    pub name: &'static str,
    /// The letter that stands for its value in the signature.
    pub letter: &'static str,
    pub kinds: Kinds,
    pub meaning: &'static str,
}

/// What stands after a dot.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub name: &'static str,
    pub kinds: Kinds,
    pub meaning: &'static str,
    /// The words of a label; empty for everything else.
    pub words: &'static [&'static str],
    /// Whether every answer has it.
    pub always: bool,
}

/// The main value of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    Kinds(Kinds),
    /// A form of this degree: `("lepage", 2)`.
    Degree(&'static str, u32),
    /// A form with this property, whose degree is that of an argument and a number.
    Form(&'static str, usize, i32),
    /// Something of the kind of an argument, with its degree.
    Like(usize),
    /// An argument, and with it its conditions, in other coordinates.
    Carried(usize),
    /// A field, and the highest derivatives of the coordinates, by jet.
    Accelerations,
    /// The right sides of first-order equations of motion, by coordinate and momentum.
    Motion,
    /// The same together with the equations of a first variation.
    Variation,
    /// None: the answer has parts only.
    Parts,
}

impl Gives {
    /// Whether the answer is something that can be run.
    pub fn is_motion(self) -> bool {
        matches!(self, Gives::Motion | Gives::Variation)
    }
}

pub const fn one(name: &'static str, kinds: Kinds) -> Parameter {
    Parameter { name, kinds, presence: Presence::Once }
}

pub const fn optional(name: &'static str, kinds: Kinds) -> Parameter {
    Parameter { name, kinds, presence: Presence::Optional }
}

pub const fn many(name: &'static str, kinds: Kinds) -> Parameter {
    Parameter { name, kinds, presence: Presence::Many }
}

pub const fn rest(name: &'static str, kinds: Kinds) -> Parameter {
    Parameter { name, kinds, presence: Presence::Rest }
}

pub const fn option(name: &'static str, letter: &'static str, kinds: Kinds, meaning: &'static str) -> OptionRow {
    OptionRow { name, letter, kinds, meaning }
}

pub const fn part(name: &'static str, kinds: Kinds, meaning: &'static str) -> Part {
    Part { name, kinds, meaning, words: &[], always: true }
}

/// A part that only some answers have.
pub const fn sometimes(name: &'static str, kinds: Kinds, meaning: &'static str) -> Part {
    Part { name, kinds, meaning, words: &[], always: false }
}

/// A part that is one of these words.
pub const fn label(name: &'static str, words: &'static [&'static str], meaning: &'static str) -> Part {
    Part { name, kinds: LABEL, meaning, words, always: true }
}

/// `S, gauge = φ`: what stands between the parentheses of a signature.
pub fn written(parameters: &[Parameter], options: &[OptionRow]) -> String {
    let parameters = parameters.iter().map(|p| match p.presence {
        Presence::Once | Presence::Optional => p.name.to_string(),
        Presence::Many | Presence::Rest => format!("{}, …", p.name),
    });
    let options = options.iter().map(|o| format!("{} = {}", o.name, o.letter));
    parameters.chain(options).collect::<Vec<_>>().join(", ")
}

/// The least and the greatest number of arguments; `None` where there is no end.
pub fn arity(parameters: &[Parameter]) -> (usize, Option<usize>) {
    let least = parameters.iter().filter(|p| matches!(p.presence, Presence::Once | Presence::Many)).count();
    let endless = parameters.iter().any(|p| matches!(p.presence, Presence::Many | Presence::Rest));
    (least, (!endless).then_some(parameters.len()))
}

/// The parameter that an argument belongs to.
pub fn parameter(parameters: &[Parameter], i: usize) -> Option<&Parameter> {
    let last = || parameters.last().filter(|p| matches!(p.presence, Presence::Many | Presence::Rest));
    parameters.get(i).or_else(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sets_and_say_their_names() {
        assert_eq!(FIELD.or(MATRIX).to_string(), "vector field or matrix");
        assert_eq!(FUNCTION.or(FORM).to_string(), "function or form");
        assert_eq!((SUBSPACE.to_string(), ANY.to_string()), ("distribution".into(), "value".into()));
        assert!(COORDINATE.within(FUNCTION) && !FIELD.taken().meets(COORDINATE));
        assert!(FIELD.taken().meets(FUNCTION), "a function may be zero, and zero is a field");
        assert!(FORM.taken().meets(SYSTEM) && SYSTEM.taken().meets(FORM) && !SYSTEM.taken().meets(FIELD));
    }

    #[test]
    fn the_signature_is_written_from_the_row() {
        let row = [one("eqs", EQUATIONS), rest("x", COORDINATE)];
        assert_eq!(written(&row, &[option("fork", "a", LIST, "")]), "eqs, x, …, fork = a");
        assert_eq!(arity(&row), (1, None));
        assert_eq!(arity(&[one("S", SYSTEM), optional("f", FUNCTION)]), (1, Some(2)));
        assert_eq!(parameter(&row, 7).map(|p| p.name), Some("x"));
        assert!(parameter(&row[..1], 1).is_none());
    }
}
