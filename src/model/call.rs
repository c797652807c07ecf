//! What is wrong with a question before it is asked. A row says what the question takes; [`check_call`] compares it with
//! what is known of the arguments and computes nothing, so that the checker, which knows kinds, and the evaluator, which
//! knows values, say the same in the same words: a wrong number of arguments, an argument that cannot be meant, an unknown
//! option. [`unknown_part`] and [`unknown_word`] are the same for `A.part` and `A is word`.

use super::kind::{self, ANY, FORM, FUNCTION, Gives, Kinds, LABEL, OptionRow, SYSTEM, VERDICT, with_article};
use super::operate::describe;
use super::question::Question;
use super::term::{Term, TermKind};
use super::value::Value;
use crate::diagnostic::{Diagnostic, Goes, Repair, codes, suggest};
use crate::source::Span;
use std::fmt;
use std::rc::Rc;

/// What is known of an expression that is not computed.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    pub kinds: Kinds,
    /// Of a form: `closed`, `horizontal`, `contact`, …; empty if nothing follows.
    pub word: &'static str,
    /// Of a form, where it follows from what is written.
    pub degree: Option<Degree>,
    /// The question whose answer it is.
    pub question: Option<&'static Question>,
    /// Of a label: the words it may be.
    pub labels: &'static [&'static str],
}

/// constant + Σ deg(parameter): the parameters of a function of the language have no degree yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Degree {
    pub constant: i64,
    pub of: Vec<Rc<str>>,
}

impl Shape {
    pub const UNKNOWN: Shape = Shape::new(ANY);

    pub const fn new(kinds: Kinds) -> Shape {
        Shape { kinds, word: "", degree: None, question: None, labels: &[] }
    }

    /// A form; of degree 0 it is a function.
    pub fn form(word: &'static str, degree: Degree) -> Shape {
        match degree {
            Degree { constant: 0, of } if of.is_empty() => Shape::new(FUNCTION),
            degree => Shape { word, degree: Some(degree), ..Shape::new(FORM) },
        }
    }

    /// The degree of what is a form or a function.
    pub fn known_degree(&self) -> Option<Degree> {
        if self.kinds.within(FUNCTION) { Some(Degree::default()) } else { self.degree.clone() }
    }

    /// What the answer to a question is, from what is known of its arguments.
    pub fn of_answer(question: &'static Question, given: &[Shape]) -> Shape {
        let argument = |i: usize| given.get(i).cloned().unwrap_or(Shape::UNKNOWN);
        let main = match question.gives {
            Gives::Kinds(kinds) => Shape::new(kinds),
            Gives::Parts => Shape::new(kind::ANSWER),
            Gives::Degree(word, degree) => Shape::form(word, Degree { constant: degree.into(), of: vec![] }),
            Gives::Form(word, i, by) => match argument(i).known_degree() {
                Some(d) => Shape::form(word, Degree { constant: d.constant + i64::from(by), ..d }),
                None if argument(i).kinds.within(FORM.or(FUNCTION)) => Shape::new(FORM.or(FUNCTION)),
                None => Shape::UNKNOWN,
            },
            Gives::Accelerations => Shape::new(kind::FIELD),
            Gives::Motion | Gives::Variation => Shape::new(kind::FAMILY),
            Gives::Like(i) | Gives::Carried(i) => argument(i).like(),
        };
        Shape { question: Some(question), ..main }
    }

    /// Something of the same kind with other contents.
    pub fn like(self) -> Shape {
        let mut kinds = self.kinds;
        if kinds.meets(FUNCTION) {
            kinds = kinds.or(FUNCTION);
        }
        if kinds.meets(SYSTEM) {
            kinds = kinds.or(FUNCTION).or(FORM);
        }
        Shape { kinds, degree: self.degree, ..Shape::UNKNOWN }
    }

    /// The part of that name.
    pub fn part(&self, name: &str) -> Shape {
        match self.question.and_then(|q| q.part(name)) {
            Some(part) => Shape { labels: part.words, ..Shape::new(part.kinds) },
            None => Shape::new(self.kinds.own_part(name)),
        }
    }

