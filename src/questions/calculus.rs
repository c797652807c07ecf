//! Questions of the calculus on jets: d, h, p, contraction, Lie derivatives, prolongation, predicates.

use super::distributions::home;
use super::tensors::lie_value;
use super::{Arguments, Question, symbolic};
use crate::algebra::print::Style;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::contact::{self, Finding};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{self, FiberedManifold, Prolongation};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::tensor::as_tensor;
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};

rows! {
    "jet" [one("q", FUNCTION.or(VECTOR)), one("r", INTEGER)]
        "the r-th jet of a coordinate, or the r-th total derivative of a function"
        => Gives::Like(0), &[], jet_of;
    "vel" [one("x'", COORDINATE)] "the velocity of a phase-space coordinate along a curve that need not be holonomic"
        => Gives::Kinds(COORDINATE), &[], vel;
    "omega" [one("x", COORDINATE)] "the contact form dx - x'*dt" => Gives::Degree("contact", 1), &[], omega;
    "D" [one("f", FUNCTION.or(VECTOR).or(FAMILY)), many("x", COORDINATE)] "partial derivatives, one after the other"
        => Gives::Like(0), &[], symbolic::derivative;
    "d" [one("η", FORM)] "the exterior derivative" => Gives::Form("closed", 0, 1), &[], exterior;
    "i" [one("ξ", FIELD), one("η", FORM.or(MATRIX))]
        "the contraction of a form with a vector field, or a (1,1) tensor applied to it"
        => Gives::Form("", 1, -1), &[], contraction;
    "lie" [one("ξ", FIELD), one("η", FUNCTION.or(FORM).or(FIELD).or(VECTOR))]
        "the Lie derivative of a function, form, field or (1,1) tensor"
        => Gives::Like(1), &[], lie;
    "bracket" [one("ξ", FIELD), one("ζ", FIELD)] "the Lie bracket of two vector fields"
        => Gives::Kinds(FIELD), &[], bracket;
    "h" [one("η", FORM), optional("J1(Y)", SPACE)] "the horizontal part"
        => Gives::Form("horizontal", 0, 0), &[], |a| part(a, |f, along| contact::k_contact_part(f, 0, along));
    "p" [one("η", FORM), optional("J1(Y)", SPACE)] "the contact part"
        => Gives::Form("contact", 0, 0), &[], |a| part(a, contact::contact_part_along);
    "p1" [one("η", FORM), optional("J1(Y)", SPACE)] "the 1-contact part"
        => Gives::Form("1-contact", 0, 0), &[], |a| part(a, |f, along| contact::k_contact_part(f, 1, along));
    "p2" [one("η", FORM), optional("J1(Y)", SPACE)] "the 2-contact part"
        => Gives::Form("2-contact", 0, 0), &[], |a| part(a, |f, along| contact::k_contact_part(f, 2, along));
    "holonomic" [one("η", FORM)] "a function or form of J1(J2(Y)) on J3(Y), which lies in it as vel(q) = q', …"
        => Gives::Like(0), &[], holonomic;
    "contact_part" [one("η", FORM), one("k", INTEGER)] "the k-contact part; p3(η) is short for contact_part(η, 3)"
        => Gives::Form("contact", 0, 0), &[], k_part;
    "prolong" [one("ξ", FIELD.or(SECTION)), one("r", INTEGER.or(SPACE))]
        "the r-th prolongation of a projectable field or of a section; prolong(ξ, J1(J2(Y))) to that space"
        => Gives::Like(0), &[], prolong;
    "lift" [one("η", FUNCTION.or(FORM).or(FIELD)), one("r", INTEGER)] "the same object on the r-th jet space"
        => Gives::Like(0), &[], lift;
    "is_horizontal" [one("η", FORM)] "components along dt only"
        => Gives::Kinds(VERDICT), FOUND, |a| finding(a, |f, _, _| contact::is_horizontal(&a.cx, f));
    "is_horizontal_over" [one("η", FORM), one("Y", SPACE)] "only dt and the differentials of the coordinates of Y"
        => Gives::Kinds(VERDICT), FOUND, horizontal_over;
    "is_contact" [one("η", FORM)] "vanishes along every motion"
        => Gives::Kinds(VERDICT), FOUND, |a| finding(a, |f, along, _| contact::is_contact_along(&a.cx, f, along));
    "is_k_contact" [one("η", FORM), one("k", INTEGER)] "its parts are k-contact: omega(x) /\\ dt is 1-contact"
        => Gives::Kinds(VERDICT), FOUND, is_k_contact;
    "is_dynamical" [one("η", FORM)] "a 2-form with terms E*dx /\\ dt only"
        => Gives::Kinds(VERDICT), FOUND, |a| finding(a, |f, _, m| contact::is_dynamical(&a.cx, f, m));
    "is_lepage" [one("η", FORM)] "its 1-contact part is dynamical"
        => Gives::Kinds(VERDICT), FOUND, |a| finding(a, |f, _, m| contact::is_lepage(&a.cx, f, m));
    "is_closed" [one("η", FORM)] "its exterior derivative vanishes"
        => Gives::Kinds(VERDICT), FOUND, |a| finding(a, |f, _, _| contact::is_closed(&a.cx, f));
    "is_vertical" [one("ξ", FIELD)] "no component along @t"
        => Gives::Kinds(VERDICT), FOUND, |a| field_finding(a, |x, m| x.is_vertical(&a.cx, m));
    "is_projectable" [one("ξ", FIELD)] "the component along @t depends on t only"
        => Gives::Kinds(VERDICT), FOUND, |a| field_finding(a, |x, m| x.is_projectable(&a.cx, m));
    "is_semispray" [one("ξ", FIELD)] "its integral curves are prolonged motions"
        => Gives::Kinds(VERDICT), FOUND, is_semispray;
    "is_holonomic" [one("g", SECTION)] "the section is the prolongation of a motion"
        => Gives::Kinds(VERDICT), FOUND, is_holonomic;
}

