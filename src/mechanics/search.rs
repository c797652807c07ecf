//! Searches: first integrals that are polynomials in the phase coordinates and in functions that the user names, and
//! symmetries whose components are polynomials in t and q.
//!
//! Both conditions are linear in the unknown: Γ(f) = 0 for an integral, and the linearised equations along X for a
//! symmetry. With an ansatz f = Σ c_i f_i of all monomials up to a degree they say Σ c_i R_i = 0 for constants c_i, which is
//! what [`ansatz`](super::ansatz) solves, exactly.
//!
//! On a constraint every velocity is a letter of the ansatz, also those that the constraint determines: they are functions with
//! relations to the others, so what is found does not depend on which of them are called dependent.
//!
//! Functions such as 1/r = 1/√(x² + y²) satisfy relations with the coordinates, (x² + y²)/r² = 1: combinations that are constant by
//! such a relation are no integrals, and are left out.

use super::adjoint_symmetry::associated_form;
use super::ansatz::{Ansatz, Combinations, Independent, Special, constant_combinations};
use super::connection::Connection;
use super::mixed_system::{AdaptedField, AdaptedForm, MixedSystem};
use super::regular::RegularForm;
use super::symmetry::residuals;
use super::{Answered, exhausted, jet, tidy};
use crate::algebra::Inquiry;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use rustc_hash::FxHashMap;

/// More unknown coefficients than this are not tried.
const MAX_UNKNOWNS: usize = 400;

/// What a search found, and where the parameters make room for more.
#[derive(Clone, Debug)]
pub struct Found<T> {
    pub list: Vec<T>,
    pub special: Special,
}

/// The letters of a phase space: its coordinates without t, and what a constraint determines as a function of them.
#[derive(Clone, Copy, Debug)]
pub struct Phase<'a> {
    pub coordinates: &'a [Symbol],
    pub dependent: &'a [(Symbol, Expr)],
}

impl Phase<'_> {
    fn letters(&self) -> Vec<Expr> {
        self.coordinates.iter().chain(self.dependent.iter().map(|(s, _)| s)).map(|s| Expr::symbol(*s)).collect()
    }

    /// A function of all letters as one of the coordinates.
    pub fn value(&self, f: Expr) -> Expr {
        if self.dependent.is_empty() {
            return f;
        }
        substitute(f, &self.dependent.iter().copied().collect())
    }
}