    /// "a 1-form", "a vector field": for messages.
    pub fn describe(&self) -> String {
        with_article(&self.to_string())
    }
}

/// As `:type` shows what a function of the language gives.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(degree) = self.degree.as_ref().filter(|_| self.kinds == FORM) else {
            return self.kinds.fmt(f);
        };
        if !self.word.is_empty() {
            write!(f, "{} ", self.word)?;
        }
        if degree.of.is_empty() {
            return write!(f, "{}-form", degree.constant);
        }
        let terms: Vec<String> = degree.of.iter().map(|p| format!("deg({p})")).collect();
        write!(f, "form of degree {}", terms.join(" + "))?;
        match degree.constant {
            0 => Ok(()),
            n if n > 0 => write!(f, " + {n}"),
            n => write!(f, " - {}", -n),
        }
    }
}

/// An argument, or the value of an option: what is known of it.
pub struct Given<'a> {
    pub kinds: Kinds,
    pub degree: Option<i64>,
    pub what: What<'a>,
    pub span: Span,
}

/// What is given, as far as it is known. Most arguments are right, and nothing is said of them.
pub enum What<'a> {
    Term(&'a Term),
    Value(&'a Value),
    Made(Value),
}

impl<'a> Given<'a> {
    /// A term as an argument.
    pub fn term(term: &'a Term) -> Given<'a> {
        let degree = term.shape.degree.as_ref().filter(|d| d.of.is_empty()).map(|d| d.constant);
        Given { kinds: term.shape.kinds, degree, what: What::Term(term), span: term.span }
    }

    /// A value as an argument.
    pub fn value(value: &'a Value, span: Span) -> Given<'a> {
        Given { kinds: Kinds::of_value(value), degree: degree_of(value), what: What::Value(value), span }
    }

    /// What an argument turned out to be.
    pub fn made(value: Value, span: Span) -> Given<'a> {
        Given { kinds: Kinds::of_value(&value), degree: degree_of(&value), what: What::Made(value), span }
    }

    /// How it is called in a message.
    pub fn described(&self) -> String {
        match &self.what {
            What::Term(Term { kind: TermKind::Number(n), .. }) => format!("the number {n}"),
            What::Term(Term { kind: TermKind::Declared(d), .. }) if !matches!(d.value.meant(), Value::Expr(_)) => {
                describe(d.value.meant())
            }
            What::Term(term) => term.shape.describe(),
            What::Value(value) => describe(value.meant()),
            What::Made(value) => describe(value.meant()),
        }
    }
}

fn degree_of(value: &Value) -> Option<i64> {
    match value.meant() {
        Value::Form(form) => Some(form.degree() as i64),
        _ => None,
    }
}

/// A question as it is written.
pub struct Call<'a> {
    /// `p3` is `contact_part` under another name, with one argument less.
    pub name: String,
    pub name_span: Span,
    pub positional: Vec<Given<'a>>,
    /// Name, its place, value.
    pub options: Vec<(String, Span, Given<'a>)>,
}

/// Everything that is wrong with a call, without computing: the number of its arguments, an argument whose kind cannot be
/// meant, an unknown option. Nothing is said of what is not known.
pub fn check_call(row: &Question, call: &Call) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> =
        check_count(row, &call.name, call.name_span, call.positional.len()).into_iter().collect();
    if found.is_empty() {
        let places = call.positional.iter().enumerate();
        found.extend(places.filter_map(|(i, given)| {
            let wanted = kind::parameter(row.parameters, i)?.kinds;
            let d = wrong_kind(wanted, given)?;
            let alternatives = wanted.has_alternatives() || given.kinds.has_alternatives();
            Some(match d.helps.is_empty() && alternatives {
                true => d.help(format!("it is written `{}`", row.signature())),
                false => d,
            })
        }));
    }
    for (i, (name, span, given)) in call.options.iter().enumerate() {
        if let Some((_, first, _)) = call.options[..i].iter().find(|(known, _, _)| known == name) {
            let twice = Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is given twice"));
            found.push(twice.label(*span, "again").label(*first, "given first"));
            continue;
        }
        found.extend(match row.option(name) {
            Some(option) if fits(option.kinds, given) => None,
            Some(option) => Some(wrong_option(option, given)),
            None => Some(unknown_option(row, &call.name, name, *span)),
        });
    }
    found
}

/// The number of arguments alone.
pub fn check_count(row: &Question, name: &str, span: Span, n: usize) -> Option<Diagnostic> {
    let (least, most) = kind::arity(row.parameters);
    // p3(η) brings its number with it.
    let (least, most) = if name == row.name { (least, most) } else { (least - 1, most.map(|m| m - 1)) };
    if n >= least && most.is_none_or(|most| n <= most) {
        return None;
    }
    let wanted = match most {
        Some(most) if most == least => least.to_string(),
        Some(most) => format!("{least} to {most}"),
        None => format!("at least {least}"),
    };
    Some(wrong_count(row, name, span, &wanted, n))
}

pub fn wrong_count(row: &Question, name: &str, span: Span, wanted: &str, n: usize) -> Diagnostic {
    let plural = if wanted.ends_with(" 1") || wanted == "1" { "" } else { "s" };
    let title = format!("`{name}` takes {wanted} argument{plural}, not {n}");
    Diagnostic::error(&codes::WRONG_ARGUMENTS, title)
        .label(span, "asked here")
        .help(format!("it is written `{}`", row.signature()))
}

/// An argument that cannot be what a place takes.
pub fn wrong_kind(wanted: Kinds, given: &Given) -> Option<Diagnostic> {
    if fits(wanted, given) { None } else { Some(needed(wanted, &given.described(), given.span)) }
}

/// Whether an argument may be what a place takes.
pub fn fits(wanted: Kinds, given: &Given) -> bool {
    let mut taken = wanted.taken();
    // Only of degree 0 is a form a function, and only a 2-form is a system.
    let stands_in = !wanted.meets(FORM) && taken.meets(FORM);
    if stands_in && given.degree.is_some_and(|d| d != 0 && !(d == 2 && wanted.meets(SYSTEM))) {
        taken = taken.without(FORM);
    }
    given.kinds.meets(taken)
}

fn wrong_option(option: &OptionRow, given: &Given) -> Diagnostic {
    let (wanted, found) = (with_article(&option.kinds.to_string()), given.described());
    let d = Diagnostic::error(&codes::WRONG_KIND, format!("`{}` takes {wanted}, not {found}", option.name))
        .label(given.span, format!("this is {found}"))
        .help(format!("`{} = {}`: {}", option.name, option.letter, option.meaning));
    match option.kinds.written() {
        Some(help) => d.help(help),
        None => d,
    }
}

/// A place that takes something else.
pub fn needed(wanted: Kinds, found: &str, span: Span) -> Diagnostic {
    let wanted_name = with_article(&wanted.to_string());
    let d = Diagnostic::error(&codes::WRONG_KIND, format!("{wanted_name} is needed here, not {found}"))
        .wanting(wanted.wanted())
        .label(span, format!("this is {found}"));
    match wanted.written() {
        Some(help) => d.help(help),
        None => d,
    }
}

pub fn unknown_option(row: &Question, written: &str, name: &str, span: Span) -> Diagnostic {
    let d = Diagnostic::error(&codes::NO_EFFECT, format!("`{written}` has no option `{name}`"))
        .label(span, "not an option of this question");
    let names: Vec<&str> = row.options.iter().map(|o| o.name).collect();
    match suggest::nearest(name, names.iter().copied()) {
        Some(near) => d.repair(format!("did you mean `{near}`?"), span, near),
        None if names.is_empty() => d.help(format!("`{written}` takes no options")),
        None => d.help(format!("its options are {}", names.join(", "))),
    }
}

/// `A.name` of something that has no such part, where its parts are known; entries by coordinate are not known here.
pub fn unknown_part(shape: &Shape, name: &str, span: Span) -> Option<Diagnostic> {
    let natural = match shape.question {
        Some(row) if row.gives == Gives::Parts => vec![],
        _ => shape.kinds.natural_parts()?,
    };
    let own = shape.question.map_or(&[][..], |row| row.parts);
    if natural.contains(&name) || own.iter().any(|p| p.name == name) {
        return None;
    }
    let mut names: Vec<&str> = own.iter().map(|p| p.name).collect();
    names.extend(natural.into_iter().filter(|n| own.iter().all(|p| p.name != *n)));
    let subject = match shape.question {
        Some(row) => format!("the answer to `{}`", row.name),
        None => shape.describe(),
    };
    let d = no_part(&subject, name, &names);
    let derivative = names.iter().copied().find(|n| n.trim_end_matches('\'') == name);
    Some(match derivative.or_else(|| suggest::nearest(name, names.iter().copied())) {
        Some(near) => Diagnostic { repairs: vec![Repair { span, text: near.to_string(), goes: Goes::Here }], ..d },
        None => d,
    })
}

/// The message of a part that is not there; it has no place yet.
pub fn no_part(subject: &str, name: &str, names: &[&str]) -> Diagnostic {
    let d = Diagnostic::error(&codes::UNKNOWN_PART, format!("{subject} has no part `{name}`"));
    let derivative = names.iter().copied().find(|n| n.trim_end_matches('\'') == name);
    match derivative.or_else(|| suggest::nearest(name, names.iter().copied())) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => d.help("it has no parts"),
        None => d.help(format!("its parts are {}", names.join(", "))),
    }
}

