//! Questions about mixed first- and second-order systems: the connection, curvatures, covariant derivatives, adjoint symmetries,
//! and the direct construction of nonholonomic dynamics. Sarlet, sections 2 to 6.
//!
//! Every regular system of first or second order has a mixed form ([`System::mixed`]): a mixed system as it stands, constrained
//! equations with the dependent velocities as first-order part, others with an empty first- or second-order part. So all of
//! these questions can be asked of all of them. `vector_field`, `first_integral` and `symmetry` come here for systems that are
//! declared as mixed or have constraints.

use super::tensors::tensor_value;
use super::{Arguments, Question};
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict, conditions, decide};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{Fibre, Over};
use crate::mechanics::adjoint_symmetry::{self as adjoint, AdjointSymmetry, Consequence};
use crate::mechanics::chaplygin::{chaplygin, is_chaplygin};
use crate::mechanics::connection::{Connection, connection as connection_of};
use crate::mechanics::curvature::{self as curved, Curvature};
use crate::mechanics::direct::{self as theory, Direct};
use crate::mechanics::lagrangian::Lagrangian;
use crate::mechanics::mixed_system::{AdaptedField, MixedSystem};
use crate::mechanics::{decided, mixed_form, mixed_symmetry};
use crate::model::evaluate_at::{assignment, expr_at};
use crate::model::item::{Base, System};
use crate::model::kind::*;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Fallible, Judgement, KeyPart, LabelledMatrix, Point, Value};
use smallvec::smallvec;
use std::rc::Rc;

const S: Parameter = one("S", SYSTEM);

