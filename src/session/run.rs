//! Runs: `simulate`, and what shows and keeps them. Everything is checked before anything runs: the
//! end, the method, the tolerance, a value for every parameter, a body for every function, an initial
//! state at which the motion is determined.

use super::elaborate::Evaluator;
use super::interpreter::{Effect, Interpreter};
use super::mention;
use super::operate::describe;
use crate::algebra::substitute::{define_function, substitute};
use crate::algebra::{Expr, Function, Node, Symbol, ball, decide};
use crate::codegen::compiled::{Backend, Options};
use crate::codegen::ir::Kernel;
use crate::codegen::lower::{self, Obstacle, Signature};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::integrate::control::Tolerance;
use crate::integrate::method::{METHODS, Method};
use crate::integrate::problem::{BadProblem, Direction, Event, InitialValueProblem, Motion, MotionSpec, Recording};
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::model::item::System;
use crate::model::run::{Run, Series};
use crate::model::value::{Fallible, Value};
use crate::report;
use crate::report::plot::{Curve, Plot};
use crate::source::Span;
use crate::syntax::ast::{self, Ast, ExprId, ExprKind, LetValue, RunClauseKind, Simulate, Statement, StatementKind};
use crate::timing;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Statements that run something or show a run.
pub fn run(
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    statement: &Statement,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    if state.check_only {
        mention::mark(state, ast, statement.span);
        return Ok(Effect::Done);
    }
    match &statement.kind {
        StatementKind::Simulate(s) => {
            let run = simulate(state, ast, s, remarks)?;
            let value = Value::Run(Rc::new(run));
            state.last = Some(value.clone());
            Ok(Effect::Answered(value))
        }
        StatementKind::Plot(p) => plot(state, ast, p),
        StatementKind::Save(s) => save(state, ast, s),
        StatementKind::Sweep(s) => not_yet("sweep", s.span),
        StatementKind::Animate(_) => not_yet("animate", first_word(statement.span, "animate")),
        StatementKind::Poincare(p) => not_yet("poincare", p.span),
        _ => unreachable!("a statement of this file"),
    }
}

