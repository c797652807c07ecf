//! Claims: `A = B`, `A < B`, `A is word`. Values are compared by what they mean: expressions by a zero
//! test, distributions by span, sets as real point sets, families and points in the keys given.

use super::operate::{as_expr, describe};
use crate::algebra::ball;
use crate::algebra::decide;
use crate::algebra::expr::Relation;
use crate::algebra::{Expr, Ground, Rational, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Claim, Fallible, Key, KeyPart, Point, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a value says when it is asserted.
pub fn truth(value: &Value) -> Fallible<Verdict> {
    match value {
        Value::Verdict(j) => Ok(j.verdict.clone()),
        Value::Claim(claim) => decide_claim(claim),
        Value::Answer(answer) => match &answer.main {
            Some(main) => truth(main),
            None => Err(not_a_verdict(value)),
        },
        _ => Err(not_a_verdict(value)),
    }
}

fn not_a_verdict(value: &Value) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::WRONG_KIND, format!("{} is neither true nor false", describe(value)))
            .help("compare it with `=`, or ask for a verdict with `is`"),
    )
}

pub fn decide_claim(claim: &Claim) -> Fallible<Verdict> {
    let (left, right) = (&claim.left, &claim.right);
    match claim.relation {
        Relation::Equal => equal(left, right, claim.within.as_ref()),
        Relation::NotEqual => Ok(equal(left, right, claim.within.as_ref())?.negate()),
        relation => {
            let difference = as_expr(left).map_err(|d| Box::new(d.or_at(claim.left_span, "the left side")))?
                - as_expr(right).map_err(|d| Box::new(d.or_at(claim.right_span, "the right side")))?;
            Ok(compare_with_zero(difference, relation))
        }
    }
}

