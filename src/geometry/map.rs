//! Maps between fibered manifolds, which may depend on the time, prolonged to every order.
//!
//! A map ψ: P → Y over the time axis gives the coordinates of Y in terms of those of P. Its prolongation sends
//! jets of sections to jets of their images, so the higher coordinates are total derivatives:
//!
//! ```text
//! x_k ∘ Jʳψ = dᵏψ^x/dtᵏ,          and with a new time T = τ(t):   x_{k+1} = (1/τ′) d(x_k)/dt
//! ```
//!
//! Functions, forms, Lagrangians, forces and dynamical forms are pulled back by substitution: being forms, they
//! know how to transform. A map into a jet space J¹(Y) gives x and x′ each for itself; what it does to x″ is
//! then not determined, and asking is refused.
//!
//! Fields are pulled back where the Jacobian can be inverted, which needs no inverse of the map itself:
//! ψ^*ξ = (Tψ)⁻¹ ξ∘ψ. To go the other way, `transform(A, ψ)`, is to pull back by the [inverse](Map::inverse), which
//! lives on the image of what was assumed about the source: with r > 0 and x = eʳ, where x > 1. These conditions are
//! [stated](conditions::state), and every answer that rests on the inverse says them.

use super::Refusal;
use super::field::VectorField;
use super::form::Form;
use super::inverse::{Solved, solve};
use super::jet::{Chart, FiberedManifold, JetSpace, Prolongation, derivative_along};
use super::restriction::without_factor;
use super::submanifold::Submanifold;
use crate::algebra::Inquiry;
use crate::algebra::assume;
use crate::algebra::conditions::{self, inequality};
use crate::algebra::decide::is_zero;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Node, Relation, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::linear::Matrix;
use crate::algebra::normal::simplify;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Ground, Symbol, SymbolKind, Verdict};
use crate::budget::Exhausted;
use rustc_hash::FxHashMap;

/// A map from a jet space of one manifold to a jet space of another; both of order 0 in the common case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    source: JetSpace,
    target: JetSpace,
    /// The image of the time of the target.
    time: Expr,
    /// The images of the other coordinates of the target, as functions on the source.
    components: FxHashMap<Symbol, Expr>,
}

impl Map {
    /// The map with the given components; the time goes to the time unless a component says otherwise.
    pub fn new(
        source: &JetSpace,
        target: &JetSpace,
        components: impl IntoIterator<Item = (Symbol, Expr)>,
    ) -> Result<Map, Refusal> {
        let mut components: FxHashMap<Symbol, Expr> = components.into_iter().collect();
        let base = target.manifold().base();
        let time = components.remove(&base).unwrap_or_else(|| Expr::symbol(source.manifold().base()));
        let mut kept = FxHashMap::default();
        for symbol in target.symbols().into_iter().filter(|s| *s != base) {
            let component = components.remove(&symbol).ok_or(Refusal::MissingComponent { symbol })?;
            kept.insert(symbol, component);
        }
        if let Some(symbol) = components.into_keys().min() {
            return Err(Refusal::ForeignCoordinate { space: target.clone(), symbol });
        }
        let outside = |s: &Symbol| !source.contains(*s) && !s.is_parameter();
        for e in kept.values().chain([&time]) {
            if let Some(symbol) = e.symbols().into_iter().find(outside) {
                return Err(Refusal::ForeignCoordinate { space: source.clone(), symbol });
            }
        }
        Ok(Map { source: source.clone(), target: target.clone(), time, components: kept })
    }

    pub fn identity(manifold: &FiberedManifold) -> Map {
        let space = manifold.jets(0);
        let base = manifold.base();
        let components = space.symbols().into_iter().filter(|s| *s != base).map(|s| (s, Expr::symbol(s))).collect();
        Map { source: space.clone(), target: space, time: Expr::symbol(base), components }
    }

    pub fn source(&self) -> &JetSpace {
        &self.source
    }

    pub fn target(&self) -> &JetSpace {
        &self.target
    }

