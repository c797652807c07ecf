//! What is done with a statement where nothing is asked: by `lepage check`, and for files that are used. Names, kinds,
//! options and parts were looked at when it was [resolved](super::resolve); what is left is wrong with a formula, and is
//! seen when the formula is built: a sum of a function and a form, a division by zero, coordinates of two manifolds, a start that is
//! given twice. So formulas are built, and nothing else is: no question is asked that decides, solves or searches.
//!
//! ```text
//! let D = dynamics(L)                  a name with the shape of its question, and no value
//! assert D.final = K                   K is built, D.final is left to a run
//! form F : closed 2-form = d(theta)    a promise is judged: theta is computed now, if it was left out before
//! ```
//!
//! A declaration that promises something, or that others need to be checked themselves, is carried out with counted work. What
//! is not known when that is spent is known in a run only.

use super::checked::{Body, Checked, Described};
use super::declare;
use super::evaluate::{Evaluator, no_column};
use super::interpreter::{Effect, Interpreter, is_left_to_a_run, known_code, no_steps};
use super::run;
use super::run::picture::picture_file;
use super::run::show::table_file;
use super::run::{animation, section};
use super::scope::{Binding, Meaning};
use super::term::{Deferred, Term, TermKind, Unmade};
use crate::algebra::conditions::Recorded;
use crate::algebra::{Inquiry, conditions};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;
use crate::model::compare;
use crate::model::evaluate_at::value_under;
use crate::model::kind::{
    CODISTRIBUTION, CONSTRAINT, DISTRIBUTION, FIELD, FORCE, FORM, FUNCTION, RUN, SET, SWEEP, SYSTEM,
};
use crate::model::run::time_of;
use crate::model::value::{Fallible, Value};
use crate::questions;
use crate::questions::call::{self, Given, Shape};
use crate::questions::word::is_word;
use crate::source::Span;
use crate::syntax::ast::{Ast, Statement, Text};
use std::rc::Rc;

