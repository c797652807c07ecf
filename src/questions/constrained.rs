//! Questions about systems under constraints: reduced equations, multipliers and reactions, and what the questions about free
//! systems mean on the constraint. Krupková §11, Volný–Krupková §3–4.
//!
//! Answers live on the constraint: they are compared there, and at a point dependent jets may be left out.

use super::systems::{names, simple};
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol, Verdict, conditions, decide};
use crate::budget::{Budgeted, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::Refusal;
use crate::geometry::distribution::Distribution;
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::JetSpace;
use crate::mechanics::constrained_dynamics::{
    ConstrainedBranch, ConstrainedDynamics, constrained_dynamics, constrained_ranks,
};
use crate::mechanics::constrained_form::{ConstrainedForm, ConstrainedMotion};
use crate::mechanics::constraint_legendre::{self as theory, ConstraintLegendre, ConstraintMomenta};
use crate::mechanics::constraint_structure::{ConstraintStructure, NormalForm};
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::{jet, regular};
use crate::model::constraints::on_constraint;
use crate::model::evaluate_at::value_at;
use crate::model::explain::{Chapter, Steps};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::operate::as_expr;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Fallible, Judgement, Key, KeyPart, LabelledMatrix, OnBranch, Point, Rank, Value};
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
        parts: &[
            part("unique", VERDICT, "no combination of them exerts no force"),
            part("least_norm", LIST, "the choice with the least Σ μ_i², where they are not unique"),
            part("idle", LIST, "combinations of multipliers that exert no force"),
        ],
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
pub(super) struct Subject {
    system: Rc<System>,
    pub(super) form: Rc<ConstrainedForm>,
}

