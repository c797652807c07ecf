//! Claims: `A = B`, `A < B`, `A is word`. Values are compared by what they mean: expressions by a zero
//! test, distributions by span, sets as real point sets, families and points in the keys given.

use super::operate::{as_expr, describe};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::ball;
use crate::algebra::decide;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Node, Relation, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::normal;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Ground, Rational, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::contact;
use crate::mechanics::constraint_structure::Tower;
use crate::model::value::{Claim, Fallible, Key, KeyPart, Point, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a value says when it is asserted.
pub fn truth(cx: &Inquiry, value: &Value) -> Fallible<Verdict> {
    match value {
        Value::Verdict(j) => Ok(j.verdict.clone()),
        Value::Claim(claim) => decide_claim(cx, claim),
        Value::Answer(answer) => match &answer.main {
            Some(main) => truth(cx, main),
            None => Err(not_a_verdict(value)),
        },
        _ => Err(not_a_verdict(value)),
    }
}

fn not_a_verdict(value: &Value) -> Box<Diagnostic> {
    Box::new(neither(&describe(value)))
}

/// Something that is neither true nor false.
pub fn neither(described: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_KIND, format!("{described} is neither true nor false"))
        .help("compare it with `=`, or ask for a verdict with `is`")
}

pub fn decide_claim(cx: &Inquiry, claim: &Claim) -> Fallible<Verdict> {
    let (left, right) = (&claim.left, &claim.right);
    // What is not known, such as a dimension of which there is a bound only, compares with a number like nothing does.
    for (value, other) in [(left.main(), right.main()), (right.main(), left.main())] {
        if let (Value::Verdict(j), Value::Expr(_)) = (&value, &other)
            && let Verdict::Unknown(why) = &j.verdict
        {
            return Ok(Verdict::unknown(why));
        }
    }
    match claim.relation {
        Relation::Equal => equal(cx, left, right, claim.within.as_ref()),
        Relation::NotEqual => Ok(equal(cx, left, right, claim.within.as_ref())?.negate()),
        relation => {
            let difference = as_expr(cx, left).map_err(|d| Box::new(d.or_at(claim.left_span, "the left side")))?
                - as_expr(cx, right).map_err(|d| Box::new(d.or_at(claim.right_span, "the right side")))?;
            let plain = compare_with_zero(cx, difference, relation);
            // A sign that is open everywhere may be known where the sides live.
            match super::place::common([left, right]).and_then(|along| along.tower.clone()) {
                Some(tower) if plain.is_unknown() => {
                    let put = |e, (s, value): &(_, _)| substitute(e, &std::iter::once((*s, *value)).collect());
                    Ok(compare_with_zero(cx, tower.solved.iter().rev().fold(difference, put), relation))
                }
                _ => Ok(plain),
            }
        }
    }
}

fn compare_with_zero(cx: &Inquiry, e: Expr, relation: Relation) -> Verdict {
    if let Ok(simple) = crate::algebra::normal::simplify(cx, e)
        && let Some(n) = simple.as_number()
    {
        return Verdict::from_bool(relation.holds(n), "exact arithmetic");
    }
    let sign = decide::sign(cx, e);
    if !(sign.is_positive() || sign.is_negative())
        && let Some(sign) = sign_of_constant(cx, e)
    {
        return Verdict::from_bool(relation.holds(&Rational::ratio(sign.into(), 1)), "an enclosure of the number");
    }
    let (holds, fails) = match relation {
        Relation::Less => (sign.is_negative(), sign.is_nonnegative()),
        Relation::LessEqual => (sign.is_nonpositive(), sign.is_positive()),
        Relation::Greater => (sign.is_positive(), sign.is_nonpositive()),
        Relation::GreaterEqual => (sign.is_nonnegative(), sign.is_negative()),
        Relation::Equal | Relation::NotEqual => return decide::is_zero(cx, e),
    };
    if holds {
        Verdict::yes("by the signs of its parts")
    } else if fails {
        Verdict::no("by the signs of its parts")
    } else {
        Verdict::unknown(format!("the sign of {e} is not known"))
    }
}