    /// The components in the order of the coordinates of the target.
    pub fn components(&self) -> Vec<(Symbol, Expr)> {
        self.target.symbols().into_iter().filter_map(|s| Some((s, *self.components.get(&s)?))).collect()
    }

    /// What a coordinate of the target, of any order, is on the source.
    pub fn image_of(&self, cx: &Inquiry, symbol: Symbol) -> Result<Expr, Refusal> {
        if symbol == self.target.manifold().base() {
            return Ok(self.time);
        }
        if let Some(&component) = self.components.get(&symbol) {
            return Ok(component);
        }
        let foreign = || Refusal::ForeignCoordinate { space: self.target.clone(), symbol };
        match symbol.kind() {
            SymbolKind::Parameter | SymbolKind::Bound => Ok(Expr::symbol(symbol)),
            SymbolKind::Velocity { of } => Ok(self.rate(cx, self.image_of(cx, of)?, Prolongation::Free)),
            SymbolKind::Jet { coordinate, order } => {
                let fibre = self.target.manifold().fibre(coordinate).ok_or_else(foreign)?;
                if self.target.order() > 0 {
                    let order = order.saturating_sub(fibre.order);
                    let verdict = Verdict::no("it occurs");
                    return Err(Refusal::OrderTooHigh { space: self.target.clone(), symbol, order, verdict });
                }
                let start = self.components.get(&coordinate.jet(fibre.order)).copied().ok_or_else(foreign)?;
                Ok((fibre.order..order).fold(start, |e, _| self.rate(cx, e, Prolongation::Holonomic)))
            }
            SymbolKind::Base
            | SymbolKind::Momentum { .. }
            | SymbolKind::Multiplier(_)
            | SymbolKind::Variation { .. } => Err(foreign()),
        }
    }

    /// dτ/dt: what the differential of the time of the target becomes, 1 unless the map changes the time.
    pub fn speed(&self, cx: &Inquiry) -> Expr {
        derivative_along(cx, self.time, Prolongation::Holonomic)
    }

    /// df/dT = (df/dt)/(dτ/dt).
    fn rate(&self, cx: &Inquiry, e: Expr, prolongation: Prolongation) -> Expr {
        derivative_along(cx, e, prolongation) / derivative_along(cx, self.time, prolongation)
    }

    fn images(&self, cx: &Inquiry, symbols: &[Symbol]) -> Result<FxHashMap<Symbol, Expr>, Refusal> {
        symbols.iter().map(|s| Ok((*s, self.image_of(cx, *s)?))).collect()
    }

    /// f ∘ Jʳψ.
    pub fn pullback_function(&self, cx: &Inquiry, e: Expr) -> Result<Expr, Refusal> {
        Ok(substitute(e, &self.images(cx, &e.symbols())?))
    }

    /// (Jʳψ)^*η, for the order r that the form asks for.
    pub fn pullback(&self, cx: &Inquiry, form: &Form) -> Result<Form, Refusal> {
        Ok(form.pullback(cx, &self.images(cx, &form.symbols())?))
    }

    /// ∂ψ^x/∂r: rows the coordinates of the target, columns those of the source, without the times.
    pub fn jacobian(&self, cx: &Inquiry) -> Jacobian {
        let base = self.source.manifold().base();
        let columns: Vec<Symbol> = self.source.symbols().into_iter().filter(|s| *s != base).collect();
        let components = self.components();
        let row = |e: Expr| columns.iter().map(|s| partial(cx, e, *s)).collect();
        let entries = components.iter().map(|(_, e)| row(*e)).collect();
        Jacobian { rows: components.iter().map(|(s, _)| *s).collect(), columns, entries }
    }

    /// ψ^*ξ for a field on the lowest JʳY that it fits on.
    pub fn pullback_field(&self, cx: &Inquiry, field: &VectorField) -> Result<VectorField, Refusal> {
        self.pullback_field_on(cx, field, field.order_on(cx, self.target.manifold()).order)
    }

