//! Questions of the calculus on jets: d, h, p, contraction, Lie derivatives, prolongation, predicates.

use super::{Arguments, Question, refusal};
use crate::algebra::derive::partials;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::contact::{self, Finding};
use crate::geometry::distribution::{Codistribution, Distribution};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{self, FiberedManifold, Prolongation};
use crate::model::value::{Answer, Fallible, LabelledMatrix, Value};
use crate::session::operate;

macro_rules! rows {
    ($($name:literal $signature:literal $help:literal $run:expr;)*) => {
        pub static ROWS: &[Question] = &[$(Question {
            name: $name, signature: $signature, help: $help, options: &[], takes_equations: false,
            parts: &[], run: $run,
        }),*];
    };
}

rows! {
    "jet" "jet(q, 5)" "the fifth jet of a coordinate, or the fifth total derivative of a function" jet_of;
    "vel" "vel(x')" "the velocity of a phase-space coordinate along a curve that need not be holonomic" vel;
    "omega" "omega(x)" "the contact form dx - x'*dt" omega;
    "D" "D(f, x', y)" "partial derivatives, one after the other" partial;
    "d" "d(η)" "the exterior derivative" exterior;
    "i" "i(ξ, η)" "the contraction of a form with a vector field" contraction;
    "lie" "lie(ξ, η)" "the Lie derivative of a function, form or field" lie;
    "bracket" "bracket(ξ, ζ)" "the Lie bracket of two vector fields" bracket;
    "h" "h(η)" "the horizontal part" |a| part(a, contact::horizontal_part);
    "p" "p(η)" "the contact part" |a| part(a, contact::contact_part);
    "p1" "p1(η)" "the 1-contact part" |a| part(a, contact::one_contact_part);
    "p2" "p2(η)" "the 2-contact part" |a| part(a, contact::two_contact_part);
    "contact_part" "contact_part(η, k)" "the k-contact part" k_part;
    "prolong" "prolong(ξ, r)" "the r-th prolongation of a projectable field or of a section" prolong;
    "lift" "lift(η, r)" "the same object on the r-th jet space" lift;
    "pullback" "pullback(map, η)" "the pullback of a function, form or Lagrangian by a map or section" pullback;
    "transform" "transform(A, map)" "carries an object forward along an invertible map" transform;
    "jacobian" "jacobian(map)" "the matrix of a map, rows the new, columns the old fibre coordinates" jacobian;
    "image" "image(map)" "the submanifold a map parametrises" image;
    "is_horizontal" "is_horizontal(η)" "components along dt only" |a| finding(a, |f, _| contact::is_horizontal(f));
    "is_horizontal_over" "is_horizontal_over(η, Y)" "only dt and the differentials of the coordinates of Y" horizontal_over;
    "is_contact" "is_contact(η)" "vanishes along every motion" |a| finding(a, |f, _| contact::is_contact(f));
    "is_dynamical" "is_dynamical(η)" "a 2-form with terms E*dx /\\ dt only" |a| finding(a, contact::is_dynamical);
    "is_lepage" "is_lepage(η)" "its 1-contact part is dynamical" |a| finding(a, contact::is_lepage);
    "is_closed" "is_closed(η)" "its exterior derivative vanishes" |a| finding(a, |f, _| contact::is_closed(f));
    "is_vertical" "is_vertical(ξ)" "no component along @t" |a| field_finding(a, |x, m| x.is_vertical(m));
    "is_projectable" "is_projectable(ξ)" "the component along @t depends on t only" |a| field_finding(a, |x, m| x.is_projectable(m));
    "is_semispray" "is_semispray(ξ)" "its integral curves are prolonged motions" is_semispray;
    "is_holonomic" "is_holonomic(g)" "the section is the prolongation of a motion" is_holonomic;
    "span" "span(a, b, …)" "the codistribution or distribution spanned by forms or fields" span;
    "rank" "rank(A)" "the rank of a matrix, a 2-form, a distribution or a codistribution" rank;
    "annihilator" "annihilator(Δ)" "the forms that vanish on a distribution, the fields on which forms vanish" annihilator;
    "involutive" "involutive(Δ)" "closed under brackets (Frobenius)" involutive;
    "derived" "derived(Δ)" "the distribution with its brackets" derived;
}

