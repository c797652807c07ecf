//! A session: the texts read so far, the names they declare, and the answers given. The REPL, the
//! command line and the tests all drive this one type, so a line typed and a line in a file mean the
//! same.
//!
//! [`Session::feed`] reads a text and returns one [`Outcome`] per statement. In [`Mode::Line`] (the
//! REPL) a text is a transaction: it extends the session or leaves it untouched. In [`Mode::File`]
//! statements that failed declare nothing, and the ones after them still run.

pub(crate) mod check;
pub(crate) mod declare;
pub(crate) mod evaluate;
pub(crate) mod file;
pub(crate) mod input;
pub(crate) mod interpreter;
pub mod json;
pub mod library;
pub(crate) mod parts;
pub(crate) mod promise;
pub(crate) mod resolve;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod shape;
pub(crate) mod signature;
pub(crate) mod topics;
pub(crate) mod unknown;

/// The checked tree, of which everything here speaks.
pub(crate) use crate::model::{checked, term};

use crate::algebra::Inquiry;
use crate::algebra::assume::Facts;
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, expr};
use crate::budget::{self, Budget, Pace, Share, share};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::geometry::jet::{self, FiberedManifold};
use crate::model::item::SystemKind;
use crate::model::show;
use crate::model::value::{Fallible, Value};
use crate::report::plot::Screen;
use crate::report::provenance::Provenance;
use crate::source::{SourceId, SourceMap, Span};
use crate::syntax::ast::{Ast, ExprId, LetValue, Statement, StatementKind};
use crate::syntax::token::Token;
use crate::syntax::{lexer, parse, usage};
use crate::timing;
use crate::world::{Disk, World};
use interpreter::{Answered, Effect, Interpreter};
pub use resolve::plot_settings;
pub use run::{SweepOptions, Watcher};
use scope::{Callable, Meaning};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Whether a text is a whole file or one input line of the REPL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    File,
    Line,
}

/// What the command line decides for a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// `--set m=2`: values over those declared with `param`.
    pub set: Vec<(String, String)>,
    /// Where `save … to` and `plot … to` put their files: `--out`, or the working folder.
    pub out: PathBuf,
    /// Whether they may lie outside that folder (`--allow-outside`).
    pub allow_outside: bool,
    /// Answer questions and run simulations; `lepage check` only declares.
    pub answer: bool,
    /// Compile kernels with Cranelift; else the reference interpreter runs them (`--no-jit`).
    pub jit: bool,
    /// The same bits on every machine: no use of what only this processor has (`--portable`).
    pub portable: bool,
    /// What each statement may cost, in terms combined; else a question has [`share::STATEMENT`] and a run no limit.
    pub work: Option<u64>,
    /// How many times that, and each share of it, a question may cost (`--effort`).
    pub effort: u64,
    /// How sweeps are carried out.
    pub sweeps: SweepOptions,
    /// Where files are read and written.
    pub world: Rc<dyn World>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            set: vec![],
            out: PathBuf::new(),
            allow_outside: false,
            answer: true,
            jit: cfg!(feature = "jit"),
            portable: false,
            work: None,
            effort: 1,
            sweeps: SweepOptions::default(),
            world: Rc::new(Disk),
        }
    }
}

/// How a statement ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// A question was answered, an assertion held, a run was made.
    Ok,
    /// A declaration extended the session.
    Declared,
    /// The statement has no answer; the first error says why.
    Refused,
    /// An assertion or test did not hold.
    Failed,
}

/// What a statement is, as far as a command asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementWord {
    /// `assert …` or `test "…" { … }`.
    Claim,
    /// `sweep …`, also behind `let reach =`.
    Sweep,
    Other,
}

impl StatementWord {
    fn of(kind: &StatementKind) -> StatementWord {
        match kind {
            StatementKind::Assert(_) | StatementKind::Test(_) => StatementWord::Claim,
            StatementKind::Sweep(_) => StatementWord::Sweep,
            StatementKind::Let(l) if matches!(l.value, LetValue::Sweep(_)) => StatementWord::Sweep,
            _ => StatementWord::Other,
        }
    }
}

/// What became of one statement.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub word: StatementWord,
    pub span: Span,
    /// One-based line on which the statement begins.
    pub line: usize,
    /// The statement as written, without the comments around it.
    pub statement: String,
    pub status: Status,
    pub answer: Option<Answer>,
    /// Errors, warnings and notes, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether the statement held: exit code 0 means that all did.
    pub fn held(&self) -> bool {
        matches!(self.status, Status::Ok | Status::Declared)
    }
}

/// The value of a question, printable as text, LaTeX and JSON.
#[derive(Clone)]
pub struct Answer {
    value: Value,
    /// What was known when it was asked for.
    facts: Facts,
    /// Where it holds, beyond what the value itself says.
    conditions: Vec<Condition>,
    /// It rests on a promise that holds as far as sampling tells.
    sampled: bool,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.text(usize::MAX))
    }
}

impl Answer {
    pub fn new(value: Value) -> Answer {
        Answer { value, facts: Facts::default(), conditions: vec![], sampled: false }
    }

