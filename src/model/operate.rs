//! Operators on values: sums, products, wedge products, powers and primes of whatever can be added,
//! multiplied, wedged, raised and differentiated.

use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::expr::{BudgetKind, Node, Undefined};
use crate::algebra::linear::Matrix;
use crate::algebra::print::Style;
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::budget::Exhausted;
use crate::diagnostic::{Diagnostic, Goes, Wanted, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::{FiberedManifold, jet};
use crate::model::place;
use crate::model::value::{Fallible, LabelledMatrix, Value};
use crate::source::Span;
use std::rc::Rc;

fn refuse<T>(code: &'static codes::Code, title: impl Into<String>) -> Fallible<T> {
    Err(Box::new(Diagnostic::error(code, title)))
}

/// "a 2-form", "the number 3": what a value is, for messages.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Expr(e) if e.is_number() => format!("the number {e}"),
        Value::Answer(answer) if answer.main.is_none() => format!("the answer to `{}`", answer.question),
        other => {
            let name = other.type_name();
            let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!("{article} {name}")
        }
    }
}

/// The operand as it is meant in an expression: main values of answers, functions of Lagrangians,
/// forms of equations.
fn operand(cx: &Inquiry, value: &Value) -> Value {
    // The only solution of an equation stands for itself.
    if let Value::Answer(answer) = value
        && answer.stands_for_only_entry
        && let Some(Value::List(items)) = &answer.main
        && let [only @ Value::Expr(_)] = items.as_slice()
    {
        return only.clone();
    }
    let value = value.meant();
    let stands_for = match value {
        Value::System(system) => match system.lagrangian() {
            Some(lagrangian) => Some(Value::Expr(lagrangian.function())),
            None => system.form(cx).map(Value::Form),
        },
        Value::Float(x) => crate::motion::double::from_f64(*x).map(|n| Value::Expr(Expr::number(n))),
        Value::Form(form) => form.as_function().map(Value::Expr),
        _ => None,
    };
    stands_for.unwrap_or_else(|| value.clone())
}

/// The expression a value stands for.
pub fn as_expr(cx: &Inquiry, value: &Value) -> Fallible<Expr> {
    match operand(cx, value) {
        Value::Expr(e) => Ok(e),
        // The dt of a Lagrangian may be written or left out.
        other => refuse(&codes::WRONG_KIND, format!("an expression is needed here, not {}", describe(&other))),
    }
}

/// A form: functions are forms of degree 0.
pub fn as_form(cx: &Inquiry, value: &Value) -> Fallible<Form> {
    match operand(cx, value) {
        Value::Form(f) => Ok(f),
        Value::Expr(e) => Ok(Form::function(e)),
        Value::Force(force) => Ok(force.form()),
        other => {
            let title = format!("a form is needed here, not {}", describe(&other));
            Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, title).wanting(Wanted::Form)))
        }
    }
}

/// A field in the place of a form or the other way round, or a function in the place of a field: the edit that writes
/// what was probably meant, with the same components.
pub fn mend_kind(cx: &Inquiry, d: Box<Diagnostic>, value: &Value, span: Span) -> Box<Diagnostic> {
    if d.code.number != codes::WRONG_KIND.number || !d.repairs.is_empty() {
        return d;
    }
    let components = |list: Vec<(Symbol, Expr)>, mark: &str| {
        let terms: Vec<(Expr, String)> = list.into_iter().map(|(s, c)| (c, format!("{mark}{s}"))).collect();
        Style::ASCII.combination(&terms)
    };
    let (wants_form, wants_field) = (d.wanted == Some(Wanted::Form), d.wanted == Some(Wanted::Field));
    let (help, text) = match operand(cx, value) {
        Value::Field(x) if wants_form && !x.is_empty() => {
            let text = components(x.components(), "d");
            (format!("the form with the same components is {text}"), text)
        }
        Value::Form(f) if wants_field && f.degree() == 1 && !f.is_empty() => {
            let axes = f.axes().into_iter().map(|a| (a.symbol(), f.coefficient(&[a.symbol()])));
            let text = components(axes.collect(), "@");
            (format!("the field with the same components is {text}"), text)
        }
        Value::Expr(e) if wants_field => match (e.as_symbol(), FiberedManifold::of_symbols(&e.symbols())) {
            (Some(s), Ok(Some(_))) => (format!("the field ∂/∂{s} is @{s}"), format!("@{s}")),
            (_, Ok(Some(m))) => {
                let first = m.fibres()[0].coordinate.jet(0);
                (format!("a field has components along @{first}, …"), format!("(…)*@{first}"))
            }
            _ => return d,
        },
        _ => return d,
    };
    let mut d = *d;
    d.helps.clear();
    Box::new(d.repair(help, span, text))
}

