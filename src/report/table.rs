//! Tables: named columns of numbers, all of the same length.

use super::provenance::Provenance;
use super::rows::{Cell, Heading, Kind, Rows, Visitor};
use crate::world::Trouble;

/// Named columns of equal length.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    headings: Vec<Heading>,
    provenance: Provenance,
}

/// One column: the user's name for it, and its numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub name: String,
    pub values: Vec<f64>,
}

impl Table {
    /// Columns in the order in which they are written. A shorter column is filled with "not a number":
    /// a run that stopped early has no values there.
    pub fn new<N: Into<String>>(columns: impl IntoIterator<Item = (N, Vec<f64>)>) -> Table {
        let mut columns: Vec<Column> =
            columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect();
        let rows = columns.iter().map(|c| c.values.len()).max().unwrap_or(0);
        for column in &mut columns {
            column.values.resize(rows, f64::NAN);
        }
        let headings = columns.iter().map(|c| Heading { name: c.name.clone(), kind: Kind::Number }).collect();
        Table { columns, headings, provenance: Provenance::default() }
    }

    /// The same table, which says how it was made.
    pub fn with_provenance(mut self, provenance: Provenance) -> Table {
        self.provenance = provenance;
        self
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|c| c.name == name).map(|c| c.values.as_slice())
    }

    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.values.len())
    }

    /// The table for people: at most `rows` rows, from the beginning and the end, six digits.
    pub fn text(&self, rows: usize) -> String {
        let n = self.n_rows();
        let (head, tail) = if n <= rows { (n, 0) } else { (rows.div_ceil(2), rows / 2) };
        let shown: Vec<usize> = (0..head).chain(n - tail..n).collect();
        let cells: Vec<Vec<String>> = self
            .columns
            .iter()
            .map(|c| std::iter::once(c.name.clone()).chain(shown.iter().map(|i| short(c.values[*i]))).collect())
            .collect();
        let widths: Vec<usize> = cells.iter().map(|c| c.iter().map(|s| width(s)).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for row in 0..=shown.len() {
            if tail > 0 && row == head + 1 {
                out.push_str(&format!("… {} more rows\n", n - shown.len()));
            }
            let line: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(cells, wide)| format!("{}{}", " ".repeat(wide - width(&cells[row])), cells[row]))
                .collect();
            out.push_str(line.join("  ").trim_end());
            out.push('\n');
        }
        out
    }
}

impl Rows for Table {
    fn columns(&self) -> &[Heading] {
        &self.headings
    }

    fn n_rows(&self) -> u64 {
        Table::n_rows(self) as u64
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn each(&self, visit: &mut Visitor) -> Result<(), Trouble> {
        let mut cells = vec![Cell::Number(0.0); self.columns.len()];
        for row in 0..Table::n_rows(self) {
            for (cell, column) in cells.iter_mut().zip(&self.columns) {
                *cell = Cell::Number(column.values[row]);
            }
            visit(&cells)?;
        }
        Ok(())
    }
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A number to six digits, without a tail of zeros.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let size = x.abs();
    if !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.5e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let before_point = (size.log10().floor() as i32 + 1).max(1);
    trimmed(&format!("{x:.*}", (6 - before_point).max(0) as usize)).to_string()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A number that reads back to the same bits, as short as that allows.
pub fn exact(x: f64) -> String {
    match x {
        _ if x.is_nan() => "nan".to_string(),
        f64::INFINITY => "inf".to_string(),
        f64::NEG_INFINITY => "-inf".to_string(),
        _ => format!("{x:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1.0 / 3.0, "0.33333"),
            (123456.789, "123457"),
            (1e-9, "1e-9"),
            (6.02e23, "6.02e23"),
            (1234567.0, "1234567"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn exact_numbers_read_back_to_the_same_bits() {
        for x in [0.1, 1.0 / 3.0, 5e-324, f64::MAX, -0.0, 1e21, 123456789.125] {
            assert_eq!(exact(x).parse::<f64>().unwrap().to_bits(), x.to_bits(), "{x}");
        }
        assert!(exact(f64::NAN).parse::<f64>().unwrap().is_nan());
    }

    #[test]
    fn a_long_table_shows_its_ends() {
        let table = Table::new([("t", (0..100).map(f64::from).collect()), ("θ'", vec![0.5; 100])]);
        let expected = " t   θ'\n 0  0.5\n 1  0.5\n… 96 more rows\n98  0.5\n99  0.5\n";
        assert_eq!(table.text(4), expected);
        assert_eq!(Table::new([("t", vec![1.0])]).text(10), "t\n1\n");
    }

    #[test]
    fn a_short_column_is_filled() {
        let table = Table::new([("a", vec![1.0, 2.0]), ("b", vec![1.0])]);
        assert!(table.column("b").unwrap()[1].is_nan());
    }
}
