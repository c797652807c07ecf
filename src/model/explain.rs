//! Derivations step by step, for `explain`: a log of steps, each with the formulas it found, so that whoever shows it
//! chooses how: lines of text, formulas of a paper, JSON, a page.

use super::latex;
use super::set::{Branch, branch_text};
use super::show::{expr_text, field_text, form_text};
use super::value::Value;
use crate::algebra::print::{Format, Style};
use crate::algebra::{Expr, Inquiry};
use crate::mechanics::constraint_algorithm::{LogEntry, LogItem};
use serde_json::{Value as Json, json};
use std::rc::Rc;

/// The steps of a derivation, in chapters.
pub struct Steps {
    pub chapters: Vec<Chapter>,
}

/// Steps under one title; a derivation with a single chapter may have none.
pub struct Chapter {
    pub title: Option<String>,
    pub steps: Vec<LogEntry>,
}

/// What stands below the title of a step.
pub enum Line {
    Remark(String),
    /// What was found, each as a formula.
    Found {
        label: String,
        formulas: Vec<String>,
    },
}

/// The steps of an answer that keeps them.
pub fn explanation(cx: &Inquiry, value: &Value) -> Option<Rc<Steps>> {
    match value {
        Value::Answer(answer) => match answer.get(cx, "log")? {
            Ok(Value::Steps(steps)) => Some(steps),
            _ => None,
        },
        _ => None,
    }
}

impl Steps {
    /// Line by line: titles, and below each what was found.
    pub fn text(&self, cx: &Inquiry) -> String {
        let mut lines = vec![];
        for chapter in &self.chapters {
            lines.extend(chapter.title.clone());
            for step in &chapter.steps {
                lines.push(format!("  {}", step.title));
                lines.extend(found(cx, step, Style::ASCII).into_iter().map(|line| match line {
                    Line::Remark(text) => format!("    {text}"),
                    Line::Found { label, formulas } if formulas.is_empty() => format!("    {label}: none"),
                    Line::Found { label, formulas } => format!("    {label}: {}", formulas.join(", ")),
                }));
            }
        }
        lines.join("\n")
    }

    pub fn latex(&self, cx: &Inquiry) -> String {
        let mut rows: Vec<String> = vec![];
        for chapter in &self.chapters {
            rows.extend(chapter.title.as_ref().map(|title| latex::words(title)));
            for step in &chapter.steps {
                rows.push(latex::words(&step.title));
                rows.extend(found(cx, step, Style::LATEX).into_iter().map(|line| match line {
                    Line::Remark(text) => format!(r"\quad {}", latex::words(&text)),
                    Line::Found { label, formulas } => {
                        let none = latex::words("none");
                        let list = if formulas.is_empty() { none } else { formulas.join(r",\; ") };
                        format!(r"\quad {}\colon\; {list}", latex::words(&label))
                    }
                }));
            }
        }
        latex::lines(&rows.join("\n"))
    }

    pub fn json(&self, cx: &Inquiry) -> Json {
        let line = |line: Line| match line {
            Line::Remark(text) => json!(text),
            Line::Found { label, formulas } => json!({ "label": label, "found": formulas }),
        };
        let step = |step: &LogEntry| {
            let lines: Vec<Json> = found(cx, step, Style::ASCII).into_iter().map(line).collect();
            json!({ "title": step.title, "lines": lines })
        };
        let chapter = |chapter: &Chapter| {
            let steps: Vec<Json> = chapter.steps.iter().map(step).collect();
            json!({ "title": chapter.title, "steps": steps })
        };
        Json::Array(self.chapters.iter().map(chapter).collect())
    }
}

/// What a step found, line by line, with formulas in this style.
pub fn found(cx: &Inquiry, step: &LogEntry, style: Style) -> Vec<Line> {
    let row = |row: &Vec<Expr>| {
        let entries: Vec<String> = row.iter().map(|e| expr_text(cx, *e, style)).collect();
        format!("[{}]", entries.join(", "))
    };
    let set = |branch: &Branch| match style.format {
        Format::Latex => latex::branch(cx, branch),
        Format::Ascii | Format::Unicode => branch_text(cx, branch),
    };
    let line = |item: &LogItem| {
        let (label, formulas): (&String, Vec<String>) = match item {
            LogItem::Remark(text) => return Line::Remark(text.clone()),
            LogItem::Expressions { label, list } => (label, list.iter().map(|e| expr_text(cx, *e, style)).collect()),
            LogItem::Derived { label, list } => {
                (label, list.iter().map(|e| expr_text(cx, crate::mechanics::tidy(cx, *e), style)).collect())
            }
            LogItem::Rows { label, rows } => (label, rows.iter().map(row).collect()),
            LogItem::Forms { label, list } => (label, list.iter().map(|f| form_text(cx, f, style)).collect()),
            LogItem::Sets { label, list } => (label, list.iter().map(set).collect()),
            LogItem::Fields { label, list } => (label, list.iter().map(|x| field_text(cx, x, style)).collect()),
        };
        Line::Found { label: label.clone(), formulas }
    };
    step.items.iter().map(line).collect()
}
