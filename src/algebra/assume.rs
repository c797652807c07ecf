//! Facts the user declared with `assume`: signs of expressions. They are a value, [`Facts`], which every computation is
//! given ([`Inquiry`]). A rule that needs a sign asks [`sign_of`]; without the fact it does not fire. Building an
//! expression asks for its shape only: √(x²) is |x| until somebody simplifies it where x > 0.
//!
//! Facts that compare something with a number, θ > 0 and θ < π, are [bounds](bounds) of it, and what is bounded has
//! a sign in the functions of it: sin θ > 0, cos(θ/4) > 0, θ + 1 > 0.

mod bounds;

use super::expr::{Expr, Node};
use super::function::{Interval, SignRule};
use super::inquiry::{Inquiry, Repeated};
use super::number::Rational;
use bounds::Level;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

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

    /// Whether it is known for certain: positive, or negative.
    pub fn is_strict(self) -> bool {
        self.is_positive() || self.is_negative()
    }

    /// Whether it leaves anything: what contradicts itself does not.
    pub fn is_possible(self) -> bool {
        self.can_be_negative || self.can_be_zero || self.can_be_positive
    }

    /// The sign of uⁿ where it is defined.
    pub fn power(self, n: i64) -> Sign {
        let base = if n < 0 { self.and(Sign::NONZERO) } else { self };
        match n % 2 == 0 {
            false => base,
            true if base.is_nonzero() => Sign::POSITIVE,
            true => Sign::NONNEGATIVE,
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

/// A set of facts about signs. Equal sets are one value: what was computed under them is kept with them, and found again
/// whenever the same facts hold.
#[derive(Clone)]
pub struct Facts(Rc<FactSet>);

struct FactSet {
    signs: FxHashMap<Expr, Sign>,
    /// In the order in which they were declared.
    order: Vec<Expr>,
    /// Those that compare something with a number.
    levels: Vec<Level>,
    /// Whether each is about a symbol and nothing else.
    is_of_symbols: bool,
    id: u64,
    memo: Memo,
}

/// What is remembered of computations under these facts.
#[derive(Default)]
pub(super) struct Memo {
    pub(super) normal: RefCell<super::normal::Memo>,
    pub(super) simplified: RefCell<FxHashMap<Expr, (Expr, Rc<super::normal::NormalForm>)>>,
    pub(super) refuted: RefCell<FxHashMap<Expr, super::verdict::Verdict>>,
    pub(super) factored: Repeated<super::factor::Factorisation>,
    pub(super) semidefinite: Repeated<Option<super::decide::positivity::Semidefinite>>,
}

impl Memo {
    fn forget(&self) {
        self.normal.borrow_mut().forget();
        self.simplified.borrow_mut().clear();
        self.refuted.borrow_mut().clear();
    }
}

/// Sets of facts that were met before, the latest last: some come and go with every question.
const REMEMBERED: usize = 24;

thread_local! {
    static SETS: RefCell<(u64, Vec<Facts>)> = const { RefCell::new((0, vec![])) };
}

impl Default for Facts {
    fn default() -> Facts {
        Facts::interned(FxHashMap::default(), vec![])
    }
}

impl PartialEq for Facts {
    fn eq(&self, other: &Facts) -> bool {
        self.0.signs == other.0.signs
    }
}

impl Facts {
    fn interned(signs: FxHashMap<Expr, Sign>, order: Vec<Expr>) -> Facts {
        SETS.with_borrow_mut(|(next, sets)| {
            if let Some(i) = sets.iter().rposition(|f| f.0.order == order && f.0.signs == signs) {
                let found = sets.remove(i);
                sets.push(found.clone());
                return found;
            }
            let levels = order.iter().filter_map(|e| Level::of(*e, signs[e])).collect();
            let is_of_symbols = order.iter().all(|e| e.as_symbol().is_some());
            let facts =
                Facts(Rc::new(FactSet { signs, order, levels, is_of_symbols, id: *next, memo: Memo::default() }));
            *next += 1;
            sets.push(facts.clone());
            if sets.len() > REMEMBERED {
                // The one that has not been asked for longest; the empty set is always at hand.
                let old = usize::from(sets[0].is_empty());
                sets.remove(old);
            }
            facts
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.signs.is_empty()
    }

    /// Whether no fact is about more than a symbol.
    pub(super) fn is_of_symbols(&self) -> bool {
        self.0.is_of_symbols
    }

    /// One number for each set of facts, for keys.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    pub(super) fn memo(&self) -> &Memo {
        &self.0.memo
    }

    /// Forgets what was computed under these facts, and under all others that are at hand.
    pub(super) fn forget(&self) {
        self.memo().forget();
        SETS.with_borrow(|(_, sets)| sets.iter().for_each(|facts| facts.memo().forget()));
    }

    /// The facts, in the order in which they were declared.
    pub fn iter(&self) -> impl Iterator<Item = (Expr, Sign)> + '_ {
        self.0.order.iter().map(|e| (*e, self.0.signs[e]))
    }

    /// Whether some fact is an equation: then the domain is thin, and a function that is not zero may vanish on all of it.
    pub fn has_equations(&self) -> bool {
        self.0.signs.values().any(|s| *s == Sign::ZERO)
    }

    /// These facts and more. What is known already is combined with what is new; says whether all of them can hold together,
    /// as far as each expression by itself tells.
    pub fn and(&self, more: impl IntoIterator<Item = (Expr, Sign)>) -> (Facts, bool) {
        let mut more = more.into_iter().peekable();
        if more.peek().is_none() {
            return (self.clone(), true);
        }
        let (mut signs, mut order, mut possible) = (self.0.signs.clone(), self.0.order.clone(), true);
        for (e, sign) in more {
            let (e, sign) = match e.node() {
                // A fact about c·x is one about x.
                Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                    let (term, coefficient) = &terms[0];
                    (*term, if coefficient.is_negative() { sign.negate() } else { sign })
                }
                _ => (e, sign),
            };
            let entry = signs.entry(e).or_insert_with(|| {
                order.push(e);
                Sign::ANY
            });
            *entry = entry.and(sign);
            let sign = *entry;
            possible &= sign.is_possible();
            // Parity may write the other sum: |a − b| for |b − a|.
            if let Node::Sum { .. } = e.node() {
                signs.insert(e.opposite(), sign.negate());
            }
        }
        (Facts::interned(signs, order), possible)
    }
}

/// What follows about the sign of `e` from the facts and from its shape. Depth-limited: a fact that
/// would need a long chain of reasoning is not found, and the answer is then less precise, never wrong.
pub fn sign_of(cx: &Inquiry, e: Expr) -> Sign {
    let facts = &cx.facts().0;
    sign_within(Known { signs: &facts.signs, levels: &facts.levels }, e, 12)
}

/// Facts as the rules for signs read them.
#[derive(Clone, Copy)]
struct Known<'a> {
    signs: &'a FxHashMap<Expr, Sign>,
    levels: &'a [Level],
}

/// What follows from the shape alone: x² + 1 > 0 whatever holds.
pub fn sign_of_shape(e: Expr) -> Sign {
    thread_local!(static NOTHING: FxHashMap<Expr, Sign> = FxHashMap::default());
    NOTHING.with(|none| sign_within(Known { signs: none, levels: &[] }, e, 12))
}

fn sign_within(facts: Known, e: Expr, depth: u32) -> Sign {
    let mut known = facts.signs.get(&e).copied().unwrap_or(Sign::ANY);
    if depth == 0 {
        return known;
    }
    if !facts.levels.is_empty() && !e.is_number() {
        known = known.and(bounds::sign_by_bounds(facts.levels, e));
    }
    let below = |x: Expr| sign_within(facts, x, depth - 1);
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
        Some(n) => base.power(n),
        None if exponent.is_integer() => Sign::ANY,
        None => {
            if base.is_nonzero() || exponent.is_negative() {
                Sign::POSITIVE
            } else {
                Sign::NONNEGATIVE
            }
        }
    }
}
