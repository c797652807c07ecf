//! Searches: first integrals that are polynomials in the phase coordinates and in functions that the user names, and
//! symmetries whose components are polynomials in t and q.
//!
//! Both conditions are linear in the unknown: Γ(f) = 0 for an integral, and the linearised equations along X for a
//! symmetry. With an ansatz f = Σ c_i f_i of all monomials up to a degree they say Σ c_i R_i = 0 for constants c_i, which is
//! what [`ansatz`](super::ansatz) solves, exactly.
//!
//! Functions such as 1/r = 1/√(x² + y²) satisfy relations with the coordinates, (x² + y²)/r² = 1: combinations that are constant by
//! such a relation are no integrals, and are left out.

use super::adjoint_symmetry::associated_form;
use super::ansatz::{constant_combinations, independent_of};
use super::connection::Connection;
use super::mixed_system::{AdaptedField, AdaptedForm, MixedSystem};
use super::regular::RegularForm;
use super::symmetry::symmetry;
use super::{Answered, exhausted, jet, tidy};
use crate::algebra::Inquiry;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use rustc_hash::FxHashMap;

/// More unknown coefficients than this are not tried.
const MAX_UNKNOWNS: usize = 400;

/// What a search found, and the functions of the parameters at whose zeros there may be more.
#[derive(Clone, Debug)]
pub struct Found<T> {
    pub list: Vec<T>,
    pub special: Vec<Expr>,
}

/// A basis of the first integrals of degree 1 … n in the coordinates of the phase space, without t, and in the functions named.
pub fn polynomial_integrals(
    cx: &Inquiry,
    gamma: &VectorField,
    coordinates: &[Symbol],
    named: &[Expr],
    degree: u32,
) -> Answered<Found<Expr>> {
    let variables: Vec<Expr> = coordinates.iter().map(|s| Expr::symbol(*s)).chain(named.iter().copied()).collect();
    let candidates: Vec<Expr> = monomials(&variables, degree)?.into_iter().filter(|e| !e.is_number()).collect();
    let along = gamma.derivation();
    let rates: Vec<Vec<Expr>> = candidates.iter().map(|f| vec![along.apply(cx, *f)]).collect();
    let found = constant_combinations(cx, &rates)?;
    let mut basis = found.basis;
    if !named.is_empty() {
        // Combinations that are numbers, by the relations of the functions named.
        let values: Vec<Vec<Expr>> = candidates.iter().chain([&Expr::one()]).map(|f| vec![*f]).collect();
        let mut constant = constant_combinations(cx, &values)?.basis;
        constant.iter_mut().for_each(|c| c.truncate(candidates.len()));
        basis = independent_of(&constant, basis);
    }
    Ok(Found { list: basis.iter().map(|c| combine(cx, c, &candidates)).collect(), special: found.special })
}

/// A basis of the symmetries ξ⁰(t)∂_t + ξ^σ(t, q)∂_σ with polynomial components of degree at most n.
pub fn polynomial_symmetries(
    cx: &Inquiry,
    regular: &RegularForm,
    named: &[Expr],
    degree: u32,
) -> Answered<Found<VectorField>> {
    let y = regular.space().manifold().clone();
    let positions: Vec<Symbol> = (0..y.n_coordinates()).map(|sigma| jet(&y, sigma, 0)).collect();
    let residuals = |x: &VectorField| Ok(symmetry(cx, regular, x)?.residuals);
    symmetries(cx, y.base(), &positions, named, degree, residuals)
}

/// The same for a mixed system: Z = X + Γ(μ^α)∂/∂v^α commutes with Γ.
pub fn mixed_symmetries(
    cx: &Inquiry,
    system: &MixedSystem,
    named: &[Expr],
    degree: u32,
) -> Answered<Found<VectorField>> {
    let gamma = system.gamma();
    let along = gamma.derivation();
    let positions: Vec<Symbol> = system.second_symbols().into_iter().chain(system.first_symbols()).collect();
    let moved: Vec<Symbol> = system.first_symbols().into_iter().chain(system.velocities()).collect();
    let residuals = |x: &VectorField| {
        let x = AdaptedField { time: Expr::zero(), ..system.adapted_field(cx, x)? };
        let rates = x.second.iter().map(|mu| along.apply(cx, *mu));
        let z =
            &system.field(cx, &x) + &VectorField::new(system.velocities().into_iter().zip(rates.collect::<Vec<_>>()));
        let bracket = z.bracket(cx, &gamma);
        Ok(moved.iter().map(|s| bracket.component(*s)).collect())
    };
    symmetries(cx, system.time(), &positions, named, degree, residuals)
}

