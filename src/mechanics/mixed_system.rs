//! Mixed first- and second-order equations. Sarlet, sections 1 and 2.
//!
//! ```text
//! q̈^α = f^α(t, q, v),   α = 1 … k          v^α = q̇^α
//! q̇^a = g^a(t, q, v),   a = 1 … m          q are all coordinates
//! ```
//!
//! No q̇^a occurs on the right, so the motion is the vector field
//!
//! ```text
//! Γ = ∂_t + v^α ∂/∂q^α + g^a ∂/∂q^a + f^α ∂/∂v^α          on J = (t, q^α, q^a, v^α), dim J = 1 + 2k + m
//! ```
//!
//! Which coordinates are of second order is said by the equations: x″ = … or y′ = …. On a tower E → M those of M are, and
//! those that E adds are not. With m = 0 this is an ordinary second-order system, with k = 0 a first-order one.
//!
//! Fields and forms along J → E are written in the frame (T, X_α, ∂/∂q^a) and its dual (dt, θ^α, η^a), where they are an
//! [`AdaptedField`] and an [`AdaptedForm`]; what stands in the program are ordinary fields and forms, and this file
//! translates.

use super::{Answered, tidy};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{Chart, FiberedManifold, Over, is_coordinate};
use rustc_hash::FxHashMap;

/// Equations solved for q̈^α and q̇^a, whose right sides are functions on J.
#[derive(Clone, Debug)]
pub struct MixedSystem {
    manifold: FiberedManifold,
    second: Vec<Coordinate>,
    first: Vec<Coordinate>,
    f: Vec<Expr>,
    g: Vec<Expr>,
    chart: Chart,
}

/// ξ⁰ T + μ^α X_α + μ^a ∂/∂q^a, a field along J → E; and ν^α if it was written as a field on J.
#[derive(Clone, Debug)]
pub struct AdaptedField {
    pub time: Expr,
    /// μ^α.
    pub second: Vec<Expr>,
    /// μ^a.
    pub first: Vec<Expr>,
    /// What is left of the components along ∂/∂v^α when ξ⁰ Γ is taken away; `None` where there were none.
    pub vertical: Option<Vec<Expr>>,
}

/// α_0 dt + a_α θ^α + c_a η^a, and the coefficients of ω^α if it was written as a form on J.
#[derive(Clone, Debug)]
pub struct AdaptedForm {
    pub time: Expr,
    /// a_α.
    pub theta: Vec<Expr>,
    /// c_a.
    pub eta: Vec<Expr>,
    /// The coefficients of ω^α = dv^α − f^α dt; `None` where there is no dv^α.
    pub omega: Option<Vec<Expr>>,
}

impl MixedSystem {
    /// The system of the equations x″ = … and y′ = …, one for each fibre coordinate.
    pub fn from_equations(
        cx: &Inquiry,
        manifold: &FiberedManifold,
        equations: &[(Symbol, Expr)],
    ) -> Answered<MixedSystem> {
        let (mut second, mut first) = (vec![], vec![]);
        for fibre in manifold.fibres() {
            let q = fibre.coordinate;
            let mut given = equations.iter().filter(|(s, _)| s.as_jet().is_some_and(|(c, _)| c == q));
            let Some((left, right)) = given.next() else { return Err(missing(manifold, q)) };
            if let Some((again, _)) = given.next() {
                return Err(Box::new(
                    Diagnostic::error(&codes::DECLARED_TWICE, format!("{} has two equations", q.name()))
                        .note(format!("one for {left} and one for {again}")),
                ));
            }
            match left.as_jet() {
                Some((_, 2)) => second.push((q, *right)),
                _ => first.push((q, *right)),
            }
        }
        if let Over::Manifold(_) = manifold.over() {
            fits_the_tower(manifold, &second, &first)?;
        }
        MixedSystem::new(cx, manifold, second, first)
    }