/// Whether two values are equal; `within` allows an absolute or relative difference.
pub fn equal(cx: &Inquiry, left: &Value, right: &Value, within: Option<&Rational>) -> Fallible<Verdict> {
    // A family or an answer against a point: in the keys listed there.
    if let Value::Point(point) = right {
        return equal_in_keys(cx, left, point, within);
    }
    if let Value::Point(point) = left {
        return equal_in_keys(cx, right, point, within);
    }
    if let Some(along) = super::place::common([left, right]) {
        let verdict = match (left.main(), right.main()) {
            (Value::Distribution(a), Value::Distribution(b)) => {
                Some(crate::geometry::distribution::same_span_on(cx, &along.branch, &a, &b))
            }
            (Value::Expr(a), Value::Expr(b)) if within.is_none() => Some(match &along.tower {
                Some(tower) => Ok(Tower {
                    values: &tower.solved,
                    says_all: tower.says_all,
                    sample: &tower.sample,
                    coordinates: &along.coordinates,
                    set: &along.branch,
                }
                .vanishes(cx, a - b)),
                None => crate::algebra::stratum::vanishes_on(cx, &along.coordinates, a - b, &along.branch),
            }),
            (Value::Matrix(a), Value::Matrix(b))
                if (a.matrix.n_rows(), a.matrix.n_columns()) == (b.matrix.n_rows(), b.matrix.n_columns()) =>
            {
                let entries: Vec<Value> = a.matrix.entries().map(|e| along.with(Value::Expr(e))).collect();
                let others: Vec<Value> = b.matrix.entries().map(Value::Expr).collect();
                return all_equal(cx, entries.iter().zip(&others), within);
            }
            (Value::Field(a), Value::Field(b)) if within.is_none() => {
                let rest: Vec<Value> =
                    (&a - &b).components().into_iter().map(|(_, e)| along.with(Value::Expr(e))).collect();
                let zeros = vec![Value::number(0); rest.len()];
                return all_equal(cx, rest.iter().zip(&zeros), None);
            }
            (Value::Matrix(m), Value::Expr(zero)) | (Value::Expr(zero), Value::Matrix(m)) if zero.is_zero() => {
                let entries: Vec<Value> = m.matrix.entries().map(|e| along.with(Value::Expr(e))).collect();
                let zeros = vec![Value::number(0); entries.len()];
                return all_equal(cx, entries.iter().zip(&zeros), within);
            }
            (Value::List(a), Value::List(b)) if a.len() == b.len() => {
                let entries: Vec<Value> = a.iter().map(|v| super::place::put(Some(along.clone()), v.clone())).collect();
                return all_equal(cx, entries.iter().zip(b.iter()), within);
            }
            (a @ (Value::Form(_) | Value::Force(_)), b) | (a, b @ (Value::Form(_) | Value::Force(_)))
                if within.is_none() =>
            {
                let (a, b) = (super::operate::as_form(cx, &a)?, super::operate::as_form(cx, &b)?);
                let rest = if a.degree() == b.degree() {
                    (&a - &b).coefficients()
                } else {
                    a.coefficients().into_iter().chain(b.coefficients()).collect()
                };
                let rest: Vec<Value> = rest.into_iter().map(|e| along.with(Value::Expr(e))).collect();
                let zeros = vec![Value::number(0); rest.len()];
                return match rest.is_empty() {
                    true => Ok(Verdict::yes("the same coefficients")),
                    false => all_equal(cx, rest.iter().zip(&zeros), None),
                };
            }
            _ => None,
        };
        if let Some(verdict) = verdict {
            return verdict.map_err(Into::into);
        }
    }
    let (left, right) = (left.main(), right.main());
    match (&left, &right) {
        // A set against a list of expressions: their common zeros.
        (Value::Set(set), Value::List(items)) | (Value::List(items), Value::Set(set)) => {
            let equations = super::operate::vector(cx, items)?;
            let branch = crate::model::set::Branch { equations, nonzero: vec![] };
            let zeros = crate::model::set::PointSet::new(set.space(), vec![branch]);
            set.equals(cx, &zeros).map_err(Into::into)
        }
        (Value::Series(_), _) | (_, Value::Series(_)) | (Value::Run(_), _) | (_, Value::Run(_)) => {
            crate::model::run::equal(cx, &left, &right, within)
        }
        // A list of one solution against that solution.
        (Value::List(a), Value::Expr(_)) if a.len() == 1 => equal(cx, &a[0], &right, within),
        (Value::Expr(_), Value::List(b)) if b.len() == 1 => equal(cx, &left, &b[0], within),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(Verdict::no(format!("lists of {} and {} entries", a.len(), b.len())));
            }
            all_equal(cx, a.iter().zip(b.iter()), within)
        }
        (Value::Matrix(a), Value::Matrix(b)) => {
            if let Some((a, b)) = super::tensor::aligned(a, b) {
                return equal(cx, &Value::from(a), &Value::from(b), within);
            }
            if (a.matrix.n_rows(), a.matrix.n_columns()) != (b.matrix.n_rows(), b.matrix.n_columns()) {
                return Ok(Verdict::no("matrices of different shapes"));
            }
            let entries = a.matrix.entries().zip(b.matrix.entries());
            Ok(Verdict::all(entries.map(|(x, y)| equal_exprs(cx, x, y, within)), "matrices without entries"))
        }
        (Value::Matrix(m), Value::List(l)) | (Value::List(l), Value::Matrix(m)) if l.is_empty() => {
            Ok(Verdict::from_bool(m.matrix.n_rows() == 0, "the number of rows"))
        }
        (Value::Family(a), Value::Family(b)) => {
            let mut verdicts = vec![];
            for (key, value) in &a.entries {
                match b.entries.get(key) {
                    Some(other) => verdicts.push(equal(cx, value, other, within)?),
                    None => return Ok(Verdict::no("families with different keys")),
                }
            }
            if a.entries.len() != b.entries.len() {
                return Ok(Verdict::no("families with different keys"));
            }
            Ok(Verdict::all(verdicts, "families without entries"))
        }
        (Value::Set(a), Value::Set(b)) => a.equals(cx, b).map_err(Into::into),
        (Value::Label(a), Value::Label(b)) => Ok(Verdict::from_bool(a == b, "labels")),
        (Value::Label(a), Value::Text(b)) | (Value::Text(b), Value::Label(a)) => {
            Ok(Verdict::from_bool(*a == &**b, "labels"))
        }
        (Value::Text(a), Value::Text(b)) => Ok(Verdict::from_bool(a == b, "texts")),
        (Value::Verdict(a), Value::Verdict(b)) => match (&a.verdict, &b.verdict) {
            (Verdict::Unknown(why), _) | (_, Verdict::Unknown(why)) => Ok(Verdict::Unknown(why.clone())),
            (x, y) => Ok(Verdict::from_bool(x.is_yes() == y.is_yes(), "verdicts")),
        },
        (Value::Rank(a), Value::Rank(b)) => Ok(match (&a.values[..], &b.values[..]) {
            ([x], [y]) if x == y => a.complete.clone().and(b.complete.clone()),
            (x, y) if x == y => Verdict::unknown("both ranks take the same values, perhaps not at the same points"),
            (x, y) => Verdict::no(format!("the ranks take the values {x:?} and {y:?}")),
        }),
        (Value::Rank(r), Value::Expr(n)) | (Value::Expr(n), Value::Rank(r)) => {
            let Some(n) = n.as_number().and_then(Rational::to_i64) else {
                return Ok(Verdict::no("a rank is a number"));
            };
            let same = r.values.len() == 1 && r.values[0] as i64 == n;
            Ok(if same { r.complete.clone() } else { Verdict::no(format!("the rank takes the values {:?}", r.values)) })
        }
        (Value::Distribution(a), Value::Distribution(b)) => a.equals(cx, b).map_err(Into::into),
        (Value::Codistribution(a), Value::Codistribution(b)) => a.equals(cx, b).map_err(Into::into),
        (Value::Field(a), Value::Field(b)) => Ok(a.equals(cx, b)),
        (Value::Field(a), Value::Expr(z)) | (Value::Expr(z), Value::Field(a)) if z.is_zero() => {
            Ok(a.equals(cx, &crate::geometry::field::VectorField::zero()))
        }
        (Value::Form(_) | Value::Force(_), _) | (_, Value::Form(_) | Value::Force(_)) => {
            let (a, b) = (super::operate::as_form(cx, &left)?, super::operate::as_form(cx, &right)?);
            Ok(a.equals(cx, &b))
        }
        _ => {
            if let (Ok(a), Ok(b)) = (as_expr(cx, &left), as_expr(cx, &right)) {
                return Ok(equal_exprs(cx, a, b, within));
            }
            // A system that is given by a form.
            if let (Ok(a), Ok(b)) = (super::operate::as_form(cx, &left), super::operate::as_form(cx, &right)) {
                return Ok(a.equals(cx, &b));
            }
            Err(Box::new(Diagnostic::error(
                &codes::WRONG_KIND,
                format!("{} cannot be compared with {}", describe(&left), describe(&right)),
            )))
        }
    }
}

