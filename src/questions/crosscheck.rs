//! `crosscheck(S)`: the same motion by every formalism that applies. Each derives it by code of its own, from the equations down:
//! the rule of multipliers, Krupková's reduced equations, Lewis' balance of forces, the pairs of Barone et al., and the direct
//! construction of Sarlet et al. The first two solve systems of equations, the third reads inertia off −X⌟Ω, the fourth off
//! η − i_xω, the fifth off i_ΓΩ = 0. What they share is the normal form of the constraint, on which they are compared.

use super::forces::{balanced, force_balance, on_set};
use super::mixed::constructed;
use super::pairs::dalembert;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, jet_order, total_derivatives};
use crate::mechanics::constraint_set::ConstraintSet;
use crate::mechanics::constraint_structure::{Constraint, ConstraintStructure, NormalForm};
use crate::mechanics::multiplier_rule::Row;
use crate::mechanics::rank_condition::Kind;
use crate::mechanics::{jet, multiplier_rule, tidy};
use crate::model::constraints::on_constraint;
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::value::{Answer, Fallible, Value};
use rustc_hash::FxHashMap;

pub static ROWS: &[Question] = &[Question {
    name: "crosscheck",
    parameters: &[one("S", SYSTEM)],
    help: "the motion of a constrained system by every formalism that applies, each derived by itself, and compared",
    options: &[],
    gives: Gives::Kinds(VERDICT),
    parts: &[
        part("consistent", VERDICT, "all that apply agree on the constraint"),
        part("multipliers", FIELD, "by the rule of multipliers"),
        part("reduced", FIELD, "by the reduced equations (Krupková §11)"),
        part("balance", FIELD, "by the balance of forces (Lewis §5)"),
        part("implicit", FIELD, "by the pairs of d'Alembert (Barone et al. §7)"),
        part("direct", FIELD, "by i_ΓΩ = 0 (Sarlet §6)"),
        part(
            "difference",
            FAMILY,
            "the first difference that does not vanish, by highest derivative; zero where all agree",
        ),
        part("applied", LIST, "the formalisms that were compared"),
    ],
    run: crosscheck,
}];

/// One formalism, and the accelerations that it finds, or why it finds none.
struct Derived {
    name: &'static str,
    accelerations: Fallible<Vec<Expr>>,
}

fn crosscheck(a: &Arguments) -> Fallible<Value> {
    let (cx, system) = (&a.cx, a.system(0)?);
    if system.constraints.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no constraints")
                .label(a.positional[0].span, "all formalisms begin with the same equations")
                .help("`vector_field(S)` is the motion of a free system"),
        ));
    }
    if system.constraints.iter().any(|c| c.reactions.is_some() || c.forms.is_some()) {
        return with_own_reactions(a, &system);
    }
    let form = system.constrained_form(cx)?;
    let q = form.structure();
    let top_order = form.top_order();
    let order = top_order - form.differentiations();
    let second = |found: &dyn Fn() -> Fallible<Vec<Expr>>| match order {
        2 => found(),
        _ => Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            format!("this formalism is stated for equations of second order, and these are of order {order}"),
        ))),
    };
    // Whether the field is tangent to the constraint is what the others tell.
    let balance = |cx: &Inquiry| force_balance(cx, &system).and_then(|f| Ok(f.motion(cx)?.accelerations));
    let mut recorded = vec![];
    let vanishes = |e: Expr| q.vanishes_on_q(cx, e);
    let mut by =
        |name, derive: &dyn Fn(&Inquiry) -> Fallible<Vec<Expr>>| derived(cx, name, &vanishes, &mut recorded, derive);
    let all = vec![
        by("multipliers", &|cx| by_multipliers(cx, &system, order, q)),
        by("reduced", &|cx| form.motion(cx).map(|m| m.accelerations)),
        by("balance", &|cx| second(&|| balance(cx))),
        by("implicit", &|cx| second(&|| by_pairs(cx, &system))),
        by("direct", &|cx| second(&|| by_construction(cx, &system))),
    ];
    let there = |e: Expr| q.on_q(cx, e);
    let home = |value: Value| on_constraint(q, top_order, value);
    let answer =
        agreement(a, &system.manifold, top_order, all, &Place { vanishes: &vanishes, there: &there, home: &home });
    Ok(Value::from(answer.valid_where(recorded).valid_where(q.conditions().iter().copied())))
}

