//! Parquet, the columns of data frames: one required column of doubles for each column of the table, uncompressed,
//! in one row group. Reads back to the same bits. Only in builds with the feature `arrow`.

use super::Table;
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// The table as the bytes of a file.
pub fn bytes(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let column = |name: &str| {
        let double = Type::primitive_type_builder(name, Physical::DOUBLE);
        double.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let fields = table.columns().iter().map(|c| column(&c.name)).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_created_by("lepage".to_string()).build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in table.columns() {
        if let Some(mut writer) = group.next_column()? {
            writer.typed::<DoubleType>().write_batch(&column.values, None, None)?;
            writer.close()?;
        }
    }
    group.close()?;
    file.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn a_table_reads_back_to_the_same_bits() {
        let table = Table::new([("t", vec![0.0, 0.1]), ("x'", vec![1.0 / 3.0, f64::NAN])]);
        let path = std::env::temp_dir().join(format!("lepage-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes(&table).expect("a table can be written")).expect("a temporary file");
        let file = SerializedFileReader::new(std::fs::File::open(&path).expect("the file")).expect("it can be read");
        let _ = std::fs::remove_file(path);
        let rows: Vec<_> = file.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get_double(1).expect("a double").to_bits(), (1.0f64 / 3.0).to_bits());
        assert_eq!(rows[1].get_double(0).expect("a double"), 0.1);
        assert!(rows[1].get_double(1).expect("a double").is_nan());
        assert_eq!(file.metadata().file_metadata().schema().get_fields()[1].name(), "x'");
    }
}