    /// What is needed to write it down.
    fn inquiry(&self) -> Inquiry {
        Inquiry::new(self.facts.clone(), Budget::new(share::PRINT))
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// A picture as this screen shows it.
    pub fn on_screen(&self, screen: Screen) -> Option<String> {
        match &self.value {
            Value::Picture(picture) => Some(picture.terminal(screen)),
            _ => None,
        }
    }

    /// For people. The conditions stand below it, after those that the value names itself.
    pub fn text(&self, _width: usize) -> String {
        let text = show::text(&self.inquiry(), &self.value);
        if self.conditions.is_empty() {
            return text;
        }
        let said = match &self.value {
            Value::Answer(answer) => !answer.conditions.is_empty(),
            _ => false,
        };
        let before = if said { ", " } else { "\nwhere " };
        let cx = &self.inquiry();
        let others: Vec<String> = self.conditions.iter().map(|c| show::condition_text(cx, c)).collect();
        format!("{text}{before}{}", others.join(", "))
    }

    /// For papers. The conditions stand behind it. A verdict says in words what it rests on; everything else gets the
    /// mark `(sampled)` behind it.
    pub fn latex(&self) -> String {
        let cx = &self.inquiry();
        let mut formula = show::latex(cx, &self.value);
        for (i, condition) in self.conditions.iter().enumerate() {
            formula += if i == 0 { r" \quad \text{where } " } else { r",\ " };
            formula += &show::latex(cx, &show::condition(condition));
        }
        let marked = self.sampled && !show::says_sampled(cx, &self.value);
        if marked { formula + r" \quad \text{(sampled)}" } else { formula }
    }

    /// Equations as a paper has them, each in a line of its own; nothing for what is no family of equations.
    pub fn equations_latex(&self) -> Option<String> {
        match &self.value {
            Value::Answer(answer) => crate::model::latex::equations(&self.inquiry(), answer),
            _ => None,
        }
    }

    /// Where it holds, one text for each condition: those that the value names itself come first.
    pub fn condition_texts(&self) -> Vec<String> {
        let cx = &self.inquiry();
        let own = match &self.value {
            Value::Answer(answer) => answer.conditions.as_slice(),
            _ => &[],
        };
        own.iter().chain(&self.conditions).map(|c| show::condition_text(cx, c)).collect()
    }

    /// The `value` of the JSON line; expressions are strings that parse back.
    pub fn json(&self) -> serde_json::Value {
        show::json_of(&self.inquiry(), &self.value)
    }

    pub fn type_name(&self) -> String {
        self.value.type_name().replace(' ', "_")
    }

    /// The weakest ground the answer rests on: `proved`, `sampled`, `unknown`.
    pub fn verdict(&self) -> Option<&str> {
        match show::weakest(&self.inquiry(), &self.value) {
            "proved" if self.sampled => Some("sampled"),
            ground => Some(ground),
        }
    }
}

/// A declared name, for completion and `:list`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedItem {
    pub name: String,
    /// Its type in the words of the language: `coordinate`, `lagrangian on J1(Y)`.
    pub type_name: String,
    pub kind: ItemKind,
    /// What belongs to it: the columns and parts of a run, the coordinates of a system or manifold.
    pub members: Vec<String>,
}

/// What a name stands for, as far as a command asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemKind {
    Parameter,
    /// With jets: `x'`, `x''`.
    Coordinate,
    /// What a manifold lies over.
    Time,
    Manifold,
    Form,
    Sweep,
    System(SystemKind),
    Run,
    /// Of the language; its type is its signature, with the name.
    Function,
    Question,
    Other,
}

impl NamedItem {
    /// Coordinates have jets: `x'`, `x''`.
    pub fn is_coordinate(&self) -> bool {
        self.kind == ItemKind::Coordinate
    }
}

/// Sources, scope and answers.
pub struct Session {
    state: Interpreter,
    /// What extended the session, for [`Session::save`] and for declaring a name again.
    accepted: Vec<Accepted>,
    /// What was asked, claimed and shown, each with the number of statements that were accepted before it.
    asked: Vec<(usize, String)>,
}

/// A statement that extended the session.
#[derive(Clone)]
struct Accepted {
    ast: Rc<Ast>,
    statement: Statement,
    text: String,
    /// Files that it names are relative to this one.
    folder: PathBuf,
}

/// A statement that rests on names which are about to be declared again.
pub struct SetAside(Accepted);

impl Session {
    pub fn new(options: SessionOptions) -> Session {
        Session { state: Interpreter::new(options), accepted: vec![], asked: vec![] }
    }

    pub fn options(&self) -> &SessionOptions {
        &self.state.options
    }

    /// Whether questions are answered from here on; see [`SessionOptions::answer`].
    pub fn set_answer(&mut self, answer: bool) {
        self.state.options.answer = answer;
        self.state.check_only = !answer;
    }

    /// What each statement may cost from here on; see [`SessionOptions::work`].
    pub fn set_work(&mut self, work: Option<u64>) {
        self.state.options.work = work;
    }

    /// How sweeps are carried out from here on; see [`SessionOptions::sweeps`].
    pub fn set_sweeps(&mut self, sweeps: SweepOptions) {
        self.state.options.sweeps = sweeps;
    }

    /// Which program this is, and with which version it was read.
    pub fn provenance(&self) -> Provenance {
        run::sweep::made_by(&self.state, &[])
    }

