//! States of rest and of steady motion, and the equations linearised there, with what they say about stability.

use super::constrained_motion::{ConstrainedLaw, ConstrainedMotion, constrained_motion};
use super::motion::{Flow, flow};
use super::systems::form_of;
use super::{Arguments, Question, mixed};
use crate::algebra::assume::sign_of;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::linear::Matrix;
use crate::algebra::normal::numerator;
use crate::algebra::number_field::{self, Element};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Rational, Symbol, Verdict, conditions, decide, stratum};
use crate::codegen::lower::to_f64;
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, JetSpace, changes_with};
use crate::geometry::restriction::Restriction;
use crate::mechanics::constrained_dynamics::rest;
use crate::mechanics::constraint_structure::BranchChoice;
use crate::mechanics::linearization;
use crate::mechanics::normal_modes::{AlgebraicMode, Mode, normal_modes};
use crate::mechanics::stability::{self, Extremum, LinearStability};
use crate::mechanics::state::State;
use crate::model::evaluate_at::{assignment, expr_at};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::{Branch, PointSet};
use crate::model::show::condition_text;
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
        help: "the matrix of the equations linearised at a point of the phase space, or at a branch of `equilibria`, along the constraints; velocities left out are 0",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[
            part("eigenvalues", LIST, "of the matrix"),
            part(
                "frequencies",
                LIST,
                "ω of the eigenvalues ±iω, each as often as it counts; 0 for displacements that stay",
            ),
            part(
                "modes",
                LIST,
                "the motions of one frequency: `.frequency`, `.shape` by coordinate, `.standing`, and `.quarter`, the shape a quarter of a period later",
            ),
            part(
                "unsolved",
                LIST,
                "polynomials in ω² whose zeros have no closed form here; if they hold numbers only, their frequencies and modes are numbers",
            ),
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
            part(
                "energy",
                VERDICT,
                "the energy has a strict extremum here, on the constraint and for the momenta of coordinates that move: Lagrange, Dirichlet, Routh",
            ),
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
    let (found, nonzero) = conditions::collect(&a.cx, |cx| {
        system.mixed(cx).map_err(|d| super::constrained::refused_motion(cx, system, d))
    });
    let found = found.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))?;
    let space = y.jets(1);
    // The dependent velocities are what the first-order equations say.
    let first = found.first().iter().zip(found.g()).map(|(q, g)| *g - Expr::symbol(q.jet(1)));
    let equations = found.f().iter().copied().chain(first).collect();
    Ok(Balance { equations, nonzero, jets: moving(&space), space })
}

