//! Zero sets in jet spaces: unions of branches {equations = 0, inequations ≠ 0}.
//!
//! A set is a set of real points, however it is written: q² = 0 and q = 0 are equal, x² + y² = 0 is the origin.
//! Emptiness, containment and equality are decided by the [strata](crate::algebra::stratum) engine, which takes
//! radicals before anything is differentiated; when it cannot decide, the verdict says so.
//!
//! ```text
//! submanifold K on J1(Y) { x = 0; x' = 0; y != 0 }        union(K1, K2)        everything(J1(Y))
//! ```

use super::Refusal;
use super::distribution::Distribution;
use super::field::VectorField;
use super::jet::{Chart, JetSpace};
use crate::algebra::Inquiry;
use crate::algebra::decide::is_zero;
use crate::algebra::print::text;
use crate::algebra::stratum::leaves::{LinearSystem, leaves};
use crate::algebra::stratum::tangent::{projection, real_dimension, singular_locus};
use crate::algebra::stratum::{Branch, Cell, Frame, set};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;
use std::fmt;

/// A union of branches in a space with the coordinates of `chart`. Without branches it is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submanifold {
    chart: Chart,
    branches: Vec<Branch>,
}

/// Whether a field is tangent to a set; the evidence is an equation f = 0 of the set and ξ(f), which does not
/// vanish on it or could not be shown to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tangency {
    pub verdict: Verdict,
    pub evidence: Option<(Expr, Expr)>,
}

impl Submanifold {
    pub fn new(chart: &Chart, branches: Vec<Branch>) -> Submanifold {
        Submanifold { chart: chart.clone(), branches }
    }

    /// {equations = 0, nonzero ≠ 0} on a jet space.
    pub fn zero_set(space: &JetSpace, equations: Vec<Expr>, nonzero: Vec<Expr>) -> Submanifold {
        Submanifold::new(&space.chart(), vec![Branch { equations, nonzero }])
    }

    pub fn everything(chart: &Chart) -> Submanifold {
        Submanifold::new(chart, vec![Branch::everything()])
    }

    pub fn empty(chart: &Chart) -> Submanifold {
        Submanifold::new(chart, vec![])
    }

