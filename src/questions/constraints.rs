//! Questions about constraints: the rank condition, normal forms, types, constraint forms, the canonical distribution and the
//! constraint ideal. Krupková §10, Volný–Krupková §3.
//!
//! They take a constraint, several of them (`Q1 and Q2`), or a system for all of its constraints.

use super::strata::rank_with;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::jet::Chart;
use crate::mechanics::constrained_form::level_of;
use crate::mechanics::constraint_structure::{BranchChoice, ConstraintStructure, Declared, NormalForm};
use crate::mechanics::constraint_type as kinds;
use crate::mechanics::rank_condition::{self as ranks, RankCondition};
use crate::model::constraints::{on_constraint, structure_of};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::set::PointSet;
use crate::model::value::{Answer, Fallible, Key, KeyPart, Value};
use smallvec::smallvec;
use std::rc::Rc;

/// A constraint, or all constraints of a system.
const Q: Parameter = one("Q", CONSTRAINT.or(SYSTEM));

/// What `branch:` says in the constraints that are asked about, and in those of the systems that are: answers live where it holds.
pub(super) fn branch(a: &Arguments) -> Vec<Condition> {
    let blocks = a.positional.iter().flat_map(|argument| match argument.value.main() {
        Value::Constraint(block) => vec![block],
        Value::System(system) => system.constraints.clone(),
        _ => vec![],
    });
    // A clause that cannot be read is refused by whatever looks at it.
    let choices = blocks.flat_map(|block| block.declared(&a.cx).map_or_else(|_| vec![], |declared| declared.branch));
    let conditions = choices.filter_map(|choice| match choice {
        BranchChoice::Where(condition) => Some(condition),
        BranchChoice::Through(_) => None,
    });
    conditions.collect()
}

pub static ROWS: &[Question] = &[
    Question {
        name: "rank_condition",
        parameters: &[Q],
        help: "whether the constraints are independent where they hold, and what is wrong if not (Krupková 10.2)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            label(
                "kind",
                &[
                    "holds",
                    "constraints_dependent",
                    "constraints_inconsistent",
                    "hidden_lower_order_constraint",
                    "rank_deficient_on_Q",
                    "too_many_constraints",
                    "overconstrained",
                ],
                "that it holds, or the name of the refusal; `overconstrained` is none: redundant constraints on positions",
            ),
            part("generic_rank", INTEGER, "rank of ∂f/∂q_r at generic points of the jet space"),
            part("rank", RANK, "its rank at the points of Q"),
            part("relations", LIST, "combinations Σ c_i f_i without the highest jets, each `.coefficients .value`"),
            part("hidden", LIST, "constraints of lower order that follow"),
            part("independent", LIST, "numbers of constraints that span the others"),
            part("factors", LIST, "factors of constraints that are products or powers"),
            part("branches", LIST, "the components of Q"),
            part("locus", SET, "the points of Q at which the rank is too small"),
            sometimes("complete", VERDICT, "whether every point of Q was looked at"),
        ],
        run: rank_condition,
    },
    Question {
        name: "normal_form",
        parameters: &[Q],
        help: "the dependent jets as functions of the others: of order r for a constraint, max(r, s − 1) for a system",
        options: &[],
        gives: Gives::Kinds(FAMILY),
        parts: &[
            part("dependent", LIST, "the dependent coordinates"),
            part("det", FUNCTION, "det F_D on Q; its zeros bound the chart"),
            part("explicit", VERDICT, "whether the equations were solved"),
            part("jacobian", FAMILY, "∂g/∂q_r, keyed [z, x]"),
            part("conditions", LIST, "what must hold in this chart"),
            part("branch", LIST, "the branches there are, where none was chosen"),
        ],
        run: normal_form,
    },
    Question {
        name: "constraint_type",
        parameters: &[Q],
        help: "holonomic, semiholonomic, affine or nonlinear nonholonomic, decided on Q (Krupková 10.3, 11.7)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            label(
                "kind",
                &["holonomic", "semiholonomic", "affine_nonholonomic", "nonlinear_nonholonomic"],
                "holonomic, semiholonomic, affine_nonholonomic or nonlinear_nonholonomic",
            ),
            part("orders", LIST, "the order of each constraint"),
            part("affine", VERDICT, "the normal form is affine in the highest jets"),
            part("integrable", VERDICT, "the constraint ideal is differential"),
            part("curvature", FAMILY, "the left side of (4.16), keyed [z, x]"),
            part("degree", INTEGER, "p with f = dᵖu/dtᵖ"),
            part("integrals", LIST, "u, as far as they were found"),
        ],
        run: constraint_type,
    },
    Question {
        name: "constraint_forms",
        parameters: &[Q],
        help: "the constraint 1-forms φ = f dt + (∂f/∂q_r) ω, for the constraints as typed (Krupková 10.5)",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[part("on_Q", LIST, "their pullbacks to Q, in normal form")],
        run: constraint_forms,
    },
    Question {
        name: "canonical_distribution",
        parameters: &[Q],
        help: "the canonical distribution on Q, annihilated by the constraint forms",
        options: &[],
        gives: Gives::Kinds(SUBSPACE),
        parts: &[],
        run: canonical_distribution,
    },
    Question {
        name: "ideal",
        parameters: &[Q],
        help: "generators of the constraint ideal on Q",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[part("differential", VERDICT, "whether their differentials lie in it")],
        run: ideal,
    },
];