/// `A is word` where nothing that is known of A can be so.
pub fn unknown_word(shape: &Shape, word: &str) -> Option<Diagnostic> {
    let own = shape.question.map_or(&[][..], |row| row.parts);
    let mut words: Vec<&str> = vec![];
    if let Some(row) = shape.question {
        words.extend(row.parts.iter().filter(|p| p.kinds.meets(VERDICT)).map(|p| p.name));
        words.extend(row.part("kind").map_or(&[][..], |p| p.words));
    }
    match shape.question {
        Some(row) if row.gives == Gives::Parts => {}
        _ if !shape.labels.is_empty() && shape.kinds == LABEL => words.extend(shape.labels),
        _ => words.extend(shape.kinds.natural_words()?),
    }
    // A part that is no verdict is refused with what it is.
    if words.contains(&word) || own.iter().any(|p| p.name == word) {
        return None;
    }
    let subject = match shape.question {
        Some(row) => format!("the answer to `{}`", row.name),
        None => shape.describe(),
    };
    Some(no_word(&subject, word, &words))
}

/// The message of a word that cannot be said; it has no place yet.
pub fn no_word(subject: &str, word: &str, words: &[&str]) -> Diagnostic {
    let d = Diagnostic::error(&codes::UNKNOWN_PART, format!("`{word}` cannot be said of {subject}"))
        .note("`is` takes a verdict part of the answer, one of its labels, or yes, no, unknown");
    match suggest::nearest(word, words.iter().copied()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    }
}