    /// ψ^*ξ = (Tψ)⁻¹ ξ∘ψ on JʳP, for a field on JʳY, where the Jacobian of the map has an inverse. The order matters:
    /// ∂/∂x on Y and ∂/∂x on J¹Y, which keeps x′ as it is, are different fields.
    ///
    /// The Jacobian of the prolonged map is triangular by blocks: x_k depends on jets up to order k, and on those
    /// of order k through ∂x/∂u, divided by (dτ/dt)ᵏ. So one inverse serves every order.
    pub fn pullback_field_on(&self, cx: &Inquiry, field: &VectorField, order: u32) -> Result<VectorField, Refusal> {
        let (source, target) = (self.source.manifold(), self.target.manifold());
        let no_inverse = |why: &str| Refusal::NotInvertible { why: why.into(), positive: vec![] };
        if self.source.order() + self.target.order() > 0 || source.fibres().iter().any(|f| f.order > 0) {
            return Err(no_inverse("fields are carried by maps between manifolds over the time axis only"));
        }
        let jacobian = self.jacobian(cx);
        if jacobian.rows.len() != jacobian.columns.len() {
            return Err(no_inverse(&format!(
                "{target} has {} coordinates and {source} has {}",
                jacobian.rows.len(),
                jacobian.columns.len()
            )));
        }
        let inverse = Matrix::from_rows(jacobian.entries).inverse(cx)?;
        let inverse = inverse.ok_or_else(|| no_inverse("the determinant of its Jacobian is zero"))?;
        let speed = self.speed(cx);
        let time_component = self.pullback_function(cx, field.component(target.base()))? / speed;
        let mut components = vec![(source.base(), time_component)];
        for order in 0..=order.max(field.order_on(cx, target).order) {
            let found = VectorField::new(components.iter().copied());
            let mut rest = vec![];
            for fibre in target.fibres() {
                let jet = fibre.coordinate.jet(order);
                // What the components found so far make of x_k already.
                let already = found.apply(cx, self.image_of(cx, jet)?);
                let value = self.pullback_function(cx, field.component(jet))? - already;
                rest.push(vec![value * speed.pow(i64::from(order))]);
            }
            let new = inverse.mul(&Matrix::from_rows(rest));
            let jets = source.fibres().iter().enumerate();
            let jets = jets.map(|(i, f)| Ok((f.coordinate.jet(order), tidy(cx, new[(i, 0)])?)));
            components.extend(jets.collect::<Result<Vec<_>, Refusal>>()?);
        }
        Ok(VectorField::new(components))
    }

    /// The map backwards, with the ground on which there and back is the identity, and where it is one. Refused when the
    /// equations cannot be solved, when the image is thin, or when the check fails.
    pub fn inverse(&self, cx: &Inquiry) -> Result<Inverse, Refusal> {
        match self.invert(cx) {
            Err(Refusal::NotInvertible { why, positive }) if !positive.is_empty() => {
                let positive = self.facts_that_help(cx, positive)?;
                Err(Refusal::NotInvertible { why, positive })
            }
            result => result,
        }
    }

    /// Facts under which there is an inverse: some of these, and of what is missing after them, as few as will do. None if
    /// they do not help.
    fn facts_that_help(&self, cx: &Inquiry, mut positive: Vec<Expr>) -> Result<Vec<Expr>, Refusal> {
        // What is missing under the facts; `None` if there is an inverse.
        let missing = |facts: &[Expr]| -> Result<Option<Vec<Expr>>, Refusal> {
            let Some(under) = cx.assuming(facts.iter().map(|e| (*e, assume::Sign::POSITIVE))) else {
                return Ok(Some(vec![]));
            };
            match conditions::collect(&under, |cx| self.invert(cx)).0 {
                Ok(_) => Ok(None),
                Err(Refusal::NotInvertible { positive, .. }) => Ok(Some(positive)),
                Err(stop @ Refusal::Exhausted(_)) => Err(stop),
                _ => Ok(Some(vec![])),
            }
        };
        for _ in 0..3 {
            let Some(more) = missing(&positive)? else {
                for i in (0..positive.len()).rev() {
                    let fewer: Vec<Expr> = [&positive[..i], &positive[i + 1..]].concat();
                    if missing(&fewer)?.is_none() {
                        positive = fewer;
                    }
                }
                return Ok(positive);
            };
            let new: Vec<Expr> = more.into_iter().filter(|e| !positive.contains(e)).collect();
            if new.is_empty() {
                break;
            }
            positive.extend(new);
        }
        Ok(vec![])
    }

