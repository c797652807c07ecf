//! Searches: first integrals that are polynomials in the phase coordinates, and symmetries whose components are
//! polynomials in t and q.
//!
//! Both conditions are linear in the unknown: Γ(f) = 0 for an integral, and the linearised equations along X for a
//! symmetry. With an ansatz f = Σ c_i f_i of all monomials up to a degree they say Σ c_i R_i = 0 for constants c_i. The c_i are
//! found from the values of the R_i at more points than there are unknowns, and every combination that comes out is then
//! proved by the zero test: the list contains nothing that is not one.

use super::regular::{RegularForm, semispray};
use super::symmetry::symmetry;
use super::{Answered, exhausted, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol, conditions};
use crate::budget::Budgeted;
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use rustc_hash::FxHashMap;

/// More unknown coefficients than this are not tried.
const MAX_UNKNOWNS: usize = 400;

/// A basis of the first integrals of degree 1 … n in q, q′, …, q_{s−1}.
pub fn polynomial_integrals(cx: &Inquiry, regular: &RegularForm, degree: u32) -> Answered<Vec<Expr>> {
    let space = regular.space();
    let base = space.manifold().base();
    let coordinates: Vec<Symbol> = space.symbols().into_iter().filter(|s| *s != base).collect();
    let candidates: Vec<Expr> = monomials(&coordinates, degree)?.into_iter().filter(|e| !e.is_number()).collect();
    let gamma = semispray(regular);
    let rates: Vec<Vec<Expr>> = candidates.iter().map(|f| vec![gamma.apply(cx, *f)]).collect();
    let constants = constant_combinations(cx, &rates, &space.symbols())?;
    Ok(constants.iter().map(|c| combine(cx, c, &candidates)).collect())
}

/// A basis of the symmetries ξ⁰(t)∂_t + ξ^σ(t, q)∂_σ with polynomial components of degree at most n.
pub fn polynomial_symmetries(cx: &Inquiry, regular: &RegularForm, degree: u32) -> Answered<Vec<VectorField>> {
    let space = regular.space();
    let y = space.manifold();
    let t = y.base();
    let positions: Vec<Symbol> = (0..y.n_coordinates()).map(|sigma| jet(y, sigma, 0)).collect();
    let mut variables = vec![t];
    variables.extend(&positions);
    let all = monomials(&variables, degree)?;
    let mut fields: Vec<VectorField> =
        all.iter().flat_map(|f| positions.iter().map(|q| VectorField::new([(*q, *f)]))).collect();
    fields.extend(monomials(&[t], degree)?.into_iter().map(|f| VectorField::new([(t, f)])));
    if fields.len() > MAX_UNKNOWNS {
        return Err(too_many(fields.len()));
    }
    let mut residuals = Vec::with_capacity(fields.len());
    for x in &fields {
        cx.check().map_err(exhausted)?;
        residuals.push(symmetry(cx, regular, x)?.residuals);
    }
    let constants = constant_combinations(cx, &residuals, &space.symbols())?;
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
    Ok(constants.iter().map(sum).collect())
}

