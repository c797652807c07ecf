//! Questions about the vector field of a system: the field itself, its symmetries and first integrals, and
//! searches for them. Krupková §5–6, (5.15).

use super::systems::{form_of, lagrangian_part};
use super::{Arguments, Question, mixed};
use crate::algebra::Inquiry;
use crate::algebra::conditions::inequality;
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, Symbol, Verdict, conditions, decide};
use crate::budget::share;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, is_coordinate};
use crate::mechanics::connection::Connection;
use crate::mechanics::curvature::form_of as form_of_adapted;
use crate::mechanics::dynamical_form::DynamicalForm;
use crate::mechanics::functional_independence::functionally_independent;
use crate::mechanics::mixed_system::AdaptedForm;
use crate::mechanics::regular::{self, RegularForm};
use crate::mechanics::search::{self, Found};
use crate::mechanics::symmetry as theory;
use crate::model::evaluate_at::{assignment, expr_at};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::PointSet;
use crate::model::value::{Answer, Fallible, Judgement, Point, Value, Written};

/// What may occur in an ansatz besides coordinates.
const GENERATORS: OptionRow =
    option("generators", "g", LIST.or(FUNCTION), "functions such as 1/r or sin(theta) that may occur too");

/// Where a search with parameters may have missed something.
const SPECIAL: Part = part(
    "special",
    LIST,
    "functions of the parameters: there are more where one of them vanishes, or all of those in a list; ask again there",
);

/// Where that was not found out.
const POSSIBLE: Part =
    part("possible", LIST, "functions of the parameters: there may be more where one of them vanishes");

/// How far a search came.
const SEARCHED: Part = part("degree", INTEGER, "the degree up to which the search came to its end");
const COMPLETE: Part = part("complete", VERDICT, "whether that is the degree asked for");

pub static ROWS: &[Question] = &[
    Question {
        name: "find_adjoint_symmetries",
        parameters: &[one("S", SYSTEM), one("n", INTEGER)],
        help: "the adjoint symmetries whose coefficients are polynomials of degree at most n in t, the phase coordinates and the functions named",
        options: &[GENERATORS],
        gives: Gives::Kinds(LIST),
        parts: &[SPECIAL, POSSIBLE, SEARCHED, COMPLETE],
        run: find_adjoint_symmetries,
    },
    Question {
        name: "vector_field",
        parameters: &[one("S", SYSTEM)],
        help: "the semispray of a regular system (Krupková 5.15); its highest derivatives by jet",
        options: &[],
        gives: Gives::Accelerations,
        parts: &[
            part("unique", VERDICT, "whether there is exactly one"),
            part("conditions", LIST, "what must not vanish"),
            part("locus", SET, "where the system is singular"),
        ],
        run: vector_field,
    },
    Question {
        name: "first_integral",
        parameters: &[one("S", SYSTEM), one("f", FUNCTION)],
        help: "whether a function is constant along all motions",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[part("rate", FUNCTION, "its derivative along the motion")],
        run: first_integral,
    },
    Question {
        name: "noether",
        parameters: &[one("L", LAGRANGIAN), one("X", FIELD)],
        help: "the first integral of a symmetry of a Lagrangian, up to a total derivative, along which forces and reactions do no work",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[
            part("primitive", FUNCTION, "F with L_X λ = dF"),
            part("characteristic", FAMILY, "Q = ξ − q' ξ⁰, by coordinate"),
            part("verified", VERDICT, "dΦ/dt = −Q E, checked"),
        ],
        run: noether,
    },
    Question {
        name: "symmetry",
        parameters: &[one("S", SYSTEM), one("X", FIELD)],
        help: "whether a field carries motions to motions",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("second", FAMILY, "what is left of the linearised equations, by coordinate"),
            part("first", FAMILY, "the same for first-order equations"),
            part("prolonged", FIELD, "the prolongation of X to the phase space"),
            part("bracket", FIELD, "its bracket with the vector field"),
            part("rate", FAMILY, "for mixed systems"),
        ],
        run: symmetry,
    },
    Question {
        name: "find_integrals",
        parameters: &[one("S", SYSTEM), one("n", INTEGER)],
        help: "the first integrals that are polynomials of degree at most n in the phase coordinates and the functions named",
        options: &[GENERATORS],
        gives: Gives::Kinds(LIST),
        parts: &[
            SPECIAL,
            POSSIBLE,
            SEARCHED,
            COMPLETE,
            part(
                "independent",
                LIST,
                "those that are no functions of the ones before them: their differentials are independent, for general values of the parameters",
            ),
            part("maximal", VERDICT, "whether all others are functions of these"),
        ],
        run: find_integrals,
    },
    Question {
        name: "find_symmetries",
        parameters: &[one("S", SYSTEM), one("n", INTEGER)],
        help: "the projectable symmetries whose components are polynomials of degree at most n in t, q and the functions named",
        options: &[GENERATORS],
        gives: Gives::Kinds(LIST),
        parts: &[SPECIAL, POSSIBLE, SEARCHED, COMPLETE],
        run: find_symmetries,
    },
];

