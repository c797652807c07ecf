//! Runs: `simulate`, and what shows and keeps them. Everything is checked before anything runs: the
//! end, the method, the tolerance, a value for every parameter, a body for every function, an initial
//! state at which the motion is determined.
//!
//! [`clauses`] reads what the block says; how the state moves, where it starts and what was compiled before are
//! [`motion`](crate::motion). A system whose equations cannot be solved for the highest derivatives is
//! run on the final constraint submanifold (Krupková §7) through its initial state, or on the one that the clause
//! `branch` names, if the motion there is determined.

pub mod animation;
mod charts;
mod clauses;
mod constrained;
mod discrete;
mod emit;
pub mod picture;
mod reduced;
pub mod section;
pub mod show;
pub(super) mod sweep;
mod tables;
mod varied;

pub use emit::emit;
pub use sweep::{SweepOptions, Watcher, look_over as look_over_sweep};
pub use tables::{read_outside, read_table};

use super::check;
use super::checked::{Checked, Simulate};
use super::evaluate::at;
use super::interpreter::{Effect, Interpreter, is_left_to_a_run};
use super::term::{Term, TermKind};
use crate::algebra::Inquiry;
use crate::algebra::expr::symbols_of;
use crate::algebra::stratum::Branch;
use crate::algebra::{Expr, Function, Symbol};
use crate::budget;
use crate::budget::share;
use crate::codegen::compiled::{Backend, Options};
use crate::codegen::interpret::FailureKind;
use crate::codegen::lower::{Obstacle, Signature};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::control::StopReason;
use crate::integrate::problem::{BadProblem, Event, InitialValueProblem, Limits, Motion, Recording};
use crate::integrate::trajectory::Trajectory;
use crate::mechanics::constraint_algorithm::{DynamicBranch, SystemDynamics};
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::regular;
use crate::model::item::{Base, System};
use crate::model::kind::Gives;
use crate::model::set::{PointSet, branch_text};
use crate::model::value::{Fallible, KeyPart, Value};
use crate::motion::cache::{Observed, SurfaceLevel, Unlowered};
use crate::motion::discrete::{ActionLaw, Constraints};
use crate::motion::group::GroupLaw;
use crate::motion::law::{self, Law, Reading};
use crate::motion::numbers::Numbers;
use crate::motion::run::Run;
use crate::motion::start::{self, Side, Start, Surface};
use crate::questions;
use crate::report::table::short;
use crate::source::Span;
use crate::syntax::ast::{self, Ast, RunClauseKind};
use crate::timing;
use clauses::Clauses;
use std::rc::Rc;

/// Numbers that a run may keep: half a gigabyte.
const RUN_NUMBERS: usize = 1 << 26;

