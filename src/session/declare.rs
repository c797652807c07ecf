//! Declarations: manifolds, parameters, forms, systems and the rest. Each is checked before it is
//! bound; the promises after the colon are enforced here.

mod geometry;
mod symbols;

use super::checked::{Body, Checked, Clause, Described, Formal, FunctionBody, Space, SystemBody, Typed};
use super::evaluate::{Evaluator, at, refuse};
use super::interpreter::{Effect, Interpreter};
use super::promise::Place;
use super::scope::{Binding, Callable, Closure, FunctionBinding, Meaning};
use super::term::{Term, TermKind};
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::expr::Relation;
use crate::algebra::{Expr, Function, Symbol, SymbolKind};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::mechanics::lagrangian::Lagrangian;
use crate::model::item::{Base, Constraint, Force, System};
use crate::model::operate::{as_expr, as_field, as_form, describe};
use crate::model::promise::FormPromise;
use crate::model::types::FormProperty;
use crate::model::value::{Claim, Fallible, OnSpace, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Ast, ConstraintClauseKind, Statement, StatementKind, Word};
use std::cell::Cell;
use std::rc::Rc;

/// The names a statement declares.
pub fn declared_names(statement: &Statement) -> Vec<Rc<str>> {
    let one = |w: &Word| vec![w.node.clone()];
    match &statement.kind {
        StatementKind::Manifold(m) => {
            let mut names = one(&m.name);
            names.extend(m.coordinates.iter().map(|c| c.name.node.clone()));
            names
        }
        StatementKind::Param(list) => list.iter().map(|p| p.name.node.clone()).collect(),
        StatementKind::Function(f) => one(&f.name),
        StatementKind::Let(l) => one(&l.name),
        StatementKind::Map(m) => one(&m.name),
        StatementKind::Lagrangian(t) | StatementKind::Form(t) | StatementKind::Field(t) => one(&t.name),
        StatementKind::Section(d)
        | StatementKind::Force(d)
        | StatementKind::Equations(d)
        | StatementKind::Codistribution(d)
        | StatementKind::Distribution(d)
        | StatementKind::Submanifold(d)
        | StatementKind::Mixed(d) => one(&d.name),
        StatementKind::Constraint(c) => one(&c.name),
        StatementKind::System(s) => one(&s.name),
        _ => vec![],
    }
}

/// Carries out a declaration (or a run).
pub fn declare(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    statement: &Checked,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    match statement {
        Checked::Manifold { declared, families } => symbols::manifold(cx, state, ast, declared, families)?,
        Checked::Params(list) => {
            for param in *list {
                symbols::parameter(cx, state, ast, param, remarks)?;
            }
        }
        Checked::Assume(facts) => {
            for (i, fact) in facts.iter().enumerate() {
                assumption(cx, state, fact).map_err(|d| same_for_all(state, *d, fact, &facts[i + 1..]))?;
            }
        }
        Checked::Function { declared, body } => function(cx, state, declared, body.as_ref(), remarks)?,
        Checked::Closure { name, function, body } => {
            let closure = Closure::new(function.clone(), ast, *body, &state.scope);
            bind_function(state, name, Callable::Closure(Rc::new(closure)), remarks)?;
        }
        Checked::Let { name, value } => {
            let value = state.evaluator(cx).eval(value)?;
            bind(state, name, value)?;
        }
        Checked::Use(u) => super::library::bring_in(cx, state, u)?,
        Checked::Map { name, from, to, entries } => geometry::map(cx, state, name, from, to, entries)?,
        Checked::Section(d) => geometry::section(cx, state, d)?,
        Checked::Lagrangian(t) => lagrangian(cx, state, t, remarks)?,
        Checked::Form(t) => form(cx, state, t, remarks)?,
        Checked::Field(t) => field(cx, state, t, remarks)?,
        Checked::Force(d) => force(cx, state, d)?,
        Checked::Equations(d) => equations(cx, state, d)?,
        Checked::Constraint { name, on, equations, clauses } => {
            constraint(cx, state, name, on, equations, clauses)?;
        }
        Checked::Codistribution(d) => geometry::codistribution(cx, state, d, remarks)?,
        Checked::Distribution(d) => geometry::distribution(cx, state, d, remarks)?,
        Checked::Submanifold(d) => geometry::submanifold(cx, state, d)?,
        Checked::System { name, body } => system(cx, state, name, body)?,
        Checked::Mixed(d) => mixed(cx, state, d)?,
        Checked::LetSimulate { name, simulate } => {
            let value = super::run::value(cx, state, ast, simulate, remarks)?;
            bind(state, name, value)?;
        }
        Checked::LetPoincare { name, poincare } => {
            let value = super::run::section::value(cx, state, poincare)?;
            bind(state, name, value)?;
        }
        Checked::Sweep { name: Some(name), sweep } => {
            let value = super::run::swept(cx, state, ast, sweep, remarks)?;
            bind(state, name, value)?;
        }
        Checked::Sweep { .. }
        | Checked::Simulate(_)
        | Checked::Plot { .. }
        | Checked::Animate { .. }
        | Checked::Poincare(_)
        | Checked::Save { .. } => {
            return super::run::run(cx, state, ast, statement, remarks);
        }
        Checked::Explain(_) | Checked::Test(_) | Checked::Assert { .. } | Checked::Question(_) => {
            unreachable!("carried out by the interpreter")
        }
    }
    Ok(Effect::Declared)
}

