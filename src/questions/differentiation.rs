//! The differentiation index of a system: how often its equations must be differentiated before they say how every value of a
//! state moves, multipliers included, and which equations between these values come to light on the way.
//!
//! | system | how it is found |
//! |---|---|
//! | regular under Chetaev's constraints, by a point or by det B′ | by orders |
//! | singular, or with reactions or forms of its own | by the array of derivatives on the set on which it moves |

use super::constrained::{Subject, no_motion, tested};
use super::pairs::{OwnEquations, own_motions};
use super::{Arguments, Question};
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{JetSpace, jet_order};
use crate::mechanics::constrained_dynamics::constrained_dynamics;
use crate::mechanics::constrained_form::saddle;
use crate::mechanics::{differentiation_index, regular};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::set::Branch;
use crate::model::value::{Answer, Fallible, Value};

pub static ROWS: &[Question] = &[Question {
    name: "index",
    parameters: &[one("S", SYSTEM)],
    help: "the differentiation index of the equations with multipliers, and the constraints that hide in them",
    options: &[],
    gives: Gives::Kinds(INTEGER),
    parts: &[
        part(
            "levels",
            LIST,
            "equations between the values of a state, by the number of differentiations that show them",
        ),
        part("hidden", LIST, "those that do not stand in the equations"),
    ],
    run: index,
}];

/// How often the equations with multipliers must be differentiated.
fn index(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let system = a.system(0)?;
    let answer = |index: u32, levels: Vec<Vec<Expr>>| {
        let hidden: Vec<Expr> = levels.iter().skip(1).flatten().copied().collect();
        Value::from(
            Answer::new("index")
                .main(Value::count(index as usize))
                .part("levels", Value::list(levels.into_iter().map(Value::exprs)))
                .part("hidden", Value::exprs(hidden))
                .on(&system.manifold),
        )
    };
    if let Some(own) = OwnEquations::read(cx, &system)? {
        return own_index(a, &system, &own, answer);
    }
    if system.constraints.is_empty() {
        let form = system.dynamical_form(cx)?;
        if regular::is_generically_regular(cx, &form).is_yes() {
            return Ok(answer(0, vec![]));
        }
        return singular_free_index(a, &system, answer);
    }
    tested(a, &system)?;
    if let Some(q) = system.uncharted_structure(cx)?.filter(|q| q.redundant().is_empty())
        && let Some(equations) = saddle(cx, &*system.dynamical_form(cx)?, &q)
        && let Some(found) = differentiation_index::by_a_point(cx, &q, &equations)?
    {
        return Ok(answer(found.index, found.levels));
    }
    let s = Subject::read(a)?;
    if s.form.is_determined(cx).is_yes() {
        let found = differentiation_index::of_regular(cx, &s.form);
        return Ok(answer(found.index, found.levels));
    }
    let found = constrained_dynamics(cx, &s.form)?;
    let q = s.q();
    let lambda: Vec<Coordinate> =
        (1..=q.n_constraints()).map(|i| Coordinate::declare(&format!("lambda_{i}"), false)).collect();
    let sides = s.form.form().components();
    let push = |sigma: usize| {
        Expr::add_all(lambda.iter().enumerate().map(|(i, l)| Expr::symbol(l.jet(0)) * q.chetaev()[(i, sigma)]))
    };
    let balance = (0..sides.len()).map(|sigma| sides[sigma] + push(sigma));
    let constraints = q.constraints().iter().map(|c| c.function);
    let equations: Vec<Expr> = balance.chain(constraints).collect();
    let motions = found.branches.iter().map(|b| {
        let all = b.accelerations.iter().map(|(_, e)| *e).collect::<Option<Vec<Expr>>>();
        (b.branch.clone(), all, b.multipliers.iter().copied().collect::<Option<Vec<Expr>>>())
    });
    let motions: Vec<_> = motions.collect();
    let (nu, branch) = index_on_branches(a, &found.space, &equations, &lambda, &motions)?;
    Ok(answer(nu, vec![q.constraints().iter().map(|c| c.function).collect(), branch.equations]))
}

