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
    columns: Vec<Rc<Series>>,
}

/// The parts of every sweep, besides its columns.
pub const PARTS: &[&str] = &["rows", "failed"];

/// Numbers that a session keeps of a sweep; what is larger stays in its file.
pub const KEPT: u64 = 1 << 22;

impl Swept {
    /// Reads the table back from the file in which its rows were written.
    pub fn read(system: String, stored: &dyn Rows, n_failed: u64) -> Result<Swept, Trouble> {
        let names: Vec<String> = stored.columns().iter().map(|c| c.name.clone()).collect();
        let n_rows = stored.n_rows();
        let mut columns: Vec<Vec<f64>> = vec![vec![]; names.len().saturating_sub(1)];
        if n_rows * names.len() as u64 <= KEPT {
            stored.each(&mut |cells| {
                for (column, cell) in columns.iter_mut().zip(cells) {
                    match cell {
                        Cell::Number(x) => column.push(*x),
                        Cell::Count(n) => column.push(*n as f64),
                        Cell::Word(_) => {}
                    }
                }
                Ok(())
            })?;
        } else {
            columns.clear();
        }
        let rows = Rc::new(columns.first().cloned().unwrap_or_default());
        let series = |(name, values): (&String, Vec<f64>)| {
            Rc::new(Series { name: name.clone(), times: rows.clone(), values: Rc::new(values), of: None })
        };
        let columns = names.iter().zip(columns).skip(1).map(series).collect();
        Ok(Swept { system, n_rows, n_failed, columns })
    }

    /// A sweep of which no row was made.
    pub fn empty(system: String) -> Swept {
        Swept { system, n_rows: 0, n_failed: 0, columns: vec![] }
    }

    pub fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.name.clone()).collect()
    }

    /// What can be asked of it by name.
    pub fn names(&self) -> Vec<String> {
        self.column_names().into_iter().chain(PARTS.iter().map(|p| p.to_string())).collect()
    }

    /// A column; rows that failed have no number in it.
    pub fn column(&self, name: &str) -> Option<Rc<Series>> {
        self.columns.iter().find(|c| c.name == name).cloned()
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
