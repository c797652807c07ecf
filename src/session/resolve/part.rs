//! Parts of answers, members of families, points and components.

use super::call::meant_to_declare;
use super::{Names, Resolver, Stand, Wants, coordinate_of};
use crate::algebra::expr::Relation;
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, Goes, codes, elsewhere};
use crate::model::kind::{COORDINATE, FAMILY, FUNCTION, Gives, SWEEP};
use crate::model::value::Value;
use crate::questions::call as row;
use crate::session::scope::Meaning;
use crate::session::term::{Reading, Term, TermKind};
use crate::session::unknown;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name, StatementKind};

impl Resolver<'_> {
    pub(super) fn part(&mut self, of: ExprId, key: &Name, span: Span) -> TermKind {
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && !self.locals.iter().any(|(n, _)| n == text)
            && let Some(binding) = self.scope.value(text)
        {
            match &binding.meaning {
                // Y.x: the coordinate of that manifold.
                Meaning::Value(Value::Manifold(m)) => {
                    let coordinate = coordinate_of(m, &key.text);
                    if coordinate.is_none() {
                        self.say(unknown::no_coordinate(m, &key.text, span));
                    }
                    return coordinate.map_or(TermKind::Hole, |c| TermKind::Symbol(c.jet(key.primes)));
                }
                Meaning::Library(library) => {
                    let inner = Resolver::new(library, self.ast);
                    let found = inner.lookup(of, key, span);
                    // A parameter of the program is no name of a library.
                    let unknown = || {
                        let mut d = inner.unknown(&key.text, span);
                        d.repairs.retain(|repair| repair.goes != Goes::LineBefore);
                        Box::new(d)
                    };
                    let found = found.and_then(|kind| kind.ok_or_else(unknown));
                    return self.or_hole(found).unwrap_or(TermKind::Hole);
                }
                _ => {}
            }
        }
        if let Some(problem) = self.module(of, span) {
            self.say(problem);
            return TermKind::Hole;
        }
        let of_id = of;
        let of = self.boxed(of);
        let is_part = key.primes == 0 && of.shape.question.is_some_and(|q| q.part(&key.text).is_some());
        // In a picture `E.first` is the first value of the column `E`, whatever `E` is elsewhere.
        let may_be_column = self.names == Names::Open && self.ast.name(of_id).is_some() && key.primes == 0;
        let written = format!("{}{}", key.text, "'".repeat(key.primes as usize));
        if let Some(d) = unknown_column(&of, &key.text, &written, span) {
            self.say(d);
        }
        if !is_part
            && !may_be_column
            && !self.is_a_name(&key.text)
            && let Some(d) = unknown_entry(&of, &key.text, &written)
        {
            self.say(d.or_at(span, "here"));
        }
        // A coordinate is the key of an entry, and a function has none.
        if !is_part
            && !may_be_column
            && let Some(d) = row::unknown_part(&of.shape, &written, span)
            && (of.shape.kinds.within(FUNCTION) || !self.is_a_name(&key.text))
        {
            let dots = ["dot", "ddot"].iter().position(|dots| *dots == &*key.text);
            let d = d.or_at(span, "here");
            self.say(match dots.filter(|_| of.shape.kinds.meets(COORDINATE) && !of.shape.kinds.is_any()) {
                Some(n) => {
                    let (primes, place) = ("'".repeat(n + 1), Span { start: of.outer.end, ..span });
                    d.repair("derivatives are written with primes", place, primes)
                }
                None => self.foreign_part(d, &of, &key.text, span),
            });
        }
        TermKind::Part { of, key: self.key(key, span) }
    }

    /// Primes on anything but a name.
    pub(super) fn primed(&mut self, of: ExprId, primes: u32) -> TermKind {
        if let ExprKind::Index { of: family, keys } = self.ast.kind(of) {
            if let Some(entry) = self.entry(*family, keys, primes) {
                return entry;
            }
            if let Some(member) = self.member_differential(*family, keys, primes) {
                return member;
            }
        }
        TermKind::Primed { of: self.boxed(of), primes }
    }

    pub(super) fn index(&mut self, of: ExprId, keys: &[ExprId], whole: Span) -> TermKind {
        if let Some(problem) = self.primes_before_index(of, keys, whole) {
            self.say(problem);
            return TermKind::Hole;
        }
        if let Some(kind) = self.entry(of, keys, 0).or_else(|| self.member_differential(of, keys, 0)) {
            return kind;
        }
        // p_q[i]: the momentum conjugate to a member of a family.
        if let Some(text) = self.undeclared(of)
            && let Some((prefix, order, tail)) = self.split_momentum(&text)
            && let Some(family) = self.family(of, &tail, self.ast.span(of))
        {
            let (family, indices) = (Box::new(family), self.indices(keys));
            return TermKind::Member { family, name: tail, indices, reading: Reading::Momentum { prefix, order } };
        }
        if let ExprKind::Number(_) = self.ast.kind(of) {
            let place = Span { start: self.ast.outer(of).end, ..whole };
            let d = Diagnostic::error(&codes::WRONG_KIND, "a number has no entries").label(place, "in brackets");
            self.say(d.repair("numbers have no units: leave it out", place, ""));
            return TermKind::Hole;
        }
        // `x[t]` and `x'[t]`: elsewhere a coordinate is a function of the time.
        if let ([time], Some(name)) = (keys, self.ast.name(of))
            && self.is_base(*time)
            && self.is_coordinate(&name.text)
        {
            let place = Span { start: self.ast.outer(of).end, ..whole };
            let title = "a coordinate is a function of the time by itself";
            let d = Diagnostic::error(&codes::UNKNOWN_NAME, title)
                .about(&name.text)
                .label(place, "its argument is not written");
            self.say(d.repair("leave it out", place, ""));
            return TermKind::Hole;
        }
        if let Some(problem) = self.call_in_square_brackets(of, keys, whole) {
            self.say(problem);
            self.open(|r| r.all(keys));
            return TermKind::Hole;
        }
        let ast = self.ast;
        if let (Some(Name { text, primes: 0 }), Names::Known) = (ast.name(of), self.names)
            && !self.locals.iter().any(|(n, _)| n == text)
            && matches!(self.meaning(of, &Name { text: text.clone(), primes: 0 }, ast.span(of)), Ok(None))
        {
            let mut d = self.unknown(text, ast.span(of));
            if d.repairs.first().is_some_and(|repair| repair.goes == Goes::LineBefore) {
                d.repairs.clear();
                d.helps = vec![format!(
                    "a family is declared with its range: `param {text}[1..3]`; a function has round brackets: `{text}(…)`"
                )];
            }
            // A word of another system before its brackets.
            if let (Some(elsewhere::Ours::Said(how)), true) =
                (elsewhere::ours(elsewhere::Use::Function, text), d.repairs.is_empty())
            {
                d.title = format!("there is no function `{text}`");
                d.helps = vec![how.to_string()];
            }
            self.say_unknown(text, if self.is_assigned(whole) { meant_to_declare(d, text, whole) } else { d });
            self.open(|r| r.all(keys));
            return TermKind::Hole;
        }
        let of = self.boxed(of);
        let keys = self.standing(Stand::Key, |r| r.all(keys));
        TermKind::Index { of, keys }
    }

    /// `Sin[x]`, `equations[L]`.
    fn call_in_square_brackets(&self, of: ExprId, keys: &[ExprId], whole: Span) -> Option<Diagnostic> {
        let text = self.undeclared(of)?;
        if self.names == Names::Open {
            return None;
        }
        let brackets = || {
            Diagnostic::error(&codes::UNKNOWN_NAME, "the arguments of a function stand in round brackets")
                .about(&text)
                .label(self.ast.span(of), "a function")
        };
        if let Some(elsewhere::Ours::Call(template, how)) = elsewhere::ours(elsewhere::Use::Function, &text) {
            let (written, places) = self.filled(whole, template, keys)?;
            return Some(brackets().repair_at(Goes::Quoting(places), how, whole, written));
        }
        if let Some((written, places)) = self.repetition_elsewhere(&text, keys) {
            return Some(brackets().repair_at(Goes::Quoting(places), "an index runs over a range", whole, written));
        }
        // `If[x > 0, 1, 2]`
        if let (Some(elsewhere::Ours::Word("piecewise")), 3) =
            (elsewhere::ours(elsewhere::Use::Function, &text), keys.len())
        {
            let places = keys.iter().map(|key| self.ast.outer(*key)).collect();
            let how = "a choice is written `piecewise(condition, value, otherwise)`";
            return Some(brackets().repair_at(Goes::Quoting(places), how, whole, "piecewise(…, …, …)"));
        }
        let here: &str = match (elsewhere::ours(elsewhere::Use::Function, &text), Elementary::called_elsewhere(&text)) {
            (Some(elsewhere::Ours::Word(here)), _) => here,
            (_, Some(function)) => function.name(),
            _ => &text,
        };
        let is_function = self.scope.functions.contains_key(here)
            || crate::questions::find(here).is_some()
            || Elementary::find(here).is_some()
            || here == "sqrt";
        if !is_function {
            return None;
        }
        let places = keys.iter().map(|key| self.ast.outer(*key)).collect();
        let called = format!("{here}({})", vec!["…"; keys.len()].join(", "));
        Some(brackets().repair_at(Goes::Quoting(places), format!("write `{here}(…)`"), whole, called))
    }

    /// `Sum[i^2, {i, 1, 3}]` and `Table[i^2, {i, 3}]`.
    fn repetition_elsewhere(&self, name: &str, keys: &[ExprId]) -> Option<(String, Vec<Span>)> {
        let here = match name {
            "Sum" => "sum",
            "Product" => "product",
            "Table" => "list",
            _ => return None,
        };
        let [body, range] = keys else { return None };
        let ExprKind::List(range) = self.ast.kind(*range) else { return None };
        let place = |id: &ExprId| self.ast.outer(*id);
        match range.as_slice() {
            [i, to] => Some((format!("{here}(… in 1..…, …)"), vec![place(i), place(to), place(body)])),
            [i, from, to] => {
                Some((format!("{here}(… in …..…, …)"), vec![place(i), place(from), place(to), place(body)]))
            }
            _ => None,
        }
    }

    /// `A.q[3]''`: the entry of an answer for a jet of a member of a family of coordinates.
    fn entry(&mut self, of: ExprId, keys: &[ExprId], primes: u32) -> Option<TermKind> {
        let ExprKind::Part { of: answer, key } = self.ast.kind(of) else { return None };
        let is_local = self.locals.iter().any(|(n, _)| *n == key.node.text);
        let family = self.family(of, &key.node.text, key.span).filter(|_| !is_local)?;
        let TermKind::Declared(declared) = &family.kind else { return None };
        let Value::Indexed(family) = &declared.value else { return None };
        // The name behind a library or a manifold is looked up there.
        let owner = self.ast.name(*answer).and_then(|n| self.scope.values.get(&*n.text)).map(|b| &b.meaning);
        if matches!(owner, Some(Meaning::Library(_) | Meaning::Value(Value::Manifold(_)))) {
            return None;
        }
        let family = family.clone();
        let answer = self.boxed(*answer);
        let (key, indices) = (self.key(&key.node, key.span), self.indices(keys));
        Some(TermKind::Entry { of: answer, key, family, indices, primes })
    }

    /// `dq[i]''`: the differential of a jet of a member of a family, as `dx''` is that of x″.
    fn member_differential(&mut self, of: ExprId, keys: &[ExprId], primes: u32) -> Option<TermKind> {
        let text = self.undeclared(of)?;
        let name = text.strip_prefix('d')?;
        let family = Box::new(self.family(of, name, self.ast.span(of))?);
        let indices = self.indices(keys);
        Some(TermKind::Member { family, name: name.into(), indices, reading: Reading::Differential { primes } })
    }

    /// The text of a name without primes that nothing declares.
    fn undeclared(&self, id: ExprId) -> Option<String> {
        let name = self.ast.name(id).filter(|n| n.primes == 0)?;
        let declared = self.lookup(id, name, self.ast.span(id)).ok().flatten();
        declared.is_none().then(|| name.text.to_string())
    }

    fn indices(&mut self, keys: &[ExprId]) -> Vec<Term> {
        self.standing(Stand::Value, |r| r.all(keys))
    }

    /// `x = 1`, or a repetition of such entries. A name that several manifolds share means each of them.
    pub(super) fn point_entry(&mut self, id: ExprId) -> Term {
        let ast = self.ast;
        if let ExprKind::Each(each) = ast.kind(id) {
            let kind = self.each(each, |resolver, body| resolver.point_entry(body));
            return self.made(id, kind);
        }
        let Some((left, right)) = ast.equation(id) else {
            self.say(
                Diagnostic::error(&codes::WRONG_KIND, "an entry of a point is an equation")
                    .label(ast.span(id), "write `name = value`"),
            );
            return Term::hole(ast.span(id));
        };
        let left = Box::new(self.wanting(Wants::State, |r| r.standing(Stand::Entry, |r| r.term(left))));
        let right = Box::new(self.wanting(Wants::Anything, |r| r.standing(Stand::Value, |r| r.term(right))));
        self.made(id, TermKind::Compare { relation: Relation::Equal, left, right, within: None })
    }

    /// `x: value`; the key is a coordinate of the manifold after `on`.
    pub(super) fn component(&mut self, key: ExprId, value: ExprId) -> TermKind {
        // `x': -c*x'`
        if let (Some(Name { text, primes: 1.. }), Some(manifold)) = (self.ast.name(key), &self.on)
            && coordinate_of(manifold, text).is_some()
        {
            let (place, written) = (self.ast.span(key), text.to_string());
            let d = Diagnostic::error(&codes::WRONG_MANIFOLD, "a component stands behind its coordinate")
                .label(place, "a derivative");
            let in_equations = self.ast.statements.iter().any(|s| {
                matches!(s.kind, StatementKind::Equations(_)) && s.span.range().contains(&(place.start as usize))
            });
            let jet = self.ast.name(key);
            let mut inside = self.ast.inside(self.ast.outer(value));
            let is_solved = !inside.any(|id| self.ast.name(id).is_some_and(|n| Some(n) == jet));
            self.say(match (in_equations && is_solved, jet) {
                // `x'': -k*x`
                (true, Some(Name { primes, .. })) => {
                    let (whole, primes) = (place.to(self.ast.outer(value)), "'".repeat(*primes as usize));
                    let places = Goes::Quoting(vec![self.ast.outer(value)]);
                    let help = format!("all of the equation stands behind it: `{written}: … - {written}{primes}`");
                    d.repair_at(places, help, whole, format!("{written}: … - {written}{primes}"))
                }
                _ => d.repair(format!("write `{written}: …`"), place, written),
            });
            return TermKind::Component { key: Box::new(Term::hole(place)), value: self.boxed(value) };
        }
        if let (Some(name), Some(manifold)) = (self.ast.name(key), &self.on)
            && !self.scope.values.contains_key(&*name.text)
            && coordinate_of(manifold, &name.text).is_none()
            && !self.locals.iter().any(|(n, _)| *n == name.text)
        {
            let problem = unknown::no_coordinate(manifold, &name.text, self.ast.span(key));
            self.say(problem);
            let key = Box::new(Term::hole(self.ast.span(key)));
            return TermKind::Component { key, value: self.boxed(value) };
        }
        TermKind::Component { key: self.boxed(key), value: self.boxed(value) }
    }
}

