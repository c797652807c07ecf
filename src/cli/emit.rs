//! `lepage emit FILE --language c`: the compiled vector field of a system as source text of another
//! language, so that it can leave Lepage.

use super::Exit;
use super::reading::Reading;
use clap::{Args, ValueEnum};

/// What a kernel can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Language {
    C,
    Rust,
    Python,
    /// Python for arrays of states at once
    Numpy,
    Julia,
    Latex,
    Typst,
    /// Cranelift's intermediate representation
    Clif,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Rust => "rust",
            Language::Python => "python",
            Language::Numpy => "numpy",
            Language::Julia => "julia",
            Language::Latex => "latex",
            Language::Typst => "typst",
            Language::Clif => "clif",
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// The language to write
    #[arg(long, short, value_enum, default_value = "c")]
    pub language: Language,
    /// Only this system; may be given several times
    #[arg(long, short, value_name = "NAME")]
    pub system: Vec<String>,
    /// What else is written: jacobian, matrix (the one that is solved for the highest derivatives), constraints
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub with: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
}

pub fn run(arguments: Arguments) -> Exit {
    // Two names of one system are one function.
    let mut written: Vec<String> = vec![];
    arguments.reading.each_system(&arguments.system, |session, system, console| {
        match session.emit(system, arguments.language.name(), &arguments.with) {
            Ok(text) => {
                if !written.contains(&text) {
                    console.print(&text);
                    written.push(text);
                }
                Exit::Held
            }
            Err(diagnostics) => {
                console.report(&diagnostics, session.sources());
                Exit::Findings
            }
        }
    })
}
