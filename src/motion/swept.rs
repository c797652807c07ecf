//! A sweep that was made, as a value: its columns are series over the number of the row, `table.reach.max`.

use super::series::Series;
use crate::report::Table;
use crate::report::rows::{Cell, Rows};
use crate::world::Trouble;
use std::rc::Rc;

/// The table of many runs. The columns of a large one stay in its file.
pub struct Swept {
    pub system: String,
    pub n_rows: u64,
    pub n_failed: u64,
    /// All rows; those that failed have no numbers.
    columns: Vec<Rc<Series>>,
    /// Of the same columns the rows that did not fail.
    values: Vec<Rc<Series>>,
}

/// The parts of every sweep, besides its columns.
pub const PARTS: &[(&str, fn(&Swept) -> u64)] = &[("rows", |table| table.n_rows), ("failed", |table| table.n_failed)];

/// The first column of every table, and the last.
pub const ROW: &str = "row";
pub const STATUS: &str = "status";

/// How runs end of which everything was collected.
const COMPLETE: [&str; 2] = ["reached", "event"];

/// Numbers that a session keeps of a sweep; what is larger stays in its file.
pub const KEPT: u64 = 1 << 22;

impl Swept {
    /// Reads the table back from the file in which its rows were written. What failed is said by the rows themselves, some of
    /// which may have been made on another day.
    pub fn read(system: String, stored: &dyn Rows) -> Result<Swept, Trouble> {
        let names: Vec<String> = stored.columns().iter().map(|c| c.name.clone()).collect();
        let n_rows = stored.n_rows();
        let mut columns: Vec<Vec<f64>> = vec![vec![]; names.len().saturating_sub(1)];
        let is_kept = n_rows * names.len() as u64 <= KEPT;
        let (mut failed, mut n_failed) = (vec![], 0);
        stored.each(&mut |cells| {
            let has_failed = matches!(cells.last(), Some(Cell::Word(word)) if !COMPLETE.contains(word));
            n_failed += u64::from(has_failed);
            if is_kept {
                failed.push(has_failed);
                for (column, cell) in columns.iter_mut().zip(cells) {
                    match cell {
                        Cell::Number(x) => column.push(*x),
                        Cell::Count(n) => column.push(*n as f64),
                        Cell::Word(_) => {}
                    }
                }
            }
            Ok(())
        })?;
        if !is_kept {
            columns.clear();
        }
        let series = |columns: &[Vec<f64>]| -> Vec<Rc<Series>> {
            let rows = Rc::new(columns.first().cloned().unwrap_or_default());
            let one = |(name, values): (&String, &Vec<f64>)| {
                Rc::new(Series { name: name.clone(), times: rows.clone(), values: Rc::new(values.clone()), of: None })
            };
            names.iter().zip(columns).skip(1).map(one).collect()
        };
        let all = series(&columns);
        let values = match n_failed {
            0 => all.clone(),
            _ => {
                for column in &mut columns {
                    let mut has_failed = failed.iter();
                    column.retain(|_| has_failed.next() == Some(&false));
                }
                series(&columns)
            }
        };
        Ok(Swept { system, n_rows, n_failed, columns: all, values })
    }

    /// A sweep of which no row was made.
    pub fn empty(system: String) -> Swept {
        Swept { system, n_rows: 0, n_failed: 0, columns: vec![], values: vec![] }
    }

    pub fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.name.clone()).collect()
    }

    /// What can be asked of it by name.
    pub fn names(&self) -> Vec<String> {
        self.column_names().into_iter().chain(PARTS.iter().map(|(name, _)| name.to_string())).collect()
    }

    /// A column, without the rows that failed.
    pub fn column(&self, name: &str) -> Option<Rc<Series>> {
        self.values.iter().find(|c| c.name == name).cloned()
    }

    pub fn describe(&self) -> String {
        let failed = match self.n_failed {
            0 => String::new(),
            n => format!(", {n} of them failed"),
        };
        let table = Table::new(self.columns.iter().map(|c| (c.name.clone(), c.values.to_vec())));
        let text = if self.columns.is_empty() { String::new() } else { format!("\n{}", table.text(12).trim_end()) };
        format!("{}: {} rows{failed}{text}", self.system, self.n_rows)
    }

    pub fn latex(&self) -> String {
        format!("\\text{{{} rows}}", self.n_rows)
    }

    pub fn json(&self) -> serde_json::Value {
        let column = |c: &Rc<Series>| (c.name.clone(), serde_json::json!(*c.values));
        let columns: serde_json::Map<String, serde_json::Value> = self.columns.iter().map(column).collect();
        serde_json::json!({"rows": self.n_rows, "failed": self.n_failed, "columns": columns})
    }
}