impl Subject {
    pub(super) fn read(a: &Arguments) -> Fallible<Subject> {
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

    pub(super) fn q(&self) -> &Rc<ConstraintStructure> {
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
        self.form.motion(&a.cx).map_err(|d| singular(a, &self.system, *d))
    }

    /// A verdict about a determinant, taken anew at points of the constraint.
    fn nonzero(&self, verdict: Verdict, det: Fallible<Expr>) -> Value {
        let there = det.map(|e| self.along(e));
        let again = move |cx: &Inquiry, point: &Point| {
            let det = as_expr(cx, &value_at(cx, &there.clone()?, point)?)?;
            Ok(decide::is_zero(cx, det).negate())
        };
        Value::from(Judgement { verdict, at: Some(Box::new(again)), needs: vec![] })
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
    if let Some(Value::List(found)) = super::pairs::multipliers(a)? {
        let list = Value::List(found);
        return Ok(Value::from(determined_multipliers(list).on(&a.system(0)?.manifold)));
    }
    let system = a.system(0)?;
    if !system.constraints.is_empty() && !system.constraint_structure(&a.cx)?.redundant().is_empty() {
        return Ok(Value::from(redundant_multipliers(&a.cx, &system)?.on(&system.manifold)));
    }
    let s = Subject::read(a)?;
    let motion = s.motion(a)?;
    let lambda = s.form.multipliers(&a.cx, &motion)?;
    let list = Value::list(lambda.iter().map(|l| s.along(simple(&a.cx, -*l))));
    Ok(Value::from(determined_multipliers(list).on(&s.system.manifold).valid_where(motion.conditions)))
}

fn determined_multipliers(list: Value) -> Answer {
    let same = list.clone();
    Answer::new("multipliers")
        .main(list)
        .lazy("unique", |_| Ok(Value::from(Verdict::yes("the constraints are independent"))))
        .lazy("least_norm", move |_| Ok(same.clone()))
        .lazy("idle", |_| Ok(Value::list([])))
}

/// The rows c of N with c F = 0 on Q are the multipliers that exert no force. With those of ρ independent constraints, and 0 for
/// the others, the least choice is μ − Nᵀ (N Nᵀ)⁻¹ N μ.
fn redundant_multipliers(cx: &Inquiry, system: &Rc<System>) -> Fallible<Answer> {
    let q = system.constraint_structure(cx)?;
    let condition = system.rank_condition(cx)?;
    let idle: Vec<Vec<Expr>> = condition.relations.iter().map(|r| r.coefficients.clone()).collect();
    let name = |i: usize| Expr::symbol(Symbol::multiplier(i as u32 + 1));
    let shown = idle.iter().map(|v| {
        let terms = v.iter().enumerate().map(|(i, e)| name(i) * q.on_q(cx, *e));
        simple(cx, Expr::add_all(terms.collect::<Vec<_>>()))
    });
    let shown = shown.collect::<Vec<_>>();
    let mut refusal = Diagnostic::error(&codes::NOT_DETERMINED, "the multipliers of these constraints are not unique");
    for c in q.constraints().iter().chain(q.redundant()) {
        refusal = refusal.label(c.span, "one of the constraints");
    }
    let text: Vec<String> = shown.iter().map(|e| e.to_string()).collect();
    let refusal = refusal
        .note("they are overconstrained: fewer of them hold the motion where it is")
        .note(format!("multipliers in the proportions of {} exert no force", text.join(", ")))
        .help("`reactions(S)` is determined; `multipliers(S).least_norm` is the choice with the least sum of squares");
    let asked = system.clone();
    Ok(Answer::new("multipliers")
        .refused_main(Box::new(refusal))
        .lazy("unique", |_| Ok(Value::from(Verdict::no("the constraints are redundant"))))
        .lazy("least_norm", move |cx: &Inquiry| {
            let form = asked.constrained_form(cx)?;
            let motion = form.motion(cx)?;
            let q = form.structure();
            let own = form.multipliers(cx, &motion)?.into_iter().map(|l| -l);
            let all: Vec<Expr> = own.chain(q.redundant().iter().map(|_| Expr::zero())).collect();
            let mu = q.as_typed(&all);
            let n = crate::algebra::linear::Matrix::with_columns(idle.clone(), mu.len());
            let solution = n.mul(&n.transpose()).solve(cx, &n.mul_vector(&mu))?;
            let idle = n.transpose().mul_vector(&solution.particular);
            let least = mu.into_iter().zip(idle).map(|(mu, c)| simple(cx, q.on_q(cx, mu - c)));
            Ok(Value::list(least.map(|e| on_constraint(q, form.form().order(), Value::Expr(e)))))
        })
        .lazy("idle", move |_| Ok(Value::exprs(shown.clone()))))
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

/// The left sides of the reduced equations, by independent coordinate. Where they outgrow their share, as for a long chain, those with
/// multipliers are given alone: they need no chart.
pub(super) fn equations(a: &Arguments) -> Fallible<Value> {
    let (cx, system) = (&a.cx, a.system(0)?);
    tested(a, &system)?;
    let reduced = cx.within(share::REDUCED, || {
        let s = Subject::read(a)?;
        let reduced = s.form.equations(cx);
        match cx.is_over() {
            true => Err(Box::new(Diagnostic::from(Refusal::Exhausted(cx.why())))),
            false => Ok((s, reduced)),
        }
    });
    let (s, reduced) = match reduced {
        Err(d) if d.code.name == codes::BUDGET.name && !cx.is_over() => match system.uncharted_structure(cx)? {
            Some(q) => return with_multipliers_alone(a, &system, &q),
            None => {
                let s = Subject::read(a)?;
                let reduced = s.form.equations(cx);
                (s, reduced)
            }
        },
        found => found?,
    };
    let form = s.form.form();
    Ok(Value::from(
        multiplier_equations(a, form, s.q())
            .main(s.by_independent(&reduced))
            .on(&s.system.manifold)
            .valid_where(s.q().conditions().iter().copied()),
    ))
}

fn with_multipliers_alone(a: &Arguments, system: &System, q: &ConstraintStructure) -> Fallible<Value> {
    let why = Diagnostic::error(&codes::BUDGET, "the reduced equations of this system are too long to be written down")
        .label(a.positional[0].span, "this system")
        .help("`equations(S).multiplier_form` are the equations with multipliers; a run uses these");
    let answer = multiplier_equations(a, &*system.dynamical_form(&a.cx)?, q);
    Ok(Value::from(answer.refused_main(Box::new(why)).on(&system.manifold)))
}

/// −E_σ − μ_i ∂f^i/∂q_r^σ by coordinate, and the constraints.
fn multiplier_equations(a: &Arguments, form: &DynamicalForm, q: &ConstraintStructure) -> Answer {
    let sides = form.components();
    let balance = |sigma: usize| {
        let terms =
            (0..q.n_constraints()).map(|i| Expr::symbol(Symbol::multiplier(i as u32 + 1)) * q.chetaev()[(i, sigma)]);
        simple(&a.cx, -(sides[sigma] + Expr::add_all(terms.collect::<Vec<_>>())))
    };
    let coordinates = (0..sides.len()).map(|sigma| (q.coordinate(sigma), Value::Expr(balance(sigma))));
    Answer::new("equations")
        .written(crate::model::value::Written::Vanishes)
        .part("multiplier_form", Value::family(coordinates.collect::<Vec<_>>()))
        .part("constraints", Value::exprs(q.constraints().iter().map(|c| c.function)))
        .part("order", form.jet_order() as usize)
}

/// Whether B is symmetric and definite at every point. W, which has the unit matrix among its rows, has full rank where the chart
/// is one, so Wᵀ B W then is definite there.
fn is_definite(cx: &Inquiry, b: &[Vec<Expr>]) -> Budgeted<bool> {
    let n = b.len();
    let is_symmetric = (0..n).all(|i| (0..i).all(|j| decide::is_zero(cx, b[i][j] - b[j][i]).is_yes()));
    Ok(is_symmetric && Matrix::with_columns(b.to_vec(), n).definite_sign(cx)?.is_some())
}

pub(super) fn vector_field(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    let motion = s.motion(a)?;
    let y = s.q().manifold();
    let tops = (0..y.n_coordinates()).map(|sigma| jet(y, sigma, motion.order));
    let det = s.form.leading().det(&a.cx)?;
    let unique = match decide::is_nonzero_everywhere(&a.cx, det) {
        Verdict::Yes(g) => Verdict::Yes(g),
        // Parameters are generic: that a factor vanishes for some of them is a condition.
        Verdict::No(_) => {
            let (_, factors) = conditions::collect(&a.cx, |cx| conditions::record_nonzero(cx, det));
            let moves = |e: &Expr| e.symbols().iter().any(|s| y.order_of_symbol(*s).is_some());
            let moving: Vec<Expr> = factors.into_iter().filter(moves).collect();
            match Verdict::all(moving.iter().map(|e| decide::is_nonzero_everywhere(&a.cx, *e)), "parameters alone") {
                _ if moving.is_empty() => decide::is_zero(&a.cx, det).negate(),
                Verdict::No(_) => Verdict::no("the system is singular on a set of points"),
                other => other,
            }
        }
        // In the chart it is open; without one it may not be.
        open if s.form.is_high() => open,
        _ if a.cx.within(share::MINOR, || is_definite(&a.cx, s.form.form().b())).is_ok_and(|yes| yes) => {
            Verdict::yes("B is definite, and so is B′ = Wᵀ B W")
        }
        open => match a.cx.within(share::MINOR, || constrained_ranks(&a.cx, &s.form)) {
            Ok(ranks) => ranks.regular,
            Err(_) => open,
        },
    };
    let (space, conditions) = (s.form.space(), motion.conditions.clone());
    Ok(Value::from(
        Answer::new("vector_field")
            .main(s.along(s.form.semispray(&a.cx, &motion)))
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
    let verdict = super::motion::with_rate(s.q().vanishes_on_q(&a.cx, rate), rate);
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
    let Some(lagrangian) = s.system.free_lagrangian() else { return Err(no_energy(a)) };
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

pub(super) fn no_energy(a: &Arguments) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian, and so no energy")
            .label(a.positional[0].span, "only equations"),
    )
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
        Err(why) if why.code.name == codes::UNDECIDED.name => Verdict::unknown(why.title.clone()),
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
    let found = Rc::new(constrained_dynamics(&a.cx, &s.form)?);
    let chosen = match super::dynamics::through(a)? {
        Some(point) => found.through(&a.cx, &point)?,
        None => found.branches.clone(),
    };
    let unique = s.q().redundant().is_empty();
    let answer = dynamics_answer(&found, &chosen, unique).on(&s.system.manifold);
    let proper = Value::from(dynamics_answer(&found, &chosen, unique).on(&s.system.manifold));
    let steps = Rc::new(Steps { chapters: vec![Chapter { title: None, steps: found.log.clone() }] });
    let missing = |what: &str| -> Fallible<Value> { Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what))) };
    Ok(Value::from(
        answer
            .lazy("proper", move |_| Ok(proper.clone()))
            .try_part("extended", missing("Hamilton paths that are no motions belong to systems without constraints"))
            .lazy("log", move |_| Ok(Value::Steps(steps.clone())))
            .valid_where(s.q().conditions().iter().copied()),
    ))
}

/// ∂_t + q_1 ∂_q + … along the motion, where it is determined.
fn motion_line(space: &JetSpace, b: &ConstrainedBranch) -> Fallible<VectorField> {
    let known: Option<Vec<Expr>> = b.accelerations.iter().map(|(_, e)| *e).collect();
    known.map(|accelerations| VectorField::semispray(space, &accelerations)).ok_or_else(|| {
        let title = "the motion is not determined on this branch";
        let note = "`accelerations` are the derivatives that are known, `free` counts the functions that are not";
        Box::new(Diagnostic::error(&codes::NOT_DETERMINED, title).note(note))
    })
}

fn span_of(space: &JetSpace, b: &ConstrainedBranch, field: &VectorField) -> Fallible<Value> {
    let span = Value::from(Distribution::new(space, vec![field.clone()])?);
    Ok(Value::OnBranch(Rc::new(OnBranch::new(span, space.symbols(), b.branch.clone()))))
}

fn rank_of_line(space: &JetSpace, field: &VectorField) -> Value {
    let row = space.symbols().iter().map(|s| field.component(*s)).collect();
    Value::from(Rank {
        values: vec![1],
        strata: vec![],
        matrix: Matrix::with_columns(vec![row], space.dimension()),
        complement: None,
        whole: None,
        complete: Verdict::yes("a field along dt vanishes nowhere"),
        interrupted: false,
        generic: vec![],
    })
}

fn dynamics_answer(found: &Rc<ConstrainedDynamics>, chosen: &[ConstrainedBranch], unique: bool) -> Answer {
    let set = |list: Vec<Branch>| Value::from(PointSet::new(&found.space, list));
    let branch = |b: &ConstrainedBranch| {
        let on =
            |e: Expr| Value::OnBranch(Rc::new(OnBranch::new(Value::Expr(e), found.space.symbols(), b.branch.clone())));
        let known = b.accelerations.iter().filter_map(|(q, e)| Some((*q, on((*e)?))));
        let multipliers = Value::list(b.multipliers.iter().map(|e| e.map_or(Value::Label("free"), on)));
        let line = motion_line(&found.space, b);
        let along_line =
            |part: &dyn Fn(&VectorField) -> Fallible<Value>| line.as_ref().map_err(Clone::clone).and_then(part);
        let redundant = || {
            let title = "the multipliers of redundant constraints are not unique";
            Box::new(Diagnostic::error(&codes::NOT_DETERMINED, title))
        };
        Value::from(
            Answer::new("branch")
                .main(set(vec![b.branch.clone()]))
                .part("equations", Value::exprs(b.branch.equations.clone()))
                .part("nonzero", Value::exprs(b.branch.nonzero.clone()))
                .part("dim", b.dim)
                .part("determined", b.determined.clone())
                .part("free", b.free)
                .part("accelerations", Value::family(known.collect::<Vec<_>>()))
                .try_part("distribution", along_line(&|x| span_of(&found.space, b, x)))
                .try_part("rank", along_line(&|x| Ok(rank_of_line(&found.space, x))))
                .try_part("integrable", along_line(&|_| Ok(Value::from(Verdict::yes("a field is integrable")))))
                .try_part("multipliers", if unique { Ok(multipliers) } else { Err(redundant()) })
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
        .part("branches", Value::list(chosen.iter().map(branch)))
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
            .written(crate::model::value::Written::Rate)
            .part("eta", Form::one_form(equations.eta))
            .try_part("H", h)
            .try_part("gauge", no_gauge())
            .on(&s.system.manifold)
            .moves(&s.system)
            .valid_where(conditions),
    ))
}

/// A refusal of singular equations; of equations without any motion it says that.
pub(super) fn singular(a: &Arguments, system: &System, d: Diagnostic) -> Box<Diagnostic> {
    match d.code.name == codes::DEGENERATE.name && moves_nowhere(&a.cx, system) {
        true => no_motion(a),
        false => Box::new(d.or_at(a.positional[0].span, "a singular system")),
    }
}

/// The same where nothing was asked at a place of its own.
pub fn refused_motion(cx: &Inquiry, system: &System, d: Box<Diagnostic>) -> Box<Diagnostic> {
    match d.code.name == codes::DEGENERATE.name && moves_nowhere(cx, system) {
        true => Box::new(
            Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                .note("its equations contradict each other")
                .help("`explain dynamics(S)` shows every step"),
        ),
        false => d,
    }
}

/// Whether the constraint algorithm that belongs to a system leaves nothing.
fn moves_nowhere(cx: &Inquiry, system: &System) -> bool {
    if super::constrained_motion::has_own_reactions(system) {
        let left = super::constrained_motion::final_branches(cx, system);
        return left.is_err_and(|d| d.code.name == codes::NO_MOTION.name);
    }
    if system.constraints.is_empty() {
        return system.dynamics(cx).is_ok_and(|found| found.proper.branches.is_empty() && found.proper.empty.is_yes());
    }
    let form = system.constrained_form(cx);
    form.and_then(|form| constrained_dynamics(cx, &form)).is_ok_and(|found| found.empty.is_yes())
}

/// Constraints that cannot hold are refused by whatever is asked.
pub(super) fn tested(a: &Arguments, system: &System) -> Fallible<()> {
    if system.constraints.is_empty() || super::constrained_motion::has_own_reactions(system) {
        return Ok(());
    }
    match system.rank_condition(&a.cx)?.refusal(&a.cx, &system.declared_constraints(&a.cx)?) {
        Some(refusal) => Err(Box::new(refusal)),
        None => Ok(()),
    }
}

/// The same for what has a meaning on the component of a set on which rank is not lost, as motions have.
pub(super) fn tested_on_some_component(a: &Arguments, system: &System) -> Fallible<()> {
    tested(a, system).or_else(|refusal| match system.rank_condition(&a.cx)?.holds_elsewhere {
        true => Ok(()),
        false => Err(refusal),
    })
}

/// The refusal of a system that moves nowhere.
pub(super) fn no_motion(a: &Arguments) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
            .label(a.positional[0].span, "its equations contradict each other")
            .help("`explain dynamics(S)` shows every step"),
    )
}

