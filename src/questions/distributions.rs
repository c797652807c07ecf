//! Questions about distributions and codistributions, of rank that may jump: spans, ranks with strata,
//! annihilators, involutivity, derived flags. Krupková §2.

use super::strata::rank_value;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol};
use crate::budget::Budgeted;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution, Involutivity};
use crate::geometry::jet::{Chart, FiberedManifold, JetSpace};
use crate::geometry::rank::Rank as Strata;
use crate::geometry::submanifold::Submanifold;
use crate::geometry::{Form, Refusal, VectorField};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::PointSet;
use crate::model::value::{Answer, Fallible, OnBranch, Value};
use std::rc::Rc;

rows! {
    "span" [many("a", FORM.or(FIELD))] "the codistribution or distribution spanned by forms or fields"
        => Gives::Kinds(SUBSPACE), DELTA, span;
    "rank" [one("A", MATRIX.or(FORM).or(SUBSPACE))]
        "the rank of a matrix, a 2-form, a distribution or a codistribution, with its strata"
        => Gives::Kinds(RANK), &[part("values", LIST, "ascending"), part("strata", LIST, "where each is taken")], rank;
    "annihilator" [one("Δ", SUBSPACE)] "the forms that vanish on a distribution, the fields on which forms vanish"
        => Gives::Kinds(SUBSPACE), DELTA, annihilator;
    "involutive" [one("Δ", SUBSPACE)] "closed under brackets (Frobenius)"
        => Gives::Kinds(VERDICT), &[part("left", FIELD.or(FORM), "a field of Δ"),
            part("right", FIELD.or(FORM), "another"), part("bracket", FIELD.or(FORM), "which leaves Δ"),
            part("residual", FORM.or(FUNCTION), "a form of Δ⁰ on it")], involutive;
    "derived" [one("Δ", SUBSPACE)] "the distribution with its brackets; of a codistribution, what is closed modulo it"
        => Gives::Kinds(SUBSPACE), DELTA, derived;
    "flag" [one("Δ", SUBSPACE)] "Δ, derived(Δ), … until it stays" => Gives::Kinds(LIST), &[], flag;
}

/// Parts of every distribution and codistribution.
const DELTA: &[Part] = &[
    part("forms", LIST, "that vanish on it, or span it"),
    part("fields", LIST, "that span it, or on which it vanishes"),
    part("rank", RANK, "with its strata"),
    part("weakly_horizontal", SET, "where it has a vector along the time"),
    part("integrable", VERDICT, "closed under brackets"),
    part("vertical", VERDICT, "contained in ker dt"),
    part("locus", SET, "where the rank is not the generic one"),
];

/// The manifold on which something lives: that of its coordinates, of its declaration, of the `on` clause, or the only
/// one there is.
pub fn home(a: &Arguments, found: Option<FiberedManifold>) -> Fallible<FiberedManifold> {
    settled(a, found).ok_or_else(|| homeless(a))
}

fn settled(a: &Arguments, found: Option<FiberedManifold>) -> Option<FiberedManifold> {
    let only = || match &a.manifolds[..] {
        [only] => Some(only.clone()),
        _ => None,
    };
    // An object of Y that was declared on W over J1(Y) lives on W.
    let above = |m: &FiberedManifold| a.declared().filter(|d| d.is_over(m));
    match found {
        Some(m) => above(&m).or(Some(m)),
        None => a.declared().or_else(|| a.on.clone()).or_else(only),
    }
}

/// The refusal of an object that mentions only the time where several manifolds, or none, lie over it.
fn homeless(a: &Arguments) -> Box<Diagnostic> {
    let names: Vec<&str> = a.manifolds.iter().map(FiberedManifold::name).collect();
    let d = no_home(names.last().copied().unwrap_or("Y")).label(a.span, "no coordinate of a manifold occurs");
    Box::new(if names.is_empty() { d } else { d.note(format!("the manifolds here are {}", names.join(", "))) })
}

/// The same without a place.
pub fn no_home(example: &str) -> Diagnostic {
    Diagnostic::error(&codes::AMBIGUOUS_NAME, "it is not clear on which manifold this lives")
        .help(format!("declare it with its space: `field T on {example} = …`, `codistribution C on {example} {{ … }}`"))
}

