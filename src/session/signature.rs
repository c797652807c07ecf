//! The types of functions of the language. What `let f(η) = …` needs of its parameters is read off its body: an
//! argument of a question has the kinds that the row of the question names, a factor of `/\` is a form, what stands in
//! `sin(…)` is a function. A call is checked against this before the body is entered, so that a wrong argument is
//! reported where it is written, beside the place that needs it.
//!
//! ```text
//! let work(ξ, η) = i(ξ, d(η))          work(ξ: vector field, η: form) -> form of degree deg(η)
//! ```

use super::term::{Body, Defined, Need, Term, TermKind};
use crate::algebra::Inquiry;
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::{self, *};
use crate::model::operate;
use crate::model::value::{Fallible, Value};
use crate::questions::call::{Given, fits};
use crate::source::Span;
use crate::syntax::ast::Factor;
use std::rc::Rc;

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

/// `work(ξ: vector field, η: form) -> form of degree deg(η)`.
pub fn describe(function: &Defined, body: &Body) -> String {
    let parameter = |(name, need): (&Rc<str>, &Option<Need>)| match need {
        // What is not said is a function, as numbers are.
        Some(need) if need.kinds != FUNCTION => format!("{name}: {}", need.kinds),
        _ => name.to_string(),
    };
    let list: Vec<String> = function.parameters.iter().zip(&body.needs).map(parameter).collect();
    let head = format!("{}({})", function.name, list.join(", "));
    if body.gives.kinds.is_any() { head } else { format!("{head} -> {}", body.gives) }
}

/// Refuses a call whose arguments turn out not to be what the body needs.
pub fn check_call(cx: &Inquiry, function: &Defined, body: &Body, values: &[Value], spans: &[Span]) -> Fallible<()> {
    let found: Vec<Given> = values.iter().zip(spans).map(|(value, span)| Given::value(value, *span)).collect();
    let mut wrong = check_given(function, body, &found).into_iter();
    let Some(first) = wrong.next() else { return Ok(()) };
    // One edit cannot mend two arguments.
    let place = spans.iter().position(|span| Some(*span) == first.primary()).filter(|_| wrong.next().is_none());
    let d = Box::new(first);
    Err(match place {
        Some(i) => operate::mend_kind(cx, d, &values[i], spans[i]),
        None => d,
    })
}

/// The arguments that cannot be what the body needs.
pub fn check_given(function: &Defined, body: &Body, given: &[Given]) -> Vec<Diagnostic> {
    let pairs = body.needs.iter().zip(given).enumerate();
    let wrong = pairs.filter_map(|(i, (need, given))| Some((i, need.filter(|n| !n.accepts(given))?, given)));
    wrong
        .map(|(i, need, given)| {
            let wanted = with_article(&need.kinds.to_string());
            let (name, found) = (&function.parameters[i], given.described());
            Diagnostic::error(
                &codes::WRONG_KIND,
                format!("`{}` takes {wanted} for `{name}`, not {found}", function.name),
            )
            .wanting(need.kinds.wanted())
            .label(given.span, format!("this is {found}"))
            .label(need.span, format!("{wanted} is needed here"))
            .note(format!("its type is {}", describe(function, body)))
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

/// What each parameter of a function with this body has to be; `None` where the body takes anything.
pub fn needs(body: &Term, parameters: &[Rc<str>]) -> Fallible<Vec<Option<Need>>> {
    let mut needs: Vec<Option<Need>> = vec![None; parameters.len()];
    let mut stack = vec![body];
    while let Some(term) = stack.pop() {
        for (of, kinds) in demands(term) {
            let TermKind::Local(i) = of.kind else { continue };
            let Some(place) = needs.get_mut(i) else { continue };
            let span = of.span;
            *place = Some(match *place {
                None => Need { kinds, span },
                Some(old) => match both(old.kinds, kinds) {
                    Some(both) if both == old.kinds => old,
                    Some(both) => Need { kinds: both, span },
                    None => {
                        let (a, b) = (with_article(&old.kinds.to_string()), with_article(&kinds.to_string()));
                        return Err(Box::new(
                            Diagnostic::error(&codes::WRONG_KIND, format!("`{}` cannot be {a} and {b}", parameters[i]))
                                .label(old.span, format!("{a} is needed here"))
                                .label(span, format!("{b} is needed here")),
                        ));
                    }
                },
            });
        }
        stack.extend(term.operands().into_iter().rev());
    }
    Ok(needs)
}

/// What a term needs its operands to be.
fn demands(term: &Term) -> Vec<(&Term, Kinds)> {
    match &term.kind {
        TermKind::Wedge(all) => all.iter().map(|f| (f, FORM)).collect(),
        TermKind::Partial(of) => vec![(of, COORDINATE)],
        TermKind::Power { exponent, .. } => vec![(exponent, FUNCTION)],
        TermKind::Product(factors) => {
            let over = factors.iter().filter(|(op, _)| *op == Factor::Over);
            over.map(|(_, f)| (f, FUNCTION)).collect()
        }
        TermKind::Unspecified { arguments, .. } => arguments.iter().map(|a| (a, FUNCTION)).collect(),
        // A series has a maximum, too.
        TermKind::Elementary { function: Elementary::Max | Elementary::Min | Elementary::Abs, .. } => vec![],
        TermKind::Elementary { arguments, .. } => arguments.iter().map(|a| (a, FUNCTION)).collect(),
        TermKind::Root(of) => vec![(of, FUNCTION)],
        TermKind::Ask(ask) => {
            let positional = ask.arguments.iter().filter(|(name, _)| name.is_none()).enumerate();
            let kinds = |i: usize| kind::parameter(ask.row.parameters, i).map(|p| p.kinds).filter(|k| !k.is_any());
            positional.filter_map(|(i, (_, argument))| Some((argument, kinds(i)?))).collect()
        }
        TermKind::Call(call) => {
            let Some(function) = call.callee.function() else { return vec![] };
            let needs = function.body().map_or(&[][..], |body| &body.needs);
            call.arguments.iter().zip(needs).filter_map(|(a, need)| Some((a, need.as_ref()?.kinds))).collect()
        }
        _ => vec![],
    }
}
