//! The Hamiltonian side: momenta and Hamiltonians of any order, the Legendre transformation, Hamilton's equations in
//! canonical coordinates, Dirac's brackets, energy and power. Krupková §8, Volný–Krupková §4.
//!
//! Momenta and Hamiltonians come in two kinds. `momenta`, `hamiltonian` and `reduce_order` are about E: those of (8.9)–(8.14), in
//! the gauge φ of the user's choice, zero unless one is given. `legendre`, `hamilton` and `energy` are about the Lagrangian
//! that was written, if one was, and keep its own momenta ∂L/∂q′ of Volný–Krupková (4.10). Both are of one family: every
//! answer has its gauge function as the part `gauge`, `momenta(L, gauge = legendre(L).gauge)` are the momenta of `legendre(L)`,
//! and all of them give the same α_E.

use super::systems::{form_of, gauge, lagrangian_of, names, simple};
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::conditions::inequality;
use crate::algebra::derive::partial;
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::mechanics::dirac::{DiracBranch, DiracSystem, dirac as dirac_system};
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::hamilton::{self, Canonical};
use crate::mechanics::inverse_problem::is_variational;
use crate::mechanics::legendre::{self as theory, Legendre, Naming};
use crate::mechanics::{jet, lepage_class};
use crate::model::constraints::on_constraint;
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::set::branch_text;
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value, Written};
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "momenta",
        parameters: &[one("S", SYSTEM)],
        help: "the momenta p^k of a variational system, by the jet they are conjugate to (Krupková 8.10): the same for all Lagrangians of the same equations; those of a Lagrangian as it is written are `legendre(S).momenta`",
        options: &[
            option("gauge", "φ", FUNCTION, "another choice of momenta: the gauge function φ of (8.9)"),
            option("names", "P", TEXT, "calls the momentum of x `P_x`"),
        ],
        gives: Gives::Kinds(FAMILY),
        parts: &[
            part(
                "f",
                FUNCTION,
                "the function whose total derivative the gauge subtracts from the Lagrangian of Vainberg and Tonti (8.9)",
            ),
            part(
                "gauge",
                FUNCTION,
                "the gauge φ: a function of positions and time whose total derivative may be added to L; it changes momenta, not motions",
            ),
            part("autonomous", VERDICT, "E does not depend on time"),
            part("canonical", VERDICT, "whether α_E = −dH∧dt + Σ dp∧dq (8.5)"),
        ],
        run: momenta,
    },
    Question {
        name: "hamiltonian",
        parameters: &[one("S", SYSTEM)],
        help: "the Hamiltonian as a function of positions and velocities (Krupková 8.11); `.in_momenta` is the one of positions and momenta, which is `hamilton(S).H`",
        options: &[
            option("gauge", "φ", FUNCTION, "another choice of momenta: the gauge function φ of (8.9)"),
            option("names", "P", TEXT, "calls the momentum of x `P_x`"),
        ],
        gives: Gives::Kinds(FUNCTION),
        parts: &[
            part(
                "f",
                FUNCTION,
                "the function whose total derivative the gauge subtracts from the Lagrangian of Vainberg and Tonti (8.9)",
            ),
            part(
                "gauge",
                FUNCTION,
                "the gauge φ: a function of positions and time whose total derivative may be added to L; it changes momenta, not motions",
            ),
            part("autonomous", VERDICT, "E does not depend on time"),
            part("form", FORM, "−dH∧dt + Σ dp∧dq, the canonical form of α_E (8.5)"),
            part("in_momenta", FUNCTION, "H in canonical coordinates"),
        ],
        run: hamiltonian,
    },
    Question {
        name: "legendre",
        parameters: &[one("S", SYSTEM)],
        help: "the Legendre transformation: the highest jets in terms of positions and momenta",
        options: &[
            option("gauge", "φ", FUNCTION, "another choice of momenta: the gauge function φ of (8.9)"),
            option("names", "P", TEXT, "calls the momentum of x `P_x`"),
        ],
        gives: Gives::Kinds(FAMILY),
        parts: &[
            part("integrable", VERDICT, "momenta exist (condition 4.4)"),
            part("violations", FAMILY, "where they do not"),
            part("choices", FAMILY, "by dependent coordinates"),
            part("momenta", FAMILY, "by the jet they are conjugate to"),
            part("eta", FAMILY, "dp/dt in velocities"),
            part("H", FUNCTION, "the Hamiltonian in velocities"),
            part("exact", VERDICT, "η = −dH"),
            part("explicit", VERDICT, "the inverse was found in closed form"),
            part(
                "gauge",
                FUNCTION,
                "the gauge function φ of (8.9); without the option the one in which L itself is the minimal Lagrangian",
            ),
        ],
        run: legendre,
    },
    Question {
        name: "hamilton",
        parameters: &[one("S", SYSTEM)],
        help: "Hamilton's equations: right sides in t, q, p, by coordinate and momentum",
        options: &[
            option("gauge", "φ", FUNCTION, "another choice of momenta: the gauge function φ of (8.9)"),
            option("names", "P", TEXT, "calls the momentum of x `P_x`"),
        ],
        gives: Gives::Motion,
        parts: &[
            part("eta", FORM, "the energy 1-form η"),
            part("H", FUNCTION, "the Hamiltonian in t, q, p"),
            part(
                "gauge",
                FUNCTION,
                "the gauge function φ of (8.9); without the option the one in which L itself is the minimal Lagrangian",
            ),
        ],
        run: hamilton,
    },
    Question {
        name: "dirac",
        parameters: &[one("L", LAGRANGIAN), optional("f", FUNCTION), optional("g", FUNCTION)],
        help: "Dirac's brackets of a Lagrangian of first order; with two functions, their bracket",
        options: &[],
        gives: Gives::Kinds(MATRIX.or(FUNCTION)),
        parts: &[
            part("first_class", LIST, "combinations whose brackets with all constraints vanish"),
            part("second_class", LIST, "constraints with an invertible matrix of brackets"),
            part("gauge", LIST, "the directions in which motions from one state come apart"),
            part("constraints", LIST, "all constraints of the branch"),
            sometimes("on", TEXT, "the branch of the final constraint set"),
            part("primary", LIST, "those that the momenta satisfy identically"),
            part("hamiltonian", FUNCTION, "H on the primary constraints"),
            part("multipliers", LIST, "u of H + u^a φ_a; `free` where it may be chosen"),
            part("branches", LIST, "one answer for each branch of the final constraint set"),
            part("complete", VERDICT, "every branch was followed to its end"),
            part("agrees", VERDICT, "`dynamics` finds the same set with as many free functions"),
            part("undecided", LIST, "what was not followed to its end, or lies at the boundary of an open branch"),
        ],
        run: dirac,
    },
    Question {
        name: "energy",
        parameters: &[one("S", SYSTEM)],
        help: "the energy Σ p q' − L of a Lagrangian of any order, the Hamiltonian of equations without one",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[],
        run: energy,
    },
    Question {
        name: "power",
        parameters: &[one("S", SYSTEM)],
        help: "the rate of change of the energy along the motion",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[
            part("forces", FUNCTION, "the power of the forces"),
            part("reactions", FUNCTION, "the power of the reactions"),
        ],
        run: power,
    },
];

