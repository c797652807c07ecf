//! What the clauses of a run say: `set`, `from`, `until`, `method`, `tolerance`, `step`, `record`, `stop`, `branch`.

use crate::algebra::assume::Sign;
use crate::algebra::decide::sign;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::number::Rational;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Node, Symbol, SymbolKind};
use crate::codegen::lower;
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::control::Tolerance;
use crate::integrate::method::Method;
use crate::integrate::problem::{Direction, Event};
use crate::model::operate;
use crate::model::set::PointSet;
use crate::model::show::condition_text;
use crate::model::value::{Fallible, Indexed, Value, key_text};
use crate::motion::law::Body;
use crate::motion::numbers::Numbers;
use crate::motion::start::Given;
use crate::session::check;
use crate::session::checked::{self, RunClause, RunClauseKind, Setting};
use crate::session::declare::function_body;
use crate::session::evaluate::Evaluator;
use crate::session::interpreter::{Interpreter, is_left_to_a_run};
use crate::session::term::{Repetition, Term, TermKind};
use crate::source::Span;
use crate::syntax::ast;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What the clauses of a run say, before anything is derived.
#[derive(Clone)]
pub struct Clauses {
    /// Values over the declared ones.
    pub set: FxHashMap<Symbol, Expr>,
    pub bodies: Vec<Body>,
    /// The initial state, entry by entry.
    pub from: Vec<(Symbol, Expr, Span)>,
    /// What `from` says of variations.
    pub varied: Vec<(Symbol, Expr, Span)>,
    pub until: (Expr, Span),
    pub method: Method,
    pub tolerance: Tolerance,
    /// Scales of single states.
    pub scales: Vec<(Symbol, f64, Span)>,
    pub step: Option<f64>,
    /// `None` without a `record` clause: then the states are recorded.
    pub record: Option<Vec<Column>>,
    pub every: Option<f64>,
    pub stops: Vec<Stop>,
    pub branch: Option<(Rc<PointSet>, Span)>,
    /// The words `simulate` and `from`, for diagnostics.
    pub simulate: Span,
    pub from_span: Option<Span>,
}

/// A recorded expression.
#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub value: Expr,
    pub span: Span,
}

/// A function whose zeros end the run.
#[derive(Clone)]
pub struct Stop {
    pub value: Expr,
    pub event: Event,
    pub span: Span,
}

/// Refuses values of parameters, and an initial state as far as it is given, that contradict what is assumed: the formulas
/// were derived with it.
pub fn obey(cx: &Inquiry, state: &Interpreter, clauses: &Clauses) -> Fallible<()> {
    let numbers = Numbers::new(&state.parameters, &clauses.set);
    let start: FxHashMap<Symbol, Expr> = clauses.from.iter().map(|(s, value, _)| (*s, numbers.put(*value))).collect();
    for (fact, assumed) in state.facts.iter() {
        let value = substitute(numbers.put(fact), &start);
        if !value.symbols().is_empty() || assumed.and(sign(cx, value)).is_possible() {
            continue;
        }
        let is_about_a_state = fact.symbols().iter().any(|s| start.contains_key(s));
        let place = clauses.from_span.filter(|_| is_about_a_state).unwrap_or(clauses.simulate);
        let evidence = match Condition::from_fact(fact, assumed) {
            Some(condition) => format!("assumed is {}, and {fact} is {value} here", condition_text(cx, &condition)),
            None => format!("{fact} is {value} here"),
        };
        return Err(Box::new(
            Diagnostic::error(&codes::CONTRADICTION, "this run contradicts what is assumed")
                .label(place, if is_about_a_state { "starts outside of it" } else { "with these parameters" })
                .note(evidence)
                .help("give other values, or assume less"),
        ));
    }
    Ok(())
}

/// What is assumed of parameters and of the initial state as far as it is given: functions of what varies, and their signs.
pub fn assumed(cx: &Inquiry, state: &Interpreter, clauses: &Clauses, numbers: &Numbers) -> Vec<(Expr, Sign, String)> {
    let start: FxHashMap<Symbol, Expr> = clauses.from.iter().map(|(s, value, _)| (*s, numbers.put(*value))).collect();
    let facts = state.facts.iter().map(|(fact, sign)| {
        let text = Condition::from_fact(fact, sign).map_or(fact.to_string(), |c| condition_text(cx, &c));
        (substitute(numbers.put(fact), &start), sign, text)
    });
    facts.collect()
}

