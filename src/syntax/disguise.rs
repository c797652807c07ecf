//! Text that looks different from what it says. Two things are warned about, because a program is read by people before it is
//! run: characters that turn the direction of writing, which stand in comments and strings without being seen, and names
//! that look the same and are not.
//!
//! Two names look the same when their skeletons are equal (Unicode Technical Standard 39, §4): accents are separated from their
//! letters, and letters of the Cyrillic and Greek alphabets stand for the Latin ones that they look like. The table here
//! is small; it holds what keyboards type.

use super::lexer::Lexed;
use super::name;
use super::token::Token;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{SourceId, Span, turns_direction};
use rustc_hash::FxHashMap;

/// How many such warnings a text gets.
const MAX_WARNINGS: usize = 20;

/// Warnings about a text; none if everything in it is ASCII.
pub fn warnings(source: SourceId, text: &str, lexed: &Lexed) -> Vec<Diagnostic> {
    if text.is_ascii() {
        return vec![];
    }
    let mut found = hidden_directions(source, text, lexed);
    found.extend(look_alikes(source, text, lexed));
    found.truncate(MAX_WARNINGS);
    found
}

/// Comments and strings with characters that turn the direction; elsewhere such a character is an error already.
fn hidden_directions(source: SourceId, text: &str, lexed: &Lexed) -> Vec<Diagnostic> {
    let comments = lexed.comments.iter().map(|c| (c.start, c.end));
    let strings = lexed.tokens.iter().filter(|t| t.token == Token::String).map(|t| (t.start, t.end));
    let warning = |(start, end): (u32, u32)| {
        let piece = text.get(start as usize..end as usize)?;
        let (at, control) = piece.char_indices().find(|(_, c)| turns_direction(*c))?;
        let at = start as usize + at;
        let place = Span::new(source, at, at + control.len_utf8());
        let title = "a character here changes the order in which the text is shown";
        let label = format!("U+{:04X} stands here", u32::from(control));
        Some(Diagnostic::warning(&codes::HIDDEN_DIRECTION, title).label(place, label).help("delete it"))
    };
    comments.chain(strings).filter_map(warning).collect()
}

/// Names that look like an earlier one, each once.
fn look_alikes(source: SourceId, text: &str, lexed: &Lexed) -> Vec<Diagnostic> {
    let mut first_of: FxHashMap<String, (String, Span)> = FxHashMap::default();
    let mut said: Vec<String> = vec![];
    let mut found = vec![];
    for word in lexed.tokens.iter().filter(|t| t.token == Token::Word) {
        let Some(written) = text.get(word.start as usize..word.end as usize) else { continue };
        let (bare, _) = name::read(written);
        let span = Span { source, start: word.start, end: word.end };
        let (first, place) = first_of.entry(skeleton(&bare)).or_insert_with(|| (bare.to_string(), span));
        if *first == *bare || said.iter().any(|known| *known == *bare) {
            continue;
        }
        said.push(bare.to_string());
        found.push(
            Diagnostic::warning(&codes::LOOK_ALIKE, format!("`{bare}` looks like another name and is not the same"))
                .label(span, spelled(&bare))
                .label(*place, spelled(first))
                .help("write one of them in another way"),
        );
    }
    found
}

/// The characters of a name that are not ASCII, by number.
fn spelled(name: &str) -> String {
    let strange: Vec<String> =
        name.chars().filter(|c| !c.is_ascii()).take(4).map(|c| format!("`{c}` is U+{:04X}", u32::from(c))).collect();
    if strange.is_empty() { "in ASCII letters".to_string() } else { strange.join(", ") }
}

/// What a name looks like.
fn skeleton(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let (letter, accent) = taken_apart(c);
        out.push(looks_like(letter));
        out.extend(accent);
    }
    out
}

/// The Latin letter that a Cyrillic or Greek one looks like.
fn looks_like(c: char) -> char {
    const THEIRS: &str = "аеорсухіјѕԁһАВЕКМНОРСТУХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
    const OURS: &str = "aeopcyxijsdhABEKMHOPCTYXIJSoABEZHIKMNOPTYX";
    if c.is_ascii() {
        return c;
    }
    THEIRS.chars().position(|d| d == c).and_then(|at| OURS.chars().nth(at)).unwrap_or(c)
}

/// A letter with an accent in one character, as the letter and the accent.
fn taken_apart(c: char) -> (char, Option<char>) {
    const ACCENTS: [(char, &str, &str); 9] = [
        ('\u{300}', "àèìòùÀÈÌÒÙ", "aeiouAEIOU"),
        ('\u{301}', "áéíóúýćńśźÁÉÍÓÚÝĆŃŚŹ", "aeiouycnszAEIOUYCNSZ"),
        ('\u{302}', "âêîôûĉĝĥĵŝŵŷÂÊÎÔÛĈĜĤĴŜŴŶ", "aeioucghjswyAEIOUCGHJSWY"),
        ('\u{303}', "ãñõĩũÃÑÕĨŨ", "anoiuANOIU"),
        ('\u{304}', "āēīōūĀĒĪŌŪ", "aeiouAEIOU"),
        ('\u{308}', "äëïöüÄËÏÖÜ", "aeiouAEIOU"),
        ('\u{30a}', "åůÅŮ", "auAU"),
        ('\u{30c}', "čďěňřšťžČĎĚŇŘŠŤŽ", "cdenrstzCDENRSTZ"),
        ('\u{327}', "çşÇŞ", "csCS"),
    ];
    if c.is_ascii() {
        return (c, None);
    }
    let found = ACCENTS.iter().find_map(|(accent, composed, plain)| {
        let at = composed.chars().position(|d| d == c)?;
        Some((plain.chars().nth(at)?, Some(*accent)))
    });
    found.unwrap_or((c, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lexer::lex;

    fn codes_of(text: &str) -> Vec<&'static str> {
        let source = SourceId::default();
        warnings(source, text, &lex(source, text)).iter().map(|d| d.code.name).collect()
    }

    #[test]
    fn twins_of_another_alphabet_are_warned_about_once() {
        assert_eq!(codes_of("param a = 1\nparam \u{430} = 2\na + \u{430} + \u{430}"), ["look_alike"]);
        assert_eq!(codes_of("param caf\u{e9} = 1, cafe\u{301} = 2"), ["look_alike"]);
        // Other letters are other letters: Greek ones that look like nothing Latin, and primes and dots.
        assert!(codes_of("param α = 1, a = 2, ω = 3, w = 4, é = 5, e = 6\nẋ + x + x'").is_empty());
    }

    #[test]
    fn the_direction_is_not_turned_unseen() {
        assert_eq!(codes_of("let a = x /*\u{202e} } evil \u{2066}*/ + 1"), ["hidden_direction"]);
        assert_eq!(codes_of("test \"a\u{2067}b\" { }"), ["hidden_direction"]);
        assert!(codes_of("// עברית in a comment, Poincaré").is_empty());
    }

    #[test]
    fn the_alphabets_are_as_long_as_what_they_look_like() {
        let theirs = "аеорсухіјѕԁһАВЕКМНОРСТУХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
        assert_eq!(skeleton(theirs), "aeopcyxijsdhABEKMHOPCTYXIJSoABEZHIKMNOPTYX");
    }
}
