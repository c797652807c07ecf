//! CSV: what the table says about itself in lines that begin with `#`, a header with the names, then one line per row,
//! numbers that read back to the same bits. What can be said only when the rows are there, stands in such lines behind them.

use super::provenance::Provenance;
use super::rows::{BLOCK, Cell, File, Heading, Kind, Rows, Sink, Visitor, headings, no_table};
use super::table::exact;
use crate::world::Trouble;
use std::ops::Range;

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
    /// Where the rows begin, and where they end.
    rows: Range<u64>,
    n_rows: u64,
}

impl<'w> Stored<'w> {
    fn open(file: File<'w>) -> Result<Stored<'w>, Trouble> {
        let bytes = file.part(0, BLOCK)?;
        let text = String::from_utf8_lossy(&bytes);
        let (mut provenance, rest) = Provenance::read_comments(&text);
        let (names, after) = rest.split_once('\n').ok_or_else(no_table)?;
        let columns = headings(&split_names(names));
        let head = (text.len() - after.len()) as u64;
        let (behind, end) = behind(&file, head)?;
        for (key, value) in behind.entries() {
            provenance = provenance.with(key, value);
        }
        let first: Option<u64> = after.lines().next().and_then(|l| l.split(',').next()).and_then(|n| n.parse().ok());
        let n_rows = match (first, last_row(&file, head..end)?) {
            (Some(first), Some(last)) => (last + 1).checked_sub(first).ok_or_else(no_table)?,
            _ => 0,
        };
        Ok(Stored { file, provenance, columns, rows: head..end, n_rows })
    }
}

/// The whole lines in a part of a file, block by block.
fn blocks(file: &File, rows: &Range<u64>, visit: &mut dyn FnMut(&[u8]) -> Result<(), Trouble>) -> Result<(), Trouble> {
    let mut at = rows.start;
    loop {
        let bytes = file.part(at, BLOCK.min(rows.end.saturating_sub(at) as usize))?;
        let Some(end) = bytes.iter().rposition(|b| *b == b'\n') else { return Ok(()) };
        at += end as u64 + 1;
        visit(&bytes[..=end])?;
    }
}

/// The cells of a line, if it is a row of a table with these columns.
fn cells<'l>(columns: &[Heading], line: &'l str) -> Option<Vec<Cell<'l>>> {
    let mut entries = line.split(',');
    let read = |heading: &Heading| {
        let entry = entries.next()?;
        match heading.kind {
            Kind::Number => entry.parse().ok().map(Cell::Number),
            Kind::Count => entry.parse().ok().map(Cell::Count),
            Kind::Word => Some(Cell::Word(entry)),
        }
    };
    let cells: Option<Vec<Cell>> = columns.iter().map(read).collect();
    cells.filter(|_| entries.next().is_none())
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
        blocks(&self.file, &self.rows, &mut |bytes| {
            let text = std::str::from_utf8(bytes).map_err(|_| Trouble::because("it is not UTF-8 text"))?;
            text.lines().try_for_each(|line| match cells(&self.columns, line) {
                Some(cells) => visit(&cells),
                None => Err(Trouble::because(format!("its line `{line}` is no row of this table"))),
            })
        })
    }
}

/// Of a file that grows: the number of the last of the rows that follow each other from `next` on, and where its line ends. What
/// stands behind it, such as a line of which only a part was written, is no part of the table.
pub fn rows_there(file: &File, columns: &[Heading], head: u64, next: u64) -> Result<(u64, u64), Trouble> {
    let (mut row, mut at, mut is_whole) = (next, head, true);
    blocks(file, &(head..file.size()), &mut |bytes| {
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let text = std::str::from_utf8(line).ok().and_then(|line| line.strip_suffix('\n'));
            let first = text.and_then(|text| cells(columns, text)?.first().copied());
            is_whole &= first == Some(Cell::Count(row + 1));
            if is_whole {
                row += 1;
                at += line.len() as u64;
            }
        }
        Ok(())
    })?;
    Ok((row, at))
}

