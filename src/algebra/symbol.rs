//! Symbols: the atoms of expressions. Jet coordinates are plain symbols; what makes them jets is
//! that the symbol q₁ knows it is the first jet of the coordinate q, so the total derivative can find
//! q₂. Two declarations of one name are two different symbols: identity is by number, never by name.
//!
//! The number is also the place of a symbol in every list, polynomial and normal form. It is made of what the symbol is, and
//! not of when somebody first asked for it, so no answer depends on the questions before it:
//!
//! ```text
//! parameters and times, as declared │ q^σ by order and coordinate │ momenta │ velocities │ variations │ multipliers │ others
//! ```

use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An atom. Compared by identity; printed by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

/// A fibre coordinate of some manifold, the whole tower q, q′, q″, … of symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinate(u32);

/// A declared but unspecified function such as `V(theta)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(u32);

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// The coordinate t of the base.
    Base,
    /// q^σ_order: `order` dots on the coordinate.
    Jet {
        coordinate: Coordinate,
        order: u32,
    },
    Parameter,
    /// q^σ_{k,1}: the velocity of the phase-space coordinate `of` along a curve that need not be
    /// holonomic. A coordinate of J¹(JʳY).
    Velocity {
        of: Symbol,
    },
    /// The momentum conjugate to the jet `of`.
    Momentum {
        of: Symbol,
    },
    /// A Lagrange multiplier, counted from 1.
    Multiplier(u32),
    /// The first variation of `of` along a motion; several of them are counted from 1.
    Variation {
        of: Symbol,
        number: u32,
    },
    /// A variable that is bound by an integral, or otherwise local to a computation.
    Bound,
}

#[derive(Clone)]
struct SymbolInfo {
    name: String,
    kind: SymbolKind,
}

/// The classes of numbers, in the order of their symbols. Below the class a number has [`PAYLOAD`] bits: order and coordinate of
/// the jet that it is, or belongs to, or its place in a list.
mod class {
    /// Parameters and times: the place in the list of what was declared.
    pub const DECLARED: u32 = 0;
    pub const JET: u32 = 1;
    /// Of a jet, with the prefix `p`.
    pub const MOMENTUM: u32 = 2;
    pub const VELOCITY: u32 = 3;
    pub const VELOCITY_OF_MOMENTUM: u32 = 4;
    /// The first one, of a jet.
    pub const VARIATION: u32 = 5;
    pub const VARIATION_OF_MOMENTUM: u32 = 6;
    pub const MULTIPLIER: u32 = 7;
    /// The place in the list of what was made: bound variables, helpers of a computation, and what no other class has room for.
    pub const MADE: u32 = 8;
}

const PAYLOAD: u32 = 27;
/// The bits of a jet that are its coordinate; those above are its order.
const COORDINATE: u32 = 20;

#[derive(Default)]
struct Table {
    declared: Vec<SymbolInfo>,
    made: Vec<SymbolInfo>,
    /// Those among the made ones that are asked for by what they are, with the prefix of a momentum.
    known: FxHashMap<(SymbolKind, String), Symbol>,
    coordinates: Vec<(String, bool)>,
    functions: Vec<(String, u32)>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    fn declare(&mut self, name: &str, kind: SymbolKind) -> Symbol {
        self.declared.push(SymbolInfo { name: name.into(), kind });
        Symbol::numbered(class::DECLARED, self.declared.len() as u32 - 1)
    }

    fn make(&mut self, name: String, kind: SymbolKind) -> Symbol {
        self.made.push(SymbolInfo { name, kind });
        Symbol::numbered(class::MADE, self.made.len() as u32 - 1)
    }
}

