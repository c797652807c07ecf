//! What can be found wrong without computing. Kinds of expressions are inferred from the leaves up: names are resolved to
//! their declarations, questions are read off their rows, and what is not known is anything. `lepage check`, which answers
//! no question and makes no run, says with it what a run would refuse: a name that nothing declares, a wrong number of
//! arguments, an argument that cannot be meant, an unknown option, part or label; all of a statement at once. The same
//! inference gives the type of a function of the language ([`shape`]).
//!
//! ```text
//! equations(@x)             @x is a vector field, `equations` takes a system
//! classify(L) is regulr     `regulr` is no verdict of that answer
//! ```
//!
//! Nothing is said that a run would not say: a function may be zero, and so a field; entries by coordinate, columns of a
//! run and what depends on values are left to it.

use super::declare::declared_names;
use super::elaborate::{check_arity, jet_word};
use super::interpreter::Interpreter;
use super::scope::{Callable, Closure, Meaning, Scope};
use super::signature::{self, Need};
use crate::algebra::Inquiry;
use crate::algebra::Symbol;
use crate::algebra::function::Elementary;
use crate::algebra::print::name::spelled;
use crate::diagnostic::{Diagnostic, Problems, codes};
use crate::model::compare;
use crate::model::kind::*;
use crate::model::value::Value;
use crate::questions::call::{self, Call, Degree, Given, Shape};
use crate::questions::word::of_value;
use crate::questions::{self, Question};
use crate::source::Span;
use crate::syntax::ast::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How deep functions that call functions are followed.
const MAX_DEPTH: usize = 8;

/// Who makes more mistakes in one statement wrote another language.
const MAX_PROBLEMS: usize = 100;

// ----- statements -----------------------------------------------------------------------------------

/// Everything that is wrong with a statement, in the order of the source.
pub fn statement(cx: &Inquiry, state: &Interpreter, ast: &Rc<Ast>, statement: &Statement) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    let mut look = |span: Span, names: Names| inspect(cx, state, ast, span, names, &mut problems);
    match &statement.kind {
        StatementKind::Question(id) | StatementKind::Explain(id) => drop(look(ast.span(*id), Names::Known)),
        // A claim that something is refused may be about anything.
        StatementKind::Assert(Assert { fails: Some(_), .. }) => {}
        StatementKind::Assert(assert) => {
            let shapes = look(ast.span(assert.claim), Names::Known);
            problems.extend(claim(ast, assert.claim, &shapes));
        }
        StatementKind::Simulate(s) | StatementKind::Let(Let { value: LetValue::Simulate(s), .. }) => {
            problems.extend(simulation(cx, state, ast, s.system, &s.clauses));
        }
        StatementKind::Sweep(s) | StatementKind::Let(Let { value: LetValue::Sweep(s), .. }) => {
            problems.extend(simulation(cx, state, ast, s.system, &s.clauses));
        }
        StatementKind::Plot(Plot { what, .. })
        | StatementKind::Save(Save { what, .. })
        | StatementKind::Animate(Animate { what, .. })
        | StatementKind::Poincare(Poincare { what, .. })
        | StatementKind::Let(Let { value: LetValue::Poincare(Poincare { what, .. }), .. }) => {
            let shapes = look(ast.span(*what), Names::Known);
            problems.extend(wanted(RUN, ast, *what, &shapes));
        }
        // The body of a function is looked at where it is called; a test statement by statement.
        StatementKind::Test(_) | StatementKind::Use(_) | StatementKind::Function(_) => {}
        StatementKind::Let(Let { parameters: Some(_), .. }) => {}
        StatementKind::Let(Let { value: LetValue::Expr(id), .. }) => drop(look(ast.span(*id), Names::Known)),
        _ => drop(look(statement.span, Names::Open)),
    }
    problems.into_sorted()
}

/// The names and calls of a piece of the text whose value is left open. Which of several coordinates a name means may be
/// said by the clause around it.
pub fn piece(cx: &Inquiry, state: &Interpreter, ast: &Rc<Ast>, span: Span) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    inspect(cx, state, ast, span, Names::Known, &mut problems);
    problems.into_sorted().into_iter().filter(|d| d.code != &codes::AMBIGUOUS_NAME).collect()
}

