//! Line ends, continuations and keywords: from characters to the stream that the grammar reads.
//!
//! Two passes over the text. The first, [`scan`], is context-free: logos finds signs, numbers and
//! words, Unicode words are completed, comments are put aside. The second, [`Layout`], knows where it
//! stands: it keeps the stack of open brackets, turns line ends into [`Token::Separator`] where they
//! count, and makes keywords of words where they are keywords.
//!
//! **Line ends** (LANGUAGE §1). A line end separates statements, or entries inside `{ }`. It does not
//! count inside `( )` and `[ ]`; after a binary operator, comma, colon or opening bracket; before a
//! line that starts with a binary operator, `{` or an infix word. At the start of a line `+` and `-`
//! are binary only before a blank:
//!
//! ```text
//! lagrangian L on J1(Y) = T          constraint c on J1(Y) {
//!     - k*x^2/2                          x' = y
//! continues                              -x' + z' = 0       begins a second entry
//! ```
//!
//! At the start of a *statement* a sign is an error, with both repairs, so a lost term is not silent.
//!
//! **Keywords.** Reserved words are keywords everywhere. Statement words are, at the beginning of a
//! statement and directly before a name or a string on the same line; `simulate`, `sweep` and
//! `poincare` also after the `=` of a `let`. Clause words are, at the beginning of an entry of a run.
//! `every`, `rising`, `falling`, `against` are, after an operand, where two names in a row would
//! otherwise be wrong. Everything else is a name.
//!
//! **Brackets** are matched here, because a missing one would make the grammar lose its place: a line
//! that can only begin a statement (`let …`, `form eta …`) closes what is still open, with one message.
//! So is the nesting, before anything recurses: at most [`MAX_NESTING`] levels of brackets, prefix
//! signs, exponents and parts.

use super::token::{self, RUN_CLAUSES, STATEMENT_WORDS, Token};
use super::{foreign, problem};
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{SourceId, Span};
use logos::Logos;

/// How deep brackets, exponents, prefix signs and parts may be nested, together.
pub const MAX_NESTING: u32 = 256;

/// After so many problems the rest of the text is not looked at.
pub const MAX_PROBLEMS: usize = 100;

/// A token at its place, as the grammar reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// A comment and its place, with its slashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment {
    pub kind: CommentKind,
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentKind {
    /// `// …`
    Line,
    /// `/* … */`
    Block,
    /// `/// …`
    Doc,
}

/// What the lexer found.
#[derive(Debug, Default)]
pub struct Lexed {
    pub tokens: Vec<Placed>,
    pub comments: Vec<Comment>,
    pub problems: Vec<Diagnostic>,
    /// Where each statement begins, also those inside tests; ascending.
    pub statements: Vec<u32>,
    /// Where each statement and each entry of a block begins; ascending.
    pub entries: Vec<u32>,
    /// Where something was wrong. The grammar's complaints about the same piece of text are echoes.
    pub faults: Vec<(u32, Reach)>,
    /// The text ends inside brackets or inside a comment: more lines could complete it.
    pub open: bool,
}

/// How much of the text a fault makes doubtful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    Entry,
    /// Brackets were supplied or left out.
    Statement,
}

impl Lexed {
    /// Whether the lexer already found something wrong around this place.
    pub fn is_faulty(&self, place: u32) -> bool {
        let number = |starts: &[u32], p: u32| starts.partition_point(|&start| start <= p);
        self.faults.iter().any(|&(fault, reach)| match reach {
            Reach::Entry => number(&self.entries, fault) == number(&self.entries, place),
            Reach::Statement => number(&self.statements, fault) == number(&self.statements, place),
        })
    }
}

/// Reads a text into tokens. Never fails: what cannot be read is in the problems.
pub fn lex(source: SourceId, text: &str) -> Lexed {
    let mut lexed = Lexed::default();
    let raw = scan(source, text, &mut lexed);
    let mut layout = Layout {
        source,
        text,
        raw: &raw,
        lexed,
        frames: vec![Frame::new(None, Block::Statements, 0)],
        depth: 0,
        pending: false,
        statement: 0,
    };
    layout.run();
    layout.lexed
}

