//! Normal modes of ẋ = Ax with constant A: pairs ±iω of eigenvalues and the motions that belong to them,
//!
//! ```text
//! x(t) = u cos ωt + (Au/ω) sin ωt,        (A² + ω²) u = 0
//! ```
//!
//! Frequencies come from the factors of det(λ − A) that are even, p(λ) = q(λ²), where q is linear or quadratic: ω² = −λ² is then a
//! formula in the parameters. Where q is of higher degree and has numbers as coefficients the modes are computed in ℚ[ω²]/(q): exactly,
//! at all real roots together. Other factors are handed back as they are. A mode is standing when some u in it has no
//! velocities: then all positions pass through 0 together, and u is its shape. Otherwise the positions move on ellipses,
//! and the state a quarter of a period later belongs to the shape.
//!
//! Every mode was put into its equation.

use super::stability::{Factor, factors};
use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::decide::sign;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::linear::Matrix;
use crate::algebra::number_field::{Element, NumberField};
use crate::algebra::roots::AlgebraicNumber;
use crate::algebra::{Expr, Inquiry, Rational, Verdict, conditions};
use crate::budget::Budgeted;

/// A motion of one frequency.
#[derive(Clone, Debug)]
pub struct Mode {
    /// ω; 0 for a displacement that stays.
    pub frequency: Expr,
    /// u, in all coordinates.
    pub shape: Vec<Expr>,
    /// Au/ω, a quarter of a period later, where the mode is not standing.
    pub quarter: Option<Vec<Expr>>,
}

/// A mode whose frequency has no formula: polynomials in ω², at a root that is isolated.
#[derive(Clone, Debug)]
pub struct AlgebraicMode {
    /// ω².
    pub square: AlgebraicNumber,
    pub shape: Vec<Element>,
    /// ω times the state a quarter of a period later, where the mode is not standing.
    pub quarter: Option<Vec<Element>>,
}

#[derive(Clone, Debug)]
pub struct Modes {
    pub list: Vec<Mode>,
    pub algebraic: Vec<AlgebraicMode>,
    /// Even factors whose roots have no closed form here: the coefficients of q(λ²), that of 1 first.
    pub unsolved: Vec<Vec<Expr>>,
}

/// The modes of A; `velocities` are the places of the velocities.
pub fn normal_modes(cx: &Inquiry, a: &Matrix, velocities: &[usize]) -> Answered<Modes> {
    let mut found = Modes { list: vec![], algebraic: vec![], unsolved: vec![] };
    for factor in factors(cx, a).map_err(exhausted)? {
        let Some(squares) = squares(cx, &factor) else {
            if is_even(cx, &factor) {
                found.algebraic.extend(algebraic_modes(cx, a, velocities, &factor).map_err(exhausted)?);
                found.unsolved.push(factor.coefficients.iter().step_by(2).copied().collect());
            }
            continue;
        };
        for square in squares {
            let sign = sign(cx, square);
            if sign.is_negative() {
                continue;
            }
            if !sign.is_nonzero() && vanishes(cx, square).is_yes() {
                let null = a.null_space(cx).map_err(exhausted)?;
                let still = |shape: Vec<Expr>| Mode { frequency: Expr::zero(), shape, quarter: None };
                found.list.extend(null.into_iter().map(still));
                continue;
            }
            if !sign.is_positive() {
                conditions::state(cx, Condition { relation: Relation::Greater, left: square });
            }
            found.list.extend(modes_of(cx, a, velocities, square, factor.multiplicity)?);
        }
    }
    Ok(found)
}

fn is_even(cx: &Inquiry, factor: &Factor) -> bool {
    let p = &factor.coefficients;
    p.len() % 2 == 1 && p.iter().skip(1).step_by(2).all(|c| vanishes(cx, *c).is_yes())
}

/// The values of −λ² at the roots of an even factor; for λ itself 0.
fn squares(cx: &Inquiry, factor: &Factor) -> Option<Vec<Expr>> {
    if let [constant, _] = factor.coefficients.as_slice() {
        return vanishes(cx, *constant).is_yes().then(|| vec![Expr::zero()]);
    }
    if !is_even(cx, factor) {
        return None;
    }
    let q: Vec<Expr> = factor.coefficients.iter().step_by(2).copied().collect();
    match q.as_slice() {
        [c, _] => Some(vec![*c]),
        [c, b, _] => {
            // ω² is real where b² > 4c; otherwise the roots are no frequencies.
            let discriminant = tidy(cx, b.pow(2) - *c * 4);
            let sign = sign(cx, discriminant);
            if sign.is_negative() {
                return Some(vec![]);
            }
            if !sign.is_positive() {
                conditions::state(cx, Condition { relation: Relation::Greater, left: discriminant });
            }
            let root = tidy(cx, discriminant.sqrt());
            Some([-root, root].into_iter().map(|r| tidy(cx, (*b + r) / 2)).collect())
        }
        _ => None,
    }
}

