//! Declarations: manifolds, parameters, forms, systems and the rest. Each is checked before it is
//! bound; the promises after the colon are enforced here.

mod geometry;

use super::elaborate::{Evaluator, at, refuse};
use super::interpreter::{Effect, Interpreter};
use super::promise::Place;
use super::scope::{Binding, Callable, Closure, FunctionBinding, Meaning};
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::expr::Relation;
use crate::algebra::{Coordinate, Expr, Function, Symbol};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::mechanics::lagrangian::Lagrangian;
use crate::model::item::{Base, Constraint, Force, System};
use crate::model::operate::{as_expr, as_field, as_form, describe};
use crate::model::promise::FormPromise;
use crate::model::types::FormProperty;
use crate::model::value::{Fallible, Indexed, OnSpace, Value};
use crate::source::Span;
use crate::syntax::ast::{
    self, Ast, Body, ConstraintClauseKind, Described, ExprId, ExprKind, LetValue, Statement, StatementKind, SystemBody,
    Typed, Word,
};
use indexmap::IndexMap;
use smallvec::SmallVec;
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
    statement: &Statement,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    match &statement.kind {
        StatementKind::Manifold(m) => manifold(cx, state, ast, m)?,
        StatementKind::Param(list) => {
            for param in list {
                parameter(cx, state, ast, param)?;
            }
        }
        StatementKind::Assume(facts) => {
            for &fact in facts {
                assumption(cx, state, ast, fact)?;
            }
        }
        StatementKind::Function(f) => function(cx, state, ast, f, remarks)?,
        StatementKind::Let(l) => {
            let effect = definition(cx, state, ast, l, remarks)?;
            document(state, statement);
            return Ok(effect);
        }
        StatementKind::Use(u) => super::library::bring_in(cx, state, u)?,
        StatementKind::Map(m) => geometry::map(cx, state, ast, m)?,
        StatementKind::Section(d) => geometry::section(cx, state, ast, d)?,
        StatementKind::Lagrangian(t) => lagrangian(cx, state, ast, t, remarks)?,
        StatementKind::Form(t) => form(cx, state, ast, t, remarks)?,
        StatementKind::Field(t) => field(cx, state, ast, t, remarks)?,
        StatementKind::Force(d) => force(cx, state, ast, d)?,
        StatementKind::Equations(d) => equations(cx, state, ast, d)?,
        StatementKind::Constraint(c) => constraint(cx, state, ast, c)?,
        StatementKind::Codistribution(d) => geometry::codistribution(cx, state, ast, d, remarks)?,
        StatementKind::Distribution(d) => geometry::distribution(cx, state, ast, d, remarks)?,
        StatementKind::Submanifold(d) => geometry::submanifold(cx, state, ast, d)?,
        StatementKind::System(s) => system(cx, state, ast, s)?,
        StatementKind::Mixed(d) => mixed(cx, state, ast, d)?,
        StatementKind::Simulate(_)
        | StatementKind::Sweep(_)
        | StatementKind::Plot(_)
        | StatementKind::Save(_)
        | StatementKind::Animate(_)
        | StatementKind::Poincare(_) => return super::run::run(cx, state, ast, statement, remarks),
        StatementKind::Explain(_) | StatementKind::Test(_) | StatementKind::Assert(_) | StatementKind::Question(_) => {
            unreachable!("carried out by the interpreter")
        }
    }
    document(state, statement);
    Ok(Effect::Declared)
}

/// Documentation goes to the name it stands before.
fn document(state: &mut Interpreter, statement: &Statement) {
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

fn bind(state: &mut Interpreter, name: &Word, value: Value) -> Fallible<()> {
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
        Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is the differential of `{of}`", name.node))
            .label(name.span, "cannot be declared")
            .label(declared, format!("`{of}` is declared here")),
    )
}

// ----- manifolds and symbols ------------------------------------------------------------------------

