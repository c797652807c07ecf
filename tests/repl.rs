//! The REPL in a real (pseudo-)terminal: what a user types and sees. Every wait has a generous limit;
//! no test depends on how fast the machine is, except that an interrupt must come through. What is interrupted would take
//! far longer than a wait, so that the word `interrupted` on the screen shows that it was stopped.

#![cfg(all(unix, feature = "repl"))]

use pty_process::blocking::{Command, Pty, open};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// A running REPL, with a reader that collects what it shows.
struct Terminal {
    pty: Arc<Pty>,
    child: std::process::Child,
    shown: Arc<(Mutex<Vec<u8>>, Condvar)>,
    /// What has been waited for already.
    seen: usize,
}

/// A data folder of its own for every test, so that histories do not mix.
fn data_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lepage-repl-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    fn start(data: &std::path::Path) -> Terminal {
        Terminal::start_with(data, |command| command.env_remove("NO_COLOR"))
    }

    /// With a last word about the environment.
    fn start_with(data: &std::path::Path, environment: impl FnOnce(Command) -> Command) -> Terminal {
        Terminal::sized(data, (24, 100), environment)
    }

    /// With so many rows and columns.
    fn sized(data: &std::path::Path, size: (u16, u16), environment: impl FnOnce(Command) -> Command) -> Terminal {
        let (pty, pts) = open().expect("a pseudo-terminal");
        pty.resize(pty_process::Size::new(size.0, size.1)).expect("a size");
        let command = Command::new(env!("CARGO_BIN_EXE_lepage"))
            .env("XDG_DATA_HOME", data)
            .env("HOME", data)
            .env("TERM", "xterm")
            .current_dir(data);
        let child = environment(command).spawn(pts).expect("lepage starts");
        let pty = Arc::new(pty);
        let shown = Arc::new((Mutex::new(vec![]), Condvar::new()));
        let (reader, sink) = (pty.clone(), shown.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The read fails when the child has closed the terminal.
            while let Ok(n @ 1..) = (&*reader).read(&mut buffer) {
                sink.0.lock().expect("the screen").extend_from_slice(&buffer[..n]);
                sink.1.notify_all();
            }
        });
        let mut terminal = Terminal { pty, child, shown, seen: 0 };
        terminal.expect("lepage> ");
        terminal
    }

    fn send(&mut self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Types a line, waits for a text in the answer and for the next prompt.
    fn ask(&mut self, line: &str, answer: &str) -> String {
        self.send(line);
        self.send("\r");
        let shown = self.expect(answer);
        shown + &self.expect("lepage> ")
    }

    /// Waits until `text` is shown after what was seen before; returns what came until then.
    fn expect(&mut self, text: &str) -> String {
        let limit = Instant::now() + PATIENCE;
        let (screen, changed) = (&self.shown.0, &self.shown.1);
        let mut bytes = screen.lock().expect("the screen");
        loop {
            let plain = plain(&bytes);
            if let Some(at) = plain[self.seen..].find(text) {
                let until = self.seen + at + text.len();
                let came = plain[self.seen..until].to_string();
                self.seen = until;
                return came;
            }
            let left = limit.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited for {text:?}, but the screen shows:\n{}", &plain[self.seen..]);
            bytes = changed.wait_timeout(bytes, left).expect("the screen").0;
        }
    }

    /// Leaves with Ctrl-D at the prompt and returns the exit code.
    fn leave(mut self) -> i32 {
        self.send("\x04");
        self.ended()
    }

    /// The exit code, when the program has ended.
    fn ended(&mut self) -> i32 {
        let limit = Instant::now() + PATIENCE;
        while Instant::now() < limit {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                return status.code().expect("an exit code, not a signal");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("lepage did not end");
    }
}

/// What a terminal would show, without colours and cursor movements.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => {
                if chars.next() == Some('[') {
                    // Parameters, then one letter.
                    for c in chars.by_ref() {
                        if ('\x40'..='\x7e').contains(&c) {
                            break;
                        }
                    }
                }
            }
            '\r' => {}
            c => out.push(c),
        }
    }
    out
}

