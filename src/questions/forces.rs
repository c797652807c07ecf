//! Questions about forces and general constraints: the Euler–Lagrange 2-force, the Poincaré–Cartan forms, ideal
//! constraints (M, Λ) and the balance of forces on them. Lewis §3–6, docs/theory/forces.md.

use super::strata::{rank_of_kernel, rank_with};
use super::systems::{lagrangian_of, simple};
use super::{Arguments, Question};
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::Codistribution;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, jet_order};
use crate::mechanics::constraint_set::{ConstraintSet, Sheet};
use crate::mechanics::force::{self, ContactForce, Inertia};
use crate::mechanics::force_balance::{BalancedMotion, ForceBalance};
use crate::mechanics::ideal_constraint::{self, Beta, GeneralConstraint};
use crate::mechanics::poincare_cartan::PoincareCartan;
use crate::mechanics::{decided, jet, jet_expr};
use crate::model::evaluate_at::assignment;
use crate::model::item::{Base, Constraint, System};
use crate::model::kind::*;
use crate::model::operate::{as_expr, describe};
use crate::model::set::PointSet;
use crate::model::value::{Answer, Fallible, LabelledMatrix, OnBranch, SolvedTower, Value};
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "two_force",
        parameters: &[one("L", LAGRANGIAN)],
        help: "the Euler–Lagrange 2-force Φ_L, inertia minus force, as a contact form; its components by coordinate (Lewis 4.2)",
        options: &[],
        gives: Gives::Degree("contact", 1),
        parts: &[part("order", INTEGER, "the order of its components")],
        run: two_force,
    },
    Question {
        name: "poincare_cartan",
        parameters: &[one("S", SYSTEM)],
        help: "Θ_L = L dt + L_v θ of a Lagrangian of first order, with the forms Ω of its forces (Lewis §6)",
        options: &[],
        gives: Gives::Degree("lepage", 1),
        parts: &[
            part("omega", FORM, "Ω_L = −dΘ_L"),
            part("forced", FORM, "Ω_{L,Φ} = Ω_L − Φ∧dt"),
            part("closed", VERDICT, "dΩ_L = 0"),
            part("forced_closed", VERDICT, "dΩ_{L,Φ} = 0"),
            part("verified", VERDICT, "Theorem 6.1: Φ_L∘X − Φ = −X⌟Ω_{L,Φ} for every second-order X, checked"),
            part("rank", RANK, "of Ω_{L,Φ}"),
        ],
        run: poincare_cartan,
    },
    Question {
        name: "ideal_conditions",
        parameters: &[one("Q", CONSTRAINT.or(SYSTEM))],
        help: "whether a constraint (M, Λ) is ideal: IC1, IC2 and IC3 one by one (Lewis §3.3)",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("ideal", VERDICT, "all three hold"),
            part("IC1", VERDICT, "the constraint forces F are a subbundle: rank β̂ is constant on M"),
            part("IC2", VERDICT, "the forms of Λ without dv are a subbundle"),
            part("IC3", VERDICT, "accelerations exist at every point of M, and differ by coann F"),
            part("rank_Lambda", RANK, "of Λ"),
            part("rank_F", RANK, "of H = β̂"),
            part("rank_kernel", RANK, "of the forms of Λ without dv"),
            part("rank_stacked", RANK, "of [H; N], N = ∂B/∂v"),
            part("rank_augmented", RANK, "of [H c; N d]"),
            part("minors", FUNCTION, "the sum of the squares of the largest minors of H"),
            part("F", CODISTRIBUTION, "the constraint forces β̂θ"),
            part("coannihilator", DISTRIBUTION, "coann F, vertical"),
            part("M", SET, "where the motion lives"),
            part("locus", SET, "where a condition fails"),
        ],
        run: ideal_conditions,
    },
    Question {
        name: "compatible",
        parameters: &[one("Λ0", SUBSPACE.or(CONSTRAINT))],
        help: "whether a codistribution on Y is compatible with time: dt∧β ≠ 0 for all its forms β ≠ 0 (Lewis §3.3)",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[part("M", SET, "the velocities that it allows"), part("locus", SET, "where it is not compatible")],
        run: compatible,
    },
    Question {
        name: "jet_lift",
        parameters: &[one("Λ0", SUBSPACE.or(CONSTRAINT))],
        help: "the lift j¹Λ₀ of a codistribution on Y: d(β_0 + β_i v^i) and β for all its forms β (Lewis 3.7)",
        options: &[],
        gives: Gives::Kinds(CODISTRIBUTION),
        parts: &[],
        run: jet_lift,
    },
    Question {
        name: "balance",
        parameters: &[one("S", SYSTEM)],
        help: "the vector field of a system with forces and a constraint (M, Λ), by the balance of forces (Lewis Theorem 5.5)",
        options: &[],
        gives: Gives::Kinds(FIELD),
        parts: &[
            part("G", MATRIX, "H g⁻¹ Hᵀ on M"),
            part("det_G", FUNCTION, "its determinant"),
            part("metric", MATRIX, "g_L on a basis of coann F"),
            part("nondegenerate", VERDICT, "det G does not vanish identically on M"),
            part("locus", SET, "where it vanishes"),
            part("multipliers", LIST, "λ (5.5), one for each independent form of Λ"),
            part("reaction", FAMILY, "the force of the constraint λ_a β̂^a, by coordinate"),
            part("conditions", LIST, "what must not vanish for the field to be this one"),
            part("verified", VERDICT, "X is tangent to M and annihilated by Λ, and the forces balance: checked"),
        ],
        run: balance,
    },
];