fn manifold(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, m: &ast::Manifold) -> Fallible<()> {
    let evaluator = state.evaluator(cx, ast);
    let mut coordinates: Vec<(Coordinate, Word, Option<Rc<str>>)> = vec![];
    let mut families: Vec<(Word, Indexed, Option<Rc<str>>)> = vec![];
    for c in &m.coordinates {
        let angle = c.kind.as_ref().is_some_and(|k| &*k.node == "angle");
        if m.coordinates.iter().filter(|other| other.name.node == c.name.node).count() > 1 {
            let first = m.coordinates.iter().find(|o| o.name.node == c.name.node).expect("itself");
            if first.name.span != c.name.span {
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::DECLARED_TWICE,
                        format!("the coordinate `{}` is declared twice", c.name.node),
                    )
                    .label(c.name.span, "declared again")
                    .label(first.name.span, "declared first"),
                ));
            }
        }
        if c.family.is_empty() {
            coordinates.push((Coordinate::declare(&c.name.node, angle), c.name.clone(), c.doc.clone()));
        } else {
            let mut members = IndexMap::new();
            for indices in family_indices(cx, &evaluator, &c.family)? {
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
            let space = state.evaluator(cx, ast).space(&m.over)?;
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
            return state.evaluator(cx, ast).space(&m.over).map(|_| ());
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
        return Err(Box::new(
            Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is both base and fibre coordinate", word.node))
                .label(word.span, "the base coordinate"),
        ));
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
            Diagnostic::error(&codes::DECLARED_TWICE, format!("`d{}` is already declared", t.node))
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
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`d{}` is already declared", word.node))
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
fn family_indices(cx: &Inquiry, evaluator: &Evaluator, ranges: &[ExprId]) -> Fallible<Vec<SmallVec<[i64; 2]>>> {
    let mut tuples: Vec<SmallVec<[i64; 2]>> = vec![SmallVec::new()];
    for &range in ranges {
        let Value::List(values) = evaluator.eval(range)?.main() else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a family runs over a range such as `1..8`")
                    .label(evaluator.ast.span(range), "not a range"),
            ));
        };
        let mut longer = vec![];
        for tuple in &tuples {
            for value in values.iter() {
                let n = as_expr(cx, value)?.as_number().and_then(|n| n.to_i64()).ok_or_else(|| {
                    Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "the size of a family is an integer")
                            .label(evaluator.ast.span(range), "not known to be an integer"),
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

fn parameter(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, p: &ast::Param) -> Fallible<()> {
    guard_differential(state, &p.name)?;
    let mut value = p.value.map(|v| state.evaluator(cx, ast).expr(v)).transpose()?;
    let set = state.options.set.iter().find(|(n, _)| *n == *p.name.node).map(|(_, text)| text.clone());
    if let Some(text) = set {
        value = Some(super::set_value(&text).map_err(|d| Box::new(d.or_at(p.name.span, "set on the command line")))?);
        state.set_used.insert(p.name.node.to_string());
    }
    if let Some(v) = value {
        let jets: Vec<Symbol> = v.symbols().into_iter().filter(|s| !s.is_parameter()).collect();
        if let (Some(jet), Some(id)) = (jets.first(), p.value) {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("the value of a parameter cannot depend on `{jet}`"))
                    .label(ast.span(id), "not constant"),
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
    let tuples = family_indices(cx, &state.evaluator(cx, ast), &p.family)?;
    let mut members = IndexMap::new();
    for indices in tuples {
        let text: Vec<String> = indices.iter().map(i64::to_string).collect();
        let symbol = declare_one(state, &format!("{}[{}]", p.name.node, text.join(", ")));
        members.insert(indices, Value::Expr(Expr::symbol(symbol)));
    }
    let family = Indexed { name: p.name.node.to_string(), members };
    state.bind(&p.name.node, Binding::new(Meaning::Value(Value::Indexed(Rc::new(family))), p.name.span))
}

fn assumption(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, id: ExprId) -> Fallible<()> {
    let evaluator = state.evaluator(cx, ast);
    if let ExprKind::And(all) = ast.kind(id) {
        for &part in all {
            assumption(cx, state, ast, part)?;
        }
        return Ok(());
    }
    let Value::Claim(claim) = evaluator.eval(id)? else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a fact is a comparison")
                .label(ast.span(id), "not a comparison")
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
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "an equation cannot be assumed")
                    .label(ast.span(id), "facts are inequalities")
                    .help("define the one by the other with `let`, or state a constraint"),
            ));
        }
    };
    if let Some(n) = difference.as_number() {
        return if claim.relation.holds(n) {
            Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "this fact says nothing").label(ast.span(id), "always true"),
            ))
        } else {
            Err(Box::new(
                Diagnostic::error(&codes::CONTRADICTION, "this fact cannot hold").label(ast.span(id), "always false"),
            ))
        };
    }
    let (facts, possible) = state.facts.and([(difference, sign)]);
    if !possible {
        return Err(Box::new(
            Diagnostic::error(&codes::CONTRADICTION, "this fact contradicts what was assumed before")
                .label(ast.span(id), "cannot hold as well"),
        ));
    }
    state.facts = facts;
    Ok(())
}

