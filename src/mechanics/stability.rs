//! Stability of the linear equations ẋ = Ax with constant A, decided by the coefficients of det(λ − A) = λ^r p(λ) alone: no eigenvalue
//! is computed, so parameters may occur, and what the facts say about their signs counts.
//!
//! ```text
//! Routh, Hurwitz     all Hurwitz minors of p are positive                    all roots of p have negative real parts
//! necessary          no root has a positive real part                        no coefficient and no Hurwitz minor is negative
//! Hermite            p(λ) = q(λ²), coefficients of q positive and the        all roots are imaginary and simple
//!                    Hankel matrix of its power sums positive definite
//! zero               rank A = n − r                                          the eigenvalue 0 has no Jordan block
//! ```
//!
//! The equations linearised at an equilibrium say that it is unstable when a root has a positive real part, and
//! asymptotically stable when all have negative ones. In between they say nothing; there the energy may decide ([`definite_energy`]).

use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::derive::hessian;
use crate::algebra::linear::Matrix;
use crate::algebra::linear::definite::Definiteness;
use crate::algebra::substitute::substitute_all;
use crate::algebra::{Expr, Symbol, Verdict};
use rustc_hash::FxHashMap;

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

pub fn linear_stability(cx: &Inquiry, a: &Matrix) -> Answered<LinearStability> {
    let polynomial = characteristic_polynomial(cx, a)?;
    let mut zeros = 0;
    while zeros + 1 < polynomial.len() && vanishes(cx, polynomial[zeros]).is_yes() {
        zeros += 1;
    }
    let p = &polynomial[zeros..];
    let growth = growth(cx, p)?;
    let (unstable, rest_bounded, rest_decays) = match growth {
        Growth::Grows(why) => (Verdict::yes(why.clone()), Verdict::no(why.clone()), Verdict::no(why)),
        Growth::Decays => {
            let why = "all Hurwitz minors are positive";
            (Verdict::no(why), Verdict::yes(why), Verdict::yes(why))
        }
        Growth::Oscillates => {
            let why = "all eigenvalues other than 0 are imaginary and simple";
            (Verdict::no(why), Verdict::yes(why), Verdict::no(why))
        }
        Growth::Open(why) => (Verdict::unknown(&*why), Verdict::unknown(&*why), Verdict::unknown(why)),
    };
    if zeros == 0 {
        return Ok(LinearStability { polynomial, bounded: rest_bounded, asymptotic: rest_decays, unstable });
    }
    let rank = a.rank(cx).map_err(exhausted)?;
    let semisimple = match rank.value + zeros == a.n_rows() {
        true if rank.verdict.is_yes() => Verdict::yes("the eigenvalue 0 has as many eigenvectors as its multiplicity"),
        false if rank.value + zeros > a.n_rows() => Verdict::no("the eigenvalue 0 has a Jordan block"),
        _ => Verdict::unknown("the rank of the matrix is not decided"),
    };
    let bounded = rest_bounded.and(semisimple);
    Ok(LinearStability { polynomial, bounded, asymptotic: Verdict::no("0 is an eigenvalue"), unstable })
}

/// Where the roots of a polynomial without the root 0 lie.
enum Growth {
    /// Some root has a positive real part.
    Grows(String),
    /// All have negative real parts.
    Decays,
    /// All are imaginary and simple.
    Oscillates,
    Open(String),
}

fn growth(cx: &Inquiry, p: &[Expr]) -> Answered<Growth> {
    if p.len() == 1 {
        return Ok(Growth::Oscillates);
    }
    let negative = |e: &&Expr| sign_of(cx, **e).is_negative();
    if let Some(c) = p.iter().find(negative) {
        return Ok(Growth::Grows(format!("the coefficient {c} of the characteristic polynomial is negative")));
    }
    let minors = hurwitz_minors(cx, p)?;
    if let Some(c) = minors.iter().find(negative) {
        return Ok(Growth::Grows(format!("the Hurwitz minor {c} is negative")));
    }
    if minors.iter().all(|e| sign_of(cx, *e).is_positive()) {
        return Ok(Growth::Decays);
    }
    let odd = p.iter().skip(1).step_by(2);
    if p.len() % 2 == 1 && odd.into_iter().all(|c| vanishes(cx, *c).is_yes()) {
        return squares(cx, &p.iter().step_by(2).copied().collect::<Vec<_>>());
    }
    Ok(Growth::Open("the signs of the Hurwitz minors are not decided".into()))
}

