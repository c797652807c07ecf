//! Exact points on a set {equations = 0, nonzero ≠ 0}, found by trying: what occurs linearly is solved for, an equation in one
//! unknown is solved by its rational roots, and everything else takes values from a short list. Equations between many
//! coordinates wait until some of these have values. The finder proves nothing; the points it returns are checked by whoever
//! uses them. Where an equation in one unknown has real roots and no rational one, it says so: there are points that it cannot name.

use super::evaluate::{Evaluator, FUNCTION_VALUES, Place, Point, Turn};
use super::series::{Exact, Gap, Poly, Series};
use crate::algebra::function::Reading;
use crate::algebra::{Expr, Inquiry, Node, Rational, Symbol};
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The set on which points are looked for.
pub(super) struct Target<'a> {
    coordinates: Vec<Symbol>,
    /// Parameters and their values.
    start: &'a Point,
    equations: Vec<Expr>,
    nonzero: Vec<Expr>,
    /// Which coordinates stand inside functions.
    inside: Inside,
    /// The coordinates in each equation.
    symbols: Vec<Vec<Symbol>>,
    /// What is known before any coordinate has a value: the same for every search.
    first: RefCell<Option<Rc<Known>>>,
}

/// The equations where some coordinates have values.
struct Known {
    /// As polynomials in the others, those that are and that no unspecified function has a value in.
    polynomials: Vec<Option<Poly>>,
    /// What is left of them when unknowns are eliminated, and the equations for these.
    rest: Vec<Poly>,
    pivots: Vec<(u32, Poly)>,
    /// An unknown that has to have a value before an equation is a polynomial in the others.
    open: Option<u32>,
    /// Whether every equation was looked at.
    is_all: bool,
}

/// One way to look for a point.
pub(super) struct Search<'a> {
    pub cx: &'a Inquiry,
    pub target: &'a Target<'a>,
    /// Another number, other points.
    pub seed: usize,
    /// Whether values are as simple as possible, zero before all.
    pub is_special: bool,
    /// Set where points were met that have no rational coordinates, and at which the equations are independent.
    pub irrational: Cell<bool>,
}

/// How one search is going.
struct Progress<'a> {
    trials: Cell<usize>,
    accept: &'a dyn Fn(&Point) -> Exact<bool>,
}

/// Coordinates that stand inside sines, and inside exponentials, and nowhere else: they need no value.
#[derive(Clone, Default)]
pub(super) struct Inside {
    circular: Vec<Symbol>,
    exponential: Vec<Symbol>,
}

impl Inside {
    pub fn of(expressions: &[Expr]) -> Inside {
        let (mut found, mut plain) = (Inside::default(), Vec::new());
        // What is looked at: as a value, or as a sum of arguments.
        let mut stack: Vec<(Expr, bool)> = expressions.iter().map(|e| (*e, false)).collect();
        let mut seen: FxHashSet<(Expr, bool)> = stack.iter().copied().collect();
        while let Some((e, is_argument)) = stack.pop() {
            let below = match e.node() {
                Node::Symbol(s) if !is_argument => {
                    plain.push(*s);
                    false
                }
                Node::Apply(function, arguments) => match function.row().reading {
                    Reading::Circular(_) => {
                        found.circular.extend(arguments[0].symbols());
                        true
                    }
                    Reading::Hyperbolic(_) | Reading::Exponential => {
                        found.exponential.extend(arguments[0].symbols());
                        true
                    }
                    Reading::Logarithm | Reading::Absolute | Reading::Sign => false,
                    Reading::CubeRoot | Reading::Opaque { .. } => false,
                },
                Node::Sum { .. } => is_argument,
                _ => false,
            };
            stack.extend(e.children().into_iter().map(|x| (x, below)).filter(|x| seen.insert(*x)));
        }
        found.circular.retain(|s| !plain.contains(s));
        found.exponential.retain(|s| !plain.contains(s));
        found
    }
}

/// How many evaluations one search may cost.
const MAX_TRIALS: usize = 120;

/// Equations between more coordinates without a value than these are left until the others are satisfied.
const WIDE: usize = 10;

const ORDINARY: [(i64, i64); 12] =
    [(2, 1), (-1, 2), (3, 1), (1, 1), (-3, 2), (4, 1), (1, 3), (-2, 1), (3, 5), (0, 1), (-1, 1), (4, 5)];
const SPECIAL: [(i64, i64); 6] = [(0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-3, 1)];
const CIRCLE: [(i64, i64, i64); 5] = [(3, 4, 5), (-5, 12, 13), (4, -3, 5), (8, 15, 17), (0, 1, 1)];

