//! The Legendre transformation of variational systems of even order, and Hamilton's equations in canonical
//! coordinates. Krupková §8.
//!
//! For s = 2c the momenta p^k, k < c, and the jets q_k, k < c, are coordinates of the phase space J^{s−1}Y wherever
//! det B ≠ 0. The inverse is found from the top: p^{c−1} contains q_c, then p^{c−2} contains q_{c+1} linearly, and
//! so on. Only the first step can be nonlinear; where it cannot be solved in closed form the
//! transformation stays implicit, and its equations are still there.

use super::dynamical_form::DynamicalForm;
use super::hamilton::{Canonical, canonical};
use super::{Answered, exhausted, jet, tidy, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
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
    pub conditions: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub struct Momentum {
    /// The jet it is conjugate to.
    pub conjugate: Symbol,
    /// `p_x`, `p1_x`, …
    pub symbol: Symbol,
    pub function: Expr,
}

/// The Legendre transformation in a gauge; refused for equations that are not variational.
pub fn legendre(form: &DynamicalForm, gauge: Option<Expr>) -> Answered<Legendre> {
    let canonical = canonical(form, gauge)?;
    let y = form.manifold();
    let m = y.n_coordinates();
    let mut momenta = Vec::new();
    for (k, row) in canonical.momenta.iter().enumerate() {
        for (nu, p) in row.iter().enumerate() {
            let conjugate = jet(y, nu, k as u32);
            momenta.push(Momentum { conjugate, symbol: Symbol::momentum(conjugate), function: *p });
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
    let mut recorded: Vec<Expr> = Vec::new();
    let mut explicit = Verdict::yes("solved for the jets one order after another");
    for step in 0..c {
        let unknowns: Vec<Symbol> = (0..m).map(|nu| jet(y, nu, c + step)).collect();
        let level = (c - 1 - step) as usize;
        let equations: Vec<Expr> = momenta[level * m..(level + 1) * m]
            .iter()
            .map(|p| tidy(substitute(p.function, &known) - Expr::symbol(p.symbol)))
            .collect();
        match solve_for(&equations, &unknowns)? {
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
    Ok(Legendre { canonical, momenta, inverse, explicit, conditions: recorded })
}

/// Values of the unknowns with what must not vanish, or why there are none.
type Solved = Result<(Vec<Expr>, Vec<Expr>), Verdict>;

/// Equations that are affine in the unknowns, or each a power of one of them.
fn solve_for(equations: &[Expr], unknowns: &[Symbol]) -> Answered<Solved> {
    let m = unknowns.len();
    let slopes = Matrix::from_fn(m, m, |i, j| tidy(partial(equations[i], unknowns[j])));
    let is_affine = Verdict::all(
        slopes.entries().flat_map(|e| unknowns.iter().map(move |u| (e, *u))).map(|(e, u)| vanishes(partial(e, u))),
        "",
    );
    if !is_affine.is_yes() {
        return Ok(Err(Verdict::no("the momenta are not affine in the highest jets, and no closed form was found")));
    }
    let zeros = FxHashMap::from_iter(unknowns.iter().map(|u| (*u, Expr::zero())));
    let right: Vec<Expr> = equations.iter().map(|e| -substitute(*e, &zeros)).collect();
    let (solution, recorded) = conditions::collect(|| slopes.solve(&right));
    let solution = solution.map_err(exhausted)?;
    if !solution.free.is_empty() {
        return Ok(Err(Verdict::no("the momenta are not independent: the matrix of their derivatives is singular")));
    }
    Ok(Ok((solution.particular, recorded)))
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
    pub conditions: Vec<Expr>,
}

/// dq/dt = ∂H/∂p, dp/dt = −∂H/∂q; refused where the Legendre transformation cannot be inverted.
pub fn hamilton_equations(form: &DynamicalForm, gauge: Option<Expr>) -> Answered<HamiltonEquations> {
    let legendre = legendre(form, gauge)?;
    let map: FxHashMap<Symbol, Expr> = legendre.inverse()?.iter().copied().collect();
    let hamiltonian = tidy(substitute(legendre.canonical.hamiltonian, &map));
    let positions = legendre.momenta.iter().map(|p| (p.conjugate, tidy(partial(hamiltonian, p.symbol))));
    let momenta = legendre.momenta.iter().map(|p| (p.symbol, tidy(-partial(hamiltonian, p.conjugate))));
    let right_sides = positions.chain(momenta).collect();
    Ok(HamiltonEquations { hamiltonian, right_sides, conditions: legendre.conditions })
}

/// The energy Σ p^k q_{k+1} − L of the given Lagrangian, or the Hamiltonian of equations without one.
pub fn energy(form: &DynamicalForm) -> Answered<Expr> {
    match form.lagrangian() {
        Some(lagrangian) => {
            let y = form.manifold();
            let momenta = lagrangian.ostrogradsky().momenta;
            let terms = momenta.iter().enumerate().flat_map(|(k, row)| {
                row.iter().enumerate().map(move |(nu, p)| *p * Expr::symbol(jet(y, nu, k as u32 + 1)))
            });
            Ok(tidy(Expr::add_all(terms) - lagrangian.function()))
        }
        None => Ok(canonical(form, None)?.hamiltonian),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Stage, assert_equal};
    use super::*;
    use crate::geometry::jet::total_derivative;

    /// Hamilton's equations, pulled back by the Legendre map, are the equations of motion.
    fn check_equivalent(form: &DynamicalForm) {
        let transformation = legendre(form, None).expect("variational");
        let regular = super::super::regular::regular(form).expect("regular");
        let equations = hamilton_equations(form, None).expect("invertible");
        let back: FxHashMap<Symbol, Expr> = transformation.momenta.iter().map(|p| (p.symbol, p.function)).collect();
        for (symbol, right) in &equations.right_sides {
            let along = match back.get(symbol) {
                Some(p) => super::super::symmetry::on_shell(&regular, total_derivative(*p)),
                None => total_derivative(Expr::symbol(*symbol)),
            };
            assert_equal(substitute(*right, &back), along);
        }
    }

    #[test]
    fn hamilton_equations_are_the_equations_of_motion() {
        let check = |names: &[&str], l: &str| {
            let mut stage = Stage::new(names);
            check_equivalent(&stage.lagrangian(l).dynamical_form().expect("decided"));
        };
        check(&["x"], "x_1^2/2 - x^4");
        check(&["x", "y"], "(x_1^2 + x^2*y_1^2)/2 + t*x*y_1 - y^2");
        check(&["x", "y"], "(1 + x^2)*x_1^2/2 + x_1*y_1 + y_1^2 - cos(x - y)");
        check(&["q"], "q_2^2/2 - q_1^2 + q^2/2");
        check(&["q", "z"], "q_2^2/2 + z_2^2/2 + q*z_2 - q_1^2*z - z^2");
    }

    #[test]
    fn the_pendulum() {
        let mut stage = Stage::new(&["theta"]);
        let form = stage.lagrangian("theta_1^2/2 + cos(theta)").dynamical_form().expect("decided");
        let equations = hamilton_equations(&form, None).expect("invertible");
        let theta = stage.symbol("theta");
        let p = Expr::symbol(Symbol::momentum(theta));
        let cos = stage.read("cos(theta)");
        // (8.4) fixes the constant: L_VT = cos θ − 1 + …
        assert_equal(equations.hamiltonian, p.pow(2) / 2 - cos + 1);
        let sin = stage.read("-sin(theta)");
        assert_equal(equations.right_sides[1].1, sin);
        let energy = energy(&form).expect("an energy");
        let expected = stage.read("theta_1^2/2 - cos(theta)");
        assert_equal(energy, expected);
    }

    #[test]
    fn singular_lagrangians_have_no_inverse_but_momenta() {
        let mut stage = Stage::new(&["q1", "q2"]);
        let form = stage.lagrangian("(q1_1^2 + q1^2*q2)/2").dynamical_form().expect("decided");
        let transformation = legendre(&form, None).expect("variational");
        assert!(transformation.inverse.is_none() && transformation.explicit.is_no());
        assert_eq!(transformation.inverse().unwrap_err().code.name, "degenerate");
        assert!(hamilton_equations(&form, None).is_err());
    }

    #[test]
    fn a_lagrangian_that_is_singular_at_the_origin_keeps_its_own_momenta() {
        // Kepler in polar coordinates: (8.4) diverges at r = 0, so L itself is the minimal Lagrangian.
        let mut stage = Stage::new(&["r", "phi"]);
        let form = stage.lagrangian("(r_1^2 + r^2*phi_1^2)/2 + 1/r").dynamical_form().expect("decided");
        let transformation = legendre(&form, None).expect("variational");
        let expected = stage.read("r^2*phi_1");
        assert_equal(transformation.canonical.momenta[0][1], expected);
        check_equivalent(&form);
    }
}
