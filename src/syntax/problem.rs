//! What can be wrong with a text, said in its own words.
//!
//! Every message of the front end is built here: the title says what is wrong, the label points at the
//! shortest piece of text that is at fault, the help says what to write instead, as an edit wherever
//! one can be computed.

use super::ast::Comparison;
use super::name::MAX_PRIMES;
use super::token::{RUN_CLAUSES, Token};
use crate::diagnostic::{Diagnostic, Goes, Repair, Severity, codes, elsewhere, suggest};
use crate::source::Span;

pub fn unterminated_comment(opening: Span) -> Diagnostic {
    Diagnostic::error(&codes::UNTERMINATED_COMMENT, "this comment does not end")
        .label(opening, "it begins here")
        .help("close it with `*/`, or write `//` for a comment to the end of the line")
}

pub fn unterminated_string(string: Span) -> Diagnostic {
    let (quote, end) = (Span { end: string.start + 1, ..string }, Span { start: string.end, ..string });
    Diagnostic::error(&codes::UNTERMINATED_STRING, "this string does not end on its line")
        .label(quote, "no second quote follows")
        .repair("close it with `\"`", end, "\"")
}

/// `x"` for x″.
pub fn double_prime(quote: Span) -> Diagnostic {
    Diagnostic::error(&codes::STRAY_CHARACTER, "a second derivative has two primes")
        .label(quote, "the sign of a string")
        .repair("write `''`", quote, "''")
}

/// A character or sign that the language does not have.
pub fn foreign(place: Span, text: &str) -> Diagnostic {
    let shown = match text.chars().next() {
        Some(c) if c.is_control() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{FEFF}') => {
            format!("the character U+{:04X}", c as u32)
        }
        _ => format!("`{text}`"),
    };
    let diagnostic = Diagnostic::error(&codes::STRAY_CHARACTER, format!("{shown} is not a sign of the language"))
        .label(place, "here");
    match text {
        "==" => diagnostic.repair("equality is a single `=`", place, "="),
        "**" => diagnostic.repair("powers are written with `^`", place, "^"),
        "&&" | "&" => diagnostic.repair("write `and`", place, " and "),
        "||" => diagnostic.repair("write `or`", place, " or "),
        "|" => diagnostic.help("the absolute value of x is `abs(x)`"),
        "!" | "~" => diagnostic.repair("write `not`", place, "not "),
        "<>" | "~=" => diagnostic.repair("write `!=`", place, "!="),
        "=>" => diagnostic.help("write `>=` for a comparison, `->` in a map"),
        ":=" => diagnostic.repair("write `=`", place, "="),
        "#" => diagnostic.repair("comments begin with `//`", place, "//"),
        "×" => {
            diagnostic.repair("a product is written with `*`", place, "*").help("the vector product is `cross(a, b)`")
        }
        "·" | "⋅" | "∗" => diagnostic.repair("a product is written with `*`", place, "*"),
        "−" | "–" | "—" => diagnostic.repair("a minus sign is `-`", place, "-"),
        "÷" => diagnostic.repair("a quotient is written with `/`", place, "/"),
        "≤" => diagnostic.repair("write `<=`", place, "<="),
        "≥" => diagnostic.repair("write `>=`", place, ">="),
        "≠" => diagnostic.repair("write `!=`", place, "!="),
        "’" | "‘" | "`" | "´" => diagnostic.repair("a prime is `'`", place, "'"),
        "“" | "”" | "„" | "«" | "»" => diagnostic.repair("a string stands between `\"`", place, "\""),
        "∂" => diagnostic.repair("the vector field ∂/∂x is `@x`", place, "@"),
        "→" => diagnostic.repair("write `->`", place, "->"),
        "…" | "..." => diagnostic.repair("a range is written with `..`", place, ".."),
        ".^" | ".*" | "./" => {
            diagnostic.repair("operations on lists need no dot", place, text.trim_start_matches('.').to_string())
        }
        "∈" => diagnostic.repair("write `in`", place, " in "),
        "≈" | "≃" | "≅" => diagnostic.repair("equality up to an error is `a = b within 1e-9`", place, "="),
        "$" => diagnostic.repair("formulas need no signs around them", place, ""),
        "±" => diagnostic.repair("equality up to an error is `a = b within 1e-9`", place, "within"),
        "∞" => diagnostic.help("no number is infinite; a run ends at a time: `until t = 100`"),
        "∇" => diagnostic.help("the derivative by a coordinate is `D(f, x)`, the differential `d(f)`"),
        "∫" => diagnostic.help("an integral is over a range: `integral(u in 0..1, u^2)`"),
        "∑" => diagnostic.repair("a sum is written `sum(i in 1..n, …)`", place, "sum"),
        "∏" => diagnostic.repair("a product is written `product(i in 1..n, …)`", place, "product"),
        "¬" => diagnostic.repair("write `not`", place, "not "),
        "∨" => diagnostic.repair("write `or`", place, " or "),
        "%" => diagnostic.help("remainders of divisions are not computed"),
        "\\" => {
            diagnostic.help("TeX is not read: a fraction is `1/2`, a Greek letter `theta` or `θ`, a derivative `x'`")
        }
        "?" => diagnostic
            .help("a question is a bare expression, `classify(S)`; `:doc classify` explains one in the session"),
        _ => match text.chars().next().map(|c| (superscript(c), fraction(c))) {
            Some((Some(digit), _)) => diagnostic.repair(format!("write `^{digit}`"), place, format!("^{digit}")),
            Some((_, Some(written))) => diagnostic.repair(format!("write `{written}`"), place, format!("({written})")),
            _ => diagnostic.help("remove it"),
        },
    }
}

