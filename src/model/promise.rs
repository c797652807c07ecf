//! Promises and how they are kept. The words after the colon of a declaration, its degree and the space after
//! `on` are promises; a [`Violation`] says which one is broken, by which component, and what to write instead,
//! computed from the form at hand:
//!
//! ```text
//! error[E0312]: this 1-form is not horizontal
//!   a component along dx
//!   help: take its horizontal part: h(x'*dt + y*dx) = (x' + y*x')*dt
//! ```
//!
//! A promise that can be neither shown nor refuted is not kept: the violation says that it is undecided. One
//! that rests on sampling is kept, and the ground is handed back to be repeated by every answer built on it.

use super::types::{FieldProperty, FormProperty, find_field, find_form};
use crate::algebra::Inquiry;
use crate::algebra::assume;
use crate::algebra::expr::Node;
use crate::algebra::print::Style;
use crate::algebra::{Expr, Ground, Symbol, SymbolKind, Verdict};
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::geometry::contact::{self, Component, Finding};
use crate::geometry::jet::{JetSpace, space_with, underlying, velocity};
use crate::geometry::{Form, Refusal, VectorField};

/// What a declaration of a form promises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormPromise {
    pub degree: Option<usize>,
    pub space: JetSpace,
    pub properties: Vec<FormProperty>,
}

/// What a declaration of a field promises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPromise {
    pub space: JetSpace,
    pub properties: Vec<FieldProperty>,
}

/// A broken promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub code: &'static Code,
    /// What is wrong: `this 1-form is not horizontal`.
    pub title: String,
    /// The component that breaks it; the term that makes it is the place to point at.
    pub evidence: Option<Component>,
    /// The coordinate that does not belong there.
    pub symbol: Option<Symbol>,
    /// The word that was promised, as it is written.
    pub property: Option<String>,
    /// What to say beside the offending term: `a component along dx`.
    pub label: String,
    pub notes: Vec<String>,
    pub remedy: Option<Remedy>,
}

/// What to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Put the operator around what was written: `h(…)`; its value is shown. `space` is given when the
    /// result needs a higher order than was promised.
    Apply { operator: &'static str, words: &'static str, value: String, space: Option<JetSpace> },
    /// Write this value instead.
    Replace { words: &'static str, value: String },
    /// Promise something else: `1-form`, `2-contact`, or nothing for an empty text.
    Promise { instead_of: String, words: String },
    /// Declare it on a larger space.
    Space { space: JetSpace },
    /// State facts under which the question can be settled: these are positive.
    Assume { positive: Vec<Expr> },
}

impl Remedy {
    /// The sentence after `help:`, for an object that was written as `written`.
    pub fn help(&self, written: &str) -> String {
        match self {
            Remedy::Apply { operator, words, value, space } => {
                let on = space.as_ref().map(|s| format!(", and declare it on {s}")).unwrap_or_default();
                format!("take {words}: {operator}({written}) = {value}{on}")
            }
            Remedy::Replace { words, value } => format!("{words}: {value}"),
            Remedy::Promise { instead_of, words } if words.is_empty() => format!("leave out the word {instead_of}"),
            Remedy::Promise { instead_of, words } => format!("promise {words} instead of {instead_of}"),
            Remedy::Space { space } => format!("declare it on {space}"),
            Remedy::Assume { .. } => format!("state what is known, so that it can be settled: {}", self.statement()),
        }
    }

    /// `assume x > 0`, for facts that are missing.
    pub fn statement(&self) -> String {
        let Remedy::Assume { positive } = self else { return String::new() };
        let facts: Vec<String> = positive.iter().map(|e| format!("{} > 0", Style::ASCII.write(*e))).collect();
        format!("assume {}", facts.join(", "))
    }
}