/// Documentation goes to the name it stands before.
pub fn document(state: &mut Interpreter, statement: &Statement) {
    let (Some(doc), Some(name)) = (&statement.doc, declared_names(statement).first().cloned()) else { return };
    let is_function = matches!(&statement.kind, StatementKind::Function(_))
        || matches!(&statement.kind, StatementKind::Let(l) if l.parameters.is_some());
    if is_function {
        if let Some(binding) = state.scope.functions.get_mut(&*name) {
            binding.doc = Some(doc.clone());
        }
    } else if let Some(binding) = state.scope.values.get_mut(&*name) {
        binding.doc = Some(doc.clone());
    }
}

pub fn bind(state: &mut Interpreter, name: &Word, value: Value) -> Fallible<()> {
    guard_differential(state, name)?;
    state.bind(&name.node, Binding::new(Meaning::Value(value), name.span))
}

/// Declaring `dx` beside a coordinate `x`, or `dt` beside the base `t`, would hide the differential.
fn guard_differential(state: &Interpreter, name: &Word) -> Fallible<()> {
    if let Some(rest) = name.node.strip_prefix('d')
        && let Some(binding) = state.scope.values.get(rest)
        && matches!(binding.meaning, Meaning::Coordinate(_) | Meaning::Base(_))
    {
        return Err(differential_taken(name, rest, binding.span));
    }
    Ok(())
}

fn differential_taken(name: &Word, of: &str, declared: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::AMBIGUOUS_NAME, format!("`{}` is the differential of `{of}`", name.node))
            .label(name.span, "cannot be declared")
            .label(declared, format!("`{of}` is declared here")),
    )
}

/// `assume m = 1` alone, of a parameter of the same text that has no value: where its name is declared, and the value.
fn value_of_parameter<'s>(state: &'s Interpreter, claim: &Claim) -> Option<(Span, &'s str)> {
    let name = state.sources.slice(claim.left_span);
    let binding = state.scope.values.get(name)?;
    let declared = binding.span;
    let is_bare = matches!(&binding.meaning, Meaning::Parameter(p) if !state.parameters.contains_key(p));
    let here = declared.source == claim.left_span.source && declared.end < claim.left_span.start;
    let between = Span { start: declared.end, end: claim.left_span.start, ..declared };
    let alone = here && state.sources.slice(between).trim_end().ends_with("assume");
    (is_bare && alone).then(|| (declared, state.sources.slice(claim.right_span)))
}

/// `sin(th)*dx - cos(th)*dy = 0` among constraints: the same equation between velocities.
fn in_velocities(state: &Interpreter, d: Diagnostic, value: &Value, entry: Span, space: &JetSpace) -> Diagnostic {
    let Value::Form(_) = value.main() else { return d };
    let text = state.sources.slice(entry);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut written, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_of_name) {
        let end = start + rest[start..].find(|c| !is_of_name(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..end];
        let velocity = word
            .strip_prefix('d')
            .filter(|name| space.manifold().fibres().iter().any(|f| f.coordinate.name() == *name));
        written.push_str(&rest[..start]);
        written.push_str(&velocity.map_or(word.to_string(), |name| format!("{name}'")));
        rest = &rest[end..];
    }
    written.push_str(rest);
    let d = Diagnostic { helps: vec![], ..d };
    match written != text {
        true => d.repair(format!("an equation between velocities: `{written}`"), entry, written),
        false => d.help("a constraint is an equation between velocities"),
    }
}

