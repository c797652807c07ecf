//! Names: declared ones, differentials of undeclared `d`-names, symbols that answers contain.

use super::call::meant_to_declare;
use super::{Names, Resolver, Stand, coordinate_of};
use crate::algebra::{Coordinate, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;
use crate::model::value::{Fallible, Value};
use crate::questions::call::Shape;
use crate::session::scope::{Binding, Meaning, Scope};
use crate::session::term::{Declared, Key, Shared, SharedKind, Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::{ExprId, Name, Text};
use std::rc::Rc;

impl Resolver<'_> {
    pub(super) fn name(&mut self, id: ExprId, name: &Name, span: Span) -> TermKind {
        if name.primes > 0 && self.names == Names::Known && self.is_parameter(&name.text) {
            let text = &name.text;
            let d = Diagnostic::error(&codes::NO_EFFECT, format!("`{text}` is a parameter, and its derivative is 0"))
                .label(span, "a parameter does not change");
            let help = "what moves is a coordinate of a manifold; leave the prime out where the parameter is meant";
            self.say(d.repair(help, span, text.to_string()));
            return TermKind::Hole;
        }
        if name.primes > 0
            && self.names == Names::Known
            && let Some(warning) = self.prime_of_numbers(name, span)
        {
            self.say(warning);
        }
        match self.meaning(id, name, span) {
            Ok(Some(kind)) => kind,
            Ok(None) if self.names == Names::Open => TermKind::Hole,
            Ok(None) => {
                let unknown = self.unknown_with(&name.text, name.primes, span);
                let assigned = name.primes == 0 && self.is_assigned(span);
                let unknown = if assigned { meant_to_declare(unknown, &name.text, span) } else { unknown };
                self.say_unknown(&name.text, unknown);
                TermKind::Hole
            }
            Err(d) => {
                if self.names == Names::Known {
                    self.say_unknown(&name.text, *d);
                }
                TermKind::Hole
            }
        }
    }

    /// A parameter by its own name, and not a coordinate or a place of a function.
    fn is_parameter(&self, text: &str) -> bool {
        let is_local = self.locals.iter().any(|(name, _)| &**name == text);
        let on = self.on.as_ref().is_some_and(|m| coordinate_of(m, text).is_some());
        !is_local && !on && matches!(self.scope.value(text).map(|b| &b.meaning), Some(Meaning::Parameter(_)))
    }

    /// A name that nothing declares, where it stands first.
    pub(super) fn say_unknown(&mut self, name: &Text, problem: Diagnostic) {
        if self.told.insert(name.clone()) {
            self.say(problem);
        }
    }

    pub(super) fn meaning(&self, id: ExprId, name: &Name, span: Span) -> Fallible<Option<TermKind>> {
        if let Some(kind) = self.lookup(id, name, span)? {
            return Ok(Some(kind));
        }
        // dx, dt, dx': the differential of an undeclared d-name.
        if let Some(rest) = name.text.strip_prefix('d')
            && let Some(kind) = self.symbol_named(rest, name.primes, span)?
        {
            return Ok(Some(match kind {
                TermKind::Symbol(s) => TermKind::Differential(s),
                TermKind::Shared(shared) => self.shared(&shared, SharedKind::Differential),
                other => other,
            }));
        }
        Ok(self.derived_symbol(&name.text, span)?.map(|kind| self.with_primes(id, kind, name.primes)))
    }

    /// The primes of a name that is no jet: a derivative with respect to time.
    fn with_primes(&self, id: ExprId, kind: TermKind, primes: u32) -> TermKind {
        match primes {
            0 => kind,
            primes => TermKind::Primed { of: Box::new(self.made(id, kind)), primes },
        }
    }

    /// What a declared name means, if there is one.
    pub(super) fn lookup(&self, id: ExprId, name: &Name, span: Span) -> Fallible<Option<TermKind>> {
        let Name { text, primes } = name;
        if let Some(place) = self.locals.iter().rposition(|(n, _)| n == text) {
            return Ok(Some(self.with_primes(id, TermKind::Local(place), *primes)));
        }
        if &**text == "_" && self.last.is_some() {
            return Ok(Some(self.with_primes(id, TermKind::Last, *primes)));
        }
        if let Some(foreseen) = self.foreseen.filter(|_| &**text == "_") {
            return Ok(Some(self.with_primes(id, TermKind::Unmade(foreseen.clone()), *primes)));
        }
        let binding = self.scope.value(text);
        let on = self.on.as_ref().and_then(|m| coordinate_of(m, text));
        // In a function a coordinate is the one that it was declared with, if only one has the name.
        let known = |b: &Binding| match &b.meaning {
            Meaning::Coordinate(candidates) => candidates.len() == 1,
            _ => true,
        };
        if let Some(coordinate) = on.filter(|_| !self.in_function || !binding.is_some_and(known)) {
            return Ok(Some(TermKind::Symbol(coordinate.jet(*primes))));
        }
        let Some(binding) = binding else {
            let is_pi = matches!(&**text, "pi" | "π");
            let pi = if *primes == 0 { TermKind::Pi } else { TermKind::Number(0.into()) };
            return Ok(if is_pi { Some(pi) } else { self.elsewhere(text, *primes, None) });
        };
        let kind = match &binding.meaning {
            Meaning::Coordinate(candidates) => {
                let written = |owner: &str| format!("{owner}.{text}{}", "'".repeat(*primes as usize));
                return self.choose(text, *primes, candidates, span, &written).map(Some);
            }
            Meaning::Parameter(s) | Meaning::Base(s) => TermKind::Symbol(*s),
            Meaning::Value(value) => TermKind::Declared(Rc::new(Declared {
                name: text.clone(),
                value: value.clone(),
                sampled: binding.sampled.clone(),
                conditions: binding.conditions.clone(),
            })),
            Meaning::Unmade(unmade) => TermKind::Unmade(unmade.clone()),
            Meaning::Library(_) => {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is a library, not a value"))
                        .about(text)
                        .label(span, "its names stand behind a dot")
                        .help(format!("write `{text}.name`")),
                ));
            }
        };
        let kind = self.with_primes(id, kind, *primes);
        Ok(Some(match self.elsewhere(text, *primes, Some(self.made(id, kind.clone()))) {
            Some(shared) => shared,
            None => kind,
        }))
    }

    /// As a key: the coordinate of this name on the manifold of the answer, wherever that is declared.
    fn elsewhere(&self, text: &Text, primes: u32, otherwise: Option<Term>) -> Option<TermKind> {
        if self.stand != Stand::Key || self.on.is_some() {
            return None;
        }
        let mut choices = vec![];
        every_coordinate(self.scope, text, &mut choices);
        let shared = Shared { name: text.clone(), primes, choices, otherwise, kind: SharedKind::Symbol };
        (!shared.choices.is_empty()).then(|| TermKind::Shared(Rc::new(shared)))
    }

    /// The coordinate of a name, if only one manifold has it; `written` is how to write that of a manifold.
    fn choose(
        &self,
        text: &str,
        primes: u32,
        candidates: &[(FiberedManifold, Coordinate)],
        span: Span,
        written: &dyn Fn(&str) -> String,
    ) -> Fallible<TermKind> {
        let mut choices = candidates.to_vec();
        if self.stand == Stand::Key && self.on.is_none() {
            every_coordinate(self.scope, text, &mut choices);
        }
        match (choices.as_slice(), candidates) {
            ([(_, only)], _) => Ok(TermKind::Symbol(only.jet(primes))),
            (_, [(_, only)]) => {
                let otherwise = Term {
                    kind: TermKind::Symbol(only.jet(primes)),
                    span,
                    outer: span,
                    shape: Shape::new(crate::model::kind::COORDINATE),
                };
                let shared =
                    Shared { name: text.into(), primes, choices, otherwise: Some(otherwise), kind: SharedKind::Symbol };
                Ok(TermKind::Shared(Rc::new(shared)))
            }
            _ if self.stand != Stand::Value => {
                let shared = Shared { name: text.into(), primes, choices, otherwise: None, kind: SharedKind::Symbol };
                Ok(TermKind::Shared(Rc::new(shared)))
            }
            _ => Err(Box::new(ambiguous(text, candidates, span, written))),
        }
    }

    fn shared(&self, shared: &Shared, kind: SharedKind) -> TermKind {
        // What it would be otherwise is a symbol, too.
        let otherwise = shared.otherwise.clone().map(|mut term| {
            if let TermKind::Symbol(s) = term.kind {
                term.kind = match &kind {
                    SharedKind::Symbol => TermKind::Symbol(s),
                    SharedKind::Differential => TermKind::Differential(s),
                    SharedKind::Momentum(prefix) => TermKind::Symbol(Symbol::momentum_named(prefix, s)),
                };
            }
            term
        });
        let (name, primes, choices) = (shared.name.clone(), shared.primes, shared.choices.clone());
        TermKind::Shared(Rc::new(Shared { name, primes, choices, otherwise, kind }))
    }

    /// The jet, parameter or time that `text` with `primes` primes names, if it names one.
    pub(super) fn symbol_named(&self, text: &str, primes: u32, span: Span) -> Fallible<Option<TermKind>> {
        if text.is_empty() {
            return Ok(None);
        }
        let binding = self.scope.value(text);
        if let Some(coordinate) = self.on.as_ref().and_then(|m| coordinate_of(m, text)) {
            return Ok(Some(TermKind::Symbol(coordinate.jet(primes))));
        }
        match binding.map(|b| &b.meaning) {
            Some(Meaning::Coordinate(candidates)) => {
                let written = |owner: &str| format!("d({owner}.{text}{})", "'".repeat(primes as usize));
                self.choose(text, primes, candidates, span, &written).map(Some)
            }
            Some(Meaning::Base(s) | Meaning::Parameter(s)) if primes == 0 => Ok(Some(TermKind::Symbol(*s))),
            _ => match self.elsewhere(&text.into(), primes, None).filter(|_| binding.is_none()) {
                Some(kind) => Ok(Some(kind)),
                None => self.derived_symbol(text, span).map(|kind| kind.filter(|_| primes == 0)),
            },
        }
    }

    /// Symbols that answers contain and that may be written unless declared otherwise: `p_x`,
    /// `p1_x`, `lambda_1`.
    fn derived_symbol(&self, text: &str, span: Span) -> Fallible<Option<TermKind>> {
        let multiplier = text.strip_prefix("lambda_").or_else(|| text.strip_prefix("λ_"));
        if let Some(number) = multiplier.and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0) {
            return Ok(Some(TermKind::Symbol(Symbol::multiplier(number))));
        }
        let Some((prefix, order, tail)) = self.split_momentum(text) else { return Ok(None) };
        // Which momentum is meant is said by the `on` clause or by another name.
        let named = self.symbol_named(&tail, order, span).map_err(|mut d| {
            d.repairs.clear();
            d
        });
        Ok(named?.map(|kind| match kind {
            TermKind::Symbol(q) => TermKind::Symbol(Symbol::momentum_named(&prefix, q)),
            TermKind::Shared(shared) => self.shared(&shared, SharedKind::Momentum(prefix)),
            other => other,
        }))
    }

    /// `p1_x`: prefix, order and coordinate.
    pub(super) fn split_momentum(&self, text: &str) -> Option<(Text, u32, Text)> {
        let (prefix, order, tail) = Symbol::split_momentum(text, |p| self.scope.has_momentum_prefix(p))?;
        Some((prefix.into(), order, tail.into()))
    }

    /// What stands after a dot.
    pub(super) fn key(&mut self, name: &Name, span: Span) -> Box<Key> {
        let named = self.standing(Stand::Key, |r| r.symbol_named(&name.text, name.primes, span));
        let shape = Shape::new(crate::model::kind::COORDINATE);
        let symbol = named.ok().flatten().map(|kind| Box::new(Term { kind, span, outer: span, shape }));
        Box::new(Key { name: name.clone(), span, symbol, momentum: self.split_momentum(&name.text) })
    }

    /// The family of coordinates or parameters that a name means.
    pub(super) fn family(&self, id: ExprId, text: &str, span: Span) -> Option<Term> {
        let name = Name { text: text.into(), primes: 0 };
        let kind = self.lookup(id, &name, span).ok().flatten()?;
        let is_family = match &kind {
            TermKind::Local(_) => true,
            TermKind::Declared(declared) => matches!(declared.value, Value::Indexed(_)),
            _ => false,
        };
        is_family.then(|| self.made(id, kind))
    }

    /// Whether some manifold, also one of a library behind a prefix, has a coordinate of this name.
    fn has_coordinate(&self, text: &str) -> bool {
        let mut choices = vec![];
        every_coordinate(self.scope, text, &mut choices);
        !choices.is_empty()
    }

    /// Whether the text may be the key of an entry.
    pub(super) fn is_a_name(&self, text: &str) -> bool {
        let bound = |text: &str| self.scope.values.contains_key(text) || self.has_coordinate(text);
        let number = text.rsplit('_').next().is_some_and(|n| n.parse::<u32>().is_ok());
        bound(text)
            || crate::algebra::print::name::spelled(text).is_some_and(|s| bound(&s))
            || self.split_momentum(text).is_some()
            || number
    }
}

/// A name that several manifolds have where only one can be meant.
pub fn ambiguous(
    text: &str,
    candidates: &[(FiberedManifold, Coordinate)],
    span: Span,
    written: &dyn Fn(&str) -> String,
) -> Diagnostic {
    let title = format!("several manifolds have a coordinate `{text}`");
    let d = Diagnostic::error(&codes::AMBIGUOUS_NAME, title).label(span, "which one?");
    let offer = |d: Diagnostic, (m, _): &(FiberedManifold, Coordinate)| {
        d.repair(format!("the one of {}: {}", m.name(), written(m.name())), span, written(m.name()))
    };
    candidates.iter().fold(d, offer)
}

/// The coordinates of this name on all manifolds, those of libraries behind a prefix included.
fn every_coordinate(scope: &Scope, text: &str, found: &mut Vec<(FiberedManifold, Coordinate)>) {
    for manifold in &scope.manifolds {
        if let Some(coordinate) = coordinate_of(manifold, text)
            && found.iter().all(|(_, known)| *known != coordinate)
        {
            found.push((manifold.clone(), coordinate));
        }
    }
    for binding in scope.values.values() {
        if let Meaning::Library(inner) = &binding.meaning {
            every_coordinate(inner, text, found);
        }
    }
}