/// The law of a system under constraints, if it is one.
fn constrained_law(a: &Arguments, cx: &Inquiry, system: &System) -> Fallible<Option<ConstrainedLaw>> {
    if system.constraints.is_empty() {
        return Ok(None);
    }
    match constrained_motion(cx, system).map_err(|d| Box::new(d.or_at(a.positional[0].span, "this system")))? {
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

/// What the expressions divide by, at a state: they have no value where it vanishes. Parameters are left to those who chose them.
fn divisors(equations: &[Expr], at_rest: &FxHashMap<Symbol, Expr>, space: &JetSpace) -> Vec<Expr> {
    let all = conditions::without_repetition(conditions::divisors(equations));
    let of_states = |e: &Expr| e.symbols().iter().any(|s| space.contains(*s));
    all.into_iter()
        .filter(of_states)
        .map(|e| substitute(e, at_rest))
        .filter(|e| e.is_zero() || !e.is_number())
        .collect()
}

/// Rest under constraints: reactions balance the forces, and the constraints allow it. `within` is what the chart of the law asks
/// for, if it has one.
fn constrained_equilibria(
    a: &Arguments,
    system: &System,
    law: &ConstrainedLaw,
    within: &[Condition],
) -> Fallible<Value> {
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
    let mut branches = rest(&a.cx, e, &space, &at_rest)?;
    let differs = within.iter().filter(|c| c.relation == Relation::NotEqual);
    let of_chart = differs.map(|c| substitute(c.left, &at_rest)).filter(|e| e.is_zero() || !e.is_number());
    let nonzero: Vec<Expr> = divisors(&found.equations, &at_rest, &space).into_iter().chain(of_chart).collect();
    branches.iter_mut().for_each(|branch| branch.nonzero.extend(&nonzero));
    let (branches, generic) = stratum::simplified_where(&a.cx, &space.symbols(), &branches)?;
    generic.iter().for_each(|e| conditions::record_nonzero(&a.cx, *e));
    let mut chosen = vec![];
    for branch in branches {
        let restriction = Restriction::new(&a.cx, &space.chart(), &branch)?;
        let values = restriction.dependent().into_iter().collect();
        if off_branch(&a.cx, system, &values)?.is_none() {
            chosen.push(branch);
        }
    }
    Ok(Value::from(Answer::new("equilibria").main(PointSet::new(&space, chosen)).on(y)))
}

/// A condition after `branch:` that does not hold at a state.
fn off_branch(cx: &Inquiry, system: &System, state: &FxHashMap<Symbol, Expr>) -> Fallible<Option<Condition>> {
    for constraint in &system.constraints {
        for choice in constraint.declared(cx)?.branch {
            let BranchChoice::Where(condition) = choice else { continue };
            let left = super::systems::simple(cx, substitute(condition.left, state));
            if (Condition { left, ..condition }).decided(cx) == Some(false) {
                return Ok(Some(condition));
            }
        }
    }
    Ok(None)
}

/// q = const: all jets vanish, and the equations hold.
fn equilibria(a: &Arguments) -> Fallible<Value> {
    let system = a.system(0)?;
    let (law, recorded) = conditions::collect_all(&a.cx, |cx| constrained_law(a, cx, &system));
    if let Some(law) = law? {
        conditions::record_all(&a.cx, &recorded);
        let nonzero = recorded.nonzero.iter().map(|e| Condition::nonzero(*e));
        let within: Vec<Condition> = nonzero.chain(recorded.stated).collect();
        return constrained_equilibria(a, &system, &law, &within);
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
    let nonzero = found.nonzero.iter().map(|e| substitute(*e, &at_rest)).filter(|e| !e.is_number());
    let nonzero = nonzero.chain(divisors(&found.equations, &at_rest, &found.space)).collect();
    let branch = Branch { equations: equations.collect(), nonzero };
    let (branches, generic) = stratum::simplified_where(&a.cx, &found.space.symbols(), &[branch])?;
    generic.iter().for_each(|e| conditions::record_nonzero(&a.cx, *e));
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
                    .label(option.span, format!("{} is no coordinate of {y}", crate::model::show::text(&a.cx, &value))),
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

/// The state that a point or a branch of a set says. Velocities that a point leaves out are 0; what a branch leaves open stays.
fn state(a: &Arguments, y: &FiberedManifold, jets: &[Symbol]) -> Fallible<State> {
    let mut state = match a.value(1)?.main() {
        Value::Set(set) => match set.branches() {
            [branch] => return State::of_branch(&a.cx, &set.space().chart(), branch),
            several => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, format!("this set has {} branches", several.len()))
                        .label(a.positional[1].span, "one of them is needed")
                        .repair_at(
                            Goes::Quoting(vec![a.positional[1].span]),
                            "each branch is asked about by itself, as `equilibria(L).branches[1]`",
                            a.positional[1].span,
                            "….branches[1]",
                        ),
                ));
            }
        },
        _ => {
            let given = assignment(&*a.point(1)?);
            let foreign = |s: &&Symbol| s.as_jet().is_some() && y.order_of_symbol(**s).is_none();
            // A name that several manifolds have stands for each of them.
            let is_named_here = |s: &Symbol| given.keys().any(|k| !foreign(&k) && k.name() == s.name());
            let mut strangers: Vec<Symbol> =
                given.keys().filter(foreign).copied().filter(|s| !is_named_here(s)).collect();
            strangers.sort();
            if let Some(s) = strangers.first() {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_MANIFOLD, format!("`{s}` is no coordinate of this system"))
                        .label(a.positional[1].span, format!("a point of {y} is needed")),
                ));
            }
            given
        }
    };
    for s in jets.iter().filter(|s| y.order_of_symbol(**s).is_some_and(|k| k > 0)) {
        state.entry(*s).or_insert_with(Expr::zero);
    }
    Ok(State::of_values(state))
}