/// `let run = simulate …`.
pub fn value(
    state: &mut Interpreter,
    ast: &Rc<Ast>,
    value: &LetValue,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Option<Value>> {
    if state.check_only {
        if let LetValue::Simulate(Simulate { span, .. }) | LetValue::Sweep(ast::Sweep { span, .. }) = value {
            mention::mark(state, ast, *span);
        }
        return Ok(None);
    }
    match value {
        LetValue::Simulate(s) => Ok(Some(Value::Run(Rc::new(simulate(state, ast, s, remarks)?)))),
        LetValue::Sweep(s) => not_yet("sweep", s.span),
        LetValue::Poincare(p) => not_yet("poincare", p.span),
        LetValue::Expr(_) => unreachable!("no run"),
    }
}

fn first_word(span: Span, word: &str) -> Span {
    Span { end: span.start + word.len() as u32, ..span }
}

fn not_yet<T>(word: &str, span: Span) -> Fallible<T> {
    Err(Box::new(
        Diagnostic::error(&codes::NOT_AVAILABLE, format!("`{word}` is not available yet"))
            .label(first_word(span, word), "no answer in this version"),
    ))
}

/// What the clauses of a run say.
struct Clauses {
    /// Values over the declared ones.
    set: FxHashMap<Symbol, Expr>,
    bodies: Vec<(Function, Vec<Symbol>, Expr)>,
    from: Vec<(Symbol, Expr, Span)>,
    until: (Symbol, Expr, Span),
    method: Method,
    tolerance: Tolerance,
    step: Option<f64>,
    record: Option<Vec<(String, Expr)>>,
    every: Option<f64>,
    stops: Vec<(Expr, Event)>,
}

fn simulate(state: &Interpreter, ast: &Rc<Ast>, s: &Simulate, remarks: &mut Vec<Diagnostic>) -> Fallible<Run> {
    let evaluator = state.evaluator(ast);
    let value = evaluator.eval(s.system)?;
    let system_span = ast.span(s.system);
    let system = super::elaborate::at(System::from_value(&value), system_span)?;
    if let Some(constraint) = system.constraints.first() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_AVAILABLE, "runs of constrained systems are not available yet")
                .label(system_span, format!("subject to `{}`", constraint.name)),
        ));
    }
    let form = system.dynamical_form()?;
    let evaluator = state.evaluator(ast).on(&system.manifold);
    let clauses = read_clauses(state, &evaluator, s, &system)?;
    let time = system.manifold.base();
    if clauses.until.0 != time {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_END, format!("a run ends at a value of {time}"))
                .label(clauses.until.2, "not the time")
                .help(format!("write `until {time} = 10`; `stop when` stops it elsewhere")),
        ));
    }
    let states = form.phase_jets();
    let numbers = Numbers::new(state, &clauses);
    // Parameters that occur, and functions that need a body.
    let (chain, a, b) = equations(&form, &clauses);
    let mut all: Vec<Expr> = chain.iter().chain(&a).chain(b.iter().flatten()).copied().collect();
    let record: Vec<(String, Expr)> = match &clauses.record {
        Some(list) => list.iter().map(|(n, e)| (n.clone(), with_bodies(*e, &clauses))).collect(),
        None => vec![],
    };
    // Recorded expressions may contain the highest derivatives: they are those of the motion.
    all.extend(record.iter().map(|(_, e)| *e));
    let stops: Vec<(Expr, Event)> =
        clauses.stops.iter().map(|(e, event)| (with_bodies(*e, &clauses), event.clone())).collect();
    all.extend(stops.iter().map(|(e, _)| *e));
    let parameters: Vec<Symbol> =
        crate::algebra::expr::symbols_of(&all).into_iter().filter(|p| p.is_parameter()).collect();
    let missing: Vec<String> =
        parameters.iter().filter(|p| numbers.value_of(**p).is_none()).map(|p| format!("`{p}`")).collect();
    if !missing.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, format!("a value is missing for {}", missing.join(", ")))
                .label(system_span, "this system depends on it")
                .help(format!("add `set {} = …` to the run, or declare it with a value", missing[0].trim_matches('`'))),
        ));
    }
    let values = parameters.iter().map(|p| numbers.value_of(*p).expect("just seen")).collect::<Vec<f64>>();
    let signature = Signature {
        time: Some(time),
        states: states.clone(),
        parameters: parameters.clone(),
        tables: state.tables.clone(),
    };
    refuse_if_undetermined(&form, &b, system_span)?;
    let symmetric = b.iter().enumerate().all(|(i, row)| (0..i).all(|j| row[j] == b[j][i]));
    let equations = lower::Equations { chain: &chain, b: &b, a: &a, symmetric };
    let obstacle = |o: Obstacle| obstacle_diagnostic(&o, system_span);
    let field = lower::vector_field(&signature, &equations).map_err(obstacle)?;
    let mut spec = MotionSpec::field(field);
    if !record.is_empty() {
        spec = spec.record(recorded(&signature, &form, &record, system_span)?);
    }
    if !stops.is_empty() {
        let list: Vec<(String, Expr)> = stops.iter().map(|(e, event)| (event.name.clone(), *e)).collect();
        let kernel = lower::expressions("events", &signature, &list).map_err(obstacle)?;
        spec = spec.events(kernel, stops.iter().map(|(_, event)| event.clone()).collect());
    }
    let backend = if state.options.jit { Backend::OptimisedCode } else { Backend::Interpreter };
    let options = Options { backend, portable: state.options.portable };
    timing::nodes("compile", spec.field.n_operations());
    let motion = timing::stage("compile", || Motion::new(spec, options));
    let problem = problem(&clauses, &numbers, &states, time, values.clone())?;
    let trajectory = timing::stage("integrate", || crate::integrate::run(&motion, &problem))
        .map_err(|bad| bad_problem(&bad, s, system_span))?;
    timing::nodes("integrate", trajectory.len());
    if !trajectory.reason.is_complete() {
        remarks.push(
            Diagnostic::warning(&codes::RUN_STOPPED, format!("the run stopped early: {}", trajectory.reason))
                .label(first_word(s.span, "simulate"), format!("at {time} = {}", report::table::short(trajectory.end))),
        );
    }
    Ok(Run {
        system: system.name.clone(),
        trajectory,
        motion: Rc::new(motion),
        problem,
        time,
        states,
        parameters: parameters.into_iter().zip(values).collect(),
        records: clauses.record.is_some(),
    })
}