/// `√x` and `√(x + y)`.
pub fn root(place: Span, under: &str) -> Diagnostic {
    let written = if under.is_empty() { "sqrt".to_string() } else { format!("sqrt({under})") };
    Diagnostic::error(&codes::STRAY_CHARACTER, "`√` is not a sign of the language").label(place, "here").repair(
        "the square root of x is `sqrt(x)`",
        place,
        written,
    )
}

/// `|x|`, as it is printed in books; without a second bar nothing is certain.
pub fn bars(place: Span, inside: &str, after_name: bool) -> Diagnostic {
    let d = Diagnostic::error(&codes::STRAY_CHARACTER, "`|` is not a sign of the language")
        .label(Span { end: place.start + 1, ..place }, "here");
    let help = format!("the absolute value is `abs({inside})`");
    // `ln|x|`
    let written = if after_name { format!("(abs({inside}))") } else { format!("abs({inside})") };
    d.repair(help, place, written)
}

/// `=>` between the two manifolds of a map.
pub fn arrow_of_map(place: Span) -> Diagnostic {
    Diagnostic::error(&codes::STRAY_CHARACTER, "`=>` is not a sign of the language").label(place, "here").repair(
        "the arrow of a map is `->`",
        place,
        "->",
    )
}

/// What a foreign sign stands for, so that reading goes on as if it had been written rightly.
pub fn meaning(text: &str) -> Option<Token> {
    Some(match text {
        "==" | ":=" => Token::Equal,
        "**" => Token::Caret,
        "&&" | "&" => Token::And,
        "||" => Token::Or,
        "<>" | "~=" | "≠" => Token::NotEqual,
        "·" | "×" | "⋅" | "∗" => Token::Star,
        "−" | "–" | "—" => Token::Minus,
        "÷" => Token::Slash,
        "≤" => Token::LessEqual,
        "≥" => Token::GreaterEqual,
        "∂" => Token::Partial,
        "→" => Token::Arrow,
        "…" | "..." => Token::DotDot,
        ".^" => Token::Caret,
        ".*" => Token::Star,
        "./" => Token::Slash,
        "∈" => Token::In,
        "≈" | "≃" | "≅" => Token::Equal,
        "±" => Token::Within,
        "∨" => Token::Or,
        "¬" => Token::Not,
        "∑" | "∏" | "∞" => Token::Word,
        _ => return None,
    })
}

fn superscript(c: char) -> Option<char> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == c).and_then(|d| char::from_digit(d as u32, 10))
}

fn fraction(c: char) -> Option<&'static str> {
    const FRACTIONS: &[(char, &str)] = &[
        ('½', "1/2"),
        ('⅓', "1/3"),
        ('⅔', "2/3"),
        ('¼', "1/4"),
        ('¾', "3/4"),
        ('⅕', "1/5"),
        ('⅙', "1/6"),
        ('⅛', "1/8"),
    ];
    FRACTIONS.iter().find(|(sign, _)| *sign == c).map(|(_, written)| *written)
}

/// A statement that begins with a sign; `continues` when there is a line above that it might belong to.
pub fn sign_at_start(sign: Span, text: &str, continues: bool) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(&codes::SIGN_AT_START, "a statement cannot begin with a sign")
        .label(sign, if continues { "a term of the line above, or a new question?" } else { "here" });
    if continues {
        let help = format!("to continue the line above, put a blank after the sign: `{text} …`");
        diagnostic = diagnostic.repair(help, sign, format!("{text} "));
    }
    diagnostic.repair(format!("to ask a new question, begin it with a zero: `0 {text} …`"), sign, format!("0 {text} "))
}

