//! `lepage sweep FILE`: runs a program for its sweeps, on as many threads as wanted. The tables go
//! where the program says (`… } to "reach.csv"`), relative to `--out`, or into the file that `--out` names.
//!
//! ```text
//! lepage sweep reach.mech --estimate                        rows, time and size beforehand
//! lepage sweep reach.mech --wide                            the C compiler makes code for 4 or 8 runs at once
//! lepage sweep reach.mech --resume                          goes on with what a stop left
//! lepage sweep reach.mech --shard 3/8 --out part-3.csv      an eighth of the rows, on another machine
//! lepage sweep merge part-*.csv --out reach.csv             the whole table, if all parts are there, in any format
//! lepage sweep reach.mech --emit slurm --shard 1/100        a script that runs the shards as an array
//! ```

use super::Exit;
use super::arguments::Format;
use super::console::Console;
use super::reading::{Purpose, Reading, feed_program};
use super::run::show;
use crate::diagnostic::{Diagnostic, codes};
use crate::motion::partial::{self, Shard};
use crate::report;
use crate::session::json;
use crate::session::{StatementWord, SweepOptions, Watcher};
use crate::source::visible;
use crate::world::Disk;
use clap::{Args, ValueEnum};
use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Schedulers for which a script is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Scheduler {
    /// An array of jobs, one for each shard
    Slurm,
}

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// How many runs at the same time; as many as the machine has cores if left out
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Go on with what an interrupted sweep left
    #[arg(long)]
    pub resume: bool,
    /// Only part I of N of the rows, counted from 1
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Say how many rows there are, and about how long they take and how large the table is
    #[arg(long)]
    pub estimate: bool,
    /// Use the C compiler of the system, if there is one, for as many runs at once as the processor has lanes
    #[arg(long)]
    pub wide: bool,
    /// Write a script that runs the N shards of --shard 1/N: slurm
    #[arg(long, value_enum, value_name = "SCHEDULER", requires = "shard", conflicts_with = "estimate")]
    pub emit: Option<Scheduler>,
    /// How answers are written: text, json or latex
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,
    #[command(flatten)]
    pub reading: Reading,
}

fn jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=1024).contains(n)).ok_or_else(|| "write a number from 1 to 1024".to_string())
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::read(text).ok_or_else(|| "write I/N with 1 ≤ I ≤ N, for instance 2/8".to_string())
}

