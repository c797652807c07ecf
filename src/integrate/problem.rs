//! What is to be integrated: the compiled motion, and the numbers of one run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::codegen::compiled::{self, Backend, CompiledKernel, Options};
use crate::codegen::interpret::Failure;
use crate::codegen::ir::{Bank, Kernel};
use crate::codegen::jacobian;
use crate::codegen::jet_compiled::{self, CompiledJet};
use crate::codegen::library::Library;
use crate::codegen::{modes, simd};

use super::control::Tolerance;
use super::gauss_sweep;
use super::lie::{CompiledGroupAction, Group, GroupAction};
use super::lie_gauss::CompiledStages;
use super::method::{Family, Method};
use super::slopes::CompiledSlopes;
use super::splitting::{CompiledSplitting, Composition, NotSeparable};
use super::surface::{self, Level, Surface};
use super::switches::{Switchboard, SwitchingFunctions};
use super::variational::{Action, CompiledAction, Scheme};
use super::whole_step;

/// The direction in which a watched function passes through zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    Falling,
    /// Both, and touching without passing.
    #[default]
    Either,
}

/// A function that is watched for zeros.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub name: String,
    pub direction: Direction,
    /// For angles: zeros of g − m·period for every integer m.
    pub period: Option<f64>,
    /// The run ends at the zero with this number, counted from 1; `None` only records.
    pub stop_at: Option<u32>,
}

impl Event {
    /// Stops the run at the first zero.
    pub fn stop(name: impl Into<String>, direction: Direction) -> Event {
        Event { name: name.into(), direction, period: None, stop_at: Some(1) }
    }

    /// Records all zeros: a Poincaré section.
    pub fn section(name: impl Into<String>, direction: Direction) -> Event {
        Event { name: name.into(), direction, period: None, stop_at: None }
    }
}

/// The kernels of a motion. All read the same banks: time, state, parameters.
#[derive(Clone, Debug)]
pub struct MotionSpec {
    /// Output i is the derivative of state i.
    pub field: Kernel,
    /// Recorded expressions, one output each.
    pub record: Option<Kernel>,
    /// Watched functions, one output each, and what they mean.
    pub events: Option<(Kernel, Vec<Event>)>,
}

impl MotionSpec {
    pub fn field(field: Kernel) -> MotionSpec {
        MotionSpec { field, record: None, events: None }
    }

    pub fn record(mut self, record: Kernel) -> MotionSpec {
        self.record = Some(record);
        self
    }

    pub fn events(mut self, functions: Kernel, events: Vec<Event>) -> MotionSpec {
        assert_eq!(functions.outputs().len(), events.len(), "one output per event");
        self.events = Some((functions, events));
        self
    }
}

/// A motion, compiled. Another state, parameter or tolerance never compiles again.
pub struct Motion {
    /// Smooth: decisions are in the bank `Extra`.
    pub(super) field: CompiledKernel,
    /// The same field compiled with care, made beside a run with a large field that turns out to be long.
    optimised: Arc<OnceLock<CompiledKernel>>,
    /// Somebody has asked for it.
    asked: Arc<AtomicBool>,
    /// The same field with rows exchanged in its linear systems, made when a run starts where the first declines.
    pivoted: Arc<OnceLock<CompiledKernel>>,
    pub(super) switching: Option<SwitchingFunctions>,
    pub(super) record: Option<CompiledKernel>,
    pub(super) events: Option<(CompiledKernel, Vec<Event>)>,
    /// The set on which the field is a motion, when that is not every state.
    pub(super) surface: Option<Surface>,
    states: Vec<String>,
    options: Options,
    /// Taylor coefficients by order, and whether linear systems exchange rows; made at the first request.
    jets: Jets,
    /// Steps of series by the C compiler of the system, for as many runs at once as the processor has lanes.
    library: Option<Arc<Library>>,
    /// Whole steps of explicit methods, made when a run is long; `None` when the field is too large.
    whole_steps: WholeSteps,
    /// Verlet's method and its compositions, by order; made at the first request.
    splittings: Splittings,
    /// The Jacobian matrix of the field, without and with exchanges of rows in linear systems; made at the first request.
    slopes: Arc<[OnceLock<CompiledSlopes>; 2]>,
    /// What variational methods are made of, and those that were made.
    action: Option<Arc<Action>>,
    actions: Actions,
    /// Which coordinates are unit quaternions, with the Lagrangian where there is one, and the methods that were made of them.
    group: Option<(Arc<Group>, Option<Arc<GroupAction>>)>,
    on_group: OnGroup,
}

