//! The table of elementary functions: one row each, with what parity, name, LaTeX and arity they
//! have. Their derivatives stand in [`super::derive`], their values at special points in
//! [`super::expr`]. `sqrt` is not here: it is the power 1/2.

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
    Atanh,
    Exp,
    Log,
    Abs,
    Sign,
    Min,
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// f(−x) = −f(x)
    Odd,
    /// f(−x) = f(x)
    Even,
    Neither,
}

pub struct Row {
    pub function: Elementary,
    pub name: &'static str,
    pub latex: &'static str,
    /// Number of arguments; `None` for one or more.
    pub arity: Option<usize>,
    pub parity: Parity,
    pub help: &'static str,
}

const fn row(
    function: Elementary,
    name: &'static str,
    latex: &'static str,
    arity: Option<usize>,
    parity: Parity,
    help: &'static str,
) -> Row {
    Row { function, name, latex, arity, parity, help }
}

use Elementary::*;
use Parity::*;

/// In the order of the enumeration.
pub static TABLE: [Row; 17] = [
    row(Sin, "sin", r"\sin", Some(1), Odd, "sine"),
    row(Cos, "cos", r"\cos", Some(1), Even, "cosine"),
    row(Tan, "tan", r"\tan", Some(1), Odd, "tangent"),
    row(Asin, "asin", r"\arcsin", Some(1), Odd, "inverse sine, between −π/2 and π/2"),
    row(Acos, "acos", r"\arccos", Some(1), Neither, "inverse cosine, between 0 and π"),
    row(Atan, "atan", r"\arctan", Some(1), Odd, "inverse tangent, between −π/2 and π/2"),
    row(Atan2, "atan2", r"\operatorname{atan2}", Some(2), Neither, "the angle of the point (x, y) as atan2(y, x)"),
    row(Sinh, "sinh", r"\sinh", Some(1), Odd, "hyperbolic sine"),
    row(Cosh, "cosh", r"\cosh", Some(1), Even, "hyperbolic cosine"),
    row(Tanh, "tanh", r"\tanh", Some(1), Odd, "hyperbolic tangent"),
    row(Atanh, "atanh", r"\operatorname{artanh}", Some(1), Odd, "inverse hyperbolic tangent"),
    row(Exp, "exp", r"\exp", Some(1), Neither, "exponential function; Euler's number is exp(1)"),
    row(Log, "log", r"\log", Some(1), Neither, "natural logarithm"),
    row(Abs, "abs", r"\operatorname{abs}", Some(1), Even, "absolute value"),
    row(Sign, "sign", r"\operatorname{sgn}", Some(1), Odd, "−1, 0 or 1"),
    row(Min, "min", r"\min", None, Neither, "the smallest of its arguments"),
    row(Max, "max", r"\max", None, Neither, "the largest of its arguments"),
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.function as usize, i);
        }
    }
}
