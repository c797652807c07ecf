//! The verbs of plain algebra: `simplify expand collect subs D solve`.
//!
//! What `simplify`, `expand` and `collect` make is shown as it stands; other answers are arranged when they are
//! shown. Every cancelling on the way is a condition of the answer: it is shown, and evaluating the answer where it
//! fails is refused.

use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::derive::partials;
use crate::algebra::expr::{Condition, Node, Relation, symbols_of};
use crate::algebra::print::Style;
use crate::algebra::solve::{Branch, Solutions, Unsolved};
use crate::algebra::stratum::solve::sort_descending;
use crate::algebra::substitute::{define_function, substitute, undefined_part};
use crate::algebra::{Expr, Symbol, Verdict, normal, solve, stratum};
use crate::budget::{Budgeted, Exhausted, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::evaluate_at::assignment;
use crate::model::kind::*;
use crate::model::value::{Answer, Claim, Fallible, Family, LabelledMatrix, Point, PointEntry, Value};
use crate::model::{operate, place};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

rows! {
    "simplify" [one("e", ANY)] "the shortest form that is known" => Gives::Like(0), &[], simplify;
    "expand" [one("e", ANY)] "multiplies out" => Gives::Like(0), &[], expand;
    "collect" [one("e", ANY), many("x", FUNCTION.or(LIST))]
        "a polynomial in x, also in several symbols or functions, with simplified coefficients"
        => Gives::Like(0), &[], collect;
    "subs" [one("e", ANY), many("{x = 1}", POINT.or(EQUATION))]
        "replaces symbols, all at once; `V(x) = x^2` gives an unspecified function its body"
        => Gives::Like(0), &[], subs;
    "solve" [one("eqs", EQUATIONS), rest("x", COORDINATE.or(LIST).or(NAMES))]
        "all real solutions: equations, or expressions that are to vanish, for one or several unknowns (without a list: for all coordinates in them)"
        => Gives::Kinds(LIST.or(FUNCTION)),
            &[part("branches", LIST, "the families of solutions, with `.conditions` and `.free` unknowns"),
            part("empty", VERDICT, "there is none"), sometimes("complete", VERDICT, "nothing is left to solve"),
            sometimes("explicit", VERDICT, "every solution is written by itself")], solve_for;
    "latex" [one("e", ANY)] "the LaTeX of an answer, as text" => Gives::Kinds(TEXT), &[], latex;
}

fn simplify(a: &Arguments) -> Fallible<Value> {
    rewritten(a, normal::simplify)
}

fn expand(a: &Arguments) -> Fallible<Value> {
    rewritten(a, normal::expand)
}

fn collect(a: &Arguments) -> Fallible<Value> {
    let mut by = Vec::new();
    for i in 1..a.positional.len() {
        match a.value(i)?.main() {
            Value::List(items) => by.extend(operate::vector(&a.cx, &items)?),
            _ => by.push(a.expr(i)?),
        }
    }
    for (i, e) in by.iter().enumerate() {
        if e.is_number() || matches!(e.node(), Node::Sum { .. } | Node::Product(_)) {
            let span = a.positional.get(i + 1).map_or(a.span, |p| p.span);
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "terms are collected by a symbol or by a function")
                    .label(span, "this is neither")
                    .help("for example `collect(e, x)` or `collect(e, cos(theta))`"),
            ));
        }
    }
    rewritten(a, |cx, e| normal::collect(cx, e, &by))
}

/// The first argument with all its expressions rewritten, shown as it stands.
fn rewritten(a: &Arguments, rewrite: impl Fn(&Inquiry, Expr) -> Budgeted<Expr>) -> Fallible<Value> {
    let span = a.positional[0].span;
    let lost = RefCell::new(Vec::new());
    let old = a.value(0)?;
    let (value, recorded) = conditions::collect(&a.cx, |cx| {
        map_expr(cx, &old.main(), &|e| match rewrite(cx, e) {
            Ok(new) => {
                lost.borrow_mut().extend(conditions::lost(cx, e, new));
                defined(new, e, span)
            }
            Err(stop) => Err(Box::new(
                Diagnostic::from(stop).label(span, "in this expression").note(format!("stopped at {}", shortened(e))),
            )),
        })
    });
    let value = place::like(&old, value?);
    recorded.iter().for_each(|c| conditions::record_nonzero(&a.cx, *c));
    let answer = Answer::new(a.question.name).main(value).verbatim();
    Ok(Value::from(answer.valid_where(recorded).valid_where(lost.into_inner())))
}

/// Refuses what has no real value, with the expression it came from.
fn defined(new: Expr, from: Expr, span: Span) -> Fallible<Expr> {
    match operate::defined(new, span) {
        Ok(_) => Ok(new),
        Err(d) => Err(Box::new(d.note(format!("in {}", shortened(from))))),
    }
}

