//! JSON of tables.

use super::Table;
use serde_json::Value;

/// A table of numbers as `{"columns": ["t", "x"], "rows": [[0, 1], …]}`; a value that is no number is null.
pub fn table(table: &Table) -> Value {
    let number = |x: f64| serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number);
    let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
    let row = |i: usize| table.columns().iter().map(|c| number(c.values[i])).collect::<Vec<_>>();
    serde_json::json!({"columns": names, "rows": (0..table.n_rows()).map(row).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_keeps_its_bits_and_has_null_for_no_number() {
        let value = super::table(&Table::new([("t", vec![0.1, f64::NAN])]));
        assert_eq!(value.to_string(), r#"{"columns":["t"],"rows":[[0.1],[null]]}"#);
    }
}