/// What is done with the next unknown.
enum Next {
    /// It is the root of a polynomial with these coefficients.
    Roots(u32, Vec<Rational>),
    Candidates(u32, Vec<Choice>),
}

enum Choice {
    Value(Rational),
    Turn(Turn),
}

impl<'a> Target<'a> {
    pub fn new(
        coordinates: &[Symbol],
        equations: Vec<Expr>,
        nonzero: Vec<Expr>,
        start: &'a Point,
        inside: Inside,
    ) -> Target<'a> {
        let symbols = equations.iter().map(|e| e.symbols()).collect();
        let coordinates = coordinates.to_vec();
        Target { coordinates, start, equations, nonzero, inside, symbols, first: RefCell::default() }
    }

    /// The polynomials after a choice. One more value is put into them; where a sine has got its value they are read anew.
    fn after(&self, cx: &Inquiry, known: &Known, unknown: u32, choice: &Choice) -> Budgeted<Vec<Option<Poly>>> {
        let next = |(i, p): (usize, &Option<Poly>)| -> Budgeted<Option<Poly>> {
            let Some(p) = p else { return Ok(None) };
            match choice {
                Choice::Value(_) if unknown >= FUNCTION_VALUES => Ok(Some(p.clone())),
                Choice::Value(x) => p.with_value(cx, unknown, x).map(Some),
                Choice::Turn(_) if self.symbols[i].contains(&self.coordinates[unknown as usize]) => Ok(None),
                Choice::Turn(_) => Ok(Some(p.clone())),
            }
        };
        known.polynomials.iter().enumerate().map(next).collect()
    }

    /// The equations between few coordinates without a value, or the narrowest if there are no such; and whether that is all.
    fn narrow(&self, point: &Point) -> (Vec<usize>, bool) {
        let is_open = |s: &&Symbol| !point.values.contains_key(s) && !point.turns.contains_key(s);
        let widths: Vec<usize> = self.symbols.iter().map(|list| list.iter().filter(is_open).count()).collect();
        // Those without an open coordinate have nothing to say about the next one, but may be violated.
        let least = widths.iter().copied().filter(|w| *w > 0).min().unwrap_or(0);
        let bound = least.max(WIDE);
        let narrow = (0..widths.len()).filter(|i| widths[*i] <= bound);
        (narrow.collect(), widths.iter().all(|w| *w <= bound))
    }
}