fn shortened(e: Expr) -> String {
    Style::ASCII.with_limit(200).write(e)
}

/// Applies a rewriting to the expressions of a value.
fn map_expr(cx: &Inquiry, value: &Value, f: &dyn Fn(Expr) -> Fallible<Expr>) -> Fallible<Value> {
    Ok(match value {
        Value::List(items) => {
            Value::list(items.iter().map(|v| map_expr(cx, &v.main(), f)).collect::<Fallible<Vec<_>>>()?)
        }
        Value::Matrix(m) => Value::from(LabelledMatrix { matrix: m.matrix.try_map(f)?, ..(**m).clone() }),
        Value::Family(family) => {
            let entries = family.entries.iter().map(|(k, v)| Ok((k.clone(), map_expr(cx, &v.main(), f)?)));
            Value::Family(Rc::new(Family { entries: entries.collect::<Fallible<_>>()? }))
        }
        // A coefficient that does not fit the budget stays as it is.
        Value::Form(form) if form.as_function().is_none() => Value::Form(form.map_coefficients(|c| f(c).unwrap_or(c))),
        Value::Field(field) => Value::Field(field.map_components(|c| f(c).unwrap_or(c))),
        Value::Claim(c) => Value::Claim(Rc::new(Claim {
            relation: c.relation,
            left: map_expr(cx, &c.left.main(), f)?,
            right: map_expr(cx, &c.right.main(), f)?,
            within: c.within.clone(),
            left_span: c.left_span,
            right_span: c.right_span,
        })),
        other => Value::Expr(f(operate::as_expr(cx, other)?)?),
    })
}

fn latex(a: &Arguments) -> Fallible<Value> {
    Ok(Value::Text(crate::model::show::latex(&a.cx, &a.value(0)?).into()))
}

// ----- substitution and derivatives ---------------------------------------------------------------

fn subs(a: &Arguments) -> Fallible<Value> {
    let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let mut bodies = Vec::new();
    for (i, argument) in a.positional.iter().enumerate().skip(1) {
        match a.value(i)?.main() {
            Value::Point(p) => map.extend(assignment(&p)),
            Value::Claim(claim) if claim.relation == Relation::Equal => {
                let (left, right) = (operate::as_expr(&a.cx, &claim.left)?, operate::as_expr(&a.cx, &claim.right)?);
                match left.node() {
                    Node::Symbol(s) => {
                        map.insert(*s, right);
                    }
                    Node::Unknown { function, orders, arguments }
                        if orders.iter().all(|n| *n == 0) && arguments.iter().all(|x| x.as_symbol().is_some()) =>
                    {
                        let parameters: Vec<Symbol> = arguments.iter().filter_map(|x| x.as_symbol()).collect();
                        bodies.push((*function, parameters, right));
                    }
                    _ => {
                        return Err(Box::new(
                            Diagnostic::error(&codes::WRONG_KIND, "only symbols and functions are replaced")
                                .label(claim.left_span, "neither a symbol nor a function of symbols"),
                        ));
                    }
                }
            }
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a point or an equation is needed here")
                        .label(argument.span, format!("this is {}", operate::describe(&other)))
                        .help("write `subs(e, {x = 1, y = 2})` or `subs(e, V(x) = x^2)`"),
                ));
            }
        }
    }
    map_expr(&a.cx, &a.value(0)?.main(), &|e| {
        let mut specified = e;
        for (function, parameters, body) in &bodies {
            specified = define_function(&a.cx, specified, *function, parameters, *body);
        }
        let new = substitute(specified, &map);
        defined(new, undefined_part(specified, &map).unwrap_or(e), a.positional[0].span)
    })
}

pub fn derivative(a: &Arguments) -> Fallible<Value> {
    let by = (1..a.positional.len()).map(|i| a.symbol(i)).collect::<Fallible<Vec<_>>>()?;
    match a.value(0)?.main() {
        value @ (Value::List(_) | Value::Matrix(_) | Value::Family(_)) => {
            map_expr(&a.cx, &value, &|e| defined(partials(&a.cx, e, &by), e, a.positional[0].span))
        }
        _ => {
            let f = a.expr(0)?;
            Ok(Value::Expr(defined(partials(&a.cx, f, &by), f, a.positional[0].span)?))
        }
    }
}

// ----- equations ----------------------------------------------------------------------------------