/// A basis of the projectable fields whose residuals vanish.
fn symmetries(
    cx: &Inquiry,
    t: Symbol,
    positions: &[Symbol],
    named: &[Expr],
    degree: u32,
    residuals: impl Fn(&VectorField) -> Answered<Vec<Expr>>,
) -> Answered<Found<VectorField>> {
    let mut variables = vec![t];
    variables.extend(positions);
    let as_exprs: Vec<Expr> = variables.iter().map(|s| Expr::symbol(*s)).collect();
    let with_named: Vec<Expr> = as_exprs.iter().chain(named).copied().collect();
    let all = independent_functions(cx, monomials(&with_named, degree)?, named)?;
    let mut fields: Vec<VectorField> =
        all.iter().flat_map(|f| positions.iter().map(|q| VectorField::new([(*q, *f)]))).collect();
    fields.extend(monomials(&as_exprs[..1], degree)?.into_iter().map(|f| VectorField::new([(t, f)])));
    if fields.len() > MAX_UNKNOWNS {
        return Err(too_many(fields.len()));
    }
    let mut rows = Vec::with_capacity(fields.len());
    for x in &fields {
        cx.check().map_err(exhausted)?;
        rows.push(residuals(x)?);
    }
    let found = constant_combinations(cx, &rows)?;
    let sum = |c: &Vec<Expr>| {
        let mut components: FxHashMap<Symbol, Expr> = FxHashMap::default();
        for (k, x) in c.iter().zip(&fields) {
            for (s, e) in x.components() {
                let before = components.get(&s).copied().unwrap_or_else(Expr::zero);
                components.insert(s, before + *k * e);
            }
        }
        VectorField::new(variables.iter().filter_map(|s| Some((*s, tidy(cx, *components.get(s)?)))))
    };
    Ok(Found { list: found.basis.iter().map(sum).collect(), special: found.special })
}

/// A basis of the adjoint symmetries a_α θ^α + c_a η^a whose coefficients are polynomials of degree at most n in the coordinates of
/// the phase space, t among them, and in the functions named.
pub fn adjoint_symmetries(
    cx: &Inquiry,
    connection: &Connection,
    named: &[Expr],
    degree: u32,
) -> Answered<Found<AdaptedForm>> {
    let system = connection.system();
    let (k, m) = (system.second().len(), system.first().len());
    let chart = system.chart().symbols();
    let variables: Vec<Expr> = chart.iter().map(|s| Expr::symbol(*s)).chain(named.iter().copied()).collect();
    let all = independent_functions(cx, monomials(&variables, degree)?, named)?;
    if all.len() * (k + m) > MAX_UNKNOWNS {
        return Err(too_many(all.len() * (k + m)));
    }
    let gamma = system.gamma();
    let candidates: Vec<Vec<Expr>> = all
        .iter()
        .flat_map(|f| (0..k + m).map(|i| (0..k + m).map(|j| if i == j { *f } else { Expr::zero() }).collect()))
        .collect();
    let mut rows = Vec::with_capacity(candidates.len());
    for c in &candidates {
        cx.check().map_err(exhausted)?;
        let lie = associated_form(cx, connection, &c[..k], &c[k..]).1.lie(cx, &gamma);
        rows.push(chart.iter().map(|s| lie.coefficient(&[*s])).collect::<Vec<_>>());
    }
    let found = constant_combinations(cx, &rows)?;
    let form = |c: &Vec<Expr>| {
        let entry = |i: usize| {
            let column: Vec<Expr> = candidates.iter().map(|f| f[i]).collect();
            combine(cx, c, &column)
        };
        let all: Vec<Expr> = (0..k + m).map(entry).collect();
        AdaptedForm { time: Expr::zero(), theta: all[..k].to_vec(), eta: all[k..].to_vec(), omega: None }
    };
    Ok(Found { list: found.basis.iter().map(form).collect(), special: found.special })
}

