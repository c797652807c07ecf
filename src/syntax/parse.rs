//! Text in, tree and problems out.
//!
//! [`parse`] never fails. It returns every statement that could be read, and one problem for each
//! mistake, sorted by place. LALRPOP reports what its automaton cannot shift; [`expected`](super::expected)
//! says it in words, and [`Echoes`] drops the complaints that only repeat an earlier one.

use super::ast::{Ast, Text};
use super::build::Builder;
use super::expected;
use super::grammar::ProgramParser;
use super::lexer::{self, Lexed, MAX_PROBLEMS};
use super::token::Token;
use super::{disguise, name, problem};
use crate::diagnostic::{Diagnostic, Problems, codes};
use crate::source::{SourceId, Span};
use lalrpop_util::ParseError;
use std::cell::Cell;

/// Reads a text. The tree holds what could be read; the problems say what could not.
pub fn parse(source: SourceId, text: &str) -> (Ast, Problems) {
    let reading = read(source, text);
    let mut problems = Problems::default();
    let mut found = reading.problems;
    found.extend(reading.warnings);
    found.sort_by_key(|d| d.primary());
    problems.extend(found);
    (reading.ast, problems)
}

/// Whether a text is complete, or whether more lines could follow; the REPL asks this after each line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Readable as it stands, or wrong in a way that no further line mends.
    Complete,
    /// A bracket or comment is open, an operator waits for its operand, a block is still to come.
    Incomplete,
}

/// Asks lexer and grammar whether the text could go on.
pub fn is_complete(text: &str) -> Completeness {
    let reading = read(SourceId::default(), text);
    // A comment that documents waits for what it documents.
    let documents = text.lines().last().is_some_and(|line| line.trim_start().starts_with("///"));
    if reading.open || reading.ends_early || documents { Completeness::Incomplete } else { Completeness::Complete }
}

struct Reading {
    ast: Ast,
    problems: Vec<Diagnostic>,
    /// What can be read and may be misread.
    warnings: Vec<Diagnostic>,
    /// The text ends inside a bracket or comment.
    open: bool,
    /// The only complaint of the grammar is that the text ends.
    ends_early: bool,
}

type Complaint = ParseError<u32, Token, ()>;

fn read(source: SourceId, text: &str) -> Reading {
    // Spans are 32 bits wide.
    let text = if text.len() < u32::MAX as usize { text } else { "" };
    let lexed = lexer::lex(source, text);
    let complaints = Cell::new(lexed.problems.len());
    let mut builder = Builder::new(source, text, &lexed, &complaints);
    let tokens = lexed
        .tokens
        .iter()
        .take_while(|_| complaints.get() <= MAX_PROBLEMS)
        .map(|t| Ok::<_, ()>((t.start, t.token, t.end)));
    let result = ProgramParser::new().parse(&mut builder, tokens);

    let mut errors: Vec<Complaint> = builder.broken.into_iter().map(|b| b.error).collect();
    let mut ast = builder.ast;
    match result {
        Ok(statements) => ast.statements = statements,
        Err(error) => errors.push(error),
    }
    let mut problems = lexed.problems.clone();
    problems.extend(builder.problems.into_iter().filter(|d| !d.primary().is_some_and(|s| lexed.is_faulty(s.start))));
    let ends_early =
        problems.is_empty() && errors.first().is_some_and(|e| matches!(e, ParseError::UnrecognizedEof { .. }));

    let mut echoes = Echoes::new(&lexed);
    for error in &errors {
        let index = expected::token_index(&lexed, error);
        if !echoes.repeats(index) {
            problems.push(expected::translate(source, text, &lexed, index, error));
        }
    }
    place_bracket(text, &lexed, &mut problems);
    leave_out_broken(&mut ast, text, &lexed, &problems);
    if complaints.get() > MAX_PROBLEMS || lexed.problems.len() >= MAX_PROBLEMS {
        problems.truncate(MAX_PROBLEMS);
        problems.push(problem::too_many(Span::new(source, text.len(), text.len())));
    }
    let warnings = disguise::warnings(source, text, &lexed);
    Reading { ast, problems, warnings, open: lexed.open, ends_early }
}

/// How many lines are tried for a bracket that is missing.
const MAX_PLACES: usize = 12;

/// A bracket that is closed nowhere was most likely meant to be closed at the end of a line: the first one after which the
/// text can be read. What was said about the lines behind it was about the bracket.
fn place_bracket(text: &str, lexed: &Lexed, problems: &mut Vec<Diagnostic>) {
    let is_open = |d: &Diagnostic| d.code == &codes::UNCLOSED_BRACKET && d.repairs.len() == 1;
    let Some(open) = problems.iter().position(is_open) else { return };
    let Some(opening) = problems[open].primary() else { return };
    let Some(repair) = problems[open].repairs.first().cloned() else { return };
    let line_ends = text[opening.start as usize..].match_indices('\n').map(|(n, _)| opening.start + n as u32);
    for line_end in line_ends.take(MAX_PLACES) {
        // Behind the last word of the line, and before its comment.
        let end = lexed.tokens.iter().take_while(|t| t.end <= line_end).map(|t| t.end).max().unwrap_or(line_end);
        let mended = format!("{}{}{}", &text[..end as usize], repair.text, &text[end as usize..]);
        if end > opening.start && n_problems(&mended) + 1 == n_before(problems, opening) {
            problems[open].repairs[0].span = Span { start: end, end, ..opening };
            let others = problems.iter().filter(|d| d.primary().is_none_or(|place| place <= opening));
            *problems = others.cloned().collect();
            return;
        }
    }
}

