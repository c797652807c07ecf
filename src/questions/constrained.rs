//! Questions about systems under constraints: reduced equations, multipliers and reactions, and what the questions about free
//! systems mean on the constraint. Krupková §11, Volný–Krupková §3–4.
//!
//! Answers live on the constraint: they are compared there, and at a point dependent jets may be left out.

use super::systems::{names, simple};
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Symbol, Verdict, decide};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::mechanics::constrained_dynamics::{ConstrainedBranch, ConstrainedDynamics, constrained_dynamics};
use crate::mechanics::constrained_form::{ConstrainedForm, ConstrainedMotion};
use crate::mechanics::constraint_legendre::{self as theory, ConstraintLegendre, ConstraintMomenta};
use crate::mechanics::constraint_structure::ConstraintStructure;
use crate::mechanics::{jet, regular};
use crate::model::constraints::on_constraint;
use crate::model::evaluate_at::value_at;
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::operate::as_expr;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Fallible, Judgement, Key, KeyPart, LabelledMatrix, OnBranch, Point, Value};
use smallvec::smallvec;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "reduced",
        parameters: &[one("S", SYSTEM)],
        help: "the constrained system on Q: A′ + B′ q_s = 0 in the independent coordinates (Krupková 11.6)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            part("A", FAMILY, "A′, by independent coordinate"),
            part("B", MATRIX, "B′; zero where the constraints have the order of the equations"),
            part("det_B", FUNCTION, "its determinant"),
            part("regular", VERDICT, "B′ is invertible at generic points"),
            part("unconstrained_regular", VERDICT, "B is, without the constraints"),
            part("rank", RANK, "of B′"),
            part("kernel", LIST, "κ with κ B′ = 0"),
            part("primary", LIST, "κ A′: what must vanish for a motion to exist"),
            part("locus", SET, "where det B′ vanishes"),
            part("jacobian", MATRIX, "∂A′/∂q_s along Q, for constraints of order s and more"),
            part("determined", VERDICT, "the highest derivatives are determined at generic points"),
            part("lagrangian", FUNCTION, "L on Q"),
            part("order", INTEGER, "s"),
            part("constraints", INTEGER, "k"),
            part("coordinates", INTEGER, "m"),
        ],
        run: reduced,
    },
    Question {
        name: "multipliers",
        parameters: &[one("S", SYSTEM)],
        help: "μ with −E = Σ μ_i ∂f_i/∂q_r, for the constraints as typed, as functions of the state",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[],
        run: multipliers,
    },
    Question {
        name: "reactions",
        parameters: &[one("S", SYSTEM)],
        help: "the forces Σ μ_i ∂f_i/∂q_r that the constraints exert, by coordinate",
        options: &[],
        gives: Gives::Kinds(FAMILY),
        parts: &[],
        run: reactions,
    },
];

/// A constrained system with what is derived of it for an answer.
struct Subject {
    system: Rc<System>,
    form: Rc<ConstrainedForm>,
}

impl Subject {
    fn read(a: &Arguments) -> Fallible<Subject> {
        let system = a.system(0)?;
        if system.constraints.is_empty() {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no constraints")
                    .label(a.positional[0].span, "nothing is said about it with `subject to`"),
            ));
        }
        let form = system.constrained_form(&a.cx)?;
        Ok(Subject { system, form })
    }

    fn q(&self) -> &Rc<ConstraintStructure> {
        self.form.structure()
    }

    /// A value on the constraint.
    fn along(&self, value: impl Into<Value>) -> Value {
        on_constraint(self.q(), self.form.form().order(), value.into())
    }

    fn by_independent(&self, values: &[Expr]) -> Value {
        let keys = self.q().independent().iter().map(|l| self.q().coordinate(*l));
        Value::family(keys.zip(values.iter().map(|e| self.along(*e))))
    }

    fn by_coordinate(&self, values: &[Expr]) -> Value {
        let keys = (0..values.len()).map(|s| self.q().coordinate(s));
        Value::family(keys.zip(values.iter().map(|e| self.along(*e))))
    }

    fn motion(&self, a: &Arguments) -> Fallible<ConstrainedMotion> {
        self.form.motion(&a.cx).map_err(|d| Box::new(d.or_at(a.positional[0].span, "a singular system")))
    }

    /// A verdict about a determinant, taken anew at points of the constraint.
    fn nonzero(&self, verdict: Verdict, det: Fallible<Expr>) -> Value {
        let there = det.map(|e| self.along(e));
        let again = move |cx: &Inquiry, point: &Point| {
            let det = as_expr(cx, &value_at(cx, &there.clone()?, point)?)?;
            Ok(decide::is_zero(cx, det).negate())
        };
        Value::from(Judgement { verdict, at: Some(Box::new(again)) })
    }
}