/// Checks a form against its promise. The form comes back as one on the promised space, written without
/// jets that cancel, with the ground on which the promise holds.
pub fn check(cx: &Inquiry, promise: &FormPromise, form: &Form) -> Result<(Form, Ground), Box<Violation>> {
    if let Some(expected) = promise.degree.filter(|d| *d != form.degree()) {
        // Zero is a form of every degree.
        return match form.is_zero(cx) {
            Verdict::Yes(ground) => Ok((Form::zero(expected), ground)),
            _ => Err(Box::new(wrong_degree(expected, form))),
        };
    }
    let (form, mut ground) = form.project(cx, &promise.space).map_err(|refusal| Box::new(misplaced(refusal)))?;
    for property in &promise.properties {
        let finding = find_form(cx, &form, property, Some(promise.space.manifold()), promise.space.prolongation());
        match finding.verdict {
            Verdict::Yes(g) => ground = ground.weaker(g),
            _ => return Err(Box::new(broken(cx, promise, &form, property, finding))),
        }
    }
    Ok((form, ground))
}

/// Checks a field against its promise.
pub fn check_field(
    cx: &Inquiry,
    promise: &FieldPromise,
    field: &VectorField,
) -> Result<(VectorField, Ground), Box<Violation>> {
    let (field, mut ground) = field.project(cx, &promise.space).map_err(|refusal| Box::new(misplaced(refusal)))?;
    for property in &promise.properties {
        let finding = find_field(cx, &field, *property, &promise.space);
        match finding.verdict {
            Verdict::Yes(g) => ground = ground.weaker(g),
            _ => return Err(Box::new(broken_field(cx, promise, &field, *property, finding))),
        }
    }
    Ok((field, ground))
}

fn kind(degree: usize) -> String {
    if degree == 0 { "function".into() } else { format!("{degree}-form") }
}

fn wrong_degree(expected: usize, form: &Form) -> Violation {
    let (expected, found) = (kind(expected), kind(form.degree()));
    Violation {
        code: &codes::WRONG_DEGREE,
        title: format!("this is a {found}, and a {expected} was promised"),
        evidence: None,
        symbol: None,
        property: Some(expected.clone()),
        label: format!("a {found}"),
        notes: vec![],
        remedy: Some(Remedy::Promise { instead_of: expected, words: found }),
    }
}

/// Something on the wrong manifold or of too high an order.
pub fn misplaced(refusal: Refusal) -> Violation {
    let (label, symbol, remedy) = match &refusal {
        Refusal::OrderTooHigh { space, symbol, order, .. } => {
            let higher = space.manifold().jets(*order);
            (format!("{symbol} is a coordinate of {higher}"), Some(*symbol), Some(Remedy::Space { space: higher }))
        }
        Refusal::ForeignCoordinate { symbol, space }
            if matches!(symbol.kind(), SymbolKind::Velocity { .. })
                && space.manifold().order_of_symbol(underlying(*symbol)).is_some() =>
        {
            let free = space_with(space.manifold(), space.order(), &[*symbol]);
            (format!("{symbol} is a coordinate of {free}"), Some(*symbol), Some(Remedy::Space { space: free }))
        }
        Refusal::ForeignCoordinate { symbol, .. } => ("a coordinate of another manifold".into(), Some(*symbol), None),
        _ => (String::new(), None, None),
    };
    // The label says already that the jet occurs.
    let occurs = matches!(&refusal, Refusal::OrderTooHigh { verdict: Verdict::No(_), .. });
    let diagnostic = Diagnostic::from(refusal);
    let (code, title) = (diagnostic.code, diagnostic.title);
    let notes = if occurs { vec![] } else { diagnostic.notes };
    Violation { code, title, evidence: None, symbol, property: None, label, notes, remedy }
}

fn broken(cx: &Inquiry, promise: &FormPromise, form: &Form, property: &FormProperty, finding: Finding) -> Violation {
    let code = match property {
        FormProperty::Horizontal => &codes::NOT_HORIZONTAL,
        FormProperty::HorizontalOver(_) => &codes::NOT_HORIZONTAL_OVER,
        FormProperty::Contact => &codes::NOT_CONTACT,
        FormProperty::KContact(_) => &codes::NOT_K_CONTACT,
        FormProperty::Dynamical => &codes::NOT_DYNAMICAL,
        FormProperty::Lepage => &codes::NOT_LEPAGE,
        FormProperty::Closed => &codes::NOT_CLOSED,
    };
    let what = kind(form.degree());
    let of = match property {
        FormProperty::Closed => " of its derivative",
        FormProperty::Lepage => " of its 1-contact part",
        FormProperty::Contact => " of its horizontal part",
        _ => "",
    };
    violation(cx, code, &what, &property.to_string(), of, finding, || form_remedy(cx, promise, form, property))
}

