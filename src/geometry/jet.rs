//! Fibered manifolds, their jet spaces, and the total derivative. Krupková §2.
//!
//! A fibered manifold Y → X has the base coordinate t and fibre coordinates q^σ. It may stand on another
//! one, E → M → X, as mixed systems need it, or on a jet space, W → JʳY → X, as multipliers do. In every case
//! it is described by its fibre coordinates and by how many derivatives of each are coordinates *of the
//! manifold itself*: none for Y, r for the q^σ of a manifold over JʳY.
//!
//! ```text
//! manifold Y over t { x, y }             Y:     t, x, y
//! manifold W over J1(Y) { lambda }       W:     t, x, y, x', y', lambda
//!                                        J1(W): t, x, y, x', y', lambda, x'', y'', lambda'
//! ```
//!
//! # Velocities that need not be holonomic
//!
//! A curve δ in JʳY is holonomic when δ = Jʳγ. Hamilton equations speak of all curves, on J¹(JʳY), where the
//! velocity of the coordinate q_k is a coordinate `vel(q_k)` of its own, Krupková §4. A [`Prolongation`] says
//! which of the two is meant: the total derivative sends q_k to q_{k+1} or to `vel(q_k)`.

use super::Refusal;
use crate::algebra::Inquiry;
use crate::algebra::assume;
use crate::algebra::decide::is_zero;
use crate::algebra::derive::{Direction, partial};
use crate::algebra::expr::post_order;
use crate::algebra::normal::simplify;
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Ground, Symbol, SymbolKind, Verdict};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;

/// A fibered manifold over the time axis. Two declarations are two manifolds: compared by identity.
#[derive(Clone)]
pub struct FiberedManifold(Rc<Declaration>);

struct Declaration {
    name: String,
    base: Symbol,
    over: Over,
    /// Those of what lies below first.
    fibres: Vec<Fibre>,
    own: Vec<Coordinate>,
    /// Where a coordinate stands among the fibres, by itself and by its name: programs with families ask often.
    places: FxHashMap<Coordinate, usize>,
    named: FxHashMap<String, usize>,
    /// Made on demand.
    unfolded: OnceCell<FiberedManifold>,
}

/// A fibre coordinate q, and the number `order` such that q, q′, …, q_order are coordinates of the manifold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fibre {
    pub coordinate: Coordinate,
    pub order: u32,
}

/// What a manifold stands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Over {
    /// The time axis only.
    Base,
    Manifold(FiberedManifold),
    Jets(JetSpace),
}

/// JʳY, or J¹(JʳY) with velocities that need not be holonomic. Also stands for Y itself, with r = 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JetSpace {
    manifold: FiberedManifold,
    order: u32,
    prolongation: Prolongation,
}

/// A list of coordinates, in the order in which matrices and tables show them: t, q, q′, …
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chart {
    symbols: Rc<[Symbol]>,
}

/// How a curve in a space of jets is lifted to its velocity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Prolongation {
    /// d/dt q_k = q_{k+1}: the curve is the prolongation of a section of Y.
    Holonomic,
    /// d/dt q_k = vel(q_k): any section of JʳY → X.
    Free,
}

/// The jet order of a function once everything that cancels is gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    pub order: u32,
    /// What the disappearance of higher jets rests on.
    pub ground: Ground,
    /// Jets of that order on which the dependence could not be decided, and no jet of the same order
    /// is known to occur: the order may be lower.
    pub undecided: Vec<Symbol>,
}

thread_local! {
    /// A coordinate is declared once, with its manifold: what it belongs to is part of what it is, and never changes.
    static OWNERS: RefCell<FxHashMap<Coordinate, FiberedManifold>> = RefCell::default();
    /// The time of forms that mention no coordinate: of constants and multipliers.
    static TIME: Symbol = Symbol::base("t");
    static HOLONOMIC: Direction<fn(Symbol) -> Expr> = Direction::new(|s| velocity(s, Prolongation::Holonomic));
    static FREE: Direction<fn(Symbol) -> Expr> = Direction::new(|s| velocity(s, Prolongation::Free));
}