pub static ROWS: &[Question] = &[
    Question {
        name: "mixed",
        parameters: &[S],
        help: "the mixed form of a system: x'' = f for the coordinates of second order and z' = g for those of first (Sarlet §1)",
        options: &[],
        gives: Gives::Kinds(SYSTEM),
        parts: &[
            part("second", FAMILY, "f, by coordinate of second order"),
            part("first", FAMILY, "g, by coordinate of first order"),
            part(
                "chaplygin",
                VERDICT,
                "g is linear in the velocities, and neither t nor what is of first order occurs in f, g and L",
            ),
            sometimes(
                "base",
                SYSTEM,
                "of a Chaplygin system over a manifold M that has the coordinates of second order: its equations there",
            ),
            sometimes("lagrangian", FUNCTION, "the Lagrangian where the constraints hold"),
            sometimes(
                "forces",
                FAMILY,
                "p_a (∂B^a_α/∂q^β − ∂B^a_β/∂q^α) v^β: the right sides of Chaplygin's equations",
            ),
            sometimes("verified", VERDICT, "that the motion satisfies Chaplygin's equations, computed"),
        ],
        run: mixed,
    },
    Question {
        name: "connection",
        parameters: &[S],
        help: "the connection of a mixed or constrained system: its coefficients Γ^β_α = −½ ∂f^β/∂v^α (Sarlet §2–3)",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[
            part("B", FAMILY, "∂g^a/∂v^α, keyed [z, x]"),
            part("B0", FAMILY, "g^a − v^α B^a_α, by first-order coordinate"),
            part("eta", FAMILY, "the constraint forms η^a"),
            part("theta", FAMILY, "the contact forms θ^α"),
            part("omega", FAMILY, "the force forms dv^α − f^α dt"),
            part("X", FAMILY, "the fields X_α = ∂/∂q^α + B^a_α ∂/∂q^a"),
            part("T", FIELD, "∂_t + v^α ∂/∂q^α + g^a ∂/∂q^a, along J → E"),
            part("Gamma", FIELD, "the field of motion"),
            part("N", MATRIX, "η^a ⊗ ∂/∂q^a"),
            part("S", MATRIX, "θ^α ⊗ ∂/∂v^α"),
            part("PH", MATRIX, "the horizontal projector"),
            part("PV", MATRIX, "the vertical projector"),
            part("verified", VERDICT, "(L_ΓS)² = I − Γ ⊗ dt − N, computed"),
            part("lift", FAMILY, "horizontal lifts of ∂/∂t and ∂/∂q, by coordinate"),
        ],
        run: connection,
    },
    Question {
        name: "curvature",
        parameters: &[S],
        help: "the curvatures Ψ and Φ of a mixed or constrained system, and the coefficients of ∇ (Sarlet §4)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            part("Psi", FAMILY, "C^a_β, keyed [z, x]"),
            part("Phi", FAMILY, "Φ^β_α, keyed [x, y]"),
            part("Phi_eta", FAMILY, "−∂f^β/∂q^a, keyed [x, z]"),
            part("nabla", FAMILY, "∇ of the frame: the coefficient of the second key in ∇ of the first"),
            part("verified", VERDICT, "Ψ = i_Γ N_N and the brackets that define Ψ, Φ and ∇, computed"),
            part("flat", VERDICT, "Ψ = 0"),
            part("integrable", VERDICT, "the whole Nijenhuis tensor of N vanishes"),
        ],
        run: curvature,
    },
    Question {
        name: "jacobi",
        parameters: &[S],
        help: "the Jacobi endomorphism Φ + Ψ in the frame X_α, ∂/∂q^a",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[],
        run: jacobi,
    },
    Question {
        name: "covariant",
        parameters: &[S, one("X", FUNCTION.or(FIELD).or(FORM))],
        help: "the dynamical covariant derivative of a function, of a field or of a 1-form along J → E",
        options: &[],
        gives: Gives::Like(1),
        parts: &[],
        run: covariant,
    },
    Question {
        name: "horizontal_lift",
        parameters: &[S, one("X", FIELD)],
        help: "the horizontal lift of a field along J → E to the phase space of a mixed system",
        options: &[],
        gives: Gives::Kinds(FIELD),
        parts: &[
            part("time", FUNCTION, "⟨X, dt⟩"),
            part("second", FAMILY, "μ^α: its components along X_α"),
            part("first", FAMILY, "μ^a: its components along ∂/∂q^a"),
            part("vertical", FIELD, "the vertical lift"),
        ],
        run: horizontal_lift,
    },
    Question {
        name: "decompose",
        parameters: &[S, one("Z", FIELD.or(FORM))],
        help: "a field Z = X^H + Y^V on the phase space of a mixed system, or a 1-form, in its parts along J → E (Sarlet §3)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            part("horizontal", FIELD.or(FORM), "X; of a form the part that vanishes on vertical lifts"),
            part("time", FUNCTION, "⟨X, dt⟩; of a form its value on Γ"),
            part("second", FAMILY, "μ^α, along X_α; of a form its values on the lifts X_α^H"),
            part("first", FAMILY, "μ^a, along ∂/∂q^a; of a form its values on these, which are those along η^a"),
            part(
                "vertical",
                FAMILY,
                "of Y, along X_α; of a form its values on X_α^V = ∂/∂v^α, which are those along ω^α",
            ),
            part("verified", VERDICT, "that the projectors of the connection give the same parts, computed"),
        ],
        run: decompose,
    },
    Question {
        name: "adjoint_symmetry",
        parameters: &[S, one("α", FORM)],
        help: "whether a form a_α θ^α + c_a η^a is an adjoint symmetry, and what follows from a potential of it (Sarlet §5)",
        options: &[option("potential", "F", FUNCTION, "F with a = ∂F/∂v and c = ∂F/∂q; without it one is looked for")],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("theta", FAMILY, "what is left of the θ-part of the equation"),
            part("eta", FAMILY, "what is left of its η-part"),
            part("b", FAMILY, "b_β = −Γ(a_β) + 2a_αΓ^α_β"),
            part("phi", FORM, "a_α ω^α + c_a η^a + b_α θ^α"),
            part("lie", FORM, "its Lie derivative along the motion"),
            part("potential", FUNCTION, "F"),
            part("rate", FUNCTION, "Γ(F)"),
            label("kind", adjoint::KINDS, "what follows from F"),
            part("gauge", FUNCTION, "h with Γ(F) = dh/dt"),
            part("integral", FUNCTION, "the first integral F − h"),
            part("lagrangian", FUNCTION, "Γ(F), where it is a Lagrangian of the second-order part"),
        ],
        run: adjoint_symmetry,
    },
    Question {
        name: "direct",
        parameters: &[S],
        help: "nonholonomic dynamics from Ω = dθ_L + ψ ∧ dt: the field with i_ΓΩ = 0 (Sarlet §6)",
        options: &[],
        gives: Gives::Kinds(FIELD),
        parts: &[
            part("L", FUNCTION, "the Lagrangian where the constraints hold"),
            part("hessian", MATRIX, "its Hessian"),
            part("P", MATRIX, "the matrix in front of the accelerations"),
            part("det_P", FUNCTION, "its determinant"),
            part("theta", FORM, "L dt + (∂L/∂v^α) θ^α"),
            part("psi", FORM, "C^a_α p_a θ^α − (∂L/∂q^a) η^a, with the forces"),
            part("Omega", FORM, "dθ + ψ ∧ dt"),
            part("unique", VERDICT, "whether det P is not zero, generically; where it is zero is `locus`"),
            part("locus", SET, "where det P vanishes"),
            part("verified", VERDICT, "i_ΓΩ = 0, computed"),
        ],
        run: direct,
    },
];

/// The system and its mixed form, or a refusal at its place.
pub(super) fn mixed_of(cx: &Inquiry, a: &Arguments) -> Fallible<(Rc<System>, Rc<MixedSystem>)> {
    let system = a.system(0)?;
    let mixed = form_of(cx, &system).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?;
    Ok((system, mixed))
}