#[cfg(test)]
mod tests {
    use super::kind::{COORDINATE, FIELD};
    use super::*;
    use crate::questions::find;

    /// Something of which the kinds are known.
    fn some(kinds: Kinds) -> Term {
        Term { kind: TermKind::Hole, span: Span::default(), outer: Span::default(), shape: Shape::new(kinds) }
    }

    fn titles(name: &str, positional: &[Kinds], options: &[(&str, Kinds)]) -> Vec<String> {
        let arguments: Vec<Term> = positional.iter().map(|k| some(*k)).collect();
        let values: Vec<(&str, Term)> = options.iter().map(|(n, k)| (*n, some(*k))).collect();
        let call = Call {
            name: name.into(),
            name_span: Span::default(),
            positional: arguments.iter().map(Given::term).collect(),
            options: values.iter().map(|(n, t)| (n.to_string(), Span::default(), Given::term(t))).collect(),
        };
        check_call(find(name).unwrap(), &call).into_iter().map(|d| d.title).collect()
    }

    #[test]
    fn a_wrong_number_of_arguments_is_one_mistake() {
        assert_eq!(titles("i", &[FUNCTION, FORM, FUNCTION], &[]), ["`i` takes 2 arguments, not 3"]);
        assert_eq!(titles("union", &[], &[]), ["`union` takes at least 1 argument, not 0"]);
        assert_eq!(titles("dirac", &[SYSTEM; 4], &[]), ["`dirac` takes 1 to 3 arguments, not 4"]);
        assert_eq!(titles("solve", &[ANY; 9], &[]), [""; 0]);
    }

