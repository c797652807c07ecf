//! Cells, the branches as the engine works with them, and SPLIT.

use super::super::assume::Sign;
use super::super::decide::{is_zero, semidefinite, sign};
use super::super::expr::Expr;
use super::super::factor::factor_once;
use super::super::generator::{Generator, Kind, reduce};
use super::super::normal::write::polynomial_expr;
use super::super::normal::{Context, canonical_fraction};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::symbol::Symbol;
use super::Branch;
use super::basis::Basis;
use super::combination::{has_none_on_graphs, of_one_sign};
use super::coupling::{Coupling, coupling, fixed};
use super::half_angle::split_by_half_angles;
use super::real::{Constants, split_over_roots};
use super::regular::Regularity;
use super::sample::Witness;
use super::shear::Shear;
use super::single_argument::only_zero;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// What holds at every point under consideration: in which context functions are read, which symbols move, and
/// what is known not to vanish.
pub struct Frame {
    context: Context,
    coordinates: Vec<Symbol>,
    domain: RefCell<Vec<Polynomial>>,
    generic: RefCell<Vec<Polynomial>>,
    /// Every generator that has been read.
    seen: RefCell<Vec<u32>>,
    factors: RefCell<FxHashMap<Polynomial, Rc<[Polynomial]>>>,
    /// Irreducible polynomials with real zeros of codimension one, as far as the rules can tell.
    simple: RefCell<FxHashSet<Polynomial>>,
    bases: RefCell<FxHashMap<Vec<Polynomial>, Basis>>,
    zeros: RefCell<FxHashMap<Polynomial, Zeros>>,
    /// What was found out about the differentials of cells, by their equations and inequations.
    regularities: RefCell<FxHashMap<(Vec<Polynomial>, Vec<Polynomial>), Regularity>>,
    /// Points of cells, by everything that the search for one depends on.
    witnesses: RefCell<FxHashMap<PointAsked, Witness>>,
    /// Coordinates in which a basis was found that was not found in those of the frame.
    shear: RefCell<Option<Rc<Shear>>>,
}

/// Facts, equations, what must not vanish, and the generators in play.
pub(super) type PointAsked = (u64, Vec<Polynomial>, Vec<Polynomial>, Vec<u32>);

/// A set of points, simplified: a Gröbner basis of its equations, and irreducible polynomials that vanish
/// nowhere on it.
#[derive(Clone, Debug)]
pub struct Cell {
    pub(super) basis: Basis,
    pub(super) nonzero: Vec<Polynomial>,
}

/// How far SPLIT came.
#[derive(Debug)]
pub struct Splitting {
    pub pieces: Vec<Cell>,
    /// Equations of sets that were not split yet. Empty unless a budget ended.
    pub open: Vec<Vec<Polynomial>>,
    pub stopped: Option<Exhausted>,
}

/// Numbers of more terms than this are not looked at.
const MAX_NUMBER_TERMS: usize = 24;

/// More pieces than this, and SPLIT gives up.
const MAX_PIECES: usize = 512;

impl Frame {
    /// A frame in which all the given functions can be read together.
    pub fn new(cx: &Inquiry, coordinates: &[Symbol], functions: &[Expr]) -> Budgeted<Frame> {
        Ok(Frame {
            context: Context::of(cx, functions)?,
            coordinates: coordinates.to_vec(),
            domain: RefCell::default(),
            generic: RefCell::default(),
            seen: RefCell::default(),
            factors: RefCell::default(),
            simple: RefCell::default(),
            bases: RefCell::default(),
            zeros: RefCell::default(),
            regularities: RefCell::default(),
            witnesses: RefCell::default(),
            shear: RefCell::default(),
        })
    }

    /// The symbols that move.
    pub fn coordinates(&self) -> &[Symbol] {
        &self.coordinates
    }

    /// Numerator and denominator of a function, which is only looked at: nothing joins the domain.
    pub(super) fn fraction(&self, cx: &Inquiry, e: Expr) -> Budgeted<Option<(Polynomial, Polynomial)>> {
        canonical_fraction(cx, self.context, e)
    }

