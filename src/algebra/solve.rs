//! Solving equations for unknowns, over the real numbers, with every branch.
//!
//! ```text
//! a·x + b = 0          x = −b/a where a ≠ 0;  x free where a = b = 0
//! a·x² + b·x + c = 0   x = (−b ± √(b² − 4ac))/2a where a ≠ 0 and b² − 4ac ≥ 0;  the linear case where a = 0
//! c·xⁿ = h             one real root for odd n, ± for even n where h/c ≥ 0
//! n₁·log u + … = c      u^n₁ · … = e^c where u > 0, …
//! e^u·e^v = c           u + v = log c where c > 0, and polynomials in such a product
//! |u|, max, piecewise   case by case, where nothing else helps
//! f(x) = h             for exp, log, √, |·|, asin, acos, atan, atanh of an argument that can be solved for further;
//!                      sinh, cosh and tanh are written with exp
//! f·g = 0              f = 0, or g = 0
//! ```
//!
//! Several equations are solved one after the other, the simplest first (triangular systems), systems linear
//! in all unknowns by elimination, polynomial systems through a lexicographic Gröbner basis, which is triangular. A [`Branch`] carries the conditions under which it is a solution; a
//! condition that holds by the declared facts is dropped, a branch whose conditions contradict them too.
//! Nothing is lost without a word: where elimination has divided by a minor, the places where it
//! vanishes are listed in [`Solutions::not_covered`]. What these rules do not cover is refused, with the reason.

mod exponential;

use super::assume::Sign;
use super::conditions;
use super::decide::{is_zero, sign};
use super::expr::{Condition, Expr, Node, Relation, post_order};
use super::factor::{factor, squarefree};
use super::function::Elementary;
use super::generator::{Generator, Kind};
use super::ideal::{Order, groebner};
use super::linear::Matrix;
use super::normal::{self, NormalForm, simplify, write::polynomial_expr};
use super::number::Rational;
use super::polynomial::Polynomial;
use super::substitute::{rewrite, substitute};
use super::symbol::Symbol;
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;

/// One family of solutions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The unknowns that are determined, in the order asked for, by the others and by what was given.
    pub values: Vec<(Symbol, Expr)>,
    /// The unknowns that may be chosen.
    pub free: Vec<Symbol>,
    /// It is a solution where all of these hold.
    pub conditions: Vec<Condition>,
}

/// All real solutions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solutions {
    /// Empty if there is no solution.
    pub branches: Vec<Branch>,
    /// Where one of these vanishes there may be other solutions than those listed.
    pub not_covered: Vec<Expr>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsolved {
    Budget(Exhausted),
    /// The rules do not cover this equation.
    Beyond {
        equation: Expr,
        reason: String,
    },
}

impl From<Exhausted> for Unsolved {
    fn from(stop: Exhausted) -> Unsolved {
        Unsolved::Budget(stop)
    }
}

impl std::fmt::Display for Unsolved {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Unsolved::Budget(stop) => write!(f, "{stop}"),
            Unsolved::Beyond { reason, .. } => f.write_str(reason),
        }
    }
}

/// The cost from which on a step takes roots.
const ROOTS: u32 = 4;

/// More branches than this are not followed.
const MAX_BRANCHES: usize = 256;

/// The real solutions of `equations` (each a left side that is to vanish) for the unknowns.
pub fn solve(cx: &Inquiry, equations: &[Expr], unknowns: &[Symbol]) -> Result<Solutions, Unsolved> {
    solve_where(cx, equations, &[], unknowns)
}

/// Those that satisfy the conditions, too.
pub fn solve_where(
    cx: &Inquiry,
    equations: &[Expr],
    given: &[Condition],
    unknowns: &[Symbol],
) -> Result<Solutions, Unsolved> {
    let equations = without_hyperbolic(equations, unknowns);
    // Cancelling on the way is accounted for by the branches' own conditions.
    let (result, _) = conditions::collect(cx, |cx| solve_all(cx, &equations, given, unknowns));
    result
}

/// sinh u = (eᵘ − e⁻ᵘ)/2, cosh u = (eᵘ + e⁻ᵘ)/2 and their quotient where an unknown stands in u: one function instead of two.
pub(super) fn without_hyperbolic(list: &[Expr], unknowns: &[Symbol]) -> Vec<Expr> {
    let mut list = list.to_vec();
    let of_unknown = |x: &Expr| match x.node() {
        Node::Apply(Elementary::Sinh | Elementary::Cosh | Elementary::Tanh, u) => {
            unknowns.iter().any(|s| u[0].contains(*s))
        }
        _ => false,
    };
    while post_order(&list).iter().any(of_unknown) {
        list = rewrite(&list, |x| {
            let Node::Apply(function, u) = x.node() else { return None };
            let u = *u.first().filter(|_| of_unknown(&x))?;
            let exp = |u: Expr| Expr::apply(Elementary::Exp, &[u]);
            let (plus, minus) = (exp(u) + exp(-u), exp(u) - exp(-u));
            let hyperbolic =
                [(Elementary::Sinh, minus / 2), (Elementary::Cosh, plus / 2), (Elementary::Tanh, minus / plus)];
            hyperbolic.iter().find(|(f, _)| f == function).map(|(_, formula)| *formula)
        });
    }
    list
}