/// What a question about free systems would need to be one about constrained systems.
pub(super) fn missing_theorem(a: &Arguments, i: usize) -> Box<Diagnostic> {
    let name = a.question.name;
    let (why, instead) = match name {
        "dynamical_form" | "lepage" => (
            "a constrained system is a class of 2-forms on Q modulo the constraint ideal (Krupková 11.1), and no form on a jet space",
            "`reduced(S)` has A′ and B′ of its representative (11.5), `equations(S)` the equations",
        ),
        "characteristic" | "hamilton_form" => (
            "Hamilton paths that are no motions are stated for a 2-form, not for a class modulo the constraint ideal (Krupková §11)",
            "`dynamical_distribution(S)` is the distribution of the constrained system",
        ),
        "helmholtz" | "integrating_factor" | "tonti" | "reduce_order" => (
            "an inverse problem for reduced equations is not among the theorems: that the class contains a closed form \
             (Krupková Corollary 11.5) does not make A′ + B′ q_s variational",
            "ask it of the equations without the constraints; a map into the constraint, with `pullback`, solves a holonomic one",
        ),
        "dirac" => (
            "Dirac's theory is one of Lagrangians: a constraint on positions enters it with its multiplier as a coordinate, and \
             brackets of nonholonomic systems do not satisfy Jacobi's identity",
            "add `lambda*u` to the Lagrangian, on a manifold with the coordinate `lambda`",
        ),
        _ => (
            "it is a question about the Lagrangian alone, and forces and constraints would have no effect",
            "ask it of the Lagrangian itself",
        ),
    };
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, format!("`{name}` is not stated for this system"))
            .label(a.positional[i].span, "with forces or constraints")
            .note(why)
            .help(instead),
    )
}