/// `assume m, k > 0`: each name has its own comparison.
fn same_for_all(state: &Interpreter, d: Diagnostic, part: &Term, rest: &[Term]) -> Box<Diagnostic> {
    let is_name = matches!(part.kind, TermKind::Symbol(_));
    let compared = rest.iter().find_map(|next| match &next.kind {
        TermKind::Compare { left, .. } => Some(Span { start: left.span.end, ..next.span }),
        _ => None,
    });
    let Some(behind) = compared.filter(|_| is_name && d.code == &codes::WRONG_KIND) else { return Box::new(d) };
    let (fact, end) = (state.sources.slice(behind).trim_end(), Span { start: part.span.end, ..part.span });
    let written = format!("{} {}", state.sources.slice(part.span), fact.trim_start());
    let d = Diagnostic { helps: vec![], ..d.clone() };
    Box::new(d.repair(format!("each has a comparison of its own: `{written}`"), end, format!(" {}", fact.trim_start())))
}

fn assumption(cx: &Inquiry, state: &mut Interpreter, fact: &Term) -> Fallible<()> {
    if let TermKind::And(all) = &fact.kind {
        return all.iter().try_for_each(|part| assumption(cx, state, part));
    }
    let Value::Claim(claim) = state.evaluator(cx).eval(fact)? else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a fact is a comparison")
                .label(fact.span, "not a comparison")
                .help("for example `assume m > 0`"),
        ));
    };
    let difference = at(as_expr(cx, &claim.left), claim.left_span)? - at(as_expr(cx, &claim.right), claim.right_span)?;
    let sign = match claim.relation {
        Relation::Less => Sign::NEGATIVE,
        Relation::LessEqual => Sign::NONPOSITIVE,
        Relation::Greater => Sign::POSITIVE,
        Relation::GreaterEqual => Sign::NONNEGATIVE,
        Relation::NotEqual => Sign::NONZERO,
        Relation::Equal => {
            let d = Diagnostic::error(&codes::NO_EFFECT, "an equation cannot be assumed")
                .label(fact.span, "facts are inequalities");
            return Err(Box::new(match value_of_parameter(state, &claim) {
                Some((declared, value)) => {
                    // The value goes where the parameter is declared, and the assumption away.
                    let between = Span { start: declared.end, end: fact.span.start, ..fact.span };
                    let whole = Span { start: declared.end, ..fact.span };
                    let text = state.sources.slice(between).trim_end().trim_end_matches("assume").trim_end();
                    let repaired = format!(" = {value}{text}");
                    d.repair(format!("a parameter gets its value where it is declared: ` = {value}`"), whole, repaired)
                }
                None => d
                    .help("a parameter gets its value where it is declared, `param m = 1`, or in a run, `set m = 1`")
                    .help("a function of others is named with `let`; an equation of motions is a constraint"),
            }));
        }
    };
    if let Some(n) = difference.as_number() {
        return if claim.relation.holds(n) {
            Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "this fact says nothing").label(fact.span, "always true"),
            ))
        } else {
            Err(Box::new(
                Diagnostic::error(&codes::CONTRADICTION, "this fact cannot hold").label(fact.span, "always false"),
            ))
        };
    }
    let (facts, possible) = state.facts.and([(difference, sign)]);
    if !possible {
        return Err(Box::new(
            Diagnostic::error(&codes::CONTRADICTION, "this fact contradicts what was assumed before")
                .label(fact.span, "cannot hold as well"),
        ));
    }
    state.facts = facts;
    Ok(())
}

fn function(
    cx: &Inquiry,
    state: &mut Interpreter,
    f: &ast::Function,
    body: Option<&FunctionBody>,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let symbol = match body {
        Some(body) => {
            state.bodies.insert(body.function, function_body(&state.evaluator(cx), body)?);
            body.function
        }
        None => Function::declare(&f.name.node, f.arguments.len() as u32),
    };
    if let ast::FunctionMeaning::Table { file, outside } = &f.meaning {
        let outside = super::run::read_outside(outside.as_ref())?;
        super::run::read_table(state, symbol, &file.node, file.span, outside)
            .map_err(|d| Box::new(d.or_at(file.span, "this table")))?;
    }
    bind_function(state, &f.name, Callable::Unknown(symbol), remarks)
}

