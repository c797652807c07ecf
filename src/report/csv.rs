//! CSV: what the table says about itself in lines that begin with `#`, a header with the names, then one line per row,
//! numbers that read back to the same bits.

use super::provenance::Provenance;
use super::rows::{BLOCK, Cell, File, Heading, Kind, Rows, Sink, Visitor, headings, no_table};
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

/// The table of a sweep in a file.
pub fn read(file: File<'_>) -> Result<Box<dyn Rows + '_>, Trouble> {
    Ok(Box::new(Stored::open(file)?))
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

impl<'w> Stored<'w> {
    fn open(file: File<'w>) -> Result<Stored<'w>, Trouble> {
        let bytes = file.part(0, BLOCK)?;
        let text = String::from_utf8_lossy(&bytes);
        let (provenance, rest) = Provenance::read_comments(&text);
        let (names, after) = rest.split_once('\n').ok_or_else(no_table)?;
        let columns = headings(&split_names(names));
        let head = (text.len() - after.len()) as u64;
        let first: Option<u64> = after.lines().next().and_then(|l| l.split(',').next()).and_then(|n| n.parse().ok());
        let n_rows = match (first, last_row(&file, head)?) {
            (Some(first), Some((last, _))) => (last + 1).checked_sub(first).ok_or_else(no_table)?,
            _ => 0,
        };
        Ok(Stored { file, provenance, columns, head, n_rows })
    }

    /// The rows, block by block, each of whole lines.
    fn blocks(&self, visit: &mut dyn FnMut(&str) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let mut at = self.head;
        loop {
            let bytes = self.file.part(at, BLOCK)?;
            let Some(end) = bytes.iter().rposition(|b| *b == b'\n') else { return Ok(()) };
            at += end as u64 + 1;
            let text = std::str::from_utf8(&bytes[..=end]).map_err(|_| Trouble::because("it is not UTF-8 text"))?;
            visit(text)?;
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
        self.blocks(&mut |text| {
            for line in text.lines() {
                let mut cells: Vec<Cell> = Vec::with_capacity(self.columns.len());
                for (heading, entry) in self.columns.iter().zip(line.split(',')) {
                    cells.extend(match heading.kind {
                        Kind::Number => entry.parse().ok().map(Cell::Number),
                        Kind::Count => entry.parse().ok().map(Cell::Count),
                        Kind::Word => Some(Cell::Word(entry)),
                    });
                }
                if cells.len() != self.columns.len() {
                    return Err(Trouble::because(format!("its line `{line}` is no row of this table")));
                }
                visit(&cells)?;
            }
            Ok(())
        })
    }
}

/// The number of the last row of which the whole line is there, and where that line ends.
pub fn last_row(file: &File, head: u64) -> Result<Option<(u64, u64)>, Trouble> {
    let from = file.size().saturating_sub(BLOCK as u64).max(head);
    let bytes = file.part(from, BLOCK)?;
    let Some(end) = bytes.iter().rposition(|b| *b == b'\n') else { return Ok(None) };
    let start = bytes[..end].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let line = std::str::from_utf8(&bytes[start..end]).unwrap_or_default();
    let row = line.split(',').next().and_then(|n| n.parse().ok());
    match row {
        Some(row) => Ok(Some((row, from + end as u64 + 1))),
        None => Err(Trouble::because(format!("its line `{line}` is no row of a sweep"))),
    }
}

/// The names in the head of a file (RFC 4180).
fn split_names(line: &str) -> Vec<String> {
    let (mut names, mut name, mut quoted) = (vec![], String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => name.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(std::mem::take(&mut name)),
            c => name.push(c),
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;

    #[test]
    fn names_and_numbers_survive() {
        let table =
            Table::new([("t", vec![0.0, 0.1]), ("theta'", vec![1.0, f64::NAN]), ("a,\"b\"", vec![-1e-300, 2.0])]);
        let expected = "t,theta',\"a,\"\"b\"\"\"\n0.0,1.0,-1e-300\n0.1,nan,2.0\n";
        assert_eq!(to_bytes(write, &table), expected.as_bytes());
        let table = table.with_provenance(Provenance::default().with("method", "taylor"));
        assert_eq!(to_bytes(write, &table), format!("# method: taylor\n{expected}").as_bytes());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        assert_eq!(split_names("row,\"a,\"\"b\"\"\",theta'"), ["row", "a,\"b\"", "theta'"]);
    }
}