/// Forgets the derivatives along jets that were found; see [`Inquiry::forget`].
pub fn forget() {
    HOLONOMIC.with(Direction::forget);
    FREE.with(Direction::forget);
}

impl FiberedManifold {
    /// A manifold over the time axis.
    pub fn new(name: &str, base: Symbol, coordinates: &[Coordinate]) -> FiberedManifold {
        FiberedManifold::declare(name, base, Over::Base, vec![], coordinates)
    }

    /// E → M, as in `manifold E over M { x, y }`.
    pub fn over_manifold(name: &str, below: &FiberedManifold, coordinates: &[Coordinate]) -> FiberedManifold {
        let fibres = below.0.fibres.clone();
        FiberedManifold::declare(name, below.base(), Over::Manifold(below.clone()), fibres, coordinates)
    }

    /// W → JʳY, as in `manifold W over J1(Y) { lambda }`.
    pub fn over_jets(name: &str, below: &JetSpace, coordinates: &[Coordinate]) -> FiberedManifold {
        let raise = |f: &Fibre| Fibre { coordinate: f.coordinate, order: f.order + below.order };
        let fibres = below.manifold.0.fibres.iter().map(raise).collect();
        FiberedManifold::declare(name, below.manifold.base(), Over::Jets(below.clone()), fibres, coordinates)
    }

    fn declare(
        name: &str,
        base: Symbol,
        over: Over,
        mut fibres: Vec<Fibre>,
        coordinates: &[Coordinate],
    ) -> FiberedManifold {
        fibres.extend(coordinates.iter().map(|&coordinate| Fibre { coordinate, order: 0 }));
        let own = coordinates.to_vec();
        let (mut places, mut named) = (FxHashMap::default(), FxHashMap::default());
        for (place, fibre) in fibres.iter().enumerate() {
            places.entry(fibre.coordinate).or_insert(place);
            named.entry(fibre.coordinate.name()).or_insert(place);
        }
        let unfolded = OnceCell::new();
        let declaration = Declaration { name: name.into(), base, over, fibres, own, places, named, unfolded };
        let manifold = FiberedManifold(Rc::new(declaration));
        OWNERS.with_borrow_mut(|owners| {
            for &coordinate in coordinates {
                owners.entry(coordinate).or_insert_with(|| manifold.clone());
            }
        });
        manifold
    }

