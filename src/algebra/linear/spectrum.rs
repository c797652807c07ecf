//! Eigenvalues: the roots of det(λ − A), factor by factor, with their multiplicities.
//!
//! A matrix falls into blocks that do not depend on each other in a circle, and the characteristic polynomial is the product of
//! theirs; each is factored over the field of its entries. The roots of a factor are written down where that is short,
//!
//! ```text
//! degree 1, 2               −c₀/c₁,  (−b ± √(b² − 4ac))/2a
//! Φ_m(λ)                    cos(2πj/m) + i sin(2πj/m), j prime to m
//! q((λ − s)ᵏ)               s + ᵏ√μ for the roots μ of q: biquadratic polynomials, λⁿ = c, and what is one of them around its middle
//! λᵈ q(λ + 1/λ)             (μ ± √(μ² − 4))/2: polynomials that read the same from both ends
//! ```
//!
//! and otherwise, if they are numbers, [isolated](crate::algebra::roots::complex): each in a disc that holds no other. How many of them
//! are real may depend on parameters. Where the signs of the discriminants are not known, both cases are listed, each with its
//! condition; a factor of a higher degree with parameters in it is handed back.

use super::Matrix;
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::ball;
use crate::algebra::decide::{is_zero, sign};
use crate::algebra::expr::{Condition, Expr, Node, Relation};
use crate::algebra::factor::factor;
use crate::algebra::function::Elementary;
use crate::algebra::generator::Generator;
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::normal::{normal_form, simplify};
use crate::algebra::number::Rational;
use crate::algebra::roots::complex::{ComplexBall, isolate_roots};
use crate::algebra::symbol::Symbol;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// An eigenvalue.
#[derive(Clone, Debug)]
pub struct Eigenvalue {
    pub value: Root,
    pub multiplicity: usize,
    /// It is one where these hold.
    pub conditions: Vec<Condition>,
}

/// How a root is known.
#[derive(Clone, Debug)]
pub enum Root {
    Real(Expr),
    /// Real and imaginary part; the second is not 0.
    Complex(Expr, Expr),
    /// The only root in a disc of the polynomial Σ cᵢλⁱ.
    Isolated {
        disc: ComplexBall,
        polynomial: Vec<Expr>,
    },
}

/// All eigenvalues; `open` are the factors Σ cᵢλⁱ whose roots are not described, with their multiplicities, and why.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    pub eigenvalues: Vec<Eigenvalue>,
    pub open: Vec<(Vec<Expr>, usize, &'static str)>,
}

/// A complex number in closed form.
type Closed = (Expr, Expr);

impl Matrix {
    /// The eigenvalues of a square matrix.
    pub fn spectrum(&self, cx: &Inquiry) -> Budgeted<Spectrum> {
        let mut found = Spectrum::default();
        for (coefficients, multiplicity) in self.characteristic_factors(cx)? {
            found.add(cx, coefficients, multiplicity)?;
        }
        Ok(found)
    }

    /// The factors of det(λ − A) over the field of the entries, each by its coefficients, lowest first, with its multiplicity.
    /// Leading coefficients divide the denominators of A, so that they vanish nowhere where A has a value.
    pub fn characteristic_factors(&self, cx: &Inquiry) -> Budgeted<Vec<(Vec<Expr>, usize)>> {
        let mut found: Vec<(Vec<Expr>, usize)> = vec![];
        for block in self.invariant_blocks() {
            let polynomial = self.minor(&block, &block).characteristic_polynomial(cx)?;
            for (coefficients, multiplicity) in factors(cx, &polynomial)? {
                match found.iter_mut().find(|(known, _)| *known == coefficients) {
                    Some((_, n)) => *n += multiplicity,
                    None => found.push((coefficients, multiplicity)),
                }
            }
        }
        Ok(found)
    }