/// Better code for a long run.
pub(super) enum Better<'a> {
    There(&'a CompiledKernel),
    /// It is being made.
    Later,
    Never,
}

/// Shared between motions that have the same field.
type Jets = Arc<Mutex<Vec<((usize, bool), Option<CompiledJet>)>>>;
type WholeSteps = Arc<Mutex<Vec<(Method, Option<CompiledKernel>)>>>;
type Actions = Arc<Mutex<Vec<(Method, CompiledAction)>>>;
type OnGroup = Arc<Mutex<(Vec<(Method, CompiledGroupAction)>, Vec<(Method, CompiledStages)>)>>;
type Splittings = Arc<Mutex<Vec<(u32, CompiledSplitting)>>>;

/// Operations up to which recorded and watched expressions are interpreted.
const SHORT: usize = 6;

/// Operations beyond which a field is compiled instantly first: the prompt does not wait, and a long run gets better code
/// after a while. Both execute the same kernel, bit for bit.
const LARGE: usize = 4000;

/// Operations beyond which a field keeps the code that was made instantly, however long the run is.
const MAX_CAREFUL: usize = 100_000;

/// How a kernel is compiled: at once where it is large.
pub(super) fn by_size(kernel: &Kernel, options: Options) -> Options {
    let at_once = options.backend == Backend::OptimisedCode && kernel.n_operations() > LARGE;
    Options { backend: if at_once { Backend::InstantCode } else { options.backend }, ..options }
}

impl Motion {
    pub fn new(spec: MotionSpec, options: Options) -> Motion {
        let n = spec.field.outputs().len();
        let mut states: Vec<String> = (0..n).map(|i| format!("y{i}")).collect();
        for input in spec.field.inputs() {
            if input.bank == Bank::State && (input.slot as usize) < n {
                states[input.slot as usize] = input.name.clone();
            }
        }
        let modes = modes::modes(&spec.field);
        let switching = modes.as_ref().map(|m| SwitchingFunctions {
            functions: quick(m.functions.clone(), options),
            switches: m.switches.clone(),
            n_numbers: m.n_numbers,
        });
        let field = modes.map_or(spec.field, |m| m.smooth);
        let of_field = by_size(&field, options);
        Motion {
            field: compiled::compile(field, of_field),
            optimised: Arc::default(),
            asked: Arc::default(),
            pivoted: Arc::default(),
            switching,
            record: spec.record.map(|k| quick(k, options)),
            events: spec.events.map(|(k, events)| (quick(k, options), events)),
            surface: None,
            states,
            options,
            jets: Jets::default(),
            library: None,
            whole_steps: WholeSteps::default(),
            splittings: Splittings::default(),
            slopes: Arc::default(),
            action: None,
            actions: Actions::default(),
            group: None,
            on_group: OnGroup::default(),
        }
    }