    /// The same coordinates over the time axis alone, so that every jet counts as one. W over J¹Y with λ becomes the
    /// manifold of q and λ, whose curves are those of W along which q′ is the derivative of q.
    pub fn unfolded(&self) -> FiberedManifold {
        if self.0.fibres.iter().all(|f| f.order == 0) {
            return self.clone();
        }
        let make = || {
            let own: Vec<Coordinate> = self.0.fibres.iter().map(|f| f.coordinate).collect();
            FiberedManifold(Rc::new(Declaration {
                name: self.0.name.clone(),
                base: self.0.base,
                over: Over::Base,
                fibres: own.iter().map(|&coordinate| Fibre { coordinate, order: 0 }).collect(),
                own,
                places: self.0.places.clone(),
                named: self.0.named.clone(),
                unfolded: OnceCell::new(),
            }))
        };
        self.0.unfolded.get_or_init(make).clone()
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The symbol t.
    pub fn base(&self) -> Symbol {
        self.0.base
    }

    pub fn over(&self) -> &Over {
        &self.0.over
    }

    /// All fibre coordinates over the time axis, those from below first.
    pub fn fibres(&self) -> &[Fibre] {
        &self.0.fibres
    }

    /// The coordinates that this manifold adds to what it stands on.
    pub fn own_coordinates(&self) -> &[Coordinate] {
        &self.0.own
    }

    /// m, the number of fibre coordinates over the time axis.
    pub fn n_coordinates(&self) -> usize {
        self.0.fibres.len()
    }

    pub fn jets(&self, order: u32) -> JetSpace {
        JetSpace { manifold: self.clone(), order, prolongation: Prolongation::Holonomic }
    }

    pub fn fibre(&self, coordinate: Coordinate) -> Option<Fibre> {
        self.0.places.get(&coordinate).map(|&place| self.0.fibres[place])
    }

    /// The fibre coordinate of that name, those from below included.
    pub fn coordinate_named(&self, name: &str) -> Option<Coordinate> {
        self.0.named.get(name).map(|&place| self.0.fibres[place].coordinate)
    }

    /// Whether this is `other` or stands on it, at any height.
    pub fn is_over(&self, other: &FiberedManifold) -> bool {
        let mut here = self.clone();
        loop {
            if here == *other {
                return true;
            }
            let below = match here.over() {
                Over::Base => return false,
                Over::Manifold(m) => m.clone(),
                Over::Jets(j) => j.manifold.clone(),
            };
            here = below;
        }
    }

    /// The manifold on which objects of both live: one of the two must stand on the other.
    pub fn join(&self, other: &FiberedManifold) -> Result<FiberedManifold, Refusal> {
        if self.is_over(other) {
            Ok(self.clone())
        } else if other.is_over(self) {
            Ok(other.clone())
        } else {
            Err(Refusal::MixedManifolds { left: self.clone(), right: other.clone() })
        }
    }

    /// The manifold that declares the coordinate.
    pub fn of_coordinate(coordinate: Coordinate) -> Option<FiberedManifold> {
        OWNERS.with_borrow(|owners| owners.get(&coordinate).cloned())
    }

    /// What dt means beside constants and multipliers only, which live over any time.
    pub(crate) fn any_base() -> Symbol {
        TIME.with(|t| *t)
    }

    /// The lowest manifold on which all the symbols are functions; `None` if none of them is a fibre
    /// coordinate, and so any manifold will do.
    pub fn of_symbols(symbols: &[Symbol]) -> Result<Option<FiberedManifold>, Refusal> {
        let mut found: Option<FiberedManifold> = None;
        for symbol in symbols {
            let Some((coordinate, _)) = underlying_jet(*symbol) else { continue };
            let Some(owner) = FiberedManifold::of_coordinate(coordinate) else { continue };
            found = Some(match found {
                Some(so_far) => so_far.join(&owner)?,
                None => owner,
            });
        }
        Ok(found)
    }

    /// (t, q^α, q^a, v^α): the phase space J¹_σ of a mixed system on E → M, with velocities of the
    /// coordinates of M only. Mixed systems §0.
    pub fn mixed_phase_space(&self) -> Chart {
        let mut symbols = self.jets(0).symbols();
        for fibre in self.fibres().iter().filter(|f| !self.own_coordinates().contains(&f.coordinate)) {
            symbols.push(fibre.coordinate.jet(fibre.order + 1));
        }
        Chart::new(symbols)
    }
}

impl JetSpace {
    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    pub fn order(&self) -> u32 {
        self.order
    }

    /// J¹(JʳY): the coordinates of JʳY and a velocity of each. J^{r+1}Y lies in it as the set vel(q_k) = q_{k+1}.
    pub fn free(&self) -> JetSpace {
        JetSpace { prolongation: Prolongation::Free, ..self.clone() }
    }

    /// Which contact forms belong to the space: dq_k − q_{k+1}dt on JʳY, dq_k − vel(q_k)dt on J¹(JʳY).
    pub fn prolongation(&self) -> Prolongation {
        self.prolongation
    }

    pub fn is_free(&self) -> bool {
        self.prolongation == Prolongation::Free
    }