/// The mixed form of a system; where constraints have reactions or forms of their own, from the motion that these let there be.
pub(super) fn form_of(cx: &Inquiry, system: &System) -> Fallible<Rc<MixedSystem>> {
    let own = |c: &Rc<crate::model::item::Constraint>| c.reactions.is_some() || c.forms.is_some();
    if !system.constraints.iter().any(own) {
        return system.mixed(cx).map_err(|d| super::constrained::refused_motion(cx, system, d));
    }
    let (set, accelerations) = match system.constraints.iter().any(|c| c.forms.is_some()) {
        true => super::forces::balanced(cx, system)?,
        false => super::pairs::reduced(cx, system)?,
    };
    set.conditions().iter().for_each(|c| conditions::state(cx, *c));
    Ok(Rc::new(mixed_form::from_accelerations(cx, &system.manifold, set.solved(), &accelerations)?))
}

fn mixed(a: &Arguments) -> Fallible<Value> {
    let cx = &a.cx;
    let ((system, form), recorded) = found(a, |cx| mixed_of(cx, a))?;
    let written = System::new(&system.name, &system.manifold, Base::Mixed(form.equations()), system.span);
    let by = |symbols: Vec<Symbol>, list: &[Expr]| exprs(symbols, list);
    let answer = Answer::new("mixed")
        .main(Value::System(Rc::new(written)))
        .keyed(form.equations().into_iter().map(|(s, e)| (s, Value::Expr(e))).collect::<Vec<_>>())
        .lazy("second", {
            let list = by(form.second_symbols(), form.f());
            move |_| Ok(list.clone())
        })
        .lazy("first", {
            let list = by(form.first_symbols(), form.g());
            move |_| Ok(list.clone())
        });
    let equations = is_chaplygin(cx, &form);
    let solved = system.free_lagrangian().filter(|_| system.forces.is_empty()).and_then(|l| {
        let (solved, _) = conditions::collect(cx, |cx| system.solved_constraints(cx));
        Some(chaplygin(cx, l.function(), &solved.ok().filter(|s| !s.dependent.is_empty())?))
    });
    let verdict = match &solved {
        Some(found) => equations.and(found.verdict.clone()),
        None => equations,
    };
    let answer = answer.part("chaplygin", verdict.clone());
    let is_one = verdict.is_yes();
    let missing = |what: &str| Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, format!("there is {what}")));
    let answer = match base_of(cx, &system, &form).filter(|_| is_one) {
        Some(base) => answer.part("base", base?),
        None => answer.lazy("base", move |_| {
            let why = missing("no manifold on which the equations of second order stand alone");
            Err(Box::new(
                why.help("declare `manifold E over M { … }` with the coordinates of first order over the others"),
            ))
        }),
    };
    let answer = match solved.filter(|_| is_one) {
        Some(found) => {
            let (for_check, motion) = (found.clone(), form.clone());
            answer
                .part("lagrangian", found.lagrangian)
                .part("forces", exprs(form.second_symbols(), &found.forces))
                .lazy("verified", move |cx: &Inquiry| Ok(Value::from(for_check.verified(cx, &motion))))
        }
        None => ["lagrangian", "forces", "verified"]
            .into_iter()
            .fold(answer, |answer, name| answer.lazy(name, move |_| Err(missing("no equation of Chaplygin here")))),
    };
    Ok(Value::from(answer.on(&system.manifold).valid_where(recorded)))
}

/// The second-order part of a Chaplygin system, on the manifold below, if that has the coordinates of second order.
fn base_of(cx: &Inquiry, system: &System, form: &MixedSystem) -> Option<Fallible<Value>> {
    let Over::Manifold(below) = system.manifold.over() else { return None };
    let is_second = |f: &Fibre| form.second().contains(&f.coordinate);
    if below.n_coordinates() != form.second().len() || !below.fibres().iter().all(is_second) {
        return None;
    }
    let alone = form.second().iter().copied().zip(form.f().iter().copied()).collect();
    Some(MixedSystem::new(cx, below, alone, vec![]).map(|found| {
        let equations = found.equations();
        Value::System(Rc::new(System::new(&system.name, below, Base::Mixed(equations), system.span)))
    }))
}

/// Whether a question that is about all systems is to be answered here.
pub(super) fn is_ours(system: &System) -> bool {
    matches!(system.base, Base::Mixed(_)) || !system.constraints.is_empty()
}

fn exprs(labels: Vec<Symbol>, list: &[Expr]) -> Value {
    Value::family(labels.into_iter().zip(list.iter().map(|e| Value::Expr(*e))))
}