/// The sum of the sizes of the terms of a sum; 0 of what is no sum.
pub fn size_of_terms(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } => {
            let term = |(x, c): &(Expr, Rational)| Expr::apply(Elementary::Abs, &[*x]).scale(&c.abs());
            terms.iter().map(term).fold(Expr::number(constant.abs()), |sum, x| sum + x)
        }
        _ => Expr::zero(),
    }
}

impl Clauses {
    /// The initial state as it was given.
    pub fn given(&self) -> Given<'_> {
        Given { values: &self.from, span: self.from_span.unwrap_or(self.simulate) }
    }

    /// Reads them behind the word `simulate` or `sweep`. Of several mistakes the first is the refusal, and the others are
    /// remarked upon.
    pub fn read(
        state: &Interpreter,
        evaluator: &Evaluator,
        simulate: Span,
        written: &[RunClause],
        manifold: &FiberedManifold,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<Clauses> {
        let mut clauses = Clauses {
            set: FxHashMap::default(),
            bodies: vec![],
            from: vec![],
            varied: vec![],
            until: (Expr::zero(), simulate),
            method: Method::AUTO,
            tolerance: Tolerance::default(),
            scales: vec![],
            step: None,
            record: None,
            every: None,
            stops: vec![],
            branch: None,
            simulate,
            from_span: None,
        };
        let mut wrong = vec![];
        for clause in written {
            clauses.read_clause(state, evaluator, clause, manifold, &mut wrong);
        }
        if !written.iter().any(|c| matches!(c.kind, RunClauseKind::Until(_))) {
            let d = Diagnostic::error(&codes::NO_END, "this run has no end").label(simulate, "no `until`");
            let until = format!("until {} = 10", manifold.base());
            let help = format!("add `{until}`");
            wrong.push(match written.last() {
                Some(last) => d.repair(help, Span { start: last.span.end, ..last.span }, format!("; {until}")),
                None => d.help(help),
            });
        }
        let has_step = written.iter().any(|c| matches!(c.kind, RunClauseKind::Step(_)));
        if !clauses.method.row().adaptive() && !has_step {
            let name = clauses.method;
            let method = written.iter().find(|c| matches!(c.kind, RunClauseKind::Method(_)));
            let d = Diagnostic::error(&codes::BAD_OPTION, format!("`{name}` has a fixed step, and none is given"))
                .label(method.map_or(simulate, |c| c.span), "no `step`");
            wrong.push(match method {
                Some(c) => d.repair("add `step 1/100`", Span { start: c.span.end, ..c.span }, "; step 1/100"),
                None => d.help("add `step 1/100`"),
            });
        }
        let tolerance = written.iter().find(|c| matches!(c.kind, RunClauseKind::Tolerance(_)));
        if let (false, Some(c)) = (clauses.method.row().adaptive(), tolerance) {
            wrong.push(
                Diagnostic::error(&codes::NO_EFFECT, format!("`{}` has a fixed step", clauses.method))
                    .label(c.span, "has no effect")
                    .help("leave `tolerance` out, or take a method that finds its steps, as `dop853` does"),
            );
        }
        // What is known in a run only is no mistake beside one.
        wrong.sort_by_key(|d| is_left_to_a_run(&evaluator.cx, d));
        let n_mistakes = wrong.iter().filter(|d| !is_left_to_a_run(&evaluator.cx, d)).count();
        wrong.truncate(n_mistakes.max(1));
        check::first_of(wrong, remarks).map(|()| clauses)
    }

    /// Reads a clause as far as nothing is wrong with it.
    fn read_clause(
        &mut self,
        state: &Interpreter,
        evaluator: &Evaluator,
        clause: &RunClause,
        manifold: &FiberedManifold,
        wrong: &mut Vec<Diagnostic>,
    ) {
        let mut note = |read: Fallible<()>| wrong.extend(read.err().map(|d| *d));
        match &clause.kind {
            RunClauseKind::Set(list) => list.iter().for_each(|setting| note(self.read_set(evaluator, setting))),
            RunClauseKind::From(list) => {
                self.from_span.get_or_insert(clause.span);
                list.iter().for_each(|entry| note(self.read_from(evaluator, entry)));
            }
            RunClauseKind::Until(term) => note(read_until(evaluator, term, manifold).map(|end| self.until = end)),
            RunClauseKind::Method(method) => self.method = *method,
            RunClauseKind::Tolerance(list) => note(self.read_tolerance(evaluator, list)),
            RunClauseKind::Step(term) => {
                note(positive(evaluator, term, "a step", "1/100").map(|h| self.step = Some(h)))
            }
            RunClauseKind::Record { columns, every } => {
                for (i, column) in columns.iter().enumerate() {
                    // Before it is known what they are.
                    let same = |other: &checked::Column| other.name.is_some() && other.name == column.name;
                    note(match columns[..i].iter().any(same) {
                        true => Err(recorded_twice(&state.source_text(column.span), column)),
                        false => self.read_column(state, evaluator, column),
                    });
                }
                if let Some(every) = every {
                    // All columns are recorded at the same times.
                    note(match self.every {
                        Some(_) => Err(given_twice("every", every.span)),
                        None => {
                            positive(evaluator, every, "an interval", "1/100").map(|every| self.every = Some(every))
                        }
                    });
                }
            }
            RunClauseKind::Stop { when, direction } => {
                note(read_stop(state, evaluator, when, *direction).map(|stop| self.stops.push(stop)));
            }
            RunClauseKind::Branch(term) => {
                let branch = evaluator.eval(term).and_then(|value| branch_set(&value, term.span));
                note(branch.map(|set| self.branch = Some((set, term.span))));
            }
            // In one run the syntax refuses them; a sweep reads them itself.
            RunClauseKind::Collect | RunClauseKind::Sample => {}
        }
    }

    /// `m = 2` or `V(theta) = cos(theta)`.
    fn read_set(&mut self, evaluator: &Evaluator, setting: &Setting) -> Fallible<()> {
        let (left, right) = match setting {
            Setting::Parameter { left, right } => (left, right),
            Setting::Function { body, span } => {
                let body = function_body(evaluator, body)?;
                if self.bodies.iter().any(|b| b.function == body.function) {
                    return Err(given_twice(&format!("{}(…)", body.function.name()), *span));
                }
                self.bodies.push(body);
                return Ok(());
            }
        };
        let symbol = evaluator.jet_symbol(left)?;
        if !symbol.is_parameter() {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a parameter"))
                    .label(left.span, "`set` gives values to parameters and functions")
                    .help(format!("an initial value is given with `from {symbol} = …`")),
            ));
        }
        let value = evaluator.expr(right)?;
        if let Some(varies) = value.symbols().into_iter().find(|s| !s.is_parameter()) {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("a parameter is constant, and `{varies}` is not"))
                    .label(right.span, format!("depends on `{varies}`"))
                    .help("declare `function` for what varies, and set it: `set V(x) = …`"),
            ));
        }
        match self.set.insert(symbol, value) {
            Some(_) => Err(given_twice(&symbol.name(), left.span)),
            None => Ok(()),
        }
    }

    /// `q = 1` for every member of a family, `q = [1, 2, 3]` for one after the other.
    fn start_family(&mut self, evaluator: &Evaluator, family: &Indexed, right: &Term, span: Span) -> Fallible<()> {
        let given = match evaluator.eval(right)?.main() {
            Value::List(items) => operate::vector(&evaluator.cx, &items)?,
            value => vec![operate::as_expr(&evaluator.cx, &value)?; family.members.len()],
        };
        if given.len() != family.members.len() {
            let (n, members) = (given.len(), family.members.len());
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("`{}` has {members} members, not {n}", family.name))
                    .label(right.span, format!("{n} values")),
            ));
        }
        for (member, value) in family.members.values().zip(given) {
            let symbol = operate::as_expr(&evaluator.cx, member)?.as_symbol();
            if let Some(symbol) = symbol {
                self.start_at(symbol, value, span)?;
            }
        }
        Ok(())
    }

    /// `x = 1`, or a point.
    fn read_from(&mut self, evaluator: &Evaluator, entry: &Term) -> Fallible<()> {
        let span = entry.span;
        if let TermKind::Each(_) = entry.kind {
            return evaluator.each_with(entry, &mut |inner, body| self.read_from(inner, body));
        }
        if let Some((left, right)) = entry.equation() {
            if let Value::Indexed(family) = evaluator.eval(left)?.main() {
                return self.start_family(evaluator, &family, right, span);
            }
            let symbol = evaluator.jet_symbol(left)?;
            let is_foreign = evaluator.on.as_ref().is_some_and(|manifold| manifold.is_foreign(symbol));
            if is_foreign || symbol.is_parameter() {
                return Err(not_here(evaluator, symbol, left.span, "has no effect"));
            }
            return self.start_at(symbol, constant(evaluator, right)?, span);
        }
        let point = evaluator.point(entry)?;
        for entry in &point.entries {
            let here = |s: &Symbol| {
                evaluator.on.as_ref().is_none_or(|m| m.order_of_symbol(*s).is_some() || m.base() == *s)
                    || !matches!(s.kind(), SymbolKind::Jet { .. } | SymbolKind::Base)
            };
            let Some(symbol) = entry.symbols.iter().copied().find(here) else { continue };
            if symbol.is_parameter() {
                self.set.entry(symbol).or_insert(entry.value);
                continue;
            }
            self.start_at(symbol, entry.value, span)?;
        }
        Ok(())
    }

    fn start_at(&mut self, symbol: Symbol, value: Expr, span: Span) -> Fallible<()> {
        let list = match symbol.kind() {
            SymbolKind::Variation { .. } => &mut self.varied,
            _ => &mut self.from,
        };
        if list.iter().any(|(s, _, _)| *s == symbol) {
            return Err(given_twice(&symbol.name(), span));
        }
        list.push((symbol, value, span));
        Ok(())
    }

    /// `1e-9`, `rel 1e-9, abs 1e-12`, `x = 1e-3`.
    fn read_tolerance(&mut self, evaluator: &Evaluator, list: &[checked::Tolerance]) -> Fallible<()> {
        let number = |term: &Term| {
            let tau = positive(evaluator, term, "a tolerance", "1e-9")?;
            if tau < 1.0 {
                return Ok(tau);
            }
            Err(Box::new(
                Diagnostic::error(&codes::BAD_OPTION, "a tolerance lies between 0 and 1")
                    .label(term.span, "too large")
                    .help("write for example `tolerance 1e-10`"),
            ))
        };
        if let [checked::Tolerance::Both(first), checked::Tolerance::Both(second)] = list {
            let d = (*given_twice("tolerance", second.span)).repair_at(
                Goes::Quoting(vec![first.span, second.span]),
                "one number is for both; two have their names",
                first.span.to(second.span),
                "rel …, abs …",
            );
            return Err(Box::new(d));
        }
        let mut given = [false; 2];
        for (sides, term) in list.iter().filter_map(checked::Tolerance::sides) {
            for (i, side) in ["rel", "abs"].into_iter().enumerate().filter(|(i, _)| sides[*i]) {
                if std::mem::replace(&mut given[i], true) {
                    return Err(given_twice(side, term.span));
                }
            }
        }
        for entry in list {
            match entry {
                checked::Tolerance::Both(term) => self.tolerance = Tolerance::both(number(term)?),
                checked::Tolerance::Relative(term) => self.tolerance.relative = number(term)?,
                checked::Tolerance::Absolute(term) => {
                    self.tolerance.absolute = positive(evaluator, term, "a tolerance", "1e-9")?;
                }
                checked::Tolerance::Scale { coordinate, scale } => {
                    let span = coordinate.span;
                    let symbol = evaluator.jet_symbol(coordinate)?;
                    if evaluator.on.as_ref().is_some_and(|manifold| manifold.is_foreign(symbol)) {
                        return Err(not_here(evaluator, symbol, span, "no scale"));
                    }
                    if self.scales.iter().any(|(s, _, _)| *s == symbol) {
                        return Err(given_twice(&symbol.name(), span));
                    }
                    self.scales.push((symbol, positive(evaluator, scale, "a scale", "1")?, span));
                }
            }
        }
        Ok(())
    }

    /// `x`, `E = energy(S)`; a list or a family is several columns.
    fn read_column(&mut self, state: &Interpreter, evaluator: &Evaluator, column: &checked::Column) -> Fallible<()> {
        let (cx, span, value) = (&evaluator.cx, column.span, &column.value);
        let is_list = matches!(&value.kind, TermKind::Each(each) if each.of == Repetition::List);
        if is_list && column.name.is_none() {
            return evaluator.each_with(value, &mut |inner, body| {
                let value = inner.expr(body)?;
                self.push_column(inner, value.to_string(), value, span)
            });
        }
        let name = column.name.as_ref().map_or_else(|| state.source_text(span), |name| name.to_string());
        match evaluator.eval(value)?.main() {
            Value::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.push_column(evaluator, format!("{name}[{}]", i + 1), operate::as_expr(cx, item)?, span)?;
                }
                Ok(())
            }
            Value::Family(family) => {
                for (key, item) in &family.entries {
                    self.push_column(
                        evaluator,
                        format!("{name}.{}", key_text(key)),
                        operate::as_expr(cx, item)?,
                        span,
                    )?;
                }
                Ok(())
            }
            Value::Indexed(family) => {
                for (key, item) in &family.members {
                    let key: Vec<String> = key.iter().map(i64::to_string).collect();
                    self.push_column(
                        evaluator,
                        format!("{name}[{}]", key.join(", ")),
                        operate::as_expr(cx, item)?,
                        span,
                    )?;
                }
                Ok(())
            }
            other => {
                let value = operate::as_expr(cx, &other).map_err(|d| Box::new(d.or_at(span, "recorded here")))?;
                self.push_column(evaluator, name, value, span)
            }
        }
    }

    fn push_column(&mut self, evaluator: &Evaluator, name: String, value: Expr, span: Span) -> Fallible<()> {
        let is_foreign = |s: &Symbol| evaluator.on.as_ref().is_some_and(|manifold| manifold.is_foreign(*s));
        if let Some(foreign) = value.symbols().into_iter().find(is_foreign) {
            return Err(Box::new(
                Diagnostic::error(&codes::MISSING_PARAMETER, format!("`{foreign}` has no value along this motion"))
                    .label(span, "depends on it"),
            ));
        }
        let record = self.record.get_or_insert_default();
        if record.iter().any(|c| c.name == name) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is recorded twice")).label(span, "again"),
            ));
        }
        record.push(Column { name, value, span });
        Ok(())
    }

    /// Declared bodies of functions that this run does not set itself.
    pub fn add_declared_bodies(&mut self, state: &Interpreter) {
        let declared = state.bodies.values().filter(|b| self.bodies.iter().all(|own| own.function != b.function));
        self.bodies.extend(declared.cloned().collect::<Vec<_>>());
    }
}

