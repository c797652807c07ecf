//! Exact algebra: numbers, expressions, polynomials, zero tests.

pub mod number;
