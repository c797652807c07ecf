//! States of rest and of steady motion, and the equations linearised there, with what they say about stability.

use super::constrained_motion::{ConstrainedLaw, ConstrainedMotion, constrained_motion};
use super::systems::form_of;
use super::{Arguments, Question, mixed};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::normal::numerator;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict, conditions, decide, stratum};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, JetSpace, changes_with};
use crate::geometry::restriction::Restriction;
use crate::mechanics::constrained_dynamics::rest;
use crate::mechanics::linearization;
use crate::mechanics::regular;
use crate::mechanics::stability::{self, LinearStability};
use crate::model::evaluate_at::{assignment, expr_at};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::{Branch, PointSet};
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};
use rustc_hash::FxHashMap;

pub static ROWS: &[Question] = &[
    Question {
        name: "equilibria",
        parameters: &[one("S", SYSTEM)],
        help: "the states of rest, in the phase space; with `moving` those that move steadily along ignorable coordinates",
        options: &[option(
            "moving",
            "phi",
            COORDINATE.or(LIST),
            "coordinates whose velocities are constant and need not be 0",
        )],
        gives: Gives::Kinds(SET),
        parts: &[part("branches", LIST, "one after the other"), part("empty", VERDICT, "there is none")],
        run: equilibria,
    },
    Question {
        name: "linearize",
        parameters: &[one("S", SYSTEM), one("pt", POINT.or(SET))],
        help: "the matrix of the equations linearised at a point of the phase space, or at a branch of `equilibria`; velocities left out are 0",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[
            part("eigenvalues", LIST, "of the matrix"),
            part("polynomial", LIST, "the coefficients of its characteristic polynomial, that of 1 first"),
            part("equilibrium", VERDICT, "whether the point is one"),
            part(
                "relative",
                VERDICT,
                "whether only coordinates move that do not occur in the equations: then stability is that of the others",
            ),
            part("bounded", VERDICT, "all solutions of the linear equations stay bounded"),
            part("asymptotic", VERDICT, "all of them tend to 0"),
            part("unstable", VERDICT, "some eigenvalue has a positive real part"),
            sometimes(
                "stable",
                VERDICT,
                "the equilibrium is stable: asymptotically, or because the energy has an extremum there",
            ),
        ],
        run: linearize,
    },
];

/// The functions that vanish where accelerations do, with the velocities in them, and what must not vanish.
struct Balance {
    equations: Vec<Expr>,
    nonzero: Vec<Expr>,
    space: JetSpace,
    /// All jets but the positions, of the equations.
    jets: Vec<Symbol>,
}

fn balance(a: &Arguments, system: &System) -> Fallible<Balance> {
    let y = &system.manifold;
    let moving = |space: &JetSpace| -> Vec<Symbol> {
        space.symbols().into_iter().filter(|s| y.order_of_symbol(*s).is_some_and(|k| k > 0)).collect()
    };
    if !mixed::is_ours(system) {
        let (_, form) = form_of(a, 0)?;
        let jets = moving(&y.jets(form.jet_order()));
        return Ok(Balance { equations: form.components().to_vec(), nonzero: vec![], space: form.phase_space(), jets });
    }
    let (found, nonzero) = conditions::collect(&a.cx, |cx| system.mixed(cx));
    let found = found.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?;
    let space = y.jets(1);
    // The dependent velocities are what the first-order equations say.
    let first = found.first().iter().zip(found.g()).map(|(q, g)| *g - Expr::symbol(q.jet(1)));
    let equations = found.f().iter().copied().chain(first).collect();
    Ok(Balance { equations, nonzero, jets: moving(&space), space })
}

/// The law of a system under constraints, if it is one.
fn constrained_law(a: &Arguments, system: &System) -> Fallible<Option<ConstrainedLaw>> {
    if system.constraints.is_empty() {
        return Ok(None);
    }
    match constrained_motion(&a.cx, system).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))? {
        ConstrainedMotion::Law(law) => Ok(Some(law)),
        ConstrainedMotion::Branches(_) => Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "a constraint without a reaction only selects motions of the free system",
            )
            .label(a.positional[0].span, "this system")
            .help("ask it of the system without that constraint"),
        )),
    }
}

