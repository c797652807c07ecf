//! Stability of the linear equations ẋ = Ax with constant A, decided by the factors of det(λ − A) alone: no eigenvalue is
//! computed, so parameters may occur, and what the facts say about their signs counts. For a factor p of multiplicity μ:
//!
//! ```text
//! Routh, Hurwitz     all Hurwitz minors of p are positive                    its roots have negative real parts
//! necessary          a coefficient or a Hurwitz minor of p is negative       some root has a positive real part
//! Hermite            p(λ) = q(λ²), coefficients of q positive and the        its roots are imaginary
//!                    Hankel matrix of its power sums positive definite
//! Jordan             rank p(A) = n − μ deg p                                 its roots have no Jordan blocks
//! ```
//!
//! The equations linearised at an equilibrium say that it is unstable when a root has a positive real part, and
//! asymptotically stable when all have negative ones. In between they say nothing; there the energy may decide ([`extremum`]).

use super::state::State;
use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::decide::sign;
use crate::algebra::derive::{hessian, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::linear::definite::Definiteness;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::budget::Budgeted;

/// What the characteristic polynomial says.
#[derive(Clone, Debug)]
pub struct LinearStability {
    /// c_0, …, c_n with c_n = 1: det(λ − A) = Σ c_i λ^i.
    pub polynomial: Vec<Expr>,
    /// Whether all solutions of the linear equations stay bounded.
    pub bounded: Verdict,
    /// Whether all of them tend to 0.
    pub asymptotic: Verdict,
    /// Whether some eigenvalue has a positive real part.
    pub unstable: Verdict,
}

/// A factor of the characteristic polynomial, monic, its lowest coefficient first.
pub(super) struct Factor {
    pub coefficients: Vec<Expr>,
    pub multiplicity: usize,
}

pub fn linear_stability(cx: &Inquiry, a: &Matrix) -> Answered<LinearStability> {
    let polynomial = a.characteristic_polynomial(cx).map_err(exhausted)?;
    let factors = factors(cx, a).map_err(exhausted)?;
    let mut unstable = Verdict::no("no eigenvalue has a positive real part");
    let mut asymptotic = Verdict::yes("all eigenvalues have negative real parts");
    let mut bounded = Verdict::yes("no eigenvalue has a positive real part, and imaginary ones have no Jordan blocks");
    let mut imaginary: Vec<&Factor> = vec![];
    for factor in &factors {
        match growth(cx, &factor.coefficients)? {
            Growth::Grows(why) => {
                unstable = unstable.or(Verdict::yes(why.clone()));
                asymptotic = asymptotic.and(Verdict::no(why.clone()));
                bounded = bounded.and(Verdict::no(why));
            }
            Growth::Decays => {}
            Growth::Oscillates => {
                asymptotic = asymptotic.and(Verdict::no("some eigenvalues are imaginary"));
                bounded = bounded.and(has_no_blocks(cx, a, factor)?);
                for other in &imaginary {
                    bounded = bounded.and(have_no_common_root(cx, factor, other)?);
                }
                imaginary.push(factor);
            }
            Growth::Open(why) => {
                unstable = unstable.or(Verdict::unknown(&*why));
                asymptotic = asymptotic.and(Verdict::unknown(&*why));
                bounded = bounded.and(Verdict::unknown(why));
            }
        }
    }
    Ok(LinearStability { polynomial, bounded, asymptotic, unstable })
}

/// The factors of the characteristic polynomial, monic.
pub(super) fn factors(cx: &Inquiry, a: &Matrix) -> Budgeted<Vec<Factor>> {
    let monic = |(c, multiplicity): (Vec<Expr>, usize)| {
        let lead = c.last().copied().unwrap_or_else(Expr::one);
        Factor { coefficients: c.iter().map(|c| tidy(cx, *c / lead)).collect(), multiplicity }
    };
    Ok(a.characteristic_factors(cx)?.into_iter().map(monic).collect())
}

/// rank p(A) = n − μ deg p: as small as it can be, so where it is in general it is everywhere.
fn has_no_blocks(cx: &Inquiry, a: &Matrix, factor: &Factor) -> Answered<Verdict> {
    if factor.multiplicity == 1 {
        return Ok(Verdict::yes("simple eigenvalues"));
    }
    let n = a.n_rows();
    let mut value = Matrix::zero(n, n);
    for c in factor.coefficients.iter().rev() {
        value = value.mul(a).add(&Matrix::identity(n).scale(*c)).simplify(cx).map_err(exhausted)?;
    }
    let rank = value.rank(cx).map_err(exhausted)?;
    let least = n - factor.multiplicity * (factor.coefficients.len() - 1);
    Ok(match (rank.value == least, rank.conditions.is_empty() && rank.verdict.is_yes()) {
        (true, _) if rank.verdict.is_yes() => Verdict::yes("as many eigenvectors as the multiplicity says"),
        (false, true) => Verdict::no("an imaginary eigenvalue has a Jordan block"),
        _ => Verdict::unknown("whether an imaginary eigenvalue has a Jordan block depends on the parameters"),
    })
}

/// Different factors have different roots, for all values of the parameters.
fn have_no_common_root(cx: &Inquiry, p: &Factor, q: &Factor) -> Answered<Verdict> {
    let (k, m) = (p.coefficients.len() - 1, q.coefficients.len() - 1);
    // The matrix of Sylvester.
    let entry = |list: &[Expr], i: usize, j: usize| {
        j.checked_sub(i).and_then(|d| list.get(d)).copied().unwrap_or_else(Expr::zero)
    };
    let sylvester = Matrix::from_fn(k + m, k + m, |i, j| match i < m {
        true => entry(&p.coefficients, i, j),
        false => entry(&q.coefficients, i - m, j),
    });
    let resultant = sylvester.det(cx).map_err(exhausted)?;
    Ok(match sign(cx, resultant).is_nonzero() {
        true => Verdict::yes("different eigenvalues"),
        false => Verdict::unknown(format!("eigenvalues may coincide where {resultant} vanishes")),
    })
}

/// Where the roots of a polynomial lie.
enum Growth {
    /// Some root has a positive real part.
    Grows(String),
    /// All have negative real parts.
    Decays,
    /// All are imaginary, 0 among them.
    Oscillates,
    Open(String),
}

fn growth(cx: &Inquiry, p: &[Expr]) -> Answered<Growth> {
    if let [constant, _] = p
        && vanishes(cx, *constant).is_yes()
    {
        return Ok(Growth::Oscillates);
    }
    let negative = |e: &&Expr| sign(cx, **e).is_negative();
    if let Some(c) = p.iter().find(negative) {
        return Ok(Growth::Grows(format!("the coefficient {c} of the characteristic polynomial is negative")));
    }
    let minors = hurwitz_minors(cx, p)?;
    if let Some(c) = minors.iter().find(negative) {
        return Ok(Growth::Grows(format!("the Hurwitz minor {c} is negative")));
    }
    if minors.iter().all(|e| sign(cx, *e).is_positive()) {
        return Ok(Growth::Decays);
    }
    let odd = p.iter().skip(1).step_by(2);
    if p.len() % 2 == 1 && odd.into_iter().all(|c| vanishes(cx, *c).is_yes()) {
        return squares(cx, &p.iter().step_by(2).copied().collect::<Vec<_>>());
    }
    Ok(open(cx, p.iter().chain(&minors), "the signs of the Hurwitz minors are not decided"))
}

/// The first sign that keeps the question open, if it is short enough to be read; a fact about it would decide.
fn open<'e>(cx: &Inquiry, signs: impl Iterator<Item = &'e Expr>, otherwise: &str) -> Growth {
    let first = signs.copied().find(|e| !sign(cx, *e).is_positive()).map(|e| e.to_string());
    Growth::Open(match first.filter(|e| e.len() <= 60) {
        Some(e) => format!("the sign of {e} is not decided"),
        None => otherwise.to_string(),
    })
}

