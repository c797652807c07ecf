//! The types of functions of the language. What `let f(η) = …` needs of its parameters is read off its body: an
//! argument of a question has the kind that the signature of the question names, a factor of `/\` is a form, what
//! stands in `sin(…)` or has a prime is a function. A call is checked against this before the body is entered, so
//! that a wrong argument is reported where it is written, beside the place that needs it.
//!
//! ```text
//! let work(ξ, η) = i(ξ, d(η))          work(ξ: vector field, η: form) -> form of degree deg(η)
//! ```

use super::operate::describe;
use super::result_type::Shape;
use super::scope::{Callable, Closure, Scope};
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, Value};
use crate::questions;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Factor, Name};

/// What a place in the body of a function needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A function of jets, or a number.
    Function,
    /// A form; functions are forms of degree 0.
    Form,
    Field,
    Coordinate,
    Set,
    Map,
    System,
    Distribution,
    Point,
    Matrix,
}

/// A need and the words that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    pub kind: Kind,
    pub span: Span,
}

/// How deep functions that call functions are followed.
const MAX_DEPTH: usize = 8;

/// What each parameter of the function has to be; `None` where the body takes anything.
pub fn needs(scope: &Scope, closure: &Closure) -> Fallible<Vec<Option<Need>>> {
    follow(scope, closure, MAX_DEPTH)
}

/// `work(ξ: vector field, η: form) -> form of degree deg(η)`.
pub fn describe_signature(scope: &Scope, closure: &Closure) -> String {
    let needs = needs(scope, closure).unwrap_or_else(|_| vec![None; closure.parameters.len()]);
    let parameter = |(name, need): (&std::rc::Rc<str>, &Option<Need>)| match need {
        Some(need) => format!("{name}: {}", need.kind.name()),
        None => name.to_string(),
    };
    let list: Vec<String> = closure.parameters.iter().zip(&needs).map(parameter).collect();
    let head = format!("{}({})", closure.name, list.join(", "));
    match super::result_type::result(scope, closure, &needs) {
        Shape::Unknown => head,
        shape => format!("{head} -> {shape}"),
    }
}

/// Refuses a call whose arguments are not what the body needs.
pub fn check_call(scope: &Scope, closure: &Closure, values: &[Value], spans: &[Span]) -> Fallible<()> {
    let needs = needs(scope, closure)?;
    for (i, need) in needs.iter().enumerate() {
        let (Some(need), Some(value)) = (need, values.get(i)) else { continue };
        if !need.kind.accepts(value) {
            let (name, wanted) = (&closure.parameters[i], need.kind.name());
            let d = Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!(
                        "`{}` takes {} for `{name}`, not {}",
                        closure.name,
                        article(wanted),
                        describe(&value.main())
                    ),
                )
                .label(spans[i], format!("this is {}", describe(&value.main())))
                .label(need.span, format!("{} is needed here", article(wanted)))
                .note(format!("its type is {}", describe_signature(scope, closure))),
            );
            // One edit cannot mend two arguments.
            let others = needs.iter().zip(values).skip(i + 1);
            let rest_fits = others.into_iter().all(|(n, v)| n.is_none_or(|n| n.kind.accepts(v)));
            return Err(if rest_fits { super::operate::mend_kind(d, value, spans[i]) } else { d });
        }
    }
    Ok(())
}

fn article(name: &str) -> String {
    format!("a {name}")
}

fn follow(scope: &Scope, closure: &Closure, depth: usize) -> Fallible<Vec<Option<Need>>> {
    let mut needs: Vec<Option<Need>> = vec![None; closure.parameters.len()];
    let ast = &closure.ast;
    let mut stack = vec![closure.body];
    while let Some(id) = stack.pop() {
        let mut demand = |of: ExprId, kind: Kind| -> Fallible<()> {
            let Some(Name { text, primes: 0 }) = ast.name(of) else { return Ok(()) };
            let Some(i) = closure.parameters.iter().position(|p| p == text) else { return Ok(()) };
            let span = ast.span(of);
            needs[i] = Some(match needs[i] {
                None => Need { kind, span },
                Some(old) => match old.kind.and(kind) {
                    Some(both) if both == old.kind => old,
                    Some(both) => Need { kind: both, span },
                    None => {
                        let (a, b) = (article(old.kind.name()), article(kind.name()));
                        return Err(Box::new(
                            Diagnostic::error(&codes::WRONG_KIND, format!("`{text}` cannot be {a} and {b}"))
                                .label(old.span, format!("{a} is needed here"))
                                .label(span, format!("{b} is needed here")),
                        ));
                    }
                },
            });
            Ok(())
        };
        match ast.kind(id) {
            ExprKind::Call { callee, arguments } => {
                if let Some(Name { text, .. }) = ast.name(*callee) {
                    for (argument, kind) in arguments.iter().zip(kinds_of(scope, text, arguments.len(), depth)) {
                        if let Some(kind) = kind {
                            demand(*argument, kind)?;
                        }
                    }
                }
                stack.extend(arguments.iter().rev());
                continue;
            }
            ExprKind::Wedge(all) => all.iter().try_for_each(|f| demand(*f, Kind::Form))?,
            ExprKind::Partial(of) => demand(*of, Kind::Coordinate)?,
            ExprKind::Power { exponent, .. } => demand(*exponent, Kind::Function)?,
            ExprKind::Product(factors) => {
                let over = factors.iter().filter(|(op, _)| *op == Factor::Over);
                over.into_iter().try_for_each(|(_, f)| demand(*f, Kind::Function))?;
            }
            _ => {}
        }
        let mut below = vec![];
        ast.operands(id, &mut below);
        stack.extend(below.into_iter().rev());
    }
    Ok(needs)
}