/// Looks a statement over, and declares its names.
pub fn look_over(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    statement: &Statement,
    checked: &Checked,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    // A file that is used for answers asks nothing by itself, and has values.
    let is_used = state.options.answer;
    match checked {
        Checked::Question(_) | Checked::Explain(_) | Checked::Assert { .. } if is_used => Ok(Effect::Done),
        Checked::Question(term) => {
            claims(cx, &state.evaluator(cx), term, remarks)?;
            let (shape, home) = (term.shape.clone(), term.home());
            state.foreseen = Some(Rc::new(Unmade { name: "_".into(), shape, home, columns: None, value: None }));
            Ok(Effect::Done)
        }
        Checked::Explain(term) => {
            claims(cx, &state.evaluator(cx), term, remarks)?;
            match state.evaluator(&cx.apart()).for_formulas().eval(term) {
                Ok(value @ (Value::Expr(_) | Value::Form(_) | Value::Field(_))) => Err(no_steps(&value, term.span)),
                _ => Ok(Effect::Done),
            }
        }
        Checked::Assert { claim, fails: None } => {
            claims(cx, &state.evaluator(cx), claim, remarks).map(|()| Effect::Done)
        }
        Checked::Assert { fails: Some(refusal), .. } => known_code(refusal).map(|_| Effect::Done),
        Checked::Let { name, value } if !is_used => {
            let (built, recorded) = conditions::collect_all(cx, |cx| state.evaluator(cx).for_formulas().eval(value));
            match built {
                Err(d) if is_left_to_a_run(cx, &d) => {
                    formulas(cx, &state.evaluator(cx), [value], remarks)?;
                    let deferred =
                        Deferred { term: value.clone(), facts: state.facts.clone(), made: Default::default() };
                    let (shape, home) = (value.shape.clone(), value.home());
                    bind(state, &name.node, name.span, shape, home, Some(deferred))
                }
                built => {
                    conditions::record_all(cx, &recorded);
                    declare::bind(state, name, built?).map(|()| Effect::Declared)
                }
            }
        }
        Checked::LetSimulate { name, simulate } => {
            let columns = if is_used { None } else { run::look_over(cx, state, simulate, remarks)? };
            bind_columns(state, &name.node, name.span, Shape::new(RUN), simulate.system.home(), columns)
        }
        Checked::Sweep { name, sweep } => {
            if !is_used {
                run::look_over_sweep(cx, state, sweep, remarks)?;
            }
            match name {
                Some(name) => {
                    let axes = sweep.rows.axes.iter().map(|axis| state.source_text(axis.coordinate.span));
                    let collected = sweep.rows.collected.iter().filter_map(|c| c.name.as_ref().map(|n| n.to_string()));
                    let columns = (!sweep.is_open).then(|| axes.chain(collected).collect());
                    bind_columns(state, &name.node, name.span, Shape::new(SWEEP), sweep.system.home(), columns)
                }
                None => Ok(Effect::Done),
            }
        }
        Checked::LetPoincare { name, poincare } => {
            if !is_used {
                section::look_over(cx, state, poincare)?;
            }
            bind(state, &name.node, name.span, Shape::new(RUN), poincare.run.home(), None)
        }
        Checked::Simulate(_)
        | Checked::Plot { .. }
        | Checked::Poincare(_)
        | Checked::Animate { .. }
        | Checked::Save { .. }
            if is_used =>
        {
            Ok(Effect::Done)
        }
        Checked::Simulate(simulate) => run::look_over(cx, state, simulate, remarks).map(|_| Effect::Done),
        Checked::Plot { to, runs, curves, .. } => {
            let drawn = curves.iter().flat_map(|curve| curve.values.iter().chain(&curve.against));
            let drawn: Vec<&Term> = drawn.collect();
            runs.iter().try_for_each(|run| have_columns(state, run, &drawn))?;
            to.map_or(Ok(()), |to| picture_file(state, to).map(drop)).map(|()| Effect::Done)
        }
        Checked::Animate { run, to, drawings } => {
            animation::look_over(state, run, drawings, *to)?;
            let places: Vec<&Term> = drawings.iter().flat_map(|drawing| numbers_in(&drawing.arguments)).collect();
            have_columns(state, run, &places).map(|()| Effect::Done)
        }
        Checked::Poincare(p) => {
            section::look_over(cx, state, p)?;
            let drawn: Vec<&Term> = p.curves.iter().flat_map(|c| c.values.iter().chain(&c.against)).collect();
            have_columns(state, &p.run, &drawn)?;
            p.to.map_or(Ok(()), |to| picture_file(state, to).map(drop)).map(|()| Effect::Done)
        }
        Checked::Save { to, .. } => table_file(state, to).map(|_| Effect::Done),
        // A set by the answer to a question promises nothing but its space.
        Checked::Submanifold(d) | Checked::Distribution(d) | Checked::Codistribution(d)
            if !is_used && is_asked_for(cx, state, d) =>
        {
            let (shape, home) = foreseen(checked);
            bind(state, &d.name.node, d.name.span, shape, home, None)
        }
        _ => match declare::declare(cx, state, ast, checked, remarks) {
            Err(d) if is_left_to_a_run(cx, &d) => {
                let (shape, home) = foreseen(checked);
                for name in declare::declared_names(statement) {
                    if !state.scope.functions.contains_key(&*name) {
                        bind(state, &name, statement.span, shape.clone(), home.clone(), None)?;
                    }
                }
                Ok(Effect::Declared)
            }
            result => result,
        },
    }
}

fn bind(
    state: &mut Interpreter,
    name: &Text,
    span: Span,
    shape: Shape,
    home: Option<FiberedManifold>,
    value: Option<Deferred>,
) -> Fallible<Effect> {
    let unmade = Unmade { name: name.clone(), shape, home, columns: None, value };
    state.bind(name, Binding::new(Meaning::Unmade(Rc::new(unmade)), span))?;
    Ok(Effect::Declared)
}