/// A branch on the way.
#[derive(Clone)]
struct State {
    equations: Vec<Expr>,
    /// Youngest last; each value may contain the unknowns solved for after it.
    values: Vec<(Symbol, Expr)>,
    open: Vec<Symbol>,
    conditions: Vec<Condition>,
    /// The equations are a Gröbner basis already.
    is_basis: bool,
}

/// What one step does to an equation: alternatives, each with a value or a simpler equation.
enum Step {
    /// The unknown takes this value.
    Value(Symbol, Expr),
    /// The equation is replaced by this one.
    Equation(Expr),
    /// The equation holds.
    Nothing,
}

type Alternative = (Step, Vec<Condition>);

fn solve_all(
    cx: &Inquiry,
    equations: &[Expr],
    given: &[Condition],
    unknowns: &[Symbol],
) -> Result<Solutions, Unsolved> {
    let mut pending = vec![State {
        equations: equations.to_vec(),
        values: Vec::new(),
        open: unknowns.to_vec(),
        conditions: given.to_vec(),
        is_basis: false,
    }];
    let (mut branches, mut not_covered) = (Vec::new(), Vec::new());
    while let Some(mut state) = pending.pop() {
        cx.check()?;
        if pending.len() + branches.len() > MAX_BRANCHES {
            return Err(Exhausted::Size.into());
        }
        let Some(forms) = state.settle(cx)? else { continue };
        if forms.is_empty() {
            if let Some(branch) = state.finish(cx, equations, unknowns)? {
                branches.push(branch);
            }
            continue;
        }
        if let Some(linear) = state.all_linear(cx, &forms)? {
            let (next, uncovered) = linear;
            for e in uncovered {
                if !not_covered.contains(&e) {
                    not_covered.push(e);
                }
            }
            pending.extend(next);
            continue;
        }
        let found = easiest(cx, &state, &forms);
        // Roots of one equation do not get into the others if these are made triangular first.
        if !matches!(&found, Ok((cost, ..)) if *cost < ROOTS)
            && let Some((next, uncovered)) = state.triangular(cx, &forms)?
        {
            for e in uncovered {
                if !not_covered.contains(&e) {
                    not_covered.push(e);
                }
            }
            pending.extend(next);
            continue;
        }
        if matches!(found, Err(Unsolved::Beyond { .. }))
            && let Some(cases) = state.by_cases()
        {
            for (condition, mut next) in cases.into_iter().rev() {
                if next.require(cx, condition)? {
                    pending.push(next);
                }
            }
            continue;
        }
        let (_, which, alternatives) = found?;
        // The first alternative is followed first, so branches come out in the order of the rules.
        for (step, conditions) in alternatives.into_iter().rev() {
            if let Some(next) = state.after(cx, which, step, conditions)? {
                pending.push(next);
            }
        }
    }
    Ok(Solutions { branches, not_covered })
}

/// An equation with what decides how it can be solved.
struct Form {
    /// Position in the state.
    index: usize,
    numerator: Polynomial,
}

impl State {
    /// Drops equations that hold, turns those without unknowns into conditions. `None`: contradiction.
    fn settle(&mut self, cx: &Inquiry) -> Result<Option<Vec<Form>>, Unsolved> {
        let mut kept = Vec::new();
        let mut forms = Vec::new();
        for e in std::mem::take(&mut self.equations) {
            let form = normal::normal_form(cx, e)?.cancel(cx)?;
            if form.as_undefined().is_some() {
                return Ok(None);
            }
            if form.vanishes(cx)? {
                continue;
            }
            let unknowns = self.open.clone();
            let open = |p: &Polynomial| unknowns.iter().any(|s| occurs(p, *s));
            // Powers do not matter for zeros, and neither do factors without zeros.
            let mut product = NormalForm::one();
            for (g, _) in form.powers().filter(|(_, n)| *n > 0) {
                let p = Polynomial::variable(g.0);
                if open(&p) || !g.sign(cx).is_nonzero() {
                    product = product.mul(cx, &NormalForm::polynomial(cx, p)?)?;
                }
            }
            for (p, _) in form.factors().iter().filter(|f| f.1 > 0) {
                product = product.mul(cx, &NormalForm::polynomial(cx, (**p).clone())?)?;
            }
            // What stands below must not vanish.
            let below = form.powers().filter(|(_, n)| *n < 0).map(|(g, _)| g.meaning());
            let below: Vec<Expr> =
                below.chain(form.factors().iter().filter(|f| f.1 < 0).map(|(p, _)| polynomial_expr(p))).collect();
            for d in below {
                if !self.require(cx, Condition { relation: Relation::NotEqual, left: d })? {
                    return Ok(None);
                }
            }
            let numerator = product.fraction(cx)?.0;
            if open(&numerator) {
                forms.push(Form { index: kept.len(), numerator });
                kept.push(product.to_expr(cx));
            } else if !self.require(cx, Condition { relation: Relation::Equal, left: product.to_expr(cx) })? {
                return Ok(None);
            }
        }
        self.equations = kept;
        Ok(Some(forms))
    }

