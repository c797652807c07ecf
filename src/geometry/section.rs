//! Sections: motions, and curves in jet spaces.
//!
//! A section γ of Y → X gives each coordinate as a function of t; its prolongation Jʳγ gives the derivatives
//! too. A section δ of JʳY → X that is given coordinate by coordinate need not be a prolongation: it is
//! *holonomic* when δ = Jʳγ, that is when the contact forms vanish along it, Krupková §2.
//!
//! ```text
//! Jʳγ^* ω_j = 0,       γ^*η = (hη)∘Jγ for 1-forms
//! ```

use super::Refusal;
use super::contact::{Component, Covector, Finding, all_vanish};
use super::form::Form;
use super::jet::{FiberedManifold, JetSpace};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, SymbolKind};
use rustc_hash::FxHashMap;

/// A section of JʳY → X, of Y itself for r = 0. Every coordinate but t has a component, which depends on
/// t and parameters only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    space: JetSpace,
    components: FxHashMap<Symbol, Expr>,
}

impl Section {
    pub fn new(space: &JetSpace, components: impl IntoIterator<Item = (Symbol, Expr)>) -> Result<Section, Refusal> {
        let components: FxHashMap<Symbol, Expr> = components.into_iter().collect();
        let base = space.manifold().base();
        for symbol in space.symbols().into_iter().filter(|s| *s != base) {
            let component = *components.get(&symbol).ok_or(Refusal::MissingComponent { symbol })?;
            let foreign = component.symbols().into_iter().find(|s| *s != base && !s.is_parameter());
            if let Some(on) = foreign {
                return Err(Refusal::NotAFunctionOfTime { component: symbol, on });
            }
        }
        Ok(Section { space: space.clone(), components })
    }

    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    pub fn manifold(&self) -> &FiberedManifold {
        self.space.manifold()
    }

    /// What the coordinate is along the section: its component, the derivatives of the highest one that is
    /// given for higher jets, and the derivative of the component for a velocity.
    pub fn value(&self, cx: &Inquiry, symbol: Symbol) -> Result<Expr, Refusal> {
        let base = self.manifold().base();
        match symbol.kind() {
            SymbolKind::Velocity { of } => Ok(partial(cx, self.value(cx, of)?, base)),
            SymbolKind::Jet { coordinate, order } => {
                let foreign = || Refusal::ForeignCoordinate { space: self.space.clone(), symbol };
                let fibre = self.manifold().fibre(coordinate).ok_or_else(foreign)?;
                let given = order.min(fibre.order + self.space.order());
                let component = self.components.get(&coordinate.jet(given)).copied();
                let component = component.ok_or(Refusal::MissingComponent { symbol })?;
                Ok((given..order).fold(component, |e, _| partial(cx, e, base)))
            }
            SymbolKind::Base | SymbolKind::Parameter | SymbolKind::Bound => Ok(Expr::symbol(symbol)),
            SymbolKind::Momentum { .. } | SymbolKind::Multiplier(_) | SymbolKind::Variation { .. } => {
                Err(Refusal::ForeignCoordinate { space: self.space.clone(), symbol })
            }
        }
    }

    /// Jʳγ.
    pub fn prolong(&self, cx: &Inquiry, order: u32) -> Result<Section, Refusal> {
        let space = self.space.lift(order);
        let base = self.manifold().base();
        let symbols = space.symbols().into_iter().filter(|s| *s != base);
        let components = symbols.map(|s| Ok((s, self.value(cx, s)?))).collect::<Result<_, Refusal>>()?;
        Ok(Section { space, components })
    }

    /// The function along the section.
    pub fn pullback_function(&self, cx: &Inquiry, e: Expr) -> Result<Expr, Refusal> {
        Ok(substitute(e, &self.values(cx, &e.symbols())?))
    }

    /// δ^*η, a form on the time axis; along Jʳγ as far as the form asks for derivatives.
    pub fn pullback(&self, cx: &Inquiry, form: &Form) -> Result<Form, Refusal> {
        Ok(form.pullback(cx, &self.values(cx, &form.symbols())?))
    }

    fn values(&self, cx: &Inquiry, symbols: &[Symbol]) -> Result<FxHashMap<Symbol, Expr>, Refusal> {
        symbols.iter().map(|s| Ok((*s, self.value(cx, *s)?))).collect()
    }

    /// Whether the section is the prolongation of one of Y. The evidence is ω_j along the section.
    pub fn is_holonomic(&self, cx: &Inquiry) -> Finding {
        let base = self.manifold().base();
        let residual = |jet: Symbol| {
            let next = jet.as_jet().map(|(c, k)| c.jet(k + 1)).and_then(|s| self.components.get(&s).copied());
            let coefficient = partial(cx, self.components[&jet], base) - next.unwrap_or_else(Expr::zero);
            Component { basis: vec![Covector::Contact(jet)], coefficient }
        };
        all_vanish(cx, self.space.contact_jets().into_iter().map(residual))
    }
}