/// Those of the functions that are no combination of the ones after them, by the relations of the functions named.
fn independent_functions(cx: &Inquiry, functions: Vec<Expr>, named: &[Expr]) -> Answered<Vec<Expr>> {
    if named.is_empty() {
        return Ok(functions);
    }
    let rows: Vec<Vec<Expr>> = functions.iter().map(|f| vec![*f]).collect();
    let relations = constant_combinations(cx, &rows)?.basis;
    // Each relation has a free unknown of its own, the last in it: that function is left out.
    let last = |c: &Vec<Expr>| c.iter().rposition(|e| !e.is_zero());
    let out: Vec<usize> = relations.iter().filter_map(last).collect();
    Ok(functions.into_iter().enumerate().filter(|(i, _)| !out.contains(i)).map(|(_, f)| f).collect())
}

/// All monomials of degree 0 … n, the highest first.
fn monomials(variables: &[Expr], degree: u32) -> Answered<Vec<Expr>> {
    let mut levels: Vec<Vec<(Expr, usize)>> = vec![vec![(Expr::one(), 0)]];
    let mut count = 1;
    for _ in 0..degree {
        let below = &levels[levels.len() - 1];
        // Each monomial once: a factor is only added at or after the last one.
        let next: Vec<(Expr, usize)> = below
            .iter()
            .flat_map(|(e, from)| (*from..variables.len()).map(move |i| (*e, i)))
            .map(|(e, i)| (e * variables[i], i))
            .collect();
        count += next.len();
        if count > MAX_UNKNOWNS + 1 {
            return Err(too_many(count));
        }
        levels.push(next);
    }
    Ok(levels.into_iter().rev().flatten().map(|(e, _)| e).collect())
}

fn too_many(count: usize) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            &codes::BUDGET,
            format!("the search would have more than {MAX_UNKNOWNS} unknown coefficients"),
        )
        .note(format!("at least {count}"))
        .help("ask for a smaller degree"),
    )
}

fn combine(cx: &Inquiry, constants: &[Expr], functions: &[Expr]) -> Expr {
    tidy(cx, Expr::add_all(constants.iter().zip(functions).filter(|(c, _)| !c.is_zero()).map(|(c, f)| *c * *f)))
}

#[cfg(test)]
mod tests {
    use super::super::cases::Stage;
    use super::super::regular::{regular, semispray};
    use super::super::symmetry::on_shell;
    use super::super::vanishes;
    use super::*;
    use crate::algebra::linear::Matrix;
    use crate::algebra::substitute::substitute;
    use crate::geometry::jet::total_derivative;

    fn integrals(cx: &Inquiry, regular: &RegularForm, named: &[Expr], degree: u32) -> Vec<Expr> {
        let space = regular.space();
        let base = space.manifold().base();
        let coordinates: Vec<Symbol> = space.symbols().into_iter().filter(|s| *s != base).collect();
        polynomial_integrals(cx, &semispray(regular), &coordinates, named, degree).expect("an answer").list
    }

