//! The most precise type of a value, as `:type` shows it.

use super::types;
use super::value::Value;
use crate::algebra::Inquiry;
use crate::geometry::jet::Chart;
use crate::model::item::SystemKind;

/// A type in the words of the language.
pub fn describe_type(cx: &Inquiry, value: &Value) -> String {
    match value.main() {
        Value::Form(form) => match types::infer(cx, &form) {
            Ok(found) => found.to_string(),
            Err(_) => format!("{}-form on several manifolds", form.degree()),
        },
        Value::Field(field) => match types::infer_field(cx, &field) {
            Ok(found) => found.to_string(),
            Err(_) => "field on several manifolds".into(),
        },
        Value::Expr(e) => {
            let symbols = e.symbols();
            match crate::geometry::jet::FiberedManifold::of_symbols(&symbols) {
                Ok(Some(manifold)) => {
                    let order = crate::geometry::jet::jet_order(cx, e).order;
                    format!("function on {}", manifold.jets(order))
                }
                _ if e.is_number() => "number".into(),
                _ => "constant".into(),
            }
        }
        Value::System(s) => match s.free_lagrangian() {
            Some(l) if s.kind() == SystemKind::Lagrangian => format!("lagrangian on {}", l.manifold().jets(l.order())),
            _ if let Some(form) = s.form_itself() => describe_type(cx, &Value::Form(form.clone())),
            _ => format!("{} on {}", s.kind_name(), s.manifold.name()),
        },
        Value::Distribution(d) => subspace("distribution", d.generic_rank(cx).ok(), d.chart()),
        Value::Codistribution(c) => subspace("codistribution", c.generic_rank(cx).ok(), c.chart()),
        Value::Set(s) => format!("set in {}", s.space()),
        Value::Map(m) => format!("map {} -> {}", m.map.source(), m.map.target()),
        Value::Section(s) => format!("section of {}", s.section.space()),
        Value::Force(f) => {
            let order = f.manifold.order_of_all(cx, &f.components).order;
            format!("force on {}", f.manifold.jets(order))
        }
        Value::Constraint(c) => format!("constraint on {}", c.space),
        Value::Matrix(m) => format!("{}×{} matrix", m.matrix.n_rows(), m.matrix.n_columns()),
        other => other.type_name(),
    }
}

/// `distribution of rank 2 on J1(Y)`; the rank is that at generic points.
fn subspace(kind: &str, rank: Option<usize>, chart: &Chart) -> String {
    let rank = rank.map(|r| format!(" of rank {r}")).unwrap_or_default();
    let space = chart.space().ok().flatten().map(|s| format!(" on {s}")).unwrap_or_default();
    format!("{kind}{rank}{space}")
}

#[cfg(test)]
mod tests {
    use crate::session::{Mode, Session, SessionOptions};

    #[test]
    fn the_most_precise_type_is_shown() {
        let mut session = Session::new(SessionOptions::default());
        let program = "
            manifold Y over t { x, y }
            manifold P over t { r, a }
            map polar : P -> Y { x = r*cos(a); y = r*sin(a) }
            lagrangian L on J1(Y) = x'^2/2
            force F on J1(Y) { x: -x' }
            form eta : contact 1-form on J1(Y) = omega(x)
            submanifold K on J1(Y) { x = 0 }
            let work(ξ, η) = i(ξ, d(η))
            let twice(u) = 2*u
            let part(η) = p1(d(η))
            let lagrange(L) = euler_lagrange(L)
            let again(f) = h(sin(f)*d(f))
        ";
        assert!(session.feed("types", program, Mode::File).iter().all(|o| o.held()));
        let mut check = |expression: &str, expected: &str| {
            assert_eq!(session.type_of(expression).unwrap_or_else(|d| d[0].title.clone()), expected, "{expression}");
        };
        check("x'*dt + y*dx - y*dx", "horizontal 1-form on J1(Y)");
        check("y*eta", "contact horizontal over Y 1-form on J1(Y)");
        check("(-x'' - x)*dx /\\ dt", "dynamical 2-form on J2(Y)");
        check("d(cartan(L))", "closed lepage 2-form on J1(Y)");
        check("lepage(L)", "closed lepage 2-form on J1(Y)");
        check("x*@y - y*@x", "vertical field on Y");
        check("@t + x'*@x + y'*@y", "projectable semispray field on J1(Y)");
        check("x'' - x'' + x", "function on Y");
        check("pullback(polar, dx)", "closed 1-form on P");
        check("polar", "map P -> Y");
        check("L", "lagrangian on J1(Y)");
        check("F", "force on J1(Y)");
        check("K", "set in J1(Y)");
        check("span(dx, dy)", "codistribution of rank 2 on Y");
        check("annihilator(span(omega(x)))", "distribution of rank 4 on J1(Y)");
        check("work", "work(ξ: vector field, η: form) -> form of degree deg(η)");
        check("part", "part(η: form) -> 1-contact form of degree deg(η) + 1");
        check("lagrange", "lagrange(L: Lagrangian) -> dynamical 2-form");
        check("again", "again(f) -> horizontal 1-form");
        check("twice", "twice(u)");
        check("first_integral", "first_integral(S: system, f: function) -> verdict");
        check("cartan", "cartan(L: Lagrangian) -> lepage 1-form");
        check("2/3", "number");
        check("dx' - vel(x')*dt", "contact 1-form on J1(J1(Y))");
        check("J1(J2(Y))", "jet space");
    }
}
