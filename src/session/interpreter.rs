//! Statements, one after the other. A declaration extends the scope, a question is answered, an
//! assertion is decided. What failed declares nothing, and its names are remembered so that those
//! who use them are not blamed.

use super::SessionOptions;
use super::check;
use super::checked::Checked;
use super::declare;
use super::evaluate::Evaluator;
use super::file;
use super::library::Library;
use super::resolve::{About, Problem, Resolver};
use super::scope::{Binding, Meaning, Scope};
use super::term::{Term, TermKind, Unmade};
use crate::algebra::Inquiry;
use crate::algebra::assume::Facts;
use crate::algebra::conditions::{Recorded, inequality};
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::{Expr, Ground, Symbol, Verdict, conditions};
use crate::budget::{self, Budget, Pace, share};
use crate::diagnostic::{Diagnostic, Goes, Repair, codes};
use crate::model::value::{Fallible, Value};
use crate::model::{compare, grounds};
use crate::source::{SourceId, SourceMap, Span};
use crate::syntax::ast::{Assert, Ast, LetValue, Refusal, Statement, StatementKind, Test, Word};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::rc::Rc;

/// The state that statements change.
#[derive(Clone)]
pub struct Interpreter {
    pub scope: Scope,
    /// What was assumed.
    pub facts: Facts,
    /// Values of parameters for numerical runs.
    pub parameters: IndexMap<Symbol, Expr>,
    /// Names whose declaration was refused.
    pub failed: FxHashSet<String>,
    /// Names that were said to be declared nowhere, with the source in which they stood: once is enough there.
    missing: FxHashSet<(String, SourceId)>,
    pub options: SessionOptions,
    /// The answer before, `_`.
    pub last: Option<Answered>,
    /// What it is where nothing is asked.
    pub foreseen: Option<Rc<Unmade>>,
    /// The folder of the file that is being read; `use` and data files are relative to it.
    pub folder: PathBuf,
    /// The folder of the program: what it uses lies inside.
    pub root: PathBuf,
    /// Files that are being read, to see cycles.
    pub reading: Vec<PathBuf>,
    /// Files that were read, so that a file used twice is the same file.
    pub libraries: FxHashMap<PathBuf, Rc<Library>>,
    /// The files whose names this text brought in without a prefix, and where.
    pub uses: Vec<(Span, Rc<Library>)>,
    /// One symbol for each name of a base: manifolds over `t` share the time, in whatever file they stand.
    bases: FxHashMap<String, Symbol>,
    /// In the REPL a name may be declared again.
    pub redeclare: bool,
    /// Only declare: questions, assertions and runs are checked for their names but not answered.
    pub check_only: bool,
    /// Unspecified functions given by tables.
    pub tables: FxHashMap<crate::algebra::Function, std::sync::Arc<crate::codegen::table::Table>>,
    /// The texts read so far, those of libraries included.
    pub sources: SourceMap,
    /// Unspecified functions declared with a body: what runs use for them.
    pub bodies: IndexMap<crate::algebra::Function, crate::motion::law::Body>,
    /// Compiled motions; shared with everything that was cloned from this session.
    pub motions: crate::motion::cache::Motions,
    /// `--set` values that have found their parameter.
    pub set_used: FxHashSet<String>,
    /// Files that were written, and where they are named.
    written: FxHashMap<PathBuf, Span>,
}

/// What a statement gave.
pub enum Effect {
    Declared,
    Answered(Answered),
    /// An assertion or test that held, on this ground.
    Held(Ground),
    /// Nothing to show.
    Done,
    /// A file was written; this says which.
    Wrote(Box<Diagnostic>),
}

/// The value of a question, and where it is one beyond what the value itself says.
#[derive(Clone)]
pub struct Answered {
    pub value: Value,
    pub conditions: Vec<Condition>,
}

impl From<Value> for Answered {
    fn from(value: Value) -> Answered {
        Answered { value, conditions: vec![] }
    }
}

/// `abs(run.E) < 1e-6`: what is below a number is the largest value of a column.
fn extreme_of(value: &Value, d: Diagnostic) -> Diagnostic {
    use crate::algebra::expr::Relation::{Greater, GreaterEqual, Less, LessEqual};
    let Value::Claim(claim) = value else { return d };
    let is_column = |value: &Value| matches!(value.main(), Value::Series(_));
    let side = match (is_column(&claim.left), is_column(&claim.right)) {
        (true, false) => claim.left_span,
        (false, true) => claim.right_span,
        _ => return d,
    };
    let extreme = match (claim.relation, is_column(&claim.left)) {
        (Less | LessEqual, true) | (Greater | GreaterEqual, false) => "max",
        (Greater | GreaterEqual, true) | (Less | LessEqual, false) => "min",
        _ => return d,
    };
    let d = Diagnostic { helps: vec![], ..d };
    let help = "a column has many values: its largest and smallest are `.max` and `.min`";
    d.repair_at(Goes::Quoting(vec![side]), help, side, format!("(…).{extreme}"))
}

