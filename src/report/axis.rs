//! The axes of a picture: a range, where a value lies in it, and what is written at it.
//!
//! A value v stands at u = (v − offset)/unit, at log₁₀ v on a logarithmic axis. Numbers that agree in many digits lose what
//! they share to the offset, very large and very small ones their power of ten to the unit, and the label says so:
//!
//! ```text
//! E − 16.024, in 10⁻¹²      0  2  4       a drift of 5e-12 on 16.024
//! theta                     −π  0  π      an angle
//! ```
//!
//! All numbers of an axis have the same digits behind the point, enough for its step; so no two of them look alike.

use std::f64::consts::PI;

/// How values are spread along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    #[default]
    Linear,
    Log,
}

/// A range of an axis with round numbers to write at it.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    scale: Scale,
    offset: f64,
    unit: f64,
    /// The range, in u.
    low: f64,
    high: f64,
    pub ticks: Vec<Tick>,
    /// Places between the numbers: 2, 3, …, 9 times the powers of ten of a logarithmic axis.
    pub minor: Vec<f64>,
    /// What the numbers at the axis are: ` − 16.024, in 10⁻¹²`.
    remark: String,
}

/// A number at an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Where, from 0 to 1.
    pub place: f64,
    pub text: String,
}

/// Below this the numbers at an axis would have fewer digits than others: steps and powers of ten are normal down to here.
const SMALLEST: f64 = 1e-305;

