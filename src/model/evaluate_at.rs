//! `A at { x = 1, m = 3 }`: substitutes in every expression of a value and keeps its shape; what is
//! not an expression is decided anew at the point.

use super::operate::describe;
use crate::algebra::Inquiry;
use crate::algebra::conditions::{self, Recorded};
use crate::algebra::expr::{Condition, Node, Relation, Undefined, post_order};
use crate::algebra::linear::Matrix;
use crate::algebra::number::Rational;
use crate::algebra::substitute::{substitute, undefined_part};
use crate::algebra::{Expr, Symbol, Verdict, decide};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Claim, Fallible, Family, LabelledMatrix, OnBranch, Point, PointEntry, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The substitution a point stands for.
pub fn assignment(point: &Point) -> FxHashMap<Symbol, Expr> {
    let mut map = FxHashMap::default();
    for entry in &point.entries {
        for symbol in &entry.symbols {
            map.insert(*symbol, entry.value);
        }
    }
    map
}

/// The value at the point.
pub fn value_at(cx: &Inquiry, value: &Value, point: &Point) -> Fallible<Value> {
    let map = assignment(point);
    at(cx, value, point, &map)
}

/// The value at the point, for one that was found under conditions: divisors, and what was stated. They are decided there:
/// where one fails there is no value, and no such point in a set.
pub fn value_under(cx: &Inquiry, value: &Value, point: &Point, recorded: Recorded) -> Fallible<Value> {
    let map = assignment(point);
    let there = |c: &Condition| Condition { left: substitute(c.left, &map), ..*c };
    let mut left = Recorded { real: recorded.real, ..Recorded::default() };
    let divisors: Vec<Condition> = recorded.nonzero.iter().map(|e| Condition::nonzero(*e)).collect();
    for condition in divisors.iter().chain(&recorded.stated) {
        let there = there(condition);
        match there.decided(cx) {
            Some(true) => {}
            None if there.left.as_undefined().is_none() => match condition.relation {
                Relation::NotEqual => left.nonzero.push(there.left),
                _ => left.stated.push(there),
            },
            // What is decided anew at the point does not rest on what holds elsewhere.
            _ if is_decided_anew(value) => {}
            _ if matches!(value.meant(), Value::Set(_)) => {
                let condition = crate::model::show::condition_text(cx, condition);
                return Ok(Value::from(Verdict::no(format!("{condition} fails there"))));
            }
            _ => return Err(fails_there(cx, condition)),
        }
    }
    conditions::record_all(cx, &left);
    at(cx, value, point, &map)
}

fn is_decided_anew(value: &Value) -> bool {
    match value {
        Value::Rank(_) => true,
        Value::OnBranch(there) => there.anew.is_some(),
        Value::Verdict(judgement) => judgement.at.is_some(),
        _ => false,
    }
}

fn fails_there(cx: &Inquiry, condition: &Condition) -> Box<Diagnostic> {
    let condition = crate::model::show::condition_text(cx, condition);
    Box::new(
        Diagnostic::error(&codes::DEGENERATE, "the answer does not hold at this point")
            .note(format!("it rests on {condition}, which fails there")),
    )
}