/// Whether forces and reactions do no work along a field with the characteristic Q: then Noether's integral is one.
///
/// ```text
/// dΦ/dt = Q^σ (F_σ + μ_i ∂f^i/∂q_r^σ)      on the motion
/// ```
pub(super) fn idle_along(a: &Arguments, system: &System, q: &[Expr]) -> Fallible<Verdict> {
    let cx = &a.cx;
    let along = |force: &[Expr]| Expr::add_all(force.iter().zip(q).map(|(f, q)| *f * *q).collect::<Vec<_>>());
    let applied = super::forces::total_force(cx, system);
    let refuse = |what: &str, rate: Expr| {
        Err(Box::new(
            Diagnostic::error(&codes::NOT_A_SYMMETRY, format!("{what} along this field"))
                .label(a.positional[1].span, "this field")
                .note(format!("the integral of the Lagrangian changes at the rate {rate}"))
                .help("forces and reactions must do no work along the field ξ − q′ ξ⁰"),
        ))
    };
    if let Some((reaction, set)) = super::pairs::reaction(cx, system)? {
        let rate = set.restrict(cx, along(&applied) + along(&reaction));
        let idle = set.vanishes(cx, rate);
        return if idle.is_no() { refuse("forces or reactions do work", rate) } else { Ok(idle) };
    }
    if system.constraints.is_empty() {
        let rate = simple(cx, along(&applied));
        let idle = decide::is_zero(cx, rate);
        return if idle.is_no() { refuse("the forces do work", rate) } else { Ok(idle) };
    }
    let form = system.constrained_form(cx)?;
    let on = form.structure();
    let virtual_work = (0..on.n_constraints()).map(|i| on.vanishes_on_q(cx, along(on.chetaev().row(i))));
    let of_forces = on.vanishes_on_q(cx, along(&applied));
    let idle = Verdict::all(virtual_work, "there are no constraints").and(of_forces);
    if idle.is_yes() {
        return Ok(idle);
    }
    // Reactions may still be such that they do no work.
    let motion = form.motion(cx)?;
    let lambda = form.multipliers(cx, &motion)?;
    let reaction = form.reactions(cx, &motion, &lambda);
    let rate = simple(cx, on.on_q(cx, along(&applied) + along(&reaction)));
    let idle = on.vanishes_on_q(cx, rate);
    if idle.is_no() { refuse("forces or reactions do work", rate) } else { Ok(idle) }
}

