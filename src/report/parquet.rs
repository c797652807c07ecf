//! Parquet, the columns of data frames: required columns of doubles, whole numbers or words, uncompressed, a row group for
//! every [`GROUP`] rows. Reads back to the same bits. Only in builds with the feature `arrow`.

use super::provenance::Provenance;
use super::rows::{Cell, File, Heading, Kind, Rows, Sink, Visitor, no_table};
use crate::world::Trouble;
use bytes::Bytes;
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows in memory at the same time.
const GROUP: usize = 1 << 16;

/// Bytes on their way to the file: those of one group at most.
#[derive(Clone, Default)]
struct Held(Arc<Mutex<Vec<u8>>>);

impl Held {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Entries of one column.
enum Entries {
    Numbers(Vec<f64>),
    Counts(Vec<i64>),
    Words(Vec<ByteArray>),
}

fn trouble(why: ParquetError) -> Trouble {
    Trouble::because(why.to_string())
}

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    let held = Held::default();
    let mut file = begun(rows, held.clone()).map_err(trouble)?;
    let empty = || -> Vec<Entries> {
        let entries = |kind: Kind| match kind {
            Kind::Number => Entries::Numbers(vec![]),
            Kind::Count => Entries::Counts(vec![]),
            Kind::Word => Entries::Words(vec![]),
        };
        rows.columns().iter().map(|c| entries(c.kind)).collect()
    };
    let (mut group, mut n_rows) = (empty(), 0);
    rows.each(&mut |cells| {
        for (entries, cell) in group.iter_mut().zip(cells) {
            match (entries, cell) {
                (Entries::Numbers(list), Cell::Number(x)) => list.push(*x),
                (Entries::Counts(list), Cell::Count(n)) => list.push(*n as i64),
                (Entries::Words(list), Cell::Word(word)) => list.push(ByteArray::from(*word)),
                _ => return Err(Trouble::because("a column has entries of two kinds")),
            }
        }
        n_rows += 1;
        if n_rows == GROUP {
            n_rows = 0;
            put(&mut file, &std::mem::replace(&mut group, empty())).map_err(trouble)?;
            sink(&held.take())?;
        }
        Ok(())
    })?;
    if n_rows > 0 || rows.n_rows() == 0 {
        put(&mut file, &group).map_err(trouble)?;
    }
    file.close().map_err(trouble)?;
    sink(&held.take())
}

/// A file of these columns, without rows.
fn begun(rows: &dyn Rows, held: Held) -> Result<SerializedFileWriter<Held>, ParquetError> {
    let field = |name: &str, kind: Kind| {
        let column = match kind {
            Kind::Number => Type::primitive_type_builder(name, Physical::DOUBLE),
            Kind::Count => Type::primitive_type_builder(name, Physical::INT64),
            Kind::Word => {
                Type::primitive_type_builder(name, Physical::BYTE_ARRAY).with_converted_type(ConvertedType::UTF8)
            }
        };
        column.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let fields = rows.columns().iter().map(|c| field(&c.name, c.kind)).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let provenance: Vec<KeyValue> =
        rows.provenance().entries().map(|(key, value)| KeyValue::new(key.to_string(), value.to_string())).collect();
    let properties = WriterProperties::builder().set_created_by("lepage".to_string());
    let properties = properties.set_key_value_metadata(Some(provenance).filter(|m| !m.is_empty())).build();
    SerializedFileWriter::new(held, Arc::new(schema), Arc::new(properties))
}

fn put(file: &mut SerializedFileWriter<Held>, columns: &[Entries]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for entries in columns {
        let Some(mut writer) = group.next_column()? else { continue };
        match entries {
            Entries::Numbers(list) => writer.typed::<DoubleType>().write_batch(list, None, None)?,
            Entries::Counts(list) => writer.typed::<Int64Type>().write_batch(list, None, None)?,
            Entries::Words(list) => writer.typed::<ByteArrayType>().write_batch(list, None, None)?,
        };
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

/// The table of a sweep in a file. The bytes of the file are in memory while it is open.
pub fn read(file: File<'_>) -> Result<Box<dyn Rows + '_>, Trouble> {
    let size = usize::try_from(file.size()).map_err(|_| no_table())?;
    let reader = SerializedFileReader::new(Bytes::from(file.exactly(0, size)?)).map_err(trouble)?;
    let about = reader.metadata().file_metadata();
    let mut columns = vec![];
    for field in about.schema().get_fields() {
        let kind = match field.is_primitive().then(|| field.get_physical_type()) {
            Some(Physical::DOUBLE) => Kind::Number,
            Some(Physical::INT64) => Kind::Count,
            Some(Physical::BYTE_ARRAY) => Kind::Word,
            _ => return Err(no_table()),
        };
        columns.push(Heading { name: field.name().to_string(), kind });
    }
    let n_rows = u64::try_from(about.num_rows()).map_err(|_| no_table())?;
    let entries = about.key_value_metadata().map(Vec::as_slice).unwrap_or_default();
    let text = |entry: &KeyValue| Some((entry.key.clone(), entry.value.clone()?));
    let provenance = entries.iter().filter_map(text).fold(Provenance::default(), |p, (key, value)| p.with(&key, value));
    Ok(Box::new(Stored { reader, provenance, columns, n_rows }))
}

/// The table of a sweep in a file.
struct Stored {
    reader: SerializedFileReader<Bytes>,
    provenance: Provenance,
    columns: Vec<Heading>,
    n_rows: u64,
}

impl Rows for Stored {
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
        for row in self.reader.get_row_iter(None).map_err(trouble)? {
            let row = row.map_err(trouble)?;
            let cell = |(i, column): (usize, &Heading)| match column.kind {
                Kind::Number => row.get_double(i).map(Cell::Number),
                Kind::Count => row.get_long(i).map(|n| Cell::Count(n as u64)),
                Kind::Word => row.get_string(i).map(|word| Cell::Word(word)),
            };
            let cells: Vec<Cell> =
                self.columns.iter().enumerate().map(cell).collect::<Result<_, _>>().map_err(trouble)?;
            visit(&cells)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Table;
    use crate::report::rows::to_bytes;

    #[test]
    fn a_table_reads_back_to_the_same_bits() {
        let table = Table::new([("t", vec![0.0, 0.1]), ("x'", vec![1.0 / 3.0, f64::NAN])]);
        let table = table.with_provenance(Provenance::default().with("seed", "7"));
        let path = std::env::temp_dir().join(format!("lepage-{}.parquet", std::process::id()));
        std::fs::write(&path, to_bytes(write, &table)).expect("a temporary file");
        let file = SerializedFileReader::new(std::fs::File::open(&path).expect("the file")).expect("it can be read");
        let _ = std::fs::remove_file(path);
        let rows: Vec<_> = file.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get_double(1).expect("a double").to_bits(), (1.0f64 / 3.0).to_bits());
        assert_eq!(rows[1].get_double(0).expect("a double"), 0.1);
        assert!(rows[1].get_double(1).expect("a double").is_nan());
        let about = file.metadata().file_metadata();
        assert_eq!(about.schema().get_fields()[1].name(), "x'");
        let seed = about.key_value_metadata().and_then(|list| list.iter().find(|entry| entry.key == "seed"));
        assert_eq!(seed.and_then(|entry| entry.value.as_deref()), Some("7"));
    }
}