fn regular_form(a: &Arguments) -> Fallible<RegularForm> {
    let (system, form) = form_of(a, 0)?;
    regular::regular(&a.cx, &form).map_err(|d| super::constrained::singular(a, &system, *d))
}

fn vector_field(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::vector_field(a)? {
        return Ok(answer);
    }
    if super::constrained::is_asked_of(a) {
        return super::constrained::vector_field(a);
    }
    if mixed::is_ours(&*a.system(0)?) {
        return mixed::vector_field(a);
    }
    let (system, form) = form_of(a, 0)?;
    let regular = regular_form(a)?;
    let y = &system.manifold;
    let space = regular.space();
    let is_of_true_order = regular.order() == form.order();
    // The determinant says it in one expression; where it is not that of B the pivots do.
    let (unique, nonzero): (Verdict, Vec<Expr>) = if is_of_true_order {
        let unique = system.classification(&a.cx).map_or_else(
            |d| Verdict::unknown(d.title.clone()),
            |c| match &c.regular {
                Verdict::No(_) => Verdict::no("the system is singular on a set of points"),
                v => v.clone(),
            },
        );
        let nonzero = if unique.is_yes() { generic_factors(a, &system, &form)? } else { vec![form.det_b(&a.cx)?] };
        (unique, nonzero)
    } else {
        let nonzero = regular.conditions().to_vec();
        (Verdict::from_bool(nonzero.is_empty(), "the equations are solved for the highest derivatives"), nonzero)
    };
    // Said without factors that are known not to vanish.
    let said = inequality::reduced(&a.cx, nonzero.iter().map(|e| Condition::nonzero(*e)));
    let divisors = nonzero.clone();
    let unique = Judgement {
        needs: if unique.is_yes() { nonzero.clone() } else { vec![] },
        verdict: unique,
        at: Some(Box::new(move |cx: &Inquiry, point: &Point| {
            let map = assignment(point);
            let values = divisors.iter().map(|e| expr_at(cx, *e, &map)).collect::<Fallible<Vec<Expr>>>()?;
            Ok(Verdict::all(values.into_iter().map(|e| decide::is_zero(cx, e).negate()), "nothing may vanish"))
        })),
    };
    let (for_locus, locus_space) = (regular.clone(), space.clone());
    let values = regular.top_jets().into_iter().zip(regular.accelerations().iter().map(|e| Value::Expr(*e)));
    Ok(Value::from(
        Answer::new("vector_field")
            .main(regular::semispray(&regular))
            .keyed(values)
            .written(Written::Equals)
            .part("unique", unique)
            .part("conditions", Value::exprs(said.iter().map(|c| c.left)))
            .lazy("locus", move |cx: &Inquiry| Ok(Value::from(PointSet::new(&locus_space, for_locus.locus(cx)?))))
            .on(y)
            .valid_where(said),
    ))
}

/// Factors of det B that vanish for some parameters only: what a regular system takes for granted.
fn generic_factors(a: &Arguments, system: &System, form: &DynamicalForm) -> Fallible<Vec<Expr>> {
    let generic = &system.classification(&a.cx)?.generic;
    if generic.is_empty() {
        return Ok(vec![]);
    }
    let Ok(det) = form.det_b(&a.cx) else { return Ok(generic.clone()) };
    let (_, factors) = conditions::collect(&a.cx, |cx| conditions::record_nonzero(cx, det));
    Ok(factors.into_iter().filter(|e| !decide::sign(&a.cx, *e).is_nonzero()).collect())
}