/// The error within which the two sides of an equation are equal, if one of them is a number of a run and it is small.
fn nearly_equal(claim: &crate::model::value::Claim) -> Option<String> {
    let number = |value: &Value| match value.main() {
        Value::Float(x) => Some(x),
        Value::Expr(e) => e.as_number().map(crate::codegen::lower::to_f64),
        _ => None,
    };
    let of_run = [&claim.left, &claim.right].into_iter().any(|v| matches!(v.main(), Value::Float(_)));
    if !of_run || claim.within.is_some() || claim.relation != crate::algebra::expr::Relation::Equal {
        return None;
    }
    let (left, right) = (number(&claim.left)?, number(&claim.right)?);
    let error = (left - right).abs();
    let power = error.log10().floor() as i32 + 2;
    (error.is_finite() && error > 0.0 && error <= 1e-3 * left.abs().max(1.0)).then(|| format!("1e{power}"))
}

impl Interpreter {
    pub fn new(options: SessionOptions) -> Interpreter {
        Interpreter {
            scope: Scope::default(),
            facts: Facts::default(),
            parameters: IndexMap::new(),
            failed: FxHashSet::default(),
            missing: FxHashSet::default(),
            check_only: !options.answer,
            options,
            last: None,
            foreseen: None,
            folder: PathBuf::new(),
            root: PathBuf::new(),
            reading: vec![],
            libraries: FxHashMap::default(),
            uses: vec![],
            bases: FxHashMap::default(),
            redeclare: false,
            tables: FxHashMap::default(),
            sources: SourceMap::default(),
            bodies: IndexMap::new(),
            motions: crate::motion::cache::Motions::default(),
            set_used: FxHashSet::default(),
            written: FxHashMap::default(),
        }
    }

    /// The text a span covers.
    pub fn source_text(&self, span: Span) -> String {
        self.sources.slice(span).to_string()
    }

    /// The base coordinate of this name.
    pub fn base(&mut self, name: &str) -> Symbol {
        *self.bases.entry(name.to_string()).or_insert_with(|| Symbol::base(name))
    }

    /// Bases that a library has named first.
    pub fn share_bases(&mut self, other: &Interpreter) {
        self.bases.extend(other.bases.iter().map(|(name, t)| (name.clone(), *t)));
    }

    /// The empty place at the beginning of the line.
    fn line_start(&self, span: Span) -> Span {
        let before = self.sources.slice(Span { start: 0, end: span.start, ..span });
        let start = before.rfind('\n').map_or(0, |i| i as u32 + 1);
        Span { start, end: start, ..span }
    }

    /// The last place before the span at which the word stands.
    pub fn word_before(&self, span: Span, word: &str) -> Span {
        let before = self.sources.slice(Span { start: 0, end: span.start, ..span });
        before.rfind(word).map_or(span, |i| Span { start: i as u32, end: (i + word.len()) as u32, ..span })
    }

    /// Marks a name whose promise rests on a ground that is not a proof.
    pub fn rests_on(&mut self, name: &str, ground: &Ground) {
        if let Some(binding) = self.scope.values.get_mut(name).filter(|_| !ground.is_proved()) {
            binding.sampled = Some(ground.to_string().into());
        }
    }

    /// For one question under the facts that hold.
    pub fn inquiry(&self) -> Inquiry {
        Inquiry::new(self.facts.clone(), Budget::new(share::STATEMENT).with_effort(self.options.effort))
    }