fn all_equal<'a>(
    cx: &Inquiry,
    pairs: impl Iterator<Item = (&'a Value, &'a Value)>,
    within: Option<&Rational>,
) -> Fallible<Verdict> {
    let verdicts = pairs.map(|(a, b)| equal(cx, a, b, within)).collect::<Fallible<Vec<_>>>()?;
    Ok(Verdict::all(verdicts, "nothing to compare"))
}

/// In the keys listed in the point.
fn equal_in_keys(cx: &Inquiry, value: &Value, point: &Point, within: Option<&Rational>) -> Fallible<Verdict> {
    let mut verdicts = vec![];
    for entry in &point.entries {
        let found = match (entry.symbols.is_empty(), value) {
            // A recorded column has a name and no symbol.
            (true, Value::Point(p)) => p.entries.iter().find(|e| e.text == entry.text).map(|e| Value::Expr(e.value)),
            _ => entry.symbols.iter().find_map(|s| entry_of(value, *s)).or_else(|| match value {
                // So has a recorded multiplier.
                Value::Point(p) => p.entries.iter().find(|e| e.text == entry.text).map(|e| Value::Expr(e.value)),
                _ => None,
            }),
        };
        match found {
            Some(found) => verdicts.push(equal(cx, &found, &Value::Expr(entry.value), within)?),
            None => {
                return Err(Box::new(Diagnostic::error(
                    &codes::UNKNOWN_PART,
                    format!("{} has no entry `{}`", describe(value), entry.text),
                )));
            }
        }
    }
    Ok(Verdict::all(verdicts, "no keys to compare"))
}

