//! Where a motion starts, and whether it may start there.
//!
//! What `from` leaves out is 0. On a submanifold that is not always possible: then derivatives that were left out follow from
//! the rest if they can, the highest first, so that positions stay 0. If positions must move, they are found first, from the
//! equations between positions; then the velocities, from those with velocities, and so on, level by level. The values that move
//! are those nearest to 0 on the submanifold, found by Newton's method with the shortest step,
//!
//! ```text
//! x ← x − Jᵀ (J Jᵀ)⁻¹ g(x),      J = ∂g/∂x in the values left out.
//! ```
//!
//! Values that were given are never changed. When they do not fit, the refusal shows how far off they are, and the
//! nearest state that does.

use super::law::{Body, Derivatives, Law, with_bodies};
use super::numbers::Numbers;
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol};
use crate::codegen::interpret;
use crate::codegen::ir::Kernel;
use crate::codegen::lower::{self, Obstacle, Signature};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::geometry::jet::underlying_jet;
use crate::report::table::short;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What `from` says: values, each with its place, and the place of them all.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub values: &'a [(Symbol, Expr, Span)],
    pub span: Span,
}

/// A time and a state; which of its values were given.
#[derive(Clone, Debug)]
pub struct Start {
    pub time: f64,
    pub state: Vec<f64>,
    pub given: Vec<bool>,
}

/// A time and a state as expressions in parameters: what `from` says, before the parameters have values.
pub struct StartFormulas {
    pub time: (Expr, Span),
    /// For each state; 0 where nothing was given.
    pub state: Vec<(Expr, Span)>,
    pub given: Vec<bool>,
}

impl Start {
    /// The state that `from` describes.
    pub fn read(cx: &Inquiry, law: &Law, given: Given, numbers: &Numbers) -> Fallible<Start> {
        let formulas = StartFormulas::read(law, given)?;
        let number = |(e, span): &(Expr, Span)| numbers.number_at(cx, *e, *span);
        let state = formulas.state.iter().map(number).collect::<Fallible<_>>()?;
        Ok(Start { time: number(&formulas.time)?, state, given: formulas.given })
    }
}

impl StartFormulas {
    pub fn read(law: &Law, given: Given) -> Fallible<StartFormulas> {
        let n = law.states.len();
        let nothing = (Expr::zero(), given.span);
        let mut start = StartFormulas { time: nothing, state: vec![nothing; n], given: vec![false; n] };
        let jets = start.momenta_of_jets(law, given);
        for (symbol, value, span) in given.values.iter().filter(|(s, _, _)| !jets.contains(s)) {
            if *symbol == law.time() {
                start.time = (*value, *span);
            } else if let Some(i) = law.states.iter().position(|s| s == symbol) {
                (start.state[i], start.given[i]) = ((*value, *span), true);
            } else {
                return Err(not_a_state(law, *symbol, *span));
            }
        }
        Ok(start)
    }

    /// In canonical coordinates velocities may be given instead of momenta: the Legendre transformation of the jets
    /// gives them. The result are the jets that were used.
    fn momenta_of_jets(&mut self, law: &Law, given: Given) -> Vec<Symbol> {
        let is_given = |symbol: &Symbol| given.values.iter().any(|(s, _, _)| s == symbol);
        let is_jet = |s: &Symbol| s.as_jet().is_some_and(|(c, _)| law.manifold.fibre(c).is_some());
        let jets: Vec<Symbol> =
            given.values.iter().map(|(s, _, _)| *s).filter(|s| is_jet(s) && !law.states.contains(s)).collect();
        if jets.is_empty() || law.momenta.is_empty() || law.momenta.iter().any(|(p, _)| is_given(p)) {
            return vec![];
        }
        // What is not given is 0, as everywhere in an initial state.
        let functions: Vec<Expr> = law.momenta.iter().map(|(_, f)| *f).collect();
        let symbols = crate::algebra::expr::symbols_of(&functions).into_iter();
        let mut point: FxHashMap<Symbol, Expr> =
            symbols.filter(|s| is_jet(s) || *s == law.time()).map(|s| (s, Expr::zero())).collect();
        point.extend(given.values.iter().map(|(s, value, _)| (*s, *value)));
        for (p, function) in &law.momenta {
            if let Some(i) = law.states.iter().position(|s| s == p) {
                (self.state[i], self.given[i]) = ((substitute(*function, &point), given.span), true);
            }
        }
        jets
    }
}

