//! What leaves the program: tables of numbers as text, CSV, JSON, NPY, NPZ and Parquet, plots in the terminal and
//! as SVG, and pages for a browser. Writers make bytes; who asked for them brings them to a file.
//!
//! The writers know nothing of mechanics: they take [`Rows`](rows::Rows) with named columns, of which a
//! [`Table`] in memory is one kind. Numbers are written so that they read back to the same bits.

pub mod animate;
pub mod axis;
pub mod braille;
pub mod csv;
pub mod json;
pub mod npy;
pub mod npz;
pub mod page;
#[cfg(feature = "arrow")]
pub mod parquet;
pub mod plot;
#[cfg(feature = "png")]
pub mod png;
pub mod provenance;
pub mod rows;
pub mod svg;
pub mod table;
pub mod thin;
pub mod typst;
pub mod wrap;

use crate::diagnostic::{Diagnostic, codes, suggest};
use std::path::Path;
pub use table::Table;

/// One way to write a table, chosen by the ending of the file name.
pub struct Format {
    pub ending: &'static str,
    /// `None` when this build does not have it.
    write: Option<rows::Write>,
    /// Whether the file has a place for what the table says about itself.
    pub describes_itself: bool,
}

#[cfg(feature = "arrow")]
const PARQUET: Option<rows::Write> = Some(parquet::write);
#[cfg(not(feature = "arrow"))]
const PARQUET: Option<rows::Write> = None;

const FORMATS: &[Format] = &[
    Format { ending: "csv", write: Some(csv::write), describes_itself: true },
    Format { ending: "json", write: Some(json::write), describes_itself: true },
    Format { ending: "npy", write: Some(npy::write), describes_itself: false },
    Format { ending: "npz", write: Some(npz::write), describes_itself: true },
    Format { ending: "parquet", write: PARQUET, describes_itself: true },
];

/// The format that the ending of a file name asks for, and its writer.
pub fn format(path: &Path) -> Result<(&'static Format, rows::Write), Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let Some(format) = FORMATS.iter().find(|w| w.ending == ending) else {
        let refused = match ending {
            "" => "the name of a table has an ending".to_string(),
            _ => format!("tables are not written as `.{ending}`"),
        };
        let near = suggest::nearest(ending, FORMATS.iter().map(|w| w.ending)).unwrap_or("csv");
        let endings: Vec<String> = FORMATS.iter().map(|f| format!(".{}", f.ending)).collect();
        return Err(Diagnostic::error(&codes::CANNOT_WRITE, refused)
            .note(format!("tables are written as {}", endings.join(", ")))
            .help(format!(
                "call the file `{}`",
                Path::new(path.file_name().unwrap_or_default()).with_extension(near).display()
            )));
    };
    match format.write {
        Some(write) => Ok((format, write)),
        None => {
            let title = format!("this build does not write `.{ending}` files");
            let refused = Diagnostic::missing_feature(&title, "arrow");
            Err(refused.help("or save to a `.csv`, `.json`, `.npy` or `.npz` file"))
        }
    }
}

/// Whether a file of this name is a picture, and whether this build draws it.
pub fn can_draw(path: &Path) -> Option<Result<(), Diagnostic>> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Some(Ok(())),
        Some("png") if cfg!(feature = "png") => Some(Ok(())),
        Some("png") => {
            let refused = Diagnostic::missing_feature("this build does not write `.png` files", "png");
            Some(Err(refused.help("or write an `.svg` file, which every browser shows")))
        }
        _ => None,
    }
}

/// A picture as the bytes of a file of this name.
pub fn drawn(picture: &plot::Plot, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let svg = picture.svg(svg::PAGE.0, svg::PAGE.1);
    match can_draw(path) {
        Some(Err(missing)) => Err(missing),
        #[cfg(feature = "png")]
        _ if path.extension().is_some_and(|ending| ending == "png") => {
            let refused =
                |why: String| Diagnostic::error(&codes::CANNOT_WRITE, "this picture cannot be drawn").note(why);
            png::png(&svg).map_err(refused)
        }
        _ => Ok(svg.into_bytes()),
    }
}

/// Whether a name ends like a table.
pub fn is_table(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str());
    FORMATS.iter().any(|format| Some(format.ending) == ending)
}

/// A table as the bytes of a file, in the format that the ending of its name asks for.
pub fn bytes(table: &Table, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let (_, write) = format(path)?;
    let mut out = vec![];
    let written = write(table, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    written.map_err(|trouble| {
        Diagnostic::error(&codes::CANNOT_WRITE, "this table cannot be written").note(trouble.reason)
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_ending_names_the_known_ones() {
        let refused = format(Path::new("disk.cvs")).err().expect("no table");
        assert_eq!(refused.code.name, "cannot_write");
        assert!(refused.helps[0].contains("disk.csv"), "{refused:?}");
    }

    #[test]
    #[cfg(not(feature = "png"))]
    fn a_picture_without_the_feature_names_it() {
        let refused = drawn(&plot::Plot::default(), Path::new("disk.png")).unwrap_err();
        assert_eq!(refused.code.name, "missing_feature");
        assert!(refused.helps[0].contains("--features png"), "{refused:?}");
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