    /// The same field, already compiled, with other things recorded and watched.
    pub fn observing(&self, record: Option<Kernel>, events: Option<(Kernel, Vec<Event>)>) -> Motion {
        Motion {
            field: self.field.clone(),
            optimised: self.optimised.clone(),
            asked: self.asked.clone(),
            pivoted: self.pivoted.clone(),
            switching: self.switching.clone(),
            record: record.map(|k| quick(k, self.options)),
            events: events.map(|(k, events)| (quick(k, self.options), events)),
            surface: None,
            states: self.states.clone(),
            options: self.options,
            jets: self.jets.clone(),
            library: self.library.clone(),
            whole_steps: self.whole_steps.clone(),
            splittings: self.splittings.clone(),
            slopes: self.slopes.clone(),
            action: self.action.clone(),
            actions: self.actions.clone(),
            group: self.group.clone(),
            on_group: self.on_group.clone(),
        }
    }

    /// The same motion on the same surface, with the same recorded and other things watched.
    pub fn watching(&self, functions: Kernel, events: Vec<Event>) -> Motion {
        let watching = self.observing(None, Some((functions, events)));
        Motion { record: self.record.clone(), surface: self.surface.clone(), ..watching }
    }

    /// The same motion, kept on a surface, level by level.
    pub fn on_surface(mut self, levels: &[Level]) -> Motion {
        let kernel = surface::projection_kernel(levels, self.n_states());
        let options = by_size(&kernel, self.options);
        let kernel = compiled::compile(kernel, options);
        self.surface = Some(Surface { kernel, levels: levels.to_vec() });
        self
    }

    /// The same motion on the same surface, with nothing recorded and nothing watched.
    pub fn unobserved(&self) -> Motion {
        Motion { surface: self.surface.clone(), ..self.observing(None, None) }
    }

    /// How many Taylor recurrences were made so far.
    pub fn n_jets(&self) -> usize {
        self.jets.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len()
    }

    /// The recorded expressions at a state; empty when nothing but the state is recorded.
    pub fn recorded(&self, t: f64, state: &[f64], parameters: &[f64]) -> Result<Vec<f64>, Failure> {
        let Some(record) = &self.record else { return Ok(Vec::new()) };
        let mut columns = vec![0.0; record.kernel().outputs().len()];
        record.caller().call([&[t], state, parameters, &[]], &mut columns)?;
        Ok(columns)
    }