/// Rest under constraints: reactions balance the forces, and the constraints allow it.
fn constrained_equilibria(a: &Arguments, system: &System, law: &ConstrainedLaw) -> Fallible<Value> {
    let y = &system.manifold.unfolded();
    let space = y.jets(law.equations.order.max(1) - 1);
    let e = &law.equations;
    let equations: Vec<Expr> =
        e.a.iter().chain(e.b.iter().flatten()).copied().chain(e.surface.iter().map(|g| g.function)).collect();
    let jets: Vec<Symbol> = y.jets(e.order).symbols();
    let jets: Vec<Symbol> = jets.into_iter().filter(|s| y.order_of_symbol(*s).is_some_and(|k| k > 0)).collect();
    let found = Balance { equations, nonzero: vec![], space: space.clone(), jets };
    let steady = steady_coordinates(a, y, &found)?;
    let moves = |s: &Symbol| s.as_jet().is_some_and(|(q, k)| k == 1 && steady.contains(&q.jet(0)));
    let at_rest = found.jets.iter().filter(|s| !moves(s)).map(|s| (*s, Expr::zero())).collect();
    let branches = rest(&a.cx, e, &space, &at_rest)?;
    let branches = stratum::simplified(&a.cx, &space.symbols(), &branches)?;
    Ok(Value::from(Answer::new("equilibria").main(PointSet::new(&space, branches)).on(y)))
}

/// q = const: all jets vanish, and the equations hold.
fn equilibria(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    if let Some(law) = constrained_law(a, &system)? {
        return constrained_equilibria(a, &system, &law);
    }
    let y = &system.manifold;
    let found = balance(a, &system)?;
    let steady = steady_coordinates(a, y, &found)?;
    let at_rest: FxHashMap<Symbol, Expr> = found
        .jets
        .iter()
        .filter(|s| !s.as_jet().is_some_and(|(q, k)| k == 1 && steady.contains(&q.jet(0))))
        .map(|s| (*s, Expr::zero()))
        .collect();
    let at = |e: Expr| {
        let e = substitute(e, &at_rest);
        conditions::collect(&a.cx, |cx| numerator(cx, e)).0.unwrap_or(e)
    };
    let rest = found.jets.iter().filter(|s| found.space.contains(**s) && at_rest.contains_key(s));
    let equations = found.equations.iter().map(|e| at(*e)).chain(rest.map(|s| Expr::symbol(*s)));
    let nonzero = found.nonzero.iter().map(|e| substitute(*e, &at_rest)).filter(|e| !e.is_number()).collect();
    let branch = Branch { equations: equations.collect(), nonzero };
    let branches = stratum::simplified(&a.cx, &found.space.symbols(), &[branch])?;
    Ok(Value::from(Answer::new("equilibria").main(PointSet::new(&found.space, branches)).on(y)))
}

/// The coordinates that may move steadily; refused if the equations depend on them, or on time.
fn steady_coordinates(a: &Arguments, y: &FiberedManifold, found: &Balance) -> Fallible<Vec<Symbol>> {
    let depends = |s: Symbol| {
        !Verdict::all(found.equations.iter().map(|e| changes_with(&a.cx, *e, s).negate()), "there are no equations")
            .is_yes()
    };
    if depends(y.base()) {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NOT_APPLICABLE,
                "these equations depend on time, so no state stays at rest by itself",
            )
            .label(a.positional[0].span, format!("it depends on {}", y.base())),
        ));
    }
    let Some(option) = a.option("moving") else { return Ok(vec![]) };
    let listed = match option.value.main() {
        Value::List(list) => list.to_vec(),
        single => vec![single],
    };
    let mut steady = vec![];
    for value in listed {
        let symbol = operate::as_expr(&a.cx, &value)?.as_symbol().filter(|s| y.order_of_symbol(*s) == Some(0));
        let Some(symbol) = symbol else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "`moving` takes coordinates of the system")
                    .label(option.span, format!("this is {}", operate::describe(&value))),
            ));
        };
        if depends(symbol) {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, format!("the equations depend on {symbol}"))
                    .label(option.span, "not ignorable")
                    .help("steady motion goes along coordinates that do not occur in the equations"),
            ));
        }
        steady.push(symbol);
    }
    Ok(steady)
}