pub fn as_field(cx: &Inquiry, value: &Value) -> Fallible<VectorField> {
    match operand(cx, value) {
        Value::Field(f) => Ok(f),
        Value::Expr(e) if e.is_zero() => Ok(VectorField::zero()),
        other => {
            let title = format!("a vector field is needed here, not {}", describe(&other));
            let diagnostic = Diagnostic::error(&codes::WRONG_KIND, title).wanting(Wanted::Field);
            Err(Box::new(match other {
                Value::Form(_) => diagnostic.help("the field ∂/∂x is `@x`; `dx` is the differential"),
                _ => diagnostic,
            }))
        }
    }
}

/// Building an expression may undo a root or a logarithm: √x·√x is x, and e^(log b) is b. What they needed is recorded for
/// the expression that somebody wrote.
pub fn keep_domain(cx: &Inquiry, written: impl IntoIterator<Item = Expr>, built: Expr) {
    if let Node::Product(factors) = built.node()
        && factors.windows(2).any(|pair| pair[0].0 == pair[1].0)
    {
        conditions::record_quotients(cx, built);
    }
    for e in written.into_iter().filter(|e| e.is_partial()) {
        conditions::lost(cx, e, built).into_iter().for_each(|c| conditions::record_real(cx, c));
    }
}

/// Refuses what has no real value.
pub fn defined(e: Expr, span: Span) -> Fallible<Value> {
    let (code, title, label) = match e.as_undefined() {
        None => return Ok(Value::Expr(e)),
        Some(Undefined::DivisionByZero) => (&codes::DIVISION_BY_ZERO, "this divides by zero", "the denominator is 0"),
        Some(Undefined::NotReal) => (&codes::NOT_REAL, "this has no real value", "not a real number"),
        Some(Undefined::Budget(_)) => (&codes::BUDGET, "this is too large to be computed exactly", "over the budget"),
    };
    let diagnostic = Diagnostic::error(code, title).label(span, label);
    Err(Box::new(match e.as_undefined() {
        Some(Undefined::Budget(_)) => diagnostic.note("a number has at most 2^20 bits, a session at most 10^8 nodes"),
        _ => diagnostic,
    }))
}

/// Refuses a value of which a part was stopped on the way, with the reason.
pub fn finished(cx: &Inquiry, value: Value) -> Fallible<Value> {
    fn stop_in(value: &Value) -> Option<BudgetKind> {
        let stop = |e: Expr| match e.as_undefined() {
            Some(Undefined::Budget(kind)) => Some(kind),
            _ => None,
        };
        match value {
            Value::Expr(e) => stop(*e),
            Value::Form(f) => f.terms().find_map(|(_, c)| stop(c)),
            Value::Field(x) => x.components().iter().find_map(|(_, c)| stop(*c)),
            Value::Matrix(m) => m.matrix.entries().find_map(stop),
            Value::OnSpace(declared) => stop_in(&declared.value),
            Value::List(items) => items.iter().find_map(stop_in),
            Value::Family(family) => family.entries.values().find_map(stop_in),
            Value::Answer(answer) => answer.main.as_ref().and_then(stop_in),
            _ => None,
        }
    }
    match stop_in(&value) {
        None => Ok(value),
        Some(BudgetKind::Nodes) => Err(Exhausted::Nodes.into()),
        Some(BudgetKind::Bits) => Err(Exhausted::Bits.into()),
        Some(BudgetKind::Work) => Err(cx.why().into()),
    }
}

