//! Diagnostics for people and for programs. This is the only file that knows ariadne.
//!
//! Three formats: `human` draws the source with its labels, `short` is one line per diagnostic in
//! the `file:line:column: severity[code]: title` shape that editors parse, `json` is one object per
//! line. Everything said by colour is also said in words, so colour may be missing:
//!
//! ```text
//! error[E0312]: this 1-form is not horizontal
//!     ╭─[ disk.mech:14:33 ]
//!  14 │ lagrangian L on J1(Y) = x'*dt + y*dx
//!     │                                 ──┬─
//!     │                                   ╰── a component along dx
//!     │ help: take its horizontal part: h(x'*dt + y*dx) = (x' + y*x')*dt
//! ```
//!
//! ariadne indexes the text it is given and trusts it. So it never sees the user's text as it came:
//! control characters are replaced (byte for byte, so spans stay valid), and of a line too long for
//! any screen only a window around the label is shown.

use super::palette::{self, Ink};
use super::{Diagnostic, Label, Severity};
use crate::source::turns_direction;
use crate::source::{Source, SourceId, SourceMap, Span};
use ariadne::{CharSet, Color, Config, IndexType, Report, ReportKind};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::Range;

/// How diagnostics are written: `--message-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MessageFormat {
    #[default]
    Human,
    Short,
    Json,
}

/// Renders diagnostics about the texts of one [`SourceMap`]. Texts are prepared for display once,
/// when the first diagnostic points into them.
pub struct Renderer<'a> {
    sources: &'a SourceMap,
    format: MessageFormat,
    color: bool,
    /// How many columns there are, if somebody said so.
    columns: Option<usize>,
    prepared: Vec<Option<ariadne::Source<String>>>,
}

impl<'a> Renderer<'a> {
    pub fn new(sources: &'a SourceMap, format: MessageFormat, color: bool) -> Renderer<'a> {
        Renderer { sources, format, color, columns: None, prepared: vec![] }
    }

    /// For a terminal of this width: remarks are broken between words, and of a long line what is around its mark is shown.
    pub fn fitting(self, columns: usize) -> Renderer<'a> {
        Renderer { columns: Some(columns.max(NARROWEST)), ..self }
    }

    /// One diagnostic, ending in a newline.
    pub fn render(&mut self, diagnostic: &Diagnostic) -> String {
        match self.format {
            MessageFormat::Human => self.human(diagnostic),
            MessageFormat::Short => short(diagnostic, self.sources),
            MessageFormat::Json => json_object(diagnostic, self.sources).to_string() + "\n",
        }
    }