fn jet_of(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let order = a.jet_order(1)?;
    operate::prime(&a.value(0)?, order)
}

fn vel(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
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
    a.count(1, 1)?;
    let symbol = a.symbol(0)?;
    if symbol.as_jet().is_none() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{symbol}` is not a jet, it has no contact form"))
                .label(a.positional[0].span, "not a jet"),
        ));
    }
    Ok(Value::Form(Form::omega(symbol)))
}

fn partial(a: &Arguments) -> Fallible<Value> {
    a.count(2, 64)?;
    let f = a.expr(0)?;
    let by = (1..a.positional.len()).map(|i| a.symbol(i)).collect::<Fallible<Vec<_>>>()?;
    Ok(Value::Expr(partials(f, &by)))
}

fn exterior(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    Ok(Value::Form(a.form(0)?.d()))
}

fn contraction(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let (field, form) = (a.field(0)?, a.form(1)?);
    if form.degree() == 0 {
        return Err(refusal(crate::geometry::Refusal::ContractsFunction))
            .map_err(|d| Box::new(d.or_at(a.positional[1].span, "a function")));
    }
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
    a.count(2, 2)?;
    let field = a.field(0)?;
    match a.value(1)?.main() {
        Value::Field(other) => Ok(Value::Field(field.bracket(&other))),
        _ => Ok(simple_form(a.form(1)?.lie(&field))),
    }
}

fn bracket(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    Ok(Value::Field(a.field(0)?.bracket(&a.field(1)?)))
}

fn part(a: &Arguments, take: fn(&Form) -> Form) -> Fallible<Value> {
    a.count(1, 1)?;
    Ok(Value::Form(take(&a.form(0)?)))
}

fn k_part(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let k = a.jet_order(1)? as usize;
    Ok(Value::Form(contact::k_contact_part(&a.form(0)?, k, Prolongation::Holonomic)))
}

/// The manifold on which the arguments live.
fn home(a: &Arguments, found: Option<FiberedManifold>) -> Fallible<FiberedManifold> {
    found.or_else(|| a.on.clone()).or_else(|| a.latest.clone()).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_MANIFOLD, "it is not clear on which manifold this lives")
                .label(a.span, "no coordinate of a manifold occurs"),
        )
    })
}

fn prolong(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let order = a.jet_order(1)?;
    match a.value(0)?.main() {
        Value::Section(s) => {
            let section = s.section.prolong(order).map_err(refusal)?;
            let name = format!("prolong({}, {order})", s.name);
            Ok(Value::Section(std::rc::Rc::new(crate::model::item::SectionItem { name, section })))
        }
        _ => {
            let field = a.field(0)?;
            let manifold = home(a, field.manifold().map_err(refusal)?)?;
            let prolonged = field.prolong(&manifold.jets(order));
            Ok(Value::Field(prolonged.map_err(|r| Box::new(refusal(r).or_at(a.positional[0].span, "this field")))?))
        }
    }
}

/// Objects know no order but the one they depend on, so lifting leaves them as they are, once the
/// order has been seen to be high enough.
fn lift(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let order = a.jet_order(1)?;
    let value = a.value(0)?.main();
    let found = match &value {
        Value::Form(f) => f.manifold().map_err(refusal)?.map(|m| f.order_on(&m).order),
        Value::Field(x) => x.manifold().map_err(refusal)?.map(|m| x.order_on(&m).order),
        _ => Some(jet::jet_order(a.expr(0)?).order),
    };
    if found.is_some_and(|n| n > order) {
        return Err(Box::new(
            Diagnostic::error(
                &codes::ORDER_TOO_HIGH,
                format!("this is of order {}, above {order}", found.unwrap_or(0)),
            )
            .label(a.positional[1].span, "an order at least as high is needed"),
        ));
    }
    Ok(value)
}

fn pullback(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let by = a.value(0)?.main();
    let wrong = |r| Box::new(refusal(r).or_at(a.positional[1].span, "this object"));
    let form = a.form(1);
    let value = a.value(1)?;
    match by {
        Value::Map(m) => match value.main() {
            Value::System(s) => super::systems::pull_back_system(&m.map, &s),
            _ => Ok(simple_form(m.map.pullback(&form?).map_err(wrong)?)),
        },
        Value::Section(s) => match value.main() {
            Value::System(system) if system.lagrangian().is_some() => {
                let l = system.lagrangian().expect("just seen").function();
                Ok(Value::Expr(s.section.pullback_function(l).map_err(wrong)?))
            }
            _ => Ok(simple_form(s.section.pullback(&form?).map_err(wrong)?)),
        },
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "the first argument of `pullback` is a map or a section")
                .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}

fn map_argument(a: &Arguments, i: usize) -> Fallible<std::rc::Rc<crate::model::item::MapItem>> {
    match a.value(i)?.main() {
        Value::Map(m) => Ok(m),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a map is needed here")
                .label(a.positional[i].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}

fn transform(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let map = map_argument(a, 1)?;
    super::systems::transform(a, &map.map)
}

fn jacobian(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let map = map_argument(a, 0)?;
    let jacobian = map.map.jacobian();
    Ok(Value::from(LabelledMatrix {
        matrix: Matrix::from_rows(jacobian.entries.clone()),
        rows: jacobian.rows.clone(),
        columns: jacobian.columns.clone(),
    }))
}

fn image(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let map = map_argument(a, 0)?;
    super::sets::image(&map.map)
}

/// The predicate of a finding, with its evidence as a part.
fn finding_value(question: &'static str, found: Finding) -> Value {
    let mut answer = Answer::new(question).main(found.verdict);
    if let Some(c) = found.evidence {
        let basis = crate::session::promise::basis_text(&c.basis);
        answer = answer.part("component", Value::Text(basis.into())).part("coefficient", c.coefficient);
    }
    Value::from(answer)
}

fn finding(a: &Arguments, test: impl Fn(&Form, &FiberedManifold) -> Finding) -> Fallible<Value> {
    a.count(1, 1)?;
    let form = a.form(0)?;
    match form.manifold().map_err(refusal)?.or_else(|| a.on.clone()) {
        Some(manifold) => Ok(finding_value(a.question.name, test(&form, &manifold))),
        None => Ok(Value::from(Verdict::yes("no coordinate of a manifold occurs"))),
    }
}

fn horizontal_over(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let Value::Manifold(manifold) = a.value(1)?.main() else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "the second argument is a manifold")
                .label(a.positional[1].span, "not one"),
        ));
    };
    Ok(finding_value(a.question.name, contact::is_horizontal_over(&a.form(0)?, &manifold)))
}

fn field_finding(a: &Arguments, test: impl Fn(&VectorField, &FiberedManifold) -> Finding) -> Fallible<Value> {
    a.count(1, 1)?;
    let field = a.field(0)?;
    let manifold = home(a, field.manifold().map_err(refusal)?)?;
    Ok(finding_value(a.question.name, test(&field, &manifold)))
}

fn is_semispray(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let field = a.field(0)?;
    let manifold = home(a, field.manifold().map_err(refusal)?)?;
    // The jet space is the one whose top jets have components.
    if let Value::OnSpace(declared) = a.value(0)? {
        let found = field.is_semispray(&declared.space);
        if found.finding.verdict.is_yes() && !found.nonzero.is_number() {
            crate::algebra::conditions::record_nonzero(found.nonzero);
        }
        return Ok(finding_value("is_semispray", found.finding));
    }
    let order = field
        .components()
        .iter()
        .filter_map(|(s, _)| manifold.order_of_symbol(*s))
        .max()
        .unwrap_or(0)
        .max(field.order_on(&manifold).order);
    let found = field.is_semispray(&manifold.jets(order));
    let finding = found.finding;
    if finding.verdict.is_yes() && !found.nonzero.is_number() {
        crate::algebra::conditions::record_nonzero(found.nonzero);
    }
    Ok(finding_value("is_semispray", finding))
}

fn is_holonomic(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    match a.value(0)?.main() {
        Value::Section(s) => Ok(finding_value("is_holonomic", s.section.is_holonomic())),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a section is needed here")
                .label(a.positional[0].span, format!("this is {}", operate::describe(&other))),
        )),
    }
}

/// Forms give a codistribution, fields a distribution.
fn span(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1000)?;
    let mut fields = vec![];
    let mut forms = vec![];
    for (i, argument) in a.positional.iter().enumerate() {
        match argument.value.main() {
            Value::Field(x) => fields.push(x),
            _ => forms.push(a.form(i)?),
        }
    }
    if !fields.is_empty() && !forms.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "forms and fields do not span together").label(a.span, "both occur"),
        ));
    }
    if forms.is_empty() {
        let manifold = home(a, fields.iter().find_map(|x| x.manifold().ok().flatten()))?;
        let order = fields.iter().map(|x| x.order_on(&manifold).order).max().unwrap_or(0);
        let space = manifold.jets(order);
        return Ok(Value::from(Distribution::new(&space, fields).map_err(refusal)?));
    }
    let manifold = home(a, forms.iter().find_map(|f| f.manifold().ok().flatten()))?;
    let order = forms.iter().map(|f| f.order_on(&manifold).order).max().unwrap_or(0);
    let space = manifold.jets(order);
    Ok(Value::from(Codistribution::new(&space, forms).map_err(refusal)?))
}

fn rank(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    match a.value(0)?.main() {
        Value::Matrix(m) => super::strata::rank_value(&m.matrix, None),
        Value::Distribution(d) => super::strata::rank_value(&d.matrix(), None),
        Value::Codistribution(c) => super::strata::rank_value(&c.matrix(), None),
        _ => {
            let form = a.form(0)?;
            if form.degree() != 2 {
                return Err(refusal(crate::geometry::Refusal::WrongDegree { expected: 2, found: form.degree() }));
            }
            // The antisymmetric matrix of its coefficients.
            let axes: Vec<Symbol> = form.axes().iter().map(|x| x.symbol()).collect();
            let entry = |i: usize, j: usize| {
                if i == j { Expr::zero() } else { form.coefficient(&[axes[i], axes[j]]) }
            };
            let matrix = Matrix::from_fn(axes.len(), axes.len(), entry);
            super::strata::rank_value(&matrix, None)
        }
    }
}

fn annihilator(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    match a.value(0)?.main() {
        Value::Distribution(d) => Ok(Value::from(d.annihilator().map_err(refusal)?)),
        Value::Codistribution(c) => Ok(Value::from(c.annihilator().map_err(refusal)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}

fn not_a_distribution(a: &Arguments, found: &Value) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::WRONG_KIND, "a distribution or codistribution is needed here")
            .label(a.positional[0].span, format!("this is {}", operate::describe(found))),
    )
}

fn involutive(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    match a.value(0)?.main() {
        Value::Distribution(d) => Ok(Value::from(d.is_involutive().map_err(refusal)?)),
        Value::Codistribution(c) => Ok(Value::from(c.is_involutive().map_err(refusal)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}

fn derived(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    match a.value(0)?.main() {
        Value::Distribution(d) => Ok(Value::from(d.derived().map_err(refusal)?)),
        other => Err(not_a_distribution(a, &other)),
    }
}
