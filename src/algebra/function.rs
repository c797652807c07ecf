//! The elementary functions, one [`Row`] each: how a function is written, where it has values and which, where it is
//! monotone and what undoes it there, its derivative, its values at special points, and how it is enclosed by balls.
//!
//! Everything that must know a function reads its row: derivation, signs, domains, inequalities, inverses,
//! enclosures, and in `codegen` (whose numeric companion row is keyed by the same [`Elementary`]) the Taylor
//! recurrences and the tangents. So a new function is a variant of the enumeration, a row in the file of its family
//! and a row in `codegen::function`; the compiler and the battery of `tests` in this file see that neither is
//! forgotten.
//!
//! A row holds *data* wherever several readers need the same fact in different arithmetic. The derivative is a
//! [`Slope`], a formula in the argument x and the value y, because four readers differentiate: with expressions, with
//! series of balls, with Taylor coefficients and with tangents.
//!
//! `sqrt` is not here: it is the power 1/2.

mod circular;
mod exponential;
mod hyperbolic;
mod interval;
mod kinked;
#[cfg(test)]
mod tests;

pub use interval::{Bound, Exact, Interval};

use super::ball::Ball;
use super::expr::Expr;
use super::number::Rational;

/// An elementary function of the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Elementary {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Log,
    Erf,
    Cbrt,
    Abs,
    Sign,
    Min,
    Max,
}

/// How many there are: the length of every table of them.
pub const COUNT: usize = Elementary::Max as usize + 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// f(−x) = −f(x)
    Odd,
    /// f(−x) = f(x)
    Even,
    Neither,
}

/// Where a function has a real value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    /// Where every argument lies in the interval.
    Interval(Interval),
    /// Where this function of the argument does not vanish: tan = sin/cos.
    NonzeroOf(Elementary),
    /// Where not all arguments vanish.
    AwayFromOrigin,
}

/// How smooth a function is inside its domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Smoothness {
    /// Analytic.
    Analytic,
    /// Continuous, without a slope somewhere.
    Continuous,
    /// It jumps.
    Jumps,
}

/// An interval on which a function is strictly monotone, taking there every value of its range once.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub on: Interval,
    pub increasing: bool,
    /// What undoes it there; `None` if that is not a function of the language.
    pub inverse: Option<Inverse>,
}

/// What undoes a function on its monotone piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inverse {
    Function(Elementary),
    /// x = y³.
    Cube,
    /// x = y.
    Same,
}

impl Inverse {
    /// x from f(x) = y.
    pub fn of(self, y: Expr) -> Expr {
        match self {
            Inverse::Function(f) => Expr::apply(f, &[y]),
            Inverse::Cube => y.pow(3),
            Inverse::Same => y,
        }
    }
}

/// The derivative of y = f(x), as a formula in x and y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slope {
    /// y′ = ±g(x), where g′ is y again up to its sign: sin and cos, sinh and cosh.
    Partner { other: Elementary, negative: bool },
    /// y′ = 1 − y² if `minus`, else 1 + y².
    Riccati { minus: bool },
    /// y′ = y.
    Itself,
    /// y′ = 1/x.
    Reciprocal,
    /// y′ = ±1/d or ±1/√d with d = `constant` + `square`·x², both of them ±1.
    OverQuadratic { constant: i8, square: i8, root: bool, negative: bool },
    /// y³ = x, so that y′ = 1/(3y²) = y/(3x).
    CubeRoot,
    /// y′ = 2/√π · e^(−x²).
    Gauss,
    /// y′ = sign x off x = 0.
    Kink,
    /// y′ = 0 off x = 0.
    Jump,
    /// atan2(y, x): (x dy − y dx)/(x² + y²).
    Angle,
    /// 1 by the argument that is taken, 0 by the others; off the places where two of them are equal.
    Extreme,
}

impl Slope {
    /// Whether there is no derivative where the argument is 0, or two arguments are equal.
    pub fn has_kinks(self) -> bool {
        matches!(self, Slope::Kink | Slope::Jump | Slope::Extreme)
    }
}

/// What is known of the sign of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignRule {
    /// That of the argument.
    Argument,
    /// Zero where the argument is, else positive.
    Size,
    /// What the range says.
    Range,
}

/// Sine and cosine of the value of an inverse function, of its arguments.
#[derive(Clone, Copy, Debug)]
pub enum Pair {
    Circular(fn(&[Expr]) -> (Expr, Expr)),
    /// sinh and cosh.
    Hyperbolic(fn(&[Expr]) -> (Expr, Expr)),
}

/// √(1 − u²), beside u under the hypotenuse 1.
fn leg(u: Expr) -> Expr {
    (1 - u.pow(2)).sqrt()
}

/// √(1 + u²), over the legs 1 and u.
fn hypotenuse(u: Expr) -> Expr {
    (1 + u.pow(2)).sqrt()
}