/// The n-th total derivative.
pub fn prime(cx: &Inquiry, value: &Value, primes: u32) -> Fallible<Value> {
    if primes == 0 {
        return Ok(value.clone());
    }
    if primes > 64 {
        return refuse(&codes::BUDGET, "more than 64 primes");
    }
    match operand(cx, value) {
        Value::Expr(e) => finished(cx, Value::Expr(jet::total_derivatives(cx, e, primes))),
        Value::List(items) => {
            Ok(Value::list(items.iter().map(|v| prime(cx, v, primes)).collect::<Fallible<Vec<_>>>()?))
        }
        Value::Matrix(m) => {
            let matrix = m.matrix.map(|e| jet::total_derivatives(cx, e, primes));
            finished(cx, Value::from(LabelledMatrix { matrix, ..(*m).clone() }))
        }
        other => refuse(&codes::WRONG_KIND, format!("a prime is d/dt of a function, not of {}", describe(&other))),
    }
}

pub fn negate(cx: &Inquiry, value: &Value) -> Fallible<Value> {
    if let Value::Float(x) = value.main() {
        return Ok(Value::Float(-x));
    }
    Ok(place::like(value, scale(cx, &operand(cx, value), Expr::number(-1))?))
}

fn scale(cx: &Inquiry, value: &Value, by: Expr) -> Fallible<Value> {
    match value {
        Value::Expr(e) => Ok(Value::Expr(*e * by)),
        Value::Form(f) => Ok(Value::Form(f.scale(by))),
        Value::Field(x) => Ok(Value::Field(x.scale(by))),
        Value::List(items) => {
            let scaled = |v| Ok(place::like(v, scale(cx, &operand(cx, v), by)?));
            Ok(Value::list(items.iter().map(scaled).collect::<Fallible<Vec<_>>>()?))
        }
        Value::Matrix(m) => Ok(Value::from(LabelledMatrix { matrix: m.matrix.map(|e| e * by), ..(**m).clone() })),
        Value::Force(force) => Ok(Value::Form(force.form().scale(by))),
        Value::Series(s) => match crate::motion::double::constant(cx, by) {
            Some(factor) => Ok(Value::Series(Rc::new(s.map(s.times(by), |x| Some(x * factor))?))),
            None => refuse(&codes::WRONG_KIND, "a series is multiplied by a number"),
        },
        other => refuse(&codes::WRONG_KIND, format!("{} cannot be multiplied", describe(other))),
    }
}

/// The operands as doubles, if one of them is a number of a run and the others are numbers.
fn doubles(cx: &Inquiry, operands: &[(bool, Value, Span)]) -> Option<Vec<f64>> {
    let values: Vec<Value> = operands.iter().map(|(_, v, _)| v.main()).collect();
    let any = values.iter().any(|v| matches!(v, Value::Float(_)));
    if any { values.iter().map(|x| crate::model::run::double(cx, x)).collect() } else { None }
}

fn finite(x: f64) -> Fallible<Value> {
    if x.is_finite() {
        return Ok(Value::Float(x));
    }
    refuse(&codes::NOT_REAL, "this is not a finite number")
}

/// Signed terms; the flag says "minus".
pub fn sum(cx: &Inquiry, terms: Vec<(bool, Value, Span)>) -> Fallible<Value> {
    let place = place::common(terms.iter().map(|(_, v, _)| v));
    Ok(place::put(place, plain_sum(cx, terms)?))
}