    /// Several diagnostics, one after the other.
    pub fn render_all<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
        diagnostics.into_iter().map(|d| self.render(d)).collect()
    }

    fn human(&mut self, diagnostic: &Diagnostic) -> String {
        let (on, off) = self.paint(severity_color(diagnostic.severity));
        let title = format!("{on}{}:{off} {}", header(diagnostic), printable(&diagnostic.title));
        let mut out = folded(&title, self.columns.unwrap_or(usize::MAX)).join("\n    ") + "\n";
        // ariadne confuses bytes and characters when one report spans two texts: one report each.
        let mut order: Vec<SourceId> = vec![];
        for label in &diagnostic.labels {
            if !order.contains(&label.span.source) && (label.span.source.0 as usize) < self.sources.len() {
                order.push(label.span.source);
            }
        }
        for source in &order {
            out.push_str(&self.draw(diagnostic, *source));
        }
        let margin = margin(&out);
        for (word, text) in remarks(diagnostic) {
            let room = self.columns.map_or(usize::MAX, |columns| columns.saturating_sub(margin + 8));
            let folded: Vec<String> = text.lines().flat_map(|line| folded(line, room)).collect();
            let mut lines = folded.iter().map(String::as_str);
            let bar = if order.is_empty() { "=" } else { "│" };
            let (on, off) = self.paint(REMARK);
            let (dim, undim) = self.paint(palette::GREY);
            let _ = writeln!(
                out,
                "{:margin$}{dim}{bar}{undim} {on}{word}:{off} {}",
                "",
                printable(lines.next().unwrap_or(""))
            );
            for line in lines {
                let _ = writeln!(out, "{:margin$}{dim}{bar}{undim}       {}", "", printable(line));
            }
        }
        out
    }

    /// The location and the labelled lines of one text. A line that is too wide is shown through a window, alone.
    fn draw(&mut self, diagnostic: &Diagnostic, id: SourceId) -> String {
        let source = self.sources.get(id);
        let mut left: Vec<&Label> = diagnostic.labels.iter().filter(|l| l.span.source == id).collect();
        let start = |l: &Label| visible_range(&source.text, l.span).start;
        let line = |l: &Label| source.line_column(start(l)).0;
        let mut out = String::new();
        while let Some(&first) = left.first() {
            let wide = left.iter().filter(|l| self.is_wide(source, l)).map(|l| line(l)).collect::<Vec<_>>();
            let windowed = wide.contains(&line(first));
            let (now, later) =
                left.iter().partition(|l| if windowed { line(l) == line(first) } else { !wide.contains(&line(l)) });
            out += &self.draw_lines(diagnostic, id, now, windowed);
            left = later;
        }
        out
    }

    /// The width that lines of the source may have.
    fn room(&self) -> usize {
        self.columns.map_or(WIDE, |columns| columns.saturating_sub(MARGIN_OF_LINES).min(WIDE))
    }

    /// Whether the line of a label is too wide for the screen, or what is said at its end.
    fn is_wide(&self, source: &Source, label: &Label) -> bool {
        let range = visible_range(&source.text, label.span);
        let line = line_around(&source.text, range.start);
        let end = range.end.min(line.end).max(line.start);
        let said = source.text[line.start..end].chars().count() + sentence_width(label);
        let widest = self.columns.map_or(usize::MAX, |_| self.room());
        is_wide(&source.text, range.start, self.room()) || said > widest && line.start < range.start
    }

    /// Lines with their labels, all of them or one through a window.
    fn draw_lines(&mut self, diagnostic: &Diagnostic, id: SourceId, mut labels: Vec<&Label>, windowed: bool) -> String {
        let source = self.sources.get(id);
        let first = labels.first().map_or(0, |l| visible_range(&source.text, l.span).start);
        let widest = labels.iter().map(|l| visible_range(&source.text, l.span).len() + sentence_width(l)).max();
        let window = windowed.then(|| Window::around(source, first, self.room(), widest.unwrap_or(0)));
        // ariadne begins a new excerpt where the lines do not ascend.
        labels.sort_by_key(|l| l.span.start);
        let config =
            Config::new().with_color(self.color).with_index_type(IndexType::Byte).with_char_set(CharSet::Unicode);
        let color = Color::Fixed(severity_color(diagnostic.severity).0);
        let ranges: Vec<Range<usize>> = labels.iter().map(|l| visible_range(&source.text, l.span)).collect();
        let shown: Vec<Range<usize>> = match &window {
            Some(w) => ranges.iter().map(|r| w.shift(r)).collect(),
            None => ranges.clone(),
        };
        let mut builder = Report::build(ReportKind::Error, shown.first().cloned().unwrap_or(0..0)).with_config(config);
        for (label, range) in labels.iter().zip(&shown) {
            let primary = diagnostic.labels.first().is_some_and(|first| std::ptr::eq(first, *label));
            // A label without words gets an empty message: without any, ariadne shows it by colour only.
            let drawn = ariadne::Label::new(range.clone())
                .with_color(if primary { color } else { Color::Fixed(palette::BLUE.0) })
                .with_priority(if primary { 1 } else { 0 })
                .with_message(printable(&label.message));
            builder = builder.with_label(drawn);
        }
        let report = builder.finish();
        let mut bytes = vec![];
        let written = match &window {
            Some(w) => report.write(&w.source, &mut bytes),
            None => report.write(self.prepared(id), &mut bytes),
        };
        if written.is_err() {
            return String::new();
        }
        let text = legible(&String::from_utf8_lossy(&bytes));
        let (line, column) = source.line_column(first);
        let drawn = body(&text, &format!("{}:{line}:{column}", printable(&source.name)));
        match self.columns {
            Some(columns) => drawn.lines().map(|line| folded_label(line, columns) + "\n").collect(),
            None => drawn,
        }
    }

    fn prepared(&mut self, id: SourceId) -> &ariadne::Source<String> {
        let index = id.0 as usize;
        if self.prepared.len() <= index {
            self.prepared.resize_with(index + 1, || None);
        }
        let text = &self.sources.get(id).text;
        self.prepared[index].get_or_insert_with(|| ariadne::Source::from(display_text(text)))
    }

    /// Escape sequences around painted text, empty without colour.
    fn paint(&self, ink: Ink) -> (String, &'static str) {
        if self.color { (format!("\x1b[38;5;{}m", ink.0), "\x1b[0m") } else { (String::new(), "") }
    }
}

