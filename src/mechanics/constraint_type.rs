//! What kind of constraints these are: holonomic, semiholonomic, affine or nonlinear nonholonomic. Krupková 10.3, 11.6–11.7.
//!
//! The kind is that of Q, never of the expression that was typed: exp(ż − yẋ) = 1 is affine, x ż − z ẋ = 0 is semiholonomic, and
//! ż = yẋ, ẏ = ẋ are integrable together, the first alone is not.
//!
//! ```text
//! C^i_a = ∂_Γ(∂g^i/∂q̇^a) − ∂g^i/∂q^a − (∂g^i/∂q^{D_j})(∂g^j/∂q̇^a),   ∂_Γ = ∂_t + q̇^l ∂_l + g^j ∂_{D_j}      Volný–Krupková (4.16)
//! ```
//!
//! For affine constraints of first order the constraint ideal is differential exactly where all C vanish (Frobenius, t included).
//! For higher orders the Pfaffian system
//!
//! ```text
//! I = { dq_{r−1}^{D_i} − a^i dt − b^i_l dq_{r−1}^l,  ω_0^σ, …, ω_{r−2}^σ }   on J^{r−1}Y,      g^i = a^i + b^i_l q_r^l
//! ```
//!
//! decides by its derived flag. dv ∈ I^{(∞)} means that v is constant on Q. The constraints are semiholonomic exactly where the
//! total derivatives of such v cut out Q, that is where the components of I^{(∞)} along dq_{r−1} have rank k. Its own rank may be
//! larger: of f = d²u/dt² both du/dt and u − t du/dt are constant. It bounds the degree and need not be it: ẍ + x = 0 has two integrals
//! and no u(t, x) whose second derivative vanishes with it.
//!
//! Constraints of several orders are asked level by level: those of order r on the points of J^{r−1}Y that satisfy all of lower order.
//! Hence x = y makes ż = yẋ integrable, as ẋ = ẏ does.
//!
//! First integrals are looked for by the Euler operator (f a total derivative as it stands, or after a factor), and by
//! elimination of those that are known. That none is found proves nothing; the kind does not rest on it.

use super::constraint_structure::{ConstraintStructure, Declared, NormalForm};
use super::functional_independence::functionally_independent;
use super::inverse_problem::{potential, primitive};
use super::lagrangian::Lagrangian;
use super::{Answered, decided, exhausted, jet, jet_expr, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::geometry::distribution::Codistribution;
use crate::geometry::form::Form;
use crate::geometry::jet::{Chart, total_derivative};
use rustc_hash::FxHashMap;

/// The four kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Holonomic,
    Semiholonomic,
    AffineNonholonomic,
    NonlinearNonholonomic,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct ConstraintType {
    pub orders: Vec<u32>,
    pub affine: Verdict,
    pub integrable: Verdict,
    /// C^i_a, for affine constraints of first order in normal form.
    pub curvature: Option<Matrix>,
    /// The degree p of a semiholonomic constraint f = dᵖu/dtᵖ, as far as integrals were found.
    pub degree: Option<u32>,
    /// u for each constraint, as far as they were found.
    pub integrals: Vec<Expr>,
}

impl Kind {
    pub fn label(self) -> &'static str {
        match self {
            Kind::Holonomic => "holonomic",
            Kind::Semiholonomic => "semiholonomic",
            Kind::AffineNonholonomic => "affine_nonholonomic",
            Kind::NonlinearNonholonomic => "nonlinear_nonholonomic",
        }
    }
}

impl ConstraintType {
    /// The kind, or a refusal that says what could not be decided.
    pub fn kind(&self) -> Answered<Kind> {
        if self.orders.iter().all(|r| *r == 0) {
            return Ok(Kind::Holonomic);
        }
        if !decided(&self.affine, "the constraints are affine in the highest jets")? {
            return Ok(Kind::NonlinearNonholonomic);
        }
        Ok(match decided(&self.integrable, "the constraint ideal is differential")? {
            true => Kind::Semiholonomic,
            false => Kind::AffineNonholonomic,
        })
    }
}

