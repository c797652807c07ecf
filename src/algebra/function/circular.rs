//! The circular functions and their inverses.

use super::Elementary::*;
use super::{
    Domain, Exact, Interval, Inverse, Pair, Parity, Piece, Reading, Row, Side, SignRule, Slope, Smoothness, hypotenuse,
    leg,
};
use crate::algebra::ball::Ball;
use crate::algebra::expr::{Expr, special};
use crate::algebra::number::Rational;

pub const SIN: Row = Row {
    function: Sin,
    name: "sin",
    elsewhere: &[],
    latex: r"\sin",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "sine",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::UNIT,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::RIGHT_HALF, increasing: true, inverse: Some(Inverse::Function(Asin)) }),
    slope: Slope::Partner { other: Cos, negative: false },
    antiderivative: Some(|x| -Expr::apply(Cos, &[x])),
    sign: SignRule::Range,
    values: &[],
    special: Some(special::sine),
    pair: None,
    ball: |x, p| Some(x[0].sin(p)),
    reading: Reading::Circular(Side::Sine),
};

pub const COS: Row = Row {
    function: Cos,
    name: "cos",
    elsewhere: &[],
    latex: r"\cos",
    around: None,
    arity: Some(1),
    parity: Parity::Even,
    help: "cosine",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::UNIT,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::UPPER_HALF, increasing: false, inverse: Some(Inverse::Function(Acos)) }),
    slope: Slope::Partner { other: Sin, negative: true },
    antiderivative: Some(|x| Expr::apply(Sin, &[x])),
    sign: SignRule::Range,
    values: &[],
    special: Some(special::cosine),
    pair: None,
    ball: |x, p| Some(x[0].cos(p)),
    reading: Reading::Circular(Side::Cosine),
};

pub const TAN: Row = Row {
    function: Tan,
    name: "tan",
    elsewhere: &[],
    latex: r"\tan",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "tangent",
    domain: Domain::NonzeroOf(Cos),
    range: Interval::ALL,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::OPEN_RIGHT_HALF, increasing: true, inverse: Some(Inverse::Function(Atan)) }),
    slope: Slope::Riccati { minus: false },
    antiderivative: Some(|x| -log_of_size(Expr::apply(Cos, &[x]))),
    sign: SignRule::Range,
    values: &[],
    special: Some(special::tangent),
    pair: None,
    ball: |x, p| x[0].tan(p),
    reading: Reading::Circular(Side::Tangent),
};

pub const ASIN: Row = Row {
    function: Asin,
    name: "asin",
    elsewhere: &["arcsin"],
    latex: r"\arcsin",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "inverse sine, between −π/2 and π/2",
    domain: Domain::Interval(Interval::UNIT),
    range: Interval::RIGHT_HALF,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::UNIT, increasing: true, inverse: Some(Inverse::Function(Sin)) }),
    slope: Slope::OverQuadratic { constant: 1, square: -1, root: true, negative: false },
    antiderivative: Some(|x| x * Expr::apply(Asin, &[x]) + (1 - x.pow(2)).sqrt()),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0)), (Exact::Number(1), Exact::QuarterPi(2))],
    special: Some(special::arcsine),
    pair: Some(Pair::Circular(|u| (u[0], leg(u[0])))),
    ball: |x, p| x[0].asin(p),
    reading: Reading::Opaque { otherwise: None },
};

pub const ACOS: Row = Row {
    function: Acos,
    name: "acos",
    elsewhere: &["arccos"],
    latex: r"\arccos",
    around: None,
    arity: Some(1),
    parity: Parity::Neither,
    help: "inverse cosine, between 0 and π",
    domain: Domain::Interval(Interval::UNIT),
    range: Interval::UPPER_HALF,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::UNIT, increasing: false, inverse: Some(Inverse::Function(Cos)) }),
    slope: Slope::OverQuadratic { constant: 1, square: -1, root: true, negative: true },
    antiderivative: Some(|x| x * Expr::apply(Acos, &[x]) - (1 - x.pow(2)).sqrt()),
    sign: SignRule::Range,
    values: &[(Exact::Number(1), Exact::Number(0)), (Exact::Number(0), Exact::QuarterPi(2)), (Exact::Number(-1), Exact::QuarterPi(4))],
    special: Some(special::arccosine),
    pair: Some(Pair::Circular(|u| (leg(u[0]), u[0]))),
    ball: |x, p| x[0].acos(p),
    reading: // acos u = π/2 − asin u on [−1, 1].
    Reading::Opaque { otherwise: Some(|u| Expr::pi().scale(&Rational::HALF) - Expr::apply(Asin, u)) },
};

pub const ATAN: Row = Row {
    function: Atan,
    name: "atan",
    elsewhere: &["arctan"],
    latex: r"\arctan",
    around: None,
    arity: Some(1),
    parity: Parity::Odd,
    help: "inverse tangent, between −π/2 and π/2",
    domain: Domain::Interval(Interval::ALL),
    range: Interval::OPEN_RIGHT_HALF,
    smoothness: Smoothness::Analytic,
    piece: Some(Piece { on: Interval::ALL, increasing: true, inverse: Some(Inverse::Function(Tan)) }),
    slope: Slope::OverQuadratic { constant: 1, square: 1, root: false, negative: false },
    antiderivative: Some(|x| x * Expr::apply(Atan, &[x]) - Expr::apply(Log, &[1 + x.pow(2)]).scale(&Rational::HALF)),
    sign: SignRule::Argument,
    values: &[(Exact::Number(0), Exact::Number(0)), (Exact::Number(1), Exact::QuarterPi(1))],
    special: Some(special::arctangent),
    pair: Some(Pair::Circular(|u| (u[0] / hypotenuse(u[0]), hypotenuse(u[0]).pow(-1)))),
    ball: |x, p| Some(x[0].atan(p)),
    reading: Reading::Opaque { otherwise: None },
};

pub const ATAN2: Row = Row {
    function: Atan2,
    name: "atan2",
    elsewhere: &["arctan2"],
    latex: r"\operatorname{atan2}",
    around: None,
    arity: Some(2),
    parity: Parity::Neither,
    help: "the angle of the point (x, y) as atan2(y, x)",
    domain: Domain::AwayFromOrigin,
    range: Interval::TURN,
    smoothness: Smoothness::Jumps,
    piece: None,
    slope: Slope::Angle,
    antiderivative: None,
    sign: SignRule::Range,
    values: &[],
    special: Some(special::direction),
    pair: Some(Pair::Circular(|yx| {
        let r = (yx[0].pow(2) + yx[1].pow(2)).sqrt();
        (yx[0] / r, yx[1] / r)
    })),
    ball: |x, p| Ball::atan2(&x[0], &x[1], p),
    reading: Reading::Opaque { otherwise: None },
};

/// log |e|.
fn log_of_size(e: Expr) -> Expr {
    Expr::apply(Log, &[Expr::apply(Abs, &[e])])
}