/// A family keyed by pairs.
fn table(rows: &[Symbol], columns: &[Symbol], entries: &[Vec<Expr>]) -> Vec<(crate::model::value::Key, Value)> {
    let row = |(r, list): (&Symbol, &Vec<Expr>)| {
        let entry = |(c, e): (&Symbol, &Expr)| (smallvec![KeyPart::Symbol(*r), KeyPart::Symbol(*c)], Value::Expr(*e));
        columns.iter().zip(list).map(entry).collect::<Vec<_>>()
    };
    rows.iter().zip(entries).flat_map(row).collect()
}

fn square(labels: &[Symbol], entries: Vec<Vec<Expr>>) -> LabelledMatrix {
    LabelledMatrix {
        matrix: Matrix::with_columns(entries, labels.len()),
        rows: labels.to_vec(),
        columns: labels.to_vec(),
    }
}

/// An answer from what was computed under conditions of its own, which it then carries.
pub(super) fn found<T>(a: &Arguments, work: impl FnOnce(&Inquiry) -> Fallible<T>) -> Fallible<(T, Vec<Expr>)> {
    let (value, recorded) = conditions::collect_all(&a.cx, work);
    // Where roots are real, and which of them was meant, holds of every part.
    recorded.stated.iter().for_each(|c| conditions::state(&a.cx, *c));
    recorded.real.iter().for_each(|c| conditions::record_real(&a.cx, *c));
    Ok((value?, recorded.nonzero))
}

fn connection(a: &Arguments) -> Fallible<Value> {
    let ((system, connection), recorded) = found(a, |cx| {
        let (system, mixed) = mixed_of(cx, a)?;
        Ok((system, connection_of(cx, &mixed)?))
    })?;
    let mixed = connection.system().clone();
    let (second, first) = (mixed.second_symbols(), mixed.first_symbols());
    let tensors = Rc::new(connection.tensors(&a.cx));
    let tidy = |t: &crate::geometry::Tensor| {
        let Value::Matrix(m) = tensor_value(t, mixed.chart()) else { return tensor_value(t, mixed.chart()) };
        let matrix = m.matrix.simplify(&a.cx).unwrap_or_else(|_| m.matrix.clone());
        Value::from(LabelledMatrix { matrix, ..(*m).clone() })
    };
    let forms = |labels: &[Symbol], form: &dyn Fn(usize) -> Form| {
        Value::family(labels.iter().enumerate().map(|(i, s)| (*s, Value::Form(form(i)))))
    };
    let for_identity = tensors.clone();
    Ok(Value::from(
        Answer::new("connection")
            .main(square(&second, connection.coefficients().to_vec()))
            .part("B", Value::keyed(table(&first, &second, connection.b())))
            .part("B0", exprs(first.clone(), connection.b0()))
            .part("eta", forms(&first, &|i| connection.eta(i)))
            .part("theta", forms(&second, &|i| mixed.theta(i)))
            .part("omega", forms(&second, &|i| connection.force_form(i)))
            .part("X", Value::family(second.iter().enumerate().map(|(i, s)| (*s, Value::Field(connection.x(i))))))
            .part("T", mixed.total_time())
            .part("Gamma", mixed.gamma())
            .part("N", tidy(&tensors.n))
            .part("S", tidy(&tensors.s))
            .part("PH", tidy(&tensors.horizontal))
            .part("PV", tidy(&tensors.vertical))
            .part("lift", lifts(&a.cx, &connection)?)
            .lazy("verified", move |cx: &Inquiry| {
                Ok(Value::from(for_identity.identity_holds(cx).and(for_identity.are_projectors(cx))))
            })
            .on(&system.manifold)
            .valid_where(recorded),
    ))
}

/// The horizontal lifts of the coordinate fields of E.
fn lifts(cx: &Inquiry, connection: &Connection) -> Fallible<Value> {
    let mixed = connection.system();
    let positions = [mixed.time()].into_iter().chain(mixed.second_symbols()).chain(mixed.first_symbols());
    let mut list = vec![];
    for s in positions {
        let x = mixed.adapted_field(cx, &VectorField::coordinate(s))?;
        list.push((s, Value::Field(connection.lift(cx, &x))));
    }
    Ok(Value::family(list))
}

pub(super) fn curvature_of(cx: &Inquiry, a: &Arguments) -> Fallible<(Rc<System>, Curvature)> {
    let (system, mixed) = mixed_of(cx, a)?;
    let connection = connection_of(cx, &mixed)?;
    let found = curved::curvature(cx, &connection);
    Ok((system, found))
}