/// Refuses values of jets beyond the phase space, unless they are the rates that the motion has there.
fn no_other_jets(
    a: &Arguments,
    y: &FiberedManifold,
    jets: &[Symbol],
    rate: impl Fn(Symbol) -> Fallible<Expr>,
) -> Fallible<()> {
    if matches!(a.value(1)?.main(), Value::Set(_)) {
        return Ok(());
    }
    let given = assignment(&*a.point(1)?);
    let mut others: Vec<Symbol> =
        given.keys().copied().filter(|s| y.order_of_symbol(*s).is_some() && !jets.contains(s)).collect();
    others.sort();
    for s in others {
        let below = s.as_jet().filter(|(_, k)| *k > 0).map(|(q, k)| q.jet(k - 1)).filter(|s| jets.contains(s));
        let Some(below) = below else {
            let names: Vec<String> = jets.iter().map(|s| s.name()).collect();
            return Err(Box::new(
                Diagnostic::error(&codes::ORDER_TOO_HIGH, format!("{s} is no coordinate of the phase space"))
                    .label(a.positional[1].span, "at this point")
                    .note(format!("its coordinates are {}", names.join(", "))),
            ));
        };
        let there = rate(below)?;
        if !decide::is_zero(&a.cx, there - given[&s]).is_yes() {
            return Err(Box::new(
                Diagnostic::error(&codes::OFF_CONSTRAINT, "this point contradicts the equations of motion")
                    .label(a.positional[1].span, format!("{s} = {} here", given[&s]))
                    .note(format!("the equations say {s} = {there}"))
                    .help(format!("leave {s} out: it follows from the others")),
            ));
        }
    }
    Ok(())
}

/// Which coordinates rest at a state, by their rates.
fn rests(cx: &Inquiry, coordinates: &[Symbol], speeds: &[Expr], state: &State) -> Vec<Verdict> {
    let verdict = |(s, x): (&Symbol, &Expr)| match state.vanishes(cx, *x) {
        Verdict::No(ground) if ground.is_proved() => Verdict::no(format!("the rate of {s} is {}", state.at(cx, *x))),
        other => other,
    };
    coordinates.iter().zip(speeds).map(verdict).collect()
}

/// The equations on the constraint, linearised there.
fn constrained_linearize(a: &Arguments, system: &System, law: &ConstrainedLaw) -> Fallible<AtState> {
    let y = &system.manifold.unfolded();
    let cx = &a.cx;
    let jets = y.jets(law.equations.order.max(1) - 1).symbols();
    let mut point = state(a, y, &jets)?;
    if !matches!(a.value(1)?.main(), Value::Set(_)) {
        // Dependent jets that were left out follow from the others, as in an initial state.
        let given = assignment(&*a.point(1)?);
        for (s, value) in law.solved.iter().filter(|(s, _)| !given.contains_key(s)) {
            let value = substitute(*value, point.values());
            if value.as_undefined().is_none() {
                point.values_mut().insert(*s, value);
            }
        }
    }
    if let Some(condition) = off_branch(cx, system, point.values())? {
        return Err(Box::new(
            Diagnostic::error(&codes::OFF_CONSTRAINT, "this point does not lie on the branch of the constraint")
                .label(a.positional[1].span, "at this point")
                .note(format!("{} does not hold here", condition_text(cx, &condition))),
        ));
    }
    let dependent: Vec<Symbol> = law.solved.iter().map(|(s, _)| *s).collect();
    let found = linearization::linearized(cx, y, &law.equations, &dependent, &point)
        .map_err(|d| super::constrained::singular(a, system, d.or_at(a.positional[1].span, "at this point")))?;
    let surface: Vec<Expr> = law.equations.surface.iter().map(|g| g.function).collect();
    let energy = |moving: &[Symbol]| match constants(cx, system, moving) {
        Ok(constants) => constants.decide(cx, &surface, &found.states, moving, &point),
        Err(why) => Verdict::unknown(why),
    };
    no_other_jets(a, y, &found.states, |s| {
        let place = found.coordinates.iter().position(|c| *c == s);
        let missing = || Diagnostic::error(&codes::NOT_APPLICABLE, format!("the rate of {s} follows from the others"));
        place.map(|i| found.speeds[i]).ok_or_else(|| Box::new(missing()))
    })?;
    let rests = rests(cx, &found.coordinates, &found.speeds, &point);
    Ok((linear_answer(a, y, found.coordinates.clone(), found.matrix.clone(), &rests, energy), point))
}

