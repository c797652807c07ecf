//! What a function of the language gives: read off its body, from what its parameters must be. Degrees are kept as
//! sums, because the parameters have none yet; the words are those of the types of forms.
//!
//! ```text
//! let work(ξ, η) = i(ξ, d(η))          work(ξ: vector field, η: form) -> form of degree deg(η)
//! let part(η) = p1(d(η))               part(η: form) -> 1-contact form of degree deg(η) + 1
//! ```

use super::scope::{Callable, Closure, Meaning, Scope};
use super::signature::{Kind, Need};
use crate::algebra::function::Elementary;
use crate::model::value::Value;
use crate::syntax::ast::{ExprId, ExprKind, Name};
use rustc_hash::FxHashMap;
use std::fmt;
use std::rc::Rc;

/// The type of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A function of jets, or a number.
    Function,
    Form {
        /// `closed`, `horizontal`, `contact`, …; empty if nothing follows from the body.
        word: &'static str,
        degree: Degree,
    },
    /// A field, a verdict, a set, …: the word for it.
    Other(&'static str),
    Unknown,
}

/// constant + Σ deg(parameter).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Degree {
    constant: i64,
    of: Vec<Rc<str>>,
}

/// The type of the value of the function, where it follows from the body.
pub fn result(scope: &Scope, closure: &Closure, needs: &[Option<Need>]) -> Shape {
    shape_of(scope, closure, needs, 8)
}

fn shape_of(scope: &Scope, closure: &Closure, needs: &[Option<Need>], depth: usize) -> Shape {
    let ast = &closure.ast;
    let mut known: FxHashMap<ExprId, Shape> = FxHashMap::default();
    let mut stack = vec![(closure.body, false)];
    // From the leaves up, without recursion: bodies may be deep.
    while let Some((id, ready)) = stack.pop() {
        let mut below = vec![];
        ast.operands(id, &mut below);
        if !ready && !below.is_empty() {
            stack.push((id, true));
            stack.extend(below.into_iter().map(|b| (b, false)));
            continue;
        }
        let shape = |of: &ExprId| known.get(of).cloned().unwrap_or(Shape::Unknown);
        let found = match ast.kind(id) {
            ExprKind::Number(_) => Shape::Function,
            ExprKind::Name(name) => name_shape(scope, closure, needs, name),
            ExprKind::Primed { of, .. } => shape(of),
            ExprKind::Partial(_) => Shape::Other("vector field"),
            ExprKind::Neg(of) => shape(of),
            ExprKind::Sum(terms) => terms.iter().map(|t| shape(&t.1)).reduce(Shape::plus).unwrap_or(Shape::Unknown),
            ExprKind::Product(factors) => {
                factors.iter().map(|f| shape(&f.1)).reduce(Shape::times).unwrap_or(Shape::Unknown)
            }
            ExprKind::Wedge(all) => all.iter().map(shape).reduce(Shape::wedge).unwrap_or(Shape::Unknown),
            ExprKind::Power { .. } => Shape::Function,
            ExprKind::Compare { .. } | ExprKind::Is { .. } | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => {
                Shape::Other("verdict")
            }
            ExprKind::At { subject, .. } => match shape(subject) {
                Shape::Form { degree, .. } => Shape::Form { word: "", degree },
                other => other,
            },
            ExprKind::List(_) => Shape::Other("list"),
            ExprKind::Point(_) => Shape::Other("point"),
            ExprKind::Call { callee, arguments } => match ast.name(*callee) {
                Some(Name { text, .. }) => {
                    let given: Vec<Shape> = arguments.iter().map(shape).collect();
                    call_shape(scope, text, &given, depth)
                }
                None => Shape::Unknown,
            },
            _ => Shape::Unknown,
        };
        known.insert(id, found);
    }
    known.remove(&closure.body).unwrap_or(Shape::Unknown)
}

fn name_shape(scope: &Scope, closure: &Closure, needs: &[Option<Need>], name: &Name) -> Shape {
    if let Some(i) = closure.parameters.iter().position(|p| *p == name.text) {
        return match needs.get(i).and_then(|n| n.as_ref()).map(|n| n.kind) {
            Some(Kind::Form) => Shape::Form { word: "", degree: Degree { constant: 0, of: vec![name.text.clone()] } },
            Some(Kind::Function | Kind::Coordinate) => Shape::Function,
            Some(kind) => Shape::Other(kind.name()),
            None => Shape::Unknown,
        };
    }
    match scope.value(&name.text).map(|b| &b.meaning) {
        Some(Meaning::Value(value)) => match value.main() {
            Value::Form(f) => Shape::form("", f.degree() as i64),
            Value::Field(_) => Shape::Other("vector field"),
            Value::Expr(_) => Shape::Function,
            Value::System(_) => Shape::Other("system"),
            _ => Shape::Unknown,
        },
        Some(_) => Shape::Function,
        // A coordinate, or the differential of one.
        None => match name.text.strip_prefix('d') {
            Some(rest) if !rest.is_empty() => Shape::form("", 1),
            _ => Shape::Function,
        },
    }
}