/// A recorded expression may contain the highest derivatives; they are computed as the motion has them.
fn recorded(signature: &Signature, form: &DynamicalForm, record: &[(String, Expr)], span: Span) -> Fallible<Kernel> {
    lower::expressions("record", signature, record).map_err(|o| match &o {
        Obstacle::Symbol(s) if form.manifold().order_of_symbol(*s).is_some() => Box::new(
            Diagnostic::error(&codes::ORDER_TOO_HIGH, format!("`{s}` is not a state of this motion"))
                .label(span, format!("its states are those of {}", form.phase_space()))
                .help("record the expression the equations give for it"),
        ),
        _ => obstacle_diagnostic(&o, span),
    })
}

fn obstacle_diagnostic(o: &Obstacle, span: Span) -> Box<Diagnostic> {
    Box::new(match o {
        Obstacle::Function(f) => {
            Diagnostic::error(&codes::MISSING_PARAMETER, format!("the function `{}` has no body", f.name()))
                .label(span, "this system depends on it")
                .help(format!("add `set {}(x) = …` to the run, or declare it with a table", f.name()))
        }
        _ => Diagnostic::error(&codes::MISSING_PARAMETER, format!("the motion cannot be computed: {o}"))
            .label(span, "this system"),
    })
}

/// q_{k+1} for the lower jets, and A, B of E = A + B q_s, with the bodies of functions put in.
fn equations(form: &DynamicalForm, clauses: &Clauses) -> (Vec<Expr>, Vec<Expr>, Vec<Vec<Expr>>) {
    let y = form.manifold();
    let mut chain = vec![];
    for k in 1..form.order() {
        chain.extend(y.fibres().iter().map(|f| Expr::symbol(f.coordinate.jet(k))));
    }
    let put = |e: &Expr| with_bodies(*e, clauses);
    let b = form.b().iter().map(|row| row.iter().map(put).collect()).collect();
    (chain, form.a().iter().map(put).collect(), b)
}

fn with_bodies(e: Expr, clauses: &Clauses) -> Expr {
    clauses.bodies.iter().fold(e, |e, (f, parameters, body)| define_function(e, *f, parameters, *body))
}

/// A singular B has no determined motion: refused before anything is compiled.
fn refuse_if_undetermined(form: &DynamicalForm, b: &[Vec<Expr>], span: Span) -> Fallible<()> {
    let zero_row = b.iter().position(|row| row.iter().all(|e| decide::is_zero(*e).is_yes()));
    let zero_column = (0..b.len()).find(|&j| b.iter().all(|row| decide::is_zero(row[j]).is_yes()));
    let names = form.manifold().fibres();
    let diagnostic = |what: String| {
        Box::new(
            Diagnostic::error(
                &codes::NOT_DETERMINED,
                "the motion of this system is not determined by its equations as they stand",
            )
            .label(span, "singular: B is not invertible")
            .note(what)
            .help("ask `dynamics(S)` for the submanifolds on which it moves, and run it with `branch`"),
        )
    };
    if let Some(i) = zero_row {
        return Err(diagnostic(format!(
            "the equation of {} contains no highest derivative",
            names[i].coordinate.name()
        )));
    }
    if let Some(j) = zero_column {
        return Err(diagnostic(format!(
            "no equation contains the highest derivative of {}",
            names[j].coordinate.name()
        )));
    }
    Ok(())
}

