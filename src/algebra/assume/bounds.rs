//! Bounds: facts that compare something with a number.
//!
//! ```text
//! θ > 0, θ < π              sin θ > 0
//! 2·θ − π/2 < 0, θ ≥ 0      cos θ > 0, cos(2θ) > 0
//! x > 1                     x > 0, x + 2 > 0, log x > 0
//! ```
//!
//! A fact about c·u + q + p·π, with rational numbers c, q, p, bounds u, and every sum that is a multiple of u up to such numbers.
//! Ends are compared exactly: rational numbers with each other, multiples of π with each other, and one with the other by an
//! enclosure of π to fifteen digits.

use super::Sign;
use crate::algebra::expr::{Expr, Node};
use crate::algebra::function::{Domain, Elementary, Reading, Side};
use crate::algebra::number::Rational;
use std::cmp::Ordering;

/// A fact about Σ cᵢuᵢ + q + p·π.
#[derive(Clone, Debug)]
pub(super) struct Level {
    terms: Vec<(Expr, Rational)>,
    offset: Place,
    sign: Sign,
    /// Whether it tells something of a sum or of anything else that the fact by itself does not say: c or q or p is not that of a
    /// bare u.
    of_sums: bool,
    of_others: bool,
}

/// The number q + p·π.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    number: Rational,
    pi: Rational,
}

/// One end of an interval, and whether it is left out.
#[derive(Clone, Debug)]
struct End {
    at: Place,
    strict: bool,
}

/// What is known about where a number lies.
#[derive(Clone, Default, Debug)]
struct Bounds {
    low: Option<End>,
    high: Option<End>,
}

impl Place {
    fn new(number: Rational, pi: Rational) -> Place {
        Place { number, pi }
    }

    /// So many halves of π.
    fn half_turns(n: i64) -> Place {
        Place::new(Rational::ZERO, Rational::ratio(n, 2))
    }

    fn times(&self, c: &Rational) -> Place {
        Place::new(&self.number * c, &self.pi * c)
    }

    fn plus(&self, other: &Place) -> Place {
        Place::new(&self.number + &other.number, &self.pi + &other.pi)
    }

    /// The order of the two numbers, if fifteen digits of π show it.
    fn compare(&self, other: &Place) -> Option<Ordering> {
        let (number, pi) = (&self.number - &other.number, &self.pi - &other.pi);
        if pi.is_zero() {
            return Some(number.cmp(&Rational::ZERO));
        }
        let digits = [3_141_592_653_589_793, 3_141_592_653_589_794];
        let ends = digits.map(|n| (&number + &(&pi * &Rational::ratio(n, 1_000_000_000_000_000))).signum());
        (ends[0] == ends[1]).then(|| ends[0].cmp(&0))
    }
}

/// The parts of a sum: what is no number, and q + p·π.
fn parts(e: Expr) -> (Vec<(Expr, Rational)>, Place) {
    match e.node() {
        Node::Sum { constant, terms } => {
            let (mut rest, mut pi) = (vec![], Rational::ZERO);
            for (term, c) in terms.iter() {
                match term.node() {
                    Node::Pi => pi = &pi + c,
                    _ => rest.push((*term, c.clone())),
                }
            }
            (rest, Place::new(constant.clone(), pi))
        }
        Node::Pi => (vec![], Place::new(Rational::ZERO, Rational::ONE)),
        _ => (vec![(e, Rational::ONE)], Place::new(Rational::ZERO, Rational::ZERO)),
    }
}

impl Level {
    pub(super) fn of(e: Expr, sign: Sign) -> Option<Level> {
        let is_bound = sign != Sign::NONZERO && sign != Sign::ANY;
        let (terms, offset) = parts(e);
        let of_others = !(offset.number.is_zero() && offset.pi.is_zero());
        let of_sums = of_others || terms.len() > 1;
        (is_bound && !terms.is_empty()).then_some(Level { terms, offset, sign, of_sums, of_others })
    }