impl Symbol {
    pub fn parameter(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.declare(name, SymbolKind::Parameter))
    }

    pub fn base(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.declare(name, SymbolKind::Base))
    }

    /// A fresh parameter that a computation needs for itself; it comes behind all that a program can name.
    pub fn helper(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.make(name.into(), SymbolKind::Parameter))
    }

    /// A fresh bound variable.
    pub fn bound(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.make(name.into(), SymbolKind::Bound))
    }

    /// `vel(x')`, the velocity of the phase-space coordinate `of`.
    pub fn velocity(of: Symbol) -> Symbol {
        match of.class() {
            class::JET => Symbol::numbered(class::VELOCITY, of.payload()),
            class::MOMENTUM => Symbol::numbered(class::VELOCITY_OF_MOMENTUM, of.payload()),
            _ => Symbol::known(SymbolKind::Velocity { of }, ""),
        }
    }

    /// `p_x` conjugate to x, `p1_x` conjugate to x′, …
    pub fn momentum(of: Symbol) -> Symbol {
        Symbol::momentum_named("p", of)
    }

    /// `P_x`, `P1_x`, … for the prefix `P`.
    pub fn momentum_named(prefix: &str, of: Symbol) -> Symbol {
        match of.class() {
            class::JET if prefix == "p" => Symbol::numbered(class::MOMENTUM, of.payload()),
            _ => Symbol::known(SymbolKind::Momentum { of }, prefix),
        }
    }

    /// The symbol that is this, made when it is first asked for.
    fn known(kind: SymbolKind, prefix: &str) -> Symbol {
        let key = (kind, prefix.to_string());
        if let Some(known) = TABLE.with_borrow(|t| t.known.get(&key).copied()) {
            return known;
        }
        let name = kind.name(prefix);
        TABLE.with_borrow_mut(|t| {
            let symbol = t.make(name, kind);
            t.known.insert(key, symbol);
            symbol
        })
    }

    fn numbered(class: u32, payload: u32) -> Symbol {
        debug_assert!(payload >> PAYLOAD == 0, "too many symbols");
        Symbol(class << PAYLOAD | payload)
    }

    fn class(self) -> u32 {
        self.0 >> PAYLOAD
    }

    fn payload(self) -> u32 {
        self.0 & ((1 << PAYLOAD) - 1)
    }

    /// The symbol with this number.
    pub(super) fn of_number(number: u32) -> Symbol {
        Symbol(number)
    }

    /// `p_x`, `p2_x`, `P_x` taken apart into prefix, order of the conjugate jet and coordinate. `chosen` says which prefixes
    /// there are beside `p`.
    pub fn split_momentum(text: &str, chosen: impl Fn(&str) -> bool) -> Option<(&str, u32, &str)> {
        let order = |digits: &str| match digits {
            "" => Some(0),
            d => d.parse::<u32>().ok().filter(|n| *n > 0),
        };
        let mut places = text.match_indices('_').map(|(i, _)| i);
        places.find_map(|i| {
            let (head, tail) = (&text[..i], &text[i + 1..]);
            let prefix = head.trim_end_matches(|c: char| c.is_ascii_digit());
            let known = prefix == "p" || chosen(prefix);
            let order = order(&head[prefix.len()..])?;
            (known && !tail.is_empty()).then_some((prefix, order, tail))
        })
    }

    /// `lambda_i`, counted from 1.
    pub fn multiplier(i: u32) -> Symbol {
        Symbol::numbered(class::MULTIPLIER, i)
    }

    /// `delta(x)`, and `delta(x, 2)` where there are several.
    pub fn variation(of: Symbol, number: u32) -> Symbol {
        match of.class() {
            class::JET if number == 1 => Symbol::numbered(class::VARIATION, of.payload()),
            class::MOMENTUM if number == 1 => Symbol::numbered(class::VARIATION_OF_MOMENTUM, of.payload()),
            _ => Symbol::known(SymbolKind::Variation { of, number }, ""),
        }
    }

    pub fn name(self) -> String {
        let listed = |list: &[SymbolInfo]| list[self.payload() as usize].name.clone();
        match self.class() {
            class::DECLARED => TABLE.with_borrow(|t| listed(&t.declared)),
            class::MADE => TABLE.with_borrow(|t| listed(&t.made)),
            _ => self.kind().name("p"),
        }
    }

    pub fn kind(self) -> SymbolKind {
        let of = |class: u32| Symbol::numbered(class, self.payload());
        let place = self.payload() as usize;
        match self.class() {
            class::DECLARED => TABLE.with_borrow(|t| t.declared[place].kind),
            class::JET => {
                let (coordinate, order) = (self.payload() & ((1 << COORDINATE) - 1), self.payload() >> COORDINATE);
                SymbolKind::Jet { coordinate: Coordinate(coordinate), order }
            }
            class::MOMENTUM => SymbolKind::Momentum { of: of(class::JET) },
            class::VELOCITY => SymbolKind::Velocity { of: of(class::JET) },
            class::VELOCITY_OF_MOMENTUM => SymbolKind::Velocity { of: of(class::MOMENTUM) },
            class::VARIATION => SymbolKind::Variation { of: of(class::JET), number: 1 },
            class::VARIATION_OF_MOMENTUM => SymbolKind::Variation { of: of(class::MOMENTUM), number: 1 },
            class::MULTIPLIER => SymbolKind::Multiplier(self.payload()),
            _ => TABLE.with_borrow(|t| t.made[place].kind),
        }
    }

    /// Coordinate and order, if the symbol is a jet.
    pub fn as_jet(self) -> Option<(Coordinate, u32)> {
        match self.kind() {
            SymbolKind::Jet { coordinate, order } => Some((coordinate, order)),
            _ => None,
        }
    }

    pub fn is_parameter(self) -> bool {
        self.kind() == SymbolKind::Parameter
    }

    /// Its place among all symbols.
    pub fn index(self) -> u32 {
        self.0
    }

    /// One bit of sixty-four, for quick "does not occur" tests: neighbours differ, and so do the jets of one coordinate.
    pub(crate) fn mask(self) -> u64 {
        let place = match self.class() {
            class::DECLARED | class::MADE => 63 - self.payload() % 64,
            _ => {
                3 * (self.payload() & ((1 << COORDINATE) - 1))
                    + (self.payload() >> COORDINATE)
                    + 31 * (self.class() - 1)
            }
        };
        1 << (place % 64)
    }

    /// A number that symbols of the same name share, in this program and in the next.
    pub(super) fn shape(self) -> u64 {
        let mut hasher = FxHasher::default();
        self.name().hash(&mut hasher);
        hasher.finish()
    }
}

