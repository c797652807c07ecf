//! Doubles beside exact numbers: which rational number a double is, which double a constant is taken for, and how a
//! double is written.

use crate::algebra::Inquiry;
use crate::algebra::function::Elementary;
use crate::algebra::print::{Format, Style};
use crate::algebra::{Expr, Integer, Rational};
use crate::codegen::lower::to_f64;
use crate::report::table::exact;
use dashu_int::IBig;

/// The rational number a double is.
pub fn from_f64(x: f64) -> Option<Rational> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
    let mantissa = if x < 0.0 { -mantissa } else { mantissa };
    let two = |k: i64| Integer::from_big(IBig::ONE << k.unsigned_abs() as usize);
    Some(if power >= 0 {
        Rational::integer(&Integer::from(mantissa) * &two(power))
    } else {
        Rational::new(mantissa.into(), two(power))
    })
}

/// The double that an exact number stands for, if it came from one: so fine a binary fraction is not typed.
pub fn as_double(e: Expr) -> Option<f64> {
    let n = e.as_number()?;
    let denominator = n.denominator().to_i64().map_or(u64::MAX, i64::unsigned_abs);
    if denominator < 1 << 20 {
        return None;
    }
    let x = to_f64(n);
    (from_f64(x).as_ref() == Some(n)).then_some(x)
}

/// The nearest double of an expression without symbols.
pub fn constant(cx: &Inquiry, e: Expr) -> Option<f64> {
    match e.as_number() {
        Some(n) => Some(to_f64(n)),
        None if e.symbols().is_empty() => crate::algebra::ball::decimal(cx, e, &Default::default(), 19)
            .ok()??
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite()),
        None => None,
    }
}

/// An elementary function of doubles.
pub fn apply(function: Elementary, arguments: &[f64]) -> Option<f64> {
    crate::codegen::function::apply(function, arguments).filter(|value| value.is_finite())
}

/// A double as LaTeX writes it.
pub fn latex_number(x: f64) -> String {
    let text = exact(x);
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\cdot 10^{{{exponent}}}"),
        None => text,
    }
}

/// A double in a style.
pub fn number_text(x: f64, style: Style) -> String {
    if style.format == Format::Latex { latex_number(x) } else { exact(x) }
}