fn bad_problem(bad: &BadProblem, s: &Simulate, system: Span) -> Box<Diagnostic> {
    let place = |kind: fn(&RunClauseKind) -> bool| {
        s.clauses.iter().find(|c| kind(&c.kind)).map_or(first_word(s.span, "simulate"), |c| c.span)
    };
    Box::new(match bad {
        BadProblem::Tolerance => Diagnostic::error(&codes::BAD_OPTION, "a tolerance lies between 0 and 1")
            .label(place(|k| matches!(k, RunClauseKind::Tolerance(_))), "out of range"),
        BadProblem::End => Diagnostic::error(&codes::NO_END, "the run has no end")
            .label(place(|k| matches!(k, RunClauseKind::Until(_))), "not a finite time"),
        BadProblem::Step => Diagnostic::error(&codes::BAD_OPTION, "a step is a positive number")
            .label(place(|k| matches!(k, RunClauseKind::Step(_))), "not positive"),
        BadProblem::Recording => Diagnostic::error(&codes::BAD_OPTION, "a recording interval is a positive number")
            .label(place(|k| matches!(k, RunClauseKind::Record { .. })), "not positive"),
        BadProblem::Start { failure } => {
            Diagnostic::error(&codes::NO_MOTION, "there is no determined motion from this state")
                .label(place(|k| matches!(k, RunClauseKind::From(_))), "this initial state")
                .label(system, "of this system")
                .note(failure.to_string())
                .help("`classify(S)` says where the system is regular, `dynamics(S)` where it moves")
        }
        other => {
            Diagnostic::error(&codes::BAD_OPTION, other.to_string()).label(first_word(s.span, "simulate"), "this run")
        }
    })
}

/// Values of parameters, as numbers.
struct Numbers {
    values: FxHashMap<Symbol, Expr>,
}

impl Numbers {
    fn new(state: &Interpreter, clauses: &Clauses) -> Numbers {
        let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (symbol, value) in &state.parameters {
            let value = clauses.set.get(symbol).copied().unwrap_or(*value);
            let resolved = substitute(value, &values);
            values.insert(*symbol, resolved);
        }
        for (symbol, value) in &clauses.set {
            if !values.contains_key(symbol) {
                values.insert(*symbol, *value);
            }
        }
        Numbers { values }
    }

    fn value_of(&self, symbol: Symbol) -> Option<f64> {
        self.number(*self.values.get(&symbol)?)
    }

    /// The nearest double of an expression in parameters.
    fn number(&self, e: Expr) -> Option<f64> {
        let e = substitute(e, &self.values);
        match e.node() {
            Node::Number(n) => Some(lower::to_f64(n)),
            _ => ball::decimal(e, &FxHashMap::default(), 19).ok()??.parse().ok(),
        }
    }
}

fn problem(
    clauses: &Clauses,
    numbers: &Numbers,
    states: &[Symbol],
    time: Symbol,
    parameters: Vec<f64>,
) -> Fallible<InitialValueProblem> {
    let number = |e: Expr, span: Span| {
        numbers.number(e).ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::MISSING_PARAMETER, "this is not a number")
                    .label(span, "a parameter in it has no value"),
            )
        })
    };
    let mut state = vec![0.0; states.len()];
    let mut start = 0.0;
    for (symbol, value, span) in &clauses.from {
        let x = number(*value, *span)?;
        if *symbol == time {
            start = x;
        } else if let Some(i) = states.iter().position(|s| s == symbol) {
            state[i] = x;
        } else {
            let names: Vec<String> = states.iter().map(|s| s.name()).collect();
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a state of this motion"))
                    .label(*span, "has no effect")
                    .note(format!("the states are {}", names.join(", "))),
            ));
        }
    }
    let end = number(clauses.until.1, clauses.until.2)?;
    let mut problem = InitialValueProblem::new(state, parameters, end).from(start).method(clauses.method).dense();
    problem.tolerance = clauses.tolerance.clone();
    if let Some(step) = clauses.step {
        problem = if clauses.method == Method::Rk4 { problem.fixed_step(step) } else { problem.step(step) };
    }
    if let Some(every) = clauses.every {
        problem = problem.recording(Recording::Every(every));
    }
    Ok(problem)
}

