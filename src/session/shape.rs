//! What is known of an expression before it is computed, from what is known of its parts: the kind, the degree of a form,
//! the question whose answer it is. What is not known is anything, so that nothing is said of it.

use super::term::{Call, Need, Repetition, Term, TermKind};
use crate::model::kind::*;
use crate::questions::call::{Degree, Shape};
use crate::questions::word::of_value;
use crate::syntax::ast::Name;
use std::rc::Rc;

/// The shape of a term; `of` is that of its parts, `local` that of a place in the frame.
pub fn infer(kind: &TermKind, in_function: bool, of: &dyn Fn(&Term) -> Shape, local: &dyn Fn(usize) -> Shape) -> Shape {
    let folded = |all: &mut dyn Iterator<Item = &Term>, by: fn(Shape, Shape) -> Shape| {
        all.map(of).reduce(by).unwrap_or(Shape::UNKNOWN)
    };
    match kind {
        TermKind::Number(n) if n.is_zero() => Shape::new(Kinds::of(&[Kind::Zero])),
        TermKind::Number(n) if n.to_i64().is_some() => Shape::new(Kinds::of(&[Kind::Integer])),
        TermKind::Number(_) => Shape::new(Kinds::of(&[Kind::Number])),
        TermKind::Text(_) => Shape::new(TEXT),
        TermKind::Pi => Shape::new(FUNCTION),
        TermKind::Symbol(_) => Shape::new(COORDINATE),
        TermKind::Differential(_) => Shape::form("", Degree { constant: 1, of: vec![] }),
        TermKind::Declared(declared) => of_value(&declared.value),
        TermKind::Unmade(unmade) => unmade.shape.clone(),
        TermKind::Local(place) => local(*place),
        TermKind::Primed { of: inner, .. } => match of(inner) {
            shape if shape.kinds.within(FUNCTION) => Shape::new(FUNCTION),
            // A name: something of the same kind.
            shape if is_named(inner) => shape.like(),
            _ => Shape::UNKNOWN,
        },
        TermKind::Partial(_) => Shape::new(FIELD),
        TermKind::Neg(inner) => of(inner).stands_for(),
        TermKind::Sum(terms) => folded(&mut terms.iter().map(|(_, t)| t), plus),
        TermKind::Product(factors) => folded(&mut factors.iter().map(|(_, t)| t), times),
        TermKind::Wedge(all) => folded(&mut all.iter(), wedge),
        TermKind::Power { base, exponent } => {
            let of_a_part = has_part(base);
            let (base, exponent) = (of(base), of(exponent));
            let functions = base.kinds.within(FUNCTION) && exponent.kinds.within(FUNCTION);
            // A parameter of a function that is not used otherwise is one.
            let is_local = in_function && base.kinds.is_any() && !of_a_part;
            if functions || is_local { Shape::new(FUNCTION) } else { Shape::UNKNOWN }
        }
        TermKind::Compare { .. } => Shape::new(EQUATION),
        TermKind::Is { .. } | TermKind::Not(_) | TermKind::Or(_) => Shape::new(VERDICT),
        // `Q1 and Q2` are asked about jointly.
        TermKind::And(all) if all.iter().all(|t| of(t).kinds.meets(CONSTRAINT)) => Shape::new(VERDICT.or(CONSTRAINT)),
        TermKind::And(_) => Shape::new(VERDICT),
        TermKind::Image { .. } => Shape::new(FIELD),
        TermKind::Composed { .. } => Shape::new(SYSTEM),
        TermKind::At { subject, .. } => match of(subject) {
            s if s.kinds.within(FUNCTION) => Shape::new(FUNCTION),
            s if s.kinds == FORM || s.kinds == FIELD => Shape { word: "", question: None, ..s },
            _ => Shape::UNKNOWN,
        },
        TermKind::Elementary { arguments, .. } => of_elementary(arguments, in_function, of),
        TermKind::Root(argument) => of_elementary(std::slice::from_ref(argument), in_function, of),
        TermKind::Unspecified { .. } | TermKind::Piecewise(_) | TermKind::Integral(_) => Shape::new(FUNCTION),
        TermKind::Jets { .. } => Shape::new(Kinds::of(&[Kind::Space])),
        TermKind::Ask(ask) => {
            let given: Vec<Shape> =
                ask.arguments.iter().filter(|(name, _)| name.is_none()).map(|(_, t)| of(t)).collect();
            Shape::of_answer(ask.row, &given)
        }
        TermKind::Call(call) => of_call(call, of),
        TermKind::Part { of: owner, key } => match &key.name {
            Name { text, primes: 0 } if !is_column(owner, text) => of(owner).part(text),
            Name { text, primes } if is_column(owner, &format!("{text}{}", "'".repeat(*primes as usize))) => {
                Shape::new(SERIES)
            }
            _ => Shape::UNKNOWN,
        },
        TermKind::Index { of: owner, .. } if of(owner).kinds.within(FORM.or(FIELD)) => Shape::new(FUNCTION),
        TermKind::List(_) => Shape::new(VECTOR),
        TermKind::Point(_) => Shape::new(POINT),
        TermKind::Tuple(_) | TermKind::Range { .. } => Shape::new(LIST),
        TermKind::Each(each) => match each.of {
            Repetition::List => Shape::new(VECTOR),
            _ => of(&each.body).stands_for(),
        },
        TermKind::Shared(_)
        | TermKind::Last
        | TermKind::Hole
        | TermKind::Index { .. }
        | TermKind::Member { .. }
        | TermKind::Entry { .. }
        | TermKind::Component { .. } => Shape::UNKNOWN,
    }
}