    /// Adds a condition. False if it contradicts the facts.
    fn require(&mut self, cx: &Inquiry, condition: Condition) -> Result<bool, Unsolved> {
        let left = essential(cx, condition)?;
        let mut known = sign(cx, left);
        if known.can_be_zero && condition.relation != Relation::NotEqual && is_zero(cx, left).is_yes() {
            known = Sign::ZERO;
        }
        if matches!(condition.relation, Relation::NotEqual) && is_zero(cx, left).is_yes() {
            return Ok(false);
        }
        match condition.relation.decided_by(known) {
            Some(holds) => Ok(holds),
            None => Ok(self.note(oriented(Condition { relation: condition.relation, left }))),
        }
    }

    /// Adds a condition to the list, joined with what the list says of the same expression. False if the two contradict
    /// each other.
    fn note(&mut self, new: Condition) -> bool {
        match self.conditions.iter_mut().find(|c| c.left == new.left) {
            Some(old) => match relation_of(signs(old.relation) & signs(new.relation)) {
                Some(both) => {
                    old.relation = both;
                    true
                }
                None => false,
            },
            None => {
                self.conditions.push(new);
                true
            }
        }
    }

    /// The state after one alternative for equation `which`; `None` if its conditions contradict the facts.
    fn after(
        &self,
        cx: &Inquiry,
        which: usize,
        step: Step,
        conditions: Vec<Condition>,
    ) -> Result<Option<State>, Unsolved> {
        let mut next = self.clone();
        match step {
            Step::Nothing => {
                next.equations.remove(which);
            }
            Step::Equation(e) => next.equations[which] = e,
            Step::Value(x, value) => {
                next.equations.remove(which);
                next.put(x, simplify(cx, value)?)?;
            }
        }
        for c in conditions {
            // Where a coefficient vanishes the rest is an equation for other unknowns.
            if c.relation == Relation::Equal && next.open.iter().any(|s| c.left.contains(*s)) {
                next.equations.push(c.left);
            } else if !next.require(cx, c)? {
                return Ok(None);
            }
        }
        Ok(Some(next))
    }

    /// Gives an unknown its value, everywhere.
    fn put(&mut self, x: Symbol, value: Expr) -> Result<(), Unsolved> {
        let map = FxHashMap::from_iter([(x, value)]);
        for e in &mut self.equations {
            *e = substitute(*e, &map);
        }
        for c in &mut self.conditions {
            c.left = substitute(c.left, &map);
        }
        self.values.push((x, value));
        self.open.retain(|s| *s != x);
        Ok(())
    }

    /// Resolves the values among each other, and checks them in the equations as they were given.
    fn finish(mut self, cx: &Inquiry, equations: &[Expr], unknowns: &[Symbol]) -> Result<Option<Branch>, Unsolved> {
        let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (x, value) in self.values.iter().rev() {
            map.insert(*x, simplify(cx, substitute(*value, &map))?);
        }
        let conditions = std::mem::take(&mut self.conditions);
        for c in conditions {
            let left = substitute(c.left, &map);
            if left.as_undefined().is_some() || !self.require(cx, Condition { relation: c.relation, left })? {
                return Ok(None);
            }
        }
        // Roots and logarithms that were undone on the way need their arguments: log x = −log y is not xy = 1.
        for c in equations.iter().flat_map(|e| conditions::domain(cx, *e)) {
            if !unknowns.iter().any(|x| c.left.contains(*x)) {
                continue;
            }
            let left = substitute(c.left, &map);
            if left.as_undefined().is_some() || !self.require(cx, Condition { relation: c.relation, left })? {
                return Ok(None);
            }
        }
        for e in equations {
            let there = substitute(*e, &map);
            // A refuted equation is the mark of an extraneous root; conditions still to be met are no refutation.
            if there.as_undefined().is_some() || (self.conditions.is_empty() && is_zero(cx, there).is_no()) {
                return Ok(None);
            }
        }
        let values = unknowns.iter().filter_map(|x| map.get(x).map(|v| (*x, *v))).collect();
        Ok(Some(Branch { values, free: self.open, conditions: self.conditions }))
    }