    /// 1 + m(r + 1) for JʳY over the time axis, 1 + 2m(r + 1) for J¹(JʳY).
    pub fn dimension(&self) -> usize {
        let jets = |f: &Fibre| (f.order + self.order + 1) as usize;
        let fibre: usize = self.manifold.fibres().iter().map(jets).sum();
        1 + if self.is_free() { 2 * fibre } else { fibre }
    }

    /// t, then the coordinates of the manifold, then q_1, q_2, … of each coordinate in turn.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = match self.manifold.over() {
            Over::Base => vec![self.manifold.base()],
            Over::Manifold(below) => below.jets(0).symbols(),
            Over::Jets(below) => below.symbols(),
        };
        symbols.extend(self.manifold.own_coordinates().iter().map(|c| c.jet(0)));
        for order in 1..=self.order {
            symbols.extend(self.manifold.fibres().iter().map(|f| f.coordinate.jet(f.order + order)));
        }
        if self.is_free() {
            let velocities: Vec<Symbol> = symbols[1..].iter().map(|s| Symbol::velocity(*s)).collect();
            symbols.extend(velocities);
        }
        symbols
    }

    pub fn chart(&self) -> Chart {
        Chart::new(self.symbols())
    }

    /// t, the coordinates of JʳY, and their velocities: the coordinates of J¹(JʳY).
    pub fn free_prolongation(&self) -> Chart {
        self.free().chart()
    }

    pub fn contains(&self, symbol: Symbol) -> bool {
        match symbol.kind() {
            SymbolKind::Base => symbol == self.manifold.base(),
            SymbolKind::Jet { .. } => self.manifold.order_of_symbol(symbol).is_some_and(|order| order <= self.order),
            SymbolKind::Velocity { of } if self.is_free() => of.as_jet().is_some() && self.contains(of),
            _ => false,
        }
    }

    /// q_r for every fibre coordinate, or the velocities.
    pub fn top_jets(&self) -> Vec<Symbol> {
        if self.is_free() {
            let all = self.symbols();
            return all[all.len() / 2 + 1..].to_vec();
        }
        self.manifold.fibres().iter().map(|f| f.coordinate.jet(f.order + self.order)).collect()
    }

    /// The jets q_j, j < r, of which ω_j is a form on this space.
    pub fn contact_jets(&self) -> Vec<Symbol> {
        if self.is_free() {
            return self.manifold.jets(self.order).symbols().into_iter().filter(|s| s.as_jet().is_some()).collect();
        }
        let top = |s: &Symbol| {
            s.as_jet().is_none_or(|(c, k)| self.manifold.fibre(c).is_none_or(|f| k == f.order + self.order))
        };
        self.symbols().into_iter().filter(|s| !top(s)).collect()
    }

    pub fn lift(&self, order: u32) -> JetSpace {
        JetSpace { order: order.max(self.order), ..self.clone() }
    }
}

impl FiberedManifold {
    /// The smallest r such that the symbol is a coordinate of JʳY; `None` if it is none of this manifold.
    pub fn order_of_symbol(&self, symbol: Symbol) -> Option<u32> {
        if symbol == self.base() {
            return Some(0);
        }
        let (coordinate, order) = symbol.as_jet()?;
        self.fibre(coordinate).map(|f| order.saturating_sub(f.order))
    }

    /// Whether it is a coordinate, a jet or the time of another manifold.
    pub fn is_foreign(&self, symbol: Symbol) -> bool {
        matches!(symbol.kind(), SymbolKind::Jet { .. } | SymbolKind::Base) && self.order_of_symbol(symbol).is_none()
    }

    /// The order of the function on this manifold, after simplification: jets that cancel do not count.
    /// Symbols that are no coordinates of this manifold are passed over.
    pub fn order_of(&self, cx: &Inquiry, e: Expr) -> Order {
        true_order(cx, &[e], |s| self.order_of_symbol(s))
    }

    /// The order of several functions together.
    pub fn order_of_all(&self, cx: &Inquiry, expressions: &[Expr]) -> Order {
        true_order(cx, expressions, |s| self.order_of_symbol(s))
    }
}

