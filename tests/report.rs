//! `lepage report`: a page that a browser lays out, complete in itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LEPAGE: &str = env!("CARGO_BIN_EXE_lepage");

/// Krupková's highly singular Lagrangian, a pendulum as a particle on a rod, questions, claims and pictures.
const PROGRAM: &str = r#"
manifold Y over t { q1, q2 }
/// Krupková (9.1).
lagrangian L on J1(Y) = (q1'^2 + q1^2*q2)/2
system singular = L

manifold E over t { x, y }
param g = 9.81
lagrangian K on J1(E) = (x'^2 + y'^2)/2 - g*y
constraint rod on J1(E) { x^2 + y^2 = 1 }
system swing = K subject to rod
let run = simulate swing { from x = 1; until t = 3; record x, y every 1/50 }
plot run { y against x }
plot run { x, y; title = "a < b" } to "swing.svg"
save run to "swing.csv"
energy(swing)
assert energy(swing) = 0
matrix(1, 2)
"#;

/// A folder of its own, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("lepage-report-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    fn lepage(&self, arguments: &[&str]) -> Output {
        Command::new(LEPAGE).args(arguments).current_dir(&self.0).output().expect("lepage runs")
    }

    /// The page of the program above.
    fn page(&self) -> (String, Output) {
        std::fs::write(self.0.join("swing.mech"), PROGRAM).expect("a program");
        let output = self.lepage(&["report", "swing.mech", "--out", "swing.html"]);
        let page = std::fs::read_to_string(self.0.join("swing.html"));
        (page.unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&output.stderr))), output)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_page_has_everything_and_loads_nothing() {
    let folder = Folder::new("whole");
    let (page, output) = folder.page();
    // The claim does not hold and the last question is refused: that is a finding, as for `lepage run`.
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "<h2>The model</h2>",
        "<h2>Derivation of L</h2>",
        "<h2>Derivation of swing</h2>",
        "<h3>Equations of motion</h3>",
        "<h3>Classification</h3>",
        "Constraint algorithm</summary>",
        "Proper dynamics (7.2)",
        "<h2>Answers</h2>",
        "0 claims held, 1 did not.",
        "<h2>Runs</h2>",
        "largest change of the energy",
        "largest residual of",
        "<h2>Findings</h2>",
        "blake3:",
        "a &lt; b",
        "`lepage run` writes `swing.csv`",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    assert_eq!(page.matches("<figure>").count(), 3, "two plots, and one of the run");
    for loads in ["<script", "<link", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(loads), "{loads}");
    }
    assert!(!page.contains("class=\"latex\""), "a formula was not converted:\n{page}");
    // What the program writes is on the page only, and nothing else is said.
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("`swing.html` was written"), "{talk}");
    assert!(!talk.contains("`swing.csv` was") && !talk.contains("`swing.svg` was"), "{talk}");
    assert!(!folder.0.join("swing.csv").exists() && !folder.0.join("swing.svg").exists());
    // Equal inputs give equal pages.
    assert_eq!(folder.page().0, page);
}

#[test]
fn what_is_wrong_with_the_page_is_said_before_anything_runs() {
    let folder = Folder::new("refused");
    std::fs::write(folder.0.join("a.mech"), "1 + 1\n").expect("a program");
    for (arguments, words) in [
        (vec!["report", "a.mech", "--out", "a.pdf"], "ends in `.html`"),
        (vec!["report", "a.mech", "--out", "nowhere/a.html"], "no such folder"),
        (vec!["report", "a.mech", "a.mech", "--out", "a.html"], "one program"),
    ] {
        let output = folder.lepage(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && output.stdout.is_empty(), "{said}");
    }
    assert!(!folder.0.join("a.html").exists());
}

fn browser() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| runs(name))
}

/// Measures every formula and picture of the page, and writes what it found to the end of it.
const MEASURE: &str = r#"<pre id="measured"></pre><script>
const size = e => { const b = e.getBoundingClientRect(); return b.width * b.height; };
const all = s => [...document.querySelectorAll(s)];
const wide = all('.formula, .found, svg, pre, table').filter(e => e.getBoundingClientRect().right > innerWidth + 1);
document.getElementById('measured').textContent = [
  'formulas ' + all('math').length, 'flat ' + all('math, svg').filter(e => !(size(e) > 20)).length,
  'fractions ' + all('mfrac').filter(e => e.getBoundingClientRect().height > 15).length,
  'wide ' + wide.length, 'mathml ' + (getComputedStyle(all('mfrac')[0]).display)].join(';');
</script></body>"#;

fn dumped(browser: &str, page: &Path) -> (String, String) {
    let profile = page.with_extension("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--window-size=1000,800"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--timeout=20000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_browser_lays_the_formulas_out() {
    let Some(browser) = browser() else {
        let _ = writeln!(std::io::stderr(), "skipped: no Chromium is installed, the page was not laid out");
        return;
    };
    let folder = Folder::new("browser");
    let (page, _) = folder.page();
    let measured = folder.0.join("measured.html");
    std::fs::write(&measured, page.replace("</body>", MEASURE)).expect("a page");
    let (dom, talk) = dumped(browser, &measured);
    let line = dom.split("id=\"measured\">").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
    let number = |name: &str| -> usize {
        let entry = line.split(';').find_map(|e| e.strip_prefix(name)).map(str::trim);
        entry.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("no {name} in {line:?}\n{talk}"))
    };
    assert!(number("formulas") > 20, "{line}");
    assert_eq!(number("flat"), 0, "{line}");
    assert!(number("fractions") > 0, "{line}");
    assert_eq!(number("wide"), 0, "{line}");
    assert!(!line.contains("mathml inline"), "MathML is not laid out: {line}");
    assert!(!talk.contains("CONSOLE"), "{talk}");
}