    /// If every equation is linear in all open unknowns together and there are several, eliminates. The
    /// second part of the result are the factors of the minor that was divided by.
    #[allow(clippy::type_complexity)]
    fn all_linear(&self, cx: &Inquiry, forms: &[Form]) -> Result<Option<(Option<State>, Vec<Expr>)>, Unsolved> {
        if forms.len() < 2 {
            return Ok(None);
        }
        let mut rows = Vec::new();
        let mut right = Vec::new();
        for form in forms {
            let Some((row, constant)) = linear_row(cx, &form.numerator, &self.open)? else { return Ok(None) };
            rows.push(row);
            right.push(-constant);
        }
        let solution = Matrix::with_columns(rows, self.open.len()).solve(cx, &right)?;
        if solution.verdict.is_unknown() {
            let reason = "it could not be decided which coefficients vanish".to_owned();
            return Err(Unsolved::Beyond { equation: self.equations[forms[0].index], reason });
        }
        let mut next = self.clone();
        next.equations.clear();
        let uncovered = solution.conditions.clone();
        for r in &solution.residuals {
            if !next.require(cx, Condition { relation: Relation::Equal, left: *r })? {
                return Ok(Some((None, uncovered)));
            }
        }
        for e in &solution.conditions {
            if !next.require(cx, Condition { relation: Relation::NotEqual, left: *e })? {
                return Ok(Some((None, uncovered)));
            }
        }
        let free: Vec<Symbol> = solution.free.iter().map(|j| self.open[*j]).collect();
        for (j, x) in self.open.iter().enumerate().filter(|(j, _)| !solution.free.contains(j)) {
            let along = free.iter().zip(&solution.null_space).map(|(s, v)| Expr::symbol(*s) * v[j]);
            let value = solution.particular[j] + Expr::add_all(along);
            next.put(*x, simplify(cx, value)?)?;
        }
        Ok(Some((Some(next), uncovered)))
    }
}

impl State {
    /// The equations replaced by a lexicographic Gröbner basis, which can be solved one after the other; `None` if
    /// they are not several polynomials in the unknowns, or are a basis already. The basis holds where the second
    /// part of the result does not vanish.
    #[allow(clippy::type_complexity)]
    fn triangular(&self, cx: &Inquiry, forms: &[Form]) -> Result<Option<(Option<State>, Vec<Expr>)>, Unsolved> {
        let direct = |f: &Form| {
            f.numerator.variables().iter().all(|g| {
                let meaning = Generator(*g).meaning();
                meaning.as_symbol().is_some() || !self.open.iter().any(|s| meaning.contains(*s))
            })
        };
        if self.is_basis || forms.len() < 2 || !forms.iter().all(direct) {
            return Ok(None);
        }
        let unknowns: Vec<u32> = self.open.iter().map(|s| Generator::of_symbol(*s).0).collect();
        let polynomials: Vec<Polynomial> = forms.iter().map(|f| f.numerator.clone()).collect();
        let mut parameters: Vec<u32> =
            polynomials.iter().flat_map(|p| p.variables().to_vec()).filter(|g| !unknowns.contains(g)).collect();
        parameters.sort_unstable();
        parameters.dedup();
        let basis = groebner(cx, &polynomials, &Order::lex(&unknowns), &parameters);
        if !basis.complete {
            return Ok(None);
        }
        let mut next = State { is_basis: true, ..self.clone() };
        next.equations = basis.generators.iter().map(|x| to_expr(cx, x)).collect::<Budgeted<_>>()?;
        let mut uncovered = Vec::new();
        for p in &basis.conditions {
            let e = to_expr(cx, p)?;
            if !sign(cx, e).is_nonzero() {
                uncovered.push(e);
            }
            if !next.require(cx, Condition { relation: Relation::NotEqual, left: e })? {
                return Ok(Some((None, uncovered)));
            }
        }
        Ok(Some((Some(next), uncovered)))
    }
}

impl State {
    /// The state in the two cases of the first |u|, max, min or piecewise function in which an unknown stands.
    fn by_cases(&self) -> Option<[(Condition, State); 2]> {
        let is_open = |e: Expr| self.open.iter().any(|s| e.contains(*s));
        let split = |x: &Expr| match x.node() {
            Node::Apply(Elementary::Abs, u) if is_open(u[0]) => Some((*x, u[0], u[0], -u[0])),
            Node::Apply(f @ (Elementary::Max | Elementary::Min), list) if list.len() > 1 && is_open(*x) => {
                let rest = if list.len() == 2 { list[1] } else { Expr::apply(*f, &list[1..]) };
                let (larger, smaller) = if *f == Elementary::Max { (list[0], rest) } else { (rest, list[0]) };
                Some((*x, list[0] - rest, larger, smaller))
            }
            _ => None,
        };
        let in_pieces = |x: &Expr| match x.node() {
            Node::Piecewise { condition, then, otherwise } if is_open(*x) => Some((*x, *condition, *then, *otherwise)),
            _ => None,
        };
        let parts = post_order(&self.equations);
        let found = parts.iter().find_map(split);
        let (function, condition, then, otherwise) = match found {
            Some((x, u, then, otherwise)) => (x, condition(Relation::GreaterEqual, u), then, otherwise),
            None => parts.iter().find_map(in_pieces)?,
        };
        let with = |value: Expr| {
            let equations = rewrite(&self.equations, |x| (x == function).then_some(value));
            let conditions = self.conditions.iter().map(|c| Condition {
                relation: c.relation,
                left: rewrite(&[c.left], |x| (x == function).then_some(value))[0],
            });
            State { equations, conditions: conditions.collect(), ..self.clone() }
        };
        let opposite = relation_of(0b111 & !signs(condition.relation))?;
        Some([(condition, with(then)), (Condition { relation: opposite, left: condition.left }, with(otherwise))])
    }
}