impl Chart {
    pub fn new(symbols: impl IntoIterator<Item = Symbol>) -> Chart {
        Chart { symbols: symbols.into_iter().collect() }
    }

    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub fn dimension(&self) -> usize {
        self.symbols.len()
    }

    pub fn position(&self, symbol: Symbol) -> Option<usize> {
        self.symbols.iter().position(|s| *s == symbol)
    }

    pub fn contains(&self, symbol: Symbol) -> bool {
        self.symbols.contains(&symbol)
    }

    /// The symbol t, if the chart has one.
    pub fn base(&self) -> Option<Symbol> {
        self.symbols.iter().copied().find(|s| s.kind() == SymbolKind::Base)
    }

    /// The jet space with these coordinates, or the smallest that has them, if they belong to a manifold.
    pub fn space(&self) -> Result<Option<JetSpace>, Refusal> {
        let Some(manifold) = FiberedManifold::of_symbols(&self.symbols)? else { return Ok(None) };
        let order = self.symbols.iter().filter_map(|s| manifold.order_of_symbol(*s)).max().unwrap_or(0);
        Ok(Some(manifold.jets(order)))
    }
}

/// df/dt = ∂f/∂t + Σ (∂f/∂q_j) q_{j+1}. Memoised per node; Krupková §2.
pub fn total_derivative(cx: &Inquiry, e: Expr) -> Expr {
    HOLONOMIC.with(|d| d.apply(cx, e))
}

/// The n-th total derivative.
pub fn total_derivatives(cx: &Inquiry, e: Expr, n: u32) -> Expr {
    (0..n).fold(e, |e, _| total_derivative(cx, e))
}

/// The derivative of a function along a curve of the given kind.
pub fn derivative_along(cx: &Inquiry, e: Expr, prolongation: Prolongation) -> Expr {
    match prolongation {
        Prolongation::Holonomic => total_derivative(cx, e),
        Prolongation::Free => FREE.with(|d| d.apply(cx, e)),
    }
}

/// The derivative of a coordinate along a curve: 1 for t, 0 for what does not move, q_{j+1} or a `vel`.
pub fn velocity(symbol: Symbol, prolongation: Prolongation) -> Expr {
    match symbol.kind() {
        SymbolKind::Base => Expr::one(),
        SymbolKind::Parameter | SymbolKind::Bound => Expr::zero(),
        SymbolKind::Jet { coordinate, order } if prolongation == Prolongation::Holonomic => {
            Expr::symbol(coordinate.jet(order + 1))
        }
        // Momenta and multipliers have no jets of their own: along a curve they have a velocity.
        _ => Expr::symbol(Symbol::velocity(symbol)),
    }
}

/// Whether the differential of the symbol is a basis 1-form; parameters are constants.
pub fn is_coordinate(symbol: Symbol) -> bool {
    !matches!(symbol.kind(), SymbolKind::Parameter | SymbolKind::Bound)
}

/// The highest derivative that occurs as written, whatever may cancel.
#[cfg(test)]
pub fn written_order(e: Expr) -> u32 {
    e.symbols().into_iter().filter_map(Symbol::as_jet).map(|(_, order)| order).max().unwrap_or(0)
}

/// The jet order of a function after simplification.
pub fn jet_order(cx: &Inquiry, e: Expr) -> Order {
    true_order(cx, &[e], |s| s.as_jet().map(|(_, order)| order))
}

/// The jet that a velocity or momentum belongs to, at any depth, or the jet itself.
pub(crate) fn underlying_jet(symbol: Symbol) -> Option<(Coordinate, u32)> {
    let mut here = symbol;
    loop {
        match here.kind() {
            SymbolKind::Jet { coordinate, order } => return Some((coordinate, order)),
            SymbolKind::Velocity { of } | SymbolKind::Momentum { of } | SymbolKind::Variation { of, .. } => here = of,
            _ => return None,
        }
    }
}