/// The smallest and the largest of some values; those that are no numbers do not count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    pub fn of(values: impl Iterator<Item = f64>) -> Range {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| v.is_finite()) {
            low = low.min(v);
            high = high.max(v);
        }
        if low > high { Range { low: 0.0, high: 1.0 } } else { Range { low, high } }
    }

    /// Half of the length: that of the largest numbers is one too.
    pub fn half(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// The same middle, and this half of the length.
    pub fn around(&self, half: f64) -> Range {
        let middle = self.low / 2.0 + self.high / 2.0;
        Range { low: middle - half, high: middle + half }
    }

    fn size(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Widened, if its values differ by rounding only.
    fn widened(self) -> Range {
        let size = self.size();
        if self.half() > 4.0 * f64::EPSILON * size && self.half() > SMALLEST {
            return self;
        }
        let half = if size > SMALLEST { size * 0.5 } else { 1.0 };
        self.around(half)
    }
}

impl Axis {
    /// An axis with about `count` numbers.
    pub fn new(range: Range, scale: Scale, is_angle: bool, count: usize) -> Axis {
        let count = count.max(1) as f64;
        match scale {
            Scale::Log => Axis::log(range, count),
            Scale::Linear if is_angle && 2.0 * range.half() > PI / 2.0 && range.half() < 1e6 => {
                Axis::angle(range, count)
            }
            Scale::Linear => Axis::linear(range.widened(), count, true),
        }
    }

    /// The same range, exactly: no end is moved to a round number.
    pub fn exact(range: Range, count: usize) -> Axis {
        Axis::linear(range.widened(), count.max(1) as f64, false)
    }

    fn linear(range: Range, count: f64, rounded: bool) -> Axis {
        let (offset, shared) = shared_digits(range);
        let (low, high) = (range.low - offset, range.high - offset);
        let size = low.abs().max(high.abs());
        let power = if size > 0.0 { size.log10().floor() as i32 } else { 0 };
        let power = if (-3..5).contains(&power) { 0 } else { power };
        let unit = 10f64.powi(power);
        let mut axis = Axis {
            scale: Scale::Linear,
            offset,
            unit,
            low: low / unit,
            high: high / unit,
            ticks: vec![],
            minor: vec![],
            remark: remark(&shared, power),
        };
        let mut step = round_step((axis.high - axis.low) / count);
        // 5 becomes 2, 2 becomes 1, 1 becomes 0.5.
        for _ in 0..2 {
            step = if has_two(axis.low, axis.high, step) { step } else { round_step(step / 2.6) };
        }
        if rounded {
            // An end that nearly is a round number becomes one, so that it is written.
            let (floor, ceiling) = ((axis.low / step).floor() * step, (axis.high / step).ceil() * step);
            axis.low = if axis.low - floor < 0.1 * step { floor } else { axis.low };
            axis.high = if ceiling - axis.high < 0.1 * step { ceiling } else { axis.high };
        }
        let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
        axis.write(step, |k| {
            // −0 is written 0.
            format!("{:.*}", decimals, if k == 0.0 { 0.0 } else { k * step })
        });
        axis
    }

    /// Multiples and fractions of π.
    fn angle(range: Range, count: f64) -> Axis {
        // Twelfths of π that are a step; above them 2, 5, 10, … times π.
        let twelfths = (range.high - range.low) / PI * 12.0 / count;
        let small = [1.0, 2.0, 3.0, 6.0, 12.0, 24.0].into_iter().find(|s| *s >= twelfths);
        let twelfths = small.unwrap_or_else(|| 12.0 * round_step(twelfths / 12.0));
        // A range with one multiple of its step has three of half of it.
        let enough = |t: f64| has_two(range.low, range.high, t * PI / 12.0);
        let twelfths = if enough(twelfths) || twelfths < 2.0 { twelfths } else { (twelfths / 2.0).ceil() };
        let step = twelfths * PI / 12.0;
        let (floor, ceiling) = ((range.low / step).floor() * step, (range.high / step).ceil() * step);
        let low = if range.low - floor < 0.1 * step { floor } else { range.low };
        let high = if ceiling - range.high < 0.1 * step { ceiling } else { range.high };
        let mut axis = Axis {
            scale: Scale::Linear,
            offset: 0.0,
            unit: 1.0,
            low,
            high,
            ticks: vec![],
            minor: vec![],
            remark: String::new(),
        };
        axis.write(step, |k| of_pi((k * twelfths).round() as i64));
        axis
    }

    /// The numbers at the multiples of a step.
    fn write(&mut self, step: f64, text: impl Fn(f64) -> String) {
        let mut k = (self.low / step - 1e-9).ceil();
        while k * step <= self.high + step * 1e-9 && self.ticks.len() < 100 {
            self.ticks.push(Tick { place: self.at(k * step), text: text(k) });
            k += 1.0;
        }
    }

    fn log(range: Range, count: f64) -> Axis {
        let low = if range.low > 0.0 { range.low.log10() } else { 0.0 };
        let high = if range.high > 0.0 { range.high.log10() } else { low };
        let (low, high) = if high - low < 1e-9 { (low - 0.5, high + 0.5) } else { (low, high) };
        let mut axis = Axis {
            scale: Scale::Log,
            offset: 0.0,
            unit: 1.0,
            low: if low - low.floor() < 0.05 { low.floor() } else { low },
            high: if high.ceil() - high < 0.05 { high.ceil() } else { high },
            ticks: vec![],
            minor: vec![],
            remark: String::new(),
        };
        // So that they can be told apart.
        if axis.high - axis.low <= 10.0 {
            let powers = axis.low.floor() as i32..=axis.high.floor() as i32;
            let between = powers.flat_map(|p| (2..10).map(move |k| f64::from(p) + f64::from(k).log10()));
            axis.minor = between.filter(|u| (axis.low..=axis.high).contains(u)).map(|u| axis.at(u)).collect();
        }
        let decades = axis.high.floor() - axis.low.ceil();
        if decades >= 2.0 {
            axis.write(round_step(decades / count).max(1.0), |k| {
                // Steps of 1, 2, 5, … decades.
                ten_to((k * round_step(decades / count).max(1.0)).round() as i32)
            });
            return axis;
        }
        // Within two decades: 1, 2 and 5 of each; within a part of one, round numbers between.
        let (from, to) = (10f64.powf(axis.low), 10f64.powf(axis.high));
        let round: Vec<f64> = (axis.low.floor() as i32..=axis.high.ceil() as i32)
            .flat_map(|p| [1.0, 2.0, 5.0].map(|f| f * 10f64.powi(p)))
            .filter(|v| *v >= from * (1.0 - 1e-9) && *v <= to * (1.0 + 1e-9))
            .collect();
        if round.len() >= 3 {
            axis.ticks = round.iter().map(|v| Tick { place: axis.place(*v), text: super::table::short(*v) }).collect();
        } else {
            let plain = Axis::exact(Range { low: from, high: to }, count as usize);
            axis.ticks = plain
                .ticks
                .iter()
                .map(|t| {
                    let v = plain.offset + plain.unit * (plain.low + t.place * (plain.high - plain.low));
                    Tick { place: axis.place(v), text: t.text.clone() }
                })
                .collect();
            axis.remark = plain.remark;
        }
        axis
    }

    fn at(&self, u: f64) -> f64 {
        (u - self.low) / (self.high - self.low)
    }

    /// Where a value lies, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.at((value - self.offset) / self.unit),
            Scale::Log => self.at(value.log10()),
        }
    }

    /// The name of the axis, and what its numbers are.
    pub fn label(&self, name: &str) -> String {
        match (name.is_empty(), self.remark.strip_prefix(", ")) {
            (true, Some(rest)) => rest.to_string(),
            _ => format!("{name}{}", self.remark),
        }
    }
}