fn plain_sum(cx: &Inquiry, terms: Vec<(bool, Value, Span)>) -> Fallible<Value> {
    if let Some(doubles) = doubles(cx, &terms) {
        let total =
            doubles.iter().zip(&terms).fold(0.0, |sum, (x, (minus, ..))| if *minus { sum - x } else { sum + x });
        return finite(total);
    }
    if let [(false, left, _), (true, right, _)] = terms.as_slice()
        && let (Value::Run(a), Value::Run(b)) = (left.main(), right.main())
    {
        return super::run::minus(cx, &a, &b);
    }
    let operands: Vec<(bool, Value, Span)> = terms.into_iter().map(|(m, v, s)| (m, operand(cx, &v), s)).collect();
    // All functions: one n-ary node.
    if operands.iter().all(|(_, v, _)| matches!(v, Value::Expr(_))) {
        return Ok(Value::Expr(Expr::sum(
            Rational::ZERO,
            operands.iter().map(|(minus, v, _)| match v {
                Value::Expr(e) => (*e, if *minus { Rational::MINUS_ONE } else { Rational::ONE }),
                _ => unreachable!("all are expressions"),
            }),
        )));
    }
    let mut total: Option<(Value, Span)> = None;
    let places: Vec<(Option<FiberedManifold>, Span)> =
        operands.iter().map(|(_, v, span)| (manifold_of(v), *span)).collect();
    for (minus, value, span) in operands {
        if let (true, Some((Value::Series(left), left_span)), Value::Series(right)) = (minus, &total, &value) {
            let difference = left.combine(cx, right, "-", |x, y| x - y)?;
            total = Some((Value::Series(Rc::new(difference)), left_span.to(span)));
            continue;
        }
        let value = if minus {
            scale(cx, &value, Expr::number(-1)).map_err(|d| Box::new(d.or_at(span, "here")))?
        } else {
            value
        };
        total = Some(match total {
            None => (value, span),
            Some((left, left_span)) => {
                let sum = add(cx, &left, &value).map_err(|d| {
                    Box::new(if d.labels.is_empty() {
                        let (l, r) = (describe(&left), describe(&value));
                        d.label(left_span, l).label(span, r)
                    } else {
                        *d
                    })
                })?;
                (sum, left_span.to(span))
            }
        });
    }
    // Terms on manifolds that do not meet.
    let mut first: Option<(FiberedManifold, Span)> = None;
    for (manifold, span) in places.into_iter().filter_map(|(m, span)| Some((m?, span))) {
        first = Some(match first {
            None => (manifold, span),
            Some((home, home_span)) => match home.join(&manifold) {
                Ok(joined) => (joined, home_span),
                Err(refused) => {
                    return Err(Box::new(
                        Diagnostic::from(refused)
                            .label(home_span, format!("on {}", home.name()))
                            .label(span, format!("on {}", manifold.name())),
                    ));
                }
            },
        });
    }
    Ok(total.map_or_else(|| Value::number(0), |(v, _)| v))
}

/// Where a form or field lives.
pub fn manifold_of(value: &Value) -> Option<FiberedManifold> {
    match value {
        Value::Form(f) => f.manifold().ok().flatten(),
        Value::Field(x) => x.manifold().ok().flatten(),
        _ => None,
    }
}