fn true_order(cx: &Inquiry, expressions: &[Expr], order_of: impl Fn(Symbol) -> Option<u32>) -> Order {
    let mut jets: Vec<(u32, Symbol)> =
        crate::algebra::expr::symbols_of(expressions).into_iter().filter_map(|s| Some((order_of(s)?, s))).collect();
    jets.sort();
    let mut ground = Ground::proved("");
    while let Some(&(order, _)) = jets.last() {
        let first = jets.partition_point(|(o, _)| *o < order);
        if order == 0 {
            break;
        }
        let mut undecided = vec![];
        // The last first: in chains of bodies it stands in the fewest terms.
        for (_, symbol) in jets.drain(first..).rev() {
            match depends_on(cx, expressions, symbol) {
                Verdict::Yes(g) => return Order { order, ground: g, undecided: vec![] },
                Verdict::No(g) => ground = ground.weaker(g),
                Verdict::Unknown(_) => undecided.push(symbol),
            }
        }
        if !undecided.is_empty() {
            return Order { order, ground, undecided };
        }
    }
    Order { order: 0, ground, undecided: vec![] }
}

/// Whether one of the expressions really changes with the symbol. A second derivative that is not zero settles it, too; of a
/// long chain it is often much the shorter one, and what is derived next asks about it anyway.
fn depends_on(cx: &Inquiry, expressions: &[Expr], symbol: Symbol) -> Verdict {
    const LONG: usize = 40;
    let changes = |e: &Expr| {
        let slope = partial(cx, *e, symbol);
        if post_order(&[slope]).len() > LONG {
            let verdict = is_zero(cx, partial(cx, slope, symbol)).negate();
            if verdict.is_yes() {
                return verdict;
            }
        }
        changes_with(cx, *e, symbol)
    };
    expressions.iter().map(changes).reduce(Verdict::or).unwrap_or_else(|| Verdict::no("there is nothing"))
}

thread_local! {
    /// A second value of a symbol.
    static OTHER: Symbol = Symbol::helper("other");
}

/// Whether the function changes with the symbol. It does where its derivative is not zero. Where the derivative is zero it
/// is constant on intervals only: sign x and arctan x + arctan 1/x have another value on the other side of 0. So unless the
/// symbol goes away by itself, the function is compared with itself at another value of the symbol, under the same facts.
pub fn changes_with(cx: &Inquiry, e: Expr, symbol: Symbol) -> Verdict {
    let constant = is_zero(cx, partial(cx, e, symbol));
    let goes_away = || !e.contains(symbol) || simplify(cx, e).is_ok_and(|e| !e.contains(symbol));
    if !constant.is_yes() || goes_away() {
        return constant.negate();
    }
    let other = FxHashMap::from_iter([(symbol, Expr::symbol(OTHER.with(|s| *s)))]);
    let about = cx.facts().iter().filter(|(f, _)| f.contains(symbol));
    let about: Vec<(Expr, assume::Sign)> = about.map(|(f, sign)| (substitute(f, &other), sign)).collect();
    let (facts, _) = cx.facts().and(about);
    let same = is_zero(&cx.under(facts), e - substitute(e, &other));
    constant.and(same).negate()
}

/// `e` written without `symbol`, on which it has been shown not to depend: in its normal form, or with some
/// value in place of the symbol. Any value in the domain gives the same function; a few are tried until there is one.
pub fn without_symbol(cx: &Inquiry, e: Expr, symbol: Symbol) -> Expr {
    if !e.contains(symbol) {
        return e;
    }
    if let Some(normal) = simplify(cx, e).ok().filter(|normal| !normal.contains(symbol)) {
        return normal;
    }
    let at = |n: i64| substitute(e, &FxHashMap::from_iter([(symbol, Expr::number(n))]));
    let sign = assume::sign_of(cx, Expr::symbol(symbol));
    let allowed = |n: &i64| if *n < 0 { sign.can_be_negative } else { sign.can_be_positive };
    [1, 2, 3, -1, -2, -3].into_iter().filter(allowed).map(at).find(|e| e.as_undefined().is_none()).unwrap_or(e)
}