    fn invert(&self, cx: &Inquiry) -> Result<Inverse, Refusal> {
        let no_inverse = |why: String| Err(Refusal::NotInvertible { why, positive: vec![] });
        let (source, target) = (self.source.manifold(), self.target.manifold());
        let unknowns: Vec<Symbol> = self.source.symbols();
        let mut equations: Vec<(Expr, Expr)> =
            self.components().into_iter().map(|(x, e)| (e, Expr::symbol(x))).collect();
        if equations.len() + 1 != unknowns.len() {
            let (n, m) = (equations.len(), unknowns.len() - 1);
            return no_inverse(format!("{} has {n} coordinates and {} has {m}", self.target, self.source));
        }
        equations.push((self.time, Expr::symbol(target.base())));
        // The two spaces may have the time in common: then it is no unknown.
        let shared = source.base() == target.base();
        let open: Vec<Symbol> = unknowns.iter().copied().filter(|u| !shared || *u != source.base()).collect();
        if shared && self.time == Expr::symbol(source.base()) {
            equations.pop();
        } else if shared {
            return no_inverse("it changes the time and keeps its name; give the new time a name of its own".into());
        }
        let solved = self.solved(cx, equations, &open)?;
        if let Some(unknown) = open.iter().find(|u| !solved.values.contains_key(*u)) {
            let why = format!("its equations could not be solved for {unknown}");
            let hint = match (solved.stuck.first(), solved.conditions.first()) {
                (Some(e), _) => format!("; what remained is {e} = 0"),
                (None, Some(e)) => {
                    // Of the two signs the one that reads first, whatever was computed before.
                    let e = without_factor(*e);
                    let signs = [e.to_string(), e.opposite().to_string()];
                    let text = signs.into_iter().min_by_key(|text| (text.starts_with('-'), text.clone()));
                    let text = text.unwrap_or_default();
                    format!(", and {text} = 0 holds on its image")
                }
                (None, None) => String::new(),
            };
            let of_source = |e: &Expr| e.symbols().iter().all(|s| s.is_parameter() || self.source.contains(*s));
            let positive = solved.wanted.into_iter().filter(of_source).collect();
            return Err(Refusal::NotInvertible { why: why + &hint, positive });
        }
        if let Some(condition) = solved.conditions.first() {
            return no_inverse(format!("its image is not everything: {condition} = 0 holds on it"));
        }
        let conditions = inequality::reduced(cx, self.on_the_image(cx, solved.needs, &solved.values)?);
        if let Some(never) = inequality::contradiction(cx, &conditions) {
            let (left, relation, right) = never.sides();
            let relation = relation.text();
            return no_inverse(format!("{left} {relation} {right} on its image, which contradicts what is assumed"));
        }
        // What is cancelled in writing and checking it is no condition: where the map is continuous, so is the identity.
        let checked = |cx: &Inquiry| {
            let components = solved.values.iter().map(|(u, e)| Ok((*u, simplify(cx, *e)?)));
            let components = components.collect::<Result<Vec<_>, Refusal>>()?;
            let map = Map::new(&self.target, &self.source, components)?;
            // Each step of the solution is an equivalence under its conditions, so the composition is the identity; that
            // it is not refuted, even where the zero test sees it by sampling only, guards against errors of ours.
            let ground = match map.is_inverse_of(cx, self) {
                Ok(_) | Err(Refusal::Undecided { .. }) => Ground::proved("solved step by step"),
                Err(refused) => return Err(refused),
            };
            Ok(Inverse { map, ground, conditions: conditions.clone() })
        };
        conditions::collect(&cx.where_hold(&conditions), checked).0
    }

