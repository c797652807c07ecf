//! The clock. Below the session nobody looks at one; here a thread does, and calls time for a statement that takes longer than
//! the user wants to wait (`--time`). The answer then says that it was stopped: no answer is another one because of it.

use crate::budget::{self, Pace, StatementNumber};
use std::thread;
use std::time::{Duration, Instant};

/// What a question may take if nothing else was said.
const QUESTION: Duration = Duration::from_secs(60);

/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);

/// Watches every statement from here on. With a limit it is everyone's; without, runs and tests have none.
pub fn watch(limit: Option<Duration>) {
    let watching = move || {
        let mut since: Option<(StatementNumber, Instant)> = None;
        loop {
            thread::sleep(LOOK);
            let Some((statement, pace)) = budget::under_way() else { continue };
            match since {
                Some((known, began)) if known == statement => {
                    let may = limit.or((pace == Pace::Question).then_some(QUESTION));
                    // Said again as long as it goes on: a question that has put together what it found begins no new part.
                    if may.is_some_and(|may| began.elapsed() >= may) {
                        budget::call_time(statement);
                    }
                }
                _ => since = Some((statement, Instant::now())),
            }
        }
    };
    // Without a watcher work is still counted, and Ctrl-C still stops.
    let _ = thread::Builder::new().name("clock".to_string()).spawn(watching);
}
