//! What Buchberger's algorithm asks of coefficients: integers, or polynomials in parameters.
//!
//! Computation is fraction-free in both cases. Over ℚ(parameters) every division by something that contains a
//! parameter is noted, because the result holds only where the divisor does not vanish.

use crate::algebra::number::Integer;
use crate::algebra::polynomial::{Polynomial, integer_content};
use crate::budget::Budget;
use crate::budget::Budgeted;

pub(super) trait Coefficient: Clone {
    fn one() -> Self;
    fn is_zero(&self) -> bool;
    fn is_one(&self) -> bool;
    /// A unit whatever the values of the parameters.
    fn is_number(&self) -> bool;
    fn add(&self, other: &Self) -> Self;
    fn negate(&self) -> Self;
    fn times(&self, cx: &Budget, other: &Self) -> Budgeted<Self>;
    /// (a/g, b/g) with g the gcd; the second is normalised to a positive leading coefficient.
    fn cofactors(cx: &Budget, a: &Self, b: &Self) -> Budgeted<(Self, Self)>;
    /// The gcd of the list with the sign of its first member.
    fn content<'a>(cx: &Budget, list: impl Iterator<Item = &'a Self>) -> Budgeted<Self>
    where
        Self: 'a;
    fn over(&self, cx: &Budget, divisor: &Self) -> Budgeted<Self>;
    fn size(&self) -> usize;
    fn to_polynomial(&self) -> Polynomial;
}

/// Numbers of so many bits make one step of a reduction long enough to be interrupted.
const LONG: usize = 1024;

fn listen(cx: &Budget, n: &Integer) -> Budgeted<()> {
    if n.bits() > LONG { cx.listen() } else { Ok(()) }
}

impl Coefficient for Integer {
    fn one() -> Integer {
        Integer::ONE
    }
    fn is_zero(&self) -> bool {
        Integer::is_zero(self)
    }
    fn is_one(&self) -> bool {
        Integer::is_one(self)
    }
    fn is_number(&self) -> bool {
        true
    }
    fn add(&self, other: &Integer) -> Integer {
        self + other
    }
    fn negate(&self) -> Integer {
        -self
    }
    fn times(&self, cx: &Budget, other: &Integer) -> Budgeted<Integer> {
        listen(cx, self)?;
        Ok(self * other)
    }
    fn cofactors(cx: &Budget, a: &Integer, b: &Integer) -> Budgeted<(Integer, Integer)> {
        listen(cx, a)?;
        if b.is_one() {
            return Ok((a.clone(), b.clone()));
        }
        let g = a.gcd(b);
        let g = if b.is_negative() { -&g } else { g };
        Ok((a.div_rem(&g).0, b.div_rem(&g).0))
    }
    fn content<'a>(cx: &Budget, list: impl Iterator<Item = &'a Integer>) -> Budgeted<Integer> {
        let mut g = Integer::ZERO;
        let mut negative = None;
        for c in list {
            listen(cx, c)?;
            negative.get_or_insert(c.is_negative());
            g = g.gcd(c);
            if g.is_one() {
                break;
            }
        }
        Ok(if negative == Some(true) { -&g } else { g })
    }
    fn over(&self, cx: &Budget, divisor: &Integer) -> Budgeted<Integer> {
        listen(cx, self)?;
        Ok(self.div_rem(divisor).0)
    }
    fn size(&self) -> usize {
        self.bits()
    }
    fn to_polynomial(&self) -> Polynomial {
        Polynomial::constant(self.clone())
    }
}

impl Coefficient for Polynomial {
    fn one() -> Polynomial {
        Polynomial::one()
    }
    fn is_zero(&self) -> bool {
        Polynomial::is_zero(self)
    }
    fn is_one(&self) -> bool {
        Polynomial::is_one(self)
    }
    fn is_number(&self) -> bool {
        self.is_constant()
    }
    fn add(&self, other: &Polynomial) -> Polynomial {
        self + other
    }
    fn negate(&self) -> Polynomial {
        -self
    }
    fn times(&self, cx: &Budget, other: &Polynomial) -> Budgeted<Polynomial> {
        self.mul(cx, other)
    }
    fn cofactors(cx: &Budget, a: &Polynomial, b: &Polynomial) -> Budgeted<(Polynomial, Polynomial)> {
        let c = a.gcd_cofactors(cx, b)?;
        // The gcd of polynomials ignores numbers; divide by those too.
        let (left, right) = (c.left.content(), c.right.content());
        let g = left.numerator().gcd(right.numerator());
        let g = if right.is_negative() { -&g } else { g };
        let divisor = crate::algebra::number::Rational::integer(g);
        let divide = |p: &Polynomial| p.unscale(&divisor).expect("not zero");
        Ok((divide(&c.left), divide(&c.right)))
    }
    fn content<'a>(cx: &Budget, list: impl Iterator<Item = &'a Polynomial>) -> Budgeted<Polynomial> {
        let list: Vec<&Polynomial> = list.collect();
        let Some(first) = list.first() else { return Ok(Polynomial::one()) };
        let owned: Vec<Polynomial> = list.iter().map(|p| (*p).clone()).collect();
        let g = Polynomial::gcd_of(cx, &owned)?;
        let numbers: Vec<Integer> = list.iter().map(|p| integer_content(p.integer_coefficients())).collect();
        let mut number = integer_content(&numbers);
        if first.leading_coefficient().is_negative() {
            number = -&number;
        }
        Ok(g.scale(&number.into()))
    }
    fn over(&self, cx: &Budget, divisor: &Polynomial) -> Budgeted<Polynomial> {
        Ok(self.div_exact(cx, divisor)?.expect("a common divisor divides"))
    }
    fn size(&self) -> usize {
        self.n_terms() * 16 + self.bits()
    }
    fn to_polynomial(&self) -> Polynomial {
        self.clone()
    }
}