fn modes_of(cx: &Inquiry, a: &Matrix, velocities: &[usize], square: Expr, multiplicity: usize) -> Answered<Vec<Mode>> {
    let n = a.n_rows();
    let equation = a.mul(a).add(&Matrix::identity(n).scale(square)).simplify(cx).map_err(exhausted)?;
    let frequency = tidy(cx, square.sqrt());
    let at_rest = Matrix::from_fn(velocities.len(), n, |i, j| Expr::from(i64::from(velocities[i] == j)));
    let standing = equation.above(&at_rest).null_space(cx).map_err(exhausted)?;
    let solves = |u: &Vec<Expr>| {
        Verdict::all(equation.mul_vector(u).into_iter().map(|e| vanishes(cx, e)), "no coordinates").is_yes()
    };
    if standing.len() == multiplicity {
        let mode = |shape: Vec<Expr>| Mode { frequency, shape, quarter: None };
        return Ok(standing.into_iter().map(|u| tidied(cx, u)).filter(solves).map(mode).collect());
    }
    let mut list: Vec<Mode> = vec![];
    for u in equation.null_space(cx).map_err(exhausted)? {
        let known = list.iter().flat_map(|m| [Some(m.shape.clone()), m.quarter.clone()]).flatten();
        let rows: Vec<Vec<Expr>> = known.chain([u.clone()]).collect();
        let count = rows.len();
        if Matrix::with_columns(rows, n).rank(cx).map_err(exhausted)?.value < count {
            continue;
        }
        let quarter = a.mul_vector(&u).into_iter().map(|e| e / frequency).collect();
        list.push(Mode { frequency, shape: tidied(cx, u), quarter: Some(tidied(cx, quarter)) });
    }
    list.retain(|m| solves(&m.shape));
    Ok(list)
}

/// The modes of an even factor with numbers as coefficients, in the field of ω². Those with a real frequency.
fn algebraic_modes(cx: &Inquiry, a: &Matrix, velocities: &[usize], factor: &Factor) -> Budgeted<Vec<AlgebraicMode>> {
    let number = |e: &Expr| e.as_number().cloned();
    // q(λ²) with λ² = −ω².
    let even = factor.coefficients.iter().step_by(2).enumerate();
    let signed = even.map(|(i, c)| number(c).map(|c| if i % 2 == 1 { -&c } else { c }));
    let (Some(q), Some(numbers)) =
        (signed.collect::<Option<Vec<_>>>(), a.entries().map(|e| number(&e)).collect::<Option<Vec<_>>>())
    else {
        return Ok(vec![]);
    };
    let Some(field) = NumberField::new(&q) else { return Ok(vec![]) };
    let n = a.n_rows();
    let entry = |i: usize, j: usize| &numbers[i * n + j];
    let element = |x: Rational| if x.is_zero() { vec![] } else { vec![x] };
    let equation = |i: usize, j: usize| {
        let square = (0..n).fold(Rational::ZERO, |sum, k| &sum + &(entry(i, k) * entry(k, j)));
        if i == j { vec![square, Rational::ONE] } else { element(square) }
    };
    let rows: Vec<Vec<Element>> = (0..n).map(|i| (0..n).map(|j| equation(i, j)).collect()).collect();
    let at_rest = velocities.iter().map(|v| (0..n).map(|j| element(Rational::from(i64::from(*v == j)))).collect());
    let standing = field.null_space(cx, rows.iter().cloned().chain(at_rest).collect(), n)?;
    let shapes: Vec<(Vec<Element>, Option<Vec<Element>>)> = match standing.len() == factor.multiplicity {
        true => standing.into_iter().map(|u| (u, None)).collect(),
        false => {
            let mut list: Vec<(Vec<Element>, Option<Vec<Element>>)> = vec![];
            for u in field.null_space(cx, rows, n)? {
                let moved: Vec<Element> = (0..n)
                    .map(|i| field.sum((0..n).map(|j| field.mul(&element(entry(i, j).clone()), &u[j]))))
                    .collect();
                let known = list.iter().flat_map(|(u, v)| [Some(u), v.as_ref()]).flatten().chain([&u]);
                let columns: Vec<&Vec<Element>> = known.collect();
                let dependent = (0..n).map(|i| columns.iter().map(|c| c[i].clone()).collect()).collect();
                if field.null_space(cx, dependent, columns.len())?.is_empty() {
                    list.push((u, Some(moved)));
                }
            }
            list
        }
    };
    let roots = field.real_roots(cx)?.into_iter().filter(|w| w.signum() > 0);
    let at = |square: AlgebraicNumber| {
        let mode = move |(shape, quarter): &(Vec<Element>, Option<Vec<Element>>)| AlgebraicMode {
            square: square.clone(),
            shape: shape.clone(),
            quarter: quarter.clone(),
        };
        shapes.iter().map(mode).collect::<Vec<_>>()
    };
    Ok(roots.flat_map(at).collect())
}

