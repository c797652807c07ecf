//! What leaves the program: tables of numbers as text, CSV, JSON and NPY, and plots in the terminal and
//! as SVG. Writers make bytes; who asked for them brings them to a file.
//!
//! The writers know nothing of mechanics: they take a [`Table`] of named columns. Numbers are written
//! so that they read back to the same bits.

pub mod csv;
pub mod json;
pub mod npy;
#[cfg(feature = "arrow")]
pub mod parquet;
pub mod plot;
pub mod table;

use crate::diagnostic::{Diagnostic, codes, suggest};
use std::path::Path;
pub use table::Table;

/// One way to write a table, chosen by the ending of the file name.
struct Writer {
    ending: &'static str,
    write: fn(&Table) -> Result<Vec<u8>, Diagnostic>,
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

/// A table as the bytes of a file, in the format that the ending of its name asks for.
pub fn bytes(table: &Table, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let Some(writer) = WRITERS.iter().find(|w| w.ending == ending) else {
        let refused = match ending {
            "" => "the name of a table has an ending".to_string(),
            _ => format!("tables are not written as `.{ending}`"),
        };
        let near = suggest::nearest(ending, WRITERS.iter().map(|w| w.ending)).unwrap_or("csv");
        return Err(Diagnostic::error(&codes::CANNOT_WRITE, refused)
            .note("tables are written as .csv, .json, .npy or .parquet")
            .help(format!(
                "call the file `{}`",
                Path::new(path.file_name().unwrap_or_default()).with_extension(near).display()
            )));
    };
    (writer.write)(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_ending_names_the_known_ones() {
        let table = Table::new([("t", vec![0.0])]);
        let refused = bytes(&table, Path::new("disk.cvs")).unwrap_err();
        assert_eq!(refused.code.name, "cannot_write");
        assert!(refused.helps[0].contains("disk.csv"), "{refused:?}");
    }

    #[test]
    #[cfg(not(feature = "arrow"))]
    fn a_missing_feature_is_named() {
        let table = Table::new([("t", vec![0.0])]);
        let refused = bytes(&table, Path::new("disk.parquet")).unwrap_err();
        assert_eq!(refused.code.name, "missing_feature");
        assert!(refused.helps[0].contains("--features arrow"), "{refused:?}");
    }
}