/// The variational part of a system and the forces that are left: E itself if it is variational, else its Lagrangian.
fn variational_part(
    cx: &Inquiry,
    system: &System,
    form: Rc<DynamicalForm>,
) -> Fallible<(Rc<DynamicalForm>, Vec<Expr>)> {
    match system.free_lagrangian() {
        Some(lagrangian) if !system.forces.is_empty() && !is_variational(cx, &form).is_yes() => {
            Ok((Rc::new(lagrangian.dynamical_form(cx)?), total_force(system)))
        }
        _ => Ok((form, vec![])),
    }
}

fn total_force(system: &System) -> Vec<Expr> {
    let n = system.manifold.n_coordinates();
    (0..n).map(|i| Expr::add_all(system.forces.iter().map(|f| f.components[i]))).collect()
}

/// The gauge an answer of `legendre` or `hamilton` stands in: the chosen one, or that of the Lagrangian as written.
fn gauge_part(a: &Arguments, form: &Rc<DynamicalForm>) -> Fallible<impl Fn(&Inquiry) -> Fallible<Value> + 'static> {
    let (chosen, form) = (gauge(a)?, form.clone());
    Ok(move |cx: &Inquiry| match chosen {
        Some(phi) => Ok(Value::Expr(phi)),
        None => theory::gauge_of(cx, &form).map(Value::Expr),
    })
}

struct Found {
    system: Rc<System>,
    form: Rc<DynamicalForm>,
    canonical: Canonical,
}

