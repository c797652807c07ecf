//! What can be read about as a whole, for `:help methods` and `lepage doc methods`: each topic lists a table that the program
//! runs on.

use super::library;
use super::resolve::plot_settings;
use crate::algebra::function;
use crate::diagnostic::render::folded;
use crate::integrate::method::METHODS;
use crate::questions;
use crate::syntax::token::RUN_CLAUSES;
use crate::syntax::usage::{self, Usage};

/// A topic: its name, other names, one line about it, and what it lists.
pub struct Topic {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub help: &'static str,
    rows: fn() -> Vec<Row>,
}

/// What is listed, and what is said of it.
type Row = (String, String);

/// Every topic, in the order in which a newcomer needs them.
pub static TOPICS: &[Topic] = &[
    Topic {
        name: "statements",
        aliases: &["statement", "words"],
        help: "how each statement is written",
        rows: statements,
    },
    Topic { name: "questions", aliases: &["question"], help: "what can be asked, by subject", rows: questions },
    Topic {
        name: "clauses",
        aliases: &["clause", "runs", "run"],
        help: "what stands inside a run or a sweep",
        rows: clauses,
    },
    Topic { name: "methods", aliases: &["integrators"], help: "the methods of integration", rows: methods },
    Topic {
        name: "plots",
        aliases: &["pictures", "settings"],
        help: "what is drawn, and the settings of a plot",
        rows: plots,
    },
    Topic { name: "functions", aliases: &[], help: "functions and words of expressions", rows: functions },
    Topic {
        name: "library",
        aliases: &["std", "stdlib", "libraries"],
        help: "the files of the standard library",
        rows: files,
    },
];

/// The topic with this name.
pub fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|t| t.name == name || t.aliases.contains(&name))
}

impl Topic {
    /// The list, for a screen of this width.
    pub fn text(&self, columns: usize) -> String {
        two_columns(&(self.rows)(), columns)
    }
}

/// Rows with what is said of them beside them, or below where what is listed is wide.
pub fn two_columns(rows: &[Row], columns: usize) -> String {
    let width = |text: &str| text.chars().count();
    let wide = rows.iter().map(|(left, _)| width(left)).max().unwrap_or(0);
    // Beside them there is to be room for a few words.
    let beside = wide + 2 + 30 <= columns && wide <= 24;
    let indent = if beside { wide + 2 } else { 4 };
    let room = columns.saturating_sub(indent).max(20);
    let mut out = String::new();
    for (left, right) in rows {
        let lines = folded(right, room);
        let gap = " ".repeat(indent);
        let said = lines.join(&format!("\n{gap}"));
        out += &if beside { format!("{left:wide$}  {said}\n") } else { format!("{left}\n{gap}{said}\n") };
    }
    out
}

fn row(usage: &Usage) -> Row {
    (usage.written.to_string(), usage.help.to_string())
}

fn statements() -> Vec<Row> {
    usage::STATEMENTS.iter().map(row).collect()
}

fn questions() -> Vec<Row> {
    let names = |rows: &[questions::Question]| rows.iter().map(|q| q.name).collect::<Vec<_>>().join(", ");
    questions::by_subject().map(|(subject, rows)| (format!("{subject}:"), names(rows))).collect()
}

/// What stands inside a run or a sweep.
pub fn clauses() -> Vec<Row> {
    let of = |word: &str| usage::INSIDE.iter().find(|u| u.word == word);
    RUN_CLAUSES.iter().filter_map(|(word, _)| of(word)).map(row).collect()
}

fn methods() -> Vec<Row> {
    METHODS.iter().map(|m| (m.name.to_string(), m.help.to_string())).collect()
}

fn plots() -> Vec<Row> {
    let drawn = ["plot", "animate", "poincare", "against", "to"].iter().filter_map(|word| usage::find(word)).map(row);
    drawn.chain(settings()).collect()
}

/// The settings of a plot.
pub fn settings() -> Vec<Row> {
    plot_settings()
        .map(|(name, takes)| (format!("{name} = …"), format!("among the curves of a plot: {takes}")))
        .collect()
}

fn functions() -> Vec<Row> {
    let known = function::TABLE.iter().map(|f| (f.name.to_string(), f.help.to_string()));
    let is_clause = |u: &&Usage| RUN_CLAUSES.iter().any(|(word, _)| *word == u.word);
    let words = usage::INSIDE.iter().filter(|u| !is_clause(u)).map(|u| (u.word.to_string(), u.help.to_string()));
    known.chain(words).collect()
}

fn files() -> Vec<Row> {
    library::FILES.iter().map(|(name, text)| (format!("std.{name}"), library::about(text).to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_fits_the_screen() {
        for columns in [60, 80, 120] {
            for topic in TOPICS {
                let text = topic.text(columns);
                assert!(!text.is_empty());
                // What is to be typed is not broken.
                let typed = |line: &str| topic.name != "questions" && !line.starts_with(' ');
                let wide = text.lines().find(|line| line.chars().count() > columns && !typed(line));
                assert_eq!(wide, None, "{} at {columns}", topic.name);
            }
        }
    }

    #[test]
    fn every_clause_is_among_them() {
        assert_eq!(clauses().len(), RUN_CLAUSES.len());
        assert!(find("std").is_some_and(|t| t.text(80).contains("std.springs")));
        assert!(find("methods").is_some_and(|t| METHODS.iter().all(|m| t.text(80).contains(m.name))));
    }
}
