//! The image of the Legendre map p = ∂L/∂q̇ of a first-order Lagrangian, and the velocities that belong to its points.
//!
//! Where L is quadratic in the velocities, L = ½ q̇ᵀW q̇ + b q̇ − V, a point (t, q, p) is reached by the solutions of
//!
//! ```text
//! W q̇ = p − b,        q̇ = v₀ + u^j k_j,   W k_j = 0
//! ```
//!
//! and the motion through it is q̇, ṗ = ∂L/∂q. If the rank of W is the same everywhere, the residuals of elimination are the
//! primary constraints φ_a, and this is the field of H_c + u^aφ_a (Dirac, *Lectures*, 1964). Where the rank drops the image
//! becomes thinner and the velocities freer: L = y²ẋ²/2 has one momentum for y ≠ 0, none for y = 0. Elimination that divides by y never
//! sees the second part. So the image is covered by charts: on the one with the index set I
//!
//! ```text
//! det W_II ≠ 0,   W_JJ − W_JI W_II⁻¹ W_IJ = 0,   (p − b)_J − W_JI W_II⁻¹ (p − b)_I = 0
//! ```
//!
//! the rank is |I|; a symmetric matrix of rank r has a principal minor of size r that does not vanish, so these are all points. On a
//! lower chart ∂L/∂q may be quadratic in u.
//!
//! Momenta that are not affine in the velocities, as p = mq̇/√(q̇²), satisfy what elimination of the velocities leaves, p² = m².

use super::lagrangian::Lagrangian;
use super::legendre::{Naming, hamilton_equations, legendre};
use super::{Answered, exhausted, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::decide::sign;
use crate::algebra::derive::partial;
use crate::algebra::expr::Condition;
use crate::algebra::generator::Generator;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::leaves::leaves;
use crate::algebra::stratum::rank::system_of;
use crate::algebra::stratum::tangent::projection;
use crate::algebra::stratum::{Branch, Frame};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::budget::{Budgeted, Exhausted};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// A part of the image on which the velocities are given by one formula.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    pub branch: Branch,
    /// ∂_t + q̇ ∂/∂q + ṗ ∂/∂p where all multipliers are 0.
    pub drift: VectorField,
    /// What each multiplier adds to it.
    pub free: Vec<VectorField>,
    /// What products of multipliers add.
    pub quadratic: Vec<VectorField>,
    /// The rank of W.
    pub rank: usize,
}

/// The image of the Legendre map.
pub(crate) struct Primary {
    /// φ_a, at generic points.
    pub constraints: Vec<Expr>,
    /// H_c on them.
    pub hamiltonian: Expr,
    pub charts: Vec<Chart>,
    /// Parts of the image whose velocities are not described.
    pub open: Vec<Branch>,
    /// Functions in t, q, p whose denominators bound the domain of L.
    pub functions: Vec<Expr>,
    /// What must be positive or not negative for L to be real.
    pub domain: Vec<Condition>,
}

/// More index sets than this are not looked at.
const MAX_CHARTS: usize = 70;

/// The Lagrangian with its velocities and momenta.
pub(crate) struct Legs<'a> {
    pub lagrangian: &'a Lagrangian,
    pub time: Symbol,
    pub pairs: &'a [(Symbol, Symbol)],
    velocities: Vec<Symbol>,
    /// ∂L/∂q̇.
    slopes: Vec<Expr>,
    /// W.
    hessian: Matrix,
    /// The velocities in terms of t, q, p and multipliers, if one formula holds everywhere.
    solved: OnceCell<Option<Velocities>>,
}

/// q̇ = v₀ + u^j k_j where the residuals vanish.
struct Velocities {
    values: FxHashMap<Symbol, Expr>,
    free: Vec<Symbol>,
    residuals: Vec<Expr>,
}

