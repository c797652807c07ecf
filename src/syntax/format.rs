//! `lepage fmt`: a program in the one style.
//!
//! What a formatter must not lose — comments, blank lines, the lines an author chose — is not in the
//! tree. So the tree is asked only whether the text can be read, and the text is laid out again from
//! its tokens: the same words in the same order, with the blanks and indentation between them decided
//! here. Line ends stay where the author put them, except that
//!
//! - a block that goes over several lines has its braces at the ends of lines;
//! - `{` stands on the line of its declaration;
//! - there is at most one blank line in a row, and none at the inside of a brace.
//!
//! Blanks show the precedence of operators: `a*b - c^2` and not `a * b-c ^ 2`. Around `*` and `/`, and around
//! `+` and `-` in keys and ranges, the author may choose.
//!
//! ```text
//! manifold Y over t{x,y                    manifold Y over t {
//!  theta:angle}                 becomes        x, y
//!                                              theta : angle
//!                                          }
//! ```
//!
//! Formatting is idempotent and keeps the meaning: the stream of tokens, separators included, is the
//! same before and after. That is checked before the result is handed out.

use super::lexer::{self, Lexed, Placed};
use super::parse::parse;
use super::token::Token;
use crate::diagnostic::Problems;
use crate::source::SourceId;
use unicode_width::UnicodeWidthStr;

const INDENT: usize = 4;

/// Trailing comments of neighbouring lines are aligned, if the lines are not wider than this.
const ALIGNED: usize = 72;

/// The text in the one style; the problems, if it cannot be read.
pub fn format(text: &str) -> Result<String, Problems> {
    let (_, problems) = parse(SourceId::default(), text);
    if problems.has_errors() {
        return Err(problems);
    }
    let formatted = layout(text);
    // Laying out a program never changes it; should that ever fail, its author's layout stands.
    Ok(if same_words(text, &formatted) { formatted } else { text.to_string() })
}

/// The text laid out anew; only for texts that can be read.
pub fn layout(text: &str) -> String {
    let lexed = lexer::lex(SourceId::default(), text);
    let items = items(text, &lexed);
    let brackets = brackets(&items);
    let mut writer = Writer { text, items: &items, brackets: &brackets, frames: vec![Frame::file()], lines: vec![] };
    for i in 0..items.len() {
        writer.item(i);
    }
    assemble(&writer.lines)
}

/// Whether two texts have the same tokens, separators included, and as many comments.
fn same_words(text: &str, other: &str) -> bool {
    let (lexed, again) = (lexer::lex(SourceId::default(), text), lexer::lex(SourceId::default(), other));
    let words = |text: &str, t: &Placed| text[t.start as usize..t.end as usize].to_string();
    let same =
        |a: &Placed, b: &Placed| a.token == b.token && (a.token.is_separator() || words(text, a) == words(other, b));
    lexed.tokens.len() == again.tokens.len()
        && lexed.comments.len() == again.comments.len()
        && lexed.tokens.iter().zip(&again.tokens).all(|(a, b)| same(a, b))
}

/// A token or comment, with what stood before it.
#[derive(Clone, Copy)]
struct Item {
    /// `None` for a comment.
    token: Option<Token>,
    start: usize,
    end: usize,
    /// Line ends before it in the source: none, one, or more.
    newlines: u8,
    /// A statement or entry begins with it.
    begins: bool,
    /// A semicolon is to be written before it.
    semicolon: bool,
    /// A comment to the end of the line.
    is_line_comment: bool,
    /// The last token before it.
    before: Option<Token>,
    /// The next token, itself included, begins or ends an entry.
    at_entry: bool,
    /// In a range, where operators may stand without blanks.
    in_range: bool,
}

fn items(text: &str, lexed: &Lexed) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::with_capacity(lexed.tokens.len() + lexed.comments.len());
    let mut comments = lexed.comments.iter().peekable();
    let mut separated = false;
    let mut before = None;
    // Whether a line ended since the last token, in or beside comments.
    let mut line_ended = false;
    let mut end = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut add = |items: &mut Vec<Item>, token: Option<Token>, start: usize, stop: usize, begins: bool| {
        let newlines = text[end..start].matches('\n').count().min(2) as u8;
        let is_line_comment = token.is_none() && text[start..].starts_with("//");
        items.push(Item {
            token,
            start,
            end: stop,
            newlines,
            begins,
            semicolon: false,
            is_line_comment,
            before: None,
            at_entry: false,
            in_range: false,
        });
        end = stop;
        newlines > 0 || token.is_none() && text[start..stop].contains('\n')
    };
    for placed in &lexed.tokens {
        if placed.token.is_separator() {
            separated = true;
            continue;
        }
        while let Some(comment) = comments.next_if(|c| c.start < placed.start) {
            line_ended |= add(&mut items, None, comment.start as usize, comment.end as usize, false);
        }
        let opened = matches!(before, None | Some(Token::OpenBrace));
        let begins = separated || opened && placed.token != Token::CloseBrace;
        before = Some(placed.token);
        line_ended |= add(&mut items, Some(placed.token), placed.start as usize, placed.end as usize, begins);
        if separated {
            let word = &text[placed.start as usize..placed.end as usize];
            // Such a line would belong to the one before.
            let infix = placed.token == Token::OpenBrace || matches!(word, "every" | "rising" | "falling" | "against");
            let last = items.len() - 1;
            items[last].semicolon = !line_ended || infix;
        }
        separated = false;
        line_ended = false;
    }
    for comment in comments {
        add(&mut items, None, comment.start as usize, comment.end as usize, false);
    }
    look_around(&mut items);
    items
}

