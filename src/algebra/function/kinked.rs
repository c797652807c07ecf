//! Functions with a place where they have no slope: the cube root, the absolute value, the sign and the extremes.

use super::Elementary::*;
use super::{Domain, Exact, Interval, Inverse, Parity, Piece, Reading, Row, SignRule, Slope, Smoothness};
use crate::algebra::expr::{Expr, special};
use crate::algebra::number::Rational;

pub const CBRT: Row = Row {
    function: Cbrt,
    name: "cbrt",
    elsewhere: &["cuberoot"],
    latex: r"\operatorname{cbrt}",
    around: Some((r"\sqrt[3]{", "}")),
    arity: Some(1),
    parity: Parity::Odd,
    help: "real cube root, also of negative numbers",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::ALL,
    smoothness: Smoothness::Continuous,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Cube) }),
    slope: Slope::CubeRoot,
    antiderivative: Some(|x| (x * Expr::apply(Cbrt, &[x])).scale(&Rational::ratio(3, 4))),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    special: Some(special::cube_root),
    pair: None,
    ball: |x, p| Some(x[0].cbrt(p)),
    reading: Reading::CubeRoot,
};

pub const ABS: Row = Row {
    function: Abs,
    name: "abs",
    elsewhere: &[],
    latex: r"\operatorname{abs}",
    around: Some((r"\left|", r"\right|")),
    arity: Some(1),
    parity: Parity::Even,
    help: "absolute value",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::NONNEGATIVE,
    smoothness: Smoothness::Continuous,
    piece: Some(Piece { on: Interval::NONNEGATIVE, increasing: true, inverse: Some(Inverse::Same) }),
    slope: Slope::Kink,
    antiderivative: Some(|x| (x * Expr::apply(Abs, &[x])).scale(&Rational::HALF)),
    sign: SignRule::Size,
    values: &[(Exact::Number(0), Exact::Number(0))],
    special: Some(special::size),
    pair: None,
    ball: |x, p| Some(x[0].abs(p)),
    reading: Reading::Absolute,
};

pub const SIGN: Row = Row {
    function: Sign,
    name: "sign",
    elsewhere: &["sgn"],
    latex: r"\operatorname{sgn}",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "−1, 0 or 1",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::UNIT,
    smoothness: Smoothness::Jumps,
    piece: None,
    slope: Slope::Jump,
    antiderivative: Some(|x| Expr::apply(Abs, &[x])),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    special: Some(special::sign),
    pair: None,
    ball: |x, _| Some(x[0].signum()),
    reading: Reading::Sign,
};

pub const MIN: Row = Row {
    function: Min,
    name: "min",
    elsewhere: &[],
    latex: r"\min",
    around: None,
    arity: None,
    parity: Parity::Neither,
    help: "the smallest of its arguments",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::ALL,
    smoothness: Smoothness::Continuous,
    piece: None,
    slope: Slope::Extreme,
    antiderivative: None,
    sign: SignRule::Range,
    values: &[],
    special: Some(special::least),
    pair: None,
    ball: |x, p| x.iter().skip(1).try_fold(x.first()?.clone(), |m, y| Some(m.min(y, p))),
    reading: Reading::Opaque { otherwise: Some(|x| folded(x, -1)) },
};

pub const MAX: Row = Row {
    function: Max,
    name: "max",
    elsewhere: &[],
    latex: r"\max",
    around: None,
    arity: None,
    parity: Parity::Neither,
    help: "the largest of its arguments",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::ALL,
    smoothness: Smoothness::Continuous,
    piece: None,
    slope: Slope::Extreme,
    antiderivative: None,
    sign: SignRule::Range,
    values: &[],
    special: Some(special::greatest),
    pair: None,
    ball: |x, p| x.iter().skip(1).try_fold(x.first()?.clone(), |m, y| Some(m.max(y, p))),
    reading: Reading::Opaque { otherwise: Some(|x| folded(x, 1)) },
};

/// min(a, b) = (a + b − |a − b|)/2 and max(a, b) = (a + b + |a − b|)/2, everywhere.
fn folded(arguments: &[Expr], sign: i64) -> Expr {
    let join =
        |a: Expr, b: Expr| (a + b + Expr::apply(Abs, &[a - b]).scale(&Rational::from(sign))).scale(&Rational::HALF);
    arguments.iter().copied().reduce(join).unwrap_or_else(Expr::zero)
}