/// What the argument declares, and the system it belongs to, if it is one.
fn declared(a: &Arguments) -> Fallible<(Declared, Rc<RankCondition>, Option<Rc<System>>)> {
    match a.value(0)?.main() {
        Value::Constraint(c) if c.equations.is_empty() => Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "this constraint has no equations: it allows every position and velocity",
            )
            .label(a.positional[0].span, "given by forms that restrict accelerations")
            .help("`ideal_conditions(Q)` and `balance(S)` are about such constraints (Lewis §3.3, §5)"),
        )),
        Value::Constraint(c) => Ok((c.declared(&a.cx)?, c.rank_condition(&a.cx)?, None)),
        _ => {
            let system = a.system(0)?;
            if system.constraints.is_empty() {
                return Err(Box::new(
                    Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no constraints")
                        .label(a.positional[0].span, "nothing is said about it with `subject to`"),
                ));
            }
            Ok((system.declared_constraints(&a.cx)?, system.rank_condition(&a.cx)?, Some(system)))
        }
    }
}

/// The same for constraints that satisfy the rank condition.
fn independent(a: &Arguments) -> Fallible<(Declared, Rc<RankCondition>, Option<Rc<System>>)> {
    let (declared, found, system) = declared(a)?;
    match found.refusal(&a.cx, &declared) {
        Some(refusal) => Err(Box::new(refusal)),
        None => Ok((declared, found, system)),
    }
}

/// The structure on the level that the question is about: at least `least`, and that of the system if there is one.
fn structure(a: &Arguments, least: u32) -> Fallible<(Declared, Rc<ConstraintStructure>)> {
    let (declared, condition, system) = independent(a)?;
    let level = match &system {
        Some(system) => level_of(&a.cx, &*system.dynamical_form(&a.cx)?).max(least),
        None => least,
    };
    let found = Rc::new(structure_of(&a.cx, &condition, &declared, level)?);
    Ok((declared, found))
}

