//! Questions about sets: unions, everything, restriction to a set, tangency.

use super::distributions::tangent_value;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::normal::{Context, canonical_fraction};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::Frame;
use crate::algebra::{Expr, Verdict, conditions};
use crate::budget::Budgeted;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::Distribution;
use crate::geometry::restriction::Restriction;
use crate::geometry::submanifold::{Submanifold, Tangency};
use crate::geometry::{Form, VectorField};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "everything",
        parameters: &[one("J1(Y)", SPACE)],
        help: "the whole space",
        options: &[],
        gives: Gives::Kinds(SET),
        parts: &[part("branches", LIST, "one, without equations"), part("empty", VERDICT, "no")],
        run: everything,
    },
    Question {
        name: "union",
        parameters: &[many("K", SET)],
        help: "the union of sets",
        options: &[],
        gives: Gives::Kinds(SET),
        parts: &[part("branches", LIST, "of all of them"), part("empty", VERDICT, "all are empty")],
        run: union,
    },
    Question {
        name: "intersection",
        parameters: &[many("K", SET)],
        help: "the intersection of sets",
        options: &[],
        gives: Gives::Kinds(SET),
        parts: &[part("branches", LIST, "the pieces"), part("empty", VERDICT, "they do not meet")],
        run: intersection,
    },
    Question {
        name: "restrict",
        parameters: &[one("A", ANY), one("K", SET)],
        help: "a function, form, tangent field, distribution or set along a submanifold; a list by branches if it has several",
        options: &[],
        gives: Gives::Kinds(ANY),
        parts: &[],
        run: restrict,
    },
    Question {
        name: "tangent",
        parameters: &[one("ξ", FIELD.or(SUBSPACE).or(SET)), optional("K", SET)],
        help: "whether a field or distribution is tangent to a set; tangent(K) is its tangent distribution",
        options: &[],
        gives: Gives::Kinds(VERDICT.or(SUBSPACE).or(LIST)),
        parts: &[
            part("equation", FUNCTION, "f, zero on the set"),
            part("rate", FUNCTION, "its derivative along the field, not zero on the set"),
        ],
        run: tangent,
    },
];

fn everything(a: &Arguments) -> Fallible<Value> {
    let space = match a.value(0)?.main() {
        Value::Space(s) => s,
        Value::Manifold(m) => m.jets(0),
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a manifold or jet space is needed here")
                    .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
            ));
        }
    };
    Ok(Value::from(PointSet::new(&space, vec![Branch::everything()])))
}

