//! Questions about maps: `pullback`, `transform`, `jacobian`, `image`.
//!
//! A map ψ: P → Y carries what lives on Y back to P, prolonged as far as the object asks for. Functions and forms
//! are composed with Jʳψ. What stands for a form is carried as that form: a Lagrangian as L dt, a force as
//! F_σ ω^σ ∧ dt, which is how it enters E; with a new time T = τ(t) both gain the factor dτ/dt. A constraint is
//! carried by its equations and by the forms given with it. `transform(A, ψ)` goes the other way: it pulls back by
//! the inverse of ψ, which has to exist; points and sections go forward without one.

use super::tensors::tensor_value;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::conditions::{self, Recorded, inequality};
use crate::algebra::expr::{Condition, symbols_of};
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, decide, normal};
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::form::Form;
use crate::geometry::jet::{Chart, FiberedManifold, JetSpace};
use crate::geometry::map::Map;
use crate::geometry::section::Section;
use crate::geometry::{Refusal, Tensor, VectorField, refusal};
use crate::mechanics::lagrangian::Lagrangian;
use crate::model::evaluate_at::assignment;
use crate::model::item::{Base, Constraint, Force, MapItem, SectionItem, System};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::{Branch, PointSet};
use crate::model::tensor::as_tensor;
use crate::model::value::{Answer, Claim, Fallible, LabelledMatrix, Point, PointEntry, Value};
use crate::source::Span;
use smallvec::SmallVec;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "pullback",
        parameters: &[one("map", MAP.or(SECTION)), one("A", ANY)],
        help: "a function, form, field, Lagrangian, force, constraint, set or system of the target, carried back along a map or section",
        options: &[],
        gives: Gives::Carried(1),
        parts: &[],
        run: pullback,
    },
    Question {
        name: "transform",
        parameters: &[one("A", ANY), one("map", MAP)],
        help: "the same forward, along a map that can be inverted; points and sections along any map",
        options: &[],
        gives: Gives::Carried(0),
        parts: &[],
        run: transform,
    },
    Question {
        name: "jacobian",
        parameters: &[one("map", MAP)],
        help: "the matrix of a map, rows the new, columns the old fibre coordinates",
        options: &[],
        gives: Gives::Kinds(MATRIX),
        parts: &[],
        run: jacobian,
    },
    Question {
        name: "image",
        parameters: &[one("map", MAP)],
        help: "the submanifold a map parametrises: the smallest set given by equations that contains its values; inequalities that they satisfy are stated",
        options: &[],
        gives: Gives::Kinds(SET),
        parts: &[
            part("rank", RANK, "of its Jacobian"),
            part("immersion", VERDICT, "the rank is that of the source everywhere"),
        ],
        run: image,
    },
];