/// Whether that is a column of a run or of a sweep that is not made here.
fn is_column(owner: &Term, name: &str) -> bool {
    let TermKind::Unmade(unmade) = &owner.kind else { return false };
    unmade.columns.as_ref().is_some_and(|columns| columns.iter().any(|column| column == name))
}

fn is_named(term: &Term) -> bool {
    use TermKind::*;
    matches!(term.kind, Declared(_) | Unmade(_) | Symbol(_) | Local(_) | Last)
}

/// Of functions it is one; of a series of a run, which may stand behind what is not known, something of its kind.
fn of_elementary(arguments: &[Term], in_function: bool, of: &dyn Fn(&Term) -> Shape) -> Shape {
    let is_series = matches!(arguments, [only] if of(only).kinds.meets(SERIES) && (!in_function || has_part(only)));
    if is_series { Shape::UNKNOWN } else { Shape::new(FUNCTION) }
}

/// Whether parts of something stand in a formula, as `run.E` of a run that is given to a function.
fn has_part(term: &Term) -> bool {
    match &term.kind {
        TermKind::Part { .. } => true,
        TermKind::Neg(inner) => has_part(inner),
        TermKind::Sum(terms) => terms.iter().any(|(_, t)| has_part(t)),
        TermKind::Product(factors) => factors.iter().any(|(_, t)| has_part(t)),
        TermKind::Power { base, .. } => has_part(base),
        TermKind::Elementary { arguments, .. } => arguments.iter().any(has_part),
        _ => false,
    }
}

fn of_call(call: &Call, of: &dyn Fn(&Term) -> Shape) -> Shape {
    let Some(function) = call.callee.function() else { return Shape::UNKNOWN };
    let Some(body) = function.body() else { return Shape::UNKNOWN };
    let given: Vec<Shape> = call.arguments.iter().map(of).collect();
    let shape = with_arguments(body.gives.clone(), &function.parameters, &given);
    if call.primes > 0 { shape.like() } else { shape }
}