fn reduced(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let s = Subject::read(a)?;
    let (form, q) = (s.form.clone(), s.q().clone());
    let labels: Vec<Symbol> = q.independent().iter().map(|l| q.coordinate(*l)).collect();
    let matrix = |m: &crate::algebra::linear::Matrix| {
        s.along(LabelledMatrix { matrix: m.clone(), rows: labels.clone(), columns: labels.clone() })
    };
    let det = form.det_b(cx);
    let leading_det = form.leading().det(cx).map_err(Into::into);
    let jacobian = match form.is_high() {
        true => Ok(matrix(form.leading())),
        false => Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            "∂A′/∂q_s is a notion for constraints of the order of the equations and more",
        ))),
    };
    let free = form.form().clone();
    let unconstrained = regular::is_generically_regular(cx, &free);
    let (for_rank, for_kernel, for_primary, for_locus) = (form.clone(), form.clone(), form.clone(), form.clone());
    let space = form.space();
    let lagrangian = match (form.lagrangian(cx), s.system.free_lagrangian()) {
        (Some(l), _) => Ok(s.along(l)),
        (None, Some(l)) => Ok(s.along(q.on_q(cx, l.function()))),
        _ => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian"))),
    };
    let primary_space = (q.clone(), form.form().order());
    Ok(Value::from(
        Answer::new("reduced")
            .part("A", s.by_independent(form.a()))
            .part("B", matrix(form.b()))
            .try_part("det_B", det.clone().map(|e| s.along(e)))
            .part("regular", s.nonzero(form.is_regular(cx), det))
            .part("unconstrained_regular", s.nonzero(unconstrained, free.det_b(cx).map_err(Into::into)))
            .lazy("rank", move |cx: &Inquiry| super::strata::rank_value(cx, for_rank.b(), None))
            .lazy("kernel", move |cx: &Inquiry| Ok(Value::list(for_kernel.kernel(cx)?.into_iter().map(Value::exprs))))
            .lazy("primary", move |cx: &Inquiry| {
                let (q, order) = &primary_space;
                Ok(Value::list(for_primary.primary(cx)?.into_iter().map(|e| on_constraint(q, *order, Value::Expr(e)))))
            })
            .lazy("locus", move |cx: &Inquiry| super::strata::zero_set(cx, &space, for_locus.leading().det(cx)?))
            .try_part("jacobian", jacobian)
            .part("determined", s.nonzero(form.is_determined(cx), leading_det))
            .try_part("lagrangian", lagrangian)
            .part("order", form.form().order() as usize)
            .part("constraints", q.n_constraints())
            .part("coordinates", q.manifold().n_coordinates())
            .on(&s.system.manifold)
            .valid_where(q.conditions().iter().copied()),
    ))
}

fn multipliers(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::multipliers(a)? {
        return Ok(answer);
    }
    let s = Subject::read(a)?;
    let motion = s.motion(a)?;
    let lambda = s.form.multipliers(&a.cx, &motion)?;
    Ok(Value::from(
        Answer::new("multipliers")
            .main(Value::list(lambda.iter().map(|l| s.along(simple(&a.cx, -*l)))))
            .on(&s.system.manifold)
            .valid_where(motion.conditions),
    ))
}

fn reactions(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::reactions(a)? {
        return Ok(answer);
    }
    let s = Subject::read(a)?;
    let motion = s.motion(a)?;
    let lambda = s.form.multipliers(&a.cx, &motion)?;
    let forces = s.form.reactions(&a.cx, &motion, &lambda);
    Ok(Value::from(
        Answer::new("reactions").main(s.by_coordinate(&forces)).on(&s.system.manifold).valid_where(motion.conditions),
    ))
}

/// Whether the question is about a system under constraints.
pub(super) fn is_asked_of(a: &Arguments) -> bool {
    a.system(0).is_ok_and(|s| !s.constraints.is_empty())
}