    /// Whether a statement that begins with `system` declared this name, whatever its value is: `system S = L`.
    pub fn is_declared_system(&self, name: &str) -> bool {
        let declares = |a: &Accepted| own_names(&a.statement).iter().any(|own| **own == *name);
        self.accepted.iter().any(|a| matches!(a.statement.kind, StatementKind::System(_)) && declares(a))
    }

    pub fn sources(&self) -> &SourceMap {
        &self.state.sources
    }

    /// Reads a text; one outcome per statement, and one for text that is no statement, in the order of the text.
    pub fn feed(&mut self, name: &str, text: &str, mode: Mode) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = vec![];
        let remarks = self.feed_each(name, text, mode, |_, outcome| outcomes.push(outcome));
        outcomes.sort_by_key(|o| o.span.start);
        for remark in remarks {
            let place = remark.primary().map_or(0, |span| span.start);
            let at = outcomes.partition_point(|o| o.span.start <= place).saturating_sub(1);
            if let Some(outcome) = outcomes.get_mut(at) {
                outcome.diagnostics.push(remark);
                outcome.diagnostics.sort_by_key(|d| d.primary());
            }
        }
        outcomes
    }

    /// Reads a text and hands out each outcome as soon as there is one, what cannot be read first. Returns what
    /// belongs to no statement: text that may be misread, and names that nothing uses.
    pub fn feed_each(
        &mut self,
        name: &str,
        text: &str,
        mode: Mode,
        mut each: impl FnMut(&Session, Outcome),
    ) -> Vec<Diagnostic> {
        budget::clear_interrupt();
        let source = self.state.sources.add(name, text);
        // What a line names is relative to the working folder, what a file names to the file.
        let file = if mode == Mode::File { file::normal(Path::new(name)) } else { PathBuf::new() };
        self.state.folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        self.state.root = self.state.folder.clone();
        self.state.reading = if mode == Mode::File { vec![file] } else { vec![] };
        let (ast, problems) = timing::stage("parse", || parse::parse(source, text));
        timing::nodes("parse", ast.exprs.len());
        let ast = Rc::new(ast);
        let mut refused = false;
        let (warnings, problems): (Vec<_>, Vec<_>) =
            problems.into_sorted().into_iter().partition(|d| d.severity == Severity::Warning);
        for problem in problems {
            let outcome = self.unreadable(source, problem);
            refused |= outcome.status == Status::Refused;
            each(self, outcome);
        }
        if mode == Mode::Line {
            if !refused {
                self.transaction(&ast, each);
            }
            return warnings;
        }
        let mut foreseen: Option<Vec<Span>> = None;
        let mut told = vec![];
        for (i, statement) in ast.statements.iter().enumerate() {
            // What cannot be shown or written is said before the first run is made, and nothing else is given up for it.
            if foreseen.is_none() && makes_a_run(&statement.kind) {
                let refusals = self.foreseen(&ast, &ast.statements[i..]);
                foreseen = Some(refusals.iter().map(|outcome| outcome.span).collect());
                refused |= !refusals.is_empty();
                refusals.into_iter().for_each(|outcome| each(self, outcome));
            }
            if foreseen.iter().flatten().any(|span| *span == statement.span) {
                continue;
            }
            // After Ctrl-C nothing more is computed; what was computed is still shown and saved.
            if shows(statement) || !budget::is_interrupted() {
                let outcome = self.carry_out(&ast, statement);
                refused |= outcome.status == Status::Refused;
                told.extend(outcome.diagnostics.iter().map(Diagnostic::primary));
                each(self, outcome);
            }
        }
        // Names that functions waited for; who called one was told.
        for d in self.state.unresolved(&ast) {
            if !told.contains(&d.primary()) && !budget::is_interrupted() {
                refused = true;
                each(self, self.unreadable(source, d));
            }
        }
        // A name may be unused only because the statement that uses it was refused.
        // A file of nothing but `use` hands on what it uses.
        let hands_on = ast.statements.iter().all(|s| matches!(s.kind, StatementKind::Use(_)));
        let unused = if refused || hands_on || budget::is_interrupted() { vec![] } else { self.unused(source) };
        warnings.into_iter().chain(unused).collect()
    }

    /// The refusals of statements that show runs or write them, as far as they are known without a run.
    fn foreseen(&self, ast: &Rc<Ast>, rest: &[Statement]) -> Vec<Outcome> {
        let writes = |s: &Statement| stage(&s.kind) == Stage::Run && !matches!(s.kind, StatementKind::Simulate(_));
        if !self.options().answer || self.options().sweeps.only || !rest.iter().skip(1).any(writes) {
            return vec![];
        }
        let mut ahead = Session { state: self.state.clone(), accepted: vec![], asked: vec![] };
        ahead.set_answer(false);
        let mut refusals = vec![];
        for statement in rest.iter().filter(|s| stage(&s.kind) != Stage::Derive) {
            let outcome = ahead.carry_out(ast, statement);
            let is_refused = outcome.status == Status::Refused && outcome.diagnostics.iter().any(Diagnostic::is_error);
            if writes(statement) && is_refused {
                refusals.push(outcome);
            }
        }
        refusals
    }

    /// A text that could not be read.
    fn unreadable(&self, source: SourceId, d: Diagnostic) -> Outcome {
        let span = d.primary().unwrap_or(Span::new(source, 0, 0));
        let line = self.sources().get(source).line_column(span.start as usize).0;
        let status = if d.is_error() { Status::Refused } else { Status::Declared };
        Outcome {
            word: StatementWord::Other,
            span,
            line,
            statement: self.sources().slice(span).to_string(),
            status,
            answer: None,
            diagnostics: vec![d],
        }
    }

    /// Warnings about names of this text that nothing uses.
    fn unused(&self, source: SourceId) -> Vec<Diagnostic> {
        self.state.unused().into_iter().filter(|d| d.primary().is_some_and(|s| s.source == source)).collect()
    }

    /// All statements of a line, or none.
    fn transaction(&mut self, ast: &Rc<Ast>, mut each: impl FnMut(&Session, Outcome)) {
        let (before, accepted, asked) = (self.state.clone(), self.accepted.len(), self.asked.len());
        for statement in &ast.statements {
            let outcome = match self.redeclared(statement) {
                Some(place) => self.replay(ast, statement, place),
                None => self.carry_out(ast, statement),
            };
            let refused = outcome.status == Status::Refused;
            each(self, outcome);
            if refused {
                let last = self.state.last.take();
                self.go_back(before);
                self.state.last = last.or(self.state.last.take());
                self.accepted.truncate(accepted);
                self.asked.truncate(asked);
                break;
            }
        }
    }

    /// Leaves the state as it was, except that texts that were read are kept: diagnostics show them.
    fn go_back(&mut self, before: Interpreter) {
        let sources = std::mem::take(&mut self.state.sources);
        self.state = before;
        self.state.sources = sources;
    }

    /// Where a name that this statement declares was declared before.
    fn redeclared(&self, statement: &Statement) -> Option<usize> {
        let names = own_names(statement);
        self.accepted.iter().position(|a| own_names(&a.statement).iter().any(|n| names.contains(n)))
    }

    /// Declares a name again: everything that was accepted is elaborated anew with the new
    /// declaration in the place of the old one, or after everything if it needs what came later. If
    /// something no longer holds, nothing changes.
    fn replay(&mut self, ast: &Rc<Ast>, statement: &Statement, place: usize) -> Outcome {
        let old = std::mem::take(&mut self.accepted);
        let before = self.state.clone();
        let mut failed = None;
        for place in [place, old.len() - 1] {
            match self.rebuild(&old, place, ast, statement) {
                Ok(outcome) => {
                    // The last answer speaks of coordinates that are no more.
                    self.state.last = None;
                    return outcome;
                }
                Err(outcome) => {
                    failed.get_or_insert(outcome);
                    self.go_back(before.clone());
                }
            }
        }
        self.accepted = old;
        failed.expect("two attempts were made")
    }

    /// Elaborates the accepted statements anew, with `statement` after the one at `place` and without
    /// the names that it declares.
    fn rebuild(
        &mut self,
        old: &[Accepted],
        place: usize,
        ast: &Rc<Ast>,
        statement: &Statement,
    ) -> Result<Outcome, Outcome> {
        self.accepted.clear();
        self.state.scope = Default::default();
        self.state.parameters.clear();
        self.state.facts = Facts::default();
        let names = own_names(statement);
        let mut outcome = None;
        for (i, accepted) in old.iter().enumerate() {
            if let Some(kept) = self.without(accepted, &names) {
                let here = std::mem::replace(&mut self.state.folder, kept.folder.clone());
                let again = self.carry_out(&kept.ast, &kept.statement);
                self.state.folder = here;
                if !again.held() {
                    let mut failed = outcome.unwrap_or_else(|| Outcome { status: Status::Refused, ..again });
                    failed.span = statement.span;
                    failed.statement = self.sources().slice(statement.span).to_string();
                    failed.status = Status::Refused;
                    failed.diagnostics = vec![
                        Diagnostic::error(&codes::DECLARED_TWICE, "this name cannot be declared again")
                            .label(first_word(statement.span, &failed.statement), "nothing was changed")
                            .note(format!("`{}` depends on it and would no longer hold", kept.text.trim())),
                    ];
                    return Err(failed);
                }
                if let Some(last) = self.accepted.last_mut() {
                    last.text = kept.text;
                }
            }
            if i == place {
                let new = self.carry_out(ast, statement);
                if !new.held() {
                    return Err(new);
                }
                outcome = Some(new);
            }
        }
        Ok(outcome.expect("the place is one of the statements"))
    }

    /// Forgets the names that a text declares, before it is read once more, and with them what no longer holds without them; returns
    /// the latter.
    pub fn make_room_for(&mut self, text: &str) -> Vec<SetAside> {
        let (ast, _) = parse::parse(SourceId::default(), text);
        let names: Vec<Rc<str>> = ast.statements.iter().flat_map(own_names).collect();
        if !self.accepted.iter().any(|a| own_names(&a.statement).iter().any(|n| names.contains(n))) {
            return vec![];
        }
        let old = std::mem::take(&mut self.accepted);
        let kept: Vec<Accepted> = old.iter().filter_map(|a| self.without(a, &names)).collect();
        self.asked.clear();
        self.state.scope = Default::default();
        self.state.parameters.clear();
        self.state.facts = Facts::default();
        self.state.last = None;
        self.accept_again(kept.into_iter().map(SetAside).collect())
    }

    /// Carries out what was set aside; returns what does not hold any more, as it was written.
    pub fn bring_back(&mut self, set_aside: Vec<SetAside>) -> Vec<String> {
        self.accept_again(set_aside).into_iter().map(|SetAside(a)| a.text.trim().to_string()).collect()
    }

    fn accept_again(&mut self, statements: Vec<SetAside>) -> Vec<SetAside> {
        let mut failed = vec![];
        for SetAside(accepted) in statements {
            let here = std::mem::replace(&mut self.state.folder, accepted.folder.clone());
            let again = self.carry_out(&accepted.ast, &accepted.statement);
            self.state.folder = here;
            match (again.held(), self.accepted.last_mut()) {
                (true, Some(last)) => last.text = accepted.text,
                _ => failed.push(SetAside(accepted)),
            }
        }
        failed
    }

    /// An accepted statement without these names; of several parameters the others are kept.
    fn without(&self, accepted: &Accepted, names: &[Rc<str>]) -> Option<Accepted> {
        if !own_names(&accepted.statement).iter().any(|n| names.contains(n)) {
            return Some(accepted.clone());
        }
        let StatementKind::Param(list) = &accepted.statement.kind else { return None };
        let ends = list.iter().skip(1).map(|p| p.name.span.start).chain([accepted.statement.span.end]);
        let mut kept = accepted.clone();
        let (mut params, mut texts) = (vec![], vec![]);
        for (param, end) in list.iter().zip(ends).filter(|(p, _)| !names.contains(&p.name.node)) {
            params.push(param.clone());
            texts.push(without_comma(self.sources().slice(Span { end, ..param.name.span })));
        }
        if params.is_empty() {
            return None;
        }
        kept.statement.kind = StatementKind::Param(params);
        kept.text = format!("param {}", texts.join(", "));
        Some(kept)
    }

    /// Carries out one statement.
    fn carry_out(&mut self, ast: &Rc<Ast>, statement: &Statement) -> Outcome {
        let mut remarks = vec![];
        let pace = pace_of(&statement.kind);
        let limit = match pace {
            _ if !self.options().answer => share::CHECK,
            Pace::Run => share::UNBOUNDED,
            Pace::Question => share::STATEMENT,
        };
        let _under_way = budget::begin(pace);
        let limit = self.options().work.map_or(limit, Share::given);
        let budget = Budget::new(limit).with_effort(self.options().effort);
        let cx = &Inquiry::new(self.state.facts.clone(), budget);
        let (stage, nodes) = (stage(&statement.kind), expr::node_count());
        let result = timing::stage(stage.name(), || self.state.run(cx, ast, statement, &mut remarks));
        timing::nodes(stage.name(), expr::node_count().saturating_sub(nodes));
        // Who asks again begins where this began, and not where it ended.
        if !cx.has_work_left() {
            cx.forget();
            jet::forget();
        }
        let place = statement.span;
        let (status, answer) = match result {
            // Stopped on the way to a decision: the interrupt is the reason, whatever came of it.
            Err(_) if budget::is_interrupted() => self.interrupted(place, &mut remarks),
            Ok(Effect::Answered(_) | Effect::Held(_)) if budget::is_interrupted() && !shows(statement) => {
                self.interrupted(place, &mut remarks)
            }
            Ok(Effect::Declared) => {
                self.accepted.push(Accepted {
                    ast: ast.clone(),
                    statement: statement.clone(),
                    text: self.sources().slice(place).to_string(),
                    folder: self.state.folder.clone(),
                });
                (Status::Declared, None)
            }
            Ok(Effect::Answered(Answered { value, conditions })) => {
                let sampled = remarks.iter().any(|d| d.code.number == codes::SAMPLED.number);
                (Status::Ok, Some(Answer { value, facts: self.state.facts.clone(), conditions, sampled }))
            }
            Ok(Effect::Held(_) | Effect::Done) => (Status::Ok, None),
            Ok(Effect::Wrote(file)) => {
                remarks.push(*file);
                (Status::Ok, None)
            }
            Err(d) => {
                let failed = [&codes::ASSERTION_FAILED, &codes::INCONCLUSIVE].iter().any(|c| c.number == d.code.number);
                remarks.push(d.or_at(first_word(place, self.sources().slice(place)), "in this statement"));
                (if failed { Status::Failed } else { Status::Refused }, None)
            }
        };
        remarks.sort_by_key(|d| d.primary());
        if status == Status::Ok {
            self.asked.push((self.accepted.len(), self.sources().slice(place).to_string()));
        }
        Outcome {
            word: StatementWord::of(&statement.kind),
            span: place,
            line: self.sources().get(place.source).line_column(place.start as usize).0,
            statement: self.sources().slice(place).to_string(),
            status,
            answer,
            diagnostics: remarks,
        }
    }

    /// What is said of a statement that Ctrl-C stopped.
    fn interrupted(&self, place: Span, remarks: &mut Vec<Diagnostic>) -> (Status, Option<Answer>) {
        let stopped = Diagnostic::from(budget::Exhausted::Interrupted);
        remarks.push(stopped.or_at(first_word(place, self.sources().slice(place)), "in this statement"));
        (Status::Refused, None)
    }

    /// Declared names, in the order of their declaration.
    pub fn list(&self) -> Vec<NamedItem> {
        let values = self.state.scope.values.iter().map(|(name, b)| NamedItem {
            name: name.clone(),
            type_name: b.kind_name(),
            kind: match &b.meaning {
                Meaning::Parameter(_) => ItemKind::Parameter,
                Meaning::Coordinate(_) => ItemKind::Coordinate,
                Meaning::Base(_) => ItemKind::Time,
                Meaning::Value(Value::System(s)) => ItemKind::System(s.kind()),
                Meaning::Value(Value::Run(_)) => ItemKind::Run,
                Meaning::Value(Value::Sweep(_)) => ItemKind::Sweep,
                Meaning::Value(Value::Manifold(_)) => ItemKind::Manifold,
                Meaning::Value(Value::Form(_)) => ItemKind::Form,
                Meaning::Value(Value::OnSpace(on)) if matches!(on.value, Value::Form(_)) => ItemKind::Form,
                _ => ItemKind::Other,
            },
            members: match &b.meaning {
                Meaning::Value(value) => members(value),
                _ => vec![],
            },
        });
        let functions = self.state.scope.functions.iter().map(|(name, b)| NamedItem {
            name: name.clone(),
            type_name: match &b.callable {
                Callable::Unknown(_) => "unspecified function".into(),
                Callable::Closure(closure) => signature_of(closure),
            },
            kind: match &b.callable {
                Callable::Unknown(_) => ItemKind::Other,
                Callable::Closure(_) => ItemKind::Function,
            },
            members: vec![],
        });
        values.chain(functions).collect()
    }

    /// The built-in questions, each with its signature for a type.
    pub fn questions(&self) -> Vec<NamedItem> {
        let rows = crate::questions::all();
        let item = |q: &crate::questions::Question| NamedItem {
            name: q.name.to_string(),
            type_name: q.signature(),
            kind: ItemKind::Question,
            members: vec![],
        };
        rows.map(item).collect()
    }

    /// The documentation (`///`) of a declared name, or of a question.
    pub fn doc(&self, name: &str) -> Option<String> {
        // `sp.spring`: a name of a library.
        let (scope, name) = match name.split_once('.').map(|(p, n)| (self.state.scope.values.get(p), n)) {
            Some((Some(scope::Binding { meaning: Meaning::Library(library), .. }), inner)) => (&**library, inner),
            _ => (&self.state.scope, name),
        };
        let declared = scope.values.get(name).and_then(|b| b.doc.clone());
        let declared = declared.or_else(|| scope.functions.get(name).and_then(|b| b.doc.clone()));
        // What it is, as it was declared, then what was written about it.
        let typed = scope.values.get(name).map(|binding| format!("{name}: {}", binding.kind_name()));
        let typed = typed.or_else(|| match &scope.functions.get(name)?.callable {
            Callable::Closure(closure) => Some(signature_of(closure)),
            Callable::Unknown(_) => Some(format!("{name}: unspecified function")),
        });
        if let Some(typed) = typed {
            let declaration = self.declaration_of(name).filter(|_| std::ptr::eq(scope, &self.state.scope));
            let lines = [Some(typed), declaration.map(|text| text.trim().to_string()), declared.map(|d| d.to_string())];
            return Some(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"));
        }
        let question = crate::questions::find(name).map(|q| {
            let options =
                q.options.iter().map(|o| format!("\n  {} = {} ({}): {}", o.name, o.letter, o.kinds, o.meaning));
            let parts = q.parts.iter().map(|p| format!("\n  .{} ({}): {}", p.name, p.kinds, p.meaning));
            let lines: String = options.chain(parts).collect();
            format!("{} -> {}\n{}{lines}", q.signature(), q.result_text(), q.help)
        });
        let elementary = crate::algebra::function::TABLE.iter().find(|r| r.name == name);
        let elementary = elementary.map(|r| format!("{}(x): {}", r.name, r.help));
        // `equations` asks and declares.
        let inside = match name {
            "method" => crate::integrate::method::listing(),
            "simulate" | "sweep" => listed(&topics::clauses()),
            "plot" => listed(&topics::settings()),
            _ => String::new(),
        };
        let word = usage::find(name).map(|u| format!("{}\n{}{inside}", u.written, u.help));
        let texts: Vec<String> = [question, elementary, word].into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    /// Where a name is declared.
    pub fn place_of(&self, name: &str) -> Option<Span> {
        let scope = &self.state.scope;
        let value = scope.values.get(name).map(|b| b.span);
        value.or_else(|| scope.functions.get(name).map(|b| b.span))
    }

    /// The statement that declares a name, unless it comes from a file that is used.
    pub fn declaration_of(&self, name: &str) -> Option<&str> {
        let declares = |a: &&Accepted| declare::declared_names(&a.statement).iter().any(|n| **n == *name);
        self.accepted.iter().rev().find(declares).map(|a| a.text.as_str())
    }

    /// What is declared of this name, on one line; of a list of parameters, its own entry.
    pub fn definition_of(&self, name: &str) -> Option<String> {
        let text = self.declaration_of(name)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let entry = text.strip_prefix("param ").and_then(|list| {
            let named = |entry: &&str| entry.trim().split([' ', '=', '[']).next() == Some(name);
            outermost_entries(list).into_iter().find(named)
        });
        Some(entry.map_or(text.clone(), |entry| entry.trim().to_string()))
    }

    /// What is written in `///` above a declaration.
    pub fn written_doc(&self, name: &str) -> Option<String> {
        let scope = &self.state.scope;
        let value = scope.values.get(name).and_then(|b| b.doc.clone());
        value.or_else(|| scope.functions.get(name).and_then(|b| b.doc.clone())).map(|doc| doc.to_string())
    }

    /// The type of an expression, as `:type` shows it; the session stays as it is.
    pub fn type_of(&mut self, expression: &str) -> Result<String, Vec<Diagnostic>> {
        let (ast, id) = self.read_expression("input", expression, "only an expression has a type")?;
        // A function of the language: what it takes.
        if let Some(name) = ast.name(id)
            && !self.state.scope.values.contains_key(&*name.text)
            && let Some(binding) = self.state.scope.functions.get(&*name.text)
            && let Callable::Closure(closure) = &binding.callable
        {
            return Ok(match closure.function.body() {
                Some(body) => signature::describe(&closure.function, body),
                None => closure.function.name.clone(),
            });
        }
        // A question: what its row says.
        if let Some(name) = ast.name(id).filter(|n| n.primes == 0)
            && self.state.scope.value(&name.text).is_none()
            && let Some(row) = crate::questions::find(&name.text)
        {
            return Ok(row.type_text());
        }
        budget::clear_interrupt();
        let _under_way = budget::begin(Pace::Question);
        let cx = &self.state.inquiry();
        let term = self.read_term(cx, &ast, id)?;
        let value = self.state.evaluator(cx).eval(&term).map_err(|d| vec![*d])?;
        Ok(crate::model::infer::describe_type(cx, &value))
    }

    /// The vector field of a system, or of `hamilton(S)`, in `c`, `rust`, `python`, `latex` or `clif`.
    pub fn emit(&mut self, system: &str, language: &str, with: &[String]) -> Result<String, Vec<Diagnostic>> {
        let (ast, id) = self.read_expression("system", system, "a system is named here")?;
        let _under_way = budget::begin(Pace::Question);
        let cx = &self.state.inquiry();
        let system = self.read_term(cx, &ast, id)?;
        run::emit(cx, &self.state, &system, language, with).map_err(|d| vec![*d])
    }

    /// An expression with what its names mean here.
    fn read_term(&self, cx: &Inquiry, ast: &Ast, id: ExprId) -> Result<term::Term, Vec<Diagnostic>> {
        let mut more = vec![];
        let checked = self.state.check(cx, ast, &mut more, |resolver| Some(resolver.term(id)));
        checked.map_err(|d| std::iter::once(*d).chain(more).collect())
    }

    /// A text that must be one expression; `otherwise` is the complaint about a statement.
    fn read_expression(
        &mut self,
        name: &str,
        text: &str,
        otherwise: &str,
    ) -> Result<(Rc<Ast>, ExprId), Vec<Diagnostic>> {
        let source = self.state.sources.add_aside(name, text);
        let (ast, problems) = parse::parse(source, text);
        if problems.has_errors() {
            return Err(problems.into_sorted());
        }
        match ast.statements.as_slice() {
            [Statement { kind: StatementKind::Question(id), .. }] => {
                let id = *id;
                Ok((Rc::new(ast), id))
            }
            _ => Err(vec![
                Diagnostic::error(&codes::WRONG_KIND, otherwise).label(Span::new(source, 0, text.len()), "a statement"),
            ]),
        }
    }

    /// How many kernels this session has compiled for its runs.
    pub fn n_compilations(&self) -> usize {
        self.state.motions.n_compilations()
    }

    /// The value of a declared name, for programs that drive a session.
    pub fn value(&self, name: &str) -> Option<Value> {
        match &self.state.scope.values.get(name)?.meaning {
            Meaning::Value(v) => Some(v.clone()),
            _ => None,
        }
    }

    /// A complaint about each `--set` that no parameter took.
    pub fn unused_settings(&self) -> Vec<Diagnostic> {
        let unused = self.state.options.set.iter().filter(|(name, _)| !self.state.set_used.contains(name));
        let parameters = self.list().into_iter().filter(|item| item.kind == ItemKind::Parameter);
        let parameters: Vec<String> = parameters.map(|item| item.name).collect();
        let complaint = |(name, value): &(String, String)| {
            let title = format!("`--set {name}={value}` has no effect: there is no parameter `{name}`");
            let diagnostic = Diagnostic::error(&codes::NO_EFFECT, title);
            match crate::diagnostic::suggest::nearest(name, parameters.iter().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None if parameters.is_empty() => diagnostic.note("the program has no parameters"),
                None => diagnostic.note(format!("the parameters are {}", parameters.join(", "))),
            }
        };
        unused.map(complaint).collect()
    }

    /// A `.mech` text that replays the session: what it declares, and what was asked of it, in the order in which it came.
    pub fn save(&self) -> String {
        let mut out = String::new();
        let mut asked = self.asked.iter().peekable();
        for (number, accepted) in self.accepted.iter().enumerate() {
            while let Some((_, text)) = asked.next_if(|(before, _)| *before <= number) {
                out += &format!("{}\n", text.trim_end());
            }
            out += &format!("{}\n", accepted.text.trim_end());
        }
        asked.for_each(|(_, text)| out += &format!("{}\n", text.trim_end()));
        out
    }
}

/// The names that may stand after a value and its dot, and the coordinates of what lives on a manifold.
fn members(value: &Value) -> Vec<String> {
    let coordinates = |m: &FiberedManifold| m.fibres().iter().map(|f| f.coordinate.name()).collect();
    match value {
        Value::Run(run) => {
            let parts = crate::model::run::part_names().map(str::to_string);
            std::iter::once(run.time.name()).chain(run.column_names()).chain(parts).collect()
        }
        Value::Sweep(table) => table.names(),
        Value::System(system) => coordinates(&system.manifold),
        Value::Manifold(manifold) => coordinates(manifold),
        Value::OnSpace(declared) => coordinates(declared.space.manifold()),
        Value::Point(point) => point.entries.iter().map(|entry| entry.text.clone()).collect(),
        _ => vec![],
    }
}

/// What stands between the commas of a list, except those in brackets.
fn outermost_entries(list: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let comma = |c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    };
    list.split(comma).collect()
}

