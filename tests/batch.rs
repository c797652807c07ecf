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
    // What cannot be read has its line, and its place in the summary.
    std::fs::write(folder.0.join("programs/strange.mech"), b"\xff\xfe").expect("a file");
    let output = folder.run(LEPAGE, &["run", "--format", "json", "programs"]).expect("lepage runs");
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let strange = lines.iter().find(|line| line["program"] == "programs/strange.mech").expect("a line");
    assert_eq!((&strange["status"], &strange["name"]), (&"refused".into(), &"not_text".into()));
    let list = "4 programs, 2 held, 2 did not: programs/strange.mech, programs/wrong.mech";
    assert!(output.status.code() == Some(2) && err(&output).contains(list), "{}", err(&output));
    std::fs::remove_file(folder.0.join("programs/strange.mech")).expect("it is there");
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

/// Ten systems of different kinds: plain, rolling, singular with a final set, of higher order, of mixed order, with a table, with kinks,
/// a family, with a force, a chain; and where each is looked at.
const TEN: &str = r#"let n = 3
param g = 9.81, m = 2, k = 3
manifold M1 over t { a : angle, b : angle }
lagrangian plain on J1(M1) = a'^2 + m*b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b))
manifold M2 over t { th : angle, ph : angle, u, v }
lagrangian free on J1(M2) = m*(u'^2 + v'^2)/2 + k*th'^2/2 + ph'^2/2
constraint rolling on J1(M2) { u' = cos(ph)*th'; v' = sin(ph)*th'; dependent: u, v }
system disk = free subject to rolling
manifold M3 over t { p, q, l }
lagrangian branched on J1(M3) = (p'^2 + q'^2)/2 - g*q + l*(p^2 + q^2 - 1)
manifold M4 over t { w }
lagrangian higher on J2(M4) = w''^2*(2 + sin(w))/2 - k*w'^2 + w^2/2
manifold M5 over t { c, d, e }
lagrangian mixed on J1(M5) = c'^2/2 + (d*e' - e*d')/2 - m*(c^2 + d^2 + e^2)/2 - c*d*e
function F(s) from "f.csv"
manifold M6 over t { f }
lagrangian tabled on J1(M6) = f'^2/2 - F(f)
manifold M7 over t { h, i }
lagrangian kinked on J1(M7) = (h'^2 + i'^2)/2 - k*abs(h)^3 - piecewise(i > 0, i^2/2, i^2) - max(h, i)^2/4
manifold M8 over t { z[1..n] }
lagrangian family on J1(M8) = sum(j in 1..n, z[j]'^2)/2 - sum(j in 1..n - 1, k*(z[j + 1] - z[j])^2/2 + (z[j + 1] - z[j])^4)
manifold M9 over t { r, s }
lagrangian bare on J1(M9) = (r'^2 + s'^2)/2
force push on J1(M9) {
    r: -sqrt(1 + r'^2)*r' + erf(s)*sin(t)
    s: atan2(r, 2 + s^2) + cbrt(1 + r^2) + log(1 + r^2)*exp(-s^2) + asinh(s) + tanh(r)*acosh(2 + r^2)
}
system forced = bare with push
manifold M10 over t { y[1..6] }
lagrangian chained on J1(M10) = sum(i in 1..6, sum(j in 1..6, (7 - max(i, j))*cos(y[i] - y[j])*y[i]'*y[j]'))/2 + g*sum(i in 1..6, (7 - i)*cos(y[i]))
"#;
const STATES: [(&str, &str); 10] = [
    ("plain", "a = 1, b = -1/2, a' = 1/4, b' = 3/4"),
    ("disk", "th' = 2, ph = 1/3, ph' = 1/2"),
    ("branched", "p = 3/5, q = -4/5, p' = 4/5, q' = 3/5"),
    ("higher", "w = 1, w' = 1/2, w'' = -1/3, w''' = 1/4"),
    ("mixed", "c = 1, d = 1/2, e = -1/3, c' = 1/4"),
    ("tabled", "f = 1/2, f' = 1/4"),
    ("kinked", "h = 1/2, i = 1/3, h' = 1/4"),
    ("family", "z[1] = 1/2, z[3] = 1/3, z[2]' = 1/4"),
    ("forced", "r = 1/2, s = 1/3, r' = 1/4"),
    ("chained", "y[1] = 1/2, y[6] = 1/3, y[3]' = 1/4"),
];

/// The names of a bank, as the line `state: [0] a, [1] b` before a function has them.
fn bank(text: &str, system: &str, bank: &str) -> Vec<String> {
    let from = text.find(&format!("{system}_field, written by")).expect("the field");
    let line = text[from..]
        .lines()
        .skip(1)
        .take_while(|l| !l.contains("written by"))
        .find_map(|l| l.split_once(&format!("{bank}: [0] ")));
    let Some((_, list)) = line else { return vec![] };
    let list = list.trim_end_matches(" */");
    list.split(", [").map(|item| item.split_once("] ").map_or(item, |(_, name)| name).to_string()).collect()
}

/// The fields of ten systems in C, Rust and Python: without a warning, and with the values of runs.
#[test]
fn fields_of_many_kinds_are_what_runs_are_made_with() {
    let folder = Folder::new("ten");
    let write = |name: &str, text: &str| std::fs::write(folder.0.join(name), text).expect("a file");
    write("f.csv", "s,F\n-2,4\n-1,1\n0,0\n1,1\n2,4\n3,9\n");
    write("ten.mech", TEN);
    let emitted = |language: &str| {
        let mut arguments = vec!["emit", "ten.mech", "--language", language];
        STATES.iter().for_each(|(system, _)| arguments.extend(["--system", system]));
        let output = folder.run(LEPAGE, &arguments).expect("lepage runs");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    };
    let text = emitted("c");
    // The first rows of runs: states and their derivatives.
    let mut program = TEN.to_string();
    for (system, state) in STATES {
        let states = bank(&text, system, "state");
        let mut columns = states.clone();
        columns.extend(states.iter().map(|s| format!("{s}'")).filter(|s| !states.contains(s)));
        program += &format!(
            "let run_{system} = simulate {system} {{ from t = 1/2, {state}; until t = 1; record {} }}\nsave run_{system} to \"{system}.csv\"\n",
            columns.join(", ")
        );
    }
    write("runs.mech", &program);
    let runs = folder.run(LEPAGE, &["run", "runs.mech"]).expect("lepage runs");
    assert!(runs.status.success(), "{}", err(&runs));
    let (mut c, mut rust, mut python) = (text.clone(), emitted("rust"), emitted("python"));
    c += "\n#include <stdio.h>\nint main(void) {\n    double out[12];\n";
    rust += "\nfn main() {\n    let mut out = [0.0; 12];\n";
    let mut expected = vec![];
    for (system, _) in STATES {
        let table = std::fs::read_to_string(folder.0.join(format!("{system}.csv"))).expect("a table");
        let row = table.lines().filter(|l| !l.starts_with('#')).nth(1).expect("a row");
        let row: Vec<f64> = row.split(',').map(|x| x.parse().expect("a number")).collect();
        let states = bank(&text, system, "state");
        let mut columns = states.clone();
        columns.extend(states.iter().map(|s| format!("{s}'")).filter(|s| !states.contains(s)));
        let value = |name: &str| row[1 + columns.iter().position(|c| c == name).expect("a column")];
        expected.extend(states.iter().map(|s| value(&format!("{s}'"))));
        let list = |numbers: Vec<f64>| numbers.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        let y = list(states.iter().map(|s| value(s)).collect());
        let parameter = |name: &String| match name.as_str() {
            "g" => 9.81,
            "m" => 2.0,
            "k" => 3.0,
            other => panic!("the parameter {other}"),
        };
        let p = list(bank(&text, system, "parameter").iter().map(parameter).collect());
        // C has no arrays without entries.
        let (n, some) = (states.len(), if p.is_empty() { "0.0" } else { &p });
        c += &format!(
            "    {{ double t[] = {{0.5}}, y[] = {{{y}}}, p[] = {{{some}}}; if (!{system}_field(t, y, p, 0, out)) return 1; for (int i = 0; i < {n}; i++) printf(\"%.17g\\n\", out[i]); }}\n"
        );
        rust += &format!(
            "    assert!({system}_field(&[0.5], &[{y}], &[{p}], &[], &mut out)); out[..{n}].iter().for_each(|x| println!(\"{{x:?}}\"));\n"
        );
        python += &format!("\nprint(*map(repr, {system}_field([0.5], [{y}], [{p}])), sep=\"\\n\")\n");
    }
    write("ten.c", &(c + "    return 0;\n}\n"));
    write("ten.rs", &(rust + "}\n"));
    write("ten.py", &python);
    let strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-o", "ten_c", "ten.c", "-lm"];
    let ways: [(&str, &[&str], &str, &[&str]); 3] = [
        ("cc", &strict, "./ten_c", &[]),
        ("rustc", &["-D", "warnings", "-o", "ten_rs", "ten.rs"], "./ten_rs", &[]),
        ("python3", &["--version"], "python3", &["ten.py"]),
    ];
    for (compiler, arguments, program, then) in ways {
        let Some(built) = folder.run(compiler, arguments) else { continue };
        assert!(built.status.success(), "{compiler}: {}", err(&built));
        let output = folder.run(program, then).expect("it runs");
        assert!(output.status.success(), "{program}: {}", err(&output));
        let found: Vec<f64> = out(&output).lines().map(|x| x.parse().expect("a number")).collect();
        assert_eq!(found.len(), expected.len(), "{program}");
        for (i, (x, y)) in found.iter().zip(&expected).enumerate() {
            // Elementary functions of other libraries differ in their last bits, and a chain of six has a matrix of condition 100.
            assert!((x - y).abs() <= 1e-12 * y.abs().max(1.0), "{program}, number {i}: {x} and {y}");
        }
    }
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
