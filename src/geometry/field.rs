//! Vector fields on jet spaces: brackets, prolongations, and the types vertical, projectable, semispray.
//! Krupková §2.
//!
//! A field is stored by its components along ∂/∂x, whatever kind of coordinate x is. The prolongation of
//! a projectable field ξ = ξ⁰(t)∂/∂t + ξ^σ(t, q)∂/∂q^σ is the one field on JʳY that covers ξ and leaves the
//! contact forms among themselves:
//!
//! ```text
//! Jʳξ = ξ⁰ ∂/∂t + Σ_{i≤r} ξ_i^σ ∂/∂q_i^σ,      ξ_0 = ξ^σ,   ξ_i = dξ_{i−1}/dt − (dξ⁰/dt) q_i
//! ```

use super::Refusal;
use super::axis::Axis;
use super::contact::{Component, Covector, Finding, all_vanish};
use super::form::stays;
use super::jet::{
    FiberedManifold, JetSpace, Order, Prolongation, changes_with, derivative_along, needless, project, total_derivative,
};
use crate::algebra::Inquiry;
use crate::algebra::decide::is_zero;
use crate::algebra::derive::Direction;
use crate::algebra::expr::symbols_of;
use crate::algebra::substitute::substitute_all;
use crate::algebra::{Expr, Ground, Symbol, Verdict};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Σ ξ^x ∂/∂x. No stored component is the number 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorField {
    components: BTreeMap<Axis, Expr>,
}

/// The derivation f ↦ ξ(f); remembers what it has differentiated.
pub type Derivation = Direction<Box<dyn Fn(Symbol) -> Expr>>;

impl VectorField {
    pub fn zero() -> VectorField {
        VectorField::default()
    }

    /// ∂/∂x.
    pub fn coordinate(symbol: Symbol) -> VectorField {
        VectorField::new([(symbol, Expr::one())])
    }

    /// A field from its components; components along one symbol are added, parameters have no direction.
    pub fn new(components: impl IntoIterator<Item = (Symbol, Expr)>) -> VectorField {
        let mut parts: BTreeMap<Axis, Vec<Expr>> = BTreeMap::new();
        for (symbol, c) in components {
            if let Some(axis) = Axis::of(symbol) {
                parts.entry(axis).or_default().push(c);
            }
        }
        let sum = |(axis, parts): (Axis, Vec<Expr>)| (axis, Expr::add_all(parts));
        VectorField { components: parts.into_iter().map(sum).filter(|(_, c)| !c.is_zero()).collect() }
    }

    /// The component along ∂/∂x.
    pub fn component(&self, symbol: Symbol) -> Expr {
        Axis::of(symbol).map_or_else(Expr::zero, |axis| self.along(axis))
    }

    pub(crate) fn along(&self, axis: Axis) -> Expr {
        self.components.get(&axis).copied().unwrap_or_else(Expr::zero)
    }

    /// The components, that along t first.
    pub fn components(&self) -> Vec<(Symbol, Expr)> {
        let mut list: Vec<(Axis, Expr)> = self.components.iter().map(|(a, c)| (*a, *c)).collect();
        list.sort_by_key(|(a, _)| a.reading_order());
        list.into_iter().map(|(a, c)| (a.symbol(), c)).collect()
    }

