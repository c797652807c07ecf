//! The Legendre transformation of variational systems of even order, and Hamilton's equations in canonical
//! coordinates. Krupková §8.
//!
//! A given Lagrangian of minimal order keeps its own momenta ∂L/∂q_1, …, as a mechanician expects; equations without a
//! Lagrangian, and Lagrangians of which a gauge is chosen, have those of (8.10). For s = 2c the momenta p^k, k < c, and the jets q_k, k < c, are coordinates of the phase space J^{s−1}Y wherever
//! det B ≠ 0. The inverse is found from the top: p^{c−1} contains q_c, then p^{c−2} contains q_{c+1} linearly, and
//! so on. Only the first step can be nonlinear; where it cannot be solved in closed form the
//! transformation stays implicit, and its equations are still there. One square root √R of the jets is no obstacle if the
//! momenta are affine in them once s = √R is known, as for a relativistic particle: p = m v/s gives v = p s/m, and s² = R is left.
//!
//! Whatever the momenta, they are those of (8.10) in some gauge φ; [`gauge_of`] finds the one in which the Lagrangian as
//! written is the minimal one.

use super::dynamical_form::DynamicalForm;
use super::hamilton::{Canonical, canonical, from_lagrangian};
use super::{Answered, exhausted, inverse_problem, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::conditions::inequality;
use crate::algebra::decide::sign;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Node, Relation, post_order};
use crate::algebra::linear::Matrix;
use crate::algebra::normal::simplify;
use crate::algebra::solve::{Branch, solve};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol, Verdict, conditions};
use crate::budget::Budgeted;
use crate::diagnostic::{Diagnostic, codes};
use rustc_hash::FxHashMap;

/// The transformation (t, q, …, q_{s−1}) ↦ (t, q_k, p^k).
#[derive(Clone, Debug)]
pub struct Legendre {
    pub canonical: Canonical,
    /// The momentum conjugate to each q_k^ν, k < c, as a coordinate and as a function on the phase space.
    pub momenta: Vec<Momentum>,
    /// q_c^ν, …, q_{s−1}^ν in terms of t, q_k and the momenta.
    pub inverse: Option<Vec<(Symbol, Expr)>>,
    /// Whether the inverse was found in closed form.
    pub explicit: Verdict,
    /// What must not vanish for the inverse to hold.
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub struct Momentum {
    /// The jet it is conjugate to.
    pub conjugate: Symbol,
    /// `p_x`, `p1_x`, …
    pub symbol: Symbol,
    pub function: Expr,
}

/// Whose momenta are meant, and what they are called.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// A gauge function of (8.9); without one a given Lagrangian keeps its own momenta.
    pub gauge: Option<Expr>,
    /// `p` of `p_x`.
    pub prefix: &'a str,
}

impl Default for Naming<'_> {
    fn default() -> Self {
        Naming { gauge: None, prefix: "p" }
    }
}

/// The Legendre transformation; refused for equations that are not variational.
pub fn legendre(cx: &Inquiry, form: &DynamicalForm, naming: Naming) -> Answered<Legendre> {
    let canonical = match (form.lagrangian(), naming.gauge) {
        (Some(lagrangian), None) => from_lagrangian(cx, form, lagrangian, Expr::zero())?,
        (_, gauge) => canonical(cx, form, gauge)?,
    };
    let y = form.manifold();
    let m = y.n_coordinates();
    let mut momenta = Vec::new();
    for (k, row) in canonical.momenta.iter().enumerate() {
        for (nu, p) in row.iter().enumerate() {
            let conjugate = jet(y, nu, k as u32);
            momenta.push(Momentum {
                conjugate,
                symbol: Symbol::momentum_named(naming.prefix, conjugate),
                function: *p,
            });
        }
    }
    let s = form.order();
    if s % 2 == 1 {
        let explicit = Verdict::no("equations of odd order have more momenta and coordinates than the phase space");
        return Ok(Legendre { canonical, momenta, inverse: None, explicit, conditions: vec![] });
    }
    let c = s / 2;
    let mut known: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let mut inverse: Vec<(Symbol, Expr)> = Vec::new();
    let mut recorded: Vec<Condition> = Vec::new();
    let mut explicit = Verdict::yes("solved for the jets one order after another");
    for step in 0..c {
        let unknowns: Vec<Symbol> = (0..m).map(|nu| jet(y, nu, c + step)).collect();
        let level = (c - 1 - step) as usize;
        let equations: Vec<Expr> = momenta[level * m..(level + 1) * m]
            .iter()
            .map(|p| tidy(cx, substitute(p.function, &known) - Expr::symbol(p.symbol)))
            .collect();
        let names: Vec<Symbol> = momenta[level * m..(level + 1) * m].iter().map(|p| p.symbol).collect();
        match solve_for(cx, &equations, &names, &unknowns)? {
            Ok((values, conditions)) => {
                recorded.extend(conditions);
                for (q, value) in unknowns.iter().zip(values) {
                    known.insert(*q, value);
                    inverse.push((*q, value));
                }
            }
            Err(why) => {
                explicit = why;
                break;
            }
        }
    }
    let inverse = explicit.is_yes().then_some(inverse);
    Ok(Legendre { canonical, momenta, inverse, explicit, conditions: inequality::reduced(cx, recorded) })
}

