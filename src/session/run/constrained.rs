//! Runs of constrained systems. The state lies on the constraint: dependent velocities that `from` leaves out are filled in level
//! by level, and a state that does not fit is refused with the residual of every constraint and of every derivative of it.

use super::{Context, Determined, parameters_of};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol};
use crate::codegen::lower::Signature;
use crate::diagnostic::{Diagnostic, codes};
use crate::mechanics::constrained_form::{ConstrainedEquations, ConstrainedForm};
use crate::model::item::System;
use crate::model::value::Fallible;
use crate::motion::cache::SurfaceLevel;
use crate::motion::law::{self, Law};
use crate::motion::start::{self, Off, Start, Surface};
use crate::report::table::short;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Context<'_> {
    /// The law of a constrained system, and a state on the constraint.
    pub(super) fn on_constraint(&self, cx: &Inquiry, system: &Rc<System>) -> Fallible<Determined> {
        if let Some((_, span)) = &self.clauses.branch {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "`branch` has no effect on a constrained system")
                    .label(*span, "no effect here")
                    .help("the root of a constraint is chosen where it is declared"),
            ));
        }
        let at = |d: Box<Diagnostic>| Box::new(d.or_at(self.span, "of this system"));
        // Coordinates in which the constraint was solved have their conditions; the saddle system needs no such chart.
        let (derived, recorded) = conditions::collect_all(cx, |cx| {
            let form = system.constrained_form(cx)?;
            let equations = form.equations_of_motion(cx)?;
            Ok((form, equations))
        });
        let (form, equations) = derived.map_err(at)?;
        if !equations.chart_free {
            conditions::record_all(cx, &recorded);
        }
        let law = Law::constrained(&system.manifold, &equations).with_bodies(cx, &self.clauses.bodies);
        let given = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
        let (completed, mut filled) = self.complete(cx, &form, &law, &given)?;
        let (surface, functions) = self.constraint_surface(cx, &law, &equations)?;
        let start = match surface.settle(&completed, &law.states) {
            Ok((start, more)) => {
                filled.retain(|(s, _)| more.iter().all(|(other, _)| other != s));
                filled.extend(more);
                start
            }
            // What was filled in may have been what did not fit.
            Err(_) => match surface.settle(&given, &law.states) {
                Ok((start, found)) => {
                    filled = found;
                    start
                }
                Err(off) => return Err(self.off_constraint(&form, &equations, &law, &given, &off)),
            },
        };
        let signature = self.signature(&law);
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let singular =
            start::is_singular_at(&law, &signature, &values, &start).map_err(|o| self.obstacle(&o, self.span))?;
        if singular {
            return Err(self.singular_start(cx, &form));
        }
        let surface = SurfaceLevel::by_order(&functions, &law.states);
        Ok(Determined { law, start, filled, surface })
    }

    /// Dependent jets that were left out, from the normal form of their level, the lowest first.
    fn complete(
        &self,
        cx: &Inquiry,
        form: &ConstrainedForm,
        law: &Law,
        given: &Start,
    ) -> Fallible<(Start, Vec<(Symbol, f64)>)> {
        let mut start = given.clone();
        let mut point: FxHashMap<Symbol, Expr> = law.states.iter().map(|s| (*s, Expr::zero())).collect();
        point.insert(law.time(), Expr::zero());
        point.extend(self.clauses.given().values.iter().map(|(s, value, _)| (*s, *value)));
        let mut filled = vec![];
        for (symbol, value) in form.structure().solved_jets() {
            let Some(i) = law.states.iter().position(|s| *s == symbol) else { continue };
            if start.given[i] {
                continue;
            }
            let value = substitute(law::with_bodies(cx, value, &self.clauses.bodies), &point);
            if value.as_undefined().is_some() {
                continue;
            }
            let Some(number) = self.numbers.number(cx, value).filter(|x| x.is_finite()) else { continue };
            start.state[i] = number;
            point.insert(symbol, value);
            if number != 0.0 {
                filled.push((symbol, number));
            }
        }
        Ok((start, filled))
    }

    fn constraint_surface(
        &self,
        cx: &Inquiry,
        law: &Law,
        equations: &ConstrainedEquations,
    ) -> Fallible<(Surface, Vec<Expr>)> {
        let bodies = &self.clauses.bodies;
        let functions: Vec<Expr> = equations.surface.iter().map(|e| law::with_bodies(cx, e.function, bodies)).collect();
        let signature = Signature { parameters: parameters_of(&functions), ..self.signature(law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let branch = Branch { equations: functions.clone(), nonzero: vec![] };
        let surface = Surface::new(cx, &branch, &[], &signature, &values).map_err(|o| self.obstacle(&o, self.span))?;
        Ok((surface, functions))
    }

    /// Which constraints, or derivatives of them, the state violates, and by how much.
    fn off_constraint(
        &self,
        form: &ConstrainedForm,
        equations: &ConstrainedEquations,
        law: &Law,
        start: &Start,
        off: &Off,
    ) -> Box<Diagnostic> {
        let mut refusal = off.diagnostic(law, start, self.clauses.given().span, self.span);
        for (function, residual) in &off.residuals {
            let Some(equation) = equations.surface.iter().find(|e| e.function == *function) else { continue };
            let Some(constraint) = equation.constraint else { continue };
            let what = match equation.derivative {
                0 => "this constraint".to_string(),
                1 => "its first derivative".to_string(),
                2 => "its second derivative".to_string(),
                n => format!("its derivative of order {n}"),
            };
            let span = form.structure().constraints()[constraint].span;
            refusal = refusal.label(span, format!("{what} has the residual {}", short(*residual)));
        }
        Box::new(refusal)
    }

    /// The state lies where the constraints lose rank, or the constrained system is singular.
    fn singular_start(&self, cx: &Inquiry, form: &ConstrainedForm) -> Box<Diagnostic> {
        if let Err(d) = form.motion(cx) {
            return Box::new(d.or_at(self.span, "of this system"));
        }
        Box::new(
            Diagnostic::error(&codes::NO_MOTION, "there is no determined motion from this state")
                .label(self.clauses.given().span, "this initial state")
                .label(self.span, "of this system")
                .note(
                    "there the constraints lose rank, or the constrained equations do not determine the accelerations",
                )
                .help("`reduced(S).locus` and `rank_condition(S).locus` say where"),
        )
    }
}