/// The type of the constraints of a structure that is written on the level max(r, 1).
pub fn constraint_type(cx: &Inquiry, declared: &Declared, q: &ConstraintStructure) -> Answered<ConstraintType> {
    let orders: Vec<u32> = q.constraints().iter().map(|c| c.order).collect();
    if orders.iter().all(|r| *r == 0) {
        let yes = || Verdict::yes("they restrict positions only");
        let integrals = q.constraints().iter().map(|c| c.function).collect();
        return Ok(ConstraintType {
            orders,
            affine: yes(),
            integrable: yes(),
            curvature: None,
            degree: Some(0),
            integrals,
        });
    }
    let affine = is_affine(cx, declared, q)?;
    let curvature = match (q.level(), affine.is_yes(), q.normal_form()) {
        (1, true, NormalForm::Explicit(g)) => Some(curvature(cx, q, g)),
        (1, true, NormalForm::Implicit { .. }) => implicit_curvature(cx, q)?,
        _ => None,
    };
    let mut by_flag = None;
    let integrable = match (&affine, &curvature) {
        (Verdict::No(_), _) => Verdict::no("the constraints are not affine in the highest jets"),
        (Verdict::Unknown(why), _) => Verdict::unknown(why.clone()),
        (Verdict::Yes(_), Some(c)) => {
            Verdict::all(c.entries().map(|e| q.vanishes_on_q(cx, e)), "there is no independent coordinate")
        }
        (Verdict::Yes(_), None) => {
            by_level(cx, declared, q)?.iter().fold(Verdict::yes("they restrict positions only"), |so_far, on| {
                match so_far.is_no() {
                    true => so_far,
                    false => joined(so_far, derived_flag(cx, on, &mut by_flag)),
                }
            })
        }
    };
    let (degree, integrals) = match integrable.is_yes() {
        true => integrals(cx, q)?,
        false => (None, vec![]),
    };
    Ok(ConstraintType { orders, affine, integrable, curvature, degree: degree.or(by_flag), integrals })
}

/// The structures of the constraints up to each order ρ ≥ 1 that one of them has, on the level ρ.
fn by_level(cx: &Inquiry, declared: &Declared, q: &ConstraintStructure) -> Answered<Vec<ConstraintStructure>> {
    let mut levels: Vec<u32> = q.constraints().iter().map(|c| c.order).filter(|r| *r > 0).collect();
    levels.sort_unstable();
    levels.dedup();
    let on = |level: u32| -> Answered<ConstraintStructure> {
        if level == q.level() {
            return Ok(q.clone());
        }
        let active: Vec<usize> = (0..q.n_constraints()).filter(|i| q.constraints()[*i].order <= level).collect();
        let lower = Declared {
            equations: active.iter().map(|i| declared.equations[*i]).collect(),
            dependent: active.iter().map(|i| q.coordinate(q.dependent()[*i])).collect(),
            ..declared.clone()
        };
        ConstraintStructure::new(cx, &lower, level)
    };
    levels.into_iter().map(on).collect()
}

/// Both verdicts; where both are yes, in the words of the second.
fn joined(first: Verdict, second: Verdict) -> Verdict {
    if first.is_yes() { second } else { first.and(second) }
}

/// ∂²g^i/∂q_ρ^a∂q_ρ^b = 0 for every order ρ ≥ 1 that a constraint has: above its own order each is affine.
fn is_affine(cx: &Inquiry, declared: &Declared, q: &ConstraintStructure) -> Answered<Verdict> {
    let mut verdict = Verdict::yes("the second derivatives by the highest jets vanish");
    for on in by_level(cx, declared, q)? {
        let n = on.independent().len();
        for i in 0..on.n_constraints() {
            for a in 0..n {
                for b in a..n {
                    let second = on.slope_on_q(cx, on.slopes()[(i, a)], b);
                    verdict = verdict.and(on.vanishes_on_q(cx, second));
                    if verdict.is_no() {
                        return Ok(verdict);
                    }
                }
            }
        }
    }
    Ok(verdict)
}

