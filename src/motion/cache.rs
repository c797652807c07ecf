//! The compiled motions of a session. A second run of the same system, with other parameters, another initial state or
//! another tolerance, finds its vector field here: nothing is derived and nothing is compiled again. What is recorded and
//! watched is kept beside the field it belongs to.

use super::discrete::ActionLaw;
use super::group::GroupLaw;
use super::law::{Law, Reading};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Function, Symbol};
use crate::codegen::compiled::Options;
use crate::codegen::lower::{self, Obstacle, Signature, Stage, expressions_in_stages};
use crate::codegen::table::Table;
use crate::integrate::problem::{Event, Motion, MotionSpec};
use crate::integrate::surface::Level;
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// How many fields a session keeps; the oldest goes first.
const KEPT: usize = 64;

/// Shared by everything that a session evaluates.
#[derive(Clone, Default)]
pub struct Motions(Rc<RefCell<Kept>>);

#[derive(Default)]
struct Kept {
    fields: IndexMap<FieldKey, KeptField>,
    compilations: usize,
}

struct KeptField {
    motion: Rc<Motion>,
    observed: IndexMap<ObserverKey, Rc<Motion>>,
    /// Kept alive, so that their addresses stay theirs.
    _tables: Vec<Arc<Table>>,
}

/// Expressions are interned, so equal fields have equal keys.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FieldKey {
    time: Option<Symbol>,
    states: Vec<Symbol>,
    parameters: Vec<Symbol>,
    expressions: Vec<Expr>,
    tables: Vec<(Function, usize)>,
    options: (bool, bool),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ObserverKey {
    parameters: Vec<Symbol>,
    expressions: Vec<Expr>,
    names: Vec<String>,
    group: Option<GroupLaw>,
    events: Vec<(bool, bool, bool, bool)>,
}

/// What is asked of a motion beside its field.
pub struct Observed {
    pub record: Reading,
    pub events: Reading,
    pub kinds: Vec<Event>,
    /// The set on which the motion stays.
    pub surface: Vec<SurfaceLevel>,
    /// The Lagrangian, for a variational method.
    pub action: Option<ActionLaw>,
    /// The quaternions, for a method on their group.
    pub group: Option<GroupLaw>,
    /// The parameters of the field, then those that only occur here.
    pub parameters: Vec<Symbol>,
}

/// Equations of the set on which a motion stays, and the states that they determine.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SurfaceLevel {
    pub equations: Vec<Expr>,
    pub states: Vec<Symbol>,
}

impl SurfaceLevel {
    /// One level for each order of jets that the equations reach, the lowest first: it determines the jets of that order.
    pub fn by_order(equations: &[Expr], states: &[Symbol]) -> Vec<SurfaceLevel> {
        let order_of = |s: &Symbol| s.as_jet().map_or(0, |(_, order)| order);
        let reached = |e: &Expr| e.symbols().iter().filter(|s| states.contains(s)).map(order_of).max().unwrap_or(0);
        let highest = states.iter().map(order_of).max().unwrap_or(0);
        let level = |order: u32| SurfaceLevel {
            equations: equations.iter().copied().filter(|e| reached(e) == order).collect(),
            states: states.iter().copied().filter(|s| order_of(s) == order).collect(),
        };
        (0..=highest).map(level).filter(|level| !level.equations.is_empty()).collect()
    }

    /// All equations at once, which determine all states together.
    pub fn together(equations: Vec<Expr>, states: &[Symbol]) -> Vec<SurfaceLevel> {
        match equations.is_empty() {
            true => vec![],
            false => vec![SurfaceLevel { equations, states: states.to_vec() }],
        }
    }

    pub(super) fn lower(&self, cx: &Inquiry, signature: &Signature) -> Result<Level, Obstacle> {
        let slopes = self.equations.iter().flat_map(|g| self.states.iter().map(|x| partial(cx, *g, *x)));
        let list: Vec<(String, Expr)> =
            self.equations.iter().copied().chain(slopes).map(|e| (shortened(&e.to_string()), e)).collect();
        let kernel = lower::expressions("surface", signature, &list)?;
        let column = |s: &Symbol| signature.states.iter().position(|state| state == s);
        let is_of_positions = self.states.iter().all(|s| s.as_jet().is_some_and(|(_, order)| order == 0));
        Ok(Level { kernel, columns: self.states.iter().filter_map(column).collect(), is_of_positions })
    }
}

/// The beginning of a long text: it is shown in a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Where lowering failed.
pub enum Unlowered {
    Field(Obstacle),
    Record(Obstacle),
    Events(Obstacle),
}