/// Main value: for one unknown the list of its values, for several the list of points. A single solution is
/// also meant by the name of the unknown, and stands for itself in an expression.
fn solve_for(a: &Arguments) -> Fallible<Value> {
    let (mut equations, mut required) = (Vec::new(), Vec::new());
    read_equations(&a.cx, &a.value(0)?, &mut equations, &mut required)
        .map_err(|d| Box::new(d.or_at(a.positional[0].span, "these equations")))?;
    let unknowns = if a.positional.len() > 1 { unknowns(a)? } else { what_moves(&equations) };
    // x²/x has no zero: what was cancelled must not vanish.
    let excluded = a.cancelled.iter().copied().chain(conditions::cancelled(&a.cx, &equations));
    let excluded = excluded.filter(|e| unknowns.iter().any(|s| e.contains(*s))).map(Condition::from);
    required.extend(excluded);
    let found = a.cx.within(share::SEARCH, || solve::solve_where(&a.cx, &equations, &required, &unknowns));
    // Where the rules end, or roots stand under conditions, the real branches of the system may say more.
    let is_conditional = |s: &Solutions| {
        unknowns.len() > 1 && (s.branches.is_empty() || s.branches.iter().any(|b| !b.conditions.is_empty()))
    };
    let is_beyond = match &found {
        Err(Unsolved::Budget(why)) => *why != Exhausted::Interrupted,
        found => matches!(found, Err(Unsolved::Beyond { .. })),
    };
    if (is_beyond || found.as_ref().is_ok_and(is_conditional))
        && let Some(answer) =
            super::polynomials::solved_by_branches(&a.cx, &equations, &required, &unknowns, is_beyond)?
    {
        return Ok(answer);
    }
    if let Err(Unsolved::Budget(Exhausted::Interrupted)) = &found {
        return Ok(super::polynomials::interrupted_solve(&a.cx, &equations, &required));
    }
    let mut solutions = found.map_err(|why| unsolved(why, a))?;
    solutions.branches.retain(|b| !is_contradictory(&a.cx, b));
    drop_contained(&mut solutions.branches);
    sort_descending(&a.cx, &mut solutions.branches, |b| &b.values);
    let values: Vec<Value> = solutions.branches.iter().map(|b| solution(b, &unknowns)).collect();
    let mut answer = Answer::new("solve").main(Value::list(values)).stands_for_only_entry();
    if let [only] = solutions.branches.as_slice() {
        answer = answer.keyed(only.values.iter().map(|(s, e)| (*s, Value::Expr(*e))));
    }
    let conditional = solutions.branches.iter().any(|b| !b.conditions.is_empty() || !b.free.is_empty());
    let branches = Value::list(solutions.branches.iter().map(branch_answer));
    answer = if conditional {
        answer.part("branches", branches)
    } else {
        answer.lazy("branches", move |_| Ok(branches.clone()))
    };
    let none = Verdict::from_bool(solutions.branches.is_empty(), "every branch was followed");
    answer = answer.lazy("empty", move |_| Ok(Value::from(none.clone())));
    Ok(Value::from(answer.valid_where(solutions.not_covered)))
}

/// Whether no real point satisfies the conditions of a branch: sin q = 0 together with cos q = 0.
fn is_contradictory(cx: &Inquiry, branch: &solve::Branch) -> bool {
    let with = |relation: Relation| branch.conditions.iter().filter(move |c| c.relation == relation).map(|c| c.left);
    let set =
        stratum::Branch { equations: with(Relation::Equal).collect(), nonzero: with(Relation::NotEqual).collect() };
    if set.equations.len() < 2 {
        return false;
    }
    let symbols = symbols_of(&set.equations);
    cx.within(share::SMALL_SIDE, || stratum::is_empty_set(cx, &symbols, &[set])).is_ok_and(|verdict| verdict.is_yes())
}

/// Leaves out branches that lie in others: x = 0, y = 0 lies in y = 0.
fn drop_contained(branches: &mut Vec<solve::Branch>) {
    let lies_in = |a: &solve::Branch, b: &solve::Branch| {
        let map = a.values.iter().copied().collect();
        let holds = |(s, value): &(Symbol, Expr)| substitute(Expr::symbol(*s) - *value, &map).is_zero();
        b.conditions.iter().all(|c| a.conditions.contains(c)) && b.values.iter().all(holds)
    };
    let mut i = 0;
    while i < branches.len() {
        let contained = (0..branches.len())
            .any(|k| k != i && lies_in(&branches[i], &branches[k]) && (k < i || !lies_in(&branches[k], &branches[i])));
        if contained {
            branches.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Equations become left sides that are to vanish; inequalities become conditions.
fn read_equations(
    cx: &Inquiry,
    value: &Value,
    equations: &mut Vec<Expr>,
    conditions: &mut Vec<Condition>,
) -> Fallible<()> {
    match value.main() {
        Value::Claim(claim) => {
            let (left, right) = (components(cx, &claim.left)?, components(cx, &claim.right)?);
            let differences: Vec<Expr> = match (left.as_slice(), right.as_slice()) {
                (_, [zero]) if zero.is_zero() => left,
                (a, b) if a.len() == b.len() => a.iter().zip(b).map(|(x, y)| *x - *y).collect(),
                (a, b) => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "the sides have different numbers of components")
                            .label(claim.left_span, format!("{}", a.len()))
                            .label(claim.right_span, format!("{}", b.len())),
                    ));
                }
            };
            match claim.relation {
                Relation::Equal => equations.extend(differences),
                relation => conditions.extend(differences.into_iter().map(|left| Condition { relation, left })),
            }
        }
        Value::List(items) => {
            for item in items.iter() {
                read_equations(cx, item, equations, conditions)?;
            }
        }
        other => equations.extend(components(cx, &other)?),
    }
    Ok(())
}