/// Values of the unknowns and where they are a solution, or why there are none.
pub(super) type Solved = Result<(Vec<Expr>, Vec<Condition>), Verdict>;

/// Momenta of up to so many coordinates are solved for by Cramer's rule: elimination would divide by pivots that may vanish where the
/// determinant does not.
const CRAMER: usize = 3;

/// The solution by Cramer's rule, simplified; it holds where the determinant does not vanish. Nothing for larger systems and where the
/// determinant is not proved to be nonzero somewhere.
fn by_determinant(cx: &Inquiry, slopes: &Matrix, right: &[Expr]) -> Budgeted<Option<(Vec<Expr>, Vec<Condition>)>> {
    if right.len() > CRAMER {
        return Ok(None);
    }
    let determinant = simplify(cx, slopes.det(cx)?)?;
    if !vanishes(cx, determinant).is_no() {
        return Ok(None);
    }
    let numerators = slopes.adjugate(cx)?.mul_vector(right);
    let (values, cancelled) = conditions::collect(cx, |cx| -> Budgeted<Vec<Expr>> {
        numerators.iter().map(|n| simplify(cx, *n * determinant.pow(-1))).collect()
    });
    let nonzero: Vec<Condition> = std::iter::once(determinant).chain(cancelled).map(Condition::nonzero).collect();
    Ok(Some((values?, inequality::reduced(cx, nonzero))))
}

const DEPENDENT: &str = "the momenta are not independent: the matrix of their derivatives is singular";

/// Equations that are affine in the unknowns, or that have exactly one real solution in closed form.
pub(super) fn solve_for(cx: &Inquiry, equations: &[Expr], momenta: &[Symbol], unknowns: &[Symbol]) -> Answered<Solved> {
    let m = unknowns.len();
    let slopes = Matrix::from_fn(m, m, |i, j| tidy(cx, partial(cx, equations[i], unknowns[j])));
    let is_affine = Verdict::all(
        slopes
            .entries()
            .flat_map(|e| unknowns.iter().map(move |u| (e, *u)))
            .map(|(e, u)| vanishes(cx, partial(cx, e, u))),
        "",
    );
    // The derivatives of sign(v) vanish, and yet it is not affine.
    let speeds: Vec<Expr> = unknowns.iter().map(|u| Expr::symbol(*u)).collect();
    let rest = equations.iter().zip(slopes.mul_vector(&speeds)).map(|(e, x)| tidy(cx, *e - x));
    let is_exact = rest.into_iter().all(|e| unknowns.iter().all(|u| !e.contains(*u)));
    if !is_affine.is_yes() || !is_exact {
        return Ok(match solve_with_root(cx, equations, unknowns)? {
            Some(solved) => solved,
            None => solve_nonlinear(cx, equations, momenta, unknowns),
        });
    }
    let zeros = FxHashMap::from_iter(unknowns.iter().map(|u| (*u, Expr::zero())));
    let right: Vec<Expr> = equations.iter().map(|e| -substitute(*e, &zeros)).collect();
    if let Some(solved) = by_determinant(cx, &slopes, &right).map_err(exhausted)? {
        return Ok(Ok(solved));
    }
    let (solution, recorded) = conditions::collect(cx, |cx| slopes.solve(cx, &right));
    let solution = solution.map_err(exhausted)?;
    if !solution.free.is_empty() {
        return Ok(Err(Verdict::no(DEPENDENT)));
    }
    Ok(Ok((solution.particular, recorded.into_iter().map(Condition::nonzero).collect())))
}

