//! Declarations of geometry: maps, sections, distributions and codistributions, submanifolds. Each generator and each
//! equation is checked to live where it is declared, with its own words as the place.

use super::super::checked::{Body, Described, Space};
use super::super::evaluate::{Evaluator, at, refuse};
use super::super::interpreter::Interpreter;
use super::super::promise::Place;
use super::super::term::Term;
use super::super::unknown;
use super::{bind, entries, order_of_block};
use crate::algebra::Inquiry;
use crate::algebra::expr::Relation;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::jet::{FiberedManifold, JetSpace, total_derivative};
use crate::geometry::map::Map;
use crate::geometry::section::Section;
use crate::model::item::{MapItem, SectionItem};
use crate::model::operate::{as_expr, as_field, as_form, describe};
use crate::model::promise::FormPromise;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Fallible, Value};
use crate::source::Span;
use crate::syntax::ast::Word;
use std::rc::Rc;

pub(super) fn map(
    cx: &Inquiry,
    state: &mut Interpreter,
    name: &Word,
    from: &Space,
    to: &Space,
    entries: &[Term],
) -> Fallible<()> {
    let (source, target) = (from.space.manifold(), to.space.manifold());
    let list = map_entries(entries, &state.evaluator(cx).on(target), source)?;
    let last = entries.last().map(|entry| entry.span);
    let map = Map::new(&from.space, &to.space, list.clone())
        .map_err(|r| incomplete(cx, r, (name.span, What::Map), last, (source, &to.space), list))?;
    bind(state, name, Value::Map(Rc::new(MapItem { name: name.node.to_string(), map })))
}

/// `x = expression`: the left side on the target, the right side on the source.
fn map_entries(entries: &[Term], target: &Evaluator, source: &FiberedManifold) -> Fallible<Vec<(Symbol, Expr)>> {
    let mut list: Vec<(Symbol, Expr)> = vec![];
    for entry in entries {
        target.each_with(entry, &mut |inner, body| {
            let Some((left, right)) = body.equation() else {
                return refuse(&codes::SYNTAX, "an entry is an equation `coordinate = expression`");
            };
            let symbol = inner.jet_symbol(left)?;
            if let Some(manifold) = inner.on.as_ref().filter(|m| m.is_foreign(symbol)) {
                return Err(Box::new(unknown::no_coordinate(manifold, &symbol.name(), left.span)));
            }
            let value = inner.under(&inner.cx).on(source).expr(right)?;
            if list.iter().any(|(s, _)| *s == symbol) {
                return Err(Box::new(
                    Diagnostic::error(&codes::DECLARED_TWICE, format!("`{symbol}` is given twice"))
                        .label(left.span, "again"),
                ));
            }
            list.push((symbol, value));
            Ok(())
        })?;
    }
    Ok(list)
}

/// What is given by an entry for each coordinate.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Map,
    Section,
}

/// A map or section that could not be made; what is missing is added after the last entry: the coordinate of the source
/// with the same name, the derivative of an entry that was given, or 0.
fn incomplete(
    cx: &Inquiry,
    refused: crate::geometry::Refusal,
    (name, what): (Span, What),
    last: Option<Span>,
    (source, target): (&FiberedManifold, &JetSpace),
    mut given: Vec<(Symbol, Expr)>,
) -> Box<Diagnostic> {
    let is_missing = matches!(refused, crate::geometry::Refusal::MissingComponent { .. });
    let mut d = Diagnostic::from(refused).or_at(
        name,
        match what {
            What::Map => "this map",
            What::Section => "this section",
        },
    );
    let Some(last) = last.filter(|_| is_missing) else { return Box::new(d) };
    let mut added = vec![];
    for symbol in target.symbols() {
        let Some((coordinate, order)) = symbol.as_jet() else { continue };
        let entry_of = |s: Symbol| given.iter().find(|(x, _)| *x == s).map(|(_, e)| *e);
        if entry_of(symbol).is_some() {
            continue;
        }
        let below = order.checked_sub(1).and_then(|k| entry_of(coordinate.jet(k)));
        let same = source.fibres().iter().find(|f| what == What::Map && f.coordinate.name() == symbol.name());
        let value = match (below, same) {
            (Some(e), _) => total_derivative(cx, e),
            (None, Some(fibre)) => Expr::symbol(fibre.coordinate.jet(0)),
            (None, None) => Expr::zero(),
        };
        given.push((symbol, value));
        added.push(format!("{symbol} = {value}"));
    }
    d.helps.clear();
    let (text, noun) = (added.join("; "), if added.len() == 1 { "an entry" } else { "entries" });
    Box::new(d.repair(format!("add {noun}, such as {text}"), Span { start: last.end, ..last }, format!("; {text}")))
}

pub(super) fn section(cx: &Inquiry, state: &mut Interpreter, d: &Described) -> Fallible<()> {
    let space = &d.on.space;
    let Body::Entries(entries) = &d.body else {
        return refuse(&codes::SYNTAX, "a section is given by its equations in braces");
    };
    let list = map_entries(entries, &state.evaluator(cx).on(space.manifold()), space.manifold())?;
    let last = entries.last().map(|entry| entry.span);
    let section = Section::new(space, list.clone())
        .map_err(|r| incomplete(cx, r, (d.name.span, What::Section), last, (space.manifold(), space), list))?;
    bind(state, d.name, Value::Section(Rc::new(SectionItem { name: d.name.node.to_string(), section })))
}