    /// k and the place with level = k·Σ + place, for a sum of these terms.
    fn multiple(&self, terms: &[(Expr, Rational)]) -> Option<Rational> {
        if self.terms.len() != terms.len() {
            return None;
        }
        if self.terms.iter().zip(terms).any(|((a, _), (b, _))| a != b) {
            return None;
        }
        let k = &self.terms[0].1 / &terms[0].1;
        let same = |((_, x), (_, y)): (&(Expr, Rational), &(Expr, Rational))| *x == &k * y;
        self.terms.iter().zip(terms).all(same).then_some(k)
    }
}

impl Bounds {
    fn raise_lower_end(&mut self, end: End) {
        if self.low.as_ref().is_none_or(|old| end.is_above(old)) {
            self.low = Some(end);
        }
    }

    fn lower_upper_end(&mut self, end: End) {
        let below = |old: &End| match end.at.compare(&old.at) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => end.strict,
            _ => false,
        };
        if self.high.as_ref().is_none_or(below) {
            self.high = Some(end);
        }
    }

    /// What the sign of u − place can be.
    fn side(&self, place: &Place) -> Sign {
        let mut sign = Sign::ANY;
        if let Some(low) = &self.low {
            match low.at.compare(place) {
                Some(Ordering::Greater) => sign = sign.and(Sign::POSITIVE),
                Some(Ordering::Equal) if low.strict => sign = sign.and(Sign::POSITIVE),
                Some(Ordering::Equal) => sign = sign.and(Sign::NONNEGATIVE),
                _ => {}
            }
        }
        if let Some(high) = &self.high {
            match high.at.compare(place) {
                Some(Ordering::Less) => sign = sign.and(Sign::NEGATIVE),
                Some(Ordering::Equal) if high.strict => sign = sign.and(Sign::NEGATIVE),
                Some(Ordering::Equal) => sign = sign.and(Sign::NONPOSITIVE),
                _ => {}
            }
        }
        sign
    }

    /// The sign of a function that is positive on ((n−1)π/2, (n+1)π/2) for n = `first`, negative on the next interval, and so on.
    fn alternating(&self, first: i64) -> Sign {
        for n in (-6..=6).filter(|n| (n - first) % 2 == 0) {
            let (above, below) = (self.side(&Place::half_turns(n - 1)), self.side(&Place::half_turns(n + 1)));
            if above.is_nonnegative() && below.is_nonpositive() {
                let strict = above.is_nonzero() && below.is_nonzero();
                let sign = if strict { Sign::POSITIVE } else { Sign::NONNEGATIVE };
                return if (n - first) % 4 == 0 { sign } else { sign.negate() };
            }
        }
        Sign::ANY
    }
}

impl End {
    fn is_above(&self, old: &End) -> bool {
        match self.at.compare(&old.at) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => self.strict,
            _ => false,
        }
    }
}

/// Where the facts say that `u` lies.
fn bounds(levels: &[Level], u: Expr) -> Bounds {
    let (terms, offset) = parts(u);
    let mut found = Bounds::default();
    if terms.is_empty() {
        return found;
    }
    for level in levels {
        let Some(k) = level.multiple(&terms) else { continue };
        let Some(inverse) = k.recip() else { continue };
        // level = k·(u − offset) + level.offset, so u = offset − level.offset/k + level/k.
        let at = offset.plus(&level.offset.times(&-&inverse));
        let sign = if k.is_negative() { level.sign.negate() } else { level.sign };
        let end = End { at, strict: sign.is_nonzero() };
        if sign.is_nonnegative() {
            found.raise_lower_end(end.clone());
        }
        if sign.is_nonpositive() {
            found.lower_upper_end(end);
        }
    }
    found
}