/// What a property that fails is seen by.
const FOUND: &[Part] = &[
    sometimes("component", ANY, "one that should not be there"),
    sometimes("coefficient", FUNCTION, "what stands there"),
];

fn jet_of(a: &Arguments) -> Fallible<Value> {
    let order = a.jet_order(1)?;
    operate::prime(&a.cx, &a.value(0)?, order)
}

fn vel(a: &Arguments) -> Fallible<Value> {
    let symbol = a.symbol(0)?;
    if !jet::is_coordinate(symbol) {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is not a coordinate, it has no velocity"))
                .label(a.positional[0].span, "not a coordinate"),
        ));
    }
    Ok(Value::Expr(Expr::symbol(Symbol::velocity(symbol))))
}

fn omega(a: &Arguments) -> Fallible<Value> {
    let symbol = a.symbol(0)?;
    if symbol.as_jet().is_none() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is not a jet, it has no contact form"))
                .label(a.positional[0].span, "not a jet"),
        ));
    }
    Ok(Value::Form(Form::omega(symbol)))
}

/// Refuses objects on manifolds that do not meet.
fn meet(
    a: &Arguments,
    left: Result<Option<FiberedManifold>, crate::geometry::Refusal>,
    right: Result<Option<FiberedManifold>, crate::geometry::Refusal>,
) -> Fallible<()> {
    let (left, right) = (left?, right?);
    if let (Some(left), Some(right)) = (left, right)
        && let Err(refused) = left.join(&right)
    {
        return Err(Box::new(
            Diagnostic::from(refused)
                .label(a.positional[0].span, format!("on {}", left.name()))
                .label(a.positional[1].span, format!("on {}", right.name())),
        ));
    }
    Ok(())
}

fn exterior(a: &Arguments) -> Fallible<Value> {
    Ok(Value::Form(a.form(0)?.d(&a.cx)))
}

fn contraction(a: &Arguments) -> Fallible<Value> {
    let field = a.field(0)?;
    if let Value::Matrix(m) = a.value(1)?.main()
        && let Some((tensor, _)) = as_tensor(&m)
    {
        return Ok(Value::Field(tensor.apply(&field)));
    }
    let form = a.form(1)?;
    if form.degree() == 0 {
        let diagnostic: Diagnostic = crate::geometry::Refusal::ContractsFunction.into();
        return Err(Box::new(diagnostic.label(a.positional[1].span, "a function").repair(
            "to differentiate the function along the field, take its Lie derivative",
            a.name_span,
            "lie",
        )));
    }
    meet(a, field.manifold(), form.manifold())?;
    Ok(simple_form(form.interior(&field)))
}