    pub fn evaluator(&self, cx: &Inquiry) -> Evaluator<'_> {
        Evaluator::new(cx, &self.scope).with_last(self.last.as_ref())
    }

    pub fn resolver<'s>(&'s self, ast: &'s Ast) -> Resolver<'s> {
        Resolver::new(&self.scope, ast).with_last(self.last.as_ref()).with_foreseen(self.foreseen.as_ref())
    }

    /// What `work` resolves, if nothing is wrong with it; of several problems the first is the refusal, and the others are
    /// remarked upon.
    pub fn check<'s, T>(
        &'s self,
        cx: &Inquiry,
        ast: &'s Ast,
        remarks: &mut Vec<Diagnostic>,
        work: impl FnOnce(&mut Resolver<'s>) -> Option<T>,
    ) -> Fallible<T> {
        let mut resolver = self.resolver(ast);
        let checked = work(&mut resolver);
        let problems = self.mend(cx, resolver.into_problems()).into_iter();
        let (wrong, remarked): (Vec<_>, Vec<_>) = problems.partition(Diagnostic::is_error);
        remarks.extend(remarked.into_iter().map(|d| *self.excuse(ast, Box::new(d))));
        let mut problems = wrong.into_iter();
        match (problems.next(), checked) {
            (None, Some(checked)) => Ok(checked),
            (Some(first), _) => {
                remarks.extend(problems.map(|d| *self.excuse(ast, Box::new(d))));
                Err(Box::new(first))
            }
            (None, None) => Err(Box::new(Diagnostic::error(&codes::SYNTAX, "this statement cannot be read"))),
        }
    }

    /// What to write instead may be told by the value of an argument, or by the question itself; where nothing is answered,
    /// they are not asked.
    fn mend(&self, cx: &Inquiry, problems: Vec<Problem>) -> Vec<Diagnostic> {
        let mut list = vec![];
        let mut meant: Option<Rc<Term>> = None;
        for Problem { diagnostic: d, about } in problems {
            if self.check_only || d.code.number != codes::WRONG_KIND.number {
                list.push(d);
                continue;
            }
            let place = d.primary();
            match about {
                Some(About::Question(term)) if meant.as_ref().is_some_and(|known| Rc::ptr_eq(known, &term)) => {}
                Some(About::Question(term)) => match self.evaluator(cx).eval(&term) {
                    Err(own) if own.code.number == codes::WRONG_KIND.number && !own.repairs.is_empty() => {
                        // It says what is wrong with all of its arguments.
                        let whole = own.primary() != place || own.labels.len() > 1;
                        meant = whole.then_some(term);
                        list.push(*own);
                    }
                    _ => list.push(d),
                },
                Some(About::Argument(term)) => list.push(match self.evaluator(cx).eval(&term) {
                    Ok(value) => *crate::model::operate::mend_kind(cx, Box::new(d), &value, term.span),
                    Err(_) => d,
                }),
                None => list.push(d),
            }
        }
        list
    }

    /// Carries out one statement. Warnings and notes go to `remarks`.
    pub fn run(
        &mut self,
        cx: &Inquiry,
        ast: &Rc<Ast>,
        statement: &Statement,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<Effect> {
        let around = cx;
        let cx = &around.under(self.facts.clone()).apart();
        // What can be found without computing is said at once.
        let mut said = vec![];
        let result = match self.check(cx, ast, &mut said, |resolver| resolver.statement(statement)) {
            Ok(checked) => {
                remarks.append(&mut said);
                let done = match self.not_written_before(&checked) {
                    Ok(()) => self.carry_out(cx, ast, statement, &checked, remarks),
                    Err(d) => Err(d),
                };
                if let Some((path, span)) = self.target(&checked).filter(|_| done.is_ok()) {
                    self.written.insert(file::normal(&path), span);
                }
                done
            }
            Err(d) => match &statement.kind {
                StatementKind::Assert(Assert { fails: Some(_), .. }) if self.check_only => Ok(Effect::Done),
                StatementKind::Assert(Assert { fails: Some(refusal), claim }) => {
                    self.expect_refusal(refusal, Err(d), ast.span(*claim))
                }
                _ => {
                    remarks.append(&mut said);
                    Err(d)
                }
            },
        };
        if result.is_ok() {
            declare::document(self, statement);
        }
        let (recorded, sampled) = (cx.recorded(), cx.sampled());
        sampled.iter().for_each(|s| around.rests_on(s.clone()));
        // A name stands for its value where that is one.
        // A run has passed them, or ended.
        let is_run = matches!(&statement.kind, StatementKind::Let(l) if !matches!(l.value, LetValue::Expr(_)));
        if matches!(result, Ok(Effect::Declared)) && !is_run {
            let conditions: Rc<[Condition]> = inequality::reduced(cx, recorded.conditions()).into();
            for name in declare::declared_names(statement).into_iter().filter(|_| !conditions.is_empty()) {
                if let Some(binding) = self.scope.values.get_mut(&*name) {
                    binding.conditions = conditions.clone();
                }
            }
        }
        // What rests on sampling says so, and hands it on.
        if result.is_ok() && !matches!(statement.kind, StatementKind::Test(_)) {
            remarks.extend(sampled.iter().map(grounds::remark));
            if let Some(first) = sampled.first() {
                for name in declare::declared_names(statement) {
                    if let Some(binding) = self.scope.values.get_mut(&*name) {
                        binding.sampled.get_or_insert_with(|| first.ground.clone());
                    }
                }
            }
        }
        if result.is_err() {
            self.failed.extend(declare::declared_names(statement).into_iter().map(|w| w.to_string()));
        }
        let result = result.map_err(|d| self.excuse(ast, d));
        let said = remarks.iter().chain(result.as_ref().err().map(|d| &**d));
        let missing = said.filter(|d| d.is_error() && d.declares);
        let missing: Vec<_> = missing.filter_map(|d| Some((d.name.clone()?, d.primary()?.source))).collect();
        self.missing.extend(missing);
        // `T = …`, which was meant to declare it.
        let meant = super::resolve::statement::assigned(ast, statement).filter(|_| result.is_err());
        self.failed.extend(meant.filter(|name| !self.scope.values.contains_key(&**name)).map(|name| name.to_string()));
        result
    }

    /// One text writes a file once: what was written first would be lost, perhaps the work of hours.
    fn not_written_before(&self, checked: &Checked) -> Fallible<()> {
        let Some((path, span)) = self.target(checked) else { return Ok(()) };
        let before = self.written.get(&file::normal(&path));
        let Some(before) = before.filter(|first| first.source == span.source && **first != span) else {
            return Ok(());
        };
        let is_own_name = checked.file().is_some_and(|to| to.span == span);
        Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, format!("`{}` is written twice", path.display()))
                .label(span, "over the first")
                .label(*before, "the first")
                .help(match is_own_name {
                    true => "give one of them another name",
                    false => "name a folder with `--out`; the program names the files",
                }),
        ))
    }

    /// The file that a statement writes, and where that stands: `--out` may name that of a sweep.
    fn target(&self, checked: &Checked) -> Option<(PathBuf, Span)> {
        let sweeps = &self.options.sweeps;
        match (checked, &sweeps.to) {
            (Checked::Sweep { .. }, Some(_)) if sweeps.estimate => None,
            (Checked::Sweep { sweep, .. }, Some(to)) => Some((to.clone(), sweep.written.span)),
            _ => checked.file().map(|to| (PathBuf::from(&*to.node), to.span)),
        }
    }

    /// Carries out what was checked.
    fn carry_out(
        &mut self,
        cx: &Inquiry,
        ast: &Rc<Ast>,
        statement: &Statement,
        checked: &Checked,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<Effect> {
        match checked {
            Checked::Test(test) => self.test(cx, ast, test, remarks),
            _ if self.check_only => check::look_over(cx, self, ast, statement, checked, remarks),
            // Whoever wants sweeps wants neither answers nor pictures.
            Checked::Question(_)
            | Checked::Assert { .. }
            | Checked::Explain(_)
            | Checked::Simulate(_)
            | Checked::Plot { .. }
            | Checked::Animate { .. }
            | Checked::Poincare(_)
            | Checked::Save { .. }
                if self.options.sweeps.only =>
            {
                Ok(Effect::Done)
            }
            Checked::Question(term) => self.question(cx, term, remarks),
            Checked::Assert { claim, fails } => self.assert(cx, claim, *fails, remarks),
            Checked::Explain(term) => self.explain(cx, term),
            _ => declare::declare(cx, self, ast, checked, remarks),
        }
    }

    /// A name that is missing because its own declaration was refused, or could not be read, is not a new problem.
    fn excuse(&self, ast: &Ast, mut d: Box<Diagnostic>) -> Box<Diagnostic> {
        d.repairs.iter_mut().for_each(|repair| self.settle(repair));
        let is_missing =
            |name: &str| d.primary().is_some_and(|place| self.missing.contains(&(name.to_string(), place.source)));
        if let Some(name) = d.name.as_deref()
            && (self.failed.contains(name) || ast.doubtful.contains(name) || is_missing(name))
        {
            let span = d.primary().unwrap_or_default();
            let title = match name {
                name if self.failed.contains(name) => "was refused above",
                name if ast.doubtful.contains(name) => "stands in a statement with an error",
                _ => "is not declared, as was said above",
            };
            let mut excused =
                Diagnostic::new(crate::diagnostic::Severity::Note, &codes::DEPENDS, format!("`{name}` {title}"));
            excused = excused.label(span, "depends on it");
            return Box::new(excused);
        }
        d
    }

    /// Takes a repair to its place in the source. In its text `…` is what was written at the span.
    fn settle(&self, repair: &mut Repair) {
        if let Goes::Quoting(places) = &repair.goes {
            for place in places {
                repair.text = repair.text.replacen('…', &self.source_text(*place), 1);
            }
        } else if repair.text.contains('…') {
            repair.text = repair.text.replace('…', &self.source_text(repair.span));
        }
        match std::mem::replace(&mut repair.goes, Goes::Here) {
            Goes::Here | Goes::Quoting(_) => {}
            Goes::BackTo(word) => {
                let before = self.source_text(Span { start: 0, end: repair.span.start, ..repair.span });
                repair.span.start = before.rfind(word).map_or(repair.span.start, |at| at as u32);
            }
            Goes::LineBefore => {
                repair.span = self.line_start(repair.span);
                repair.text.push('\n');
            }
            // The declaration, and the line as far as the span again: all in one edit.
            Goes::BelowDeclaration(declaration) => {
                let declaration = declaration.replace('…', &self.source_text(repair.span));
                let start = self.line_start(repair.span);
                let before = self.source_text(Span { end: repair.span.start, ..start });
                repair.text = format!("{declaration}\n{before}{}", repair.text);
                repair.span = Span { start: start.start, ..repair.span };
            }
        }
    }

    /// `m*x'' + k*x = 0` alone: a question about all jets, where an equation of motion may have been meant.
    fn asked_of_a_motion(&self, term: &Term, claim: &crate::model::value::Claim) -> Option<Diagnostic> {
        let TermKind::Compare { relation: Relation::Equal, left, right, within: None } = &term.kind else {
            return None;
        };
        let symbols = [&claim.left, &claim.right].into_iter().filter_map(|side| match side.main() {
            Value::Expr(e) => Some(e.symbols()),
            _ => None,
        });
        let (q, order) = symbols.flatten().filter_map(|s| s.as_jet()).max_by_key(|(_, order)| *order)?;
        let manifold = self.scope.manifolds.iter().rev().find(|m| m.order_of_symbol(q.jet(0)).is_some())?;
        if order < 2 {
            return None;
        }
        let (inertia, force) = (self.source_text(left.span), self.source_text(right.span));
        let component = match &*force {
            "0" => format!("-({inertia})"),
            _ => format!("{force} - ({inertia})"),
        };
        let severity = crate::diagnostic::Severity::Note;
        let d = Diagnostic::new(severity, &codes::NO_EFFECT, "this asks whether both sides are equal at every point")
            .label(term.span, "not an equation of motion");
        let space = manifold.jets(order);
        Some(d.help(format!("one is declared: `equations N on {space} {{ {}: {component} }}`", q.name())))
    }

    /// `m = 2` of a declared name: a question, where another value may have been meant.
    fn asked_of_a_name(&self, term: &Term) -> Option<Diagnostic> {
        let TermKind::Compare { relation: Relation::Equal, left, right, within: None } = &term.kind else {
            return None;
        };
        let name = self.source_text(left.span).to_string();
        let is_named = match &left.kind {
            TermKind::Symbol(symbol) => self.parameters.contains_key(symbol),
            TermKind::Declared(declared) => *declared.name == *name,
            _ => false,
        };
        let value = self.source_text(right.span).to_string();
        let severity = crate::diagnostic::Severity::Note;
        if let TermKind::Declared(declared) = &left.kind
            && let Value::System(system) = &declared.value
            && is_named
        {
            let d = Diagnostic::new(severity, &codes::NO_EFFECT, "this asks whether both sides are equal")
                .label(term.span, format!("`{name}` stays what it is"));
            let space = system.manifold.jets(1);
            return Some(
                d.help(format!("another one is declared under another name, `lagrangian {name}1 on {space} = …`")),
            );
        }
        let TermKind::Number(_) = right.kind else { return None };
        let word = if let TermKind::Symbol(_) = left.kind { "param" } else { "let" };
        let d = Diagnostic::new(severity, &codes::NO_EFFECT, "this asks whether both sides are equal")
            .label(term.span, format!("the value of `{name}` stays what it is"));
        is_named.then(|| d.help(format!("another value stands in its declaration, `{word} {name} = {value}`")))
    }

    fn question(&mut self, cx: &Inquiry, term: &Term, remarks: &mut Vec<Diagnostic>) -> Fallible<Effect> {
        let (value, mut recorded) = conditions::collect_all(cx, |cx| {
            self.evaluator(cx).eval(term).inspect(|x| super::parts::use_generators(cx, x))
        });
        let mut value = value?;
        // A comparison that is asked is decided.
        if let Value::Claim(claim) = &value {
            let (truth, more) = conditions::collect_all(cx, |cx| {
                // What the sides need to be real is no evidence against their being equal.
                conditions::record_all(cx, &recorded);
                compare::truth(cx, &value)
            });
            let truth = truth?;
            // What the sets take for granted of parameters.
            if matches!(claim.left.meant(), Value::Set(_)) {
                recorded.nonzero.extend(more.nonzero);
            }
            if let Verdict::No(_) = truth {
                remarks.extend(self.asked_of_a_name(term).or_else(|| self.asked_of_a_motion(term, claim)));
            }
            value = Value::from(truth);
        }
        let (_, cancelled) = conditions::collect(cx, |cx| arrange(cx, &value));
        recorded.nonzero.extend(cancelled);
        let conditions = said_beside(cx, &value, recorded);
        let answered = Answered { value, conditions };
        self.last = Some(answered.clone());
        Ok(Effect::Answered(answered))
    }

    fn explain(&mut self, cx: &Inquiry, term: &Term) -> Fallible<Effect> {
        let value = self.evaluator(cx).eval(term)?;
        match crate::model::explain::explanation(cx, &value) {
            Some(steps) => Ok(Effect::Answered(Value::Steps(steps).into())),
            None => Err(no_steps(&value, term.span)),
        }
    }

    fn assert(
        &mut self,
        cx: &Inquiry,
        claim: &Term,
        fails: Option<&Refusal>,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<Effect> {
        if let Some(refusal) = fails {
            let result = self.evaluator(cx).eval(claim).and_then(|value| match &value {
                Value::Claim(_) => compare::truth(cx, &value).map(Value::from),
                // Parts may be there where the main value is not.
                Value::Answer(answer) if answer.main.is_none() => match &answer.refused {
                    Some(why) => Err(why.clone()),
                    None => Ok(value),
                },
                _ => Ok(value),
            });
            return self.expect_refusal(refusal, result.map(|v| crate::model::show::text(cx, &v)), claim.span);
        }
        // Of several claims the one that fails is named.
        let claims = match &claim.kind {
            TermKind::And(claims) => claims.as_slice(),
            _ => std::slice::from_ref(claim),
        };
        let (mut ground, mut undecided) = (None::<Ground>, None);
        for claim in claims {
            match self.claim(cx, claim)? {
                Ok(g) => ground = Some(ground.map_or(g.clone(), |weakest| weakest.weaker(g))),
                Err(d) if d.code.number == codes::INCONCLUSIVE.number => drop(undecided.get_or_insert(d)),
                Err(d) => return Err(d),
            }
        }
        if let Some(d) = undecided {
            return Err(d);
        }
        let ground = ground.unwrap_or_else(|| Ground::proved(""));
        if !ground.is_proved() {
            remarks.push(
                Diagnostic::new(
                    crate::diagnostic::Severity::Note,
                    &codes::SAMPLED,
                    format!("this assertion holds as far as sampling tells ({ground})"),
                )
                .label(claim.span, "not proved"),
            );
        }
        Ok(Effect::Held(ground))
    }

    /// The ground on which a claim holds, or why it does not; refused if it has no truth at all.
    fn claim(&self, cx: &Inquiry, term: &Term) -> Fallible<Fallible<Ground>> {
        let span = term.span;
        let value = self.evaluator(cx).eval(term)?;
        let verdict =
            compare::truth(cx, &value).map_err(|d| Box::new(extreme_of(&value, d.or_at(span, "asserted here"))))?;
        Ok(match verdict {
            Verdict::Yes(ground) => Ok(ground),
            Verdict::No(ground) => {
                let mut diagnostic = Diagnostic::error(&codes::ASSERTION_FAILED, "this assertion does not hold");
                diagnostic = match &value {
                    Value::Claim(claim) => {
                        let side = |v: &Value| shorten(&crate::model::show::text(cx, v));
                        let d = diagnostic
                            .label(claim.left_span, side(&claim.left))
                            .label(claim.right_span, side(&claim.right));
                        match nearly_equal(claim) {
                            Some(error) => {
                                let end = Span { start: claim.right_span.end, ..claim.right_span };
                                let help = format!("numbers of a run are equal up to an error: `… within {error}`");
                                d.repair(help, end, format!(" within {error}"))
                            }
                            None => d,
                        }
                    }
                    _ => diagnostic.label(span, "no"),
                };
                Err(Box::new(diagnostic.note(ground.to_string())))
            }
            Verdict::Unknown(why) => {
                let d = Diagnostic::error(&codes::INCONCLUSIVE, "this assertion could not be decided")
                    .label(span, "unknown")
                    .note(why);
                Err(Box::new(match self.without_values(&value) {
                    Some((side, point)) => {
                        let help = "the values of parameters count in runs; where else, they are given with `at`";
                        d.repair_at(Goes::Quoting(vec![side]), help, side, format!("(… at {{ {point} }})"))
                    }
                    None => d,
                }))
            }
        })
    }

    /// The side of a numerical comparison in which parameters with values stand, and these values.
    fn without_values(&self, value: &Value) -> Option<(Span, String)> {
        let Value::Claim(claim) = value else { return None };
        claim.within.as_ref()?;
        [(&claim.left, claim.left_span), (&claim.right, claim.right_span)].into_iter().find_map(|(side, span)| {
            let Value::Expr(e) = side.main() else { return None };
            let symbols = e.symbols();
            let given = |s: &Symbol| Some(format!("{} = {}", s.name(), self.parameters.get(s)?));
            let point: Option<Vec<String>> = symbols.iter().map(given).collect();
            point.filter(|values| !values.is_empty()).map(|values| (span, values.join(", ")))
        })
    }

    fn expect_refusal(
        &self,
        refusal: &Refusal,
        result: Result<String, Box<Diagnostic>>,
        span: Span,
    ) -> Fallible<Effect> {
        // A name that no diagnostic has is a slip, whatever the statement does.
        let expected = known_code(refusal)?;
        match (result, expected) {
            (Err(d), None) => Ok(Effect::Held(Ground::proved(format!("refused with {}", d.code.name)))),
            (Err(d), Some(expected)) => {
                if d.code.number == expected.number {
                    return Ok(Effect::Held(Ground::proved(format!("refused with {}", d.code.name))));
                }
                Err(Box::new(
                    Diagnostic::error(
                        &codes::ASSERTION_FAILED,
                        format!("this was refused with {}, not with {}", d.code.name, expected.name),
                    )
                    .label(span, d.title.clone()),
                ))
            }
            (Ok(text), _) => Err(Box::new(
                Diagnostic::error(&codes::ASSERTION_FAILED, "this was expected to be refused, and has an answer")
                    .label(span, shorten(&text)),
            )),
        }
    }

    /// A test is a scope: what it declares is gone after it.
    fn test(&mut self, cx: &Inquiry, ast: &Rc<Ast>, test: &Test, remarks: &mut Vec<Diagnostic>) -> Fallible<Effect> {
        let around = Rc::new(std::mem::take(&mut self.scope));
        let mut inner = self.clone();
        inner.scope = Scope::inside(&around);
        inner.redeclare = true;
        let mut ground = Ground::proved("");
        let mut failure: Option<Box<Diagnostic>> = None;
        let mut said = vec![];
        for statement in &test.body {
            // Inside a test a question may cost what it may cost outside.
            let pace = super::pace_of(&statement.kind);
            budget::go_on(pace);
            let limit = if pace == Pace::Run { share::UNBOUNDED } else { share::STATEMENT };
            match cx.within(limit, || inner.run(cx, ast, statement, &mut said)) {
                Ok(Effect::Held(g)) => ground = ground.weaker(g),
                Ok(Effect::Wrote(file)) => said.push(*file),
                Ok(_) => {}
                // Without answers there is nothing that the next statement could not be asked about.
                Err(d) if self.check_only && test.fails.is_none() => match &failure {
                    None => failure = Some(d),
                    Some(_) => said.push(*d),
                },
                Err(d) => {
                    failure = Some(d);
                    break;
                }
            }
        }
        // What is expected to fail may have more than one mistake.
        remarks.extend(said.into_iter().filter(|d| test.fails.is_none() || !d.is_error()));
        self.sources = std::mem::take(&mut inner.sources);
        self.set_used.extend(std::mem::take(&mut inner.set_used));
        drop(inner);
        self.scope = Rc::unwrap_or_clone(around);
        match (&test.fails, failure) {
            (None, None) => Ok(Effect::Held(ground)),
            (None, Some(d)) => Err(Box::new(d.note(format!("in the test \"{}\"", test.title.node)))),
            (Some(refusal), Some(d)) => self.expect_refusal(refusal, Err(d), test.title.span),
            (Some(refusal), None) if self.check_only => known_code(refusal).map(|_| Effect::Done),
            (Some(refusal), None) => self.expect_refusal(refusal, Ok("everything held".into()), test.title.span),
        }
    }

    /// Names in functions of this text that nothing declares, not even below them.
    pub fn unresolved(&self, ast: &Ast) -> Vec<Diagnostic> {
        let open = self.scope.closures().filter(|(span, closure)| span.source == ast.source && closure.is_open());
        let unknown = open.flat_map(|(_, closure)| Resolver::unresolved(&self.scope, closure));
        unknown.map(|d| *self.excuse(ast, Box::new(d))).filter(Diagnostic::is_error).collect()
    }

    /// Names that were declared in the text of `source` and never used.
    pub fn unused(&self) -> Vec<Diagnostic> {
        let mut list = vec![];
        let warn = |name: &str, span: Span, kind: &str| {
            let d = Diagnostic::warning(&codes::UNUSED_NAME, format!("the {kind} `{name}` is never used"))
                .label(span, "not used");
            let system = self.scope.only_system().unwrap_or("L");
            match kind {
                "constraint" => d.help(format!("a system is put under it: `system S = {system} subject to {name}`")),
                "force" => d.help(format!("a system takes it: `system S = {system} with {name}`")),
                _ => d,
            }
        };
        for (name, binding) in &self.scope.values {
            // What is documented is meant for whoever uses the file.
            let exported = binding.doc.is_some();
            if binding.warn_if_unused && !exported && !binding.used.get() && !self.has_used_coordinate(binding) {
                list.push(warn(name, binding.span, &binding.kind_name()));
            }
        }
        for (name, binding) in &self.scope.functions {
            if binding.warn_if_unused && binding.doc.is_none() && !binding.used.get() {
                list.push(warn(name, binding.span, "function"));
            }
        }
        for (span, library) in self.uses.iter().filter(|(_, library)| !library.is_used()) {
            list.push(
                Diagnostic::warning(&codes::UNUSED_NAME, format!("nothing of `{}` is used", library.name))
                    .label(*span, "not used"),
            );
        }
        list
    }

    /// Whether a coordinate of this manifold is used: then so is the manifold.
    fn has_used_coordinate(&self, binding: &Binding) -> bool {
        let Meaning::Value(Value::Manifold(manifold)) = &binding.meaning else { return false };
        self.scope.values.values().any(|b| match &b.meaning {
            Meaning::Coordinate(candidates) => b.used.get() && candidates.iter().any(|(m, _)| m == manifold),
            _ => false,
        })
    }

    /// Binds a name of a value, refusing a second declaration in a file.
    pub fn bind(&mut self, name: &str, binding: Binding) -> Fallible<()> {
        if let Some(old) = self.scope.values.get(name)
            && !self.redeclare
        {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is declared twice"))
                    .label(binding.span, "declared again")
                    .label(old.span, "declared first")
                    .help("give one of them another name"),
            ));
        }
        self.failed.remove(name);
        self.missing.retain(|(missing, _)| missing != name);
        self.scope.values.shift_remove(name);
        self.scope.values.insert(name.into(), binding);
        Ok(())
    }

    /// The values of the parameters that have one, as expressions without parameters where possible.
    pub fn parameter_values(&self) -> FxHashMap<Symbol, Expr> {
        let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (symbol, value) in &self.parameters {
            let resolved = crate::algebra::substitute::substitute(*value, &map);
            map.insert(*symbol, resolved);
        }
        map
    }
}

