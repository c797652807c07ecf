//! How small a real algebraic number can be without being 0.
//!
//! The bound of Burnikel, Funke, Mehlhorn, Schirra and Schmitt (*A separation bound for real algebraic expressions*,
//! Algorithmica 55, 2009): an expression E made of integers by ±, ·, /, and k-th roots is a quotient U/L of algebraic
//! integers whose conjugates are at most u and l in absolute value, where
//!
//! ```text
//!              u                        l
//! n            |n|                      1
//! E₁ ± E₂      u₁l₂ + l₁u₂              l₁l₂
//! E₁ · E₂      u₁u₂                     l₁l₂
//! E₁ / E₂      u₁l₂                     l₁u₂
//! ᵏ√E₁         (u₁l₁ᵏ⁻¹)^(1/k)          l₁
//! ```
//!
//! and all of it lies in a field of degree at most D, the product of the k of all different roots. The norm of U ≠ 0 is an
//! integer, so |E| ≥ 1/(l·u^(D−1)). Sines and cosines of rational multiples of π join as quotients (2 cos)/2: 2 cos(2πa/N)
//! is an algebraic integer with conjugates in [−2, 2], and together they cost a factor φ(N) in the degree.
//!
//! Everything below counts bits: u and l are replaced by upper bounds of their binary logarithms.

use crate::algebra::expr::{Expr, Node, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::number::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

/// log₂ u and log₂ l, rounded up.
#[derive(Clone, Copy)]
struct Size {
    u: u64,
    l: u64,
}

/// More bits than these are not worth computing.
const MAX_BITS: u64 = 1 << 15;

/// b such that the number `e` is 0 or larger than 2⁻ᵇ; `None` if it is not known to be algebraic, or b is too large.
pub fn bits(e: Expr) -> Option<u32> {
    let mut sizes: FxHashMap<Expr, Size> = FxHashMap::default();
    let mut roots: FxHashSet<(Expr, u64)> = FxHashSet::default();
    let mut turn: u64 = 1;
    for x in post_order(&[e]) {
        let size = match x.node() {
            // An angle has a size with its sine or cosine only.
            _ if multiple_of_pi(x).is_some() => continue,
            Node::Number(n) => number(n),
            Node::Sum { constant, terms } => {
                let mut all = number(constant);
                for (term, coefficient) in terms.iter() {
                    all = sum(all, product(number(coefficient), sizes.get(term).copied()?));
                }
                all
            }
            Node::Product(factors) => {
                let mut all = Size { u: 0, l: 0 };
                for (base, exponent) in factors.iter() {
                    let (p, k) = (exponent.numerator().to_i64()?, exponent.denominator().to_i64()?);
                    let (p, k) = (p, u64::try_from(k).ok()?);
                    if k > 1 {
                        roots.insert((*base, k));
                    }
                    let one = power(root(sizes.get(base).copied()?, k)?, p.unsigned_abs())?;
                    all = product(all, if p < 0 { Size { u: one.l, l: one.u } } else { one });
                }
                all
            }
            Node::Apply(Elementary::Sin | Elementary::Cos | Elementary::Tan, angle) => {
                let half_turns = multiple_of_pi(angle[0])?;
                turn = common_multiple(turn, common_multiple(4, 2 * half_turns)?)?;
                // (2 sin)/2, (2 cos)/2, (2 sin)/(2 cos).
                Size { u: 1, l: 1 }
            }
            Node::Apply(Elementary::Abs, x) => *sizes.get(&x[0])?,
            // A root of one sign or the other, as x^(1/3) above.
            Node::Apply(Elementary::Cbrt, x) => {
                roots.insert((x[0], 3));
                root(sizes.get(&x[0]).copied()?, 3)?
            }
            Node::Apply(Elementary::Min | Elementary::Max, list) => {
                let mut all = Size { u: 0, l: 0 };
                for x in list.iter() {
                    let one = sizes.get(x)?;
                    all = Size { u: all.u.max(one.u), l: all.l.max(one.l) };
                }
                all
            }
            _ => return None,
        };
        if size.u > MAX_BITS || size.l > MAX_BITS {
            return None;
        }
        sizes.insert(x, size);
    }
    let mut degree = totient(turn);
    for (_, k) in roots {
        degree = degree.checked_mul(k)?;
    }
    let size = sizes.get(&e)?;
    let needed = size.u.checked_mul(degree - 1)?.checked_add(size.l)?;
    (needed <= MAX_BITS).then_some(needed as u32)
}

fn number(n: &Rational) -> Size {
    Size { u: n.numerator().bits() as u64, l: n.denominator().bits() as u64 }
}

fn product(a: Size, b: Size) -> Size {
    Size { u: a.u + b.u, l: a.l + b.l }
}

fn sum(a: Size, b: Size) -> Size {
    Size { u: (a.u + b.l).max(a.l + b.u) + 1, l: a.l + b.l }
}

fn root(a: Size, k: u64) -> Option<Size> {
    Some(Size { u: a.l.checked_mul(k - 1)?.checked_add(a.u)?.div_ceil(k), l: a.l })
}

fn power(a: Size, n: u64) -> Option<Size> {
    Some(Size { u: a.u.checked_mul(n)?, l: a.l.checked_mul(n)? })
}

/// b for an angle aπ/b.
fn multiple_of_pi(angle: Expr) -> Option<u64> {
    let multiple = match angle.node() {
        Node::Pi => return Some(1),
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            matches!(terms[0].0.node(), Node::Pi).then(|| &terms[0].1)?
        }
        _ => return None,
    };
    u64::try_from(multiple.denominator().to_i64()?).ok().filter(|b| *b <= 10_000)
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|n| *n <= 1_000_000)
}

/// φ(n), the degree of the n-th roots of unity.
fn totient(mut n: u64) -> u64 {
    let (mut result, mut p) = (n, 2);
    while p * p <= n {
        if n.is_multiple_of(p) {
            while n.is_multiple_of(p) {
                n /= p;
            }
            result -= result / p;
        }
        p += 1;
    }
    if n > 1 { result - result / n } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::Scope;

    #[test]
    fn totients() {
        let first: Vec<u64> = (1..=12).map(totient).collect();
        assert_eq!(first, [1, 1, 2, 2, 4, 2, 6, 4, 6, 4, 10, 4]);
    }

    /// (√2 − 1)ⁿ is small and not 0; the bound stays below it. log₂(√2 − 1) ≈ −1.27.
    #[test]
    fn small_numbers_are_above_the_bound() {
        let mut scope = Scope::new();
        for n in [1, 5, 40] {
            let b = bits(scope.read(&format!("(sqrt(2) - 1)^{n}"))).expect("algebraic");
            assert!(b >= 127 * n / 100, "{b} bits for n = {n}");
        }
        assert!(bits(scope.read("pi - 3")).is_none());
        assert!(bits(scope.read("exp(1) - 3")).is_none());
        assert!(bits(scope.read("cos(pi/7) + log(2)")).is_none());
    }
}