/// The constraint on which derivations are compared.
struct Place<'a> {
    vanishes: &'a dyn Fn(Expr) -> Verdict,
    there: &'a dyn Fn(Expr) -> Expr,
    home: &'a dyn Fn(Value) -> Value,
}

/// What was found by one formalism, which says nothing where it divides by zero wherever the constraint holds.
fn derived(
    cx: &Inquiry,
    name: &'static str,
    vanishes: &dyn Fn(Expr) -> Verdict,
    recorded: &mut Vec<Expr>,
    derive: &dyn Fn(&Inquiry) -> Fallible<Vec<Expr>>,
) -> Derived {
    let (found, conditions) = conditions::collect(cx, derive);
    let accelerations = match (found, conditions.iter().find(|e| vanishes(**e).is_yes())) {
        (Ok(_), Some(e)) => Err(divides_by_zero(*e)),
        (found, _) => found,
    };
    if accelerations.is_ok() {
        recorded.extend(conditions);
    }
    Derived { name, accelerations }
}

/// The answer about derivations of the derivatives of this order.
fn agreement(a: &Arguments, y: &FiberedManifold, top_order: u32, all: Vec<Derived>, place: &Place) -> Answer {
    let cx = &a.cx;
    let (consistent, difference) = compared(cx, y, place, &all);
    let top: Vec<Symbol> = (0..y.n_coordinates()).map(|i| jet(y, i, top_order)).collect();
    let difference =
        difference.map(|list| Value::family(top.into_iter().zip(list.iter().map(|e| (place.home)(Value::Expr(*e))))));
    let applied = all.iter().filter(|d| d.accelerations.is_ok()).map(|d| Value::Text(d.name.into()));
    let mut answer = Answer::new("crosscheck")
        .main_part("consistent", consistent)
        .try_part("difference", difference.ok_or_else(|| nothing_to_compare(a)))
        .part("applied", Value::list(applied));
    for derived in all {
        let field = derived.accelerations.map(|list| {
            let field = VectorField::semispray(&y.jets(top_order - 1), &list).map_components(|c| (place.there)(c));
            (place.home)(Value::Field(field))
        });
        answer =
            answer.try_part(derived.name, field.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system"))));
    }
    answer.on(y)
}

fn nothing_to_compare(a: &Arguments) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, "fewer than two formalisms give a motion, so nothing was compared")
            .label(a.positional[0].span, "this system"),
    )
}

/// Constraints with forces of their own: the saddle system with these forces, and the formalism that they belong to.
fn with_own_reactions(a: &Arguments, system: &System) -> Fallible<Value> {
    let (cx, y) = (&a.cx, &system.manifold);
    let (set, rows): (ConstraintSet, Vec<Fallible<Row>>) = match system.constraints.iter().any(|c| c.forms.is_some()) {
        true => {
            let (set, _) = balanced(cx, system)?;
            let given = force_balance(cx, system)?.constraint;
            let rows = given.hat(cx).into_iter().zip(given.drift(cx));
            let rows = rows.filter(|(hat, _)| hat.iter().any(|e| !e.is_zero()));
            let rows = rows.map(|(hat, rest)| Ok(Row { row: hat.clone(), rest, force: hat }));
            (set, rows.collect())
        }
        false => {
            let pairs = dalembert(cx, system)?;
            let given = pairs.pairs().iter().filter_map(|p| Some((p.equation, p.reaction.clone()?)));
            let rows = given.map(|(f, force)| multiplier_rule::row(cx, y, 2, f, Some(force))).collect();
            (pairs.set, rows)
        }
    };
    let rows: Fallible<Vec<Row>> = rows.into_iter().collect();
    let components = system.components_list(cx)?;
    let mut recorded = vec![];
    let vanishes = |e: Expr| set.vanishes(cx, e);
    let mut by =
        |name, derive: &dyn Fn(&Inquiry) -> Fallible<Vec<Expr>>| derived(cx, name, &vanishes, &mut recorded, derive);
    let saddle = by("multipliers", &|cx| {
        let found = multiplier_rule::with_forces(cx, y, (&components, 2), &rows.clone()?)?;
        keeps(cx, y, &set, &found)?;
        Ok(found)
    });
    let balance = by("balance", &|cx| balanced(cx, system).map(|(_, list)| list));
    let implicit = by("implicit", &|cx| by_pairs(cx, system));
    let none = |name| Derived { name, accelerations: Err(of_chetaev()) };
    let all = vec![saddle, none("reduced"), balance, implicit, none("direct")];
    let there = |e: Expr| set.settle(cx, e);
    let home = |value: Value| on_set(&set, value);
    let answer = agreement(a, y, 2, all, &Place { vanishes: &vanishes, there: &there, home: &home });
    Ok(Value::from(answer.valid_where(recorded).valid_where(set.conditions().iter().copied())))
}