/// Statements that run something or show a run.
pub fn run(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    statement: &Checked,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Effect> {
    match statement {
        Checked::Simulate(s) => {
            let run = simulate(cx, state, ast, s, remarks)?;
            let value = Value::Run(Rc::new(run));
            state.last = Some(value.clone().into());
            Ok(Effect::Answered(value.into()))
        }
        Checked::Sweep { name: None, sweep } => sweep::show(cx, state, ast, sweep, remarks),
        Checked::Plot { runs, curves, settings, to } => picture::plot(cx, state, runs, curves, settings, *to),
        Checked::Animate { run, drawings, to } => animation::animate(cx, state, run, drawings, *to),
        Checked::Poincare(p) => section::poincare(cx, state, p),
        Checked::Save { what, to } => show::save(cx, state, what, to),
        _ => unreachable!("a statement of this file"),
    }
}

/// `let run = simulate …`.
pub fn value(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    simulation: &Simulate,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Value> {
    Ok(Value::Run(Rc::new(simulate(cx, state, ast, simulation, remarks)?)))
}

/// What can be said of a run that is not made: its system and its clauses are read, and nothing is derived.
pub fn look_over(
    cx: &Inquiry,
    state: &Interpreter,
    s: &Simulate,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Option<Vec<String>>> {
    let cx = &cx.apart();
    check::formulas(cx, &state.evaluator(cx), [&s.system], remarks)?;
    // Where the manifold of the system is not known, neither are the names of the clauses.
    let Some(manifold) = s.system.home() else { return Ok(None) };
    let evaluator = state.evaluator(cx).on(&manifold).for_formulas();
    let word = first_word(s.written.span, "simulate");
    let read = Clauses::read(state, &evaluator, word, &s.clauses, &manifold, remarks);
    read.map(drop).or_else(|d| if is_left_to_a_run(cx, &d) { Ok(()) } else { Err(d) })?;
    Ok((!s.is_open).then(|| recorded_names(state, &s.clauses)))
}

/// The names of what is recorded, before it is computed.
fn recorded_names(state: &Interpreter, clauses: &[super::checked::RunClause]) -> Vec<String> {
    let name = |column: &super::checked::Column| match &column.name {
        Some(name) => name.to_string(),
        None => state.source_text(column.value.span),
    };
    let columns = clauses.iter().filter_map(|clause| match &clause.kind {
        super::checked::RunClauseKind::Record { columns, .. } => Some(columns),
        _ => None,
    });
    columns.flatten().map(name).collect()
}

/// `let reach = sweep …`.
pub fn swept(
    cx: &Inquiry,
    state: &mut Interpreter,
    ast: &Ast,
    sweep: &super::checked::Sweep,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Value> {
    let swept = sweep::sweep(cx, state, ast, sweep, remarks)?;
    remarks.extend(swept.written.into_iter().map(|note| *note));
    Ok(Value::Sweep(Rc::new(swept.table)))
}

fn first_word(span: Span, word: &str) -> Span {
    Span { end: span.start + word.len() as u32, ..span }
}

// ----- from a block to a trajectory ---------------------------------------------------------------

fn simulate(
    cx: &Inquiry,
    state: &Interpreter,
    ast: &Ast,
    s: &Simulate,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<Run> {
    let subject = Subject::read(cx, state, &s.system)?;
    let evaluator = state.evaluator(cx).on(&subject.manifold);
    // Names that waited for the manifold of the system.
    let again = match s.is_open {
        true => {
            let home = Some(&subject.manifold);
            Some(state.check(cx, ast, remarks, |resolver| Some(resolver.clauses(&s.written.clauses, home)))?)
        }
        false => None,
    };
    let written = again.as_ref().unwrap_or(&s.clauses);
    let word = first_word(s.written.span, "simulate");
    let mut clauses = Clauses::read(state, &evaluator, word, written, &subject.manifold, remarks)?;
    clauses.add_declared_bodies(state);
    let numbers = Numbers::new(&state.parameters, &clauses.set);
    let context = Context { state, clauses: &clauses, numbers: &numbers, span: subject.span };
    let determined = context.determine(cx, &subject)?;
    let made_of = (context.action(cx, &subject, &determined)?, context.group(cx, &subject, &determined)?);
    let Determined { law, start, filled, surface, mut ends, rank, .. } =
        context.varied(cx, determined, subject.variations)?;
    let chart = context.chart(cx, &subject, &law, &start);
    ends.extend(chart.as_ref().map(|chart| chart.end(&context)));
    if !filled.is_empty() {
        let list: Vec<String> = filled.iter().map(|(s, x)| format!("{s} = {}", short(*x))).collect();
        remarks.push(
            Diagnostic::new(
                Severity::Note,
                &codes::FILLED_IN,
                format!("the initial state was completed with {}", list.join(", ")),
            )
            .label(clauses.from_span.unwrap_or(clauses.simulate), "not given here"),
        );
    }
    let signature = context.signature(&law);
    let observed = context.observed(cx, &law, &signature, surface, &ends, made_of)?;
    let parameters = numbers.values_of(cx, &observed.parameters, subject.span)?;
    let problem = context.problem(cx, &law, start, parameters.clone())?;
    let compiled = timing::stage("compile", || state.motions.get(cx, &law, &signature, &observed, context.options()));
    let motion = compiled.map_err(|u| context.unlowered(u))?;
    timing::nodes("compile", motion.field().kernel().n_operations());
    let trajectory =
        timing::stage("integrate", || crate::integrate::run(cx, &motion, &problem)).map_err(|bad| match &bad {
            BadProblem::NotSeparable { slope_of, depends_on } => {
                context.not_separable(cx, &subject, &law, s.written, [slope_of, depends_on])
            }
            _ => bad_problem(&bad, s.written, subject.span),
        })?;
    let (trajectory, legs) = match &chart {
        Some(chart) => context.through_charts(cx, chart, &motion, &problem, trajectory),
        None => (trajectory, vec![]),
    };
    timing::nodes("integrate", trajectory.len());
    if trajectory.reason == StopReason::Interrupted {
        // The interrupt was meant for this run. What was computed is kept, and the program goes on with it.
        budget::clear_interrupt();
    }
    let time = law.time();
    if let StopReason::Event { name } = &trajectory.reason
        && let Some(end) = ends.iter().find(|end| end.event.name == *name)
    {
        let last: Vec<String> =
            law.states.iter().zip(trajectory.last()).map(|(q, x)| format!("{q} = {}", short(*x))).collect();
        remarks.push(
            Diagnostic::warning(&codes::RUN_STOPPED, format!("the run stopped early: {}", end.says))
                .label(end.span, format!("{} here", end.event.name))
                .label(clauses.simulate, format!("at {time} = {}", short(trajectory.end)))
                .note(format!("there {}", last.join(", "))),
        );
    }
    if !trajectory.reason.is_complete() {
        let last: Vec<String> =
            law.states.iter().zip(trajectory.last()).map(|(q, x)| format!("{q} = {}", short(*x))).collect();
        let warning = Diagnostic::warning(&codes::RUN_STOPPED, format!("the run stopped early: {}", trajectory.reason))
            .label(clauses.simulate, format!("at {time} = {}", short(trajectory.end)))
            .note(format!("there {}", last.join(", ")));
        let warning = match fastest(&motion, &trajectory, &problem) {
            Some(note) => warning.note(note),
            None => warning,
        };
        remarks.push(match (&trajectory.reason, trajectory.method.row().adaptive()) {
            (StopReason::Unsolved { .. }, false) => {
                warning.help("take a shorter `step`, or a method that finds its own, as `radau` does")
            }
            (StopReason::Unsolved { .. }, true) => {
                warning.help("the motion may end here; a looser `tolerance` or another `method` may come further")
            }
            (StopReason::SingularPoint { .. } | StopReason::BlowUp, _)
                if matches!(subject.kind, SubjectKind::Reduced(..)) =>
            {
                warning.help("constraint momenta belong to a chart, which may end here; the system itself moves without one: leave out `hamilton`, or solve the constraint for other coordinates with `dependent:`")
            }
            (StopReason::SingularPoint { failure }, _) if failure.kind == FailureKind::Range => {
                warning.help("say what the table means beyond its end: `from \"…\" with hold`, or `with extrapolate`")
            }
            _ => warning,
        });
    }
    Ok(Run {
        system: subject.name,
        manifold: subject.manifold,
        trajectory,
        time,
        states: law.states.clone(),
        surface: observed.surface.clone(),
        tables: state.tables.clone(),
        law,
        parameters: observed.parameters.iter().copied().zip(parameters).collect(),
        observed: Rc::new(observed),
        records: clauses.record.is_some(),
        rank,
        motion,
        problem,
        legs,
    })
}

/// What is to be run.
struct Subject {
    name: String,
    span: Span,
    manifold: FiberedManifold,
    kind: SubjectKind,
    /// How many variations run with it: `variation(S)`.
    variations: u32,
}

enum SubjectKind {
    System(Rc<System>),
    /// `hamilton(S, gauge = φ)`: the same in canonical coordinates.
    Canonical(Rc<System>, Option<Expr>),
    /// First-order equations that were derived before.
    Explicit(Law),
    /// Those of a constrained system, in positions and constraint momenta.
    Reduced(Rc<System>, Law),
}

impl Subject {
    fn read(cx: &Inquiry, state: &Interpreter, term: &Term) -> Fallible<Subject> {
        let span = term.span;
        let evaluator = state.evaluator(cx);
        let subject = |system: &Rc<System>, name: String, kind: SubjectKind| {
            Ok(Subject { name, span, manifold: system.manifold.clone(), kind, variations: 0 })
        };
        if let TermKind::Ask(ask) = &term.kind
            && ask.row.gives == Gives::Variation
            && let [(None, of)] = ask.arguments.as_slice()
        {
            let subject = Subject::read(cx, state, of)?;
            if subject.variations > 0 {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_APPLICABLE, "a variation of a variation is not run")
                        .label(span, "varied twice"),
                ));
            }
            let name = format!("{}({})", ask.row.name, subject.name);
            return Ok(Subject { name, span, variations: 1, ..subject });
        }
        if let TermKind::Ask(ask) = &term.kind
            && ask.row.gives == Gives::Motion
            && let [(None, system), options @ ..] = ask.arguments.as_slice()
            && options.iter().all(|(name, _)| name.as_ref().is_some_and(|n| &**n == "gauge"))
        {
            let value = evaluator.eval(system)?;
            let system = at(System::from_value(cx, &value), system.span)?;
            let mut gauge = None;
            for (_, value) in options {
                gauge = Some(state.evaluator(cx).on(&system.manifold).expr(value)?);
            }
            // Under constraints the momenta are others: those of the answer.
            if system.constraints.is_empty() {
                let name = format!("{}({})", ask.row.name, system.name);
                return subject(&system, name, SubjectKind::Canonical(system.clone(), gauge));
            }
        }
        let value = evaluator.eval(term)?;
        if let Value::Answer(answer) = &value
            && questions::find(answer.question).is_some_and(|q| q.gives.is_motion())
            && let (Some(manifold), Some(family)) = (&answer.manifold, answer.family())
        {
            let entries = family.entries.iter().map(|(key, value)| match key.as_slice() {
                [KeyPart::Symbol(s)] => Ok((*s, crate::model::operate::as_expr(cx, value)?)),
                _ => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "these are not equations of motion"))),
            });
            let law = Law::explicit(manifold, entries.collect::<Fallible<Vec<_>>>()?);
            let name = state.source_text(span);
            return Ok(Subject {
                name,
                span,
                manifold: manifold.clone(),
                kind: match &answer.moves {
                    Some(system) => SubjectKind::Reduced(system.clone(), law),
                    None => SubjectKind::Explicit(law),
                },
                variations: 0,
            });
        }
        let system = at(System::from_value(cx, &value), span)?;
        let kind = match &system.base {
            Base::Mixed(_) => {
                let mixed = at(system.mixed(cx), span)?;
                SubjectKind::Explicit(Law::explicit(&system.manifold, mixed.first_order()))
            }
            _ => SubjectKind::System(system.clone()),
        };
        subject(&system, system.name.clone(), kind)
    }
}