/// The signs that a relation to zero allows, each one bit: negative, zero, positive.
fn signs(relation: Relation) -> u8 {
    match relation {
        Relation::Less => 0b100,
        Relation::LessEqual => 0b110,
        Relation::Equal => 0b010,
        Relation::NotEqual => 0b101,
        Relation::GreaterEqual => 0b011,
        Relation::Greater => 0b001,
    }
}

fn relation_of(allowed: u8) -> Option<Relation> {
    use Relation::*;
    [Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater].into_iter().find(|r| signs(*r) == allowed)
}

/// h ≤ 0 rather than −h ≥ 0.
fn oriented(condition: Condition) -> Condition {
    use Relation::*;
    let minus = match condition.left.node() {
        Node::Sum { constant, terms } => constant.signum() <= 0 && terms.iter().all(|(_, c)| c.is_negative()),
        _ => false,
    };
    let relation = match condition.relation {
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
        same => same,
    };
    if minus { Condition { relation, left: -condition.left } } else { condition }
}

/// The left side without what does not matter to the comparison: positive numbers, and for (in)equality with
/// zero also signs, powers, denominators and factors without zeros.
fn essential(cx: &Inquiry, condition: Condition) -> Result<Expr, Unsolved> {
    let form = normal::normal_form(cx, condition.left)?.cancel(cx)?;
    if form.as_undefined().is_some() || form.is_zero() {
        return Ok(form.to_expr(cx));
    }
    if !matches!(condition.relation, Relation::Equal | Relation::NotEqual) {
        let powers: Vec<_> = form.powers().collect();
        // √h > 0 says h > 0, and √h ≥ 0 says that it is defined: h ≥ 0.
        if let ([(g, 1)], true, false) =
            (powers.as_slice(), form.factors().is_empty(), form.coefficient().is_negative())
            && let Kind::Root { base, .. } = g.kind()
        {
            return Ok(base);
        }
        let scale = form.coefficient().abs().recip().unwrap_or(Rational::ONE);
        let mut product = form.scale(cx, &scale);
        // 1/d² is positive.
        for (g, n) in powers.into_iter().filter(|(_, n)| *n < 0) {
            product = product.mul(cx, &NormalForm::generator(g).pow(cx, i64::from(n % 2 - n))?)?;
        }
        for (p, n) in form.factors().iter().filter(|f| f.1 < 0) {
            product = product.mul(cx, &NormalForm::polynomial(cx, (**p).clone())?.pow(cx, i64::from(n % 2 - n))?)?;
        }
        return Ok(simplify(cx, product.to_expr(cx))?);
    }
    let mut product = NormalForm::one();
    for (g, _) in form.powers().filter(|(g, n)| *n > 0 && !g.sign(cx).is_nonzero()) {
        product = product.mul(cx, &NormalForm::generator(g))?;
    }
    for (p, _) in form.factors().iter().filter(|f| f.1 > 0) {
        if !sign(cx, polynomial_expr(p)).is_nonzero() {
            product = product.mul(cx, &NormalForm::polynomial(cx, (**p).clone())?)?;
        }
    }
    Ok(product.to_expr(cx))
}

/// Whether the symbol occurs in the polynomial, also inside a generator.
fn occurs(p: &Polynomial, s: Symbol) -> bool {
    p.variables().iter().any(|g| Generator(*g).meaning().contains(s))
}

/// The generators in which the symbol occurs.
fn holders(p: &Polynomial, s: Symbol) -> Vec<u32> {
    p.variables().iter().copied().filter(|g| Generator(*g).meaning().contains(s)).collect()
}