/// The energy and the momenta of coordinates that move, as far as they are constant.
struct Constants {
    energy: Expr,
    /// It may fall along the motion, but never grows.
    falls: bool,
    momenta: Vec<Expr>,
}

impl Constants {
    /// Whether the energy decides: it has a strict extremum at the point, for fixed momenta of the coordinates that move and where
    /// the functions in `held` keep their values.
    fn decide(&self, cx: &Inquiry, held: &[Expr], states: &[Symbol], moving: &[Symbol], point: &State) -> Verdict {
        let on_moving = held.iter().chain([&self.energy]).flat_map(|e| moving.iter().map(move |s| (*e, *s)));
        for (e, s) in on_moving {
            if !changes_with(cx, e, s).is_no() {
                return Verdict::unknown(format!("{s} moves, and the energy or a constraint depends on it"));
            }
        }
        let coordinates: Vec<Symbol> = states.iter().copied().filter(|s| !moving.contains(s)).collect();
        let fixed: Vec<Expr> = self.momenta.iter().chain(held).copied().collect();
        let theorem = if moving.is_empty() { "Lagrange, Dirichlet" } else { "Routh" };
        let place = if held.is_empty() { "here" } else { "on the constraint" };
        match stability::extremum(cx, self.energy, &fixed, &coordinates, point) {
            Ok(Extremum::Minimum) => Verdict::yes(format!("the energy has a strict minimum {place} ({theorem})")),
            Ok(Extremum::Maximum) if !self.falls => {
                Verdict::yes(format!("the energy has a strict maximum {place} ({theorem})"))
            }
            Ok(_) => Verdict::unknown("the energy has no strict extremum that its second variation shows"),
            Err(d) => Verdict::unknown(d.title.clone()),
        }
    }
}

/// The energy of a system under constraints, where neither time, nor forces, nor reactions change it, and the momenta of what moves.
fn constants(cx: &Inquiry, system: &System, moving: &[Symbol]) -> Result<Constants, String> {
    let l =
        system.free_lagrangian().filter(|l| l.order() == 1).ok_or("there is no Lagrangian of first order")?.function();
    let y = &system.manifold;
    if !system.forces.is_empty() || !decide::is_zero(cx, partial(cx, l, y.base())).is_yes() {
        return Err("the energy is not constant along the motion".into());
    }
    let form = system.constrained_form(cx).map_err(|_| "the reactions are given by hand")?;
    let q = form.structure();
    let fibres = y.unfolded().fibres().to_vec();
    let velocities: Vec<Expr> = fibres.iter().map(|f| Expr::symbol(f.coordinate.jet(1))).collect();
    let works = |i: usize| Expr::add_all(q.chetaev().row(i).iter().zip(&velocities).map(|(f, v)| *f * *v));
    if !(0..q.n_constraints()).all(|i| q.vanishes_on_q(cx, works(i)).is_yes()) {
        return Err("the reactions do work".into());
    }
    let mut momenta = vec![];
    for s in moving {
        let place = fibres.iter().position(|f| f.coordinate.jet(0) == *s);
        let place = place.ok_or_else(|| format!("{s} moves and has no momentum"))?;
        let reacts = |i: usize| !q.vanishes_on_q(cx, q.chetaev().row(i)[place]).is_yes();
        if !decide::is_zero(cx, partial(cx, l, *s)).is_yes() || (0..q.n_constraints()).any(reacts) {
            return Err(format!("{s} moves, and its momentum is not constant"));
        }
        momenta.push(partial(cx, l, fibres[place].coordinate.jet(1)));
    }
    let own = y.fibres().iter().map(|f| f.coordinate.jet(1));
    let energy = Expr::add_all(own.map(|v| Expr::symbol(v) * partial(cx, l, v))) - l;
    Ok(Constants { energy, falls: false, momenta })
}