/// The shortest number in a narrow range, and how it is written: what all values of the range nearly are.
fn shared_digits(range: Range) -> (f64, String) {
    let span = 2.0 * range.half();
    if !span.is_finite() || span > 2e-5 * range.size() {
        return (0.0, String::new());
    }
    let middle = range.low / 2.0 + range.high / 2.0;
    let (largest, smallest) = (range.size().log10().ceil() as i32, span.log10().floor() as i32 - 1);
    for power in (smallest.max(-300)..=largest).rev() {
        let text = match power {
            // A quantum below one: so many digits behind the point.
            ..0 => {
                let text = format!("{:.*}", power.unsigned_abs() as usize, middle);
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            }
            _ => {
                let quantum = 10f64.powi(power);
                format!("{}", (middle / quantum).round() * quantum)
            }
        };
        match text.parse() {
            Ok(offset) if offset != 0.0 && (range.low..=range.high).contains(&offset) => return (offset, text),
            _ => {}
        }
    }
    (0.0, String::new())
}

/// Whether two multiples of a step, or more, lie in a range.
fn has_two(low: f64, high: f64, step: f64) -> bool {
    (high / step + 1e-9).floor() - (low / step - 1e-9).ceil() >= 1.0
}

fn remark(shared: &str, power: i32) -> String {
    let offset = match shared.strip_prefix('-') {
        _ if shared.is_empty() => String::new(),
        Some(digits) => format!(" + {digits}"),
        None => format!(" − {shared}"),
    };
    let unit = if power == 0 { String::new() } else { format!(", in {}", ten_to(power)) };
    offset + &unit
}

/// 10ⁿ.
fn ten_to(power: i32) -> String {
    if power == 0 {
        return "1".to_string();
    }
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    if power == 1 {
        "10".to_string()
    } else {
        format!("10{}", power.to_string().chars().map(raised).collect::<String>())
    }
}