fn map_argument(a: &Arguments, i: usize) -> Fallible<Rc<MapItem>> {
    match a.value(i)?.main() {
        Value::Map(m) => Ok(m),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a map is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}

fn pullback(a: &Arguments) -> Fallible<Value> {
    let value = a.value(1)?;
    record(a, 0);
    let carried = match a.value(0)?.main() {
        Value::Map(m) => carry(&a.cx, &m.map, &value).and_then(|carried| {
            carry_conditions(a, 1, |e| m.map.pullback_function(&a.cx, e).map_err(Into::into))?;
            Ok(carried)
        }),
        Value::Section(s) => along(&a.cx, &s.section, &value).and_then(|carried| {
            carry_conditions(a, 1, |e| s.section.pullback_function(&a.cx, e).map_err(Into::into))?;
            Ok(carried)
        }),
        other => {
            let d = Diagnostic::error(&codes::WRONG_KIND, "the first argument of `pullback` is a map or a section")
                .label(a.positional[0].span, format!("this is {}", operate::describe(&other)));
            let turned = match value.main() {
                Value::Map(m) => {
                    Some(format!("pullback({}, {})", m.name, crate::model::show::text(&a.cx, &a.value(0)?)))
                }
                _ => None,
            };
            return Err(Box::new(match turned {
                Some(text) => d.repair(format!("the map comes first: {text}"), a.span, text),
                None => d,
            }));
        }
    };
    carried.map_err(|mut d| {
        if let Ok(Value::Map(m)) = a.value(0).map(|v| v.main()) {
            let (source, target) = (m.map.source(), m.map.target());
            let order = d.code.number == codes::ORDER_TOO_HIGH.number;
            if order && target.order() > 0 {
                d.helps.clear();
                d.notes.push(format!("`{}` goes to {target}: what it does to higher jets is not determined", m.name));
            }
            if home_of(&a.cx, &value).is_some_and(|h| h != *target.manifold() && h == *source.manifold())
                && m.map.inverse(&a.cx).is_ok()
            {
                let turned = format!("transform({}, {})", written(&a.cx, &value), m.name);
                let help = format!("to go from {source} to {target}: `{turned}`");
                *d = if can_be_written(&value) { d.clone().repair(help, a.span, turned) } else { d.clone().help(help) };
            }
        }
        Box::new(d.or_at(a.positional[1].span, "this object"))
    })
}

/// Whether a value is shown as it would be written in an expression.
fn can_be_written(value: &Value) -> bool {
    matches!(value.meant(), Value::Expr(_) | Value::Form(_) | Value::Field(_))
}

fn written(cx: &Inquiry, value: &Value) -> String {
    if can_be_written(value) { crate::model::show::text(cx, value) } else { "…".into() }
}

/// Says where an argument has a value, as it stands.
fn record(a: &Arguments, i: usize) {
    a.recorded.iter().skip(i).take(1).for_each(|x| conditions::record_all(&a.cx, x));
}

/// Says where an argument has a value in the coordinates to which it is carried; refused where that is nowhere.
fn carry_conditions(a: &Arguments, i: usize, function: impl Fn(Expr) -> Fallible<Expr>) -> Fallible<()> {
    let Some(recorded) = a.recorded.get(i) else { return Ok(()) };
    for c in recorded.conditions() {
        // What is no function of these coordinates is said as it is.
        let left = function(c.left).map_or(c.left, |x| tidy(&a.cx, x));
        let carried = Condition { left, ..c };
        if carried.decided(&a.cx) == Some(false) {
            let condition = crate::model::show::condition_text(&a.cx, &c);
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "this has no value where the map leads")
                    .note(format!("it rests on {condition}, which fails there")),
            ));
        }
        conditions::state(&a.cx, carried);
    }
    conditions::record_all(&a.cx, &Recorded { real: recorded.real.clone(), ..Recorded::default() });
    Ok(())
}

/// The manifold on which a form, a field or a function lives.
fn home_of(cx: &Inquiry, value: &Value) -> Option<FiberedManifold> {
    match value.main() {
        Value::Field(x) => x.manifold().ok().flatten(),
        Value::Set(s) => Some(s.space().manifold().clone()),
        Value::Distribution(d) => FiberedManifold::of_symbols(d.chart().symbols()).ok().flatten(),
        Value::Codistribution(c) => FiberedManifold::of_symbols(c.chart().symbols()).ok().flatten(),
        Value::System(s) => Some(s.manifold.clone()),
        other => operate::as_form(cx, &other).ok()?.manifold().ok().flatten(),
    }
}

fn transform(a: &Arguments) -> Fallible<Value> {
    let map = map_argument(a, 1)?;
    let value = a.value(0)?;
    let (source, target) = (map.map.source(), map.map.target());
    if home_of(&a.cx, &value).is_some_and(|h| h == *target.manifold() && h != *source.manifold()) {
        let turned = format!("pullback({}, {})", map.name, written(&a.cx, &value));
        let help = format!("to go from {target} to {source}: `{turned}`");
        let d = Diagnostic::error(&codes::WRONG_MANIFOLD, format!("this lives on {target} already"))
            .label(a.positional[0].span, format!("on {target}"))
            .note(format!("`{}` goes from {source} to {target}", map.name));
        let edit = can_be_written(&value);
        return Err(Box::new(if edit { d.repair(help, a.span, turned) } else { d.help(help) }));
    }
    record(a, 1);
    let carried = match value.main() {
        Value::Point(point) => {
            record(a, 0);
            point_forward(&a.cx, &map.map, &point)
        }
        Value::Section(s) => {
            record(a, 0);
            section_forward(&a.cx, &map.map, &s)
        }
        _ => {
            let mut inverse = map.map.inverse(&a.cx).map_err(|r| not_inverted(a, &map.name, r))?;
            let jets = inverse.map.facts_about_jets(&a.cx, order_on(source.manifold(), &value))?;
            inverse.conditions.extend(jets);
            if !inverse.ground.is_proved() {
                a.cx.rests_on(crate::model::grounds::Sampled {
                    name: map.name.clone(),
                    ground: inverse.ground.to_string().into(),
                    span: a.positional[1].span,
                });
            }
            inverse.conditions.iter().for_each(|c| conditions::state(&a.cx, *c));
            inequality::under(&a.cx, &inverse.conditions, |cx| {
                carry_conditions(a, 0, |e| inverse.map.pullback_function(cx, e).map_err(Into::into))?;
                carry(cx, &inverse.map, &value)
            })
        }
    };
    carried.map_err(|d| Box::new(d.or_at(a.positional[0].span, "this object")))
}