fn curvature(a: &Arguments) -> Fallible<Value> {
    let ((system, found), recorded) = found(a, |cx| curvature_of(cx, a))?;
    let mixed = found.connection().system();
    let (second, first) = (mixed.second_symbols(), mixed.first_symbols());
    // ∇X_α = Γ^β_α X_β: the first key is α.
    let coefficients = Matrix::with_columns(found.connection().coefficients().to_vec(), second.len());
    let nabla = table(&second, &second, &coefficients.transpose().to_rows());
    let nabla = nabla.into_iter().chain(table(&first, &first, &found.nabla_first));
    let (for_check, for_flat, for_whole) = (found.clone(), found.clone(), found.clone());
    Ok(Value::from(
        Answer::new("curvature")
            .part("Psi", Value::keyed(table(&first, &second, &found.psi)))
            .part("Phi", Value::keyed(table(&second, &second, &found.phi)))
            .part("Phi_eta", Value::keyed(table(&second, &first, &found.phi_eta)))
            .part("nabla", Value::keyed(nabla))
            .lazy("verified", move |cx: &Inquiry| {
                Ok(Value::from(for_check.psi_is_the_nijenhuis_tensor(cx).and(for_check.brackets_hold(cx))))
            })
            .lazy("flat", move |cx: &Inquiry| {
                let for_point = for_flat.clone();
                let again = move |cx: &Inquiry, point: &Point| vanish_at(cx, for_point.psi.iter().flatten(), point);
                Ok(Value::from(Judgement { verdict: for_flat.is_flat(cx), at: Some(Box::new(again)), needs: vec![] }))
            })
            .lazy("integrable", move |cx: &Inquiry| Ok(Value::from(for_whole.is_integrable(cx))))
            .on(&system.manifold)
            .valid_where(recorded),
    ))
}

/// Whether all functions vanish at a point.
fn vanish_at<'a>(cx: &Inquiry, list: impl Iterator<Item = &'a Expr>, point: &Point) -> Fallible<Verdict> {
    let map = assignment(point);
    let values = list.map(|e| expr_at(cx, *e, &map)).collect::<Fallible<Vec<Expr>>>()?;
    Ok(Verdict::all(values.into_iter().map(|e| decide::is_zero(cx, e)), "there are no components"))
}

fn jacobi(a: &Arguments) -> Fallible<Value> {
    let ((system, found), recorded) = found(a, |cx| curvature_of(cx, a))?;
    let mixed = found.connection().system();
    let labels: Vec<Symbol> = mixed.second_symbols().into_iter().chain(mixed.first_symbols()).collect();
    let matrix = square(&labels, found.jacobi());
    Ok(Value::from(Answer::new("jacobi").main(matrix).on(&system.manifold).valid_where(recorded)))
}

fn covariant(a: &Arguments) -> Fallible<Value> {
    let ((system, found), recorded) = found(a, |cx| curvature_of(cx, a))?;
    a.lives_on(1, &system.manifold)?;
    let (cx, mixed) = (&a.cx, found.connection().system());
    let at = |d: Box<Diagnostic>| Box::new(d.or_at(a.positional[1].span, "differentiated here"));
    let value = match a.value(1)?.main() {
        Value::Field(x) => {
            let x = on_configurations(cx, &system, &x).and_then(|x| mixed.adapted_field(cx, &x)).map_err(at)?;
            if x.vertical.is_some() {
                return Err(at(on_phase_space(mixed, "field", "@", "∂/∂v")));
            }
            Value::Field(mixed.field(cx, &found.covariant_field(cx, &x)))
        }
        Value::Form(form) if form.degree() == 1 => {
            let form = mixed.adapted_form(cx, &form).map_err(at)?;
            if form.omega.is_some() {
                return Err(at(on_phase_space(mixed, "form", "d", "dv")));
            }
            Value::Form(curved::form_of(cx, found.connection(), &found.covariant_form(cx, &form)))
        }
        Value::Form(form) if form.degree() > 1 => {
            mixed.adapted_form(cx, &form).map_err(at)?;
            Value::Form(form)
        }
        _ => {
            let e = mixed.on_phase_space(cx, a.expr(1)?).map_err(at)?;
            Value::Expr(super::systems::simple(cx, mixed.gamma().apply(cx, e)))
        }
    };
    Ok(Value::from(Answer::new("covariant").main(value).on(&system.manifold).valid_where(recorded)))
}

fn on_phase_space(mixed: &MixedSystem, what: &str, sign: &str, direction: &str) -> Box<Diagnostic> {
    let positions = || [mixed.time()].into_iter().chain(mixed.second_symbols()).chain(mixed.first_symbols());
    let frame: Vec<String> = positions().map(|s| format!("{sign}{s}")).collect();
    Box::new(
        Diagnostic::error(
            &codes::WRONG_MANIFOLD,
            format!("a {what} along J → E is needed here, and this one lives on J"),
        )
        .note(format!("it has a component along {direction}"))
        .help(format!(
            "a combination of {} is needed; decompose(S, Z).horizontal is that part of a {what} on J",
            frame.join(", ")
        )),
    )
}