fn given_twice(name: &str, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is given twice")).label(span, "again"))
}

fn read_until(evaluator: &Evaluator, term: &Term, manifold: &FiberedManifold) -> Fallible<(Expr, Span)> {
    let (span, time) = (term.span, manifold.base());
    let Some((left, right)) = term.equation() else {
        let d = Diagnostic::error(&codes::NO_END, format!("`until` takes an equation such as `{time} = 10`"))
            .label(span, "not an equation");
        return Err(Box::new(match &term.kind {
            // `until x < 0`
            TermKind::Compare { left, right, relation, .. }
                if evaluator.expr(left).is_ok_and(|e| e.as_symbol() != Some(time)) =>
            {
                let way = match relation {
                    Relation::Less | Relation::LessEqual => " falling",
                    Relation::Greater | Relation::GreaterEqual => " rising",
                    _ => "",
                };
                d.repair_at(
                    Goes::Quoting(vec![left.outer, right.outer]),
                    format!("write `until {time} = 10`; `stop when` stops it elsewhere"),
                    span,
                    format!("{time} = 10; stop when … = …{way}"),
                )
            }
            // `until t > 10`
            TermKind::Compare { right, .. } => {
                let end = Goes::Quoting(vec![right.outer]);
                d.repair_at(end, format!("write `until {time} = …`"), span, format!("{time} = …"))
            }
            _ => d.repair(format!("write `until {time} = …`"), span, format!("{time} = …")),
        }));
    };
    if evaluator.expr(left)?.as_symbol() != Some(time) {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_END, format!("a run ends at a value of {time}"))
                .label(left.span, "not the time")
                .repair_at(
                    Goes::Quoting(vec![span]),
                    format!("write `until {time} = 10`; `stop when` stops it elsewhere"),
                    span,
                    format!("{time} = 10; stop when …"),
                ),
        ));
    }
    Ok((constant(evaluator, right)?, right.span))
}

