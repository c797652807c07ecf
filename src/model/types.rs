//! The types of forms and vector fields, and the most precise type of an undeclared one.
//!
//! A type is not read off the syntax: `x'*dt + y*dx - y*dx` is horizontal, and so is what comes out of
//! a `let`, a function of the language or a pullback, because the components decide. Each property holds
//! by a verdict, and the type remembers the weakest ground it rests on.
//!
//! ```text
//! horizontal 1-form on J1(Y)        dynamical 2-form on J2(Y)        closed lepage 2-form on J1(Y)
//! vertical field on Y               semispray on J1(Y)               function on J2(Y)
//! ```
//!
//! Words that follow from others are left out: a dynamical form is 1-contact, horizontal over Y and Lepage.

use crate::algebra::Inquiry;
use crate::algebra::{Ground, Verdict};
use crate::geometry::contact::{self, Finding};
use crate::geometry::jet::{FiberedManifold, JetSpace, Prolongation, space_with};
use crate::geometry::{Form, Refusal, VectorField};
use std::fmt;

/// A word after the colon of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormProperty {
    /// Over the time axis.
    Horizontal,
    /// Over the manifold: π_{r,0}-horizontal; or over a jet space of lower order.
    HorizontalOver(JetSpace),
    Contact,
    KContact(usize),
    Dynamical,
    Lepage,
    Closed,
}

/// A word after the colon of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldProperty {
    Vertical,
    Projectable,
    Semispray,
}

/// The type of a form: degree, where it lives, and what holds of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormType {
    pub degree: usize,
    /// The lowest jet space on which it is a form; `None` if no coordinate of a manifold occurs.
    pub space: Option<JetSpace>,
    /// All that was shown to hold, the strongest first, without what follows from others.
    pub properties: Vec<FormProperty>,
    /// Whether the form is zero: every property holds then, and none is listed.
    pub zero: bool,
    /// The weakest ground of the above.
    pub ground: Ground,
    /// Properties about which nothing could be shown.
    pub undecided: Vec<FormProperty>,
}

/// The type of a vector field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldType {
    pub space: Option<JetSpace>,
    pub properties: Vec<FieldProperty>,
    pub ground: Ground,
    pub undecided: Vec<FieldProperty>,
}

/// The most precise type of the form. Refused only when it mixes manifolds.
pub fn infer(cx: &Inquiry, form: &Form) -> Result<FormType, Refusal> {
    let (form, mut ground) = form.simplified(cx);
    let manifold = form.manifold()?;
    let degree = form.degree();
    let zero = form.is_empty();
    let space = manifold.as_ref().map(|manifold| {
        let order = form.order_on(cx, manifold);
        ground = std::mem::replace(&mut ground, Ground::proved("")).weaker(order.ground);
        space_with(manifold, order.order, &form.symbols())
    });
    let mut inferred = FormType { degree, space, properties: vec![], zero, ground, undecided: vec![] };
    if degree == 0 || zero {
        return Ok(inferred);
    }
    let mut holds = |property: FormProperty| {
        let verdict = find_form(cx, &form, &property, manifold.as_ref(), contact::prolongation_of(&form)).verdict;
        match verdict {
            Verdict::Yes(ground) => {
                inferred.ground = std::mem::replace(&mut inferred.ground, Ground::proved("")).weaker(ground);
                inferred.properties.push(property);
                true
            }
            Verdict::No(_) => false,
            Verdict::Unknown(_) => {
                inferred.undecided.push(property);
                false
            }
        }
    };
    let closed = holds(FormProperty::Closed);
    if degree == 2 && holds(FormProperty::Dynamical) {
        return Ok(inferred);
    }
    let lepage = manifold.is_some();
    match degree {
        1 => {
            // A closed 1-form is a Lepage form and need not be called one.
            let _ = lepage && !closed && holds(FormProperty::Lepage);
            if holds(FormProperty::Horizontal) {
                return Ok(inferred);
            }
            holds(FormProperty::Contact);
        }
        // A 2-contact 2-form is one of zero.
        2 if holds(FormProperty::KContact(2)) => {}
        2 => {
            let _ = lepage && holds(FormProperty::Lepage);
            holds(FormProperty::KContact(1));
        }
        // A form of degree q has no parts but these two.
        q => {
            let _ = holds(FormProperty::KContact(q)) || holds(FormProperty::KContact(q - 1));
        }
    }
    if let Some(manifold) = manifold.clone().filter(|_| inferred_order(&inferred) > 0) {
        let over = FormProperty::HorizontalOver(manifold.jets(0));
        let verdict = find_form(cx, &form, &over, None, contact::prolongation_of(&form)).verdict;
        match verdict {
            Verdict::Yes(_) => inferred.properties.push(over),
            Verdict::Unknown(_) => inferred.undecided.push(over),
            Verdict::No(_) => {}
        }
    }
    Ok(inferred)
}