fn at(cx: &Inquiry, value: &Value, point: &Point, map: &FxHashMap<Symbol, Expr>) -> Fallible<Value> {
    Ok(match value {
        Value::Expr(e) => Value::Expr(expr_at(cx, *e, map)?),
        Value::Form(f) => Value::Form(f.map_coefficients(|c| expr_at_or_poison(cx, c, map))),
        Value::Field(x) => Value::Field(x.map_components(|c| expr_at_or_poison(cx, c, map))),
        Value::OnSpace(declared) => return at(cx, &declared.value, point, map),
        Value::OnBranch(there) => {
            let map = &with_solved(cx, there, map);
            on_the_branch(cx, &there.branch, map)?;
            if let Some(anew) = &there.anew
                && there.branch.equations.iter().all(|e| decide::is_zero(cx, substitute(*e, map)).is_yes())
                && let Some(found) = anew(cx, map)?
            {
                return Ok(found);
            }
            return at(cx, &value.main(), point, map);
        }
        Value::Matrix(m) => {
            Value::from(LabelledMatrix { matrix: m.matrix.try_map(|e| expr_at(cx, e, map))?, ..(**m).clone() })
        }
        Value::List(items) => Value::list(items.iter().map(|v| at(cx, v, point, map)).collect::<Fallible<Vec<_>>>()?),
        Value::Family(family) => Value::Family(Rc::new(family_at(cx, family, point, map)?)),
        Value::Point(p) => Value::Point(Rc::new(Point {
            entries: p
                .entries
                .iter()
                .map(|e| Ok(PointEntry { value: expr_at(cx, e.value, map)?, ..e.clone() }))
                .collect::<Fallible<Vec<_>>>()?,
        })),
        Value::Verdict(j) => match &j.at {
            Some(again) => Value::from(again(cx, point)?),
            None => value.clone(),
        },
        Value::Claim(c) => {
            let there = Claim {
                relation: c.relation,
                left: at(cx, &c.left, point, map)?,
                right: at(cx, &c.right, point, map)?,
                within: c.within.clone(),
                left_span: c.left_span,
                right_span: c.right_span,
            };
            Value::from(super::compare::decide_claim(cx, &there)?)
        }
        Value::Rank(r) => {
            let rank_of = |matrix: &Matrix| -> Fallible<usize> {
                let there = matrix.try_map(|e| expr_at(cx, e, map))?;
                there.rank_of_numbers(cx).ok_or_else(|| undetermined("this rank", &there))
            };
            let rank = rank_of(&r.matrix)?;
            let whole = r.whole.as_ref().map(rank_of).transpose()?.or(r.complement);
            Value::count(whole.map_or(rank, |n| n.saturating_sub(rank)))
        }
        Value::Set(s) if let Some(left) = open_set(cx, s, map) => match left.is_empty(cx) {
            Verdict::Yes(_) => Value::from(Verdict::no("no values of the other coordinates lie in it")),
            _ => Value::from(left),
        },
        Value::Set(s) => Value::from(s.contains(cx, map)?),
        Value::Distribution(d) => {
            on_the_branch(cx, d.home(), map)?;
            let matrix = d.rank_matrix().0.try_map(|e| expr_at(cx, e, map))?;
            let reduced = d.rref_at(cx, map).ok_or_else(|| undetermined("this distribution", &matrix))?;
            Value::matrix(reduced)
        }
        Value::Codistribution(c) => {
            on_the_branch(cx, c.home(), map)?;
            let matrix = c.rank_matrix().0.try_map(|e| expr_at(cx, e, map))?;
            let reduced = c.rref_at(cx, map).ok_or_else(|| undetermined("this codistribution", &matrix))?;
            Value::matrix(reduced)
        }
        Value::Answer(answer) => Value::from(answer_at(cx, answer, point, map)?),
        Value::System(s) if s.lagrangian().is_some() => {
            Value::Expr(expr_at(cx, s.lagrangian().expect("just seen").function(), map)?)
        }
        Value::Run(run) => return super::run::at(cx, run, point),
        Value::Series(series) => return super::run::series_at(cx, series, point),
        Value::Label(_) | Value::Text(_) | Value::Steps(_) => value.clone(),
        other => {
            return Err(Box::new(Diagnostic::error(
                &codes::WRONG_KIND,
                format!("{} has no value at a point", describe(other)),
            )));
        }
    })
}

fn undetermined(what: &str, matrix: &Matrix) -> Box<Diagnostic> {
    let symbols = crate::algebra::expr::symbols_of(&matrix.entries().collect::<Vec<_>>());
    let names: Vec<String> = symbols.iter().map(|s| s.name()).collect();
    let diagnostic =
        Diagnostic::error(&codes::MISSING_PARAMETER, format!("{what} is not determined by the point given"));
    Box::new(if names.is_empty() {
        diagnostic.note("a pivot could not be decided")
    } else {
        diagnostic.note(format!("it still depends on {}", names.join(", "))).help("give these values too")
    })
}