/// A run: its system, and the questions in its clauses.
fn simulation(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Rc<Ast>,
    system: ExprId,
    clauses: &[RunClause],
) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    let shapes = inspect(cx, state, ast, ast.span(system), Names::Known, &mut problems);
    // `hamilton(S)` runs in canonical coordinates.
    let canonical = shapes.get(&system).is_some_and(|s| s.question.is_some_and(|q| q.name == "hamilton"));
    if !canonical {
        problems.extend(wanted(SYSTEM, ast, system, &shapes));
    }
    // A column is named before it is there, and a method is no function.
    let is_open = |c: &&RunClause| !matches!(c.kind, RunClauseKind::Collect(_) | RunClauseKind::Method(_));
    for clause in clauses.iter().filter(is_open) {
        inspect(cx, state, ast, clause.span, Names::Open, &mut problems);
    }
    problems.into_sorted()
}

fn wanted(kinds: Kinds, ast: &Ast, id: ExprId, shapes: &Shapes) -> Option<Diagnostic> {
    call::wrong_kind(kinds, &given(ast, id, shapes.get(&id)?))
}

fn given(ast: &Ast, id: ExprId, shape: &Shape) -> Given {
    let degree = shape.degree.as_ref().filter(|d| d.of.is_empty()).map(|d| d.constant);
    Given { kinds: shape.kinds, degree, described: described(ast, id, shape), span: ast.span(id) }
}

/// What is asserted is true or false.
fn claim(ast: &Ast, id: ExprId, shapes: &Shapes) -> Option<Diagnostic> {
    let shape = shapes.get(&id).filter(|shape| !shape.kinds.meets(VERDICT.or(EQUATION).or(ANSWER)))?;
    Some(compare::neither(&described(ast, id, shape)).label(ast.span(id), "asserted here"))
}

/// "the number 3", "a 1-form".
fn described(ast: &Ast, id: ExprId, shape: &Shape) -> String {
    match ast.kind(id) {
        ExprKind::Number(n) => format!("the number {n}"),
        _ => shape.describe(),
    }
}

// ----- names that only a run declares ---------------------------------------------------------------

/// Marks every name that the text at `span` mentions as used.
pub fn mark(state: &Interpreter, ast: &Ast, span: Span) {
    for name in ast.inside(span).filter_map(|id| ast.name(id)) {
        // Looking a name up marks it; `dx` mentions `x`.
        let _ = state.scope.value(&name.text);
        if let Some(rest) = name.text.strip_prefix('d') {
            let _ = state.scope.value(rest);
        }
        let _ = state.scope.function(&name.text);
    }
}

/// Whether a text mentions a name that only a run would have declared; never, where runs are made.
pub fn rests_on_a_run(state: &Interpreter, ast: &Ast, span: Span) -> bool {
    if !state.check_only {
        return false;
    }
    ast.inside(span).filter_map(|id| ast.name(id)).any(|name| {
        let bound = state.scope.values.contains_key(&*name.text) || state.scope.functions.contains_key(&*name.text);
        !bound && !state.failed.contains(&*name.text) && to_come(ast, &name.text, span).is_some()
    })
}

/// What a statement of the text, or of the test around the place, declares under this name: a run, say, which is not
/// made here.
fn to_come(ast: &Ast, text: &str, place: Span) -> Option<Shape> {
    let declares = |s: &&Statement| declared_names(s).iter().any(|name| **name == *text);
    let found = ast.statements.iter().find_map(|s| match &s.kind {
        StatementKind::Test(test) if s.span.start <= place.start && place.end <= s.span.end => {
            test.body.iter().find(declares)
        }
        StatementKind::Test(_) => None,
        _ => Some(s).filter(declares),
    })?;
    Some(match &found.kind {
        StatementKind::Let(Let { value: LetValue::Simulate(_), .. }) => Shape::new(RUN),
        _ => Shape::UNKNOWN,
    })
}

// ----- inference ------------------------------------------------------------------------------------

/// Whether a name that nothing declares is a mistake here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Every name is known.
    Known,
    /// The block decides: coordinates of the manifold after `on`, keys, columns.
    Open,
}

type Shapes = FxHashMap<ExprId, Shape>;

/// The shapes of all expressions of a piece of the text, and what is wrong with them.
fn inspect(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Rc<Ast>,
    span: Span,
    names: Names,
    problems: &mut Problems,
) -> Shapes {
    let mut inference = Inference::new(&state.scope, ast);
    inference.judge = Some(Judge { state, names, place: span });
    inference.over(cx, ast.inside(span).collect());
    problems.extend(inference.problems);
    inference.shapes
}

