//! The promises of a declaration: the words after the colon and the order after `on`. A violation
//! points at the term that breaks the promise, says what was found, and computes what to write instead.

use super::declare::terms_of;
use super::interpreter::Interpreter;
use super::operate::{as_field, as_form};
use crate::algebra::print::Style;
use crate::algebra::{Expr, Ground, Verdict};
use crate::diagnostic::{Code, Diagnostic, Severity, codes};
use crate::geometry::contact::{self, Component, Covector, Finding};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::model::show;
use crate::model::value::Fallible;
use crate::source::Span;
use crate::syntax::ast::{Ast, ExprId, TypeWord, Typed};
use std::rc::Rc;

/// `dx /\ dt`, `omega(x)`: a basis element as it is written.
pub fn basis_text(basis: &[Covector]) -> String {
    let names: Vec<String> = basis
        .iter()
        .map(|b| match b {
            Covector::Differential(s) => show::differential_text(*s, Style::ASCII),
            Covector::Contact(s) => format!("omega({s})"),
        })
        .collect();
    names.join(" /\\ ")
}

/// A Lagrangian must be horizontal: components along dt only.
pub fn horizontal(
    ast: &Rc<Ast>,
    value: ExprId,
    form: &Form,
    state: &Interpreter,
    manifold: &FiberedManifold,
) -> Fallible<()> {
    let finding = contact::is_horizontal(form);
    settle(ast, value, state, manifold, finding, &Violation::not_horizontal(form), has_component).map(|_| ())
}

/// Checks a declared form against its type words and its space.
pub fn form(
    state: &Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    form: &Form,
    space: &JetSpace,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let manifold = space.manifold();
    let span = ast.span(t.value);
    if let Some(other) = form.manifold().map_err(|r| Box::new(crate::questions::refusal(r).or_at(span, "this form")))?
        && other != *manifold
        && !manifold.is_over(&other)
    {
        return Err(Box::new(
            Diagnostic::error(
                &codes::WRONG_MANIFOLD,
                format!("this form lives on `{}`, not on `{}`", other.name(), manifold.name()),
            )
            .label(span, format!("coordinates of `{}`", other.name())),
        ));
    }
    if form.degree() > space.dimension() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::PAST_DIMENSION,
                format!("a {}-form on {space} is zero, whatever it is made of", form.degree()),
            )
            .label(span, "this product")
            .note(format!("{space} has {} dimensions", space.dimension())),
        ));
    }
    let coefficients = form.coefficients();
    order(ast, t.value, &coefficients, space, remarks)?;
    for symbol in form.axes().iter().map(|a| a.symbol()) {
        if !space.contains(symbol) {
            let vanishing = form.simplified().0.axes().iter().all(|a| a.symbol() != symbol);
            if !vanishing {
                return Err(order_violation(ast, t.value, space, symbol));
            }
        }
    }
    let mut ground = Ground::proved("");
    for word in &t.types {
        ground = ground.weaker(form_word(state, ast, t, word, form, space)?);
    }
    sampled_remark(ground, span, remarks);
    Ok(())
}

fn sampled_remark(ground: Ground, span: Span, remarks: &mut Vec<Diagnostic>) {
    if !ground.is_proved() {
        remarks.push(
            Diagnostic::new(
                Severity::Warning,
                &codes::SAMPLED,
                format!("this promise holds as far as sampling tells ({ground})"),
            )
            .label(span, "not proved"),
        );
    }
}

/// What a violated promise says.
struct Violation {
    code: &'static Code,
    title: String,
    help: Option<String>,
    /// The expression that repairs the declaration, in terms of the text of the value.
    wrap: Option<&'static str>,
    article: &'static str,
}

impl Violation {
    fn not_horizontal(form: &Form) -> Violation {
        let part = contact::horizontal_part(form).simplified().0;
        Violation {
            code: &codes::NOT_HORIZONTAL,
            title: format!("this {}-form is not horizontal", form.degree()),
            help: (form.degree() == 1)
                .then(|| format!("take its horizontal part: h(…) = {}", show::form_text(&part, Style::ASCII))),
            wrap: (form.degree() == 1).then_some("h"),
            article: "a component along",
        }
    }
}

