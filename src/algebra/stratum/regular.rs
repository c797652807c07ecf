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

use super::super::assume::Sign;
use super::super::decide::{semidefinite, sign};
use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::symbol::Symbol;
use super::cell::{Cell, Frame};
use super::components::components;
use super::facts::hold_at;
use super::sample::{Witness, is_allowed, witness};
use super::set;
use super::single_argument::{argument, has_zero};
use super::tangent::jacobian;
use crate::algebra::Expr;
use crate::algebra::Inquiry;
use crate::algebra::substitute::substitute;
use crate::budget::{Budgeted, share};
use rustc_hash::FxHashMap;

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

/// Whether the equations of the cell are those of its real points.
pub fn regularity(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Regularity> {
    if let Some(known) = frame.known_regularity(cell) {
        return Ok(known);
    }
    let found = match cx.aside(share::REGULARITY, || search(cx, frame, cell))? {
        Some(found) => found,
        None => Regularity::Unknown("whether its equations are those of its real points was not found out".into()),
    };
    frame.keep_regularity(cell, &found);
    Ok(found)
}

fn search(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Regularity> {
    let generators = cell.generators(cx, frame)?;
    let graph = Graph::of(cx, frame, cell, &generators, generators.len())?;
    if let Some(graph) = &graph
        && graph.is_everywhere(cx, frame, cell)?
        && graph.has_point(cx, frame, cell)?
    {
        return Ok(Regularity::Regular { codimension: generators.len(), is_graph: true });
    }
    let Some(codimension) = cell.basis.codimension(cx, frame)? else {
        return Ok(Regularity::Unknown("its dimension is not known".into()));
    };
    let regular = || Ok(Regularity::Regular { codimension, is_graph: false });
    let graph = match graph.filter(|_| codimension == generators.len()) {
        Some(graph) => Some(graph),
        // More equations than their number would need: as many of them as give coordinates.
        None => match Graph::of(cx, frame, cell, &generators, codimension)? {
            Some(graph) => Some(graph),
            None => Graph::of(cx, frame, cell, cell.equations(), codimension)?,
        },
    };
    if let Some(graph) = &graph
        && cx.aside(share::GRAPH, || is_dense(cx, frame, cell, &graph.slopes(), codimension))?.unwrap_or(false)
        && graph.has_point(cx, frame, cell)?
    {
        return regular();
    }
    match cx.aside(share::REGULAR_COMPONENTS, || components(cx, frame, cell))? {
        Some(parts) if parts != [cell.clone()] => return Ok(Regularity::Parts(parts)),
        Some(_) => {
            if let Some(graph) = &graph
                && graph.has_point(cx, frame, cell)?
            {
                return regular();
            }
        }
        // A point speaks for the component on which it lies, and there may be another one.
        None => return Ok(Regularity::Unknown("whether it has several components was not found out".into())),
    }
    by_point(cx, frame, cell, &generators, codimension)
}

/// An equation, and the coordinate that it gives.
struct Step {
    equation: Polynomial,
    coordinate: u32,
}

/// Equations that give coordinates one after the other: the coordinate of a step occurs in no later equation.
struct Graph {
    linear: Vec<Step>,
    /// The last equation, if it is not linear in any coordinate, once for each coordinate that it may give.
    roots: Vec<Step>,
    /// Equations of one quantity each that stands beside functions of itself, such as x = cos x.
    single: Vec<Polynomial>,
}

impl Graph {
    /// As many of the equations as the size says.
    fn of(cx: &Inquiry, frame: &Frame, cell: &Cell, pool: &[Polynomial], size: usize) -> Budgeted<Option<Graph>> {
        let in_play: Vec<u32> = (pool.iter().chain(cell.nonzero()))
            .flat_map(|g| g.variables().iter().copied())
            .filter(|v| !matches!(Generator(*v).kind(), Kind::Symbol(_)))
            .collect();
        // A coordinate that stands inside a function is not free to take the value that an equation gives it.
        let is_free = |v: u32| match Generator(v).kind() {
            Kind::Symbol(s) => !frame.is_constant(v) && !in_play.iter().any(|g| Generator(*g).meaning().contains(s)),
            _ => false,
        };
        let mut graph = Graph { linear: vec![], roots: vec![], single: vec![] };
        let mut rest: Vec<Polynomial> = Vec::new();
        for g in pool {
            let symbols = |p: &Polynomial| symbols_of(p, frame);
            let is_apart = |h: &Polynomial| !symbols(h).iter().any(|s| symbols(g).contains(s));
            let is_single = argument(cx, frame, g)?.is_some() && graph.single.iter().all(is_apart);
            if is_single { graph.single.push(g.clone()) } else { rest.push(g.clone()) }
        }
        let wanted = size.saturating_sub(graph.single.len());
        let mut trials = MAX_TRIALS;
        let Some(steps) = choose_steps(&rest, wanted, &is_free, &mut trials) else { return Ok(None) };
        for step in steps {
            if step.equation.degree_in(step.coordinate) == 1 {
                graph.linear.push(step);
            } else {
                let g = &step.equation;
                let free = g.variables().iter().copied().filter(|v| is_free(*v));
                graph.roots = free.map(|v| Step { equation: g.clone(), coordinate: v }).collect();
            }
        }
        if graph.size() != size {
            return Ok(None);
        }
        // What a root depends on must not be fixed by the equations of single quantities.
        let is_fixed = |root: &Step| {
            let symbols = symbols_of(&root.equation, frame);
            graph.single.iter().any(|g| symbols_of(g, frame).iter().any(|s| symbols.contains(s)))
        };
        if graph.roots.first().is_some_and(is_fixed) {
            return Ok(None);
        }
        Ok(Some(graph))
    }

    /// Whether each coordinate is a function of the others at every point of the cell.
    fn is_everywhere(&self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
        if !self.roots.is_empty() || !self.single.is_empty() {
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

    fn size(&self) -> usize {
        self.linear.len() + self.single.len() + usize::from(!self.roots.is_empty())
    }

    fn slopes(&self) -> Vec<Polynomial> {
        self.linear.iter().map(Step::slope).collect()
    }

    /// Whether the graph has a real point of the cell, whatever the parameters.
    fn has_point(&self, cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<bool> {
        if self.roots.is_empty() && self.single.is_empty() {
            for shift in 0..SAMPLES {
                if self.passes(cx, frame, cell, shift)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        // No point is named below, so that none could be asked whether it obeys facts about several quantities.
        if !bounds(cx, frame).is_empty() {
            return Ok(false);
        }
        // Slopes that are not in the ideal, which is prime as far as the components tell, do not vanish at generic points.
        for step in &self.linear {
            if cell.reduce(cx, frame, &step.slope())?.is_zero() {
                return Ok(false);
            }
        }
        for g in &self.single {
            if !has_zero(cx, frame, g)? {
                return Ok(false);
            }
        }
        for root in &self.roots {
            if root.has_real_root(cx, frame)? {
                return Ok(true);
            }
        }
        Ok(self.roots.is_empty())
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
            if !is_allowed(cx, step.coordinate, value.signum()) || !step.obeys(cx, frame, &point)? {
                return Ok(false);
            }
            point.push((step.coordinate, value));
        }
        for n in &avoid {
            if n.evaluate(cx, &point)?.as_constant().is_none_or(|x| x.is_zero()) {
                return Ok(false);
            }
        }
        // Values of parameters are no more than a sample of them.
        let bounds = bounds(cx, frame);
        let is_parameter = |s: &Symbol| !frame.coordinates().contains(s);
        let in_bounds = bounds.iter().flat_map(|(fact, _)| fact.symbols()).any(|s| is_parameter(&s));
        let in_point = point.iter().flat_map(|(v, _)| Generator(*v).meaning().symbols()).any(|s| is_parameter(&s));
        if !bounds.is_empty() && (in_bounds || in_point) {
            return self.obeys_for_all(cx, frame, &point, &bounds);
        }
        hold_at(cx, &point, &[])
    }

    /// Whether facts about coordinates hold at the point over these values of what moves, whatever the parameters.
    fn obeys_for_all(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        point: &[(u32, Rational)],
        bounds: &[(Expr, Sign)],
    ) -> Budgeted<bool> {
        let mut values: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (v, x) in point.iter().filter(|(v, _)| !self.linear.iter().any(|step| step.coordinate == *v)) {
            if let (Kind::Symbol(s), false) = (Generator(*v).kind(), frame.is_constant(*v)) {
                values.insert(s, Expr::number(x.clone()));
            }
        }
        for step in self.linear.iter().rev() {
            let Kind::Symbol(s) = Generator(step.coordinate).kind() else { return Ok(false) };
            let offset = step.equation.coefficient_in(step.coordinate, 0);
            let there = |p: &Polynomial| substitute(frame.write(p), &values);
            let value = -there(&offset) / there(&step.slope());
            values.insert(s, value);
        }
        let is_open = |e: Expr| e.symbols().iter().any(|s| frame.coordinates().contains(s));
        Ok(bounds.iter().all(|(fact, declared)| {
            let value = substitute(*fact, &values);
            let found = sign(cx, value);
            !is_open(value) && value.as_undefined().is_none() && found.and(*declared) == found
        }))
    }
}

/// Choices that are tried for the steps of a graph.
const MAX_TRIALS: usize = 300;

/// So many of the equations, each with a coordinate in which it is linear and which does not occur in those after it; the last one
/// may be of a higher degree. Tried one after the other, coordinates that occur in few equations first.
fn choose_steps(
    pool: &[Polynomial],
    wanted: usize,
    is_free: &dyn Fn(u32) -> bool,
    trials: &mut usize,
) -> Option<Vec<Step>> {
    if wanted == 0 {
        return Some(vec![]);
    }
    if pool.len() < wanted || *trials == 0 {
        return None;
    }
    *trials -= 1;
    let free = |g: &Polynomial| g.variables().iter().copied().filter(|v| is_free(*v)).collect::<Vec<u32>>();
    let mut choices: Vec<((usize, bool, usize), usize, u32)> = Vec::new();
    for (i, g) in pool.iter().enumerate() {
        for v in free(g).into_iter().filter(|v| g.degree_in(*v) == 1) {
            let elsewhere = pool.iter().enumerate().filter(|(k, h)| *k != i && h.contains(v)).count();
            choices.push(((elsewhere, !g.coefficient_in(v, 1).is_constant(), g.n_terms()), i, v));
        }
    }
    choices.sort();
    for (_, i, v) in choices {
        let rest: Vec<Polynomial> = pool.iter().filter(|h| !h.contains(v)).cloned().collect();
        if let Some(steps) = choose_steps(&rest, wanted - 1, is_free, trials) {
            return Some([Step { equation: pool[i].clone(), coordinate: v }].into_iter().chain(steps).collect());
        }
    }
    if wanted > 1 {
        return None;
    }
    let parity = |g: &Polynomial, v: u32| {
        let n = g.degree_in(v);
        (n.is_multiple_of(2), n, !g.leading_coefficient_in(v).is_constant(), g.n_terms())
    };
    let roots = pool.iter().flat_map(|g| free(g).into_iter().map(move |v| (g, v)));
    let (g, v) = roots.min_by_key(|(g, v)| parity(g, *v))?;
    Some(vec![Step { equation: g.clone(), coordinate: v }])
}

/// Whether the part of the cell where none of the polynomials vanishes is dense in it. Of c equations that cut out codimension c
/// every component has that codimension; where one of the polynomials vanishes it must be larger.
fn is_dense(cx: &Inquiry, frame: &Frame, cell: &Cell, nonzero: &[Polynomial], codimension: usize) -> Budgeted<bool> {
    for n in nonzero {
        for f in frame.irreducible_factors(cx, n) {
            if cell.nonzero().contains(&f) || frame.is_nowhere_zero(cx, &f)? {
                continue;
            }
            for piece in frame.refine(cx, cell, std::slice::from_ref(&f), &[])? {
                if piece.basis.codimension(cx, frame)?.is_none_or(|c| c <= codimension) {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// The symbols that move.
fn symbols_of(p: &Polynomial, frame: &Frame) -> Vec<Symbol> {
    let all = p.variables().iter().flat_map(|v| Generator(*v).meaning().symbols().to_vec());
    all.filter(|s| frame.coordinates().contains(s)).collect()
}

/// Samples that are tried.
const SAMPLES: usize = 4;

/// Facts about several quantities, coordinates among them.
fn bounds(cx: &Inquiry, frame: &Frame) -> Vec<(Expr, Sign)> {
    let moves = |s: &Symbol| frame.coordinates().contains(s);
    let compared = cx.facts().iter().filter(|(fact, _)| fact.as_symbol().is_none());
    compared.filter(|(fact, _)| fact.symbols().iter().any(moves)).collect()
}

impl Step {
    fn slope(&self) -> Polynomial {
        self.equation.coefficient_in(self.coordinate, 1)
    }

    /// Whether the coordinate that a linear equation gives has the sign that is declared for it, over these values of what moves and
    /// whatever the parameters.
    fn obeys(&self, cx: &Inquiry, frame: &Frame, point: &[(u32, Rational)]) -> Budgeted<bool> {
        let declared = Generator(self.coordinate).sign(cx);
        if declared == Sign::ANY || !self.equation.variables().iter().any(|v| frame.is_constant(*v)) {
            return Ok(true);
        }
        let moving: Vec<(u32, Rational)> = point.iter().filter(|(v, _)| !frame.is_constant(*v)).cloned().collect();
        let value = self.slope().mul(cx, &self.equation.coefficient_in(self.coordinate, 0))?.evaluate(cx, &moving)?;
        let found = sign(cx, frame.write(&value)).negate();
        Ok(found.and(declared) == found)
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
fn by_point(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    generators: &[Polynomial],
    codimension: usize,
) -> Budgeted<Regularity> {
    let unknown = |why: &str| Ok(Regularity::Unknown(why.into()));
    let is_parameter = |v: &u32| frame.is_constant(*v) && matches!(Generator(*v).kind(), Kind::Symbol(_));
    let parameters: Vec<u32> =
        generators.iter().flat_map(|g| g.variables().iter().copied()).filter(is_parameter).collect();
    if parameters.is_empty() && at_rational_point(cx, frame, cell)?.is_some() {
        return Ok(Regularity::Regular { codimension, is_graph: false });
    }
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

/// The codimension, if as many differentials are independent at a rational point, and no parameter had to be given a value.
fn at_rational_point(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Option<usize>> {
    let Some(codimension) = cell.basis.codimension(cx, frame)? else { return Ok(None) };
    let Witness::Point(point) = witness(cx, frame, cell)? else { return Ok(None) };
    let is_moving =
        |(v, _): &(u32, Rational)| !frame.is_constant(*v) || !matches!(Generator(*v).kind(), Kind::Symbol(_));
    if !point.values.iter().all(is_moving) {
        return Ok(None);
    }
    let rank = rank_at(cx, frame, cell, &point.values)?;
    Ok(rank.filter(|r| *r == codimension))
}

/// The rank of the differentials at a point; `None` if they are not numbers there.
fn rank_at(cx: &Inquiry, frame: &Frame, cell: &Cell, point: &[(u32, Rational)]) -> Budgeted<Option<usize>> {
    let mut rows: Vec<Vec<Rational>> = Vec::new();
    for row in jacobian(cx, frame, cell)?.rows {
        let mut numbers = Vec::with_capacity(row.coefficients.len());
        for c in &row.coefficients {
            let Some(x) = c.evaluate(cx, point)?.as_constant() else { return Ok(None) };
            numbers.push(x);
        }
        rows.push(numbers);
    }
    let mut rank = 0;
    for j in 0..frame.coordinates().len() {
        let Some(i) = (rank..rows.len()).find(|i| !rows[*i][j].is_zero()) else { continue };
        rows.swap(rank, i);
        let (done, rest) = rows.split_at_mut(rank + 1);
        let used = &done[rank];
        for row in rest.iter_mut().filter(|row| !row[j].is_zero()) {
            let factor = &row[j] / &used[j];
            for (a, b) in row.iter_mut().zip(used) {
                *a = &*a - &(&factor * b);
            }
        }
        rank += 1;
    }
    Ok(Some(rank))
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