fn tidied(cx: &Inquiry, u: Vec<Expr>) -> Vec<Expr> {
    u.into_iter().map(|e| tidy(cx, e)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[i64]]) -> Matrix {
        Matrix::from_rows(rows.iter().map(|r| r.iter().map(|n| Expr::from(*n)).collect()).collect())
    }

    /// Three masses on four springs, ẍ = −2x + y, 2ÿ = x − 2y + z, 3z̈ = y − 3z: 6w³ − 24w² + 26w − 7 = 0 for w = ω², without a rational root. The shape is
    /// (u, 2 − w times u, …) by the first equation: y/x = 2 − w, and z/y = 1/(3 − 3w) by the last one.
    #[test]
    fn modes_whose_frequencies_have_no_formula() {
        let cx = &Inquiry::free();
        let half = |n: i64, d: i64| Expr::ratio(n, d);
        let (o, i) = (Expr::zero(), Expr::one());
        let rows = vec![
            vec![o, o, o, i, o, o],
            vec![o, o, o, o, i, o],
            vec![o, o, o, o, o, i],
            vec![half(-2, 1), i, o, o, o, o],
            vec![half(1, 2), half(-1, 1), half(1, 2), o, o, o],
            vec![o, half(1, 3), half(-1, 1), o, o, o],
        ];
        let found = normal_modes(cx, &Matrix::from_rows(rows), &[3, 4, 5]).expect("numbers");
        assert_eq!((found.list.len(), found.algebraic.len(), found.unsolved.len()), (0, 3, 1));
        for mode in &found.algebraic {
            assert!(mode.quarter.is_none(), "all positions pass through 0 together");
            let width = &Rational::ratio(1, 1_000_000_000) * &Rational::ratio(1, 1_000_000_000);
            let w = mode.square.refine(cx, &width).expect("small").low;
            let u: Vec<Rational> = mode.shape.iter().map(|e| crate::algebra::number_field::value(e, &w)).collect();
            let small = |x: Rational| x.abs() < Rational::ratio(1, 1_000_000_000_000);
            let (two, three) = (Rational::from(2), Rational::from(3));
            assert!(small(&u[1] - &(&(&two - &w) * &u[0])), "{u:?} at {w}");
            assert!(small(&u[1] - &(&(&three - &(&three * &w)) * &u[2])), "{u:?} at {w}");
            assert!(u.iter().any(|x| !x.is_zero()));
        }
    }

    /// Two equal masses on three equal springs: in step with ω = 1, against each other with ω = √3.
    #[test]
    fn two_masses_on_three_springs() {
        let cx = &Inquiry::free();
        let a = matrix(&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-2, 1, 0, 0], &[1, -2, 0, 0]]);
        let found = normal_modes(cx, &a, &[2, 3]).expect("numbers");
        assert!(found.unsolved.is_empty());
        let mut list: Vec<(Expr, Expr)> =
            found.list.iter().map(|m| (m.frequency.pow(2), m.shape[0] / m.shape[1])).collect();
        list.sort_by_key(|(w, _)| w.to_string());
        let by_hand = [(1, 1), (3, -1)].map(|(w, ratio)| (Expr::from(w), Expr::from(ratio)));
        assert_eq!(list, by_hand);
        assert!(found.list.iter().all(|m| m.quarter.is_none()));
    }

    /// x″ = 2y′ − x, y″ = −2x′ − y: λ⁴ + 6λ² + 1, so ω² = 3 ± 2√2, ω = √2 ± 1, and both modes are circles.
    #[test]
    fn a_magnetic_field_turns_the_modes() {
        let cx = &Inquiry::free();
        let a = matrix(&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 0, 0, 2], &[0, -1, -2, 0]]);
        let found = normal_modes(cx, &a, &[2, 3]).expect("numbers");
        assert_eq!(found.list.len(), 2);
        let sum = found.list[0].frequency.pow(2) + found.list[1].frequency.pow(2);
        assert!(vanishes(cx, sum - Expr::from(6)).is_yes());
        for mode in &found.list {
            let (u, later) = (&mode.shape, mode.quarter.as_ref().expect("not standing"));
            // A quarter of a period turns (x, y) into (±y, ∓x).
            let turned = vanishes(cx, u[0] * later[0] + u[1] * later[1]);
            let as_long = vanishes(cx, u[0].pow(2) + u[1].pow(2) - later[0].pow(2) - later[1].pow(2));
            assert!(turned.is_yes() && as_long.is_yes(), "{mode:?}");
        }
    }

    /// Two free masses and a spring between them: the pair drifts, and oscillates with ω = √2.
    #[test]
    fn a_pair_that_drifts_has_a_displacement_that_stays() {
        let cx = &Inquiry::free();
        let a = matrix(&[&[0, 0, 1, 0], &[0, 0, 0, 1], &[-1, 1, 0, 0], &[1, -1, 0, 0]]);
        let found = normal_modes(cx, &a, &[2, 3]).expect("numbers");
        let mut squares: Vec<Expr> = found.list.iter().map(|m| tidy(cx, m.frequency.pow(2))).collect();
        squares.sort_by_key(Expr::to_string);
        assert_eq!(squares, [Expr::zero(), Expr::from(2)]);
    }
}