    /// The names of the states, in order.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    pub fn n_parameters(&self) -> usize {
        let kernels = [Some(&self.field), self.record.as_ref(), self.events.as_ref().map(|(k, _)| k)];
        kernels.into_iter().flatten().map(|k| k.kernel().bank_len(Bank::Parameter)).max().unwrap_or(0)
    }

    pub fn field(&self) -> &CompiledKernel {
        &self.field
    }

    /// What executes the field; for a long run what it was promised, since when that is ready depends on the machine.
    pub fn backend(&self) -> Backend {
        if self.asked.load(Ordering::Relaxed) { self.options.backend } else { self.field.backend() }
    }

    /// The field for the rest of a long run, if there is to be a better one than that of its beginning. It is made on a thread of
    /// its own: a run goes on with what it has. Both execute the same kernel, so it makes no difference to a result when the
    /// change is made.
    pub(super) fn field_of_long_run(&self) -> Better<'_> {
        let unchanged = self.field.backend() == self.options.backend || self.field.backend() == Backend::Interpreter;
        if unchanged || self.field.executed().n_operations() > MAX_CAREFUL {
            return Better::Never;
        }
        if let Some(field) = self.optimised.get() {
            return Better::There(field);
        }
        if !self.asked.swap(true, Ordering::Relaxed) {
            let (place, kernel, options) = (self.optimised.clone(), self.field.kernel().clone(), self.options);
            let make = move || drop(place.set(compiled::compile(kernel, options)));
            if std::thread::Builder::new().name("compile".to_string()).spawn(make).is_err() {
                return Better::Never;
            }
        }
        Better::Later
    }

    pub fn options(&self) -> Options {
        self.options
    }

    pub fn compile_time(&self) -> Duration {
        let kernels = [
            Some(&self.field),
            self.optimised.get(),
            self.pivoted.get(),
            self.record.as_ref(),
            self.events.as_ref().map(|(k, _)| k),
        ];
        let kernels: Duration = kernels.into_iter().flatten().map(CompiledKernel::compile_time).sum();
        let jets = self.jets.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let jets: Duration = jets.iter().filter_map(|(_, jet)| jet.as_ref()).map(CompiledJet::compile_time).sum();
        let steps = self.whole_steps.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let steps: Duration = steps.iter().filter_map(|(_, s)| s.as_ref()).map(CompiledKernel::compile_time).sum();
        let splittings = self.splittings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let splittings: Duration = splittings.iter().map(|(_, s)| s.compile_time()).sum();
        let slopes: Duration = self.slopes.iter().filter_map(OnceLock::get).map(CompiledSlopes::compile_time).sum();
        kernels + jets + steps + splittings + slopes
    }

    /// The Jacobian matrix of the field by the state, compiled.
    pub fn slopes(&self, pivoted: bool) -> &CompiledSlopes {
        let make = || CompiledSlopes::new(jacobian::jacobian(self.field.kernel(), Bank::State), self.options, pivoted);
        self.slopes[usize::from(pivoted)].get_or_init(make)
    }

    /// The Taylor coefficients of the solutions to an order; `None` when the field has none.
    pub fn jet(&self, order: usize, pivoted: bool) -> Option<CompiledJet> {
        let mut jets = self.jets.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, jet)) = jets.iter().find(|(key, _)| *key == (order, pivoted)) {
            return jet.clone();
        }
        let jet = jet_compiled::compile(self.field.kernel(), order, self.options, pivoted).ok();
        jets.push(((order, pivoted), jet.clone()));
        jet
    }

    /// The same motion, with steps of its series by the C compiler of the system.
    pub fn with_library(&self, library: Library) -> Motion {
        let whole = self.observing(None, None);
        let (record, events, surface) = (self.record.clone(), self.events.clone(), self.surface.clone());
        Motion { record, events, surface, library: Some(Arc::new(library)), ..whole }
    }

    pub(super) fn library(&self) -> Option<&Arc<Library>> {
        self.library.as_ref()
    }

    /// Whether nothing but the state is recorded, watched or switched.
    pub(super) fn is_bare(&self) -> bool {
        self.switching.is_none() && self.record.is_none() && self.events.is_none() && self.surface.is_none()
    }

    /// The field that serves a run: the one whose linear systems exchange rows when the other declines at the initial state,
    /// as it does where a mass matrix is not definite. The matrix cannot lose or gain that property without becoming
    /// singular on the way, so the decision stands for the run; and it depends on nothing but the run.
    pub(super) fn field_for(&self, problem: &InitialValueProblem) -> (CompiledKernel, bool) {
        let unchanged = (self.optimised.get().unwrap_or(&self.field).clone(), false);
        if self.field.kernel().solves().is_empty() {
            return unchanged;
        }
        let Ok(board) = Switchboard::new(self, problem) else { return unchanged };
        let modes = board.as_ref().map_or(&[][..], Switchboard::numbers);
        let mut dy = vec![0.0; self.n_states()];
        let time = [problem.start];
        let mut accepts = |field: &CompiledKernel| {
            field.caller().call_fast([&time, &problem.state, &problem.parameters, modes], &mut dy)
        };
        if accepts(&self.field) {
            return unchanged;
        }
        let make = || compiled::compile_pivoted(self.field.kernel().clone(), self.options);
        let pivoted = self.pivoted.get_or_init(make);
        if accepts(pivoted) { (pivoted.clone(), true) } else { unchanged }
    }

    /// The step of an explicit method, or the substitution of a Gauss method, as one kernel; `None` when that is not worth while,
    /// or, unless `make` is set, when it has not been compiled yet.
    pub fn whole_step(&self, method: Method, make: bool) -> Option<CompiledKernel> {
        let mut steps = self.whole_steps.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, step)) = steps.iter().find(|(m, _)| *m == method) {
            return step.clone();
        }
        if !make || self.backend() == Backend::Interpreter {
            return None;
        }
        let fused = !self.options.portable && simd::has_fma();
        let step = match method.row().family {
            Family::Explicit(tableau) => {
                whole_step::worth_while(tableau, &self.field).then(|| whole_step::compile(tableau, &self.field, fused))
            }
            Family::Gauss => gauss_sweep::compile((method.order().unwrap_or(2) / 2) as usize, &self.field),
            Family::Choice
            | Family::Series
            | Family::Splitting(_)
            | Family::Radau
            | Family::Differentiation
            | Family::Variational
            | Family::LieVariational
            | Family::LieGauss => None,
        };
        steps.push((method, step.clone()));
        step
    }

    /// The same motion, with the Lagrangian from which it follows.
    pub fn with_action(mut self, action: Action) -> Motion {
        self.action = Some(Arc::new(action));
        self.actions = Actions::default();
        self
    }

    /// The discrete equations of a variational method, if there is a Lagrangian and the method takes its constraints.
    pub fn discrete(&self, method: Method) -> Result<CompiledAction, BadProblem> {
        let Some(action) = &self.action else { return Err(BadProblem::NoLagrangian) };
        let mut made = self.actions.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, discrete)) = made.iter().find(|(m, _)| *m == method) {
            return Ok(discrete.clone());
        }
        let scheme = Scheme::of(method.discretisation());
        let only_holonomic = action.holonomic == action.constraints;
        if action.constraints > 0 && scheme.degree() > 1 && !(only_holonomic && scheme.is_nodal()) {
            return Err(BadProblem::HighOrderOnConstraints { only_holonomic });
        }
        let discrete = CompiledAction::new(action.clone(), scheme, self.options);
        made.push((method, discrete.clone()));
        Ok(discrete)
    }

    /// The same motion, with its quaternions of length 1, and the Lagrangian from which it follows.
    pub fn with_group(mut self, group: Group, action: Option<GroupAction>) -> Motion {
        self.group = Some((Arc::new(group), action.map(Arc::new)));
        self.on_group = OnGroup::default();
        self
    }

    /// The discrete equations of a variational method on the group.
    pub fn on_group(&self, method: Method) -> Result<CompiledGroupAction, BadProblem> {
        let (group, action) = self.group.as_ref().ok_or(BadProblem::NoGroup)?;
        let action = action.as_ref().ok_or(BadProblem::NoLagrangian)?;
        let mut made = self.on_group.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let made = &mut made.0;
        if let Some((_, compiled)) = made.iter().find(|(m, _)| *m == method) {
            return Ok(compiled.clone());
        }
        let scheme = Scheme::galerkin(method.order().unwrap_or(2));
        let compiled = CompiledGroupAction::new(group.clone(), action, &scheme, self.options);
        made.push((method, compiled.clone()));
        Ok(compiled)
    }

    /// The equations of the stages of Gauss's method on the group.
    pub fn stages_on_group(&self, method: Method, problem: &InitialValueProblem) -> Result<CompiledStages, BadProblem> {
        let (group, _) = self.group.as_ref().ok_or(BadProblem::NoGroup)?;
        let (field, pivoted) = self.field_for(problem);
        let mut made = self.on_group.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let made = &mut made.1;
        if let Some((_, compiled)) = made.iter().find(|(m, _)| *m == method) {
            return Ok(compiled.clone());
        }
        let compiled = CompiledStages::new(group.clone(), field.kernel(), method, self.options, pivoted);
        made.push((method, compiled.clone()));
        Ok(compiled)
    }

    /// Verlet's method, or a composition of it, if the states fall into two classes.
    pub fn splitting(&self, composition: &Composition) -> Result<CompiledSplitting, NotSeparable> {
        let mut made = self.splittings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, splitting)) = made.iter().find(|(order, _)| *order == composition.order) {
            return Ok(splitting.clone());
        }
        let splitting = CompiledSplitting::new(self.field.kernel(), composition, self.options)?;
        made.push((composition.order, splitting.clone()));
        Ok(splitting)
    }

    /// The derivative of the state at a point, for questions outside a run.
    pub fn derivative(&self, t: f64, state: &[f64], parameters: &[f64]) -> Result<Vec<f64>, Failure> {
        self.first_derivative(&InitialValueProblem::new(state.to_vec(), parameters.to_vec(), t).from(t))
    }

    /// The derivative of the state where a run starts, on the side to which the run leads.
    pub fn first_derivative(&self, problem: &InitialValueProblem) -> Result<Vec<f64>, Failure> {
        let board = Switchboard::new(self, problem)?;
        let modes = board.as_ref().map_or(&[][..], Switchboard::numbers);
        let mut dy = vec![0.0; self.n_states()];
        self.field.caller().call([&[problem.start], &problem.state, &problem.parameters, modes], &mut dy)?;
        Ok(dy)
    }

    /// Whether the field has kinks or jumps.
    pub fn has_switches(&self) -> bool {
        self.switching.is_some()
    }
}

