//! Whether the equations of a cell are those of its real points: the question before any tangency.
//!
//! A vector is tangent to {g = 0} where dg annihilates it, if the differentials span the conormal space. They do not for x² = 0,
//! for x² + y² = 0, nor for V(x) = V′(x) = 0. With n coordinates and an ideal of codimension c, relations of generators not
//! counted, let p be a real point of the cell at which c of the differentials, by the coordinates and with the chain rule, are
//! independent. Then near p the cell is a submanifold of dimension n − c, and its conormal spaces are spanned by the dg: the local
//! ring of the ideal at p is regular, so that c of the g generate it there, and the implicit function theorem applies. If the
//! ideal is prime this holds at all its points outside a proper closed subset.
//!
//! Such a point is found, in this order:
//!
//! - *by a graph*: each equation gives a coordinate of its own, linearly; the others are free. That holds for all parameters;
//! - *by a root*: the same, but for one equation, of odd degree in its coordinate, or quadratic with a discriminant that is
//!   positive somewhere for all parameters;
//! - *by a point*, rational or algebraic, where no parameters occur.
//!
//! Where there is none the cell is described anew: by its [components](super::components), whose eliminants are squarefree
//! (Seidenberg's lemma), or by the vanishing of a minor of which it is shown that it vanishes at all real points. What
//! resists stays as it is, and is said not to be known.

use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::cell::{Cell, Frame};
use super::components::components;
use super::real::semidefinite;
use super::sample::is_allowed;
use super::set;
use super::tangent::jacobian;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};

/// What is known of the differentials of the equations of a cell.
#[derive(Clone, Debug)]
pub enum Regularity {
    /// At a real point, and generically, they span the conormal space.
    Regular {
        codimension: usize,
        /// Coordinates as functions of the others, at every point: the ideal is prime.
        is_graph: bool,
    },
    /// The same real points are those of other cells.
    Parts(Vec<Cell>),
    Unknown(String),
}

/// What the answer may cost, in terms combined.
const WORK: u64 = 1_500_000;

