//! Hands the parser to the compiler. LALRPOP makes it from `grammar/lepage.lalrpop`; what it made lies beside the grammar, so that
//! who builds Lepage needs no parser generator. After a change of the grammar
//!
//! ```text
//! LEPAGE_BLESS=1 cargo check --features grammar
//! ```
//!
//! makes it anew. With the feature alone it is made and compared.

use std::path::{Path, PathBuf};

/// The parser that is kept.
const KEPT: &str = "grammar/lepage.rs";

fn main() {
    println!("cargo:rerun-if-changed=grammar");
    fixed_address();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where")).join("lepage.rs");
    let grammar = std::fs::read("grammar/lepage.lalrpop").expect("the grammar");
    // Its first line says of which grammar it is the parser.
    let head = format!("// Made by LALRPOP from the grammar with the hash {:016x}.\n", hash(&grammar));
    generate(&head, &out);
    let kept = std::fs::read_to_string(KEPT).unwrap_or_default();
    assert!(
        kept.starts_with(&head),
        "the grammar has changed: LEPAGE_BLESS=1 cargo check --features grammar makes {KEPT} anew"
    );
    if std::fs::read_to_string(&out).ok().as_ref() != Some(&kept) {
        std::fs::write(out, kept).expect("the parser can be written");
    }
}

/// On Linux the program is linked for one address. Elsewhere in memory it would have to adapt the tables of its vocabulary, and those
/// of the code generator, at each start: a hundred pages that most runs never look at, a tenth of the time of a short run.
fn fixed_address() {
    let is = |key: &str, value: &str| std::env::var(key).is_ok_and(|v| v.split(',').any(|v| v == value));
    let is_usual = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is_usual && !is("CARGO_CFG_TARGET_FEATURE", "crt-static") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

/// FNV-1a: short, and the same everywhere. Ends of lines do not count.
fn hash(bytes: &[u8]) -> u64 {
    let text = bytes.iter().filter(|b| **b != b'\r');
    text.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(not(feature = "grammar"))]
fn generate(_: &str, _: &Path) {}

/// Makes the parser; what is kept must be the same, or is replaced.
#[cfg(feature = "grammar")]
fn generate(head: &str, out: &Path) {
    println!("cargo:rerun-if-env-changed=LEPAGE_BLESS");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_whitespace(false)
        .emit_rerun_directives(false)
        .force_build(true)
        .process()
        .expect("grammar/lepage.lalrpop is a grammar");
    let made = std::fs::read_to_string(out).expect("a parser");
    // The features of this build make no difference to it.
    let made: String = made.split_inclusive('\n').filter(|line| !line.starts_with("// features:")).collect();
    let made = format!("{head}{made}");
    if std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1") {
        std::fs::write(KEPT, &made).expect("the parser can be kept");
    }
    let kept = std::fs::read_to_string(KEPT).unwrap_or_default();
    assert!(kept == made, "{KEPT} is not what LALRPOP makes: LEPAGE_BLESS=1 cargo check --features grammar");
}