/// C^i_a on Q; rows the constraints, columns the independent coordinates.
pub fn curvature(cx: &Inquiry, q: &ConstraintStructure, g: &[Expr]) -> Matrix {
    let y = q.manifold();
    let along = |e: Expr| {
        let tops = q.independent_jets(1).into_iter().chain(q.independent_jets(2)).chain(q.dependent_jets(2));
        let zeros: FxHashMap<Symbol, Expr> =
            tops.filter(|s| y.order_of_symbol(*s) == Some(2)).map(|s| (s, Expr::zero())).collect();
        q.on_q(cx, substitute(total_derivative(cx, e), &zeros))
    };
    Matrix::from_fn(g.len(), q.independent().len(), |i, a| {
        let slope = q.slopes()[(i, a)];
        let position = jet(y, q.independent()[a], 0);
        let through =
            q.dependent().iter().enumerate().map(|(j, d)| partial(cx, g[i], jet(y, *d, 0)) * q.slopes()[(j, a)]);
        tidy(cx, along(slope) - partial(cx, g[i], position) - Expr::add_all(through.collect::<Vec<_>>()))
    })
}

/// The same where nobody solved for g: by ∂g/∂q = −F_D⁻¹ ∂f/∂q, and along Γ the dependent velocities change by d̂g/dt.
fn implicit_curvature(cx: &Inquiry, q: &ConstraintStructure) -> Answered<Option<Matrix>> {
    let y = q.manifold();
    let m = y.n_coordinates();
    let tops: Vec<Expr> = q.tower().iter().filter(|p| p.order == 1).map(|p| p.function).collect();
    if tops.len() != q.n_constraints() {
        return Ok(None);
    }
    let rows: Vec<usize> = (0..tops.len()).collect();
    let minor = q.chetaev().minor(&rows, q.dependent());
    let mut by_position: Vec<Vec<Expr>> = vec![];
    for c in 0..m {
        let right: Vec<Expr> = tops.iter().map(|f| -partial(cx, *f, jet(y, c, 0))).collect();
        let solution = minor.solve(cx, &right).map_err(exhausted)?;
        if !solution.free.is_empty() || solution.particular.len() != tops.len() {
            return Ok(None);
        }
        by_position.push(solution.particular);
    }
    let along = |e: Expr| {
        let moved = (0..m).map(|c| partial(cx, e, jet(y, c, 0)) * Expr::symbol(jet(y, c, 1)));
        let bent = q.dependent().iter().zip(q.drift()).map(|(d, drift)| partial(cx, e, jet(y, *d, 1)) * *drift);
        Expr::add_all(moved.chain(bent).chain([partial(cx, e, y.base())]))
    };
    Ok(Some(Matrix::from_fn(tops.len(), q.independent().len(), |i, a| {
        let through = q.dependent().iter().enumerate().map(|(j, d)| by_position[*d][i] * q.slopes()[(j, a)]);
        let through = Expr::add_all(through.collect::<Vec<_>>());
        let position = by_position[q.independent()[a]][i];
        q.on_q(cx, along(q.slopes()[(i, a)]) - position - through)
    })))
}

/// The derived flag of the Pfaffian system on J^{r−1}Y for the affine constraints of order r, on the points that satisfy those of lower
/// order. A flag that ends with one form also gives the degree.
fn derived_flag(cx: &Inquiry, q: &ConstraintStructure, degree: &mut Option<u32>) -> Verdict {
    let NormalForm::Explicit(g) = q.normal_form() else {
        return Verdict::unknown("the constraints were not solved for the dependent jets");
    };
    let r = q.level();
    let forms = pfaffian_system(cx, q, g);
    let own = q.constraints().iter().filter(|c| c.order == r).count();
    if own == q.n_constraints() {
        return flag(cx, q, &[], forms, own, degree);
    }
    let below = |list: &[(Symbol, Expr)]| -> Vec<(Symbol, Expr)> {
        let is_below = |s: Symbol| q.manifold().order_of_symbol(s).is_some_and(|k| k < r);
        list.iter().filter(|(s, _)| is_below(*s)).copied().collect()
    };
    let solved = below(&q.solved_jets());
    if q.is_solved() {
        return flag(cx, q, &solved, forms, own, &mut None);
    }
    // What is integrable on every leaf is so on one; what is not on one branch is not.
    let everywhere = flag(cx, q, &[], forms.clone(), q.n_constraints(), &mut None);
    if everywhere.is_yes() {
        return everywhere;
    }
    let mut values = [below(q.sample()), solved].concat();
    values.sort_by_key(|(s, _)| q.manifold().order_of_symbol(*s));
    if values.len() == q.tower().iter().filter(|p| p.order < r).count() {
        let there = flag(cx, q, &values, forms, own, &mut None);
        if there.is_no() {
            return there;
        }
    }
    Verdict::unknown("the constraints of lower order were not solved, and elsewhere these are not integrable")
}

