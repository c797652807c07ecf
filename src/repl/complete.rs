//! What may be written next. Completion knows declared names, coordinates with their jets, questions and keywords, and where
//! only words of one kind may stand: libraries, methods, clauses of a run, promises, parts after a dot. The session asks it
//! when Tab is pressed, an editor while its user types.

use crate::integrate::method::METHODS;
use crate::model::kind::OptionRow;
use crate::questions;
use crate::session::{NamedItem, Session, library};
use crate::syntax::token::{COORDINATE_TYPES, RUN_CLAUSES, STATEMENT_WORDS, TYPE_WORDS};

/// The names that may be completed.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    pub names: Vec<NamedItem>,
    pub questions: Vec<NamedItem>,
}

impl Vocabulary {
    pub fn of(session: &Session) -> Vocabulary {
        Vocabulary { names: session.list(), questions: session.questions() }
    }

    /// Everything that may stand where `word` begins, sorted; `before` is the statement up to there.
    pub fn candidates(&self, before: &str, word: &str) -> Vec<String> {
        let mut found: Vec<String> = vec![];
        match place(before) {
            Some(Place::Library) => found.extend(library::FILES.iter().map(|(name, _)| name.to_string())),
            Some(Place::Method) => found.extend(METHODS.iter().map(|m| m.name.to_string())),
            Some(Place::Clause) => found.extend(RUN_CLAUSES.iter().map(|(word, _)| format!("{word} "))),
            Some(Place::Promise) => found.extend(TYPE_WORDS.iter().map(|word| format!("{word} "))),
            Some(Place::CoordinateType) => found.extend(COORDINATE_TYPES.iter().map(|word| word.to_string())),
            Some(Place::Part(of)) => found.extend(self.parts_of(of)),
            None => {
                for item in &self.names {
                    found.push(item.name.clone());
                    if item.is_coordinate() {
                        found.push(format!("{}'", item.name));
                        found.push(format!("{}''", item.name));
                    }
                }
                found.extend(self.questions.iter().map(|q| format!("{}(", q.name)));
                found.extend(options_of(before).map(|o| format!("{} = ", o.name)));
                if before.trim().is_empty() {
                    found.extend(statement_words().map(|w| format!("{w} ")));
                }
            }
        }
        fitting(found, word)
    }

    /// What may follow the dot after this text: parts of the question asked there, or of the declared answer.
    fn parts_of(&self, of: &str) -> Vec<String> {
        let asked = match of.strip_suffix(')') {
            Some(inside) => open_bracket(inside).map(|i| &inside[word_start(inside, i)..i]),
            None => {
                let name = &of[word_start(of, of.len())..];
                self.names.iter().find(|item| item.name == name).map(|item| item.type_name.as_str())
            }
        };
        match asked {
            Some("run") => RUN_PARTS.iter().map(|part| part.to_string()).collect(),
            Some(name) => {
                let row = questions::find(&name.replace(' ', "_"));
                row.into_iter().flat_map(|row| row.parts).map(|part| part.name.to_string()).collect()
            }
            None => vec![],
        }
    }

    /// The signature of the question whose arguments are being written.
    pub fn signature(&self, line: &str) -> Option<&str> {
        let name = line.strip_suffix('(')?;
        let start = word_start(name, name.len());
        self.questions.iter().find(|q| q.name == name[start..]).map(|q| q.type_name.as_str())
    }
}

/// Those that begin like `word`, sorted.
pub fn fitting(mut found: Vec<String>, word: &str) -> Vec<String> {
    found.retain(|c| c.starts_with(word) && c != word);
    found.sort();
    found.dedup();
    found
}

/// Words that may begin a statement.
pub fn statement_words() -> impl Iterator<Item = &'static str> {
    ["assert", "assume", "let", "param"].into_iter().chain(STATEMENT_WORDS.iter().map(|(word, _)| *word))
}

/// A place in a line where only words of one kind may stand.
enum Place<'a> {
    /// After `use std.`.
    Library,
    /// After `method`.
    Method,
    /// At the beginning of an entry of a run.
    Clause,
    /// After the colon of a form or field.
    Promise,
    /// After the colon of a coordinate.
    CoordinateType,
    /// After a dot, with what stands before it.
    Part(&'a str),
}