fn function(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    f: &ast::Function,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let symbol = Function::declare(&f.name.node, f.arguments.len() as u32);
    if f.arguments.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("the function `{}` has no argument", f.name.node))
                .label(f.name.span, "a constant is a `param`"),
        ));
    }
    match &f.meaning {
        ast::FunctionMeaning::Unspecified => {}
        ast::FunctionMeaning::Body(value) => {
            let body = super::run::read_body(&state.evaluator(cx, ast), symbol, &f.arguments, *value, f.name.span)?;
            state.bodies.insert(symbol, body);
        }
        ast::FunctionMeaning::Table { file, outside } => {
            let outside = super::run::read_outside(outside.as_ref())?;
            super::run::read_table(state, symbol, &file.node, file.span, outside)
                .map_err(|d| Box::new(d.or_at(file.span, "this table")))?;
        }
    }
    bind_function(state, &f.name, Callable::Unknown(symbol), remarks)
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

fn definition(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    l: &ast::Let,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    match (&l.value, &l.parameters) {
        (LetValue::Expr(body), Some(parameters)) => {
            for (i, p) in parameters.iter().enumerate() {
                if let Some(first) = parameters[..i].iter().find(|q| q.node == p.node) {
                    return Err(Box::new(
                        Diagnostic::error(&codes::DECLARED_TWICE, format!("the parameter `{}` stands twice", p.node))
                            .label(p.span, "again")
                            .label(first.span, "first"),
                    ));
                }
            }
            let parameters = parameters.iter().map(|p| p.node.clone()).collect();
            let closure = Closure::new(&l.name, parameters, ast, *body, &state.scope);
            super::signature::needs(&state.scope, &closure)?;
            bind_function(state, &l.name, Callable::Closure(Rc::new(closure)), remarks)?;
        }
        (LetValue::Expr(body), None) if super::check::rests_on_a_run(state, ast, ast.span(*body)) => {
            super::check::mark(state, ast, ast.span(*body));
        }
        (LetValue::Expr(body), None) => {
            let value = state.evaluator(cx, ast).eval(*body)?;
            bind(state, &l.name, value)?;
        }
        (LetValue::Simulate(_) | LetValue::Sweep(_) | LetValue::Poincare(_), _) => {
            let value = super::run::value(cx, state, ast, &l.value, remarks)?;
            if let Some(value) = value {
                bind(state, &l.name, value)?;
            }
        }
    }
    Ok(Effect::Declared)
}

// ----- forms, fields, Lagrangians -------------------------------------------------------------------