    /// Solves for coordinates of the source. A map of a manifold to itself gives the new coordinates other names meanwhile.
    fn solved(&self, cx: &Inquiry, equations: Vec<(Expr, Expr)>, unknowns: &[Symbol]) -> Result<Solved, Refusal> {
        if unknowns.iter().all(|u| !self.target.contains(*u)) {
            return Ok(solve(cx, equations, unknowns)?);
        }
        let old = self.target.symbols();
        let new: Vec<Symbol> = old.iter().map(|s| Symbol::helper(&s.name())).collect();
        let there: FxHashMap<Symbol, Expr> = old.iter().copied().zip(new.iter().map(|s| Expr::symbol(*s))).collect();
        let back: FxHashMap<Symbol, Expr> = new.iter().copied().zip(old.iter().map(|s| Expr::symbol(*s))).collect();
        let renamed = equations.into_iter().map(|(left, right)| (left, substitute(right, &there)));
        let mut solved = solve(cx, renamed, unknowns)?;
        let again = |e: &mut Expr| *e = substitute(*e, &back);
        solved.values.values_mut().for_each(again);
        solved.conditions.iter_mut().for_each(again);
        solved.needs.iter_mut().for_each(|c| again(&mut c.left));
        Ok(solved)
    }

    /// What holds on the image: the needs of the solution, and what is assumed about the coordinates of the source, in
    /// those of the target.
    fn on_the_image(
        &self,
        cx: &Inquiry,
        needs: Vec<Condition>,
        values: &FxHashMap<Symbol, Expr>,
    ) -> Result<Vec<Condition>, Refusal> {
        let own = |s: &Symbol| values.contains_key(s);
        let known = |s: &Symbol| own(s) || s.is_parameter() || *s == self.target.manifold().base();
        let mut conditions = needs;
        for (fact, sign) in cx.facts().iter() {
            let symbols = fact.symbols();
            let Some(condition) = Condition::from_fact(fact, sign) else { continue };
            if symbols.iter().any(own) && symbols.iter().all(known) {
                let left = conditions::collect(cx, |cx| simplify(cx, substitute(condition.left, values))).0?;
                conditions.push(Condition { left, ..condition });
            }
        }
        conditions.retain(|c| c.left.as_undefined().is_none());
        Ok(conditions)
    }

    /// What is assumed about jets of the source up to an order, in terms of the target; `self` is the inverse.
    pub fn facts_about_jets(&self, cx: &Inquiry, order: u32) -> Result<Vec<Condition>, Refusal> {
        let source = self.target.manifold();
        let mut conditions = vec![];
        for (fact, sign) in cx.facts().iter() {
            let symbols: Vec<Symbol> = fact.symbols().into_iter().filter(|s| !s.is_parameter()).collect();
            let orders: Option<Vec<u32>> = symbols.iter().map(|s| source.order_of_symbol(*s)).collect();
            let highest = orders.and_then(|list| list.into_iter().max());
            if highest.is_some_and(|k| 0 < k && k <= order)
                && let Some(condition) = Condition::from_fact(fact, sign)
            {
                let left = self.pullback_function(cx, condition.left)?;
                let left = conditions::collect(cx, |cx| simplify(cx, left)).0?;
                conditions.push(Condition { left, ..condition });
            }
        }
        Ok(inequality::reduced(cx, conditions))
    }