/// The left sides of the reduced equations, by independent coordinate.
pub(super) fn equations(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    let q = s.q();
    let reduced = s.form.equations(&a.cx);
    let sides = s.form.form().components();
    let balance = |sigma: usize| {
        let terms =
            (0..q.n_constraints()).map(|i| Expr::symbol(Symbol::multiplier(i as u32 + 1)) * q.chetaev()[(i, sigma)]);
        simple(&a.cx, -(sides[sigma] + Expr::add_all(terms.collect::<Vec<_>>())))
    };
    let coordinates = (0..sides.len()).map(|sigma| (q.coordinate(sigma), Value::Expr(balance(sigma))));
    Ok(Value::from(
        Answer::new("equations")
            .main(s.by_independent(&reduced))
            .part("multiplier_form", Value::family(coordinates.collect::<Vec<_>>()))
            .part("constraints", Value::exprs(q.constraints().iter().map(|c| c.function)))
            .part("order", s.form.form().jet_order() as usize)
            .on(&s.system.manifold)
            .valid_where(q.conditions().iter().copied()),
    ))
}

pub(super) fn vector_field(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    let motion = s.motion(a)?;
    let y = s.q().manifold();
    let tops = (0..y.n_coordinates()).map(|sigma| jet(y, sigma, motion.order));
    let det = s.form.leading().det(&a.cx)?;
    let unique = match decide::is_nonzero_everywhere(&a.cx, det) {
        Verdict::Yes(g) => Verdict::Yes(g),
        Verdict::No(_) => Verdict::no("the system is singular on a set of points"),
        open => open,
    };
    let (space, conditions) = (s.form.space(), motion.conditions.clone());
    Ok(Value::from(
        Answer::new("vector_field")
            .main(s.form.semispray(&a.cx, &motion))
            .keyed(tops.zip(motion.accelerations.iter().map(|e| s.along(*e))))
            .part("unique", unique)
            .part("conditions", Value::list(conditions.iter().map(|c| Value::from(*c))))
            .lazy("locus", move |cx: &Inquiry| super::strata::zero_set(cx, &space, det))
            .on(y)
            .valid_where(motion.conditions),
    ))
}

pub(super) fn first_integral(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    a.lives_on(1, &s.system.manifold)?;
    let motion = s.motion(a)?;
    let f = s.q().on_q(&a.cx, a.expr(1)?);
    let rate = simple(&a.cx, s.form.semispray(&a.cx, &motion).apply(&a.cx, f));
    let verdict = s.q().vanishes_on_q(&a.cx, rate);
    Ok(Value::from(
        Answer::new("first_integral")
            .main(verdict)
            .part("rate", s.along(rate))
            .on(&s.system.manifold)
            .valid_where(motion.conditions),
    ))
}

/// d(Σ p q′ − L)/dt = −∂L/∂t − q′E_L with E_L + F = λ_i ∂f^i/∂q_r on the motion.
pub(super) fn power(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    let cx = &a.cx;
    let Some(lagrangian) = s.system.free_lagrangian() else {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian, and so no energy")
                .label(a.positional[0].span, "only equations"),
        ));
    };
    let motion = s.motion(a)?;
    let lambda = s.form.multipliers(cx, &motion)?;
    let reactions = s.form.reactions(cx, &motion, &lambda);
    let y = s.q().manifold();
    let work = |forces: &[Expr]| {
        let terms = forces.iter().enumerate().map(|(sigma, f)| *f * Expr::symbol(jet(y, sigma, 1)));
        s.q().on_q(cx, Expr::add_all(terms.collect::<Vec<_>>()))
    };
    let given: Vec<Expr> = (0..y.n_coordinates())
        .map(|i| Expr::add_all(s.system.forces.iter().map(|f| f.components[i]).collect::<Vec<_>>()))
        .collect();
    let (of_forces, of_reactions) = (work(&given), work(&reactions));
    let explicit = s.q().on_q(cx, partial(cx, lagrangian.function(), y.base()));
    Ok(Value::from(
        Answer::new("power")
            .main(s.along(simple(cx, of_forces + of_reactions - explicit)))
            .part("forces", s.along(of_forces))
            .part("reactions", s.along(of_reactions))
            .on(&s.system.manifold)
            .valid_where(motion.conditions),
    ))
}