fn lagrangian(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let space = state.evaluator(cx, ast).space(&t.on)?;
    let manifold = space.manifold().clone();
    let value = state.evaluator(cx, ast).on(&manifold).eval(t.value)?;
    let span = ast.span(t.value);
    for word in &t.types {
        if &*word.word.node != "horizontal" && !(&*word.word.node == "form" && word.degree == Some(1)) {
            let place = Place::of(state, ast, t);
            return Err(Box::new(
                place.no_such_word(word, &word.word.node, "a Lagrangian").note("a Lagrangian is a horizontal 1-form"),
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
    let promise = FormPromise { degree: None, space: space.clone(), properties };
    let (form, ground) = Place::of(state, ast, t).settle_form(cx, &promise, &form, remarks)?;
    let function = form.as_function().unwrap_or_else(|| form.coefficient(&[manifold.base()]));
    let lagrangian = Lagrangian::new(cx, &manifold, function).map_err(|d| Box::new(d.or_at(span, "this function")))?;
    let system = System::new(&t.name.node, &manifold, Base::Lagrangian(lagrangian), t.name.span);
    bind(state, &t.name, Value::System(Rc::new(system)))?;
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

fn form(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let space = state.evaluator(cx, ast).any_space(&t.on)?;
    let value = state.evaluator(cx, ast).on(space.manifold()).eval(t.value)?;
    let form = at(as_form(cx, &value), ast.span(t.value))?;
    let (form, ground) = Place::of(state, ast, t).form(cx, &form, &space, remarks)?;
    bind(state, &t.name, Value::OnSpace(Rc::new(OnSpace { value: Value::Form(form), space })))?;
    state.rests_on(&t.name.node, &ground);
    Ok(())
}

fn field(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let space = state.evaluator(cx, ast).any_space(&t.on)?;
    let value = state.evaluator(cx, ast).on(space.manifold()).eval(t.value)?;
    let field = at(as_field(cx, &value), ast.span(t.value))?;
    let (field, ground) = Place::of(state, ast, t).field(cx, &field, &space, remarks)?;
    bind(state, &t.name, Value::OnSpace(Rc::new(OnSpace { value: Value::Field(field), space })))?;
    state.rests_on(&t.name.node, &ground);
    Ok(())
}

/// The entries of a block, evaluated on its space, with the repetitions unrolled.
fn entries<T>(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Rc<Ast>,
    d: &Described,
    read: impl Fn(&Evaluator, ExprId) -> Fallible<T>,
) -> Fallible<(JetSpace, Vec<(T, Span)>)> {
    let space = state.evaluator(cx, ast).any_space(&d.on)?;
    let evaluator = state.evaluator(cx, ast).on(space.manifold());
    let mut list = vec![];
    match &d.body {
        Body::Entries(ids) => {
            for &id in ids {
                evaluator.each_with(id, &mut |inner, body| {
                    list.push((read(inner, body)?, inner.ast.span(body)));
                    Ok(())
                })?;
            }
        }
        Body::Value(id) => list.push((read(&evaluator, *id)?, ast.span(*id))),
    }
    Ok((space, list))
}

/// The functions of a block live on its space.
fn order_of_block(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Rc<Ast>,
    name: Span,
    on: &ast::Space,
    ids: &[ExprId],
    functions: &[Expr],
    space: &JetSpace,
) -> Fallible<()> {
    let Some(&value) = ids.first() else { return Ok(()) };
    let place = Place { state, ast, name, types: &[], on, value };
    place.functions(cx, ids, functions, space).map(|_| ())
}

/// The coordinate before the colon of a component.
fn component_key(e: &Evaluator, key: ExprId) -> Fallible<Symbol> {
    match (e.ast.name(key), &e.on) {
        (Some(name), Some(manifold)) if e.scope.values.get(&*name.text).is_none() => {
            match super::elaborate::coordinate_of(manifold, &name.text) {
                Some(c) => Ok(c.jet(name.primes)),
                None => Err(Box::new(super::unknown::no_coordinate(manifold, &name.text, e.ast.span(key)))),
            }
        }
        _ => e.jet_symbol(key),
    }
}

/// `x: value` entries by coordinate.
fn components(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Rc<Ast>,
    d: &Described,
    what: &str,
) -> Fallible<(JetSpace, Vec<Expr>)> {
    state.evaluator(cx, ast).space(&d.on)?;
    let (space, list) = entries(cx, state, ast, d, |e, id| match e.ast.kind(id) {
        ExprKind::Component { key, value } => {
            let symbol = component_key(e, *key)?;
            // `x: m*x'' = -k*x`: the component is one side minus the other.
            if let Some((left, right)) = e.ast.equation(*value) {
                let (span, side) = (e.ast.span(*value), |id| state.source_text(e.ast.span(id)));
                let component = format!("{} - ({})", side(right), side(left));
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a component is an expression, not an equation")
                        .label(span, "which of the two sides?")
                        .repair(format!("give force minus inertia: `{symbol}: {component}`"), span, component),
                ));
            }
            Ok((symbol, e.expr(*value)?, e.ast.span(*key)))
        }
        _ => refuse(&codes::SYNTAX, "an entry is written `coordinate: expression`"),
    })?;
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
    Ok((space, values.into_iter().map(|v| v.map_or_else(Expr::zero, |(e, _)| e)).collect()))
}

fn force(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, d: &Described) -> Fallible<()> {
    let (space, list) = match &d.body {
        Body::Entries(_) => components(cx, state, ast, d, "forces")?,
        Body::Value(id) => {
            let space = state.evaluator(cx, ast).space(&d.on)?;
            let evaluator = state.evaluator(cx, ast).on(space.manifold());
            let form = at(as_form(cx, &evaluator.eval(*id)?), ast.span(*id))?;
            let place = Place { state, ast, name: d.name.span, types: &[], on: &d.on, value: *id };
            let list = super::promise::force_components(cx, &place, &form, space.manifold())?;
            (space, list)
        }
    };
    let ids: Vec<ExprId> = match &d.body {
        Body::Entries(ids) => ids.clone(),
        Body::Value(id) => vec![*id],
    };
    order_of_block(cx, state, ast, d.name.span, &d.on, &ids, &list, &space)?;
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
    bind(state, &d.name, Value::Force(Rc::new(force)))
}

fn equations(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, d: &Described) -> Fallible<()> {
    if let Body::Value(id) = &d.body {
        let space = state.evaluator(cx, ast).space(&d.on)?;
        let value = state.evaluator(cx, ast).on(space.manifold()).eval(*id)?;
        let system = at(System::from_value(cx, &value), ast.span(*id))?;
        return bind(state, &d.name, Value::System(system));
    }
    let (space, list) = components(cx, state, ast, d, "equations")?;
    if let Body::Entries(ids) = &d.body {
        order_of_block(cx, state, ast, d.name.span, &d.on, ids, &list, &space)?;
    }
    let system = System::new(&d.name.node, space.manifold(), Base::Equations(list), d.name.span);
    bind(state, &d.name, Value::System(Rc::new(system)))
}

fn constraint(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, c: &ast::Constraint) -> Fallible<()> {
    let space = state.evaluator(cx, ast).space(&c.on)?;
    let evaluator = state.evaluator(cx, ast).on(space.manifold());
    let mut equations = vec![];
    for &id in &c.equations {
        evaluator.each_with(id, &mut |inner, body| {
            match inner.eval(body)?.main() {
                Value::Claim(claim) if claim.relation == Relation::Equal => {
                    equations.push((as_expr(cx, &claim.left)? - as_expr(cx, &claim.right)?, inner.ast.span(body)));
                }
                Value::Set(set) => match set.branches() {
                    [only] => equations.extend(only.equations.iter().copied().map(|e| (e, inner.ast.span(body)))),
                    branches => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::WRONG_KIND, "a constraint is one set of equations")
                                .label(inner.ast.span(body), format!("this set has {} branches", branches.len()))
                                .help("declare a constraint for each branch that is meant"),
                        ));
                    }
                },
                _ => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "a constraint is an equation")
                            .label(inner.ast.span(body), "not an equation"),
                    ));
                }
            }
            Ok(())
        })?;
    }
    let mut item = Constraint {
        name: c.name.node.to_string(),
        space: space.clone(),
        equations,
        dependent: vec![],
        branch: vec![],
        reactions: None,
        forms: None,
        span: c.name.span,
        examined: Default::default(),
    };
    for clause in &c.clauses {
        match clause.kind {
            ConstraintClauseKind::Dependent => {
                item.dependent = clause.values.iter().map(|v| evaluator.jet_symbol(*v)).collect::<Fallible<_>>()?;
            }
            ConstraintClauseKind::Branch => {
                item.branch = clause.values.iter().map(|v| evaluator.eval(*v)).collect::<Fallible<_>>()?;
            }
            ConstraintClauseKind::Reactions => {
                let none = matches!(clause.values.as_slice(), [v] if ast.name(*v).is_some_and(|n| &*n.text == "none"));
                item.reactions = Some(if none { vec![] } else { one_forms(cx, &evaluator, &clause.values)? });
            }
            ConstraintClauseKind::Forms => item.forms = Some(one_forms(cx, &evaluator, &clause.values)?),
        }
    }
    let exprs: Vec<Expr> = item.equations.iter().map(|(e, _)| *e).collect();
    order_of_block(cx, state, ast, c.name.span, &c.on, &c.equations, &exprs, &space)?;
    refuse_without_effect(cx, &item, ast, c)?;
    bind(state, &c.name, Value::Constraint(Rc::new(item)))
}