fn family_at(cx: &Inquiry, family: &Family, point: &Point, map: &FxHashMap<Symbol, Expr>) -> Fallible<Family> {
    let mut entries = indexmap::IndexMap::new();
    for (key, value) in &family.entries {
        entries.insert(key.clone(), at(cx, value, point, map)?);
    }
    Ok(Family { entries })
}

fn answer_at(cx: &Inquiry, answer: &Rc<Answer>, point: &Point, map: &FxHashMap<Symbol, Expr>) -> Fallible<Answer> {
    for condition in &answer.conditions {
        let there = substitute(condition.left, map);
        let fails = match condition.relation {
            Relation::GreaterEqual => decide::sign(cx, there).is_negative(),
            Relation::Greater => decide::sign(cx, there).is_nonpositive(),
            _ => decide::is_zero(cx, there).is_yes(),
        };
        if there.as_undefined().is_some() || fails {
            return Err(fails_there(cx, condition));
        }
    }
    let mut new = Answer::new(answer.question);
    new.refused = answer.refused.clone();
    if let Some(main) = &answer.main {
        new.main = Some(at(cx, main, point, map)?);
    }
    if let Some(family) = answer.family()
        && !matches!(answer.main, Some(Value::Family(_)))
    {
        new = new.with_family(family_at(cx, family, point, map)?);
    }
    new.manifold = answer.manifold.clone();
    // An answer that is its parts shows them; where there is a main value they are asked for.
    let is_its_parts = new.main.is_none() && new.family().is_none();
    for name in answer.part_names() {
        let (whole, point) = (answer.clone(), point.clone());
        let there = move |cx: &Inquiry| {
            let value = whole.get(cx, name).expect("a part of this answer")?;
            match value {
                // What has no meaning at a point stays as it is.
                Value::Manifold(_) | Value::Space(_) => Ok(value),
                _ => value_at(cx, &value, &point),
            }
        };
        new = match is_its_parts && answer.is_shown(name) {
            true => new.try_part(name, there(cx)),
            false => new.lazy(name, there),
        };
    }
    Ok(new)
}

/// What remains to be asked of the coordinates that the point leaves open; `None` if it decides whether it lies in the set.
fn open_set(cx: &Inquiry, set: &PointSet, map: &FxHashMap<Symbol, Expr>) -> Option<PointSet> {
    let mut open = vec![];
    for branch in set.branches() {
        let there = |list: &[Expr]| -> Vec<(Expr, Verdict)> {
            list.iter().map(|e| expr_at_or_poison(cx, *e, map)).map(|e| (e, decide::is_zero(cx, e))).collect()
        };
        let (equations, nonzero) = (there(&branch.equations), there(&branch.nonzero));
        let is_open = |e: &Expr| e.symbols().iter().any(|s| !s.is_parameter());
        let fails = equations.iter().any(|(e, zero)| zero.is_no() && !is_open(e))
            || nonzero.iter().any(|(_, zero)| zero.is_yes());
        if fails {
            continue;
        }
        let rest = |list: Vec<(Expr, Verdict)>| -> Vec<Expr> {
            list.into_iter().filter(|(e, zero)| !zero.is_yes() && is_open(e)).map(|(e, _)| e).collect()
        };
        let branch = Branch { equations: rest(equations), nonzero: rest(nonzero) };
        if branch.is_everything() {
            return None;
        }
        open.push(branch);
    }
    (!open.is_empty()).then(|| PointSet::new(set.space(), open))
}