fn first_integral(a: &Arguments) -> Fallible<Value> {
    if let Some(answer) = super::pairs::first_integral(a)? {
        return Ok(answer);
    }
    if super::constrained::is_asked_of(a) {
        return super::constrained::first_integral(a);
    }
    if mixed::is_ours(&*a.system(0)?) {
        return mixed::first_integral(a);
    }
    let (system, _) = form_of(a, 0)?;
    a.lives_on(1, &system.manifold)?;
    let alpha = system.lepage(&a.cx)?;
    let motions = |cx: &Inquiry| system.proper_dynamics(&cx.where_hold(&system.bounds(cx)?), &alpha);
    let found = theory::first_integral(&a.cx, &alpha, a.expr(1)?, motions)?;
    let verdict = with_rate(found.verdict, found.rate);
    Ok(Value::from(Answer::new("first_integral").main(verdict).part("rate", found.rate).on(&system.manifold)))
}

/// A proved no that says how the function changes.
pub(super) fn with_rate(verdict: Verdict, rate: Expr) -> Verdict {
    match verdict {
        Verdict::No(ground) if ground.is_proved() => Verdict::no(format!("along the motion its rate is {rate}")),
        other => other,
    }
}

fn noether(a: &Arguments) -> Fallible<Value> {
    let lagrangian = lagrangian_part(a, 0)?;
    let field = a.field(1)?;
    a.lives_on(1, lagrangian.manifold())?;
    let mut found = theory::noether(&a.cx, &lagrangian, &field)
        .map_err(|d| Box::new(d.or_at(a.positional[1].span, "this field")))?;
    // Forces and reactions must do no work along the field.
    if let Ok(system) = a.system(0)
        && !(system.constraints.is_empty() && system.forces.is_empty())
    {
        found.verified = found.verified.and(super::constrained::idle_along(a, &system, &found.characteristic)?);
    }
    let y = lagrangian.manifold();
    let coordinates = y.fibres().iter().map(|f| f.coordinate.jet(0));
    let characteristic = coordinates.zip(found.characteristic.iter().map(|q| Value::Expr(*q)));
    Ok(Value::from(
        Answer::new("noether")
            .main(found.integral)
            .part("primitive", found.primitive)
            .part("characteristic", Value::family(characteristic))
            .part("verified", found.verified)
            .on(y),
    ))
}

fn symmetry(a: &Arguments) -> Fallible<Value> {
    if mixed::is_ours(&*a.system(0)?) {
        return mixed::symmetry(a);
    }
    let (system, form) = form_of(a, 0)?;
    let y = &system.manifold;
    let x = a.field(1)?;
    a.lives_on(1, y)?;
    let (found, recorded) = conditions::collect(&a.cx, |cx| theory::symmetry_of(cx, &form, &x));
    let found = found?;
    let coordinates = y.fibres().iter().map(|f| f.coordinate.jet(0));
    let residuals: Vec<(Symbol, Value)> = coordinates.zip(found.residuals.iter().map(|e| Value::Expr(*e))).collect();
    let (second, first) = if form.jet_order() > 1 { (residuals, vec![]) } else { (vec![], residuals) };
    let missing = |what: &str| Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, what));
    let field = |x: Option<VectorField>, what: &str| match x {
        Some(x) => Ok(Value::Field(x)),
        None => Err(missing(what)),
    };
    Ok(Value::from(
        Answer::new("symmetry")
            .main(found.verdict)
            .part("second", Value::family(second))
            .part("first", Value::family(first))
            .try_part("prolonged", field(found.prolonged, "this field is not projectable, so it has no prolongation"))
            .try_part("bracket", field(found.bracket, "there is no bracket without a prolongation and a vector field"))
            .try_part("rate", Err(missing("the rate ν is a notion for mixed systems")))
            .on(y)
            .valid_where(recorded),
    ))
}

/// Searches go up to this degree.
const MAX_DEGREE: u32 = 12;

fn degree(a: &Arguments) -> Fallible<u32> {
    let n = a.integer(1)?;
    u32::try_from(n).ok().filter(|n| *n <= MAX_DEGREE).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("{n} is no degree to search up to"))
                .label(a.positional[1].span, format!("a degree from 0 to {MAX_DEGREE}")),
        )
    })
}