pub fn not_a_state(law: &Law, symbol: Symbol, span: Span) -> Box<Diagnostic> {
    let names: Vec<String> = law.states.iter().map(|s| s.name()).collect();
    Box::new(
        Diagnostic::error(&codes::NO_EFFECT, format!("`{symbol}` is not a state of this motion"))
            .label(span, "has no effect")
            .note(format!("the states are {}", names.join(", "))),
    )
}

/// Which part of a surface is meant, where its equations have several roots.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// What holds there; equations are not among them.
    pub conditions: Vec<Condition>,
    /// States on it, as far as they are known: the search begins there.
    pub places: Vec<Vec<Option<f64>>>,
    /// The states that differ from one side to the other, where that is known: they are looked for before others move.
    pub dependent: Vec<Symbol>,
}

impl Side {
    /// Where these do not vanish.
    pub fn off(nonzero: &[Expr]) -> Side {
        Side { conditions: nonzero.iter().map(|e| Condition::nonzero(*e)).collect(), ..Side::default() }
    }

    /// What is evaluated to find out whether a state lies there.
    pub fn functions(&self) -> impl Iterator<Item = Expr> + '_ {
        self.conditions.iter().map(|c| c.left)
    }

    fn with_bodies(&self, cx: &Inquiry, bodies: &[Body]) -> Side {
        let put = |c: &Condition| Condition { left: with_bodies(cx, c.left, bodies), ..*c };
        Side { conditions: self.conditions.iter().map(put).collect(), ..self.clone() }
    }
}

/// Equations g = 0 on the states and the side of them that is meant, with the Jacobian of g, ready to be evaluated.
pub struct Surface {
    pub equations: Vec<Expr>,
    conditions: Vec<Condition>,
    sheet: Sheet,
    parameters: Vec<f64>,
}

/// The numbers of a surface, for any values of its parameters.
pub struct Sheet {
    kernel: Kernel,
    /// How often each state is a derivative.
    orders: Vec<u32>,
    /// The highest of these orders in each equation.
    levels: Vec<u32>,
    /// The states that occur in some equation.
    occurs: Vec<bool>,
    /// How the functions that say which side is meant compare with 0, and where states on it are known.
    relations: Vec<Relation>,
    places: Vec<Vec<Option<f64>>>,
    dependent: Vec<bool>,
}

/// A surface at some values of its parameters.
pub struct Leaf<'a> {
    sheet: &'a Sheet,
    parameters: &'a [f64],
}

/// Why a state does not lie on a surface.
#[derive(Clone, Debug)]
pub struct Off {
    /// The equations that are violated, with their residuals.
    pub residuals: Vec<(Expr, f64)>,
    /// What should hold of the side that is meant, and does not.
    pub violated: Vec<Condition>,
    /// The nearest state on the surface, if one was found.
    pub nearest: Option<Vec<f64>>,
}

/// Digits to which given values must fit, so that decimals may be typed.
const FIT: f64 = 1e-10;

/// A state that is searched for on one side lies this far from its end.
const AWAY: f64 = 1e-6;

impl Surface {
    pub fn new(
        cx: &Inquiry,
        branch: &Branch,
        bodies: &[Body],
        signature: &Signature,
        parameters: &[f64],
    ) -> Result<Surface, Obstacle> {
        Surface::on_side(cx, &branch.equations, &Side::off(&branch.nonzero), bodies, signature, parameters)
    }

    pub fn on_side(
        cx: &Inquiry,
        equations: &[Expr],
        side: &Side,
        bodies: &[Body],
        signature: &Signature,
        parameters: &[f64],
    ) -> Result<Surface, Obstacle> {
        let equations: Vec<Expr> = equations.iter().map(|e| with_bodies(cx, *e, bodies)).collect();
        let side = side.with_bodies(cx, bodies);
        let sheet = Sheet::new(cx, &equations, &side, signature)?;
        Ok(Surface { equations, conditions: side.conditions, sheet, parameters: parameters.to_vec() })
    }

