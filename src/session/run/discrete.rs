//! Runs by variational methods and on the rotation group: the Lagrangian, the forces and the constraints from which their
//! equations are made, and the systems that have none.

use super::{Context, Determined, Subject, SubjectKind};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;
use crate::integrate::method::Family;
use crate::mechanics::lagrangian::Lagrangian;
use crate::model::value::Fallible;
use crate::motion::discrete::ActionLaw;
use crate::motion::group::GroupLaw;
use crate::motion::law;
use crate::questions::constrained_motion::has_own_reactions;

const ANY_FIELD: &str = "`dop853` takes every system that has a vector field";

impl Context<'_> {
    /// What a variational method is made of; refused where there is no Lagrangian, or one without momenta for its velocities.
    pub(super) fn action(&self, cx: &Inquiry, subject: &Subject, found: &Determined) -> Fallible<Option<ActionLaw>> {
        let Family::Variational = self.clauses.method.row().family else { return Ok(None) };
        let (lagrangian, forces) = self.lagrangian(cx, subject, found)?;
        let manifold = &found.law.manifold;
        let m = manifold.n_coordinates();
        let rank = rank_in_velocities(cx, manifold, lagrangian)?;
        let free = found.constraints.holonomic.is_empty() && found.constraints.nonholonomic.is_empty();
        if free && rank < m {
            let remedy = match rank {
                0 => "its equations are of first order; `midpoint` and `gauss(4)` are symplectic for them",
                _ => ANY_FIELD,
            };
            return Err(Box::new(self.misfit("a degenerate Lagrangian".into(), remedy).note(format!(
                "the matrix of its second derivatives in the velocities has rank {rank} of {m}: momenta do not determine velocities"
            ))));
        }
        if free && !found.surface.is_empty() {
            let why = "it moves on a set that is not given by holonomic or nonholonomic constraints";
            return Err(Box::new(self.misfit(why.into(), ANY_FIELD)));
        }
        let made = ActionLaw::new(cx, manifold, lagrangian, &forces, &found.constraints);
        made.map(Some).map_err(|d| Box::new(d.or_at(self.span, "this system")))
    }

    /// What a method on the rotation group is made of; refused where no coordinates are unit quaternions.
    pub(super) fn group(&self, cx: &Inquiry, subject: &Subject, found: &Determined) -> Fallible<Option<GroupLaw>> {
        let family = self.clauses.method.row().family;
        let (Family::LieVariational | Family::LieGauss) = family else { return Ok(None) };
        let manifold = &found.law.manifold;
        let (mut law, others) = GroupLaw::new(cx, manifold, &found.constraints);
        let two_orders = found.law.states.len() == 2 * manifold.n_coordinates();
        if law.group.quaternions.is_empty() || !two_orders || subject.variations > 0 {
            return Err(Box::new(
                self.misfit("no coordinates of it are a quaternion of length 1".into(), ANY_FIELD).note(
                    "a system of second order under a constraint such as `w^2 + x^2 + y^2 + z^2 = 1` moves on the rotation group",
                ),
            ));
        }
        if let Family::LieVariational = family {
            if let Some(other) = others.first() {
                let remedy = "`lie_gauss` takes them, and `variational` treats all constraints alike";
                return Err(Box::new(
                    self.misfit("it has other constraints than the lengths of quaternions".into(), remedy)
                        .note(format!("{other} = 0 is one")),
                ));
            }
            let (lagrangian, forces) = self.lagrangian(cx, subject, found)?;
            if let Some(high) = lagrangian.symbols().into_iter().find(|s| s.as_jet().is_some_and(|(_, k)| k > 1)) {
                return Err(Box::new(self.misfit(format!("its Lagrangian contains {high}"), ANY_FIELD)));
            }
            law.outputs.push(lagrangian);
            if forces.iter().any(|f| !f.is_zero()) {
                law.outputs.extend(forces);
            }
        }
        Ok(Some(law))
    }

    /// A method with a fixed step that is symplectic, or made for it, on a system that is not separable.
    pub(super) fn symplectic_remedy(&self, cx: &Inquiry, subject: &Subject) -> &'static str {
        let is_degenerate = |l: &Lagrangian| {
            let rank = rank_in_velocities(cx, &subject.manifold, l.function());
            rank.is_ok_and(|rank| rank < subject.manifold.n_coordinates())
        };
        match &subject.kind {
            SubjectKind::System(system) => match (system.free_lagrangian(), system.constraints.is_empty()) {
                (Some(l), true) if l.order() <= 1 && is_degenerate(l) => {
                    "`gauss(4)` takes it with the same step; `dop853` chooses its steps"
                }
                (Some(l), true) if l.order() <= 1 && !system.forces.is_empty() => {
                    "`variational(galerkin, 4)` takes it with the same step; `dop853` chooses its steps"
                }
                (Some(l), true) if l.order() <= 1 => {
                    "`variational(galerkin, 4)` takes it with the same step, and is symplectic; `dop853` chooses its steps"
                }
                (Some(l), false) if l.order() <= 1 => {
                    "`variational` takes it with the same step and keeps its constraints; `dop853` chooses its steps"
                }
                _ => "`gauss(4)` takes it with the same step; `dop853` chooses its steps",
            },
            SubjectKind::Canonical(..) => {
                "`gauss(4)` takes it with the same step, and is symplectic; `dop853` chooses its steps"
            }
            SubjectKind::Explicit(_) | SubjectKind::Reduced(..) => {
                "`gauss(4)` takes it with the same step; `dop853` chooses its steps"
            }
        }
    }

    /// The refusal, with what takes the system instead.
    fn misfit(&self, why: String, remedy: &str) -> Diagnostic {
        Diagnostic::error(&codes::METHOD_MISFIT, format!("`{}` does not fit this system", self.clauses.method))
            .label(self.span, why)
            .help(remedy)
    }

    /// The Lagrangian of a system without its constraints, and a force for each coordinate, with the bodies of this run.
    fn lagrangian(&self, cx: &Inquiry, subject: &Subject, found: &Determined) -> Fallible<(Expr, Vec<Expr>)> {
        let lagrangian = match &subject.kind {
            _ if subject.variations > 0 => {
                return Err(Box::new(self.misfit("a variation has no Lagrangian of its own here".into(), ANY_FIELD)));
            }
            SubjectKind::System(system) => system.free_lagrangian().map(|l| (system, l)),
            _ => None,
        };
        let Some((system, lagrangian)) = lagrangian else {
            return Err(Box::new(self.misfit("not given by a Lagrangian".into(), self.symplectic_remedy(cx, subject))));
        };
        let equations = system.constraints.iter().flat_map(|c| &c.equations).map(|(e, _)| *e);
        let of_accelerations = |e: &Expr| e.symbols().iter().any(|s| s.as_jet().is_some_and(|(_, order)| order > 1));
        if let Some(e) = equations.into_iter().find(of_accelerations) {
            let why = "it has a constraint on accelerations, which acts between the ends of no step";
            let remedy = "`gauss(4)` takes constraints of every order";
            return Err(Box::new(self.misfit(why.into(), remedy).note(format!("{e} = 0 is one"))));
        }
        if has_own_reactions(system) {
            return Err(Box::new(
                self.misfit(
                    "the reactions of its constraints are given".into(),
                    "`gauss(4)` takes reactions of every kind",
                )
                .note("the discrete principle has those that constraints exert without them"),
            ));
        }
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        let force = |i: usize| put(Expr::add_all(system.forces.iter().map(|f| f.components[i]).collect::<Vec<_>>()));
        let forces = (0..found.law.manifold.n_coordinates()).map(force).collect();
        Ok((put(lagrangian.function()), forces))
    }
}

/// The rank of the second derivatives of a Lagrangian in the velocities.
fn rank_in_velocities(cx: &Inquiry, manifold: &FiberedManifold, lagrangian: Expr) -> Fallible<usize> {
    let velocities: Vec<Symbol> = manifold.fibres().iter().map(|f| f.coordinate.jet(1)).collect();
    let second = |i: usize, j: usize| partial(cx, partial(cx, lagrangian, velocities[i]), velocities[j]);
    Ok(Matrix::from_fn(velocities.len(), velocities.len(), second).rank(cx)?.value)
}
