//! Runs in reduced coordinates: positions and constraint momenta, `hamilton(S)` of a constrained system.
//!
//! The constraints were solved for the dependent velocities, so that the states are the positions and one momentum for each
//! independent one. What constraints say of positions alone, such as `x^2 + y^2 = 1`, is left to be kept: by the initial state, which is refused
//! where it does not fit, and along the run, by projection. Velocities may be given instead of momenta; they are those of the
//! system itself, with all that these must satisfy.

use super::{Context, Determined, parameters_of};
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::codegen::interpret;
use crate::codegen::lower::{self, Signature};
use crate::diagnostic::{Diagnostic, codes};
use crate::mechanics::constraint_legendre::constraint_legendre;
use crate::model::item::System;
use crate::model::value::Fallible;
use crate::motion::cache::SurfaceLevel;
use crate::motion::law::{self, Law};
use crate::motion::start::Start;
use crate::questions::constrained_motion::{ConstrainedMotion, constrained_motion};
use std::rc::Rc;

impl Context<'_> {
    /// A state in reduced coordinates that lies on the constraints.
    pub(super) fn in_momenta(&self, cx: &Inquiry, system: &Rc<System>, law: &Law) -> Fallible<Determined> {
        let given = self.clauses.given();
        let is_velocity = |s: &Symbol| s.as_jet().is_some_and(|(c, k)| k > 0 && law.manifold.fibre(c).is_some());
        let is_momentum = |s: &Symbol| law.states.contains(s) && s.as_jet().is_none();
        let is_given = |which: &dyn Fn(&Symbol) -> bool| given.values.iter().any(|(s, _, _)| which(s));
        let mut filled = vec![];
        let start = match is_given(&is_velocity) && !is_given(&is_momentum) {
            true => {
                let found = self.on_constraint(cx, system)?;
                filled = found.filled.iter().copied().filter(|(s, _)| law.states.contains(s)).collect();
                self.momenta_at(cx, system, law, &found)?
            }
            false => Start::read(cx, law, given, self.numbers)?,
        };
        let ConstrainedMotion::Law(found) = constrained_motion(cx, system)? else {
            return Ok(Determined { filled, ..Determined::everywhere(law.clone(), start) });
        };
        let order = |e: Expr| e.symbols().iter().filter_map(|s| s.as_jet()).map(|(_, k)| k).max().unwrap_or(0);
        let all = found.equations.surface.iter().map(|e| e.function);
        let equations: Vec<Expr> = all.filter(|e| order(*e) == 0).collect();
        if equations.is_empty() {
            return Ok(Determined { filled, ..Determined::everywhere(law.clone(), start) });
        }
        let (surface, functions) = self.surface_of(cx, law, &equations, &self.side(cx, system, law)?)?;
        let start = match surface.settle(&start, &law.states) {
            Ok((start, more)) => {
                filled.extend(more);
                start
            }
            Err(off) => return Err(self.off_constraint(&found, law, &start, &off)),
        };
        let positions = law.states.iter().copied().filter(|s| s.as_jet().is_some()).collect();
        let surface = vec![SurfaceLevel { equations: functions, states: positions }];
        Ok(Determined { filled, surface, ..Determined::everywhere(law.clone(), start) })
    }

    /// The positions of a state of the system itself, and its momenta.
    fn momenta_at(&self, cx: &Inquiry, system: &Rc<System>, law: &Law, found: &Determined) -> Fallible<Start> {
        let form = system.constrained_form(cx)?;
        let momenta = constraint_legendre(cx, form, system.free_lagrangian())?.momenta(cx)?.momenta;
        let names = law.states.iter().filter(|s| s.as_jet().is_none());
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        let list: Vec<(String, Expr)> = names.map(|s| s.name()).zip(momenta.into_iter().map(put)).collect();
        let expressions: Vec<Expr> = list.iter().map(|(_, e)| *e).collect();
        let signature = Signature { parameters: parameters_of(&expressions), ..self.signature(&found.law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let kernel = lower::expressions("momenta", &signature, &list)
            .map_err(|o| self.obstacle(&o, self.clauses.given().span))?;
        let mut p = vec![0.0; list.len()];
        let (time, state) = (found.start.time, &found.start.state);
        let found_all = interpret::evaluate(&kernel, [&[time], state, &values, &[]], &mut p).is_ok();
        if !found_all || !p.iter().all(|x| x.is_finite()) {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "the momenta have no values in this state")
                    .label(self.clauses.given().span, "this initial state")
                    .label(self.span, "of this system")
                    .help("their chart ends there: take a run of the system itself, without `hamilton`"),
            ));
        }
        let mut p = p.into_iter();
        let value = |s: &Symbol| match found.law.states.iter().position(|other| other == s) {
            Some(i) => state[i],
            None => p.next().unwrap_or_default(),
        };
        let state: Vec<f64> = law.states.iter().map(value).collect();
        Ok(Start { time, given: vec![true; state.len()], state })
    }
}