/// p = Σ row·unknowns + constant, if it is of that form.
#[allow(clippy::type_complexity)]
fn linear_row(cx: &Inquiry, p: &Polynomial, unknowns: &[Symbol]) -> Budgeted<Option<(Vec<Expr>, Expr)>> {
    let mut rest = p.clone();
    let mut row = Vec::new();
    for s in unknowns {
        let g = Generator::of_symbol(*s).0;
        if rest.degree_in(g) > 1 {
            return Ok(None);
        }
        let coefficient = rest.coefficient_in(g, 1);
        if unknowns.iter().any(|u| occurs(&coefficient, *u)) {
            return Ok(None);
        }
        row.push(to_expr(cx, &coefficient)?);
        rest = rest.coefficient_in(g, 0);
    }
    if unknowns.iter().any(|u| occurs(&rest, *u)) {
        return Ok(None);
    }
    Ok(Some((row, to_expr(cx, &rest)?)))
}

fn to_expr(cx: &Inquiry, p: &Polynomial) -> Budgeted<Expr> {
    Ok(NormalForm::polynomial(cx, p.clone())?.to_expr(cx))
}

/// The equation and unknown that are solved first, with the alternatives: the one with the smallest cost.
fn easiest(cx: &Inquiry, state: &State, forms: &[Form]) -> Result<(u32, usize, Vec<Alternative>), Unsolved> {
    let mut best: Option<(u32, usize, Vec<Alternative>)> = None;
    let mut reason = None;
    for form in forms {
        let open: Vec<Symbol> = state.open.iter().copied().filter(|s| occurs(&form.numerator, *s)).collect();
        if let Some(alternatives) = by_factors(cx, &form.numerator, &open)? {
            return Ok((0, form.index, alternatives));
        }
        for x in open {
            match alternatives(cx, &form.numerator, x, state) {
                Ok((cost, list)) => {
                    if best.as_ref().is_none_or(|(c, _, _)| cost < *c) {
                        best = Some((cost, form.index, list));
                    }
                }
                Err(Unsolved::Beyond { reason: why, .. }) => {
                    reason.get_or_insert((state.equations[form.index], why));
                }
                Err(stop) => return Err(stop),
            }
        }
    }
    match (best, reason) {
        (Some(found), _) => Ok(found),
        (None, Some((equation, reason))) => Err(Unsolved::Beyond { equation, reason }),
        (None, None) => Err(Exhausted::Size.into()),
    }
}

/// f·g = 0 means f = 0 or g = 0. `None` if there is one factor only.
fn by_factors(cx: &Inquiry, p: &Polynomial, open: &[Symbol]) -> Result<Option<Vec<Alternative>>, Unsolved> {
    let factors = factor(cx, p).factors;
    if factors.len() < 2 && factors.iter().all(|f| f.1 == 1) {
        return Ok(None);
    }
    let mut alternatives = Vec::new();
    for (f, _) in &factors {
        let e = to_expr(cx, f)?;
        if open.iter().any(|s| occurs(f, *s)) {
            alternatives.push((Step::Equation(e), Vec::new()));
        } else {
            alternatives.push((Step::Nothing, vec![Condition { relation: Relation::Equal, left: e }]));
        }
    }
    Ok(Some(alternatives))
}

/// The alternatives for solving p = 0 for x, with what it costs to take this way.
fn alternatives(cx: &Inquiry, p: &Polynomial, x: Symbol, state: &State) -> Result<(u32, Vec<Alternative>), Unsolved> {
    let beyond = |reason: String| Unsolved::Beyond { equation: polynomial_expr(p), reason };
    let held = holders(p, x);
    if let Some((product, positive)) = one_logarithm(cx, p, &held)? {
        return Ok((3, vec![(Step::Equation(product), positive)]));
    }
    if let Some(found) = exponential::one_exponential(cx, p, x, &held)? {
        return Ok(found);
    }
    let &[g] = held.as_slice() else {
        let inside: Vec<String> = held.iter().map(|g| Generator(*g).meaning().to_string()).collect();
        return Err(beyond(format!("{x} stands in {} at once", inside.join(" and "))));
    };
    let parts = p.coefficients_in(g);
    let exprs = parts.iter().map(|x| to_expr(cx, x)).collect::<Budgeted<Vec<Expr>>>()?;
    let degree = parts.len() - 1;
    // Solving for x through coefficients with other unknowns is possible, but a last resort.
    let mixed = u32::from(parts[1..].iter().any(|c| state.open.iter().any(|s| occurs(c, *s)))) * 8;
    let unknown = Generator(g).meaning();
    let roots = if degree == 1 {
        linear_roots(&exprs)
    } else if parts[1..degree].iter().all(Polynomial::is_zero) {
        power_roots(cx, exprs[0], exprs[degree], degree as u32, g)
    } else if degree == 2 {
        quadratic_roots(cx, &parts, &exprs)?
    } else if degree.is_multiple_of(2) && (1..degree).all(|k| k == degree / 2 || parts[k].is_zero()) {
        // a·y² + b·y + c = 0 for y = x^(degree/2).
        let half = degree as i64 / 2;
        let quadratic = [parts[0].clone(), parts[degree / 2].clone(), parts[degree].clone()];
        let list = [exprs[0], exprs[degree / 2], exprs[degree]];
        let roots = quadratic_roots(cx, &quadratic, &list)?;
        return Ok((
            6 + mixed,
            roots
                .into_iter()
                .map(|(root, conditions)| match root {
                    Root::Value(v) => (Step::Equation(unknown.pow(half) - v), conditions),
                    Root::Lower(e) => (Step::Equation(e(unknown.pow(half))), conditions),
                    Root::Anything => (Step::Nothing, conditions),
                })
                .collect(),
        ));
    } else {
        return Err(beyond(format!("it is of degree {degree} in {unknown}")));
    };
    let cost = match degree {
        1 if parts[1].is_constant() => 0,
        1 if sign(cx, exprs[1]).is_nonzero() => 1,
        1 => 2,
        n => 2 + n as u32,
    };
    let mut list = Vec::new();
    for (root, mut conditions) in roots {
        let step = match root {
            Root::Value(v) => match invert(cx, g, x, v, &mut conditions) {
                Ok(Some(step)) => step,
                Ok(None) => continue,
                Err(reason) => return Err(beyond(reason)),
            },
            Root::Lower(e) => Step::Equation(e(unknown)),
            Root::Anything => Step::Nothing,
        };
        list.push((step, conditions));
    }
    Ok((cost + mixed, list))
}

