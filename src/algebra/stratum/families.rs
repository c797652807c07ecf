//! Solving where unknowns stand inside functions: the functions are unknowns of their own, with their relations.
//!
//! ```text
//! sin q = 1/2, x = cos q        x =  √3/2 on the family sin q = 1/2, cos q =  √3/2,
//!                               x = −√3/2 on the family sin q = 1/2, cos q = −√3/2
//! a·sin q = b, a ≠ 0            the family a·sin q = b where b² ≤ a²
//! V(q) = 0, x = V(q) + 1        x = 1 where V(q) = 0
//! ```
//!
//! A sine is not inverted, because its equation has infinitely many solutions or none: what the function satisfies is
//! kept, as an equation, and the other unknowns get their values. With s for sin q, c for cos q, e for eᵘ, r for √u the
//! system is a polynomial one; to its equations come s² + c² = 1 and r² = u, and to its conditions what the functions
//! cannot help: s² ≤ 1 if the cosine does not occur, e > 0, r ≥ 0. A periodic family that satisfies these has members;
//! of other functions, and of several functions of one unknown, it is not known which values they take.

use super::super::decide;
use super::super::expr::{Condition, Expr, Relation, symbols_of};
use super::super::factor::squarefree;
use super::super::generator::{Generator, Kind, in_cosine};
use super::super::ideal::{Order, groebner_within};
use super::super::normal::{self, write::polynomial_expr};
use super::super::polynomial::Polynomial;
use super::super::solve::Unsolved;
use super::super::substitute::substitute;
use super::super::symbol::Symbol;
use super::super::verdict::Verdict;
use super::Branch;
use super::cell::{Cell, Frame};
use super::solve::{Solved, SystemBranch, by_real_roots, explicit_branches};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, Exhausted, share};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The functions of unknowns in a system, each with the symbol that stands for it.
struct Functions {
    list: Vec<(u32, Symbol)>,
}