/// Equations with a single square root √R of the unknowns that are affine in them once the root is called s:
///
/// ```text
/// M(s) v = b(s),    s² = R(M⁻¹b),    s > 0
/// ```
///
/// If the last equation is affine in s² it has one positive solution, and the branch is the only one. `None` if this is not
/// the shape of the equations.
fn solve_with_root(cx: &Inquiry, equations: &[Expr], unknowns: &[Symbol]) -> Answered<Option<Solved>> {
    let Some(radicand) = only_radicand(equations, unknowns) else { return Ok(None) };
    let root = Symbol::helper("√");
    let s = Expr::symbol(root);
    // R^(k/2) is s^k.
    let named: Vec<Expr> = equations.iter().map(|e| with_root_named(*e, radicand, s)).collect();
    let free_of_s = |e: Expr| unknowns.iter().all(|u| !e.contains(*u));
    let m = unknowns.len();
    let slopes = Matrix::from_fn(m, m, |i, j| tidy(cx, partial(cx, named[i], unknowns[j])));
    if !slopes.entries().all(free_of_s) {
        return Ok(None);
    }
    let zeros = FxHashMap::from_iter(unknowns.iter().map(|u| (*u, Expr::zero())));
    let right: Vec<Expr> = named.iter().map(|e| -substitute(*e, &zeros)).collect();
    let (solution, recorded) = conditions::collect(cx, |cx| slopes.solve(cx, &right));
    let solution = solution.map_err(exhausted)?;
    if !solution.free.is_empty() {
        return Ok(Some(Err(Verdict::no(DEPENDENT))));
    }
    let map = FxHashMap::from_iter(unknowns.iter().copied().zip(solution.particular.iter().copied()));
    // s² − R at the solution, in u = s².
    let square = Symbol::helper("√²");
    let rest = tidy(cx, s.pow(2) - substitute(radicand, &map));
    let in_square = tidy(cx, substitute(rest, &FxHashMap::from_iter([(root, Expr::symbol(square).sqrt())])));
    let slope = tidy(cx, partial(cx, in_square, square));
    if in_square.contains(root) || slope.contains(square) || vanishes(cx, slope).is_yes() {
        return Ok(None);
    }
    let at_zero = substitute(in_square, &FxHashMap::from_iter([(square, Expr::zero())]));
    let value = tidy(cx, -(at_zero / slope));
    if value.contains(square) || !vanishes(cx, slope).is_no() {
        return Ok(None);
    }
    let back = FxHashMap::from_iter([(root, value.sqrt())]);
    let values = solution.particular.iter().map(|e| tidy(cx, substitute(*e, &back))).collect();
    let nonzero = recorded.into_iter().map(|e| tidy(cx, substitute(e, &back))).filter(|e| !e.is_number());
    // The momenta that belong to a velocity: |p| < 1 for p = v/√(1 + v²).
    let range = Condition::positive(value);
    Ok(Some(Ok((values, nonzero.map(Condition::nonzero).chain([range]).collect()))))
}

/// The base R of the half-integer powers that contain unknowns, if there is exactly one up to a constant.
fn only_radicand(equations: &[Expr], unknowns: &[Symbol]) -> Option<Expr> {
    let mut found: Option<Expr> = None;
    for e in post_order(equations) {
        let Node::Product(factors) = e.node() else { continue };
        for (base, exponent) in factors.iter() {
            if exponent.is_integer() || !unknowns.iter().any(|u| base.contains(*u)) {
                continue;
            }
            let is_half = (exponent * &Rational::from(2)).is_integer();
            if !is_half || found.is_some_and(|known| known != *base) {
                return None;
            }
            found = Some(*base);
        }
    }
    found
}

/// The expression with s^k in place of R^(k/2).
fn with_root_named(e: Expr, radicand: Expr, s: Expr) -> Expr {
    let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
    for x in post_order(&[e]) {
        let replaced = match x.node() {
            Node::Product(factors) if factors.iter().any(|(base, k)| *base == radicand && !k.is_integer()) => {
                let named = factors.iter().map(|(base, k)| match *base == radicand {
                    true => (s, k * &Rational::from(2)),
                    false => (done.get(base).copied().unwrap_or(*base), k.clone()),
                });
                Expr::product(Rational::ONE, named)
            }
            _ => {
                let children: Vec<Expr> = x.children().iter().map(|c| done.get(c).copied().unwrap_or(*c)).collect();
                if children.is_empty() { x } else { x.with_children(&children) }
            }
        };
        done.insert(x, replaced);
    }
    done.get(&e).copied().unwrap_or(e)
}