/// H̄ = P_a q̇^a − L̄ (Volný–Krupková Theorem 6), on the constraint.
pub(super) fn hamiltonian(a: &Arguments) -> Fallible<Value> {
    let (s, found) = transformation(a)?;
    let momenta = found.momenta(&a.cx).map_err(|d| Box::new(d.or_at(a.positional[0].span, "of this system")))?;
    let Some(h) = momenta.hamiltonian else {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian, and so no Hamiltonian")
                .label(a.positional[0].span, "only equations"),
        ));
    };
    let prefix = names(a)?;
    let missing = |what: &str| -> Fallible<Value> { Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what))) };
    let autonomous = decide::is_zero(&a.cx, partial(&a.cx, h, s.q().manifold().base()));
    Ok(Value::from(
        Answer::new("hamiltonian")
            .main(s.along(h))
            .try_part("f", missing("the function of (8.9) belongs to systems without constraints"))
            .try_part("gauge", no_gauge())
            .part("autonomous", autonomous)
            .try_part("form", missing("the canonical form (8.5) belongs to systems without constraints"))
            .lazy("in_momenta", move |cx: &Inquiry| {
                let momenta = found.momenta(cx)?;
                match found.hamilton(cx, &momenta, &prefix)?.hamiltonian {
                    Some(h) => Ok(Value::Expr(h)),
                    None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "this system has no Lagrangian"))),
                }
            })
            .on(&s.system.manifold)
            .valid_where(s.q().conditions().iter().copied()),
    ))
}