/// An equation that always holds, a block without equations and forms, a coordinate to solve for that
/// does not occur: none of them can have an effect.
fn refuse_without_effect(cx: &Inquiry, item: &Constraint, ast: &Ast, c: &ast::Constraint) -> Fallible<()> {
    let refuse = |title: &str, span: Span, label: &str| {
        Err(Box::new(Diagnostic::error(&codes::NO_EFFECT, title).label(span, label)))
    };
    if item.equations.is_empty() && item.forms.is_none() {
        return refuse("this constraint says nothing", c.name.span, "neither an equation nor forms");
    }
    if let Some((_, span)) = item.equations.iter().find(|(e, _)| crate::algebra::decide::is_zero(cx, *e).is_yes()) {
        return refuse("this equation always holds", *span, "left and right side are equal");
    }
    let ids = c.clauses.iter().filter(|clause| clause.kind == ConstraintClauseKind::Dependent);
    let ids = ids.flat_map(|clause| &clause.values);
    for (symbol, id) in item.dependent.iter().zip(ids) {
        let coordinate = symbol.as_jet().map(|(c, _)| c);
        let occurs = |e: &Expr| e.symbols().iter().any(|s| s.as_jet().map(|(c, _)| c) == coordinate);
        if !item.equations.is_empty() && !item.equations.iter().any(|(e, _)| occurs(e)) {
            return refuse(
                &format!("the constraint cannot be solved for `{symbol}`"),
                ast.span(*id),
                "does not occur in the equations",
            );
        }
    }
    Ok(())
}