/// The gauge function φ of (8.9) in which the momenta of (8.10) are those of the Lagrangian as written, so that
/// `legendre` and `hamilton` of it are `momenta` and `hamiltonian` in this gauge: with L_min(φ) = L_min(0) − dφ/dt,
///
/// ```text
/// dφ/dt = L_min(0) − L
/// ```
///
/// Zero for equations without a Lagrangian. Refused where no closed form of φ was found.
pub fn gauge_of(cx: &Inquiry, form: &DynamicalForm) -> Answered<Expr> {
    let Some(lagrangian) = form.lagrangian() else { return Ok(Expr::zero()) };
    let (own, of_8_9) = (from_lagrangian(cx, form, lagrangian, Expr::zero())?, canonical(cx, form, None)?);
    let difference = own.minimal.with_function(cx, tidy(cx, of_8_9.minimal.function() - own.minimal.function()))?;
    inverse_problem::primitive(cx, &difference)?.map(|x| tidy(cx, x)).ok_or_else(|| {
        super::undecided(
            "the gauge has a closed form",
            "no closed form of the integral of a total derivative was found",
        )
    })
}

/// A single real branch that holds for all momenta that belong to a velocity, apart from where some expressions vanish;
/// anything else stays implicit. Solutions for special values of the momenta do not count. Inequalities say which
/// momenta belong to a velocity: p > 0 for p = e^v.
fn solve_nonlinear(cx: &Inquiry, equations: &[Expr], momenta: &[Symbol], unknowns: &[Symbol]) -> Solved {
    let implicit = |why: &str| Err(Verdict::no(format!("the momenta are not affine in the highest jets, and {why}")));
    let solutions = match solve(cx, equations, unknowns) {
        Ok(solutions) => solutions,
        Err(why) => return implicit(&format!("no closed form was found: {why}")),
    };
    let is_special = |b: &&Branch| b.conditions.iter().any(|c| c.relation == Relation::Equal);
    let (special, generic): (Vec<&Branch>, Vec<&Branch>) = solutions.branches.iter().partition(is_special);
    let [branch] = generic[..] else {
        return implicit(&format!("there are {} real solutions", generic.len()));
    };
    // p as a function of the velocities.
    let values = momenta.iter().zip(equations).map(|(p, e)| (*p, *e + Expr::symbol(*p)));
    let map: FxHashMap<Symbol, Expr> = values.collect();
    let holds = |c: &Condition| c.relation.decided_by(sign(cx, tidy(cx, substitute(c.left, &map)))) == Some(true);
    let (nonzero, others): (Vec<&Condition>, Vec<&Condition>) =
        branch.conditions.iter().partition(|c| c.relation == Relation::NotEqual);
    if !branch.free.is_empty() || !others.iter().all(|c| holds(c)) {
        return implicit("the solution found holds only on a part of the phase space");
    }
    let value = |u: &Symbol| branch.values.iter().find(|(s, _)| s == u).map(|(_, e)| *e);
    match unknowns.iter().map(value).collect::<Option<Vec<Expr>>>() {
        Some(values) => {
            let excluded = special.iter().flat_map(|b| &b.conditions).filter(|c| c.relation == Relation::Equal);
            let nonzero = nonzero.into_iter().chain(excluded).map(|c| c.left).chain(solutions.not_covered);
            Ok((values, nonzero.map(Condition::nonzero).chain(others.into_iter().copied()).collect()))
        }
        None => implicit("the solution found leaves some of them open"),
    }
}

impl Legendre {
    /// The inverse, or the refusal that says why there is none.
    pub fn inverse(&self) -> Answered<&[(Symbol, Expr)]> {
        match (&self.inverse, &self.explicit) {
            (Some(inverse), _) => Ok(inverse),
            (None, why) => Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "the Legendre transformation has no inverse in closed form")
                    .note(why.to_string()),
            )),
        }
    }
}