fn two_force(a: &Arguments) -> Fallible<Value> {
    let l = lagrangian_of(a, 0)?;
    let found = force::euler_lagrange_two_force(&a.cx, &l);
    let y = l.manifold();
    let entries = positions(y).into_iter().zip(found.components().iter().map(|e| Value::Expr(*e)));
    let order = found.order(&a.cx)?;
    Ok(Value::from(Answer::new("two_force").main(found.form()).keyed(entries).part("order", order as usize).on(y)))
}

fn positions(y: &FiberedManifold) -> Vec<Symbol> {
    y.fibres().iter().map(|f| f.coordinate.jet(0)).collect()
}

/// The applied force, all of them together.
pub(super) fn total_force(cx: &Inquiry, system: &System) -> Vec<Expr> {
    let n = system.manifold.n_coordinates();
    (0..n).map(|i| simple(cx, Expr::add_all(system.forces.iter().map(|f| f.components[i])))).collect()
}

fn poincare_cartan(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    let Some(l) = system.free_lagrangian() else {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "Poincaré–Cartan forms belong to a Lagrangian")
                .label(a.positional[0].span, format!("this is {}", describe(&Value::System(system.clone()))))
                .help("`tonti(S)` finds a Lagrangian of variational equations"),
        ));
    };
    let forms = PoincareCartan::new(&a.cx, l, &total_force(&a.cx, &system))?;
    let matrix = forms.matrix();
    let for_check = forms.clone();
    Ok(Value::from(
        Answer::new("poincare_cartan")
            .main(forms.theta.clone())
            .part("omega", forms.omega.clone())
            .part("forced", forms.forced.clone())
            .part("closed", forms.is_closed(&a.cx))
            .part("forced_closed", forms.is_forced_closed(&a.cx))
            .lazy("verified", move |cx: &Inquiry| Ok(Value::from(for_check.is_verified(cx))))
            .lazy("rank", move |cx: &Inquiry| super::strata::rank_value(cx, &matrix, None))
            .on(&system.manifold),
    ))
}