/// Expressions that run once per recorded time or a few times per step are compiled quickly. The shortest of them are
/// interpreted: they are not worth a page of code memory.
pub fn quick(kernel: Kernel, options: Options) -> CompiledKernel {
    let interpret = options.backend == Backend::Interpreter || kernel.n_operations() <= SHORT;
    let backend = if interpret { Backend::Interpreter } else { Backend::InstantCode };
    compiled::compile(kernel, Options { backend, ..options })
}

/// Which states of a run are kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Recording {
    /// The first and the last.
    Ends,
    /// The ends of all steps.
    #[default]
    Steps,
    /// Multiples of this interval, counted from the start, and the last.
    Every(f64),
    /// These times, in the order of the run.
    At(Vec<f64>),
}

/// What a run may use.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    pub steps: u64,
    /// Doubles kept in memory: recorded states, columns and dense output together.
    pub numbers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 100_000_000_000, numbers: 1 << 28 }
    }
}

/// One run of a motion.
#[derive(Clone, PartialEq, Debug)]
pub struct InitialValueProblem {
    pub start: f64,
    pub state: Vec<f64>,
    pub parameters: Vec<f64>,
    /// May lie before the start: then the motion runs backwards.
    pub end: f64,
    pub method: Method,
    pub tolerance: Tolerance,
    /// The first step of adaptive methods, the step of fixed-step methods.
    pub step: Option<f64>,
    /// All steps have the given size, whatever the method.
    pub fixed: bool,
    pub recording: Recording,
    /// Keep the interpolants, so that the trajectory has a state at every time.
    pub dense: bool,
    pub limits: Limits,
}

