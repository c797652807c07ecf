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
    // A folder stands for the programs in it.
    let of_folder = lepage(&["run", folder.0.to_str().unwrap()], b"");
    assert_eq!(code(&of_folder), 0, "{}", err(&of_folder));
    let empty = lepage(&["check", Folder::new("empty").0.to_str().unwrap()], b"");
    assert!(code(&empty) == 2 && err(&empty).contains("there is no program in the folder"), "{}", err(&empty));
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
fn a_reader_that_has_seen_enough_is_no_mistake() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["explain"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lepage starts");
    // Nobody reads: the pipe is closed before or while lepage writes.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("lepage ends");
    let talk = err(&output);
    assert!(code(&output) == 0 && talk.is_empty(), "{talk}");
}

#[cfg(target_os = "linux")]
/// One mistake in the second line, six statements that depend on it: two are shown, the others are counted. Whoever reads
/// JSON gets every one.
#[test]
fn one_mistake_does_not_fill_the_screen() {
    let program =
        b"manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - k*x\nequations(L)\nenergy(L)\nclassify(L)\n\
        hessian(L)\n\nmomenta(L)\nL\n";
    let run = lepage(&["run", "-"], program);
    let text = err(&run);
    assert_eq!(code(&run), 1);
    assert_eq!(text.matches("note[E0107]").count(), 3, "{text}");
    assert!(text.contains("4 more statements depend on what was refused"), "{text}");
    assert!(text.contains("lines 5–6, 8–9"), "{text}");
    let run = lepage(&["run", "--message-format", "json", "-"], program);
    assert_eq!(err(&run).matches("E0107").count(), 6, "{}", err(&run));
}

/// An option that stands before the subcommand is one of the subcommand.
#[test]
fn options_may_stand_first() {
    let program = b"no_such_question(1)\n";
    let behind = lepage(&["run", "--message-format", "short", "-"], program);
    let before = lepage(&["--message-format", "short", "run", "-"], program);
    assert!(err(&behind).starts_with("<stdin>:1:1"), "{}", err(&behind));
    assert_eq!((code(&before), err(&before)), (code(&behind), err(&behind)));
    assert_eq!(code(&lepage(&["--no-such-option", "run", "-"], program)), 2);
}

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
        assert!(out(&help).trim_end().ends_with(&format!("Example: {}", subcommand.example)), "{}", subcommand.name);
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

#[test]
fn a_program_uses_files_below_its_folder_relative_to_the_file_that_names_them() {
    let folder = Folder::new("use");
    std::fs::create_dir_all(folder.0.join("parts")).expect("a folder");
    folder.file("common.mech", b"/// The mass.\nparam m = 2\nlet twice(x) = 2*x\n");
    folder.file("parts/wheel.mech", b"use \"../common.mech\"\nlet wheel = twice(m)\n");
    // Two ways to one file: its names are not doubled.
    let main =
        folder.file("main.mech", b"use \"common.mech\"\nuse \"parts/wheel.mech\"\nassert wheel = 2*m\nwheel - m\n");
    let output = lepage(&["run", &main], b"");
    assert_eq!((code(&output), out(&output)), (0, "wheel - m\n    m\n".to_string()), "{}", err(&output));
    let prefixed = folder
        .file("prefixed.mech", b"param m = 1\nuse \"common.mech\" as c\nassert c.m - m != 0 fails\nc.twice(c.m)\n");
    let output = lepage(&["run", &prefixed], b"");
    assert!(out(&output).contains("2*m"), "{}{}", out(&output), err(&output));
}