impl<'a> Legs<'a> {
    pub fn new(cx: &Inquiry, lagrangian: &'a Lagrangian, pairs: &'a [(Symbol, Symbol)]) -> Legs<'a> {
        let y = lagrangian.manifold();
        let velocities: Vec<Symbol> = (0..pairs.len()).map(|i| jet(y, i, 1)).collect();
        let slopes: Vec<Expr> = velocities.iter().map(|v| tidy(cx, partial(cx, lagrangian.function(), *v))).collect();
        let m = pairs.len();
        let hessian = Matrix::from_fn(m, m, |i, j| tidy(cx, partial(cx, slopes[i], velocities[j])));
        Legs { lagrangian, time: y.base(), pairs, velocities, slopes, hessian, solved: OnceCell::new() }
    }

    /// t, q, p.
    pub fn coordinates(&self) -> Vec<Symbol> {
        let (q, p) = (self.pairs.iter().map(|(q, _)| *q), self.pairs.iter().map(|(_, p)| *p));
        std::iter::once(self.time).chain(q).chain(p).collect()
    }

    /// {·, f}.
    fn hamiltonian_field(&self, cx: &Inquiry, f: Expr) -> Vec<(Symbol, Expr)> {
        let along = self.pairs.iter().flat_map(|(q, p)| [(*q, partial(cx, f, *p)), (*p, -partial(cx, f, *q))]);
        along.map(|(s, e)| (s, tidy(cx, e))).collect()
    }

    /// The field of H + u^aφ_a on the set of the constraints.
    fn total_chart(&self, cx: &Inquiry, branch: Branch, constraints: &[Expr], hamiltonian: Expr, rank: usize) -> Chart {
        let drift = [(self.time, Expr::one())].into_iter().chain(self.hamiltonian_field(cx, hamiltonian));
        let free = constraints.iter().map(|phi| VectorField::new(self.hamiltonian_field(cx, *phi))).collect();
        Chart { branch, drift: VectorField::new(drift), free, quadratic: vec![], rank }
    }

    fn at_rest(&self) -> FxHashMap<Symbol, Expr> {
        self.velocities.iter().map(|v| (*v, Expr::zero())).collect()
    }

    /// p − b.
    fn right(&self) -> Vec<Expr> {
        let rest = self.at_rest();
        self.slopes.iter().zip(self.pairs).map(|(s, (_, p))| Expr::symbol(*p) - substitute(*s, &rest)).collect()
    }

    /// Where L is real, and its derivatives are, as far as that is a condition on t and q: |x| has none at x = 0.
    fn domain(&self, cx: &Inquiry) -> Vec<Condition> {
        let l = self.lagrangian.function();
        let mut found = conditions::domain(cx, l);
        for s in self.pairs.iter().map(|(q, _)| *q).chain(self.velocities.iter().copied()) {
            let (slope, recorded) = conditions::collect_all(cx, |cx| partial(cx, l, s));
            let of_slope = conditions::domain(cx, slope).into_iter().chain(recorded.conditions());
            let moves = |c: &Condition| self.velocities.iter().any(|v| c.left.contains(*v));
            let new: Vec<Condition> = of_slope.filter(|c| !moves(c) && !found.contains(c)).collect();
            found.extend(new);
        }
        conditions::strictest(found)
    }

    /// The closure of the image of a set of t, q and velocities. Where one formula gives the velocities only its multipliers are
    /// eliminated.
    pub fn image(&self, cx: &Inquiry, of: &Branch) -> Budgeted<Vec<Branch>> {
        let (whole, eliminated) = match self.velocities_everywhere(cx)? {
            Some(v) => {
                let at = |list: &[Expr]| list.iter().map(|e| tidy(cx, substitute(*e, &v.values))).collect::<Vec<_>>();
                let equations = at(&of.equations).into_iter().chain(v.residuals.iter().copied()).collect();
                (Branch { equations, nonzero: at(&of.nonzero) }, v.free.clone())
            }
            None => {
                let legs = self.slopes.iter().zip(self.pairs).map(|(s, (_, p))| Expr::symbol(*p) - *s);
                let equations = of.equations.iter().copied().chain(legs).collect();
                (Branch { equations, nonzero: of.nonzero.clone() }, self.velocities.clone())
            }
        };
        let functions: Vec<Expr> = whole.equations.iter().chain(&whole.nonzero).copied().collect();
        let kept = self.coordinates();
        let all: Vec<Symbol> = kept.iter().chain(&eliminated).copied().collect();
        // The denominators of L bound its domain.
        let of_lagrangian = self.slopes.iter().chain([&self.lagrangian.function()]).copied().collect::<Vec<_>>();
        let of_lagrangian: Vec<Expr> = match self.velocities_everywhere(cx)? {
            Some(v) => of_lagrangian.iter().map(|e| substitute(*e, &v.values)).chain(self.hessian.entries()).collect(),
            None => of_lagrangian,
        };
        let in_play: Vec<Expr> = functions.iter().chain(&of_lagrangian).copied().collect();
        let frame = Frame::new(cx, &all, &in_play)?;
        for f in &of_lagrangian {
            frame.read(cx, *f)?;
        }
        let mut found: Vec<Branch> = Vec::new();
        for cell in frame.cells(cx, &whole)? {
            let equations = projection(cx, &frame, &cell, |s| kept.contains(&s))?;
            let branch = Branch { equations: equations.iter().map(|g| frame.write(g)).collect(), nonzero: vec![] };
            if !found.contains(&branch) {
                found.push(branch);
            }
        }
        Ok(found)
    }

    /// Functions of t, q, p with p = ∂L/∂q̇.
    pub fn pulled_back(&self, cx: &Inquiry, functions: &[Expr]) -> Vec<Expr> {
        let momenta: FxHashMap<Symbol, Expr> = self.pairs.iter().map(|(_, p)| *p).zip(self.slopes.clone()).collect();
        functions.iter().map(|e| tidy(cx, substitute(*e, &momenta))).collect()
    }

    /// A frame in t, q and the velocities for some sets, within the domain of L.
    pub fn frame_of_velocities(&self, cx: &Inquiry, list: &[Branch]) -> Budgeted<Frame> {
        let of_lagrangian: Vec<Expr> = self.slopes.iter().copied().chain([self.lagrangian.function()]).collect();
        let sets = list.iter().flat_map(|b| b.equations.iter().chain(&b.nonzero)).copied();
        let functions: Vec<Expr> = of_lagrangian.iter().copied().chain(sets).collect();
        let frame = Frame::new(cx, &self.lagrangian.manifold().jets(1).symbols(), &functions)?;
        for f in &of_lagrangian {
            frame.read(cx, *f)?;
        }
        Ok(frame)
    }

    /// The velocities by one formula, if the momenta are affine in them and no pivot of W vanishes anywhere.
    fn velocities_everywhere(&self, cx: &Inquiry) -> Budgeted<Option<&Velocities>> {
        if let Some(known) = self.solved.get() {
            return Ok(known.as_ref());
        }
        let found = self.find_velocities(cx)?;
        Ok(self.solved.get_or_init(|| found).as_ref())
    }

    fn find_velocities(&self, cx: &Inquiry) -> Budgeted<Option<Velocities>> {
        let moves = |e: Expr| self.velocities.iter().any(|v| e.contains(*v));
        if self.hessian.entries().any(moves) || !self.has_affine_momenta(cx) {
            return Ok(None);
        }
        let right = self.right();
        let (solution, recorded) = conditions::collect(cx, |cx| self.hessian.solve(cx, &right));
        let solution = solution?;
        let pivots: Vec<Expr> = recorded.into_iter().chain(solution.conditions).collect();
        let functions: Vec<Expr> = self.hessian.entries().chain(right).collect();
        if !self.are_nowhere_zero(cx, &functions, &pivots)? {
            return Ok(None);
        }
        let free: Vec<Symbol> = (0..solution.free.len()).map(|j| Symbol::multiplier(j as u32 + 1)).collect();
        let speed = |i: usize| {
            let moved = solution.null_space.iter().zip(&free).map(|(k, u)| k[i] * Expr::symbol(*u));
            tidy(cx, solution.particular[i] + Expr::add_all(moved))
        };
        let values = self.velocities.iter().enumerate().map(|(i, v)| (*v, speed(i))).collect();
        Ok(Some(Velocities { values, free, residuals: solution.residuals }))
    }

    /// Whether the pivots vanish nowhere in the domain of the functions.
    fn are_nowhere_zero(&self, cx: &Inquiry, functions: &[Expr], pivots: &[Expr]) -> Budgeted<bool> {
        let all: Vec<Expr> = functions.iter().chain(pivots).copied().collect();
        let frame = Frame::new(cx, &self.coordinates(), &all)?;
        for f in functions {
            frame.read(cx, *f)?;
        }
        for pivot in pivots {
            let pivot = frame.read_numerator(cx, *pivot)?;
            if !frame.is_nonvanishing_on(cx, &frame.everything(), &pivot)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The image with its charts; refused where neither the momenta are affine in the velocities nor the velocities can be eliminated.
    pub fn primary(&self, cx: &Inquiry) -> Answered<Primary> {
        let moving = self.hessian.entries().flat_map(|e| self.velocities.iter().map(move |v| (e, *v)));
        let affine = Verdict::all(moving.map(|(e, v)| vanishes(cx, partial(cx, e, v))), "");
        if super::decided(&affine, "the momenta are affine in the velocities")? && self.has_affine_momenta(cx) {
            return self.of_affine_momenta(cx);
        }
        self.of_other_momenta(cx)
    }

    /// Whether p − W q̇ is free of velocities. The derivatives of p = sign(q̇) vanish, and yet it is not.
    fn has_affine_momenta(&self, cx: &Inquiry) -> bool {
        let speeds: Vec<Expr> = self.velocities.iter().map(|v| Expr::symbol(*v)).collect();
        let linear = self.hessian.mul_vector(&speeds);
        let rest = self.slopes.iter().zip(linear).map(|(s, x)| tidy(cx, *s - x));
        rest.into_iter().all(|e| self.velocities.iter().all(|v| !e.contains(*v)))
    }

    fn of_affine_momenta(&self, cx: &Inquiry) -> Answered<Primary> {
        let (w, right) = (&self.hessian, self.right());
        let (solution, recorded) = conditions::collect(cx, |cx| w.solve(cx, &right));
        let solution = solution.map_err(exhausted)?;
        let particular = self.velocities.iter().copied().zip(solution.particular.iter().copied());
        let values: FxHashMap<Symbol, Expr> = particular.collect();
        let work = Expr::add_all(self.pairs.iter().zip(&solution.particular).map(|((_, p), v)| Expr::symbol(*p) * *v));
        let hamiltonian = tidy(cx, work - substitute(self.lagrangian.function(), &values));
        let constraints: Vec<Expr> = solution.residuals.into_iter().map(|x| tidy(cx, x)).collect();
        let rank = self.pairs.len() - solution.free.len();
        let potential = tidy(cx, substitute(self.lagrangian.function(), &self.at_rest()));
        let functions: Vec<Expr> = w.entries().chain(right.iter().copied()).chain([potential]).collect();
        let primary =
            Primary { constraints, hamiltonian, charts: vec![], open: vec![], functions, domain: self.domain(cx) };
        let pivots: Vec<Expr> = recorded.into_iter().chain(solution.conditions).collect();
        let charts = || -> Budgeted<(Vec<Chart>, Vec<Branch>)> {
            if self.are_nowhere_zero(cx, &primary.functions, &pivots)? {
                let everything = Branch { equations: primary.constraints.clone(), nonzero: vec![] };
                let chart = self.total_chart(cx, everything, &primary.constraints, primary.hamiltonian, rank);
                return Ok((vec![chart], vec![]));
            }
            let frame = Frame::new(cx, &self.coordinates(), &primary.functions)?;
            for f in &primary.functions {
                frame.read(cx, *f)?;
            }
            self.charts(cx, &frame, rank, -potential)
        };
        let (charts, open) = charts().map_err(exhausted)?;
        Ok(Primary { charts, open, ..primary })
    }

    /// All charts of all ranks up to the generic one.
    fn charts(&self, cx: &Inquiry, frame: &Frame, rank: usize, potential: Expr) -> Budgeted<(Vec<Chart>, Vec<Branch>)> {
        let m = self.pairs.len();
        let active: Vec<usize> = (0..m).filter(|i| self.hessian.row(*i).iter().any(|e| !e.is_zero())).collect();
        let (mut charts, mut n_tried) = (Vec::new(), 0);
        for size in (0..=rank).rev() {
            let mut of_size = Vec::new();
            for picked in choices(&active, size) {
                n_tried += 1;
                if n_tried > MAX_CHARTS {
                    // What is not covered may hold anything.
                    return Ok((charts, vec![Branch::everything()]));
                }
                let minor = match size {
                    0 => Expr::one(),
                    _ => tidy(cx, self.hessian.minor(&picked, &picked).det(cx)?),
                };
                if !vanishes(cx, minor).is_no() {
                    continue;
                }
                let everywhere =
                    frame.is_nonvanishing_on(cx, &frame.everything(), &frame.read_numerator(cx, minor)?)?;
                let chart = frame.on_stratum(|| self.chart(cx, frame, &picked, minor, rank, potential))?;
                if everywhere {
                    of_size = vec![chart];
                    break;
                }
                of_size.push(chart);
            }
            charts.extend(of_size);
        }
        Ok((charts, vec![]))
    }

    /// The chart in which the velocities with the picked indices follow the momenta, and the others are free.
    fn chart(
        &self,
        cx: &Inquiry,
        frame: &Frame,
        picked: &[usize],
        minor: Expr,
        generic_rank: usize,
        potential: Expr,
    ) -> Budgeted<Chart> {
        let m = self.pairs.len();
        let others: Vec<usize> = (0..m).filter(|i| !picked.contains(i)).collect();
        let right = self.right();
        let (picked_right, other_right): (Vec<Expr>, Vec<Expr>) =
            (picked.iter().map(|i| right[*i]).collect(), others.iter().map(|i| right[*i]).collect());
        let inverse = self.hessian.minor(picked, picked).adjugate(cx)?.map(|e| tidy(cx, e / minor));
        let solved = inverse.mul_vector(&picked_right);
        let down = self.hessian.minor(&others, picked);
        let residuals: Vec<Expr> = other_right.iter().zip(down.mul_vector(&solved)).map(|(p, x)| *p - x).collect();
        let carried = down.mul(&inverse);
        let schur = self.hessian.minor(&others, &others).sub(&carried.mul(&down.transpose()));
        let numerator = |e: Expr| -> Budgeted<Expr> { Ok(frame.write(&frame.read_numerator(cx, e)?)) };
        let residuals = residuals.into_iter().map(numerator).collect::<Budgeted<Vec<Expr>>>()?;
        let nonzero = if picked.is_empty() { vec![] } else { vec![numerator(minor)?] };
        if picked.len() == generic_rank {
            let energy = Expr::add_all(picked_right.iter().zip(&solved).map(|(p, v)| *p * *v)) / 2 + potential;
            let branch = Branch { equations: residuals.clone(), nonzero };
            return Ok(self.total_chart(cx, branch, &residuals, tidy(cx, energy), generic_rank));
        }
        let drops = schur.entries().map(numerator).collect::<Budgeted<Vec<Expr>>>()?;
        let equations: Vec<Expr> = drops.into_iter().chain(residuals).filter(|e| !e.is_zero()).collect();
        // v = v₀ + u^j k_j: the others are free, the picked ones follow.
        let names: Vec<Symbol> = (0..others.len()).map(|j| Symbol::multiplier(j as u32 + 1)).collect();
        let mut speeds = vec![Expr::zero(); m];
        for (j, i) in others.iter().enumerate() {
            speeds[*i] = Expr::symbol(names[j]);
        }
        for (a, i) in picked.iter().enumerate() {
            let carried = (0..others.len()).map(|j| carried[(j, a)] * Expr::symbol(names[j]));
            speeds[*i] = tidy(cx, solved[a] - Expr::add_all(carried));
        }
        Ok(self.direct_chart(cx, Branch { equations, nonzero }, &speeds, &names, picked.len()))
    }

    /// q̇ = v(u), ṗ = ∂L/∂q at v(u), by powers of u.
    fn direct_chart(&self, cx: &Inquiry, branch: Branch, speeds: &[Expr], names: &[Symbol], rank: usize) -> Chart {
        let values: FxHashMap<Symbol, Expr> = self.velocities.iter().copied().zip(speeds.iter().copied()).collect();
        let force = |q: Symbol| substitute(partial(cx, self.lagrangian.function(), q), &values);
        let along: Vec<(Symbol, Expr)> = (self.pairs.iter().zip(speeds).map(|((q, _), v)| (*q, *v)))
            .chain(self.pairs.iter().map(|(q, p)| (*p, force(*q))))
            .collect();
        let zero: FxHashMap<Symbol, Expr> = names.iter().map(|u| (*u, Expr::zero())).collect();
        let field = |of: &dyn Fn(Expr) -> Expr| {
            let at_zero = along.iter().map(|(s, e)| (*s, tidy(cx, substitute(of(*e), &zero))));
            VectorField::new(at_zero.collect::<Vec<_>>())
        };
        let moving = field(&|e| e);
        let drift = VectorField::new([(self.time, Expr::one())].into_iter().chain(moving.components()));
        let free = names.iter().map(|u| field(&|e| partial(cx, e, *u))).collect();
        let twice = names.iter().enumerate().flat_map(|(i, u)| names[i..].iter().map(move |w| (*u, *w)));
        let quadratic = twice.map(|(u, w)| field(&|e| partial(cx, partial(cx, e, u), w)));
        Chart { branch, drift, free, quadratic: quadratic.filter(|x| !x.is_empty()).collect(), rank }
    }

    /// By elimination of the velocities.
    fn of_other_momenta(&self, cx: &Inquiry) -> Answered<Primary> {
        let work = self.pairs.iter().zip(&self.velocities).map(|((_, p), v)| Expr::symbol(*p) * Expr::symbol(*v));
        let energy = Expr::add_all(self.slopes.iter().zip(&self.velocities).map(|(s, v)| *s * Expr::symbol(*v)));
        let energy = tidy(cx, energy - self.lagrangian.function());
        let on_legs = Expr::add_all(work) - self.lagrangian.function();
        let branches = self.image(cx, &Branch::everything()).map_err(exhausted)?;
        let hamiltonian = match (vanishes(cx, energy).is_yes(), &branches[..]) {
            // Homogeneous of degree one in the velocities: reparametrisations.
            (true, _) => Expr::zero(),
            (false, [branch]) => {
                let found = self.energy_on(cx, branch, energy, on_legs)?;
                found.ok_or_else(|| not_affine("the energy was not found as a function of the momenta"))?
            }
            _ => return Err(not_affine("their image falls into several parts")),
        };
        let (rank, open) = self.ranks(cx).map_err(exhausted)?;
        // An image of another dimension than W tells comes from functions whose relations are not known.
        if branches.is_empty() || branches.iter().any(|b| b.equations.len() + rank != self.pairs.len()) {
            return Err(not_affine("their image was not found"));
        }
        let charts: Vec<Chart> =
            branches.iter().map(|b| self.total_chart(cx, b.clone(), &b.equations, hamiltonian, rank)).collect();
        // Parts with one equation each are the zeros of its product.
        let constraints = match branches.iter().all(|b| b.equations.len() == 1) {
            true if branches.len() > 1 => {
                let product = branches.iter().flat_map(|b| &b.equations).fold(Expr::one(), |x, e| x * *e);
                vec![tidy(cx, product)]
            }
            _ => branches.first().map(|b| b.equations.clone()).unwrap_or_default(),
        };
        let functions = branches.iter().flat_map(|b| &b.equations).copied().chain([hamiltonian]).collect();
        Ok(Primary { constraints, hamiltonian, charts, open, functions, domain: self.domain(cx) })
    }

    /// The generic rank of W, and the images of the sets on which it is smaller.
    fn ranks(&self, cx: &Inquiry) -> Budgeted<(usize, Vec<Branch>)> {
        let kept = self.lagrangian.manifold().jets(1).symbols();
        let functions: Vec<Expr> = self.hessian.entries().collect();
        let frame = Frame::new(cx, &kept, &functions)?;
        let zero = vec![Expr::zero(); self.pairs.len()];
        let list = leaves(cx, &frame, &system_of(cx, &frame, &self.hessian.to_rows(), &zero)?, &frame.everything())?;
        let generic = list.iter().map(|leaf| leaf.rank).max().unwrap_or(0);
        let mut open = Vec::new();
        for leaf in list.iter().filter(|leaf| leaf.rank < generic) {
            open.extend(self.image(cx, &frame.branch(cx, &leaf.cell)?)?);
        }
        Ok((generic, open))
    }

    /// H(t, q, p): the energy is eliminated together with the velocities, and what is left is linear in it, or gives it as a
    /// square root whose sign is known. Without constraints the inverse of the Legendre map gives it as well.
    fn energy_on(&self, cx: &Inquiry, image: &Branch, energy: Expr, on_legs: Expr) -> Answered<Option<Expr>> {
        if image.equations.is_empty() {
            let form = self.lagrangian.dynamical_form(cx)?;
            let transformation = legendre(cx, &form, Naming::default())?;
            if transformation.inverse.is_some() {
                return Ok(Some(hamilton_equations(cx, &transformation, &[])?.hamiltonian));
            }
        }
        let name = Symbol::helper("H_c");
        let eliminated = || -> Budgeted<Vec<Expr>> {
            let legs = self.slopes.iter().zip(self.pairs).map(|(s, (_, p))| Expr::symbol(*p) - *s);
            let equations: Vec<Expr> = legs.chain([Expr::symbol(name) - on_legs]).collect();
            let kept: Vec<Symbol> = self.coordinates().into_iter().chain([name]).collect();
            let all: Vec<Symbol> = kept.iter().chain(&self.velocities).copied().collect();
            let frame = Frame::new(cx, &all, &equations)?;
            let cells = frame.cells(cx, &Branch { equations, nonzero: vec![] })?;
            let [cell] = &cells[..] else { return Err(Exhausted::Size) };
            let left = projection(cx, &frame, cell, |s| kept.contains(&s))?;
            let h = Generator::of_symbol(name).0;
            Ok(left.iter().filter(|g| g.contains(h)).map(|g| frame.write(g)).collect())
        };
        let zero = FxHashMap::from_iter([(name, Expr::zero())]);
        let momenta: FxHashMap<Symbol, Expr> = self.pairs.iter().map(|(_, p)| *p).zip(self.slopes.clone()).collect();
        for g in eliminated().map_err(exhausted)? {
            let slope = tidy(cx, partial(cx, g, name));
            let curvature = tidy(cx, partial(cx, slope, name));
            let constant = substitute(g, &zero);
            if curvature.is_zero() {
                return Ok(Some(tidy(cx, -(constant / slope))));
            }
            if curvature.contains(name) {
                continue;
            }
            // a h² + b h + c = 0: the sign of 2a h + b, as a function of the velocities, picks the root.
            let (a, b) = (curvature / 2, substitute(slope, &zero));
            let on_velocities = tidy(cx, substitute(curvature * energy + b, &momenta));
            let which = sign(cx, on_velocities);
            if which.is_positive() || which.is_negative() {
                let root = tidy(cx, b.pow(2) - a * constant * 4).sqrt();
                let root = if which.is_negative() { -root } else { root };
                return Ok(Some(tidy(cx, (root - b) / curvature)));
            }
        }
        Ok(None)
    }
}

fn not_affine(why: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, "the momenta of this Lagrangian are not affine in the velocities")
            .note(format!("the velocities were eliminated, but {why}"))
            .help("dynamics(L) answers for every Lagrangian"),
    )
}

/// All ascending choices of so many of the indices.
fn choices(from: &[usize], size: usize) -> Vec<Vec<usize>> {
    let Some((first, rest)) = from.split_first() else { return if size == 0 { vec![vec![]] } else { vec![] } };
    if size == 0 {
        return vec![vec![]];
    }
    let with = choices(rest, size - 1).into_iter().map(|c| [&[*first], &c[..]].concat());
    with.chain(choices(rest, size)).collect()
}
