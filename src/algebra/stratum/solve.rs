//! Solving polynomial systems: SPLIT, then one triangular system for each piece.
//!
//! ```text
//! x² + y² = 25, x·y = 12        (3, 4), (4, 3), (−3, −4), (−4, −3)
//! x² + y² = 0                   (0, 0): there is no other real solution
//! x³ − x − 1 = 0, y = x²        y = x², x the root of x³ − x − 1 between 1 and 2
//! ```
//!
//! The unknowns move, everything else is a parameter: generic, with the conditions kept. SPLIT leaves irreducible
//! pieces with their real equations; on each a lexicographic basis is triangular, and is solved by the rules for
//! [single equations](super::super::solve) from its end. Where these have no rule and an unknown satisfies a
//! polynomial with numbers as coefficients, its real roots are isolated: a [`SystemBranch`] then says which
//! root is meant by an equation and an interval. What remains is handed back as equations, never dropped.

use super::super::expr::{Condition, Expr, Relation};
use super::super::generator::{Generator, Kind};
use super::super::ideal::{Order, groebner};
use super::super::number::Rational;
use super::super::polynomial::{Monomial, Polynomial};
use super::super::roots::{AlgebraicNumber, isolate_real_roots};
use super::super::solve::{Unsolved, solve_where, without_hyperbolic};
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::super::verdict::Verdict;
use super::super::{decide, expr};
use super::cell::{Cell, Frame};
use super::components::components;
use super::families::by_functions;
use super::{Branch, basis};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted};
use rustc_hash::FxHashMap;

/// One family of real solutions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemBranch {
    /// Unknowns given by the others, in the order asked for.
    pub values: Vec<(Symbol, Expr)>,
    /// Unknowns that may be chosen.
    pub free: Vec<Symbol>,
    /// Equations that the unknowns without a value satisfy.
    pub equations: Vec<Expr>,
    /// It is a solution where all of these hold.
    pub conditions: Vec<Condition>,
}

/// All real solutions, for generic parameters.
#[derive(Clone, Debug)]
pub struct SystemSolutions {
    pub branches: Vec<SystemBranch>,
    /// Expressions in parameters that were taken to be nonzero.
    pub generic: Vec<Expr>,
    /// Whether every branch is given by values and nothing was left open.
    pub explicit: Verdict,
    /// Whether these are all solutions.
    pub complete: Verdict,
}