impl Motions {
    /// The compiled motion of a law, made if it is not there yet.
    pub fn get(
        &self,
        cx: &Inquiry,
        law: &Law,
        signature: &Signature,
        observed: &Observed,
        options: Options,
    ) -> Result<Rc<Motion>, Unlowered> {
        let kept = &mut *self.0.borrow_mut();
        let expressions = law.expressions();
        let mut tables: Vec<(Function, Arc<Table>)> = signature.tables.iter().map(|(f, t)| (*f, t.clone())).collect();
        tables.sort_by_key(|(f, _)| *f);
        let key = FieldKey {
            time: signature.time,
            states: signature.states.clone(),
            parameters: signature.parameters.clone(),
            expressions,
            tables: tables.iter().map(|(f, t)| (*f, Arc::as_ptr(t) as usize)).collect(),
            options: (options.backend == crate::codegen::compiled::Backend::Interpreter, options.portable),
        };
        // Everything is lowered before anything is compiled: what cannot be computed is refused first.
        let new_field = match kept.fields.contains_key(&key) {
            true => None,
            false => Some(law.field(signature).map_err(Unlowered::Field)?),
        };
        let observer = observed.key();
        let known = kept.fields.get(&key).and_then(|field| field.observed.get(&observer));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let with_observed = Signature { parameters: observed.parameters.clone(), ..signature.clone() };
        let kernel = |name: &str, reading: &Reading| match reading.list.is_empty() {
            true => Ok(None),
            false => expressions_in_stages(name, &with_observed, &reading.stages, &reading.list).map(Some),
        };
        let record = kernel("record", &observed.record).map_err(Unlowered::Record)?;
        let events = kernel("events", &observed.events).map_err(Unlowered::Events)?;
        let surface: Result<Vec<Level>, Obstacle> =
            observed.surface.iter().map(|level| level.lower(cx, &with_observed)).collect();
        let surface = Some(surface.map_err(Unlowered::Field)?).filter(|levels| !levels.is_empty());
        let lowered = observed.action.as_ref().map(|law| law.lower(&with_observed));
        let action = lowered.transpose().map_err(Unlowered::Field)?;
        let lowered = observed.group.as_ref().map(|law| law.lower(&with_observed));
        let group = lowered.transpose().map_err(Unlowered::Field)?;
        if let Some(field) = new_field {
            kept.compilations += 1;
            if kept.fields.len() >= KEPT {
                kept.fields.shift_remove_index(0);
            }
            let motion = Rc::new(Motion::new(MotionSpec::field(field), options));
            let tables = tables.into_iter().map(|(_, t)| t).collect();
            kept.fields.insert(key.clone(), KeptField { motion, observed: IndexMap::new(), _tables: tables });
        }
        let Some(field) = kept.fields.get_mut(&key) else { unreachable!("just kept") };
        kept.compilations += usize::from(record.is_some()) + usize::from(events.is_some());
        let motion = match (&record, &events, surface, action) {
            (None, None, None, None) if group.is_none() => field.motion.clone(),
            (_, _, surface, action) => {
                let motion = field.motion.observing(record, events.map(|k| (k, observed.kinds.clone())));
                let motion = match surface {
                    Some(levels) => motion.on_surface(&levels),
                    None => motion,
                };
                let motion = match action {
                    Some(action) => motion.with_action(action),
                    None => motion,
                };
                Rc::new(match group {
                    Some((group, action)) => motion.with_group(group, action),
                    None => motion,
                })
            }
        };
        field.observed.insert(observer, motion.clone());
        Ok(motion)
    }

    /// How many kernels were compiled so far, Taylor recurrences included.
    pub fn n_compilations(&self) -> usize {
        let kept = self.0.borrow();
        kept.compilations + kept.fields.values().map(|f| f.motion.n_jets()).sum::<usize>()
    }
}

impl Observed {
    fn key(&self) -> ObserverKey {
        let readings = [&self.record, &self.events];
        let stages = |stage: &Stage| [stage.a.clone(), stage.b.concat()].concat();
        let mut expressions = vec![];
        let mut names = vec![];
        for reading in readings {
            expressions.extend(reading.list.iter().map(|(_, e)| *e));
            expressions.extend(reading.stages.iter().flat_map(stages));
            names.extend(reading.list.iter().map(|(n, _)| n.clone()));
            // A mark between the two lists.
            names.push(String::new());
        }
        expressions.extend(self.action.iter().flat_map(|law| &law.outputs));
        expressions.extend(self.surface.iter().flat_map(|level| &level.equations));
        use crate::integrate::problem::Direction;
        let kind = |e: &Event| {
            (
                e.direction == Direction::Rising,
                e.direction == Direction::Falling,
                e.period.is_some(),
                e.stop_at.is_some(),
            )
        };
        ObserverKey {
            parameters: self.parameters.clone(),
            expressions,
            names,
            group: self.group.clone(),
            events: self.kinds.iter().map(kind).collect(),
        }
    }
}
