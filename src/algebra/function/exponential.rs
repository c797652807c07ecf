//! The exponential function, the logarithm and the error function.

use super::Elementary::*;
use super::{Domain, Exact, Interval, Inverse, Parity, Piece, Reading, Row, SignRule, Slope, Smoothness};
use crate::algebra::expr::{Expr, special};

pub const EXP: Row = Row {
    function: Exp,
    name: "exp",
    elsewhere: &[],
    latex: r"\exp",
    around: Some(("e^{", "}")),
    arity: Some(1),
    parity: Parity::Neither,
    help: "exponential function; Euler's number is exp(1)",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::POSITIVE,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Function(Log)) }),
    slope: Slope::Itself,
    antiderivative: Some(|x| Expr::apply(Exp, &[x])),
    sign: SignRule::Range,
    values: &[(Exact::Number(0), Exact::Number(1))],
    special: Some(special::exponential),
    pair: None,
    ball: |x, p| Some(x[0].exp(p)),
    reading: Reading::Exponential,
};

pub const LOG: Row = Row {
    function: Log,
    name: "log",
    elsewhere: &["ln"],
    latex: r"\log",
    around: None,
    arity: Some(1),
    parity: Parity::Neither,
    help: "natural logarithm",
    domain: Domain::Interval(Interval::POSITIVE),
    range: Interval::ALL,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::POSITIVE, increasing: true, inverse: Some(Inverse::Function(Exp)) }),
    slope: Slope::Reciprocal,
    antiderivative: Some(|x| x * Expr::apply(Log, &[x]) - x),
    sign: SignRule::Range,
    values: &[(Exact::Number(1), Exact::Number(0))],
    special: None,
    pair: None,
    ball: |x, p| x[0].log(p),
    reading: Reading::Logarithm,
};

pub const ERF: Row = Row {
    function: Erf,
    name: "erf",
    elsewhere: &[],
    latex: r"\operatorname{erf}",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "error function, 2/√π times the integral of exp(−s²) from 0 to x",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::OPEN_UNIT,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: None }),
    slope: Slope::Gauss,
    antiderivative: Some(|x| x * Expr::apply(Erf, &[x]) + Expr::apply(Exp, &[-x.pow(2)]) / Expr::pi().sqrt()),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0))],
    special: None,
    pair: None,
    ball: |x, p| Some(x[0].erf(p)),
    reading: Reading::Opaque { otherwise: None },
};