fn form_word(
    state: &Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    word: &TypeWord,
    form: &Form,
    space: &JetSpace,
) -> Fallible<Ground> {
    let manifold = space.manifold();
    let degree = form.degree();
    let name = &*word.word.node;
    let simple = |code, title: String, help: Option<String>, wrap| Violation {
        code,
        title,
        help,
        wrap,
        article: "a component along",
    };
    let text = |f: Form| show::form_text(&f.simplified().0, Style::ASCII);
    let (finding, violation) = match (name, word.degree) {
        ("form", Some(k)) => {
            if degree as u32 != k && !form.is_zero().is_yes() {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_DEGREE, format!("this is a {degree}-form, not a {k}-form"))
                        .label(ast.span(t.value), format!("a {degree}-form"))
                        .label(word.span, "promised here")
                        .repair(format!("declare it as a {degree}-form"), word.span, format!("{degree}-form")),
                ));
            }
            return Ok(Ground::proved("the degree"));
        }
        ("horizontal", None) => match &word.over {
            None => (contact::is_horizontal(form), Violation::not_horizontal(form)),
            Some(over) => {
                let below = state.evaluator(ast).space(over)?;
                (
                    contact::is_horizontal_over(form, below.manifold()),
                    simple(
                        &codes::NOT_HORIZONTAL_OVER,
                        format!("this form is not horizontal over {}", below.manifold().name()),
                        Some(format!(
                            "only dt and the differentials of the coordinates of {} may occur",
                            below.manifold().name()
                        )),
                        None,
                    ),
                )
            }
        },
        ("contact", None) => (
            contact::is_contact(form),
            simple(
                &codes::NOT_CONTACT,
                format!("this {degree}-form is not contact"),
                Some(format!("take its contact part: p(…) = {}", text(contact::contact_part(form)))),
                Some("p"),
            ),
        ),
        ("contact", Some(k)) => (
            contact::is_k_contact(form, k as usize),
            simple(
                &codes::NOT_K_CONTACT,
                format!("this {degree}-form is not {k}-contact"),
                (k == 1 || k == 2).then(|| {
                    let part = contact::k_contact_part(form, k as usize, crate::geometry::jet::Prolongation::Holonomic);
                    format!("take its {k}-contact part: p{k}(…) = {}", text(part))
                }),
                match k {
                    1 => Some("p1"),
                    2 => Some("p2"),
                    _ => None,
                },
            ),
        ),
        ("dynamical", None) => (
            contact::is_dynamical(form, manifold),
            simple(
                &codes::NOT_DYNAMICAL,
                format!("this {degree}-form is not dynamical"),
                Some("a dynamical form has terms E*dx /\\ dt only, one for each coordinate".into()),
                None,
            ),
        ),
        ("lepage", None) => (
            contact::is_lepage(form, manifold),
            simple(
                &codes::NOT_LEPAGE,
                format!("this {degree}-form is not a Lepage form"),
                Some("the 1-contact part of a Lepage form has terms along omega(x) /\\ dt only".into()),
                None,
            ),
        ),
        ("closed", None) => (
            contact::is_closed(form),
            Violation {
                code: &codes::NOT_CLOSED,
                title: format!("this {degree}-form is not closed"),
                help: Some(format!("its derivative is {}", text(form.d()))),
                wrap: None,
                article: "d of it has a component along",
            },
        ),
        _ => {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, format!("`{name}` cannot be promised of a form"))
                    .label(word.span, "not a type of forms"),
            ));
        }
    };
    let contains: fn(&Form, &Component) -> bool = match name {
        "closed" => |f, c| has_component(&f.d(), c),
        // A term like omega(x) has a component along dt too, but none that survives in h(…).
        "contact" if word.degree.is_none() => |f, c| has_component(&contact::horizontal_part(f), c),
        _ => has_component,
    };
    settle(ast, t.value, state, manifold, finding, &violation, contains)
}

/// Whether a form has a part along the component, in the basis in which the component speaks.
fn has_component(form: &Form, component: &Component) -> bool {
    contact::coefficient(form, &component.basis)
        .is_some_and(|c| !c.is_zero() && !crate::algebra::decide::is_zero(c).is_yes())
}