/// The field of the second argument in the adapted frame.
fn candidate_field(a: &Arguments, system: &System, mixed: &MixedSystem) -> Fallible<AdaptedField> {
    let x = a.field(1)?;
    a.lives_on(1, &system.manifold)?;
    let x = on_configurations(&a.cx, system, &x).and_then(|x| mixed.adapted_field(&a.cx, &x));
    x.map_err(|d| Box::new(d.or_at(a.positional[1].span, "this field")))
}

/// A field that moves coordinates for which constraints on positions were solved, in the coordinates that these leave: it has to be
/// tangent to them, and then its other components say all.
fn on_configurations(cx: &Inquiry, system: &System, x: &VectorField) -> Fallible<VectorField> {
    if !system.constrains_positions(cx) {
        return Ok(x.clone());
    }
    let form = system.constrained_form(cx)?;
    let q = form.structure();
    let held = || q.constraints().iter().zip(q.dependent()).filter(|(c, _)| c.order == 0);
    let moves_it = |s: &Symbol| held().any(|(_, d)| s.as_jet().is_some_and(|(c, _)| c.jet(0) == q.coordinate(*d)));
    let components = x.components();
    if !components.iter().any(|(s, _)| moves_it(s)) {
        return Ok(x.clone());
    }
    for (c, _) in held() {
        let rate = x.apply(cx, c.function);
        if !decided(&q.vanishes_on_q(cx, rate), "the field is tangent to the constraint")? {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "this field is not tangent to the constraint")
                    .label(c.span, "this constraint")
                    .note(format!("along the field it changes at the rate {}", q.on_q(cx, rate)))
                    .help("a symmetry of a constrained system moves the configurations that the constraint allows"),
            ));
        }
    }
    let left = components.into_iter().filter(|(s, _)| !moves_it(s));
    Ok(VectorField::new(left.map(|(s, e)| (s, q.in_chart(e)))))
}

fn horizontal_lift(a: &Arguments) -> Fallible<Value> {
    let ((system, mixed), recorded) = found(a, |cx| mixed_of(cx, a))?;
    let x = candidate_field(a, &system, &mixed)?;
    if x.vertical.is_some() {
        let d = on_phase_space(&mixed, "field", "@", "∂/∂v");
        return Err(Box::new(d.or_at(a.positional[1].span, "lifted here")));
    }
    let connection = connection_of(&a.cx, &mixed)?;
    Ok(Value::from(
        Answer::new("horizontal_lift")
            .main(connection.lift(&a.cx, &x))
            .part("time", x.time)
            .part("second", exprs(mixed.second_symbols(), &x.second))
            .part("first", exprs(mixed.first_symbols(), &x.first))
            .part("vertical", connection.vertical_lift(&x.second))
            .on(&system.manifold)
            .valid_where(recorded),
    ))
}

fn decompose(a: &Arguments) -> Fallible<Value> {
    let ((system, connection), recorded) = found(a, |cx| {
        let (system, mixed) = mixed_of(cx, a)?;
        Ok((system, connection_of(cx, &mixed)?))
    })?;
    a.lives_on(1, &system.manifold)?;
    let (cx, mixed) = (&a.cx, connection.system().clone());
    let at = |d: Box<Diagnostic>| Box::new(d.or_at(a.positional[1].span, "taken apart here"));
    let (second, first) = (mixed.second_symbols(), mixed.first_symbols());
    let answer = |along: (Expr, &[Expr], &[Expr]), vertical: &[Expr], horizontal: Value| {
        Answer::new("decompose")
            .part("horizontal", horizontal)
            .part("time", along.0)
            .part("second", exprs(second.clone(), along.1))
            .part("first", exprs(first.clone(), along.2))
            .part("vertical", exprs(second.clone(), vertical))
    };
    let answer = match a.value(1)?.main() {
        Value::Form(form) => {
            let (along, vertical) = connection.decompose_form(cx, &form).map_err(at)?;
            let (on_j, parts, c) = (form.clone(), (along.clone(), vertical.clone()), connection.clone());
            answer(
                (along.time, &along.theta, &along.eta),
                &vertical,
                Value::Form(curved::form_of(cx, &connection, &along)),
            )
            .lazy("verified", move |cx: &Inquiry| Ok(Value::from(c.decomposes_form(cx, &on_j, &parts.0, &parts.1))))
        }
        _ => {
            let z = on_configurations(cx, &system, &a.field(1)?).map_err(at)?;
            let (along, vertical) = connection.decompose_field(cx, &z).map_err(at)?;
            let (parts, c) = ((along.clone(), vertical.clone()), connection.clone());
            answer((along.time, &along.second, &along.first), &vertical, Value::Field(mixed.field(cx, &along)))
                .lazy("verified", move |cx: &Inquiry| Ok(Value::from(c.decomposes_field(cx, &z, &parts.0, &parts.1))))
        }
    };
    Ok(Value::from(answer.on(&system.manifold).valid_where(recorded)))
}