/// p(λ) = q(λ²).
fn squares(cx: &Inquiry, q: &[Expr]) -> Answered<Growth> {
    let hankel = power_sums(cx, q);
    let minors = hankel.leading_minors(cx).map_err(exhausted)?;
    if let Some(c) = minors.iter().find(|e| sign_of(cx, **e).is_negative()) {
        return Ok(Growth::Grows(format!("the squares of the eigenvalues are not all real: {c} is negative")));
    }
    let positive = |e: &Expr| sign_of(cx, *e).is_positive();
    Ok(match q.iter().all(positive) && minors.iter().all(positive) {
        true => Growth::Oscillates,
        false => Growth::Open("the signs of the squares of the eigenvalues are not decided".into()),
    })
}

/// c_0, …, c_n of det(λ − A), by Faddeev and Le Verrier: no division but by integers.
pub fn characteristic_polynomial(cx: &Inquiry, a: &Matrix) -> Answered<Vec<Expr>> {
    let n = a.n_rows();
    let mut coefficients = vec![Expr::zero(); n + 1];
    coefficients[n] = Expr::one();
    let mut m = Matrix::identity(n);
    for k in 1..=n {
        cx.check().map_err(exhausted)?;
        let product = a.mul(&m).simplify(cx).map_err(exhausted)?;
        let trace = Expr::add_all((0..n).map(|i| product[(i, i)]));
        let c = tidy(cx, trace * Expr::ratio(-1, k as i64));
        coefficients[n - k] = c;
        m = product.add(&Matrix::identity(n).scale(c)).simplify(cx).map_err(exhausted)?;
    }
    Ok(coefficients)
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

/// Whether a first integral has a strict extremum at a point where its gradient vanishes: then the point is stable, by Dirichlet
/// and Lyapunov.
pub fn definite_energy(
    cx: &Inquiry,
    energy: Expr,
    coordinates: &[Symbol],
    point: &FxHashMap<Symbol, Expr>,
) -> Answered<Verdict> {
    let rows = hessian(cx, energy, coordinates);
    let rows = rows.iter().map(|row| substitute_all(row, point)).collect();
    let matrix = Matrix::with_columns(rows, coordinates.len()).simplify(cx).map_err(exhausted)?;
    Ok(match matrix.definiteness(cx).map_err(exhausted)? {
        Definiteness::Positive | Definiteness::Negative => {
            Verdict::yes("the energy has a strict extremum here (Lagrange, Dirichlet)")
        }
        _ => Verdict::unknown("the energy has no strict extremum of second order here"),
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

    /// Eigenvalues by hand: ±i; 1, −1; −1 twice; ±i, ±2i; 0 twice with a block; 0 and −1; ±i twice with a block.
    #[test]
    fn matrices_whose_eigenvalues_are_known() {
        let yes = |v: &Verdict| v.is_yes();
        let (b, a, u) = stability(&[&[0, 1], &[-1, 0]]);
        assert!(yes(&b) && a.is_no() && u.is_no());
        let (b, _, u) = stability(&[&[0, 1], &[1, 0]]);
        assert!(b.is_no() && yes(&u));
        let (b, a, _) = stability(&[&[0, 1], &[-1, -2]]);
        assert!(yes(&b) && yes(&a));
        let (b, _, u) = stability(&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 0], &[0, -4, 0, 0]]);
        assert!(yes(&b) && u.is_no());
        let (b, _, u) = stability(&[&[0, 1], &[0, 0]]);
        assert!(b.is_no() && u.is_no());
        let (b, a, _) = stability(&[&[0, 0], &[0, -1]]);
        assert!(yes(&b) && a.is_no());
        let (b, _, _) = stability(&[&[0, 1, 1, 0], &[-1, 0, 0, 1], &[0, 0, 0, 1], &[0, 0, -1, 0]]);
        assert!(b.is_unknown(), "a double pair of imaginary eigenvalues is not decided by these criteria");
        // λ⁴ + 1: two pairs ±(1 ± i)/√2.
        let (b, _, u) = stability(&[&[0, 1, 0, 0], &[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 0]]);
        assert!(b.is_no() && yes(&u));
    }
}