/// The shape of what a function of the language gives, where it follows from its body.
pub fn shape(cx: &Inquiry, scope: &Scope, closure: &Closure, needs: &[Option<Need>]) -> Shape {
    shape_within(cx, scope, closure, needs, MAX_DEPTH)
}

/// A word that the label which an expression gives cannot be: `hessian(L).definite is positiv`.
pub fn unknown_label(cx: &Inquiry, scope: &Scope, ast: &Rc<Ast>, id: ExprId, word: &str) -> Option<Diagnostic> {
    let mut inference = Inference::new(scope, ast);
    inference.over(cx, ast.inside(ast.span(id)).collect());
    call::unknown_word(&inference.of(id), word)
}

fn shape_within(cx: &Inquiry, scope: &Scope, closure: &Closure, needs: &[Option<Need>], depth: usize) -> Shape {
    let mut inference = Inference::new(scope, &closure.ast);
    inference.depth = depth;
    for (name, need) in closure.parameters.iter().zip(needs) {
        let shape = match need.map(|n| n.kinds) {
            Some(FORM) => Shape::form("", Degree { constant: 0, of: vec![name.clone()] }),
            Some(kinds) if kinds.within(FUNCTION) => Shape::new(FUNCTION),
            Some(kinds) => Shape::new(kinds),
            None => Shape::UNKNOWN,
        };
        inference.locals.push((name.clone(), shape));
    }
    inference.over(cx, closure.ast.inside(closure.ast.span(closure.body)).collect());
    inference.shapes.remove(&closure.body).unwrap_or(Shape::UNKNOWN)
}

/// Who is told of mistakes.
struct Judge<'s> {
    state: &'s Interpreter,
    names: Names,
    place: Span,
}

struct Inference<'s> {
    scope: &'s Scope,
    ast: &'s Rc<Ast>,
    /// Parameters of a function.
    locals: Vec<(Rc<str>, Shape)>,
    /// Without one nothing is said.
    judge: Option<Judge<'s>>,
    shapes: Shapes,
    /// Names that are no values where they stand: functions, options, the coordinates of a point, indices.
    aside: FxHashSet<ExprId>,
    problems: Vec<Diagnostic>,
    /// Names that were said to be unknown: once is enough.
    told: FxHashSet<Rc<str>>,
    depth: usize,
}