/// The refusal that is expected, by its name.
pub fn known_code(refusal: &Refusal) -> Fallible<Option<&'static codes::Code>> {
    let known = |word: &Word| codes::find(&word.node).ok_or_else(|| unknown_code(&word.node, word.span));
    refusal.with.as_ref().map(known).transpose()
}

/// What has no derivation.
pub fn no_steps(value: &Value, span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NO_EFFECT, "there are no steps to explain here")
            .label(span, format!("this is {}", crate::model::operate::describe(value)))
            .help("ask for a derivation, such as `explain dynamics(S)`"),
    )
}

fn unknown_code(name: &str, span: Span) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_NAME, format!("there is no diagnostic `{name}`"));
    let names = codes::ALL.iter().map(|c| c.name);
    Box::new(match crate::diagnostic::suggest::nearest(name, names) {
        Some(near) => diagnostic.label(span, "not known").repair(format!("did you mean `{near}`?"), span, near),
        None => diagnostic.label(span, "not known").help("`lepage explain` lists them"),
    })
}

/// What was recorded on the way to an answer and is said beside it: not what the answer says itself, nor what follows.
fn said_beside(cx: &Inquiry, value: &Value, recorded: Recorded) -> Vec<Condition> {
    let said: &[Condition] = match value {
        Value::Answer(answer) => &answer.conditions,
        _ => &[],
    };
    // Roots multiplied away inside a derivation belong to its domain; those of a written expression are said.
    let real = match value {
        Value::Expr(e) => conditions::not_needed_by(cx, *e, recorded.real),
        Value::Answer(answer) if answer.as_written => match &answer.main {
            Some(Value::Expr(e)) => conditions::not_needed_by(cx, *e, recorded.real),
            _ => vec![],
        },
        _ => vec![],
    };
    let nonzero = conditions::without_repetition(recorded.nonzero).into_iter().map(Condition::from);
    inequality::reduced_beside(cx, said, nonzero.chain(recorded.stated).chain(real))
}

/// What is shown in its shortest form holds where nothing that is cancelled vanishes.
fn arrange(cx: &Inquiry, value: &Value) {
    match value {
        Value::Expr(e) => {
            crate::model::show::tidy(cx, *e);
        }
        Value::List(items) => items.iter().for_each(|v| arrange(cx, v)),
        Value::Family(family) => family.entries.values().for_each(|v| arrange(cx, v)),
        Value::Matrix(m) => m.matrix.entries().for_each(|e| arrange(cx, &Value::Expr(e))),
        Value::Answer(answer) if !answer.as_written => answer.main.iter().for_each(|v| arrange(cx, v)),
        _ => {}
    }
}

/// Whether only a run, or more work, tells what a value is.
pub fn is_left_to_a_run(cx: &Inquiry, d: &Diagnostic) -> bool {
    let is_over = d.code.number == codes::BUDGET.number && cx.is_over() && !budget::is_interrupted();
    is_over || d.code.number == codes::DEPENDS.number
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() > 120 || text.lines().count() > 1 {
        let start: String = line.chars().take(117).collect();
        format!("{start}…")
    } else {
        line.to_string()
    }
}