fn inferred_order(inferred: &FormType) -> u32 {
    inferred.space.as_ref().map_or(0, JetSpace::order)
}

/// The most precise type of the field. Refused only when it mixes manifolds.
pub fn infer_field(cx: &Inquiry, field: &VectorField) -> Result<FieldType, Refusal> {
    let (field, mut ground) = field.simplified(cx);
    let manifold = field.manifold()?;
    let Some(manifold) = manifold else {
        return Ok(FieldType { space: None, properties: vec![], ground, undecided: vec![] });
    };
    let order = field.order_on(cx, &manifold);
    ground = ground.weaker(order.ground);
    let space = space_with(&manifold, order.order, &field.symbols());
    let mut inferred = FieldType { space: Some(space.clone()), properties: vec![], ground, undecided: vec![] };
    for property in [FieldProperty::Vertical, FieldProperty::Projectable, FieldProperty::Semispray] {
        let implied = property != FieldProperty::Vertical && inferred.properties.contains(&FieldProperty::Vertical);
        if implied || (property == FieldProperty::Semispray && order.order == 0) {
            continue;
        }
        match find_field(cx, &field, property, &space).verdict {
            Verdict::Yes(g) => {
                inferred.ground = inferred.ground.weaker(g);
                inferred.properties.push(property);
            }
            Verdict::No(_) => {}
            Verdict::Unknown(_) => inferred.undecided.push(property),
        }
    }
    Ok(inferred)
}

/// Whether the form has the property, with evidence. `manifold` is where it lives; a form that mentions no
/// coordinate lives anywhere; `prolongation` says which contact forms it has there.
pub fn find_form(
    cx: &Inquiry,
    form: &Form,
    property: &FormProperty,
    manifold: Option<&FiberedManifold>,
    prolongation: Prolongation,
) -> Finding {
    let anywhere = || Finding { verdict: form.is_zero(cx), evidence: None };
    match property {
        FormProperty::Horizontal => contact::is_horizontal(cx, form),
        FormProperty::HorizontalOver(space) => contact::is_horizontal_over(cx, form, space),
        FormProperty::Contact => contact::is_contact_along(cx, form, prolongation),
        FormProperty::KContact(k) => contact::is_k_contact_along(cx, form, *k, prolongation),
        FormProperty::Dynamical => manifold.map_or_else(anywhere, |m| contact::is_dynamical(cx, form, m)),
        FormProperty::Lepage => manifold.map_or_else(anywhere, |m| contact::is_lepage(cx, form, m)),
        FormProperty::Closed => contact::is_closed(cx, form),
    }
}

/// Whether the field on the space has the property, with evidence.
pub fn find_field(cx: &Inquiry, field: &VectorField, property: FieldProperty, space: &JetSpace) -> Finding {
    match property {
        FieldProperty::Vertical => field.is_vertical(cx, space.manifold()),
        FieldProperty::Projectable => field.is_projectable(cx, space.manifold()),
        FieldProperty::Semispray => field.is_semispray(cx, space).finding,
    }
}