/// Σ nᵢ·log uᵢ + c = 0, two or more logarithms with whole numbers nᵢ, as ∏ uᵢ^nᵢ − e^(−c) = 0, where all uᵢ > 0.
fn one_logarithm(cx: &Inquiry, p: &Polynomial, held: &[u32]) -> Result<Option<(Expr, Vec<Condition>)>, Unsolved> {
    if held.len() < 2 {
        return Ok(None);
    }
    let (mut product, mut positive) = (Expr::one(), Vec::new());
    let mut rest = p.clone();
    for g in held {
        let Kind::Logarithm(u) = Generator(*g).kind() else { return Ok(None) };
        let whole = p.coefficient_in(*g, 1).as_constant().filter(Rational::is_integer);
        let Some(n) = whole.filter(|_| p.degree_in(*g) == 1) else { return Ok(None) };
        product = product * u.pow(n);
        positive.push(condition(Relation::Greater, u));
        rest = rest.coefficient_in(*g, 0);
    }
    if rest.variables().iter().any(|v| held.contains(v)) {
        return Ok(None);
    }
    let right = Expr::apply(Elementary::Exp, &[-to_expr(cx, &rest)?]);
    Ok(Some((product - simplify(cx, right)?, positive)))
}

/// A root of a polynomial in one unknown.
enum Root {
    Value(Expr),
    /// The equation is of lower degree here: it, as a function of the unknown.
    Lower(Box<dyn Fn(Expr) -> Expr>),
    /// Every value solves it.
    Anything,
}

fn condition(relation: Relation, left: Expr) -> Condition {
    Condition { relation, left }
}

/// a·x + b = 0.
fn linear_roots(exprs: &[Expr]) -> Vec<(Root, Vec<Condition>)> {
    let (b, a) = (exprs[0], exprs[1]);
    vec![
        (Root::Value(-b / a), vec![condition(Relation::NotEqual, a)]),
        (Root::Anything, vec![condition(Relation::Equal, a), condition(Relation::Equal, b)]),
    ]
}

/// c·xⁿ + b = 0, n ≥ 2.
fn power_roots(cx: &Inquiry, b: Expr, c: Expr, n: u32, g: u32) -> Vec<(Root, Vec<Condition>)> {
    let w = -b / c;
    let exponent = Rational::ratio(1, i64::from(n));
    let below = condition(Relation::NotEqual, c);
    let mut roots = Vec::new();
    let known = sign(cx, w);
    if n % 2 == 1 {
        if known.is_nonnegative() {
            roots.push((Root::Value(w.pow(exponent)), vec![below]));
        } else if known.is_nonpositive() {
            roots.push((Root::Value(-(-w).pow(exponent)), vec![below]));
        } else if n == 3 {
            roots.push((Root::Value(Expr::apply(Elementary::Cbrt, &[w])), vec![below]));
        } else {
            // sign(w) is written as |w|/w, which has no value where w = 0.
            let size = Expr::apply(Elementary::Abs, &[w]).pow(exponent);
            let root = Expr::apply(Elementary::Sign, &[w]) * size;
            roots.push((Root::Value(root), vec![below, condition(Relation::NotEqual, w)]));
            roots.push((Root::Value(Expr::zero()), vec![below, condition(Relation::Equal, b)]));
        }
    } else if !known.is_negative() {
        let root = simplify(cx, w.pow(exponent.clone())).unwrap_or_else(|_| w.pow(exponent));
        // ±|u| and ±u are the same pair.
        let root = match root.node() {
            Node::Apply(Elementary::Abs, u) => u[0],
            _ => root,
        };
        let real = condition(Relation::GreaterEqual, w);
        roots.push((Root::Value(root), vec![below, real]));
        let positive_only = Generator(g).sign(cx).is_nonnegative();
        if known != Sign::ZERO && !w.is_zero() && !positive_only {
            roots.push((Root::Value(-root), vec![below, real]));
        }
    }
    roots.push((Root::Anything, vec![condition(Relation::Equal, c), condition(Relation::Equal, b)]));
    roots
}