/// A semicolon inside `( )` or `[ ]`, which are closed on the same line or not.
/// `[1 2; 3 4]`: rows of a matrix.
pub fn matrix_of_rows(semicolon: Span, brackets: Span, inside: &str) -> Diagnostic {
    let entries = |row: &str| {
        let cells = row.split([',', ' ', '\t']).map(str::trim).filter(|cell| !cell.is_empty());
        format!("[{}]", cells.collect::<Vec<_>>().join(", "))
    };
    let written = format!("[{}]", inside.split(';').map(entries).collect::<Vec<_>>().join(", "));
    Diagnostic::error(&codes::UNCLOSED_BRACKET, "a matrix is a list of its rows")
        .label(semicolon, "a `;` ends the statement")
        .repair(format!("write `{written}`"), brackets, written)
}

pub fn semicolon_in_brackets(semicolon: Span, opening: Span, bracket: &str, closes: bool) -> Diagnostic {
    if closes {
        return Diagnostic::error(&codes::UNCLOSED_BRACKET, format!("a `;` cannot stand inside `{bracket}`"))
            .label(semicolon, "a `;` ends the statement")
            .label(opening, "opened here")
            .repair("arguments are separated by commas", semicolon, ",");
    }
    Diagnostic::error(&codes::UNCLOSED_BRACKET, format!("this `{bracket}` is not closed before the `;`"))
        .label(opening, "opened here")
        .label(semicolon, "a `;` ends the statement")
        .help("close the bracket before the `;`")
}

/// Units as they are written behind numbers.
pub const UNITS: &[&str] = &[
    "m", "cm", "mm", "km", "s", "ms", "h", "kg", "g", "N", "J", "W", "Hz", "rad", "K", "Pa", "A", "V", "C", "T", "Nm",
];

/// `until t = 10s` in a run, where letters behind a number are a unit.
pub fn unit(name: Span, digits: &str, word: &str) -> Diagnostic {
    Diagnostic::error(&codes::JUXTAPOSITION, "numbers have no units")
        .label(name, "a unit")
        .repair("leave it out, and take all numbers in units that fit together", name, "")
        .help(format!("a product needs its sign: `{digits}*{word}`"))
}

pub fn number_before_name(number: Span, name: Span, digits: &str, word: &str) -> Diagnostic {
    let whole = Span { end: name.end, ..number };
    // `2i`
    let is_imaginary = ["i", "j", "I"].contains(&word);
    let power = word.strip_prefix(['d', 'D', 'f']).filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let grouped = word.strip_prefix('_').filter(|n| n.bytes().all(|b| b.is_ascii_digit() || b == b'_'));
    let written = match (power, grouped) {
        (Some(""), _) if word == "f" => Some(digits.to_string()),
        (Some(power), _) if !power.is_empty() => Some(format!("{digits}e{power}")),
        (_, Some(rest)) => Some(format!("{digits}{}", rest.replace('_', ""))),
        _ => None,
    };
    if let Some(written) = written {
        return Diagnostic::error(&codes::JUXTAPOSITION, "this is not a number")
            .label(whole, "another notation")
            .repair(format!("write `{written}`"), whole, written);
    }
    let d = juxtaposition(name, &format!("{digits}*{word}"), Span { start: number.end, end: name.start, ..name });
    if is_imaginary { d.help("there is no imaginary unit: expressions are real") } else { d }
}

/// `param 2m = 1`.
pub fn digit_first(name: Span, digits: &str, word: &str) -> Diagnostic {
    let written = format!("{word}{digits}");
    Diagnostic::error(&codes::WRONG_ENTRY, "a name begins with a letter").label(name, "begins with a digit").repair(
        format!("write `{written}`"),
        name,
        written,
    )
}

/// `sin^2(x)`, as it is printed in books.
pub fn power_of_function(exponent: Span, turned: &str, whole: Span) -> Diagnostic {
    Diagnostic::error(&codes::JUXTAPOSITION, "the power of a function stands behind its argument")
        .label(exponent, "a power of the name")
        .repair(format!("write `{turned}`"), whole, turned.to_string())
}

/// `sin^-1(x)`.
pub fn inverse_of_function(exponent: Span, turned: &str, whole: Span) -> Diagnostic {
    Diagnostic::error(&codes::JUXTAPOSITION, "the inverse of a function has a name of its own")
        .label(exponent, "a power of the name")
        .repair(format!("write `{turned}`"), whole, turned.to_string())
}