/// Forms of degree 0 are functions.
fn simple_form(form: Form) -> Value {
    match form.as_function() {
        Some(e) => Value::Expr(e),
        None => Value::Form(form),
    }
}

fn lie(a: &Arguments) -> Fallible<Value> {
    let field = a.field(0)?;
    match a.value(1)?.main() {
        Value::Field(other) => {
            meet(a, field.manifold(), other.manifold())?;
            Ok(Value::Field(field.bracket(&a.cx, &other)))
        }
        Value::Matrix(m) => match as_tensor(&m) {
            Some((tensor, chart)) => lie_value(&a.cx, &field, &tensor, &chart),
            None => Ok(Value::from(LabelledMatrix { matrix: m.matrix.map(|e| field.apply(&a.cx, e)), ..(*m).clone() })),
        },
        Value::List(items) => {
            let each = |v: &Value| Ok(simple_form(operate::as_form(&a.cx, v)?.lie(&a.cx, &field)));
            Ok(Value::list(items.iter().map(each).collect::<Fallible<Vec<_>>>()?))
        }
        _ => {
            let form = a.form(1)?;
            meet(a, field.manifold(), form.manifold())?;
            Ok(simple_form(form.lie(&a.cx, &field)))
        }
    }
}

fn bracket(a: &Arguments) -> Fallible<Value> {
    let (left, right) = (a.field(0)?, a.field(1)?);
    meet(a, left.manifold(), right.manifold())?;
    Ok(Value::Field(left.bracket(&a.cx, &right)))
}

/// The contact forms are those of the space on which the form was declared, or of what occurs in it; a second argument
/// `J1(J1(Y))` chooses them.
fn part(a: &Arguments, take: fn(&Form, Prolongation) -> Form) -> Fallible<Value> {
    let form = a.form(0)?;
    let chosen = if a.positional.len() == 2 { Some(a.value(1)?) } else { None };
    let along = match (chosen, a.value(0)?) {
        (Some(Value::Space(space)), _) => space.prolongation(),
        (Some(_), _) => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the contact forms are those of a space")
                    .label(a.positional[1].span, "not a space")
                    .help("`h(η, J1(J1(Y)))` takes them from there"),
            ));
        }
        (None, _) => prolongation(a, &form)?,
    };
    Ok(Value::Form(take(&form, along)))
}

fn holonomic(a: &Arguments) -> Fallible<Value> {
    let form = a.form(0)?;
    Ok(simple_form(form.pullback(&a.cx, &jet::holonomic_values(&form.symbols()))))
}

fn k_part(a: &Arguments) -> Fallible<Value> {
    let (form, k) = (a.form(0)?, a.jet_order(1)? as usize);
    Ok(Value::Form(contact::k_contact_part(&form, k, prolongation(a, &form)?)))
}

/// Of which space the contact forms are: of the one on which the form was declared, or of what occurs in it.
fn prolongation(a: &Arguments, form: &Form) -> Fallible<Prolongation> {
    Ok(match a.value(0)? {
        Value::OnSpace(declared) => declared.space.prolongation(),
        _ => contact::prolongation_of(form),
    })
}