/// Rows below a text, each with what is said of it.
fn listed(rows: &[(String, String)]) -> String {
    rows.iter().map(|(written, help)| format!("\n  {written}: {help}")).collect()
}

/// What a function takes and gives, as far as its body says.
fn signature_of(closure: &scope::Closure) -> String {
    match closure.function.body() {
        Some(body) => signature::describe(&closure.function, body),
        None => format!("{}({})", closure.function.name, closure.parameters().join(", ")),
    }
}

/// How long a statement may be expected to take. What stands in a test has its own pace.
pub fn pace_of(kind: &StatementKind) -> Pace {
    match kind {
        StatementKind::Simulate(_) | StatementKind::Sweep(_) | StatementKind::Test(_) => Pace::Run,
        StatementKind::Let(l) if !matches!(l.value, LetValue::Expr(_)) => Pace::Run,
        _ => Pace::Question,
    }
}

/// Whether a statement only shows or keeps what was computed before.
fn shows(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Plot(_) | StatementKind::Save(_))
}

/// Whether a statement integrates something.
fn makes_a_run(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Simulate(_) | StatementKind::Sweep(_) => true,
        StatementKind::Let(l) => !matches!(l.value, LetValue::Expr(_)),
        _ => false,
    }
}

/// `--set m=2`: the text after the equals sign, as a constant.
pub fn set_value(text: &str) -> Fallible<Expr> {
    // In brackets: a statement does not begin with a sign, a number may.
    let (ast, problems) = parse::parse(SourceId::default(), &format!("({text}\n)"));
    if let Some(problem) = problems.into_sorted().into_iter().find(Diagnostic::is_error) {
        return Err(Box::new(Diagnostic { labels: vec![], repairs: vec![], ..problem }));
    }
    let ast = Rc::new(ast);
    let scope = scope::Scope::default();
    match ast.statements.as_slice() {
        [Statement { kind: StatementKind::Question(id), .. }] => {
            let mut resolver = resolve::Resolver::new(&scope, &ast);
            let term = resolver.term(*id);
            let value = match resolver.into_problems().into_iter().next() {
                Some(problem) => Err(Box::new(problem.diagnostic)),
                None => evaluate::Evaluator::new(&Inquiry::free(), &scope).expr(&term),
            };
            value.map_err(|d| Box::new(Diagnostic { labels: vec![], repairs: vec![], ..*d }))
        }
        _ => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, format!("`{text}` is not a number")))),
    }
}

