//! CSV: a header with the names, then one line per row, numbers that read back to the same bits.

use super::table::{Table, exact};

/// The whole file.
pub fn text(table: &Table) -> String {
    let mut out = table.columns().iter().map(|c| field(&c.name)).collect::<Vec<_>>().join(",");
    out.push('\n');
    for row in 0..table.n_rows() {
        for (i, column) in table.columns().iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&exact(column.values[row]));
        }
        out.push('\n');
    }
    out
}

/// A name, in quotes if it would be misread (RFC 4180).
fn field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_survive() {
        let table =
            Table::new([("t", vec![0.0, 0.1]), ("theta'", vec![1.0, f64::NAN]), ("a,\"b\"", vec![-1e-300, 2.0])]);
        assert_eq!(text(&table), "t,theta',\"a,\"\"b\"\"\"\n0.0,1.0,-1e-300\n0.1,nan,2.0\n");
    }
}
