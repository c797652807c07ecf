//! Sweeps as a shell sees them: the same table from any number of threads, after any stop, and from shards.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder with a program, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, program: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("lepage-sweep-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        std::fs::write(folder.join("a.mech"), program).expect("a program");
        Folder(folder)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lepage"));
        command.args(arguments).current_dir(&self.0).env_remove("COLUMNS");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("lepage starts")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.start(arguments).wait_with_output().expect("lepage ends")
    }

    fn holds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", talk(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn rows(&self, name: &str) -> Vec<Vec<String>> {
        let text = self.text(name);
        let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        lines.map(|line| line.split(',').map(str::to_string).collect()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

const OSCILLATOR: &str = "manifold Y over t { x }\nparam k = 1\nlagrangian L on J1(Y) = x'^2/2 - k*x^2/2\n";

/// Pendulums from many states: some milliseconds of work for each row.
fn pendulums(rows: u32, end: u32) -> String {
    format!(
        "manifold Y over t {{ q : angle }}\nlagrangian L on J1(Y) = q'^2/2 + cos(q)\n\
         sweep L over q in 0..3, q' in -1..1 {{ until t = {end}; method dop853; sample sobol({rows}, seed = 3); collect q1 = q.last, v1 = q'.last }} to \"table.csv\"\n"
    )
}

/// x'' = −k x from (1, v): the greatest x in a whole period is √(1 + v²/k).
#[test]
fn a_grid_has_the_amplitudes_of_its_oscillators() {
    let sweep = "sweep L over k in [1, 4, 9], x' in -1..1 by 1/4 { from x = 1; until t = 7; collect top = max(x), swing = x.max - x.min, drift = max(abs(energy(L) - energy(L).first)) } to \"out/table.csv\"\n";
    let folder = Folder::new("grid", &format!("{OSCILLATOR}{sweep}"));
    folder.holds(&["sweep", "a.mech"]);
    let rows = folder.rows("out/table.csv");
    assert_eq!(rows.len(), 27);
    for (i, row) in rows.iter().enumerate() {
        let (k, v) = (number(&row[1]), number(&row[2]));
        assert_eq!(
            (row[0].as_str(), k, v),
            (&*(i + 1).to_string(), [1.0, 4.0, 9.0][i / 9], -1.0 + (i % 9) as f64 / 4.0)
        );
        let amplitude = (1.0 + v * v / k).sqrt();
        // The tolerance of the steps is 1e-10.
        assert!((number(&row[3]) - amplitude).abs() < 1e-8, "{row:?}");
        assert!((number(&row[4]) - 2.0 * amplitude).abs() < 1e-8, "{row:?}");
        assert!(number(&row[5]) < 1e-8 && row[6] == "reached", "{row:?}");
    }
    let head = folder.text("out/table.csv");
    for key in [
        "# lepage: ",
        "# program: a.mech",
        "# input: blake3:",
        "# rows: 27",
        "# method: auto",
        "# tolerance: rel 1e-10",
    ] {
        assert!(head.contains(key), "{key} in {head}");
    }
}

#[test]
fn threads_and_settings_change_no_bit() {
    for rule in ["sobol(200)", "sobol(200, seed = 9)", "random(200)", "random(200, seed = 9)"] {
        let sweep = format!(
            "sweep L over k in 1..4, x' in -1..1 {{ from x = 1; until t = 3; sample {rule}; collect top = max(x) }} to \"t.csv\"\n"
        );
        let folder = Folder::new(&rule.replace(['(', ')', ' ', ',', '='], "-"), &format!("{OSCILLATOR}{sweep}"));
        folder.holds(&["sweep", "a.mech", "--jobs", "1"]);
        let one = folder.text("t.csv");
        for jobs in ["2", "5"] {
            folder.holds(&["sweep", "a.mech", "--jobs", jobs]);
            assert_eq!(folder.text("t.csv"), one, "{rule}, {jobs} threads");
        }
        let inside =
            |row: &Vec<String>| (1.0..4.0).contains(&number(&row[1])) && (-1.0..1.0).contains(&number(&row[2]));
        assert!(folder.rows("t.csv").iter().all(inside));
    }
}

/// x'' = k x²: from x = 1 at rest the motion reaches infinity when k > 0, and never when k = 0.
#[test]
fn a_row_that_fails_says_why_and_the_others_go_on() {
    let program = "manifold Y over t { x }\nparam k = 0\nequations N on J2(Y) { x: -x'' + k*x^2 }\nsweep N over k in [0, 1, 0] { from x = 1; until t = 10; collect end = x.last } to \"t.csv\"\n";
    let folder = Folder::new("fails", program);
    let output = folder.run(&["sweep", "a.mech"]);
    assert!(output.status.success() && talk(&output).contains("one row has no values"), "{}", talk(&output));
    let rows = folder.rows("t.csv");
    assert_eq!((rows[0][2].as_str(), rows[0][3].as_str(), rows[2][3].as_str()), ("1.0", "reached", "reached"));
    assert!(rows[1][2] == "nan" && rows[1][3] != "reached", "{:?}", rows[1]);
}

/// Questions to a table are answered by the rows that have values. x'' = −k x from 1 at rest is cos(√k t): √cos 1 =
/// 0.73505258714471571 for k = 1, and for k = 4 there is no root, since cos 2 < 0.
#[test]
fn rows_that_failed_are_left_out_of_answers() {
    let program = OSCILLATOR.to_string()
        + "let s = sweep L over k in [1, 4] { from x = 1; until t = 1; collect a = sqrt(x.last), b = x.last }\n\
           s\nassert s.rows = 2\nassert s.failed = 1\nassert s.a = 0.7350525871447157 within 1e-8\n\
           assert s.a.last = 0.7350525871447157 within 1e-8\ns.a\ns.k\n";
    let folder = Folder::new("left-out", &program);
    let output = folder.run(&["run", "a.mech"]);
    assert!(output.status.success(), "{}", talk(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("2 rows, 1 of them failed") && text.contains("a: 1 value"), "{text}");
    assert!(!text.contains("from NaN") && !text.contains("between NaN"), "{text}");
}

/// Runs of series go side by side, each with its own parameters, time and end, and have the bits of runs alone: a shard of four
/// rows has too few for that.
#[test]
fn rows_side_by_side_have_the_bits_of_rows_alone() {
    let program = "manifold Q over t { a : angle, b : angle }\nparam g = 9.81, k = 1, s = 1\n\
        lagrangian L on J1(Q) = a'^2 + b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b)) - exp(k*a/10) + s*b*sin(k*t)/7\n\
        sweep L over a in -2..2 by 1, k in [1, 2, 0, 1/3] { from b = 1/2; until t = 3 + k; method taylor; tolerance 1e-9\n\
        collect x = a.last, y = b.last, v = (a').last, w = (b').last } to \"table.csv\"\n";
    let folder = Folder::new("beside", program);
    folder.holds(&["sweep", "a.mech", "--jobs", "1"]);
    let parts: Vec<String> = (1..=5).map(|i| format!("part-{i}.csv")).collect();
    for (i, part) in parts.iter().enumerate() {
        folder.holds(&["sweep", "a.mech", "--shard", &format!("{}/5", i + 1), "--out", part, "--jobs", "1"]);
    }
    let mut merge = vec!["sweep", "merge"];
    merge.extend(parts.iter().map(String::as_str));
    merge.extend(["--out", "merged.csv"]);
    folder.holds(&merge);
    assert_eq!(folder.text("merged.csv"), folder.text("table.csv"));
    assert!(folder.rows("table.csv").iter().all(|row| row.last().is_some_and(|word| word == "reached")));
}

/// Code of the C compiler of the system, for as many runs at once as the processor has lanes, changes no bit of the table: rows that
/// are ordinary, one that meets a singular point, one that is long; and so on any number of threads.
#[test]
fn wide_code_changes_no_bit() {
    let program = |end: u32| {
        format!(
            "manifold Q over t {{ a : angle, b : angle }}\nparam g = 9.81, k = 1\n\
             lagrangian L on J1(Q) = a'^2 + b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b)) - exp(k*a/10) + log(b + 4)/10\n\
             sweep L over a in -2..2 by 1/5, k in [1, 2] {{ from b = 1/2; until t = {end}; method taylor; tolerance 1e-9\n\
             collect x = a.last, y = b.last, v = (a').last }} to \"table.csv\"\n"
        )
    };
    let folder = Folder::new("wide", &program(10));
    folder.holds(&["sweep", "a.mech", "--out", "plain.csv", "--jobs", "1"]);
    let output = folder.run(&["sweep", "a.mech", "--out", "wide.csv", "--wide", "--jobs", "2"]);
    assert!(output.status.success(), "{}", talk(&output));
    if talk(&output).contains("there is no C compiler") {
        eprintln!("skipped: {}", talk(&output));
        return;
    }
    assert!(!talk(&output).contains("does nothing"), "{}", talk(&output));
    assert_eq!(folder.text("wide.csv"), folder.text("plain.csv"));
    // Without a compiler the table is made all the same, and it is said.
    let mut command = folder.command(&["sweep", "a.mech", "--out", "without.csv", "--wide"]);
    let output = command.env("CC", "there-is-no-such-compiler").output().expect("lepage runs");
    assert!(output.status.success() && talk(&output).contains("there is no C compiler"), "{}", talk(&output));
    assert_eq!(folder.text("without.csv"), folder.text("plain.csv"));
}

/// What every table has, and what every sweep can be asked, is no name for a column: one of the two would have no effect.
#[test]
fn a_column_has_a_name_of_its_own() {
    for name in ["row", "status", "rows", "failed"] {
        let sweep =
            format!("sweep L over k in [1, 2] {{ from x = 1; until t = 1; collect {name} = x.last }} to \"t.csv\"\n");
        let folder = Folder::new(&format!("column-{name}"), &format!("{OSCILLATOR}{sweep}"));
        let output = folder.run(&["sweep", "a.mech"]);
        assert!(talk(&output).contains(&format!("every sweep has a part `{name}`")), "{}", talk(&output));
        assert!(!output.status.success() && !folder.0.join("t.csv").exists());
        let program = format!(
            "manifold Y over t {{ x }}\nparam {name} = 1\nlagrangian L on J1(Y) = x'^2/2 - {name}*x^2/2\n\
            sweep L over {name} in [1, 2] {{ from x = 1; until t = 1; collect a = x.last }} to \"t.csv\"\n"
        );
        let folder = Folder::new(&format!("axis-{name}"), &program);
        let output = folder.run(&["sweep", "a.mech"]);
        assert!(talk(&output).contains(&format!("every sweep has a part `{name}`")), "{}", talk(&output));
    }
}

/// Killed at twenty moments and resumed, the table is the one that is made in one go.
#[test]
fn a_killed_sweep_is_resumed() {
    let folder = Folder::new("killed", &pendulums(3000, 60));
    folder.holds(&["sweep", "a.mech", "--out", "whole.csv"]);
    let mut moment = 12345u64;
    let mut partial = 0;
    for _ in 0..20 {
        let mut child = folder.start(&["sweep", "a.mech", "--resume", "--jobs", "2"]);
        moment = moment.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_millis(20 + moment % 100));
        let _ = child.kill();
        child.wait().expect("it ends");
        partial += usize::from(folder.0.join("table.csv.partial").exists());
    }
    assert!(partial > 0, "no kill left a part of the table");
    folder.holds(&["sweep", "a.mech", "--resume"]);
    assert_eq!(folder.text("table.csv"), folder.text("whole.csv"));
    assert!(!folder.0.join("table.csv.partial").exists());
    let again = folder.run(&["sweep", "a.mech", "--resume"]);
    assert!(talk(&again).contains("is complete already"), "{}", talk(&again));
}

/// A scheduler that believes a job to be dead starts it again: of the processes that are to make one table one writes, and the other
/// waits until that has ended. So it is when the first is killed meanwhile.
#[cfg(unix)]
#[test]
fn two_processes_make_one_table() {
    let folder = Folder::new("two", &pendulums(4000, 60));
    folder.holds(&["sweep", "a.mech", "--out", "whole.csv"]);
    for is_killed in [false, true] {
        let mut first = folder.start(&["sweep", "a.mech", "--resume", "--jobs", "1"]);
        let partial = folder.0.join("table.csv.partial");
        for _ in 0..1000 {
            if std::fs::metadata(&partial).is_ok_and(|known| known.len() > 4000) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let second = folder.start(&["sweep", "a.mech", "--resume", "--jobs", "1"]);
        let anew = folder.run(&["sweep", "a.mech"]);
        assert!(!anew.status.success() && talk(&anew).contains("another process writes it now"), "{}", talk(&anew));
        if is_killed {
            first.kill().expect("it runs");
        }
        assert_eq!(first.wait().expect("it ends").success(), !is_killed);
        let second = second.wait_with_output().expect("it ends");
        assert!(second.status.success() && talk(&second).contains("waiting until it ends"), "{}", talk(&second));
        assert_eq!(talk(&second).contains("is complete already"), !is_killed, "{}", talk(&second));
        assert_eq!(folder.text("table.csv"), folder.text("whole.csv"));
        assert!(!partial.exists());
        std::fs::remove_file(folder.0.join("table.csv")).expect("it is there");
    }
}

/// What a power cut leaves may be a file of the right length with zeros in it, since the system writes in an order of its own.
#[test]
fn rows_that_were_lost_are_made_again() {
    let folder = Folder::new("lost", &pendulums(300, 5));
    folder.holds(&["sweep", "a.mech", "--out", "whole.csv"]);
    let whole = std::fs::read(folder.0.join("whole.csv")).expect("the table");
    for at in [whole.len() / 2, whole.len() - 300] {
        let mut left = whole[..whole.len() - 100].to_vec();
        left[at..at + 50].fill(0);
        std::fs::write(folder.0.join("table.csv.partial"), left).expect("a part");
        folder.holds(&["sweep", "a.mech", "--resume"]);
        assert_eq!(folder.text("table.csv"), folder.text("whole.csv"));
        std::fs::remove_file(folder.0.join("table.csv")).expect("it is there");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_table_that_can_be_read_and_resumed() {
    let folder = Folder::new("interrupted", &pendulums(4000, 200));
    let child = folder.start(&["sweep", "a.mech"]);
    let partial = folder.0.join("table.csv.partial");
    for _ in 0..1000 {
        if std::fs::metadata(&partial).is_ok_and(|known| known.len() > 4000) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", talk(&output));
    assert!(talk(&output).contains("interrupted after") && talk(&output).contains("--resume"), "{}", talk(&output));
    let text = folder.text("table.csv.partial");
    assert!(text.ends_with('\n') && !folder.0.join("table.csv").exists());
    let rows = folder.rows("table.csv.partial");
    assert!(rows.iter().enumerate().all(|(i, row)| row.len() == 6 && row[0] == (i + 1).to_string()));
    // Another program does not go on with it.
    std::fs::write(folder.0.join("b.mech"), pendulums(4000, 201)).expect("a program");
    let other = folder.run(&["sweep", "b.mech", "--resume"]);
    assert!(!other.status.success() && talk(&other).contains("was begun by another program"), "{}", talk(&other));
    assert_eq!(folder.text("table.csv.partial"), text);
}

/// Four shards in processes of their own, of which one is killed, resumed, and merged: the table of one process.
#[test]
fn shards_are_merged_to_the_whole_table() {
    let folder = Folder::new("shards", &pendulums(1200, 60));
    folder.holds(&["sweep", "a.mech"]);
    let whole = folder.text("table.csv");
    let part = |i: usize| format!("part-{i}.csv");
    let shard = |i: usize, more: &[&str]| {
        let (shard, part) = (format!("{i}/4"), part(i));
        let mut arguments = vec!["sweep", "a.mech", "--shard", &shard, "--out", &part];
        arguments.extend(more);
        folder.start(&arguments)
    };
    let mut children: Vec<Child> = (1..=4).map(|i| shard(i, &[])).collect();
    std::thread::sleep(Duration::from_millis(60));
    let _ = children[2].kill();
    for child in &mut children {
        child.wait().expect("it ends");
    }
    std::fs::remove_file(folder.0.join(part(3))).ok();
    let parts: Vec<String> = (1..=4).map(part).collect();
    let merge = |parts: &[String], to: &str| {
        let mut arguments = vec!["sweep", "merge"];
        arguments.extend(parts.iter().map(String::as_str));
        arguments.extend(["--out", to]);
        folder.run(&arguments)
    };
    let without = [parts[0].clone(), parts[1].clone(), parts[3].clone()];
    let missing = merge(&without, "merged.csv");
    assert!(!missing.status.success() && talk(&missing).contains("--shard 3/4"), "{}", talk(&missing));
    assert!(!folder.0.join("merged.csv").exists());
    assert!(shard(3, &["--resume"]).wait().expect("it ends").success());
    // In any order.
    let parts: Vec<String> = [3, 1, 4, 2].into_iter().map(part).collect();
    let merged = merge(&parts, "merged.csv");
    assert!(merged.status.success(), "{}", talk(&merged));
    assert_eq!(folder.text("merged.csv"), whole);
    let twice = merge(&[parts[0].clone(), parts[0].clone()], "merged.csv");
    assert!(talk(&twice).contains("is there twice"), "{}", talk(&twice));
    // A shard of another program.
    std::fs::write(folder.0.join("b.mech"), pendulums(1200, 61)).expect("a program");
    folder.holds(&["sweep", "b.mech", "--shard", "3/4", "--out", "part-3.csv"]);
    let mixed = merge(&parts, "merged.csv");
    assert!(!mixed.status.success() && talk(&mixed).contains("belongs to another sweep"), "{}", talk(&mixed));
    assert_eq!(folder.text("merged.csv"), whole);
}

#[test]
fn a_sweep_is_estimated_and_handed_to_a_scheduler() {
    let folder = Folder::new("estimate", &pendulums(1_000_000, 10));
    let text = folder.holds(&["sweep", "a.mech", "--estimate"]);
    assert!(text.starts_with("1000000 rows, about ") && text.contains(" threads, about "), "{text}");
    assert!(!folder.0.join("table.csv.partial").exists());
    let shard = folder.holds(&["sweep", "a.mech", "--estimate", "--shard", "2/8"]);
    assert!(shard.starts_with("125000 rows, about "), "{shard}");
    let json = folder.holds(&["sweep", "a.mech", "--estimate", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one line of JSON");
    assert!(json["estimate"]["rows"] == 1_000_000 && json["estimate"]["seconds"].as_f64() > Some(0.0), "{json}");
    let script = folder.holds(&["sweep", "a.mech", "--shard", "1/50", "--emit", "slurm", "--out", "table.csv"]);
    assert!(script.starts_with("#!/bin/bash\n") && script.contains("#SBATCH --array=1-50\n"), "{script}");
    assert!(script.contains("--shard \"$SLURM_ARRAY_TASK_ID/50\""), "{script}");
    let settings = [
        "--jobs",
        "16",
        "--wide",
        "--portable",
        "--memory",
        "3G",
        "--effort",
        "2",
        "--set",
        "k=2 + 1",
        "-e",
        "// it's",
    ];
    let more = ["sweep", "a.mech", "--shard", "1/50", "--emit", "slurm"].into_iter().chain(settings);
    let told = folder.holds(&more.collect::<Vec<_>>());
    let again = " --set 'k=2 + 1' --wide --portable --memory 3221225472 --effort 2 -e '// it'\\''s' \\\n";
    assert!(told.contains(again) && told.contains("--cpus-per-task=16\n"), "{told}");
    // An answer that goes nowhere is a failure.
    #[cfg(target_os = "linux")]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        let output = folder.command(&["sweep", "a.mech", "--estimate"]).stdout(full).output().expect("lepage runs");
        assert!(!output.status.success() && talk(&output).contains("no space left"), "{}", talk(&output));
    }
    // What the script runs is what a shell runs.
    let small = pendulums(40, 1);
    std::fs::write(folder.0.join("a.mech"), small).expect("a program");
    std::fs::write(folder.0.join("job.sh"), script).expect("a script");
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_lepage"));
    let path = format!("{}:/usr/bin:/bin", bin.parent().expect("a folder").display());
    let mut job = Command::new("bash");
    let job = job
        .arg("job.sh")
        .current_dir(&folder.0)
        .env("PATH", path)
        .env("SLURM_ARRAY_TASK_ID", "2")
        .env("SLURM_CPUS_PER_TASK", "2")
        .output();
    let job = job.expect("bash runs");
    assert!(job.status.success(), "{}", talk(&job));
    assert_eq!(folder.rows("table-2-of-50.csv").len(), 1);
}

/// Other formats have the rows of the CSV file.
#[test]
fn every_format_has_the_same_rows() {
    let folder = Folder::new("formats", &pendulums(5, 1));
    folder.holds(&["sweep", "a.mech", "--out", "t.csv"]);
    folder.holds(&["sweep", "a.mech", "--out", "t.json"]);
    folder.holds(&["sweep", "a.mech", "--out", "t.npy"]);
    let json: serde_json::Value = serde_json::from_str(&folder.text("t.json")).expect("JSON");
    for (row, values) in folder.rows("t.csv").iter().zip(json["rows"].as_array().expect("rows")) {
        assert_eq!(values[0].as_u64(), row[0].parse().ok());
        assert_eq!(values[3].as_f64().map(f64::to_bits), Some(number(&row[3]).to_bits()));
        assert_eq!(values[5].as_str(), Some(row[5].as_str()));
    }
    assert!(json["metadata"]["input"].as_str().is_some_and(|hash| hash.starts_with("blake3:")));
    let beside: serde_json::Value = serde_json::from_str(&folder.text("t.npy.json")).expect("JSON");
    assert_eq!(beside["seed"], "3");
    let bytes = std::fs::read(folder.0.join("t.npy")).expect("the array");
    // Four doubles, a count and a word of 16 letters in four bytes each.
    let record = 8 + 4 * 8 + 64;
    let first = bytes.len() - 5 * record;
    assert_eq!(bytes[first..first + 8], 1u64.to_le_bytes());
    let q = number(&folder.rows("t.csv")[0][3]);
    assert_eq!(bytes[first + 24..first + 32], q.to_le_bytes());
}

/// Shards of any format are one contract: each makes the table that is made in one go, and formats may be mixed.
#[test]
fn shards_of_every_format_are_merged_to_the_whole_table() {
    let folder = Folder::new("shard-formats", &pendulums(50, 5));
    let endings: &[&str] = if cfg!(feature = "arrow") {
        &["csv", "json", "npy", "npz", "parquet"]
    } else {
        &["csv", "json", "npy", "npz"]
    };
    let bytes = |name: &str| std::fs::read(folder.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let shard = |i: usize, ending: &str| {
        let (part, name) = (format!("{i}/3"), format!("part-{i}.{ending}"));
        folder.run(&["sweep", "a.mech", "--resume", "--shard", &part, "--out", &name])
    };
    for ending in endings {
        let (whole, merged) = (format!("whole.{ending}"), format!("merged.{ending}"));
        folder.holds(&["sweep", "a.mech", "--out", &whole]);
        let again = folder.run(&["sweep", "a.mech", "--resume", "--out", &whole]);
        assert!(talk(&again).contains("is complete already"), "{ending}: {}", talk(&again));
        for i in 1..=3 {
            assert!(shard(i, ending).status.success());
            // A shard that is there is not made again.
            assert!(talk(&shard(i, ending)).contains("is complete already"), "{ending}");
        }
        let parts: Vec<String> = (1..=3).map(|i| format!("part-{i}.{ending}")).collect();
        folder.holds(&["sweep", "merge", &parts[1], &parts[0], &parts[2], "--out", &merged]);
        assert_eq!(bytes(&merged), bytes(&whole), "{ending}");
        let missing = folder.run(&["sweep", "merge", &parts[0], &parts[2], "--out", "none.csv"]);
        assert!(talk(&missing).contains("--shard 2/3") && !folder.0.join("none.csv").exists(), "{}", talk(&missing));
    }
    folder.holds(&["sweep", "merge", "part-1.json", "part-2.npz", "part-3.npy", "--out", "mixed.csv"]);
    assert_eq!(bytes("mixed.csv"), bytes("whole.csv"));
    // Rows that were put in another order are seen.
    let text = folder.text("part-2.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.len() - 1;
    // The last line is the digest.
    lines.swap(last - 3, last - 2);
    std::fs::write(folder.0.join("part-2.csv"), lines.join("\n") + "\n").expect("a shard");
    let swapped = folder.run(&["sweep", "merge", "part-1.csv", "part-2.csv", "part-3.csv", "--out", "merged.csv"]);
    assert!(!swapped.status.success() && talk(&swapped).contains("is not in its place"), "{}", talk(&swapped));
    assert_eq!(bytes("merged.csv"), bytes("whole.csv"));
}

/// A shard that was damaged on its way, in any place and any format, is named with the command that makes it again: no table comes
/// of it, or the right one.
#[test]
fn damaged_shards_are_named() {
    let folder = Folder::new("damaged", &pendulums(30, 5));
    let bytes = |name: &str| std::fs::read(folder.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    for ending in ["csv", "json", "npy", "npz"] {
        folder.holds(&["sweep", "a.mech", "--out", &format!("whole.{ending}")]);
        let parts: Vec<String> = (1..=3).map(|i| format!("part-{i}.{ending}")).collect();
        for (i, part) in parts.iter().enumerate() {
            folder.holds(&["sweep", "a.mech", "--shard", &format!("{}/3", i + 1), "--out", part]);
        }
        let merged = format!("merged.{ending}");
        let merge = || folder.run(&["sweep", "merge", &parts[0], &parts[1], &parts[2], "--out", &merged]);
        let good = bytes(&parts[1]);
        let mut refused = 0;
        for i in 0..24 {
            let mut bad = good.clone();
            let at = i * good.len() / 24;
            match i % 4 {
                0 => bad.truncate(at),
                1 => drop(bad.remove(at)),
                _ => bad[at] ^= 1 << (i % 7),
            }
            std::fs::write(folder.0.join(&parts[1]), bad).expect("a shard");
            let output = merge();
            if output.status.success() {
                assert!(bytes(&merged) == bytes(&format!("whole.{ending}")), "{ending}, byte {at}");
                std::fs::remove_file(folder.0.join(&merged)).expect("it is there");
            } else {
                refused += 1;
                assert!(talk(&output).contains(&parts[1]) && !folder.0.join(&merged).exists(), "{}", talk(&output));
            }
        }
        assert!(refused > 16, "{ending}: {refused}");
        // A digit, where a number stands; the command that is shown repairs it.
        std::fs::write(folder.0.join(&parts[1]), &good).expect("a shard");
        if ending == "csv" || ending == "npy" {
            let mut bad = good.clone();
            let at = bad.windows(9).position(|w| w == b",reached\n").map_or(good.len() - 80, |at| at - 1);
            bad[at] = if bad[at] == b'1' { b'2' } else { b'1' };
            std::fs::write(folder.0.join(&parts[1]), bad).expect("a shard");
            let output = merge();
            let command = format!("lepage sweep a.mech --shard 2/3 --resume --out {}", parts[1]);
            assert!(talk(&output).contains("one of 3 shards is missing or damaged"), "{}", talk(&output));
            assert!(talk(&output).contains(&command), "{}", talk(&output));
            folder.holds(&["sweep", "a.mech", "--shard", "2/3", "--resume", "--out", &parts[1]]);
            assert!(bytes(&parts[1]) == good, "{ending}");
        }
        assert!(merge().status.success() && bytes(&merged) == bytes(&format!("whole.{ending}")), "{ending}");
        // A shard is not written over.
        let over = folder.run(&["sweep", "merge", &parts[0], &parts[1], &parts[2], "--out", &parts[1]]);
        assert!(!over.status.success() && talk(&over).contains("is one of the shards"), "{}", talk(&over));
        assert!(bytes(&parts[1]) == good, "{ending}");
    }
}

#[test]
fn what_cannot_be_written_is_said_before_the_first_row() {
    let folder = Folder::new("unwritable", &pendulums(1_000_000, 1000));
    std::fs::write(folder.0.join("file"), "a file and no folder").expect("a file");
    let output = folder.run(&["sweep", "a.mech", "--out", "file/table.csv"]);
    assert!(!output.status.success() && talk(&output).contains("cannot be written"), "{}", talk(&output));
    let shard = folder.run(&["sweep", "a.mech", "--shard", "5/4"]);
    assert_eq!(shard.status.code(), Some(2));
}

/// Formulas are derived with what is assumed: a row that contradicts it has no values, and the others have theirs.
#[test]
fn rows_that_contradict_what_is_assumed_fail_with_that_reason() {
    let program = |start: &str, axes: &str| {
        format!(
            "manifold Y over t {{ x }}\nparam k = 1\nassume k > 0\nassume x > -1\n\
             lagrangian L on J1(Y) = (x'^2 - k*x^2)/2\n\
             sweep L over {axes} {{ {start}until t = 1; collect a = x.last }} to \"t.csv\"\n"
        )
    };
    for (start, axes) in [("from x = 1; ", "k in [1, -1, 4, 0]"), ("", "x in [1, -2, 0, -1]")] {
        let folder = Folder::new(&format!("assumed-{}", &axes[..1]), &program(start, axes));
        let output = folder.run(&["sweep", "a.mech"]);
        assert!(talk(&output).contains("contradicts what is assumed"), "{}", talk(&output));
        let rows = folder.rows("t.csv");
        let words: Vec<&str> = rows.iter().filter_map(|row| row.last()).map(String::as_str).collect();
        assert_eq!(words, ["reached", "contradiction", "reached", "contradiction"], "{axes}");
    }
}

/// One file for two tables would lose the first; for an estimate nothing is written.
#[test]
fn two_sweeps_do_not_write_one_table() {
    let sweep = |k: &str| {
        format!("sweep L over k in {k} {{ from x = 1; until t = 1; collect a = x.last }} to \"{}.csv\"\n", &k[1..2])
    };
    let folder = Folder::new("over", &format!("{OSCILLATOR}{}{}", sweep("[1, 4]"), sweep("[9, 16, 25]")));
    let output = folder.run(&["sweep", "a.mech", "--out", "one.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", talk(&output));
    assert!(talk(&output).contains("`one.csv` is written twice"), "{}", talk(&output));
    assert_eq!(folder.rows("one.csv").len(), 2);
    let shard = folder.run(&["sweep", "a.mech", "--shard", "1/2", "--out", "part.csv"]);
    assert_eq!((shard.status.code(), folder.rows("part.csv").len()), (Some(1), 1), "{}", talk(&shard));
    assert_eq!(folder.holds(&["sweep", "a.mech", "--estimate", "--out", "one.csv"]).lines().count(), 2);
    folder.holds(&["sweep", "a.mech", "--out", "."]);
    assert_eq!((folder.rows("1.csv").len(), folder.rows("9.csv").len()), (2, 3));
}