/// What runs use for an unspecified function.
pub fn function_body(evaluator: &Evaluator, body: &FunctionBody) -> Fallible<crate::motion::law::Body> {
    let mut inner = evaluator.under(&evaluator.cx);
    let mut arguments = vec![];
    for formal in &body.arguments {
        arguments.push(match formal {
            Formal::Bound(symbol) => {
                inner.frame.push(Value::Expr(Expr::symbol(*symbol)));
                *symbol
            }
            Formal::Jet(term) => evaluator.jet_symbol(term)?,
        });
    }
    let value = inner.expr(&body.value)?;
    // Derivations know the arguments alone: with y in the body of V(x) the motion would be that of another system. An argument
    // stands for anything, and has no derivative along the motion.
    let is_argument = |t: &Term| matches!(t.kind, TermKind::Local(_));
    let is_moving = |t: &Term| matches!(&t.kind, TermKind::Primed { of, .. } if of.find(&is_argument).is_some());
    let is_hidden = |s: &Symbol| !s.is_parameter() && !arguments.contains(s);
    let moving = body.value.find(&is_moving).map(|t| ("a derivative along the motion".to_string(), t.span));
    let hidden = value.symbols().into_iter().find(is_hidden).map(|s| (format!("`{s}`"), body.value.span));
    if let Some((hidden, span)) = moving.or(hidden) {
        let (name, list) = (body.function.name(), arguments.iter().map(|s| s.name()).collect::<Vec<_>>().join(", "));
        let title = format!("`{name}` is a function of {list}, and this depends on {hidden}");
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, title)
                .label(span, format!("depends on {hidden}"))
                .note("derivatives of it were taken by its arguments alone")
                .help(format!("declare `function {name}({list}, u)`, and write what it depends on for u")),
        ));
    }
    Ok(crate::motion::law::Body { function: body.function, arguments, value })
}

fn bind_function(
    state: &mut Interpreter,
    name: &Word,
    callable: Callable,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    if let Some(old) = state.scope.functions.get(&*name.node)
        && !state.redeclare
    {
        return Err(Box::new(
            Diagnostic::error(&codes::DECLARED_TWICE, format!("the function `{}` is declared twice", name.node))
                .label(name.span, "declared again")
                .label(old.span, "declared first"),
        ));
    }
    let hides = crate::questions::find(&name.node).is_some()
        || crate::algebra::function::Elementary::find(&name.node).is_some();
    if hides {
        remarks.push(
            Diagnostic::new(
                Severity::Note,
                &codes::HIDES_BUILT_IN,
                format!("`{0}` hides the built-in `{0}(…)`, which stays `core.{0}(…)`", name.node),
            )
            .label(name.span, "declared here"),
        );
    }
    state.failed.remove(&*name.node);
    state.scope.functions.insert(
        name.node.to_string(),
        FunctionBinding { callable, span: name.span, doc: None, used: Rc::new(Cell::new(false)), warn_if_unused: true },
    );
    Ok(())
}

// ----- forms, fields, Lagrangians -------------------------------------------------------------------

fn lagrangian(cx: &Inquiry, state: &mut Interpreter, t: &Typed, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    let space = &t.on.space;
    let manifold = space.manifold().clone();
    let value = state.evaluator(cx).on(&manifold).eval(&t.value)?;
    let span = t.value.span;
    for word in &t.types {
        let name = &*word.written.word.node;
        if name != "horizontal" && !(name == "form" && word.written.degree == Some(1)) {
            let place = Place::of(state, t);
            return Err(Box::new(
                place.no_such_word(word, name, "a Lagrangian").note("a Lagrangian is a horizontal 1-form"),
            ));
        }
    }
    let (form, properties) = match operand(&value) {
        Value::Expr(e) => (Form::function(e), vec![]),
        Value::Form(form) => {
            if form.degree() != 1 {
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::WRONG_DEGREE,
                        format!("a Lagrangian is a 1-form L*dt, not a {}-form", form.degree()),
                    )
                    .label(span, format!("a {}-form", form.degree()))
                    .repair(
                        "declare it as a form",
                        state.word_before(t.name.span, "lagrangian"),
                        "form",
                    ),
                ));
            }
            (form, vec![FormProperty::Horizontal])
        }
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("a Lagrangian is a function, not {}", describe(&other)))
                    .label(span, "this"),
            ));
        }
    };
    refuse_symbols_of_answers(&t.on, t.name.span, &[&t.value], &form.coefficients())?;
    let promise = FormPromise { degree: None, space: space.clone(), properties };
    let (form, ground) = Place::of(state, t).settle_form(cx, &promise, &form, remarks)?;
    let function = form.as_function().unwrap_or_else(|| form.coefficient(&[manifold.base()]));
    let lagrangian = Lagrangian::new(cx, &manifold, function).map_err(|d| Box::new(d.or_at(span, "this function")))?;
    let system = System::new(&t.name.node, &manifold, Base::Lagrangian(lagrangian), t.name.span);
    bind(state, t.name, Value::System(Rc::new(system)))?;
    state.rests_on(&t.name.node, &ground);
    Ok(())
}

fn operand(value: &Value) -> Value {
    match value.main() {
        Value::System(s) => match s.lagrangian() {
            Some(l) => Value::Expr(l.function()),
            None => Value::System(s),
        },
        other => other,
    }
}

