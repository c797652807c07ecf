//! What it costs to begin: a one-line file from start to exit, and `check` of a file of a thousand
//! lines, both in processor time above that of a program that does nothing, measured in the same run.
//!
//! `cargo bench --bench startup`. Limits: 3 ms and 20 ms.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const ROUNDS: usize = 60;

fn main() {
    // Called with this word, the bench itself is the program that does nothing.
    if std::env::args().nth(1).as_deref() == Some("nothing") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("lepage-startup-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let one_line = write(&folder, "one.mech", "1/2 + 1/3\n");
    let thousand = write(&folder, "thousand.mech", &thousand_lines());
    let lepage = Path::new(env!("CARGO_BIN_EXE_lepage"));
    let nothing = std::env::current_exe().expect("this program");
    let mut rows = [
        ("nothing", nothing.as_path(), vec!["nothing".to_string()], None),
        ("run of one line", lepage, vec!["run".into(), one_line], Some(3.0)),
        ("check of 1000 lines", lepage, vec!["check".into(), thousand], Some(20.0)),
    ]
    .map(|(name, program, arguments, limit)| (name, program, arguments, limit, vec![]));
    // In turns, so that a busy machine is busy for all of them.
    for _ in 0..ROUNDS {
        for (_, program, arguments, _, times) in &mut rows {
            times.push(cpu_of(program, arguments));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    let median = |times: &[Duration]| {
        let mut sorted = times.to_vec();
        sorted.sort();
        (sorted[sorted.len() / 2].as_secs_f64() * 1e3, sorted[0].as_secs_f64() * 1e3)
    };
    let (base, base_least) = median(&rows[0].4);
    println!("{:22} {:>8} {:>8}   above nothing, ms of processor time", "", "median", "least");
    for (name, _, _, limit, times) in &rows {
        let (middle, least) = median(times);
        let above = (middle - base, least - base_least);
        let words = limit.map_or(String::new(), |l: f64| {
            format!("   {:.2} ({:.2})  limit {l}  {}", above.0, above.1, if above.0 <= l { "held" } else { "MISSED" })
        });
        println!("{name:22} {middle:8.2} {least:8.2}{words}");
    }
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::File::create(&path).and_then(|mut f| f.write_all(text.as_bytes())).expect("a temporary file");
    path.to_str().expect("a UTF-8 path").to_string()
}

/// Processor time, user and system, of one run of a program.
#[cfg(unix)]
fn cpu_of(program: &Path, arguments: &[String]) -> Duration {
    let before = children();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|s| s.success()), "{} {arguments:?} failed", program.display());
    children() - before
}

/// Processor time of all children that have ended.
#[cfg(unix)]
fn children() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).expect("the usage");
    let time =
        |t: nix::sys::time::TimeVal| Duration::from_secs(t.tv_sec() as u64) + Duration::from_micros(t.tv_usec() as u64);
    time(usage.user_time()) + time(usage.system_time())
}

/// Without that clock, wall time.
#[cfg(not(unix))]
fn cpu_of(program: &Path, arguments: &[String]) -> Duration {
    let start = std::time::Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|s| s.success()), "{} {arguments:?} failed", program.display());
    start.elapsed()
}

/// A thousand lines as somebody might write them: manifolds, parameters, definitions, Lagrangians,
/// forms, questions, assertions, comments.
fn thousand_lines() -> String {
    let mut text = String::new();
    for i in 0..100 {
        text += &format!(
            "// The oscillator number {i}, in the plane\n\
             manifold Y{i} over t {{ x{i}, y{i} }}\n\
             param m{i} = 1, k{i} = {i}/3 + 1\n\
             assume m{i} > 0\n\
             let T{i} = m{i}*(x{i}'^2 + y{i}'^2)/2 + sin(x{i})^2*y{i}'^2\n\
             lagrangian L{i} on J1(Y{i}) = T{i} - k{i}*(x{i}^2 + y{i}^2)/2 - cos(x{i} + y{i})\n\
             form eta{i} : contact 1-form on J1(Y{i}) = omega(x{i}) + y{i}*omega(y{i})\n\
             equations(L{i})\n\
             assert is_contact(eta{i})\n\
             classify(L{i}).regular\n"
        );
    }
    text
}