/// The problems up to a place, it included.
fn n_before(problems: &[Diagnostic], place: Span) -> usize {
    problems.iter().filter(|d| d.primary().is_some_and(|span| span.start <= place.start)).count()
}

/// How many problems lexer and grammar have with a text.
fn n_problems(text: &str) -> usize {
    let source = SourceId::default();
    let lexed = lexer::lex(source, text);
    let complaints = Cell::new(lexed.problems.len());
    let mut builder = Builder::new(source, text, &lexed, &complaints);
    let tokens = lexed.tokens.iter().map(|t| Ok::<_, ()>((t.start, t.token, t.end)));
    let failed = ProgramParser::new().parse(&mut builder, tokens).is_err();
    lexed.problems.len() + builder.problems.len() + builder.broken.len() + usize::from(failed)
}

/// Takes the statements with a problem out of the tree, and notes the names that occur in them.
fn leave_out_broken(ast: &mut Ast, text: &str, lexed: &Lexed, problems: &[Diagnostic]) {
    let mut places: Vec<u32> = problems.iter().filter_map(|d| d.primary()).map(|span| span.start).collect();
    if places.is_empty() {
        return;
    }
    places.sort_unstable();
    let has_problem = |start: u32, end: u32| {
        places.get(places.partition_point(|&p| p < start)).is_some_and(|&p| p < end || p == start)
    };
    // What stands behind a statement on its last line belongs to it.
    let end_of = |end: u32| {
        let line = text[end as usize..].find('\n').map_or(text.len() as u32, |n| end + n as u32);
        let next = lexed.statements.partition_point(|&s| s < end);
        lexed.statements.get(next).map_or(line, |&next| next.min(line))
    };
    ast.statements.retain(|s| !has_problem(s.span.start, end_of(s.span.end)));
    let starts = lexed.statements.iter().copied().chain([u32::MAX]);
    for (start, end) in starts.clone().zip(starts.skip(1)).filter(|(start, end)| has_problem(*start, *end)) {
        let first = lexed.tokens.partition_point(|t| t.start < start);
        let tokens = lexed.tokens[first..].iter().take_while(|t| t.start < end);
        let words = tokens.filter(|t| t.token == Token::Word).map(|t| &text[t.start as usize..t.end as usize]);
        ast.doubtful.extend(words.map(|word| Text::from(name::read(word).0)));
    }
}

/// Knows which complaints of the grammar are echoes: those in a statement where the lexer already found
/// something wrong, and those that follow another complaint in the same statement, unless they lie in
/// a later entry of the same block.
struct Echoes<'t> {
    lexed: &'t Lexed,
    /// Of the last complaint that was not an echo.
    last: Option<Place>,
    /// The walk over the tokens: how far it came, the open braces with the number of the current entry.
    walked: usize,
    braces: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    statement: usize,
    /// The innermost brace, and the number of the entry in it.
    brace: (usize, usize),
}

impl<'t> Echoes<'t> {
    fn new(lexed: &'t Lexed) -> Echoes<'t> {
        Echoes { lexed, last: None, walked: 0, braces: vec![(0, 0)] }
    }

    fn repeats(&mut self, index: usize) -> bool {
        let tokens = &self.lexed.tokens;
        for (i, placed) in tokens.iter().enumerate().take(index).skip(self.walked) {
            match placed.token {
                Token::OpenBrace => self.braces.push((i + 1, 0)),
                Token::CloseBrace if self.braces.len() > 1 => drop(self.braces.pop()),
                token if token.is_separator() => {
                    if let Some(brace) = self.braces.last_mut() {
                        brace.1 += 1;
                    }
                }
                _ => {}
            }
        }
        self.walked = self.walked.max(index);
        // A separator belongs to the entry before it.
        let place = match tokens.get(index) {
            Some(t) if t.token.is_separator() => tokens[..index].last().map_or(t.start, |before| before.start),
            Some(t) => t.start,
            None => tokens.last().map_or(0, |t| t.start),
        };
        let statement = self.lexed.statements.partition_point(|&s| s <= place);
        let here = Place { statement, brace: self.braces.last().copied().unwrap_or((0, 0)) };
        let echo = self.lexed.is_faulty(place)
            || self.last.is_some_and(|last| {
                last.statement == here.statement && !(last.brace.0 == here.brace.0 && last.brace.1 < here.brace.1)
            });
        if !echo {
            self.last = Some(here);
        }
        echo
    }
}