/// What has to have a value before the motion begins.
fn constant(evaluator: &Evaluator, term: &Term) -> Fallible<Expr> {
    let value = evaluator.expr(term)?;
    match value.symbols().into_iter().find(|s| matches!(s.kind(), SymbolKind::Jet { .. } | SymbolKind::Base)) {
        None => Ok(value),
        Some(varies) => Err(Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, "this is not a number")
                .label(term.span, "needed in the run")
                .note(format!("`{varies}` has no value")),
        )),
    }
}

/// A coordinate of another manifold where a state of the motion is meant.
pub(super) fn not_here(evaluator: &Evaluator, symbol: Symbol, span: Span, label: &str) -> Box<Diagnostic> {
    let d =
        Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a state of this motion")).label(span, label);
    Box::new(match &evaluator.on {
        Some(manifold) => {
            let names: Vec<String> = manifold.fibres().iter().map(|f| f.coordinate.name()).collect();
            d.note(format!("the motion is on {}, with the coordinates {}", manifold.name(), names.join(", ")))
        }
        None => d,
    })
}

/// `branch dynamics(S).branches[2]`.
fn branch_set(value: &Value, span: Span) -> Fallible<Rc<PointSet>> {
    match value.main() {
        Value::Set(set) => Ok(set),
        _ => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "`branch` takes a branch of the dynamics")
                .label(span, format!("this is {}", operate::describe(value)))
                .help("write `branch dynamics(S).branches[1]`"),
        )),
    }
}