#[test]
fn a_command_is_completed_by_tab() {
    let mut terminal = Terminal::start(&data_folder("complete"));
    terminal.ask(":he\t", "this, or about a command, a word");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_declared_name_and_its_jets_are_completed_by_tab() {
    let mut terminal = Terminal::start(&data_folder("names"));
    terminal.ask("manifold Y over t { theta, amplitude }", "}\n");
    terminal.ask("ampl\t^2", "\namplitude^2\n");
    // The letters that all candidates share, then, at the second Tab, the candidates.
    terminal.send("the\t\t");
    terminal.expect("theta''");
    // The line is shown again below the candidates. What is typed before Ctrl-C was seen is thrown away with the line.
    terminal.expect("\nlepage> theta");
    terminal.send("\x03");
    terminal.expect("\nlepage> ");
    terminal.ask("simpl\tamplitude*0)", "\n0\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn the_last_answer_has_a_name() {
    let mut terminal = Terminal::start(&data_folder("last"));
    terminal.ask("1/2 + 1/3", "\n5/6\n");
    terminal.ask("_ + 1/6", "\n1\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_refused_line_leaves_the_session_as_it_was() {
    let data = data_folder("refused");
    let mut terminal = Terminal::start(&data);
    terminal.ask("param m = 2; let a = m + nonsense", "error[E0101]");
    terminal.ask("m", "error[E0101]");
    terminal.ask("param m = 3", "3\n");
    terminal.ask(":save session.mech", "lines written to session.mech");
    assert_eq!(terminal.leave(), 0);
    assert_eq!(std::fs::read_to_string(data.join("session.mech")).expect("the saved session").trim(), "param m = 3");
}

/// A determinant that takes far longer than anybody waits.
fn long_question() -> String {
    let n = 9;
    let entry = |i, j| format!("sin(a{i}*a{j}) + a{}^{} + {i}", (i + j) % n, 1 + (i * j) % 5);
    let row = |i| format!("[{}]", (0..n).map(|j| entry(i, j)).collect::<Vec<_>>().join(", "));
    format!("det([{}])", (0..n).map(row).collect::<Vec<_>>().join(", "))
}

#[test]
fn ctrl_c_stops_a_derivation_and_keeps_the_session() {
    let data = data_folder("interrupt");
    std::fs::write(data.join("long.mech"), long_question()).expect("a file");
    let mut terminal = Terminal::start(&data);
    terminal.ask("manifold Y over t { a0, a1, a2, a3, a4, a5, a6, a7, a8 }", "}\n");
    terminal.send(":load long.mech\r");
    terminal.expect("long.mech\n");
    std::thread::sleep(Duration::from_millis(400));
    terminal.send("\x03");
    terminal.expect("interrupted");
    terminal.expect("lepage> ");
    terminal.ask("a1 + a1", "\n2*a1\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn ctrl_c_stops_every_stage() {
    let mut terminal = Terminal::start(&data_folder("stages"));
    terminal.ask("manifold Y over t { x, y, z, w }; lagrangian L on J1(Y) = x*y'^2*z' + w'^3*x + sin(x*y)*z'^2", "2\n");
    for long in [
        // Many angles, put into their most readable form.
        "sum(i in 1..200000, sin(i*x)^2)",
        // A long numerical sum, list and product.
        "sum(i in 1..1000000, 1/i)",
        // Factors modulo a prime.
        "factor(x^1500 - x^7 - 3)",
        // A polynomial with many terms.
        "expand((x + y + z + w)^200)",
        // Many jets.
        "jet(sin(x*y*z)^2, 30)",
        // The constraint algorithm.
        "dynamics(L)",
    ] {
        terminal.send(&format!("{long}\r"));
        terminal.expect(&format!("{long}\n"));
        std::thread::sleep(Duration::from_millis(300));
        terminal.send("\x03");
        terminal.expect("interrupted");
        terminal.expect("lepage> ");
        terminal.ask("x + x", "\n2*x\n");
    }
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn ctrl_c_stops_a_run_and_keeps_what_it_had_computed() {
    let mut terminal = Terminal::start(&data_folder("run"));
    terminal.ask("manifold Y over t { x }; lagrangian L on J1(Y) = x'^2/2 - x^2/2", "2\n");
    terminal.send("let run = simulate L { from x = 1; until t = 10^9; record x every 1000 }\r");
    terminal.expect("every 1000 }\n");
    std::thread::sleep(Duration::from_millis(400));
    terminal.send("\x03");
    terminal.expect("interrupted");
    terminal.expect("lepage> ");
    terminal.ask("run.x.first", "\n1.0\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn history_is_recalled_also_in_the_next_session() {
    let data = data_folder("history");
    let mut first = Terminal::start(&data);
    first.ask(":help time", "a statement with the time it takes");
    first.ask("\x1b[A", "a statement with the time it takes"); // the up key
    assert_eq!(first.leave(), 0);
    assert!(std::fs::read_to_string(data.join("lepage/history.txt")).expect("a history file").contains(":help time"));
    let mut second = Terminal::start(&data);
    second.ask("\x1b[A", "a statement with the time it takes");
    assert_eq!(second.leave(), 0);
}

#[test]
fn ctrl_c_while_typing_drops_the_line() {
    let mut terminal = Terminal::start(&data_folder("drop"));
    terminal.send("no_such_question(");
    terminal.expect("no_such_question(");
    terminal.send("\x03");
    terminal.expect("\nlepage> ");
    let shown = terminal.ask(":help quit", "leave (also Ctrl-D)");
    assert!(!shown.contains("error["), "{shown}");
    assert_eq!(terminal.leave(), 0);
}

/// A slip of the keyboard, or of a terminal with another encoding.
#[test]
fn a_byte_that_is_no_text_drops_the_line_and_keeps_the_session() {
    let mut terminal = Terminal::start(&data_folder("byte"));
    terminal.ask("param m = 2", "param m = 2");
    terminal.send("m + ");
    (&*terminal.pty).write_all(b"\xff").expect("the terminal takes keys");
    terminal.expect("not UTF-8");
    terminal.expect("lepage> ");
    terminal.ask(":list", "m  parameter");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_block_over_several_lines_is_one_input() {
    let mut terminal = Terminal::start(&data_folder("block"));
    terminal.send("manifold Y over t {\r");
    terminal.send("x, y\r");
    let before = terminal.expect("x, y\n");
    assert!(!before.contains("error["), "an open block is not answered: {before}");
    terminal.ask("}", "}\n");
    // The whole block comes back from the history as one entry.
    terminal.send("\x1b[A");
    terminal.expect("manifold Y over t {\nx, y\n}");
    terminal.send("\x03");
    terminal.expect("\nlepage> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn what_is_typed_ahead_is_not_lost() {
    let mut terminal = Terminal::start(&data_folder("ahead"));
    // Several lines in one breath, as editors send them.
    terminal.send("1 + 1\r2 + 3\rlet a = 7\ra^2\r");
    terminal.expect("\n2\n");
    terminal.expect("\n5\n");
    terminal.expect("\n49\n");
    terminal.expect("lepage> ");
    // And lines that are typed while something is computed.
    terminal.ask("manifold Y over t { x }; lagrangian L on J1(Y) = x'^2/2 - x^2/2", "2\n");
    terminal.send("let run = simulate L { from x = 1; until t = 20000; record x every 100 }\r");
    terminal.expect("every 100 }\n");
    terminal.send("10 + 1\r10 + 2\r");
    terminal.expect("\n11\n");
    terminal.expect("\n12\n");
    terminal.expect("lepage> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_name_declared_again_changes_what_depends_on_it_or_nothing() {
    let mut terminal = Terminal::start(&data_folder("again"));
    terminal.ask("let c = 2", "2\n");
    terminal.ask("let f = c^2 + 1", "1\n");
    terminal.ask("let c = 3", "3\n");
    terminal.ask("f", "\n10\n");
    // One of several parameters; the others stay.
    terminal.ask("param m = 1, /* stiffness */ k = 2", "k = 2\n");
    terminal.ask("param m = 3", "3\n");
    terminal.ask("m + k - k", "\nm\n");
    // Manifolds may share the names of their coordinates.
    terminal.ask("manifold A over t { u }", "}\n");
    terminal.ask("manifold B over t { u }", "}\n");
    terminal.ask("A.u - B.u", "\nu - u\n");
    terminal.ask("manifold Y over t { x }", "}\n");
    terminal.ask("lagrangian L on J1(Y) = x'^2/2", "2\n");
    let shown = terminal.ask("manifold Y over t { z }", "nothing was changed");
    assert!(shown.contains("lagrangian L on J1(Y)"), "the reason is named: {shown}");
    terminal.ask("equations(L).x", "\n-x''\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_long_answer_is_shortened_and_shown_on_demand() {
    let mut terminal = Terminal::start(&data_folder("long"));
    let shown = terminal.ask("list(i in 1..1000, i^2)", "`:show` prints all");
    assert!(shown.contains("characters") && !shown.contains("[1000]"), "{shown}");
    terminal.ask(":show", "[1000] 1000000");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn every_command_of_the_session_answers() {
    let data = data_folder("commands");
    std::fs::write(data.join("wheel.mech"), "/// The radius.\nparam radius = 2\n").expect("a file");
    let mut terminal = Terminal::start(&data);
    terminal.ask(":load wheel.mech", "lepage> ");
    terminal.ask(":doc radius", "\nThe radius.\n");
    terminal.ask(":type radius^2", "\nconstant");
    terminal.ask(":list", "radius  parameter");
    terminal.ask(":time 1 + 1", "processor time");
    terminal.ask("1/2", "\n1/2\n");
    terminal.ask(":latex", "\\frac{1}{2}");
    terminal.ask(":latex sqrt(radius)", "\\sqrt");
    terminal.ask(":help equations", "equations(S)");
    terminal.ask(":help E0312", "Repaired:");
    terminal.ask(":typ radius", "did you mean `:type`?");
    terminal.ask(":save kept.mech", "lines written");
    terminal.ask(":reset", "everything is forgotten");
    terminal.ask("radius", "error[E0101]");
    terminal.ask(":load kept.mech", "lepage> ");
    terminal.ask("radius - radius", "\n0\n");
    terminal.ask("use std.springs", "springs\n");
    terminal.ask("spring(2, 3)", "\n9\n");
    terminal.ask(":doc spring", "The energy");
    terminal.ask("manifold Y over t { x }; lagrangian L on J1(Y) = x'^2/2", "2\n");
    terminal.ask("explain dynamics(L)", "Step 1");
    terminal.send(":quit\r");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn what_is_typed_is_painted_and_hinted() {
    let mut terminal = Terminal::start(&data_folder("paint"));
    terminal.send("assume momen");
    terminal.expect("momen");
    // The rest of the only question that begins so.
    terminal.expect("ta(");
    let bytes = terminal.shown.0.lock().expect("the screen").clone();
    assert!(String::from_utf8_lossy(&bytes).contains("massume"), "a keyword is painted");
    terminal.send("\x03");
    terminal.expect("\nlepage> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn no_color_is_respected() {
    let mut terminal = Terminal::start_with(&data_folder("plain"), |command| command.env("NO_COLOR", "1"));
    terminal.ask("let a = nonsense", "error[E0101]");
    let bytes = terminal.shown.0.lock().expect("the screen").clone();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(!text.contains("\x1b[3") && !text.contains("\x1b[1;"), "{text:?}");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn tab_knows_its_place() {
    let mut terminal = Terminal::start(&data_folder("place"));
    terminal.ask("manifold Y over t { x }; lagrangian L on J1(Y) = x'^2/2 - x^2/2", "2\n");
    terminal.ask("classify(L).regu\t", "classify(L).regular\nyes (proved");
    terminal.ask("let run = simulate L { fr\tx = 1; unt\tt = 1; meth\ttay\t }", "taylor }\n");
    terminal.ask("run.meth\t", "run.method\ntaylor");
    terminal.ask("use std.spr\t", "use std.springs\n");
    assert_eq!(terminal.leave(), 0);
}

/// A list that is longer than the screen asks nothing: what is typed next is typed.
#[test]
fn a_long_list_swallows_no_key() {
    let mut terminal = Terminal::start(&data_folder("list"));
    terminal.send("\t\t");
    terminal.expect("…");
    terminal.expect("\nlepage> ");
    terminal.ask("1 + 1", "\n2\n");
    assert_eq!(terminal.leave(), 0);
}

/// Of several answers each stands under its question, in a pasted block and in a file.
#[test]
fn answers_to_a_block_stand_under_their_questions() {
    let data = data_folder("echo");
    let block = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\nequations(L)\nenergy(L)\n";
    std::fs::write(data.join("block.mech"), block).expect("a file");
    let mut terminal = Terminal::start(&data);
    terminal.send(&format!("\x1b[200~{block}\x1b[201~\r"));
    terminal.expect("\nequations(L)\nx: -x'' - x\n");
    terminal.expect("\nenergy(L)\n(x'^2 + x^2)/2\n");
    terminal.expect("lepage> ");
    terminal.ask(":reset", "forgotten");
    let shown = terminal.ask(":load block.mech", "\nequations(L)\nx: -x'' - x\n");
    assert!(shown.contains("\nenergy(L)\n(x'^2 + x^2)/2\n"), "{shown}");
    assert_eq!(terminal.leave(), 0);
}

/// The first answer of a file is there while the second is computed, and a line says that it goes on.
#[test]
fn a_file_is_answered_as_it_is_read_and_shows_signs_of_life() {
    let data = data_folder("stream");
    std::fs::write(data.join("long.mech"), format!("6*7\n{}", long_question())).expect("a file");
    let mut terminal = Terminal::start(&data);
    terminal.ask("manifold Y over t { a0, a1, a2, a3, a4, a5, a6, a7, a8 }", "}\n");
    terminal.send(":load long.mech\r");
    terminal.expect("\n6*7\n42\n");
    terminal.expect("… 1 s, Ctrl-C stops");
    terminal.expect("… 2 s, Ctrl-C stops");
    terminal.send("\x03");
    terminal.expect("interrupted");
    terminal.expect("lepage> ");
    terminal.ask("6*9", "\n54\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn the_words_of_every_session_are_understood() {
    let mut terminal = Terminal::start(&data_folder("words"));
    terminal.ask("help", "A first model:");
    let shown = terminal.ask(":help questions", "classification and singular systems:");
    assert!(!shown.contains("error["), "{shown}");
    terminal.ask("manifold Y over t { x, theta : angle }", "}\n");
    terminal.ask("Y", "\nY over t { x, theta }\n");
    terminal.send("exit\r");
    assert_eq!(terminal.ended(), 0);
}

/// What `:save` writes asks, draws and claims again what the session did.
#[test]
fn a_saved_session_says_the_same_again() {
    let data = data_folder("replay");
    let mut terminal = Terminal::start(&data);
    for line in ["manifold Y over t { x }", "lagrangian L on J1(Y) = x'^2/2 - x^2/2"] {
        terminal.ask(line, "\n");
    }
    terminal.ask("equations(L)", "x: -x'' - x\n");
    terminal.ask("let run = simulate L { from x = 1; until t = 1 }", "\n");
    terminal.ask("plot run { x }", "┤");
    terminal.ask("assert run.x.last = cos(1) within 1e-9", "\n");
    terminal.ask("no_such_name", "error[E0101]");
    terminal.ask(":save kept.mech", "lines written");
    assert_eq!(terminal.leave(), 0);
    let mut again = Terminal::start(&data);
    let shown = again.ask(":load kept.mech", "\nplot run { x }\n") + &again.ask("1 + 1", "\n2\n");
    for part in ["equations(L)\nx: -x'' - x\n", "plot run { x }\n"] {
        assert!(shown.contains(part), "{part:?} is missing in {shown}");
    }
    assert!(!shown.contains("error[") && !shown.contains("warning["), "{shown}");
    assert_eq!(again.leave(), 0);
}

/// Formulas, pictures, diagnostics and help fit terminals of 60, 80 and 120 columns.
#[test]
fn nothing_is_wider_than_the_terminal() {
    for columns in [60, 80, 120] {
        let data = data_folder(&format!("columns-{columns}"));
        let declared = "manifold Y over t { a : angle, b : angle }\nparam m = 1, l = 1, g = 10\nassume m > 0, l > 0, g > 0\n\
                        lagrangian L on J1(Y) = m*l^2*(a'^2 + b'^2/2 + a'*b'*cos(a - b))\n  + m*g*l*(2*cos(a) + cos(b))\n\
                        let r = simulate L { from a = 1; until t = 10 }\n";
        std::fs::write(data.join("double.mech"), declared).expect("a file");
        let mut terminal = Terminal::sized(&data, (200, columns), |command| command.env("NO_COLOR", "1"));
        let mut shown = terminal.ask(":load double.mech", "\n");
        for question in [
            "equations(L)",
            "vector_field(L)",
            "hamilton(L)",
            "classify(L)",
            "linearize(L, { a = 0, b = 0 })",
            "dynamics(L)",
            "plot r { a, b }",
            "integrating_factor(equation(L))",
            ":help",
            ":help questions",
            ":help methods",
            ":doc std.rigid_body",
            ":list",
        ] {
            shown += &terminal.ask(question, "\n");
        }
        // What is typed is drawn again at every key.
        for line in shown.lines().filter(|line| !line.contains("lepage>")) {
            assert!(line.chars().count() <= columns as usize, "{columns} columns: {line}");
        }
        assert_eq!(terminal.leave(), 0);
    }
}