/// The names that a declaration is about. Coordinates belong to their manifold, and several manifolds
/// may share them.
fn own_names(statement: &Statement) -> Vec<Rc<str>> {
    let mut names = declare::declared_names(statement);
    if let StatementKind::Manifold(_) = statement.kind {
        names.truncate(1);
    }
    names
}

/// A piece of a list without the comma and the comments after it.
fn without_comma(text: &str) -> &str {
    let lexed = lexer::lex(SourceId::default(), text);
    let words = lexed.tokens.iter().filter(|t| t.token != Token::Comma && !t.token.is_separator());
    text.get(..words.map(|t| t.end as usize).max().unwrap_or(text.len())).unwrap_or(text)
}

/// The stage of `--timings` that a statement belongs to: declarations are checked, questions and
/// assertions derive, runs are prepared (and compiled and integrated in stages of their own).
fn stage(kind: &StatementKind) -> Stage {
    match kind {
        StatementKind::Question(_) | StatementKind::Assert(_) | StatementKind::Test(_) | StatementKind::Explain(_) => {
            Stage::Derive
        }
        StatementKind::Simulate(_)
        | StatementKind::Sweep(_)
        | StatementKind::Plot(_)
        | StatementKind::Save(_)
        | StatementKind::Animate(_)
        | StatementKind::Poincare(_) => Stage::Run,
        _ => Stage::Check,
    }
}

/// What a statement is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Check,
    Derive,
    Run,
}

impl Stage {
    /// In `--timings`.
    fn name(self) -> &'static str {
        match self {
            Stage::Check => "check",
            Stage::Derive => "derive",
            Stage::Run => "run",
        }
    }
}

fn first_word(span: Span, text: &str) -> Span {
    let word = text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len());
    Span { end: span.start + word as u32, ..span }
}