    /// Inequalities that the points of the image satisfy besides its equations, as far as the map can be solved for the
    /// coordinates of the source.
    pub fn image_conditions(&self, cx: &Inquiry) -> Result<Vec<Condition>, Refusal> {
        let base = self.source.manifold().base();
        let unknowns: Vec<Symbol> = self.source.symbols().into_iter().filter(|s| *s != base).collect();
        let equations = self.components().into_iter().map(|(x, e)| (e, Expr::symbol(x))).collect();
        let solved = conditions::collect(cx, |cx| self.solved(cx, equations, &unknowns)).0?;
        if !solved.stuck.is_empty() {
            return Ok(vec![]);
        }
        let mut conditions = self.on_the_image(cx, solved.needs, &solved.values)?;
        // What is not zero is so on a dense part; what contains a coordinate of the source holds for some value of it.
        let on_target = |c: &Condition| c.left.symbols().iter().all(|s| s.is_parameter() || self.target.contains(*s));
        conditions.retain(|c| c.relation != Relation::NotEqual && on_target(c));
        Ok(inequality::reduced(cx, conditions))
    }

    /// The ground on which `self` after `other` is the identity of the source of `self`.
    pub fn is_inverse_of(&self, cx: &Inquiry, other: &Map) -> Result<Ground, Refusal> {
        let mut ground = Ground::proved("");
        for (x, e) in other.components() {
            let there_and_back = self.pullback_function(cx, e)?;
            match is_zero(cx, there_and_back - Expr::symbol(x)) {
                Verdict::Yes(g) => ground = ground.weaker(g),
                Verdict::No(_) => {
                    let why = format!("there and back, {x} becomes {there_and_back}");
                    return Err(Refusal::NotInvertible { why, positive: vec![] });
                }
                Verdict::Unknown(why) => {
                    let what = format!("{x} comes back as it was, and not as {there_and_back}");
                    return Err(Refusal::Undecided { what, why });
                }
            }
        }
        Ok(ground)
    }

    /// Equations of the image in the target, one after the other zero: what the components have to satisfy.
    /// Refused when the coordinates of the source cannot be eliminated.
    pub fn image_equations(&self, cx: &Inquiry) -> Result<Vec<Expr>, Refusal> {
        // A map whose Jacobian has the rank of the target somewhere fills an open set there: no equation holds on it.
        let jacobian = self.jacobian(cx);
        let n_rows = jacobian.rows.len();
        if n_rows <= jacobian.columns.len() {
            let matrix = Matrix::with_columns(jacobian.entries, jacobian.columns.len());
            if conditions::collect(cx, |cx| matrix.rank(cx)).0?.value == n_rows {
                return Ok(vec![]);
            }
        }
        // Conditions on the source are met almost everywhere, and what holds there holds in the limit.
        let (equations, recorded) = conditions::collect(cx, |cx| self.equations_of_image(cx));
        let on_target = |e: &Expr| e.symbols().iter().all(|s| s.is_parameter());
        recorded.into_iter().filter(on_target).for_each(|x| conditions::record_nonzero(cx, x));
        equations
    }

    fn equations_of_image(&self, cx: &Inquiry) -> Result<Vec<Expr>, Refusal> {
        let base = self.source.manifold().base();
        let unknowns: Vec<Symbol> = self.source.symbols().into_iter().filter(|s| *s != base).collect();
        let equations = self.components().into_iter().map(|(x, e)| (e, Expr::symbol(x))).collect();
        let solved = self.solved(cx, equations, &unknowns)?;
        // x = ∛y² would be right, and x³ = y² is the equation of that curve.
        let is_cube_root = |e: &Expr| matches!(e.node(), Node::Apply(Elementary::Cbrt, _));
        if solved.stuck.is_empty() && !post_order(&solved.conditions).iter().any(is_cube_root) {
            return Ok(solved.conditions);
        }
        // What could not be solved is eliminated: the smallest set given by equations that contains the image.
        let mut symbols = self.source.symbols();
        symbols.extend(self.target.symbols().into_iter().filter(|s| !self.source.contains(*s)));
        let equations = self.components().into_iter().map(|(x, e)| Expr::symbol(x) - e).collect();
        let graph = Submanifold::new(&Chart::new(symbols), vec![Branch { equations, nonzero: vec![] }]);
        let image = graph.projection(cx, &self.target.chart(), |s| self.target.contains(s))?;
        match image.branches() {
            [] => Ok(vec![Expr::one()]),
            [only] => Ok(only.equations.clone()),
            // A point satisfies one of the branches: products of their equations.
            several => Ok(several.iter().fold(vec![Expr::one()], |products, branch| {
                products.iter().flat_map(|p| branch.equations.iter().map(move |e| *p * *e)).collect()
            })),
        }
    }

