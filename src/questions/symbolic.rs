//! Questions of plain algebra: simplify, expand, solve, determinants, vectors.

use super::{Arguments, Question};
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, normal};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Fallible, LabelledMatrix, Value};
use crate::session::operate;
use std::rc::Rc;

macro_rules! rows {
    ($($name:literal $signature:literal $help:literal $equations:literal $run:expr;)*) => {
        pub static ROWS: &[Question] = &[$(Question {
            name: $name, signature: $signature, help: $help, options: &[], takes_equations: $equations,
            parts: &[], run: $run,
        }),*];
    };
}

rows! {
    "simplify" "simplify(e)" "the normal form of an expression" false |a| each_expr(a, |e| normal::simplify(e).map_err(stopped));
    "latex" "latex(e)" "the LaTeX of an answer, as text" false latex;
    "subs" "subs(e, {x = 1})" "replaces symbols, all at once" false subs;
    "det" "det(M)" "determinant" false det;
    "transpose" "transpose(M)" "transposed matrix" false transpose;
    "dot" "dot(a, b)" "the scalar product of two vectors" false dot;
    "cross" "cross(a, b)" "the vector product in three dimensions" false cross;
}

use super::systems::stopped;

/// Applies a rewriting to the expressions of a value.
fn each_expr(a: &Arguments, f: impl Fn(Expr) -> Fallible<Expr>) -> Fallible<Value> {
    a.count(1, 1)?;
    map_expr(&a.value(0)?.main(), &f)
}

fn map_expr(value: &Value, f: &dyn Fn(Expr) -> Fallible<Expr>) -> Fallible<Value> {
    Ok(match value {
        Value::List(items) => Value::list(items.iter().map(|v| map_expr(&v.main(), f)).collect::<Fallible<Vec<_>>>()?),
        Value::Matrix(m) => Value::from(LabelledMatrix { matrix: m.matrix.try_map(f)?, ..(**m).clone() }),
        // A coefficient that does not fit the budget stays as it is.
        Value::Form(form) => Value::Form(form.map_coefficients(|c| f(c).unwrap_or(c))),
        Value::Field(field) => Value::Field(field.map_components(|c| f(c).unwrap_or(c))),
        other => Value::Expr(f(operate::as_expr(other)?)?),
    })
}

fn latex(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    Ok(Value::Text(crate::model::show::latex(&a.value(0)?).into()))
}

fn subs(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let map = crate::session::evaluate_at::assignment(&*a.point(1)?);
    map_expr(&a.value(0)?.main(), &|e| Ok(crate::algebra::substitute::substitute(e, &map)))
}

fn matrix(a: &Arguments, i: usize) -> Fallible<Rc<LabelledMatrix>> {
    match a.value(i)?.main() {
        Value::Matrix(m) => Ok(m),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a matrix is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other)))
                .help("write it as `[[a, b], [c, d]]`"),
        )),
    }
}

fn square(a: &Arguments, i: usize) -> Fallible<Rc<LabelledMatrix>> {
    let m = matrix(a, i)?;
    if m.matrix.n_rows() != m.matrix.n_columns() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a square matrix is needed here")
                .label(a.positional[i].span, format!("{}×{}", m.matrix.n_rows(), m.matrix.n_columns())),
        ));
    }
    Ok(m)
}

fn det(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    Ok(Value::Expr(square(a, 0)?.matrix.det().map_err(stopped)?))
}

fn transpose(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let m = matrix(a, 0)?;
    let (rows, columns) = (m.matrix.n_rows(), m.matrix.n_columns());
    let t = (0..columns).map(|j| (0..rows).map(|i| m.matrix[(i, j)]).collect()).collect();
    Ok(Value::from(LabelledMatrix { matrix: Matrix::from_rows(t), rows: m.columns.clone(), columns: m.rows.clone() }))
}

fn vector(a: &Arguments, i: usize) -> Fallible<Vec<Expr>> {
    match a.value(i)?.main() {
        Value::List(items) => operate::vector(&items),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a vector is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other)))
                .help("write it as `[a, b, c]`"),
        )),
    }
}

fn dot(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let (u, v) = (vector(a, 0)?, vector(a, 1)?);
    if u.len() != v.len() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("vectors of {} and {} components", u.len(), v.len()))
                .label(a.name_span, "equally many are needed"),
        ));
    }
    Ok(Value::Expr(Expr::add_all(u.into_iter().zip(v).map(|(x, y)| x * y))))
}

fn cross(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let (u, v) = (vector(a, 0)?, vector(a, 1)?);
    if u.len() != 3 || v.len() != 3 {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "the vector product lives in three dimensions")
                .label(a.name_span, format!("vectors of {} and {} components", u.len(), v.len())),
        ));
    }
    Ok(Value::exprs((0..3).map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        u[j] * v[k] - u[k] * v[j]
    })))
}