    /// Whether a state lies on it as it is.
    pub fn holds(&self, start: &Start) -> bool {
        self.sheet.at(&self.parameters).fits(start.time, &start.state, FIT)
    }

    /// What a displacement of a state has along the surface.
    pub fn tangent(&self, t: f64, state: &[f64], vector: &[f64]) -> Option<Vec<f64>> {
        self.sheet.at(&self.parameters).tangent(t, state, vector)
    }

    /// Fills in what `from` left out. The result says what was filled in, or how far the state is off.
    pub fn settle(&self, start: &Start, states: &[Symbol]) -> Result<(Start, Vec<(Symbol, f64)>), Off> {
        let leaf = self.sheet.at(&self.parameters);
        if let Some(state) = leaf.settle(start) {
            let filled = states.iter().copied().zip(&state).zip(&start.state);
            let filled = filled.filter(|((_, x), old)| x != old).map(|((s, x), _)| (s, *x)).collect();
            return Ok((Start { state, ..start.clone() }, filled));
        }
        let (g, slopes, values) = leaf.evaluate(start.time, &start.state);
        let fits = |i: usize| g[i].abs() <= FIT * leaf.scale(&slopes, i, &start.state);
        let conditions = self.conditions.iter().zip(&values);
        Err(Off {
            residuals: (0..g.len()).filter(|i| !fits(*i)).map(|i| (self.equations[i], g[i])).collect(),
            violated: conditions.filter(|(c, x)| !holds(c.relation, **x)).map(|(c, _)| *c).collect(),
            nearest: leaf.nearest(start.time, &start.state),
        })
    }
}

impl Sheet {
    pub fn new(cx: &Inquiry, equations: &[Expr], side: &Side, signature: &Signature) -> Result<Sheet, Obstacle> {
        let states = &signature.states;
        let slopes = equations.iter().flat_map(|g| states.iter().map(move |x| partial(cx, *g, *x)));
        let outputs = equations.iter().copied().chain(slopes).chain(side.functions());
        let outputs: Vec<(String, Expr)> = outputs.enumerate().map(|(i, e)| (i.to_string(), e)).collect();
        let kernel = lower::expressions("surface", signature, &outputs)?;
        let order = |s: &Symbol| underlying_jet(*s).map_or(0, |(_, order)| order);
        let level = |e: &Expr| e.symbols().iter().filter(|s| states.contains(s)).map(order).max().unwrap_or(0);
        let orders = states.iter().map(order).collect();
        let levels = equations.iter().map(level).collect();
        let occurs = states.iter().map(|s| equations.iter().any(|e| e.contains(*s))).collect();
        let relations = side.conditions.iter().map(|c| c.relation).collect();
        let dependent = states.iter().map(|s| side.dependent.contains(s)).collect();
        Ok(Sheet { kernel, orders, levels, occurs, relations, places: side.places.clone(), dependent })
    }

    pub fn at<'a>(&'a self, parameters: &'a [f64]) -> Leaf<'a> {
        Leaf { sheet: self, parameters }
    }
}