/// dx/dt = X(x): the matrix ∂X^i/∂x^j at the point, rows and columns q, q′, …; on a constraint, in its coordinates.
fn linearize(a: &Arguments) -> Fallible<Value> {
    let (found, recorded) = conditions::collect_all(&a.cx, |cx| {
        let a = &a.under(cx);
        let system = a.system(0)?;
        match constrained_law(a, &a.cx, &system)? {
            Some(law) => constrained_linearize(a, &system, &law),
            None => free_linearize(a, &system),
        }
    });
    let (answer, point) = found?;
    let cx = &a.cx;
    // What was derived elsewhere too is said at the point only.
    let at = |e: Expr| point.at(cx, e);
    for e in &recorded.nonzero {
        match decide::is_zero(cx, at(*e)) {
            // With constraints it belongs to coordinates that were not used.
            Verdict::Yes(_) if a.system(0)?.constraints.is_empty() => return Err(singular_at(a, *e)),
            Verdict::Yes(_) => conditions::record_nonzero(cx, *e),
            Verdict::No(_) => {}
            Verdict::Unknown(_) => conditions::record_nonzero(cx, at(*e)),
        }
    }
    for condition in &recorded.stated {
        let here = Condition { left: at(condition.left), ..*condition };
        match here.decided(cx) {
            Some(true) => {}
            Some(false) => conditions::state(cx, *condition),
            None => conditions::state(cx, here),
        }
    }
    recorded.real.iter().for_each(|c| conditions::record_real(cx, *c));
    Ok(Value::from(answer))
}

fn singular_at(a: &Arguments, e: Expr) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::DEGENERATE, "the system is singular at this point")
            .label(a.positional[1].span, format!("{e} vanishes here")),
    )
}

/// An answer and the state at which it holds.
type AtState = (Answer, State);

fn free_linearize(a: &Arguments, system: &System) -> Fallible<AtState> {
    let y = &system.manifold;
    let Flow { field, coordinates: jets, nonzero, .. } = flow(a)?;
    let point = state(a, y, &jets)?;
    for condition in &nonzero {
        if decide::is_zero(&a.cx, point.at(&a.cx, *condition)).is_yes() {
            return Err(singular_at(a, *condition));
        }
    }
    let at = |e: Expr| Ok(point.reduced(&a.cx, expr_at(&a.cx, e, point.values())?));
    let entry = |q: Symbol, x: Symbol| at(partial(&a.cx, field.component(q), x));
    let row = |q: Symbol| jets.iter().map(|x| entry(q, *x)).collect::<Fallible<Vec<Expr>>>();
    let matrix = Matrix::with_columns(jets.iter().map(|q| row(*q)).collect::<Fallible<_>>()?, jets.len());
    let speeds = jets.iter().map(|q| at(field.component(*q))).collect::<Fallible<Vec<Expr>>>()?;
    let energy = |moving: &[Symbol]| match free_constants(&a.cx, system, &field, moving) {
        Ok(constants) => constants.decide(&a.cx, &[], &jets, moving, &point),
        Err(why) => Verdict::unknown(why),
    };
    no_other_jets(a, y, &jets, |s| at(field.component(s)))?;
    let rests = rests(&a.cx, &jets, &speeds, &point);
    Ok((linear_answer(a, y, jets.clone(), matrix, &rests, energy), point))
}

/// The same of a system without constraints, by its field of motion.
fn free_constants(cx: &Inquiry, system: &System, field: &VectorField, moving: &[Symbol]) -> Result<Constants, String> {
    let l =
        system.free_lagrangian().filter(|l| l.order() == 1).ok_or("there is no Lagrangian of first order")?.function();
    let velocities = system.manifold.fibres().iter().map(|f| f.coordinate.jet(1));
    let energy = Expr::add_all(velocities.map(|v| Expr::symbol(v) * partial(cx, l, v))) - l;
    let rate = super::systems::simple(cx, field.apply(cx, energy));
    let falls = !decide::is_zero(cx, rate).is_yes();
    if falls && !sign_of(cx, rate).is_nonpositive() {
        return Err("the energy is not constant along the motion".into());
    }
    let mut momenta = vec![];
    for s in moving {
        let momentum = s.as_jet().filter(|(_, k)| *k == 0).map(|(q, _)| partial(cx, l, q.jet(1)));
        let p = momentum.ok_or_else(|| format!("{s} moves and has no momentum"))?;
        if !decide::is_zero(cx, field.apply(cx, p)).is_yes() {
            return Err(format!("{s} moves, and its momentum is not constant"));
        }
        momenta.push(p);
    }
    Ok(Constants { energy, falls, momenta })
}

