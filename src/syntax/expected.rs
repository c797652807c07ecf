//! What the grammar expected, in words.
//!
//! LALRPOP names the terminals it could have shifted; nobody should have to read that list. This is
//! the one place where it is translated. The token that was found decides the message: an operand after an
//! operand is a missing `*`, a reserved word before `=` is a wrong name, a line end is a statement
//! that ends too early. Only what is left over becomes "unexpected …, expected …", with the terminals
//! gathered into notions: an expression, an operator, a name, a coordinate.

mod habit;
mod rewrite;

use super::lexer::{Lexed, Placed};
use super::problem;
use super::token::{self, RESERVED, RUN_CLAUSES, STATEMENT_WORDS, Token};
use crate::algebra::function::Elementary;
use crate::diagnostic::elsewhere::{self, Ours};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::source::{SourceId, Span};
use lalrpop_util::ParseError;

/// The index of the token at which reading stopped; the number of tokens at the end of the text.
pub fn token_index(lexed: &Lexed, error: &ParseError<u32, Token, ()>) -> usize {
    match error {
        ParseError::UnrecognizedToken { token: (l, token, r), .. }
        | ParseError::ExtraToken { token: (l, token, r) } => {
            let first = lexed.tokens.partition_point(|t| t.start < *l);
            let same = |t: &Placed| (t.start, t.token, t.end) == (*l, *token, *r);
            lexed.tokens[first..].iter().position(same).map_or(first, |n| first + n)
        }
        _ => lexed.tokens.len(),
    }
}

/// The diagnostic for a complaint of the grammar about the token at `index`.
pub fn translate(
    source: SourceId,
    text: &str,
    lexed: &Lexed,
    index: usize,
    error: &ParseError<u32, Token, ()>,
) -> Diagnostic {
    let expected: Vec<&str> = match error {
        ParseError::UnrecognizedToken { expected, .. } | ParseError::UnrecognizedEof { expected, .. } => {
            expected.iter().map(|e| e.trim_matches('"')).collect()
        }
        _ => vec![],
    };
    let scene = Scene { source, text, lexed, index, expected };
    let slip = scene
        .rewritten()
        .or_else(|| scene.habit())
        .or_else(|| scene.statement_word())
        .or_else(|| scene.reserved_word())
        .or_else(|| scene.operands_in_a_row());
    slip.or_else(|| scene.unfinished()).unwrap_or_else(|| scene.advice(scene.unexpected()))
}

/// Everything about the place where reading stopped.
struct Scene<'t> {
    source: SourceId,
    text: &'t str,
    lexed: &'t Lexed,
    index: usize,
    expected: Vec<&'t str>,
}

impl<'t> Scene<'t> {
    fn token(&self, index: Option<usize>) -> Option<Placed> {
        index.and_then(|i| self.lexed.tokens.get(i)).copied()
    }

    fn found(&self) -> Option<Placed> {
        self.token(Some(self.index))
    }

    fn before(&self) -> Option<Placed> {
        self.token(self.index.checked_sub(1))
    }

    fn after(&self) -> Option<Placed> {
        self.token(Some(self.index + 1))
    }

    fn span(&self, placed: Placed) -> Span {
        Span { source: self.source, start: placed.start, end: placed.end }
    }