fn add(cx: &Inquiry, left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Expr(a), Value::Expr(b)) => Ok(Value::Expr(*a + *b)),
        (Value::Form(a), Value::Form(b)) => Ok(Value::Form(a.checked_add(b)?)),
        // Zero is a form of every degree and a field.
        (Value::Expr(z), other) | (other, Value::Expr(z)) if z.is_zero() => Ok(other.clone()),
        (Value::Field(a), Value::Field(b)) => Ok(Value::Field(a + b)),
        (Value::Matrix(a), Value::Matrix(b)) => {
            if let Some((a, b)) = super::tensor::aligned(a, b) {
                return add(cx, &Value::from(a), &Value::from(b));
            }
            same_shape(&a.matrix, &b.matrix)?;
            Ok(Value::from(LabelledMatrix { matrix: a.matrix.add(&b.matrix), ..(**a).clone() }))
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => Ok(Value::list(
            a.iter()
                .zip(b.iter())
                .map(|(x, y)| Ok(place::put(place::common([x, y]), add(cx, &operand(cx, x), &operand(cx, y))?)))
                .collect::<Fallible<Vec<_>>>()?,
        )),
        (Value::List(a), Value::List(b)) => {
            refuse(&codes::WRONG_KIND, format!("vectors of {} and {} components cannot be added", a.len(), b.len()))
        }
        (Value::Series(a), Value::Series(b)) => Ok(Value::Series(Rc::new(a.combine(cx, b, "+", |x, y| x + y)?))),
        (Value::Series(a), Value::Expr(e)) | (Value::Expr(e), Value::Series(a)) => {
            match crate::motion::double::constant(cx, *e) {
                Some(by) => {
                    let sign = if by < 0.0 { '-' } else { '+' };
                    let size = if by < 0.0 { -*e } else { *e };
                    let name = format!("{} {sign} {size}", a.name);
                    Ok(Value::Series(Rc::new(a.map(name, |x| Some(x + by))?)))
                }
                None => refuse(&codes::WRONG_KIND, "only a number can be added to a series"),
            }
        }
        (a, b) => {
            let title = format!("{} and {} cannot be added", describe(a), describe(b));
            let refused = Diagnostic::error(&codes::WRONG_KIND, title);
            let acts = matches!((a, b), (Value::Force(_), _) | (_, Value::Force(_)));
            Err(Box::new(if acts {
                refused.help("a force acts on a system: `system S = L with friction`")
            } else {
                refused
            }))
        }
    }
}

fn same_shape(a: &Matrix, b: &Matrix) -> Fallible<()> {
    if (a.n_rows(), a.n_columns()) == (b.n_rows(), b.n_columns()) {
        return Ok(());
    }
    refuse(
        &codes::WRONG_KIND,
        format!("matrices of {}×{} and {}×{} cannot be added", a.n_rows(), a.n_columns(), b.n_rows(), b.n_columns()),
    )
}

/// Factors; the flag says "divided by".
pub fn product(cx: &Inquiry, factors: Vec<(bool, Value, Span)>) -> Fallible<Value> {
    let place = place::common(factors.iter().map(|(_, v, _)| v));
    Ok(place::put(place, plain_product(cx, factors)?))
}

fn plain_product(cx: &Inquiry, factors: Vec<(bool, Value, Span)>) -> Fallible<Value> {
    if let Some(doubles) = doubles(cx, &factors) {
        let terms = doubles.iter().zip(&factors);
        return finite(terms.fold(1.0, |product, (x, (over, ..))| if *over { product / x } else { product * x }));
    }
    let whole = factors.first().zip(factors.last()).map(|(a, b)| a.2.to(b.2));
    let operands: Vec<(bool, Value, Span)> = factors.into_iter().map(|(d, v, s)| (d, operand(cx, &v), s)).collect();
    if operands.iter().all(|(_, v, _)| matches!(v, Value::Expr(_))) {
        for (divided, value, span) in &operands {
            if let (true, Value::Expr(e)) = (*divided, value) {
                nonzero_denominator(cx, *e, *span)?;
            }
        }
        let product = Expr::product(
            Rational::ONE,
            operands.iter().map(|(divided, v, _)| match v {
                Value::Expr(e) => (*e, if *divided { Rational::MINUS_ONE } else { Rational::ONE }),
                _ => unreachable!("all are expressions"),
            }),
        );
        let written = operands.iter().filter_map(|(_, v, _)| if let Value::Expr(e) = v { Some(*e) } else { None });
        keep_domain(cx, written, product);
        return defined(product, whole.unwrap_or_default());
    }
    let mut total: Option<(Value, Span)> = None;
    for (divided, value, span) in operands {
        let value = if divided {
            match value {
                Value::Expr(e) => {
                    nonzero_denominator(cx, e, span)?;
                    Value::Expr(e.pow(-1))
                }
                Value::Series(s) => Value::Series(Rc::new(s.map(format!("1/({})", s.name), |x| Some(1.0 / x))?)),
                other => {
                    let d = Diagnostic::error(&codes::WRONG_KIND, format!("one cannot divide by {}", describe(&other)))
                        .label(span, "the divisor");
                    return Err(Box::new(match other {
                        Value::Form(_) => d.help("a rate of change is a prime: `f'`"),
                        _ => d,
                    }));
                }
            }
        } else {
            value
        };
        total = Some(match total {
            None => (value, span),
            Some((left, left_span)) => {
                let product = multiply(cx, &left, &value).map_err(|d| {
                    Box::new(if d.labels.is_empty() {
                        let (l, r) = (describe(&left), describe(&value));
                        let d = d.label(left_span, l).label(span, r);
                        match (&left, &value) {
                            (Value::List(_), Value::List(_)) => d.repair_at(
                                Goes::Quoting(vec![left_span, span]),
                                "the scalar product is `dot(a, b)`",
                                left_span.to(span),
                                "dot(…, …)",
                            ),
                            _ => d,
                        }
                    } else {
                        *d
                    })
                })?;
                (product, left_span.to(span))
            }
        });
    }
    Ok(total.map_or_else(|| Value::number(1), |(v, _)| v))
}

