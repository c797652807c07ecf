//! The first variation of a motion: how far a neighbouring motion is away, to first order.
//!
//! ```text
//! explicit      dx/dt = f(t, x)              dδx/dt = (∂f/∂x) δx
//! implicit      B y = −A,  y = q_s, μ        B δy = −(δA + δB y)          δ = Σ δx ∂/∂x, y held fixed
//! on a set      g(t, x) = 0                  δg = (∂g/∂x) δx = 0
//! ```
//!
//! Nothing is inverted: the second linear system has the matrix of the first and its solution on the right side, and
//! both are factorised in the compiled code, whatever the number of variations. In the frame of a mixed system the same
//! equation is that of Jacobi fields, ∇²X̄ + Φ(X) = 0 and ∇X̃ + Ψ(X̄) = 0
//! ([`jacobi_field`](crate::mechanics::jacobi_field)).
//!
//! Whoever needs derivatives of a motion by its initial state takes them from here: variations along a run, the transition
//! matrix, exponents, sensitivities.

use super::cache::SurfaceLevel;
use super::law::{Derivatives, Law};
use super::run::Run;
use super::start::Surface;
use crate::algebra::derive::partial;
use crate::algebra::expr::post_order;
use crate::algebra::function::Smoothness;
use crate::algebra::stratum::Branch;
use crate::algebra::{Expr, Inquiry, Node, Symbol};
use crate::codegen::lower::{Obstacle, Signature, Stage};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::geometry::axis::Axis;
use crate::geometry::field::{Derivation, VectorField};
use crate::integrate::control::StopReason;
use crate::integrate::problem::{InitialValueProblem, Motion, MotionSpec, Recording};
use crate::integrate::surface::Level;
use crate::integrate::trajectory::Trajectory;
use std::rc::Rc;

/// δ_number x for each of the states.
pub fn variations(states: &[Symbol], number: u32) -> Vec<Symbol> {
    states.iter().map(|s| Symbol::variation(*s, number)).collect()
}

/// What a variation moves besides the state: a parameter by 1, or nothing.
pub type With = Option<Symbol>;

/// δ = Σ δx ∂/∂x, and ∂/∂p for a parameter p that moves too; time is not varied.
pub struct Delta {
    along: Derivation,
    /// What is no coordinate: parameters and multipliers.
    others: Vec<(Symbol, Expr)>,
}

impl Delta {
    pub fn new(moving: &[Symbol], number: u32, with: With) -> Delta {
        let moved = moving.iter().copied().zip(variations(moving, number).into_iter().map(Expr::symbol));
        let moved = moved.chain(with.map(|p| (p, Expr::one())));
        let (coordinates, others): (Vec<_>, Vec<_>) = moved.partition(|(s, _)| Axis::of(*s).is_some());
        Delta { along: VectorField::new(coordinates).derivation(), others }
    }

    pub fn apply(&self, cx: &Inquiry, e: Expr) -> Expr {
        let others = self.others.iter().map(|(s, moved)| partial(cx, e, *s) * *moved);
        self.along.apply(cx, e) + Expr::add_all(others)
    }
}

impl SurfaceLevel {
    /// The equations of the set on which the variations lie, the differential of each equation, for each variation.
    pub fn varied(&self, cx: &Inquiry, states: &[Symbol], count: u32) -> Vec<SurfaceLevel> {
        let of = |number: u32| {
            let delta = Delta::new(states, number, None);
            let equations = self.equations.iter().map(|g| delta.apply(cx, *g)).collect();
            SurfaceLevel { equations, states: variations(&self.states, number) }
        };
        (1..=count).map(of).collect()
    }
}

impl Law {
    /// The law of a state together with `count` variations of it: δ₁x, …, δ₂x, … after x.
    pub fn varied(&self, cx: &Inquiry, count: u32) -> Law {
        self.varied_with(cx, &vec![None; count as usize])
    }

