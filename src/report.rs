//! What leaves the program: tables of numbers as text, CSV, JSON, NPY, NPZ and Parquet, plots in the terminal and
//! as SVG, and pages for a browser. Writers make bytes; who asked for them brings them to a file. Tables of sweeps are read
//! back, in every format, to go on with them and to put them together.
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
use crate::world::Trouble;
use std::path::Path;
pub use table::Table;

/// One way to write a table, chosen by the ending of the file name.
pub struct Format {
    pub ending: &'static str,
    /// `None` when this build does not have it.
    write: Option<rows::Write>,
    read: Option<rows::Read>,
    /// Whether the file has a place for what the table says about itself.
    pub describes_itself: bool,
    /// Whether a table grows in this format, row by row: it is finished as it stands.
    pub grows: bool,
}

#[cfg(feature = "arrow")]
const PARQUET: (Option<rows::Write>, Option<rows::Read>) = (Some(parquet::write), Some(parquet::read));
#[cfg(not(feature = "arrow"))]
const PARQUET: (Option<rows::Write>, Option<rows::Read>) = (None, None);

const FORMATS: &[Format] = &[
    Format { ending: "csv", write: Some(csv::write), read: Some(csv::read), describes_itself: true, grows: true },
    Format { ending: "json", write: Some(json::write), read: Some(json::read), describes_itself: true, grows: false },
    Format { ending: "npy", write: Some(npy::write), read: Some(npy::read), describes_itself: false, grows: false },
    Format { ending: "npz", write: Some(npz::write), read: Some(npz::read), describes_itself: true, grows: false },
    Format { ending: "parquet", write: PARQUET.0, read: PARQUET.1, describes_itself: true, grows: false },
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

/// The table of a sweep in a file, in the format that the ending of its name says.
pub fn open(file: rows::File<'_>) -> Result<Box<dyn rows::Rows + '_>, Trouble> {
    let ending = file.path.extension().and_then(|e| e.to_str()).unwrap_or("").to_string();
    match FORMATS.iter().find(|f| f.ending == ending).map(|f| f.read) {
        Some(Some(read)) => read(file),
        Some(None) => Err(Trouble::because(format!("this build does not read `.{ending}` files"))),
        None => Err(rows::no_table()),
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
    use crate::report::rows::Rows as _;
    use crate::world::World;

    /// A sweep of three rows, of which one failed.
    struct Rows {
        columns: Vec<rows::Heading>,
        about: provenance::Provenance,
        n_rows: u64,
    }

    impl rows::Rows for Rows {
        fn columns(&self) -> &[rows::Heading] {
            &self.columns
        }

        fn n_rows(&self) -> u64 {
            self.n_rows
        }

        fn provenance(&self) -> &provenance::Provenance {
            &self.about
        }

        fn each(&self, visit: &mut rows::Visitor) -> Result<(), Trouble> {
            use rows::Cell::{Count, Number, Word};
            let values = [-0.1, f64::NAN, 5e-324];
            let words = ["reached", "not_finite", "event"];
            (0..self.n_rows).try_for_each(|i| {
                let k = i as usize % 3;
                visit(&[Count(i + 7), Number(values[k]), Number(1e300 * i as f64), Word(words[k])])
            })
        }
    }

    #[test]
    fn every_format_reads_back_what_it_writes() {
        let names = ["row", "a,\"b\"", "θ'", "status"].map(String::from);
        let about = provenance::Provenance::default().with("rows", "40").with("sweep", "S over θ' in [\"1\", 2]");
        // The largest has more rows than are read at a time.
        for n_rows in [0, 3, 30_000] {
            let table = Rows { columns: rows::headings(&names), about: about.clone(), n_rows };
            for format in FORMATS {
                let (Some(write), Some(read)) = (format.write, format.read) else { continue };
                let world = crate::world::Memory::default();
                let path = Path::new("table").with_extension(format.ending);
                world.write(&path, &rows::to_bytes(write, &table)).expect("memory can be written");
                if !format.describes_itself {
                    let text = about.json().to_string();
                    world.write(&provenance::beside(&path), text.as_bytes()).expect("memory can be written");
                }
                let back = read(rows::File::new(&world, &path)).unwrap_or_else(|t| panic!("{}: {t:?}", format.ending));
                assert_eq!((back.n_rows(), back.columns()), (n_rows, table.columns()), "{}", format.ending);
                assert_eq!(back.provenance(), &about, "{}", format.ending);
                assert!(rows::lines(&*back) == rows::lines(&table), "{}", format.ending);
                // A file that was cut off is no table.
                let bytes = world.read(&path).expect("it was written");
                world.write(&path, &bytes[..bytes.len() * 2 / 3]).expect("memory can be written");
                let cut = read(rows::File::new(&world, &path)).and_then(|back| back.each(&mut |_| Ok(())));
                assert!(cut.is_err() || format.ending == "csv" || n_rows == 0, "{}", format.ending);
            }
        }
    }

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
