//! CSV: what the table says about itself in lines that begin with `#`, a header with the names, then one line per row,
//! numbers that read back to the same bits.

use super::rows::{Cell, Rows, Sink};
use super::table::exact;
use crate::world::Trouble;

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    sink(head(rows).as_bytes())?;
    let mut line = String::new();
    rows.each(&mut |cells| {
        line.clear();
        push_line(&mut line, cells);
        sink(line.as_bytes())
    })
}

/// Everything before the rows.
pub fn head(rows: &dyn Rows) -> String {
    let names: Vec<String> = rows.columns().iter().map(|c| field(&c.name)).collect();
    format!("{}{}\n", rows.provenance().comments(), names.join(","))
}

/// The line of a row.
pub fn push_line(out: &mut String, cells: &[Cell]) {
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match cell {
            Cell::Number(x) => out.push_str(&exact(*x)),
            Cell::Count(n) => out.push_str(&n.to_string()),
            Cell::Word(word) => out.push_str(word),
        }
    }
    out.push('\n');
}

/// A name, in quotes if it would be misread (RFC 4180).
fn field(name: &str) -> String {
    let misread = name.contains([',', '"', '\n', '\r']) || name.starts_with('#');
    if misread { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;
    use crate::report::provenance::Provenance;

    #[test]
    fn names_and_numbers_survive() {
        let table =
            Table::new([("t", vec![0.0, 0.1]), ("theta'", vec![1.0, f64::NAN]), ("a,\"b\"", vec![-1e-300, 2.0])]);
        let expected = "t,theta',\"a,\"\"b\"\"\"\n0.0,1.0,-1e-300\n0.1,nan,2.0\n";
        assert_eq!(to_bytes(write, &table), expected.as_bytes());
        let table = table.with_provenance(Provenance::default().with("method", "taylor"));
        assert_eq!(to_bytes(write, &table), format!("# method: taylor\n{expected}").as_bytes());
    }
}