impl Leaf<'_> {
    /// The number of states.
    fn n(&self) -> usize {
        self.sheet.orders.len()
    }

    /// Residuals, Jacobian row by row, values of the functions in the conditions.
    fn evaluate(&self, t: f64, state: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut out = vec![f64::NAN; self.sheet.kernel.outputs().len()];
        // What has no value stays NaN, and NaN fits nowhere.
        let _ = interpret::evaluate(&self.sheet.kernel, [&[t], state, self.parameters, &[]], &mut out);
        let values = out.split_off(self.sheet.levels.len() * (1 + self.n()));
        let slopes = out.split_off(self.sheet.levels.len());
        (out, slopes, values)
    }

    /// Whether a state lies on the surface.
    fn fits(&self, t: f64, state: &[f64], digits: f64) -> bool {
        let rows: Vec<usize> = (0..self.sheet.levels.len()).collect();
        self.fit(&rows, t, state, digits) && self.is_on_side(&self.evaluate(t, state).2)
    }

    fn is_on_side(&self, values: &[f64]) -> bool {
        self.sheet.relations.iter().zip(values).all(|(relation, x)| holds(*relation, *x))
    }

    /// 1 + Σ |∂g/∂x| |x|: the size of the terms of an equation.
    fn scale(&self, slopes: &[f64], i: usize, state: &[f64]) -> f64 {
        let row = &slopes[i * self.n()..(i + 1) * self.n()];
        1.0 + row.iter().zip(state).map(|(s, x)| (s * x).abs()).sum::<f64>()
    }

    /// What a displacement has along the surface: v − Jᵀ (J Jᵀ)⁻¹ J v.
    fn tangent(&self, t: f64, state: &[f64], vector: &[f64]) -> Option<Vec<f64>> {
        let (g, slopes, _) = self.evaluate(t, state);
        let row = |i: usize| &slopes[i * self.n()..(i + 1) * self.n()];
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let k = g.len();
        let mut gram: Vec<f64> = (0..k * k).map(|p| product(row(p / k), row(p % k))).collect();
        // Equations may repeat each other; a trace of the identity decides between them.
        let trace: f64 = (0..k).map(|i| gram[i * k + i]).sum();
        (0..k).for_each(|i| gram[i * k + i] += 1e-15 * trace);
        let right: Vec<f64> = (0..k).map(|i| product(row(i), vector)).collect();
        let lambda = solve(&mut gram, &right)?;
        Some((0..self.n()).map(|j| vector[j] - (0..k).map(|i| row(i)[j] * lambda[i]).sum::<f64>()).collect())
    }

    /// The state nearest to `state` on the surface, moving only the values that are free.
    fn project(&self, t: f64, state: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        self.project_on(&vec![true; self.sheet.levels.len()], t, state, free)
    }

    /// The same for some of the equations.
    fn project_on(&self, active: &[bool], t: f64, state: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        let mut x = state.to_vec();
        let rows: Vec<usize> = (0..self.sheet.levels.len()).filter(|i| active[*i]).collect();
        for _ in 0..60 {
            if self.fit(&rows, t, &x, 1e-14) {
                return Some(x);
            }
            let (g, slopes, _) = self.evaluate(t, &x);
            let g: Vec<f64> = rows.iter().map(|i| g[*i]).collect();
            let k = g.len();
            let column = |i: usize, j: usize| if free[j] { slopes[rows[i] * self.n() + j] } else { 0.0 };
            let mut gram = vec![0.0; k * k];
            for (i, row) in gram.chunks_mut(k.max(1)).enumerate() {
                for (l, entry) in row.iter_mut().enumerate() {
                    *entry = (0..self.n()).map(|j| column(i, j) * column(l, j)).sum();
                }
            }
            // Equations may repeat each other; a trace of the identity decides between them.
            let trace: f64 = (0..k).map(|i| gram[i * k + i]).sum();
            (0..k).for_each(|i| gram[i * k + i] += 1e-13 * trace);
            let lambda = solve(&mut gram, &g)?;
            let step = |j: usize| (0..k).map(|i| column(i, j) * lambda[i]).sum::<f64>();
            let moved: Vec<f64> = (0..self.n()).map(|j| x[j] - step(j)).collect();
            if moved.iter().any(|v| !v.is_finite()) {
                return None;
            }
            x = moved;
        }
        self.fit(&rows, t, &x, 1e-12).then_some(x)
    }

    /// Whether a state satisfies some of the equations.
    fn fit(&self, rows: &[usize], t: f64, state: &[f64], digits: f64) -> bool {
        let (g, slopes, _) = self.evaluate(t, state);
        rows.iter().all(|i| g[*i].abs() <= digits * self.scale(&slopes, *i, state))
    }

    /// Begins the search for free values at a place of its own for each; what occurs in no equation stays 0.
    fn plant(&self, state: &mut [f64], seed: f64, free: &[bool]) {
        for (i, x) in state.iter_mut().enumerate().filter(|(i, _)| free[*i] && self.sheet.occurs[*i]) {
            *x = seed * (1.0 + i as f64 / 16.0);
        }
    }

    /// Level by level: positions from the equations between positions, from this seed; then velocities, nearest to 0; and so on.
    fn level_by_level(&self, start: &Start, seed: f64) -> Option<Vec<f64>> {
        let Sheet { orders, levels, .. } = self.sheet;
        let highest = orders.iter().copied().max().unwrap_or(0);
        let mut state = start.state.clone();
        for level in 0..=highest {
            let active: Vec<bool> = levels.iter().map(|k| *k == level).collect();
            let free: Vec<bool> =
                orders.iter().zip(&start.given).map(|(order, given)| !given && *order == level).collect();
            if level == 0 {
                self.plant(&mut state, seed, &free);
            }
            let moved = self.project_on(&active, start.time, &state, &free)?;
            // Where the free values hardly move an equation, as at a double root, what they reach is rounding.
            let (_, slopes, _) = self.evaluate(start.time, &moved);
            for i in (0..active.len()).filter(|i| active[*i] && moved != state) {
                let row = &slopes[i * self.n()..(i + 1) * self.n()];
                let size = |keep: &dyn Fn(usize) -> bool| {
                    row.iter().enumerate().filter(|(j, _)| keep(*j)).map(|(_, s)| s * s).sum::<f64>()
                };
                if size(&|j| free[j]) < 1e-10 * size(&|_| true) {
                    return None;
                }
            }
            state = moved;
        }
        Some(state)
    }

    /// The nearest state on the side that is meant; where the way to the nearest one leads elsewhere, from other places.
    fn nearest(&self, t: f64, from: &[f64]) -> Option<Vec<f64>> {
        let free = vec![true; self.n()];
        let planted = self.seeds().into_iter().map(|seed| {
            let mut guess = from.to_vec();
            self.plant(&mut guess, seed, &free);
            guess
        });
        let known = self.known_places(from, &free);
        let found = [from.to_vec()].into_iter().chain(known).chain(planted);
        let mut found = found.filter_map(|guess| self.nearest_from(t, from, &guess));
        if self.sheet.relations.is_empty() {
            return found.next();
        }
        let distance = |a: &[f64]| a.iter().zip(from).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let on_side = found.filter(|x| self.is_on_side(&self.evaluate(t, x).2));
        on_side.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Stationary for |x − x₀|² under g = 0, by x ← x₀ − Jᵀ (J Jᵀ)⁻¹ (g + J (x₀ − x)); where that does not settle, the state that Newton's
    /// method reaches.
    fn nearest_from(&self, t: f64, from: &[f64], guess: &[f64]) -> Option<Vec<f64>> {
        let reached = self.project(t, guess, &vec![true; self.n()])?;
        let mut x = reached.clone();
        for _ in 0..400 {
            let (g, slopes, _) = self.evaluate(t, &x);
            let k = g.len();
            let row = |i: usize| &slopes[i * self.n()..(i + 1) * self.n()];
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let back: Vec<f64> = from.iter().zip(&x).map(|(a, b)| a - b).collect();
            let right: Vec<f64> = (0..k).map(|i| g[i] + dot(row(i), &back)).collect();
            let mut gram: Vec<f64> = (0..k * k).map(|ij| dot(row(ij / k), row(ij % k))).collect();
            let trace: f64 = (0..k).map(|i| gram[i * k + i]).sum();
            (0..k).for_each(|i| gram[i * k + i] += 1e-13 * trace);
            let Some(lambda) = solve(&mut gram, &right) else { return Some(reached) };
            let step = |j: usize| (0..k).map(|i| row(i)[j] * lambda[i]).sum::<f64>();
            let next: Vec<f64> = (0..self.n()).map(|j| from[j] - step(j)).collect();
            let moved = next.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if !moved.is_finite() {
                return Some(reached);
            }
            x = next;
            if moved < 1e-14 * (1.0 + x.iter().fold(0.0f64, |m, v| m.max(v.abs()))) {
                break;
            }
        }
        let distance = |a: &[f64]| a.iter().zip(from).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let settled = self.project(t, &x, &vec![true; self.n()]);
        settled.filter(|x| distance(x) <= distance(&reached)).or(Some(reached))
    }

    /// A state on the surface in which everything that was given is as it was given.
    pub fn settle(&self, start: &Start) -> Option<Vec<f64>> {
        if self.fits(start.time, &start.state, FIT) {
            return Some(start.state.clone());
        }
        let free: Vec<bool> = start.given.iter().map(|g| !g).collect();
        let orders = &self.sheet.orders;
        let highest = orders.iter().copied().max().unwrap_or(0);
        let above = |least: u32| orders.iter().zip(&free).map(|(order, free)| *free && *order >= least).collect();
        let seeds = self.seeds();
        if !self.sheet.relations.is_empty() && self.sheet.dependent.contains(&true) {
            let moved: Vec<bool> = free.iter().zip(&self.sheet.dependent).map(|(a, b)| *a && *b).collect();
            let planted = seeds.iter().map(|seed| {
                let mut guess = start.state.clone();
                self.plant(&mut guess, *seed, &moved);
                guess
            });
            let places = self.known_places(&start.state, &moved).into_iter().chain(planted);
            let mut found = places.filter_map(|guess| self.project(start.time, &guess, &moved));
            if let Some(state) = found.find(|state| self.is_found(start.time, state)) {
                return Some(state);
            }
            // The equations hold, and no other root is on the side that is meant.
            let rows: Vec<usize> = (0..self.sheet.levels.len()).collect();
            if self.fit(&rows, start.time, &start.state, FIT) {
                return None;
            }
        }
        let derivatives = seeds.iter().flat_map(|seed| (1..=highest).rev().map(move |least| (*seed, least)));
        let derivatives = derivatives.map(|(seed, least)| (seed, above(least)));
        let all: Vec<(f64, Vec<bool>)> = seeds.iter().map(|seed| (*seed, free.clone())).collect();
        let at_once = |(seed, free): (f64, Vec<bool>)| {
            let mut guess = start.state.clone();
            self.plant(&mut guess, seed, &free);
            self.project(start.time, &guess, &free)
        };
        let known = self.known_places(&start.state, &free);
        let near = known.into_iter().map(|guess| self.project(start.time, &guess, &free));
        let in_levels = seeds.iter().map(|seed| self.level_by_level(start, *seed));
        let candidates = near.chain(derivatives.map(at_once)).chain(in_levels).chain(all.into_iter().map(at_once));
        candidates.flatten().find(|state| self.is_found(start.time, state))
    }

    /// Whether a state that was searched for lies on the surface, and on its side by more than the rounding at a double root.
    fn is_found(&self, t: f64, state: &[f64]) -> bool {
        let far = |relation: Relation, x: f64| match relation {
            Relation::Less | Relation::Greater => x.abs() > AWAY,
            _ => true,
        };
        self.fits(t, state, FIT)
            && self.sheet.relations.iter().zip(self.evaluate(t, state).2).all(|(relation, x)| far(*relation, x))
    }

    /// Where the search begins: at 0; where that is a singular point of the equations, at other places that are always the same, and at
    /// more of them where one side is meant.
    fn seeds(&self) -> Vec<f64> {
        let everywhere = [0.0, 1.0, -1.0, 0.37];
        let on_one_side = [2.0, -2.0, 3.0, -3.0, 5.0, -5.0, 10.0, -10.0];
        let more = if self.sheet.relations.is_empty() { &[][..] } else { &on_one_side };
        everywhere.iter().chain(more).copied().collect()
    }

    /// The state with what is free put where a state on the side is known.
    fn known_places(&self, state: &[f64], free: &[bool]) -> Vec<Vec<f64>> {
        let put = |place: &Vec<Option<f64>>| {
            let values = place.iter().zip(state).zip(free);
            values.map(|((known, x), free)| known.filter(|_| *free).unwrap_or(*x)).collect()
        };
        self.sheet.places.iter().map(put).collect()
    }
}