/// `x^2'`: of the power, or of its exponent?
pub fn ambiguous_prime(prime: Span, readings: &[String], whole: Span) -> Diagnostic {
    let d = Diagnostic::error(&codes::SYNTAX, "it is not clear what this prime differentiates")
        .label(prime, "of the power, or of its exponent?");
    readings.iter().fold(d, |d, reading| d.repair(format!("write `{reading}`"), whole, reading.clone()))
}

/// `d/dt x`.
pub fn leibniz_derivative(operator: Span, primed: &str, whole: Span) -> Diagnostic {
    Diagnostic::error(&codes::JUXTAPOSITION, "the derivative along the motion is a prime")
        .label(operator, "not an operator of the language")
        .repair(format!("write `{primed}`"), whole, primed.to_string())
}

/// Two operands in a row; `gap` is what stands between them.
pub fn juxtaposition(second: Span, product: &str, gap: Span) -> Diagnostic {
    Diagnostic::error(&codes::JUXTAPOSITION, "a product needs its `*`").label(second, "two operands in a row").repair(
        format!("write `{product}`"),
        gap,
        "*",
    )
}

pub fn missing_name(word: Span, text: &str) -> Diagnostic {
    let (title, name) = match text {
        "equations" => ("equations need a name".to_string(), " N"),
        "test" => ("a test needs a title".to_string(), " \"title\""),
        _ => (format!("a {text} needs a name"), " A"),
    };
    let end = Span { start: word.end, ..word };
    Diagnostic::error(&codes::MISSING_NAME, title).label(word, "none follows").repair(
        format!("write `{text}{name} …`"),
        end,
        name,
    )
}

/// An entry of a run that begins with no clause; `rest` is the text after its first word.
pub fn unknown_clause(word: Span, text: &str, rest: &str) -> Diagnostic {
    let words = || RUN_CLAUSES.iter().map(|(word, _)| *word);
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_CLAUSE, format!("a run has no clause `{text}`"))
        .label(word, "not a clause word")
        .note(format!("an entry of a run begins with one of {}", quoted(words())));
    let elsewhere = match elsewhere::ours(elsewhere::Use::Clause, text) {
        Some(elsewhere::Ours::Word(ours)) => Some(ours),
        _ => None,
    };
    let both = two_tolerances(text, rest);
    match elsewhere.or_else(|| suggest::nearest(text, words())) {
        Some(_) if let Some((length, written)) = &both => {
            let whole = Span { end: word.end + *length as u32, ..word };
            diagnostic.repair(format!("write `{written}`"), whole, written.clone())
        }
        _ if ["steps", "nsteps", "n_steps", "num_steps"].contains(&text) => {
            let entry = rest.split([';', '\n', '}']).next().unwrap_or(rest).trim_end();
            let whole = Span { end: word.end + entry.len() as u32, ..word };
            diagnostic.repair("a step has a length, and their number follows: `step 1/100`", whole, "step 1/100")
        }
        _ if text == "every" => diagnostic.help("how often stands behind what is recorded: `record x every 1/10`"),
        // `RelTol = 1e-8`
        Some(near) if near.contains(' ') && rest.trim_start().starts_with('=') => {
            let sign = rest.len() - rest.trim_start().len() + 1;
            let whole = Span { end: word.end + sign as u32, ..word };
            diagnostic.repair(format!("did you mean `{near}`?"), whole, near)
        }
        Some(near) => diagnostic.repair(format!("did you mean `{near}`?"), word, near),
        None => state_without_from(diagnostic, word, text, rest),
    }
}

/// `rtol 1e-8; atol 1e-10` as one clause, from the end of the first word on: how long it is, and what is written instead.
fn two_tolerances(first: &str, rest: &str) -> Option<(usize, String)> {
    let ours = |word: &str| match elsewhere::ours(elsewhere::Use::Clause, word) {
        Some(elsewhere::Ours::Word(ours)) => ours.strip_prefix("tolerance "),
        _ => None,
    };
    let block = &rest[..rest.find('}').unwrap_or(rest.len())];
    let (value, behind) = block.split_once([';', '\n'])?;
    let second = behind.trim_start();
    let number = |text: &str| text.trim().trim_start_matches('=').trim().to_string();
    let (kind, other) = match second.strip_prefix("tolerance ") {
        Some(said) => (said.trim_start().split(' ').next()?.to_string(), said.trim_start().split_once(' ')?.1),
        None => {
            let (word, other) = second.split_once([' ', '='])?;
            (ours(word)?.to_string(), other)
        }
    };
    let entry = other.split([';', '\n']).next().unwrap_or(other).trim_end();
    let is_pair = ["rel", "abs"].contains(&&*kind) && ours(first)? != kind;
    let length =
        block.len() - behind.len() + (behind.len() - second.len()) + (second.len() - other.len()) + entry.len();
    is_pair.then(|| {
        (length, format!("tolerance {} {}, {kind} {}", ours(first).unwrap_or(""), number(value), number(entry)))
    })
}