impl InitialValueProblem {
    /// From t = 0, with every choice left to its default.
    pub fn new(state: Vec<f64>, parameters: Vec<f64>, end: f64) -> InitialValueProblem {
        InitialValueProblem {
            start: 0.0,
            state,
            parameters,
            end,
            method: Method::AUTO,
            tolerance: Tolerance::default(),
            step: None,
            fixed: false,
            recording: Recording::default(),
            dense: false,
            limits: Limits::default(),
        }
    }

    pub fn from(mut self, start: f64) -> Self {
        self.start = start;
        self
    }

    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    pub fn tolerance(mut self, tau: f64) -> Self {
        self.tolerance = Tolerance::both(tau);
        self
    }

    pub fn step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self
    }

    pub fn fixed_step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self.fixed = true;
        self
    }

    pub fn recording(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    pub fn dense(mut self) -> Self {
        self.dense = true;
        self
    }

    /// What is wrong with the problem, before anything runs.
    pub fn check(&self, motion: &Motion) -> Result<(), BadProblem> {
        if self.state.len() != motion.n_states() {
            return Err(BadProblem::States { needed: motion.n_states(), given: self.state.len() });
        }
        if self.parameters.len() < motion.n_parameters() {
            return Err(BadProblem::Parameters { needed: motion.n_parameters(), given: self.parameters.len() });
        }
        if !self.tolerance.is_valid() {
            return Err(BadProblem::Tolerance);
        }
        if !(self.start.is_finite() && self.end.is_finite()) {
            return Err(BadProblem::End);
        }
        let not_finite = |xs: &[f64]| xs.iter().position(|x| !x.is_finite());
        if let Some(i) = not_finite(&self.state) {
            return Err(BadProblem::NotFinite { name: motion.states()[i].clone() });
        }
        if not_finite(&self.parameters).is_some() {
            return Err(BadProblem::NotFinite { name: "a parameter".to_string() });
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if self.step.is_some_and(|h| !positive(h)) {
            return Err(BadProblem::Step);
        }
        match &self.recording {
            Recording::Every(dt) if !positive(*dt) => Err(BadProblem::Recording),
            Recording::At(times) => {
                let forward = self.end >= self.start;
                let inside = times.iter().all(|t| {
                    let (low, high) = if forward { (self.start, self.end) } else { (self.end, self.start) };
                    *t >= low && *t <= high
                });
                let ordered = times.windows(2).all(|w| if forward { w[0] <= w[1] } else { w[0] >= w[1] });
                if inside && ordered { Ok(()) } else { Err(BadProblem::Recording) }
            }
            _ => Ok(()),
        }
    }
}

/// A problem that cannot be run.
#[derive(Clone, PartialEq, Debug)]
pub enum BadProblem {
    States {
        needed: usize,
        given: usize,
    },
    Parameters {
        needed: usize,
        given: usize,
    },
    Tolerance,
    End,
    Step,
    Recording,
    NotFinite {
        name: String,
    },
    /// The method needs two classes of states that move each other, and here a state depends on one of its own class.
    NotSeparable {
        slope_of: String,
        depends_on: String,
    },
    /// A variational method needs the Lagrangian.
    NoLagrangian,
    /// The method moves quaternions of length 1.
    NoGroup,
    /// Variational methods of higher order take holonomic constraints at their points only.
    HighOrderOnConstraints {
        only_holonomic: bool,
    },
    /// The vector field has no value at the initial state.
    Start {
        failure: Failure,
    },
}

impl std::fmt::Display for BadProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            BadProblem::States { needed, given } => {
                write!(f, "the motion has {needed} states, {given} values are given")
            }
            BadProblem::Parameters { needed, given } => {
                write!(f, "the motion has {needed} parameters, {given} values are given")
            }
            BadProblem::Tolerance => write!(f, "a tolerance lies between 0 and 1"),
            BadProblem::End => write!(f, "the run needs a finite beginning and end"),
            BadProblem::Step => write!(f, "a step is positive"),
            BadProblem::Recording => {
                write!(f, "recorded times lie inside the run, in its order; an interval is positive")
            }
            BadProblem::NotFinite { name } => write!(f, "{name} is not a finite number"),
            BadProblem::NotSeparable { slope_of, depends_on } => {
                write!(f, "the motion is not separable: the slope of {slope_of} depends on {depends_on}")
            }
            BadProblem::NoLagrangian => write!(f, "a variational method needs a Lagrangian"),
            BadProblem::NoGroup => write!(f, "the method needs quaternions that a constraint keeps at length 1"),
            BadProblem::HighOrderOnConstraints { only_holonomic } => {
                let higher = if *only_holonomic { ", or `lobatto` for a higher order" } else { "" };
                let kind = if *only_holonomic { "these" } else { "nonholonomic" };
                write!(f, "on {kind} constraints a variational method is `midpoint` or `trapezoidal`{higher}")
            }
            BadProblem::Start { failure } => write!(f, "there is no motion from this state: {failure}"),
        }
    }
}

impl std::error::Error for BadProblem {}
