//! Declarations of symbols: manifolds with their coordinates, and parameters, alone and in families.

use super::super::evaluate::Evaluator;
use super::super::interpreter::Interpreter;
use super::super::scope::{Binding, Meaning};
use super::super::set_value;
use super::super::term::{Term, TermKind};
use super::{bind, differential_taken, guard_differential};
use crate::algebra::{Coordinate, Expr, Inquiry, Symbol};
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::jet::FiberedManifold;
use crate::model::operate::as_expr;
use crate::model::value::{Fallible, Indexed, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Ast, Word};
use indexmap::IndexMap;
use smallvec::SmallVec;
use std::rc::Rc;

pub(super) fn manifold(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    m: &ast::Manifold,
    ranges: &[Vec<Term>],
) -> Fallible<()> {
    let evaluator = state.evaluator(cx);
    let mut coordinates: Vec<(Coordinate, Word, Option<Rc<str>>)> = vec![];
    let mut families: Vec<(Word, Indexed, Option<Rc<str>>)> = vec![];
    for (c, ranges) in m.coordinates.iter().zip(ranges) {
        let angle = c.kind.as_ref().is_some_and(|k| &*k.node == "angle");
        if m.coordinates.iter().filter(|other| other.name.node == c.name.node).count() > 1 {
            let first = m.coordinates.iter().find(|o| o.name.node == c.name.node).expect("itself");
            if first.name.span != c.name.span {
                let before = m.coordinates.iter().take_while(|o| o.name.span != c.name.span).last();
                let last = before.map(|o| o.kind.as_ref().map_or(o.name.span, |kind| kind.span));
                let again = last.map_or(c.name.span, |last| Span { start: last.end, ..c.name.span });
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::DECLARED_TWICE,
                        format!("the coordinate `{}` is declared twice", c.name.node),
                    )
                    .label(c.name.span, "declared again")
                    .label(first.name.span, "declared first")
                    .repair("leave the second one out", again, ""),
                ));
            }
        }
        if c.family.is_empty() {
            coordinates.push((Coordinate::declare(&c.name.node, angle), c.name.clone(), c.doc.clone()));
        } else {
            let mut members = IndexMap::new();
            for indices in family_indices(cx, &evaluator, ranges)? {
                let text: Vec<String> = indices.iter().map(i64::to_string).collect();
                let member = Coordinate::declare(&format!("{}[{}]", c.name.node, text.join(", ")), angle);
                coordinates.push((member, c.name.clone(), None));
                members.insert(indices, Value::Expr(Expr::symbol(member.jet(0))));
            }
            families.push((c.name.clone(), Indexed { name: c.name.node.to_string(), members }, c.doc.clone()));
        }
    }
    let list: Vec<Coordinate> = coordinates.iter().map(|(c, _, _)| *c).collect();
    if list.is_empty() {
        let d = Diagnostic::error(&codes::NO_EFFECT, format!("the manifold `{}` has no coordinates", m.name.node))
            .label(m.name.span, "nothing can move on it");
        return Err(Box::new(match m.coordinates.first() {
            Some(c) => d.note(format!("the range of `{}` is empty", c.name.node)),
            None => d.help(format!("name its coordinates: `manifold {} over t {{ x, y }}`", m.name.node)),
        }));
    }
    let below = state.scope.value(&m.over.manifold.words.last().expect("not empty").node).map(|b| b.meaning.clone());
    let mut new_base: Option<(Symbol, Word)> = None;
    let name = &m.name.node;
    let manifold = match below {
        Some(Meaning::Value(Value::Manifold(below))) if m.over.jets.is_empty() => {
            FiberedManifold::over_manifold(name, &below, &list)
        }
        Some(Meaning::Value(Value::Manifold(_))) => {
            let space = state.resolver(ast).space(&m.over)?;
            FiberedManifold::over_jets(name, &space, &list)
        }
        Some(Meaning::Base(t)) if m.over.jets.is_empty() => FiberedManifold::new(name, t, &list),
        None if m.over.jets.is_empty() && m.over.manifold.words.len() == 1 => {
            let word = &m.over.manifold.words[0];
            let t = state.base(&word.node);
            new_base = Some((t, word.clone()));
            FiberedManifold::new(name, t, &list)
        }
        None => {
            return state.resolver(ast).space(&m.over).map(|_| ());
        }
        Some(_) => {
            let word = m.over.manifold.words.last().expect("not empty");
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_MANIFOLD, format!("a manifold cannot lie over `{}`", word.node))
                    .label(word.span, "not a base coordinate, a manifold or a jet space"),
            ));
        }
    };
    if let Some((t, word)) = &new_base
        && m.coordinates.iter().any(|c| c.name.node == word.node)
    {
        let _ = t;
        let mut coordinates = m.coordinates.iter().skip_while(|c| c.name.node != word.node);
        let again = coordinates.next().map_or(word.span, |c| c.name.span);
        let d = Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is both base and fibre coordinate", word.node))
            .label(again, "declared again")
            .label(word.span, "the base coordinate");
        // With the comma behind it; alone it was the only coordinate.
        return Err(Box::new(match coordinates.next() {
            Some(next) => {
                d.repair("the time is no coordinate: leave it out", Span { end: next.name.span.start, ..again }, "")
            }
            None => d.help("the time is no coordinate: leave it out"),
        }));
    }
    // Neither may a coordinate be called as the differential of another one, or of the base.
    let own = |text: &str| m.coordinates.iter().find(|c| *c.name.node == *text).map(|c| c.name.span);
    let base = new_base.as_ref().map(|(_, word)| word);
    for c in m.coordinates.iter().filter(|_| !state.redeclare) {
        guard_differential(state, &c.name)?;
        if let Some(rest) = c.name.node.strip_prefix('d')
            && let Some(span) = own(rest).or_else(|| base.filter(|t| *t.node == *rest).map(|t| t.span))
        {
            return Err(differential_taken(&c.name, rest, span));
        }
    }
    if let Some(t) = base
        && let Some(other) = state.scope.values.get(&format!("d{}", t.node)).filter(|_| !state.redeclare)
    {
        return Err(Box::new(
            Diagnostic::error(&codes::AMBIGUOUS_NAME, format!("`d{}` is already declared", t.node))
                .label(t.span, "its differential would be hidden")
                .label(other.span, "declared here"),
        ));
    }
    // Everything is checked: bind.
    for (coordinate, word, _) in &coordinates {
        if coordinate.name() != *word.node {
            continue;
        }
        if state.scope.values.contains_key(&format!("d{}", word.node)) && !state.redeclare {
            let other = &state.scope.values[&format!("d{}", word.node)];
            return Err(Box::new(
                Diagnostic::error(&codes::AMBIGUOUS_NAME, format!("`d{}` is already declared", word.node))
                    .label(word.span, "its differential would be hidden")
                    .label(other.span, "declared here"),
            ));
        }
        match state.scope.values.get(&*word.node).map(|b| &b.meaning) {
            None | Some(Meaning::Coordinate(_)) => {}
            Some(_) if state.redeclare => {}
            Some(_) => {
                return Err(Box::new(
                    Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is declared twice", word.node))
                        .label(word.span, "declared again")
                        .label(state.scope.values[&*word.node].span, "declared first"),
                ));
            }
        }
    }
    if let Some((t, word)) = new_base {
        let mut binding = Binding::new(Meaning::Base(t), word.span);
        binding.warn_if_unused = false;
        state.bind(&word.node, binding)?;
    }
    bind(state, &m.name, Value::Manifold(manifold.clone()))?;
    for (coordinate, word, doc) in coordinates {
        if coordinate.name() != *word.node {
            continue;
        }
        let mut candidates = match state.scope.values.get(&*word.node).map(|b| &b.meaning) {
            Some(Meaning::Coordinate(list)) if !state.redeclare => list.clone(),
            Some(Meaning::Coordinate(list)) => {
                list.iter().filter(|(m, _)| m.name() != manifold.name()).cloned().collect()
            }
            _ => vec![],
        };
        candidates.push((manifold.clone(), coordinate));
        let mut binding = Binding::new(Meaning::Coordinate(candidates), word.span);
        binding.warn_if_unused = false;
        binding.doc = doc;
        state.failed.remove(&*word.node);
        state.scope.values.insert(word.node.to_string(), binding);
    }
    for (word, family, doc) in families {
        let mut binding = Binding::new(Meaning::Value(Value::Indexed(Rc::new(family))), word.span);
        binding.warn_if_unused = false;
        binding.doc = doc;
        state.bind(&word.node, binding)?;
    }
    state.scope.manifolds.push(manifold);
    Ok(())
}