    pub fn chart(&self) -> &Chart {
        &self.chart
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub fn union(&self, other: &Submanifold) -> Submanifold {
        let chart = self.larger_chart(other);
        Submanifold { chart, branches: self.branches.iter().chain(&other.branches).cloned().collect() }
    }

    pub fn intersection(&self, other: &Submanifold) -> Submanifold {
        let both = |a: &Branch, b: &Branch| Branch {
            equations: a.equations.iter().chain(&b.equations).copied().collect(),
            nonzero: a.nonzero.iter().chain(&b.nonzero).copied().collect(),
        };
        let pairs = self.branches.iter().flat_map(|a| other.branches.iter().map(move |b| both(a, b)));
        Submanifold { chart: self.larger_chart(other), branches: pairs.collect() }
    }

    /// Coordinates are symbols, so a set on Y is also one on J¹Y.
    fn larger_chart(&self, other: &Submanifold) -> Chart {
        if other.chart.dimension() > self.chart.dimension() { other.chart.clone() } else { self.chart.clone() }
    }

    /// Every function that occurs.
    fn functions(&self) -> Vec<Expr> {
        self.branches.iter().flat_map(|b| b.equations.iter().chain(&b.nonzero)).copied().collect()
    }

    /// A frame in which this set and the given functions can be read.
    pub fn frame(&self, cx: &Inquiry, others: &[Expr]) -> Budgeted<Frame> {
        let mut functions = self.functions();
        functions.extend_from_slice(others);
        Frame::new(cx, self.chart.symbols(), &functions)
    }

    pub fn cells(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Vec<Cell>> {
        let mut cells = vec![];
        for branch in &self.branches {
            cells.extend(frame.cells(cx, branch)?);
        }
        Ok(cells)
    }

    /// The same set written shortly: radicals taken, factored into pieces, empty and superfluous ones gone.
    pub fn simplified(&self, cx: &Inquiry) -> Budgeted<Submanifold> {
        let frame = self.frame(cx, &[])?;
        let cells = set::merged(cx, &frame, self.cells(cx, &frame)?)?;
        let branches = cells.iter().map(|c| frame.branch(cx, c)).collect::<Budgeted<_>>()?;
        Ok(Submanifold { chart: self.chart.clone(), branches })
    }

    pub fn is_empty(&self, cx: &Inquiry) -> Budgeted<Verdict> {
        let frame = self.frame(cx, &[])?;
        set::is_union_empty(cx, &frame, &self.cells(cx, &frame)?)
    }

    pub fn is_subset_of(&self, cx: &Inquiry, other: &Submanifold) -> Budgeted<Verdict> {
        let frame = self.frame(cx, &other.functions())?;
        set::is_subset(cx, &frame, &self.cells(cx, &frame)?, &other.cells(cx, &frame)?)
    }

    /// Equal as sets of real points.
    pub fn equals(&self, cx: &Inquiry, other: &Submanifold) -> Budgeted<Verdict> {
        let frame = self.frame(cx, &other.functions())?;
        set::equals(cx, &frame, &self.cells(cx, &frame)?, &other.cells(cx, &frame)?)
    }

    /// Whether the point lies in the set; values that are not given stay symbols.
    pub fn contains(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Verdict {
        let vanishes = |e: &Expr| is_zero(cx, substitute(*e, point));
        let in_branch = |branch: &Branch| {
            let on = Verdict::all(branch.equations.iter().map(vanishes), "it has no equations");
            on.and(Verdict::all(branch.nonzero.iter().map(|e| vanishes(e).negate()), "it has no inequations"))
        };
        self.branches.iter().map(in_branch).reduce(Verdict::or).unwrap_or_else(|| Verdict::no("the set is empty"))
    }

    /// Whether the function vanishes at every point of the set.
    pub fn annihilates(&self, cx: &Inquiry, e: Expr) -> Budgeted<Verdict> {
        let zero = is_zero(cx, e);
        if zero.is_yes() {
            return Ok(zero);
        }
        let frame = self.frame(cx, &[e])?;
        let cells = self.cells(cx, &frame)?;
        vanishes_on(cx, &frame, &cells, e)
    }

    /// The largest dimension of a branch: the number of coordinates minus the rank of the differentials of its
    /// equations at a generic point of it. `None` for the empty set.
    pub fn dimension(&self, cx: &Inquiry) -> Budgeted<Option<usize>> {
        let frame = self.frame(cx, &[])?;
        let mut largest = None;
        for cell in self.cells(cx, &frame)? {
            let n = self.chart.dimension();
            let mut system = LinearSystem::new(n);
            for f in cell.equations() {
                let differentials: Budgeted<Vec<_>> =
                    self.chart.symbols().iter().map(|s| frame.derivative(cx, f, *s)).collect();
                system.push(differentials?, Default::default());
            }
            let rank = leaves(cx, &frame, &system, &cell)?.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
            largest = largest.max(Some(n - rank));
        }
        Ok(largest)
    }

    /// The dimension at real points: that of the largest branch for which it is known, if no other one may be larger; else what
    /// it is at most, and why no more is known.
    pub fn real_dimension(&self, cx: &Inquiry) -> Budgeted<Option<(usize, Verdict)>> {
        let frame = self.frame(cx, &[])?;
        let mut found: Option<(usize, Verdict)> = None;
        for cell in self.cells(cx, &frame)? {
            let (n, known) = real_dimension(cx, &frame, &cell)?;
            let is_larger = |(m, ground): &(usize, Verdict)| n > *m || n == *m && known.is_yes() && !ground.is_yes();
            if found.as_ref().is_none_or(is_larger) {
                found = Some((n, known));
            }
        }
        Ok(found)
    }

    /// One tangent distribution for each branch: {ζ : df(ζ) = 0 for the equations f of its radical}.
    pub fn tangent_spaces(&self, cx: &Inquiry) -> Result<Vec<Distribution>, Refusal> {
        let all = self.chart.symbols().iter().map(|s| VectorField::coordinate(*s)).collect();
        Distribution::span(&self.chart, all).restrict(cx, self)
    }

    /// The closure of the projection to the coordinates that satisfy `keep`, such as those of configuration space.
    pub fn projection(&self, cx: &Inquiry, chart: &Chart, keep: impl Fn(Symbol) -> bool) -> Budgeted<Submanifold> {
        let frame = self.frame(cx, &[])?;
        let mut branches = vec![];
        for cell in self.cells(cx, &frame)? {
            let equations = projection(cx, &frame, &cell, &keep)?.iter().map(|p| frame.write(p)).collect();
            branches.push(Branch { equations, nonzero: vec![] });
        }
        Submanifold { chart: chart.clone(), branches }.simplified(cx)
    }

    /// The points at which the set is no submanifold, or may be none: where the differentials of the equations of a branch
    /// are dependent, and where two branches meet.
    pub fn singular_points(&self, cx: &Inquiry) -> Budgeted<Submanifold> {
        let frame = self.frame(cx, &[])?;
        let mut branches = vec![];
        let simple = self.simplified(cx)?;
        for (i, left) in simple.branches.iter().enumerate() {
            for right in &simple.branches[i + 1..] {
                let only = |b: &Branch| Submanifold::new(&self.chart, vec![b.clone()]);
                branches.extend(only(left).intersection(&only(right)).simplified(cx)?.branches);
            }
        }
        for cell in self.cells(cx, &frame)? {
            for found in singular_locus(cx, &frame, &cell)? {
                branches.push(frame.branch(cx, &found)?);
            }
        }
        Ok(Submanifold { chart: self.chart.clone(), branches })
    }

    /// Whether the field is tangent to the set: ξ(f) = 0 on it for every equation f of its radical.
    pub fn is_tangent(&self, cx: &Inquiry, field: &VectorField) -> Budgeted<Tangency> {
        let derivation = field.derivation();
        let components: Vec<Expr> = field.components().into_iter().map(|(_, c)| c).collect();
        let frame = self.frame(cx, &components)?;
        let mut tangency =
            Tangency { verdict: Verdict::yes("the equations stay zero along the field"), evidence: None };
        for cell in self.cells(cx, &frame)? {
            for f in cell.equations() {
                let f = frame.write(f);
                let rate = derivation.apply(cx, f);
                let verdict = vanishes_on(cx, &frame, std::slice::from_ref(&cell), rate)?;
                if !verdict.is_yes() && (verdict.is_no() || tangency.evidence.is_none()) {
                    tangency.evidence = Some((f, rate));
                }
                tangency.verdict = tangency.verdict.and(verdict);
                if tangency.verdict.is_no() {
                    return Ok(tangency);
                }
            }
        }
        Ok(tangency)
    }
}

/// Whether the function vanishes on all the cells: {cell, e ≠ 0} is empty.
pub(crate) fn vanishes_on(cx: &Inquiry, frame: &Frame, cells: &[Cell], e: Expr) -> Budgeted<Verdict> {
    if e.is_zero() {
        return Ok(Verdict::yes("it is zero"));
    }
    let numerator = frame.read_numerator(cx, e)?;
    let mut outside = vec![];
    for cell in cells {
        let reduced = cell.reduce(cx, frame, &numerator)?;
        if !reduced.is_zero() {
            outside.extend(frame.refine(cx, cell, &[], &[reduced])?);
        }
    }
    set::is_union_empty(cx, frame, &outside)
}

impl fmt::Display for Submanifold {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let branch = |b: &Branch| {
            let equations = b.equations.iter().map(|e| format!("{} = 0", text(*e)));
            let parts: Vec<String> = equations.chain(b.nonzero.iter().map(|e| format!("{} != 0", text(*e)))).collect();
            if parts.is_empty() { "everything".into() } else { format!("{{ {} }}", parts.join("; ")) }
        };
        match self.branches.as_slice() {
            [] => f.write_str("the empty set"),
            branches => f.write_str(&branches.iter().map(branch).collect::<Vec<_>>().join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;
    use crate::geometry::FiberedManifold;

    struct Stage {
        x: Coordinate,
        y: Coordinate,
        manifold: FiberedManifold,
    }

    fn stage() -> Stage {
        let (t, x, y) = (Symbol::base("t"), Coordinate::declare("x", false), Coordinate::declare("y", false));
        Stage { x, y, manifold: FiberedManifold::new("Y", t, &[x, y]) }
    }

    fn j(c: Coordinate, k: u32) -> Expr {
        Expr::symbol(c.jet(k))
    }

    #[test]
    fn sets_are_sets_of_real_points() {
        let cx = &Inquiry::free();
        let s = stage();
        let space = s.manifold.jets(1);
        let set = |equations: &[Expr]| Submanifold::zero_set(&space, equations.to_vec(), vec![]);
        let (x, y) = (j(s.x, 0), j(s.y, 0));
        assert!(set(&[x.pow(2)]).equals(cx, &set(&[x])).unwrap().is_yes());
        assert!(set(&[x.pow(2) + y.pow(2)]).equals(cx, &set(&[x, y])).unwrap().is_yes());
        assert!(set(&[x * y]).equals(cx, &set(&[x]).union(&set(&[y]))).unwrap().is_yes());
        assert!(set(&[x]).equals(cx, &set(&[x, y])).unwrap().is_no());
        assert!(set(&[x.pow(2) + 1]).is_empty(cx).unwrap().is_yes());
        assert!(set(&[x]).intersection(&set(&[x - 1])).is_empty(cx).unwrap().is_yes());
        assert_eq!(set(&[x.pow(2) + y.pow(2) - 1]).dimension(cx).unwrap(), Some(4));
        assert_eq!(set(&[x.pow(2) + y.pow(2)]).dimension(cx).unwrap(), Some(3));
        assert!(set(&[x]).annihilates(cx, x * y).unwrap().is_yes());
        assert!(set(&[x]).annihilates(cx, y).unwrap().is_no());
        assert_eq!(set(&[x * x]).simplified(cx).unwrap().to_string(), "{ x = 0 }");
        let crossing = set(&[x * y]).singular_points(cx).unwrap();
        assert!(crossing.equals(cx, &set(&[x, y])).unwrap().is_yes(), "{crossing}");
        assert!(set(&[x.pow(2) + y.pow(2) - 1]).singular_points(cx).unwrap().is_empty(cx).unwrap().is_yes());
    }

    #[test]
    fn a_rotation_is_tangent_to_the_circle_and_not_to_a_line() {
        let cx = &Inquiry::free();
        let s = stage();
        let space = s.manifold.jets(0);
        let (x, y) = (j(s.x, 0), j(s.y, 0));
        let rotation = VectorField::new([(s.y.jet(0), x), (s.x.jet(0), -y)]);
        let circle = Submanifold::zero_set(&space, vec![x.pow(2) + y.pow(2) - 1], vec![]);
        assert!(circle.is_tangent(cx, &rotation).unwrap().verdict.is_yes());
        let line = Submanifold::zero_set(&space, vec![(x - 1).pow(2)], vec![]);
        let tangency = line.is_tangent(cx, &rotation).unwrap();
        assert!(tangency.verdict.is_no());
        assert_eq!(tangency.evidence.map(|(f, rate)| (f.to_string(), rate)), Some(("x - 1".into(), -y)));
        // Where y = 0 there is nothing left to violate.
        let point = Submanifold::zero_set(&space, vec![x, y], vec![]);
        assert!(point.is_tangent(cx, &rotation).unwrap().verdict.is_yes());
    }
}