fn compare_with_zero(e: Expr, relation: Relation) -> Verdict {
    if let Ok(simple) = crate::algebra::normal::simplify(e)
        && let Some(n) = simple.as_number()
    {
        return Verdict::from_bool(relation.holds(n), "exact arithmetic");
    }
    let sign = decide::sign(e);
    if !(sign.is_positive() || sign.is_negative())
        && let Some(sign) = sign_of_constant(e)
    {
        return Verdict::from_bool(relation.holds(&Rational::ratio(sign.into(), 1)), "an enclosure of the number");
    }
    let (holds, fails) = match relation {
        Relation::Less => (sign.is_negative(), sign.is_nonnegative()),
        Relation::LessEqual => (sign.is_nonpositive(), sign.is_positive()),
        Relation::Greater => (sign.is_positive(), sign.is_nonpositive()),
        Relation::GreaterEqual => (sign.is_nonnegative(), sign.is_negative()),
        Relation::Equal | Relation::NotEqual => return decide::is_zero(e),
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
pub fn equal(left: &Value, right: &Value, within: Option<&Rational>) -> Fallible<Verdict> {
    // A family or an answer against a point: in the keys listed there.
    if let Value::Point(point) = right {
        return equal_in_keys(left, point, within);
    }
    if let Value::Point(point) = left {
        return equal_in_keys(right, point, within);
    }
    let along = [left, right].into_iter().find_map(|v| match v {
        Value::OnBranch(along) => Some(along.clone()),
        _ => None,
    });
    if let Some(along) = along {
        let verdict = match (left.main(), right.main()) {
            (Value::Distribution(a), Value::Distribution(b)) => {
                Some(crate::questions::strata::same_span_on(&along.branch, &a, &b))
            }
            (Value::Expr(a), Value::Expr(b)) if within.is_none() => {
                Some(crate::algebra::stratum::vanishes_on(&along.coordinates, a - b, &along.branch))
            }
            _ => None,
        };
        if let Some(verdict) = verdict {
            return verdict.map_err(|stop| Box::new(crate::questions::exhausted(stop)));
        }
    }
    let (left, right) = (left.main(), right.main());
    match (&left, &right) {
        // A set against a list of expressions: their common zeros.
        (Value::Set(set), Value::List(items)) | (Value::List(items), Value::Set(set)) => {
            let equations = super::operate::vector(items)?;
            let branch = crate::model::set::Branch { equations, nonzero: vec![] };
            let zeros = crate::model::set::PointSet::new(set.space(), vec![branch]);
            set.equals(&zeros).map_err(|stop| Box::new(crate::questions::exhausted(stop)))
        }
        (Value::Series(_), _) | (_, Value::Series(_)) | (Value::Run(_), _) | (_, Value::Run(_)) => {
            crate::model::run::equal(&left, &right, within)
        }
        // A list of one solution against that solution.
        (Value::List(a), Value::Expr(_)) if a.len() == 1 => equal(&a[0], &right, within),
        (Value::Expr(_), Value::List(b)) if b.len() == 1 => equal(&left, &b[0], within),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(Verdict::no(format!("lists of {} and {} entries", a.len(), b.len())));
            }
            all_equal(a.iter().zip(b.iter()), within)
        }
        (Value::Matrix(a), Value::Matrix(b)) => {
            if let Some((a, b)) = crate::questions::tensors::aligned(a, b) {
                return equal(&Value::from(a), &Value::from(b), within);
            }
            if (a.matrix.n_rows(), a.matrix.n_columns()) != (b.matrix.n_rows(), b.matrix.n_columns()) {
                return Ok(Verdict::no("matrices of different shapes"));
            }
            let entries = a.matrix.entries().zip(b.matrix.entries());
            Ok(Verdict::all(entries.map(|(x, y)| equal_exprs(x, y, within)), "matrices without entries"))
        }
        (Value::Matrix(m), Value::List(l)) | (Value::List(l), Value::Matrix(m)) if l.is_empty() => {
            Ok(Verdict::from_bool(m.matrix.n_rows() == 0, "the number of rows"))
        }
        (Value::Family(a), Value::Family(b)) => {
            let mut verdicts = vec![];
            for (key, value) in &a.entries {
                match b.entries.get(key) {
                    Some(other) => verdicts.push(equal(value, other, within)?),
                    None => return Ok(Verdict::no("families with different keys")),
                }
            }
            if a.entries.len() != b.entries.len() {
                return Ok(Verdict::no("families with different keys"));
            }
            Ok(Verdict::all(verdicts, "families without entries"))
        }
        (Value::Set(a), Value::Set(b)) => a.equals(b).map_err(|stop| Box::new(crate::questions::exhausted(stop))),
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
        (Value::Distribution(a), Value::Distribution(b)) => a.equals(b).map_err(crate::questions::refusal),
        (Value::Codistribution(a), Value::Codistribution(b)) => a.equals(b).map_err(crate::questions::refusal),
        (Value::Field(a), Value::Field(b)) => Ok(a.equals(b)),
        (Value::Field(a), Value::Expr(z)) | (Value::Expr(z), Value::Field(a)) if z.is_zero() => {
            Ok(a.equals(&crate::geometry::field::VectorField::zero()))
        }
        (Value::Form(_) | Value::Force(_), _) | (_, Value::Form(_) | Value::Force(_)) => {
            let (a, b) = (super::operate::as_form(&left)?, super::operate::as_form(&right)?);
            Ok(a.equals(&b))
        }
        _ => {
            if let (Ok(a), Ok(b)) = (as_expr(&left), as_expr(&right)) {
                return Ok(equal_exprs(a, b, within));
            }
            Err(Box::new(Diagnostic::error(
                &codes::WRONG_KIND,
                format!("{} cannot be compared with {}", describe(&left), describe(&right)),
            )))
        }
    }
}

fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>, within: Option<&Rational>) -> Fallible<Verdict> {
    let verdicts = pairs.map(|(a, b)| equal(a, b, within)).collect::<Fallible<Vec<_>>>()?;
    Ok(Verdict::all(verdicts, "nothing to compare"))
}