/// A run or a sweep that is not made, with its columns.
fn bind_columns(
    state: &mut Interpreter,
    name: &Text,
    span: Span,
    shape: Shape,
    home: Option<FiberedManifold>,
    columns: Option<Vec<String>>,
) -> Fallible<Effect> {
    let unmade = Unmade { name: name.clone(), shape, home, columns, value: None };
    state.bind(name, Binding::new(Meaning::Unmade(Rc::new(unmade)), span))?;
    Ok(Effect::Declared)
}

/// Whether what is drawn of a run that is not made can be there: a name that nothing declares is a column. States of a run that
/// are no coordinates, momenta and multipliers, are known when it is made.
fn have_columns(state: &Interpreter, run: &Term, drawn: &[&Term]) -> Fallible<()> {
    let TermKind::Unmade(unmade) = &run.kind else { return Ok(()) };
    let Some(columns) = &unmade.columns else { return Ok(()) };
    let is_missing = |term: &Term| {
        let text = state.sources.slice(term.span);
        let is_state = ["p_", "lambda", "delta"].iter().any(|start| text.starts_with(start));
        let is_elsewhere = match &term.kind {
            TermKind::Hole => true,
            TermKind::Symbol(symbol) => unmade.home.as_ref().is_some_and(|manifold| manifold.is_foreign(*symbol)),
            _ => false,
        };
        is_elsewhere && !is_state && !columns.iter().any(|column| is_named(column, text))
    };
    let is_drawn = |term: &&&Term| matches!(term.shape.kinds, FORM | FIELD);
    if let Some(term) = drawn.iter().find(is_drawn) {
        return Err(Box::new(call::needed(FUNCTION, &term.shape.describe(), term.span)));
    }
    let of_sweep = unmade.shape.kinds.within(SWEEP);
    match drawn.iter().find_map(|term| term.find(&is_missing)) {
        Some(term) => {
            let system = state.scope.only_system();
            Err(no_column(of_sweep, state.sources.slice(term.span), columns, system, term.span))
        }
        None => Ok(()),
    }
}

/// The numbers of which places are made: `(x, y), r`.
fn numbers_in(arguments: &[Term]) -> impl Iterator<Item = &Term> {
    arguments.iter().flat_map(|argument| match &argument.kind {
        TermKind::Tuple(all) => all.as_slice(),
        _ => std::slice::from_ref(argument),
    })
}

/// Whether a name is that of a column, or of the family to which it belongs.
fn is_named(column: &str, name: &str) -> bool {
    column == name || column.strip_prefix(name).is_some_and(|rest| rest.starts_with('['))
}

/// Whether what is declared is the answer to a question.
fn is_asked_for(cx: &Inquiry, state: &Interpreter, d: &Described) -> bool {
    let Body::Value(value) = &d.body else { return false };
    let evaluator = state.evaluator(&cx.apart()).on(d.on.space.manifold()).for_formulas();
    evaluator.eval(value).is_err_and(|d| is_left_to_a_run(cx, &d))
}

/// What a declaration declares, and where that lives, whatever its value.
fn foreseen(checked: &Checked) -> (Shape, Option<FiberedManifold>) {
    let on = |kinds, manifold: &FiberedManifold| (Shape::new(kinds), Some(manifold.clone()));
    match checked {
        Checked::Lagrangian(t) => on(SYSTEM, t.on.space.manifold()),
        Checked::Form(t) => on(FORM, t.on.space.manifold()),
        Checked::Field(t) => on(FIELD, t.on.space.manifold()),
        Checked::Force(d) => on(FORCE, d.on.space.manifold()),
        Checked::Equations(d) | Checked::Mixed(d) => on(SYSTEM, d.on.space.manifold()),
        Checked::Codistribution(d) => on(CODISTRIBUTION, d.on.space.manifold()),
        Checked::Distribution(d) => on(DISTRIBUTION, d.on.space.manifold()),
        Checked::Submanifold(d) => on(SET, d.on.space.manifold()),
        Checked::Constraint { on: space, .. } => on(CONSTRAINT, space.space.manifold()),
        Checked::System { .. } => (Shape::new(SYSTEM), None),
        _ => (Shape::UNKNOWN, None),
    }
}

