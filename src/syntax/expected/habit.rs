//! Habits of other notations that the grammar stumbles over: units, facts in words, a question without its brackets, coordinates
//! without their braces.

use super::Scene;
use crate::diagnostic::elsewhere::{self, Use};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::source::Span;
use crate::syntax::lexer::Placed;
use crate::syntax::problem::UNITS;
use crate::syntax::token::{RUN_CLAUSES, STATEMENT_WORDS, Token};

impl Scene<'_> {
    /// What was meant, where it is one of these habits.
    pub(super) fn habit(&self) -> Option<Diagnostic> {
        self.question_in_two_words()
            .or_else(|| self.choice_alone())
            .or_else(|| self.unit())
            .or_else(|| self.fact_in_words())
            .or_else(|| self.coordinates_alone())
            .or_else(|| self.coordinates_without_braces())
            .or_else(|| self.range_of_a_sweep())
            .or_else(|| self.space_of_books())
            .or_else(|| self.clause_in_a_row())
            .or_else(|| self.rhythm_before_columns())
            .or_else(|| self.numbered_names())
            .or_else(|| self.index_with_equality())
            .or_else(|| self.tuple_for_a_state())
            .or_else(|| self.method_in_two_words())
            .or_else(|| self.pair_for_a_curve())
            .or_else(|| self.pair_for_an_equation())
            .or_else(|| self.setting_without_sign())
            .or_else(|| self.section_without_its_word())
            .or_else(|| self.for_behind_its_formula())
            .or_else(|| self.another_word())
            .or_else(|| self.round_list())
    }

    /// `let r = (x, y)`, `from (1, 0)`: brackets without a name before them hold one value.
    fn round_list(&self) -> Option<Diagnostic> {
        self.found().filter(|t| t.token == Token::Comma)?;
        let (open, name) = self.innermost_bracket()?;
        let is_call = name.is_some_and(|t| {
            t.token.ends_operand()
                || matches!(t.token, Token::On | Token::At)
                || t.end == open.start && t.token == Token::Primes
        });
        let close = self.closing(open).filter(|_| open.token == Token::OpenParen && !is_call)?;
        let inside = &self.text[open.end as usize..close.start as usize];
        if inside.contains(['(', '=', '\n']) {
            return None;
        }
        let (whole, written) = (Span { end: close.end, ..self.span(open) }, format!("[{inside}]"));
        Some(
            Diagnostic::error(&codes::SYNTAX, "a list or vector stands in square brackets")
                .label(whole, "round ones hold one value")
                .repair(format!("write `{written}`"), whole, written),
        )
    }

    /// The bracket that is open at this place, and what stands before it.
    fn innermost_bracket(&self) -> Option<(Placed, Option<Placed>)> {
        let tokens = &self.lexed.tokens[..self.index.min(self.lexed.tokens.len())];
        let mut closed = 0;
        let open = tokens.iter().rposition(|t| {
            closed += i32::from(t.token.opener().is_some());
            closed -= i32::from(matches!(t.token, Token::OpenParen | Token::OpenBracket | Token::OpenBrace));
            closed < 0
        })?;
        Some((tokens[open], self.token(open.checked_sub(1))))
    }

    /// `sum(q[i]^2 for i in 1..3)`.
    fn for_behind_its_formula(&self) -> Option<Diagnostic> {
        let found = self.found().filter(|t| self.slice(*t) == "for")?;
        let (index, within) = (self.after()?, self.token(Some(self.index + 2)).filter(|t| t.token == Token::In)?);
        let (open, name) = self.innermost_bracket()?;
        let name = name?;
        let ours = repetition_of(self.slice(name))?;
        let close = self.closing(open)?;
        let piece = |from: u32, to: u32| self.text[from as usize..to as usize].trim();
        let (formula, range) = (piece(open.end, found.start), piece(within.end, close.start));
        let whole = Span { end: close.end, ..self.span(name) };
        let written = format!("{ours}({} in {range}, {formula})", self.slice(index));
        Some(
            Diagnostic::error(&codes::SYNTAX, "an index and its range stand before the formula")
                .label(Span { end: close.start, ..self.span(found) }, "here")
                .repair(format!("write `{written}`"), whole, written),
        )
    }

    /// `J^1(Y)`, `J 1(Y)`, `T*Q` and `R*TQ` after `on`.
    fn space_of_books(&self) -> Option<Diagnostic> {
        let (before, found, after) = (self.before()?, self.found()?, self.after()?);
        let word = self.slice(before);
        let stands_on =
            self.index.checked_sub(2).and_then(|i| self.token(Some(i))).is_some_and(|t| t.token == Token::On);
        if !stands_on {
            return None;
        }
        let (order, last) = match (word, found.token) {
            ("J", Token::Caret) if after.token == Token::Number => (self.slice(after), self.index + 2),
            ("J", Token::Number) => (self.slice(found), self.index + 1),
            ("T", Token::Star) if after.token == Token::Word => ("1", self.index + 1),
            ("R" | "ℝ", Token::Star | Token::Word) => ("1", self.index + 1),
            _ => return None,
        };
        // The name of the manifold, in brackets or alone.
        let rest = &self.lexed.tokens[last..];
        let name = rest.iter().find(|t| t.token == Token::Word && self.slice(**t) != "x")?;
        let close = rest.iter().find(|t| t.start >= name.end).filter(|t| t.token == Token::CloseParen);
        let end = close.map_or(name.end, |t| t.end);
        let name = self.slice(*name);
        let manifold =
            if word == "T" || word == "J" { name } else { name.trim_start_matches('T').trim_start_matches('*') };
        let manifold = if manifold.is_empty() { self.last_manifold()? } else { manifold };
        let (whole, written) = (Span { end, ..self.span(before) }, format!("J{order}({manifold})"));
        let d = Diagnostic::error(&codes::SYNTAX, "spaces are `J1(Y)`, `J2(Y)`, …, with the time in them");
        let d = d.label(whole, "another notation").repair(format!("write `{written}`"), whole, written);
        Some(if (word, found.token) == ("T", Token::Star) { d.note("momenta are asked of a Lagrangian") } else { d })
    }

    /// `from x = 1, until t = 10` and `from x = 1 until t = 10`: a clause begins behind a `;`.
    fn clause_in_a_row(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        let opens = |t: Placed| RUN_CLAUSES.iter().any(|(word, _)| *word == self.slice(t));
        if !self.in_block() || !self.statement_has(&[Token::Simulate, Token::Sweep]) {
            return None;
        }
        let comma = self.token(self.index.checked_sub(2)).filter(|t| t.token == Token::Comma);
        let next = self.after().filter(|next| found.token == Token::Comma && opens(*next));
        let (place, clause) = match comma {
            _ if let Some(next) = next => (self.span(found), next),
            Some(comma) if opens(before) => (self.span(comma), before),
            _ if opens(found) && before.token.ends_operand() && !opens(before) => {
                (Span { start: before.end, end: before.end, ..self.span(before) }, found)
            }
            _ => return None,
        };
        Some(
            Diagnostic::error(&codes::SYNTAX, "the clauses of a run are separated by `;`")
                .label(self.span(clause), "another clause begins here")
                .repair(format!("write `; {} …`", self.slice(clause)), place, ";"),
        )
    }

    /// Whether one of these words stands in the statement around this place, before it.
    fn statement_has(&self, words: &[Token]) -> bool {
        let Some((head, _)) = self.head() else { return false };
        // An entry of a block begins a reach of its own, so everything up to here is looked at.
        let start = self.lexed.tokens[..head].iter().rposition(|t| t.token == Token::Separator).map_or(0, |i| i + 1);
        self.lexed.tokens[start..self.index.min(self.lexed.tokens.len())].iter().any(|t| words.contains(&t.token))
    }

    /// `record every 1/10 x`.
    fn rhythm_before_columns(&self) -> Option<Diagnostic> {
        let (before, record) = (self.before()?, self.token(self.index.checked_sub(2))?);
        if self.slice(before) != "every" || record.token != Token::Record {
            return None;
        }
        let rest = &self.lexed.tokens[self.index..];
        let end = rest.iter().position(|t| t.token.is_separator() || t.token == Token::CloseBrace)?;
        let number = rest[..end].iter().rposition(|t| t.token == Token::Number)? + 1;
        let (first, last) = (rest.first()?, rest[..end].last()?);
        let columns = rest.get(number).filter(|_| number < end)?;
        let piece = |from: u32, to: u32| self.text[from as usize..to as usize].trim().trim_end_matches(',').trim_end();
        let written = format!("{} every {}", piece(columns.start, last.end), piece(first.start, columns.start));
        let place = Span { end: last.end, ..self.span(before) };
        Some(
            Diagnostic::error(&codes::SYNTAX, "how often stands behind what is recorded")
                .label(self.span(before), "here")
                .repair(format!("write `record {written}`"), place, written),
        )
    }

    /// `q1..q3` and `q1, .., q3` among coordinates or parameters, and `m.1`.
    fn numbered_names(&self) -> Option<Diagnostic> {
        let found = self.found()?;
        let head = self.head()?.1.token;
        if !matches!(head, Token::Manifold | Token::Param) {
            return None;
        }
        let comma = |t: &Placed| t.token == Token::Comma;
        let (left, dots) = match found.token {
            Token::DotDot => (self.before()?, self.index),
            Token::Number if self.before()?.token == Token::Dot => {
                let name = self.token(self.index.checked_sub(2)).filter(|t| t.token == Token::Word)?;
                let written = format!("{}_{}", self.slice(name), self.slice(found));
                let whole = Span { end: found.end, ..self.span(name) };
                return Some(
                    Diagnostic::error(&codes::SYNTAX, "a name has no dots").label(whole, "not a name").repair(
                        format!("write `{written}`"),
                        whole,
                        written,
                    ),
                );
            }
            _ => return None,
        };
        let left = if comma(&left) { self.token(self.index.checked_sub(2))? } else { left };
        let right = self.lexed.tokens[dots + 1..].iter().find(|t| !comma(t))?;
        let split = |t: Placed| {
            let name = self.slice(t);
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
            Some((stem, &name[stem.len()..])).filter(|(_, digits)| !digits.is_empty())
        };
        let ((stem, from), (other, to)) = (split(left)?, split(*right)?);
        let stem = (stem == other).then(|| stem.trim_end_matches('_'))?;
        let (whole, written) = (Span { end: right.end, ..self.span(left) }, format!("{stem}[{from}..{to}]"));
        Some(
            Diagnostic::error(&codes::SYNTAX, "a family of names has a range")
                .label(self.span(found), "not between names")
                .repair(format!("write `{written}`"), whole, written),
        )
    }

    /// `sum(i=1..3, q[i])`.
    fn index_with_equality(&self) -> Option<Diagnostic> {
        self.found().filter(|t| t.token == Token::DotDot)?;
        let back = |n: usize| self.token(self.index.checked_sub(n));
        let (sign, index) = (back(2).filter(|t| t.token == Token::Equal)?, back(3).filter(|t| t.token == Token::Word)?);
        let before = back(4).filter(|t| matches!(t.token, Token::OpenParen | Token::Comma))?;
        if let Some((whole, written)) = self.index_behind_its_formula(before, index, sign) {
            return Some(
                Diagnostic::error(&codes::SYNTAX, "an index and its range stand before the formula")
                    .label(self.span(index), "here")
                    .repair(format!("write `{written}`"), whole, written),
            );
        }
        Some(
            Diagnostic::error(&codes::SYNTAX, "an index runs in its range")
                .label(self.span(sign), "here the word is `in`")
                .repair(format!("write `{} in …`", self.slice(index)), self.span(sign), " in "),
        )
    }

    /// `sum(q[i]^2, i=1..3)`, of which these are the comma, the index and its sign.
    fn index_behind_its_formula(&self, comma: Placed, index: Placed, sign: Placed) -> Option<(Span, String)> {
        let (open, name) = self.innermost_bracket()?;
        let name = name?;
        let ours = repetition_of(self.slice(name))?;
        let close = self.closing(open).filter(|_| comma.token == Token::Comma)?;
        let piece = |from: u32, to: u32| self.text[from as usize..to as usize].trim();
        let (formula, range) = (piece(open.end, comma.start), piece(sign.end, close.start));
        let whole = Span { end: close.end, ..self.span(name) };
        Some((whole, format!("{ours}({} in {range}, {formula})", self.slice(index))))
    }

    /// `from (x, x') = (1, 0)`.
    fn tuple_for_a_state(&self) -> Option<Diagnostic> {
        self.found().filter(|t| t.token == Token::Comma)?;
        let from = self.lexed.tokens[..self.index].iter().rposition(|t| t.token == Token::From)?;
        let rest = &self.lexed.tokens[from + 1..];
        let end = rest.iter().position(|t| t.token.is_separator() || t.token == Token::CloseBrace)?;
        let entry = &rest[..end];
        let equal = entry.iter().position(|t| t.token == Token::Equal)?;
        let inside = |side: &[Placed]| {
            let (open, close) = (side.first()?, side.last()?);
            let brackets = (open.token, close.token) == (Token::OpenParen, Token::CloseParen);
            let plain = side.iter().filter(|t| t.token == Token::OpenParen).count() == 1;
            let text = self.text.get(open.end as usize..close.start as usize)?;
            (brackets && plain).then(|| text.split(',').map(|part| part.trim().to_string()).collect::<Vec<_>>())
        };
        let (names, values) = (inside(&entry[..equal])?, inside(&entry[equal + 1..])?);
        if names.len() != values.len() {
            return None;
        }
        let entries: Vec<String> = names.iter().zip(&values).map(|(name, value)| format!("{name} = {value}")).collect();
        let (whole, written) = (Span { end: entry.last()?.end, ..self.span(*entry.first()?) }, entries.join(", "));
        Some(Diagnostic::error(&codes::SYNTAX, "a state is given entry by entry").label(whole, "two lists").repair(
            format!("write `{written}`"),
            whole,
            written,
        ))
    }

    /// `method implicit midpoint`.
    fn method_in_two_words(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        let words = before.token == Token::Word && found.token == Token::Word;
        let is_method = self.token(self.index.checked_sub(2)).is_some_and(|t| self.slice(t) == "method");
        if !words || !is_method {
            return None;
        }
        let whole = Span { end: found.end, ..self.span(before) };
        let joined = format!("{}_{}", self.slice(before), self.slice(found));
        let ours = match elsewhere::ours(Use::Method, &joined) {
            Some(elsewhere::Ours::Word(ours)) => Some(ours),
            _ => None,
        };
        let d = Diagnostic::error(&codes::SYNTAX, "a method is one word").label(whole, "two words");
        Some(match ours {
            Some(ours) => d.repair(format!("write `method {ours}`"), whole, ours),
            None => d.help("`:help methods` lists the methods of integration"),
        })
    }

    /// `plot r { (x, x') }`.
    fn pair_for_a_curve(&self) -> Option<Diagnostic> {
        if self.head()?.1.token != Token::Plot || self.found()?.token != Token::Comma {
            return None;
        }
        let (open, x) = (self.token(self.index.checked_sub(2))?, self.before()?);
        let (y, close) = (self.after()?, self.token(Some(self.index + 2))?);
        let names = x.token == Token::Word && y.token == Token::Word;
        if !names || (open.token, close.token) != (Token::OpenParen, Token::CloseParen) {
            return None;
        }
        let (whole, written) =
            (Span { end: close.end, ..self.span(open) }, format!("{} against {}", self.slice(y), self.slice(x)));
        Some(
            Diagnostic::error(&codes::SYNTAX, "a curve is one quantity against another").label(whole, "a pair").repair(
                format!("write `{written}`"),
                whole,
                written,
            ),
        )
    }

    /// `equations N on J1(Y) { (x, v), (v, -x) }`, the pairs of heyoka: a coordinate and its rate.
    fn pair_for_an_equation(&self) -> Option<Diagnostic> {
        self.found().filter(|t| t.token == Token::Comma)?;
        let (open, of) = (self.token(self.index.checked_sub(2))?, self.before()?);
        let is_pair = open.token == Token::OpenParen && of.token == Token::Word;
        if self.head()?.1.token != Token::Equations || !is_pair {
            return None;
        }
        let close = self.closing(open)?;
        let rate = self.text[self.found()?.end as usize..close.start as usize].trim();
        let (whole, of) = (Span { end: close.end, ..self.span(open) }, self.slice(of));
        let written = format!("{of}: {rate} - {of}'");
        Some(
            Diagnostic::error(&codes::SYNTAX, "an equation stands behind its coordinate")
                .label(whole, "a pair")
                .repair(format!("write `{written}`"), whole, written),
        )
    }

    /// `title "a free particle"` among the curves of a plot.
    fn setting_without_sign(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        let texts = ["title", "x_label", "y_label"];
        if found.token != Token::String || !texts.contains(&self.slice(before)) || !self.in_block() {
            return None;
        }
        let gap = Span { start: before.end, end: found.start, ..self.span(before) };
        let (name, text) = (self.slice(before), self.slice(found));
        Some(Diagnostic::error(&codes::SYNTAX, "a setting is an equation").label(self.span(found), "its value").repair(
            format!("write `{name} = {text}`"),
            gap,
            " = ",
        ))
    }

    /// `poincare r { x = 0; y, y' }`.
    fn section_without_its_word(&self) -> Option<Diagnostic> {
        let found = self.found().filter(|t| t.token == Token::Word)?;
        if !self.expects("section") && !self.expects("plot") || !self.statement_has(&[Token::Poincare]) {
            return None;
        }
        let rest = &self.lexed.tokens[self.index..];
        let end = rest.iter().position(|t| t.token.is_separator() || t.token == Token::CloseBrace)?;
        let entry = &rest[..end];
        let start = Span { end: found.start, ..self.span(found) };
        let d = Diagnostic::error(&codes::SYNTAX, "an entry of a section begins with `section` or `plot`")
            .label(self.span(found), "here");
        let whole = Span { end: entry.last()?.end, ..self.span(found) };
        let text = &self.text[whole.range()];
        match entry {
            _ if entry.iter().any(|t| t.token == Token::Equal) => {
                Some(d.repair(format!("write `section {text}`"), start, "section "))
            }
            [x, comma, y] if comma.token == Token::Comma => {
                let written = format!("plot {} against {}", self.slice(*y), self.slice(*x));
                Some(d.repair(format!("write `{written}`"), whole, written))
            }
            _ if entry.iter().any(|t| t.token == Token::Against) => {
                Some(d.repair(format!("write `plot {text}`"), start, "plot "))
            }
            _ => None,
        }
    }

    /// `stop if x = 0`, and `use ../wheel.mech`.
    fn another_word(&self) -> Option<Diagnostic> {
        let found = self.found()?;
        let word = |wanted: &str| {
            Diagnostic::error(&codes::SYNTAX, format!("here the word is `{wanted}`"))
                .label(self.span(found), format!("not `{}`", self.slice(found)))
        };
        if self.expected == ["when"] && ["if", "at", "on", "where", "once", "as"].contains(&self.slice(found)) {
            return Some(word("when").repair("write `when`", self.span(found), "when"));
        }
        let is_path = matches!(found.token, Token::DotDot | Token::Slash) && self.head()?.1.token == Token::Use;
        is_path.then(|| {
            let rest = &self.text[found.start as usize..];
            let path = rest.split([' ', '\t', '\r', '\n', ';']).next().unwrap_or(rest);
            let (whole, written) =
                (Span { end: found.start + path.len() as u32, ..self.span(found) }, format!("\"{path}\""));
            Diagnostic::error(&codes::SYNTAX, "a file is named in quotes").label(whole, "without quotes").repair(
                format!("write `{written}`"),
                whole,
                written,
            )
        })
    }

    /// The tokens of the statement around this place.
    pub(super) fn statement(&self) -> Option<&[Placed]> {
        let (head, _) = self.head()?;
        let rest = &self.lexed.tokens[head..];
        let end = rest.iter().position(|t| t.token.is_separator()).unwrap_or(rest.len());
        Some(&rest[..end])
    }

    /// `classify L` and `equations L`, alone on their line.
    fn question_in_two_words(&self) -> Option<Diagnostic> {
        let &[first, second] = self.statement()? else { return None };
        let (question, system) = (self.slice(first), self.slice(second));
        let words = STATEMENT_WORDS.iter().map(|(word, _)| *word);
        let is_word = first.token == Token::Word
            && elsewhere::ours(Use::Statement, question).is_none()
            && suggest::nearest(question, words).is_none()
            && question.len() > 1;
        if second.token != Token::Word || !is_word && first.token != Token::Equations {
            return None;
        }
        let call = format!("{question}({system})");
        let whole = Span { end: second.end, ..self.span(first) };
        Some(
            Diagnostic::error(&codes::JUXTAPOSITION, "what is asked about stands in brackets")
                .label(self.span(second), "without brackets")
                .repair(format!("write `{call}`"), whole, call),
        )
    }

    /// `if x > 0 then 1 else 0` on a line of its own.
    fn choice_alone(&self) -> Option<Diagnostic> {
        let (head, first) = self.head()?;
        let whole = self.statement()?.iter().any(|t| self.slice(*t) == "else");
        (whole && self.index == head + 1 && self.slice(first) == "if").then(|| self.choice(first))
    }

    /// `30deg`, and `param g = 9.81 m/s^2`.
    fn unit(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        if before.token != Token::Number || found.token != Token::Word {
            return None;
        }
        let (number, unit) = (self.slice(before), self.slice(found));
        let whole = Span { end: found.end, ..self.span(before) };
        if ["deg", "degree", "degrees"].contains(&unit) {
            let written = format!("{number}*pi/180");
            return Some(
                Diagnostic::error(&codes::SYNTAX, "angles are numbers, in radians")
                    .label(self.span(found), "not a word of the language")
                    .repair(format!("write `{written}`"), whole, written),
            );
        }
        let (_, head) = self.head()?;
        let in_run = self.in_block() && self.statement_has(&[Token::Simulate, Token::Sweep]);
        let declares = matches!(head.token, Token::Param | Token::Let);
        if !declares && !in_run || !UNITS.contains(&unit) {
            return None;
        }
        let rest = self.lexed.tokens[self.index..].iter();
        let ends = |t: &Placed| t.token.is_separator() || matches!(t.token, Token::Comma | Token::CloseBrace);
        let end = rest.take_while(|t| !ends(t)).last()?.end;
        Some(
            Diagnostic::error(&codes::SYNTAX, "numbers have no units")
                .label(Span { end, ..self.span(found) }, "a unit")
                .repair(
                    "leave it out, and take all numbers in units that fit together",
                    Span { start: before.end, end, ..whole },
                    "",
                )
                .help(format!("a product needs its sign: `{number}*{unit}`")),
        )
    }

    /// `assume m positive`.
    fn fact_in_words(&self) -> Option<Diagnostic> {
        let (before, found) = (self.before()?, self.found()?);
        if self.head()?.1.token != Token::Assume || before.token != Token::Word {
            return None;
        }
        let fact = match self.slice(found) {
            "positive" => " > 0",
            "negative" => " < 0",
            "nonnegative" => " >= 0",
            "nonzero" => " != 0",
            _ => return None,
        };
        let name = self.slice(before);
        let place = Span { start: before.end, ..self.span(found) };
        Some(Diagnostic::error(&codes::SYNTAX, "facts are comparisons").label(self.span(found), "a word").repair(
            format!("write `{name}{fact}`"),
            place,
            fact,
        ))
    }

    /// `coordinates x, y`, before there is a manifold.
    fn coordinates_alone(&self) -> Option<Diagnostic> {
        let statement = self.statement()?;
        let (first, rest) = statement.split_first()?;
        let word = self.slice(*first);
        let is_one = ["coordinates", "coordinate", "coords", "variables", "variable"].contains(&word);
        let plain = rest.iter().all(|t| matches!(t.token, Token::Word | Token::Comma));
        if !is_one || !plain || rest.is_empty() || self.last_manifold().is_some() {
            return None;
        }
        let names: Vec<&str> = rest.iter().filter(|t| t.token == Token::Word).map(|t| self.slice(*t)).collect();
        let written = format!("manifold Y over t {{ {} }}", names.join(", "));
        Some(
            Diagnostic::error(&codes::SYNTAX, format!("no statement begins with `{word}`"))
                .label(self.span(*first), "not a statement word")
                .repair(
                    format!("coordinates are declared with their manifold: `{written}`"),
                    Span { end: rest.last()?.end, ..self.span(*first) },
                    written,
                ),
        )
    }

    /// `manifold Y over t (x, y)`, `manifold Y over t x, y` and `manifold Y { x, y } over t`.
    fn coordinates_without_braces(&self) -> Option<Diagnostic> {
        let statement = self.statement()?;
        let (first, rest) = statement.split_first()?;
        let over = rest.iter().position(|t| t.token == Token::Over)?;
        let time = rest.get(over + 1).filter(|t| t.token == Token::Word)?;
        if first.token != Token::Manifold || over == 0 {
            return None;
        }
        // Behind the time, or between the name and `over`.
        let (from, to) = match over {
            1 => (time.end, rest.last()?.end),
            _ => (rest.first()?.end, rest[over].start),
        };
        let written = self.text[from as usize..to as usize].trim();
        let names = written.trim_matches(['(', ')', '[', ']', '{', '}']).trim();
        let plain = |c: char| c.is_alphanumeric() || " ,_:".contains(c);
        let in_braces = over == 1 && written.starts_with('{');
        if names.is_empty() || in_braces || !names.chars().all(plain) {
            return None;
        }
        let meant = format!(" over {} {{ {names} }}", self.slice(*time));
        let place = Span { source: self.source, start: rest.first()?.end, end: rest.last()?.end };
        Some(
            Diagnostic::error(&codes::SYNTAX, "the coordinates of a manifold stand in braces, behind its time")
                .label(Span { start: from, end: to, ..place }, "here")
                .repair(format!("write `manifold {}{meant}`", self.slice(*rest.first()?)), place, meant),
        )
    }

    /// `sweep S over m = 1..3 { … }`.
    fn range_of_a_sweep(&self) -> Option<Diagnostic> {
        let found = self.found().filter(|t| t.token == Token::Equal && self.expects("in"))?;
        if !self.statement()?.iter().any(|t| t.token == Token::Sweep) {
            return None;
        }
        Some(
            Diagnostic::error(&codes::SYNTAX, "a sweep goes over the values in a list or a range")
                .label(self.span(found), "here the word is `in`")
                .repair("write `in`", self.span(found), " in "),
        )
    }
}

/// Our name of what repeats a formula over a range.
fn repetition_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "sum" | "Sum" | "add" => "sum",
        "product" | "Product" | "prod" | "mul" => "product",
        "list" | "seq" | "Table" => "list",
        _ => return None,
    })
}
