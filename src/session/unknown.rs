//! Names that nothing declares: what was probably meant, in the words of this language or of another one.

use super::declare::declared_names;
use super::resolve::{Resolver, Wants, coordinate_of};
use super::scope::{Binding, Meaning};
use crate::algebra::function::Elementary;
use crate::diagnostic::elsewhere::{self, Ours, Use};
use crate::diagnostic::{Diagnostic, Goes, codes, suggest};
use crate::geometry::jet::FiberedManifold;
use crate::model::kind::{Kinds, RUN, SYSTEM, VERDICT};
use crate::model::value::Value;
use crate::questions;
use crate::source::Span;
use crate::syntax::ast::Statement;
use crate::syntax::usage;

impl Resolver<'_> {
    /// A name of a value with its primes. Dots over a letter are primes, too: then the name is longer than its letters, and what
    /// is offered stands for all of it.
    pub fn unknown_with(&self, text: &str, primes: u32, span: Span) -> Diagnostic {
        let letters = Span { end: span.start + text.len() as u32, ..span };
        let mut diagnostic = self.unknown(text, span);
        if span.end - span.start != text.len() as u32 + primes {
            for repair in diagnostic.repairs.iter_mut().filter(|repair| repair.span == letters) {
                repair.span = span;
                repair.text += &"'".repeat(primes as usize);
            }
        }
        diagnostic
    }

    /// A name of a value.
    pub fn unknown(&self, text: &str, span: Span) -> Diagnostic {
        let mut names: Vec<&str> = self.scope.value_names().collect();
        names.extend(self.locals.iter().map(|(n, _)| &**n));
        let owned: Vec<String> = self.on.iter().flat_map(|m| m.fibres().iter().map(|f| f.coordinate.name())).collect();
        names.extend(owned.iter().map(String::as_str));
        let diagnostic =
            Diagnostic::error(&codes::UNKNOWN_NAME, format!("the name `{text}` is not declared")).about(text);
        if let Some((base, dots)) = suggest::dotted(text)
            && names.contains(&base)
        {
            let primed = format!("{base}{}", "'".repeat(dots));
            return diagnostic.label(span, "not known here").repair(
                format!("derivatives are written with primes: `{primed}`"),
                span,
                primed,
            );
        }
        let spelled = suggest::rates(text).find(|(base, _)| {
            self.is_coordinate(base) || self.on.as_ref().is_some_and(|m| coordinate_of(m, base).is_some())
        });
        if let Some((base, dots)) = spelled.filter(|_| self.wants != Wants::Direction) {
            let word = Span { end: span.start + text.len() as u32, ..span };
            let primed = format!("{base}{}", "'".repeat(dots));
            let help = format!("derivatives are written with primes: `{primed}`");
            return diagnostic.label(span, "not known here").repair(help, word, primed);
        }
        if let Some((family, number)) = self.member(text) {
            let word = Span { end: span.start + text.len() as u32, ..span };
            let member = format!("{family}[{number}]");
            let help = format!("a member of the family is written `{member}`");
            return diagnostic.label(span, "not known here").repair(help, word, member);
        }
        if text == "_" {
            let title = "there is no answer yet that `_` could stand for".to_string();
            return Diagnostic { title, ..diagnostic }
                .label(span, "the last answer")
                .help("ask something first: `1 + 1`");
        }
        if let Some(d) = self.unknown_in_its_place(&diagnostic, text, span) {
            return d;
        }
        if let Some(ours) = elsewhere::ours(Use::Value, text) {
            return foreign(diagnostic.label(span, "not known here"), ours, text, span);
        }
        if let Some(product) = self.product_of_names(text).filter(|_| self.wants != Wants::Direction) {
            let word = Span { end: span.start + text.len() as u32, ..span };
            let help = format!("a product needs its signs: `{product}`");
            return diagnostic.label(span, "not known here").repair(help, word, product);
        }
        let word = Span { end: span.start + text.len() as u32, ..span };
        // `dw` of a form w
        if let Some(of) = text.strip_prefix('d').filter(|of| self.is_form(of)) {
            let written = format!("d({of})");
            return diagnostic.label(span, "not known here").repair(format!("write `{written}`"), word, written);
        }
        // `partial_x` and `d_x`
        let of = ["partial_", "del_", "d_", "D_"].iter().find_map(|prefix| text.strip_prefix(prefix));
        if let Some(x) = of.filter(|of| self.scope.manifolds.iter().any(|m| coordinate_of(m, of).is_some())) {
            let help = format!("the field ∂/∂{x} is `@{x}`");
            return diagnostic.label(span, "not known here").repair(help, word, format!("@{x}"));
        }
        if let Some(near) = suggest::nearest(text, names.iter().copied()) {
            let length = text.len().min(span.end.saturating_sub(span.start) as usize);
            let word = Span { end: span.start + length as u32, ..span };
            return diagnostic.label(span, "not known here").repair(format!("did you mean `{near}`?"), word, near);
        }
        if let Some(of) = text.strip_prefix('d').filter(|of| !of.is_empty() && !self.scope.manifolds.is_empty()) {
            let list: Vec<String> =
                self.scope.manifolds.iter().flat_map(|m| m.own_coordinates().iter().map(|c| c.name())).collect();
            return diagnostic.label(span, format!("no manifold has a coordinate `{of}`")).help(format!(
                "differentials are those of {}; a parameter is declared with `param {text}`",
                list.join(", ")
            ));
        }
        let is_space = text.strip_prefix('J').is_some_and(|order| order.parse::<u32>().is_ok());
        let is_built_in = questions::find(text).is_some()
            || is_space
            || Elementary::find(text).is_some()
            || usage::LIKE_FUNCTIONS.contains(&text);
        if self.scope.functions.contains_key(text) || is_built_in {
            let title = format!("`{text}` is a function and needs its arguments");
            return Diagnostic { title, ..diagnostic }
                .label(span, "not a value")
                .help(format!("write `{text}(…)`, or declare a value of this name"));
        }
        let diagnostic = diagnostic.label(span, "not known here");
        if self.energies.contains(&span)
            && let Some(formula) = self.energy_like(text)
        {
            let declared = format!("let {text} = {formula}");
            let help = format!("a part of the Lagrangian has its formula before it, for example `{declared}`");
            return diagnostic.repair_at(Goes::LineBefore, help, span, declared);
        }
        if let Some((used, declared)) = self.declared_below(text, span) {
            let whole = Span { end: declared.end, ..used };
            let help = "it is declared below; a name is declared before it is used";
            let places = Goes::Quoting(vec![declared, used]);
            return diagnostic.label(declared, "declared here").repair_at(places, help, whole, "…\n…");
        }
        // Who asks for a name alone wants to see it; nobody asks for a parameter that is not there.
        if self.is_whole_question(span) {
            return diagnostic.help("`:list` shows the names that are declared, `:help questions` what can be asked");
        }
        // `Cos`, and words of a system that nobody listed.
        let small = text.to_lowercase();
        if small != text && Elementary::find(&small).is_some() {
            return diagnostic.help(format!("functions are written small, with round brackets: `{small}(x)`"));
        }
        if is_word_of_a_system(text) {
            return diagnostic.help(format!(
                "`:help questions` lists what can be asked; a number of this name is declared: `param {text}`"
            ));
        }
        let help = format!("declare it: `param {text}`, or as a coordinate of the manifold");
        match text.starts_with('_') {
            true => diagnostic.help(help),
            false => diagnostic.repair_at(Goes::LineBefore, help, span, format!("param {text}")).declaring(),
        }
    }

    fn is_form(&self, name: &str) -> bool {
        match self.scope.values.get(name).map(|b| &b.meaning) {
            Some(Meaning::Value(value)) => matches!(value.meant(), Value::Form(_)),
            _ => false,
        }
    }

    /// From the statement around this place to the last one before that which declares this name, and that one.
    fn declared_below(&self, text: &str, span: Span) -> Option<(Span, Span)> {
        let statements = || self.ast.statements.iter();
        let used =
            statements().find(|s| s.span.source == span.source && s.span.range().contains(&(span.start as usize)))?;
        let declares = |s: &&Statement| declared_names(s).into_iter().any(|word| *word == *text);
        let declared = statements().filter(|s| s.span.start > span.start).find(declares)?;
        let last = statements().rfind(|s| s.span.end <= declared.span.start)?;
        Some((Span { end: last.span.end, ..used.span }, declared.span))
    }

    /// A formula for a term of a Lagrangian by the letter that it usually has: a kinetic or a potential energy.
    fn energy_like(&self, text: &str) -> Option<String> {
        let manifold = self.on.as_ref()?;
        let mark = if text.starts_with(['T', 'K', 'E', 'k']) { "'" } else { "" };
        let square = |name: String| format!("{name}{mark}^2");
        let squares: Vec<String> = manifold.fibres().iter().map(|f| square(f.coordinate.name())).collect();
        match squares.as_slice() {
            [] => None,
            [one] => Some(format!("{one}/2")),
            many => Some(format!("({})/2", many.join(" + "))),
        }
    }

    /// A name of a function.
    pub fn unknown_function(&self, text: &str, span: Span) -> Diagnostic {
        let mut names: Vec<&str> = self.scope.function_names().collect();
        let built_in = questions::names().chain(Elementary::all().map(Elementary::name));
        let without_index = usage::LIKE_FUNCTIONS.into_iter().filter(|name| !usage::WITH_AN_INDEX.contains(name));
        for name in built_in.chain(without_index) {
            names.push(name);
        }
        let diagnostic =
            Diagnostic::error(&codes::UNKNOWN_NAME, format!("the function `{text}` is not declared")).about(text);
        if usage::WITH_AN_INDEX.contains(&text) {
            let range = if text == "integral" { "u in 0..1" } else { "i in 1..n" };
            return Diagnostic { title: format!("`{text}` needs an index and its range"), ..diagnostic }
                .label(span, "over what?")
                .help(format!("write `{text}({range}, …)`"));
        }
        if let Some(ours) = elsewhere::ours(Use::Function, text) {
            return foreign(diagnostic.label(span, "not known here"), ours, text, span);
        }
        let elsewhere = Elementary::called_elsewhere(text).map(Elementary::name);
        let of_words = suggest::of_these_words(text, names.iter().copied());
        let alone = if let [one] = of_words.as_slice() { Some(*one) } else { None };
        match elsewhere.or_else(|| suggest::nearest(text, names)).or(alone) {
            Some(near) => {
                let word = Span { end: span.start + text.len() as u32, ..span };
                diagnostic.label(span, "not known here").repair(format!("did you mean `{near}`?"), word, near)
            }
            None if self.scope.values.contains_key(text)
                || self.on.as_ref().is_some_and(|m| coordinate_of(m, text).is_some()) =>
            {
                let diagnostic = diagnostic.label(span, "a value, not a function");
                let is_coordinate =
                    matches!(self.scope.values.get(text).map(|b| &b.meaning), None | Some(Meaning::Coordinate(_)));
                match is_coordinate {
                    true => diagnostic.help(format!(
                        "a product is written `{text}*(…)`, an initial value `from {text} = 1`, a value in a run `run at {{ t = 3 }}`"
                    )),
                    false => {
                        let behind = Span { start: span.start + text.len() as u32, end: span.start + text.len() as u32, ..span };
                        diagnostic.repair(format!("a product needs its sign: `{text}*(…)`"), behind, "*")
                    }
                }
            }
            None if !of_words.is_empty() => {
                let list = of_words.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                diagnostic.label(span, "not known here").help(format!("there are {list}"))
            }
            None if let Some((used, declared)) = self.declared_below(text, span) => {
                let whole = Span { end: declared.end, ..used };
                let help = "it is declared below; a name is declared before it is used";
                let places = Goes::Quoting(vec![declared, used]);
                let d = diagnostic.label(span, "not known here").label(declared, "declared here");
                d.repair_at(places, help, whole, "…\n…")
            }
            None => diagnostic.label(span, "not known here").help(format!(
                "a function is declared before: `let {text}(u) = u^2`; `:help questions` lists what can be asked"
            )),
        }
    }
}