/// Refuses an even root of what is known to be negative.
fn real_root(cx: &Inquiry, base: Expr, exponent: &Rational, span: Span) -> Fallible<()> {
    let even = exponent.denominator().to_i64().is_some_and(|d| d % 2 == 0);
    if even && !base.is_number() && crate::algebra::assume::sign_of(cx, base).is_negative() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_REAL, "this root has no real value")
                .label(span, "this is negative")
                .note(format!("{base} < 0 by the signs of its parts")),
        ));
    }
    Ok(())
}

/// Refuses a logarithm of what is known not to be positive anywhere.
pub fn real_logarithm(cx: &Inquiry, e: Expr, span: Span) -> Fallible<()> {
    if !e.is_number() && crate::algebra::assume::sign_of(cx, e).is_nonpositive() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_REAL, "this logarithm has no real value")
                .label(span, "this is not positive")
                .note(format!("{e} <= 0 by the signs of its parts")),
        ));
    }
    Ok(())
}

/// √e, refused where it cannot be real.
pub fn square_root(cx: &Inquiry, e: Expr, argument: Span, span: Span) -> Fallible<Value> {
    real_root(cx, e, &Rational::HALF, argument)?;
    keep_domain(cx, [e], e.sqrt());
    defined(e.sqrt(), span)
}

fn nonzero_denominator(cx: &Inquiry, e: Expr, span: Span) -> Fallible<()> {
    if let Verdict::Yes(ground) = crate::algebra::decide::is_zero(cx, e) {
        let label = if ground.is_proved() { "this is 0" } else { "this is 0, as far as sampling tells" };
        return Err(Box::new(Diagnostic::error(&codes::DIVISION_BY_ZERO, "this divides by zero").label(span, label)));
    }
    Ok(())
}