/// A token of the first pass.
#[derive(Clone, Copy, Debug)]
struct Raw {
    token: Token,
    start: u32,
    end: u32,
    /// It is the first of its line.
    first: bool,
}

/// The first pass: words, numbers, signs; comments put aside.
fn scan(source: SourceId, text: &str, lexed: &mut Lexed) -> Vec<Raw> {
    let mut raw = Vec::with_capacity(text.len() / 3);
    let mut first = true;
    let mut lexer = Token::lexer(text);
    if text.starts_with('\u{FEFF}') {
        lexer.bump('\u{FEFF}'.len_utf8());
    }
    while let Some(found) = lexer.next() {
        let start = lexer.span().start;
        let mut token = found.unwrap_or(Token::Foreign);
        match token {
            Token::Newline => {
                first = true;
                continue;
            }
            Token::LineComment => {
                let slice = lexer.slice();
                let doc = slice.starts_with("///") && !slice.starts_with("////");
                let kind = if doc { CommentKind::Doc } else { CommentKind::Line };
                let end = start + slice.trim_end().len();
                lexed.comments.push(Comment { kind, start: start as u32, end: end as u32 });
                continue;
            }
            Token::BlockComment => {
                let rest = lexer.remainder();
                let length = rest.find("*/").map(|n| n + 2);
                lexer.bump(length.unwrap_or(rest.len()));
                if length.is_none() {
                    lexed.open = true;
                    fault(lexed, problem::unterminated_comment(Span::new(source, start, start + 2)));
                }
                first |= lexer.slice().contains('\n');
                let end = lexer.span().end as u32;
                lexed.comments.push(Comment { kind: CommentKind::Block, start: start as u32, end });
                continue;
            }
            Token::Word => {
                finish_word(&mut lexer);
                token = token::reserved(lexer.slice()).unwrap_or(Token::Word);
            }
            Token::Primes => bump_while(&mut lexer, is_prime),
            Token::Unicode => {
                let c = lexer.slice().chars().next().unwrap_or(' ');
                match c {
                    '∧' => token = Token::Wedge,
                    c if is_prime(c) => {
                        bump_while(&mut lexer, is_prime);
                        token = Token::Primes;
                    }
                    c if is_word_start(c) => {
                        finish_word(&mut lexer);
                        token = Token::Word;
                    }
                    c if c.is_whitespace() => continue,
                    _ => token = Token::Foreign,
                }
            }
            // `x"`: two primes.
            Token::UnterminatedString
                if raw.last().is_some_and(|b: &Raw| b.token == Token::Word && b.end as usize == start) =>
            {
                let place = Span::new(source, start, start + 1);
                fault(lexed, problem::double_prime(place));
                lexer = Token::lexer(text);
                lexer.bump(start + 1);
                continue;
            }
            Token::UnterminatedString => {
                let end = start + lexer.slice().trim_end().len();
                fault(lexed, problem::unterminated_string(Span::new(source, start, end)));
                token = Token::String;
            }
            _ => {}
        }
        let end = lexer.span().end;
        let before = raw.last().filter(|_| !first).map(|b: &Raw| (b.token, &text[b.start as usize..b.end as usize]));
        // After too many problems nothing more is told, and nothing more is looked for.
        let is_told = lexed.problems.len() < MAX_PROBLEMS;
        let of_tex = match (token, lexer.slice()) {
            _ if !is_told => None,
            (Token::Caret, _) => foreign::braces_of_tex(source, text, start),
            (Token::Word, word) if word.ends_with('_') => foreign::braces_of_tex(source, text, end - 1),
            _ => None,
        };
        if let Some((diagnostic, end)) = Some(token)
            .filter(|t| is_told && *t == Token::Primes)
            .and_then(|_| foreign::quoted(source, text, start, before))
        {
            fault(lexed, diagnostic);
            lexer.bump(end - lexer.span().end);
            raw.push(Raw { token: Token::String, start: start as u32, end: end as u32, first });
            first = false;
            continue;
        }
        let strange = match token {
            _ if !is_told => None,
            Token::Minus if first => foreign::comment(source, text, start),
            Token::String if lexer.slice() == "\"\"" => foreign::comment(source, text, start),
            Token::Primes if first => foreign::comment(source, text, start),
            _ => None,
        };
        if let Some((diagnostic, end)) = strange {
            fault(lexed, diagnostic);
            first |= text[start..end].contains('\n');
            lexer.bump(end - lexer.span().end);
            continue;
        }
        if token == Token::Foreign && !is_told {
            let Some(meant) = problem::meaning(lexer.slice()) else {
                lexed.faults.push((start as u32, Reach::Entry));
                continue;
            };
            token = meant;
        }
        if token == Token::Foreign {
            let told = foreign::Sign { source, text, start, end, before }.tell();
            lexer.bump(told.end - lexer.span().end);
            fault(lexed, told.diagnostic);
            let Some(meant) = told.reads_as else {
                if !told.is_comment {
                    lexed.faults.push((start as u32, Reach::Entry));
                }
                continue;
            };
            token = meant;
        }
        let end = lexer.span().end;
        if let Some((diagnostic, end)) = of_tex {
            fault(lexed, diagnostic);
            lexer.bump(end - lexer.span().end);
        }
        raw.push(Raw { token, start: start as u32, end: end as u32, first });
        first = false;
    }
    raw
}

