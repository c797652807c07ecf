//! Questions about matrices and vectors of expressions: `det inverse transpose trace nullspace eigenvalues dot
//! cross`. `rank` is among the questions of calculus, because distributions and forms have one too.
//!
//! A pivot that is not proved nonzero is a condition of the answer.

use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::ball::Ball;
use crate::algebra::expr::Condition;
use crate::algebra::linear::Matrix;
use crate::algebra::linear::spectrum::{Eigenvalue, Root};
use crate::algebra::normal;
use crate::algebra::roots::complex::ComplexBall;
use crate::algebra::solve::{self, Unsolved};
use crate::algebra::{Expr, Rational, Symbol, Verdict, conditions, decide};
use crate::codegen::lower::to_f64;
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
            part("complex", LIST.or(MATRIX), "pairs [real part, imaginary part] of the others; those of which it depends on parameters are in both lists"),
            part("conditions", LIST, "where the real ones are real"),
            part("isolated", LIST, "those without a closed form: intervals re and im around each that hold no other, its multiplicity and its polynomial"),
            part("remaining", LIST, "polynomials with parameters whose zeros are listed where they are real and have a closed form, and not otherwise")],
            eigenvalues;
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

/// Real and complex roots of det(M − λ·1), in closed form or isolated.
fn eigenvalues(a: &Arguments) -> Fallible<Value> {
    let m = square(a, 0)?;
    for e in m.matrix.entries() {
        operate::defined(e, a.positional[0].span)?;
    }
    let lambda = Symbol::helper("lambda");
    let mut found = m.matrix.spectrum(&a.cx)?;
    let mut remaining = Vec::new();
    for (c, multiplicity, why) in std::mem::take(&mut found.open) {
        let roots = real_roots(a, &c, multiplicity, lambda, why)?;
        let is_all = roots.len() + 1 == c.len() && roots.iter().all(|root| root.conditions.is_empty());
        if !is_all {
            let e = polynomial_in(&c, lambda);
            let written = normal::collect(&a.cx, e, &[lambda.into()]).unwrap_or(e);
            remaining.push(Value::from(Answer::new("polynomial").main(written).verbatim()));
        }
        found.eigenvalues.extend(roots);
    }
    let (mut real, mut complex, mut isolated) = (Vec::new(), Vec::new(), Vec::new());
    let mut needed = Vec::<Condition>::new();
    for Eigenvalue { value, multiplicity, conditions } in found.eigenvalues {
        let many = |value: Value| std::iter::repeat_n(value, multiplicity);
        match value {
            Root::Real(e) => {
                real.extend(many(Value::Expr(e)));
                conditions.into_iter().for_each(|c| {
                    if !needed.contains(&c) {
                        needed.push(c);
                    }
                });
            }
            Root::Complex(re, im) => complex.extend(many(Value::exprs([re, im]))),
            Root::Isolated { disc, polynomial } => {
                isolated.push(enclosure(&a.cx, &disc, multiplicity, &polynomial, lambda));
                match disc.is_real() {
                    true => real.extend(many(near(&disc.re))),
                    false => complex.extend(many(Value::list([near(&disc.re), near(&disc.im)]))),
                }
            }
        }
    }
    let claims = Value::list(needed.iter().copied().map(Value::from));
    let mut answer = Answer::new("eigenvalues").main(Value::list(real));
    let parts = [
        ("conditions", claims),
        ("complex", Value::list(complex)),
        ("isolated", Value::list(isolated)),
        ("remaining", Value::list(remaining)),
    ];
    for (name, list) in parts {
        // An empty list is there, and is not shown.
        let is_shown = matches!(&list, Value::List(items) if !items.is_empty());
        answer = if is_shown { answer.part(name, list) } else { answer.lazy(name, move |_| Ok(list.clone())) };
    }
    Ok(Value::from(answer.lazy("characteristic", move |cx: &Inquiry| {
        let n = m.matrix.n_rows();
        let characteristic = m.matrix.sub(&Matrix::identity(n).scale(Expr::symbol(lambda))).det(cx)?;
        let written = normal::collect(cx, characteristic, &[Expr::symbol(lambda)])?;
        Ok(Value::from(Answer::new("characteristic").main(written).verbatim()))
    })))
}

/// The real roots of a factor that contains parameters, by the rules of `solve`, each with its conditions.
fn real_roots(a: &Arguments, c: &[Expr], multiplicity: usize, lambda: Symbol, why: &str) -> Fallible<Vec<Eigenvalue>> {
    let e = polynomial_in(c, lambda);
    let solutions = match solve::solve(&a.cx, &[e], &[lambda]) {
        Ok(solutions) => solutions.branches,
        Err(Unsolved::Budget(stop)) => return Err(stop.into()),
        Err(Unsolved::Beyond { .. }) => vec![],
    };
    if solutions.is_empty() {
        let written = normal::collect(&a.cx, e, &[lambda.into()]).unwrap_or(e);
        return Err(Box::new(
            Diagnostic::error(&codes::UNSOLVED, "these eigenvalues have no closed form")
                .label(a.positional[0].span, why)
                .note(format!("they are the zeros of {written}")),
        ));
    }
    let value = |branch: &solve::Branch| branch.values.first().map(|(_, value)| Root::Real(*value));
    let all = solutions.iter().filter_map(|branch| Some((value(branch)?, branch.conditions.clone())));
    Ok(all.map(|(value, conditions)| Eigenvalue { value, multiplicity, conditions }).collect())
}

fn polynomial_in(c: &[Expr], lambda: Symbol) -> Expr {
    Expr::add_all(c.iter().enumerate().map(|(i, c)| *c * Expr::symbol(lambda).pow(i as i64)))
}

/// The double nearest to the middle of a ball.
fn near(ball: &Ball) -> Value {
    ball.mid().to_rational().map_or(Value::Float(0.0), |x| Value::Float(to_f64(&x)))
}

/// Intervals with short ends around a root.
fn enclosure(cx: &Inquiry, disc: &ComplexBall, multiplicity: usize, polynomial: &[Expr], lambda: Symbol) -> Value {
    let interval = |ball: &Ball| {
        let (low, high) = ball.bounds(64);
        let places = Rational::ratio(ENCLOSURE, 1);
        let down = |x: Rational| &Rational::integer((&x * &places).floor()) / &places;
        let ends = [low, high].map(|x| x.to_rational().unwrap_or(Rational::ZERO));
        let [low, high] = if ball.is_exact() { ends } else { [down(ends[0].clone()), -&down(-&ends[1])] };
        Value::exprs([Expr::number(low), Expr::number(high)])
    };
    let written = normal::collect(cx, polynomial_in(polynomial, lambda), &[lambda.into()]);
    let written = written.unwrap_or_else(|_| polynomial_in(polynomial, lambda));
    Value::from(
        Answer::new("isolated")
            .part("re", interval(&disc.re))
            .part("im", interval(&disc.im))
            .part("multiplicity", Value::count(multiplicity))
            .part("polynomial", Value::from(Answer::new("polynomial").main(written).verbatim())),
    )
}

/// Ends are multiples of the reciprocal of this: discs are smaller.
const ENCLOSURE: i64 = 1_000_000_000_000_000_000;

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