    /// The isotropic oscillator in the plane: angular momentum and the three components of the Fradkin tensor,
    /// x′² + x², y′² + y², x′y′ + xy, are all its quadratic integrals.
    #[test]
    fn quadratic_integrals_of_the_oscillator() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        let form = stage.equations(cx, &["-x_2 - x", "-y_2 - y"]);
        let regular = regular(cx, &form).expect("regular");
        let found = integrals(cx, &regular, &[], 2);
        assert_eq!(found.len(), 4, "{found:?}");
        for f in found {
            assert!(vanishes(cx, on_shell(cx, &regular, total_derivative(cx, f))).is_yes());
        }
    }

    /// Hénon and Heiles: of the polynomials of degree three only the energy is conserved.
    #[test]
    fn henon_heiles_has_its_energy() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        let form =
            stage.lagrangian(cx, "(x_1^2 + y_1^2 - x^2 - y^2)/2 - x^2*y + y^3/3").dynamical_form(cx).expect("decided");
        let found = integrals(cx, &regular(cx, &form).expect("regular"), &[], 3);
        assert_eq!(found.len(), 1, "{found:?}");
        let energy = stage.read("(x_1^2 + y_1^2 + x^2 + y^2)/2 + x^2*y - y^3/3");
        assert!(vanishes(cx, found[0] / ratio(cx, found[0], energy) - energy).is_yes());
    }

    /// The factor between two proportional functions, from their values at a point.
    fn ratio(cx: &Inquiry, f: Expr, g: Expr) -> Expr {
        let point: FxHashMap<Symbol, Expr> =
            g.symbols().into_iter().enumerate().map(|(i, s)| (s, Expr::number(i as i64 + 2))).collect();
        tidy(cx, substitute(f, &point) / substitute(g, &point))
    }

    /// x″ = 0 has eight point symmetries; ∂_t, t∂_t, ∂_x, t∂_x, x∂_x and t²∂_t + tx∂_x are projectable, x∂_t and tx∂_t + x²∂_x are
    /// not.
    #[test]
    fn symmetries_of_the_free_particle() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x"]);
        let form = stage.equations(cx, &["x_2"]);
        let found = polynomial_symmetries(cx, &regular(cx, &form).expect("regular"), &[], 2).expect("an answer").list;
        assert_eq!(found.len(), 6, "{found:?}");
    }

    /// Kepler in the plane with 1/r named: of degree 3 there are the energy, the angular momentum and the two components of
    /// the vector of Laplace, and nothing that is constant because of (x² + y²)/r² = 1.
    #[test]
    fn kepler_has_the_vector_of_laplace() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        let form = stage.equations(cx, &["-x_2 - x/(x^2+y^2)^(3/2)", "-y_2 - y/(x^2+y^2)^(3/2)"]);
        let regular = regular(cx, &form).expect("regular");
        let named = stage.read("1/(x^2+y^2)^(1/2)");
        let found = integrals(cx, &regular, &[named], 3);
        let laplace = ["y_1*(x*y_1 - y*x_1) - x/(x^2+y^2)^(1/2)", "-x_1*(x*y_1 - y*x_1) - y/(x^2+y^2)^(1/2)"];
        let known = ["(x_1^2+y_1^2)/2 - 1/(x^2+y^2)^(1/2)", "x*y_1 - y*x_1", laplace[0], laplace[1]];
        assert_eq!(found.len(), known.len(), "{found:?}");
        for f in known {
            let f = stage.read(f);
            assert!(vanishes(cx, on_shell(cx, &regular, total_derivative(cx, f))).is_yes());
            let rows: Vec<Vec<Expr>> = found.iter().chain([&f]).map(|f| vec![*f]).collect();
            assert_eq!(constant_combinations(cx, &rows).expect("an answer").basis.len(), 1, "{f} is one of them");
        }
    }

    /// Of degree 4 Hénon and Heiles have the energy only; the potential (ax² + by²)/2 + x²y + 2y³ has one integral more, for every
    /// a and b.
    #[test]
    fn integrals_of_degree_four() {
        let cx = &Inquiry::free();
        for (potential, count) in [
            ("(x^2+y^2)/2 + x^2*y - y^3/3", 1),
            ("(a*x^2+b*y^2)/2 + x^2*y + 2*y^3", 2),
            ("(3*x^2+5*y^2)/2 + x^2*y + 2*y^3", 2),
        ] {
            let mut stage = Stage::new(&["x", "y"]);
            stage.parameter("a");
            stage.parameter("b");
            let form = stage
                .lagrangian(cx, &format!("(x_1^2 + y_1^2)/2 - ({potential})"))
                .dynamical_form(cx)
                .expect("decided");
            let regular = regular(cx, &form).expect("regular");
            let found = integrals(cx, &regular, &[], 4);
            assert_eq!(found.len(), count, "{potential}: {found:?}");
            for f in found {
                assert!(vanishes(cx, on_shell(cx, &regular, total_derivative(cx, f))).is_yes());
            }
        }
    }

    /// ẍ = 0, ÿ = 0 with ż = yẋ − xẏ: the adjoint symmetries with constant coefficients and of first degree contain dF of the integrals
    /// ẋ, ẏ, tẋ − x, tẏ − y, and all that are found satisfy the equations of the paper.
    #[test]
    fn adjoint_symmetries_by_an_ansatz() {
        let cx = &Inquiry::free();
        let q = ["x", "y", "z"].map(|n| crate::algebra::Coordinate::declare(n, false));
        let y = crate::geometry::FiberedManifold::new("Y", Symbol::base("t"), &q);
        let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
        let g = s(1, 0) * s(0, 1) - s(0, 0) * s(1, 1);
        let zero = Expr::zero();
        let system = MixedSystem::new(cx, &y, vec![(q[0], zero), (q[1], zero)], vec![(q[2], g)]).expect("on J");
        let connection = Connection::new(cx, &std::rc::Rc::new(system));
        let found = adjoint_symmetries(cx, &connection, &[], 1).expect("an answer").list;
        let curvature = super::super::curvature::curvature(cx, &connection);
        for alpha in &found {
            let check =
                super::super::adjoint_symmetry::adjoint_symmetry(cx, &curvature, alpha).expect("it vanishes on Γ");
            assert!(check.verdict.is_yes(), "{alpha:?}");
        }
        let one = Expr::one();
        assert!(!found.is_empty());
        for known in [[one, zero, zero], [zero, one, zero]] {
            let rows: Vec<Vec<Expr>> =
                found.iter().map(|f| f.theta.iter().chain(&f.eta).copied().collect()).chain([known.to_vec()]).collect();
            assert_eq!(constant_combinations(cx, &rows).expect("an answer").basis.len(), 1, "{known:?} of {found:?}");
        }
    }

    /// Quadratic integrals zᵀMz of ż = Az are the symmetric M with AᵀM + MA = 0: they are counted by linear algebra alone.
    #[test]
    fn linear_systems_have_as_many_quadratic_integrals_as_linear_algebra_says() {
        let cx = &Inquiry::free();
        let z = ["x", "y", "u", "w"];
        let matrices: [[i64; 16]; 4] = [
            [0, 0, 1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, -4, 0, 0],
            [0, 0, 1, 0, 0, 0, 0, 1, -2, 1, 0, 0, 1, -2, 0, 0],
            [1, 2, 0, 0, 0, -1, 0, 0, 3, 0, 2, 1, 0, 1, 0, -2],
            [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 3, 0, 0, -3, 0],
        ];
        for a in matrices {
            let mut stage = Stage::new(&z);
            let line = |i: usize| {
                let terms = (0..4).map(|j| format!("({})*{}", a[4 * i + j], z[j])).collect::<Vec<_>>();
                format!("{}_1 - ({})", z[i], terms.join(" + "))
            };
            let lines: Vec<String> = (0..4).map(line).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let form = stage.equations(cx, &lines);
            let regular = regular(cx, &form).expect("regular");
            let found = integrals(cx, &regular, &[], 2);
            // Unknown M_ij with i ≤ j; and linear integrals c with Aᵀc = 0.
            let pairs: Vec<(usize, usize)> = (0..4).flat_map(|i| (i..4).map(move |j| (i, j))).collect();
            let entry = |row: (usize, usize), column: (usize, usize)| {
                let m = |i: usize, j: usize| i64::from((i.min(j), i.max(j)) == column);
                (0..4).map(|k| a[4 * k + row.0] * m(k, row.1) + m(row.0, k) * a[4 * k + row.1]).sum::<i64>()
            };
            let matrix = Matrix::from_fn(10, 10, |i, j| Expr::from(entry(pairs[i], pairs[j])));
            let linear = Matrix::from_fn(4, 4, |i, j| Expr::from(a[4 * j + i]));
            let expected = 10 - matrix.rank(cx).expect("numbers").value + 4 - linear.rank(cx).expect("numbers").value;
            assert_eq!(found.len(), expected, "{a:?}");
        }
    }
}