    /// c₀, …, c_n of det(λ − A), by Faddeev and Le Verrier: no division but by integers.
    pub fn characteristic_polynomial(&self, cx: &Inquiry) -> Budgeted<Vec<Expr>> {
        let n = self.n_rows();
        let mut coefficients = vec![Expr::zero(); n + 1];
        coefficients[n] = Expr::one();
        let mut m = Matrix::identity(n);
        for k in 1..=n {
            cx.check()?;
            let product = self.mul(&m).simplify(cx)?;
            let trace = Expr::add_all((0..n).map(|i| product[(i, i)]));
            let c = simplify(cx, trace * Expr::ratio(-1, k as i64))?;
            coefficients[n - k] = c;
            m = product.add(&Matrix::identity(n).scale(c)).simplify(cx)?;
        }
        Ok(coefficients)
    }

    /// The sets of indices that reach each other through entries that are not 0.
    fn invariant_blocks(&self) -> Vec<Vec<usize>> {
        let n = self.n_rows();
        let mut reach: Vec<Vec<bool>> =
            (0..n).map(|i| (0..n).map(|j| i == j || !self[(i, j)].is_zero()).collect()).collect();
        for k in 0..n {
            for i in 0..n {
                if reach[i][k] {
                    for j in 0..n {
                        reach[i][j] |= reach[k][j];
                    }
                }
            }
        }
        let mut blocks: Vec<Vec<usize>> = vec![];
        for i in 0..n {
            match blocks.iter_mut().find(|b| reach[b[0]][i] && reach[i][b[0]]) {
                Some(block) => block.push(i),
                None => blocks.push(vec![i]),
            }
        }
        blocks
    }
}

/// The factors of Σ c_i λ^i over the field of its coefficients.
fn factors(cx: &Inquiry, polynomial: &[Expr]) -> Budgeted<Vec<(Vec<Expr>, usize)>> {
    let lambda = Symbol::bound("eigenvalue");
    let variable = Generator::of_symbol(lambda).0;
    let powers = polynomial.iter().enumerate().map(|(i, c)| *c * Expr::symbol(lambda).pow(i as i64));
    let (numerator, _) = normal_form(cx, Expr::add_all(powers))?.fraction(cx)?;
    let mut found = vec![];
    for (p, multiplicity) in factor(cx, &numerator).factors {
        if p.degree_in(variable) > 0 {
            let coefficients = p.coefficients_in(variable).iter().map(polynomial_expr).collect();
            found.push((coefficients, multiplicity as usize));
        }
    }
    Ok(found)
}

impl Spectrum {
    /// The roots of one factor.
    fn add(&mut self, cx: &Inquiry, c: Vec<Expr>, multiplicity: usize) -> Budgeted<()> {
        if c.len() == 3 && self.add_quadratic(cx, &c, multiplicity)? {
            return Ok(());
        }
        if let Some(list) = closed_roots(cx, &c)? {
            for (re, im) in list {
                let (re, im) = (simplify(cx, re)?, simplify(cx, im)?);
                let value = if im.is_zero() { Root::Real(re) } else { Root::Complex(re, im) };
                self.eigenvalues.push(Eigenvalue { value, multiplicity, conditions: vec![] });
            }
            return Ok(());
        }
        if c.iter().any(|c| !c.symbols().is_empty()) {
            self.open.push((c, multiplicity, "its roots depend on parameters, and have no short closed form"));
            return Ok(());
        }
        let enclosed = |p: u32| -> Budgeted<Option<Vec<ball::Ball>>> {
            Ok(ball::evaluate_all(cx, &c, &FxHashMap::default(), p)?.into_iter().collect())
        };
        match isolate_roots(cx, enclosed)? {
            Some(discs) => {
                for disc in discs {
                    let value = Root::Isolated { disc, polynomial: c.clone() };
                    self.eigenvalues.push(Eigenvalue { value, multiplicity, conditions: vec![] });
                }
            }
            None => self.open.push((c, multiplicity, "its roots were not separated from each other")),
        }
        Ok(())
    }