/// The constraint that is asked about, or all constraints of a system.
fn constraints_of(a: &Arguments) -> Fallible<(FiberedManifold, Vec<Rc<Constraint>>)> {
    if let Value::Constraint(c) = a.value(0)?.main() {
        return Ok((c.space.manifold().clone(), vec![c]));
    }
    let system = a.system(0)?;
    if system.constraints.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, format!("`{}` asks about a constraint", a.question.name))
                .label(a.positional[0].span, "this system has none"),
        ));
    }
    Ok((system.manifold.clone(), system.constraints.clone()))
}

/// The sheet that `branch:` chooses.
pub(super) fn sheet(cx: &Inquiry, constraints: &[Rc<Constraint>]) -> Fallible<Sheet> {
    let mut sheet = Sheet::default();
    for c in constraints {
        for value in &c.branch {
            match value.main() {
                Value::Point(point) => sheet.points.push(assignment(&point)),
                Value::Claim(claim) => {
                    let left = as_expr(cx, &claim.left)? - as_expr(cx, &claim.right)?;
                    let (relation, left) = match claim.relation {
                        Relation::Less => (Relation::Greater, -left),
                        Relation::LessEqual => (Relation::GreaterEqual, -left),
                        relation => (relation, left),
                    };
                    sheet.conditions.push(Condition { relation, left });
                }
                other => {
                    return Err(Box::new(
                        Diagnostic::error(
                            &codes::WRONG_KIND,
                            format!("`branch:` takes a condition or a point, not {}", describe(&other)),
                        )
                        .label(c.span, "in this constraint")
                        .help("write `branch: z' > 0`, or a point such as `branch: { x' = 3, z' = 5 }`"),
                    ));
                }
            }
        }
    }
    Ok(sheet)
}

/// All velocities that the constraints are to be solved for.
pub(super) fn dependents(constraints: &[Rc<Constraint>]) -> Vec<Symbol> {
    constraints.iter().flat_map(|c| c.dependent.iter().copied()).collect()
}

/// (M, Λ) of constraints, whichever way they are declared:
///
/// - with `forms:` on J¹Y they are Λ, and M is given by the equations;
/// - with `forms:` on Y they are Λ₀: M is where they vanish on velocities, Λ = j¹Λ₀;
/// - equations on J¹Y alone mean Chetaev's Λ = span dB; equations f = 0 on Y are Λ₀ = span df on f = 0;
/// - equations on accelerations, affine in them, are forms with M = J¹Y.
pub(super) fn general_constraint(
    cx: &Inquiry,
    y: &FiberedManifold,
    constraints: &[Rc<Constraint>],
) -> Fallible<GeneralConstraint> {
    let mut equations = vec![];
    let mut forms = vec![];
    for c in constraints {
        let (one_equations, one_forms) =
            declared(cx, y, c).map_err(|d| Box::new(d.or_at(c.span, "this constraint")))?;
        equations.extend(one_equations);
        forms.extend(one_forms);
    }
    let space = y.jets(1);
    if equations.is_empty() {
        return Ok(GeneralConstraint { set: ConstraintSet::everything(&space), forms });
    }
    let set = ConstraintSet::new(cx, &space, equations, &dependents(constraints), &sheet(cx, constraints)?)?;
    Ok(GeneralConstraint { set, forms })
}

fn declared(cx: &Inquiry, y: &FiberedManifold, c: &Constraint) -> Fallible<(Vec<Expr>, Vec<Beta>)> {
    if c.reactions.is_some() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "reactions given by hand are no constraint (M, Λ)")
                .note("a pair (A, B) is ideal only if its forces contain the directions ∂B/∂v (Lewis IC3)")
                .help("`reduction(S)` treats such pairs (Barone et al. §7)"),
        ));
    }
    let equations: Vec<Expr> = c.equations.iter().map(|(e, _)| *e).collect();
    if let Some(given) = &c.forms {
        if let Some((e, span)) = c.equations.iter().find(|(e, _)| jet_order(cx, *e).order > 1) {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::ORDER_TOO_HIGH,
                    "an equation on accelerations is none of M, a set of positions and velocities",
                )
                .label(*span, format!("{e} contains accelerations"))
                .note("what Λ says of accelerations stands in its forms (Lewis §3.3)")
                .help("write it as a form: `z'' = x''` is `dz' - dx'`"),
            ));
        }
        let forms = match c.space.order() {
            // That they vanish on velocities stands among the equations.
            0 => ideal_constraint::jet_lift(cx, y, &Beta::on_configurations(y, given)?),
            _ => given.iter().map(|f| Beta::of_form(y, f)).collect::<Fallible<Vec<_>>>()?,
        };
        return Ok((equations, forms));
    }
    chetaev(cx, y, &equations)
}