/// The colour of notes and helps.
const REMARK: Ink = palette::TEAL;

/// Terminals narrower than this are treated as if they were so wide.
const NARROWEST: usize = 30;

/// Columns that the number of a line and the bar after it take.
const MARGIN_OF_LINES: usize = 8;

/// A text in lines of at most so many characters, broken between words.
pub fn folded(text: &str, room: usize) -> Vec<String> {
    if strip_ansi(text).chars().count() <= room {
        return vec![text.to_string()];
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("one line at least");
        let used = strip_ansi(last).chars().count();
        if used > 0 && used.saturating_add(1 + strip_ansi(word).chars().count()) > room {
            lines.push(word.to_string());
        } else {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        }
    }
    lines
}

/// Columns that the sentence of a label takes behind its words, with the stroke that leads to it.
fn sentence_width(label: &Label) -> usize {
    label.message.chars().count() + 4
}

/// A line that ends in the sentence of a label, with that sentence in lines below each other if it is too wide.
fn folded_label(line: &str, columns: usize) -> String {
    let ends = ["─ ", "─\x1b[0m "].iter().filter_map(|end| line.rfind(end).map(|at| at + end.len())).max();
    let (Some(at), true) = (ends, strip_ansi(line).chars().count() > columns) else { return line.to_string() };
    let (stroke, sentence) = line.split_at(at);
    let column = strip_ansi(stroke).chars().count();
    let room = columns.saturating_sub(column);
    let margin = line.find('│').map_or("", |bar| &line[..bar + '│'.len_utf8()]);
    if room < 10 || margin.is_empty() {
        return line.to_string();
    }
    let off = if margin.contains('\x1b') { "\x1b[0m" } else { "" };
    let gap = " ".repeat(column.saturating_sub(strip_ansi(margin).chars().count()));
    format!("{stroke}{}", folded(sentence, room).join(&format!("\n{margin}{off}{gap}")))
}

/// What ariadne painted, with the ink of the terminal for the text, and greys that can be seen on every ground.
fn legible(drawn: &str) -> String {
    let margin = format!("\x1b[38;5;{}m", palette::GREY.0);
    drawn.replace("\x1b[38;5;249m", "\x1b[39m").replace("\x1b[38;5;246m", &margin).replace("\x1b[38;5;240m", &margin)
}

/// `error[E0312]`
fn header(diagnostic: &Diagnostic) -> String {
    format!("{}[{}]", severity_word(diagnostic.severity), diagnostic.code)
}

pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn severity_color(severity: Severity) -> Ink {
    match severity {
        Severity::Error => palette::RED,
        Severity::Warning => palette::OCHRE,
        Severity::Note => REMARK,
    }
}

/// Notes, then helps, each with its word.
fn remarks(diagnostic: &Diagnostic) -> impl Iterator<Item = (&'static str, &str)> {
    let notes = diagnostic.notes.iter().map(|n| ("note", n.as_str()));
    notes.chain(diagnostic.helps.iter().map(|h| ("help", h.as_str())))
}

/// The column of the margin bar that ariadne drew, so that remarks continue it.
fn margin(drawn: &str) -> usize {
    drawn.lines().find_map(|l| l.find('╭').map(|byte| strip_ansi(&l[..byte]).chars().count())).unwrap_or(2)
}

