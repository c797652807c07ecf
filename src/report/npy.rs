//! NPY, the array format of NumPy: one record per row, with the columns' names as field names, so
//! that `numpy.load("disk.npy")["theta'"]` is the column.
//!
//! The file is a magic string, a version, the length of the header, the header (a Python dictionary,
//! padded so that the data begin at a multiple of 64), and the numbers, little-endian, row by row.
//! Version 1 is used where the names are ASCII, version 3 (UTF-8) where they are not.

use super::provenance::Provenance;
use super::rows::{BLOCK, Cell, File, Heading, Kind, Rows, Sink, Visitor, WORD, no_table};
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

/// The table of a sweep in a file; the file beside it says what it is.
pub fn read(file: File<'_>) -> Result<Box<dyn Rows + '_>, Trouble> {
    let about = file.beside();
    let missing =
        |_| Trouble::because(format!("there is no `{}` beside it, which says what it is", about.path.display()));
    let text = about.part(0, BLOCK).map_err(missing)?;
    let json = serde_json::from_slice(&text).ok();
    let provenance = json.as_ref().and_then(Provenance::read_json).ok_or_else(no_table)?;
    let array = Array::read(&file, 0)?;
    Ok(Box::new(Stored { file, provenance, array }))
}

/// The head of an array: what stands in its records, how many there are, and where they begin.
pub struct Array {
    /// An array of one column has no name for it.
    pub columns: Vec<Heading>,
    /// The lengths of the entries of a record, in bytes.
    sizes: Vec<usize>,
    pub n_rows: u64,
    start: u64,
}

impl Array {
    pub fn read(file: &File, at: u64) -> Result<Array, Trouble> {
        let prefix = file.exactly(at, 12)?;
        if prefix[..6] != *b"\x93NUMPY" {
            return Err(no_table());
        }
        let (length, before) = match prefix[6] {
            1 => (u32::from(u16::from_le_bytes([prefix[8], prefix[9]])), 10),
            _ => (u32::from_le_bytes([prefix[8], prefix[9], prefix[10], prefix[11]]), 12),
        };
        let header = file.exactly(at + before, length as usize)?;
        let header = String::from_utf8(header).map_err(|_| no_table())?;
        let after = |key: &str| header.split_once(key).map(|(_, rest)| rest.trim_start());
        let descr = after("'descr':").ok_or_else(no_table)?;
        let texts = texts(descr.split("'fortran_order'").next().unwrap_or(descr));
        let names_and_types: Vec<(String, &String)> = match descr.starts_with('[') {
            true => texts.chunks_exact(2).map(|pair| (pair[0].clone(), &pair[1])).collect(),
            false => texts.iter().map(|kind| (String::new(), kind)).collect(),
        };
        let shape = after("'shape': (").ok_or_else(no_table)?;
        let digits: String = shape.chars().take_while(char::is_ascii_digit).collect();
        // An array of a single entry has no number of rows.
        let n_rows = if digits.is_empty() { 1 } else { digits.parse().map_err(|_| no_table())? };
        let (mut columns, mut sizes) = (vec![], vec![]);
        for (name, kind) in names_and_types {
            let (kind, size) = match kind.as_str() {
                "<f8" => (Kind::Number, 8),
                "<u8" => (Kind::Count, 8),
                word => {
                    let letters: Option<usize> = word.strip_prefix("<U").and_then(|n| n.parse().ok());
                    (Kind::Word, 4 * letters.ok_or_else(no_table)?)
                }
            };
            columns.push(Heading { name, kind });
            sizes.push(size);
        }
        Ok(Array { columns, sizes, n_rows, start: at + before + u64::from(length) })
    }

    fn record(&self) -> usize {
        self.sizes.iter().sum::<usize>().max(1)
    }

    /// Some records, each with its entries as bytes.
    pub fn records(&self, file: &File, from: u64, count: u64) -> Result<Vec<u8>, Trouble> {
        file.exactly(self.start + from * self.record() as u64, count as usize * self.record())
    }

    /// The words of some records, one for each column, empty where there is none.
    pub fn words(&self, record: &[u8]) -> Vec<String> {
        self.entries(record).map(|(kind, bytes)| if kind == Kind::Word { word(bytes) } else { String::new() }).collect()
    }

    /// The cells of a record.
    pub fn cells<'r>(&'r self, record: &'r [u8], words: &'r [String]) -> impl Iterator<Item = Cell<'r>> {
        self.entries(record).zip(words).map(|((kind, bytes), word)| {
            let eight: [u8; 8] = bytes.get(..8).and_then(|b| b.try_into().ok()).unwrap_or_default();
            match kind {
                Kind::Number => Cell::Number(f64::from_le_bytes(eight)),
                Kind::Count => Cell::Count(u64::from_le_bytes(eight)),
                Kind::Word => Cell::Word(word),
            }
        })
    }

    fn entries<'r>(&'r self, record: &'r [u8]) -> impl Iterator<Item = (Kind, &'r [u8])> {
        let mut at = 0;
        self.columns.iter().zip(&self.sizes).map(move |(column, size)| {
            let entry = &record[at..at + size];
            at += size;
            (column.kind, entry)
        })
    }
}

/// Letters of four bytes each, as far as they are not 0.
pub fn word(bytes: &[u8]) -> String {
    let letters = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    letters.take_while(|letter| *letter != 0).filter_map(char::from_u32).collect()
}

/// The string literals of a Python expression.
fn texts(python: &str) -> Vec<String> {
    let mut texts = vec![];
    let mut letters = python.chars();
    while let Some(quote) = letters.find(|c| matches!(c, '\'' | '"')) {
        let mut text = String::new();
        while let Some(c) = letters.next().filter(|c| *c != quote) {
            text.push(match c {
                '\\' => match letters.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some(c) => c,
                    None => break,
                },
                c => c,
            });
        }
        texts.push(text);
    }
    texts
}

/// The table of a sweep in a file, which is read piece by piece.
struct Stored<'w> {
    file: File<'w>,
    provenance: Provenance,
    array: Array,
}

impl Rows for Stored<'_> {
    fn columns(&self) -> &[Heading] {
        &self.array.columns
    }

    fn n_rows(&self) -> u64 {
        self.array.n_rows
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        let record = self.array.record();
        let at_once = (BLOCK / record).max(1) as u64;
        for from in (0..self.array.n_rows).step_by(at_once as usize) {
            let bytes = self.array.records(&self.file, from, at_once.min(self.array.n_rows - from))?;
            for record in bytes.chunks_exact(record) {
                let words = self.array.words(record);
                visit(&self.array.cells(record, &words).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }
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