fn transformation(a: &Arguments) -> Fallible<(Subject, ConstraintLegendre)> {
    if let Some(option) = a.option("gauge") {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "constraint momenta have no gauge of (8.9)")
                .label(option.span, "not used"),
        ));
    }
    let s = Subject::read(a)?;
    let found = theory::constraint_legendre(&a.cx, s.form.clone(), s.system.free_lagrangian())?;
    Ok((s, found))
}

pub(super) fn momenta(a: &Arguments) -> Fallible<Value> {
    let (s, found) = transformation(a)?;
    let momenta = found.momenta(&a.cx).map_err(|d| Box::new(d.or_at(a.positional[0].span, "of this system")))?;
    let q = s.q();
    let entries: Vec<(Symbol, Value)> =
        q.independent().iter().map(|l| q.coordinate(*l)).zip(momenta.momenta.iter().map(|p| s.along(*p))).collect();
    let named = found.symbols(&names(a)?).into_iter().zip(entries.iter().map(|(_, p)| p.clone()));
    let both: Vec<(Symbol, Value)> = entries.iter().cloned().chain(named).collect();
    let missing = |what: &str| -> Fallible<Value> { Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what))) };
    let autonomous = decide::is_zero(
        &a.cx,
        Expr::add_all(
            s.form
                .form()
                .components()
                .iter()
                .map(|e| partial(&a.cx, *e, q.manifold().base()).pow(2))
                .collect::<Vec<_>>(),
        ),
    );
    Ok(Value::from(
        Answer::new("momenta")
            .main(Value::family(entries))
            .keyed(both)
            .try_part("f", missing("the function of (8.9) belongs to systems without constraints"))
            .try_part("gauge", missing("the gauge of (8.9) belongs to systems without constraints"))
            .part("autonomous", autonomous)
            .try_part("canonical", missing("the canonical form (8.5) belongs to systems without constraints"))
            .on(&s.system.manifold)
            .valid_where(q.conditions().iter().copied()),
    ))
}

pub(super) fn legendre(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let (s, found) = transformation(a)?;
    let prefix = names(a)?;
    let q = s.q().clone();
    let momenta = found.momenta(cx);
    let declared = s.system.declared_constraints(cx)?;
    let coordinate = |sigma: usize| KeyPart::Symbol(q.coordinate(sigma));
    let violations = found.violations.iter().map(|([l, s1, r], e)| {
        let key: Key = smallvec![coordinate(*l), coordinate(*s1), coordinate(*r)];
        (key, s.along(*e))
    });
    let violations = Value::keyed(violations.collect::<Vec<_>>());
    let family = |get: &dyn Fn(&ConstraintMomenta) -> Vec<Expr>| momenta.clone().map(|m| s.by_independent(&get(&m)));
    let inverse = momenta.clone().and_then(|m| found.inverse(cx, &m, &prefix)?.map_err(theory::no_inverse));
    let explicit = match &inverse {
        Ok(_) => Verdict::yes("solved for the velocities"),
        Err(why) => Verdict::no(why.title.clone()),
    };
    let answer = Answer::new("legendre");
    let mut conditions = q.conditions().to_vec();
    let answer = match inverse {
        Ok((inverse, more)) => {
            conditions.extend(more);
            answer.main(Value::family(inverse.into_iter().map(|(v, e)| (v, Value::Expr(e)))))
        }
        Err(why) => answer.refused_main(why),
    };
    let h = momenta.clone().and_then(|m| match m.hamiltonian {
        Some(h) => Ok(s.along(h)),
        None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian"))),
    });
    let (for_choices, for_keys) = (found.clone(), q.clone());
    Ok(Value::from(
        answer
            .part("integrable", found.condition.clone())
            .part("violations", violations)
            .lazy("choices", move |cx: &Inquiry| {
                let all = for_choices.choices(cx, &declared)?;
                Ok(Value::keyed(all.into_iter().map(|(d, verdict)| {
                    let key: Key = d.iter().map(|sigma| KeyPart::Symbol(for_keys.coordinate(*sigma))).collect();
                    (key, Value::from(verdict))
                })))
            })
            .try_part("momenta", family(&|m| m.momenta.clone()))
            .try_part("eta", family(&|m| m.eta.clone()))
            .try_part("H", h)
            .try_part("exact", momenta.map(|m| Value::from(m.exact)))
            .part("explicit", explicit)
            .try_part("gauge", no_gauge())
            .on(&s.system.manifold)
            .valid_where(conditions),
    ))
}

fn no_gauge() -> Fallible<Value> {
    let title = "the gauge of (8.9) belongs to systems without constraints";
    Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, title)))
}