#[test]
fn what_cannot_be_used_is_said_where_it_is_named() {
    let folder = Folder::new("misuse");
    std::fs::create_dir_all(folder.0.join("inner")).expect("a folder");
    folder.file("wheel.mech", b"let wheel = 1\n");
    folder.file("broken.mech", b"let a = 1\nlet b = (2\n");
    folder.file("wrong.mech", b"let a = 1\nlet b = a + nothing\n");
    folder.file("latin.mech", b"let a = 1 // caf\xe9\n");
    folder.file("a.mech", b"use \"b.mech\"\n");
    folder.file("b.mech", b"use \"a.mech\"\n");
    folder.file("self.mech", b"use \"self.mech\"\n");
    folder.file("inner/out.mech", b"use \"../../elsewhere.mech\"\n");
    let check = |name: &str, text: &str, words: &[&str]| {
        let main = folder.file(name, text.as_bytes());
        let output = lepage(&["check", "--message-format", "short", &main], b"");
        assert_eq!(code(&output), 1, "{text}");
        for word in words {
            assert!(err(&output).contains(word), "{text}: {word:?} is not in\n{}", err(&output));
        }
        assert_eq!(err(&output).lines().count(), 1, "one mistake, one message: {}", err(&output));
    };
    check("m1.mech", "use \"weel.mech\"\n", &["m1.mech:1:5", "E0903"]);
    check("m2.mech", "use \"/etc/passwd\"\n", &["m2.mech:1:5", "E0110"]);
    check("m3.mech", "use \"../wheel.mech\"\n", &["m3.mech:1:5", "E0110"]);
    check("m4.mech", "use \"inner/out.mech\"\n", &["out.mech:1:5", "E0110"]);
    check("m5.mech", "use \"broken.mech\"\n", &["broken.mech:2:9", "E0002"]);
    check("m6.mech", "use \"wrong.mech\"\n", &["wrong.mech:2:13", "E0101"]);
    check("m7.mech", "use \"latin.mech\"\n", &["m7.mech:1:5", "E0904"]);
    check("m8.mech", "use std.sprigns\n", &["m8.mech:1:5", "E0108"]);
    check("m9.mech", "let wheel = 2\nuse \"wheel.mech\"\nwheel\n", &["m9.mech:2:5", "E0102"]);
    check("a.mech", "use \"b.mech\"\n", &["b.mech:1:5", "E0109"]);
    check("self.mech", "use \"self.mech\"\n", &["self.mech:1:5", "E0109"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", folder.0.join("link.mech")).expect("a link");
        check("m10.mech", "use \"link.mech\"\n", &["m10.mech:1:5", "E0110"]);
    }
    let human = lepage(&["check", &folder.file("h.mech", b"use \"wrong.mech\"\n")], b"");
    assert!(err(&human).contains("used here") && err(&human).contains("h.mech:1:5"), "{}", err(&human));
}

#[test]
fn an_unused_library_is_a_warning() {
    let output = lepage(&["check", "-e", "use std.springs\n1 + 1"], b"");
    assert!(code(&output) == 0 && err(&output).contains("warning[E0105]"), "{}", err(&output));
    let output = lepage(&["run", "-e", "use std.springs\nspring(2, 3)"], b"");
    assert_eq!((code(&output), out(&output), err(&output)), (0, "9\n".to_string(), String::new()));
}

#[test]
fn timings_name_every_stage_that_was_entered() {
    let text = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\nequations(L)\n\
                simulate L { from x = 1; until t = 1 }\n";
    let output = lepage(&["run", "--timings", "-"], text.as_bytes());
    let report: Value = serde_json::from_str(err(&output).lines().last().expect("a line")).expect("JSON");
    let stages = report["stages"].as_array().expect("stages");
    for name in ["read", "parse", "check", "derive", "compile", "integrate", "print"] {
        let row = stages.iter().find(|s| s["stage"] == name).unwrap_or_else(|| panic!("no {name} in {report}"));
        assert!(row["nodes"].as_u64().is_some_and(|n| n > 0) && row["calls"].as_u64().is_some_and(|n| n > 0), "{row}");
    }
}

#[test]
fn a_table_is_read_beside_the_program_and_nowhere_else() {
    let folder = Folder::new("table");
    folder.file("force.csv", b"t, F\n0, 0\n1, 1\n2, 2\n3, 3\n4, 4\n");
    folder.file("broken.csv", b"t, F\n0, 0\n1, one\n");
    folder.file("comma.csv", b"0;1,5\n1;2,5\n2;3,5\n");
    let program = |table: &str| {
        let text = format!(
            "manifold Y over t {{ x }}\nfunction F(t) from \"{table}\"\nlagrangian L on J1(Y) = x'^2/2 + F(t)*x\n\
             let run = simulate L {{ until t = 2; tolerance rel 1e-10, abs 1e-12 }}\n\
             assert run.last = {{ x = 4/3, x' = 2 }} within 1e-8\n"
        );
        lepage(&["run", "--message-format", "short", &folder.file("main.mech", text.as_bytes())], b"")
    };
    let held = program("force.csv");
    assert_eq!((code(&held), err(&held)), (0, String::new()));
    for (table, wanted) in [("absent.csv", "E0903"), ("broken.csv", "E0903"), ("../force.csv", "E0110")] {
        let refused = program(table);
        assert!(code(&refused) == 1 && err(&refused).starts_with(&format!("{}/main.mech:2:", folder.0.display())));
        assert!(err(&refused).contains(wanted), "{table}: {}", err(&refused));
    }
    let comma = err(&program("comma.csv"));
    assert!(comma.contains("`comma.csv`, line 1: `1,5` is not a number"), "{comma}");
}

#[test]
fn documentation_of_programs_libraries_and_questions() {
    let folder = Folder::new("doc");
    let file = folder.file("a.mech", b"/// The mass of the wheel.\nparam m = 2\n");
    assert!(out(&lepage(&["doc", &file], b"")).contains("## m\n\nparameter\n\nThe mass of the wheel."));
    assert!(out(&lepage(&["doc", "std.springs"], b"")).contains("## duffing"));
    assert!(out(&lepage(&["doc", "momenta"], b"")).contains("momenta(S"));
    let unknown = lepage(&["doc", "momentum"], b"");
    assert!(code(&unknown) == 2 && err(&unknown).contains("did you mean `momenta`?"), "{}", err(&unknown));
}

const OSCILLATOR: &[u8] = b"manifold Y over t { x }\nparam m = 1, k = 4\nlagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2\n";

#[test]
fn equations_are_derived_in_three_formats() {
    let folder = Folder::new("derive");
    let file = folder.file("a.mech", OSCILLATOR);
    assert!(out(&lepage(&["derive", &file], b"")).contains("x: -m*x'' - k*x"));
    let latex = out(&lepage(&["derive", "--format", "latex", &file], b""));
    assert!(
        latex.contains("\\ddot{x}") && latex.contains(" &= 0\n\\end{aligned}") && !latex.contains("order"),
        "{latex}"
    );
    let json: Value = serde_json::from_str(&out(&lepage(&["derive", "--format", "json", &file], b""))).expect("JSON");
    assert_eq!(json["value"]["main"]["x"], "-m*x'' - k*x");
    assert_eq!(json["value"]["order"], 2);
}

#[test]
fn a_setting_reaches_its_parameter_or_is_an_error() {
    let run = |set: &str, expected: i32| {
        let text = "param m = 1, k = 4\nmanifold Y over t { x }\nlagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2\n\
                    let run = simulate L { from x = 1; until t = 1 }\nrun.x.last\n";
        let output = lepage(&["run", "--set", set, "-"], text.as_bytes());
        assert_eq!(code(&output), expected, "{}", err(&output));
        (out(&output), err(&output))
    };
    // cos(2) and cos(1): the frequency is sqrt(k/m).
    assert!(run("m=1", 0).0.contains("-0.4161468365"));
    assert!(run("m=4", 0).0.contains("0.5403023058"));
    // A repelling spring: cosh(2).
    assert!(run("k=-4", 0).0.contains("3.76219569"));
    assert!(run("k = -8/2 // weak", 0).0.contains("3.76219569"));
    assert_eq!(run("k=-", 1).0, "");
    let (_, talk) = run("mm=4", 1);
    assert!(talk.contains("E0205") && talk.contains("did you mean `m`?"), "{talk}");
}

#[test]
fn outputs_go_to_the_folder_of_out() {
    let folder = Folder::new("out");
    let text =
        [OSCILLATOR, b"let run = simulate L { from x = 1; until t = 1; record x every 1/2 }\nsave run to \"x.csv\"\n"]
            .concat();
    let file = folder.file("a.mech", &text);
    let target = folder.0.join("deep/er");
    let output = lepage(&["run", "--out", target.to_str().expect("UTF-8"), &file], b"");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let table = std::fs::read_to_string(target.join("x.csv")).expect("the table");
    assert!(table.starts_with("# lepage: ") && table.contains("\nt,x\n0.0,1.0\n0.5,"), "{table}");
    // Neither the clock nor the machine is in it: a second run gives the same bytes.
    assert_eq!(code(&lepage(&["run", "--out", target.to_str().expect("UTF-8"), &file], b"")), 0);
    assert_eq!(std::fs::read_to_string(target.join("x.csv")).expect("the table"), table);
    assert!(err(&output).starts_with("note[E0907]: `") && err(&output).contains("x.csv` was written (3 rows)"));
}

/// Neither by `..`, nor by an absolute path, nor through a link does a program write outside, unless it may.
#[cfg(unix)]
#[test]
fn what_a_program_writes_stays_in_its_folder() {
    let folder = Folder::new("outside");
    let (inside, outside) = (folder.0.join("in"), folder.0.join("out"));
    std::fs::create_dir_all(&inside).and_then(|()| std::fs::create_dir_all(&outside)).expect("folders");
    std::os::unix::fs::symlink(&outside, inside.join("link")).expect("a link");
    let absolute = outside.join("a.csv").display().to_string();
    let run = |flags: &[&str], what: &str| {
        let text = [OSCILLATOR, b"let run = simulate L { from x = 1; until t = 1 }\n", what.as_bytes()].concat();
        let file = folder.file("a.mech", &text);
        let arguments =
            [&["run", "--message-format", "short", "--out", inside.to_str().expect("UTF-8")], flags, &[&file]];
        lepage(&arguments.concat(), b"")
    };
    for path in ["../out/a.csv", &absolute, "link/a.csv", "b/../../out/a.csv", ""] {
        for what in [format!("save run to \"{path}\""), format!("plot run {{ x }} to \"{path}\"")] {
            let output = run(&[], &what.replace("a.csv", if what.starts_with("plot") { "a.svg" } else { "a.csv" }));
            assert!(code(&output) == 1 && err(&output).contains("E0111"), "{what}: {}", err(&output));
        }
    }
    assert_eq!(std::fs::read_dir(&outside).expect("the folder").count(), 0);
    let output = run(&["--allow-outside"], "save run to \"../out/a.csv\"");
    assert!(code(&output) == 0 && err(&output).contains("E0907") && outside.join("a.csv").exists(), "{}", err(&output));
    let output = run(&[], "save run to \"deep/./er/a.csv\"");
    assert!(code(&output) == 0 && inside.join("deep/er/a.csv").exists(), "{}", err(&output));
}

/// A disk that is full, as far as this process can see: files have an end. What was there stays, and nothing lies beside it.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_files_that_were_there() {
    let folder = Folder::new("full");
    let run = b"let run = simulate L { from x = 1; until t = 100; record x every 1/100 }\nsave run to \"x.csv\"\n";
    let file = folder.file("a.mech", &[OSCILLATOR, run].concat());
    folder.file("x.csv", b"old");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" run --out \"$1\" \"$2\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_lepage"), folder.0.to_str().expect("UTF-8"), &file])
        .output()
        .expect("a shell runs");
    assert!(code(&output) == 1 && err(&output).contains("E0905"), "{}", err(&output));
    assert_eq!(std::fs::read(folder.0.join("x.csv")).expect("the old file"), b"old");
    assert_eq!(std::fs::read_dir(&folder.0).expect("the folder").count(), 2);
}

