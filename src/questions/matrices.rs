//! Questions about matrices and vectors of expressions: `det inverse transpose trace nullspace eigenvalues dot
//! cross`. `rank` is among the questions of calculus, because distributions and forms have one too.
//!
//! A pivot that is not proved nonzero is a condition of the answer.

use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::expr::Condition;
use crate::algebra::factor::factor;
use crate::algebra::linear::Matrix;
use crate::algebra::normal::{self, write::polynomial_expr};
use crate::algebra::solve::{self, Unsolved};
use crate::algebra::{Expr, Symbol, Verdict, conditions, decide};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};
use std::rc::Rc;

rows! {
    "det" [one("M", MATRIX)] "determinant" => Gives::Kinds(FUNCTION), &[], det;
    "inverse" [one("M", MATRIX)] "the inverse, where the determinant does not vanish"
        => Gives::Kinds(MATRIX), &[part("det", FUNCTION, "the determinant")], inverse;
    "transpose" [one("M", MATRIX)] "transposed matrix" => Gives::Kinds(MATRIX), &[], transpose;
    "trace" [one("M", MATRIX)] "the sum of the diagonal" => Gives::Kinds(FUNCTION), &[], trace;
    "nullspace" [one("M", MATRIX)] "a basis of the vectors that the matrix sends to 0"
        => Gives::Kinds(VECTOR), &[], nullspace;
    "eigenvalues" [one("M", MATRIX)] "the real eigenvalues, each as often as it counts"
        => Gives::Kinds(LIST), &[part("characteristic", FUNCTION, "det(M - lambda*1)"),
            part("complex", LIST.or(MATRIX), "pairs [real part, imaginary part] of the others"),
          part("conditions", LIST, "where they are real")], eigenvalues;
    "dot" [one("a", VECTOR), one("b", VECTOR)]
        "the scalar product of two vectors; of a matrix and a vector their product"
        => Gives::Kinds(FUNCTION.or(VECTOR)), &[], dot;
    "cross" [one("a", VECTOR), one("b", VECTOR)] "the vector product in three dimensions"
        => Gives::Kinds(LIST), &[], cross;
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
    if !m.matrix.is_square() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a square matrix is needed here")
                .label(a.positional[i].span, format!("{}×{}", m.matrix.n_rows(), m.matrix.n_columns())),
        ));
    }
    Ok(m)
}

fn det(a: &Arguments) -> Fallible<Value> {
    operate::defined(square(a, 0)?.matrix.det(&a.cx)?, a.span)
}

fn inverse(a: &Arguments) -> Fallible<Value> {
    let m = square(a, 0)?;
    let (found, recorded) = conditions::collect(&a.cx, |cx| m.matrix.inverse(cx));
    let Some(matrix) = found? else {
        let det = m.matrix.det(&a.cx)?;
        let diagnostic = match decide::is_zero(&a.cx, det) {
            Verdict::Yes(_) => Diagnostic::error(&codes::DEGENERATE, "this matrix has no inverse")
                .label(a.positional[0].span, "its determinant is 0"),
            verdict => Diagnostic::error(&codes::UNDECIDED, "it is not known whether this matrix has an inverse")
                .label(a.positional[0].span, format!("det = {det}"))
                .note(verdict.to_string()),
        };
        return Err(Box::new(diagnostic));
    };
    recorded.iter().for_each(|c| conditions::record_nonzero(&a.cx, *c));
    let inverse = LabelledMatrix { matrix, rows: m.columns.clone(), columns: m.rows.clone() };
    Ok(Value::from(
        Answer::new("inverse")
            .main(inverse)
            .lazy("det", move |cx: &Inquiry| Ok(Value::Expr(m.matrix.det(cx)?)))
            .valid_where(recorded),
    ))
}

fn transpose(a: &Arguments) -> Fallible<Value> {
    let m = matrix(a, 0)?;
    let transposed = LabelledMatrix { matrix: m.matrix.transpose(), rows: m.columns.clone(), columns: m.rows.clone() };
    Ok(Value::from(transposed))
}

fn trace(a: &Arguments) -> Fallible<Value> {
    let m = square(a, 0)?;
    Ok(Value::Expr(Expr::add_all((0..m.matrix.n_rows()).map(|i| m.matrix[(i, i)]))))
}

fn nullspace(a: &Arguments) -> Fallible<Value> {
    let m = matrix(a, 0)?;
    let (basis, recorded) = conditions::collect(&a.cx, |cx| m.matrix.null_space(cx));
    let basis = basis?;
    recorded.iter().for_each(|c| conditions::record_nonzero(&a.cx, *c));
    let vectors = Value::list(basis.into_iter().map(Value::exprs));
    Ok(Value::from(Answer::new("nullspace").main(vectors).valid_where(recorded)))
}