/// The tuples of indices of `q[1..n, 1..m]`.
fn family_indices(cx: &Inquiry, evaluator: &Evaluator, ranges: &[Term]) -> Fallible<Vec<SmallVec<[i64; 2]>>> {
    let mut tuples: Vec<SmallVec<[i64; 2]>> = vec![SmallVec::new()];
    for range in ranges {
        let Value::List(values) = evaluator.eval(range)?.main() else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a family runs over a range such as `1..8`")
                    .label(range.span, "not a range"),
            ));
        };
        let mut longer = vec![];
        for tuple in &tuples {
            for value in values.iter() {
                let n = as_expr(cx, value)?.as_number().and_then(|n| n.to_i64()).ok_or_else(|| {
                    Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "the size of a family is an integer")
                            .label(range.span, "not known to be an integer"),
                    )
                })?;
                let mut tuple = tuple.clone();
                tuple.push(n);
                longer.push(tuple);
            }
        }
        tuples = longer;
    }
    Ok(tuples)
}

/// `param g = [0, -9.81]`: a parameter is a number, a list has its name from `let`.
fn list_with_a_name(state: &Interpreter, d: Diagnostic, p: &ast::Param, value: &Term) -> Diagnostic {
    let before = Span { start: p.name.span.start.saturating_sub(6), end: p.name.span.start, ..p.name.span };
    let is_first = state.sources.slice(before).trim_end().ends_with("param");
    match value.kind {
        TermKind::List(_) if is_first => {
            let written = format!("let {}", p.name.node);
            let help = format!("a parameter is a number; a list is named with `{written} = …`");
            Diagnostic { helps: vec![], ..d }.repair_at(Goes::BackTo("param"), help, p.name.span, written)
        }
        _ => d,
    }
}

