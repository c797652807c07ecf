//! What may be written next. Completion knows declared names, coordinates with their jets, questions and keywords, and where
//! only words of one kind may stand: libraries, methods, clauses of a run, promises, parts after a dot. The session asks it
//! when Tab is pressed, an editor while its user types.

use crate::integrate::method::METHODS;
use crate::model::kind::{FAMILY, Gives, OptionRow, Presence, RUN, SERIES, SYSTEM};
use crate::questions;
use crate::session::{ItemKind, NamedItem, Session, library, plot_settings};
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
        let found = match place(before) {
            Some(place) => self.words_at(place),
            None => self.anything(before),
        };
        fitting(found, word)
    }

    /// The words of one kind.
    fn words_at(&self, place: Place) -> Vec<String> {
        let spaced = |words: &[&str]| words.iter().map(|word| format!("{word} ")).collect();
        match place {
            Place::Library => library::FILES.iter().map(|(name, _)| name.to_string()).collect(),
            Place::Method => METHODS.iter().map(|m| m.name.to_string()).collect(),
            Place::Clause => RUN_CLAUSES.iter().map(|(word, _)| format!("{word} ")).collect(),
            Place::Promise => spaced(TYPE_WORDS),
            Place::CoordinateType => COORDINATE_TYPES.iter().map(|word| word.to_string()).collect(),
            Place::Part(of) => self.parts_of(of),
            Place::Label(of) => self.labels_of(of),
            Place::State(of) => self.states_of(of).into_iter().map(|state| format!("{state} = ")).collect(),
            Place::Parameter => self.named(|item| item.kind == ItemKind::Parameter, " = "),
            Place::Time => self.named(|item| item.kind == ItemKind::Time, " = "),
            Place::System => self.named(is_system, " "),
            Place::Run => self.named(is_table, " "),
            Place::Columns(runs) => {
                let of = |item: &&NamedItem| runs.split([',', ' ']).any(|run| run == item.name);
                // What else is known of a run is no column of it.
                let parts = RUN.own_parts();
                let columns = self.names.iter().filter(of).flat_map(|item| item.members.clone());
                columns
                    .filter(|column| !parts.contains(&&**column))
                    .chain(plot_settings().map(|(name, _)| format!("{name} = ")))
                    .collect()
            }
            Place::Space => {
                let manifolds = self.names.iter().filter(|item| item.kind == ItemKind::Manifold);
                manifolds.flat_map(|m| [m.name.clone(), format!("J1({})", m.name), format!("J2({})", m.name)]).collect()
            }
            Place::Joined => vec!["subject to ".to_string(), "with ".to_string()],
            Place::Nothing => vec![],
        }
    }

    /// The names for which something holds, each with what follows it.
    fn named(&self, holds: impl Fn(&NamedItem) -> bool, then: &str) -> Vec<String> {
        self.names.iter().filter(|item| holds(item)).map(|item| format!("{}{then}", item.name)).collect()
    }

    /// What an expression may begin with, and on an empty line a statement. As an argument only what it takes.
    fn anything(&self, before: &str) -> Vec<String> {
        let options = options_of(before).map(|o| format!("{} = ", o.name));
        match argument(before) {
            Some(None) => return options.collect(),
            Some(Some(kinds)) if kinds == SYSTEM => {
                return self.named(is_system, "").into_iter().chain(options).collect();
            }
            Some(Some(kinds)) if kinds == RUN => return self.named(|item| item.kind == ItemKind::Run, ""),
            _ => {}
        }
        let mut found: Vec<String> = options.collect();
        for item in &self.names {
            found.push(if item.kind == ItemKind::Function { format!("{}(", item.name) } else { item.name.clone() });
            if item.is_coordinate() {
                found.extend([format!("{}'", item.name), format!("{}''", item.name)]);
            }
        }
        found.extend(self.questions.iter().map(|q| format!("{}(", q.name)));
        if before.trim().is_empty() {
            found.extend(statement_words().map(|w| format!("{w} ")));
        }
        found
    }

    /// The coordinates of a system, or of every manifold, with their velocities.
    fn states_of(&self, system: &str) -> Vec<String> {
        let declared = self.item(system).filter(|item| is_system(item));
        let coordinates = match declared {
            Some(item) => item.members.clone(),
            None => self.named(NamedItem::is_coordinate, ""),
        };
        coordinates.iter().flat_map(|c| [c.clone(), format!("{c}'")]).collect()
    }

    fn item(&self, name: &str) -> Option<&NamedItem> {
        self.names.iter().find(|item| item.name == name)
    }

    /// The question that was asked where this text ends, with what it was asked about.
    fn asked<'a>(&'a self, of: &'a str) -> Option<(&'static questions::Question, &'a str)> {
        match of.strip_suffix(')') {
            Some(inside) => {
                let open = open_bracket(inside)?;
                let about = inside[open + 1..].split(',').next().unwrap_or_default();
                Some((questions::find(&inside[word_start(inside, open)..open])?, about.trim()))
            }
            None => {
                let item = self.item(&of[word_start(of, of.len())..])?;
                Some((questions::find(&item.type_name.replace(' ', "_"))?, ""))
            }
        }
    }

    /// What may follow the dot after this text: parts of the question asked there, or of what is declared.
    fn parts_of(&self, of: &str) -> Vec<String> {
        let mut found = match self.item(&of[word_start(of, of.len())..]) {
            Some(item) if !is_system(item) && !of.ends_with(')') => item.members.clone(),
            _ => vec![],
        };
        // `run.E`, a column.
        if let Some((run, column)) = of.rsplit_once('.') {
            let run = self.item(&run[word_start(run, run.len())..]).filter(|item| item.kind == ItemKind::Run);
            let is_column = |run: &NamedItem| run.members.iter().any(|name| name == column);
            if run.is_some_and(|run| is_column(run) && !RUN.own_parts().contains(&column)) {
                return SERIES.own_parts().iter().map(|part| part.to_string()).collect();
            }
        }
        let Some((row, about)) = self.asked(of) else { return found };
        found.extend(row.parts.iter().map(|part| part.name.to_string()));
        let coordinates = self.item(about).map_or(vec![], |item| item.members.clone());
        match row.gives {
            Gives::Kinds(kinds) if kinds == FAMILY => found.extend(coordinates),
            Gives::Motion => found.extend(coordinates.iter().flat_map(|c| [c.clone(), format!("p_{c}")])),
            Gives::Accelerations => found.extend(coordinates.iter().map(|c| format!("{c}''"))),
            _ => {}
        }
        found
    }

    /// What may be said with `is` of the answer asked for here.
    fn labels_of(&self, of: &str) -> Vec<String> {
        let Some((row, _)) = self.asked(of) else { return vec![] };
        let labels = row.part("kind").map_or(&[] as &[&str], |part| part.words).iter().map(|word| word.to_string());
        let verdicts = row.parts.iter().filter(|part| part.kinds == crate::model::kind::VERDICT);
        labels.chain(verdicts.map(|part| part.name.to_string())).collect()
    }

    /// The signature of the question whose arguments are being written.
    pub fn signature(&self, line: &str) -> Option<&str> {
        let name = line.strip_suffix('(')?;
        let start = word_start(name, name.len());
        self.questions.iter().find(|q| q.name == name[start..]).map(|q| q.type_name.as_str())
    }
}