    fn slice(&self, placed: Placed) -> &'t str {
        &self.text[placed.start as usize..placed.end as usize]
    }

    /// Whether this word stands before the place.
    fn follows(&self, place: Placed, word: &str) -> bool {
        self.text[..place.start as usize].trim_end().ends_with(word)
    }

    fn expects(&self, terminal: &str) -> bool {
        self.expected.contains(&terminal)
    }

    fn expects_operand(&self) -> bool {
        self.expects("NUMBER") && self.expects("NAME")
    }

    fn expects_operator(&self) -> bool {
        self.expects("*") || self.expects("and") || self.expects("at")
    }

    /// The keyword or name with which the statement around this place begins, and its index.
    fn head(&self) -> Option<(usize, Placed)> {
        let place = self.found().or(self.before()).map_or(0, |t| t.start);
        let n = self.lexed.statements.partition_point(|&s| s <= place);
        let start = *self.lexed.statements.get(n.checked_sub(1)?)?;
        let index = self.lexed.tokens.partition_point(|t| t.start < start);
        // A separator may stand at the same place as the token after it.
        (index..).map_while(|i| Some((i, *self.lexed.tokens.get(i)?))).find(|(_, t)| !t.token.is_separator())
    }

    /// Two names in a row at the beginning of a statement: a statement word with a slip of the pen.
    fn statement_word(&self) -> Option<Diagnostic> {
        let (head, first) = self.head()?;
        let found = self.found()?;
        if first.token == Token::Simulate && found.token == Token::As {
            let name = self.after().filter(|t| t.token == Token::Word).map_or("run", |t| self.slice(t));
            let system = self.before().map_or("S", |t| self.slice(t));
            return Some(
                Diagnostic::error(&codes::SYNTAX, "a run gets its name from `let`")
                    .label(self.span(found), "not here")
                    .help(format!("write `let {name} = simulate {system} {{ … }}`")),
            );
        }
        let operand = matches!(found.token, Token::Word | Token::String | Token::Number);
        if first.token != Token::Word || self.index != head + 1 || !operand {
            return None;
        }
        let word = self.slice(first);
        if let Some(ours) = elsewhere::ours(elsewhere::Use::Statement, word) {
            let d = Diagnostic::error(&codes::SYNTAX, format!("no statement begins with `{word}`"));
            let strange = |d: Diagnostic| d.label(self.span(first), "not a statement word");
            return Some(match ours {
                Ours::Nothing(why) => {
                    let whole = Span { source: self.source, start: first.start, end: found.start };
                    d.label(self.span(first), "not needed").repair(why, whole, "")
                }
                Ours::Word(near) => strange(d).repair(format!("write `{near}`"), self.span(first), near),
                Ours::Said(how) | Ours::Call(_, how) => match self.repetition(head) {
                    Some((whole, list)) => strange(d).repair(format!("write `{list}`"), whole, list),
                    None => strange(d).help(how),
                },
            });
        }
        if found.token == Token::Number {
            return None;
        }
        let words = STATEMENT_WORDS.iter().map(|(w, _)| *w).chain(["let", "param", "assume", "assert"]);
        let near = suggest::nearest(word, words)?;
        Some(
            Diagnostic::error(&codes::SYNTAX, format!("no statement begins with `{word}`"))
                .label(self.span(first), "not a statement word")
                .repair(format!("did you mean `{near}`?"), self.span(first), near),
        )
    }

    /// `for i in 1..3 { i^2 }` as a list.
    fn repetition(&self, head: usize) -> Option<(Span, String)> {
        let tokens = &self.lexed.tokens[head..];
        let end = tokens.iter().position(|t| t.token.is_separator()).unwrap_or(tokens.len());
        let [first, index, within, .., close] = &tokens[..end] else { return None };
        let open = tokens[..end].iter().find(|t| t.token == Token::OpenBrace)?;
        if (index.token, within.token, close.token) != (Token::Word, Token::In, Token::CloseBrace) {
            return None;
        }
        let binder = self.text[first.end as usize..open.start as usize].trim();
        let body = self.text[open.end as usize..close.start as usize].trim();
        let whole = Span { source: self.source, start: first.start, end: close.end };
        (!body.is_empty()).then(|| (whole, format!("list({binder}, {body})")))
    }

    /// `if x > 0 then 1 else 0` as a value, from the word `if`.
    fn choice(&self, start: Placed) -> Diagnostic {
        let d = Diagnostic::error(&codes::SYNTAX, "a choice is written `piecewise(condition, value, otherwise)`")
            .label(self.span(start), "not a word of the language");
        let rest = self.lexed.tokens.iter().filter(|t| t.start >= start.start).take_while(|t| !t.token.is_separator());
        let rest: Vec<&Placed> = rest.collect();
        let word = |text: &str| rest.iter().find(|t| self.slice(***t) == text);
        let (Some(then), Some(otherwise), Some(last)) = (word("then"), word("else"), rest.last()) else {
            return d.help("for instance `piecewise(x > 0, 1, 0)`");
        };
        let piece = |from: u32, to: u32| self.text.get(from as usize..to as usize).unwrap_or("").trim();
        let pieces = [piece(start.end, then.start), piece(then.end, otherwise.start), piece(otherwise.end, last.end)];
        let text = format!("piecewise({})", pieces.join(", "));
        d.repair(format!("write `{text}`"), Span { end: last.end, ..self.span(start) }, text)
    }

    /// Two entries of a block or a list without the sign between them.
    fn entries_in_a_row(&self, before: Placed, found: Placed) -> Option<Diagnostic> {
        let (left, right) = (self.slice(before), self.slice(found));
        let gap = Span { source: self.source, start: before.end, end: found.start };
        let comma = |what: &str| {
            Diagnostic::error(&codes::SYNTAX, format!("a comma is missing between two {what}"))
                .label(self.span(found), "another one begins here")
                .repair(format!("write `{left}, {right}`"), gap, ", ")
        };
        let equals =
            || {
                Diagnostic::error(&codes::SYNTAX, "an equals sign is missing")
                    .label(self.span(found), "its value")
                    .repair(format!("write `{left} = {right}`"), gap, " = ")
            };
        let entry = self.lexed.tokens[..self.index].iter().rev();
        let entry: Vec<Token> = entry
            .take_while(|t| !t.token.is_separator() && !matches!(t.token, Token::Comma | Token::OpenBrace))
            .map(|t| t.token)
            .collect();
        let names = before.token == Token::Word && found.token == Token::Word;
        let plain = !entry.contains(&Token::Equal);
        match self.head()?.1.token {
            Token::Manifold if self.in_block() && names && left == "angle" => {
                let whole = Span { end: found.end, ..self.span(before) };
                let d = Diagnostic::error(&codes::SYNTAX, "a type stands behind its coordinate");
                let d = d.label(self.span(before), "a type");
                Some(d.repair(format!("write `{right} : {left}`"), whole, format!("{right} : {left}")))
            }
            Token::Manifold if self.in_block() && names => Some(comma("coordinates")),
            Token::Param if names && plain => Some(comma("parameters")),
            Token::Param if before.token == Token::Word && plain => Some(equals()),
            _ if !self.in_block() => None,
            _ if entry.contains(&Token::Record) && names => Some(comma("columns")),
            _ if entry.iter().any(|t| matches!(t, Token::From | Token::Set | Token::Until)) && plain => Some(equals()),
            _ => None,
        }
    }

    /// `plot run x, y`, and other words that stand where braces, quotes or nothing belong.
    fn other_notation(&self, before: Placed, found: Placed) -> Option<Diagnostic> {
        let (left, right) = (self.slice(before), self.slice(found));
        let head = self.head().map(|(_, t)| t.token);
        let rest = || {
            let end = self.lexed.tokens[self.index..].iter().find(|t| t.token.is_separator() || t.token == Token::To);
            let end = end.map_or(self.text.len(), |t| t.start as usize);
            self.text[found.start as usize..end].trim_end()
        };
        let from = |start: u32, length: usize| Span { source: self.source, start, end: start + length as u32 };
        match (left, head) {
            ("if", _) => Some(self.choice(before)),
            ("return", _) => Some(
                Diagnostic::error(&codes::SYNTAX, "a function is its formula")
                    .label(self.span(before), "not a word of the language")
                    .repair("leave out `return`", Span { end: found.start, ..self.span(before) }, ""),
            ),
            ("d", _) if found.token == Token::Word => Some(
                Diagnostic::error(&codes::JUXTAPOSITION, "a differential is one word")
                    .label(Span { end: found.end, ..self.span(before) }, "two words")
                    .repair(format!("write `d{right}`"), Span { end: found.start, ..from(before.end, 0) }, ""),
            ),
            _ if !self.in_block()
                && RUN_CLAUSES.iter().any(|(word, _)| *word == right)
                && self.follows(before, "simulate") =>
            {
                let mut written = rest().to_string();
                let clauses = written.clone();
                for (word, _) in RUN_CLAUSES {
                    written = written.replace(&format!(" {word} "), &format!("; {word} "));
                }
                let written = format!("{{ {written} }}");
                Some(
                    Diagnostic::error(&codes::SYNTAX, "the clauses of a run stand in braces")
                        .label(self.span(found), "without braces")
                        .repair(format!("write `{written}`"), from(found.start, clauses.len()), written),
                )
            }
            (_, Some(Token::Plot)) if !self.in_block() => {
                if right == "against" {
                    let curves = format!("{left} {}", rest());
                    return Some(self.plot_of_no_run(from(before.start, curves.len()), format!("{{ {curves} }}")));
                }
                let curves = rest();
                Some(
                    Diagnostic::error(&codes::SYNTAX, "what is plotted of a run stands in braces")
                        .label(self.span(found), "without braces")
                        .repair(
                            format!("write `{{ {curves} }}`"),
                            from(found.start, curves.len()),
                            format!("{{ {curves} }}"),
                        ),
                )
            }
            _ if before.token == Token::Primes && self.head().is_some_and(|(_, t)| self.slice(t) == "use") => {
                let written = rest();
                let name = written.trim_end_matches('\'');
                let meant = if name.starts_with("std.") { name.to_string() } else { format!("\"{name}\"") };
                let whole = Span { start: before.start, ..from(found.start, written.len()) };
                Some(
                    Diagnostic::error(&codes::SYNTAX, "a library is named without quotes, a file in `\"`")
                        .label(self.span(before), "a prime")
                        .repair(format!("write `use {meant}`"), whole, meant),
                )
            }
            _ => None,
        }
    }

    /// `plot { x }` and `plot x against t`: curves, but of which run? The last one of this text is taken.
    fn plot_of_no_run(&self, curves: Span, written: String) -> Diagnostic {
        let run = self.last_run();
        let d = Diagnostic::error(&codes::SYNTAX, "a plot names its run").label(curves, "curves of which run?");
        let meant = format!("{} {written}", run.unwrap_or("run"));
        match run {
            Some(_) => d.repair(format!("write `plot {meant}`"), curves, meant),
            None => d.help(format!("write `plot {meant}`, after `let run = simulate L {{ … }}`")),
        }
    }

    /// The name of the run that was made last before this place.
    fn last_run(&self) -> Option<&'t str> {
        let made = |w: &[Placed]| {
            let of = [w[0].token, w[1].token, w[2].token, w[3].token];
            (of == [Token::Let, Token::Word, Token::Equal, Token::Simulate]).then(|| self.slice(w[1]))
        };
        self.lexed.tokens[..self.index.min(self.lexed.tokens.len())].windows(4).rev().find_map(made)
    }

    /// A picture of the coordinates that were declared last: a point in the plane, or the rod of an angle.
    fn what_moves(&self) -> Option<String> {
        let tokens = &self.lexed.tokens[..self.index.min(self.lexed.tokens.len())];
        let declared = tokens.iter().rposition(|t| t.token == Token::Manifold)?;
        let open = tokens[declared..].iter().position(|t| t.token == Token::OpenBrace)? + declared;
        let close = tokens[open..].iter().position(|t| t.token == Token::CloseBrace)? + open;
        let entries: Vec<&[Placed]> = tokens[open + 1..close].split(|t| t.token == Token::Comma).collect();
        let name = |entry: &[Placed]| Some(self.slice(*entry.first().filter(|t| t.token == Token::Word)?));
        let is_angle = |entry: &[Placed]| entry.last().is_some_and(|t| self.slice(*t) == "angle");
        match entries.as_slice() {
            [q, ..] if is_angle(q) => {
                let q = name(q)?;
                Some(format!("rod (0, 0), (sin({q}), -cos({q}))"))
            }
            [x, y, ..] if y.len() == 1 => Some(format!("point ({}, {})", name(x)?, name(y)?)),
            [x, ..] => Some(format!("point ({}, 0)", name(x)?)),
            [] => None,
        }
    }

    /// `save run` and `simulate L`, which say too little, and `plot { x }`.
    fn unfinished(&self) -> Option<Diagnostic> {
        let (head, first) = self.head()?;
        let before = self.before()?;
        if self.slice(before) == "plot" && first.start == before.start {
            let found = self.found().filter(|t| t.token == Token::OpenBrace)?;
            let close = self.lexed.tokens[self.index..].iter().find(|t| t.token == Token::CloseBrace)?;
            let curves = Span { end: close.end, ..self.span(found) };
            return Some(self.plot_of_no_run(curves, self.text[curves.range()].to_string()));
        }
        if !self.ends_early() || self.in_block() {
            return None;
        }
        let said = &self.lexed.tokens[head..self.index];
        let end = Span { start: before.end, ..self.span(before) };
        let d = Diagnostic::error(&codes::SYNTAX, "this ends too early");
        if first.token == Token::Save && self.expects("to") {
            if before.token == Token::String {
                let (file, run) = (self.slice(before), self.last_run());
                let written = format!("{} to {file}", run.unwrap_or("run"));
                let d = d.label(self.span(before), "what is saved there?");
                return Some(match run {
                    Some(_) => d.repair(format!("write `save {written}`"), self.span(before), written),
                    None => d.help(format!("write `save {written}`, after `let run = simulate L {{ … }}`")),
                });
            }
            let file = format!(" to \"{}.csv\"", self.slice(before));
            let help = format!("the file, and by its ending the format: `save {}{file}`", self.slice(before));
            return Some(d.label(self.span(before), "saved to which file?").repair(help, end, file));
        }
        if first.token == Token::Animate && self.expects("{") {
            let help = "say what moves: a `point`, a `rod` or a `circle`";
            let d = d.label(self.span(before), "what moves there?");
            return Some(match self.what_moves() {
                Some(moves) => {
                    let written = format!(" {{ {moves} }} to \"{}.svg\"", self.slice(before));
                    d.repair(format!("{help}: `animate {}{written}`", self.slice(before)), end, written)
                }
                None => d.help(format!("{help}: `{{ point (x, y) }}`")),
            });
        }
        if said.iter().any(|t| t.token == Token::Simulate) && self.expects("{") {
            let clauses = format!(" {{ until {} = 10 }}", self.last_base().unwrap_or("t"));
            let help = format!(
                "a run has its clauses in braces, at least its end: `simulate {}{clauses}`",
                self.slice(before)
            );
            return Some(d.label(self.span(before), "from where, and how long?").repair(help, end, clauses));
        }
        None
    }

    /// A reserved word where a name is wanted, and used as one.
    fn reserved_word(&self) -> Option<Diagnostic> {
        let found = self.found()?;
        let word = RESERVED.iter().find(|(_, t)| *t == found.token)?.0;
        let as_name = match self.after().map(|t| t.token) {
            None | Some(Token::Equal | Token::Comma | Token::Colon | Token::On | Token::Over) => true,
            Some(t) => t.is_separator() || t.opener().is_some(),
        };
        let declares = self.before().is_some_and(|b| {
            matches!(b.token, Token::Let | Token::Param | Token::Comma | Token::OpenBrace | Token::Over | Token::On)
        });
        if !self.expects("NAME") || !as_name && !declares {
            return None;
        }
        Some(
            Diagnostic::error(&codes::RESERVED_WORD, format!("`{word}` is a reserved word and cannot be a name"))
                .label(self.span(found), "expected a name")
                .repair(format!("choose another name, for example `{word}1`"), self.span(found), format!("{word}1")),
        )
    }

    /// `a b`, `2 x`, `f(x) y`.
    fn operands_in_a_row(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        let starts = matches!(found.token, Token::Word | Token::Number | Token::OpenBrace | Token::Partial);
        if !before.token.ends_operand() || !starts || !self.expects_operator() || found.token == Token::OpenBrace {
            return None;
        }
        let (left, right) = (self.slice(before), self.operand_text(found));
        if left == "generated" && self.head().is_some_and(|(_, t)| t.token == Token::System) {
            let end = Span { start: before.end, ..self.span(before) };
            return Some(
                Diagnostic::error(&codes::SYNTAX, "`generated` needs its `by`")
                    .label(self.span(before), "by what?")
                    .repair(format!("write `generated by {right}`"), end, " by"),
            );
        }
        let slip = self.other_notation(before, found).or_else(|| self.slip_between(before, found));
        if let Some(slip) = slip.or_else(|| self.entries_in_a_row(before, found)) {
            return Some(slip);
        }
        // `sin^2 x`
        if let (Some(name), Some(caret)) =
            (self.token(self.index.checked_sub(3)), self.token(self.index.checked_sub(2)))
            && (caret.token, before.token, found.token) == (Token::Caret, Token::Number, Token::Word)
            && Elementary::find(self.slice(name)).is_some()
        {
            let turned = format!("{}({})^{left}", self.slice(name), self.slice(found));
            let whole = Span { end: found.end, ..self.span(name) };
            return Some(problem::power_of_function(self.span(caret), &turned, whole));
        }
        if let (Some(d), Some(over)) = (self.token(self.index.checked_sub(3)), self.token(self.index.checked_sub(2)))
            && (self.slice(d), over.token, left) == ("d", Token::Slash, "dt")
            && found.token == Token::Word
        {
            let operator = Span { end: before.end, ..self.span(d) };
            let whole = Span { end: found.end, ..operator };
            return Some(problem::leibniz_derivative(operator, &format!("{}'", self.slice(found)), whole));
        }
        // A word of the language was not meant as a factor.
        let is_word_of_ours = |text: &str| {
            let clause = RUN_CLAUSES.iter().any(|(word, _)| *word == text);
            clause
                || RESERVED.iter().any(|(word, _)| *word == text)
                || ["for", "foreach", "where", "if"].contains(&text)
        };
        if is_word_of_ours(left) || is_word_of_ours(right) {
            return None;
        }
        let shown = if left.ends_with([')', ']', '}', '\'']) { "…" } else { left };
        let gap = Span { source: self.source, start: before.end, end: found.start };
        let comment = self.lexed.comments.iter().any(|c| c.start >= before.end && c.end <= found.start);
        let gap = if comment { Span { end: gap.start, ..gap } } else { gap };
        let diagnostic = problem::juxtaposition(self.span(found), &format!("{shown}*{right}"), gap);
        Some(match self.head().map(|(_, t)| t.token) {
            Some(Token::Plot) if self.in_block() => {
                diagnostic.help(format!("or, for a curve: `{shown} against {right}`"))
            }
            _ => diagnostic,
        })
    }

    /// Two operands in a row that were not meant as a product: the word of another notation, a function without
    /// brackets, two entries without a comma.
    fn slip_between(&self, before: Placed, found: Placed) -> Option<Diagnostic> {
        let (left, right) = (self.slice(before), self.slice(found));
        let head = self.head().map(|(_, t)| t.token);
        let word = |meant: &str| {
            Diagnostic::error(&codes::SYNTAX, format!("here the word is `{meant}`"))
                .label(self.span(found), format!("not `{right}`"))
                .repair(format!("write `{meant}`"), self.span(found), meant.to_string())
        };
        match (head, right) {
            (Some(Token::Plot), "vs" | "versus" | "over") if self.in_block() => return Some(word("against")),
            (_, "each" | "per") if self.in_block() => return Some(word("every")),
            (Some(Token::System), "subjectto" | "subject_to" | "under" | "constrained") => {
                return Some(word("subject to"));
            }
            _ => {}
        }
        let whole = Span { source: self.source, start: before.end, end: found.end };
        let is_function = crate::algebra::function::TABLE.iter().any(|row| row.name == left) || left == "sqrt";
        if before.token == Token::Word && is_function {
            return Some(
                Diagnostic::error(&codes::JUXTAPOSITION, format!("the argument of `{left}` stands in brackets"))
                    .label(self.span(found), "without brackets")
                    .repair(format!("write `{left}({right})`"), whole, format!("({right})")),
            );
        }
        let entry = self.lexed.tokens[..self.index].iter().rev();
        let mut entry =
            entry.take_while(|t| !t.token.is_separator() && !matches!(t.token, Token::Comma | Token::OpenBrace));
        let another = self.after().is_some_and(|t| t.token == Token::Equal) && entry.any(|t| t.token == Token::Equal);
        another.then(|| {
            let gap = Span { source: self.source, start: before.end, end: found.start };
            Diagnostic::error(&codes::SYNTAX, "a comma is missing between two entries")
                .label(self.span(found), "another entry begins here")
                .repair(format!("write `{left}, {right} = …`"), gap, ", ")
        })
    }

    /// A sign and the name after it, or the token alone.
    fn operand_text(&self, found: Placed) -> &'t str {
        match (found.token, self.after()) {
            (Token::Partial, Some(after)) => &self.text[found.start as usize..after.end as usize],
            _ => self.slice(found),
        }
    }

    /// What is left: the token that does not fit, and the notions that would.
    fn unexpected(&self) -> Diagnostic {
        let wanted = problem::alternatives(self.notions());
        match (self.found(), self.before()) {
            (Some(found), _) if !self.ends_early() => {
                let label =
                    if wanted.is_empty() { "this does not fit here".into() } else { format!("expected {wanted}") };
                let title = format!("unexpected {}", self.describe(found));
                Diagnostic::error(&codes::SYNTAX, title).label(self.span(found), label)
            }
            (_, Some(before)) => Diagnostic::error(&codes::SYNTAX, "this ends too early")
                .label(self.span(before), format!("after this, expected {wanted}")),
            _ => {
                let place = Span { source: self.source, start: 0, end: 0 };
                Diagnostic::error(&codes::SYNTAX, "there is nothing here").label(place, format!("expected {wanted}"))
            }
        }
    }

    /// The text, the line or the block ends where something is still missing.
    fn ends_early(&self) -> bool {
        let Some(found) = self.found() else { return true };
        let Some(before) = self.before() else { return false };
        let line_ended = self.text[before.end as usize..found.start as usize].contains('\n');
        found.token.is_separator() || found.token.opener().is_some() && line_ended
    }

    fn describe(&self, placed: Placed) -> String {
        match placed.token {
            Token::Number => format!("number `{}`", self.slice(placed)),
            Token::String => "string".to_string(),
            _ => format!("`{}`", self.slice(placed)),
        }
    }

    /// The expected terminals, gathered: at most five notions, the general ones first.
    fn notions(&self) -> Vec<String> {
        let mut notions: Vec<String> = vec![];
        let statement = self.expects("let");
        let clause = self.expects("until");
        if statement {
            notions.push("a statement".into());
        } else if clause {
            notions.push("a clause such as `from`, `until` or `record`".into());
        } else if self.expects_operand() {
            notions.push(self.operand().into());
        } else {
            if self.expects("NAME") {
                notions.push("a name".into());
            }
            if self.expects("NUMBER") {
                notions.push("a number".into());
            }
            if self.expects("STRING") {
                notions.push("a string in quotes".into());
            }
        }
        if self.expects_operator() {
            notions.push("an operator".into());
        }
        let in_expression = self.expects_operator() || self.expects_operand();
        for word in &self.expected {
            let named = match *word {
                // The closing brackets come last.
                ")" | "]" | "}" => false,
                ":" | "->" => true,
                "{" | "simulate" | "sweep" | "poincare" => !self.expects_operand(),
                "(" | "." => !in_expression && !self.expects("["),
                "=" | "," | "and" | "or" | "is" | "at" | "not" | "within" | "in" => !in_expression,
                word => word.starts_with(|c: char| c.is_ascii_lowercase()) && !statement && !clause,
            };
            if named {
                notions.push(format!("`{word}`"));
            }
        }
        notions.extend([")", "]", "}"].iter().filter(|c| self.expects(c)).map(|c| format!("`{c}`")));
        if ["FILE", "BODY", "ENTRY"].iter().any(|end| self.expects(end)) && notions.len() < 4 {
            notions.push("the end of the line".into());
        }
        notions.truncate(5);
        notions
    }

    /// What an operand is called here: in the blocks of declarations an entry has a name.
    fn operand(&self) -> &'static str {
        let at_entry = self
            .before()
            .is_some_and(|b| matches!(b.token, Token::OpenBrace | Token::EntrySeparator) || b.token == Token::Comma);
        match self.head().filter(|_| at_entry && self.in_block()).map(|(_, t)| t.token) {
            Some(Token::Manifold) => "a coordinate",
            Some(Token::Force | Token::Equations) => "a component `x: …`",
            Some(Token::Map | Token::Section | Token::Mixed | Token::Constraint | Token::Submanifold) => "an equation",
            _ => "an expression",
        }
    }

    /// Whether the innermost bracket around this place is a brace.
    fn in_block(&self) -> bool {
        let mut closed = 0usize;
        for placed in self.lexed.tokens[..self.index].iter().rev() {
            match placed.token {
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => closed += 1,
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace if closed > 0 => closed -= 1,
                Token::OpenParen | Token::OpenBracket => return false,
                Token::OpenBrace => return true,
                Token::Separator => return false,
                _ => {}
            }
        }
        false
    }

    /// The declaration with its types where they belong.
    fn misplaced_types(&self, colon: Placed) -> Option<String> {
        let (head, first) = self.head()?;
        let name = self.token(Some(head + 1))?;
        let on = self.lexed.tokens[head..self.index].iter().find(|t| t.token == Token::On)?;
        let equal = self.lexed.tokens[self.index..].iter().find(|t| t.token == Token::Equal)?;
        let types = self.text[colon.end as usize..equal.start as usize].trim();
        let space = self.text[on.end as usize..colon.start as usize].trim();
        let declared = matches!(first.token, Token::Form | Token::Field | Token::Lagrangian);
        let (first, name) = (self.slice(first), self.slice(name));
        declared.then(|| format!("the types stand before the space: `{first} {name} : {types} on {space} = …`"))
    }

    /// Whether the statement is one whose entries stand in braces, and nothing of it is missing before them but its space.
    fn declares_a_block(&self) -> bool {
        let Some((_, first)) = self.head() else { return false };
        let entries = matches!(first.token, Token::Constraint | Token::Submanifold | Token::Equations | Token::Force);
        entries && (self.expects("{") || self.expects("on"))
    }

    /// The entries that follow a colon or an equality sign, in the braces that they need; and on the manifold that was
    /// declared last, or the jet space of as many primes as there are, where no space was named.
    fn in_braces(&self, diagnostic: Diagnostic, sign: Placed) -> Diagnostic {
        let rest = self.lexed.tokens[self.index..].iter().take_while(|t| !t.token.is_separator());
        let end = rest.last().map_or(sign.end, |t| t.end);
        let entries = self.text[sign.end as usize..end as usize].trim();
        let gap = self.before().map_or(sign.start, |b| b.end);
        let place = Span { source: self.source, start: gap, end };
        let space = match self.expects("{") {
            true => String::new(),
            false => match self.last_manifold() {
                Some(manifold) => format!("on {} ", jets_of(entries, manifold)),
                None => return diagnostic.help("its entries stand in braces: `… on J1(Y) { … }`"),
            },
        };
        if entries.is_empty() || entries.contains(['{', '\n']) {
            return diagnostic.help(format!("its entries stand in braces: `… {space}{{ … }}`"));
        }
        // A force has components; its only velocity tells which one is meant.
        let owner = self.head().filter(|(_, t)| t.token == Token::Force && !entries.contains(':'));
        let entries = match owner.and_then(|_| first_primed(entries)) {
            Some(name) => format!("{name}: {entries}"),
            None => entries.to_string(),
        };
        let text = format!(" {space}{{ {entries} }}");
        diagnostic.repair(format!("its entries stand in braces: `…{text}`"), place, text)
    }

    /// The manifold that was declared last before this place.
    fn last_manifold(&self) -> Option<&'t str> {
        let declared = self.lexed.tokens[..self.index].windows(2).rev();
        declared.filter(|pair| pair[0].token == Token::Manifold).map(|pair| self.slice(pair[1])).next()
    }

    /// The bracket that closes this one.
    fn closing(&self, open: Placed) -> Option<Placed> {
        let mut depth = 0;
        let inside = self.lexed.tokens.iter().filter(|t| t.start >= open.start);
        inside.copied().find(|t| {
            depth += i32::from(matches!(t.token, Token::OpenParen | Token::OpenBracket | Token::OpenBrace));
            depth -= i32::from(t.token.opener().is_some());
            depth == 0
        })
    }

    /// A declaration without its space: on the manifold that was declared last, if there is one.
    fn say_where(&self, diagnostic: Diagnostic, sign: &str) -> Diagnostic {
        let order = match self.head().map(|(_, t)| t.token) {
            Some(Token::Equations) => 2,
            _ => 1,
        };
        let (Some(manifold), Some(before), Some(found)) = (self.last_manifold(), self.before(), self.found()) else {
            return diagnostic.help(format!("say where it lives: `… on J{order}(Y) {sign} …`"));
        };
        let gap = Span { source: self.source, start: before.end, end: found.start };
        let space = format!(" on J{order}({manifold}) ");
        diagnostic.repair(format!("say where it lives: `…{space}{sign} …`"), gap, space)
    }

    /// `from t = 0 to 10` around the word `to`, and the clause that it is.
    fn span_of_time(&self) -> Option<(Span, String)> {
        let start = self.lexed.tokens[..self.index].iter().rposition(|t| t.token == Token::From)?;
        let (from, time) = (self.token(Some(start))?, self.token(Some(start + 1))?);
        let is_time = self.last_base() == Some(self.slice(time));
        let rest = &self.lexed.tokens[self.index + 1..];
        let end = rest.iter().position(|t| t.token.is_separator() || t.token == Token::CloseBrace)?;
        let (first, last) = (rest.first()?, rest[..end].last().filter(|_| is_time && self.in_block())?);
        let value = self.text[first.start as usize..last.end as usize].trim_start_matches(self.slice(time));
        let value = value.trim_start().trim_start_matches('=').trim();
        Some((Span { end: last.end, ..self.span(from) }, format!("until {} = {value}", self.slice(time))))
    }

    /// What the manifold that was declared last lies over.
    fn last_base(&self) -> Option<&'t str> {
        let over = self.lexed.tokens.windows(2).rev().find(|w| w[0].token == Token::Over);
        over.map(|w| self.slice(w[1]))
    }

    /// Whether the name before this place stands first in the brackets of a repetition.
    fn binds_an_index(&self) -> bool {
        let at = |n: usize| self.token(self.index.checked_sub(n));
        let is_repetition = at(3).is_some_and(|t| ["sum", "product", "list"].contains(&self.slice(t)));
        is_repetition && at(2).is_some_and(|t| t.token == Token::OpenParen)
    }

    /// `q[i in 1..4] = 1/i` around the word `in`, as a repetition.
    fn repeated_entry(&self) -> Option<(Span, String)> {
        let at = |n: usize| self.token(self.index.checked_sub(n));
        let (index, open, family) = (at(1)?, at(2)?, at(3)?);
        let in_brackets = (index.token, open.token, family.token) == (Token::Word, Token::OpenBracket, Token::Word);
        let close = self.closing(open).filter(|_| in_brackets)?;
        let behind = |t: &&Placed| t.start >= close.end;
        let ends = |t: &Placed| {
            t.token.is_separator() || matches!(t.token, Token::Comma | Token::CloseBrace | Token::CloseParen)
        };
        let rest: Vec<&Placed> = self.lexed.tokens.iter().filter(behind).take_while(|t| !ends(t)).collect();
        let (sign, last) = (rest.first().filter(|t| t.token == Token::Equal)?, rest.last()?);
        let piece = |from: u32, to: u32| self.text[from as usize..to as usize].trim();
        let (index, family) = (self.slice(index), self.slice(family));
        let (range, value) = (piece(self.found()?.end, close.start), piece(sign.end, last.end));
        let whole = Span { end: last.end, ..self.span(at(3)?) };
        Some((whole, format!("list({index} in {range}, {family}[{index}] = {value})")))
    }

    /// What to write instead, where we can tell.
    fn advice(&self, diagnostic: Diagnostic) -> Diagnostic {
        let (Some(found), before) = (self.found(), self.before()) else { return diagnostic };
        let span = self.span(found);
        let after_clause = before.is_some_and(|b| token::RUN_CLAUSES.iter().any(|(_, t)| *t == b.token));
        match found.token {
            Token::Plus if self.expects_operand() => diagnostic.repair("leave out the `+`", span, ""),
            Token::Equal | Token::Colon if after_clause => {
                let word = before.map_or("", |b| self.slice(b));
                diagnostic.repair(format!("write `{word} …`, without `{}`", self.slice(found)), span, "")
            }
            Token::Word if self.expected == ["STRING"] => {
                let rest = &self.text[found.start as usize..];
                let path = rest.split([' ', '\t', '\r', '\n', ';', ')', '}']).next().unwrap_or(rest);
                let (quoted, end) = (format!("\"{path}\""), found.start + path.len() as u32);
                diagnostic.repair(format!("write `{quoted}`"), Span { end, ..span }, quoted)
            }
            // `J1 Y`
            Token::Word if before.is_some_and(|b| is_jet_word(self.slice(b))) => {
                let (word, name) = (before.map_or("", |b| self.slice(b)), self.slice(found));
                let place = Span { start: before.map_or(found.start, |b| b.end), ..span };
                diagnostic.repair(format!("write `{word}({name})`"), place, format!("({name})"))
            }
            // `form E on J2(Y) : dynamical 2-form = …`
            Token::Colon if self.head().is_some_and(|(_, t)| t.token == Token::Let) => {
                diagnostic.repair("write `=`", span, " =")
            }
            // `J1[Y]`
            Token::OpenBracket if before.is_some_and(|b| is_jet_word(self.slice(b))) => {
                match (self.after(), self.token(Some(self.index + 2))) {
                    (Some(name), Some(close)) if close.token == Token::CloseBracket => {
                        let text = format!("({})", self.slice(name));
                        let jets = before.map_or("", |b| self.slice(b));
                        diagnostic.repair(format!("write `{jets}{text}`"), Span { end: close.end, ..span }, text)
                    }
                    _ => diagnostic,
                }
            }
            // `function f(x) { x^2 }`
            Token::OpenBrace if self.head().is_some_and(|(_, t)| t.token == Token::Function) => {
                let (Some((_, head)), Some(close)) = (self.head(), self.closing(found)) else { return diagnostic };
                let piece = |from: u32, to: u32| self.text[from as usize..to as usize].trim();
                let text = format!("let {} = {}", piece(head.end, found.start), piece(found.end, close.start));
                diagnostic.repair(format!("write `{text}`"), Span { start: head.start, end: close.end, ..span }, text)
            }
            // `sum(i : 1..3, i)`
            Token::Colon if self.binds_an_index() => {
                let place = Span { start: before.map_or(span.start, |b| b.end), ..span };
                diagnostic.repair("here the word is `in`", place, " in")
            }
            Token::Colon if self.expects("=") && !self.expects("{") => match self.misplaced_types(found) {
                Some(order) => diagnostic.help(order),
                None => diagnostic,
            },
            // `constraint rod on Y: x^2 + y^2 = 1`
            Token::Colon | Token::Equal if self.declares_a_block() => self.in_braces(diagnostic, found),
            // `sum(i in 1:3, i)`
            Token::Colon if self.token(self.index.checked_sub(2)).is_some_and(|t| t.token == Token::In) => {
                diagnostic.repair("a range is written with `..`", span, "..")
            }
            // `force drag on J1(Y) { x -> -x' }`
            Token::Arrow if self.expects(":") && self.in_block() => {
                diagnostic.repair("a component stands behind a colon", span, ":")
            }
            // `from t = 0 to 10`
            Token::To if let Some((whole, until)) = self.span_of_time() => {
                diagnostic.repair(format!("a run begins with its state and ends at a time: `{until}`"), whole, until)
            }
            // `simulate L { to t = 10 }`
            Token::To if self.expects("until") => diagnostic.repair("a run ends with `until`", span, "until"),
            // `from q[i in 1..4] = 1/i`
            Token::In => {
                let help =
                    "a repetition is written `list(i in 1..4, q[i] = 1/i)`, and `q = 1` means all members of a family";
                match self.repeated_entry() {
                    Some((whole, written)) => diagnostic.repair(help, whole, written),
                    None => diagnostic.help(help),
                }
            }
            Token::Comma if self.expects("FILE") => diagnostic.help("one statement for each, on lines of their own"),
            Token::Equal if self.expects("on") => self.say_where(diagnostic, "="),
            // `manifold Q = (x, y)`
            Token::Equal if self.expects("over") => {
                let line = self.text[found.end as usize..].lines().next().unwrap_or_default();
                let names = line.trim().trim_matches(['(', ')', '[', ']', '{', '}']).trim();
                let (written, end) = (format!("over t {{ {names} }}"), found.end + line.trim_end().len() as u32);
                diagnostic.repair(
                    format!("its coordinates stand in braces: `{written}`"),
                    Span { end, ..span },
                    written,
                )
            }
            Token::OpenBrace if self.expects("over") => {
                let end = Span { start: before.map_or(span.start, |b| b.end), end: span.start, ..span };
                diagnostic.repair("say what it lies over: `manifold Y over t { … }`", end, " over t ")
            }
            Token::OpenBrace if self.expects("on") => self.say_where(diagnostic, "{"),
            _ => diagnostic,
        }
    }
}

/// The space on which a formula lives, by the largest number of primes after one name.
fn jets_of(formula: &str, manifold: &str) -> String {
    let others = formula.split(|c: char| c != '\'');
    match others.map(str::len).max().unwrap_or(0) {
        0 => manifold.to_string(),
        order => format!("J{order}({manifold})"),
    }
}

/// The first name with a prime.
fn first_primed(formula: &str) -> Option<&str> {
    let before = &formula[..formula.find('\'')?];
    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
    Some(&before[start..]).filter(|name| !name.is_empty())
}

/// `J1`, `J2`, …
fn is_jet_word(word: &str) -> bool {
    word.strip_prefix('J').is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
}