/// M and Λ of equations with Chetaev's forces, each by its own order: the forms that exert them first, in the order of the
/// equations, and then df of those on positions.
fn chetaev(cx: &Inquiry, y: &FiberedManifold, equations: &[Expr]) -> Fallible<(Vec<Expr>, Vec<Beta>)> {
    let (mut own, mut velocities, mut forms, mut below) = (vec![], vec![], vec![], vec![]);
    for f in equations {
        match jet_order(cx, *f).order {
            0 => {
                let df = Beta::differential(cx, y, *f);
                own.push(*f);
                velocities.push(df.on_velocities(cx, y));
                let mut lifted = ideal_constraint::jet_lift(cx, y, std::slice::from_ref(&df));
                below.extend(lifted.split_off(1));
                forms.extend(lifted);
            }
            1 => {
                own.push(*f);
                forms.push(Beta::differential(cx, y, *f));
            }
            2 => forms.push(acceleration_form(cx, y, *f)?),
            order => {
                return Err(Box::new(Diagnostic::error(
                    &codes::NOT_APPLICABLE,
                    format!("a constraint (M, Λ) is about velocities and accelerations, this one is of order {order}"),
                )));
            }
        }
    }
    Ok(([own, velocities].concat(), [forms, below].concat()))
}

/// f = β̂_i a^i + rest as the form β̂_i dv^i + rest dt.
fn acceleration_form(cx: &Inquiry, y: &FiberedManifold, f: Expr) -> Fallible<Beta> {
    let n = y.n_coordinates();
    let accelerations: Vec<Symbol> = (0..n).map(|i| jet(y, i, 2)).collect();
    let velocities: Vec<Expr> = accelerations.iter().map(|a| simple(cx, partial(cx, f, *a))).collect();
    let bends = velocities.iter().flat_map(|e| accelerations.iter().map(|a| partial(cx, *e, *a)));
    let affine = Verdict::all(bends.map(|e| crate::algebra::decide::is_zero(cx, e)), "there are no accelerations");
    if !decided(&affine, "the constraint is affine in the accelerations")? {
        return Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            "a constraint on accelerations is a form only if it is affine in them",
        )));
    }
    let none = accelerations.iter().map(|a| (*a, Expr::zero())).collect();
    let velocities = velocities.into_iter().map(|e| substitute(e, &none)).collect();
    Ok(Beta { time: substitute(f, &none), positions: vec![Expr::zero(); n], velocities })
}

/// Accelerations that the constraint leaves open are those that forces determine only in equations of second order: IC3 compares
/// them, and says nothing about a motion in J³Y.
fn of_second_order(a: &Arguments) -> Fallible<()> {
    if let Value::Constraint(_) = a.value(0)?.main() {
        return Ok(());
    }
    let order = a.system(0)?.dynamical_form(&a.cx)?.order();
    if order <= 2 {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::error(
            &codes::NOT_APPLICABLE,
            format!("ideal constraints are a notion for equations of second order, and these are of order {order}"),
        )
        .label(a.positional[0].span, "this system")
        .note("IC3 says which accelerations the constraint allows; the state of this system contains them (Lewis §3.3)")
        .help("`reduced(S)` treats constraints of every order (Krupková §11)"),
    ))
}