/// The field of motion, the coordinates of its phase space but t, and what must not vanish.
fn flow(a: &Arguments, system: &System) -> Fallible<(VectorField, Vec<Symbol>, Vec<Expr>)> {
    let t = system.manifold.base();
    let without_time = |list: Vec<Symbol>| list.into_iter().filter(|s| *s != t).collect();
    if mixed::is_ours(system) {
        let (found, recorded) = conditions::collect(&a.cx, |cx| system.mixed(cx));
        let found = found.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?;
        return Ok((found.gamma(), without_time(found.chart().symbols().to_vec()), recorded));
    }
    let (_, form) = form_of(a, 0)?;
    let found = regular::regular(&a.cx, &form).map_err(|d| super::constrained::singular(a, system, *d))?;
    Ok((regular::semispray(&found), without_time(found.space().symbols()), found.conditions().to_vec()))
}

/// The state that a point or a branch of a set says; velocities that it leaves out are 0.
fn state(a: &Arguments, y: &FiberedManifold, jets: &[Symbol]) -> Fallible<FxHashMap<Symbol, Expr>> {
    let mut state = match a.value(1)?.main() {
        Value::Set(set) => match set.branches() {
            [branch] => {
                let restriction = Restriction::new(&a.cx, &set.space().chart(), branch)?;
                restriction.dependent().into_iter().collect()
            }
            several => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, format!("this set has {} branches", several.len()))
                        .label(a.positional[1].span, "one of them is needed")
                        .help("write `equilibria(S).branches[1]`"),
                ));
            }
        },
        _ => assignment(&*a.point(1)?),
    };
    for s in jets.iter().filter(|s| y.order_of_symbol(**s).is_some_and(|k| k > 0)) {
        state.entry(*s).or_insert_with(Expr::zero);
    }
    Ok(state)
}

/// The equations on the constraint, linearised there.
fn constrained_linearize(a: &Arguments, system: &System, law: &ConstrainedLaw) -> Fallible<Value> {
    let y = &system.manifold.unfolded();
    let cx = &a.cx;
    let jets = y.jets(law.equations.order.max(1) - 1).symbols();
    let mut point = state(a, y, &jets)?;
    // Dependent jets that were left out follow from the others, as in an initial state.
    let given = assignment_of(a)?;
    for (s, value) in law.solved.iter().filter(|(s, _)| !given.contains(s)) {
        let value = substitute(*value, &point);
        if value.as_undefined().is_none() {
            point.insert(*s, value);
        }
    }
    let dependent: Vec<Symbol> = law.solved.iter().map(|(s, _)| *s).collect();
    let found = linearization::linearized(cx, y, &law.equations, &dependent, &point)
        .map_err(|d| Box::new(d.or_at(a.positional[1].span, "at this point")))?;
    let energy = match constant_energy(cx, system) {
        Ok(energy) => found.extremum(cx, energy, &point).unwrap_or_else(|d| Verdict::unknown(d.title.clone())),
        Err(why) => Verdict::unknown(why),
    };
    Ok(Value::from(linear_answer(a, found.coordinates, found.matrix, found.speeds, |_| energy).on(&system.manifold)))
}

/// The jets that the point of the question gives.
fn assignment_of(a: &Arguments) -> Fallible<Vec<Symbol>> {
    match a.value(1)?.main() {
        Value::Set(_) => Ok(vec![]),
        _ => Ok(assignment(&*a.point(1)?).into_keys().collect()),
    }
}