/// Hamilton's equations in canonical coordinates.
#[derive(Clone, Debug)]
pub struct HamiltonEquations {
    /// H(t, q, p).
    pub hamiltonian: Expr,
    /// dq_k/dt = ∂H/∂p^k for all q_k, then dp^k/dt = −∂H/∂q_k.
    pub right_sides: Vec<(Symbol, Expr)>,
    pub conditions: Vec<Condition>,
}

/// dq_k/dt = ∂H/∂p^k, dp^k/dt = −∂H/∂q_k, and with forces F_σ on the equations dp^0/dt = −∂H/∂q + F; refused where the
/// Legendre transformation cannot be inverted.
pub fn hamilton_equations(cx: &Inquiry, legendre: &Legendre, forces: &[Expr]) -> Answered<HamiltonEquations> {
    let map: FxHashMap<Symbol, Expr> = legendre.inverse()?.iter().copied().collect();
    let hamiltonian = simplified_within(cx, substitute(legendre.canonical.hamiltonian, &map), &legendre.conditions);
    let positions = legendre.momenta.iter().map(|p| (p.conjugate, tidy(cx, partial(cx, hamiltonian, p.symbol))));
    let momenta = legendre.momenta.iter().enumerate().map(|(i, p)| {
        let force = forces.get(i).map_or_else(Expr::zero, |f| substitute(*f, &map));
        (p.symbol, tidy(cx, force - partial(cx, hamiltonian, p.conjugate)))
    });
    let right_sides = positions.chain(momenta).collect();
    Ok(HamiltonEquations { hamiltonian, right_sides, conditions: legendre.conditions.clone() })
}

/// The expression simplified, if that needs no other conditions than these; else as it is usually written.
fn simplified_within(cx: &Inquiry, e: Expr, conditions: &[Condition]) -> Expr {
    let (simple, cancelled) = conditions::collect(cx, |cx| simplify(cx, e));
    let all: Vec<Condition> = conditions.iter().copied().chain(cancelled.into_iter().map(Condition::nonzero)).collect();
    match simple {
        Ok(simple) if inequality::reduced(cx, all).len() <= conditions.len() => simple,
        _ => tidy(cx, e),
    }
}