/// The expressions a value is made of.
fn components(cx: &Inquiry, value: &Value) -> Fallible<Vec<Expr>> {
    Ok(match value.main() {
        Value::List(items) => items.iter().map(|x| components(cx, x)).collect::<Fallible<Vec<_>>>()?.concat(),
        Value::Matrix(m) => m.matrix.entries().collect(),
        Value::Family(f) => f.entries.values().map(|x| components(cx, x)).collect::<Fallible<Vec<_>>>()?.concat(),
        Value::Form(f) if f.as_function().is_none() => f.terms_in_reading_order().into_iter().map(|t| t.1).collect(),
        other => vec![operate::as_expr(cx, &other)?],
    })
}

/// The unknowns if none are named: coordinates and jets, or the parameters of equations without any.
fn what_moves(equations: &[Expr]) -> Vec<Symbol> {
    let (parameters, moving): (Vec<Symbol>, Vec<Symbol>) =
        symbols_of(equations).into_iter().partition(|s| s.is_parameter());
    if moving.is_empty() { parameters } else { moving }
}

fn unknowns(a: &Arguments) -> Fallible<Vec<Symbol>> {
    let mut found: Vec<Symbol> = Vec::new();
    for i in 1..a.positional.len() {
        let span = a.positional[i].span;
        let list = match a.value(i)?.main() {
            Value::List(items) => operate::vector(&a.cx, &items)?,
            Value::Indexed(family) => {
                family.members.values().map(|x| operate::as_expr(&a.cx, x)).collect::<Fallible<Vec<_>>>()?
            }
            _ => vec![Expr::symbol(a.symbol(i)?)],
        };
        for e in list {
            let Some(s) = e.as_symbol() else {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "an unknown is a coordinate, jet or parameter")
                        .label(span, format!("{} is none", shortened(e))),
                ));
            };
            if found.contains(&s) {
                return Err(Box::new(
                    Diagnostic::error(&codes::DECLARED_TWICE, format!("`{s}` is an unknown already"))
                        .label(span, "named twice"),
                ));
            }
            found.push(s);
        }
    }
    Ok(found)
}

fn unsolved(why: Unsolved, a: &Arguments) -> Box<Diagnostic> {
    Box::new(match why {
        Unsolved::Budget(stop) => Diagnostic::from(stop).label(a.positional[0].span, "these equations"),
        Unsolved::Beyond { equation, reason } => {
            Diagnostic::error(&codes::UNSOLVED, "there is no closed form for these solutions")
                .label(a.positional[0].span, reason)
                .note(format!("what is left to solve is {} = 0", shortened(equation)))
        }
    })
}

/// One solution: the value of the only unknown, or a point.
fn solution(branch: &Branch, unknowns: &[Symbol]) -> Value {
    match (unknowns, branch.values.as_slice()) {
        ([_], [(_, value)]) => Value::Expr(*value),
        // Any value will do: the unknown itself.
        ([x], []) => Value::Expr(Expr::symbol(*x)),
        (_, values) => {
            let entry = |(s, e): &(Symbol, Expr)| PointEntry {
                symbols: SmallVec::from_elem(*s, 1),
                text: s.name(),
                value: *e,
                of_run: false,
            };
            Value::Point(Rc::new(Point { entries: values.iter().map(entry).collect() }))
        }
    }
}

fn branch_answer(branch: &Branch) -> Value {
    let conditions = Value::list(branch.conditions.iter().copied().map(Value::from));
    let free = Value::exprs(branch.free.iter().map(|s| Expr::symbol(*s)));
    let mut answer = Answer::new("solution").keyed(branch.values.iter().map(|(s, e)| (*s, Value::Expr(*e))));
    answer = match branch.free.is_empty() {
        true => answer.lazy("free", move |_| Ok(free.clone())),
        false => answer.part("free", free),
    };
    Value::from(match branch.conditions.is_empty() {
        true => answer.lazy("conditions", move |_| Ok(conditions.clone())),
        false => answer.part("conditions", conditions),
    })
}
