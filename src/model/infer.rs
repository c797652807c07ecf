//! The most precise type of a value, as `:type` shows it.

use super::value::Value;
use crate::geometry::contact;

/// A type in the words of the language.
pub fn describe_type(value: &Value) -> String {
    match value.main() {
        Value::Form(form) => {
            let Ok(Some(manifold)) = form.manifold() else { return format!("{}-form", form.degree()) };
            let mut words: Vec<String> = vec![];
            let degree = form.degree();
            if contact::is_dynamical(&form, &manifold).verdict.is_yes() && degree == 2 {
                words.push("dynamical".into());
            } else if degree == 2 && contact::is_lepage(&form, &manifold).verdict.is_yes() {
                words.push("lepage".into());
            }
            if contact::is_horizontal(&form).verdict.is_yes() {
                words.push("horizontal".into());
            } else if contact::is_horizontal_over(&form, &manifold).verdict.is_yes()
                && !words.contains(&"dynamical".into())
            {
                words.push(format!("horizontal over {}", manifold.name()));
            }
            if degree == 1 && contact::is_contact(&form).verdict.is_yes() {
                words.push("contact".into());
            }
            for k in 1..=degree {
                if degree > 1
                    && contact::is_k_contact(&form, k).verdict.is_yes()
                    && !words.contains(&"dynamical".into())
                {
                    words.push(format!("{k}-contact"));
                }
            }
            if contact::is_closed(&form).verdict.is_yes() {
                words.push("closed".into());
            }
            words.push(format!("{degree}-form"));
            format!("{} on {}", words.join(" "), manifold.jets(form.order_on(&manifold).order))
        }
        Value::Field(field) => {
            let Ok(Some(manifold)) = field.manifold() else { return "vector field".into() };
            let order = field.order_on(&manifold).order;
            let space = manifold.jets(order);
            let mut words: Vec<&str> = vec![];
            if field.is_vertical(&manifold).verdict.is_yes() {
                words.push("vertical");
            } else if order > 0 && field.is_semispray(&space).finding.verdict.is_yes() {
                words.push("semispray");
            }
            if field.is_projectable(&manifold).verdict.is_yes() && !words.contains(&"vertical") {
                words.push("projectable");
            }
            words.push("field");
            format!("{} on {space}", words.join(" "))
        }
        Value::Expr(e) => {
            let symbols = e.symbols();
            match crate::geometry::jet::FiberedManifold::of_symbols(&symbols) {
                Ok(Some(manifold)) => {
                    let order = crate::geometry::jet::jet_order(e).order;
                    format!("function on {}", manifold.jets(order))
                }
                _ if e.is_number() => "number".into(),
                _ => "constant".into(),
            }
        }
        Value::System(s) => match s.free_lagrangian() {
            Some(l) if s.kind_name() == "lagrangian" => format!("lagrangian on {}", l.manifold().jets(l.order())),
            _ => format!("{} on {}", s.kind_name(), s.manifold.name()),
        },
        other => other.type_name(),
    }
}
