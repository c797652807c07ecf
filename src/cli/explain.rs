//! `lepage explain E0312`: a row of the table of codes, with a failing program and its repair.
//! Without a code: the table.

use super::Exit;
use super::arguments::Talk;
use super::console::Console;
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, suggest};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// A number or a name: E0312, 312, not_horizontal; without one all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    #[command(flatten)]
    pub talk: Talk,
}

pub fn run(arguments: Arguments) -> Exit {
    let mut console = Console::new(&arguments.talk);
    let exit = match arguments.code.as_deref() {
        None => {
            console.print(&table());
            Exit::Held
        }
        Some(key) => match codes::find(key) {
            Some(code) => {
                console.print(&code.explained());
                Exit::Held
            }
            None => {
                let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_NAME, format!("there is no diagnostic `{key}`"));
                if let Some(near) = suggest::nearest(key, codes::ALL.iter().map(|c| c.name)) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                console.complain(&diagnostic.help("`lepage explain` lists all of them"));
                Exit::Failure
            }
        },
    };
    console.finish(exit)
}

fn table() -> String {
    let wide = codes::ALL.iter().map(|c| c.name.len()).max().unwrap_or(0);
    codes::ALL.iter().map(|c| format!("{c}  {:wide$}  {}\n", c.name, c.title)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_under_its_number_and_its_name() {
        for (i, code) in codes::ALL.iter().enumerate() {
            assert!(std::ptr::eq(codes::find(code.name).unwrap(), *code));
            assert!(std::ptr::eq(codes::find(&code.to_string()).unwrap(), *code));
            assert!(code.explanation.ends_with('.'), "{code}: the explanation is made of sentences");
            assert!(!code.title.ends_with('.') && !code.title.is_empty(), "{code}");
            assert!(i == 0 || codes::ALL[i - 1].number < code.number, "{code} is out of order");
        }
    }
}
