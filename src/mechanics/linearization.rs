//! Constrained equations linearised at a state: the flow on the constraint, in coordinates of the constraint, without a chart and
//! without an inverse that contains more than the state does.
//!
//! The unknowns u = (q_n, μ) satisfy K(x) u = −a(x) at the states x of the surface g(x) = 0. At one state all of it is linear algebra
//! with numbers: with u₀ there, and a vector w tangent to the surface,
//!
//! ```text
//! K δu = −(δa + δK u₀),      δ = w^x ∂/∂x,      ∂g/∂x w = 0.
//! ```
//!
//! Coordinates of the surface are those states that the equations ∂g/∂x w = 0 leave free. What the energy says there is
//! [`extremum`](super::stability::extremum).

use super::constrained_form::ConstrainedEquations;
use super::state::State;
use super::{Answered, exhausted, jet, tidy, undecided, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::FiberedManifold;

/// The linear equations ẇ = A w on the constraint.
#[derive(Clone, Debug)]
pub struct Linearized {
    /// States that are coordinates of the constraint near the point.
    pub coordinates: Vec<Symbol>,
    pub matrix: Matrix,
    /// How fast they move at the point.
    pub speeds: Vec<Expr>,
    /// All states, dependent ones too.
    pub states: Vec<Symbol>,
}

/// The equations at a point that gives every jet a value, or where what is open satisfies equations. States in `dependent` are made dependent if they can be.
pub fn linearized(
    cx: &Inquiry,
    y: &FiberedManifold,
    equations: &ConstrainedEquations,
    dependent: &[Symbol],
    state: &State,
) -> Answered<Linearized> {
    let (m, n) = (y.n_coordinates(), equations.order);
    let states: Vec<Symbol> =
        (0..n).flat_map(|k| (0..m).map(move |sigma| (sigma, k))).map(|(s, k)| jet(y, s, k)).collect();
    let at = |e: Expr| state.at(cx, e);
    let surface: Vec<Expr> = equations.surface.iter().map(|e| e.function).collect();
    for g in &surface {
        let residual = at(*g);
        match vanishes(cx, residual) {
            Verdict::Yes(_) => {}
            Verdict::No(_) => {
                let refusal = Diagnostic::error(&codes::OFF_CONSTRAINT, "this point does not lie on the constraint")
                    .note(format!("{g} = 0 is violated: the left side is {residual}"));
                let open: Vec<String> =
                    states.iter().filter(|s| residual.contains(**s)).map(|s| s.to_string()).collect();
                return Err(Box::new(match open.is_empty() {
                    true => refusal,
                    false => refusal.help(format!("give a value for {}, too", open.join(", "))),
                }));
            }
            Verdict::Unknown(why) => return Err(undecided("the point lies on the constraint", why.to_string())),
        }
    }
    // Dependent states come first, so that elimination finds its pivots among them.
    let (first, rest): (Vec<Symbol>, Vec<Symbol>) = states.iter().partition(|s| dependent.contains(s));
    let order: Vec<Symbol> = [first, rest].concat();
    let slopes: Vec<Vec<Expr>> =
        surface.iter().map(|g| order.iter().map(|x| at(partial(cx, *g, *x))).collect()).collect();
    let normals = Matrix::with_columns(slopes, order.len());
    let kernel = normals.solve(cx, &vec![Expr::zero(); surface.len()]).map_err(exhausted)?;
    let mut columns: Vec<(Symbol, &Vec<Expr>)> =
        kernel.free.iter().map(|j| order[*j]).zip(&kernel.null_space).collect();
    columns.sort_by_key(|(s, _)| states.iter().position(|x| x == s));
    let coordinates: Vec<Symbol> = columns.iter().map(|(s, _)| *s).collect();
    let place = |x: Symbol| order.iter().position(|s| *s == x);
    let tangent = Matrix::from_fn(states.len(), columns.len(), |i, c| {
        place(states[i]).map_or_else(Expr::zero, |j| columns[c].1[j])
    });
    let k = Matrix::from_rows(equations.b.clone()).map(at);
    let right: Vec<Expr> = equations.a.iter().map(|e| -at(*e)).collect();
    let solve = |right: &[Expr]| -> Answered<Vec<Expr>> {
        let found = k.solve(cx, right).map_err(exhausted)?;
        match found.free.is_empty() && found.residuals.is_empty() {
            true => Ok(found.particular.into_iter().map(|e| tidy(cx, e)).collect()),
            false => Err(Box::new(Diagnostic::error(&codes::DEGENERATE, "the system is singular at this point").note(
                "there the constraints lose rank, or the constrained equations do not determine the accelerations",
            ))),
        }
    };
    let u = solve(&right)?;
    // ∂/∂x of row · u₀ + a, with u₀ held.
    let slope = |i: usize, x: Symbol| {
        let terms = equations.b[i].iter().zip(&u).map(|(b, u)| partial(cx, *b, x) * *u);
        at(Expr::add_all(terms.chain([partial(cx, equations.a[i], x)])))
    };
    let slopes = Matrix::from_fn(equations.a.len(), states.len(), |i, x| slope(i, states[x]));
    let moved = slopes.mul(&tangent);
    let mut changes = vec![];
    for c in 0..coordinates.len() {
        let right: Vec<Expr> = moved.column(c).into_iter().map(|e| tidy(cx, -e)).collect();
        changes.push(solve(&right)?);
    }
    // dq_k/dt = q_{k+1}, and the highest are unknowns.
    let above = |x: Symbol| {
        let (q, k) = x.as_jet()?;
        let sigma = y.fibres().iter().position(|f| f.coordinate == q)?;
        Some((sigma, if k + 1 < n { states.iter().position(|s| *s == q.jet(k + 1)) } else { None }))
    };
    let row = |x: &Symbol, c: usize| match above(*x) {
        Some((_, Some(next))) => tangent[(next, c)],
        Some((sigma, None)) => changes[c][sigma],
        None => Expr::zero(),
    };
    let speed = |x: &Symbol| match above(*x) {
        Some((_, Some(next))) => at(Expr::symbol(states[next])),
        Some((sigma, None)) => u[sigma],
        None => Expr::zero(),
    };
    let matrix = Matrix::from_fn(coordinates.len(), coordinates.len(), |i, c| at(row(&coordinates[i], c)));
    let speeds = coordinates.iter().map(speed).collect();
    Ok(Linearized { coordinates, matrix, speeds, states })
}