/// The function as one on JᵏY, if it does not depend on higher jets, nor on another manifold; else what occurs.
pub fn project(cx: &Inquiry, e: Expr, space: &JetSpace) -> Result<(Expr, Ground), Refusal> {
    let mut projected = e;
    let mut ground = Ground::proved("");
    for symbol in e.symbols() {
        let moves = match symbol.kind() {
            SymbolKind::Base => true,
            SymbolKind::Velocity { of } => of.as_jet().is_some(),
            _ => symbol.as_jet().is_some(),
        };
        if !moves || space.contains(symbol) {
            continue;
        }
        ground = ground.weaker(needless(space, symbol, changes_with(cx, e, symbol).negate())?);
        projected = without_symbol(cx, projected, symbol);
    }
    Ok((projected, ground))
}

/// The ground on which something on the space does without a symbol that the space has not, or what is wrong with it.
pub(super) fn needless(space: &JetSpace, symbol: Symbol, is_left_out: Verdict) -> Result<Ground, Refusal> {
    match (is_left_out, space.manifold().order_of_symbol(symbol)) {
        (Verdict::Yes(ground), _) => Ok(ground),
        (verdict, Some(order)) => Err(Refusal::OrderTooHigh { space: space.clone(), symbol, order, verdict }),
        (_, None) => Err(Refusal::ForeignCoordinate { space: space.clone(), symbol }),
    }
}

