//! Questions about Lagrangian and general systems: equations, dynamical forms, the Lepage class, the
//! inverse problem, the Hamiltonian side. Krupková §3–4, §8.

use super::{Arguments, Question};
use crate::algebra::expr::Condition;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::{self, Branch};
use crate::algebra::{Expr, Symbol, Verdict, decide, normal};
use crate::algebra::{Inquiry, conditions};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::form::Form;
use crate::geometry::jet::{self, FiberedManifold};
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::lagrangian::Lagrangian;
use crate::mechanics::{hamilton, inverse_problem, lepage_class, room_for_matrices};
use crate::model::evaluate_at::{assignment, expr_at};
use crate::model::item::{Base, System};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::value::{Answer, Fallible, Judgement, Key, KeyPart, LabelledMatrix, Point, Value, Written};
use smallvec::smallvec;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "equations",
        parameters: &[one("S", SYSTEM)],
        help: "the left sides E of the equations of motion E = 0, by coordinate",
        options: &[],
        gives: Gives::Kinds(FAMILY),
        parts: &[
            part(
                "multiplier_form",
                FAMILY,
                "the balance Φ − F − Σ lambda_i A_i, by coordinate; −E where nothing constrains",
            ),
            part("order", INTEGER, "the order of the equations"),
            part("constraints", LIST, "left sides of the constraints"),
        ],
        run: equations,
    },
    Question {
        name: "dynamical_form",
        parameters: &[one("S", SYSTEM)],
        help: "the form E with its true order s and E = A + B q_s (Krupková 3.3)",
        options: &[],
        gives: Gives::Degree("dynamical", 2),
        parts: &[
            part("order", INTEGER, "the true order s"),
            part("jet_order", INTEGER, "the order of the jets that occur"),
            part("affine", VERDICT, "whether E is affine in the highest jets"),
            part("A", FAMILY, "by coordinate"),
            part("B", MATRIX, "matrix, rows equations, columns unknowns"),
            part("det_B", FUNCTION, "its determinant"),
            part("dim", INTEGER, "dimension of the phase space"),
        ],
        run: dynamical_form,
    },
    Question {
        name: "euler_lagrange",
        parameters: &[one("L", LAGRANGIAN)],
        help: "the Euler–Lagrange form; its components by coordinate",
        options: &[],
        gives: Gives::Degree("dynamical", 2),
        parts: &[part("order", INTEGER, "its order")],
        run: euler_lagrange,
    },
    Question {
        name: "cartan",
        parameters: &[one("L", LAGRANGIAN)],
        help: "the Cartan form of a Lagrangian of any order (Krupková, Remark 8.8)",
        options: &[],
        gives: Gives::Degree("lepage", 1),
        parts: &[part("order", INTEGER, "its order")],
        run: cartan,
    },
    Question {
        name: "lepage",
        parameters: &[one("S", SYSTEM)],
        help: "a Lepage 2-form of the class of E: the closed one if there is one, or the one with the given 2-contact part",
        options: &[option("F", "η", FORM, "the 2-contact part")],
        gives: Gives::Degree("lepage", 2),
        parts: &[
            part("closed", VERDICT, "whether it is closed"),
            part("F", FORM, "its 2-contact part"),
            part("order", INTEGER, "s − 1"),
            part("matrix", MATRIX, "the full matrix G (5.9)"),
        ],
        run: lepage,
    },
    Question {
        name: "dynamical_distribution",
        parameters: &[one("S", SYSTEM)],
        help: "the distribution annihilated by i_ξα for vertical ξ (Krupková 3.4)",
        options: &[],
        gives: Gives::Kinds(DISTRIBUTION),
        parts: &[
            part("forms", LIST, "generators of the annihilator"),
            part("fields", LIST, "spanning fields"),
            part("rank", RANK, "its rank"),
            part("weakly_horizontal", SET, "where it is weakly horizontal"),
            part("integrable", VERDICT, "completely integrable"),
        ],
        run: dynamical_distribution,
    },
    Question {
        name: "characteristic",
        parameters: &[one("α", FORM)],
        help: "the characteristic distribution of a 2-form (Krupková 5.2)",
        options: &[],
        gives: Gives::Kinds(DISTRIBUTION),
        parts: &[
            part("forms", LIST, "generators of the annihilator"),
            part("fields", LIST, "spanning fields"),
            part("rank", RANK, "its rank"),
            part("weakly_horizontal", SET, "where it has a vector along the time"),
            part("integrable", VERDICT, "completely integrable"),
        ],
        run: characteristic,
    },
    Question {
        name: "hamilton_form",
        parameters: &[one("S", SYSTEM)],
        help: "the Hamilton form on J¹ of the phase space, in vel(q), vel(q'), … (Krupková 4.2)",
        options: &[],
        gives: Gives::Degree("", 2),
        parts: &[],
        run: hamilton_form,
    },
    Question {
        name: "helmholtz",
        parameters: &[one("S", SYSTEM)],
        help: "the Helmholtz conditions (Krupková 8.1): whether the equations have a Lagrangian as they stand",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("variational", VERDICT, "all residuals vanish"),
            part("residuals", FAMILY, "keyed [l, x, y]"),
            part("nonzero", FAMILY, "those that do not vanish"),
        ],
        run: helmholtz,
    },
    Question {
        name: "integrating_factor",
        parameters: &[one("S", SYSTEM)],
        help: "a search for multipliers of simple kinds that make the equations variational",
        options: &[],
        gives: Gives::Kinds(FUNCTION.or(FAMILY)),
        parts: &[
            part("multipliers", FAMILY, "by coordinate"),
            part("variational", VERDICT, "of the multiplied equations"),
            part("method", TEXT, "what was searched"),
        ],
        run: integrating_factor,
    },
    Question {
        name: "tonti",
        parameters: &[one("S", SYSTEM)],
        help: "the Vainberg–Tonti Lagrangian of variational equations (Krupková 8.4)",
        options: &[],
        gives: Gives::Kinds(SYSTEM),
        parts: &[
            part("order", INTEGER, "its order"),
            part("f", FUNCTION, "the function of (8.9): less df/dt, the Lagrangian has minimal order"),
            part("centre", LIST, "the point the homotopy contracts to"),
        ],
        run: tonti,
    },
    Question {
        name: "reduce_order",
        parameters: &[one("S", SYSTEM)],
        help: "an equivalent Lagrangian of minimal order (Krupková 8.14)",
        options: &[
            option("gauge", "φ", FUNCTION, "the gauge function φ of (8.9)"),
            option("names", "P", TEXT, "calls the momentum of x `P_x`"),
        ],
        gives: Gives::Kinds(SYSTEM),
        parts: &[part("order", INTEGER, "its order"), part("f", FUNCTION, "the function of (8.9)")],
        run: reduce_order,
    },
    Question {
        name: "equivalent",
        parameters: &[one("L1", LAGRANGIAN), one("L2", LAGRANGIAN)],
        help: "whether two Lagrangians have the same Euler–Lagrange form",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("difference", FORM, "the Euler–Lagrange form of the difference"),
            part("primitive", FUNCTION, "f with df/dt = L1 − L2"),
        ],
        run: equivalent,
    },
    Question {
        name: "hessian",
        parameters: &[one("L", LAGRANGIAN)],
        help: "the Hessian in the highest jets",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[
            part("det", FUNCTION, "determinant"),
            part("minors", LIST, "leading minors"),
            part("rank", RANK, "its rank"),
            part("regular", VERDICT, "the determinant vanishes nowhere; locus says where it does"),
            part("locus", SET, "where it vanishes"),
            label(
                "definite",
                &["positive", "negative", "indefinite", "none", "conditions"],
                "positive, negative, indefinite, none or conditions",
            ),
        ],
        run: hessian,
    },
    Question {
        name: "order",
        parameters: &[one("A", FUNCTION.or(FORM).or(FIELD))],
        help: "the jet order after simplification",
        options: &[],
        gives: Gives::Kinds(INTEGER),
        parts: &[],
        run: order,
    },
];