/// Whether a comparison with 0 holds of a number, up to rounding where 0 is allowed.
fn holds(relation: Relation, x: f64) -> bool {
    match relation {
        Relation::Equal => x.abs() <= FIT,
        Relation::NotEqual => x.abs() > 0.0,
        Relation::Less => x < 0.0,
        Relation::LessEqual => x <= FIT,
        Relation::Greater => x > 0.0,
        Relation::GreaterEqual => x >= -FIT,
    }
}

impl Off {
    /// How far the state is off, altogether: the measure by which one of several surfaces is named.
    pub fn distance(&self, start: &Start) -> f64 {
        match &self.nearest {
            Some(nearest) => nearest.iter().zip(&start.state).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt(),
            None => f64::INFINITY,
        }
    }

    /// The refusal, with the evidence and the nearest state.
    pub fn diagnostic(&self, law: &Law, start: &Start, from: Span, system: Span) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::error(&codes::OFF_CONSTRAINT, "the initial state does not lie where this system moves")
                .label(from, "this initial state");
        diagnostic = diagnostic.label(system, "of this system");
        for (equation, residual) in &self.residuals {
            let size = if residual.is_finite() { short(*residual) } else { "not a number".to_string() };
            diagnostic = diagnostic.note(format!("{equation} = 0 is violated: the left side is {size}"));
        }
        for Condition { relation, left } in &self.violated {
            diagnostic = diagnostic.note(format!("{left} {} 0 is violated", relation.text()));
        }
        match &self.nearest {
            Some(nearest) => {
                // Zero up to rounding is zero.
                let size = nearest.iter().chain(&start.state).fold(1.0f64, |m, x| m.max(x.abs()));
                let nearest = nearest.iter().map(|x| if x.abs() < 1e-12 * size { 0.0 } else { *x });
                let entries = law.states.iter().zip(nearest).zip(&start.state).zip(&start.given);
                let shown: Vec<String> = entries
                    .filter(|(((_, x), old), given)| *x != **old || **given)
                    .map(|(((s, x), _), _)| format!("{s} = {}", short(x)))
                    .collect();
                diagnostic.help(format!("the nearest state on it is `from {}`", shown.join(", ")))
            }
            None => diagnostic.help("`dynamics(S)` says where it moves"),
        }
    }
}