/// `vector_field` of a mixed or constrained system.
pub(super) fn vector_field(a: &Arguments) -> Fallible<Value> {
    let ((system, mixed), recorded) = found(a, |cx| mixed_of(cx, a))?;
    let gamma = mixed.gamma();
    let dependent = mixed.first().iter().zip(mixed.g());
    let higher = dependent.map(|(q, g)| (q.jet(2), super::systems::simple(&a.cx, gamma.apply(&a.cx, *g))));
    let entries: Vec<_> = mixed.equations().into_iter().chain(higher).map(|(s, e)| (s, Value::Expr(e))).collect();
    let space = system.manifold.jets(1);
    let branches: Vec<Branch> = recorded.iter().map(|e| Branch { equations: vec![*e], nonzero: vec![] }).collect();
    Ok(Value::from(
        Answer::new("vector_field")
            .main(gamma)
            .keyed(entries)
            .part("unique", Verdict::yes("the equations are solved for the highest derivatives, where they can be"))
            .part("conditions", Value::exprs(recorded.clone()))
            .lazy("locus", move |_| Ok(Value::from(PointSet::new(&space, branches.clone()))))
            .on(&system.manifold)
            .valid_where(recorded),
    ))
}

/// `first_integral` of a mixed or constrained system.
pub(super) fn first_integral(a: &Arguments) -> Fallible<Value> {
    let ((system, mixed), recorded) = found(a, |cx| mixed_of(cx, a))?;
    a.lives_on(1, &system.manifold)?;
    let f = mixed
        .on_phase_space(&a.cx, a.expr(1)?)
        .map_err(|d| Box::new(d.or_at(a.positional[1].span, "this function")))?;
    let rate = super::systems::simple(&a.cx, mixed.gamma().apply(&a.cx, f));
    let verdict = super::motion::with_rate(decide::is_zero(&a.cx, rate), rate);
    Ok(Value::from(
        Answer::new("first_integral").main(verdict).part("rate", rate).on(&system.manifold).valid_where(recorded),
    ))
}

/// `symmetry` of a mixed or constrained system.
pub(super) fn symmetry(a: &Arguments) -> Fallible<Value> {
    let ((system, curvature), recorded) = found(a, |cx| curvature_of(cx, a))?;
    let mixed = curvature.connection().system();
    let x = candidate_field(a, &system, mixed)?;
    let found = mixed_symmetry::symmetry(&a.cx, &curvature, &x);
    let (second, first) = (mixed.second_symbols(), mixed.first_symbols());
    Ok(Value::from(
        Answer::new("symmetry")
            .main(found.verdict)
            .part("second", exprs(second.clone(), &found.second))
            .part("first", exprs(first, &found.first))
            .part("prolonged", found.prolonged)
            .part("bracket", found.bracket)
            .part("rate", exprs(second, &found.rate))
            .on(&system.manifold)
            .valid_where(recorded),
    ))
}

fn adjoint_symmetry(a: &Arguments) -> Fallible<Value> {
    let ((system, curvature), recorded) = found(a, |cx| curvature_of(cx, a))?;
    let (cx, mixed) = (&a.cx, curvature.connection().system());
    let form = a.form(1)?;
    a.lives_on(1, &system.manifold)?;
    let at = |d: Box<Diagnostic>| Box::new(d.or_at(a.positional[1].span, "this form"));
    let alpha = mixed.adapted_form(cx, &form).map_err(at)?;
    let found = adjoint::adjoint_symmetry(cx, &curvature, &alpha).map_err(at)?;
    let coefficients = alpha.omega.as_ref().unwrap_or(&alpha.theta);
    let potential = match a.option("potential") {
        None => adjoint::find_potential(cx, mixed, coefficients, &alpha.eta),
        Some(option) => {
            let place = |d: Box<Diagnostic>| Box::new(d.or_at(option.span, "the potential"));
            let f = crate::model::operate::as_expr(cx, &option.value).map_err(place)?;
            let f = mixed.on_phase_space(cx, f).map_err(place)?;
            adjoint::check_potential(cx, mixed, coefficients, &alpha.eta, f).map_err(place)?;
            Ok(f)
        }
    };
    let answer = adjoint_answer(mixed, &found);
    let consequence = potential.clone().and_then(|f| adjoint::consequence(cx, mixed, &found.verdict, f));
    let answer = with_consequence(answer, mixed, cx, potential, consequence, &found.verdict);
    Ok(Value::from(answer.on(&system.manifold).valid_where(recorded)))
}

fn adjoint_answer(mixed: &MixedSystem, found: &AdjointSymmetry) -> Answer {
    let second = mixed.second_symbols();
    Answer::new("adjoint_symmetry")
        .main(found.verdict.clone())
        .part("theta", exprs(second.clone(), &found.theta))
        .part("eta", exprs(mixed.first_symbols(), &found.eta))
        .part("b", exprs(second, &found.b))
        .part("phi", found.phi.clone())
        .part("lie", found.lie.clone())
}

