//! The reference of the language, written from the tables that the program runs on: `lepage doc reference`. What stands in no table
//! is not in it, and what stands in one cannot be missing. The book keeps a copy, with an example of each question.

use crate::algebra::function;
use crate::diagnostic::{codes, elsewhere};
use crate::integrate::method::METHODS;
use crate::questions::{self, Question};
use crate::session::{library, plot_settings};
use crate::syntax::usage::{self, Usage};
use std::fmt::Write;

/// The page, in Markdown; `example` is a use of a question that runs, if one is known.
pub fn page(example: impl Fn(&Question) -> Option<String>) -> String {
    let mut out = String::from("# Reference\n\nWritten from the tables that the program runs on.\n");
    section(&mut out, "Statements", "Words that begin a statement.", words(usage::STATEMENTS));
    section(&mut out, "Inside statements", "Clauses of runs, and words of expressions.", words(usage::INSIDE));
    let methods = METHODS.iter().map(|row| format!("| `{}` | {} |\n", row.name, cell(row.help)));
    section(&mut out, "Methods", "After `method` in a run.", table("method | what it is", methods));
    let settings = plot_settings().map(|(name, takes)| format!("| `{name}` | {} |\n", cell(takes)));
    section(
        &mut out,
        "Settings of a plot",
        "Entries such as `title = \"Two orbits\"` among its curves.",
        table("setting | what it takes", settings),
    );
    let functions = function::TABLE.iter().map(|row| format!("| `{}` | {} |\n", row.name, cell(row.help)));
    section(
        &mut out,
        "Functions",
        "Of real numbers; `sqrt` stands among the words above.",
        table("function | value", functions),
    );
    out += "\n## Questions, by subject\n";
    for (subject, rows) in questions::by_subject() {
        let _ = write!(out, "\n### {}{}\n", subject[..1].to_uppercase(), &subject[1..]);
        rows.iter().for_each(|row| out += &question(row, example(row)));
    }
    let files =
        library::FILES.iter().map(|(name, text)| format!("| `std.{name}` | {} |\n", cell(library::about(text))));
    section(
        &mut out,
        "The library",
        "`lepage doc std.springs` shows what a file offers.",
        table("file | about", files),
    );
    let foreign =
        elsewhere::rows().map(|(used, theirs, ours)| format!("| {used} | {} | {} |\n", cell(&theirs), cell(&ours)));
    let intro = "What is typed by habit, and what stands for it here.";
    section(&mut out, "Words of other systems", intro, table("where | there | here", foreign));
    let known = codes::ALL.iter().map(|c| format!("| {c} | `{}` | {} |\n", c.name, cell(c.title)));
    let intro =
        "`lepage explain E0101` shows a program that gets one, and its repair; the name stands after `fails with`.";
    section(&mut out, "Diagnostics", intro, table("number | name | what is wrong", known));
    out
}

fn section(out: &mut String, title: &str, intro: &str, body: String) {
    let _ = write!(out, "\n## {title}\n\n{intro}\n\n{body}");
}

fn table(head: &str, rows: impl Iterator<Item = String>) -> String {
    let rule = "|---".repeat(head.split('|').count());
    format!("| {head} |\n{rule}|\n{}", rows.collect::<String>())
}

fn words(rows: &[Usage]) -> String {
    let row = |u: &Usage| format!("| `{}` | `{}` | {} |\n", u.word, cell(u.written), cell(u.help));
    table("word | written | what it does", rows.iter().map(row))
}

/// A question: how it is asked, what it answers, its options and parts, and a use of it.
fn question(row: &Question, example: Option<String>) -> String {
    let mut out = format!("\n**`{}`** → {}  \n{}.", row.signature(), row.result_text(), row.help.trim_end_matches('.'));
    if let Some(example) = example {
        let _ = write!(out, " Example: `{example}`.");
    }
    out += "\n";
    if !row.options.is_empty() || !row.parts.is_empty() {
        out += "\n";
    }
    for option in row.options {
        let _ = writeln!(out, "- `{} = {}` ({}): {}", option.name, option.letter, option.kinds, option.meaning);
    }
    for part in row.parts {
        let _ = writeln!(out, "- `.{}` ({}): {}", part.name, part.kinds, part.meaning);
    }
    out
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that says nothing is a row that nobody can use.
    #[test]
    fn every_row_has_a_text() {
        let mut texts: Vec<(String, &str)> = vec![];
        for q in questions::all() {
            texts.push((q.name.to_string(), q.help));
            texts.extend(q.options.iter().map(|o| (format!("{}: {} =", q.name, o.name), o.meaning)));
            texts.extend(q.parts.iter().map(|p| (format!("{}.{}", q.name, p.name), p.meaning)));
        }
        texts.extend(METHODS.iter().map(|row| (row.name.to_string(), row.help)));
        texts.extend(function::TABLE.iter().map(|row| (row.name.to_string(), row.help)));
        texts.extend(usage::STATEMENTS.iter().chain(usage::INSIDE).map(|u| (u.word.to_string(), u.help)));
        texts.extend(codes::ALL.iter().map(|c| (c.name.to_string(), c.explanation)));
        for (row, text) in texts {
            assert!(
                text.chars().filter(|c| c.is_alphanumeric()).count() >= 1 && text.trim() == text,
                "{row}: {text:?}"
            );
        }
    }

    #[test]
    fn the_page_has_every_row() {
        let page = page(|_| None);
        assert!(questions::all().all(|q| page.contains(&q.signature())));
        assert!(METHODS.iter().all(|row| page.contains(&format!("| `{}` |", row.name))));
        assert!(library::FILES.iter().all(|(name, _)| page.contains(&format!("`std.{name}`"))));
    }
}