/// The highest jets of the manifold in what can be carried.
fn order_on(manifold: &FiberedManifold, value: &Value) -> u32 {
    let order =
        |symbols: Vec<Symbol>| symbols.into_iter().filter_map(|s| manifold.order_of_symbol(s)).max().unwrap_or(0);
    match value {
        Value::OnSpace(declared) => declared.space.order().max(order_on(manifold, &declared.value)),
        Value::Expr(e) => order(e.symbols()),
        Value::Form(f) => order(f.symbols()),
        Value::Field(x) => order(x.symbols()),
        Value::List(items) => items.iter().map(|v| order_on(manifold, v)).max().unwrap_or(0),
        Value::Force(f) => order(symbols_of(&f.components)),
        Value::Constraint(c) => order(symbols_of(&c.equations.iter().map(|(e, _)| *e).collect::<Vec<_>>())),
        Value::System(s) => s.lagrangian().map_or(0, |l| order(l.function().symbols())),
        Value::Answer(answer) => answer.main.as_ref().map_or(0, |main| order_on(manifold, main)),
        _ => 0,
    }
}

/// A map that cannot be inverted; facts that would help are offered as statements.
fn not_inverted(a: &Arguments, name: &str, mut refused: Refusal) -> Box<Diagnostic> {
    let positive = match &mut refused {
        Refusal::NotInvertible { positive, .. } => std::mem::take(positive),
        _ => vec![],
    };
    let fact = (!positive.is_empty()).then(|| refusal::assumption(&positive));
    let d = Diagnostic::from(refused).or_at(a.positional[1].span, "this map");
    Box::new(match fact {
        Some(fact) => {
            let help = format!("state where it is looked at: {fact}");
            d.repair_at(Goes::LineBefore, help, a.positional[1].span, fact)
        }
        None => {
            let image = format!("image({name})");
            d.repair(
                format!("only points and sections go forward along it, and together they fill {image}"),
                a.span,
                image,
            )
        }
    })
}

fn jacobian(a: &Arguments) -> Fallible<Value> {
    let jacobian = map_argument(a, 0)?.map.jacobian(&a.cx);
    Ok(Value::from(LabelledMatrix {
        matrix: Matrix::with_columns(jacobian.entries, jacobian.columns.len()),
        rows: jacobian.rows,
        columns: jacobian.columns,
    }))
}

fn image(a: &Arguments) -> Fallible<Value> {
    let map = map_argument(a, 0)?;
    let map = &map.map;
    // What was divided by on the way is not zero on a dense part of the source, whose image has the same closure: only
    // conditions on parameters are conditions of the answer.
    let (equations, divisors) = conditions::collect(&a.cx, |cx| map.image_equations(cx));
    let equations = equations?;
    for e in divisors.into_iter().filter(|e| e.symbols().iter().all(|s| s.is_parameter())) {
        conditions::record_nonzero(&a.cx, e);
    }
    let range = map.image_conditions(&a.cx)?;
    let target = map.target();
    // Where the facts about the target exclude the image there is none of it.
    let branches = if inequality::contradiction(&a.cx, &range).is_some() {
        vec![]
    } else {
        range.into_iter().for_each(|x| conditions::state(&a.cx, x));
        let branch = Branch { equations, nonzero: vec![] };
        crate::algebra::stratum::simplified(&a.cx, &target.symbols(), &[branch])?
    };
    let jacobian = map.jacobian(&a.cx);
    let (matrix, full) = (Matrix::with_columns(jacobian.entries, jacobian.columns.len()), jacobian.columns.len());
    let again = matrix.clone();
    Ok(Value::from(
        Answer::new("image")
            .main(PointSet::new(target, branches))
            .lazy("rank", move |cx: &Inquiry| super::strata::rank_value(cx, &matrix, None))
            .lazy("immersion", move |cx: &Inquiry| {
                let Value::Rank(rank) = super::strata::rank_value(cx, &again, None)? else { unreachable!("a rank") };
                let always = rank.values.as_slice() == [full];
                Ok(Value::from(if always {
                    rank.complete.clone()
                } else {
                    crate::algebra::Verdict::no(format!("the rank takes the values {:?}, not only {full}", rank.values))
                }))
            })
            .on(target.manifold()),
    ))
}