pub(super) fn parameter(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    p: &ast::Param,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    guard_differential(state, &p.name)?;
    let (term, ranges) = state.check(cx, ast, remarks, |resolver| Some(resolver.parameter(p)))?;
    let value_of = |v: &Term| state.evaluator(cx).expr(v).map_err(|d| Box::new(list_with_a_name(state, *d, p, v)));
    let mut value = term.as_ref().map(value_of).transpose()?;
    let set = state.options.set.iter().find(|(n, _)| *n == *p.name.node).map(|(_, text)| text.clone());
    if let Some(text) = set {
        value = Some(set_value(&text).map_err(|d| Box::new(d.or_at(p.name.span, "set on the command line")))?);
        state.set_used.insert(p.name.node.to_string());
    }
    if let Some(v) = value {
        let jets: Vec<Symbol> = v.symbols().into_iter().filter(|s| !s.is_parameter()).collect();
        if let (Some(jet), Some(term)) = (jets.first(), &term) {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("the value of a parameter cannot depend on `{jet}`"))
                    .label(term.span, "not constant"),
            ));
        }
    }
    let declare_one = |state: &mut Interpreter, name: &str| -> Symbol {
        let symbol = Symbol::parameter(name);
        if let Some(v) = value {
            state.parameters.insert(symbol, v);
        }
        symbol
    };
    if p.family.is_empty() {
        let symbol = declare_one(state, &p.name.node);
        return state.bind(&p.name.node, Binding::new(Meaning::Parameter(symbol), p.name.span));
    }
    let tuples = family_indices(cx, &state.evaluator(cx), &ranges)?;
    let mut members = IndexMap::new();
    for indices in tuples {
        let text: Vec<String> = indices.iter().map(i64::to_string).collect();
        let symbol = declare_one(state, &format!("{}[{}]", p.name.node, text.join(", ")));
        members.insert(indices, Value::Expr(Expr::symbol(symbol)));
    }
    let family = Indexed { name: p.name.node.to_string(), members };
    state.bind(&p.name.node, Binding::new(Meaning::Value(Value::Indexed(Rc::new(family))), p.name.span))
}