fn broken_field(
    cx: &Inquiry,
    promise: &FieldPromise,
    field: &VectorField,
    property: FieldProperty,
    finding: Finding,
) -> Violation {
    let code = match property {
        FieldProperty::Vertical => &codes::NOT_VERTICAL,
        FieldProperty::Projectable => &codes::NOT_PROJECTABLE,
        FieldProperty::Semispray => &codes::NOT_SEMISPRAY,
    };
    // The component of a field along ∂/∂t is shown as that, and a residual of a semispray by its ω.
    let mut violation =
        violation(cx, code, "field", &property.to_string(), "", finding, || field_remedy(promise, field, property));
    if let Some(Component { basis, coefficient }) = &violation.evidence {
        let symbol = basis[0].symbol();
        let component = Style::ASCII.write(field.component(symbol));
        violation.label = format!("its component along @{symbol}");
        violation.notes = match property {
            FieldProperty::Vertical => vec![format!("the component along @{symbol} is {component}")],
            FieldProperty::Projectable => {
                vec![format!("the component along @{symbol} is {component}, which is not a function of {symbol}")]
            }
            FieldProperty::Semispray if matches!(basis[0], contact::Covector::Contact(_)) => vec![format!(
                "the component along @{symbol} should be {}, and is {component}",
                field.component(promise.space.manifold().base()) * velocity(symbol, promise.space.prolongation())
            )],
            FieldProperty::Semispray => {
                vec![format!("the component along @{symbol} must not vanish, and is {coefficient}")]
            }
        };
    }
    violation
}

fn violation(
    cx: &Inquiry,
    code: &'static Code,
    what: &str,
    property: &str,
    of: &str,
    finding: Finding,
    remedy: impl FnOnce() -> Option<Remedy>,
) -> Violation {
    let label = match &finding.evidence {
        Some(component) if component.basis.is_empty() => "a function that does not vanish".into(),
        Some(component) => format!("a component{of} along {}", component.basis_text()),
        None => String::new(),
    };
    let coefficient = finding.evidence.as_ref().map(|c| {
        Style::ASCII.with_limit(400).write(crate::algebra::normal::simplify(cx, c.coefficient).unwrap_or(c.coefficient))
    });
    let is = match property {
        "lepage" => "a Lepage form",
        "semispray" => "a semispray",
        other => other,
    };
    match finding.verdict {
        Verdict::Unknown(why) => {
            let facts = finding.evidence.as_ref().and_then(|c| missing_facts(cx, c.coefficient));
            let mut notes = vec![why];
            if let Some(coefficient) = coefficient {
                notes.push(format!("it holds if this is zero: {coefficient}"));
            }
            if facts.is_none() {
                notes.push("a fact about where it has a value may settle it: `assume …`".into());
            }
            Violation {
                code: &codes::UNDECIDED,
                title: format!("it cannot be decided whether this {what} is {is}"),
                evidence: finding.evidence,
                symbol: None,
                property: Some(property.into()),
                label,
                notes,
                remedy: Some(facts.unwrap_or(Remedy::Promise { instead_of: property.into(), words: String::new() })),
            }
        }
        Verdict::No(ground) | Verdict::Yes(ground) => {
            let mut notes = vec![];
            if let Some(coefficient) = coefficient.filter(|c| c != "1" && c != "-1") {
                notes.push(format!("the component is {coefficient}"));
            }
            match &ground {
                Ground::Proved(why) if finding.evidence.is_none() && !why.is_empty() => notes.push(why.clone()),
                Ground::Sampled { .. } => notes.push(ground.to_string()),
                Ground::Proved(_) => {}
            }
            Violation {
                code,
                title: format!("this {what} is not {is}"),
                evidence: finding.evidence,
                symbol: None,
                property: Some(property.into()),
                label,
                notes,
                remedy: remedy(),
            }
        }
    }
}

