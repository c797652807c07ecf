//! Statements. Spaces after `on` come first, for their coordinates are the names of what follows; a run has those of the
//! manifold of its system.

use super::{Collecting, Names, Resolver, Wants, coordinate_of, picture};
use crate::algebra::Symbol;
use crate::algebra::expr::Relation;
use crate::diagnostic::{Diagnostic, Goes, codes, elsewhere, suggest};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::method::{BadMethod, Method, Written};
use crate::model::compare;
use crate::model::kind::{ANSWER, EQUATION, FUNCTION, Kinds, RUN, SWEEP, SYSTEM, VERDICT};
use crate::model::value::Fallible;
use crate::motion::sampling::{RULES, Rule};
use crate::motion::sweep::Reduction;
use crate::questions::call::{self as row, Given, Shape};
use crate::session::checked::*;
use crate::session::scope::Callable;
use crate::session::term::{Body as FunctionTerm, Defined, Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::{self, Ast, ExprId, ExprKind, LetValue, Statement, StatementKind, Text, Word};
use std::cell::OnceCell;
use std::rc::Rc;

impl Resolver<'_> {
    /// A statement; `None` if something is wrong with it that leaves nothing to carry out.
    pub fn statement<'a>(&mut self, statement: &'a Statement) -> Option<Checked<'a>> {
        Some(match &statement.kind {
            StatementKind::Question(id) => {
                self.top = Some(*id);
                Checked::Question(self.term(*id))
            }
            StatementKind::Explain(id) => Checked::Explain(self.term(*id)),
            StatementKind::Assert(assert) => {
                let claim = self.term(assert.claim);
                // What is asserted is true or false.
                if assert.fails.is_none() && !claim.shape.kinds.meets(VERDICT.or(EQUATION).or(ANSWER)) {
                    let problem = compare::neither(&Given::term(&claim).described()).label(claim.span, "asserted here");
                    self.say(problem);
                }
                Checked::Assert { claim, fails: assert.fails.as_ref() }
            }
            StatementKind::Test(test) => Checked::Test(test),
            StatementKind::Use(u) => Checked::Use(u),
            StatementKind::Manifold(m) => {
                let families = m.coordinates.iter().map(|c| self.all(&c.family)).collect();
                Checked::Manifold { declared: m, families }
            }
            StatementKind::Param(list) => Checked::Params(list),
            StatementKind::Assume(facts) => Checked::Assume(self.all(facts)),
            StatementKind::Function(f) => self.function(f)?,
            StatementKind::Let(l) => self.definition(l)?,
            StatementKind::Map(m) => {
                let (from, to) = (self.space_of(&m.from, true), self.space_of(&m.to, true));
                let (from, to) = (from?, to?);
                let entries = self.assignments(&m.entries, to.space.manifold(), from.space.manifold());
                Checked::Map { name: &m.name, from, to, entries }
            }
            StatementKind::Section(d) => Checked::Section(self.described(d, true, true)?),
            StatementKind::Lagrangian(t) => {
                self.energies = bare_terms(self.ast, t.value);
                Checked::Lagrangian(self.typed(t, true)?)
            }
            StatementKind::Form(t) => Checked::Form(self.typed(t, false)?),
            StatementKind::Field(t) => Checked::Field(self.typed(t, false)?),
            StatementKind::Force(d) => Checked::Force(self.described(d, true, false)?),
            StatementKind::Equations(d) => Checked::Equations(self.described(d, true, false)?),
            StatementKind::Codistribution(d) => Checked::Codistribution(self.described(d, false, false)?),
            StatementKind::Distribution(d) => Checked::Distribution(self.described(d, false, false)?),
            StatementKind::Submanifold(d) => Checked::Submanifold(self.described(d, false, false)?),
            StatementKind::Mixed(d) => Checked::Mixed(self.described(d, false, false)?),
            StatementKind::Constraint(c) => self.constraint(c)?,
            StatementKind::System(s) => Checked::System { name: &s.name, body: self.system(&s.body) },
            StatementKind::Simulate(s) => Checked::Simulate(self.simulate(s)),
            StatementKind::Plot(p) => {
                let runs: Vec<Term> = p.what.iter().map(|id| self.plotted(*id)).collect();
                let (curves, settings) = self.picture(runs.first().and_then(Term::home).as_ref(), &p.curves);
                Checked::Plot { runs, curves, settings, to: p.to.as_ref() }
            }
            StatementKind::Save(s) => Checked::Save { what: self.wanted(RUN, s.what), to: &s.to },
            StatementKind::Sweep(s) => Checked::Sweep { name: None, sweep: Box::new(self.sweep(s)) },
            StatementKind::Animate(a) => {
                let run = self.wanted(RUN, a.what);
                // A column is named before it is there.
                let drawing =
                    |r: &mut Self, p: &'a ast::Picture| Drawing { word: &p.word, arguments: r.all(&p.arguments) };
                let home = run.home();
                let drawings =
                    self.on(home.as_ref(), |r| r.open(|r| a.pictures.iter().map(|p| drawing(r, p)).collect()));
                Checked::Animate { run, drawings, to: a.to.as_ref() }
            }
            StatementKind::Poincare(p) => Checked::Poincare(self.poincare(p)?),
        })
    }

    /// One name of `param m = 1, k, c[1..n]`: its value and its ranges.
    pub fn parameter(&mut self, p: &ast::Param) -> (Option<Term>, Vec<Term>) {
        (p.value.map(|v| self.term(v)), self.all(&p.family))
    }

    /// An expression that has to be of some kind.
    fn wanted(&mut self, kinds: Kinds, id: ExprId) -> Term {
        let wants = match kinds {
            RUN => Wants::Run,
            SYSTEM if self.ast.name(id).is_some() => Wants::System,
            _ => self.wants,
        };
        let term = self.wanting(wants, |r| r.term(id));
        if let Some(problem) = row::wrong_kind(kinds, &Given::term(&term)) {
            self.say(problem);
        }
        term
    }

    /// The run or sweep of a plot. A column of one, or a coordinate, stands in braces behind it.
    fn plotted(&mut self, id: ExprId) -> Term {
        let ast = self.ast;
        let term = self.wanting(Wants::Run, |r| r.term(id));
        if row::wrong_kind(RUN.or(SWEEP), &Given::term(&term)).is_none() {
            return term;
        }
        let Some(problem) = row::wrong_kind(RUN, &Given::term(&term)) else { return term };
        let span = ast.outer(id);
        let drawn = term.shape.kinds;
        let instead = || Diagnostic { helps: vec![], ..problem.clone() };
        self.say(match ast.kind(id) {
            ExprKind::Part { of, key } if ast.name(*of).is_some() => {
                let places = vec![ast.outer(*of), key.span];
                instead().repair_at(Goes::Quoting(places), "what is plotted of a run stands in braces", span, "… { … }")
            }
            // A coordinate, or a formula of them, of a run that is not named.
            _ if drawn.meets(FUNCTION) => match (self.runs().as_slice(), self.first_run("run")) {
                ([run], _) => {
                    let (help, text) = (format!("of the run `{run}`, in braces"), format!("{run} {{ … }}"));
                    instead().repair_at(Goes::Quoting(vec![span]), help, span, text)
                }
                ([], Some(run)) => {
                    let help = format!("what is drawn belongs to a run: `{run}`");
                    instead().repair_at(Goes::BelowDeclaration(run), help, span, "run { … }")
                }
                ([], None) => problem,
                (runs, _) => {
                    instead().help(format!("of which run? They are {}: `plot {} {{ x }}`", runs.join(", "), runs[0]))
                }
            },
            _ if drawn.meets(SYSTEM) => match self.first_run("run") {
                Some(run) => {
                    let help = format!("a motion of it is drawn: `{run}`");
                    instead().repair_at(Goes::BelowDeclaration(run), help, span, "run")
                }
                None => problem,
            },
            _ => problem,
        });
        term
    }

    fn space_of(&mut self, space: &ast::Space, holonomic: bool) -> Option<Space> {
        let found = if holonomic { self.space(space) } else { self.any_space(space) };
        let words: Vec<&str> = space.manifold.words.iter().map(|w| &*w.node).collect();
        self.or_hole(found).map(|found| Space { space: found, written: words.join("."), span: space.span })
    }

    // ----- functions ----------------------------------------------------------------------------------

    fn function<'a>(&mut self, f: &'a ast::Function) -> Option<Checked<'a>> {
        if f.arguments.is_empty() {
            self.say(
                Diagnostic::error(&codes::WRONG_ARGUMENTS, format!("the function `{}` has no argument", f.name.node))
                    .label(f.name.span, "a constant is a `param`"),
            );
            return None;
        }
        self.refuse_same_arguments(&f.arguments);
        // `function F(t) = "force.csv"`
        if let ast::FunctionMeaning::Body(value) = &f.meaning
            && let ExprKind::String(_) = self.ast.kind(*value)
        {
            let place = self.ast.span(*value);
            let d = Diagnostic::error(&codes::SYNTAX, "a table follows `from`").label(place, "a table");
            self.say(d.repair_at(Goes::BackTo("="), "write `from` for the sign", place, "from …"));
            return None;
        }
        let symbol = crate::algebra::Function::declare(&f.name.node, f.arguments.len() as u32);
        let body = match &f.meaning {
            ast::FunctionMeaning::Body(value) => Some(self.function_body(symbol, &f.arguments, *value)),
            _ => None,
        };
        Some(Checked::Function { declared: f, body })
    }

    /// `function F(x, x)`: of two arguments of one name the body could mean only one.
    fn refuse_same_arguments(&mut self, arguments: &[ExprId]) {
        let ast = self.ast;
        let names: Vec<Word> = arguments
            .iter()
            .filter_map(|id| {
                Some(Word { node: ast.name(*id).filter(|n| n.primes == 0)?.text.clone(), span: ast.span(*id) })
            })
            .collect();
        self.refuse_twice(&names);
    }

    /// `V(theta) = cos(theta)`: the arguments are formal, whatever else their names mean.
    fn function_body(
        &mut self,
        function: crate::algebra::Function,
        arguments: &[ExprId],
        value: ExprId,
    ) -> FunctionBody {
        let base = self.locals.len();
        let mut formal = vec![];
        let mut names = vec![];
        for argument in arguments {
            formal.push(match self.ast.name(*argument).filter(|n| n.primes == 0) {
                Some(name) => {
                    names.push((name.text.clone(), Shape::new(crate::model::kind::FUNCTION)));
                    Formal::Bound(Symbol::bound(&name.text))
                }
                None => Formal::Jet(self.term(*argument)),
            });
        }
        self.locals.extend(names);
        let value = self.term(value);
        self.locals.truncate(base);
        FunctionBody { function, arguments: formal, value }
    }

    fn definition<'a>(&mut self, l: &'a ast::Let) -> Option<Checked<'a>> {
        match (&l.value, &l.parameters) {
            (LetValue::Expr(body), Some(parameters)) => {
                self.refuse_twice(parameters);
                let names: Vec<Rc<str>> = parameters.iter().map(|p| p.node.clone()).collect();
                let checked: FunctionTerm = self.define(&names, *body)?;
                let (name, span) = (l.name.node.to_string(), l.name.span);
                let function = Defined { name, parameters: names, span, checked: OnceCell::from(checked) };
                Some(Checked::Closure { name: &l.name, function: Rc::new(function), body: *body })
            }
            (LetValue::Expr(body), None) => {
                self.top = Some(*body);
                Some(Checked::Let { name: &l.name, value: self.term(*body) })
            }
            (LetValue::Simulate(s), _) => Some(Checked::LetSimulate { name: &l.name, simulate: self.simulate(s) }),
            (LetValue::Sweep(s), _) => Some(Checked::Sweep { name: Some(&l.name), sweep: Box::new(self.sweep(s)) }),
            (LetValue::Poincare(p), _) => {
                let poincare = self.poincare(p)?;
                Some(Checked::LetPoincare { name: &l.name, poincare })
            }
        }
    }

    fn refuse_twice(&mut self, parameters: &[Word]) {
        for (i, p) in parameters.iter().enumerate() {
            if let Some(first) = parameters[..i].iter().find(|q| q.node == p.node) {
                self.say(
                    Diagnostic::error(&codes::DECLARED_TWICE, format!("the parameter `{}` stands twice", p.node))
                        .label(p.span, "again")
                        .label(first.span, "first"),
                );
            }
        }
    }

    // ----- what is declared on a space ----------------------------------------------------------------

    fn typed<'a>(&mut self, t: &'a ast::Typed, holonomic: bool) -> Option<Typed<'a>> {
        let on = self.space_of(&t.on, holonomic);
        let mut types = vec![];
        for written in &t.types {
            let over = written.over.as_ref().map(|over| self.space_of(over, true));
            types.push(TypeWord { written, over: over.flatten().map(|s| s.space) });
        }
        let value = self.on_space(on.as_ref(), |r| r.term(t.value));
        Some(Typed { name: &t.name, types, on: on?, value })
    }

    /// On the manifold of a space; if that is not known, neither are the names.
    fn on_space<T>(&mut self, on: Option<&Space>, work: impl FnOnce(&mut Self) -> T) -> T {
        match on {
            Some(on) => self.on(Some(on.space.manifold()), work),
            None => self.open(work),
        }
    }

    fn described<'a>(&mut self, d: &'a ast::Described, holonomic: bool, assigns: bool) -> Option<Described<'a>> {
        let on = self.space_of(&d.on, holonomic);
        let body = match &d.body {
            ast::Body::Entries(ids) if assigns => {
                let on = on.as_ref()?.space.manifold().clone();
                Body::Entries(self.assignments(ids, &on, &on))
            }
            ast::Body::Entries(ids) => Body::Entries(self.on_space(on.as_ref(), |r| r.all(ids))),
            ast::Body::Value(id) => Body::Value(self.on_space(on.as_ref(), |r| r.term(*id))),
        };
        Some(Described { name: &d.name, on: on?, body })
    }

    /// `x = expression`: the left side on the target, the right side on the source.
    fn assignments(&mut self, ids: &[ExprId], target: &FiberedManifold, source: &FiberedManifold) -> Vec<Term> {
        ids.iter().map(|id| self.on(Some(target), |r| r.assignment(*id, source))).collect()
    }

    fn assignment(&mut self, id: ExprId, source: &FiberedManifold) -> Term {
        let ast = self.ast;
        if let ExprKind::Each(each) = ast.kind(id) {
            let kind = self.each(each, |r, body| r.assignment(body, source));
            return self.made(id, kind);
        }
        let Some((left, right)) = ast.equation(id) else {
            self.say(
                Diagnostic::error(&codes::SYNTAX, "an entry is an equation `coordinate = expression`")
                    .label(ast.span(id), "not an equation"),
            );
            return Term::hole(ast.span(id));
        };
        let left = self.boxed(left);
        let right = Box::new(self.on(Some(source), |r| r.term(right)));
        self.made(id, TermKind::Compare { relation: Relation::Equal, left, right, within: None })
    }

    fn constraint<'a>(&mut self, c: &'a ast::Constraint) -> Option<Checked<'a>> {
        let on = self.space_of(&c.on, true);
        let (equations, clauses) = self.on_space(on.as_ref(), |r| {
            let equations = r.all(&c.equations);
            let clauses = c.clauses.iter().map(|clause| {
                let is_none =
                    matches!(clause.values.as_slice(), [v] if r.ast.name(*v).is_some_and(|n| &*n.text == "none"));
                match clause.kind {
                    ast::ConstraintClauseKind::Reactions if is_none => (clause.kind, Clause::None),
                    ast::ConstraintClauseKind::Dependent => {
                        let terms = r.wanting(Wants::Direction, |r| r.all(&clause.values));
                        (clause.kind, Clause::Terms(terms))
                    }
                    kind => (kind, Clause::Terms(r.all(&clause.values))),
                }
            });
            let clauses: Vec<_> = clauses.collect();
            (equations, clauses)
        });
        Some(Checked::Constraint { name: &c.name, on: on?, equations, clauses })
    }

    fn system(&mut self, body: &ast::SystemBody) -> SystemBody {
        match body {
            ast::SystemBody::Generated(id) => SystemBody::Generated(self.term(*id)),
            ast::SystemBody::Composed { base, forces, constraints } => SystemBody::Composed {
                base: self.term(*base),
                forces: self.wanting(Wants::Force, |r| r.all(forces)),
                constraints: self.wanting(Wants::Constraint, |r| r.all(constraints)),
            },
        }
    }

    // ----- runs ---------------------------------------------------------------------------------------

    fn sweep<'a>(&mut self, s: &'a ast::Sweep) -> Sweep<'a> {
        let system = self.subject(s.system);
        let home = system.home();
        let rows = self.sweep_rows(s, home.as_ref());
        Sweep { written: s, system, rows, is_open: home.is_none() }
    }

    /// What varies in a sweep and what is kept of it, on the manifold of its system.
    pub fn sweep_rows(&mut self, s: &ast::Sweep, home: Option<&FiberedManifold>) -> SweepRows {
        // Before the clauses, where the same names stand again.
        for name in s.axes.iter().filter_map(|axis| Some((self.ast.name(axis.coordinate)?, axis.coordinate))) {
            let (name, id) = name;
            let span = self.ast.span(id);
            let is_of_home = home.is_some_and(|m| coordinate_of(m, &name.text).is_some());
            let is_new = !is_of_home && matches!(self.meaning(id, name, span), Ok(None));
            if is_new && home.is_some() && self.names == Names::Known && name.primes == 0 {
                let title = format!("`{}` is neither a parameter nor a coordinate", name.text);
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, title).about(&name.text).label(span, "not declared");
                let declared = format!("param {}", name.text);
                let help = format!("declare it: `{declared}`; an initial value is varied by its coordinate");
                let text = name.text.clone();
                self.say_unknown(&text, d.repair_at(Goes::LineBefore, help, span, declared));
            }
        }
        let clauses = self.clauses(&s.clauses, home);
        let names = if home.is_some() { self.names } else { Names::Open };
        let before = std::mem::replace(&mut self.names, names);
        let rows = self.on(home, |r| {
            let axes = s.axes.iter().map(|axis| r.axis(axis)).collect();
            let mut sample = None;
            let mut collect: Vec<ExprId> = vec![];
            for clause in &s.clauses {
                match &clause.kind {
                    ast::RunClauseKind::Sample(how) => sample = r.sample(*how),
                    ast::RunClauseKind::Collect(columns) => collect.extend(columns),
                    _ => {}
                }
            }
            let mut recorded: Vec<(Symbol, Text)> = vec![];
            for clause in &clauses {
                let RunClauseKind::Record { columns, .. } = &clause.kind else { continue };
                for name in columns.iter().filter_map(|column| column.name.clone()) {
                    recorded.push((Symbol::helper(&format!("the column {name}")), name));
                }
            }
            r.collecting = Some(Collecting { reductions: vec![], recorded });
            let collected = collect.into_iter().map(|id| r.column(id)).collect();
            let Collecting { reductions, recorded } = r.collecting.take().unwrap_or_default();
            SweepRows { axes, clauses: vec![], sample, collected, reductions, recorded }
        });
        self.names = before;
        SweepRows { clauses, ..rows }
    }

    fn axis(&mut self, axis: &ast::Axis) -> Axis {
        let ast = self.ast;
        let span = ast.span(axis.coordinate).to(ast.span(axis.by.unwrap_or(axis.values)));
        let coordinate = self.term(axis.coordinate);
        let values = match ast.kind(axis.values) {
            ExprKind::Range { from, to } => {
                let [from, to] = [*from, *to].map(|end| Box::new(self.term(end)));
                AxisValues::Range { from, to, by: axis.by.map(|by| Box::new(self.term(by))) }
            }
            _ => {
                if let Some(by) = axis.by {
                    self.say(
                        Diagnostic::error(&codes::NO_EFFECT, "a list has no step")
                            .label(ast.span(by), "no effect")
                            .help("write a range: `0..5 by 1/10`"),
                    );
                }
                AxisValues::List(self.term(axis.values))
            }
        };
        Axis { coordinate, values, span }
    }

    /// `1000`, `random(1000)`, `sobol(1000, seed = 7)`.
    fn sample(&mut self, how: ExprId) -> Option<Sample> {
        let ast = self.ast;
        let span = ast.span(how);
        let (rule, arguments) = match ast.kind(how) {
            ExprKind::Call { callee, arguments } => (ast.name(*callee), arguments.as_slice()),
            _ => (None, std::slice::from_ref(&how)),
        };
        let rule = match rule {
            None => Rule::Random,
            Some(name) => match RULES.iter().find(|(known, _)| **known == *name.text) {
                Some((_, rule)) => *rule,
                None => {
                    let title = format!("there is no rule `{}` for samples", name.text);
                    let d = Diagnostic::error(&codes::BAD_OPTION, title).label(span, "not known");
                    let names = RULES.iter().map(|(name, _)| *name);
                    self.say(match suggest::nearest(&name.text, names) {
                        Some(near) => d.help(format!("did you mean `{near}`?")),
                        None => d.help("write `sample random(1000)` or `sample sobol(1000)`"),
                    });
                    return None;
                }
            },
        };
        let (mut count, mut seed) = (None, None);
        for argument in arguments {
            match ast.option(*argument) {
                Some((word, value)) if &*word.node == "seed" && seed.is_none() => seed = Some(self.term(value)),
                None if count.is_none() => count = Some(self.term(*argument)),
                _ => {
                    self.say(
                        Diagnostic::error(&codes::BAD_OPTION, "a sample has a number of points and a seed")
                            .label(ast.span(*argument), "neither")
                            .help("write `sample sobol(1000, seed = 7)`"),
                    );
                    return None;
                }
            }
        }
        let Some(count) = count else {
            self.say(
                Diagnostic::error(&codes::BAD_OPTION, "a sample needs a number of points")
                    .label(span, "how many?")
                    .help("write `sample sobol(1000)`"),
            );
            return None;
        };
        Some(Sample { rule, count, seed, span })
    }

    /// In what a sweep collects: `max(x)`, `E.first`, and recorded names. They become symbols.
    pub(super) fn collected(&mut self, id: ExprId) -> Option<TermKind> {
        let ast = self.ast;
        let (reduction, of) = match ast.kind(id) {
            ExprKind::Name(name) => {
                let recorded = &self.collecting.as_ref()?.recorded;
                return recorded.iter().find(|(_, known)| **known == *name.text).map(|(s, _)| TermKind::Symbol(*s));
            }
            ExprKind::Call { callee, arguments } => {
                let [of] = arguments.as_slice() else { return None };
                let name = ast.name(*callee).filter(|name| matches!(&*name.text, "max" | "min"))?;
                (Reduction::named(&name.text)?, *of)
            }
            ExprKind::Part { of, key } => {
                if key.node.primes > 0 {
                    return None;
                }
                (Reduction::named(&key.node.text)?, *of)
            }
            _ => return None,
        };
        self.collecting.as_ref()?;
        let of = self.term(of);
        let collecting = self.collecting.as_mut()?;
        let symbol = Symbol::helper(&format!("reduction {}", collecting.reductions.len() + 1));
        collecting.reductions.push(Reduced { reduction, of, symbol });
        Some(TermKind::Symbol(symbol))
    }

    fn simulate<'a>(&mut self, s: &'a ast::Simulate) -> Simulate<'a> {
        let system = self.subject(s.system);
        let home = system.home();
        let clauses = self.clauses(&s.clauses, home.as_ref());
        Simulate { written: s, system, clauses, is_open: home.is_none() }
    }

    /// What is run.
    fn subject(&mut self, id: ExprId) -> Term {
        let wants = if self.ast.name(id).is_some() { Wants::System } else { self.wants };
        let term = self.wanting(wants, |r| r.term(id));
        // `hamilton(S)` runs in canonical coordinates.
        let canonical = matches!(&term.kind, TermKind::Ask(ask) if ask.row.gives.is_motion());
        let derived = term.shape.question.is_some_and(|q| q.gives.is_motion());
        self.canonical = canonical || derived;
        if !canonical
            && !derived
            && let Some(problem) = row::wrong_kind(SYSTEM, &Given::term(&term))
        {
            self.say(problem);
        }
        term
    }

    /// The clauses of a run on the manifold of its system; where that is not known, neither are the names.
    pub fn clauses(&mut self, clauses: &[ast::RunClause], home: Option<&FiberedManifold>) -> Vec<RunClause> {
        let names = if home.is_some() { self.names } else { Names::Open };
        let before = std::mem::replace(&mut self.names, names);
        let clauses = self.on(home, |r| clauses.iter().filter_map(|c| r.clause(c)).collect());
        self.names = before;
        clauses
    }

    fn clause(&mut self, clause: &ast::RunClause) -> Option<RunClause> {
        let wants = match &clause.kind {
            ast::RunClauseKind::From(_) => Wants::State,
            ast::RunClauseKind::Record { .. } => Wants::Column,
            _ => Wants::Anything,
        };
        self.wanting(wants, |r| r.clause_of(clause))
    }

    fn clause_of(&mut self, clause: &ast::RunClause) -> Option<RunClause> {
        let kind = match &clause.kind {
            ast::RunClauseKind::Set(list) => {
                RunClauseKind::Set(list.iter().filter_map(|id| self.setting(*id)).collect())
            }
            ast::RunClauseKind::From(list) => RunClauseKind::From(self.all(list)),
            ast::RunClauseKind::Until(id) => RunClauseKind::Until(self.term(*id)),
            ast::RunClauseKind::Method(id) => {
                let method = read_method(self.ast, *id);
                RunClauseKind::Method(self.or_hole(method)?)
            }
            ast::RunClauseKind::Tolerance(list) => RunClauseKind::Tolerance(
                list.iter()
                    .map(|entry| match entry {
                        ast::Tolerance::Both(id) => Tolerance::Both(self.term(*id)),
                        ast::Tolerance::Relative(id) => Tolerance::Relative(self.term(*id)),
                        ast::Tolerance::Absolute(id) => Tolerance::Absolute(self.term(*id)),
                        ast::Tolerance::Scale { coordinate, scale } => {
                            Tolerance::Scale { coordinate: self.term(*coordinate), scale: self.term(*scale) }
                        }
                    })
                    .collect(),
            ),
            ast::RunClauseKind::Step(id) => RunClauseKind::Step(self.term(*id)),
            ast::RunClauseKind::Record { columns, every } => RunClauseKind::Record {
                columns: columns.iter().map(|id| self.column(*id)).collect(),
                every: every.map(|id| self.term(id)),
            },
            ast::RunClauseKind::Stop { when, direction } => {
                RunClauseKind::Stop { when: self.term(*when), direction: *direction }
            }
            ast::RunClauseKind::Branch(id) => RunClauseKind::Branch(self.term(*id)),
            ast::RunClauseKind::Collect(_) => RunClauseKind::Collect,
            ast::RunClauseKind::Sample(_) => RunClauseKind::Sample,
        };
        Some(RunClause { kind, span: clause.span })
    }

    /// `m = 2` or `V(theta) = cos(theta)`.
    fn setting(&mut self, id: ExprId) -> Option<Setting> {
        let ast = self.ast;
        let Some((left, right)) = ast.equation(id) else {
            self.say(
                Diagnostic::error(&codes::BAD_OPTION, "`set` takes equations").label(ast.span(id), "not an equation"),
            );
            return None;
        };
        let scope = self.scope;
        if let ExprKind::Call { callee, arguments } = ast.kind(left)
            && let Some(name) = ast.name(*callee)
            && let Some(binding) = scope.function(&name.text)
            && let Callable::Unknown(function) = binding.callable
        {
            let (n, wanted, span) = (arguments.len(), function.arity() as usize, ast.span(left));
            let arity = super::check_arity(&function.name(), wanted, n, span, binding.span);
            let body = self.function_body(function, arguments, right);
            return self.or_hole(arity).map(|()| Setting::Function { body, span });
        }
        Some(Setting::Parameter { left: self.term(left), right: self.term(right) })
    }

    fn column(&mut self, id: ExprId) -> Column {
        let span = self.ast.span(id);
        // `record q[1..3]`
        if let ExprKind::Index { of, keys } = self.ast.kind(id)
            && let [key] = keys.as_slice()
            && matches!(self.ast.kind(*key), ExprKind::Range { .. })
            && self.member_of(*of).is_some()
        {
            let d =
                Diagnostic::error(&codes::WRONG_KIND, "a family is recorded by its name").label(span, "a range of it");
            let places = Goes::Quoting(vec![self.ast.span(*of)]);
            self.say(d.repair_at(places, "all its members are recorded", span, "…"));
            return Column { name: None, value: Term::hole(span), span };
        }
        match self.ast.option(id) {
            Some((name, value)) => Column { name: Some(name.node), value: self.term(value), span },
            None => Column { name: None, value: self.term(id), span },
        }
    }

    /// A section has one surface, and any number of curves.
    fn poincare<'a>(&mut self, p: &'a ast::Poincare) -> Option<Poincare<'a>> {
        let run = self.wanted(RUN, p.what);
        let home = run.home();
        let mut sections = vec![];
        let mut entries = vec![];
        for entry in &p.entries {
            match entry {
                ast::PoincareEntry::Section { when, direction } => sections.push((*when, *direction)),
                ast::PoincareEntry::Plot(curve) => entries.push(curve.clone()),
            }
        }
        let (curves, settings) = self.picture(home.as_ref(), &entries);
        let names = if home.is_some() { self.names } else { Names::Open };
        let before = std::mem::replace(&mut self.names, names);
        let sections: Vec<_> =
            self.on(home.as_ref(), |r| sections.into_iter().map(|(when, d)| (r.term(when), d)).collect());
        self.names = before;
        if let [(first, _), (again, _), ..] = sections.as_slice() {
            self.say(
                Diagnostic::error(&codes::REPEATED_CLAUSE, "a section is given twice")
                    .label(again.span, "again")
                    .label(first.span, "first"),
            );
        }
        let Some((section, direction)) = sections.into_iter().next() else {
            self.say(
                Diagnostic::error(&codes::UNKNOWN_CLAUSE, "this has no section")
                    .label(self.ast.span(p.what), "which surface does it cross?")
                    .help("say it: `section x = 0 rising`"),
            );
            return None;
        };
        Some(Poincare { run, section, direction, curves, settings, to: p.to.as_ref() })
    }

    /// The curves of a picture and its settings, which stand among them. A column is named before it is there.
    fn picture(&mut self, home: Option<&FiberedManifold>, entries: &[ast::Curve]) -> (Vec<Curve>, PlotSettings) {
        let mut settings = picture::Settings::default();
        let curves = self.on(home, |r| r.open(|r| entries.iter().filter_map(|c| r.curve(c, &mut settings)).collect()));
        (curves, settings.finish())
    }

    fn curve(&mut self, curve: &ast::Curve, settings: &mut picture::Settings) -> Option<Curve> {
        let mut values = vec![];
        for &id in &curve.values {
            match self.ast.option(id) {
                Some((name, value)) => {
                    let read = settings.read(self.ast, &name, value);
                    self.or_hole(read);
                }
                None => values.push(self.term(id)),
            }
        }
        let against = curve.against.map(|id| self.term(id));
        (!values.is_empty()).then_some(Curve { values, against })
    }
}

