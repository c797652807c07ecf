//! Parquet, the columns of data frames: required columns of doubles, whole numbers or words, uncompressed, a row group for
//! every [`GROUP`] rows. Reads back to the same bits. Only in builds with the feature `arrow`.

use super::rows::{Cell, Kind, Rows, Sink};
use crate::world::Trouble;
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// Rows in memory at the same time.
const GROUP: usize = 1 << 16;

pub fn write(rows: &dyn Rows, sink: &mut Sink) -> Result<(), Trouble> {
    let bytes = bytes(rows).map_err(|why| Trouble::because(why.to_string()))?;
    sink(&bytes)
}

/// Entries of one column.
enum Entries {
    Numbers(Vec<f64>),
    Counts(Vec<i64>),
    Words(Vec<ByteArray>),
}

fn bytes(rows: &dyn Rows) -> Result<Vec<u8>, ParquetError> {
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
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let empty = || -> Vec<Entries> {
        let entries = |kind: Kind| match kind {
            Kind::Number => Entries::Numbers(vec![]),
            Kind::Count => Entries::Counts(vec![]),
            Kind::Word => Entries::Words(vec![]),
        };
        rows.columns().iter().map(|c| entries(c.kind)).collect()
    };
    let (mut group, mut held) = (empty(), 0);
    let mut failed = None;
    let visited = rows.each(&mut |cells| {
        for (entries, cell) in group.iter_mut().zip(cells) {
            match (entries, cell) {
                (Entries::Numbers(list), Cell::Number(x)) => list.push(*x),
                (Entries::Counts(list), Cell::Count(n)) => list.push(*n as i64),
                (Entries::Words(list), Cell::Word(word)) => list.push(ByteArray::from(*word)),
                _ => return Err(Trouble::because("a column has entries of two kinds")),
            }
        }
        held += 1;
        if held == GROUP {
            held = 0;
            failed = put(&mut file, &std::mem::replace(&mut group, empty())).err();
        }
        match failed.take() {
            Some(why) => Err(Trouble::because(why.to_string())),
            None => Ok(()),
        }
    });
    visited.map_err(|trouble| ParquetError::General(trouble.reason))?;
    if held > 0 || rows.n_rows() == 0 {
        put(&mut file, &group)?;
    }
    file.into_inner()
}

fn put(file: &mut SerializedFileWriter<Vec<u8>>, columns: &[Entries]) -> Result<(), ParquetError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Table;
    use crate::report::provenance::Provenance;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn a_table_reads_back_to_the_same_bits() {
        let table = Table::new([("t", vec![0.0, 0.1]), ("x'", vec![1.0 / 3.0, f64::NAN])]);
        let table = table.with_provenance(Provenance::default().with("seed", "7"));
        let path = std::env::temp_dir().join(format!("lepage-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes(&table).expect("a table can be written")).expect("a temporary file");
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