/// Builds the formulas in these terms, as far as no question stands before them. Of several problems the first is the
/// refusal, and the others are remarked upon.
pub fn formulas<'t>(
    cx: &Inquiry,
    evaluator: &Evaluator,
    terms: impl IntoIterator<Item = &'t Term>,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let evaluator = evaluator.under(&cx.apart()).for_formulas();
    let mut wrong = vec![];
    terms.into_iter().for_each(|term| build(cx, &evaluator, term, &mut wrong));
    first_of(wrong, remarks)
}

/// The first problem, with the others as remarks.
pub fn first_of(mut wrong: Vec<Diagnostic>, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    if wrong.is_empty() {
        return Ok(());
    }
    let first = wrong.remove(0);
    remarks.extend(wrong);
    Err(Box::new(first))
}

/// The same for what is asked or asserted as it stands: what it says of its formulas must be something that can be said.
fn claims(cx: &Inquiry, evaluator: &Evaluator, term: &Term, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    let evaluator = evaluator.under(&cx.apart()).for_formulas();
    let mut wrong = vec![];
    build(cx, &evaluator, term, &mut wrong);
    if wrong.is_empty() {
        look_at_claims(&evaluator, term, &mut wrong);
    }
    first_of(wrong, remarks)
}

fn build(cx: &Inquiry, evaluator: &Evaluator, term: &Term, wrong: &mut Vec<Diagnostic>) {
    match evaluator.eval(term) {
        Err(d) if is_left_to_a_run(cx, &d) => {
            let before = wrong.len();
            parts(term).into_iter().for_each(|part| build(cx, evaluator, part, wrong));
            if wrong.len() == before {
                wrong.extend(misasked(evaluator, term));
            }
        }
        Err(d) => wrong.push(*d),
        Ok(value) => drop::<Value>(value),
    }
}

/// What a question that is not asked here cannot take, now that its arguments are values; and a point where there is none.
fn misasked(evaluator: &Evaluator, term: &Term) -> Vec<Diagnostic> {
    match &term.kind {
        TermKind::Ask(ask) => {
            let positional = ask.arguments.iter().filter(|(option, _)| option.is_none());
            let written = ask.number.map_or(ask.row.name.to_string(), |k| format!("p{k}"));
            let call = call::Call {
                name: written,
                name_span: ask.name_span,
                positional: positional.map(|(_, t)| known_of(evaluator, t)).collect(),
                options: vec![],
            };
            let mut found = call::check_call(ask.row, &call);
            let values: Vec<(Value, Span)> =
                ask.arguments.iter().filter_map(|(_, t)| Some((evaluator.eval(t).ok()?, t.span))).collect();
            found.extend(questions::foreign_entry(values.iter().map(|(value, span)| (value, *span))));
            if found.is_empty() {
                found.extend(evaluator.refused_at_once(ask, term.span));
            }
            found
        }
        TermKind::Sum(terms) => {
            let both = |a: &Term, b: &Term| a.shape.kinds == RUN && b.shape.kinds == RUN;
            with_a_run(evaluator, terms.iter().map(|(_, t)| t), both, "added", term.span)
        }
        TermKind::Product(all) => {
            with_a_run(evaluator, all.iter().map(|(_, t)| t), |_, _| false, "multiplied", term.span)
        }
        TermKind::Compare { within: Some(within), .. } => match evaluator.number(within) {
            Err(d) if !is_left_to_a_run(&evaluator.cx, &d) => vec![*d],
            _ => vec![],
        },
        TermKind::At { subject, point } if subject.shape.kinds == RUN => {
            let Some(manifold) = subject.home() else { return vec![] };
            let Ok(place) = evaluator.time_or_point(manifold.base(), point) else { return vec![] };
            let time = time_of(&evaluator.cx.apart(), manifold.base(), &place);
            time.err().into_iter().map(|d| d.or_at(point.span, "here")).collect()
        }
        TermKind::At { subject, point } => match (evaluator.eval(subject), evaluator.point(point)) {
            (Ok(value), Ok(place)) => {
                let there = |cx: &Inquiry| value_under(cx, &value, &place, Recorded::default());
                misfit(evaluator, there, subject.span).into_iter().collect()
            }
            _ => vec![],
        },
        _ => vec![],
    }
}

