//! Tensors of type (1,1), written as matrices whose rows and columns are labelled by the same coordinates:
//! T[x, y] = dx(T(∂/∂y)). Mixed systems §0–§4.
//!
//! ```text
//! tensor(omega(x), @x')         S = ω ⊗ ∂/∂x′, the vertical endomorphism, in one coordinate
//! lie(Γ, S), nijenhuis(S), is_projector(P), i(ξ, T), T1*T2, T^2
//! ```

use super::distributions::home;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::Symbol;
use crate::algebra::linear::Matrix;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{Chart, FiberedManifold, JetSpace, Over};
use crate::geometry::{Tensor, VectorField};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::tensor::as_tensor;
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};

rows! {
    "tensor" [one("η", FORM), one("ξ", FIELD)]
        "the (1,1) tensor that sends a vector v to η(v)*ξ, as a matrix labelled by coordinates"
        => Gives::Kinds(MATRIX), &[], tensor;
    "identity" [one("J1(Y)", SPACE.or(MATRIX))]
        "the identity of the tangent spaces, as a labelled matrix; of a tensor, that with the same labels"
        => Gives::Kinds(MATRIX), &[], identity;
    "nijenhuis" [one("T", MATRIX)]
        "the Nijenhuis tensor of a (1,1) tensor: its 2-forms by coordinate, without a factor 1/2"
        => Gives::Kinds(FAMILY), &[part("zero", VERDICT, "whether it vanishes")], nijenhuis;
    "is_projector" [one("P", MATRIX)] "whether P*P = P"
        => Gives::Kinds(VERDICT), &[part("difference", MATRIX, "P*P - P")], is_projector;
}

pub fn tensor_value(tensor: &Tensor, chart: &Chart) -> Value {
    let labels = chart.symbols().to_vec();
    let matrix = Matrix::with_columns(tensor.matrix(chart), labels.len());
    Value::from(LabelledMatrix { matrix, rows: labels.clone(), columns: labels })
}

fn argument(a: &Arguments, i: usize) -> Fallible<(Tensor, Chart)> {
    let value = a.value(i)?.main();
    let found = match &value {
        Value::Matrix(m) => as_tensor(m),
        _ => None,
    };
    found.ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a (1,1) tensor is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&value)))
                .note("a (1,1) tensor is a square matrix with the same coordinates as rows and columns")
                .help("make one with `tensor(η, ξ)` or `identity(J1(Y))`"),
        )
    })
}

fn tensor(a: &Arguments) -> Fallible<Value> {
    if let (Value::Field(_), Value::Form(_)) = (a.value(0)?.main(), a.value(1)?.main()) {
        let text = |i: usize| crate::model::show::text(&a.cx, &a.positional[i].value);
        let turned = format!("tensor({}, {})", text(1), text(0));
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a tensor η ⊗ ξ is written with the form first")
                .label(a.positional[0].span, "a vector field")
                .label(a.positional[1].span, "a form")
                .repair(format!("the other way round: {turned}"), a.span, turned),
        ));
    }
    let (form, field) = (a.form(0)?, a.field(1)?);
    if form.degree() != 1 {
        let wrong = crate::geometry::Refusal::WrongDegree { expected: 1, found: form.degree() };
        return Err(Box::new(Diagnostic::from(wrong).or_at(a.positional[0].span, "this form")));
    }
    let manifold = match (form.manifold()?, field.manifold()?) {
        (Some(m), Some(n)) => {
            Some(m.join(&n).map_err(|r| Box::new(Diagnostic::from(r).or_at(a.positional[1].span, "this field")))?)
        }
        (m, n) => m.or(n),
    };
    let manifold = home(a, manifold)?;
    let tensor = Tensor::product(&form, &field);
    Ok(tensor_value(&tensor, &chart_of(&tensor, &manifold)))
}

/// The coordinates of the space on which a tensor lives. On a tower E → M that is the phase space of mixed systems, if
/// it is enough.
fn chart_of(tensor: &Tensor, manifold: &FiberedManifold) -> Chart {
    let symbols: Vec<Symbol> = tensor.symbols().into_iter().filter(|s| !s.is_parameter()).collect();
    let mixed = manifold.mixed_phase_space();
    if matches!(manifold.over(), Over::Manifold(_)) && symbols.iter().all(|s| mixed.contains(*s)) {
        return mixed;
    }
    let order = symbols.iter().filter_map(|s| manifold.order_of_symbol(*s)).max().unwrap_or(0);
    manifold.jets(order).chart()
}

/// L_ξT, on the chart of T, or on a larger one if ξ leads out of it.
pub fn lie_value(cx: &Inquiry, field: &VectorField, tensor: &Tensor, chart: &Chart) -> Fallible<Value> {
    let derivative = tensor.lie(cx, field);
    let outside = |s: &Symbol| !s.is_parameter() && !chart.contains(*s);
    let symbols = derivative.symbols();
    if !symbols.iter().any(outside) {
        return Ok(tensor_value(&derivative, chart));
    }
    let manifold = FiberedManifold::of_symbols(&symbols)?;
    let chart = manifold.map_or_else(|| Chart::new(symbols), |m| chart_of(&derivative, &m));
    Ok(tensor_value(&derivative, &chart))
}

fn identity(a: &Arguments) -> Fallible<Value> {
    let space: JetSpace = match a.value(0)?.main() {
        Value::Space(s) => s,
        Value::Manifold(m) => m.jets(0),
        Value::Matrix(m) if as_tensor(&m).is_some() => {
            let chart = Chart::new(m.rows.iter().copied());
            return Ok(tensor_value(&Tensor::identity(&chart), &chart));
        }
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a manifold or jet space is needed here")
                    .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
            ));
        }
    };
    Ok(tensor_value(&Tensor::identity(&space.chart()), &space.chart()))
}

fn nijenhuis(a: &Arguments) -> Fallible<Value> {
    let (tensor, chart) = argument(a, 0)?;
    let found = tensor.nijenhuis(&a.cx);
    let rows = chart.symbols().iter().map(|s| (*s, Value::Form(found.row(*s).simplified(&a.cx).0)));
    Ok(Value::from(Answer::new("nijenhuis").main(Value::family(rows)).part("zero", found.is_zero(&a.cx))))
}

fn is_projector(a: &Arguments) -> Fallible<Value> {
    let Value::Matrix(m) = a.value(0)?.main() else {
        argument(a, 0)?;
        unreachable!("a matrix, or refused");
    };
    if !m.matrix.is_square() {
        argument(a, 0)?;
    }
    let difference = m.matrix.mul(&m.matrix).sub(&m.matrix);
    let verdict = difference.is_zero(&a.cx);
    let difference = difference.simplify(&a.cx)?;
    let difference = LabelledMatrix { matrix: difference, rows: m.rows.clone(), columns: m.columns.clone() };
    Ok(Value::from(Answer::new("is_projector").main(verdict).part("difference", difference)))
}