/// In the keys listed in the point.
fn equal_in_keys(value: &Value, point: &Point, within: Option<&Rational>) -> Fallible<Verdict> {
    let mut verdicts = vec![];
    for entry in &point.entries {
        let found = match (entry.symbols.is_empty(), value) {
            // A recorded column has a name and no symbol.
            (true, Value::Point(p)) => p.entries.iter().find(|e| e.text == entry.text).map(|e| Value::Expr(e.value)),
            _ => entry.symbols.iter().find_map(|s| entry_of(value, *s)),
        };
        match found {
            Some(found) => verdicts.push(equal(&found, &Value::Expr(entry.value), within)?),
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
fn sign_of_constant(e: Expr) -> Option<i32> {
    if !e.symbols().is_empty() {
        return None;
    }
    let enclosed = |bits| ball::evaluate(e, &FxHashMap::default(), bits).ok().flatten()?.sign();
    [128, 512, 2048].into_iter().find_map(enclosed).filter(|sign| *sign != 0)
}

/// Two expressions: exactly, or numerically within a tolerance.
pub fn equal_exprs(a: Expr, b: Expr, within: Option<&Rational>) -> Verdict {
    let Some(tolerance) = within else { return decide::is_zero(a - b) };
    match distance_within(a, b, tolerance) {
        Some(verdict) => verdict,
        // Not numbers: equal expressions are within every tolerance.
        None => match decide::is_zero(a - b) {
            Verdict::Yes(g) => Verdict::Yes(g),
            _ => Verdict::unknown("the sides are not numbers, so their distance is not known"),
        },
    }
}

/// |a − b| ≤ τ or |a − b| ≤ τ|b|, decided by enclosures of growing precision.
fn distance_within(a: Expr, b: Expr, tolerance: &Rational) -> Option<Verdict> {
    let nowhere = FxHashMap::default();
    let tolerance = Expr::number(tolerance.clone());
    let abs = |e: Expr| Expr::apply(crate::algebra::function::Elementary::Abs, &[e]);
    let one_or_b = Expr::apply(crate::algebra::function::Elementary::Max, &[Expr::one(), abs(b)]);
    let slack = tolerance * one_or_b - abs(a - b);
    for bits in [128, 512, 2048] {
        let ball = ball::evaluate(slack, &nowhere, bits).ok()??;
        match ball.sign() {
            Some(s) if s >= 0 => return Some(Verdict::Yes(Ground::proved(format!("enclosure with {bits} bits")))),
            Some(_) => return Some(Verdict::No(Ground::proved(format!("enclosure with {bits} bits")))),
            None => {}
        }
    }
    Some(Verdict::unknown("the difference is as large as the tolerance to 2048 bits"))
}

/// `value is word`.
pub fn is_word(value: &Value, word: &str) -> Fallible<Verdict> {
    if let Some(verdict) = verdict_words(value, word)? {
        return Ok(verdict);
    }
    match value {
        Value::Answer(answer) => {
            if let Some(part) = answer.get(word) {
                return truth(&part?);
            }
            if let Some(kind) = answer.get("kind")
                && let Value::Label(label) = kind?
                && crate::model::labels::is_label(answer.question, word)
            {
                return Ok(Verdict::from_bool(label == word, "the kind of the answer"));
            }
            match &answer.main {
                Some(main) => is_word(main, word).map_err(|_| no_word(value, word)),
                None => Err(no_word(value, word)),
            }
        }
        Value::OnSpace(declared) => is_word(&declared.value, word),
        Value::OnBranch(_) => is_word(&value.main(), word),
        Value::Label(label) => Ok(Verdict::from_bool(*label == word, "the label")),
        other => match crate::model::parts::natural_verdict(other, word)? {
            Some(verdict) => Ok(verdict),
            None => Err(no_word(value, word)),
        },
    }
}

fn no_word(value: &Value, word: &str) -> Box<Diagnostic> {
    let (subject, parts): (String, Vec<&str>) = match value {
        Value::Answer(answer) => (format!("the answer to `{}`", answer.question), answer.part_names().collect()),
        other => (describe(other), vec![]),
    };
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_PART, format!("`{word}` cannot be said of {subject}"))
        .note("`is` takes a verdict part of the answer, one of its labels, or yes, no, unknown");
    Box::new(match crate::diagnostic::suggest::nearest(word, parts) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    })
}

/// `v is yes`, `v is no`, `v is unknown`.
fn verdict_words(value: &Value, word: &str) -> Fallible<Option<Verdict>> {
    if !matches!(word, "yes" | "no" | "unknown") {
        return Ok(None);
    }
    let verdict = truth(value)?;
    Ok(Some(match (word, &verdict) {
        ("unknown", v) => Verdict::from_bool(v.is_unknown(), "the verdict"),
        (_, Verdict::Unknown(why)) => Verdict::Unknown(why.clone()),
        ("yes", v) => v.clone(),
        (_, v) => v.clone().negate(),
    }))
}