fn ideal_conditions(a: &Arguments) -> Fallible<Value> {
    let (y, constraints) = constraints_of(a)?;
    of_second_order(a)?;
    let constraint = general_constraint(&a.cx, &y, &constraints)?;
    let found = constraint.ideal_conditions(&a.cx)?;
    let space = y.jets(1);
    let ranked = |r: &(crate::algebra::stratum::rank::Rank, Matrix)| rank_with(r.0.clone(), r.1.clone(), None);
    let kernel = rank_of_kernel(found.kernel.clone(), found.forces.1.clone(), found.lambda.1.clone());
    let set = |list: Vec<Branch>| Value::from(PointSet::new(&space, list));
    let whole = constraint.set.with(&Branch::everything());
    let minors = match constraint.minors(&a.cx)? {
        Some(e) => Ok(Value::Expr(e)),
        None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "H vanishes, and has no minors"))),
    };
    let for_directions = constraint.clone();
    Ok(Value::from(
        Answer::new("ideal_conditions")
            .main_part("ideal", found.is_ideal())
            .part("IC1", found.ic1.clone())
            .part("IC2", found.ic2.clone())
            .part("IC3", found.ic3.clone())
            .part("rank_Lambda", ranked(&found.lambda))
            .part("rank_F", ranked(&found.forces))
            .part("rank_kernel", kernel)
            .part("rank_stacked", ranked(&found.stacked))
            .part("rank_augmented", ranked(&found.augmented))
            .try_part("minors", minors)
            .part("F", constraint.forces(&a.cx)?)
            .lazy("coannihilator", move |cx: &Inquiry| Ok(Value::from(for_directions.coannihilator(cx)?)))
            .part("M", set(vec![whole]))
            .part("locus", set(found.locus.clone()))
            .on(&y)
            .valid_where(found.generic.iter().copied())
            .valid_where(constraint.set.conditions().iter().copied()),
    ))
}

/// The forms on Y that are asked about, and Y.
fn forms_on_configurations(a: &Arguments) -> Fallible<(FiberedManifold, Vec<Beta>)> {
    let (forms, found): (Vec<Form>, Option<FiberedManifold>) = match a.value(0)?.main() {
        Value::Codistribution(c) => {
            let found = FiberedManifold::of_symbols(c.chart().symbols())?;
            (c.forms(&a.cx).to_vec(), found)
        }
        Value::Constraint(c) => {
            let forms = match &c.forms {
                Some(forms) => forms.clone(),
                None => c.equations.iter().map(|(f, _)| Form::function(*f).d(&a.cx)).collect(),
            };
            (forms, Some(c.space.manifold().clone()))
        }
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, format!("forms are needed here, not {}", describe(&other)))
                    .label(a.positional[0].span, "not a codistribution")
                    .help("declare one with `codistribution L0 on Y { dx - y*dt }`, or write `span(dx - y*dt)`"),
            ));
        }
    };
    let y = super::distributions::home(a, found)?;
    let betas =
        Beta::on_configurations(&y, &forms).map_err(|d| Box::new(d.or_at(a.positional[0].span, "these forms")))?;
    Ok((y, betas))
}

fn compatible(a: &Arguments) -> Fallible<Value> {
    let (y, forms) = forms_on_configurations(a)?;
    let (verdict, locus) = ideal_constraint::compatibility(&a.cx, &y, &forms)?;
    let equations: Vec<Expr> = forms.iter().map(|b| b.on_velocities(&a.cx, &y)).collect();
    let m = PointSet::new(&y.jets(1), vec![Branch { equations, nonzero: vec![] }]);
    Ok(Value::from(
        Answer::new("compatible").main(verdict).part("M", m).part("locus", PointSet::new(&y.jets(0), locus)).on(&y),
    ))
}

fn jet_lift(a: &Arguments) -> Fallible<Value> {
    let (y, forms) = forms_on_configurations(a)?;
    let lifted = ideal_constraint::jet_lift(&a.cx, &y, &forms);
    let forms = lifted.iter().map(|b| b.form(&y).map_coefficients(|c| simple(&a.cx, c))).collect();
    Ok(Value::from(Codistribution::new(&y.jets(1), forms)?))
}