/// The matrix B of a law, ready to be evaluated.
pub struct LeadingMatrix {
    /// `None` when it is singular whatever its entries are.
    kernel: Option<Kernel>,
    m: usize,
}

impl LeadingMatrix {
    /// `None` for a law that solves nothing, or a matrix of numbers that is never singular.
    pub fn new(law: &Law, signature: &Signature) -> Result<Option<LeadingMatrix>, Obstacle> {
        let Derivatives::Implicit { b, .. } = &law.derivatives else { return Ok(None) };
        let m = b.len();
        let there = |row: &[Expr]| (0..m).filter(|j| !row[*j].is_zero()).collect::<Vec<usize>>();
        let there: Vec<Vec<usize>> = b.iter().map(|row| there(row)).collect();
        let mut columns = vec![false; m];
        there.iter().flatten().for_each(|j| columns[*j] = true);
        if there.iter().any(Vec::is_empty) || columns.contains(&false) {
            return Ok(Some(LeadingMatrix { kernel: None, m }));
        }
        if there.iter().enumerate().all(|(i, row)| row[..] == [i] && b[i][i].is_number()) {
            return Ok(None);
        }
        let entries: Vec<(String, Expr)> = b.iter().flatten().map(|e| (String::new(), *e)).collect();
        Ok(Some(LeadingMatrix { kernel: Some(lower::expressions("matrix", signature, &entries)?), m }))
    }