    #[test]
    fn an_argument_that_cannot_be_meant_is_refused_and_an_unknown_one_is_not() {
        assert_eq!(titles("equations", &[FIELD], &[]), ["a system is needed here, not a vector field"]);
        assert_eq!(titles("i", &[COORDINATE, FIELD], &[]).len(), 2, "all mistakes at once");
        for kinds in [ANY, FORM, SYSTEM, FIELD.or(SYSTEM)] {
            assert_eq!(titles("equations", &[kinds], &[]), [""; 0]);
        }
        assert_eq!(titles("i", &[FUNCTION, FORM], &[]), [""; 0], "a function may be zero");
    }

    #[test]
    fn an_option_is_given_once() {
        assert_eq!(
            titles("momenta", &[SYSTEM], &[("gauge", FUNCTION), ("gauge", FUNCTION)]),
            ["`gauge` is given twice"]
        );
    }

    #[test]
    fn an_unknown_option_has_a_suggestion() {
        let call = |name: &str| unknown_option(find("momenta").unwrap(), "momenta", name, Span::default());
        assert_eq!(call("gague").helps, ["did you mean `gauge`?"]);
        assert_eq!(call("zeta").helps, ["its options are gauge, names"]);
        assert_eq!(titles("momenta", &[SYSTEM], &[("gauge", FIELD)]), ["`gauge` takes a function, not a vector field"]);
    }

    #[test]
    fn parts_and_words_are_those_of_the_row() {
        let classify = Shape::of_answer(find("classify").unwrap(), &[]);
        assert!(
            unknown_part(&classify, "regular", Span::default()).is_none()
                && unknown_word(&classify, "singular").is_none()
        );
        assert_eq!(unknown_word(&classify, "regulr").unwrap().helps, ["did you mean `regular`?"]);
        assert_eq!(unknown_part(&classify, "rank_b", Span::default()).unwrap().helps, ["did you mean `rank_B`?"]);
        let dynamics = Shape::of_answer(find("dynamics").unwrap(), &[]);
        assert!(unknown_word(&dynamics, "no_motion").is_none() && unknown_word(&dynamics, "nomotion").is_some());
        let definite = Shape::of_answer(find("hessian").unwrap(), &[]).part("definite");
        assert!(unknown_word(&definite, "positive").is_none() && unknown_word(&definite, "positiv").is_some());
        assert!(
            unknown_part(&Shape::UNKNOWN, "foo", Span::default()).is_none()
                && unknown_word(&Shape::UNKNOWN, "foo").is_none()
        );
    }

    #[test]
    fn degrees_follow_the_calculus() {
        let shape = |name: &str, given: &[Shape]| Shape::of_answer(find(name).unwrap(), given);
        let one = shape("omega", &[]);
        assert_eq!(shape("d", std::slice::from_ref(&one)).to_string(), "closed 2-form");
        assert_eq!(shape("i", &[Shape::new(FIELD), one]).kinds, FUNCTION);
        let eta = Shape::form("", Degree { constant: 0, of: vec!["η".into()] });
        assert_eq!(shape("p1", &[shape("d", &[eta])]).to_string(), "1-contact form of degree deg(η) + 1");
    }
}
