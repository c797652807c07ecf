//! Points on cells. A cell that SPLIT could not show to be empty is shown not to be by a point on it: rational
//! where one is found, else with [algebraic](super::algebraic_point) coordinates.
//!
//! Values are tried one generator at a time, from a short fixed list; after each the basis is computed anew. A
//! coordinate that also stands inside a function (q beside sin q) may only take values at which the
//! function's value is a rational number, so that no inconsistent pair is ever called a point. An angle that stands outside
//! its sine and cosine only where other coordinates can follow it needs no value: every pair on the unit circle is
//! the sine and cosine of some angle.

use super::super::decide::semidefinite;
use super::super::expr::Expr;
use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::roots::{count_real_roots, isolate_real_roots};
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::algebraic_point::{AlgebraicPoint, algebraic_point};
use super::cell::{Cell, Frame};
use super::{facts, taken};
use crate::algebra::Inquiry;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// Values of generators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplePoint {
    pub values: Vec<(u32, Rational)>,
}

/// Whether a cell has a real point.
#[derive(Clone, Debug)]
pub enum Witness {
    Point(SamplePoint),
    Algebraic(Box<AlgebraicPoint>),
    /// There is one, though its coordinates are not algebraic numbers.
    Exists(String),
    Unknown(String),
}

/// How many bases may be computed on the way to a point.
const MAX_TRIALS: usize = 240;

/// After so many, a choice of values that leaves an equation without real zeros is seen at once, and not by trying the others.
const PATIENCE: usize = 12;

/// How many points may be found in vain, whose values of functions are not taken.
const MAX_NOT_TAKEN: usize = 8;

/// Longer equations are not looked at for that.
const MAX_LOOKED_AT: usize = 40;

impl SamplePoint {
    pub fn value(&self, variable: u32) -> Option<&Rational> {
        self.values.iter().find(|(v, _)| *v == variable).map(|(_, x)| x)
    }

    /// The values of plain symbols.
    pub fn symbols(&self) -> Vec<(Symbol, Rational)> {
        self.values
            .iter()
            .filter_map(|(v, x)| match Generator(*v).kind() {
                Kind::Symbol(s) => Some((s, x.clone())),
                _ => None,
            })
            .collect()
    }

    /// `at x = 1, y = 0`: where it is; coordinates that are not named may be anything.
    pub fn place(&self) -> String {
        if self.values.is_empty() {
            return "at every point".into();
        }
        // With π for an unknown the others are not those of a point either.
        if self.values.iter().any(|(v, _)| taken::is_number(*v)) {
            return "with coordinates that are no rational numbers".into();
        }
        let list: Vec<String> = self.values.iter().map(|(v, x)| format!("{} = {x}", Generator(*v).meaning())).collect();
        format!("at {}", list.join(", "))
    }
}