pub(super) fn canonical(a: &Arguments) -> Fallible<(Rc<System>, Canonical)> {
    canonical_of(a).map(|found| (found.system, found.canonical))
}

fn canonical_of(a: &Arguments) -> Fallible<Found> {
    let (system, form) = form_of(a, 0)?;
    let (form, _) = variational_part(&a.cx, &system, form)?;
    let canonical = hamilton::canonical(&a.cx, &form, gauge(a)?)?;
    Ok(Found { system, form, canonical })
}

fn momenta(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::momenta(a);
    }
    let chosen = gauge(a)?;
    let Found { system, form, canonical } = canonical_of(a)?;
    let y = &system.manifold;
    let prefix = names(a)?;
    let mut entries = vec![];
    for (k, row) in canonical.momenta.iter().enumerate() {
        for (nu, p) in row.iter().enumerate() {
            entries.push((jet(y, nu, k as u32), Value::Expr(*p)));
        }
    }
    // `.x` and `.p_x` are the same.
    let named = entries.iter().map(|(q, p)| (Symbol::momentum_named(&prefix, *q), p.clone()));
    let both: Vec<(Symbol, Value)> = entries.iter().cloned().chain(named).collect();
    let (f, autonomous) = (canonical.f, canonical.autonomous.clone());
    Ok(Value::from(
        Answer::new("momenta")
            .main(Value::family(entries))
            .keyed(both)
            .written(Written::Momenta)
            .lazy("f", move |_| Ok(Value::Expr(f)))
            .lazy("gauge", move |_| Ok(Value::Expr(chosen.unwrap_or_else(Expr::zero))))
            .lazy("autonomous", move |_| Ok(Value::from(autonomous.clone())))
            .lazy("canonical", move |cx: &Inquiry| {
                Ok(Value::from(canonical.is_canonical_form_of(cx, &lepage_class::closed_representative(cx, &form))))
            })
            .on(y),
    ))
}

fn hamiltonian(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::hamiltonian(a);
    }
    let prefix = names(a)?;
    let chosen = gauge(a)?;
    let Found { system, form, canonical } = canonical_of(a)?;
    let (f, autonomous) = (canonical.f, canonical.autonomous.clone());
    Ok(Value::from(
        Answer::new("hamiltonian")
            .main(canonical.hamiltonian)
            .lazy("f", move |_| Ok(Value::Expr(f)))
            .lazy("gauge", move |_| Ok(Value::Expr(chosen.unwrap_or_else(Expr::zero))))
            .lazy("autonomous", move |_| Ok(Value::from(autonomous.clone())))
            .lazy("form", move |cx: &Inquiry| Ok(Value::Form(canonical.canonical_form(cx))))
            .lazy("in_momenta", move |cx: &Inquiry| {
                let naming = Naming { gauge: chosen, prefix: &prefix };
                Ok(Value::Expr(theory::hamilton_equations(cx, &theory::legendre(cx, &form, naming)?, &[])?.hamiltonian))
            })
            .on(&system.manifold),
    ))
}

/// The Legendre transformation of the question, and the forces beside it.
fn transformation(a: &Arguments) -> Fallible<(Rc<System>, Rc<DynamicalForm>, Legendre, Vec<Expr>)> {
    let (system, form) = form_of(a, 0)?;
    let (form, forces) = variational_part(&a.cx, &system, form)?;
    let prefix = names(a)?;
    let found = theory::legendre(&a.cx, &form, Naming { gauge: gauge(a)?, prefix: &prefix })?;
    Ok((system, form, found, forces))
}

fn legendre(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::legendre(a);
    }
    let (system, form, found, forces) = transformation(a)?;
    let y = &system.manifold;
    let family = |entries: Vec<(Symbol, Expr)>| Value::family(entries.into_iter().map(|(s, e)| (s, Value::Expr(e))));
    let momenta = found.momenta.iter().map(|p| (p.conjugate, p.function)).collect();
    let answer = Answer::new("legendre");
    let answer = match found.inverse() {
        Ok(inverse) => answer.main(family(inverse.to_vec())),
        Err(why) => answer.refused_main(why),
    };
    let exact =
        match Verdict::all(forces.iter().map(|f| crate::algebra::decide::is_zero(&a.cx, *f)), "there are no forces") {
            Verdict::No(_) => Verdict::no("η = −dH + F with the force F"),
            verdict => verdict,
        };
    Ok(Value::from(
        answer
            .part("integrable", Verdict::yes("there are no constraints"))
            .part("violations", Value::family([]))
            .part("choices", Value::family([]))
            .part("momenta", family(momenta))
            .part("eta", family(rates_of_momenta(&a.cx, &system, &found, &forces)))
            .part("H", found.canonical.hamiltonian)
            .part("exact", exact)
            .part("explicit", found.explicit.clone())
            .lazy("gauge", gauge_part(a, &form)?)
            .on(y)
            .valid_where(found.conditions),
    ))
}