/// A basis of the first integrals of degree 1 … n in the letters of the phase space and in the functions named: those of low
/// degree first, and each without what those before it contain.
pub fn polynomial_integrals(
    cx: &Inquiry,
    gamma: &VectorField,
    phase: Phase<'_>,
    named: &[Expr],
    degree: u32,
) -> Answered<Found<Expr>> {
    let variables: Vec<Expr> = phase.letters().into_iter().chain(named.iter().copied()).collect();
    let candidates: Vec<Expr> = monomials(&variables, degree)?.into_iter().filter(|e| !e.is_number()).collect();
    let along = gamma.derivation();
    let rows = candidates.iter().map(|f| vec![along.apply(cx, phase.value(*f))]);
    let ansatz = Ansatz::new(cx, rows.collect())?;
    let mut independent = Independent::default();
    if !named.is_empty() || !phase.dependent.is_empty() {
        // Combinations that are numbers, by the relations of the functions named and by the constraints.
        let values: Vec<Vec<Expr>> = candidates.iter().chain([&Expr::one()]).map(|f| vec![phase.value(*f)]).collect();
        for constant in constant_combinations(cx, &values)?.basis {
            independent.add(cx, &constant[..candidates.len()]).map_err(exhausted)?;
        }
    }
    let mut list = vec![];
    let mut general = Combinations::default();
    for d in 1..=degree {
        // The monomials of degree at most d are the last ones.
        let behind = monomials(&variables, d)?.into_iter().filter(|e| !e.is_number()).count();
        general = ansatz.combinations(cx, candidates.len() - behind)?;
        for c in &general.basis {
            if let Some(new) = independent.add(cx, c).map_err(exhausted)? {
                list.push(combine(cx, &new, &candidates));
            }
        }
    }
    Ok(Found { list, special: ansatz.special(cx, &general)? })
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
    let residuals = |x: &VectorField| Ok(residuals(cx, regular, x));
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
    let ansatz = Ansatz::new(cx, rows)?;
    let found = ansatz.combinations(cx, 0)?;
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
    Ok(Found { list: found.basis.iter().map(sum).collect(), special: ansatz.special(cx, &found)? })
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
    let ansatz = Ansatz::new(cx, rows)?;
    let found = ansatz.combinations(cx, 0)?;
    let form = |c: &Vec<Expr>| {
        let entry = |i: usize| {
            let column: Vec<Expr> = candidates.iter().map(|f| f[i]).collect();
            combine(cx, c, &column)
        };
        let all: Vec<Expr> = (0..k + m).map(entry).collect();
        AdaptedForm { time: Expr::zero(), theta: all[..k].to_vec(), eta: all[k..].to_vec(), omega: None }
    };
    Ok(Found { list: found.basis.iter().map(form).collect(), special: ansatz.special(cx, &found)? })
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
    use crate::geometry::jet::total_derivative;

    fn integrals(cx: &Inquiry, regular: &RegularForm, named: &[Expr], degree: u32) -> Vec<Expr> {
        let space = regular.space();
        let base = space.manifold().base();
        let coordinates: Vec<Symbol> = space.symbols().into_iter().filter(|s| *s != base).collect();
        let phase = Phase { coordinates: &coordinates, dependent: &[] };
        polynomial_integrals(cx, &semispray(regular), phase, named, degree).expect("an answer").list
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

    /// A polynomial in four variables with integer coefficients, by exponents.
    type Table = std::collections::BTreeMap<[u32; 4], i64>;

    /// The exponents of degree 1 … n.
    fn exponents(n: u32) -> Vec<[u32; 4]> {
        let up_to = 0..=n;
        let all = up_to.clone().flat_map(|a| (0..=n).flat_map(move |b| (0..=n).map(move |c| (a, b, c))));
        let all = all.flat_map(|(a, b, c)| (0..=n).map(move |d| [a, b, c, d]));
        all.filter(|e| (1..=n).contains(&e.iter().sum::<u32>())).collect()
    }

    /// Σ X_i ∂/∂z_i of a monomial, by the rule of the product.
    fn rate(field: &[Table; 4], monomial: [u32; 4]) -> Table {
        let mut sum = Table::new();
        for (i, x) in field.iter().enumerate().filter(|(i, _)| monomial[*i] > 0) {
            for (e, c) in x {
                let mut product: [u32; 4] = std::array::from_fn(|j| monomial[j] + e[j]);
                product[i] -= 1;
                *sum.entry(product).or_insert(0) += c * i64::from(monomial[i]);
            }
        }
        sum
    }

    /// The rank of rows of integers modulo a prime.
    fn rank_modulo(prime: i64, rows: &[Table]) -> usize {
        let mut echelon: std::collections::BTreeMap<[u32; 4], Table> = Default::default();
        let power = |base: i64, mut n: i64| {
            let (mut b, mut r) = (base.rem_euclid(prime), 1);
            while n > 0 {
                if n % 2 == 1 {
                    r = r * b % prime;
                }
                (b, n) = (b * b % prime, n / 2);
            }
            r
        };
        for row in rows {
            let mut row: Table = row.iter().map(|(e, c)| (*e, c.rem_euclid(prime))).filter(|(_, c)| *c != 0).collect();
            while let Some((lead, value)) = row.iter().next().map(|(e, c)| (*e, *c)) {
                let Some(pivot) = echelon.get(&lead) else {
                    let inverse = power(value, prime - 2);
                    row.values_mut().for_each(|c| *c = *c * inverse % prime);
                    echelon.insert(lead, row);
                    break;
                };
                for (e, c) in pivot.clone() {
                    let entry = row.entry(e).or_insert(0);
                    *entry = (*entry - value * c).rem_euclid(prime);
                }
                row.retain(|_, c| *c != 0);
            }
        }
        echelon.len()
    }

    /// Polynomial vector fields with random small coefficients, linear, Hamiltonian and quadratic ones: there are as many integrals of
    /// degree at most n as the map f ↦ X(f) has kernel, counted with tables of integers that share nothing with the search. The
    /// rank modulo a prime is at most the true one; the larger of two is taken.
    #[test]
    fn random_systems_have_as_many_integrals_as_linear_algebra_says() {
        let cx = &Inquiry::free();
        let names = ["x", "y", "u", "w"];
        let mut seed = 12345u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as i64
        };
        let unit = |i: usize| -> [u32; 4] { std::array::from_fn(|j| u32::from(i == j)) };
        let mut counts = vec![];
        for trial in 0..12 {
            let mut field: [Table; 4] = Default::default();
            match trial % 3 {
                // ẋ = u, ẏ = w, and a potential −V that is quadratic: the first ones have two equal frequencies.
                0 => {
                    let (a, b, c) = (dice(3) + 1, dice(3) + 1, if trial < 6 { 0 } else { dice(3) - 1 });
                    let a = if trial == 0 { b } else { a };
                    field[0].insert(unit(2), 1);
                    field[1].insert(unit(3), 1);
                    field[2].extend([(unit(0), -a), (unit(1), -c)]);
                    field[3].extend([(unit(0), -c), (unit(1), -b)]);
                }
                1 => field.iter_mut().for_each(|x| x.extend((0..4).map(|j| (unit(j), dice(5) - 2)))),
                // Products of two coordinates.
                _ => field.iter_mut().enumerate().for_each(|(i, x)| {
                    let (j, k) = ((i + 1) % 4, (i + 1 + dice(3) as usize) % 4);
                    x.insert(std::array::from_fn(|l| unit(j)[l] + unit(k)[l]), dice(5) - 2);
                }),
            }
            field.iter_mut().for_each(|x| x.retain(|_, c| *c != 0));
            let mut stage = Stage::new(&names);
            let written = |(e, c): (&[u32; 4], &i64)| {
                let factors = e.iter().zip(names).map(|(k, n)| format!("{n}^{k}")).collect::<Vec<_>>();
                format!("({c})*{}", factors.join("*"))
            };
            let line = |i: usize| {
                let terms: Vec<String> = field[i].iter().map(written).collect();
                format!("{}_1 - ({})", names[i], if terms.is_empty() { "0".into() } else { terms.join(" + ") })
            };
            let lines: Vec<String> = (0..4).map(line).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let form = stage.equations(cx, &lines);
            let regular = regular(cx, &form).expect("regular");
            let found = integrals(cx, &regular, &[], 3);
            let rows: Vec<Table> = exponents(3).into_iter().map(|e| rate(&field, e)).collect();
            let rank = [1_000_003, 998_244_353].map(|p| rank_modulo(p, &rows)).into_iter().max().unwrap_or(0);
            assert_eq!(found.len(), rows.len() - rank, "{lines:?}: {found:?}");
            counts.push(found.len());
        }
        assert!(counts.iter().any(|n| *n > 1) && counts.contains(&0), "the trials say something: {counts:?}");
    }

    /// x″ = −ax, y″ = −by have two quadratic integrals, and more where a = 0, b = 0 or a = b. Frequencies as p to q give one of degree p + q:
    /// of degree 4 there are more where a = 4b, a = 9b and the other way round, too.
    #[test]
    fn parameters_that_make_room_for_more_are_named() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        stage.parameter("a");
        stage.parameter("b");
        let form = stage.equations(cx, &["-x_2 - a*x", "-y_2 - b*y"]);
        let regular = regular(cx, &form).expect("regular");
        let space = regular.space();
        let coordinates: Vec<Symbol> = space.symbols().into_iter().filter(|s| *s != space.manifold().base()).collect();
        let names = |degree: u32| {
            let phase = Phase { coordinates: &coordinates, dependent: &[] };
            let found = polynomial_integrals(cx, &semispray(&regular), phase, &[], degree).expect("an answer");
            assert!(found.special.open.is_empty(), "{:?}", found.special.open);
            let mut list: Vec<String> = found.special.more.iter().map(|set| format!("{set:?}")).collect();
            list.sort();
            (found.list.len(), list)
        };
        let mut expected = |list: &[&str]| {
            let mut list: Vec<String> = list.iter().map(|e| format!("{:?}", [stage.read(e)])).collect();
            list.sort();
            list
        };
        assert_eq!(names(2), (2, expected(&["a", "b", "a - b"])));
        assert_eq!(names(4).1.len(), 7, "{:?}", names(4).1);
    }
}