/// Facts under which it can be decided whether the function vanishes: that its roots and logarithms have a value.
/// They are tried before they are proposed.
pub fn missing_facts(cx: &Inquiry, e: Expr) -> Option<Remedy> {
    let mut positive: Vec<Expr> = vec![];
    let mut stack = vec![e];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        let needed = match e.node() {
            Node::Apply(f, arguments) => {
                let interval = f.row().argument_interval();
                let sides = interval.into_iter().flat_map(|i| arguments.iter().flat_map(move |x| i.sides(*x)));
                sides.map(|(side, _)| side).collect()
            }
            Node::Product(factors) => {
                factors.iter().filter(|(_, exponent)| !exponent.is_integer()).map(|(base, _)| *base).collect()
            }
            _ => vec![],
        };
        positive.extend(needed.into_iter().filter(|e| !assume::sign_of(cx, *e).is_positive()));
        stack.extend(e.children());
    }
    positive.sort();
    positive.dedup();
    if positive.is_empty() {
        return None;
    }
    let under = cx.assuming(positive.iter().map(|e| (*e, assume::Sign::POSITIVE)));
    let settled = under.is_some_and(|cx| !crate::algebra::decide::is_zero(&cx, e).is_unknown());
    settled.then_some(Remedy::Assume { positive })
}

/// The order above the promised one that the form needs, if it needs one.
fn higher(cx: &Inquiry, promise: &FormPromise, form: &Form) -> Option<JetSpace> {
    let order = form.order_on(cx, promise.space.manifold()).order;
    (order > promise.space.order()).then(|| promise.space.lift(order))
}

fn apply(cx: &Inquiry, promise: &FormPromise, operator: &'static str, words: &'static str, value: Form) -> Remedy {
    let (value, _) = value.simplified(cx);
    let space = higher(cx, promise, &value);
    Remedy::Apply { operator, words, value: value.write(Style::ASCII.with_limit(400)), space }
}

fn form_remedy(cx: &Inquiry, promise: &FormPromise, form: &Form, property: &FormProperty) -> Option<Remedy> {
    let manifold = promise.space.manifold();
    let drop_word = || Remedy::Promise { instead_of: property.to_string(), words: String::new() };
    let written = |form: Form, words: &'static str| {
        let (form, _) = form.simplified(cx);
        (!form.is_empty()).then(|| Remedy::Replace { words, value: form.write(Style::ASCII.with_limit(400)) })
    };
    match property {
        FormProperty::Horizontal if form.degree() <= 1 => {
            let part = contact::k_contact_part(form, 0, promise.space.prolongation());
            Some(apply(cx, promise, "h", "its horizontal part", part))
        }
        FormProperty::Horizontal => Some(drop_word()),
        FormProperty::HorizontalOver(space) => {
            let part = form.keep(|basis, c| basis.iter().all(|a| space.contains(a.symbol())).then_some(c));
            written(part, "keep the terms along dt and its coordinates").or_else(|| Some(drop_word()))
        }
        FormProperty::Contact if promise.space.is_free() => {
            let part = contact::contact_part_along(form, promise.space.prolongation());
            written(part, "take its contact part").or_else(|| Some(drop_word()))
        }
        FormProperty::Contact => Some(apply(cx, promise, "p", "its contact part", contact::contact_part(form))),
        FormProperty::KContact(k) => {
            let other = (0..=form.degree()).find(|j| contact::is_k_contact(cx, form, *j).verdict.is_yes());
            match (k, other) {
                (_, Some(j)) => Some(Remedy::Promise {
                    instead_of: property.to_string(),
                    words: FormProperty::KContact(j).to_string(),
                }),
                (1, None) if form.degree() <= 2 => {
                    Some(apply(cx, promise, "p1", "its 1-contact part", contact::one_contact_part(form)))
                }
                (2, None) if form.degree() <= 3 => {
                    Some(apply(cx, promise, "p2", "its 2-contact part", contact::two_contact_part(form)))
                }
                _ => Some(drop_word()),
            }
        }
        FormProperty::Dynamical if form.degree() == 2 => {
            let one_contact = contact::one_contact_part(form);
            if contact::is_dynamical(cx, &one_contact, manifold).verdict.is_yes() {
                return Some(apply(cx, promise, "p1", "its 1-contact part", one_contact));
            }
            let space = manifold.jets(0);
            let part = form.keep(|b, c| (b[1].is_base() && space.contains(b[0].symbol())).then_some(c));
            written(part, "keep the terms that state an equation").or_else(|| Some(drop_word()))
        }
        FormProperty::Lepage if form.degree() == 2 => {
            // The Lepage class of the equations that the form states.
            let space = manifold.jets(0);
            let part = contact::one_contact_part(form);
            let part = part.keep(|b, c| (b[1].is_base() && space.contains(b[0].symbol())).then_some(c));
            let (part, _) = part.simplified(cx);
            let value = format!("lepage({})", part.write(Style::ASCII.with_limit(400)));
            let words = "take the Lepage form of the equations that it states";
            (!part.is_empty()).then_some(Remedy::Replace { words, value }).or_else(|| Some(drop_word()))
        }
        // The equations, as 1-forms: their dt is missing.
        FormProperty::Dynamical if form.degree() == 1 => {
            let dt = Form::term(Expr::one(), &[manifold.base()]);
            let with_time = form.wedge(&dt);
            let is_one = contact::is_dynamical(cx, &with_time, manifold).verdict.is_yes();
            let remedy = is_one.then(|| written(with_time, "its dt is missing"));
            remedy.flatten().or_else(|| Some(drop_word()))
        }
        FormProperty::Dynamical | FormProperty::Lepage | FormProperty::Closed => Some(drop_word()),
    }
}