/// The index of a system with reactions or forms of its own, by the array of derivatives.
fn own_index(
    a: &Arguments,
    system: &System,
    own: &OwnEquations,
    answer: impl Fn(u32, Vec<Vec<Expr>>) -> Value,
) -> Fallible<Value> {
    let cx = &a.cx;
    let found = own_motions(cx, system)?;
    let n_multipliers = found.iter().map(|b| b.multipliers.len()).max().unwrap_or(0);
    let named = |i: usize| Coordinate::declare(&format!("lambda_{i}"), false);
    let lambda: Vec<(Symbol, Coordinate)> = (1..=own.constraints.len())
        .map(|i| (Symbol::multiplier(i as u32), named(i)))
        .filter(|(s, _)| own.balance.iter().any(|e| e.contains(*s)))
        .collect();
    if lambda.len() != n_multipliers {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "a multiplier of this system does not occur in its equations")
                .label(a.positional[0].span, "so no number of differentiations gives it"),
        ));
    }
    let put = lambda.iter().map(|(s, l)| (*s, Expr::symbol(l.jet(0)))).collect();
    let balance = own.balance.iter().map(|e| substitute(*e, &put));
    let equations: Vec<Expr> = balance.chain(own.constraints.iter().copied()).collect();
    let lambda: Vec<Coordinate> = lambda.into_iter().map(|(_, l)| l).collect();
    let motions = found.into_iter().map(|b| {
        let accelerations = b.accelerations.into_iter().collect::<Option<Vec<Expr>>>();
        (b.branch, accelerations, b.multipliers.into_iter().collect::<Option<Vec<Expr>>>())
    });
    let motions: Vec<_> = motions.collect();
    let (nu, branch) = index_on_branches(a, &own.manifold.jets(1), &equations, &lambda, &motions)?;
    let shown: Vec<Expr> = own.constraints.iter().filter(|e| jet_order(cx, **e).order < 2).copied().collect();
    let hidden: Vec<Expr> = branch.equations.into_iter().filter(|e| !shown.contains(e)).collect();
    Ok(answer(nu, if hidden.is_empty() { vec![shown] } else { vec![shown, hidden] }))
}

/// Branches with their motion, where it is determined.
type Motions = [(Branch, Option<Vec<Expr>>, Option<Vec<Expr>>)];

fn singular_free_index(
    a: &Arguments,
    system: &System,
    answer: impl Fn(u32, Vec<Vec<Expr>>) -> Value,
) -> Fallible<Value> {
    let form = system.dynamical_form(&a.cx)?;
    let found = system.dynamics(&a.cx)?;
    let motions: Vec<_> = found
        .proper
        .branches
        .iter()
        .map(|b| (b.branch.clone(), b.accelerations.iter().map(|(_, e)| *e).collect(), Some(vec![])))
        .collect();
    let (nu, branch) = index_on_branches(a, &form.phase_space(), form.components(), &[], &motions)?;
    Ok(answer(nu, vec![vec![], branch.equations]))
}

/// The largest index on a branch, and that branch.
fn index_on_branches(
    a: &Arguments,
    space: &JetSpace,
    equations: &[Expr],
    lambda: &[Coordinate],
    motions: &Motions,
) -> Fallible<(u32, Branch)> {
    let at = |d: Diagnostic| Box::new(d.or_at(a.positional[0].span, "this system"));
    let mut largest: Option<(u32, Branch)> = None;
    for (branch, accelerations, multipliers) in motions {
        let (Some(accelerations), Some(multipliers)) = (accelerations, multipliers) else {
            return Err(at(Diagnostic::error(
                &codes::NOT_DETERMINED,
                "the motion or the reactions are not determined, so no number of differentiations gives them",
            )
            .help("`dynamics(S)` says what is free")));
        };
        let motion = differentiation_index::MotionOnSet { space, branch, accelerations, multipliers };
        let Some(nu) = differentiation_index::on_set(&a.cx, equations, lambda, &motion)? else {
            return Err(at(Diagnostic::error(&codes::UNDECIDED, "more differentiations are needed than are tried")));
        };
        if largest.as_ref().is_none_or(|(most, _)| nu > *most) {
            largest = Some((nu, branch.clone()));
        }
    }
    largest.ok_or_else(|| no_motion(a))
}