fn form(cx: &Inquiry, state: &mut Interpreter, t: &Typed, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    let space = t.on.space.clone();
    let value = state.evaluator(cx).on(space.manifold()).eval(&t.value)?;
    let form = at(as_form(cx, &value), t.value.span)?;
    let (form, ground) = Place::of(state, t).form(cx, &form, &space, remarks)?;
    bind(state, t.name, Value::OnSpace(Rc::new(OnSpace { value: Value::Form(form), space })))?;
    state.rests_on(&t.name.node, &ground);
    Ok(())
}

fn field(cx: &Inquiry, state: &mut Interpreter, t: &Typed, remarks: &mut Vec<Diagnostic>) -> Fallible<()> {
    let space = t.on.space.clone();
    let value = state.evaluator(cx).on(space.manifold()).eval(&t.value)?;
    let field = at(as_field(cx, &value), t.value.span)?;
    let (field, ground) = Place::of(state, t).field(cx, &field, &space, remarks)?;
    bind(state, t.name, Value::OnSpace(Rc::new(OnSpace { value: Value::Field(field), space })))?;
    state.rests_on(&t.name.node, &ground);
    Ok(())
}

/// The entries of a block, evaluated on its space, with the repetitions unrolled.
fn entries<T>(
    cx: &Inquiry,
    state: &Interpreter,
    d: &Described,
    read: impl Fn(&Evaluator, &Term) -> Fallible<T>,
) -> Fallible<Vec<(T, Span)>> {
    let evaluator = state.evaluator(cx).on(d.on.space.manifold());
    let mut list = vec![];
    match &d.body {
        Body::Entries(entries) => {
            for entry in entries {
                evaluator.each_with(entry, &mut |inner, body| {
                    list.push((read(inner, body)?, body.span));
                    Ok(())
                })?;
            }
        }
        Body::Value(value) => list.push((read(&evaluator, value)?, value.span)),
    }
    Ok(list)
}

/// The functions of a block live on its space.
fn order_of_block(
    cx: &Inquiry,
    state: &Interpreter,
    name: Span,
    on: &Space,
    terms: &[Term],
    functions: &[Expr],
) -> Fallible<()> {
    let Some(value) = terms.first() else { return Ok(()) };
    let place = Place { state, name, types: &[], on, value };
    place.functions(cx, terms, functions, &on.space).map(|_| ())
}

/// Refuses momenta, multipliers and variations in what a motion is made of, where no manifold has them as coordinates: they
/// would be neither moved nor constant.
fn refuse_symbols_of_answers(on: &Space, name: Span, terms: &[&Term], functions: &[Expr]) -> Fallible<()> {
    let of_answers = |s: &Symbol| {
        matches!(s.kind(), SymbolKind::Momentum { .. } | SymbolKind::Multiplier(_) | SymbolKind::Variation { .. })
    };
    let Some(symbol) = functions.iter().flat_map(|e| e.symbols()).find(of_answers) else { return Ok(()) };
    let place = terms.iter().find_map(|term| term.mention(symbol)).unwrap_or(name);
    let manifold = on.space.manifold();
    let names: Vec<String> = manifold.fibres().iter().map(|f| f.coordinate.name()).collect();
    let what = match symbol.kind() {
        SymbolKind::Momentum { .. } => "a momentum of answers",
        SymbolKind::Multiplier(_) => "a multiplier of answers",
        _ => "a variation",
    };
    Err(Box::new(
        Diagnostic::error(&codes::WRONG_MANIFOLD, format!("`{symbol}` is not a coordinate of {}", on.space))
            .label(place, what)
            .note(format!("`{}` has the coordinates {}", manifold.name(), names.join(", ")))
            .help(format!(
                "what moves is declared with them: `manifold {} over {} {{ {}, p }}`",
                manifold.name(),
                manifold.base(),
                names.join(", ")
            )),
    ))
}

