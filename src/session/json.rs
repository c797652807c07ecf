//! JSON. The line of a statement, as `lepage run --format json` writes it. Other programs drive Lepage
//! through this shape, so it is built here only, and described in `docs/json.md`.
//!
//! ```json
//! {"line": 9, "statement": "1/2 + 1/3", "status": "ok", "type": "expression", "verdict": "proved",
//!  "text": "5/6", "latex": "\\frac{5}{6}", "value": "5/6"}
//! {"line": 12, "statement": "normal_form(Q)", "status": "refused", "code": "E0611",
//!  "name": "constraints_dependent", "text": "these constraints are not independent"}
//! ```

use super::input::Unreadable;
use super::{Outcome, Status};
use serde_json::{Map, Value};

/// Counts changes of the shape that a reader of the lines could notice. New keys and new parts of
/// answers do not count; a key that changes its meaning or goes away does.
pub const SCHEMA: u32 = 1;

/// The object of one statement, in the order of keys in which it is written.
pub fn outcome(outcome: &Outcome) -> Value {
    outcome_of(outcome, None)
}

/// The same of one of several programs.
pub fn outcome_of(outcome: &Outcome, program: Option<&str>) -> Value {
    let mut object = Map::new();
    if let Some(program) = program {
        object.insert("program".into(), program.into());
    }
    object.insert("line".into(), outcome.line.into());
    object.insert("statement".into(), outcome.statement.as_str().into());
    object.insert("status".into(), status_word(outcome.status).into());
    if let Some(answer) = &outcome.answer {
        object.insert("type".into(), answer.type_name().into());
        if let Some(verdict) = answer.verdict() {
            object.insert("verdict".into(), verdict.into());
        }
        object.insert("text".into(), answer.text(usize::MAX).into());
        object.insert("latex".into(), answer.latex().into());
        object.insert("value".into(), answer.json());
        let conditions = answer.condition_texts();
        if !conditions.is_empty() {
            object.insert("conditions".into(), conditions.into());
        }
    }
    // What depends on a refused declaration carries a note instead of an error of its own.
    let reason = outcome.diagnostics.iter().find(|d| d.is_error()).or(outcome.diagnostics.first());
    if let Some(error) = reason.filter(|_| !outcome.held()) {
        object.insert("code".into(), error.code.to_string().into());
        object.insert("name".into(), error.code.name.into());
        object.insert("text".into(), error.title.as_str().into());
    }
    Value::Object(object)
}

/// The object of a program that cannot be read, among those of several.
pub fn unreadable(unreadable: &Unreadable) -> Value {
    let error = &unreadable.diagnostic;
    let mut object = Map::new();
    object.insert("program".into(), unreadable.program.as_str().into());
    object.insert("line".into(), 1.into());
    object.insert("statement".into(), "".into());
    object.insert("status".into(), status_word(Status::Refused).into());
    object.insert("code".into(), error.code.to_string().into());
    object.insert("name".into(), error.code.name.into());
    object.insert("text".into(), error.title.as_str().into());
    Value::Object(object)
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ok | Status::Declared => "ok",
        Status::Refused => "refused",
        Status::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Mode, Session, SessionOptions};

    #[test]
    fn a_refused_statement_names_its_line_and_its_code() {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("a.mech", "\n\nunknown_question(1)\n", Mode::File);
        let object = outcome(&outcomes[0]);
        assert_eq!(object["line"], 3);
        assert_eq!(object["statement"], "unknown_question(1)");
        assert_eq!(object["status"], "refused");
        assert!(object["code"].as_str().is_some_and(|c| c.starts_with('E')), "{object}");
    }
}