/// The kinds of the arguments of a function of the language, of an elementary function or of a question.
fn kinds_of(scope: &Scope, name: &str, n: usize, depth: usize) -> Vec<Option<Kind>> {
    if let Some(binding) = scope.functions.get(name) {
        return match &binding.callable {
            Callable::Unknown(_) => vec![Some(Kind::Function); n],
            Callable::Closure(inner) if depth > 0 => follow(scope, inner, depth - 1)
                .map(|needs| needs.into_iter().map(|need| need.map(|n| n.kind)).collect())
                .unwrap_or_default(),
            Callable::Closure(_) => vec![],
        };
    }
    if Elementary::find(name).is_some() || name == "sqrt" {
        // A series has a maximum, too.
        let of_series = matches!(name, "max" | "min" | "abs");
        return vec![(!of_series).then_some(Kind::Function); n];
    }
    let Some(question) = questions::find(name) else { return vec![] };
    let list = question.signature.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let mut kinds: Vec<Option<Kind>> = list.split(", ").map(Kind::of_letter).collect();
    // Questions that take more in a place than their signature names.
    let open = match name {
        "lie" => Some(1),
        "lift" | "prolong" | "tangent" | "simplify" | "latex" => Some(0),
        _ => None,
    };
    if let Some(kind) = open.and_then(|i| kinds.get_mut(i)) {
        *kind = None;
    }
    kinds
}

impl Kind {
    /// The kind that a letter of a signature stands for; letters that stand for several kinds demand nothing.
    fn of_letter(letter: &str) -> Option<Kind> {
        Some(match letter {
            "ξ" | "ζ" => Kind::Field,
            "η" => Kind::Form,
            "K" => Kind::Set,
            "map" => Kind::Map,
            "Δ" => Kind::Distribution,
            "S" | "L" | "N" => Kind::System,
            "pt" | "point" => Kind::Point,
            "M" | "T" | "P" => Kind::Matrix,
            "f" | "r" | "n" | "k" => Kind::Function,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Form => "form",
            Kind::Field => "vector field",
            Kind::Coordinate => "coordinate",
            Kind::Set => "set",
            Kind::Map => "map",
            Kind::System => "system",
            Kind::Distribution => "distribution",
            Kind::Point => "point",
            Kind::Matrix => "matrix",
        }
    }

    /// What is both, if something can be.
    fn and(self, other: Kind) -> Option<Kind> {
        use Kind::{Coordinate, Form, Function, System};
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Form, Function) | (Function, Form) => Some(Function),
            (Coordinate, Function | Form) | (Function | Form, Coordinate) => Some(Coordinate),
            // A Lagrangian is a function, equations are a form.
            (System, Function | Form) | (Function | Form, System) => Some(System),
            _ => None,
        }
    }

    fn accepts(self, value: &Value) -> bool {
        let value = value.main();
        let function = |v: &Value| super::operate::as_expr(v).is_ok();
        match self {
            Kind::Function => function(&value) || matches!(value, Value::Series(_) | Value::Matrix(_) | Value::List(_)),
            Kind::Form => super::operate::as_form(&value).is_ok() || matches!(value, Value::Matrix(_) | Value::List(_)),
            Kind::Field => super::operate::as_field(&value).is_ok(),
            Kind::Coordinate => super::operate::as_expr(&value).is_ok_and(|e| e.as_symbol().is_some()),
            Kind::Set => matches!(value, Value::Set(_) | Value::Constraint(_)),
            Kind::Map => matches!(value, Value::Map(_) | Value::Section(_)),
            Kind::System => matches!(value, Value::System(_) | Value::Form(_) | Value::Expr(_) | Value::Constraint(_)),
            Kind::Distribution => matches!(value, Value::Distribution(_) | Value::Codistribution(_)),
            Kind::Point => matches!(value, Value::Point(_)),
            Kind::Matrix => matches!(value, Value::Matrix(_) | Value::List(_)),
        }
    }
}