impl SymbolKind {
    /// The name of what has no name of its own; `prefix` is that of a momentum.
    fn name(self, prefix: &str) -> String {
        match self {
            SymbolKind::Jet { coordinate, order: order @ 0..=3 } => {
                format!("{}{}", coordinate.name(), "'".repeat(order as usize))
            }
            SymbolKind::Jet { coordinate, order } => format!("jet({}, {order})", coordinate.name()),
            SymbolKind::Velocity { of } => format!("vel({of})"),
            SymbolKind::Momentum { of } => match of.as_jet() {
                Some((coordinate, 0)) => format!("{prefix}_{}", coordinate.name()),
                Some((coordinate, order)) => format!("{prefix}{order}_{}", coordinate.name()),
                None => format!("{prefix}_{of}"),
            },
            SymbolKind::Multiplier(i) => format!("lambda_{i}"),
            SymbolKind::Variation { of, number: 1 } => format!("delta({of})"),
            SymbolKind::Variation { of, number } => format!("delta({of}, {number})"),
            SymbolKind::Base | SymbolKind::Parameter | SymbolKind::Bound => String::new(),
        }
    }
}

impl Coordinate {
    pub fn declare(name: &str, angle: bool) -> Coordinate {
        TABLE.with_borrow_mut(|t| {
            t.coordinates.push((name.into(), angle));
            Coordinate(t.coordinates.len() as u32 - 1)
        })
    }

    pub fn name(self) -> String {
        TABLE.with_borrow(|t| t.coordinates[self.0 as usize].0.clone())
    }

    /// The position in the order of declaration.
    pub fn index(self) -> u32 {
        self.0
    }

    /// Whether 2π is 0 for this coordinate.
    pub fn is_angle(self) -> bool {
        TABLE.with_borrow(|t| t.coordinates[self.0 as usize].1)
    }

    /// The symbol q_order: the coordinate itself for 0, then q′, q″, q‴, and `jet(q, 4)` from there.
    pub fn jet(self, order: u32) -> Symbol {
        if self.0 >> COORDINATE == 0 && order >> (PAYLOAD - COORDINATE) == 0 {
            return Symbol::numbered(class::JET, order << COORDINATE | self.0);
        }
        Symbol::known(SymbolKind::Jet { coordinate: self, order }, "")
    }
}

impl Function {
    pub fn declare(name: &str, arity: u32) -> Function {
        TABLE.with_borrow_mut(|t| {
            t.functions.push((name.into(), arity));
            Function(t.functions.len() as u32 - 1)
        })
    }

    pub fn name(self) -> String {
        TABLE.with_borrow(|t| t.functions[self.0 as usize].0.clone())
    }

    /// The position in the order of declaration.
    pub fn index(self) -> u32 {
        self.0
    }

    pub fn arity(self) -> u32 {
        TABLE.with_borrow(|t| t.functions[self.0 as usize].1)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name())
    }
}