/// What resists acceleration: of a Lagrangian by its forms, of equations −E.
pub(super) fn inertia(cx: &Inquiry, system: &System) -> Fallible<Inertia> {
    match &system.base {
        Base::Lagrangian(l) if l.order() <= 1 => Inertia::of_lagrangian(cx, l),
        Base::Equations(e) => of_equations(cx, &system.manifold, e),
        Base::Lepage(_) => of_equations(cx, &system.manifold, system.lepage(cx)?.dynamical_form().components()),
        _ => Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "the balance of forces is stated for a Lagrangian of first order or equations of second order",
            )
            .label(system.span, "this system"),
        )),
    }
}

fn of_equations(cx: &Inquiry, y: &FiberedManifold, e: &[Expr]) -> Fallible<Inertia> {
    Inertia::of_two_force(cx, &ContactForce::new(y, e.iter().map(|e| -*e).collect()))
}

/// The balance of a system, with whatever constraints it has.
pub(super) fn force_balance(cx: &Inquiry, system: &System) -> Fallible<ForceBalance> {
    let constraint = if system.constraints.is_empty() {
        GeneralConstraint::none(&system.manifold.jets(1))
    } else {
        general_constraint(cx, &system.manifold, &system.constraints)?
    };
    ForceBalance::new(cx, &inertia(cx, system)?, &total_force(cx, system), &constraint)
}

/// The motion, if the constraint lets there be one: Theorem 5.5 needs IC3.
pub(super) fn motion(cx: &Inquiry, balance: &ForceBalance) -> Fallible<BalancedMotion> {
    let motion = balance.motion(cx)?;
    if balance.is_verified(cx, &motion).is_no() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NO_MOTION,
                "this constraint is not ideal, and its forces do not keep the motion on it",
            )
            .note("the field that balances the forces is not tangent to M, or not annihilated by Λ (Lewis IC3)")
            .help("`ideal_conditions(Q)` tests the conditions one by one"),
        ));
    }
    Ok(motion)
}

/// The constraint and the accelerations of a system with forms of its own.
pub(super) fn balanced(cx: &Inquiry, system: &System) -> Fallible<(ConstraintSet, Vec<Expr>)> {
    let found = force_balance(cx, system)?;
    let accelerations = motion(cx, &found)?.accelerations;
    Ok((found.constraint.set, accelerations))
}

fn balance(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    let found =
        Rc::new(force_balance(&a.cx, &system).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?);
    let y = &system.manifold;
    let set = &found.constraint.set;
    let answer = Answer::new("balance");
    let (moved, recorded) = crate::algebra::conditions::collect(&a.cx, |cx| motion(cx, &found));
    // Only the motion rests on what was divided by: where it fails is a part of the answer itself.
    let there = |e: &Expr| on_set_where(set, &recorded, *e);
    let answer = match &moved {
        Ok(motion) => {
            let values = (0..y.n_coordinates()).map(|i| jet(y, i, 2)).zip(&motion.accelerations);
            let field = on_set_where(set, &recorded, found.field(motion));
            answer.main(field).keyed(values.map(|(s, e)| (s, there(e))))
        }
        Err(why) => answer.refused_main(why.clone()),
    };
    let part = |get: &dyn Fn(&BalancedMotion) -> Value| moved.as_ref().map(get).map_err(Clone::clone);
    let (for_metric, for_locus, for_check) = (found.clone(), found.clone(), found.clone());
    let (space, checked) = (set.space().clone(), moved.clone());
    Ok(Value::from(
        answer
            .part("G", on_set(set, found.gram.clone()))
            .part("det_G", on_set(set, found.det))
            .lazy("metric", move |cx: &Inquiry| Ok(Value::from(for_metric.metric(cx)?)))
            .part("nondegenerate", found.is_nondegenerate(&a.cx))
            .lazy("locus", move |cx: &Inquiry| {
                let branches = for_locus.constraint.set.zeros(cx, for_locus.det)?;
                Ok(Value::from(PointSet::new(&space, branches)))
            })
            .try_part("multipliers", part(&|m| Value::list(m.multipliers.iter().map(there))))
            .try_part("reaction", part(&|m| Value::family(positions(y).into_iter().zip(m.reaction.iter().map(there)))))
            .part("conditions", Value::exprs(recorded.iter().copied()))
            .lazy("verified", move |cx: &Inquiry| {
                let motion = checked.as_ref().map_err(Clone::clone)?;
                Ok(Value::from(for_check.is_verified(cx, motion)))
            })
            .on(y)
            .valid_where(set.conditions().iter().copied()),
    ))
}