/// The energy, where neither time, nor forces, nor reactions change it.
fn constant_energy(cx: &Inquiry, system: &System) -> Result<Expr, &'static str> {
    let l =
        system.free_lagrangian().filter(|l| l.order() == 1).ok_or("there is no Lagrangian of first order")?.function();
    let y = &system.manifold;
    if !system.forces.is_empty() || !decide::is_zero(cx, partial(cx, l, y.base())).is_yes() {
        return Err("the energy is not constant along the motion");
    }
    let form = system.constrained_form(cx).map_err(|_| "the reactions are given by hand")?;
    let q = form.structure();
    let velocities: Vec<Expr> = y.unfolded().fibres().iter().map(|f| Expr::symbol(f.coordinate.jet(1))).collect();
    let works = |i: usize| Expr::add_all(q.chetaev().row(i).iter().zip(&velocities).map(|(f, v)| *f * *v));
    if !(0..q.n_constraints()).all(|i| q.vanishes_on_q(cx, works(i)).is_yes()) {
        return Err("the reactions do work");
    }
    let momenta = y.fibres().iter().map(|f| f.coordinate.jet(1));
    Ok(Expr::add_all(momenta.map(|v| Expr::symbol(v) * partial(cx, l, v))) - l)
}

/// dx/dt = X(x): the matrix ∂X^i/∂x^j at the point, rows and columns q, q′, …; on a constraint, in its coordinates.
fn linearize(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    if let Some(law) = constrained_law(a, &system)? {
        return constrained_linearize(a, &system, &law);
    }
    let y = &system.manifold;
    let (field, jets, needed) = flow(a, &system)?;
    let point = state(a, y, &jets)?;
    for condition in &needed {
        if decide::is_zero(&a.cx, substitute(*condition, &point)).is_yes() {
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "the system is singular at this point")
                    .label(a.positional[1].span, format!("{condition} vanishes here")),
            ));
        }
    }
    let at = |e: Expr| expr_at(&a.cx, e, &point);
    let entry = |q: Symbol, x: Symbol| at(partial(&a.cx, field.component(q), x));
    let row = |q: Symbol| jets.iter().map(|x| entry(q, *x)).collect::<Fallible<Vec<Expr>>>();
    let matrix = Matrix::with_columns(jets.iter().map(|q| row(*q)).collect::<Fallible<_>>()?, jets.len());
    let speeds = jets.iter().map(|q| at(field.component(*q))).collect::<Fallible<Vec<Expr>>>()?;
    let energy = |a: &Arguments| by_energy(&a.cx, &system, &field, &jets, &point);
    Ok(Value::from(linear_answer(a, jets.clone(), matrix, speeds, energy).on(y)))
}

/// What the linear equations ẇ = A w say, and the energy at a state of rest.
fn linear_answer(
    a: &Arguments,
    jets: Vec<Symbol>,
    matrix: Matrix,
    speeds: Vec<Expr>,
    energy: impl FnOnce(&Arguments) -> Verdict,
) -> Answer {
    let rests: Vec<Verdict> = speeds.into_iter().map(|x| decide::is_zero(&a.cx, x)).collect();
    let equilibrium = Verdict::all(rests.iter().cloned(), "there are no coordinates");
    let (relative, at_rest) = steady(&a.cx, &matrix, &rests);
    // Along coordinates that do not occur in the equations the state may move: they do not count.
    let inner = if equilibrium.is_yes() { matrix.clone() } else { matrix.minor(&at_rest, &at_rest) };
    let labelled = LabelledMatrix { matrix: matrix.clone(), rows: jets.clone(), columns: jets };
    let (span, name_span, for_values) = (a.span, a.name_span, Value::from(labelled.clone()));
    let found = stability::linear_stability(&a.cx, if relative.is_yes() { &inner } else { &matrix });
    let energy = match equilibrium.is_yes() {
        true => energy(a),
        false => Verdict::unknown("the energy says nothing about steady motions by itself"),
    };
    let answer = Answer::new("linearize")
        .main(labelled)
        .lazy("eigenvalues", move |cx: &Inquiry| {
            let question = super::find("eigenvalues").expect("a question of the language");
            let mut given = Arguments::new(cx, question, span, name_span);
            given.positional.push(super::Argument { value: for_values.clone(), span });
            super::ask(cx, question, given)
        })
        .part("equilibrium", equilibrium)
        .part("relative", relative.clone());
    with_stability(answer, found, energy, &relative)
}