impl<'s> Inference<'s> {
    fn new(scope: &'s Scope, ast: &'s Rc<Ast>) -> Inference<'s> {
        Inference {
            scope,
            ast,
            locals: vec![],
            judge: None,
            shapes: Shapes::default(),
            aside: FxHashSet::default(),
            problems: vec![],
            told: FxHashSet::default(),
            depth: MAX_DEPTH,
        }
    }

    /// Operands stand before those who use them, so that one pass in their order is enough, however deep they nest.
    fn over(&mut self, cx: &Inquiry, ids: Vec<ExprId>) {
        ids.iter().for_each(|id| self.set_aside(*id));
        for id in ids {
            let shape = if self.aside.contains(&id) { Shape::UNKNOWN } else { self.infer(cx, id) };
            self.shapes.insert(id, shape);
        }
    }

    fn set_aside(&mut self, id: ExprId) {
        let ast = self.ast;
        let left = |id: &ExprId| match ast.kind(*id) {
            ExprKind::Compare { left, .. } => Some(*left),
            _ => None,
        };
        match ast.kind(id) {
            ExprKind::Call { callee, arguments } => {
                self.aside.insert(*callee);
                // D(V, 1)(x^2): the function that is differentiated.
                if let ExprKind::Call { arguments, .. } = ast.kind(*callee) {
                    self.aside.extend(arguments.first());
                }
                if let ExprKind::Part { of, .. } = ast.kind(*callee) {
                    self.aside.insert(*of);
                }
                self.aside.extend(arguments.iter().filter_map(left));
                for (option, value) in arguments.iter().filter_map(|a| ast.option(*a)) {
                    // `P` in the option `names = P`; from here on `P_x` is a name.
                    if let Some(name) = ast.name(value).filter(|name| &*option.node == "names" && name.primes == 0) {
                        self.scope.allow_momentum_prefix(&name.text);
                        self.aside.insert(value);
                    }
                }
            }
            ExprKind::Point(entries) => self.aside.extend(entries.iter().filter_map(left)),
            ExprKind::Component { key, .. } => drop(self.aside.insert(*key)),
            ExprKind::Part { of, .. } if self.is_library(*of) => drop(self.aside.insert(*of)),
            ExprKind::Each(each) => {
                let is_index = |name: &Name| each.binders.iter().any(|b| b.index.node == name.text);
                let is_word = |id: ExprId| ast.span(id) == each.function.span;
                let inner = ast.inside(ast.span(id)).filter(|id| is_word(*id) || ast.name(*id).is_some_and(is_index));
                self.aside.extend(inner);
            }
            _ => {}
        }
    }

    fn of(&self, id: ExprId) -> Shape {
        self.shapes.get(&id).cloned().unwrap_or(Shape::UNKNOWN)
    }

    fn say(&mut self, problems: impl IntoIterator<Item = Diagnostic>) {
        if self.judge.is_some() && self.problems.len() < MAX_PROBLEMS {
            self.problems.extend(problems);
        }
    }

    /// A name that nothing declares, where it stands first.
    fn say_unknown(&mut self, name: &Rc<str>, problem: Diagnostic) {
        if self.told.insert(name.clone()) {
            self.say([problem]);
        }
    }

    fn infer(&mut self, cx: &Inquiry, id: ExprId) -> Shape {
        let ast = self.ast;
        match ast.kind(id) {
            ExprKind::Number(n) if n.is_zero() => Shape::new(Kinds::of(&[Kind::Zero])),
            ExprKind::Number(n) if n.to_i64().is_some() => Shape::new(Kinds::of(&[Kind::Integer])),
            ExprKind::Number(_) => Shape::new(Kinds::of(&[Kind::Number])),
            ExprKind::String(_) => Shape::new(TEXT),
            ExprKind::Name(name) => self.name(cx, id, name),
            ExprKind::Primed { of, .. } if self.of(*of).kinds.within(FUNCTION) => Shape::new(FUNCTION),
            ExprKind::Partial(_) => Shape::new(FIELD),
            ExprKind::Neg(of) => self.of(*of).stands_for(),
            ExprKind::Sum(terms) => terms.iter().map(|t| self.of(t.1)).reduce(plus).unwrap_or(Shape::UNKNOWN),
            ExprKind::Product(factors) => factors.iter().map(|f| self.of(f.1)).reduce(times).unwrap_or(Shape::UNKNOWN),
            ExprKind::Wedge(all) => all.iter().map(|f| self.of(*f)).reduce(wedge).unwrap_or(Shape::UNKNOWN),
            ExprKind::Power { base, exponent } => {
                let (base, exponent) = (self.of(*base), self.of(*exponent));
                let functions = base.kinds.within(FUNCTION) && exponent.kinds.within(FUNCTION);
                // A parameter of a function that is not used otherwise is one.
                let local = self.judge.is_none() && base.kinds.is_any();
                if functions || local { Shape::new(FUNCTION) } else { Shape::UNKNOWN }
            }
            ExprKind::Compare { .. } => Shape::new(EQUATION),
            ExprKind::Is { subject, word, .. } => {
                let problem = call::unknown_word(&self.of(*subject), &word.node);
                self.say(problem.map(|d| d.or_at(word.span, "here")));
                Shape::new(VERDICT)
            }
            ExprKind::Composed { .. } => Shape::new(SYSTEM),
            ExprKind::Not(_) | ExprKind::Or(_) => Shape::new(VERDICT),
            // `Q1 and Q2` are asked about jointly.
            ExprKind::And(all) if all.iter().all(|id| self.of(*id).kinds.meets(CONSTRAINT)) => {
                Shape::new(VERDICT.or(CONSTRAINT))
            }
            ExprKind::And(_) => Shape::new(VERDICT),
            ExprKind::At { subject, .. } => match self.of(*subject) {
                s if s.kinds.within(FUNCTION) => Shape::new(FUNCTION),
                s if s.kinds == FORM || s.kinds == FIELD => Shape { word: "", question: None, ..s },
                _ => Shape::UNKNOWN,
            },
            ExprKind::Call { callee, arguments } => self.call(cx, *callee, arguments),
            ExprKind::Part { of, key } => self.part(cx, id, *of, &key.node, key.span),
            ExprKind::Index { of, .. } if self.of(*of).kinds.within(FORM.or(FIELD)) => Shape::new(FUNCTION),
            ExprKind::List(_) => Shape::new(VECTOR),
            ExprKind::Point(_) => Shape::new(POINT),
            ExprKind::Tuple(_) | ExprKind::Range { .. } => Shape::new(LIST),
            ExprKind::Each(each) => match &*each.function.node {
                "list" => Shape::new(VECTOR),
                "integral" => Shape::new(FUNCTION),
                _ => self.of(each.body).stands_for(),
            },
            ExprKind::Primed { .. } | ExprKind::Index { .. } | ExprKind::Component { .. } => Shape::UNKNOWN,
        }
    }

    // ----- names --------------------------------------------------------------------------------------

    fn name(&mut self, cx: &Inquiry, id: ExprId, name: &Name) -> Shape {
        if let Some((_, shape)) = self.locals.iter().rev().find(|(n, _)| *n == name.text) {
            return if name.primes > 0 { shape.clone().like() } else { shape.clone() };
        }
        let Some(judge) = &self.judge else { return self.bound(name).unwrap_or_else(|| undeclared(name)) };
        if judge.names == Names::Open {
            // A coordinate of the manifold after `on` comes first.
            let hidden = has_coordinate(self.scope, &name.text) && !self.is_coordinate(&name.text);
            return match self.bound(name) {
                _ if hidden => Shape::UNKNOWN,
                Some(shape) => shape,
                None => match name.text.strip_prefix('d') {
                    Some(of) if has_coordinate(self.scope, of) => undeclared(name),
                    _ => Shape::UNKNOWN,
                },
            };
        }
        if &*name.text == "_" {
            return judge.state.last.as_ref().map_or(Shape::UNKNOWN, |last| of_value(&last.value));
        }
        if let Some(shape) = self.bound(name).filter(|_| self.is_one_thing(&name.text)) {
            return shape;
        }
        let evaluator = judge.state.evaluator(cx, self.ast);
        match evaluator.eval(id) {
            Ok(value) => of_value(&value),
            // Which coordinate is meant may be said by the answer whose entry it names, and the family by its indices.
            Err(d) if d.code == &codes::AMBIGUOUS_NAME && self.is_key(id) => Shape::UNKNOWN,
            Err(_) if self.is_family(id) => Shape::UNKNOWN,
            // What was refused above will not come.
            Err(d) => {
                match to_come(self.ast, &name.text, judge.place).filter(|_| !judge.state.failed.contains(&*name.text)) {
                    Some(shape) => shape,
                    None => {
                        self.say_unknown(&name.text, *d);
                        Shape::UNKNOWN
                    }
                }
            }
        }
    }

    /// What a declared name is.
    fn bound(&self, name: &Name) -> Option<Shape> {
        let binding = self.scope.values.get(&*name.text).or_else(|| self.scope.values.get(&spelled(&name.text)?))?;
        let shape = match &binding.meaning {
            Meaning::Value(value) => of_value(value),
            Meaning::Coordinate(_) => return Some(Shape::new(COORDINATE)),
            Meaning::Parameter(_) | Meaning::Base(_) => Shape::new(COORDINATE),
            Meaning::Library(_) => return None,
        };
        Some(if name.primes > 0 { shape.like() } else { shape })
    }

    fn is_library(&self, id: ExprId) -> bool {
        let binding = self.ast.name(id).and_then(|name| self.scope.values.get(&*name.text));
        matches!(binding.map(|b| &b.meaning), Some(Meaning::Library(_)))
    }

    /// Whether the name is bound to one thing, which need not be looked at more closely.
    fn is_one_thing(&self, text: &str) -> bool {
        match self.scope.values.get(text).map(|b| &b.meaning) {
            Some(Meaning::Coordinate(candidates)) => candidates.len() == 1,
            Some(Meaning::Library(_)) | None => false,
            Some(_) => true,
        }
    }

    fn is_coordinate(&self, text: &str) -> bool {
        matches!(self.scope.values.get(text).map(|b| &b.meaning), Some(Meaning::Coordinate(_)))
    }

    /// Whether the expression stands between the brackets of `A[key]`.
    fn is_key(&self, id: ExprId) -> bool {
        let within = |key: &ExprId| {
            let (key, own) = (self.ast.span(*key), self.ast.span(id));
            key.start <= own.start && own.end <= key.end
        };
        self.around(id).any(|user| match self.ast.kind(user) {
            ExprKind::Index { keys, .. } => keys.iter().any(within),
            _ => false,
        })
    }

    /// Whether it is the `dq` of `dq[i]`.
    fn is_family(&self, id: ExprId) -> bool {
        self.around(id).any(|user| matches!(self.ast.kind(user), ExprKind::Index { of, .. } if *of == id))
    }

    /// Expressions that may contain this one: they stand behind it and begin no later.
    fn around(&self, id: ExprId) -> impl Iterator<Item = ExprId> {
        let start = self.ast.span(id).start;
        let place = self.judge.as_ref().map(|j| j.place);
        let end = move |id: &ExprId| place.is_none_or(|place| self.ast.span(*id).start < place.end);
        let after = (id.0 + 1..self.ast.exprs.len() as u32).map(ExprId).take_while(end);
        after.filter(move |user| self.ast.span(*user).start <= start)
    }

    // ----- parts --------------------------------------------------------------------------------------

    fn part(&mut self, cx: &Inquiry, id: ExprId, of: ExprId, key: &Name, span: Span) -> Shape {
        // `Y.x`, `sp.x`: a name behind another.
        let owner = self.ast.name(of).filter(|n| n.primes == 0).and_then(|n| self.scope.values.get(&*n.text));
        if let Some(Meaning::Library(_) | Meaning::Value(Value::Manifold(_))) = owner.map(|b| &b.meaning) {
            let Some(judge) = &self.judge else { return Shape::UNKNOWN };
            return match judge.state.evaluator(cx, self.ast).eval(id) {
                Ok(value) => of_value(&value),
                Err(d) => {
                    self.say([*d]);
                    Shape::UNKNOWN
                }
            };
        }
        let shape = self.of(of);
        if key.primes == 0 && shape.question.is_some_and(|q| q.part(&key.text).is_some()) {
            return shape.part(&key.text);
        }
        if !is_a_name(self.scope, &key.text) {
            let written = format!("{}{}", key.text, "'".repeat(key.primes as usize));
            let problem = call::unknown_part(&shape, &written);
            self.say(problem.map(|d| d.or_at(span, "here")));
        }
        Shape::UNKNOWN
    }

    // ----- calls --------------------------------------------------------------------------------------

    fn call(&mut self, cx: &Inquiry, callee: ExprId, arguments: &[ExprId]) -> Shape {
        let (ast, scope) = (self.ast, self.scope);
        match ast.kind(callee) {
            ExprKind::Name(name) => self.call_in(cx, scope, name, ast.span(callee), arguments),
            ExprKind::Part { of, key } => match ast.name(*of) {
                Some(Name { text, primes: 0 }) if &**text == "core" => self.builtin(cx, &key.node, key.span, arguments),
                Some(Name { text, primes: 0 }) => match scope.values.get(&**text).map(|b| &b.meaning) {
                    Some(Meaning::Library(library)) => self.call_in(cx, library, &key.node, key.span, arguments),
                    _ => Shape::UNKNOWN,
                },
                _ => Shape::UNKNOWN,
            },
            // D(V, 1, 2)(x^2, y).
            ExprKind::Call { .. } => Shape::new(FUNCTION),
            _ => Shape::UNKNOWN,
        }
    }

    fn call_in(&mut self, cx: &Inquiry, scope: &Scope, name: &Name, span: Span, arguments: &[ExprId]) -> Shape {
        let text = &*name.text;
        let binding = scope.functions.get(text).or_else(|| scope.functions.get(&spelled(text)?));
        if let Some(binding) = binding {
            return match &binding.callable {
                Callable::Unknown(function) => {
                    let arity = check_arity(text, function.arity() as usize, arguments.len(), span, binding.span);
                    self.say(arity.err().map(|d| *d));
                    self.functions(arguments);
                    Shape::new(FUNCTION)
                }
                Callable::Closure(closure) => self.closure(cx, scope, closure, name, span, arguments),
            };
        }
        if jet_word(text).is_some() && name.primes == 0 {
            self.say(check_arity(text, 1, arguments.len(), span, span).err().map(|d| *d));
            return Shape::new(Kinds::of(&[Kind::Space]));
        }
        self.builtin(cx, name, span, arguments)
    }

    fn closure(
        &mut self,
        cx: &Inquiry,
        scope: &Scope,
        closure: &Closure,
        name: &Name,
        span: Span,
        arguments: &[ExprId],
    ) -> Shape {
        let given: Vec<Given> = arguments.iter().map(|a| self.given(*a)).collect();
        if let Err(d) = check_arity(&name.text, closure.parameters.len(), given.len(), span, closure.span) {
            self.say([*d]);
            return Shape::UNKNOWN;
        }
        if self.depth == 0 {
            return Shape::UNKNOWN;
        }
        let scope = &*closure.scope(scope);
        let Ok(needs) = signature::needs(scope, closure) else { return Shape::UNKNOWN };
        self.say(signature::check_given(cx, scope, closure, &needs, &given));
        let shapes: Vec<Shape> = arguments.iter().map(|a| self.of(*a)).collect();
        let shape = with_arguments(shape_within(cx, scope, closure, &needs, self.depth - 1), closure, &shapes);
        if name.primes > 0 { shape.like() } else { shape }
    }

    /// Elementary functions and questions.
    fn builtin(&mut self, cx: &Inquiry, name: &Name, span: Span, arguments: &[ExprId]) -> Shape {
        let text = &*name.text;
        if let Some(function) = Elementary::find(text) {
            if let Some(n) = function.row().arity.filter(|_| !self.is_of_series(arguments)) {
                self.say(check_arity(text, n, arguments.len(), span, span).err().map(|d| *d));
            }
            return self.functions(arguments);
        }
        match text {
            "sqrt" if arguments.len() == 1 => return self.functions(arguments),
            "piecewise" => {
                self.say(check_arity(text, 3, arguments.len(), span, span).err().map(|d| *d));
                return Shape::new(FUNCTION);
            }
            _ => {}
        }
        let Some(row) = questions::find_written(text) else {
            if let Some(judge) = &self.judge
                && judge.names == Names::Known
                && to_come(self.ast, text, judge.place).is_none()
            {
                let problem = judge.state.evaluator(cx, self.ast).unknown_function(text, span);
                self.say_unknown(&name.text, problem);
            }
            return Shape::UNKNOWN;
        };
        self.question(row, text, span, arguments)
    }

    fn question(&mut self, row: &'static Question, text: &str, span: Span, arguments: &[ExprId]) -> Shape {
        let mut call = Call { name: text.into(), name_span: span, positional: vec![], options: vec![] };
        let mut shapes = vec![];
        for &argument in arguments {
            match self.ast.option(argument) {
                Some((name, value)) if row.option(&name.node).is_some() || !row.takes_equations() => {
                    let mut given = self.given(value);
                    if &*name.node == "names" && self.ast.name(value).is_some() {
                        given.kinds = TEXT;
                    }
                    call.options.push((name.node.to_string(), name.span, given));
                }
                _ => {
                    call.positional.push(self.given(argument));
                    shapes.push(self.of(argument));
                }
            }
        }
        self.say(call::check_call(row, &call));
        Shape::of_answer(row, &shapes)
    }

    fn given(&self, id: ExprId) -> Given {
        given(self.ast, id, &self.of(id))
    }

    /// Arguments of an elementary or unspecified function: functions, or a series of a run.
    fn functions(&mut self, arguments: &[ExprId]) -> Shape {
        let wrong = arguments.iter().map(|a| self.given(*a)).filter(|g| {
            let is_form = g.kinds == FORM && g.degree.is_some_and(|d| d != 0);
            is_form || !g.kinds.meets(FUNCTION.taken().or(SERIES))
        });
        let wrong: Vec<Diagnostic> = wrong.map(|g| call::needed(FUNCTION, &g.described, g.span)).collect();
        self.say(wrong);
        if self.judge.is_some() && self.is_of_series(arguments) { Shape::UNKNOWN } else { Shape::new(FUNCTION) }
    }

    fn is_of_series(&self, arguments: &[ExprId]) -> bool {
        matches!(arguments, [only] if self.of(*only).kinds.meets(SERIES))
    }
}

