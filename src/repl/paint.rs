//! Colours for a line being typed: which ranges are keywords, numbers, texts and comments, and which
//! brackets belong together.

use std::ops::Range;

/// What a range of the line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Keyword,
    Number,
    Text,
    Comment,
    Bracket,
}

/// Words painted as keywords.
pub const STATEMENT_WORDS: &[&str] = &[
    "assert",
    "assume",
    "let",
    "param",
    "manifold",
    "map",
    "section",
    "function",
    "lagrangian",
    "form",
    "field",
    "force",
    "equations",
    "constraint",
    "codistribution",
    "distribution",
    "submanifold",
    "system",
    "mixed",
    "use",
    "test",
    "simulate",
    "sweep",
    "plot",
    "save",
    "animate",
    "poincare",
    "explain",
];

/// The painted ranges of a text, in order and without overlap.
pub fn ranges(text: &str) -> Vec<(Range<usize>, Kind)> {
    let mut found = vec![];
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        let mut take = |wanted: &dyn Fn(char) -> bool| {
            let mut end = start + c.len_utf8();
            while let Some((i, c)) = rest.next_if(|(_, c)| wanted(*c)) {
                end = i + c.len_utf8();
            }
            end
        };
        match c {
            '(' | ')' | '[' | ']' | '{' | '}' => found.push((start..start + 1, Kind::Bracket)),
            '0'..='9' => found.push((start..take(&|c| c.is_ascii_digit() || c == '.'), Kind::Number)),
            '/' if text[start..].starts_with("//") => found.push((start..take(&|c| c != '\n'), Kind::Comment)),
            '"' => {
                let mut end = take(&|c| c != '"' && c != '\n');
                if text[end..].starts_with('"') {
                    rest.next();
                    end += 1;
                }
                found.push((start..end, Kind::Text));
            }
            c if c.is_alphabetic() => {
                let end = take(&|c| c.is_alphanumeric() || c == '_' || c == '\'');
                if STATEMENT_WORDS.contains(&&text[start..end]) {
                    found.push((start..end, Kind::Keyword));
                }
            }
            _ => {}
        }
    }
    found
}

/// The bracket at the cursor (or just before it) and its partner.
pub fn matching_brackets(text: &str, pos: usize) -> Option<(usize, usize)> {
    let brackets: Vec<usize> =
        ranges(text).into_iter().filter(|(_, kind)| *kind == Kind::Bracket).map(|(range, _)| range.start).collect();
    let mut open = vec![];
    let mut pairs = vec![];
    for at in brackets {
        let partner = |c: u8| match c {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        match text.as_bytes()[at] {
            b'(' | b'[' | b'{' => open.push(at),
            c => {
                if open.last().is_some_and(|o| text.as_bytes()[*o] == partner(c)) {
                    pairs.push((open.pop().unwrap_or(at), at));
                }
            }
        }
    }
    pairs.into_iter().find(|(a, b)| [*a, *b].iter().any(|p| *p == pos || p + 1 == pos))
}

/// Whether the input can be answered as it stands, or goes on to the next line.
pub fn is_complete(text: &str) -> bool {
    let mut depth = 0i32;
    let mut comment = None;
    for (range, kind) in ranges(text) {
        match kind {
            Kind::Bracket if "([{".contains(&text[range.clone()]) => depth += 1,
            Kind::Bracket => depth -= 1,
            Kind::Comment => comment = Some(range.start),
            _ => {}
        }
    }
    let line = text.trim_end();
    let end = comment.filter(|at| !text[*at..].contains('\n')).unwrap_or(line.len());
    depth <= 0 && !text[..end.min(text.len())].trim_end().ends_with(['+', '-', '*', '/', '=', ',', '^', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_brackets_have_their_kinds() {
        let text = "let θ' = f(2.5) // \"x\"";
        let kinds: Vec<(&str, Kind)> = ranges(text).into_iter().map(|(r, k)| (&text[r], k)).collect();
        let expected = [
            ("let", Kind::Keyword),
            ("(", Kind::Bracket),
            ("2.5", Kind::Number),
            (")", Kind::Bracket),
            ("// \"x\"", Kind::Comment),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn a_bracket_finds_its_partner() {
        assert_eq!(matching_brackets("f(g[1])", 1), Some((1, 6)));
        assert_eq!(matching_brackets("f(g[1])", 7), Some((1, 6)));
        assert_eq!(matching_brackets("f(g[1)", 2), None);
    }

    #[test]
    fn an_open_block_or_operator_goes_on() {
        assert!(is_complete("manifold Y over t { x }") && is_complete("x + y // and"));
        assert!(!is_complete("manifold Y over t {") && !is_complete("x +") && !is_complete("f(a,"));
    }
}