fn field_remedy(promise: &FieldPromise, field: &VectorField, property: FieldProperty) -> Option<Remedy> {
    let base = promise.space.manifold().base();
    let value = |field: VectorField| field.write(Style::ASCII.with_limit(400));
    let drop_word = || Remedy::Promise { instead_of: property.to_string(), words: String::new() };
    match property {
        FieldProperty::Vertical => {
            let rest = field - &VectorField::new([(base, field.component(base))]);
            Some(if rest.is_empty() {
                drop_word()
            } else {
                Remedy::Replace { words: "leave out the component along time", value: value(rest) }
            })
        }
        FieldProperty::Projectable => Some(drop_word()),
        FieldProperty::Semispray => {
            let speed = match field.component(base) {
                none if none.is_zero() => Expr::one(),
                speed => speed,
            };
            let top: Vec<Expr> = promise.space.top_jets().into_iter().map(|q| field.component(q)).collect();
            let motion = VectorField::semispray(&promise.space, &vec![Expr::zero(); top.len()]).scale(speed);
            let force = VectorField::new(promise.space.top_jets().into_iter().zip(top));
            Some(Remedy::Replace { words: "let the velocities follow", value: value(&motion + &force) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Coordinate, Symbol};
    use crate::geometry::FiberedManifold;

    struct Stage {
        t: Symbol,
        x: Coordinate,
        y: Coordinate,
        manifold: FiberedManifold,
    }

    fn stage() -> Stage {
        let (t, x, y) = (Symbol::base("t"), Coordinate::declare("x", false), Coordinate::declare("y", false));
        Stage { t, x, y, manifold: FiberedManifold::new("Y", t, &[x, y]) }
    }

    impl Stage {
        fn promise(&self, order: u32, properties: &[FormProperty]) -> FormPromise {
            FormPromise { degree: None, space: self.manifold.jets(order), properties: properties.to_vec() }
        }
    }

    /// The title, the label and the help.
    fn broken(cx: &Inquiry, promise: &FormPromise, form: &Form, written: &str) -> [String; 3] {
        let violation = check(cx, promise, form).expect_err("a broken promise");
        let help = violation.remedy.as_ref().map(|r| r.help(written)).unwrap_or_default();
        [violation.title.clone(), violation.label.clone(), help]
    }

    fn j(c: Coordinate, k: u32) -> Expr {
        Expr::symbol(c.jet(k))
    }

    /// The example of the language's page.
    #[test]
    fn a_lagrangian_has_no_dx() {
        let cx = &Inquiry::free();
        let s = stage();
        let form = Form::one_form([(s.t, j(s.x, 1)), (s.x.jet(0), j(s.y, 0))]);
        let [title, label, help] = broken(cx, &s.promise(1, &[FormProperty::Horizontal]), &form, "x'*dt + y*dx");
        assert_eq!(title, "this 1-form is not horizontal");
        assert_eq!(label, "a component along dx");
        assert_eq!(help, "take its horizontal part: h(x'*dt + y*dx) = (x' + y*x')*dt");
    }

    #[test]
    fn a_remedy_says_when_it_needs_a_higher_order() {
        let cx = &Inquiry::free();
        let s = stage();
        let form = Form::one_form([(s.x.jet(1), j(s.y, 0))]);
        let [_, _, help] = broken(cx, &s.promise(1, &[FormProperty::Horizontal]), &form, "y*dx'");
        assert_eq!(help, "take its horizontal part: h(y*dx') = y*x''*dt, and declare it on J2(Y)");
    }

    #[test]
    fn every_broken_word_has_its_remedy() {
        let cx = &Inquiry::free();
        let s = stage();
        let help = |order: u32, property: FormProperty, form: &Form| {
            broken(cx, &s.promise(order, &[property]), form, "a")[2].clone()
        };
        let dx = Form::differential(s.x.jet(0));
        assert_eq!(help(1, FormProperty::Contact, &dx), "take its contact part: p(a) = -x'*dt + dx");
        let omegas = Form::omega(s.x.jet(0)).wedge(&Form::omega(s.x.jet(1)));
        assert_eq!(help(2, FormProperty::KContact(1), &omegas), "promise 2-contact instead of 1-contact");
        let lepage = Form::omega(s.x.jet(0)).wedge(&Form::differential(s.x.jet(1)));
        assert_eq!(help(2, FormProperty::Dynamical, &lepage), r"take its 1-contact part: p1(a) = x''*dx /\ dt");
        assert_eq!(help(1, FormProperty::Closed, &dx.scale(j(s.y, 0))), "leave out the word closed");
        let both = &Form::term(j(s.x, 0), &[s.x.jet(0), s.t]) + &Form::term(Expr::number(2), &[s.x.jet(1), s.t]);
        assert_eq!(
            help(1, FormProperty::Lepage, &both),
            r"take the Lepage form of the equations that it states: lepage(x*dx /\ dt)"
        );
        assert_eq!(
            help(1, FormProperty::HorizontalOver(s.manifold.jets(0)), &both),
            r"keep the terms along dt and its coordinates: x*dx /\ dt"
        );
        let degree = FormPromise { degree: Some(2), ..s.promise(1, &[]) };
        assert_eq!(broken(cx, &degree, &dx, "dx")[2], "promise 1-form instead of 2-form");
        let [title, label, help] = broken(cx, &s.promise(1, &[]), &Form::term(j(s.x, 2), &[s.t]), "x''");
        assert_eq!(title, "this does not live on J1(Y)");
        assert_eq!((label.as_str(), help.as_str()), ("x'' is a coordinate of J2(Y)", "declare it on J2(Y)"));
    }

    #[test]
    fn fields_keep_their_promises_too() {
        let cx = &Inquiry::free();
        let s = stage();
        let check = |order: u32, property: FieldProperty, components: &[(Symbol, Expr)]| {
            let promise = FieldPromise { space: s.manifold.jets(order), properties: vec![property] };
            let violation = check_field(cx, &promise, &VectorField::new(components.to_vec())).expect_err("broken");
            let help = violation.remedy.map(|r| r.help("")).unwrap_or_default();
            (violation.title, violation.notes.join(" "), help)
        };
        let (title, note, help) = check(0, FieldProperty::Vertical, &[(s.t, Expr::one()), (s.x.jet(0), j(s.y, 0))]);
        assert_eq!(title, "this field is not vertical");
        assert_eq!(note, "the component along @t is 1");
        assert_eq!(help, "leave out the component along time: y*@x");
        let (_, note, _) = check(0, FieldProperty::Projectable, &[(s.t, j(s.x, 0))]);
        assert_eq!(note, "the component along @t is x, which is not a function of t");
        let spray = [(s.t, Expr::number(2)), (s.y.jet(1), j(s.x, 0))];
        let (_, note, help) = check(1, FieldProperty::Semispray, &[&spray[..], &[(s.x.jet(0), Expr::zero())]].concat());
        assert_eq!(help, "let the velocities follow: 2*@t + 2*x'*@x + 2*y'*@y + x*@y'");
        assert!(note.contains("@x should be 2*x'"), "{note}");
    }
}