    /// Whether it has no components at all; see [`VectorField::is_zero`] for the question.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    pub fn symbols(&self) -> Vec<Symbol> {
        let coefficients: Vec<Expr> = self.components.values().copied().collect();
        let mut symbols = symbols_of(&coefficients);
        symbols.extend(self.components.keys().map(|a| a.symbol()));
        symbols.sort();
        symbols.dedup();
        symbols
    }

    pub fn map_components(&self, f: impl Fn(Expr) -> Expr) -> VectorField {
        let components = self.components.iter().map(|(a, c)| (*a, f(*c))).filter(|(_, c)| !c.is_zero());
        VectorField { components: components.collect() }
    }

    pub fn scale(&self, factor: Expr) -> VectorField {
        self.map_components(|c| factor * c)
    }

    /// Values in place of some symbols, in the components.
    pub fn at(&self, point: &FxHashMap<Symbol, Expr>) -> VectorField {
        let values: Vec<Expr> = self.components.values().copied().collect();
        let values = substitute_all(&values, point);
        VectorField::new(self.components.keys().map(|a| a.symbol()).zip(values))
    }

    /// f ↦ ξ(f), to be used for many functions.
    pub fn derivation(&self) -> Derivation {
        let components: FxHashMap<Symbol, Expr> = self.components.iter().map(|(a, c)| (a.symbol(), *c)).collect();
        Direction::new(Box::new(move |s| components.get(&s).copied().unwrap_or_else(Expr::zero)))
    }

    /// ξ(f).
    pub fn apply(&self, cx: &Inquiry, f: Expr) -> Expr {
        self.derivation().apply(cx, f)
    }

    /// [ξ, ζ]^x = ξ(ζ^x) − ζ(ξ^x).
    pub fn bracket(&self, cx: &Inquiry, other: &VectorField) -> VectorField {
        let (along_self, along_other) = (self.derivation(), other.derivation());
        let gain = other.components.iter().map(|(a, c)| (a.symbol(), along_self.apply(cx, *c)));
        let loss = self.components.iter().map(|(a, c)| (a.symbol(), -along_other.apply(cx, *c)));
        VectorField::new(gain.chain(loss))
    }

    pub fn is_zero(&self, cx: &Inquiry) -> Verdict {
        Verdict::all(self.components.values().map(|c| is_zero(cx, *c)), "there are no components")
    }

    pub fn equals(&self, cx: &Inquiry, other: &VectorField) -> Verdict {
        (self - other).is_zero(cx)
    }

    /// The field without components that vanish, and the ground on which they were dropped.
    pub fn simplified(&self, cx: &Inquiry) -> (VectorField, Ground) {
        let mut ground = Ground::proved("");
        let mut field = self.clone();
        field.components.retain(|_, c| stays(cx, *c, &mut ground));
        (field, ground)
    }

    /// The lowest manifold on which the field lives; `None` if any will do.
    pub fn manifold(&self) -> Result<Option<FiberedManifold>, Refusal> {
        FiberedManifold::of_symbols(&self.symbols())
    }

    /// The smallest r such that the field is one on JʳY.
    pub fn order_on(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Order {
        let (field, dropped) = self.simplified(cx);
        let coefficients: Vec<Expr> = field.components.values().copied().collect();
        let mut order = manifold.order_of_all(cx, &coefficients);
        order.ground = order.ground.weaker(dropped);
        let directions =
            field.components.keys().filter_map(|a| manifold.order_of_symbol(a.symbol())).max().unwrap_or(0);
        if directions > order.order {
            order = Order { order: directions, ground: order.ground, undecided: vec![] };
        }
        order
    }

    /// The field as one on JʳY, written without higher jets; refused with a coordinate that does not fit.
    pub fn project(&self, cx: &Inquiry, space: &JetSpace) -> Result<(VectorField, Ground), Refusal> {
        let mut ground = Ground::proved("");
        let mut components = vec![];
        for (symbol, c) in self.components() {
            if !space.contains(symbol) {
                ground = ground.weaker(needless(space, symbol, is_zero(cx, c))?);
                continue;
            }
            let (projected, g) = project(cx, c, space)?;
            components.push((symbol, projected));
            ground = ground.weaker(g);
        }
        Ok((VectorField::new(components), ground))
    }

    /// No component along t.
    pub fn is_vertical(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Finding {
        let base = manifold.base();
        all_vanish(cx, [component(base, self.component(base))])
    }

    /// The component along t depends on t only. Of a field on JʳY this says that it covers one on X; the
    /// evidence is that component, and [`VectorField::projectability`] names the coordinate it depends on.
    pub fn is_projectable(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Finding {
        match self.projectability(cx, manifold) {
            Ok(ground) => Finding { verdict: Verdict::Yes(ground), evidence: None },
            Err(Refusal::NotProjectable { component: symbol, coefficient, verdict, .. }) => {
                Finding { verdict: verdict.negate(), evidence: Some(component(symbol, coefficient)) }
            }
            Err(_) => Finding { verdict: Verdict::unknown("the computation was stopped"), evidence: None },
        }
    }

    /// The ground on which the field is projectable, or what it depends on. The verdict in the refusal is
    /// about that dependence: yes, or unknown.
    pub fn projectability(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Result<Ground, Refusal> {
        let base = manifold.base();
        let coefficient = self.component(base);
        let mut ground = Ground::proved("");
        let mut open: Option<Refusal> = None;
        for on in coefficient.symbols() {
            if on == base || Axis::of(on).is_none() {
                continue;
            }
            let verdict = changes_with(cx, coefficient, on);
            match verdict {
                Verdict::No(g) => ground = ground.weaker(g),
                Verdict::Yes(_) => return Err(Refusal::NotProjectable { component: base, coefficient, on, verdict }),
                Verdict::Unknown(_) => {
                    open.get_or_insert(Refusal::NotProjectable { component: base, coefficient, on, verdict });
                }
            }
        }
        open.map_or(Ok(ground), Err)
    }

    /// Semispray on JʳY: ζ⁰ ≠ 0 and i_ζ ω_j = 0 for j < r. Krupková §2.
    ///
    /// The evidence is the residual ζ_j − ζ⁰q_{j+1}, or the component along t when it vanishes. That ζ⁰ vanishes
    /// nowhere is a matter of its zero set; here it must not be the zero function, and a component that is
    /// not a nonzero number leaves the condition ζ⁰ ≠ 0 to the caller: see [`Semispray`].
    pub fn is_semispray(&self, cx: &Inquiry, space: &JetSpace) -> Semispray {
        let base = space.manifold().base();
        let speed = self.component(base);
        let at_rest = is_zero(cx, speed);
        if at_rest.is_yes() {
            let finding = Finding { verdict: at_rest.negate(), evidence: Some(component(base, speed)) };
            return Semispray { finding, nonzero: speed };
        }
        let residual = |jet: Symbol| {
            let next = super::jet::velocity(jet, space.prolongation());
            Component { basis: vec![Covector::Contact(jet)], coefficient: self.component(jet) - speed * next }
        };
        let mut finding = all_vanish(cx, space.contact_jets().into_iter().map(residual));
        if !finding.verdict.is_no() && at_rest.is_unknown() {
            finding.evidence.get_or_insert(component(base, speed));
        }
        finding.verdict = finding.verdict.and(at_rest.negate());
        Semispray { finding, nonzero: speed }
    }

    /// Jʳξ, for a projectable field on the manifold. Refused with the coordinate on which the component
    /// along t depends. Over a jet space, W → JˢY, the jets of Y below the top are moved as ξ moves Y, so that contact
    /// forms stay among themselves.
    pub fn prolong(&self, cx: &Inquiry, space: &JetSpace) -> Result<VectorField, Refusal> {
        let manifold = space.manifold();
        self.projectability(cx, manifold)?;
        let base = manifold.base();
        let stretch = total_derivative(cx, self.component(base));
        let mut prolonged = self.clone();
        for fibre in manifold.fibres() {
            let mut previous = self.component(fibre.coordinate.jet(0));
            for order in 1..=fibre.order + space.order() {
                let jet = fibre.coordinate.jet(order);
                previous = total_derivative(cx, previous) - stretch * Expr::symbol(jet);
                prolonged.components.remove(&axis(jet));
                if !previous.is_zero() {
                    prolonged.components.insert(axis(jet), previous);
                }
            }
        }
        Ok(prolonged)
    }

    /// J¹(ξ) on J¹(JʳY), for a projectable field ξ on JʳY that need not be a prolongation itself: like Jʳξ, with the
    /// velocities of the coordinates of JʳY in the place of derivatives,
    ///
    /// ```text
    /// ξ + Σ (dξ^a/dt − (dξ⁰/dt) vel(a)) ∂/∂vel(a)          over the coordinates a of JʳY but t
    /// ```
    pub fn prolong_freely(&self, cx: &Inquiry, space: &JetSpace) -> Result<VectorField, Refusal> {
        self.projectability(cx, space.manifold())?;
        let base = space.manifold().base();
        let rate = |e: Expr| derivative_along(cx, e, Prolongation::Free);
        let stretch = rate(self.component(base));
        let below = space.manifold().jets(space.order()).symbols();
        let velocities = below.into_iter().filter(|s| *s != base).map(|s| {
            let velocity = Symbol::velocity(s);
            (velocity, rate(self.component(s)) - stretch * Expr::symbol(velocity))
        });
        Ok(VectorField::new(self.components().into_iter().chain(velocities)))
    }

    /// What the field does to the points of the manifold: its components along t and the coordinates of order 0.
    pub fn on_manifold(&self, manifold: &FiberedManifold) -> VectorField {
        let below = |(s, _): &(Symbol, Expr)| manifold.order_of_symbol(*s) == Some(0);
        VectorField::new(self.components().into_iter().filter(below))
    }

    /// ∂/∂t + Σ_{j<r} q_{j+1} ∂/∂q_j + Σ f^σ ∂/∂q_r^σ: the semispray on JʳY with the given top components.
    pub fn semispray(space: &JetSpace, top: &[Expr]) -> VectorField {
        let base = [(space.manifold().base(), Expr::one())];
        let chain = space.contact_jets().into_iter();
        let chain = chain.map(|q| (q, super::jet::velocity(q, space.prolongation())));
        VectorField::new(base.into_iter().chain(chain).chain(space.top_jets().into_iter().zip(top.iter().copied())))
    }
}

/// The answer to the question whether a field is a semispray: it is one where `nonzero` ≠ 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Semispray {
    pub finding: Finding,
    /// The component along t.
    pub nonzero: Expr,
}

fn axis(symbol: Symbol) -> Axis {
    Axis::of(symbol).unwrap_or_else(|| unreachable!("jets are coordinates"))
}

fn component(symbol: Symbol, coefficient: Expr) -> Component {
    Component { basis: vec![Covector::Differential(symbol)], coefficient }
}

impl std::ops::Add for &VectorField {
    type Output = VectorField;
    fn add(self, other: &VectorField) -> VectorField {
        VectorField::new(self.components().into_iter().chain(other.components()))
    }
}

impl std::ops::Sub for &VectorField {
    type Output = VectorField;
    fn sub(self, other: &VectorField) -> VectorField {
        self + &-other
    }
}

impl std::ops::Neg for &VectorField {
    type Output = VectorField;
    fn neg(self) -> VectorField {
        self.map_components(|c| -c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Coordinate, Rational};

    fn stage() -> (Symbol, Coordinate, FiberedManifold) {
        let (t, q) = (Symbol::base("t"), Coordinate::declare("q", false));
        (t, q, FiberedManifold::new("Y", t, &[q]))
    }

    /// V02: the third prolongation of t²∂/∂t + tq∂/∂q.
    #[test]
    fn third_prolongation_of_a_projectable_field() {
        let cx = &Inquiry::free();
        let (t, q, y) = stage();
        let (time, j) = (Expr::symbol(t), |k: u32| Expr::symbol(q.jet(k)));
        let x = VectorField::new([(t, time.pow(2)), (q.jet(0), time * j(0))]);
        let prolonged = x.prolong(cx, &y.jets(3)).unwrap();
        let at = |k: u32, t_value: i64, jets: [(i64, i64); 4]| {
            let numbers = jets.into_iter().enumerate();
            let numbers = numbers.map(|(k, (n, d))| (q.jet(k as u32), Expr::number(Rational::ratio(n, d))));
            let point = numbers.chain([(t, Expr::number(t_value))]).collect();
            prolonged.at(&point).component(q.jet(k))
        };
        let here = [(5, 2), (1, 1), (-5, 1), (4, 3)];
        let expected = [Expr::ratio(-5, 2), Expr::ratio(7, 2), Expr::number(-15), Expr::ratio(65, 3)];
        let found: Vec<Expr> = (0..4).map(|k| at(k, -1, here)).collect();
        assert_eq!(found, expected);
        let there = [(-5, 3), (5, 2), (-2, 3), (-5, 2)];
        let expected = [Expr::number(-5), Expr::ratio(-55, 6), Expr::number(6), Expr::ratio(79, 2)];
        let found: Vec<Expr> = (0..4).map(|k| at(k, 3, there)).collect();
        assert_eq!(found, expected);
        assert_eq!(prolonged.component(t), time.pow(2));
        assert_eq!(prolonged.components().len(), 5);
    }

    #[test]
    fn a_field_whose_time_component_depends_on_q_has_no_prolongation() {
        let cx = &Inquiry::free();
        let (t, q, y) = stage();
        let x = VectorField::new([(t, Expr::symbol(q.jet(0)))]);
        assert!(matches!(x.prolong(cx, &y.jets(1)), Err(Refusal::NotProjectable { on, .. }) if on == q.jet(0)));
        assert!(x.is_projectable(cx, &y).verdict.is_no());
        assert_eq!(x.is_projectable(cx, &y).evidence.unwrap().coefficient, Expr::symbol(q.jet(0)));
    }

    /// V05: which of four fields on J² are semisprays.
    #[test]
    fn semisprays_on_the_second_jet_space() {
        let cx = &Inquiry::free();
        let (t, q, y) = stage();
        let j = |k: u32| Expr::symbol(q.jet(k));
        let is = |components: [Expr; 4]| {
            let symbols = [t, q.jet(0), q.jet(1), q.jet(2)];
            VectorField::new(symbols.into_iter().zip(components)).is_semispray(cx, &y.jets(2)).finding.verdict
        };
        let zero = Expr::zero();
        assert!(is([Expr::one(), j(1), j(2), -j(0)]).is_yes());
        assert!(is([Expr::number(2), 2 * j(1), 2 * j(2), Expr::number(7)]).is_yes());
        assert!(!is([Expr::one(), j(1), j(0), zero]).is_yes());
        assert!(is([zero, zero, zero, Expr::one()]).is_no());
        let semispray = VectorField::semispray(&y.jets(1), &[-j(0)]);
        assert_eq!(semispray.to_string(), "@t + q'*@q - q*@q'");
    }
}