/// `x = 1`, `x(0) = 1`, `t = 0..10` and `for t in 0..10` among the clauses of a run.
fn state_without_from(diagnostic: Diagnostic, word: Span, text: &str, rest: &str) -> Diagnostic {
    let entry = rest.split([';', '\n', '}']).next().unwrap_or(rest);
    let range =
        entry.split_once(" in ").and_then(|(time, range)| Some((time.trim(), range.split_once("..")?.1.trim())));
    // `t in [0, 10]`
    let bounds = entry.trim().strip_prefix("in ").and_then(|list| list.trim().strip_prefix(['[', '(']));
    let last = bounds.and_then(|list| Some(list.strip_suffix([']', ')'])?.split_once(',')?.1.trim()));
    if let Some(end) = last.filter(|_| text == "t") {
        let whole = Span { end: word.end + entry.trim_end().len() as u32, ..word };
        let until = format!("until {text} = {end}");
        return diagnostic.repair(format!("a run ends at a time: `{until}`"), whole, until);
    }
    if let ("for" | "over", Some((time, end))) = (text, range) {
        let whole = Span { end: word.start + (text.len() + entry.trim_end().len()) as u32, ..word };
        let until = format!("until {time} = {end}");
        return diagnostic.repair(format!("a run ends at a time: `{until}`"), whole, until);
    }
    let Some((between, value)) = entry.split_once('=') else { return diagnostic };
    let (bracket, value) = (between.trim(), value.trim());
    if let Some((_, end)) = value.split_once("..") {
        let whole = Span { end: word.start + (text.len() + entry.trim_end().len()) as u32, ..word };
        let until = format!("until {text} = {}", end.trim());
        return diagnostic.repair(format!("a run ends at a time: `{until}`"), whole, until);
    }
    let is_time = bracket.starts_with('(') && bracket.ends_with(')');
    if bracket.chars().all(|c| c == '\'') || is_time {
        let name = if is_time { text.to_string() } else { format!("{text}{bracket}") };
        let whole = Span { end: word.start + (text.len() + between.trim_end().len()) as u32, ..word };
        let from = format!("from {name}");
        return diagnostic.repair(format!("an initial value stands after `from`: `{from} = {value}`"), whole, from);
    }
    diagnostic
}

pub fn decimal_point(number: Span, text: String) -> Diagnostic {
    Diagnostic::error(&codes::DECIMAL_POINT, "a decimal point needs digits on both sides").label(number, "here").repair(
        format!("write `{text}`"),
        number,
        text,
    )
}

pub fn closes_nothing(bracket: Span, text: &str) -> Diagnostic {
    Diagnostic::error(&codes::UNMATCHED_BRACKET, format!("this `{text}` closes nothing"))
        .label(bracket, "nothing is open here")
        .repair("remove it", bracket, "")
}

pub fn wrong_bracket(bracket: Span, text: &str, opening: Span, wanted: &str) -> Diagnostic {
    Diagnostic::error(&codes::UNMATCHED_BRACKET, format!("`{text}` does not close what was opened"))
        .label(bracket, format!("expected `{wanted}`"))
        .label(opening, "opened here")
        .repair(format!("write `{wanted}`"), bracket, wanted)
}

/// The innermost bracket that is still open, and the ones around it.
pub fn unclosed(opening: Span, text: &str, others: &[Span]) -> Diagnostic {
    let wanted = match text {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    let diagnostic = Diagnostic::error(&codes::UNCLOSED_BRACKET, format!("this `{text}` is never closed"))
        .label(opening, format!("no `{wanted}` follows"));
    let diagnostic = others.iter().fold(diagnostic, |d, other| d.label(*other, "and this one"));
    diagnostic.help(format!("close it with `{wanted}`"))
}

/// The only bracket that is open at the end of the text.
pub fn unclosed_at_end(opening: Span, text: &str, end: Span) -> Diagnostic {
    let wanted = match text {
        "(" => ")",
        "[" => "]",
        _ => " }",
    };
    let mut diagnostic = unclosed(opening, text, &[]);
    diagnostic.repairs.push(Repair { span: end, text: wanted.to_string(), goes: Goes::Here });
    diagnostic
}

pub fn nested(place: Span) -> Diagnostic {
    Diagnostic::error(&codes::NESTING, format!("nested more than {} levels deep", super::lexer::MAX_NESTING))
        .label(place, "the limit is passed here")
        .help("name a part with `let` and use the name")
}

pub fn too_many(end: Span) -> Diagnostic {
    Diagnostic::new(Severity::Note, &codes::TOO_MANY_PROBLEMS, "there are more problems; the rest was not read")
        .label(end, "reading stopped before the end")
}

/// The bracket that closes `opener`, as a token and as text.
pub fn closer(opener: Token) -> (Token, &'static str) {
    match opener {
        Token::OpenParen => (Token::CloseParen, ")"),
        Token::OpenBracket => (Token::CloseBracket, "]"),
        _ => (Token::CloseBrace, "}"),
    }
}

/// `a`, `b` or `c`.
pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    alternatives(words.into_iter().map(|w| format!("`{w}`")).collect())
}