/// What the linear equations ẇ = A w say, and the energy at a state of rest or of steady motion.
fn linear_answer(
    a: &Arguments,
    y: &FiberedManifold,
    jets: Vec<Symbol>,
    matrix: Matrix,
    rests: &[Verdict],
    energy: impl FnOnce(&[Symbol]) -> Verdict,
) -> Answer {
    let equilibrium = Verdict::all(rests.iter().cloned(), "there are no coordinates");
    let (relative, at_rest) = steady(&a.cx, &matrix, &jets, rests);
    // Along coordinates that do not occur in the equations the state may move: they do not count.
    let places: Vec<usize> =
        if equilibrium.is_yes() || !relative.is_yes() { (0..jets.len()).collect() } else { at_rest };
    let inner = matrix.minor(&places, &places);
    let names: Vec<Symbol> = places.iter().map(|i| jets[*i]).collect();
    let moving: Vec<Symbol> = jets.iter().zip(rests).filter(|(_, v)| !v.is_yes()).map(|(s, _)| *s).collect();
    let labelled = LabelledMatrix { matrix, rows: jets.clone(), columns: jets };
    let (span, name_span, for_values) = (a.span, a.name_span, Value::from(labelled.clone()));
    let t = y.base();
    let is_constant = Verdict::all(inner.entries().map(|e| changes_with(&a.cx, e, t).negate()), "no coordinates");
    let found = match is_constant.is_yes() {
        true => stability::linear_stability(&a.cx, &inner),
        false => Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, format!("the linear equations depend on {t}"))
                .help("run `variation(S)`, or take the eigenvalues of `transition(run)` over a period"),
        )),
    };
    let energy = match relative.is_yes() {
        true => energy(&moving),
        false => Verdict::unknown("the state is neither at rest nor in steady motion, or is not known to be"),
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
    let refusal = found.as_ref().err().cloned();
    let answer = with_modes(answer, y, inner, names, refusal);
    with_stability(answer, found, energy, &relative).on(y)
}

/// ω² to many digits, and the number nearest to ω.
fn near(cx: &Inquiry, mode: &AlgebraicMode) -> Fallible<(Rational, f64)> {
    let digits = Rational::ratio(1, 1_000_000_000_000_000_000);
    let interval = mode.square.refine(cx, &(&digits * &digits))?;
    let middle = &(&interval.low + &interval.high) * &Rational::ratio(1, 2);
    let frequency = to_f64(&middle).sqrt();
    Ok((middle, frequency))
}