/// What an answer by coordinate will not have: its entries are those of the coordinates of the systems that it is asked of, where
/// these are declared. An option may name others.
fn unknown_entry(of: &Term, name: &str, written: &str) -> Option<Diagnostic> {
    let TermKind::Ask(ask) = &of.kind else { return None };
    if ask.row.gives != Gives::Kinds(FAMILY) {
        return None;
    }
    let mut names: Vec<String> = ask.row.parts.iter().map(|p| p.name.to_string()).collect();
    for (option, argument) in &ask.arguments {
        let (None, TermKind::Declared(declared)) = (option, &argument.kind) else { return None };
        let Value::System(system) = &declared.value else { return None };
        if coordinate_of(&system.manifold, name).is_some() {
            return None;
        }
        names.extend(system.manifold.fibres().iter().map(|f| f.coordinate.name()));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(row::no_part(&format!("the answer to `{}`", ask.row.name), written, &names))
}

/// What a run or sweep that is not made will not have: it has the parts of every run, its columns, its states, which are jets
/// of the coordinates, and perhaps momenta, multipliers and variations.
fn unknown_column(of: &Term, name: &str, written: &str, span: Span) -> Option<Diagnostic> {
    let TermKind::Unmade(unmade) = &of.kind else { return None };
    let (columns, home) = (unmade.columns.as_ref()?, unmade.home.as_ref()?);
    let what = if unmade.shape.kinds.within(SWEEP) { "a sweep" } else { "a run" };
    let parts = unmade.shape.kinds.own_parts();
    let is_derived = ["p_", "lambda", "delta"].iter().any(|start| name.starts_with(start));
    let is_column =
        columns.iter().any(|c| c == written || c.strip_prefix(name).is_some_and(|rest| rest.starts_with('[')));
    let is_state = coordinate_of(home, name).is_some() || home.base().name() == name;
    let is_number = unmade.shape.kinds.within(SWEEP)
        && [crate::motion::swept::ROW, crate::motion::swept::STATUS].contains(&written);
    if is_derived || is_column || is_state || is_number || parts.contains(&written) {
        return None;
    }
    let states = home.fibres().iter().map(|f| f.coordinate.name());
    let names: Vec<String> = columns.iter().cloned().chain(states).chain(parts.iter().map(|p| p.to_string())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(row::no_part(what, written, &names).or_at(span, "here"))
}