/// x'' = 1 by Runge and Kutta's method of order four is exact: x(1) = 1 + 1/2, x'(1) = 1, f(1) = 1/2.
#[test]
fn numbers_of_a_run_are_json_numbers() {
    let text = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 + x\n\
                let r = simulate L { from x = 1; until t = 2; method rk4; step 1/4; record f = x/3 }\n\
                r at { t = 1 }\nr.last.t\nr.first\n";
    let output = lepage(&["run", "--format", "json", "-"], text.as_bytes());
    let lines: Vec<Value> = out(&output).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let state = |value: &Value, key: &str| value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"));
    let middle = &lines[3]["value"];
    for (key, expected) in [("t", 1.0), ("x", 1.5), ("x'", 1.0), ("f", 0.5)] {
        assert!((state(middle, key) - expected).abs() < 1e-12, "{middle}");
    }
    assert_eq!((lines[4]["value"].as_f64(), state(&lines[5]["value"], "x")), (Some(2.0), 1.0));
}

#[test]
fn a_chain_of_files_has_an_end() {
    let folder = Folder::new("chain");
    for i in 0..200 {
        folder.file(&format!("u{i}.mech"), format!("use \"u{}.mech\"\n", i + 1).as_bytes());
    }
    folder.file("u200.mech", b"let last = 1\n");
    let run = |first: u32| {
        let file = folder.0.join(format!("u{first}.mech"));
        lepage(&["run", "--message-format", "short", file.to_str().expect("UTF-8")], b"")
    };
    let refused = run(0);
    assert!(
        code(&refused) == 1 && err(&refused).contains("E0901") && err(&refused).contains("64"),
        "{}",
        err(&refused)
    );
    assert_eq!(code(&run(140)), 0);
}