/// a, b or c.
pub fn alternatives(mut words: Vec<String>) -> String {
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

// ── Shapes ──────────────────────────────────────────────────────────────────────────────────────────

/// A name that is declared, with primes.
pub fn primed_name(name: Span, bare: &str) -> Diagnostic {
    Diagnostic::error(&codes::PRIMED_NAME, "this name has no primes").label(name, "primes are derivatives").repair(
        format!("write `{bare}`; its derivatives come with it"),
        name,
        bare,
    )
}

/// More primes than there are orders of jets.
pub fn too_many_primes(name: Span, primes: u32) -> Diagnostic {
    Diagnostic::error(&codes::TOO_MANY_PRIMES, format!("this name has {primes} primes"))
        .label(name, format!("at most {MAX_PRIMES} are possible"))
}

/// Many numbers, each of which would be possible.
pub fn numbers_too_large(number: Span, most: usize) -> Diagnostic {
    Diagnostic::error(&codes::NUMBER_TOO_LARGE, "the numbers of this program are too large together")
        .label(number, "no more fit from here on")
        .note(format!("all numbers of a program have at most {most} bits together"))
        .help("a table of numbers is read from a file: `function F(t) from \"force.csv\"`")
}

pub fn number_too_large(number: Span) -> Diagnostic {
    Diagnostic::error(&codes::NUMBER_TOO_LARGE, "this number is too large")
        .label(number, "more digits than a program may have")
        .note(format!("a number has at most {} bits", crate::budget::MAX_BITS))
}

pub fn chained_comparison(operator: Span, first: Comparison, second: Comparison, middle: &str) -> Diagnostic {
    let (first, second) = (first.text(), second.text());
    Diagnostic::error(&codes::CHAINED_COMPARISON, "two comparisons in a row").label(operator, "the second one").repair(
        format!("write `… {first} {middle} and {middle} {second} …`"),
        operator,
        format!("and {middle} {second}"),
    )
}

/// `param a = b = 2`.
pub fn chained_values(operator: Span, whole: Span, first: &str, middle: &str, last: &str) -> Diagnostic {
    let written = format!("{first} = {last}, {middle} = {last}");
    Diagnostic::error(&codes::CHAINED_COMPARISON, "each parameter has its own value")
        .label(operator, "the second one")
        .repair(format!("write `{written}`"), whole, written)
}

pub fn misplaced_within(word: Span, op: Comparison) -> Diagnostic {
    Diagnostic::error(&codes::MISPLACED_WITHIN, "`within` belongs to an equality")
        .label(word, format!("after `{}` it says nothing", op.text()))
        .help("write `A = B within e`")
}

pub fn misplaced_binder(callee: Span) -> Diagnostic {
    Diagnostic::error(&codes::SYNTAX, "only a function with a plain name can be repeated")
        .label(callee, "not a plain name")
        .help("write `sum(i in 1..n, …)` or `list(i in 1..n, …)`")
}

pub fn not_a_jet_space(words: Span) -> Diagnostic {
    Diagnostic::error(&codes::SYNTAX, "this is not a space").label(words, "expected `J1`, `J2`, …")
}

pub fn unknown_type(place: Span, text: &str, word: &str, words: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_TYPE, format!("`{text}` is not a type"))
        .label(place, "after the colon of a declaration stand types")
        .note(match words {
            [one] => format!("the type of a coordinate is `{one}`"),
            _ => "the types are `horizontal`, `horizontal over Y`, `contact`, `2-contact`, `dynamical`, `lepage`, \
                  `closed`, `1-form`, `vertical`, `projectable` and `semispray`"
                .to_string(),
        });
    match suggest::nearest(word, words.iter().copied()) {
        _ if words == ["angle"] && ["circle", "S1", "periodic", "cyclic", "rotation"].contains(&text) => {
            diagnostic.repair("did you mean `angle`?", place, "angle")
        }
        _ if text == "form" => diagnostic.repair("say its degree: `1-form`", place, "1-form"),
        Some("form") | None => diagnostic,
        Some(near) => diagnostic.repair(format!("did you mean `{near}`?"), place, near),
    }
}