fn entry_of(value: &Value, symbol: crate::algebra::Symbol) -> Option<Value> {
    let key: Key = SmallVec::from_elem(KeyPart::Symbol(symbol), 1);
    match value {
        Value::Answer(answer) => answer
            .family()
            .and_then(|f| f.entries.get(&key).cloned())
            .or_else(|| answer.main.as_ref().and_then(|m| entry_of(m, symbol))),
        Value::Family(family) => family.entries.get(&key).cloned(),
        Value::Field(field) => Some(Value::Expr(field.component(symbol))),
        Value::Point(p) => p.entries.iter().find(|e| e.symbols.contains(&symbol)).map(|e| Value::Expr(e.value)),
        _ => None,
    }
}

/// The sign of an expression without symbols that is not 0, by enclosures of growing precision.
fn sign_of_constant(cx: &Inquiry, e: Expr) -> Option<i32> {
    if !e.symbols().is_empty() {
        return None;
    }
    let enclosed = |bits| ball::evaluate(cx, e, &FxHashMap::default(), bits).ok().flatten()?.sign();
    [128, 512, 2048].into_iter().find_map(enclosed).filter(|sign| *sign != 0)
}

/// Two expressions: exactly, or numerically within a tolerance.
pub fn equal_exprs(cx: &Inquiry, a: Expr, b: Expr, within: Option<&Rational>) -> Verdict {
    let Some(tolerance) = within else { return vanishes_where_written(cx, a - b) };
    match distance_within(cx, a, b, tolerance) {
        Some(verdict) => verdict,
        // Not numbers: equal expressions are within every tolerance.
        None => match decide::is_zero(cx, a - b) {
            Verdict::Yes(g) => Verdict::Yes(g),
            _ => Verdict::unknown("the sides are not numbers, so their distance is not known"),
        },
    }
}

/// Whether a difference vanishes where what was written is real: √y·√y became y when it was read, and y < 0 is no
/// evidence against its being |y|.
fn vanishes_where_written(cx: &Inquiry, e: Expr) -> Verdict {
    let verdict = decide::is_zero(cx, e);
    let domain = cx.recorded_domain();
    match verdict {
        Verdict::No(_) if !domain.is_empty() => decide::is_zero(&cx.where_hold(&domain), e),
        Verdict::Yes(_) => differs_at_a_jump(cx, e).unwrap_or(verdict),
        _ => verdict,
    }
}

