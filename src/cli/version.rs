//! `lepage --version`, and with `--verbose` what this build can do.

use super::Exit;
use super::arguments::Talk;
use super::console::Console;
use crate::session::json::SCHEMA;
use clap::Args;

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Arguments {
    /// Print the version; with --verbose also features, target and schema
    #[arg(long, short = 'V')]
    pub version: bool,
    /// Say more
    #[arg(long, requires = "version")]
    pub verbose: bool,
}

/// Optional features, and whether this build has them.
const FEATURES: &[(&str, bool)] = &[
    ("jit", cfg!(feature = "jit")),
    ("repl", cfg!(feature = "repl")),
    ("arrow", cfg!(feature = "arrow")),
    ("lsp", cfg!(feature = "lsp")),
];

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&Talk::default());
    console.print(&format!("lepage {}\n", env!("CARGO_PKG_VERSION")));
    if arguments.verbose {
        let features: Vec<&str> = FEATURES.iter().filter(|f| f.1).map(|f| f.0).collect();
        console.print(&format!(
            "features: {}\ntarget: {}\nschema: {SCHEMA}\n",
            if features.is_empty() { "none".to_string() } else { features.join(" ") },
            target(),
        ));
    }
    console.finish(Exit::Held)
}

/// Architecture, system, and the kind of build.
fn target() -> String {
    let kind = if cfg!(debug_assertions) { "dev" } else { "release" };
    format!("{}-{} ({kind})", std::env::consts::ARCH, std::env::consts::OS)
}
