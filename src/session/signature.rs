//! The types of functions of the language. What `let f(η) = …` needs of its parameters is read off its body: an
//! argument of a question has the kinds that the row of the question names, a factor of `/\` is a form, what stands in
//! `sin(…)` is a function. A call is checked against this before the body is entered, so that a wrong argument is
//! reported where it is written, beside the place that needs it.
//!
//! ```text
//! let work(ξ, η) = i(ξ, d(η))          work(ξ: vector field, η: form) -> form of degree deg(η)
//! ```

use super::check;
use super::scope::{Callable, Closure, Scope};
use crate::algebra::Inquiry;
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::{self, *};
use crate::model::value::{Fallible, Value};
use crate::questions;
use crate::questions::call::{Given, fits};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Factor, Name};

/// What a place in the body of a function needs, and the words that need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    pub kinds: Kinds,
    pub span: Span,
}

impl Need {
    /// Whether something of these kinds may do; a vector stands for its components.
    fn accepts(&self, given: &Given) -> bool {
        let by_component = match self.kinds {
            kinds if kinds.meets(FUNCTION) => VECTOR.or(SERIES),
            kinds if kinds.meets(FORM.or(MATRIX)) => VECTOR,
            _ => Kinds::of(&[]),
        };
        fits(self.kinds, given) || given.kinds.meets(by_component)
    }
}

/// How deep functions that call functions are followed.
const MAX_DEPTH: usize = 8;

/// What each parameter of the function has to be; `None` where the body takes anything.
pub fn needs(scope: &Scope, closure: &Closure) -> Fallible<Vec<Option<Need>>> {
    follow(scope, closure, MAX_DEPTH)
}

/// `work(ξ: vector field, η: form) -> form of degree deg(η)`.
pub fn describe_signature(cx: &Inquiry, scope: &Scope, closure: &Closure) -> String {
    let scope = &*closure.scope(scope);
    let needs = needs(scope, closure).unwrap_or_else(|_| vec![None; closure.parameters.len()]);
    let parameter = |(name, need): (&std::rc::Rc<str>, &Option<Need>)| match need {
        Some(need) => format!("{name}: {}", need.kinds),
        None => name.to_string(),
    };
    let list: Vec<String> = closure.parameters.iter().zip(&needs).map(parameter).collect();
    let head = format!("{}({})", closure.name, list.join(", "));
    match check::shape(cx, scope, closure, &needs) {
        shape if shape.kinds.is_any() => head,
        shape => format!("{head} -> {shape}"),
    }
}

/// Refuses a call whose arguments are not what the body needs.
pub fn check_call(cx: &Inquiry, scope: &Scope, closure: &Closure, values: &[Value], spans: &[Span]) -> Fallible<()> {
    let needs = needs(scope, closure)?;
    let given: Vec<Given> =
        values.iter().zip(spans).map(|(value, span)| crate::questions::call::given(value, *span)).collect();
    let mut wrong = check_given(cx, scope, closure, &needs, &given).into_iter();
    let Some(first) = wrong.next() else { return Ok(()) };
    // One edit cannot mend two arguments.
    let place = spans.iter().position(|span| Some(*span) == first.primary()).filter(|_| wrong.next().is_none());
    let d = Box::new(first);
    Err(match place {
        Some(i) => crate::model::operate::mend_kind(cx, d, &values[i], spans[i]),
        None => d,
    })
}

/// The arguments that cannot be what the body needs.
pub fn check_given(
    cx: &Inquiry,
    scope: &Scope,
    closure: &Closure,
    needs: &[Option<Need>],
    given: &[Given],
) -> Vec<Diagnostic> {
    let pairs = needs.iter().zip(given).enumerate();
    let wrong = pairs.filter_map(|(i, (need, given))| Some((i, need.filter(|n| !n.accepts(given))?, given)));
    wrong
        .map(|(i, need, given)| {
            let wanted = with_article(&need.kinds.to_string());
            let (name, found) = (&closure.parameters[i], &given.described);
            Diagnostic::error(
                &codes::WRONG_KIND,
                format!("`{}` takes {wanted} for `{name}`, not {found}", closure.name),
            )
            .wanting(need.kinds.wanted())
            .label(given.span, format!("this is {found}"))
            .label(need.span, format!("{wanted} is needed here"))
            .note(format!("its type is {}", describe_signature(cx, scope, closure)))
        })
        .collect()
}

/// What is both, if something can be. Of a form and a function the function is both, and a Lagrangian is one too.
fn both(a: Kinds, b: Kinds) -> Option<Kinds> {
    let narrower = |a: Kinds, b: Kinds| a.within(b.taken()) && !a.meets(FORM);
    match a.and(b) {
        meet if !meet.is_none() => Some(meet),
        _ if narrower(a, b) => Some(a),
        _ if narrower(b, a) => Some(b),
        // A constraint is a set, and what both take; that zero is a field and a function is not meant.
        _ => Some(a.taken().and(b.taken()).without(Kinds::of(&[Kind::Zero]))).filter(|both| !both.is_none()),
    }
}

fn follow(scope: &Scope, closure: &Closure, depth: usize) -> Fallible<Vec<Option<Need>>> {
    let mut needs: Vec<Option<Need>> = vec![None; closure.parameters.len()];
    let ast = &closure.ast;
    let mut stack = vec![closure.body];
    while let Some(id) = stack.pop() {
        let mut demand = |of: ExprId, kinds: Kinds| -> Fallible<()> {
            let Some(Name { text, primes: 0 }) = ast.name(of) else { return Ok(()) };
            let Some(i) = closure.parameters.iter().position(|p| p == text) else { return Ok(()) };
            let span = ast.span(of);
            needs[i] = Some(match needs[i] {
                None => Need { kinds, span },
                Some(old) => match both(old.kinds, kinds) {
                    Some(both) if both == old.kinds => old,
                    Some(both) => Need { kinds: both, span },
                    None => {
                        let (a, b) = (with_article(&old.kinds.to_string()), with_article(&kinds.to_string()));
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
            ExprKind::Wedge(all) => all.iter().try_for_each(|f| demand(*f, FORM))?,
            ExprKind::Partial(of) => demand(*of, COORDINATE)?,
            ExprKind::Power { exponent, .. } => demand(*exponent, FUNCTION)?,
            ExprKind::Product(factors) => {
                let over = factors.iter().filter(|(op, _)| *op == Factor::Over);
                over.into_iter().try_for_each(|(_, f)| demand(*f, FUNCTION))?;
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
fn kinds_of(scope: &Scope, name: &str, n: usize, depth: usize) -> Vec<Option<Kinds>> {
    if let Some(binding) = scope.functions.get(name) {
        return match &binding.callable {
            Callable::Unknown(_) => vec![Some(FUNCTION); n],
            Callable::Closure(inner) if depth > 0 => follow(scope, inner, depth - 1)
                .map(|needs| needs.into_iter().map(|need| need.map(|n| n.kinds)).collect())
                .unwrap_or_default(),
            Callable::Closure(_) => vec![],
        };
    }
    if Elementary::find(name).is_some() || name == "sqrt" {
        // A series has a maximum, too.
        let of_series = matches!(name, "max" | "min" | "abs");
        return vec![(!of_series).then_some(FUNCTION); n];
    }
    let Some(row) = questions::find_written(name) else { return vec![] };
    let kinds = |i: usize| kind::parameter(row.parameters, i).map(|p| p.kinds).filter(|kinds| !kinds.is_any());
    (0..n).map(kinds).collect()
}
