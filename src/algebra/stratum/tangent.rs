//! Tangent spaces of cells: dimension, singular points, projections.
//!
//! On a cell with radical equations g the tangent space at x is the kernel of dg(x), of dimension
//! n − rank dg(x), wherever that rank is the largest it takes on the cell. Where it is smaller the cell is
//! singular, and the kernel of dg is only known to contain the tangent vectors.

use super::super::expr::Expr;
use super::super::polynomial::Polynomial;
use super::super::symbol::Symbol;
use super::super::verdict::Verdict;
use super::cell::{Cell, Frame};
use super::leaves::{LinearSystem, leaves};
use super::regular::{Regularity, regularity};
use super::set;
use super::single_argument::argument;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// The rows dg by the coordinates of the frame.
pub fn jacobian(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<LinearSystem> {
    let columns = frame.coordinates();
    let mut system = LinearSystem::new(columns.len());
    for g in &cell.generators(cx, frame)? {
        system.push(differential(cx, frame, g, columns)?, Polynomial::zero());
    }
    Ok(system)
}

/// ∂g/∂x for each of the symbols, over a common denominator.
pub fn differential(cx: &Inquiry, frame: &Frame, g: &Polynomial, symbols: &[Symbol]) -> Budgeted<Vec<Polynomial>> {
    let e = conormal(cx, frame, g)?;
    let row: Vec<_> = symbols.iter().map(|s| super::super::derive::partial(cx, e, *s)).collect();
    frame.read_row(cx, &row)
}

/// A function whose differential says where curves in g = 0 may go: g, or the quantity of which g is a function, because the
/// zeros of an analytic function of one quantity are isolated.
pub fn conormal(cx: &Inquiry, frame: &Frame, g: &Polynomial) -> Budgeted<Expr> {
    Ok(argument(cx, frame, g)?.unwrap_or_else(|| frame.write(g)))
}

/// The dimension at regular points.
pub fn dimension(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<usize> {
    let n = frame.coordinates().len();
    if is_algebraic(frame, cell)
        && let Some(codimension) = cell.basis.codimension(cx, frame)?
    {
        return Ok(n - codimension);
    }
    let codimension =
        leaves(cx, frame, &jacobian(cx, frame, cell)?, cell)?.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
    Ok(n - codimension)
}

/// The dimension at real points, or what it is at most and why no more is known.
pub fn real_dimension(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<(usize, Verdict)> {
    let why = match regularity(cx, frame, cell)? {
        Regularity::Regular { codimension, .. } => {
            let ground = "at a real point the differentials of its equations span the conormal space";
            return Ok((frame.coordinates().len() - codimension, Verdict::yes(ground)));
        }
        Regularity::Unknown(why) if frame.has_parameters([cell]) => Some(why),
        _ => None,
    };
    let n = dimension(cx, frame, cell)?;
    match why {
        Some(why) => Ok((n, Verdict::unknown(why))),
        None => Ok((n, has_regular_point(cx, frame, cell)?)),
    }
}

/// Whether the real points of the cell have the dimension of its complex ones: that is so near a real point at which the
/// differentials of the equations are as independent as anywhere. x² + y² = 0 in disguise has none.
pub fn has_regular_point(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Verdict> {
    let singular = singular_locus(cx, frame, cell)?;
    for piece in set::difference_from_all(cx, frame, cell, &singular)? {
        if let Verdict::No(ground) = set::is_empty(cx, frame, &piece)? {
            return Ok(Verdict::Yes(ground));
        }
    }
    Ok(Verdict::unknown("no real point was found at which the differentials of the equations are independent"))
}

/// Whether the codimension can be read off the ideal: the equations contain coordinates, constants, roots and absolute values
/// of polynomials in these, and sines and cosines, circular or hyperbolic, of coordinates that do not occur otherwise. An angle
/// covers its circle, and h its hyperbola, without loss of dimension.
fn is_algebraic(frame: &Frame, cell: &Cell) -> bool {
    use super::super::generator::{Generator, Kind};
    let in_play: Vec<u32> = cell.equations().iter().flat_map(|g| g.variables().iter().copied()).collect();
    let is_alone = |u: &super::super::expr::Expr, v: u32| {
        let partners = [v.saturating_sub(1), v, v + 1];
        let stands_in = |w: &u32, s: Symbol| Generator(*w).meaning().contains(s);
        let has_other =
            |s: Symbol| in_play.iter().any(|w| stands_in(w, s) && !(partners.contains(w) && is_pair(v, *w)));
        u.as_symbol().is_some_and(|s| !has_other(s))
    };
    let allowed = |v: &u32| match Generator(*v).kind() {
        Kind::Symbol(_) => true,
        Kind::Sine(u) | Kind::Cosine(u) | Kind::HyperbolicSine(u) | Kind::HyperbolicCosine(u) => is_alone(&u, *v),
        // Their radicands are polynomials: those of coordinates bring nothing new.
        Kind::Root { radicand: inner, .. } | Kind::Absolute { square: inner, .. } => {
            inner.variables().iter().all(|w| matches!(Generator(*w).kind(), Kind::Symbol(_)))
        }
        _ => false,
    };
    cell.equations().iter().flat_map(|g| g.variables()).all(|v| frame.is_constant(*v) || allowed(v))
}

/// Whether two generators are the same, or sine and cosine of the same.
fn is_pair(v: u32, w: u32) -> bool {
    use super::super::generator::{Generator, Kind::*};
    let argument = |g: u32| match Generator(g).kind() {
        Sine(u) | Cosine(u) => Some((false, u)),
        HyperbolicSine(u) | HyperbolicCosine(u) => Some((true, u)),
        _ => None,
    };
    v == w || (argument(v).is_some() && argument(v) == argument(w))
}

/// Whether the equations contain coordinates and constants only, no functions of coordinates.
fn is_polynomial(frame: &Frame, cell: &Cell) -> bool {
    use super::super::generator::{Generator, Kind};
    let plain = |v: &u32| frame.is_constant(*v) || matches!(Generator(*v).kind(), Kind::Symbol(_));
    cell.equations().iter().flat_map(|g| g.variables()).all(plain)
}

/// The points at which the rank of dg is smaller than elsewhere on the cell: all minors of the largest size vanish.
pub fn singular_locus(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Vec<Cell>> {
    if cell.equations().iter().all(|g| g.total_degree() == 1) && is_polynomial(frame, cell) {
        return Ok(vec![]);
    }
    let rows: Vec<Vec<Polynomial>> = jacobian(cx, frame, cell)?.rows.into_iter().map(|row| row.coefficients).collect();
    let columns: Vec<usize> =
        (0..frame.coordinates().len()).filter(|j| rows.iter().any(|row| !row[*j].is_zero())).collect();
    let size = frame.coordinates().len() - dimension(cx, frame, cell)?;
    if size == rows.len() && binomial(columns.len(), size) <= MAX_MINORS {
        let mut minors = Vec::new();
        for choice in choices(columns.len(), size) {
            let picked: Vec<usize> = choice.into_iter().map(|i| columns[i]).collect();
            let minor = determinant(cx, &rows, &picked)?;
            let minor = cell.reduce(cx, frame, &minor)?;
            if minor.is_constant() && !minor.is_zero() {
                return Ok(vec![]);
            }
            if !minor.is_zero() {
                minors.push(minor);
            }
        }
        return frame.refine(cx, cell, &minors, &[]);
    }
    let list = leaves(cx, frame, &jacobian(cx, frame, cell)?, cell)?;
    let generic = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
    set::merged(cx, frame, list.into_iter().filter(|leaf| leaf.rank < generic).map(|leaf| leaf.cell).collect())
}

const MAX_MINORS: usize = 400;

fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1usize, |c, i| c.saturating_mul(n - i) / (i + 1))
}

/// All ascending lists of k numbers below n.
pub(super) fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..k {
        let extend = |c: Vec<usize>| {
            let from = c.last().map_or(0, |l| l + 1);
            (from..n).map(move |i| [c.as_slice(), &[i]].concat())
        };
        list = list.into_iter().flat_map(extend).collect();
    }
    list
}

/// The determinant of the chosen columns, by expansion along the first row; the matrices here are small.
pub fn determinant(cx: &Inquiry, rows: &[Vec<Polynomial>], columns: &[usize]) -> Budgeted<Polynomial> {
    let Some((first, rest)) = rows.split_first() else { return Ok(Polynomial::one()) };
    let mut sum = Polynomial::zero();
    for (i, j) in columns.iter().enumerate() {
        cx.check()?;
        if first[*j].is_zero() {
            continue;
        }
        let others: Vec<usize> = columns.iter().copied().filter(|c| c != j).collect();
        let term = first[*j].mul(cx, &determinant(cx, rest, &others)?)?;
        sum = if i % 2 == 0 { &sum + &term } else { &sum - &term };
    }
    Ok(sum)
}

/// Equations of the closure of the projection to the coordinates that satisfy `keep`.
pub fn projection(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    keep: impl Fn(Symbol) -> bool,
) -> Budgeted<Vec<Polynomial>> {
    use super::super::generator::Generator;
    let moves = |s: &Symbol| frame.coordinates().contains(s);
    cell.basis.eliminate(cx, frame, |v| Generator(v).meaning().symbols().iter().any(|s| moves(s) && !keep(*s)))
}
