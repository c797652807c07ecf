//! `crosscheck(S)`: the same motion by every formalism that applies. Each derives it by code of its own, from the equations down:
//! the rule of multipliers, Krupková's reduced equations, Lewis' balance of forces, the pairs of Barone et al., and the direct
//! construction of Sarlet et al. The first two solve systems of equations, the third reads inertia off −X⌟Ω, the fourth off
//! η − i_xω, the fifth off i_ΓΩ = 0. What they share is the normal form of the constraint, on which they are compared.

use super::forces::force_balance;
use super::mixed::constructed;
use super::pairs::dalembert;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::mechanics::constraint_structure::ConstraintStructure;
use crate::mechanics::rank_condition::Kind;
use crate::mechanics::{jet, multiplier_rule, tidy};
use crate::model::constraints::on_constraint;
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::value::{Answer, Fallible, Value};

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
    let mut by = |name, derive: &dyn Fn(&Inquiry) -> Fallible<Vec<Expr>>| {
        let (found, conditions) = conditions::collect(cx, derive);
        // What divides by zero wherever the constraint holds says nothing there.
        let fails = |e: &Expr| q.vanishes_on_q(cx, *e).is_yes();
        let accelerations = match (found, conditions.iter().find(|e| fails(e))) {
            (Ok(_), Some(e)) => Err(divides_by_zero(*e)),
            (found, _) => found,
        };
        if accelerations.is_ok() {
            recorded.extend(conditions);
        }
        Derived { name, accelerations }
    };
    let all = vec![
        by("multipliers", &|cx| by_multipliers(cx, &system, order)),
        by("reduced", &|cx| form.motion(cx).map(|m| m.accelerations)),
        by("balance", &|cx| second(&|| balance(cx))),
        by("implicit", &|cx| second(&|| by_pairs(cx, &system))),
        by("direct", &|cx| second(&|| by_construction(cx, &system))),
    ];
    let (consistent, difference) = compared(cx, q, &all);
    let y = &system.manifold;
    let top: Vec<Symbol> = (0..y.n_coordinates()).map(|i| jet(y, i, top_order)).collect();
    let difference = top.into_iter().zip(difference.iter().map(|e| on_constraint(q, top_order, Value::Expr(*e))));
    let applied = all.iter().filter(|d| d.accelerations.is_ok()).map(|d| Value::Text(d.name.into()));
    let mut answer = Answer::new("crosscheck")
        .main_part("consistent", consistent)
        .part("difference", Value::family(difference))
        .part("applied", Value::list(applied));
    for derived in all {
        let field = derived.accelerations.map(|list| {
            let field = VectorField::semispray(&y.jets(top_order - 1), &list).map_components(|c| q.on_q(cx, c));
            on_constraint(q, top_order, Value::Field(field))
        });
        answer =
            answer.try_part(derived.name, field.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system"))));
    }
    Ok(Value::from(answer.on(y).valid_where(recorded).valid_where(q.conditions().iter().copied())))
}

fn divides_by_zero(e: Expr) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::DEGENERATE, "this derivation divides by zero wherever the constraint holds")
            .note(format!("{e} vanishes there")),
    )
}

/// By the constraints as they were typed; of those that say the same where all hold, by the independent ones.
fn by_multipliers(cx: &Inquiry, system: &System, order: u32) -> Fallible<Vec<Expr>> {
    let declared = system.declared_constraints(cx)?;
    let condition = system.rank_condition(cx)?;
    let is_kept = |i: &usize| condition.kind != Kind::Overconstrained || condition.independent.contains(i);
    let constraints: Vec<Expr> =
        (0..declared.equations.len()).filter(is_kept).map(|i| declared.equations[i].function).collect();
    multiplier_rule::highest_derivatives(cx, &system.manifold, (&system.components_list(cx)?, order), &constraints)
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
fn compared(cx: &Inquiry, q: &ConstraintStructure, all: &[Derived]) -> (Verdict, Vec<Expr>) {
    let mut found = all.iter().filter_map(|d| Some((d.name, d.accelerations.as_ref().ok()?)));
    let zeros = vec![Expr::zero(); q.manifold().n_coordinates()];
    let Some((first, reference)) = found.next() else {
        return (Verdict::unknown("no formalism gives a motion"), zeros);
    };
    let (mut verdict, mut n) = (Verdict::yes("all differences vanish on the constraint"), 1);
    for (name, list) in found {
        n += 1;
        let differences: Vec<Expr> = list.iter().zip(reference).map(|(x, y)| *x - *y).collect();
        let same = Verdict::all(differences.iter().map(|e| q.vanishes_on_q(cx, *e)), "there are no coordinates");
        if same.is_no() {
            let differences = differences.into_iter().map(|e| tidy(cx, q.on_q(cx, e))).collect();
            return (Verdict::no(format!("{name} and {first} differ")), differences);
        }
        verdict = verdict.and(same);
    }
    if n < 2 {
        return (Verdict::unknown(format!("{first} alone applies")), zeros);
    }
    (verdict, zeros)
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