pub fn run(mut arguments: Arguments) -> Exit {
    if arguments.reading.programs.files.first().is_some_and(|f| f == Path::new("merge")) {
        return merge(arguments);
    }
    let settings = &mut arguments.reading.settings;
    // A file, or a folder for the files that the program names.
    let to = settings.out.take_if(|out| report::is_table(out));
    if let Some(Scheduler::Slurm) = arguments.emit {
        return emit_slurm(&arguments, to.as_deref());
    }
    let bar = Rc::new(Bar::new(std::io::stderr().is_terminal()));
    let sweeps = SweepOptions {
        threads: arguments.jobs,
        resume: arguments.resume,
        shard: arguments.shard,
        to: to.clone(),
        only: true,
        estimate: arguments.estimate,
        wide: arguments.wide,
        watcher: Some(bar.clone()),
    };
    let batch = arguments.reading.programs.is_batch();
    arguments.reading.each(Purpose::Answer, |session, program, console| {
        session.set_sweeps(sweeps.clone());
        let mut count = 0;
        let exit = feed_program(session, program, console, |outcome, input, console| {
            if outcome.word != StatementWord::Sweep {
                return;
            }
            count += 1;
            let estimate = bar.estimated.take();
            if arguments.format == Format::Json {
                let mut line = json::outcome_of(outcome, batch.then_some(&*input.name));
                if let (Some(estimate), Some(line)) = (estimate, line.as_object_mut()) {
                    line.insert("estimate".into(), estimate.json());
                }
                console.print(&format!("{line}\n"));
            } else {
                console.print(&estimate.map_or(String::new(), |estimate| estimate.text()));
                console.print(&show(outcome, arguments.format, true));
            }
        });
        let name = program.first().map_or("the program", |input| input.name.as_str());
        if count == 0 {
            console.complain(
                &Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` contains no sweep"))
                    .help("write one: sweep S over m in [1, 2, 4] { until t = 20; collect … } to \"table.csv\""),
            );
            return exit.max(Exit::Findings);
        }
        exit
    })
}

/// `lepage sweep merge part-1.csv part-2.csv --out table.csv`.
fn merge(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.reading.talk);
    let parts = &arguments.reading.programs.files[1..];
    let Some(out) = arguments.reading.settings.out.as_ref().filter(|_| !parts.is_empty()) else {
        console.say("error: write lepage sweep merge part-1.csv part-2.csv … --out table.csv\n");
        return console.finish(Exit::Failure);
    };
    let exit = match partial::merge(&Disk, parts, out) {
        Ok(merged) => {
            if !merged.arithmetics.is_empty() {
                let list = merged.arithmetics.join("; ");
                console.complain(
                    &Diagnostic::warning(&codes::WRITTEN, "the shards were made on different processors")
                        .note(list)
                        .help("with `--portable` the last digits are the same everywhere"),
                );
            }
            console.say(&format!("`{}` was written ({} rows)\n", out.display(), merged.n_rows));
            Exit::Held
        }
        Err(refused) => {
            console.complain(&refused);
            Exit::Findings
        }
    };
    console.finish(exit)
}

/// The script of an array of jobs, one for each shard, and of the merge behind them.
fn emit_slurm(arguments: &Arguments, to: Option<&Path>) -> Exit {
    let mut console = Console::new(&arguments.reading.talk);
    let ([program], Some(Shard { count, .. })) = (arguments.reading.programs.files.as_slice(), arguments.shard) else {
        console.say("error: write lepage sweep FILE --shard 1/N --emit slurm\n");
        return console.finish(Exit::Failure);
    };
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let table = to.map_or_else(|| PathBuf::from(format!("{stem}.csv")), Path::to_path_buf);
    let part = table.with_extension("").display().to_string();
    // Shards have the format of the table.
    let ending = table.extension().unwrap_or_default().to_string_lossy().into_owned();
    let (program, settings) = (quoted(&program.display().to_string()), settings_again(arguments));
    console.print(&format!(
        "#!/bin/bash\n\
         #SBATCH --job-name={job}\n\
         #SBATCH --array=1-{count}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task={cpus}\n\
         #SBATCH --requeue\n\
         # Each job makes its shard with all its cores; one that is started again goes on where it was.\n\
         # When all are done: lepage sweep merge {part}-*-of-{count}.{ending} --out {table}\n\
         exec lepage sweep {program} --shard \"$SLURM_ARRAY_TASK_ID/{count}\" --jobs \"$SLURM_CPUS_PER_TASK\" --resume{settings} \\\n    \
         --out {part}-\"$SLURM_ARRAY_TASK_ID\"-of-{count}.{ending}\n",
        job = quoted(&stem),
        cpus = arguments.jobs.unwrap_or(8),
        part = quoted(&part),
        table = quoted(&table.display().to_string()),
    ));
    console.finish(Exit::Held)
}

/// The settings of this command, for the jobs.
fn settings_again(arguments: &Arguments) -> String {
    let (settings, mut out) = (&arguments.reading.settings, String::new());
    for (name, value) in &settings.set {
        out += &format!(" --set {}", quoted(&format!("{name}={value}")));
    }
    let switches = [
        (arguments.wide, "--wide"),
        (settings.portable, "--portable"),
        (settings.no_jit, "--no-jit"),
        (settings.allow_outside, "--allow-outside"),
    ];
    for (_, word) in switches.iter().filter(|(is_on, _)| *is_on) {
        out += &format!(" {word}");
    }
    let numbers = [
        ("--time", settings.time.map(|time| time.as_secs_f64().to_string())),
        ("--memory", settings.memory.map(|n| n.to_string())),
        ("--effort", settings.effort.map(|n| n.to_string())),
    ];
    for (word, number) in numbers {
        out.extend(number.map(|number| format!(" {word} {number}")));
    }
    for text in &arguments.reading.programs.eval {
        out += &format!(" -e {}", quoted(text));
    }
    out
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=+".contains(c));
    if plain && !text.is_empty() { text.to_string() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Progress on standard error: one line that is written again and again.
#[derive(Debug)]
struct Bar {
    terminal: bool,
    rows: Cell<u64>,
    before: Cell<u64>,
    began: RefCell<Instant>,
    shown: Cell<Option<Instant>>,
    /// What `--estimate` answers.
    estimated: Cell<Option<Estimate>>,
}

/// What all rows would come to.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    rows: u64,
    seconds: f64,
    bytes: u64,
    threads: usize,
}

impl Estimate {
    fn text(&self) -> String {
        let (time, size) = (duration(self.seconds), size(self.bytes));
        format!("{} rows, about {time} on {} threads, about {size}\n", self.rows, self.threads)
    }

    fn json(&self) -> serde_json::Value {
        let Estimate { rows, seconds, bytes, threads } = *self;
        serde_json::json!({ "rows": rows, "seconds": seconds, "bytes": bytes, "threads": threads })
    }
}

/// The columns of the terminal to which progress goes.
fn stderr_width() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stderr()) {
        return usize::from(size.ws_col).max(5);
    }
    80
}

/// Between two looks at the line.
const LOOK: Duration = Duration::from_millis(100);

impl Bar {
    fn new(terminal: bool) -> Bar {
        let now = Instant::now();
        Bar {
            terminal,
            rows: Cell::new(0),
            before: Cell::new(0),
            began: RefCell::new(now),
            shown: Cell::new(None),
            estimated: Cell::new(None),
        }
    }
}

impl Watcher for Bar {
    fn waiting(&self, file: &Path) {
        let line = format!("another process writes `{}`: waiting until it ends\n", visible(&file.to_string_lossy()));
        // Without a stream to write to there is nobody to tell.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn begin(&self, rows: u64, before: u64) {
        self.rows.set(rows);
        self.before.set(before);
        *self.began.borrow_mut() = Instant::now();
        self.shown.set(None);
    }

    fn advance(&self, rows: u64) {
        if !self.terminal || self.shown.get().is_some_and(|last| last.elapsed() < LOOK) {
            return;
        }
        self.shown.set(Some(Instant::now()));
        let (seconds, all) = (self.began.borrow().elapsed().as_secs_f64(), self.rows.get());
        let rate = (rows - self.before.get()) as f64 / seconds.max(1e-9);
        let left = (all - rows) as f64 / rate.max(1e-9);
        let rate = report::table::short(rate.round());
        let line = progress(rows, all, &rate, &duration(left), stderr_width());
        let line = format!("\r{line}\x1b[K");
        // Without a terminal to write to there is nobody to tell.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn end(&self) {
        if self.terminal && self.shown.get().is_some() {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }

    fn estimate(&self, rows: u64, made: u64, bytes: u64, threads: usize) {
        let seconds = self.began.borrow().elapsed().as_secs_f64() / made.max(1) as f64 * rows as f64 / threads as f64;
        self.estimated.set(Some(Estimate { rows, seconds, bytes, threads }));
    }
}

/// How far a sweep is, in a line that a terminal of this width does not break.
fn progress(rows: u64, all: u64, rate: &str, left: &str, width: usize) -> String {
    let done = (20 * rows / all.max(1)) as usize;
    let count = format!("{rows} of {all} rows");
    let lines = [
        format!("[{}{}] {count}, {rate} rows/s, {left} left", "=".repeat(done), " ".repeat(20 - done)),
        format!("{count}, {rate} rows/s, {left} left"),
        format!("{count}, {left} left"),
        format!("{} %", 100 * rows / all.max(1)),
    ];
    let [.., shortest] = &lines;
    lines.iter().find(|line| line.len() < width).unwrap_or(shortest).clone()
}

/// A time for people.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "less than a second".to_string(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

/// A size for people.
fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e4 => format!("{bytes} bytes"),
        b if b < 1e7 => format!("{:.0} kB", b / 1e3),
        b if b < 1e10 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.0} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_needed() {
        assert_eq!(quoted("reach.mech"), "reach.mech");
        assert_eq!(quoted("m=sqrt(2)'s"), "'m=sqrt(2)'\\''s'");
    }

    #[test]
    fn progress_fits_into_the_terminal() {
        let line = |width| progress(123, 1000, "45", "20 s", width);
        assert_eq!(line(80), "[==                  ] 123 of 1000 rows, 45 rows/s, 20 s left");
        assert_eq!(line(50), "123 of 1000 rows, 45 rows/s, 20 s left");
        assert_eq!(line(10), "12 %");
        assert!((10..100).all(|width| line(width).len() < width));
    }

    #[test]
    fn times_and_sizes_are_short() {
        assert_eq!(
            (duration(0.2), duration(42.3), duration(7200.0)),
            ("less than a second".into(), "42 s".into(), "2 h".into())
        );
        assert_eq!((size(512), size(2_500_000)), ("512 bytes".into(), "2500 kB".into()));
    }
}
