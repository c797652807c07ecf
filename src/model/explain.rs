//! Derivations step by step, for `explain`.

use super::value::Value;
use crate::algebra::Inquiry;

/// The steps of an answer that keeps them, as text.
pub fn explanation(cx: &Inquiry, value: &Value) -> Option<String> {
    match value {
        Value::Answer(answer) => match answer.get(cx, "log")? {
            Ok(Value::Text(text)) => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}
