//! The columns of runs, and what is computed from them.

use super::double::latex_number;
use super::run::Run;
use crate::algebra::number::Rational;
use crate::algebra::{Expr, Inquiry, Verdict};
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::report::table::short;
use std::rc::Rc;

/// A column of a run, or what was computed from columns.
#[derive(Clone)]
pub struct Series {
    pub name: String,
    pub times: Rc<Vec<f64>>,
    pub values: Rc<Vec<f64>>,
    /// The run of which this is a column.
    pub of: Option<Rc<Run>>,
}

/// A part of every series, and how it is taken; an empty series has none.
type Part = (&'static str, fn(&[f64]) -> Option<f64>);

/// The parts of every series.
pub const PARTS: &[Part] = &[
    ("first", |v| v.first().copied()),
    ("last", |v| v.last().copied()),
    ("max", |v| v.iter().copied().reduce(f64::max)),
    ("min", |v| v.iter().copied().reduce(f64::min)),
];

impl Series {
    pub fn describe(&self) -> String {
        let v = &self.values;
        let (Some(first), Some(last)) = (v.first(), v.last()) else { return format!("{}: no values", self.name) };
        if v.len() == 1 {
            return format!("{}: 1 value, {}", self.name, short(*first));
        }
        let range = |f: fn(f64, f64) -> f64| v.iter().copied().reduce(f).unwrap_or(*first);
        format!(
            "{}: {} values, from {} to {}, between {} and {}",
            self.name,
            v.len(),
            short(*first),
            short(*last),
            short(range(f64::min)),
            short(range(f64::max)),
        )
    }

    /// The interval in which the values lie, as a formula.
    pub fn latex(&self) -> String {
        let range = |f: fn(f64, f64) -> f64| self.values.iter().copied().reduce(f).unwrap_or(0.0);
        format!(
            "\\text{{{}}} \\in \\left[{}, {}\\right]",
            self.name.replace('_', "\\_"),
            latex_number(range(f64::min)),
            latex_number(range(f64::max))
        )
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::json!(*self.values)
    }

    /// `series.max`, `series.last`, …
    pub fn part(&self, name: &str) -> Fallible<Option<f64>> {
        let Some((_, take)) = PARTS.iter().find(|(part, _)| *part == name) else { return Ok(None) };
        match take(&self.values) {
            Some(x) => Ok(Some(x)),
            None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the series is empty"))),
        }
    }

    /// Whether the name is a sum or a difference.
    fn is_sum(&self) -> bool {
        let mut depth = 0i32;
        self.name.char_indices().any(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            at > 0 && depth == 0 && matches!(c, '+' | '-') && !self.name[..at].ends_with(['e', '^'])
        })
    }

    /// The name as a factor: a sum and a sign have brackets.
    fn factor(&self) -> String {
        if self.is_sum() || self.name.starts_with('-') { format!("({})", self.name) } else { self.name.clone() }
    }

    /// The name as the base of a power: all but names and calls have brackets.
    pub fn bracketed(&self) -> String {
        let factor = self.factor();
        let plain = !factor.contains(['*', '/', '^', ' ']);
        if plain || factor.starts_with('(') && factor != self.name { factor } else { format!("({})", self.name) }
    }

    /// The name of this series times a number.
    pub fn times(&self, by: Expr) -> String {
        let factor = self.factor();
        match by.as_number() {
            Some(n) if n.is_one() => factor,
            Some(n) if *n == Rational::MINUS_ONE => format!("-{factor}"),
            Some(n) if n.numerator().is_one() => format!("{factor}/{}", n.denominator()),
            _ => format!("{by}*{factor}"),
        }
    }

    /// The series of f(x), which must be numbers.
    pub fn map(&self, name: String, f: impl Fn(f64) -> Option<f64>) -> Fallible<Series> {
        let mut values = Vec::with_capacity(self.values.len());
        for (t, x) in self.times.iter().zip(self.values.iter()) {
            match f(*x).filter(|y| y.is_finite()) {
                Some(y) => values.push(y),
                None => return Err(no_value(&name, *t)),
            }
        }
        Ok(Series { name, times: self.times.clone(), values: Rc::new(values), of: None })
    }

    /// Entry by entry; a series of another run is taken at the times of this one.
    pub fn combine(&self, cx: &Inquiry, other: &Series, sign: &str, f: impl Fn(f64, f64) -> f64) -> Fallible<Series> {
        let name = match (sign, other.name.strip_prefix('-')) {
            ("+", Some(rest)) => format!("{} - {rest}", self.name),
            ("-", _) => format!("{} - {}", self.name, other.factor()),
            ("*", _) => {
                let first = if self.is_sum() { self.factor() } else { self.name.clone() };
                match other.name.strip_prefix("1/").filter(|below| below.starts_with('(')) {
                    Some(below) => format!("{first}/{below}"),
                    None => format!("{first}*{}", other.factor()),
                }
            }
            _ => format!("{} {sign} {}", self.name, other.name),
        };
        let others =
            if *self.times == *other.times { other.values.clone() } else { Rc::new(other.at_times(cx, &self.times)?) };
        let mut values = Vec::with_capacity(self.values.len());
        for ((t, x), y) in self.times.iter().zip(self.values.iter()).zip(others.iter()) {
            let value = f(*x, *y);
            if !value.is_finite() {
                return Err(no_value(&name, *t));
            }
            values.push(value);
        }
        Ok(Series { name, times: self.times.clone(), values: Rc::new(values), of: None })
    }

    fn at_times(&self, cx: &Inquiry, times: &[f64]) -> Fallible<Vec<f64>> {
        let Some(run) = &self.of else {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("series at {} and at {} times", self.times.len(), times.len()),
                )
                .help("record both at the same times: `record … every 1/100`"),
            ));
        };
        let again = run.recorded_at(cx, times)?;
        let series = again.series(&self.name).ok_or_else(|| {
            Box::new(Diagnostic::error(&codes::UNKNOWN_PART, format!("the run has no column `{}`", self.name)))
        })?;
        // The start is always recorded; the times asked for may begin later.
        let skip = again.len() - times.len();
        Ok(series.iter().skip(skip).collect())
    }

    /// Whether two series are equal within the tolerance, at the times of this one.
    pub fn equals(&self, cx: &Inquiry, other: &Series, tolerance: f64) -> Fallible<Verdict> {
        if *self.times == *other.times {
            return Ok(self.close_to(other.values.iter().copied(), tolerance));
        }
        Ok(self.close_to(other.at_times(cx, &self.times)?.into_iter(), tolerance))
    }

    /// Whether every value is this number, within the tolerance.
    pub fn equals_number(&self, y: f64, tolerance: f64) -> Verdict {
        self.close_to(std::iter::repeat(y), tolerance)
    }

    /// Series or numbers that are equal value by value, within the tolerance, absolute or relative.
    fn close_to(&self, other: impl Iterator<Item = f64>, tolerance: f64) -> Verdict {
        let mut worst = (0.0f64, 0.0);
        for ((t, x), y) in self.times.iter().zip(self.values.iter()).zip(other) {
            let excess = (x - y).abs() / y.abs().max(1.0);
            if excess > worst.0 || excess.is_nan() {
                worst = (excess, *t);
            }
        }
        Verdict::from_bool(
            worst.0 <= tolerance,
            format!("the largest difference is {}, at {}", short(worst.0), short(worst.1)),
        )
    }
}

