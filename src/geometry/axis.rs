//! Axes: the directions in which forms and fields have components. The axis of a coordinate x stands for
//! dx in a form and for ∂/∂x in a field. Its place among the others is fixed by what the coordinate is, not
//! by when its symbol was first mentioned, so that components have one order everywhere:
//!
//! ```text
//! q^σ, q′^σ, q″^σ, …   then velocities, momenta, multipliers, and t last, as in dq^σ ∧ dt
//! ```

use super::jet::is_coordinate;
use crate::algebra::{Symbol, SymbolKind};
use smallvec::SmallVec;
use std::fmt;

/// The direction of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axis {
    rank: u64,
    symbol: Symbol,
}

/// An ascending list of axes: the basis element dx ∧ dy ∧ … of forms.
pub type Basis = SmallVec<[Axis; 3]>;

const CLASS_BITS: u32 = 56;
const BASE: u64 = u64::MAX;

impl Axis {
    /// The axis of a coordinate; `None` for parameters, which are constants.
    pub fn of(symbol: Symbol) -> Option<Axis> {
        is_coordinate(symbol).then(|| Axis { rank: rank(symbol), symbol })
    }

    pub fn symbol(self) -> Symbol {
        self.symbol
    }

    /// Whether this is the axis of t.
    pub fn is_base(self) -> bool {
        self.rank == BASE
    }

    /// Sorts as people write sums: the component along t first.
    pub fn reading_order(self) -> (bool, Axis) {
        (!self.is_base(), self)
    }
}

fn rank(symbol: Symbol) -> u64 {
    let class = |class: u64, rest: u64| (class << CLASS_BITS) | (rest & ((1 << CLASS_BITS) - 1));
    match symbol.kind() {
        SymbolKind::Jet { coordinate, order } => class(0, (u64::from(order) << 32) | u64::from(coordinate.index())),
        SymbolKind::Velocity { of } => class(1, rank(of)),
        SymbolKind::Momentum { of } => class(2, rank(of)),
        SymbolKind::Multiplier(i) => class(3, u64::from(i)),
        SymbolKind::Variation { .. } => class(5, u64::from(symbol.index())),
        SymbolKind::Parameter | SymbolKind::Bound => class(4, u64::from(symbol.index())),
        SymbolKind::Base => BASE,
    }
}

/// Puts axes in order. The sign of the permutation, or `None` when an axis occurs twice.
pub fn sort_axes(axes: &[Axis]) -> Option<(Basis, bool)> {
    let mut basis: Basis = SmallVec::from_slice(axes);
    let mut odd = false;
    // Insertion sort: the lists are short, and it counts transpositions.
    for i in 1..basis.len() {
        let mut j = i;
        while j > 0 && basis[j - 1] > basis[j] {
            basis.swap(j - 1, j);
            odd = !odd;
            j -= 1;
        }
        if j > 0 && basis[j - 1] == basis[j] {
            return None;
        }
    }
    Some((basis, odd))
}

/// The product of two basis elements and its sign; `None` when they share an axis.
pub fn wedge_bases(left: &Basis, right: &Basis) -> Option<(Basis, bool)> {
    let mut product = Basis::with_capacity(left.len() + right.len());
    let (mut i, mut j, mut odd) = (0, 0, false);
    while i < left.len() && j < right.len() {
        if left[i] < right[j] {
            product.push(left[i]);
            i += 1;
        } else if right[j] < left[i] {
            // It moves past everything that is left of `left`.
            odd ^= (left.len() - i) % 2 == 1;
            product.push(right[j]);
            j += 1;
        } else {
            return None;
        }
    }
    product.extend_from_slice(&left[i..]);
    product.extend_from_slice(&right[j..]);
    Some((product, odd))
}

impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.symbol)
    }
}