/// The point with the coordinates that the equations of the branch give, where they were left out.
fn with_solved(cx: &Inquiry, there: &OnBranch, map: &FxHashMap<Symbol, Expr>) -> FxHashMap<Symbol, Expr> {
    let mut map = map.clone();
    for (symbol, value) in there.tower.iter().flat_map(|tower| &tower.solved) {
        if map.contains_key(symbol) {
            continue;
        }
        let value = expr_at_or_poison(cx, *value, &map);
        if value.as_undefined().is_none() && value.symbols().iter().all(|s| s.is_parameter()) {
            map.insert(*symbol, value);
        }
    }
    map
}

/// Whether a number is 0 to ten digits.
fn is_small(cx: &Inquiry, residual: Expr) -> bool {
    let tolerance = Rational::ratio(1, 10_000_000_000);
    match residual.as_number() {
        Some(n) => n.abs() < tolerance,
        None if !residual.symbols().is_empty() || residual.as_undefined().is_some() => false,
        None => {
            let size = Expr::apply(crate::algebra::function::Elementary::Abs, &[residual]);
            decide::sign(cx, size - Expr::number(tolerance)).is_negative()
        }
    }
}

/// What lives on a set has no value elsewhere. An equation that the point leaves open says nothing, and decimals may have
/// been typed: ten digits are enough.
pub fn on_the_branch(cx: &Inquiry, branch: &Branch, map: &FxHashMap<Symbol, Expr>) -> Fallible<()> {
    for e in &branch.equations {
        let residual = substitute(*e, map);
        if !is_small(cx, residual) && residual.symbols().is_empty() && decide::is_zero(cx, residual).is_no() {
            return Err(Box::new(
                Diagnostic::error(&codes::OFF_CONSTRAINT, "the point does not lie on the set where this lives")
                    .note(format!("{e} is {residual} there, and 0 on the set")),
            ));
        }
    }
    for e in &branch.nonzero {
        let value = substitute(*e, map);
        if value.symbols().is_empty() && decide::is_zero(cx, value).is_yes() {
            return Err(Box::new(
                Diagnostic::error(&codes::OFF_CONSTRAINT, "the point does not lie on the set where this lives")
                    .note(format!("{e} is 0 there, and does not vanish on the set")),
            ));
        }
    }
    Ok(())
}

/// The expression at the point; refuses where it has no value there.
pub fn expr_at(cx: &Inquiry, e: Expr, map: &FxHashMap<Symbol, Expr>) -> Fallible<Expr> {
    let value = expr_at_or_poison(cx, e, map);
    match value.as_undefined() {
        None => Ok(value),
        Some(Undefined::Budget(_)) => Err(Box::new(
            Diagnostic::error(&codes::BUDGET, "the value at this point is too large to be computed exactly")
                .note("a number has at most 2^20 bits, a session at most 10^8 nodes"),
        )),
        Some(_) => {
            let part = undefined_part(e, map).unwrap_or(e);
            let d = Diagnostic::error(&codes::DEGENERATE, "this has no value at the point given")
                .note(format!("{part} is not defined there"));
            Err(Box::new(match vanishing_divisor(part, map) {
                Some(divisor) => {
                    let condition = crate::model::show::condition_text(cx, &Condition::nonzero(divisor));
                    d.note(format!("it rests on {condition}, which fails there"))
                }
                None => d,
            }))
        }
    }
}

/// What an expression divides by, and is 0 at the point.
fn vanishing_divisor(e: Expr, map: &FxHashMap<Symbol, Expr>) -> Option<Expr> {
    post_order(&[e]).into_iter().find_map(|x| match x.node() {
        Node::Product(factors) => {
            let mut below = factors.iter().filter(|(_, n)| n.is_negative()).map(|(base, _)| *base);
            below.find(|base| substitute(*base, map).is_zero())
        }
        _ => None,
    })
}

fn expr_at_or_poison(cx: &Inquiry, e: Expr, map: &FxHashMap<Symbol, Expr>) -> Expr {
    let value = substitute(e, map);
    if value.is_number() {
        return value;
    }
    crate::algebra::normal::simplify(cx, value).unwrap_or(value)
}
