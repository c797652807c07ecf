//! Intervals of the real line, as rows of the table of functions state domains and ranges.

use crate::algebra::expr::{Condition, Expr, Relation};
use crate::algebra::number::Rational;

/// A number that a row can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    Number(i8),
    /// So many quarters of π.
    QuarterPi(i8),
}

impl Exact {
    pub fn expr(self) -> Expr {
        match self {
            Exact::Number(n) => Expr::number(i64::from(n)),
            Exact::QuarterPi(n) => Expr::pi().scale(&Rational::ratio(i64::from(n), 4)),
        }
    }

    pub fn as_rational(self) -> Option<Rational> {
        match self {
            Exact::Number(n) => Some(Rational::from(i64::from(n))),
            Exact::QuarterPi(0) => Some(Rational::ZERO),
            Exact::QuarterPi(_) => None,
        }
    }

    fn negative(self) -> Exact {
        match self {
            Exact::Number(n) => Exact::Number(-n),
            Exact::QuarterPi(n) => Exact::QuarterPi(-n),
        }
    }
}

/// One end of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Infinite,
    /// The end does not belong to it.
    Open(Exact),
    Closed(Exact),
}

impl Bound {
    /// The end and whether it is reached.
    pub fn end(self) -> Option<(Exact, bool)> {
        match self {
            Bound::Infinite => None,
            Bound::Open(at) => Some((at, false)),
            Bound::Closed(at) => Some((at, true)),
        }
    }

    /// A rational number that no number of an interval with this low end is below; `None` if there is none.
    pub fn below(self) -> Option<Rational> {
        self.negative().above().map(|x| -&x)
    }

    /// A rational number that no number of an interval with this high end exceeds.
    pub fn above(self) -> Option<Rational> {
        // 3 < π < 22/7.
        self.end().map(|(at, _)| match at {
            Exact::Number(n) => Rational::from(i64::from(n)),
            Exact::QuarterPi(n) if n < 0 => Rational::ratio(3 * i64::from(n), 4),
            Exact::QuarterPi(n) => Rational::ratio(22 * i64::from(n), 28),
        })
    }

    fn negative(self) -> Bound {
        match self {
            Bound::Infinite => Bound::Infinite,
            Bound::Open(at) => Bound::Open(at.negative()),
            Bound::Closed(at) => Bound::Closed(at.negative()),
        }
    }
}

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub low: Bound,
    pub high: Bound,
}

impl Interval {
    pub const ALL: Interval = Interval { low: Bound::Infinite, high: Bound::Infinite };
    pub const POSITIVE: Interval = Interval { low: Bound::Open(Exact::Number(0)), high: Bound::Infinite };
    pub const NONNEGATIVE: Interval = Interval { low: Bound::Closed(Exact::Number(0)), high: Bound::Infinite };
    pub const FROM_ONE: Interval = Interval { low: Bound::Closed(Exact::Number(1)), high: Bound::Infinite };
    /// [−1, 1]
    pub const UNIT: Interval = Interval::closed(Exact::Number(-1), Exact::Number(1));
    /// (−1, 1)
    pub const OPEN_UNIT: Interval = Interval::open(Exact::Number(-1), Exact::Number(1));
    /// [−π/2, π/2]
    pub const RIGHT_HALF: Interval = Interval::closed(Exact::QuarterPi(-2), Exact::QuarterPi(2));
    /// (−π/2, π/2)
    pub const OPEN_RIGHT_HALF: Interval = Interval::open(Exact::QuarterPi(-2), Exact::QuarterPi(2));
    /// [0, π]
    pub const UPPER_HALF: Interval = Interval::closed(Exact::Number(0), Exact::QuarterPi(4));
    /// (−π, π]
    pub const TURN: Interval =
        Interval { low: Bound::Open(Exact::QuarterPi(-4)), high: Bound::Closed(Exact::QuarterPi(4)) };

    const fn closed(low: Exact, high: Exact) -> Interval {
        Interval { low: Bound::Closed(low), high: Bound::Closed(high) }
    }

    const fn open(low: Exact, high: Exact) -> Interval {
        Interval { low: Bound::Open(low), high: Bound::Open(high) }
    }

    /// The interval of the numbers −x.
    pub fn negative(self) -> Interval {
        Interval { low: self.high.negative(), high: self.low.negative() }
    }

    /// What must not be negative for x to lie inside, and whether it must not vanish either: x − low, high − x.
    pub fn sides(self, x: Expr) -> Vec<(Expr, bool)> {
        let low = self.low.end().map(|(at, reached)| (x - at.expr(), !reached));
        let high = self.high.end().map(|(at, reached)| (at.expr() - x, !reached));
        low.into_iter().chain(high).collect()
    }

    /// x inside, an end after the other.
    pub fn conditions(self, x: Expr) -> Vec<Condition> {
        let condition = |(left, strict)| if strict { Condition::positive(left) } else { Condition::nonnegative(left) };
        self.sides(x).into_iter().map(condition).collect()
    }

    /// x inside, said once where both ends are ±c: c² − x² ≥ 0.
    pub fn joint_conditions(self, x: Expr) -> Vec<Condition> {
        match self.high.end() {
            Some((at, reached)) if self == self.negative() => {
                let relation = if reached { Relation::GreaterEqual } else { Relation::Greater };
                vec![Condition { relation, left: at.expr() * at.expr() - x * x }]
            }
            _ => self.conditions(x),
        }
    }

    /// Whether some negative number lies inside.
    pub fn meets_negative(self) -> bool {
        self.low.end().is_none_or(|(at, _)| match at {
            Exact::Number(n) | Exact::QuarterPi(n) => n < 0,
        })
    }

    /// Whether a number lies inside. Every end that a domain has is a rational number; one that is not excludes nothing.
    pub fn contains(self, n: &Rational) -> bool {
        let end = |bound: Bound| bound.end().and_then(|(at, reached)| Some((at.as_rational()?, reached)));
        let above = end(self.low).is_none_or(|(at, reached)| *n > at || (reached && *n == at));
        let below = end(self.high).is_none_or(|(at, reached)| *n < at || (reached && *n == at));
        above && below
    }
}
