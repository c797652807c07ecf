//! Signs that the language does not have, where what stands around them tells what was meant: bars, roots, comments and
//! continued lines of other languages, TeX. A sign that says the same everywhere is in [`problem::foreign`].

use super::token::Token;
use super::{problem, tex};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{SourceId, Span};

/// Where a foreign sign stands.
pub struct Sign<'t> {
    pub source: SourceId,
    pub text: &'t str,
    pub start: usize,
    pub end: usize,
    /// The token before it on its line, with its text.
    pub before: Option<(Token, &'t str)>,
}

/// What is said of it, where reading goes on, and as what it is read.
pub struct Told {
    pub diagnostic: Diagnostic,
    pub end: usize,
    pub reads_as: Option<Token>,
    /// Nothing is wrong with what stands around it: it was a comment.
    pub is_comment: bool,
}

impl<'t> Sign<'t> {
    fn span(&self, end: usize) -> Span {
        Span::new(self.source, self.start, end)
    }

    /// What follows on the line.
    fn line(&self) -> &'t str {
        self.text[self.end..].split('\n').next().unwrap_or("")
    }

    /// What stands before it on the line.
    fn ahead(&self) -> &'t str {
        let start = self.text[..self.start].rfind('\n').map_or(0, |n| n + 1);
        &self.text[start..self.start]
    }

    pub fn tell(&self) -> Told {
        let sign = &self.text[self.start..self.end];
        let line = self.line();
        let after_operand = self.before.is_some_and(|(token, _)| token.ends_operand());
        let plain = |diagnostic: Diagnostic| Told {
            diagnostic,
            end: self.end,
            reads_as: problem::meaning(sign),
            is_comment: false,
        };
        let strange =
            |title: String| Diagnostic::error(&codes::STRAY_CHARACTER, title).label(self.span(self.end), "here");
        let unknown = || strange(format!("`{sign}` is not a sign of the language"));
        match sign {
            "|" if line.find('|').is_some_and(|n| !line[..n].trim().is_empty()) => {
                let inside = line.split('|').next().unwrap_or("");
                let end = self.end + inside.len() + 1;
                let after_name = self.before.is_some_and(|(token, _)| token == Token::Word)
                    && self.ahead().ends_with(|c: char| c.is_alphanumeric() || c == '_');
                let diagnostic = problem::bars(self.span(end), inside.trim(), after_name);
                Told { diagnostic, end, reads_as: Some(Token::Word), is_comment: false }
            }
            // `E|x=0`
            "|" if after_operand && line.contains('=') && !line.contains(['|', '(']) => {
                let end = self.end + line.trim_end().len();
                let written = format!(" at {{ {} }}", line.trim());
                let place =
                    Span::new(self.source, self.start - (self.ahead().len() - self.ahead().trim_end().len()), end);
                let d = strange("a value at a point is asked with `at`".to_string());
                let d = d.repair(format!("write `…{written}`"), place, written);
                Told { diagnostic: d, end, reads_as: None, is_comment: true }
            }
            // `r × v` of lists
            "×" if let (Some((Token::Word, left)), Some(right)) = (self.before, first_word(line))
                && [left, right].iter().all(|name| self.text.contains(&format!("let {name} = ["))) =>
            {
                let ahead = self.ahead().trim_end();
                let start = self.start - (self.ahead().len() - ahead.len()) - left.len();
                let end = self.end + (line.len() - line.trim_start().len()) + right.len();
                let (whole, written) = (Span::new(self.source, start, end), format!("cross({left}, {right})"));
                let d = unknown().repair(format!("write `{written}`"), whole, written);
                Told { reads_as: Some(Token::Star), ..plain(d) }
            }
            "≈" | "≃" | "≅" if after_operand && self.ahead().trim_start().starts_with("assert ") => {
                let rest = line.split("//").next().unwrap_or(line).trim_end();
                let within = if rest.split_whitespace().any(|word| word == "within") { "" } else { " within 1e-6" };
                let written = format!("={rest}{within}");
                let whole = self.span(self.end + rest.len());
                let d = unknown().repair("equality up to an error is `a = b within 1e-6`", whole, written);
                Told { reads_as: Some(Token::Equal), ..plain(d) }
            }
            "=>" if self.ahead().trim_start().starts_with("map ") => plain(problem::arrow_of_map(self.span(self.end))),
            "√" => {
                let name = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
                plain(problem::root(self.span(self.end + name), &line[..name]))
            }
            // `let f = #^2 &`
            "#" if line.trim_end().ends_with('&') => {
                let body = self.text[self.start..self.end + line.len()].trim_end().trim_end_matches('&').trim_end();
                let end = self.end + line.len();
                let d = strange("a function is declared with its argument".to_string());
                let name = self.ahead().trim().strip_prefix("let ").and_then(|rest| rest.trim().strip_suffix('='));
                let d = match name.map(str::trim) {
                    Some(name) => {
                        let written = format!("let {name}(u) = {}", body.replace('#', "u"));
                        let whole = Span::new(self.source, self.start - self.ahead().trim_start().len(), end);
                        d.repair(format!("write `{written}`"), whole, written)
                    }
                    None => d.help("write `let f(u) = u^2`"),
                };
                Told { diagnostic: d, end, reads_as: Some(Token::Word), is_comment: false }
            }
            // `x > 0 ? 1 : 0`
            "?" if after_operand && line.contains(':') => {
                let (yes, no) = line.split_once(':').unwrap_or((line, ""));
                let ahead = self.ahead();
                let declared =
                    ["let ", "lagrangian ", "param "].iter().any(|word| ahead.trim_start().starts_with(word));
                let from = if declared { ahead.find('=').map_or(0, |at| at + 1) } else { 0 };
                let condition = ahead[from..].trim();
                let written = format!("piecewise({condition}, {}, {})", yes.trim(), no.trim());
                let end = self.end + line.trim_end().len();
                let whole = Span::new(self.source, self.start - ahead[from..].trim_start().len(), end);
                let d = strange("a choice is written `piecewise(condition, value, otherwise)`".to_string());
                let d = d.repair(format!("write `{written}`"), whole, written);
                Told { diagnostic: d, end, reads_as: None, is_comment: true }
            }
            // `$Assumptions = m > 0`
            "$" if line.starts_with("Assumptions") => {
                let end = self.end + line.find('=').map_or("Assumptions".len(), |at| at + 1);
                let end = self.text.len() - self.text[end..].trim_start_matches(' ').len();
                let d = strange("facts are assumed one by one".to_string());
                let d = d.repair("write `assume m > 0`", self.span(end), "assume ");
                Told { diagnostic: d, end, reads_as: None, is_comment: true }
            }
            // `A\b` of a matrix
            "\\" if after_operand
                && line.trim_start().starts_with('[')
                && self.before.is_some_and(|(token, name)| token == Token::Word && self.ahead().ends_with(name)) =>
            {
                let name = self.before.map_or("A", |(_, text)| text);
                let whole = Span::new(self.source, self.start - name.len(), self.end);
                let d = strange("equations are solved with the inverse".to_string());
                let d = d.repair(format!("write `inverse({name})*…`"), whole, format!("inverse({name})*"));
                Told { reads_as: Some(Token::Star), ..plain(d) }
            }
            "#" => self.comment(self.end + line.len(), problem::foreign(self.span(self.end), sign)),
            "%" if line.trim().is_empty() && self.ahead().trim().is_empty() => {
                let d = unknown().repair("the last answer is `_`", self.span(self.end), "_");
                Told { reads_as: Some(Token::Word), ..plain(d) }
            }
            // `1%`
            "%" if self.before.is_some_and(|(token, _)| token == Token::Number) && !followed_by_operand(line) => {
                let d = unknown().repair("a percentage is a quotient", self.span(self.end), "/100");
                Told { reads_as: None, is_comment: true, ..plain(d) }
            }
            "∞" if self.ahead().split_whitespace().any(|word| word == "until") => {
                let d = unknown().repair("a run ends at a time, for example", self.span(self.end), "100");
                Told { reads_as: Some(Token::Number), ..plain(d) }
            }
            // `use ./wheel.mech`
            "./" if self.ahead().trim_start().starts_with("use ") => {
                let path = line.split_whitespace().next().unwrap_or("");
                let from = self.start - self.ahead().chars().rev().take_while(|c| *c == '.').count();
                let written = format!("\"{}\"", &self.text[from..self.end + path.len()]);
                let whole = Span::new(self.source, from, self.end + path.len());
                let d = Diagnostic::error(&codes::STRAY_CHARACTER, "a file is named in quotes").label(whole, "here");
                let d = d.repair(format!("write `{written}`"), whole, written);
                Told { diagnostic: d, end: self.end + path.len(), reads_as: Some(Token::String), is_comment: false }
            }
            // A remainder has one operand behind its sign, a comment has words.
            "%" if !after_operand || line.split_whitespace().count() > 1 => {
                let d = unknown().repair("comments begin with `//`", self.span(self.end), "//");
                self.comment(self.end + line.len(), d)
            }
            "(*" => match self.text[self.end..].find("*)") {
                Some(length) => {
                    let (inside, end) = (&self.text[self.end..self.end + length], self.end + length + 2);
                    let written = format!("/*{inside}*/");
                    let d = strange("comments stand between `/*` and `*/`".to_string());
                    self.comment(end, d.repair("write `/* … */`", self.span(end), written))
                }
                None => plain(unknown().repair("a product has two factors", self.span(self.end), "(")),
            },
            "\\" => match tex::read(&self.text[self.start..]) {
                Some((length, said)) => {
                    let end = self.start + length;
                    let written = said.clone();
                    let d = Diagnostic::error(&codes::STRAY_CHARACTER, "TeX is not read")
                        .label(self.span(end), "another notation")
                        .repair(format!("write `{said}`"), self.span(end), said);
                    let reads_as = match written.chars().next() {
                        Some('*') => Some(Token::Star),
                        Some(c) if c == '(' || c.is_alphabetic() => Some(Token::Word),
                        _ => None,
                    };
                    Told { diagnostic: d, end, reads_as, is_comment: false }
                }
                None => plain(problem::foreign(self.span(self.end), sign)),
            },
            // `∂L/∂x'`, and the operator `∂/∂x`
            "∂" => match quotient_of_books(line) {
                Some((length, of, by)) => {
                    let end = self.end + length;
                    let (written, why) = match of {
                        "" => (format!("@{by}"), "a coordinate vector field"),
                        of => (format!("D({of}, {by})"), "a partial derivative"),
                    };
                    let d = strange(format!("{why} is written `{written}`"));
                    let d = d.repair(format!("write `{written}`"), self.span(end), written);
                    Told { diagnostic: d, end, reads_as: Some(Token::Word), is_comment: false }
                }
                None => plain(problem::foreign(self.span(self.end), sign)),
            },
            "°" => plain(unknown().repair("angles are in radians", self.span(self.end), "*pi/180")),
            "!" if after_operand => {
                // Another foreign sign may stand between, as in `5²!`.
                let adjacent = self.before.filter(|(_, number)| self.text[..self.start].ends_with(number));
                let Some((_, number)) = adjacent else { return plain(unknown()) };
                let start = self.start - number.len();
                let written = format!("product(i in 1..{number}, i)");
                let whole = Span::new(self.source, start, self.end);
                plain(unknown().repair(format!("a factorial is a product: `{written}`"), whole, written))
            }
            "~" if after_operand => {
                let d = unknown().repair("equality up to an error is `a = b within 1e-9`", self.span(self.end), "=");
                Told { reads_as: Some(Token::Equal), ..plain(d) }
            }
            "..." | "…" if line.trim().is_empty() => {
                let d = unknown().repair("a line goes on behind an operator: leave it out", self.span(self.end), "");
                self.comment(self.end, d)
            }
            ".*" if self.ahead().trim_start().starts_with("use ") => {
                let d = strange("a library is used as a whole".to_string());
                self.comment(self.end, d.repair("leave it out", self.span(self.end), ""))
            }
            sign => plain(problem::foreign(self.span(self.end), sign)),
        }
    }

    fn comment(&self, end: usize, diagnostic: Diagnostic) -> Told {
        Told { diagnostic, end, reads_as: None, is_comment: true }
    }
}

