//! Batch work: a folder of programs through one command, from a Makefile and from Python, and shards on Dask.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LEPAGE: &str = env!("CARGO_BIN_EXE_lepage");

/// A copy of `examples/batch`, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("lepage-batch-{name}-{}", std::process::id()));
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/batch"), &folder);
        Folder(folder)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Option<Output> {
        let output = Command::new(program).args(arguments).current_dir(&self.0).env("LEPAGE", LEPAGE).output();
        if let Err(why) = &output {
            skipped(&format!("{program} does not run: {why}"));
        }
        output.ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("examples/batch").flatten() {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy")),
        }
    }
}

/// Says why a test did not take place, past the harness, which keeps what tests that pass print.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {}", why.trim().trim_start_matches("skipped: "));
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_folder_is_one_stream_with_a_summary_and_an_exit_code() {
    let folder = Folder::new("folder");
    let output = folder.run(LEPAGE, &["run", "--format", "json", "programs"]).expect("lepage runs");
    assert!(output.status.success() && err(&output).contains("2 programs, 2 held, 0 did not"), "{}", err(&output));
    let programs: Vec<String> = out(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["program"].to_string())
        .collect();
    assert!(programs.iter().any(|p| p.contains("fall.mech")) && programs.iter().any(|p| p.contains("oscillator.mech")));
    std::fs::write(folder.0.join("programs/wrong.mech"), "assert 1 = 2\n").expect("a program");
    let output = folder.run(LEPAGE, &["test", "programs"]).expect("lepage runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains("3 programs, 2 held, 1 did not: programs/wrong.mech"), "{}", err(&output));
    let empty = folder.run(LEPAGE, &["run", "."]).expect("lepage runs");
    assert_eq!(empty.status.code(), Some(1), "{}", err(&empty));
}

/// What cannot be shown or written is said before the first run is made; what can, is.
#[test]
fn a_picture_that_cannot_be_drawn_is_named_before_the_run() {
    let folder = Folder::new("ahead");
    let program = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\n\
        let run = simulate L { from x = 1; until t = 1; record x, E = energy(L) every 1/10 }\n\
        save run to \"good.csv\"\nplot run { xx }\nplot run { x against zz }\nsave run to \"file/a.csv\"\n\
        animate run { point (x, yy) } to \"a.svg\"\nplot run { x, x', E - E.first, energy(L) } to \"good.svg\"\n";
    std::fs::write(folder.0.join("a.mech"), program).expect("a program");
    std::fs::write(folder.0.join("file"), "no folder").expect("a file");
    let output = folder.run(LEPAGE, &["run", "--message-format", "short", "a.mech"]).expect("lepage runs");
    let said = err(&output);
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("no {words} in {said}"));
    let written = place("`good.csv` was written");
    for words in ["no column `xx`", "no column `zz`", "`file/a.csv` cannot be written", "no column `yy`"] {
        assert!(place(words) < written, "{words}: {said}");
        assert_eq!(said.matches(words).count(), 1, "{said}");
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(folder.0.join("good.csv").exists() && folder.0.join("good.svg").exists(), "{said}");
    // Whoever only checks is told the same.
    let checked = folder.run(LEPAGE, &["check", "--message-format", "short", "a.mech"]).expect("lepage runs");
    assert_eq!(err(&checked).matches("error").count(), 4, "{}", err(&checked));
}

/// `system S = L` is a system as one with forces is.
#[test]
fn every_declared_system_is_derived_and_emitted() {
    let folder = Folder::new("systems");
    let program = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\nforce drag on J1(Y) { x: -x' }\n\
        system free = L\nsystem damped = L with drag\n";
    std::fs::write(folder.0.join("a.mech"), program).expect("a program");
    let derived = folder.run(LEPAGE, &["derive", "a.mech"]).expect("lepage runs");
    assert!(
        out(&derived).contains("equations(free)") && out(&derived).contains("equations(damped)"),
        "{}",
        out(&derived)
    );
    assert!(!out(&derived).contains("equations(L)"), "{}", out(&derived));
    let emitted = folder.run(LEPAGE, &["emit", "a.mech"]).expect("lepage runs");
    assert!(out(&emitted).contains("int L_field(") && out(&emitted).contains("int damped_field("), "{}", out(&emitted));
}

#[test]
fn python_reads_the_stream() {
    let folder = Folder::new("python");
    let Some(output) = folder.run("python3", &["batch.py"]) else { return };
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("oscillator.mech 5 ok"), "{}", out(&output));
}

#[test]
fn make_runs_shards_and_merges_them() {
    let folder = Folder::new("make");
    let lepage = format!("LEPAGE={LEPAGE}");
    let Some(output) = folder.run("make", &["-s", "-j2", &lepage, "results.jsonl", "swing.csv"]) else { return };
    assert!(output.status.success(), "{}", err(&output));
    let merged = std::fs::read(folder.0.join("swing.csv")).expect("the merged table");
    let whole = folder.run(LEPAGE, &["sweep", "sweep.mech", "--out", "whole.csv"]).expect("lepage runs");
    assert!(whole.status.success(), "{}", err(&whole));
    assert_eq!(merged, std::fs::read(folder.0.join("whole.csv")).expect("the whole table"));
    assert!(folder.0.join("results.jsonl").exists());
}

/// Two workers, of which one is killed while its shards are under way: Dask gives them to the other.
const DASK: &str = r#"
import os, signal, sys, time
try:
    from dask.distributed import Client, LocalCluster
except ImportError as why:
    print("skipped:", why)
    sys.exit(0)
sys.path.insert(0, ".")
import dask_sweep

if __name__ == "__main__":
    def kill(futures):
        time.sleep(0.3)
        worker = next(iter(client.run(os.getpid).values()))
        os.kill(worker, signal.SIGKILL)

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        dask_sweep.sweep(client, "sweep.mech", "dask.csv", 6, kill)
    print("merged")
"#;

#[test]
fn dask_makes_the_same_table_when_a_worker_is_lost() {
    let folder = Folder::new("dask");
    // Where Dask is installed; `.ci/run` makes a place for it.
    let python = std::env::var("LEPAGE_DASK_PYTHON").unwrap_or_else(|_| "python3".to_string());
    std::fs::write(folder.0.join("lost.py"), DASK).expect("a script");
    let Some(output) = folder.run(&python, &["lost.py"]) else { return };
    if out(&output).starts_with("skipped:") {
        skipped(&format!("shards on Dask: {}", out(&output)));
        return;
    }
    assert!(output.status.success() && out(&output).contains("merged"), "{}{}", out(&output), err(&output));
    let whole = folder.run(LEPAGE, &["sweep", "sweep.mech", "--out", "whole.csv"]).expect("lepage runs");
    assert!(whole.status.success(), "{}", err(&whole));
    let read = |name: &str| std::fs::read(folder.0.join(name)).expect("a table");
    assert_eq!(read("dask.csv"), read("whole.csv"));
}
