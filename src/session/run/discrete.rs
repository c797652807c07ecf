//! Runs by variational methods: the Lagrangian, the forces and the constraints from which the discrete equations are made, and
//! the systems that have none.

use super::{Context, Determined, Subject, SubjectKind};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::method::Family;
use crate::model::value::Fallible;
use crate::motion::discrete::ActionLaw;
use crate::motion::law;

impl Context<'_> {
    /// What a variational method is made of; refused where there is no Lagrangian, or one without momenta for its velocities.
    pub(super) fn action(&self, cx: &Inquiry, subject: &Subject, found: &Determined) -> Fallible<Option<ActionLaw>> {
        let Family::Variational = self.clauses.method.row().family else { return Ok(None) };
        let refuse = |why: String| {
            Diagnostic::error(&codes::METHOD_MISFIT, format!("`{}` does not fit this system", self.clauses.method))
                .label(self.span, why)
                .help("`dop853` takes every system that has a vector field")
        };
        let lagrangian = match &subject.kind {
            _ if subject.variations > 0 => {
                return Err(Box::new(refuse("a variation has no Lagrangian of its own here".into())));
            }
            SubjectKind::System(system) => system.free_lagrangian().map(|l| (system, l)),
            _ => None,
        };
        let Some((system, lagrangian)) = lagrangian else {
            return Err(Box::new(refuse("not given by a Lagrangian".into())));
        };
        let manifold = &found.law.manifold;
        let velocities: Vec<Symbol> = manifold.fibres().iter().map(|f| f.coordinate.jet(1)).collect();
        let m = velocities.len();
        let second = |i: usize, j: usize| partial(cx, partial(cx, lagrangian.function(), velocities[i]), velocities[j]);
        let rank = Matrix::from_fn(m, m, second).rank(cx)?.value;
        if system.constraints.is_empty() && rank < m {
            let refused = refuse("a degenerate Lagrangian".into()).note(format!(
                "the matrix of its second derivatives in the velocities has rank {rank} of {m}: momenta do not determine velocities"
            ));
            let linear = rank == 0;
            return Err(Box::new(match linear {
                true => {
                    refused.help("its equations are of first order; `midpoint` and `gauss(4)` are symplectic for them")
                }
                false => refused,
            }));
        }
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        let forces: Vec<Expr> = (0..m)
            .map(|i| put(Expr::add_all(system.forces.iter().map(|f| f.components[i]).collect::<Vec<_>>())))
            .collect();
        let made = ActionLaw::new(cx, manifold, put(lagrangian.function()), &forces, &found.constraints);
        made.map(Some).map_err(|d| Box::new(d.or_at(self.span, "this system")))
    }
}