fn read_clauses(state: &Interpreter, evaluator: &Evaluator, s: &Simulate, system: &System) -> Fallible<Clauses> {
    let ast = &evaluator.ast;
    let mut until = None;
    let mut clauses = Clauses {
        set: FxHashMap::default(),
        bodies: vec![],
        from: vec![],
        until: (system.manifold.base(), Expr::zero(), s.span),
        method: Method::Auto,
        tolerance: Tolerance::default(),
        step: None,
        record: None,
        every: None,
        stops: vec![],
    };
    for clause in &s.clauses {
        match &clause.kind {
            RunClauseKind::Set(list) => {
                for &id in list {
                    read_set(state, evaluator, id, &mut clauses)?;
                }
            }
            RunClauseKind::From(list) => {
                for &id in list {
                    read_from(evaluator, id, &mut clauses)?;
                }
            }
            RunClauseKind::Until(id) => {
                let Some((left, right)) = ast.equation(*id) else {
                    return Err(Box::new(
                        Diagnostic::error(&codes::NO_END, "`until` takes an equation such as `t = 10`")
                            .label(ast.span(*id), "not an equation"),
                    ));
                };
                until = Some((evaluator.jet_symbol(left)?, evaluator.expr(right)?, ast.span(*id)));
            }
            RunClauseKind::Method(id) => clauses.method = read_method(ast, *id)?,
            RunClauseKind::Tolerance(list) => clauses.tolerance = read_tolerance(evaluator, list, system)?,
            RunClauseKind::Step(id) => clauses.step = Some(positive(evaluator, *id, "a step")?),
            RunClauseKind::Record { columns, every } => {
                let mut record = clauses.record.take().unwrap_or_default();
                for &id in columns {
                    let (name, value) = match ast.option(id) {
                        Some((name, value)) => (name.node.to_string(), evaluator.expr(value)?),
                        None => (state.source_text(ast.span(id)), evaluator.expr(id)?),
                    };
                    if record.iter().any(|(n, _)| *n == name) {
                        return Err(Box::new(
                            Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is recorded twice"))
                                .label(ast.span(id), "again"),
                        ));
                    }
                    record.push((name, value));
                }
                clauses.record = Some(record);
                if let Some(every) = every {
                    clauses.every = Some(positive(evaluator, *every, "an interval")?);
                }
            }
            RunClauseKind::Stop { when, direction } => {
                let Some((left, right)) = ast.equation(*when) else {
                    return Err(Box::new(
                        Diagnostic::error(&codes::BAD_OPTION, "`stop when` takes an equation")
                            .label(ast.span(*when), "not an equation"),
                    ));
                };
                let e = evaluator.expr(left)? - evaluator.expr(right)?;
                let direction = match direction {
                    Some(ast::Direction::Rising) => Direction::Rising,
                    Some(ast::Direction::Falling) => Direction::Falling,
                    None => Direction::Either,
                };
                let name = state.source_text(ast.span(*when));
                let mut event = Event::stop(name, direction);
                if let Some(symbol) = evaluator.expr(left)?.as_symbol()
                    && symbol.as_jet().is_some_and(|(c, order)| order == 0 && c.is_angle())
                {
                    event.period = Some(std::f64::consts::TAU);
                }
                clauses.stops.push((e, event));
            }
            RunClauseKind::Branch(_) => {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_AVAILABLE, "runs on a branch are not available yet")
                        .label(clause.span, "not used"),
                ));
            }
            RunClauseKind::Collect(_) => {
                return Err(Box::new(
                    Diagnostic::error(&codes::NO_EFFECT, "`collect` belongs to a sweep")
                        .label(clause.span, "no effect here"),
                ));
            }
        }
    }
    match until {
        Some(until) => {
            clauses.until = until;
            Ok(clauses)
        }
        None => Err(Box::new(
            Diagnostic::error(&codes::NO_END, "this run has no end")
                .label(first_word(s.span, "simulate"), "no `until`")
                .help(format!("add `until {} = 10`", system.manifold.base())),
        )),
    }
}

fn positive(evaluator: &Evaluator, id: ExprId, what: &str) -> Fallible<f64> {
    let n = evaluator.number(id)?;
    if n.signum() <= 0 {
        return Err(Box::new(
            Diagnostic::error(&codes::BAD_OPTION, format!("{what} is a positive number"))
                .label(evaluator.ast.span(id), "not positive"),
        ));
    }
    Ok(lower::to_f64(&n))
}