/// Constraints without a force have no row in the saddle system: whether its field keeps them is seen by their rates.
fn keeps(cx: &Inquiry, y: &FiberedManifold, set: &ConstraintSet, accelerations: &[Expr]) -> Fallible<()> {
    let put: FxHashMap<Symbol, Expr> = accelerations.iter().enumerate().map(|(i, e)| (jet(y, i, 2), *e)).collect();
    for f in set.equations().iter().filter(|f| jet_order(cx, **f).order == 1) {
        let rate = set.vanishes(cx, substitute(total_derivatives(cx, *f, 1), &put));
        if !rate.is_yes() {
            let what = if rate.is_no() { "is not tangent" } else { "could not be shown to be tangent" };
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, format!("the field that was found {what} to the constraint"))
                    .note(format!("{f} changes along it")),
            ));
        }
    }
    Ok(())
}

fn of_chetaev() -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, "this formalism is one of constraints with Chetaev's reactions")
            .note(
                "a constrained system on Q is a class of 2-forms modulo the ideal of Chetaev's forms (Krupková 11.1)",
            ),
    )
}

fn divides_by_zero(e: Expr) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::DEGENERATE, "this derivation divides by zero wherever the constraint holds")
            .note(format!("{e} vanishes there")),
    )
}

/// By the constraints as they were typed; of those that say the same where all hold, by the independent ones. One that bends in the
/// highest derivatives says the same as what it was solved to.
fn by_multipliers(cx: &Inquiry, system: &System, order: u32, q: &ConstraintStructure) -> Fallible<Vec<Expr>> {
    let declared = system.declared_constraints(cx)?;
    let condition = system.rank_condition(cx)?;
    let is_kept = |i: &usize| condition.kind != Kind::Overconstrained || condition.independent.contains(i);
    let typed: Vec<Expr> =
        (0..declared.equations.len()).filter(is_kept).map(|i| declared.equations[i].function).collect();
    let components = system.components_list(cx)?;
    let by = |list: &[Expr]| multiplier_rule::highest_derivatives(cx, &system.manifold, (&components, order), list);
    let found = by(&typed);
    match q.normal_form() {
        NormalForm::Explicit(g) if found.is_err() && q.level() == order && q.redundant().is_empty() => {
            let solved = q.constraints().iter().zip(q.dependent_jets(order)).zip(g);
            let plain = |((c, u), g): ((&Constraint, Symbol), &Expr)| match c.order == order {
                true => Expr::symbol(u) - *g,
                false => c.function,
            };
            by(&solved.map(plain).collect::<Vec<_>>()).or(found)
        }
        _ => found,
    }
}

fn by_pairs(cx: &Inquiry, system: &System) -> Fallible<Vec<Expr>> {
    let pairs = dalembert(cx, system)?;
    let reduction = pairs.reduction(cx)?;
    Ok(pairs.motion(cx, &reduction)?.accelerations)
}