    /// Numerator and denominator of a function; its denominator joins the domain. `None` if it has no value.
    pub fn read(&self, cx: &Inquiry, e: Expr) -> Budgeted<Option<(Polynomial, Polynomial)>> {
        let Some((numerator, denominator)) = canonical_fraction(cx, self.context, e)? else { return Ok(None) };
        for v in numerator.variables().iter().chain(denominator.variables()) {
            let mut seen = self.seen.borrow_mut();
            // A sine is never without its cosine: where x = 0 both are known.
            let partner = match Generator(*v).kind() {
                Kind::Sine(_) | Kind::HyperbolicSine(_) => v + 1,
                Kind::Cosine(_) | Kind::HyperbolicCosine(_) => v - 1,
                _ => *v,
            };
            for v in [*v, partner] {
                if let Err(at) = seen.binary_search(&v) {
                    seen.insert(at, v);
                }
            }
        }
        if !denominator.is_constant() {
            let mut pending: Vec<Polynomial> =
                factor_once(cx, &denominator).factors.into_iter().map(|(f, _)| f).collect();
            while let Some(f) = pending.pop() {
                // Where a root does not vanish its radicand does not.
                if let [v] = f.variables()
                    && matches!(Generator(*v).kind(), Kind::Root { .. })
                    && let Some(relation) = Generator(*v).relation()
                {
                    pending.extend(factor_once(cx, &relation.value).factors.into_iter().map(|(f, _)| f));
                }
                let mut domain = self.domain.borrow_mut();
                if !f.is_constant() && !domain.contains(&f) && !self.is_positive_generator(cx, &f) {
                    domain.push(f);
                }
            }
        }
        Ok(Some((numerator, denominator)))
    }

    /// Runs `work` on functions that were computed on one stratum: their denominators, which vanish nowhere there, are
    /// part of the domain for as long as it takes, and no longer.
    pub fn on_stratum<T>(&self, work: impl FnOnce() -> T) -> T {
        let domain = self.domain.borrow().clone();
        let result = work();
        *self.domain.borrow_mut() = domain;
        result
    }

    /// Several functions over their common denominator, which is left out: a row of a linear system.
    pub fn read_row(&self, cx: &Inquiry, row: &[Expr]) -> Budgeted<Vec<Polynomial>> {
        let mut fractions = Vec::with_capacity(row.len());
        let mut common = Polynomial::one();
        for e in row {
            let (n, d) = self.read(cx, *e)?.ok_or(Exhausted::Size)?;
            if !common.primitive_part().eq(&d.primitive_part()) {
                common = common.lcm(cx, &d)?;
            }
            fractions.push((n, d));
        }
        let mut entries = Vec::with_capacity(row.len());
        for (n, d) in fractions {
            let missing = common.div_exact(cx, &d)?.ok_or(Exhausted::Size)?;
            entries.push(n.mul(cx, &missing)?);
        }
        Ok(entries)
    }

    /// The generators of everything that has been read.
    pub(super) fn generators_in_play(&self) -> Vec<u32> {
        self.seen.borrow().clone()
    }

    /// The distinct irreducible factors.
    pub(super) fn factors(&self, cx: &Inquiry, p: &Polynomial) -> Rc<[Polynomial]> {
        if let Some(known) = self.factors.borrow().get(p) {
            return known.clone();
        }
        let found = factor_once(cx, p);
        let list: Rc<[Polynomial]> = found.factors.into_iter().map(|(f, _)| f).collect();
        // Factors that a budget left together are looked at again.
        if found.complete {
            self.factors.borrow_mut().insert(p.clone(), list.clone());
        }
        list
    }

    /// The distinct irreducible factors of a polynomial.
    pub fn irreducible_factors(&self, cx: &Inquiry, p: &Polynomial) -> Vec<Polynomial> {
        self.factors(cx, p).to_vec()
    }

    /// The numerator of a function, which vanishes where the function does.
    pub fn read_numerator(&self, cx: &Inquiry, e: Expr) -> Budgeted<Polynomial> {
        Ok(self.read(cx, e)?.ok_or(Exhausted::Size)?.0)
    }

    pub fn write(&self, p: &Polynomial) -> Expr {
        polynomial_expr(p)
    }

    /// ∂p/∂s as a quotient.
    pub fn derivative(&self, cx: &Inquiry, p: &Polynomial, s: Symbol) -> Budgeted<Polynomial> {
        self.read_numerator(cx, super::super::derive::partial(cx, self.write(p), s))
    }

    /// Whether the generator is the same at every point: a number, a symbol that does not move, or a function
    /// of those.
    pub fn is_constant(&self, variable: u32) -> bool {
        let moves = |s: &Symbol| self.coordinates.contains(s);
        match Generator(variable).kind() {
            Kind::Pi => true,
            Kind::Symbol(s) => !moves(&s),
            _ => !Generator(variable).meaning().symbols().iter().any(moves),
        }
    }

