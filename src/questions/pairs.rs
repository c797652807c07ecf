//! stub

use super::Arguments;
use crate::model::value::{Fallible, Value};

pub(super) fn vector_field(a: &Arguments) -> Fallible<Option<Value>> {
    let system = a.system(0)?;
    if system.constraints.iter().any(|c| c.forms.is_some()) {
        return super::forces::vector_field(a, &system).map(Some);
    }
    Ok(None)
}