fn strip_ansi(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            for c in chars.by_ref() {
                if c == 'm' {
                    break;
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// What ariadne drew without its header (we write our own), its empty margin lines and its closing
/// line (remarks follow), and with the true place: it may have seen a window of the text only.
fn body(drawn: &str, place: &str) -> String {
    let mut out = String::with_capacity(drawn.len() + place.len());
    for line in drawn.lines().skip(1) {
        let bare = strip_ansi(line);
        let arrow_to_nothing = bare
            .trim_start_matches([' ', '│'])
            .strip_prefix('╰')
            .is_some_and(|rest| rest.chars().all(|c| "─ ".contains(c)));
        if matches!(bare.trim(), "│" | "") || arrow_to_nothing || bare.ends_with('╯') && bare.starts_with('─') {
            continue;
        }
        match line.find("<unknown>").filter(|_| bare.trim_start().starts_with('╭')) {
            Some(start) => {
                let rest = &line[start..];
                let end = rest.find(' ').unwrap_or(rest.len());
                let _ = writeln!(out, "{}{place}{}", &line[..start], &rest[end..]);
            }
            None => {
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
    }
    out
}

/// The text as a terminal may show it, byte for byte: control characters become `?`, everything that
/// ariadne (but not we) takes for a line end becomes blank.
fn display_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((_, c)) = rest.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if rest.peek().is_some_and(|(_, next)| *next == '\n') => out.push(c),
            '\r' | '\x0b' | '\x0c' => out.push(' '),
            '\u{2028}' | '\u{2029}' => out.push_str("   "),
            '\u{85}' => out.push_str("  "),
            c if c.is_control() || turns_direction(c) => out.extend(std::iter::repeat_n('?', c.len_utf8())),
            c => out.push(c),
        }
    }
    out
}

/// Words of the user inside a message, without control characters.
fn printable(text: &str) -> String {
    let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns_direction(c);
    text.chars().map(|c| if steers(c) { '?' } else { c }).collect()
}

/// A span as it can be drawn: inside the text, on character boundaries, not ending in blanks (which
/// ariadne trims from lines), and not empty if there is anything to point at.
fn visible_range(text: &str, span: Span) -> Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let trimmed = start + text[start..end].trim_end().len();
    if trimmed > start {
        return start..trimmed;
    }
    // Nothing to see here: a missing word is shown where it is missed.
    match text[start..].chars().next() {
        Some(c) if !c.is_whitespace() => start..start + c.len_utf8(),
        _ => {
            let before = text[..start].trim_end().len();
            before..before
        }
    }
}

/// A line wider than this is shown through a window.
const WIDE: usize = 240;

/// The line in which a byte lies.
fn line_around(text: &str, byte: usize) -> Range<usize> {
    let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
    start..text[byte..].find('\n').map_or(text.len(), |i| byte + i)
}

fn is_wide(text: &str, byte: usize, wide: usize) -> bool {
    text[line_around(text, byte)].chars().count() > wide
}

/// Part of one very long line, with its line number kept.
struct Window {
    source: ariadne::Source<String>,
    /// Bytes of the original text that the window shows, and how many bytes precede them in it.
    range: Range<usize>,
    lead: usize,
}

impl Window {
    /// A window around a place in a wide line, with room for what is marked and said there.
    fn around(source: &Source, place: usize, wide: usize, marked: usize) -> Window {
        let text = &source.text;
        let line = line_around(text, place);
        let floor = |mut byte: usize| {
            while !text.is_char_boundary(byte) {
                byte -= 1;
            }
            byte
        };
        // A third before the mark; dots and the sentence at the mark need some room too.
        let room = wide.min(210).saturating_sub(4);
        let before = (room / 3).min(room.saturating_sub(marked));
        let start = floor(place.saturating_sub(before).max(line.start));
        let end = floor((start + room).min(line.end)).max(start);
        // Empty lines before it give the window its line number.
        let above = "\n".repeat(source.line_column(place).0 - 1);
        let lead = if start > line.start { "… " } else { "" };
        let tail = if end < line.end { " …" } else { "" };
        let shown = display_text(&text[start..end]).replace(['\n', '\r'], " ");
        let shown = format!("{above}{lead}{shown}{tail}");
        Window { source: ariadne::Source::from(shown), range: start..end, lead: above.len() + lead.len() }
    }

    /// Where a range of the text lies in the window; what lies outside moves to its edge.
    fn shift(&self, range: &Range<usize>) -> Range<usize> {
        let place = |byte: usize| byte.clamp(self.range.start, self.range.end) - self.range.start + self.lead;
        let shown = place(range.start)..place(range.end);
        let text = self.source.text();
        shown.start..shown.start + text[shown.clone()].trim_end().len()
    }
}

/// `disk.mech:14:33: error[E0312]: this 1-form is not horizontal`
fn short(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = match diagnostic.primary().filter(|s| (s.source.0 as usize) < sources.len()) {
        Some(span) => {
            let source = sources.get(span.source);
            let (line, column) = source.line_column(visible_range(&source.text, span).start);
            format!("{}:{line}:{column}: ", printable(&source.name))
        }
        None => String::new(),
    };
    format!("{place}{}: {}\n", header(diagnostic), printable(&diagnostic.title).replace('\n', " "))
}

/// The object of `--message-format json`, documented in `docs/json.md`.
pub fn json_object(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = |span: Span| {
        if span.source.0 as usize >= sources.len() {
            return json!({});
        }
        let source = sources.get(span.source);
        let (line, column) = source.line_column(span.start as usize);
        let (end_line, end_column) = source.line_column(span.end as usize);
        json!({
            "file": &*source.name, "start": span.start, "end": span.end,
            "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        })
    };
    let with = |span: Span, key: &str, text: &str| {
        let mut object = place(span);
        object[key] = json!(text);
        object
    };
    json!({
        "severity": severity_word(diagnostic.severity),
        "code": diagnostic.code.to_string(),
        "name": diagnostic.code.name,
        "title": diagnostic.title,
        "labels": diagnostic.labels.iter().map(|l| with(l.span, "message", &l.message)).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "helps": diagnostic.helps,
        "repairs": diagnostic.repairs.iter().map(|r| with(r.span, "text", &r.text)).collect::<Vec<_>>(),
    })
}

/// Whether to colour a stream: `NO_COLOR` forbids, `CLICOLOR_FORCE` demands, else a terminal that is
/// not `dumb` gets colour. `variable` looks into the environment.
pub fn wants_color(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    if variable("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0") {
        return true;
    }
    is_terminal && variable("TERM").is_none_or(|t| t != "dumb") && variable("CLICOLOR").is_none_or(|v| v != "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::codes;

    fn diagnostic(sources: &mut SourceMap, text: &str, words: &[(&str, &str)]) -> Diagnostic {
        let id = sources.add("disk.mech", text);
        let mut d = Diagnostic::error(&codes::UNKNOWN_NAME, "this name is not declared");
        for (word, message) in words {
            let start = text.find(word).expect("the word is in the text");
            d = d.label(Span::new(id, start, start + word.len()), *message);
        }
        d
    }

    fn human(text: &str, words: &[(&str, &str)]) -> String {
        let mut sources = SourceMap::default();
        let d = diagnostic(&mut sources, text, words).note("a note").help("a help\nin two lines");
        Renderer::new(&sources, MessageFormat::Human, false).render(&d)
    }

    #[test]
    fn a_label_sits_under_its_word_also_after_greek_letters() {
        let expected = "\
error[E0101]: this name is not declared
   ╭─[ disk.mech:2:13 ]
 2 │ let θ̇λ = θ*nu
   │            ─┬
   │             ╰── not declared
   │ note: a note
   │ help: a help
   │       in two lines
";
        assert_eq!(human("\nlet θ̇λ = θ*nu\n", &[("nu", "not declared")]), expected);
    }

    #[test]
    fn a_label_without_words_is_underlined_also_without_colour() {
        let drawn = human("let a = alpha*b\n", &[("alpha", "")]);
        assert!(drawn.contains("1 │ let a = alpha*b\n   │         ──┬──\n   │ note"), "{drawn}");
    }

    #[test]
    fn the_place_is_that_of_the_first_label_wherever_the_others_are() {
        let text = "param k = 1\n\n\n\n\nparam j = 2\n";
        let drawn = human(text, &[("j", "again"), ("k", "first")]);
        assert!(drawn.contains("disk.mech:6:7") && drawn.matches("disk.mech").count() == 1, "{drawn}");
        assert!(drawn.contains("╰── first") && drawn.contains("╰── again") && !drawn.contains("<unknown>"), "{drawn}");
    }

    #[test]
    fn short_and_json_name_the_place() {
        let mut sources = SourceMap::default();
        let d = diagnostic(&mut sources, "let a = b", &[("b", "")]);
        assert_eq!(
            Renderer::new(&sources, MessageFormat::Short, true).render(&d),
            "disk.mech:1:9: error[E0101]: this name is not declared\n"
        );
        let line = Renderer::new(&sources, MessageFormat::Json, true).render(&d);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["code"], "E0101");
        assert_eq!(value["name"], "unknown_name");
        assert_eq!(value["labels"][0]["column"], 9);
    }

    #[test]
    fn a_diagnostic_without_a_place_still_says_everything() {
        let d = Diagnostic::error(&codes::BUDGET, "too much").help("ask for less");
        let text = Renderer::new(&SourceMap::default(), MessageFormat::Human, false).render(&d);
        assert_eq!(text, "error[E0901]: too much\n  = help: ask for less\n");
    }

    #[test]
    fn no_span_and_no_text_can_break_the_drawing() {
        let text = "x = \u{2028}θ\r\nλ\x1b[31m \t \u{85} ∧ y   \n\n  \r q'̇\n";
        let mut sources = SourceMap::default();
        let id = sources.add("odd", text);
        for start in 0..=text.len() + 2 {
            for end in start..=text.len() + 2 {
                let d = Diagnostic::error(&codes::SYNTAX, "odd").label(Span::new(id, start, end), "here");
                let drawn = Renderer::new(&sources, MessageFormat::Human, false).render(&d);
                assert!(!drawn.contains('\x1b'), "a control character of the source reached the terminal");
            }
        }
    }

    #[test]
    fn labels_in_two_texts_show_both() {
        let mut sources = SourceMap::default();
        let a = sources.add("wheel.mech", "λλλλ = θθθ\n");
        let d =
            diagnostic(&mut sources, "let a = b", &[("b", "used here")]).label(Span::new(a, 11, 17), "declared here");
        let drawn = Renderer::new(&sources, MessageFormat::Human, false).render(&d);
        assert!(drawn.contains("disk.mech:1:9") && drawn.contains("wheel.mech:1:8"), "{drawn}");
        assert!(drawn.contains("used here") && drawn.contains("declared here"), "{drawn}");
    }

    #[test]
    fn a_line_of_a_million_bytes_is_shown_through_a_window() {
        let text = format!("\n\nlet a = {}nu + {}", "x + ".repeat(100_000), "y + ".repeat(100_000));
        let drawn = human(&text, &[("nu", "not declared"), ("let", "in this statement")]);
        assert!(drawn.len() < 2_000, "{} bytes", drawn.len());
        assert!(drawn.contains("\n 3 │ … "), "{drawn}");
        assert!(
            drawn.contains("disk.mech:3:400009") && drawn.contains("… ") && drawn.contains("not declared"),
            "{drawn}"
        );
    }

    #[test]
    fn colour_is_a_choice_of_the_environment() {
        let env = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(k, _)| *k == name).map(|(_, v)| v.to_string())
        };
        assert!(wants_color(true, env(&[])));
        assert!(!wants_color(false, env(&[])));
        assert!(!wants_color(true, env(&[("NO_COLOR", "1")])));
        assert!(!wants_color(true, env(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])));
        assert!(wants_color(false, env(&[("CLICOLOR_FORCE", "1")])));
        assert!(!wants_color(true, env(&[("TERM", "dumb")])));
    }

    #[test]
    fn colour_adds_nothing_but_colour() {
        let mut sources = SourceMap::default();
        let d = diagnostic(&mut sources, "let a = b*c", &[("b", "one"), ("c", "two")]).note("n").help("h");
        let plain = Renderer::new(&sources, MessageFormat::Human, false).render(&d);
        let coloured = Renderer::new(&sources, MessageFormat::Human, true).render(&d);
        assert!(coloured.contains('\x1b'));
        let stripped: String = strip_ansi(&coloured).lines().map(|l| format!("{}\n", l.trim_end())).collect();
        assert_eq!(stripped, plain);
    }
}
