//! What leaves the program: tables of numbers as text, CSV, JSON and NPY, and plots in the terminal and
//! as SVG. Writers make bytes; who asked for them brings them to a file.
//!
//! The writers know nothing of mechanics: they take a [`Table`] of named columns. Numbers are written
//! so that they read back to the same bits.

pub mod animate;
pub mod axis;
pub mod braille;
pub mod csv;
pub mod json;
pub mod npy;
#[cfg(feature = "arrow")]
pub mod parquet;
pub mod plot;
pub mod svg;
pub mod table;
pub mod thin;
pub mod wrap;

use crate::diagnostic::{Diagnostic, codes, suggest};
use std::path::Path;
pub use table::Table;

/// One way to write a table, chosen by the ending of the file name.
pub struct Writer {
    ending: &'static str,
    pub write: fn(&Table) -> Result<Vec<u8>, Diagnostic>,
}

const WRITERS: &[Writer] = &[
    Writer { ending: "csv", write: |table| Ok(csv::text(table).into_bytes()) },
    Writer { ending: "json", write: |table| Ok(format!("{}\n", json::table(table)).into_bytes()) },
    Writer { ending: "npy", write: |table| Ok(npy::bytes(table)) },
    Writer { ending: "parquet", write: parquet_bytes },
];

#[cfg(feature = "arrow")]
fn parquet_bytes(table: &Table) -> Result<Vec<u8>, Diagnostic> {
    let refused = |why: ::parquet::errors::ParquetError| {
        Diagnostic::error(&codes::CANNOT_WRITE, "this table cannot be written as `.parquet`").note(why.to_string())
    };
    parquet::bytes(table).map_err(refused)
}

#[cfg(not(feature = "arrow"))]
fn parquet_bytes(_: &Table) -> Result<Vec<u8>, Diagnostic> {
    let refused = Diagnostic::missing_feature("this build does not write `.parquet` files", "arrow");
    Err(refused.help("or save to a `.csv`, `.json` or `.npy` file"))
}

/// The writer that the ending of the name of a file asks for.
pub fn writer(path: &Path) -> Result<&'static Writer, Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let found = WRITERS.iter().find(|w| w.ending == ending);
    found.ok_or_else(|| {
        let refused = match ending {
            "" => "the name of a table has an ending".to_string(),
            _ => format!("tables are not written as `.{ending}`"),
        };
        let near = suggest::nearest(ending, WRITERS.iter().map(|w| w.ending)).unwrap_or("csv");
        let name = Path::new(path.file_name().unwrap_or_default()).with_extension(near);
        Diagnostic::error(&codes::CANNOT_WRITE, refused)
            .note("tables are written as .csv, .json, .npy or .parquet")
            .help(format!("call the file `{}`", name.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_ending_names_the_known_ones() {
        let refused = writer(Path::new("disk.cvs")).err().expect("no table");
        assert_eq!(refused.code.name, "cannot_write");
        assert!(refused.helps[0].contains("disk.csv"), "{refused:?}");
    }

    #[test]
    #[cfg(not(feature = "arrow"))]
    fn a_missing_feature_is_named() {
        let table = Table::new([("t", vec![0.0])]);
        let refused = writer(Path::new("disk.parquet")).and_then(|w| (w.write)(&table)).unwrap_err();
        assert_eq!(refused.code.name, "missing_feature");
        assert!(refused.helps[0].contains("--features arrow"), "{refused:?}");
    }
}