/// The construction gives the accelerations of the independent coordinates; those of the others are the rates of their velocities.
fn by_construction(cx: &Inquiry, system: &System) -> Fallible<Vec<Expr>> {
    let Some(lagrangian) = system.free_lagrangian() else {
        return Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the direct construction needs a Lagrangian")));
    };
    let y = &system.manifold;
    let found = constructed(cx, system, lagrangian)?;
    let motion = found.motion?;
    let gamma = motion.system.gamma();
    motion.conditions.iter().for_each(|e| conditions::record_nonzero(cx, *e));
    let value = |i: usize| {
        let coordinate = y.fibres()[i].coordinate;
        let solved = motion.system.equations();
        let of = |s: Symbol| solved.iter().find(|(t, _)| *t == s).map(|(_, e)| *e);
        match of(coordinate.jet(2)) {
            Some(acceleration) => Ok(acceleration),
            None => of(coordinate.jet(1)).map(|g| gamma.apply(cx, g)).ok_or_else(|| {
                Box::new(Diagnostic::error(&codes::DEGENERATE, format!("{coordinate:?} is not determined")))
            }),
        }
    };
    (0..y.n_coordinates()).map(value).collect()
}

/// Whether all that apply agree with the first, and the first difference that does not vanish.
fn compared(cx: &Inquiry, y: &FiberedManifold, place: &Place, all: &[Derived]) -> (Verdict, Option<Vec<Expr>>) {
    let mut found = all.iter().filter_map(|d| Some((d.name, d.accelerations.as_ref().ok()?)));
    let zeros = vec![Expr::zero(); y.n_coordinates()];
    let Some((first, reference)) = found.next() else {
        return (Verdict::unknown("no formalism gives a motion"), None);
    };
    let (mut verdict, mut n) = (Verdict::yes("all differences vanish on the constraint"), 1);
    for (name, list) in found {
        n += 1;
        let differences: Vec<Expr> = list.iter().zip(reference).map(|(x, y)| *x - *y).collect();
        let same = Verdict::all(differences.iter().map(|e| (place.vanishes)(*e)), "there are no coordinates");
        if same.is_no() {
            let differences = differences.into_iter().map(|e| tidy(cx, (place.there)(e))).collect();
            return (Verdict::no(format!("{name} and {first} differ")), Some(differences));
        }
        verdict = verdict.and(same);
    }
    if n < 2 {
        return (Verdict::unknown(format!("{first} alone applies")), None);
    }
    (verdict, Some(zeros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::value::Value;
    use crate::session::{Mode, Session, SessionOptions};

    const NAMES: [&str; 5] = ["multipliers", "reduced", "balance", "implicit", "direct"];

    /// The answer to `crosscheck` for a knife edge in an oscillator field, derived anew.
    fn knife() -> (Verdict, Vec<Expr>, Vec<String>) {
        let mut session = Session::new(SessionOptions::default());
        let text = "manifold Y over t { x, y, z }\nlagrangian L on J1(Y) = (x'^2 + y'^2 + z'^2)/2 - (x^2 + z^2)/2\n\
                    constraint Q on J1(Y) { z' = y*x'; dependent: z }\nsystem S = L subject to Q\nlet C = crosscheck(S)\n";
        assert!(session.feed("knife.mech", text, Mode::File).iter().all(|o| o.held()));
        let Some(Value::Answer(answer)) = session.value("C") else { panic!("an answer") };
        let cx = &Inquiry::free();
        let part = |name: &str| answer.get(cx, name).expect("a part").expect("not refused");
        let consistent = crate::model::compare::truth(cx, &part("consistent")).expect("a verdict");
        let Value::Family(difference) = part("difference") else { panic!("a family") };
        let difference =
            difference.entries.iter().map(|(_, e)| crate::model::operate::as_expr(cx, e).expect("a function"));
        let Value::List(applied) = part("applied") else { panic!("a list") };
        let applied =
            applied.iter().map(|v| if let Value::Text(t) = v { t.to_string() } else { String::new() }).collect();
        (consistent, difference.collect(), applied)
    }

    /// Five derivations agree; one sign turned inside any of them is noticed, and the difference is shown.
    #[test]
    fn a_sign_turned_inside_a_derivation_is_noticed() {
        let (consistent, difference, applied) = knife();
        assert!(consistent.is_yes());
        assert!(difference.iter().all(|e| e.is_zero()));
        assert_eq!(applied, NAMES);
        for name in NAMES {
            let (consistent, difference, _) = crate::mechanics::mutation::while_turned(name, knife);
            assert!(consistent.is_no(), "{name}: {consistent}");
            assert!(difference.iter().any(|e| !e.is_zero()), "{name}");
        }
    }
}