impl PartialEq for FiberedManifold {
    fn eq(&self, other: &FiberedManifold) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for FiberedManifold {}

impl fmt::Debug for FiberedManifold {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for FiberedManifold {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The space of which objects with these symbols are objects: J¹(JʳY) as soon as a jet has a velocity of its own.
pub fn space_with(manifold: &FiberedManifold, order: u32, symbols: &[Symbol]) -> JetSpace {
    let free = symbols.iter().filter(|s| matches!(s.kind(), SymbolKind::Velocity { of } if of.as_jet().is_some()));
    let orders = free.filter_map(|s| manifold.order_of_symbol(underlying(*s))).max();
    match orders {
        Some(of_velocities) => manifold.jets(order.max(of_velocities)).free(),
        None => manifold.jets(order),
    }
}

/// The jet below a velocity, or the symbol itself.
pub(crate) fn underlying(symbol: Symbol) -> Symbol {
    underlying_jet(symbol).map_or(symbol, |(coordinate, order)| coordinate.jet(order))
}

/// The function along the canonical embedding of J^{r+1}Y in J¹(JʳY): vel(q_k) = q_{k+1}.
pub fn holonomic_values(symbols: &[Symbol]) -> FxHashMap<Symbol, Expr> {
    let value = |s: &Symbol| match s.kind() {
        SymbolKind::Velocity { .. } => {
            let (mut depth, mut here) = (0, *s);
            while let SymbolKind::Velocity { of } = here.kind() {
                (depth, here) = (depth + 1, of);
            }
            let (coordinate, order) = here.as_jet()?;
            Some((*s, Expr::symbol(coordinate.jet(order + depth))))
        }
        _ => None,
    };
    symbols.iter().filter_map(value).collect()
}

/// As the language writes it: `Y`, `J1(Y)`, `J2(Y)`, `J1(J2(Y))`.
impl fmt::Display for JetSpace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.order, self.is_free()) {
            (0, false) => f.write_str(self.manifold.name()),
            (r, false) => write!(f, "J{r}({})", self.manifold.name()),
            (0, true) => write!(f, "J1({})", self.manifold.name()),
            (r, true) => write!(f, "J1(J{r}({}))", self.manifold.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::function::Elementary;

    fn names(symbols: &[Symbol]) -> String {
        symbols.iter().map(Symbol::to_string).collect::<Vec<_>>().join(" ")
    }

    fn coordinates(list: &[&str]) -> Vec<Coordinate> {
        list.iter().map(|n| Coordinate::declare(n, false)).collect()
    }

    #[test]
    fn coordinates_stand_in_the_order_t_q_and_its_derivatives() {
        let y = FiberedManifold::new("Y", Symbol::base("t"), &coordinates(&["x", "y"]));
        assert_eq!(names(&y.jets(2).symbols()), "t x y x' y' x'' y''");
        assert_eq!(y.jets(2).dimension(), 7);
        assert_eq!(names(&y.jets(2).contact_jets()), "t x y x' y'".trim_start_matches("t "));
        assert_eq!(names(y.jets(0).free_prolongation().symbols()), "t x y vel(x) vel(y)");
        assert_eq!(y.jets(2).to_string(), "J2(Y)");
    }

    #[test]
    fn towers_stand_on_what_is_below() {
        let t = Symbol::base("t");
        let m = FiberedManifold::new("M", t, &coordinates(&["theta"]));
        let e = FiberedManifold::over_manifold("E", &m, &coordinates(&["x"]));
        assert_eq!(names(&e.jets(1).symbols()), "t theta x theta' x'");
        assert_eq!(names(e.mixed_phase_space().symbols()), "t theta x theta'");
        let w = FiberedManifold::over_jets("W", &m.jets(1), &coordinates(&["lambda"]));
        assert_eq!(names(&w.jets(1).symbols()), "t theta theta' lambda theta'' lambda'");
        assert_eq!(w.jets(1).dimension(), 6);
        assert_eq!(names(&w.jets(0).contact_jets()), "theta");
        assert!(e.is_over(&m) && !m.is_over(&e));
        assert_eq!(m.join(&w).unwrap(), w);
        assert!(e.join(&w).is_err());
    }

    /// Case V01 of tests/cases/krupkova-odes, the symbolic part.
    #[test]
    fn total_derivative_of_a_function_with_a_sine() {
        let cx = &Inquiry::free();
        let t = Symbol::base("t");
        let q = coordinates(&["q1", "q2"]);
        let j = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
        let time = Expr::symbol(t);
        let f = time * j(0, 1).pow(2) * j(1, 0) + Expr::apply(Elementary::Sin, &[j(0, 0)]);
        let cos = Expr::apply(Elementary::Cos, &[j(0, 0)]);
        let expected = [
            j(0, 1).pow(2) * j(1, 0),
            2 * (time * j(0, 1) * j(0, 2) * j(1, 0)),
            time * j(0, 1).pow(2) * j(1, 1),
            cos * j(0, 1),
        ];
        let difference = total_derivative(cx, f) - Expr::add_all(expected);
        let at = |value: i64| {
            let numbers: FxHashMap<Symbol, Expr> = difference
                .symbols()
                .into_iter()
                .enumerate()
                .map(|(i, s)| (s, if s == q[0].jet(0) { Expr::zero() } else { Expr::number(value * i as i64 + 1) }))
                .collect();
            substitute(difference, &numbers)
        };
        assert!(at(2).is_zero() && at(-3).is_zero());
    }

    #[test]
    fn projection_forgets_what_cancels() {
        let cx = &Inquiry::free();
        let q = coordinates(&["q"])[0];
        let y = FiberedManifold::new("Y", Symbol::base("t"), &[q]);
        let j = |k: u32| Expr::symbol(q.jet(k));
        assert_eq!(y.order_of(cx, j(2) * j(1) + j(0)).order, 2);
        assert_eq!(y.order_of(cx, j(1) + j(2) - j(2)).order, 1);
        assert!(project(cx, j(2), &y.jets(1)).is_err());
        assert_eq!(project(cx, j(1), &y.jets(1)).unwrap().0, j(1));
    }
}