/// What each item must know of the tokens around it.
fn look_around(items: &mut [Item]) {
    let mut before = None;
    for item in items.iter_mut() {
        item.before = before;
        before = item.token.or(before);
    }
    let mut at_entry = true;
    for item in items.iter_mut().rev() {
        if let Some(token) = item.token {
            at_entry = item.begins || token.opener().is_some();
        }
        item.at_entry = at_entry;
    }
    // `n-1..n+1`: the simple operands on both sides of the dots.
    let is_simple = |item: &Item| {
        use Token::*;
        matches!(item.token, None | Some(Word | Number | Plus | Minus | Star | Slash | Caret | Primes | Dot))
    };
    for run in
        items.chunk_by_mut(|a, b| is_simple(a) || a.token == Some(Token::DotDot) || b.token == Some(Token::DotDot))
    {
        let is_range = run.iter().any(|item| item.token == Some(Token::DotDot));
        run.iter_mut().for_each(|item| item.in_range = is_range);
    }
}

/// What is known of an opening bracket before it is written.
#[derive(Clone, Copy, Default)]
struct Bracket {
    /// It goes over several lines, with the braces at the ends of lines.
    is_broken: bool,
}

/// For every item that opens a bracket, how it will be laid out.
fn brackets(items: &[Item]) -> Vec<Bracket> {
    let mut brackets = vec![Bracket::default(); items.len()];
    let mut open: Vec<usize> = vec![];
    for (i, item) in items.iter().enumerate() {
        if let Some(&opener) = open.last() {
            let is_brace = items[opener].token == Some(Token::OpenBrace);
            let after_opener = opener + 1 == i;
            let line_comment = item.is_line_comment || items[i - 1].is_line_comment;
            if is_brace && (item.newlines > 0 && !joins(items, i) || line_comment) || after_opener && item.newlines > 0
            {
                brackets[opener].is_broken = true;
            }
        }
        match item.token {
            Some(Token::OpenParen | Token::OpenBracket | Token::OpenBrace) => open.push(i),
            Some(Token::CloseParen | Token::CloseBracket | Token::CloseBrace) => drop(open.pop()),
            _ => {}
        }
    }
    brackets
}

/// A `{` that is drawn up to the line before.
fn joins(items: &[Item], i: usize) -> bool {
    let before = i.checked_sub(1).map(|b| items[b]);
    items[i].token == Some(Token::OpenBrace)
        && !items[i].begins
        && before.is_some_and(|b| match b.token {
            None => !b.is_line_comment,
            Some(t) => {
                !matches!(t, Token::Comma | Token::Colon | Token::OpenParen | Token::OpenBracket | Token::OpenBrace)
            }
        })
}

struct Writer<'t> {
    text: &'t str,
    items: &'t [Item],
    brackets: &'t [Bracket],
    frames: Vec<Frame>,
    lines: Vec<Line>,
}

/// An open bracket, or the file.
#[derive(Clone, Copy)]
struct Frame {
    opener: Option<Token>,
    is_broken: bool,
    /// Commas separate its entries as line ends do: points, coordinates.
    is_list: bool,
    /// The block of an animation, where a word stands before its places.
    is_animation: bool,
    /// The keyword of the statement being written, for the file and tests.
    head: Option<Token>,
    /// The last token was the first of its entry.
    at_first: bool,
    /// In the types of a form or field.
    in_types: bool,
}

impl Frame {
    fn file() -> Frame {
        Frame {
            opener: None,
            is_broken: false,
            is_list: false,
            is_animation: false,
            head: None,
            at_first: false,
            in_types: false,
        }
    }
}

#[derive(Default)]
struct Line {
    blank_before: bool,
    indent: usize,
    text: String,
    /// A comment at its end.
    remark: Option<String>,
    /// Not only comments.
    has_words: bool,
}