/// dp^0/dt = ∂L/∂q + F and dp^k/dt = ∂L/∂q_k − p^{k−1} along motions, as functions of jets.
fn rates_of_momenta(cx: &Inquiry, system: &System, found: &Legendre, forces: &[Expr]) -> Vec<(Symbol, Expr)> {
    let l = found.canonical.minimal.function();
    let m = system.manifold.n_coordinates();
    let rate = |i: usize| {
        let q = found.momenta[i].conjugate;
        let below = if i < m { forces.get(i).map_or_else(Expr::zero, |f| -*f) } else { found.momenta[i - m].function };
        (q, simple(cx, partial(cx, l, q) - below))
    };
    (0..found.momenta.len()).map(rate).collect()
}

fn hamilton(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::hamilton(a);
    }
    let (system, form, found, forces) = transformation(a)?;
    let (equations, recorded) = conditions::collect(&a.cx, |cx| theory::hamilton_equations(cx, &found, &forces));
    let (equations, recorded) = (equations?, recorded.into_iter().map(Condition::nonzero));
    let n = found.momenta.len();
    // η = η_a dq^a + η^a dp_a with dp_a/dt = η_a and dq^a/dt = −η^a.
    let (positions, momenta) = equations.right_sides.split_at(n);
    let along = |list: &[(Symbol, Expr)]| list.iter().map(|(_, e)| *e).collect::<Vec<Expr>>();
    let eta = positions.iter().map(|(q, _)| *q).zip(along(momenta));
    let eta = eta.chain(momenta.iter().map(|(p, _)| *p).zip(along(positions).into_iter().map(|e| -e)));
    let entries = equations.right_sides.iter().map(|(s, e)| (*s, Value::Expr(*e)));
    Ok(Value::from(
        Answer::new("hamilton")
            .main(Value::family(entries))
            .written(Written::Rate)
            .lazy("eta", {
                let eta = Form::one_form(eta);
                move |_| Ok(Value::Form(eta.clone()))
            })
            .part("H", equations.hamiltonian)
            .lazy("gauge", gauge_part(a, &form)?)
            .on(&system.manifold)
            .valid_where(inequality::reduced(&a.cx, equations.conditions.into_iter().chain(recorded))),
    ))
}

fn energy(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    super::constrained::tested_on_some_component(a, &system)?;
    let energy = match system.free_lagrangian() {
        Some(lagrangian) => theory::energy(&a.cx, &lagrangian.dynamical_form(&a.cx)?)?,
        None => theory::energy(&a.cx, &form_of(a, 0)?.1)?,
    };
    let energy = on_its_constraints(a, &system, energy)?;
    Ok(Value::from(Answer::new("energy").main(energy).on(&system.manifold)))
}

/// A function as one on the states that the constraints of a system allow. Where no chart is found with little work their
/// equations say which states these are.
fn on_its_constraints(a: &Arguments, system: &System, e: Expr) -> Fallible<Value> {
    let cx = &a.cx;
    if system.constraints.is_empty() {
        return Ok(Value::Expr(e));
    }
    if let Some(set) = super::pairs::set_of(cx, system)? {
        return Ok(super::forces::on_set(&set, e));
    }
    let order = system.dynamical_form(cx)?.order();
    if let Ok(q) = cx.within(share::CHART, || system.constraint_structure(cx)) {
        return Ok(on_constraint(&q, order, Value::Expr(e)));
    }
    cx.check()?;
    Ok(match system.uncharted_structure(cx)? {
        Some(q) => on_constraint(&q, order, Value::Expr(e)),
        None => Value::Expr(e),
    })
}