/// Whether what moves at a state are coordinates on which the linear equations do not depend, and which ones rest.
fn steady(cx: &Inquiry, matrix: &Matrix, rests: &[Verdict]) -> (Verdict, Vec<usize>) {
    let at_rest: Vec<usize> = (0..rests.len()).filter(|i| rests[*i].is_yes()).collect();
    let mut verdict = Verdict::yes("only ignorable coordinates move");
    for (j, rest) in rests.iter().enumerate().filter(|(_, v)| !v.is_yes()) {
        let ignorable = Verdict::all(matrix.column(j).into_iter().map(|e| decide::is_zero(cx, e)), "no coordinates");
        verdict = verdict.and(match (rest, ignorable) {
            (_, Verdict::Yes(ground)) => Verdict::Yes(ground),
            (Verdict::No(_), Verdict::No(_)) => Verdict::no("a coordinate moves on which the equations depend"),
            _ => Verdict::unknown("it is not decided whether the state rests"),
        });
    }
    (verdict, at_rest)
}

/// Whether the energy decides: where it is constant along the motion and has a strict extremum at the point.
fn by_energy(
    cx: &Inquiry,
    system: &System,
    field: &VectorField,
    jets: &[Symbol],
    point: &FxHashMap<Symbol, Expr>,
) -> Verdict {
    let Some(l) = system.free_lagrangian().filter(|l| l.order() == 1) else {
        return Verdict::unknown("there is no Lagrangian of first order");
    };
    let l = l.function();
    let velocities = system.manifold.fibres().iter().map(|f| f.coordinate.jet(1));
    let energy = Expr::add_all(velocities.map(|v| Expr::symbol(v) * partial(cx, l, v))) - l;
    let on_phase_space = match mixed::is_ours(system) {
        true => system.mixed(cx).and_then(|found| found.on_phase_space(cx, energy)),
        false => Ok(energy),
    };
    let Ok(energy) = on_phase_space else { return Verdict::unknown("the energy is no function on the phase space") };
    if !decide::is_zero(cx, field.apply(cx, energy)).is_yes() {
        return Verdict::unknown("the energy is not constant along the motion");
    }
    stability::definite_energy(cx, energy, jets, point).unwrap_or_else(|d| Verdict::unknown(d.title.clone()))
}

fn with_stability(answer: Answer, found: Fallible<LinearStability>, energy: Verdict, relative: &Verdict) -> Answer {
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            return ["polynomial", "bounded", "asymptotic", "unstable", "stable"]
                .into_iter()
                .fold(answer, |answer, name| answer.try_part(name, Err(why.clone())));
        }
    };
    let stable = match (&found.asymptotic, &found.unstable) {
        (Verdict::Yes(_), _) => Verdict::yes("all eigenvalues have negative real parts"),
        (_, Verdict::Yes(_)) => Verdict::no("some eigenvalue has a positive real part"),
        _ => energy,
    };
    let stable = match relative {
        Verdict::Yes(_) => Ok(Value::from(stable)),
        _ => Err(Box::new(Diagnostic::error(
            &codes::NOT_APPLICABLE,
            "the state is neither at rest nor in steady motion, or is not known to be",
        ))),
    };
    answer
        .lazy("polynomial", move |_| Ok(Value::exprs(found.polynomial.clone())))
        .part("bounded", found.bounded)
        .part("asymptotic", found.asymptotic)
        .part("unstable", found.unstable)
        .try_part("stable", stable)
}