/// The parts that every run has; its columns come with it.
const RUN_PARTS: &[&str] = &["end", "events", "first", "last", "message", "method", "steps"];

fn place(before: &str) -> Option<Place<'_>> {
    let statement = before.rsplit(['\n', ';']).next().unwrap_or(before).trim_start();
    if statement.strip_prefix("use").is_some_and(|rest| rest.trim() == "std.") {
        return Some(Place::Library);
    }
    let words = before.trim_end();
    if words.ends_with("method") && before.ends_with(char::is_whitespace) && in_a_run(before) {
        return Some(Place::Method);
    }
    // An entry begins after the brace, a semicolon or on a line of its own.
    let begins = words.ends_with(['{', ';']) || before.trim_end_matches([' ', '\t']).ends_with('\n');
    if begins && in_a_run(words) {
        return Some(Place::Clause);
    }
    if words.ends_with(':') && !statement.starts_with(':') {
        let declares = |word: &str| before.trim_start().starts_with(word);
        return match before.rfind('{') {
            None if declares("form ") || declares("field ") => Some(Place::Promise),
            Some(_) if declares("manifold ") => Some(Place::CoordinateType),
            _ => None,
        };
    }
    before
        .strip_suffix('.')
        .filter(|of| of.ends_with(|c: char| c.is_alphanumeric() || c == ')' || c == '_'))
        .map(Place::Part)
}

/// Whether the innermost open brace is that of a run.
fn in_a_run(before: &str) -> bool {
    last_open(before, '{', '}').is_some_and(|i| before[..i].split_whitespace().any(|word| word == "simulate"))
}

/// The bracket that is open at the end of this text.
fn open_bracket(before: &str) -> Option<usize> {
    last_open(before, '(', ')')
}

fn last_open(before: &str, opens: char, closes: char) -> Option<usize> {
    let mut depth = 0;
    let open = before.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == closes) - i32::from(*c == opens);
        depth < 0
    });
    open.map(|(i, _)| i)
}

/// The options of the question whose arguments are being written.
fn options_of(before: &str) -> impl Iterator<Item = &'static OptionRow> {
    let name = open_bracket(before).map_or("", |i| &before[word_start(before, i)..i]);
    questions::find(name).into_iter().flat_map(|row| row.options)
}

/// Where the word before `pos` begins: a name with its primes, or a command with its colon.
pub fn word_start(line: &str, pos: usize) -> usize {
    let before = &line[..pos];
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || ('\u{300}'..='\u{36f}').contains(&c);
    let start = before.char_indices().rev().take_while(|(_, c)| word(*c)).last().map_or(pos, |(i, _)| i);
    if before[..start].trim() == ":" { start - 1 } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Mode, SessionOptions};

    /// What is offered at the end of a line.
    fn offered(line: &str) -> Vec<String> {
        let mut session = Session::new(SessionOptions::default());
        session.feed(
            "input",
            "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet D = dynamics(L)",
            Mode::File,
        );
        let start = word_start(line, line.len());
        Vocabulary::of(&session).candidates(&line[..start], &line[start..])
    }

    #[test]
    fn completion_knows_its_place() {
        assert_eq!(offered("classify(L).re"), ["regular"]);
        assert_eq!(offered("D.comp"), ["complete"]);
        assert_eq!(offered("use std.sp"), ["springs"]);
        assert_eq!(offered("simulate L { me"), ["method "]);
        assert_eq!(offered("simulate L { from x = 1; unt"), ["until "]);
        assert_eq!(offered("let r = simulate L {\n  from x = 1\n  unt"), ["until "]);
        assert_eq!(offered("simulate L { method dop"), ["dop853"]);
        assert_eq!(offered("manifold M over t { q : an"), ["angle"]);
        assert_eq!(offered("form a : cont"), ["contact "]);
        assert_eq!(offered("hessi"), ["hessian("]);
    }

    #[test]
    fn options_of_the_open_question_are_offered() {
        let offered = |line: &str| super::options_of(line).map(|o| o.name).collect::<Vec<_>>();
        assert_eq!(offered("let p = momenta(L, "), ["gauge", "names"]);
        assert_eq!(offered("momenta(pullback(f, L), "), ["gauge", "names"]);
        assert!(offered("momenta(L)").is_empty() && offered("x + (").is_empty());
    }
}