/// The field of motion of the first argument, the coordinates of its phase space but t, and what must not vanish.
pub(super) struct Flow {
    pub field: VectorField,
    pub coordinates: Vec<Symbol>,
    /// The velocities that the constraints determine, as functions of the coordinates.
    pub dependent: Vec<(Symbol, Expr)>,
    pub nonzero: Vec<Expr>,
    pub manifold: FiberedManifold,
}

pub(super) fn flow(a: &Arguments) -> Fallible<Flow> {
    let system = a.system(0)?;
    let manifold = system.manifold.clone();
    let (field, symbols, dependent, nonzero) = if mixed::is_ours(&system) {
        let ((_, found), recorded) = mixed::found(a, |cx| mixed::mixed_of(cx, a))?;
        let velocities = found.first().iter().map(|q| q.jet(1)).zip(found.g().iter().copied());
        let dependent = if system.constraints.is_empty() { vec![] } else { velocities.collect() };
        (found.gamma(), found.chart().symbols().to_vec(), dependent, recorded)
    } else {
        let regular = regular_form(a)?;
        (regular::semispray(&regular), regular.space().symbols(), vec![], regular.conditions().to_vec())
    };
    let coordinates = symbols.into_iter().filter(|s| *s != manifold.base()).collect();
    Ok(Flow { field, coordinates, dependent, nonzero, manifold })
}

/// The functions of `generators = [1/r]`, which depend on the time and on coordinates of the ansatz.
fn generators(a: &Arguments, coordinates: &[Symbol]) -> Fallible<Vec<Expr>> {
    let Some(option) = a.option("generators") else { return Ok(vec![]) };
    let place = |d: Box<Diagnostic>| Box::new(d.or_at(option.span, "not a function"));
    let list = match option.value.main() {
        Value::List(list) => list.iter().map(|v| operate::as_expr(&a.cx, v).map_err(place)).collect::<Fallible<_>>()?,
        single => vec![operate::as_expr(&a.cx, &single).map_err(place)?],
    };
    let t = a.system(0)?.manifold.base();
    let is_strange = |s: &Symbol| is_coordinate(*s) && *s != t && !coordinates.contains(s);
    for e in &list {
        if let Some(s) = e.symbols().into_iter().find(is_strange) {
            let names = std::iter::once(&t).chain(coordinates.iter().filter(|s| **s != t)).map(|s| s.name());
            let names: Vec<String> = names.collect();
            return Err(Box::new(
                Diagnostic::error(
                    &codes::ORDER_TOO_HIGH,
                    format!("this function depends on {s}, which is no coordinate of the search"),
                )
                .label(option.span, format!("{e} is named here"))
                .note(format!("its coordinates are {}", names.join(", "))),
            ));
        }
    }
    Ok(list)
}

/// What a search found up to the degree to which it came.
struct Searched<T> {
    found: Found<T>,
    degree: u32,
    complete: Verdict,
}

/// Searches up to degree n. Where that is too much, what is found up to the highest degree for which it is not.
fn by_degrees<T>(a: &Arguments, n: u32, search: impl Fn(&Inquiry, u32) -> Fallible<Found<T>>) -> Fallible<Searched<T>> {
    let whole =
        |found: Found<T>| Searched { found, degree: n, complete: Verdict::yes("all coefficients were solved for") };
    let why = match a.cx.within(share::SEARCH, || search(&a.cx, n)) {
        Ok(found) => return Ok(whole(found)),
        Err(why) if why.code.name == codes::BUDGET.name && n > 0 => why,
        Err(why) => return Err(why),
    };
    let mut best: Option<Searched<T>> = None;
    for degree in 0..n {
        match a.cx.within(share::SEARCH, || search(&a.cx, degree)) {
            Ok(found) => {
                let complete = Verdict::unknown(format!("of degree {} and more: {}", degree + 1, why.title));
                best = Some(Searched { found, degree, complete });
            }
            Err(_) => break,
        }
    }
    best.ok_or(why)
}