/// All monomials of degree 0 … n, the highest first.
fn monomials(variables: &[Symbol], degree: u32) -> Answered<Vec<Expr>> {
    let mut levels: Vec<Vec<(Expr, usize)>> = vec![vec![(Expr::one(), 0)]];
    let mut count = 1;
    for _ in 0..degree {
        let below = &levels[levels.len() - 1];
        // Each monomial once: a factor is only added at or after the last one.
        let next: Vec<(Expr, usize)> = below
            .iter()
            .flat_map(|(e, from)| (*from..variables.len()).map(move |i| (*e, i)))
            .map(|(e, i)| (e * Expr::symbol(variables[i]), i))
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

/// A basis of the constants c with Σ c_i R_i = 0, componentwise.
fn constant_combinations(cx: &Inquiry, rows: &[Vec<Expr>], symbols: &[Symbol]) -> Answered<Vec<Vec<Expr>>> {
    let n = rows.len();
    let width = rows.first().map_or(0, Vec::len);
    let mut state = 11u64;
    let mut roll = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let number = (state >> 40) as i64 % 23 - 11;
        Rational::ratio(if number == 0 { 12 } else { number }, 1 + (state >> 35) as i64 % 3)
    };
    let mut equations: Vec<Vec<Expr>> = Vec::new();
    let mut tries = 0;
    while equations.len() < n + 2 * width && tries < 4 * n + 40 {
        cx.check().map_err(exhausted)?;
        tries += 1;
        let point: FxHashMap<Symbol, Expr> = symbols.iter().map(|s| (*s, Expr::number(roll()))).collect();
        for j in 0..width {
            let (values, _) = conditions::collect(cx, |cx| {
                rows.iter().map(|r| tidy(cx, substitute(r[j], &point))).collect::<Vec<Expr>>()
            });
            let usable = |e: &Expr| e.as_undefined().is_none() && e.symbols().iter().all(|s| s.is_parameter());
            if values.iter().all(usable) {
                equations.push(values);
            }
        }
    }
    let numbers: Option<Vec<Vec<Rational>>> =
        equations.iter().map(|row| row.iter().map(|e| e.as_number().cloned()).collect()).collect();
    let found = match numbers {
        Some(rows) => null_space_of_numbers(cx, rows, n).map_err(exhausted)?,
        // Parameters occur: generic elimination.
        None => {
            let (found, _) = conditions::collect(cx, |cx| Matrix::with_columns(equations, n).null_space(cx));
            found.map_err(exhausted)?
        }
    };
    let mut proved = Vec::new();
    for c in found {
        let is_solution = (0..width).all(|j| {
            let column: Vec<Expr> = rows.iter().map(|r| r[j]).collect();
            vanishes(cx, combine(cx, &c, &column)).is_yes()
        });
        if is_solution {
            proved.push(c.into_iter().map(|x| tidy(cx, x)).collect());
        }
    }
    Ok(proved)
}

/// A basis of the vectors that all rows annihilate, by elimination in rational numbers.
fn null_space_of_numbers(cx: &Inquiry, mut rows: Vec<Vec<Rational>>, n: usize) -> Budgeted<Vec<Vec<Expr>>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..n {
        let rank = pivots.len();
        let Some(i) = (rank..rows.len()).find(|i| !rows[*i][column].is_zero()) else { continue };
        cx.check()?;
        rows.swap(rank, i);
        let lead = rows[rank][column].clone();
        for x in &mut rows[rank] {
            *x = &*x / &lead;
        }
        let pivot_row = rows[rank].clone();
        for (k, row) in rows.iter_mut().enumerate() {
            let factor = row[column].clone();
            if k == rank || factor.is_zero() {
                continue;
            }
            for (x, p) in row.iter_mut().zip(&pivot_row) {
                if !p.is_zero() {
                    *x = &*x - &(&factor * p);
                }
            }
        }
        pivots.push(column);
    }
    let free = (0..n).filter(|j| !pivots.contains(j));
    let vector = |j: usize| {
        let mut v = vec![Expr::zero(); n];
        v[j] = Expr::one();
        for (row, column) in pivots.iter().enumerate() {
            v[*column] = Expr::number(-&rows[row][j]);
        }
        v
    };
    Ok(free.map(vector).collect())
}

#[cfg(test)]
mod tests {
    use super::super::cases::Stage;
    use super::super::regular::regular;
    use super::super::symmetry::on_shell;
    use super::*;
    use crate::geometry::jet::total_derivative;

    /// The isotropic oscillator in the plane: angular momentum and the three components of the Fradkin tensor,
    /// x′² + x², y′² + y², x′y′ + xy, are all its quadratic integrals.
    #[test]
    fn quadratic_integrals_of_the_oscillator() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y"]);
        let form = stage.equations(cx, &["-x_2 - x", "-y_2 - y"]);
        let regular = regular(cx, &form).expect("regular");
        let found = polynomial_integrals(cx, &regular, 2).expect("an answer");
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
        let found = polynomial_integrals(cx, &regular(cx, &form).expect("regular"), 3).expect("an answer");
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
        let found = polynomial_symmetries(cx, &regular(cx, &form).expect("regular"), 2).expect("an answer");
        assert_eq!(found.len(), 6, "{found:?}");
    }
}