/// The sign of `e`, from bounds of it or of what it is a function of.
pub(super) fn sign_by_bounds(levels: &[Level], e: Expr) -> Sign {
    // A bare fact about a bare expression is found by itself.
    let (sign, tells) = match e.node() {
        Node::Apply(f, x) if x.len() == 1 => {
            (of_function(*f, &bounds(levels, x[0])), levels.iter().any(|l| l.of_others))
        }
        Node::Sum { .. } => (Sign::ANY, levels.iter().any(|l| l.of_sums)),
        _ => (Sign::ANY, levels.iter().any(|l| l.of_others)),
    };
    if !tells {
        return sign;
    }
    sign.and(bounds(levels, e).side(&Place::half_turns(0)))
}

fn of_function(f: Elementary, u: &Bounds) -> Sign {
    if u.low.is_none() && u.high.is_none() {
        return Sign::ANY;
    }
    match f.row().reading {
        Reading::Circular(Side::Sine) => u.alternating(1),
        Reading::Circular(Side::Cosine) => u.alternating(0),
        Reading::Circular(Side::Tangent) => u.alternating(1).times(u.alternating(0).and(Sign::NONZERO)),
        Reading::Hyperbolic(_) | Reading::Exponential | Reading::Logarithm => of_monotone(f, u),
        Reading::Absolute | Reading::Sign | Reading::CubeRoot | Reading::Opaque { .. } => of_monotone(f, u),
    }
}

/// A function that is monotone on its whole domain and vanishes at a place that its row names: log at 1.
fn of_monotone(f: Elementary, u: &Bounds) -> Sign {
    let row = f.row();
    let Some(piece) = row.piece.filter(|piece| row.domain == Domain::Interval(piece.on)) else { return Sign::ANY };
    let zero = row.values.iter().find(|(_, value)| value.as_rational().is_some_and(|y| y.is_zero()));
    let Some(at) = zero.and_then(|(x, _)| x.as_rational()) else { return Sign::ANY };
    let side = u.side(&Place::new(at, Rational::ZERO));
    if piece.increasing { side } else { side.negate() }
}

#[cfg(test)]
mod tests {
    use super::super::sign_of;
    use super::*;
    use crate::algebra::testing::Scope;

    /// Facts, an expression, and its sign: by the graph of the function.
    #[test]
    fn what_is_bounded_has_a_sign_in_its_functions() {
        let cases: [(&[&str], &str, Sign); 17] = [
            (&["x > 0", "x < pi"], "sin(x)", Sign::POSITIVE),
            (&["x >= 0", "x <= pi"], "sin(x)", Sign::NONNEGATIVE),
            (&["x > 0", "x < 3"], "sin(x)", Sign::POSITIVE),
            (&["x > 0", "x < 4"], "sin(x)", Sign::ANY),
            (&["x > 4", "x < 6"], "sin(x)", Sign::NEGATIVE),
            (&["x > -1", "x < 1"], "cos(x)", Sign::POSITIVE),
            (&["2*x < pi", "2*x > -pi"], "cos(x)", Sign::POSITIVE),
            (&["2*x < pi", "x > 0"], "tan(x)", Sign::POSITIVE),
            (&["2*x > pi", "x < pi"], "tan(x)", Sign::NEGATIVE),
            (&["2*x < pi", "x > 0"], "sin(2*x)", Sign::POSITIVE),
            (&["2*x < pi", "x > 0"], "cos(2*x)", Sign::ANY),
            (&["x > 1"], "log(x)", Sign::POSITIVE),
            (&["x < 1"], "log(x)", Sign::NEGATIVE),
            (&["x > 1"], "x", Sign::POSITIVE),
            (&["x > 1"], "2*x + 5", Sign::POSITIVE),
            (&["x > 1"], "x - 2", Sign::ANY),
            (&["3 > x"], "x - pi", Sign::NEGATIVE),
        ];
        for (facts, e, expected) in cases {
            let mut scope = Scope::new();
            facts.iter().for_each(|fact| scope.assume(fact));
            let e = scope.read(e);
            assert_eq!(sign_of(&scope.cx(), e), expected, "{e} where {facts:?}");
        }
    }
}