/// What a function of the language, an elementary function or a question of the calculus gives.
fn call_shape(scope: &Scope, name: &str, given: &[Shape], depth: usize) -> Shape {
    if let Some(binding) = scope.functions.get(name) {
        return match &binding.callable {
            Callable::Unknown(_) => Shape::Function,
            Callable::Closure(inner) if depth > 0 => {
                let needs = super::signature::needs(scope, inner).unwrap_or_default();
                shape_of(scope, inner, &needs, depth - 1).with_arguments(&inner.parameters, given)
            }
            Callable::Closure(_) => Shape::Unknown,
        };
    }
    if Elementary::find(name).is_some() || matches!(name, "sqrt" | "D" | "vel" | "jet") {
        return Shape::Function;
    }
    let degree = |i: usize| match given.get(i) {
        Some(Shape::Form { degree, .. }) => Some(degree.clone()),
        Some(Shape::Function) => Some(Degree { constant: 0, of: vec![] }),
        _ => None,
    };
    let form = |word: &'static str, i: usize, by: i64| match degree(i) {
        Some(d) => Shape::Form { word, degree: Degree { constant: d.constant + by, ..d } }.or_function(),
        None => Shape::Unknown,
    };
    match name {
        "d" => form("closed", 0, 1),
        "i" => form("", 1, -1),
        "h" => form("horizontal", 0, 0),
        "p" => form("contact", 0, 0),
        "p1" => form("1-contact", 0, 0),
        "p2" => form("2-contact", 0, 0),
        "pullback" | "lie" | "restrict" => match given.get(1) {
            Some(Shape::Form { degree, .. }) => Shape::Form { word: "", degree: degree.clone() },
            Some(other) => other.clone(),
            None => Shape::Unknown,
        },
        "lift" | "simplify" | "expand" | "factor" | "transform" => given.first().cloned().unwrap_or(Shape::Unknown),
        "omega" => Shape::form("contact", 1),
        "cartan" => Shape::form("lepage", 1),
        "euler_lagrange" | "dynamical_form" => Shape::form("dynamical", 2),
        "lepage" => Shape::form("lepage", 2),
        "bracket" | "prolong" | "vector_field" => Shape::Other("vector field"),
        "sum" | "det" | "energy" | "hamiltonian" | "subs" | "collect" | "noether" => Shape::Function,
        "list" => Shape::Other("list"),
        _ if name.starts_with("is_") => Shape::Other("verdict"),
        "equivalent" | "involutive" | "tangent" | "first_integral" | "symmetry" => Shape::Other("verdict"),
        "annihilator" | "characteristic" | "dynamical_distribution" => Shape::Other("distribution"),
        _ => Shape::Unknown,
    }
}

impl Shape {
    fn form(word: &'static str, degree: i64) -> Shape {
        Shape::Form { word, degree: Degree { constant: degree, of: vec![] } }
    }

    /// A form of degree 0 is a function.
    fn or_function(self) -> Shape {
        match &self {
            Shape::Form { degree, .. } if degree.of.is_empty() && degree.constant == 0 => Shape::Function,
            _ => self,
        }
    }

    fn plus(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Form { word: a, degree }, Shape::Form { word: b, .. }) => {
                Shape::Form { word: if a == b { a } else { "" }, degree }
            }
            // Something of a known kind can only be added to its own kind.
            (Shape::Unknown, known) | (known, Shape::Unknown) => known,
            (a, _) => a,
        }
    }

    fn times(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Function, Shape::Function) => Shape::Function,
            // Closedness is lost, what is linear over functions stays.
            (Shape::Function, Shape::Form { word, degree }) | (Shape::Form { word, degree }, Shape::Function) => {
                Shape::Form { word: if word == "closed" { "" } else { word }, degree }
            }
            (Shape::Function, other) | (other, Shape::Function) => other,
            _ => Shape::Unknown,
        }
    }

    fn wedge(self, other: Shape) -> Shape {
        let degree = |s: &Shape| match s {
            Shape::Form { degree, .. } => Some(degree.clone()),
            Shape::Function => Some(Degree { constant: 0, of: vec![] }),
            _ => None,
        };
        match (degree(&self), degree(&other)) {
            (Some(a), Some(b)) => {
                let of = a.of.into_iter().chain(b.of).collect();
                Shape::Form { word: "", degree: Degree { constant: a.constant + b.constant, of } }
            }
            _ => Shape::Unknown,
        }
    }

    /// The degrees of the arguments in the place of those of the parameters.
    fn with_arguments(self, parameters: &[Rc<str>], given: &[Shape]) -> Shape {
        let Shape::Form { word, degree } = self else { return self };
        let mut total = Degree { constant: degree.constant, of: vec![] };
        for name in degree.of {
            let argument = parameters.iter().position(|p| *p == name).and_then(|i| given.get(i));
            match argument {
                Some(Shape::Form { degree, .. }) => {
                    total.constant += degree.constant;
                    total.of.extend(degree.of.iter().cloned());
                }
                Some(Shape::Function) => {}
                _ => return Shape::Unknown,
            }
        }
        Shape::Form { word, degree: total }.or_function()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Shape::Function => f.write_str("function"),
            Shape::Other(word) => f.write_str(word),
            Shape::Unknown => f.write_str("what the arguments make of it"),
            Shape::Form { word, degree } => {
                if !word.is_empty() {
                    write!(f, "{word} ")?;
                }
                match (degree.of.as_slice(), degree.constant) {
                    ([], n) => write!(f, "{n}-form"),
                    (of, n) => {
                        let terms: Vec<String> = of.iter().map(|p| format!("deg({p})")).collect();
                        let rest = match n {
                            0 => String::new(),
                            n if n > 0 => format!(" + {n}"),
                            n => format!(" - {}", -n),
                        };
                        write!(f, "form of degree {}{rest}", terms.join(" + "))
                    }
                }
            }
        }
    }
}