/// The manifold of several objects, refused where two do not meet.
fn common<'a, T: 'a>(
    a: &Arguments,
    list: impl IntoIterator<Item = &'a T>,
    manifold: impl Fn(&T) -> Result<Option<FiberedManifold>, Refusal>,
) -> Fallible<Option<FiberedManifold>> {
    let mut joined: Option<FiberedManifold> = None;
    for (i, item) in list.into_iter().enumerate() {
        let at = |r| Box::new(Diagnostic::from(r).or_at(a.positional[i].span, "this generator"));
        if let Some(m) = manifold(item).map_err(at)? {
            joined = Some(match joined {
                Some(other) => other.join(&m).map_err(at)?,
                None => m,
            });
        }
    }
    Ok(settled(a, joined))
}

/// Generators that know only the time, where the manifold is open, are seen in the time alone: that is enough to compare
/// them, and not to annihilate them.
fn time_alone(a: &Arguments) -> Fallible<Chart> {
    a.latest().map(|any| Chart::new([any.base()])).ok_or_else(|| homeless(a))
}

/// Whether it is open on which manifold a distribution or codistribution lives.
pub fn is_homeless(chart: &Chart) -> bool {
    chart.dimension() == 1
}

/// Forms give a codistribution, fields a distribution.
fn span(a: &Arguments) -> Fallible<Value> {
    let mut fields: Vec<VectorField> = vec![];
    let mut forms: Vec<Form> = vec![];
    for (i, argument) in a.positional.iter().enumerate() {
        match argument.value.main() {
            Value::Field(x) => fields.push(x),
            _ => {
                let form = a.form(i)?;
                if form.degree() != 1 {
                    let wrong = Refusal::WrongDegree { expected: 1, found: form.degree() };
                    return Err(Box::new(Diagnostic::from(wrong).or_at(argument.span, "this generator")));
                }
                forms.push(form);
            }
        }
    }
    if !fields.is_empty() && !forms.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "forms and fields do not span together").label(a.span, "both occur"),
        ));
    }
    if forms.is_empty() {
        let manifold = common(a, &fields, VectorField::manifold)?;
        let order = |m: &FiberedManifold| fields.iter().map(|x| x.order_on(&a.cx, m).order).max().unwrap_or(0);
        return Ok(Value::from(match manifold {
            Some(m) => Distribution::new(&m.jets(order(&m)), fields)?,
            None => Distribution::span(&time_alone(a)?, fields),
        }));
    }
    let manifold = common(a, &forms, Form::manifold)?;
    let order = |m: &FiberedManifold| forms.iter().map(|f| f.order_on(&a.cx, m).order).max().unwrap_or(0);
    Ok(Value::from(match manifold {
        Some(m) => Codistribution::new(&m.jets(order(&m)), forms)?,
        None => Codistribution::span(&time_alone(a)?, forms),
    }))
}

fn rank(a: &Arguments) -> Fallible<Value> {
    Ok(match rank_of(a)? {
        // What was taken to be nonzero is said.
        Value::Rank(rank) if !rank.generic.is_empty() => {
            let generic = rank.generic.clone();
            Value::from(Answer::new("rank").main(Value::Rank(rank)).valid_where(generic))
        }
        plain => plain,
    })
}

fn rank_of(a: &Arguments) -> Fallible<Value> {
    match a.value(0)?.main() {
        Value::Matrix(m) => rank_value(&a.cx, &m.matrix, None),
        Value::Distribution(d) => strata_value(&a.cx, || d.rank(&a.cx), || d.generic_rank(&a.cx), d.rank_matrix()),
        Value::Codistribution(c) => strata_value(&a.cx, || c.rank(&a.cx), || c.generic_rank(&a.cx), c.rank_matrix()),
        _ => {
            let form = a.form(0)?;
            if form.degree() != 2 {
                let wrong = Refusal::WrongDegree { expected: 2, found: form.degree() };
                return Err(Box::new(Diagnostic::from(wrong).or_at(a.positional[0].span, "this form")));
            }
            // The antisymmetric matrix of its coefficients.
            let axes: Vec<Symbol> = form.axes().iter().map(|x| x.symbol()).collect();
            let entry = |i: usize, j: usize| {
                if i == j { Expr::zero() } else { form.coefficient(&[axes[i], axes[j]]) }
            };
            rank_value(&a.cx, &Matrix::from_fn(axes.len(), axes.len(), entry), None)
        }
    }
}