fn multiply(cx: &Inquiry, left: &Value, right: &Value) -> Fallible<Value> {
    match (left, right) {
        (Value::Expr(a), Value::Expr(b)) => Ok(Value::Expr(*a * *b)),
        (Value::Expr(a), other) | (other, Value::Expr(a)) => scale(cx, other, *a),
        (Value::Series(a), Value::Series(b)) => Ok(Value::Series(Rc::new(a.combine(cx, b, "*", |x, y| x * y)?))),
        (Value::Matrix(a), Value::Matrix(b)) => {
            if let Some((a, b)) = super::tensor::aligned(a, b) {
                return multiply(cx, &Value::from(a), &Value::from(b));
            }
            if a.matrix.n_columns() != b.matrix.n_rows() {
                return refuse(
                    &codes::WRONG_KIND,
                    format!("a matrix with {} columns times one with {} rows", a.matrix.n_columns(), b.matrix.n_rows()),
                );
            }
            Ok(Value::from(LabelledMatrix {
                matrix: a.matrix.mul(&b.matrix),
                rows: a.rows.clone(),
                columns: b.columns.clone(),
            }))
        }
        // A (1,1) tensor acts on vectors from the left and on 1-forms from the right.
        (Value::Matrix(m), Value::Field(x)) if let Some((tensor, _)) = super::tensor::as_tensor(m) => {
            Ok(Value::Field(tensor.apply(x)))
        }
        (Value::Form(f), Value::Matrix(m))
            if f.degree() == 1
                && let Some((tensor, _)) = super::tensor::as_tensor(m) =>
        {
            Ok(Value::Form(tensor.apply_to_form(f)))
        }
        (Value::Matrix(a), Value::List(v)) => {
            let v = vector(cx, v)?;
            if a.matrix.n_columns() != v.len() {
                return refuse(
                    &codes::WRONG_KIND,
                    format!("a matrix with {} columns times a vector of {}", a.matrix.n_columns(), v.len()),
                );
            }
            Ok(Value::exprs(
                (0..a.matrix.n_rows()).map(|i| Expr::add_all((0..v.len()).map(|j| a.matrix[(i, j)] * v[j]))),
            ))
        }
        (Value::List(v), Value::Matrix(a)) => {
            let v = vector(cx, v)?;
            if a.matrix.n_rows() != v.len() {
                return refuse(
                    &codes::WRONG_KIND,
                    format!("a vector of {} times a matrix with {} rows", v.len(), a.matrix.n_rows()),
                );
            }
            Ok(Value::exprs(
                (0..a.matrix.n_columns()).map(|j| Expr::add_all((0..v.len()).map(|i| v[i] * a.matrix[(i, j)]))),
            ))
        }
        (Value::Form(_), Value::Form(_)) => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "forms are multiplied with `/\\`")
                .help("write the exterior product as `a /\\ b`"),
        )),
        (Value::List(_), Value::List(_)) => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "which product of vectors?")
                .help("the vector product is `cross(a, b)`"),
        )),
        (a, b) => refuse(&codes::WRONG_KIND, format!("{} and {} cannot be multiplied", describe(a), describe(b))),
    }
}

/// The components of a vector.
pub fn vector(cx: &Inquiry, items: &[Value]) -> Fallible<Vec<Expr>> {
    items.iter().map(|x| as_expr(cx, x)).collect()
}

pub fn wedge(cx: &Inquiry, factors: Vec<(Value, Span)>) -> Fallible<Value> {
    let mut total: Option<(Form, Span)> = None;
    for (value, span) in factors {
        let form =
            as_form(cx, &value).map_err(|d| mend_kind(cx, Box::new(d.or_at(span, describe(&value))), &value, span))?;
        total = Some(match total {
            None => (form, span),
            Some((left, left_span)) => {
                if let (Some(a), Some(b)) = (left.manifold().ok().flatten(), form.manifold().ok().flatten())
                    && let Err(refused) = a.join(&b)
                {
                    return Err(Box::new(
                        Diagnostic::from(refused)
                            .label(left_span, format!("on {}", a.name()))
                            .label(span, format!("on {}", b.name())),
                    ));
                }
                (left.try_wedge(cx, &form)?, left_span.to(span))
            }
        });
    }
    Ok(total.map_or_else(|| Value::number(1), |(form, _)| Value::Form(form)))
}

pub fn power(cx: &Inquiry, base: &Value, exponent: &Value, base_span: Span, exponent_span: Span) -> Fallible<Value> {
    let place = place::common([base, exponent]);
    Ok(place::put(place, plain_power(cx, base, exponent, base_span, exponent_span)?))
}