/// A form of degree 0 is a function.
fn form_value(form: Form) -> Value {
    match form.as_function() {
        Some(e) => Value::Expr(e),
        None => Value::Form(form),
    }
}

/// The value on the target of the map, as one on its source.
fn carry(cx: &Inquiry, map: &Map, value: &Value) -> Fallible<Value> {
    let function = |e: Expr| map.pullback_function(cx, e).map_err(Into::into);
    let source = map.source();
    Ok(match value {
        Value::OnSpace(declared) => match &declared.value {
            Value::Field(x) => Value::Field(map.pullback_field_on(cx, x, declared.space.order())?),
            value => return carry(cx, map, value),
        },
        Value::OnBranch(_) => return carry(cx, map, &value.main()),
        Value::Answer(answer) => match &answer.main {
            Some(main) => return carry(cx, map, main),
            None => return Err(not_carried(value)),
        },
        Value::Expr(e) => Value::Expr(function(*e)?),
        Value::Form(f) => form_value(map.pullback(cx, f)?),
        Value::Field(x) => Value::Field(map.pullback_field(cx, x)?),
        Value::List(items) => Value::list(items.iter().map(|v| carry(cx, map, v)).collect::<Fallible<Vec<_>>>()?),
        Value::Matrix(m) => match as_tensor(m) {
            Some((tensor, chart)) if is_jet_chart(map, &chart) => carry_tensor(cx, map, &tensor, &chart)?,
            _ => Value::matrix(m.matrix.try_map(function)?),
        },
        Value::Claim(claim) => Value::Claim(Rc::new(Claim {
            left: carry(cx, map, &claim.left)?,
            right: carry(cx, map, &claim.right)?,
            within: claim.within.clone(),
            relation: claim.relation,
            left_span: claim.left_span,
            right_span: claim.right_span,
        })),
        Value::Force(force) => Value::Force(Rc::new(carry_force(cx, map, force)?)),
        Value::Constraint(c) => Value::Constraint(Rc::new(carry_constraint(cx, map, c)?)),
        Value::System(s) => Value::System(Rc::new(carry_system(cx, map, s)?)),
        Value::Set(s) => {
            let branch = |b: &Branch| -> Fallible<Branch> {
                Ok(Branch {
                    equations: b.equations.iter().map(|e| function(*e)).collect::<Fallible<_>>()?,
                    nonzero: b.nonzero.iter().map(|e| function(*e)).collect::<Fallible<_>>()?,
                })
            };
            let branches = s.branches().iter().map(branch).collect::<Fallible<Vec<_>>>()?;
            let above = s.space().order().saturating_sub(map.target().order());
            let space = source.manifold().jets(source.order() + above);
            let branches = crate::algebra::stratum::simplified(cx, &space.symbols(), &branches)?;
            Value::from(PointSet::new(&space, branches))
        }
        Value::Codistribution(c) => {
            let space = source_space(map, c.chart());
            let forms =
                c.forms(cx).iter().map(|f| map.pullback(cx, f).map_err(Into::into)).collect::<Fallible<Vec<_>>>()?;
            Value::from(Codistribution::new(&space, forms)?)
        }
        Value::Distribution(d) => {
            let space = source_space(map, d.chart());
            let order = space.order().saturating_sub(source.order());
            let fields = d.fields(cx).iter().map(|x| map.pullback_field_on(cx, x, order).map_err(Into::into));
            Value::from(Distribution::new(&space, fields.collect::<Fallible<Vec<_>>>()?)?)
        }
        other => return Err(not_carried(other)),
    })
}

fn not_carried(value: &Value) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::WRONG_KIND, format!("{} cannot be carried along a map", operate::describe(value)))
            .note("functions, forms, fields, Lagrangians, forces, constraints, sets, distributions and systems can"),
    )
}

/// The jet space of the source that corresponds to a chart of the target.
fn source_space(map: &Map, chart: &Chart) -> JetSpace {
    let target = map.target().manifold();
    let order = chart.symbols().iter().filter_map(|s| target.order_of_symbol(*s)).max().unwrap_or(0);
    map.source().manifold().jets(map.source().order() + order.saturating_sub(map.target().order()))
}

/// Whether these are all coordinates of a jet space of the target: a (1,1) tensor there has these labels, and a matrix
/// of functions, such as a Hessian, has not.
fn is_jet_chart(map: &Map, chart: &Chart) -> bool {
    let target = map.target().manifold();
    let order = chart.symbols().iter().filter_map(|s| target.order_of_symbol(*s)).max().unwrap_or(0);
    chart.symbols() == target.jets(order).chart().symbols()
}