fn one_forms(cx: &Inquiry, evaluator: &Evaluator, ids: &[ExprId]) -> Fallible<Vec<Form>> {
    let mut list = vec![];
    for &id in ids {
        let span = evaluator.ast.span(id);
        match evaluator.eval(id)?.main() {
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

fn system(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, s: &ast::System) -> Fallible<()> {
    let evaluator = state.evaluator(cx, ast);
    let value = match &s.body {
        SystemBody::Generated(id) => {
            let form = one_form(cx, &evaluator.eval(*id)?, ast.span(*id))?;
            let manifold = form.manifold()?.ok_or_else(|| {
                Box::new(
                    Diagnostic::error(&codes::WRONG_MANIFOLD, "this form lives on no manifold")
                        .label(ast.span(*id), "this form"),
                )
            })?;
            System::new(&s.name.node, &manifold, Base::Generated(form), s.name.span)
        }
        SystemBody::Composed { base, forces, constraints } => {
            return bind(state, &s.name, composed(&evaluator, Some(&s.name), *base, forces, constraints)?);
        }
    };
    bind(state, &s.name, Value::System(Rc::new(value)))
}

/// `L with F and G subject to C and D`; without a name it is a system where it is asked about.
pub(super) fn composed(
    evaluator: &Evaluator,
    name: Option<&Word>,
    base: ExprId,
    forces: &[ExprId],
    constraints: &[ExprId],
) -> Fallible<Value> {
    let (cx, ast) = (&evaluator.cx, &evaluator.ast);
    let value = evaluator.eval(base)?;
    let start = at(System::from_value(cx, &value), ast.span(base))?;
    if forces.is_empty() && constraints.is_empty() {
        return Ok(Value::System(start));
    }
    let (name, span) = name.map_or((&*start.name, ast.span(base)), |name| (&*name.node, name.span));
    let mut system = System::new(name, &start.manifold, start.base.clone(), span);
    system.forces = start.forces.clone();
    system.constraints = start.constraints.clone();
    for &id in forces {
        match evaluator.eval(id)?.main() {
            Value::Force(f) => {
                if f.manifold != system.manifold {
                    return Err(Box::new(wrong_manifold(&f.manifold, &system.manifold, ast.span(id))));
                }
                system.forces.push(f);
            }
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, format!("`with` takes a force, not {}", describe(&other)))
                        .label(ast.span(id), "not a force"),
                ));
            }
        }
    }
    for &id in constraints {
        match evaluator.eval(id)?.main() {
            Value::Constraint(c) => {
                if c.space.manifold() != &system.manifold {
                    return Err(Box::new(wrong_manifold(c.space.manifold(), &system.manifold, ast.span(id))));
                }
                if system.constraints.iter().any(|known| Rc::ptr_eq(known, &c)) {
                    return Err(Box::new(
                        Diagnostic::error(&codes::NO_EFFECT, format!("`{}` is there already", c.name))
                            .label(ast.span(id), "a second time"),
                    ));
                }
                system.constraints.push(c);
            }
            other => {
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::WRONG_KIND,
                        format!("`subject to` takes a constraint, not {}", describe(&other)),
                    )
                    .label(ast.span(id), "not a constraint"),
                ));
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