    /// Whether it has no usable inverse: structurally, or to the precision of doubles.
    pub fn is_singular(&self, t: f64, state: &[f64], parameters: &[f64]) -> bool {
        let Some(kernel) = &self.kernel else { return true };
        let mut matrix = vec![0.0; self.m * self.m];
        let _ = interpret::evaluate(kernel, [&[t], state, parameters, &[]], &mut matrix);
        // Where B itself has no value the run says which expression has none.
        matrix.iter().all(|x| x.is_finite()) && reciprocal_condition(&mut matrix, self.m) < 1e-12
    }
}

/// Expressions at the start; what has no value there is NaN.
pub fn values_at(
    list: &[Expr],
    signature: &Signature,
    parameters: &[f64],
    start: &Start,
) -> Result<Vec<f64>, Obstacle> {
    let named: Vec<(String, Expr)> = list.iter().map(|e| (String::new(), *e)).collect();
    let kernel = lower::expressions("values", signature, &named)?;
    let mut values = vec![f64::NAN; list.len()];
    let _ = interpret::evaluate(&kernel, [&[start.time], &start.state, parameters, &[]], &mut values);
    Ok(values)
}

/// Whether B has no usable inverse at the start.
pub fn is_singular_at(law: &Law, signature: &Signature, parameters: &[f64], start: &Start) -> Result<bool, Obstacle> {
    let matrix = LeadingMatrix::new(law, signature)?;
    Ok(matrix.is_some_and(|matrix| matrix.is_singular(start.time, &start.state, parameters)))
}