/// A point on the cell, or the proof that there is one, or neither.
pub fn witness(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Witness> {
    // Parameters are generic in a sample too.
    let known = frame.domain_polynomials().into_iter().chain(frame.generic_polynomials());
    let avoid: Vec<Polynomial> = cell.nonzero().iter().cloned().chain(known).collect();
    let mut equations = cell.equations().to_vec();
    let in_play: Vec<Polynomial> = equations.iter().chain(&avoid).cloned().collect();
    equations.extend(super::basis::relations(&in_play));
    let asked = (cx.facts().id(), equations, avoid, frame.generators_in_play());
    if let Some(known) = frame.known_witness(&asked) {
        return Ok(known);
    }
    let (equations, avoid) = (asked.1.clone(), asked.2.clone());
    let given = &asked.1;
    let mut search =
        Search { frame, given, avoid, trials: 0, algebraic: None, has_angle: false, disobeyed: false, not_taken: 0 };
    let start = State { equations, point: SamplePoint::default() };
    let mut point = search.run(cx, start.clone())?;
    if point.is_none() && search.not_taken > 0 {
        point = search.run_with_coordinates(cx, &start)?;
    }
    let found = match point {
        Some(point) if search.has_angle => {
            Witness::Exists(format!("{}, with the angle that has these values", point.place()))
        }
        Some(point) => Witness::Point(point),
        None => match search.algebraic {
            Some(point) => Witness::Algebraic(Box::new(point)),
            None if search.not_taken > 0 => {
                Witness::Unknown("no point was found on it at which functions take the values they have to have".into())
            }
            None if search.disobeyed => Witness::Unknown("no point was found on it that obeys the assumptions".into()),
            None => Witness::Unknown("no point was found on it, and no rule shows that there is none".into()),
        },
    };
    frame.keep_witness(asked, &found);
    Ok(found)
}

/// A rational point on the cell, if one is found.
pub fn sample_point(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Budgeted<Option<SamplePoint>> {
    Ok(match witness(cx, frame, cell)? {
        Witness::Point(point) => Some(point),
        _ => None,
    })
}

/// Whether a value of this sign obeys the declared facts.
pub(super) fn is_allowed(cx: &Inquiry, variable: u32, sign: i32) -> bool {
    let known = Generator(variable).sign(cx);
    match sign {
        0 => known.can_be_zero,
        1 => known.can_be_positive,
        _ => known.can_be_negative,
    }
}

/// Whether an equation in one unknown has no real root: whatever the others are, there is no point then.
fn lacks_a_coordinate(cx: &Inquiry, state: &State) -> Budgeted<bool> {
    for e in &state.equations {
        if let [v] = e.variables()
            && e.degree_in(*v).is_multiple_of(2)
            && count_real_roots(cx, e, None, None)? == 0
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an unspecified function was given two values at the same argument: V(x) and V(y) where x = y.
fn has_two_values(point: &SamplePoint) -> bool {
    let is_unspecified = |v: u32| Generator(v).is_unspecified();
    if !point.values.iter().any(|(v, _)| is_unspecified(*v)) {
        return false;
    }
    let symbol = |(v, x): &(u32, Rational)| match Generator(*v).kind() {
        Kind::Symbol(s) => Some((s, Expr::number(x.clone()))),
        _ => None,
    };
    let map: FxHashMap<Symbol, Expr> = point.values.iter().filter_map(symbol).collect();
    let mut known: FxHashMap<Expr, &Rational> = FxHashMap::default();
    point.values.iter().filter(|(v, _)| is_unspecified(*v)).any(|(v, x)| {
        let here = substitute(Generator(*v).meaning(), &map);
        known.insert(here, x).is_some_and(|other| other != x)
    })
}

/// Whether one of the equations has no real zero, by a rule that is quick to ask.
fn is_plainly_empty(cx: &Inquiry, state: &State) -> Budgeted<bool> {
    for e in state.equations.iter().filter(|e| e.n_terms() <= MAX_LOOKED_AT && e.variables().len() > 1) {
        if semidefinite(cx, e)?.is_some_and(|found| found.has_no_zero()) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Search<'a> {
    frame: &'a Frame,
    /// The equations of the cell, with the relations of what occurs in them.
    given: &'a [Polynomial],
    avoid: Vec<Polynomial>,
    trials: usize,
    /// The first point with algebraic coordinates.
    algebraic: Option<AlgebraicPoint>,
    /// Whether an angle was left without a value.
    has_angle: bool,
    /// Whether there were points that are not known to obey the declared facts.
    disobeyed: bool,
    /// How many there were whose values of functions are not known to be taken.
    not_taken: usize,
}

#[derive(Clone)]
struct State {
    equations: Vec<Polynomial>,
    point: SamplePoint,
}

impl Search<'_> {
    /// Depth first with an explicit stack.
    fn run(&mut self, cx: &Inquiry, start: State) -> Budgeted<Option<SamplePoint>> {
        let mut stack = vec![start];
        // The first state with finitely many points, none of whose coordinates is given by an equation of its own: guesses will
        // hardly find one of them.
        let mut finite: Option<State> = None;
        while let Some(state) = stack.pop() {
            cx.check()?;
            let Some(state) = self.simplified(cx, state)? else { continue };
            if lacks_a_coordinate(cx, &state)? {
                continue;
            }
            if self.trials > PATIENCE && is_plainly_empty(cx, &state)? {
                continue;
            }
            let state = self.without_followed_angles(state);
            let Some(variable) = self.next_variable(&state) else {
                if has_two_values(&state.point) {
                    continue;
                }
                if !facts::hold_at(cx, &state.point.values, &[])? {
                    self.disobeyed = true;
                    continue;
                }
                if taken::are_taken(cx, self.given, &self.avoid, &state.point)? {
                    return Ok(Some(state.point));
                }
                self.not_taken += 1;
                if self.not_taken >= MAX_NOT_TAKEN {
                    break;
                }
                continue;
            };
            self.trials += 1;
            if self.trials > MAX_TRIALS {
                break;
            }
            let is_given = state.equations.iter().any(|e| e.variables() == [variable]);
            if !is_given && finite.is_none() && !state.equations.is_empty() && self.independent(cx, &state)?.is_none() {
                finite = Some(state.clone());
            }
            let mut variable = variable;
            let mut values = self.candidates(cx, &state, variable)?;
            if values.is_empty() && self.algebraic.is_none() {
                // No rational value: something else is given one, until finitely many points are left.
                match self.independent(cx, &state)? {
                    Some(free) => {
                        variable = free;
                        values = self.candidates(cx, &state, variable)?;
                    }
                    None => self.algebraic = self.algebraic_point(cx, &state)?,
                }
            }
            for value in values.into_iter().rev() {
                if let Some(next) = self.assign(cx, &state, variable, &value)? {
                    stack.push(next);
                }
            }
        }
        if let (None, Some(state)) = (&self.algebraic, &finite) {
            self.algebraic = self.algebraic_point(cx, state)?;
        }
        Ok(None)
    }

    /// The search again, with values for coordinates that stand inside functions only: there the functions belong together.
    fn run_with_coordinates(&mut self, cx: &Inquiry, start: &State) -> Budgeted<Option<SamplePoint>> {
        let in_play = self.frame.generators_in_play();
        let mut inside: Vec<Symbol> = in_play.iter().flat_map(|g| Generator(*g).meaning().symbols()).collect();
        inside.sort_unstable();
        inside.dedup();
        inside.retain(|s| self.functions_of(*s).next().is_some());
        for s in inside.into_iter().take(4) {
            for value in [Rational::ZERO, Rational::ONE] {
                let symbol = Generator::of_symbol(s).0;
                if !is_allowed(cx, symbol, value.signum()) {
                    continue;
                }
                if let Some(next) = self.assign(cx, start, symbol, &value)? {
                    self.not_taken = 1;
                    if let Some(point) = self.run(cx, next)? {
                        return Ok(Some(point));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The equations as a basis; `None` if they are contradictory or an inequation fails.
    fn simplified(&self, cx: &Inquiry, state: State) -> Budgeted<Option<State>> {
        let mut equations = Vec::new();
        for e in &state.equations {
            if e.is_constant() {
                if !e.is_zero() {
                    return Ok(None);
                }
            } else {
                equations.push(e.clone());
            }
        }
        for n in &self.avoid {
            if let Some(value) = n.evaluate(cx, &state.point.values)?.as_constant()
                && value.is_zero()
            {
                return Ok(None);
            }
        }
        if !equations.is_empty() {
            let basis = super::basis::Basis::over_rationals(cx, &equations)?;
            if basis.is_trivial() {
                return Ok(None);
            }
            equations = basis.elements().to_vec();
        }
        Ok(Some(State { equations, point: state.point }))
    }

    /// A generator that has no value yet, of those that matter: first the ones that an equation in one variable
    /// determines, then those outside all leading terms.
    fn next_variable(&self, state: &State) -> Option<u32> {
        if let Some(v) = state.equations.iter().find_map(|e| match e.variables() {
            [v] => Some(*v),
            _ => None,
        }) {
            return Some(v);
        }
        let open = |v: &u32| state.point.value(*v).is_none();
        let in_equations = state.equations.iter().flat_map(|e| e.variables().iter().copied());
        let in_avoid = self.avoid.iter().flat_map(|e| e.variables().iter().copied());
        let mut all: Vec<u32> = in_equations.chain(in_avoid).filter(open).collect();
        all.sort_unstable();
        all.dedup();
        // Functions before the symbols inside them, symbols that occur in high degree first: what remains is then
        // more often linear.
        let degree = |v: u32| state.equations.iter().map(|e| e.degree_in(v)).max().unwrap_or(0);
        all.into_iter()
            .max_by_key(|v| (self.is_coupled(*v) && !self.is_angle(*v, state), degree(*v), std::cmp::Reverse(*v)))
    }

    /// Whether the generator is a symbol of which only the sine and the cosine occur beside it, and stands in no
    /// inequation.
    fn is_angle(&self, variable: u32, state: &State) -> bool {
        let Kind::Symbol(s) = Generator(variable).kind() else { return false };
        let is_circular = |g: u32| match Generator(g).kind() {
            Kind::Sine(u) | Kind::Cosine(u) => u.as_symbol() == Some(s),
            _ => false,
        };
        self.functions_of(s).all(is_circular)
            && self.functions_of(s).next().is_some()
            && state.point.value(variable).is_none()
            && !self.avoid.iter().any(|n| n.variables().contains(&variable))
    }

    /// Leaves out the equations that only say how other coordinates follow an angle whose sine and cosine have values:
    /// each is solved, for every value of the angle, by a coordinate of its own.
    fn without_followed_angles(&mut self, mut state: State) -> State {
        let variables: Vec<u32> = state.equations.iter().flat_map(|e| e.variables().iter().copied()).collect();
        for angle in variables.into_iter().filter(|v| self.is_angle(*v, &state)).collect::<Vec<u32>>() {
            let Kind::Symbol(s) = Generator(angle).kind() else { continue };
            if self.functions_of(s).any(|g| state.point.value(g).is_none()) {
                continue;
            }
            let (with, without): (Vec<Polynomial>, Vec<Polynomial>) =
                state.equations.iter().cloned().partition(|e| e.variables().contains(&angle));
            let follows = |i: usize| {
                with[i].variables().iter().any(|v| {
                    let elsewhere = with.iter().enumerate().any(|(k, e)| k != i && e.variables().contains(v));
                    let avoided = self.avoid.iter().any(|n| n.variables().contains(v));
                    *v != angle
                        && !elsewhere
                        && !avoided
                        && !without.iter().any(|e| e.variables().contains(v))
                        && !self.is_coupled(*v)
                        && matches!(Generator(*v).kind(), Kind::Symbol(_))
                        && with[i].degree_in(*v) == 1
                        && with[i].coefficient_in(*v, 1).is_constant()
                })
            };
            if !with.is_empty() && (0..with.len()).all(follows) {
                self.has_angle = true;
                state.equations = without;
            }
        }
        state
    }

    /// Whether the generator is a symbol that also occurs inside another generator in play.
    fn is_coupled(&self, variable: u32) -> bool {
        let Kind::Symbol(s) = Generator(variable).kind() else { return false };
        self.functions_of(s).next().is_some()
    }

    /// Roots and absolute values do not count: their powers are polynomials, and these relations are among the equations.
    /// Nor does a function that nobody has specified.
    fn functions_of(&self, s: Symbol) -> impl Iterator<Item = u32> {
        let all = self.frame.generators_in_play();
        let is_independent = |g: u32| {
            let g = Generator(g);
            // The cube root is a root like the others.
            let is_root = matches!(g.kind(), Kind::Root { .. } | Kind::Absolute { .. })
                || matches!(g.kind(), Kind::Opaque) && g.relation().is_some();
            matches!(g.kind(), Kind::Symbol(_)) || is_root || g.is_unspecified()
        };
        all.into_iter().filter(move |g| !is_independent(*g) && Generator(*g).meaning().contains(s))
    }

    fn candidates(&mut self, cx: &Inquiry, state: &State, variable: u32) -> Budgeted<Vec<Rational>> {
        let univariate: Vec<&Polynomial> = state.equations.iter().filter(|e| e.variables() == [variable]).collect();
        // A point has to obey the declared facts, whether its coordinates are chosen or found.
        let allowed = |x: i32| is_allowed(cx, variable, x);
        if let Some(e) = univariate.first() {
            let mut roots: Vec<Rational> = isolate_real_roots(cx, e)?.iter().filter_map(|r| r.to_rational()).collect();
            roots.retain(|x| allowed(x.signum()));
            return Ok(roots);
        }
        if self.is_coupled(variable) {
            return Ok(vec![Rational::ZERO, Rational::ONE]);
        }
        let list = [(1, 1), (2, 1), (0, 1), (-1, 1), (3, 1), (1, 2), (3, 5), (-2, 1), (5, 1), (-3, 1), (4, 5), (7, 3)];
        let rotate = state.point.values.len() % 3;
        let mut values: Vec<Rational> = list.iter().map(|(a, b)| Rational::ratio(*a, *b)).collect();
        values[..3].rotate_left(rotate);
        values.retain(|x| allowed(x.signum()));
        Ok(values)
    }

    /// A variable that the equations leave free and that may be given any value.
    fn independent(&self, cx: &Inquiry, state: &State) -> Budgeted<Option<u32>> {
        let basis = super::basis::Basis::over_rationals(cx, &state.equations)?;
        let Some(inner) = basis.inner() else { return Ok(None) };
        let free = inner.independent_variables(cx)?.unwrap_or_default();
        let in_avoid = self.avoid.iter().flat_map(|n| n.variables().iter().copied());
        let elsewhere = in_avoid.filter(|v| !state.equations.iter().any(|e| e.contains(*v)));
        let open = |v: &u32| state.point.value(*v).is_none();
        let candidate = free.into_iter().chain(elsewhere).filter(open).min();
        Ok(candidate)
    }

    /// A point among finitely many, if no coordinate stands inside a function.
    fn algebraic_point(&mut self, cx: &Inquiry, state: &State) -> Budgeted<Option<AlgebraicPoint>> {
        // √3 is a coordinate of the point like the others, with its equation and its sign.
        let is_plain = |v: &u32| match Generator(*v).kind() {
            Kind::Symbol(_) => !self.is_coupled(*v),
            // Its equation stands among the others.
            Kind::Root { radicand, .. } => radicand.variables().iter().all(|v| self.is_polynomial(*v)),
            // Every point of the circle, and of the branch cosh > 0 of the hyperbola, belongs to an angle.
            Kind::Sine(u) | Kind::Cosine(u) | Kind::HyperbolicSine(u) | Kind::HyperbolicCosine(u) => {
                u.as_symbol().is_some_and(|s| self.is_alone(s, *v, state))
            }
            _ => false,
        };
        if !state.equations.iter().flat_map(|e| e.variables()).all(is_plain) {
            return Ok(None);
        }
        let found = algebraic_point(cx, &state.equations, &self.avoid, &state.point, |x, y| is_allowed(cx, x, y))?;
        self.disobeyed |= found.is_none() && !cx.facts().is_empty();
        Ok(found)
    }

    /// Whether nothing but powers of this generator depends on it: a symbol that stands in no function but roots, or such a root.
    fn is_polynomial(&self, variable: u32) -> bool {
        match Generator(variable).kind() {
            Kind::Symbol(_) => !self.is_coupled(variable),
            Kind::Root { radicand, .. } => radicand.variables().iter().all(|v| self.is_polynomial(*v)),
            _ => false,
        }
    }

    /// Whether of all functions of the symbol only this one and its partner are in play, and the symbol itself is not.
    fn is_alone(&self, s: Symbol, v: u32, state: &State) -> bool {
        let itself = Generator::of_symbol(s).0;
        let stands = |list: &[Polynomial]| list.iter().any(|p| p.contains(itself));
        let sine = |g: u32| match Generator(g).kind() {
            Kind::Cosine(_) | Kind::HyperbolicCosine(_) => g - 1,
            _ => g,
        };
        !stands(&state.equations)
            && !stands(&self.avoid)
            && state.point.value(itself).is_none()
            && self.functions_of(s).all(|g| sine(g) == sine(v))
    }

    fn assign(&self, cx: &Inquiry, state: &State, variable: u32, value: &Rational) -> Budgeted<Option<State>> {
        let mut new = vec![(variable, value.clone())];
        if let Kind::Symbol(s) = Generator(variable).kind() {
            for g in self.functions_of(s) {
                let at = substitute(Generator(g).meaning(), &FxHashMap::from_iter([(s, Expr::number(value.clone()))]));
                match at.as_number() {
                    Some(x) => new.push((g, x.clone())),
                    None => return Ok(None),
                }
            }
        }
        for (g, x) in &new {
            if state.point.value(*g).is_some_and(|known| known != x) {
                return Ok(None);
            }
        }
        let equations = state.equations.iter().map(|e| e.evaluate(cx, &new)).collect::<Budgeted<Vec<_>>>()?;
        let mut point = state.point.clone();
        for (g, x) in new {
            if point.value(g).is_none() {
                point.values.push((g, x));
            }
        }
        Ok(Some(State { equations, point }))
    }
}