fn plain_power(cx: &Inquiry, base: &Value, exponent: &Value, base_span: Span, exponent_span: Span) -> Fallible<Value> {
    let span = base_span.to(exponent_span);
    if let (Value::Series(s), Some(e)) = (base.main(), crate::model::run::double(cx, &exponent.main())) {
        let series = s.map(format!("{}^{e}", s.bracketed()), |x| Some(crate::codegen::libm::pow(x, e)))?;
        return Ok(Value::Series(Rc::new(series)));
    }
    if let Some(pair) = doubles(cx, &[(false, base.clone(), base_span), (false, exponent.clone(), exponent_span)]) {
        return finite(crate::codegen::libm::pow(pair[0], pair[1]));
    }
    match (operand(cx, base), operand(cx, exponent)) {
        (Value::Expr(b), Value::Expr(e)) => {
            if let Some(n) = e.as_number() {
                if n.is_negative() {
                    nonzero_denominator(cx, b, base_span)?;
                }
                real_root(cx, b, n, base_span)?;
            }
            keep_domain(cx, [b], b.power(e));
            defined(b.power(e), span)
        }
        (Value::Matrix(m), Value::Expr(e)) => {
            let n = e.as_number().and_then(Rational::to_i64).filter(|n| (0..=64).contains(n));
            let Some(n) = n else {
                if e.as_number().and_then(Rational::to_i64) == Some(-1) {
                    let whole = base_span.to(exponent_span);
                    let d = Diagnostic::error(&codes::WRONG_KIND, "the inverse of a matrix is asked for")
                        .label(whole, "here");
                    let places = Goes::Quoting(vec![base_span]);
                    return Err(Box::new(d.repair_at(places, "write `inverse(A)`", whole, "inverse(…)")));
                }
                return refuse(
                    &codes::WRONG_KIND,
                    "a matrix is raised to an integer from 0 to 64; `inverse` inverts it",
                );
            };
            if m.matrix.n_rows() != m.matrix.n_columns() {
                return refuse(&codes::WRONG_KIND, "only a square matrix has powers");
            }
            let mut power = Matrix::identity(m.matrix.n_rows());
            for _ in 0..n {
                power = power.mul(&m.matrix);
            }
            Ok(Value::from(LabelledMatrix { matrix: power, ..(*m).clone() }))
        }
        (b @ Value::Form(_), Value::Form(_)) => {
            let between = Span { start: base_span.end, end: exponent_span.start, ..base_span };
            let title = format!("{} cannot be raised to a power", describe(&b));
            let diagnostic = Diagnostic::error(&codes::WRONG_KIND, title).label(between, "a power");
            Err(Box::new(diagnostic.repair("the wedge product is written `/\\`", between, " /\\ ")))
        }
        (b @ Value::List(_), _) => {
            let whole = base_span.to(exponent_span);
            let d = Diagnostic::error(&codes::WRONG_KIND, format!("{} cannot be raised to a power", describe(&b)));
            let square = Goes::Quoting(vec![base_span, base_span]);
            let help = "the square of a vector is its product with itself: `dot(r, r)`";
            Err(Box::new(d.label(whole, "a power").repair_at(square, help, whole, "dot(…, …)")))
        }
        (b, _) => {
            let d = Diagnostic::error(&codes::WRONG_KIND, format!("{} cannot be raised to a power", describe(&b)));
            Err(Box::new(match b {
                Value::Form(_) => d.help("the rate of change of a function is a prime: `f'`, and `(x*y)'`"),
                _ => d,
            }))
        }
    }
}

/// A list; a list of equally long lists of expressions is a matrix.
pub fn list(cx: &Inquiry, values: Vec<Value>) -> Fallible<Value> {
    let rows: Option<Vec<Vec<Expr>>> = values
        .iter()
        .map(|v| match v {
            Value::List(row) => row.iter().map(|e| as_expr(cx, e).ok()).collect::<Option<Vec<_>>>(),
            _ => None,
        })
        .collect();
    match rows {
        Some(rows) if !rows.is_empty() && !rows[0].is_empty() => {
            if rows.iter().any(|r| r.len() != rows[0].len()) {
                return refuse(&codes::WRONG_KIND, "the rows of a matrix are equally long");
            }
            Ok(Value::matrix(Matrix::from_rows(rows)))
        }
        _ => Ok(Value::List(Rc::new(values))),
    }
}