/// The solutions of a cell in terms of its functions; `None` if it has none, or if the system resists in this form, too.
pub(super) fn by_functions(
    cx: &Inquiry,
    frame: &Frame,
    cell: &Cell,
    Branch { equations, nonzero }: &Branch,
    inequalities: &[Condition],
    unknowns: &[Symbol],
) -> Budgeted<Option<Solved>> {
    let mut polynomials = equations.iter().map(|e| frame.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
    let functions = Functions::of(cx, &mut polynomials, unknowns)?;
    if functions.list.is_empty() {
        return Ok(None);
    }
    let is_inside = |s: &Symbol| functions.transcendental().any(|g| g.meaning().contains(*s));
    // Unknowns outside of functions are expressed by the others, so they come first.
    let (inside, outside): (Vec<Symbol>, Vec<Symbol>) = unknowns.iter().partition(|s| is_inside(s));
    let order: Vec<Symbol> =
        outside.iter().chain(&inside).copied().chain(functions.list.iter().map(|(_, s)| *s)).collect();
    let mut given = functions.bounds(cx, &polynomials);
    let bounds = given.clone();
    let not_zero = |left| Condition { relation: Relation::NotEqual, left };
    given.extend(frame.generic_conditions().into_iter().map(not_zero));
    let mut elsewhere = Vec::new();
    for e in nonzero {
        match functions.inequation(&frame.read_numerator(cx, *e)?) {
            Some(p) => given.push(not_zero(polynomial_expr(&p))),
            None => elsewhere.push(not_zero(*e)),
        }
    }
    for c in inequalities {
        // n/d and n·d have the same sign.
        let (n, d) = frame.read(cx, c.left)?.ok_or(Exhausted::Size)?;
        match functions.named(&n.mul(cx, &d)?) {
            Some(p) => given.push(Condition { relation: c.relation, left: polynomial_expr(&p) }),
            None => elsewhere.push(*c),
        }
    }
    let plain: Vec<Polynomial> = polynomials.iter().map(|p| functions.name(p)).collect();
    let Some(solved) = solve_plain(cx, frame, &plain, &given, &order)? else { return Ok(None) };
    let mut branches = Vec::new();
    let is_cut = |c: &Condition| c.relation == Relation::Equal && !is_constant(functions.written(c.left), unknowns);
    let is_smaller = solved.branches.iter().any(|b| b.conditions.iter().any(is_cut));
    let mut generic: Vec<Expr> = solved.generic.into_iter().map(|e| functions.meaning(cx, e)).collect();
    let is_kept = |s: &Symbol| unknowns.contains(s) && !is_inside(s);
    for branch in solved.branches {
        let Some(mut written) = functions.write_back(cx, &branch, &bounds, is_kept, unknowns)? else { continue };
        // Parameters are generic: they satisfy no equation, and every inequation, which is said once for all branches.
        let of_parameters = |c: &Condition| is_constant(c.left, unknowns);
        if written.conditions.iter().any(|c| c.relation == Relation::Equal && of_parameters(c)) {
            continue;
        }
        let said = |c: &Condition| c.relation == Relation::NotEqual && of_parameters(c);
        generic.extend(written.conditions.iter().filter(|c| said(c)).map(|c| c.left));
        written.conditions.retain(|c| !said(c));
        let values: FxHashMap<Symbol, Expr> = written.values.iter().copied().collect();
        let there = |c: &Condition| Condition { relation: c.relation, left: substitute(c.left, &values) };
        written.conditions.extend(elsewhere.iter().map(there));
        branches.push(written);
    }
    // Equations of functions alone are kept as they are, if the solutions add nothing but where they exist.
    if let Some(first) = branches.first()
        && !is_smaller
        && branches.iter().all(|b| b.values.is_empty() && b.conditions == first.conditions)
        && cell.equations().iter().all(|p| p.variables().iter().all(|v| !is_symbol_in(*v, unknowns)))
    {
        let (conditions, free) = (first.conditions.clone(), first.free.clone());
        branches = vec![SystemBranch { equations: equations.to_vec(), conditions, free, values: vec![] }];
    }
    let explicit = match branches.iter().all(|b| b.equations.is_empty()) {
        true => Verdict::yes("every unknown has a value or is free"),
        false => functions.kept_families(cx, &branches, unknowns),
    };
    generic.retain(|e| is_constant(*e, unknowns) && !decide::sign(cx, *e).is_nonzero());
    Ok(Some(Solved { branches, explicit, generic }))
}

fn is_symbol_in(variable: u32, list: &[Symbol]) -> bool {
    matches!(Generator(variable).kind(), Kind::Symbol(s) if list.contains(&s))
}

fn is_constant(e: Expr, unknowns: &[Symbol]) -> bool {
    !unknowns.iter().any(|s| e.contains(*s))
}

/// The polynomial system: by the rules for single equations, as it is and then in triangular form, or by real roots.
fn solve_plain(
    cx: &Inquiry,
    frame: &Frame,
    polynomials: &[Polynomial],
    given: &[Condition],
    order: &[Symbol],
) -> Budgeted<Option<Solved>> {
    let unknowns: Vec<u32> = order.iter().map(|s| Generator::of_symbol(*s).0).collect();
    let mut parameters: Vec<u32> = polynomials.iter().flat_map(|p| p.variables().iter().copied()).collect();
    parameters.retain(|v| !unknowns.contains(v));
    parameters.sort_unstable();
    parameters.dedup();
    let write = |list: &[Polynomial]| list.iter().map(polynomial_expr).collect::<Vec<Expr>>();
    let explicit = || Verdict::yes("solved equation by equation");
    let as_found = write(polynomials);
    match explicit_branches(cx, &as_found, given, order) {
        Ok((branches, generic)) => return Ok(Some(Solved { branches, explicit: explicit(), generic })),
        Err(Unsolved::Budget(Exhausted::Interrupted)) => return Err(Exhausted::Interrupted),
        Err(_) => {}
    }
    let basis = groebner_within(cx, polynomials, &Order::lex(&unknowns), &parameters, share::FAMILIES);
    if !basis.complete {
        return Ok(None);
    }
    for condition in &basis.conditions {
        frame.note_generic(cx, condition)?;
    }
    let triangular = write(&basis.generators);
    match explicit_branches(cx, &triangular, given, order) {
        Ok((branches, generic)) => return Ok(Some(Solved { branches, explicit: explicit(), generic })),
        Err(Unsolved::Budget(Exhausted::Interrupted)) => return Err(Exhausted::Interrupted),
        Err(_) => {}
    }
    by_real_roots(cx, &triangular, given, order)
}

impl Functions {
    /// Every function of unknowns in the polynomials, which get the relations of the functions among them. A function that
    /// can be inverted is none of these as long as its unknowns stand nowhere else.
    fn of(cx: &Inquiry, polynomials: &mut Vec<Polynomial>, unknowns: &[Symbol]) -> Budgeted<Functions> {
        in_cosines(cx, polynomials)?;
        let mut variables = variables_of(polynomials);
        let holds = |v: u32| unknowns.iter().copied().filter(move |s| Generator(v).meaning().contains(*s));
        let is_function = |v: &u32| !matches!(Generator(*v).kind(), Kind::Symbol(_)) && holds(*v).next().is_some();
        let is_alone =
            |v: u32, all: &[u32]| holds(v).all(|s| all.iter().all(|w| *w == v || !Generator(*w).meaning().contains(s)));
        let mut done: Vec<u32> = Vec::new();
        let mut list = Vec::new();
        while let Some(v) = variables.iter().copied().find(|v| !done.contains(v)) {
            done.push(v);
            if !is_function(&v) {
                continue;
            }
            let kind = Generator(v).kind();
            let is_invertible = matches!(kind, Kind::Exponential(_) | Kind::Logarithm(_));
            if is_invertible && is_alone(v, &variables) {
                continue;
            }
            list.push(v);
            let is_paired = !matches!(kind, Kind::Cosine(_)) || variables.contains(&(v - 1));
            if let Some(relation) = Generator(v).relation().filter(|_| is_paired) {
                polynomials.push(&Polynomial::power(v, relation.degree) - &relation.value);
                variables = variables_of(polynomials);
            }
        }
        list.sort_unstable();
        Ok(Functions { list: list.into_iter().map(|v| (v, stand_in(Generator(v).meaning()))).collect() })
    }

    /// Those that are not roots or absolute values: their arguments are not determined by their values.
    fn transcendental(&self) -> impl Iterator<Item = Generator> + '_ {
        self.list.iter().map(|(v, _)| Generator(*v)).filter(|g| !is_algebraic(*g))
    }

    /// The polynomial with a symbol for every function.
    fn name(&self, p: &Polynomial) -> Polynomial {
        let symbol = |v: u32| self.list.iter().find(|(w, _)| *w == v).map(|(_, s)| Generator::of_symbol(*s).0);
        p.rename(|v| symbol(v).unwrap_or(v))
    }

    /// The polynomial with a symbol for every function; `None` if it contains functions that do not occur in the equations.
    fn named(&self, p: &Polynomial) -> Option<Polynomial> {
        let is_plain = |v: &u32| self.knows(*v) || matches!(Generator(*v).kind(), Kind::Symbol(_));
        p.variables().iter().all(is_plain).then(|| self.name(p))
    }

    /// The same for an inequation: cos q ≠ 0 is sin² q ≠ 1 where only the sine occurs.
    fn inequation(&self, p: &Polynomial) -> Option<Polynomial> {
        let square = |w: u32| Some(self.name(&(&Polynomial::one() - &Polynomial::power(w, 2))));
        match (p.variables(), p.total_degree()) {
            (&[v], 1) if *p == Polynomial::variable(v) && !self.knows(v) => match Generator(v).kind() {
                Kind::Cosine(_) if self.knows(v - 1) => square(v - 1),
                Kind::Sine(_) if self.knows(v + 1) => square(v + 1),
                _ => self.named(p),
            },
            _ => self.named(p),
        }
    }

    fn knows(&self, v: u32) -> bool {
        self.list.iter().any(|(w, _)| *w == v)
    }

    /// The expression with its functions again, as it is.
    fn written(&self, e: Expr) -> Expr {
        let map: FxHashMap<Symbol, Expr> = self.list.iter().map(|(v, s)| (*s, Generator(*v).meaning())).collect();
        substitute(e, &map)
    }

    /// The same, simplified.
    fn meaning(&self, cx: &Inquiry, e: Expr) -> Expr {
        let written = self.written(e);
        normal::simplify(cx, written).unwrap_or(written)
    }

    /// What the functions satisfy, beyond the relations among the polynomials.
    fn bounds(&self, cx: &Inquiry, polynomials: &[Polynomial]) -> Vec<Condition> {
        let variables = variables_of(polynomials);
        let mut bounds = Vec::new();
        for (v, s) in &self.list {
            let value = Expr::symbol(*s);
            let partner = match Generator(*v).kind() {
                Kind::Sine(_) => Some(v + 1),
                Kind::Cosine(_) => Some(v - 1),
                _ => None,
            };
            if partner.is_some_and(|p| !variables.contains(&p)) {
                bounds.push(Condition { relation: Relation::GreaterEqual, left: Expr::one() - value.pow(2) });
            }
            let sign = Generator(*v).sign(cx);
            let relation = [
                (sign.is_positive(), Relation::Greater),
                (sign.is_negative(), Relation::Less),
                (sign.is_nonnegative(), Relation::GreaterEqual),
                (sign.is_nonpositive(), Relation::LessEqual),
                (sign.is_nonzero(), Relation::NotEqual),
            ];
            if let Some((_, relation)) = relation.into_iter().find(|(holds, _)| *holds) {
                bounds.push(Condition { relation, left: value });
            }
        }
        bounds
    }

    /// A solution in terms of the functions; `None` if the functions cannot take these values.
    fn write_back(
        &self,
        cx: &Inquiry,
        branch: &SystemBranch,
        bounds: &[Condition],
        is_kept: impl Fn(&Symbol) -> bool,
        unknowns: &[Symbol],
    ) -> Budgeted<Option<SystemBranch>> {
        let mut written = SystemBranch::default();
        let is_root = |s: &Symbol| self.list.iter().any(|(v, t)| t == s && is_algebraic(Generator(*v)));
        for (s, value) in &branch.values {
            let value = self.meaning(cx, *value);
            if is_kept(s) && !value.contains(*s) {
                written.values.push((*s, value));
            } else if !is_root(s) || is_constant(value, unknowns) && !self.is_settled(s, branch) {
                written.equations.push(numerator(cx, self.meaning(cx, Expr::symbol(*s)) - value)?);
            }
        }
        written.equations.extend(branch.equations.iter().map(|e| self.written(*e)));
        for c in branch.conditions.iter().filter(|c| !bounds.contains(c)) {
            let left = self.meaning(cx, c.left);
            match c.relation.decided_by(decide::sign(cx, left)) {
                Some(true) => {}
                Some(false) => return Ok(None),
                None if c.relation == Relation::Equal && !is_constant(left, unknowns) => {
                    let p = normal::normal_form(cx, left)?.cancel(cx)?.fraction(cx)?.0;
                    let simple = squarefree(cx, &p)?.factors.into_iter().map(|(f, _)| polynomial_expr(&f));
                    written.equations.push(Expr::multiply_all(simple.collect::<Vec<_>>()));
                }
                None => written.conditions.push(Condition { relation: c.relation, left }),
            }
        }
        let in_play = symbols_of(&written.equations);
        let has_value = |s: &Symbol| written.values.iter().any(|(t, _)| t == s);
        written.free = unknowns.iter().copied().filter(|s| !in_play.contains(s) && !has_value(s)).collect();
        written.values.sort_by_key(|(s, _)| unknowns.iter().position(|u| u == s));
        Ok(Some(written))
    }

    /// Whether the root follows from the values of what stands in it.
    fn is_settled(&self, s: &Symbol, branch: &SystemBranch) -> bool {
        let Some((v, _)) = self.list.iter().find(|(_, t)| t == s) else { return false };
        let inside = Generator(*v).meaning().symbols();
        inside.iter().all(|x| branch.values.iter().any(|(y, _)| x == y))
    }

    /// What is known of the families that are kept as equations.
    fn kept_families(&self, cx: &Inquiry, branches: &[SystemBranch], unknowns: &[Symbol]) -> Verdict {
        let equations: Vec<Expr> = branches.iter().flat_map(|b| b.equations.iter().copied()).collect();
        let in_play: Vec<Generator> = self
            .transcendental()
            .filter(|g| equations.iter().any(|e| super::super::expr::post_order(&[*e]).contains(&g.meaning())))
            .collect();
        let argument = |g: &Generator| match g.kind() {
            Kind::Sine(u) | Kind::Cosine(u) => Some(u),
            _ => None,
        };
        for s in unknowns {
            let holders: Vec<&Generator> = in_play.iter().filter(|g| g.meaning().contains(*s)).collect();
            let Some(first) = holders.first() else { continue };
            let alone = argument(first);
            // As q runs through the numbers so do q and 2q, but not sin q: sin(sin q) = 1 has no solution.
            let runs = |u: Expr| {
                normal::simplify(cx, super::super::derive::partial(cx, u, *s)).is_ok_and(|x| is_nonzero_number(cx, x))
            };
            let is_free = alone.is_some_and(runs) && holders.iter().all(|g| argument(g) == alone);
            let is_bare = equations.iter().any(|e| stands_bare(cx, *e, *s));
            if !is_free || is_bare {
                let names: Vec<String> = holders.iter().map(|g| g.meaning().to_string()).collect();
                return Verdict::unknown(format!("which values of {s} give these values of {}", names.join(", ")));
            }
        }
        Verdict::no("a periodic family has infinitely many members: it is kept as an equation")
    }
}

