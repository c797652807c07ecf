//! The program as a shell sees it: streams, exit codes, formats. No test looks at colours or times.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `lepage` with these arguments and this standard input.
fn lepage(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(arguments)
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lepage starts");
    // A child that does not read its input may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    child.wait_with_output().expect("lepage ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code, not a signal")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on standard output")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}

/// A fresh folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lepage-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn file(&self, name: &str, text: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a temporary file");
        path.to_str().expect("a UTF-8 path").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_empty_program_holds() {
    for text in ["", "\n", "// nothing\n", "\r\n\r\n", "\u{feff}"] {
        let output = lepage(&["run", "-"], text.as_bytes());
        assert_eq!((code(&output), out(&output), err(&output)), (0, String::new(), String::new()), "{text:?}");
    }
}

#[test]
fn findings_are_one_and_usage_is_two() {
    assert_eq!(code(&lepage(&["run", "-e", "no_such_question(1)"], b"")), 1);
    for usage in [
        &["run"][..],
        &["frobnicate"],
        &["run", "--format", "xml", "-"],
        &["run", "--set", "m", "-"],
        &["explain", "E9998"],
    ] {
        let output = lepage(usage, b"");
        assert_eq!(code(&output), 2, "{usage:?}");
        assert!(out(&output).is_empty() && !err(&output).is_empty(), "{usage:?}");
    }
    assert_eq!(code(&lepage(&["--help"], b"")), 0);
}

#[test]
fn a_missing_file_is_a_diagnostic_that_knows_its_neighbour() {
    let folder = Folder::new("missing");
    let near = folder.file("pendulum.mech", b"");
    let output = lepage(&["run", &near.replace("pendulum", "pendulm")], b"");
    assert_eq!(code(&output), 2);
    assert!(
        err(&output).contains("E0903") && err(&output).contains(&format!("did you mean `{near}`?")),
        "{}",
        err(&output)
    );
    assert!(lepage(&["run", folder.0.to_str().unwrap()], b"").status.code() == Some(2), "a folder is no program");
}

#[test]
fn bytes_that_are_no_text_are_a_diagnostic() {
    let output = lepage(&["run", "-"], b"let a = 1\nlet b = \xff\n");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("E0904") && err(&output).contains("<stdin>:2:9"), "{}", err(&output));
}

#[test]
fn the_other_files_run_when_one_cannot_be_read() {
    let folder = Folder::new("others");
    let good = folder.file("good.mech", b"no_such_question(1)\n");
    let output = lepage(&["run", "--format", "json", "absent.mech", &good], b"");
    assert_eq!(code(&output), 2);
    assert_eq!(out(&output).lines().count(), 1);
}

#[test]
fn every_statement_has_a_json_line() {
    let output = lepage(&["run", "--format", "json", "-"], b"no_such_question(1)\n\nno_other_question(2)\n");
    let lines: Vec<Value> = out(&output).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    for (line, number) in lines.iter().zip([1, 3]) {
        assert_eq!(line["line"], number);
        assert_eq!(line["status"], "refused");
        assert!(line["statement"].is_string() && line["code"].is_string() && line["name"].is_string(), "{line}");
    }
}

#[test]
fn diagnostics_come_in_three_formats_on_standard_error() {
    let run = |format: &str| lepage(&["run", "--message-format", format, "-"], b"no_such_question(1)\n");
    assert!(err(&run("human")).contains("╭─[ <stdin>:1:1 ]"));
    let short = err(&run("short"));
    assert!(short.starts_with("<stdin>:1:1: error[E") && short.lines().count() == 1, "{short}");
    let object: Value = serde_json::from_str(&err(&run("json"))).expect("JSON");
    assert_eq!(object["labels"][0]["line"], 1);
    for format in ["human", "short", "json"] {
        assert!(!err(&run(format)).contains('\x1b'), "no colour into a pipe");
    }
}