/// `L/∂x'` behind a `∂`: its length, what is differentiated, and by what.
fn quotient_of_books(line: &str) -> Option<(usize, &str, &str)> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let (of, behind) = line.split_at(line.find(|c: char| !is_of_name(c))?);
    let rest = behind.trim_start().strip_prefix('/')?.trim_start().strip_prefix('∂')?;
    let (by, behind) = rest.split_at(rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len()));
    (!by.is_empty()).then_some((line.len() - behind.len(), of, by))
}

/// The name with which the rest of a line begins.
fn first_word(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    Some(&line[..end]).filter(|word| !word.is_empty())
}

/// Whether something that can be divided by stands first on the rest of a line.
fn followed_by_operand(line: &str) -> bool {
    line.trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '(')
}

/// `x^{2}` and `x_{1}`, whose signs are ours: what is said, and where reading goes on.
pub fn braces_of_tex(source: SourceId, text: &str, start: usize) -> Option<(Diagnostic, usize)> {
    let (length, said) = tex::read(&text[start..])?;
    let place = Span::new(source, start, start + length);
    let d = Diagnostic::error(&codes::STRAY_CHARACTER, "TeX is not read").label(place, "another notation");
    Some((d.repair(format!("write `{said}`"), place, said), start + length))
}

/// `'words'` where a text may stand: what is said, and where reading goes on.
pub fn quoted(
    source: SourceId,
    text: &str,
    start: usize,
    before: Option<(Token, &str)>,
) -> Option<(Diagnostic, usize)> {
    let may_stand = match before? {
        (Token::OpenParen | Token::Comma | Token::Equal, _) => true,
        (_, word) => word == "to",
    };
    // Names of symbols are read by the patterns of whole statements.
    let declares = ["symbols(", "Symbol(", "make_vars(", "var("].iter().any(|call| text[..start].ends_with(call));
    let inside = text[start..].strip_prefix('\'').filter(|_| !declares)?.split('\n').next()?;
    let length = inside.find('\'').filter(|n| *n > 0 && may_stand)?;
    let end = start + length + 2;
    let place = Span::new(source, start, end);
    let written = format!("\"{}\"", &inside[..length]);
    let d = Diagnostic::error(&codes::STRAY_CHARACTER, "a text stands between `\"`").label(place, "between primes");
    Some((d.repair(format!("write `{written}`"), place, written), end))
}

/// `-- words` at the beginning of a line, and `"""words"""`: the comments of other languages.
pub fn comment(source: SourceId, text: &str, start: usize) -> Option<(Diagnostic, usize)> {
    let rest = &text[start..];
    let line = rest.split('\n').next().unwrap_or("");
    let d = |end: usize| {
        let place = Span::new(source, start, end);
        Diagnostic::error(&codes::STRAY_CHARACTER, "comments begin with `//`").label(place, "another notation")
    };
    let quotes = ["\"\"\"", "'''"].into_iter().find_map(|q| Some((q, rest.strip_prefix(q)?)));
    if let Some((quotes, inside)) = quotes {
        let end = start + 6 + inside.find(quotes)?;
        let written = format!("/* {} */", text[start + 3..end - 3].trim());
        return Some((d(start + 3).repair("write `/* … */`", Span::new(source, start, end), written), end));
    }
    let words = line.strip_prefix("--")?.trim_start_matches('-');
    let is_comment = words.is_empty() || words.starts_with(' ') && words.trim_start().starts_with(char::is_alphabetic);
    let sign = Span::new(source, start, start + 2);
    is_comment.then(|| (d(start + 2).repair("write `//`", sign, "//"), start + line.len()))
}