fn recorded_twice(name: &str, column: &checked::Column) -> Box<Diagnostic> {
    let name = column.name.as_ref().map_or(name, |name| &**name);
    Box::new(
        Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is recorded twice")).label(column.span, "again"),
    )
}

pub(super) fn read_stop(
    state: &Interpreter,
    evaluator: &Evaluator,
    when: &Term,
    direction: Option<ast::Direction>,
) -> Fallible<Stop> {
    let span = when.span;
    let Some((left, right)) = when.equation() else {
        let d =
            Diagnostic::error(&codes::BAD_OPTION, "a surface is given by an equation").label(span, "not an equation");
        let inequality = match &when.kind {
            TermKind::Compare { relation, left, right, .. } => match relation {
                ast::Comparison::Less | ast::Comparison::LessEqual => Some((left, right, "falling")),
                ast::Comparison::Greater | ast::Comparison::GreaterEqual => Some((left, right, "rising")),
                _ => None,
            },
            _ => None,
        };
        return Err(Box::new(match inequality {
            Some((left, right, how)) => {
                let help = format!("it begins to hold where both sides are equal, the left one {how}");
                let how = if direction.is_some() { String::new() } else { format!(" {how}") };
                d.repair_at(Goes::Quoting(vec![left.outer, right.outer]), help, span, format!("… = …{how}"))
            }
            None => d.help("write `x = 3 rising`, `falling`, or neither for both"),
        }));
    };
    let value = evaluator.expr(left)? - evaluator.expr(right)?;
    let direction = match direction {
        Some(ast::Direction::Rising) => Direction::Rising,
        Some(ast::Direction::Falling) => Direction::Falling,
        None => Direction::Either,
    };
    let mut event = Event::stop(state.source_text(span), direction);
    if is_angle(value) {
        event.period = Some(std::f64::consts::TAU);
    }
    Ok(Stop { value, event, span })
}

