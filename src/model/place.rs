//! Where a value lives. Answers about a constrained system are functions, forms and fields on the constraint: what is written
//! down is one of many expressions with the same restriction, and a comparison has to be made there. A sum or a product of such
//! values lives there too, and so does what is rewritten. Derivatives do not: those of two expressions that agree on a set may
//! differ on it.

use super::value::{OnBranch, Value};
use std::rc::Rc;

/// The set on which a value lives, if it was said.
pub fn of(value: &Value) -> Option<Rc<OnBranch>> {
    match value {
        Value::OnBranch(along) => Some(along.clone()),
        Value::OnSpace(declared) => of(&declared.value),
        Value::Answer(answer) => answer.main.as_ref().and_then(of),
        _ => None,
    }
}

/// Where all of these live: on the smaller of two sets of which one contains the other by its equations, else on the first.
pub fn common<'a>(values: impl IntoIterator<Item = &'a Value>) -> Option<Rc<OnBranch>> {
    values.into_iter().filter_map(of).reduce(|first, next| {
        let (a, b) = (&first.branch.equations, &next.branch.equations);
        if b.len() > a.len() && a.iter().all(|e| b.contains(e)) { next } else { first }
    })
}

/// A value that was made of others, where they live.
pub fn put(place: Option<Rc<OnBranch>>, value: Value) -> Value {
    let Some(place) = place else { return value };
    match &value {
        Value::Expr(e) if e.is_number() => value,
        Value::Expr(_) | Value::Form(_) | Value::Field(_) | Value::Matrix(_) => place.with(value),
        Value::List(items) => Value::list(items.iter().map(|v| put(Some(place.clone()), v.clone()))),
        _ => value,
    }
}

/// A rewritten value where the old one lives, entry by entry.
pub fn like(old: &Value, new: Value) -> Value {
    match (&old.main(), &new) {
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            Value::list(a.iter().zip(b.iter()).map(|(a, b)| like(a, b.clone())))
        }
        (Value::Family(a), Value::Family(b)) => {
            let entries = b.entries.iter().map(|(key, v)| {
                (key.clone(), a.entries.get(key).map_or_else(|| v.clone(), |old| like(old, v.clone())))
            });
            Value::Family(Rc::new(super::value::Family { entries: entries.collect() }))
        }
        _ => put(of(old), new),
    }
}