/// Turns a finding into the ground of a promise that holds, or into the diagnostic.
fn settle(
    ast: &Rc<Ast>,
    value: ExprId,
    state: &Interpreter,
    manifold: &FiberedManifold,
    finding: Finding,
    violation: &Violation,
    contains: impl Fn(&Form, &Component) -> bool,
) -> Fallible<Ground> {
    let whole = ast.span(value);
    match finding.verdict {
        Verdict::Yes(ground) => Ok(ground),
        Verdict::Unknown(why) => {
            let mut d = Diagnostic::error(
                &codes::UNDECIDED,
                format!("it cannot be decided whether {}", violation.title.replace(" is not ", " is ")),
            )
            .label(whole, "undecided")
            .note(why);
            if let Some(c) = &finding.evidence {
                d = d.note(format!("it rests on whether {} vanishes", c.coefficient));
            }
            Err(Box::new(d.help("state what you know about it with `assume`")))
        }
        Verdict::No(_) => {
            let mut d = Diagnostic::error(violation.code, violation.title.clone());
            d = match &finding.evidence {
                Some(component) => {
                    let evaluator = state.evaluator(ast).on(manifold);
                    let culprit = terms_of(ast, value).into_iter().find(|term| {
                        evaluator.eval(*term).and_then(|v| as_form(&v)).is_ok_and(|f| contains(&f, component))
                    });
                    let span = culprit.map_or(whole, |id| ast.span(id));
                    let basis = basis_text(&component.basis);
                    let d = d.label(span, format!("{} {basis}", violation.article));
                    let coefficient = show::expr_text(component.coefficient, Style::ASCII);
                    d.note(format!("the coefficient of {basis} is {coefficient}"))
                }
                None => d.label(whole, "this"),
            };
            Err(Box::new(match (&violation.help, violation.wrap) {
                (Some(help), Some(function)) => {
                    let source = state.source_text(whole);
                    let help = help.replace("(…)", &format!("({source})"));
                    d.repair(help, whole, format!("{function}({source})"))
                }
                (Some(help), None) => d.help(help.clone()),
                _ => d,
            }))
        }
    }
}

/// Checks a declared field.
pub fn field(
    state: &Interpreter,
    ast: &Rc<Ast>,
    t: &Typed,
    field: &VectorField,
    space: &JetSpace,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    let manifold = space.manifold();
    let span = ast.span(t.value);
    for (symbol, _) in field.components() {
        if !space.contains(symbol) {
            return Err(order_violation(ast, t.value, space, symbol));
        }
    }
    let coefficients: Vec<Expr> = field.components().into_iter().map(|(_, c)| c).collect();
    order(ast, t.value, &coefficients, space, remarks)?;
    let mut ground = Ground::proved("");
    for word in &t.types {
        let (finding, code, title, help) = match &*word.word.node {
            "vertical" => (
                field.is_vertical(manifold),
                &codes::NOT_VERTICAL,
                "this vector field is not vertical",
                format!("a vertical field has no component along @{}", manifold.base()),
            ),
            "projectable" => (
                field.is_projectable(manifold),
                &codes::NOT_PROJECTABLE,
                "this vector field is not projectable",
                format!("its component along @{0} may depend on {0} only", manifold.base()),
            ),
            "semispray" => (
                field.is_semispray(space).finding,
                &codes::NOT_SEMISPRAY,
                "this vector field is not a semispray",
                "along @x it must have x', along @x' it must have x'', and so on".to_string(),
            ),
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::NO_EFFECT, format!("`{other}` cannot be promised of a field"))
                        .label(word.span, "not a type of fields"),
                ));
            }
        };
        match finding.verdict {
            Verdict::Yes(g) => ground = ground.weaker(g),
            Verdict::Unknown(why) => {
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::UNDECIDED,
                        format!("it cannot be decided whether {}", title.replace(" is not ", " is ")),
                    )
                    .label(span, "undecided")
                    .note(why)
                    .help("state what you know about it with `assume`"),
                ));
            }
            Verdict::No(_) => {
                let symbol = finding.evidence.as_ref().and_then(|c| c.basis.first().map(|b| b.symbol()));
                let evaluator = state.evaluator(ast).on(manifold);
                let culprit = symbol.and_then(|s| {
                    terms_of(ast, t.value).into_iter().find(|term| {
                        evaluator.eval(*term).and_then(|v| as_field(&v)).is_ok_and(|f| !f.component(s).is_zero())
                    })
                });
                let place = culprit.map_or(span, |id| ast.span(id));
                let label = symbol.map_or_else(|| "this".to_string(), |s| format!("the component along @{s}"));
                let mut d = Diagnostic::error(code, title).label(place, label).label(word.span, "promised here");
                if let Some(s) = symbol {
                    d = d.note(format!(
                        "its component along @{s} is {}",
                        show::expr_text(field.component(s), Style::ASCII)
                    ));
                }
                return Err(Box::new(d.help(help)));
            }
        }
    }
    sampled_remark(ground, span, remarks);
    Ok(())
}

/// The expressions may contain jets of the space only, after simplification.
pub fn order(
    ast: &Rc<Ast>,
    value: ExprId,
    expressions: &[Expr],
    space: &JetSpace,
    remarks: &mut Vec<Diagnostic>,
) -> Fallible<()> {
    match check_order(expressions, space)? {
        Ok(ground) => {
            sampled_remark(ground, ast.span(value), remarks);
            Ok(())
        }
        Err(symbol) => Err(order_violation(ast, value, space, symbol)),
    }
}