/// What the body of a function gives, with what its parameters have to be; degrees are those of the parameters.
pub fn of_body(body: &Term, parameters: &[Rc<str>], needs: &[Option<Need>]) -> Shape {
    let parameter = |(name, need): (&Rc<str>, &Option<Need>)| match need.map(|n| n.kinds) {
        Some(FORM) => Shape::form("", Degree { constant: 0, of: vec![name.clone()] }),
        Some(kinds) if kinds.within(FUNCTION) => Shape::new(FUNCTION),
        Some(kinds) => Shape::new(kinds),
        None => Shape::UNKNOWN,
    };
    let locals: Vec<Shape> = parameters.iter().zip(needs).map(parameter).collect();
    again(body, &locals)
}

/// The shape of a term with other shapes in the places of its frame.
fn again(term: &Term, locals: &[Shape]) -> Shape {
    let local = |place: usize| locals.get(place).cloned().unwrap_or(Shape::UNKNOWN);
    match &term.kind {
        TermKind::Last => term.shape.clone(),
        kind => infer(kind, true, &|t| again(t, locals), &local),
    }
}

impl Shape {
    /// What it is in a sum or product: the function of a Lagrangian, the form of a force.
    fn stands_for(self) -> Shape {
        let shape = Shape { question: None, labels: &[], ..self };
        match shape.kinds {
            k if k.is_any() => shape,
            k if k.within(FUNCTION) => Shape::new(FUNCTION),
            k if k.meets(SYSTEM.or(FORCE)) => Shape::new(k.without(SYSTEM.or(FORCE)).or(FUNCTION).or(FORM)),
            _ => shape,
        }
    }
}

/// Something of a known kind can only be added to its own kind, and zero to everything.
fn plus(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    match (left.kinds, right.kinds) {
        (a, b) if a.within(FUNCTION) && b.within(FUNCTION) => Shape::new(FUNCTION),
        (FORM, FORM) => {
            let word = if left.word == right.word { left.word } else { "" };
            Shape { word, degree: left.degree.or(right.degree), ..Shape::new(FORM) }
        }
        (FORM | FIELD, b) if b.is_any() => Shape { word: "", ..left },
        (a, FORM | FIELD) if a.is_any() => Shape { word: "", ..right },
        (a, b) if !a.meets(FUNCTION) && b.within(FUNCTION) => Shape { word: "", ..left },
        (a, b) if !b.meets(FUNCTION) && a.within(FUNCTION) => Shape { word: "", ..right },
        (a @ (FIELD | MATRIX | LIST | VECTOR | SERIES), b) if a == b => Shape::new(a),
        _ => Shape::UNKNOWN,
    }
}

fn times(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    let scaled = |shape: Shape| match shape.kinds {
        // Closedness is lost, what is linear over functions stays.
        FORM => Shape { word: if shape.word == "closed" { "" } else { shape.word }, ..shape },
        FIELD | MATRIX | LIST | VECTOR | SERIES => shape,
        _ => Shape::UNKNOWN,
    };
    match (left.kinds.within(FUNCTION), right.kinds.within(FUNCTION)) {
        (true, true) => Shape::new(FUNCTION),
        (true, false) => scaled(right),
        (false, true) => scaled(left),
        _ => Shape::UNKNOWN,
    }
}

fn wedge(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    match (left.known_degree(), right.known_degree()) {
        (Some(a), Some(b)) => {
            Shape::form("", Degree { constant: a.constant + b.constant, of: a.of.into_iter().chain(b.of).collect() })
        }
        _ if left.kinds == FORM || right.kinds == FORM => Shape::new(FORM),
        _ => Shape::UNKNOWN,
    }
}

/// The degrees of the arguments in the place of those of the parameters.
fn with_arguments(shape: Shape, parameters: &[Rc<str>], given: &[Shape]) -> Shape {
    let Some(degree) = &shape.degree else { return shape };
    let mut total = Degree { constant: degree.constant, of: vec![] };
    for name in &degree.of {
        let argument = parameters.iter().position(|p| p == name).and_then(|i| given.get(i));
        match argument.and_then(Shape::known_degree) {
            Some(degree) => {
                total.constant += degree.constant;
                total.of.extend(degree.of);
            }
            None => return Shape::new(FORM.or(FUNCTION)),
        }
    }
    Shape::form(shape.word, total)
}
