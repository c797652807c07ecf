//! The rows of a sweep: made on all threads, appended to the table as they come, and the reasons of those that have no values put
//! together; or a few of them, to see how long all take.

use super::{About, Prepared, Watcher};
use crate::diagnostic::{Diagnostic, codes};
use crate::motion::partial::Partial;
use crate::motion::sweep::{Chunk, Failed};
use crate::report;
use crate::source::Span;
use crate::timing;
use crate::world::Trouble;
use std::ops::Range;

/// Rows that are made for an estimate.
const ESTIMATED: u64 = 32;

/// Rows that failed for the same reason.
pub struct Failure {
    word: &'static str,
    count: u64,
    first: (u64, String),
}

impl Failure {
    pub fn warning(self, sweep: Span) -> Diagnostic {
        let rows = if self.count == 1 { "one row has".to_string() } else { format!("{} rows have", self.count) };
        let title = format!("{rows} no values: {}", self.word);
        Diagnostic::warning(&codes::RUN_STOPPED, title).label(sweep, "of this sweep").note(format!(
            "row {}: {}",
            self.first.0 + 1,
            self.first.1
        ))
    }
}

/// Lines that are held back until they are worth a visit to the disk.
const HELD: usize = 1 << 15;

/// Makes the rows that are not there yet, and appends them to the table.
pub fn make<'w>(
    prepared: &Prepared,
    mut partial: Partial<'w>,
    rows: Range<u64>,
    threads: usize,
    watcher: Option<&dyn Watcher>,
) -> Result<(Partial<'w>, Vec<Failure>), Trouble> {
    let mut failures: Vec<Failure> = vec![];
    let total = rows.end - rows.start;
    if let Some(watcher) = watcher {
        watcher.begin(total, partial.next - rows.start);
    }
    let (mut held, mut n_held) = (String::new(), 0);
    let from = partial.next;
    let result = timing::stage("integrate", || {
        let made = prepared.plan.run(&prepared.motion, from..rows.end, threads, &mut |chunk: Chunk| {
            for (row, Failed { word, why }) in chunk.failed {
                match failures.iter_mut().find(|f| f.word == word) {
                    Some(failure) => failure.count += 1,
                    None => failures.push(Failure { word, count: 1, first: (row, why) }),
                }
            }
            held += &chunk.text;
            n_held += chunk.n_rows;
            if held.len() >= HELD || chunk.first + chunk.n_rows == rows.end || chunk.n_rows <= 4 {
                partial.append(&held, n_held)?;
                held.clear();
                n_held = 0;
            }
            if let Some(watcher) = watcher {
                watcher.advance(chunk.first + chunk.n_rows - rows.start);
            }
            Ok(())
        });
        made.and_then(|_| partial.append(&held, n_held))
    });
    if let Some(watcher) = watcher {
        watcher.end();
    }
    result.map(|()| (partial, failures))
}

/// Makes a few rows from all over the sweep, or the shard.
pub fn estimate(prepared: &Prepared, rows: Range<u64>, watcher: Option<&dyn Watcher>, about: &About, threads: usize) {
    let Some(watcher) = watcher else { return };
    let n = rows.end - rows.start;
    let made = n.min(ESTIMATED);
    watcher.begin(n, 0);
    let mut bytes = 0;
    for i in 0..made {
        let row = rows.start + (u128::from(i) * u128::from(n) / u128::from(made)) as u64;
        let _ = prepared.plan.run(&prepared.motion, row..row + 1, 1, &mut |chunk| {
            bytes += chunk.text.len() as u64;
            Ok(())
        });
    }
    let head = report::csv::head(about).len() as u64;
    let size = head + (u128::from(bytes) * u128::from(n) / u128::from(made.max(1))) as u64;
    watcher.estimate(n, made, size, threads);
}