impl<'t> Writer<'t> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the file is never closed")
    }

    fn slice(&self, item: &Item) -> &'t str {
        &self.text[item.start..item.end]
    }

    fn item(&mut self, i: usize) {
        let item = self.items[i];
        let broken_before = self.breaks_before(i);
        let closes = item.token.is_some_and(|t| t.opener().is_some());
        if closes {
            self.frames.pop();
        }
        // Behind the last word, not behind a comment after it.
        if item.semicolon
            && let Some(line) = self.lines.iter_mut().rev().find(|line| line.has_words)
        {
            line.text.push(';');
        }
        if broken_before {
            let indent = self.indent(i, closes);
            let after_open =
                matches!(self.items[i].before, Some(Token::OpenBrace | Token::OpenParen | Token::OpenBracket));
            let comment_before = i > 0 && self.items[i - 1].token.is_none();
            let blank_before = item.newlines > 1 && i > 0 && !closes && (!after_open || comment_before);
            self.lines.push(Line { blank_before, indent, ..Line::default() });
        }
        match item.token {
            None => self.comment(i, broken_before),
            Some(token) => self.token(i, token, broken_before),
        }
    }

    fn breaks_before(&mut self, i: usize) -> bool {
        let item = self.items[i];
        let Some(before) = i.checked_sub(1).map(|b| self.items[b]) else { return true };
        if before.is_line_comment {
            return true;
        }
        let frame = *self.frame();
        let opens = matches!(before.token, Some(Token::OpenParen | Token::OpenBracket | Token::OpenBrace));
        let closes = item.token.is_some_and(|t| t.opener().is_some());
        let brace = frame.opener == Some(Token::OpenBrace);
        // A remark on the line of the opening brace stays there.
        let remark = item.token.is_none()
            && (item.is_line_comment || self.items.get(i + 1).is_none_or(|next| next.newlines > 0));
        if frame.is_broken && brace && (opens && !remark || closes) {
            return true;
        }
        item.newlines > 0 && !joins(self.items, i)
    }

    /// How far the line that begins with item `i` is indented.
    fn indent(&mut self, i: usize, closes: bool) -> usize {
        let broken = self.frames.iter().filter(|f| f.is_broken).count();
        // A comment stands where the token after it will.
        let begins = self.items[i].at_entry;
        let before = self.items[i].before;
        let frame = *self.frame();
        let continues = match frame.opener {
            _ if closes || begins => false,
            None => true,
            Some(Token::OpenBrace) => !(frame.is_list && before == Some(Token::Comma)),
            Some(_) if frame.is_broken => !matches!(before, Some(Token::Comma | Token::OpenParen | Token::OpenBracket)),
            Some(_) => true,
        };
        INDENT * (broken + usize::from(continues))
    }

    fn comment(&mut self, i: usize, broken_before: bool) {
        let item = self.items[i];
        let text = self.slice(&item).replace("\r\n", "\n");
        let text = text.trim_end();
        let last = i + 1 == self.items.len() || self.breaks_before(i + 1);
        let Some(line) = self.lines.last_mut() else { return };
        if !broken_before && (item.is_line_comment || last) && line.remark.is_none() && !text.contains('\n') {
            line.remark = Some(text.to_string());
        } else {
            if let Some(remark) = line.remark.take() {
                line.text.push(' ');
                line.text.push_str(&remark);
            }
            if !broken_before {
                line.text.push(' ');
            }
            line.text.push_str(text);
        }
    }

    fn token(&mut self, i: usize, token: Token, broken_before: bool) {
        let item = self.items[i];
        if item.begins {
            let frame = self.frame();
            frame.head = Some(token);
            frame.in_types = false;
        }
        let blank = !broken_before && self.blank_before(i, token);
        let text = self.slice(&item);
        if let Some(line) = self.lines.last_mut() {
            if let Some(remark) = line.remark.take() {
                line.text.push(' ');
                line.text.push_str(&remark);
            }
            if blank {
                line.text.push(' ');
            }
            line.text.push_str(text);
            line.has_words = true;
        }
        self.enter(i, token);
    }

    /// Keeps account of frames and positions after a token.
    fn enter(&mut self, i: usize, token: Token) {
        let begins = self.items[i].begins;
        let before = self.items[i].before;
        let frame = self.frame();
        let head = frame.head;
        frame.at_first = begins;
        match token {
            // `let run = simulate …`
            Token::Simulate | Token::Sweep | Token::Poincare => frame.head = Some(token),
            Token::Colon if matches!(head, Some(Token::Form | Token::Field)) && frame.opener.is_none() => {
                frame.in_types = true;
            }
            Token::On => frame.in_types = false,
            _ => {}
        }
        if matches!(token, Token::OpenParen | Token::OpenBracket | Token::OpenBrace) {
            let declares = before.is_some_and(Token::ends_operand);
            let is_brace = token == Token::OpenBrace;
            self.frames.push(Frame {
                opener: Some(token),
                is_broken: self.brackets[i].is_broken,
                is_list: is_brace && (!declares || head == Some(Token::Manifold)),
                is_animation: is_brace && declares && head == Some(Token::Animate),
                ..Frame::file()
            });
        }
    }

    /// Whether a blank stands between item `i` and what is before it on its line.
    fn blank_before(&mut self, i: usize, token: Token) -> bool {
        use Token::*;
        let before_item = self.items[i - 1];
        let Some(before) = before_item.token else { return true };
        if self.items[i].semicolon {
            return true;
        }
        let frame = *self.frame();
        let operand = before.ends_operand();
        match (before, token) {
            (OpenBrace, CloseBrace) => false,
            (OpenParen | OpenBracket, _) | (_, CloseParen | CloseBracket) => false,
            // Primes that touch a name are part of it.
            (Word, Primes) => before_item.end < self.items[i].start,
            // Two groups of primes stay two, and a number does not become `1.`
            (Primes, Primes) | (Number, Dot) => true,
            (_, Comma | Primes) => false,
            (Dot | DotDot | Partial | Caret, _) | (_, Dot | DotDot | Caret) => false,
            (_, Colon) => self.spaced_colon(),
            (Star | Slash, _) => self.wide(i - 1),
            (_, Star | Slash) => self.wide(i),
            // `1-form`
            _ if frame.in_types && (before == Minus || token == Minus) => false,
            // A sign with a blank after it continues the line above; without one it would begin a statement.
            (Plus | Minus, _) if self.is_prefix(i - 1) => !before_item.begins && self.stands_alone(),
            (Plus | Minus, _) => self.wide(i - 1) || !self.tight(i - 1),
            (_, Plus | Minus) if operand => self.wide(i) || !self.tight(i),
            (Word, OpenParen) => frame.is_animation && frame.at_first,
            (_, OpenParen | OpenBracket) if operand && before != String => false,
            _ => true,
        }
    }

    /// The line so far is one sign.
    fn stands_alone(&self) -> bool {
        self.lines.last().is_some_and(|line| matches!(line.text.as_str(), "-" | "+"))
    }

    /// The colon of types stands between blanks, that of components and clauses after its word.
    fn spaced_colon(&mut self) -> bool {
        let depth = self.frames.len();
        let frame = *self.frame();
        match frame.opener {
            None => true,
            Some(Token::OpenBrace) => depth > 1 && self.frames[depth - 2].head == Some(Token::Manifold),
            _ => false,
        }
    }

    /// The author put blanks around this operator, or a comment, which gets them.
    fn wide(&self, i: usize) -> bool {
        let apart = |a: &Item, b: &Item| a.end < b.start || a.token.is_none() || b.token.is_none();
        let before = i.checked_sub(1).is_some_and(|b| apart(&self.items[b], &self.items[i]));
        let after = self.items.get(i + 1).is_some_and(|a| apart(&self.items[i], a));
        before || after
    }

    /// A `+` or `-` without an operand before it.
    fn is_prefix(&self, i: usize) -> bool {
        self.items[i].begins || !self.items[i].before.is_some_and(Token::ends_operand)
    }

    /// A `+` or `-` may stand without blanks in keys and ranges: `q[i-1]`, `1..n-1`.
    fn tight(&mut self, i: usize) -> bool {
        self.frame().opener == Some(Token::OpenBracket) || self.items[i].in_range
    }
}

/// Lines with their indentation, trailing comments aligned.
fn assemble(lines: &[Line]) -> String {
    let width = |line: &Line| line.indent + line.text.rsplit('\n').next().unwrap_or("").width();
    let mut out = String::new();
    let mut i = 0;
    while i < lines.len() {
        let mut end = i + 1;
        while end < lines.len() && lines[end].remark.is_some() && lines[i].remark.is_some() && !lines[end].blank_before
        {
            end += 1;
        }
        let column = lines[i..end].iter().map(width).filter(|w| *w <= ALIGNED).max().unwrap_or(0);
        for line in &lines[i..end] {
            if line.blank_before {
                out.push('\n');
            }
            let start = out.len();
            out.extend(std::iter::repeat_n(' ', line.indent));
            out.push_str(&line.text);
            if let Some(remark) = &line.remark {
                let gap = column.saturating_sub(width(line)) + 2;
                out.extend(std::iter::repeat_n(' ', gap));
                out.push_str(remark);
            }
            out.truncate(start + out[start..].trim_end().len());
            out.push('\n');
        }
        i = end;
    }
    out
}