/// In the body of a function: a coordinate, or the differential of one.
fn undeclared(name: &Name) -> Shape {
    match name.text.strip_prefix('d') {
        Some(rest) if !rest.is_empty() => Shape::form("", Degree { constant: 1, of: vec![] }),
        _ => Shape::new(FUNCTION),
    }
}

/// Whether some manifold, also one of a library behind a prefix, has a coordinate of this name.
fn has_coordinate(scope: &Scope, text: &str) -> bool {
    let inner =
        |b: &super::scope::Binding| matches!(&b.meaning, Meaning::Library(inner) if has_coordinate(inner, text));
    scope.manifolds.iter().any(|m| super::elaborate::coordinate_of(m, text).is_some())
        || scope.values.values().any(inner)
}

/// Whether the text may be the key of an entry.
fn is_a_name(scope: &Scope, text: &str) -> bool {
    let bound = |text: &str| scope.values.contains_key(text) || has_coordinate(scope, text);
    let number = text.rsplit('_').next().is_some_and(|n| n.parse::<u32>().is_ok());
    bound(text)
        || spelled(text).is_some_and(|s| bound(&s))
        || Symbol::split_momentum(text, |p| scope.has_momentum_prefix(p)).is_some()
        || number
}

// ----- operators ------------------------------------------------------------------------------------