#[cfg(unix)]
#[test]
fn devices_are_no_programs() {
    let folder = Folder::new("device");
    for path in ["/dev/zero", "/dev/urandom", "/dev/null"] {
        let output = lepage(&["run", path], b"");
        assert!(code(&output) == 2 && err(&output).contains("a device or a pipe"), "{path}: {}", err(&output));
    }
    let pipe = folder.0.join("pipe.mech");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let user = folder.file("user.mech", b"use \"pipe.mech\"\n");
    let output = lepage(&["run", &user], b"");
    assert!(code(&output) == 1 && err(&output).contains("E0903"), "{}", err(&output));
}

#[test]
fn nothing_that_is_printed_steers_the_terminal() {
    let folder = Folder::new("escape");
    let text = "/// clears \x1b[2J the screen \u{9b}2J and turns \u{202e}it\nlet a = 1\na\n";
    let file = folder.file("a.mech", text.as_bytes());
    let output = lepage(&["doc", &file], b"");
    assert!(out(&output).contains("clears \\u{1b}[2J the screen \\u{9b}2J and turns \\u{202e}it"), "{}", out(&output));
    for arguments in [&["run"][..], &["check"], &["run", "--format", "json"], &["run", "--format", "latex"]] {
        let output = lepage(&[arguments, &[&file]].concat(), b"");
        let shown = out(&output) + &err(&output);
        assert!(!shown.contains(['\x1b', '\u{9b}', '\u{202e}']), "{arguments:?}: {shown}");
    }
    // What is formatted is a program and stays what it is.
    assert_eq!(out(&lepage(&["fmt", "-"], text.as_bytes())), text);
}