fn fault(lexed: &mut Lexed, diagnostic: Diagnostic) {
    let brackets = [&codes::UNCLOSED_BRACKET, &codes::UNMATCHED_BRACKET, &codes::NESTING];
    let reach = if brackets.contains(&diagnostic.code) { Reach::Statement } else { Reach::Entry };
    lexed.faults.extend(diagnostic.primary().map(|span| (span.start, reach)));
    lexed.problems.push(diagnostic);
}

fn finish_word(lexer: &mut logos::Lexer<Token>) {
    bump_while(lexer, is_word_continue);
    bump_while(lexer, is_prime);
}

fn bump_while(lexer: &mut logos::Lexer<Token>, accept: impl Fn(char) -> bool) {
    let rest = lexer.remainder();
    let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
    lexer.bump(length);
}

/// `'` and the primes of typeset mathematics.
pub fn is_prime(c: char) -> bool {
    matches!(c, '\'' | '′' | '″' | '‴' | '⁗')
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic() && !is_superscript(c)
}

/// Letters, digits, `_`, subscript digits, and combining marks: a bar or hat is part of a name, dots
/// are primes (see [`super::name`]).
fn is_word_continue(c: char) -> bool {
    is_word_start(c) || c.is_ascii_digit() || matches!(c, '₀'..='₉' | '\u{300}'..='\u{36F}' | '\u{20D0}'..='\u{20F0}')
}

fn is_superscript(c: char) -> bool {
    matches!(c, 'ª' | 'º' | '⁰'..='ⁿ')
}

/// Whether a statement that begins with `keyword` and a name goes on with `next`: `form x = 1` in a run is
/// a clause with a slip of the pen and not a form.
fn declares(keyword: Token, next: Option<Token>) -> bool {
    use Token::*;
    match keyword {
        Manifold => next == Some(Over),
        Map => next == Some(Colon),
        Form | Field => matches!(next, Some(Colon | On)),
        Function => next == Some(OpenParen),
        System => next == Some(Equal),
        _ => !token::names_something(keyword) || keyword == Test || next == Some(On),
    }
}

/// The second pass: brackets, separators, keywords.
struct Layout<'t> {
    source: SourceId,
    text: &'t str,
    raw: &'t [Raw],
    lexed: Lexed,
    /// The open brackets; the first frame is the file.
    frames: Vec<Frame>,
    /// How deep the tree is at this place.
    depth: u32,
    /// A separator is due before the next token, unless that closes the block.
    pending: bool,
    /// Index of the first token of the current statement of the file.
    statement: usize,
}

/// An open bracket, or the file.
struct Frame {
    opener: Option<Raw>,
    block: Block,
    /// The keyword of the statement or clause being read.
    head: Option<Token>,
    /// Nothing of the current statement or entry has been read.
    at_start: bool,
    /// Depth inside, at an operand that no prefix and no exponent has deepened.
    base: u32,
    /// How many `at` the current expression has: they nest to the left.
    ats: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// The file, or the body of a test.
    Statements,
    /// `{ }` after `simulate S` or `sweep S`.
    Run,
    /// `{ }` after `plot run`.
    Plot,
    Poincare,
    /// Any other `{ }`: entries of a declaration, a point.
    Entries,
    /// `( )` and `[ ]`, where line ends do not count.
    Inline,
}