/// What is known of a term: its value, or its shape.
fn known_of<'t>(evaluator: &Evaluator, term: &'t Term) -> Given<'t> {
    match evaluator.eval(term) {
        Ok(value) => Given::made(value, term.span),
        Err(_) => Given::term(term),
    }
}

/// A run beside something with which it cannot be put together: there is the difference of two, and nothing else.
fn with_a_run<'t>(
    evaluator: &Evaluator,
    mut terms: impl Iterator<Item = &'t Term>,
    fit: impl Fn(&Term, &Term) -> bool,
    done: &str,
    span: Span,
) -> Vec<Diagnostic> {
    let (Some(a), Some(b)) = (terms.next(), terms.next()) else { return vec![] };
    let is_run = |t: &Term| t.shape.kinds == RUN;
    let may_be_run = |t: &Term| t.shape.kinds.meets(RUN) && !is_run(t);
    if !(is_run(a) || is_run(b)) || may_be_run(a) || may_be_run(b) || fit(a, b) {
        return vec![];
    }
    // In a sum a Lagrangian is its function.
    let described = |t: &Term| match evaluator.eval(t) {
        Ok(Value::System(system)) if system.lagrangian().is_some() => "an expression".to_string(),
        _ => known_of(evaluator, t).described(),
    };
    let (a, b) = (described(a), described(b));
    vec![Diagnostic::error(&codes::WRONG_KIND, format!("{a} and {b} cannot be {done}")).label(span, "here")]
}

/// A comparison of what cannot be compared, or a word that cannot be said, in what is asserted.
fn look_at_claims(evaluator: &Evaluator, term: &Term, wrong: &mut Vec<Diagnostic>) {
    match &term.kind {
        TermKind::Not(of) => look_at_claims(evaluator, of, wrong),
        TermKind::And(all) | TermKind::Or(all) => all.iter().for_each(|t| look_at_claims(evaluator, t, wrong)),
        TermKind::Compare { .. } => {
            if let Ok(value) = evaluator.eval(term) {
                wrong.extend(misfit(evaluator, |cx| compare::truth(cx, &value), term.span));
            }
        }
        TermKind::Is { subject, word, .. } => {
            if let Ok(value) = evaluator.eval(subject) {
                let said = |cx: &Inquiry| is_word(cx, &value, &word.node);
                wrong.extend(misfit(evaluator, said, word.span));
            }
        }
        _ => {}
    }
}

/// What is wrong with the kinds of what is put together here. It is put to those who decide, with no work to spend, so that
/// nothing is decided.
fn misfit<T>(evaluator: &Evaluator, decide: impl FnOnce(&Inquiry) -> Fallible<T>, span: Span) -> Option<Diagnostic> {
    let cx = evaluator.cx.apart();
    let refused = cx.within(share::NOTHING, || decide(&cx)).err()?;
    let is_about_kinds = [codes::WRONG_KIND.number, codes::UNKNOWN_PART.number].contains(&refused.code.number);
    is_about_kinds.then(|| refused.or_at(span, "here"))
}

/// The parts of a term that mean by themselves what they mean in it: not what has an index or a variable of its own, nor a
/// key, which belongs to the answer whose entry is sought.
fn parts(term: &Term) -> Vec<&Term> {
    match &term.kind {
        TermKind::Each(each) => each.ranges.first().into_iter().collect(),
        TermKind::Integral(integral) => vec![&integral.from, &integral.to],
        TermKind::Index { of, .. } => vec![of],
        TermKind::Point(entries) => entries.iter().filter_map(|e| e.equation()).map(|(_, value)| value).collect(),
        TermKind::Component { .. } => vec![],
        _ => term.operands(),
    }
}