/// The smallest over the largest pivot, after every row has been divided by its largest entry.
fn reciprocal_condition(matrix: &mut [f64], m: usize) -> f64 {
    for row in matrix.chunks_mut(m) {
        let size = row.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        if size == 0.0 {
            return 0.0;
        }
        row.iter_mut().for_each(|x| *x /= size);
    }
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for k in 0..m {
        let best = (k..m).max_by(|i, j| matrix[i * m + k].abs().total_cmp(&matrix[j * m + k].abs())).unwrap_or(k);
        (0..m).for_each(|j| matrix.swap(k * m + j, best * m + j));
        let pivot = matrix[k * m + k];
        (least, most) = (least.min(pivot.abs()), most.max(pivot.abs()));
        if pivot == 0.0 {
            return 0.0;
        }
        for i in k + 1..m {
            // Most entries of a large matrix are not there.
            if matrix[i * m + k] != 0.0 {
                let factor = matrix[i * m + k] / pivot;
                (k..m).for_each(|j| matrix[i * m + j] -= factor * matrix[k * m + j]);
            }
        }
    }
    least / most
}

/// The solution of a small linear system, by elimination with pivots.
fn solve(matrix: &mut [f64], right: &[f64]) -> Option<Vec<f64>> {
    let m = right.len();
    let mut x = right.to_vec();
    for k in 0..m {
        let best = (k..m).max_by(|i, j| matrix[i * m + k].abs().total_cmp(&matrix[j * m + k].abs()))?;
        (0..m).for_each(|j| matrix.swap(k * m + j, best * m + j));
        x.swap(k, best);
        let pivot = matrix[k * m + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        for i in k + 1..m {
            let factor = matrix[i * m + k] / pivot;
            (k..m).for_each(|j| matrix[i * m + j] -= factor * matrix[k * m + j]);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..m).rev() {
        let rest: f64 = (k + 1..m).map(|j| matrix[k * m + j] * x[j]).sum();
        x[k] = (x[k] - rest) / matrix[k * m + k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;

    fn circle(cx: &Inquiry) -> (Surface, Vec<Symbol>) {
        let (x, y) = (Coordinate::declare("x", false).jet(0), Coordinate::declare("y", false).jet(0));
        let g = Expr::symbol(x).pow(2) + Expr::symbol(y).pow(2) - 1;
        let signature = Signature { states: vec![x, y], ..Signature::default() };
        let branch = Branch { equations: vec![g], nonzero: vec![] };
        (Surface::new(cx, &branch, &[], &signature, &[]).unwrap(), vec![x, y])
    }

    #[test]
    fn what_was_left_out_is_filled_in_and_what_was_given_stays() {
        let cx = &Inquiry::free();
        let (surface, states) = circle(cx);
        let start = Start { time: 0.0, state: vec![0.6, 0.0], given: vec![true, false] };
        let (settled, filled) = surface.settle(&start, &states).unwrap();
        assert_eq!(settled.state[0], 0.6);
        assert!((settled.state[1].abs() - 0.8).abs() < 1e-14);
        assert_eq!(filled.len(), 1);
    }

    /// The point of the unit circle nearest to (3, 4) is (3/5, 4/5).
    #[test]
    fn the_nearest_state_is_offered() {
        let cx = &Inquiry::free();
        let (surface, states) = circle(cx);
        let start = Start { time: 0.0, state: vec![3.0, 4.0], given: vec![true, true] };
        let off = surface.settle(&start, &states).unwrap_err();
        assert_eq!(off.residuals[0].1, 24.0);
        let nearest = off.nearest.unwrap();
        assert!((nearest[0] - 0.6).abs() < 1e-12 && (nearest[1] - 0.8).abs() < 1e-12, "{nearest:?}");
    }

    #[test]
    fn singular_matrices_are_seen() {
        assert!(reciprocal_condition(&mut [0.1, 0.3, 0.1 / 3.0, 0.1], 2) < 1e-15);
        assert!(reciprocal_condition(&mut [1e-20, 0.0, 0.0, 1.0], 2) == 1.0);
    }
}