impl Resolver<'_> {
    /// The only value of its kind that is declared, by its name: what was meant where none is named.
    pub fn only(&self, is_one: impl Fn(&Value) -> bool) -> Option<String> {
        let fits = |b: &Binding| matches!(&b.meaning, Meaning::Value(value) if is_one(value));
        let mut found = self.scope.values.iter().filter(|(_, binding)| fits(binding));
        match (found.next(), found.next()) {
            (Some((name, _)), None) => Some(name.clone()),
            _ => None,
        }
    }

    /// Whether this is the name of a run, made or still to be made.
    pub fn is_run(&self, name: &str) -> bool {
        self.scope.values.get(name).is_some_and(means_a_run)
    }

    /// The names of runs.
    pub fn runs(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.scope.values.iter().filter(|(_, b)| means_a_run(b)).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// A first run of the only system, under this name.
    pub fn first_run(&self, name: &str) -> Option<String> {
        let system = self.only(|value| matches!(value, Value::System(_)))?;
        let [manifold] = self.scope.manifolds.as_slice() else { return None };
        let first = manifold.fibres().first()?.coordinate.name();
        Some(format!("let {name} = simulate {system} {{ from {first} = 1; until {} = 10 }}", manifold.base()))
    }

    /// A name where a run is drawn or saved.
    fn unknown_run(&self, d: Diagnostic, text: &str, span: Span) -> Diagnostic {
        let runs = self.runs();
        match (suggest::nearest(text, runs.iter().copied()), runs.as_slice(), self.first_run(text)) {
            (Some(near), _, _) | (None, &[near], _) => d.repair(format!("did you mean the run `{near}`?"), span, near),
            (_, [], Some(run)) => {
                let help = format!("make the run first: `{run}`");
                d.repair_at(Goes::BelowDeclaration(run), help, span, "…")
            }
            (_, [], None) => d.help(format!("make the run first: `let {text} = simulate L {{ … }}`")),
            _ => d.note(format!("the runs are {}", runs.join(", "))),
        }
    }

    /// A name where a system is asked about or run.
    fn unknown_system(&self, d: Diagnostic, text: &str, span: Span) -> Option<Diagnostic> {
        let is_system = |b: &Binding| match &b.meaning {
            Meaning::Value(value) => matches!(value, Value::System(_)),
            Meaning::Unmade(unmade) => unmade.shape.kinds == SYSTEM,
            _ => false,
        };
        let mut names: Vec<&str> =
            self.scope.values.iter().filter(|(_, b)| is_system(b)).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let same = names.iter().copied().find(|name| name.eq_ignore_ascii_case(text));
        match (same.or_else(|| suggest::nearest(text, names.iter().copied())), names.as_slice()) {
            (Some(near), _) | (None, &[near]) => {
                Some(d.repair(format!("did you mean the system `{near}`?"), span, near))
            }
            (None, []) => None,
            (None, _) => Some(d.note(format!("the systems are {}", names.join(", ")))),
        }
    }

    /// A name where a force or a constraint is put to a system: one of those that are declared, or how one is declared.
    fn unknown_part_of_system(&self, d: Diagnostic, text: &str, span: Span) -> Option<Diagnostic> {
        let is_force = self.wants == Wants::Force;
        let fits = |b: &Binding| match &b.meaning {
            Meaning::Value(Value::Force(_)) => is_force,
            Meaning::Value(Value::Constraint(_)) => !is_force,
            _ => false,
        };
        let names = self.scope.values.iter().filter(|(_, b)| fits(b)).map(|(name, _)| name.as_str());
        if let Some(near) = suggest::nearest(text, names) {
            return Some(d.repair(format!("did you mean `{near}`?"), span, near));
        }
        let [manifold] = self.scope.manifolds.as_slice() else { return None };
        let x = manifold.fibres().first()?.coordinate.name();
        Some(match is_force {
            true => {
                let declared = format!("force {text} on {} {{ {x}: -{x}' }}", manifold.jets(1));
                let help = format!("a force is declared before it is used, for example `{declared}`");
                d.repair_at(Goes::LineBefore, help, span, declared)
            }
            false => d.help(format!(
                "a constraint is declared before it is used: `constraint {text} on {} {{ {x} = 0 }}`",
                manifold.name()
            )),
        })
    }

    /// `mx` for the product of m and x, if both are declared.
    fn product_of_names(&self, text: &str) -> Option<String> {
        let is_known = |part: &str| {
            let meaning = self.scope.values.get(part).map(|b| &b.meaning);
            let on = self.on.as_ref().is_some_and(|m| coordinate_of(m, part).is_some());
            on || matches!(meaning, Some(Meaning::Parameter(_) | Meaning::Coordinate(_)))
        };
        let cuts: Vec<usize> = text.char_indices().map(|(i, _)| i).filter(|i| *i > 0).collect();
        let two = |from: usize| cuts.iter().copied().filter(move |cut| *cut > from);
        let pair = two(0).map(|cut| text.split_at(cut)).find(|(a, b)| is_known(a) && is_known(b));
        if let Some((a, b)) = pair {
            return Some(format!("{a}*{b}"));
        }
        let triples = two(0).flat_map(|one| two(one).map(move |other| (one, other)));
        let parts = triples.map(|(one, other)| [&text[..one], &text[one..other], &text[other..]]);
        parts.into_iter().find(|parts| parts.iter().all(|part| is_known(part))).map(|parts| parts.join("*"))
    }

    /// `q1` for the first of the family `q`.
    fn member<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let base = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &text[base.len()..];
        let base = base.trim_end_matches('_');
        let is_family = |name: &str| {
            let meaning = self.scope.values.get(name).map(|b| &b.meaning);
            matches!(meaning, Some(Meaning::Value(Value::Indexed(_))))
        };
        (!number.is_empty() && is_family(base)).then_some((base, number))
    }

    /// A question about a system with a verdict of this name, for what is written like one: `regular(L)`, `L.regular`.
    pub fn question_with(name: &str) -> Option<&'static str> {
        let about_one =
            |q: &&questions::Question| matches!(q.parameters, [one] if one.kinds.meets(SYSTEM) && !one.kinds.is_any());
        let says = |q: &&questions::Question| q.part(name).is_some_and(|part| part.kinds.meets(VERDICT));
        // Of several the one that says most.
        let verdicts = |q: &&questions::Question| q.parts.iter().filter(|part| part.kinds == VERDICT).count();
        questions::all().filter(about_one).filter(says).max_by_key(verdicts).map(|q| q.name)
    }

    /// A name in a place that takes a few names only: a parameter of this name would not be taken either.
    fn unknown_in_its_place(&self, d: &Diagnostic, text: &str, span: Span) -> Option<Diagnostic> {
        match self.wants {
            Wants::Anything => return None,
            Wants::Run => return Some(self.unknown_run(d.clone().label(span, "not known here"), text, span)),
            Wants::System => return self.unknown_system(d.clone().label(span, "not known here"), text, span),
            Wants::Force | Wants::Constraint => {
                return self.unknown_part_of_system(d.clone().label(span, "not known here"), text, span);
            }
            _ => {}
        }
        let only = || match self.scope.manifolds.as_slice() {
            [one] => Some(one),
            _ => None,
        };
        let manifold = self.on.as_ref().or_else(only)?;
        let coordinates: Vec<String> = manifold.fibres().iter().map(|f| f.coordinate.name()).collect();
        let word = Span { end: span.start + text.len() as u32, ..span };
        let d = d.clone().label(span, "not known here");
        // `v`, `vx` and `v_x` are velocities elsewhere.
        let of_velocity = match (text.strip_prefix('v'), coordinates.as_slice()) {
            (Some(""), [one]) => Some(one),
            (Some(rest), all) => all.iter().find(|c| *c == rest.trim_start_matches('_')),
            _ => None,
        };
        let of_velocity =
            of_velocity.or_else(|| coordinates.first().filter(|_| ["v", "velocity", "speed"].contains(&text)));
        if let Some(of) = of_velocity.filter(|_| self.wants != Wants::Direction) {
            let primed = format!("{of}'");
            return Some(d.repair(format!("the velocity of `{of}` is written `{primed}`"), word, primed));
        }
        if let Some(near) = suggest::nearest(text, coordinates.iter().map(String::as_str)) {
            return Some(d.repair(format!("did you mean `{near}`?"), word, near));
        }
        let list = coordinates.join(", ");
        let system = || self.only(|value| matches!(value, Value::System(_))).unwrap_or("S".to_string());
        Some(match self.wants {
            Wants::Column if ["E", "energy", "H"].contains(&text) => {
                let column = format!("{text} = energy({})", system());
                d.repair(format!("say what it is: `{column}`"), word, column)
            }
            Wants::Column if ["all", "everything", "state"].contains(&text) => {
                d.repair("every coordinate is recorded by its name", word, list)
            }
            Wants::Column => {
                let column = format!("{text} = {}^2", coordinates.first()?);
                let help = format!("what is recorded is a formula of them and their derivatives: `{column}`");
                d.note(format!("`{}` has the coordinates {list}", manifold.name())).repair(help, word, column)
            }
            Wants::State if self.canonical && momentum_of(text, &coordinates).is_some() => {
                let momentum = momentum_of(text, &coordinates)?;
                let help = format!("the momentum that belongs to a coordinate is written `{momentum}`");
                d.repair(help, word, momentum)
            }
            Wants::State => {
                let first = coordinates.first()?;
                let help = format!("a state is given by its coordinates and their velocities: `{first}`, `{first}'`");
                d.note(format!("`{}` has the coordinates {list}", manifold.name())).repair(help, word, first)
            }
            _ => d.note(format!("`{}` has the coordinates {list}", manifold.name())).help(format!(
                "a new coordinate is declared with them: `manifold {} over {} {{ {list}, {text} }}`",
                manifold.name(),
                manifold.base()
            )),
        })
    }
}