pub(super) fn no_value(name: &str, t: f64) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::NOT_REAL, format!("`{name}` has no value at time {}", short(t))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is computed from columns is named as it would be written: brackets where the order of operations needs them, by the rules
    /// of the language.
    #[test]
    fn names_keep_the_order_of_operations() {
        let cx = &Inquiry::free();
        let column = |name: &str| Series {
            name: name.to_string(),
            times: Rc::new(vec![0.0]),
            values: Rc::new(vec![1.0]),
            of: None,
        };
        let named =
            |left: &Series, sign: &str, right: &Series| left.combine(cx, right, sign, |x, _| x).expect("a series").name;
        let (x, y) = (column("x"), column("y"));
        let sum = column(&named(&x, "+", &y));
        assert_eq!(named(&sum, "*", &sum), "(x + y)*(x + y)");
        assert_eq!(named(&x, "-", &sum), "x - (x + y)");
        assert_eq!((sum.times(Expr::number(3)), sum.bracketed()), ("3*(x + y)".to_string(), "(x + y)".to_string()));
        let opposite = column(&y.times(Expr::number(-1)));
        assert_eq!(named(&x, "+", &opposite), "x - y");
        assert_eq!(named(&x, "*", &column("1/(x + y)")), "x/(x + y)");
        assert_eq!((x.bracketed(), column("sin(x)").bracketed()), ("x".to_string(), "sin(x)".to_string()));
    }
}