fn is_system(item: &NamedItem) -> bool {
    matches!(item.kind, ItemKind::System(_) | ItemKind::Form)
}

/// Something with columns.
fn is_table(item: &NamedItem) -> bool {
    matches!(item.kind, ItemKind::Run | ItemKind::Sweep)
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
    /// After `is`, with what it is said of.
    Label(&'a str),
    /// In `from`, of this system.
    State(&'a str),
    /// In `set`.
    Parameter,
    /// After `until`.
    Time,
    /// After `simulate`.
    System,
    /// After `plot` and its like.
    Run,
    /// Between the braces of a picture of these runs.
    Columns(&'a str),
    /// After `on`.
    Space,
    /// Behind the system that a new one is made of.
    Joined,
    /// A number is written here.
    Nothing,
}

fn place(before: &str) -> Option<Place<'_>> {
    let statement = before.rsplit(['\n', ';']).next().unwrap_or(before).trim_start();
    if statement.strip_prefix("use").is_some_and(|rest| rest.trim() == "std.") {
        return Some(Place::Library);
    }
    if let Some(of) = before.strip_suffix('.') {
        return of.ends_with(|c: char| c.is_alphanumeric() || ")]_'".contains(c)).then_some(Place::Part(of));
    }
    let words = before.trim_end();
    if let Some(open) = last_open(before, '{', '}')
        && let Some(place) = place_in_braces(before, open)
    {
        return Some(place);
    }
    if words.ends_with(':') && !statement.starts_with(':') {
        let declares = |word: &str| before.trim_start().starts_with(word);
        return match before.rfind('{') {
            None if declares("form ") || declares("field ") => Some(Place::Promise),
            Some(_) if declares("manifold ") => Some(Place::CoordinateType),
            _ => None,
        };
    }
    // The rest is known by the word before it.
    let spaced = before.ends_with(char::is_whitespace);
    let mut last = words.rsplitn(2, char::is_whitespace);
    match (spaced, last.next().unwrap_or_default()) {
        (true, "simulate") => Some(Place::System),
        (true, "on") if STATEMENT_WORDS.iter().any(|(word, _)| statement.starts_with(word)) => Some(Place::Space),
        (true, system) if is_joined(statement) && !["=", "with", "subject", "to", "and"].contains(&system) => {
            Some(Place::Joined)
        }
        (true, "is") => last.next().map(|of| Place::Label(of.trim_end())),
        (true, "plot" | "save" | "animate" | "poincare") if words == statement.trim_end() => Some(Place::Run),
        _ => None,
    }
}

/// `system S = L `
fn is_joined(statement: &str) -> bool {
    statement.starts_with("system ") && statement.split_once('=').is_some_and(|(_, of)| !of.trim().is_empty())
}

/// A place in the entries of a run or of a picture; an entry begins after the brace, a semicolon or on a line of its own.
fn place_in_braces(before: &str, open: usize) -> Option<Place<'_>> {
    let head = before[..open].rsplit(['\n', ';']).next().unwrap_or_default();
    let inside = &before[open + 1..];
    let entry = inside.rsplit([';', '\n']).next().unwrap_or(inside);
    let mut words = head.split_whitespace();
    if let Some(kind) = words.next().filter(|word| ["plot", "poincare", "animate"].contains(word)) {
        let runs = head.trim_start().strip_prefix(kind).unwrap_or_default().trim();
        let begins = entry.trim_end().ends_with(',') || ["", "against", "plot"].contains(&last_word(entry));
        return begins.then_some(Place::Columns(runs));
    }
    if !head.split_whitespace().any(|word| word == "simulate") {
        return None;
    }
    let clause = entry.split_whitespace().next().unwrap_or_default();
    let begins = entry.trim_end().ends_with(',') || last_word(entry) == clause;
    match clause {
        "" => Some(Place::Clause),
        "from" if begins => Some(Place::State(last_word(head.trim_end()))),
        "set" if begins => Some(Place::Parameter),
        "until" if begins => Some(Place::Time),
        "method" => Some(Place::Method),
        "tolerance" | "step" => Some(Place::Nothing),
        _ => None,
    }
}

fn last_word(text: &str) -> &str {
    text.split_whitespace().last().unwrap_or_default()
}

/// What the row of the open question takes where an argument begins; nothing in it, where all places are filled.
fn argument(before: &str) -> Option<Option<crate::model::kind::Kinds>> {
    let open = open_bracket(before)?;
    let inside = &before[open + 1..];
    let begins = inside.trim().is_empty() || inside.trim_end().ends_with(',');
    let row = questions::find(&before[word_start(before, open)..open]).filter(|_| begins)?;
    let takes_more = row.parameters.iter().any(|p| matches!(p.presence, Presence::Many | Presence::Rest));
    let place = row.parameters.get(inside.matches(',').count());
    (place.is_some() || !takes_more).then(|| place.map(|p| p.kinds))
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
            "manifold Y over t { x, y }\nparam mass = 1\nlagrangian L on J1(Y) = mass*x'^2/2 + y'^2/2\nlet D = dynamics(L)\n\
             let run = simulate L { from x = 1; until t = 1; record x, E = energy(L) every 1 }",
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
    fn completion_knows_what_is_declared() {
        assert_eq!(offered("equations(L)."), ["constraints", "multiplier_form", "order", "x", "y"]);
        assert_eq!(offered("vector_field(L).x"), ["x''"]);
        assert_eq!(offered("run.E"), Vec::<String>::new());
        assert!(offered("run.").contains(&"E".to_string()) && offered("run.").contains(&"message".to_string()));
        assert_eq!(offered("equations("), ["L"]);
        assert_eq!(offered("lyapunov("), ["run"]);
        assert_eq!(offered("momenta(L, "), ["gauge = ", "names = "]);
        assert_eq!(offered("simulate "), ["L "]);
        assert_eq!(offered("let r = simulate L { from "), ["x = ", "x' = ", "y = ", "y' = "]);
        assert_eq!(offered("let r = simulate L { from x = 1, y"), ["y = ", "y' = "]);
        assert_eq!(offered("let r = simulate L { set m"), ["mass = "]);
        assert_eq!(offered("let r = simulate L { until "), ["t = "]);
        assert!(offered("let r = simulate L { tolerance ").is_empty());
        assert_eq!(offered("plot "), ["run "]);
        assert_eq!(offered("run.E."), ["first", "last", "max", "min"]);
        assert!(offered("D.branches[1].").is_empty());
        assert_eq!(offered("system S = L "), ["subject to ", "with "]);
        assert!(offered("plot run { m").is_empty(), "the method is no column");
        assert_eq!(offered("plot run { E"), Vec::<String>::new());
        assert_eq!(offered("plot run { ti"), ["title = "]);
        assert!(offered("plot run { x, ").contains(&"E".to_string()));
        assert_eq!(offered("lagrangian K on J"), ["J1(Y)", "J2(Y)"]);
        assert_eq!(offered("assert classify(L) is re"), ["regular"]);
        assert!(offered("no_such_thing.").is_empty());
    }

    #[test]
    fn options_of_the_open_question_are_offered() {
        let offered = |line: &str| super::options_of(line).map(|o| o.name).collect::<Vec<_>>();
        assert_eq!(offered("let p = momenta(L, "), ["gauge", "names"]);
        assert_eq!(offered("momenta(pullback(f, L), "), ["gauge", "names"]);
        assert!(offered("momenta(L)").is_empty() && offered("x + (").is_empty());
    }
}