/// What grows with a square is larger than the bound in one step, and is refused before it is made.
#[test]
fn matrices_without_room_are_not_made() {
    let text = |n: u32| {
        format!(
            "manifold Y over t {{ q[1..{n}] }}; lagrangian L on J1(Y) = sum(i in 1..{n}, q[i]'^2/2); equations(L).q[5]"
        )
    };
    let output = lepage(&["run", "--memory", "100M", "--message-format", "short", "-e", &text(20_000)], b"");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(err(&output).contains("E0901") && err(&output).contains("memory"), "{}", err(&output));
    let output = lepage(&["run", "--memory", "100M", "-e", &text(200)], b"");
    assert_eq!(code(&output), 0, "{}", err(&output));
}

/// The kinks of a minimum lie where two of its arguments agree: one condition for each pair, and each is counted.
#[test]
fn conditions_of_a_long_minimum_are_counted() {
    let arguments: Vec<String> = (0..3000).map(|i| format!("x*{i} + sin({i}*y)")).collect();
    let text = format!("manifold Y over t {{ x, y }}; let m = min({}); D(m, x)", arguments.join(", "));
    let output = lepage(&["run", "--memory", "60M", "--message-format", "short", "-e", &text], b"");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(err(&output).contains("E0901"), "{}", err(&output));
}

