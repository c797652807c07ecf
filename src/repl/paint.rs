//! Colours for a line being typed, from the language's own lexer: which ranges are keywords, functions, numbers, texts and comments, and
//! which brackets belong together.

use crate::source::SourceId;
use crate::syntax::lexer::lex;
use crate::syntax::token::{RESERVED, RUN_CLAUSES, STATEMENT_WORDS, Token};
use std::ops::Range;

/// What a range of the line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Keyword,
    /// A name before its arguments.
    Function,
    Number,
    Text,
    Comment,
    Bracket,
}

/// The painted ranges of a text, in order and without overlap.
pub fn ranges(text: &str) -> Vec<(Range<usize>, Kind)> {
    let lexed = lex(SourceId::default(), text);
    let mut found: Vec<(Range<usize>, Kind)> = vec![];
    for (i, placed) in lexed.tokens.iter().enumerate() {
        let called = placed.token == Token::Word
            && lexed.tokens.get(i + 1).is_some_and(|next| next.token == Token::OpenParen && next.start == placed.end);
        if let Some(kind) = if called { Some(Kind::Function) } else { kind(placed.token) } {
            found.push((placed.start as usize..placed.end as usize, kind));
        }
    }
    found.extend(lexed.comments.iter().map(|c| (c.start as usize..c.end as usize, Kind::Comment)));
    found.retain(|(r, _)| r.start < r.end && text.get(r.clone()).is_some());
    found.sort_by_key(|(r, _)| r.start);
    let mut end = 0;
    found.retain(|(r, _)| {
        let fits = r.start >= end;
        end = end.max(r.end);
        fits
    });
    found
}

fn kind(token: Token) -> Option<Kind> {
    use Token::*;
    let keyword = |table: &[(&str, Token)]| table.iter().any(|(_, t)| *t == token);
    match token {
        OpenParen | CloseParen | OpenBracket | CloseBracket | OpenBrace | CloseBrace => Some(Kind::Bracket),
        Number => Some(Kind::Number),
        String => Some(Kind::Text),
        Every | Rising | Falling | Against | Generated => Some(Kind::Keyword),
        _ if keyword(RESERVED) || keyword(STATEMENT_WORDS) || keyword(RUN_CLAUSES) => Some(Kind::Keyword),
        _ => None,
    }
}

/// The bracket at the cursor (or just before it) and its partner.
pub fn matching_brackets(text: &str, pos: usize) -> Option<(usize, usize)> {
    let mut open: Vec<(usize, Token)> = vec![];
    let mut pairs = vec![];
    for placed in lex(SourceId::default(), text).tokens {
        // Brackets that the lexer supplied for the grammar have no place of their own.
        if placed.start == placed.end {
            continue;
        }
        match placed.token {
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => {
                open.push((placed.start as usize, placed.token))
            }
            token => {
                if let Some(opener) = token.opener()
                    && let Some((start, _)) = open.pop_if(|(_, t)| *t == opener)
                {
                    pairs.push((start, placed.start as usize));
                }
            }
        }
    }
    pairs.into_iter().find(|(a, b)| [*a, *b].iter().any(|p| *p == pos || p + 1 == pos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_brackets_have_their_kinds() {
        let text = "let θ = f(2.5) // \"x\"";
        let kinds: Vec<(&str, Kind)> = ranges(text).into_iter().map(|(r, k)| (&text[r], k)).collect();
        let expected = [
            ("let", Kind::Keyword),
            ("f", Kind::Function),
            ("(", Kind::Bracket),
            ("2.5", Kind::Number),
            (")", Kind::Bracket),
            ("// \"x\"", Kind::Comment),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn a_word_is_a_keyword_where_it_is_one() {
        let keywords = |text: &str| ranges(text).into_iter().filter(|(_, k)| *k == Kind::Keyword).count();
        assert_eq!(keywords("force F on J1(Y) { x: 1 }"), 2);
        assert_eq!(keywords("param force = 2"), 1);
    }

    #[test]
    fn a_bracket_finds_its_partner() {
        assert_eq!(matching_brackets("f(g[1])", 1), Some((1, 6)));
        assert_eq!(matching_brackets("f(g[1])", 7), Some((1, 6)));
        assert_eq!(matching_brackets("f(g[1)", 4), None);
    }

    #[test]
    fn any_text_can_be_painted() {
        for text in ["\"", "/*", "((((", "x\u{307}'", "λ := θ", "\u{feff}", "let \"a"] {
            for end in 0..=text.len() {
                if let Some(part) = text.get(..end) {
                    ranges(part);
                    matching_brackets(part, part.len());
                }
            }
        }
    }
}
