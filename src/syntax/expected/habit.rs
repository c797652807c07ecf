//! Habits of other notations that the grammar stumbles over: units, facts in words, a question without its brackets, coordinates
//! without their braces.

use super::Scene;
use crate::diagnostic::elsewhere::{self, Use};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::source::Span;
use crate::syntax::lexer::Placed;
use crate::syntax::token::{STATEMENT_WORDS, Token};

/// Units as they are written behind numbers.
const UNITS: &[&str] = &[
    "m", "cm", "mm", "km", "s", "ms", "h", "kg", "g", "N", "J", "W", "Hz", "rad", "K", "Pa", "A", "V", "C", "T", "Nm",
];

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
        if head.token != Token::Param || !UNITS.contains(&unit) {
            return None;
        }
        let rest = self.lexed.tokens[self.index..].iter();
        let end = rest.take_while(|t| !t.token.is_separator() && t.token != Token::Comma).last()?.end;
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
