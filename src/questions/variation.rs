//! Questions about variations of motions: the equations of a first variation, and the transition matrix of a run.
//!
//! `simulate variation(S) { from x = 1, delta(x) = 1; … }` runs both together; there nothing is solved symbolically
//! ([`Law::varied`](crate::motion::law::Law::varied)). Asked by itself, `variation(S)` shows the equations.

use super::motion::{Flow, flow};
use super::{Arguments, Question, mixed};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet;
use crate::mechanics::jacobi_field::{JacobiEquation, jacobi_equation};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::value::{Answer, Fallible, KeyPart, LabelledMatrix, Value};
use crate::motion::double::from_f64;
use crate::motion::variation::{transition_matrix, variations};

pub static ROWS: &[Question] = &[
    Question {
        name: "delta",
        parameters: &[one("x", COORDINATE), optional("i", INTEGER)],
        help: "the first variation of a coordinate of the phase space along a motion, in `simulate variation(S)`",
        options: &[],
        gives: Gives::Kinds(COORDINATE),
        parts: &[],
        run: delta,
    },
    Question {
        name: "variation",
        parameters: &[one("S", SYSTEM.or(FAMILY))],
        help: "the equations of motion together with those of the first variation `delta(x)`, by coordinate; `simulate variation(S)` runs them",
        options: &[],
        gives: Gives::Variation,
        parts: &[
            part("matrix", MATRIX, "∂X/∂x of the field of motion X: d(δx)/dt is this matrix times δx"),
            sometimes(
                "frame",
                MATRIX,
                "the same in the frame X_α, ∂/∂q^a, from the tensors: ∇²X̄ + Φ(X) = 0, ∇X̃ + Ψ(X̄) = 0",
            ),
            sometimes("verified", VERDICT, "that the two agree, computed"),
        ],
        run: variation,
    },
    Question {
        name: "transition",
        parameters: &[one("run", RUN)],
        help: "the derivatives of the last state of a run by its first, integrated along it; on a constraint, of displacements along it",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[],
        run: transition,
    },
];

fn delta(a: &Arguments) -> Fallible<Value> {
    let symbol = a.symbol(0)?;
    if !jet::is_coordinate(symbol) {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is not a coordinate, it is not varied"))
                .label(a.positional[0].span, "not a coordinate"),
        ));
    }
    let number = match a.positional.len() {
        1 => 1,
        _ => u32::try_from(a.integer(1)?).ok().filter(|n| *n > 0).ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "variations are counted from 1")
                    .label(a.positional[1].span, "no number of a variation"),
            )
        })?,
    };
    Ok(Value::Expr(Expr::symbol(Symbol::variation(symbol, number))))
}

/// Coordinates and right sides of first-order equations that were derived before: `hamilton(S)`.
fn derived(cx: &Inquiry, value: &Value) -> Fallible<Option<Flow>> {
    let Value::Answer(answer) = value else { return Ok(None) };
    let (Some(manifold), Some(family)) = (&answer.manifold, answer.family()) else { return Ok(None) };
    if !super::find(answer.question).is_some_and(|q| q.gives == Gives::Motion) {
        return Ok(None);
    }
    let (mut coordinates, mut components) = (vec![], vec![(manifold.base(), Expr::one())]);
    for (key, value) in &family.entries {
        let [KeyPart::Symbol(s)] = key.as_slice() else { return Ok(None) };
        coordinates.push(*s);
        components.push((*s, operate::as_expr(cx, value)?));
    }
    let field = crate::geometry::field::VectorField::new(components);
    Ok(Some(Flow { field, coordinates, dependent: vec![], nonzero: vec![], manifold: manifold.clone() }))
}

fn variation(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let derived = derived(cx, &a.value(0)?)?;
    let is_system = derived.is_none();
    let Flow { field, coordinates, nonzero, manifold, .. } = match derived {
        Some(found) => found,
        None => flow(a)?,
    };
    let matrix = Matrix::from_fn(coordinates.len(), coordinates.len(), |i, j| {
        super::systems::simple(cx, partial(cx, field.component(coordinates[i]), coordinates[j]))
    });
    let deltas = variations(&coordinates, 1);
    let varied: Vec<Expr> = deltas.iter().map(|s| Expr::symbol(*s)).collect();
    let rates = matrix.mul_vector(&varied);
    let own = coordinates.iter().map(|s| (*s, field.component(*s)));
    let both = own.chain(deltas.iter().copied().zip(rates)).map(|(s, e)| (s, Value::Expr(e)));
    let entries: Vec<(Symbol, Value)> = both.collect();
    let labelled = LabelledMatrix { matrix, rows: coordinates.clone(), columns: coordinates };
    let answer = Answer::new("variation").main(Value::family(entries)).part("matrix", labelled);
    let answer = match is_system.then(|| frame(a)) {
        Some(Ok((labels, equation))) => {
            let matrix = equation.matrix.clone();
            answer
                .part("frame", LabelledMatrix { matrix, rows: labels.clone(), columns: labels })
                .lazy("verified", move |cx: &Inquiry| Ok(Value::from(equation.agrees(cx))))
        }
        refused => {
            let why = refused.and_then(Result::err).unwrap_or_else(|| {
                Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "these equations are not those of a mixed system"))
            });
            let again = why.clone();
            answer.lazy("frame", move |_| Err(why.clone())).lazy("verified", move |_| Err(again.clone()))
        }
    };
    Ok(Value::from(answer.on(&manifold).valid_where(nonzero)))
}

/// The equation of Jacobi fields by the tensors, and the coordinates of its frame.
fn frame(a: &Arguments) -> Fallible<(Vec<Symbol>, JacobiEquation)> {
    let (_, curvature) = mixed::curvature_of(&a.cx, a)?;
    let labels = curvature.connection().system().chart().symbols()[1..].to_vec();
    Ok((labels, jacobi_equation(&a.cx, &curvature)))
}

fn transition(a: &Arguments) -> Fallible<Value> {
    let Value::Run(run) = a.value(0)?.main() else {
        return Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a run is needed here")));
    };
    let found = transition_matrix(&a.cx, &run).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this run")))?;
    let no_number = || Box::new(Diagnostic::error(&codes::NO_MOTION, "the variation grows beyond all numbers"));
    let entry = |x: &f64| from_f64(*x).map(Expr::number).ok_or_else(no_number);
    let row = |row: &Vec<f64>| row.iter().map(entry).collect::<Fallible<Vec<Expr>>>();
    let rows = found.iter().map(row).collect::<Fallible<Vec<_>>>()?;
    let matrix = Matrix::with_columns(rows, run.states.len());
    Ok(Value::from(LabelledMatrix { matrix, rows: run.states.clone(), columns: run.states.clone() }))
}