fn mixed(cx: &Inquiry, state: &mut Interpreter, ast: &Rc<Ast>, d: &Described) -> Fallible<()> {
    let (space, list) = entries(cx, state, ast, d, |e, id| match e.eval(id)? {
        Value::Claim(claim) if claim.relation == Relation::Equal => match as_expr(cx, &claim.left)?.as_symbol() {
            Some(symbol) if symbol.as_jet().is_some_and(|(_, order)| order == 1 || order == 2) => {
                Ok((symbol, as_expr(cx, &claim.right)?))
            }
            _ => refuse(&codes::WRONG_KIND, "the left side of a mixed equation is `x'` or `x''`"),
        },
        _ => refuse(&codes::WRONG_KIND, "a mixed system is given by equations"),
    })?;
    let list = list.into_iter().map(|(entry, _)| entry).collect();
    let system = System::new(&d.name.node, space.manifold(), Base::Mixed(list), d.name.span);
    bind(state, &d.name, Value::System(Rc::new(system)))
}

/// Used by the type checker to find the words at fault.
pub(super) fn terms_of(ast: &Ast, id: ExprId) -> Vec<ExprId> {
    match ast.kind(id) {
        ExprKind::Sum(terms) => terms.iter().flat_map(|(_, t)| terms_of(ast, *t)).collect(),
        ExprKind::Neg(of) => terms_of(ast, *of),
        _ => vec![id],
    }
}