impl Search<'_> {
    /// The first point that is on the set and accepted.
    pub fn find(&self, accept: &dyn Fn(&Point) -> Exact<bool>) -> Budgeted<Option<Point>> {
        let progress = Progress { trials: Cell::new(0), accept };
        let nothing = vec![None; self.target.equations.len()];
        match self.descend(self.target.start.clone(), nothing, &progress) {
            Err(Gap::Stopped(Exhausted::Size)) => Ok(None),
            Err(Gap::Stopped(why)) => Err(why),
            Err(_) => Ok(None),
            Ok(found) => Ok(found),
        }
    }

    /// What the equations say at a point, from what was known of them before; `None` if one of them has no value there.
    fn known(
        &self,
        point: &Point,
        mut polynomials: Vec<Option<Poly>>,
        places: &RefCell<Vec<Place>>,
    ) -> Exact<Option<Known>> {
        let (mut equations, mut open) = (vec![], None);
        let evaluator = OnceCell::new();
        let (narrow, is_all) = self.target.narrow(point);
        for i in narrow {
            if let Some(p) = &polynomials[i] {
                equations.push(p.clone());
                continue;
            }
            let evaluator = evaluator.get_or_init(|| self.evaluator(point).with_places(places));
            match evaluator.of(self.target.equations[i]) {
                Ok(series) => {
                    let p = series.0[0].clone();
                    if !p.degrees().into_keys().any(|v| v >= FUNCTION_VALUES) {
                        polynomials[i] = Some(p.clone());
                    }
                    equations.push(p);
                }
                Err(Gap::Open(v)) => open = open.or(Some(v)),
                Err(Gap::Value(_)) => return Ok(None),
                Err(stop) => return Err(stop),
            }
        }
        let (rest, pivots) = eliminated(self.cx, equations)?;
        Ok(Some(Known { polynomials, rest, pivots, open, is_all }))
    }

    fn descend(&self, point: Point, polynomials: Vec<Option<Poly>>, progress: &Progress) -> Exact<Option<Point>> {
        let (target, trials, accept) = (self.target, &progress.trials, progress.accept);
        let is_first = trials.get() == 0;
        trials.set(trials.get() + 1);
        if trials.get() > MAX_TRIALS {
            return Ok(None);
        }
        let places = RefCell::new(vec![]);
        let before = target.first.borrow().clone().filter(|_| is_first);
        let known = match before {
            Some(known) => known,
            None => match self.known(&point, polynomials, &places)? {
                Some(known) => Rc::new(known),
                None => return Ok(None),
            },
        };
        if is_first && places.borrow().is_empty() {
            *target.first.borrow_mut() = Some(known.clone());
        }
        let Known { rest, pivots, open, is_all, .. } = &*known;
        if rest.iter().any(|p| p.as_number().is_some()) {
            return Ok(None);
        }
        if rest.is_empty()
            && *is_all
            && open.is_none()
            && let Some(complete) = self.completed(&point, pivots)
            && settled(is_on(self.cx, &complete, &target.equations, &target.nonzero))?
            && settled(accept(&complete))?
        {
            return Ok(Some(complete));
        }
        let (unknown, choices) = match self.next(&point, rest, pivots, *open) {
            Some(Next::Candidates(unknown, choices)) => (unknown, choices),
            Some(Next::Roots(unknown, coefficients)) => {
                let roots = rational_roots(&coefficients);
                // All others can be solved for unknowns of their own.
                let is_last = rest.len() == 1 && pivots.len() + 1 == target.equations.len();
                if roots.is_empty() && is_last && has_simple_real_roots(coefficients) {
                    self.irrational.set(true);
                }
                (unknown, roots.into_iter().map(Choice::Value).collect())
            }
            None => {
                let is_on = settled(is_on(self.cx, &point, &target.equations, &target.nonzero))?;
                return Ok((is_on && settled(accept(&point))?).then_some(point));
            }
        };
        for choice in choices {
            let polynomials = target.after(self.cx, &known, unknown, &choice)?;
            let mut next = point.clone();
            match (choice, unknown.checked_sub(FUNCTION_VALUES)) {
                (Choice::Value(x), Some(i)) => {
                    next.functions.borrow_mut().insert(places.borrow()[i as usize].clone(), x);
                }
                (Choice::Value(x), None) => {
                    next.values.insert(target.coordinates[unknown as usize], x);
                }
                (Choice::Turn(turn), _) => {
                    next.turns.insert(target.coordinates[unknown as usize], turn);
                }
            }
            if let Some(found) = self.descend(next, polynomials, progress)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The point with a first value for everything that is free, and what follows for the others; `None` if a value is not
    /// that simple.
    fn completed(&self, point: &Point, pivots: &[(u32, Poly)]) -> Option<Point> {
        let mut complete = point.clone();
        let is_open = |s: &Symbol| !point.values.contains_key(s) && !point.turns.contains_key(s);
        let mut known: FxHashMap<u32, Rational> = FxHashMap::default();
        for (i, s) in self.target.coordinates.iter().enumerate().filter(|(_, s)| is_open(s)) {
            let v = i as u32;
            if pivots.iter().all(|(p, _)| *p != v) {
                match self.candidates(v).into_iter().next()? {
                    Choice::Value(x) => {
                        known.insert(v, x);
                    }
                    Choice::Turn(turn) => {
                        complete.turns.insert(*s, turn);
                    }
                }
            }
        }
        for (v, p) in pivots.iter().rev() {
            let value = p.solved_for(*v)?.at(&known)?;
            known.insert(*v, value);
        }
        for (v, x) in known {
            complete.values.insert(*self.target.coordinates.get(v as usize)?, x);
        }
        Some(complete)
    }

    fn evaluator<'p>(&'p self, point: &'p Point) -> Evaluator<'p> {
        let is_open = |s: &Symbol| !point.values.contains_key(s) && !point.turns.contains_key(s);
        let open = self.target.coordinates.iter().enumerate().filter(|(_, s)| is_open(s));
        let series = open.map(|(i, s)| (*s, Series(vec![Poly::unknown(i as u32)])));
        Evaluator::new(self.cx, point, 0, series.collect::<FxHashMap<_, _>>())
    }

    /// Which unknown is given a value next, and the values to try. `None` when nothing is open.
    fn next(&self, point: &Point, rest: &[Poly], pivots: &[(u32, Poly)], open: Option<u32>) -> Option<Next> {
        let solved = rest.iter().chain(pivots.iter().map(|(_, p)| p)).find_map(|p| {
            let degrees = p.degrees();
            let v = *degrees.keys().next().filter(|_| degrees.len() == 1)?;
            Some((v, p.dense(v)?))
        });
        if let Some((v, coefficients)) = solved {
            return Some(Next::Roots(v, coefficients));
        }
        if let Some(v) = open {
            return Some(Next::Candidates(v, self.candidates(v)));
        }
        // The unknown of the highest degree in the shortest equation; what is linear is solved for later.
        let shortest = rest.iter().min_by_key(|p| p.degrees().len());
        // A point of a circle at a rational angle.
        if let Some((v, centre, radius)) = shortest.and_then(Poly::circle)
            && (v as usize) < self.target.coordinates.len()
        {
            let turn = scattered(self.seed, v);
            let at = |k: usize| {
                let (c, _, r) = CIRCLE[(k + turn) % CIRCLE.len()];
                Choice::Value(&centre + &(&radius * &Rational::ratio(c, r)))
            };
            return Some(Next::Candidates(v, (0..CIRCLE.len()).map(at).collect()));
        }
        if let Some(p) = shortest {
            let v = p.degrees().into_iter().max_by_key(|(v, e)| (*e, std::cmp::Reverse((*v as usize + self.seed) % 7)));
            return v.map(|(v, _)| Next::Candidates(v, self.candidates(v)));
        }
        let is_pivot = |v: u32| pivots.iter().any(|(p, _)| *p == v);
        let is_open = |s: &Symbol| !point.values.contains_key(s) && !point.turns.contains_key(s);
        let free = |i: &usize| is_open(&self.target.coordinates[*i]) && !is_pivot(*i as u32);
        let v = (0..self.target.coordinates.len()).find(free)? as u32;
        Some(Next::Candidates(v, self.candidates(v)))
    }

    fn candidates(&self, v: u32) -> Vec<Choice> {
        if v >= FUNCTION_VALUES {
            return [0, 1, -2, 3].into_iter().map(|n| Choice::Value(Rational::from(n))).collect();
        }
        let symbol = self.target.coordinates[v as usize];
        let turn = scattered(self.seed, v);
        let mut list: Vec<Choice> = Vec::new();
        if self.target.inside.circular.contains(&symbol) {
            let angle = |k: usize| {
                let (c, s, r) = CIRCLE[(k + turn) % CIRCLE.len()];
                Choice::Turn(Turn::circle(Rational::ratio(c, r), Rational::ratio(s, r)))
            };
            list.extend((0..2).map(angle));
        }
        if self.target.inside.exponential.contains(&symbol) {
            let e =
                |k: usize| Choice::Turn(Turn::exponential(Rational::ratio([2, 1, 3][(k + turn) % 3], [1, 2][k % 2])));
            list.extend((0..2).map(e));
        }
        let shift = scattered(self.seed, v);
        let all: Vec<Choice> = match self.is_special {
            // Zero first, every other time.
            true => {
                (0..SPECIAL.len()).map(|k| SPECIAL[(k + shift % 2 * (shift / 2)) % SPECIAL.len()]).map(value).collect()
            }
            false => (0..ORDINARY.len()).map(|k| ORDINARY[(k + shift) % ORDINARY.len()]).map(value).collect(),
        };
        match list.is_empty() {
            true => all,
            // The value of an angle is known at zero only.
            false if self.is_special => [value((0, 1))].into_iter().chain(list).collect(),
            false => list.into_iter().chain([value((0, 1))]).collect(),
        }
    }
}

/// What has no value there does not hold there.
pub(super) fn settled(found: Exact<bool>) -> Exact<bool> {
    match found {
        Err(Gap::Value(_) | Gap::Open(_)) => Ok(false),
        other => other,
    }
}

/// Some number that is the same every time, for each seed and unknown.
fn scattered(seed: usize, v: u32) -> usize {
    let mixed = (seed as u64 + 1)
        .wrapping_mul(6364136223846793005)
        .wrapping_add(u64::from(v).wrapping_mul(1442695040888963407));
    ((mixed ^ (mixed >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % 1000
}

fn value((n, d): (i64, i64)) -> Choice {
    Choice::Value(Rational::ratio(n, d))
}

/// Whether a point lies on {equations = 0, nonzero ≠ 0}. A point without a value there does not.
pub(super) fn is_on(cx: &Inquiry, point: &Point, equations: &[Expr], nonzero: &[Expr]) -> Exact<bool> {
    let evaluator = Evaluator::new(cx, point, 0, FxHashMap::default());
    for (e, should_vanish) in equations.iter().map(|e| (e, true)).chain(nonzero.iter().map(|e| (e, false))) {
        if evaluator.of(*e)?.head()?.is_zero() != should_vanish {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is left of the equations when unknowns that occur linearly are eliminated, and the equations for these.
fn eliminated(cx: &Inquiry, mut equations: Vec<Poly>) -> Budgeted<(Vec<Poly>, Vec<(u32, Poly)>)> {
    let mut pivots: Vec<(u32, Poly)> = Vec::new();
    loop {
        equations.retain(|p| !p.is_zero());
        let found = equations.iter().enumerate().find_map(|(i, p)| {
            // The last coordinate that will do: accelerations before velocities before positions.
            p.degrees().into_iter().rev().find_map(|(v, _)| Some((i, v, p.solved_for(v)?)))
        });
        let Some((i, v, solution)) = found else { return Ok((equations, pivots)) };
        pivots.push((v, equations.swap_remove(i)));
        for p in &mut equations {
            *p = p.substitute(cx, v, &solution)?;
        }
    }
}

/// Whether a polynomial has real roots, all of them simple: by the signs of its Sturm sequence far away.
fn has_simple_real_roots(mut coefficients: Vec<Rational>) -> bool {
    let trim = |p: &mut Vec<Rational>| while p.pop_if(|c| c.is_zero()).is_some() {};
    trim(&mut coefficients);
    let slope = |p: &[Rational]| -> Vec<Rational> {
        p.iter().enumerate().skip(1).map(|(k, c)| c * &Rational::from(k as i64)).collect()
    };
    let mut chain = vec![slope(&coefficients)];
    chain.insert(0, coefficients);
    while let [.., p, q] = chain.as_slice()
        && let Some(below) = q.last().and_then(Rational::recip)
    {
        let mut rest = p.clone();
        while rest.len() >= q.len() {
            let shift = rest.len() - q.len();
            let factor = rest.last().map_or(Rational::ZERO, |top| top * &below);
            for (k, c) in q.iter().enumerate() {
                rest[shift + k] = &rest[shift + k] - &(&factor * c);
            }
            rest.pop();
        }
        trim(&mut rest);
        chain.push(rest.iter().map(|c| -c).collect());
    }
    // The last is empty, and the one before it the greatest common divisor with the derivative.
    chain.pop();
    let is_squarefree = chain.last().is_some_and(|p| p.len() == 1);
    let changes = |side: i64| {
        let sign = |p: &Vec<Rational>| {
            p.last().map_or(0, |c| c.signum()) * if p.len().is_multiple_of(2) { side } else { 1 } as i32
        };
        chain.windows(2).filter(|w| sign(&w[0]) * sign(&w[1]) < 0).count()
    };
    is_squarefree && changes(-1) > changes(1)
}

/// The rational roots of a polynomial, those with small numerators and denominators, in ascending order of size.
pub(super) fn rational_roots(coefficients: &[Rational]) -> Vec<Rational> {
    let Some(top) = coefficients.iter().rposition(|c| !c.is_zero()) else { return vec![] };
    let zero_root = coefficients[0].is_zero().then_some(Rational::ZERO);
    let low = coefficients.iter().position(|c| !c.is_zero()).unwrap_or(0);
    let list = &coefficients[low..=top];
    let mut roots: Vec<Rational> = zero_root.into_iter().collect();
    match list {
        [a, b] => roots.extend(b.recip().map(|r| -&(a * &r))),
        [a, b, c] => {
            let discriminant = &(b * b) - &(&(a * c) * &Rational::from(4));
            let root = if discriminant.is_zero() { Some(Rational::ZERO) } else { discriminant.exact_root(2) };
            if let (Some(root), Some(below)) = (root.filter(|_| !discriminant.is_negative()), (c + c).recip()) {
                roots.push(&(&root - b) * &below);
                roots.push(&(&-&root - b) * &below);
            }
        }
        [_] => {}
        _ => {
            let value = |x: &Rational| list.iter().rev().fold(Rational::ZERO, |sum, c| &(&sum * x) + c);
            let tried =
                (1..=12).flat_map(|n| (1..=6).flat_map(move |d| [Rational::ratio(n, d), Rational::ratio(-n, d)]));
            for x in tried {
                if value(&x).is_zero() && !roots.contains(&x) {
                    roots.push(x);
                }
            }
        }
    }
    roots.dedup();
    roots
}