fn fibre_symbols(manifold: &FiberedManifold) -> Vec<Symbol> {
    manifold.fibres().iter().map(|f| f.coordinate.jet(0)).collect()
}

/// A square matrix labelled by the fibre coordinates.
fn fibre_matrix(manifold: &FiberedManifold, rows: &[Vec<Expr>]) -> LabelledMatrix {
    let labels = fibre_symbols(manifold);
    LabelledMatrix { matrix: Matrix::from_rows(rows.to_vec()), rows: labels.clone(), columns: labels }
}

pub(super) fn simple(cx: &Inquiry, e: Expr) -> Expr {
    normal::simplify(cx, e).unwrap_or(e)
}

fn unconstrained(a: &Arguments, i: usize) -> Fallible<Rc<System>> {
    let system = a.system(i)?;
    if !system.constraints.is_empty() {
        return Err(super::constrained::missing_theorem(a, i));
    }
    Ok(system)
}

pub(super) fn form_of(a: &Arguments, i: usize) -> Fallible<(Rc<System>, Rc<DynamicalForm>)> {
    let system = unconstrained(a, i)?;
    let form = system.dynamical_form(&a.cx)?;
    Ok((system, form))
}

/// A Lagrangian on which nothing else acts.
pub(super) fn lagrangian_of(a: &Arguments, i: usize) -> Fallible<Lagrangian> {
    if let Ok(system) = a.system(i)
        && system.free_lagrangian().is_some()
        && !(system.constraints.is_empty() && system.forces.is_empty())
    {
        return Err(super::constrained::missing_theorem(a, i));
    }
    lagrangian_part(a, i)
}