/// a·x² + b·x + c = 0.
fn quadratic_roots(
    cx: &Inquiry,
    parts: &[Polynomial],
    exprs: &[Expr],
) -> Result<Vec<(Root, Vec<Condition>)>, Unsolved> {
    let (c, b, a) = (exprs[0], exprs[1], exprs[2]);
    let discriminant = &parts[1].square(cx)? - &parts[2].mul(cx, &parts[0])?.scale(&Rational::from(4));
    let discriminant = super::generator::reduce(cx, discriminant)?;
    let below = condition(Relation::NotEqual, a);
    let mut roots = Vec::new();
    let half = |root: Expr| (-b + root) / (2 * a);
    if discriminant.is_zero() {
        roots.push((Root::Value(half(Expr::zero())), vec![below]));
    } else {
        // √(s²·r) = ±s·√r: both signs are listed.
        let parts = squarefree(cx, &discriminant)?;
        let (mut s, mut r) = (Polynomial::one(), Polynomial::constant(parts.unit.clone()));
        for (f, n) in &parts.factors {
            s = s.mul(cx, &f.pow(cx, n / 2)?)?;
            if n % 2 == 1 {
                r = r.mul(cx, f)?;
            }
        }
        let (s, r) = (to_expr(cx, &s)?, to_expr(cx, &r)?);
        let known = sign(cx, r);
        if !known.is_negative() {
            let root = s * simplify(cx, r)?.sqrt();
            let real = condition(Relation::GreaterEqual, if s.is_one() { r } else { to_expr(cx, &discriminant)? });
            for root in [root, -root] {
                roots.push((Root::Value(half(root)), vec![below, real]));
            }
        } else if !sign(cx, s).is_nonzero() {
            // −s² is not negative where s = 0.
            roots.push((Root::Value(half(Expr::zero())), vec![below, condition(Relation::Equal, s)]));
        }
    }
    roots.push((Root::Lower(Box::new(move |x| b * x + c)), vec![condition(Relation::Equal, a)]));
    Ok(roots)
}

/// From generator = value to x = …, or to a simpler equation. `Ok(None)`: no real solution.
fn invert(
    cx: &Inquiry,
    g: u32,
    x: Symbol,
    value: Expr,
    conditions: &mut Vec<Condition>,
) -> Result<Option<Step>, String> {
    let kind = Generator(g).kind();
    let known = sign(cx, value);
    Ok(match kind {
        Kind::Symbol(s) if s == x => Some(Step::Value(x, value)),
        Kind::Exponential(u) => {
            if known.is_nonpositive() {
                return Ok(None);
            }
            conditions.push(condition(Relation::Greater, value));
            Some(Step::Equation(u - Expr::apply(Elementary::Log, &[value])))
        }
        Kind::Logarithm(u) => Some(Step::Equation(u - Expr::apply(Elementary::Exp, &[value]))),
        Kind::Root { base, degree, .. } => {
            if known.is_negative() {
                return Ok(None);
            }
            conditions.push(condition(Relation::GreaterEqual, value));
            Some(Step::Equation(base - value.pow(i64::from(degree))))
        }
        Kind::Absolute { of, .. } => {
            if known.is_negative() {
                return Ok(None);
            }
            conditions.push(condition(Relation::GreaterEqual, value));
            Some(Step::Equation(of.pow(2) - value.pow(2)))
        }
        Kind::Sine(_) | Kind::Cosine(_) => {
            return Err(format!("{} = {value} has infinitely many solutions or none", Generator(g).meaning()));
        }
        _ => match Generator(g).meaning().node() {
            Node::Apply(function, u) if u.len() == 1 => match undone(*function, value, conditions) {
                Some(w) => Some(Step::Equation(u[0] - w)),
                None => return Err(format!("{} cannot be solved for {x}", Generator(g).meaning())),
            },
            _ => return Err(format!("{} cannot be solved for {x}", Generator(g).meaning())),
        },
    })
}

/// w from f(w) = v for a function that is monotone wherever it is defined, with the range in which v must be.
fn undone(function: Elementary, v: Expr, conditions: &mut Vec<Condition>) -> Option<Expr> {
    let inverse = function.row().whole_piece()?.inverse?;
    conditions.extend(function.row().range.conditions(v));
    Some(inverse.of(v))
}

#[cfg(test)]
mod tests;