/// The real solutions of {equations = 0, nonzero ≠ 0} for the unknowns that satisfy the inequalities, too.
pub fn solve_system(
    cx: &Inquiry,
    equations: &[Expr],
    nonzero: &[Expr],
    given: &[Condition],
    unknowns: &[Symbol],
) -> Budgeted<SystemSolutions> {
    let equations = without_hyperbolic(equations, unknowns);
    let nonzero = without_hyperbolic(nonzero, unknowns);
    let (equations, nonzero) = (equations.as_slice(), nonzero.as_slice());
    let all: Vec<Expr> = equations.iter().chain(nonzero).copied().collect();
    let frame = Frame::new(cx, unknowns, &all)?;
    let read = |list: &[Expr]| list.iter().map(|e| frame.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>();
    let (polynomials, avoided) = (read(equations)?, read(nonzero)?);
    if nonzero.is_empty()
        && polynomials.iter().all(|p| is_linear(&frame, p))
        && let Ok((branches, generic)) = explicit_branches(cx, equations, given, unknowns)
    {
        let explicit = Verdict::yes("linear equations, by elimination");
        return Ok(SystemSolutions { branches, generic, complete: explicit.clone(), explicit });
    }
    let splitting = frame.split_as_far_as_possible(cx, &polynomials, &avoided);
    let mut solutions = SystemSolutions {
        branches: vec![],
        generic: vec![],
        explicit: Verdict::yes("every unknown has a value or is free"),
        complete: Verdict::yes("the set was split into all its pieces"),
    };
    let mut cells = Vec::new();
    for cell in &splitting.pieces {
        let apart = if splitting.stopped.is_none() { components(cx, &frame, cell).ok() } else { None };
        cells.extend(apart.unwrap_or_else(|| vec![cell.clone()]));
    }
    let mut stopped = splitting.stopped;
    for cell in &cells {
        let found = match solve_cell(cx, &frame, cell, given, unknowns) {
            Ok(found) => found,
            // A piece that was not solved is still known by its equations.
            Err(stop) => {
                stopped = Some(stop);
                let mut branch = as_equations(cx, &frame, cell);
                branch.conditions.extend(given);
                solutions.branches.push(branch);
                continue;
            }
        };
        for branch in found.branches {
            if !solutions.branches.contains(&branch) {
                solutions.branches.push(branch);
            }
        }
        solutions.explicit = solutions.explicit.and(found.explicit);
        for e in found.generic {
            if !solutions.generic.contains(&e) {
                solutions.generic.push(e);
            }
        }
    }
    if let Some(stop) = stopped {
        solutions.complete = Verdict::unknown(format!("incomplete: {stop}"));
        for open in &splitting.open {
            let equations = open.iter().map(|p| frame.write(p)).collect();
            let avoided = nonzero.iter().map(|e| Condition { relation: Relation::NotEqual, left: *e });
            let conditions = avoided.chain(given.iter().copied()).collect();
            solutions.branches.push(SystemBranch { equations, conditions, ..SystemBranch::default() });
        }
        solutions.explicit = Verdict::unknown(format!("incomplete: {stop}"));
    }
    for e in frame.generic_conditions() {
        if !solutions.generic.contains(&e) {
            solutions.generic.push(e);
        }
    }
    sort_descending(cx, &mut solutions.branches, |b| &b.values);
    Ok(solutions)
}

/// A piece of the set, by its equations and inequations.
fn as_equations(cx: &Inquiry, frame: &Frame, cell: &Cell) -> SystemBranch {
    let Branch { equations, nonzero } = frame.branch_at_hand(cx, cell);
    let conditions = nonzero.into_iter().map(|left| Condition { relation: Relation::NotEqual, left }).collect();
    SystemBranch { equations, conditions, ..SystemBranch::default() }
}

/// Whether the polynomial is linear in the unknowns together, and no unknown stands inside a function.
fn is_linear(frame: &Frame, p: &Polynomial) -> bool {
    let is_plain = |v: &u32| frame.is_constant(*v) || matches!(Generator(*v).kind(), Kind::Symbol(_));
    let degree = |m: &Monomial| m.iter().filter(|(v, _)| !frame.is_constant(*v)).map(|(_, e)| *e).sum::<u32>();
    p.variables().iter().all(is_plain) && p.terms().all(|(m, _)| degree(&m) <= 1)
}

/// Solutions that are numbers in descending order, the first unknown first; others stay as they were found.
pub fn sort_descending<B>(cx: &Inquiry, branches: &mut [B], values: impl Fn(&B) -> &[(Symbol, Expr)]) {
    if branches.iter().any(|b| values(b).iter().any(|(_, e)| !e.symbols().is_empty())) {
        return;
    }
    let is_before = |a: &B, b: &B| {
        let pairs = values(a).iter().zip(values(b)).take_while(|((x, _), (y, _))| x == y);
        let mut differing = pairs.filter(|((_, left), (_, right))| left != right);
        differing.next().is_some_and(|((_, left), (_, right))| decide::sign(cx, *left - *right).is_positive())
    };
    for i in 1..branches.len() {
        let mut k = i;
        while k > 0 && is_before(&branches[k], &branches[k - 1]) {
            branches.swap(k, k - 1);
            k -= 1;
        }
    }
}

pub(super) struct Solved {
    pub branches: Vec<SystemBranch>,
    pub explicit: Verdict,
    /// Minors that were divided by.
    pub generic: Vec<Expr>,
}

fn solve_cell(cx: &Inquiry, frame: &Frame, cell: &Cell, given: &[Condition], unknowns: &[Symbol]) -> Budgeted<Solved> {
    let whole = frame.branch(cx, cell)?;
    let Branch { equations, nonzero } = &whole;
    let conditions = |branch: &mut SystemBranch| -> bool {
        let map: FxHashMap<Symbol, Expr> = branch.values.iter().copied().collect();
        nonzero.iter().all(|e| {
            let left = substitute(*e, &map);
            match decide::is_zero(cx, left) {
                Verdict::Yes(_) => return false,
                Verdict::No(_) if left.symbols().is_empty() => {}
                _ => branch.conditions.push(Condition { relation: Relation::NotEqual, left }),
            }
            true
        })
    };
    let explicit = Verdict::yes("solved equation by equation");
    // As few equations as there are first; the triangular form if they resist.
    let triangular = triangular(cx, frame, cell, unknowns)?;
    let mut resisted = String::new();
    for list in [equations, &triangular] {
        // The equations of a piece hold for generic parameters, and are solved for these only.
        let nonzero = |left| Condition { relation: Relation::NotEqual, left };
        let mut generic: Vec<Condition> = frame.generic_conditions().into_iter().map(nonzero).collect();
        generic.extend(given);
        match explicit_branches(cx, list, &generic, unknowns) {
            Ok((mut branches, generic)) => {
                branches.retain_mut(conditions);
                return Ok(Solved { branches, explicit, generic });
            }
            Err(Unsolved::Budget(Exhausted::Interrupted)) => return Err(Exhausted::Interrupted),
            Err(stop) => resisted = stop.to_string(),
        }
    }
    if let Some(mut found) = by_real_roots(cx, &triangular, given, unknowns)? {
        found.branches.retain_mut(conditions);
        return Ok(found);
    }
    if let Some(found) = by_functions(cx, frame, cell, &whole, given, unknowns)? {
        return Ok(found);
    }
    let mut branch = SystemBranch { equations: equations.clone(), ..SystemBranch::default() };
    let in_play = expr::symbols_of(&branch.equations);
    branch.free = unknowns.iter().copied().filter(|s| !in_play.contains(s)).collect();
    branch.conditions.extend(given);
    let mut branches = vec![branch];
    branches.retain_mut(conditions);
    let explicit = match is_periodic(cell) {
        true => Verdict::no("a periodic family has infinitely many members: it is kept as an equation"),
        false => Verdict::unknown(resisted),
    };
    Ok(Solved { branches, explicit, generic: vec![] })
}

/// Whether the equations are about sines and cosines alone, or give other unknowns by numbers: sin q = 0, x = 1.
fn is_periodic(cell: &Cell) -> bool {
    let is_circular = |v: &u32| matches!(Generator(*v).kind(), Kind::Sine(_) | Kind::Cosine(_));
    let is_number = |p: &Polynomial| p.variables().len() == 1 && p.total_degree() == 1;
    let has_family = cell.equations().iter().any(|p| p.variables().iter().all(is_circular));
    has_family && cell.equations().iter().all(|p| is_number(p) || p.variables().iter().all(is_circular))
}

/// The equations of the cell in lexicographic order of the unknowns: the last ones contain the last unknowns only.
fn triangular(cx: &Inquiry, frame: &Frame, cell: &Cell, unknowns: &[Symbol]) -> Budgeted<Vec<Expr>> {
    let mut generators = cell.equations().to_vec();
    generators.extend(basis::relations(&generators));
    let mut variables: Vec<u32> = generators.iter().flat_map(|g| g.variables().iter().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    // Functions of an unknown stand with it; an unknown that is asked for first is eliminated first.
    let place = |v: &u32| {
        let symbols = Generator(*v).meaning().symbols();
        unknowns.iter().position(|u| symbols.contains(u)).unwrap_or(usize::MAX)
    };
    let (parameters, mut moving): (Vec<u32>, Vec<u32>) =
        variables.iter().partition(|v| frame.is_constant(**v) && Generator(**v).relation().is_none());
    moving.sort_by_key(|v| (place(v), *v));
    let lexicographic = groebner(cx, &generators, &Order::lex(&moving), &parameters);
    let mut elements = lexicographic.generators;
    if !lexicographic.complete {
        elements = cell.equations().to_vec();
    }
    elements.retain(|g| !super::super::generator::reduce(cx, g.clone()).is_ok_and(|r| r.is_zero()));
    Ok(elements.iter().map(|p| frame.write(p)).collect())
}

/// The rules for single equations, one after the other.
pub(super) fn explicit_branches(
    cx: &Inquiry,
    equations: &[Expr],
    given: &[Condition],
    unknowns: &[Symbol],
) -> Result<(Vec<SystemBranch>, Vec<Expr>), Unsolved> {
    let found = solve_where(cx, equations, given, unknowns)?;
    let plain = |b: super::super::solve::Branch| SystemBranch {
        values: b.values,
        free: b.free,
        equations: vec![],
        conditions: b.conditions,
    };
    Ok((found.branches.into_iter().map(plain).collect(), found.not_covered))
}

/// If an unknown satisfies a polynomial with rational coefficients: one branch for each real root, the other
/// unknowns solved for in terms of it.
pub(super) fn by_real_roots(
    cx: &Inquiry,
    equations: &[Expr],
    given: &[Condition],
    unknowns: &[Symbol],
) -> Budgeted<Option<Solved>> {
    let frame = Frame::new(cx, unknowns, equations)?;
    let polynomials = equations.iter().map(|e| frame.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
    let in_one_unknown = polynomials.iter().position(|p| match p.variables() {
        [v] => matches!(Generator(*v).kind(), Kind::Symbol(s) if unknowns.contains(&s)) && !is_held(*v, &polynomials),
        _ => false,
    });
    let Some(at) = in_one_unknown else { return Ok(None) };
    let (p, e) = (&polynomials[at], equations[at]);
    let variable = p.variables()[0];
    let Kind::Symbol(x) = Generator(variable).kind() else { return Ok(None) };
    let rest: Vec<Expr> = equations.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| *e).collect();
    let others: Vec<Symbol> = unknowns.iter().copied().filter(|s| *s != x).collect();
    let (families, generic) = match explicit_branches(cx, &rest, given, &others) {
        Ok(found) => found,
        Err(Unsolved::Budget(Exhausted::Interrupted)) => return Err(Exhausted::Interrupted),
        Err(_) => return Ok(None),
    };
    let mut branches = Vec::new();
    for root in isolate_real_roots(cx, p)? {
        cx.check()?;
        for family in &families {
            let mut branch = family.clone();
            match root.to_rational() {
                Some(value) => branch.put(x, Expr::number(value)),
                None => {
                    branch.equations.push(e);
                    branch.conditions.extend(between(x, &separated(cx, &root)?));
                }
            }
            let decided = branch.conditions.iter().map(|c| decided_at(cx, &frame, c, variable, &root));
            let decided = decided.collect::<Budgeted<Vec<Option<bool>>>>()?;
            if decided.contains(&Some(false)) {
                continue;
            }
            let interval = [Relation::Greater, Relation::Less];
            let mut truths = decided.into_iter();
            branch.conditions.retain(|c| {
                let settled = truths.next().flatten() == Some(true);
                !settled || (interval.contains(&c.relation) && is_bound(c, x))
            });
            branch.values.sort_by_key(|(s, _)| unknowns.iter().position(|u| u == s));
            branches.push(branch);
        }
    }
    let explicit = Verdict::no("some unknowns are given by their polynomial and an interval");
    // The minors divided by are polynomials in the root: decided above as conditions of the families.
    let generic = generic.into_iter().filter(|g| !g.symbols().contains(&x)).collect();
    Ok(Some(Solved { branches, explicit, generic }))
}

/// Whether the symbol also stands inside another generator.
fn is_held(variable: u32, polynomials: &[Polynomial]) -> bool {
    let Kind::Symbol(s) = Generator(variable).kind() else { return true };
    let all = polynomials.iter().flat_map(|p| p.variables());
    all.into_iter().any(|v| *v != variable && Generator(*v).meaning().contains(s))
}

/// An interval with simple ends that contains this root of its polynomial and no other.
fn separated(cx: &Inquiry, root: &AlgebraicNumber) -> Budgeted<(Rational, Rational)> {
    let interval = root.interval();
    if interval.width() <= Rational::ONE {
        return Ok((interval.low, interval.high));
    }
    let fine = root.refine(cx, &Rational::ONE)?;
    Ok((fine.low, fine.high))
}

/// low < x < high.
fn between(x: Symbol, (low, high): &(Rational, Rational)) -> [Condition; 2] {
    let x = Expr::symbol(x);
    [
        Condition { relation: Relation::Greater, left: x - Expr::number(low.clone()) },
        Condition { relation: Relation::Less, left: x - Expr::number(high.clone()) },
    ]
}

/// Whether the condition is a bound of the interval: x minus a number.
fn is_bound(c: &Condition, x: Symbol) -> bool {
    substitute(c.left, &FxHashMap::from_iter([(x, Expr::zero())])).is_number()
}

/// A condition on x alone, at the root.
fn decided_at(
    cx: &Inquiry,
    frame: &Frame,
    c: &Condition,
    variable: u32,
    root: &AlgebraicNumber,
) -> Budgeted<Option<bool>> {
    let Some((n, d)) = frame.read(cx, c.left)? else { return Ok(Some(false)) };
    let plain = |p: &Polynomial| p.variables().iter().all(|v| *v == variable);
    if !plain(&n) || !plain(&d) {
        return Ok(None);
    }
    let sign = Rational::from(i64::from(root.sign_of(cx, &n)?) * i64::from(root.sign_of(cx, &d)?));
    Ok(Some(c.relation.holds(&sign)))
}

impl SystemBranch {
    /// Gives an unknown its value.
    fn put(&mut self, x: Symbol, value: Expr) {
        let map = FxHashMap::from_iter([(x, value)]);
        for (_, v) in &mut self.values {
            *v = substitute(*v, &map);
        }
        for c in &mut self.conditions {
            c.left = substitute(c.left, &map);
        }
        self.values.push((x, value));
    }
}