/// The Lagrangian of a system, whatever forces and constraints act.
pub(super) fn lagrangian_part(a: &Arguments, i: usize) -> Fallible<Lagrangian> {
    if let Value::Expr(e) = a.value(i)?.main()
        && let Some(manifold) = FiberedManifold::of_symbols(&e.symbols())?.or_else(|| a.on.clone())
    {
        return Lagrangian::new(&a.cx, &manifold, e);
    }
    let system = a.system(i)?;
    match system.free_lagrangian() {
        Some(l) => Ok(l.clone()),
        None => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{}` asks about a Lagrangian", a.question.name))
                .label(a.positional[i].span, format!("this is {}", operate::describe(&Value::System(system))))
                .help("`tonti(S)` finds a Lagrangian of variational equations"),
        )),
    }
}

fn equations(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::equations(a)? {
        return Ok(answer);
    }
    if super::constrained::is_asked_of(a) {
        return super::constrained::equations(a);
    }
    let (system, form) = form_of(a, 0)?;
    let labels = fibre_symbols(&system.manifold);
    let family = |sign: i64| {
        let sides = form.components().iter().map(|e| Value::Expr(*e * sign));
        Value::family(labels.iter().copied().zip(sides))
    };
    Ok(Value::from(
        Answer::new("equations")
            .main(family(1))
            .written(Written::Vanishes)
            .lazy("multiplier_form", {
                let balance = family(-1);
                move |_| Ok(balance.clone())
            })
            .part("order", form.jet_order() as usize)
            .part("constraints", Value::list([]))
            .on(&system.manifold),
    ))
}

fn dynamical_form(a: &Arguments) -> Fallible<Value> {
    let (system, form) = form_of(a, 0)?;
    let y = &system.manifold;
    let labels = fibre_symbols(y);
    let b = fibre_matrix(y, form.b());
    let for_det = form.clone();
    Ok(Value::from(
        Answer::new("dynamical_form")
            .main(form.form())
            .keyed(labels.iter().copied().zip(form.components().iter().map(|e| Value::Expr(*e))))
            .part("order", form.order() as usize)
            .part("jet_order", form.jet_order() as usize)
            .part("affine", form.is_affine().clone())
            .part("A", Value::family(labels.iter().copied().zip(form.a().iter().map(|e| Value::Expr(*e)))))
            .part("B", b)
            .lazy("det_B", move |cx: &Inquiry| {
                let det = Matrix::from_rows(for_det.b().to_vec()).det(cx)?;
                Ok(Value::Expr(det))
            })
            .part("dim", form.phase_space().dimension())
            .on(y),
    ))
}

fn euler_lagrange(a: &Arguments) -> Fallible<Value> {
    let l = lagrangian_of(a, 0)?;
    let form = l.dynamical_form(&a.cx)?;
    let y = l.manifold();
    let entries = fibre_symbols(y).into_iter().zip(form.components().iter().map(|e| Value::Expr(*e)));
    Ok(Value::from(
        Answer::new("euler_lagrange").main(form.form()).keyed(entries).part("order", form.jet_order() as usize).on(y),
    ))
}

fn cartan(a: &Arguments) -> Fallible<Value> {
    let l = lagrangian_of(a, 0)?;
    let theta = l.cartan_form(&a.cx);
    let order = theta.order_on(&a.cx, l.manifold()).order;
    Ok(Value::from(Answer::new("cartan").main(theta).part("order", order as usize).on(l.manifold())))
}

fn lepage(a: &Arguments) -> Fallible<Value> {
    let (system, form) = form_of(a, 0)?;
    let alpha = match a.option("F") {
        None => match &system.base {
            Base::Lepage(_) => (*system.lepage(&a.cx)?).clone(),
            _ => lepage_class::lepage(&a.cx, &form)?,
        },
        Some(option) => {
            let eta = operate::as_form(&a.cx, &option.value).map_err(|d| Box::new(d.or_at(option.span, "F")))?;
            if eta.is_zero(&a.cx).is_yes() {
                lepage_class::without_f(&a.cx, &form)
            } else {
                lepage_class::with_f(&a.cx, &form, &eta).map_err(|d| Box::new(d.or_at(option.span, "this F")))?
            }
        }
    };
    let y = &system.manifold;
    let name = format!("lepage({})", system.name);
    let chosen = System::from_lepage(&a.cx, &name, y, alpha.clone());
    let jets = form.phase_jets();
    let matrix =
        LabelledMatrix { matrix: Matrix::from_rows(alpha.matrix().to_vec()), rows: jets.clone(), columns: jets };
    Ok(Value::from(
        Answer::new("lepage")
            .main(Value::System(Rc::new(chosen)))
            .part("closed", alpha.is_closed().clone())
            .part("F", alpha.f(&a.cx))
            .part("order", alpha.order() as usize)
            .part("matrix", matrix)
            .on(y),
    ))
}

/// A codistribution as an answer about the distribution it annihilates.
fn distribution_answer(cx: &Inquiry, question: &'static str, system: &System, forms: Vec<Form>) -> Fallible<Answer> {
    let space = system.dynamical_form(cx)?.phase_space();
    let annihilator = Codistribution::new(&space, forms.clone())?;
    let distribution = annihilator.annihilator(cx)?;
    let dimension = space.dimension();
    let rank_matrix = annihilator.matrix(cx);
    let involutive = annihilator.clone();
    // Whoever shows or uses them says where they span it; ranks do not rest on them.
    let (fields, _) = crate::algebra::conditions::collect(cx, |cx| distribution.fields(cx).to_vec());
    Ok(Answer::new(question)
        .main(distribution.clone())
        .part("forms", Value::list(forms.into_iter().map(Value::Form)))
        .part("fields", Value::list(fields.into_iter().map(Value::Field)))
        .lazy("rank", move |cx: &Inquiry| super::strata::rank_value(cx, &rank_matrix, Some(dimension)))
        .lazy("integrable", move |cx: &Inquiry| Ok(Value::from(involutive.is_involutive(cx)?)))
        .on(&system.manifold))
}

fn dynamical_distribution(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::dynamical_distribution(a);
    }
    let system = unconstrained(a, 0)?;
    let alpha = system.lepage(&a.cx)?;
    let answer = distribution_answer(&a.cx, "dynamical_distribution", &system, alpha.rows(&a.cx))?;
    let again = system.clone();
    Ok(Value::from(answer.lazy("weakly_horizontal", move |cx: &Inquiry| super::strata::primary(cx, &again))))
}

fn characteristic(a: &Arguments) -> Fallible<Value> {
    // A 2-form that is no Lepage form has a characteristic distribution, too.
    if let Value::Form(form) = a.value(0)?.main()
        && form.degree() == 2
        && let Some(manifold) = form.manifold()?
        && crate::geometry::contact::is_lepage(&a.cx, &form, &manifold).verdict.is_no()
    {
        let chart = manifold.jets(form.order_on(&a.cx, &manifold).order).chart();
        return Ok(Value::from(Distribution::characteristic(&a.cx, &chart, &form)?));
    }
    let system = unconstrained(a, 0)?;
    let alpha = system.lepage(&a.cx)?;
    Ok(Value::from(distribution_answer(&a.cx, "characteristic", &system, alpha.characteristic_rows(&a.cx))?))
}

fn hamilton_form(a: &Arguments) -> Fallible<Value> {
    let system = unconstrained(a, 0)?;
    let h = hamilton::hamilton_form(&a.cx, &*system.lepage(&a.cx)?);
    let entries: Vec<(Symbol, Value)> =
        h.jets.iter().copied().zip(h.components.iter().map(|e| Value::Expr(*e))).collect();
    Ok(Value::from(Answer::new("hamilton_form").main(h.form()).keyed(entries).on(&system.manifold)))
}

fn helmholtz(a: &Arguments) -> Fallible<Value> {
    let (system, form) = form_of(a, 0)?;
    let found = inverse_problem::helmholtz(&a.cx, &form);
    let labels = fibre_symbols(&system.manifold);
    let key = |r: &inverse_problem::Residual| -> Key {
        smallvec![KeyPart::Number(i64::from(r.l)), KeyPart::Symbol(labels[r.sigma]), KeyPart::Symbol(labels[r.nu])]
    };
    let residuals = Value::keyed(found.residuals.iter().map(|r| (key(r), Value::Expr(r.value))));
    let nonzero = Value::keyed(found.nonzero().map(|r| (key(r), Value::Expr(r.value))));
    Ok(Value::from(
        Answer::new("helmholtz")
            .main_part("variational", found.variational.clone())
            .part("residuals", residuals)
            .part("nonzero", nonzero)
            .on(&system.manifold),
    ))
}

/// What the search for integrating factors tries.
const SEARCH: &str = "a multiplier search: constants times exp(c*t), one for each equation, and the exponential of a function of \
                      t and q for a single equation";

fn integrating_factor(a: &Arguments) -> Fallible<Value> {
    let (system, form) = form_of(a, 0)?;
    match inverse_problem::integrating_factor(&a.cx, &form)? {
        Some(found) => {
            let labels = fibre_symbols(&system.manifold);
            let multipliers = Value::family(labels.into_iter().zip(found.multipliers.iter().map(|e| Value::Expr(*e))));
            let mut answer = Answer::new("integrating_factor");
            answer = match found.common() {
                Some(factor) => answer.main(factor),
                None => answer.main(multipliers.clone()),
            };
            Ok(Value::from(
                answer
                    .part("multipliers", multipliers)
                    .part("variational", found.variational.clone())
                    .part("method", Value::Text(SEARCH.into()))
                    .on(&system.manifold),
            ))
        }
        None => Err(Box::new(
            Diagnostic::error(&codes::NOT_VARIATIONAL, "no multiplier of the simple kinds was found")
                .note(SEARCH)
                .note("this is a search, not a proof that there is none"),
        )),
    }
}

fn tonti(a: &Arguments) -> Fallible<Value> {
    let (system, form) = form_of(a, 0)?;
    let found = inverse_problem::tonti(&a.cx, &form)?;
    let order = found.lagrangian.order();
    let lagrangian = System::new(
        &format!("tonti({})", system.name),
        &system.manifold,
        Base::Lagrangian(found.lagrangian),
        system.span,
    );
    Ok(Value::from(
        Answer::new("tonti")
            .main(Value::System(Rc::new(lagrangian)))
            .part("order", order as usize)
            .lazy("f", move |cx: &Inquiry| Ok(Value::Expr(hamilton::canonical(cx, &form, None)?.f)))
            .part("centre", Value::exprs(found.centre))
            .on(&system.manifold),
    ))
}

/// The gauge function of the user's choice.
pub(super) fn gauge(a: &Arguments) -> Fallible<Option<Expr>> {
    match a.option("gauge") {
        Some(option) => {
            operate::as_expr(&a.cx, &option.value).map(Some).map_err(|d| Box::new(d.or_at(option.span, "the gauge")))
        }
        None => Ok(None),
    }
}

/// The prefix of the momenta, `p` unless the option `names` says otherwise.
pub(super) fn names(a: &Arguments) -> Fallible<String> {
    match a.option("names") {
        None => Ok("p".into()),
        Some(option) => match &option.value {
            Value::Text(prefix) => Ok(prefix.to_string()),
            _ => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "`names` takes a word")
                    .label(option.span, "not a word")
                    .help("`names = P` calls the momentum of x `P_x`"),
            )),
        },
    }
}

fn reduce_order(a: &Arguments) -> Fallible<Value> {
    let (system, found) = super::canonical::canonical(a)?;
    let order = found.minimal.order();
    let minimal = System::new(
        &format!("reduce_order({})", system.name),
        &system.manifold,
        Base::Lagrangian(found.minimal),
        system.span,
    );
    Ok(Value::from(
        Answer::new("reduce_order")
            .main(Value::System(Rc::new(minimal)))
            .part("order", order as usize)
            .part("f", found.f)
            .on(&system.manifold),
    ))
}

fn equivalent(a: &Arguments) -> Fallible<Value> {
    let l1 = lagrangian_of(a, 0)?;
    let l2 = a.expr(1)?;
    let found = inverse_problem::equivalent(&a.cx, &l1, l2)?;
    let y = l1.manifold();
    let t = y.base();
    let terms: Vec<Form> =
        fibre_symbols(y).into_iter().zip(&found.euler_lagrange).map(|(q, e)| Form::term(*e, &[q, t])).collect();
    let primitive = match (found.primitive, found.equivalent.is_no()) {
        (Some(f), _) => Ok(Value::Expr(f)),
        (None, true) => Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            "the Lagrangians are not equivalent, so their difference is no total derivative",
        ))),
        (None, false) => Err(Box::new(Diagnostic::error(&codes::UNDECIDED, "the primitive could not be integrated"))),
    };
    Ok(Value::from(
        Answer::new("equivalent")
            .main(found.equivalent.clone())
            .part("difference", Form::sum(2, &terms))
            .try_part("primitive", primitive)
            .on(y),
    ))
}

fn hessian(a: &Arguments) -> Fallible<Value> {
    let l = lagrangian_of(a, 0)?;
    room_for_matrices(&a.cx, l.manifold().n_coordinates())?;
    let rows = l.hessian(&a.cx);
    let y = l.manifold();
    let top: Vec<Symbol> = y.fibres().iter().map(|f| f.coordinate.jet(l.order())).collect();
    let matrix = Matrix::from_rows(rows);
    let det = matrix.det(&a.cx)?;
    // What log x bounds is not seen in its derivatives.
    let bounds = conditions::bounds(&a.cx, [l.function()]);
    let seen = conditions::joint_domain(&a.cx, matrix.entries());
    let unseen: Vec<Condition> = bounds.iter().filter(|c| !seen.contains(c)).copied().collect();
    let inside = a.cx.where_hold(&bounds);
    let (regular, needs) = conditions::collect(&inside, |cx| regular_everywhere(cx, &y.jets(l.order()), det));
    let regular = Judgement {
        at: Some(Box::new(move |cx: &Inquiry, point: &Point| {
            Ok(decide::is_zero(cx, expr_at(cx, det, &assignment(point))?).negate())
        })),
        needs: if regular.is_yes() { needs } else { vec![] },
        verdict: regular,
    };
    let (m1, m2, m3) = (matrix.clone(), matrix.clone(), matrix.clone());
    let space = y.jets(l.order());
    let answer = Answer::new("hessian")
        .main(LabelledMatrix { matrix, rows: top.clone(), columns: top })
        .part("det", det)
        .lazy("minors", move |cx: &Inquiry| Ok(Value::exprs(m1.leading_minors(cx)?)))
        .lazy("rank", move |cx: &Inquiry| super::strata::rank_value(cx, &m2, None))
        .part("regular", regular)
        .lazy("locus", move |cx: &Inquiry| super::strata::zero_set(cx, &space, det))
        .lazy("definite", move |cx: &Inquiry| Ok(Value::Label(m3.definiteness(cx)?.label())))
        .valid_where(unseen)
        .on(y);
    Ok(Value::from(answer).on_branch(bounds))
}

/// Whether a determinant vanishes nowhere. A Lagrangian is regular at every point or not regular (Lewis §3.1).
fn regular_everywhere(cx: &Inquiry, space: &jet::JetSpace, det: Expr) -> Verdict {
    let vanishes = crate::algebra::decide::is_zero(cx, det);
    if !vanishes.is_no() || det.is_number() || crate::algebra::decide::sign(cx, det).is_nonzero() {
        return vanishes.negate();
    }
    let branch = Branch { equations: vec![det], nonzero: vec![] };
    cx.within(share::SEARCH, || stratum::is_empty_set(cx, &space.symbols(), &[branch]))
        .unwrap_or_else(|stop| Verdict::unknown(format!("whether the determinant vanishes somewhere: {stop}")))
}

fn order(a: &Arguments) -> Fallible<Value> {
    let found = match a.value(0)?.main() {
        Value::Form(f) => match f.manifold()? {
            Some(m) => f.order_on(&a.cx, &m),
            None => return Ok(Value::count(0)),
        },
        Value::Field(x) => match x.manifold()? {
            Some(m) => x.order_on(&a.cx, &m),
            None => return Ok(Value::count(0)),
        },
        _ => jet::jet_order(&a.cx, a.expr(0)?),
    };
    match found.undecided.first() {
        // Of J¹(JʳY) the order is r.
        None => {
            a.cx.answer_rests_on(&found.ground, a.name_span);
            let symbols = match a.value(0)?.main() {
                Value::Form(f) => f.symbols(),
                Value::Field(x) => x.symbols(),
                _ => a.expr(0)?.symbols(),
            };
            let manifold = FiberedManifold::of_symbols(&symbols)?;
            let space = manifold.map(|m| jet::space_with(&m, found.order, &symbols));
            Ok(Value::count(space.map_or(found.order, |s| s.order()) as usize))
        }
        Some(s) => Err(Box::new(
            Diagnostic::error(&codes::UNDECIDED, format!("it cannot be decided whether this depends on {s}"))
                .help("state what you know about it with `assume`"),
        )),
    }
}