pub(super) fn codistribution(
    cx: &Inquiry,
    state: &mut Interpreter,
    d: &Described,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let space = &d.on.space;
    // A codistribution that is an answer: annihilator(D).
    if let Body::Value(value) = &d.body
        && let value @ Value::Codistribution(_) = state.evaluator(cx).on(space.manifold()).eval(value)?.main()
    {
        return bind(state, d.name, value);
    }
    let list = entries(cx, state, d, |e, term| Ok((at(as_form(cx, &e.eval(term)?), term.span)?, term.clone())))?;
    let promise = FormPromise { degree: None, space: space.clone(), properties: vec![] };
    let mut forms = vec![];
    for ((form, term), span) in list {
        if form.degree() != 1 {
            let kind = if form.degree() == 0 { "function".into() } else { format!("{}-form", form.degree()) };
            let d = Diagnostic::error(
                &codes::WRONG_DEGREE,
                format!("a codistribution is spanned by 1-forms, not by a {kind}"),
            )
            .label(span, "this generator");
            return Err(Box::new(match one_form_of(cx, &form) {
                Some((words, text)) => d.repair(words, span, text),
                None => d,
            }));
        }
        let place = Place { state, name: d.name.span, types: &[], on: &d.on, value: &term };
        forms.push(place.settle_form(cx, &promise, &form, remarks)?.0);
    }
    bind(state, d.name, Value::from(Codistribution::new(space, forms)?))
}

/// A 1-form made of another form: the differential of a function, or the contraction with as many coordinate fields as it takes.
fn one_form_of(cx: &Inquiry, form: &crate::geometry::Form) -> Option<(String, String)> {
    if form.degree() == 0 {
        return Some(("take its differential".into(), "d(…)".into()));
    }
    let (mut rest, mut text) = (form.clone(), "…".to_string());
    while rest.degree() > 1 {
        let axis = rest.terms_in_reading_order().first().and_then(|(basis, _)| basis.first().copied())?;
        rest = rest.interior(&crate::geometry::VectorField::coordinate(axis.symbol()));
        text = format!("i(@{}, {text})", axis.symbol());
    }
    let value = rest.simplified(cx).0.write(crate::algebra::print::Style::ASCII.with_limit(200));
    Some((format!("a contraction of it is a 1-form: {value}"), text))
}

pub(super) fn distribution(
    cx: &Inquiry,
    state: &mut Interpreter,
    d: &Described,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let space = &d.on.space;
    if let Body::Value(value) = &d.body
        && let value @ Value::Distribution(_) = state.evaluator(cx).on(space.manifold()).eval(value)?.main()
    {
        return bind(state, d.name, value);
    }
    let list = entries(cx, state, d, |e, term| Ok((at(as_field(cx, &e.eval(term)?), term.span)?, term.clone())))?;
    let mut fields = vec![];
    for ((field, term), _) in list {
        let place = Place { state, name: d.name.span, types: &[], on: &d.on, value: &term };
        fields.push(place.field(cx, &field, space, remarks)?.0);
    }
    bind(state, d.name, Value::from(Distribution::new(space, fields)?))
}

pub(super) fn submanifold(cx: &Inquiry, state: &mut Interpreter, d: &Described) -> Fallible<()> {
    let list = entries(cx, state, d, |e, entry| match e.eval(entry)? {
        Value::Claim(claim) => {
            let difference = as_expr(cx, &claim.left)? - as_expr(cx, &claim.right)?;
            let span = entry.span;
            match claim.relation {
                Relation::Equal => Ok(vec![Branch { equations: vec![difference], nonzero: vec![] }]),
                Relation::NotEqual => Ok(vec![Branch { equations: vec![], nonzero: vec![difference] }]),
                _ => Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a submanifold is given by `=` and `!=`")
                        .label(span, "an inequality bounds a region")
                        .help("state it as a fact with `assume`"),
                )),
            }
        }
        // A set: image(map), union(K1, K2), a part of an answer.
        other => match other.main() {
            Value::Set(set) => Ok(set.branches().to_vec()),
            other => {
                refuse(&codes::WRONG_KIND, format!("a submanifold is given by equations, not by {}", describe(&other)))
            }
        },
    })?;
    // The entries hold together.
    let mut branches = vec![Branch::everything()];
    for (alternatives, _) in list {
        let both = |a: &Branch, b: &Branch| Branch {
            equations: a.equations.iter().chain(&b.equations).copied().collect(),
            nonzero: a.nonzero.iter().chain(&b.nonzero).copied().collect(),
        };
        branches = branches.iter().flat_map(|a| alternatives.iter().map(move |b| both(a, b))).collect();
    }
    let functions: Vec<Expr> = branches.iter().flat_map(|b| b.equations.iter().chain(&b.nonzero)).copied().collect();
    order_of_block(cx, state, d.name.span, &d.on, d.body.terms(), &functions)?;
    bind(state, d.name, Value::from(PointSet::new(&d.on.space, branches)))
}
