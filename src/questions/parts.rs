//! Parts that every value of a kind has, without being asked a question: the branches of a set, the
//! generators of a distribution, the values of a rank.

use super::distributions::{is_homeless, no_home, point_set, strata_value};
use super::sets::submanifold;
use crate::algebra::{Inquiry, Verdict, conditions};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::Kinds;
use crate::model::set::{PointSet, branch_text};
use crate::model::value::{Fallible, Value};
use crate::model::{run, show};
use crate::motion::swept;

/// The names of these parts.
pub fn natural_parts(value: &Value) -> Vec<&'static str> {
    let mut names = Kinds::of_value(value).own_parts();
    if matches!(value.meant(), Value::Set(set) if set.branches().len() != 1) {
        names.retain(|name| !OF_ONE_BRANCH.contains(name));
    }
    names
}

/// Parts that a set has if it has one branch.
const OF_ONE_BRANCH: [&str; 2] = ["equations", "nonzero"];

/// A dimension of which nothing more is known.
pub fn at_most(n: usize, known: &Verdict) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::UNDECIDED, format!("the dimension is at most {n}"));
    match known {
        Verdict::Unknown(why) => diagnostic.note(why.clone()),
        Verdict::Yes(_) | Verdict::No(_) => diagnostic,
    }
}

pub fn natural_part(cx: &Inquiry, value: &Value, name: &str) -> Fallible<Option<Value>> {
    Ok(Some(match (value, name) {
        (Value::Set(s), "branches") => Value::list(s.branches().iter().map(|b| Value::from(s.only(b)))),
        (Value::Set(s), "empty") => Value::from(s.is_empty(cx)),
        (Value::Set(s), "dim") => match submanifold(s).real_dimension(cx)? {
            Some((n, known)) if known.is_yes() => Value::count(n),
            Some((n, known)) => return Err(Box::new(at_most(n, &known))),
            None => {
                return Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the empty set has no dimension")));
            }
        },
        (Value::Set(s), "configuration") => {
            let y = s.space().manifold();
            let space = y.jets(0);
            let projected = submanifold(s).projection(cx, &space.chart(), |x| y.order_of_symbol(x) == Some(0));
            Value::from(PointSet::new(&space, projected?.branches().to_vec()))
        }
        (Value::Set(s), "locus") => point_set(&submanifold(s).singular_points(cx)?)?,
        (Value::Set(s), "equations") if s.branches().len() == 1 => Value::exprs(s.branches()[0].equations.clone()),
        (Value::Set(s), "nonzero") if s.branches().len() == 1 => Value::exprs(s.branches()[0].nonzero.clone()),
        (Value::Rank(r), "values") => Value::list(r.values.iter().map(|n| Value::count(*n))),
        (Value::Rank(r), "strata") => {
            Value::list(show::strata(r).iter().map(|(b, _)| Value::Text(branch_text(cx, b).into())))
        }
        (Value::Distribution(d), "forms" | "weakly_horizontal" | "locus") if is_homeless(d.chart()) => {
            return Err(Box::new(no_home("Y")));
        }
        (Value::Codistribution(c), "fields" | "weakly_horizontal" | "locus") if is_homeless(c.chart()) => {
            return Err(Box::new(no_home("Y")));
        }
        (Value::Distribution(d), "fields") => Value::list(d.fields(cx).iter().cloned().map(Value::Field)),
        (Value::Distribution(d), "forms") => {
            let forms = d.annihilator(cx)?;
            Value::list(forms.forms(cx).iter().cloned().map(Value::Form))
        }
        (Value::Distribution(d), "rank") => strata_value(cx, || d.rank(cx), || d.generic_rank(cx), d.rank_matrix())?,
        // Strata are exact at every point: they do not rest on the generic basis.
        (Value::Distribution(d), "weakly_horizontal") => {
            point_set(&conditions::collect(cx, |cx| cx.within(share::SEARCH, || d.weakly_horizontal(cx))).0?)?
        }
        (Value::Distribution(d), "locus") => {
            point_set(&conditions::collect(cx, |cx| cx.within(share::SEARCH, || d.singular_points(cx))).0?)?
        }
        (Value::Distribution(d), "vertical") => Value::from(d.is_vertical(cx)?),
        (Value::Distribution(d), "integrable") => Value::from(d.is_involutive(cx)?),
        (Value::Codistribution(c), "weakly_horizontal" | "locus") => {
            let distribution = conditions::collect(cx, |cx| c.annihilator(cx)).0?;
            return natural_part(cx, &Value::from(distribution), name);
        }
        (Value::Codistribution(c), "vertical" | "integrable") => {
            let distribution = c.annihilator(cx)?;
            return natural_part(cx, &Value::from(distribution), name);
        }
        (Value::Codistribution(c), "forms") => Value::list(c.forms(cx).iter().cloned().map(Value::Form)),
        (Value::Codistribution(c), "fields") => {
            let fields = c.annihilator(cx)?;
            Value::list(fields.fields(cx).iter().cloned().map(Value::Field))
        }
        (Value::Codistribution(c), "rank") => strata_value(cx, || c.rank(cx), || c.generic_rank(cx), c.rank_matrix())?,
        (Value::Run(r), _) => return Ok(run::part(r, name)),
        (Value::Sweep(table), _) => {
            let own = swept::PARTS.iter().find(|(part, _)| *part == name);
            return Ok(match own {
                Some((_, take)) => Some(Value::number(take(table) as i64)),
                None => table.column(name).map(Value::Series),
            });
        }
        (Value::Series(s), _) => return Ok(s.part(name)?.map(Value::Float)),
        (Value::Point(p), _) => match p.entries.iter().find(|e| e.text == name) {
            Some(entry) => entry.taken_out(),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}