/// p(λ) = q(λ²).
fn squares(cx: &Inquiry, q: &[Expr]) -> Answered<Growth> {
    let hankel = power_sums(cx, q);
    let minors = hankel.leading_minors(cx).map_err(exhausted)?;
    if let Some(c) = minors.iter().find(|e| sign(cx, **e).is_negative()) {
        return Ok(Growth::Grows(format!("the squares of the eigenvalues are not all real: {c} is negative")));
    }
    let positive = |e: &Expr| sign(cx, *e).is_positive();
    Ok(match q.iter().all(positive) && minors.iter().all(positive) {
        true => Growth::Oscillates,
        false => open(cx, q.iter().chain(&minors), "the signs of the squares of the eigenvalues are not decided"),
    })
}

/// The leading minors of the Hurwitz matrix H_ij = c_{n − 2(j+1) + (i+1)}.
fn hurwitz_minors(cx: &Inquiry, p: &[Expr]) -> Answered<Vec<Expr>> {
    let n = p.len() - 1;
    let entry = |i: usize, j: usize| {
        // The coefficient a_{2j − i} counted from the leading one, from 1.
        let k = 2 * (j as i64 + 1) - (i as i64 + 1);
        if (0..=n as i64).contains(&k) { p[n - k as usize] } else { Expr::zero() }
    };
    Matrix::from_fn(n, n, entry).leading_minors(cx).map_err(exhausted)
}

/// The Hankel matrix of the power sums s_{i+j} of the roots, by Newton's identities.
fn power_sums(cx: &Inquiry, q: &[Expr]) -> Matrix {
    let n = q.len() - 1;
    // Elementary coefficients of the monic polynomial, from the leading one.
    let e = |k: usize| if k <= n { q[n - k] } else { Expr::zero() };
    let mut sums = vec![Expr::from(n as i64)];
    for k in 1..2 * n {
        let mut terms: Vec<Expr> = (1..k.min(n + 1)).map(|i| -(e(i) * sums[k - i])).collect();
        if k <= n {
            terms.push(e(k) * -(k as i64));
        }
        sums.push(tidy(cx, Expr::add_all(terms)));
    }
    Matrix::from_fn(n, n, |i, j| sums[i + j])
}