/// The word of the language.
impl fmt::Display for FormProperty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            FormProperty::Horizontal => f.write_str("horizontal"),
            FormProperty::HorizontalOver(space) => write!(f, "horizontal over {space}"),
            FormProperty::Contact => f.write_str("contact"),
            FormProperty::KContact(k) => write!(f, "{k}-contact"),
            FormProperty::Dynamical => f.write_str("dynamical"),
            FormProperty::Lepage => f.write_str("lepage"),
            FormProperty::Closed => f.write_str("closed"),
        }
    }
}

impl fmt::Display for FieldProperty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            FieldProperty::Vertical => "vertical",
            FieldProperty::Projectable => "projectable",
            FieldProperty::Semispray => "semispray",
        })
    }
}

/// As `:type` shows it: `closed lepage 2-form on J1(Y)`, with `(sampled)` when the ground is weak.
impl fmt::Display for FormType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.zero && self.degree > 0 {
            f.write_str("zero ")?;
        }
        for property in &self.properties {
            write!(f, "{property} ")?;
        }
        match self.degree {
            0 => f.write_str("function")?,
            degree => write!(f, "{degree}-form")?,
        }
        if let Some(space) = &self.space {
            write!(f, " on {space}")?;
        }
        if self.ground.is_proved() { Ok(()) } else { write!(f, " ({})", self.ground) }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for property in &self.properties {
            write!(f, "{property} ")?;
        }
        f.write_str("field")?;
        if let Some(space) = &self.space {
            write!(f, " on {space}")?;
        }
        if self.ground.is_proved() { Ok(()) } else { write!(f, " ({})", self.ground) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Coordinate, Expr, Symbol};

    #[test]
    fn types_are_judged_by_components_not_by_syntax() {
        let cx = &Inquiry::free();
        let (t, x, y) = (Symbol::base("t"), Coordinate::declare("x", false), Coordinate::declare("y", false));
        FiberedManifold::new("Y", t, &[x, y]);
        let j = |c: Coordinate, k: u32| Expr::symbol(c.jet(k));
        let shown = |form: &Form| infer(cx, form).unwrap().to_string();
        let dx = Form::differential(x.jet(0));
        let lagrangian = Form::term(j(x, 1), &[t]);
        let written = &(&lagrangian + &dx.scale(j(y, 0))) - &dx.scale(j(y, 0));
        assert_eq!(shown(&written), "horizontal 1-form on J1(Y)");
        assert_eq!(shown(&dx), "closed 1-form on Y");
        assert_eq!(shown(&Form::omega(x.jet(0)).scale(j(y, 0))), "contact horizontal over Y 1-form on J1(Y)");
        let e = Form::term(-j(x, 2) - j(x, 0), &[x.jet(0), t]);
        assert_eq!(shown(&e), "dynamical 2-form on J2(Y)");
        let alpha = Form::omega(x.jet(0)).wedge(&Form::differential(x.jet(1)));
        assert_eq!(shown(&alpha), "closed lepage 2-form on J1(Y)");
        assert_eq!(shown(&Form::omega(x.jet(0)).wedge(&Form::omega(x.jet(1)))), "2-contact 2-form on J2(Y)");
        assert_eq!(shown(&Form::function(j(x, 1))), "function on J1(Y)");
        assert_eq!(shown(&Form::zero(2)), "zero 2-form");
        let field = |components: &[(Symbol, Expr)]| {
            infer_field(cx, &VectorField::new(components.to_vec())).unwrap().to_string()
        };
        assert_eq!(field(&[(x.jet(0), j(y, 0))]), "vertical field on Y");
        assert_eq!(field(&[(t, Expr::one())]), "field");
        assert_eq!(field(&[(t, Expr::symbol(t)), (x.jet(0), j(y, 0))]), "projectable field on Y");
        let spray = [(t, Expr::one()), (x.jet(0), j(x, 1)), (y.jet(0), j(y, 1)), (x.jet(1), -j(x, 0))];
        assert_eq!(field(&spray), "projectable semispray field on J1(Y)");
    }
}