/// T = Σ τ_x ⊗ ∂/∂x pulled back: Σ ψ^*τ_x ⊗ ψ^*∂/∂x.
fn carry_tensor(cx: &Inquiry, map: &Map, tensor: &Tensor, chart: &Chart) -> Fallible<Value> {
    let space = source_space(map, chart);
    let order = space.order().saturating_sub(map.source().order());
    let mut rows = vec![];
    for (x, form) in tensor.rows() {
        let form = map.pullback(cx, form)?;
        let field = map.pullback_field_on(cx, &VectorField::coordinate(x), order)?;
        rows.extend(field.components().into_iter().map(|(u, c)| (u, form.scale(c))));
    }
    let carried = Tensor::from_rows(1, rows.into_iter().map(|(u, f)| (u, f.simplified(cx).0)));
    Ok(tensor_value(&carried, &space.chart()))
}

fn tidy(cx: &Inquiry, e: Expr) -> Expr {
    normal::simplify(cx, e).unwrap_or(e)
}

/// F_σ ω^σ ∧ dt pulled back, by components: (F_σ ∘ Jψ) ∂ψ^σ/∂u^ν dτ/dt.
fn carry_force(cx: &Inquiry, map: &Map, force: &Force) -> Fallible<Force> {
    let t = force.manifold.base();
    let terms: Vec<Form> = force
        .manifold
        .fibres()
        .iter()
        .zip(&force.components)
        .map(|(f, c)| Form::term(*c, &[f.coordinate.jet(0), t]))
        .collect();
    let form = map.pullback(cx, &Form::sum(2, &terms))?;
    let source = map.source().manifold();
    Ok(Force {
        name: force.name.clone(),
        manifold: source.clone(),
        components: components_of(cx, &form, source),
        span: force.span,
    })
}

/// The coefficients of ω^ν ∧ dt, which are those of du^ν ∧ dt.
fn components_of(cx: &Inquiry, form: &Form, manifold: &FiberedManifold) -> Vec<Expr> {
    let t = manifold.base();
    manifold.fibres().iter().map(|f| tidy(cx, form.coefficient(&[f.coordinate.jet(0), t]))).collect()
}

fn carry_constraint(cx: &Inquiry, map: &Map, c: &Constraint) -> Fallible<Constraint> {
    let source = map.source().manifold();
    let forms = |list: &Option<Vec<Form>>| -> Fallible<Option<Vec<Form>>> {
        list.as_ref()
            .map(|l| l.iter().map(|f| map.pullback(cx, f).map_err(Into::into)).collect::<Fallible<Vec<_>>>())
            .transpose()
    };
    let mut equations: Vec<(Expr, Span)> = vec![];
    for (e, span) in &c.equations {
        let e = tidy(cx, map.pullback_function(cx, *e)?);
        // What the map satisfies by itself is no constraint any more.
        if !decide::is_zero(cx, e).is_yes() {
            equations.push((e, *span));
        }
    }
    let branch = c.branch.iter().map(|b| match b {
        Value::Claim(_) => carry(cx, map, b),
        _ => Err(Box::new(
            Diagnostic::error(
                &codes::WRONG_KIND,
                format!("the branch of the constraint `{}` is a point of the target", c.name),
            )
            .help("state the branch by an inequality, which can be carried along a map"),
        )),
    });
    let branch = branch.collect::<Fallible<Vec<_>>>()?;
    Ok(Constraint {
        name: c.name.clone(),
        space: source.jets(c.space.order()),
        equations,
        // Which coordinates can be solved for is a question about the new ones.
        dependent: vec![],
        branch,
        reactions: forms(&c.reactions)?,
        forms: forms(&c.forms)?,
        span: c.span,
        examined: Default::default(),
    })
}