fn rank_condition(a: &Arguments) -> Fallible<Value> {
    let (declared, found, _) = declared(a)?;
    let y = declared.manifold.clone();
    let relation = |r: &ranks::Relation| {
        let coefficients = Value::exprs(r.coefficients.clone());
        Value::from(Answer::new("relation").part("coefficients", coefficients).part("value", r.value).on(&y))
    };
    let space = y.jets(y.order_of_all(&a.cx, &declared.equations.iter().map(|e| e.function).collect::<Vec<_>>()).order);
    let (for_rank, for_branches, for_locus) = (declared.clone(), declared.clone(), declared);
    let (branch_space, locus_space) = (space.clone(), space);
    let answer = Answer::new("rank_condition")
        .part("kind", Value::Label(found.kind.label()))
        .part("generic_rank", found.generic_rank)
        .lazy("rank", move |cx: &Inquiry| {
            Ok(rank_with(ranks::rank_on_q(cx, &for_rank)?, ranks::matrix(cx, &for_rank)?, None))
        })
        .part("relations", Value::list(found.relations.iter().map(relation)))
        .part("hidden", Value::exprs(found.hidden.clone()))
        .part("independent", Value::list(found.independent.iter().map(|i| Value::count(i + 1))))
        .part("factors", Value::exprs(found.factors.clone()))
        .lazy("branches", move |cx: &Inquiry| {
            let set = |b| Value::from(PointSet::new(&branch_space, vec![b]));
            Ok(Value::list(ranks::components(cx, &for_branches)?.into_iter().map(set)))
        })
        .lazy("locus", move |cx: &Inquiry| {
            Ok(Value::from(PointSet::new(&locus_space, ranks::singular_points(cx, &for_locus)?)))
        })
        .on(&y);
    Ok(Value::from(match found.verdict.clone() {
        Verdict::Yes(_) => answer,
        open => answer.optional_part("complete", open),
    }))
}

/// Values by dependent and independent coordinate.
fn keyed_by_both(q: &ConstraintStructure, entry: impl Fn(usize, usize) -> Value) -> Value {
    let pairs = (0..q.n_constraints()).flat_map(|i| (0..q.independent().len()).map(move |l| (i, l)));
    Value::keyed(pairs.map(|(i, l)| {
        let key: Key = smallvec![
            KeyPart::Symbol(q.coordinate(q.dependent()[i])),
            KeyPart::Symbol(q.coordinate(q.independent()[l]))
        ];
        (key, entry(i, l))
    }))
}

/// Why the dependent jets are no functions of the others.
fn implicit(q: &ConstraintStructure, why: &str, branches: &[Vec<Expr>]) -> Box<Diagnostic> {
    let jets: Vec<String> = q.dependent_jets(q.level()).iter().map(|s| s.to_string()).collect();
    let mut refusal =
        Diagnostic::error(&codes::NOT_DETERMINED, format!("the constraints were not solved for {}", jets.join(", ")))
            .note(why.to_string());
    if let Some(c) = q.constraints().first() {
        refusal = refusal.label(c.span, "this constraint");
    }
    for values in branches {
        let list: Vec<String> = jets.iter().zip(values).map(|(s, e)| format!("{s} = {e}")).collect();
        refusal = refusal.note(format!("one branch is {}", list.join(", ")));
    }
    Box::new(refusal.help(match (branches.is_empty(), jets.first()) {
        (false, Some(jet)) => format!("choose one in the constraint, for example with `branch: {jet} > 0`"),
        _ => "everything but the normal form itself is known; the dependent jets stay in the answers".to_string(),
    }))
}

fn normal_form(a: &Arguments) -> Fallible<Value> {
    let (_, q) = structure(a, 0)?;
    let answer = Answer::new("normal_form");
    let jets = q.dependent_jets(q.level());
    let (answer, explicit, branches) = match q.normal_form() {
        NormalForm::Explicit(g) => {
            let entries = jets.iter().zip(g).map(|(s, g)| (*s, on_constraint(&q, 0, Value::Expr(*g))));
            (answer.main(Value::family(entries)), Verdict::yes("the equations were solved"), vec![])
        }
        NormalForm::Implicit { why, branches } => {
            (answer.refused_main(implicit(&q, why, branches)), Verdict::no(why.clone()), branches.clone())
        }
    };
    let dependent = q.dependent().iter().map(|d| Expr::symbol(q.coordinate(*d)));
    let conditions = q.conditions().iter().map(|c| Value::from(*c));
    Ok(Value::from(
        answer
            .part("dependent", Value::exprs(dependent))
            .part("det", on_constraint(&q, 0, Value::Expr(q.det())))
            .part("explicit", explicit)
            .part("jacobian", keyed_by_both(&q, |i, l| on_constraint(&q, 0, Value::Expr(q.slopes()[(i, l)]))))
            .part("conditions", Value::list(conditions))
            .part("branch", Value::list(branches.into_iter().map(Value::exprs)))
            .on(q.manifold())
            .valid_where(q.conditions().iter().copied()),
    ))
}

