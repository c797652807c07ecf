//! Where a name is written. An editor that shows or renames what is under the cursor asks for the word there and for the
//! other places of the same name.
//!
//! Two words are the same name if they read the same without primes and the same statement or sum binds them:
//!
//! ```text
//! manifold Y over t { x }
//! let f(x) = x^2               the x of f, twice
//! f(x') + sum(x in 1..3, x)    the coordinate, then the index, twice
//! ```

use super::ast::{ExprKind, Statement, StatementKind, Text};
use super::lexer::{Placed, lex};
use super::token::Token;
use super::{name, parse};
use crate::source::{SourceId, Span};
use std::ops::Range;

/// A word of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// With its primes.
    pub place: Range<usize>,
    /// Without them.
    pub name: String,
    pub primes: u32,
}

impl Occurrence {
    /// The word with another name: what is to be replaced, and by what. Primes stay as they were written; dots above the
    /// letters become primes.
    pub fn renamed(&self, text: &str, new: &str) -> (Range<usize>, String) {
        match text.get(self.place.clone()).and_then(|word| word.strip_prefix(self.name.as_str())) {
            Some(_) => (self.place.start..self.place.start + self.name.len(), new.to_string()),
            None => (self.place.clone(), format!("{new}{}", "'".repeat(self.primes as usize))),
        }
    }
}

/// The words of a text that may be names, in their order.
pub fn words(text: &str) -> Vec<Occurrence> {
    let lexed = lex(SourceId::default(), text);
    let word = |placed: &Placed| {
        let place = placed.start as usize..placed.end as usize;
        let (name, primes) = name::read(text.get(place.clone())?);
        Some(Occurrence { place, name: name.into_owned(), primes })
    };
    lexed.tokens.iter().filter(|placed| placed.token == Token::Word).filter_map(word).collect()
}

/// The word at a place, or the one that ends there.
pub fn word_at(text: &str, place: usize) -> Option<Occurrence> {
    words(text).into_iter().find(|word| word.place.start <= place && place <= word.place.end)
}

/// Where the statement around a place begins.
pub fn statement_start(text: &str, place: usize) -> usize {
    let lexed = lex(SourceId::default(), text.get(..place).unwrap_or(text));
    lexed.statements.last().map_or(0, |start| *start as usize)
}

/// Every place of the name that is written at `word`. `derived` adds the words that are made of a coordinate: `dx`, `p_x`.
pub fn same_name(text: &str, word: &Occurrence, derived: impl Fn(&str) -> Option<String>) -> Vec<Occurrence> {
    let binders = binders(text);
    let home = binder_of(&binders, word);
    let is_same = |other: &mut Occurrence| {
        let name = if other.name == word.name { Some(other.name.clone()) } else { derived(&other.name) };
        let Some(name) = name.filter(|name| *name == word.name) else { return false };
        // Only the end of `dx` and `p_x` is the name.
        let before = other.name.len() - name.len();
        other.place.start += before;
        other.name = name;
        binder_of(&binders, other) == home
    };
    words(text).into_iter().filter_map(|mut other| is_same(&mut other).then_some(other)).collect()
}

/// Whether a function or a sum binds the name that is written here.
pub fn is_bound(text: &str, word: &Occurrence) -> bool {
    binder_of(&binders(text), word).is_some()
}

/// The innermost piece of the text that binds a word.
fn binder_of(binders: &[(Span, Text)], word: &Occurrence) -> Option<Span> {
    let binds = |span: &Span, bound: &str| span.range().contains(&word.place.start) && *bound == *word.name;
    let around = binders.iter().filter(|(span, bound)| binds(span, bound));
    around.map(|(span, _)| *span).min_by_key(|span| span.end - span.start)
}

/// What binds a name for a part of the text: functions their parameters, sums and lists their indices.
fn binders(text: &str) -> Vec<(Span, Text)> {
    let (ast, _) = parse::parse(SourceId::default(), text);
    let mut found = vec![];
    let mut statements: Vec<&Statement> = ast.statements.iter().collect();
    while let Some(statement) = statements.pop() {
        match &statement.kind {
            StatementKind::Let(l) => {
                found.extend(l.parameters.iter().flatten().map(|p| (statement.span, p.node.clone())));
            }
            StatementKind::Test(test) => statements.extend(&test.body),
            _ => {}
        }
    }
    for id in ast.ids() {
        if let ExprKind::Each(each) = ast.kind(id) {
            found.extend(each.binders.iter().map(|b| (ast.span(id), b.index.node.clone())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, at: usize) -> Vec<usize> {
        let word = word_at(text, at).expect("a word");
        same_name(text, &word, |w| w.strip_prefix('d').map(str::to_string)).iter().map(|o| o.place.start).collect()
    }

    #[test]
    fn a_bound_name_is_another_one() {
        let text = "manifold Y over t { x }\nlet f(x) = x^2\nf(x') + sum(x in 1..3, x) + i(@x, dx)\n";
        let all: Vec<usize> = text.match_indices('x').map(|(at, _)| at).collect();
        assert_eq!(places(text, all[0]), [all[0], all[3], all[6], all[7]]);
        assert_eq!(places(text, all[1]), [all[1], all[2]]);
        assert_eq!(places(text, all[4]), [all[4], all[5]]);
        let bound: Vec<bool> = all.iter().filter_map(|at| Some(is_bound(text, &word_at(text, *at)?))).collect();
        assert_eq!(bound, [false, true, true, false, true, true, false, false]);
    }

    #[test]
    fn primes_stay_and_dots_become_primes() {
        let text = "x'' + ẋ";
        let [plain, dotted] = words(text).try_into().expect("two words");
        assert_eq!(plain.renamed(text, "q"), (0..1, "q".to_string()));
        assert_eq!(dotted.renamed(text, "q"), (6..text.len(), "q'".to_string()));
    }

    #[test]
    fn a_statement_begins_where_it_does() {
        let text = "param m\nlet r = simulate L {\n  from x = 1\n  me";
        assert_eq!(statement_start(text, text.len()), 8);
    }
}