/// The parts that need a potential; each says by itself why it is missing.
fn with_consequence(
    answer: Answer,
    mixed: &MixedSystem,
    cx: &Inquiry,
    potential: Fallible<Expr>,
    consequence: Fallible<Consequence>,
    verdict: &Verdict,
) -> Answer {
    let rate = potential.clone().map(|f| Value::Expr(super::systems::simple(cx, mixed.gamma().apply(cx, f))));
    let kind = match &consequence {
        Ok(c) => Ok(Value::Label(c.kind)),
        Err(_) if verdict.is_no() => Ok(Value::Label("not_adjoint_symmetry")),
        Err(why) => Err(why.clone()),
    };
    let part = |get: fn(&Consequence) -> Option<Expr>, what: &str| match &consequence {
        Ok(c) => get(c).map(Value::Expr).ok_or_else(|| {
            let kind = c.kind.replace('_', " ");
            Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, format!("there is no {what} here: {kind}")))
        }),
        Err(why) => Err(why.clone()),
    };
    // What there is is shown; what there is not says why when it is asked for.
    let add = |answer: Answer, name: &'static str, value: Fallible<Value>| match value {
        Ok(value) => answer.part(name, value),
        refused => answer.lazy(name, move |_| refused.clone()),
    };
    let answer = add(answer, "potential", potential.map(Value::Expr));
    let answer = add(answer, "rate", rate);
    let answer = add(answer, "kind", kind);
    let answer = add(answer, "gauge", part(|c| c.gauge, "gauge function"));
    let answer = add(answer, "integral", part(|c| c.integral, "first integral"));
    add(answer, "lagrangian", part(|c| c.lagrangian, "Lagrangian of the second-order part"))
}

fn direct(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    let Some(l) = system.free_lagrangian() else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "`direct` asks about a Lagrangian with velocity constraints")
                .label(a.positional[0].span, format!("this is a {}", system.kind_name()))
                .help("connection(S).Gamma is the field of motion of any constrained system"),
        ));
    };
    let (found, recorded) = found(a, |cx| constructed(cx, &system, l))
        .map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?;
    Ok(Value::from(direct_answer(a, &system, found).on(&system.manifold).valid_where(recorded)))
}

/// The direct construction from the Lagrangian, the constraints and the forces of a system.
pub(super) fn constructed(cx: &Inquiry, system: &System, lagrangian: &Lagrangian) -> Fallible<Direct> {
    let constraints = system.solved_constraints(cx)?;
    let n = system.manifold.n_coordinates();
    let forces: Vec<Expr> = (0..n).map(|i| Expr::add_all(system.forces.iter().map(|f| f.components[i]))).collect();
    theory::direct(cx, lagrangian.function(), &constraints, &forces)
}

fn direct_answer(a: &Arguments, system: &System, found: Direct) -> Answer {
    let labels: Vec<Symbol> = found.constraints.free.iter().map(|q| q.jet(0)).collect();
    let labelled = |m: &Matrix| LabelledMatrix { matrix: m.clone(), rows: labels.clone(), columns: labels.clone() };
    let (det, space) = (found.det_p, system.manifold.jets(1));
    let again = move |cx: &Inquiry, point: &Point| Ok(vanish_at(cx, [det].iter(), point)?.negate());
    let locus = PointSet::new(&space, vec![Branch { equations: vec![det], nonzero: vec![] }]);
    let answer = Answer::new("direct")
        .part("L", found.lagrangian)
        .part("hessian", labelled(&found.hessian))
        .part("P", labelled(&found.p))
        .part("det_P", found.det_p)
        .part("theta", found.theta.clone())
        .part("unique", Judgement { verdict: found.regular.clone(), at: Some(Box::new(again)), needs: vec![] })
        .lazy("locus", move |_| Ok(Value::from(locus.clone())));
    match found.motion {
        Ok(motion) => {
            let gamma = motion.system.gamma();
            let entries = motion.system.equations().into_iter().map(|(s, e)| (s, Value::Expr(e)));
            let for_check = motion.clone();
            answer
                .main(gamma)
                .keyed(entries.collect::<Vec<_>>())
                .part("psi", motion.psi.clone())
                .part("Omega", motion.omega.clone())
                .lazy("verified", move |cx: &Inquiry| Ok(Value::from(for_check.verified(cx))))
                .valid_where(motion.conditions)
        }
        Err(why) => {
            let why = Box::new(why.or_at(a.positional[0].span, "this system"));
            answer
                .refused_main(why.clone())
                .try_part("psi", Err(why.clone()))
                .try_part("Omega", Err(why.clone()))
                .try_part("verified", Err(why))
        }
    }
}
