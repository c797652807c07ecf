//! Symbols: the atoms of expressions. Jet coordinates are plain symbols; what makes them jets is
//! that the symbol q₁ knows it is the first jet of the coordinate q, so the total derivative can find
//! q₂. Two declarations of one name are two different symbols: identity is by number, never by name.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;

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

#[derive(Default)]
struct Table {
    symbols: Vec<SymbolInfo>,
    coordinates: Vec<(String, bool)>,
    functions: Vec<(String, u32)>,
    jets: FxHashMap<(Coordinate, u32), Symbol>,
    velocities: FxHashMap<Symbol, Symbol>,
    /// By prefix and conjugate jet; the prefix is `p` unless someone chose another.
    momenta: FxHashMap<(String, Symbol), Symbol>,
    multipliers: FxHashMap<u32, Symbol>,
    variations: FxHashMap<(Symbol, u32), Symbol>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Table {
    fn add(&mut self, name: String, kind: SymbolKind) -> Symbol {
        self.symbols.push(SymbolInfo { name, kind });
        Symbol(self.symbols.len() as u32 - 1)
    }
}

impl Symbol {
    pub fn parameter(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.add(name.into(), SymbolKind::Parameter))
    }

    pub fn base(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.add(name.into(), SymbolKind::Base))
    }

    /// A fresh bound variable.
    pub fn bound(name: &str) -> Symbol {
        TABLE.with_borrow_mut(|t| t.add(name.into(), SymbolKind::Bound))
    }

    /// `vel(x')`, the velocity of the phase-space coordinate `of`.
    pub fn velocity(of: Symbol) -> Symbol {
        TABLE.with_borrow_mut(|t| {
            if let Some(&known) = t.velocities.get(&of) {
                return known;
            }
            let name = format!("vel({})", t.symbols[of.0 as usize].name);
            let symbol = t.add(name, SymbolKind::Velocity { of });
            t.velocities.insert(of, symbol);
            symbol
        })
    }

    /// `p_x` conjugate to x, `p1_x` conjugate to x′, …
    pub fn momentum(of: Symbol) -> Symbol {
        Symbol::momentum_named("p", of)
    }

    /// `P_x`, `P1_x`, … for the prefix `P`.
    pub fn momentum_named(prefix: &str, of: Symbol) -> Symbol {
        TABLE.with_borrow_mut(|t| {
            let key = (prefix.to_string(), of);
            if let Some(&known) = t.momenta.get(&key) {
                return known;
            }
            let name = match t.symbols[of.0 as usize].kind {
                SymbolKind::Jet { coordinate, order } => {
                    let digits = if order == 0 { String::new() } else { order.to_string() };
                    format!("{prefix}{digits}_{}", t.coordinates[coordinate.0 as usize].0)
                }
                _ => format!("{prefix}_{}", t.symbols[of.0 as usize].name),
            };
            let symbol = t.add(name, SymbolKind::Momentum { of });
            t.momenta.insert(key, symbol);
            symbol
        })
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
        TABLE.with_borrow_mut(|t| {
            if let Some(&known) = t.multipliers.get(&i) {
                return known;
            }
            let symbol = t.add(format!("lambda_{i}"), SymbolKind::Multiplier(i));
            t.multipliers.insert(i, symbol);
            symbol
        })
    }

    /// `delta(x)`, and `delta(x, 2)` where there are several.
    pub fn variation(of: Symbol, number: u32) -> Symbol {
        TABLE.with_borrow_mut(|t| {
            if let Some(&known) = t.variations.get(&(of, number)) {
                return known;
            }
            let name = &t.symbols[of.0 as usize].name;
            let name = if number == 1 { format!("delta({name})") } else { format!("delta({name}, {number})") };
            let symbol = t.add(name, SymbolKind::Variation { of, number });
            t.variations.insert((of, number), symbol);
            symbol
        })
    }

    pub fn name(self) -> String {
        TABLE.with_borrow(|t| t.symbols[self.0 as usize].name.clone())
    }

    pub fn kind(self) -> SymbolKind {
        TABLE.with_borrow(|t| t.symbols[self.0 as usize].kind)
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

    /// The position in the order of declaration.
    pub fn index(self) -> u32 {
        self.0
    }

    /// One bit of sixty-four, for quick "does not occur" tests.
    pub(crate) fn mask(self) -> u64 {
        1 << (self.0 % 64)
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
        TABLE.with_borrow_mut(|t| {
            if let Some(&known) = t.jets.get(&(self, order)) {
                return known;
            }
            let name = &t.coordinates[self.0 as usize].0;
            let name = match order {
                0..=3 => format!("{name}{}", "'".repeat(order as usize)),
                _ => format!("jet({name}, {order})"),
            };
            let symbol = t.add(name, SymbolKind::Jet { coordinate: self, order });
            t.jets.insert((self, order), symbol);
            symbol
        })
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