impl Shape {
    /// What it is in a sum or product: the function of a Lagrangian, the form of a force.
    fn stands_for(self) -> Shape {
        let shape = Shape { question: None, labels: &[], ..self };
        match shape.kinds {
            k if k.is_any() => shape,
            k if k.within(FUNCTION) => Shape::new(FUNCTION),
            k if k.meets(SYSTEM.or(FORCE)) => Shape::new(k.without(SYSTEM.or(FORCE)).or(FUNCTION).or(FORM)),
            _ => shape,
        }
    }
}

/// Something of a known kind can only be added to its own kind, and zero to everything.
fn plus(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    match (left.kinds, right.kinds) {
        (a, b) if a.within(FUNCTION) && b.within(FUNCTION) => Shape::new(FUNCTION),
        (FORM, FORM) => {
            let word = if left.word == right.word { left.word } else { "" };
            Shape { word, degree: left.degree.or(right.degree), ..Shape::new(FORM) }
        }
        (FORM | FIELD, b) if b.is_any() => Shape { word: "", ..left },
        (a, FORM | FIELD) if a.is_any() => Shape { word: "", ..right },
        (a, b) if !a.meets(FUNCTION) && b.within(FUNCTION) => Shape { word: "", ..left },
        (a, b) if !b.meets(FUNCTION) && a.within(FUNCTION) => Shape { word: "", ..right },
        (a @ (FIELD | MATRIX | LIST | VECTOR | SERIES), b) if a == b => Shape::new(a),
        _ => Shape::UNKNOWN,
    }
}