    /// From q̈^α = f^α and q̇^a = g^a; refused if the right sides are no functions on J.
    pub fn new(
        cx: &Inquiry,
        manifold: &FiberedManifold,
        second: Vec<(Coordinate, Expr)>,
        first: Vec<(Coordinate, Expr)>,
    ) -> Answered<MixedSystem> {
        let (second, f): (Vec<Coordinate>, Vec<Expr>) = second.into_iter().unzip();
        let (first, g): (Vec<Coordinate>, Vec<Expr>) = first.into_iter().unzip();
        let positions = second.iter().chain(&first).map(|q| q.jet(0));
        let velocities = second.iter().map(|q| q.jet(1));
        let chart = Chart::new(std::iter::once(manifold.base()).chain(positions).chain(velocities));
        let mut system = MixedSystem { manifold: manifold.clone(), second, first, f, g, chart };
        for (left, right) in system.equations() {
            system.lives_on_phase_space(cx, right, &format!("the right side of {left}"))?;
        }
        system.f = system.f.iter().map(|e| system.without_lost_symbols(cx, *e)).collect();
        system.g = system.g.iter().map(|e| system.without_lost_symbols(cx, *e)).collect();
        Ok(system)
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    pub fn time(&self) -> Symbol {
        self.manifold.base()
    }

    /// q^α.
    pub fn second(&self) -> &[Coordinate] {
        &self.second
    }

    /// q^a.
    pub fn first(&self) -> &[Coordinate] {
        &self.first
    }

    /// f^α.
    pub fn f(&self) -> &[Expr] {
        &self.f
    }

    /// g^a.
    pub fn g(&self) -> &[Expr] {
        &self.g
    }

    /// (t, q^α, q^a, v^α).
    pub fn chart(&self) -> &Chart {
        &self.chart
    }

    /// q^α as symbols.
    pub fn second_symbols(&self) -> Vec<Symbol> {
        self.second.iter().map(|q| q.jet(0)).collect()
    }

    /// q^a as symbols.
    pub fn first_symbols(&self) -> Vec<Symbol> {
        self.first.iter().map(|q| q.jet(0)).collect()
    }

    /// v^α as symbols.
    pub fn velocities(&self) -> Vec<Symbol> {
        self.second.iter().map(|q| q.jet(1)).collect()
    }

    /// x″ ↦ f, y′ ↦ g.
    pub fn equations(&self) -> Vec<(Symbol, Expr)> {
        let second = self.second.iter().map(|q| q.jet(2)).zip(self.f.iter().copied());
        second.chain(self.first.iter().map(|q| q.jet(1)).zip(self.g.iter().copied())).collect()
    }

    /// The first-order equations on J, one for each of its coordinates but t.
    pub fn first_order(&self) -> Vec<(Symbol, Expr)> {
        let moving = self.second.iter().map(|q| (q.jet(0), Expr::symbol(q.jet(1))));
        let driven = self.first_symbols().into_iter().zip(self.g.iter().copied());
        moving.chain(driven).chain(self.velocities().into_iter().zip(self.f.iter().copied())).collect()
    }

    /// T = ∂_t + v^α ∂/∂q^α + g^a ∂/∂q^a, along J → E.
    pub fn total_time(&self) -> VectorField {
        let moving = self.second.iter().map(|q| (q.jet(0), Expr::symbol(q.jet(1))));
        let driven = self.first_symbols().into_iter().zip(self.g.iter().copied());
        VectorField::new(std::iter::once((self.time(), Expr::one())).chain(moving).chain(driven))
    }

    /// Γ = T + f^α ∂/∂v^α.
    pub fn gamma(&self) -> VectorField {
        &self.total_time() + &VectorField::new(self.velocities().into_iter().zip(self.f.iter().copied()))
    }

    /// B^a_α = ∂g^a/∂v^α, by a and then α.
    pub fn slopes(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        let v = self.velocities();
        self.g.iter().map(|g| v.iter().map(|v| tidy(cx, partial(cx, *g, *v))).collect()).collect()
    }

    /// What a function of jets is on J, where q̇^a = g^a.
    pub fn on_phase_space(&self, cx: &Inquiry, e: Expr) -> Answered<Expr> {
        let values: FxHashMap<Symbol, Expr> = self.first.iter().map(|q| q.jet(1)).zip(self.g.iter().copied()).collect();
        let e = substitute(e, &values);
        self.lives_on_phase_space(cx, e, "this function")?;
        Ok(self.without_lost_symbols(cx, e))
    }

    /// The components of a field in the frame (Γ, X_α, ∂/∂q^a, ∂/∂v^α):
    ///
    /// ```text
    /// μ^α = ξ^α − ξ⁰v^α,   μ^a = ξ^a − B^a_αξ^α − ξ⁰B^a,   B^a = g^a − v^αB^a_α
    /// ```
    pub fn adapted_field(&self, cx: &Inquiry, x: &VectorField) -> Answered<AdaptedField> {
        self.has_directions(x.components().iter().map(|(s, _)| *s), "field", "∂/∂")?;
        let at = |s: Symbol| self.on_phase_space(cx, x.component(s));
        let time = at(self.time())?;
        let b = self.slopes(cx);
        let mut second = vec![];
        for q in &self.second {
            second.push(tidy(cx, at(q.jet(0))? - time * Expr::symbol(q.jet(1))));
        }
        let mut first = vec![];
        for (a, q) in self.first.iter().enumerate() {
            let lift = Expr::add_all(second.iter().zip(&b[a]).map(|(mu, b)| *mu * *b));
            first.push(tidy(cx, at(q.jet(0))? - time * self.g[a] - lift));
        }
        let is_on_j = self.second.iter().any(|q| !x.component(q.jet(1)).is_zero());
        let vertical = match is_on_j {
            false => None,
            true => {
                let parts = self.second.iter().zip(&self.f);
                Some(parts.map(|(q, f)| Ok(tidy(cx, at(q.jet(1))? - time * *f))).collect::<Answered<Vec<Expr>>>()?)
            }
        };
        Ok(AdaptedField { time, second, first, vertical })
    }

    /// ξ⁰ T + μ^α X_α + μ^a ∂/∂q^a as an ordinary field.
    pub fn field(&self, cx: &Inquiry, x: &AdaptedField) -> VectorField {
        let b = self.slopes(cx);
        let along = |a: usize| {
            let lift = x.second.iter().zip(&b[a]).map(|(mu, b)| *mu * *b);
            Expr::add_all(lift.chain([x.first[a]]))
        };
        let second = self.second_symbols().into_iter().zip(x.second.iter().copied());
        let first = self.first_symbols().into_iter().enumerate().map(|(a, q)| (q, along(a)));
        let rest = VectorField::new(second.chain(first));
        (&self.total_time().scale(x.time) + &rest).map_components(|e| tidy(cx, e))
    }

    /// The components of a 1-form in the coframe (dt, θ^α, η^a, ω^α): its values on Γ, X_α, ∂/∂q^a and ∂/∂v^α.
    pub fn adapted_form(&self, cx: &Inquiry, form: &Form) -> Answered<AdaptedForm> {
        if form.degree() != 1 {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_DEGREE,
                    format!("a 1-form is needed here, not a {}-form", form.degree()),
                )
                .help(format!("for this system it is a combination of {}", self.coframe_text())),
            ));
        }
        self.has_directions(form.axes().iter().map(|axis| axis.symbol()), "form", "d")?;
        let at = |s: Symbol| self.on_phase_space(cx, form.coefficient(&[s]));
        let b = self.slopes(cx);
        let eta = self.first.iter().map(|q| at(q.jet(0))).collect::<Answered<Vec<Expr>>>()?;
        let mut theta = vec![];
        for (alpha, q) in self.second.iter().enumerate() {
            let lift = eta.iter().enumerate().map(|(a, c)| *c * b[a][alpha]);
            theta.push(tidy(cx, Expr::add_all(lift.chain([at(q.jet(0))?]))));
        }
        let is_on_j = self.second.iter().any(|q| !form.coefficient(&[q.jet(1)]).is_zero());
        let omega = match is_on_j {
            false => None,
            true => Some(self.second.iter().map(|q| at(q.jet(1))).collect::<Answered<Vec<Expr>>>()?),
        };
        let mut time = vec![at(self.time())?];
        for (q, e) in self.gamma().components() {
            if q != self.time() {
                time.push(e * at(q)?);
            }
        }
        Ok(AdaptedForm { time: tidy(cx, Expr::add_all(time)), theta, eta, omega })
    }

    /// θ^α = dq^α − v^α dt.
    pub fn theta(&self, alpha: usize) -> Form {
        Form::omega(self.second[alpha].jet(0))
    }

    /// "omega(x), omega(y), eta[z]": the forms that an adjoint symmetry is made of.
    pub fn coframe_text(&self) -> String {
        let theta = self.second.iter().map(|q| format!("omega({})", q.name()));
        let eta = self.first.iter().map(|q| format!("connection(S).eta[{}]", q.name()));
        theta.chain(eta).collect::<Vec<_>>().join(", ")
    }

    /// "t, x, y, x'": the coordinates of J.
    pub fn chart_text(&self) -> String {
        self.chart.symbols().iter().map(|s| s.name()).collect::<Vec<_>>().join(", ")
    }

    /// Directions that are not those of J, with the right ones.
    fn has_directions(&self, given: impl Iterator<Item = Symbol>, what: &str, sign: &str) -> Answered<()> {
        for s in given {
            if self.chart.contains(s) {
                continue;
            }
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_MANIFOLD,
                    format!("this {what} has a component along {sign}{s}, which is no coordinate of this system"),
                )
                .note(format!("the coordinates of the phase space are {}", self.chart_text())),
            ));
        }
        Ok(())
    }

    fn lives_on_phase_space(&self, cx: &Inquiry, e: Expr, what: &str) -> Answered<()> {
        let strange = |s: &Symbol| is_coordinate(*s) && !self.chart.contains(*s);
        let depends = |s: &Symbol| !crate::geometry::jet::changes_with(cx, e, *s).is_no();
        let Some(s) = e.symbols().into_iter().find(|s| strange(s) && depends(s)) else { return Ok(()) };
        let first_velocity = self.first.iter().any(|q| q.jet(1) == s);
        let code = if s.as_jet().is_some() { &codes::ORDER_TOO_HIGH } else { &codes::WRONG_MANIFOLD };
        let title = format!("{what} depends on {s}, which is no coordinate of the phase space");
        let d = Diagnostic::error(code, title)
            .note(format!("the coordinates of the phase space are {}", self.chart_text()));
        Err(Box::new(match first_velocity {
            true => d.help(format!("{s} is given by its own equation: put its right side in place of {s}")),
            false => d,
        }))
    }

    /// Without symbols on which the function has been shown not to depend.
    fn without_lost_symbols(&self, cx: &Inquiry, e: Expr) -> Expr {
        let lost = e.symbols().into_iter().filter(|s| is_coordinate(*s) && !self.chart.contains(*s));
        lost.fold(e, |e, s| crate::geometry::jet::without_symbol(cx, e, s))
    }
}