/// Constant, and not zero for generic parameters.
fn is_nonzero_number(cx: &Inquiry, e: Expr) -> bool {
    e.symbols().iter().all(|s| s.is_parameter()) && (decide::sign(cx, e).is_nonzero() || decide::is_zero(cx, e).is_no())
}

/// Whether the unknown stands in the expression outside of functions.
fn stands_bare(cx: &Inquiry, e: Expr, s: Symbol) -> bool {
    let polynomial = normal::normal_form(cx, e).and_then(|form| form.cancel(cx)).and_then(|form| form.fraction(cx));
    polynomial.map_or(true, |(n, _)| n.contains(Generator::of_symbol(s).0))
}

fn is_algebraic(g: Generator) -> bool {
    matches!(g.kind(), Kind::Root { .. } | Kind::Absolute { .. })
}

fn numerator(cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
    Ok(polynomial_expr(&normal::normal_form(cx, e)?.cancel(cx)?.fraction(cx)?.0.primitive_part()))
}

/// Normal forms prefer the sine. Where sin² = 1 − cos² makes it disappear, one function is left instead of two.
fn in_cosines(cx: &Inquiry, polynomials: &mut [Polynomial]) -> Budgeted<()> {
    for v in variables_of(polynomials) {
        let is_sine = matches!(Generator(v).kind(), Kind::Sine(_));
        if !is_sine || !polynomials.iter().any(|p| p.contains(v + 1)) {
            continue;
        }
        let mut written = Vec::with_capacity(polynomials.len());
        for p in polynomials.iter() {
            let Some(other) = in_cosine(cx, p, v)? else { break };
            written.push(other);
        }
        if written.len() == polynomials.len() {
            polynomials.clone_from_slice(&written);
        }
    }
    Ok(())
}

fn variables_of(polynomials: &[Polynomial]) -> Vec<u32> {
    let mut variables: Vec<u32> = polynomials.iter().flat_map(|p| p.variables().iter().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// The symbol that stands for a function in polynomial systems; always the same one for the same function.
fn stand_in(meaning: Expr) -> Symbol {
    thread_local!(static KNOWN: RefCell<FxHashMap<Expr, Symbol>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| *known.entry(meaning).or_insert_with(|| Symbol::helper(&meaning.to_string())))
}