fn carry_system(cx: &Inquiry, map: &Map, system: &System) -> Fallible<System> {
    let source = map.source().manifold();
    let base = match &system.base {
        Base::Lagrangian(l) => {
            let function = map.pullback_function(cx, l.function())? * map.speed(cx);
            Base::Lagrangian(Lagrangian::new(cx, source, tidy(cx, function))?)
        }
        Base::Equations(components) => {
            let t = system.manifold.base();
            let terms = system.manifold.fibres().iter().zip(components);
            let terms: Vec<Form> = terms.map(|(f, e)| Form::term(*e, &[f.coordinate.jet(0), t])).collect();
            let form = map.pullback(cx, &Form::sum(2, &terms))?;
            Base::Equations(components_of(cx, &form, source))
        }
        Base::Lepage(form) => Base::Lepage(map.pullback(cx, form)?.simplified(cx).0),
        Base::Generated(form) => Base::Generated(map.pullback(cx, form)?.simplified(cx).0),
        Base::Mixed(_) => return Err(not_carried(&Value::Label("mixed system"))),
    };
    let mut carried = System::new(&system.name, source, base, system.span);
    for force in &system.forces {
        carried.forces.push(Rc::new(carry_force(cx, map, force)?));
    }
    for constraint in &system.constraints {
        let constraint = carry_constraint(cx, map, constraint)?;
        if !constraint.equations.is_empty() || constraint.forms.is_some() {
            carried.constraints.push(Rc::new(constraint));
        }
    }
    Ok(carried)
}

/// The value along a section: functions of the time and forms on the time axis.
fn along(cx: &Inquiry, section: &Section, value: &Value) -> Fallible<Value> {
    match value {
        Value::List(items) => {
            Ok(Value::list(items.iter().map(|v| along(cx, section, v)).collect::<Fallible<Vec<_>>>()?))
        }
        Value::Answer(answer) => match &answer.main {
            Some(main) => along(cx, section, main),
            None => Err(not_carried(value)),
        },
        Value::System(system) if system.lagrangian().is_some() => {
            let l = system.lagrangian().expect("just seen").function();
            Ok(Value::Expr(section.pullback_function(cx, l)?))
        }
        Value::Matrix(m) => Ok(Value::matrix(m.matrix.try_map(|e| section.pullback_function(cx, e))?)),
        Value::Family(family) => {
            let entries = family.entries.iter().map(|(k, v)| Ok((k.clone(), along(cx, section, v)?)));
            Ok(Value::keyed(entries.collect::<Fallible<Vec<_>>>()?))
        }
        _ => Ok(form_value(section.pullback(cx, &operate::as_form(cx, value)?)?)),
    }
}

/// ψ of a point: the coordinates of the target that its entries determine.
fn point_forward(cx: &Inquiry, map: &Map, point: &Point) -> Fallible<Value> {
    let values = assignment(point);
    let given = |e: Expr| e.symbols().into_iter().all(|s| s.is_parameter() || values.contains_key(&s));
    let order =
        point.entries.iter().flat_map(|e| &e.symbols).filter_map(|s| map.source().manifold().order_of_symbol(*s));
    let order = order.max().unwrap_or(0).max(map.target().order());
    let mut entries = vec![];
    for symbol in map.target().manifold().jets(order).symbols() {
        let Ok(image) = map.image_of(cx, symbol) else { continue };
        let is_time = symbol == map.target().manifold().base();
        if given(image) && (!is_time || values.contains_key(&map.source().manifold().base())) {
            let value = tidy(cx, substitute(image, &values));
            entries.push(PointEntry {
                symbols: SmallVec::from_elem(symbol, 1),
                text: symbol.name(),
                value,
                of_run: false,
            });
        }
    }
    if entries.is_empty() {
        let names: Vec<String> = map.source().symbols().iter().map(|s| s.name()).collect();
        return Err(Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, "this point does not determine its image")
                .note(format!("the map depends on {}", names.join(", "))),
        ));
    }
    Ok(Value::Point(Rc::new(Point { entries })))
}

/// ψ ∘ γ, for a map that keeps the time.
fn section_forward(cx: &Inquiry, map: &Map, item: &SectionItem) -> Fallible<Value> {
    let section = &item.section;
    let (old, new) = (Expr::symbol(map.source().manifold().base()), map.image_of(cx, map.target().manifold().base()));
    if new? != old || map.source().manifold().base() != map.target().manifold().base() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_AVAILABLE, "a section is not carried along a map that changes the time")
                .note("its image is a curve with another parameter"),
        ));
    }
    let space = map.target().lift(section.space().order().max(map.target().order()));
    let symbols = space.symbols().into_iter().filter(|s| *s != space.manifold().base());
    let components = symbols.map(|s| {
        let image = map.image_of(cx, s)?;
        Ok((s, tidy(cx, section.pullback_function(cx, image)?)))
    });
    let components = components.collect::<Fallible<Vec<_>>>()?;
    let section = Section::new(&space, components)?;
    Ok(Value::Section(Rc::new(SectionItem { name: item.name.clone(), section })))
}
