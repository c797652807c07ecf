//! Applications: of functions of the language, of unspecified and elementary functions, and of questions. The head is
//! resolved to its declaration or its row, the arguments are matched with what that takes.

use super::space::{existing_order, jet_word};
use super::{About, Names, Resolver, Wants};
use crate::algebra::function::Elementary;
use crate::diagnostic::{Diagnostic, Goes, codes, elsewhere};
use crate::model::kind::{self, FAMILY, FORM, FUNCTION, SERIES, SYSTEM, TEXT};
use crate::model::value::{Fallible, Value};
use crate::questions::call::{self as row, Given};
use crate::questions::{self, Question};
use crate::session::scope::{Binding, Callable, Closure, Meaning, Scope};
use crate::session::term::{Ask, Body, Call, Callee, Defined, Term, TermKind};
use crate::session::{shape, signature};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name};
use std::cell::OnceCell;
use std::rc::Rc;

impl<'s> Resolver<'s> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, arguments: &[ExprId], span: Span) -> TermKind {
        let ast = self.ast;
        match ast.kind(callee) {
            ExprKind::Name(name) => {
                let scope = self.scope;
                let foreign = self.statement_as_call(id, &name.text, ast.span(callee), arguments);
                if let Some(problem) = foreign
                    .or_else(|| self.foreign_call(id, &name.text, ast.span(callee), arguments))
                    .or_else(|| self.call_with_a_slip(id, name, ast.span(callee), arguments))
                {
                    self.say_unknown(&name.text, problem);
                    self.open(|r| r.all(arguments));
                    return TermKind::Hole;
                }
                if let Some(warning) = self.partial_by_time(span, name, arguments) {
                    self.say(warning);
                }
                match jet_word(&name.text).filter(|_| name.primes == 0) {
                    Some(digits) if scope.function(&name.text).is_none() => {
                        self.jets(digits, name, ast.span(callee), arguments)
                    }
                    _ => self.call_in(scope, name, ast.span(callee), arguments, true),
                }
            }
            ExprKind::Part { of, key } => {
                if let Some(Name { text, primes: 0 }) = ast.name(*of) {
                    if &**text == "core" {
                        return self.builtin(&key.node, key.span, arguments);
                    }
                    if let Some(Binding { meaning: Meaning::Library(library), .. }) = self.scope.value(text) {
                        return self.call_in(library, &key.node, key.span, arguments, false);
                    }
                }
                let other = self.module(*of, key.span);
                if let Some(problem) = other.or_else(|| self.method_call(id, *of, &key.node, arguments)) {
                    self.say(problem);
                    self.open(|r| r.all(arguments));
                    return TermKind::Hole;
                }
                // A part that is a function: connection(S).lift(ξ).
                let value = self.term(callee);
                let given_one = if let [one] = arguments { Some(ast.outer(*one)) } else { None };
                let mut arguments = self.all(arguments);
                if value.shape.kinds.meets(FAMILY)
                    && let (Some(field), true) = (arguments.pop(), arguments.is_empty())
                {
                    return TermKind::Image { images: Box::new(value), field: Box::new(field) };
                }
                let title = format!("{} cannot be called", value.shape.describe());
                let d = Diagnostic::error(&codes::WRONG_KIND, title).label(span, "here");
                // `run.x(3)`: the column at a time.
                self.say(match (value.shape.kinds == SERIES, given_one) {
                    (true, Some(time)) => {
                        let places = vec![ast.outer(*of), time, key.span];
                        d.repair_at(Goes::Quoting(places), "the state at a time is `run at 3`", span, "(… at …).…")
                    }
                    _ => d,
                });
                TermKind::Hole
            }
            // D(V, 1, 2)(x^2, y): the derivative of an unspecified function by the positions of its arguments.
            ExprKind::Call { callee: outer, arguments: by }
                if ast.name(*outer).is_some_and(|n| &*n.text == "D" && n.primes == 0) =>
            {
                self.derivative_by_position(by, arguments, ast.span(callee))
            }
            _ => {
                self.say(
                    Diagnostic::error(&codes::WRONG_KIND, "only a function can be called")
                        .label(span, "not a function"),
                );
                TermKind::Hole
            }
        }
    }

    /// A statement written like a function, `simulate(L, x = 1)`, or one that is not needed, `print(E)`.
    fn statement_as_call(&self, id: ExprId, name: &str, callee: Span, arguments: &[ExprId]) -> Option<Diagnostic> {
        let ast = self.ast;
        if self.names == Names::Open || self.scope.functions.contains_key(name) || arguments.is_empty() {
            return None;
        }
        let top = self.top == Some(id);
        let written = |ids: &[ExprId]| ids.iter().map(|id| ast.outer(*id)).collect::<Vec<Span>>();
        let signs = |ids: &[ExprId]| vec!["…"; ids.len()].join(", ");
        let whole = ast.span(id);
        let (title, help, text, quoted) = match (name, arguments) {
            ("der" | "dot", [of]) if ast.name(*of).is_some() => {
                let help = "the derivative along the motion is a prime";
                (format!("there is no function `{name}`"), help.to_string(), "…'".to_string(), written(arguments))
            }
            (_, [time]) if self.is_base(*time) && self.is_coordinate(name) => {
                let title = "a coordinate is a function of the time by itself".to_string();
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, title)
                    .about(name)
                    .label(whole, "its argument is not written");
                return Some(d.repair_at(Goes::Quoting(vec![callee]), "leave it out", whole, "…"));
            }
            ("simulate", [system, rest @ ..]) if top => {
                let starts: Vec<ExprId> = rest.iter().copied().filter(|id| ast.equation(*id).is_some()).collect();
                let from = if starts.is_empty() { String::new() } else { format!("from {}; ", signs(&starts)) };
                let text = format!("simulate … {{ {from}until t = 10 }}");
                let quoted = written(&[&[*system], starts.as_slice()].concat());
                (
                    "a run is a statement".to_string(),
                    "its clauses stand in braces: `simulate L { from x = 1; until t = 10 }`".to_string(),
                    text,
                    quoted,
                )
            }
            // `plot(run.t, run.x)`
            ("plot", [across, up, ..]) if top && self.columns_of_one_run(*across, *up).is_some() => {
                let (run, x, y) = self.columns_of_one_run(*across, *up)?;
                let help = "its curves stand in braces: `plot run { x }`";
                let (text, quoted) = match self.is_time(x) {
                    true => ("plot … { … }", vec![run, y.1]),
                    false => ("plot … { … against … }", vec![run, y.1, x.1]),
                };
                ("a plot is a statement".to_string(), help.to_string(), text.to_string(), quoted)
            }
            ("plot", [run, curves @ ..]) if top => {
                let block = if curves.is_empty() { String::new() } else { format!(" {{ {} }}", signs(curves)) };
                let help = "its curves stand in braces: `plot run { x, y }`";
                (
                    "a plot is a statement".to_string(),
                    help.to_string(),
                    format!("plot …{block}"),
                    written(&[&[*run], curves].concat()),
                )
            }
            ("save", [_, _]) if top => (
                "`save` is a statement".to_string(),
                "write `save run to \"run.csv\"`".to_string(),
                "save … to …".to_string(),
                written(arguments),
            ),
            _ => return None,
        };
        let d = Diagnostic::error(&codes::UNKNOWN_NAME, title).about(name).label(callee, "not a function");
        Some(d.repair_at(Goes::Quoting(quoted), help, whole, text))
    }

    /// The run of two of its columns, and their names with their places.
    fn columns_of_one_run(&self, a: ExprId, b: ExprId) -> Option<(Span, (&str, Span), (&str, Span))> {
        let ast = self.ast;
        let (ExprKind::Part { of: run, key: x }, ExprKind::Part { of: same, key: y }) = (ast.kind(a), ast.kind(b))
        else {
            return None;
        };
        let (run_name, same) = (ast.name(*run)?, ast.name(*same)?);
        (run_name.text == same.text).then(|| (ast.span(*run), (&*x.node.text, x.span), (&*y.node.text, y.span)))
    }

    /// Whether a column is the time.
    fn is_time(&self, column: (&str, Span)) -> bool {
        self.scope.manifolds.iter().any(|m| m.base().to_string() == column.0)
    }

    /// Whether this is the time of a manifold.
    pub(super) fn is_base(&self, id: ExprId) -> bool {
        let binding = self.ast.name(id).filter(|n| n.primes == 0).and_then(|n| self.scope.value(&n.text));
        matches!(binding.map(|b| &b.meaning), Some(Meaning::Base(_)))
    }

    pub(in crate::session) fn is_coordinate(&self, name: &str) -> bool {
        matches!(self.scope.value(name).map(|b| &b.meaning), Some(Meaning::Coordinate(_)))
    }

    /// J1(Y), J2(Y), …
    fn jets(&mut self, digits: &str, name: &Name, span: Span, arguments: &[ExprId]) -> TermKind {
        let arity = check_arity(&name.text, 1, arguments.len(), span, span);
        let order = arity.and_then(|()| existing_order(digits, span));
        let mut arguments = self.all(arguments);
        match (self.or_hole(order), arguments.pop()) {
            (Some(order), Some(of)) => TermKind::Jets { order, of: Box::new(of) },
            _ => TermKind::Hole,
        }
    }

    fn derivative_by_position(&mut self, by: &[ExprId], arguments: &[ExprId], span: Span) -> TermKind {
        let name = by.first().and_then(|id| self.ast.name(*id));
        let function = name.and_then(|n| self.scope.function(&n.text)).map(|b| &b.callable);
        let Some(Callable::Unknown(function)) = function else {
            self.say(
                Diagnostic::error(&codes::WRONG_KIND, "only an unspecified function is differentiated by position")
                    .label(span, "not such a function")
                    .help("declare it with `function V(x, y)` and write `D(V, 1, 2)(x, y)`"),
            );
            return TermKind::Hole;
        };
        let arity = check_arity(&function.name(), function.arity() as usize, arguments.len(), span, span);
        let (by, arguments) = (self.all(&by[1..]), self.all(arguments));
        match self.or_hole(arity) {
            Some(()) => TermKind::Unspecified { function: *function, primes: 0, by, arguments },
            None => TermKind::Hole,
        }
    }

    /// A call of a function of a scope; where it has none, `or_builtin` says whether a function of the language is meant.
    fn call_in(&mut self, scope: &Scope, name: &Name, span: Span, arguments: &[ExprId], or_builtin: bool) -> TermKind {
        let Some(binding) = scope.function(&name.text) else {
            return match or_builtin {
                true => self.builtin(name, span, arguments),
                false => self.unknown_call(name, span, arguments),
            };
        };
        let arguments = self.all(arguments);
        match &binding.callable {
            Callable::Unknown(function) => {
                let n = arguments.len();
                let arity = check_arity(&name.text, function.arity() as usize, n, span, binding.span);
                if name.primes > 0 && n != 1 && arity.is_ok() {
                    let title = format!("`{}` has {n} arguments: say by which one, with D", name.text);
                    self.say(Diagnostic::error(&codes::WRONG_KIND, title).label(span, "here"));
                }
                self.functions(&arguments);
                match self.or_hole(arity) {
                    Some(()) => {
                        TermKind::Unspecified { function: *function, primes: name.primes, by: vec![], arguments }
                    }
                    None => TermKind::Hole,
                }
            }
            Callable::Closure(closure) => self.closure(scope, closure, name, span, arguments),
        }
    }

    fn closure(
        &mut self,
        scope: &Scope,
        closure: &Rc<Closure>,
        name: &Name,
        span: Span,
        arguments: Vec<Term>,
    ) -> TermKind {
        let arity = check_arity(&name.text, closure.parameters().len(), arguments.len(), span, closure.span());
        if self.or_hole(arity).is_none() {
            return TermKind::Hole;
        }
        let callee = self.callee(scope, closure, span);
        if let Some(function) = callee.function()
            && let Some(body) = function.body()
        {
            let given: Vec<Given> = arguments.iter().map(Given::term).collect();
            for problem in signature::check_given(&function, body, &given) {
                let about = arguments.iter().find(|a| Some(a.span) == problem.primary()).cloned();
                self.say_about(problem, about.map(About::Argument));
            }
        }
        TermKind::Call(Box::new(Call { callee, primes: name.primes, arguments }))
    }

    /// The function, with the names of its body as they are seen from where it was declared.
    fn callee(&mut self, scope: &Scope, closure: &Rc<Closure>, span: Span) -> Callee {
        if !closure.is_open() {
            return Callee::Function(closure.function.clone());
        }
        let key = Rc::as_ptr(closure);
        if let Some(known) = self.bodies.borrow().get(&key) {
            return match known.body() {
                Some(_) => Callee::Function(known.clone()),
                None => Callee::Around(Rc::downgrade(known)),
            };
        }
        let function = Rc::new(Defined { checked: OnceCell::new(), ..closure.function.head() });
        self.bodies.borrow_mut().insert(key, function.clone());
        let seen = closure.scope(scope);
        let mut inner = Resolver::new(&seen, &closure.ast);
        inner.on = self.on.clone().filter(|manifold| seen.manifolds.contains(manifold));
        inner.names = self.names;
        inner.bodies = self.bodies.clone();
        inner.depth = self.depth;
        let checked = inner.body(&function.parameters, closure.body);
        for mut problem in inner.into_problems() {
            if span != closure.span() {
                problem.diagnostic = problem.diagnostic.label_once(span, "in this call");
            }
            self.problems.push(problem);
        }
        if let Some(checked) = self.or_hole(checked) {
            let _ = function.checked.set(checked);
        }
        Callee::Function(function)
    }

    /// What is wrong with the names of a function that nobody has called, now that all are declared.
    pub fn unresolved(scope: &Scope, closure: &Rc<Closure>) -> Vec<Diagnostic> {
        let mut resolver = Resolver::new(scope, &closure.ast);
        resolver.callee(scope, closure, closure.span());
        let is_unknown = |d: &Diagnostic| d.code.number == codes::UNKNOWN_NAME.number;
        resolver.into_problems().into_iter().map(|problem| problem.diagnostic).filter(is_unknown).collect()
    }

    /// The body of a function of these parameters, what it needs and gives.
    fn body(&mut self, parameters: &[Rc<str>], body: ExprId) -> Fallible<Body> {
        self.in_function = true;
        self.locals = parameters.iter().map(|p| (p.clone(), row::Shape::UNKNOWN)).collect();
        let term = self.term(body);
        let needs = signature::needs(&term, parameters)?;
        let gives = shape::of_body(&term, parameters, &needs);
        let is_open = term.is_open();
        Ok(Body { term, needs, gives, is_open })
    }

    /// Elementary functions and questions.
    fn builtin(&mut self, name: &Name, span: Span, arguments: &[ExprId]) -> TermKind {
        let text = &*name.text;
        let n = arguments.len();
        if let Some(function) = Elementary::find(text) {
            let arguments = self.all(arguments);
            let arity = match function.row().arity {
                Some(wanted) => check_arity(text, wanted, n, span, span),
                None if n == 0 => Err(Box::new(
                    Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{text}` takes at least one argument"))
                        .label(span, "called here"),
                )),
                None => Ok(()),
            };
            self.functions(&arguments);
            return match self.or_hole(arity) {
                Some(()) => TermKind::Elementary { function, primes: name.primes, arguments },
                None => TermKind::Hole,
            };
        }
        match text {
            "sqrt" => {
                let arity = check_arity(text, 1, n, span, span);
                let mut arguments = self.all(arguments);
                self.functions(&arguments);
                return match (self.or_hole(arity), arguments.pop()) {
                    (Some(()), Some(of)) => TermKind::Root(Box::new(of)),
                    _ => TermKind::Hole,
                };
            }
            "piecewise" => {
                let arity = check_arity(text, 3, n, span, span);
                let arguments = self.all(arguments);
                return self.or_hole(arity).map_or(TermKind::Hole, |()| TermKind::Piecewise(arguments));
            }
            _ => {}
        }
        match questions::find_written(text) {
            Some(question) => self.question(question, text, span, arguments),
            None => self.unknown_call(name, span, arguments),
        }
    }

    fn unknown_call(&mut self, name: &Name, span: Span, arguments: &[ExprId]) -> TermKind {
        if self.names == Names::Known {
            let mut problem = self.unknown_function(&name.text, span);
            let names = arguments.iter().all(|a| self.ast.name(*a).is_some_and(|n| n.primes == 0));
            let about_system = match arguments {
                [one] => self.ast.name(*one).and_then(|n| self.scope.value(&n.text)).map(|b| &b.meaning),
                _ => None,
            };
            if let (Some(Meaning::Value(Value::System(_))), true) = (about_system, problem.repairs.is_empty())
                && let Some(question) = Resolver::question_with(&name.text)
            {
                let place = self.ast.outer(arguments[0]);
                let whole = Span { end: place.end + 1, ..span };
                let text = format!("{question}(…).{}", name.text);
                let d = Diagnostic { helps: vec![], ..problem };
                problem = d.repair_at(Goes::Quoting(vec![place]), format!("write `{text}`"), whole, text);
            }
            // A function of coordinates and parameters may be declared; one of systems and runs is a question.
            let may_be_declared = names && arguments.iter().all(|a| {
                let binding = self.ast.name(*a).and_then(|n| self.scope.value(&n.text));
                !matches!(binding.map(|b| &b.meaning), Some(Meaning::Value(v)) if !matches!(v.meant(), Value::Expr(_)))
                    && !matches!(binding.map(|b| &b.meaning), Some(Meaning::Unmade(_)))
            });
            let names = may_be_declared;
            if problem.repairs.is_empty() && name.primes == 0 && names && !arguments.is_empty() {
                let written: Vec<&str> = arguments.iter().filter_map(|a| Some(&*self.ast.name(*a)?.text)).collect();
                let declared = format!("function {}({})", name.text, written.join(", "));
                let is_new = !self.is_coordinate(&name.text) && self.scope.value(&name.text).is_none();
                if is_new && elsewhere::ours(elsewhere::Use::Function, &name.text).is_none() {
                    let help = format!("one without a formula is declared as well: `{declared}`");
                    problem = problem.repair_at(Goes::LineBefore, help, span, declared);
                }
            }
            if self.is_assigned(span) {
                // `f(u) = u^2`: the arguments are declared with it.
                self.say_unknown(&name.text, meant_to_declare(problem, &name.text, span));
                self.open(|r| r.all(arguments));
                return TermKind::Hole;
            }
            self.say_unknown(&name.text, problem);
        }
        self.all(arguments);
        TermKind::Hole
    }

    fn question(&mut self, question: &'static Question, text: &str, span: Span, arguments: &[ExprId]) -> TermKind {
        let ast = self.ast;
        let whole = arguments.iter().fold(span, |span, id| span.to(ast.span(*id)));
        let mut terms = Vec::with_capacity(arguments.len());
        // Of an option its word and its value.
        let mut places = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            match ast.option(argument) {
                Some((name, value)) if question.option(&name.node).is_some() || !question.takes_equations() => {
                    let mut term = match ast.name(value) {
                        // `names = P`: a prefix, whatever else the word may mean; from here on `P_x` is a name.
                        Some(Name { text, primes: 0 }) if &*name.node == "names" => {
                            self.scope.allow_momentum_prefix(text);
                            self.made(value, TermKind::Text(text.clone()))
                        }
                        _ => self.term(value),
                    };
                    places.push(Some((name.span, term.span)));
                    term.span = ast.span(argument);
                    terms.push((Some(name.node.clone()), term));
                }
                _ => {
                    let wanted = kind::parameter(question.parameters, places.iter().filter(|p| p.is_none()).count());
                    let takes_system = wanted.is_some_and(|p| p.kinds.meets(SYSTEM) && !p.kinds.is_any());
                    let is_name = ast.name(argument).is_some();
                    let wants = if takes_system && is_name { Wants::System } else { self.wants };
                    let term = self.wanting(wants, |r| r.term(argument));
                    places.push(None);
                    terms.push((None, term));
                }
            }
        }
        let mut call = row::Call { name: text.into(), name_span: span, positional: vec![], options: vec![] };
        for ((option, term), place) in terms.iter().zip(places) {
            match (option, place) {
                (Some(name), Some((name_span, span))) => {
                    let kinds = if let TermKind::Text(_) = term.kind { TEXT } else { term.shape.kinds };
                    call.options.push((name.to_string(), name_span, Given { kinds, span, ..Given::term(term) }));
                }
                _ => call.positional.push(Given::term(term)),
            }
        }
        let mut problems = row::check_call(question, &call);
        problems.iter_mut().for_each(|problem| {
            self.name_the_system(question, arguments, span, problem);
            self.complete_call(question, span, arguments, problem);
        });
        let number = questions::contact_number(text);
        let kind = TermKind::Ask(Box::new(Ask { row: question, number, name_span: span, arguments: terms }));
        if !problems.is_empty() {
            let about = Rc::new(Term { kind: kind.clone(), span: whole, outer: whole, shape: row::Shape::UNKNOWN });
            problems.into_iter().for_each(|problem| self.say_about(problem, Some(About::Question(about.clone()))));
        }
        kind
    }

    /// A question about a system that names none, or a function that was meant to be a Lagrangian: the edit that says so.
    fn name_the_system(&self, question: &Question, arguments: &[ExprId], callee: Span, problem: &mut Diagnostic) {
        let takes_system = question.parameters.first().is_some_and(|p| p.kinds.meets(SYSTEM) && !p.kinds.is_any());
        if !takes_system || !problem.repairs.is_empty() {
            return;
        }
        let Some(&first) = arguments.first() else {
            if let Some(system) = self.only(|value| matches!(value, Value::System(_))) {
                let inside = Span { start: callee.end + 1, end: callee.end + 1, ..callee };
                *problem = problem.clone().repair(format!("about the system `{system}`"), inside, system);
            }
            return;
        };
        let Some(Name { text, primes: 0 }) = self.ast.name(first) else { return };
        let Some(binding) = self.scope.values.get(&**text) else { return };
        let (Meaning::Value(Value::Expr(value)), [manifold]) = (&binding.meaning, self.scope.manifolds.as_slice())
        else {
            return;
        };
        if binding.span.source == self.ast.source && binding.warn_if_unused {
            let orders = value.symbols().into_iter().filter_map(|s| manifold.order_of_symbol(s));
            let order = orders.max().unwrap_or(0).max(1);
            let space = manifold.jets(order);
            let help = format!("declare it as a Lagrangian: `lagrangian {text} on {space} = …`");
            *problem = problem.clone().repair_at(
                Goes::BackTo("let"),
                help,
                binding.span,
                format!("lagrangian {text} on {space}"),
            );
        }
    }

    /// Whether this is the name on the left of a bare equation.
    pub(super) fn is_assigned(&self, span: Span) -> bool {
        let left =
            self.top.and_then(|id| self.ast.equation(id).filter(|_| self.ast[id].parens == 0)).map(|(left, _)| left);
        left.is_some_and(|left| self.ast.span(left).start == span.start)
    }

    /// Arguments of an elementary or unspecified function: functions, or a series of a run.
    fn functions(&mut self, arguments: &[Term]) {
        for argument in arguments {
            let given = Given::term(argument);
            let is_form = given.kinds == FORM && given.degree.is_some_and(|d| d != 0);
            if is_form || !given.kinds.meets(FUNCTION.taken().or(SERIES)) {
                self.say(row::needed(FUNCTION, &given.described(), given.span));
            }
        }
    }
}

impl Resolver<'_> {
    /// The body of a function as far as the names that are declared before it tell; those that are not may come later.
    pub(super) fn define(&mut self, parameters: &[Rc<str>], body: ExprId) -> Option<Body> {
        let mut inner = Resolver::new(self.scope, self.ast);
        inner.names = Names::Open;
        let checked = inner.body(parameters, body);
        self.problems.extend(inner.problems);
        self.or_hole(checked)
    }
}

/// `T = …` asks whether two things are equal; whoever writes it with a name that is not declared wants to declare it.
pub(super) fn meant_to_declare(mut d: Diagnostic, name: &str, span: Span) -> Diagnostic {
    (d.helps, d.repairs) = (vec![], vec![]);
    let word = Span { end: span.start + name.len() as u32, ..span };
    d.note("a bare equation asks whether its sides are equal").repair(
        format!("to give the name a meaning: `let {name} = …`"),
        word,
        format!("let {name}"),
    )
}

pub fn check_arity(name: &str, wanted: usize, given: usize, call: Span, declared: Span) -> Fallible<()> {
    if wanted == given {
        return Ok(());
    }
    let plural = if wanted == 1 { "" } else { "s" };
    let diagnostic =
        Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("`{name}` takes {wanted} argument{plural}, not {given}"))
            .label(call, "called here");
    Err(Box::new(if declared == call { diagnostic } else { diagnostic.label(declared, "declared here") }))
}