    /// The same, where each variation may move a parameter.
    pub fn varied_with(&self, cx: &Inquiry, with: &[With]) -> Law {
        let own = &self.states;
        let count = with.len() as u32;
        let states: Vec<Symbol> = own.iter().copied().chain((1..=count).flat_map(|i| variations(own, i))).collect();
        let deltas: Vec<Delta> = (1..).zip(with).map(|(i, with)| Delta::new(own, i, *with)).collect();
        let with_variations = |list: &[Expr]| -> Vec<Expr> {
            let varied = deltas.iter().flat_map(|delta| list.iter().map(|e| delta.apply(cx, *e)));
            list.iter().copied().chain(varied).collect()
        };
        let derivatives = match &self.derivatives {
            Derivatives::Explicit(right) => Derivatives::Explicit(with_variations(right)),
            Derivatives::Implicit { chain, a, b, symmetric, highest } => {
                let product = |row: &[Expr]| Expr::add_all(row.iter().zip(highest).map(|(e, y)| *e * Expr::symbol(*y)));
                let equations: Vec<Expr> = a.iter().zip(b).map(|(a, row)| *a + product(row)).collect();
                let first = Stage { unknowns: highest.clone(), b: b.clone(), a: a.clone(), symmetric: *symmetric };
                let second = Stage {
                    unknowns: (1..=count).flat_map(|i| variations(highest, i)).collect(),
                    a: deltas.iter().flat_map(|delta| equations.iter().map(|e| delta.apply(cx, *e))).collect(),
                    ..first.clone()
                };
                let solved = own.len() - chain.len();
                let right = |delta: Option<(u32, &Delta)>| -> Vec<Expr> {
                    let (chain, top) = match delta {
                        None => (chain.clone(), highest.clone()),
                        Some((i, delta)) => {
                            (chain.iter().map(|e| delta.apply(cx, *e)).collect(), variations(highest, i))
                        }
                    };
                    chain.into_iter().chain(top.into_iter().take(solved).map(Expr::symbol)).collect()
                };
                let varied = deltas.iter().zip(1..).flat_map(|(delta, i)| right(Some((i, delta))));
                let right = right(None).into_iter().chain(varied).collect();
                Derivatives::Staged { of: Rc::new(self.clone()), count, stages: vec![first, second], right }
            }
            // A variation of variations has names of its own only once.
            Derivatives::Staged { of, .. } => return of.varied_with(cx, with),
        };
        Law { states, derivatives, ..self.clone() }
    }
}

/// Refuses a law that jumps where a state passes some value: there the variation jumps as well, which its equations do not say. Jumps at given
/// times are no obstacle.
pub fn without_jumps(law: &Law) -> Fallible<()> {
    let of_states = |e: &Expr| law.states.iter().any(|s| e.contains(*s));
    let jumps = |e: &Expr| match e.node() {
        Node::Apply(function, _) => function.row().smoothness == Smoothness::Jumps,
        Node::Piecewise { .. } => true,
        _ => false,
    };
    match post_order(&law.expressions()).into_iter().find(|e| jumps(e) && of_states(e)) {
        None => Ok(()),
        Some(e) => Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "this motion may jump, and its variation would jump with it")
                .note(format!("its equations contain {e}"))
                .help("replace it by something smooth, such as tanh(x/c), or compare neighbouring runs"),
        )),
    }
}

/// The motion of a run together with variations of its state, kept on the set of the run with them.
pub fn varied_motion(cx: &Inquiry, run: &Run, with: &[With]) -> Fallible<Motion> {
    if let Derivatives::Staged { .. } = &run.law.derivatives {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "this is a run of a variation already")
                .help("ask about a run of the system itself"),
        ));
    }
    without_jumps(&run.law)?;
    let law = run.law.varied_with(cx, with);
    let signature = Signature { states: law.states.clone(), ..run.signature(&run.tables) };
    let motion = Motion::new(MotionSpec::field(law.field(&signature).map_err(obstacle)?), run.motion.options());
    let varied = run.surface.iter().flat_map(|level| level.varied(cx, &run.states, with.len() as u32));
    let levels: Vec<SurfaceLevel> = run.surface.iter().cloned().chain(varied).collect();
    let lowered: Vec<Level> =
        levels.iter().map(|level| level.lower(cx, &signature)).collect::<Result<_, _>>().map_err(obstacle)?;
    Ok(if lowered.is_empty() { motion } else { motion.on_surface(&lowered) })
}

/// The problem of a run for its state with some variations of it, of which only the ends are kept.
pub fn varied_problem(run: &Run, variations: &[Vec<f64>]) -> InitialValueProblem {
    let state: Vec<f64> = run.problem.state.iter().chain(variations.iter().flatten()).copied().collect();
    let mut tolerance = run.problem.tolerance.clone();
    if !tolerance.scales.is_empty() {
        tolerance.scales.resize(state.len(), 1.0);
    }
    let end = run.trajectory.end;
    InitialValueProblem { state, end, tolerance, recording: Recording::Ends, dense: false, ..run.problem.clone() }
}

