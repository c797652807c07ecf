//! Source texts and places in them. A [`Span`] is a range of bytes in one text of a [`SourceMap`];
//! it is small, copyable, and the only thing later stages keep about where something was written.

use std::borrow::Cow;
use std::rc::Rc;

/// Which text a span belongs to: an index into the [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub u32);

/// A half-open range of bytes `start..end` in one source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span { source, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; the two belong to one text.
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value with the place it was written at. Equality and hashing look at both.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spanned<T> {
    pub node: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    pub fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }
}

/// Whether a character turns the direction of writing: marks, embeddings, overrides and isolates (Unicode Standard Annex
/// 9, §2).
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as a terminal may show it: what would steer the terminal is written as a text, `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns_direction(c);
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// One text: its name as shown in diagnostics, and its contents. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: Rc<str>,
    pub text: Rc<str>,
    line_starts: Rc<[u32]>,
    /// It asked something from outside, and is no part of the program.
    is_aside: bool,
}

impl Source {
    /// One-based line and one-based column, the column counted in characters.
    pub fn line_column(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= byte) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.text.get(start..byte).map_or(0, |s| s.chars().count());
        (line + 1, column + 1)
    }
}

/// All texts of a session, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    pub fn add(&mut self, name: impl Into<Rc<str>>, text: impl Into<Rc<str>>) -> SourceId {
        let text = text.into();
        let ends = text.match_indices('\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        self.sources.push(Source { name: name.into(), text, line_starts, is_aside: false });
        SourceId(self.sources.len() as u32 - 1)
    }

    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// The text a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.sources.get(span.source.0 as usize).and_then(|s| s.text.get(span.range())).unwrap_or("")
    }

    /// Adds a text that declares nothing, such as the name of a system on the command line.
    pub fn add_aside(&mut self, name: impl Into<Rc<str>>, text: impl Into<Rc<str>>) -> SourceId {
        let id = self.add(name, text);
        self.sources[id.0 as usize].is_aside = true;
        id
    }

    /// The texts of the program, in the order in which they were read.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter(|source| !source.is_aside).map(|source| &*source.text)
    }

    pub fn len(&self) -> usize {
        self.sources.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}