/// How the normal form reads a function.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// By sine and cosine of the base angles.
    Circular(Side),
    /// The same for sinh and cosh, or by exponentials where some occur.
    Hyperbolic(Side),
    Exponential,
    Logarithm,
    Absolute,
    Sign,
    /// Multiplicative on all real numbers; the cube of a root is its radicand.
    CubeRoot,
    /// As a generator with nothing known but equality of arguments; zero tests read what it is in terms of others.
    Opaque {
        otherwise: Option<fn(&[Expr]) -> Expr>,
    },
}

/// Which of (s, c, s/c).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Sine,
    Cosine,
    Tangent,
}

/// What is known of one function.
pub struct Row {
    pub function: Elementary,
    pub name: &'static str,
    /// What other systems call it; whoever writes that is told the name.
    pub elsewhere: &'static [&'static str],
    pub latex: &'static str,
    /// What stands before and behind its argument in LaTeX, where that is not the name and parentheses.
    pub around: Option<(&'static str, &'static str)>,
    /// Number of arguments; `None` for one or more.
    pub arity: Option<usize>,
    pub parity: Parity,
    pub help: &'static str,
    pub domain: Domain,
    /// All values, and no others.
    pub range: Interval,
    pub smoothness: Smoothness,
    /// `None` for what is not monotone anywhere, or is a function of several arguments.
    pub piece: Option<Piece>,
    pub slope: Slope,
    /// F with F′ = f, of the argument; `None` if it is not an expression of the language, or is found otherwise.
    pub antiderivative: Option<fn(Expr) -> Expr>,
    pub sign: SignRule,
    /// Arguments and values.
    pub values: &'static [(Exact, Exact)],
    /// A value at other arguments that have one: sin(π/6), e^(log u). `None` if there are no such.
    pub special: Option<fn(&[Expr]) -> Option<Expr>>,
    /// What sine and cosine, or sinh and cosh, of the value are, by a right triangle. `None` where they are nothing simpler.
    pub pair: Option<Pair>,
    /// All values at arguments of the ball, computed with so many bits. `None` where there is none.
    pub ball: fn(&[Ball], u32) -> Option<Ball>,
    pub reading: Reading,
}

/// In the order of the enumeration.
pub static TABLE: [Row; COUNT] = [
    circular::SIN,
    circular::COS,
    circular::TAN,
    circular::ASIN,
    circular::ACOS,
    circular::ATAN,
    circular::ATAN2,
    hyperbolic::SINH,
    hyperbolic::COSH,
    hyperbolic::TANH,
    hyperbolic::ASINH,
    hyperbolic::ACOSH,
    hyperbolic::ATANH,
    exponential::EXP,
    exponential::LOG,
    exponential::ERF,
    kinked::CBRT,
    kinked::ABS,
    kinked::SIGN,
    kinked::MIN,
    kinked::MAX,
];

impl Elementary {
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn find(name: &str) -> Option<Elementary> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.function)
    }

    /// The function that other systems call so.
    pub fn called_elsewhere(name: &str) -> Option<Elementary> {
        TABLE.iter().find(|r| r.elsewhere.contains(&name)).map(|r| r.function)
    }

    /// Every function, in the order of the table.
    pub fn all() -> impl Iterator<Item = Elementary> {
        TABLE.iter().map(|row| row.function)
    }
}

impl Row {
    /// Whether it has a value for all real arguments.
    pub fn is_total(&self) -> bool {
        self.domain == Domain::Interval(Interval::ALL)
    }

    /// Defined and continuous for all real arguments.
    pub fn is_continuous_everywhere(&self) -> bool {
        self.is_total() && self.smoothness != Smoothness::Jumps
    }

    /// Defined and analytic for all real arguments.
    pub fn is_analytic_everywhere(&self) -> bool {
        self.is_total() && self.smoothness == Smoothness::Analytic
    }

    /// The interval in which an argument must lie, where that is what the domain says.
    pub fn argument_interval(&self) -> Option<Interval> {
        match self.domain {
            Domain::Interval(interval) => Some(interval),
            Domain::NonzeroOf(_) | Domain::AwayFromOrigin => None,
        }
    }

    /// The monotone piece of a function that is monotone wherever it is defined, and so has one inverse.
    pub fn whole_piece(&self) -> Option<Piece> {
        self.piece.filter(|piece| self.domain == Domain::Interval(piece.on))
    }

    /// Its value at a number, if the row has it. Outside of its domain a function is not real.
    pub fn value_at(&self, n: &Rational) -> Option<Expr> {
        if self.arity == Some(1) && self.argument_interval().is_some_and(|interval| !interval.contains(n)) {
            return Some(Expr::undefined(super::expr::Undefined::NotReal));
        }
        let (_, value) = self.values.iter().find(|(x, _)| x.as_rational().is_some_and(|x| x == *n))?;
        Some(value.expr())
    }
}