/// The unit displacements of the first state of a run, of each what it has along the set of the run.
pub fn displacements(cx: &Inquiry, run: &Run) -> Fallible<Vec<Vec<f64>>> {
    let n = run.states.len();
    let units = (0..n).map(|j| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>());
    if run.surface.is_empty() {
        return Ok(units.collect());
    }
    let equations = run.surface.iter().flat_map(|level| level.equations.iter().copied()).collect();
    let branch = Branch { equations, nonzero: vec![] };
    let signature = run.signature(&run.tables);
    let surface = Surface::new(cx, &branch, &[], &signature, &run.problem.parameters).map_err(obstacle)?;
    let along = |unit: Vec<f64>| {
        surface.tangent(run.problem.start, &run.problem.state, &unit).ok_or_else(|| {
            Box::new(Diagnostic::error(&codes::DEGENERATE, "the constraints lose rank at the first state"))
        })
    };
    units.map(along).collect()
}

pub fn obstacle(o: Obstacle) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::MISSING_PARAMETER, format!("the variation cannot be computed: {o}")))
}

/// A motion with its variations, to the end of the problem.
pub fn followed(cx: &Inquiry, motion: &Motion, problem: &InitialValueProblem) -> Fallible<Trajectory> {
    let found = crate::integrate::run(cx, motion, problem)
        .map_err(|bad| Box::new(Diagnostic::error(&codes::NO_MOTION, bad.to_string())))?;
    if found.reason.is_complete() {
        return Ok(found);
    }
    if found.reason == StopReason::Interrupted {
        crate::budget::clear_interrupt();
    }
    let refusal = Diagnostic::error(&codes::NO_MOTION, "the variations could not be followed to the end of the run");
    Err(Box::new(refusal.note(found.reason.to_string())))
}

/// The derivatives of the last state of a run by its first, row by row. On a set they are applied to what a displacement has along
/// the set.
pub fn transition_matrix(cx: &Inquiry, run: &Run) -> Fallible<Vec<Vec<f64>>> {
    let n = run.states.len();
    let motion = varied_motion(cx, run, &vec![None; n])?;
    let problem = varied_problem(run, &displacements(cx, run)?);
    let found = followed(cx, &motion, &problem)?;
    let last = found.last();
    Ok((0..n).map(|i| (0..n).map(|j| last[n * (1 + j) + i]).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;
    use crate::algebra::function::Elementary;
    use crate::codegen::interpret;
    use crate::codegen::lower::Signature;
    use crate::geometry::jet::FiberedManifold;
    use crate::mechanics::lagrangian::Lagrangian;

    /// L = (1 + x²) x′²/2 + cos x: (1 + x²) x″ = −x x′² − sin x. By hand, with w = 1 + x² and N = −x x′² − sin x,
    /// δx″ = [(−x′² − cos x)/w − 2xN/w²] δx − 2x x′/w δx′. The equations are not solved for x″, and say the same.
    #[test]
    fn a_law_that_is_not_solved_has_the_variation_of_the_solved_one() {
        let cx = &Inquiry::free();
        let x = Coordinate::declare("x", false);
        let y = FiberedManifold::new("Q", Symbol::base("t"), &[x]);
        let (q, v) = (Expr::symbol(x.jet(0)), Expr::symbol(x.jet(1)));
        let l = (Expr::one() + q.pow(2)) * v.pow(2) / 2 + Expr::apply(Elementary::Cos, &[q]);
        let form = Rc::new(Lagrangian::new(cx, &y, l).unwrap().dynamical_form(cx).unwrap());
        let law = Law::of_equations(cx, &form).varied(cx, 2);
        assert_eq!(
            law.states.iter().map(|s| s.name()).collect::<Vec<_>>()[2..],
            ["delta(x)", "delta(x')", "delta(x, 2)", "delta(x', 2)"]
        );
        let signature = Signature { time: Some(law.time()), states: law.states.clone(), ..Signature::default() };
        let kernel = law.field(&signature).unwrap();
        let (q, v) = (0.4f64, 0.9f64);
        let (w, n) = (1.0 + q * q, -q * v * v - q.sin());
        let slope = |dq: f64, dv: f64| ((-v * v - q.cos()) / w - 2.0 * q * n / (w * w)) * dq - 2.0 * q * v / w * dv;
        let state = [q, v, 1.0, 0.5, -0.3, 2.0];
        let expected = [v, n / w, 0.5, slope(1.0, 0.5), 2.0, slope(-0.3, 2.0)];
        let mut out = [0.0; 6];
        interpret::evaluate(&kernel, [&[0.0], &state, &[], &[]], &mut out).unwrap();
        for (found, expected) in out.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} and {expected}");
        }
    }
}
