//! Dense univariate integer polynomials for root isolation.

use super::Interval;
use crate::algebra::number::{Integer, Rational};
use crate::algebra::polynomial::Polynomial;
use crate::budget::Budget;
use crate::budget::Budgeted;
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// Coefficients by increasing power, the last not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dense {
    c: Vec<Integer>,
}

impl Dense {
    pub fn new(c: Vec<Integer>) -> Dense {
        Dense { c }
    }

    /// The numerator of a polynomial in one variable.
    pub fn from_polynomial(p: &Polynomial) -> Dense {
        let Some(&v) = p.variables().first() else {
            return Dense { c: p.integer_coefficients().to_vec() };
        };
        let coefficients = p.numerator().coefficients_in(v);
        let number = |c: &Polynomial| c.as_constant().expect("one variable").numerator().clone();
        Dense { c: coefficients.iter().map(number).collect() }
    }

    pub fn to_polynomial(&self, variable: u32) -> Polynomial {
        let term =
            |(e, c): (usize, &Integer)| (smallvec::smallvec![(variable, e as u32)], Rational::integer(c.clone()));
        Polynomial::from_terms(self.c.iter().enumerate().map(term).collect::<Vec<_>>())
    }

    pub fn degree(&self) -> usize {
        self.c.len().saturating_sub(1)
    }

    /// −c₀/c₁ of a linear polynomial.
    pub fn linear_root(&self) -> Rational {
        Rational::new(-&self.c[0], self.c[1].clone())
    }

    pub fn derivative(&self) -> Dense {
        let c = self.c.iter().enumerate().skip(1).map(|(i, c)| c * &Integer::from(i as i64)).collect();
        Dense { c }
    }

    /// Sign at n/d: that of Σ cᵢ nⁱ d^(k−i).
    pub fn sign_at(&self, x: &Rational) -> i32 {
        let (n, d) = (x.numerator(), x.denominator());
        let mut sum = Integer::ZERO;
        let mut power = Integer::ONE;
        for c in self.c.iter().rev() {
            sum = &(&sum * n) + &(c * &power);
            power = &power * d;
        }
        sum.signum()
    }

    /// The sign on the whole closed interval, if interval arithmetic (Horner's scheme) shows it.
    pub fn sign_on(&self, interval: &Interval) -> Option<i32> {
        let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
        for c in self.c.iter().rev() {
            let products = [&low * &interval.low, &low * &interval.high, &high * &interval.low, &high * &interval.high];
            let c = Rational::integer(c.clone());
            low = products.iter().min().expect("four") + &c;
            high = products.iter().max().expect("four") + &c;
        }
        match (low.signum(), high.signum()) {
            (1, _) => Some(1),
            (_, -1) => Some(-1),
            (0, 0) => Some(0),
            _ => None,
        }
    }

    /// Intervals around the real roots of a squarefree polynomial, in no particular order.
    pub fn isolate(&self, cx: &Budget) -> Budgeted<Vec<Interval>> {
        if self.degree() == 0 {
            return Ok(Vec::new());
        }
        if self.degree() == 1 {
            return Ok(vec![Interval::point(self.linear_root())]);
        }
        let mut found = Vec::new();
        let mut c: Vec<IBig> = self.c.iter().map(Integer::to_big).collect();
        if c[0] == IBig::ZERO {
            found.push(Interval::point(Rational::ZERO));
            c.remove(0);
        }
        for sign in [1i64, -1] {
            let mirrored: Vec<IBig> =
                c.iter().enumerate().map(|(i, c)| if sign < 0 && i % 2 == 1 { -c } else { c.clone() }).collect();
            for (low, high) in positive_roots(cx, &mirrored)? {
                found.push(if sign > 0 { Interval { low, high } } else { Interval { low: -&high, high: -&low } });
            }
        }
        Ok(found)
    }
}

/// Isolates the positive roots of a squarefree polynomial with nonzero constant term.
fn positive_roots(cx: &Budget, c: &[IBig]) -> Budgeted<Vec<(Rational, Rational)>> {
    if variations(c) == 0 {
        return Ok(Vec::new());
    }
    // All positive roots are below 2ᵏ (Lagrange–Kojima: twice the largest |cᵢ/cₙ|^(1/(n−i))).
    let n = c.len() - 1;
    let lead = c[n].bit_len() as i64;
    let mut k = 1i64;
    for (i, a) in c[..n].iter().enumerate().filter(|(_, a)| **a != IBig::ZERO) {
        let ratio = a.bit_len() as i64 - lead + 1;
        k = k.max(1 + ratio.div_euclid((n - i) as i64) + 1);
    }
    let k = k as usize;
    // p(2ᵏ x) on (0, 1).
    let scaled: Vec<IBig> = c.iter().enumerate().map(|(i, a)| a << (k * i)).collect();
    let mut found = Vec::new();
    // Pieces (j/2ᵈ, (j+1)/2ᵈ) with the polynomial moved to (0, 1).
    let mut pending: Vec<(IBig, usize, Vec<IBig>)> = vec![(IBig::ZERO, 0, scaled)];
    let place =
        |j: &IBig, depth: usize| Rational::new(Integer::from_big(j << k), Integer::from_big(IBig::ONE << depth));
    while let Some((j, depth, p)) = pending.pop() {
        cx.check()?;
        match descartes(&p) {
            0 => continue,
            1 => {
                found.push((place(&j, depth), place(&(&j + IBig::ONE), depth)));
                continue;
            }
            _ => {}
        }
        // Left half: 2ⁿ p(x/2); right half: that moved by one.
        let n = p.len() - 1;
        let left: Vec<IBig> = p.iter().enumerate().map(|(i, a)| a << (n - i)).collect();
        let mut right = left.clone();
        shift_by_one(&mut right);
        let twice = &j << 1usize;
        let middle = &twice + IBig::ONE;
        if right[0] == IBig::ZERO {
            let x = place(&middle, depth + 1);
            found.push((x.clone(), x));
            right.remove(0);
        }
        pending.push((middle, depth + 1, right));
        pending.push((twice, depth + 1, left));
    }
    Ok(found)
}

/// Sign variations of the coefficients.
fn variations(c: &[IBig]) -> usize {
    let mut last = 0;
    let mut count = 0;
    for a in c {
        let sign = if *a > IBig::ZERO {
            1
        } else if *a < IBig::ZERO {
            -1
        } else {
            continue;
        };
        count += usize::from(last != 0 && sign != last);
        last = sign;
    }
    count
}

/// Descartes' bound for the number of roots in (0, 1): variations of (1 + x)ⁿ p(1/(1 + x)).
fn descartes(p: &[IBig]) -> usize {
    let mut reversed: Vec<IBig> = p.iter().rev().cloned().collect();
    shift_by_one(&mut reversed);
    variations(&reversed)
}

/// p(x + 1) in place of p(x).
fn shift_by_one(p: &mut [IBig]) {
    let n = p.len();
    for i in 0..n.saturating_sub(1) {
        for j in (i..n - 1).rev() {
            let (left, right) = p.split_at_mut(j + 1);
            left[j] += &right[0];
        }
    }
}