/// The vector field of a system whose constraints are given by forms.
pub(super) fn vector_field(a: &Arguments, system: &Rc<System>) -> Fallible<Value> {
    let found = force_balance(&a.cx, system)?;
    let motion = motion(&a.cx, &found)?;
    let y = &system.manifold;
    let det = found.det;
    let nonzero: Vec<Expr> = if crate::algebra::assume::sign_of(&a.cx, det).is_nonzero() { vec![] } else { vec![det] };
    let unique = found.constraint.set.vanishes_nowhere(&a.cx, det);
    let (set, space) = (found.constraint.set.clone(), y.jets(1));
    let values = (0..y.n_coordinates()).map(|i| jet(y, i, 2)).zip(&motion.accelerations);
    Ok(Value::from(
        Answer::new("vector_field")
            .main(on_set(&found.constraint.set, found.field(&motion)))
            .keyed(values.map(|(s, e)| (s, on_set(&found.constraint.set, *e))))
            .part("unique", unique)
            .part("conditions", Value::exprs(nonzero.clone()))
            .lazy("locus", move |cx: &Inquiry| Ok(Value::from(PointSet::new(&space, set.zeros(cx, det)?))))
            .on(y)
            .valid_where(nonzero)
            .valid_where(found.constraint.set.conditions().iter().copied()),
    ))
}

/// Something on M: compared there, and at points where the velocities that M determines may be left out.
pub(super) fn on_set(set: &ConstraintSet, value: impl Into<Value>) -> Value {
    on_set_where(set, &[], value)
}

/// The same where some functions do not vanish.
fn on_set_where(set: &ConstraintSet, nonzero: &[Expr], value: impl Into<Value>) -> Value {
    let value = value.into();
    if set.equations().is_empty() && nonzero.is_empty() {
        return value;
    }
    let branch = set.with(&Branch { equations: vec![], nonzero: nonzero.to_vec() });
    let coordinates = set.space().symbols();
    let tower = set.is_explicit().then(|| SolvedTower {
        solved: coordinates.iter().filter_map(|s| Some((*s, *set.solved().get(s)?))).collect(),
        says_all: true,
        sample: vec![],
    });
    Value::OnBranch(Rc::new(OnBranch { tower, ..OnBranch::new(value, coordinates, branch) }))
}

pub(super) fn all_on_set(set: &ConstraintSet, list: &[Expr]) -> Value {
    Value::list(list.iter().map(|e| on_set(set, *e)))
}

/// Σ F_i v^i.
pub(super) fn power_of(cx: &Inquiry, y: &FiberedManifold, force: &[Expr]) -> Expr {
    simple(cx, Expr::add_all(force.iter().enumerate().map(|(i, f)| *f * jet_expr(y, i, 1))))
}

/// A matrix with rows and columns named by coordinates.
pub(super) fn labelled(y: &FiberedManifold, order: u32, matrix: Matrix) -> LabelledMatrix {
    let labels: Vec<Symbol> = (0..y.n_coordinates()).map(|i| jet(y, i, order)).collect();
    LabelledMatrix { matrix, rows: labels.clone(), columns: labels }
}
