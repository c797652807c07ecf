//! JSON of tables: `{"metadata": {…}, "columns": ["t", "x"], "rows": [[0, 1], …]}`; a value that is no number is null.

use super::provenance::Provenance;
use super::rows::{BLOCK, Cell, File, Heading, Kind, Rows, Sink, Visitor, headings, no_table};
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

/// The table of a sweep in a file.
pub fn read(file: File<'_>) -> Result<Box<dyn Rows + '_>, Trouble> {
    let bytes = file.part(0, BLOCK)?;
    let head = rows_of(&bytes).ok_or_else(no_table)?;
    // The file as it were without rows.
    let text = [&bytes[..head], b"]}"].concat();
    let json: Value = serde_json::from_slice(&text).map_err(|_| no_table())?;
    let names = json["columns"].as_array().ok_or_else(no_table)?;
    let names: Option<Vec<String>> = names.iter().map(|name| name.as_str().map(str::to_string)).collect();
    let provenance = Provenance::read_json(&json["metadata"]).unwrap_or_default();
    let columns = headings(&names.ok_or_else(no_table)?);
    let mut stored = Stored { file, provenance, columns, head: head as u64, n_rows: 0 };
    let mut n_rows = 0;
    stored.each(&mut |_| {
        n_rows += 1;
        Ok(())
    })?;
    stored.n_rows = n_rows;
    Ok(Box::new(stored))
}

/// The table of a sweep in a file, which is read piece by piece.
struct Stored<'w> {
    file: File<'w>,
    provenance: Provenance,
    columns: Vec<Heading>,
    /// Where the rows begin.
    head: u64,
    n_rows: u64,
}

/// Where the list of the rows begins: behind the bracket that follows the name `rows` of the outermost object.
fn rows_of(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = end_of_text(bytes, at)?;
                if depth == 1 && &bytes[at..end] == b"\"rows\"" {
                    let bracket = bytes[end..].iter().position(|b| *b == b'[')?;
                    let between = &bytes[end..end + bracket];
                    return between.trim_ascii().eq(b":").then_some(end + bracket + 1);
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Behind the quote that ends the text which begins here.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

impl Rows for Stored<'_> {
    fn columns(&self) -> &[Heading] {
        &self.columns
    }

    fn n_rows(&self) -> u64 {
        self.n_rows
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        let mut at = self.head;
        loop {
            let bytes = self.file.part(at, BLOCK)?;
            let mut rest = bytes.as_slice();
            // Rows hold numbers and words, which have no brackets.
            while let Some(start) = rest.iter().position(|b| !(b.is_ascii_whitespace() || *b == b',')) {
                match rest[start] {
                    b']' => return Ok(()),
                    b'[' => {}
                    _ => return Err(no_table()),
                }
                let Some(end) = rest[start..].iter().position(|b| *b == b']') else { break };
                let row = std::str::from_utf8(&rest[start + 1..start + end]).map_err(|_| no_table())?;
                let entries = row.split(',').map(str::trim);
                let cells: Vec<Cell> = self.columns.iter().zip(entries).filter_map(|(c, e)| cell(c.kind, e)).collect();
                if cells.len() != self.columns.len() {
                    return Err(Trouble::because(format!("its row [{row}] is no row of this table")));
                }
                visit(&cells)?;
                rest = &rest[start + end + 1..];
            }
            if rest.len() == bytes.len() {
                return Err(Trouble::because("the file ends too early"));
            }
            at += (bytes.len() - rest.len()) as u64;
        }
    }
}

/// Numbers are read as the writer wrote them, to the same bits.
fn cell(kind: Kind, entry: &str) -> Option<Cell<'_>> {
    match kind {
        Kind::Number if entry == "null" => Some(Cell::Number(f64::NAN)),
        Kind::Number => entry.parse().ok().map(Cell::Number),
        Kind::Count => entry.parse().ok().map(Cell::Count),
        Kind::Word => entry.strip_prefix('"').and_then(|e| e.strip_suffix('"')).map(Cell::Word),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;
    #[test]
    fn a_table_keeps_its_bits_and_has_null_for_no_number() {
        let table = Table::new([("t", vec![0.1, f64::NAN])]);
        assert_eq!(to_bytes(write, &table), b"{\"columns\":[\"t\"],\"rows\":[[0.1],[null]]}\n");
        let table = table.with_provenance(Provenance::default().with("seed", "7"));
        let text = String::from_utf8(to_bytes(write, &table)).expect("text");
        assert!(text.starts_with("{\"metadata\":{\"seed\":\"7\"},\"columns\""), "{text}");
    }
}