/// The flag of the forms where some jets, lowest first, have values: whether its end has as many independent components along the highest
/// differentials as there are constraints of this order.
fn flag(
    cx: &Inquiry,
    q: &ConstraintStructure,
    values: &[(Symbol, Expr)],
    forms: Vec<Form>,
    n_constraints: usize,
    degree: &mut Option<u32>,
) -> Verdict {
    let r = q.level();
    let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for (s, value) in values {
        map.insert(*s, tidy(cx, substitute(*value, &map)));
    }
    let flag = |cx: &Inquiry, degree: &mut Option<u32>| -> Result<Verdict, crate::geometry::Refusal> {
        let space = q.manifold().jets(r - 1).symbols();
        let chart = Chart::new(space.into_iter().filter(|s| !map.contains_key(s)).collect::<Vec<_>>());
        let there = |f: &Form| f.pullback(cx, &map).map_coefficients(|c| tidy(cx, c));
        let forms = if map.is_empty() { forms } else { forms.iter().map(there).collect() };
        let mut system = Codistribution::span(&chart, forms);
        let mut rank = system.generic_rank(cx)?;
        while rank >= n_constraints && rank > 0 {
            let next = system.derived(cx)?;
            let smaller = next.generic_rank(cx)?;
            if smaller == rank {
                let matrix = system.matrix(cx);
                let is_top = |j: &usize| q.manifold().order_of_symbol(chart.symbols()[*j]) == Some(r - 1);
                let tops: Vec<usize> = (0..chart.dimension()).filter(is_top).collect();
                let rows: Vec<usize> = (0..matrix.n_rows()).collect();
                let along = matrix.minor(&rows, &tops).rank(cx)?.value;
                // ẍ + x has rank 2 and degree 1: the rank only bounds the degree.
                if rank == 1 && n_constraints == 1 {
                    *degree = Some(1);
                }
                let words = format!("the derived flag ends with rank {rank}, {along} along the highest differentials");
                return Ok(Verdict::from_bool(along == n_constraints, words));
            }
            (system, rank) = (next, smaller);
        }
        Ok(Verdict::no(format!("the derived flag falls to rank {rank}, below the number of constraints")))
    };
    // Generic ranks: what was divided by on the way bounds no answer.
    let (found, _) = conditions::collect(cx, |cx| flag(cx, degree));
    found.unwrap_or_else(|why| Verdict::unknown(crate::diagnostic::Diagnostic::from(why).title))
}

/// I, with the constraint forms first.
fn pfaffian_system(cx: &Inquiry, q: &ConstraintStructure, g: &[Expr]) -> Vec<Form> {
    let (y, r) = (q.manifold(), q.level());
    let own = q.dependent().iter().enumerate().map(|(i, d)| {
        let tops = q.independent_jets(r);
        let zeros: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
        let velocities = q.independent().iter().enumerate().map(|(l, s)| (jet(y, *s, r - 1), -q.slopes()[(i, l)]));
        let rest = tidy(cx, substitute(g[i], &zeros));
        Form::one_form(velocities.chain([(jet(y, *d, r - 1), Expr::one()), (y.base(), -rest)]))
    });
    let contact = (0..r.saturating_sub(1)).flat_map(|k| (0..y.n_coordinates()).map(move |s| Form::omega(jet(y, s, k))));
    own.chain(contact).collect()
}