/// d(Σ p q′ − L)/dt = −∂L/∂t − q′E, and E = −F on the motion.
fn power(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::power(a)? {
        return Ok(answer);
    }
    if super::constrained::is_asked_of(a) {
        return super::constrained::power(a);
    }
    let (system, form) = form_of(a, 0)?;
    let y = &system.manifold;
    let (l, forces) = match system.free_lagrangian() {
        Some(lagrangian) => (lagrangian.function(), total_force(&system)),
        None => (hamilton::canonical(&a.cx, &form, None)?.minimal.function(), vec![]),
    };
    let work = forces.iter().enumerate().map(|(i, f)| *f * Expr::symbol(jet(y, i, 1)));
    let work = simple(&a.cx, Expr::add_all(work.collect::<Vec<_>>()));
    Ok(Value::from(
        Answer::new("power")
            .main(simple(&a.cx, work - partial(&a.cx, l, y.base())))
            .part("forces", work)
            .part("reactions", Expr::zero())
            .on(y),
    ))
}

fn dirac(a: &Arguments) -> Fallible<Value> {
    let lagrangian = lagrangian_of(a, 0)?;
    let mut system = dirac_system(&a.cx, &lagrangian)?;
    // A bracket alone is not worth a comparison.
    let agrees = match a.positional.len() == 1 && system.is_singular() {
        true => system.compared(&a.cx, &lagrangian),
        false => Verdict::yes("the Legendre map has an inverse"),
    };
    let system = Rc::new(system);
    let undecided = Value::list(system.undecided.iter().map(|b| Value::Text(branch_text(&a.cx, b).into())));
    let Some(first) = system.branches.first() else {
        if system.complete.is_unknown() && a.positional.len() == 1 {
            return Ok(Value::from(
                Answer::new("dirac")
                    .part("primary", Value::exprs(system.primary.clone()))
                    .part("hamiltonian", system.hamiltonian)
                    .part("undecided", undecided)
                    .part("complete", system.complete.clone())
                    .part("agrees", agrees)
                    .on(lagrangian.manifold())
                    .valid_where(system.domain.clone()),
            ));
        }
        if system.complete.is_unknown() {
            return Err(Box::new(
                Diagnostic::error(&codes::BUDGET, "where this system moves was not found out")
                    .note("the algorithm for its constraints was cut off")
                    .help("`dirac(L)` alone shows what is known"),
            ));
        }
        return Err(Box::new(
            Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                .note("no point of phase space satisfies all constraints and their consequences")
                .help("`explain dynamics(S)` shows how they contradict each other"),
        ));
    };
    match a.positional.len() {
        2 => Err(Box::new(super::call::wrong_count(a.question, a.question.name, a.name_span, "1 or 3", 2))),
        3 => {
            let bracket = system.dirac_bracket(&a.cx, first, a.expr(1)?, a.expr(2)?);
            Ok(Value::from(Answer::new("dirac").main(bracket).on(lagrangian.manifold())))
        }
        _ => {
            let answer =
                |b: &DiracBranch| system.about(&a.cx, &b.branch, |cx| dirac_answer(cx, &system, b, &lagrangian));
            let branches: Vec<Value> = system.branches.iter().map(|b| Value::from(answer(b))).collect();
            Ok(Value::from(
                answer(first)
                    .part("primary", Value::exprs(system.primary.clone()))
                    .part("hamiltonian", system.hamiltonian)
                    .part("branches", Value::list(branches))
                    .part("complete", system.complete.clone())
                    .part("agrees", agrees)
                    .valid_where(system.domain.clone())
                    .lazy("undecided", move |_| Ok(undecided.clone())),
            ))
        }
    }
}

/// What there is to say about one branch of the final constraint set.
fn dirac_answer(
    cx: &Inquiry,
    system: &DiracSystem,
    branch: &DiracBranch,
    lagrangian: &crate::mechanics::lagrangian::Lagrangian,
) -> Answer {
    let (labels, matrix) = system.bracket_matrix(cx, branch);
    let multiplier = |u: &Option<Expr>| u.map_or(Value::Label("free"), Value::Expr);
    Answer::new("dirac")
        .main(LabelledMatrix { matrix, rows: labels.clone(), columns: labels })
        .part("first_class", Value::exprs(branch.first_class.clone()))
        .part("second_class", Value::exprs(branch.second_class.clone()))
        .part("gauge", Value::list(branch.gauge.iter().cloned().map(Value::Field)))
        .part("constraints", Value::exprs(branch.constraints.clone()))
        .part("on", Value::Text(branch_text(cx, &branch.branch).into()))
        .part("multipliers", Value::list(branch.multipliers.iter().map(multiplier)))
        .on(lagrangian.manifold())
}