/// What is said behind the rows, and where they end.
fn behind(file: &File, head: u64) -> Result<(Provenance, u64), Trouble> {
    let size = file.size();
    let from = size.saturating_sub(BLOCK as u64).max(head);
    let bytes = file.part(from, BLOCK)?;
    let mut end = bytes.len();
    while let Some(lines) = bytes[..end].strip_suffix(b"\n") {
        let start = lines.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        if !lines[start..].starts_with(b"#") || (start == 0 && from > head) {
            break;
        }
        end = start;
    }
    let text = std::str::from_utf8(&bytes[end..]).unwrap_or_default();
    let at = if text.starts_with('#') { from + end as u64 } else { size };
    Ok((Provenance::read_comments(text).0, at))
}

/// The number of the last row in a part of a file.
fn last_row(file: &File, rows: Range<u64>) -> Result<Option<u64>, Trouble> {
    let from = rows.end.saturating_sub(BLOCK as u64).max(rows.start);
    let bytes = file.part(from, (rows.end - from) as usize)?;
    let Some(end) = bytes.iter().rposition(|b| *b == b'\n') else { return Ok(None) };
    let start = bytes[..end].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let line = std::str::from_utf8(&bytes[start..end]).unwrap_or_default();
    match line.split(',').next().and_then(|n| n.parse().ok()) {
        Some(row) => Ok(Some(row)),
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
    use super::super::rows::{lines, to_bytes};
    use super::*;
    use crate::report::Table;
    use crate::world::{Memory, World};
    use std::path::Path;

    #[test]
    fn names_and_numbers_survive() {
        let table =
            Table::new([("t", vec![0.0, 0.1]), ("theta'", vec![1.0, f64::NAN]), ("a,\"b\"", vec![-1e-300, 2.0])]);
        let expected = "t,theta',\"a,\"\"b\"\"\"\n0.0,1.0,-1e-300\n0.1,nan,2.0\n";
        assert_eq!(to_bytes(write, &table), expected.as_bytes());
        let table = table.with_provenance(Provenance::default().with("method", "taylor"));
        assert_eq!(to_bytes(write, &table), format!("# method: taylor\n{expected}").as_bytes());
    }

    /// A beginning of a table ends where its lines stop to be its next rows: a torn line, zeros that were never written over, a
    /// row that is left out, one that has too much.
    #[test]
    fn a_table_that_grew_is_read_as_far_as_it_is_one() {
        let world = Memory::default();
        let columns = headings(&["row".to_string(), "x".to_string(), "status".to_string()]);
        let there = |bytes: &[u8]| {
            world.write(Path::new("t.csv"), &[b"head\n", bytes].concat()).expect("memory can be written");
            rows_there(&File::new(&world, "t.csv"), &columns, 5, 2).expect("memory can be read")
        };
        let good = b"3,0.5,reached\n4,nan,blow_up\n";
        let end = 5 + good.len() as u64;
        let behind: [&[u8]; 8] = [
            b"",
            b"5,0.",
            b"\0\0\0\0\0\0\n5,0.5,reached\n",
            b"6,0.5,reached\n",
            b"4,0.5,reached\n5,0.5,reached\n",
            b"5,0.5,reached,1\n6,0.5,reached\n",
            b"5,half,reached\n",
            b"# digest: blake3:00\n",
        ];
        for rest in behind {
            assert_eq!(there(&[good, rest].concat()), (4, end), "{rest:?}");
        }
        assert_eq!(there(b""), (2, 5));
    }

    #[test]
    fn what_is_said_behind_the_rows_is_read() {
        let world = Memory::default();
        let text = "# lepage: 1\nrow,x,status\n7,0.5,reached\n8,1.0,reached\n# digest: blake3:00\n";
        world.write(Path::new("t.csv"), text.as_bytes()).expect("memory can be written");
        let table = read(File::new(&world, "t.csv")).expect("a table");
        assert_eq!((table.n_rows(), table.provenance().get("digest")), (2, Some("blake3:00")));
        assert_eq!(lines(&*table), ["7,0.5,reached", "8,1.0,reached"]);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        assert_eq!(split_names("row,\"a,\"\"b\"\"\",theta'"), ["row", "a,\"b\"", "theta'"]);
    }
}