/// u with dᵖu/dtᵖ = 0 on Q, one for each constraint where they are found, and the degree p if all are.
fn integrals(cx: &Inquiry, q: &ConstraintStructure) -> Answered<(Option<u32>, Vec<Expr>)> {
    let (found, _) = conditions::collect(cx, |cx| -> Answered<_> {
        let k = q.n_constraints();
        let mut known: Vec<Option<(Expr, u32)>> = vec![];
        for i in 0..k {
            known.push(typed_integral(cx, q, i)?);
        }
        // The equations that they were solved to may have others.
        for i in 0..k {
            for j in (i..k).chain(0..i) {
                if known[i].is_none()
                    && let Some(found) = solved_integral(cx, q, j)?
                    && is_new(cx, q, &known, found.0)?
                {
                    known[i] = Some(found);
                }
            }
        }
        let found: Vec<Expr> = known.iter().flatten().map(|(u, _)| *u).collect();
        if found.len() < q.n_constraints() && q.level() == 1 {
            complete(cx, q, &mut known);
        }
        let integrals: Vec<Expr> = known.iter().flatten().map(|(u, _)| *u).collect();
        let degree = match known.iter().all(Option::is_some) {
            true => known.iter().flatten().map(|(_, p)| *p).min(),
            // Of first order there is only one degree.
            false if q.order() == 1 => Some(1),
            false => None,
        };
        Ok((degree, integrals))
    });
    found
}

/// f^i, or a multiple of it, as a p-th derivative.
fn typed_integral(cx: &Inquiry, q: &ConstraintStructure, i: usize) -> Answered<Option<(Expr, u32)>> {
    let c = q.constraints()[i];
    if c.order == 0 {
        return Ok(Some((c.function, 0)));
    }
    let row: Vec<Expr> = (0..q.manifold().n_coordinates()).map(|s| q.chetaev()[(i, s)]).collect();
    integral_of(cx, q, i, c.function, &row)
}

/// The same for the equation q_r = g of a dependent coordinate, to which constraints of one order were solved together.
fn solved_integral(cx: &Inquiry, q: &ConstraintStructure, i: usize) -> Answered<Option<(Expr, u32)>> {
    let NormalForm::Explicit(g) = q.normal_form() else { return Ok(None) };
    let order = q.level();
    if q.constraints().iter().any(|c| c.order != order) {
        return Ok(None);
    }
    let solved = jet_expr(q.manifold(), q.dependent()[i], order) - g[i];
    let tops = (0..q.manifold().n_coordinates()).map(|s| tidy(cx, partial(cx, solved, jet(q.manifold(), s, order))));
    integral_of(cx, q, i, solved, &tops.collect::<Vec<_>>())
}

/// Whether a function is none of those that are known.
fn is_new(cx: &Inquiry, q: &ConstraintStructure, known: &[Option<(Expr, u32)>], candidate: Expr) -> Answered<bool> {
    let all: Vec<Expr> = known.iter().flatten().map(|(u, _)| *u).chain([candidate]).collect();
    let coordinates = q.manifold().jets(q.level()).symbols();
    Ok(functionally_independent(cx, &all, &coordinates, &[])?.places.len() == all.len())
}

/// A multiple of a function with these derivatives by the highest jets as a p-th derivative.
fn integral_of(
    cx: &Inquiry,
    q: &ConstraintStructure,
    i: usize,
    function: Expr,
    slopes: &[Expr],
) -> Answered<Option<(Expr, u32)>> {
    let order = q.constraints()[i].order;
    // What bounds the chart comes first: integrals with other denominators have other conditions.
    let own = q.dependent()[i];
    let others = (0..slopes.len()).filter(|s| *s != own);
    let row: Vec<Expr> = std::iter::once(own).chain(others).map(|s| slopes[s]).filter(|e| !e.is_zero()).collect();
    let mut factors = vec![Expr::one()];
    for (j, a) in row.iter().enumerate() {
        factors.push(Expr::one() / *a);
        factors.extend(row[j..].iter().map(|b| Expr::one() / (*a * *b)));
    }
    let radial = slopes.iter().enumerate().map(|(s, e)| *e * jet_expr(q.manifold(), s, order - 1));
    factors.push(Expr::one() / Expr::add_all(radial.collect::<Vec<_>>()));
    for factor in factors.into_iter().filter(|e| e.as_undefined().is_none()) {
        let mut u = None;
        let mut function = tidy(cx, function * factor);
        let mut degree = 0;
        while let Some(found) = total_primitive(cx, q, function)? {
            (u, function, degree) = (Some(found), found, degree + 1);
            if q.manifold().order_of(cx, found).order == 0 {
                break;
            }
        }
        if let Some(u) = u {
            return Ok(Some((u, degree)));
        }
    }
    Ok(None)
}

