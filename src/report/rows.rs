//! What the writers read: a table row by row, so that one that does not fit into memory can be written too.

use super::provenance::Provenance;
use crate::world::Trouble;

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