/// `m = 2` or `V(theta) = cos(theta)`.
fn read_set(state: &Interpreter, evaluator: &Evaluator, id: ExprId, clauses: &mut Clauses) -> Fallible<()> {
    let ast = &evaluator.ast;
    let Some((left, right)) = ast.equation(id) else {
        return Err(Box::new(
            Diagnostic::error(&codes::BAD_OPTION, "`set` takes equations").label(ast.span(id), "not an equation"),
        ));
    };
    if let ExprKind::Call { callee, arguments } = ast.kind(left)
        && let Some(name) = ast.name(*callee)
        && let Some(binding) = state.scope.function(&name.text)
        && let super::scope::Callable::Unknown(function) = binding.callable
    {
        let mut parameters = vec![];
        for argument in arguments {
            parameters.push(evaluator.jet_symbol(*argument)?);
        }
        let body = evaluator.expr(right)?;
        clauses.bodies.push((function, parameters, body));
        return Ok(());
    }
    let symbol = evaluator.jet_symbol(left)?;
    if !symbol.is_parameter() {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a parameter"))
                .label(ast.span(left), "`set` gives values to parameters and functions")
                .help(format!("an initial value is given with `from {symbol} = …`")),
        ));
    }
    let value = evaluator.expr(right)?;
    clauses.set.insert(symbol, value);
    Ok(())
}