/// u with du/dt = f, if f is a total derivative.
fn total_primitive(cx: &Inquiry, q: &ConstraintStructure, f: Expr) -> Answered<Option<Expr>> {
    if q.manifold().order_of(cx, f).order == 0 {
        return Ok(None);
    }
    let null = Lagrangian::new(cx, q.manifold(), f)?;
    if !null.euler_lagrange(cx).into_iter().all(|e| vanishes(cx, e).is_yes()) {
        return Ok(None);
    }
    let Some(u) = primitive(cx, &null)? else { return Ok(None) };
    let is_primitive = vanishes(cx, total_derivative(cx, u) - f).is_yes();
    Ok(is_primitive.then_some(u))
}

/// Where some integrals are known their dependent coordinates are eliminated; what is left of another constraint form may
/// then be closed.
fn complete(cx: &Inquiry, q: &ConstraintStructure, known: &mut [Option<(Expr, u32)>]) {
    let NormalForm::Explicit(g) = q.normal_form() else { return };
    let y = q.manifold();
    let mut values: Vec<(Symbol, Expr)> = vec![];
    let mut constants: Vec<(Symbol, Expr)> = vec![];
    for (i, u) in known.iter().enumerate() {
        let Some((u, _)) = u else { continue };
        let constant = Symbol::bound(&format!("c{}", i + 1));
        let equation = *u - Expr::symbol(constant);
        let dependent = q.dependent().iter().map(|d| q.coordinate(*d));
        for d in dependent.filter(|d| u.contains(*d)) {
            if values.iter().any(|(s, _)| *s == d) {
                continue;
            }
            let Ok(found) = crate::algebra::solve::solve(cx, &[equation], &[d]) else { continue };
            if let [only] = found.branches.as_slice()
                && let [(_, value)] = only.values.as_slice()
            {
                values.push((d, *value));
                constants.push((constant, *u));
                break;
            }
        }
    }
    if values.is_empty() {
        return;
    }
    let map: FxHashMap<Symbol, Expr> = values.iter().copied().collect();
    let back: FxHashMap<Symbol, Expr> = constants.into_iter().collect();
    let open: Vec<usize> = (0..known.len()).filter(|i| known[*i].is_none()).collect();
    let left = (0..known.len()).filter(|i| values.iter().all(|(s, _)| *s != q.coordinate(q.dependent()[*i])));
    // One form for each dependent coordinate that is left; which constraint it came from does not matter.
    for (i, slot) in left.collect::<Vec<_>>().into_iter().zip(open) {
        let own = q.coordinate(q.dependent()[i]);
        let tops = q.independent_jets(1);
        let zeros: FxHashMap<Symbol, Expr> = tops.iter().map(|s| (*s, Expr::zero())).collect();
        let mut variables = vec![y.base()];
        let mut coefficients = vec![tidy(cx, -substitute(substitute(g[i], &zeros), &map))];
        for (l, s) in q.independent().iter().enumerate() {
            variables.push(q.coordinate(*s));
            coefficients.push(tidy(cx, -substitute(q.slopes()[(i, l)], &map)));
        }
        variables.push(own);
        coefficients.push(Expr::one());
        let is_reduced = coefficients
            .iter()
            .all(|e| e.symbols().iter().all(|s| y.order_of_symbol(*s).is_none() || variables.contains(s)));
        if !is_reduced {
            continue;
        }
        let Some(u) = potential(cx, &coefficients, &variables) else { continue };
        let closed = variables.iter().zip(&coefficients).all(|(x, c)| vanishes(cx, partial(cx, u, *x) - *c).is_yes());
        if closed {
            known[slot] = Some((tidy(cx, substitute(u, &back)), 1));
        }
    }
}