/// The name that a bare equation `T = …` was meant to declare, if that is not declared.
pub fn assigned(ast: &Ast, statement: &Statement) -> Option<ast::Text> {
    let StatementKind::Question(id) = statement.kind else { return None };
    let (left, _) = ast.equation(id).filter(|_| ast[id].parens == 0)?;
    let name = match ast.kind(left) {
        ExprKind::Call { callee, .. } => ast.name(*callee),
        _ => ast.name(left),
    };
    name.filter(|name| name.primes == 0).map(|name| name.text.clone())
}

/// `dop853`, `gauss(6)`, `variational(midpoint)`.
fn read_method(ast: &Ast, id: ExprId) -> Fallible<Method> {
    let span = ast.span(id);
    let (name, arguments) = match ast.kind(id) {
        ExprKind::Call { callee, arguments } => (ast.name(*callee), arguments.as_slice()),
        _ => (ast.name(id), &[][..]),
    };
    let text = match ast.kind(id) {
        ExprKind::String(quoted) => quoted.to_string(),
        _ => name.map(|n| n.text.to_string()).unwrap_or_default(),
    };
    let is_quoted = matches!(ast.kind(id), ExprKind::String(_));
    let brackets: Vec<Written> = arguments.iter().map(|argument| bracketed(ast, *argument)).collect();
    match Method::written(&text, &brackets) {
        Ok(method) if !is_quoted => return Ok(method),
        Ok(_) => {
            let d = Diagnostic::error(&codes::BAD_OPTION, "a method is a word, without quotes").label(span, "a text");
            return Err(Box::new(d.repair(format!("write `method {text}`"), span, text)));
        }
        Err(BadMethod::TooMuch) => {
            // As much of it as has a meaning.
            let kept =
                (0..brackets.len()).rev().find_map(|n| Method::written(&text, &brackets[..n]).ok().map(|m| (n, m)));
            let (title, instead) = match kept {
                Some((n, method)) if n > 0 => {
                    (format!("the method `{text}` does not take so much"), method.to_string())
                }
                _ => (format!("the method `{text}` takes no argument"), text),
            };
            return Err(Box::new(Diagnostic::error(&codes::NO_EFFECT, title).label(span, "no effect").repair(
                format!("write `{instead}`"),
                span,
                instead,
            )));
        }
        Err(BadMethod::Misfit { takes, example }) => {
            return Err(Box::new(
                Diagnostic::error(&codes::BAD_OPTION, format!("the method `{text}` does not take this"))
                    .label(arguments.first().map_or(span, |a| ast.span(*a)), format!("it takes {takes}"))
                    .repair(format!("write `{example}`"), span, example),
            ));
        }
        Err(BadMethod::NoSuchName) => {}
    }
    let d = Diagnostic::error(&codes::BAD_OPTION, format!("there is no method `{text}`")).label(span, "not known");
    let names: Vec<&str> = Method::all().map(Method::name).collect();
    let elsewhere = match elsewhere::ours(elsewhere::Use::Method, &text) {
        Some(elsewhere::Ours::Word(ours)) => Some(ours),
        _ => None,
    };
    Err(Box::new(match elsewhere.or_else(|| suggest::nearest(&text, names.iter().copied())) {
        Some(near) => d.repair(format!("did you mean `{near}`?"), span, near),
        None => d.note(format!("the methods are {}", names.join(", "))),
    }))
}

/// The terms of a sum that are names alone.
fn bare_terms(ast: &Ast, id: ExprId) -> Vec<Span> {
    let ExprKind::Sum(terms) = ast.kind(id) else { return vec![] };
    let bare = |id: &ExprId| ast.name(*id).is_some_and(|n| n.primes == 0);
    terms.iter().map(|(_, id)| id).filter(|id| bare(id)).map(|id| ast.span(*id)).collect()
}

fn bracketed(ast: &Ast, id: ExprId) -> Written {
    match ast.kind(id) {
        ExprKind::Number(n) => n.to_i64().map_or(Written::Other, Written::Number),
        _ => ast.name(id).map_or(Written::Other, |n| Written::Word(n.text.to_string())),
    }
}