fn searched<T>(
    a: &Arguments,
    name: &'static str,
    made: Searched<T>,
    list: impl FnOnce(Vec<T>) -> Value,
) -> Fallible<Answer> {
    let manifold = a.system(0)?.manifold.clone();
    let Searched { found: Found { list: all, special }, degree, complete } = made;
    let answer = Answer::new(name).main(list(all)).on(&manifold);
    let more = special.more.iter().map(|zeros| match zeros.as_slice() {
        [only] => Value::Expr(*only),
        several => Value::exprs(several.to_vec()),
    });
    let parts = [("special", Value::list(more.collect::<Vec<_>>())), ("possible", Value::exprs(special.open.clone()))];
    let empty = [special.more.is_empty(), special.open.is_empty()];
    let answer = parts.into_iter().zip(empty).fold(answer, |answer, ((name, list), is_empty)| match is_empty {
        true => answer.lazy(name, |_| Ok(Value::list([]))),
        false => answer.part(name, list),
    });
    let is_whole = complete.is_yes();
    let (of_degree, verdict) = (Value::count(degree as usize), Value::from(complete));
    Ok(match is_whole {
        true => answer.lazy("degree", move |_| Ok(of_degree.clone())).lazy("complete", move |_| Ok(verdict.clone())),
        false => answer.part("degree", of_degree).part("complete", verdict),
    })
}

fn find_integrals(a: &Arguments) -> Fallible<Value> {
    let n = degree(a)?;
    let Flow { field, coordinates, dependent, nonzero, .. } = flow(a)?;
    let named = generators(a, &coordinates)?;
    nonzero.iter().for_each(|e| conditions::record_nonzero(&a.cx, *e));
    let phase = search::Phase { coordinates: &coordinates, dependent: &dependent };
    let made = by_degrees(a, n, |cx, n| search::polynomial_integrals(cx, &field, phase, &named, n))?;
    let speeds: Vec<Expr> = coordinates.iter().map(|s| field.component(*s)).collect();
    let values: Vec<Expr> = made.found.list.iter().map(|f| phase.value(*f)).collect();
    let found = functionally_independent(&a.cx, &values, &coordinates, &speeds)?;
    let independent: Vec<Expr> = found.places.iter().map(|i| made.found.list[*i]).collect();
    let all = independent.len() == made.found.list.len();
    let answer = searched(a, "find_integrals", made, Value::exprs)?;
    // Said where it is news; otherwise it is there to be asked for.
    let (list, maximal) = (Value::exprs(independent), Value::from(found.maximal));
    Ok(Value::from(match all {
        true => answer.lazy("independent", move |_| Ok(list.clone())).lazy("maximal", move |_| Ok(maximal.clone())),
        false => answer.part("independent", list).part("maximal", maximal),
    }))
}

fn find_symmetries(a: &Arguments) -> Fallible<Value> {
    let n = degree(a)?;
    let system = a.system(0)?;
    let made = if mixed::is_ours(&system) {
        let (_, form) = mixed::mixed_of(&a.cx, a)?;
        let named = generators(a, form.chart().symbols())?;
        by_degrees(a, n, |cx, n| search::mixed_symmetries(cx, &form, &named, n))?
    } else {
        let regular = regular_form(a)?;
        let positions: Vec<Symbol> = system.manifold.fibres().iter().map(|f| f.coordinate.jet(0)).collect();
        let named = generators(a, &positions)?;
        by_degrees(a, n, |cx, n| search::polynomial_symmetries(cx, &regular, &named, n))?
    };
    Ok(Value::from(searched(a, "find_symmetries", made, |list| Value::list(list.into_iter().map(Value::Field)))?))
}

fn find_adjoint_symmetries(a: &Arguments) -> Fallible<Value> {
    let n = degree(a)?;
    let (_, form) = mixed::mixed_of(&a.cx, a)?;
    let named = generators(a, form.chart().symbols())?;
    let connection = Connection::new(&a.cx, &form);
    let made = by_degrees(a, n, |cx, n| search::adjoint_symmetries(cx, &connection, &named, n))?;
    let list = |list: Vec<AdaptedForm>| {
        Value::list(list.iter().map(|alpha| Value::Form(form_of_adapted(&a.cx, &connection, alpha))))
    };
    Ok(Value::from(searched(a, "find_adjoint_symmetries", made, list)?))
}
