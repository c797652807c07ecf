//! NPY, the array format of NumPy: one record per row, with the columns' names as field names, so
//! that `numpy.load("disk.npy")["theta'"]` is the column.
//!
//! The file is a magic string, a version, the length of the header, the header (a Python dictionary,
//! padded so that the data begin at a multiple of 64), and the numbers, little-endian, row by row.
//! Version 1 is used where the names are ASCII, version 3 (UTF-8) where they are not.

use super::rows::{Cell, Kind, Rows, Sink, WORD};
use crate::world::Trouble;

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    let fields: Vec<String> =
        rows.columns().iter().map(|c| format!("({}, '{}')", quoted(&c.name), type_of(c.kind))).collect();
    sink(&head(&format!("[{}]", fields.join(", ")), Some(rows.n_rows())))?;
    let mut record = vec![];
    rows.each(&mut |cells| {
        record.clear();
        cells.iter().for_each(|cell| push(&mut record, cell));
        sink(&record)
    })
}

/// What NumPy calls the entries of a column.
pub fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Number => "<f8".to_string(),
        Kind::Count => "<u8".to_string(),
        Kind::Word => format!("<U{WORD}"),
    }
}

/// An entry as bytes. Words have four bytes for each letter, and zeros behind them.
pub fn push(out: &mut Vec<u8>, cell: &Cell) {
    match cell {
        Cell::Number(x) => out.extend_from_slice(&x.to_le_bytes()),
        Cell::Count(n) => out.extend_from_slice(&n.to_le_bytes()),
        Cell::Word(word) => {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0));
            letters.take(WORD).for_each(|letter| out.extend_from_slice(&letter.to_le_bytes()));
        }
    }
}

/// Everything before the entries of an array of so many rows; without a number, of a single entry.
pub fn head(descr: &str, rows: Option<u64>) -> Vec<u8> {
    let descr = if descr.starts_with('[') { descr.to_string() } else { format!("'{descr}'") };
    let rows = rows.map_or(String::new(), |rows| format!("{rows},"));
    // NumPy leaves room to write a longer number of rows in place.
    let room = " ".repeat(22usize.saturating_sub(rows.len()));
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({rows}), }}{room}");
    let long = !header.is_ascii() || header.len() > 60_000;
    let prefix = if long { 12 } else { 10 };
    // A newline ends the header.
    let padded = (prefix + header.len() + 1).next_multiple_of(64) - prefix;
    let mut out = b"\x93NUMPY".to_vec();
    out.extend_from_slice(if long { &[3, 0] } else { &[1, 0] });
    if long {
        out.extend_from_slice(&(padded as u32).to_le_bytes());
    } else {
        out.extend_from_slice(&(padded as u16).to_le_bytes());
    }
    out.extend_from_slice(header.as_bytes());
    out.resize(prefix + padded - 1, b' ');
    out.push(b'\n');
    out
}

/// A Python string literal as Python itself writes it: in single quotes unless only they occur.
fn quoted(name: &str) -> String {
    let quote = if name.contains('\'') && !name.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in name.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::super::rows::to_bytes;
    use super::*;
    use crate::report::Table;

    #[test]
    fn the_file_is_the_one_that_numpy_writes() {
        let table = Table::new([
            ("t", vec![0.0, 0.5, 1.0]),
            ("theta'", vec![1.0, -2.0, 1e-300]),
            ("a\"b", vec![-0.0, 1e300, f64::INFINITY]),
        ]);
        assert_eq!(to_bytes(write, &table), include_bytes!("../../tests/oracle/table.npy"));
    }

    #[test]
    fn greek_names_get_the_version_that_has_them() {
        let file = to_bytes(write, &Table::new([("θ", vec![1.0])]));
        assert_eq!(&file[..8], b"\x93NUMPY\x03\x00");
        assert_eq!((file.len() - 8) % 64, 0);
    }
}
