//! Where the time goes. With `--timings` every stage of the pipeline reports its processor time and
//! the nodes it made; without it a stage costs one look at a flag. Stages may nest: time spent in an
//! inner stage is not counted in the outer one.
//!
//! ```text
//! let ast = timing::stage("parse", || parse(text));
//! timing::nodes("parse", ast.len());
//! ```

use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// What one stage used.
#[derive(Clone, Debug)]
struct Stage {
    name: &'static str,
    cpu: Duration,
    nodes: u64,
    calls: u64,
}

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(false) };
    static STAGES: RefCell<Vec<Stage>> = const { RefCell::new(vec![]) };
    /// Processor time of inner stages that ended since the current stage began.
    static INNER: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Starts recording on this thread.
pub fn enable() {
    ENABLED.set(true);
    BEGAN.set(Some(Instant::now()));
}

/// Runs `work` as part of the stage `name`.
pub fn stage<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    if !ENABLED.get() {
        return work();
    }
    let outer_inner = INNER.replace(Duration::ZERO);
    let start = thread_cpu();
    let result = work();
    let spent = thread_cpu().saturating_sub(start);
    let own = spent.saturating_sub(INNER.get());
    INNER.set(outer_inner + spent);
    record(name, |s| {
        s.cpu += own;
        s.calls += 1;
    });
    result
}

/// Counts nodes made by the stage `name`: tokens, tree nodes, expressions, instructions.
pub fn nodes(name: &'static str, count: usize) {
    if ENABLED.get() {
        record(name, |s| s.nodes += count as u64);
    }
}

fn record(name: &'static str, change: impl FnOnce(&mut Stage)) {
    STAGES.with_borrow_mut(|stages| {
        let index = stages.iter().position(|s| s.name == name).unwrap_or_else(|| {
            stages.push(Stage { name, cpu: Duration::ZERO, nodes: 0, calls: 0 });
            stages.len() - 1
        });
        change(&mut stages[index]);
    });
}

/// The stages in the order in which they first ended, the processor time of the whole process, and
/// the wall time since [`enable`].
pub fn report() -> Value {
    let seconds = |d: Duration| d.as_secs_f64();
    let stages: Vec<Value> = STAGES.with_borrow(|stages| {
        let row =
            |s: &Stage| json!({"stage": s.name, "cpu_seconds": seconds(s.cpu), "calls": s.calls, "nodes": s.nodes});
        stages.iter().map(row).collect()
    });
    json!({
        "stages": stages,
        "cpu_seconds": seconds(process_cpu()),
        "wall_seconds": BEGAN.get().map_or(0.0, |t| seconds(t.elapsed())),
    })
}

#[cfg(unix)]
fn clock(id: nix::time::ClockId) -> Duration {
    id.now().map_or(Duration::ZERO, Duration::from)
}

/// Processor time of this thread.
#[cfg(unix)]
pub fn thread_cpu() -> Duration {
    clock(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of all threads of the process.
#[cfg(unix)]
pub fn process_cpu() -> Duration {
    clock(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

/// Without a processor clock, wall time stands in.
#[cfg(not(unix))]
pub fn thread_cpu() -> Duration {
    BEGAN.get().map_or(Duration::ZERO, |t| t.elapsed())
}

#[cfg(not(unix))]
pub fn process_cpu() -> Duration {
    thread_cpu()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_stage_is_not_counted_in_the_outer_one() {
        let spin = |limit: Duration| {
            let start = thread_cpu();
            while thread_cpu() - start < limit {}
        };
        enable();
        stage("outer", || stage("inner", || spin(Duration::from_millis(20))));
        nodes("inner", 3);
        let report = report();
        let stages = report["stages"].as_array().unwrap();
        let row = |name: &str| stages.iter().find(|s| s["stage"] == name).unwrap();
        assert!(row("inner")["cpu_seconds"].as_f64().unwrap() >= 0.02);
        assert!(row("outer")["cpu_seconds"].as_f64().unwrap() < 0.01);
        assert_eq!(row("inner")["nodes"], 3);
    }
}