/// `x = 1`, or a point.
fn read_from(evaluator: &Evaluator, id: ExprId, clauses: &mut Clauses) -> Fallible<()> {
    let ast = &evaluator.ast;
    let span = ast.span(id);
    if let Some((left, right)) = ast.equation(id) {
        let symbol = evaluator.jet_symbol(left)?;
        if clauses.from.iter().any(|(s, _, _)| *s == symbol) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{symbol}` is given twice")).label(span, "again"),
            ));
        }
        clauses.from.push((symbol, evaluator.expr(right)?, span));
        return Ok(());
    }
    let point = evaluator.point(id)?;
    for entry in &point.entries {
        let symbol = entry.symbols.iter().copied().find(|s| {
            evaluator.on.as_ref().is_none_or(|m| m.order_of_symbol(*s).is_some() || m.base() == *s || s.is_parameter())
        });
        let Some(symbol) = symbol else { continue };
        if symbol.is_parameter() {
            clauses.set.entry(symbol).or_insert(entry.value);
            continue;
        }
        clauses.from.push((symbol, entry.value, span));
    }
    Ok(())
}

fn read_method(ast: &Ast, id: ExprId) -> Fallible<Method> {
    let later = ["gauss", "verlet", "variational", "radau", "bdf"];
    let name = match ast.kind(id) {
        ExprKind::Call { callee, .. } => ast.name(*callee),
        _ => ast.name(id),
    };
    let text = name.map(|n| n.text.to_string()).unwrap_or_default();
    if let Some(method) = Method::named(&text) {
        return Ok(method);
    }
    if later.contains(&text.as_str()) {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_AVAILABLE, format!("the method `{text}` is not available yet"))
                .label(ast.span(id), "not in this version"),
        ));
    }
    let d = Diagnostic::error(&codes::BAD_OPTION, format!("there is no method `{text}`"));
    let names: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
    Err(Box::new(match suggest::nearest(&text, names.iter().copied()) {
        Some(near) => d.label(ast.span(id), "not known").repair(format!("did you mean `{near}`?"), ast.span(id), near),
        None => d.label(ast.span(id), "not known").note(format!("the methods are {}", names.join(", "))),
    }))
}

fn read_tolerance(evaluator: &Evaluator, list: &[ast::Tolerance], system: &System) -> Fallible<Tolerance> {
    let mut tolerance = Tolerance::default();
    let _ = system;
    for entry in list {
        match entry {
            ast::Tolerance::Both(id) => tolerance = Tolerance::both(positive(evaluator, *id, "a tolerance")?),
            ast::Tolerance::Relative(id) => tolerance.relative = positive(evaluator, *id, "a tolerance")?,
            ast::Tolerance::Absolute(id) => tolerance.absolute = positive(evaluator, *id, "a tolerance")?,
            ast::Tolerance::Scale { coordinate, .. } => {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_AVAILABLE, "scales of single coordinates are not available yet")
                        .label(evaluator.ast.span(*coordinate), "no effect in this version"),
                ));
            }
        }
    }
    Ok(tolerance)
}

// ----- showing and keeping ------------------------------------------------------------------------

fn the_run(state: &Interpreter, ast: &Rc<Ast>, id: ExprId) -> Fallible<Rc<Run>> {
    match state.evaluator(ast).eval(id)?.main() {
        Value::Run(run) => Ok(run),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a run is needed here")
                .label(ast.span(id), format!("this is {}", describe(&other)))
                .help("make one with `let run = simulate S { … }`"),
        )),
    }
}

/// A curve of a plot: a recorded column or state, by the text that names it.
fn column(state: &Interpreter, ast: &Rc<Ast>, run: &Run, id: ExprId) -> Fallible<Series> {
    let text = state.source_text(ast.span(id));
    if let Some(series) = run.series(&text) {
        return Ok(series);
    }
    let table = run.table();
    let mut names: Vec<String> = run.states.iter().map(|s| s.name()).collect();
    names.extend(table.columns().iter().map(|c| c.name.clone()));
    names.dedup();
    Err(Box::new(
        Diagnostic::error(&codes::UNKNOWN_PART, format!("the run has no column `{text}`"))
            .label(ast.span(id), "not recorded")
            .note(format!("it has {}", names.join(", ")))
            .help(format!("add it to the run: `record {text}`")),
    ))
}

fn plot(state: &mut Interpreter, ast: &Rc<Ast>, p: &ast::Plot) -> Fallible<Effect> {
    let run = the_run(state, ast, p.what)?;
    let mut picture = Plot { title: String::new(), x_name: run.time.name(), ..Plot::default() };
    for curve in &p.curves {
        let x = match curve.against {
            Some(id) => {
                let series = column(state, ast, &run, id)?;
                picture.x_name = series.name.clone();
                picture.x_period = angle_period(&run, &series.name);
                series.values.to_vec()
            }
            None => run.trajectory.times().to_vec(),
        };
        for &id in &curve.values {
            let series = column(state, ast, &run, id)?;
            picture.y_period = angle_period(&run, &series.name);
            picture.curves.push(Curve { name: series.name.clone(), x: x.clone(), y: series.values.to_vec() });
        }
    }
    match &p.to {
        None => Ok(Effect::Answered(Value::Text(picture.terminal(72, 18).into()))),
        Some(file) => {
            let path = state.options.out.join(&*file.node);
            report::write_file(&path, picture.svg(720, 480).as_bytes())
                .map_err(|d| Box::new(d.or_at(file.span, "this file")))?;
            Ok(Effect::Done)
        }
    }
}

fn angle_period(run: &Run, name: &str) -> Option<f64> {
    let symbol = run.states.iter().find(|s| s.name() == name)?;
    symbol.as_jet().filter(|(c, order)| *order == 0 && c.is_angle()).map(|_| std::f64::consts::TAU)
}

fn save(state: &mut Interpreter, ast: &Rc<Ast>, s: &ast::Save) -> Fallible<Effect> {
    let run = the_run(state, ast, s.what)?;
    let path = state.options.out.join(&*s.to.node);
    report::save(&run.table(), &path).map_err(|d| Box::new(d.or_at(s.to.span, "this file")))?;
    Ok(Effect::Done)
}

/// A table for an unspecified function: two columns, argument and value.
pub fn read_table(state: &mut Interpreter, function: Function, file: &str, span: Span) -> Fallible<()> {
    let path = super::file::inside(state, file, span)?;
    let text = super::file::read(&path, file, span)?;
    let mut points: Vec<(f64, f64)> = vec![];
    for (i, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split([',', ';', '\t']).map(str::trim).collect();
        match fields.as_slice() {
            [x, y, ..] => match (x.parse(), y.parse()) {
                (Ok(x), Ok(y)) => points.push((x, y)),
                // A heading.
                _ if i == 0 => {}
                _ => {
                    return Err(Box::new(Diagnostic::error(
                        &codes::CANNOT_READ,
                        format!("`{file}`, line {}: not two numbers", i + 1),
                    )));
                }
            },
            [""] => {}
            _ => {
                return Err(Box::new(Diagnostic::error(
                    &codes::CANNOT_READ,
                    format!("`{file}`, line {}: two columns are needed", i + 1),
                )));
            }
        }
    }
    use crate::codegen::table::{Outside, Table};
    let table = Table::spline(function.name(), &points, Outside::default())
        .map_err(|e| Box::new(Diagnostic::error(&codes::CANNOT_READ, format!("`{file}` is not a table: {e}"))))?;
    state.tables.insert(function, std::sync::Arc::new(table));
    Ok(())
}

/// The compiled vector field of a system as text.
pub fn emit(_: &Interpreter, system: &str, language: &str) -> Fallible<String> {
    Err(Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, format!("`{system}` cannot be written as {language} yet"))))
}