fn prolong(a: &Arguments) -> Fallible<Value> {
    let space = match a.value(1)?.main() {
        Value::Space(space) => Some(space),
        _ => None,
    };
    let order = match &space {
        Some(space) => space.order(),
        None => a.jet_order(1)?,
    };
    match a.value(0)?.main() {
        Value::Section(s) => {
            let section = s.section.prolong(&a.cx, order)?;
            let name = format!("prolong({}, {order})", s.name);
            Ok(Value::Section(std::rc::Rc::new(crate::model::item::SectionItem { name, section })))
        }
        _ => {
            let field = a.field(0)?;
            let found = field.manifold()?.or_else(|| Some(space.as_ref()?.manifold().clone()));
            let manifold = home(a, found).map_err(|d| on_a_space(a, order, *d))?;
            let here = |r| {
                let d = Diagnostic::from(r).or_at(a.positional[0].span, "this field");
                if d.code.number != codes::NOT_PROJECTABLE.number {
                    return Box::new(d);
                }
                // It moves motions as (ξ^σ − q′ ξ⁰) ∂/∂q does, which keeps the time.
                let time = field.component(manifold.base());
                let vertical = VectorField::new(manifold.fibres().iter().map(|f| {
                    let (q, velocity) = (f.coordinate.jet(0), f.coordinate.jet(1));
                    (q, field.component(q) - Expr::symbol(velocity) * time)
                }));
                let text = vertical.write(Style::ASCII);
                let help = format!("prolong the field that moves motions in the same way and keeps the time: {text}");
                Box::new(d.repair(help, a.positional[0].span, text))
            };
            // A field that moves jets already must be a prolongation, or is one on JʳY and prolonged to J¹(JʳY).
            let below = field.on_manifold(&manifold);
            let moved = field.order_on(&a.cx, &manifold).order;
            let jets = manifold.jets(moved);
            let known = || below.prolong(&a.cx, &jets).is_ok_and(|x| x.equals(&a.cx, &field).is_yes());
            let on_jets = field
                .components()
                .iter()
                .any(|(s, _)| s.as_jet().is_none_or(|(_, order)| order > 0) && *s != manifold.base());
            let prolongs = !on_jets || known();
            if !prolongs && !space.as_ref().is_some_and(|s| s.is_free() && s.order() >= moved) {
                let title = match jets.order() {
                    0 => format!(
                        "this field on {jets} does not move derivatives as it moves what they are derivatives of"
                    ),
                    _ => format!("this field on {jets} is not the prolongation of one on {manifold}"),
                };
                let d = Diagnostic::error(&codes::WRONG_KIND, title)
                    .label(a.positional[0].span, "it moves derivatives in a way of its own");
                let free = jets.free().to_string();
                return Err(Box::new(match jets.order() {
                    0 => {
                        let text = without_jets(&field, &manifold).write(Style::ASCII);
                        d.repair(
                            format!("leave the derivatives to the prolongation: {text}"),
                            a.positional[0].span,
                            text,
                        )
                    }
                    _ => d.repair(format!("its own prolongation is on {free}"), a.positional[1].span, free),
                }));
            }
            let field =
                if prolongs { below.prolong(&a.cx, &manifold.jets(order)).map_err(&here)? } else { field.clone() };
            Ok(Value::Field(match space {
                Some(space) if space.is_free() => field.prolong_freely(&a.cx, &space).map_err(&here)?,
                _ => field,
            }))
        }
    }
}

/// The components along t and the coordinates themselves.
fn without_jets(field: &VectorField, manifold: &FiberedManifold) -> VectorField {
    let below = |(s, _): &(Symbol, Expr)| *s == manifold.base() || s.as_jet().is_some_and(|(_, order)| order == 0);
    VectorField::new(field.components().into_iter().filter(below))
}

/// A field along the time is prolonged to the jets of one manifold: which one is said by the space.
fn on_a_space(a: &Arguments, order: u32, mut d: Diagnostic) -> Box<Diagnostic> {
    d.helps.clear();
    let offer = |d: Diagnostic, m: &FiberedManifold| {
        let space = m.jets(order).to_string();
        d.repair(format!("name the space: {space}"), a.positional[1].span, space)
    };
    Box::new(a.manifolds.iter().fold(d, offer))
}

/// Objects know no order but the one they depend on, so lifting leaves them as they are, once the
/// order has been seen to be high enough.
fn lift(a: &Arguments) -> Fallible<Value> {
    let order = a.jet_order(1)?;
    let value = a.value(0)?.main();
    let found = match &value {
        Value::Form(f) => f.manifold()?.map(|m| f.order_on(&a.cx, &m).order),
        Value::Field(x) => x.manifold()?.map(|m| x.order_on(&a.cx, &m).order),
        _ => Some(jet::jet_order(&a.cx, a.expr(0)?).order),
    };
    if found.is_some_and(|n| n > order) {
        return Err(Box::new(
            Diagnostic::error(
                &codes::ORDER_TOO_HIGH,
                format!("this is of order {}, above {order}", found.unwrap_or(0)),
            )
            .label(a.positional[1].span, "an order at least as high is needed")
            .repair(
                format!("lift it to the order {}", found.unwrap_or(0)),
                a.positional[1].span,
                found.unwrap_or(0).to_string(),
            ),
        ));
    }
    Ok(value)
}