/// Ten thousand million numbers: the memory ends first, with a diagnostic and not with the program.
#[test]
fn memory_has_a_bound() {
    let text = "let a = list(i in 1..100000, list(j in 1..100000, i*j))\n2 + 3\n";
    let output = lepage(&["run", "--memory", "24M", "--message-format", "short", "-e", text], b"");
    assert!(code(&output) == 1 && err(&output).contains("E0901"), "{}", err(&output));
    assert!(err(&output).contains("memory"), "{}", err(&output));
    // What the list had taken was given back.
    assert_eq!(out(&output), "5\n");
    for size in ["12", "much", "-1G"] {
        assert_eq!(code(&lepage(&["run", "--memory", size, "-e", "1"], b"")), 2, "{size}");
    }
}

/// p(64) is more than a million, and so many terms has the derivative of order 64 of a sine.
#[test]
fn a_derivative_that_is_too_large_is_refused() {
    let text = "manifold Y over t { x }\nlet a = jet(sin(x), 64)\na\nprolong(sin(x)*@x, 64)\nx''\n";
    let output = lepage(&["run", "--memory", "40M", "--message-format", "short", "-e", text], b"");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert_eq!(err(&output).matches("E0901").count(), 2, "{}", err(&output));
    assert_eq!(out(&output), "x''\n", "what is small is answered all the same");
}

/// Inside a test a question has the time that it has outside.
#[test]
fn a_test_does_not_lift_the_limits() {
    let derivation = long_derivation();
    let (manifold, question) = derivation.split_once('\n').expect("two lines");
    let text = format!("{manifold}\ntest \"long\" {{\n{question}\n}}\ntest \"short\" {{ assert 1 + 1 = 2 }}\n");
    let output = lepage(&["test", "--message-format", "short", "--time", "0.5", "-e", &text], b"");
    assert_eq!((code(&output), out(&output)), (1, "-e: 1 held, 1 failed\n".to_string()), "{}", err(&output));
    assert!(err(&output).contains("E0901") && err(&output).contains("time"), "{}", err(&output));
}

#[test]
fn assertions_are_counted() {
    let folder = Folder::new("test");
    let file = folder.file("a.mech", b"assert 1 + 1 = 2\ntest \"sum\" { assert 1 + 2 = 3 }\nassert 1 = 2\n");
    let output = lepage(&["test", &file], b"");
    assert_eq!((code(&output), out(&output)), (1, format!("{file}: 2 held, 1 failed\n")));
    let json = out(&lepage(&["test", "--format", "json", &file], b""));
    let statuses: Vec<Value> =
        json.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON")["status"].clone()).collect();
    assert_eq!(statuses, ["ok", "ok", "failed"]);
}