#[test]
fn a_reader_that_has_gone_is_a_diagnostic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["explain"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lepage starts");
    // Nobody reads: the pipe is closed before or while lepage writes. A short table may still fit
    // into the pipe before it closes, so either it held or the diagnostic is there; never a panic.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("lepage ends");
    let talk = err(&output);
    assert!(code(&output) == 0 || code(&output) == 2 && talk.contains("E0905"), "{talk}");
    assert!(!talk.contains("panicked") && !talk.contains("E0999"), "{talk}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_diagnostic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["explain"])
        .stdout(Stdio::from(full))
        .stderr(Stdio::piped())
        .output()
        .expect("lepage runs");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("E0905"), "{}", err(&output));
}

#[test]
fn timings_are_json_on_standard_error() {
    let output = lepage(&["run", "--timings", "-"], b"");
    let report: Value = serde_json::from_str(err(&output).lines().last().expect("a line")).expect("JSON");
    assert!(report["cpu_seconds"].is_number() && report["wall_seconds"].is_number());
    for stage in report["stages"].as_array().expect("stages") {
        assert!(
            stage["stage"].is_string() && stage["cpu_seconds"].is_number() && stage["nodes"].is_number(),
            "{stage}"
        );
    }
}

#[test]
fn the_version_says_what_this_build_can_do() {
    let plain = out(&lepage(&["--version"], b""));
    assert_eq!(plain, format!("lepage {}\n", env!("CARGO_PKG_VERSION")));
    let verbose = out(&lepage(&["--version", "--verbose"], b""));
    for word in ["features: ", "target: ", "schema: "] {
        assert!(verbose.contains(word), "{verbose}");
    }
}

#[test]
fn every_subcommand_helps_completes_and_is_in_the_manual() {
    let bash = out(&lepage(&["completions", "bash"], b""));
    // roff writes a hyphen as \\-
    let manual = out(&lepage(&["man"], b"")).replace("\\-", "-");
    for subcommand in lepage::cli::SUBCOMMANDS {
        let help = lepage(&[subcommand.name, "--help"], b"");
        assert!(code(&help) == 0 && out(&help).starts_with(subcommand.about), "{}", subcommand.name);
        assert!(bash.contains(subcommand.name), "{}", subcommand.name);
        assert!(manual.contains(subcommand.about), "{}", subcommand.name);
    }
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        assert!(!out(&lepage(&["completions", shell], b"")).is_empty());
    }
}

#[test]
fn a_new_program_is_not_written_over_an_old_one() {
    let folder = Folder::new("new");
    let path = folder.0.join("swing");
    let name = path.to_str().unwrap();
    assert_eq!(code(&lepage(&["new", name], b"")), 0);
    let program = std::fs::read_to_string(path.join("swing.mech")).expect("the first program");
    assert!(program.contains("lagrangian"));
    assert_eq!(code(&lepage(&["new", name], b"")), 2);
}

#[test]
fn text_piped_into_lepage_alone_is_a_program() {
    let output = lepage(&["--format", "json"], b"no_such_question(1)\n");
    assert_eq!(code(&output), 1);
    assert_eq!(out(&output).lines().count(), 1);
}

#[test]
fn fmt_rewrites_checks_and_pipes() {
    let folder = Folder::new("fmt");
    let file = folder.file("a.mech", b"let   a=1+2 // three\n");
    let check = lepage(&["fmt", "--check", &file], b"");
    assert_eq!((code(&check), out(&check)), (1, format!("{file}\n")));
    assert_eq!(code(&lepage(&["fmt", &file], b"")), 0);
    let formatted = std::fs::read_to_string(&file).expect("the file");
    assert!(formatted.contains("// three") && formatted != "let   a=1+2 // three\n", "{formatted}");
    assert_eq!(code(&lepage(&["fmt", "--check", &file], b"")), 0);
    assert_eq!(out(&lepage(&["fmt", "-"], b"let   a=1+2 // three\n")), formatted);
    let wrong = lepage(&["fmt", "-"], b"let a = (1\n");
    assert_eq!((code(&wrong), out(&wrong)), (1, String::new()));
    assert!(err(&wrong).contains("E0002"), "{}", err(&wrong));
}
