//! Words after `is`: `classify(L) is regular`, `v is yes`, `run is reached`.

use super::call::{self, Degree, Shape};
use crate::algebra::{Inquiry, Verdict};
use crate::diagnostic::Diagnostic;
use crate::model::compare::{natural_verdict, truth};
use crate::model::kind::*;
use crate::model::operate::describe;
use crate::model::value::{Fallible, Value};
use crate::questions;

/// `value is word`.
pub fn is_word(cx: &Inquiry, value: &Value, word: &str) -> Fallible<Verdict> {
    if let Some(verdict) = verdict_words(cx, value, word)? {
        return Ok(verdict);
    }
    match value {
        Value::Answer(answer) => {
            if let Some(part) = answer.get(cx, word) {
                return truth(cx, &part?);
            }
            if let Some(kind) = answer.get(cx, "kind")
                && let Value::Label(label) = kind?
                && questions::find(answer.question).is_some_and(|row| row.is_label(word))
            {
                return Ok(Verdict::from_bool(label == word, "the kind of the answer"));
            }
            match &answer.main {
                Some(main) => is_word(cx, main, word).map_err(|_| no_word(value, word)),
                None => Err(no_word(value, word)),
            }
        }
        Value::OnSpace(declared) => is_word(cx, &declared.value, word),
        Value::OnBranch(_) => is_word(cx, &value.main(), word),
        Value::Label(label) => Ok(Verdict::from_bool(*label == word, "the label")),
        other => match natural_verdict(cx, other, word)? {
            Some(verdict) => Ok(verdict),
            None => Err(no_word(value, word)),
        },
    }
}

fn no_word(value: &Value, word: &str) -> Box<Diagnostic> {
    // In the words of the row, if it is the answer to a question; of what it has, if the row is more generous.
    if let Some(d) = call::unknown_word(&of_value(value), word) {
        return Box::new(d);
    }
    let (subject, words): (String, Vec<&str>) = match value {
        Value::Answer(answer) => (format!("the answer to `{}`", answer.question), answer.part_names().collect()),
        other => (describe(other), vec![]),
    };
    Box::new(call::no_word(&subject, word, &words))
}

/// `v is yes`, `v is no`, `v is unknown`.
fn verdict_words(cx: &Inquiry, value: &Value, word: &str) -> Fallible<Option<Verdict>> {
    if !matches!(word, "yes" | "no" | "unknown") {
        return Ok(None);
    }
    let verdict = truth(cx, value)?;
    Ok(Some(match (word, &verdict) {
        ("unknown", v) => Verdict::from_bool(v.is_unknown(), "the verdict"),
        (_, Verdict::Unknown(why)) => Verdict::Unknown(why.clone()),
        ("yes", v) => v.clone(),
        (_, v) => v.clone().negate(),
    }))
}

/// What is known of a value.
pub fn of_value(value: &Value) -> Shape {
    let mut shape = Shape::new(Kinds::of_value(value));
    if let Value::Form(form) = value.meant() {
        shape.degree = Some(Degree { constant: form.degree() as i64, of: vec![] });
    }
    if let Value::Answer(answer) = value {
        // What is called as a question but is not the answer to one has parts of its own.
        shape.question = questions::find(answer.question);
        if answer.main.is_none() && shape.question.is_none_or(|q| q.gives != Gives::Parts) {
            return Shape::UNKNOWN;
        }
        if shape.question.is_none() {
            return Shape::UNKNOWN;
        }
    }
    shape
}