    /// a λ² + b λ + c where the sign of the discriminant is not known: two real roots, or a pair. Whether that was the case.
    fn add_quadratic(&mut self, cx: &Inquiry, c: &[Expr], multiplicity: usize) -> Budgeted<bool> {
        let discriminant = simplify(cx, c[1].pow(2) - 4 * (c[0] * c[2]))?;
        let known = sign(cx, discriminant);
        if known.is_nonnegative() || known.is_negative() {
            return Ok(false);
        }
        let middle = simplify(cx, -c[1] / (2 * c[2]))?;
        if known.is_nonpositive() {
            // Real where it vanishes, and nowhere else: the eigenvalues of a rotation by θ at sin θ = 0.
            let size = simplify(cx, (-discriminant).sqrt())?;
            let vanishes = Condition { relation: Relation::Equal, left: without_size(size) };
            let at_all = Condition { relation: Relation::NotEqual, ..vanishes };
            for _ in 0..2 {
                let (value, conditions) = (Root::Real(middle), vec![vanishes]);
                self.eigenvalues.push(Eigenvalue { value, multiplicity, conditions });
            }
            for side in [1, -1] {
                let half = simplify(cx, side * (size / (2 * c[2])))?;
                let (value, conditions) = (Root::Complex(middle, half), vec![at_all]);
                self.eigenvalues.push(Eigenvalue { value, multiplicity, conditions });
            }
            return Ok(true);
        }
        let mut push = |value: Root, relation: Relation| {
            let conditions = vec![Condition { relation, left: discriminant }];
            self.eigenvalues.push(Eigenvalue { value, multiplicity, conditions });
        };
        for side in [1, -1] {
            let half = side * (discriminant.sqrt() / (2 * c[2]));
            push(Root::Real(simplify(cx, middle + half)?), Relation::GreaterEqual);
        }
        for side in [1, -1] {
            let half = side * ((-discriminant).sqrt() / (2 * c[2]));
            push(Root::Complex(middle, simplify(cx, half)?), Relation::Less);
        }
        Ok(true)
    }
}

/// What vanishes with c·|u|: u.
fn without_size(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => without_size(terms[0].0),
        Node::Apply(Elementary::Abs, u) => u[0],
        _ => e,
    }
}

/// The roots of Σ cᵢxⁱ, if one of the rules above writes them down. No number of them is repeated: the polynomial has no square
/// factor.
fn closed_roots(cx: &Inquiry, c: &[Expr]) -> Budgeted<Option<Vec<Closed>>> {
    cx.check()?;
    let n = c.len() - 1;
    if n == 1 {
        return Ok(Some(vec![(-c[0] / c[1], Expr::zero())]));
    }
    if n == 2 {
        return quadratic(cx, c);
    }
    if let Some(found) = cyclotomic(c) {
        return Ok(Some(found));
    }
    if let Some(found) = by_powers(cx, c)? {
        return Ok(Some(found));
    }
    by_reciprocals(cx, c)
}

fn quadratic(cx: &Inquiry, c: &[Expr]) -> Budgeted<Option<Vec<Closed>>> {
    let discriminant = simplify(cx, c[1].pow(2) - 4 * (c[0] * c[2]))?;
    let middle = -c[1] / (2 * c[2]);
    let known = sign(cx, discriminant);
    let half = |e: Expr| e.sqrt() / (2 * c[2]);
    let zero = Expr::zero();
    Ok(if known.is_nonnegative() {
        let half = half(discriminant);
        Some(vec![(middle + half, zero), (middle - half, zero)])
    } else if known.is_negative() {
        let half = half(-discriminant);
        Some(vec![(middle, half), (middle, -half)])
    } else {
        None
    })
}

/// The degree up to which a polynomial is compared with those of the roots of 1.
const MAX_CYCLOTOMIC: u64 = 24;