/// `r : R^3`, a coordinate with several components.
pub fn vector_coordinate(place: Span, text: &str, behind_name: Span) -> Diagnostic {
    let many = text.rsplit('^').next().map(str::trim).filter(|n| n.parse::<u8>().is_ok()).unwrap_or("3");
    let range = format!("[1..{many}]");
    Diagnostic::error(&codes::UNKNOWN_TYPE, format!("`{text}` is not a type"))
        .label(place, "a coordinate is one number")
        .repair(format!("a family of coordinates has a range: `r{range}`"), behind_name, range)
}

pub fn not_a_coordinate(place: Span, has_value: bool, text: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::WRONG_ENTRY, "this is not a coordinate").label(place, "expected a name");
    // `x(start = 1)`, `x(t)`
    let name = text.split('(').next().unwrap_or_default().trim_end();
    if text.ends_with(')') && !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        let brackets = Span { start: place.start + name.len() as u32, ..place };
        return diagnostic.repair("a coordinate is its name; initial values stand in a run", brackets, "");
    }
    if has_value {
        diagnostic.help("coordinates have no values; give initial values in `simulate … { from x = 1 }`")
    } else {
        diagnostic.help("the entries of a manifold are names: `x`, `theta : angle`, `q[1..n]`")
    }
}

pub fn not_a_parameter(place: Span, text: &str, is_last: bool) -> Diagnostic {
    let wrong = || Diagnostic::error(&codes::WRONG_ENTRY, "this is not the name of a parameter");
    let inside = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match text.find(['<', '>']) {
        // `param { m = 1, k = 2 }`
        None if let Some(entries) = inside.map(str::trim) => {
            let written = entries.replace(';', ",");
            wrong().label(place, "in braces").repair(format!("write `param {written}`"), place, written)
        }
        Some(at) if is_last => {
            wrong().label(Span { start: place.start + at as u32, ..place }, "a condition is an assumption").repair(
                format!("write `param {}`, then `assume {text}`", text[..at].trim()),
                place,
                format!("{}\nassume {text}", text[..at].trim()),
            )
        }
        Some(at) => wrong()
            .label(Span { start: place.start + at as u32, ..place }, "a condition is an assumption")
            .help(format!("write `param {}`, then `assume {text}`", text[..at].trim())),
        // `param m(unit = "kg") = 1`
        None if text.ends_with(')') && text.split('(').next().is_some_and(|name| !name.is_empty()) => {
            let name = text.split('(').next().unwrap_or_default().trim();
            let brackets = Span { start: place.start + name.len() as u32, ..place };
            wrong().label(brackets, "a parameter is a number without a unit").repair("leave it out", brackets, "")
        }
        // `param g = 9,81`
        None if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
            let comma = Span { start: place.start.saturating_sub(1), end: place.start, ..place };
            let d = wrong().label(place, "expected a name");
            d.repair("the digits of a number stand behind a point", comma, ".")
        }
        // `param spring-constant = 2`
        None if text.contains('-') && text.split('-').all(is_plain_name) => {
            let name = text.replace('-', "_");
            wrong().label(place, "a difference").repair(format!("write `{name}`"), place, name)
        }
        None => wrong().label(place, "expected a name").help("write `param m`, `param m = 1` or `param m[1..n] = 1`"),
    }
}

fn is_plain_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

pub fn not_a_range(place: Span, text: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, "a family is declared with a range").label(place, "expected a range").repair(
        format!("write `1..{text}`"),
        place,
        format!("1..{text}"),
    )
}

pub fn component_for_equation(colon: Span, owner: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are equations"))
        .label(colon, "expected `=`")
        .repair("write `=`", colon, "=")
}

/// `m*x'' = -k*x` among the components of equations: force minus inertia.
pub fn equation_of_motion(equal: Span, owner: &str, entry: Span, component: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are components"))
        .label(equal, "expected `:`")
        .note("a component is force minus inertia, and stands behind its coordinate")
        .repair(format!("write `{component}`"), entry, component.to_string())
}

/// `x = …`, whose left side is the coordinate of a component; another left side is a part of the equation.
pub fn equation_for_component(equal: Span, owner: &str, is_name: bool) -> Diagnostic {
    let d = Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are components"))
        .label(equal, "expected `:`");
    match is_name {
        true => d.repair("write `x: …`", equal, ":"),
        false => d.help("an equation stands behind its coordinate, with everything on one side: `x: -k*x - m*x''`"),
    }
}