/// The energy Σ p^k q_{k+1} − L of the given Lagrangian, or the Hamiltonian of equations without one.
pub fn energy(cx: &Inquiry, form: &DynamicalForm) -> Answered<Expr> {
    match form.lagrangian() {
        Some(lagrangian) => {
            let y = form.manifold();
            let momenta = lagrangian.ostrogradsky(cx).momenta;
            let terms = momenta.iter().enumerate().flat_map(|(k, row)| {
                row.iter().enumerate().map(move |(nu, p)| *p * Expr::symbol(jet(y, nu, k as u32 + 1)))
            });
            Ok(tidy(cx, Expr::add_all(terms) - lagrangian.function()))
        }
        None => Ok(canonical(cx, form, None)?.hamiltonian),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Stage, assert_equal};
    use super::*;
    use crate::geometry::jet::total_derivative;

    /// Hamilton's equations, pulled back by the Legendre map, are the equations of motion.
    fn check_equivalent(cx: &Inquiry, form: &DynamicalForm) {
        let transformation = legendre(cx, form, Naming::default()).expect("variational");
        let regular = super::super::regular::regular(cx, form).expect("regular");
        let equations = hamilton_equations(cx, &transformation, &[]).expect("invertible");
        let back: FxHashMap<Symbol, Expr> = transformation.momenta.iter().map(|p| (p.symbol, p.function)).collect();
        for (symbol, right) in &equations.right_sides {
            let along = match back.get(symbol) {
                Some(p) => super::super::symmetry::on_shell(cx, &regular, total_derivative(cx, *p)),
                None => total_derivative(cx, Expr::symbol(*symbol)),
            };
            assert_equal(cx, substitute(*right, &back), along);
        }
    }

    #[test]
    fn hamilton_equations_are_the_equations_of_motion() {
        let cx = &Inquiry::free();
        let check = |names: &[&str], l: &str| {
            let mut stage = Stage::new(names);
            check_equivalent(cx, &stage.lagrangian(cx, l).dynamical_form(cx).expect("decided"));
        };
        check(&["x"], "x_1^2/2 - x^4");
        check(&["x", "y"], "(x_1^2 + x^2*y_1^2)/2 + t*x*y_1 - y^2");
        check(&["x", "y"], "(1 + x^2)*x_1^2/2 + x_1*y_1 + y_1^2 - cos(x - y)");
        check(&["q"], "q_2^2/2 - q_1^2 + q^2/2");
        check(&["q", "z"], "q_2^2/2 + z_2^2/2 + q*z_2 - q_1^2*z - z^2");
    }

    #[test]
    fn the_pendulum() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["theta"]);
        let form = stage.lagrangian(cx, "theta_1^2/2 + cos(theta)").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        let equations = hamilton_equations(cx, &transformation, &[]).expect("invertible");
        let theta = stage.symbol("theta");
        let p = Expr::symbol(Symbol::momentum(theta));
        let cos = stage.read("cos(theta)");
        assert_equal(cx, equations.hamiltonian, p.pow(2) / 2 - cos);
        // In a gauge of (8.9), (8.4) fixes the constant: L_VT = cos θ − 1 + …
        let gauged = legendre(cx, &form, Naming { gauge: Some(Expr::zero()), prefix: "P" }).expect("variational");
        let (big_p, equations_of_8) =
            (gauged.momenta[0].symbol, hamilton_equations(cx, &gauged, &[]).expect("invertible"));
        assert_eq!(big_p.name(), "P_theta");
        assert_equal(cx, equations_of_8.hamiltonian, Expr::symbol(big_p).pow(2) / 2 - cos + 1);
        let sin = stage.read("-sin(theta)");
        assert_equal(cx, equations.right_sides[1].1, sin);
        let energy = energy(cx, &form).expect("an energy");
        let expected = stage.read("theta_1^2/2 - cos(theta)");
        assert_equal(cx, energy, expected);
    }

    #[test]
    fn singular_lagrangians_have_no_inverse_but_momenta() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["q1", "q2"]);
        let form = stage.lagrangian(cx, "(q1_1^2 + q1^2*q2)/2").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        assert!(transformation.inverse.is_none() && transformation.explicit.is_no());
        assert_eq!(transformation.inverse().unwrap_err().code.name, "degenerate");
        assert!(hamilton_equations(cx, &transformation, &[]).is_err());
    }

    #[test]
    fn a_lagrangian_that_is_singular_at_the_origin_keeps_its_own_momenta() {
        let cx = &Inquiry::free();
        // Kepler in polar coordinates: (8.4) diverges at r = 0, so L itself is the minimal Lagrangian.
        let mut stage = Stage::new(&["r", "phi"]);
        let form = stage.lagrangian(cx, "(r_1^2 + r^2*phi_1^2)/2 + 1/r").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        let expected = stage.read("r^2*phi_1");
        assert_equal(cx, transformation.canonical.momenta[0][1], expected);
        check_equivalent(cx, &form);
    }

    /// p = v³ has one real inverse, v = ∛p; p = v + v⁵ has none in closed form, and stays implicit.
    #[test]
    fn nonlinear_momenta() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x"]);
        let form = stage.lagrangian(cx, "x_1^4/4 - x^2/2").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        let inverse = transformation.inverse().expect("one real root");
        let p = transformation.momenta[0].symbol;
        let cube = inverse[0].1.pow(3);
        let at = |n: i64| substitute(cube, &FxHashMap::from_iter([(p, Expr::number(n))]));
        assert_equal(cx, at(8), Expr::number(8));
        assert_equal(cx, at(-27), Expr::number(-27));
        let form = stage.lagrangian(cx, "x_1^2/2 + x_1^6/6").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        assert!(transformation.inverse.is_none() && transformation.explicit.is_no());
    }

    /// p_x = v_y² e^{v_x}, p_y = 2v_y e^{v_x}: v_y = 2p_x/p_y and e^{v_x} = p_y²/4p_x, one solution for all momenta that belong to a
    /// velocity. p = v³ − v has up to three, and stays implicit.
    #[test]
    fn momenta_with_exponentials() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        let form = stage.lagrangian(cx, "exp(x_1)*y_1^2 - x").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        let inverse = transformation.inverse().expect("one solution");
        let p: Vec<Expr> = transformation.momenta.iter().map(|p| Expr::symbol(p.symbol)).collect();
        assert_equal(cx, inverse[1].1, Expr::number(2) * p[0] / p[1]);
        let at = |e: Expr| {
            let values = transformation.momenta.iter().zip([3, 5]).map(|(p, n)| (p.symbol, Expr::number(n)));
            substitute(e, &values.collect())
        };
        let logarithm = stage.read("log(25/12)");
        assert_equal(cx, at(inverse[0].1), logarithm);
        let form = stage.lagrangian(cx, "x_1^4/4 - x_1^2/2 + y_1^2").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        assert!(transformation.inverse.is_none() && transformation.explicit.is_no());
    }

    /// p = m v/√(1 − v²/c²) is solved for v, in one and three dimensions; H = m c² √(1 + p²/(m c)²).
    #[test]
    fn relativistic_momenta_are_inverted() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y", "z"]);
        let (m, c) = (stage.parameter("m"), stage.parameter("c"));
        for l in
            ["-m*c^2*sqrt(1 - (x_1^2 + y_1^2 + z_1^2)/c^2) - x^2/2", "-m*c*sqrt(c^2 - x_1^2 - y_1^2 - z_1^2) + y*x_1"]
        {
            let form = stage.lagrangian(cx, l).dynamical_form(cx).expect("decided");
            let transformation = legendre(cx, &form, Naming::default()).expect("variational");
            let inverse: FxHashMap<Symbol, Expr> = transformation.inverse().expect("solved").iter().copied().collect();
            let at = |e: Expr| {
                let p = |i: usize| transformation.momenta[i].symbol;
                let values = [(p(0), 1), (p(1), -2), (p(2), 3)].map(|(s, n)| (s, Expr::number(n)));
                let rest = [(m, 2), (c, 3)].map(|(e, n)| (e.as_symbol().unwrap(), Expr::number(n)));
                substitute(e, &values.into_iter().chain(rest).collect())
            };
            for p in &transformation.momenta {
                assert_equal(cx, at(substitute(p.function, &inverse)), at(Expr::symbol(p.symbol)));
            }
        }
    }

    /// The Lagrangian's own momenta are those of (8.10) in the gauge that `gauge_of` finds, and α_E is one.
    #[test]
    fn both_kinds_of_momenta_differ_by_a_gauge() {
        let cx = &Inquiry::free();
        let check = |names: &[&str], l: &str| {
            let mut stage = Stage::new(names);
            let form = stage.lagrangian(cx, l).dynamical_form(cx).expect("decided");
            let own = legendre(cx, &form, Naming::default()).expect("variational").canonical;
            let phi = gauge_of(cx, &form).expect("closed form");
            let of_8 = canonical(cx, &form, Some(phi)).expect("variational");
            for (p, q) in own.momenta.iter().flatten().zip(of_8.momenta.iter().flatten()) {
                assert_equal(cx, *p, *q);
            }
            assert_equal(cx, own.hamiltonian, of_8.hamiltonian);
            assert!(own.canonical_form(cx).equals(cx, &of_8.canonical_form(cx)).is_yes());
            assert!(
                own.canonical_form(cx).equals(cx, &canonical(cx, &form, None).expect("").canonical_form(cx)).is_yes()
            );
        };
        check(&["x", "y"], "x_1^2/2 + y_1^2/2 + x*y_1 - t*x^2");
        check(&["theta"], "theta_1^2/2 + cos(theta)");
        check(&["q"], "q_2^2/2 - q_1^2 + q^2/2");
        check(&["q", "z"], "q_2^2/2 + z_2^2/2 + q*z_2 - q_1^2*z - z^2");
        check(&["q"], "q_3^2/2 + q*q_2 - t*q_1^2");
        check(&["r", "phi"], "(r_1^2 + r^2*phi_1^2)/2 + 1/r + r^2*phi_1");
    }

    /// A force enters dp/dt: x″ = −x − c x′ with L = (x′² − x²)/2.
    #[test]
    fn forces_act_on_momenta() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x"]);
        let c = stage.parameter("c");
        let form = stage.lagrangian(cx, "x_1^2/2 - x^2/2").dynamical_form(cx).expect("decided");
        let transformation = legendre(cx, &form, Naming::default()).expect("variational");
        let drag = -(c * stage.read("x_1"));
        let equations = hamilton_equations(cx, &transformation, &[drag]).expect("invertible");
        let p = Expr::symbol(transformation.momenta[0].symbol);
        let x = stage.read("x");
        assert_equal(cx, equations.right_sides[1].1, -x - c * p);
    }
}