/// A law with a state from which it determines the motion.
struct Determined {
    law: Law,
    start: Start,
    /// Values that `from` left out and that are not 0.
    filled: Vec<(Symbol, f64)>,
    /// The set on which the motion stays, and the side of it on which it starts.
    surface: Vec<SurfaceLevel>,
    side: Side,
    /// Dependent states that `from` left out, as functions of the others and of those before them.
    completion: Vec<(Symbol, Expr)>,
    /// Where a constraint stops to determine it.
    ends: Vec<End>,
    /// For methods that are made from a Lagrangian.
    constraints: Constraints,
    /// What is known of the rank of the constraints, where it is known at the states of the motion only.
    rank: Option<String>,
}

impl Determined {
    /// On all states.
    fn everywhere(law: Law, start: Start) -> Determined {
        Determined {
            law,
            start,
            filled: vec![],
            surface: vec![],
            side: Side::default(),
            completion: vec![],
            ends: vec![],
            constraints: Constraints::default(),
            rank: None,
        }
    }
}

/// A function whose zeros end a motion: there a constraint loses rank, or its branch ends.
struct End {
    value: Expr,
    event: Event,
    /// The constraint.
    span: Span,
    /// What is wrong where the function vanishes.
    says: &'static str,
}

/// What one run knows while it is prepared.
struct Context<'a> {
    state: &'a Interpreter,
    clauses: &'a Clauses,
    numbers: &'a Numbers,
    /// The system, as it is written.
    span: Span,
}

