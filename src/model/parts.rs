//! Parts that every value of a kind has, without being asked a question: the branches of a set, the
//! generators of a distribution, the values of a rank.

use super::value::{Fallible, Judgement, Value};
use crate::algebra::{Verdict, conditions};
use crate::budget::within;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::contact;
use crate::questions::distributions::{is_homeless, no_home, point_set, strata_value};
use crate::questions::polynomials::PATIENCE;
use crate::questions::refusal;
use crate::questions::sets::submanifold;
use crate::questions::systems::stopped;

/// The names of these parts.
pub fn natural_parts(value: &Value) -> &'static [&'static str] {
    match value {
        Value::Set(_) => &["branches", "empty", "dim", "configuration", "locus"],
        Value::Rank(_) => &["values", "strata"],
        Value::Distribution(_) | Value::Codistribution(_) => {
            &["forms", "fields", "rank", "weakly_horizontal", "integrable", "vertical", "locus"]
        }
        Value::Run(_) => super::run::PARTS,
        Value::Series(_) => &["first", "last", "max", "min"],
        _ => &[],
    }
}

pub fn natural_part(value: &Value, name: &str) -> Fallible<Option<Value>> {
    Ok(Some(match (value, name) {
        (Value::Set(s), "branches") => Value::list(s.branches().iter().map(|b| Value::from(s.only(b)))),
        (Value::Set(s), "empty") => Value::from(s.is_empty()),
        (Value::Set(s), "dim") => match submanifold(s).dimension().map_err(stopped)? {
            Some(n) => Value::count(n),
            None => {
                return Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the empty set has no dimension")));
            }
        },
        (Value::Set(s), "configuration") => {
            let y = s.space().manifold();
            let space = y.jets(0);
            let projected = submanifold(s).projection(&space.chart(), |x| y.order_of_symbol(x) == Some(0));
            Value::from(super::set::PointSet::new(&space, projected.map_err(stopped)?.branches().to_vec()))
        }
        (Value::Set(s), "locus") => point_set(&submanifold(s).singular_points().map_err(stopped)?)?,
        (Value::Set(s), "equations") if s.branches().len() == 1 => Value::exprs(s.branches()[0].equations.clone()),
        (Value::Set(s), "nonzero") if s.branches().len() == 1 => Value::exprs(s.branches()[0].nonzero.clone()),
        (Value::Rank(r), "values") => Value::list(r.values.iter().map(|n| Value::count(*n))),
        (Value::Rank(r), "strata") => {
            Value::list(super::show::strata(r).iter().map(|(b, _)| Value::Text(super::set::branch_text(b).into())))
        }
        (Value::Distribution(d), "forms" | "weakly_horizontal" | "locus") if is_homeless(d.chart()) => {
            return Err(Box::new(no_home("Y")));
        }
        (Value::Codistribution(c), "fields" | "weakly_horizontal" | "locus") if is_homeless(c.chart()) => {
            return Err(Box::new(no_home("Y")));
        }
        (Value::Distribution(d), "fields") => Value::list(d.fields().iter().cloned().map(Value::Field)),
        (Value::Distribution(d), "forms") => {
            let forms = d.annihilator().map_err(refusal)?;
            Value::list(forms.forms().iter().cloned().map(Value::Form))
        }
        (Value::Distribution(d), "rank") => strata_value(|| d.rank(), || d.generic_rank(), d.rank_matrix())?,
        // Strata are exact at every point: they do not rest on the generic basis.
        (Value::Distribution(d), "weakly_horizontal") => {
            point_set(&conditions::collect(|| within(PATIENCE, || d.weakly_horizontal())).0.map_err(stopped)?)?
        }
        (Value::Distribution(d), "locus") => {
            point_set(&conditions::collect(|| within(PATIENCE, || d.singular_points())).0.map_err(stopped)?)?
        }
        (Value::Distribution(d), "vertical") => Value::from(d.is_vertical().map_err(stopped)?),
        (Value::Distribution(d), "integrable") => Value::from(d.is_involutive().map_err(refusal)?),
        (Value::Codistribution(c), "weakly_horizontal" | "locus") => {
            let distribution = conditions::collect(|| c.annihilator()).0.map_err(refusal)?;
            return natural_part(&Value::from(distribution), name);
        }
        (Value::Codistribution(c), "vertical" | "integrable") => {
            let distribution = c.annihilator().map_err(refusal)?;
            return natural_part(&Value::from(distribution), name);
        }
        (Value::Codistribution(c), "forms") => Value::list(c.forms().iter().cloned().map(Value::Form)),
        (Value::Codistribution(c), "fields") => {
            let fields = c.annihilator().map_err(refusal)?;
            Value::list(fields.fields().iter().cloned().map(Value::Field))
        }
        (Value::Codistribution(c), "rank") => strata_value(|| c.rank(), || c.generic_rank(), c.rank_matrix())?,
        (Value::Run(r), _) => return r.part(name),
        (Value::Series(s), _) => return s.part(name),
        (Value::Point(p), _) => match p.entries.iter().find(|e| e.text == name) {
            Some(entry) => super::run::as_double(entry.value).map_or(Value::Expr(entry.value), Value::Float),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// Verdicts that can be said of a value with `is`.
pub fn natural_verdict(value: &Value, word: &str) -> Fallible<Option<Verdict>> {
    Ok(match (value, word) {
        (Value::Set(s), "empty") => Some(s.is_empty()),
        (Value::Distribution(d), "vertical") => Some(d.is_vertical().map_err(stopped)?),
        (Value::Codistribution(c), "vertical") => {
            Some(c.annihilator().map_err(refusal)?.is_vertical().map_err(stopped)?)
        }
        (Value::Run(r), _) => r.verdict(word),
        (Value::Distribution(d), "integrable" | "involutive") => Some(d.is_involutive().map_err(refusal)?),
        (Value::Codistribution(c), "integrable" | "involutive") => Some(c.is_involutive().map_err(refusal)?),
        (Value::Form(f), _) => {
            let Some(m) = f.manifold().map_err(refusal)? else { return Ok(None) };
            match word {
                "horizontal" => Some(contact::is_horizontal(f).verdict),
                "contact" => Some(contact::is_contact(f).verdict),
                "dynamical" => Some(contact::is_dynamical(f, &m).verdict),
                "lepage" => Some(contact::is_lepage(f, &m).verdict),
                "closed" => Some(contact::is_closed(f).verdict),
                _ => None,
            }
        }
        (Value::Field(x), _) => {
            let Some(m) = x.manifold().map_err(refusal)? else { return Ok(None) };
            match word {
                "vertical" => Some(x.is_vertical(&m).verdict),
                "projectable" => Some(x.is_projectable(&m).verdict),
                "semispray" => Some(x.is_semispray(&m.jets(x.order_on(&m).order)).finding.verdict),
                _ => None,
            }
        }
        (Value::System(s), "closed") => match s.form() {
            Some(f) => natural_verdict(&Value::Form(f), word)?,
            None => None,
        },
        _ => None,
    })
}

/// A verdict with no way to take it again.
pub fn plain(verdict: Verdict) -> Judgement {
    Judgement { verdict, at: None }
}