/// The parts about normal modes, found when they are asked for.
fn with_modes(
    answer: Answer,
    y: &FiberedManifold,
    matrix: Matrix,
    names: Vec<Symbol>,
    refusal: Option<Box<Diagnostic>>,
) -> Answer {
    // The velocity of a coordinate that moves steadily is itself displaced and does not pass through 0.
    let is_velocity = |s: &Symbol| {
        y.order_of_symbol(*s).is_some_and(|k| k > 0) && s.as_jet().is_some_and(|(q, k)| names.contains(&q.jet(k - 1)))
    };
    let velocities: Vec<usize> = (0..names.len()).filter(|i| is_velocity(&names[*i])).collect();
    let modes = move |cx: &Inquiry| match &refusal {
        Some(why) => Err(why.clone()),
        None => normal_modes(cx, &matrix, &velocities),
    };
    let modes = Rc::new(modes);
    let (for_frequencies, for_unsolved) = (modes.clone(), modes.clone());
    let positions: Vec<(usize, Symbol)> = names.iter().copied().enumerate().filter(|(_, s)| !is_velocity(s)).collect();
    answer
        .lazy("frequencies", move |cx: &Inquiry| {
            let found = for_frequencies(cx)?;
            let near =
                found.algebraic.iter().map(|m| Ok(Value::Float(near(cx, m)?.1))).collect::<Fallible<Vec<_>>>()?;
            Ok(Value::list(found.list.iter().map(|m| Value::Expr(m.frequency)).chain(near)))
        })
        .lazy("modes", move |cx: &Inquiry| {
            let shown = |u: &[Expr]| Value::family(positions.iter().map(|(i, s)| (*s, Value::Expr(u[*i]))));
            let one = |frequency: Value, shape: Value, quarter: Option<Value>| {
                let standing = match &quarter {
                    None => Verdict::yes("all positions pass through 0 together"),
                    Some(_) => Verdict::no("the positions pass through 0 at different times"),
                };
                let answer =
                    Answer::new("mode").part("frequency", frequency).part("shape", shape).part("standing", standing);
                Value::from(match quarter {
                    Some(quarter) => answer.part("quarter", quarter),
                    None => answer,
                })
            };
            let found = modes(cx)?;
            let exact = |m: &Mode| one(Value::Expr(m.frequency), shown(&m.shape), m.quarter.as_deref().map(shown));
            let mut list: Vec<Value> = found.list.iter().map(exact).collect();
            for m in &found.algebraic {
                let (square, frequency) = near(cx, m)?;
                let shown = |u: &[Element], scale: f64| {
                    let entry = |i: usize| Value::Float(to_f64(&number_field::value(&u[i], &square)) / scale);
                    Value::family(positions.iter().map(|(i, s)| (*s, entry(*i))))
                };
                let quarter = m.quarter.as_deref().map(|u| shown(u, frequency));
                list.push(one(Value::Float(frequency), shown(&m.shape, 1.0), quarter));
            }
            Ok(Value::list(list))
        })
        .lazy("unsolved", move |cx: &Inquiry| {
            let omega = Expr::symbol(Symbol::helper("omega"));
            let polynomial = |q: &Vec<Expr>| {
                let sign = if q.len().is_multiple_of(2) { -1 } else { 1 };
                let term = |(i, c): (usize, &Expr)| *c * (-omega.pow(2)).pow(i as i64) * sign;
                Expr::add_all(q.iter().enumerate().map(term).collect::<Vec<_>>())
            };
            Ok(Value::exprs(for_unsolved(cx)?.unsolved.iter().map(polynomial).collect::<Vec<_>>()))
        })
}

/// Whether what moves at a state are coordinates on which the linear equations do not depend, and which ones rest.
fn steady(cx: &Inquiry, matrix: &Matrix, jets: &[Symbol], rests: &[Verdict]) -> (Verdict, Vec<usize>) {
    let at_rest: Vec<usize> = (0..rests.len()).filter(|i| rests[*i].is_yes()).collect();
    let mut verdict = Verdict::yes("only ignorable coordinates move");
    for (j, rest) in rests.iter().enumerate().filter(|(_, v)| !v.is_yes()) {
        let ignorable = Verdict::all(matrix.column(j).into_iter().map(|e| decide::is_zero(cx, e)), "no coordinates");
        verdict = verdict.and(match (rest, ignorable) {
            (_, Verdict::Yes(ground)) => Verdict::Yes(ground),
            (Verdict::No(_), Verdict::No(_)) => {
                Verdict::no(format!("{} moves, and the equations depend on it", jets[j]))
            }
            _ => Verdict::unknown("it is not decided whether the state rests"),
        });
    }
    (verdict, at_rest)
}

fn with_stability(answer: Answer, found: Fallible<LinearStability>, energy: Verdict, relative: &Verdict) -> Answer {
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            return ["polynomial", "bounded", "asymptotic", "unstable", "energy", "stable"]
                .into_iter()
                .fold(answer, |answer, name| answer.try_part(name, Err(why.clone())));
        }
    };
    let stable = match (&found.asymptotic, &found.unstable) {
        (Verdict::Yes(_), _) => Verdict::yes("all eigenvalues have negative real parts"),
        (_, Verdict::Yes(_)) => Verdict::no("some eigenvalue has a positive real part"),
        _ => energy.clone(),
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
        .part("energy", energy)
        .try_part("stable", stable)
}