/// So many twelfths of π.
fn of_pi(twelfths: i64) -> String {
    if twelfths == 0 {
        return "0".to_string();
    }
    let (mut above, mut below) = (twelfths.abs(), 12);
    for factor in [2, 2, 3] {
        if above % factor == 0 && below % factor == 0 {
            (above, below) = (above / factor, below / factor);
        }
    }
    let sign = if twelfths < 0 { "-" } else { "" };
    let above = if above == 1 { String::new() } else { above.to_string() };
    if below == 1 { format!("{sign}{above}π") } else { format!("{sign}{above}π/{below}") }
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factor = step / power;
    power
        * if factor <= 1.0 + 1e-9 {
            1.0
        } else if factor <= 2.0 {
            2.0
        } else if factor <= 5.0 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(low: f64, high: f64, count: usize) -> Axis {
        Axis::new(Range { low, high }, Scale::Linear, false, count)
    }

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|t| t.text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_stand_where_their_numbers_are() {
        assert_eq!(texts(&axis(0.0, 10.0, 4)), ["0", "5", "10"]);
        assert_eq!(texts(&axis(-1.0, 1.0, 4)), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!((round_step(0.013), round_step(0.3)), (0.02, 0.5));
        let shown = axis(-0.37, 7.1, 5);
        for tick in &shown.ticks {
            let value: f64 = tick.text.parse().expect("a number");
            assert!((shown.place(value) - tick.place).abs() < 1e-12, "{tick:?}");
        }
        assert!((shown.place(-0.37)).abs() < 1e-12 && (shown.place(7.1) - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_small_drift_of_a_large_number_is_shown_beside_an_offset() {
        let drift = axis(16.024, 16.024 + 5e-12, 5);
        assert_eq!(drift.label("E"), "E − 16.024, in 10⁻¹²");
        assert_eq!(texts(&drift), ["0", "1", "2", "3", "4", "5"]);
        // The spacing of doubles near 16 is 3.6e-15, of the range 7e-4.
        assert!((drift.place(16.024 + 2e-12) - 0.4).abs() < 2e-3);
        assert_eq!(axis(-1e6 - 3e-3, -1e6, 4).label("z"), "z + 1000000");
        // No number with fewer digits lies in the range.
        let drift = axis(12.24720134, 12.24720146, 7);
        assert_eq!(
            (drift.label("E"), texts(&drift)),
            ("E − 12.2472014, in 10⁻⁸".into(), vec!["-6", "-4", "-2", "0", "2", "4", "6"])
        );
        assert_eq!(axis(0.0, 3e8, 3).label("r"), "r, in 10⁸");
        assert_eq!(axis(0.0, 3e-9, 3).label(""), "in 10⁻⁹");
    }

    #[test]
    fn no_two_numbers_of_an_axis_look_alike() {
        for exponent in -300..=300 {
            for (a, b) in [(1.0, 2.0), (-3.1, 4.0), (1.0, 1.0 + 1e-13), (7.77777, 7.77778), (5.0, 5.0), (0.0, 1.0)] {
                let scale = 10f64.powi(exponent);
                for count in [2, 5, 9] {
                    let shown = axis(a * scale, b * scale, count);
                    let mut seen = texts(&shown);
                    assert!(seen.len() >= 2 && seen.len() <= 2 * count + 2, "{a} {b} e{exponent}: {seen:?}");
                    assert!(shown.ticks.iter().all(|t| (-1e-6..=1.0 + 1e-6).contains(&t.place)), "{shown:?}");
                    seen.dedup();
                    assert_eq!(seen.len(), shown.ticks.len(), "{a} {b} e{exponent}");
                }
            }
        }
    }

    #[test]
    fn the_smallest_numbers_fill_their_axis() {
        for size in [1e-200, 1e-300, 2e-304] {
            let shown = axis(-size, size, 4);
            assert!(shown.place(-size).abs() < 1e-9 && (shown.place(size) - 1.0).abs() < 1e-9, "{shown:?}");
        }
        assert_eq!(axis(-1e-300, 1e-300, 4).label("x"), "x, in 10⁻³⁰⁰");
    }

    #[test]
    fn angles_are_written_in_parts_of_pi() {
        let turn = Axis::new(Range { low: -PI, high: PI }, Scale::Linear, true, 4);
        assert_eq!(texts(&turn), ["-π", "-π/2", "0", "π/2", "π"]);
        assert_eq!(
            texts(&Axis::new(Range { low: 0.0, high: 2.0 }, Scale::Linear, true, 6)),
            ["0", "π/6", "π/3", "π/2"]
        );
        let many = Axis::new(Range { low: 0.0, high: 100.0 }, Scale::Linear, true, 4);
        assert_eq!(texts(&many), ["0", "10π", "20π", "30π"]);
        // A small swing is told in radians.
        assert_eq!(
            texts(&Axis::new(Range { low: 0.0, high: 0.4 }, Scale::Linear, true, 4)),
            ["0.0", "0.1", "0.2", "0.3", "0.4"]
        );
        assert_eq!((of_pi(9), of_pi(-16), of_pi(10)), ("3π/4".into(), "-4π/3".into(), "5π/6".into()));
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten() {
        let log = |low, high| Axis::new(Range { low, high }, Scale::Log, false, 4);
        assert_eq!(texts(&log(1e-3, 10.0)), ["10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
        assert!((log(1e-3, 10.0).place(0.1) - 0.5).abs() < 1e-12);
        // Eight places between two powers, the first at log 2 of their distance, which is a quarter of the axis.
        let minor = log(1e-3, 10.0).minor;
        assert!(minor.len() == 32 && (minor[0] - 2f64.log10() / 4.0).abs() < 1e-12, "{minor:?}");
        assert_eq!(texts(&log(1.0, 30.0)), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(&log(1e-12, 1e4)), ["10⁻¹⁰", "10⁻⁵", "1"]);
        assert!(texts(&log(3.0, 3.3)).len() >= 2);
    }
}