/// `x: value` entries by coordinate.
fn components(cx: &Inquiry, state: &Interpreter, d: &Described, what: &str) -> Fallible<Vec<Expr>> {
    let list = entries(cx, state, d, |e, entry| match &entry.kind {
        TermKind::Component { key, value } => {
            let symbol = e.jet_symbol(key)?;
            // `x: m*x'' = -k*x`: the component is one side minus the other.
            if let Some((left, right)) = value.equation() {
                let side = |term: &Term| state.source_text(term.span);
                let component = format!("{} - ({})", side(right), side(left));
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a component is an expression, not an equation")
                        .label(value.span, "which of the two sides?")
                        .repair(format!("give force minus inertia: `{symbol}: {component}`"), value.span, component),
                ));
            }
            Ok((symbol, e.expr(value)?, key.span))
        }
        _ => refuse(&codes::SYNTAX, "an entry is written `coordinate: expression`"),
    })?;
    let space = &d.on.space;
    let fibres = space.manifold().fibres();
    let mut values: Vec<Option<(Expr, Span)>> = vec![None; fibres.len()];
    for ((symbol, value, key_span), _) in list {
        let place = fibres.iter().position(|f| f.coordinate.jet(0) == symbol);
        let Some(place) = place else {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_MANIFOLD,
                    format!("`{symbol}` is not a coordinate of `{}`", space.manifold().name()),
                )
                .label(key_span, format!("{what} are given by coordinate")),
            ));
        };
        if let Some((_, first)) = values[place] {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{symbol}` is given twice"))
                    .label(key_span, "again")
                    .label(first, "first"),
            ));
        }
        values[place] = Some((value, key_span));
    }
    Ok(values.into_iter().map(|v| v.map_or_else(Expr::zero, |(e, _)| e)).collect())
}

fn force(cx: &Inquiry, state: &mut Interpreter, d: &Described) -> Fallible<()> {
    let space = &d.on.space;
    let list = match &d.body {
        Body::Entries(_) => components(cx, state, d, "forces")?,
        Body::Value(value) => {
            let evaluator = state.evaluator(cx).on(space.manifold());
            let form = at(as_form(cx, &evaluator.eval(value)?), value.span)?;
            let place = Place { state, name: d.name.span, types: &[], on: &d.on, value };
            super::promise::force_components(cx, &place, &form, space.manifold())?
        }
    };
    order_of_block(cx, state, d.name.span, &d.on, d.body.terms(), &list)?;
    refuse_symbols_of_answers(&d.on, d.name.span, &d.body.terms().iter().collect::<Vec<_>>(), &list)?;
    if list.iter().all(|e| crate::algebra::decide::is_zero(cx, *e).is_yes()) {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, format!("the force `{}` is zero", d.name.node))
                .label(d.name.span, "it has no effect"),
        ));
    }
    let force = Force {
        name: d.name.node.to_string(),
        manifold: space.manifold().clone(),
        components: list,
        span: d.name.span,
    };
    bind(state, d.name, Value::Force(Rc::new(force)))
}

fn equations(cx: &Inquiry, state: &mut Interpreter, d: &Described) -> Fallible<()> {
    let space = &d.on.space;
    if let Body::Value(value) = &d.body {
        let found = state.evaluator(cx).on(space.manifold()).eval(value)?;
        let system = at(System::from_value(cx, &found), value.span)?;
        return bind(state, d.name, Value::System(system));
    }
    let list = components(cx, state, d, "equations")?;
    order_of_block(cx, state, d.name.span, &d.on, d.body.terms(), &list)?;
    refuse_symbols_of_answers(&d.on, d.name.span, &d.body.terms().iter().collect::<Vec<_>>(), &list)?;
    let system = System::new(&d.name.node, space.manifold(), Base::Equations(list), d.name.span);
    bind(state, d.name, Value::System(Rc::new(system)))
}

fn constraint(
    cx: &Inquiry,
    state: &mut Interpreter,
    name: &Word,
    on: &Space,
    terms: &[Term],
    clauses: &[(ConstraintClauseKind, Clause)],
) -> Fallible<()> {
    let space = &on.space;
    let evaluator = state.evaluator(cx).on(space.manifold());
    let mut equations = vec![];
    for term in terms {
        evaluator.each_with(term, &mut |inner, body| {
            match inner.eval(body)?.main() {
                Value::Claim(claim) if claim.relation == Relation::Equal => {
                    let side = |value, span| {
                        let said = |d: Box<Diagnostic>| Box::new(in_velocities(state, *d, value, body.span, space));
                        at(as_expr(cx, value), span).map_err(said)
                    };
                    let left = side(&claim.left, claim.left_span)?;
                    equations.push((left - side(&claim.right, claim.right_span)?, body.span));
                }
                Value::Set(set) => match set.branches() {
                    [only] => equations.extend(only.equations.iter().copied().map(|e| (e, body.span))),
                    branches => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::WRONG_KIND, "a constraint is one set of equations")
                                .label(body.span, format!("this set has {} branches", branches.len()))
                                .help("declare a constraint for each branch that is meant"),
                        ));
                    }
                },
                _ => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "a constraint is an equation")
                            .label(body.span, "not an equation"),
                    ));
                }
            }
            Ok(())
        })?;
    }
    let mut item = Constraint {
        name: name.node.to_string(),
        space: space.clone(),
        equations,
        dependent: vec![],
        branch: vec![],
        reactions: None,
        forms: None,
        span: name.span,
        examined: Default::default(),
    };
    for (kind, clause) in clauses {
        let values: &[Term] = match clause {
            Clause::None => &[],
            Clause::Terms(values) => values,
        };
        match kind {
            ConstraintClauseKind::Dependent => {
                item.dependent = values.iter().map(|v| evaluator.jet_symbol(v)).collect::<Fallible<_>>()?;
            }
            ConstraintClauseKind::Branch => {
                item.branch = values.iter().map(|v| evaluator.eval(v)).collect::<Fallible<_>>()?;
            }
            ConstraintClauseKind::Reactions => item.reactions = Some(one_forms(cx, &evaluator, values)?),
            ConstraintClauseKind::Forms => item.forms = Some(one_forms(cx, &evaluator, values)?),
        }
    }
    // What `branch:` is given has to be a choice.
    item.declared(cx)?;
    let exprs: Vec<Expr> = item.equations.iter().map(|(e, _)| *e).collect();
    order_of_block(cx, state, name.span, on, terms, &exprs)?;
    refuse_symbols_of_answers(on, name.span, &terms.iter().collect::<Vec<_>>(), &exprs)?;
    refuse_without_effect(cx, &item, name, clauses)?;
    bind(state, name, Value::Constraint(Rc::new(item)))
}

/// An equation that always holds, a block without equations and forms, a coordinate to solve for that
/// does not occur: none of them can have an effect.
fn refuse_without_effect(
    cx: &Inquiry,
    item: &Constraint,
    name: &Word,
    clauses: &[(ConstraintClauseKind, Clause)],
) -> Fallible<()> {
    let refuse = |title: &str, span: Span, label: &str| {
        Err(Box::new(Diagnostic::error(&codes::NO_EFFECT, title).label(span, label)))
    };
    if item.equations.is_empty() && item.forms.is_none() {
        return refuse("this constraint says nothing", name.span, "neither an equation nor forms");
    }
    if let Some((_, span)) = item.equations.iter().find(|(e, _)| crate::algebra::decide::is_zero(cx, *e).is_yes()) {
        return refuse("this equation always holds", *span, "left and right side are equal");
    }
    let terms = clauses.iter().flat_map(|(kind, clause)| match (kind, clause) {
        (ConstraintClauseKind::Dependent, Clause::Terms(terms)) => terms.as_slice(),
        _ => &[],
    });
    for (symbol, term) in item.dependent.iter().zip(terms) {
        let coordinate = symbol.as_jet().map(|(c, _)| c);
        let occurs = |e: &Expr| e.symbols().iter().any(|s| s.as_jet().map(|(c, _)| c) == coordinate);
        if !item.equations.is_empty() && !item.equations.iter().any(|(e, _)| occurs(e)) {
            return refuse(
                &format!("the constraint cannot be solved for `{symbol}`"),
                term.span,
                "does not occur in the equations",
            );
        }
    }
    Ok(())
}

fn one_forms(cx: &Inquiry, evaluator: &Evaluator, terms: &[Term]) -> Fallible<Vec<Form>> {
    let mut list = vec![];
    for term in terms {
        let span = term.span;
        match evaluator.eval(term)?.main() {
            Value::Codistribution(c) => list.extend(c.forms(cx).iter().cloned()),
            Value::List(items) => {
                for item in items.iter() {
                    list.push(one_form(cx, item, span)?);
                }
            }
            other => list.push(one_form(cx, &other, span)?),
        }
    }
    Ok(list)
}

/// A form of degree 1; a form that is zero has every degree.
fn one_form(cx: &Inquiry, value: &Value, span: Span) -> Fallible<Form> {
    let form = at(as_form(cx, value), span)?;
    if form.degree() == 1 || form.terms().len() == 0 {
        return Ok(form);
    }
    Err(Box::new(
        Diagnostic::error(&codes::WRONG_DEGREE, format!("a 1-form is needed here, not {}", describe(value)))
            .label(span, "not a 1-form")
            .help("write 1-forms such as `dx - y*dt` or `omega(x)`; `d(f)` is the differential of a function"),
    ))
}

fn system(cx: &Inquiry, state: &mut Interpreter, name: &Word, body: &SystemBody) -> Fallible<()> {
    let evaluator = state.evaluator(cx);
    let value = match body {
        SystemBody::Generated(term) => {
            let form = one_form(cx, &evaluator.eval(term)?, term.span)?;
            let manifold = form.manifold()?.ok_or_else(|| {
                Box::new(
                    Diagnostic::error(&codes::WRONG_MANIFOLD, "this form lives on no manifold")
                        .label(term.span, "this form"),
                )
            })?;
            System::new(&name.node, &manifold, Base::Generated(form), name.span)
        }
        SystemBody::Composed { base, forces, constraints } => {
            return bind(state, name, composed(&evaluator, Some(name), base, forces, constraints)?);
        }
    };
    bind(state, name, Value::System(Rc::new(value)))
}

/// `L with F and G subject to C and D`; without a name it is a system where it is asked about.
pub(super) fn composed(
    evaluator: &Evaluator,
    name: Option<&Word>,
    base: &Term,
    forces: &[Term],
    constraints: &[Term],
) -> Fallible<Value> {
    let cx = &evaluator.cx;
    let value = evaluator.eval(base)?;
    let start = at(System::from_value(cx, &value), base.span)?;
    if forces.is_empty() && constraints.is_empty() {
        return Ok(Value::System(start));
    }
    let (name, span) = name.map_or((&*start.name, base.span), |name| (&*name.node, name.span));
    let mut system = System::new(name, &start.manifold, start.base.clone(), span);
    system.forces = start.forces.clone();
    system.constraints = start.constraints.clone();
    for term in forces {
        match evaluator.eval(term)?.main() {
            Value::Force(f) => {
                if f.manifold != system.manifold {
                    return Err(Box::new(wrong_manifold(&f.manifold, &system.manifold, term.span)));
                }
                system.forces.push(f);
            }
            other => {
                let title = format!("`with` takes a force, not {}", describe(&other));
                let d = Diagnostic::error(&codes::WRONG_KIND, title).label(term.span, "not a force");
                // The word between the two, if they are the only ones.
                let between = Span { start: base.outer.end, end: term.outer.start, ..base.span };
                let is_meant = matches!(other, Value::Constraint(_)) && forces.len() == 1 && constraints.is_empty();
                let help = "a system is subject to its constraints: `L subject to C`";
                return Err(Box::new(if is_meant { d.repair(help, between, " subject to ") } else { d }));
            }
        }
    }
    for term in constraints {
        match evaluator.eval(term)?.main() {
            Value::Constraint(c) => {
                if c.space.manifold() != &system.manifold {
                    return Err(Box::new(wrong_manifold(c.space.manifold(), &system.manifold, term.span)));
                }
                if system.constraints.iter().any(|known| Rc::ptr_eq(known, &c)) {
                    return Err(Box::new(
                        Diagnostic::error(&codes::NO_EFFECT, format!("`{}` is there already", c.name))
                            .label(term.span, "a second time"),
                    ));
                }
                system.constraints.push(c);
            }
            other => {
                let title = format!("`subject to` takes a constraint, not {}", describe(&other));
                let d = Diagnostic::error(&codes::WRONG_KIND, title).label(term.span, "not a constraint");
                let between = Span { start: base.outer.end, end: term.outer.start, ..base.span };
                let is_meant = matches!(other, Value::Force(_)) && constraints.len() == 1 && forces.is_empty();
                let help = "forces act with a system: `L with F`";
                return Err(Box::new(match &other {
                    _ if is_meant => d.repair(help, between, " with "),
                    Value::Point(_) => {
                        d.help("a constraint is declared before: `constraint rod on Y { x^2 + y^2 = 1 }`")
                    }
                    _ => d,
                }));
            }
        }
    }
    Ok(Value::System(Rc::new(system)))
}

fn wrong_manifold(found: &FiberedManifold, wanted: &FiberedManifold, span: Span) -> Diagnostic {
    Diagnostic::error(
        &codes::WRONG_MANIFOLD,
        format!("this lives on `{}`, the system on `{}`", found.name(), wanted.name()),
    )
    .label(span, format!("on `{}`", found.name()))
}

fn mixed(cx: &Inquiry, state: &mut Interpreter, d: &Described) -> Fallible<()> {
    let list = entries(cx, state, d, |e, entry| match e.eval(entry)? {
        Value::Claim(claim) if claim.relation == Relation::Equal => match as_expr(cx, &claim.left)?.as_symbol() {
            Some(symbol) if symbol.as_jet().is_some_and(|(_, order)| order == 1 || order == 2) => {
                Ok((symbol, as_expr(cx, &claim.right)?))
            }
            _ => refuse(&codes::WRONG_KIND, "the left side of a mixed equation is `x'` or `x''`"),
        },
        _ => refuse(&codes::WRONG_KIND, "a mixed system is given by equations"),
    })?;
    let list = list.into_iter().map(|(entry, _)| entry).collect();
    let system = System::new(&d.name.node, d.on.space.manifold(), Base::Mixed(list), d.name.span);
    system.mixed(cx).map_err(|wrong| Box::new(wrong.or_at(d.name.span, "in this system")))?;
    bind(state, d.name, Value::System(Rc::new(system)))
}