/// A rank with the matrix from which it is taken again at a point.
pub fn strata_value(
    cx: &Inquiry,
    rank: impl FnOnce() -> Budgeted<Strata>,
    generic: impl FnOnce() -> Budgeted<usize>,
    (matrix, complement): (Matrix, Option<usize>),
) -> Fallible<Value> {
    Ok(super::strata::rank_with(super::strata::patiently(cx, rank, generic)?, matrix, complement))
}

fn annihilator(a: &Arguments) -> Fallible<Value> {
    match a.value(0)?.main() {
        Value::Distribution(d) if is_homeless(d.chart()) => Err(homeless(a)),
        Value::Codistribution(c) if is_homeless(c.chart()) => Err(homeless(a)),
        Value::Distribution(d) => Ok(Value::from(d.annihilator(&a.cx)?)),
        Value::Codistribution(c) => Ok(Value::from(c.annihilator(&a.cx)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}

fn not_a_distribution(a: &Arguments, found: &Value) -> Box<Diagnostic> {
    let d = Diagnostic::error(&codes::WRONG_KIND, "a distribution or codistribution is needed here")
        .label(a.positional[0].span, format!("this is {}", operate::describe(found)));
    let spans = match found {
        Value::Field(_) => true,
        Value::Form(f) => f.degree() == 1,
        _ => false,
    };
    Box::new(if spans {
        let text = format!("span({})", crate::model::show::text(&a.cx, found));
        d.repair(format!("what it spans: {text}"), a.positional[0].span, text)
    } else {
        d
    })
}

/// The distribution an argument stands for: a codistribution stands for what it annihilates.
fn distribution(a: &Arguments) -> Fallible<Rc<Distribution>> {
    match a.value(0)?.main() {
        Value::Distribution(d) => Ok(d),
        Value::Codistribution(c) => Ok(Rc::new(c.annihilator(&a.cx)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}

fn involutive(a: &Arguments) -> Fallible<Value> {
    let found = match a.value(0)?.main() {
        Value::Distribution(d) => d.involutivity(&a.cx),
        Value::Codistribution(c) => c.involutivity(&a.cx),
        other => return Err(not_a_distribution(a, &other)),
    };
    let Involutivity { verdict, evidence } = found?;
    let mut answer = Answer::new("involutive").main(verdict);
    if let Some(e) = evidence {
        let bracket = e.left.bracket(&a.cx, &e.right);
        answer =
            answer.part("left", e.left).part("right", e.right).part("bracket", bracket).part("residual", e.residual);
    }
    Ok(Value::from(answer))
}

fn derived(a: &Arguments) -> Fallible<Value> {
    match a.value(0)?.main() {
        Value::Distribution(d) => Ok(Value::from(d.derived(&a.cx)?)),
        Value::Codistribution(c) => Ok(Value::from(c.derived(&a.cx)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}

fn flag(a: &Arguments) -> Fallible<Value> {
    let flag = distribution(a)?.derived_flag(&a.cx)?;
    if let Value::Codistribution(_) = a.value(0)?.main() {
        let flag = flag.iter().map(|d| Ok(Value::from(d.annihilator(&a.cx)?)));
        return Ok(Value::list(flag.collect::<Fallible<Vec<_>>>()?));
    }
    Ok(Value::list(flag.into_iter().map(Value::from)))
}

/// A set in the coordinates of a chart, as one of points of a jet space.
pub fn point_set(set: &Submanifold) -> Fallible<Value> {
    Ok(Value::from(PointSet::new(&space_of(set.chart())?, set.branches().to_vec())))
}

/// The jet space with these coordinates, or the smallest that has them.
fn space_of(chart: &Chart) -> Fallible<JetSpace> {
    chart
        .space()?
        .ok_or_else(|| Box::new(Diagnostic::error(&codes::WRONG_MANIFOLD, "these coordinates belong to no manifold")))
}

/// A distribution along a branch.
pub fn tangent_value(distribution: Distribution) -> Value {
    let (branch, coordinates) = (distribution.home().clone(), distribution.chart().symbols().to_vec());
    Value::OnBranch(Rc::new(OnBranch { value: Value::from(distribution), coordinates, branch, anew: None }))
}