/// The roots of det(M − λ·1), factor by factor: real ones by the rules of `solve`, complex ones of quadratic
/// factors −b/2 ± i√(−d)/2.
fn eigenvalues(a: &Arguments) -> Fallible<Value> {
    let m = square(a, 0)?;
    let n = m.matrix.n_rows();
    let lambda = Symbol::parameter("lambda");
    let shifted = m.matrix.sub(&Matrix::identity(n).scale(Expr::symbol(lambda)));
    let characteristic = shifted.det(&a.cx)?;
    let form = normal::normal_form(&a.cx, characteristic).and_then(|f| f.cancel(&a.cx))?;
    if let Some(why) = form.as_undefined() {
        return operate::defined(Expr::undefined(why), a.positional[0].span);
    }
    let (numerator, _) = form.fraction(&a.cx)?;
    let (mut real, mut complex, mut needed) = (Vec::new(), Vec::new(), Vec::<Condition>::new());
    for (f, multiplicity) in factor(&a.cx, &numerator).factors {
        let e = polynomial_expr(&f);
        if !e.contains(lambda) {
            continue;
        }
        let solutions = match solve::solve(&a.cx, &[e], &[lambda]) {
            Ok(solutions) => solutions,
            Err(Unsolved::Budget(stop)) => return Err(stop.into()),
            Err(Unsolved::Beyond { reason, .. }) => {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNSOLVED, "these eigenvalues have no closed form")
                        .label(a.positional[0].span, reason)
                        .note(format!(
                            "they are the zeros of {}",
                            normal::collect(&a.cx, e, &[lambda.into()]).unwrap_or(e)
                        )),
                ));
            }
        };
        let degree = f.degree_in(crate::algebra::generator::Generator::of_symbol(lambda).0);
        if solutions.branches.is_empty() && degree == 2 {
            for pair in complex_pair(&a.cx, e, lambda)? {
                complex.extend(std::iter::repeat_n(Value::exprs(pair), multiplicity as usize));
            }
        }
        for branch in solutions.branches {
            let Some((_, value)) = branch.values.first() else { continue };
            real.extend(std::iter::repeat_n(*value, multiplicity as usize));
            needed.extend(branch.conditions.iter().filter(|c| !needed.contains(c)).copied().collect::<Vec<_>>());
        }
    }
    let claims = Value::list(needed.iter().copied().map(Value::from));
    let mut answer = Answer::new("eigenvalues").main(Value::exprs(real));
    answer = if needed.is_empty() {
        answer.lazy("conditions", move |_| Ok(claims.clone()))
    } else {
        answer.part("conditions", claims)
    };
    answer = if complex.is_empty() {
        answer.lazy("complex", |_| Ok(Value::list([])))
    } else {
        answer.part("complex", Value::list(complex))
    };
    Ok(Value::from(answer.lazy("characteristic", move |cx: &Inquiry| {
        let written = normal::collect(cx, characteristic, &[Expr::symbol(lambda)])?;
        Ok(Value::from(Answer::new("characteristic").main(written).verbatim()))
    })))
}

/// The two roots p ± iq of a quadratic equation without real ones, as [p, q] and [p, −q].
fn complex_pair(cx: &Inquiry, e: Expr, x: Symbol) -> crate::budget::Budgeted<[[Expr; 2]; 2]> {
    use crate::algebra::derive::partials;
    use crate::algebra::substitute::substitute;
    let zero = std::iter::once((x, Expr::zero())).collect();
    let a = partials(cx, e, &[x, x]) / 2;
    let b = substitute(crate::algebra::derive::partial(cx, e, x), &zero);
    let c = substitute(e, &zero);
    let re = normal::simplify(cx, -b / (2 * a))?;
    let im = normal::simplify(cx, (4 * (a * c) - b.pow(2)).sqrt() / (2 * a))?;
    Ok([[re, im], [re, -im]])
}

/// The components of a vector: a list, or a matrix of one row or column.
fn vector(a: &Arguments, i: usize) -> Fallible<Option<Vec<Expr>>> {
    match a.value(i)?.main() {
        Value::List(items) => operate::vector(&a.cx, &items).map(Some),
        Value::Matrix(m) if m.matrix.n_rows() == 1 || m.matrix.n_columns() == 1 => {
            Ok(Some(m.matrix.entries().collect()))
        }
        Value::Matrix(_) => Ok(None),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a vector is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other)))
                .help("write it as `[a, b, c]`"),
        )),
    }
}

fn dot(a: &Arguments) -> Fallible<Value> {
    let (Some(u), Some(v)) = (vector(a, 0)?, vector(a, 1)?) else {
        let factors = a.positional.iter().map(|p| (false, p.value.clone(), p.span)).collect();
        return operate::product(&a.cx, factors);
    };
    if u.len() != v.len() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("vectors of {} and {} components", u.len(), v.len()))
                .label(a.name_span, "equally many are needed"),
        ));
    }
    Ok(Value::Expr(Expr::add_all(u.into_iter().zip(v).map(|(x, y)| x * y))))
}

fn cross(a: &Arguments) -> Fallible<Value> {
    let (Some(u), Some(v)) = (vector(a, 0)?, vector(a, 1)?) else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "the vector product is of vectors")
                .label(a.name_span, "not of matrices"),
        ));
    };
    if u.len() != 3 || v.len() != 3 {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "the vector product lives in three dimensions")
                .label(a.name_span, format!("vectors of {} and {} components", u.len(), v.len())),
        ));
    }
    let component = |i: usize, j: usize| u[i] * v[j] - u[j] * v[i];
    Ok(Value::exprs([component(1, 2), component(2, 0), component(0, 1)]))
}