/// The constraint algorithm on Q.
pub(super) fn dynamics(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    if let Some(option) = a.option("through") {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_AVAILABLE, "`through` is not available yet for constrained systems")
                .label(option.span, "no effect here"),
        ));
    }
    let found = Rc::new(constrained_dynamics(&a.cx, &s.form)?);
    let answer = dynamics_answer(&found).on(&s.system.manifold);
    let proper = Value::from(dynamics_answer(&found).on(&s.system.manifold));
    let missing = |what: &str| -> Fallible<Value> { Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what))) };
    Ok(Value::from(
        answer
            .lazy("proper", move |_| Ok(proper.clone()))
            .try_part("extended", missing("Hamilton paths that are no motions belong to systems without constraints"))
            .try_part("log", missing("the steps of the algorithm on a constraint are not kept"))
            .valid_where(s.q().conditions().iter().copied()),
    ))
}

fn dynamics_answer(found: &Rc<ConstrainedDynamics>) -> Answer {
    let set = |list: Vec<Branch>| Value::from(PointSet::new(&found.space, list));
    let branch = |b: &ConstrainedBranch| {
        let on =
            |e: Expr| Value::OnBranch(Rc::new(OnBranch::new(Value::Expr(e), found.space.symbols(), b.branch.clone())));
        let known = b.accelerations.iter().filter_map(|(q, e)| Some((*q, on((*e)?))));
        let multipliers = b.multipliers.iter().map(|e| e.map_or(Value::Label("free"), on));
        Value::from(
            Answer::new("branch")
                .main(set(vec![b.branch.clone()]))
                .part("equations", Value::exprs(b.branch.equations.clone()))
                .part("nonzero", Value::exprs(b.branch.nonzero.clone()))
                .part("dim", b.dim)
                .part("determined", b.determined.clone())
                .part("free", b.free)
                .part("accelerations", Value::family(known.collect::<Vec<_>>()))
                .part("multipliers", Value::list(multipliers))
                .on(found.space.manifold()),
        )
    };
    let finals: Vec<Branch> = found.branches.iter().map(|b| b.branch.clone()).collect();
    let kind = match (&found.complete, &found.empty) {
        (Verdict::Unknown(_), _) => "cut_off",
        (_, Verdict::Yes(_)) => "no_motion",
        _ => "motion",
    };
    let undecided = found.undecided.iter().map(|b| set(vec![b.clone()]));
    Answer::new("dynamics")
        .part("primary", set(found.primary.clone()))
        .part("final", set(finals))
        .part("branches", Value::list(found.branches.iter().map(branch)))
        .part("empty", found.empty.clone())
        .lazy("secondary", {
            let found = found.clone();
            move |cx: &Inquiry| {
                let set = |list: Vec<Branch>| PointSet::new(&found.space, list);
                let finals = set(found.branches.iter().map(|b| b.branch.clone()).collect());
                Ok(Value::from(set(found.primary.clone()).equals(cx, &finals)?.negate()))
            }
        })
        .part("complete", found.complete.clone())
        .part("undecided", Value::list(undecided))
        .part("reasons", Value::list([]))
        .part("rounds", found.rounds)
        .part("kind", Value::Label(kind))
}

pub(super) fn hamilton(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let (s, found) = transformation(a)?;
    let prefix = names(a)?;
    let momenta = found.momenta(cx).map_err(|d| Box::new(d.or_at(a.positional[0].span, "of this system")))?;
    let equations = found.hamilton(cx, &momenta, &prefix)?;
    let entries = equations.right_sides.iter().map(|(x, e)| (*x, Value::Expr(*e)));
    let h = match equations.hamiltonian {
        Some(h) => Ok(Value::Expr(h)),
        None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian"))),
    };
    let conditions = s.q().conditions().iter().copied().chain(equations.conditions.iter().copied());
    let conditions: Vec<_> =
        conditions.filter(|c| c.left.symbols().iter().all(|x| x.as_jet().is_none_or(|(_, k)| k == 0))).collect();
    Ok(Value::from(
        Answer::new("hamilton")
            .main(Value::family(entries.collect::<Vec<_>>()))
            .part("eta", Form::one_form(equations.eta))
            .try_part("H", h)
            .try_part("gauge", no_gauge())
            .on(&s.system.manifold)
            .valid_where(conditions),
    ))
}