    /// `other` after `self`.
    pub fn then(&self, cx: &Inquiry, other: &Map) -> Result<Map, Refusal> {
        let components = other.components.iter().map(|(s, e)| Ok((*s, self.pullback_function(cx, *e)?)));
        let components = components.collect::<Result<FxHashMap<Symbol, Expr>, Refusal>>()?;
        let time = self.pullback_function(cx, other.time)?;
        Ok(Map { source: self.source.clone(), target: other.target.clone(), time, components })
    }
}

/// The expression simplified, or as it is when that is too large a task.
fn tidy(cx: &Inquiry, e: Expr) -> Result<Expr, Refusal> {
    match simplify(cx, e) {
        Err(Exhausted::Interrupted) => Err(Exhausted::Interrupted.into()),
        Err(_) => Ok(e),
        Ok(simple) => Ok(simple),
    }
}

/// A map backwards.
#[derive(Clone, Debug)]
pub struct Inverse {
    pub map: Map,
    /// On which there and back is the identity.
    pub ground: Ground,
    /// Where it is an inverse: the image of what is assumed about the source, as far as the facts do not say it.
    pub conditions: Vec<Condition>,
}

/// A matrix of partial derivatives with its labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jacobian {
    pub rows: Vec<Symbol>,
    pub columns: Vec<Symbol>,
    pub entries: Vec<Vec<Expr>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;
    use crate::algebra::assume::Sign;
    use crate::algebra::function::Elementary;

    fn apply(f: Elementary, e: Expr) -> Expr {
        Expr::apply(f, &[e])
    }

    fn manifold(name: &str, t: Symbol, coordinates: &[&str]) -> (FiberedManifold, Vec<Coordinate>) {
        let coordinates: Vec<Coordinate> = coordinates.iter().map(|n| Coordinate::declare(n, false)).collect();
        (FiberedManifold::new(name, t, &coordinates), coordinates)
    }

    fn j(c: Coordinate, k: u32) -> Expr {
        Expr::symbol(c.jet(k))
    }

    /// fb-v12: X = x eᵗ, Y = y + x² − g t²/2.
    #[test]
    fn a_lagrangian_in_a_uniformly_accelerated_dilated_chart() {
        let cx = &Inquiry::free();
        let t = Symbol::base("t");
        let (time, m, g) =
            (Expr::symbol(t), Expr::symbol(Symbol::parameter("m")), Expr::symbol(Symbol::parameter("g")));
        let ((a, old), (z, new)) = (manifold("A", t, &["x", "y"]), manifold("Z", t, &["X", "Y"]));
        let (x, y) = (j(old[0], 0), j(old[1], 0));
        let exp = apply(Elementary::Exp, time);
        let images = [
            (new[0].jet(0), x * exp),
            (new[1].jet(0), y + x.pow(2) - (g * time.pow(2)).scale(&crate::algebra::Rational::HALF)),
        ];
        let psi = Map::new(&a.jets(0), &z.jets(0), images).unwrap();
        let half = Expr::ratio(1, 2);
        let lagrangian = half * m * (j(new[0], 1).pow(2) + j(new[1], 1).pow(2)) - m * g * j(new[1], 0);
        let (xp, yp) = (j(old[0], 1), j(old[1], 1));
        let e2 = apply(Elementary::Exp, 2 * time);
        let expected = half
            * m
            * Expr::add_all([
                2 * (g.pow(2) * time.pow(2)),
                -4 * (g * time * x * xp),
                -2 * (g * time * yp),
                -2 * (g * x.pow(2)),
                -2 * (g * y),
                4 * (x.pow(2) * xp.pow(2)),
                x.pow(2) * e2,
                4 * (x * xp * yp),
                2 * (x * xp * e2),
                xp.pow(2) * e2,
                yp.pow(2),
            ]);
        let pulled = psi.pullback_function(cx, lagrangian).unwrap();
        assert!(is_zero(cx, pulled - expected).is_yes());
        let jacobian = psi.jacobian(cx);
        assert_eq!(jacobian.entries, vec![vec![exp, Expr::zero()], vec![2 * x, Expr::one()]]);
        // There and back.
        let inverse = psi.inverse(cx).unwrap().map;
        assert!(is_zero(cx, inverse.pullback_function(cx, pulled).unwrap() - lagrangian).is_yes());
    }

    #[test]
    fn polar_coordinates_are_inverted_where_the_radius_is_positive() {
        let cx = &Inquiry::free();
        let t = Symbol::base("t");
        let ((p, polar), (y, plane)) = (manifold("P", t, &["r", "a"]), manifold("Y", t, &["x", "y"]));
        let (r, a) = (j(polar[0], 0), j(polar[1], 0));
        let images =
            [(plane[0].jet(0), r * apply(Elementary::Cos, a)), (plane[1].jet(0), r * apply(Elementary::Sin, a))];
        let map = Map::new(&p.jets(0), &y.jets(0), images).unwrap();
        assert!(matches!(map.inverse(cx), Err(Refusal::NotInvertible { .. })));
        let cx = &cx.assuming([(r, Sign::POSITIVE)]).expect("possible");
        let inverse = map.inverse(cx).unwrap().map;
        let radius = inverse.image_of(cx, polar[0].jet(0)).unwrap();
        assert_eq!(radius.to_string(), "sqrt(x^2 + y^2)");
        // The kinetic energy, and back.
        let half = Expr::ratio(1, 2);
        let energy = half * (j(polar[0], 1).pow(2) + (r * j(polar[1], 1)).pow(2));
        let cartesian = half * (j(plane[0], 1).pow(2) + j(plane[1], 1).pow(2));
        assert!(is_zero(cx, map.pullback_function(cx, cartesian).unwrap() - energy).is_yes());
        assert!(is_zero(cx, inverse.pullback_function(cx, energy).unwrap() - cartesian).is_yes());
        // Rotations are ∂/∂a, and its prolongation the prolongation.
        let rotation = VectorField::new([(plane[1].jet(0), j(plane[0], 0)), (plane[0].jet(0), -j(plane[1], 0))]);
        let pulled = map.pullback_field(cx, &rotation.prolong(cx, &y.jets(1)).unwrap()).unwrap();
        assert!(pulled.equals(cx, &VectorField::coordinate(polar[1].jet(0))).is_yes());
    }

    #[test]
    fn the_image_of_a_chart_of_the_circle_is_the_circle() {
        let cx = &Inquiry::free();
        let t = Symbol::base("t");
        let ((z, alpha), (y, plane)) = (manifold("Z", t, &["alpha"]), manifold("Y", t, &["x", "y"]));
        let l = Expr::symbol(Symbol::parameter("l"));
        let cx = &cx.assuming([(l, Sign::POSITIVE)]).expect("possible");
        let angle = j(alpha[0], 0);
        let images = [
            (plane[0].jet(0), l * apply(Elementary::Sin, angle)),
            (plane[1].jet(0), -(l * apply(Elementary::Cos, angle))),
        ];
        let map = Map::new(&z.jets(0), &y.jets(0), images).unwrap();
        let equations = map.image_equations(cx).unwrap();
        assert_eq!(equations.len(), 1);
        let circle = j(plane[0], 0).pow(2) + j(plane[1], 0).pow(2) - l.pow(2);
        assert!(is_zero(cx, equations[0] + circle).or(is_zero(cx, equations[0] - circle)).is_yes());
        assert!(map.inverse(cx).is_err());
    }
}