/// The primitive m-th roots of 1, if the polynomial is Φ_m up to a factor.
fn cyclotomic(c: &[Expr]) -> Option<Vec<Closed>> {
    let numbers: Vec<Rational> = c.iter().map(|c| c.as_number().cloned()).collect::<Option<_>>()?;
    let lead = numbers.last()?.clone();
    let monic: Vec<i64> = numbers.iter().map(|x| (x / &lead).to_i64()).collect::<Option<_>>()?;
    let n = monic.len() as u64 - 1;
    if monic[0].abs() != 1 || n > MAX_CYCLOTOMIC {
        return None;
    }
    // φ(m) ≥ √(m/2).
    let m = (3..=2 * n * n).find(|m| totient(*m) == n && cyclotomic_polynomial(*m) == monic)?;
    let turn = |j: u64| Expr::pi().scale(&Rational::ratio(2 * j as i64, m as i64));
    let root = |j: u64| (Expr::apply(Elementary::Cos, &[turn(j)]), Expr::apply(Elementary::Sin, &[turn(j)]));
    let upper = (1..=m / 2).filter(|j| gcd(*j, m) == 1);
    Some(upper.map(root).flat_map(|(re, im)| [(re, im), (re, -im)]).collect())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn totient(m: u64) -> u64 {
    (1..=m).filter(|j| gcd(*j, m) == 1).count() as u64
}

/// Φ_m = (xᵐ − 1) / ∏ Φ_d over the proper divisors d of m, lowest coefficient first.
fn cyclotomic_polynomial(m: u64) -> Vec<i64> {
    let mut p = vec![0i64; m as usize + 1];
    (p[0], p[m as usize]) = (-1, 1);
    for d in (1..m).filter(|d| m.is_multiple_of(*d)) {
        let divisor = cyclotomic_polynomial(d);
        let k = divisor.len() - 1;
        let mut quotient = vec![0i64; p.len() - k];
        for i in (0..quotient.len()).rev() {
            quotient[i] = p[i + k];
            for (j, x) in divisor.iter().enumerate() {
                p[i + j] -= quotient[i] * x;
            }
        }
        p = quotient;
    }
    p
}

/// q((x − s)ᵏ) with k > 1, s the middle of the roots.
fn by_powers(cx: &Inquiry, c: &[Expr]) -> Budgeted<Option<Vec<Closed>>> {
    let n = c.len() - 1;
    let s = simplify(cx, -c[n - 1] / (n as i64 * c[n]))?;
    // The coefficients of f(x + s), by Horner's scheme over and over.
    let mut shifted = c.to_vec();
    if !s.is_zero() {
        for i in 0..n {
            for j in (i..n).rev() {
                shifted[j] = simplify(cx, shifted[j] + s * shifted[j + 1])?;
            }
        }
    }
    let occurs: Vec<u64> = (1..=n).filter(|i| !is_zero(cx, shifted[*i]).is_yes()).map(|i| i as u64).collect();
    let k = occurs.iter().fold(0, |k, i| gcd(k, *i)) as usize;
    if k < 2 {
        return Ok(None);
    }
    let inner: Vec<Expr> = shifted.iter().step_by(k).copied().collect();
    let Some(squares) = closed_roots(cx, &inner)? else { return Ok(None) };
    let mut found = Vec::with_capacity(n);
    for mu in squares {
        let Some(roots) = roots_of(cx, mu, k)? else { return Ok(None) };
        found.extend(roots.into_iter().map(|(re, im)| (s + re, im)));
    }
    Ok(Some(found))
}

/// xᵈ q(x + 1/x) with d = n/2: coefficients that read the same from both ends.
fn by_reciprocals(cx: &Inquiry, c: &[Expr]) -> Budgeted<Option<Vec<Closed>>> {
    let n = c.len() - 1;
    if n % 2 == 1 || (0..n / 2).any(|i| c[i] != c[n - i]) {
        return Ok(None);
    }
    // q by its coefficients: t_j = xʲ + x⁻ʲ is a polynomial in y, t_{j+1} = y t_j − t_{j−1}.
    let d = n / 2;
    let mut powers: Vec<Vec<i64>> = vec![vec![2], vec![0, 1]];
    for j in 2..=d {
        let mut next = vec![0];
        next.extend(&powers[j - 1]);
        powers[j - 2].iter().enumerate().for_each(|(i, x)| next[i] -= x);
        powers.push(next);
    }
    let mut q = vec![Expr::zero(); d + 1];
    q[0] = c[d];
    for (j, power) in powers.iter().enumerate().skip(1) {
        power.iter().enumerate().for_each(|(i, x)| q[i] = q[i] + *x * c[d + j]);
    }
    let q: Vec<Expr> = q.into_iter().map(|e| simplify(cx, e)).collect::<Budgeted<_>>()?;
    let Some(sums) = closed_roots(cx, &q)? else { return Ok(None) };
    let mut found = Vec::with_capacity(n);
    for (u, v) in sums {
        let square = (u.pow(2) - v.pow(2) - Expr::from(4), 2 * (u * v));
        let Some(roots) = roots_of(cx, square, 2)? else { return Ok(None) };
        found.extend(roots.into_iter().map(|(re, im)| ((u + re) / 2, (v + im) / 2)));
    }
    Ok(Some(found))
}

/// The k-th roots of u + iv; `None` if a sign that they depend on is not known.
fn roots_of(cx: &Inquiry, (u, v): Closed, k: usize) -> Budgeted<Option<Vec<Closed>>> {
    let (u, v) = (simplify(cx, u)?, simplify(cx, v)?);
    let (zero, n) = (Expr::zero(), k as i64);
    let [of_u, of_v] = [u, v].map(|e| sign(cx, e));
    if v.is_zero() {
        // r·(cos, sin) of all angles that are multiples of 2π/k, or of odd multiples of π/k.
        let (size, odd) = if of_u.is_positive() {
            (u, 0)
        } else if of_u.is_negative() {
            (-u, 1)
        } else if of_u == Sign::ZERO {
            return Ok(Some(vec![(zero, zero); k]));
        } else {
            return Ok(None);
        };
        let r = size.pow(Rational::ratio(1, n));
        let root = |j: i64| {
            let angle = Expr::pi().scale(&Rational::ratio(2 * j + odd, n));
            (r * Expr::apply(Elementary::Cos, &[angle]), r * Expr::apply(Elementary::Sin, &[angle]))
        };
        return Ok(Some((0..n).map(root).collect()));
    }
    if !of_v.is_nonzero() || !(of_v.is_positive() || of_v.is_negative()) {
        return Ok(None);
    }
    let r = simplify(cx, (u.pow(2) + v.pow(2)).sqrt())?;
    if k == 2 {
        let (p, q) = (((r + u) / 2).sqrt(), ((r - u) / 2).sqrt());
        let q = if of_v.is_positive() { q } else { -q };
        return Ok(Some(vec![(p, q), (-p, -q)]));
    }
    let size = r.pow(Rational::ratio(1, n));
    let first = Expr::apply(Elementary::Atan2, &[v, u]);
    let root = |j: i64| {
        let angle = (first + Expr::pi().scale(&Rational::from(2 * j))).scale(&Rational::ratio(1, n));
        (size * Expr::apply(Elementary::Cos, &[angle]), size * Expr::apply(Elementary::Sin, &[angle]))
    };
    Ok(Some((0..n).map(root).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::Scope;

    /// The value of a root to forty bits.
    fn enclosed(cx: &Inquiry, root: &Root) -> ComplexBall {
        let number = |e: Expr| ball::evaluate(cx, e, &FxHashMap::default(), 128).expect("no limit").expect("a value");
        match root {
            Root::Real(re) => ComplexBall { re: number(*re), im: number(Expr::zero()) },
            Root::Complex(re, im) => ComplexBall { re: number(*re), im: number(*im) },
            Root::Isolated { disc, .. } => disc.clone(),
        }
    }

    /// Companion matrices: the polynomial vanishes at every eigenvalue, there are as many as the degree says, and they are written down
    /// where they can be.
    #[test]
    fn every_root_is_found_and_is_one() {
        let cases: [(&[i64], bool); 13] = [
            (&[1, 0, 0, 0, 1], true),
            (&[200, 0, 40, 0, 1], true),
            (&[200, 0, 10, 0, 1], true),
            (&[-200, 0, 10, 0, 1], true),
            (&[1, 1, 1, 1, 1], true),
            (&[1, 1, 1, 1, 1, 1, 1], true),
            (&[1, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 1], true),
            (&[-5, 0, 0, 0, 0, 0, 1], true),
            (&[7, 0, 0, 1, 0, 0, 1], true),
            // (x² + x + 3)² + 2, around its middle −1/2.
            (&[11, 6, 7, 2, 1], true),
            // Reciprocal, of which two roots are real.
            (&[1, 3, 1, 3, 1], true),
            (&[-1, -1, 0, 1], false),
            (&[3, -1, 0, 0, 2, 1], false),
        ];
        for (coefficients, is_closed) in cases {
            let cx = &Inquiry::free();
            let n = coefficients.len() - 1;
            let companion = Matrix::from_fn(n, n, |i, j| match (j + 1 == n, i == j + 1) {
                (true, _) => Expr::from(-coefficients[i]),
                (_, true) => Expr::one(),
                _ => Expr::zero(),
            });
            let found = companion.spectrum(cx).expect("no limit");
            assert!(found.open.is_empty(), "{coefficients:?}");
            assert_eq!(found.eigenvalues.iter().map(|e| e.multiplicity).sum::<usize>(), n, "{coefficients:?}");
            let mut seen: Vec<ComplexBall> = vec![];
            for e in &found.eigenvalues {
                assert_eq!(!matches!(e.value, Root::Isolated { .. }), is_closed, "{coefficients:?}: {e:?}");
                let z = enclosed(cx, &e.value);
                let list: Vec<ball::Ball> =
                    coefficients.iter().map(|c| ball::Ball::from_rational(&Rational::from(*c), 128)).collect();
                let (value, _) = crate::algebra::roots::complex::values(&list, &z, 128);
                assert!(value.re.contains_zero() && value.im.contains_zero(), "{coefficients:?}: {e:?}");
                let apart =
                    |w: &ComplexBall| !w.re.sub(&z.re, 128).contains_zero() || !w.im.sub(&z.im, 128).contains_zero();
                assert!(seen.iter().all(apart), "{coefficients:?}: {e:?} twice");
                seen.push(z);
            }
        }
    }

    /// Blocks keep their roots apart, and count them: diag(A, A, 3) with A = [[0, 1], [−2, 0]].
    #[test]
    fn blocks_and_multiplicities() {
        let cx = &Inquiry::free();
        let entries = [[0i64, 1, 7, 0, 1], [-2, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, -2, 0, 5], [0, 0, 0, 0, 3]];
        let m = Matrix::from_fn(5, 5, |i, j| Expr::from(entries[i][j]));
        assert_eq!(m.invariant_blocks(), [vec![0, 1], vec![2, 3], vec![4]]);
        let found = m.spectrum(cx).expect("no limit").eigenvalues;
        let counts: Vec<usize> = found.iter().map(|e| e.multiplicity).collect();
        assert_eq!(counts, [2, 2, 1]);
        assert!(matches!(found[2].value, Root::Real(e) if e == Expr::from(3)));
        assert!(matches!(found[0].value, Root::Complex(re, im) if re.is_zero() && im == Expr::from(2).sqrt()));
    }

    /// A rotation by θ has the eigenvalues cos θ ± i sin θ: real, and twice the same, where sin θ = 0.
    #[test]
    fn a_rotation_has_real_eigenvalues_at_half_turns() {
        let mut scope = Scope::new();
        let (c, s) = (scope.read("cos(x)"), scope.read("sin(x)"));
        let found = Matrix::from_rows(vec![vec![c, -s], vec![s, c]]).spectrum(&scope.cx()).expect("no limit");
        let real = |e: &&Eigenvalue| matches!(e.value, Root::Real(value) if value == c);
        assert_eq!(found.eigenvalues.iter().filter(real).count(), 2);
        let vanishes = [Condition { relation: Relation::Equal, left: s }];
        assert!(found.eigenvalues.iter().filter(real).all(|e| e.conditions == vanishes));
        assert_eq!(found.eigenvalues.len(), 4);
    }

    /// λ² + k: real where k ≤ 0, a pair where k > 0; by a fact one of them is left.
    #[test]
    fn parameters_decide_which_are_real() {
        let mut scope = Scope::new();
        scope.parameters("k");
        let k = scope.read("k");
        let m = Matrix::from_rows(vec![vec![Expr::zero(), Expr::one()], vec![-k, Expr::zero()]]);
        let kinds = |cx: &Inquiry| {
            let found = m.spectrum(cx).expect("no limit").eigenvalues;
            let kind = |e: &Eigenvalue| (matches!(e.value, Root::Real(_)), e.conditions.len());
            found.iter().map(kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&scope.cx()), [(true, 1), (true, 1), (false, 1), (false, 1)]);
        scope.assume("k > 0");
        assert_eq!(kinds(&scope.cx()), [(false, 0), (false, 0)]);
    }
}