fn times(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    let scaled = |shape: Shape| match shape.kinds {
        // Closedness is lost, what is linear over functions stays.
        FORM => Shape { word: if shape.word == "closed" { "" } else { shape.word }, ..shape },
        FIELD | MATRIX | LIST | VECTOR | SERIES => shape,
        _ => Shape::UNKNOWN,
    };
    match (left.kinds.within(FUNCTION), right.kinds.within(FUNCTION)) {
        (true, true) => Shape::new(FUNCTION),
        (true, false) => scaled(right),
        (false, true) => scaled(left),
        _ => Shape::UNKNOWN,
    }
}

fn wedge(left: Shape, right: Shape) -> Shape {
    let (left, right) = (left.stands_for(), right.stands_for());
    match (left.known_degree(), right.known_degree()) {
        (Some(a), Some(b)) => {
            Shape::form("", Degree { constant: a.constant + b.constant, of: a.of.into_iter().chain(b.of).collect() })
        }
        _ if left.kinds == FORM || right.kinds == FORM => Shape::new(FORM),
        _ => Shape::UNKNOWN,
    }
}

/// The degrees of the arguments in the place of those of the parameters.
fn with_arguments(shape: Shape, closure: &Closure, given: &[Shape]) -> Shape {
    let Some(degree) = &shape.degree else { return shape };
    let mut total = Degree { constant: degree.constant, of: vec![] };
    for name in &degree.of {
        let argument = closure.parameters.iter().position(|p| p == name).and_then(|i| given.get(i));
        match argument.and_then(Shape::known_degree) {
            Some(degree) => {
                total.constant += degree.constant;
                total.of.extend(degree.of);
            }
            None => return Shape::new(FORM.or(FUNCTION)),
        }
    }
    Shape::form(shape.word, total)
}