pub fn not_an_equation(place: Span, owner: &str) -> Diagnostic {
    let end = Span { start: place.end, ..place };
    Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are equations"))
        .label(place, "not an equation")
        .repair("write `… = …`", end, " = 0")
}

/// `y >= 0` in a constraint.
pub fn inequality_in_constraint(place: Span, text: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, "the entries of a constraint are equations")
        .label(place, "an inequality")
        .note("a one-sided constraint is no equation of motion; a run ends where it would be broken: `stop when y = 0 falling`")
        .help(format!("as an assumption it is `assume {text}`, as a set `submanifold K on Y {{ {text} }}`"))
}

/// `{1, 2, 3}`: nothing of it is the value of a coordinate.
pub fn list_in_braces(braces: Span, list: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, "the entries of a point are equations")
        .label(braces, "no equation among them")
        .repair(format!("a list stands in square brackets: `[{list}]`"), braces, format!("[{list}]"))
}

pub fn set_for_point(sign: Span, braces: Span, list: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, "the entries of a point give values to coordinates")
        .label(sign, "this is a condition")
        .repair(format!("a set is a list of conditions: `[{list}]`"), braces, format!("[{list}]"))
}

/// `L subject to { x^2 + y^2 = 1 }`: a constraint without a name.
/// What is put before its line, `line` up to the braces.
pub fn constraint_in_place(braces: Span, written: &str, line: &str, manifold: Option<&str>) -> Diagnostic {
    let d = Diagnostic::error(&codes::WRONG_ENTRY, "a constraint is declared before it is used")
        .label(braces, "without a name");
    let Some(manifold) = manifold else { return d.help(format!("write `constraint c on J1(Y) {written}` above")) };
    let space = match longest_primes(written) {
        0 => manifold.to_string(),
        order => format!("J{order}({manifold})"),
    };
    let declared = format!("constraint c on {space} {written}");
    let whole = Span { start: braces.start - line.len() as u32, ..braces };
    let help = format!("write `{declared}`, and `subject to c`");
    d.repair(help, whole, format!("{declared}\n{line}c"))
}

/// The largest number of primes in a row.
fn longest_primes(text: &str) -> usize {
    text.split(|c: char| c != '\'').map(str::len).max().unwrap_or(0)
}

pub fn not_a_component(place: Span, owner: &str, of: Option<&str>) -> Diagnostic {
    let d = Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are components"))
        .label(place, "of which coordinate?");
    let start = Span { end: place.start, ..place };
    match of {
        Some(of) => {
            d.repair(format!("write `{of}: …`, with the coordinate before the colon"), start, format!("{of}: "))
        }
        None => d.help("write `x: …`, with the coordinate before the colon"),
    }
}

pub fn not_a_generator(place: Span, owner: &str, example: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_ENTRY, format!("the entries of {owner} are its generators"))
        .label(place, "not a generator")
        .help(format!("write an expression such as `{example}`"))
}

pub fn unknown_constraint_clause(word: Span, text: &str, words: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_CLAUSE, format!("a constraint has no clause `{text}`"))
        .label(word, "not a clause word")
        .note(format!("a constraint holds equations and the clauses {}", quoted(words.iter().copied())));
    match suggest::nearest(text, words.iter().copied()) {
        Some(near) => diagnostic.repair(format!("did you mean `{near}`?"), word, near),
        None => diagnostic,
    }
}

pub fn repeated_clause(word: Span, text: &str, earlier: Span) -> Diagnostic {
    Diagnostic::error(&codes::REPEATED_CLAUSE, format!("`{text}` is given twice"))
        .label(word, "again")
        .label(earlier, "here already")
        .help("join the two")
}

pub fn unnamed_column(place: Span, text: &str) -> Diagnostic {
    let start = Span { end: place.start, ..place };
    Diagnostic::error(&codes::WRONG_ENTRY, "what a sweep collects needs a name").label(place, "without a name").repair(
        format!("write `reach = {text}`"),
        start,
        "reach = ",
    )
}

/// `collect` or `sample` in one run.
pub fn outside_sweep(word: Span, text: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_CLAUSE, format!("`{text}` belongs to a sweep"));
    match text {
        "sample" => {
            diagnostic.label(word, "one run has one initial state").help("write `sweep S over x in 0..1 { … }`")
        }
        _ => diagnostic
            .label(word, "one run has nothing to collect")
            .help("use `record` here, or `let reach = run.x.max` after the run"),
    }
}
