//! Runs and their series, as values of the language. Here numbers are floating point: a run is
//! where derivations end.

use super::value::{Fallible, Point, PointEntry, Value};
use crate::algebra::{Expr, Integer, Rational, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::problem::{InitialValueProblem, Motion};
use crate::integrate::trajectory::Trajectory;
use crate::report::table::{Table, exact, short};
use dashu_int::IBig;
use smallvec::SmallVec;
use std::rc::Rc;

/// A run that was made: its trajectory, and what the states and columns are.
pub struct Run {
    pub system: String,
    pub trajectory: Trajectory,
    /// What was run; it can be run again with other numbers, without compiling again.
    pub motion: Rc<Motion>,
    pub problem: InitialValueProblem,
    pub time: Symbol,
    pub states: Vec<Symbol>,
    /// Parameters with the values the run used.
    pub parameters: Vec<(Symbol, f64)>,
    /// Whether columns were asked for; otherwise the states are the columns.
    pub records: bool,
}

/// A column of a run, or what was computed from columns.
#[derive(Clone)]
pub struct Series {
    pub name: String,
    pub values: Rc<Vec<f64>>,
}

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

/// A number of a run, in expressions the exact value of the double.
pub fn number(x: f64) -> Value {
    Value::Float(x)
}

impl Run {
    /// Names and values of the recorded columns, time first.
    pub fn table(&self) -> Table {
        let times = ("t".to_string(), self.trajectory.times().to_vec());
        let names = if self.records { self.trajectory.column_names() } else { self.trajectory.state_names() };
        let columns = names.iter().map(|n| {
            let values = self.trajectory.series(n).map(|s| s.iter().collect()).unwrap_or_default();
            (n.clone(), values)
        });
        Table::new(std::iter::once((self.time.name(), times.1)).chain(columns.collect::<Vec<_>>()))
    }

    pub fn series(&self, name: &str) -> Option<Series> {
        if name == self.time.name() {
            return Some(Series { name: name.into(), values: Rc::new(self.trajectory.times().to_vec()) });
        }
        let series = self.trajectory.series(name)?;
        Some(Series { name: name.into(), values: Rc::new(series.iter().collect()) })
    }

    pub fn describe(&self) -> String {
        let t = &self.trajectory;
        let s = &t.statistics;
        let last: Vec<String> = self.states.iter().zip(t.last()).map(|(q, x)| format!("{q} = {}", short(*x))).collect();
        let mut lines = vec![
            format!("{}: {}, at {} = {}", self.system, t.reason, self.time, short(t.end)),
            format!("  {}", last.join(", ")),
            format!("  {} with {} steps, {} rejected; {}", t.method.name(), s.steps, s.rejected, t.backend),
        ];
        if let Some(why) = &t.choice {
            lines.push(format!("  {why}"));
        }
        lines.join("\n")
    }

    pub fn json(&self) -> serde_json::Value {
        let t = &self.trajectory;
        let state: serde_json::Map<String, serde_json::Value> =
            self.states.iter().zip(t.last()).map(|(q, x)| (q.name(), serde_json::json!(x))).collect();
        serde_json::json!({
            "reason": t.reason.name(), "end": t.end, "last": state, "method": t.method.name(),
            "backend": t.backend.name(), "steps": t.statistics.steps, "rejected": t.statistics.rejected,
        })
    }

    /// The states and columns at one recorded row.
    fn point(&self, time: f64, values: &[f64]) -> Value {
        let mut entries = vec![entry(self.time, time)];
        entries.extend(self.states.iter().zip(values).map(|(q, x)| entry(*q, *x)));
        Value::Point(Rc::new(Point { entries }))
    }

    pub fn part(&self, name: &str) -> Fallible<Option<Value>> {
        let t = &self.trajectory;
        Ok(Some(match name {
            "last" => self.point(t.end, t.last()),
            "first" => self.point(t.times().first().copied().unwrap_or(t.end), t.state(0)),
            "reason" => Value::Text(t.reason.to_string().into()),
            "steps" => Value::number(t.statistics.steps as i64),
            "backend" => Value::Text(t.backend.name().into()),
            "method" => Value::Text(t.method.name().into()),
            _ => match self.series(name) {
                Some(series) => Value::Series(Rc::new(series)),
                None => return Ok(None),
            },
        }))
    }

    /// The state at a time inside the run.
    pub fn at(&self, point: &Point) -> Fallible<Value> {
        let time = point.entries.iter().find(|e| e.symbols.contains(&self.time)).ok_or_else(|| {
            Box::new(
                Diagnostic::error(&codes::MISSING_PARAMETER, format!("at which {}?", self.time))
                    .help(format!("write `run at {{ {} = 3 }}`", self.time)),
            )
        })?;
        let t = time
            .value
            .as_number()
            .map(crate::codegen::lower::to_f64)
            .ok_or_else(|| Box::new(Diagnostic::error(&codes::WRONG_KIND, "the time is a number")))?;
        match self.trajectory.at(t) {
            Some(values) => Ok(self.point(t, &values)),
            None => Err(Box::new(
                Diagnostic::error(&codes::OUTSIDE_RUN, format!("{} = {} is not inside this run", self.time, short(t)))
                    .note(format!(
                        "it goes from {} to {}",
                        short(self.trajectory.times()[0]),
                        short(self.trajectory.end)
                    )),
            )),
        }
    }
}

fn entry(symbol: Symbol, x: f64) -> PointEntry {
    let value = from_f64(x).map_or_else(|| Expr::undefined(crate::algebra::Undefined::NotReal), Expr::number);
    PointEntry { symbols: SmallVec::from_elem(symbol, 1), text: symbol.name(), value }
}

impl Series {
    pub fn describe(&self) -> String {
        let v = &self.values;
        let range = |f: fn(f64, f64) -> f64| v.iter().copied().reduce(f).unwrap_or(0.0);
        format!(
            "{}: {} values, from {} to {}, between {} and {}",
            self.name,
            v.len(),
            v.first().map_or_else(String::new, |x| short(*x)),
            v.last().map_or_else(String::new, |x| short(*x)),
            short(range(f64::min)),
            short(range(f64::max)),
        )
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::json!(*self.values)
    }

    pub fn part(&self, name: &str) -> Fallible<Option<Value>> {
        let v = &self.values;
        let value = match name {
            "first" => v.first().copied(),
            "last" => v.last().copied(),
            "max" => v.iter().copied().reduce(f64::max),
            "min" => v.iter().copied().reduce(f64::min),
            _ => return Ok(None),
        };
        match value {
            Some(x) => Ok(Some(number(x))),
            None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the series is empty"))),
        }
    }

    fn map(&self, name: String, f: impl Fn(f64) -> f64) -> Series {
        Series { name, values: Rc::new(self.values.iter().map(|x| f(*x)).collect()) }
    }

    pub fn scale(&self, by: Expr) -> Fallible<Value> {
        match by.as_number() {
            Some(n) => {
                let factor = crate::codegen::lower::to_f64(n);
                Ok(Value::Series(Rc::new(self.map(format!("{n}*{}", self.name), |x| x * factor))))
            }
            None => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a series is multiplied by a number"))),
        }
    }

    pub fn abs(&self) -> Series {
        self.map(format!("abs({})", self.name), f64::abs)
    }

    /// Entry by entry; both have the same length.
    pub fn combine(&self, other: &Series, minus: bool) -> Fallible<Value> {
        if self.values.len() != other.values.len() {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("series of {} and {} values", self.values.len(), other.values.len()),
                )
                .help("record both at the same times: `record … every 1/100`"),
            ));
        }
        let sign = if minus { -1.0 } else { 1.0 };
        let values = self.values.iter().zip(other.values.iter()).map(|(a, b)| a + sign * b).collect();
        let op = if minus { "-" } else { "+" };
        Ok(Value::Series(Rc::new(Series {
            name: format!("{} {op} {}", self.name, other.name),
            values: Rc::new(values),
        })))
    }

    /// The series moved by a constant.
    pub fn shift(&self, by: f64) -> Series {
        self.map(format!("{} + {}", self.name, exact(by)), |x| x + by)
    }
}

/// Series are equal when all their values are, within the tolerance.
pub fn equal(left: &Value, right: &Value, within: Option<&Rational>) -> Fallible<Verdict> {
    let (Value::Series(a), Value::Series(b)) = (left, right) else {
        return Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a series is compared with a series")));
    };
    if a.values.len() != b.values.len() {
        return Ok(Verdict::no("series of different lengths"));
    }
    let tolerance = within.map_or(0.0, crate::codegen::lower::to_f64);
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= tolerance * y.abs().max(1.0);
    Ok(Verdict::from_bool(a.values.iter().zip(b.values.iter()).all(close), "value by value"))
}