/// Whether the equations of the cell are those of its real points.
pub fn regularity(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Regularity> {
    if let Some(known) = frame.known_regularity(cell) {
        return Ok(known);
    }
    let found = match cx.within(WORK, || search(cx, frame, cell)) {
        Ok(found) => found,
        Err(Exhausted::Interrupted) => return Err(Exhausted::Interrupted),
        Err(why) if cx.is_over() => return Err(why),
        Err(_) => Regularity::Unknown("whether its equations are those of its real points was not found out".into()),
    };
    frame.keep_regularity(cell, &found);
    Ok(found)
}

fn search(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Regularity> {
    let generators = cell.generators(cx, frame)?;
    let codimension = generators.len();
    let graph = Graph::of(frame, cell, &generators);
    if let Some(graph) = &graph
        && graph.is_everywhere(cx, frame, cell)?
        && graph.has_point(cx, frame, cell)?
    {
        return Ok(Regularity::Regular { codimension, is_graph: true });
    }
    let parts = components(cx, frame, cell)?;
    if parts != [cell.clone()] {
        return Ok(Regularity::Parts(parts));
    }
    if let Some(graph) = &graph
        && graph.has_point(cx, frame, cell)?
    {
        return Ok(Regularity::Regular { codimension, is_graph: false });
    }
    by_point(cx, frame, cell, &generators)
}

/// An equation, and the coordinate that it gives.
struct Step {
    equation: Polynomial,
    coordinate: u32,
}

/// Equations that give coordinates one after the other: the coordinate of a step occurs in no later equation.
struct Graph {
    linear: Vec<Step>,
    /// The last equation, if it is not linear in any coordinate.
    root: Option<Step>,
}

impl Graph {
    fn of(frame: &Frame, cell: &Cell, generators: &[Polynomial]) -> Option<Graph> {
        let in_play: Vec<u32> = (generators.iter().chain(cell.nonzero()))
            .flat_map(|g| g.variables().iter().copied())
            .filter(|v| !matches!(Generator(*v).kind(), Kind::Symbol(_)))
            .collect();
        // A coordinate that stands inside a function is not free to take the value that an equation gives it.
        let is_free = |v: u32| match Generator(v).kind() {
            Kind::Symbol(s) => !frame.is_constant(v) && !in_play.iter().any(|g| Generator(*g).meaning().contains(s)),
            _ => false,
        };
        let mut rest: Vec<Polynomial> = generators.to_vec();
        let mut graph = Graph { linear: vec![], root: None };
        while !rest.is_empty() {
            let mut best: Option<(bool, usize, u32)> = None;
            for (i, g) in rest.iter().enumerate() {
                for &v in g.variables().iter().filter(|v| is_free(**v) && g.degree_in(**v) == 1) {
                    let elsewhere = rest.iter().enumerate().any(|(k, h)| k != i && h.contains(v));
                    let score = (!g.coefficient_in(v, 1).is_constant(), i, v);
                    if !elsewhere && best.is_none_or(|b| score < b) {
                        best = Some(score);
                    }
                }
            }
            match (best, rest.len()) {
                (Some((_, i, v)), _) => graph.linear.push(Step { equation: rest.remove(i), coordinate: v }),
                (None, 1) => {
                    let g = rest.remove(0);
                    let v = (g.variables().iter().copied()).filter(|v| is_free(*v)).min_by_key(|v| {
                        let n = g.degree_in(*v);
                        (n % 2 == 0, n, !g.leading_coefficient_in(*v).is_constant())
                    })?;
                    graph.root = Some(Step { equation: g, coordinate: v });
                }
                (None, _) => return None,
            }
        }
        Some(graph)
    }

    /// Whether each coordinate is a function of the others at every point of the cell.
    fn is_everywhere(&self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
        if self.root.is_some() {
            return Ok(false);
        }
        for step in &self.linear {
            for f in frame.irreducible_factors(cx, &step.slope()) {
                if !cell.nonzero().contains(&f) && !frame.is_nowhere_zero(cx, &f)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the graph has a real point of the cell, whatever the parameters.
    fn has_point(&self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
        let Some(root) = &self.root else {
            for shift in 0..SAMPLES {
                if self.passes(cx, frame, cell, shift)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        };
        // Slopes that are not in the ideal, which is prime as far as the components tell, do not vanish at generic points.
        for step in &self.linear {
            if cell.reduce(cx, frame, &step.slope())?.is_zero() {
                return Ok(false);
            }
        }
        root.has_real_root(cx, frame)
    }

    /// Whether the point over the given sample of the free quantities lies in the cell.
    fn passes(&self, cx: &Inquiry, frame: &Frame, cell: &Cell, shift: usize) -> Budgeted<bool> {
        let avoid: Vec<Polynomial> = cell.nonzero().iter().cloned().chain(frame.domain_polynomials()).collect();
        let equations = self.linear.iter().map(|step| &step.equation);
        let mut variables: Vec<u32> = equations.chain(&avoid).flat_map(|p| p.variables().iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|v| !self.linear.iter().any(|step| step.coordinate == *v));
        let Some(mut point) = sample(cx, &variables, shift)? else { return Ok(false) };
        for step in self.linear.iter().rev() {
            let slope = step.slope().evaluate(cx, &point)?.as_constant();
            let offset = step.equation.coefficient_in(step.coordinate, 0).evaluate(cx, &point)?.as_constant();
            let (Some(slope), Some(offset)) = (slope, offset) else { return Ok(false) };
            if slope.is_zero() {
                return Ok(false);
            }
            let value = -&(&offset / &slope);
            if !is_allowed(cx, step.coordinate, value.signum()) {
                return Ok(false);
            }
            point.push((step.coordinate, value));
        }
        for n in &avoid {
            if n.evaluate(cx, &point)?.as_constant().is_none_or(|x| x.is_zero()) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Samples that are tried.
const SAMPLES: usize = 4;

impl Step {
    fn slope(&self) -> Polynomial {
        self.equation.coefficient_in(self.coordinate, 1)
    }

    /// Whether the equation, which is irreducible, has a simple real root over some values of the others, whatever the parameters.
    fn has_real_root(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<bool> {
        let (g, v) = (&self.equation, self.coordinate);
        if !is_allowed(cx, v, 1) || !is_allowed(cx, v, -1) {
            return Ok(false);
        }
        if g.degree_in(v) % 2 == 1 {
            return Ok(true);
        }
        if g.degree_in(v) != 2 {
            return Ok(false);
        }
        let [c, b, a] = [0, 1, 2].map(|k| g.coefficient_in(v, k));
        let discriminant = &b.mul(cx, &b)? - &a.mul(cx, &c)?.scale(&Rational::from(4));
        let moving: Vec<u32> = discriminant.variables().iter().copied().filter(|w| !frame.is_constant(*w)).collect();
        for shift in 0..SAMPLES {
            let Some(point) = sample(cx, &moving, shift)? else { continue };
            let there = discriminant.evaluate(cx, &point)?;
            let zero: Vec<(u32, Rational)> = moving.iter().map(|w| (*w, Rational::ZERO)).collect();
            let is_plain = moving.iter().all(|w| matches!(Generator(*w).kind(), Kind::Symbol(_)));
            let at_zero = if is_plain { Some(discriminant.evaluate(cx, &zero)?) } else { None };
            for value in [Some(there), at_zero].into_iter().flatten() {
                if semidefinite(cx, &value)?.is_some_and(|s| !s.is_negative && !value.is_zero() && s.has_no_zero()) {
                    return Ok(true);
                }
                // A square of a parameter is positive for all but one value of it.
                let is_constant = value.variables().iter().all(|w| frame.is_constant(*w));
                if is_constant && semidefinite(cx, &value)?.is_some_and(|s| !s.is_negative && !value.is_zero()) {
                    frame.note_generic(cx, &value)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Values for independent quantities that obey the relations and the declared facts: symbols anywhere, sines and cosines on
/// their circle. Sines, exponentials and the symbols inside them are algebraically independent functions, so that a polynomial
/// which does not vanish at these values does not vanish at generic points.
fn sample(cx: &Inquiry, variables: &[u32], shift: usize) -> Budgeted<Option<Vec<(u32, Rational)>>> {
    let numbers = [(2, 1), (3, 1), (-5, 2), (7, 3), (5, 1), (-3, 4), (11, 5), (-13, 6), (4, 7), (17, 8)];
    let triples = [(3, 4, 5), (5, 12, 13), (8, 15, 17), (20, 21, 29)];
    let mut point: Vec<(u32, Rational)> = Vec::new();
    let known = |point: &[(u32, Rational)], v: u32| point.iter().find(|(w, _)| *w == v).map(|(_, x)| x.clone());
    // Relations go from older generators to younger ones.
    let mut all = variables.to_vec();
    let mut i = 0;
    while i < all.len() {
        if let Some(relation) = Generator(all[i]).relation() {
            all.extend(relation.value.variables());
        }
        i += 1;
    }
    all.sort_unstable();
    all.dedup();
    for (i, &v) in all.iter().enumerate() {
        if known(&point, v).is_some() {
            continue;
        }
        let (n, d) = numbers[(i + 3 * shift) % numbers.len()];
        let number = Rational::ratio(n, d);
        let (a, b, c) = triples[(i + shift) % triples.len()];
        match Generator(v).kind() {
            Kind::Sine(_) => {
                point.push((v, Rational::ratio(a, c)));
                point.push((v + 1, Rational::ratio(b, c)));
            }
            Kind::HyperbolicSine(_) => {
                point.push((v, Rational::ratio(a, b)));
                point.push((v + 1, Rational::ratio(c, b)));
            }
            Kind::Cosine(_) | Kind::HyperbolicCosine(_) => return Ok(None),
            _ => match Generator(v).relation() {
                Some(relation) => {
                    let Some(power) = relation.value.evaluate(cx, &point)?.as_constant() else { return Ok(None) };
                    let Some(root) = power.exact_root(relation.degree) else { return Ok(None) };
                    let is_odd = relation.degree % 2 == 1;
                    point.push((v, if is_odd { root } else { root.abs() }));
                }
                None => {
                    let value = [number.clone(), -&number].into_iter().find(|x| is_allowed(cx, v, x.signum()));
                    let Some(value) = value else { return Ok(None) };
                    point.push((v, value));
                }
            },
        }
    }
    Ok(Some(point))
}

/// By a real point of the cell, or by showing that a minor vanishes at all of them.
fn by_point(cx: &Inquiry, frame: &Frame, cell: &Cell, generators: &[Polynomial]) -> Budgeted<Regularity> {
    let unknown = |why: &str| Ok(Regularity::Unknown(why.into()));
    let Some(codimension) = cell.basis.codimension(cx)? else { return unknown("its dimension is not known") };
    let is_parameter = |v: &u32| frame.is_constant(*v) && matches!(Generator(*v).kind(), Kind::Symbol(_));
    let parameters: Vec<u32> =
        generators.iter().flat_map(|g| g.variables().iter().copied()).filter(is_parameter).collect();
    let (rank, minor) = generic_rank(cx, frame, cell)?;
    if rank < codimension {
        return unknown("the differentials of its equations do not span the conormal space anywhere");
    }
    let regular = frame.refine(cx, cell, &[], &minor)?;
    let mut is_empty = true;
    for piece in &regular {
        match set::is_empty(cx, frame, piece)? {
            verdict if verdict.is_no() => {
                if let Some(v) = parameters.first() {
                    let name = Generator(*v).meaning();
                    return unknown(&format!(
                        "whether it has real points of its dimension depends on the parameter {name}"
                    ));
                }
                return Ok(Regularity::Regular { codimension, is_graph: false });
            }
            verdict => is_empty &= verdict.is_yes(),
        }
    }
    if is_empty && parameters.is_empty() {
        let product = Polynomial::product(cx, &minor)?;
        let parts = frame.refine(cx, cell, &[product], &[])?;
        if parts != [cell.clone()] {
            return Ok(Regularity::Parts(parts));
        }
    }
    unknown("no real point was found at which the differentials of its equations are independent")
}

/// The rank of the differentials at generic points of the cell, and pivots of an elimination that shows it.
fn generic_rank(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<(usize, Vec<Polynomial>)> {
    let mut rows: Vec<Vec<Polynomial>> =
        jacobian(cx, frame, cell)?.rows.into_iter().map(|row| row.coefficients).collect();
    let mut pivots: Vec<Polynomial> = Vec::new();
    let mut rank = 0;
    loop {
        cx.check()?;
        for row in &mut rows {
            *row = cell.basis.normal_forms(cx, frame, row, &Polynomial::zero())?.0;
        }
        rows.retain(|row| row.iter().any(|c| !c.is_zero()));
        let entries = rows.iter().enumerate().flat_map(|(i, row)| {
            let nonzero = row.iter().enumerate().filter(|(_, c)| !c.is_zero());
            nonzero.map(move |(j, c)| ((!c.is_constant(), c.n_terms()), (i, j)))
        });
        let Some((_, (i, j))) = entries.min() else { return Ok((rank, pivots)) };
        rank += 1;
        let used = rows.remove(i);
        let pivot = &used[j];
        if !pivot.is_constant() {
            pivots.extend(frame.irreducible_factors(cx, pivot));
        }
        for row in rows.iter_mut().filter(|row| !row[j].is_zero()) {
            let factor = row[j].clone();
            for (a, b) in row.iter_mut().zip(&used) {
                *a = &pivot.mul(cx, a)? - &factor.mul(cx, b)?;
            }
        }
    }
}