/// A zero test reads sign u as |u|/u, where u is not 0. It has a value there too: sign²x is 1 but at x = 0.
fn differs_at_a_jump(cx: &Inquiry, e: Expr) -> Option<Verdict> {
    let mut arguments = post_order(&[e]).into_iter().filter_map(|x| match x.node() {
        Node::Apply(Elementary::Sign, u) if !sign_of(cx, u[0]).is_nonzero() => Some(u[0]),
        _ => None,
    });
    arguments.find_map(|u| {
        let slope_by =
            |s: &Symbol| Some((*s, partial(&cx.apart(), u, *s).as_number().filter(|k| !k.is_zero())?.clone()));
        let (s, slope) = u.symbols().iter().find_map(slope_by)?;
        let zero = normal::simplify(cx, Expr::symbol(s) - u.scale(&slope.recip()?)).ok()?;
        let there = substitute(e, &FxHashMap::from_iter([(s, zero)]));
        match decide::is_zero(cx, there) {
            Verdict::No(_) => Some(Verdict::no(format!("it is not 0 where {u} = 0"))),
            _ => None,
        }
    })
}

/// |a − b| ≤ τ or |a − b| ≤ τ|b|, decided by enclosures of growing precision.
fn distance_within(cx: &Inquiry, a: Expr, b: Expr, tolerance: &Rational) -> Option<Verdict> {
    let nowhere = FxHashMap::default();
    let tolerance = Expr::number(tolerance.clone());
    let abs = |e: Expr| Expr::apply(crate::algebra::function::Elementary::Abs, &[e]);
    let one_or_b = Expr::apply(crate::algebra::function::Elementary::Max, &[Expr::one(), abs(b)]);
    let slack = tolerance * one_or_b - abs(a - b);
    for bits in [128, 512, 2048] {
        let ball = ball::evaluate(cx, slack, &nowhere, bits).ok()??;
        match ball.sign() {
            Some(s) if s >= 0 => return Some(Verdict::Yes(Ground::proved(format!("enclosure with {bits} bits")))),
            Some(_) => return Some(Verdict::No(Ground::proved(format!("enclosure with {bits} bits")))),
            None => {}
        }
    }
    Some(Verdict::unknown("the difference is as large as the tolerance to 2048 bits"))
}

/// Verdicts that can be said of a value with `is`.
pub fn natural_verdict(cx: &Inquiry, value: &Value, word: &str) -> Fallible<Option<Verdict>> {
    Ok(match (value, word) {
        (Value::Set(s), "empty") => Some(s.is_empty(cx)),
        (Value::Distribution(d), "vertical") => Some(d.is_vertical(cx)?),
        (Value::Codistribution(c), "vertical") => Some(c.annihilator(cx)?.is_vertical(cx)?),
        (Value::Run(r), _) => r.verdict(word),
        (Value::Distribution(d), "integrable" | "involutive") => Some(d.is_involutive(cx)?),
        (Value::Codistribution(c), "integrable" | "involutive") => Some(c.is_involutive(cx)?),
        (Value::Form(f), "horizontal" | "contact" | "dynamical" | "lepage" | "closed") if f.is_empty() => {
            Some(Verdict::yes("it is 0"))
        }
        (Value::Form(f), _) => {
            let Some(m) = f.manifold()? else { return Ok(None) };
            match word {
                "horizontal" => Some(contact::is_horizontal(cx, f).verdict),
                "contact" => Some(contact::is_contact(cx, f).verdict),
                "dynamical" => Some(contact::is_dynamical(cx, f, &m).verdict),
                "lepage" => Some(contact::is_lepage(cx, f, &m).verdict),
                "closed" => Some(contact::is_closed(cx, f).verdict),
                _ => None,
            }
        }
        (Value::Field(x), _) => {
            let Some(m) = x.manifold()? else { return Ok(None) };
            match word {
                "vertical" => Some(x.is_vertical(cx, &m).verdict),
                "projectable" => Some(x.is_projectable(cx, &m).verdict),
                "semispray" => Some(x.is_semispray(cx, &m.jets(x.order_on(cx, &m).order)).finding.verdict),
                _ => None,
            }
        }
        (Value::System(s), "closed") => match s.form(cx) {
            Some(f) => natural_verdict(cx, &Value::Form(f), word)?,
            None => None,
        },
        _ => None,
    })
}
