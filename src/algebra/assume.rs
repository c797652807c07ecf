//! Facts the user declared with `assume`: signs of expressions. A rule that needs a sign asks
//! [`sign_of`]; without the fact it does not fire.

use super::expr::{Expr, Node};
use super::function::{Interval, SignRule};
use super::number::Rational;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// What is known about the sign of a real expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sign {
    pub can_be_negative: bool,
    pub can_be_zero: bool,
    pub can_be_positive: bool,
}

impl Sign {
    pub const ANY: Sign = Sign { can_be_negative: true, can_be_zero: true, can_be_positive: true };
    pub const POSITIVE: Sign = Sign { can_be_negative: false, can_be_zero: false, can_be_positive: true };
    pub const NEGATIVE: Sign = Sign { can_be_negative: true, can_be_zero: false, can_be_positive: false };
    pub const NONNEGATIVE: Sign = Sign { can_be_negative: false, can_be_zero: true, can_be_positive: true };
    pub const NONPOSITIVE: Sign = Sign { can_be_negative: true, can_be_zero: true, can_be_positive: false };
    pub const NONZERO: Sign = Sign { can_be_negative: true, can_be_zero: false, can_be_positive: true };
    pub const ZERO: Sign = Sign { can_be_negative: false, can_be_zero: true, can_be_positive: false };

    pub fn is_nonzero(self) -> bool {
        !self.can_be_zero
    }
    pub fn is_positive(self) -> bool {
        self == Sign::POSITIVE
    }
    pub fn is_negative(self) -> bool {
        self == Sign::NEGATIVE
    }
    pub fn is_nonnegative(self) -> bool {
        !self.can_be_negative
    }
    pub fn is_nonpositive(self) -> bool {
        !self.can_be_positive
    }

    /// What both facts together say.
    pub fn and(self, other: Sign) -> Sign {
        Sign {
            can_be_negative: self.can_be_negative && other.can_be_negative,
            can_be_zero: self.can_be_zero && other.can_be_zero,
            can_be_positive: self.can_be_positive && other.can_be_positive,
        }
    }

    pub fn negate(self) -> Sign {
        Sign {
            can_be_negative: self.can_be_positive,
            can_be_zero: self.can_be_zero,
            can_be_positive: self.can_be_negative,
        }
    }

    pub fn plus(self, other: Sign) -> Sign {
        let both = |a: Sign, b: Sign| a.can_be_zero && b.can_be_zero;
        let mixed = (self.can_be_positive && other.can_be_negative) || (self.can_be_negative && other.can_be_positive);
        Sign {
            can_be_negative: self.can_be_negative || other.can_be_negative,
            can_be_zero: both(self, other) || mixed,
            can_be_positive: self.can_be_positive || other.can_be_positive,
        }
    }

    pub fn times(self, other: Sign) -> Sign {
        Sign {
            can_be_negative: (self.can_be_positive && other.can_be_negative)
                || (self.can_be_negative && other.can_be_positive),
            can_be_zero: self.can_be_zero || other.can_be_zero,
            can_be_positive: (self.can_be_positive && other.can_be_positive)
                || (self.can_be_negative && other.can_be_negative),
        }
    }

    pub fn of_number(n: &Rational) -> Sign {
        match n.signum() {
            0 => Sign::ZERO,
            1 => Sign::POSITIVE,
            _ => Sign::NEGATIVE,
        }
    }
}

thread_local! {
    static FACTS: RefCell<FxHashMap<Expr, Sign>> = RefCell::default();
    static EPOCH: Cell<u64> = const { Cell::new(0) };
}

/// Changes whenever the facts do: what was computed under other facts must be computed anew.
pub fn epoch() -> u64 {
    EPOCH.get()
}

/// Declares a fact about the sign of `e`. It is combined with what is known; the result says whether
/// the facts still agree.
pub fn assume(e: Expr, sign: Sign) -> bool {
    let (e, sign) = match e.node() {
        // A fact about c·x is one about x.
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            let (term, coefficient) = &terms[0];
            (*term, if coefficient.is_negative() { sign.negate() } else { sign })
        }
        _ => (e, sign),
    };
    EPOCH.set(EPOCH.get() + 1);
    FACTS.with_borrow_mut(|facts| {
        let entry = facts.entry(e).or_insert(Sign::ANY);
        *entry = entry.and(sign);
        entry.can_be_negative || entry.can_be_zero || entry.can_be_positive
    })
}

/// All facts, to be put back later.
pub fn snapshot() -> FxHashMap<Expr, Sign> {
    FACTS.with_borrow(|f| f.clone())
}

/// Replaces all facts.
pub fn restore(facts: FxHashMap<Expr, Sign>) {
    EPOCH.set(EPOCH.get() + 1);
    FACTS.with_borrow_mut(|f| *f = facts);
}

/// What follows about the sign of `e` from the facts and from its shape. Depth-limited: a fact that
/// would need a long chain of reasoning is not found, and the answer is then less precise, never wrong.
pub fn sign_of(e: Expr) -> Sign {
    sign_within(e, 12)
}

fn sign_within(e: Expr, depth: u32) -> Sign {
    let known = FACTS.with_borrow(|f| f.get(&e).copied()).unwrap_or(Sign::ANY);
    if depth == 0 {
        return known;
    }
    let below = |x: Expr| sign_within(x, depth - 1);
    let derived = match e.node() {
        Node::Number(n) => Sign::of_number(n),
        Node::Pi => Sign::POSITIVE,
        Node::Sum { constant, terms } => {
            let mut sign = Sign::of_number(constant);
            for (term, coefficient) in terms.iter() {
                sign = sign.plus(below(*term).times(Sign::of_number(coefficient)));
                if sign == Sign::ANY {
                    break;
                }
            }
            sign
        }
        Node::Product(factors) => {
            let mut sign = Sign::POSITIVE;
            for (base, exponent) in factors.iter() {
                sign = sign.times(power_sign(below(*base), exponent));
            }
            sign
        }
        Node::Power(base, _) => {
            if below(*base).is_positive() {
                Sign::POSITIVE
            } else {
                Sign::NONNEGATIVE
            }
        }
        Node::Apply(f, x) => match f.row().sign {
            SignRule::Argument => below(x[0]),
            SignRule::Size if below(x[0]).is_nonzero() => Sign::POSITIVE,
            SignRule::Size => Sign::NONNEGATIVE,
            SignRule::Range => of_range(f.row().range),
        },
        _ => Sign::ANY,
    };
    derived.and(known)
}

/// What the range of a function says of the sign of its values.
fn of_range(range: Interval) -> Sign {
    Sign {
        can_be_negative: range.meets_negative(),
        can_be_zero: range.contains(&Rational::ZERO),
        can_be_positive: range.negative().meets_negative(),
    }
}

fn power_sign(base: Sign, exponent: &Rational) -> Sign {
    match exponent.to_i64() {
        Some(n) if n % 2 == 0 => {
            if base.is_nonzero() || n < 0 {
                Sign::POSITIVE
            } else {
                Sign::NONNEGATIVE
            }
        }
        Some(n) if n < 0 => base.and(Sign::NONZERO),
        Some(_) => base,
        None => {
            if base.is_nonzero() || exponent.is_negative() {
                Sign::POSITIVE
            } else {
                Sign::NONNEGATIVE
            }
        }
    }
}
