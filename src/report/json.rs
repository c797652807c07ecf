//! JSON of tables: `{"metadata": {…}, "columns": ["t", "x"], "rows": [[0, 1], …]}`; a value that is no number is null.

use super::rows::{Cell, Rows, Sink};
use crate::world::Trouble;
use serde_json::Value;

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    let names: Vec<&str> = rows.columns().iter().map(|c| c.name.as_str()).collect();
    let provenance = match rows.provenance().is_empty() {
        true => String::new(),
        false => format!("\"metadata\":{},", rows.provenance().json()),
    };
    sink(format!("{{{provenance}\"columns\":{},\"rows\":[", serde_json::json!(names)).as_bytes())?;
    let mut first = true;
    rows.each(&mut |cells| {
        let row: Vec<Value> = cells.iter().map(value).collect();
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        sink(format!("{comma}{}", Value::Array(row)).as_bytes())
    })?;
    sink(b"]}\n")
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Number(x) => serde_json::Number::from_f64(*x).map_or(Value::Null, Value::Number),
        Cell::Count(n) => (*n).into(),
        Cell::Word(word) => (*word).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;
    use crate::report::provenance::Provenance;

    #[test]
    fn a_table_keeps_its_bits_and_has_null_for_no_number() {
        let table = Table::new([("t", vec![0.1, f64::NAN])]);
        assert_eq!(to_bytes(write, &table), b"{\"columns\":[\"t\"],\"rows\":[[0.1],[null]]}\n");
        let table = table.with_provenance(Provenance::default().with("seed", "7"));
        let text = String::from_utf8(to_bytes(write, &table)).expect("text");
        assert!(text.starts_with("{\"metadata\":{\"seed\":\"7\"},\"columns\""), "{text}");
    }
}