fn means_a_run(binding: &Binding) -> bool {
    match &binding.meaning {
        Meaning::Value(value) => Kinds::of_value(value) == RUN,
        Meaning::Unmade(unmade) => unmade.shape.kinds == RUN,
        _ => false,
    }
}

/// `Assumptions`, `Cos`, `OdeSolve`: symbols of formulas are short, or begin small.
fn is_word_of_a_system(text: &str) -> bool {
    let mut letters = text.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    is_capital
        && text.chars().count() > 4
        && letters.clone().all(char::is_alphabetic)
        && letters.any(char::is_lowercase)
}

/// `p`, `px` and `p1` for the momentum `p_x`.
fn momentum_of(text: &str, coordinates: &[String]) -> Option<String> {
    let of = text.strip_prefix('p')?;
    let by_place = of.parse::<usize>().ok().and_then(|n| coordinates.get(n.checked_sub(1)?));
    let meant = match of {
        "" => coordinates.first(),
        of => coordinates.iter().find(|c| *c == of.trim_start_matches('_')).or(by_place),
    };
    meant.map(|c| format!("p_{c}"))
}

/// What is said of a word of another system.
pub fn foreign(d: Diagnostic, ours: Ours, text: &str, span: Span) -> Diagnostic {
    let word = Span { end: span.start + text.len() as u32, ..span };
    match ours {
        Ours::Word("exp(1)") => {
            let d = d.repair(format!("Euler's number is `exp(1)`, and {text}^x is `exp(x)`"), word, "exp(1)");
            d.help(format!("or declare a parameter: `param {text}`"))
        }
        Ours::Word(here) => d.repair(format!("did you mean `{here}`?"), word, here),
        Ours::Nothing(why) => d.repair(format!("{why}: leave it out"), word, ""),
        Ours::Said(how) | Ours::Call(_, how) => d.help(how),
    }
}

/// A name that is none of the coordinates of a manifold.
pub fn no_coordinate(manifold: &FiberedManifold, name: &str, span: Span) -> Diagnostic {
    let names: Vec<String> = manifold.fibres().iter().map(|f| f.coordinate.name()).collect();
    let diagnostic = Diagnostic::error(
        &codes::UNKNOWN_NAME,
        format!("the manifold `{}` has no coordinate `{name}`", manifold.name()),
    )
    .about(manifold.name());
    match suggest::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => diagnostic.label(span, "not a coordinate").help(format!("did you mean `{near}`?")),
        // `F_x: …`, the component along x.
        None if let Some(of) = name.strip_prefix(['F', 'f', 'Q', 'E']).map(|rest| rest.trim_start_matches('_'))
            && names.iter().any(|n| n == of) =>
        {
            diagnostic.label(span, "not a coordinate").repair(format!("did you mean `{of}`?"), span, of)
        }
        None => diagnostic.label(span, "not a coordinate").note(format!("its coordinates are {}", names.join(", "))),
    }
}