fn missing(manifold: &FiberedManifold, q: Coordinate) -> Box<Diagnostic> {
    let own = manifold.own_coordinates().contains(&q) && matches!(manifold.over(), Over::Manifold(_));
    let name = q.name();
    let wanted = if own { format!("{name}' = …") } else { format!("{name}'' = …` or `{name}' = …") };
    Box::new(
        Diagnostic::error(&codes::MISSING_COMPONENT, format!("there is no equation for {name}"))
            .help(format!("a mixed system has one for each coordinate: add `{wanted}`")),
    )
}

/// On E → M the coordinates of M have second-order equations, those that E adds have first-order ones.
fn fits_the_tower(
    manifold: &FiberedManifold,
    second: &[(Coordinate, Expr)],
    first: &[(Coordinate, Expr)],
) -> Answered<()> {
    let own = manifold.own_coordinates();
    let wrong_second = second.iter().find(|(q, _)| own.contains(q)).map(|(q, _)| (q, 2));
    let wrong_first = first.iter().find(|(q, _)| !own.contains(q)).map(|(q, _)| (q, 1));
    let Some((q, order)) = wrong_second.or(wrong_first) else { return Ok(()) };
    let (name, e) = (q.name(), manifold.name());
    let d = Diagnostic::error(&codes::WRONG_MANIFOLD, format!("{name} has an equation of the wrong order on {e}"));
    Err(Box::new(match order {
        2 => d
            .note(format!("{name} is a coordinate that {e} adds to what lies below, so its equation is of first order"))
            .help(format!("write `{name}' = …`, or declare {name} on the manifold below")),
        _ => d
            .note(format!("{name} is a coordinate of the manifold below {e}, so its equation is of second order"))
            .help(format!("write `{name}'' = …`, or declare {name} on {e}")),
    }))
}