/// The dynamical distribution of [α_Q] for r = s − 1: annihilated by A′_l dt + B′_lp dq_{s−1}^p, the contact forms below and the
/// constraint forms (Volný–Krupková 4.3).
pub(super) fn dynamical_distribution(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let s = Subject::read(a)?;
    let (q, form) = (s.q().clone(), s.form.clone());
    if form.is_high() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "the dynamical distribution on Q is stated for constraints of lower order than the equations",
            )
            .label(a.positional[0].span, format!("the constraints are of order {}", q.order())),
        ));
    }
    let (y, level) = (q.manifold(), q.level());
    let t = y.base();
    let chart = crate::geometry::jet::Chart::new(q.coordinates_on_q());
    let tops = q.independent_jets(level);
    let mut forms: Vec<Form> = (0..form.a().len())
        .map(|l| {
            let along = tops.iter().enumerate().map(|(p, s)| (*s, form.b()[(l, p)]));
            Form::one_form([(t, form.a()[l])].into_iter().chain(along))
        })
        .collect();
    for k in 0..level {
        let contact = (0..y.n_coordinates()).map(|sigma| Form::omega(jet(y, sigma, k)));
        forms.extend(contact.map(|f| f.map_coefficients(|c| q.on_q(cx, c))));
    }
    let forms: Vec<Form> = forms.into_iter().filter(|f| !f.axes().is_empty()).collect();
    let annihilator = crate::geometry::distribution::Codistribution::span(&chart, forms.clone());
    let is_explicit = matches!(q.normal_form(), NormalForm::Explicit(_));
    let (found, recorded) = crate::algebra::conditions::collect(cx, |cx| -> Fallible<(Value, Option<usize>)> {
        if is_explicit {
            return Ok((Value::from(annihilator.annihilator(cx)?), None));
        }
        let fields = q.kernel_on_q(cx, &forms)?;
        let n = fields.len();
        Ok((s.along(crate::geometry::distribution::Distribution::span(&chart, fields)), Some(n)))
    });
    let (distribution, along_q) = found?;
    Ok(Value::from(
        Answer::new("dynamical_distribution")
            .main(distribution)
            .part("forms", Value::list(forms.into_iter().map(Value::Form)))
            .lazy("integrable", move |cx: &Inquiry| {
                Ok(Value::from(match along_q {
                    None => annihilator.is_involutive(cx)?,
                    Some(0 | 1) => Verdict::yes("its rank is at most 1"),
                    Some(_) => Verdict::unknown("brackets are taken in a chart, and the constraints were not solved"),
                }))
            })
            .on(y)
            .valid_where(recorded)
            .valid_where(q.conditions().iter().copied()),
    ))
}