#[test]
fn texts_on_the_command_line_follow_the_file() {
    let folder = Folder::new("eval");
    let file = folder.file("a.mech", b"param m = 2\nlet a = m^2\n");
    assert_eq!(out(&lepage(&["run", &file, "-e", "a*m"], b"")), "m^3\n");
    assert_eq!(out(&lepage(&["-e", "let a = 2", "-e", "a^10"], b"")), "1024\n");
    assert_eq!(out(&lepage(&["run", "--format", "latex", "-e", "sqrt(2)/3"], b"")), "\\frac{\\sqrt{2}}{3}\n");
}

/// Runs a program and presses Ctrl-C after a while.
#[cfg(unix)]
fn interrupted(folder: &Folder, text: &[u8]) -> Output {
    let file = folder.file("a.mech", text);
    let child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["run", "--message-format", "short", "--out", folder.0.to_str().expect("UTF-8"), &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lepage starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    child.wait_with_output().expect("lepage ends")
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_saved_as_far_as_it_came() {
    let folder = Folder::new("interrupted-run");
    let run = b"let run = simulate L { from x = 1; until t = 10^9; record x every 1000 }\nsave run to \"x.csv\"\n";
    let output = interrupted(&folder, &[OSCILLATOR, run].concat());
    assert_eq!(code(&output), 130, "{}", err(&output));
    assert!(err(&output).contains("interrupted") && err(&output).lines().count() == 2, "{}", err(&output));
    assert!(std::fs::read_to_string(folder.0.join("x.csv")).expect("the table").contains("\nt,x\n"));
}

/// An answer that is not complete is shown, and the exit code says that it was not all.
#[cfg(unix)]
#[test]
fn an_interrupted_answer_is_shown_and_is_no_success() {
    let folder = Folder::new("interrupted-answer");
    let names: Vec<String> = (1..=8).map(|i| format!("c{i}")).collect();
    let window = |i: usize, k: usize| (0..k).map(|j| names[(i + j) % 8].clone()).collect::<Vec<_>>().join("*");
    let sum = |k: usize| (0..8).map(|i| window(i, k)).collect::<Vec<_>>().join(" + ");
    let list: Vec<String> = (1..8).map(sum).chain([format!("{} - 1", window(0, 8))]).collect();
    let text = format!("manifold Y over t {{ {} }}\ngroebner([{}])\n", names.join(", "), list.join(", "));
    let output = interrupted(&folder, text.as_bytes());
    assert_eq!(code(&output), 130, "{}", err(&output));
    assert!(out(&output).contains("incomplete: interrupted"), "{}", err(&output));
}

/// A determinant that nobody waits for.
fn long_derivation() -> String {
    let entry = |i: usize, j: usize| format!("sin(a{i}*a{j}) + a{}^{} + {i}", (i + j) % 9, 1 + (i * j) % 5);
    let row = |i: usize| format!("[{}]", (0..9).map(|j| entry(i, j)).collect::<Vec<_>>().join(", "));
    let names: Vec<String> = (0..9).map(|i| format!("a{i}")).collect();
    let rows: Vec<String> = (0..9).map(row).collect();
    format!("manifold Y over t {{ {} }}\ndet([{}])\n", names.join(", "), rows.join(", "))
}

#[cfg(unix)]
#[test]
fn an_interrupted_derivation_ends_the_program_with_one_message() {
    let folder = Folder::new("interrupted-derivation");
    let text = format!("{}a1 + a1\n", long_derivation());
    let output = interrupted(&folder, text.as_bytes());
    assert_eq!((code(&output), out(&output)), (130, String::new()), "{}", err(&output));
    assert!(err(&output).contains("interrupted") && err(&output).lines().count() == 1, "{}", err(&output));
}

/// Each statement has its own time: what was stopped says so, and the next one is answered.
#[test]
fn time_is_called_for_a_statement_and_not_for_the_program() {
    let text = format!("{}a1 + a1\n", long_derivation());
    let output = lepage(&["run", "--message-format", "short", "--time", "0.3", "-e", &text], b"");
    assert_eq!((code(&output), out(&output)), (1, "2*a1\n".to_string()), "{}", err(&output));
    assert!(err(&output).contains("time") && err(&output).lines().count() == 1, "{}", err(&output));
    let refused = lepage(&["run", "--time", "0", "-e", "1"], b"");
    assert!(code(&refused) == 2 && err(&refused).contains("a number of seconds"), "{}", err(&refused));
}

/// A run is stopped when the user says so, and is kept as far as it came.
#[test]
fn a_run_that_is_out_of_time_is_saved_as_far_as_it_came() {
    let folder = Folder::new("time-run");
    let run = b"let run = simulate L { from x = 1; until t = 10^9; record x every 1000 }\nsave run to \"x.csv\"\n";
    let file = folder.file("a.mech", &[OSCILLATOR, run].concat());
    let out = folder.0.to_str().expect("UTF-8");
    let output = lepage(&["run", "--message-format", "short", "--time", "0.5", "--out", out, &file], b"");
    assert!(err(&output).contains("stopped early: the time") && err(&output).lines().count() == 2, "{}", err(&output));
    assert!(std::fs::read_to_string(folder.0.join("x.csv")).expect("the table").contains("\nt,x\n"));
}

/// A value that takes long is left to a run, which finds that there is no branch; the names around it are checked all the same.
#[test]
fn check_is_bounded_and_still_sees_names() {
    let hard = "manifold Y over t { x, y, z, w }
lagrangian L on J1(Y) = x*y'^2*z' + w'^3*x + sin(x*y)*z'^2 + w*x'
let D = dynamics(L)
let n = D.rounds + 1
D.branches[1].dim
n
";
    let output = lepage(&["check", "-e", hard], b"");
    assert_eq!((code(&output), err(&output)), (0, String::new()));
    let output = lepage(&["check", "-e", &format!("{hard}D + no_such_name")], b"");
    assert!(code(&output) == 1 && err(&output).contains("E0101"), "{}", err(&output));
}

/// One line for each statement, also when there are warnings about names.
#[test]
fn warnings_are_no_json_lines() {
    let output = lepage(&["run", "--format", "json", "-e", "param unused = 1\n1 + 1"], b"");
    assert_eq!(out(&output).lines().count(), 2, "{}", out(&output));
    assert!(err(&output).contains("E0105"));
}

/// Answers come while the program runs: the first is there although the second takes forever.
#[test]
fn answers_come_one_by_one() {
    use std::io::Read;
    let text = "1 + 1\nmanifold Y over t { x }\nlagrangian L on J1(Y) = (x'^2 - x^2)/2\n\
                simulate L { from x = 1; until t = 10^9 }\n";
    let mut child = Command::new(env!("CARGO_BIN_EXE_lepage"))
        .args(["run", "-e", text])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("lepage starts");
    let mut first = [0; 2];
    child.stdout.as_mut().expect("its output").read_exact(&mut first).expect("an answer");
    assert!(&first == b"2\n" && child.try_wait().expect("it can be asked").is_none());
    child.kill().expect("it can be stopped");
    let _ = child.wait();
}

#[test]
fn words_of_the_language_are_documented() {
    let output = lepage(&["doc", "simulate"], b"");
    assert!(code(&output) == 0 && out(&output).contains("until t = 10"), "{}", out(&output));
}

#[test]
fn numbers_without_an_exact_decimal_come_with_the_nearest_double() {
    let output = lepage(&["run", "--format", "json", "-e", "sqrt(2)"], b"");
    assert!(out(&output).contains(r#"{"exact":"sqrt(2)","float":1.4142135623730951}"#), "{}", out(&output));
}