fn set(a: &Arguments, i: usize) -> Fallible<Rc<PointSet>> {
    match a.value(i)?.main() {
        Value::Set(s) => Ok(s),
        Value::Constraint(c) => {
            let equations = c.equations.iter().map(|(e, _)| *e).collect();
            Ok(Rc::new(PointSet::new(&c.space, vec![Branch { equations, nonzero: vec![] }])))
        }
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a set is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}

/// All the sets, each seen on the jet space of the highest order; refused when they live on different manifolds.
fn sets(a: &Arguments) -> Fallible<(crate::geometry::JetSpace, Vec<Rc<PointSet>>)> {
    let list = (0..a.positional.len()).map(|i| set(a, i)).collect::<Fallible<Vec<_>>>()?;
    let mut space = list[0].space().clone();
    for (i, s) in list.iter().enumerate() {
        let other = s.space();
        let manifold = space.manifold().join(other.manifold());
        let manifold = manifold.map_err(|r| Box::new(Diagnostic::from(r).or_at(a.positional[i].span, "this set")))?;
        space = manifold.jets(space.order().max(other.order()));
    }
    Ok((space, list))
}

fn union(a: &Arguments) -> Fallible<Value> {
    let (space, list) = sets(a)?;
    let branches = list.iter().flat_map(|s| s.branches().iter().cloned()).collect();
    Ok(Value::from(PointSet::new(&space, branches)))
}

fn intersection(a: &Arguments) -> Fallible<Value> {
    let (space, list) = sets(a)?;
    let all = list.iter().map(|s| submanifold(s)).reduce(|x, y| x.intersection(&y)).expect("at least one");
    let all = Submanifold::new(&space.chart(), all.branches().to_vec()).simplified(&a.cx)?;
    Ok(Value::from(PointSet::new(&space, all.branches().to_vec())))
}

/// The set in the coordinates of its space.
pub fn submanifold(set: &PointSet) -> Submanifold {
    Submanifold::new(&set.space().chart(), set.branches().to_vec())
}

fn restrict(a: &Arguments) -> Fallible<Value> {
    let set = set(a, 1)?;
    let value = a.value(0)?;
    a.lives_on(0, set.space().manifold())?;
    if let Value::Set(other) = value.main() {
        let order = other.space().order().max(set.space().order());
        let space = other.space().manifold().jets(order);
        let both = submanifold(&other).intersection(&submanifold(&set)).simplified(&a.cx)?;
        return Ok(Value::from(PointSet::new(&space, both.branches().to_vec())));
    }
    let whole = submanifold(&set);
    if whole.is_empty(&a.cx)?.is_yes() {
        return Err(Box::new(
            Diagnostic::error(&codes::DEGENERATE, "this set is empty, nothing can be restricted to it")
                .label(a.positional[1].span, "no point lies in it"),
        ));
    }
    let at = |d: Box<Diagnostic>| Box::new(d.or_at(a.positional[0].span, "this object"));
    match value.main() {
        Value::Distribution(d) => {
            let parts = d.restrict(&a.cx, &whole_for(d.chart(), &whole)).map_err(Into::into).map_err(at)?;
            Ok(one_or_list(parts.into_iter().map(tangent_value).collect()))
        }
        Value::Codistribution(c) => {
            // The forms and the differentials of the equations span it everywhere on the set.
            let (parts, _) = conditions::collect(&a.cx, |cx| c.restrict(cx, &whole_for(c.chart(), &whole)));
            let parts = parts.map_err(Into::into).map_err(at)?;
            Ok(one_or_list(parts.into_iter().map(Value::from).collect()))
        }
        _ => {
            let simple = whole.simplified(&a.cx)?;
            let mut parts = vec![];
            for branch in simple.branches() {
                let chart = larger(&a.cx, simple.chart(), &value);
                let along = Restriction::new(&a.cx, &chart, branch)?;
                parts.push(restricted(a, &along, &simple, &value).map_err(at)?);
            }
            Ok(one_or_list(parts))
        }
    }
}

/// The set in a chart that may have more coordinates.
fn whole_for(chart: &crate::geometry::Chart, set: &Submanifold) -> Submanifold {
    let chart = if chart.dimension() > set.chart().dimension() { chart } else { set.chart() };
    Submanifold::new(chart, set.branches().to_vec())
}

/// The chart of the set with the coordinates of the object that it does not have.
fn larger(cx: &Inquiry, chart: &crate::geometry::Chart, value: &Value) -> crate::geometry::Chart {
    let symbols = match value.main() {
        Value::Form(f) => f.symbols(),
        Value::Field(x) => x.symbols(),
        other => operate::as_expr(cx, &other).map(|e| e.symbols()).unwrap_or_default(),
    };
    let more = symbols.into_iter().filter(|s| !s.is_parameter() && !chart.contains(*s)).collect::<Vec<_>>();
    crate::geometry::Chart::new(chart.symbols().iter().copied().chain(more))
}

/// One value for one branch, a list for several.
fn one_or_list(mut parts: Vec<Value>) -> Value {
    if parts.len() == 1 { parts.remove(0) } else { Value::list(parts) }
}

fn restricted(a: &Arguments, along: &Restriction, set: &Submanifold, value: &Value) -> Fallible<Value> {
    match value.main() {
        Value::Form(f) => form_value(along.form(&a.cx, &f)?),
        Value::Field(x) => {
            let Tangency { verdict, evidence } = set.is_tangent(&a.cx, &x)?;
            if let (false, Some((f, rate))) = (verdict.is_yes(), evidence) {
                let why = match verdict {
                    Verdict::Unknown(why) => format!("whether {rate} vanishes on the set is unknown: {why}"),
                    _ => format!("along the field {f} changes at the rate {rate}, which is not zero on the set"),
                };
                return Err(Box::new(
                    Diagnostic::error(&codes::DEGENERATE, "this field is not tangent to the set")
                        .label(a.positional[0].span, "it leads out of it")
                        .note(why)
                        .help("`tangent(ξ, K)` decides it; a distribution is restricted to what is tangent"),
                ));
            }
            Ok(Value::Field(along.field(&a.cx, &x)?))
        }
        Value::List(items) => {
            let items = items.iter().map(|v| restricted(a, along, set, v)).collect::<Fallible<Vec<_>>>()?;
            Ok(Value::list(items))
        }
        Value::Matrix(m) => {
            let matrix = m.matrix.try_map(|e| along.function(&a.cx, e))?;
            Ok(Value::from(LabelledMatrix { matrix, rows: m.rows.clone(), columns: m.columns.clone() }))
        }
        Value::Force(force) => form_value(along.form(&a.cx, &force.form())?),
        other => Ok(Value::Expr(along.function(&a.cx, operate::as_expr(&a.cx, &other)?)?)),
    }
}

fn form_value(form: Form) -> Fallible<Value> {
    Ok(match form.as_function() {
        Some(e) => Value::Expr(e),
        None => Value::Form(form),
    })
}

/// Fields that span a tangent space have denominators, and span it where these do not vanish: where they may, that is said.
fn note_denominators(cx: &Inquiry, space: &Distribution) -> Budgeted<()> {
    let components: Vec<Expr> =
        space.fields(cx).iter().flat_map(|x| x.components()).map(|(_, component)| component).collect();
    let branch = space.home();
    let all: Vec<Expr> = branch.equations.iter().chain(&branch.nonzero).chain(&components).copied().collect();
    let frame = Frame::new(cx, space.chart().symbols(), &all)?;
    let context = Context::of(cx, &all)?;
    let cells = frame.cells(cx, branch)?;
    let mut seen: Vec<Polynomial> = Vec::new();
    for e in components {
        let Some((_, below)) = canonical_fraction(cx, context, e)? else { continue };
        for f in frame.irreducible_factors(cx, &below) {
            if seen.contains(&f) {
                continue;
            }
            for cell in &cells {
                if !frame.is_nonvanishing_on(cx, cell, &f)? {
                    conditions::record_nonzero(cx, frame.write(&f));
                    break;
                }
            }
            seen.push(f);
        }
    }
    Ok(())
}

fn tangent(a: &Arguments) -> Fallible<Value> {
    if a.positional.len() == 1 {
        let spaces = submanifold(&*set(a, 0)?).tangent_spaces(&a.cx)?;
        for space in &spaces {
            note_denominators(&a.cx, space)?;
        }
        return Ok(one_or_list(spaces.into_iter().map(tangent_value).collect()));
    }
    let set = set(a, 1)?;
    a.lives_on(0, set.space().manifold())?;
    let whole = submanifold(&set);
    let fields: Vec<VectorField> = match a.value(0)?.main() {
        Value::Distribution(d) => d.fields(&a.cx).to_vec(),
        Value::Codistribution(c) => c.annihilator(&a.cx)?.fields(&a.cx).to_vec(),
        _ => vec![a.field(0)?],
    };
    let mut verdict = Verdict::yes("the equations stay zero along it");
    let mut evidence = None;
    for field in &fields {
        let found = whole.is_tangent(&a.cx, field)?;
        if !found.verdict.is_yes() && evidence.is_none() {
            evidence = found.evidence;
        }
        verdict = if fields.len() == 1 { found.verdict } else { verdict.and(found.verdict) };
    }
    let mut answer = Answer::new("tangent").main(verdict);
    if let Some((f, rate)) = evidence {
        answer = answer.part("equation", f).part("rate", rate);
    }
    Ok(Value::from(answer))
}
