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

use super::Refusal;
use super::form::Form;
use super::jet::{FiberedManifold, JetSpace, Prolongation, derivative_along};
use crate::algebra::derive::partial;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, SymbolKind};
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
    pub fn image_of(&self, symbol: Symbol) -> Result<Expr, Refusal> {
        if symbol == self.target.manifold().base() {
            return Ok(self.time);
        }
        if let Some(&component) = self.components.get(&symbol) {
            return Ok(component);
        }
        let foreign = || Refusal::ForeignCoordinate { space: self.target.clone(), symbol };
        match symbol.kind() {
            SymbolKind::Parameter | SymbolKind::Bound => Ok(Expr::symbol(symbol)),
            SymbolKind::Velocity { of } => Ok(self.rate(self.image_of(of)?, Prolongation::Free)),
            SymbolKind::Jet { coordinate, order } => {
                let fibre = self.target.manifold().fibre(coordinate).ok_or_else(foreign)?;
                if self.target.order() > 0 {
                    let order = order.saturating_sub(fibre.order);
                    let verdict = crate::algebra::Verdict::no("it occurs");
                    return Err(Refusal::OrderTooHigh { space: self.target.clone(), symbol, order, verdict });
                }
                let start = self.components.get(&coordinate.jet(fibre.order)).copied().ok_or_else(foreign)?;
                Ok((fibre.order..order).fold(start, |e, _| self.rate(e, Prolongation::Holonomic)))
            }
            SymbolKind::Base | SymbolKind::Momentum { .. } | SymbolKind::Multiplier(_) => Err(foreign()),
        }
    }

    /// df/dT = (df/dt)/(dτ/dt).
    fn rate(&self, e: Expr, prolongation: Prolongation) -> Expr {
        derivative_along(e, prolongation) / derivative_along(self.time, prolongation)
    }

    fn images(&self, symbols: &[Symbol]) -> Result<FxHashMap<Symbol, Expr>, Refusal> {
        symbols.iter().map(|s| Ok((*s, self.image_of(*s)?))).collect()
    }

    /// f ∘ Jʳψ.
    pub fn pullback_function(&self, e: Expr) -> Result<Expr, Refusal> {
        Ok(substitute(e, &self.images(&e.symbols())?))
    }

    /// (Jʳψ)^*η, for the order r that the form asks for.
    pub fn pullback(&self, form: &Form) -> Result<Form, Refusal> {
        Ok(form.pullback(&self.images(&form.symbols())?))
    }

    /// ∂ψ^x/∂r: rows the coordinates of the target, columns those of the source, without the times.
    pub fn jacobian(&self) -> Jacobian {
        let base = self.source.manifold().base();
        let columns: Vec<Symbol> = self.source.symbols().into_iter().filter(|s| *s != base).collect();
        let components = self.components();
        let row = |e: Expr| columns.iter().map(|s| partial(e, *s)).collect();
        let entries = components.iter().map(|(_, e)| row(*e)).collect();
        Jacobian { rows: components.iter().map(|(s, _)| *s).collect(), columns, entries }
    }

    /// `other` after `self`.
    pub fn then(&self, other: &Map) -> Result<Map, Refusal> {
        let components = other.components.iter().map(|(s, e)| Ok((*s, self.pullback_function(*e)?)));
        let components = components.collect::<Result<FxHashMap<Symbol, Expr>, Refusal>>()?;
        let time = self.pullback_function(other.time)?;
        Ok(Map { source: self.source.clone(), target: other.target.clone(), time, components })
    }
}

/// A matrix of partial derivatives with its labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jacobian {
    pub rows: Vec<Symbol>,
    pub columns: Vec<Symbol>,
    pub entries: Vec<Vec<Expr>>,
}