/// What §11 says about the class [α_Q]; notions that belong to one of its 2-forms are refused.
pub(super) fn classify(a: &Arguments) -> Fallible<Value> {
    let s = Subject::read(a)?;
    let (form, q) = (s.form.clone(), s.q().clone());
    if form.is_high() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "constrained systems are classified for constraints of lower order than the equations",
            )
            .label(a.positional[0].span, format!("the constraints are of order {}", q.order()))
            .note("on Q such a system has B′ = 0 (Krupková §11)")
            .help("`reduced(S).determined` says whether the highest derivatives are determined"),
        ));
    }
    let found = constrained_ranks(&a.cx, &form)?;
    let missing = |what: &str| -> Fallible<Value> {
        Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            format!("{what} belongs to one 2-form, and a constrained system is a class modulo the constraint ideal"),
        )))
    };
    let n = form.a().len();
    let order = form.top_order();
    let column = crate::algebra::linear::Matrix::with_columns(form.a().iter().map(|e| vec![*e]).collect(), 1);
    let set = |list: &[Branch]| Value::from(PointSet::new(&form.space(), list.to_vec()));
    let det = form.det_b(&a.cx);
    let variational = match s.system.lagrangian_with_forces() {
        true => Verdict::yes("E is variational, so the class contains a closed 2-form (Krupková Corollary 11.5)"),
        false => Verdict::unknown("a closed 2-form in the class was not looked for"),
    };
    let mut answer = Answer::new("classify")
        .part("regular", s.nonzero(found.regular.clone(), det.clone()))
        .part("weakly_regular", found.weakly_regular.clone())
        .part("singular", found.regular.clone().negate())
        .part("variational", variational)
        .part("rank_B", super::strata::rank_with(found.b, form.b().clone(), None))
        .part("rank_BA", super::strata::rank_with(found.ba, form.b().beside(&column), None))
        .part("order", order as usize)
        .part("size", n * order as usize)
        .try_part("det_B", det.map(|e| s.along(e)))
        .part("primary_semispray", set(&found.primary));
    let others = [
        ("semiregular", "semiregularity"),
        ("strongly_semiregular", "strong semiregularity"),
        ("rank_one", "the rank of Δ"),
        ("integrable", "integrability of Δ"),
        ("rank_F", "the matrix F"),
        ("rank_FA", "the matrix F"),
        ("rank_Delta", "the rank of Δ"),
        ("rank_D", "the rank of the dynamical distribution"),
        ("parity", "the parity of the rank"),
        ("primary", "the primary constraint set of Hamilton paths"),
    ];
    for (name, what) in others {
        let why = missing(what);
        answer = answer.lazy(name, move |_| why.clone());
    }
    Ok(Value::from(answer.on(&s.system.manifold).valid_where(q.conditions().iter().copied())))
}