/// The predicate of a finding, with its evidence as a part.
fn finding_value(question: &'static str, found: Finding) -> Value {
    let mut answer = Answer::new(question).main(found.verdict);
    if let Some(c) = found.evidence {
        let basis = crate::model::show::basis_text(&c.basis);
        answer = answer.part("component", Value::Text(basis.into())).part("coefficient", c.coefficient);
    }
    Value::from(answer)
}

fn finding(a: &Arguments, test: impl Fn(&Form, Prolongation, &FiberedManifold) -> Finding) -> Fallible<Value> {
    let form = a.form(0)?;
    match form.manifold()?.or_else(|| a.on.clone()) {
        Some(manifold) => Ok(finding_value(a.question.name, test(&form, prolongation(a, &form)?, &manifold))),
        None => Ok(Value::from(Verdict::yes("no coordinate of a manifold occurs"))),
    }
}

fn is_k_contact(a: &Arguments) -> Fallible<Value> {
    let (form, k) = (a.form(0)?, a.jet_order(1)? as usize);
    Ok(finding_value(a.question.name, contact::is_k_contact_along(&a.cx, &form, k, prolongation(a, &form)?)))
}

fn horizontal_over(a: &Arguments) -> Fallible<Value> {
    let space = match a.value(1)?.main() {
        Value::Manifold(manifold) => manifold.jets(0),
        Value::Space(space) => space,
        other => {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the second argument is a manifold or a jet space")
                    .label(a.positional[1].span, format!("this is {}", operate::describe(&other))),
            ));
        }
    };
    Ok(finding_value(a.question.name, contact::is_horizontal_over(&a.cx, &a.form(0)?, &space)))
}

/// The manifold of a field; any if it moves only the time, which is seen in the same way on every one.
fn anywhere(a: &Arguments, field: &VectorField) -> Fallible<FiberedManifold> {
    let found = field.manifold()?;
    home(a, found.or_else(|| a.declared()).or_else(|| a.on.clone()).or_else(|| a.latest()))
}

fn field_finding(a: &Arguments, test: impl Fn(&VectorField, &FiberedManifold) -> Finding) -> Fallible<Value> {
    let field = a.field(0)?;
    let manifold = anywhere(a, &field)?;
    Ok(finding_value(a.question.name, test(&field, &manifold)))
}

fn is_semispray(a: &Arguments) -> Fallible<Value> {
    let field = a.field(0)?;
    let manifold = anywhere(a, &field)?;
    // The jet space is the one whose top jets have components.
    if let Value::OnSpace(declared) = a.value(0)? {
        let found = field.is_semispray(&a.cx, &declared.space);
        if found.finding.verdict.is_yes() && !found.nonzero.is_number() {
            crate::algebra::conditions::record_nonzero(&a.cx, found.nonzero);
        }
        return Ok(finding_value("is_semispray", found.finding));
    }
    let order = field
        .components()
        .iter()
        .filter_map(|(s, _)| manifold.order_of_symbol(*s))
        .max()
        .unwrap_or(0)
        .max(field.order_on(&a.cx, &manifold).order);
    let found = field.is_semispray(&a.cx, &manifold.jets(order));
    let finding = found.finding;
    if finding.verdict.is_yes() && !found.nonzero.is_number() {
        crate::algebra::conditions::record_nonzero(&a.cx, found.nonzero);
    }
    Ok(finding_value("is_semispray", finding))
}

fn is_holonomic(a: &Arguments) -> Fallible<Value> {
    match a.value(0)?.main() {
        Value::Section(s) => Ok(finding_value("is_holonomic", s.section.is_holonomic(&a.cx))),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a section is needed here")
                .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}
