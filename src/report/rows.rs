//! What the writers read and the readers give: a table row by row, so that one that does not fit into memory can be written
//! and read too.

use super::provenance::Provenance;
use crate::world::{Trouble, World};
use std::path::PathBuf;

/// An entry of a table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell<'a> {
    Number(f64),
    /// A number of things, such as the number of a row.
    Count(u64),
    /// A word such as `reached`, without commas, quotes and line ends.
    Word(&'a str),
}

/// What stands in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    Count,
    /// At most [`WORD`] letters.
    Word,
}

/// The longest word of a table, in letters.
pub const WORD: usize = 16;

/// The head of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heading {
    pub name: String,
    pub kind: Kind,
}

/// Where the bytes of a file go, in their order.
pub type Sink<'a> = dyn FnMut(&[u8]) -> Result<(), Trouble> + 'a;

/// Who is given the cells of a row.
pub type Visitor<'a> = dyn FnMut(&[Cell]) -> Result<(), Trouble> + 'a;

/// A table that can be read as often as needed, from its first row to its last.
pub trait Rows {
    fn columns(&self) -> &[Heading];

    fn n_rows(&self) -> u64;

    fn provenance(&self) -> &Provenance;

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble>;
}

/// A function from a table to the bytes of a file.
pub type Write = fn(&dyn Rows, &mut Sink) -> Result<(), Trouble>;

/// A function from a file to the table in it.
pub type Read = for<'w> fn(File<'w>) -> Result<Box<dyn Rows + 'w>, Trouble>;

/// A file that is read piece by piece.
#[derive(Clone)]
pub struct File<'w> {
    world: &'w dyn World,
    pub path: PathBuf,
}

/// Bytes that are read at a time; no head and no row is longer.
pub const BLOCK: usize = 1 << 20;

impl<'w> File<'w> {
    pub fn new(world: &'w dyn World, path: impl Into<PathBuf>) -> File<'w> {
        File { world, path: path.into() }
    }

    pub fn size(&self) -> u64 {
        self.world.size(&self.path).unwrap_or(0)
    }

    /// At most so many bytes.
    pub fn part(&self, from: u64, length: usize) -> Result<Vec<u8>, Trouble> {
        self.world.read_part(&self.path, from, length)
    }

    /// So many bytes, neither more nor fewer.
    pub fn exactly(&self, from: u64, length: usize) -> Result<Vec<u8>, Trouble> {
        let bytes = self.part(from, length)?;
        if bytes.len() == length { Ok(bytes) } else { Err(Trouble::because("the file ends too early")) }
    }

    /// The file that describes a table which has no place for that.
    pub fn beside(&self) -> File<'w> {
        File { world: self.world, path: super::provenance::beside(&self.path) }
    }
}

/// The columns of a sweep, in files that do not say what stands in a column: the number of the row, numbers, and how the
/// run ended.
pub fn headings(names: &[String]) -> Vec<Heading> {
    let last = names.len().saturating_sub(1);
    let kind = |i: usize| match i {
        0 => Kind::Count,
        i if i == last => Kind::Word,
        _ => Kind::Number,
    };
    names.iter().enumerate().map(|(i, name)| Heading { name: name.clone(), kind: kind(i) }).collect()
}

/// The refusal of a file that holds no such table.
pub fn no_table() -> Trouble {
    Trouble::because("this is not a table of a sweep")
}

/// The whole file of a table in memory.
#[cfg(test)]
pub fn to_bytes(write: Write, rows: &dyn Rows) -> Vec<u8> {
    let mut out = vec![];
    let written = write(rows, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    written.expect("memory can be written");
    out
}

/// The rows of a table in a file, as CSV has them.
#[cfg(test)]
pub fn lines(rows: &dyn Rows) -> Vec<String> {
    let mut lines = vec![];
    let read = rows.each(&mut |cells| {
        let mut line = String::new();
        super::csv::push_line(&mut line, cells);
        lines.push(line.trim_end().to_string());
        Ok(())
    });
    read.expect("the rows can be read");
    lines
}