/// A sum of whole multiples of angles and of constants is an angle: it counts modulo 2π.
pub fn is_angle(e: Expr) -> bool {
    let is_angular = |s: Symbol| s.as_jet().is_some_and(|(c, order)| order == 0 && c.is_angle());
    match e.node() {
        Node::Symbol(s) => is_angular(*s),
        Node::Sum { terms, .. } => {
            let (angles, others): (Vec<_>, Vec<_>) =
                terms.iter().partition(|(term, _)| term.as_symbol().is_some_and(is_angular));
            let whole = angles.iter().all(|(_, c)| c.to_i64().is_some());
            let constant = |t: Expr| t.symbols().iter().all(|s| s.is_parameter());
            !angles.is_empty() && whole && others.iter().all(|(t, _)| constant(*t))
        }
        _ => false,
    }
}

/// A positive constant: `1/100`, `pi/200`.
fn positive(evaluator: &Evaluator, term: &Term, what: &str, example: &str) -> Fallible<f64> {
    let e = evaluator.expr(term)?;
    let constant = e.symbols().is_empty().then(|| Numbers::default().number(&evaluator.cx, e)).flatten();
    let x = match constant {
        Some(x) => x,
        None => lower::to_f64(&evaluator.number(term)?),
    };
    if x.is_nan() || x <= 0.0 || !x.is_finite() {
        let d = Diagnostic::error(&codes::BAD_OPTION, format!("{what} is a positive number"))
            .label(term.span, "not positive");
        return Err(Box::new(match &term.kind {
            TermKind::Neg(of) if x < 0.0 && x > -1.0 => {
                d.repair_at(Goes::Quoting(vec![of.outer]), "leave out the sign", term.span, "…")
            }
            _ if x == 0.0 => d.repair(format!("for instance `{example}`"), term.span, example),
            _ => d,
        }));
    }
    Ok(x)
}