/// The same for the entries of a block.
pub fn order_of_block(ast: &Rc<Ast>, ids: &[ExprId], expressions: &[Expr], space: &JetSpace) -> Fallible<()> {
    match check_order(expressions, space)? {
        Ok(_) => Ok(()),
        Err(symbol) => {
            let id = ids.iter().copied().find(|id| mentions(ast, *id, symbol)).or(ids.first().copied());
            match id {
                Some(id) => Err(order_violation(ast, id, space, symbol)),
                None => Err(order_violation(ast, ExprId(0), space, symbol)),
            }
        }
    }
}

/// The ground on which all live on the space, or a symbol that does not.
fn check_order(expressions: &[Expr], space: &JetSpace) -> Fallible<Result<Ground, crate::algebra::Symbol>> {
    let mut ground = Ground::proved("");
    for &e in expressions {
        for symbol in e.symbols() {
            if symbol.as_jet().is_none() && !matches!(symbol.kind(), crate::algebra::SymbolKind::Base) {
                continue;
            }
            if space.contains(symbol) {
                continue;
            }
            // It may cancel.
            let verdict = crate::geometry::vanishes(crate::algebra::derive::partial(e, symbol));
            match verdict {
                Verdict::Yes(g) => ground = ground.weaker(g),
                Verdict::No(_) => return Ok(Err(symbol)),
                Verdict::Unknown(why) => {
                    return Err(Box::new(
                        Diagnostic::error(
                            &codes::UNDECIDED,
                            format!("it cannot be decided whether this depends on {symbol}"),
                        )
                        .note(why)
                        .help("state what you know about it with `assume`"),
                    ));
                }
            }
        }
    }
    Ok(Ok(ground))
}

fn order_violation(ast: &Rc<Ast>, value: ExprId, space: &JetSpace, symbol: crate::algebra::Symbol) -> Box<Diagnostic> {
    let span = find_mention(ast, value, symbol).unwrap_or_else(|| ast.span(value));
    match space.manifold().order_of_symbol(symbol) {
        Some(order) if space.manifold().jets(order).contains(symbol) => {
            let higher = space.manifold().jets(order);
            Box::new(
                Diagnostic::error(&codes::ORDER_TOO_HIGH, format!("this does not live on {space}"))
                    .label(span, format!("{symbol} is a coordinate of {higher}"))
                    .help(format!("declare it on {higher}")),
            )
        }
        _ => {
            let names: Vec<String> = space.manifold().fibres().iter().map(|f| f.coordinate.name()).collect();
            Box::new(
                Diagnostic::error(&codes::WRONG_MANIFOLD, format!("{symbol} is not a coordinate of {space}"))
                    .label(span, "a coordinate of another manifold")
                    .note(format!("the coordinates of `{}` are {}", space.manifold().name(), names.join(", "))),
            )
        }
    }
}

fn mentions(ast: &Ast, id: ExprId, symbol: crate::algebra::Symbol) -> bool {
    find_mention(ast, id, symbol).is_some()
}

/// Where the symbol is written below an expression: the name with its primes, or a name that leads to it.
fn find_mention(ast: &Ast, id: ExprId, symbol: crate::algebra::Symbol) -> Option<Span> {
    let (coordinate, order) = symbol.as_jet()?;
    let name = coordinate.name();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if let Some(n) = ast.name(id) {
            let plain = *n.text == *name && n.primes == order;
            let differential = n.text.strip_prefix('d') == Some(&*name) && n.primes == order;
            if plain || differential {
                return Some(ast.span(id));
            }
        }
        let mut below = vec![];
        ast.operands(id, &mut below);
        stack.extend(below.into_iter().rev());
    }
    None
}

/// Σ F_σ ω^σ, or Σ F_σ dq^σ read modulo dt: the components of a force.
pub fn force_components(form: &Form, manifold: &FiberedManifold) -> Fallible<Vec<Expr>> {
    if form.degree() != 1 {
        return Err(Box::new(Diagnostic::error(
            &codes::WRONG_DEGREE,
            format!("a force is a 1-form, not a {}-form", form.degree()),
        )));
    }
    let contact = contact::is_contact(form);
    let over = contact::is_horizontal_over(form, manifold);
    if contact.verdict.is_no() || over.verdict.is_no() {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_CONTACT, "a force is a combination of omega(x) for the coordinates x")
                .help("write it by components: `force F on J1(Y) { x: … }`"),
        ));
    }
    Ok(manifold.fibres().iter().map(|f| form.coefficient(&[f.coordinate.jet(0)])).collect())
}