impl Context<'_> {
    fn options(&self) -> Options {
        let backend = if self.state.options.jit { Backend::OptimisedCode } else { Backend::Interpreter };
        Options { backend, portable: self.state.options.portable }
    }

    /// Where the symbols of the field come from.
    fn signature(&self, law: &Law) -> Signature {
        Signature {
            time: Some(law.time()),
            states: law.states.clone(),
            parameters: parameters_of(&law.expressions()),
            tables: self.state.tables.clone(),
        }
    }

    /// The law that determines the motion, and the state from which it starts.
    fn determine(&self, cx: &Inquiry, subject: &Subject) -> Fallible<Determined> {
        clauses::obey(cx, self.state, self.clauses)?;
        let (system, law) = match &subject.kind {
            SubjectKind::System(system)
                if !system.constraints.is_empty() || matches!(system.base, Base::Generated(_)) =>
            {
                return self.on_constraint(cx, system);
            }
            SubjectKind::System(system) => (Some(system), Law::of_equations(cx, &system.dynamical_form(cx)?)),
            SubjectKind::Canonical(system, gauge) => {
                let law = Law::canonical(cx, &*system.dynamical_form(cx)?, *gauge)
                    .map_err(|d| Box::new(d.or_at(self.span, "in canonical coordinates")))?;
                (None, law)
            }
            SubjectKind::Explicit(law) => (None, law.clone()),
            SubjectKind::Reduced(system, law) if self.clauses.branch.is_none() => {
                return self.in_momenta(cx, system, &law.with_bodies(cx, &self.clauses.bodies));
            }
            SubjectKind::Reduced(_, law) => (None, law.clone()),
        };
        let law = law.with_bodies(cx, &self.clauses.bodies);
        let signature = self.signature(&law);
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let Some(system) = system else {
            if let Some((_, span)) = &self.clauses.branch {
                return Err(Box::new(
                    Diagnostic::error(&codes::NO_EFFECT, "canonical coordinates have no branches")
                        .label(*span, "no effect here")
                        .help("run the system itself on its branch"),
                ));
            }
            let start = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
            return Ok(Determined::everywhere(law, start));
        };
        if let Some((value, span)) = &self.clauses.branch {
            return self.on_named_branch(cx, system, value, *span);
        }
        // Whether the equations can be solved is seen at the initial state, and proved only where it is in doubt.
        let start = Start::read(cx, &law, self.clauses.given(), self.numbers);
        let probe = start.as_ref().ok().cloned().unwrap_or_else(|| {
            let n = law.states.len();
            Start { time: 0.0, state: vec![0.0; n], given: vec![false; n] }
        });
        let doubtful =
            start::is_singular_at(&law, &signature, &values, &probe).map_err(|o| self.obstacle(&o, self.span))?;
        if doubtful {
            if is_singular_everywhere(cx, &*system.dynamical_form(cx)?)? {
                return self.on_branch_through_start(cx, system);
            }
            // Regular in general, but perhaps not for these values of the parameters.
            if let Err(d) = self.dynamics(cx, system)
                && std::ptr::eq(d.code, &codes::NOT_DETERMINED)
            {
                return Err(d);
            }
        }
        Ok(Determined::everywhere(law, start?))
    }

    fn dynamics(&self, cx: &Inquiry, system: &System) -> Fallible<Rc<SystemDynamics>> {
        let found = cx
            .within(share::DERIVATION, || system.dynamics(cx))
            .map_err(|d| Box::new(d.or_at(self.span, "where this system moves is not known")))?;
        // What was taken to be nonzero must be so for the values of this run.
        for e in found.proper.generic.iter().chain(&found.extended.generic) {
            if self.numbers.number(cx, *e) == Some(0.0) {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_DETERMINED, "the derivation does not hold for these parameters")
                        .label(self.span, "this system")
                        .note(format!("it assumes {e} != 0, and with the values of this run it is 0"))
                        .help("write the numbers into the equations"),
                ));
            }
        }
        Ok(found)
    }

    /// `branch dynamics(S).branches[2]`.
    fn on_named_branch(&self, cx: &Inquiry, system: &Rc<System>, set: &PointSet, span: Span) -> Fallible<Determined> {
        let found = self.dynamics(cx, system)?;
        let mut all: Vec<&DynamicBranch> = found.proper.branches.iter().chain(&found.extended.branches).collect();
        all.extend(found.proper.branches.iter().chain(&found.extended.branches).flat_map(|b| &b.jumps));
        let same = |b: &&&DynamicBranch| set.branches() == std::slice::from_ref(&b.branch);
        let mut chosen = all.iter().find(same).copied();
        if chosen.is_none() {
            // The same set, written otherwise.
            for branch in &all {
                let here = PointSet::new(set.space(), vec![branch.branch.clone()]);
                if set.equals(cx, &here).is_ok_and(|v| v.is_yes()) {
                    chosen = Some(branch);
                    break;
                }
            }
        }
        let Some(branch) = chosen else {
            let known: Vec<String> = found.proper.branches.iter().map(|b| branch_text(cx, &b.branch)).collect();
            return Err(Box::new(
                Diagnostic::error(&codes::NO_MOTION, "this is not a set on which the system moves")
                    .label(span, "not one of its branches")
                    .note(format!("it moves on {}", if known.is_empty() { "none".into() } else { known.join(", or ") }))
                    .help("write `branch dynamics(S).branches[1]`"),
            ));
        };
        let law = self.branch_law(cx, system, branch, span)?;
        let start = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
        match self.surface(cx, &law, branch)?.settle(&start, &law.states) {
            Ok((start, filled)) => Ok(self.on(cx, &branch.branch, law, start, filled)),
            Err(off) => Err(Box::new(off.diagnostic(&law, &start, self.clauses.given().span, self.span))),
        }
    }

    /// The final constraint submanifold on which the initial state lies.
    fn on_branch_through_start(&self, cx: &Inquiry, system: &Rc<System>) -> Fallible<Determined> {
        let found = self.dynamics(cx, system)?;
        let branches = &found.proper.branches;
        if let (true, Some(stop)) = (branches.is_empty(), &found.proper.stopped) {
            return Err(Box::new(
                Diagnostic::error(&codes::BUDGET, "where this system moves was not found out")
                    .label(self.span, "its constraint algorithm was cut off")
                    .note(stop.to_string())
                    .help("`dynamics(S)` shows what is known"),
            ));
        }
        if let (true, Some(undecided)) = (branches.is_empty(), found.proper.undecided.first()) {
            let cut_off = found.proper.complete.is_unknown();
            let what = if cut_off { "was cut off" } else { "left a set undecided" };
            return Err(Box::new(
                Diagnostic::error(&codes::BUDGET, "where this system moves was not found out")
                    .label(self.span, format!("its constraint algorithm {what}"))
                    .note(format!("{}: {}", branch_text(cx, &undecided.branch), undecided.reason))
                    .help("`dynamics(S)` shows what is known"),
            ));
        }
        if branches.is_empty() {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                    .label(self.span, "its equations contradict each other")
                    .note("the constraint algorithm leaves no point")
                    .help("`explain dynamics(S)` shows every step"),
            ));
        }
        let form = system.dynamical_form(cx)?;
        let mut fitting: Vec<(usize, Start, Vec<(Symbol, f64)>)> = vec![];
        let mut nearest: Option<(start::Off, Law, Start)> = None;
        for (i, branch) in branches.iter().enumerate() {
            let Some(law) = Law::on_branch(&form, branch) else { continue };
            let law = law.with_bodies(cx, &self.clauses.bodies);
            let start = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
            match self.surface(cx, &law, branch)?.settle(&start, &law.states) {
                Ok((start, filled)) => fitting.push((i, start, filled)),
                Err(off) => {
                    let closer =
                        nearest.as_ref().is_none_or(|(best, _, _)| off.distance(&start) < best.distance(&start));
                    if closer {
                        nearest = Some((off, law, start));
                    }
                }
            }
        }
        // A state that lies on a branch as it was given decides; so does the one branch that determines the motion.
        if fitting.iter().any(|(_, _, filled)| filled.is_empty()) {
            fitting.retain(|(_, _, filled)| filled.is_empty());
        }
        if fitting.len() > 1 && fitting.iter().any(|(i, _, _)| branches[*i].determined.is_yes()) {
            fitting.retain(|(i, _, _)| branches[*i].determined.is_yes());
        }
        match fitting.as_slice() {
            [] => {
                let (off, law, start) = nearest.ok_or_else(|| {
                    Box::new(
                        Diagnostic::error(&codes::NO_MOTION, "there is no motion from this state")
                            .label(self.span, "of this system"),
                    )
                })?;
                Err(Box::new(off.diagnostic(&law, &start, self.clauses.given().span, self.span)))
            }
            [(i, start, filled)] => {
                let law = self.branch_law(cx, system, &branches[*i], self.span)?;
                Ok(self.on(cx, &branches[*i].branch, law, start.clone(), filled.clone()))
            }
            several => {
                let mut diagnostic = Diagnostic::error(
                    &codes::NOT_DETERMINED,
                    format!("{} branches of the dynamics pass through this state", several.len()),
                )
                .label(self.clauses.from_span.unwrap_or(self.clauses.simulate), "which one?");
                for (i, _, _) in several {
                    diagnostic =
                        diagnostic.note(format!("branch {}: {}", i + 1, branch_text(cx, &branches[*i].branch)));
                }
                Err(Box::new(diagnostic.help(format!(
                    "add `branch dynamics({}).branches[{}]`",
                    system.name,
                    several[0].0 + 1
                ))))
            }
        }
    }

    /// The law on a branch, refused when functions of time remain free there.
    fn branch_law(&self, cx: &Inquiry, system: &Rc<System>, branch: &DynamicBranch, span: Span) -> Fallible<Law> {
        let form = system.dynamical_form(cx)?;
        if !branch.determined.is_yes() {
            let free: Vec<Symbol> = branch.accelerations.iter().filter(|(_, e)| e.is_none()).map(|(s, _)| *s).collect();
            let mut names: Vec<String> = free.iter().map(Symbol::to_string).collect();
            if names.is_empty() {
                let moved = branch.fields.iter().skip(1).flat_map(|x| x.components()).map(|(s, _)| format!("vel({s})"));
                names = moved.collect();
                names.sort();
                names.dedup();
            }
            let count = match branch.free {
                1 => "one function of time is free".to_string(),
                n => format!("{n} functions of time are free"),
            };
            return Err(Box::new(
                Diagnostic::error(
                    &codes::NOT_DETERMINED,
                    "the motion of this system is not determined by its equations",
                )
                .label(span, format!("{count}: {}", names.join(", ")))
                .note(match branch.branch.is_everything() {
                    true => "at every state".to_string(),
                    false => format!("on {}", branch_text(cx, &branch.branch)),
                })
                .help("fix what is free with further equations, or choose a gauge"),
            ));
        }
        let law = Law::on_branch(&form, branch).ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::NO_MOTION, "no vector field is known on this branch")
                    .label(span, "this branch"),
            )
        })?;
        Ok(law.with_bodies(cx, &self.clauses.bodies))
    }

    /// What was determined on a branch, with the bodies of this run.
    fn on(&self, cx: &Inquiry, branch: &Branch, law: Law, start: Start, filled: Vec<(Symbol, f64)>) -> Determined {
        let put =
            |list: &[Expr]| list.iter().map(|e| law::with_bodies(cx, *e, &self.clauses.bodies)).collect::<Vec<Expr>>();
        let surface = SurfaceLevel::together(put(&branch.equations), &law.states);
        let side = Side::off(&put(&branch.nonzero));
        Determined { surface, side, filled, ..Determined::everywhere(law, start) }
    }

    fn surface(&self, cx: &Inquiry, law: &Law, branch: &DynamicBranch) -> Fallible<Surface> {
        let all: Vec<Expr> = branch.branch.equations.iter().chain(&branch.branch.nonzero).copied().collect();
        let bodies = &self.clauses.bodies;
        let all: Vec<Expr> = all.into_iter().map(|e| law::with_bodies(cx, e, bodies)).collect();
        let signature = Signature { parameters: parameters_of(&all), ..self.signature(law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        Surface::new(cx, &branch.branch, bodies, &signature, &values).map_err(|o| self.obstacle(&o, self.span))
    }

    /// What is recorded and watched.
    fn observed(
        &self,
        cx: &Inquiry,
        law: &Law,
        signature: &Signature,
        surface: Vec<SurfaceLevel>,
        ends: &[End],
        (action, group): (Option<ActionLaw>, Option<GroupLaw>),
    ) -> Fallible<Observed> {
        let bodies = &self.clauses.bodies;
        let columns = self.clauses.record.as_deref().unwrap_or(&[]);
        let record: Vec<(String, Expr)> = columns.iter().map(|c| (c.name.clone(), c.value)).collect();
        let place = columns.first().map_or(self.span, |c| c.span);
        let record = law.read(cx, &record, bodies).map_err(|d| Box::new(d.or_at(place, "recorded here")))?;
        let stops = self.clauses.stops.iter().map(|s| (s.event.name.clone(), s.value));
        let events: Vec<(String, Expr)> =
            stops.chain(ends.iter().map(|end| (end.event.name.clone(), end.value))).collect();
        let place = self.clauses.stops.first().map_or(self.span, |s| s.span);
        let events = law.read(cx, &events, bodies).map_err(|d| Box::new(d.or_at(place, "watched here")))?;
        let of_reading = |r: &Reading| {
            let stages = r.stages.iter().flat_map(|s| s.a.iter().chain(s.b.iter().flatten()).copied());
            r.list.iter().map(|(_, e)| *e).chain(stages).collect::<Vec<_>>()
        };
        let mut parameters = signature.parameters.clone();
        let of_surface = surface.iter().flat_map(|level| level.equations.clone()).collect();
        let of_action = action.iter().flat_map(|law| law.outputs.clone()).collect();
        let of_group = group.iter().flat_map(|law| law.outputs.clone()).collect();
        for p in parameters_of(&[of_reading(&record), of_reading(&events), of_surface, of_action, of_group].concat()) {
            if !parameters.contains(&p) {
                parameters.push(p);
            }
        }
        let stops = self.clauses.stops.iter().map(|s| s.event.clone());
        let kinds = stops.chain(ends.iter().map(|end| end.event.clone())).collect();
        Ok(Observed { record, events, kinds, surface, action, group, parameters })
    }

    /// The numbers of the run.
    fn problem(&self, cx: &Inquiry, law: &Law, start: Start, parameters: Vec<f64>) -> Fallible<InitialValueProblem> {
        let clauses = self.clauses;
        let end = self.numbers.number_at(cx, clauses.until.0, clauses.until.1)?;
        let mut problem =
            InitialValueProblem::new(start.state, parameters, end).from(start.time).method(clauses.method);
        problem.tolerance = clauses.tolerance.clone();
        if !clauses.scales.is_empty() {
            let mut scales = vec![1.0; law.states.len()];
            for (symbol, scale, span) in &clauses.scales {
                let Some(i) = law.states.iter().position(|s| s == symbol) else {
                    let names: Vec<String> = law.states.iter().map(|s| s.name()).collect();
                    return Err(Box::new(
                        Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a state of this motion"))
                            .label(*span, "no scale")
                            .note(format!("the states are {}", names.join(", "))),
                    ));
                };
                scales[i] = *scale;
            }
            problem.tolerance.scales = scales;
        }
        if let Some(step) = clauses.step {
            problem = if clauses.method.row().adaptive() { problem.step(step) } else { problem.fixed_step(step) };
        }
        if let Some(every) = clauses.every {
            problem = problem.recording(Recording::Every(every));
        }
        problem.limits = Limits { numbers: RUN_NUMBERS, ..Limits::default() };
        Ok(problem)
    }

    /// The method moves positions by momenta and momenta by positions, and this system does not.
    fn not_separable(
        &self,
        cx: &Inquiry,
        subject: &Subject,
        law: &Law,
        s: &ast::Simulate,
        [slope_of, depends_on]: [&str; 2],
    ) -> Box<Diagnostic> {
        let clause = s.clauses.iter().find(|c| matches!(c.kind, RunClauseKind::Method(_)));
        let place = clause.map_or(self.clauses.simulate, |c| c.span);
        let refused =
            Diagnostic::error(&codes::METHOD_MISFIT, format!("`{}` needs a separable system", self.clauses.method))
                .label(place, "this method")
                .label(self.span, "of this system")
                .note(format!("the slope of {slope_of} depends on {depends_on}, which the method does not move apart"));
        let refused = match law.term_with(slope_of, depends_on) {
            Some(term) => refused.note(format!("it is the term {term} of its equations")),
            None => refused,
        };
        Box::new(refused.help(self.symplectic_remedy(cx, subject)))
    }

    fn unlowered(&self, what: Unlowered) -> Box<Diagnostic> {
        match what {
            Unlowered::Field(o) => self.obstacle(&o, self.span),
            Unlowered::Record(o) => {
                let columns = self.clauses.record.as_deref().unwrap_or(&[]);
                let place = columns.iter().find(|c| mentions(c.value, &o)).or(columns.first());
                self.obstacle(&o, place.map_or(self.span, |c| c.span))
            }
            Unlowered::Events(o) => {
                let place = self.clauses.stops.iter().find(|s| mentions(s.value, &o)).or(self.clauses.stops.first());
                self.obstacle(&o, place.map_or(self.span, |s| s.span))
            }
        }
    }

    fn obstacle(&self, o: &Obstacle, span: Span) -> Box<Diagnostic> {
        Box::new(match o {
            Obstacle::Function(f) => {
                Diagnostic::error(&codes::MISSING_PARAMETER, format!("the function `{}` has no body", f.name()))
                    .label(span, "depends on it")
                    .help(body_help(*f))
            }
            Obstacle::Symbol(s) => {
                let refusal =
                    Diagnostic::error(&codes::MISSING_PARAMETER, format!("`{s}` has no value along this motion"))
                        .label(span, "depends on it");
                match s.name().starts_with("lambda_") {
                    true => refusal.help("each independent constraint with a reaction has a multiplier; those of redundant ones are not unique, and `reactions(S)` is"),
                    false => refusal,
                }
            }
            Obstacle::Undefined => Diagnostic::error(&codes::NOT_REAL, "this has no real value along the motion")
                .label(span, "an expression without a value"),
        })
    }
}

/// Whether the equations can be solved for the highest derivatives nowhere.
fn is_singular_everywhere(cx: &Inquiry, form: &DynamicalForm) -> Fallible<bool> {
    let (matrix, _, _) = regular::leading_part(cx, form);
    let rank = matrix.rank(cx)?;
    Ok(rank.value < matrix.n_rows())
}

/// The state that changes fastest where a run got stuck: it names the expression behind a step that is too small.
fn fastest(motion: &Motion, trajectory: &Trajectory, problem: &InitialValueProblem) -> Option<String> {
    if !matches!(trajectory.reason, StopReason::StepTooSmall | StopReason::BlowUp) {
        return None;
    }
    let speeds = motion.derivative(trajectory.end, trajectory.last(), &problem.parameters).ok()?;
    let relative = |i: &usize| speeds[*i].abs() / (1.0 + trajectory.last()[*i].abs());
    let i = (0..speeds.len()).max_by(|i, j| relative(i).total_cmp(&relative(j)))?;
    Some(format!("the fastest change is d({})/dt = {}", motion.states()[i], short(speeds[i])))
}

fn body_help(f: Function) -> String {
    let arguments = if f.arity() == 1 {
        "x".to_string()
    } else {
        (1..=f.arity()).map(|i| format!("x{i}")).collect::<Vec<_>>().join(", ")
    };
    format!("add `set {}({arguments}) = …` to the run, or declare it with a body or a table", f.name())
}

fn mentions(e: Expr, o: &Obstacle) -> bool {
    match o {
        Obstacle::Symbol(s) => e.contains(*s),
        _ => false,
    }
}

fn parameters_of(list: &[Expr]) -> Vec<Symbol> {
    symbols_of(list).into_iter().filter(|s| s.is_parameter()).collect()
}

fn bad_problem(bad: &BadProblem, s: &ast::Simulate, system: Span) -> Box<Diagnostic> {
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
        BadProblem::HighOrderOnConstraints { only_holonomic } => {
            Diagnostic::error(&codes::METHOD_MISFIT, "this discrete Lagrangian does not fit these constraints")
                .label(place(|k| matches!(k, RunClauseKind::Method(_))), "this method")
                .label(system, "of this system")
                .note(bad.to_string())
                .help(match only_holonomic {
                    true => "`variational(lobatto, 4)` keeps them and their velocities",
                    false => "`variational` keeps them, with order 2; `gauss(4)` takes constraints of every kind",
                })
        }
        other => {
            Diagnostic::error(&codes::BAD_OPTION, other.to_string()).label(first_word(s.span, "simulate"), "this run")
        }
    })
}