fn constraint_type(a: &Arguments) -> Fallible<Value> {
    let (declared, condition, _) = independent(a)?;
    let q = Rc::new(structure_of(&a.cx, &condition, &declared, 1)?);
    let found = kinds::constraint_type(&a.cx, &declared, &q)?;
    let kind = found.kind();
    let missing = |what: &str| Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what)));
    let curvature = match &found.curvature {
        Some(c) => Ok(keyed_by_both(&q, |i, l| on_constraint(&q, 0, Value::Expr(c[(i, l)])))),
        None => missing("the curvature (4.16) is a notion for affine constraints of first order"),
    };
    let degree = match (&kind, found.degree) {
        (Ok(kinds::Kind::Semiholonomic), Some(p)) => Ok(Value::count(p as usize)),
        (Ok(kinds::Kind::Semiholonomic), None) => {
            Err(Box::new(Diagnostic::error(&codes::UNDECIDED, "the integrals were not found, so the degree is open")))
        }
        _ => missing("a degree is a notion for semiholonomic constraints"),
    };
    Ok(Value::from(
        Answer::new("constraint_type")
            .try_part("kind", kind.map(|k| Value::Label(k.label())))
            .part("orders", Value::list(found.orders.iter().map(|r| Value::count(*r as usize))))
            .part("affine", found.affine)
            .part("integrable", found.integrable)
            .try_part("curvature", curvature)
            .try_part("degree", degree)
            .part("integrals", Value::exprs(found.integrals))
            .on(q.manifold())
            .valid_where(q.conditions().iter().copied()),
    ))
}

fn constraint_forms(a: &Arguments) -> Fallible<Value> {
    let (_, q) = structure(a, 1)?;
    let forms = q.forms(&a.cx);
    let on_q = q.forms_on_q(&a.cx);
    Ok(Value::from(
        Answer::new("constraint_forms")
            .main(Value::list(forms.into_iter().map(Value::Form)))
            .part("on_Q", Value::list(on_q.into_iter().map(|f| on_constraint(&q, 0, Value::Form(f)))))
            .on(q.manifold()),
    ))
}

fn is_explicit(q: &ConstraintStructure) -> bool {
    matches!(q.normal_form(), NormalForm::Explicit(_))
}

/// The constraint forms as a codistribution on Q.
fn codistribution_of(cx: &Inquiry, q: &ConstraintStructure) -> Codistribution {
    Codistribution::span(&Chart::new(q.coordinates_on_q()), q.forms_on_q(cx))
}

fn canonical_distribution(a: &Arguments) -> Fallible<Value> {
    let (_, q) = structure(a, 1)?;
    let (found, recorded) = conditions::collect(&a.cx, |cx| -> Fallible<Value> {
        if is_explicit(&q) {
            return Ok(Value::from(codistribution_of(cx, &q).annihilator(cx)?));
        }
        let fields = Distribution::span(&Chart::new(q.coordinates_on_q()), q.canonical_fields(cx)?);
        Ok(on_constraint(&q, 0, Value::from(fields)))
    });
    Ok(Value::from(
        Answer::new("canonical_distribution")
            .main(found?)
            .on(q.manifold())
            .valid_where(recorded)
            .valid_where(q.conditions().iter().copied()),
    ))
}

fn ideal(a: &Arguments) -> Fallible<Value> {
    let (declared, q) = structure(a, 1)?;
    let forms = codistribution_of(&a.cx, &q);
    let generators =
        forms.forms(&a.cx).iter().cloned().map(|f| on_constraint(&q, 0, Value::Form(f))).collect::<Vec<_>>();
    let of = q.clone();
    Ok(Value::from(
        Answer::new("ideal")
            .main(Value::list(generators))
            .lazy("differential", move |cx: &Inquiry| {
                // Forms with coefficients that are not solved are closed on Q or not; their derivatives off it say nothing.
                Ok(Value::from(match is_explicit(&of) {
                    true => forms.is_involutive(cx)?,
                    false => kinds::constraint_type(cx, &declared, &of)?.integrable,
                }))
            })
            .on(q.manifold())
            .valid_where(q.conditions().iter().copied()),
    ))
}