    /// Whether parameters occur in one of the cells.
    pub fn has_parameters<'c>(&self, cells: impl IntoIterator<Item = &'c Cell>) -> bool {
        let is_parameter = |v: &u32| match Generator(*v).kind() {
            Kind::Symbol(s) => !self.coordinates.contains(&s),
            Kind::Pi => false,
            _ => Generator(*v).meaning().symbols().iter().any(|s| !self.coordinates.contains(s)),
        };
        cells
            .into_iter()
            .any(|cell| cell.equations().iter().chain(cell.nonzero()).any(|g| g.variables().iter().any(is_parameter)))
    }

    fn is_positive_generator(&self, cx: &Inquiry, p: &Polynomial) -> bool {
        matches!(p.variables(), [v] if *p == Polynomial::variable(*v) && Generator(*v).sign(cx).is_nonzero())
    }

    /// What was taken to be nonzero because it contains parameters only.
    pub fn generic_conditions(&self) -> Vec<Expr> {
        self.generic.borrow().iter().map(|p| self.write(p)).collect()
    }

    /// Polynomials that vanish nowhere in the domain.
    pub fn domain(&self) -> Vec<Expr> {
        self.domain.borrow().iter().map(|p| self.write(p)).collect()
    }

    pub(super) fn domain_polynomials(&self) -> Vec<Polynomial> {
        self.domain.borrow().clone()
    }

    pub(super) fn generic_polynomials(&self) -> Vec<Polynomial> {
        self.generic.borrow().clone()
    }

    /// Everything.
    pub fn everything(&self) -> Cell {
        Cell { basis: Basis::empty(), nonzero: vec![] }
    }

    /// The cells of a branch given by expressions.
    pub fn cells(&self, cx: &Inquiry, branch: &Branch) -> Budgeted<Vec<Cell>> {
        let equations = branch.equations.iter().map(|e| self.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
        let nonzero = branch.nonzero.iter().map(|e| self.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
        self.split(cx, &equations, &nonzero)
    }

    /// The cells of a cell with further conditions.
    pub fn refine(
        &self,
        cx: &Inquiry,
        cell: &Cell,
        equations: &[Polynomial],
        nonzero: &[Polynomial],
    ) -> Budgeted<Vec<Cell>> {
        let mut new_equations: Vec<Polynomial> = Vec::new();
        for e in equations {
            let e = cell.basis.normal_form(cx, self, e)?;
            if e.is_constant() && !e.is_zero() {
                return Ok(vec![]);
            }
            if !e.is_zero() {
                new_equations.push(e);
            }
        }
        let mut none = cell.nonzero.clone();
        for n in nonzero {
            let n = cell.basis.normal_form(cx, self, n)?;
            if n.is_zero() {
                return Ok(vec![]);
            }
            if !n.is_constant() && !none.contains(&n) {
                none.push(n);
            }
        }
        if new_equations.is_empty() && none.len() == cell.nonzero.len() {
            return Ok(vec![cell.clone()]);
        }
        let all: Vec<Polynomial> = new_equations.into_iter().chain(cell.basis.elements().iter().cloned()).collect();
        self.split(cx, &all, &none)
    }

    pub(super) fn known_basis(&self, equations: &[Polynomial]) -> Option<Basis> {
        self.bases.borrow().get(equations).cloned()
    }

    pub(super) fn known_regularity(&self, cell: &Cell) -> Option<Regularity> {
        let key = (cell.equations().to_vec(), cell.nonzero.clone());
        self.regularities.borrow().get(&key).cloned()
    }

    pub(super) fn keep_regularity(&self, cell: &Cell, found: &Regularity) {
        let key = (cell.equations().to_vec(), cell.nonzero.clone());
        self.regularities.borrow_mut().insert(key, found.clone());
    }

    pub(super) fn known_witness(&self, asked: &PointAsked) -> Option<Witness> {
        self.witnesses.borrow().get(asked).cloned()
    }

    pub(super) fn keep_witness(&self, asked: PointAsked, found: &Witness) {
        self.witnesses.borrow_mut().insert(asked, found.clone());
    }

    pub(super) fn shear(&self) -> Option<Rc<Shear>> {
        self.shear.borrow().clone()
    }

    pub(super) fn keep_shear(&self, shear: &Rc<Shear>) {
        *self.shear.borrow_mut() = Some(shear.clone());
    }

    pub(super) fn keep_basis(&self, equations: Vec<Polynomial>, basis: &Basis) {
        self.bases.borrow_mut().insert(equations, basis.clone());
    }

    /// SPLIT: the pieces of {equations = 0, nonzero ≠ 0}, without those shown to be empty.
    ///
    /// Each piece has equations that do not factor further over ℚ or over a real quadratic extension that
    /// occurs, none of which is semidefinite, and none of the inequations vanishes on all of it.
    pub fn split(&self, cx: &Inquiry, equations: &[Polynomial], nonzero: &[Polynomial]) -> Budgeted<Vec<Cell>> {
        let found = self.split_as_far_as_possible(cx, equations, nonzero);
        match found.stopped {
            None => Ok(found.pieces),
            Some(stop) => Err(stop),
        }
    }

    /// SPLIT with its state when a budget ends: the pieces that are finished, and what was still to be split.
    pub fn split_as_far_as_possible(
        &self,
        cx: &Inquiry,
        equations: &[Polynomial],
        nonzero: &[Polynomial],
    ) -> Splitting {
        let mut found = Splitting { pieces: vec![], open: vec![], stopped: None };
        let mut inequations: Vec<Polynomial> = Vec::new();
        for n in nonzero {
            if n.is_zero() {
                return found;
            }
            for f in self.factors(cx, n).iter() {
                if !inequations.contains(f) {
                    inequations.push(f.clone());
                }
            }
        }
        let mut work: Vec<Vec<Polynomial>> = vec![equations.to_vec()];
        let mut seen: FxHashSet<Vec<Polynomial>> = FxHashSet::default();
        let mut steps = 0;
        while let Some(mut equations) = work.pop() {
            let mut key = equations.clone();
            key.sort();
            key.dedup();
            if !seen.insert(key) {
                continue;
            }
            equations.retain(|e| !e.is_zero());
            equations.dedup();
            steps += 1;
            let step = if steps > MAX_PIECES {
                Err(Exhausted::Size)
            } else {
                self.simplify_piece(cx, &equations, &inequations).and_then(|step| match step {
                    Step::Done(cell) => self.keep_maximal(cx, &mut found.pieces, cell),
                    Step::Empty => Ok(()),
                    Step::Cases(cases) => {
                        work.extend(cases.into_iter().rev());
                        Ok(())
                    }
                })
            };
            if let Err(stop) = step {
                found.stopped = Some(stop);
                work.push(equations);
                break;
            }
        }
        found.open = work;
        found
    }

    /// Takes a piece in, unless it lies in another one. The pieces have the same inequations: one with more
    /// equations lies in the other.
    fn keep_maximal(&self, cx: &Inquiry, pieces: &mut Vec<Cell>, cell: Cell) -> Budgeted<()> {
        for other in pieces.iter() {
            if cell.basis.contains_all(cx, self, other.equations())? {
                return Ok(());
            }
        }
        let mut kept = Vec::new();
        for other in pieces.iter() {
            if !other.basis.contains_all(cx, self, cell.equations())? {
                kept.push(other.clone());
            }
        }
        kept.push(cell);
        *pieces = kept;
        Ok(())
    }

    fn simplify_piece(&self, cx: &Inquiry, equations: &[Polynomial], nonzero: &[Polynomial]) -> Budgeted<Step> {
        // One equation alone is looked at before any basis is computed.
        if let [g] = equations {
            let g = reduce(cx, g.clone())?;
            if !g.is_zero()
                && let Some(cases) = self.cases_of(cx, &g, nonzero)?
            {
                return Ok(Step::Cases(cases));
            }
        }
        if let Some(found) = of_one_sign(cx, equations)?
            && found.zeros.iter().any(|z| !equations.contains(z))
        {
            return Ok(match found.has_no_zero() {
                true => Step::Empty,
                false => Step::Cases(vec![equations.iter().cloned().chain(found.zeros).collect()]),
            });
        }
        let basis = match Basis::soon(cx, self, equations)? {
            Some(basis) => basis,
            // What has no basis soon is taken apart first, where an equation is a product.
            None => match self.cases_at_hand(cx, &with_values(cx, equations)?, nonzero)? {
                Some(step) => return Ok(step),
                None => Basis::new(cx, self, equations)?,
            },
        };
        if basis.is_trivial() {
            return Ok(Step::Empty);
        }
        for g in basis.elements() {
            if g.variables().iter().all(|v| self.is_constant(*v)) {
                // A condition on parameters alone: generic parameters do not satisfy it.
                self.note_generic(cx, g)?;
                return Ok(Step::Empty);
            }
            if self.is_discrete_family(g, basis.elements()) {
                continue;
            }
            if let Some(cases) = self.cases_of(cx, g, nonzero)? {
                // Beside sin q = 2·sin y its consequence cos² q = 1 − 4·sin² y has the same case and the opposite one: the first
                // is the whole piece.
                let mut is_whole = false;
                for case in &cases {
                    is_whole |= basis.contains_all(cx, self, case)?;
                }
                if is_whole {
                    continue;
                }
                let elements = basis.elements();
                let rest = || elements.iter().filter(|e| *e != g).cloned();
                return Ok(Step::from_cases(cases.into_iter().map(|case| rest().chain(case).collect())));
            }
        }
        if let Some(found) = of_one_sign(cx, basis.elements())?
            && !basis.contains_all(cx, self, &found.zeros)?
        {
            return Ok(match found.has_no_zero() {
                true => Step::Empty,
                false => Step::Cases(vec![basis.elements().iter().cloned().chain(found.zeros).collect()]),
            });
        }
        if has_none_on_graphs(cx, basis.elements())? {
            return Ok(Step::Empty);
        }
        match coupling(cx, self, &basis)? {
            Coupling::Nothing => {}
            Coupling::Contradiction => return Ok(Step::Empty),
            Coupling::Equations(new) => {
                return Ok(Step::Cases(vec![basis.elements().iter().cloned().chain(new).collect()]));
            }
        }
        let mut reduced: Vec<Polynomial> = Vec::new();
        for n in nonzero {
            let n = basis.normal_form(cx, self, n)?;
            if n.is_zero() {
                return Ok(Step::Empty);
            }
            for f in self.factors(cx, &n).iter() {
                if !reduced.contains(f) && !self.is_nowhere_zero(cx, f)? {
                    reduced.push(f.clone());
                }
            }
        }
        if !basis.is_empty() {
            for p in self.domain_polynomials() {
                if basis.normal_form(cx, self, &p)?.is_zero() {
                    return Ok(Step::Empty);
                }
            }
            let all: Vec<Polynomial> = reduced.iter().cloned().chain(self.domain_polynomials()).collect();
            if let Some(saturated) = basis.saturate(cx, self, &all)? {
                return Ok(Step::Cases(vec![saturated]));
            }
        }
        reduced.sort();
        Ok(Step::Done(Cell { basis, nonzero: reduced }))
    }

    /// The cases of the smallest equation that falls into any, without a basis.
    fn cases_at_hand(&self, cx: &Inquiry, equations: &[Polynomial], nonzero: &[Polynomial]) -> Budgeted<Option<Step>> {
        let mut order: Vec<&Polynomial> = equations.iter().collect();
        order.sort_by_key(|g| (g.n_terms(), g.total_degree()));
        for g in order {
            if let Some(cases) = self.cases_of(cx, &reduce(cx, g.clone())?, nonzero)? {
                let rest = || equations.iter().filter(|e| *e != g).cloned();
                return Ok(Some(Step::from_cases(cases.into_iter().map(|case| rest().chain(case).collect()))));
            }
        }
        Ok(None)
    }

    /// How g = 0 falls into cases; `None` if it is simple already.
    pub(super) fn cases_of(
        &self,
        cx: &Inquiry,
        g: &Polynomial,
        nonzero: &[Polynomial],
    ) -> Budgeted<Option<Vec<Vec<Polynomial>>>> {
        let is_known = self.simple.borrow().contains(g);
        if is_known && !nonzero.contains(g) && !self.domain.borrow().contains(g) {
            return Ok(None);
        }
        let parts = factor_once(cx, g);
        let mut zero_factors: Vec<Polynomial> = Vec::new();
        let mut changed = parts.factors.len() > 1;
        for (f, n) in parts.factors {
            changed |= n > 1;
            if nonzero.contains(&f) || self.domain.borrow().contains(&f) || self.is_nowhere_zero(cx, &f)? {
                changed = true;
            } else {
                zero_factors.push(f);
            }
        }
        let mut cases: Vec<Vec<Polynomial>> = Vec::new();
        for f in zero_factors {
            if let Some(found) = only_zero(cx, self, &f)? {
                changed = true;
                cases.push(vec![found]);
            } else if let Some(found) = semidefinite(cx, &f)? {
                // √x ≥ 0 vanishes where it vanishes.
                changed |= found.zeros != [f];
                cases.push(found.zeros);
            } else if let Some(factors) = split_over_roots(cx, &f, self)? {
                changed = true;
                cases.extend(factors.into_iter().map(|f| vec![f]));
            } else if let Some(factors) = split_by_half_angles(cx, &f)? {
                changed = true;
                cases.extend(factors.into_iter().map(|f| vec![f]));
            } else {
                cases.push(vec![f]);
            }
        }
        if !changed {
            self.simple.borrow_mut().insert(g.clone());
        }
        Ok(changed.then_some(cases))
    }

    /// sin θ = ±1 where cos θ = 0, and the other way round: a discrete family that is kept as one.
    pub(super) fn is_discrete_family(&self, g: &Polynomial, equations: &[Polynomial]) -> bool {
        let [v] = g.variables() else { return false };
        let partner = match Generator(*v).kind() {
            Kind::Sine(_) => Generator(v + 1),
            Kind::Cosine(_) => Generator(v - 1),
            _ => return false,
        };
        let one = &Polynomial::power(*v, 2) - &Polynomial::one();
        g.primitive_part() == one && equations.contains(&Polynomial::variable(partner.0))
    }

    /// Whether an irreducible polynomial vanishes nowhere in the domain, whatever the cell. What holds for generic
    /// parameters only is noted as a condition of the answer.
    pub(super) fn is_nowhere_zero(&self, cx: &Inquiry, f: &Polynomial) -> Budgeted<bool> {
        Ok(match self.zeros_of(cx, f)? {
            Zeros::None => true,
            Zeros::Generic => {
                self.note_generic(cx, f)?;
                true
            }
            Zeros::Perhaps => false,
        })
    }

    /// What is known of the zeros of an irreducible polynomial in the domain; nothing is assumed yet.
    pub(super) fn zeros_of(&self, cx: &Inquiry, f: &Polynomial) -> Budgeted<Zeros> {
        if f.is_constant() {
            return Ok(if f.is_zero() { Zeros::Perhaps } else { Zeros::None });
        }
        if self.is_positive_generator(cx, f) || self.domain.borrow().contains(f) {
            return Ok(Zeros::None);
        }
        if let Some(known) = self.zeros.borrow().get(f) {
            return Ok(*known);
        }
        let known = if semidefinite(cx, f)?.is_some_and(|s| s.has_no_zero()) {
            Zeros::None
        } else if f.variables().iter().all(|v| self.is_constant(*v)) {
            Zeros::Generic
        } else {
            Zeros::Perhaps
        };
        self.zeros.borrow_mut().insert(f.clone(), known);
        Ok(known)
    }

    pub(super) fn note_generic(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<()> {
        if semidefinite(cx, p)?.is_some_and(|s| s.has_no_zero()) {
            return Ok(());
        }
        // √3 − √2 is a number like any other.
        let is_number = p.variables().iter().all(|v| Generator(*v).meaning().symbols().is_empty());
        if is_number && p.n_terms() <= MAX_NUMBER_TERMS && is_zero(cx, self.write(p)).is_no() {
            return Ok(());
        }
        let mut generic = self.generic.borrow_mut();
        if !generic.contains(p) {
            generic.push(p.clone());
        }
        Ok(())
    }

    /// Whether `p` vanishes nowhere on the cell. False also if that could not be shown.
    pub fn is_nonvanishing_on(&self, cx: &Inquiry, cell: &Cell, p: &Polynomial) -> Budgeted<bool> {
        for f in self.factors(cx, p).iter() {
            if cell.nonzero.contains(f) || self.is_nowhere_zero(cx, f)? {
                continue;
            }
            if !self.refine(cx, cell, std::slice::from_ref(f), &[])?.is_empty() {
                return Ok(false);
            }
        }
        Ok(!p.is_zero())
    }

    /// The cell in expressions, with as few equations as its ideal needs.
    pub fn branch(&self, cx: &Inquiry, cell: &Cell) -> Budgeted<Branch> {
        let equations = cell.basis.minimal_generators(cx, self)?;
        Ok(Branch {
            equations: equations.iter().map(|p| self.write(p)).collect(),
            nonzero: cell.nonzero.iter().map(|p| self.write(p)).collect(),
        })
    }
}

impl Frame {
    /// The cell in expressions, whatever the budget: with all equations of its basis if finding out which are needed
    /// would take too long.
    pub fn branch_at_hand(&self, cx: &Inquiry, cell: &Cell) -> Branch {
        self.branch(cx, cell).unwrap_or_else(|_| Branch {
            equations: cell.equations().iter().map(|p| self.write(p)).collect(),
            nonzero: cell.nonzero.iter().map(|p| self.write(p)).collect(),
        })
    }
}

impl Constants for Frame {
    fn is_constant(&self, variable: u32) -> bool {
        Frame::is_constant(self, variable)
    }

    fn sign_of(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Sign> {
        Ok(match semidefinite(cx, p)? {
            Some(found) if found.has_no_zero() => {
                if found.is_negative {
                    Sign::NEGATIVE
                } else {
                    Sign::POSITIVE
                }
            }
            _ => sign(cx, self.write(p)),
        })
    }

    fn root_of(&self, cx: &Inquiry, p: &Polynomial, n: u32) -> Budgeted<Option<Polynomial>> {
        let root = self.write(p).pow(Rational::ratio(1, i64::from(n)));
        let read = canonical_fraction(cx, self.context, root)?;
        Ok(read.filter(|(_, d)| d.is_constant()).and_then(|(n, d)| n.unscale(&d.as_constant()?)))
    }
}

/// What is known of the zeros of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// It has none, by the declared facts.
    None,
    /// It is a polynomial in parameters alone: generic ones are no zeros of it.
    Generic,
    Perhaps,
}

/// The equations with the values that some of them give to variables put into the others.
fn with_values(cx: &Inquiry, equations: &[Polynomial]) -> Budgeted<Vec<Polynomial>> {
    let mut list = equations.to_vec();
    loop {
        let values: Vec<(u32, Rational)> = list.iter().filter_map(fixed).collect();
        let mut changed = false;
        let mut next: Vec<Polynomial> = Vec::with_capacity(list.len());
        for e in &list {
            let holds_others = |(v, _): &&(u32, Rational)| e.contains(*v) && fixed(e).is_none();
            let here: Vec<(u32, Rational)> = values.iter().filter(holds_others).cloned().collect();
            changed |= !here.is_empty();
            let e = if here.is_empty() { e.clone() } else { e.evaluate(cx, &here)?.primitive_part() };
            if !e.is_zero() && !next.contains(&e) {
                next.push(e);
            }
        }
        list = next;
        if !changed {
            return Ok(list);
        }
    }
}

enum Step {
    Empty,
    Cases(Vec<Vec<Polynomial>>),
    Done(Cell),
}

impl Step {
    fn from_cases(cases: impl Iterator<Item = Vec<Polynomial>>) -> Step {
        Step::Cases(cases.collect())
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.basis.elements() == other.basis.elements() && self.nonzero == other.nonzero
    }
}
impl Eq for Cell {}

impl Cell {
    /// The normal form of a polynomial on the cell: equal functions on the cell may still look different, but
    /// what is in the ideal becomes zero. Up to a constant factor: use [`Cell::value`] for the function itself.
    pub fn reduce(&self, cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Polynomial> {
        self.basis.normal_form(cx, frame, p)
    }

    /// A function with the same values as the polynomial on the cell, in normal form.
    pub fn value(&self, cx: &Inquiry, frame: &Frame, p: &Polynomial) -> Budgeted<Expr> {
        let (remainder, factor) = self.basis.normal_form_with_factor(cx, frame, p)?;
        Ok(if factor.is_one() { frame.write(&remainder) } else { frame.write(&remainder) / frame.write(&factor) })
    }

    pub fn equations(&self) -> &[Polynomial] {
        self.basis.elements()
    }

    /// As few equations as generate the same ideal.
    pub fn generators(&self, cx: &Inquiry, frame: &Frame) -> Budgeted<Vec<Polynomial>> {
        self.basis.minimal_generators(cx, frame)
    }

    pub fn nonzero(&self) -> &[Polynomial] {
        &self.nonzero
    }

    /// The same equations with other inequations.
    pub fn with_nonzero(&self, nonzero: Vec<Polynomial>) -> Cell {
        Cell { basis: self.basis.clone(), nonzero }
    }

    pub fn has_equations(&self) -> bool {
        !self.basis.is_empty()
    }
}
