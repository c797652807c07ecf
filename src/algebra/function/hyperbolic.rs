//! The hyperbolic functions and their inverses.

use super::Elementary::*;
use super::{Domain, Exact, Interval, Inverse, Parity, Piece, Reading, Row, Side, SignRule, Slope, Smoothness};
use crate::algebra::expr::Expr;
use crate::algebra::number::Rational;

pub const SINH: Row = Row {
    function: Sinh,
    name: "sinh",
    elsewhere: &[],
    latex: r"\sinh",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "hyperbolic sine",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::ALL,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Function(Asinh)) }),
    slope: Slope::Partner { other: Cosh, negative: false },
    antiderivative: Some(|x| Expr::apply(Cosh, &[x])),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    ball: |x, p| Some(x[0].sinh(p)),
    reading: Reading::Hyperbolic(Side::Sine),
};

pub const COSH: Row = Row {
    function: Cosh,
    name: "cosh",
    elsewhere: &[],
    latex: r"\cosh",
    around: None,
    arity: Some(1),
    parity: Parity::Even,
    help: "hyperbolic cosine",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::FROM_ONE,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::NONNEGATIVE, increasing: true, inverse: Some(Inverse::Function(Acosh)) }),
    slope: Slope::Partner { other: Sinh, negative: false },
    antiderivative: Some(|x| Expr::apply(Sinh, &[x])),
    sign: SignRule::Range,
    values: &[(Exact::Number(0), Exact::Number(1))],
    ball: |x, p| Some(x[0].cosh(p)),
    reading: Reading::Hyperbolic(Side::Cosine),
};

pub const TANH: Row = Row {
    function: Tanh,
    name: "tanh",
    elsewhere: &[],
    latex: r"\tanh",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "hyperbolic tangent",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::OPEN_UNIT,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Function(Atanh)) }),
    slope: Slope::Riccati { minus: true },
    antiderivative: Some(|x| Expr::apply(Log, &[Expr::apply(Cosh, &[x])])),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    ball: |x, p| Some(x[0].tanh(p)),
    reading: Reading::Hyperbolic(Side::Tangent),
};

pub const ASINH: Row = Row {
    function: Asinh,
    name: "asinh",
    elsewhere: &["arcsinh", "arsinh"],
    latex: r"\operatorname{arsinh}",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "inverse hyperbolic sine",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::ALL,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Function(Sinh)) }),
    slope: Slope::OverQuadratic { constant: 1, square: 1, root: true, negative: false },
    antiderivative: Some(|x| x * Expr::apply(Asinh, &[x]) - (1 + x.pow(2)).sqrt()),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    ball: |x, p| Some(x[0].asinh(p)),
    reading: // arsinh u = log(u + √(u² + 1)).
    Reading::Opaque { otherwise: Some(|u| Expr::apply(Log, &[u[0] + (1 + u[0].pow(2)).sqrt()])) },
};

pub const ACOSH: Row = Row {
    function: Acosh,
    name: "acosh",
    elsewhere: &["arccosh", "arcosh"],
    latex: r"\operatorname{arcosh}",
    around: None,
    arity: Some(1),
    parity: Parity::Neither,
    help: "inverse hyperbolic cosine, not negative",
    domain: Domain::Interval(Interval::FROM_ONE),
    range: Interval::NONNEGATIVE,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::FROM_ONE, increasing: true, inverse: Some(Inverse::Function(Cosh)) }),
    slope: Slope::OverQuadratic { constant: -1, square: 1, root: true, negative: false },
    antiderivative: Some(|x| x * Expr::apply(Acosh, &[x]) - (x.pow(2) - 1).sqrt()),
    sign: SignRule::Range,
    values: &[(Exact::Number(1), Exact::Number(0))],
    ball: |x, p| x[0].acosh(p),
    reading: // arcosh u = log(u + √(u² − 1)) on [1, ∞).
    Reading::Opaque { otherwise: Some(|u| Expr::apply(Log, &[u[0] + (u[0].pow(2) - 1).sqrt()])) },
};

pub const ATANH: Row = Row {
    function: Atanh,
    name: "atanh",
    elsewhere: &["arctanh", "artanh"],
    latex: r"\operatorname{artanh}",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "inverse hyperbolic tangent",
    domain: Domain::Interval(Interval::OPEN_UNIT),
    range: Interval::ALL,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::OPEN_UNIT, increasing: true, inverse: Some(Inverse::Function(Tanh)) }),
    slope: Slope::OverQuadratic { constant: 1, square: -1, root: false, negative: false },
    antiderivative: Some(|x| x * Expr::apply(Atanh, &[x]) + Expr::apply(Log, &[1 - x.pow(2)]).scale(&Rational::HALF)),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    ball: |x, p| x[0].atanh(p),
    reading: // artanh u = ½ log((1 + u)/(1 − u)) on (−1, 1).
    Reading::Opaque { otherwise: Some(|u| Expr::apply(Log, &[(1 + u[0]) / (1 - u[0])]).scale(&Rational::HALF)) },
};