impl Frame {
    fn new(opener: Option<Raw>, block: Block, base: u32) -> Frame {
        Frame { opener, block, head: None, at_start: true, base, ats: 0 }
    }
}

impl Layout<'_> {
    fn run(&mut self) {
        let mut i = 0;
        while i < self.raw.len() && self.lexed.problems.len() < MAX_PROBLEMS {
            let raw = self.raw[i];
            if raw.first {
                self.line_end(i);
            }
            match raw.token {
                Token::Semicolon => self.semicolon(i),
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => self.open(raw),
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => self.close(raw),
                Token::Word => self.word(i),
                Token::Dot if self.decimal_point(i) => {}
                _ => {
                    self.count_depth(raw.token);
                    self.push(raw);
                }
            }
            i = if self.depth > MAX_NESTING { self.skip_nested(i) } else { i + 1 };
        }
        if i < self.raw.len() {
            self.lexed.faults.push((self.raw[i].start, Reach::Statement));
            self.close_silently(0);
        } else {
            self.end_of_text();
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the file is never closed")
    }

    fn slice(&self, raw: Raw) -> &str {
        &self.text[raw.start as usize..raw.end as usize]
    }

    fn span(&self, raw: Raw) -> Span {
        Span::new(self.source, raw.start as usize, raw.end as usize)
    }

    fn next_on_line(&self, i: usize) -> Option<Raw> {
        self.raw.get(i + 1).copied().filter(|next| !next.first)
    }

    fn previous(&self) -> Option<Placed> {
        self.lexed.tokens.last().copied().filter(|_| !self.pending)
    }

    fn after_operand(&self) -> bool {
        self.previous().is_some_and(|p| p.token.ends_operand())
    }

    fn fault(&mut self, diagnostic: Diagnostic) {
        fault(&mut self.lexed, diagnostic);
    }

    /// Emits a token, before it the separator that is due.
    fn push(&mut self, raw: Raw) {
        if std::mem::take(&mut self.pending) {
            let end = self.lexed.tokens.last().map_or(0, |t| t.end);
            let depth = self.frames.len();
            let token = match self.frame().block {
                Block::Statements if depth == 1 => Token::Separator,
                Block::Statements => Token::BodySeparator,
                _ => Token::EntrySeparator,
            };
            self.lexed.tokens.push(Placed { token, start: end, end });
        }
        if self.frame().at_start {
            self.start_of_entry(raw);
        }
        self.lexed.tokens.push(Placed { token: raw.token, start: raw.start, end: raw.end });
    }

    /// Called with the first token of a statement or entry.
    fn start_of_entry(&mut self, raw: Raw) {
        self.lexed.entries.push(raw.start);
        let frame = self.frame();
        frame.at_start = false;
        if frame.block != Block::Statements {
            return;
        }
        if matches!(raw.token, Token::Let | Token::Param | Token::Assume | Token::Assert) {
            frame.head = Some(raw.token);
        }
        self.lexed.statements.push(raw.start);
        if self.frames.len() == 1 {
            self.statement = self.lexed.tokens.len();
        }
        if matches!(raw.token, Token::Plus | Token::Minus) {
            let continues = raw.first && self.lexed.tokens.last().is_some_and(|t| t.token.is_separator());
            self.fault(problem::sign_at_start(self.span(raw), self.slice(raw), continues));
        }
    }

    /// A line ends before the token `i`.
    fn line_end(&mut self, i: usize) {
        if self.begins_statement(i) {
            self.resynchronise(i);
            // Whatever the line before still waits for, it does not come.
            if self.frame().block == Block::Statements {
                return self.separate();
            }
        }
        if self.frame().block == Block::Inline || self.continues_line(i) {
            return;
        }
        if !self.previous().is_some_and(|p| p.token.continues_after()) {
            self.separate();
        }
    }

    fn separate(&mut self) {
        self.depth = self.frame().base;
        let frame = self.frame();
        frame.ats = 0;
        if !frame.at_start {
            frame.at_start = true;
            frame.head = None;
            self.pending = true;
        }
    }

    /// Whether the line that begins with token `i` belongs to the line before.
    fn continues_line(&mut self, i: usize) -> bool {
        let raw = self.raw[i];
        let after_operand = self.after_operand();
        let (at_start, block, head) = (self.frame().at_start, self.frame().block, self.frame().head);
        if at_start {
            return false;
        }
        match raw.token {
            Token::Plus | Token::Minus => self.blank_after(raw),
            Token::OpenBrace => true,
            Token::Word => {
                after_operand
                    && match self.slice(raw) {
                        "every" | "rising" | "falling" => matches!(block, Block::Run | Block::Poincare),
                        "against" => matches!(block, Block::Plot | Block::Poincare),
                        "from" => head == Some(Token::Function),
                        _ => false,
                    }
            }
            token => token.is_infix(),
        }
    }

    /// A comment counts as a blank.
    fn blank_after(&self, raw: Raw) -> bool {
        let rest = &self.text[raw.end as usize..];
        rest.starts_with("//") || rest.starts_with("/*") || rest.chars().next().is_none_or(char::is_whitespace)
    }

    fn semicolon(&mut self, i: usize) {
        let raw = self.raw[i];
        if self.frame().block == Block::Inline {
            let opener = self.frame().opener.unwrap_or(raw);
            let closes = self.closes_on_line(i);
            if closes && opener.token == Token::OpenBracket {
                let rest = &self.raw[i + 1..];
                let close = rest.iter().position(|r| r.token == Token::CloseBracket).unwrap_or(0);
                let (open, close) = (self.span(opener), self.span(rest[close]));
                let inside = &self.text[open.end as usize..close.start as usize];
                let told = self.lexed.problems.iter().any(|d| d.repairs.iter().any(|r| r.span.start == open.start));
                if !told {
                    self.fault(problem::matrix_of_rows(self.span(raw), open.to(close), inside));
                }
                return self.push(Raw { token: Token::Comma, ..raw });
            }
            self.fault(problem::semicolon_in_brackets(self.span(raw), self.span(opener), self.slice(opener), closes));
            if closes {
                // `f(x; y)` is read as `f(x, y)`.
                return self.push(Raw { token: Token::Comma, ..raw });
            }
            while self.frame().block == Block::Inline {
                self.close_virtually();
            }
        }
        self.separate();
    }

    /// Whether the innermost bracket is closed on the line of token `i`, after it.
    fn closes_on_line(&self, i: usize) -> bool {
        let mut open = 0usize;
        for raw in self.raw[i + 1..].iter().take_while(|raw| !raw.first) {
            match raw.token {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => open += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace if open > 0 => open -= 1,
                Token::CloseParen | Token::CloseBracket => return true,
                Token::CloseBrace => return false,
                _ => {}
            }
        }
        false
    }

    /// A word: a keyword where its place makes it one, else a name.
    fn word(&mut self, i: usize) {
        let raw = self.raw[i];
        if let Some(before) = i.checked_sub(1).map(|b| self.raw[b])
            && before.token == Token::Number
            && before.end == raw.start
        {
            let (number, name) = (self.slice(before).to_string(), self.slice(raw).to_string());
            let declares = i.checked_sub(2).is_some_and(|b| ["param", "let"].contains(&self.slice(self.raw[b])));
            let in_run = self.frame().block == Block::Run;
            let slip = self.second_derivative(i).or_else(|| self.power_of_function(i));
            self.fault(slip.unwrap_or_else(|| match declares {
                true => problem::digit_first(self.span(before).to(self.span(raw)), &number, &name),
                false if in_run && problem::UNITS.contains(&&*name) => problem::unit(self.span(raw), &number, &name),
                false => problem::number_before_name(self.span(before), self.span(raw), &number, &name),
            }));
            self.push(Raw { token: Token::Star, end: raw.start, ..raw });
        }
        let token = self.keyword(i).unwrap_or(Token::Word);
        let frame = self.frame();
        let statement = frame.block == Block::Statements && token != Token::Word;
        let clause = frame.block == Block::Run && frame.at_start;
        if (statement || clause) && token != Token::Generated {
            frame.head = Some(token);
        }
        self.push(Raw { token, ..raw });
    }

    /// `d^2x/dt^2`, of which `x` stands at `i`.
    fn second_derivative(&self, i: usize) -> Option<Diagnostic> {
        let first = i.checked_sub(3)?;
        let around = self.raw.get(first..i + 5)?;
        let said: Vec<&str> = around.iter().map(|raw| self.slice(*raw)).collect();
        let [d, caret, order, of, over, time, again, same] = said.as_slice() else { return None };
        let is_one = (*d, *caret, *over, *again) == ("d", "^", "/", "^") && order == same && time.starts_with('d');
        let order = order.parse::<usize>().ok().filter(|n| is_one && (1..=9).contains(n))?;
        let whole = self.span(around[0]).to(self.span(around[7]));
        Some(problem::leibniz_derivative(self.span(around[0]), &format!("{of}{}", "'".repeat(order)), whole))
    }

    /// `sin^2x`, of which `x` stands at `i`.
    fn power_of_function(&self, i: usize) -> Option<Diagnostic> {
        let (name, caret) = (self.raw[i.checked_sub(3)?], self.raw[i - 2]);
        let function = self.slice(name);
        if caret.token != Token::Caret || Elementary::find(function).is_none() {
            return None;
        }
        let (power, of) = (self.slice(self.raw[i - 1]), self.slice(self.raw[i]));
        let turned = format!("{function}({of})^{power}");
        let whole = self.span(name).to(self.span(self.raw[i]));
        Some(problem::power_of_function(self.span(caret), &turned, whole))
    }

    fn keyword(&mut self, i: usize) -> Option<Token> {
        let raw = self.raw[i];
        let (block, at_start, head) = (self.frame().block, self.frame().at_start, self.frame().head);
        let previous = self.previous().map(|p| p.token);
        let after_operand = self.after_operand();
        let next = self.next_on_line(i).map(|n| n.token);
        let word = self.slice(raw);
        let names_follow = matches!(next, Some(Token::Word | Token::String));
        match block {
            Block::Statements if at_start => {
                let keyword = token::find(STATEMENT_WORDS, word)?;
                let goes_on = matches!(next, Some(Token::On | Token::Over | Token::Colon | Token::OpenBrace));
                if goes_on && token::names_something(keyword) {
                    let fault = problem::missing_name(self.span(raw), word);
                    self.fault(fault);
                }
                names_follow.then_some(keyword)
            }
            Block::Statements if previous == Some(Token::Equal) => match word {
                "simulate" if names_follow && head == Some(Token::Let) => Some(Token::Simulate),
                "sweep" if names_follow && head == Some(Token::Let) => Some(Token::Sweep),
                "poincare" if names_follow && head == Some(Token::Let) => Some(Token::Poincare),
                "generated" if next == Some(Token::By) && head == Some(Token::System) => Some(Token::Generated),
                _ => None,
            },
            Block::Statements => {
                let table = word == "from" && head == Some(Token::Function) && next == Some(Token::String);
                (after_operand && table).then_some(Token::From)
            }
            Block::Run if at_start => {
                let keyword = token::find(RUN_CLAUSES, word);
                if keyword.is_none() {
                    let fault = problem::unknown_clause(self.span(raw), word, &self.text[raw.end as usize..]);
                    self.fault(fault);
                }
                keyword
            }
            Block::Run => match (word, head) {
                ("rel" | "abs", Some(Token::Tolerance))
                    if (matches!(next, Some(Token::Number | Token::Word)) || self.sign_follows(i))
                        && matches!(previous, Some(Token::Tolerance | Token::Comma)) =>
                {
                    Some(if word == "rel" { Token::Relative } else { Token::Absolute })
                }
                ("every", Some(Token::Record)) if after_operand => Some(Token::Every),
                ("rising", Some(Token::Stop)) if after_operand => Some(Token::Rising),
                ("falling", Some(Token::Stop)) if after_operand => Some(Token::Falling),
                _ => None,
            },
            Block::Poincare if at_start => match word {
                "section" => Some(Token::Section),
                "plot" => Some(Token::Plot),
                _ => None,
            },
            Block::Plot | Block::Poincare if after_operand => match word {
                "against" => Some(Token::Against),
                "rising" if block == Block::Poincare => Some(Token::Rising),
                "falling" if block == Block::Poincare => Some(Token::Falling),
                _ => None,
            },
            _ => None,
        }
    }

    /// `rel -1` and not `rel - 1`: a sign that belongs to what comes after it.
    fn sign_follows(&self, i: usize) -> bool {
        self.next_on_line(i)
            .is_some_and(|next| next.token == Token::Minus && !self.blank_after(next) && next.start > self.raw[i].end)
    }

    /// A point that is not `.part`: `1.` and `.5`. Says so and leaves it out.
    fn decimal_point(&mut self, i: usize) -> bool {
        let raw = self.raw[i];
        let before = i.checked_sub(1).map(|b| self.raw[b]).filter(|b| b.end == raw.start);
        let after = self.raw.get(i + 1).copied().filter(|a| a.start == raw.end);
        let after_number = before.is_some_and(|b| b.token == Token::Number);
        let before_number = after.is_some_and(|a| a.token == Token::Number);
        if after_number && !after.is_some_and(|a| a.token == Token::Word) {
            let number = self.raw[i - 1];
            let text = format!("{}.0", self.slice(number));
            self.fault(problem::decimal_point(self.span(number).to(self.span(raw)), text));
            return true;
        }
        if before_number && !self.after_operand() {
            let number = self.raw[i + 1];
            let text = format!("0.{}", self.slice(number));
            self.fault(problem::decimal_point(self.span(raw).to(self.span(number)), text));
            return true;
        }
        false
    }

    fn open(&mut self, raw: Raw) {
        let head = self.frame().head;
        let block = match (raw.token, self.frame().block) {
            (Token::OpenBrace, Block::Statements) if head == Some(Token::Test) => Block::Statements,
            (Token::OpenBrace, Block::Statements) if self.after_operand() => match head {
                Some(Token::Simulate | Token::Sweep) => Block::Run,
                Some(Token::Plot) => Block::Plot,
                Some(Token::Poincare) => Block::Poincare,
                _ => Block::Entries,
            },
            (Token::OpenBrace, _) => Block::Entries,
            _ => Block::Inline,
        };
        self.push(raw);
        self.depth += 1;
        let base = self.depth;
        self.frames.push(Frame::new(Some(raw), block, base));
    }

    fn close(&mut self, raw: Raw) {
        let matching = self.frames.iter().rposition(|f| f.opener.map(|o| o.token) == raw.token.opener());
        let innermost = self.frame().opener;
        match (matching, innermost) {
            // Nothing is open, or only a block, which such a bracket cannot end.
            (None, None | Some(Raw { token: Token::OpenBrace, .. })) => {
                let fault = problem::closes_nothing(self.span(raw), self.slice(raw));
                self.fault(fault);
            }
            // `f(x]`: taken for the bracket that was meant.
            (None, Some(opener)) => {
                let fault = problem::wrong_bracket(
                    self.span(raw),
                    self.slice(raw),
                    self.span(opener),
                    problem::closer(opener.token).1,
                );
                self.fault(fault);
                self.close_virtually();
            }
            (Some(at), _) => {
                if at + 1 < self.frames.len() {
                    let opener = innermost.unwrap_or(raw);
                    self.fault(problem::unclosed(self.span(opener), self.slice(opener), &[]));
                }
                while at + 1 < self.frames.len() {
                    self.close_virtually();
                }
                self.pop(raw);
            }
        }
    }

    /// Leaves the innermost bracket; `raw` closes it.
    fn pop(&mut self, raw: Raw) {
        self.pending = false;
        if let Some(frame) = self.frames.pop() {
            self.depth = frame.base;
        }
        self.push(raw);
    }

    /// Closes the innermost bracket as if its closing sign stood here.
    fn close_virtually(&mut self) {
        if let Some(opener) = self.frame().opener {
            let end = self.lexed.tokens.last().map_or(0, |t| t.end);
            self.pop(Raw { token: problem::closer(opener.token).0, start: end, end, first: false });
        }
    }

    fn close_silently(&mut self, keep: usize) {
        while self.frames.len() > keep + 1 {
            self.close_virtually();
        }
    }

    /// Whether token `i`, first of its line, can only begin a statement.
    fn begins_statement(&self, i: usize) -> bool {
        match self.raw[i].token {
            Token::Let | Token::Param | Token::Assume | Token::Assert => true,
            Token::Word => {
                let name = self.next_on_line(i).map(|n| n.token);
                let third = self.raw.get(i + 2).map(|n| n.token);
                matches!(name, Some(Token::Word | Token::String))
                    && token::find(STATEMENT_WORDS, self.slice(self.raw[i])).is_some_and(|k| declares(k, third))
            }
            _ => false,
        }
    }

    /// A statement begins at token `i`: whatever is open, tests apart, was left open by mistake.
    fn resynchronise(&mut self, i: usize) {
        if self.frame().block == Block::Statements {
            return;
        }
        let raw = self.raw[i];
        // What the entries of these blocks may begin with.
        let allowed = match self.frame().block {
            Block::Poincare => matches!(self.slice(raw), "section" | "plot"),
            Block::Plot => self.raw.get(i + 1).is_some_and(|next| self.slice(*next) == "against"),
            _ => false,
        };
        if allowed {
            return;
        }
        if let Some(opener) = self.frame().opener {
            let end = self.lexed.tokens.last().map_or(0, |t| t.end) as usize;
            let end = Span::new(self.source, end, end);
            let alone = self.frames.iter().filter(|f| f.opener.is_some()).count() == 1;
            self.fault(match alone {
                true => problem::unclosed_at_end(self.span(opener), self.slice(opener), end),
                false => problem::unclosed(self.span(opener), self.slice(opener), &[]),
            });
        }
        while self.frame().block != Block::Statements {
            self.close_virtually();
        }
        self.separate();
    }

    fn end_of_text(&mut self) {
        if let Some(opener) = self.frame().opener {
            self.lexed.open = true;
            let others: Vec<Span> =
                self.frames.iter().rev().skip(1).filter_map(|f| f.opener.map(|o| self.span(o))).take(3).collect();
            let end = self.lexed.tokens.last().map_or(0, |t| t.end) as usize;
            let end = Span::new(self.source, end, end);
            self.fault(match others[..] {
                [] => problem::unclosed_at_end(self.span(opener), self.slice(opener), end),
                _ => problem::unclosed(self.span(opener), self.slice(opener), &others),
            });
            self.lexed.faults.push((self.text.len() as u32, Reach::Statement));
            self.close_silently(0);
        }
    }

    /// Keeps account of the depth of the tree: an upper bound, exact enough to protect everyone who
    /// walks it.
    fn count_depth(&mut self, token: Token) {
        let prefix = !self.after_operand();
        let depth = self.depth;
        let frame = self.frame();
        self.depth = match token {
            Token::Caret | Token::Dot | Token::Partial | Token::Not | Token::Primes => depth + 1,
            Token::Minus | Token::Plus if prefix => depth + 1,
            Token::At => {
                frame.ats += 1;
                frame.base + frame.ats
            }
            Token::Comma | Token::And | Token::Or | Token::Colon => {
                frame.ats = 0;
                frame.base
            }
            token if token.is_infix() => frame.base + frame.ats,
            _ => depth,
        };
    }

    /// The expression around token `i` is nested too deeply: the whole statement is left out. Returns
    /// the index of the token after it.
    fn skip_nested(&mut self, i: usize) -> usize {
        self.fault(problem::nested(self.span(self.raw[i])));
        self.lexed.tokens.truncate(self.statement);
        if self.lexed.tokens.last().is_some_and(|t| t.token.is_separator()) {
            self.lexed.tokens.pop();
        }
        self.pending = !self.lexed.tokens.is_empty();
        let mut open = self.frames.len() - 1;
        self.frames.clear();
        self.frames.push(Frame::new(None, Block::Statements, 0));
        self.depth = 0;
        let mut i = i + 1;
        while let Some(raw) = self.raw.get(i) {
            let ends = raw.first || raw.token == Token::Semicolon;
            if ends && open == 0 || raw.first && self.begins_statement(i) {
                break;
            }
            match raw.token {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => open += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => open = open.saturating_sub(1),
                _ => {}
            }
            i += 1;
        }
        i
    }
}