/// What a function is at a point, on the level of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extremum {
    Minimum,
    Maximum,
    /// Not seen by the second derivatives.
    Unseen,
}

/// Whether W has a strict extremum at a point, on the set where the functions c_i have the values that they have there.
///
/// ```text
/// dW = Σ λ_i dc_i        d²(W − Σ λ_i c_i) definite where all dc_i vanish
/// ```
///
/// If W and the c_i are first integrals the point is then stable: W − Σ λ_i c_i + K Σ (c_i − c_i⁰)² is one with a strict extremum, for
/// large ±K. Without c_i this is the theorem of Lagrange and Dirichlet; with the momenta of ignorable coordinates it is that
/// of Routh.
pub fn extremum(cx: &Inquiry, w: Expr, fixed: &[Expr], coordinates: &[Symbol], state: &State) -> Answered<Extremum> {
    let n = coordinates.len();
    let at = |e: Expr| state.at(cx, e);
    let gradient = |f: Expr| coordinates.iter().map(|s| at(partial(cx, f, *s))).collect::<Vec<_>>();
    // Functions may repeat each other. What is an extremum on the set of some of them is one on that of all.
    let all = Matrix::with_columns(fixed.iter().map(|c| gradient(*c)).collect(), n);
    let independent = all.transpose().rank(cx).map_err(exhausted)?.columns;
    let fixed: Vec<Expr> = independent.iter().map(|i| fixed[*i]).collect();
    let slopes = Matrix::with_columns(fixed.iter().map(|c| gradient(*c)).collect(), n);
    let solution = slopes.transpose().solve(cx, &gradient(w)).map_err(exhausted)?;
    if !solution.residuals.iter().all(|e| vanishes(cx, *e).is_yes()) || !solution.free.is_empty() {
        return Ok(Extremum::Unseen);
    }
    let multiplied = fixed.iter().zip(&solution.particular).map(|(c, lambda)| *c * *lambda);
    let rows = hessian(cx, w - Expr::add_all(multiplied), coordinates);
    let rows = rows.iter().map(|row| row.iter().map(|e| at(*e)).collect()).collect();
    let hessian = Matrix::with_columns(rows, n).simplify(cx).map_err(exhausted)?;
    let along = match fixed.is_empty() {
        true => Matrix::identity(n),
        false => Matrix::with_columns(slopes.null_space(cx).map_err(exhausted)?, n).transpose(),
    };
    let form = along.transpose().mul(&hessian).mul(&along).simplify(cx).map_err(exhausted)?;
    Ok(match form.definiteness(cx).map_err(exhausted)? {
        Definiteness::Positive => Extremum::Minimum,
        Definiteness::Negative => Extremum::Maximum,
        _ => Extremum::Unseen,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stability(rows: &[&[i64]]) -> (Verdict, Verdict, Verdict) {
        let cx = &Inquiry::free();
        let rows = rows.iter().map(|r| r.iter().map(|n| Expr::from(*n)).collect()).collect();
        let found = linear_stability(cx, &Matrix::from_rows(rows)).expect("numbers");
        (found.bounded, found.asymptotic, found.unstable)
    }

    /// Eigenvalues by hand: ±i; 1, −1; −1 twice; ±i, ±2i; 0 twice with a block; 0 and −1; ±i twice without and with a block; ±i, −1, 0;
    /// (±1 ± i)/√2.
    #[test]
    fn matrices_whose_eigenvalues_are_known() {
        let cases: [(&[&[i64]], [bool; 3]); 10] = [
            (&[&[0, 1], &[-1, 0]], [true, false, false]),
            (&[&[0, 1], &[1, 0]], [false, false, true]),
            (&[&[0, 1], &[-1, -2]], [true, true, false]),
            (&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 0], &[0, -4, 0, 0]], [true, false, false]),
            (&[&[0, 1], &[0, 0]], [false, false, false]),
            (&[&[0, 0], &[0, -1]], [true, false, false]),
            (&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 0], &[0, -1, 0, 0]], [true, false, false]),
            (&[&[0, 1, 1, 0], &[-1, 0, 0, 1], &[0, 0, 0, 1], &[0, 0, -1, 0]], [false, false, false]),
            (&[&[0, 1, 0, 0], &[-1, 0, 0, 0], &[0, 0, -1, 0], &[0, 0, 0, 0]], [true, false, false]),
            (&[&[0, 1, 0, 0], &[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 0]], [false, false, true]),
        ];
        for (rows, expected) in cases {
            let (bounded, asymptotic, unstable) = stability(rows);
            let found = [&bounded, &asymptotic, &unstable];
            assert!(found.iter().all(|v| !v.is_unknown()), "{rows:?}: {found:?}");
            assert_eq!(found.map(|v| v.is_yes()), expected, "{rows:?}");
        }
    }
}
